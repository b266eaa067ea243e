"""Options in, rules out: round trips, overrides, and errors that name the option."""

import json
import random
import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest

from laizi import errors, rules
from laizi.rules import schema

ALL = [rules.load(name) for name in rules.presets()]


@pytest.mark.parametrize("rule_set", ALL, ids=lambda rule_set: rule_set.name)
def test_options_fed_back_give_an_equal_rule_set(rule_set: rules.RuleSet) -> None:
    again = rules.custom(rule_set.game, rule_set.options())
    assert again.rules == rule_set.rules
    assert again.digest == rule_set.digest
    # What travels as JSON is the same thing.
    assert rules.custom(rule_set.game, json.loads(json.dumps(rule_set.options()))).rules == rule_set.rules


@pytest.mark.parametrize("rule_set", ALL, ids=lambda rule_set: rule_set.name)
def test_a_rule_set_cannot_be_changed_and_can_be_a_key(rule_set: rules.RuleSet) -> None:
    assert {rule_set.rules: 1}[rules.load(rule_set.name).rules] == 1
    with pytest.raises(AttributeError):
        rule_set.rules.wild.source = "none"  # type: ignore[misc]
    with pytest.raises(TypeError):
        rule_set.sources["wild.source"] = ()  # type: ignore[index]


def test_digests_tell_options_apart_and_nothing_else() -> None:
    digests = {rule_set.digest for rule_set in ALL}
    assert len(digests) == len(ALL)
    assert all(len(digest) == 16 and set(digest) <= set("0123456789abcdef") for digest in digests)
    huanle = rules.load("huanle")
    shuffled = list(huanle.options().items())
    random.Random(1).shuffle(shuffled)
    assert rules.custom("doudizhu", dict(shuffled), name="other").digest == huanle.digest
    assert rules.load("huanle", {"wild.alone": "natural"}).digest == huanle.digest
    assert rules.load("huanle", {"kick.strict": ["no_equal_pairs", "no_rocket"]}).digest == (
        rules.load("huanle", {"kick": {"strict": ["no_rocket", "no_equal_pairs"]}}).digest
    )
    for game in ("doudizhu", "mahjong"):
        default = rules.custom(game, {})
        for option in rules.options(game):
            if option.values == "true | false" and option.name in default.options():
                changed = rules.custom(game, {option.name: not option.default})
                assert changed.digest != default.digest, option.name


def test_a_digest_is_the_same_in_every_process() -> None:
    program = "from laizi import rules; print(*[rules.load(name).digest for name in rules.presets()])"
    for seed in ("1", "2"):
        out = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        )
        assert out.stdout.split() == [rule_set.digest for rule_set in ALL]


@pytest.mark.parametrize(
    ("preset", "dotted", "nested"),
    [
        ("huanle", {"wild.alone": "forbidden"}, {"wild": {"alone": "forbidden"}}),
        ("wuhan", {"score.bomb.hard": 8, "score.bomb.cap": "none"}, {"score": {"bomb": {"hard": 8, "cap": None}}}),
        ("points_rob", {"show.start": 6}, {"show": {"start": 6}}),
        ("honghu", {"cap.gold.pay": 500}, {"cap": {"gold": {"pay": 500}}}),
        ("enshi", {"hu.types.menqing": "off"}, {"hu": {"types": {"menqing": "off"}}}),
        ("honghu", {"score.big.zimo": "3/2"}, {"score": {"big": {"zimo": 1.5}}}),
    ],
)
def test_dotted_names_and_nested_tables_say_the_same(preset: str, dotted: Any, nested: Any) -> None:
    assert rules.load(preset, dotted).rules == rules.load(preset, nested).rules


def test_overrides_change_what_they_name_and_nothing_else() -> None:
    before, after = rules.load("honghu"), rules.load("honghu", {"cap.each": 200, "cap.gold.pay": 400})
    changed = {name for name, value in after.options().items() if before.options()[name] != value}
    assert changed == {"cap.each"}
    assert set(before.sources) - set(after.sources) == {"cap.each"}
    assert after.name == "honghu"
    assert rules.load("honghu", {}) is not None


def test_a_group_is_switched_on_by_its_options_and_off_by_a_word() -> None:
    on = rules.load("points_rob", {"show.start": 6})
    assert on.options()["show"] == "on"
    assert on.options()["show.deal_early"] == 4
    off = rules.load("huanle", {"show": "off"})
    assert off.options()["show"] == "off"
    assert "show.start" not in off.options()
    assert rules.load("points_rob", {"double": {}}).options()["double.gate"] == "beans_over"


D, M = "doudizhu", "mahjong"


