"""Columns: many rows in one call, worked on in slices, so that a caller who has gone costs no more than one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from laizi.errors import ErrorReason, RequestError
from laizi_service.calls import Call, Handler, RawHandler
from laizi_service.native.views import Views
from laizi_service.native.wire import varint

__all__ = [
    "Column",
    "ColumnsAnswer",
    "Pieces",
    "check_columns",
    "columns_from_bytes",
    "columns_in_general",
    "count_rows",
    "sliced",
]

Column = tuple[bytes | memoryview, int]
"""The bytes of a column and how many of them are a row."""
Pieces = Sequence[bytes | bytearray]
"""The bytes of a column, slice after slice."""


def count_rows(column: bytes | memoryview, width: int, path: str, limit: int) -> int:
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
) -> list[Pieces]:
    """Return the columns that ``evaluate`` gives for slices of ``size`` rows, each in as many pieces.

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
    return list(zip(*parts, strict=True))


class ColumnsAnswer:
    """The response to a call with columns: its columns in pieces, and a message with its other fields."""

    def __init__(self, rest: Message, **columns: Pieces) -> None:
        self._rest = rest
        self._columns = columns

    def message(self) -> Message:
        """Return the response as a message."""
        for name, pieces in self._columns.items():
            setattr(self._rest, name, b"".join(pieces))
        return self._rest

    def written(self) -> bytes:
        """Return the bytes of that message, which are put together only once."""
        written: list[bytes | bytearray] = []
        rest: Any = self._rest
        for field in sorted(rest.DESCRIPTOR.fields, key=lambda field: field.number):
            pieces = self._columns.get(field.name)
            if pieces is None:
                other = type(rest)()
                other.MergeFrom(rest)
                for name in rest.DESCRIPTOR.fields_by_name:
                    if name != field.name:
                        other.ClearField(name)
                written.append(other.SerializeToString())
                continue
            size = sum(map(len, pieces))
            if size:
                written += (varint(field.number << 3 | _LENGTH_DELIMITED), varint(size), *pieces)
        return b"".join(written)


_LENGTH_DELIMITED: Final = 2
"""The wire type of bytes."""


ColumnsHandler = Callable[[Any, Call], ColumnsAnswer]
"""What answers the requests of one RPC with columns, given as messages or as what `Views` makes of them."""


def columns_in_general(handler: ColumnsHandler) -> Handler:
    """Return the handler of messages."""
    return lambda request, call: handler(request, call).message()


def columns_from_bytes(method: MethodDescriptor, handler: ColumnsHandler) -> RawHandler:
    """Return the handler of the requests of ordinary shape: their columns are looked at where they lie."""
    views = Views(method.input_type)

    def answer(data: bytes, call: Call) -> bytes | None:
        request = views.read(data)
        return None if request is None else handler(request, call).written()

    return answer
