"""More calls than a service can answer: some are answered, the others are told at once to come back, none hangs."""

import contextlib
import threading
import time
from collections import Counter
from concurrent import futures

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from laizi.errors import ErrorReason
from laizi.v1 import doudizhu_pb2, rules_pb2
from laizi_service.calls import Call
from laizi_service.client import Client, channel, failure
from laizi_service.handlers.rules import RulesHandlers
from laizi_service.launch import Launched
from laizi_service.server import Server
from laizi_service.settings import Settings
from tests.deploy.processes import until
from tests.service.requests import card, selector

LIST = rules_pb2.ListRuleSetsRequest()
NARROW = Settings(port=0, metrics_port=0, threads=2, max_waiting_calls=8, retry_seconds=0.25)


def test_every_call_is_answered_or_sent_away_and_the_service_recovers(monkeypatch, fetch):
    """Ten times as many calls as threads and queue hold, from several connections, again and again."""

    def slow(self: RulesHandlers, request: object, call: Call) -> rules_pb2.ListRuleSetsResponse:
        time.sleep(0.002)
        return rules_pb2.ListRuleSetsResponse()

    monkeypatch.setattr(RulesHandlers, "ListRuleSets", slow)
    sent, at_once = 2000, 100
    told: Counter[str] = Counter()
    with Server(NARROW) as server:
        target = f"127.0.0.1:{server.port}"

        def send(count: int) -> None:
            with Client(channel(target, retry=False, options=[("grpc.use_local_subchannel_pool", 1)])) as client:
                for _ in range(count // at_once):
                    calls = [client.rules.ListRuleSets.future(LIST, timeout=60) for _ in range(at_once)]
                    for call in calls:
                        error = call.exception()
                        if error is None:
                            told["answered"] += 1
                            continue
                        assert isinstance(error, grpc.RpcError)
                        failed = failure(error)
                        assert (failed.code, failed.reason) == (grpc.StatusCode.UNAVAILABLE, ErrorReason.OVERLOADED)
                        assert failed.retry_seconds == 0.25
                        assert "x-request-id" in dict(call.trailing_metadata())
                        told["sent away"] += 1

        with futures.ThreadPoolExecutor(2) as senders:
            for done in [senders.submit(send, sent // 2) for _ in range(2)]:
                done.result(timeout=120)
        assert sum(told.values()) == sent
        assert told["sent away"] > told["answered"] / 10 > 0
        until(lambda: "laizi_calls_in_flight 0.0" in fetch(server.metrics_port, "/metrics")[1], "no call runs")
        page = fetch(server.metrics_port, "/metrics")[1]
        assert f'laizi_errors_total{{reason="OVERLOADED"}} {told["sent away"]:.1f}' in page
        with Client(channel(target, retry=False)) as client:
            client.rules.ListRuleSets(LIST, timeout=60)


def test_a_burst_is_answered_or_sent_away_and_never_cancelled():
    """Five thousand calls at once, far more than gRPC keeps by default before it cancels."""
    request = doudizhu_pb2.ReadPlayRequest(rules=selector("huanle"), cards=card("33"))
    with Launched() as service, contextlib.ExitStack() as ends:
        own = [("grpc.use_local_subchannel_pool", 1)]
        clients = [Client(channel(service.target, retry=False, options=own)) for _ in range(4)]
        for client in clients:
            ends.enter_context(client)
        calls = [clients[number % 4].doudizhu.ReadPlay.future(request, timeout=120) for number in range(5000)]
        told = Counter(call.code() for call in calls)
    assert set(told) <= {grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE}, told
    assert told[grpc.StatusCode.OK] >= 512


def test_the_shipped_client_gets_through_an_overload(monkeypatch):
    """Its retries wait, so that twice as many calls as there is room for are all answered in the end."""

    def slow(self: RulesHandlers, request: object, call: Call) -> rules_pb2.ListRuleSetsResponse:
        time.sleep(0.001)
        return rules_pb2.ListRuleSetsResponse()

    monkeypatch.setattr(RulesHandlers, "ListRuleSets", slow)
    with Server(NARROW) as server, Client(f"127.0.0.1:{server.port}") as client:
        calls = [client.rules.ListRuleSets.future(LIST, timeout=60) for _ in range(20)]
        assert [call.exception() for call in calls] == [None] * 20


@pytest.mark.parametrize("leave", ["deadline", "cancel"])
def test_a_caller_who_went_while_his_call_waited_costs_no_work(monkeypatch, leave, fetch):
    started, release = threading.Event(), threading.Event()
    worked = []

    def slow(self: RulesHandlers, request: object, call: Call) -> rules_pb2.ListRuleSetsResponse:
        worked.append(1)
        started.set()
        release.wait(60)
        return rules_pb2.ListRuleSetsResponse()

    monkeypatch.setattr(RulesHandlers, "ListRuleSets", slow)
    settings = Settings(port=0, metrics_port=0, threads=1)
    with Server(settings) as server, channel(f"127.0.0.1:{server.port}", retry=False) as opened:
        client, probes = Client(opened), health_pb2_grpc.HealthStub(opened)
        running = client.rules.ListRuleSets.future(LIST, timeout=60)
        assert started.wait(60)
        waiting = [client.rules.ListRuleSets.future(LIST, timeout=1 if leave == "deadline" else 60) for _ in range(20)]
        until(lambda: "laizi_calls_waiting 20.0" in fetch(server.metrics_port, "/metrics")[1], "all wait")
        if leave == "cancel":
            for call in waiting:
                call.cancel()
        codes = {call.code() for call in waiting}
        assert codes == {grpc.StatusCode.DEADLINE_EXCEEDED if leave == "deadline" else grpc.StatusCode.CANCELLED}
        # What comes later on the same connection shows that the server has heard of it.
        for _ in range(3):
            probes.Check(health_pb2.HealthCheckRequest(), timeout=60)  # type: ignore[attr-defined]  # the types lack it
        release.set()
        assert running.result(timeout=60) == rules_pb2.ListRuleSetsResponse()
        until(lambda: "laizi_calls_waiting 0.0" in fetch(server.metrics_port, "/metrics")[1], "no call waits")
        until(lambda: "laizi_calls_in_flight 0.0" in fetch(server.metrics_port, "/metrics")[1], "no call runs")
        assert len(worked) == 1
