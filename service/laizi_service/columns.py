"""Columns: many rows in one call, worked on in slices, so that a caller who has gone costs no more than one of them."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Sequence
from typing import Final

from laizi.cards import RANKS, Cards
from laizi.doudizhu import Evaluator, PlayType, Reading
from laizi.errors import ErrorReason, NotationError, RequestError
from laizi_service.calls import Call
from laizi_service.codec.doudizhu import write_reading

__all__ = [
    "PACKED_LENGTH",
    "ROW_LENGTH",
    "check_columns",
    "code_column",
    "count_rows",
    "packed_column",
    "refusal_column",
    "sliced",
    "with_malformed",
]

ROW_LENGTH: Final = 16
"""Bytes of a row of cards."""
PACKED_LENGTH: Final = 4
"""Bytes of a packed reading."""
_REFUSAL_LENGTH: Final = 4
_SLICE: Final = 20_000
"""Rows between two looks at whether the caller still waits."""
_EXPLAINED: Final = 500
"""The same for rows that are explained."""
_NO_RANK: Final = 255


def count_rows(column: bytes, width: int, path: str, limit: int) -> int:
    """Return how many rows a column holds. Raises RequestError (BAD_ROW_LENGTH, TOO_MANY_ITEMS)."""
    rows, rest = divmod(len(column), width)
    if rest:
        message = f"{len(column)} bytes are no whole number of rows of {width} bytes"
        raise RequestError(ErrorReason.BAD_ROW_LENGTH, message, path=path, limit=width)
    if rows > limit:
        message = f"{rows} rows given, max_rows is {limit}"
        raise RequestError(ErrorReason.TOO_MANY_ITEMS, message, path=path, limit=limit)
    return rows


def check_columns(columns: dict[str, tuple[bytes, int]], rows: int) -> None:
    """Check columns by path, each with its width, against a number of rows; an empty one is left out.

    Raises RequestError (BAD_ROW_LENGTH, COLUMN_LENGTH_MISMATCH).
    """
    for path, (column, width) in columns.items():
        if column and count_rows(column, width, path, len(column)) != rows:
            message = f"{len(column) // width} rows, the hands have {rows}"
            raise RequestError(ErrorReason.COLUMN_LENGTH_MISMATCH, message, path=path, limit=rows)


def sliced(
    call: Call,
    rows: int,
    columns: Sequence[tuple[bytes, int]],
    evaluate: Callable[..., Sequence[bytes | bytearray]],
    answers: int,
) -> list[bytes]:
    """Return the so many columns that ``evaluate`` gives for slices of columns, each put together again.

    ``columns`` are given with their widths; an empty one stays empty. Between slices the caller is looked after.
    """
    parts = []
    for first in range(0, rows, _SLICE):
        if first:
            call.proceed()
        last = min(first + _SLICE, rows)
        given = [memoryview(column)[first * width : last * width] for column, width in columns]
        parts.append(call.engine_rows(last - first, evaluate, *given))
    return [b"".join(part[column] for part in parts) for column in range(answers)]


def _pack(reading: Reading) -> int:
    """A reading as the contract packs it: type, main rank, length, tier; the lowest byte first."""
    message = write_reading(reading)
    bare = reading.type is PlayType.ROCKET or reading.main == "*"
    main = _NO_RANK if bare else RANKS.index(reading.main)
    return message.type | main << 8 | message.length << 16 | message.tier << 24


def _packed_codes() -> dict[int, int]:
    packed = {0: 0}
    for code in range(1, 2048):
        try:
            packed[code] = _pack(Reading.from_code(code))
        except NotationError:
            continue
    return packed


_PACKED: Final = _packed_codes()
_CODES: Final = {packed: code for code, packed in _PACKED.items()}


def packed_column(codes: bytes) -> bytes:
    """Return packed readings of four bytes for codes of two; nothing for code 0."""
    return array("I", map(_PACKED.__getitem__, array("H", codes))).tobytes()


def code_column(packed: bytes) -> array[int]:
    """Return codes for packed readings, 0 for what is none."""
    return array("H", (_CODES.get(reading, 0) for reading in array("I", packed)))


def with_malformed(errors: bytes, previous: array[int]) -> bytes:
    """Return the errors of rows, those added whose previous reading is none."""
    if 0 not in previous:
        return errors
    told = bytearray(errors)
    for index, code in enumerate(previous):
        if not code:
            told[index] = ErrorReason.MALFORMED_READING.number
    return bytes(told)


def refusal_column(call: Call, evaluator: Evaluator, plays: bytes, counts: bytes, errors: bytes) -> bytes:
    """Return why rows without a reading have none, four bytes a row, a bit for each reason."""
    column = array("I", bytes(_REFUSAL_LENGTH * len(counts)))
    explained = 0
    for index, (count, error) in enumerate(zip(counts, errors, strict=True)):
        if count or error:
            continue
        explained += 1
        if explained % _EXPLAINED == 0:
            call.proceed()
        naturals, wilds = struct.unpack_from("<QQ", plays, ROW_LENGTH * index)
        reasons = evaluator.explain(Cards.from_word(naturals), Cards.from_word(wilds))
        column[index] = sum(1 << reason.number - 1 for reason in reasons)
    return column.tobytes()
