"""Whether one pack of 54 cards makes a list of bombs, by trying every way to take their cards out of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Bombs = Sequence[tuple[str, int]]
RANKS = "3456789TJQKA2"


def makes(options: Mapping[str, Any], bombs: Bombs) -> bool:
    """Whether some choice of the wilds leaves cards for all bombs, given by tier and number of cards."""
    return any(_takes(*pack, list(bombs)) for pack in _packs(options))


def _packs(options: Mapping[str, Any]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
    """Naturals of each rank, wilds of each kind of wild, natural jokers. All wild ranks are alike: the first serve."""
    if options["wild.source"] == "chosen_cards":
        for choice in options["wild.choices"]:
            naturals = [4 - sum(card[0] == rank for card in choice) for rank in RANKS]
            kinds = [sum(card[0] == kind for card in choice) for kind in sorted({card[0] for card in choice})]
            yield tuple(naturals), tuple(kinds), 2 - sum(card[0] in "XY" for card in choice)
        return
    ranks = {"none": 0, "two_random_ranks": 2}.get(options["wild.source"], 1)
    yield (0,) * ranks + (4,) * (13 - ranks), (4,) * ranks, 2


def _takes(naturals: tuple[int, ...], wilds: tuple[int, ...], jokers: int, bombs: list[tuple[str, int]]) -> bool:
    if not bombs:
        return True
    (tier, cards), *rest = bombs
    if tier == "rocket":
        # Two jokers, natural or wild.
        lacking = 2 - jokers
        return sum(wilds) >= lacking and any(_takes(naturals, left, 0, rest) for left in _without(wilds, lacking))
    if tier in ("pure", "mixed"):
        return any(
            _takes(naturals, left, jokers, rest)
            for left in _without(wilds, cards)
            if tier == "pure" or sum(a != b for a, b in zip(wilds, left, strict=True)) > 1
        )
    if tier == "chain":
        return any(
            _takes(
                naturals[:at] + tuple(0 for _ in range(cards // 4)) + naturals[at + cards // 4 :], wilds, jokers, rest
            )
            for at in range(13 - cards // 4 + 1)
            if set(naturals[at : at + cards // 4]) == {4}
        )
    tried = set()
    for rank, held in enumerate(naturals):
        for used in range(1, min(held, cards) + 1) if tier == "soft" else [4] if held == 4 else []:
            # Ranks that hold as many cards are alike.
            if (tier == "soft" and used == cards) or (held, used) in tried:
                continue
            tried.add((held, used))
            fewer = (*naturals[:rank], held - used, *naturals[rank + 1 :])
            if any(_takes(fewer, left, jokers, rest) for left in _without(wilds, cards - used)):
                return True
    return False


def _without(wilds: tuple[int, ...], count: int) -> Iterator[tuple[int, ...]]:
    """Every way to take so many wilds of their kinds."""
    for taken in itertools.product(*(range(held + 1) for held in wilds)):
        if sum(taken) == count:
            yield tuple(held - one for held, one in zip(wilds, taken, strict=True))
