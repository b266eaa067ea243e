"""Batches: one row a play or a hand, columns of answers. The loops release the interpreter.

A *row* is 16 bytes: two little-endian 64-bit words of four-bit counts, rank 3 in the lowest bits, first the natural
cards, then the wild ones by their own rank. A *code* is `laizi.doudizhu.Reading.code`, two bytes little-endian. An
*error* is one byte, the number of an `ErrorReason`, 0 where there is none: EMPTY_PLAY, HAND_TOO_LARGE, TOO_MANY_COPIES
(also for cards in the wrong one of the two words), PREVIOUS_PLAY_ILLEGAL. A row with an error has no answer and changes
no other row's. Every method raises RequestError (BAD_ROW_LENGTH, COLUMN_LENGTH_MISMATCH) with the name of the column.

    >>> import struct
    >>> from laizi import rules
    >>> from laizi.doudizhu import Evaluator, Reading
    >>> huanle = Evaluator(rules.load("huanle"), wild_ranks="5")
    >>> row = struct.pack("<QQ", 0x3, 0x100)  # 3 3 3 and a wild 5
    >>> counts, codes, errors = huanle.read_rows(row + bytes(16) + row)
    >>> counts.hex(" "), len(codes), errors.hex(" ")
    ('02 00 02', 8, '00 08 00')
    >>> previous = struct.pack("<H", Reading.parse("pair:K:1").code)
    >>> taken, _ = huanle.compare_rows(previous, row)
    >>> str(Reading.from_code(*struct.unpack("<H", taken)))
    'bomb:3:4:soft'
"""

from typing import TypeAlias

from laizi.doudizhu._list import Lister

_Buffer: TypeAlias = bytes | bytearray | memoryview
"""Anything that has the buffer interface: arrays and numpy arrays too."""

class Columns(Lister):
    """Reads, compares and lists whole columns."""

    def read_rows(self, rows: _Buffer, last: bool = False) -> tuple[bytearray, bytearray, bytearray]:
        """All readings of many plays: how many each row has, one byte a row; all codes, row after row, each row's in
        reading order; the errors. ``last`` says that each play empties its hand."""

    def compare_rows(self, previous: _Buffer, rows: _Buffer, last: bool = False) -> tuple[bytearray, bytearray]:
        """Does each play beat its previous reading? The code of the weakest of its readings that does, 0 where none
        does, one a row; and the errors. ``previous`` holds one code a row."""

    def beatable_rows(self, previous: _Buffer, rows: _Buffer) -> tuple[bytearray, bytearray]:
        """Can each hand beat its previous reading? 1 or 0, one byte a row; and the errors."""

    def group_rows(self, rows: _Buffer, previous: _Buffer | None = None) -> tuple[bytearray, bytearray, bytearray]:
        """The readings that each hand can play: how many, two bytes a row; all codes, row after row, in no order; the
        errors. ``previous`` holds one code a row, 0 for a hand that leads; without it all lead."""

    def play_rows(
        self, rows: _Buffer, previous: _Buffer | None = None, limit: int = ...
    ) -> tuple[bytearray, bytes, bytes, bytearray]:
        """Every play of each hand: how many, four bytes a row; the cards of all plays, each a row of 16 bytes; their
        codes; the errors. Plays of one reading follow each other, fewest wilds first. ``limit`` bounds each hand; below
        0 it raises RequestError (VALUE_OUT_OF_RANGE)."""
