"""Faults that users of other engines met, each with its right answer: the whole kind must be impossible here."""

import json
from pathlib import Path
from typing import Any

import pytest

from laizi import rules
from laizi.doudizhu import Evaluator, Reading
from laizi.errors import LaiziError
from tests.doudizhu import entrances
from tests.oracle.doudizhu import Oracle, play, reading

Case = dict[str, Any]

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "cases" / "doudizhu.jsonl").read_text(encoding="utf-8").splitlines()
]


def _params(kind: str) -> list[Any]:
    return [
        pytest.param(case, id=f"{case['source']}: {case.get('hand', case.get('cards'))}")
        for case in CASES
        if case["kind"] == kind
    ]


def _evaluator(case: Case) -> Evaluator:
    return Evaluator(rules.load(case["preset"], case.get("options", {})), case.get("wild", ""))


def _previous(case: Case) -> Reading:
    """The previous play in its default reading."""
    previous = _evaluator(case).read_play(case["previous"]).default
    assert previous
    return previous


def test_every_case_has_a_runner():
    assert {case["kind"] for case in CASES} == {"read", "impossible", "target", "compare", "can_beat", "hint", "list"}


@pytest.mark.parametrize("case", _params("read"))
def test_read(case):
    answer = _evaluator(case).read_play(case["cards"], hand=case.get("hand"))
    assert sorted(map(str, answer.readings)) == sorted(case["readings"])
    assert answer.legal == bool(case["readings"])
    assert set(case.get("refusals", answer.refusals)) <= set(answer.refusals)


@pytest.mark.parametrize("case", _params("impossible"))
def test_impossible(case):
    with pytest.raises(LaiziError) as raised:
        _evaluator(case).read_play(case["cards"])
    assert (raised.value.reason, raised.value.path) == (case["reason"], "cards")


@pytest.mark.parametrize("case", _params("target"))
def test_target(case):
    answer = _evaluator(case).read_play(case["cards"], target=case["target"])
    assert [str(answer.default)] * answer.legal == case.get("readings", [])
    assert set(case.get("refusals", ())) <= set(answer.refusals)


@pytest.mark.parametrize("case", _params("compare"))
def test_compare(case):
    assert _evaluator(case).compare(_previous(case), case["cards"]).beats == case["answer"]


@pytest.mark.parametrize("case", _params("can_beat"))
def test_can_beat(case):
    assert _evaluator(case).can_beat(_previous(case), case["hand"]) == case["answer"]


@pytest.mark.parametrize("case", _params("hint"))
def test_hint(case):
    first = _evaluator(case).list_plays(case["hand"], _previous(case), limit=1).plays[0]
    assert first.cards.text() == case["cards"]


@pytest.mark.parametrize("case", _params("list"))
def test_list(case):
    evaluator, wild, previous = _evaluator(case), case["wild"], _previous(case)
    expected = Oracle(evaluator.ruleset).legal_plays(play(case["hand"], wild), reading(str(previous)))
    plays = evaluator.list_plays(case["hand"], previous, expand=True)
    found = entrances.listed(plays.plays)
    assert len(set(found)) == len(found) == plays.total
    assert set(found) == {(cards, str(one)) for cards, one in expected}
