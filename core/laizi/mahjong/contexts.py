"""What the columns of wins are judged by: the verdicts of every code in one context, and what one packed meld says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from laizi.errors import ErrorReason, HuRefusal, LaiziError
from laizi.mahjong.answers import HuType, Meld, MeldKind, WinMode
from laizi.mahjong.hands import TileUse
from laizi.mahjong.verdicts import CODE_SHAPES, Circumstances, Verdict, claims_of
from laizi.rules.mahjong import MahjongRules
from laizi.tiles import Tiles

__all__ = ["circumstances_of", "context_of", "context_rows", "packed_meld", "points_scale"]

Judge = Callable[[int, bool, Circumstances], Verdict]
ContextRow = tuple[int, bool, int, int, int, bool, bool, int | None]
"""Code, hard, rank, points × scale, types as bits, then whether a 2-5-8 pair is missing, whether a soft small win needs
a self-draw, and most wilds."""
PackedMeld = tuple[tuple[int, ...], int, int, bool, bool, bool, bool, bool]
"""Faces, suits, content, a face other than 2, 5, 8; opens, ends 门清, claimed, a kong."""

_MODES = (WinMode.ZIMO, WinMode.DISCARD, WinMode.ROB_KONG)
_MOST_POINTS = 2**31 - 1
_JIANG, _TRIPLETS, _PAIR_258 = 32, 64, 128


def points_scale(rules: MahjongRules) -> int:
    """The least number that makes every possible number of points whole."""
    types = [getattr(rules.hu.types, hu_type.value, None) for hu_type in HuType]
    situations = [getattr(rules.hu.situational, hu_type.value, None) for hu_type in HuType]
    small, big = rules.score.small, rules.score.big
    bases = [small.base, small.zimo_base or Fraction(0), big.base, *(one.base for one in types if one is not None)]
    scale = math.lcm(*(base.denominator for base in bases))
    scale *= math.lcm(small.zimo.denominator, big.zimo.denominator) * rules.score.hard.denominator
    for situation in situations:
        scale *= situation.factor.denominator if situation is not None and situation.counts_as == "factor" else 1
    return scale


def context_of(at: Circumstances) -> int:
    """The number of the context of circumstances.

    Its bits are, from the lowest: won on a discard, by robbing, on a kong's replacement, among the last tiles; all
    claimed, two concealed tiles, unclaimed, put down (see `Circumstances`).
    """
    return (
        _MODES.index(at.mode)
        | at.gang_flower << 2
        | at.haidi << 3
        | at.all_claimed << 4
        | at.two_concealed << 5
        | at.unclaimed << 6
        | at.put_down << 7
    )


def circumstances_of(context: int) -> Circumstances:
    """The circumstances that have the context of a number."""
    return Circumstances(
        mode=_MODES[context & 3],
        gang_flower=bool(context & 4),
        haidi=bool(context & 8),
        all_claimed=bool(context & 16),
        two_concealed=bool(context & 32),
        unclaimed=bool(context & 64),
        put_down=bool(context & 128),
    )


def context_rows(judge: Judge, scale: int, index: int) -> tuple[list[ContextRow], bool]:
    """The verdicts of every code, soft and hard, in the context of a number; and whether the context is rising."""
    at = circumstances_of(index)
    verdicts = {(code, hard): judge(code, hard, at) for code in _codes() for hard in (False, True)}
    orders = sorted({verdict.order() for verdict in verdicts.values()})
    rank = {order: place for place, order in enumerate(orders)}
    rows = [
        (
            code,
            hard,
            rank[verdict.order()],
            min(int(verdict.points * scale), _MOST_POINTS),
            sum(1 << place for place, hu_type in enumerate(HuType) if hu_type in verdict.types),
            HuRefusal.PAIR_NOT_258 in verdict.refusals,
            HuRefusal.SOFT_SMALL_NEEDS_SELF_DRAW in verdict.refusals,
            verdict.limit,
        )
        for (code, hard), verdict in verdicts.items()
    ]
    rising = all(_no_worse(verdicts[more], verdicts[less]) for less in verdicts for more in _more(*less))
    return rows, rising


def _codes() -> Iterator[int]:
    """Every code that a reading can have."""
    for suits in (0, 8, 16):
        for jiang in (0, _JIANG):
            for shape in range(1, len(CODE_SHAPES)):
                yield shape | suits | jiang
        for triplets in (0, _TRIPLETS):
            for pair in (0, _PAIR_258):
                yield suits | triplets | pair
        yield suits | _JIANG | _TRIPLETS | _PAIR_258


def _more(code: int, hard: bool) -> Iterator[tuple[int, bool]]:
    """The codes with one thing more than this one."""
    if not hard:
        yield code, True
    if not code & 24:
        yield code | 8, hard
        yield code | 16, hard
    if code & 7:
        if not code & _JIANG:
            yield code | _JIANG, hard
        if code & 7 == 1:
            yield code + 1, hard
        return
    for bit in (_TRIPLETS, _PAIR_258):
        if not code & bit:
            yield code | bit, hard
    if not code & _JIANG and code & _TRIPLETS and code & _PAIR_258:
        yield code | _JIANG, hard


def _no_worse(more: Verdict, less: Verdict) -> bool:
    return (
        more.order() >= less.order()
        and more.refusals <= less.refusals
        and (more.limit is None or (less.limit is not None and more.limit >= less.limit))
    )


def packed_meld(use: TileUse, code: int) -> PackedMeld | int:
    """What the byte 1 + 34 × kind + lowest tile says, or the number of the ErrorReason against it."""
    kinds, rules = tuple(MeldKind), use.rules
    kind, low = (code - 1) // 34, (code - 1) % 34
    if kind >= len(kinds):
        return ErrorReason.MALFORMED_MELD.number
    steps = (0, 1, 2) if kinds[kind] is MeldKind.CHI else (0,) * (3 if kinds[kind] is MeldKind.PENG else 4)
    if low + steps[-1] >= 34:
        return ErrorReason.MALFORMED_MELD.number
    meld = Meld(kinds[kind], Tiles.from_indices(low + step for step in steps))
    try:
        ways = use.meld_ways(meld, "melds")
    except LaiziError as error:
        return error.reason.number
    # Tiles lie there by their own faces; a wild that fills a gap cannot be told so.
    way = next((way for way in ways if way.melds[0] == tuple(meld.tiles)), None)
    if way is None:
        return ErrorReason.MALFORMED_MELD.number
    _, suits, content, others, _ = way.for_solver()
    claims = claims_of(meld.kind)
    return (
        way.melds[0],
        suits,
        content,
        others,
        bool(claims & rules.hu.open_by),
        bool(claims & rules.hu.menqing_broken_by),
        bool(claims),
        meld.kind not in (MeldKind.CHI, MeldKind.PENG),
    )
