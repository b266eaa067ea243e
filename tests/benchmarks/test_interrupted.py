"""Ctrl-C in a benchmark: one line, and nothing left running."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from laizi_service.launch import Launched

_DEADLINE = 90.0


def session(leader: int) -> dict[int, str]:
    """The processes of a session by their numbers, with what each runs."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_bytes().rsplit(b")", 1)[1].split()
            if int(fields[3]) == leader and fields[0] != b"Z":
                command = (status.parent / "cmdline").read_bytes()
                found[int(status.parent.name)] = command.decode().replace("\0", " ")
        except OSError:
            continue  # It has just ended.
    return found


@pytest.mark.parametrize("moment", ["laizi_service serve", "spawn_main", "measuring"])
def test_it_ends_with_one_line_and_leaves_nothing(moment):
    """At the start of the service, of the clients, and in the middle of it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "laizi_service", "bench", "rpc", "--quick", "--seconds=0.3", "--in-flight=1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # A job in the background of a shell inherits that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        deadline = time.monotonic() + _DEADLINE
        wanted = "spawn_main" if moment == "measuring" else moment
        while not any(wanted in command for command in session(process.pid).values()):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        if moment == "measuring":
            time.sleep(2)  # Later than the clients' start is enough: whatever it does then, it must end alike.
        os.killpg(process.pid, signal.SIGINT)
        said, _ = process.communicate(timeout=_DEADLINE)
        assert process.returncode == 1
        assert said.splitlines()[-1] == "Aborted!"
        assert "Traceback" not in said
        while session(process.pid):
            assert time.monotonic() < deadline, session(process.pid)
            time.sleep(0.05)
    finally:
        for number in session(process.pid):
            os.kill(number, signal.SIGKILL)
        process.wait()


def test_a_service_whose_start_is_interrupted_is_ended(monkeypatch):
    """Also where the interrupt comes when its process runs and nobody has got hold of it yet."""
    started = []

    class Interrupted(subprocess.Popen[str]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            Launched()
        assert [process.poll() is not None for process in started] == [True]
    finally:
        signal.signal(signal.SIGINT, before)
        for process in started:
            process.kill()
            process.communicate()
