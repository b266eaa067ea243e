"""Cases asked again with parts of a request that the vectors leave out: byte codes, declarations, limits, whole rules.

Each is made from a case of the other modules, or from its vector, and checked by what that says.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from google.protobuf.message import Message

from conformance import doudizhu, mahjong
from conformance.cases import Case, Check, Json, canonical
from conformance.doudizhu import base64_of
from laizi import cards, rules, tiles
from laizi.v1 import doudizhu_pb2, errors_pb2, mahjong_pb2, rules_pb2
from laizi_service.client import card_rows, split_readings
from tests import doudizhu_vectors, mahjong_vectors
from tests.game import test_settlement
from tests.vector_files import Vector

FORMS: Final = ("laizi.v1.Cards", "laizi.v1.Tiles")
"""The messages that have a form in text and one in byte codes."""
VECTORS: Final = {one["id"]: one for one in (*doudizhu.HANDED, *doudizhu.OPTIONS, *mahjong.HANDED)}
SEATS: Final = 4
SUITS: Final = 4


def cases(made: Sequence[Case]) -> Iterator[Case]:
    """All of them. ``made`` holds the cases from which they are derived."""
    known = {case.id: case for case in made}
    following = [case for case in made if case.rpc.endswith("/ComparePlays") and "via" in _vector(case)["expect"]]
    new = [
        *map(_following, following[::9]),
        *_plays(known),
        *_games(known),
        *_wins(known),
        *map(_drawn, ("M2-V011", "M2-V045")),
        *_seen(known),
        *_custom(known["ReadPlay/D6-V006"]),
    ]
    yield from new
    yield from _coded([*made, *new])


def _vector(case: Case) -> Vector:
    return VECTORS[case.vectors[0]]


def _again(case: Case, suffix: str, more: Json, check: Check | None = None) -> Case:
    """A case with some fields of its request set anew; without another check its answer has to pass the same one."""
    name = f"{case.id}-{suffix}"
    request = copy.deepcopy({**case.requests[0], **more})
    return Case(name, case.rpc, [request], check or case.check, clauses=case.clauses, vectors=case.vectors)


def _following(case: Case) -> Case:
    """A play is read as the answer to another, declared as a reading that beats it."""
    via = list(map(doudizhu_vectors.reading, _vector(case)["expect"]["via"]))
    asked = case.requests[0]
    request: Json = {name: asked[name] for name in ("rules", "wilds", "previous") if name in asked}
    request |= {"cards": asked["challenger"]["cards"], "declaredReading": via[-1]}

    def check(answer: doudizhu_pb2.ReadPlayResponse) -> None:
        assert (answer.legal, answer.taken) == (True, via[-1])
        assert {reading.code for reading in answer.readings if reading.beats_previous} == set(via)

    name = f"ReadPlay/{case.vectors[0]}-following"
    return Case(name, "DoudizhuService/ReadPlay", [request], check, clauses=case.clauses, vectors=case.vectors)


def _plays(known: dict[str, Case]) -> Iterator[Case]:
    listed = next(case for case in known.values() if case.id.startswith("ListPlays/") and _playable(case))

    def first(answer: doudizhu_pb2.ListPlaysResponse) -> None:
        assert len(answer.plays) == 1 <= answer.total

    yield _again(listed, "limit", {"limit": 1}, first)

    double = known["ReadPlay/DO-V086"]

    def declared(answer: doudizhu_pb2.ReadPlayResponse) -> None:
        assert {reading.code for reading in answer.readings} == set(_vector(double)["expect"]["classes"])
        assert (answer.legal, answer.taken) == (True, "triple_1:3:1")

    # A soft bomb by default; the wild declared as itself leaves the triple with its kicker.
    yield _again(double, "declared", {"declaredCards": {"text": "3337"}}, declared)

    last = known["ReadPlay/DO-V007"]
    vector = _vector(last)
    given = vector["input"]
    rows = card_rows([given["cards"]], given.get("wild") or "", " ".join(given.get("wild_cards") or ()))
    request = {name: last.requests[0][name] for name in ("rules", "wilds")}
    request |= {"plays": base64_of(rows), "lastPlay": given["last"]}

    def read(answer: doudizhu_pb2.ReadPlayColumnsResponse) -> None:
        (readings,) = split_readings(answer.reading_counts, answer.readings)
        assert doudizhu_vectors.matches(vector["expect"], set(readings))

    name, rpc = "ReadPlayColumns/last", "DoudizhuService/ReadPlayColumns"
    yield Case(name, rpc, [request], read, clauses=last.clauses, vectors=last.vectors)


def _playable(case: Case) -> bool:
    return bool(_vector(case)["expect"].get("playable"))


def _games(known: dict[str, Case]) -> Iterator[Case]:
    rich = next(
        case for case in known.values() if case.rpc.endswith("/ResolveAuction") and case.requests[0].get("beans")
    )
    yield _again(rich, "room", {"roomValue": "5"})

    def told(answer: doudizhu_pb2.ResolveAuctionResponse) -> None:
        assert (answer.status, answer.landlord, answer.base) == (doudizhu_pb2.AUCTION_STATUS_DONE, 2, 3)

    request: Json = {"rules": {"preset": "tiandi"}, "externalLandlord": 2, "externalBase": 3}
    yield Case("ResolveAuction/external", "DoudizhuService/ResolveAuction", [request], told)

    # Four cards a bomb and wholes are what the vector means without saying so; who played a bomb changes nothing.
    base = known["SettleGame/D4-V056"]
    bombs = [bomb | {"seat": 1} | ({"cards": 4} if "tier" in bomb else {}) for bomb in base.requests[0]["bombs"]]
    extras = [extra | {"value": extra["value"] | {"denominator": "1"}} for extra in base.requests[0]["extraFactors"]]
    yield _again(base, "explicit", {"bombs": bombs, "extraFactors": extras})

    shown, base = VECTORS["D6-V076"], known["SettleGame/D6-V091"]
    seats = copy.deepcopy(base.requests[0]["seats"])
    seats[0] |= {"show": "SHOW_MOMENT_DURING_DEAL", "showCardsDealt": shown["input"]["cards_dealt"]}

    def multiplied(answer: doudizhu_pb2.SettleGameResponse) -> None:
        factor = shown["expect"]["factor"]
        assert answer.multiplier.numerator == _vector(base)["expect"]["multiplier"] * factor
        deltas = [delta * factor for delta in _vector(base)["expect"]["delta"]]
        assert [seat.delta.numerator for seat in answer.seats] == deltas

    yield _again(base, "shown", {"seats": seats}, multiplied)

    preset, game, expected = test_settlement.CLAUSES["D2-34"]

    def fled(answer: doudizhu_pb2.SettleGameResponse) -> None:
        assert [seat.delta.numerator for seat in answer.seats] == expected

    seats = [{"fled": seat.fled} for seat in game.seats]
    request = {"rules": {"preset": preset}, "landlord": game.landlord, "seats": seats, "bid": game.bid}
    yield Case("SettleGame/fled", "DoudizhuService/SettleGame", [request], fled, clauses=["D2-34"])


def _wins(known: dict[str, Case]) -> Iterator[Case]:
    # The same table with each seat moved on by one.
    base = known["CheckHu/M2-V012"]
    moved = _moved(base.requests[0])
    moved["table"]["seatCount"] = SEATS
    moved |= {"seat": 1, "winningTile": {"text": "6m"}, "decompositionLimit": 3}

    def back(answer: mahjong_pb2.CheckHuResponse) -> None:
        assert 1 <= len(answer.decompositions) == min(3, answer.decomposition_total)
        assert {payment.to_seat for payment in answer.settlement.payments} == {1}
        same = copy.deepcopy(answer)
        for payment in same.settlement.payments:
            payment.from_seat = (payment.from_seat - 1) % SEATS
        assert base.check is not None
        base.check(same)

    yield _again(base, "seat", moved, back)

    wins = [case for name, case in known.items() if name.startswith("CheckHu/M1") and _vector(case)["expect"]["hu"]]
    drawn = next(case for case in wins if case.requests[0]["circumstances"]["mode"] == "WIN_MODE_ZIMO")
    at = drawn.requests[0]["circumstances"] | {"haidi": True}

    def haidi(answer: mahjong_pb2.CheckHuResponse) -> None:
        assert answer.value.hu
        expected = {*mahjong_vectors.types(_vector(drawn)), "haidi"}
        assert {kind.name for kind in answer.value.types if not kind.is_factor} == expected

    yield _again(drawn, "haidi", {"circumstances": at}, haidi)

    fed = next(case for case in wins if case.requests[0]["circumstances"]["mode"] == "WIN_MODE_DISCARD")
    selector = copy.deepcopy(fed.requests[0]["rules"])
    selector.setdefault("overrides", {})["claim.missed_hu"] = "until_draw"

    def missed(answer: mahjong_pb2.CheckHuResponse) -> None:
        assert [one.reason for one in answer.value.refusals] == [errors_pb2.HU_REFUSAL_MISSED_HU_LOCK]

    state = fed.requests[0]["state"] | {"missedHu": True}
    yield _again(fed, "missed", {"rules": selector, "state": state}, missed)

    columns = known["CheckHuColumns/1"]
    rows = base64.b64decode(columns.requests[0]["hands"]["concealed"])
    wild = tiles.read_one(columns.requests[0]["wilds"]["wilds"]["text"])
    winning = [
        max(tile for tile in range(34) if row[tile] and tile != wild)
        for row in (rows[start : start + 34] for start in range(0, len(rows), 34))
    ]
    yield _again(columns, "winning", {"winningTiles": base64_of(bytes([*winning[:-1], 255]))})


def _moved(value: Any) -> Any:
    """A part of a request with each seat moved on by one."""
    if isinstance(value, list):
        return list(map(_moved, value))
    if isinstance(value, dict):
        seats = ("seat", "fromSeat", "dealer")
        return {name: (one + 1) % SEATS if name in seats else _moved(one) for name, one in value.items()}
    return value


def _drawn(name: str) -> Case:
    """The hand of a vector drawn as a claim, whose win depends on the kong before it or on the table."""
    vector = VECTORS[name]
    given, expect, winner = vector["input"], vector["expect"], vector["input"]["winner"]
    tile = max(set(tiles.read(given["hand"])) - {tiles.read_one(given["wild"])})
    request: Json = {
        "rules": mahjong.rules_of(vector),
        "wilds": {"wilds": {"text": given["wild"]}, "indicators": {"text": given["pizi"]}},
        "trigger": "CLAIM_TRIGGER_DRAW",
        "tile": {"text": tiles.NAMES[tile]},
        "seats": [
            {
                "concealed": {"text": given["hand"]},
                "state": {"putDowns": winner.get("pizi", 0), "wildKongs": winner.get("laizi", 0)},
            }
        ],
        "seatCount": SEATS,
        "afterKong": given.get("gang_flower", False),
        "questions": [{"kind": "CLAIM_KIND_HU", "tile": {"text": tiles.NAMES[tile]}}],
        "table": {"seatCount": SEATS},
    }

    def check(answer: mahjong_pb2.ListClaimsResponse) -> None:
        (verdict,) = answer.verdicts
        assert verdict.allowed
        hu = verdict.claim.hu
        assert sorted(kind.name for kind in hu.types if not kind.is_factor) == sorted(mahjong_vectors.types(vector))
        assert hu.hard == expect["hard"]
        assert ("gang_flower" in {kind.name for kind in hu.types}) == given.get("gang_flower", False)

    rpc = "MahjongService/ListClaims"
    return Case(f"ListClaims/{name}-drawn", rpc, [request], check, clauses=vector["clauses"], vectors=[name])


def _seen(known: dict[str, Case]) -> Iterator[Case]:
    """One copy of the tile that completes the hand lies on the table: one less is left."""
    found: dict[str, Callable[[Any], Any]] = {
        "ListWaits": lambda answer: answer.waits.waits,
        "Shanten": lambda answer: answer.improving,
    }
    for rpc, listed in found.items():
        base, tile, left = next(_completed(case) for name, case in known.items() if _is_open(name, rpc, case))

        def check(answer: Any, base: Case = base, tile: str = tile, left: int = left, listed: Any = listed) -> None:
            assert base.check is not None
            base.check(answer)
            assert [one.copies_left for one in listed(answer) if one.tile.text == tile] == [left - 1]

        yield _again(base, "visible", {"visible": {"text": tile}}, check)


def _is_open(name: str, rpc: str, case: Case) -> bool:
    """Whether a case asks for a hand that lacks one tile, of which two are left."""
    if not name.startswith(f"{rpc}/") or name.endswith("-discards") or not _vector(case)["expect"]["hu"]:
        return False
    held = tiles.read(case.requests[0]["concealed"]["text"])
    return len(held) % 3 == 1 and _completed(case)[2] > 1


def _completed(case: Case) -> tuple[Case, str, int]:
    """A case, the tile that completes its hand, and how many of that the hand does not hold."""
    held = tiles.read(case.requests[0]["concealed"]["text"])
    whole = tiles.read(_vector(case)["input"]["hand"])
    (tile,) = (one for one in range(34) if whole.counts[one] > held.counts[one])
    laid = [one for meld in case.requests[0]["melds"] for one in tiles.read(meld["tiles"]["text"])]
    return case, tiles.NAMES[tile], 4 - held.counts[tile] - laid.count(tile)


def _custom(base: Case) -> Iterator[Case]:
    """A preset's options given whole, and pinned, are the preset."""
    loaded = rules.load(base.requests[0]["rules"]["preset"])
    options = {name: "none" if value is None else value for name, value in loaded.options().items()}
    selector: Json = {"custom": options, "expectDigest": loaded.digest}

    def same(answer: doudizhu_pb2.ReadPlayResponse) -> None:
        assert answer.provenance.rule_set_digest == loaded.digest
        assert base.check is not None
        base.check(answer)

    def digest(answer: rules_pb2.GetRuleSetResponse | rules_pb2.ValidateRuleSetResponse) -> None:
        assert answer.rule_set.digest == loaded.digest

    yield _again(base, "custom", {"rules": selector}, same)
    for rpc in ("GetRuleSet", "ValidateRuleSet"):
        request = {"rules": selector, "game": f"GAME_{loaded.game.upper()}"}
        yield Case(f"{rpc}/custom", f"RulesService/{rpc}", [request], digest)


