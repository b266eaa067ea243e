"""The acceptance vectors as they are handed: one JSON object a line, one file a system."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

VECTORS = Path(__file__).parent / "vectors"

Vector = dict[str, Any]


@functools.cache
def load(*systems: str) -> tuple[Vector, ...]:
    """All vectors of some systems, such as ``D1``."""
    return tuple(
        json.loads(line)
        for system in systems
        for line in (VECTORS / f"{system}.jsonl").read_text(encoding="utf-8").splitlines()
    )


def params(vectors: tuple[Vector, ...], kinds: tuple[str, ...]) -> list[Any]:
    """pytest parameters for the vectors of some kinds; the id is clauses and vector: ``D6-45/D6-V040``."""
    return [
        pytest.param(vector, id=f"{','.join(vector['clauses'])}/{vector['id']}")
        for vector in vectors
        if vector["kind"] in kinds
    ]
