"""Cases of DoudizhuService, from the acceptance vectors of Dou Dizhu."""

from __future__ import annotations

import base64
import itertools
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from conformance.cases import Case, Json
from laizi.errors import ErrorReason
from laizi.v1 import doudizhu_pb2, errors_pb2
from laizi_service.client import card_rows, reading_rows, split_readings
from tests import doudizhu_vectors as vectors
from tests import vector_files
from tests.game import test_auction, test_settlement
from tests.vector_files import Vector

HANDED = vectors.load()
OPTIONS = vector_files.load("doudizhu_options")
BAD_CARDS: Json = {"text": "33333"}
BAD_ROW = struct.pack("<QQ", 5, 0)
"""Five cards of rank 3."""
PLAY_MOST = 12
"""Rows of one column case: enough to show how rows follow each other."""


def cases() -> Iterator[Case]:
    """All of them, in the order of the contract."""
    classify = [vector for vector in (*HANDED, *OPTIONS) if vector["kind"] == "classify" and vector["input"]["cards"]]
    beats = [vector for vector in (*HANDED, *OPTIONS) if vector["kind"] == "beats"]
    hands = [vector for vector in HANDED if vector["kind"] == "legality" and "hand" in vector["input"]]
    settled = [vector for vector in HANDED if vector["kind"] == "settle" and "show" not in vector["input"]]
    yield from map(_read, classify)
    yield from map(_compare, beats)
    yield from map(_list, hands)
    yield from map(_list_beating, [vector for vector in beats if "via" in vector["expect"]][::6])
    yield from map(_can_beat, [vector for vector in beats if vector["expect"]["beats"]][::3])
    yield from map(_auction, [vector for vector in HANDED if vector["kind"] == "auction"])
    yield from map(_show, [vector for vector in HANDED if vector["kind"] == "settle" and "show" in vector["input"]])
    yield from map(_settle, settled)
    for system in vectors.PRESETS:
        yield from _batches(system, classify, beats, settled)
    yield from _columns(classify, beats)


def rules_of(vector: Vector) -> Json:
    """The rules of a vector as a selector."""
    options = {name: "none" if value is None else value for name, value in vector.get("options", {}).items()}
    preset = vector["preset"] if "preset" in vector else vectors.PRESETS[vector["system"]]
    return {"preset": preset} | ({"overrides": options} if options else {})


def _wilds(vector: Vector) -> Json:
    given = vector["input"]
    if given.get("wild_cards"):
        return {"wilds": {"cards": {"text": " ".join(given["wild_cards"])}}}
    return {"wilds": {"ranks": given["wild"]}} if given.get("wild") else {}


def _case(rpc: str, vector: Vector, request: Json, check: Callable[[Any], None]) -> Case:
    """A case about one vector."""
    clauses = [clause for clause in vector["clauses"] if "." not in clause]
    return Case(
        f"{rpc}/{vector['id']}", f"DoudizhuService/{rpc}", [request], check, clauses=clauses, vectors=[vector["id"]]
    )


def _read_request(vector: Vector) -> Json:
    given = vector["input"]
    request = {"cards": {"text": given["cards"]}, **_wilds(vector)}
    if "hand" in given:
        request["hand"] = {"text": given["hand"]}
    if "last" in given:
        request["lastPlay"] = given["last"]
    if "target" in given:
        request["declaredCards"] = {"text": given["target"]}
    return request


def _read_check(vector: Vector) -> Callable[[Any], None]:
    expect = vector["expect"]

    def check(answer: doudizhu_pb2.ReadPlayResponse) -> None:
        found = [reading.code for reading in answer.readings]
        if "refused" in expect:
            assert expect["refused"] in _refusals(answer)
            return
        assert vectors.matches(expect, set(found))
        assert answer.legal == expect.get("legal", bool(found))
        if "default" in expect:
            assert (found[0], answer.taken) == (expect["default"], expect["default"])

    return check


def _refusals(answer: Any) -> list[str]:
    return [errors_pb2.PlayRefusal.Name(item.reason).removeprefix("PLAY_REFUSAL_") for item in answer.refusals]


def _read(vector: Vector) -> Case:
    return _case("ReadPlay", vector, {"rules": rules_of(vector), **_read_request(vector)}, _read_check(vector))


def _compare_request(vector: Vector) -> Json:
    given = vector["input"]
    return {
        **_wilds(vector),
        "challenger": {"cards": {"text": given["cards"]}},
        "previous": {"reading": vectors.reading(given["prior"])},
    }


