"""Cases of MahjongService, from the acceptance vectors of mahjong."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Iterator
from typing import Any

from conformance.cases import Case, Json
from conformance.doudizhu import base64_of, batch
from laizi import mahjong, tiles
from laizi.claims import Situation
from laizi.errors import ErrorReason
from laizi.settlement.mahjong import Circumstances, SeatFactors
from laizi.v1 import errors_pb2, mahjong_pb2
from laizi_service.client import meld_rows, tile_rows
from tests import mahjong_vectors as vectors
from tests.game import test_claim_vectors, test_mahjong_payments
from tests.vector_files import Vector
from tests.vectors import test_mahjong_hu

HANDED = vectors.load()
MOST = 12
"""Items of one batch, rows of one column case."""
BAD_ROW = bytes([5, *[0] * 33])
"""Five tiles of a kind."""


def cases() -> Iterator[Case]:
    """All of them, in the order of the contract."""
    hands = [vector for vector in HANDED if vector["kind"] == "hu"]
    wins = [vector for vector in hands if vector["expect"]["hu"]]
    legality = [vector for vector in HANDED if vector["kind"] == "legality"]
    honghu = [vector for vector in HANDED if vector["kind"] == "score" and vector["system"] == "M1"]
    enshi = [vector for vector in HANDED if vector["kind"] == "score" and vector["system"] == "M2"]
    yield from map(_hu, hands)
    drawn = [vector for vector in hands if _is_plain(vector)]
    yield from map(_waits, drawn[::2])
    yield from map(_discards, [vector for vector in drawn if vector["expect"]["hu"]][::4])
    yield from map(_shanten, wins[::2])
    yield from map(_claims, [vector for vector in legality if "action" in vector["input"]])
    yield from map(_claims_together, [vector for vector in legality if "claims_hu" in vector["input"]])
    yield from map(_settle, honghu)
    yield from map(_caps, enshi)
    for system, preset in vectors.PRESETS.items():
        taken = [vector for vector in drawn if vector["system"] == system and not vector.get("options")][:MOST]
        rules = {"preset": preset}
        none: Json = {"concealed": {"text": "1m"}}
        yield batch("MahjongService", "BatchCheckHu", system, rules, taken, _hand, _hu_check, none)
        none = {"concealed": {"text": "123m"}}
        yield batch("MahjongService", "BatchListWaits", system, rules, taken, _waits_request, _waits_check, none)
    rules = {"preset": vectors.PRESETS["M1"]}
    none = {"winnerSeats": [0, 1]}
    honghu = [vector for vector in honghu if not vector.get("options")]
    yield batch("MahjongService", "BatchSettleHands", "M1", rules, honghu[:MOST], _score, _pay_check, none)
    yield from _columns(hands)


def rules_of(vector: Vector) -> Json:
    """The rules of a vector as a selector."""
    options = vector.get("options", {})
    return {"preset": vectors.PRESETS[vector["system"]]} | ({"overrides": options} if options else {})


def _wilds(wild: str, indicator: str) -> Json:
    return {"wilds": {"text": wild}} | ({"indicators": {"text": indicator}} if indicator else {})


def _meld(kind: str, text: str, from_seat: int | None = None) -> Json:
    named = kind.removesuffix("_gang").upper() + ("_GANG" if kind not in ("chi", "peng") else "")
    told: Json = {"kind": f"MELD_KIND_{named}", "tiles": {"text": text}}
    # A concealed kong is nobody's discard.
    return told | ({} if from_seat is None or named == "AN_GANG" else {"fromSeat": from_seat})


def _melds(vector: Vector) -> list[Json]:
    return [_meld(meld["kind"], meld["tiles"], meld.get("from")) for meld in vector["input"]["melds"]]


def _case(rpc: str, vector: Vector, request: Json, check: Callable[[Any], None], suffix: str = "") -> Case:
    """A case about one vector."""
    name = f"{rpc}/{vector['id']}{suffix}"
    return Case(name, f"MahjongService/{rpc}", [request], check, clauses=vector["clauses"], vectors=[vector["id"]])


def _held(vector: Vector) -> Json:
    """What a hand is, without its concealed tiles."""
    given = vector["input"]
    winner = given.get("winner", {})
    return {
        "wilds": _wilds(given["wild"], given.get("pizi", "")),
        "melds": _melds(vector),
        "state": {"putDowns": winner.get("pizi", 0), "wildKongs": winner.get("laizi", 0)},
    }


def _circumstances(at: Circumstances) -> Json:
    told: Json = {"mode": f"WIN_MODE_{at.mode.upper()}", "gangFlower": at.gang_flower, "haidi": at.haidi}
    return told | ({} if at.from_seat is None else {"fromSeat": at.from_seat})


def _seat_factors(factors: SeatFactors) -> Json:
    return {
        "seat": factors.seat,
        "openings": factors.openings,
        "zhiGangs": factors.zhi_gangs,
        "buGangs": factors.bu_gangs,
        "anGangs": factors.an_gangs,
        "putDowns": factors.put_downs,
        "wildKongs": factors.wild_kongs,
    }


def _table(given: Json, winner: int, *, with_winner: bool) -> Json:
    table = test_mahjong_payments._table(given, winner)
    told: Json = {
        "seats": [_seat_factors(one) for one in table.seats if with_winner or one.seat != winner],
        "guarantees": [{"kind": f"GUARANTEE_KIND_{one.kind.upper()}", "seat": one.seat} for one in table.guarantees],
    }
    return told | ({} if table.dealer is None else {"dealer": table.dealer})


def _hand(vector: Vector) -> Json:
    given = vector["input"]
    request = _held(vector) | {"concealed": {"text": given["hand"]}}
    if "losers" not in given:
        request["circumstances"] = _circumstances(
            Circumstances(given["mode"], None, given.get("gang_flower", False), given.get("haidi", False))
        )
        return request
    request["circumstances"] = _circumstances(test_mahjong_payments._circumstances(given))
    request["table"] = _table(given, 0, with_winner=False)
    return request


def _reasons(refusals: Any) -> list[str]:
    return [errors_pb2.HuRefusal.Name(item.reason).removeprefix("HU_REFUSAL_") for item in refusals]


def _hu_check(vector: Vector) -> Callable[[Any], None]:
    expect = vector["expect"]

    def check(answer: mahjong_pb2.CheckHuResponse) -> None:
        value = answer.value
        assert value.hu == expect["hu"]
        if not value.hu:
            assert _reasons(value.refusals)[0] in test_mahjong_hu.REASONS[expect["reason"]]
            return
        assert sorted(kind.name for kind in value.types if not kind.is_factor) == sorted(vectors.types(vector))
        assert value.hard == expect["hard"]
        if "base" in expect:
            assert (value.base.numerator, value.base.denominator) == (expect["base"], 1)
        if "pay" in expect:
            _paid(expect, answer.settlement)

    return check


def _paid(expect: Json, settlement: mahjong_pb2.Settlement) -> None:
    paid = dict.fromkeys(expect["pay"], 0)
    for payment in settlement.payments:
        assert payment.amount.denominator == 1
        paid[str(payment.from_seat)] += payment.amount.numerator
    assert paid == expect["pay"]
    assert settlement.gold == expect.get("golden", settlement.gold)


def _hu(vector: Vector) -> Case:
    return _case("CheckHu", vector, {"rules": rules_of(vector)} | _hand(vector), _hu_check(vector))


def _is_plain(vector: Vector) -> bool:
    """Whether tiles and mode alone decide: no kong before it or robbed, no end of the wall, no settlement at gold."""
    given, expect = vector["input"], vector["expect"]
    at_once = given.get("gang_flower") or given.get("haidi") or given["mode"] == "rob_kong"
    return not (at_once or "golden" in expect or expect.get("reason") == "two_laizi_not_gold")


def _without_one(vector: Vector) -> tuple[str, str]:
    """The hand without one of its tiles, a natural one, and that tile."""
    wild = set(tiles.read_kinds(vector["input"]["wild"]))
    held = sorted(tiles.read(vector["input"]["hand"]), key=lambda tile: (tile not in wild, tile))
    return " ".join(tiles.NAMES[tile] for tile in held[:-1]), tiles.NAMES[held[-1]]


def _waits_request(vector: Vector) -> Json:
    mode = {"zimo": "WIN_MODE_ZIMO"}.get(vector["input"]["mode"], "WIN_MODE_DISCARD")
    return _held(vector) | {"concealed": {"text": _without_one(vector)[0]}, "mode": mode}


def _waits_check(vector: Vector) -> Callable[[Any], None]:
    """The tile taken away is among the waits exactly when the whole hand wins."""
    given, expect = vector["input"], vector["expect"]
    tile = _without_one(vector)[1]

    def check(answer: mahjong_pb2.ListWaitsResponse) -> None:
        waits = {wait.tile.text: wait for wait in answer.waits.waits}
        assert (tile in waits) == expect["hu"]
        if expect["hu"]:
            value = waits[tile].zimo if given["mode"] == "zimo" else waits[tile].discard
            assert value.hu

    return check


def _waits(vector: Vector) -> Case:
    return _case("ListWaits", vector, {"rules": rules_of(vector)} | _waits_request(vector), _waits_check(vector))


def _discards(vector: Vector) -> Case:
    """A hand that has won waits for the tile that it discards."""
    tile = _without_one(vector)[1]
    request = {"rules": rules_of(vector)} | _held(vector) | {"concealed": {"text": vector["input"]["hand"]}}

    def check(answer: mahjong_pb2.ListWaitsResponse) -> None:
        waits = {one.discard.text: {wait.tile.text for wait in one.waits.waits} for one in answer.discards}
        assert tile in waits[tile]

    return _case("ListWaits", vector, request, check, "-discards")


def _shanten(vector: Vector) -> Case:
    """Every second win is asked without a tile."""
    given = vector["input"]
    whole = int(vector["id"][-1]) % 2 == 0
    concealed = given["hand"] if whole else _without_one(vector)[0]
    request = {
        "rules": rules_of(vector),
        "wilds": _wilds(given["wild"], given.get("pizi", "")),
        "concealed": {"text": concealed},
        "melds": _melds(vector),
    }

    def check(answer: mahjong_pb2.ShantenResponse) -> None:
        assert answer.HasField("shanten")
        assert answer.shanten == (-1 if whole else 0)

    return _case("Shanten", vector, request, check)


def _claims_request(vector: Vector, situation: Situation) -> Json:
    given = vector["input"]
    wild = given.get("wild", "9s")
    indicator = "" if vector["system"] == "M1" else given.get("pizi", tiles.NAMES[tiles.read_one(wild) - 1])
    request: Json = {
        "rules": rules_of(vector),
        "wilds": _wilds(wild, indicator),
        "trigger": f"CLAIM_TRIGGER_{str(situation.trigger).upper()}",
        "triggerSeat": situation.trigger_seat,
        "seats": [
            {
                "seat": seat.seat,
                "concealed": {"text": str(seat.concealed)},
                "melds": [
                    _meld(meld.kind, " ".join(tiles.NAMES[tile] for tile in meld.tiles), meld.seat)
                    for meld in seat.melds
                ],
                "state": {"wildDiscarded": seat.wild_discarded},
            }
            for seat in situation.seats
        ],
        "questions": [
            {
                "seat": question.seat,
                "kind": f"CLAIM_KIND_{str(question.kind).upper()}",
                **({"tile": {"text": str(question.tile)}} if question.tile else {}),
                **({"with": {"text": str(question.with_tiles)}} if question.with_tiles else {}),
            }
            for question in situation.questions
        ],
    }
    if situation.tile:
        request["tile"] = {"text": str(situation.tile)}
    if situation.dealer is not None:
        request["dealer"] = situation.dealer
    if situation.wall_left is not None:
        request["wallLeft"] = situation.wall_left
    return request


def _claim_reasons(verdict: Any) -> list[str]:
    return [errors_pb2.ClaimRefusal.Name(item.reason).removeprefix("CLAIM_REFUSAL_") for item in verdict.refusals]


def _claims(vector: Vector) -> Case:
    expect = vector["expect"]

    def check(answer: mahjong_pb2.ListClaimsResponse) -> None:
        (verdict,) = answer.verdicts
        assert verdict.allowed == expect["allowed"]
        assert set(_claim_reasons(verdict)) == test_claim_vectors.REASONS.get(vector["id"], set())
        if not verdict.allowed:
            return
        if "factor" in expect:
            assert (verdict.claim.factor.numerator, verdict.claim.factor.denominator) == (expect["factor"], 1)
        assert verdict.claim.replacement_draw == expect.get("replacement_draw", False)
        assert verdict.claim.bans_hu == (expect.get("effect") == "hu_banned_this_hand")

    return _case("ListClaims", vector, _claims_request(vector, test_claim_vectors.asked(vector)[1]), check)


def _claims_together(vector: Vector) -> Case:
    seats = vector["input"]["claims_hu"]

    def check(answer: mahjong_pb2.ListClaimsResponse) -> None:
        allowed = [seat for seat, verdict in zip(seats, answer.verdicts, strict=True) if verdict.allowed]
        assert allowed == [answer.seats[0].seat] == [vector["expect"]["winner"]]
        assert [_claim_reasons(verdict) for verdict in answer.verdicts if not verdict.allowed] == [["OUTRANKED"]]

    return _case("ListClaims", vector, _claims_request(vector, test_claim_vectors.asked_together(vector)[1]), check)


def _score(vector: Vector) -> Json:
    given = vector["input"]
    winner = given["winner"]["seat"]
    return {
        "winnerSeats": [winner],
        "circumstances": _circumstances(test_mahjong_payments._circumstances(given)),
        "types": test_mahjong_payments._big_types(vector),
        "hard": given["hard"],
        "table": _table(given, winner, with_winner=True),
    }


def _pay_check(vector: Vector) -> Callable[[Any], None]:
    def check(answer: mahjong_pb2.SettleHandResponse) -> None:
        _paid(vector["expect"], answer.settlement)

    return check


def _settle(vector: Vector) -> Case:
    return _case("SettleHand", vector, {"rules": rules_of(vector)} | _score(vector), _pay_check(vector))


def _caps(vector: Vector) -> Case:
    """One loser has a kong of each kind, whose factor is what he is to pay; all else counts once."""
    raw, expect = vector["input"]["raw"], vector["expect"]
    options: Json = {"score.small": {"base": 1, "zimo": 1, "zimo_base": "none"}}
    options |= {f"score.kong.{kind}": amount for kind, amount in zip(("zhi", "bu", "an"), raw, strict=True)}
    seats = [SeatFactors(1, 1, zhi_gangs=1), SeatFactors(2, 1, bu_gangs=1), SeatFactors(3, an_gangs=1)]
    request = {
        "rules": {"preset": vectors.PRESETS["M2"], "overrides": options},
        "winnerSeats": [0],
        "table": {"seats": list(map(_seat_factors, seats))},
    }

    def check(answer: mahjong_pb2.SettleHandResponse) -> None:
        assert [payment.amount.numerator for payment in answer.settlement.payments] == expect["pay"]
        assert [amount.numerator for amount in answer.settlement.uncapped[1:]] == raw
        assert answer.settlement.gold == expect["golden"]

    return _case("SettleHand", vector, request, check)


def _columns(hands: list[Vector]) -> Iterator[Case]:
    """Columns of the vectors that share rules and wilds, with a bad row at the end."""

    def key(vector: Vector) -> str:
        return str((rules_of(vector), vector["input"]["wild"], vector["input"].get("pizi")))

    groups = [list(group)[:MOST] for _, group in itertools.groupby(sorted(filter(_is_plain, hands), key=key), key)]
    for number, taken in enumerate([group for group in groups if len(group) > 2]):
        yield _hu_columns(f"CheckHuColumns/{number + 1}", taken)
        yield _wait_columns(f"WaitColumns/{number + 1}", [one for one in taken if one["input"]["mode"] == "zimo"])
        yield _shanten_columns(f"ShantenColumns/{number + 1}", [one for one in taken if one["expect"]["hu"]])


def _column_case(
    name: str, taken: list[Vector], concealed: list[str], more: Json, check: Callable[[Any], None]
) -> Case:
    rpc = name.partition("/")[0]
    melds = [[mahjong.Meld(meld["kind"], meld["tiles"]) for meld in one["input"]["melds"]] for one in taken]
    downs = [one["input"].get("winner", {}) for one in taken]
    columns = {
        "concealed": base64_of(tile_rows(concealed) + BAD_ROW),
        "melds": base64_of(meld_rows([*melds, []])),
        "downs": base64_of(bytes([*(down.get("pizi", 0) | down.get("laizi", 0) << 4 for down in downs), 0])),
    }
    given = taken[0]["input"]
    wilds = _wilds(given["wild"], given.get("pizi", ""))
    request = {"rules": rules_of(taken[0]), "wilds": wilds, "hands": columns, **more}
    clauses = sorted({clause for one in taken for clause in one["clauses"]})
    return Case(name, f"MahjongService/{rpc}", [request], check, clauses=clauses, vectors=[one["id"] for one in taken])


def _errors(taken: list[Vector]) -> bytes:
    return bytes(len(taken)) + bytes([ErrorReason.TOO_MANY_COPIES.number])


def _hu_columns(name: str, taken: list[Vector]) -> Case:
    flags = {"zimo": 0, "discard": 1, "rob_kong": 2}
    circumstances = [
        flags[given["mode"]] | given.get("gang_flower", False) << 2 | given.get("haidi", False) << 3
        for given in (one["input"] for one in taken)
    ]

    def check(answer: mahjong_pb2.CheckHuColumnsResponse) -> None:
        assert answer.errors == _errors(taken)
        held = struct.unpack(f"<{len(taken) + 1}H", answer.types)
        for one, verdict, types in zip(taken, answer.verdicts, held, strict=False):
            expect = one["expect"]
            assert bool(verdict & 1) == expect["hu"]
            if expect["hu"]:
                assert bool(verdict & 2) == expect["hard"]
                names = {kind for bit, kind in enumerate(answer.type_names) if types >> bit & 1}
                assert names == set(vectors.types(one))

    more = {"circumstances": base64_of(bytes([*circumstances, 0]))}
    return _column_case(name, taken, [one["input"]["hand"] for one in taken], more, check)


def _wait_columns(name: str, taken: list[Vector]) -> Case:
    def check(answer: mahjong_pb2.WaitColumnsResponse) -> None:
        assert answer.errors == _errors(taken)
        for one, waits in zip(taken, struct.unpack(f"<{len(taken) + 1}Q", answer.waits), strict=False):
            tile = tiles.read_one(_without_one(one)[1])
            assert bool(waits >> tile & 1) == one["expect"]["hu"]

    return _column_case(name, taken, [_without_one(one)[0] for one in taken], {"mode": "WIN_MODE_ZIMO"}, check)


def _shanten_columns(name: str, taken: list[Vector]) -> Case:
    def check(answer: mahjong_pb2.ShantenColumnsResponse) -> None:
        assert answer.errors == _errors(taken)
        assert answer.shanten == b"\0" * len(taken) + b"\x7f"
        for one, improving in zip(taken, struct.unpack(f"<{len(taken) + 1}Q", answer.improving), strict=False):
            assert improving >> tiles.read_one(_without_one(one)[1]) & 1

    return _column_case(name, taken, [_without_one(one)[0] for one in taken], {"withImproving": True}, check)
