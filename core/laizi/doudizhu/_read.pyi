"""All readings of a play, and comparison: one call or a whole batch.

A *row* is 16 bytes: two little-endian 64-bit words of four-bit counts, rank 3 in the lowest bits, first the natural
cards, then the wild ones by their own rank. A *code* is `laizi.doudizhu.Reading.code`, in columns two
bytes little-endian.
An *error* is one byte, the number of an `ErrorReason`, 0 where there is none: EMPTY_PLAY, HAND_TOO_LARGE,
TOO_MANY_COPIES (also for cards in the wrong one of the two words), PREVIOUS_PLAY_ILLEGAL. A row with an error has no
answer and changes no other row's.

    >>> import struct
    >>> from laizi import rules
    >>> from laizi.doudizhu import Evaluator, Reading
    >>> huanle = Evaluator(rules.load("huanle"), wild_ranks="5")
    >>> row = struct.pack("<QQ", 0x3, 0x100)  # 3 3 3 and a wild 5
    >>> [str(Reading.from_code(code)) for code in struct.unpack("<2H", huanle.read_row(row))]
    ['bomb:3:4:soft', 'triple_1:3:1']
    >>> counts, codes, errors = huanle.read_rows(row + bytes(16) + row)
    >>> counts.hex(" "), len(codes), errors.hex(" ")
    ('02 00 02', 8, '00 08 00')
"""

from typing import TypeAlias

from laizi.doudizhu._rules import Compiled

_Buffer: TypeAlias = bytes | bytearray | memoryview
"""Anything that has the buffer interface: arrays and numpy arrays too."""

class Reader(Compiled):
    """Reads plays under compiled rules. All methods take cards as words or rows, already told natural or wild."""

    def read_row(self, row: bytes, last: bool = False) -> bytes:
        """The codes of all readings of one row, in reading order; ``last`` says that it empties the hand.

        Raises CardsError (EMPTY_PLAY, HAND_TOO_LARGE, TOO_MANY_COPIES) or RequestError (BAD_ROW_LENGTH).
        """

    def read_rows(self, rows: _Buffer, last: bool = False) -> tuple[bytearray, bytearray, bytearray]:
        """All readings of many rows: for each row their number in one byte; all codes, row after row; the errors.

        Releases the interpreter. Raises RequestError (BAD_ROW_LENGTH).
        """

    def compare_rows(self, previous: _Buffer, rows: _Buffer, last: bool = False) -> tuple[bytearray, bytearray]:
        """Does each row beat its previous reading? For each row the code of the weakest reading that does, 0 if none
        does; and the errors. ``previous`` holds one code for each row.

        Releases the interpreter. Raises RequestError (BAD_ROW_LENGTH, COLUMN_LENGTH_MISMATCH).
        """

    def codes(self, naturals: int, wilds: int, last: bool = False) -> list[int]:
        """The codes of all readings of two words that the pack holds, in reading order."""

    def codes_exactly(self, naturals: int, wilds: int, last: bool = False) -> list[int]:
        """The same without the fast path; the two always agree."""

    def stands_as(self, cards: int, code: int) -> bool:
        """Whether a word of cards, none of them wild, has the shape of a reading; a bomb's tier is not asked for."""

    def is_plausible(self, code: int) -> bool:
        """Whether any play of the pack can have a reading under the rules and with these wilds."""

    def beats(self, code: int, previous: int) -> bool:
        """Whether one reading beats another."""

    def strength(self, code: int) -> int:
        """A number that orders the bombs; 0 for a reading that is no bomb."""

    def greatest_strength(self) -> int:
        """The strength of the strongest bomb that can be played."""
