"""Rows that fit a column: questions about one play or hand, asked by the thousand under the same rules and wilds.

A column carries less than a message does, so the answer to a row is the part of the full answer that a column has. What
fits no column here, and every row that a column says is wrong, is for the messages.
"""

from __future__ import annotations

import functools
import json
import struct
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor

from laizi import cards, tiles
from laizi.cards import RANKS
from laizi.doudizhu import Reading, packed
from laizi.errors import HuRefusal, LaiziError, PlayRefusal
from laizi.mahjong import HuType, WinMode
from laizi.settlement.mahjong import SITUATION_NAMES, TYPE_NAMES
from laizi.tiles import Tiles
from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2
from laizi_service.answering import method
from laizi_service.codec import form, source, write_tiles
from laizi_service.codec.doudizhu import write_bare_reading
from laizi_service.codec.mahjong import read_melds
from laizi_service.codec.payments import read_mode
from laizi_service.rows import meld_rows

__all__ = ["COLUMNS", "Column", "Fit", "fit"]

Key = tuple[Any, ...]
Cell = tuple[bytes, ...]
"""What a row adds to each column of its call."""
_SEATS: Final = 4
_NIBBLE: Final = 15
_MOST_POINTS: Final = 2**31 - 1
_FOREVER: Final = 127
"""The shanten of a hand that can never win."""
_UNKNOWN_TILE: Final = b"\xff"
_MODES: Final = {WinMode.ZIMO: 0, WinMode.DISCARD: 1, WinMode.ROB_KONG: 2}
_FLAGS: Final = {"gang_flower": 4, "haidi": 8}
_PAST: Final = {"wild_discarded": 16, "missed_hu": 32}


class _UnfitError(Exception):
    """A request asks for more than a column answers."""


class Fit(NamedTuple):
    """Where a row goes: rows of one key go together."""

    key: Key
    cell: Cell


class Column(ABC):
    """One kind of question as columns ask it."""

    fields: frozenset[str]
    """The fields of a request that fits."""

    @abstractmethod
    def cell(self, request: Any) -> Cell:
        """Return what a request adds to each column. Raises LaiziError or _UnfitError where it has no place there."""

    def key(self, request: Any) -> Key:
        """Return what rows of one call share, besides rules and wilds."""
        return ()

    @abstractmethod
    def calls(self, first: Any, columns: Sequence[bytes]) -> Iterator[tuple[MethodDescriptor, Any]]:
        """Yield the calls that ask about many rows; ``first`` is the request of one of them."""

    @abstractmethod
    def answers(self, first: Any, responses: Sequence[Any]) -> Iterator[str | None]:
        """Yield the members of the JSON object that answers each row; None for a row that is wrong."""


def fit(name: str, request: Any) -> Fit | None:
    """Return where a request of a kind fits a column, None where it does not."""
    column = COLUMNS.get(name)
    if column is None or not all(field.name in column.fields for field, _ in request.ListFields()):
        return None
    shared = (part.SerializeToString(deterministic=True) for part in (request.rules, request.wilds))
    try:
        return Fit((name, *shared, *column.key(request)), column.cell(request))
    except (LaiziError, _UnfitError):
        return None


# ---------------------------------------------------------------------------------------------------------- Dou Dizhu


class _Deck:
    """Rows of cards under one choice of wilds."""

    def __init__(self, wilds: types_pb2.Wilds) -> None:
        single = cards.read(source(wilds.cards))
        self._ranks, self._single = cards.ranks_of(wilds.ranks), single.codes()
        # Most text is ranks alone. Where only some cards of a rank are wild it must name suits: no letter for that.
        partly = {rank for rank, suit in single if suit >= 0}.difference(self._ranks)
        wholly = {rank for rank, suit in single if suit < 0}.union(self._ranks)
        self._letters = {
            letter: 1 << 4 * rank + (64 if rank in wholly else 0)
            for rank, letter in enumerate(RANKS)
            if rank not in partly
        }

    def row(self, given: str | bytes) -> bytes:
        """Return cards as a row. Raises what `laizi.cards.read` raises."""
        # More than fifteen of one rank would run over into the next; of fewer too many the engine tells.
        if isinstance(given, str) and len(given) - len(set(given)) < _NIBBLE:
            try:
                return sum(map(self._letters.__getitem__, given)).to_bytes(16, "little")
            except KeyError:
                pass
        naturals, wilds = cards.read(given).split(self._ranks, self._single)
        return struct.pack("<QQ", naturals.word(), wilds.word())


