"""Columns for requests, and what the columns of answers say: the layouts of the contract without bit arithmetic.

A column is made of any C-like buffer (bytes, bytearray, array, numpy) that has its layout already, or of notation:

>>> import numpy
>>> hands = numpy.zeros((2, 34), dtype=numpy.uint8)
>>> hands[:, 0] = 2
>>> len(tile_column(hands))
68
>>> tile_rows(["11m"]) == tile_column(hands[:1])
True
>>> card_rows(["3335"], wild_ranks="5").hex(" ", 8)
'0300000000000000 0001000000000000'
>>> reading_rows(["pair:K:1", "bomb:3:4:soft"]).hex(" ", 2)
'a201 0d14'
>>> list(split_readings(b"\\x02\\x00", bytes.fromhex("0d14 0401")))
[('bomb:3:4:soft', 'triple_1:3:1'), ()]
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, cast

from laizi import cards, tiles
from laizi.cards import Cards
from laizi.doudizhu import CardsLike, Reading, packed
from laizi.errors import CardsError, ErrorReason, RequestError
from laizi.mahjong import Meld, MeldKind
from laizi.tiles import Tiles

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "Bufferlike",
    "byte_column",
    "card_column",
    "card_rows",
    "count_column",
    "meld_rows",
    "reading_column",
    "reading_rows",
    "split_readings",
    "tile_column",
    "tile_rows",
]


class _Array(Protocol):
    """A numpy array, or what looks like one: the types of Python before 3.12 do not tell that it is a buffer."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...


Bufferlike: TypeAlias = "Buffer | _Array"
"""Bytes, bytearray, array, numpy array: whatever has the buffer interface."""

_MELDS: Final = 5
_KINDS: Final = tuple(MeldKind)


def card_column(words: Bufferlike) -> bytes:
    """A column of cards: two words a row, natural and wild cards, as bytes or as unsigned numbers of 64 bits.

    Raises RequestError (BAD_ROW_LENGTH), as do all functions here that take a buffer.
    """
    return _column(words, 16, 8, "words")


def count_column(naturals: Bufferlike, wilds: Bufferlike | None = None) -> bytes:
    """A column of cards from counts: 15 bytes a row, ranks 3 to 2, black joker, red joker.

    >>> count_column(bytes([3, 0, 0, 0] + [0] * 11), bytes([0, 0, 1, 0] + [0] * 11)) == card_rows(["3335"], "5")
    True

    ``wilds`` are the counts of the wild cards, by their own rank; without it nothing is wild. Raises RequestError also
    for columns of different lengths (COLUMN_LENGTH_MISMATCH) and counts over 15 (COUNT_OUT_OF_RANGE).
    """
    natural = _column(naturals, len(cards.RANKS), 1, "naturals")
    wild = bytes(len(natural)) if wilds is None else _column(wilds, len(cards.RANKS), 1, "wilds")
    return bytes(packed.card_rows(natural, wild))


def tile_column(counts: Bufferlike) -> bytes:
    """A column of concealed tiles: 34 bytes a row, how many of each tile, wild ones by their own face."""
    return _column(counts, tiles.KINDS, 1, "counts")


def reading_column(readings: Bufferlike) -> bytes:
    """A column of packed readings, as bytes or as unsigned numbers of 16 bits."""
    return _column(readings, 2, 2, "readings")


def byte_column(values: Bufferlike) -> bytes:
    """A column of one byte a row: winning tiles, circumstances, downs."""
    return _column(values, 1, 1, "values")


def card_rows(plays: Iterable[CardsLike], wild_ranks: str = "", wild_cards: CardsLike = "") -> bytes:
    """A column of cards from notation, codes or `Cards`. Raises what `laizi.cards.read` raises."""
    ranks, single = cards.ranks_of(wild_ranks, path="wild_ranks"), cards.read(wild_cards, path="wild_cards").codes()
    rows = bytearray()
    for index, play in enumerate(plays):
        read = play if isinstance(play, Cards) else cards.read(play, path=f"plays[{index}]")
        try:
            natural, wild = read.split(ranks, single)
        except CardsError as error:
            raise error.under(f"plays[{index}]") from None
        rows += struct.pack("<QQ", natural.word(), wild.word())
    return bytes(rows)


def tile_rows(hands: Iterable[Tiles | str | bytes]) -> bytes:
    """A column of concealed tiles from notation, codes or `Tiles`. Raises what `laizi.tiles.read` raises."""
    return b"".join(
        hand.counts if isinstance(hand, Tiles) else tiles.read(hand, path=f"hands[{index}]").counts
        for index, hand in enumerate(hands)
    )


def meld_rows(hands: Iterable[Sequence[Meld]]) -> bytes:
    """A column of open melds and kongs, five bytes a row.

    >>> meld_rows([(), [Meld("peng", "333m"), Meld("chi", "567p")]]).hex(" ")
    '00 00 00 00 00 25 0e 00 00 00'

    Raises RequestError (TOO_MANY_ITEMS) for more than five melds.
    """
    rows = bytearray()
    for index, melds in enumerate(hands):
        if len(melds) > _MELDS:
            message = f"{len(melds)} melds, a hand has at most {_MELDS}"
            raise RequestError(ErrorReason.TOO_MANY_ITEMS, message, path=f"hands[{index}]", limit=_MELDS)
        row = bytes(1 + tiles.KINDS * _KINDS.index(meld.kind) + min(meld.tiles) for meld in melds)
        rows += row.ljust(_MELDS, b"\0")
    return bytes(rows)


def reading_rows(readings: Iterable[Reading | str]) -> bytes:
    """A column of packed readings from readings or their codes. Raises NotationError (MALFORMED_READING)."""
    return b"".join(
        (reading if isinstance(reading, Reading) else Reading.parse(reading)).packed.to_bytes(2, "little")
        for reading in readings
    )


def split_readings(counts: bytes, readings: bytes) -> Iterator[tuple[str, ...]]:
    """The readings of each row of an answer of ReadPlayColumns, as text; those of one row of a packed column are
    ``split_readings(b"\\x01" * rows, column)``."""
    codes = memoryview(packed.unpack(readings)).cast("H")
    first = 0
    for count in counts:
        yield tuple(str(Reading.from_code(code)) for code in codes[first : first + count])
        first += count


def _column(buffer: Bufferlike, width: int, item: int, path: str) -> bytes:
    view = memoryview(cast("Buffer", buffer))
    if view.itemsize not in (1, item):
        sizes = "1 byte" if item == 1 else f"1 or {item} bytes"
        message = f"items have {view.itemsize} bytes, a column like this has items of {sizes}"
        raise RequestError(ErrorReason.BAD_ROW_LENGTH, message, path=path, limit=item)
    if view.nbytes % width:
        message = f"{view.nbytes} bytes are no whole number of rows of {width}"
        raise RequestError(ErrorReason.BAD_ROW_LENGTH, message, path=path, limit=width)
    return view.tobytes()
