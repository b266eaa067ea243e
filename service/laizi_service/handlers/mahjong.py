"""MahjongService: wins, waits and shanten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from laizi import tiles
from laizi.claims import list_claims
from laizi.errors import ErrorReason, LaiziError, RequestError
from laizi.mahjong import Decomposition, Evaluator, HuType, Meld, Shape, Waits, WinMode
from laizi.rules import RuleSet
from laizi.settlement.mahjong import SeatFactors, Table, settle, settler
from laizi.v1 import mahjong_pb2 as pb
from laizi.v1 import types_pb2
from laizi_service.calls import Call, Paths
from laizi_service.codec import form, moved, provenance, source
from laizi_service.codec.claims import at_field, read_situation, write_claims
from laizi_service.codec.mahjong import (
    SHAPES,
    HuParts,
    read_melds,
    write_decomposition,
    write_situations,
    write_tile,
    write_value,
)
from laizi_service.codec.payments import read_hand, read_mode, read_table, winning_hand, write_settlement
from laizi_service.columns import Column, ColumnsAnswer, check_columns, count_rows, sliced
from laizi_service.handlers.base import GameHandlers, check_wanted
from laizi_service.handlers.waiting import Waiting, changed, only_shape, write_improvements
from laizi_service.native.mahjong import HuPlan

__all__ = ["MahjongHandlers"]

_MELDS: Final = 5
"""Bytes of the melds of a row."""
_LAID: Final = ("put_downs", "wild_kongs")
"""What SeatState and SeatFactors both count."""
_ON_DISCARD: Final = b"\1"
"""The circumstances of a row that wins on a discard."""
# Rows between two looks at whether the caller still waits: about a millisecond of work each, see docs/operations.md.
_SLICE: Final = 16_384
_WAITS_SLICE: Final = 2_048


class MahjongHandlers(GameHandlers):
    """The methods of MahjongService."""

    game: ClassVar = "mahjong"
    service: ClassVar = pb.DESCRIPTOR.services_by_name["MahjongService"]
    paths: ClassVar[Paths] = {
        "mode": ("circumstances.mode",),
        "gang_flower": ("circumstances.gang_flower",),
        "haidi": ("circumstances.haidi",),
        "downs": ("state.put_downs",),
        "seen": ("visible",),
    }
    operations: ClassVar[Mapping[str, str]] = {
        "CheckHu": "hu",
        "BatchCheckHu": "hu",
        "CheckHuColumns": "hu",
        "ListWaits": "waits",
        "BatchListWaits": "waits",
        "WaitColumns": "waits",
        "Shanten": "shanten",
        "ShantenColumns": "shanten",
        "SettleHand": "settle",
        "BatchSettleHands": "settle",
        "ListClaims": "claims",
    }

    batches: ClassVar[Mapping[str, str]] = {
        "BatchCheckHu": "CheckHu",
        "BatchListWaits": "ListWaits",
        "BatchSettleHands": "SettleHand",
    }
    native: ClassVar = "CheckHu"

    def make_plan(self, selector: types_pb2.RuleSetSelector, wilds: bytes) -> HuPlan:
        """Return what is ready for rules and wilds; see the base."""
        evaluator = self._evaluator(selector, types_pb2.WildTiles.FromString(wilds))
        return HuPlan(evaluator, HuParts(evaluator))

    def CheckHu(self, request: pb.CheckHuRequest, call: Call) -> pb.CheckHuResponse:
        """Answer whether tiles are a win, and as what."""
        evaluator = self._evaluator(request.rules, request.wilds)
        limit, most = request.decomposition_limit, self._settings.max_decompositions
        check_wanted(limit, most, "decomposition_limit", "max_decompositions")
        circumstances = request.circumstances
        table = read_table(request.table) if request.HasField("table") else None
        _check_seats(request, table)
        melds = read_melds(request.melds, seats=4 if table is None else table.seat_count, own=request.seat)

        _check_laid(evaluator, request, melds, () if table is None else table.seats)
        settled = None
        if table is not None:
            try:
                settled = settler(evaluator.ruleset, winning_hand(request, melds, table, evaluator.ruleset))
            except LaiziError as error:
                # The winner's factors stand last: they are those of his own state.
                raise moved(
                    error, {f"table.seats[{len(table.seats)}].{name}": f"state.{name}" for name in _LAID}
                ) from None
        answer = call.engine(
            evaluator.check_hu,
            source(request.concealed),
            melds,
            winning_tile=source(request.winning_tile) if request.HasField("winning_tile") else None,
            mode=read_mode(circumstances.mode, "circumstances.mode"),
            gang_flower=circumstances.gang_flower,
            haidi=circumstances.haidi,
            settle=settled,
            **_state(request.state),
            all_decompositions=limit > 0,
            limit=most,
        )
        used, situations = form(request.concealed), write_situations(answer, evaluator.ruleset)

        def write(decomposition: Decomposition) -> pb.Decomposition:
            return write_decomposition(decomposition, melds, evaluator.ruleset, situations, used)

        return pb.CheckHuResponse(
            value=write_value(answer, evaluator.ruleset),
            best=None if answer.decomposition is None else write(answer.decomposition),
            decompositions=[write(item) for item in answer.decompositions[:limit]],
            decomposition_total=len(answer.decompositions),
            settlement=write_settlement(settled(answer)) if answer.hu and settled else None,
            provenance=provenance(evaluator.ruleset),
        )

    def ListWaits(self, request: pb.ListWaitsRequest, call: Call) -> pb.ListWaitsResponse:
        """Answer what a hand waits for, or would wait for after each discard."""
        evaluator = self._evaluator(request.rules, request.wilds)
        if request.mode == pb.WIN_MODE_ROB_KONG:
            raise _no_waits_on_kongs()
        modes = [read_mode(request.mode, "mode")] if request.mode else [WinMode.ZIMO, WinMode.DISCARD]
        state = _state(request.state)
        concealed = tiles.read(source(request.concealed), path="concealed", empty=ErrorReason.EMPTY_HAND)
        melds, used = read_melds(request.melds), form(request.concealed)
        _check_laid(evaluator, request, melds)
        response = pb.ListWaitsResponse(provenance=provenance(evaluator.ruleset))
        ask = {"seen": source(request.visible), **state}
        if len(concealed) % 3 == 1:
            found = {mode: call.engine(evaluator.waits, concealed, melds, mode=mode, **ask) for mode in modes}
            response.waits.CopyFrom(Waiting(evaluator, concealed, melds, state).write(found, modes, used))
            response.clauses.extend(dict.fromkeys(clause for waits in found.values() for clause in waits.clauses))
            return response
        by_tile: dict[int, dict[WinMode, Waits]] = {}
        every: list[Waits] = []
        for mode in modes:
            for discard in call.engine(evaluator.discards, concealed, melds, mode=mode, **ask, every=True):
                every.append(discard.waits)
                if discard.waits.waits:
                    by_tile.setdefault(discard.tile, {})[mode] = discard.waits
        discards = []
        for tile, found in sorted(by_tile.items()):
            hand = Waiting(evaluator, changed(concealed, tile, -1), melds, state)
            discards.append(pb.DiscardWaits(discard=write_tile(tile, used), waits=hand.write(found, modes, used)))
        response.discards.extend(sorted(discards, key=lambda item: -item.waits.copies_left))
        deciding = [waits for waits in every if waits.waits] or every
        response.clauses.extend(dict.fromkeys(clause for waits in deciding for clause in waits.clauses))
        return response

    def Shanten(self, request: pb.ShantenRequest, call: Call) -> pb.ShantenResponse:
        """Answer how far a hand is from waiting, and what brings it nearer."""
        evaluator = self._evaluator(request.rules, request.wilds)
        concealed = tiles.read(source(request.concealed), path="concealed", empty=ErrorReason.EMPTY_HAND)
        seen = tiles.read(source(request.visible), path="visible")
        melds, used = read_melds(request.melds), form(request.concealed)
        whole = call.engine(evaluator.shanten, concealed, melds, seen=seen)
        response = pb.ShantenResponse(shanten=whole.shanten, provenance=provenance(evaluator.ruleset))
        for shape in (shape for shape in Shape if shape in evaluator.rules.hu.shapes):
            alone = self._compiled(only_shape(evaluator.ruleset, shape), request.wilds)
            distance = alone.shanten(concealed, melds).shanten
            if distance is not None:
                response.shapes.add(shape=SHAPES.write(shape), shanten=distance)
        if len(concealed) % 3 == 1:
            response.improving.extend(write_improvements(whole.improvements, used))
            response.copies_left = sum(tile.left for tile in whole.improvements)
            return response
        after = {}
        for tile in sorted(set(concealed)):
            if evaluator.may_discard(tile):
                found = evaluator.shanten(changed(concealed, tile, -1), melds, seen=changed(seen, tile, 1))
                if found.shanten is not None:
                    after[tile] = found.shanten, found.improvements
        lowest = min((distance for distance, _ in after.values()), default=None)
        discards = [
            pb.DiscardShanten(
                discard=write_tile(tile, used),
                shanten=distance,
                improving=write_improvements(improvements, used),
                copies_left=sum(improvement.left for improvement in improvements),
            )
            for tile, (distance, improvements) in after.items()
            if distance == lowest
        ]
        response.discards.extend(sorted(discards, key=lambda item: -item.copies_left))
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
        rule_set = self.rule_set(request.rules)
        made = call.engine(settle, rule_set, read_hand(request))
        return pb.SettleHandResponse(settlement=write_settlement(made), provenance=provenance(rule_set))

    def CheckHuColumns(self, request: pb.CheckHuColumnsRequest, call: Call) -> ColumnsAnswer:
        """Judge many hands."""
        evaluator = self._evaluator(request.rules, request.wilds)
        if evaluator.points_scale >= 2**31:
            message = (
                f"its fractions make points in steps of 1/{evaluator.points_scale}; a column has 31 bits for the scale"
            )
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path="rules", limit=2**31 - 1)
        given = {"winning_tiles": (request.winning_tiles, 1), "circumstances": (request.circumstances, 1)}
        rows, columns = self._hands(request.hands, given)

        def check(*columns: memoryview) -> tuple[bytes, ...]:
            concealed, melds, downs, winning_tiles, circumstances = columns
            return evaluator.check_columns(
                concealed, melds=melds, downs=downs, winning_tiles=winning_tiles, circumstances=circumstances
            )

        verdicts, refusals, types, points, errors = sliced(call, rows, _slice(evaluator, _SLICE), columns, check)
        rest = pb.CheckHuColumnsResponse(
            type_names=list(HuType), points_scale=evaluator.points_scale, provenance=provenance(evaluator.ruleset)
        )
        return ColumnsAnswer(rest, verdicts=verdicts, refusals=refusals, types=types, points=points, errors=errors)

    def WaitColumns(self, request: pb.WaitColumnsRequest, call: Call) -> ColumnsAnswer:
        """Find the winning tiles of many hands."""
        evaluator = self._evaluator(request.rules, request.wilds)
        mode = read_mode(request.mode, "mode")
        if mode is WinMode.ROB_KONG:
            raise _no_waits_on_kongs()
        rows, columns = self._hands(request.hands, {})
        on_discards = _ON_DISCARD * rows if mode is WinMode.DISCARD else b""

        def wait(*columns: memoryview) -> tuple[bytes, ...]:
            concealed, melds, downs, circumstances = columns
            return evaluator.wait_columns(concealed, melds=melds, downs=downs, circumstances=circumstances)

        waits, errors = sliced(call, rows, _slice(evaluator, _WAITS_SLICE), [*columns, (on_discards, 1)], wait)
        rest = pb.WaitColumnsResponse(provenance=provenance(evaluator.ruleset))
        return ColumnsAnswer(rest, waits=waits, errors=errors)

    def ShantenColumns(self, request: pb.ShantenColumnsRequest, call: Call) -> ColumnsAnswer:
        """Find the shanten of many hands."""
        evaluator = self._evaluator(request.rules, request.wilds)
        wanted = request.with_improving
        rows, columns = self._hands(request.hands, {})

        def away(concealed: memoryview, melds: memoryview, _downs: memoryview) -> tuple[bytes, ...]:
            return evaluator.shanten_columns(concealed, melds=melds, with_improving=wanted)

        size = _slice(evaluator, _WAITS_SLICE if wanted else _SLICE)
        shanten, improving, errors = sliced(call, rows, size, columns, away)
        rest = pb.ShantenColumnsResponse(provenance=provenance(evaluator.ruleset))
        return ColumnsAnswer(rest, shanten=shanten, improving=improving, errors=errors)

    def _hands(self, hands: pb.HandColumns, more: Mapping[str, Column]) -> tuple[int, list[Column]]:
        """How many hands there are, and their columns, checked together with further columns."""
        concealed = hands.concealed, tiles.KINDS
        rows = count_rows(*concealed, "hands.concealed", self._settings.max_rows)
        columns = {"hands.melds": (hands.melds, _MELDS), "hands.downs": (hands.downs, 1), **more}
        check_columns(columns, rows)
        return rows, [concealed, *columns.values()]

    def _evaluator(self, selector: types_pb2.RuleSetSelector, wilds: types_pb2.WildTiles) -> Evaluator:
        return self._compiled(self.rule_set(selector), wilds)

    def _compiled(self, rule_set: RuleSet, wilds: types_pb2.WildTiles) -> Evaluator:
        def compile_rules() -> Evaluator:
            try:
                made = Evaluator(rule_set, source(wilds.wilds), source(wilds.indicators))
            except LaiziError as error:
                raise moved(error, {"wilds": "wilds.wilds", "indicator": "wilds.indicators"}) from None
            kinds, most = len(made.tiles.wilds), self._settings.max_wild_kinds
            if kinds > most:
                message = f"{kinds} kinds of tiles are wild, max_wild_kinds is {most}"
                path = "rules" if rule_set.rules.wild.source == "fixed" else "wilds.wilds"
                raise RequestError(ErrorReason.TOO_MANY_ITEMS, message, path=path, limit=most)
            return made

        return self._rule_sets.compiled(rule_set, wilds.SerializeToString(deterministic=True), compile_rules)


def _slice(evaluator: Evaluator, rows: int) -> int:
    """How many rows a slice has: with each further kind of wild the worst hand takes some ten times as long."""
    return max(rows >> 4 * max(len(evaluator.tiles.wilds) - 1, 0), 1)


def _no_waits_on_kongs() -> RequestError:
    message = "waits are for self-draws and discards"
    return RequestError(ErrorReason.CONTRADICTORY_CIRCUMSTANCES, message, path="mode")


def _state(state: pb.SeatState) -> dict[str, Any]:
    """What a seat did besides its melds, as arguments of the evaluator."""
    for name in _LAID:
        if getattr(state, name) < 0:
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, "a number is at least 0", path=f"state.{name}", limit=0)
    return {
        "downs": state.put_downs + state.wild_kongs,
        "wild_discarded": state.wild_discarded,
        "missed_hu": state.missed_hu,
    }


def _check_laid(
    evaluator: Evaluator,
    request: pb.CheckHuRequest | pb.ListWaitsRequest,
    melds: Sequence[Meld],
    others: Sequence[SeatFactors] = (),
) -> None:
    """The tiles of a hand leave enough for those that its seat and others have put down."""
    held = bytearray(tiles.read(source(request.concealed), path="concealed").counts)
    for meld in melds:
        for tile in meld.tiles:
            held[tile] = min(held[tile] + 1, tiles.COPIES)  # More are refused with the hand.
    put_downs, wild_kongs = (
        {f"table.seats[{index}].{name}": getattr(one, name) for index, one in enumerate(others)}
        | {f"state.{name}": getattr(request.state, name)}
        for name in _LAID
    )
    evaluator.tiles.check_laid(held, put_downs, wild_kongs)


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