def _compare_check(vector: Vector) -> Callable[[Any], None]:
    expect = vector["expect"]

    def check(answer: doudizhu_pb2.ComparePlaysResponse) -> None:
        beating = {item.reading.code for item in answer.comparisons if item.reading.beats_previous}
        assert answer.beats == expect["beats"] == bool(beating)
        assert beating == set(map(vectors.reading, expect.get("via", beating)))
        if "default" in expect:
            assert answer.comparisons[0].reading.code == expect["default"]

    return check


def _compare(vector: Vector) -> Case:
    request = {"rules": rules_of(vector), **_compare_request(vector)}
    return _case("ComparePlays", vector, request, _compare_check(vector))


def _list(vector: Vector) -> Case:
    given, expect = vector["input"], vector["expect"]
    request = {"rules": rules_of(vector), **_wilds(vector), "hand": {"text": given["hand"]}}
    if "prior" in given:
        request["previous"] = {"reading": vectors.reading(given["prior"])}

    def check(answer: doudizhu_pb2.ListPlaysResponse) -> None:
        assert bool(answer.plays) == expect["playable"]
        found = {play.reading.code for play in answer.plays}
        assert found.issuperset(map(vectors.reading, expect.get("classes", ())))

    return _case("ListPlays", vector, request, check)


def _answering(vector: Vector) -> Json:
    """A hand of exactly the cards that answer a play."""
    given = vector["input"]
    return {
        "rules": rules_of(vector),
        **_wilds(vector),
        "hand": {"text": given["cards"]},
        "previous": {"reading": vectors.reading(given["prior"])},
    }


def _list_beating(vector: Vector) -> Case:
    """A hand of exactly the cards that beat: their readings that beat are in the list."""
    request = _answering(vector) | {"grouping": "PLAY_GROUPING_EXPANDED"}

    def check(answer: doudizhu_pb2.ListPlaysResponse) -> None:
        found = {play.reading.code for play in answer.plays}
        assert answer.may_pass
        assert answer.total == len(answer.plays)
        assert found.issuperset(map(vectors.reading, vector["expect"]["via"]))

    return _case("ListPlays", vector, request, check)


def _can_beat(vector: Vector) -> Case:
    """A hand of exactly the cards that beat."""
    prior = vectors.reading(vector["input"]["prior"])

    def check(answer: doudizhu_pb2.CanBeatResponse) -> None:
        assert answer.can_beat
        assert answer.previous.code == prior

    return _case("CanBeat", vector, _answering(vector), check)


def _auction_request(vector: Vector) -> Json:
    given = vector["input"]
    events = []
    for event in test_auction.events_of(vector):
        told: Json = {"seat": event.seat, "action": f"AUCTION_ACTION_{event.action}"}
        if event.points:
            told["points"] = event.points
        if event.cards_dealt:
            told["cardsDealt"] = event.cards_dealt
        events.append(told)
    request: Json = {"rules": rules_of(vector), "firstSeat": given["start"], "events": events}
    if vector["system"] == "D6":
        request["beans"] = [str(beans) for beans in test_auction.RICH]
    if "holds_rocket" in given:
        request["rocketSeat"] = given["holds_rocket"][0]
    return request


def _auction(vector: Vector) -> Case:
    given, expect = vector["input"], vector["expect"]

    def check(answer: doudizhu_pb2.ResolveAuctionResponse) -> None:
        status = doudizhu_pb2.AuctionStatus.Name(answer.status).removeprefix("AUCTION_STATUS_")
        phase = doudizhu_pb2.AuctionPhase.Name(answer.phase).removeprefix("AUCTION_PHASE_")
        if expect["status"] == "illegal":
            reason = errors_pb2.AuctionRefusal.Name(answer.illegal_event.reason).removeprefix("AUCTION_REFUSAL_")
            assert (status, reason) == ("ILLEGAL", expect["reason"].upper())
            assert answer.illegal_event.index == len(given["events"]) - 1
            return
        # A vector's auction ends with the landlord; doubling, where the rules have it, comes after.
        ended = "OPEN" if phase == "DOUBLE" else "DONE"
        assert status == (ended if expect["status"] == "done" else expect["status"].upper())
        assert answer.forced == expect.get("forced", answer.forced)
        assert answer.base == expect.get("base", answer.base)
        if "landlord" in expect:
            assert answer.HasField("landlord")
            assert answer.landlord == expect["landlord"]
        if "multiplier" in expect:
            assert _whole(answer.multiplier) == expect["multiplier"]
        if "phase" in expect:
            assert (phase, answer.provisional_landlord) == (expect["phase"].upper(), expect["provisional"])
            assert [actor.seat for actor in answer.actors if actor.must_act] == [expect["actor"]]

    return _case("ResolveAuction", vector, _auction_request(vector), check)


