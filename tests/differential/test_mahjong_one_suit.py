"""Every hand of one suit: the 405,350 ways to hold up to 14 of its tiles, with every number of wilds from 0 to 8.

The right answers come from no search but from sets of hands as arrays with one axis a tile: all that melds and pairs
are made of, all that is left of it when wilds take places, and the most of a hand that serves.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from laizi import mahjong, rules

TILES, COPIES, MOST, MELDS, WILDS = 9, 4, 14, 5, 8
SHAPE = (COPIES + 1,) * TILES
Hands = npt.NDArray[np.bool_]
"""A set of hands of one suit: true at the counts of each."""
Part = tuple[int, ...]

DIGEST = "0d7c529b888f92cdd8816e78217b6ca049acb5280485592480e5bc5d8a0a95d4"
"""Of all answers to all questions, in the order asked."""


def parts(of: str) -> list[Part]:
    """The tiles of each ``meld``, or of each ``pair`` or ``pair_258``, as counts."""
    groups: list[tuple[int, ...]] = []
    if of == "meld":
        groups += [(tile,) * 3 for tile in range(TILES)]
        groups += [(tile, tile + 1, tile + 2) for tile in range(TILES - 2)]
    else:
        groups += [(tile, tile) for tile in ((1, 4, 7) if of == "pair_258" else range(TILES))]
    return [tuple(group.count(tile) for tile in range(TILES)) for group in groups]


def less(whole: list[Part]) -> list[Part]:
    """The groups with any of their tiles missing: what wilds may complete."""
    return sorted({part for one in whole for part in itertools.product(*(range(count + 1) for count in one))})


def plus(hands: Hands, choices: list[Part]) -> Hands:
    """Each hand with each of the choices added, as far as four copies allow."""
    out = np.zeros(SHAPE, bool)
    for part in choices:
        target = tuple(slice(count, None) for count in part)
        source = tuple(slice(None, COPIES + 1 - count) for count in part)
        out[target] |= hands[source]
    return out


def below(hands: Hands) -> Hands:
    """The hands that are part of one of these."""
    for axis in range(TILES):
        hands = np.flip(np.logical_or.accumulate(np.flip(hands, axis), axis), axis)
    return hands


@functools.cache
def winning(pair: str, fifth_copy: bool) -> tuple[Hands, ...]:
    """By number of melds: the naturals that wilds complete to so many melds and a pair, in any suits."""
    nothing = np.zeros(SHAPE, bool)
    nothing[(0,) * TILES] = True
    meld, eyes = parts("meld"), parts(pair)
    if fifth_copy:
        # Wilds take any places of any melds, so a group gives any part of itself; a group of wilds gives nothing.
        meld, eyes = less(meld), less(eyes)
        bodies = [nothing]
        for _ in range(MELDS):
            bodies.append(plus(bodies[-1], meld))
        return tuple(plus(body, eyes) for body in bodies)
    # Whole groups within four copies, then any part of them; other groups lie in other suits and are all wild.
    exact, found, so_far = nothing, [], np.zeros(SHAPE, bool)
    for _ in range(MELDS + 1):
        so_far = so_far | below(exact | plus(exact, eyes))
        found.append(so_far)
        exact = plus(exact, meld)
    return tuple(found)


@functools.cache
def serving(pair: str) -> tuple[npt.NDArray[np.int8], ...]:
    """By number of melds: the most tiles of each hand that serve in so many melds and a pair."""
    sizes = np.indices(SHAPE).sum(axis=0).astype(np.int8)
    out = []
    for hands in winning(pair, True):
        best = np.where(hands, sizes, 0).astype(np.int8)
        for axis in range(TILES):
            best = np.maximum.accumulate(best, axis)
        out.append(best)
    return tuple(out)


@functools.cache
def hands_of_the_suit() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The counts of every hand, and how many tiles it has."""
    counts = np.indices(SHAPE, np.uint8).reshape(TILES, -1).T
    sizes = counts.sum(axis=1)
    return counts[sizes <= MOST], sizes[sizes <= MOST]