@functools.lru_cache(maxsize=1024)
def _deck(wilds: bytes) -> _Deck:
    return _Deck(types_pb2.Wilds.FromString(wilds))


def _row(request: Any, given: types_pb2.Cards) -> bytes:
    return _deck(request.wilds.SerializeToString(deterministic=True)).row(source(given))


@functools.lru_cache(maxsize=4096)
def _packed_reading(code: str) -> bytes:
    return Reading.parse(code).packed.to_bytes(2, "little")


def _table(play: doudizhu_pb2.Play) -> bytes:
    if not play.reading or play.HasField("cards"):
        raise _UnfitError
    return _packed_reading(play.reading)


@functools.lru_cache(maxsize=4096)
def _reading(column: bytes) -> str:
    """The JSON object of one packed reading: all of it but the cards and the clauses."""
    return _json(write_bare_reading(_unpacked(column)))


def _unpacked(column: bytes) -> Reading:
    (code,) = memoryview(packed.unpack(column)).cast("H")
    return Reading.from_code(code)


class _Reads(Column):
    fields = frozenset({"rules", "wilds", "cards", "last_play"})

    def cell(self, request: Any) -> Cell:
        return (_row(request, request.cards),)

    def key(self, request: Any) -> Key:
        return (request.last_play,)

    def calls(self, first: Any, columns: Sequence[bytes]) -> Iterator[tuple[MethodDescriptor, Any]]:
        yield (
            method("DoudizhuService.ReadPlayColumns"),
            doudizhu_pb2.ReadPlayColumnsRequest(
                rules=first.rules,
                wilds=first.wilds,
                plays=columns[0],
                last_play=first.last_play,
                with_refusals=True,
            ),
        )

    def answers(self, first: Any, responses: Sequence[Any]) -> Iterator[str | None]:
        (response,) = responses
        readings, refusals = response.readings, response.refusals
        at = 0
        for row, (error, count) in enumerate(zip(response.errors, response.reading_counts, strict=True)):
            following = at + 2 * count
            if error:
                yield None
            elif count:
                yield _read_as(readings[at:following])
            else:
                yield _refused(PlayRefusal, refusals[4 * row : 4 * row + 4])
            at = following


@functools.lru_cache(maxsize=16384)
def _read_as(column: bytes) -> str:
    readings = [column[at : at + 2] for at in range(0, len(column), 2)]
    taken = json.dumps(str(_unpacked(readings[0])))
    return f'"legal": true, "readings": [{", ".join(map(_reading, readings))}], "taken": {taken}'


@functools.lru_cache(maxsize=4096)
def _refused(kind: type[PlayRefusal] | type[HuRefusal], mask: bytes) -> str:
    bits = int.from_bytes(mask, "little")
    prefix = "PLAY_REFUSAL" if kind is PlayRefusal else "HU_REFUSAL"
    found = [
        {"reason": f"{prefix}_{refusal.name}", "text": refusal.meaning}
        for refusal in kind
        if bits >> refusal.number - 1 & 1
    ]
    return f'"refusals": {json.dumps(found, ensure_ascii=False)}'


class _Compares(Column):
    fields = frozenset({"rules", "wilds", "challenger", "previous"})

    def cell(self, request: Any) -> Cell:
        if request.challenger.reading:
            raise _UnfitError
        return _row(request, request.challenger.cards), _table(request.previous)

    def calls(self, first: Any, columns: Sequence[bytes]) -> Iterator[tuple[MethodDescriptor, Any]]:
        plays, previous = columns
        yield (
            method("DoudizhuService.CompareColumns"),
            doudizhu_pb2.CompareColumnsRequest(rules=first.rules, wilds=first.wilds, plays=plays, previous=previous),
        )

    def answers(self, first: Any, responses: Sequence[Any]) -> Iterator[str | None]:
        (response,) = responses
        for row, error in enumerate(response.errors):
            found = response.readings[2 * row : 2 * row + 2]
            yield (
                None
                if error
                else f'"beats": true, "comparisons": [{{"reading": {_reading(found)}}}]'
                if any(found)
                else ""
            )


