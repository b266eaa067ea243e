"""What is wild: the handed vectors, every cycle in full, and bad draws."""

import contextlib
import string
from typing import Any

import pytest

from laizi import errors, game, rules, tiles, wilds
from tests import doudizhu_vectors as vectors

CHOICES = {"red7": "♥7 ♦7", "jokers": "大王 小王"}


@pytest.mark.parametrize("vector", vectors.params("wild"))
def test_vector(vector: vectors.Vector) -> None:
    given, expect = vector["input"], vector["expect"]
    source = given["source"]
    rule_set = rules.load("chosen_wilds") if source == "chosen_cards" else vectors.ruleset(vector)
    if "candidates" in given:
        assert wilds.candidates(rule_set) == expect["candidates"]
        assert not set(wilds.candidates(rule_set)) & set(expect["never"])
        return
    if source == "random_rank":
        assert given["ranks"] == wilds.RANKS
        found = wilds.determine_cards(rule_set, drawn_ranks=[given["rank_index"]])
        assert (found.ranks, found.count) == (expect["wild_rank"], expect["wild_cards"])
        phases = game.phases(rule_set)
        if "phase" in expect:
            assert (expect["phase"], phases.index("reveal_wild")) == (
                "after_bottom_revealed",
                phases.index("bottom") + 1,
            )
    elif source == "chosen_cards":
        found = wilds.determine_cards(rule_set, chosen=CHOICES[given["choice"]])
        assert set(found.cards.split() if "h" in found.cards else found.cards) == set(expect["wild_cards"])
        assert found.count == expect["count"]
    else:
        found = wilds.determine_cards(rule_set, bottom=given.get("bottom") or given["indicator"])
        assert (found.indicator, found.ranks) == (expect["wild_skin"], expect["wild_rank"])
    assert found.clauses


CARD_CYCLE = dict(zip("3456789TJQKA2XY", "456789TJQKA2333", strict=True))


@pytest.mark.parametrize(("skin", "wild"), CARD_CYCLE.items())
def test_the_whole_cycle_of_cards(skin: str, wild: str) -> None:
    assert wilds.determine_cards(rules.load("wuhan"), bottom=skin).ranks == wild


def _tile_cycle(honours: str) -> dict[str, str]:
    """Each tile and the next, honours in an order written as digits."""
    cycle = {f"{digit}{suit}": f"{digit % 9 + 1}{suit}" for suit in "mps" for digit in range(1, 10)}
    return cycle | {f"z{honour}": f"z{honours[(index + 1) % len(honours)]}" for index, honour in enumerate(honours)}


@pytest.mark.parametrize("preset", ["honghu", "guangdong_gui", "enshi"])
def test_the_whole_cycle_of_tiles(preset: str) -> None:
    # M1-05, M1-06, M1-59, M2-04
    rule_set = rules.load(preset)
    cycle = _tile_cycle({"honghu": "123467", "guangdong_gui": "1234567", "enshi": ""}[preset])
    if preset == "honghu":
        cycle["z5"] = "z6"
    for indicator in tiles.NAMES:
        if indicator not in cycle:
            with pytest.raises(errors.CardsError) as caught:
                wilds.determine_tiles(rule_set, indicator)
            assert (caught.value.reason, caught.value.path) == ("TILE_OUTSIDE_SET", "indicator")
            continue
        found = wilds.determine_tiles(rule_set, indicator)
        assert found.wilds == (cycle[indicator],)
        assert found.put_down == ((indicator,) if preset == "enshi" else ())
    assert set(wilds.candidates(rule_set).split()) == set(cycle.values())


def test_two_ranks_heaven_and_earth() -> None:
    tiandi = rules.load("tiandi")
    assert wilds.determine_cards(tiandi, drawn_ranks=[12, 0]).ranks == "32"
    assert wilds.determine_cards(tiandi, drawn_ranks=[0, 12]).ranks == "32"
    assert wilds.determine_cards(tiandi, drawn_ranks=[4, 6]).count == 8


def test_rules_without_a_draw() -> None:
    assert wilds.determine_cards(rules.load("classic")).count == 0
    assert wilds.determine_tiles(rules.load("hongzhong")).wilds == ("z5",)
    none = rules.load("hongzhong", {"wild.source": "none", "wild.fixed": []})
    assert wilds.determine_tiles(none).wilds == ()
    assert wilds.candidates(rules.load("classic")) == wilds.candidates(none) == ""
    assert wilds.candidates(rules.load("hongzhong")) == "z5"
    same = rules.load("guangdong_gui", {"wild.source": "indicator_same"})
    assert wilds.determine_tiles(same, "5p").wilds == ("5p",)
    assert wilds.candidates(rules.load("wuhan")) == wilds.RANKS
    assert wilds.candidates(rules.load("chosen_wilds")) == "7d7h XY"


