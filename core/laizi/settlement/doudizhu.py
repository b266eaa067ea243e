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

from laizi.errors import ErrorReason, RequestError
from laizi.rules import DoudizhuRules, RuleSet
from laizi.settlement.factors import Factor, Payment, Steps, totals
from laizi.settlement.game_record import (
    MAX_NUMBER,
    SEATS,
    TIER_NAMES,
    Bomb,
    BombTier,
    Extra,
    Game,
    Seat,
    ShowMoment,
    check,
    landlord_won,
)

__all__ = [
    "DOUBLE_FACTOR",
    "MAX_NUMBER",
    "ROB_FACTOR",
    "SEATS",
    "Bomb",
    "BombTier",
    "Extra",
    "Game",
    "Seat",
    "Settlement",
    "ShowMoment",
    "bomb_factor",
    "multiply_auction",
    "settle",
    "show_factor",
]

ROB_FACTOR = Fraction(2)
DOUBLE_FACTOR = Fraction(2)


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
    check(rules, game)
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
        self._landlord_won = landlord_won(game)
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
            name, name_zh = TIER_NAMES[bomb.tier]
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
