"""Columns made of any buffer or of notation, and what is wrong with those that are none."""

import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from laizi.errors import ErrorReason, LaiziError
from laizi.mahjong import Meld
from laizi_service import client

ROW = client.card_rows(["3337", "XY22"], wild_ranks="7")


@pytest.mark.parametrize(
    "words",
    [
        ROW,
        bytearray(ROW),
        memoryview(ROW),
        array.array("Q", ROW),
        np.frombuffer(ROW, dtype="<u8").reshape(2, 2),
        np.frombuffer(ROW, dtype=np.uint8),
        np.frombuffer(ROW * 2, dtype="<u8").reshape(4, 2)[2:],
        np.asfortranarray(np.frombuffer(ROW, dtype="<u8").reshape(2, 2)),
        np.frombuffer(ROW[:16] + bytes(16) + ROW[16:], dtype="<u8").reshape(3, 2)[::2],
    ],
    ids=lambda words: type(words).__name__,
)
def test_any_buffer_is_a_column(words: Any) -> None:
    assert client.card_column(words) == ROW


def test_counts_are_a_column_of_cards() -> None:
    naturals, wilds = np.zeros((2, 15), dtype=np.uint8), np.zeros((2, 15), dtype=np.uint8)
    naturals[0, 0], wilds[0, 4] = 3, 1
    naturals[1, 12:] = 2, 1, 1
    assert client.count_column(naturals, wilds) == ROW
    assert client.count_column(naturals) == client.card_rows(["333", "XY22"])


def test_single_cards_are_wild_by_their_suit() -> None:
    assert client.card_rows(["7h 7s 3d"], wild_cards="7h 7d") == client.count_column(
        bytes([1, 0, 0, 0, 1] + [0] * 10), bytes([0, 0, 0, 0, 1] + [0] * 10)
    )


def test_tiles_melds_readings_and_bytes() -> None:
    hand = client.tile_rows(["11m"])
    assert client.tile_column(np.array([[2] + [0] * 33], dtype=np.uint8)) == hand
    assert client.meld_rows([[Meld("an_gang", "z5z5z5z5")]]) == bytes([1 + 4 * 34 + 31, 0, 0, 0, 0])
    column = client.reading_rows(["rocket", "single:3:1"])
    assert client.reading_column(np.frombuffer(column, dtype="<u2")) == column
    assert [*client.split_readings(b"\1\1", column)] == [("rocket",), ("single:3:1",)]
    assert client.byte_column(np.array([1, 255], dtype=np.uint8)) == b"\1\xff"


@pytest.mark.parametrize(
    ("make", "argument", "reason", "path"),
    [
        (client.card_column, bytes(17), ErrorReason.BAD_ROW_LENGTH, "words"),
        (client.card_column, np.zeros((2, 2), dtype=np.uint32), ErrorReason.BAD_ROW_LENGTH, "words"),
        (client.tile_column, np.zeros((1, 34), dtype=np.int64), ErrorReason.BAD_ROW_LENGTH, "counts"),
        (client.tile_column, bytes(33), ErrorReason.BAD_ROW_LENGTH, "counts"),
        (client.reading_column, bytes(3), ErrorReason.BAD_ROW_LENGTH, "readings"),
        (client.byte_column, array.array("H", [1]), ErrorReason.BAD_ROW_LENGTH, "values"),
        (client.count_column, bytes([16] + [0] * 14), ErrorReason.COUNT_OUT_OF_RANGE, ""),
        (client.card_rows, ["3", "3?"], ErrorReason.UNKNOWN_RANK, "plays[1]"),
        (client.tile_rows, ["1m", "0m"], ErrorReason.UNKNOWN_TILE, "hands[1]"),
        (client.meld_rows, [[Meld("peng", "111m")] * 6], ErrorReason.TOO_MANY_ITEMS, "hands[0]"),
        (client.reading_rows, ["pair"], ErrorReason.MALFORMED_READING, ""),
    ],
)
def test_what_is_no_column_is_named(
    make: Callable[[Any], bytes], argument: Any, reason: ErrorReason, path: str
) -> None:
    with pytest.raises(LaiziError) as caught:
        make(argument)
    assert (caught.value.reason, caught.value.path) == (reason, path)
