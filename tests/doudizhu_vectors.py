"""The acceptance vectors of Dou Dizhu in the terms of the library."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from laizi import rules

VECTORS = Path(__file__).parent / "vectors"
PRESETS = {"D1": "points_rob", "D2": "four_wilds", "D3": "huanle_intro", "D4": "wuhan", "D5": "tiandi", "D6": "huanle"}

Vector = dict[str, Any]


@functools.cache
def load() -> tuple[Vector, ...]:
    """All vectors of all six systems."""
    return tuple(
        json.loads(line)
        for system in PRESETS
        for line in (VECTORS / f"{system}.jsonl").read_text(encoding="utf-8").splitlines()
    )


def params(*kinds: str) -> list[Any]:
    """pytest parameters for the vectors of some kinds; the id is clauses and vector: ``D6-45/D6-V040``."""
    return [
        pytest.param(vector, id=f"{','.join(vector['clauses'])}/{vector['id']}")
        for vector in load()
        if vector["kind"] in kinds
    ]


def ruleset(vector: Vector) -> rules.RuleSet:
    return rules.load(vector.get("preset", PRESETS[vector["system"]]), vector.get("options", {}))


def reading(text: str) -> str:
    """A vector's reading as the library writes it: a bomb says how many cards it has."""
    kind, *rest = text.split(":")
    if kind == "bomb" and rest[1] == "1":
        rest[1] = "4"
    return ":".join([kind, *rest])


def matches(expect: dict[str, Any], found: set[str]) -> bool:
    """Do the readings found fit what a classify vector says about them?"""
    exact = expect.get("classes", expect.get("all"))
    return (
        (exact is None or found == set(map(reading, exact)))
        and found.issuperset(map(reading, expect.get("includes", ())))
        and found.isdisjoint(map(reading, expect.get("excludes", ())))
        and expect.get("legal", True) == bool(found)
    )
