"""Columns: each row says what the message form says, bad rows touch no other, and limits hold."""

import random
import struct
from typing import Any

import pytest
from grpc import StatusCode

from laizi import cards, tiles
from laizi.errors import ErrorReason
from laizi.v1 import doudizhu_pb2, errors_pb2, mahjong_pb2, types_pb2
from laizi_service.client import Client
from laizi_service.server import Server
from laizi_service.settings import Settings
from tests.service.requests import card, selector, tile

SEVEN = cards.RANKS.index("7")
SEVENS = types_pb2.Wilds(ranks="7")
NINE_PIN = types_pb2.WildTiles(wilds=tile("9p"))
INVALID = StatusCode.INVALID_ARGUMENT


def row(text: str) -> bytes:
    """Cards as a row, the sevens wild."""
    natural, wild = cards.read(text).split([SEVEN])
    return struct.pack("<QQ", natural.word(), wild.word())


def packed(reading: doudizhu_pb2.Reading) -> bytes:
    main = 255 if reading.main_rank in ("", "*") else cards.RANKS.index(reading.main_rank)
    return bytes([reading.type, main, reading.length, reading.tier])


def bits(reasons) -> int:
    return sum(1 << item.reason - 1 for item in reasons)


def random_plays(rng: random.Random, count: int) -> list[str]:
    pack = [rank for rank in cards.RANKS[:13] for _ in range(4)] + ["X", "Y"]
    few = [rank for rank in "34567" for _ in range(4)]
    return ["".join(rng.sample(rng.choice((pack, few)), rng.randrange(1, 9))) for _ in range(count)]


def test_the_example_of_the_contract(client):
    naturals_and_a_wild_five = struct.pack("<QQ", 0x3, 0x100)
    answer = client.doudizhu.ReadPlayColumns(
        doudizhu_pb2.ReadPlayColumnsRequest(
            rules=selector("huanle"), wilds=types_pb2.Wilds(ranks="5"), plays=naturals_and_a_wild_five
        )
    )
    assert answer.reading_counts.hex() == "02"
    assert answer.readings.hex(" ", 4) == "0d000401 04000100"
    assert (answer.errors, answer.refusals) == (b"\0", b"")
    assert answer.provenance.rule_set == "huanle"


@pytest.mark.parametrize("preset", ["huanle", "wuhan", "four_wilds"])
def test_each_play_is_read_as_its_message(client, rng, samples, preset):
    texts = random_plays(rng, samples(150))
    answer = client.doudizhu.ReadPlayColumns(
        doudizhu_pb2.ReadPlayColumnsRequest(
            rules=selector(preset), wilds=SEVENS, plays=b"".join(map(row, texts)), with_refusals=True
        )
    )
    readings = [answer.readings[at : at + 4] for at in range(0, len(answer.readings), 4)]
    refusals = struct.unpack(f"<{len(texts)}I", answer.refusals)
    for index, text in enumerate(texts):
        alone = client.doudizhu.ReadPlay(
            doudizhu_pb2.ReadPlayRequest(rules=selector(preset), wilds=SEVENS, cards=card(text))
        )
        first = sum(answer.reading_counts[:index])
        found = readings[first : first + answer.reading_counts[index]]
        assert sorted(found) == sorted(map(packed, alone.readings)), text
        assert refusals[index] == bits(alone.refusals), text


