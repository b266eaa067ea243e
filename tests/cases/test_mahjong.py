"""Faults that users of other mahjong engines met, by the library and by the oracle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from laizi import rules
from laizi.errors import LaiziError
from laizi.tiles import NAMES
from tests import mahjong_hands
from tests.mahjong_hands import counts, kinds
from tests.oracle import mahjong as oracle
from tests.oracle.mahjong_distance import distance

Case = dict[str, Any]
CASES: list[Case] = [
    json.loads(line) for line in Path(__file__).with_name("mahjong.jsonl").read_text(encoding="utf-8").splitlines()
]


def cases(ask: str) -> list[Any]:
    return [pytest.param(case, id=case["source"]) for case in CASES if case["ask"] == ask and "error" not in case]


def given(case: Case) -> tuple[rules.RuleSet, oracle.Hand]:
    """The rules of a case (every option at its default, wilds fixed and without limit) and its hand."""
    wild = [NAMES[tile] for tile in sorted(kinds(case["wild"]))]
    options = {"wild.source": "fixed" if wild else "none", "wild.fixed": wild, "wild.limit.small": "none"}
    ruleset = rules.custom("mahjong", options | case.get("options", {}))
    melds = tuple(mahjong_hands.meld(kind, text) for kind, text in case.get("melds", ()))
    rule = mahjong_hands.options(ruleset)
    return ruleset, oracle.Hand(rule, counts(case["hand"]), wilds=kinds(case["wild"]), melds=melds)


@pytest.mark.parametrize("case", cases("hu"))
def test_hu(case: Case) -> None:
    ruleset, hand = given(case)
    for answer in (oracle.check(hand), mahjong_hands.check(ruleset, hand)):
        assert answer.hu is case["hu"]
        assert list(answer.types) == case.get("types", [])
        assert answer.hard is case.get("hard", answer.hard)
    if "stands" in case:
        seen = mahjong_hands.check(ruleset, hand).decomposition
        assert seen is not None
        assert sorted(NAMES[face] for _, face in seen.wilds) == sorted(case["stands"].split())


@pytest.mark.parametrize("case", cases("waits"))
def test_waits(case: Case) -> None:
    ruleset, hand = given(case)
    answer = mahjong_hands.waits(ruleset, hand)
    found = {NAMES[tile] for tile in answer.tiles}
    if "waits" in case:
        assert found == set(case["waits"].split())
    assert answer.everything is case.get("everything", False)
    assert found.issuperset(case.get("includes", "").split())
    assert found.isdisjoint(case.get("excludes", "").split())


@pytest.mark.parametrize("case", cases("shanten"))
def test_shanten(case: Case) -> None:
    ruleset, hand = given(case)
    evaluator = mahjong_hands.evaluator(ruleset, hand.wilds, hand.down)
    assert distance(hand) - 1 == case["shanten"]
    assert evaluator.shanten(case["hand"]).shanten == case["shanten"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["source"]) for case in CASES if "error" in case])
def test_refused(case: Case) -> None:
    ruleset, _ = given(case | {"hand": "11m"})
    evaluator = mahjong_hands.evaluator(ruleset, kinds(case["wild"]), frozenset())
    with pytest.raises(LaiziError) as caught:
        evaluator.check_hu(case["hand"])
    assert (caught.value.reason, caught.value.path) == (case["error"], case["path"])
