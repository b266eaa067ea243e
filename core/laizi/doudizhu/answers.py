"""What the evaluator answers: is it a play, what is it, does it beat, and by which rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from laizi.cards import Cards
from laizi.doudizhu._read import Reader
from laizi.doudizhu.readings import ROWS, Form, PlayType, Reading, Tier
from laizi.doudizhu.standing import Layout, lay_out
from laizi.errors import ErrorReason, PlayRefusal, Reason, RequestError

__all__ = ["Comparison", "ComparisonReason", "PlayAnswer", "PlayComparison", "decisions_of"]


class ComparisonReason(Reason):
    """Why one reading beats another or does not."""

    HIGHER_RANK = "HIGHER_RANK", "beats: the same type and length, or an equal bomb, of a higher rank"
    BOMB_OVER_OTHER = "BOMB_OVER_OTHER", "beats: a bomb against a play that is none"
    ROCKET = "ROCKET", "beats: the rocket against what is below it"
    HIGHER_TIER = "HIGHER_TIER", "beats: a bomb of a higher tier"
    MORE_CARDS = "MORE_CARDS", "beats: a bomb of more cards, or a longer chain"
    DIFFERENT_TYPE = "DIFFERENT_TYPE", "does not: another type, and no bomb"
    DIFFERENT_LENGTH = "DIFFERENT_LENGTH", "does not: the same type in another length"
    EQUAL = "EQUAL", "does not: neither is the stronger"
    LOWER_RANK = "LOWER_RANK", "does not: a lower rank"
    BOMB_NEEDED = "BOMB_NEEDED", "does not: no bomb against a bomb"
    LOWER_TIER = "LOWER_TIER", "does not: a bomb of a lower tier"
    FEWER_CARDS = "FEWER_CARDS", "does not: a bomb of fewer cards, or a shorter chain"
    NOTHING_BEATS_IT = "NOTHING_BEATS_IT", "does not: nothing beats the previous play"


@dataclass(frozen=True, slots=True)
class PlayAnswer:
    """Whether cards are a legal play, and what they can be read as."""

    cards: Cards
    naturals: Cards
    wilds: Cards
    legal: bool
    """False exactly when there are refusals."""
    readings: tuple[Reading, ...]
    """All readings that the rules allow here, the default first. The others follow strongest first: bombs by strength,
    then equal cards, then runs, then what carries kickers, each by falling rank."""
    default: Reading | None
    """What the play counts as: the declared reading, else by the option ``read.lead_default`` when it leads, else the
    weakest that beats. None when the play is not legal for want of such a reading."""
    beating: tuple[Reading, ...]
    """The readings that beat the previous play, weakest first; empty when leading."""
    refusals: tuple[PlayRefusal, ...]
    """Why it is no legal play, in the order of the enum."""
    decisions: tuple[str, ...]
    """The options and decisions of the rule set that decided."""
    clauses: tuple[str, ...]
    """The clauses behind those decisions, where the rule set names any."""
    _reader: Reader = field(repr=False, compare=False)
    _ranks: tuple[int, ...] | None = field(repr=False, compare=False)

    def layout(self, reading: Reading | None = None) -> Layout:
        """Body, kickers and what each wild stands for, in one of the readings (the default one unless given).

        Raises RequestError (CONTRADICTORY_FIELDS) for a reading that the play does not have.
        """
        chosen = reading or self.default
        if chosen is None or chosen not in self.readings:
            raise RequestError(
                ErrorReason.CONTRADICTORY_FIELDS,
                f"{self.cards.text()} is not read as {chosen}",
                path="reading",
            )
        ranks = self._ranks if chosen == self.default else None
        return lay_out(self._reader, self.naturals, self.wilds, chosen, ranks)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One reading beside the play on the table."""

    reading: Reading
    beats: bool
    reason: ComparisonReason
    decisions: tuple[str, ...]
    """The options and decisions of the rule set that decided."""
    clauses: tuple[str, ...]
    """The clauses behind those decisions, where the rule set names any."""


@dataclass(frozen=True, slots=True)
class PlayComparison:
    """Whether a play beats another."""

    beats: bool
    previous: Reading
    comparisons: tuple[Comparison, ...]
    """Each reading of the play: those that beat first, weakest first; then the others, strongest first."""
    play: PlayAnswer
    """The play as read against the previous one, with its refusals."""


def decisions_of(reading: Reading, naturals: int, wilds: int) -> Iterator[str]:
    """The options and decisions that make cards a reading."""
    row = ROWS[reading.code >> 4]
    if reading.type in (PlayType.BOMB, PlayType.CHAIN):
        yield "type.bomb"
        yield "bomb.chain" if reading.tier is None else f"type.bomb.{reading.tier}"
        if reading.type is PlayType.BOMB and reading.size > 4:
            yield "bomb.size.max"
    else:
        yield f"type.{reading.type}"
    if row.form in (Form.SINGLES, Form.PAIRS):
        yield "kick.quad" if row.unit == 4 else "kick.triple" if row.ranks == 1 else "kick.plane"
    if reading.tier is Tier.MIXED:
        yield "wild.mixed_bomb"
    elif not naturals:
        yield "wild.alone"
    elif wilds:
        yield "type.wild"
        yield "wild.stands_for"
