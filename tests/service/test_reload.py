"""SIGHUP: the rule set files are read anew, all or nothing, while calls run. With a real process."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
import pytest

from laizi import rules
from laizi.errors import ErrorReason
from laizi.v1 import rules_pb2
from laizi_service.client import Client
from laizi_service.rule_sets import RuleSets
from tests.service.requests import selector

HOUSE = """name = "house"
extends = "huanle"
[options]
wild.alone = "{alone}"
[sources]
"wild.alone" = ["HM-01"]
[clauses]
HM-01 = "A wild alone: {alone}."
"""
Process = tuple[Client, Callable[[], None], Callable[[str], str], Callable[[], dict[str, float]]]


def write(folder: Path, alone: str, name: str = "house") -> None:
    text = HOUSE.format(alone=alone).replace('name = "house"', f'name = "{name}"')
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")


@pytest.fixture
def running(tmp_path: Path, fetch: Callable[[int, str], tuple[int, str]]) -> Iterator[Process]:
    """A service of its own: a client; ways to send SIGHUP, to wait for a line of the log, and to read the metrics."""
    write(tmp_path, "natural")
    command = [sys.executable, "-m", "laizi_service", "serve", "--port=0", "--metrics-port=0", "--drain-seconds=0"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LAIZI_")}
    process = subprocess.Popen(
        [*command, f"--rules-folder={tmp_path}"], stderr=subprocess.PIPE, text=True, env=environment
    )
    assert process.stderr is not None
    log: queue.SimpleQueue[str] = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(process.stderr, log))
    reader.start()

    def told(words: str) -> str:
        lines = ""
        while words not in lines:
            lines += log.get(timeout=30)
        return lines

    def metrics() -> dict[str, float]:
        lines = fetch(int(metrics_port), "/metrics")[1].splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return {name: float(value) for name, value in pairs if "reloads" in name}

    try:
        port, metrics_port = re.findall(r"127\.0\.0\.1:(\d+)", told("serves gRPC"))
        with Client(f"127.0.0.1:{port}") as client:
            yield client, lambda: process.send_signal(signal.SIGHUP), told, metrics
        process.terminate()
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stderr.close()


def _read(lines: Iterable[str], into: queue.SimpleQueue[str]) -> None:
    for line in lines:
        into.put(line)


def alone(client: Client, name: str = "house") -> Any:
    answer = client.rules.GetRuleSet(rules_pb2.GetRuleSetRequest(rules=selector(name)))
    assert answer.rule_set.origin == rules_pb2.RULE_SET_ORIGIN_FILE
    return next(option.value.string_value for option in answer.options if option.name == "wild.alone")


def test_a_signal_puts_the_files_in_force_as_they_are_now(running: Process, tmp_path: Path) -> None:
    client, hang_up, told, metrics = running
    assert alone(client) == "natural"
    write(tmp_path, "forbidden")
    write(tmp_path, "forbidden", "second")
    assert alone(client) == "natural"
    hang_up()
    assert "house, second" in told("anew")
    assert (alone(client), alone(client, "second")) == ("forbidden", "forbidden")
    clause = client.rules.GetClause(rules_pb2.GetClauseRequest(id="HM-01"))
    assert clause.text == "A wild alone: forbidden."
    (tmp_path / "house.toml").unlink()
    hang_up()
    told("anew: second")
    with pytest.raises(grpc.RpcError):
        alone(client)
    assert metrics() == {
        'laizi_rule_set_reloads_total{outcome="ok"}': 2,
        'laizi_rule_set_reloads_total{outcome="failed"}': 0,
    }


def test_a_bad_file_changes_nothing_and_is_named_with_its_lines(running: Process, tmp_path: Path) -> None:
    client, hang_up, told, metrics = running
    write(tmp_path, "forbidden")
    bad = 'name = "bad"\nextends = "huanle"\n[options]\nwild.alnoe = "natural"\nkick.plane = 7\n'
    (tmp_path / "bad.toml").write_text(bad, encoding="utf-8")
    hang_up()
    lines = told("stay as they were")
    assert f'{tmp_path / "bad.toml"}:4:1: wild.alnoe: unknown option; did you mean "wild.alone"?' in lines
    assert f"{tmp_path / 'bad.toml'}:5:" in lines
    assert alone(client) == "natural"
    assert metrics()['laizi_rule_set_reloads_total{outcome="failed"}'] == 1
    (tmp_path / "bad.toml").unlink()
    hang_up()
    told("anew: house")
    assert alone(client) == "forbidden"


def test_callers_see_the_old_rules_or_the_new_and_nothing_else(running: Process, tmp_path: Path) -> None:
    client, hang_up, told, _ = running
    write(tmp_path, "natural", "second")
    hang_up()
    told("anew")
    stop = threading.Event()

    def ask() -> set[str]:
        seen = set()
        while not stop.is_set():
            listed = client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest()).rule_sets
            assert {"house", "second"} < {rule_set.name for rule_set in listed}
            digests = {rule_set.digest for rule_set in listed if rule_set.name in ("house", "second")}
            assert len(digests) == 1
            seen.add(alone(client))
        return seen

    with futures.ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(ask) for _ in range(4)]
        for value in ("forbidden", "natural", "forbidden"):
            for name in ("house", "second"):
                write(tmp_path, value, name)
            hang_up()
            told("anew")
        stop.set()
        assert set().union(*(one.result() for one in asked)) <= {"natural", "forbidden"}
    assert alone(client) == "forbidden"


def test_what_is_compiled_of_old_rules_is_not_kept(tmp_path: Path) -> None:
    """Neither what was made before, nor what is being made while the files are read."""
    write(tmp_path, "natural")
    known = RuleSets(8, str(tmp_path))
    old = known.select(selector("house"), "doudizhu")
    assert known.compiled(old, b"", lambda: "old") == "old"

    def reload_meanwhile() -> str:
        known.reload()
        return "made of the old"

    assert known.compiled(old, b"7", reload_meanwhile) == "made of the old"
    assert known.compiled(old, b"7", lambda: "anew") == "anew"
    assert known.compiled(old, b"", lambda: "anew") == "anew"
    write(tmp_path, "forbidden")
    known.reload()
    new = known.select(selector("house"), "doudizhu")
    assert (old.options()["wild.alone"], new.options()["wild.alone"]) == ("natural", "forbidden")
    (tmp_path / "house.toml").write_text("name = ", encoding="utf-8")
    with pytest.raises(rules.RuleFilesError) as caught:
        known.reload()
    assert caught.value.reason is ErrorReason.MALFORMED_RULES
    assert known.select(selector("house"), "doudizhu") is new


def test_rule_sets_with_equal_options_keep_their_own_sources(tmp_path: Path) -> None:
    """What is compiled for one must not answer with the clauses of another."""
    write(tmp_path, "natural")
    known = RuleSets(8, str(tmp_path))
    preset, house = (known.select(selector(name), "doudizhu") for name in ("huanle", "house"))
    assert preset.digest == house.digest
    assert known.compiled(preset, b"", lambda: preset) is preset
    assert known.compiled(house, b"", lambda: house) is house
