"""Mahjong tiles: text, byte codes and counts, turned into each other.

A tile is its index 0..33: 1-9 万 (``m``), 1-9 筒 (``p``), 1-9 条 (``s``), then 东南西北中发白
(``z1``..``z7``). The notation is described in ``docs/notation.md``.

>>> read("123m456p z5")
Tiles('123m456p z5')
>>> read("一万 二万 三万 红中").text()
'123m z5'
>>> read(bytes([0x11, 0x21, 0x35])).human()
'一筒 一条 中'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

from laizi.errors import CardsError, ErrorReason, NotationError
from laizi.notation import FULL_WIDTH, SEPARATORS, check_codes, check_size

__all__ = [
    "CODES",
    "COPIES",
    "KINDS",
    "NAMES",
    "WALL",
    "Tiles",
    "name",
    "read",
    "read_kinds",
    "read_one",
]

KINDS: Final = 34
COPIES: Final = 4
WALL: Final = KINDS * COPIES

NAMES: Final = (
    *(f"{digit}{suit}" for suit in "mps" for digit in range(1, 10)),
    *(f"z{digit}" for digit in range(1, 8)),
)
"""The canonical text of each tile by its index."""

# Chinese game servers number the suits 万 条 筒; ours run 万 筒 条 as the text notation does.
CODES: Final = bytes(high << 4 | low for high, size in ((0, 9), (2, 9), (1, 9), (3, 7)) for low in range(1, size + 1))
"""The byte code of each tile by its index."""

_INDEX_OF_CODE: Final = {code: index for index, code in enumerate(CODES)}
_SUIT_START: Final = {
    **dict.fromkeys("mM万萬", 0),
    **dict.fromkeys("pP筒饼餅", 9),
    **dict.fromkeys("sS条條索", 18),
    **dict.fromkeys("zZ", 27),
}
_NUMERALS: Final = "一二三四五六七八九"
_DIGIT_OF: Final = {
    **{str(digit): digit for digit in range(1, 10)},
    **{numeral: digit for digit, numeral in enumerate(_NUMERALS, 1)},
}
_HONOURS: Final = "东南西北中发白"
_HONOUR_OF: Final = {
    **{honour: 27 + index for index, honour in enumerate(_HONOURS)},
    "東": 27,
    "發": 32,
}
# The block of mahjong tiles runs: winds, 中 發 白, then 万, 条, 筒.
_GLYPHS: Final = "".join(chr(0x1F000 + offset) for offset in (*range(7, 16), *range(25, 34), *range(16, 25), *range(7)))

_TOKEN: Final = re.compile(
    r"(?P<honour>东风|東风|東風|南风|南風|西风|西風|北风|北風|红中|紅中|发财|發財|白板|[东東南西北中发發白])"
    r"|[zZ](?P<wind>[1-7])"
    r"|(?P<run>[1-9一二三四五六七八九]+)(?P<suit>[mpsMPS万萬筒饼餅条條索])"
    r"|(?P<winds>[1-7]+)[zZ]"
    f"|(?P<glyph>[{_GLYPHS}])\ufe0f?"  # a variation selector only asks for a coloured picture
)


@dataclass(frozen=True, slots=True)
class Tiles:
    """A multiset of tiles. ``counts`` holds 34 bytes: how many tiles of each kind, at most 4."""

    counts: bytes

    @classmethod
    def from_text(cls, text: str) -> Tiles:
        """Read a text such as ``123m456p z5``, ``5m 5m``, ``11z`` or ``一万 东``.

        Raises NotationError (UNKNOWN_TILE) with the position of the first wrong character, and
        CardsError (TOO_MANY_COPIES) with that of the tile too many.
        """
        return cls._collect(_scan(text))

    @classmethod
    def from_codes(cls, codes: bytes) -> Tiles:
        """Read one byte a tile: 0x01-0x09 万, 0x11-0x19 条, 0x21-0x29 筒, 0x31-0x37 东南西北中发白.

        Raises NotationError (UNKNOWN_TILE_CODE) or CardsError (TOO_MANY_COPIES) with the position
        of the byte.
        """
        return cls._collect((position, _index_of_code(code, position)) for position, code in enumerate(codes))

    @classmethod
    def from_counts(cls, counts: bytes) -> Tiles:
        """Take 34 counts. Raises CardsError (TOO_MANY_COPIES, COUNT_OUT_OF_RANGE)."""
        if len(counts) != KINDS:
            raise CardsError(
                ErrorReason.COUNT_OUT_OF_RANGE,
                f"{len(counts)} counts given, {KINDS} tiles exist",
                limit=KINDS,
            )
        for index, count in enumerate(counts):
            if count > COPIES:
                raise _too_many_copies(index, count, index)
        return cls(bytes(counts))

    @classmethod
    def from_indices(cls, indices: Iterable[int]) -> Tiles:
        """Take tiles by index 0..33. Raises CardsError (TOO_MANY_COPIES)."""
        return cls._collect(enumerate(indices))

    @classmethod
    def _collect(cls, tiles: Iterable[tuple[int, int]]) -> Tiles:
        counts = bytearray(KINDS)
        for position, index in tiles:
            counts[index] += 1
            if counts[index] > COPIES:
                raise _too_many_copies(index, counts[index], position)
        return cls(bytes(counts))

    def text(self) -> str:
        """Return the canonical text in the order of the indices: ``123m456p z5z5``."""
        suits = []
        for start, suit in ((0, "m"), (9, "p"), (18, "s")):
            run = "".join(str(digit + 1) * count for digit, count in enumerate(self.counts[start : start + 9]))
            suits.append(run + suit if run else "")
        honours = "".join(NAMES[27 + digit] * count for digit, count in enumerate(self.counts[27:]))
        return " ".join(part for part in ("".join(suits), honours) if part)

    def human(self) -> str:
        """Return the Chinese names: ``一万 二万 三万 中``."""
        return " ".join(name(index) for index in self)

    def glyphs(self) -> str:
        """Return the tiles as characters of Unicode's mahjong block."""
        return "".join(_GLYPHS[index] for index in self)

    def codes(self) -> bytes:
        """Return one byte a tile in the order of the indices."""
        return bytes(CODES[index] for index in self)

    def __iter__(self) -> Iterator[int]:
        """Yield the index of each tile, in rising order."""
        for index, count in enumerate(self.counts):
            for _ in range(count):
                yield index

    def __len__(self) -> int:
        return sum(self.counts)

    def __repr__(self) -> str:
        return f"Tiles({self.text()!r})"


