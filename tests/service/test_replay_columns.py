"""``laizi replay`` through the columns: what an answer in brief says is what the whole answer says."""

import json
import random
from typing import Any

import pytest
from google.protobuf import json_format

from laizi import cards, rules, tiles
from laizi.errors import ErrorReason
from laizi.mahjong import MeldKind
from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2
from laizi_service.answering import Library
from laizi_service.replay import plain
from laizi_service.replay.answers import answer_rows
from laizi_service.replay.columns import COLUMNS, fit
from laizi_service.replay.rows import KINDS, Row
from laizi_service.settings import Settings
from tests.service.requests import card, card_codes, selector, tile, tile_codes

READINGS = ("single:9:1", "pair:5:1", "bomb:4:4:soft", "straight:8:5", "rocket", "bomb:9:5:soft", "pair", "")
WILDS: dict[str, list[dict[str, Any]]] = {
    "classic": [{}],
    "huanle": [{"ranks": "7"}, {"ranks": "3"}, {"ranks": "?"}],
    "wuhan": [{"ranks": "5"}],
    "tiandi": [{"ranks": "59"}],
    "chosen_wilds": [{"cards": card("7h 7d")}, {"cards": card("XY")}],
}
TILE_WILDS: dict[str, list[dict[str, Any]]] = {
    "hongzhong": [{}],
    "guangdong_gui": [{"wilds": tile("5p")}, {"wilds": tile_codes("9s")}],
    "honghu": [{"wilds": tile("9p")}],
    "enshi": [{"wilds": tile("5p"), "indicators": tile("4p")}],
}


def rarely(rng: random.Random) -> bool:
    return rng.random() < 0.04


def some_cards(rng: random.Random) -> types_pb2.Cards:
    pack = [rank for rank in rng.choice(("34567", cards.RANKS[:13])) for _ in range(4)] + ["X", "Y"]
    drawn = rng.sample(pack, rng.randint(0, 17))
    if rng.random() < 0.3:
        drawn = [rng.choice(pack)] * rng.randint(1, 5)
    if rng.random() < 0.2:
        suited = " ".join(f"{one}{'shdc'[index % 4]}" if one not in "XY" else one for index, one in enumerate(drawn))
        legible = rng.random() < 0.5 and len(set(suited.split())) == len(drawn)
        return card_codes(suited) if legible else card(suited)
    return card("".join(drawn).replace("T", rng.choice(("T", "10"))) + "Z" * (rng.random() < 0.02))


def plays(rng: random.Random) -> tuple[str, Any]:
    preset = rng.choice(list(WILDS))
    named: dict[str, Any] = {
        "rules": selector("hunle" if rng.random() < 0.01 else preset),
        "wilds": types_pb2.Wilds(**rng.choice(WILDS[preset])),
    }
    previous = doudizhu_pb2.Play(reading=rng.choice(READINGS), cards=card("99") if rng.random() < 0.1 else None)
    kind = rng.choice(("read_play", "compare_plays", "can_beat"))
    if kind == "read_play":
        last = rng.choice((None, False, True))
        hand = card("33344457") if rng.random() < 0.1 else None
        return kind, doudizhu_pb2.ReadPlayRequest(cards=some_cards(rng), last_play=last, hand=hand, **named)
    if kind == "compare_plays":
        challenger = doudizhu_pb2.Play(cards=some_cards(rng), reading="pair:3:1" if rng.random() < 0.1 else "")
        return kind, doudizhu_pb2.ComparePlaysRequest(challenger=challenger, previous=previous, **named)
    return kind, doudizhu_pb2.CanBeatRequest(hand=some_cards(rng), previous=previous, **named)


def hand(rng: random.Random, size: int) -> tuple[types_pb2.Tiles, list[mahjong_pb2.Meld]]:
    """Melds and a pair, often with a tile exchanged, some of them open."""
    groups: list[list[str]] = []
    while len(groups) < 4:
        suit, low = rng.choice("mp"), rng.randint(1, 7)
        groups.append([f"{low + step}{suit}" for step in ((0, 0, 0) if rng.random() < 0.4 else (0, 1, 2))])
    melds = []
    for group in groups[: rng.choice((0, 0, 0, 1, 2))]:
        kind = MeldKind.PENG if len(set(group)) == 1 else MeldKind.CHI
        number = list(MeldKind).index(kind) + 1
        giver = 5 if rarely(rng) else rng.choice((None, 1, 3))
        melds.append(mahjong_pb2.Meld(kind=number, tiles=tile(" ".join(group)), from_seat=giver))  # type: ignore[arg-type]
    left = [one for group in groups[len(melds) :] for one in group] + [rng.choice(("5p", "2m", "9s", "z5"))] * 2
    rng.shuffle(left)
    left = left[: size - 3 * len(melds)]
    if rng.random() < 0.5:
        left[0] = rng.choice(("5p", "9p", "z5", "1s"))
    # Codes of tiles that are too many are told where they are read, as text is.
    legible = rng.random() < 0.1 and max(map(left.count, left)) <= 4
    return (tile_codes if legible else tile)(" ".join(left)), melds


