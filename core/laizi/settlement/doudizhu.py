"""What each seat wins or loses in a finished game of Dou Dizhu, factor by factor.

The landlord settles with each farmer apart: base, robs, open hands, bombs, spring and further factors are common to
both, doublings belong to the pair.

>>> from laizi import rules
>>> game = Game(landlord=0, seats=(Seat(out=True), Seat(), Seat()), bid=2, bombs=(Bomb("hard"),))
>>> [str(delta) for delta in settle(rules.load("four_wilds"), game).deltas]
['8', '-4', '-4']
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from laizi.errors import ErrorReason, RequestError
from laizi.rules import DoudizhuRules, RuleSet
from laizi.settlement.factors import Factor, Payment, Steps, totals

SEATS = 3
MAX_BOMBS = 13
MAX_EXTRA_FACTORS = 16
MAX_PLAYS = 20
MAX_NUMBER = 10**12
"""Largest rate, number of coins, and numerator or denominator of a further factor."""

ROB_FACTOR = Fraction(2)
DOUBLE_FACTOR = Fraction(2)

ShowMoment = Literal["before_deal", "during_deal", "after_bottom"]
BombTier = Literal["rocket", "pure", "hard", "soft", "mixed", "chain"]

_TIER_NAMES = {
    "rocket": ("rocket", "火箭"),
    "pure": ("pure wild bomb", "纯癞子炸弹"),
    "hard": ("hard bomb", "硬炸"),
    "soft": ("soft bomb", "软炸"),
    "mixed": ("mixed wild bomb", "混癞子炸弹"),
    "chain": ("chain bomb", "连炸"),
}


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


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a game pays."""

    landlord_won: bool
    deltas: tuple[Fraction, ...]
    """What each seat wins or loses; they add up to 0."""
    payments: tuple[Payment, ...]
    """Who pays whom, with every factor."""
    multiplier: Fraction
    """What robs, open hands, bombs, spring and further factors make together."""
    bomb_multiplier: Fraction
    """What bombs and rockets make of it, after the cap."""
    spring: bool
    """Whether the landlord won and nobody else played (春天)."""
    anti_spring: bool
    """Whether a farmer won and the landlord played only once (反春)."""
    clauses: tuple[str, ...]
    """Ids of the clauses that decided the winner."""


def settle(rule_set: RuleSet, game: Game) -> Settlement:
    """Settles a finished game.

    Raises `RequestError` with the path of the field: SEAT_OUT_OF_RANGE, TWO_WINNERS, NO_WINNER, MISSING_FIELD,
    VALUE_OUT_OF_RANGE, TOO_MANY_ITEMS, CONTRADICTORY_FACTORS; WRONG_GAME for rules of mahjong.
    """
    rules = rule_set.rules
    if not isinstance(rules, DoudizhuRules):
        raise RequestError(ErrorReason.WRONG_GAME, f'"{rule_set.name}" is a rule set of {rule_set.game}', path="rules")
    _check(rules, game)
    return _Settler(rule_set, rules, game).settle()


def show_factor(rules: DoudizhuRules, moment: ShowMoment, cards_dealt: int = 0) -> tuple[Fraction, str]:
    """The factor of an open hand, and the option that says it. The rules have open hands."""
    assert rules.show is not None
    if moment == "during_deal":
        early = cards_dealt <= rules.show.deal_threshold
        return (rules.show.deal_early, "show.deal_early") if early else (rules.show.deal_late, "show.deal_late")
    if moment == "before_deal":
        return rules.show.start, "show.start"
    return rules.show.after_bottom, "show.after_bottom"


def bomb_factor(rules: DoudizhuRules, bomb: Bomb) -> tuple[Fraction, str]:
    """The factor of a bomb or rocket, and the option that says it."""
    score = rules.score.bomb
    if bomb.tier not in ("rocket", "chain"):
        by_size = score.by_size.get(f"{bomb.cards}.{bomb.tier}", score.by_size.get(str(bomb.cards)))
        if by_size is not None:
            return by_size, "score.bomb.by_size"
        if bomb.tier == "mixed" and score.mixed is None:
            return score.pure, "score.bomb.pure"
    factor: Fraction = getattr(score, bomb.tier)
    return factor, f"score.bomb.{bomb.tier}"


