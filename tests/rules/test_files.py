"""Rule set files: every problem with its line, house rule sets all or nothing, and a registry that swaps at once."""

import threading
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from laizi import errors, rules
from laizi.rules.locate import locate

HOUSE = """\
# Our table: huanle, but wilds never alone, and long bombs count more.
name = "house"
extends = "huanle"
title = { en = "Our table", zh = "本店癞子" }

[options]
wild.alone = "forbidden"
bomb.size = { max = 8, size_first = true }
score.bomb.by_size = { "5" = 3, "6" = 4 }
read.lead_default = "prefer_non_bomb"

[sources]
"wild.alone" = ["D4-17"]
"bomb.size" = ["H-01"]
"score.bomb.by_size" = ["H-02"]
"read.lead_default" = ["D5-03"]

[clauses]
H-01 = "Bombs have up to eight cards, and the longer one beats the shorter."
H-02 = "A bomb of five cards counts ×3, one of six ×4."
"""


def problems(text: str) -> list[tuple[int, int, str, str]]:
    return [(found.line, found.column, found.option, str(found.reason)) for found in rules.check(text, "mine.toml")]


def test_a_house_variant_needs_one_file_and_no_code() -> None:
    assert rules.check(HOUSE) == []
    house = rules.parse(HOUSE)
    assert (house.name, house.game, house.title["zh"]) == ("house", "doudizhu", "本店癞子")
    assert isinstance(house.rules, rules.DoudizhuRules)
    assert house.rules.bomb.size.max == 8
    assert house.cite("wild.alone", "bomb.size.max", "bomb.size.size_first") == ("D4-17", "H-01")
    assert house.cite("auction.passed_may_rob") == ("D6-15",), "what it does not change keeps its clause"
    assert house.clauses["H-02"].startswith("A bomb of five")


def test_a_line_for_each_problem() -> None:
    text = """\
name = "mine"
extends = "huanle"
colour = "red"

[options]
wild.alnoe = "natural"
kick = { quad = ["two_cards"], soft_quad = "no" }
seq.single = 2

[sources]
"kick.quad" = ["D4-24"]
"seq.sinlge" = ["D4-25"]
"score.bomb" = ["D9-99"]
"double" = "D6-21"
"""
    assert problems(text) == [
        (3, 1, "colour", "UNKNOWN_OPTION"),
        (12, 1, "sources.seq.sinlge", "UNKNOWN_OPTION"),
        (13, 1, "sources.score.bomb", "UNKNOWN_CLAUSE"),
        (14, 1, "sources.double", "WRONG_OPTION_TYPE"),
        (6, 1, "wild.alnoe", "UNKNOWN_OPTION"),
        (7, 32, "kick.soft_quad", "WRONG_OPTION_TYPE"),
        (8, 1, "seq.single", "BAD_OPTION_VALUE"),
    ]
    messages = [str(found) for found in rules.check(text, "mine.toml")]
    assert 'mine.toml:6:1: wild.alnoe: unknown option; did you mean "wild.alone"?' in messages


HEAD = 'name = "mine"\nextends = "huanle"\n'


