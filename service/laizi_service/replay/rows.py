"""Rows of a log: each a request of the contract, or what is wrong with it. Files of any size, read piece by piece."""

from __future__ import annotations

import base64
import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message

from laizi.errors import ErrorReason, LaiziError, RequestError
from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2
from laizi_service.codec import wilds_of
from laizi_service.replay.plain import arguments

__all__ = ["KINDS", "Defaults", "Kind", "LogError", "Row", "Source", "open_log"]

MIB: Final = 1024 * 1024
_LONGEST_LINE: Final = 4 * MIB
_STEP: Final = re.compile(r"([A-Za-z_]+)(?:\[(\d|[1-9]\d)\])?")
_MOST_REPEATED: Final = 64
_TEXTS: Final = frozenset({"Cards", "Tiles", "Wilds", "WildTiles", "RuleSetSelector"})
"""Messages that a cell says as a whole."""
_TEXT: Final = "text"
_BYTES: Final = "bytes"
_WHOLE: Final = "whole numbers"
_TRUTH: Final = "true or false"


class LogError(ValueError):
    """A log cannot be read at all."""


@dataclass(frozen=True)
class Kind:
    """A kind of request: its field in the stream messages, and the RPC that answers it."""

    name: str
    method: MethodDescriptor
    batch: MethodDescriptor | None
    request: type[Message]
    stream_request: type[Message]
    stream_response: type[Message]


def _kinds() -> dict[str, Kind]:
    found = {}
    for file, name in ((doudizhu_pb2, "DoudizhuService"), (mahjong_pb2, "MahjongService")):
        service = file.DESCRIPTOR.services_by_name[name]
        sent, answered = (getattr(file, f"{name}Stream{end}") for end in ("Request", "Response"))
        by_input = {method.input_type.name: method for method in service.methods}
        batched = {
            method.input_type.fields_by_name["items"].message_type.name: method
            for method in service.methods
            if "items" in method.input_type.fields_by_name
        }
        for member in sent.DESCRIPTOR.oneofs_by_name["request"].fields:
            asked = member.message_type.name
            # A batch or a column inside a log would hide its rows from the count.
            if "items" in member.message_type.fields_by_name or member.name.endswith("_columns"):
                continue
            found[member.name] = Kind(
                member.name, by_input[asked], batched.get(asked), getattr(file, asked), sent, answered
            )
    return found


KINDS: Final[Mapping[str, Kind]] = _kinds()
"""Every kind of request that a row may be, by its name in a log."""
_BY_KEY: Final = {
    **KINDS,
    **{kind.stream_request.DESCRIPTOR.fields_by_name[name].json_name: kind for name, kind in KINDS.items()},
}


@dataclass(frozen=True)
class Defaults:
    """What rows leave out: the rules and wilds of those that name none."""

    rules: types_pb2.RuleSetSelector | None = None
    wilds: str = ""

    def complete(self, request: Any) -> None:
        """Fill in what a request leaves out."""
        if self.rules is not None and not request.HasField("rules"):
            request.rules.CopyFrom(self.rules)
        if self.wilds and "wilds" in request.DESCRIPTOR.fields_by_name and not request.HasField("wilds"):
            set_text(request, "wilds", self.wilds)


@dataclass
class Row:
    """One row of a log."""

    number: int
    """From 1: the line of a text file, the row of a table."""
    end: int
    """Where reading goes on after it: a byte of a text file, a row of a table."""
    kind: Kind | None = None
    request: Any = None
    correlation_id: int = 0
    """The row's own, or its number."""
    error: LaiziError | None = None
    """Why it is no request; its path and position lie in the row."""
    size: int = field(default=0, compare=False)
    """About how many bytes it is."""


class Source(Protocol):
    """A log that is open."""

    total: int
    """Its size, in the unit of `Row.end`."""

    def rows(self, start: int, number: int) -> Iterator[Row]:
        """Yield the rows from a place on, which ``Row.end`` of the row before gave, and number them on."""


def open_log(path: Path, kind: str | None, defaults: Defaults) -> Source:
    """Open JSON lines, or a table (``.csv``, ``.parquet``) whose rows are all of one kind.

    Raises LogError: no kind for a table, an unknown kind, no pyarrow for Parquet.
    """
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        if kind is not None:
            raise LogError("only the rows of a table are told their kind; lines of JSON name it themselves")
        return JsonLines(path, defaults)
    if kind is None or kind not in KINDS:
        raise LogError(f"of which kind are the rows of a table? one of {', '.join(KINDS)}")
    table = CsvTable if suffix == ".csv" else ParquetTable
    return table(path, KINDS[kind], defaults)


