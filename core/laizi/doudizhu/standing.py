"""What each wild card of a reading stands for, and which cards are its body and its kickers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from laizi.cards import BLACK_JOKER, RANKS, RED_JOKER, Cards, code_of, rank_of_code
from laizi.doudizhu.compiling import TOP
from laizi.doudizhu.readings import ROWS, Form, Reading, Row
from laizi.rules import DoudizhuRules

__all__ = ["Layout", "StandIn", "joined", "lay_out"]

_TWO: Final = RANKS.index("2")
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
    rules: DoudizhuRules, naturals: Cards, wilds: Cards, reading: Reading, ranks: Iterable[int] | None = None
) -> Layout:
    """Arrange the cards of a play as a reading that it has under the rules.

    ``ranks`` are the ranks that its wilds stand for, where the player said so.
    """
    row = ROWS[reading.code >> 4]
    held = list(naturals.counts)
    free = _single_cards(wilds)
    if not len(naturals) and (row.form is Form.MIXED or ranks is None):
        # Wilds alone keep their ranks: each card is what it shows.
        held, free = list(wilds.counts), []
    body = _body_ranks(row, reading.code & 15, held)
    missing = [rank for rank, count in enumerate(body) for _ in range(count - min(count, held[rank]))]
    kicked = [count - min(count, body[rank]) for rank, count in enumerate(held)]
    if ranks is None:
        carried = _kicker_ranks(rules, row, reading.code & 15, kicked, free, len(free) - len(missing))
    else:
        carried = list(ranks)
        for rank in missing:
            carried.remove(rank)
    stand_ins = _assign(free, missing) + _assign(free, carried)
    in_body = [min(count, body[rank]) for rank, count in enumerate(held)]
    shown = wilds if not len(naturals) and held == list(wilds.counts) else naturals
    body_cards = shown.take(bytes(in_body))
    kicker_cards = shown.without(body_cards)
    if shown is wilds:
        own = _single_cards(body_cards) + _single_cards(kicker_cards)
        stand_ins = [StandIn(card, RANKS[_rank(card)]) for card in own]
    else:
        body_cards = joined(body_cards, *(stand_in.wild for stand_in in stand_ins[: len(missing)]))
        kicker_cards = joined(kicker_cards, *(stand_in.wild for stand_in in stand_ins[len(missing) :]))
    return Layout(reading, body_cards, kicker_cards, tuple(stand_ins))


def _body_ranks(row: Row, main: int, held: list[int]) -> list[int]:
    if row.form is Form.MIXED:
        return list(held)
    if row.form is Form.ROCKET:
        return [int(rank in (BLACK_JOKER, RED_JOKER)) for rank in range(len(RANKS))]
    return [row.unit if main - row.ranks < rank <= main else 0 for rank in range(len(RANKS))]


def _kicker_ranks(
    rules: DoudizhuRules, row: Row, main: int, kicked: list[int], free: list[Cards], count: int
) -> list[int]:
    """The ranks that the wilds among the kickers stand for; ``kicked`` are the natural kickers by rank."""
    if not count:
        return []
    most = _kicker_room(rules, row, main)
    preferred = [*(_rank(card) for card in free), *range(len(RANKS))]
    ranks: list[int] = []
    if row.form is Form.PAIRS:
        ranks = [rank for rank in range(_TWO + 1) if kicked[rank] % 2]
        for rank in ranks:
            kicked[rank] += 1
    step = 2 if row.form is Form.PAIRS else 1
    while len(ranks) < count:
        rank = next(
            rank for rank in preferred if kicked[rank] + step <= most[rank] and not _second_joker(rules, rank, kicked)
        )
        ranks += [rank] * step
        kicked[rank] += step
    return ranks


def _kicker_room(rules: DoudizhuRules, row: Row, main: int) -> list[int]:
    """The most kickers of each rank that wilds may bring a body to."""
    kick, four = rules.kick, row.unit == 4
    if row.form is Form.PAIRS:
        most = [2 if "no_equal_pairs" in kick.strict else 2 * row.size] * (_TWO + 1) + [0, 0]
    else:
        equal = kick.quad_equal if four else kick.plane_equal
        carried = row.size - row.unit * row.ranks
        most = [equal if carried > 1 else 1] * (_TWO + 1) + [int(rules.wild.as_joker)] * 2
        if "no_body_run" in kick.strict and not four and row.ranks > 1:
            for rank in {main - row.ranks, main + 1} & set(range(TOP[rules.seq.top] + 1)):
                most[rank] = min(most[rank], 2)
    if ("quad" if four else "plane") not in kick.body_rank:
        most[main - row.ranks + 1 : main + 1] = [0] * row.ranks
    return most


def _second_joker(rules: DoudizhuRules, rank: int, kicked: list[int]) -> bool:
    return rank >= BLACK_JOKER and "no_rocket" in rules.kick.strict and kicked[BLACK_JOKER + RED_JOKER - rank] > 0


def _assign(free: list[Cards], ranks: list[int]) -> list[StandIn]:
    """Give each rank a wild card, its own where there is one, and take those cards from the free ones."""
    given: dict[int, Cards] = {}
    for position, rank in enumerate(ranks):
        own = next((card for card in free if _rank(card) == rank), None)
        if own is not None:
            given[position] = own
            free.remove(own)
    return [StandIn(given.get(position) or free.pop(0), RANKS[rank]) for position, rank in enumerate(ranks)]


def _single_cards(cards: Cards) -> list[Cards]:
    return [Cards(_ONE[rank], () if suit < 0 else (code_of(rank, suit),)) for rank, suit in cards]


def _rank(card: Cards) -> int:
    return card.counts.index(1)


def joined(cards: Cards, *more: Cards) -> Cards:
    """Several parts of a hand as one."""
    if not more:
        return cards
    counts, suited = list(cards.counts), list(cards.suited)
    for part in more:
        counts = [a + b for a, b in zip(counts, part.counts, strict=True)]
        suited += part.suited
    return Cards(bytes(counts), tuple(sorted(suited, key=lambda code: (rank_of_code(code), code))))
