"""Plays and readings of Dou Dizhu, from messages and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from laizi.doudizhu import Comparison, ComparisonReason, Layout, PlayAnswer, PlayType, Reading, Tier
from laizi.doudizhu.answers import decisions_of
from laizi.doudizhu.explaining import DECIDED_BY
from laizi.errors import PlayRefusal
from laizi.rules import RuleSet
from laizi.v1 import doudizhu_pb2 as pb
from laizi.v1 import errors_pb2
from laizi_service.codec import Enum, Form, write_cards

__all__ = ["write_bare_reading", "write_comparison", "write_layout", "write_play", "write_reading", "write_refusals"]

_REFUSALS: Final = Enum(errors_pb2.PlayRefusal, "PLAY_REFUSAL", PlayRefusal)
_REASONS: Final = Enum(pb.ComparisonReason, "COMPARISON_REASON", ComparisonReason)
_TIERS: Final = Enum(pb.BombTier, "BOMB_TIER", Tier)
# A chain of bombs is a bomb on the wire, told by its tier.
_TYPES: Final[Enum[PlayType]] = Enum(
    pb.PlayType, "PLAY_TYPE", (kind for kind in PlayType if kind is not PlayType.CHAIN)
)


def write_play(answer: PlayAnswer, rule_set: RuleSet, used: Form) -> pb.ReadPlayResponse:
    """Return whether cards are a play, and as what."""
    beating = frozenset(answer.beating)
    return pb.ReadPlayResponse(
        legal=answer.legal,
        readings=[
            write_layout(answer.layout(reading), rule_set, used, beats=reading in beating)
            for reading in answer.readings
        ],
        taken=str(answer.default) if answer.legal else "",
        refusals=write_refusals(answer.refusals, rule_set),
        clauses=answer.clauses,
    )


def write_reading(reading: Reading, rule_set: RuleSet, wilds: int = 0) -> pb.Reading:
    """Return a reading of which the cards are not known, or only how many of them are wild."""
    made = write_bare_reading(reading)
    naturals = 0 if reading.tier is Tier.PURE else reading.size - wilds
    made.clauses.extend(rule_set.cite(*decisions_of(reading, naturals, wilds)))
    return made


def write_bare_reading(reading: Reading) -> pb.Reading:
    """Return a reading of which neither cards nor rules are known."""
    made = pb.Reading(
        code=str(reading),
        main_rank="" if reading.type is PlayType.ROCKET else reading.main,
        length=reading.length,
        size=reading.size,
    )
    if reading.type is PlayType.CHAIN:
        made.type, made.tier = pb.PLAY_TYPE_BOMB, pb.BOMB_TIER_CHAIN
    else:
        made.type = _TYPES.write(reading.type)
    if reading.tier is not None:
        made.tier = _TIERS.write(reading.tier)
    return made


def write_layout(layout: Layout, rule_set: RuleSet, used: Form, *, beats: bool = False) -> pb.Reading:
    """Return a reading with its cards and what each wild stands for."""
    made = write_reading(layout.reading, rule_set, len(layout.stand_ins))
    made.body.CopyFrom(write_cards(layout.body, used))
    if len(layout.kickers):
        made.kickers.CopyFrom(write_cards(layout.kickers, used))
    for stand_in in layout.stand_ins:
        made.stand_ins.add(wild=write_cards(stand_in.wild, used), rank=stand_in.rank)
    made.beats_previous = beats
    return made


def write_refusals(refusals: Iterable[PlayRefusal], rule_set: RuleSet) -> list[errors_pb2.PlayRefusalDetail]:
    """Return why cards are no legal play."""
    return [
        errors_pb2.PlayRefusalDetail(
            reason=_REFUSALS.write(refusal),
            text=refusal.meaning,
            clauses=rule_set.cite(*DECIDED_BY.get(refusal, ())),
        )
        for refusal in refusals
    ]


def write_comparison(comparison: Comparison, answer: PlayAnswer, rule_set: RuleSet, used: Form) -> pb.ReadingComparison:
    """Return one reading beside the play on the table."""
    return pb.ReadingComparison(
        reading=write_layout(answer.layout(comparison.reading), rule_set, used, beats=comparison.beats),
        reason=_REASONS.write(comparison.reason),
        text=comparison.reason.meaning,
        clauses=comparison.clauses,
    )
