"""Columns of many hands say what the single calls say, and a bad row says why and touches no other."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from laizi import mahjong, rules
from laizi.errors import ErrorReason, HuRefusal, LaiziError, RequestError
from laizi.mahjong import HuType, MeldKind
from laizi.tiles import Tiles, read
from tests import mahjong_hands
from tests.differential.mahjong_hands import random_hand, random_rules, random_wilds
from tests.mahjong_hands import engine_melds, evaluator
from tests.oracle.mahjong import Hand

RULE_SETS = 60
HANDS = 40
KINDS = tuple(MeldKind)
TYPES = tuple(HuType)


def lies(melds: list[mahjong.Meld], rule: rules.MahjongRules) -> bool:
    """The melds are what their kinds say by the faces on their tiles, as the columns take them."""
    runs = {tuple(range(low, low + 3)) for low in range(25) if low % 9 <= 6}
    if "winds" in rule.hu.honour_runs:
        runs |= {(27, 28, 29), (28, 29, 30)}
    if "dragons" in rule.hu.honour_runs:
        runs.add((31, 32, 33))
    return all(len(set(meld.tiles)) == 1 or tuple(meld.tiles) in runs for meld in melds)


def packed(melds: list[mahjong.Meld]) -> bytes:
    return bytes(1 + 34 * KINDS.index(meld.kind) + min(meld.tiles) for meld in melds).ljust(5, b"\0")


def flags(hand: Hand) -> int:
    mode = {"zimo": 0, "discard": 1, "rob_kong": 2}[hand.mode]
    return mode | hand.gang_flower << 2 | hand.haidi << 3 | hand.wild_discarded << 4


def columns(hands: list[Hand]) -> dict[str, bytes]:
    return {
        "melds": b"".join(packed(engine_melds(hand)) for hand in hands),
        "downs": bytes(hand.put_down for hand in hands),
        "circumstances": bytes(flags(hand) for hand in hands),
    }


def random_hands(rng: random.Random, ruleset: rules.RuleSet) -> tuple[mahjong.Evaluator, list[Hand]]:
    wilds, down = random_wilds(rng, ruleset)
    checker = evaluator(ruleset, wilds, down)
    laid = checker.tiles.put_down
    hands = [replace(random_hand(rng, ruleset, wilds, down), gold=None) for _ in range(HANDS)]
    # A tile was put down only where the hand leaves one.
    hands = [
        replace(hand, put_down=hand.put_down and sum(hand.concealed[tile] for tile in laid) < 4 * len(laid))
        for hand in hands
    ]
    return checker, [hand for hand in hands if lies(engine_melds(hand), hand.rules)]


def said(ruleset: rules.RuleSet, hand: Hand, scale: int) -> tuple[int, int, int, int, int]:
    """What `check_hu` says, as a row of the columns."""
    try:
        answer = mahjong_hands.check(ruleset, hand)
    except LaiziError as error:
        return 0, 0, 0, 0, error.reason.number
    if answer.points is None:
        return 0, sum(1 << refusal.number - 1 for refusal in answer.refusals), 0, 0, 0
    verdict = 1 | answer.hard << 1 | (not answer.small) << 2
    types = sum(1 << TYPES.index(hu_type) for hu_type in answer.types)
    points = answer.points * scale
    assert points.denominator == 1
    return verdict, 0, types, int(points), 0


def test_wins(rng: random.Random, samples: Callable[[int], int]) -> None:
    wins = 0
    for _ in range(samples(RULE_SETS)):
        ruleset = random_rules(rng)
        checker, hands = random_hands(rng, ruleset)
        winning = bytes(255 if hand.winning is None else hand.winning for hand in hands)
        verdicts, refusals, types, points, wrong = checker.check_columns(
            b"".join(bytes(hand.concealed) for hand in hands), winning_tiles=winning, **columns(hands)
        )
        found = zip(
            verdicts,
            struct.unpack(f"<{len(hands)}H", refusals),
            struct.unpack(f"<{len(hands)}H", types),
            struct.unpack(f"<{len(hands)}i", points),
            wrong,
            strict=True,
        )
        for hand, row in zip(hands, found, strict=True):
            assert row == said(ruleset, hand, checker.points_scale), mahjong_hands.text(hand)
            wins += row[0] & 1
    assert wins


def waiting(rng: random.Random, hand: Hand) -> Hand:
    """The hand without one of its tiles."""
    concealed = list(hand.concealed)
    concealed[rng.choice([tile for tile, count in enumerate(concealed) if count])] -= 1
    return replace(hand, concealed=tuple(concealed), winning=None)


def test_waits(rng: random.Random, samples: Callable[[int], int]) -> None:
    for _ in range(samples(RULE_SETS // 4)):
        ruleset = random_rules(rng)
        checker, hands = random_hands(rng, ruleset)
        hands = [waiting(rng, hand) for hand in hands]
        waits, wrong = checker.wait_columns(b"".join(bytes(hand.concealed) for hand in hands), **columns(hands))
        for hand, mask, error in zip(hands, struct.unpack(f"<{len(hands)}Q", waits), wrong, strict=True):
            try:
                listed, reason = mahjong_hands.waits(ruleset, hand).tiles, 0
            except LaiziError as refused:
                listed, reason = (), refused.reason.number
            assert (mask, error) == (sum(1 << tile for tile in listed), reason), mahjong_hands.text(hand)


def test_shanten(rng: random.Random, samples: Callable[[int], int]) -> None:
    for _ in range(samples(3)):
        ruleset = random_rules(rng)
        checker, hands = random_hands(rng, ruleset)
        hands = [waiting(rng, hand) for hand in hands[:8]]
        found = checker.shanten_columns(
            b"".join(bytes(hand.concealed) for hand in hands), melds=columns(hands)["melds"]
        )
        shantens, improving, wrong = found[0], struct.unpack(f"<{len(hands)}Q", found[1]), found[2]
        for hand, *row in zip(hands, struct.unpack(f"{len(hands)}b", shantens), improving, wrong, strict=True):
            try:
                single = checker.shanten(Tiles(bytes(hand.concealed)), engine_melds(hand))
                tiles = sum(1 << improvement.tile for improvement in single.improvements)
                expected = [127 if single.shanten is None else single.shanten, tiles, 0]
            except LaiziError as refused:
                expected = [127, 0, refused.reason.number]
            assert row == expected, mahjong_hands.text(hand)


PENG_1M = 1 + 34
FAULTS: list[tuple[dict[str, Any], ErrorReason]] = [
    ({"concealed": bytes([5]) + bytes(33)}, ErrorReason.TOO_MANY_COPIES),
    ({"concealed": bytes([255]) * 34}, ErrorReason.TOO_MANY_COPIES),
    ({"concealed": bytes(34)}, ErrorReason.EMPTY_HAND),
    ({"concealed": read("z5z5").counts}, ErrorReason.TILE_OUTSIDE_SET),
    ({"concealed": read("123m").counts}, ErrorReason.WRONG_TILE_COUNT),
    ({"concealed": bytes([4] * 5) + bytes(29)}, ErrorReason.WRONG_TILE_COUNT),
    ({"concealed": read("123456789m1234p5p").counts, "melds": bytes([PENG_1M] * 5)}, ErrorReason.TOO_MANY_COPIES),
    ({"concealed": read("11m").counts, "melds": bytes([PENG_1M, 0, 0, 0, 0])}, ErrorReason.TOO_MANY_COPIES),
    ({"concealed": read("22m").counts, "melds": bytes([255, 0, 0, 0, 0])}, ErrorReason.MALFORMED_MELD),
    ({"concealed": read("22m").counts, "melds": bytes([1 + 8, 0, 0, 0, 0])}, ErrorReason.MALFORMED_MELD),
    ({"concealed": read("22m").counts, "melds": bytes([PENG_1M + 31, 0, 0, 0, 0])}, ErrorReason.TILE_OUTSIDE_SET),
    ({"concealed": read("22m").counts, "melds": bytes([PENG_1M + 17, 0, 0, 0, 0])}, ErrorReason.WILD_IN_MELD),
    ({"concealed": read("22m").counts, "melds": bytes([PENG_1M + 16, 0, 0, 0, 0])}, ErrorReason.MELD_NOT_ALLOWED),
    ({"concealed": read("22m").counts, "winning_tiles": b"\5"}, ErrorReason.WINNING_TILE_NOT_IN_HAND),
    ({"concealed": read("22m").counts, "winning_tiles": b"\xfe"}, ErrorReason.UNKNOWN_TILE_CODE),
    ({"concealed": read("22m").counts, "circumstances": b"\3"}, ErrorReason.CONTRADICTORY_CIRCUMSTANCES),
    ({"concealed": read("22m").counts, "circumstances": b"\5"}, ErrorReason.CONTRADICTORY_CIRCUMSTANCES),
    ({"concealed": read("22m").counts, "circumstances": b"\x0a"}, ErrorReason.CONTRADICTORY_CIRCUMSTANCES),
    ({"concealed": read("22m").counts, "circumstances": b"\x40"}, ErrorReason.VALUE_OUT_OF_RANGE),
]


@pytest.mark.parametrize(("fault", "reason"), FAULTS)
def test_a_bad_row_says_why_and_touches_no_other(fault: dict[str, Any], reason: ErrorReason) -> None:
    checker = mahjong.Evaluator(rules.load("enshi"), wilds="9p", indicator="8p")
    good = read("123m456p789s55m").counts
    peng = bytes([PENG_1M + 18, 0, 0, 0, 0])  # 1s
    given = {
        "concealed": good + fault["concealed"] + good,
        "melds": peng + fault.get("melds", bytes(5)) + peng,
        "winning_tiles": b"\xff" + fault.get("winning_tiles", b"\xff") + b"\xff",
        "circumstances": b"\0" + fault.get("circumstances", b"\0") + b"\0",
    }
    concealed = given.pop("concealed")
    verdicts, refusals, types, points, wrong = checker.check_columns(concealed, **given)
    assert wrong == bytes([0, reason.number, 0])
    assert verdicts == b"\3\0\3"
    assert (refusals[2:4], types[2:4], points[4:8]) == (bytes(2), bytes(2), bytes(4))
    assert points[:4] == points[8:] == struct.pack("<i", 6)


def test_a_missed_win_locks_discards_where_the_rules_say_so() -> None:
    row = read("123m456p789s111s55m").counts
    for lock, refused in (("none", 0), ("until_draw", 1 << HuRefusal.MISSED_HU_LOCK.number - 1)):
        checker = mahjong.Evaluator(rules.load("guangdong_gui", {"claim.missed_hu": lock}), wilds="9p")
        _, refusals, *_ = checker.check_columns(row * 2, circumstances=bytes([32, 33]))
        assert struct.unpack("<2H", refusals) == (0, refused)


def test_columns_have_whole_rows_and_equal_lengths() -> None:
    checker = mahjong.Evaluator(rules.load("guangdong_gui"), wilds="9p")
    with pytest.raises(RequestError) as caught:
        checker.check_columns(bytes(35))
    assert (caught.value.reason, caught.value.path) == (ErrorReason.BAD_ROW_LENGTH, "concealed")
    for path, width in (("melds", 5), ("downs", 1), ("winning_tiles", 1), ("circumstances", 1)):
        with pytest.raises(RequestError) as caught:
            checker.check_columns(bytes(68), **{path: bytes(width)})
        assert (caught.value.reason, caught.value.path) == (ErrorReason.COLUMN_LENGTH_MISMATCH, path)
    assert checker.check_columns(b"") == (b"",) * 5


@pytest.mark.parametrize("batch", ["hu_rows", "waits_rows", "shanten_rows"])
def test_plain_rows_report_their_errors(batch: str) -> None:
    checker = mahjong.Evaluator(rules.load("enshi"), wilds="9p", indicator="8p")
    good = read("123m456p7s" if batch == "waits_rows" else "123m456p77s").counts
    bad = [bytes([5]) + bytes(33), read("z5z5").counts, read("123m").counts]
    column, wrong = getattr(checker, batch)(b"".join(bad) + good)
    assert list(wrong) == [
        ErrorReason.TOO_MANY_COPIES.number,
        ErrorReason.TILE_OUTSIDE_SET.number,
        ErrorReason.WRONG_TILE_COUNT.number,
        0,
    ]
    width = len(column) // 4
    assert column[3 * width :] == getattr(checker, batch)(good)[0]
    with pytest.raises(RequestError) as caught:
        getattr(checker, batch)(bytes(33))
    assert caught.value.reason is ErrorReason.BAD_ROW_LENGTH
