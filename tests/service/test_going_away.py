"""Replicas that go while they are called: who loses a call, and who does not."""

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from laizi.v1 import doudizhu_pb2, rules_pb2
from laizi_service.client import Client, channel, health
from laizi_service.handlers.rules import RulesHandlers
from laizi_service.server import Server
from laizi_service.settings import Settings
from tests.deploy.processes import fetch, free_ports, until
from tests.service.processes import READ_PLAY, Load, Service

READ = 'grpc_method="ReadPlay",grpc_service="laizi.v1.DoudizhuService",grpc_type="unary"'
BATCHES = f'grpc_code="OK",{READ.replace("ReadPlay", "BatchReadPlays")}'
DRAIN = "--drain-seconds=1"


class Replicas:
    """Two services on ports that they keep."""

    def __init__(self) -> None:
        self._ports = free_ports(2)
        self._running = [self._start(index) for index in range(2)]
        self.target = ",".join(f"127.0.0.1:{port}" for port in self._ports)

    def _start(self, index: int) -> Service:
        return Service(f"--port={self._ports[index]}", DRAIN)

    def answered(self) -> list[float]:
        """How many calls each has answered since it started."""
        return [one.scrape().get(f'grpc_server_handled_total{{grpc_code="OK",{READ}}}', 0) for one in self._running]

    def restart(self, index: int) -> None:
        """Let one end as its operator would, and start it again."""
        self._running[index].close()
        self._running[index] = self._start(index)

    def kill(self, index: int) -> None:
        """End one without a warning, and start it again."""
        self._running[index].kill()
        self._running[index] = self._start(index)

    def await_calls(self, index: int) -> None:
        """Wait until the clients have come back to one."""
        until(lambda: self.answered()[index] > 100, f"replica {index} is called again")

    def close(self) -> None:
        for one in self._running:
            one.kill()


@pytest.fixture
def replicas() -> Iterator[Replicas]:
    made = Replicas()
    yield made
    made.close()


@pytest.mark.parametrize(
    "options",
    # A machine that stands still for some seconds shall not count as a lost call.
    [{"deadlines": False}, {"deadlines": False, "retry": False, "watch_health": True}],
    ids=["the client as it is, deadlines apart", "no retries, but the health is watched"],
)
def test_a_rolling_restart_under_round_robin_loses_no_call(replicas, options):
    with Load(replicas.target, 6, **options) as load:
        for index in range(2):
            replicas.await_calls(index)
        before = replicas.answered()
        load.goes_on(2000)
        first, second = (count - earlier for count, earlier in zip(replicas.answered(), before, strict=True))
        for index in range(2):
            replicas.restart(index)
            replicas.await_calls(index)
            load.goes_on(500)
    print(f"{load.calls} calls, {load.failed} failed; of {first + second:.0f}: {first:.0f} and {second:.0f}")
    assert load.codes.keys() == {"OK"}
    # Spread call by call; that the replicas are not asked for their figures at one moment makes the difference.
    assert abs(first - second) <= 0.2 * (first + second)


def test_a_replica_that_is_killed_costs_a_client_that_retries_nothing(replicas):
    with Load(replicas.target, 6) as load:
        load.goes_on(500)
        replicas.kill(0)
        replicas.await_calls(0)
    assert load.codes.keys() == {"OK"}


def test_what_is_under_way_at_the_end_of_a_drain_is_finished():
    """Batches that are worked on or wait for a thread when the server stops are answered, if grace is long enough."""
    # A declaration is what a batch takes its time over: the generated classes answer each item.
    declaring = doudizhu_pb2.ReadPlayRequest(declared_reading="plane:4:2")
    declaring.MergeFrom(READ_PLAY)
    batch = doudizhu_pb2.BatchReadPlaysRequest(items=[declaring] * 1000)
    service = Service("--drain-seconds=0", "--grace-seconds=60", "--batch-threads=1")

    def under_way() -> bool:
        samples = service.scrape()
        left = samples["laizi_calls_in_flight"] + samples["laizi_calls_waiting"]
        done = samples.get(f"grpc_server_handled_total{{{BATCHES}}}", 0)
        return left > 0 and left + done >= 20

    with Client(service.target) as client:
        running = [client.doudizhu.BatchReadPlays.future(batch, timeout=60) for _ in range(20)]
        until(under_way, "all batches are there, and some are not answered")
        os.kill(service.pid, signal.SIGTERM)
        assert [call.exception() for call in running] == [None] * 20
    service.wait()


