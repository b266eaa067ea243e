"""What each wild card of a reading stands for, and which cards are its body and its kickers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from laizi.cards import RANKS, Cards, code_of, rank_of_code
from laizi.doudizhu._layout import arrange
from laizi.doudizhu._read import Reader
from laizi.doudizhu.readings import Reading

__all__ = ["Layout", "StandIn", "joined", "lay_out"]

_ONE: Final = tuple(bytes(int(other == rank) for other in range(len(RANKS))) for rank in range(len(RANKS)))
"""The counts of one card, by its rank."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """One wild card of a play and the rank that it plays."""

    wild: Cards
    """The card, one."""
    rank: str
    """The rank that it stands for; its own where it plays itself."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The cards of a play arranged as one reading; body and kickers together are exactly the cards played."""

    reading: Reading
    body: Cards
    kickers: Cards
    """Empty where the type carries none."""
    stand_ins: tuple[StandIn, ...]
    """One for each wild card, the body's first. Where several choices give the reading, this is one: wilds play their
    own rank where they can, and else the lowest rank that does."""


def lay_out(
    reader: Reader, naturals: Cards, wilds: Cards, reading: Reading, ranks: Iterable[int] | None = None
) -> Layout:
    """Arrange the cards of a play as a reading that it has under the rules of a reader.

    ``ranks`` are the ranks that its wilds stand for, where the player said so.
    """
    body, in_body, stand_ins = arrange(reader, reading.code, naturals.word(), wilds.word(), ranks)
    single = _single_cards(wilds)
    given = tuple(StandIn(single[card], RANKS[rank]) for card, rank in stand_ins)
    body_cards = naturals.take(bytes(body >> 4 * rank & 15 for rank in range(len(RANKS))))
    kicker_cards = naturals.without(body_cards)
    return Layout(
        reading,
        joined(body_cards, *(stand_in.wild for stand_in in given[:in_body])),
        joined(kicker_cards, *(stand_in.wild for stand_in in given[in_body:])),
        given,
    )


def _single_cards(cards: Cards) -> list[Cards]:
    return [Cards(_ONE[rank], () if suit < 0 else (code_of(rank, suit),)) for rank, suit in cards]


def joined(cards: Cards, *more: Cards) -> Cards:
    """Several parts of a hand as one."""
    if not more:
        return cards
    counts, suited = list(cards.counts), list(cards.suited)
    for part in more:
        counts = [a + b for a, b in zip(counts, part.counts, strict=True)]
        suited += part.suited
    return Cards(bytes(counts), tuple(sorted(suited, key=lambda code: (rank_of_code(code), code))))
