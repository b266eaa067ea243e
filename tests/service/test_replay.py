"""``laizi replay``: every row once and in order, whatever is in it and however often the replay is killed."""

import base64
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from laizi import cards
from laizi.errors import ErrorReason
from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2
from laizi_service.answering import Library, Service
from laizi_service.commands import replaying
from laizi_service.replay import chunks, rows
from laizi_service.replay.answers import answer_rows
from laizi_service.replay.journal import Journal, JournalError, Progress, fingerprint
from laizi_service.replay.rows import KINDS, Defaults, open_log
from laizi_service.server import Server
from laizi_service.settings import Settings
from tests.service.command_line import FILES, invoke, on_terminal, write_files

HUANLE = types_pb2.RuleSetSelector(preset="huanle")
ANY_TEXT = st.text(st.characters(), max_size=8)
"""Halves of characters too, which JSON can escape."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results(name: str) -> list[Any]:
    """The results of a log, line by line."""
    text = Path(f"{name}.results.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def log(rng: random.Random, count: int) -> str:
    """A log of plays and questions of both games, some of them wrong, one a line."""
    lines = []
    for number in range(count):
        pack = list(cards.RANKS[:13] * 4 + "XY")
        rng.shuffle(pack)
        kind = rng.randrange(4)
        if kind == 0:
            row = {"can_beat": {"hand": {"text": "".join(pack[:17])}, "previous": {"reading": "pair:9:1"}}}
        elif kind == 1:
            wall = [f"{digit}{suit}" for digit in range(1, 10) for suit in "mps"] * 4
            rng.shuffle(wall)
            row = {"check_hu": {"rules": {"preset": "guangdong_gui"}, "concealed": {"text": " ".join(wall[:14])}}}
        else:
            row = {"read_play": {"cards": {"text": "".join(pack[: rng.randint(1, 6)]) + "Z" * (number % 97 == 5)}}}
        lines.append(json.dumps(row if number % 89 != 7 else [row]))
    return "".join(f"{line}\n" for line in lines)


def test_results_are_the_answers_in_the_form_of_the_stream(folder):
    done = invoke("laizi replay plays.jsonl -r huanle --full")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "plays.jsonl.results.jsonl: 3 rows\n"
    first, second, third = (
        json_format.ParseDict(row, doudizhu_pb2.DoudizhuServiceStreamResponse()) for row in results("plays.jsonl")
    )
    # The row's own number, or the one that it brings along.
    assert (first.correlation_id, second.correlation_id, third.correlation_id) == (1, 70, 3)
    library = Library(Settings())
    asked = doudizhu_pb2.ReadPlayRequest(rules=HUANLE, cards=types_pb2.Cards(text="3337"))
    assert first.read_play == library.ask(KINDS["read_play"].method, asked)
    assert second.read_play.provenance.rule_set == "wuhan"
    assert third.can_beat.can_beat
    assert names(folder) == sorted([*FILES, "plays.jsonl.results.jsonl"])


def test_every_kind_of_a_stream_but_batches_and_columns_may_be_a_row():
    for file, name in ((doudizhu_pb2, "DoudizhuService"), (mahjong_pb2, "MahjongService")):
        fields = getattr(file, f"{name}StreamRequest").DESCRIPTOR.oneofs_by_name["request"].fields
        alone = [field.name for field in fields if not field.name.startswith("batch_") and "columns" not in field.name]
        assert set(alone) <= set(KINDS)
        for kind in alone:
            assert f"{KINDS[kind].method.containing_service.name}" == name
            assert KINDS[kind].method.name.lower() == kind.replace("_", "")


@pytest.mark.parametrize(
    ("line", "reason", "told"),
    [
        (b'{"read_play": {"cards": {"text": "3B"}}}', "UNKNOWN_RANK", "'B' at character 1"),
        (b'{"can_beat": {"hand": {"text": "3B"}, "previous": {"reading": "rocket"}}}', "UNKNOWN_RANK", "'B'"),
        (b"{", "MALFORMED_MESSAGE", "no JSON: Expecting property name"),
        (b"[1]", "MALFORMED_MESSAGE", "a row is an object"),
        (b"{}", "MALFORMED_MESSAGE", "a row names one of read_play"),
        (b'{"read_play": {}, "check_hu": {}}', "MALFORMED_MESSAGE", "not read_play, check_hu"),
        (b'{"batch_read_plays": {}}', "MALFORMED_MESSAGE", "not batch_read_plays"),
        (b'{"read_play": {"crads": {}}}', "MALFORMED_MESSAGE", "crads"),
        (b'{"read_play": 5}', "MALFORMED_MESSAGE", ""),
        (b'{"read_play": {"cards": {"text": "\\ud800"}}}', "MALFORMED_MESSAGE", ""),
        (b'{"read_play": {"cards": {"text": "\xff"}}}', "MALFORMED_MESSAGE", "not UTF-8"),
        (b'{"correlation_id": -1, "read_play": {}}', "MALFORMED_MESSAGE", ""),
        (b'{"correlation_id": ' + b"1" * 5000 + b"}", "MALFORMED_MESSAGE", "no JSON"),
        (b"[" * 200_000, "MALFORMED_MESSAGE", "no JSON"),
        (b'{"read_play": {"cards": {"text": "33"}, "rules": {"preset": "hunle"}}}', "UNKNOWN_RULE_SET", "huanle"),
    ],
)
def test_a_wrong_row_is_told_and_stops_nothing(line, reason, told, folder):
    good = b'{"read_play": {"cards": {"text": "33"}}}'
    (folder / "log.jsonl").write_bytes(good + b"\n\n" + line + b"\n" + good)
    done = invoke("laizi replay log.jsonl -r huanle")
    assert done.exit_code == 1
    assert "log.jsonl:3: " in done.stderr
    assert done.stderr.endswith("log.jsonl.results.jsonl: 3 rows, 1 wrong\n")
    first, wrong, last = results("log.jsonl")
    assert [row["correlationId"] for row in (first, wrong, last)] == ["1", "3", "4"]
    assert first["readPlay"] == last["readPlay"]
    assert wrong["error"]["reason"] == f"ERROR_REASON_{reason}"
    assert told in wrong["error"]["message"]


def test_a_line_longer_than_a_request_may_be_is_skipped_without_being_held(folder, monkeypatch):
    monkeypatch.setattr(rows, "_LONGEST_LINE", 60)
    good = '{"read_play": {"cards": {"text": "33"}}}\n'
    (folder / "log.jsonl").write_text(good + "x" * 100_000 + "\n" + good + "y" * 61, encoding="utf-8")
    invoke("laizi replay log.jsonl -r huanle")
    reasons = [row.get("error", {}).get("reason") for row in results("log.jsonl")]
    assert reasons == [None, "ERROR_REASON_TOO_MANY_ITEMS", None, "ERROR_REASON_TOO_MANY_ITEMS"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["read_play", "check_hu", "cards", "text", "codes", "rules", "custom", "melds", "wilds", "seat"]
                )
                | ANY_TEXT,
                inner,
                max_size=3,
            )
        ),
        max_leaves=12,
    )
)
def test_whatever_a_line_holds_it_gets_one_result(tmp_path_factory, read):
    path = tmp_path_factory.mktemp("junk") / "log.jsonl"
    path.write_text(json.dumps(read) + "\n", encoding="utf-8")
    (row,) = open_log(path, None, Defaults(HUANLE)).rows(0, 0)
    (answer,) = answer_rows(Library(Settings()), [row])
    assert json.loads(answer.line)["correlationId"]
    assert answer.error is None or answer.error.reason != ErrorReason.INTERNAL_FAULT.number


@pytest.mark.parametrize("full", ["", " --full"])
def test_a_service_gives_the_same_results_also_when_it_takes_less_at_once(full, folder, rng):
    (folder / "log.jsonl").write_text(log(rng, 700), encoding="utf-8")
    local = invoke(f"laizi replay log.jsonl -r huanle -w 7{full}")
    alone = (folder / "log.jsonl.results.jsonl").read_text(encoding="utf-8")
    with Server(Settings(port=0, metrics_port=0, max_batch_items=100, max_rows=30)) as small:
        remote = invoke(f"laizi replay log.jsonl -r huanle -w 7{full} --target 127.0.0.1:{small.port}")
    assert (remote.exit_code, remote.output) == (local.exit_code, local.output)
    assert (folder / "log.jsonl.results.jsonl").read_text(encoding="utf-8") == alone
    assert len(alone.splitlines()) == 700


def kill_once_it_writes(command: list[str], state: Path) -> bool:
    """Start a replay and kill it once it has written a chunk more. Returns whether it was killed before its end."""

    def done() -> int:
        with contextlib.suppress(FileNotFoundError):
            return int(json.loads(state.read_text(encoding="utf-8"))["rows"])
        return 0

    before = done()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        if done() > before:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True
        time.sleep(0.01)
    return False


def test_killed_at_any_moment_it_goes_on_without_losing_or_repeating_a_row(folder, rng):
    text = log(rng, 30_000)
    for name in ("whole.jsonl", "killed.jsonl"):
        (folder / name).write_text(text, encoding="utf-8")
    invoke("laizi replay whole.jsonl -r huanle -w 7")
    command = [sys.executable, "-m", "laizi_service", "replay", "killed.jsonl", "-r", "huanle", "-w", "7"]
    partial, state = (folder / f"killed.jsonl.results.jsonl.{end}" for end in ("partial", "state"))
    assert kill_once_it_writes(command, state)
    assert kill_once_it_writes(command, state)
    begun = json.loads(state.read_text(encoding="utf-8"))
    assert 0 < begun["rows"] < 30_000
    assert not (folder / "killed.jsonl.results.jsonl").exists()
    with partial.open("ab") as file:
        file.write(b'{"correlationId": "1", "readPl')  # as if it had died while writing
    done = invoke("laizi replay killed.jsonl -r huanle -w 7")
    assert f"killed.jsonl: going on after {begun['rows']} rows" in done.stderr
    whole, killed = ((folder / f"{name}.jsonl.results.jsonl").read_bytes() for name in ("whole", "killed"))
    assert killed == whole
    assert not partial.exists()
    assert not state.exists()


class Failing(Library):
    """An answerer that gives up after so many questions."""

    def __init__(self, answers: int) -> None:
        super().__init__(Settings())
        self._left = answers

    def ask(self, method: MethodDescriptor, request: Message) -> Any:
        if not self._left:
            raise ConnectionError
        self._left -= 1
        return super().ask(method, request)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_it_goes_on_behind_every_chunk(ending, folder, monkeypatch, rng):
    monkeypatch.setattr(chunks, "_MOST_ROWS", 3)
    path, kind, count = folder / f"log.{ending}", None if ending == "jsonl" else "read_play", 20
    plays = ["3" * rng.randint(1, 4) for _ in range(count)]
    if ending == "jsonl":
        path.write_text("\n\n".join(f'{{"read_play": {{"cards": {{"text": "{play}"}}}}}}' for play in plays))
    elif ending == "csv":
        path.write_text("cards\n" + "\n\n".join(plays))
    else:
        arrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(arrow.table({"cards": plays}), path, row_group_size=8)
    runs = 0
    while True:
        runs += 1
        source = open_log(path, kind, Defaults(HUANLE))
        with Journal(path, "key") as journal:
            try:
                chunks.replay(source, Failing(runs % 3), journal, lambda progress, wrong: None)
            except ConnectionError:
                continue
            break
    assert runs > 5
    answered = results(f"log.{ending}")
    sizes = [row["readPlay"]["readings"][0]["size"] for row in answered]
    assert sizes == list(map(len, plays))
    assert len({row["correlationId"] for row in answered}) == count


def test_a_service_that_goes_away_leaves_what_is_done(folder, monkeypatch, target):
    monkeypatch.setattr(chunks, "_MOST_ROWS", 1_000)
    (folder / "log.jsonl").write_text(FILES["plays.jsonl"] * 400, encoding="utf-8")
    real, gone = Service(target, 10), Service("127.0.0.1:1", 10)
    asked = iter(range(4))  # the rule sets, and enough for the first chunk, not for the second

    def ask(method, request):
        return (gone if next(asked, None) is None else real).ask(method, request)

    with monkeypatch.context() as patched:
        flaky = SimpleNamespace(ask=ask, ask_each=real.ask_each, close=lambda: None)
        patched.setattr(replaying, "connected", lambda target, timeout: flaky)
        stopped = invoke("laizi replay log.jsonl -r huanle --target 127.0.0.1:1")
    assert stopped.exit_code == 1
    assert stopped.stderr == (
        "Error: 127.0.0.1:1 does not answer: no laizi service can be reached there; what is done of log.jsonl is kept, "
        "the same command goes on\n"
    )
    done = invoke(f"laizi replay log.jsonl -r huanle --target {target}")
    assert "log.jsonl: going on after 1000 rows" in done.stderr
    assert len(results("log.jsonl")) == 1200


def test_a_service_that_is_not_there_leaves_nothing(folder):
    before = names(folder)
    stopped = invoke("laizi replay plays.jsonl -r huanle --target 127.0.0.1:1")
    assert (stopped.exit_code, stopped.stderr) == (
        1,
        "Error: 127.0.0.1:1 does not answer: no laizi service can be reached there\n",
    )
    assert names(folder) == before


def test_what_was_begun_otherwise_is_not_gone_on_with(folder):
    log_file = folder / "plays.jsonl"
    with Journal(log_file, "other") as journal:
        journal.add(["{}"], Progress(1, 0, 1, 1))
    refused = invoke("laizi replay plays.jsonl -r huanle")
    assert refused.exit_code == 2
    assert len(refused.stderr.splitlines()) == 1
    assert "--restart begins anew" in refused.stderr
    assert invoke("laizi replay plays.jsonl -r huanle --restart").exit_code == 0
    assert len(results("plays.jsonl")) == 3


def test_what_tells_one_replay_from_another(folder):
    log_file = folder / "plays.jsonl"
    keys = {
        fingerprint(log_file),
        fingerprint(log_file, "a", "b"),
        fingerprint(log_file, "ab"),
        fingerprint(log_file, b"a"),
    }
    log_file.write_text(FILES["plays.jsonl"] + "{}\n", encoding="utf-8")
    keys.add(fingerprint(log_file))
    assert len(keys) == 5


def test_a_damaged_state_is_told(folder):
    log_file = folder / "plays.jsonl"
    with Journal(log_file, "key") as journal:
        journal.add(["{}"], Progress(1, 0, 1, 1))
    partial, state = (folder / f"plays.jsonl.results.jsonl.{end}" for end in ("partial", "state"))
    partial.write_bytes(b"")
    with pytest.raises(JournalError, match="has lost results"):
        Journal(log_file, "key")
    state.write_text("{", encoding="utf-8")
    with pytest.raises(JournalError, match="is damaged"):
        Journal(log_file, "key")


def test_two_replays_of_one_log_do_not_mix(folder):
    with Journal(folder / "plays.jsonl", "key"), pytest.raises(JournalError, match="another replay"):
        Journal(folder / "plays.jsonl", "key")


def test_a_table_names_its_columns_by_the_fields(folder):
    (folder / "hands.csv").write_text(
        "\ufeffconcealed,melds[0].tiles,melds[0].kind,winning_tile,circumstances.mode,rules\n"
        "111222m 99m 5m 9p 9p,8m8m8m,peng,5m,discard,honghu\n"
        "123m,,,,,\n"
        "11m,8m8m8m,pong,,,\n"
        "11m,too few\n"
        '"11m,,,,\n',
        encoding="utf-8",
    )
    invoke("laizi replay hands.csv --as check_hu -r honghu -w 9p")
    win, wrong, enum, few, quote = results("hands.csv")
    assert [row["correlationId"] for row in (win, wrong, enum, few, quote)] == ["2", "3", "4", "5", "6"]
    assert [kind["name"] for kind in win["checkHu"]["value"]["types"]] == ["pengpenghu", "qingyise"]
    assert wrong["error"]["reason"] == "ERROR_REASON_WRONG_TILE_COUNT"
    assert enum["error"]["message"] == "column melds[0].kind: 'pong' is no MeldKind"
    assert few["error"]["message"] == "2 cells, the header names 6 columns"
    assert "no row of a table" in quote["error"]["message"]


def test_parquet_is_read_like_text(folder):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = {"cards": ["3337", "3B", None], "hand": [None, None, "33"], "last_play": [True, False, None]}
    parquet.write_table(arrow.table(table), folder / "plays.parquet")
    invoke("laizi replay plays.parquet --as read_play -r chosen_wilds -w 7h,7d")
    suitless, wrong, empty = results("plays.parquet")
    assert suitless["error"]["reason"] == "ERROR_REASON_SUIT_MISSING"
    assert wrong["error"]["reason"] == "ERROR_REASON_UNKNOWN_RANK"
    assert empty["error"]["reason"] == "ERROR_REASON_EMPTY_PLAY"


def test_a_table_goes_through_the_columns_as_lines_of_json_do(folder):
    """Text, codes and flags in cells; the same rows as JSON; and the rows that no column takes."""
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    plays = ["3337", "♦3 ♥3", "34567", "3B", "XY"]
    codes = [cards.read("3d 3h").codes(), None, cards.read("7s").codes()]
    parquet.write_table(arrow.table({"cards": plays, "last_play": [True, False, None, None, True]}), "texts.parquet")
    parquet.write_table(arrow.table({"cards": codes}), "codes.parquet")
    rows = [{"cards": {"text": play}} for play in plays]
    for row, last in zip(rows, (True, False, None, None, True), strict=True):
        if last is not None:
            row["last_play"] = last  # type: ignore[assignment]
    coded = [{"cards": {"codes": base64.b64encode(code).decode()}} if code else {} for code in codes]
    for name, requests in (("texts", rows), ("codes", coded)):
        Path(f"{name}.jsonl").write_text("".join(f"{json.dumps({'read_play': row})}\n" for row in requests))
        invoke(f"laizi replay {name}.parquet --as read_play -r huanle -w 7")
        invoke(f"laizi replay {name}.jsonl -r huanle -w 7")
        assert results(f"{name}.parquet") == results(f"{name}.jsonl")
    assert [row.get("readPlay", {}).get("taken") for row in results("texts.parquet")] == [
        *("bomb:3:4:soft", "pair:3:1", "straight:7:5", None, "rocket"),
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("laizi replay plays.csv -r huanle", "of which kind are the rows of a table?"),
        ("laizi replay plays.csv --as read_plays", "of which kind are the rows of a table?"),
        ("laizi replay plays.csv --as check_hu", "column 'cards' is no field of CheckHuRequest"),
        ("laizi replay plays.jsonl --as read_play", "lines of JSON name it themselves"),
        ("laizi replay plays.jsonl -r none.toml", "none.toml: No such file"),
        ("laizi replay plays.parquet --as read_play", "no Parquet file"),
        ("laizi replay empty.csv --as read_play", "there is no header"),
    ],
)
def test_a_log_that_cannot_be_read_leaves_nothing_behind(line, told, folder):
    if "parquet" in line:
        pytest.importorskip("pyarrow")
    (folder / "plays.parquet").write_bytes(b"PAR2")
    (folder / "empty.csv").write_bytes(b"")
    before = names(folder)
    result = invoke(line)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert told in result.stderr
    assert names(folder) == before


def test_parquet_without_pyarrow_is_told(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (folder / "plays.parquet").write_bytes(b"PAR1")
    result = invoke("laizi replay plays.parquet --as read_play")
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: plays.parquet: Parquet needs pyarrow: pip install pyarrow\n",
    )


def most_memory(*arguments: str) -> int:
    """Run a command to its end. Returns the most memory that its process had resident, in bytes."""
    process = subprocess.Popen([sys.executable, "-m", "laizi_service", *arguments], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss * 1024


@pytest.mark.parametrize(
    ("flags", "chunks_"), [(("-r", "huanle"), (1, 8)), (("-r", "huanle", "--full"), (1, 3))], ids=["columns", "full"]
)
def test_memory_does_not_grow_with_the_log(flags, chunks_, folder):
    """A chunk has 8,192 rows or 1 MiB: what is held of one is let go before the next."""
    peaks = []
    for count in chunks_:
        path = folder / f"{count}.jsonl"
        line = '{"can_beat": {"hand": {"text": "33445566"}, "previous": {"reading": "pair:9:1"}}}\n'
        path.write_text(line * (8_192 * count), encoding="utf-8")
        peaks.append(most_memory("replay", path.name, *flags))
    few, many = peaks
    assert many - few < 16 * 1024 * 1024


def test_progress_shows_the_rate_and_the_time_left(folder, monkeypatch):
    monkeypatch.setattr(chunks, "_MOST_ROWS", 1)
    monkeypatch.setattr(replaying._Lines, "_SECONDS", 0.0)
    lines = invoke("laizi replay plays.jsonl -r huanle").stderr.splitlines()
    assert len(lines) == 4
    assert lines[2].startswith("plays.jsonl: 100%, 3 rows, ")
    assert lines[2].endswith(" rows a second, 0 s left")


def test_a_terminal_gets_a_bar_with_the_rate_and_the_time_left():
    pytest.importorskip("rich")
    shown = on_terminal("replay", "plays.jsonl", "-r", "huanle", stream="stderr")
    assert "100%" in shown
    assert "3 rows, " in shown
    assert "0:00:00" in shown
    assert shown.endswith("plays.jsonl.results.jsonl: 3 rows\n")


def test_a_terminal_without_rich_gets_lines():
    shown = on_terminal("replay", "plays.jsonl", "-r", "huanle", stream="stderr", without_rich=True)
    assert shown == "plays.jsonl.results.jsonl: 3 rows\n"
