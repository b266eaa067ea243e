"""The acceptance vectors of Dou Dizhu in the terms of the library."""

from __future__ import annotations

from typing import Any

from laizi import rules
from tests import vector_files
from tests.vector_files import Vector as Vector

PRESETS = {"D1": "points_rob", "D2": "four_wilds", "D3": "huanle_intro", "D4": "wuhan", "D5": "tiandi", "D6": "huanle"}


def load() -> tuple[Vector, ...]:
    """All vectors of all six systems."""
    return vector_files.load(*PRESETS)


def params(*kinds: str) -> list[Any]:
    """pytest parameters for the vectors of some kinds, named by clauses and vector."""
    return vector_files.params(load(), kinds)


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
