"""Writes the pages of this folder from the rulebook, the option schema, the presets and the collected tests.

``make docs`` runs it. A test fails when a page is stale, or when a clause that decides something has no test.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from laizi import clauses, rules
from laizi.clauses import Clause

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
TITLES = {
    "D1": "Points, then robbing (叫分抢地主)",
    "D2": "Two chosen wilds, and the wild room (自选双癞子与癞子场)",
    "D3": "The wild room in short (癞子入门)",
    "D4": "Wuhan (武汉赖子)",
    "D5": "Heaven and earth wilds (天地癞子)",
    "D6": "The happy wild room (欢乐癞子场)",
    "M1": "Honghu (洪湖红中癞子杠)",
    "M2": "Enshi (恩施一痞二癞)",
}
GAMES: Mapping[rules.Game, str] = {"doudizhu": "Dou Dizhu (斗地主)", "mahjong": "mahjong (麻将)"}
_CLAUSE = re.compile(r"\b[DM]\d-\d\d\b")
_WRITTEN = "This page is written by `make docs`.\n"


def pages(tests: Mapping[str, list[str]]) -> dict[str, str]:
    """Every page by its file name. ``tests`` maps clause ids to the test functions that show them."""
    out = {"README.md": _index(), "coverage.md": _coverage(tests)}
    for text in TITLES:
        out[f"{text}.md"] = _clauses_of(text)
    for game in GAMES:
        out[f"options-{game}.md"] = _options(game)
    return out


@functools.cache
def collected_cases() -> tuple[str, ...]:
    """Every test case that pytest collects, as it names them: ``tests/game/test_auction.py::test_vector[D1-07/…]``."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-p", "no:cacheprovider", "tests"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode:
        raise RuntimeError(f"pytest cannot collect the tests:\n{(listing.stdout + listing.stderr)[-2000:]}")
    return tuple(line for line in listing.stdout.splitlines() if "::" in line)


def collected_tests() -> dict[str, list[str]]:
    """Clause id → the test functions with that id in the name of one of their cases."""
    found: dict[str, set[str]] = defaultdict(set)
    for case in collected_cases():
        function, _, name = case.partition("[")
        for clause in _CLAUSE.findall(name):
            found[clause].add(function)
    return {clause: sorted(functions) for clause, functions in found.items()}


def untested(tests: Mapping[str, list[str]]) -> list[str]:
    """The clauses that decide something and that no test shows."""
    return [clause.id for clause in clauses.rulebook().values() if clause.kind != "ui" and clause.id not in tests]


def _index() -> str:
    lines = [
        "# The rulebook",
        "",
        _WRITTEN,
        "Two games are played by many rules. Eight texts, six of Dou Dizhu and two of mahjong, are taken apart here",
        f"into {len(clauses.rulebook())} clauses. A clause that decides something is run by a test of its name",
        "([coverage](coverage.md)), and every answer of library and service names the clauses that decided it.",
        "",
        "| text | clauses | presets |",
        "|---|---|---|",
    ]
    for text, title in TITLES.items():
        of_text = [clause for clause in clauses.rulebook() if clause.startswith(text)]
        presets = sorted({name for clause in of_text for name in rules.citing(clause)})
        lines.append(f"| [{text}]({text}.md) {title} | {len(of_text)} | {_names(presets)} |")
    lines += [
        "",
        "What a rule set may say: [options of Dou Dizhu](options-doudizhu.md),",
        "[options of mahjong](options-mahjong.md).",
        "",
        "A digest stands for the value of every option: it changes when, and only when, a preset's rules do.",
        "",
        "| preset | game | English | 中文 | digest | clauses of its own |",
        "|---|---|---|---|---|---|",
    ]
    for name in rules.presets():
        preset = rules.load(name)
        own = "<br>".join(f"{clause}: {text}" for clause, text in preset.clauses.items())
        names = f"{preset.title['en']} | {preset.title['zh']}"
        lines.append(f"| `{name}` | {preset.game} | {names} | `{preset.digest}` | {own} |")
    return "\n".join(lines) + "\n"


def _clauses_of(text: str) -> str:
    lines = [f"# {text}: {TITLES[text]}", "", _WRITTEN]
    for clause in clauses.rulebook().values():
        if clause.id.startswith(text):
            lines += _clause(clause)
    return "\n".join(lines) + "\n"


def _clause(clause: Clause) -> Iterable[str]:
    yield f"## {clause.id}"
    yield ""
    yield f"*{clause.kind}.* {clause.en}  "
    yield clause.zh
    yield ""
    if clause.example:
        yield f"Example: {clause.example}"
        yield ""
    if clause.note:
        yield f"Settled here: {clause.note}"
        yield ""
    touched = sorted({name for names in rules.citing(clause.id).values() for name in names})
    if touched:
        yield f"Behind: {_names(touched)}"
        yield ""


def _options(game: rules.Game) -> str:
    presets = [rules.load(name) for name in rules.presets(game)]
    lines = [
        f"# Options of {GAMES[game]}",
        "",
        _WRITTEN,
        "A rule set says these by their dotted names; what it leaves out has the default.",
        "",
        "| option | meaning | values | default |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| `{option.name}` | {option.doc} | {_cell(option.values)} | {_value(option.default)} |"
        for option in rules.options(game)
    ]
    lines += [
        "",
        "## Presets",
        "",
        "Only options on which the presets differ; an empty cell is an option of a group that is off.",
        "",
        f"| option | {' | '.join(preset.name for preset in presets)} |",
        f"|---|{'---|' * len(presets)}",
    ]
    values = [preset.options() for preset in presets]
    for option in rules.options(game):
        row = [_value(value[option.name]) if option.name in value else "" for value in values]
        if len(set(row)) > 1:
            lines.append(f"| `{option.name}` | {' | '.join(row)} |")
    lines += [
        "",
        "## Decisions",
        "",
        "What `[sources]` may name beside options.",
        "",
        "| decision | meaning |",
        "|---|---|",
    ]
    lines += [f"| `{name}` | {meaning} |" for name, meaning in rules.decisions(game).items()]
    return "\n".join(lines) + "\n"


def _coverage(tests: Mapping[str, list[str]]) -> str:
    lines = [
        "# Clauses, tests, options",
        "",
        _WRITTEN,
        "Each clause that decides something, the tests with a case of its name, and what the presets let it decide.",
        "",
        "| clause | kind | tests | options and decisions |",
        "|---|---|---|---|",
    ]
    for clause in clauses.rulebook().values():
        if clause.kind == "ui":
            continue
        touched = sorted({name for names in rules.citing(clause.id).values() for name in names})
        functions = "<br>".join(f"`{function.removeprefix('tests/')}`" for function in tests.get(clause.id, []))
        link = f"[{clause.id}]({clause.id[:2]}.md#{clause.id.lower()})"
        lines.append(f"| {link} | {clause.kind} | {functions or 'none'} | {_names(touched)} |")
    lines += [
        "",
        "## Screens and accounts only",
        "",
        "These clauses decide nothing that a rule engine answers.",
        "",
    ]
    lines += [f"* {clause.id}: {clause.en}" for clause in clauses.rulebook().values() if clause.kind == "ui"]
    return "\n".join(lines) + "\n"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_value(entry) for entry in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_value(entry)}" for key, entry in value.items()) + "}"
    return str(value)


def main() -> None:
    """Writes the pages."""
    tests = collected_tests()
    for name, text in pages(tests).items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    missing = untested(tests)
    if missing:
        sys.exit(f"no test shows {', '.join(missing)}")


if __name__ == "__main__":
    main()
