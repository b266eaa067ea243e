"""What seats may do with a tile of mahjong, from messages and back."""

from __future__ import annotations

import re
from typing import Final

from laizi.claims import Claim, ClaimKind, Claims, ClaimSeat, Question, Situation, Trigger, Verdict
from laizi.errors import ClaimRefusal, LaiziError
from laizi.rules import RuleSet
from laizi.tiles import Tiles
from laizi.v1 import errors_pb2
from laizi.v1 import mahjong_pb2 as pb
from laizi_service.codec import Enum, Form, moved, optional, source, write_fraction, write_tiles
from laizi_service.codec.mahjong import read_melds, write_hu_refusals, write_tile, write_value
from laizi_service.codec.payments import read_table

__all__ = ["at_field", "read_situation", "write_claims"]

_TRIGGERS: Final = Enum(pb.ClaimTrigger, "CLAIM_TRIGGER", Trigger)
_KINDS: Final = Enum(pb.ClaimKind, "CLAIM_KIND", ClaimKind)
_REFUSALS: Final = Enum(errors_pb2.ClaimRefusal, "CLAIM_REFUSAL", ClaimRefusal)


def read_situation(request: pb.ListClaimsRequest) -> Situation:
    """Return what happened and what the seats hold. Raises LaiziError with the path of the field."""
    return Situation(
        trigger=_TRIGGERS.read(request.trigger, "trigger"),
        trigger_seat=request.trigger_seat,
        tile=source(request.tile),
        seats=[_seat(seat, request.seat_count or 4, f"seats[{index}]") for index, seat in enumerate(request.seats)],
        seat_count=request.seat_count or 4,
        dealer=optional(request, "dealer"),
        wall_left=optional(request, "wall_left"),
        after_kong=request.after_kong,
        questions=[
            Question(
                question.seat,
                _KINDS.read(question.kind, f"questions[{index}].kind"),
                source(question.tile),
                source(getattr(question, "with")),
            )
            for index, question in enumerate(request.questions)
        ],
        table=read_table(request.table) if request.HasField("table") else None,
    )


def _seat(seat: pb.ClaimSeat, seats: int, path: str) -> ClaimSeat:
    try:
        melds = read_melds(seat.melds, seats=seats, own=seat.seat)
    except LaiziError as error:
        raise error.under(path) from None
    return ClaimSeat(
        seat.seat,
        source(seat.concealed),
        melds,
        put_downs=seat.state.put_downs,
        wild_kongs=seat.state.wild_kongs,
        wild_discarded=seat.state.wild_discarded,
        missed_hu=seat.state.missed_hu,
    )


def at_field(error: LaiziError) -> LaiziError:
    """Return an error of the core's claims at the field of the request."""
    path = re.sub(r"^(seats\[\d+\])\.(put_downs|wild_kongs)$", r"\1.state.\2", error.path)
    path = re.sub(r"^(questions\[\d+\])\.with_tiles$", r"\1.with", path)
    return moved(error, {error.path: path})


def write_claims(claims: Claims, rule_set: RuleSet, used: Form) -> pb.ListClaimsResponse:
    """Return what the seats may do, and the verdicts on the questions."""
    return pb.ListClaimsResponse(
        seats=[
            pb.SeatClaims(seat=entry.seat, claims=[_claim(claim, rule_set, used) for claim in entry.claims])
            for entry in claims.seats
        ],
        verdicts=[_verdict(verdict, rule_set, used) for verdict in claims.verdicts],
        clauses=claims.clauses,
    )


def _claim(claim: Claim, rule_set: RuleSet, used: Form) -> pb.Claim:
    made = pb.Claim(
        kind=_KINDS.write(claim.kind),
        tile=None if claim.tile is None else write_tile(claim.tile, used),
        priority=claim.priority,
        factor=None if claim.factor is None else write_fraction(claim.factor),
        replacement_draw=claim.replacement_draw,
        forced=claim.forced,
        bans_hu=claim.bans_hu,
        hu=None if claim.hu is None else write_value(claim.hu, rule_set),
        clauses=claim.clauses,
    )
    if claim.with_tiles:
        getattr(made, "with").CopyFrom(write_tiles(Tiles.from_indices(claim.with_tiles), used))
    return made


def _verdict(verdict: Verdict, rule_set: RuleSet, used: Form) -> pb.ClaimVerdict:
    return pb.ClaimVerdict(
        allowed=verdict.allowed,
        claim=None if verdict.claim is None else _claim(verdict.claim, rule_set, used),
        refusals=[
            errors_pb2.ClaimRefusalDetail(
                reason=_REFUSALS.write(refusal.reason), text=refusal.reason.meaning, clauses=refusal.clauses
            )
            for refusal in verdict.refusals
        ],
        hu_refusals=write_hu_refusals(verdict.hu_refusals, rule_set),
    )
