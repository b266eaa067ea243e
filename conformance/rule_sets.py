"""Cases of RulesService: what is wild, from the acceptance vectors; rule sets, from the preset files and from texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance import doudizhu, mahjong
from conformance.cases import Case, Json
from laizi import cards, clauses, rules
from laizi.v1 import errors_pb2, rules_pb2
from tests.game.test_wilds import CHOICES
from tests.service.command_line import MINE
from tests.vector_files import Vector

FAULTY: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "unknown-option": (
        'name = "mine"\nextends = "huanle"\n[options]\nwild.alnoe = "natural"\n',
        [("UNKNOWN_OPTION", "wild.alnoe")],
    ),
    "not-toml": ("name = \n", [("MALFORMED_RULES", "")]),
    "no-source": (
        'name = "mine"\nextends = "huanle"\n[options]\nwild.alone = "forbidden"\n',
        [("MISSING_SOURCE", "wild.alone")],
    ),
}


def cases() -> Iterator[Case]:
    """All of them, in the order of the contract."""
    yield _list("doudizhu")
    yield _list("mahjong")
    yield from map(_get, ("wuhan", "enshi"))
    yield _get_changed()
    yield _valid_text()
    for name, (text, faults) in FAULTY.items():
        yield _faulty_text(name, text, faults)
    yield _validate_selector()
    shown = [*dict.fromkeys(clause for vector in doudizhu.HANDED + mahjong.HANDED for clause in vector["clauses"][:1])]
    yield from map(_clause, shown[::12])
    yield from map(
        _wild_cards, [one for one in doudizhu.HANDED if one["kind"] == "wild" and "candidates" not in one["input"]]
    )
    yield from map(_wild_tiles, [one for one in mahjong.HANDED if one["kind"] == "wild"])


def _list(game: rules.Game) -> Case:
    def check(answer: rules_pb2.ListRuleSetsResponse) -> None:
        told = [(item.name, item.digest, item.title_zh) for item in answer.rule_sets]
        loaded = map(rules.load, rules.presets(game))
        assert told == [(one.name, one.digest, one.title["zh"]) for one in loaded]

    return Case(f"ListRuleSets/{game}", "RulesService/ListRuleSets", [{"game": f"GAME_{game.upper()}"}], check)


def _options(answer: rules_pb2.GetRuleSetResponse) -> set[str]:
    return {option.name for option in answer.options if option.overridden}


def _get(preset: str) -> Case:
    def check(answer: rules_pb2.GetRuleSetResponse) -> None:
        loaded = rules.load(preset)
        assert answer.rule_set.digest == loaded.digest
        assert [option.name for option in answer.options] == [option.name for option in rules.options(loaded.game)]
        assert not _options(answer)

    return Case(f"GetRuleSet/{preset}", "RulesService/GetRuleSet", [{"rules": {"preset": preset}}], check)


def _get_changed() -> Case:
    chosen: Json = {"preset": "huanle", "overrides": {"wild": {"alone": "forbidden"}}}

    def check(answer: rules_pb2.GetRuleSetResponse) -> None:
        assert answer.rule_set.digest == rules.load("huanle", {"wild.alone": "forbidden"}).digest
        assert _options(answer) == {"wild.alone"}

    return Case("GetRuleSet/changed", "RulesService/GetRuleSet", [{"rules": chosen}], check)


def _valid_text() -> Case:
    def check(answer: rules_pb2.ValidateRuleSetResponse) -> None:
        assert answer.valid
        assert answer.rule_set.digest == rules.load("huanle", {"wild.alone": "forbidden"}).digest

    return Case("ValidateRuleSet/valid", "RulesService/ValidateRuleSet", [{"toml": MINE}], check)


def _faults(answer: rules_pb2.ValidateRuleSetResponse) -> list[tuple[str, str]]:
    return [
        (errors_pb2.ErrorReason.Name(fault.reason).removeprefix("ERROR_REASON_"), fault.option)
        for fault in answer.faults
    ]


def _faulty_text(name: str, text: str, faults: list[tuple[str, str]]) -> Case:
    def check(answer: rules_pb2.ValidateRuleSetResponse) -> None:
        assert not answer.valid
        assert _faults(answer) == faults

    return Case(f"ValidateRuleSet/{name}", "RulesService/ValidateRuleSet", [{"toml": text}], check)


def _validate_selector() -> Case:
    chosen = {"preset": "huanle", "overrides": {"bomb.size.max": 99}}

    def check(answer: rules_pb2.ValidateRuleSetResponse) -> None:
        assert _faults(answer) == [("BAD_OPTION_VALUE", "bomb.size.max")]

    return Case("ValidateRuleSet/selector", "RulesService/ValidateRuleSet", [{"rules": chosen}], check)


def _clause(clause: str) -> Case:
    def check(answer: rules_pb2.GetClauseResponse) -> None:
        told = clauses.rulebook()[clause]
        assert (answer.id, answer.text, answer.text_zh, answer.kind) == (clause, told.en, told.zh, told.kind)

    return Case(f"GetClause/{clause}", "RulesService/GetClause", [{"id": clause}], check, clauses=[clause])


def _wild_case(vector: Vector, request: Json, check: Any) -> Case:
    name, ids = f"DetermineWild/{vector['id']}", [vector["id"]]
    return Case(name, "RulesService/DetermineWild", [request], check, clauses=vector["clauses"], vectors=ids)


def _wild_cards(vector: Vector) -> Case:
    given, expect = vector["input"], vector["expect"]
    chosen = doudizhu.rules_of(vector)
    draw: Json
    if given["source"] == "random_rank":
        draw = {"drawnRanks": [given["rank_index"]]}
    elif given["source"] == "chosen_cards":
        chosen, draw = {"preset": "chosen_wilds"}, {"chosen": {"text": CHOICES[given["choice"]]}}
    else:
        draw = {"bottom": {"text": given.get("bottom") or given["indicator"]}}

    def check(answer: rules_pb2.DetermineWildResponse) -> None:
        if given["source"] == "chosen_cards":
            assert cards.read(answer.doudizhu.cards.text) == cards.read(" ".join(expect["wild_cards"]))
            return
        assert answer.doudizhu.ranks == expect["wild_rank"]
        assert answer.indicator_card.text == expect.get("wild_skin", "")

    return _wild_case(vector, {"rules": chosen, "doudizhu": draw}, check)


def _wild_tiles(vector: Vector) -> Case:
    expect = vector["expect"]
    draw = {"indicator": {"text": vector["input"]["indicator"]}}

    def check(answer: rules_pb2.DetermineWildResponse) -> None:
        assert answer.mahjong.wilds.text == expect["wild"]
        assert answer.mahjong.indicators.text == expect.get("pizi", "")

    return _wild_case(vector, {"rules": mahjong.rules_of(vector), "mahjong": draw}, check)
