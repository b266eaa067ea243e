"""The client's defaults: what they contain, and that they do what they say on real connections."""

import asyncio
import itertools
import json
import threading
from concurrent import futures
from importlib import resources

import grpc
import pytest
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import status_pb2
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo

from laizi.errors import ErrorReason
from laizi.v1 import doudizhu_pb2, doudizhu_pb2_grpc, mahjong_pb2, rules_pb2, types_pb2
from laizi_service import server as laizi_server
from laizi_service.client import AsyncClient, Client, Failure, aio_channel, channel, failure
from laizi_service.settings import Settings

SERVICES = [
    *doudizhu_pb2.DESCRIPTOR.services_by_name.values(),
    *mahjong_pb2.DESCRIPTOR.services_by_name.values(),
    *rules_pb2.DESCRIPTOR.services_by_name.values(),
]
READ = doudizhu_pb2.ReadPlayRequest(rules=types_pb2.RuleSetSelector(preset="huanle"), cards=types_pb2.Cards(text="33"))
FIVE = doudizhu_pb2.ReadPlayRequest(
    rules=types_pb2.RuleSetSelector(preset="huanle"), cards=types_pb2.Cards(text="33333")
)


class Faulty(doudizhu_pb2_grpc.DoudizhuServiceServicer):
    """Refuses the first calls, then answers; and keeps what each call had as its deadline."""

    def __init__(self, refusals: int) -> None:
        self._refusals = itertools.chain([True] * refusals, itertools.repeat(False))
        self.calls = 0
        self.remaining: list[float] = []

    def ReadPlay(self, request, context):  # noqa: N802
        self.calls += 1
        self.remaining.append(context.time_remaining())
        if next(self._refusals):
            context.abort(grpc.StatusCode.UNAVAILABLE, "not now")
        return doudizhu_pb2.ReadPlayResponse(legal=True)


class Silent(doudizhu_pb2_grpc.DoudizhuServiceServicer):
    """Answers nothing while anybody waits."""

    def ReadPlay(self, request, context):  # noqa: N802
        gone = threading.Event()
        if context.add_callback(gone.set):
            gone.wait()
        return doudizhu_pb2.ReadPlayResponse()


@pytest.fixture
def serving():
    """Start a service that behaves as told, and return its address."""
    servers = []

    def start(servicer: doudizhu_pb2_grpc.DoudizhuServiceServicer) -> str:
        server = grpc.server(futures.ThreadPoolExecutor(2))
        doudizhu_pb2_grpc.add_DoudizhuServiceServicer_to_server(servicer, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        servers.append(server)
        return f"127.0.0.1:{port}"

    yield start
    for server in servers:
        server.stop(None).wait()


def test_the_service_config_names_every_method_once_with_a_deadline_that_fits():
    config = json.loads(resources.files("laizi_service").joinpath("service_config.json").read_text(encoding="utf-8"))
    timeouts = {
        (name["service"], name.get("method", "")): methods.get("timeout")
        for methods in config["methodConfig"]
        for name in methods["name"]
    }
    expected: dict[tuple[str, str], str | None] = {}
    for service in SERVICES:
        expected[service.full_name, ""] = "5s"
        for method in service.methods:
            if method.client_streaming:
                expected[service.full_name, method.name] = None
            elif method.name.startswith("Batch") or method.name.endswith("Columns"):
                expected[service.full_name, method.name] = "30s"
    assert timeouts == expected
    assert len({json.dumps(methods["retryPolicy"]) for methods in config["methodConfig"]}) == 1


def test_a_call_that_no_server_took_is_sent_again(serving):
    faulty = Faulty(refusals=3)
    with Client(serving(faulty)) as client:
        assert client.doudizhu.ReadPlay(READ).legal
    assert faulty.calls == 4


def test_four_attempts_are_all(serving):
    faulty = Faulty(refusals=4)
    with Client(serving(faulty)) as client, pytest.raises(grpc.RpcError) as caught:
        client.doudizhu.ReadPlay(READ)
    assert failure(caught.value).code is grpc.StatusCode.UNAVAILABLE
    assert faulty.calls == 4


def test_retries_can_be_switched_off(serving):
    faulty = Faulty(refusals=1)
    with Client(channel(serving(faulty), retry=False)) as client, pytest.raises(grpc.RpcError):
        client.doudizhu.ReadPlay(READ)
    assert faulty.calls == 1


def test_a_call_ends_at_the_default_deadline_unless_deadlines_are_its_own(serving):
    silent = serving(Silent())
    with channel(silent) as default, channel(silent, deadlines=False) as own:
        ended = doudizhu_pb2_grpc.DoudizhuServiceStub(default).ReadPlay.future(READ)
        goes_on = doudizhu_pb2_grpc.DoudizhuServiceStub(own).ReadPlay.future(READ, timeout=600)
        error = ended.exception(timeout=120)
        assert isinstance(error, grpc.RpcError)
        assert failure(error).code is grpc.StatusCode.DEADLINE_EXCEEDED
        assert not goes_on.done()
        goes_on.cancel()


def test_the_server_is_told_the_timeout_of_a_call(serving):
    faulty = Faulty(refusals=0)
    with Client(serving(faulty)) as client:
        client.doudizhu.ReadPlay(READ, timeout=2)
    (remaining,) = faulty.remaining
    assert 0 < remaining < 2.5


def test_calls_go_to_all_addresses_in_turn(serving):
    both = Faulty(refusals=0), Faulty(refusals=0)
    with Client(",".join(map(serving, both))) as client:
        for _ in range(1000):
            client.doudizhu.ReadPlay(READ)
            if all(each.calls > 1 for each in both):
                break
    assert all(each.calls > 1 for each in both)


@pytest.mark.parametrize(
    "target", ["", "127.0.0.1:1,", "localhost:1,localhost:2", "127.0.0.1,127.0.0.2", "127.0.0.1:1,[::1]:1"]
)
def test_a_target_that_is_no_target_is_refused_at_once(target):
    for make in (channel, aio_channel):
        with pytest.raises(ValueError, match="target"):
            make(target)


def test_the_server_lets_quiet_connections_be_pinged(monkeypatch):
    """A server with gRPC's own settings hangs up after a few pings; in that time this one does not."""
    monkeypatch.setattr(laizi_server, "_PING_MS", 10)
    often = [("grpc.keepalive_time_ms", 100)]
    strict = grpc.server(futures.ThreadPoolExecutor(1))
    port = strict.add_insecure_port("127.0.0.1:0")
    strict.start()
    states: dict[str, list[grpc.ChannelConnectivity]] = {"ours": [], "strict": []}
    dropped = threading.Event()
    with (
        laizi_server.Server(Settings(port=0, metrics_port=0, drain_seconds=0)) as ours,
        channel(f"127.0.0.1:{ours.port}", options=often) as quiet,
        channel(f"127.0.0.1:{port}", options=often) as refused,
    ):
        for name, opened in (("ours", quiet), ("strict", refused)):
            opened.subscribe(states[name].append)
            grpc.channel_ready_future(opened).result(timeout=60)

        def watch(state: grpc.ChannelConnectivity) -> None:
            if state is not grpc.ChannelConnectivity.READY and grpc.ChannelConnectivity.READY in states["strict"]:
                dropped.set()

        refused.subscribe(watch)
        assert dropped.wait(60)
        after = states["ours"][states["ours"].index(grpc.ChannelConnectivity.READY) :]
        assert after == [grpc.ChannelConnectivity.READY]
    strict.stop(None).wait()


def test_options_of_the_caller_go_before_the_defaults(serving):
    small = channel(serving(Faulty(refusals=0)), options=[("grpc.max_send_message_length", 1)])
    with Client(small) as client, pytest.raises(grpc.RpcError) as caught:
        client.doudizhu.ReadPlay(READ)
    assert failure(caught.value).code is grpc.StatusCode.RESOURCE_EXHAUSTED


class Telling(doudizhu_pb2_grpc.DoudizhuServiceServicer):
    """Fails with details of its own."""

    def __init__(self, details: bytes) -> None:
        self._details = details

    def ReadPlay(self, request, context):  # noqa: N802
        context.set_trailing_metadata([("grpc-status-details-bin", self._details)])
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "no")


