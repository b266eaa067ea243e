"""h2load, the load generator of nghttp2, as a client of gRPC: its processor time is a small part of a Python client's.

It sends one request, or one stream of them, over and over and does not see a gRPC status, so whoever uses it counts the
server's answers.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from laizi_bench.load import Load, Taken, numbered
from laizi_bench.workload import KINDS

__all__ = ["H2loadError", "available", "run"]

_WARM_UP: Final = 1
_CONNECTIONS: Final = 4
_CUT_OFF: Final = "0"
"""Its status of what was under way at the end."""
_MANY: Final = 1000
"""Calls that one connection may have under way in an open loop."""


class H2loadError(RuntimeError):
    """h2load did not do what it was asked."""


def available() -> bool:
    """Whether h2load is installed (Debian: nghttp2-client)."""
    return shutil.which("h2load") is not None


def run(targets: tuple[str, ...], load: Load, seconds: float) -> Taken:
    """Load targets for at least a second, each with its share. Raises H2loadError.

    On a stream ``load.hands`` are the messages of each call: all are sent at once, and the call ends with the last
    answer.
    """
    whole = max(1, round(seconds))
    share = Load(load.kind, load.hands, max(1, load.in_flight // len(targets)), load.rate / len(targets), load.seed)
    with tempfile.TemporaryDirectory() as work:
        bodies = KINDS[load.kind].make(load.seed, load.hands)
        framed = Path(work) / "body"
        messages = numbered(bodies, load.hands) if KINDS[load.kind].stream else bodies[:1]
        framed.write_bytes(b"".join(b"\0" + len(one).to_bytes(4, "big") + one for one in messages))
        running = [
            subprocess.Popen(
                _command(target, share, whole, framed, Path(work) / f"log{index}"),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for index, target in enumerate(targets)
        ]
        parts = []
        for index, process in enumerate(running):
            said, _ = process.communicate()
            if process.returncode:
                raise H2loadError(f"h2load ended with code {process.returncode}: {said.strip()[-200:]}")
            parts.append(_read(Path(work) / f"log{index}", whole))
    return Taken.together(parts)


def _command(target: str, load: Load, seconds: int, body: Path, log: Path) -> list[str]:
    if load.rate:
        paced = [f"--rps={load.rate / _CONNECTIONS:.3f}", "-c", str(_CONNECTIONS), "-m", str(_MANY)]
    else:
        connections = min(_CONNECTIONS, load.in_flight)
        paced = ["-c", str(connections), "-m", str(load.in_flight // connections), f"--warm-up-time={_WARM_UP}s"]
    headers = ["-H", "content-type: application/grpc", "-H", "te: trailers"]
    where = [f"--log-file={log}", f"http://{target}{KINDS[load.kind].path}"]
    return ["h2load", "-t1", f"-D{seconds}", *paced, "-d", str(body), *headers, *where]


def _read(log: Path, seconds: float) -> Taken:
    taken = Taken(seconds=seconds)
    for line in log.read_text(encoding="ascii").splitlines():
        _, status, microseconds = line.split("\t")[:3]
        if status == "200":
            taken.latencies.append(int(microseconds) / 1e6)
        elif status != _CUT_OFF:
            taken.refused[f"HTTP {status}"] += 1
    return taken
