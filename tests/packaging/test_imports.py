"""Imports go one way: the service and the benchmarks use the core, and the core needs only Python."""

import ast
import re
import subprocess
import sys
from pathlib import PurePosixPath

import pytest

from tests.packaging.sources import ROOT, package_files

CORE = {wheel: source for wheel, source in package_files().items() if wheel.parts[0] == "laizi"}
SERVICE = {wheel: source for wheel, source in package_files().items() if wheel.parts[0] == "laizi_service"}
CYTHON_IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import|c?import\s+([\w.]+))", re.MULTILINE)


def imported(source: PurePosixPath) -> set[str]:
    """The absolute names that a module imports, wherever in it."""
    text = (ROOT / source).read_text(encoding="utf-8")
    if source.suffix in (".pyx", ".pxd"):
        return {whole or plain for whole, plain in CYTHON_IMPORT.findall(text)}
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize(
    "source",
    [pytest.param(source, id=str(source)) for source in CORE.values() if source.suffix in (".py", ".pyx", ".pxd")],
)
def test_the_core_imports_itself_and_the_standard_library(source: PurePosixPath):
    allowed = sys.stdlib_module_names | {"laizi"}
    if source.suffix in (".pyx", ".pxd"):
        allowed |= {"cython", "libc", "cpython"}
    assert {name.split(".")[0] for name in imported(source)} <= allowed
    assert not {name for name in imported(source) if name.startswith("laizi.v1")}, "the core never needs the wire code"


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(source, id=str(source))
        for source in SERVICE.values()
        if source.suffix in (".py", ".pyx", ".pxd") and source.stem != "cli"
    ],
)
def test_the_service_needs_no_benchmark(source: PurePosixPath):
    assert "laizi_bench" not in {name.split(".")[0] for name in imported(source)}


def test_importing_the_whole_core_loads_no_other_distribution():
    modules = [
        ".".join(name.with_suffix("").parts).removesuffix(".__init__")
        for name in CORE
        if name.suffix in (".py", ".pyx")
    ]
    program = (
        "import importlib, sys\n"
        "before = set(sys.modules)\n"
        f"for name in {modules}: importlib.import_module(name)\n"
        "loaded = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        # Compiled modules share the types of their Cython version under private names.
        "shared = {name for name in loaded if name.startswith(('_cython_', 'cython_runtime'))}\n"
        "print(*sorted(loaded - sys.stdlib_module_names - shared))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["laizi"]
