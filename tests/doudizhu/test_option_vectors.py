"""Every option that concerns reading, comparing and listing: what each of its values does to one play.

The vectors have the form of the acceptance vectors; a vector's clause is the option that it shows. ``input`` may hold
the ``hand``, that the play is the ``last``, or the ``target`` cards that it is declared to stand for; ``refused`` is a
reason that the answer gives.
"""

import json

import pytest

from laizi import rules
from laizi.doudizhu import Evaluator
from tests import doudizhu_vectors as vectors
from tests import vector_files

SHOWN = ("wild.", "kick.", "seq.", "bomb.", "read.", "play.")
# How wilds are found is shown with `laizi.wilds`.
ELSEWHERE = ("wild.indicator.", "wild.choices")

VECTORS = vector_files.load("doudizhu_options")


def _evaluator(vector: vectors.Vector) -> Evaluator:
    given = vector["input"]
    ruleset = rules.load(vector["preset"], vector["options"])
    return Evaluator(ruleset, given.get("wild") or "", " ".join(given.get("wild_cards", ())))


@pytest.mark.parametrize("vector", vector_files.params(VECTORS, ("classify",)))
def test_readings(vector):
    given, expect = vector["input"], vector["expect"]
    extra = {name: given[name] for name in ("hand", "last", "target") if name in given}
    answer = _evaluator(vector).read_play(given["cards"], **extra)
    if "refused" in expect:
        assert expect["refused"] in answer.refusals
        return
    assert vectors.matches(expect, set(map(str, answer.readings)))
    assert answer.legal == expect["legal"]
    assert str(answer.default) == expect.get("default", str(answer.default))


@pytest.mark.parametrize("vector", vector_files.params(VECTORS, ("beats",)))
def test_what_beats(vector):
    given, expect = vector["input"], vector["expect"]
    comparison = _evaluator(vector).compare(given["prior"], given["cards"])
    assert comparison.beats == expect["beats"]
    assert sorted(map(str, comparison.play.beating)) == sorted(expect.get("via", ()))


def test_every_option_is_shown_with_two_values_at_least():
    values: dict[str, set[str]] = {}
    defaults = {option.name: option.default for option in rules.options("doudizhu")}
    for vector in VECTORS:
        (name,) = vector["clauses"]
        values.setdefault(name, set()).add(json.dumps(vector["options"].get(name, defaults[name]), sort_keys=True))
    wanted = {name for name in defaults if name.startswith(SHOWN) and not name.startswith(ELSEWHERE)}
    assert values.keys() == wanted
    assert {name for name, shown in values.items() if len(shown) < 2} == set()
