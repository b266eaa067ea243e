"""What a hand can play: whether anything beats, the readings that it makes, and every play."""

from typing import Any, Self

from laizi.doudizhu._read import Reader

class Lister(Reader):
    """Lists plays under compiled rules. Words, codes and rows are those of `laizi.doudizhu._read`."""

    bars_soft: bool
    """Whether a player who holds a hard bomb may not play a soft one."""
    leads_no_bombs: bool
    """Whether cards that have another reading may not lead as a bomb."""

    def __new__(cls, *, bars_soft: bool, leads_no_bombs: bool, **_: Any) -> Self: ...
    def choices(self, naturals: int, wilds: int, previous: int = 0) -> list[tuple[int, int, int, int, int, int]]:
        """One play for each reading that a hand makes and that beats the previous one (0: leading).

        Each as (code, natural cards, wild cards, bombs of four and rockets broken, wilds used, smaller groups split).
        """

    def groups_exactly(self, naturals: int, wilds: int, previous: int = 0) -> list[int]:
        """The codes of what a hand makes that beats the previous one, asked of each reading in plain loops; without
        what the whole hand is as the last play, and whatever the rules say about leading or holding bombs."""

    def expanded(self, code: int, naturals: int, wilds: int, leading: bool, limit: int) -> list[tuple[int, int]]:
        """All plays of a hand with one reading as (natural cards, wild cards), fewest wilds first, up to a limit."""

    def count(self, code: int, naturals: int, wilds: int, leading: bool) -> int:
        """How many plays of a hand have one reading."""

    def beatable(self, naturals: int, wilds: int, previous: int) -> bool:
        """Whether anything in a hand beats the previous reading."""
