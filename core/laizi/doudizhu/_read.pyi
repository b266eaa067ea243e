"""All readings of a play, one play a call. Rows and codes are those of `laizi.doudizhu._columns`.

>>> import struct
>>> from laizi import rules
>>> from laizi.doudizhu import Evaluator, Reading
>>> huanle = Evaluator(rules.load("huanle"), wild_ranks="5")
>>> codes = huanle.read_row(struct.pack("<QQ", 0x3, 0x100))  # 3 3 3 and a wild 5
>>> [str(Reading.from_code(code)) for code in struct.unpack("<2H", codes)]
['bomb:3:4:soft', 'triple_1:3:1']
"""

from laizi.doudizhu._rules import Compiled

class Reader(Compiled):
    """Reads plays under compiled rules. All methods take cards as words or rows, already told natural or wild."""

    def read_row(self, row: bytes, last: bool = False) -> bytes:
        """The codes of all readings of one row, in reading order; ``last`` says that it empties the hand.

        Raises CardsError (EMPTY_PLAY, HAND_TOO_LARGE, TOO_MANY_COPIES) or RequestError (BAD_ROW_LENGTH).
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
