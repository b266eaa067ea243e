"""What is built from this project holds what it needs and nothing else, and installs alone."""

import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from tests.packaging.sources import ROOT, package_files, project_files, proto_files

pytestmark = pytest.mark.registry

SHIPPED_AS_IS = {".json", ".py", ".pyi", ".pxd", ".toml", ".typed"}
WIRE = PurePosixPath("laizi/v1")
DEBRIS = "left_by_an_older_build.py"


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean clone of this working tree, uncommitted changes included, below a folder with a space in its name."""
    folder = tmp_path_factory.mktemp("clean clone")
    for name in project_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    run("git", "init", "--quiet", cwd=folder)
    run("git", "add", "--all", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def sdist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "build", "--sdist", "--outdir", out, cwd=checkout)
    (archive,) = out.iterdir()
    return archive


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built in a tree where an older build left its modules."""
    older = checkout / "build" / f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}" / "laizi"
    wire = checkout / "core" / WIRE
    for place in (older, wire):
        place.mkdir(parents=True)
        (place / DEBRIS).touch()
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", out, cwd=checkout)
    (archive,) = out.iterdir()
    return archive


def test_the_sdist_holds_every_source_of_the_build_and_only_project_files(sdist: Path):
    with tarfile.open(sdist) as archive:
        held = {PurePosixPath(*PurePosixPath(member.name).parts[1:]) for member in archive if member.isfile()}
    project = set(project_files())
    added = {name for name in held - project if ".egg-info" not in name.parts[0]}
    assert added == {PurePosixPath("PKG-INFO"), PurePosixPath("setup.cfg")}
    needed = {PurePosixPath(name) for name in ("LICENSE", "README.md", "pyproject.toml", "setup.py")}
    needed |= {*proto_files(), *package_files().values()}
    assert needed <= held
    assert {name.parts[0] for name in held} & {"tests", "docs", "deploy", "examples"} == set()


def test_the_wheel_holds_the_packages_and_nothing_else(wheel: Path):
    sources = package_files()
    expected = {name for name in sources if name.suffix in SHIPPED_AS_IS}
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    expected |= {name.with_suffix(suffix) for name in sources if name.suffix == ".pyx"}
    expected.add(WIRE / "__init__.py")
    for name in proto_files():
        generated = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi")
        expected |= {WIRE / (name.stem + ending) for ending in generated}

    with zipfile.ZipFile(wheel) as archive:
        held = {PurePosixPath(name) for name in archive.namelist()}
    assert {name for name in held if not name.parts[0].endswith(".dist-info")} == expected


def test_the_sdist_installs_alone_and_imports_without_grpc(sdist: Path, tmp_path: Path):
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", sdist, cwd=tmp_path)
    listed = run(python, "-m", "pip", "list", "--format=freeze", cwd=tmp_path)
    installed = {line.partition("==")[0] for line in listed.splitlines() if "==" in line}
    assert installed <= {"laizi", "pip", "setuptools"}

    modules = [".".join(name.with_suffix("").parts) for name in package_files() if name.suffix in (".py", ".pyx")]
    core = [name.removesuffix(".__init__") for name in modules if name.split(".")[0] == "laizi"]
    program = f"import importlib\nfor name in {core}: importlib.import_module(name)\nprint(len({core}))"
    assert run(python, "-I", "-c", program, cwd=tmp_path).split() == [str(len(core))]


@pytest.mark.usefixtures("sdist", "wheel")
def test_builds_leave_nothing_that_git_would_see(checkout: Path):
    assert run("git", "status", "--porcelain", "--untracked-files=all", cwd=checkout).count("??") == 0
