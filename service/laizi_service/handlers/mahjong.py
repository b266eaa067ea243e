"""MahjongService: wins, waits and shanten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from laizi import tiles
from laizi.claims import list_claims
from laizi.errors import ErrorReason, LaiziError, RequestError
from laizi.mahjong import Evaluator, HuAnswer, Meld, Waits, WinMode
from laizi.settlement.mahjong import Table, settle, settler
from laizi.tiles import Tiles
from laizi.v1 import mahjong_pb2 as pb
from laizi.v1 import types_pb2
from laizi_service.calls import Call
from laizi_service.codec import Form, form, moved, provenance, source
from laizi_service.codec.claims import at_field, read_situation, write_claims
from laizi_service.codec.mahjong import read_melds, write_best, write_decomposition, write_tile, write_value
from laizi_service.codec.payments import read_hand, read_mode, read_table, winning_hand, write_settlement
from laizi_service.rule_sets import RuleSets
from laizi_service.settings import Settings

__all__ = ["MahjongHandlers"]

_MOST_DECOMPOSITIONS: Final = 10_000


class MahjongHandlers:
    """The methods of MahjongService."""

    game: ClassVar = "mahjong"
    paths: ClassVar[Mapping[str, Sequence[str]]] = {
        "mode": ("circumstances.mode",),
        "gang_flower": ("circumstances.gang_flower",),
        "haidi": ("circumstances.haidi",),
        "downs": ("state.put_downs",),
        "seen": ("visible",),
    }
    operations: ClassVar[Mapping[str, str]] = {
        "CheckHu": "hu",
        "ListWaits": "waits",
        "SettleHand": "settle",
        "ListClaims": "claims",
    }

    def __init__(self, rule_sets: RuleSets, settings: Settings) -> None:
        self._rule_sets = rule_sets
        self._settings = settings

    def CheckHu(self, request: pb.CheckHuRequest, call: Call) -> pb.CheckHuResponse:
        """Answer whether tiles are a win, and as what."""
        evaluator = self._evaluator(request.rules, request.wilds)
        limit = request.decomposition_limit
        if not 0 <= limit <= _MOST_DECOMPOSITIONS:
            message = f"a number from 0 to {_MOST_DECOMPOSITIONS}, not {limit}"
            raise RequestError(
                ErrorReason.VALUE_OUT_OF_RANGE, message, path="decomposition_limit", limit=_MOST_DECOMPOSITIONS
            )
        melds = read_melds(request.melds)
        circumstances = request.circumstances
        table = read_table(request.table) if request.HasField("table") else None
        _check_seats(request, table)

        settled = None
        if table is not None:
            settled = settler(evaluator.ruleset, winning_hand(request, melds, table, evaluator.ruleset))
        answer = call.engine(
            evaluator.check_hu,
            source(request.concealed),
            melds,
            winning_tile=source(request.winning_tile) if request.HasField("winning_tile") else None,
            mode=read_mode(circumstances.mode, "circumstances.mode"),
            gang_flower=circumstances.gang_flower,
            haidi=circumstances.haidi,
            settle=settled,
            **_state(evaluator, request.state),
            all_decompositions=limit > 0,
            limit=_MOST_DECOMPOSITIONS,
        )
        used = form(request.concealed)
        return pb.CheckHuResponse(
            value=write_value(answer, evaluator.ruleset),
            best=write_best(answer, melds, evaluator.ruleset, used),
            decompositions=[write_decomposition(item, melds, used) for item in answer.decompositions[:limit]],
            decomposition_total=len(answer.decompositions),
            settlement=write_settlement(settled(answer)) if answer.hu and settled else None,
            provenance=provenance(evaluator.ruleset),
        )

    def ListWaits(self, request: pb.ListWaitsRequest, call: Call) -> pb.ListWaitsResponse:
        """Answer what a hand waits for, or would wait for after each discard."""
        evaluator = self._evaluator(request.rules, request.wilds)
        if request.mode == pb.WIN_MODE_ROB_KONG:
            raise RequestError(
                ErrorReason.CONTRADICTORY_CIRCUMSTANCES, "waits are for self-draws and discards", path="mode"
            )
        modes = [read_mode(request.mode, "mode")] if request.mode else [WinMode.ZIMO, WinMode.DISCARD]
        state = _state(evaluator, request.state)
        concealed = tiles.read(source(request.concealed), path="concealed", empty=ErrorReason.EMPTY_HAND)
        hand = _Hand(evaluator, concealed, read_melds(request.melds), state, form(request.concealed))
        response = pb.ListWaitsResponse(provenance=provenance(evaluator.ruleset))
        ask = {"seen": source(request.visible), **state}
        if len(concealed) % 3 == 1:
            found = {mode: call.engine(evaluator.waits, concealed, hand.melds, mode=mode, **ask) for mode in modes}
            response.waits.CopyFrom(hand.write_waits(found, modes))
            return response
        by_tile: dict[int, dict[WinMode, Waits]] = {}
        for mode in modes:
            for discard in call.engine(evaluator.discards, concealed, hand.melds, mode=mode, **ask):
                by_tile.setdefault(discard.tile, {})[mode] = discard.waits
        discards = [
            pb.DiscardWaits(discard=write_tile(tile, hand.used), waits=hand.changed(tile, -1).write_waits(found, modes))
            for tile, found in sorted(by_tile.items())
        ]
        response.discards.extend(sorted(discards, key=lambda item: -item.waits.copies_left))
        return response

    def ListClaims(self, request: pb.ListClaimsRequest, call: Call) -> pb.ListClaimsResponse:
        """Answer what each seat may do, and judge the questions."""
        evaluator = self._evaluator(request.rules, request.wilds)
        situation = read_situation(request)
        try:
            claims = call.engine(list_claims, evaluator, situation)
        except LaiziError as error:
            raise at_field(error) from None
        used = form(request.tile, *(seat.concealed for seat in request.seats))
        response = write_claims(claims, evaluator.ruleset, used)
        response.provenance.CopyFrom(provenance(evaluator.ruleset))
        return response

    def SettleHand(self, request: pb.SettleHandRequest, call: Call) -> pb.SettleHandResponse:
        """Answer who pays whom after a win."""
        rule_set = self._rule_sets.select(request.rules, "mahjong")
        made = call.engine(settle, rule_set, read_hand(request))
        return pb.SettleHandResponse(settlement=write_settlement(made), provenance=provenance(rule_set))

    def _evaluator(self, selector: types_pb2.RuleSetSelector, wilds: types_pb2.WildTiles) -> Evaluator:
        rule_set = self._rule_sets.select(selector, "mahjong")

        def compile_rules() -> Evaluator:
            try:
                return Evaluator(rule_set, source(wilds.wilds), source(wilds.indicators))
            except LaiziError as error:
                raise moved(error, {"wilds": "wilds.wilds", "indicator": "wilds.indicators"}) from None

        return self._rule_sets.compiled(rule_set, wilds.SerializeToString(deterministic=True), compile_rules)


@dataclass(frozen=True)
class _Hand:
    """The hand of a request that asks for waits."""

    evaluator: Evaluator
    concealed: Tiles
    melds: Sequence[Meld]
    state: Mapping[str, Any]
    used: Form

    def changed(self, tile: int, by: int) -> _Hand:
        counts = bytearray(self.concealed.counts)
        counts[tile] += by
        return replace(self, concealed=Tiles(bytes(counts)))

    def write_waits(self, found: Mapping[WinMode, Waits], modes: Sequence[WinMode]) -> pb.Waits:
        """The tiles that win in one of the modes, each with its answer in every mode that is looked at."""
        wins = {(mode, wait.tile): wait for mode, waits in found.items() for wait in waits.waits}
        left = {tile: wait.left for (_, tile), wait in wins.items()}
        written = pb.Waits(copies_left=sum(left.values()), everything=any(waits.everything for waits in found.values()))
        for tile in sorted(left):
            wait = written.waits.add(tile=write_tile(tile, self.used), copies_left=left[tile])
            for mode in modes:
                answer = wins[mode, tile].answer if (mode, tile) in wins else self._check(tile, mode)
                getattr(wait, mode).CopyFrom(write_value(answer, self.evaluator.ruleset))
        return written

    def _check(self, tile: int, mode: WinMode) -> HuAnswer:
        hand = self.changed(tile, 1)
        return self.evaluator.check_hu(
            hand.concealed, self.melds, winning_tile=tiles.NAMES[tile], mode=mode, **self.state
        )


def _state(evaluator: Evaluator, state: pb.SeatState) -> dict[str, Any]:
    """What a seat did besides its melds, as arguments of the evaluator."""
    for name in ("put_downs", "wild_kongs"):
        if getattr(state, name) < 0:
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, "a number is at least 0", path=f"state.{name}", limit=0)
    if state.missed_hu and evaluator.rules.claim.missed_hu != "none":
        raise RequestError(ErrorReason.NOT_IMPLEMENTED, "missed wins are not looked at yet", path="state.missed_hu")
    return {"downs": state.put_downs + state.wild_kongs, "wild_discarded": state.wild_discarded}


def _check_seats(request: pb.CheckHuRequest, table: Table | None) -> None:
    seats = 4 if table is None else table.seat_count
    circumstances, path = request.circumstances, "circumstances.from_seat"
    known = {"seat": request.seat}
    if circumstances.HasField("from_seat"):
        known[path] = circumstances.from_seat
    for name, seat in known.items():
        if not 0 <= seat < seats:
            message = f"seats are 0 to {seats - 1}, not {seat}"
            raise RequestError(ErrorReason.SEAT_OUT_OF_RANGE, message, path=name, limit=seats - 1)
    if path in known and read_mode(circumstances.mode, "circumstances.mode") is WinMode.ZIMO:
        raise RequestError(ErrorReason.CONTRADICTORY_CIRCUMSTANCES, "a self-draw comes from no seat", path=path)
    if known.get(path) == request.seat:
        raise RequestError(ErrorReason.CONTRADICTORY_CIRCUMSTANCES, "nobody wins on his own discard", path=path)
    for index, factors in enumerate(table.seats if table is not None else ()):
        if factors.seat == request.seat:
            message = "the winner's factors follow from his melds and state"
            raise RequestError(ErrorReason.DUPLICATE_SEAT, message, path=f"table.seats[{index}].seat")
