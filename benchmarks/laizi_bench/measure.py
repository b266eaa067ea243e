"""Timing: interleaved rounds, medians, one table."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import laizi

__all__ = ["Case", "Measurement", "interleave", "machine", "table"]


@dataclass(frozen=True)
class Case:
    """One thing to measure: a call that answers ``items`` hands, plays or pairs."""

    name: str
    items: int
    run: Callable[[], object]
    beside: str = ""
    """The name of the measurement that this one is a ratio of."""


@dataclass
class Measurement:
    """What the rounds of one case gave."""

    name: str
    items: int
    beside: str = ""
    rates: list[float] = field(default_factory=list)
    """Items a second, one a round."""

    @property
    def median(self) -> float:
        """The median rate in items a second."""
        return statistics.median(self.rates)

    def plain(self) -> dict[str, Any]:
        """Return the measurement as JSON holds it."""
        return {
            "name": self.name,
            "items": self.items,
            "median": round(self.median),
            "min": round(min(self.rates)),
            "max": round(max(self.rates)),
            "metrics": {"per_second": [round(rate) for rate in self.rates]},
            "beside": self.beside,
        }


def interleave(cases: Sequence[Case], rounds: int) -> list[Measurement]:
    """Measure every case once a round, after one round of warm-up: what disturbs the machine disturbs all alike.

    A rate counts the processor time of this thread, so that other processes weigh less.
    """
    measured = [Measurement(case.name, case.items, case.beside) for case in cases]
    for case in cases:
        case.run()
    for _ in range(rounds):
        for case, measurement in zip(cases, measured, strict=True):
            start = time.thread_time_ns()
            case.run()
            elapsed = time.thread_time_ns() - start
            measurement.rates.append(case.items * 1e9 / max(elapsed, 1))
    return measured


def machine() -> dict[str, str]:
    """Tell what the figures were taken on."""
    return {
        "laizi": laizi.__version__,
        "python": platform.python_version(),
        "processor": _processor(),
        "system": platform.platform(),
    }


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="ascii", errors="replace") as lines:
            return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
    except OSError:
        return platform.processor()


def table(measured: Iterable[Measurement]) -> str:
    """Return the measurements as a table that a person reads: millions a second, and ratios within this run."""
    measured = list(measured)
    medians = {measurement.name: measurement.median for measurement in measured}
    width = max(len(measurement.name) for measurement in measured)
    lines = [f"{'':{width}}  {'median':>9} {'min':>9} {'max':>9}   million a second", ""]
    for one in measured:
        ratio = ""
        if one.beside in medians:
            ratio = f"   {one.median / medians[one.beside]:5.2f} × {one.beside}"
        low, high = min(one.rates) / 1e6, max(one.rates) / 1e6
        lines.append(f"{one.name:{width}}  {one.median / 1e6:9.3f} {low:9.3f} {high:9.3f}{ratio}".rstrip())
    return "\n".join(lines)
