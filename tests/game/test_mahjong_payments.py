"""Payments of mahjong: every acceptance vector that pays. The name of a test is the clauses that it shows."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from laizi import rules
from laizi.errors import HuRefusal
from laizi.mahjong import Evaluator, Meld
from laizi.settlement.factors import replay
from laizi.settlement.mahjong import (
    Circumstances,
    Guarantee,
    Hand,
    SeatFactors,
    Settlement,
    Table,
    laid_down,
    settle,
    settler,
)
from tests import mahjong_vectors as vectors

Vector = vectors.Vector


def _table(given: dict[str, Any], winner: int) -> Table:
    losers = {int(seat): state for seat, state in given["losers"].items()}
    seats = [vectors.seat_factors(seat, state) for seat, state in ({winner: given["winner"]} | losers).items()]
    return Table(dealer=given.get("dealer"), seats=seats, guarantees=_guarantees(given))


def _guarantees(given: dict[str, Any]) -> list[Guarantee]:
    """A vector names the guarantor; which rule makes him one follows from the win."""
    if "bao" not in given or given["mode"] == "rob_kong":
        return []
    return [Guarantee("third_open_qingyise" if given["mode"] == "zimo" else "qqr_not_ready", given["bao"])]


def _circumstances(given: dict[str, Any]) -> Circumstances:
    if given["mode"] == "zimo":
        return Circumstances(gang_flower=given.get("gang_flower", False), haidi=given.get("haidi", False))
    fed = [int(seat) for seat, state in given["losers"].items() if state.get("discarder")]
    return Circumstances(given["mode"], fed[0] if fed else given["bao"])


def _big_types(vector: Vector) -> list[str]:
    """Types as many as a score vector says, of the kind that its clauses speak of."""
    given = vector["input"]
    count = given["big"] - (given["mode"] == "rob_kong")
    return ["quanqiuren"] if count == 1 and "M1-46" in vector["clauses"] else ["qingyise", "pengpenghu"][:count]


def _paid(settlement: Settlement, seats: list[str]) -> dict[str, int]:
    paid = {seat: sum(p.amount for p in settlement.payments if p.from_seat == int(seat)) for seat in seats}
    return {seat: int(amount) if amount == int(amount) else -1 for seat, amount in paid.items()}


def _expect(vector: Vector, settlement: Settlement) -> None:
    expect = vector["expect"]
    seats = list(expect["pay"])
    assert _paid(settlement, seats) == expect["pay"]
    assert settlement.gain == expect.get("win", sum(expect["pay"].values()))
    assert {seat: settlement.uncapped[int(seat)] for seat in seats} == expect.get(
        "raw", {seat: settlement.uncapped[int(seat)] for seat in seats}
    )
    assert settlement.gold == expect.get("golden", settlement.gold)
    assert all(replay(payment.factors) == payment.amount for payment in settlement.payments)


@pytest.mark.parametrize("vector", [p for p in vectors.params("score") if p.values[0]["system"] == "M1"])
def test_score(vector):
    given = vector["input"]
    winner = given["winner"]["seat"]
    types = _big_types(vector)
    hand = Hand([winner], _circumstances(given), types, given["hard"], _table(given, winner))
    _expect(vector, settle(vectors.ruleset(vector), hand))


def _paid_or_refused_for_gold(vector: Vector) -> bool:
    return "pay" in vector["expect"] or vector["expect"].get("reason") == "two_laizi_not_gold"


@pytest.mark.parametrize("vector", [p for p in vectors.params("hu") if _paid_or_refused_for_gold(p.values[0])])
def test_payments_of_wins(vector):
    """The settlement decides with the hand: which reading is paid, and whether two wilds reach gold."""
    given, expect, rule_set = vector["input"], vector["expect"], vectors.ruleset(vector)
    melds = [Meld(meld["kind"], meld["tiles"], meld.get("from")) for meld in given["melds"]]
    put_downs, wild_kongs = (given["winner"].get(kind, 0) for kind in ("pizi", "laizi"))
    at, table = _circumstances(given), _table(given, 0)
    laid = laid_down(rule_set, 0, melds, put_downs, wild_kongs)
    seats = [laid if factors.seat == 0 else factors for factors in table.seats]
    pays = settler(rule_set, Hand([0], at, table=dataclasses.replace(table, seats=seats)))
    evaluator = Evaluator(rule_set, given["wild"], given["pizi"])
    answer = evaluator.check_hu(
        given["hand"],
        melds,
        mode=at.mode,
        gang_flower=at.gang_flower,
        haidi=at.haidi,
        downs=put_downs + wild_kongs,
        settle=pays,
    )
    assert (answer.hu, answer.hard) == (expect["hu"], expect.get("hard", False))
    if expect["hu"]:
        assert [str(kind) for kind in answer.types] == vectors.types(vector)
        _expect(vector, pays(answer))
    else:
        assert answer.refusals == (HuRefusal.WILDS_NEED_GOLD,)


@pytest.mark.parametrize("vector", [p for p in vectors.params("score") if p.values[0]["system"] == "M2"])
def test_caps(vector):
    # One loser has a kong of each kind, whose factor is what he is to pay; all else counts once.
    raw = vector["input"]["raw"]
    ones = {"score.small": {"base": 1, "zimo": 1, "zimo_base": "none"}}
    kongs = {f"score.kong.{kind}": amount for kind, amount in zip(("zhi", "bu", "an"), raw, strict=True)}
    seats = [SeatFactors(1, 1, zhi_gangs=1), SeatFactors(2, 1, bu_gangs=1), SeatFactors(3, an_gangs=1)]
    settlement = settle(rules.load("enshi", ones | kongs), Hand([0], table=Table(seats=seats)))
    assert settlement.uncapped[1:] == tuple(raw)
    assert [payment.amount for payment in settlement.payments] == vector["expect"]["pay"]
    assert settlement.gold == vector["expect"]["golden"]


def _table_vector(vector_id: str) -> Vector:
    return next(vector for vector in vectors.load() if vector["id"] == vector_id)


def test_fan_list():
    """M1-53/M1-V107: what red and wild kongs, kongs, concealed kongs and a hard win multiply."""
    seats = [SeatFactors(0, openings=1, bu_gangs=1, an_gangs=1, put_downs=1, wild_kongs=1)]
    settlement = settle(rules.load("honghu"), Hand([0], hard=True, table=Table(dealer=1, seats=seats)))
    factors = {factor.name: factor.operand for factor in settlement.payments[0].factors}
    listed = [factors[key] for key in ("put_down", "wild_kong", "kong.bu", "kong.an", "hard")]
    expect = _table_vector("M1-V107")["expect"]
    assert listed == expect["factor"] == [2**fan for fan in expect["fan"]]


def test_honghu_pays_whole_points(rng, samples):
    """M1-43/M1-V108: ×1.5 leaves no fraction, because a big win has base 10."""
    assert _table_vector("M1-V108")["expect"] == {"always_integer": True}
    types = ("pengpenghu", "qingyise", "jiangyise", "quanqiuren")
    for _ in range(samples(300)):
        at = Circumstances("discard", 1) if rng.random() < 0.5 else Circumstances(gang_flower=rng.random() < 0.5)
        held = [kind for kind in types if rng.random() < 0.3 and (kind != "quanqiuren" or at.mode == "discard")]
        seats = [SeatFactors(seat, rng.randrange(5), put_downs=rng.randrange(2)) for seat in range(4)]
        hand = Hand([0], at, held, rng.random() < 0.5, Table(dealer=rng.randrange(4), seats=seats))
        assert all(amount.denominator == 1 for amount in settle(rules.load("honghu"), hand).uncapped)


def test_what_enshi_does_not_score():
    """M2-26/M2-V069: neither the last tiles, nor a discard after a kong, nor a four kept in the hand."""
    assert _table_vector("M2-V069")["expect"]["factors"] == [1, 1, 1, 1]
    enshi = rules.load("enshi")
    plain, last = (settle(enshi, Hand([0], Circumstances(haidi=haidi))) for haidi in (False, True))
    assert plain.payments == last.payments
    assert [enshi.options()[f"hu.situational.{kind}"] for kind in ("haidi", "rob_kong")] == ["off", "off"]


def test_who_is_not_ready_pays_nothing_extra():
    """M2-17/M2-V070: what a loser pays does not ask whether he was ready."""
    assert _table_vector("M2-V070")["expect"] == {"penalty": 0}
    settlement = settle(rules.load("enshi"), Hand([0], Circumstances("discard", 3), ["qidui"]))
    assert [payment.amount for payment in settlement.payments] == [5, 5, 10]


def test_second_worked_example():
    """M2-41: the text prints 30, but the product that it writes out is 5 × 2 × 2 × 2 = 40."""
    hand = Hand([0], Circumstances(gang_flower=True), ["menqing"], table=Table(seats=[SeatFactors(0, put_downs=1)]))
    payment = settle(rules.load("enshi"), hand).payments[0]
    assert [factor.operand for factor in payment.factors] == [5, 2, 2, 2]
    assert payment.amount == 40


def test_the_reading_that_pays_most_is_paid():
    """Read as runs the hand is small, and here a small win pays more than all triplets."""
    base = {"hu.pair": "any", "hu.types": {"pengpenghu": {"base": 1}}, "score.small": {"base": 1, "zimo": 9}}
    rule_set = rules.load("hongzhong", base)
    evaluator, hand = Evaluator(rule_set), "111222333m444s99p"
    assert evaluator.check_hu(hand).points == 18
    dear_big = rules.load("hongzhong", base | {"score.dealer": {"small": 1, "big": 20}})
    evaluator = Evaluator(dear_big)
    pays = settler(dear_big, Hand([0], table=Table(dealer=0)))
    assert [str(kind) for kind in evaluator.check_hu(hand).types] == []
    paid = evaluator.check_hu(hand, settle=pays)
    assert [str(kind) for kind in paid.types] == ["pengpenghu"]
    assert pays(paid).gain == 3 * 2 * 20 * 2