def questions(remainders: tuple[int, ...], step: int = 1) -> Iterator[tuple[int, int, npt.NDArray[np.uint8], bytes]]:
    """Wilds, melds wanted, every ``step``-th hand of the suit, and the rows with the wilds (z6 and z7) in them."""
    counts, sizes = hands_of_the_suit()
    for wilds in range(WILDS + 1):
        for remainder in remainders:
            for melds in range(MELDS + 1):
                hands = counts[sizes + wilds == 3 * melds + remainder][::step]
                if len(hands):
                    rows = np.zeros((len(hands), 34), np.uint8)
                    rows[:, :TILES] = hands
                    rows[:, 32], rows[:, 33] = min(wilds, COPIES), max(wilds - COPIES, 0)
                    yield wilds, melds, hands, rows.tobytes()


def evaluator(fifth_copy: bool) -> mahjong.Evaluator:
    options = {"wild.source": "fixed", "wild.fixed": ["z6", "z7"], "wild.fifth_copy": fifth_copy}
    return mahjong.Evaluator(rules.custom("mahjong", options))


def at(table: npt.NDArray[Any], hands: npt.NDArray[np.uint8]) -> Any:
    """What a table says of some hands."""
    return table[tuple(hands.T)]


def asked(told: tuple[bytes, bytes]) -> bytes:
    column, errors = told
    assert not any(errors)
    return column


def test_there_are_so_many_hands() -> None:
    assert len(hands_of_the_suit()[0]) == 405_350


@pytest.mark.parametrize("fifth_copy", [True, False])
@pytest.mark.parametrize("pair", ["pair", "pair_258"])
def test_hu(pair: str, fifth_copy: bool) -> None:
    engine = evaluator(fifth_copy)
    for wilds, melds, hands, rows in questions((2,)):
        told = np.frombuffer(asked(engine.hu_rows(rows, pair_258=pair == "pair_258")), bool)
        right = at(winning(pair, fifth_copy)[melds], hands)
        assert (told == right).all(), (wilds, hands[told != right][0])


@pytest.mark.parametrize("fifth_copy", [True, False])
def test_waits(fifth_copy: bool) -> None:
    """The tiles of the suit that win, and whether another wild does."""
    engine = evaluator(fifth_copy)
    for wilds, melds, hands, rows in questions((1,)):
        told = np.frombuffer(asked(engine.waits_rows(rows)), "<u8")
        wins = winning("pair", fifth_copy)[melds]
        for tile in range(TILES):
            free = hands[:, tile] < COPIES
            more = hands.copy()
            more[:, tile] += free
            assert (told >> np.uint64(tile) & np.uint64(1) == (at(wins, more) & free)).all(), (wilds, tile)
        assert (told >> np.uint64(33) & np.uint64(1) == at(wins, hands) & (wilds < 2 * COPIES)).all(), wilds


@pytest.mark.parametrize(("pair", "step"), [("pair", 1), ("pair_258", 1009)])
def test_shanten(pair: str, step: int) -> None:
    """Of every hand, and with a pair of 2, 5, 8, which is slower to ask for, of some."""
    engine = evaluator(fifth_copy=True)
    for wilds, melds, hands, rows in questions((1, 2), step):
        told = np.frombuffer(asked(engine.shanten_rows(rows, pair_258=pair == "pair_258")), np.int8)
        missing = 3 * melds + 2 - at(serving(pair)[melds], hands).astype(np.int8) - wilds
        right = np.maximum(missing, 0) - 1
        assert (told == right).all(), (wilds, hands[told != right][0], told[told != right][0])


def test_the_digest_of_all_wins() -> None:
    digest = hashlib.sha256()
    for fifth_copy in (True, False):
        engine = evaluator(fifth_copy)
        for pair_258 in (False, True):
            for _, _, _, rows in questions((2,)):
                digest.update(asked(engine.hu_rows(rows, pair_258=pair_258)))
    assert digest.hexdigest() == DIGEST