class JsonLines:
    """Lines such as ``{"read_play": {"cards": {"text": "3337"}}}``: the JSON form of the requests on a stream."""

    def __init__(self, path: Path, defaults: Defaults) -> None:
        self._path = path
        self._defaults = defaults
        self.total = path.stat().st_size

    def rows(self, start: int, number: int) -> Iterator[Row]:
        """Yield the rows; blank lines are none, and are counted."""
        for line, length, row in _numbered(self._path, start, number):
            yield self._row(line, length, row)

    def _row(self, line: bytes, length: int, row: Row) -> Row:
        try:
            if length > _LONGEST_LINE:
                raise _too_long(length)
            self._read(line, row)
        except LaiziError as error:
            row.error = error
        return row

    def _read(self, line: bytes, row: Row) -> None:
        try:
            text = line.decode()
            read = json.loads(text)
        except UnicodeDecodeError as error:
            raise _malformed(f"not UTF-8: {error.reason}", error.start) from None
        except json.JSONDecodeError as error:
            raise _malformed(f"no JSON: {error.msg}", error.pos) from None
        except (RecursionError, ValueError) as error:
            raise _malformed(f"no JSON that a request can have: {error}") from None
        if b"\\u" in line:
            _check_escapes(read)
        if not isinstance(read, dict):
            raise _malformed('a row is an object, such as {"read_play": {…}}')
        keys = [key for key in read if key not in ("correlation_id", "correlationId")]
        if len(keys) != 1 or keys[0] not in _BY_KEY:
            raise _malformed(f"a row names one of {', '.join(KINDS)}, not {', '.join(keys) or 'none'}")
        kind = _BY_KEY[keys[0]]
        message = _message(kind.stream_request, read)
        row.kind = kind
        row.request = getattr(message, kind.name)
        row.correlation_id = message.correlation_id or row.number
        self._defaults.complete(row.request)


class _Table:
    """Rows of cells under the paths of fields, such as ``cards``, ``hand.text``, ``melds[0].tiles``."""

    def __init__(self, kind: Kind, defaults: Defaults) -> None:
        self._kind = kind
        self._defaults = defaults

    def row(self, row: Row, cells: Iterable[tuple[str, Any]]) -> Row:
        """Build the request of a row. An empty cell leaves its field out."""
        row.kind, row.request, row.correlation_id = self._kind, self._kind.request(), row.number
        for column, cell in cells:
            if cell is None or cell == "":
                continue
            row.size += len(cell) if isinstance(cell, str | bytes) else 8
            try:
                set_cell(row.request, column, cell)
            except (LaiziError, TypeError, ValueError, OverflowError) as error:
                row.error = RequestError(ErrorReason.MALFORMED_MESSAGE, f"column {column}: {error}", path=column)
                return row
        self._defaults.complete(row.request)
        return row

    def check(self, columns: Iterable[str | None]) -> None:
        """Check the names of all columns: each a field, none another's or a part of it. Raises LogError."""
        seen: list[str] = []
        for column in columns:
            if not column or _takes(self._kind.request.DESCRIPTOR, column) is None:
                raise LogError(f"column {column!r} is no field of {self._kind.request.DESCRIPTOR.name}")
            for other in seen:
                if column == other:
                    raise LogError(f"two columns are named {column!r}")
                if f"{column}.".startswith(f"{other}.") or f"{other}.".startswith(f"{column}."):
                    raise LogError(f"columns {other!r} and {column!r} say the same field")
            seen.append(column)


class CsvTable(_Table):
    """A table as text, with a header."""

    def __init__(self, path: Path, kind: Kind, defaults: Defaults) -> None:
        super().__init__(kind, defaults)
        self._path = path
        self.total = path.stat().st_size
        with path.open("rb") as file:
            header = file.readline(_LONGEST_LINE)
        self._first = len(header)
        try:
            self._columns = next(csv.reader([header.decode("utf-8-sig")]), [])
        except UnicodeDecodeError:
            raise LogError("the header is not UTF-8") from None
        if not self._columns:
            raise LogError("there is no header that names the columns")
        self.check(self._columns)

    def rows(self, start: int, number: int) -> Iterator[Row]:
        """Yield the rows. A cell may not hold a line break: each line is a row."""
        # The header is the first line.
        for line, length, row in _numbered(self._path, start or self._first, number or 1):
            yield self._read(line, length, row)

    def _read(self, line: bytes, length: int, row: Row) -> Row:
        if length > _LONGEST_LINE:
            row.error = _too_long(length)
            return row
        try:
            cells = next(csv.reader([line.decode()], strict=True))
        except (UnicodeDecodeError, csv.Error) as error:
            row.error = _malformed(f"no row of a table: {error}")
            return row
        if len(cells) != len(self._columns):
            row.error = _malformed(f"{len(cells)} cells, the header names {len(self._columns)} columns")
            return row
        return self.row(row, zip(self._columns, cells, strict=True))


