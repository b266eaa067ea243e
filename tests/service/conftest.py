"""A real server on free ports for the tests of this folder, and ways to call it."""

import contextlib
import http.client
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import MagicMock

import grpc
import pytest

from laizi.errors import ErrorReason
from laizi_service.calls import Call
from laizi_service.client import Client, Failure, failure
from laizi_service.metrics import Metrics
from laizi_service.server import Server
from laizi_service.settings import Settings


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with Server(Settings(port=0, metrics_port=0, max_batch_items=100)) as running:
        yield running


@pytest.fixture(scope="session")
def target(server: Server) -> str:
    return f"127.0.0.1:{server.port}"


@pytest.fixture(scope="session")
def client(target: str) -> Iterator[Client]:
    with Client(target) as opened:
        yield opened


@pytest.fixture(scope="session")
def raw(target: str) -> Iterator[grpc.Channel]:
    """A channel for bytes that no generated stub would send."""
    with grpc.insecure_channel(target) as channel:
        yield channel


@pytest.fixture(scope="session")
def fetch() -> Callable[[int, str], tuple[int, str]]:
    """Ask a port of this machine for a page: its status and its text."""

    def get(port: int, path: str) -> tuple[int, str]:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    return get


@pytest.fixture(scope="session")
def scrape(server: Server, fetch: Callable[[int, str], tuple[int, str]]) -> Callable[[], dict[str, float]]:
    """Every sample of the metrics port, by its name with labels."""

    def samples() -> dict[str, float]:
        lines = fetch(server.metrics_port, "/metrics")[1].splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    return samples


@pytest.fixture(scope="session")
def refused() -> Callable[..., Failure]:
    """Call a method, which must fail with a code, a reason and a field."""

    def call(
        method: Callable[[Any], Any], request: Any, code: grpc.StatusCode, reason: ErrorReason | None, field: str = ""
    ) -> Failure:
        with pytest.raises(grpc.RpcError) as caught:
            method(request)
        failed = failure(caught.value)
        assert (failed.code, failed.reason, failed.field) == (code, reason, field), failed
        return failed

    return call


@pytest.fixture
def call() -> Call:
    """A call outside any server, whose caller waits."""
    context = MagicMock()
    context.is_active.return_value = True
    context.time_remaining.return_value = 60.0
    return Call(context, "test", Metrics())
