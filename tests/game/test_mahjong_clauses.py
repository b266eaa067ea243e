"""Clauses of mahjong about wins and claims, each by a test of its name, on one hand that shows it."""

from typing import Any

import pytest

from laizi import rules
from laizi.claims import ClaimKind, ClaimSeat, Question, Situation, Trigger, Verdict, list_claims
from laizi.errors import ClaimRefusal, HuRefusal
from laizi.mahjong import Evaluator, HuAnswer, Meld
from laizi.settlement.mahjong import Hand, SeatFactors, Table, settle
from tests.by_clause import Check, Checks

shows = Checks()

OPEN = [Meld("peng", "333s")]


def honghu(concealed: str, melds: Any = OPEN, **at: Any) -> HuAnswer:
    return Evaluator(rules.load("honghu"), wilds="9p").check_hu(concealed, melds, **at)


def enshi(concealed: str, melds: Any = OPEN, **at: Any) -> HuAnswer:
    return Evaluator(rules.load("enshi"), wilds="9p", indicator="8p").check_hu(concealed, melds, **at)


def types(answer: HuAnswer) -> set[str]:
    return {kind.name.lower() for kind in answer.types}


@shows("M1-03", "M1-29")
def _red_dragon_in_hand() -> None:
    assert HuRefusal.HOLDS_PUT_DOWN_TILE in honghu("123m456m789m5p z5").refusals


@shows("M1-07", "M1-29")
def _pair_of_2_5_8() -> None:
    assert honghu("123m456m789m55p").hu
    assert honghu("123m456m789m44p").refusals == (HuRefusal.PAIR_NOT_258,)


@shows("M1-08", "M1-31")
def _all_triplets() -> None:
    answer = honghu("111m444m777m44p")
    assert answer.hu
    assert types(answer) == {"pengpenghu"}


@shows("M1-09", "M1-35")
def _begging_hand() -> None:
    four = [Meld("peng", "333s"), Meld("chi", "123m"), Meld("chi", "456m"), Meld("zhi_gang", "7777p")]
    assert types(honghu("55p", four, mode="discard")) == {"quanqiuren"}
    assert types(honghu("55p", four)) == set(), "drawn by himself it is a small win"


@shows("M1-10", "M1-33")
def _one_suit() -> None:
    assert types(honghu("123456s789s11s")) == {"qingyise"}


@shows("M1-10", "M1-25", "M1-34")
def _honours_only() -> None:
    answer = honghu("z1z1z2z2z3z4z4z6z6z7z7", [Meld("peng", "z3z3z3")])
    assert answer.hu
    assert types(answer) == {"fengyise"}


@shows("M1-25", "M1-32")
def _all_2_5_8() -> None:
    assert types(honghu("225588m22558s", [Meld("peng", "888s")])) == {"jiangyise"}


@shows("M1-11", "M1-37")
def _last_tiles() -> None:
    assert types(honghu("123m456m789m55p", haidi=True)) == {"haidi"}
    option = rules.load("honghu").options()
    assert (option["hu.haidi.reserve"], option["hu.haidi.last"]) == (10, 4)


@shows("M1-12", "M1-36")
def _kong_flower() -> None:
    assert types(honghu("123m456m789m55p", gang_flower=True)) == {"gang_flower"}


@shows("M1-13", "M1-20")
def _robbed_kong() -> None:
    assert types(honghu("123m456m789m55p", mode="rob_kong", winning_tile="5p")) == {"rob_kong"}


@shows("M1-14", "M1-56")
def _hard() -> None:
    assert honghu("123m456m789m55p").hard
    assert honghu("789p123m456m55p").hard, "the wild 9p as itself"


@shows("M1-15", "M1-56")
def _soft() -> None:
    answer = honghu("123m456m789m5p9p")
    assert answer.hu
    assert not answer.hard


@shows("M1-16", "M1-17", "M1-18", "M1-19")
def _kongs_score() -> None:
    def pays(**laid: int) -> int:
        table = Table(dealer=1, seats=[SeatFactors(0, openings=1, **laid)])
        return int(-settle(rules.load("honghu"), Hand([0], table=table)).deltas[2])

    assert [pays(), pays(zhi_gangs=1), pays(bu_gangs=1), pays(an_gangs=1)] == [4, 8, 8, 16]


