"""Two replicas of the service that can be ended and started on their ports, before them a balancer."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

from laizi_service.launch import Launched, LaunchError
from tests.deploy.load import Load
from tests.deploy.processes import samples, until

__all__ = ["NAMES", "Replicas", "balanced", "lose_one", "moved", "roll"]

NAMES = ("laizi-1", "laizi-2")
CALLERS = 8
STEP = 1500


class Replicas:
    """The replicas by name, and what their balancer thinks of them."""

    def __init__(self, ports: list[int], seen: Callable[[str], bool | None]) -> None:
        """``seen`` tells whether the balancer sends calls to a replica; None while it cannot say."""
        self.ports = dict(zip(NAMES, zip(ports[::2], ports[1::2], strict=True), strict=True))
        self._seen = seen
        self._running: dict[str, Launched] = {}

    def start(self, name: str) -> None:
        """Start a replica and wait until the balancer uses it."""
        port, metrics_port = self.ports[name]
        self._running[name] = Launched(f"--port={port}", f"--metrics-port={metrics_port}")
        until(lambda: self._seen(name) is True, f"{name} is used")

    def terminate(self, name: str) -> None:
        """End a replica by SIGTERM; it must end well."""
        self._running.pop(name).close()

    def kill(self, name: str) -> None:
        """End a replica by SIGKILL."""
        ended = self._running.pop(name)
        os.kill(ended.pid, signal.SIGKILL)
        with contextlib.suppress(LaunchError):
            ended.close()

    def wait_until_gone(self, name: str) -> None:
        """Wait until the balancer sends no more calls to a replica."""
        until(lambda: self._seen(name) is False, f"{name} is not used")

    def answered(self, name: str) -> float:
        """Return how many calls a replica has answered since it started, by its own count."""
        handled = samples(self.ports[name][1], "grpc_server_handled_total")
        return sum(count for labels, count in handled.items() if ("grpc_method", "ReadPlay") in labels)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Start both, and end them with the context, at once: nobody calls any more."""
        try:
            for name in NAMES:
                self.start(name)
            yield
        finally:
            for name in list(self._running):
                self.kill(name)


def moved(configuration: Path, ports: dict[int, int], folder: Path) -> Path:
    """Write a shipped configuration anew, with free ports in place of its own, each of which stands in it once."""
    text = configuration.read_text(encoding="utf-8")
    for shipped in ports:
        assert text.count(str(shipped)) == 1, shipped
        text = text.replace(str(shipped), f"<{shipped}>")
    for shipped, free in ports.items():
        text = text.replace(f"<{shipped}>", str(free))
    written = folder / configuration.name
    written.write_text(text, encoding="utf-8")
    return written


def roll(replicas: Replicas, target: str) -> None:
    """Calls over one connection reach both replicas, and none is lost while each is restarted in turn."""
    with Load(target, CALLERS) as load:
        balanced(replicas, load)
        for name in NAMES:
            replicas.terminate(name)
            replicas.start(name)
            before = load.calls
            until(lambda: load.calls >= before + STEP, f"{STEP} calls more")  # noqa: B023 (called in this turn)
            assert replicas.answered(name) > 0.2 * STEP
    assert load.failures == []
    assert load.calls > 3 * STEP


def balanced(replicas: Replicas, load: Load) -> None:
    """Each replica answers its half of the calls, within a tenth of all."""
    until(lambda: all(replicas.answered(name) for name in NAMES), "both replicas answer")
    before = {name: replicas.answered(name) for name in NAMES}
    until(lambda: sum(replicas.answered(name) - before[name] for name in NAMES) >= STEP, f"{STEP} calls")
    shares = [replicas.answered(name) - before[name] for name in NAMES]
    assert min(shares) > 0.4 * sum(shares), shares


def lose_one(replicas: Replicas, target: str) -> None:
    """A killed replica takes at most its running calls along; a new one in its place gets calls."""
    with Load(target, CALLERS) as load:
        until(lambda: load.calls >= STEP, f"{STEP} calls")
        replicas.kill(NAMES[0])
        replicas.wait_until_gone(NAMES[0])
        before = load.calls
        until(lambda: load.calls >= before + STEP, f"{STEP} calls more")
        failed = list(load.failures)
        replicas.start(NAMES[0])
        until(lambda: replicas.answered(NAMES[0]) > 0.2 * STEP, "calls on the new replica")
    assert load.failures == failed
    assert len(failed) <= CALLERS
