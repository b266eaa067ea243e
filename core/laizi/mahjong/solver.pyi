"""The readings of a hand with wilds, exactly, for every option of shapes and wilds. Used by `laizi.mahjong.Evaluator`.

A reading gives each wild and each stand-in a face and cuts the tiles into a shape. Its *code* is one byte:

    bits 0-2  shape: 0 melds and a pair, 1 seven pairs, 2 seven pairs with a four, 3 free winds, 4 free 2-5-8
    bits 3-4  0 several suits, 1 one suit, 2 honours only
    bit 5     every face is a 2, 5 or 8
    bit 6     all melds are triplets or kongs
    bit 7     the pair is one of 2, 5, 8 (melds and a pair only)
"""

from collections.abc import Iterable

from typing_extensions import disjoint_base

from laizi.mahjong.hands import GivenHand, Written

@disjoint_base
class Solver:
    """The shapes and wilds of a rule set."""

    def __init__(
        self,
        tiles: Iterable[int],
        fill: Iterable[int],
        wilds: Iterable[int],
        stand_ins: Iterable[int],
        shapes: int,
        *,
        four_copies: bool,
        pair_reals: int,
        barred_pure_meld: bool,
        wind_runs: bool,
        dragon_runs: bool,
        dragon_by_wild: bool,
    ) -> None:
        """Take the tile set, the faces that a wild may take besides its own, and the options.

        ``shapes`` has the bit of each allowed shape, as numbered above. ``four_copies``: no face more than four times,
        melds included. ``pair_reals``: tiles of the pair that no wild stands in for, at least. ``barred_pure_meld``:
        no meld only of wilds that stand for another tile. ``dragon_by_wild``: a wild may complete the four.
        """

    def features(self, given: GivenHand) -> list[tuple[int, int, bool, int]]:
        """List each kind of reading once: (code, wilds standing for another tile, lone tile among them, split)."""

    def decompose(self, given: GivenHand, code: int, fills: int, lone: bool, only: int, limit: int) -> list[Written]:
        """Write out up to ``limit`` readings of one kind, of the split numbered ``only`` or, for 0, of all splits."""
