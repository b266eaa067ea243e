"""Every clause that decides something has a test, every handed vector is run, and the rulebook's pages are fresh."""

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = ROOT / "docs" / "rulebook"


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_rulebook", PAGES / "generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = _generator()


@pytest.fixture(scope="module")
def collected() -> dict[str, list[str]]:
    found: dict[str, list[str]] = generate.collected_tests()
    return found


def test_every_clause_that_decides_something_has_a_test(collected: dict[str, list[str]]) -> None:
    assert generate.untested(collected) == []


def test_every_handed_vector_is_run() -> None:
    listing = {vector for line in generate.collected_cases() for vector in re.findall(r"\b[DM]\d-V\d+\b", line)}
    handed = {
        json.loads(line)["id"]
        for file in (ROOT / "tests" / "vectors").glob("[DM]?.jsonl")
        for line in file.read_text(encoding="utf-8").splitlines()
    }
    assert handed - listing == set()


def _tests_on_the_page() -> dict[str, list[str]]:
    """Clause id → the test functions that the coverage page lists."""
    found = {}
    for line in (PAGES / "coverage.md").read_text(encoding="utf-8").splitlines():
        row = re.match(r"\| \[([DM]\d-\d\d)\]", line)
        if row:
            found[row[1]] = [f"tests/{name}" for name in re.findall(r"`([^` ]+::[^` ]+)`", line)]
    return found


def test_the_pages_are_fresh(collected: dict[str, list[str]]) -> None:
    # A page may lack a test that is new; one that it lists must still be there.
    listed = _tests_on_the_page()
    stale = [
        name
        for name, text in generate.pages(listed).items()
        if not (PAGES / name).is_file() or (PAGES / name).read_text(encoding="utf-8") != text
    ]
    assert not stale, "run make docs"
    gone = {clause: set(names) - set(collected.get(clause, [])) for clause, names in listed.items()}
    assert not {clause: names for clause, names in gone.items() if names}, "run make docs"
    assert all(listed.values()), "run make docs"
