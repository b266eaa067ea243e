"""DoudizhuService: readings, comparison, legal plays, auction and settlement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from laizi import auction, cards
from laizi.cards import Cards
from laizi.doudizhu import Evaluator, PlayAnswer, Reading, packed
from laizi.errors import CardsError, ErrorReason, LaiziError, RequestError
from laizi.rules import DoudizhuRules, RuleSet
from laizi.settlement import doudizhu as settlement
from laizi.v1 import doudizhu_pb2 as pb
from laizi.v1 import types_pb2
from laizi.wilds import choosable
from laizi_service.calls import Call, Paths
from laizi_service.codec import form, moved, optional, provenance, source, write_cards
from laizi_service.codec.auction import read_events, read_game, write_auction, write_settlement
from laizi_service.codec.doudizhu import write_comparison, write_layout, write_play, write_reading, write_refusals
from laizi_service.columns import ColumnsAnswer, Pieces, count_rows, sliced
from laizi_service.handlers.base import GameHandlers, check_wanted
from laizi_service.native.doudizhu import ReadPlan

__all__ = ["DoudizhuHandlers"]

_DEFAULT_PLAYS: Final = 1_000
_PLAYS_SLICE: Final = 64
"""Plays written between two looks at whether the caller still waits."""

_ROW: Final = 16
_PACKED: Final = 2
# Rows between two looks at whether the caller still waits: about a millisecond of work each, see docs/operations.md.
_SLICE: Final = 32_768
_EXPLAINED_SLICE: Final = 2_048

# A hand without cards is told otherwise than a play without cards.
_HAND_ERRORS: Final = bytes(
    ErrorReason.EMPTY_HAND.number if number == ErrorReason.EMPTY_PLAY.number else number for number in range(256)
)


class DoudizhuHandlers(GameHandlers):
    """The methods of DoudizhuService."""

    game: ClassVar = "doudizhu"
    service: ClassVar = pb.DESCRIPTOR.services_by_name["DoudizhuService"]
    paths: ClassVar[Paths] = {
        "cards": ("challenger.cards",),
        "declared": ("declared_reading", "challenger.reading"),
        "target": ("declared_cards",),
        "last": ("last_play",),
        "extras": ("extra_factors",),
    }
    operations: ClassVar[Mapping[str, str]] = {
        "ReadPlay": "read",
        "ReadPlayColumns": "read",
        "BatchReadPlays": "read",
        "ComparePlays": "compare",
        "CompareColumns": "compare",
        "BatchComparePlays": "compare",
        "ListPlays": "list",
        "CanBeat": "can_beat",
        "CanBeatColumns": "can_beat",
        "ResolveAuction": "auction",
        "SettleGame": "settle",
        "BatchSettleGames": "settle",
    }

    batches: ClassVar[Mapping[str, str]] = {
        "BatchReadPlays": "ReadPlay",
        "BatchComparePlays": "ComparePlays",
        "BatchSettleGames": "SettleGame",
    }
    native: ClassVar = "ReadPlay"

    def make_plan(self, selector: types_pb2.RuleSetSelector, wilds: bytes) -> ReadPlan:
        """Return what is ready for rules and wilds; see the base."""
        return ReadPlan(self._evaluator(selector, types_pb2.Wilds.FromString(wilds)))

    def ReadPlay(self, request: pb.ReadPlayRequest, call: Call) -> pb.ReadPlayResponse:
        """Answer whether cards are a legal play, and as what."""
        evaluator = self._evaluator(request.rules, request.wilds)
        declaration = request.WhichOneof("declaration")
        answer = call.engine(
            evaluator.read_play,
            source(request.cards),
            hand=source(request.hand) if request.HasField("hand") else None,
            declared=request.declared_reading if declaration == "declared_reading" else None,
            target=source(request.declared_cards) if declaration == "declared_cards" else None,
            previous=_table(evaluator, request.previous)[0] if request.HasField("previous") else None,
            last=optional(request, "last_play"),
        )
        response = write_play(answer, evaluator.ruleset, form(request.cards))
        response.provenance.CopyFrom(provenance(evaluator.ruleset))
        return response

    def ComparePlays(self, request: pb.ComparePlaysRequest, call: Call) -> pb.ComparePlaysResponse:
        """Answer whether one play beats another, and why."""
        evaluator = self._evaluator(request.rules, request.wilds)
        rule_set = evaluator.ruleset
        if not request.HasField("previous"):
            raise RequestError(ErrorReason.MISSING_FIELD, "which play is to be beaten?", path="previous")
        previous, table = _table(evaluator, request.previous)
        compared = call.engine(
            evaluator.compare,
            previous,
            source(request.challenger.cards),
            declared=request.challenger.reading or None,
        )
        used = form(request.challenger.cards)
        return pb.ComparePlaysResponse(
            beats=compared.beats,
            comparisons=[write_comparison(item, compared.play, rule_set, used) for item in compared.comparisons],
            previous=_write_table(previous, table, rule_set, request.previous),
            refusals=() if compared.play.readings else write_refusals(compared.play.refusals, rule_set),
            provenance=provenance(rule_set),
        )

    def ListPlays(self, request: pb.ListPlaysRequest, call: Call) -> pb.ListPlaysResponse:
        """List the legal plays of a hand, in hint order."""
        evaluator = self._evaluator(request.rules, request.wilds)
        if request.grouping not in pb.PlayGrouping.values():
            message = f"{request.grouping} is no PlayGrouping"
            raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, message, path="grouping")
        most = self._settings.max_plays
        check_wanted(request.limit, most, "limit", "max_plays")
        hand = cards.read(source(request.hand), path="hand", limit=cards.HAND_LIMIT, empty=ErrorReason.EMPTY_HAND)
        leads = not request.HasField("previous")
        listed = call.engine(
            evaluator.list_plays,
            hand,
            None if leads else _table(evaluator, request.previous)[0],
            expand=request.grouping == pb.PLAY_GROUPING_EXPANDED,
            limit=request.limit or min(_DEFAULT_PLAYS, most),
        )
        used = form(request.hand)
        plays = []
        for index, play in enumerate(listed.plays):
            if index % _PLAYS_SLICE == 0:
                call.proceed()
            reading = write_layout(play.layout(), evaluator.ruleset, used, beats=not leads)
            plays.append(pb.ListedPlay(cards=write_cards(play.cards, used), reading=reading))
        return pb.ListPlaysResponse(
            plays=plays,
            total=listed.total,
            # A leader may pass only where nothing that he holds can be played.
            may_pass=not leads or not listed.total,
            clauses=evaluator.ruleset.cite(*_taking_away(evaluator, hand, leads)),
            provenance=provenance(evaluator.ruleset),
        )

    def CanBeat(self, request: pb.CanBeatRequest, call: Call) -> pb.CanBeatResponse:
        """Answer whether anything in a hand beats the previous play."""
        evaluator = self._evaluator(request.rules, request.wilds)
        if not request.HasField("previous"):
            raise RequestError(ErrorReason.MISSING_FIELD, "which play is to be beaten?", path="previous")
        previous, table = _table(evaluator, request.previous)
        return pb.CanBeatResponse(
            can_beat=call.engine(evaluator.can_beat, previous, source(request.hand)),
            previous=_write_table(previous, table, evaluator.ruleset, request.previous),
            provenance=provenance(evaluator.ruleset),
        )

    def ResolveAuction(self, request: pb.ResolveAuctionRequest, call: Call) -> pb.ResolveAuctionResponse:
        """Replay an auction."""
        rule_set = self.rule_set(request.rules)
        state = call.engine(
            auction.resolve,
            rule_set,
            read_events(request),
            first_seat=request.first_seat,
            rocket_seat=optional(request, "rocket_seat"),
            beans=request.beans,
            room_value=request.room_value,
            external_landlord=optional(request, "external_landlord"),
            external_base=request.external_base or None,
        )
        response = write_auction(state)
        response.provenance.CopyFrom(provenance(rule_set))
        return response

    def SettleGame(self, request: pb.SettleGameRequest, call: Call) -> pb.SettleGameResponse:
        """Settle a finished game."""
        rule_set = self.rule_set(request.rules)
        response = write_settlement(call.engine(settlement.settle, rule_set, read_game(request)))
        response.provenance.CopyFrom(provenance(rule_set))
        return response

    def ReadPlayColumns(self, request: pb.ReadPlayColumnsRequest, call: Call) -> ColumnsAnswer:
        """Read many plays."""
        evaluator = self._evaluator(request.rules, request.wilds)
        last = request.last_play

        def read(plays: memoryview) -> tuple[bytearray, ...]:
            counts, codes, errors = evaluator.read_rows(plays, last)
            why = evaluator.refusal_rows(plays, counts, errors, last) if request.with_refusals else bytearray()
            return counts, evaluator.pack_leading(counts, codes), why, errors

        plays = request.plays
        rows = count_rows(plays, _ROW, "plays", self._settings.max_rows)
        size = _EXPLAINED_SLICE if request.with_refusals else _SLICE
        counts, readings, refusals, errors = sliced(call, rows, size, [(plays, _ROW)], read)
        rest = pb.ReadPlayColumnsResponse(provenance=provenance(evaluator.ruleset))
        return ColumnsAnswer(rest, reading_counts=counts, readings=readings, refusals=refusals, errors=errors)

    def CompareColumns(self, request: pb.CompareColumnsRequest, call: Call) -> ColumnsAnswer:
        """Compare many plays with readings."""
        evaluator = self._evaluator(request.rules, request.wilds)

        def compare(previous: memoryview, plays: memoryview) -> tuple[bytearray, bytearray]:
            before = packed.unpack(previous)
            codes, errors = evaluator.compare_rows(before, plays)
            packed.mark_malformed(errors, before)
            return packed.pack(codes), errors

        readings, errors = self._against(call, request.previous, request.plays, "plays", compare)
        rest = pb.CompareColumnsResponse(provenance=provenance(evaluator.ruleset))
        return ColumnsAnswer(rest, readings=readings, errors=errors)

    def CanBeatColumns(self, request: pb.CanBeatColumnsRequest, call: Call) -> ColumnsAnswer:
        """Answer CanBeat for many hands."""
        evaluator = self._evaluator(request.rules, request.wilds)

        def beat(previous: memoryview, hands: memoryview) -> tuple[bytearray, bytearray]:
            before = packed.unpack(previous)
            answers, errors = evaluator.beatable_rows(before, hands)
            packed.mark_malformed(errors, before)
            return answers, errors.translate(_HAND_ERRORS)

        can_beat, errors = self._against(call, request.previous, request.hands, "hands", beat)
        rest = pb.CanBeatColumnsResponse(provenance=provenance(evaluator.ruleset))
        return ColumnsAnswer(rest, can_beat=can_beat, errors=errors)

    def _against(
        self,
        call: Call,
        previous: bytes | memoryview,
        cards_: bytes | memoryview,
        path: str,
        evaluate: Callable[..., tuple[bytearray, ...]],
    ) -> list[Pieces]:
        rows = count_rows(cards_, _ROW, path, self._settings.max_rows)
        given = count_rows(previous, _PACKED, "previous", self._settings.max_rows)
        if given != rows:
            message = f"{given} readings for {rows} rows"
            raise RequestError(ErrorReason.COLUMN_LENGTH_MISMATCH, message, path="previous", limit=rows)
        return sliced(call, rows, _SLICE, [(previous, _PACKED), (cards_, _ROW)], evaluate)

    def _evaluator(self, selector: types_pb2.RuleSetSelector, wilds: types_pb2.Wilds) -> Evaluator:
        rule_set = self.rule_set(selector)

        def compile_rules() -> Evaluator:
            try:
                return _chosen_wilds(Evaluator(rule_set, wilds.ranks, source(wilds.cards)))
            except LaiziError as error:
                raise moved(error, {"wild_ranks": "wilds.ranks", "wild_cards": "wilds.cards"}) from None

        return self._rule_sets.compiled(rule_set, wilds.SerializeToString(deterministic=True), compile_rules)


def _chosen_wilds(evaluator: Evaluator) -> Evaluator:
    """The evaluator, its single wild cards being what players may choose: the library itself takes any cards."""
    rules, chosen = evaluator.ruleset.rules, evaluator.wilds.cards
    if len(chosen) and isinstance(rules, DoudizhuRules) and chosen not in choosable(rules):
        known = " or ".join(sorted(cards.text() for cards in choosable(rules)))
        message = f"the players choose {known}, not {chosen.text()}"
        raise CardsError(ErrorReason.WRONG_WILD_COUNT, message, path="wild_cards")
    return evaluator


def _table(evaluator: Evaluator, play: pb.Play) -> tuple[Reading, PlayAnswer | None]:
    """The reading on the table, and how its cards are read where they are given."""
    if not play.HasField("cards"):
        if not play.reading:
            raise RequestError(ErrorReason.MISSING_FIELD, "give its cards or its reading", path="previous")
        return evaluator.previous(play.reading, path="previous.reading"), None
    try:
        answer = evaluator.read_play(source(play.cards))
    except LaiziError as error:
        raise moved(error, {"cards": "previous.cards"}) from None
    if not play.reading:
        if answer.default is None:
            why = "; ".join(refusal.meaning for refusal in answer.refusals)
            raise RequestError(ErrorReason.PREVIOUS_PLAY_ILLEGAL, f"no legal play: {why}", path="previous.cards")
        return answer.default, answer
    reading = evaluator.previous(play.reading, path="previous.reading")
    # What bars a reading when leading does not matter here: the play is made.
    if reading.code not in evaluator.codes(answer.naturals.word(), answer.wilds.word(), True):
        message = f"{answer.cards.text()} is not read as {reading}"
        raise RequestError(ErrorReason.PREVIOUS_PLAY_ILLEGAL, message, path="previous.reading")
    return reading, answer


def _taking_away(evaluator: Evaluator, hand: Cards, leads: bool) -> list[str]:
    """The options that keep plays of a hand out of the list."""
    rules = evaluator.ruleset.rules
    assert isinstance(rules, DoudizhuRules)
    _, wilds = hand.split(evaluator.wilds.ranks, evaluator.wilds.cards.codes())
    applying = {
        "wild.alone": rules.wild.alone != "natural" and len(wilds) > 0,
        "read.lead_default": rules.read.lead_default == "non_bomb_only" and leads,
        "play.soft_bomb_if_hard_held": evaluator.bars_soft_bombs(hand),
    }
    return [name for name, applies in applying.items() if applies]


def _write_table(reading: Reading, answer: PlayAnswer | None, rule_set: RuleSet, play: pb.Play) -> pb.Reading:
    if answer is None or reading not in answer.readings:
        return write_reading(reading, rule_set)
    return write_layout(answer.layout(reading), rule_set, form(play.cards))