@pytest.mark.parametrize(
    ("text", "line", "column", "option", "reason"),
    [
        ("", 1, 1, "name", "WRONG_OPTION_TYPE"),
        ('name = "x"', 1, 1, "game", "UNKNOWN_RULE_SET"),
        ('name = "x"\ngame = "poker"', 2, 1, "game", "UNKNOWN_RULE_SET"),
        ('name = "x"\ngame = "mahjong"\nextends = "huanle"', 2, 1, "game", "CONTRADICTORY_OPTIONS"),
        ('name = "no name"\ngame = "mahjong"', 1, 1, "name", "WRONG_OPTION_TYPE"),
        ('name = 3\ngame = "mahjong"', 1, 1, "name", "WRONG_OPTION_TYPE"),
        ('name = "huanle"\ngame = "doudizhu"', 1, 1, "name", "CONTRADICTORY_OPTIONS"),
        ('name = "x"\nextends = "huanel"', 2, 1, "extends", "UNKNOWN_RULE_SET"),
        ('name = "x"\nextends = 3', 2, 1, "extends", "WRONG_OPTION_TYPE"),
        ('name = "x"\nextends = "x"', 2, 1, "extends", "CONTRADICTORY_OPTIONS"),
        ('name = "x"\n\nwild = = 3', 3, 8, "", "MALFORMED_RULES"),
        ('name = "x', 1, 10, "", "MALFORMED_RULES"),
        ('name = "x"\nextends = "huanle"\nextends = "wuhan"', 3, 18, "", "MALFORMED_RULES"),
        ("x = " + "9" * 5000, 1, 1, "", "MALFORMED_RULES"),
        ("x = " + "[" * 5000, 1, 1, "", "MALFORMED_RULES"),
        ("#" + "x" * 300_000, 1, 1, "", "MALFORMED_RULES"),
        (HEAD + "options = 3", 3, 1, "options", "WRONG_OPTION_TYPE"),
        (HEAD + "title = { en = 3 }", 3, 1, "title", "WRONG_OPTION_TYPE"),
        (HEAD + "[options]\nseq.single = 6", 4, 1, "seq.single", "MISSING_SOURCE"),
        (HEAD + "[options]\nshow = 'off'", 4, 1, "show", "MISSING_SOURCE"),
        (HEAD + "[options.seq]\nsingle = 6", 4, 1, "seq.single", "MISSING_SOURCE"),
        (HEAD + "[options]\n\n\n  'seq' . single = '6 '", 6, 3, "seq.single", "WRONG_OPTION_TYPE"),
        (HEAD + "[options]\nseq = { pair = 3, single = [6] }", 4, 19, "seq.single", "WRONG_OPTION_TYPE"),
        (
            HEAD + "[options]\nbomb.chain = 2\n[sources]\n'bomb.chain' = ['D1-01']",
            4,
            1,
            "bomb.order",
            "CONTRADICTORY_OPTIONS",
        ),
        (HEAD + "[sources]\n'wild.alone' = []", 4, 1, "sources.wild.alone", "WRONG_OPTION_TYPE"),
        (HEAD + "[sources]\n'wild.alone' = [3]", 4, 1, "sources.wild.alone", "WRONG_OPTION_TYPE"),
        (HEAD + "[clauses]\nhouse = 'x'", 4, 1, "clauses.house", "UNKNOWN_CLAUSE"),
        (HEAD + "[clauses]\nH-01 = ' '", 4, 1, "clauses.H-01", "WRONG_OPTION_TYPE"),
        (HEAD + "[clauses]\nD6-01 = 'x'", 4, 1, "clauses.D6-01", "CONTRADICTORY_OPTIONS"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_problem_has_its_place(text: str, line: int, column: int, option: str, reason: str) -> None:
    assert (line, column, option, reason) in problems(text)
    with pytest.raises(errors.RulesError) as caught:
        rules.parse(text)
    assert caught.value.reason in errors.ErrorReason


def test_an_option_that_stays_as_it_was_needs_no_source() -> None:
    assert problems(HEAD + "[options]\nseq.single = 5\nwild.alone = 'natural'") == []


def test_a_group_s_source_is_that_of_its_options() -> None:
    made = rules.parse(HEAD + "[options]\nshow.start = 6\nshow.deal_early = 5\n[sources]\nshow = ['D6-16']")
    assert made.cite("show.start", "show.deal_early", "show") == ("D6-16",)


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_directory_of_rule_sets_that_extend_each_other(tmp_path: Path) -> None:
    child = 'name = "child"\nextends = "house"\n[options]\nseq.single = 6\n[sources]\n"seq.single" = ["H-01"]\n'
    made = rules.load_directory(write(tmp_path, a_child=child, house=HOUSE))
    assert set(made) == {"child", "house"}
    assert made["child"].options()["wild.alone"] == "forbidden"
    assert made["child"].cite("wild.alone", "seq.single") == ("D4-17", "H-01")
    assert rules.load_directory(tmp_path / ".") == made
    (tmp_path / "notes.txt").write_text("no rule set")
    assert set(rules.load_directory(tmp_path)) == {"child", "house"}


def test_one_problem_in_one_file_refuses_the_directory(tmp_path: Path) -> None:
    write(
        tmp_path,
        house=HOUSE,
        child='name = "child"\nextends = "house"\n[options]\nseq.single = 6\n',
        grandchild='name = "grandchild"\nextends = "child"\n',
        twin=HOUSE,
        circle_a='name = "a"\nextends = "b"\n',
        circle_b='name = "b"\nextends = "a"\n',
        on_circle='name = "c"\nextends = "a"\n',
    )
    (tmp_path / "latin.toml").write_bytes(b'name = "x"\ntitle = "\xe9"\n')
    with pytest.raises(rules.RuleFilesError) as caught:
        rules.load_directory(tmp_path)
    found = {
        (Path(problem.file).name, problem.line, problem.option, str(problem.reason))
        for problem in caught.value.problems
    }
    assert found == {
        ("latin.toml", 2, "", "MALFORMED_RULES"),
        ("child.toml", 4, "seq.single", "MISSING_SOURCE"),
        ("twin.toml", 2, "name", "CONTRADICTORY_OPTIONS"),
        ("circle_a.toml", 2, "extends", "CONTRADICTORY_OPTIONS"),
        ("circle_b.toml", 2, "extends", "CONTRADICTORY_OPTIONS"),
    }
    assert str(caught.value).count("\n") == len(found) - 1


def test_a_directory_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(errors.RulesError) as caught:
        rules.load_directory(tmp_path / "missing")
    assert caught.value.reason == "MALFORMED_RULES"
    assert rules.load_directory(tmp_path) == {}


def test_a_registry_knows_presets_and_house_rule_sets(tmp_path: Path) -> None:
    registry = rules.Registry()
    assert registry.names() == rules.presets()
    registry.replace(rules.load_directory(write(tmp_path, house=HOUSE)))
    assert "house" in registry.names("doudizhu")
    assert "house" not in registry.names("mahjong")
    assert registry.load("house", {"wild.alone": "natural"}).options()["wild.alone"] == "natural"
    with pytest.raises(errors.RulesError) as caught:
        registry.load("hous")
    assert 'did you mean "house"' in caught.value.message
    registry.replace({})
    assert registry.names() == rules.presets()


def test_a_reader_sees_all_old_rule_sets_or_all_new_ones() -> None:
    def named(name: str) -> dict[str, rules.RuleSet]:
        return {f"{name}{index}": rules.custom("doudizhu", {}, f"{name}{index}") for index in range(20)}

    registry = rules.Registry(named("old"))
    seen: list[tuple[int, int]] = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            names = registry.names()
            seen.append((sum(name.startswith("old") for name in names), sum(name.startswith("new") for name in names)))

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(50):
        registry.replace(named("new"))
        registry.replace(named("old"))
        time.sleep(0)
    stop.set()
    reader.join()
    assert set(seen) <= {(20, 0), (0, 20)}


PRESETS = Path(rules.__file__).parent / "presets"


def _keys(table: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """Dotted key → the word that must stand at its place."""
    out: dict[str, str] = {}
    for key, value in table.items():
        out[prefix + key] = key
        if isinstance(value, dict):
            out |= _keys(value, f"{prefix}{key}.")
    return out


@pytest.mark.parametrize("file", sorted(PRESETS.glob("*.toml")), ids=lambda file: file.stem)
def test_every_key_of_a_file_is_found_where_it_stands(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    places = locate(text)
    lines = text.splitlines()
    for key, word in _keys(tomllib.loads(text)).items():
        line, column = places[key]
        rest = lines[line - 1][column - 1 :]
        # The place is that of the whole dotted key as it is written, of which the word is a part.
        assert word in rest, (key, rest)
    assert set(places) == set(_keys(tomllib.loads(text)))


def test_keys_are_found_in_every_form_that_toml_has() -> None:
    text = '''\
a = """
b = 1
""" # c = 2
"d.e" = 'f = 3'
[g . h]  # [i]
j = [ { k = 1 }, { l = "}" }, [1, 2], # m = 3
  { n.o = 1979-05-27 07:32:00 } ]
[[p]]
q = {}
[[p]]
q = \'\'\'[r]\'\'\'
'''
    assert locate(text) == {
        "a": (1, 1),
        "d.e": (4, 1),
        "g": (5, 2),
        "g.h": (5, 2),
        "g.h.j": (6, 1),
        "g.h.j.k": (6, 9),
        "g.h.j.l": (6, 20),
        "g.h.j.n": (7, 5),
        "g.h.j.n.o": (7, 5),
        "p": (8, 3),
        "p.q": (9, 1),
    }


def test_any_text_is_a_rule_set_or_has_a_problem(rng: Any, samples: Any) -> None:
    pieces = [
        *HOUSE.splitlines(keepends=True),
        "[",
        "]",
        "{",
        "}",
        '"',
        "'",
        "=",
        ".",
        "\n",
        "#",
        "options",
        "癞",
        "\0",
        "3",
    ]
    lines = HOUSE.splitlines(keepends=True)
    for _ in range(samples(400)):
        text = list(lines)
        for _ in range(rng.randrange(1, 4)):
            text[rng.randrange(len(text))] = rng.choice(pieces)
        joined = "".join(text)
        found = rules.check(joined)
        count = joined.count("\n") + 1
        assert all(1 <= problem.line <= count and problem.column >= 1 and problem.message for problem in found)
        if not found:
            rules.parse(joined)
