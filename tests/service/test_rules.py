"""RulesService: rule sets as data."""

import pytest
from google.protobuf import json_format, struct_pb2
from grpc import StatusCode

import laizi
from laizi import clauses, rules
from laizi.errors import ErrorReason
from laizi.v1 import errors_pb2, types_pb2
from laizi.v1 import rules_pb2 as pb
from laizi_service.client import Client
from laizi_service.server import Server
from laizi_service.settings import Settings
from tests.service.requests import selector


def test_the_presets_are_listed_by_name_with_their_digests(client):
    answer = client.rules.ListRuleSets(pb.ListRuleSetsRequest())
    assert [(item.name, item.digest) for item in answer.rule_sets] == [
        (name, rules.load(name).digest) for name in rules.presets()
    ]
    assert {item.origin for item in answer.rule_sets} == {pb.RULE_SET_ORIGIN_PRESET}
    assert answer.engine_version == laizi.__version__


def test_the_presets_of_one_game(client):
    answer = client.rules.ListRuleSets(pb.ListRuleSetsRequest(game=pb.GAME_MAHJONG))
    assert [item.name for item in answer.rule_sets] == list(rules.presets("mahjong"))


def test_a_game_that_is_none_is_refused(client, refused):
    refused(
        client.rules.ListRuleSets,
        pb.ListRuleSetsRequest(game=pb.Game.ValueType(7)),
        StatusCode.INVALID_ARGUMENT,
        ErrorReason.UNKNOWN_ENUM_VALUE,
        "game",
    )


@pytest.mark.parametrize("preset", rules.presets())
def test_the_options_of_a_rule_set_make_the_same_rule_set_again(client, preset):
    answer = client.rules.GetRuleSet(pb.GetRuleSetRequest(rules=selector(preset)))
    assert [option.name for option in answer.options] == [
        option.name for option in rules.options(rules.load(preset).game)
    ]
    custom = types_pb2.RuleSetSelector(custom=struct_pb2.Struct())
    for option in answer.options:
        if option.HasField("value"):
            custom.custom.fields[option.name].CopyFrom(option.value)
    again = client.rules.GetRuleSet(pb.GetRuleSetRequest(rules=custom, game=answer.rule_set.game))
    assert again.rule_set.digest == answer.rule_set.digest == rules.load(preset).digest
    assert again.rule_set.origin == pb.RULE_SET_ORIGIN_REQUEST


def test_an_option_comes_with_meaning_values_default_and_clause(client):
    options = client.rules.GetRuleSet(pb.GetRuleSetRequest(rules=selector("wuhan"))).options
    alone = next(option for option in options if option.name == "wild.alone")
    assert alone.value.string_value == "forbidden"
    assert alone.default_value.string_value == "natural"
    assert "D4-17" in alone.clauses
    assert alone.type == "natural | forbidden | natural_if_last"
    assert alone.meaning.startswith("a play made only of wilds")
    assert not alone.overridden


@pytest.mark.parametrize("overrides", [{"wild.alone": "forbidden"}, {"wild": {"alone": "forbidden"}}])
def test_overrides_change_the_digest_and_are_marked(client, overrides):
    answer = client.rules.GetRuleSet(pb.GetRuleSetRequest(rules=selector("huanle", overrides=overrides)))
    assert answer.rule_set.digest == rules.load("huanle", {"wild.alone": "forbidden"}).digest
    assert [option.name for option in answer.options if option.overridden] == ["wild.alone"]
    assert answer.rule_set.origin == pb.RULE_SET_ORIGIN_REQUEST


@pytest.mark.parametrize(
    ("chosen", "code", "reason", "field"),
    [
        (types_pb2.RuleSetSelector(), StatusCode.INVALID_ARGUMENT, ErrorReason.MISSING_FIELD, "rules"),
        (selector("hunle"), StatusCode.INVALID_ARGUMENT, ErrorReason.UNKNOWN_RULE_SET, "rules.preset"),
        (
            selector("huanle", overrides={"wild.alnoe": "natural"}),
            StatusCode.INVALID_ARGUMENT,
            ErrorReason.UNKNOWN_OPTION,
            "rules.overrides.wild.alnoe",
        ),
        (
            selector("huanle", overrides={"bomb.size.max": float("nan")}),
            StatusCode.INVALID_ARGUMENT,
            ErrorReason.WRONG_OPTION_TYPE,
            "rules.overrides.bomb.size.max",
        ),
        (
            selector("huanle", overrides={"bomb.size.max": 1e300}),
            StatusCode.INVALID_ARGUMENT,
            ErrorReason.BAD_OPTION_VALUE,
            "rules.overrides.bomb.size.max",
        ),
        (
            selector("huanle", digest="0123456789abcdef"),
            StatusCode.FAILED_PRECONDITION,
            ErrorReason.RULE_SET_DIGEST_MISMATCH,
            "rules.expect_digest",
        ),
    ],
    ids=lambda value: value.name if isinstance(value, ErrorReason) else "",
)
def test_a_selector_that_selects_nothing_names_its_field(client, refused, chosen, code, reason, field):
    refused(client.rules.GetRuleSet, pb.GetRuleSetRequest(rules=chosen), code, reason, field)


