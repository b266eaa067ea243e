"""The mahjong engine against the oracle, on random rule sets and hands: wins, refusals, decompositions and waits."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from laizi import mahjong, rules
from tests import mahjong_hands
from tests.differential.mahjong_hands import describe, hands_to_try, less, more, random_hand, random_rules, random_wilds
from tests.oracle import mahjong as oracle
from tests.oracle.mahjong import COPIES, Hand, Reading

BLOCK = 50
"""Hands a rule set: as many as make the same suits come back often enough for the oracle's memory."""


def reading_of(hand: Hand, seen: mahjong.Decomposition) -> Reading:
    """What a decomposition says, in the oracle's terms."""
    faces = [*seen.faces(), *(face for meld in seen.open_melds for face in meld)]
    concealed, melded = seen.wilds[: hand.wild_count], seen.wilds[hand.wild_count :]
    own = Counter(tile for tile, face in (*seen.wilds, *seen.stand_ins) if tile == face)
    own.update({tile: n for tile, n in enumerate(hand.concealed) if len(oracle.faces_of(hand, tile)) == 1})
    pairs = Counter(seen.pairs if seen.shape in ("seven_pairs", "dragon_seven") else ())
    return Reading(
        "seven_pairs" if pairs else str(seen.shape),
        "" if seen.shape != "standard" else "258" if seen.pair in oracle.JIANG else "other",
        seen.shape == "standard" and all(len(set(meld)) == 1 for meld in (*seen.melds, *seen.open_melds)),
        oracle.colour(faces),
        oracle.JIANG.issuperset(faces),
        sum(tile != face for tile, face in concealed),
        sum(tile != face for tile, face in melded),
        any(n >= 2 for n in pairs.values()),
        any(own[face] >= 4 for face in pairs),
        False,
    )


def check_decomposition(hand: Hand, seen: mahjong.Decomposition) -> None:
    """A decomposition rebuilds the hand, and everything in it is what it may be."""
    stand_ins = oracle.stand_ins(hand.rules, hand.wilds)
    melded = Counter(tile for meld in hand.melds for tile in meld.tiles)
    held = Counter(dict(enumerate(hand.concealed)))
    everything = held + melded
    for kinds, given in ((hand.wilds, seen.wilds), (stand_ins, seen.stand_ins)):
        assert Counter(tile for tile, _ in given) == Counter({tile: everything[tile] for tile in kinds}) + Counter()
        assert all(face in oracle.faces_of(hand, tile) for tile, face in given)
    natural = Counter({tile: n for tile, n in everything.items() if tile not in hand.wilds | stand_ins})
    faces = natural + Counter(face for _, face in (*seen.wilds, *seen.stand_ins))
    assert faces == Counter(seen.faces()) + Counter(face for meld in seen.open_melds for face in meld)
    runs = oracle.run_faces(hand.rules)
    assert all(len(set(meld)) == 1 or meld in runs for meld in seen.melds)
    if not any(melded[tile] for tile in hand.wilds | stand_ins):
        assert [sorted(meld) for meld in seen.open_melds] == [sorted(meld.tiles) for meld in hand.melds]
    if seen.shape == "standard":
        assert (len(seen.melds), len(seen.pairs), len(seen.singles)) == (hand.needed_melds, 1, 0)
    elif seen.shape in ("seven_pairs", "dragon_seven"):
        assert (len(seen.melds), len(seen.pairs), len(seen.singles)) == (0, 7, 0)
    else:
        assert (len(seen.melds), len(seen.pairs), len(seen.singles)) == (0, 0, hand.size)
    if not hand.rules.wild.fifth_copy:
        assert max(faces.values()) <= COPIES


