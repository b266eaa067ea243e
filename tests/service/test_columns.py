"""Columns: each row says what the message form says, bad rows touch no other, and limits hold."""

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import grpc
import pytest
from grpc import StatusCode

from laizi import cards, rules, tiles
from laizi.doudizhu import Reading
from laizi.errors import ErrorReason
from laizi.mahjong import Meld, MeldKind
from laizi.v1 import doudizhu_pb2, errors_pb2, mahjong_pb2, types_pb2
from laizi_service.client import Client, failure
from laizi_service.rows import card_rows, meld_rows, reading_rows, split_readings, tile_rows
from laizi_service.server import Server
from laizi_service.settings import Settings
from tests import mahjong_hands
from tests.differential.mahjong_hands import random_hand, random_wilds
from tests.oracle.mahjong import Hand
from tests.service.requests import card, selector, tile

SEVENS = types_pb2.Wilds(ranks="7")
NINE_PIN = types_pb2.WildTiles(wilds=tile("9p"))
INVALID = StatusCode.INVALID_ARGUMENT
READINGS = ("single:9:1", "pair:5:1", "bomb:4:4:soft", "bomb:K:4:hard", "straight:8:5", "rocket", "bomb:9:5:soft")


def bits(reasons: Any) -> int:
    return sum(1 << item.reason - 1 for item in reasons)


def kinds_of(mask: int) -> list[str]:
    return [name for index, name in enumerate(tiles.NAMES) if mask >> index & 1]


# ------------------------------------------------------------------------------------------- examples of the contract


def test_the_example_of_read_play_columns(client):
    answer = client.doudizhu.ReadPlayColumns(
        doudizhu_pb2.ReadPlayColumnsRequest(
            rules=selector("huanle"), wilds=types_pb2.Wilds(ranks="5"), plays=struct.pack("<QQ", 0x3, 0x100)
        )
    )
    assert answer.reading_counts.hex() == "02"
    assert answer.readings.hex(" ") == "0d 14 04 01"
    assert (answer.errors, answer.refusals) == (b"\0", b"")
    assert answer.provenance.rule_set == "huanle"
    parts = []
    for i in range(2):
        reading = struct.unpack_from("<H", answer.readings, 2 * i)[0]
        parts.append((reading & 15, reading >> 4 & 15, reading >> 8 & 15, reading >> 12))
    assert parts == [
        (doudizhu_pb2.PLAY_TYPE_BOMB, 0, 4, doudizhu_pb2.BOMB_TIER_SOFT),
        (doudizhu_pb2.PLAY_TYPE_TRIPLE_1, 0, 1, 0),
    ]


def test_the_example_of_compare_columns(client):
    answer = client.doudizhu.CompareColumns(
        doudizhu_pb2.CompareColumnsRequest(
            rules=selector("huanle"),
            wilds=types_pb2.Wilds(ranks="5"),
            plays=struct.pack("<4Q", 0x3, 0x100, 0x0, 0x100),
            previous=struct.pack("<2H", 0x01A2, 0x01A2),
        )
    )
    assert answer.readings.hex(" ") == "0d 14 00 00"
    assert answer.errors == bytes(2)


def test_the_example_of_can_beat_columns(client):
    answer = client.doudizhu.CanBeatColumns(
        doudizhu_pb2.CanBeatColumnsRequest(
            rules=selector("huanle"),
            wilds=types_pb2.Wilds(ranks="5"),
            hands=struct.pack("<QQ", 0x20, 0x100),
            previous=struct.pack("<H", 0x0102),
        )
    )
    assert (answer.can_beat, answer.errors) == (b"\1", b"\0")


def test_the_examples_of_mahjong(client):
    row = bytes([1] * 9 + [3, 2] + [0] * 23)
    assert row == tile_rows(["123456789m111p22p"])
    columns: dict[str, Any] = {"rules": selector("hongzhong"), "hands": mahjong_pb2.HandColumns(concealed=row)}
    answer = client.mahjong.CheckHuColumns(mahjong_pb2.CheckHuColumnsRequest(**columns))
    assert answer.verdicts.hex() == "03"
    assert (answer.types.hex(" "), answer.points.hex(" "), answer.points_scale) == ("00 00", "04 00 00 00", 1)
    columns["hands"].concealed = bytes([1] * 9 + [3, 1] + [0] * 23)
    waits = client.mahjong.WaitColumns(mahjong_pb2.WaitColumnsRequest(**columns)).waits
    assert waits.hex(" ") == "00 0c 00 80 00 00 00 00"
    assert [i for i in range(34) if struct.unpack("<Q", waits)[0] >> i & 1] == [10, 11, 31]
    columns["hands"].concealed = bytes([1] * 7 + [0, 1, 3, 1, 0, 0, 1] + [0] * 20)
    assert columns["hands"].concealed == tile_rows(["1234567m9m111p25p"])
    away = client.mahjong.ShantenColumns(mahjong_pb2.ShantenColumnsRequest(**columns))
    assert (away.shanten.hex(), away.improving) == ("01", b"")


