"""A text that somebody sends costs little, however it is made: nothing in it grows with the square of its size."""

import pytest

from laizi import rules
from laizi.errors import ErrorReason, RulesError
from laizi.rules.files import MAX_BYTES
from laizi.rules.schema import MAX_PROBLEMS

HEAD = 'name = "a"\ngame = "doudizhu"\n'


@pytest.mark.parametrize("parts", [33, 20_000, MAX_BYTES // 2 - 50])
def test_a_key_of_many_parts_is_refused_where_it_stands(parts):
    (problem,) = rules.check(HEAD + "a." * parts + "b = 1")
    assert (problem.line, problem.column, problem.reason) == (3, 1, ErrorReason.MALFORMED_RULES)
    assert "32 parts" in problem.message


def test_a_text_value_may_hold_dots():
    text = HEAD + 'title = { en = "' + "a. b. " * 10 + '" }\n'
    assert rules.check(text) == []


@pytest.mark.parametrize("table", ["", "[options]\n", "[sources]\n", "[clauses]\n"])
def test_problems_are_listed_up_to_a_bound_and_it_is_said_that_there_are_more(table):
    problems = rules.check(HEAD + table + "\n".join(f"k{index} = 1" for index in range(5000)))
    assert len(problems) == MAX_PROBLEMS + 1
    assert problems[-1].reason is ErrorReason.TOO_MANY_ITEMS


def test_the_path_of_an_unknown_option_is_short():
    with pytest.raises(RulesError) as caught:
        rules.load("huanle", {"w" * 300_000: 1})
    assert caught.value.reason is ErrorReason.UNKNOWN_OPTION
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("value", ["1/1001", "0.0001", "1/999983"])
def test_a_factor_is_no_finer_than_a_thousandth(value):
    with pytest.raises(RulesError) as caught:
        rules.load("guangdong_gui", {"score.hard": value})
    assert (caught.value.reason, caught.value.path) == (ErrorReason.BAD_OPTION_VALUE, "score.hard")