def test_each_play_is_compared_as_its_message(client, rng, samples):
    texts = random_plays(rng, samples(100))
    codes = [rng.choice(("single:9:1", "pair:5:1", "bomb:4:4:soft", "straight:8:5", "rocket")) for _ in texts]
    known = {
        code: client.doudizhu.CanBeat(
            doudizhu_pb2.CanBeatRequest(
                rules=selector("huanle"), hand=card("3"), previous=doudizhu_pb2.Play(reading=code)
            )
        ).previous
        for code in set(codes)
    }
    columns: dict[str, Any] = {
        "rules": selector("huanle"),
        "wilds": SEVENS,
        "previous": b"".join(packed(known[code]) for code in codes),
    }
    rows = b"".join(map(row, texts))
    compared = client.doudizhu.CompareColumns(doudizhu_pb2.CompareColumnsRequest(plays=rows, **columns))
    beatable = client.doudizhu.CanBeatColumns(doudizhu_pb2.CanBeatColumnsRequest(hands=rows, **columns))
    for index, (text, code) in enumerate(zip(texts, codes, strict=True)):
        message: dict[str, Any] = {
            "rules": selector("huanle"),
            "wilds": SEVENS,
            "previous": doudizhu_pb2.Play(reading=code),
        }
        alone = client.doudizhu.ComparePlays(
            doudizhu_pb2.ComparePlaysRequest(challenger=doudizhu_pb2.Play(cards=card(text)), **message)
        )
        assert bool(compared.beats[index]) == alone.beats, (text, code)
        weakest = packed(alone.comparisons[0].reading) if alone.beats else bytes(4)
        assert compared.readings[4 * index : 4 * index + 4] == weakest, (text, code)
        can = client.doudizhu.CanBeat(doudizhu_pb2.CanBeatRequest(hand=card(text), **message))
        assert bool(beatable.can_beat[index]) == can.can_beat, (text, code)


def test_a_bad_row_has_its_error_and_touches_no_other(client):
    good = row("3337")
    rows = good + bytes(16) + struct.pack("<QQ", 0x5, 0) + good
    answer = client.doudizhu.ReadPlayColumns(
        doudizhu_pb2.ReadPlayColumnsRequest(rules=selector("huanle"), wilds=SEVENS, plays=rows, with_refusals=True)
    )
    assert [errors_pb2.ErrorReason.Name(number)[13:] if number else "" for number in answer.errors] == [
        *("", "EMPTY_PLAY", "TOO_MANY_COPIES", ""),
    ]
    assert answer.reading_counts == bytes([2, 0, 0, 2])
    assert answer.refusals == bytes(16)
    compared = client.doudizhu.CompareColumns(
        doudizhu_pb2.CompareColumnsRequest(
            rules=selector("huanle"), wilds=SEVENS, plays=good * 2, previous=bytes([1, 0, 1, 0, 99, 0, 0, 0])
        )
    )
    assert compared.errors == bytes([0, ErrorReason.MALFORMED_READING.number])
    assert compared.beats == bytes([1, 0])


HANDS = ("123m456p789s11z555m", "123m456p789s 55m 9p z3z4", "22m33m44p55p66s77s99p", "147m258p369s12345z")


def test_each_hand_is_judged_as_its_message(client):
    counts = [tiles.read(hand).counts for hand in HANDS]
    rows = b"".join(counts)
    answer = client.mahjong.CheckHuColumns(
        mahjong_pb2.CheckHuColumnsRequest(
            rules=selector("guangdong_gui"),
            wilds=NINE_PIN,
            hands=mahjong_pb2.HandColumns(concealed=rows),
            with_types=True,
        )
    )
    points = struct.unpack(f"<{len(HANDS)}i", answer.points)
    types = struct.unpack(f"<{len(HANDS)}H", answer.types)
    for index, hand in enumerate(HANDS):
        value = client.mahjong.CheckHu(
            mahjong_pb2.CheckHuRequest(rules=selector("guangdong_gui"), wilds=NINE_PIN, concealed=tile(hand))
        ).value
        assert answer.verdicts[index] == value.hu + 2 * value.hard + 4 * value.big, hand
        assert int.from_bytes(answer.refusals[2 * index : 2 * index + 2], "little") == bits(value.refusals), hand
        named = [name for bit, name in enumerate(answer.type_names) if types[index] >> bit & 1]
        assert named == [kind.name for kind in value.types], hand
        worth = value.points.numerator * answer.points_scale
        assert points[index] * (value.points.denominator or 1) == worth, hand
    assert answer.errors == bytes(len(HANDS))


