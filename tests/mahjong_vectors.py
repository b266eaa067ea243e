"""The acceptance vectors of mahjong in the terms of the library."""

from __future__ import annotations

from typing import Any

from laizi import rules
from laizi.settlement.mahjong import SeatFactors
from tests import vector_files
from tests.vector_files import Vector as Vector

PRESETS = {"M1": "honghu", "M2": "enshi"}
TYPES = {"luanjiang": "jiangyise", "gangshanghua": "gang_flower"}


def load() -> tuple[Vector, ...]:
    """All vectors of both systems."""
    return vector_files.load(*PRESETS)


def params(*kinds: str) -> list[Any]:
    """pytest parameters for the vectors of some kinds, named by clauses and vector."""
    return vector_files.params(load(), kinds)


def ruleset(vector: Vector) -> rules.RuleSet:
    return rules.load(PRESETS[vector["system"]], vector.get("options", {}))


def types(vector: Vector) -> list[str]:
    """The hu types that a vector expects, by their names in the options."""
    return [TYPES.get(kind, kind) for kind in vector["expect"]["types"] if kind != "pihu"]


def seat_factors(seat: int, given: dict[str, Any]) -> SeatFactors:
    """What a seat laid down. A vector counts exposed kongs (``ming``) of both kinds in one; here they are added ones,
    which opened the hand as triplets."""
    exposed = given.get("ming", 0)
    return SeatFactors(
        seat,
        openings=max(given.get("opens", 0), exposed),
        bu_gangs=exposed,
        an_gangs=given.get("an", 0),
        put_downs=given.get("red", 0) + given.get("pizi", 0),
        wild_kongs=given.get("laizi", 0),
    )
