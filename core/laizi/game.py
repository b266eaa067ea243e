"""The frame of a game around its plays: the deal of both games; phases, order of play and end of Dou Dizhu.

>>> from laizi import rules
>>> phases(rules.load("wuhan"))
('deal', 'bid', 'bottom', 'reveal_wild', 'play')
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

from laizi.cards import PACK, Cards
from laizi.errors import ErrorReason, RequestError
from laizi.rules import DoudizhuRules, RuleSet

SEATS = 3
HAND = 17
"""Cards that each player is dealt."""
BOTTOM = 3
"""Cards that stay in the middle and go to the landlord."""
TILES = 13
"""Tiles that each player of mahjong is dealt; the dealer draws one more."""

_Card = TypeVar("_Card")


def deal(deck: Sequence[_Card], first_seat: int = 0) -> tuple[tuple[tuple[_Card, ...], ...], tuple[_Card, ...]]:
    """A shuffled pack dealt card by card from ``first_seat``: the hands of seats 0, 1, 2, and the bottom."""
    if len(deck) != PACK:
        message = f"a pack has {PACK} cards, not {len(deck)}"
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path="deck", limit=PACK)
    hands = tuple(tuple(deck[(seat - first_seat) % SEATS : SEATS * HAND : SEATS]) for seat in range(SEATS))
    return hands, tuple(deck[SEATS * HAND :])


def deal_tiles(
    wall: Sequence[_Card], dealer: int, seats: int = 4
) -> tuple[tuple[tuple[_Card, ...], ...], tuple[_Card, ...]]:
    """The head of a shuffled wall dealt out: the hands of the seats, the dealer's with his first draw, and the rest.

    Tiles are taken one by one from the dealer on; how many a table takes at a time changes no odds.
    """
    if not 2 <= seats <= 4 or not 0 <= dealer < seats:
        message = "2 to 4 seats, the dealer is one of them"
        raise RequestError(ErrorReason.SEAT_OUT_OF_RANGE, message, path="dealer", limit=3)
    taken = seats * TILES + 1
    if len(wall) < taken:
        message = f"{seats} players take {taken} tiles, the wall has {len(wall)}"
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path="wall")
    return tuple(tuple(wall[(seat - dealer) % seats : taken : seats]) for seat in range(seats)), tuple(wall[taken:])


def holder_of(position: int, first_seat: int = 0) -> int | None:
    """The seat that gets the card at a position of the pack (0 is dealt first), such as the one turned face up.

    None if the card stays in the bottom.
    """
    if not 0 <= position < PACK:
        message = f"a position from 0 to {PACK - 1}, not {position}"
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path="position", limit=PACK - 1)
    return (first_seat + position) % SEATS if position < SEATS * HAND else None


def phases(rule_set: RuleSet) -> tuple[str, ...]:
    """What happens in a game, in order, as its rules have it."""
    rules = _rules(rule_set)
    auction = {
        "points": ("bid",),
        "points_rob": ("bid", "rob"),
        "call_rob": ("call", "rob"),
        "external": ("auction",),
    }[rules.auction.mode]
    source = rules.wild.source
    return (
        *(("choose_wild",) if source == "chosen_cards" else ()),
        *(("show_start",) if rules.show else ()),
        "deal",
        *(("reveal_first_wild",) if source == "two_random_ranks" else ()),
        *auction,
        "bottom",
        *(("reveal_wild",) if source not in ("none", "chosen_cards") else ()),
        *(("double",) if rules.double else ()),
        "play",
    )


def order_of_play(landlord: int) -> tuple[int, int, int]:
    """The seats in the order in which they play: the landlord leads, then the next seats."""
    _seat(landlord)
    return landlord, (landlord + 1) % SEATS, (landlord + 2) % SEATS


def may_pass(leads: bool) -> bool:
    """Whether a player may pass: who follows may, who leads a trick may not."""
    return not leads


def winner(landlord: int, cards_left: Sequence[int]) -> Literal["landlord", "farmers"] | None:
    """The side that has won, by the number of cards left in each hand; None while the game goes on."""
    _seat(landlord)
    if len(cards_left) != SEATS or min(cards_left) < 0:
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, "three numbers of cards", path="cards_left", limit=SEATS)
    out = [seat for seat, left in enumerate(cards_left) if left == 0]
    if len(out) > 1:
        message = f"seats {out[0]} and {out[1]} both have no cards left"
        raise RequestError(ErrorReason.TWO_WINNERS, message, path="cards_left")
    if not out:
        return None
    return "landlord" if out[0] == landlord else "farmers"


def stuck(
    rule_set: RuleSet, hand: Cards, wild_ranks: Sequence[int], *, is_landlord: bool
) -> Literal["must_pass", "landlord_loses"] | None:
    """What becomes of a player who holds wilds only, where these may not be played; None for anybody else.

    Whoever must pass passes on leading too: the lead goes to the next seat.
    """
    rules = _rules(rule_set)
    natural, wild = hand.split(wild_ranks)
    if rules.wild.alone != "forbidden" or len(natural) or not len(wild):
        return None
    return "landlord_loses" if is_landlord and rules.settle.stuck_wild == "landlord_loses" else "must_pass"


def _rules(rule_set: RuleSet) -> DoudizhuRules:
    if not isinstance(rule_set.rules, DoudizhuRules):
        message = f'"{rule_set.name}" is a rule set of {rule_set.game}'
        raise RequestError(ErrorReason.WRONG_GAME, message, path="rules")
    return rule_set.rules


def _seat(seat: int) -> None:
    if not 0 <= seat < SEATS:
        message = f"seats are 0 to 2, not {seat}"
        raise RequestError(ErrorReason.SEAT_OUT_OF_RANGE, message, path="landlord", limit=SEATS - 1)
