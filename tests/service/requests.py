"""Short ways to write the requests of the tests."""

from typing import Any

from laizi import cards, tiles
from laizi.v1 import types_pb2


def selector(preset: str, overrides: dict[str, Any] | None = None, digest: str = "") -> types_pb2.RuleSetSelector:
    made = types_pb2.RuleSetSelector(preset=preset, expect_digest=digest)
    if overrides is not None:
        made.overrides.update(overrides)
    return made


def card(text: str) -> types_pb2.Cards:
    return types_pb2.Cards(text=text)


def card_codes(text: str) -> types_pb2.Cards:
    return types_pb2.Cards(codes=cards.read(text).codes())


def tile(text: str) -> types_pb2.Tiles:
    return types_pb2.Tiles(text=text)


def tile_codes(text: str) -> types_pb2.Tiles:
    return types_pb2.Tiles(codes=tiles.read(text).codes())


def as_text(message: Any) -> None:
    """Write every cards and tiles field of a message as text, in place."""
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for one in value if field.is_repeated else [value]:
            if isinstance(one, types_pb2.Cards) and one.WhichOneof("form") == "codes":
                one.text = cards.read(one.codes).text()
            elif isinstance(one, types_pb2.Tiles) and one.WhichOneof("form") == "codes":
                one.text = tiles.read(one.codes).text()
            elif hasattr(one, "ListFields"):
                as_text(one)
