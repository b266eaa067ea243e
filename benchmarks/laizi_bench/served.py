"""The service under measurement: what it tells about itself, and what its processes use, where they are here."""

from __future__ import annotations

import os
import re
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from laizi_service.access import Access
from laizi_service.client import health
from laizi_service.launch import Launched

__all__ = ["Served", "UnreachableError"]

_SAMPLE: Final = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")
_LABEL: Final = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class UnreachableError(RuntimeError):
    """A target does not answer, or does not serve."""


class Served:
    """One or more services: started here, or a target that runs elsewhere and tells nothing of its processes."""

    def __init__(self, target: str | None = None, *flags: str, replicas: int = 1, access: Access | None = None) -> None:
        """Ask a target whether it serves, or start ``replicas`` services with flags. ``access`` is how to get in.

        Raises UnreachableError, LaunchError.
        """
        self._stack = ExitStack()
        self._launched: list[Launched] = []
        if target is None:
            with ExitStack() as begun:
                for _ in range(replicas):
                    self._launched.append(begun.enter_context(Launched("--drain-seconds=0", *flags)))
                self._stack = begun.pop_all()
            target = ",".join(one.target for one in self._launched)
        else:
            answer = health(target, **(access or Access()).arguments())
            if answer != "SERVING":
                told = {
                    "UNAVAILABLE": "no laizi service can be reached there",
                    "DEADLINE_EXCEEDED": "no answer in time",
                }
                raise UnreachableError(f"{target} does not answer: {told.get(answer, answer)}")
        self.target = target
        """As the client takes it: one address, or several with commas."""

    @property
    def targets(self) -> tuple[str, ...]:
        """Each address alone."""
        return tuple(self.target.split(","))

    @property
    def own(self) -> bool:
        """Whether it was started here."""
        return bool(self._launched)

    def cpu(self) -> float | None:
        """Return the processor time of its processes so far, in seconds; None for a target that runs elsewhere."""
        return sum(map(_cpu, self._processes())) if self.own else None

    def resident(self) -> int | None:
        """Return the memory that its processes hold now, in bytes."""
        return sum(_status(pid, "VmRSS") for pid in self._processes()) if self.own else None

    def most_resident(self) -> int | None:
        """Return the most memory that its processes held since `forget_most`, in bytes."""
        return sum(_status(pid, "VmHWM") for pid in self._processes()) if self.own else None

    def forget_most(self) -> None:
        """Let `most_resident` begin anew."""
        for pid in self._processes():
            Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="ascii")

    def metrics(self) -> dict[str, dict[frozenset[tuple[str, str]], float]]:
        """Return its Prometheus samples, those of replicas added up: name → labels → value."""
        found: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
        for one in self._launched:
            with urllib.request.urlopen(one.metrics_url, timeout=10) as page:  # of our own process
                for line in page.read().decode().splitlines():
                    sample = _SAMPLE.match(line)
                    if sample:
                        labels = frozenset(_LABEL.findall(sample[2] or ""))
                        by_labels = found.setdefault(sample[1], {})
                        by_labels[labels] = by_labels.get(labels, 0.0) + float(sample[3])
        return found

    def handled(self, counter: str, service: str, method: str) -> dict[str, float]:
        """Return how many requests of a method were answered, by status as metrics spell it."""
        wanted = {("grpc_service", service), ("grpc_method", method)}
        samples = self.metrics().get(counter, {})
        return {dict(labels)["grpc_code"]: value for labels, value in samples.items() if wanted <= labels}

    def close(self) -> None:
        """End what was started here."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _processes(self) -> Iterator[int]:
        for one in self._launched:
            yield from _family(one.pid)


def _family(pid: int) -> Iterator[int]:
    """A process and those that it started."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text(encoding="ascii").split():
            yield from _family(int(child))


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _status(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))
