"""Why the oracle may be trusted: it agrees with every acceptance vector, and with trying every rank for every wild."""

import pytest

from tests import doudizhu_vectors as vectors
from tests.doudizhu.hands import random_play, random_table
from tests.oracle import doudizhu_assignments
from tests.oracle.doudizhu import Oracle, Play, play, reading


def _play(vector: vectors.Vector) -> Play:
    given = vector["input"]
    return play(given["cards"], given.get("wild") or "", given.get("wild_cards") or ())


@pytest.mark.parametrize("vector", vectors.params("classify"))
def test_the_oracle_reads_as_the_vectors_say(vector):
    oracle = Oracle(vectors.ruleset(vector))
    found = oracle.leads(oracle.readings(_play(vector)))
    assert vectors.matches(vector["expect"], set(map(str, found)))


@pytest.mark.parametrize("vector", vectors.params("beats"))
def test_the_oracle_compares_as_the_vectors_say(vector):
    oracle = Oracle(vectors.ruleset(vector))
    previous = reading(vectors.reading(vector["input"]["prior"]))
    found = {str(one) for one in oracle.readings(_play(vector)) if oracle.beats(one, previous)}
    assert bool(found) == vector["expect"]["beats"]
    assert found == set(map(vectors.reading, vector["expect"].get("via", found)))


def test_the_oracle_agrees_with_every_assignment_of_every_wild(rng, samples):
    done = 0
    while done < samples(100):
        table = random_table(rng)
        cards = table.play(random_play(rng, table, most=8))
        if sum(cards.wilds) <= 3:
            done += 1
            last = rng.random() < 0.5
            found = Oracle(table.ruleset).readings(cards, last=last)
            expected = doudizhu_assignments.readings(table.ruleset, cards, last=last)
            assert found == expected, f"{cards} last={last} under {table}"
