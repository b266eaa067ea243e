"""The acceptance vectors of mahjong in the terms of the library."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from laizi import rules
from laizi.settlement.mahjong import SeatFactors

VECTORS = Path(__file__).parent / "vectors"
PRESETS = {"M1": "honghu", "M2": "enshi"}
TYPES = {"luanjiang": "jiangyise", "gangshanghua": "gang_flower"}

Vector = dict[str, Any]


@functools.cache
def load() -> tuple[Vector, ...]:
    """All vectors of both systems."""
    return tuple(
        json.loads(line)
        for system in PRESETS
        for line in (VECTORS / f"{system}.jsonl").read_text(encoding="utf-8").splitlines()
    )


def params(*kinds: str) -> list[Any]:
    """pytest parameters for the vectors of some kinds; the id is clauses and vector: ``M1-45/M1-V039``."""
    return [
        pytest.param(vector, id=f"{','.join(vector['clauses'])}/{vector['id']}")
        for vector in load()
        if vector["kind"] in kinds
    ]


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