class ParquetTable(_Table):
    """A Parquet file; needs pyarrow."""

    def __init__(self, path: Path, kind: Kind, defaults: Defaults) -> None:
        super().__init__(kind, defaults)
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise LogError("Parquet needs pyarrow: pip install pyarrow") from None
        try:
            self._file = parquet.ParquetFile(path)
        except (pyarrow.ArrowException, OSError) as error:
            raise LogError(f"no Parquet file: {error}") from None
        self._columns = self._file.schema_arrow.names
        self.total = self._file.metadata.num_rows
        self.check(self._columns)
        for column in self._file.schema_arrow:
            takes, held = _takes(kind.request.DESCRIPTOR, column.name), _held(column.type)
            if takes is not None and held is not None and held not in takes:
                raise LogError(f"column {column.name!r} holds {held}, expected {' or '.join(takes)}")
        self._wrong = (pyarrow.ArrowException, OSError, UnicodeDecodeError)

    def rows(self, start: int, number: int) -> Iterator[Row]:
        """Yield the rows. Raises LogError where the file is damaged."""
        try:
            yield from self._rows(start)
        except self._wrong as error:
            raise LogError(f"the Parquet file is damaged: {error}") from None

    def _rows(self, start: int) -> Iterator[Row]:
        place = 0
        for group in range(self._file.num_row_groups):
            size = self._file.metadata.row_group(group).num_rows
            if place + size <= start:
                place += size
                continue
            for batch in self._file.iter_batches(batch_size=1_000, row_groups=[group]):
                for cells in batch.to_pylist():
                    place += 1
                    if place > start:
                        yield self.row(Row(place, place), cells.items())


def _numbered(path: Path, start: int, number: int) -> Iterator[tuple[bytes, int, Row]]:
    """Yield the lines of a file from a byte on, with their lengths and a row for each; blank ones are only counted."""
    with path.open("rb") as file:
        file.seek(start)
        end = start
        for line, length in _lines(file):
            number += 1
            end += length
            if line.strip():
                yield line, length, Row(number, end, correlation_id=number, size=len(line))


