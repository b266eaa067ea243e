"""Every acceptance vector about what a play is, what it beats and what a hand can play, named by its clauses."""

import pytest

from laizi.doudizhu import Evaluator
from laizi.errors import CardsError, ErrorReason
from tests import doudizhu_vectors as vectors


def _evaluator(vector: vectors.Vector) -> Evaluator:
    given = vector["input"]
    return Evaluator(vectors.ruleset(vector), given.get("wild") or "", " ".join(given.get("wild_cards", ())))


@pytest.mark.parametrize("vector", vectors.params("classify"))
def test_readings(vector):
    given, expect = vector["input"], vector["expect"]
    if not given["cards"]:
        # No cards are a pass, which is not an answer of the evaluator.
        with pytest.raises(CardsError) as raised:
            _evaluator(vector).read_play(given["cards"])
        assert raised.value.reason is ErrorReason.EMPTY_PLAY
        return
    answer = _evaluator(vector).read_play(given["cards"])
    assert vectors.matches(expect, set(map(str, answer.readings)))
    assert answer.legal == bool(answer.readings)
    if "default" in expect:
        assert str(answer.default) == expect["default"]
        assert str(answer.readings[0]) == expect["default"]


@pytest.mark.parametrize("vector", vectors.params("beats"))
def test_what_beats(vector):
    given, expect = vector["input"], vector["expect"]
    comparison = _evaluator(vector).compare(vectors.reading(given["prior"]), given["cards"])
    assert comparison.beats == expect["beats"]
    beating = set(map(str, comparison.play.beating))
    assert beating == set(map(vectors.reading, expect.get("via", beating)))
    if "default" in expect:
        assert str(comparison.play.default) == expect["default"]


@pytest.mark.parametrize("vector", [one for one in vectors.params("legality") if "hand" in one.values[0]["input"]])
def test_what_a_hand_can_play(vector):
    """Who must pass or loses for want of a play is the caller's to say; here, whether and how all can be played."""
    given, expect = vector["input"], vector["expect"]
    evaluator = _evaluator(vector)
    previous = vectors.reading(given["prior"]) if "prior" in given else None
    plays = evaluator.list_plays(given["hand"], previous)
    assert bool(plays.plays) == expect["playable"]
    answer = evaluator.read_play(given["hand"], hand=given["hand"], previous=previous)
    assert answer.legal == expect["playable"]
    assert set(map(str, answer.readings)) == set(map(vectors.reading, expect.get("classes", ())))
