"""Several worker processes as one service: started, listed, restarted and ended together.

The supervisor takes no calls and imports nothing of gRPC. It owns the monitoring port, where the metrics of all workers
are added up, and one end of a socket to each worker: through it a worker gets its settings and tells how it is, and
from its closing each side sees that the other has gone.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Final

import laizi
from laizi_service import signals
from laizi_service.instance import InstanceMetrics, mark_worker_dead, merged_registry
from laizi_service.monitor import AddressInUseError, Monitor, json_page
from laizi_service.settings import Settings, address

__all__ = ["WorkersError", "supervise"]

_log: Final = logging.getLogger(__name__)

_START_SECONDS: Final = 60.0
"""How long a worker may take until it serves."""
_FIRST_DELAY: Final = 0.1
_LONGEST_DELAY: Final = 30.0
_GOOD_SECONDS: Final = 60.0
"""After how long in service a worker's end counts as its first."""
_KILL_SECONDS: Final = 10.0
"""How long beyond drain and grace a worker may take to end."""


class WorkersError(RuntimeError):
    """The workers did not come up, or did not end as they should."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Failed:
    """A worker ended before it had ever served."""

    message: str


class _Worker:
    """The place of one worker, and whichever process fills it: there is always one, until the place is closed."""

    def __init__(
        self,
        index: int,
        settings: Settings,
        core: int | None,
        folder: str,
        metrics: InstanceMetrics,
        events: queue.SimpleQueue[object],
    ) -> None:
        self.index = index
        self.state = "starting"
        """``starting``, ``serving``, ``draining``, ``restarting`` or ``ended``."""
        self.failed = False
        """Whether it ended otherwise than asked to, after its place was closed."""
        self._settings = settings
        self._core = core
        self._folder = folder
        self._metrics = metrics
        self._events = events
        self._served = False
        self._closing = threading.Event()
        # Guards the process against a signal that reaches it when it has gone and its number is another's.
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name=f"worker-{index}", daemon=True)

    def start(self) -> None:
        """Start the first process."""
        self._thread.start()

    def close(self) -> None:
        """Let the process drain; no other follows it."""
        self._closing.set()
        self.send(signal.SIGTERM)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process, if there is one."""
        with self._lock:
            if self._process is not None:
                self._process.send_signal(number)

    def join(self, seconds: float | None = None) -> bool:
        """Wait until the process of a closed place has ended, and return whether it has."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def plain(self) -> dict[str, Any]:
        """Return what a balancer may want to know."""
        process = self._process
        return {
            "worker": self.index,
            "process": process.pid if process is not None else None,
            "target": address(self._settings.host, self._settings.port),
            "ready": f"http://{address(self._settings.metrics_host, self._settings.metrics_port)}/ready",
            "state": self.state,
        }

    def _keep(self) -> None:
        delay = _FIRST_DELAY
        while not self._closing.is_set():
            start = time.monotonic()
            try:
                code, problem = self._run()
            except OSError as error:
                code, problem = 1, f"no process could be started: {error}"
            mark_worker_dead(self.index, self._folder)
            if self._closing.is_set():
                self.failed = code != 0
                break
            what = problem or f"it ended with code {code}"
            if not self._served:
                self._events.put(_Failed(problem or f"worker {self.index} did not start: {what}"))
                break
            self.state = "restarting"
            self._metrics.restarts.inc()
            if code == 0:
                _log.info("worker %d was asked to end; another takes its place", self.index)
                continue
            if time.monotonic() - start > _GOOD_SECONDS:
                delay = _FIRST_DELAY
            _log.error("worker %d is gone (%s); another takes its place in %g s", self.index, what, delay)
            self._closing.wait(delay)
            delay = min(2 * delay, _LONGEST_DELAY)
        self.state = "ended"

    def _run(self) -> tuple[int, str]:
        """Run one process to its end, and return its exit code and the problem that it reported."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs, self._lock:
                if self._closing.is_set():
                    return 0, ""
                # In a process group of its own, so that Ctrl-C reaches the supervisor alone.
                self._process = process = subprocess.Popen(
                    [sys.executable, "-m", "laizi_service.worker", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    process_group=0,
                    env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": self._folder},
                )
            try:
                problem = self._follow(ours)
            finally:
                # Without its supervisor a worker drains; one that did not start in time may not even do that.
                if not self._served:
                    self.send(signal.SIGKILL)
                code = process.wait()
                with self._lock:
                    self._process = None
        return code, problem

    def _follow(self, connection: socket.socket) -> str:
        """Give a process its settings and note what it reports, until it ends."""
        problem = ""
        connection.settimeout(_START_SECONDS)
        # A process that ends early leaves nobody to write to or to read from.
        with connection.makefile("rw", encoding="utf-8") as lines, contextlib.suppress(ConnectionError):
            plan = {"index": self.index, "core": self._core, "settings": dataclasses.asdict(self._settings)}
            print(json.dumps(plan), file=lines, flush=True)
            try:
                for line in lines:
                    if not line.endswith("\n"):
                        break  # It was killed while it wrote.
                    report = json.loads(line)
                    if "problem" in report:
                        problem = report["problem"]
                    elif "port" in report:
                        self._serves(report["port"], report["metrics_port"])
                        connection.settimeout(None)
                    else:
                        self.state = report["state"]
            except TimeoutError:
                problem = f"worker {self.index} did not serve within {_START_SECONDS:g} s"
                self.send(signal.SIGKILL)
        return problem

    def _serves(self, port: int, metrics_port: int) -> None:
        # Whoever follows on this place serves on the same ports, also where any free ones were taken.
        self._settings = dataclasses.replace(self._settings, port=port, metrics_port=metrics_port)
        self.state = "serving"
        if self._served:
            _log.info("worker %d serves again on %s", self.index, address(self._settings.host, port))
        self._served = True
        self._events.put(self)


class _Supervisor:
    def __init__(self, settings: Settings, folder: str) -> None:
        self._settings = settings
        self._closing = False
        self._events: queue.SimpleQueue[object] = queue.SimpleQueue()
        registry = merged_registry(folder)
        metrics = InstanceMetrics(registry, settings.workers)
        metrics.serving.set_function(lambda: sum(worker.state == "serving" for worker in self._workers))
        self._reserved = _reserve(settings) if settings.shared_port == "on" else None
        port = self._reserved.getsockname()[1] if self._reserved is not None else settings.port
        shared = dataclasses.replace(settings, port=port)
        self._workers = [
            _Worker(index, shared.of_worker(index), core, folder, metrics, self._events)
            for index, core in enumerate(_cores(settings))
        ]
        pages = {"/workers": json_page(lambda: [worker.plain() for worker in self._workers])}
        self._monitor = Monitor(settings.metrics_host, settings.metrics_port, self._is_ready, registry, pages)

    def _is_ready(self) -> bool:
        return not self._closing and any(worker.state == "serving" for worker in self._workers)

    def run(self) -> None:
        threading.Thread(target=self._await_signals, name="signals", daemon=True).start()
        for worker in self._workers:
            worker.start()
        starting = set(self._workers)
        while True:
            match self._events.get():
                case signal.SIGHUP:
                    for worker in self._workers:
                        worker.send(signal.SIGHUP)
                case signal.SIGTERM | signal.SIGINT:
                    break
                case _Failed(message):
                    self._end(kill=True)
                    raise WorkersError(message)
                case _Worker() as worker if worker in starting:
                    starting.remove(worker)
                    if not starting:
                        self._announce()
        self._drain()

    def _announce(self) -> None:
        targets = dict.fromkeys(worker.plain()["target"] for worker in self._workers)
        _log.info(
            "laizi %s serves gRPC on %s and metrics on http://%s/metrics (%d workers)",
            laizi.__version__,
            ",".join(targets),
            address(self._settings.metrics_host, self._monitor.port),
            len(self._workers),
        )

    def _drain(self) -> None:
        self._closing = True
        latest = time.monotonic() + self._settings.drain_seconds + self._settings.grace_seconds + _KILL_SECONDS
        for worker in self._workers:
            worker.close()
        problem = ""
        while not problem and not all(worker.join(0.02) for worker in self._workers):
            with contextlib.suppress(queue.Empty):
                if self._events.get_nowait() in signals.ENDING:
                    problem = "a second signal cut the drain short"
            if time.monotonic() > latest:
                problem = "workers did not end in time and were killed"
        self._end(kill=bool(problem))
        lost = [str(worker.index) for worker in self._workers if worker.failed]
        if problem or lost:
            raise WorkersError(problem or f"worker {', '.join(lost)} did not end well")
        _log.info("all workers have ended")

    def _end(self, *, kill: bool) -> None:
        self._closing = True
        for worker in self._workers:
            worker.close()
            if kill:
                worker.send(signal.SIGKILL)
        for worker in self._workers:
            worker.join()
        self._monitor.close()
        if self._reserved is not None:
            self._reserved.close()

    def _await_signals(self) -> None:
        while True:
            self._events.put(signal.sigwait(signals.AWAITED))


def supervise(settings: Settings) -> None:
    """Run the workers until SIGTERM or SIGINT, then let them drain; a second signal ends them at once.

    SIGHUP makes each read its rule set files anew. Raises `WorkersError` with one line when they do not come up, and
    when running calls were cut short; `AddressInUseError`.
    """
    # The folder is new at every start, so that it holds no figures of an earlier one.
    try:
        made = tempfile.TemporaryDirectory(prefix="laizi-metrics-")
    except OSError as error:
        raise WorkersError(f"several workers need a folder for their metrics (TMPDIR): {error}") from None
    with made as folder, signals.kept():
        _Supervisor(settings, folder).run()


def _cores(settings: Settings) -> list[int | None]:
    """Return the core of each worker, None where it may run on any."""
    # Only Linux knows which cores this process may use.
    known = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []
    if settings.pin_workers == "off" or len(known) < settings.workers:
        return [None] * settings.workers
    return list(known[: settings.workers])


def _reserve(settings: Settings) -> socket.socket:
    """Return a socket that holds the port of all workers without listening on it."""
    where = settings.host, settings.port
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        # Nobody else may listen there: the kernel would give them a share of the connections.
        with socket.create_server(where, family=family) as alone:
            where = settings.host, alone.getsockname()[1]
        held = socket.socket(family)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(where)
    except OSError as error:
        raise AddressInUseError(f"cannot listen on {address(*where)} for gRPC: {error.strerror}") from None
    return held