def _whole(fraction: Any) -> int:
    assert fraction.denominator == 1
    return int(fraction.numerator)


def _show(vector: Vector) -> Case:
    """What an open hand multiplies, seen in the auction in which it is shown."""
    event = {"seat": 1, "action": "AUCTION_ACTION_SHOW_DURING_DEAL", "cardsDealt": vector["input"]["cards_dealt"]}
    request = {"rules": rules_of(vector), "events": [event], "beans": ["1000"] * 3}

    def check(answer: doudizhu_pb2.ResolveAuctionResponse) -> None:
        assert _whole(answer.multiplier) == vector["expect"]["factor"]

    return _case("ResolveAuction", vector, request, check)


def _settle_request(vector: Vector) -> Json:
    game = test_settlement.game_of(vector["input"])
    seats = []
    for seat in game.seats:
        told: Json = {"out": seat.out, "doubled": seat.doubled, "carried": str(seat.carried)}
        if seat.plays is not None:
            told["plays"] = seat.plays
        seats.append(told)
    bombs = [
        {"type": "PLAY_TYPE_ROCKET"}
        if bomb.tier == "rocket"
        else {"type": "PLAY_TYPE_BOMB", "tier": f"BOMB_TIER_{bomb.tier.upper()}"}
        for bomb in game.bombs
    ]
    extras = [{"name": extra.name, "value": {"numerator": str(extra.value)}} for extra in game.extras]
    return {
        "landlord": game.landlord,
        "seats": seats,
        "bid": game.bid,
        "robs": game.robs,
        "bombs": bombs,
        "landlordStuck": game.landlord_stuck,
        "rate": str(game.rate),
        "extraFactors": extras,
    }


def _settle_check(vector: Vector) -> Callable[[Any], None]:
    expect = vector["expect"]

    def check(answer: doudizhu_pb2.SettleGameResponse) -> None:
        assert [_whole(seat.delta) for seat in answer.seats] == expect["delta"]
        for name, value in (("bomb_multiplier", answer.bomb_multiplier), ("multiplier", answer.multiplier)):
            assert _whole(value) == expect.get(name, _whole(value))
        assert answer.spring == expect.get("spring", answer.spring)
        assert answer.anti_spring == expect.get("anti_spring", answer.anti_spring)

    return check


def _settle(vector: Vector) -> Case:
    return _case("SettleGame", vector, {"rules": rules_of(vector)} | _settle_request(vector), _settle_check(vector))


def _batches(system: str, classify: list[Vector], beats: list[Vector], settled: list[Vector]) -> Iterator[Case]:
    """One batch of each kind for a system, with a malformed item in its middle."""
    kinds: list[tuple[str, list[Vector], Callable[[Vector], Json], Callable[[Vector], Callable[[Any], None]], Json]] = [
        ("BatchReadPlays", classify, _read_request, _read_check, {"cards": BAD_CARDS}),
        (
            "BatchComparePlays",
            beats,
            _compare_request,
            _compare_check,
            {"challenger": {"cards": BAD_CARDS}, "previous": {"reading": "single:3:1"}},
        ),
        ("BatchSettleGames", settled, _settle_request, _settle_check, {"landlord": 3}),
    ]
    for rpc, all_of_them, request, check, bad in kinds:
        taken = [one for one in all_of_them if one.get("system") == system and not one.get("options")][:PLAY_MOST]
        # The vectors of one preset: some systems have two.
        taken = [one for one in taken if rules_of(one) == rules_of(taken[0])]
        if len(taken) > 1:
            yield batch("DoudizhuService", rpc, system, rules_of(taken[0]), taken, request, check, bad)


