"""The fast engine against the oracle, on random plays and hands under random rules."""

import random

from laizi import doudizhu
from laizi.doudizhu import Evaluator, PlayComparison
from tests.doudizhu import entrances
from tests.doudizhu.hands import Table, random_hand, random_play, random_table
from tests.oracle.doudizhu import Oracle, Play, Reading, reading

PLAYS_OF_A_TABLE = 40
MOST_LISTED = 50_000


def test_readings_and_comparisons(rng, samples):
    for _ in range(samples(20_000) // PLAYS_OF_A_TABLE):
        table = random_table(rng)
        most = rng.choice((20,) * 9 + (54,))
        engine, oracle = entrances.evaluator(table, most), Oracle(table.ruleset)
        seen = set()
        for _ in range(PLAYS_OF_A_TABLE):
            cards, last = random_play(rng, table, most), rng.random() < 0.4
            play = table.play(cards)
            found = entrances.rows(engine, play, last=last)
            answer = engine.read_play(rng.choice(entrances.forms(cards, rng)), last=last)
            told = f"{play} last={last} under {table}"
            assert len(set(found)) == len(found), told
            expected = oracle.readings(play, last=last)
            assert set(found) == set(map(str, expected)), told
            led = oracle.leads(expected)
            assert set(map(str, answer.readings)) == set(map(str, led)), told
            assert answer.legal == bool(led), told
            assert answer.legal != bool(answer.refusals), told
            seen |= expected
            if seen:
                previous = rng.choice(sorted(seen))
                beating = {one for one in expected if oracle.beats(one, previous)}
                comparison = engine.compare(str(previous), "".join(cards), last=last)
                taken, errors = engine.compare_rows(entrances.code(previous), entrances.row(play), last)
                assert not any(errors), told
                _check_comparison(oracle, beating, comparison, taken, f"over {previous}: {told}")
        pool = sorted(seen)
        for old in rng.sample(pool, min(len(pool), 8)):
            for new in rng.sample(pool, min(len(pool), 8)):
                compared = engine.compare_readings(doudizhu.Reading.parse(str(old)), doudizhu.Reading.parse(str(new)))
                assert compared.beats == oracle.beats(new, old), f"{new} over {old} under {table}"


def _check_comparison(
    oracle: Oracle, beating: set[Reading], comparison: PlayComparison, taken: bytearray, told: str
) -> None:
    assert comparison.beats == bool(beating), told
    assert set(map(str, comparison.play.beating)) == set(map(str, beating)), told
    assert {str(one.reading) for one in comparison.comparisons if one.beats} == set(map(str, beating)), told
    if not beating:
        assert not any(taken), told
        return
    # The default answer is a weakest that beats: it beats no other that would do.
    default = next(one for one in beating if str(one) == str(comparison.play.default))
    assert entrances.codes(taken) == [str(default)], told
    assert not any(oracle.beats(default, other) for other in beating), told


def test_plays_of_small_hands(rng, samples):
    for _ in range(samples(60)):
        table = random_table(rng)
        engine, oracle = entrances.evaluator(table), Oracle(table.ruleset)
        hands = [random_hand(rng, table, rng.randint(1, 9)) for _ in range(4)]
        leads = [oracle.legal_plays(table.play(hand)) for hand in hands]
        first = table.play(hands[0])
        _list_all(engine, first, hands[0], None, leads[0], f"{first} under {table}")
        seen = sorted({one for plays in leads for _, one in plays})
        for hand in hands if seen else ():
            previous = rng.choice((rng.choice(seen), *_any_bomb(rng, engine)))
            cards = table.play(hand)
            legal = oracle.legal_plays(cards, previous)
            told = f"{cards} over {previous} under {table}"
            _list_all(engine, cards, hand, str(previous), legal, told)
            assert engine.can_beat(str(previous), "".join(hand)) == bool(legal), told


def _list_all(
    engine: Evaluator,
    cards: Play,
    hand: list[str],
    previous: str | None,
    legal: set[tuple[Play, Reading]],
    told: str,
) -> None:
    every = engine.list_plays("".join(hand), previous, expand=True)
    expected = {(part, str(one)) for part, one in legal}
    found = entrances.listed(every.plays)
    assert len(set(found)) == len(found) == every.total, told
    assert set(found) == expected, told
    assert sorted(entrances.plays(engine, cards, previous)) == sorted(found), told
    grouped = engine.list_plays("".join(hand), previous)
    found = entrances.listed(grouped.plays)
    assert len({one for _, one in found}) == len(found) == grouped.total, told
    assert {one for _, one in found} == {one for _, one in expected}, told
    assert set(found) <= expected, told
    assert sorted(entrances.groups(engine, cards, previous)) == sorted(one for _, one in found), told


def test_plays_of_whole_hands(rng, samples):
    for _ in range(samples(40)):
        table = random_table(rng)
        engine, oracle = entrances.evaluator(table), Oracle(table.ruleset)
        hand = random_hand(rng, table, rng.choice((17, 20)))
        whole, tried = table.play(hand), {table.play(_within(rng, table, hand)) for _ in range(60)}
        seen = sorted({one for cards in tried for one in oracle.answers(whole, cards)})
        for previous in (None, *rng.sample(seen, min(len(seen), 3)), *_any_bomb(rng, engine)):
            told = f"{whole} over {previous} under {table}"
            answers = {(cards, str(one)) for cards in tried for one in oracle.answers(whole, cards, previous)}
            grouped = engine.list_plays("".join(hand), previous and str(previous))
            found = entrances.listed(grouped.plays)
            assert len({one for _, one in found}) == len(found) == grouped.total, told
            assert {one for _, one in found} >= {one for _, one in answers}, told
            assert sorted(entrances.groups(engine, whole, previous)) == sorted(one for _, one in found), told
            every = engine.list_plays("".join(hand), previous and str(previous), expand=True, limit=MOST_LISTED)
            if every.total <= MOST_LISTED:
                everything = entrances.listed(every.plays)
                assert len(set(everything)) == len(everything) == every.total, told
                assert set(found) | answers <= set(everything), told
                assert sorted(entrances.plays(engine, whole, previous)) == sorted(everything), told
                found += rng.sample(everything, min(len(everything), 60))
            for cards, one in found:
                assert one in map(str, oracle.answers(whole, cards, previous)), f"{cards} as {one}: {told}"


def _any_bomb(rng: random.Random, engine: Evaluator) -> list[Reading]:
    """A bomb that somebody could hold, at random; none if the rules have none."""
    bombs = [one for one in entrances.ALL_READINGS if one.is_bomb and engine.is_plausible(one.code)]
    return [reading(str(rng.choice(bombs)))] if bombs else []


def _within(rng: random.Random, table: Table, hand: list[str]) -> list[str]:
    """Some cards of a hand, often a play."""
    wanted = random_play(rng, table)
    left = rng.sample(hand, len(hand))
    cards = []
    for card in wanted:
        same = [other for other in left if other[0] == card[0]] or [other for other in left if table.is_wild(other)]
        if same:
            cards.append(same[0])
            left.remove(same[0])
    return cards or hand
