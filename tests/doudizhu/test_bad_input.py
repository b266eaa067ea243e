"""Each way to ask wrongly: the reason and the field that the error names."""

import random
import struct

import pytest

from laizi import rules
from laizi.doudizhu import Evaluator
from laizi.errors import ErrorReason, LaiziError

HUANLE = Evaluator(rules.load("huanle"), "7")
WUHAN = Evaluator(rules.load("wuhan"), "7")
TIANDI = Evaluator(rules.load("tiandi"), "79")
RED_SEVENS = Evaluator(rules.load("chosen_wilds"), wild_cards="7h 7d")
CLASSIC = Evaluator(rules.load("classic"))
TOO_LARGE = "333344445555666688889"


@pytest.mark.parametrize(
    ("reason", "path", "evaluator", "arguments"),
    [
        ("EMPTY_PLAY", "cards", HUANLE, {"cards": ""}),
        ("EMPTY_PLAY", "cards", HUANLE, {"cards": b""}),
        ("UNKNOWN_RANK", "cards", HUANLE, {"cards": "3Z"}),
        ("UNKNOWN_SUIT", "cards", HUANLE, {"cards": "♥"}),
        ("UNKNOWN_CARD_CODE", "cards", HUANLE, {"cards": b"\x03\x40"}),
        ("TOO_MANY_COPIES", "cards", HUANLE, {"cards": "33333"}),
        ("TOO_MANY_COPIES", "cards", HUANLE, {"cards": "XX"}),
        ("DUPLICATE_CARD", "cards", HUANLE, {"cards": "3h 3h"}),
        ("DUPLICATE_CARD", "cards", HUANLE, {"cards": b"\x03\x03"}),
        ("TOO_MANY_COPIES", "cards", HUANLE, {"cards": b"\x4e\x4e"}),
        ("HAND_TOO_LARGE", "cards", HUANLE, {"cards": TOO_LARGE}),
        ("SUIT_MISSING", "cards", RED_SEVENS, {"cards": "77"}),
        ("EMPTY_HAND", "hand", HUANLE, {"cards": "3", "hand": ""}),
        ("TOO_MANY_COPIES", "hand", HUANLE, {"cards": "3", "hand": "33333"}),
        ("HAND_TOO_LARGE", "hand", HUANLE, {"cards": "3", "hand": TOO_LARGE}),
        ("MALFORMED_READING", "declared", HUANLE, {"cards": "33", "declared": "pair:3"}),
        ("MALFORMED_READING", "previous", HUANLE, {"cards": "33", "previous": "pair:X:1"}),
        ("MALFORMED_READING", "previous", HUANLE, {"cards": "33", "previous": "bomb:3:5:hard"}),
        ("MALFORMED_READING", "previous", HUANLE, {"cards": "33", "previous": ""}),
        ("EMPTY_PLAY", "target", HUANLE, {"cards": "37", "target": ""}),
        ("DECLARED_SIZE_MISMATCH", "target", HUANLE, {"cards": "37", "target": "333"}),
        ("CONTRADICTORY_FIELDS", "target", HUANLE, {"cards": "37", "target": "33", "declared": "pair:3:1"}),
        ("CONTRADICTORY_FIELDS", "last", HUANLE, {"cards": "33", "hand": "334", "last": True}),
        ("CONTRADICTORY_FIELDS", "last", HUANLE, {"cards": "33", "hand": "33", "last": False}),
        # A previous play that the rules do not have, or that no pack can make with these wilds.
        ("PREVIOUS_PLAY_ILLEGAL", "previous", HUANLE, {"cards": "33", "previous": "straight:2:5"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", HUANLE, {"cards": "33", "previous": "straight:6:4"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", HUANLE, {"cards": "33", "previous": "bomb:3:5:soft"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", HUANLE, {"cards": "33", "previous": "bomb:8:4:pure"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", HUANLE, {"cards": "33", "previous": "bomb:7:4:hard"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", HUANLE, {"cards": "33", "previous": "bomb:*:4:pure"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", HUANLE, {"cards": "33", "previous": "chain:4:2"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", WUHAN, {"cards": "33", "previous": "four_22:4:1"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", WUHAN, {"cards": "33", "previous": "bomb:7:4:pure"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", WUHAN, {"cards": "33", "previous": "four_2:7:1"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", TIANDI, {"cards": "33", "previous": "bomb:3:9:soft"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", TIANDI, {"cards": "33", "previous": "bomb:*:9:pure"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", CLASSIC, {"cards": "33", "previous": "bomb:3:4:soft"}),
        ("PREVIOUS_PLAY_ILLEGAL", "previous", RED_SEVENS, {"cards": "33", "previous": "bomb:3:4:pure"}),
    ],
)
def test_read_play(reason, path, evaluator, arguments):
    with pytest.raises(LaiziError) as raised:
        evaluator.read_play(**arguments)
    assert (raised.value.reason, raised.value.path) == (reason, path)
    if reason == "HAND_TOO_LARGE":
        assert raised.value.limit == 20


@pytest.mark.parametrize(
    ("reason", "path", "preset", "arguments"),
    [
        ("WRONG_GAME", "ruleset", "enshi", {}),
        ("WILD_NOT_ALLOWED", "wild_ranks", "classic", {"wild_ranks": "7"}),
        ("WILD_NOT_ALLOWED", "wild_cards", "classic", {"wild_cards": "7h"}),
        ("WILD_NOT_ALLOWED", "wild_cards", "huanle", {"wild_cards": "7h"}),
        ("WILD_NOT_ALLOWED", "wild_ranks", "chosen_wilds", {"wild_ranks": "7"}),
        ("WILD_IS_JOKER", "wild_ranks", "huanle", {"wild_ranks": "X"}),
        ("WRONG_WILD_COUNT", "wild_ranks", "huanle", {"wild_ranks": "79"}),
        ("WRONG_WILD_COUNT", "wild_ranks", "tiandi", {"wild_ranks": "345"}),
        ("WRONG_WILD_COUNT", "wild_cards", "chosen_wilds", {"wild_cards": "3d 3c 3h 3s 4d 4c 4h 4s 5d"}),
        ("UNKNOWN_RANK", "wild_ranks", "huanle", {"wild_ranks": "Z"}),
        ("UNKNOWN_SUIT", "wild_ranks", "huanle", {"wild_ranks": "7h"}),
        ("TOO_MANY_COPIES", "wild_ranks", "huanle", {"wild_ranks": "77"}),
        ("SUIT_MISSING", "wild_cards", "chosen_wilds", {"wild_cards": "7"}),
        ("DUPLICATE_CARD", "wild_cards", "chosen_wilds", {"wild_cards": "7h 7h"}),
        ("VALUE_OUT_OF_RANGE", "max_cards", "huanle", {"max_cards": 0}),
        ("VALUE_OUT_OF_RANGE", "max_cards", "huanle", {"max_cards": 55}),
    ],
)
def test_evaluator(reason, path, preset, arguments):
    with pytest.raises(LaiziError) as raised:
        Evaluator(rules.load(preset), **arguments)
    assert (raised.value.reason, raised.value.path) == (reason, path)


def test_tools_may_ask_for_more_cards():
    whole_pack = Evaluator(rules.load("huanle"), "7", max_cards=54)
    assert whole_pack.read_play(TOO_LARGE).legal is False
    with pytest.raises(LaiziError, match="55"):
        Evaluator(rules.load("huanle"), max_cards=55)


def test_a_wrong_card_is_pointed_at():
    with pytest.raises(LaiziError) as raised:
        HUANLE.read_play("333Z")
    assert raised.value.position == 3


def _row(naturals: int, wilds: int = 0) -> bytes:
    return struct.pack("<QQ", naturals, wilds)


@pytest.mark.parametrize(
    ("reason", "row"),
    [
        ("EMPTY_PLAY", _row(0)),
        ("TOO_MANY_COPIES", _row(0x5)),
        ("TOO_MANY_COPIES", _row(0x2 << 52)),
        ("TOO_MANY_COPIES", _row(0x1 << 60)),
        ("TOO_MANY_COPIES", _row(0x1 << 16)),  # a 7 among the naturals, where sevens are wild
        ("TOO_MANY_COPIES", _row(0x3, 0x1)),  # a 3 among the wilds
        ("HAND_TOO_LARGE", _row(0x1_4440_4444)),
    ],
)
def test_a_bad_row_has_its_error_and_leaves_the_others_alone(reason, row):
    good = _row(0x3, 0x10000)
    counts, codes, errors = HUANLE.read_rows(good + row + good)
    assert list(errors) == [0, ErrorReason[reason].number, 0]
    assert (list(counts), len(codes)) == ([2, 0, 2], 8)
    with pytest.raises(LaiziError) as raised:
        HUANLE.read_row(row)
    assert raised.value.reason == reason


@pytest.mark.parametrize("length", [1, 15, 17])
def test_rows_are_whole(length):
    for read in (HUANLE.read_row, HUANLE.read_rows):
        with pytest.raises(LaiziError) as raised:
            read(bytes(length))
        assert raised.value.reason == "BAD_ROW_LENGTH"


def test_columns_of_hands_answer_for_each_row_alone():
    hands = random.Random(1).sample(range(1, 1 << 20), 60)
    rows = [_row(sum((bits >> 2 * rank & 3) << 4 * rank for rank in range(10) if rank != 4)) for bits in hands]
    rows[7], rows[20] = _row(0), _row(0x5)
    counts, cards, codes, errors = HUANLE.play_rows(b"".join(rows))
    alone = [HUANLE.play_rows(row) for row in rows]
    assert [counts, cards, codes, errors] == [b"".join(column) for column in zip(*alone, strict=True)]
    assert errors[7] == ErrorReason.EMPTY_PLAY.number
    limited, cards, _, _ = HUANLE.play_rows(b"".join(rows), limit=3)
    assert list(memoryview(limited).cast("I")) == [min(count, 3) for count in memoryview(counts).cast("I")]
    assert len(cards) == 16 * sum(memoryview(limited).cast("I"))
    with pytest.raises(LaiziError) as raised:
        HUANLE.play_rows(rows[0], limit=-1)
    assert (raised.value.reason, raised.value.path) == ("VALUE_OUT_OF_RANGE", "limit")


def test_columns_are_equally_long():
    with pytest.raises(LaiziError) as raised:
        HUANLE.compare_rows(bytes(2), _row(3) * 2)
    assert (raised.value.reason, raised.value.path) == ("COLUMN_LENGTH_MISMATCH", "previous")
    _, errors = HUANLE.compare_rows(bytes(2), _row(3))
    assert list(errors) == [ErrorReason.PREVIOUS_PLAY_ILLEGAL.number]
