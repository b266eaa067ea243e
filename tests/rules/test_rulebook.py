"""The rulebook is whole, and what cites it cites clauses, options and decisions that exist."""

import ast
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from laizi import clauses, errors, rules

ROOT = Path(__file__).parent.parent.parent
SIZES = {"D1": 20, "D2": 42, "D3": 10, "D4": 30, "D5": 4, "D6": 53, "M1": 60, "M2": 43}


def test_the_rulebook_has_every_clause_of_its_texts_in_order() -> None:
    wanted = [f"{text}-{number:02}" for text, size in SIZES.items() for number in range(1, size + 1)]
    assert list(clauses.rulebook()) == wanted
    assert len(wanted) == 262


@pytest.mark.parametrize("clause", clauses.rulebook().values(), ids=lambda clause: clause.id.replace("-", "_"))
def test_a_clause_says_something_in_both_languages(clause: clauses.Clause) -> None:
    assert clause.kind in clauses.KINDS
    assert clause.en.endswith((".", ")", "?"))
    assert clause.zh.endswith(("。", "）"))
    assert re.search("[\u4e00-\u9fff]", clause.zh)
    assert clauses.get(clause.id) is clause


def test_every_clause_that_decides_something_stands_behind_an_option_or_a_decision() -> None:
    # M1-41 is a remark that is wrong in general: nothing follows from it.
    alone = [clause.id for clause in clauses.rulebook().values() if clause.kind != "ui" and not rules.citing(clause.id)]
    assert alone == ["M1-41"]


def test_no_rule_set_cites_a_clause_about_screens_and_accounts_only() -> None:
    cited = {clause for name in rules.presets() for ids in rules.load(name).sources.values() for clause in ids}
    kinds = Counter(clauses.get(clause).kind for clause in cited if clause in clauses.rulebook())
    assert {clause for clause in cited if clause in clauses.rulebook() and clauses.get(clause).kind == "ui"} <= {
        "D1-12",  # running out of time is a pass too
        "D4-01",  # what the text leaves open is as elsewhere
        "M2-39",  # the simplified preset
    }
    assert kinds


@pytest.mark.parametrize("wrong", ["D6-99", "", "d6-45", None, 45, "D6-45 ", "x" * 5000])
def test_an_unknown_clause(wrong: object) -> None:
    with pytest.raises(errors.RulesError) as caught:
        clauses.get(wrong)  # type: ignore[arg-type]
    assert (caught.value.reason, caught.value.path) == ("UNKNOWN_CLAUSE", "clause")
    assert len(caught.value.message) < 100


def test_every_handed_vector_names_clauses_of_the_rulebook() -> None:
    for file in (ROOT / "tests" / "vectors").glob("[DM]?.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            vector = json.loads(line)
            assert vector["clauses"]
            assert set(vector["clauses"]) <= set(clauses.rulebook()), vector["id"]


def test_what_the_engine_cites_is_an_option_or_a_decision() -> None:
    known = {option.name for game in ("doudizhu", "mahjong") for option in rules.options(game)}
    known |= {*rules.decisions("doudizhu"), *rules.decisions("mahjong")}
    cited = set()
    for file in (ROOT / "core" / "laizi").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cite":
                cited |= {
                    arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
                }
    assert len(cited) > 10
    assert cited <= known
