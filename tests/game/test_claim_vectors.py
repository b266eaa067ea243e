"""Claims in mahjong: every acceptance vector about what a seat may do. A test is named by the clauses that it shows."""

from __future__ import annotations

from typing import Any

import pytest

from laizi import tiles
from laizi.claims import ClaimKind, ClaimSeat, Question, Situation, Trigger, Verdict, list_claims
from laizi.errors import ClaimRefusal, HuRefusal
from laizi.mahjong import Evaluator, Meld
from tests import mahjong_vectors as vectors

Vector = vectors.Vector

KINDS = {
    "single_gang": ClaimKind.WILD_KONG,
    "down_laizi": ClaimKind.WILD_KONG,
    "rob_kong": ClaimKind.HU,
    "discard": ClaimKind.DISCARD,
    "chi": ClaimKind.CHI,
    "peng": ClaimKind.PENG,
    "hu": ClaimKind.HU,
    "zhi_gang": ClaimKind.ZHI_GANG,
    "an_gang": ClaimKind.AN_GANG,
}
CLAIMED = {ClaimKind.CHI, ClaimKind.PENG, ClaimKind.ZHI_GANG}
FILLER = "1m4m7m1p4p7p2s5s8s2m5m8m2p3s6s"
"""Tiles that fit nothing."""
READY = "123m456m789m5p"
"""Waits for 5p beside one triplet, and wins hard with it."""
REASONS = {
    "M1-V062": {ClaimRefusal.PUT_DOWN_TILE_BARRED},
    "M1-V063": {ClaimRefusal.PUT_DOWN_TILE_BARRED},
    "M1-V069": {ClaimRefusal.WILD_BARRED},
    "M1-V070": {ClaimRefusal.WILD_BARRED, ClaimRefusal.NOT_HU},
    "M1-V077": {ClaimRefusal.NOT_UPPER_SEAT},
    "M1-V078": {ClaimRefusal.LAST_TILES},
    "M1-V079": {ClaimRefusal.LAST_TILES},
    "M2-V057": {ClaimRefusal.NOT_UPPER_SEAT},
    "M2-V060": {ClaimRefusal.PUT_DOWN_TILE_DISCARD_FORBIDDEN},
    "M2-V061": {ClaimRefusal.PUT_DOWN_TILE_BARRED},
    "M2-V066": {ClaimRefusal.NOT_HU},
    "M2-V068": {ClaimRefusal.KONG_NOT_ROBBABLE, ClaimRefusal.NOT_HU},
}
"""Why each forbidden action is refused."""


def _hand(has: str, size: int) -> str:
    """A hand of so many tiles that holds the ones that matter."""
    held = tiles.Tiles.from_text(has)
    rest = [tile for tile in tiles.Tiles.from_text(FILLER) if not held.counts[tile]]
    return tiles.Tiles.from_indices([*held, *rest][:size]).text()


def asked(vector: Vector) -> tuple[Evaluator, Situation]:
    """The situation that a vector speaks of, with its question."""
    given = vector["input"]
    kind = KINDS[given["action"]]
    m1 = vector["system"] == "M1"
    wild = given.get("wild", "9s")
    pizi = "" if m1 else given.get("pizi", tiles.NAMES[tiles.read_one(wild) - 1])
    evaluator = Evaluator(vectors.ruleset(vector), wild, pizi)
    if kind is ClaimKind.HU:
        return evaluator, _win(vector)
    if kind in CLAIMED:
        # The asking seat is 1; its upper seat is 0.
        discarder = {"opposite": 3}.get(given.get("from", ""), 0)
        seat = ClaimSeat(1, _hand(given.get("with", given.get("hand_has", "")), 13))
        question = Question(1, kind, given["tile"], given.get("with", given.get("hand_has", "")))
        return evaluator, Situation(Trigger.DISCARD, discarder, given["tile"], [seat], dealer=0, questions=[question])
    tile = given.get("tile", "3s" if kind is ClaimKind.AN_GANG else "1m")
    has = given.get("hand_has", " ".join([tile] * (4 if kind is ClaimKind.AN_GANG else 1)))
    return evaluator, Situation(
        Trigger.DRAW,
        0,
        tile,
        [ClaimSeat(0, _hand(has, 14))],
        wall_left=given.get("live_wall_left"),
        questions=[Question(0, kind, tile)],
    )