def multiply_auction(
    steps: Steps,
    rule_set: RuleSet,
    rules: DoudizhuRules,
    robbers: Sequence[int | None],
    shows: Sequence[tuple[int, ShowMoment, int]],
) -> None:
    """Adds the factors of an auction: each robbing, and the largest of the open hands (seat, moment, cards dealt)."""
    for seat in robbers:
        text, text_zh, clauses = f"robbed ×{ROB_FACTOR}", f"抢地主×{ROB_FACTOR}", rule_set.cite("score.rob")
        steps.multiply("rob", ROB_FACTOR, text=text, text_zh=text_zh, seat=seat, clauses=clauses)
    if shows:
        factors = [(*show_factor(rules, moment, dealt), seat) for seat, moment, dealt in shows]
        factor, option, seat = max(factors, key=lambda entry: entry[0])
        clauses = rule_set.cite(option, *(["show.largest"] if len(shows) > 1 else []))
        text, text_zh = f"open hand ×{factor}", f"明牌×{factor}"
        steps.multiply("show", factor, text=text, text_zh=text_zh, seat=seat, clauses=clauses)


class _Settler:
    def __init__(self, rule_set: RuleSet, rules: DoudizhuRules, game: Game) -> None:
        self._rule_set = rule_set
        self._rules = rules
        self._game = game
        farmers = [seat for seat in range(SEATS) if seat != game.landlord]
        self._farmers = farmers
        self._fled = next((index for index, seat in enumerate(game.seats) if seat.fled), None)
        self._landlord_won = _landlord_won(game)
        plays = [seat.plays for seat in game.seats]
        ended = any(seat.out for seat in game.seats)
        self._spring = ended and self._landlord_won and all(plays[farmer] == 0 for farmer in farmers)
        self._anti_spring = ended and not self._landlord_won and plays[game.landlord] == 1

    def settle(self) -> Settlement:
        steps = Steps()
        self._base(steps)
        base_steps = len(steps.factors)
        shows = [
            (seat, record.show, record.show_cards_dealt)
            for seat, record in enumerate(self._game.seats)
            if record.show is not None
        ]
        multiply_auction(steps, self._rule_set, self._rules, [None] * self._game.robs, shows)
        auction_steps = len(steps.factors)
        self._bombs(steps)
        bomb_multiplier = _product(steps.factors[auction_steps:])
        self._finish(steps)
        multiplier = _product(steps.factors[base_steps:])
        payments = self._limit([self._pair(steps, farmer) for farmer in self._farmers])
        return Settlement(
            self._landlord_won,
            totals(payments, SEATS),
            tuple(payments),
            multiplier,
            bomb_multiplier,
            self._spring,
            self._anti_spring,
            self._why(),
        )

    def _base(self, steps: Steps) -> None:
        clauses = self._rule_set.cite("score.base")
        if self._rules.score.base == "bid":
            bid = self._game.bid
            steps.set("bid", bid, text=f"bid {bid}", text_zh=f"叫{bid}分", clauses=clauses)
        else:
            steps.set("base", 1, text="base 1", text_zh="底分1", clauses=clauses)

    def _bombs(self, steps: Steps) -> None:
        product = Fraction(1)
        for bomb in self._game.bombs:
            factor, option = bomb_factor(self._rules, bomb)
            name, name_zh = _TIER_NAMES[bomb.tier]
            large = bomb.tier != "rocket" and bomb.cards > 4
            size, size_zh = (f" of {bomb.cards}", f"{bomb.cards}张") if large else ("", "")
            steps.multiply(
                "rocket" if bomb.tier == "rocket" else f"bomb.{bomb.tier}",
                factor,
                text=f"{name}{size} ×{factor}",
                text_zh=f"{size_zh}{name_zh}×{factor}",
                seat=bomb.seat,
                clauses=self._rule_set.cite(option),
            )
            product *= factor
        cap = self._rules.score.bomb.cap
        if cap is not None and product > cap:
            # The cap concerns the bombs alone, so it is what takes their product down to it.
            steps.multiply(
                "bomb.cap",
                Fraction(cap) / product,
                text=f"bombs ×{product} count ×{cap}",
                text_zh=f"炸弹×{product}封顶×{cap}",
                clauses=self._rule_set.cite("score.bomb.cap"),
            )

    def _finish(self, steps: Steps) -> None:
        spring = self._rules.score.spring
        if self._spring:
            steps.multiply(
                "spring",
                spring.landlord,
                text=f"spring ×{spring.landlord}",
                text_zh=f"春天×{spring.landlord}",
                seat=self._game.landlord,
                clauses=self._rule_set.cite("score.spring.landlord"),
            )
        if self._anti_spring:
            steps.multiply(
                "anti_spring",
                spring.farmers,
                text=f"anti-spring ×{spring.farmers}",
                text_zh=f"反春×{spring.farmers}",
                clauses=self._rule_set.cite("score.spring.farmers"),
            )
        for extra in self._game.extras:
            value = Fraction(extra.value)
            steps.multiply(
                extra.name,
                value,
                text=f"{extra.name} ×{value}",
                text_zh=f"{extra.name}×{value}",
                clauses=self._rule_set.cite("score.extra"),
            )

    def _pair(self, common: Steps, farmer: int) -> Payment:
        """What passes between the landlord and one farmer, before a limit on wins."""
        game = self._game
        steps = Steps(common.factors)
        for seat in (game.landlord, farmer):
            if game.seats[seat].doubled:
                who, who_zh = ("landlord", "地主") if seat == game.landlord else ("farmer", "农民")
                steps.multiply(
                    "double",
                    DOUBLE_FACTOR,
                    text=f"{who} doubled ×{DOUBLE_FACTOR}",
                    text_zh=f"{who_zh}加倍×{DOUBLE_FACTOR}",
                    seat=seat,
                    clauses=self._rule_set.cite("double.pairwise"),
                )
        steps.multiply("rate", game.rate, text=f"{game.rate} a point", text_zh=f"每分{game.rate}")
        loser, winner = (farmer, game.landlord) if self._landlord_won else (game.landlord, farmer)
        clauses = self._rule_set.cite("score.split")
        if self._fled is not None and loser != self._fled:
            clauses = self._rule_set.cite("score.split", "settle.flee")
            return Payment(self._fled, winner, steps.factors, on_behalf_of=loser, clauses=clauses)
        return Payment(loser, winner, steps.factors, clauses=clauses)

    def _limit(self, payments: list[Payment]) -> list[Payment]:
        """Applies the limit on wins and the rounding: the last steps of each payment."""
        gains = {winner: sum(p.amount for p in payments if p.to_seat == winner) for winner in range(SEATS)}
        out = []
        for payment in payments:
            steps = Steps(payment.factors)
            rounding = self._rules.score.rounding
            carried = self._game.seats[payment.to_seat].carried
            gain = gains[payment.to_seat]
            if self._rules.settle.win_limit == "carried" and carried is not None and gain > carried:
                steps.multiply(
                    "win_limit",
                    Fraction(carried) / gain,
                    text=f"a win of {gain} is limited to the {carried} coins carried",
                    text_zh=f"赢{gain}，以携带的{carried}为限",
                    seat=payment.to_seat,
                    clauses=self._rule_set.cite("settle.win_limit"),
                )
                # Rounded up, two shares could exceed the limit.
                rounding = "floor" if rounding == "nearest" else rounding
            steps.round(rounding, self._rule_set.cite("score.rounding"))
            out.append(
                Payment(payment.from_seat, payment.to_seat, steps.factors, payment.on_behalf_of, payment.clauses)
            )
        return out

    def _why(self) -> tuple[str, ...]:
        if self._fled is not None:
            return self._rule_set.cite("settle.flee")
        if self._game.landlord_stuck:
            return self._rule_set.cite("settle.stuck_wild")
        return self._rule_set.cite("play.over")


