"""The record of a finished game of Dou Dizhu, and whether it can be true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from laizi.errors import ErrorReason, RequestError
from laizi.rules import DoudizhuRules

SEATS = 3
MAX_BOMBS = 13
MAX_EXTRA_FACTORS = 16
MAX_PLAYS = 20
MAX_NUMBER = 10**12
"""Largest rate, number of coins, and numerator or denominator of a further factor."""

ShowMoment = Literal["before_deal", "during_deal", "after_bottom"]
BombTier = Literal["rocket", "pure", "hard", "soft", "mixed", "chain"]

TIER_NAMES = {
    "rocket": ("rocket", "火箭"),
    "pure": ("pure wild bomb", "纯癞子炸弹"),
    "hard": ("hard bomb", "硬炸"),
    "soft": ("soft bomb", "软炸"),
    "mixed": ("mixed wild bomb", "混癞子炸弹"),
    "chain": ("chain bomb", "连炸"),
}

STEPS = frozenset({"bid", "base", "rob", "show", "rocket", "spring", "anti_spring", "double", "rate", "win_limit"}) | {
    f"bomb.{name}" for name in ("cap", *TIER_NAMES)
}
"""The factors that a settlement names itself: no further factor is called so."""


@dataclass(frozen=True, slots=True)
class Bomb:
    """One bomb or rocket that was played."""

    tier: BombTier
    cards: int = 4
    """Number of cards; a rocket has 2 whatever is given."""
    seat: int | None = None
    """Who played it; it names the factor and changes nothing."""


@dataclass(frozen=True, slots=True)
class Extra:
    """A further factor that the room agrees upon (的士 ×2); it does not count against the cap on bombs."""

    name: str
    value: Fraction | int


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat of a finished game."""

    out: bool = False
    """Whether it played its last card: exactly one seat, unless somebody fled or the landlord is stuck."""
    plays: int | None = None
    """How many plays it made, 0 to 20, for spring. All seats tell it, or none: then spring is not looked at."""
    doubled: bool = False
    show: ShowMoment | None = None
    """When it showed its hand."""
    show_cards_dealt: int = 0
    """Cards dealt to it when it showed during the deal, 0 to 17."""
    carried: int | None = None
    """The coins it carried into the game, for rules that limit a win."""
    fled: bool = False
    """Whether it fled, which ends the game."""


@dataclass(frozen=True, slots=True)
class Game:
    """A finished game."""

    landlord: int
    seats: Sequence[Seat]
    bid: int = 0
    """The winning bid, 1 to 3, where ``score.base`` is bid; else 0."""
    robs: int = 0
    """How often the landlord's role was robbed, 0 to 3."""
    bombs: Sequence[Bomb] = ()
    landlord_stuck: bool = False
    """Whether the landlord was left with wilds only, where that loses the game."""
    rate: int = 1
    """Coins a point."""
    extras: Sequence[Extra] = ()


def landlord_won(game: Game) -> bool:
    """Whether the landlord's side won, in a record that is true."""
    return game.seats[game.landlord].out or any(
        seat.fled for index, seat in enumerate(game.seats) if index != game.landlord
    )


def check(rules: DoudizhuRules, game: Game) -> None:
    """Raises `RequestError` with the path of what cannot be true."""
    if len(game.seats) != SEATS:
        raise RequestError(
            ErrorReason.VALUE_OUT_OF_RANGE, f"three seats play, {len(game.seats)} given", path="seats", limit=SEATS
        )
    _seat(game.landlord, "landlord")
    _check_winner(rules, game)
    for index, seat in enumerate(game.seats):
        try:
            _check_seat(rules, seat, landlord=index == game.landlord)
        except RequestError as error:
            raise error.under(f"seats[{index}]") from None
    if rules.settle.win_limit == "carried":
        for index, seat in enumerate(game.seats):
            if seat.carried is None and (index == game.landlord) == landlord_won(game):
                message = "the rules limit a win to the coins that the winner carries"
                raise RequestError(ErrorReason.MISSING_FIELD, message, path=f"seats[{index}].carried")
    _check_plays(game)
    _check_score(rules, game)
    _check_bombs(rules, game.bombs)
    _check_extras(game.extras)


def _check_winner(rules: DoudizhuRules, game: Game) -> None:
    out = [index for index, seat in enumerate(game.seats) if seat.out]
    fled = [index for index, seat in enumerate(game.seats) if seat.fled]
    if len(out) > 1:
        message = f"seats {out[0]} and {out[1]} both played their last card"
        raise RequestError(ErrorReason.TWO_WINNERS, message, path=f"seats[{out[1]}].out")
    if fled and rules.settle.flee == "off":
        raise _contradiction("the rules do not settle fleeing", f"seats[{fled[0]}].fled")
    if len(fled) > 1:
        raise _contradiction(f"seat {fled[0]} fled already, which ends the game", f"seats[{fled[1]}].fled")
    if game.landlord_stuck and rules.settle.stuck_wild == "off":
        raise _contradiction("the rules let a landlord with wilds only play on", "landlord_stuck")
    if fled and (out or game.landlord_stuck):
        raise _contradiction("the game ended otherwise", f"seats[{fled[0]}].fled")
    if game.landlord_stuck and out:
        raise _contradiction(f"seat {out[0]} played its last card", "landlord_stuck")
    if not (out or fled or game.landlord_stuck):
        raise RequestError(ErrorReason.NO_WINNER, "no seat played its last card", path="seats")