@pytest.mark.parametrize(
    ("game", "values", "reason", "path", "words"),
    [
        (D, {"wild.alnoe": "natural"}, "UNKNOWN_OPTION", "wild.alnoe", 'did you mean "wild.alone"'),
        (D, {"wild": {"alnoe": "natural"}}, "UNKNOWN_OPTION", "wild.alnoe", 'did you mean "wild.alone"'),
        (D, {"cap.each": 3}, "UNKNOWN_OPTION", "cap.each", "unknown option"),
        (D, {"wild": 3}, "UNKNOWN_OPTION", "wild", "unknown option"),
        (D, {"": 3}, "UNKNOWN_OPTION", "", "unknown option"),
        (D, {3: 3}, "UNKNOWN_OPTION", "", "an option name is text"),
        (D, [], "WRONG_OPTION_TYPE", "", "expected a table"),
        (D, None, "WRONG_OPTION_TYPE", "", "expected a table"),
        (D, {"wild.alone": "natral"}, "BAD_OPTION_VALUE", "wild.alone", 'did you mean "natural"'),
        (D, {"wild.alone": True}, "WRONG_OPTION_TYPE", "wild.alone", "natural | forbidden"),
        (D, {"wild.as_joker": "yes"}, "WRONG_OPTION_TYPE", "wild.as_joker", "true or false"),
        (D, {"seq.single": "five"}, "WRONG_OPTION_TYPE", "seq.single", "whole number 3–12"),
        (D, {"seq.single": 5.5}, "WRONG_OPTION_TYPE", "seq.single", "whole number"),
        (D, {"seq.single": True}, "WRONG_OPTION_TYPE", "seq.single", "whole number"),
        (D, {"seq.single": 2}, "BAD_OPTION_VALUE", "seq.single", "outside 3 to 12"),
        (D, {"seq.single": 10**5000}, "BAD_OPTION_VALUE", "seq.single", "a very large number is outside 3 to 12"),
        (D, {"score.bomb.hard": -1}, "BAD_OPTION_VALUE", "score.bomb.hard", "-1 is outside"),
        (D, {"score.bomb.hard": "1e9"}, "WRONG_OPTION_TYPE", "score.bomb.hard", "exact number"),
        (D, {"score.bomb.hard": "1/0"}, "WRONG_OPTION_TYPE", "score.bomb.hard", "exact number"),
        (D, {"score.bomb.hard": float("nan")}, "WRONG_OPTION_TYPE", "score.bomb.hard", "exact number"),
        (D, {"score.bomb.hard": 1e-300}, "BAD_OPTION_VALUE", "score.bomb.hard", "finer than"),
        (D, {"kick.quad": "two_cards"}, "WRONG_OPTION_TYPE", "kick.quad", "set of two_cards | two_pairs"),
        (D, {"kick.quad": ["two_cards", "two_cards"]}, "WRONG_OPTION_TYPE", "kick.quad", "no entry twice"),
        (D, {"kick.quad": ["three"]}, "BAD_OPTION_VALUE", "kick.quad", "two_cards | two_pairs"),
        (D, {"bomb.order": [["rocket"], "hard"]}, "WRONG_OPTION_TYPE", "bomb.order", "set of rocket"),
        (D, {"bomb.order": [["rocket"], []]}, "CONTRADICTORY_OPTIONS", "bomb.order", "empty"),
        (D, {"bomb.order": [["rocket"], ["hard", "soft"], ["hard"]]}, "CONTRADICTORY_OPTIONS", "bomb.order", "twice"),
        (D, {"bomb.chain": 2}, "CONTRADICTORY_OPTIONS", "bomb.order", "chain"),
        (D, {"score.bomb.by_size": {"4": 2}}, "CONTRADICTORY_OPTIONS", "score.bomb.by_size", "5 to 12"),
        (D, {"score.bomb.by_size": [5]}, "WRONG_OPTION_TYPE", "score.bomb.by_size", "table of size"),
        (D, {"wild.indicator.cycle": "33"}, "CONTRADICTORY_OPTIONS", "wild.indicator.cycle", "each once"),
        (D, {"wild.indicator.joker_to": "X"}, "CONTRADICTORY_OPTIONS", "wild.indicator.joker_to", "one rank"),
        (D, {"wild.choices": [["7x"]]}, "CONTRADICTORY_OPTIONS", "wild.choices", "no card"),
        (D, {"show": "off", "show.start": 5}, "CONTRADICTORY_OPTIONS", "show.start", '"show" is off'),
        (D, {"show": 5}, "WRONG_OPTION_TYPE", "show", '"off" or a table'),
        (D, {"wild.alone": "natural", "wild": {"alone": "natural"}}, "CONTRADICTORY_OPTIONS", "wild.alone", "twice"),
        (M, {"wild.fixed": ["z5"]}, "CONTRADICTORY_OPTIONS", "wild.fixed", "exactly where"),
        (M, {"wild.source": "fixed", "wild.fixed": ["z8"]}, "CONTRADICTORY_OPTIONS", "wild.fixed", "no tile"),
        (M, {"wild.discard": "scores"}, "CONTRADICTORY_OPTIONS", "wild.discard", "wild.kong"),
        (M, {"wild.limit.gold": 2}, "CONTRADICTORY_OPTIONS", "wild.limit.gold", "cap.gold"),
        (M, {"bao": ["qqr_not_ready"]}, "CONTRADICTORY_OPTIONS", "bao", "quanqiuren"),
        (M, {"hu.types.longqi": {}}, "CONTRADICTORY_OPTIONS", "hu.types.longqi", "seven_pairs"),
        (M, {"hu.shapes": []}, "CONTRADICTORY_OPTIONS", "hu.shapes", "at least one"),
        (M, {"hu.situational.haidi": {}}, "CONTRADICTORY_OPTIONS", "hu.haidi.last", "last draws"),
        (M, {"tiles.suits": [], "tiles.honours": []}, "CONTRADICTORY_OPTIONS", "tiles.suits", "without tiles"),
        (M, {"down.tiles": ["z7"]}, "CONTRADICTORY_OPTIONS", "down.tiles", "turned wild"),
        (M, {"tiles.honours": ["1m"]}, "CONTRADICTORY_OPTIONS", "tiles.honours", "z1 to z7"),
        (
            M,
            {"wild.source": "indicator_same", "down.tiles": ["indicator"]},
            "CONTRADICTORY_OPTIONS",
            "down.tiles",
            "put down only where",
        ),
        ("poker", {}, "UNKNOWN_RULE_SET", "game", "there are doudizhu, mahjong"),
        (None, {}, "UNKNOWN_RULE_SET", "game", "there are doudizhu, mahjong"),
    ],
    ids=lambda value: schema.short(value)[:40],
)
def test_a_fault_is_named(game: Any, values: Any, reason: str, path: str, words: str) -> None:
    with pytest.raises(errors.RulesError) as caught:
        rules.custom(game, values)
    assert (caught.value.reason, caught.value.path) == (reason, path)
    assert words in caught.value.message


