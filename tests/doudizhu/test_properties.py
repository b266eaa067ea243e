"""What is true of every play under all rules, whatever the answer is."""

import functools
import itertools
from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laizi import rules
from laizi.cards import RANKS
from laizi.doudizhu import Evaluator, PlayAnswer, Reading
from laizi.errors import ErrorReason, LaiziError
from tests.doudizhu import entrances
from tests.doudizhu.entrances import ALL_READINGS
from tests.doudizhu.hands import random_hand, random_play, random_table
from tests.oracle.doudizhu import Oracle, reading


def test_codes_and_texts_name_the_same_readings():
    assert len({str(one) for one in ALL_READINGS}) == len(ALL_READINGS)
    assert all(Reading.parse(str(one)) == Reading.from_code(one.code) == one for one in ALL_READINGS)


def test_to_beat_is_a_strict_order(rng, samples):
    for _ in range(samples(8)):
        table = random_table(rng)
        engine = entrances.evaluator(table)
        playable = [one for one in ALL_READINGS if engine.is_plausible(one.code)]
        others = [one.code for one in playable if not one.is_bomb]
        codes = [one.code for one in playable if one.is_bomb] + rng.sample(others, min(len(others), 150))
        beaten = [sum(1 << place for place, other in enumerate(codes) if engine.beats(code, other)) for code in codes]
        for (new, mine), (old, theirs) in itertools.product(enumerate(beaten), repeat=2):
            if mine >> old & 1:
                told = Reading.from_code(codes[new]), Reading.from_code(codes[old])
                assert not theirs >> new & 1, f"both ways: {told} under {table}"
                assert theirs & ~mine == 0, f"what the second beats is not beaten by the first: {told} under {table}"


def test_bombs_beat_each_other_as_the_rules_order_them(rng, samples):
    for _ in range(samples(8)):
        table = random_table(rng)
        engine, oracle = entrances.evaluator(table), Oracle(table.ruleset)
        bombs = [one for one in ALL_READINGS if one.is_bomb and engine.is_plausible(one.code)]
        for new, old in itertools.product(bombs, repeat=2):
            expected = oracle.beats(reading(str(new)), reading(str(old)))
            assert engine.beats(new.code, old.code) == expected, f"{new} over {old} under {table}"


def test_all_forms_of_the_same_cards_have_one_answer(rng, samples):
    for _ in range(samples(200)):
        table = random_table(rng)
        engine = entrances.evaluator(table)
        cards, hand = random_play(rng, table), random_hand(rng, table, 20)
        answers = [
            engine.read_play(form, hand=held)
            for form, held in zip(entrances.forms(cards, rng), entrances.forms(hand, rng), strict=True)
        ]
        assert all(answer == answers[0] for answer in answers), f"{cards} of {hand} under {table}"


def test_the_default_comes_first_and_the_strongest_next(rng, samples):
    for _ in range(samples(200)):
        table = random_table(rng)
        engine = entrances.evaluator(table)
        for _ in range(10):
            cards = random_play(rng, table)
            answer = engine.read_play("".join(cards))
            told = f"{cards} under {table}"
            assert answer.default == (answer.readings[0] if answer.readings else None), told
            prefers = Oracle(table.ruleset).rules.read.lead_default != "all"
            if answer.default and prefers and any(not one.is_bomb for one in answer.readings):
                assert not answer.default.is_bomb, told
            elif answer.default:
                assert not any(engine.beats(one.code, answer.default.code) for one in answer.readings), told
            for stronger, weaker in itertools.combinations(answer.readings[1:], 2):
                assert not engine.beats(weaker.code, stronger.code), told


def test_stand_ins_rebuild_the_cards(rng, samples):
    for _ in range(samples(100)):
        table = random_table(rng)
        engine, oracle = entrances.evaluator(table), Oracle(table.ruleset)
        for _ in range(10):
            cards, last = random_play(rng, table), rng.random() < 0.4
            answer = engine.read_play("".join(cards), last=last)
            for one in answer.readings:
                _check_layout(oracle, answer, one, f"{table.play(cards)} as {one} under {table}")


def _check_layout(oracle: Oracle, answer: PlayAnswer, one: Reading, told: str) -> None:
    layout = answer.layout(one)
    told = f"{layout} of {told}"
    wilds = list(answer.wilds)
    assert layout.reading == one, told
    assert sorted([*layout.body, *layout.kickers]) == sorted(answer.cards), told
    assert sorted(card for stand_in in layout.stand_ins for card in stand_in.wild) == sorted(wilds), told
    assert len(layout.stand_ins) == len(wilds), told
    if not len(answer.naturals):
        assert all(RANKS[rank] == each.rank for each in layout.stand_ins for rank, _ in each.wild), told

    # The ranks that body and kickers show; the stand-ins of the body come first.
    in_body = sum(card in wilds for card in layout.body)
    body = [RANKS[rank] for rank, suit in layout.body if (rank, suit) not in wilds]
    body += [each.rank for each in layout.stand_ins[:in_body]]
    kickers = [RANKS[rank] for rank, suit in layout.kickers if (rank, suit) not in wilds]
    kickers += [each.rank for each in layout.stand_ins[in_body:]]
    shown = [*body, *kickers]
    assert oracle.shows(tuple(map(shown.count, RANKS)), reading(str(one))), told
    if one.type != "rocket" and one.main != "*":
        ranks = sorted(set(body), key=RANKS.index)
        assert ranks[-1] == one.main, told
        assert "".join(ranks) in RANKS, told
        assert len({body.count(rank) for rank in ranks}) == 1, told
        assert len(ranks) == (1 if one.type == "bomb" else one.length), told


