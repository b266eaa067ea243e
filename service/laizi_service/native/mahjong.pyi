"""CheckHu from the bytes of a request to those of the response.

Answered here are requests of ordinary shape (see `laizi_service.native.wire`) whose tiles are ASCII text or codes and
in order, with no table and no list of decompositions, and without wilds in open melds. Everything else, all that is
wrong among it, is left to the generated classes, whose answers these are, byte for byte.
"""

from collections.abc import Callable
from typing import Protocol

from laizi.mahjong import Evaluator

class _Parts(Protocol):
    """The parts of answers that a plan puts together, as bytes of the fields in which they stand."""

    def provenance(self) -> bytes:
        """The provenance of a CheckHuResponse."""

    def refused(self, refusals: int) -> bytes:
        """The value of a CheckHuResponse, refused for the reasons of a set: see `Evaluator.refused`."""

    def value(self, context: int, code: int, hard: bool) -> bytes:
        """The value of a CheckHuResponse that is a win: see `Evaluator.won`."""

    def worth(self, context: int, code: int, hard: bool, refused: bool) -> bytes:
        """The types and points of a Decomposition, of a win or of a hand that is refused."""

class Plan:
    """An evaluator with the parts of its answers, each made when it is first wanted."""

    evaluator: Evaluator

    def __init__(self, evaluator: Evaluator, parts_of: _Parts) -> None: ...

_PlanOf = Callable[[bytes | None, bytes | None], Plan | None]
"""The plan for the bytes of rules and wilds, None where one is absent; or None where they are wrong."""

def check_hu(data: bytes, plan_of: _PlanOf) -> bytes | None:
    """The response to the request of a CheckHu, None for one that is left to the generated classes.

    Raises what the parts of the answer raise.
    """
