"""What the log says of calls, in both forms, and whose they are; spans of OpenTelemetry."""

import io
import json
import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from laizi.v1 import doudizhu_pb2, rules_pb2
from laizi_service import logs
from laizi_service.call_log import REQUEST_ID
from laizi_service.calls import Call
from laizi_service.client import Client
from laizi_service.handlers.rules import RulesHandlers
from laizi_service.server import Server
from laizi_service.settings import Settings, SettingsError
from laizi_service.tracing import Tracing
from tests.deploy.processes import until
from tests.service.requests import card, selector

LIST = rules_pb2.ListRuleSetsRequest()
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = ("traceparent", f"00-{TRACE}-{SPAN}-01")
BAD = doudizhu_pb2.ReadPlayRequest(rules=selector("huanle"), cards=card("3Z"))


@pytest.fixture
def serving(caplog) -> Iterator[Callable[..., Client]]:
    """Start a server and give a client for it; what it logs is in caplog."""
    caplog.set_level(logging.INFO)
    opened: list[Any] = []

    def start(**settings: Any) -> Client:
        server = Server(Settings(port=0, metrics_port=0, **settings))
        server.start()
        client = Client(f"127.0.0.1:{server.port}")
        opened.extend((lambda: server.stop(0), client.close))
        return client

    yield start
    for close in reversed(opened):
        close()


def logged(caplog) -> list[dict[str, Any]]:
    """The fields of what is logged of calls. The line of a call may come after its answer."""
    return [record.fields for record in caplog.records if record.name == "laizi_service.call_log"]


def ask(client: Client, request: doudizhu_pb2.ReadPlayRequest, *metadata: tuple[str, str]) -> Any:
    """A call that has ended."""
    call = client.doudizhu.ReadPlay.future(request, metadata=metadata, timeout=60)
    call.exception()
    return call


GOOD = doudizhu_pb2.ReadPlayRequest(rules=selector("huanle"), cards=card("33"))
WANTED = {"none": [], "slow": [], "errors": ["INVALID_ARGUMENT"], "all": ["OK", "INVALID_ARGUMENT"]}


@pytest.mark.parametrize("log_calls", WANTED)
def test_the_calls_that_are_wanted_stand_in_the_log(serving, caplog, log_calls):
    client = serving(log_calls=log_calls)
    ask(client, GOOD)
    ask(client, BAD)
    until(lambda: len(logged(caplog)) >= len(WANTED[log_calls]), "the calls are logged")
    assert [fields["code"] for fields in logged(caplog)] == WANTED[log_calls]


def test_a_slow_call_is_a_warning_and_a_stream_is_never_slow(serving, caplog):
    client = serving(slow_seconds=0.0)
    ask(client, GOOD)
    list(client.doudizhu.Stream(iter([doudizhu_pb2.DoudizhuServiceStreamRequest(read_play=GOOD)])))
    until(lambda: logged(caplog), "the slow call is logged")
    assert [(fields["method"], fields["code"]) for fields in logged(caplog)] == [
        ("/laizi.v1.DoudizhuService/ReadPlay", "OK")
    ]
    assert next(record for record in caplog.records if record.name == "laizi_service.call_log").levelname == "WARNING"


def test_a_call_is_logged_with_its_request_id_and_trace(serving, caplog):
    client = serving(log_calls="errors")
    call = ask(client, BAD, (REQUEST_ID, "game-17/move-4"), PARENT)
    until(lambda: logged(caplog), "the call is logged")
    fields = logged(caplog)[0]
    assert {name: fields[name] for name in ("method", "code", "request_id", "trace_id", "span_id")} == {
        "method": "/laizi.v1.DoudizhuService/ReadPlay",
        "code": "INVALID_ARGUMENT",
        "request_id": "game-17/move-4",
        "trace_id": TRACE,
        "span_id": SPAN,
    }
    assert fields["seconds"] > 0
    assert fields["peer"].startswith("ipv4:127.0.0.1:")
    assert dict(call.trailing_metadata())[REQUEST_ID] == "game-17/move-4"


