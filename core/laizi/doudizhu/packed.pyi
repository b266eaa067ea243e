"""Packed readings and rows of cards: what goes to other processes and languages.

A *packed reading* is a little-endian number of 16 bits:

    bits 0-3    the type: 1 single, 2 pair, 3 triple, 4 triple_1, 5 triple_2, 6 straight, 7 pair_straight, 8 plane,
                9 plane_1, 10 plane_2, 11 four_2, 12 four_22, 13 bomb, 14 rocket
    bits 4-7    the main rank: 0 for rank 3 to 12 for rank 2, 13 and 14 the jokers; 15 for none (the rocket, and a bomb
                of wilds of several ranks)
    bits 8-11   the length: units of the body, cards of a bomb, fours of a chain; else 1
    bits 12-14  the tier of a bomb: 1 soft, 2 hard, 3 pure, 4 mixed, 5 chain; else 0

0 is no reading. Inside a process the engine's own codes (`laizi.doudizhu.Reading.code`) are as short, and comparable.

    >>> import struct
    >>> from laizi.doudizhu import Reading, packed
    >>> f"{Reading.parse('bomb:3:4:soft').packed:04x}", f"{Reading.parse('triple_1:3:1').packed:04x}"
    ('140d', '0104')
    >>> codes = packed.unpack(bytes.fromhex("0d14 ffff"))
    >>> str(Reading.from_code(*struct.unpack_from("<H", codes))), codes[2:].hex()
    ('bomb:3:4:soft', '0000')
"""

from typing import TypeAlias

_Buffer: TypeAlias = bytes | bytearray | memoryview
"""Anything that has the buffer interface: arrays and numpy arrays too."""

def pack(codes: _Buffer) -> bytearray:
    """Pack a column of codes; 0 stays 0."""

def unpack(packed: _Buffer) -> bytearray:
    """The codes of a column of packed readings, 0 where no reading is packed so.

    Raises RequestError (BAD_ROW_LENGTH) for an odd number of bytes.
    """

def mark_malformed(errors: bytearray, previous: _Buffer) -> None:
    """Make MALFORMED_READING of the error PREVIOUS_PLAY_ILLEGAL where the previous code is 0, which `unpack` gives for
    what is no reading."""

def pack_leading(counts: bytearray, codes: _Buffer, *, prefer_others: bool, bar_bombs: bool) -> bytearray:
    """Pack the readings of plays that lead, as `Evaluator.read_rows` gives them, each play's default first.

    ``prefer_others``: the default is the strongest that is no bomb, where there is one. ``bar_bombs``: where there is
    one, bombs are left out; ``counts`` is changed so.
    """

def card_rows(naturals: _Buffer, wilds: _Buffer) -> bytearray:
    """Rows of cards (see `laizi.doudizhu._columns`) from counts: 15 bytes a row, natural and wild cards apart.

    Raises RequestError: BAD_ROW_LENGTH, COLUMN_LENGTH_MISMATCH, and COUNT_OUT_OF_RANGE for a count over 15, which four
    bits do not hold.
    """