@pytest.mark.parametrize(
    ("preset", "draw", "reason", "path"),
    [
        ("huanle", {}, "MISSING_FIELD", "drawn_ranks"),
        ("huanle", {"drawn_ranks": [1], "bottom": "3"}, "CONTRADICTORY_FIELDS", "bottom"),
        ("huanle", {"drawn_ranks": [1, 2]}, "WRONG_WILD_COUNT", "drawn_ranks"),
        ("huanle", {"drawn_ranks": [13]}, "VALUE_OUT_OF_RANGE", "drawn_ranks[0]"),
        ("huanle", {"drawn_ranks": [-1]}, "VALUE_OUT_OF_RANGE", "drawn_ranks[0]"),
        ("tiandi", {"drawn_ranks": [1]}, "WRONG_WILD_COUNT", "drawn_ranks"),
        ("tiandi", {"drawn_ranks": [1, 1]}, "WRONG_WILD_COUNT", "drawn_ranks"),
        ("wuhan", {}, "MISSING_FIELD", "bottom"),
        ("wuhan", {"bottom": "3 4"}, "BAD_INDICATOR", "bottom"),
        ("wuhan", {"bottom": "3 4 Z"}, "UNKNOWN_RANK", "bottom"),
        ("chosen_wilds", {"chosen": "7h 7s"}, "WRONG_WILD_COUNT", "chosen"),
        ("chosen_wilds", {"chosen": "7h"}, "WRONG_WILD_COUNT", "chosen"),
        ("chosen_wilds", {"chosen": "7 7"}, "WRONG_WILD_COUNT", "chosen"),
        ("chosen_wilds", {}, "MISSING_FIELD", "chosen"),
        ("classic", {"drawn_ranks": [1]}, "CONTRADICTORY_FIELDS", "drawn_ranks"),
        ("honghu", {}, "WRONG_GAME", "rules"),
    ],
)
def test_bad_draws_of_cards(preset: str, draw: dict[str, Any], reason: str, path: str) -> None:
    with pytest.raises(errors.LaiziError) as caught:
        wilds.determine_cards(rules.load(preset), **draw)
    assert (caught.value.reason, caught.value.path) == (reason, path)


@pytest.mark.parametrize(
    ("preset", "indicator", "reason", "path"),
    [
        ("honghu", "", "MISSING_FIELD", "indicator"),
        ("honghu", "1m 2m", "WRONG_TILE_COUNT", "indicator"),
        ("honghu", "z9", "UNKNOWN_TILE", "indicator"),
        ("enshi", "z1", "TILE_OUTSIDE_SET", "indicator"),
        ("hongzhong", "z5", "CONTRADICTORY_FIELDS", "indicator"),
        ("huanle", "z5", "WRONG_GAME", "rules"),
    ],
)
def test_bad_indicators(preset: str, indicator: str, reason: str, path: str) -> None:
    with pytest.raises(errors.LaiziError) as caught:
        wilds.determine_tiles(rules.load(preset), indicator)
    assert (caught.value.reason, caught.value.path) == (reason, path)


def test_a_tile_or_rank_outside_every_cycle_cannot_decide() -> None:
    short = rules.load("honghu", {"wild.cycle": {"honours": ["z1", "z2"], "exceptions": {}}})
    with pytest.raises(errors.RequestError) as caught:
        wilds.determine_tiles(short, "z5")
    assert caught.value.reason == "BAD_INDICATOR"
    with pytest.raises(errors.RequestError) as caught:
        wilds.determine_cards(rules.load("wuhan", {"wild.indicator.cycle": "345"}), bottom="6")
    assert caught.value.reason == "BAD_INDICATOR"


def test_any_text_is_an_answer_or_an_error(rng: Any, samples: Any) -> None:
    alphabet = string.printable + "东南西北中发白万筒条♥♠大小王"
    for _ in range(samples(300)):
        text = "".join(rng.choices(alphabet, k=rng.randrange(6)))
        for name in rules.presets():
            with contextlib.suppress(errors.LaiziError):
                if name in rules.presets("mahjong"):
                    wilds.determine_tiles(rules.load(name), text)
                else:
                    wilds.determine_cards(rules.load(name), bottom=text, chosen=text)
