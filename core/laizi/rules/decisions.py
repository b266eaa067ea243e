"""Decisions of a game that are no options: the rules that every rule set of a game shares, or words for its own.

A rule set's ``[sources]`` name the clauses behind its options and behind these decisions, so that an answer which a
rule decided can say which.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

DOUDIZHU: Mapping[str, str] = MappingProxyType(
    {
        "deck": "the pack",
        "deal": "how many cards each player and the bottom get, and who sees the bottom",
        "wild.phase": "when the wilds are found",
        "wild.stands_for": "what a wild may stand for",
        "auction.call": "who may call what, and in which order",
        "auction.max": "the highest call ends the calling",
        "auction.highest": "who is landlord, or provisional landlord, after the calls",
        "auction.rob": "who may rob, in which order, and who is landlord then",
        "auction.unrobbed": "who is landlord when nobody robs",
        "auction.timeout": "what running out of time means",
        "show.kinds": "when a hand may be laid open",
        "show.largest": "several open hands: the largest factor counts",
        "double.when": "when doubling is offered",
        "double.pairwise": "how doublings multiply between landlord and farmer",
        "play.order": "who leads, and the direction of play",
        "play.beat": "whoever follows beats the play on the table or passes; a leader may not pass",
        "play.over": "when a game ends and which side won",
        "type.single": "one card",
        "type.pair": "two equal cards",
        "type.triple": "three equal cards",
        "type.triple_1": "three equal cards with one card",
        "type.triple_2": "three equal cards with a pair",
        "type.straight": "consecutive single cards",
        "type.pair_straight": "consecutive pairs",
        "type.plane": "consecutive triples",
        "type.plane_1": "consecutive triples, each with one card",
        "type.plane_2": "consecutive triples, each with a pair",
        "type.four_2": "four equal cards with two cards",
        "type.four_22": "four equal cards with two pairs",
        "type.bomb": "four or more equal cards, or consecutive fours",
        "type.bomb.soft": "a bomb of naturals and wilds",
        "type.bomb.hard": "a bomb without wilds",
        "type.bomb.pure": "a bomb of wilds only",
        "type.bomb.mixed": "a bomb of wilds of several ranks",
        "type.rocket": "both jokers",
        "type.wild": "wilds complete every type",
        "compare.rocket": "the rocket beats everything",
        "compare.bomb": "a bomb beats everything that is no bomb; bombs of one tier compare by rank",
        "compare.same_type": "other plays beat only plays of their own type and size",
        "compare.rank": "the order of the ranks",
        "compare.run": "runs compare by their highest rank",
        "compare.body": "plays with kickers compare by their body",
        "compare.wild": "a play made with wilds equals the natural one",
        "score.rob": "the factor of each robbing",
        "score.split": "the landlord wins or loses against each farmer",
        "score.extra": "factors that the room adds, outside the cap of bombs",
    }
)

MAHJONG: Mapping[str, str] = MappingProxyType(
    {
        "wild.phase": "when the wild is turned",
        "wild.stands_for_skin": "a wild may stand for the put-down tile's face too",
        "meld.peng": "a triplet from a discard",
        "meld.zhi": "a kong from a discard",
        "meld.bu": "an added kong",
        "meld.an": "a concealed kong",
        "claim.down": "putting down a tile that is only put down",
        "claim.down_barred": "such a tile takes no part in runs, triplets or kongs",
        "claim.wild_kong": "putting down a wild as a kong",
        "hu.small": "a win without any hu type",
        "hu.big": "which wins are big",
        "hu.soft": "a win in which a wild stands for another tile",
        "hu.hard": "a win in which no wild stands for another tile",
        "hu.shapes.standard": "melds and a pair",
        "hu.shapes.seven_pairs": "seven pairs",
        "hu.shapes.dragon_seven": "seven pairs with a four",
        "hu.shapes.free_wind": "honours without a shape",
        "hu.shapes.free_jiang": "2, 5, 8 without a shape",
        "score.factors": "the factors of a win",
        "score.nothing_else": "what does not score",
        "settle.one_win": "one win ends the hand",
        "settle.not_ready": "whoever is not ready pays nothing extra",
        "bao.rob_kong": "the robbed player pays for all",
        "bao.qqr_not_ready": "who fed 全求人 while not ready pays for all",
        "bao.third_open_qingyise": "who gave the third claim of 清一色 pays for all",
        "bao.sum": "the guarantor pays what the three would have paid",
    }
)
