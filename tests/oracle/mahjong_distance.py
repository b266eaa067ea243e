"""How far a mahjong hand is from a win, by the definition: the fewest tiles to exchange.

An exchange gives one tile away and takes any tile of the set of which the player does not hold four, wild tiles too.
Shanten is the fewest exchanges that lead to a hand with a reading, less one. `exchanges` compares with every winning
hand there is, for small tile sets; `distance` walks over all faces, and a test proves both equal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.oracle.mahjong import COPIES, HONOUR, JIANG, SUITS, Hand, run_faces, tile_set

NEVER = 127
"""No exchange of tiles leads to a win."""
Rows = npt.NDArray[np.int64]
"""Hands, one a row of 34 counts."""

Goal = tuple[int, int]
"""Of a way to win: how many held naturals serve, and how many places only wilds can take."""


# ---------------------------------------------------------------------------------------------------------------------
# The definition.


def all_hands(tiles: Iterable[int], size: int) -> Iterator[tuple[int, ...]]:
    """Every hand of a size from some kinds of tiles, as 34 counts."""
    kinds = sorted(tiles)

    def fill(index: int, left: int, counts: list[int]) -> Iterator[tuple[int, ...]]:
        if index == len(kinds):
            if left == 0:
                yield tuple(counts)
            return
        for count in range(min(COPIES, left) + 1):
            counts[kinds[index]] = count
            yield from fill(index + 1, left - count, counts)
        counts[kinds[index]] = 0

    yield from fill(0, size, [0] * 34)


def exchanges(hands: Rows, wins: Rows) -> npt.NDArray[np.int64]:
    """For each hand, the fewest tiles that it lacks of one of the winning hands; `NEVER` where there is none."""
    fewest = np.full(len(hands), NEVER)
    for win in wins:
        np.minimum(fewest, np.maximum(win - hands, 0).sum(axis=1), out=fewest)
    return fewest


# ---------------------------------------------------------------------------------------------------------------------
# All goals at once.


def distance(hand: Hand, pair_258: bool = False) -> int:
    """Fewest exchanges to a win, for rules without stand-ins and without bans on what wilds stand for."""
    rules = hand.rules
    assert not rules.wild.stand_in
    assert rules.wild.pair == "any"
    assert rules.wild.meld == "any"
    assert rules.wild.stands_for == "any"
    size = hand.size + (hand.size % 3 == 1)
    opened = tuple(sum(meld.tiles.count(tile) for meld in hand.melds) for tile in range(34))
    open_tiles = [tile for tile in range(34) if opened[tile]]
    every = tile_set(rules) | hand.wilds
    shapes = rules.hu.shapes
    goals: set[Goal] = set()
    if "standard" in shapes:
        pairs = every & JIANG if pair_258 else every
        goals |= _goals(hand, "standard", every, opened, (size - 2) // 3, pairs)
    if size == 14 and not hand.melds and shapes & {"seven_pairs", "dragon_seven"}:
        assert "seven_pairs" in shapes or rules.hu.dragon_by_wild
        mode = "pairs" if "seven_pairs" in shapes else "dragon"
        goals |= _goals(hand, mode, every, opened, 7)
    if "free_wind" in shapes and min(open_tiles, default=HONOUR) >= HONOUR:
        goals |= _goals(hand, "free", every & frozenset(SUITS[3]), opened, size)
    if "free_jiang" in shapes and JIANG.issuperset(open_tiles):
        goals |= _goals(hand, "free", every & JIANG, opened, size)
    # Wild tiles in the whole set that are not in the open melds: a goal may draw that many in all.
    supply = sum(COPIES - opened[tile] for tile in hand.wilds)
    held = hand.wild_count
    return min(
        (size - naturals - min(held, size - naturals) for naturals, only_wilds in goals if only_wilds <= supply),
        default=NEVER,
    )


def _goals(
    hand: Hand,
    mode: str,
    places: frozenset[int],
    opened: tuple[int, ...],
    groups: int,
    pairs: frozenset[int] = frozenset(),
) -> set[Goal]:
    """What the winning hands of one shape take from this hand."""
    states: dict[Any, set[Goal]] = {(0, False, False): {(0, 0)}}
    for tiles in SUITS:
        suit = _suit_goals(
            mode,
            tuple(hand.concealed[tile] for tile in tiles),
            tuple(opened[tile] for tile in tiles),
            frozenset(tile - tiles[0] for tile in hand.wilds if tile in tiles),
            frozenset(tile - tiles[0] for tile in places if tile in tiles),
            frozenset(tile - tiles[0] for tile in pairs if tile in tiles),
            tuple(tuple(tile - tiles[0] for tile in run) for run in run_faces(hand.rules) if run[0] in tiles),
            groups,
            hand.rules.wild.fifth_copy,
        )
        after: dict[Any, set[Goal]] = {}
        for (done, pair, four), values in states.items():
            for (more, new_pair, new_four), new_values in suit:
                if done + more <= groups and not (pair and new_pair):
                    here = after.setdefault((done + more, pair or new_pair, four or new_four), set())
                    here.update((naturals + a, wilds + b) for naturals, wilds in values for a, b in new_values)
        states = {key: _best(values) for key, values in after.items()}
    return {
        (naturals, wilds)
        for (done, pair, four), values in states.items()
        if done == groups and (pair or mode != "standard") and (four or mode != "dragon")
        for naturals, wilds in values
    }


def _best(values: set[Goal]) -> set[Goal]:
    """The goals that no other one beats: more held naturals serve, and fewer places are left to wilds alone."""
    return {
        value
        for value in values
        if not any(other != value and other[0] >= value[0] and other[1] <= value[1] for other in values)
    }


@lru_cache(maxsize=100_000)
def _suit_goals(
    mode: str,
    held: tuple[int, ...],
    opened: tuple[int, ...],
    wild_places: frozenset[int],
    places: frozenset[int],
    pairs: frozenset[int],
    runs: tuple[tuple[int, ...], ...],
    groups: int,
    fifth_copy: bool,
) -> tuple[tuple[Any, tuple[Goal, ...]], ...]:
    """((groups, pair, four) → (held naturals that serve, places for wilds alone)) of one suit."""
    states: dict[Any, set[Goal]] = {(0, False, False, ()): {(0, 0)}}
    for place in range(len(held)):
        after: dict[Any, set[Goal]] = {}
        starting = [run for run in runs if run[0] == place]
        for (done, pair, four, begun), values in states.items():
            waiting = [run for run in begun if run[0] == place]
            passing = [run for run in begun if run[0] != place] + [run[1:] for run in waiting if len(run) > 1]
            for more, new_pair, new_runs, size in _sizes(mode, groups - done, pair, len(waiting), starting):
                if (size and place not in places) or (new_pair and place not in pairs):
                    continue
                if not fifth_copy and size + opened[place] > COPIES:
                    continue
                natural = 0 if place in wild_places else held[place]
                drawable = 0 if place in wild_places else COPIES - opened[place]
                serve, alone = min(natural, size), max(0, size - drawable)
                key = (
                    done + more,
                    pair or new_pair,
                    four or (mode == "dragon" and size >= 4),
                    tuple(sorted(passing + [run[1:] for run in new_runs])),
                )
                after.setdefault(key, set()).update((naturals + serve, wilds + alone) for naturals, wilds in values)
        states = {key: _best(values) for key, values in after.items()}
    return tuple(
        ((done, pair, four), tuple(values)) for (done, pair, four, begun), values in states.items() if not begun
    )


def _sizes(mode: str, room: int, pair: bool, waiting: int, starting: Any) -> Iterator[Any]:
    """(groups, pair, runs begun, tiles) that one face may hold in a winning hand."""
    if mode in ("pairs", "dragon"):
        for pairs in range(room + 1):
            yield pairs, False, (), 2 * pairs
        return
    if mode == "free":
        for size in range(room + 1):
            yield size, False, (), size
        return
    for new_pair in (False, True) if not pair else (False,):
        for triplets in range(room + 1):
            for count in range(room - triplets + 1 if starting else 1):
                for new_runs in itertools.combinations_with_replacement(starting, count):
                    yield triplets + count, new_pair, new_runs, waiting + 3 * triplets + 2 * new_pair + count