def test_custom_options_need_their_game(client, refused):
    chosen = types_pb2.RuleSetSelector(custom=struct_pb2.Struct())
    request = pb.GetRuleSetRequest(rules=chosen)
    refused(client.rules.GetRuleSet, request, StatusCode.INVALID_ARGUMENT, ErrorReason.MISSING_FIELD, "game")


def test_a_preset_of_the_other_game_is_refused(client, refused):
    request = pb.GetRuleSetRequest(rules=selector("enshi"), game=pb.GAME_DOUDIZHU)
    refused(client.rules.GetRuleSet, request, StatusCode.INVALID_ARGUMENT, ErrorReason.WRONG_GAME, "rules.preset")


def test_the_right_digest_passes(client):
    pinned = selector("huanle", digest=rules.load("huanle").digest)
    assert client.rules.GetRuleSet(pb.GetRuleSetRequest(rules=pinned)).rule_set.name == "huanle"


def test_a_good_file_is_valid(client):
    toml = 'name = "mine"\nextends = "huanle"\n[options]\nwild.alone = "forbidden"\n[sources]\nwild.alone = ["D4-17"]\n'
    answer = client.rules.ValidateRuleSet(pb.ValidateRuleSetRequest(toml=toml))
    assert answer.valid, answer
    assert not answer.faults
    assert answer.rule_set.digest == rules.load("huanle", {"wild.alone": "forbidden"}).digest


def test_every_fault_of_a_file_is_named_with_its_line(client):
    toml = 'name = "mine"\nextends = "huanle"\n[options]\nwild.alnoe = "natural"\nbomb.size.max = "many"\n'
    answer = client.rules.ValidateRuleSet(pb.ValidateRuleSetRequest(toml=toml))
    assert not answer.valid
    assert not answer.HasField("rule_set")
    assert [(fault.reason, fault.option, fault.line) for fault in answer.faults] == [
        (errors_pb2.ERROR_REASON_UNKNOWN_OPTION, "wild.alnoe", 4),
        (errors_pb2.ERROR_REASON_WRONG_OPTION_TYPE, "bomb.size.max", 5),
    ]


def test_a_faulty_selector_is_an_answer_too(client):
    request = pb.ValidateRuleSetRequest(rules=selector("huanle", overrides={"wild.alone": "never"}))
    answer = client.rules.ValidateRuleSet(request)
    assert [(fault.reason, fault.option) for fault in answer.faults] == [
        (errors_pb2.ERROR_REASON_BAD_OPTION_VALUE, "wild.alone")
    ]


def test_nothing_to_validate_is_an_error(client, refused):
    request = pb.ValidateRuleSetRequest()
    refused(client.rules.ValidateRuleSet, request, StatusCode.INVALID_ARGUMENT, ErrorReason.MISSING_FIELD, "candidate")


def test_rule_sets_from_files_are_served_beside_the_presets(tmp_path):
    toml = 'name = "mine"\nextends = "huanle"\n[options]\nwild.alone = "forbidden"\n[sources]\nwild.alone = ["D4-17"]\n'
    (tmp_path / "mine.toml").write_text(toml, encoding="utf-8")
    settings = Settings(port=0, metrics_port=0, rules_folder=str(tmp_path))
    with Server(settings) as server, Client(f"127.0.0.1:{server.port}") as client:
        listed = client.rules.ListRuleSets(pb.ListRuleSetsRequest()).rule_sets
        assert [item.name for item in listed if item.origin == pb.RULE_SET_ORIGIN_FILE] == ["mine"]
        answer = client.rules.GetRuleSet(pb.GetRuleSetRequest(rules=selector("mine")))
        assert answer.rule_set.origin == pb.RULE_SET_ORIGIN_FILE


def test_answers_have_a_json_form(client):
    answer = client.rules.ListRuleSets(pb.ListRuleSetsRequest(game=pb.GAME_DOUDIZHU))
    assert json_format.Parse(json_format.MessageToJson(answer), pb.ListRuleSetsResponse()) == answer


def test_a_clause_says_what_stands_on_it(client):
    answer = client.rules.GetClause(pb.GetClauseRequest(id="D6-45"))
    clause = clauses.get("D6-45")
    assert (answer.text, answer.text_zh, answer.kind) == (clause.en, clause.zh, "compare")
    assert "bomb.order" in answer.options
    assert "huanle" in answer.rule_sets
    assert "wuhan" not in answer.rule_sets


def test_every_clause_that_a_rule_set_cites_can_be_asked_for(client):
    cited = {clause for name in rules.presets() for ids in rules.load(name).sources.values() for clause in ids}
    for clause in sorted(cited):
        answer = client.rules.GetClause(pb.GetClauseRequest(id=clause))
        assert answer.text
        assert answer.rule_sets


def test_a_clause_that_is_none_is_refused_with_the_nearest(client, refused):
    request = pb.GetClauseRequest(id="D6-46x")
    code = StatusCode.INVALID_ARGUMENT
    assert (
        'did you mean "D6-46"'
        in refused(client.rules.GetClause, request, code, ErrorReason.UNKNOWN_CLAUSE, "id").message
    )
