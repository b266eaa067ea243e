"""Wins, waits and shanten of many hands in full, for a server: columns in, columns out.

All columns have one entry a row. ``concealed``: 34 counts a row, wild tiles by their own face. The others may be left
out or empty:

    melds          5 bytes a row, one a meld, 0 for none: 1 + 34 × kind + lowest tile, kind 0 chi, 1 peng, 2 zhi_gang,
                   3 bu_gang, 4 an_gang; tiles lie there by their own faces
    downs          1 byte a row: not 0 where the player has put down tiles, wild kongs included
    winning_tiles  1 byte a row: the tile's index, 255 for unknown (see `Evaluator.check_hu`)
    circumstances  1 byte a row of flags: 1 on a discard, 2 on a robbed kong, else self-drawn; 4 gang_flower, 8 haidi,
                   16 the player has discarded a wild, 32 he has passed a win (``claim.missed_hu``)

The last column of each answer are errors, one byte a row: 0, or the `number` of the `ErrorReason` that makes the row
malformed; its other entries are 0, and no other row is touched. Columns of the wrong length raise RequestError:
BAD_ROW_LENGTH, COLUMN_LENGTH_MISMATCH. The GIL is released. Rows are judged without a settlement: see NEEDS_SETTLEMENT.
"""

from collections.abc import Callable, Collection

from typing_extensions import Buffer, disjoint_base

from laizi.mahjong.contexts import ContextRow, PackedMeld
from laizi.mahjong.kernel import Kernel
from laizi.mahjong.solver import Solver

@disjoint_base
class Checker(Kernel):
    """A kernel with the demands on a win."""

    def __init__(
        self,
        solver: Solver,
        tile_set: Collection[int],
        wilds: Collection[int],
        plain: bool,
        listed: Collection[int],
        /,
        *,
        context_rows: Callable[[int], tuple[list[ContextRow], bool]],
        packed_meld: Callable[[int], PackedMeld | int],
        put_down: Collection[int],
        laid: Collection[int],
        must_open: bool,
        claims_wild: bool,
        robs: bool,
        bans_discarded: bool,
        locks_missed: bool,
        lone_wait: bool,
        counts_standing: bool,
        gold: int | None,
        hard_basis: str,
    ) -> None:
        """Take what `Kernel` takes, the verdicts and melds of `laizi.mahjong.contexts`, and the demands on a win."""

    def check_columns(
        self,
        concealed: Buffer,
        *,
        melds: Buffer | None = None,
        downs: Buffer | None = None,
        winning_tiles: Buffer | None = None,
        circumstances: Buffer | None = None,
    ) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        """Judge rows of 3n+2 tiles: (verdicts, refusals, types, points, errors).

        verdicts: 1 byte of flags: 1 hu, 2 hard, 4 big. refusals: 2 bytes, little-endian, the bit `number` - 1 of each
        `HuRefusal`. types: 2 bytes, little-endian, a bit for each `HuType` in its order. points: 4 bytes,
        little-endian, signed: `HuAnswer.points` times `Evaluator.points_scale`, at most 2³¹ - 1.
        """

    def wait_columns(
        self,
        concealed: Buffer,
        *,
        melds: Buffer | None = None,
        downs: Buffer | None = None,
        circumstances: Buffer | None = None,
    ) -> tuple[bytes, bytes]:
        """List the tiles that rows of 3n+1 tiles win with: (waits, errors).

        waits: 8 bytes, little-endian, bit i for the tile of index i; see ``waits.list_wild``.
        """

    def shanten_columns(
        self,
        concealed: Buffer,
        *,
        melds: Buffer | None = None,
        pair_258: bool = False,
        with_improving: bool = True,
    ) -> tuple[bytes, bytes, bytes]:
        """Give the shanten of rows of 3n+1 or 3n+2 tiles as `Evaluator.shanten`: (shanten, improving, errors).

        shanten: one signed byte, 127 for a row with an error and one that never wins. improving: 8 bytes,
        little-endian, bit i for the tile of index i; empty without ``with_improving``, which takes most of the time.
        """
