"""The rulebook: what each clause says, in English with the Chinese terms and in Chinese.

Six texts of Dou Dizhu (``D1`` to ``D6``) and two of mahjong (``M1``, ``M2``) are its sources, and ``D6-45`` is a clause
of theirs. Where a text is open or contradicts another, the clause's note says how that is settled here. Presets may
have clauses of their own (``HZ-01``), which stand in their files.

>>> get("D6-45").en
'In wild rooms: rocket, pure wild bomb, hard bomb, soft bomb; within a tier by rank.'
>>> get("D6-46x")
Traceback (most recent call last):
    ...
laizi.errors.RulesError: clause: unknown clause 'D6-46x'; did you mean "D6-46" or "D6-49" or "D6-48"?
"""

from __future__ import annotations

import difflib
import functools
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType

from laizi.errors import ErrorReason, RulesError

KINDS = ("deck", "deal", "auction", "wild", "type", "compare", "restrict", "score", "settle", "hu", "claim", "ui")
"""What a clause may be about. ``ui`` concerns screens and accounts only, and decides nothing."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of the rulebook."""

    id: str
    """Text and number: ``D6-45``."""
    kind: str
    """One of `KINDS`."""
    en: str
    zh: str
    example: str
    """In the notation of cards or tiles, or in words; empty where none is needed."""
    note: str
    """How an open point or a contradiction is settled; empty where there is none."""


def get(clause_id: str) -> Clause:
    """A clause of the rulebook. Raises `RulesError` (UNKNOWN_CLAUSE) with the nearest ids."""
    found = rulebook().get(clause_id) if isinstance(clause_id, str) else None
    if found is None:
        near = difflib.get_close_matches(str(clause_id)[:16].upper(), list(rulebook()), n=3)
        hint = f"; did you mean {' or '.join(map(json.dumps, near))}?" if near else '; clauses are named as "D6-45"'
        message = f"unknown clause {str(clause_id)[:16]!r}{hint}"
        raise RulesError(ErrorReason.UNKNOWN_CLAUSE, message, path="clause")
    return found


@functools.cache
def rulebook() -> Mapping[str, Clause]:
    """All clauses by id, in the order of the texts."""
    out: dict[str, Clause] = {}
    folder = resources.files(__package__) / "rulebook"
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        for clause_id, fields in tomllib.loads(entry.read_text(encoding="utf-8")).items():
            out[clause_id] = Clause(clause_id, **{"example": "", "note": "", **fields})
    return MappingProxyType(out)
