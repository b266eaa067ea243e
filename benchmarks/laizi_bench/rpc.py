"""``laizi bench rpc``: what the service adds to the engine, from client processes of their own.

The server's processor time is that of its processes, over the calls that its metrics count; the empty echo is
Health/Check of the same server in the same run.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from laizi import mahjong, rules
from laizi_bench import h2load
from laizi_bench.load import Clients, Load, Taken
from laizi_bench.served import Served
from laizi_bench.workload import KINDS, hands_column, largest_column
from laizi_service.client import channel
from laizi_service.settings import Settings

__all__ = ["Bench", "Case", "Plan", "Result", "footnotes", "table"]

BESIDE: Final = Load("hu columns", 50_000, 4)
"""What saturates the threads for batches while small calls are measured."""
_MESSAGES: Final = 1000
_STREAMS: Final = 4
"""Streams under way at once, and the messages of each, where h2load asks: a Python client is too slow for them."""
_STEPS: Final = 20
"""Steps of a histogram in a decade."""
_SHARES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}
_OPEN_SHARE: Final = 0.3
"""Of the calls a second that a closed loop reached, so many arrive in the open one."""
_LARGEST_CALLS: Final = 3
_AROUND: Final = 1.5
"""Seconds for which the columns outlast the small calls beside them, whose warm-up they see, too."""
_ARRIVED: Final = 0.97
"""Less than this share of the rate of an open loop is told."""


@dataclass(frozen=True)
class Case:
    """A row of the table: a load under a name that tells it from all others."""

    name: str
    load: Load


@dataclass
class Result:
    """What the rounds of a case gave."""

    case: Case
    metrics: dict[str, list[float]] = field(default_factory=dict)
    """By name, one value a round: calls and hands a second, percentiles in ms, processor time of the server in µs."""
    histogram: Counter[int] = field(default_factory=Counter)
    """How many calls took 10^(key/20) µs or more, and less than the next key, in all rounds."""
    refused: Counter[str] = field(default_factory=Counter)
    """Calls without an answer, by status."""
    client: str = ""
    """What asked: Python processes or h2load."""
    late: list[float] = field(default_factory=list)
    """The longest that a call of an open loop went out after it was due, in seconds, one a round."""
    busy: float = 0.0
    """The most that a Python client was busy, as a share of the time: near 1 it is the client that is measured."""

    def median(self, metric: str) -> float:
        """The median of the rounds; NaN where there is none."""
        return statistics.median(self.metrics[metric]) if self.metrics.get(metric) else math.nan

    def plain(self) -> dict[str, Any]:
        """Return the result as JSON holds it."""
        load = self.case.load
        return {
            "name": self.case.name,
            "kind": load.kind,
            "hands": load.hands,
            "in_flight": load.in_flight,
            "rate": round(load.rate, 1),
            "client": self.client,
            "late_ms": [round(late * 1e3, 2) for late in self.late],
            "metrics": {name: [float(f"{value:.5g}") for value in values] for name, values in self.metrics.items()},
            "histogram": dict(sorted(self.histogram.items())),
            "refused": dict(self.refused),
        }


@dataclass(frozen=True)
class Plan:
    """What is measured, from the command line."""

    in_flight: Sequence[int]
    batches: Sequence[int]
    columns: Sequence[int]
    rate: float
    """Calls a second of the open loops; 0 takes half of what the closed loop of the first round reached."""
    seconds: float
    rounds: int
    seed: int

    def closed(self, fast: bool) -> Iterator[Case]:
        """Yield the cases in which each client asks again when it is answered; whether a ``fast`` one asks them."""
        for kind in ("echo", "read", "hu"):
            for calls in self.in_flight:
                yield Case(f"{kind}, {calls} in flight", Load(kind, 1, calls, seed=self.seed))
        for kind in ("read stream", "hu stream"):
            if fast:
                yield Case(f"{kind} of {_MESSAGES:,}", Load(kind, _MESSAGES, _STREAMS, seed=self.seed))
            else:
                yield Case(kind, Load(kind, 1, max(self.in_flight), seed=self.seed))
        for form, sizes in (("batch", self.batches), ("columns", self.columns)):
            for size in sizes:
                for game in ("read", "hu"):
                    yield Case(f"{game} {form} of {size:,}", Load(f"{game} {form}", size, 2, seed=self.seed))


class Bench:
    """A service, the clients that ask it, and what came of it."""

    def __init__(self, served: Served, clients: Clients, plan: Plan, told: Callable[[str], None]) -> None:
        """``told`` is called with the name of each case when it begins."""
        self._served, self._clients, self._plan, self._told = served, clients, plan, told
        self._fast = h2load.available() and served.own
        self.results: dict[str, Result] = {}
        self.kernel: list[float] = []
        """Hands a second of the kernel of hu columns in this process, one a round."""

    def run(self) -> None:
        """Measure every case once a round."""
        for _ in range(self._plan.rounds):
            for case in self._plan.closed(self._fast):
                self._measure(case)
            for case in self._opened():
                self._measure(case)
            self._beside()
            self.kernel.append(_kernel(self._plan.seed, max(self._plan.columns)))

    def memory(self) -> dict[str, float] | None:
        """Return what the largest permitted column takes beyond its own size; None for a server elsewhere."""
        if not self._served.own:
            return None
        self._told("the largest column")
        rows = Settings().max_rows
        body = largest_column(self._plan.seed, rows)
        with channel(self._served.targets[0], deadlines=False) as opened:
            before = self._served.resident()
            self._served.forget_most()
            for _ in range(_LARGEST_CALLS):
                ask: Any = opened.unary_unary(KINDS["hu columns"].path)  # bytes, which its type does not foresee
                ask(body)
            most = self._served.most_resident()
        assert before is not None
        assert most is not None
        return {"rows": rows, "bytes": len(body), "rise": most - before, "multiple": (most - before) / len(body)}

    def _opened(self) -> Iterator[Case]:
        """The small calls at a fixed rate, whatever the answers do."""
        for kind in ("echo", "read", "hu"):
            yield Case(f"{kind}, open loop", Load(kind, 1, 0, self._rate(kind), self._plan.seed))

    def _rate(self, kind: str) -> float:
        if self._plan.rate:
            return self._plan.rate
        # Taken from the first round, so that all rounds ask alike.
        best = max(one.metrics["calls_per_second"][0] for one in self._closed_of(kind))
        return float(f"{best * _OPEN_SHARE:.2g}")

    def _closed_of(self, kind: str) -> list[Result]:
        return [one for one in self.results.values() if one.case.load.kind == kind and not one.case.load.rate]

    def _beside(self) -> None:
        """Small calls at a rate, alone and beside columns that keep every thread for batches busy."""
        load = Load("read", 1, 0, self._rate("read") / 2, self._plan.seed)
        self._measure(Case("read, open loop, alone", load))
        case = Case(f"read, open loop, beside columns of {BESIDE.hands:,}", load)
        beside = replace(BESIDE, seed=self._plan.seed)
        seconds = self._plan.seconds + _AROUND
        self._clients.beside(self._served.target, beside, seconds, lambda: self._measure(case, alone=False))

    def _measure(self, case: Case, *, alone: bool = True) -> None:
        """Run one case for one round. The server's processor time is the case's only where it is ``alone``."""
        self._told(case.name)
        load = case.load
        ask = KINDS[load.kind]
        fast = self._fast and not load.rate and (load.hands == 1 or bool(ask.stream))
        counted, cpu = self._counted(load), self._served.cpu()
        taken = (
            h2load.run(self._served.targets, load, self._plan.seconds)
            if fast
            else self._clients.run(self._served.target, load, self._plan.seconds)
        )
        used, handled = self._served.cpu(), self._counted(load) - counted
        result = self.results.setdefault(case.name, Result(case))
        result.client = "h2load" if fast else "python"
        result.busy = max(result.busy, taken.busy)
        result.late.append(taken.late)
        result.refused += taken.refused
        failed = Counter({code: count for code, count in handled.items() if code != "OK"})
        if fast:
            result.refused += failed
        _add(result, taken)
        if alone and cpu is not None and used is not None and handled.total():
            result.metrics.setdefault("server_cpu_us", []).append((used - cpu) / handled.total() * 1e6)

    def _counted(self, load: Load) -> Counter[str]:
        if not self._served.own:
            return Counter()
        found = self._served.handled(*KINDS[load.kind].counted)
        return Counter({code: int(count) for code, count in found.items()})


def _add(result: Result, taken: Taken) -> None:
    """Add a round."""
    ordered = sorted(taken.latencies)
    if not ordered:
        return
    calls = len(ordered) / taken.seconds
    values = {"calls_per_second": calls, "hands_per_second": calls * result.case.load.hands}
    values |= {
        f"{name}_ms": ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1e3 for name, share in _SHARES.items()
    }
    for name, value in values.items():
        result.metrics.setdefault(name, []).append(value)
    result.histogram.update(math.floor(math.log10(max(one, 1e-6) * 1e6) * _STEPS) for one in ordered)


def _kernel(seed: int, hands: int) -> float:
    """Hands a second that the kernel of hu columns judges in this process, on one thread."""
    evaluator = mahjong.Evaluator(rules.load("guangdong_gui"), "z7")
    rows = hands_column(seed, hands)
    evaluator.check_columns(rows)
    start = time.thread_time_ns()
    calls = 0
    while (elapsed := time.thread_time_ns() - start) < 100_000_000:
        evaluator.check_columns(rows)
        calls += 1
    return calls * hands * 1e9 / elapsed


# ----------------------------------------------------------------------------------------------------------- as text


def table(results: Iterable[Result]) -> str:
    """Return the medians as a table that a person reads."""
    results = list(results)
    head = ("", "calls/s", "±", "hands/s", "p50 ms", "p90", "p99", "p99.9", "CPU µs", "× echo")
    rows = []
    for one in results:
        rates, cpu, echo = one.metrics.get("calls_per_second", []), one.median("server_cpu_us"), _echo(one, results)
        rows.append(
            (
                one.case.name + (f" of {one.case.load.rate:,.0f}/s" if one.case.load.rate else ""),
                f"{one.median('calls_per_second'):,.0f}",
                f"{(max(rates) - min(rates)) / 2 / statistics.median(rates):.0%}" if len(rates) > 1 else "",
                f"{one.median('hands_per_second'):,.0f}",
                *(f"{one.median(f'{name}_ms'):.2f}" for name in _SHARES),
                "" if math.isnan(cpu) else f"{cpu:,.0f}",
                f"{cpu / echo:,.2f}" if cpu > 0 and echo > 0 and _small(one) else "",
            )
        )
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in (head, *rows)
    ]
    return "\n".join(line.rstrip() for line in lines)


def _small(one: Result) -> bool:
    """Whether each request asks about one hand."""
    return one.case.load.hands == 1 or bool(KINDS[one.case.load.kind].stream)


def _echo(one: Result, results: Sequence[Result]) -> float:
    """The processor time of the echo that is asked as this case is: as many at once, else the most at once."""
    load = one.case.load
    echoes = [other for other in results if other.case.load.kind == "echo"]
    alike = [
        other
        for other in echoes
        if (other.case.load.in_flight, bool(other.case.load.rate)) == (load.in_flight, bool(load.rate))
    ]
    closed = sorted(
        (other for other in echoes if not other.case.load.rate), key=lambda other: other.case.load.in_flight
    )
    return (alike or closed[-1:])[0].median("server_cpu_us") if echoes else math.nan


def footnotes(bench: Bench, memory: dict[str, float] | None) -> Iterator[str]:
    """Yield what the table cannot say."""
    results = bench.results
    columns = [one for one in results.values() if one.case.load.kind == "hu columns"]
    for one in columns[-1:]:
        kernel = statistics.median(bench.kernel)
        wire, cpu = one.median("hands_per_second"), one.median("server_cpu_us") / one.case.load.hands
        yield (
            f"{one.case.name}: {wire / 1e6:.2f} million hands/s over the wire, {kernel / 1e6:.2f} in process on one "
            f"thread ({wire / kernel:.2f})"
        )
        if not math.isnan(cpu):
            yield f"  the server's processor time a hand is {cpu * kernel / 1e6:.2f} × the kernel's"
    alone, beside = (
        results.get("read, open loop, alone"),
        next((one for name, one in results.items() if "beside" in name), None),
    )
    if alone and beside:
        quiet, busy = alone.median("p99_ms"), beside.median("p99_ms")
        yield f"p99 of small calls: {quiet:.2f} ms alone, {busy:.2f} ms beside columns ({busy / quiet:.1f} ×)"
    if memory is not None:
        yield (
            f"the largest column, {memory['rows']:,.0f} rows in {memory['bytes'] / 2**20:.1f} MiB: resident memory "
            f"rises by {memory['rise'] / 2**20:.1f} MiB, {memory['multiple']:.1f} × its size"
        )
    bound = sorted(one.case.name for one in results.values() if one.busy > 0.9)
    if bound:
        yield f"the client was busy all the time, so the service can do more: {'; '.join(bound)}"
    for one in results.values():
        if one.case.load.rate and one.median("calls_per_second") < _ARRIVED * one.case.load.rate:
            yield f"the client came behind its rate by up to {max(one.late) * 1e3:,.0f} ms: {one.case.name}"
        if one.refused:
            codes = ", ".join(f"{code} {count}" for code, count in one.refused.items())
            yield f"not answered: {one.case.name}: {codes}"
