"""Messages of the contract to objects of the core and back: what the services share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final, Generic, Literal, TypeVar

from google.protobuf.message import Message

import laizi
from laizi import cards, tiles
from laizi.cards import Cards
from laizi.errors import ErrorReason, LaiziError, RequestError
from laizi.rules import RuleSet
from laizi.settlement import factors
from laizi.tiles import Tiles
from laizi.v1 import errors_pb2, types_pb2

__all__ = [
    "Enum",
    "Form",
    "form",
    "item_error",
    "moved",
    "optional",
    "pb_reason",
    "provenance",
    "read_cards",
    "read_fraction",
    "read_tiles",
    "source",
    "value_at",
    "wilds_of",
    "wire_path",
    "write_cards",
    "write_factor",
    "write_fraction",
    "write_payment",
    "write_seats",
    "write_tiles",
]

Form = Literal["text", "codes"]

_STEP: Final = re.compile(r"([a-z_]+)(?:\[(\d+)\])?")
_E = TypeVar("_E", bound=StrEnum)


def form(*messages: types_pb2.Cards | types_pb2.Tiles) -> Form:
    """Return the form in which to answer: that of the first of these that has one."""
    for message in messages:
        found = message.WhichOneof("form")
        if found is not None:
            return found
    return "text"


def read_cards(
    message: types_pb2.Cards, path: str, *, limit: int = cards.PACK, empty: ErrorReason | None = None
) -> Cards:
    """Return the cards of a message. Raises what `laizi.cards.read` raises."""
    return cards.read(source(message), path=path, limit=limit, empty=empty)


def source(message: types_pb2.Cards | types_pb2.Tiles) -> str | bytes:
    """Return the text or the codes of a message, as the core reads them."""
    return message.codes if message.WhichOneof("form") == "codes" else message.text


def write_cards(value: Cards, used: Form) -> types_pb2.Cards:
    """Return cards as a message in one form."""
    return types_pb2.Cards(codes=value.codes()) if used == "codes" else types_pb2.Cards(text=value.text())


def read_tiles(
    message: types_pb2.Tiles, path: str, *, limit: int = tiles.WALL, empty: ErrorReason | None = None
) -> Tiles:
    """Return the tiles of a message. Raises what `laizi.tiles.read` raises."""
    return tiles.read(source(message), path=path, limit=limit, empty=empty)


def write_tiles(value: Tiles, used: Form) -> types_pb2.Tiles:
    """Return tiles as a message in one form."""
    return types_pb2.Tiles(codes=value.codes()) if used == "codes" else types_pb2.Tiles(text=value.text())


def wilds_of(text: str) -> types_pb2.Wilds:
    """Return what a text names as wild: ranks such as ``7``, or single cards such as ``7h 7d`` and the jokers."""
    try:
        named = cards.read(text)
    except LaiziError:
        return types_pb2.Wilds(ranks=text)  # whoever reads the message says what is wrong with it
    single = named.suited or any(named.counts[rank] for rank in (cards.BLACK_JOKER, cards.RED_JOKER))
    return types_pb2.Wilds(cards=types_pb2.Cards(text=text)) if single else types_pb2.Wilds(ranks=text)


def optional(message: Message, field: str) -> Any:
    """Return the value of an optional field, None where it is absent."""
    return getattr(message, field) if message.HasField(field) else None


class Enum(Generic[_E]):
    """The members of an enum of the core beside the values of the contract's enum, which have the same names.

    ``names`` gives the members whose names differ.
    """

    def __init__(
        self, wrapper: Any, prefix: str, members: Iterable[_E], names: Mapping[str, str] | None = None
    ) -> None:
        self._number = {
            member: wrapper.Value(f"{prefix}_{(names or {}).get(member.name, member.name)}") for member in members
        }
        self._member = {number: member for member, number in self._number.items()}
        self._kind = wrapper.DESCRIPTOR.name

    def write(self, member: _E) -> Any:
        """Return the number of a member."""
        return self._number[member]

    def read(self, number: int, path: str) -> _E:
        """Return the member of a number. Raises RequestError (UNKNOWN_ENUM_VALUE)."""
        if number not in self._member:
            raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, f"{number} is no {self._kind} to send", path=path)
        return self._member[number]


def read_fraction(message: types_pb2.Fraction, path: str) -> Fraction:
    """Return an exact number. Raises RequestError (VALUE_OUT_OF_RANGE) for a negative denominator."""
    if message.denominator < 0:
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, "a denominator is at least 1", path=f"{path}.denominator")
    return Fraction(message.numerator, message.denominator or 1)


_LARGEST: Final = 2**63


def write_fraction(value: Fraction) -> types_pb2.Fraction:
    """Return an exact number as a message.

    Raises RequestError (VALUE_OUT_OF_RANGE, at ``rules``) for one that only extreme factors make.
    """
    if not max(abs(value.numerator), value.denominator) < _LARGEST:
        message = "the factors of the rules and of the request make a number beyond 64 bits"
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path="rules")
    return types_pb2.Fraction(numerator=value.numerator, denominator=value.denominator)


_OPERATIONS: Final = Enum(types_pb2.FactorOperation, "FACTOR_OPERATION", factors.Operation)


def write_factor(factor: factors.Factor) -> types_pb2.Factor:
    """Return one step of a settlement."""
    return types_pb2.Factor(
        name=factor.name,
        text=factor.text,
        text_zh=factor.text_zh,
        operation=_OPERATIONS.write(factor.operation),
        operand=None if factor.operand is None else write_fraction(factor.operand),
        result=write_fraction(factor.result),
        seat=factor.seat,
        clauses=factor.clauses,
    )


def write_payment(payment: factors.Payment) -> types_pb2.Payment:
    """Return what one seat pays another."""
    return types_pb2.Payment(
        from_seat=payment.from_seat,
        to_seat=payment.to_seat,
        amount=write_fraction(payment.amount),
        factors=map(write_factor, payment.factors),
        on_behalf_of=payment.on_behalf_of,
        clauses=payment.clauses,
    )


def write_seats(deltas: Sequence[Fraction]) -> list[types_pb2.SeatResult]:
    """Return what each seat wins or loses."""
    return [types_pb2.SeatResult(seat=seat, delta=write_fraction(delta)) for seat, delta in enumerate(deltas)]


def provenance(rule_set: RuleSet) -> types_pb2.Provenance:
    """Return which rules and which engine gave an answer."""
    return types_pb2.Provenance(
        rule_set=rule_set.name, rule_set_digest=rule_set.digest, engine_version=laizi.__version__
    )


def pb_reason(reason: ErrorReason) -> errors_pb2.ErrorReason.ValueType:
    """Return the enum value of the contract."""
    return errors_pb2.ErrorReason.ValueType(reason.number)


def item_error(error: LaiziError, path: str) -> errors_pb2.ItemError:
    """Return the error of one item of a batch, at a path inside the item."""
    return errors_pb2.ItemError(
        reason=pb_reason(error.reason),
        field=path,
        message=error.message,
        position=error.position,
        limit=error.limit,
    )


def moved(error: LaiziError, names: Mapping[str, str]) -> LaiziError:
    """Return an error of an argument of the core as an error of the field that ``names`` gives for it."""
    path = names.get(error.path, error.path)
    return type(error)(error.reason, error.message, path=path, position=error.position, limit=error.limit)


def wire_path(request: Message, path: str, names: Mapping[str, Sequence[str]]) -> str:
    """Return where in a request an error lies.

    ``names`` gives the fields in which an argument of the core may lie, where the request has none of that name. A path
    to cards or tiles goes on to their form: ``hand`` becomes ``hand.text``.
    """
    argument = re.split(r"[.\[]", path, maxsplit=1)[0]
    for candidate in (path, *(name + path[len(argument) :] for name in names.get(argument, ()))):
        found = value_at(request, candidate)
        if found is not None:
            used = found.WhichOneof("form") if isinstance(found, types_pb2.Cards | types_pb2.Tiles) else None
            return f"{candidate}.{used}" if used else candidate
    return path


def value_at(message: Any, path: str) -> Any:
    """Return what lies at a path of a message, such as ``melds[0].tiles``; None where nothing can."""
    for step in path.split("."):
        found = _STEP.fullmatch(step)
        if found is None or not isinstance(message, Message) or found[1] not in message.DESCRIPTOR.fields_by_name:
            return None
        message = getattr(message, found[1])
        if found[2] is not None:
            if not isinstance(message, Sequence) or int(found[2]) >= len(message):
                return None
            message = message[int(found[2])]
    return message
