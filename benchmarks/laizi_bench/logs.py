"""``laizi bench replay``: rows of a log a second, through the columns and in full, from the file to the results."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from google.protobuf import json_format

from laizi_bench.measure import Case, Measurement, interleave
from laizi_bench.workload import KINDS
from laizi_service.answering import Library
from laizi_service.replay.chunks import replay
from laizi_service.replay.journal import Journal
from laizi_service.replay.rows import KINDS as ROWS
from laizi_service.replay.rows import Defaults, open_log
from laizi_service.settings import Settings

__all__ = ["measure"]

_ASKED = {"read": "read_play", "hu": "check_hu"}


def measure(seed: int, size: int, rounds: int) -> list[Measurement]:
    """Replay ``size`` rows of each kind, once a round, in both ways. A rate counts the processor time."""
    with tempfile.TemporaryDirectory() as folder:
        return interleave(list(_cases(Path(folder), seed, size)), rounds)


def _cases(folder: Path, seed: int, size: int) -> Iterator[Case]:
    library = Library(Settings())
    for asked, kind in _ASKED.items():
        bodies = KINDS[asked].make(seed, 1)
        lines = [
            json.dumps({kind: json_format.MessageToDict(ROWS[kind].request.FromString(body))}) + "\n"
            for body in (bodies * (size // len(bodies) + 1))[:size]
        ]
        log = folder / f"{kind}.jsonl"
        log.write_text("".join(lines), encoding="utf-8")
        for full in (False, True):

            def run(log: Path = log, full: bool = full) -> None:
                with Journal(log, "", restart=True) as journal:
                    replay(open_log(log, None, Defaults()), library, journal, lambda *_: None, full=full)

            name = f"replay {kind}"
            yield Case(f"{name}, full" if full else f"{name}, columns", size, run, f"{name}, full")
