"""Readings of plays: the types, and the one table that gives every reading its code.

A *reading* is one way to take a play: its type, its main rank (the highest of its body), its length and, for a bomb,
its tier. What differs in anything but the main rank is another *row* of the table, and ``code = row << 4 | main``. So
a code is a small integer, two readings of one row compare by their codes, and the bombs are the codes from
``FIRST_BOMB_ROW << 4`` on. Codes are the same under all rules; 0 is no reading.

    >>> Reading.parse("plane_1:5:2").size
    8
    >>> print(Reading.parse("bomb:7:4:soft"), Reading.parse("rocket"))
    bomb:7:4:soft rocket
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final, NamedTuple

from laizi.cards import PACK, RANKS
from laizi.errors import ErrorReason, NotationError

__all__ = ["FIRST_BOMB_ROW", "ROWS", "Form", "PlayType", "Reading", "Row", "Tier"]


class PlayType(StrEnum):
    """The types of plays; a plane, a straight or a chain is named with its length."""

    SINGLE = "single"
    PAIR = "pair"
    TRIPLE = "triple"
    TRIPLE_1 = "triple_1"
    TRIPLE_2 = "triple_2"
    STRAIGHT = "straight"
    PAIR_STRAIGHT = "pair_straight"
    PLANE = "plane"
    PLANE_1 = "plane_1"
    PLANE_2 = "plane_2"
    FOUR_2 = "four_2"
    FOUR_22 = "four_22"
    BOMB = "bomb"
    CHAIN = "chain"
    ROCKET = "rocket"


class Tier(StrEnum):
    """What a bomb is made of: the tier that ``bomb.order`` ranks it by."""

    SOFT = "soft"
    """Natural and wild cards."""
    HARD = "hard"
    """No wild card."""
    PURE = "pure"
    """Only wild cards, of one rank."""
    MIXED = "mixed"
    """Only wild cards, of several ranks: it has no rank of its own, and is written as the pure bomb of ``*``."""


class Form(IntEnum):
    """How the cards of a row are laid out; the engine has one rule for each form."""

    NONE = 0
    SAME = 1
    """Equal cards."""
    RUN = 2
    """Equally many cards of consecutive ranks."""
    SINGLES = 3
    """A body that carries single cards."""
    PAIRS = 4
    """A body that carries pairs."""
    ROCKET = 5
    MIXED = 6
    """Wild cards of several ranks."""


class Row(NamedTuple):
    """All that a reading is, save its main rank."""

    type: PlayType
    length: int
    """Units of the body, as written: cards of a straight or a bomb, pairs, triples, fours; else 1."""
    tier: Tier | None
    form: Form
    unit: int
    """Cards of one rank in the body."""
    ranks: int
    """Ranks of the body."""
    size: int
    """Cards in all."""


def _run(play_type: PlayType, unit: int, fewest: int, form: Form = Form.RUN, carried: int = 0) -> list[Row]:
    sizes = ((length, (unit + carried) * length) for length in range(fewest, 14))
    return [Row(play_type, length, None, form, unit, length, size) for length, size in sizes if size <= PACK]


def _rows() -> tuple[Row, ...]:
    same, longest = Form.SAME, 12
    return (
        Row(PlayType.SINGLE, 0, None, Form.NONE, 0, 0, 0),  # code 0 is no reading
        Row(PlayType.SINGLE, 1, None, same, 1, 1, 1),
        Row(PlayType.PAIR, 1, None, same, 2, 1, 2),
        Row(PlayType.TRIPLE, 1, None, same, 3, 1, 3),
        Row(PlayType.TRIPLE_1, 1, None, Form.SINGLES, 3, 1, 4),
        Row(PlayType.TRIPLE_2, 1, None, Form.PAIRS, 3, 1, 5),
        *_run(PlayType.STRAIGHT, 1, 3),
        *_run(PlayType.PAIR_STRAIGHT, 2, 2),
        *_run(PlayType.PLANE, 3, 2),
        *_run(PlayType.PLANE_1, 3, 2, Form.SINGLES, 1),
        *_run(PlayType.PLANE_2, 3, 2, Form.PAIRS, 2),
        Row(PlayType.FOUR_2, 1, None, Form.SINGLES, 4, 1, 6),
        Row(PlayType.FOUR_22, 1, None, Form.PAIRS, 4, 1, 8),
        *(Row(PlayType.BOMB, size, Tier.SOFT, same, size, 1, size) for size in range(4, longest + 1)),
        Row(PlayType.BOMB, 4, Tier.HARD, same, 4, 1, 4),
        Row(PlayType.BOMB, 4, Tier.PURE, same, 4, 1, 4),
        *(Row(PlayType.BOMB, size, Tier.MIXED, Form.MIXED, size, 0, size) for size in range(4, longest + 1)),
        *_run(PlayType.CHAIN, 4, 2),
        Row(PlayType.ROCKET, 1, None, Form.ROCKET, 1, 2, 2),
    )


ROWS: Final = _rows()
"""Every row; its index is the upper part of a reading's code."""
FIRST_BOMB_ROW: Final = next(index for index, row in enumerate(ROWS) if row.type is PlayType.BOMB)
"""The bombs, chains and the rocket have the rows from this one on."""

