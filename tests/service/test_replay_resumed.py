"""``laizi replay``: what tells that a begun replay must not go on."""

import json
import os
from pathlib import Path

import pytest

from laizi_service.replay.journal import Journal, Progress, fingerprint
from laizi_service.server import Server
from laizi_service.settings import Settings
from tests.service.command_line import MINE, invoke
from tests.service.test_replay import folder, results

__all__ = ["folder"]

GOOD = b'{"read_play": {"cards": {"text": "33"}}}\n'


def stopped_after_a_row(log: Path, **environment: str) -> None:
    """Leave what a replay of a log under huanle leaves that is stopped after its first row."""
    kept: list[str] = []

    class Stopped(Journal):
        def __init__(self, path: Path, key: str, **named: bool) -> None:
            kept.append(key)
            super().__init__(path, key, **named)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("laizi_service.commands.replaying.Journal", Stopped)
        invoke(f"laizi replay {log.name} -r huanle", **environment)
    log.with_name(f"{log.name}.results.jsonl").unlink()
    end = len(log.read_bytes().split(b"\n", 1)[0]) + 1
    with Journal(log, kept[0]) as journal:
        journal.add(["{}"], Progress(1, 0, end, 1))


def test_it_goes_on_only_when_the_same_rules_and_engine_answer(folder, monkeypatch):
    rules = folder / "house"
    rules.mkdir()
    (rules / "mine.toml").write_text(MINE, encoding="utf-8")
    log, house = folder / "plays.jsonl", {"LAIZI_RULES_FOLDER": str(rules)}
    command = "laizi replay plays.jsonl -r huanle"
    stopped_after_a_row(log, **house)
    with Server(Settings(port=0, metrics_port=0, rules_folder=str(rules))) as server:
        refused = invoke(f"{command} --target 127.0.0.1:{server.port}", **house)
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (2, 1)
    assert "with other options, rules or version; --restart begins anew" in refused.stderr
    (rules / "mine.toml").write_text(MINE.replace('"forbidden"', '"natural"'), encoding="utf-8")
    assert invoke(command, **house).stderr == refused.stderr
    (rules / "mine.toml").write_text(MINE, encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr("laizi.__version__", "9.9.9")
        assert invoke(command, **house).stderr == refused.stderr
    done = invoke(command, **house)
    assert (done.exit_code, "going on after 1 rows" in done.stderr) == (0, True)
    assert len(results("plays.jsonl")) == 3


def test_a_log_that_changed_behind_its_first_mebibyte_is_another(folder):
    log = folder / "long.jsonl"
    log.write_bytes(GOOD * 80_000)
    status = log.stat()
    before = fingerprint(log)
    assert fingerprint(log) == before
    with log.open("r+b") as file:
        file.seek(len(GOOD) * 40_000)
        file.write(GOOD.replace(b"33", b"44"))
    assert log.stat().st_size == status.st_size
    assert fingerprint(log) != before
    # A change at the end is told even by one who sets the time back, as cp -p does.
    with log.open("r+b") as file:
        file.seek(len(GOOD) * 79_999)
        file.write(GOOD.replace(b"33", b"44"))
    os.utime(log, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert fingerprint(log) != before
    with log.open("r+b") as file:
        for row in (40_000, 79_999):
            file.seek(len(GOOD) * row)
            file.write(GOOD)
    os.utime(log, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert fingerprint(log) == before
    assert json.loads(log.read_bytes().splitlines()[40_000])