def test_each_hand_waits_and_is_away_as_its_message(client):
    hands = ["123m456p789s 55m66s", "123m456p789s 5m66s9p", "147m258p369s1234z"]
    columns = mahjong_pb2.HandColumns(concealed=b"".join(tiles.read(hand).counts for hand in hands))
    shared: dict[str, Any] = {"rules": selector("guangdong_gui"), "wilds": NINE_PIN}
    for mode in (mahjong_pb2.WIN_MODE_ZIMO, mahjong_pb2.WIN_MODE_DISCARD):
        waits = client.mahjong.WaitColumns(mahjong_pb2.WaitColumnsRequest(hands=columns, mode=mode, **shared)).waits
        for hand, mask in zip(hands, struct.unpack(f"<{len(hands)}Q", waits), strict=True):
            alone = client.mahjong.ListWaits(
                mahjong_pb2.ListWaitsRequest(concealed=tile(hand), mode=mode, **shared)
            ).waits
            assert [tiles.NAMES[index] for index in range(34) if mask >> index & 1] == [
                wait.tile.text for wait in alone.waits
            ]
    away = client.mahjong.ShantenColumns(
        mahjong_pb2.ShantenColumnsRequest(hands=columns, with_improving=True, **shared)
    )
    for index, hand in enumerate(hands):
        alone = client.mahjong.Shanten(mahjong_pb2.ShantenRequest(concealed=tile(hand), **shared))
        assert away.shanten[index] == alone.shanten
        mask = int.from_bytes(away.improving[8 * index : 8 * index + 8], "little")
        assert [tiles.NAMES[kind] for kind in range(34) if mask >> kind & 1] == [
            item.tile.text for item in alone.improving
        ]


def test_melds_lie_in_their_column(client):
    peng = 1 + 34 * (mahjong_pb2.MELD_KIND_PENG - 1) + tiles.NAMES.index("8m")
    hands = mahjong_pb2.HandColumns(
        concealed=tiles.read("111222m 99m 5m 9p 9p").counts, melds=bytes([peng, 0, 0, 0, 0]), downs=b"\0"
    )
    answer = client.mahjong.CheckHuColumns(
        mahjong_pb2.CheckHuColumnsRequest(
            rules=selector("honghu"), wilds=NINE_PIN, hands=hands, circumstances=b"\1", with_types=True
        )
    )
    assert answer.verdicts == bytes([1 + 4])
    assert int.from_bytes(answer.points, "little") == 20 * answer.points_scale


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
            doudizhu_pb2.CompareColumnsRequest(rules=selector("huanle"), plays=bytes(16), previous=bytes(5)),
            ErrorReason.BAD_ROW_LENGTH,
            "previous",
        ),
        (
            "CanBeatColumns",
            doudizhu_pb2.CanBeatColumnsRequest(rules=selector("huanle"), hands=bytes(16), previous=bytes(8)),
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
    answer = client.mahjong.CheckHuColumns(mahjong_pb2.CheckHuColumnsRequest(rules=selector("honghu"), with_types=True))
    assert (answer.verdicts, answer.errors, answer.points) == (b"", b"", b"")
    answer = client.doudizhu.ReadPlayColumns(doudizhu_pb2.ReadPlayColumnsRequest(rules=selector("huanle")))
    assert (answer.reading_counts, answer.readings) == (b"", b"")


def test_rows_are_limited_and_slices_put_together(refused):
    settings = Settings(port=0, metrics_port=0, max_rows=50_000)
    with Server(settings) as server, Client(f"127.0.0.1:{server.port}") as client:
        many = doudizhu_pb2.ReadPlayColumnsRequest(rules=selector("huanle"), wilds=SEVENS, plays=row("3337") * 50_000)
        answer = client.doudizhu.ReadPlayColumns(many)
        assert answer.reading_counts == bytes([2]) * 50_000
        assert len(answer.readings) == 4 * 2 * 50_000
        many.plays += row("3")
        code, reason = StatusCode.RESOURCE_EXHAUSTED, ErrorReason.TOO_MANY_ITEMS
        assert "max_rows is 50000" in refused(client.doudizhu.ReadPlayColumns, many, code, reason, "plays").message


def test_each_row_is_counted(client, scrape):
    name = 'laizi_hands_total{game="doudizhu",operation="read"}'
    before = scrape()[name]
    client.doudizhu.ReadPlayColumns(doudizhu_pb2.ReadPlayColumnsRequest(rules=selector("huanle"), plays=row("3") * 7))
    assert scrape()[name] - before == 7
