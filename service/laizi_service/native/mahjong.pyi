"""CheckHu and BatchCheckHu, answered from the bytes of their requests.

Answered are tiles written in ASCII or as codes, with any melds, winning tile, circumstances and state. Left to the
general path are requests with a table or for all decompositions, wilds in melds on the table, and whatever is wrong.
"""

from typing import Protocol

from laizi.mahjong import Evaluator
from laizi_service.native.requests import Plan

class _Parts(Protocol):
    """The parts of answers that many hands have in common, as bytes of the fields in which they stand."""

    def provenance(self) -> bytes:
        """The provenance of a CheckHuResponse."""

    def refused(self, refusals: int) -> bytes:
        """The value of a CheckHuResponse, refused for the reasons of a set: see `Evaluator.refused`."""

    def value(self, context: int, code: int, hard: bool) -> bytes:
        """The value of a CheckHuResponse that is a win: see `Evaluator.won`."""

    def worth(self, context: int, code: int, hard: bool, refused: bool) -> bytes:
        """The types and points of a Decomposition, of a win or of a hand that is refused."""

class HuPlan(Plan):
    """An evaluator, and the parts of its answers, each made when it is first wanted."""

    def __init__(self, evaluator: Evaluator, parts_of: _Parts) -> None: ...