# ---------------------------------------------------------------------------------------- the same as the message forms


def random_plays(rng: random.Random, count: int) -> list[str]:
    pack = [rank for rank in cards.RANKS[:13] for _ in range(4)] + ["X", "Y"]
    few = [rank for rank in "34567" for _ in range(4)]
    return ["".join(rng.sample(rng.choice((pack, few)), rng.randrange(1, 10))) for _ in range(count)]


def wilds_of(rng: random.Random, preset: str) -> types_pb2.Wilds:
    ruleset = rules.load(preset).rules
    assert isinstance(ruleset, rules.DoudizhuRules)
    if ruleset.wild.source == "none":
        return types_pb2.Wilds()
    if ruleset.wild.source == "chosen_cards":
        return types_pb2.Wilds(cards=card("XY"))
    return types_pb2.Wilds(ranks="".join(rng.sample("3579K", 2 if ruleset.wild.source == "two_random_ranks" else 1)))


def rows_of(texts: list[str], wilds: types_pb2.Wilds) -> bytes:
    return card_rows(texts, wilds.ranks, wilds.cards.text)


@pytest.mark.parametrize("preset", rules.presets("doudizhu"))
def test_each_play_is_read_as_its_message(client, rng, preset):
    texts, wilds = random_plays(rng, 100), wilds_of(rng, preset)
    shared: dict[str, Any] = {"rules": selector(preset)}
    for last in (False, True):
        answer = client.doudizhu.ReadPlayColumns(
            doudizhu_pb2.ReadPlayColumnsRequest(
                wilds=wilds, plays=rows_of(texts, wilds), last_play=last, with_refusals=True, **shared
            )
        )
        readings = split_readings(answer.reading_counts, answer.readings)
        items = [doudizhu_pb2.ReadPlayRequest(wilds=wilds, cards=card(text), last_play=last) for text in texts]
        results = client.doudizhu.BatchReadPlays(doudizhu_pb2.BatchReadPlaysRequest(items=items, **shared)).results
        refusals = struct.unpack(f"<{len(texts)}I", answer.refusals)
        for text, found, refused, result in zip(texts, readings, refusals, results, strict=True):
            assert list(found) == [reading.code for reading in result.response.readings], text
            assert refused == bits(result.response.refusals), text
        assert answer.errors == bytes(len(texts))
        without = doudizhu_pb2.ReadPlayColumnsRequest(
            wilds=wilds, plays=rows_of(texts, wilds), last_play=last, **shared
        )
        answer.refusals = b""
        assert client.doudizhu.ReadPlayColumns(without) == answer


@pytest.mark.parametrize("preset", rules.presets("doudizhu"))
def test_each_play_is_compared_and_each_hand_asked_as_its_message(client, rng, preset):
    texts, wilds = random_plays(rng, 100), wilds_of(rng, preset)
    codes = [rng.choice(READINGS) for _ in texts]
    columns: dict[str, Any] = {"rules": selector(preset), "wilds": wilds, "previous": reading_rows(codes)}
    rows = rows_of(texts, wilds)
    compared = client.doudizhu.CompareColumns(doudizhu_pb2.CompareColumnsRequest(plays=rows, **columns))
    beatable = client.doudizhu.CanBeatColumns(doudizhu_pb2.CanBeatColumnsRequest(hands=rows, **columns))
    items = [
        doudizhu_pb2.ComparePlaysRequest(
            wilds=wilds,
            challenger=doudizhu_pb2.Play(cards=card(text)),
            previous=doudizhu_pb2.Play(reading=code),
        )
        for text, code in zip(texts, codes, strict=True)
    ]
    batch = doudizhu_pb2.BatchComparePlaysRequest(rules=selector(preset), items=items)
    for index, result in enumerate(client.doudizhu.BatchComparePlays(batch).results):
        number = compared.readings[2 * index : 2 * index + 2]
        if result.WhichOneof("result") == "error":
            # No play can be a bomb of a tier or size that is not played.
            assert result.error.reason == compared.errors[index] == beatable.errors[index]
            assert (number, beatable.can_beat[index]) == (bytes(2), 0)
            continue
        assert (compared.errors[index], beatable.errors[index]) == (0, 0)
        first = [item.reading.code for item in result.response.comparisons[: result.response.beats]]
        assert number == (reading_rows(first) or bytes(2)), (texts[index], codes[index])
        if index < 25:
            can = client.doudizhu.CanBeat(
                doudizhu_pb2.CanBeatRequest(
                    rules=selector(preset),
                    wilds=wilds,
                    hand=card(texts[index]),
                    previous=doudizhu_pb2.Play(reading=codes[index]),
                )
            )
            assert bool(beatable.can_beat[index]) == can.can_beat, (texts[index], codes[index])


