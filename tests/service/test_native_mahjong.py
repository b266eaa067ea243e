"""CheckHu and BatchCheckHu from bytes to bytes: byte for byte what the generated classes answer, for whatever comes."""

import random
from collections.abc import Iterator
from typing import Any, cast

import pytest
from google.protobuf.message import DecodeError

from laizi import rules
from laizi.errors import LaiziError
from laizi.tiles import NAMES, Tiles
from laizi.v1 import mahjong_pb2 as pb
from laizi.v1 import types_pb2
from laizi_service.calls import Call
from laizi_service.handlers.mahjong import MahjongHandlers
from laizi_service.rule_sets import RuleSets
from laizi_service.settings import Settings
from tests.differential.mahjong_hands import random_hand, random_rules, random_wilds
from tests.mahjong_hands import options
from tests.oracle.mahjong import Hand
from tests.service.requests import selector, tile

MODES = {"zimo": pb.WIN_MODE_ZIMO, "discard": pb.WIN_MODE_DISCARD, "rob_kong": pb.WIN_MODE_ROB_KONG}


@pytest.fixture(scope="module")
def handlers() -> MahjongHandlers:
    settings = Settings(max_batch_items=400)
    return MahjongHandlers(RuleSets(64), settings)


def selected(rng: random.Random, ruleset: rules.RuleSet) -> types_pb2.RuleSetSelector:
    if ruleset.name in rules.presets("mahjong") and ruleset.digest == rules.load(ruleset.name).digest:
        return selector(ruleset.name, {} if rng.random() < 0.1 else None)
    made = types_pb2.RuleSetSelector()
    made.custom.update(ruleset.options())
    return made


def written(rng: random.Random, counts: Any) -> types_pb2.Tiles:
    """Tiles in one of the ways in which a caller may write them, most often as an answer does."""
    tiles, way = Tiles(bytes(counts)), rng.random()
    if way < 0.4:
        return types_pb2.Tiles(codes=bytes(rng.sample(tiles.codes(), len(tiles))))
    if way < 0.8:
        return types_pb2.Tiles(text=tiles.text())
    each = [NAMES[index] for index in tiles]
    rng.shuffle(each)
    return types_pb2.Tiles(text=rng.choice([" ", ",", "", "; ", "，"]).join(each))


def one(rng: random.Random, index: int) -> types_pb2.Tiles:
    return written(rng, [int(index == other) for other in range(34)])


def request_of(rng: random.Random, hand: Hand, ruleset: rules.RuleSet) -> pb.CheckHuRequest:
    request = pb.CheckHuRequest(
        rules=selected(rng, ruleset),
        concealed=written(rng, hand.concealed),
        circumstances=pb.WinCircumstances(
            mode=MODES[hand.mode], gang_flower=hand.gang_flower, haidi=hand.haidi, from_seat=None
        ),
        state=pb.SeatState(
            put_downs=rng.choice([0, 0, 1]) if hand.put_down else 0,
            wild_kongs=rng.choice([0, 0, 1]) if hand.put_down else 0,
            wild_discarded=hand.wild_discarded,
            missed_hu=rng.random() < 0.1,
        ),
        seat=rng.choice([0, 0, 1, 3]),
    )
    rule = options(ruleset)
    if hand.wilds and (rule.wild.source != "fixed" or rng.random() < 0.3):
        request.wilds.wilds.text = " ".join(NAMES[wild] for wild in sorted(hand.wilds))
    if rule.down.tiles == ("indicator",):
        request.wilds.indicators.text = NAMES[min(hand.down)]
    if hand.winning is not None:
        request.winning_tile.CopyFrom(one(rng, hand.winning))
    if hand.mode != "zimo" and rng.random() < 0.5:
        request.circumstances.from_seat = (request.seat + 1) % 4
    for meld in hand.melds:
        kind = meld.kind.upper() if meld.kind in ("chi", "peng") else f"{meld.kind.upper()}_GANG"
        counts = [meld.tiles.count(index) for index in range(34)]
        request.melds.add(kind=pb.MeldKind.Value(f"MELD_KIND_{kind}"), tiles=written(rng, counts))
        if kind != "AN_GANG" and rng.random() < 0.5:
            request.melds[-1].from_seat = (request.seat + rng.randint(1, 3)) % 4
    if rng.random() < 0.03:
        request.table.SetInParent()
    if rng.random() < 0.03:
        request.decomposition_limit = rng.choice([1, 5])
    return request


