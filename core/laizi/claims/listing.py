"""Lists what the seats may do, who comes first, and the verdicts on questions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from laizi import tiles
from laizi.claims.answers import Claim, ClaimKind, Claims, Question, SeatClaims, Situation, Verdict
from laizi.claims.referee import JOINING, OWN_TURN, Judgement, Referee
from laizi.claims.situation import Scene, Seat, contradiction, enum_member
from laizi.errors import CardsError, ClaimRefusal, ErrorReason, RequestError
from laizi.mahjong import Evaluator
from laizi.tiles import NAMES, Tiles

_Ranks = dict[tuple[int, ClaimKind], int]


def list_claims(evaluator: Evaluator, situation: Situation) -> Claims:
    """Lists what every seat may do, and judges the questions.

    Raises `RequestError` with the path of the field: SEAT_OUT_OF_RANGE, DUPLICATE_SEAT, MISSING_FIELD,
    VALUE_OUT_OF_RANGE, UNKNOWN_ENUM_VALUE, CONTRADICTORY_FIELDS, TOO_MANY_ITEMS; `CardsError` for hands, melds and
    tiles that cannot be, as `laizi.mahjong.Evaluator.check_hu` does; and what `laizi.settlement.mahjong.settle` raises
    for the table.
    """
    scene = Scene(evaluator, situation)
    referee = Referee(scene)
    choices = {seat: list(referee.choices(one)) for seat, one in scene.seats.items()}
    ranks = _ranks(scene, choices)
    listed = [
        SeatClaims(seat, tuple(_ranked(claim, seat, ranks) for claim in claims))
        for seat, claims in choices.items()
        if seat == scene.actor or any(claim.kind is not ClaimKind.PASS for claim in claims)
    ]
    listed.sort(key=lambda entry: min((claim.priority for claim in entry.claims if claim.priority), default=0))
    return Claims(tuple(listed), _verdicts(scene, referee, ranks), _clauses(scene, choices))


def _ranked(claim: Claim, seat: int, ranks: _Ranks) -> Claim:
    place = ranks.get((seat, claim.kind), 0)
    return replace(claim, priority=place) if place else claim


def _ranks(scene: Scene, choices: dict[int, list[Claim]]) -> _Ranks:
    """The place of each seat's claims on another seat's tile: wins, then triplets and kongs, then runs."""
    if scene.actor is not None:
        return {}
    given, multi = scene.given, scene.rules.claim.multi
    ranks: _Ranks = {}
    place = 0
    for kinds in ({ClaimKind.HU}, {ClaimKind.PENG, ClaimKind.ZHI_GANG}, {ClaimKind.CHI}):
        wins = ClaimKind.HU in kinds
        first = given.dealer if wins and multi == "dealer_order" and given.dealer is not None else scene.next_seat
        claiming = [seat for seat, claims in choices.items() if any(claim.kind in kinds for claim in claims)]
        claiming.sort(key=lambda seat, first=first: (seat - first) % given.seat_count)  # type: ignore[misc]
        for index, seat in enumerate(claiming):
            if index == 0 or not (wins and multi == "multi"):
                place += 1
            ranks.update({(seat, kind): place for kind in kinds})
    return ranks


def _clauses(scene: Scene, choices: dict[int, list[Claim]]) -> tuple[str, ...]:
    wins = sum(1 for claims in choices.values() if any(claim.kind is ClaimKind.HU for claim in claims))
    options = ["claim.multi"] if scene.actor is None and wins > 1 else []
    options += ["hu.haidi.last", "hu.haidi.reserve"] if scene.last_tiles else []
    options += ["down.tail_forced"] if scene.forced is not None else []
    return scene.evaluator.ruleset.cite(*options)


@dataclass(frozen=True, slots=True)
class _Asked:
    seat: int
    kind: ClaimKind
    judgement: Judgement


def _verdicts(scene: Scene, referee: Referee, ranks: _Ranks) -> tuple[Verdict, ...]:
    asked = [_judged(scene, referee, index, question) for index, question in enumerate(scene.given.questions)]
    claimed = {
        (one.seat, one.kind): ranks[one.seat, one.kind]
        for one in asked
        if not one.judgement.refusals and (one.seat, one.kind) in ranks
    }
    first = min(claimed.values(), default=0)
    winners = {seat for (seat, _), place in claimed.items() if place == first}
    verdicts = []
    for one in asked:
        refusals = one.judgement.refusals
        if (one.seat, one.kind) in claimed and one.seat not in winners:
            refusals = (ClaimRefusal.OUTRANKED,)
        claim = one.judgement.claim
        verdicts.append(
            Verdict(
                allowed=not refusals,
                claim=None if refusals else _ranked(claim, one.seat, ranks),
                refusals=tuple(referee.explain(reason, claim) for reason in refusals),
                hu_refusals=one.judgement.hu_refusals,
            )
        )
    return tuple(verdicts)


def _judged(scene: Scene, referee: Referee, index: int, question: Question) -> _Asked:
    path = f"questions[{index}]"
    scene.check_seat(question.seat, f"{path}.seat")
    kind = enum_member(ClaimKind, question.kind, f"{path}.kind")
    if question.seat not in scene.seats:
        message = f"what seat {question.seat} holds is not given"
        raise RequestError(ErrorReason.MISSING_FIELD, message, path=f"{path}.seat")
    one = scene.seats[question.seat]
    tile = _asked_tile(scene, kind, question, f"{path}.tile")
    joining = _asked_tiles(scene, one, kind, tile, question, f"{path}.with_tiles")
    if kind is ClaimKind.AN_GANG:
        tile, joining = scene.melds.kong(tile, joining)
    return _Asked(question.seat, kind, referee.judge(one, kind, tile, joining))


def _asked_tile(scene: Scene, kind: ClaimKind, question: Question, path: str) -> int:
    tile = scene.one_tile(question.tile, path) if question.tile else -1
    if kind in OWN_TURN:
        if tile < 0:
            raise RequestError(ErrorReason.MISSING_FIELD, f"{kind} of which tile", path=path)
        return tile
    if tile >= 0 and tile != scene.tile:
        raise contradiction("what happened concerns another tile", path)
    return scene.tile


def _asked_tiles(scene: Scene, one: Seat, kind: ClaimKind, tile: int, question: Question, path: str) -> tuple[int, ...]:
    joining = tuple(tiles.read(question.with_tiles, path=path))
    wanted = JOINING.get(kind, 0)
    if tile < 0:
        return joining
    if not joining and wanted and kind is not ClaimKind.CHI:
        counts = bytearray(one.counts)
        counts[tile] -= kind is ClaimKind.AN_GANG and counts[tile] > 0
        return next(iter(scene.melds.equals(bytes(counts), tile, wanted)), (tile,) * wanted)
    if len(joining) != wanted:
        reason = ErrorReason.CONTRADICTORY_FIELDS if joining else ErrorReason.MISSING_FIELD
        message = f"{wanted} tiles of the hand join a {kind}, not {len(joining)}"
        raise RequestError(reason, message, path=path, limit=wanted)
    forms = scene.melds.run if kind is ClaimKind.CHI else scene.melds.equal
    if joining and not forms((tile, *joining)):
        message = f"{NAMES[tile]} and {Tiles.from_indices(joining).text()} are no {kind}"
        raise CardsError(ErrorReason.MALFORMED_MELD, message, path=path)
    return joining
