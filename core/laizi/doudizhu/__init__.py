"""Dou Dizhu (斗地主) with wild cards: readings, comparison, legal plays.

>>> from laizi import rules
>>> from laizi.doudizhu import Evaluator
>>> huanle = Evaluator(rules.load("huanle"), wild_ranks="5")
>>> answer = huanle.read_play("3335")
>>> print(*answer.readings)
bomb:3:4:soft triple_1:3:1
>>> huanle.read_play("Y5").refusals
(<PlayRefusal.WILD_AS_JOKER: 'WILD_AS_JOKER'>,)
"""

from laizi.doudizhu.answers import Comparison, ComparisonReason, PlayAnswer, PlayComparison
from laizi.doudizhu.evaluator import MOST_WILDS, CardsLike, Evaluator, Wilds
from laizi.doudizhu.listing import ListedPlay, PlayList
from laizi.doudizhu.readings import PlayType, Reading, Tier
from laizi.doudizhu.standing import Layout, StandIn

__all__ = [
    "MOST_WILDS",
    "CardsLike",
    "Comparison",
    "ComparisonReason",
    "Evaluator",
    "Layout",
    "ListedPlay",
    "PlayAnswer",
    "PlayComparison",
    "PlayList",
    "PlayType",
    "Reading",
    "StandIn",
    "Tier",
    "Wilds",
]