def odd(rng: random.Random, request: pb.CheckHuRequest) -> None:
    """Make a request wrong, or right in an unusual way."""
    number = rng.choice([-1, 0, 1, 3, 4, 5, 16, 99])
    name = rng.choice(["seat", "limit", "mode", "downs", "kongs", "from", "won", "tiles", "meld", "giver", "flower"])
    match name:
        case "seat":
            request.seat = number
        case "limit":
            request.decomposition_limit = number
        case "mode":
            request.circumstances.mode = cast(Any, number)
        case "downs":
            request.state.put_downs = number
        case "kongs":
            request.state.wild_kongs = number
        case "from":
            request.circumstances.from_seat = number
        case "won":
            request.winning_tile.CopyFrom(rng.choice([tile(""), tile("5m5m"), tile("z9"), one(rng, rng.randrange(34))]))
        case "tiles":
            request.concealed.text = rng.choice(["", "5", "z8", "11111m", "五万 五万", "0m", "55ｍ", "1m2m2", "5m 5m"])
        case "meld":
            counts = [0] * 34
            for _ in range(rng.randint(1, 4)):
                counts[rng.randrange(34)] = rng.randint(1, 4)
            request.melds.add(kind=number, tiles=written(rng, counts))
        case "giver" if request.melds:
            request.melds[0].from_seat = number
        case _:
            request.circumstances.gang_flower = request.circumstances.haidi = True


def mutated(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(changed) + 1)
        match rng.randrange(4):
            case 0 if at < len(changed):
                changed[at] ^= 1 << rng.randrange(8)
            case 1:
                changed[at:at] = rng.randbytes(rng.randint(1, 3))
            case 2:
                del changed[at : at + rng.randint(1, 3)]
            case _:
                changed += changed[at : at + 20]
    return bytes(changed)


def requests(rng: random.Random, rule_sets: int, hands: int) -> Iterator[pb.CheckHuRequest]:
    for _ in range(rule_sets):
        ruleset = random_rules(rng)
        wilds, down = random_wilds(rng, ruleset)
        for _ in range(hands):
            request = request_of(rng, random_hand(rng, ruleset, wilds, down), ruleset)
            if rng.random() < 0.15:
                odd(rng, request)
            yield request


def in_general(handlers: MahjongHandlers, data: bytes, call: Call) -> bytes | None:
    """The answer of the generated classes; None for what has none."""
    try:
        return handlers.CheckHu(pb.CheckHuRequest.FromString(data), call).SerializeToString()
    except (LaiziError, DecodeError):
        return None


def test_an_answer_from_bytes_is_that_of_the_generated_classes(rng, samples, handlers, call):
    native, answered, total = handlers.raw("CheckHu"), 0, samples(3_000)
    for request in requests(rng, total // 20, 20):
        data = request.SerializeToString()
        if rng.random() < 0.1:
            data = mutated(rng, data)
        answer = native(data, call)
        if answer is not None:
            answered += 1
            general = in_general(handlers, data, call)
            assert answer == general, f"{request}\n{pb.CheckHuResponse.FromString(answer)}"
    assert answered > total * 0.5


@pytest.mark.parametrize("preset", rules.presets("mahjong"))
def test_ordinary_requests_of_every_preset_are_answered_from_bytes(rng, preset, handlers, call):
    native, ruleset = handlers.raw("CheckHu"), rules.load(preset)
    wilds, down = random_wilds(rng, ruleset)
    answered = total = 0
    for _ in range(60):
        request = request_of(rng, random_hand(rng, ruleset, wilds, down), ruleset)
        general = in_general(handlers, request.SerializeToString(), call)
        request.ClearField("table")
        request.decomposition_limit = 0
        if general is not None:
            total += 1
            answered += native(request.SerializeToString(), call) is not None
    assert answered > total * 0.6


def test_a_batch_from_bytes_is_that_of_the_generated_classes(rng, samples, handlers, call):
    native = handlers.raw("BatchCheckHu")
    general = handlers.find(pb.DESCRIPTOR.services_by_name["MahjongService"].methods_by_name["BatchCheckHu"])
    for _ in range(samples(12)):
        given = list(requests(rng, rng.randint(0, 3), rng.randint(0, 25)))
        batch = pb.BatchCheckHuRequest(items=given)
        if given and rng.random() < 0.8:
            batch.rules.CopyFrom(given[0].rules)
            for item in batch.items:
                if item.rules == batch.rules or rng.random() < 0.1:
                    item.ClearField("rules")
        data = batch.SerializeToString()
        if rng.random() < 0.2:
            data = mutated(rng, data)
        answer = native(data, call)
        if answer is not None:
            assert answer == general(pb.BatchCheckHuRequest.FromString(data), call).SerializeToString()


def test_a_batch_whose_rules_need_more_than_themselves_is_answered_from_bytes(handlers, call):
    named = types_pb2.WildTiles(wilds=tile("2m"), indicators=tile("1m"))
    items = [pb.CheckHuRequest(wilds=named, concealed=tile("113355p 4477s 69m 22m"))] * 3
    batch = pb.BatchCheckHuRequest(rules=selector("enshi"), items=items)
    answer = pb.BatchCheckHuResponse.FromString(handlers.raw("BatchCheckHu")(batch.SerializeToString(), call))
    assert [result.WhichOneof("result") for result in answer.results] == ["response"] * 3
    assert answer.provenance.rule_set == "enshi"
    assert not answer.results[0].response.HasField("provenance")