@pytest.mark.parametrize("name", ["huanel", "", None, 7, "HUANLE"])
def test_an_unknown_rule_set_is_named_with_the_nearest(name: Any) -> None:
    with pytest.raises(errors.RulesError) as caught:
        rules.load(name)
    assert (caught.value.reason, caught.value.path) == ("UNKNOWN_RULE_SET", "preset")
    assert name != "huanel" or 'did you mean "huanle"' in caught.value.message


@pytest.mark.parametrize("game", ["doudizhu", "mahjong"])
def test_every_option_tells_what_it_means_and_takes_its_default(game: Any) -> None:
    names = [option.name for option in rules.options(game)]
    assert len(set(names)) == len(names)
    assert not set(names) & set(rules.decisions(game)), "a decision has the name of an option"
    for option in rules.options(game):
        assert option.doc, option.name
        assert option.values, option.name
    stated = {
        option.name: option.default for option in rules.options(game) if option.name in rules.custom(game, {}).options()
    }
    assert rules.custom(game, stated).rules == rules.custom(game, {}).rules


def test_numbers_are_taken_as_they_are_written() -> None:
    for written, exact in (
        (1.5, "3/2"),
        ("1.5", "3/2"),
        ("3/2", "3/2"),
        (0.1, "1/10"),
        (2, "2"),
        (Fraction(7, 3), "7/3"),
    ):
        honghu = rules.load("honghu", {"score.big.zimo": written}).rules
        assert isinstance(honghu, rules.MahjongRules)
        assert str(honghu.score.big.zimo) == exact


def _junk(rng: Any, depth: int = 0) -> Any:
    words = [
        "none",
        "off",
        "on",
        "natural",
        "single",
        "z5",
        "1m",
        "indicator",
        "rocket",
        "3/2",
        "",
        "\0",
        "癞",
        "9" * 50,
    ]
    kinds: list[Any] = [
        lambda: rng.choice(words),
        lambda: rng.choice([0, -1, 5, 10**30, 1.5, float("inf"), float("nan"), True, None]),
        lambda: [_junk(rng, depth + 1) for _ in range(rng.randrange(3))],
        lambda: {rng.choice([*words, "start", "5", 5]): _junk(rng, depth + 1) for _ in range(rng.randrange(3))},
    ]
    return rng.choice(kinds[: 4 if depth < 3 else 2])()


@pytest.mark.parametrize("game", ["doudizhu", "mahjong"])
def test_any_value_is_taken_or_named(game: Any, rng: Any, samples: Any) -> None:
    names = [option.name for option in rules.options(game)]
    for _ in range(samples(2000)):
        values = {
            rng.choice([*names, rng.choice(names).rpartition(".")[0], "nothing"]): _junk(rng)
            for _ in range(rng.randrange(1, 4))
        }
        try:
            made = rules.custom(game, values)
        except errors.RulesError as error:
            named = error
        else:
            assert rules.custom(game, made.options()).rules == made.rules
            continue
        assert named.reason in errors.ErrorReason
        assert len(named.message) < 1000


def test_short_quotes_anything_in_a_line() -> None:
    assert len(schema.short("x" * 10_000)) < 100
    assert schema.short(10**5000) == "a very large number"
