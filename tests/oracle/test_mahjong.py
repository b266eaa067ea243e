"""The mahjong oracle against its own definitions: two forms of each, one of them as plain as can be."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tests.differential.mahjong_hands import PLAIN, describe, random_hand, random_rules, random_wilds, small_rules
from tests.mahjong_hands import options
from tests.oracle import mahjong as oracle
from tests.oracle import mahjong_distance as slow

FEW = 4_000
"""Ways to give the tiles faces that the plain form tries in reasonable time."""


def substitutions(hand: oracle.Hand) -> int:
    """At most so many ways there are to give the concealed tiles faces."""
    ways = 1
    for tile in range(34):
        ways *= len(oracle.faces_of(hand, tile)) ** hand.concealed[tile]
    return ways


def test_full_substitution_finds_the_same_readings(rng: random.Random, samples: Callable[[int], int]) -> None:
    compared = 0
    while compared < samples(300):
        ruleset = small_rules(rng) if rng.random() < 0.7 else random_rules(rng)
        wilds, down = random_wilds(rng, ruleset)
        for _ in range(10):
            hand = random_hand(rng, ruleset, wilds, down)
            if substitutions(hand) <= FEW:
                assert oracle.readings(hand) == oracle.plain_readings(hand), describe(ruleset, hand)
                compared += 1


def test_the_nearest_win_is_at_the_distance(rng: random.Random, samples: Callable[[int], int]) -> None:
    for _ in range(samples(4)):
        ruleset = small_rules(rng, **PLAIN)
        wilds, _ = random_wilds(rng, ruleset)
        rule = options(ruleset)
        hands = list(slow.all_hands(oracle.tile_set(rule), 5))
        of = oracle.Hand(rule, hands[0], wilds=wilds)
        wins = np.array([hand for hand in hands if oracle.has_shape(replace(of, concealed=hand))], np.int64)
        some = rng.sample(hands, 100)
        nearest = slow.exchanges(np.array(some), wins)
        for hand, exchanges in zip(some, nearest, strict=True):
            assert slow.distance(replace(of, concealed=hand)) == exchanges, describe(ruleset, of)
