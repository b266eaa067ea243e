"""What answers of mahjong hold besides win or not: decompositions with their worth, shapes out of reach, locks."""

from collections import Counter

import pytest

from laizi import rules
from laizi.errors import HuRefusal
from laizi.mahjong import Evaluator, HuType, Meld, Shape, WinMode

PENG = (Meld("peng", "z1z1z1"),)


def shaped(preset: str, *shapes: str, fifth_copy: bool = True) -> Evaluator:
    options = {
        "hu.shapes": list(shapes),
        "hu.types.qidui": "off",
        "hu.types.longqi": "off",
        "wild.fifth_copy": fifth_copy,
    }
    return Evaluator(rules.load(preset, options), wilds="9p")


def test_every_decomposition_tells_its_own_types_and_points():
    """As triplets the tiles are 碰碰胡, as runs they are not; the better one comes first and is paid."""
    evaluator = Evaluator(rules.load("honghu", {"hu.must_open": False}), wilds="9p")
    answer = evaluator.check_hu("111222333m 444m 55m", all_decompositions=True)
    assert answer.decomposition == answer.decompositions[0]
    assert (answer.types, answer.points) == (answer.decomposition.types, answer.decomposition.points)
    worth = [decomposition.points for decomposition in answer.decompositions]
    assert worth == sorted(worth, reverse=True)
    for one in answer.decompositions:
        triplets = all(len(set(meld)) == 1 for meld in one.melds)
        assert (HuType.PENGPENGHU in one.types) is triplets
        assert HuType.QINGYISE in one.types
    assert len(set(answer.decompositions)) == len(answer.decompositions) > 2
    assert worth[-1] < worth[0]


@pytest.mark.parametrize(
    ("hand", "melds", "why"),
    [
        ("123m456p789s z1z1z1 5m5m", (), [HuRefusal.NOT_OPENED]),
        ("123m456p789s 6m6m", PENG, [HuRefusal.PAIR_NOT_258]),
        ("123m456p789s 5m 9p", PENG, []),
    ],
)
def test_a_refused_shape_still_shows_its_decomposition(hand, melds, why):
    answer = Evaluator(rules.load("honghu"), wilds="9p").check_hu(hand, melds, mode="zimo", all_decompositions=True)
    assert list(answer.refusals) == why
    assert answer.hu is not bool(why)
    assert answer.decomposition is not None
    assert answer.decomposition.points > 0
    assert bool(answer.decompositions) is answer.hu
    assert (answer.points is None) is bool(why)


def test_no_shape_shows_no_decomposition():
    answer = Evaluator(rules.load("honghu"), wilds="9p").check_hu("123m456p789s 1m9m", PENG)
    assert HuRefusal.NO_SHAPE in answer.refusals
    assert answer.decomposition is None


def test_stand_ins_that_swap_the_wilds_they_play_make_one_decomposition():
    options = {"wild.stand_in": ["z6", "z7"], "tiles.honours": ["z6", "z7"]}
    evaluator = Evaluator(rules.load("guangdong_gui", options), wilds="1m 2m")
    every = evaluator.check_hu("3m 456m 789m 123p 55p z6 z7", all_decompositions=True).decompositions
    assert every
    assert max(Counter(every).values()) == 1


@pytest.mark.parametrize("hand", ["1m", "22m", "123m 4m", "123m 45m", "159m 159p 1s", "159m 159p 15s", "9p 9p 1m 2m"])
@pytest.mark.parametrize("preset", ["honghu", "guangdong_gui"])
def test_a_shape_that_melds_rule_out_is_absent(preset, hand):
    """Seven pairs have no melds, 乱风 no suits and 乱将 no other tiles: no number stands for that."""
    laid = {Shape.SEVEN_PAIRS: PENG, Shape.FREE_WIND: (Meld("peng", "5m5m5m"),), Shape.FREE_JIANG: PENG}
    if preset == "honghu":
        laid[Shape.DRAGON_SEVEN] = PENG
    for shape, melds in laid.items():
        for fifth_copy in (True, False):
            answer = shaped(preset, shape, fifth_copy=fifth_copy).shanten(hand, melds)
            assert (answer.shanten, answer.improvements) == (None, ()), (shape, fifth_copy)
    beside = shaped(preset, "standard", "seven_pairs").shanten(hand, PENG)
    assert beside == shaped(preset, "standard").shanten(hand, PENG)


@pytest.mark.parametrize("lock", ["none", "until_draw"])
def test_a_missed_win_locks_discards_until_the_next_draw(lock):
    evaluator = Evaluator(rules.load("honghu", {"claim.missed_hu": lock}), wilds="9p")
    locked = [HuRefusal.MISSED_HU_LOCK] if lock == "until_draw" else []
    for mode in WinMode:
        answer = evaluator.check_hu("123m456p789s 55m", PENG, mode=mode, missed_hu=True)
        assert list(answer.refusals) == (locked if mode is not WinMode.ZIMO else []), mode
        waits = evaluator.waits("123m456p789s 5m", PENG, mode=mode, missed_hu=True)
        assert bool(waits.waits) is answer.hu
        after = evaluator.discards("123m456p789s 56m", PENG, mode=mode, missed_hu=True)
        assert bool(after) is answer.hu


def test_waits_cite_what_decided_them():
    evaluator = Evaluator(rules.load("honghu"), wilds="9p")
    won = evaluator.waits("123m456p789s 5m", PENG)
    assert set(won.clauses) == {clause for wait in won.waits for clause in wait.answer.clauses}
    barred = evaluator.waits("123m456p789s z1z1z1 5m")
    assert not barred.waits
    assert barred.clauses == evaluator.ruleset.cite("hu.must_open")
    nothing = evaluator.waits("159m 159p 159s z1z2z3z4")
    assert nothing.clauses == evaluator.ruleset.cite("hu.shapes")
    every = evaluator.discards("123m456p789s z1z1z1 56m", every=True)
    assert len(every) > 8
    assert evaluator.discards("123m456p789s z1z1z1 56m") == ()


def test_situations_that_multiply_are_told_beside_the_types():
    options = {"hu.situational.gang_flower.counts_as": "factor", "hu.situational.gang_flower.factor": 2}
    evaluator = Evaluator(rules.load("honghu", options), wilds="9p")
    plain = evaluator.check_hu("123m456p789s 55m", PENG)
    flower = evaluator.check_hu("123m456p789s 55m", PENG, gang_flower=True)
    assert (plain.factors, flower.factors) == ((), (HuType.GANG_FLOWER,))
    assert flower.small
    assert flower.types == ()
