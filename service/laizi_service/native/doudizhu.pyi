"""ReadPlay and BatchReadPlays, answered from the bytes of their requests.

Answered are plays of 1 to 20 cards in the usual notation (see `laizi_service.native.cards`), with or without a hand and
a previous play, this given by its cards or its reading. Left to the general path are declarations, whatever is wrong,
refusals of a play that has a reading, and hands under rules that ask which bombs they hold. What is said about a
reading or a refusal is taken from the answers of the general path: the first of each kind is answered there.
"""

from laizi.doudizhu import Evaluator
from laizi_service.native.requests import Plan

class ReadPlan(Plan):
    """An evaluator, and the parts of answers that the general path has given under its rules."""

    def __init__(self, evaluator: Evaluator) -> None: ...
