"""RulesService: rule sets as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from google.protobuf import struct_pb2

import laizi
from laizi import cards, clauses, rules, tiles, wilds
from laizi.errors import ErrorReason, LaiziError, RequestError, RulesError
from laizi.rules import Game, RuleSet, schema
from laizi.v1 import rules_pb2 as pb
from laizi.v1 import types_pb2
from laizi_service.calls import Call
from laizi_service.codec import form, moved, pb_reason, provenance, source, write_cards, write_tiles
from laizi_service.handlers.base import ServiceHandlers
from laizi_service.rule_sets import plain

__all__ = ["RulesHandlers"]

_GAMES: Final[Mapping[pb.Game.ValueType, Game]] = {pb.GAME_DOUDIZHU: "doudizhu", pb.GAME_MAHJONG: "mahjong"}
_NUMBERS: Final = {game: number for number, game in _GAMES.items()}


class RulesHandlers(ServiceHandlers):
    """The methods of RulesService."""

    game: ClassVar = "rules"

    def ListRuleSets(self, request: pb.ListRuleSetsRequest, call: Call) -> pb.ListRuleSetsResponse:
        """List the presets and the rule sets loaded from files."""
        wanted = _game(request.game, "game")
        return pb.ListRuleSetsResponse(
            rule_sets=[self._summary(rule_set) for rule_set in self._rule_sets.registry.rule_sets(wanted)],
            engine_version=laizi.__version__,
        )

    def GetRuleSet(self, request: pb.GetRuleSetRequest, call: Call) -> pb.GetRuleSetResponse:
        """Answer every option of a rule set."""
        rule_set = self._select(request.rules, request.game)
        overridden = schema.flatten(plain(request.rules.overrides), type(rule_set.rules))
        values = rule_set.options()
        return pb.GetRuleSetResponse(
            rule_set=self._summary(rule_set),
            options=[
                pb.RuleOption(
                    name=option.name,
                    value=_value(values[option.name]) if option.name in values else None,
                    default_value=_value(option.default),
                    type=option.values,
                    meaning=option.doc,
                    clauses=rule_set.sources.get(option.name, ()),
                    overridden=option.name in overridden,
                )
                for option in rules.options(rule_set.game)
            ],
            engine_version=laizi.__version__,
        )

    def ValidateRuleSet(self, request: pb.ValidateRuleSetRequest, call: Call) -> pb.ValidateRuleSetResponse:
        """Check a rule set that somebody wrote."""
        answer = pb.ValidateRuleSetResponse(engine_version=laizi.__version__)
        candidate = request.WhichOneof("candidate")
        try:
            if candidate is None:
                raise RequestError(ErrorReason.MISSING_FIELD, "give rules or toml", path="candidate")
            made = rules.parse(request.toml) if candidate == "toml" else self._select(request.rules, request.game)
        except rules.RuleFilesError as error:
            for problem in error.problems:
                answer.faults.add(
                    reason=pb_reason(problem.reason),
                    option=problem.option.removeprefix("options."),
                    line=problem.line,
                    message=problem.message,
                )
        except RulesError as error:
            answer.faults.add(reason=pb_reason(error.reason), option=_option(error.path), message=error.message)
        else:
            answer.valid = True
            answer.rule_set.CopyFrom(self._summary(made))
        return answer

    def GetClause(self, request: pb.GetClauseRequest, call: Call) -> pb.GetClauseResponse:
        """Answer what a clause says, and which options and rule sets stand on it."""
        known = self._rule_sets.registry.rule_sets()
        citing = {
            rule_set.name: [name for name, ids in rule_set.sources.items() if request.id in ids] for rule_set in known
        }
        try:
            clause = _house_clause(request.id, known) or clauses.get(request.id)
        except RulesError as error:
            raise moved(error, {"clause": "id"}) from None
        return pb.GetClauseResponse(
            id=clause.id,
            text=clause.en,
            text_zh=clause.zh,
            example=clause.example,
            kind=clause.kind,
            options=sorted({name for names in citing.values() for name in names}),
            rule_sets=[name for name, names in citing.items() if names],
            engine_version=laizi.__version__,
            note=clause.note,
        )

    def DetermineWild(self, request: pb.DetermineWildRequest, call: Call) -> pb.DetermineWildResponse:
        """Answer what is wild, from what was turned, chosen or drawn."""
        draw = request.WhichOneof("draw")
        if draw is None:
            raise RequestError(ErrorReason.MISSING_FIELD, "give doudizhu or mahjong", path="draw")
        rule_set = self._rule_sets.select(request.rules, draw)
        try:
            answer = self._wild_cards(rule_set, request) if draw == "doudizhu" else self._wild_tiles(rule_set, request)
        except LaiziError as error:
            raise error.under(draw) from None
        answer.provenance.CopyFrom(provenance(rule_set))
        return answer

    def _wild_cards(self, rule_set: RuleSet, request: pb.DetermineWildRequest) -> pb.DetermineWildResponse:
        draw = request.doudizhu
        made = wilds.determine_cards(
            rule_set, drawn_ranks=draw.drawn_ranks, bottom=source(draw.bottom), chosen=source(draw.chosen)
        )
        used = form(draw.bottom, draw.chosen)
        indicator = types_pb2.Cards(text=made.indicator) if made.indicator else None
        if indicator is not None and used == "codes":
            # The core names its rank; its code is in the request, at the place that the rules say.
            assert isinstance(rule_set.rules, rules.DoudizhuRules)
            place = rule_set.rules.wild.indicator.index if len(draw.bottom.codes) > 1 else 0
            indicator = types_pb2.Cards(codes=draw.bottom.codes[place : place + 1])
        return pb.DetermineWildResponse(
            doudizhu=types_pb2.Wilds(
                ranks=made.ranks, cards=write_cards(cards.read(made.cards), used) if made.cards else None
            ),
            indicator_card=indicator,
            explanation=made.explanation,
            clauses=made.clauses,
        )

    def _wild_tiles(self, rule_set: RuleSet, request: pb.DetermineWildRequest) -> pb.DetermineWildResponse:
        indicator = request.mahjong.indicator
        made = wilds.determine_tiles(rule_set, source(indicator))
        used = form(indicator)
        wild, down = (
            write_tiles(tiles.read(" ".join(names)), used) if names else None for names in (made.wilds, made.put_down)
        )
        return pb.DetermineWildResponse(
            mahjong=types_pb2.WildTiles(wilds=wild, indicators=down),
            explanation=made.explanation,
            clauses=made.clauses,
        )

    def _select(self, selector: types_pb2.RuleSetSelector, number: pb.Game.ValueType) -> RuleSet:
        game = _game(number, "game")
        if game is None and selector.WhichOneof("base") == "custom":
            raise RequestError(ErrorReason.MISSING_FIELD, "custom options need the game", path="game")
        return self._rule_sets.select(selector, game)

    def _summary(self, rule_set: RuleSet) -> pb.RuleSetSummary:
        known = {known.name: known.digest for known in self._rule_sets.registry.rule_sets()}
        if known.get(rule_set.name) != rule_set.digest:
            origin = pb.RULE_SET_ORIGIN_REQUEST
        elif rule_set.name in rules.presets():
            origin = pb.RULE_SET_ORIGIN_PRESET
        else:
            origin = pb.RULE_SET_ORIGIN_FILE
        return pb.RuleSetSummary(
            name=rule_set.name,
            game=_NUMBERS[rule_set.game],
            title=rule_set.title["en"],
            title_zh=rule_set.title["zh"],
            digest=rule_set.digest,
            origin=origin,
        )


def _game(number: pb.Game.ValueType, path: str) -> Game | None:
    if number == pb.GAME_UNSPECIFIED:
        return None
    if number not in _GAMES:
        raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, f"{number} is no game", path=path)
    return _GAMES[number]


def _value(plain_value: Any) -> struct_pb2.Value:
    if isinstance(plain_value, bool):
        return struct_pb2.Value(bool_value=plain_value)
    if isinstance(plain_value, int):
        return struct_pb2.Value(number_value=plain_value)
    if isinstance(plain_value, list):
        return struct_pb2.Value(list_value=struct_pb2.ListValue(values=map(_value, plain_value)))
    if isinstance(plain_value, Mapping):
        fields = {name: _value(item) for name, item in plain_value.items()}
        return struct_pb2.Value(struct_value=struct_pb2.Struct(fields=fields))
    return struct_pb2.Value(string_value=plain_value)


def _option(path: str) -> str:
    """The option that a path inside a selector leads to."""
    for prefix in ("rules.custom.", "rules.overrides."):
        path = path.removeprefix(prefix)
    return path


def _house_clause(clause_id: str, known: Iterable[RuleSet]) -> clauses.Clause | None:
    """A clause that a rule set brings along: it has one text, and the rulebook does not know it."""
    for rule_set in known:
        if clause_id in rule_set.clauses:
            text = rule_set.clauses[clause_id]
            return clauses.Clause(clause_id, "", text, text, "", "")
    return None
