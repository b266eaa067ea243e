"""Wins, waits and shanten of batches against the oracle: all hands of small tile sets, and random large hands."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from laizi import mahjong, rules
from tests import mahjong_hands
from tests.differential.mahjong_hands import (
    PLAIN,
    describe,
    hands_to_try,
    less,
    more,
    random_hand,
    random_options,
    random_rules,
    random_wilds,
    small_rules,
    valid_rules,
)
from tests.oracle import mahjong as oracle
from tests.oracle import mahjong_distance as slow
from tests.oracle.mahjong import COPIES, Hand
from tests.oracle.mahjong_distance import NEVER, Rows

Bits = npt.NDArray[np.bool_]


def asked(evaluator: mahjong.Evaluator, verb: str, hands: Rows, pair_258: bool) -> bytes:
    """A column of results for hands that are all well formed."""
    column, errors = getattr(evaluator, verb)(hands.astype(np.uint8).tobytes(), pair_258=pair_258)
    assert not any(errors)
    assert isinstance(column, bytes)
    return column


def listed(evaluator: mahjong.Evaluator, hands: Rows, pair_258: bool) -> Bits:
    """`waits_rows` as a table hand × tile."""
    masks = np.frombuffer(asked(evaluator, "waits_rows", hands, pair_258), "<u8")
    return (masks[:, None] >> np.arange(34, dtype=np.uint64) & np.uint64(1)).astype(bool)


def shanten(evaluator: mahjong.Evaluator, hands: Rows, pair_258: bool) -> npt.NDArray[np.int8]:
    return np.frombuffer(asked(evaluator, "shanten_rows", hands, pair_258), np.int8)


def test_every_small_hand(rng: random.Random, pytestconfig: pytest.Config) -> None:
    """Hu, waits, shanten and the tiles that improve it, of every hand of 2 and 5 or of 1 and 4 tiles."""
    compared = 0
    while compared < hands_to_try(pytestconfig, 20_000):
        ruleset = small_rules(rng)
        wilds, _ = random_wilds(rng, ruleset)
        pair_258 = rng.random() < 0.3
        size = rng.choice([2, 5, 5, 5])
        compared += compare_all_hands(ruleset, wilds, size, pair_258)


BANS = {"wild.fifth_copy": False, "wild.pair": "no_pure", "wild.meld": "no_pure", "wild.stands_for": "suited"}


def test_every_hand_of_eight_tiles(rng: random.Random, samples: Callable[[int], int]) -> None:
    """Likewise of 8 and of 7 tiles of one suit and an honour, under one of the bans (in a nightly run all of them)."""
    for ban in rng.sample(sorted(BANS), min(len(BANS), samples(1))):
        options = {
            "tiles": {"suits": ["s"], "honours": ["z7"]},
            "wild.source": "fixed",
            "wild.fixed": rng.sample(["1s", "5s", "6s", "z7"], 1),
            ban: BANS[ban],
        }
        ruleset = rules.custom("mahjong", options)
        compare_all_hands(ruleset, random_wilds(rng, ruleset)[0], 8, pair_258=False, sample=(rng, 400))


def compare_all_hands(
    ruleset: rules.RuleSet,
    wilds: frozenset[int],
    size: int,
    pair_258: bool,
    sample: tuple[random.Random, int] | None = None,
) -> int:
    """Every hand of ``size`` tiles and of one less, or a sample of those whose distance is sought."""
    rule = mahjong_hands.options(ruleset)
    tiles = sorted(oracle.tile_set(rule))
    evaluator = mahjong_hands.evaluator(ruleset, wilds, frozenset())
    full = np.array(list(slow.all_hands(tiles, size)))
    short = np.array(list(slow.all_hands(tiles, size - 1)))
    note = describe(ruleset, Hand(rule, (0,) * 34, wilds=wilds)) + f" pair_258 {pair_258}"

    wins = np.array([oracle.has_shape(Hand(rule, tuple(map(int, row)), wilds=wilds), pair_258) for row in full])
    told = np.frombuffer(asked(evaluator, "hu_rows", full, pair_258), bool)
    assert (told == wins).all(), f"hu {full[told != wins][0]}{note}"

    index = {row.tobytes(): number for number, row in enumerate(full)}
    drawn = np.full((len(short), 34), -1)
    for number, row in enumerate(short):
        for tile in tiles:
            if row[tile] < COPIES:
                row[tile] += 1
                drawn[number, tile] = index[row.tobytes()]
                row[tile] -= 1
    waits = (drawn >= 0) & wins[drawn]
    if not rule.waits.list_wild:
        waits[:, sorted(wilds)] = False
    told_waits = listed(evaluator, short, pair_258)
    wrong = (told_waits != waits).any(axis=1)
    assert not wrong.any(), f"waits {short[wrong][0]}{note}"

    if sample is not None:
        rng, count = sample
        short, full = short[rng.sample(range(len(short)), count)], full[rng.sample(range(len(full)), count)]
        drawn = drawn[:0]
    won = np.array(list(slow.all_hands(tiles, size)))[wins]
    far, near = slow.exchanges(short, won), slow.exchanges(full, won)
    for hands, distances in ((short, far), (full, near)):
        told_shanten = shanten(evaluator, hands, pair_258)
        right = np.where(distances == NEVER, NEVER, distances - 1)
        wrong = told_shanten != right
        assert not wrong.any(), f"shanten {hands[wrong][0]} {told_shanten[wrong][0]} {right[wrong][0]}{note}"
    for number in range(0, len(drawn), 16):
        if far[number] != NEVER:
            better = [tile for tile in tiles if drawn[number, tile] >= 0 and near[drawn[number, tile]] < far[number]]
            compare_improvements(evaluator, short[number], better, pair_258, note)
    for number in range(0, len(full) if len(drawn) else 0, 32):
        if near[number] not in (0, NEVER):
            hand = full[number]
            exchanged = {
                tile: [index[row.tobytes()] for row in exchanges(hand, tile)] for tile in tiles if hand[tile] < COPIES
            }
            better = [tile for tile, others in exchanged.items() if min(near[others]) < near[number]]
            compare_improvements(evaluator, hand, better, pair_258, note)
    return len(full) + len(short)


def exchanges(hand: npt.NDArray[np.int64], tile: int) -> list[npt.NDArray[np.int64]]:
    """The hands that a hand becomes when it draws a tile and discards another."""
    out = []
    for old in np.flatnonzero(hand):
        row = hand.copy()
        row[old] -= 1
        row[tile] += 1
        out.append(row)
    return out


def compare_improvements(
    evaluator: mahjong.Evaluator, hand: npt.NDArray[np.int64], better: list[int], pair_258: bool, note: str
) -> None:
    answer = evaluator.shanten(mahjong_hands.tiles_of(hand), pair_258=pair_258)
    assert [one.tile for one in answer.improvements] == better, f"improvements {hand} {better}{note}"
    assert all(one.left == COPIES - hand[one.tile] for one in answer.improvements)


def test_large_hands(rng: random.Random, samples: Callable[[int], int]) -> None:
    """Hu and waits of random large hands; the ways in agree."""
    for _ in range(samples(400) // 20):
        ruleset = random_rules(rng)
        wilds, down = random_wilds(rng, ruleset)
        evaluator = mahjong_hands.evaluator(ruleset, wilds, down)
        hands = [replace(random_hand(rng, ruleset, wilds, down), melds=(), winning=None) for _ in range(20)]
        hands = [hand for hand in hands if hand.wild_count <= 4]
        rows = np.array([hand.concealed for hand in hands])
        for pair_258 in (False, True):
            told = asked(evaluator, "hu_rows", rows, pair_258)
            for hand, hu in zip(hands, told, strict=True):
                note = f"pair_258 {pair_258}{describe(ruleset, hand)}"
                assert bool(hu) is oracle.has_shape(hand, pair_258), note
                single = evaluator.is_hu_258 if pair_258 else evaluator.is_hu
                assert single(bytes(hand.concealed)) is bool(hu), note
        hand = hands[0]
        tile = rng.choice([tile for tile in range(34) if hand.concealed[tile]])
        hand = less(hand, tile)
        kinds = sorted(oracle.tile_set(hand.rules))
        drawable = [tile for tile in kinds if hand.concealed[tile] < COPIES]
        right = [tile for tile in drawable if oracle.has_shape(more(hand, tile))]
        right = [tile for tile in right if hand.rules.waits.list_wild or tile not in wilds]
        found = listed(evaluator, np.array([hand.concealed]), pair_258=False)[0]
        assert list(np.flatnonzero(found)) == right, describe(ruleset, hand)


def compare_shanten(
    rng: random.Random, ruleset: rules.RuleSet, evaluator: mahjong.Evaluator, hand: Hand, with_improvements: bool
) -> None:
    """Shanten of a hand, or of one from which a tile was taken, and the tiles that improve it."""
    if any(hand.wilds.intersection(meld.tiles) for meld in hand.melds):
        return
    if rng.random() < 0.7:
        tile = rng.choice([tile for tile in range(34) if hand.concealed[tile]])
        hand = less(hand, tile)
    pair_258 = rng.random() < 0.3
    note = f"pair_258 {pair_258}{describe(ruleset, hand)}"
    melds = mahjong_hands.engine_melds(hand)
    answer = evaluator.shanten(mahjong_hands.tiles_of(hand.concealed), melds, pair_258=pair_258)
    distance = slow.distance(hand, pair_258)
    assert answer.shanten == (None if distance == NEVER else distance - 1), note
    if not hand.melds:
        in_row = NEVER if answer.shanten is None else answer.shanten
        assert shanten(evaluator, np.array([hand.concealed]), pair_258)[0] == in_row, note
    if with_improvements and hand.size % 3 == 1:
        owned = [n + sum(m.tiles.count(tile) for m in hand.melds) for tile, n in enumerate(hand.concealed)]
        drawable = [tile for tile in sorted(oracle.tile_set(hand.rules)) if owned[tile] < COPIES]
        better = [tile for tile in drawable if slow.distance(more(hand, tile), pair_258) < distance]
        assert [one.tile for one in answer.improvements] == better, note


def test_shanten_of_large_hands(rng: random.Random, samples: Callable[[int], int]) -> None:
    """Shanten of hands up to 17 tiles with their melds, and the tiles that improve some of them."""
    for _ in range(samples(300) // 6):
        ruleset = valid_rules(lambda: random_options(rng) | PLAIN)
        wilds, down = random_wilds(rng, ruleset)
        evaluator = mahjong_hands.evaluator(ruleset, wilds, down)
        for number in range(6):
            hand = random_hand(rng, ruleset, wilds, down)
            compare_shanten(rng, ruleset, evaluator, hand, with_improvements=number == 0)


def test_shanten_where_few_tiles_of_a_shape_exist(rng: random.Random, samples: Callable[[int], int]) -> None:
    """In a set of one suit a hand may want more tiles of 2, 5, 8, or more honours, than there are."""

    def few() -> dict[str, object]:
        honours = rng.choice([[], ["z5"], ["z1", "z2", "z3", "z4"]])
        shapes = rng.choice([["free_jiang"], ["free_wind"], ["free_jiang", "free_wind"], ["standard", "free_jiang"]])
        fixed = rng.sample([f"{digit}s" for digit in range(1, 10)] + honours, rng.choice([0, 1, 1, 2, 3]))
        own = {
            "tiles": {"suits": ["s"], "honours": honours},
            "wild.source": "fixed" if fixed else "none",
            "wild.fixed": fixed,
            "hu.shapes": shapes,
        }
        return random_options(rng) | PLAIN | own

    never = 0
    for _ in range(samples(40)):
        ruleset = valid_rules(few)
        wilds, down = random_wilds(rng, ruleset)
        evaluator = mahjong_hands.evaluator(ruleset, wilds, down)
        for number in range(4):
            hand = random_hand(rng, ruleset, wilds, down)
            never += slow.distance(hand) == NEVER
            compare_shanten(rng, ruleset, evaluator, hand, with_improvements=number == 0)
    assert never > 5