@pytest.fixture(params=rules.presets("mahjong"))
def hands(request: pytest.FixtureRequest, rng: random.Random) -> tuple[str, types_pb2.WildTiles, list[Hand]]:
    """A preset, wilds and random hands, wins and near misses, some of them malformed."""
    ruleset = rules.load(request.param)
    wilds, down = random_wilds(rng, ruleset)
    turned = mahjong_hands.options(ruleset).down.tiles == ("indicator",)
    fixed = mahjong_hands.options(ruleset).wild.source == "fixed"
    named = types_pb2.WildTiles(
        wilds=None if fixed else tile(" ".join(tiles.NAMES[index] for index in sorted(wilds))),
        indicators=tile(tiles.NAMES[min(down)]) if turned else None,
    )
    made = (replace(random_hand(rng, ruleset, wilds, down), gold=None) for _ in range(150))
    return request.param, named, [hand for hand in made if lies(mahjong_hands.engine_melds(hand))][:90]


def lies(melds: list[Meld]) -> bool:
    """The melds are what their kinds say by the faces on their tiles, as columns take them."""
    return all(
        len(set(meld.tiles)) == 1
        or (meld.kind is MeldKind.CHI and tuple(meld.tiles) == tuple(range(min(meld.tiles), min(meld.tiles) + 3)))
        for meld in melds
    )


def hand_columns(hands: list[Hand]) -> mahjong_pb2.HandColumns:
    return mahjong_pb2.HandColumns(
        concealed=b"".join(bytes(hand.concealed) for hand in hands),
        melds=meld_rows(mahjong_hands.engine_melds(hand) for hand in hands),
        downs=bytes(hand.put_down for hand in hands),
    )


def hand_fields(hand: Hand) -> dict[str, Any]:
    """The hand as the fields of a message."""
    kinds = tuple(MeldKind)
    return {
        "concealed": tile(mahjong_hands.text(hand)),
        "melds": [
            mahjong_pb2.Meld(kind=kinds.index(meld.kind) + 1, tiles=tile(meld.tiles.text()))  # type: ignore[arg-type]
            for meld in mahjong_hands.engine_melds(hand)
        ],
        "state": mahjong_pb2.SeatState(put_downs=int(hand.put_down), wild_discarded=hand.wild_discarded),
    }


MODES = {"zimo": 0, "discard": 1, "rob_kong": 2}