_TWO: Final = RANKS.index("2")
_RED_JOKER: Final = RANKS.index("Y")
_NO_RANK: Final = 15
_MAIN: Final = RANKS + "*"

_TYPES: Final = [play_type for play_type in PlayType if play_type is not PlayType.CHAIN]
_PACKED: Final[dict[tuple[PlayType, Tier | None], tuple[int, int]]] = {
    **{(play_type, None): (number, 0) for number, play_type in enumerate(_TYPES, start=1)},
    **{(PlayType.BOMB, tier): (_TYPES.index(PlayType.BOMB) + 1, number) for number, tier in enumerate(Tier, start=1)},
    (PlayType.CHAIN, None): (_TYPES.index(PlayType.BOMB) + 1, len(Tier) + 1),
}
"""The numbers of type and tier in a packed reading: a chain is a bomb of a tier of its own."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to take a play. ``str()`` gives ``type:main:length``, ``bomb:rank:cards:tier`` or ``rocket``."""

    type: PlayType
    main: str
    """The highest rank of the body; ``*`` for a bomb of wilds of several ranks."""
    length: int
    """Units of the body: cards of a straight or a bomb, pairs, triples, fours; else 1."""
    tier: Tier | None
    """The tier of a bomb, else None."""
    size: int
    """Cards in all, kickers included."""
    code: int
    """The reading as one small number, 0 < code < 2048."""

    @classmethod
    def from_code(cls, code: int) -> Reading:
        """The reading of a code that the engine gave. Raises NotationError (MALFORMED_READING) for any other."""
        if code not in _BY_CODE:
            raise NotationError(ErrorReason.MALFORMED_READING, f"{code} is the code of no reading")
        return _BY_CODE[code]

    @classmethod
    def parse(cls, text: str) -> Reading:
        """Read a text in exactly the form that ``str()`` writes. Raises NotationError (MALFORMED_READING)."""
        if text not in _BY_TEXT:
            raise NotationError(
                ErrorReason.MALFORMED_READING,
                f"{text!r} is no reading; readings are written pair:7:1, straight:J:5, bomb:7:4:soft, rocket",
            )
        return _BY_TEXT[text]

    @property
    def packed(self) -> int:
        """The reading in two bytes that are taken apart without a table: see `laizi.doudizhu.packed`."""
        main = _NO_RANK if self.type is PlayType.ROCKET else self.code & 15
        kind, tier = _PACKED[self.type, self.tier]
        return kind | main << 4 | self.length << 8 | tier << 12

    @property
    def is_bomb(self) -> bool:
        """Whether it is a bomb, a chain or the rocket: what beats plays of other types."""
        return self.code >= FIRST_BOMB_ROW << 4

    def __str__(self) -> str:
        if self.type is PlayType.ROCKET:
            return "rocket"
        if self.tier is None:
            return f"{self.type}:{self.main}:{self.length}"
        return f"bomb:{self.main}:{self.length}:{Tier.PURE if self.tier is Tier.MIXED else self.tier}"


def _mains(row: Row) -> range:
    """The main ranks that a row can have under some rules."""
    if row.form is Form.ROCKET:
        return range(_RED_JOKER, _RED_JOKER + 1)
    if row.form is Form.MIXED:
        return range(_NO_RANK, _NO_RANK + 1)
    return range(row.ranks - 1, (_RED_JOKER if row.type is PlayType.SINGLE else _TWO) + 1)


_BY_CODE: Final = {
    index << 4 | main: Reading(row.type, _MAIN[main], row.length, row.tier, row.size, index << 4 | main)
    for index, row in enumerate(ROWS)
    if row.form is not Form.NONE
    for main in _mains(row)
}
_BY_TEXT: Final = {str(reading): reading for reading in _BY_CODE.values()}
