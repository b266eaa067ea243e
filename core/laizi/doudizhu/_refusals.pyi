"""Why the plays of a column are no legal plays, as `Evaluator.read_play` explains each: without the interpreter."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from laizi.doudizhu._read import Reader

_Buffer: TypeAlias = bytes | bytearray | memoryview

class Refuser:
    """The rules of an evaluator and those with one of them lifted, side by side."""

    def __init__(
        self,
        whole: Reader,
        lifts: Iterable[tuple[int, Reader, bool]],
        every: Sequence[Reader],
        sizes: Sequence[frozenset[int]],
        alone: str,
        needed: Callable[[int, int, bool], int],
    ) -> None:
        """Take the rules; each reason as (number, rules without it, whether for wilds alone only); the rules without
        any of them, for plays with naturals and of wilds alone; the numbers of cards that a play and a last play may
        have; the option ``wild.alone``; and what finds the reasons, as bits, where only several together help."""

    def rows(self, rows: _Buffer, counts: _Buffer, errors: _Buffer, last: bool = False) -> bytearray:
        """Four bytes a row, little-endian: bit n - 1 is set for the `PlayRefusal` of number n. 0 where the row has
        readings or an error, as ``counts`` and ``errors`` of `Columns.read_rows` say."""