def test_each_hand_is_judged_as_its_message(client, hands):
    preset, wilds, given = hands
    answer = client.mahjong.CheckHuColumns(
        mahjong_pb2.CheckHuColumnsRequest(
            rules=selector(preset),
            wilds=wilds,
            hands=hand_columns(given),
            winning_tiles=bytes(255 if hand.winning is None else hand.winning for hand in given),
            circumstances=bytes(
                MODES[hand.mode] | hand.gang_flower << 2 | hand.haidi << 3 | hand.wild_discarded << 4 for hand in given
            ),
        )
    )
    items = [
        mahjong_pb2.CheckHuRequest(
            wilds=wilds,
            winning_tile=None if hand.winning is None else tile(tiles.NAMES[hand.winning]),
            circumstances=mahjong_pb2.WinCircumstances(
                mode=MODES[hand.mode] + 1,  # type: ignore[arg-type]
                gang_flower=hand.gang_flower,
                haidi=hand.haidi,
            ),
            **hand_fields(hand),
        )
        for hand in given
    ]
    batch = mahjong_pb2.BatchCheckHuRequest(rules=selector(preset), items=items)
    rows = zip(
        answer.verdicts,
        struct.unpack(f"<{len(given)}H", answer.refusals),
        struct.unpack(f"<{len(given)}H", answer.types),
        struct.unpack(f"<{len(given)}i", answer.points),
        answer.errors,
        client.mahjong.BatchCheckHu(batch).results,
        given,
        strict=True,
    )
    for verdict, refusals, types, points, error, result, hand in rows:
        value = result.response.value
        assert error == result.error.reason, mahjong_hands.text(hand)
        assert verdict == value.hu | value.hard << 1 | value.big << 2, mahjong_hands.text(hand)
        assert refusals == bits(value.refusals), mahjong_hands.text(hand)
        named = [name for bit, name in enumerate(answer.type_names) if types >> bit & 1]
        assert named == [kind.name for kind in value.types if not kind.is_factor], mahjong_hands.text(hand)
        worth = value.points.numerator * answer.points_scale
        assert points * (value.points.denominator or 1) == worth, mahjong_hands.text(hand)


@pytest.mark.parametrize("mode", [mahjong_pb2.WIN_MODE_ZIMO, mahjong_pb2.WIN_MODE_DISCARD])
def test_each_hand_waits_as_its_message(client, rng, hands, mode):
    preset, wilds, given = hands
    given = [without_one(rng, replace(hand, wild_discarded=False)) for hand in given[:40]]
    shared: dict[str, Any] = {"rules": selector(preset)}
    answer = client.mahjong.WaitColumns(
        mahjong_pb2.WaitColumnsRequest(wilds=wilds, hands=hand_columns(given), mode=mode, **shared)
    )
    items = [mahjong_pb2.ListWaitsRequest(wilds=wilds, mode=mode, **hand_fields(hand)) for hand in given]
    results = client.mahjong.BatchListWaits(mahjong_pb2.BatchListWaitsRequest(items=items, **shared)).results
    masks = struct.unpack(f"<{len(given)}Q", answer.waits)
    for mask, error, result, hand in zip(masks, answer.errors, results, given, strict=True):
        assert error == result.error.reason, mahjong_hands.text(hand)
        listed = [wait.tile.text for wait in result.response.waits.waits]
        assert kinds_of(mask) == listed, mahjong_hands.text(hand)


def without_one(rng: random.Random, hand: Hand) -> Hand:
    concealed = list(hand.concealed)
    concealed[rng.choice([index for index, count in enumerate(concealed) if count])] -= 1
    return replace(hand, concealed=tuple(concealed), winning=None)


def shanten_request(hand: Hand, shared: dict[str, Any]) -> mahjong_pb2.ShantenRequest:
    fields = hand_fields(hand)
    del fields["state"]
    return mahjong_pb2.ShantenRequest(**fields, **shared)


def reason_of(method: Callable[[Any], Any], request: Any) -> ErrorReason | None:
    with pytest.raises(grpc.RpcError) as caught:
        method(request)
    return failure(caught.value).reason


def test_each_hand_is_away_as_its_message(client, rng, hands):
    preset, wilds, given = hands
    given = [hand if rng.random() < 0.3 else without_one(rng, hand) for hand in given[:12]]
    shared: dict[str, Any] = {"rules": selector(preset), "wilds": wilds}
    columns = hand_columns(given)
    columns.downs = b""
    answer = client.mahjong.ShantenColumns(
        mahjong_pb2.ShantenColumnsRequest(hands=columns, with_improving=True, **shared)
    )
    shantens = struct.unpack(f"{len(given)}b", answer.shanten)
    masks = struct.unpack(f"<{len(given)}Q", answer.improving)
    for shanten, mask, error, hand in zip(shantens, masks, answer.errors, given, strict=True):
        if error:
            named = ErrorReason[errors_pb2.ErrorReason.Name(error).removeprefix("ERROR_REASON_")]
            assert reason_of(client.mahjong.Shanten, shanten_request(hand, shared)) is named, mahjong_hands.text(hand)
            assert (shanten, mask) == (127, 0)
            continue
        alone = client.mahjong.Shanten(shanten_request(hand, shared))
        expected = alone.shanten if alone.HasField("shanten") else 127
        assert (shanten, error) == (expected, 0), mahjong_hands.text(hand)
        if sum(hand.concealed) % 3 == 1:
            assert kinds_of(mask) == [item.tile.text for item in alone.improving], mahjong_hands.text(hand)
    without = mahjong_pb2.ShantenColumnsRequest(hands=columns, **shared)
    answer.improving = b""
    assert client.mahjong.ShantenColumns(without) == answer