class SlowReader:
    """A way to a service that takes no answer until it is told to, and counts the bytes of answers that it took."""

    def __init__(self, port: int) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.target = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self.reads = threading.Event()
        self.passed = 0
        self._port = port
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with (
            self._listening,
            self._listening.accept()[0] as client,
            socket.create_connection(("127.0.0.1", self._port)) as server,
        ):
            asking = threading.Thread(target=_pass_on, args=(iter(lambda: client.recv(65536), b""), server))
            asking.start()
            _pass_on(self._answers(server), client)
            asking.join()

    def _answers(self, server: socket.socket) -> Iterator[bytes]:
        # The first frames pass: without them the client would not send its request.
        while data := server.recv(1000 if self.passed < 20_000 else 65536):
            self.passed += len(data)
            if self.passed > 20_000:
                self.reads.wait()
            yield data


def _pass_on(pieces: Iterable[bytes], sink: socket.socket) -> None:
    # Each side may be gone at any time, and the other is told.
    with contextlib.suppress(OSError):
        sink.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else acknowledgements set the pace
        for piece in pieces:
            sink.sendall(piece)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


def test_an_answer_that_is_read_slowly_is_not_cut_off_by_a_stop(monkeypatch):
    """Its call is done for the service, but not for its caller, who has the grace, too.

    Up to the last bytes: gRPC closes a connection when the kernel has all of an answer, and the kernel drops what it
    still holds when a frame of the caller arrives then, such as the grant of a further piece (grpc/grpc#14643).
    """
    size, kernel = 60_000_000, 15_000_000  # the latter is more than the buffers between the two take
    text = "x" * size

    def answer(self: RulesHandlers, request: object, call: object) -> rules_pb2.ListRuleSetsResponse:
        return rules_pb2.ListRuleSetsResponse(engine_version=text)

    monkeypatch.setattr(RulesHandlers, "ListRuleSets", answer)
    server = Server(Settings(port=0, metrics_port=0))
    server.start()
    slow = SlowReader(server.port)
    counted = 'grpc_server_handled_total{grpc_code="OK",grpc_method="ListRuleSets",'
    with Client(channel(slow.target, retry=False, deadlines=False)) as client:
        running = client.rules.ListRuleSets.future(rules_pb2.ListRuleSetsRequest(), timeout=60)
        until(lambda: counted in fetch(server.metrics_port, "/metrics")[1], "the answer is made")
        stopping = threading.Thread(target=server.stop, args=(0,))
        stopping.start()
        stopping.join(1)
        assert stopping.is_alive()
        assert slow.passed < kernel
        slow.reads.set()
        running.exception()
        stopping.join()
    assert slow.passed > size - kernel


def test_a_drain_under_load_says_so_first_and_ends_with_code_0():
    """Those who look neither at the health nor try again are answered to the end of the drain, and told to go then."""
    service = Service("--drain-seconds=3")
    with Load(service.target, 4, retry=False) as load:
        load.goes_on(200)
        os.kill(service.pid, signal.SIGTERM)
        until(lambda: health(service.target) == "NOT_SERVING", "it drains")
        assert service.page("/ready") == (503, "not ready\n")
        assert load.failed == 0
        load.goes_on(50)
        service.wait()
        until(lambda: load.failed, "callers are told")
    assert load.codes.keys() <= {"OK", "UNAVAILABLE", "CANCELLED"}
    # One a thread may have been taken and not begun: gRPC ends those as CANCELLED (grpc/grpc#41785).
    assert load.codes["CANCELLED"] <= 4


def test_watchers_who_leave_while_a_server_drains_do_not_hold_it_up():
    service = Service("--drain-seconds=0.3")
    channels = [grpc.insecure_channel(service.target, options=[("number", number)]) for number in range(30)]
    for opened in channels:
        stub: Any = health_pb2_grpc.HealthStub(opened)  # its types lack the methods
        watch = stub.Watch(health_pb2.HealthCheckRequest())
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
    os.kill(service.pid, signal.SIGTERM)
    for opened in channels:
        opened.close()
    service.wait()
