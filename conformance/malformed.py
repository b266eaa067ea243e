"""Cases of malformed requests: each reason that a request can provoke, with the field that it names."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Final

from conformance.cases import Case, Json
from conformance.doudizhu import base64_of
from laizi.errors import ErrorReason

UNREACHABLE: Final = {
    ErrorReason.MISSING_OPTION: "every option has a default",
    ErrorReason.MISSING_SOURCE: "a fault in the answer of ValidateRuleSet, where it has a case; never an error",
    ErrorReason.MALFORMED_RULES: "a fault in the answer of ValidateRuleSet, where it has a case; never an error",
    ErrorReason.COUNT_OUT_OF_RANGE: "raised by the builders of columns in the client, before a request exists",
    ErrorReason.DUPLICATE_CORRELATION_ID: "depends on whether the first request is still in flight",
    ErrorReason.MALFORMED_MESSAGE: "no request in JSON form is sent as bytes that are no message",
    ErrorReason.NOT_IMPLEMENTED: "everything of the contract is built",
    ErrorReason.OVERLOADED: "depends on the load of the server",
    ErrorReason.SHUTTING_DOWN: "depends on the state of the server",
    ErrorReason.DEADLINE_EXCEEDED: "depends on the clock",
    ErrorReason.INTERNAL_FAULT: "a fault of the server, not of a request",
    ErrorReason.UNAUTHENTICATED: "depends on how the server is set up, and on what the connection shows",
}
"""The reasons for which there is no case with an error, and why."""

HUANLE: Final[Json] = {"preset": "huanle"}
HONGHU: Final[Json] = {"preset": "honghu"}
HONGZHONG: Final[Json] = {"preset": "hongzhong"}
NINE: Final[Json] = {"wilds": {"text": "9p"}}
WIN: Final = "123m456p789s 55m z1z1z1"
SEATS: Final[list[Json]] = [{"out": True}, {}, {}]
PLAYS: Final = "DoudizhuService/ReadPlay"
GAME: Final = "DoudizhuService/SettleGame"
HU: Final = "MahjongService/CheckHu"
CLAIMS: Final = "MahjongService/ListClaims"
HAND: Final = "MahjongService/SettleHand"
GET: Final = "RulesService/GetRuleSet"
WILD: Final = "RulesService/DetermineWild"


def cases() -> Iterator[Case]:
    """One for each row of the table, named by its reason."""
    numbers: dict[str, int] = {}
    for reason, rpc, request, field in (*_notation(), *_tables(), *_rule_sets(), *_wire()):
        numbers[reason] = numbers.get(reason, 0) + 1
        yield Case(f"error/{reason}-{numbers[reason]}", rpc, [request], reason=ErrorReason[reason], field=field)


Row = tuple[str, str, Json, str]


def _read(**more: Any) -> Json:
    return {"rules": HUANLE, "wilds": {"ranks": "7"}, **more}


def _hu(concealed: str, **more: Any) -> Json:
    return {"rules": HONGHU, "wilds": NINE, "concealed": {"text": concealed}, **more}


def _notation() -> Iterator[Row]:
    """Cards, tiles, plays and wilds."""
    three: Json = {"cards": {"text": "333"}}
    yield "UNKNOWN_RANK", PLAYS, _read(cards={"text": "3331"}), "cards.text"
    yield "UNKNOWN_RANK", PLAYS, {"rules": HUANLE, "wilds": {"ranks": "7?"}, **three}, "wilds.ranks"
    yield "UNKNOWN_SUIT", PLAYS, _read(cards={"text": "h3"}), "cards.text"
    yield "UNKNOWN_CARD_CODE", PLAYS, _read(cards={"codes": base64_of(b"\x01\x0e")}), "cards.codes"
    yield "UNKNOWN_TILE", HU, _hu("123x"), "concealed.text"
    yield "UNKNOWN_TILE_CODE", HU, {**_hu(""), "concealed": {"codes": base64_of(b"\x01\x0a")}}, "concealed.codes"
    yield "TOO_MANY_COPIES", PLAYS, _read(cards={"text": "33333"}), "cards.text"
    yield "TOO_MANY_COPIES", HU, _hu("11111m 234p 567p 88s"), "concealed.text"
    yield "DUPLICATE_CARD", PLAYS, _read(cards={"text": "3h 3h"}), "cards.text"
    yield "EMPTY_PLAY", PLAYS, _read(cards={"text": ""}), "cards.text"
    yield "EMPTY_PLAY", PLAYS, _read(), "cards"
    yield "EMPTY_HAND", "DoudizhuService/ListPlays", _read(), "hand"
    yield "EMPTY_HAND", HU, {"rules": HONGHU, "wilds": NINE}, "concealed"
    yield "HAND_TOO_LARGE", PLAYS, _read(cards={"text": "33334444555566667777 8"}), "cards.text"
    yield (
        "SUIT_MISSING",
        PLAYS,
        {"rules": {"preset": "chosen_wilds"}, "wilds": {"cards": {"text": "7h 7d"}}, "cards": {"text": "77"}},
        "cards.text",
    )
    yield (
        "TILE_OUTSIDE_SET",
        HU,
        {"rules": HONGZHONG, "concealed": {"text": "123m456p789s 55m z1z1z1"}},
        "concealed.text",
    )
    yield "WRONG_TILE_COUNT", HU, _hu("123m456p"), "concealed.text"
    chi = {"kind": "MELD_KIND_CHI", "tiles": {"text": "135m"}}
    yield "MALFORMED_MELD", HU, _hu("123m456p789s 55m", melds=[chi]), "melds[0].tiles.text"
    chi = {"kind": "MELD_KIND_CHI", "tiles": {"text": "123m"}}
    yield (
        "MELD_NOT_ALLOWED",
        HU,
        {"rules": HONGZHONG, "concealed": {"text": "123m456p789s 55m"}, "melds": [chi]},
        "melds[0].kind",
    )
    peng = {"kind": "MELD_KIND_PENG", "tiles": {"text": "999p"}}
    yield "WILD_IN_MELD", HU, _hu("123m456p789s 55m", melds=[peng]), "melds[0].tiles.text"
    yield "WINNING_TILE_NOT_IN_HAND", HU, _hu(WIN, winning_tile={"text": "2p"}), "winning_tile.text"
    yield "WILD_NOT_ALLOWED", PLAYS, {"rules": {"preset": "classic"}, "wilds": {"ranks": "7"}, **three}, "wilds.ranks"
    yield "WRONG_WILD_COUNT", PLAYS, {"rules": HUANLE, "wilds": {"ranks": "79"}, **three}, "wilds.ranks"
    yield "WILD_IS_JOKER", PLAYS, {"rules": HUANLE, "wilds": {"ranks": "X"}, **three}, "wilds.ranks"
    yield (
        "BAD_INDICATOR",
        WILD,
        {"rules": {"preset": "wuhan"}, "doudizhu": {"bottom": {"text": "5 9"}}},
        "doudizhu.bottom.text",
    )
    yield "MALFORMED_READING", PLAYS, _read(**three, declaredReading="flush:3:1"), "declared_reading"
    yield "DECLARED_SIZE_MISMATCH", PLAYS, _read(**three, declaredCards={"text": "33"}), "declared_cards.text"
    yield "PREVIOUS_PLAY_ILLEGAL", PLAYS, _read(**three, previous={"cards": {"text": "35"}}), "previous.cards.text"
    yield "MISSING_FIELD", PLAYS, _read(**three, previous={}), "previous"
    yield "CONTRADICTORY_FIELDS", PLAYS, _read(**three, hand={"text": "3339"}, lastPlay=True), "last_play"


def _tables() -> Iterator[Row]:
    """Auctions, claims and settlements."""
    yield "VALUE_OUT_OF_RANGE", "DoudizhuService/ListPlays", _read(hand={"text": "3"}, limit=-1), "limit"
    event = {"seat": 0}
    auction: Json = {"rules": HUANLE, "beans": ["1"] * 3}
    yield "UNKNOWN_ENUM_VALUE", "DoudizhuService/ResolveAuction", {**auction, "events": [event]}, "events[0].action"
    yield "UNKNOWN_ENUM_VALUE", CLAIMS, {"rules": HONGHU, "wilds": NINE, "trigger": 77}, "trigger"
    yield "SEAT_OUT_OF_RANGE", "DoudizhuService/ResolveAuction", {**auction, "firstSeat": 3}, "first_seat"
    seats: list[Json] = [{"seat": 1}, {"seat": 1}]
    table: Json = {"dealer": 0, "seats": seats}
    yield "DUPLICATE_SEAT", HAND, {"rules": HONGHU, "winnerSeats": [0], "table": table}, "table.seats[1].seat"
    at: Json = {"mode": "WIN_MODE_ZIMO", "fromSeat": 2}
    yield "CONTRADICTORY_CIRCUMSTANCES", HU, _hu(WIN, circumstances=at), "circumstances.from_seat"
    rocket: Json = {"type": "PLAY_TYPE_ROCKET"}
    yield "CONTRADICTORY_FACTORS", GAME, {"rules": HUANLE, "seats": SEATS, "bombs": [rocket, rocket]}, "bombs[1]"
    yield "TWO_WINNERS", GAME, {"rules": HUANLE, "seats": [{"out": True}, {"out": True}, {}]}, "seats[1].out"
    yield "TWO_WINNERS", HAND, {"rules": HONGHU, "winnerSeats": [0, 1], "table": {"dealer": 0}}, "winner_seats[1]"
    yield "NO_WINNER", GAME, {"rules": HUANLE, "seats": [{}, {}, {}]}, "seats"
    yield "NO_WINNER", HAND, {"rules": HONGHU, "table": {"dealer": 0}}, "winner_seats"
    guarantee: Json = {"kind": "GUARANTEE_KIND_QQR_NOT_READY", "seat": 0}
    table = {"dealer": 0, "guarantees": [guarantee]}
    fed: Json = {"mode": "WIN_MODE_DISCARD", "fromSeat": 2}
    bao: Json = {"rules": HONGHU, "winnerSeats": [0], "circumstances": fed, "table": table}
    yield "GUARANTOR_WON", HAND, bao, "table.guarantees[0].seat"
    yield "TOO_MANY_ITEMS", GAME, {"rules": HUANLE, "seats": SEATS, "bombs": [rocket] * 14}, "bombs"


def _rule_sets() -> Iterator[Row]:
    """Selectors and clauses."""
    yield "MISSING_FIELD", GET, {}, "rules"
    yield "UNKNOWN_RULE_SET", GET, {"rules": {"preset": "hunle"}}, "rules.preset"
    yield "WRONG_GAME", PLAYS, {"rules": HONGHU, "cards": {"text": "3"}}, "rules.preset"
    options: list[tuple[str, Json, str]] = [
        ("UNKNOWN_OPTION", {"wild.alnoe": "natural"}, "wild.alnoe"),
        ("WRONG_OPTION_TYPE", {"bomb.size.max": "many"}, "bomb.size.max"),
        ("BAD_OPTION_VALUE", {"bomb.size.max": 99}, "bomb.size.max"),
        ("CONTRADICTORY_OPTIONS", {"wild.alone": "natural", "wild": {"alone": "forbidden"}}, "wild.alone"),
    ]
    for reason, overrides, option in options:
        yield reason, GET, {"rules": HUANLE | {"overrides": overrides}}, f"rules.overrides.{option}"
    yield (
        "RULE_SET_DIGEST_MISMATCH",
        GET,
        {"rules": HUANLE | {"expectDigest": "0123456789abcdef"}},
        "rules.expect_digest",
    )
    yield "UNKNOWN_CLAUSE", "RulesService/GetClause", {"id": "D9-99"}, "id"


def _wire() -> Iterator[Row]:
    """Columns."""
    row = base64_of(struct.pack("<QQ", 1, 0))
    ragged: Json = {"rules": HUANLE, "plays": base64_of(bytes(17))}
    yield "BAD_ROW_LENGTH", "DoudizhuService/ReadPlayColumns", ragged, "plays"
    uneven: Json = {"rules": HUANLE, "plays": row, "previous": base64_of(b"\x01\x01\x01\x01")}
    yield "COLUMN_LENGTH_MISMATCH", "DoudizhuService/CompareColumns", uneven, "previous"
    tiles: Json = {"rules": HONGZHONG, "hands": {"concealed": base64_of(bytes(33))}}
    yield "BAD_ROW_LENGTH", "MahjongService/CheckHuColumns", tiles, "hands.concealed"
