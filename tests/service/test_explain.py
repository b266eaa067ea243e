"""``laizi explain`` and ``laizi rules show``: the rulebook and the rule sets on the command line."""

import json

import pytest

from laizi import clauses, rules
from tests.service.command_line import invoke


def test_a_clause_is_explained_in_both_languages_with_what_stands_on_it():
    result = invoke("laizi explain D6-45")
    clause = clauses.get("D6-45")
    assert result.exit_code == 0
    for text in (clause.en, clause.zh, clause.example):
        assert text
        assert text in result.output
    assert "bomb.order" in result.output
    assert set(rules.citing("D6-45")) <= set(result.output.split())


def test_every_clause_can_be_explained():
    for clause in clauses.rulebook().values():
        answer = json.loads(invoke(f"laizi explain {clause.id} --json").output)
        assert (answer["id"], answer["text"], answer["textZh"]) == (clause.id, clause.en, clause.zh)


@pytest.mark.parametrize(
    ("name", "hint"), [("D6-451", '"D6-45"'), ("d6-45", '"D6-45"'), ("huanle", 'clauses are named as "D6-45"')]
)
def test_an_unknown_clause_is_one_line_with_the_nearest(name, hint):
    result = invoke(f"laizi explain {name}")
    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1
    assert "unknown clause" in result.output
    assert hint in result.output


@pytest.mark.parametrize("name", rules.presets())
def test_a_rule_set_is_shown_with_every_option(name):
    lines = invoke(f"laizi rules show {name}").output.splitlines()
    preset = rules.load(name)
    assert preset.digest in lines[0]
    shown = {line.split()[0]: line for line in lines[1:]}
    options = rules.options(preset.game)
    assert list(shown) == [option.name for option in options]
    for option in options:
        assert option.doc in shown[option.name]
        assert set(preset.sources.get(option.name, ())) <= set(shown[option.name].split())


def test_an_option_that_is_not_the_default_shows_both():
    (line,) = (
        line for line in invoke("laizi rules show honghu").output.splitlines() if line.split()[0] == "hu.must_open"
    )
    assert line.split()[1:4] == ["true", "default", "false"]


def test_an_unknown_rule_set_is_one_line_with_the_nearest():
    result = invoke("laizi rules show hunle")
    assert result.exit_code == 2
    assert 'did you mean "huanle"?' in result.output
    assert len(result.output.splitlines()) == 1
