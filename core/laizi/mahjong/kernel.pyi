"""Wins, waits and shanten of many hands at native speed. `laizi.mahjong.Evaluator` is a `Kernel`.

A *row* is 34 bytes: how many of each tile the concealed hand holds, wild tiles by their own face. A batch is rows one
after the other in one buffer (bytes, bytearray, array, numpy); the GIL is released while it is answered. Every batch
gives a column of results and a column of errors with one byte a row: 0, or the `number` of the `ErrorReason` that makes
the row malformed (TOO_MANY_COPIES, TILE_OUTSIDE_SET, WRONG_TILE_COUNT); the result of such a row means nothing, and the
other rows are not touched. Raises RequestError (BAD_ROW_LENGTH) where the buffer is no whole number of rows.

"Hu" means here: the tiles make a shape of ``hu.shapes``, under every option of ``wild`` that bears on shapes. Demands
on a win (opening, number of wilds, put-down tiles) are for `Evaluator.check_hu`. The pair may be any, or, on request,
one of 2, 5, 8; shapes without a pair are not concerned.
"""

from collections.abc import Collection

from typing_extensions import Buffer, disjoint_base

from laizi.mahjong.hands import GivenHand
from laizi.mahjong.solver import Solver

@disjoint_base
class Kernel:
    """The suit tables and the options that bear on shapes."""

    def __init__(
        self, solver: Solver, tile_set: Collection[int], wilds: Collection[int], plain: bool, listed: Collection[int]
    ) -> None:
        """Take the options of ``solver``; ``plain``: the suit tables are exact; ``listed``: what waits may name."""

    def is_hu(self, counts: bytes) -> bool:
        """Tell whether one row of 3n+2 tiles, at most 17, is hu.

        >>> from laizi import mahjong, rules, tiles
        >>> evaluator = mahjong.Evaluator(rules.load("guangdong_gui"), wilds="9p")
        >>> evaluator.is_hu(tiles.read("123m456p789s5m9p").counts)
        True

        Raises CardsError: COUNT_OUT_OF_RANGE, TOO_MANY_COPIES, TILE_OUTSIDE_SET, WRONG_TILE_COUNT.
        """

    def is_hu_258(self, counts: bytes) -> bool:
        """Tell the same where the pair must be one of 2, 5, 8."""

    def hu_rows(self, rows: Buffer, *, pair_258: bool = False) -> tuple[bytes, bytes]:
        """Tell for each row of 3n+2 tiles whether it is hu: 1 or 0, one byte a row; and the errors."""

    def waits_rows(self, rows: Buffer, *, pair_258: bool = False) -> tuple[bytes, bytes]:
        """List for each row of 3n+1 tiles the tiles that make it hu; and the errors.

        The list is a little-endian number of 8 bytes, bit i for the tile of index i. A tile of which the row holds four
        is not listed, a wild tile where ``waits.list_wild`` says so.
        """

    def shanten_rows(self, rows: Buffer, *, pair_258: bool = False) -> tuple[bytes, bytes]:
        """Give for each row of 3n+1 or 3n+2 tiles its shanten, one signed byte: -1 hu, 0 waiting; and the errors.

        127 stands for a row with an error, and for a row that no exchange of tiles makes hu.
        """

    def shape_waits(self, counts: bytes) -> int:
        """List the tiles that make one checked row of 3n+1 tiles hu, wilds too: bit i for the tile of index i."""

    def shanten_of(self, given: GivenHand, shown: bytes, pair_258: bool) -> tuple[int, int]:
        """Give the shanten of one checked hand, and the tiles whose draw lowers it, bit i for the tile of index i.

        ``shown`` counts the tiles that its own melds hold; of each tile four exist. 127 stands for a hand that no
        exchange of tiles makes hu.
        """