class _Beats(Column):
    fields = frozenset({"rules", "wilds", "hand", "previous"})

    def cell(self, request: Any) -> Cell:
        return _row(request, request.hand), _table(request.previous)

    def calls(self, first: Any, columns: Sequence[bytes]) -> Iterator[tuple[MethodDescriptor, Any]]:
        hands, previous = columns
        yield (
            method("DoudizhuService.CanBeatColumns"),
            doudizhu_pb2.CanBeatColumnsRequest(rules=first.rules, wilds=first.wilds, hands=hands, previous=previous),
        )

    def answers(self, first: Any, responses: Sequence[Any]) -> Iterator[str | None]:
        (response,) = responses
        for error, can_beat in zip(response.errors, response.can_beat, strict=True):
            yield None if error else '"canBeat": true' if can_beat else ""


# ------------------------------------------------------------------------------------------------------------ mahjong


def _hand(request: Any, own: int | None = None) -> Cell:
    melds = meld_rows([read_melds(request.melds, own=own)]) if request.melds else bytes(5)
    return tiles.read(source(request.concealed)).counts, melds


def _waiting_hand(request: Any) -> Cell:
    concealed, melds = _hand(request)
    # A hand with a discard to make is answered for each discard, which only messages do.
    if sum(concealed) % 3 != 1:
        raise _UnfitError
    return concealed, melds


def _downs(state: mahjong_pb2.SeatState) -> bytes:
    if not (0 <= state.put_downs <= _NIBBLE and 0 <= state.wild_kongs <= _NIBBLE):
        raise _UnfitError
    return bytes([state.put_downs | state.wild_kongs << 4])


def _columns(concealed: bytes, melds: bytes, downs: bytes = b"") -> mahjong_pb2.HandColumns:
    return mahjong_pb2.HandColumns(concealed=concealed, melds=melds if any(melds) else b"", downs=downs)


@functools.cache
def _tile_names(used: str) -> tuple[str, ...]:
    """The JSON objects of the 34 tiles in one form."""
    return tuple(_json(write_tiles(Tiles.from_indices((tile,)), used)) for tile in range(tiles.KINDS))  # type: ignore[arg-type]


class _Wins(Column):
    fields = frozenset(
        {"rules", "wilds", "concealed", "winning_tile", "melds", "circumstances", "state", "seat"},
    )

    def cell(self, request: Any) -> Cell:
        state = request.state
        return (
            *_hand(request, request.seat),
            _downs(state),
            self._winning_tile(request),
            bytes([self._circumstances(request) | sum(flag for name, flag in _PAST.items() if getattr(state, name))]),
        )

    @staticmethod
    def _winning_tile(request: Any) -> bytes:
        if not request.HasField("winning_tile"):
            return _UNKNOWN_TILE
        found = list(tiles.read(source(request.winning_tile)))
        if len(found) != 1:
            raise _UnfitError
        return bytes(found)

    @staticmethod
    def _circumstances(request: mahjong_pb2.CheckHuRequest) -> int:
        circumstances, seat = request.circumstances, request.seat
        mode = read_mode(circumstances.mode, "")
        # From whom the tile came decides nothing here, but must be possible.
        giver = circumstances.from_seat if circumstances.HasField("from_seat") else None
        possible = giver is None or (0 <= giver < _SEATS and giver != seat and mode is not WinMode.ZIMO)
        if not possible or not 0 <= seat < _SEATS:
            raise _UnfitError
        return _MODES[mode] | sum(flag for name, flag in _FLAGS.items() if getattr(circumstances, name))

    def calls(self, first: Any, columns: Sequence[bytes]) -> Iterator[tuple[MethodDescriptor, Any]]:
        *hands, winning_tiles, circumstances = columns
        yield (
            method("MahjongService.CheckHuColumns"),
            mahjong_pb2.CheckHuColumnsRequest(
                rules=first.rules,
                wilds=first.wilds,
                hands=_columns(*hands),
                winning_tiles=winning_tiles,
                circumstances=circumstances,
            ),
        )

    def answers(self, first: Any, responses: Sequence[Any]) -> Iterator[str | None]:
        (response,) = responses
        names, scale = tuple(response.type_names), response.points_scale
        points = memoryview(response.points).cast("i") if response.points else ()
        types = response.types
        for row, (error, verdict) in enumerate(zip(response.errors, response.verdicts, strict=True)):
            # The most that a column can say may be less than the points are.
            if error or (verdict and points[row] >= _MOST_POINTS):
                yield None
            elif verdict:
                yield _worth(verdict, types[2 * row : 2 * row + 2], points[row], scale, names)
            else:
                yield f'"value": {{{_refused(HuRefusal, response.refusals[2 * row : 2 * row + 2])}}}'


