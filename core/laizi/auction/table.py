"""An auction under way: what may happen next, what happens, and what stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from laizi.auction.answers import Action, Actor, Auction, Choice, Event, Phase, Status
from laizi.errors import AuctionRefusal, ErrorReason, RequestError
from laizi.rules import DoudizhuRules, RuleSet
from laizi.settlement.doudizhu import DOUBLE_FACTOR, ROB_FACTOR, SEATS, ShowMoment, multiply_auction, show_factor
from laizi.settlement.factors import Factor, Steps

MAX_BID = 3


def may_double(rules: DoudizhuRules, beans: Sequence[int], room_value: int, landlord: int, seat: int) -> bool:
    """Whether a seat passes the gate of doubling: he and all his opponents have more beans than the room's value."""
    if rules.double is None:
        return False
    if rules.double.gate == "none":
        return True
    concerned = range(SEATS) if seat == landlord else (seat, landlord)
    return all(beans[other] > room_value for other in concerned)


Refusal = tuple[AuctionRefusal, *tuple[str, ...]]
"""Why an event is illegal, and the options and decisions that say so."""

_CALLS = frozenset({Action.BID, Action.CALL, Action.PASS})
_ROBS = frozenset({Action.ROB, Action.DECLINE_ROB})
_DOUBLES = frozenset({Action.DOUBLE, Action.DECLINE_DOUBLE})
_SHOWS: dict[Action, ShowMoment] = {
    Action.SHOW_BEFORE_DEAL: "before_deal",
    Action.SHOW_DURING_DEAL: "during_deal",
    Action.SHOW_AFTER_BOTTOM: "after_bottom",
}


