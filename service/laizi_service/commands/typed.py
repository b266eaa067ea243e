"""What is typed for plays, melds and seats, as messages of the contract."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from laizi import tiles
from laizi.errors import LaiziError
from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2
from laizi_service.commands.asking import WrongTextError

__all__ = [
    "enum_names",
    "enum_value",
    "fill",
    "fraction",
    "hand",
    "is_reading",
    "play",
    "seat_and_rest",
    "table",
    "wild_tiles",
]

_MELD: Final = re.compile(r"(?:(?P<kind>[a-z_-]+|[吃碰直补暗杠]+):)?(?P<tiles>[^:@]*)(?:@(?P<seat>\d))?")
_KINDS: Final = {
    "吃": mahjong_pb2.MELD_KIND_CHI,
    "碰": mahjong_pb2.MELD_KIND_PENG,
    "直杠": mahjong_pb2.MELD_KIND_ZHI_GANG,
    "补杠": mahjong_pb2.MELD_KIND_BU_GANG,
    "暗杠": mahjong_pb2.MELD_KIND_AN_GANG,
}


def is_reading(text: str) -> bool:
    """Tell whether a text is a reading such as ``pair:9:1``, and not cards."""
    return ":" in text or text == "rocket"


def play(text: str) -> doudizhu_pb2.Play:
    """Return a play on the table: cards, a reading, or ``cards=reading``."""
    if is_reading(text) and "=" not in text:
        return doudizhu_pb2.Play(reading=text)
    held, _, reading = text.partition("=")
    return doudizhu_pb2.Play(cards=types_pb2.Cards(text=held.rstrip()), reading=reading.strip())


def wild_tiles(text: str) -> types_pb2.WildTiles:
    """Return what is wild: tiles such as ``5p``."""
    return types_pb2.WildTiles(wilds=types_pb2.Tiles(text=text))


def hand(text: str) -> tuple[types_pb2.Tiles, list[mahjong_pb2.Meld]]:
    """Return concealed tiles and melds, which stand behind bars: ``123m 55p | 8m8m8m | an_gang:2p2p2p2p``."""
    concealed, *laid = text.split("|")
    return types_pb2.Tiles(text=concealed.rstrip()), [_meld(part.strip()) for part in laid]


def _meld(text: str) -> mahjong_pb2.Meld:
    found = _MELD.fullmatch(text)
    if found is None:
        raise WrongTextError("a meld is written as in 8m8m8m, 123m@3 (from seat 3) or an_gang:2p2p2p2p", text, 0)
    kind = _meld_kind(text, found["kind"], found["tiles"])
    made = mahjong_pb2.Meld(kind=kind, tiles=types_pb2.Tiles(text=found["tiles"].strip()))
    if found["seat"]:
        made.from_seat = int(found["seat"])
    return made


def _meld_kind(text: str, kind: str | None, laid: str) -> mahjong_pb2.MeldKind.ValueType:
    if kind in _KINDS:
        return _KINDS[kind]
    if kind is not None:
        return mahjong_pb2.MeldKind.ValueType(enum_value(mahjong_pb2.MeldKind, kind, text))
    try:
        named = list(tiles.read(laid))
    except LaiziError:
        named = []  # whoever reads the request says what is wrong with it
    if len(named) == 4:
        raise WrongTextError("which kong is it? write zhi_gang:, bu_gang: or an_gang: before it", text, 0)
    return mahjong_pb2.MELD_KIND_CHI if len(set(named)) == 3 else mahjong_pb2.MELD_KIND_PENG


def fill(message: Any, text: str) -> None:
    """Set fields of a message by ``name=number,name``: numbers, and flags that are true when named."""
    fields = message.DESCRIPTOR.fields_by_name
    position = 0
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        field = fields.get(name.replace("-", "_"))
        if field is None or field.type == FieldDescriptor.TYPE_MESSAGE:
            known = ", ".join(name for name in fields if name != "seat")
            raise WrongTextError(f"{name!r} is none of {known}", text, position)
        if field.type == FieldDescriptor.TYPE_BOOL:
            if equals:
                raise WrongTextError(f"{name} is true when it is named, and takes no value", text, position)
            setattr(message, field.name, True)
        else:
            setattr(message, field.name, number(value, text, position + part.find("=") + 1))
        position += len(part) + 1


def seat_and_rest(text: str) -> tuple[int, str]:
    """Return the seat and what is said of it, of ``2:openings=1``."""
    seat, colon, rest = text.partition(":")
    if not colon:
        raise WrongTextError("a seat and a colon come first, as in 2:…", text, 0)
    return number(seat, text, 0), rest


def number(digits: str, text: str, position: int) -> int:
    """Return a whole number that stands in a text at a position."""
    if not re.fullmatch(r"-?\d{1,18}", digits):
        raise WrongTextError("a whole number is wanted here", text, position)
    return int(digits)


def fraction(digits: str, text: str, position: int) -> types_pb2.Fraction:
    """Return an exact number, such as ``2`` or ``3/2``."""
    numerator, slash, denominator = digits.partition("/")
    made = types_pb2.Fraction(numerator=number(numerator, text, position), denominator=1)
    if slash:
        made.denominator = number(denominator, text, position + len(numerator) + 1)
    return made


def enum_names(wrapper: Any) -> dict[str, int]:
    """Return the values of an enum by the names that people type: ``rob_kong`` for ``WIN_MODE_ROB_KONG``."""
    values = wrapper.DESCRIPTOR.values
    prefix = values[0].name.removesuffix("UNSPECIFIED")
    return {value.name.removeprefix(prefix).lower(): value.number for value in values if value.number}


def enum_value(wrapper: Any, name: str, text: str, position: int = 0) -> int:
    """Return the value of an enum by the name that somebody typed at a position of a text."""
    names = enum_names(wrapper)
    found = names.get(name.replace("-", "_"))
    if found is None:
        raise WrongTextError(f"{name!r} is none of {', '.join(names)}", text, position)
    return found


def table(
    made: mahjong_pb2.TableFactors, dealer: int | None, seats: int, factors: Iterable[str], guarantees: Iterable[str]
) -> None:
    """Fill in what a settlement needs to know about the table."""
    made.seat_count = seats
    if dealer is not None:
        made.dealer = dealer
    for text in factors:
        seat, rest = seat_and_rest(text)
        fill(made.seats.add(seat=seat), rest)
    for text in guarantees:
        seat, rest = seat_and_rest(text)
        kind = enum_value(mahjong_pb2.GuaranteeKind, rest, text, len(text) - len(rest))
        made.guarantees.add(seat=seat, kind=mahjong_pb2.GuaranteeKind.ValueType(kind))
