"""The project speaks of itself alone, and its compiled modules are documented."""

import re

from tests.packaging.sources import ROOT, package_files, project_files

# Spelt so that this file does not match itself.
MACHINE = re.compile(
    r"(?<![\w.~-])/(?:wo[r]k|ro[o]t|home/\w+)/"  # a folder of the machine that somebody worked on
    r"|\b(?:pypi\.o[r]g|pythonhosted\.o[r]g|npmjs\.o[r]g|crates\.i[o]|proxy\.golang\.o[r]g|maven\.o[r]g|deb\.debian\.o[r]g)\b"
    r"|--(?:extra-)?index-u[r]l"
)
UNMERGED = re.compile(r"^(?:<{7}|>{7}|\|{7}) ", re.MULTILINE)


def test_no_file_names_a_machine_or_a_registry():
    found = []
    for name in project_files():
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        found += [f"{name}: {match.group()}" for match in MACHINE.finditer(text)]
        found += [f"{name}: {match.group()}" for match in UNMERGED.finditer(text)]
    assert found == []


def test_nothing_generated_is_tracked():
    assert [name for name in project_files() if name.suffix in (".c", ".so", ".pyc") or "_pb2" in name.name] == []


def test_every_package_is_typed_and_every_compiled_module_has_a_stub():
    files = package_files()
    assert {name.parts[0] for name in files if name.name == "py.typed"} == {name.parts[0] for name in files}
    assert [str(name) for name in files if name.suffix == ".pyx" and name.with_suffix(".pyi") not in files] == []