@shows("M1-23", "M1-29", "M1-60")
def _two_wilds() -> None:
    assert HuRefusal.TOO_MANY_WILDS in honghu("123m456m78m9p5p9p").refusals
    assert types(honghu("111m444m77m9p4p9p")) == {"pengpenghu"}, "a big win has no limit"


def claim(preset: str, seat: ClaimSeat, kind: ClaimKind, trigger: Trigger, tile: str, **more: Any) -> Verdict:
    """May seat 1 do this: with seat 0's discard, or with what it drew?"""
    evaluator = Evaluator(rules.load(preset, more.pop("options", {})), "9p", "8p" if preset == "enshi" else "")
    at = 0 if trigger is Trigger.DISCARD else 1
    question = Question(1, kind, more.pop("asked", tile))
    situation = Situation(trigger, at, tile, [seat], dealer=0, questions=[question], **more)
    return list_claims(evaluator, situation).verdicts[0]


READY = ClaimSeat(1, "123m456m789m5p", OPEN)


@shows("M1-26")
def _missed_wins() -> None:
    missed = ClaimSeat(1, "123m456m789m5p", OPEN, missed_hu=True)
    assert claim("honghu", missed, ClaimKind.HU, Trigger.DISCARD, "5p").allowed
    locked = claim("honghu", missed, ClaimKind.HU, Trigger.DISCARD, "5p", options={"claim.missed_hu": "until_draw"})
    assert locked.hu_refusals == (HuRefusal.MISSED_HU_LOCK,)


@shows("M1-27")
def _must_open() -> None:
    concealed = ClaimSeat(1, "123m456m789m333s5p")
    assert claim("honghu", concealed, ClaimKind.HU, Trigger.DISCARD, "5p").hu_refusals == (HuRefusal.NOT_OPENED,)
    assert claim("honghu", READY, ClaimKind.HU, Trigger.DISCARD, "5p").allowed


@shows("M2-06")
def _skin_in_hand() -> None:
    assert HuRefusal.HOLDS_PUT_DOWN_TILE in enshi("123m456m789m5p8p").refusals


@shows("M2-09")
def _skin_at_the_tail() -> None:
    drawn = ClaimSeat(1, "123m456m789m5p8p", OPEN)
    put_down = claim("enshi", drawn, ClaimKind.PUT_DOWN, Trigger.DRAW, "8p", after_kong=True)
    assert put_down.claim
    assert put_down.claim.forced
    assert put_down.claim.replacement_draw
    refused = claim("enshi", drawn, ClaimKind.DISCARD, Trigger.DRAW, "8p", after_kong=True, asked="1m")
    assert ClaimRefusal.MUST_PUT_DOWN in {refusal.reason for refusal in refused.refusals}


@shows("M2-18", "M2-30")
def _soft_small_win_on_a_discard() -> None:
    hand = "123m456m789m5p9p"
    assert enshi(hand).hu
    refused = enshi(hand, mode="discard", winning_tile="5p")
    assert refused.refusals == (HuRefusal.SOFT_SMALL_NEEDS_SELF_DRAW,)
    assert enshi(hand, mode="discard", winning_tile="5p", downs=1).hu


@shows("M2-19")
def _one_winner() -> None:
    evaluator = Evaluator(rules.load("enshi"), "9p", "8p")
    seats = [ClaimSeat(seat, "123m456m789m5p", [Meld("peng", peng)]) for seat, peng in ((1, "333s"), (3, "777s"))]
    questions = [Question(1, ClaimKind.HU), Question(3, ClaimKind.HU)]
    verdicts = list_claims(evaluator, Situation(Trigger.DISCARD, 2, "5p", seats, questions=questions)).verdicts
    assert [verdict.allowed for verdict in verdicts] == [False, True], "seat 3 is the first after seat 2"


@shows("M2-20", "M2-21")
def _hard_and_soft() -> None:
    assert enshi("123m456m789m55p").hard
    assert not enshi("123m456m789m5p9p").hard


@shows("M2-33")
def _nothing_claimed() -> None:
    assert "menqing" in types(enshi("123m456m789m123s5p9p", []))
    assert "menqing" not in types(enshi("123m456m789m5p9p"))


@shows("M2-35")
def _all_2_5_8_without_a_shape() -> None:
    assert "jiangyise" in types(enshi("2255m2258s22555p9p", []))


@pytest.mark.parametrize("check", shows.params())
def test_clause(check: Check) -> None:
    check()