def batch(
    service: str,
    rpc: str,
    system: str,
    rules: Json,
    taken: list[Vector],
    request: Callable[[Vector], Json],
    check: Callable[[Vector], Callable[[Any], None]],
    bad: Json,
) -> Case:
    """A batch of vectors under one rule set, with a malformed item in its middle."""
    middle = len(taken) // 2
    items = list(map(request, taken))
    items.insert(middle, bad)

    def checked(answer: Any) -> None:
        results = list(answer.results)
        assert results.pop(middle).WhichOneof("result") == "error"
        for one, result in zip(taken, results, strict=True):
            assert result.WhichOneof("result") == "response"
            check(one)(result.response)

    clauses = sorted({clause for one in taken for clause in one["clauses"]})
    ids = [one["id"] for one in taken]
    return Case(
        f"{rpc}/{system}", f"{service}/{rpc}", [{"rules": rules, "items": items}], checked, clauses=clauses, vectors=ids
    )


def _columns(classify: list[Vector], beats: list[Vector]) -> Iterator[Case]:
    """Columns of the vectors that share rules and wilds, with a bad row at the end."""
    for number, taken in enumerate(
        _alike([one for one in classify if not {"hand", "last", "target"} & one["input"].keys()])
    ):
        yield _read_columns(f"ReadPlayColumns/{number + 1}", taken)
    for number, taken in enumerate(_alike(beats)):
        yield _compare_columns(f"CompareColumns/{number + 1}", taken)
        yield _can_beat_columns(f"CanBeatColumns/{number + 1}", [one for one in taken if one["expect"]["beats"]])


def _alike(listed: Sequence[Vector]) -> list[list[Vector]]:
    """Groups of vectors under the same rules and with the same wilds, of three and more."""

    def key(vector: Vector) -> str:
        return str((rules_of(vector), _wilds(vector)))

    groups = (list(group) for _, group in itertools.groupby(sorted(listed, key=key), key))
    return [group[:PLAY_MOST] for group in groups if len(group) > 2]


def base64_of(data: bytes) -> str:
    """Bytes as proto JSON writes them."""
    return base64.b64encode(data).decode()


def _column_case(name: str, taken: list[Vector], columns: Json, check: Callable[[Any], None]) -> Case:
    rpc = name.partition("/")[0]
    request = {"rules": rules_of(taken[0]), **_wilds(taken[0]), **columns}
    clauses = sorted({clause for one in taken for clause in one["clauses"] if "." not in clause})
    return Case(name, f"DoudizhuService/{rpc}", [request], check, clauses=clauses, vectors=[one["id"] for one in taken])


def _rows(taken: list[Vector]) -> bytes:
    given = taken[0]["input"]
    wild_ranks, wild_cards = given.get("wild") or "", " ".join(given.get("wild_cards") or ())
    return card_rows([one["input"]["cards"] for one in taken], wild_ranks, wild_cards) + BAD_ROW


def _errors(taken: list[Vector]) -> bytes:
    return bytes(len(taken)) + bytes([ErrorReason.TOO_MANY_COPIES.number])


def _read_columns(name: str, taken: list[Vector]) -> Case:
    def check(answer: doudizhu_pb2.ReadPlayColumnsResponse) -> None:
        assert answer.errors == _errors(taken)
        rows = split_readings(answer.reading_counts, answer.readings)
        for one, readings in zip(taken, rows, strict=False):
            if "refused" not in one["expect"]:
                assert vectors.matches(one["expect"], set(readings))
        refused = struct.unpack(f"<{len(taken) + 1}I", answer.refusals)
        assert [bool(mask) for mask in refused[:-1]] == [not count for count in answer.reading_counts[:-1]]

    return _column_case(name, taken, {"plays": base64_of(_rows(taken)), "withRefusals": True}, check)


def _prior(taken: list[Vector]) -> str:
    """The readings on the table; that of the bad row is any."""
    readings = [vectors.reading(one["input"]["prior"]) for one in taken]
    return base64_of(reading_rows([*readings, "single:3:1"]))


def _compare_columns(name: str, taken: list[Vector]) -> Case:
    def check(answer: doudizhu_pb2.CompareColumnsResponse) -> None:
        assert answer.errors == _errors(taken)
        packed = struct.unpack(f"<{len(taken) + 1}H", answer.readings)
        assert [bool(reading) for reading in packed] == [*(one["expect"]["beats"] for one in taken), False]

    return _column_case(name, taken, {"plays": base64_of(_rows(taken)), "previous": _prior(taken)}, check)


def _can_beat_columns(name: str, taken: list[Vector]) -> Case:
    def check(answer: doudizhu_pb2.CanBeatColumnsResponse) -> None:
        assert answer.errors == _errors(taken)
        assert answer.can_beat == b"\x01" * len(taken) + b"\0"

    return _column_case(name, taken, {"hands": base64_of(_rows(taken)), "previous": _prior(taken)}, check)