def status_of(*details: Message, code: int = 3) -> bytes:
    status = status_pb2.Status(code=code, message="no")
    for detail in details:
        status.details.add().Pack(detail)
    return status.SerializeToString()


@pytest.mark.parametrize(
    "details",
    [
        status_of(ErrorInfo(domain="laizi.v1", reason="OF_A_LATER_VERSION")),
        status_of(ErrorInfo(domain="proxy.example", reason="EMPTY_PLAY", metadata={"zone": "a"})),
        status_of(BadRequest()),
        status_of(ErrorInfo(domain="laizi.v1", reason="EMPTY_PLAY"), code=14),
        b"\xff\xff",
        status_pb2.Status(
            code=3, message="no", details=[any_pb2.Any(type_url="x/google.rpc.ErrorInfo", value=b"\xff")]
        ).SerializeToString(),
    ],
    ids=["later version", "another domain", "no violation", "another code", "no status", "no detail"],
)
def test_details_that_this_client_does_not_know_leave_code_and_message(serving, details):
    with Client(serving(Telling(details))) as client, pytest.raises(grpc.RpcError) as caught:
        client.doudizhu.ReadPlay(READ)
    assert failure(caught.value) == Failure(grpc.StatusCode.INVALID_ARGUMENT, "no")


def test_the_asyncio_client_answers_retries_and_tells_failures(target, serving):
    faulty = Faulty(refusals=2)
    address = serving(faulty)

    async def ask() -> Failure:
        async with AsyncClient(address) as client:
            assert (await client.doudizhu.ReadPlay(READ)).legal
        async with AsyncClient(target) as client:
            hu = mahjong_pb2.CheckHuRequest(
                rules=types_pb2.RuleSetSelector(preset="hongzhong"), concealed=types_pb2.Tiles(text="55m")
            )
            answers = await asyncio.gather(client.doudizhu.ReadPlay(READ), client.mahjong.CheckHu(hu))
            assert answers[0].legal
            assert answers[1].value.hu
            assert (await client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest())).rule_sets
            with pytest.raises(grpc.RpcError) as caught:
                await client.doudizhu.ReadPlay(FIVE)
            return failure(caught.value)

    told = asyncio.run(ask())
    assert faulty.calls == 3
    assert (told.code, told.reason, told.field) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        ErrorReason.TOO_MANY_COPIES,
        "cards.text",
    )


def test_both_clients_have_the_same_services():
    assert AsyncClient.__annotations__.keys() == Client.__annotations__.keys()
