"""Auctions and finished games of Dou Dizhu, from messages and back."""

from __future__ import annotations

from typing import Final

from laizi import auction
from laizi.errors import AuctionRefusal, ErrorReason, RequestError
from laizi.settlement import doudizhu as settlement
from laizi.v1 import doudizhu_pb2 as pb
from laizi.v1 import errors_pb2
from laizi_service.codec import (
    Enum,
    optional,
    read_fraction,
    write_factor,
    write_fraction,
    write_payment,
    write_seats,
)

__all__ = ["read_events", "read_game", "write_auction", "write_settlement"]

_ACTIONS: Final = Enum(pb.AuctionAction, "AUCTION_ACTION", auction.Action)
_STATUSES: Final = Enum(pb.AuctionStatus, "AUCTION_STATUS", auction.Status)
_PHASES: Final = Enum(pb.AuctionPhase, "AUCTION_PHASE", auction.Phase)
_REFUSALS: Final = Enum(errors_pb2.AuctionRefusal, "AUCTION_REFUSAL", AuctionRefusal)
_SHOWS: Final[dict[int, settlement.ShowMoment | None]] = {
    pb.SHOW_MOMENT_UNSPECIFIED: None,
    pb.SHOW_MOMENT_BEFORE_DEAL: "before_deal",
    pb.SHOW_MOMENT_DURING_DEAL: "during_deal",
    pb.SHOW_MOMENT_AFTER_BOTTOM: "after_bottom",
}
_TIERS: Final[dict[int, settlement.BombTier]] = {
    pb.BOMB_TIER_SOFT: "soft",
    pb.BOMB_TIER_HARD: "hard",
    pb.BOMB_TIER_PURE: "pure",
    pb.BOMB_TIER_MIXED: "mixed",
    pb.BOMB_TIER_CHAIN: "chain",
}


def read_events(request: pb.ResolveAuctionRequest) -> list[auction.Event]:
    """Return the events of an auction. Raises RequestError (UNKNOWN_ENUM_VALUE)."""
    return [
        auction.Event(
            event.seat, _ACTIONS.read(event.action, f"events[{index}].action"), event.points, event.cards_dealt
        )
        for index, event in enumerate(request.events)
    ]


def write_auction(state: auction.Auction) -> pb.ResolveAuctionResponse:
    """Return the state of an auction."""
    illegal = state.illegal
    return pb.ResolveAuctionResponse(
        status=_STATUSES.write(state.status),
        phase=_PHASES.write(state.phase),
        actors=[
            pb.AuctionActor(
                seat=actor.seat,
                must_act=actor.must_act,
                options=[
                    pb.AuctionOption(
                        action=_ACTIONS.write(choice.action),
                        points=choice.points,
                        factor=None if choice.factor is None else write_fraction(choice.factor),
                        clauses=choice.clauses,
                    )
                    for choice in actor.choices
                ],
            )
            for actor in state.actors
        ],
        landlord=state.landlord,
        provisional_landlord=state.provisional,
        base=state.base,
        multiplier=write_fraction(state.multiplier),
        factors=map(write_factor, state.factors),
        doubled=state.doubled,
        forced=state.forced,
        illegal_event=None
        if illegal is None
        else pb.IllegalEvent(
            index=illegal.index,
            reason=_REFUSALS.write(illegal.reason),
            text=illegal.text,
            clauses=illegal.clauses,
        ),
        clauses=state.clauses,
    )


def read_game(request: pb.SettleGameRequest) -> settlement.Game:
    """Return a finished game. Raises RequestError (UNKNOWN_ENUM_VALUE, MISSING_FIELD, CONTRADICTORY_FACTORS)."""
    return settlement.Game(
        landlord=request.landlord,
        seats=[_seat(seat, f"seats[{index}]") for index, seat in enumerate(request.seats)],
        bid=request.bid,
        robs=request.robs,
        bombs=[_bomb(bomb, f"bombs[{index}]") for index, bomb in enumerate(request.bombs)],
        landlord_stuck=request.landlord_stuck,
        rate=request.rate or 1,
        extras=[
            settlement.Extra(extra.name, read_fraction(extra.value, f"extra_factors[{index}].value"))
            for index, extra in enumerate(request.extra_factors)
        ],
    )


def _seat(seat: pb.SeatRecord, path: str) -> settlement.Seat:
    if seat.show not in _SHOWS:
        raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, f"{seat.show} is no ShowMoment", path=f"{path}.show")
    return settlement.Seat(
        out=seat.out,
        plays=optional(seat, "plays"),
        doubled=seat.doubled,
        show=_SHOWS[seat.show],
        show_cards_dealt=seat.show_cards_dealt,
        carried=optional(seat, "carried"),
        fled=seat.fled,
    )


def _bomb(bomb: pb.PlayedBomb, path: str) -> settlement.Bomb:
    if bomb.type == pb.PLAY_TYPE_ROCKET:
        if bomb.tier != pb.BOMB_TIER_UNSPECIFIED:
            raise RequestError(ErrorReason.CONTRADICTORY_FACTORS, "a rocket has no tier", path=f"{path}.tier")
        if bomb.cards not in (0, 2):
            raise RequestError(ErrorReason.CONTRADICTORY_FACTORS, "a rocket has two cards", path=f"{path}.cards")
        return settlement.Bomb("rocket", 2, optional(bomb, "seat"))
    if bomb.type != pb.PLAY_TYPE_BOMB:
        raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, "a bomb or a rocket", path=f"{path}.type")
    if bomb.tier == pb.BOMB_TIER_UNSPECIFIED:
        raise RequestError(ErrorReason.MISSING_FIELD, "a bomb has a tier", path=f"{path}.tier")
    if bomb.tier not in _TIERS:
        raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, f"{bomb.tier} is no BombTier", path=f"{path}.tier")
    return settlement.Bomb(_TIERS[bomb.tier], bomb.cards or 4, optional(bomb, "seat"))


def write_settlement(made: settlement.Settlement) -> pb.SettleGameResponse:
    """Return what a game pays."""
    return pb.SettleGameResponse(
        landlord_won=made.landlord_won,
        seats=write_seats(made.deltas),
        payments=map(write_payment, made.payments),
        multiplier=write_fraction(made.multiplier),
        bomb_multiplier=write_fraction(made.bomb_multiplier),
        spring=made.spring,
        anti_spring=made.anti_spring,
        clauses=made.clauses,
    )
