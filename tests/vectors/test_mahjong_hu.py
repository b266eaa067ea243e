"""The acceptance vectors of winning mahjong hands, by the oracle and by the library.

What they say of payments (``pay``, ``raw``) is checked where settlements are: here ``golden`` stands for what a
settlement answers.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from laizi import mahjong
from laizi.errors import HuRefusal
from tests import mahjong_hands
from tests import mahjong_vectors as vectors
from tests.mahjong_hands import counts, kinds, meld, options
from tests.oracle import mahjong as oracle

REASONS = {
    "holds_red": {HuRefusal.HOLDS_PUT_DOWN_TILE},
    "holds_pizi": {HuRefusal.HOLDS_PUT_DOWN_TILE},
    "not_opened": {HuRefusal.NOT_OPENED},
    # A vector calls it no shape too where the only pairs are none of 2, 5, 8.
    "no_shape": {HuRefusal.NO_SHAPE, HuRefusal.PAIR_NOT_258},
    "too_many_laizi": {HuRefusal.TOO_MANY_WILDS},
    "two_laizi_not_gold": {HuRefusal.WILDS_NEED_GOLD},
    "soft_pihu_needs_zimo": {HuRefusal.SOFT_SMALL_NEEDS_SELF_DRAW},
}
HU = vectors.params("hu")


def hand(vector: vectors.Vector) -> oracle.Hand:
    given, rule = vector["input"], options(vectors.ruleset(vector))
    down = given.get("pizi", " ".join(tile for tile in rule.down.tiles if tile != "indicator"))
    winner = given.get("winner", {})
    return oracle.Hand(
        rule,
        counts(given["hand"]),
        wilds=kinds(given["wild"]),
        down=kinds(down),
        melds=tuple(meld(entry["kind"], entry["tiles"]) for entry in given["melds"]),
        mode=given["mode"],
        gang_flower=given.get("gang_flower", False),
        haidi=given.get("haidi", False),
        put_down=bool(winner.get("pizi", 0) + winner.get("laizi", 0)),
        gold=Fraction(0) if vector["expect"].get("golden") else Fraction(10**9),
    )


def compare(vector: vectors.Vector, answer: oracle.Answer | mahjong.HuAnswer) -> None:
    """An answer of the oracle or of the library against the vector."""
    expect = vector["expect"]
    assert answer.hu is expect["hu"]
    if not answer.hu:
        assert answer.refusals[0] in REASONS[expect["reason"]]
        return
    assert sorted(answer.types) == sorted(vectors.types(vector))
    assert answer.hard is expect["hard"]
    if "base" in expect:
        assert answer.base == expect["base"]


@pytest.mark.parametrize("vector", HU)
def test_oracle(vector: vectors.Vector) -> None:
    compare(vector, oracle.check(hand(vector)))


@pytest.mark.parametrize("vector", HU)
def test_library(vector: vectors.Vector) -> None:
    compare(vector, mahjong_hands.check(vectors.ruleset(vector), hand(vector)))


@pytest.mark.parametrize("vector", [param for param in HU if "two_laizi_not_gold" in str(param.values)])
def test_without_a_settlement_the_library_says_that_it_needs_one(vector: vectors.Vector) -> None:
    given = hand(vector)
    answer = mahjong_hands.evaluator(vectors.ruleset(vector), given.wilds, given.down).check_hu(
        vector["input"]["hand"], mahjong_hands.engine_melds(given)
    )
    assert answer.refusals == (HuRefusal.NEEDS_SETTLEMENT,)
