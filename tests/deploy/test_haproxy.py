"""The shipped HAProxy configuration, run by HAProxy, before two replicas of the service."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from laizi_service.launch import Launched, LaunchError
from tests.deploy.load import Load
from tests.deploy.processes import DEPLOY, checked, free_ports, program, samples, until

pytestmark = pytest.mark.registry

CONFIGURATION = DEPLOY / "haproxy" / "haproxy.cfg"
CALLERS = 8
STEP = 1500


class Site:
    """HAProxy, and two replicas that can be ended and started on their ports."""

    def __init__(self, folder: Path) -> None:
        self.port, self._exporter, *ports = free_ports(6)
        self._ports = {"laizi-1": ports[:2], "laizi-2": ports[2:]}
        text = CONFIGURATION.read_text(encoding="utf-8")
        moved = {
            50050: self.port,
            8405: self._exporter,
            50051: ports[0],
            9464: ports[1],
            50052: ports[2],
            9465: ports[3],
        }
        for shipped, free in moved.items():
            assert text.count(str(shipped)) == 1
            text = text.replace(str(shipped), f"<{free}>")
        self.configuration = folder / "haproxy.cfg"
        self.configuration.write_text(text.replace("<", "").replace(">", ""), encoding="utf-8")
        self.replicas: dict[str, Launched] = {}

    def start(self, name: str) -> None:
        """Start a replica on its ports and wait until HAProxy has seen it."""
        port, metrics_port = self._ports[name]
        self.replicas[name] = Launched(f"--port={port}", f"--metrics-port={metrics_port}")
        self.wait_for(name, "UP")

    def wait_for(self, name: str, state: str) -> None:
        """Wait until HAProxy says that a replica is UP or DOWN."""
        labels = frozenset({("proxy", "laizi"), ("server", name), ("state", state)})
        until(lambda: samples(self._exporter, "haproxy_server_status").get(labels) == 1, f"{name} is {state}")

    def answered(self, name: str) -> float:
        """Return how many calls a replica has answered since it started, by its own count."""
        handled = samples(self._ports[name][1], "grpc_server_handled_total")
        return sum(count for labels, count in handled.items() if ("grpc_method", "ReadPlay") in labels)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    with program(["haproxy", "-db", "-f", made.configuration], tmp_path / "haproxy.log"):
        try:
            for name in ("laizi-1", "laizi-2"):
                made.start(name)
            yield made
        finally:
            for replica in made.replicas.values():
                # Nobody calls any more: there is nothing to drain for.
                os.kill(replica.pid, signal.SIGKILL)
                with contextlib.suppress(LaunchError):
                    replica.close()


def test_haproxy_finds_no_fault():
    # With -dW a warning ends the check, too.
    checked("haproxy", "-c", "-dW", "-f", CONFIGURATION)


def test_one_connection_uses_both_replicas_and_a_rolling_restart_loses_no_call(site: Site):
    with Load(f"127.0.0.1:{site.port}", CALLERS) as load:
        until(lambda: load.calls >= STEP, f"{STEP} calls")
        shares = [site.answered(name) for name in site.replicas]
        assert min(shares) > 0.4 * sum(shares), shares
        for name in list(site.replicas):
            site.replicas[name].close()
            site.start(name)
            before = load.calls
            until(lambda: load.calls >= before + STEP, f"{STEP} calls more")  # noqa: B023 (called in this turn)
            assert site.answered(name) > 0.2 * STEP
    assert load.failures == []
    assert load.calls > 3 * STEP


def test_a_killed_replica_takes_at_most_its_running_calls_along(site: Site):
    with Load(f"127.0.0.1:{site.port}", CALLERS) as load:
        until(lambda: load.calls >= STEP, f"{STEP} calls")
        os.kill(site.replicas["laizi-1"].pid, signal.SIGKILL)
        site.wait_for("laizi-1", "DOWN")
        before = load.calls
        until(lambda: load.calls >= before + STEP, f"{STEP} calls more")
        failed = list(load.failures)
        with pytest.raises(LaunchError):
            site.replicas.pop("laizi-1").close()
        site.start("laizi-1")
        until(lambda: site.answered("laizi-1") > 0.2 * STEP, "calls on the new replica")
    assert load.failures == failed
    assert len(failed) <= CALLERS
