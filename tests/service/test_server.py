"""What surrounds the methods: health, reflection, metrics, concurrency, and going away."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent import futures
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from laizi.v1 import doudizhu_pb2, rules_pb2
from laizi_service.client import Client, health
from laizi_service.handlers.rules import RulesHandlers
from laizi_service.server import AddressInUseError, Server
from laizi_service.settings import Settings

NAMES = [f"laizi.v1.{name}Service" for name in ("Doudizhu", "Mahjong", "Rules")]
FREE = Settings(port=0, metrics_port=0)


@pytest.mark.parametrize("name", ["", *NAMES])
def test_health_says_serving_for_the_whole_and_each_service(target, name):
    assert health(target, name) == "SERVING"


def test_health_does_not_know_other_services(target):
    assert health(target, "laizi.v1.PokerService") == "NOT_FOUND"


def test_health_of_a_server_that_is_not_there():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assert health(f"127.0.0.1:{free.getsockname()[1]}", timeout=1) in {"UNAVAILABLE", "DEADLINE_EXCEEDED"}


def test_a_watcher_sees_the_server_go():
    with Server(FREE) as server, grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)  # its types lack the methods
        watch = stub.Watch(health_pb2.HealthCheckRequest(service=NAMES[0]))
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        stopping = threading.Thread(target=server.stop, args=(0.2,))
        stopping.start()
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
        stopping.join()


def test_reflection_lists_the_services_and_gives_their_files(raw):
    database = ProtoReflectionDescriptorDatabase(raw)
    assert set(NAMES) < set(database.get_services())
    file = database.FindFileByName("laizi/v1/doudizhu.proto")
    assert file.package == "laizi.v1"
    # Without them grpcurl prints answers that are not in the canonical JSON form.
    names = {field.name: field.json_name for message in file.message_type for field in message.field}
    assert names["declared_reading"] == "declaredReading"
    assert all(names.values())


def test_the_monitoring_port_says_ready_and_where_its_pages_are(server, fetch):
    assert fetch(server.metrics_port, "/ready") == (200, "ready\n")
    assert fetch(server.metrics_port, "/elsewhere") == (404, "there are /metrics and /ready\n")


def test_a_scrape_counts_exactly_the_calls_made(client, raw, scrape):
    labels = 'grpc_method="GetRuleSet",grpc_service="laizi.v1.RulesService",grpc_type="unary"'
    names = {
        "started": f"grpc_server_started_total{{{labels}}}",
        "ok": f'grpc_server_handled_total{{grpc_code="OK",{labels}}}',
        "bad": f'grpc_server_handled_total{{grpc_code="InvalidArgument",{labels}}}',
        "seconds": f"grpc_server_handling_seconds_count{{{labels}}}",
        "reason": 'laizi_errors_total{reason="MISSING_FIELD"}',
    }
    before = scrape()
    good = rules_pb2.GetRuleSetRequest()
    good.rules.preset = "huanle"
    for _ in range(3):
        client.rules.GetRuleSet(good)
    with pytest.raises(grpc.RpcError):
        client.rules.GetRuleSet(rules_pb2.GetRuleSetRequest())
    after = scrape()
    grown = {key: after[name] - before.get(name, 0) for key, name in names.items()}
    assert grown == {"started": 4, "ok": 3, "bad": 1, "seconds": 4, "reason": 1}
    assert after["laizi_serving"] == 1
    assert after["laizi_calls_in_flight"] == 0
    assert any(name.startswith("laizi_build_info{") for name in after)
    buckets = [
        name for name in after if name.startswith("grpc_server_handling_seconds_bucket{") and labels[:24] in name
    ]
    bounds = sorted(float(bound) for bound in re.findall(r'le="([^"]+)"', " ".join(buckets)))
    assert (bounds[0], bounds[-2]) == (50e-6, 10)


def test_names_that_do_not_exist_make_no_labels(raw, scrape):
    with pytest.raises(grpc.RpcError):
        raw.unary_unary("/laizi.v1.RulesService/Invented")(b"")
    assert not [name for name in scrape() if "Invented" in name]


def test_many_callers_at_once_get_their_own_answers(client):
    presets = ["huanle", "wuhan", "tiandi", "enshi", "honghu"]

    def ask(number: int) -> tuple[str, str]:
        request = rules_pb2.GetRuleSetRequest()
        request.rules.preset = presets[number % len(presets)]
        return request.rules.preset, client.rules.GetRuleSet(request).rule_set.name

    with futures.ThreadPoolExecutor(16) as pool:
        assert all(asked == answered for asked, answered in pool.map(ask, range(200)))


@pytest.mark.parametrize("taken", ["port", "metrics_port"])
def test_a_port_that_is_taken_is_named(taken):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        number = other.getsockname()[1]
        with pytest.raises(AddressInUseError, match=str(number)):
            Server(Settings(**{"port": 0, "metrics_port": 0, taken: number}))


def test_stopping_lets_a_running_call_finish(monkeypatch):
    started = threading.Event()

    def slow(self: RulesHandlers, request: object, call: object) -> rules_pb2.ListRuleSetsResponse:
        started.set()
        time.sleep(0.5)
        return rules_pb2.ListRuleSetsResponse(engine_version="finished")

    monkeypatch.setattr(RulesHandlers, "ListRuleSets", slow)
    server = Server(FREE)
    server.start()
    with Client(f"127.0.0.1:{server.port}") as client:
        running = client.rules.ListRuleSets.future(rules_pb2.ListRuleSetsRequest())
        assert started.wait(10)
        server.stop(0)
        assert running.result(timeout=10).engine_version == "finished"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_turns_callers_away_first_and_ends_with_code_0(number, fetch):
    """While it drains the service says NOT_SERVING and 503, and still answers."""
    command = [
        sys.executable,
        "-m",
        "laizi_service",
        "serve",
        "--port=0",
        "--metrics-port=0",
        "--drain-seconds=1.5",
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LAIZI_")}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            port, metrics_port = re.findall(r"127\.0\.0\.1:(\d+)", line)
            assert health(f"127.0.0.1:{port}") == "SERVING"
            with Client(f"127.0.0.1:{port}") as client:
                client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest())
                process.send_signal(number)
                while health(f"127.0.0.1:{port}") == "SERVING":
                    time.sleep(0.02)
                assert health(f"127.0.0.1:{port}") == "NOT_SERVING"
                assert fetch(int(metrics_port), "/ready")[0] == 503
                assert client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest()).rule_sets
            assert process.wait(timeout=20) == 0
            assert "stopped" in process.stderr.read()
        finally:
            process.kill()


class Silent:
    """Calls that are opened and never send their message."""

    def __init__(self, target: str, method: str, count: int) -> None:
        self._never = threading.Event()
        self._channel = grpc.insecure_channel(target)
        opened: Any = self._channel.stream_unary(method)
        self.calls: list[Any] = [opened.future(self._nothing()) for _ in range(count)]

    def _nothing(self) -> Iterator[bytes]:
        self._never.wait()
        yield from ()

    def close(self) -> None:
        self._never.set()
        self._channel.close()


@pytest.mark.parametrize(
    "method",
    [
        "/laizi.v1.RulesService/ListRuleSets",
        "/grpc.health.v1.Health/Check",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    ],
)
def test_callers_that_open_calls_and_send_nothing_keep_no_thread(method, fetch):
    """Twice as many silent calls as there are threads: all are ended, and others are answered."""
    with Server(Settings(port=0, metrics_port=0, threads=2, message_seconds=0.2)) as server:
        target = f"127.0.0.1:{server.port}"
        with contextlib.closing(Silent(target, method, 8)) as silent:
            codes = {call.exception(timeout=30).code() for call in silent.calls}
            assert codes == {grpc.StatusCode.CANCELLED}
            with Client(target) as client:
                assert client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest(), timeout=30).rule_sets
            assert health(target, timeout=30) == "SERVING"
            with grpc.insecure_channel(target) as channel:
                assert set(NAMES) < set(ProtoReflectionDescriptorDatabase(channel).get_services())
        assert "laizi_silent_calls_total 8.0" in fetch(server.metrics_port, "/metrics")[1]


@pytest.mark.parametrize("method", ["/laizi.v1.RulesService/ListRuleSets", "/laizi.v1.DoudizhuService/BatchReadPlays"])
def test_calls_whose_message_is_late_do_not_hold_up_others(method):
    """As many of them as there are spare threads: with one thread for calls and one for batches, both are answered."""
    with Server(Settings(port=0, metrics_port=0, threads=1, batch_threads=1, message_seconds=600)) as server:
        target = f"127.0.0.1:{server.port}"
        with contextlib.closing(Silent(target, method, 20)), Client(target) as client:
            batch = doudizhu_pb2.BatchReadPlaysRequest()
            assert not client.doudizhu.BatchReadPlays(batch, timeout=30).results
            assert client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest(), timeout=30).rule_sets


def test_silent_calls_leave_health_and_reflection_alone(raw):
    """Each has threads of its own, so that a balancer does not take a busy replica for a dead one."""
    with Server(Settings(port=0, metrics_port=0, threads=2, message_seconds=600)) as server:
        target = f"127.0.0.1:{server.port}"
        with contextlib.closing(Silent(target, "/laizi.v1.RulesService/ListRuleSets", 8)):
            reflection = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
            with contextlib.closing(Silent(target, reflection, 8)):
                assert health(target, timeout=30) == "SERVING"


def test_a_call_that_is_worked_on_may_take_longer_than_its_message(monkeypatch):
    def slow(self: RulesHandlers, request: object, call: object) -> rules_pb2.ListRuleSetsResponse:
        time.sleep(1)
        return rules_pb2.ListRuleSetsResponse(engine_version="finished")

    monkeypatch.setattr(RulesHandlers, "ListRuleSets", slow)
    server = Server(Settings(port=0, metrics_port=0, message_seconds=0.1))
    with server, Client(f"127.0.0.1:{server.port}") as client:
        assert client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest()).engine_version == "finished"
