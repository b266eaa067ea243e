"""Which bombs of Dou Dizhu one pack can make together."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from laizi.rules import DoudizhuRules

__all__ = ["first_impossible"]

Bombs = Sequence[tuple[str, int]]
"""Tier and number of cards of each."""

_JOKERS = "XY"
_FOUR = 4
_RANKS = 13
_WILD_RANKS = {"none": 0, "random_rank": 1, "indicator_next": 1, "two_random_ranks": 2}


@dataclass(frozen=True, slots=True)
class _Pack:
    """What is left of a pack when its wilds are known."""

    wilds: int
    fours: int
    """Ranks of which all four cards are natural."""
    rest: tuple[int, ...] = ()
    """Natural cards of each rank of which some cards are wild."""
    wild_jokers: int = 0
    wild_ranks: int = 0
    """Ranks whose four cards are wild."""


def first_impossible(rules: DoudizhuRules, bombs: Bombs) -> int | None:
    """Return the place of the first bomb that no pack makes beside those before it; None where one pack makes all.

    Each bomb by itself is one of the rules, with a number of cards that they allow. Where a chain lies is not looked
    at: its fours count as bombs that wilds may fill.
    """
    packs = _packs(rules)
    if any(_makes(pack, bombs) for pack in packs):
        return None
    return next(index for index in range(len(bombs)) if not any(_makes(pack, bombs[: index + 1]) for pack in packs))


def _packs(rules: DoudizhuRules) -> list[_Pack]:
    if rules.wild.source != "chosen_cards":
        ranks = _WILD_RANKS[rules.wild.source]
        return [_Pack(wilds=_FOUR * ranks, fours=_RANKS - ranks, wild_ranks=ranks)]
    return [_chosen(frozenset(choice)) for choice in rules.wild.choices]


def _chosen(choice: frozenset[str]) -> _Pack:
    taken = Counter(name[0] for name in choice if name not in _JOKERS)
    rest = tuple(_FOUR - count for count in taken.values() if count < _FOUR)
    return _Pack(
        wilds=len(choice),
        fours=_RANKS - len(taken),
        rest=rest,
        wild_jokers=sum(name in _JOKERS for name in choice),
        wild_ranks=len(taken) - len(rest),
    )


def _makes(pack: _Pack, bombs: Bombs) -> bool:
    sizes = {tier: [size for name, size in bombs if name == tier] for tier in ("pure", "mixed", "soft", "chain")}
    if sizes["mixed"] and pack.wild_ranks < 2:
        return False
    tiers = [tier for tier, _ in bombs]
    wilds = pack.wilds - sum(sizes["pure"] + sizes["mixed"]) - (pack.wild_jokers if "rocket" in tiers else 0)
    fours = pack.fours - tiers.count("hard")
    if wilds < 0 or fours < 0:
        return False
    soft = Counter(min(size - 1, _FOUR) for size in sizes["soft"])
    links = sum(sizes["chain"]) // _FOUR
    naturals = _most_naturals((*(_FOUR,) * fours, *pack.rest), soft[_FOUR], soft[_FOUR - 1], links)
    return naturals is not None and sum(sizes["soft"]) + _FOUR * links - naturals <= wilds


@functools.lru_cache(maxsize=4096)
def _most_naturals(ranks: tuple[int, ...], large: int, small: int, links: int) -> int | None:
    """Return how many natural cards soft bombs and links of chains can use; None where the ranks are too few.

    ``ranks`` has the natural cards of each. A large soft bomb takes 1 to 4 of one rank, a small one 1 to 3, a link of a
    chain any number.
    """
    if large + small == 0:
        return sum(sorted(ranks, reverse=True)[:links])
    if not ranks:
        return None
    held, others = ranks[0], ranks[1:]
    found = []
    for larges in range(min(large, held) + 1):
        for smalls in range(min(small, held - larges) + 1):
            for link in range(min(links, 1) + 1):
                rest = _most_naturals(others, large - larges, small - smalls, links - link)
                if rest is not None:
                    room = _FOUR * (larges + link) + (_FOUR - 1) * smalls
                    found.append(rest + min(held, room))
    return max(found, default=None)
