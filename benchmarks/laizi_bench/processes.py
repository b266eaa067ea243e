"""What the processes of the service cost: their start, and the counting of calls, in one process and in several."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Final

import grpc
from prometheus_client import generate_latest

from laizi_service.instance import merged_registry, write_as_worker
from laizi_service.launch import Launched
from laizi_service.metrics import Metrics

__all__ = ["measure", "text"]

_WARM_UP: Final = 5_000
_CALLS: Final = 50_000
# What a well-used replica has: each of these has histograms of its own.
_METHODS: Final = 12


def measure(rounds: int) -> list[tuple[str, str, list[float]]]:
    """Return what was measured, its unit and a figure a round."""
    figures: list[tuple[str, str, list[float]]] = [
        (f"start, {name}", "s", [_start(workers) for _ in range(rounds)])
        for workers, name in ((1, "one process"), (2, "two workers"))
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, place in (("one process", []), ("a worker of several", [folder, "0"])):
            counted = [_in_process(place) for _ in range(rounds)]
            figures.append((f"counting one call, {name}", "µs", [one * 1e6 for one in counted]))
        for workers in (2, 8):
            for index in range(workers):
                _in_process([folder, str(index)])
            figures.append((f"scrape, {workers} workers", "ms", [_scrape(folder) * 1e3 for _ in range(rounds)]))
    return figures


def text(figures: Sequence[tuple[str, str, list[float]]]) -> str:
    """Return the figures as a table."""
    lines = [f"{'':40}{'median':>10}{'min':>10}{'max':>10}"]
    for name, unit, values in figures:
        shown = (f"{value:>10.2f}" for value in (statistics.median(values), min(values), max(values)))
        lines.append(f"{name:40}{''.join(shown)}   {unit}")
    return "\n".join(lines)


def _start(workers: int) -> float:
    start = time.perf_counter()
    with Launched(f"--workers={workers}", "--drain-seconds=0"):
        return time.perf_counter() - start


def _scrape(folder: str) -> float:
    start = time.process_time()
    generate_latest(merged_registry(folder))
    return time.process_time() - start


def _in_process(place: Sequence[str]) -> float:
    """Count in a process of its own, because a process writes its figures in one way only."""
    environment = {**os.environ, **({"PROMETHEUS_MULTIPROC_DIR": place[0]} if place else {})}
    command = [sys.executable, "-m", "laizi_bench.processes", *place[1:]]
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def _count_calls(calls: int) -> float:
    """Return the processor time of counting one call as the service counts it, in seconds."""
    metrics = Metrics()
    methods = [metrics.method("unary", "laizi.v1.DoudizhuService", f"Method{number}") for number in range(_METHODS)]
    operations = [metrics.operation("doudizhu", f"operation{number}") for number in range(_METHODS)]
    for one in methods:
        one.handled(grpc.StatusCode.OK, 1e-4)
    method, (hands, engine_seconds) = methods[0], operations[0]
    start = time.process_time()
    for _ in range(calls):
        method.started.inc()
        hands.inc(1)
        engine_seconds.observe(2e-6)
        method.handled(grpc.StatusCode.OK, 1e-4)
    return (time.process_time() - start) / calls


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write_as_worker(int(sys.argv[1]))
    _count_calls(_WARM_UP)
    print(_count_calls(_CALLS))
