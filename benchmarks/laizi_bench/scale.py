"""``laizi bench scale``: more workers, more replicas behind a balancer, and how much of each is throughput.

The scaling efficiency of n is its throughput beside n times that of one. Clients and service share the processors of
this machine, so it falls as soon as both together want more than there are.
"""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from laizi_bench import h2load
from laizi_bench.load import Clients, Load
from laizi_bench.served import Served
from laizi_service.client import health

__all__ = ["LOADS", "Step", "footnote", "have_haproxy", "measure", "table"]

LOADS: Final = {"read": Load("read", 1, 64), "hu columns": Load("hu columns", 10_000, 8)}
"""What is asked: many small calls, and columns that work without the interpreter's lock."""
_DEADLINE: Final = 20.0
_HAPROXY: Final = """\
global
    maxconn 4096
defaults
    mode http
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    option redispatch
    retries 3
    retry-on conn-failure empty-response response-timeout 503
frontend grpc
    bind 127.0.0.1:{port} proto h2
    default_backend laizi
backend laizi
    balance leastconn
    default-server proto h2 max-reuse -1
"""


@dataclass
class Step:
    """One arrangement under one load."""

    arrangement: str
    """``workers`` or ``replicas behind HAProxy``."""
    count: int
    kind: str
    rates: list[float] = field(default_factory=list)
    """Hands a second, one a round."""
    servers: list[float] = field(default_factory=list)
    """Processors that the service used, one a round."""

    def plain(self) -> dict[str, Any]:
        """Return the step as JSON holds it."""
        return {
            "name": f"{self.kind}, {self.count} {self.arrangement}",
            "metrics": {"hands_per_second": [round(rate) for rate in self.rates]},
            "processors": [round(used, 3) for used in self.servers],
        }


def have_haproxy() -> bool:
    """Whether HAProxy is installed."""
    return shutil.which("haproxy") is not None


def measure(
    most: int, rounds: int, seconds: float, clients: Clients, seed: int, told: Callable[[str], None]
) -> list[Step]:
    """Measure 1 to ``most`` workers, and as many replicas behind HAProxy where it is installed."""
    arrangements = [("workers", _workers)] + [("replicas behind HAProxy", _balanced)] * have_haproxy()
    steps = []
    for name, arrange in arrangements:
        for count in range(1, most + 1):
            with arrange(count) as (served, targets):
                for kind, load in LOADS.items():
                    told(f"{kind}, {count} {name}")
                    step = Step(name, count, kind)
                    for _ in range(rounds):
                        _round(
                            step, served, targets, Load(kind, load.hands, load.in_flight, seed=seed), seconds, clients
                        )
                    steps.append(step)
    return steps


def _round(step: Step, served: Served, targets: tuple[str, ...], load: Load, seconds: float, clients: Clients) -> None:
    before, start = served.cpu(), time.perf_counter()
    if load.hands == 1 and h2load.available():
        taken = h2load.run(targets, load, seconds)
    else:
        taken = clients.run(",".join(targets), load, seconds)
    used, elapsed = served.cpu(), time.perf_counter() - start
    assert before is not None
    assert used is not None
    step.rates.append(len(taken.latencies) * load.hands / taken.seconds)
    step.servers.append((used - before) / elapsed)


@contextmanager
def _workers(count: int) -> Iterator[tuple[Served, tuple[str, ...]]]:
    with Served(None, f"--workers={count}") as served:
        yield served, served.targets


@contextmanager
def _balanced(count: int) -> Iterator[tuple[Served, tuple[str, ...]]]:
    with ExitStack() as stack:
        served = stack.enter_context(Served(replicas=count))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        servers = "".join(f"    server laizi-{index} {target}\n" for index, target in enumerate(served.targets))
        config = Path(folder) / "haproxy.cfg"
        config.write_text(_HAPROXY.format(port=port) + servers, encoding="ascii")
        process = subprocess.Popen(["haproxy", "-q", "-db", "-f", str(config)], stderr=subprocess.DEVNULL)
        stack.callback(process.wait)
        stack.callback(process.terminate)
        target = f"127.0.0.1:{port}"
        deadline = time.monotonic() + _DEADLINE
        while health(target) != "SERVING":
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("HAProxy does not pass calls on")
            time.sleep(0.1)
        yield served, (target,)


def table(steps: Sequence[Step]) -> str:
    """Return the steps with their scaling efficiency."""
    lines = []
    for kind in LOADS:
        for arrangement in dict.fromkeys(step.arrangement for step in steps):
            group = [step for step in steps if (step.kind, step.arrangement) == (kind, arrangement)]
            if not group:
                continue
            one = statistics.median(group[0].rates)
            lines.append(f"{kind}, {arrangement}:")
            for step in group:
                rate = statistics.median(step.rates)
                lines.append(
                    f"  {step.count:2}  {rate:>14,.0f} hands/s  efficiency {rate / one / step.count:4.0%}  "
                    f"{statistics.median(step.servers):.2f} processors of the service"
                )
    return "\n".join(lines)


def footnote(most: int) -> str:
    """Return what this machine can show."""
    processors = len(os.sched_getaffinity(0))
    if most < processors:
        return f"{processors} processors: clients and service share them"
    return (
        f"{processors} processors: clients and service share them, so {most} workers cannot have one each beside a "
        "client, and an efficiency below 100 % is not the service's alone. The processors of the service tell how far "
        "it came"
    )