def _product(factors: Sequence[Factor]) -> Fraction:
    return math.prod((factor.operand for factor in factors if factor.operand is not None), start=Fraction(1))


def _landlord_won(game: Game) -> bool:
    return game.seats[game.landlord].out or any(
        seat.fled for index, seat in enumerate(game.seats) if index != game.landlord
    )


def _check(rules: DoudizhuRules, game: Game) -> None:
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
            if seat.carried is None and (index == game.landlord) == _landlord_won(game):
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
        if bomb.tier not in _TIER_NAMES:
            raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, ", ".join(_TIER_NAMES), path=f"{path}.tier")
        if bomb.tier not in played:
            raise _contradiction(f"the rules have no {_TIER_NAMES[bomb.tier][0]}", f"{path}.tier")
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
                name = _TIER_NAMES[bomb.tier][0]
                raise _contradiction(f"a {name} has 4 to {most} cards, not {bomb.cards}", f"{path}.cards")
    if sum(2 if bomb.tier == "rocket" else bomb.cards for bomb in bombs) > 54:
        raise _contradiction("the bombs have more cards than the pack", "bombs")


def _check_extras(extras: Sequence[Extra]) -> None:
    if len(extras) > MAX_EXTRA_FACTORS:
        message = f"{len(extras)} further factors given, at most {MAX_EXTRA_FACTORS}"
        raise RequestError(ErrorReason.TOO_MANY_ITEMS, message, path="extras", limit=MAX_EXTRA_FACTORS)
    for index, extra in enumerate(extras):
        if not extra.name or len(extra.name) > 64:
            message = "a further factor has a name of at most 64 characters"
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path=f"extras[{index}].name", limit=64)
        value = Fraction(extra.value)
        if value <= 0 or value.numerator > MAX_NUMBER or value.denominator > MAX_NUMBER:
            message = "a further factor is above 0"
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
