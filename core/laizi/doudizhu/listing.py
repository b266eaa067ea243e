"""The legal plays of a hand, in the order in which they are hinted."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from laizi.cards import Cards
from laizi.doudizhu._list import Lister
from laizi.doudizhu.readings import PlayType, Reading
from laizi.doudizhu.standing import Layout, joined, lay_out

__all__ = ["ListedPlay", "PlayList", "list_plays"]


@dataclass(frozen=True)
class ListedPlay:
    """Cards of a hand and the reading in which they may be played."""

    reading: Reading
    naturals: int
    """The natural cards as a word of counts (see `laizi.cards.Cards.word`)."""
    wilds: int
    """The wild cards, by their own rank, as a word of counts."""
    _hand: tuple[Cards, Cards] = field(repr=False, compare=False)
    _lister: Lister = field(repr=False, compare=False)

    @functools.cached_property
    def cards(self) -> Cards:
        """The cards to play. Of equal cards with known suits, those with the lowest codes."""
        return joined(*self._parts)

    @functools.cached_property
    def _parts(self) -> tuple[Cards, Cards]:
        naturals, wilds = self._hand
        return naturals.take(_counts(self.naturals)), wilds.take(_counts(self.wilds))

    def layout(self) -> Layout:
        """Body, kickers and what each wild stands for."""
        return lay_out(self._lister, *self._parts, self.reading)


@dataclass(frozen=True, slots=True)
class PlayList:
    """Legal plays in hint order; the first is what auto-play (托管) plays."""

    total: int
    """How many there are; more than listed where a limit cut the list."""
    plays: tuple[ListedPlay, ...]


def list_plays(
    lister: Lister,
    hand: tuple[Cards, Cards],
    previous: Reading | None,
    expand: bool,
    limit: int | None,
) -> PlayList:
    """The plays of a hand (naturals, wilds): one for each reading, or all.

    Hint order: fewer wilds, then fewer pairs and triples split, then lower, then more cards; after these the bombs from
    the weakest, and the rocket; last what would break a bomb of four or the rocket, in the same order. Expanded, the
    plays of one reading follow each other, its hint first, then those with fewer wilds.
    """
    words = hand[0].word(), hand[1].word()
    before = 0 if previous is None else previous.code
    chosen = sorted(lister.choices(*words, before), key=lambda choice: _hint_order(lister, choice))

    def play(code: int, naturals: int, wilds: int) -> ListedPlay:
        return ListedPlay(Reading.from_code(code), naturals, wilds, hand, lister)

    if not expand:
        return PlayList(len(chosen), tuple(play(*choice[:3]) for choice in chosen[:limit]))
    total = sum(lister.count(choice[0], *words, previous is None) for choice in chosen)
    room = total if limit is None else min(limit, total)
    plays: list[ListedPlay] = []
    for code, *best, _, _, _ in chosen:
        if len(plays) == room:
            break
        first = (best[0], best[1])
        others = lister.expanded(code, *words, previous is None, room - len(plays))
        listed = [first, *(other for other in others if other != first)]
        plays += (play(code, *cards) for cards in listed[: room - len(plays)])
    return PlayList(total, tuple(plays))


def _hint_order(lister: Lister, choice: tuple[int, int, int, int, int, int]) -> tuple[int, ...]:
    code, _, _, broken, wilds, split = choice
    reading = Reading.from_code(code)
    if reading.is_bomb:
        return (broken > 0, 2 if reading.type is PlayType.ROCKET else 1, broken, lister.strength(code), wilds, code)
    return (broken > 0, 0, broken, wilds, split, code & 15, -reading.size, code)


def _counts(word: int) -> bytes:
    return bytes(word >> 4 * rank & 15 for rank in range(15))
