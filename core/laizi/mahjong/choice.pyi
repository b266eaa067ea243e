"""The reading of a hand that is paid, chosen and written out without a settlement."""

from typing_extensions import disjoint_base

from laizi.mahjong.columns import Checker
from laizi.mahjong.hands import GivenHand, Written

@disjoint_base
class Chooser(Checker):
    """A checker that also tells which reading pays."""

    def choose(
        self, given: list[tuple[GivenHand, bool]], context: int
    ) -> tuple[int, tuple[int, int, bool, int, Written] | None]:
        """Choose among the readings of all ways to see the melds, in the context of that number.

        ``given`` holds the hand in each way, and whether a wild in its melds stands for another tile. Return the
        refusals, bit n - 1 for the `HuRefusal` whose ``number`` is n, and, where the tiles form a shape: the index of
        the way, code, hard, wilds standing for another tile, and the reading written out.
        """