class Table:
    """An auction under way."""

    def __init__(
        self,
        rule_set: RuleSet,
        rules: DoudizhuRules,
        first_seat: int,
        rocket_seat: int | None,
        beans: tuple[int, ...],
        room_value: int,
    ) -> None:
        self._rule_set = rule_set
        self._rules = rules
        self._rocket_seat = rocket_seat
        self._beans = beans
        self._room_value = room_value
        self._phase = Phase.CALL
        self._first = first_seat
        self._queue = self._from(first_seat)
        """The seats that still have to speak in this phase, in order."""
        self._events = 0
        self._passed: set[int] = set()
        self._highest = 0
        self._caller: int | None = None
        self._robbers: list[int] = []
        self._shows: dict[int, tuple[ShowMoment, int]] = {}
        self._landlord: int | None = None
        self._forced = False
        self._redeal = False
        self._base = 1
        self._answers: dict[int, bool] = {}
        """Who doubled or declined to."""
        self._clauses = ["auction.first", "auction.call"]

    @staticmethod
    def _from(seat: int) -> list[int]:
        return [(seat + step) % SEATS for step in range(SEATS)]

    # What may happen.

    def refuse(self, event: Event) -> Refusal | None:
        """Why an event is illegal now, with the options that say so; None if it is legal."""
        if event.action in _SHOWS:
            return self._refuse_show(event)
        if self._redeal or self._phase is Phase.OVER:
            if event.action in _DOUBLES and not self._redeal:
                return self._refuse_double(event)
            return (AuctionRefusal.AUCTION_OVER, *self._clauses)
        if self._phase is Phase.DOUBLE:
            if event.action in _CALLS or event.action in _ROBS:
                return (AuctionRefusal.AUCTION_OVER, *self._clauses)
            return self._refuse_double(event)
        if event.action is Action.ROB and self._phase is Phase.ROB and self._barred(event.seat):
            return AuctionRefusal.PASSED_CANNOT_ROB, "auction.passed_may_rob"
        if event.seat != self._queue[0]:
            return AuctionRefusal.NOT_ACTOR, "auction.rob" if self._phase is Phase.ROB else "auction.call"
        if event.action in _DOUBLES:
            return AuctionRefusal.DOUBLE_NOT_OFFERED, "double.when"
        if event.action is Action.TIMEOUT:
            return None
        if self._phase is Phase.ROB:
            return None if event.action in _ROBS else (AuctionRefusal.BAD_ACTION, "auction.mode", "auction.rob")
        return self._refuse_call(event)

    def _refuse_call(self, event: Event) -> Refusal | None:
        wanted = Action.CALL if self._rules.auction.mode == "call_rob" else Action.BID
        if event.action not in (wanted, Action.PASS):
            return AuctionRefusal.BAD_ACTION, "auction.mode", "auction.call"
        if event.action is Action.BID and not 1 <= event.points <= MAX_BID:
            return AuctionRefusal.BAD_BID, "auction.call"
        if self._must_bid_max(event.seat) and (
            event.action is Action.PASS or (event.action is Action.BID and event.points < MAX_BID)
        ):
            return AuctionRefusal.MUST_BID_MAX, "auction.rocket_must_max"
        if event.action is Action.BID and event.points not in self._bids():
            return AuctionRefusal.NOT_HIGHER, "auction.must_rise"
        return None

    def _refuse_show(self, event: Event) -> Refusal | None:
        if self._rules.show is None or self._redeal or event.seat in self._shows:
            return AuctionRefusal.SHOW_NOT_OFFERED, "show", "show.kinds"
        if event.action is Action.SHOW_AFTER_BOTTOM:
            if self._landlord is None:
                return AuctionRefusal.SHOW_NOT_OFFERED, "show.after_bottom"
            if event.seat != self._landlord:
                return AuctionRefusal.SHOW_LANDLORD_ONLY, "show.after_bottom"
            return None
        dealt = any(moment == "during_deal" for moment, _ in self._shows.values())
        if self._events or (event.action is Action.SHOW_BEFORE_DEAL and dealt):
            return AuctionRefusal.SHOW_NOT_OFFERED, "show.kinds"
        return None

    def _refuse_double(self, event: Event) -> Refusal | None:
        if self._rules.double is None:
            return AuctionRefusal.DOUBLE_NOT_OFFERED, "double"
        if event.seat in self._answers:
            return AuctionRefusal.DOUBLE_ALREADY_ANSWERED, "double.when"
        if event.action is Action.DOUBLE and not self._may_double(event.seat):
            return AuctionRefusal.DOUBLE_BELOW_GATE, "double.gate"
        return None

    def _barred(self, seat: int) -> bool:
        return seat in self._passed and not self._rules.auction.passed_may_rob

    def _must_bid_max(self, seat: int) -> bool:
        return self._rules.auction.rocket_must_max and seat == self._rocket_seat

    def _bids(self) -> tuple[int, ...]:
        lowest = self._highest + 1 if self._rules.auction.must_rise else 1
        return tuple(range(lowest, MAX_BID + 1))

    def _may_double(self, seat: int) -> bool:
        assert self._landlord is not None
        return may_double(self._rules, self._beans, self._room_value, self._landlord, seat)

    # What happens.

    def apply(self, event: Event) -> None:
        """Takes a legal event in."""
        if event.action in _SHOWS:
            self._show(event.seat, _SHOWS[event.action], event.cards_dealt)
            return
        self._events += 1
        if event.action is Action.TIMEOUT:
            self._clauses.append("auction.timeout")
        if self._phase is Phase.CALL:
            self._call(event)
        elif self._phase is Phase.ROB:
            self._queue.pop(0)
            if event.action is Action.ROB:
                self._robbers.append(event.seat)
            self._ask_robbers()
        else:
            self._answers[event.seat] = event.action is Action.DOUBLE
            self._end_doubling()

    def _show(self, seat: int, moment: ShowMoment, cards_dealt: int) -> None:
        first = not self._shows
        self._shows[seat] = moment, cards_dealt
        if first and self._phase is Phase.CALL and self._rules.auction.first == "first_shower":
            self._first = seat
            self._queue = self._from(seat)

    def _call(self, event: Event) -> None:
        self._queue.pop(0)
        points = event.points if event.action is Action.BID else 0
        if event.action is Action.CALL:
            points = 1
        elif event.action is Action.TIMEOUT and self._must_bid_max(event.seat):
            points = 1 if self._rules.auction.mode == "call_rob" else MAX_BID
        if not points:
            self._passed.add(event.seat)
        elif points > self._highest:
            self._highest, self._caller = points, event.seat
            self._base = points if self._rules.score.base == "bid" else 1
        calling_ends = self._highest == MAX_BID or (self._caller is not None and self._rules.auction.mode == "call_rob")
        if calling_ends or not self._queue:
            self._end_calling()

    def _end_calling(self) -> None:
        auction = self._rules.auction
        if self._caller is None:
            self._nobody_called()
            return
        self._clauses += ["auction.max"] if self._highest == MAX_BID else ["auction.highest"]
        if auction.mode == "points":
            self.settle(self._caller, self._base)
            return
        self._phase = Phase.ROB
        self._queue = [seat for seat in self._from(self._caller)[1:] if not self._barred(seat)]
        if auction.caller_may_rob:
            self._queue.append(self._caller)
        self._ask_robbers()

    def _nobody_called(self) -> None:
        self._clauses = ["auction.all_pass"]
        all_pass = self._rules.auction.all_pass
        if all_pass == "force_first_min":
            self._forced = True
            self.settle(self._first, 1)
        elif all_pass == "first_shower_else_redeal" and self._shows:
            self._forced = True
            self.settle(next(iter(self._shows)), 1)
        else:
            self._redeal = True
            self._phase = Phase.OVER

    def _ask_robbers(self) -> None:
        """Goes on to the next who may rob, or ends the robbing."""
        # The caller answers last, and only if somebody robbed.
        if self._queue == [self._caller] and not self._robbers:
            self._queue = []
        if not self._queue:
            assert self._caller is not None
            self._clauses.append("auction.rob" if self._robbers else "auction.unrobbed")
            self.settle(self._robbers[-1] if self._robbers else self._caller, self._base)

    def settle(self, landlord: int, base: int) -> None:
        """The landlord is known: doubling follows, where the rules have it."""
        self._landlord, self._base = landlord, base
        self._queue = []
        double = self._rules.double
        if double is not None and double.gate == "beans_over" and not self._beans:
            raise RequestError(ErrorReason.MISSING_FIELD, "the rules gate doubling by beans", path="beans")
        self._phase = Phase.OVER if double is None else Phase.DOUBLE
        self._end_doubling()

    def _end_doubling(self) -> None:
        if self._phase is Phase.DOUBLE and not self._doublers():
            self._phase = Phase.OVER

    def _doublers(self) -> list[int]:
        """The seats that have to say whether they double; who may not has nothing to say."""
        assert self._landlord is not None
        return [seat for seat in self._from(self._landlord) if seat not in self._answers and self._may_double(seat)]

    # What stands.

    def state(self) -> Auction:
        """Everything that a caller may know now."""
        status = Status.REDEAL if self._redeal else Status.DONE if self._phase is Phase.OVER else Status.OPEN
        factors = self._factors()
        return Auction(
            status,
            self._phase,
            tuple(self._actors()),
            self._landlord,
            self._caller if self._phase is Phase.ROB else None,
            self._base,
            factors[-1].result,
            factors,
            len(self._robbers),
            (self._answers.get(0, False), self._answers.get(1, False), self._answers.get(2, False)),
            self._forced,
            None,
            self._rule_set.cite(*self._clauses),
        )

    def _factors(self) -> tuple[Factor, ...]:
        steps = Steps()
        steps.set("multiplier", 1, text="multiplier 1", text_zh="倍数1")
        shows = [(seat, *show) for seat, show in self._shows.items()]
        multiply_auction(steps, self._rule_set, self._rules, self._robbers, shows)
        return steps.factors

    def _actors(self) -> list[Actor]:
        choices: dict[int, list[Choice]] = {}
        waiting = self._doublers() if self._phase is Phase.DOUBLE else self._queue[:1]
        for seat in waiting:
            choices[seat] = list(self._choices(seat))
        for seat in self._from(self._landlord if self._landlord is not None else self._first):
            shows = [choice for action in _SHOWS if (choice := self._show_choice(seat, action))]
            if shows:
                choices.setdefault(seat, []).extend(shows)
        return [Actor(seat, seat in waiting, tuple(options)) for seat, options in choices.items()]

    def _choices(self, seat: int) -> Iterator[Choice]:
        cite = self._rule_set.cite
        if self._phase is Phase.DOUBLE:
            yield Choice(Action.DOUBLE, factor=DOUBLE_FACTOR, clauses=cite("double.when", "double.gate"))
            yield Choice(Action.DECLINE_DOUBLE, clauses=cite("double.when"))
        elif self._phase is Phase.ROB:
            yield Choice(Action.ROB, factor=ROB_FACTOR, clauses=cite("auction.rob", "score.rob"))
            yield Choice(Action.DECLINE_ROB, clauses=cite("auction.rob"))
        else:
            forced = self._must_bid_max(seat)
            why = cite("auction.rocket_must_max") if forced else cite("auction.call")
            if self._rules.auction.mode == "call_rob":
                yield Choice(Action.CALL, clauses=why)
            else:
                yield Choice(Action.BID, (MAX_BID,) if forced else self._bids(), clauses=why)
            if not forced:
                yield Choice(Action.PASS, clauses=why)

    def _show_choice(self, seat: int, action: Action) -> Choice | None:
        if self._refuse_show(Event(seat, action)):
            return None
        if action is Action.SHOW_DURING_DEAL:  # the factor depends on the cards dealt
            return Choice(action, clauses=self._rule_set.cite("show.deal_early", "show.deal_late"))
        factor, option = show_factor(self._rules, _SHOWS[action])
        return Choice(action, factor=factor, clauses=self._rule_set.cite(option))