def name(index: int) -> str:
    """Return the Chinese name of a tile: ``一万``, ``九筒``, ``中``."""
    if index >= 27:
        return _HONOURS[index - 27]
    return _NUMERALS[index % 9] + "万筒条"[index // 9]


def read(
    source: Tiles | str | bytes,
    *,
    path: str = "",
    limit: int = WALL,
    empty: ErrorReason | None = None,
) -> Tiles:
    """Read tiles given as text, as byte codes, or already read.

    ``path`` names the field in errors. Raises what :meth:`Tiles.from_text` and
    :meth:`Tiles.from_codes` raise, CardsError (HAND_TOO_LARGE) beyond ``limit`` tiles, and
    CardsError with the reason ``empty`` (EMPTY_HAND), where given, for no tiles.
    TypeError for a source of any other type.
    """
    try:
        if isinstance(source, str):
            tiles = Tiles.from_text(source)
        elif isinstance(source, Tiles):
            tiles = source
        else:
            check_codes(source, "tiles")
            tiles = Tiles.from_codes(source)
        check_size(len(tiles), "tiles", limit, empty)
    except (NotationError, CardsError) as error:
        raise error.under(path) from None
    return tiles


def read_kinds(source: str | bytes, *, path: str = "") -> tuple[int, ...]:
    """Read distinct tiles, as wild tiles are named, and return their indices in rising order.

    Raises what :func:`read` raises, and CardsError (TOO_MANY_COPIES) for a tile named twice.
    """
    tiles = read(source, path=path)
    for index, count in enumerate(tiles.counts):
        if count > 1:
            raise CardsError(ErrorReason.TOO_MANY_COPIES, f"{NAMES[index]} is named twice", path=path, limit=1)
    return tuple(tiles)


def read_one(source: str | bytes, *, path: str = "") -> int:
    """Read exactly one tile and return its index 0..33.

    Raises what :func:`read` raises, and CardsError (WRONG_TILE_COUNT) for none or several.
    """
    tiles = read(source, path=path)
    if len(tiles) != 1:
        raise CardsError(
            ErrorReason.WRONG_TILE_COUNT,
            f"one tile wanted, {len(tiles)} given",
            path=path,
            limit=1,
        )
    return next(iter(tiles))


def _scan(text: str) -> Iterator[tuple[int, int]]:
    """Yield (position, index) of each tile of a text."""
    plain = text.translate(FULL_WIDTH)
    start = 0
    while start < len(plain):
        gap = SEPARATORS.match(plain, start)
        if gap:
            start = gap.end()
            continue
        token = _TOKEN.match(plain, start)
        if token is None:
            _refuse(plain, start)
        if token["honour"]:
            yield start, _HONOUR_OF[token["honour"].lstrip("红紅")[0]]
        elif token["wind"]:
            yield start, 26 + int(token["wind"])
        elif token["glyph"]:
            yield start, _GLYPHS.index(token["glyph"])
        else:
            suit_start = _SUIT_START[token["suit"] or "z"]
            for offset, digit in enumerate(token["run"] or token["winds"]):
                yield start + offset, suit_start + _DIGIT_OF[digit] - 1
        start = token.end()


def _refuse(text: str, position: int) -> NoReturn:
    # A run of digits is wrong where it ends: there its suit is missing, or honours stop at 7.
    end = position
    while end < len(text) and text[end] in _DIGIT_OF:
        end += 1
    if end < len(text) and end > position and text[end] in "zZ":
        position = next(i for i in range(position, end) if text[i] not in "1234567")
        why = "honours are z1 to z7"
    elif end > position:
        position = end - 1
        why = "a suit must follow: m 万, p 筒, s 条, z honours"
    elif text[position] == "0":
        why = "tiles are numbered 1 to 9"
    elif text[position] in "zZ":
        why = "honours are z1 to z7"
    else:
        why = "tiles are 1-9 with m, p or s, z1-z7, or Chinese names"
    raise NotationError(
        ErrorReason.UNKNOWN_TILE,
        f"{text[position]!r} at character {position} names no tile; {why}",
        position=position,
    )


def _index_of_code(code: int, position: int) -> int:
    index = _INDEX_OF_CODE.get(code)
    if index is None:
        raise NotationError(
            ErrorReason.UNKNOWN_TILE_CODE,
            f"byte {position} is 0x{code:02X}, which is no tile",
            position=position,
        )
    return index


def _too_many_copies(index: int, count: int, position: int) -> CardsError:
    return CardsError(
        ErrorReason.TOO_MANY_COPIES,
        f"{count} tiles {NAMES[index]}, at most {COPIES} exist",
        position=position,
        limit=COPIES,
    )