def _lines(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield each line, without the tail of one that is too long, and its whole length."""
    while line := file.readline(_LONGEST_LINE + 1):
        length = len(line)
        while not line.endswith(b"\n") and length > _LONGEST_LINE:
            rest = file.readline(MIB)
            length += len(rest)
            if not rest or rest.endswith(b"\n"):
                break
        yield line, length


def _message(kind: Any, read: dict[str, Any]) -> Any:
    """Return the message that the JSON form of it says. Raises RequestError."""
    try:
        return kind(**arguments(kind.DESCRIPTOR, read))
    except (ValueError, TypeError, RecursionError):
        pass
    message = kind()
    try:
        json_format.ParseDict(read, message)
    except (json_format.ParseError, ValueError, TypeError, AttributeError, RecursionError) as error:
        # json_format does not wrap all that goes wrong in it.
        raise _malformed(str(error)) from None
    return message


def _too_long(length: int) -> RequestError:
    message = f"a line of {length} bytes; a request has at most {_LONGEST_LINE}"
    return RequestError(ErrorReason.TOO_MANY_ITEMS, message, limit=_LONGEST_LINE)


def _malformed(message: str, position: int | None = None) -> RequestError:
    return RequestError(ErrorReason.MALFORMED_MESSAGE, message, position=position)


def _check_escapes(read: object) -> None:
    """Refuse half of a pair of escapes anywhere in what JSON says: JSON allows it, but it is no text."""
    try:
        json.dumps(read, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        lone = ord(error.object[error.start])
        raise _malformed(f"no JSON that a request can have: \\u{lone:04x} is half a character") from None
    except RecursionError as error:
        raise _malformed(f"no JSON that a request can have: {error}") from None


def _takes(descriptor: Any, path: str) -> tuple[str, ...] | None:
    """Return what cells of the column of a path may hold, None when a cell cannot say the field or there is none."""
    here, member = descriptor, None
    for step in path.split("."):
        found = _STEP.fullmatch(step)
        member = here.fields_by_name.get(found[1]) if here is not None and found is not None else None
        if found is None or member is None or (found[2] is not None) != member.is_repeated:
            return None
        here = member.message_type
        # The entries of a map have keys, not places.
        if here is not None and here.GetOptions().map_entry:
            return None
    assert member is not None
    if here is not None:
        if here.name not in _TEXTS:
            return None
        # Ranks, too, may be written as a number: 3337.
        return (_TEXT,) if here.name == "RuleSetSelector" else (_TEXT, _BYTES, _WHOLE)
    if member.type == FieldDescriptor.TYPE_BYTES:
        return (_BYTES, _TEXT)
    if member.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return (_TEXT, _WHOLE)
    return (_TRUTH, _WHOLE, _TEXT) if member.cpp_type == FieldDescriptor.CPPTYPE_BOOL else (_WHOLE, _TEXT)


def _held(arrow: Any) -> str | None:
    """Return what the cells of a column of Parquet are, in the words of `_takes`; None when all are empty."""
    from pyarrow import types

    if types.is_dictionary(arrow):
        return _held(arrow.value_type)
    if types.is_null(arrow):
        return None
    for held, kinds in (
        (_TEXT, (types.is_string, types.is_large_string)),
        (_BYTES, (types.is_binary, types.is_large_binary, types.is_fixed_size_binary)),
        (_WHOLE, (types.is_integer,)),
        (_TRUTH, (types.is_boolean,)),
    ):
        if any(is_kind(arrow) for is_kind in kinds):
            return held
    return str(arrow)


def set_cell(message: Any, path: str, cell: Any) -> None:
    """Set the field at a path of a message, which exists, to what a cell says.

    Raises ValueError or TypeError for a cell that the field cannot hold.
    """
    here = message
    *way, last = path.split(".")
    for step in way:
        here = _step(here, step)
    name, index = _split(last)
    member = here.DESCRIPTOR.fields_by_name[name]
    if member.message_type is not None:
        set_text(here if index is None else _step(here, last), name if index is None else "", cell)
    elif index is not None:
        values = getattr(here, name)
        values.extend([member.default_value] * (index + 1 - len(values)))
        values[index] = _scalar(member, cell)
    else:
        setattr(here, name, _scalar(member, cell))


def set_text(message: Any, name: str, cell: Any) -> None:
    """Set cards, tiles, wilds or rules from one cell: text, or the bytes of codes."""
    target = getattr(message, name) if name else message
    kind = target.DESCRIPTOR.name
    if kind == "RuleSetSelector":
        target.preset = cell
    elif kind == "WildTiles":
        set_text(target, "wilds", cell)
    elif kind == "Wilds":
        target.CopyFrom(wilds_of(cell))
    elif isinstance(cell, bytes):
        target.codes = cell
    else:
        target.text = str(cell)


def _step(here: Any, step: str) -> Any:
    name, index = _split(step)
    if index is None:
        return getattr(here, name)
    items = getattr(here, name)
    while len(items) <= index:
        items.add()
    return items[index]


def _split(step: str) -> tuple[str, int | None]:
    found = _STEP.fullmatch(step)
    assert found is not None
    index = None if found[2] is None else int(found[2])
    if index is not None and index >= _MOST_REPEATED:
        raise ValueError(f"at most {_MOST_REPEATED} of one field")
    return found[1], index


def _scalar(member: FieldDescriptor, cell: Any) -> Any:
    if member.enum_type is not None and isinstance(cell, str):
        values = member.enum_type.values_by_name
        prefix = next(iter(values)).removesuffix("UNSPECIFIED")
        found = values.get(cell) or values.get(prefix + cell.upper())
        if found is None:
            raise ValueError(f"{cell!r} is no {member.enum_type.name}")
        return found.number
    if member.cpp_type == FieldDescriptor.CPPTYPE_BOOL and isinstance(cell, str):
        if cell.lower() not in ("true", "false", "1", "0"):
            raise ValueError(f"{cell!r} is neither true nor false")
        return cell.lower() in ("true", "1")
    if member.type == FieldDescriptor.TYPE_BYTES:
        return cell if isinstance(cell, bytes) else base64.b64decode(cell, validate=True)
    if member.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return str(cell)
    return int(cell) if isinstance(cell, str) else cell
