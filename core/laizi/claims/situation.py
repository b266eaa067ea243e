"""The door of the claims: what happened and what the seats hold, checked once."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from laizi import tiles
from laizi.claims.answers import ClaimSeat, Situation, Trigger
from laizi.claims.melds import MeldFinder
from laizi.errors import CardsError, ErrorReason, LaiziError, RequestError
from laizi.mahjong import Evaluator
from laizi.mahjong.hands import Hand
from laizi.settlement.mahjong import MAX_SEATS, SeatFactors, Table, check_table, laid_down
from laizi.tiles import COPIES, KINDS, NAMES

MAX_QUESTIONS = 64
_Kind = TypeVar("_Kind", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Seat:
    """A checked seat."""

    given: ClaimSeat
    hand: Hand

    @property
    def counts(self) -> bytes:
        """How many of each tile it holds concealed."""
        return self.hand.concealed.counts


class Scene:
    """A checked situation."""

    def __init__(self, evaluator: Evaluator, given: Situation) -> None:
        self.evaluator = evaluator
        self.rules = evaluator.rules
        self.use = evaluator.tiles
        self.melds = MeldFinder(self.use)
        self.given = given
        self.trigger = enum_member(Trigger, given.trigger, "trigger")
        self._check_table()
        self.tile = self._read_tile()
        """The tile of the trigger; -1 where there is none."""
        self.actor = given.trigger_seat if self.trigger in (Trigger.DRAW, Trigger.CLAIMED) else None
        """The seat whose turn it is; None while the others answer to a tile."""
        self.seats = self._read_seats()
        self.table = self._full_table()
        """The table with the factors of the seats described."""
        self._check_laid()
        self.last_tiles = given.wall_left is not None and given.wall_left < self.rules.hu.haidi.last
        """The tile of the trigger is one of the last draws."""
        self.forced = self._forced_tile()
        """The tile that the actor must put down at once."""

    @property
    def next_seat(self) -> int:
        """The seat that plays after the one to which it happened."""
        return (self.given.trigger_seat + 1) % self.given.seat_count

    def check_seat(self, seat: int, path: str) -> None:
        """Raises RequestError (SEAT_OUT_OF_RANGE)."""
        last = self.given.seat_count - 1
        if not 0 <= seat <= last:
            message = f"seats are 0 to {last}, not {seat}"
            raise RequestError(ErrorReason.SEAT_OUT_OF_RANGE, message, path=path, limit=last)

    def one_tile(self, source: str | bytes, path: str) -> int:
        """A tile of the set. Raises what reading a tile raises, and CardsError (TILE_OUTSIDE_SET)."""
        tile = tiles.read_one(source, path=path)
        if tile not in self.use.tiles:
            message = f"{NAMES[tile]} is not in the tile set of the rules"
            raise CardsError(ErrorReason.TILE_OUTSIDE_SET, message, path=path)
        return tile

    def _check_table(self) -> None:
        given = self.given
        _range(given.seat_count, 2, MAX_SEATS, "seat_count")
        self.check_seat(given.trigger_seat, "trigger_seat")
        if given.dealer is not None:
            self.check_seat(given.dealer, "dealer")
        elif self.rules.claim.multi == "dealer_order" and self.trigger in (Trigger.DISCARD, Trigger.ADDED_KONG):
            raise RequestError(ErrorReason.MISSING_FIELD, "winners are ordered from the dealer", path="dealer")
        if given.wall_left is not None:
            _range(given.wall_left, 0, tiles.WALL, "wall_left")
        if len(given.questions) > MAX_QUESTIONS:
            message = f"{len(given.questions)} questions, at most {MAX_QUESTIONS}"
            raise RequestError(ErrorReason.TOO_MANY_ITEMS, message, path="questions", limit=MAX_QUESTIONS)
        if given.table is not None:
            if given.table.seat_count != given.seat_count:
                raise contradiction(f"the table has {given.seat_count} seats", "table.seat_count")
            if given.dealer is not None and given.table.dealer not in (None, given.dealer):
                raise contradiction(f"the dealer is seat {given.dealer}", "table.dealer")

    def _read_tile(self) -> int:
        if self.trigger is Trigger.CLAIMED:
            if self.given.tile:
                raise contradiction("a claimed tile lies in a meld already", "tile")
            return -1
        if not self.given.tile:
            raise RequestError(ErrorReason.MISSING_FIELD, "which tile was discarded, drawn or added", path="tile")
        return self.one_tile(self.given.tile, "tile")

    def _read_seats(self) -> dict[int, Seat]:
        seats: dict[int, Seat] = {}
        total = [int(self.actor is None and tile == self.tile) for tile in range(KINDS)]
        for index, one in enumerate(self.given.seats):
            path = f"seats[{index}]"
            self.check_seat(one.seat, f"{path}.seat")
            if one.seat in seats:
                message = f"seat {one.seat} is described twice"
                raise RequestError(ErrorReason.DUPLICATE_SEAT, message, path=f"{path}.seat")
            _range(one.put_downs, 0, tiles.WALL, f"{path}.put_downs")
            _range(one.wild_kongs, 0, tiles.WALL, f"{path}.wild_kongs")
            try:
                hand = self.use.hand(one.concealed, one.melds, (2,) if one.seat == self.actor else (1,))
                self._check_trigger_seat(one, hand)
            except LaiziError as error:
                raise error.under(path) from None
            seats[one.seat] = Seat(one, hand)
            total = [sum(pair) for pair in zip(total, hand.physical, strict=True)]
            if max(total) > COPIES:
                message = f"hands and melds show {max(total)} tiles {NAMES[total.index(max(total))]}, not {COPIES}"
                raise CardsError(ErrorReason.TOO_MANY_COPIES, message, path=f"{path}.concealed", limit=COPIES)
        if self.actor is not None and self.actor not in seats:
            raise RequestError(ErrorReason.MISSING_FIELD, "what the seat that acts holds", path="seats")
        return seats

    def _check_laid(self) -> None:
        """The tiles shown in hands and melds leave enough for those that the seats have put down."""
        shown = [
            sum(counts)
            for counts in zip(bytes(KINDS), *(one.hand.physical for one in self.seats.values()), strict=True)
        ]
        laid: list[tuple[str, ClaimSeat | SeatFactors]] = []
        described = {one.seat for one in self.given.seats}
        laid += ((f"seats[{index}]", one) for index, one in enumerate(self.given.seats))
        others = () if self.given.table is None else self.given.table.seats
        laid += ((f"table.seats[{index}]", one) for index, one in enumerate(others) if one.seat not in described)
        self.use.check_laid(
            shown,
            {f"{path}.put_downs": one.put_downs for path, one in laid},
            {f"{path}.wild_kongs": one.wild_kongs for path, one in laid},
        )

    def _check_trigger_seat(self, one: ClaimSeat, hand: Hand) -> None:
        if one.seat != self.given.trigger_seat:
            return
        if self.trigger is Trigger.DRAW and not hand.concealed.counts[self.tile]:
            raise contradiction(f"the tile drawn, {NAMES[self.tile]}, is not among them", "concealed")
        if self.trigger is Trigger.ADDED_KONG and self.melds.triplet(hand.melds, self.tile) is None:
            raise contradiction(f"no triplet to which {NAMES[self.tile]} could be added", "melds")

    def _full_table(self) -> Table | None:
        table = self.given.table
        if table is None:
            return None
        laid = self._laid()
        known = [laid.pop(factors.seat, factors) for factors in table.seats]
        self._unlisted = [index for index, one in enumerate(self.given.seats) if one.seat in laid]
        dealer = table.dealer if self.given.dealer is None else self.given.dealer
        full = replace(table, dealer=dealer, seats=(*known, *laid.values()))
        try:
            check_table(self.evaluator.ruleset, full)
        except LaiziError as error:
            raise self._under_seat(error) from None
        # Who pays decides neither whether nor how a hand wins.
        return replace(full, guarantees=())

    def _under_seat(self, error: LaiziError) -> LaiziError:
        """An error about the factors of a seat, with the path under which the caller gave them."""
        found = re.match(r"table\.seats\[([0-9]+)\]", error.path)
        if found is None or self.given.table is None:
            return error
        place = int(found[1]) - len(self.given.table.seats)
        if place < 0:
            return error
        rest = error.path[found.end() :].lstrip(".")
        moved = type(error)(error.reason, error.message, path=rest, limit=error.limit)
        return moved.under(f"seats[{self._unlisted[place]}]")

    def _laid(self) -> dict[int, SeatFactors]:
        """What the seats described have laid down."""
        return {
            seat: laid_down(self.evaluator.ruleset, seat, one.hand.melds, one.given.put_downs, one.given.wild_kongs)
            for seat, one in self.seats.items()
        }

    def _forced_tile(self) -> int | None:
        if not (self.rules.down.tail_forced and self.trigger is Trigger.DRAW and self.given.after_kong):
            return None
        if self.tile not in self.use.put_down or self.last_tiles:
            return None
        # The turned tile lies at the end of the wall, so it is what the first replacement draws.
        laid = self._laid().values() if self.table is None else self.table.seats
        replacements = sum(one.put_downs + one.wild_kongs + one.zhi_gangs + one.bu_gangs + one.an_gangs for one in laid)
        return self.tile if replacements <= 1 else None


def enum_member(kinds: type[_Kind], value: str, path: str) -> _Kind:
    """Raises RequestError (UNKNOWN_ENUM_VALUE)."""
    try:
        return kinds(value)
    except ValueError:
        message = f"{value!r:.60} is none of {', '.join(kinds)}"
        raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, message, path=path) from None


def contradiction(message: str, path: str) -> RequestError:
    """The error of fields that exclude each other."""
    return RequestError(ErrorReason.CONTRADICTORY_FIELDS, message, path=path)


def _range(value: int, low: int, high: int, path: str) -> None:
    if not low <= value <= high:
        message = f"a number from {low} to {high}, not {value}"
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path=path, limit=high)