def _win(vector: Vector) -> Situation:
    """A hand that would win, were it not for what the vector shows."""
    given = vector["input"]
    triplet = [Meld("peng", "333s", 2)]
    question = [Question(1, ClaimKind.HU)]
    if given["action"] == "rob_kong":
        seats = [
            ClaimSeat(1, "123m456m46p22s", triplet),
            ClaimSeat(0, "147m147p258s1s", [Meld("peng", "555p", 3)]),
        ]
        return Situation(Trigger.ADDED_KONG, 0, "5p", seats, questions=question)
    if "state" in given:
        seat = ClaimSeat(1, READY + "5p", triplet, wild_discarded=True)
        return Situation(Trigger.DRAW, 1, "5p", [seat], questions=question)
    seat = ClaimSeat(1, "123m456m789m4p", triplet)
    return Situation(Trigger.DISCARD, 0, given["tile"], [seat], dealer=0, questions=question)


def asked_together(vector: Vector) -> tuple[Evaluator, Situation]:
    """The same where a vector has several winners of one tile."""
    given = vector["input"]
    seats = [
        ClaimSeat(seat, hand, [Meld("peng", triplet, 2)])
        for seat, hand, triplet in zip(given["claims_hu"], (READY, READY), ("333s", "777s"), strict=True)
    ]
    questions = [Question(seat, ClaimKind.HU) for seat in given["claims_hu"]]
    return Evaluator(vectors.ruleset(vector), "9s"), Situation(
        Trigger.DISCARD, given["discarder"], "5p", seats, dealer=given["dealer"], questions=questions
    )


def _judge(vector: Vector) -> Verdict:
    return list_claims(*asked(vector)).verdicts[0]


@pytest.mark.parametrize("vector", [p for p in vectors.params("legality") if "action" in p.values[0]["input"]])
def test_legality(vector):
    expect, verdict = vector["expect"], _judge(vector)
    assert verdict.allowed == expect["allowed"]
    assert {refusal.reason for refusal in verdict.refusals} == REASONS.get(vector["id"], set())
    if verdict.claim is None:
        # Some clause of the system is behind it.
        assert any(clause.startswith(vector["system"]) for refusal in verdict.refusals for clause in refusal.clauses)
        return
    claim = verdict.claim
    if "factor" in expect:
        assert claim.factor == expect["factor"]
    assert claim.replacement_draw == expect.get("replacement_draw", False)
    assert claim.bans_hu == (expect.get("effect") == "hu_banned_this_hand")


def test_a_discarded_wild_bans_wins_later():
    """M2-22: the refusal of the win names the ban."""
    vector = next(vector for vector in vectors.load() if vector["id"] == "M2-V066")
    verdict = _judge(vector)
    assert verdict.hu_refusals == (HuRefusal.WILD_DISCARDED_BAN,)
    assert "M2-22" in verdict.refusals[0].clauses


@pytest.mark.parametrize("vector", [p for p in vectors.params("legality") if "claims_hu" in p.values[0]["input"]])
def test_one_winner_per_tile(vector):
    """Two seats wait for the same tile: both are offered the win, and asked together one goes first."""
    evaluator, situation = asked_together(vector)
    claims = list_claims(evaluator, situation)
    assert claims.seats[0].seat == vector["expect"]["winner"]
    allowed = [
        question.seat for question, verdict in zip(situation.questions, claims.verdicts, strict=True) if verdict.allowed
    ]
    assert allowed == [vector["expect"]["winner"]]
    outranked = next(verdict for verdict in claims.verdicts if not verdict.allowed)
    assert [refusal.reason for refusal in outranked.refusals] == [ClaimRefusal.OUTRANKED]
    assert set(vector["clauses"]) <= set(outranked.refusals[0].clauses)


def test_every_legality_vector_is_judged():
    judged = [vector for vector in vectors.load() if vector["kind"] == "legality"]
    assert len(judged) == 20
    assert all({"action", "claims_hu"} & vector["input"].keys() for vector in judged)


@pytest.mark.parametrize("vector", vectors.params("deal"))
def test_deal(vector):
    """The tile set, and the tiles that a deal takes from it."""
    rule_set: Any = vectors.ruleset(vector).rules
    total = tiles.COPIES * (9 * len(rule_set.tiles.suits) + len(rule_set.tiles.honours))
    assert total == vector["expect"]["total"]