def hands(rng: random.Random) -> tuple[str, Any]:
    preset = rng.choice(list(TILE_WILDS))
    kind = rng.choice(("check_hu", "list_waits", "shanten"))
    concealed, melds = hand(rng, 13 if rarely(rng) == (kind == "check_hu") else 14)
    named: dict[str, Any] = {
        "rules": selector(preset),
        "wilds": mahjong_wilds(rng, preset),
        "concealed": concealed,
        "melds": melds,
    }
    state = mahjong_pb2.SeatState(
        put_downs=20 if rarely(rng) else rng.choice((0, 0, 0, 1)), wild_discarded=rarely(rng), missed_hu=rarely(rng)
    )
    mode = rng.choice(mahjong_pb2.WinMode.values())
    if kind == "shanten":
        return kind, mahjong_pb2.ShantenRequest(visible=tile("5p") if rarely(rng) else None, **named)
    if kind == "list_waits":
        return kind, mahjong_pb2.ListWaitsRequest(mode=mode, state=state, **named)
    given = mahjong_pb2.WinCircumstances(
        mode=mode,
        from_seat=rng.choice((0, 7)) if rarely(rng) else 1 if mode > mahjong_pb2.WIN_MODE_ZIMO else None,
        gang_flower=mode <= mahjong_pb2.WIN_MODE_ZIMO and rng.random() < 0.3,
        haidi=rng.random() < 0.2,
    )
    winning = tile(rng.choice(concealed.text.split())) if concealed.text and rng.random() < 0.6 else None
    request = mahjong_pb2.CheckHuRequest(
        winning_tile=winning, state=state, seat=9 if rarely(rng) else rng.choice((0, 2)), circumstances=given, **named
    )
    if rarely(rng):
        request.decomposition_limit = 3
    return kind, request


def mahjong_wilds(rng: random.Random, preset: str) -> types_pb2.WildTiles:
    return (
        types_pb2.WildTiles(wilds=tile("5q")) if rarely(rng) else types_pb2.WildTiles(**rng.choice(TILE_WILDS[preset]))
    )


def rows_of(asked: list[tuple[str, Any]]) -> list[Row]:
    return [
        Row(number, number, KINDS[kind], request, correlation_id=number)
        for number, (kind, request) in enumerate(asked, 1)
    ]


def brief(message: Any) -> Any:
    """What of a whole answer a column carries."""
    kind = message.WhichOneof("response")
    answer = getattr(message, kind)
    if kind == "read_play":
        answer.ClearField("clauses")
        for reading in answer.readings:
            for name in ("body", "kickers", "stand_ins", "beats_previous", "clauses"):
                reading.ClearField(name)
    elif kind == "compare_plays":
        del answer.comparisons[bool(answer.beats) :]
        for item in answer.comparisons:
            item.CopyFrom(doudizhu_pb2.ReadingComparison(reading=item.reading))
            for name in ("body", "kickers", "stand_ins", "beats_previous", "clauses"):
                item.reading.ClearField(name)
        answer.ClearField("previous")
        answer.ClearField("refusals")
    elif kind == "can_beat":
        answer.ClearField("previous")
    elif kind == "check_hu":
        value = answer.value
        named = [mahjong_pb2.HuType(name=one.name, name_zh=one.name_zh) for one in value.types if not one.is_factor]
        value.ClearField("types")
        value.types.extend(named)
        for name in ("base", "clauses"):
            value.ClearField(name)
        for name in ("best", "decomposition_total"):
            answer.ClearField(name)
    elif kind == "list_waits":
        found = [mahjong_pb2.Wait(tile=one.tile) for one in answer.waits.waits]
        answer.waits.CopyFrom(mahjong_pb2.Waits(waits=found))
        answer.ClearField("clauses")
    elif kind == "shanten":
        found_ = [mahjong_pb2.ImprovingTile(tile=one.tile) for one in answer.improving]
        answer.CopyFrom(
            mahjong_pb2.ShantenResponse(
                shanten=answer.shanten if answer.HasField("shanten") else None,
                improving=found_,
                provenance=answer.provenance,
            )
        )
    for refusal in [*getattr(answer, "refusals", ()), *getattr(getattr(answer, "value", None), "refusals", ())]:
        refusal.ClearField("clauses")
    return message


@pytest.mark.parametrize(("ask", "count"), [(plays, 600), (hands, 300)])
def test_an_answer_in_brief_is_a_part_of_the_whole_answer(ask, count, rng, samples):
    asked = [ask(rng) for _ in range(samples(count))]
    library = Library(Settings())
    rows = rows_of(asked)
    through = 0
    for row, short, whole in zip(rows, answer_rows(library, rows), answer_rows(library, rows, full=True), strict=True):
        assert row.kind is not None
        form: Any = row.kind.stream_response
        fits = fit(row.kind.name, row.request) is not None
        through += fits and short.error is None
        told, read = (json_format.Parse(answer.line, form()) for answer in (short, whole))
        assert json_format.MessageToJson(told, indent=None, ensure_ascii=False) == short.line, row.request
        assert (short.error, told.correlation_id) == (whole.error, row.number)
        if fits and short.error is None:
            assert told == brief(read), row.request
        else:
            assert told == read, row.request
    # The comparison is worth something only while most rows go through the columns.
    assert through > count // 3


