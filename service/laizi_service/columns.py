"""Columns: many rows in one call, worked on in slices, so that a caller who has gone costs no more than one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from laizi.errors import ErrorReason, RequestError
from laizi_service.calls import Call

__all__ = ["Column", "check_columns", "count_rows", "sliced"]

Column = tuple[bytes, int]
"""The bytes of a column and how many of them are a row."""


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


def check_columns(columns: Mapping[str, Column], rows: int) -> None:
    """Check columns by path against a number of rows; one that is empty is left out.

    Raises RequestError (BAD_ROW_LENGTH, COLUMN_LENGTH_MISMATCH).
    """
    for path, (column, width) in columns.items():
        if column and count_rows(column, width, path, len(column)) != rows:
            message = f"{len(column) // width} rows given, the first column has {rows}"
            raise RequestError(ErrorReason.COLUMN_LENGTH_MISMATCH, message, path=path, limit=rows)


def sliced(
    call: Call,
    rows: int,
    size: int,
    columns: Sequence[Column],
    evaluate: Callable[..., Sequence[bytes | bytearray]],
) -> list[bytes]:
    """Return the columns that ``evaluate`` gives for slices of ``size`` rows, each put together again.

    ``columns`` are given to it in their order; one that is empty stays empty. Between two slices the caller is looked
    after. No rows at all are one empty slice.
    """
    call.items = rows
    views = [(memoryview(column), width) for column, width in columns]
    parts = []
    for first in range(0, max(rows, 1), size):
        if first:
            call.proceed()
        last = min(first + size, rows)
        given = [view[first * width : last * width] for view, width in views]
        parts.append(call.engine_rows(last - first, evaluate, *given))
    return [b"".join(column) for column in zip(*parts, strict=True)]