@pytest.mark.parametrize("given", [None, "", "two words", "x" * 129, 'a"b'])
def test_a_call_that_fails_without_an_id_gets_one_that_its_caller_is_told(serving, caplog, given):
    client = serving(log_calls="errors")
    call = ask(client, BAD, *([] if given is None else [(REQUEST_ID, given)]))
    until(lambda: logged(caplog), "the call is logged")
    told = dict(call.trailing_metadata())[REQUEST_ID]
    assert told == logged(caplog)[0]["request_id"] != given
    assert len(told) == 16


@pytest.mark.parametrize(
    "parent", ["", "x", f"ff-{TRACE}-{SPAN}-01", f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01", TRACE]
)
def test_a_trace_that_is_none_is_left_out(serving, caplog, parent):
    client = serving(log_calls="errors")
    ask(client, BAD, ("traceparent", parent))
    until(lambda: logged(caplog), "the call is logged")
    assert "trace_id" not in logged(caplog)[0]


def test_a_fault_stands_in_the_log_with_the_caller_s_id(serving, caplog, monkeypatch):
    def broken(self: RulesHandlers, request: object, call: Call) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(RulesHandlers, "ListRuleSets", broken)
    client = serving(log_calls="none")
    call = client.rules.ListRuleSets.future(LIST, metadata=((REQUEST_ID, "r1"), PARENT), timeout=60)
    assert call.code() is grpc.StatusCode.INTERNAL
    fault = next(record for record in caplog.records if "internal fault" in record.getMessage())
    assert fault.fields == {"request_id": "r1", "trace_id": TRACE, "span_id": SPAN}


def written(monkeypatch, log_format: Any, worker: int | None = None) -> str:
    """What a record with fields, and one with an exception, look like."""
    stream = io.StringIO()
    root = logging.Logger("root")
    monkeypatch.setattr(logging, "root", root)
    monkeypatch.setattr(sys, "stderr", stream)
    logs.configure(Settings(log_format=log_format), worker)
    root.info("call %s", "癞子", extra={"fields": {"request_id": "r1", "seconds": 0.25}})
    try:
        raise RuntimeError("broken\nin two")
    except RuntimeError:
        root.exception("fault")
    return stream.getvalue()


def test_json_is_one_object_a_line(monkeypatch):
    call, fault = map(json.loads, written(monkeypatch, "json", worker=2).splitlines())
    assert call.pop("time").endswith("Z")
    assert call == {
        "level": "INFO",
        "logger": "root",
        "message": "call 癞子",
        "worker": 2,
        "request_id": "r1",
        "seconds": 0.25,
    }
    assert "RuntimeError: broken\nin two" in fault["exception"]


def test_text_ends_with_the_fields(monkeypatch):
    lines = written(monkeypatch, "text").splitlines()
    assert lines[0].endswith("INFO root: call 癞子 request_id=r1 seconds=0.25")
    assert "RuntimeError: broken" in lines


@pytest.fixture
def spans(monkeypatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(Tracing, "of", lambda settings: Tracing(provider))
    return exporter


def test_each_call_is_a_span_under_that_of_its_caller(serving, spans):
    client = serving()
    ask(client, GOOD, PARENT)
    ask(client, BAD)
    until(lambda: len(spans.get_finished_spans()) == 2, "both spans have ended")
    good, bad = spans.get_finished_spans()
    assert good.name == "laizi.v1.DoudizhuService/ReadPlay"
    assert f"{good.context.trace_id:032x}" == TRACE
    assert f"{good.parent.span_id:016x}" == SPAN
    assert good.attributes == {
        "rpc.system": "grpc",
        "rpc.service": "laizi.v1.DoudizhuService",
        "rpc.method": "ReadPlay",
        "rpc.grpc.status_code": 0,
    }
    assert good.kind.name == "SERVER"
    assert good.status.is_unset
    assert bad.parent is None
    assert bad.attributes["rpc.grpc.status_code"] == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    assert not bad.status.is_ok


def test_tracing_without_its_packages_says_what_to_install(monkeypatch):
    assert Tracing.of(Settings()) is None
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace.export", None)
    with pytest.raises(SettingsError, match=r"laizi\[otel\]"):
        Tracing.of(Settings(tracing="on"))


def test_tracing_sends_over_otlp_by_its_own_variables(monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    tracing = Tracing.of(Settings(tracing="on"))
    assert tracing is not None
    tracing.close()