def _coded(made: Sequence[Case]) -> Iterator[Case]:
    """For each field of cards and tiles the first case that has it in text, asked in byte codes."""
    seen: set[str] = set()
    for case in made:
        if case.rpc.partition("/")[2].startswith("Batch"):
            continue
        (request,) = case.messages()
        fields = {name for name, _ in forms(request)}
        if fields <= seen or not all(_in_one_pack(form) for _, form in forms(request)):
            continue
        seen |= fields
        suits = any(cards.read(form.text).suited for _, form in forms(request) if form.DESCRIPTOR.name == "Cards")
        for _, form in forms(request):
            form.codes = _codes(form)

        def check(answer: Message, check: Check | None = case.check, suits: bool = suits) -> None:
            same = copy.deepcopy(answer)
            for _, form in forms(same):
                assert form.WhichOneof("form") in (None, "codes")
                form.text = _text(form, suits)
            assert check is not None
            check(same)

        yield Case(
            f"{case.id}-codes", case.rpc, [canonical(request)], check, clauses=case.clauses, vectors=case.vectors
        )


def forms(message: Message) -> Iterator[tuple[str, Any]]:
    """The cards and tiles anywhere in a message, each with the full name of the field that holds it."""
    for field, value in message.ListFields():
        if field.message_type is None or field.message_type.GetOptions().map_entry:
            continue
        for one in value if field.is_repeated else [value]:
            if field.message_type.full_name in FORMS:
                yield field.full_name, one
            else:
                yield from forms(one)


def _in_one_pack(form: Any) -> bool:
    """Whether there are byte codes for cards or tiles: what wilds stand for may be more cards than a pack has."""
    return form.DESCRIPTOR.name == "Tiles" or all(form.text.count(rank) <= SUITS for rank in cards.RANKS)


def _codes(form: Any) -> bytes:
    """The byte codes of cards or tiles in text, in their order; suits that are not told are the first free ones."""
    if form.DESCRIPTOR.name == "Tiles":
        return tiles.read(form.text).codes()
    suited = list(cards.read(form.text).suited)
    codes: list[int] = []
    for rank in cards.in_order(form.text):
        own = [code for code in suited if cards.rank_of_code(code) == rank]
        free = own or [cards.code_of(rank, suit) for suit in range(SUITS)]
        codes.append(next(code for code in free if code not in codes))
    return bytes(codes)


def _text(form: Any, suits: bool) -> str:
    """The text of cards or tiles in byte codes; cards without suits where the text of the request had none."""
    if form.DESCRIPTOR.name == "Tiles":
        return tiles.read(form.codes).text()
    if suits:
        return cards.read(form.codes).text()
    return "".join(cards.RANKS[rank] for rank in cards.in_order(form.codes))