def test_the_kinds_of_columns_are_those_of_the_contract():
    """Every question of one play or hand that the services take as a column."""
    columns = {
        method.name
        for file, service in ((doudizhu_pb2, "DoudizhuService"), (mahjong_pb2, "MahjongService"))
        for method in file.DESCRIPTOR.services_by_name[service].methods
        if method.name.endswith("Columns")
    }
    assert len(columns) == len(COLUMNS)


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_a_column_names_fields_that_are(name):
    assert COLUMNS[name].fields <= set(KINDS[name].request.DESCRIPTOR.fields_by_name)


def test_plays_beyond_fifteen_cards_and_text_of_any_kind_are_read_alike():
    library = Library(Settings())
    texts = ("3" * 16, "3" * 15, "10", "♠3 ♥3", "", "小王 大王", "33344455566678910JQKA", "3d 3d", "7s", "7h", "７")
    for wilds in ({"ranks": "7"}, {"cards": card("7h 7d")}):
        preset = "huanle" if "ranks" in wilds else "chosen_wilds"
        rows = rows_of(
            [
                (
                    "read_play",
                    doudizhu_pb2.ReadPlayRequest(
                        rules=selector(preset), wilds=types_pb2.Wilds(**wilds), cards=card(text)
                    ),
                )
                for text in texts
            ]
        )
        for text, short, whole in zip(
            texts, answer_rows(library, rows), answer_rows(library, rows, full=True), strict=True
        ):
            assert short.error == whole.error, text
            for key in ("legal", "taken"):
                answers = [json.loads(one.line).get("readPlay", {}).get(key) for one in (short, whole)]
                assert answers[0] == answers[1], text


@pytest.mark.parametrize(
    "read",
    [
        {"cards": {"text": "33"}, "rules": {"preset": "huanle"}, "lastPlay": True},
        {"cards": {"text": "33"}, "declared_reading": "pair:3:1"},
        {"concealed": {"text": "1m"}, "melds": [{"kind": "MELD_KIND_PENG", "tiles": {"text": "111m"}, "fromSeat": 2}]},
        {"concealed": {"text": "1m"}, "decomposition_limit": 7, "circumstances": {"mode": "WIN_MODE_DISCARD"}},
    ],
)
def test_a_plain_form_makes_the_message_that_protobuf_makes(read):
    kind = doudizhu_pb2.ReadPlayRequest if "cards" in read else mahjong_pb2.CheckHuRequest
    made: Any = kind()
    json_format.ParseDict(read, made)
    assert kind(**plain.arguments(kind.DESCRIPTOR, read)) == made


@pytest.mark.parametrize(
    "read",
    [
        {"cards": {"codes": "AQID"}},
        {"cards": {"text": None}},
        {"cards": None},
        {"last_play": 1},
        {"last_play": True, "lastPlay": True},
        {"declared_reading": "pair:3:1", "declared_cards": {"text": "3"}},
        {"cards": {"text": 3}},
        {"rules": {"overrides": {"wild.alone": "forbidden"}}},
        {"cards": []},
        {"crads": {}},
        [],
    ],
)
def test_a_form_that_is_not_plain_is_left_to_protobuf(read):
    with pytest.raises(plain.UnusualError):
        plain.arguments(doudizhu_pb2.ReadPlayRequest.DESCRIPTOR, read)


@pytest.mark.parametrize("read", [{"seat": True}, {"seat": 1.5}, {"seat": "1"}, {"seat": 2**40}, {"melds": {}}])
def test_numbers_of_other_kinds_are_no_plain_form(read):
    with pytest.raises(ValueError):  # noqa: PT011  # the message itself refuses what is out of range
        mahjong_pb2.CheckHuRequest(**plain.arguments(mahjong_pb2.CheckHuRequest.DESCRIPTOR, read))


def test_rules_that_are_wrong_are_told_to_every_row():
    asked = [
        ("read_play", doudizhu_pb2.ReadPlayRequest(rules=selector("hunle"), cards=card("33"))),
        ("read_play", doudizhu_pb2.ReadPlayRequest(rules=selector("huanle"), cards=card("33"))),
        ("shanten", mahjong_pb2.ShantenRequest(rules=selector("hunle"), concealed=tile(tiles.NAMES[0]))),
    ]
    first, good, last = answer_rows(Library(Settings()), rows_of(asked))
    for answer in (first, last):
        assert answer.error is not None
        assert answer.error.reason == ErrorReason.UNKNOWN_RULE_SET.number
    assert good.error is None
    assert set(WILDS) < set(rules.presets("doudizhu"))
