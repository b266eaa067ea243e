"""The metrics of a service of several processes, and of whatever is told once however many there are.

Each worker writes its figures into files (prometheus-client's multiprocess mode), and the supervisor adds them up when
it is asked. The files are named by the place of a worker and not by its process: who takes the place of one that has
ended counts on from its figures. So no counter goes backwards, and restarts leave no files behind.
"""

from __future__ import annotations

import contextlib
import platform
import struct
import time
from collections.abc import Iterable
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Metric, disable_created_metrics, values
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

import laizi

__all__ = ["InstanceMetrics", "mark_worker_dead", "merged_registry", "write_as_worker"]

_READINGS: Final = 10


class InstanceMetrics:
    """What a service tells once: by its one process, or by the supervisor of its workers."""

    def __init__(self, registry: CollectorRegistry, workers: int) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series of each counter that nobody reads
        self.serving = Gauge(
            "laizi_serving", "Processes that take calls; one that starts or drains does not.", registry=registry
        )
        Gauge("laizi_workers", "Processes that are meant to take calls.", registry=registry).set(workers)
        self.restarts = Counter(
            "laizi_worker_restarts_total", "Worker processes started in place of one that had ended.", registry=registry
        )
        Gauge(
            "laizi_build_info", "Always 1; its labels say what runs.", ("version", "python"), registry=registry
        ).labels(laizi.__version__, platform.python_version()).set(1)


class _Merged:
    def __init__(self, folder: str) -> None:
        self._files: Any = MultiProcessCollector(None, path=folder)  # type: ignore[no-untyped-call]

    def collect(self) -> Iterable[Metric]:
        """Return the metrics of all workers, added up."""
        for _ in range(_READINGS - 1):
            # A file that a worker has just made has no header yet.
            with contextlib.suppress(struct.error):
                return list(self._files.collect())
            time.sleep(0.01)
        return list(self._files.collect())


def merged_registry(folder: str) -> CollectorRegistry:
    """Return a registry that adds up what the workers write into a folder."""
    registry = CollectorRegistry()
    registry.register(_Merged(folder))
    return registry


def write_as_worker(index: int) -> None:
    """Let this process write its figures into the folder PROMETHEUS_MULTIPROC_DIR. Comes before any metric is made."""
    values.ValueClass = values.MultiProcessValue(lambda: index)  # type: ignore[no-untyped-call]


def mark_worker_dead(index: int, folder: str) -> None:
    """Take a worker that has ended out of the gauges. Comes before another takes its place."""
    mark_process_dead(index, folder)  # type: ignore[no-untyped-call]