def test_a_target_is_what_the_cards_then_stand_for(rng, samples):
    for _ in range(samples(200)):
        table = random_table(rng)
        engine = entrances.evaluator(table)
        cards = random_play(rng, table)
        answer = engine.read_play("".join(cards))
        for one in answer.readings:
            stand_ins = answer.layout(one).stand_ins
            shown = [card[0] for card in cards if not table.is_wild(card)] + [each.rank for each in stand_ins]
            if any(shown.count(rank) > 4 for rank in RANKS):
                continue  # no pack has such cards, so no text names them
            declared = engine.read_play("".join(cards), target="".join(rng.sample(shown, len(shown))))
            assert one in declared.readings, f"{cards} as {one} under {table}"
            assert declared.legal, f"{cards} as {shown} under {table}"
            chosen = engine.read_play("".join(cards), declared=one)
            assert (chosen.legal, chosen.default) == (True, one), f"{cards} as {one} under {table}"


Answer = TypeVar("Answer")
EVALUATORS = [
    Evaluator(rules.load("huanle"), "7"),
    Evaluator(rules.load("tiandi"), "79"),
    Evaluator(rules.load("chosen_wilds"), wild_cards="XY"),
    Evaluator(rules.load("chosen_wilds"), wild_cards="7h 7d"),
    Evaluator(rules.load("classic")),
]
JUNK = st.one_of(
    st.text(max_size=30),
    st.text("3456789TJQKA2XY10hdcs♥ ", max_size=30),
    st.binary(max_size=30),
    st.lists(st.sampled_from(sorted({0x4E, 0x4F, *range(1, 14), *range(0x11, 0x1E), 0x37, 0x27, 0x07}))).map(bytes),
)
READINGS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(ALL_READINGS).map(str),
    st.tuples(
        st.sampled_from(["single", "straight", "bomb", "plane_1", "rocket", "four_2", ""]),
        st.sampled_from([*RANKS, "*", ""]),
        st.integers(-1, 99).map(str),
        st.sampled_from(["soft", "hard", "pure", "mixed", ""]),
    ).map(":".join),
)


def _answer(ask: Callable[[], Answer], *paths: str) -> Answer | None:
    """What a call answers, or None after it has refused its input by naming one of these fields."""
    try:
        return ask()
    except LaiziError as refused:
        error = refused
    assert isinstance(error.reason, ErrorReason)
    assert error.path in paths
    return None


@pytest.mark.parametrize("evaluator", EVALUATORS, ids=lambda evaluator: evaluator.ruleset.name)
@given(cards=JUNK, hand=st.none() | JUNK, target=st.none() | JUNK, last=st.none() | st.booleans())
def test_junk_is_refused_by_name_when_read(evaluator, cards, hand, target, last):
    answer = _answer(
        lambda: evaluator.read_play(cards, hand=hand, target=target, last=last), "cards", "hand", "target", "last"
    )
    assert answer is None or answer.legal != bool(answer.refusals)


@pytest.mark.parametrize("evaluator", EVALUATORS, ids=lambda evaluator: evaluator.ruleset.name)
@given(cards=JUNK, declared=st.none() | READINGS, previous=READINGS)
def test_junk_is_refused_by_name_when_compared(evaluator, cards, declared, previous):
    comparison = _answer(lambda: evaluator.compare(previous, cards, declared=declared), "cards", "declared", "previous")
    assert comparison is None or comparison.beats == comparison.play.legal


@pytest.mark.parametrize("evaluator", EVALUATORS, ids=lambda evaluator: evaluator.ruleset.name)
@given(hand=JUNK, previous=READINGS, expand=st.booleans(), limit=st.none() | st.integers(-5, 5))
def test_junk_is_refused_by_name_when_listed(evaluator, hand, previous, expand, limit):
    plays = _answer(
        lambda: evaluator.list_plays(hand, previous, expand=expand, limit=limit), "hand", "previous", "limit"
    )
    beatable = _answer(lambda: evaluator.can_beat(previous, hand), "hand", "previous")
    assert plays is None or beatable == (plays.total > 0)


@pytest.mark.parametrize("evaluator", EVALUATORS, ids=lambda evaluator: evaluator.ruleset.name)
@given(rows=st.binary(max_size=80), previous=st.binary(max_size=12))
def test_junk_in_rows_is_an_error_of_its_row(evaluator, rows, previous):
    answer = _answer(lambda: evaluator.read_rows(rows), "", "rows")
    assert _answer(lambda: evaluator.compare_rows(previous, rows), "", "rows", "previous") is None or answer
    if answer:
        counts, codes, errors = answer
        assert sum(counts) * 2 == len(codes)
        assert not any(map(min, counts, errors))


@given(ranks=st.text(max_size=4) | st.text(RANKS + "hd ", max_size=4), cards=JUNK, most=st.integers(-60, 60))
def test_junk_for_an_evaluator_is_refused_by_name(ranks, cards, most):
    for ruleset in map(rules.load, rules.presets("doudizhu")):
        _answer(
            functools.partial(Evaluator, ruleset, ranks, cards, max_cards=most), "wild_ranks", "wild_cards", "max_cards"
        )
