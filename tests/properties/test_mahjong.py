"""What must hold of any mahjong hand, whatever the right answer is."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from laizi import mahjong, rules
from laizi.tiles import NAMES, Tiles
from tests import mahjong_hands
from tests.differential.mahjong_hands import random_hand, random_rules, random_wilds
from tests.mahjong_hands import tiles_of
from tests.oracle.mahjong import COPIES, Hand

SIZES = (2, 5, 8, 11, 14, 17)
PLAIN = mahjong.Evaluator(
    rules.custom("mahjong", {"wild.source": "fixed", "wild.fixed": ["z7"], "wild.limit.small": "none"})
)
WILD = 33


@st.composite
def hands(draw: st.DrawFn, sizes: tuple[int, ...] = SIZES) -> tuple[int, ...]:
    """Counts of a hand, as often crowded into few tiles as spread."""
    size = draw(st.sampled_from(sizes))
    first = draw(st.integers(0, 33))
    width = draw(st.sampled_from([6, 9, 34]))
    kinds = [WILD, *((first + step) % 33 for step in range(min(width, 33)))]
    tiles = draw(st.lists(st.sampled_from(kinds * 2), min_size=size, max_size=size))
    counts = [0] * 34
    for tile in tiles:
        free = next(kind for kind in [tile, *kinds, *range(34)] if counts[kind] < COPIES)
        counts[free] += 1
    return tuple(counts)


@st.composite
def cases(draw: st.DrawFn) -> tuple[rules.RuleSet, Hand]:
    """A random rule set with a random hand."""
    rng = draw(st.randoms(use_true_random=False))
    ruleset = random_rules(rng)
    return ruleset, random_hand(rng, ruleset, *random_wilds(rng, ruleset))


@given(hands(), st.data())
def test_a_wild_for_a_natural_loses_no_win(counts: tuple[int, ...], data: st.DataObject) -> None:
    naturals = [tile for tile in range(WILD) if counts[tile]]
    if PLAIN.is_hu(bytes(counts)) and counts[WILD] < COPIES and naturals:
        tile = data.draw(st.sampled_from(naturals))
        changed = [count - (index == tile) + (index == WILD) for index, count in enumerate(counts)]
        assert PLAIN.is_hu(bytes(changed))


@given(hands(), st.data())
def test_an_exchange_moves_shanten_by_one_at_most(counts: tuple[int, ...], data: st.DataObject) -> None:
    held = [tile for tile in range(34) if counts[tile]]
    old = data.draw(st.sampled_from(held))
    new = data.draw(st.sampled_from([tile for tile in range(34) if counts[tile] < COPIES]))
    changed = [count - (index == old) + (index == new) for index, count in enumerate(counts)]
    before, after = PLAIN.shanten(tiles_of(counts)).shanten, PLAIN.shanten(tiles_of(changed)).shanten
    assert before is not None
    assert after is not None
    assert abs(before - after) <= 1


@given(hands(tuple(size - 1 for size in SIZES)))
def test_a_hand_waits_exactly_where_its_shanten_is_naught(counts: tuple[int, ...]) -> None:
    answer, waits = PLAIN.shanten(tiles_of(counts)), PLAIN.waits(tiles_of(counts))
    # A hand one tile away has no waits where it holds every copy of that tile itself.
    assert (answer.shanten == 0) is bool(waits.waits) or (answer.shanten == 0 and 4 in counts)
    if answer.shanten == 0:
        assert [(one.tile, one.left) for one in answer.improvements] == [(one.tile, one.left) for one in waits.waits]


@given(hands())
def test_a_hand_wins_exactly_where_its_shanten_is_below_naught(counts: tuple[int, ...]) -> None:
    assert (PLAIN.shanten(tiles_of(counts)).shanten == -1) is PLAIN.is_hu(bytes(counts))


@given(hands(), st.data())
def test_every_way_in_agrees(counts: tuple[int, ...], data: st.DataObject) -> None:
    """Text in any order, byte codes, counts, and a batch of them."""
    order = data.draw(st.permutations([tile for tile in range(34) for _ in range(counts[tile])]))
    tiles = tiles_of(counts)
    hu = PLAIN.is_hu(bytes(counts))
    answers = [
        PLAIN.check_hu(" ".join(NAMES[tile] for tile in order), all_decompositions=True, limit=50),
        PLAIN.check_hu(tiles.human(), all_decompositions=True, limit=50),
        PLAIN.check_hu(tiles.codes(), all_decompositions=True, limit=50),
        PLAIN.check_hu(tiles, all_decompositions=True, limit=50),
        PLAIN.check_hu(Tiles.from_counts(bytes(counts)), all_decompositions=True, limit=50),
    ]
    assert answers[0].hu is hu
    assert all(answer == answers[0] for answer in answers)
    assert PLAIN.hu_rows(bytes(counts) * 3) == (bytes([hu]) * 3, bytes(3))
    assert PLAIN.hu_rows(bytearray(counts)) == (bytes([hu]), bytes(1))


@given(cases())
def test_open_melds_lie_as_they_lie(case: tuple[rules.RuleSet, Hand]) -> None:
    """Melds in another order change nothing; and those of no wild stand in the decomposition as they are."""
    ruleset, hand = case
    turned = replace(hand, melds=hand.melds[::-1])
    answer, other = mahjong_hands.check(ruleset, hand), mahjong_hands.check(ruleset, turned)
    assert answer.refusals == other.refusals
    assert (answer.types, answer.hard, answer.base, answer.points) == (
        other.types,
        other.hard,
        other.base,
        other.points,
    )
    if answer.decomposition and not any(hand.wilds.intersection(meld.tiles) for meld in hand.melds):
        lying = [tuple(sorted(meld.tiles)) for meld in hand.melds]
        assert [tuple(sorted(meld)) for meld in answer.decomposition.open_melds] == lying


@given(cases())
def test_asking_for_every_decomposition_changes_nothing_else(case: tuple[rules.RuleSet, Hand]) -> None:
    ruleset, hand = case
    answer = mahjong_hands.check(ruleset, hand)
    full = mahjong_hands.check(ruleset, hand, all_decompositions=True, limit=200)
    assert len(full.decompositions) <= 200
    assert bool(full.decompositions) is full.hu
    assert replace(full, decompositions=()) == answer
