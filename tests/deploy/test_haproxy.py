"""The shipped HAProxy configuration, run by HAProxy, before two replicas of the service."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.processes import DEPLOY, checked, free_ports, program, samples
from tests.deploy.replicas import Replicas, lose_one, moved, roll

pytestmark = pytest.mark.registry

CONFIGURATION = DEPLOY / "haproxy" / "haproxy.cfg"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Replicas, str]]:
    """Two replicas, and the address of HAProxy before them."""
    port, exporter, *ports = free_ports(6)
    configuration = moved(
        CONFIGURATION,
        dict(zip((50050, 8405, 50051, 9464, 50052, 9465), (port, exporter, *ports), strict=True)),
        tmp_path,
    )

    def seen(name: str) -> bool | None:
        labels = {("proxy", "laizi"), ("server", name), ("state", "UP")}
        value = samples(exporter, "haproxy_server_status").get(frozenset(labels))
        return None if value is None else value == 1

    replicas = Replicas(ports, seen)
    with program(["haproxy", "-db", "-f", configuration], tmp_path / "haproxy.log"), replicas.running():
        yield replicas, f"127.0.0.1:{port}"


def test_haproxy_finds_no_fault():
    # With -dW a warning ends the check, too.
    checked("haproxy", "-c", "-dW", "-f", CONFIGURATION)


def test_one_connection_uses_both_replicas_and_a_rolling_restart_loses_no_call(site):
    roll(*site)


def test_a_killed_replica_takes_at_most_its_running_calls_along(site):
    lose_one(*site)
