"""Who becomes landlord: bids, calls, robbing, open hands and doubling, replayed event by event.

The caller keeps no state: it sends all events so far and learns who acts next, with what, and what stands.

>>> from laizi import rules
>>> events = [Event(0, Action.CALL), Event(1, Action.ROB), Event(2, Action.DECLINE_ROB)]
>>> auction = resolve(rules.load("huanle"), events, first_seat=0)
>>> auction.status, auction.phase, auction.actors[0].seat, [choice.action for choice in auction.actors[0].choices]
(<Status.OPEN: 'OPEN'>, <Phase.ROB: 'ROB'>, 0, [<Action.ROB: 'ROB'>, <Action.DECLINE_ROB: 'DECLINE_ROB'>])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from laizi.errors import AuctionRefusal, ErrorReason, RequestError
from laizi.rules import DoudizhuRules, RuleSet
from laizi.settlement.doudizhu import DOUBLE_FACTOR, ROB_FACTOR, ShowMoment, multiply_auction, show_factor
from laizi.settlement.factors import Factor, Steps

SEATS = 3
MAX_BID = 3
MAX_EVENTS = 64
"""More than any auction has; a longer list is refused before it is read."""
MAX_BEANS = 10**18
MAX_EXTERNAL_BASE = 10**6


class Action(StrEnum):
    """What a seat does."""

    BID = "BID"
    """Bids points (叫分)."""
    CALL = "CALL"
    """Calls (叫地主)."""
    PASS = "PASS"
    """Declines to bid or call (不叫)."""
    ROB = "ROB"
    """Robs (抢地主)."""
    DECLINE_ROB = "DECLINE_ROB"
    """Declines to rob (不抢)."""
    SHOW_BEFORE_DEAL = "SHOW_BEFORE_DEAL"
    """Shows the hand (明牌) before the deal."""
    SHOW_DURING_DEAL = "SHOW_DURING_DEAL"
    """Shows it during the deal."""
    SHOW_AFTER_BOTTOM = "SHOW_AFTER_BOTTOM"
    """Shows it after taking the bottom."""
    DOUBLE = "DOUBLE"
    """Doubles (加倍)."""
    DECLINE_DOUBLE = "DECLINE_DOUBLE"
    """Declines to double (不加倍)."""
    TIMEOUT = "TIMEOUT"
    """Let the clock run out: the declining action of the phase, or the only bid that a seat may make."""


class Status(StrEnum):
    """How far an auction has come."""

    OPEN = "OPEN"
    """Somebody has to act."""
    DONE = "DONE"
    """The landlord is known and nobody has to act."""
    REDEAL = "REDEAL"
    """Nobody called: deal anew."""
    ILLEGAL = "ILLEGAL"
    """An event was illegal; everything before it stands."""


class Phase(StrEnum):
    """What an auction waits for."""

    CALL = "CALL"
    """Bids or calls."""
    ROB = "ROB"
    DOUBLE = "DOUBLE"
    """Doublings; the landlord has the bottom and may show."""
    OVER = "OVER"
    """Play."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened."""

    seat: int
    action: Action
    points: int = 0
    """The points bid; only with BID."""
    cards_dealt: int = 0
    """Cards dealt to the seat so far, 0 to 17; only with SHOW_DURING_DEAL."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a seat may do now."""

    action: Action
    points: tuple[int, ...] = ()
    """The points that may be bid; only with BID."""
    factor: Fraction | None = None
    """What it multiplies; None where it does not."""
    clauses: tuple[str, ...] = ()
    """Ids of the clauses that allow it."""


@dataclass(frozen=True, slots=True)
class Actor:
    """A seat that acts now."""

    seat: int
    must_act: bool
    """The auction waits for it; else it only may act, such as a landlord who may show."""
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Illegal:
    """The first illegal event."""

    index: int
    """Its index among the events, from 0."""
    reason: AuctionRefusal
    text: str
    clauses: tuple[str, ...]
    """Ids of the clauses that forbid it."""


@dataclass(frozen=True, slots=True)
class Auction:
    """The state after the events."""

    status: Status
    phase: Phase
    """What it waits for; for an illegal event, the phase in which it came."""
    actors: tuple[Actor, ...]
    """Who acts now, the next in turn first; all at once when doubling."""
    landlord: int | None
    """Known once nobody can take the role from him."""
    provisional: int | None
    """The seat that called, while others may rob."""
    base: int
    """The highest bid so far, or 1."""
    multiplier: Fraction
    """The product of the factors of robs and shows; doubling counts pair by pair and is not in it."""
    factors: tuple[Factor, ...]
    robs: int
    """How often the role was robbed."""
    doubled: tuple[bool, bool, bool]
    forced: bool
    """Whether the landlord did not call but had to take the role."""
    illegal: Illegal | None
    clauses: tuple[str, ...]
    """Ids of the clauses that decided status, landlord and order."""


