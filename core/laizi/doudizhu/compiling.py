"""From a rule set to the numbers that the engine reads.

Three things are settled here and nowhere else: which rows of the table of readings may be played at all, the ladder of
the bombs, and the numbers behind the options on wilds and kickers.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Final

from laizi.doudizhu.readings import FIRST_BOMB_ROW, ROWS, PlayType, Row, Tier
from laizi.rules.doudizhu import Bomb, DoudizhuRules

__all__ = ["compiled"]

TOP: Final = {"K": 10, "A": 11, "2": 12}
_ALONE: Final = {"forbidden": 0, "natural": 1, "free": 2}
_BODY: Final = {"any": 0, "natural": 1, "forbidden": 2}


def compiled(rules: DoudizhuRules, *, last: bool, alone: str = "") -> dict[str, Any]:
    """The numbers of the rules for an ordinary play or for one that empties the hand.

    ``alone`` replaces the option ``wild.alone``; "free" lets wilds stand for anything also in a play of wilds alone.
    """
    if not alone:
        alone = rules.wild.alone
        if alone == "natural_if_last":
            alone = "natural" if last else "forbidden"
    kick = rules.kick
    on = [_may_be_played(row, rules, last, alone) for row in ROWS]
    return {
        "on": on,
        "power": list(_powers(rules.bomb)),
        "alone": _ALONE[alone],
        "body": _BODY[rules.wild.body],
        "as_joker": rules.wild.as_joker,
        "soft_quad": kick.soft_quad,
        "no_rocket": "no_rocket" in kick.strict,
        "no_equal_pairs": "no_equal_pairs" in kick.strict,
        "no_body_run": "no_body_run" in kick.strict,
        "top": TOP[rules.seq.top],
        "equal": [kick.plane_equal, kick.quad_equal],
        "body_rank": ["plane" in kick.body_rank, "quad" in kick.body_rank],
    }


def _may_be_played(row: Row, rules: DoudizhuRules, last: bool, alone: str) -> bool:
    kick, seq, bomb = rules.kick, rules.seq, rules.bomb
    fits = row.ranks <= TOP[seq.top] + 1
    match row.type:
        case PlayType.SINGLE | PlayType.PAIR:
            return row.length > 0
        case PlayType.TRIPLE:
            return rules.play.bare_triple == "any" or (last and rules.play.bare_triple == "last")
        case PlayType.TRIPLE_1:
            return "single" in kick.triple
        case PlayType.TRIPLE_2:
            return "pair" in kick.triple
        case PlayType.STRAIGHT:
            return fits and row.length >= seq.single
        case PlayType.PAIR_STRAIGHT:
            return fits and row.length >= seq.pair
        case PlayType.PLANE:
            return fits and row.length >= seq.triple
        case PlayType.PLANE_1:
            return fits and row.length >= seq.triple and "single" in kick.plane
        case PlayType.PLANE_2:
            return fits and row.length >= seq.triple and "pair" in kick.plane
        case PlayType.FOUR_2:
            return "two_cards" in kick.quad
        case PlayType.FOUR_22:
            return "two_pairs" in kick.quad
        case PlayType.CHAIN:
            return fits and bomb.chain is not None and row.length >= bomb.chain
        case PlayType.ROCKET:
            return _place(row, rules.bomb) is not None
        case PlayType.BOMB:
            if row.length > bomb.size.max or _place(row, rules.bomb) is None:
                return False
            if rules.wild.source == "none":
                return row.tier is Tier.HARD
            return (row.tier is not Tier.PURE or alone != "forbidden") and (
                row.tier is not Tier.MIXED or rules.wild.mixed_bomb
            )


def _place(row: Row, bomb: Bomb) -> int | None:
    """The index in bomb.order of the tiers that a bomb belongs to; None where they are not played."""
    place: dict[str, int] = {tier: index for index, tiers in enumerate(bomb.order) for tier in tiers}
    if row.tier is Tier.MIXED and "mixed" not in place:
        return place.get("pure")
    return place.get(row.tier or row.type)


@functools.lru_cache(maxsize=256)
def _powers(bomb: Bomb) -> tuple[int, ...]:
    """For each row a number such that adding main rank + 1 (0 without a rank) orders all bombs; 0 for other rows."""
    steps = {index: _step(row, bomb) for index, row in _bombs() if _place(row, bomb) is not None}
    ladder = {step: position for position, step in enumerate(sorted(set(steps.values())), start=1)}
    return tuple(16 * ladder[steps[index]] if index in steps else 0 for index in range(len(ROWS)))


def _bombs() -> Iterator[tuple[int, Row]]:
    return ((index, row) for index, row in enumerate(ROWS) if index >= FIRST_BOMB_ROW)


def _step(row: Row, bomb: Bomb) -> tuple[int, ...]:
    """Orders bombs by all that goes before their rank."""
    place = _place(row, bomb)
    assert place is not None
    # Inside a tier bombs compare by rank alone, unless size goes first; a longer chain is always stronger.
    within = (-place, row.length if row.type is PlayType.CHAIN else 0)
    if not bomb.size.size_first:
        return within
    if row.type is not PlayType.ROCKET:
        return (1, row.size, *within)
    if bomb.size.rocket is not None:
        return (1, bomb.size.rocket, 1)
    # The schema sees to it that the rocket's tier is then the first or the last.
    return (2 if place == 0 else 0,)
