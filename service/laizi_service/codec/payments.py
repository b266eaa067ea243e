"""What a win of mahjong pays, from messages and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from laizi.errors import ErrorReason, RequestError
from laizi.mahjong import Meld, WinMode
from laizi.rules import RuleSet
from laizi.settlement import mahjong as settlement
from laizi.settlement.mahjong import Circumstances, Guarantee, Hand, SeatFactors, Settlement, Table, laid_down
from laizi.v1 import mahjong_pb2 as pb
from laizi_service.codec import Enum, optional, write_fraction, write_payment, write_seats

__all__ = ["read_circumstances", "read_hand", "read_mode", "read_table", "winning_hand", "write_settlement"]

_MODES: Final = Enum(pb.WinMode, "WIN_MODE", WinMode)
_GUARANTEES: Final[dict[int, settlement.GuaranteeKind]] = {
    pb.GUARANTEE_KIND_QQR_NOT_READY: "qqr_not_ready",
    pb.GUARANTEE_KIND_THIRD_OPEN_QINGYISE: "third_open_qingyise",
    pb.GUARANTEE_KIND_ROB_KONG: "rob_kong",
}


def read_mode(number: int, path: str) -> WinMode:
    """Return how a winning tile came; unspecified is a self-draw. Raises RequestError (UNKNOWN_ENUM_VALUE)."""
    return WinMode.ZIMO if number == pb.WIN_MODE_UNSPECIFIED else _MODES.read(number, path)


def read_circumstances(message: pb.WinCircumstances) -> Circumstances:
    """Return how a win came about. Raises RequestError (UNKNOWN_ENUM_VALUE)."""
    mode = read_mode(message.mode, "circumstances.mode")
    return Circumstances(mode, optional(message, "from_seat"), message.gang_flower, message.haidi)


def read_table(message: pb.TableFactors) -> Table:
    """Return what is known of the seats. Raises RequestError (UNKNOWN_ENUM_VALUE)."""
    guarantees = []
    for index, guarantee in enumerate(message.guarantees):
        if guarantee.kind not in _GUARANTEES:
            path = f"table.guarantees[{index}].kind"
            raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, f"{guarantee.kind} is no GuaranteeKind", path=path)
        guarantees.append(Guarantee(_GUARANTEES[guarantee.kind], guarantee.seat))
    seats = [
        SeatFactors(
            seat.seat,
            seat.openings,
            seat.zhi_gangs,
            seat.bu_gangs,
            seat.an_gangs,
            seat.put_downs,
            seat.wild_kongs,
        )
        for seat in message.seats
    ]
    return Table(message.seat_count or 4, optional(message, "dealer"), seats, guarantees)


def read_hand(request: pb.SettleHandRequest) -> Hand:
    """Return a hand that somebody won. Raises RequestError (UNKNOWN_ENUM_VALUE)."""
    return Hand(
        list(request.winner_seats),
        read_circumstances(request.circumstances),
        list(request.types),
        request.hard,
        read_table(request.table),
    )


def winning_hand(request: pb.CheckHuRequest, melds: Sequence[Meld], table: Table, rule_set: RuleSet) -> Hand:
    """Return the hand of a request as one to settle: the winner's factors follow from his melds and state."""
    winner = laid_down(rule_set, request.seat, melds, request.state.put_downs, request.state.wild_kongs)
    return Hand(
        [request.seat],
        read_circumstances(request.circumstances),
        table=replace(table, seats=[*table.seats, winner]),
    )


def write_settlement(made: Settlement) -> pb.Settlement:
    """Return what a win pays."""
    return pb.Settlement(
        payments=map(write_payment, made.payments),
        seats=write_seats(made.deltas),
        uncapped=map(write_fraction, made.uncapped),
        gold=made.gold,
        guarantor=made.guarantor,
        next_dealer=made.next_dealer,
        clauses=made.clauses,
    )