def test_the_numbers_of_packed_readings_are_those_of_the_enums():
    for code, kind, tier in (
        ("single:9:1", "SINGLE", ""),
        ("four_22:9:1", "FOUR_22", ""),
        ("plane_2:9:2", "PLANE_2", ""),
        ("bomb:9:4:hard", "BOMB", "HARD"),
        ("bomb:9:4:pure", "BOMB", "PURE"),
        ("bomb:*:4:pure", "BOMB", "MIXED"),
        ("chain:9:2", "BOMB", "CHAIN"),
        ("rocket", "ROCKET", ""),
    ):
        number = Reading.parse(code).packed
        assert number & 15 == doudizhu_pb2.PlayType.Value(f"PLAY_TYPE_{kind}")
        assert number >> 12 == (doudizhu_pb2.BombTier.Value(f"BOMB_TIER_{tier}") if tier else 0)


# --------------------------------------------------------------------------------------------------------- wrong input


def test_a_bad_row_has_its_error_and_touches_no_other(client):
    good = card_rows(["3337"], "7")
    bad = {
        "EMPTY_PLAY": bytes(16),
        "TOO_MANY_COPIES": struct.pack("<QQ", 0x5, 0),
        "HAND_TOO_LARGE": struct.pack("<QQ", 0x404444, 0x10000),
    }
    rows = good + b"".join(row + good for row in bad.values())
    shared: dict[str, Any] = {"rules": selector("huanle"), "wilds": SEVENS}
    answer = client.doudizhu.ReadPlayColumns(
        doudizhu_pb2.ReadPlayColumnsRequest(plays=rows, with_refusals=True, **shared)
    )
    named = [errors_pb2.ErrorReason.Name(number)[13:] if number else "" for number in answer.errors]
    assert named == ["", "EMPTY_PLAY", "", "TOO_MANY_COPIES", "", "HAND_TOO_LARGE", ""]
    assert answer.reading_counts == bytes([2, 0, 2, 0, 2, 0, 2])
    assert answer.refusals == bytes(4 * 7)
    malformed, illegal = ErrorReason.MALFORMED_READING.number, ErrorReason.PREVIOUS_PLAY_ILLEGAL.number
    previous = reading_rows(["single:4:1"]) + b"\xff\xff" + reading_rows(["bomb:*:4:pure"]) + bytes(2)
    compared = client.doudizhu.CompareColumns(
        doudizhu_pb2.CompareColumnsRequest(plays=good * 4, previous=previous, **shared)
    )
    assert compared.errors == bytes([0, malformed, illegal, malformed])
    assert compared.readings == reading_rows(["bomb:3:4:soft"]) + bytes(6)
    beatable = client.doudizhu.CanBeatColumns(
        doudizhu_pb2.CanBeatColumnsRequest(hands=good * 3 + bytes(16), previous=previous, **shared)
    )
    assert beatable.errors == bytes([0, malformed, illegal, ErrorReason.EMPTY_HAND.number])
    assert beatable.can_beat == bytes([1, 0, 0, 0])


def test_a_bad_hand_has_its_error_and_touches_no_other(client):
    good = tile_rows(["123456789m111p22p"])
    bad = [
        (bytes([5]) + bytes(33), ErrorReason.TOO_MANY_COPIES),
        (bytes(34), ErrorReason.EMPTY_HAND),
        (tile_rows(["z1z1"]), ErrorReason.TILE_OUTSIDE_SET),
        (tile_rows(["123m"]), ErrorReason.WRONG_TILE_COUNT),
    ]
    hands = mahjong_pb2.HandColumns(concealed=good + b"".join(row + good for row, _ in bad))
    columns: dict[str, Any] = {"rules": selector("hongzhong"), "hands": hands}
    answer = client.mahjong.CheckHuColumns(mahjong_pb2.CheckHuColumnsRequest(**columns))
    expected = [0]
    for _, reason in bad:
        expected += [reason.number, 0]
    assert [*answer.errors] == expected
    assert [*answer.verdicts] == [3, 0] * 4 + [3]
    away = client.mahjong.ShantenColumns(mahjong_pb2.ShantenColumnsRequest(with_improving=True, **columns))
    assert [*away.errors] == expected
    assert [*away.shanten] == [255, 127] * 4 + [255]