def _check_seat(rules: DoudizhuRules, seat: Seat, *, landlord: bool) -> None:
    if seat.doubled and rules.double is None:
        raise _contradiction("the rules have no doubling", "doubled")
    if seat.show is not None:
        if seat.show not in ("before_deal", "during_deal", "after_bottom"):
            raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, "before_deal, during_deal or after_bottom", path="show")
        if rules.show is None:
            raise _contradiction("the rules have no open hands", "show")
        if seat.show == "after_bottom" and not landlord:
            raise _contradiction("only the landlord shows after taking the bottom", "show")
    _range(seat.show_cards_dealt, 0, 17, "show_cards_dealt")
    if seat.show_cards_dealt and seat.show != "during_deal":
        raise _contradiction("only with a hand shown during the deal", "show_cards_dealt")
    if seat.carried is not None:
        _range(seat.carried, 0, MAX_NUMBER, "carried")


def _check_plays(game: Game) -> None:
    plays = [seat.plays for seat in game.seats]
    known = [count for count in plays if count is not None]
    if known and len(known) < SEATS:
        raise _contradiction("all seats tell their plays, or none", f"seats[{plays.index(None)}].plays")
    for index, count in enumerate(plays):
        if count is not None:
            _range(count, 0, MAX_PLAYS, f"seats[{index}].plays")
            if count == 0 and game.seats[index].out:
                raise _contradiction("a seat without a play is not out", f"seats[{index}].plays")
    if any(known) and plays[game.landlord] == 0:
        raise _contradiction("the landlord leads: nobody played before him", f"seats[{game.landlord}].plays")


def _check_score(rules: DoudizhuRules, game: Game) -> None:
    if rules.score.base == "bid":
        if game.bid == 0:
            raise RequestError(ErrorReason.MISSING_FIELD, "the base is the winning bid", path="bid")
        _range(game.bid, 1, 3, "bid")
    elif game.bid != 0:
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, "the base is 1, not a bid", path="bid", limit=0)
    _range(game.robs, 0, SEATS, "robs")
    if game.robs and rules.auction.mode == "points":
        raise _contradiction("the rules have no robbing", "robs")
    if game.robs == SEATS and not rules.auction.caller_may_rob:
        raise _contradiction("the caller does not rob: at most 2", "robs")
    _range(game.rate, 1, MAX_NUMBER, "rate")


def _check_bombs(rules: DoudizhuRules, bombs: Sequence[Bomb]) -> None:
    if len(bombs) > MAX_BOMBS:
        message = f"{len(bombs)} bombs given, a pack makes at most {MAX_BOMBS}"
        raise RequestError(ErrorReason.TOO_MANY_ITEMS, message, path="bombs", limit=MAX_BOMBS)
    played = {tier for tiers in rules.bomb.order for tier in tiers} | ({"mixed"} if rules.wild.mixed_bomb else set())
    if rules.wild.source == "none":
        played -= {"pure", "soft", "mixed"}
    for index, bomb in enumerate(bombs):
        path = f"bombs[{index}]"
        if bomb.tier not in TIER_NAMES:
            raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, ", ".join(TIER_NAMES), path=f"{path}.tier")
        if bomb.tier not in played:
            raise _contradiction(f"the rules have no {TIER_NAMES[bomb.tier][0]}", f"{path}.tier")
        if bomb.seat is not None:
            _seat(bomb.seat, f"{path}.seat")
        if bomb.tier == "rocket":
            if any(other.tier == "rocket" for other in bombs[:index]):
                raise _contradiction("a pack has one rocket", path)
        elif bomb.tier == "chain":
            fewest = 4 * (rules.bomb.chain or 2)
            if bomb.cards % 4 or not fewest <= bomb.cards <= 20:
                raise _contradiction(f"a chain bomb has {fewest} to 20 cards, a multiple of 4", f"{path}.cards")
        else:
            most = 4 if bomb.tier == "hard" else rules.bomb.size.max
            if not 4 <= bomb.cards <= most:
                name = TIER_NAMES[bomb.tier][0]
                raise _contradiction(f"a {name} has 4 to {most} cards, not {bomb.cards}", f"{path}.cards")
    if sum(2 if bomb.tier == "rocket" else bomb.cards for bomb in bombs) > 54:
        raise _contradiction("the bombs have more cards than the pack", "bombs")


def _check_extras(extras: Sequence[Extra]) -> None:
    if len(extras) > MAX_EXTRA_FACTORS:
        message = f"{len(extras)} further factors given, at most {MAX_EXTRA_FACTORS}"
        raise RequestError(ErrorReason.TOO_MANY_ITEMS, message, path="extras", limit=MAX_EXTRA_FACTORS)
    for index, extra in enumerate(extras):
        if not extra.name.isprintable() or not 0 < len(extra.name) <= 64:
            message = "a further factor has a name of 1 to 64 printable characters"
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path=f"extras[{index}].name", limit=64)
        if extra.name in STEPS:
            message = f"{extra.name} names a factor of the rules"
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path=f"extras[{index}].name")
        value = Fraction(extra.value)
        if value <= 0 or value.numerator > MAX_NUMBER or value.denominator > MAX_NUMBER:
            message = f"a further factor is above 0, its numerator and denominator at most {MAX_NUMBER}"
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path=f"extras[{index}].value", limit=MAX_NUMBER)


def _seat(seat: int, path: str) -> None:
    if not 0 <= seat < SEATS:
        raise RequestError(ErrorReason.SEAT_OUT_OF_RANGE, f"seats are 0 to 2, not {seat}", path=path, limit=SEATS - 1)


def _range(value: int, low: int, high: int, path: str) -> None:
    if not low <= value <= high:
        message = f"a number from {low} to {high}, not {value}"
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path=path, limit=high)


def _contradiction(message: str, path: str) -> RequestError:
    return RequestError(ErrorReason.CONTRADICTORY_FACTORS, message, path=path)
