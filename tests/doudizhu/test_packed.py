"""What goes to other processes: packed readings, rows of cards from counts, and columns of refusals."""

from __future__ import annotations

import struct

import pytest

from laizi import cards, rules
from laizi.doudizhu import Evaluator, PlayType, Reading, Tier, packed
from laizi.doudizhu.readings import ROWS
from laizi.errors import ErrorReason, RequestError
from laizi.rules import DoudizhuRules
from tests.doudizhu.hands import random_play, random_table

RULE_SETS = 30
PLAYS = 40


def every_reading() -> list[Reading]:
    found = []
    for code in range(16 * len(ROWS)):
        try:
            found.append(Reading.from_code(code))
        except ValueError:
            continue
    return found


def test_every_reading_is_packed_apart_and_back() -> None:
    codes = struct.pack(f"<{len(every_reading())}H", *(reading.code for reading in every_reading()))
    column = packed.pack(codes)
    numbers = struct.unpack(f"<{len(every_reading())}H", column)
    assert len(set(numbers)) == len(numbers)
    assert packed.unpack(column) == codes
    for reading, number in zip(every_reading(), numbers, strict=True):
        assert number == reading.packed
        kind, main, length, tier = number & 15, number >> 4 & 15, number >> 8 & 15, number >> 12
        assert length == reading.length
        if reading.type is PlayType.ROCKET or reading.tier is Tier.MIXED:
            assert main == 15
        else:
            assert cards.RANKS[main] == reading.main
        if reading.type is PlayType.CHAIN:
            assert (kind, tier) == (13, 5)
        else:
            order = [play_type for play_type in PlayType if play_type is not PlayType.CHAIN]
            assert order[kind - 1] is reading.type
            assert tier == (0 if reading.tier is None else list(Tier).index(reading.tier) + 1)


def test_whatever_is_no_reading_is_unpacked_as_none() -> None:
    known = {reading.packed for reading in every_reading()}
    codes = packed.unpack(struct.pack("<65536H", *range(65536)))
    assert {number for number, code in enumerate(struct.unpack("<65536H", codes)) if code} == known
    with pytest.raises(RequestError) as caught:
        packed.unpack(bytes(3))
    assert caught.value.reason is ErrorReason.BAD_ROW_LENGTH


def test_only_what_was_malformed_is_marked() -> None:
    illegal, malformed = ErrorReason.PREVIOUS_PLAY_ILLEGAL.number, ErrorReason.MALFORMED_READING.number
    errors = bytearray([illegal, illegal, 0, 8])
    packed.mark_malformed(errors, struct.pack("<4H", 0, 5, 21, 0))
    assert errors == bytes([malformed, illegal, 0, 8])


def test_plays_that_lead_are_told_as_read_play_tells_them(rng, samples) -> None:
    refused = 0
    for _ in range(samples(RULE_SETS)):
        table = random_table(rng)
        evaluator = Evaluator(table.ruleset, table.wild_ranks, " ".join(table.wild_cards))
        assert isinstance(table.ruleset.rules, DoudizhuRules)
        last = rng.random() < 0.3
        answers = [evaluator.read_play(" ".join(random_play(rng, table)), last=last) for _ in range(PLAYS)]
        rows = b"".join(struct.pack("<QQ", answer.naturals.word(), answer.wilds.word()) for answer in answers)
        counts, codes, errors = evaluator.read_rows(rows, last)
        refusals = struct.unpack(f"<{PLAYS}I", evaluator.refusal_rows(rows, counts, errors, last))
        readings = evaluator.pack_leading(counts, codes)
        numbers = iter(struct.unpack(f"<{len(readings) // 2}H", readings))
        for answer, count, bits in zip(answers, counts, refusals, strict=True):
            found = [next(numbers) for _ in range(count)]
            assert found == [reading.packed for reading in answer.readings], (str(table), answer)
            assert bits == sum(1 << refusal.number - 1 for refusal in answer.refusals), (str(table), answer)
            refused += bits > 0
        assert next(numbers, None) is None
    assert refused


def test_bad_rows_have_no_refusals() -> None:
    evaluator = Evaluator(rules.load("huanle"), "7")
    rows = bytes(16) + struct.pack("<QQ", 5, 0) + struct.pack("<QQ", 0x11, 0)
    counts, _, errors = evaluator.read_rows(rows)
    refusals = struct.unpack("<3I", evaluator.refusal_rows(rows, counts, errors))
    assert refusals[:2] == (0, 0)
    assert refusals[2]


def test_counts_become_rows() -> None:
    play, wild = cards.read("34XY22"), cards.read("77")
    assert packed.card_rows(play.counts * 2, wild.counts + bytes(15)) == struct.pack(
        "<4Q", play.word(), wild.word(), play.word(), 0
    )
    for naturals, wilds, reason in (
        (bytes(16), bytes(16), ErrorReason.BAD_ROW_LENGTH),
        (bytes(15), bytes(30), ErrorReason.COLUMN_LENGTH_MISMATCH),
        (bytes([16]) + bytes(14), bytes(15), ErrorReason.COUNT_OUT_OF_RANGE),
        (bytes(15), bytes(14) + bytes([255]), ErrorReason.COUNT_OUT_OF_RANGE),
    ):
        with pytest.raises(RequestError) as caught:
            packed.card_rows(naturals, wilds)
        assert caught.value.reason is reason
