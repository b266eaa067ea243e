"""The readings of a small play, found by trying every rank for every wild and every part of the cards as the body.

Far too slow for more than a few wilds: it is what the oracle in `tests.oracle.doudizhu` is checked against.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

from laizi.rules import DoudizhuRules, RuleSet
from tests.oracle.doudizhu import NO_RANK, PLAIN, RANKS, ROCKET, Oracle, Play, Reading, X, Y

Card = tuple[int, int | None]
"""The rank for which a card stands, and for a wild the rank that is printed on it."""


def readings(ruleset: RuleSet, cards: Play, *, last: bool = False) -> set[Reading]:
    """Every reading of the cards, as `Oracle.readings` of an answer."""
    oracle = Oracle(ruleset)
    rules = oracle.rules
    found = {
        one
        for assigned in _assignments(rules, cards, last)
        for size in range(1, len(assigned) + 1)
        for body in itertools.combinations(range(len(assigned)), size)
        for one in _named(
            rules,
            [assigned[index] for index in body],
            [card for index, card in enumerate(assigned) if index not in body],
        )
    }
    if not any(cards.naturals) and sum(map(bool, cards.wilds)) > 1 and rules.wild.mixed_bomb:
        found.add(Reading("bomb", NO_RANK, len(cards), "mixed"))
    return {one for one in found if oracle.played(one, last)}


def _assignments(rules: DoudizhuRules, cards: Play, last: bool) -> Iterator[list[Card]]:
    naturals: list[Card] = [(rank, None) for rank in range(15) for _ in range(cards.naturals[rank])]
    if not naturals:
        if rules.wild.alone == "natural" or (rules.wild.alone == "natural_if_last" and last):
            yield [(rank, rank) for rank in range(15) for _ in range(cards.wilds[rank])]
        return
    anything = range(15) if rules.wild.as_joker else PLAIN
    choices = [
        itertools.combinations_with_replacement(sorted({*anything, printed}), cards.wilds[printed])
        for printed in range(15)
    ]
    for chosen in itertools.product(*choices):
        yield naturals + [(rank, printed) for printed, ranks in enumerate(chosen) for rank in ranks]


def _named(rules: DoudizhuRules, body: list[Card], kickers: list[Card]) -> Iterator[Reading]:
    ranks = sorted({rank for rank, _ in body})
    copies = set(Counter(rank for rank, _ in body).values())
    if len(copies) > 1 or ranks[-1] - ranks[0] != len(ranks) - 1:
        return
    each, units, main = copies.pop(), len(ranks), ranks[-1]
    wilds = [(rank, printed) for rank, printed in body if printed is not None]
    if main >= X:
        if not kickers and each == 1 and units == 1:
            yield Reading("single", main, 1)
        elif not kickers and ranks == [X, Y] and each == 1:
            yield ROCKET
        return
    if units > 1 and main > RANKS.index(rules.seq.top):
        return
    if len(wilds) == len(body) and any(printed is None for _, printed in kickers):
        if rules.wild.body == "forbidden":
            return
        if rules.wild.body == "natural" and any(rank != printed for rank, printed in wilds):
            return
    if not kickers:
        yield from _bare(rules, each, units, main, len(wilds))
    elif each in (3, 4) and (units == 1 or (each == 3 and units >= rules.seq.triple)):
        yield from _carrying(rules, each, ranks, len(wilds), [rank for rank, _ in kickers])


def _bare(rules: DoudizhuRules, each: int, units: int, main: int, wilds: int) -> Iterator[Reading]:
    if units == 1:
        if each <= 3:
            yield Reading(("single", "pair", "triple")[each - 1], main, 1)
        else:
            yield Reading("bomb", main, each, "hard" if wilds == 0 else "pure" if wilds == each else "soft")
    elif each == 1 and units >= rules.seq.single:
        yield Reading("straight", main, units)
    elif each == 2 and units >= rules.seq.pair:
        yield Reading("pair_straight", main, units)
    elif each == 3 and units >= rules.seq.triple:
        yield Reading("plane", main, units)
    elif each == 4 and rules.bomb.chain is not None and units >= rules.bomb.chain:
        yield Reading("chain", main, units, "chain")


def _carrying(rules: DoudizhuRules, each: int, ranks: list[int], wilds: int, kickers: list[int]) -> Iterator[Reading]:
    kick, main, units = rules.kick, ranks[-1], len(ranks)
    if each == 4 and wilds and not kick.soft_quad:
        return
    if set(kickers) & set(ranks) and ("quad" if each == 4 else "plane") not in kick.body_rank:
        return
    wanted = 2 if each == 4 else units
    equal = Counter(kickers)
    if len(kickers) == wanted:
        if max(equal.values()) > (kick.quad_equal if each == 4 else kick.plane_equal):
            return
        if equal[X] > 1 or equal[Y] > 1:
            return
        if equal[X] and equal[Y] and "no_rocket" in kick.strict:
            return
        if each == 3 and units > 1 and "no_body_run" in kick.strict:
            longer = {ranks[0] - 1, main + 1} & set(range(RANKS.index(rules.seq.top) + 1))
            if any(equal[rank] >= 3 for rank in longer):
                return
        yield Reading("four_2" if each == 4 else "triple_1" if units == 1 else "plane_1", main, units)
    elif len(kickers) == 2 * wanted and all(count % 2 == 0 for count in equal.values()) and max(kickers) < X:
        if "no_equal_pairs" in kick.strict and max(equal.values()) > 2:
            return
        yield Reading("four_22" if each == 4 else "triple_2" if units == 1 else "plane_2", main, units)
