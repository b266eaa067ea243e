"""The door to an auction: its input is checked once, then its events are replayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from laizi.auction.answers import Action, Auction, Event, Illegal, Status
from laizi.auction.table import Table
from laizi.errors import ErrorReason, RequestError
from laizi.rules import DoudizhuRules, RuleSet
from laizi.settlement.doudizhu import SEATS

MAX_EVENTS = 64
"""More than any auction has; a longer list is refused before it is read."""
MAX_BEANS = 10**18
MAX_EXTERNAL_BASE = 10**6


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
    table = Table(rule_set, rules, first_seat, rocket_seat, tuple(beans), room_value)
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