@pytest.mark.parametrize(
    ("method", "request_", "reason", "field"),
    [
        (
            "ReadPlayColumns",
            doudizhu_pb2.ReadPlayColumnsRequest(rules=selector("huanle"), plays=bytes(17)),
            ErrorReason.BAD_ROW_LENGTH,
            "plays",
        ),
        (
            "CompareColumns",
            doudizhu_pb2.CompareColumnsRequest(rules=selector("huanle"), plays=bytes(32), previous=bytes(5)),
            ErrorReason.BAD_ROW_LENGTH,
            "previous",
        ),
        (
            "CanBeatColumns",
            doudizhu_pb2.CanBeatColumnsRequest(rules=selector("huanle"), hands=bytes(16), previous=bytes(4)),
            ErrorReason.COLUMN_LENGTH_MISMATCH,
            "previous",
        ),
        (
            "CheckHuColumns",
            mahjong_pb2.CheckHuColumnsRequest(
                rules=selector("honghu"), hands=mahjong_pb2.HandColumns(concealed=bytes(33))
            ),
            ErrorReason.BAD_ROW_LENGTH,
            "hands.concealed",
        ),
        (
            "CheckHuColumns",
            mahjong_pb2.CheckHuColumnsRequest(
                rules=selector("honghu"), hands=mahjong_pb2.HandColumns(concealed=bytes(34)), winning_tiles=bytes(2)
            ),
            ErrorReason.COLUMN_LENGTH_MISMATCH,
            "winning_tiles",
        ),
        (
            "WaitColumns",
            mahjong_pb2.WaitColumnsRequest(
                rules=selector("honghu"), hands=mahjong_pb2.HandColumns(concealed=bytes(34), melds=bytes(4))
            ),
            ErrorReason.BAD_ROW_LENGTH,
            "hands.melds",
        ),
        (
            "ShantenColumns",
            mahjong_pb2.ShantenColumnsRequest(rules=selector("nothing")),
            ErrorReason.UNKNOWN_RULE_SET,
            "rules.preset",
        ),
    ],
)
def test_what_is_wrong_with_columns_is_named(client, refused, method, request_, reason, field):
    service = client.mahjong if isinstance(getattr(mahjong_pb2, f"{method}Request", None), type) else client.doudizhu
    refused(getattr(service, method), request_, INVALID, reason, field)


def test_no_rows_have_no_answers(client):
    answer = client.mahjong.CheckHuColumns(mahjong_pb2.CheckHuColumnsRequest(rules=selector("honghu")))
    assert (answer.verdicts, answer.errors, answer.points) == (b"", b"", b"")
    answer = client.doudizhu.ReadPlayColumns(doudizhu_pb2.ReadPlayColumnsRequest(rules=selector("huanle")))
    assert (answer.reading_counts, answer.readings) == (b"", b"")


def test_rows_are_limited_and_slices_put_together(refused):
    settings = Settings(port=0, metrics_port=0, max_rows=50_000)
    with Server(settings) as server, Client(f"127.0.0.1:{server.port}") as client:
        many = doudizhu_pb2.ReadPlayColumnsRequest(
            rules=selector("huanle"), wilds=SEVENS, plays=card_rows(["3337"], "7") * 50_000
        )
        answer = client.doudizhu.ReadPlayColumns(many)
        assert answer.reading_counts == bytes([2]) * 50_000
        assert answer.readings == answer.readings[:4] * 50_000
        many.plays += bytes(16)
        code, reason = StatusCode.RESOURCE_EXHAUSTED, ErrorReason.TOO_MANY_ITEMS
        assert "max_rows is 50000" in refused(client.doudizhu.ReadPlayColumns, many, code, reason, "plays").message


def test_each_row_is_counted(client, scrape):
    name = 'laizi_hands_total{game="doudizhu",operation="read"}'
    before = scrape()[name]
    client.doudizhu.ReadPlayColumns(
        doudizhu_pb2.ReadPlayColumnsRequest(rules=selector("huanle"), plays=card_rows(["3"]) * 7)
    )
    assert scrape()[name] - before == 7
