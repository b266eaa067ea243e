"""``laizi bench overload``: more calls than the service can answer, and what becomes of those that it takes.

A storm of calls comes at a multiple of the service's capacity. The server's own counters tell how many it answered and
how many it sent away; a few calls of ours among them, sent at a fixed rate, are a sample of how long each kind waits.
"""

from __future__ import annotations

import functools
import statistics
import time
from collections import Counter
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any, Final

from laizi_bench import h2load
from laizi_bench.load import Clients, Load, Taken
from laizi_bench.served import Served
from laizi_bench.workload import KINDS

__all__ = ["Overload", "measure", "table"]

_SAMPLE_RATE: Final = 50.0
_IN_FLIGHT: Final = 64
_SETTLE: Final = 2.0
"""Seconds of a load before it is counted: connections are made, queues fill."""
_BATCHES: Final = 4


@dataclass
class Overload:
    """What one kind of call did at and beyond the capacity of the service. One value a round; calls a second."""

    kind: str
    times: float
    peak: list[float] = field(default_factory=list)
    """Answered in a closed loop: the capacity."""
    offered: list[float] = field(default_factory=list)
    """Handled or sent away in the storm: what really arrived."""
    goodput: list[float] = field(default_factory=list)
    """Answered in the storm."""
    quiet_p99: list[float] = field(default_factory=list)
    """Seconds, of the sample without a storm."""
    storm_p99: list[float] = field(default_factory=list)
    """Seconds, of the sample's accepted calls in the storm."""
    refused: Counter[str] = field(default_factory=Counter)
    """Calls of the storm that were not answered, by status."""

    def plain(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "name": f"{self.kind} at {self.times:g} × capacity",
            "metrics": {
                "peak_per_second": self.peak,
                "offered_per_second": self.offered,
                "goodput_per_second": self.goodput,
                "quiet_p99_ms": [one * 1e3 for one in self.quiet_p99],
                "storm_p99_ms": [one * 1e3 for one in self.storm_p99],
            },
            "refused": dict(self.refused),
        }


def measure(
    served: Served,
    clients: Clients,
    kind: str,
    hands: int,
    times: float,
    rounds: int,
    seconds: float,
    seed: int,
    told: Callable[[str], None],
) -> Overload:
    """Measure a service that was started here: capacity, then a storm of ``times`` as many calls, once a round."""
    made = Overload(kind if hands == 1 else f"{kind} of {hands}", times)
    fast = h2load.available() and hands == 1

    def rates(wanted: Load) -> dict[str, float]:
        length = seconds + _SETTLE + 1
        if fast:
            return _answered(served, kind, seconds, lambda: h2load.run(served.targets, wanted, length))
        return _answered(served, kind, seconds, lambda: clients.run(served.target, wanted, length))

    for _ in range(rounds):
        told(f"{made.kind}: capacity")
        capacity = rates(Load(kind, hands, _IN_FLIGHT if hands == 1 else _BATCHES, seed=seed))["OK"]
        made.peak.append(capacity)
        sample = Load(kind, hands, 0, min(_SAMPLE_RATE, capacity / 10), seed)
        told(f"{made.kind}: calm")
        _, calm = clients.beside(served.target, sample, seconds, lambda: time.sleep(seconds))
        made.quiet_p99.append(_p99(calm))
        told(f"{made.kind}: {times:g} × capacity")
        storm = functools.partial(rates, Load(kind, hands, 0, times * capacity, seed))
        found, among = clients.beside(served.target, sample, seconds + _SETTLE, storm)
        made.goodput.append(found.pop("OK", 0.0))
        made.offered.append(made.goodput[-1] + sum(found.values()))
        made.storm_p99.append(_p99(among))
        made.refused.update({code: round(rate * seconds) for code, rate in found.items()})
    return made


def _answered(served: Served, kind: str, seconds: float, run: Callable[[], Taken]) -> dict[str, float]:
    """Calls a second that the server counted while ``run`` ran, by status, once queues have filled."""
    counted = KINDS[kind].counted
    with futures.ThreadPoolExecutor(1) as beside:
        running = beside.submit(run)
        time.sleep(_SETTLE)
        before, start = served.handled(*counted), time.perf_counter()
        time.sleep(seconds)
        after, elapsed = served.handled(*counted), time.perf_counter() - start
        running.result()
    return {code: (count - before.get(code, 0.0)) / elapsed for code, count in after.items()}


def _p99(taken: Taken) -> float:
    ordered = sorted(taken.latencies)
    return ordered[min(int(len(ordered) * 0.99), len(ordered) - 1)] if ordered else float("nan")


def table(made: Overload) -> str:
    """Return what it did, as text."""
    median = statistics.median
    peak, offered, goodput = map(median, (made.peak, made.offered, made.goodput))
    codes = ", ".join(f"{code} {count:,}" for code, count in sorted(made.refused.items())) or "none"
    return "\n".join(
        (
            f"{made.kind}, arrivals at {made.times:g} × capacity",
            f"  capacity           {peak:>10,.0f} calls/s in a closed loop",
            f"  arrived            {offered:>10,.0f} calls/s ({offered / peak:.1f} ×)",
            f"  goodput            {goodput:>10,.0f} calls/s ({goodput / peak:.0%} of capacity)",
            f"  p99 when calm      {median(made.quiet_p99) * 1e3:>10,.1f} ms",
            f"  p99 of accepted    {median(made.storm_p99) * 1e3:>10,.1f} ms",
            f"  sent away          {sum(made.refused.values()):>10,} ({codes})",
        )
    )
