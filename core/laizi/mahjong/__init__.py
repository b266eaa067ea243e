"""Mahjong with wilds (癞子麻将): is a hand a win, as what, what does it wait for, how far is it from waiting.

    >>> from laizi import mahjong, rules
    >>> honghu = mahjong.Evaluator(rules.load("honghu"), wilds="9p")
    >>> answer = honghu.check_hu("123m456p789s 5m9p", [mahjong.Meld("peng", "z1z1z1")], mode="discard")
    >>> answer.hu, answer.small, answer.hard, answer.decomposition.text()
    (True, True, False, '123m 456p 789s 5m5m | z1z1z1, 9p as 5m')

`docs/mahjong.md` explains shapes, wilds, hu types and every option.
"""

from laizi.mahjong.answers import (
    Decomposition,
    Discard,
    HuAnswer,
    HuType,
    Improvement,
    Meld,
    MeldKind,
    Payoff,
    Shanten,
    Shape,
    Wait,
    Waits,
    WinMode,
)
from laizi.mahjong.evaluator import DECISIONS, Evaluator

__all__ = [
    "DECISIONS",
    "Decomposition",
    "Discard",
    "Evaluator",
    "HuAnswer",
    "HuType",
    "Improvement",
    "Meld",
    "MeldKind",
    "Payoff",
    "Shanten",
    "Shape",
    "Wait",
    "Waits",
    "WinMode",
]