def resolve(
    rule_set: RuleSet,
    events: Sequence[Event],
    *,
    first_seat: int,
    rocket_seat: int | None = None,
    beans: Sequence[int] = (),
    room_value: int = 0,
    external_landlord: int | None = None,
    external_base: int | None = None,
) -> Auction:
    """The state of an auction after events in order of time.

    ``first_seat`` speaks first: drawn, told, or the holder of the face-up card, by the option ``auction.first``.
    ``rocket_seat`` holds both jokers. ``beans`` are the coins of seats 0, 1, 2, and ``room_value`` is what they must
    exceed for doubling, where the rules gate it. Where ``auction.mode`` is external, the landlord and the base (1 if
    left out) are told. An event that the rules forbid is an answer, not an error.

    Raises `RequestError`: SEAT_OUT_OF_RANGE, VALUE_OUT_OF_RANGE, CONTRADICTORY_FIELDS, TOO_MANY_ITEMS,
    MISSING_FIELD; WRONG_GAME for rules of mahjong.
    """
    rules = rule_set.rules
    if not isinstance(rules, DoudizhuRules):
        raise RequestError(ErrorReason.WRONG_GAME, f'"{rule_set.name}" is a rule set of {rule_set.game}', path="rules")
    _check_events(events)
    _check_seat(first_seat, "first_seat")
    if rocket_seat is not None:
        _check_seat(rocket_seat, "rocket_seat")
    _check_beans(beans, room_value)
    _check_external(rules, external_landlord, external_base)
    table = _Table(rule_set, rules, first_seat, rocket_seat, tuple(beans), room_value)
    if external_landlord is not None:
        table.settle(external_landlord, external_base or 1)
    for index, event in enumerate(events):
        refusal = table.refuse(event)
        if refusal:
            reason, *options = refusal
            illegal = Illegal(index, reason, f"seat {event.seat}: {reason.meaning}", rule_set.cite(*options))
            return replace(table.state(), status=Status.ILLEGAL, actors=(), illegal=illegal)
        table.apply(event)
    return table.state()


def may_double(rules: DoudizhuRules, beans: Sequence[int], room_value: int, landlord: int, seat: int) -> bool:
    """Whether a seat passes the gate of doubling: he and all his opponents have more beans than the room's value."""
    if rules.double is None:
        return False
    if rules.double.gate == "none":
        return True
    concerned = range(SEATS) if seat == landlord else (seat, landlord)
    return all(beans[other] > room_value for other in concerned)


_Refusal = tuple[AuctionRefusal, *tuple[str, ...]]
"""Why an event is illegal, and the options and decisions that say so."""

_CALLS = frozenset({Action.BID, Action.CALL, Action.PASS})
_ROBS = frozenset({Action.ROB, Action.DECLINE_ROB})
_DOUBLES = frozenset({Action.DOUBLE, Action.DECLINE_DOUBLE})
_SHOWS: dict[Action, ShowMoment] = {
    Action.SHOW_BEFORE_DEAL: "before_deal",
    Action.SHOW_DURING_DEAL: "during_deal",
    Action.SHOW_AFTER_BOTTOM: "after_bottom",
}


class _Table:
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

    def refuse(self, event: Event) -> _Refusal | None:
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

    def _refuse_call(self, event: Event) -> _Refusal | None:
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

    def _refuse_show(self, event: Event) -> _Refusal | None:
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

    def _refuse_double(self, event: Event) -> _Refusal | None:
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


def _check_events(events: Sequence[Event]) -> None:
    if len(events) > MAX_EVENTS:
        message = f"{len(events)} events given, at most {MAX_EVENTS}"
        raise RequestError(ErrorReason.TOO_MANY_ITEMS, message, path="events", limit=MAX_EVENTS)
    for index, event in enumerate(events):
        path = f"events[{index}]"
        _check_seat(event.seat, f"{path}.seat")
        if not isinstance(event.action, Action):
            raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, "no action of an auction", path=f"{path}.action")
        if event.points and event.action is not Action.BID:
            raise RequestError(ErrorReason.CONTRADICTORY_FIELDS, "only a bid has points", path=f"{path}.points")
        if not 0 <= event.cards_dealt <= 17:
            message = f"0 to 17 cards are dealt, not {event.cards_dealt}"
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path=f"{path}.cards_dealt", limit=17)
        if event.cards_dealt and event.action is not Action.SHOW_DURING_DEAL:
            message = "only a hand shown during the deal has cards dealt"
            raise RequestError(ErrorReason.CONTRADICTORY_FIELDS, message, path=f"{path}.cards_dealt")


def _check_seat(seat: int, path: str) -> None:
    if not 0 <= seat < SEATS:
        raise RequestError(ErrorReason.SEAT_OUT_OF_RANGE, f"seats are 0 to 2, not {seat}", path=path, limit=SEATS - 1)


def _check_beans(beans: Sequence[int], room_value: int) -> None:
    if len(beans) not in (0, SEATS):
        message = f"three seats have beans, {len(beans)} given"
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path="beans", limit=SEATS)
    for path, value in [*((f"beans[{seat}]", value) for seat, value in enumerate(beans)), ("room_value", room_value)]:
        if not 0 <= value <= MAX_BEANS:
            message = f"a number from 0 to {MAX_BEANS}, not {value}"
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path=path, limit=MAX_BEANS)


def _check_external(rules: DoudizhuRules, landlord: int | None, base: int | None) -> None:
    external = rules.auction.mode == "external"
    if external and landlord is None:
        message = "the rules leave the auction to the caller, who names the landlord"
        raise RequestError(ErrorReason.MISSING_FIELD, message, path="external_landlord")
    for path, value in (("external_landlord", landlord), ("external_base", base)):
        if not external and value is not None:
            raise RequestError(ErrorReason.CONTRADICTORY_FIELDS, "the auction decides it", path=path)
    if landlord is not None:
        _check_seat(landlord, "external_landlord")
    if base is not None and not 1 <= base <= MAX_EXTERNAL_BASE:
        message = f"a base from 1 to {MAX_EXTERNAL_BASE}, not {base}"
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path="external_base", limit=MAX_EXTERNAL_BASE)
