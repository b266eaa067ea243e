"""Commands that ask: the examples of their help, equal answers of library and service, errors, colour."""

import json
import re
import subprocess
import sys

import pytest
from google.protobuf import json_format

from laizi.v1 import doudizhu_pb2
from laizi_service import cli
from laizi_service.display import width
from tests.service.command_line import TARGET, commands, examples, invoke, on_terminal, write_files

COMMANDS = dict(commands())
ASKING = [
    line
    for name, command in COMMANDS.items()
    for line in examples(command)
    if any(option.name == "target" for option in command.params) and name not in ("laizi probe", "laizi replay")
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with the files that the examples name."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_that_run(name, folder, target):
    lines = examples(COMMANDS[name])
    assert lines
    for line in lines:
        assert line.startswith(f"{name} ") or line == name
        result = invoke(line.replace(TARGET, target))
        assert result.exit_code == 0, (line, result.output)
        # What they show is worth a look: no example is refused.
        assert "illegal" not in result.output


def test_the_list_of_commands_says_what_their_help_says_without_importing_them():
    shown = invoke("laizi --help").stdout
    for name, lazy in cli._COMMANDS.items():
        assert f"  {name}" in shown
        assert lazy.line in shown
    program = (
        "import sys; from laizi_service.cli import main; main(['--help'], standalone_mode=False); "
        "sys.exit(bool({'grpc', 'google.protobuf', 'laizi.mahjong', 'rich'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL).returncode == 0


@pytest.mark.parametrize("line", ASKING)
def test_a_service_answers_what_the_library_answers(line, folder, target):
    for asked in (line, f"{line} --json"):
        local, remote = invoke(asked), invoke(f"{asked} --target {target}")
        assert (remote.exit_code, remote.output) == (local.exit_code, local.output)


@pytest.mark.parametrize("line", ASKING)
def test_json_is_the_answer_of_the_api_one_object_a_line(line, folder):
    result = invoke(line if "--json" in line else f"{line} --json")
    assert result.stderr == ""
    objects = [json.loads(text) for text in result.stdout.splitlines()]
    assert len(objects) == (2 if line.startswith("laizi rules diff") else 1)


def test_json_parses_into_the_message_of_the_contract():
    answer = json_format.Parse(invoke("laizi read 3337 -w 7 --json").stdout, doudizhu_pb2.ReadPlayResponse())
    assert [reading.code for reading in answer.readings] == ["bomb:3:4:soft", "triple_1:3:1"]


@pytest.mark.parametrize(
    ("line", "told", "text", "wrong"),
    [
        ("laizi read 3334B", "cards: 'B' at character 4 is no rank", "3334B", "B"),
        ("laizi read 3 -w 7B", "wilds.ranks: 'B' at character 1", "7B", "B"),
        ("laizi plays 红桃3小王小王", "hand: 2 cards of rank X", "红桃3小王小王", "小王"),
        ("laizi hu 一万东Q", "concealed: 'Q' at character 3", "一万东Q", "Q"),
        ("laizi hu '123m | 9x9x'", "melds[0].tiles: '9' at character 0", "9x9x", "9x9x"),
        ("laizi hu '123m | 5m5m5m5m'", "which kong is it?", "5m5m5m5m", "5m5m5m5m"),
        ("laizi compare 33 44=pear:4:1", "previous.reading: ", "", ""),
        ("laizi auction 0:call 1:cal", "'cal' is none of bid, call", "1:cal", "cal"),
        ("laizi auction 0:call=2", "call takes no number", "0:call=2", "call"),
        ("laizi auction 0", "a seat and a colon come first", "0", "0"),
        ("laizi hu 11m --state put_downs=x", "a whole number is wanted here", "put_downs=x", "x"),
        ("laizi hu 11m --state put_ups=1", "'put_ups' is none of put_downs", "put_ups=1", "put_ups"),
        ("laizi hu 11m --factors 1:openings", "a whole number is wanted here", "openings", "openings"),
        ("laizi settle doudizhu --out 7", "seats are 0 to 2, not 7", "", ""),
        ("laizi settle doudizhu --plays 1,2", "three numbers are wanted", "1,2", "1,2"),
        ("laizi settle doudizhu --extra dance=a", "a whole number is wanted here", "dance=a", "a"),
        ("laizi settle doudizhu --bomb soggy", "'soggy' is none of soft, hard", "soggy", "soggy"),
        ("laizi read 3 -r hunle", 'did you mean "huanle"?', "", ""),
        ("laizi read 3 -r hongzhong", "is a rule set of mahjong, not doudizhu", "", ""),
        ("laizi read 3 -r no.toml", "no.toml: No such file", "", ""),
        ("laizi read 3 -o wild.alnoe=1", 'did you mean "wild.alone"?', "", ""),
        ("laizi read 3 -o wild.alone", "NAME=VALUE", "wild.alone", ""),
        ("laizi rules diff huanle honghu", "huanle is of doudizhu, honghu of mahjong", "", ""),
    ],
)
def test_an_error_is_one_line_with_a_caret_under_the_wrong_place(line, told, text, wrong, target):
    for asked in (line, f"{line} --json", f"{line} --target {target}"):
        result = invoke(asked)
        assert (result.exit_code, result.stdout) == (2, ""), result.output
        first, *pointing = result.stderr.splitlines()
        assert first.startswith("Error: ")
        assert told in first
        if text:
            place = text.rindex(wrong) if wrong else len(text)
            assert pointing == [f"  {text}", f"  {' ' * width(text[:place])}^"]
        else:
            assert pointing == []


def test_a_target_that_does_not_answer_is_told_in_one_line():
    result = invoke("laizi read 33 --target 127.0.0.1:1")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: 127.0.0.1:1 does not answer: no laizi service can be reached there\n"


def test_something_else_that_answers_is_told_in_one_line(server):
    result = invoke(f"laizi read 33 --target 127.0.0.1:{server.metrics_port} --timeout 5")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1


def test_the_library_serves_the_rule_sets_of_the_folder_that_a_service_would(folder):
    assert (
        "wilds may not be played alone" in invoke("laizi read 77 -w 7 -r mine", LAIZI_RULES_FOLDER=str(folder)).stdout
    )
    (folder / "mine.toml").write_text("name =", encoding="utf-8")
    broken = invoke("laizi read 77 -r mine", LAIZI_RULES_FOLDER=str(folder))
    assert (broken.exit_code, broken.stdout) == (1, "")
    assert "mine.toml:1:" in broken.stderr
    assert invoke("laizi read 77", LAIZI_THREADS="none").exit_code == 2


def test_a_terminal_gets_colours_and_the_same_text():
    pytest.importorskip("rich")
    arguments = ("read", "♦3 ♥3 ♠3 ♥7 小王 10", "-w", "7")
    coloured = on_terminal(*arguments)
    plain = invoke(f"laizi read '{arguments[1]}' -w 7").stdout
    assert "\x1b[" in coloured
    assert "\x1b[" not in plain
    assert on_terminal(*arguments, NO_COLOR="1") == plain
    assert on_terminal(*arguments, TERM="dumb") == plain


ESCAPE = re.compile("\x1b\\[[0-9;]*m")
WIDE = ("hu", "111222m 99m 5m 9p 9p | 8m8m8m@3", "-r", "honghu", "--turned", "8p", "--win", "5m", "--on", "discard")


@pytest.mark.parametrize("arguments", [WIDE, ("rules", "list"), ("plays", "33445", "-w", "4")])
def test_colours_change_no_letter(arguments):
    plain = on_terminal(*arguments, NO_COLOR="1")
    assert ESCAPE.sub("", on_terminal(*arguments)) == plain
    # Where a terminal is too narrow for a table, its lines run on.
    assert ESCAPE.sub("", on_terminal(*arguments, COLUMNS="30")) == plain


def test_the_last_column_of_a_wide_table_is_folded_and_no_other():
    shown = ESCAPE.sub("", on_terminal("rules", "show", "huanle", COLUMNS="150")).splitlines()
    assert max(map(width, shown)) <= 150
    plain = on_terminal("rules", "show", "huanle", NO_COLOR="1").splitlines()
    assert max(map(width, plain)) > 150
    names = [line.split()[0] for line in plain[1:]]
    assert [line.split()[0] for line in shown[1:] if line.startswith("  ") and line[2] != " "] == names


def test_without_rich_a_terminal_gets_the_plain_text():
    assert on_terminal("read", "3337", "-w", "7", without_rich=True) == invoke("laizi read 3337 -w 7").stdout


def test_red_cards_are_red_and_stand_ins_are_marked():
    pytest.importorskip("rich")
    coloured = on_terminal("read", "♦3 ♥3 ♠3 ♥7", "-w", "7")
    assert "\x1b[31m♥3\x1b[0m" in coloured
    assert "\x1b[1m♠3\x1b[0m" in coloured
    assert "\x1b[35m→ 3\x1b[0m" in coloured


@pytest.mark.parametrize("line", ["laizi read 33 --target a:1,b:2", "laizi probe a:1,b:2"])
def test_a_target_that_is_none_is_told_in_a_line(line):
    result = invoke(line)
    assert result.exit_code == 2
    assert "the target 'a:1,b:2' has several parts" in result.output