@functools.lru_cache(maxsize=16384)
def _worth(verdict: int, mask: bytes, points: int, scale: int, names: tuple[str, ...]) -> str:
    bits = int.from_bytes(mask, "little")
    value: dict[str, Any] = {"hu": True}
    if bits:
        value["types"] = [
            {"name": name, "nameZh": (TYPE_NAMES | SITUATION_NAMES)[HuType(name).value][1]}
            for bit, name in enumerate(names)
            if bits >> bit & 1
        ]
    value |= {word: True for word, flag in (("big", 4), ("hard", 2)) if verdict & flag}
    whole = Fraction(points, scale)
    # Numbers of 64 bits are strings in the JSON form.
    value["points"] = {"numerator": str(whole.numerator), "denominator": str(whole.denominator)}
    return f'"value": {json.dumps(value, ensure_ascii=False)}'


class _WaitsFor(Column):
    fields = frozenset({"rules", "wilds", "concealed", "melds", "state", "mode"})

    def cell(self, request: Any) -> Cell:
        if any(getattr(request.state, name) for name in _PAST):
            raise _UnfitError
        return *_waiting_hand(request), _downs(request.state)

    def key(self, request: Any) -> Key:
        return request.mode, form(request.concealed)

    def calls(self, first: Any, columns: Sequence[bytes]) -> Iterator[tuple[MethodDescriptor, Any]]:
        for mode in self._modes(first):
            yield (
                method("MahjongService.WaitColumns"),
                mahjong_pb2.WaitColumnsRequest(
                    rules=first.rules, wilds=first.wilds, hands=_columns(*columns), mode=mode
                ),
            )

    @staticmethod
    def _modes(first: Any) -> list[Any]:
        return [first.mode] if first.mode else [mahjong_pb2.WIN_MODE_ZIMO, mahjong_pb2.WIN_MODE_DISCARD]

    def answers(self, first: Any, responses: Sequence[Any]) -> Iterator[str | None]:
        names = _tile_names(form(first.concealed))
        both = [memoryview(response.waits).cast("Q") if response.waits else () for response in responses]
        for row, error in enumerate(responses[0].errors):
            if error:
                yield None
                continue
            any_mode = functools.reduce(int.__or__, (waits[row] for waits in both))
            found = ", ".join(f'{{"tile": {names[tile]}}}' for tile in range(tiles.KINDS) if any_mode >> tile & 1)
            yield f'"waits": {{"waits": [{found}]}}' if found else '"waits": {}'


class _Distances(Column):
    fields = frozenset({"rules", "wilds", "concealed", "melds"})

    def cell(self, request: Any) -> Cell:
        return _waiting_hand(request)

    def key(self, request: Any) -> Key:
        return (form(request.concealed),)

    def calls(self, first: Any, columns: Sequence[bytes]) -> Iterator[tuple[MethodDescriptor, Any]]:
        yield (
            method("MahjongService.ShantenColumns"),
            mahjong_pb2.ShantenColumnsRequest(
                rules=first.rules, wilds=first.wilds, hands=_columns(*columns), with_improving=True
            ),
        )

    def answers(self, first: Any, responses: Sequence[Any]) -> Iterator[str | None]:
        (response,) = responses
        names = _tile_names(form(first.concealed))
        improving = memoryview(response.improving).cast("Q") if response.improving else ()
        for row, (error, away) in enumerate(zip(response.errors, memoryview(response.shanten).cast("b"), strict=True)):
            if error:
                yield None
                continue
            said = [] if away == _FOREVER else [f'"shanten": {away}']
            found = [f'{{"tile": {names[tile]}}}' for tile in range(tiles.KINDS) if improving[row] >> tile & 1]
            yield ", ".join([*said, f'"improving": [{", ".join(found)}]'] if found else said)


def _json(message: Any) -> str:
    return json_format.MessageToJson(message, indent=None, ensure_ascii=False)


COLUMNS: Final[Mapping[str, Column]] = {
    "read_play": _Reads(),
    "compare_plays": _Compares(),
    "can_beat": _Beats(),
    "check_hu": _Wins(),
    "list_waits": _WaitsFor(),
    "shanten": _Distances(),
}
"""The kinds of rows that have a column."""