def compare(ruleset: rules.RuleSet, hand: Hand, answer: mahjong.HuAnswer) -> oracle.Answer:
    """One answer of the engine against the oracle."""
    right = oracle.check(hand)
    told = (answer.hu, answer.refusals, answer.types, answer.hard, answer.base or 0, answer.points or 0)
    wanted = (right.hu, right.refusals, right.types, right.hard, right.base, right.points)
    assert told == wanted, f"engine {told}\noracle {wanted}{describe(ruleset, hand)}"
    assert answer.small is (answer.hu and not answer.types)
    assert answer.wilds_held == hand.wild_count
    if answer.hu:
        seen = answer.decomposition
        assert seen is not None
        try:
            check_decomposition(hand, seen)
            assert answer.wilds_standing in {reading.others for reading in right.paid}
            found = reading_of(hand, seen)
            assert oracle.stands(hand, found)
            dragon = found.shape == "seven_pairs" and oracle.is_dragon(hand.rules, found)
            assert (seen.shape == "dragon_seven") is dragon
            paid = {reading._replace(lone=False) for reading in right.paid}
            assert found in paid, f"{found}\n{paid}"
        except AssertionError as error:
            raise AssertionError(f"{error}\n{seen}{describe(ruleset, hand)}") from error
    return right


def test_wins(rng: random.Random, pytestconfig: pytest.Config) -> None:
    """Hu, refusals, types, hardness, base, points and the reading that is paid."""
    wins = Counter[bool]()
    for _ in range(hands_to_try(pytestconfig, 20_000) // BLOCK):
        ruleset = random_rules(rng)
        wilds, down = random_wilds(rng, ruleset)
        for _ in range(BLOCK):
            hand = random_hand(rng, ruleset, wilds, down)
            wins[compare(ruleset, hand, mahjong_hands.check(ruleset, hand)).hu] += 1
    # Both answers must be common, else the comparison proves little.
    assert min(wins[True], wins[False]) > 0.15 * wins.total()


Key = tuple[object, ...]


def engine_key(seen: mahjong.Decomposition) -> Key:
    """A decomposition without the difference of which kind of wild takes which other face."""
    return (
        "seven_pairs" if seen.shape == "dragon_seven" else str(seen.shape),
        tuple(sorted(seen.melds)),
        tuple(sorted(seen.pairs)),
        tuple(sorted(seen.singles)),
        tuple(sorted(tuple(sorted(meld)) for meld in seen.open_melds)),
        tuple(sorted((tile == face, face) for tile, face in seen.wilds)),
        tuple(sorted(face for _, face in seen.stand_ins)),
    )


def oracle_keys(hand: Hand) -> set[Key]:
    """Likewise every winning decomposition by the definition, for a hand without wilds in its melds."""
    found: set[Key] = set()
    everything = list(oracle.plain_decompositions(hand))
    winning = oracle.winning_readings(hand, {reading for reading, _ in everything})
    stand_ins = oracle.stand_ins(hand.rules, hand.wilds)
    for reading, groups in everything:
        if reading in winning:
            slots = [slot for group in groups for slot in group]
            faces = [tuple(face for _, face in group) for group in groups]
            standard = reading.shape == "standard"
            found.add(
                (
                    reading.shape,
                    tuple(sorted(tuple(sorted(meld)) for meld in faces[1:])) if standard else (),
                    (faces[0][0],) if standard else tuple(sorted(faces[0])[::2]) if "pairs" in reading.shape else (),
                    tuple(sorted(faces[0])) if reading.shape.startswith("free") else (),
                    tuple(sorted(tuple(sorted(meld.tiles)) for meld in hand.melds)),
                    tuple(sorted((tile == face, face) for tile, face in slots if tile in hand.wilds)),
                    tuple(sorted(face for tile, face in slots if tile in stand_ins)),
                )
            )
    return found


def test_every_decomposition(rng: random.Random, samples: Callable[[int], int]) -> None:
    """The decompositions asked for are those of the definition, each once."""
    compared = 0
    for _ in range(samples(400) // 4):
        ruleset = random_rules(rng)
        wilds, down = random_wilds(rng, ruleset)
        for _ in range(4):
            hand = random_hand(rng, ruleset, wilds, down)
            stand_ins = oracle.stand_ins(hand.rules, wilds)
            flexible = hand.wild_count + sum(hand.concealed[tile] for tile in stand_ins)
            melded = {tile for meld in hand.melds for tile in meld.tiles}
            if flexible > 2 or melded & (wilds | stand_ins):
                continue
            answer = mahjong_hands.check(ruleset, hand, all_decompositions=True, limit=100_000)
            told = [engine_key(seen) for seen in answer.decompositions]
            assert len(told) == len(set(told)), describe(ruleset, hand)
            wanted = oracle_keys(hand) if answer.hu else set()
            assert set(told) == wanted, f"{set(told) ^ wanted}{describe(ruleset, hand)}"
            compared += answer.hu
    assert compared > 0


def test_waits(rng: random.Random, samples: Callable[[int], int]) -> None:
    """Each winning tile of 3n+1 tiles with its answer, and the discards that leave a waiting hand."""
    for _ in range(samples(400) // 4):
        ruleset = random_rules(rng)
        wilds, down = random_wilds(rng, ruleset)
        for _ in range(4):
            full = replace(random_hand(rng, ruleset, wilds, down), winning=None)
            if full.wild_count <= 4:
                compare_waits(ruleset, less(full, rng.choice([t for t in range(34) if full.concealed[t]])), rng)
                if rng.random() < 0.1:
                    compare_discards(ruleset, full)


def owned(hand: Hand, tile: int) -> int:
    return hand.concealed[tile] + sum(meld.tiles.count(tile) for meld in hand.melds)


def drawable(hand: Hand) -> list[int]:
    return [tile for tile in sorted(oracle.tile_set(hand.rules)) if owned(hand, tile) < COPIES]


def compare_waits(ruleset: rules.RuleSet, hand: Hand, rng: random.Random) -> None:
    seen = [0] * 34
    for tile in rng.choices(drawable(hand), k=5):
        seen[tile] = rng.randint(1, COPIES - owned(hand, tile))
    found = mahjong_hands.waits(ruleset, hand, seen=bytes(seen))
    wins = {tile: oracle.check(more(hand, tile)) for tile in drawable(hand)}
    wins = {tile: answer for tile, answer in wins.items() if answer.hu}
    listed = [tile for tile in wins if hand.rules.waits.list_wild or tile not in hand.wilds]
    assert list(found.tiles) == listed, f"engine {found.tiles}\noracle {listed}{describe(ruleset, hand)}"
    assert found.everything == (len(wins) == len(drawable(hand))), describe(ruleset, hand)
    assert found.left == sum(wait.left for wait in found.waits)
    for wait in found.waits:
        assert wait.left == COPIES - owned(hand, wait.tile) - seen[wait.tile]
        compare(ruleset, more(hand, wait.tile), wait.answer)


def compare_discards(ruleset: rules.RuleSet, hand: Hand) -> None:
    """Each discard against the waits of what it leaves."""
    told = {discard.tile: discard.waits for discard in mahjong_hands.discards(ruleset, hand)}
    wanted = {}
    for tile in (tile for tile in range(34) if hand.concealed[tile]):
        rule = hand.rules
        if tile in hand.wilds and rule.wild.discard == "forbidden":
            continue
        if tile in hand.down and tile not in hand.wilds and rule.down.discard == "forbidden":
            continue
        kept = replace(less(hand, tile), wild_discarded=hand.wild_discarded or tile in hand.wilds)
        wins = {drawn: oracle.check(more(kept, drawn)) for drawn in drawable(kept)}
        tiles = [drawn for drawn, answer in wins.items() if answer.hu]
        listed = [drawn for drawn in tiles if rule.waits.list_wild or drawn not in hand.wilds]
        if listed:
            wanted[tile] = listed
    assert {tile: list(waits.tiles) for tile, waits in told.items()} == wanted, describe(ruleset, hand)
