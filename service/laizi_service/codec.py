"""Messages of the contract to objects of the core and back: what both games share."""

from __future__ import annotations

from typing import Literal

import laizi
from laizi import cards, tiles
from laizi.cards import Cards
from laizi.errors import ErrorReason, LaiziError
from laizi.rules import RuleSet
from laizi.tiles import Tiles
from laizi.v1 import errors_pb2, types_pb2

__all__ = [
    "Form",
    "form",
    "item_error",
    "pb_reason",
    "provenance",
    "read_cards",
    "read_tiles",
    "write_cards",
    "write_tiles",
]

Form = Literal["text", "codes"]


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
    """Return the cards of a message. Raises what `laizi.cards.read` raises, at ``path.text`` or ``path.codes``."""
    used = message.WhichOneof("form")
    if used is None:
        return cards.read("", path=path, empty=empty)
    return cards.read(getattr(message, used), path=f"{path}.{used}", limit=limit, empty=empty)


def write_cards(value: Cards, used: Form) -> types_pb2.Cards:
    """Return cards as a message in one form."""
    return types_pb2.Cards(codes=value.codes()) if used == "codes" else types_pb2.Cards(text=value.text())


def read_tiles(
    message: types_pb2.Tiles, path: str, *, limit: int = tiles.WALL, empty: ErrorReason | None = None
) -> Tiles:
    """Return the tiles of a message. Raises what `laizi.tiles.read` raises, at ``path.text`` or ``path.codes``."""
    used = message.WhichOneof("form")
    if used is None:
        return tiles.read("", path=path, empty=empty)
    return tiles.read(getattr(message, used), path=f"{path}.{used}", limit=limit, empty=empty)


def write_tiles(value: Tiles, used: Form) -> types_pb2.Tiles:
    """Return tiles as a message in one form."""
    return types_pb2.Tiles(codes=value.codes()) if used == "codes" else types_pb2.Tiles(text=value.text())


def provenance(rule_set: RuleSet) -> types_pb2.Provenance:
    """Return which rules and which engine gave an answer."""
    return types_pb2.Provenance(
        rule_set=rule_set.name, rule_set_digest=rule_set.digest, engine_version=laizi.__version__
    )


def pb_reason(reason: ErrorReason) -> errors_pb2.ErrorReason.ValueType:
    """Return the enum value of the contract."""
    return errors_pb2.ErrorReason.ValueType(reason.number)


def item_error(error: LaiziError) -> errors_pb2.ItemError:
    """Return the error of one item of a batch."""
    return errors_pb2.ItemError(
        reason=pb_reason(error.reason),
        field=error.path,
        message=error.message,
        position=error.position,
        limit=error.limit,
    )
