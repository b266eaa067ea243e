"""Every way in which a call can fail, on the wire."""

import random
from concurrent import futures

import grpc
import pytest
from grpc import StatusCode

from laizi.errors import ErrorReason, LaiziError, RequestError
from laizi.v1 import doudizhu_pb2, errors_pb2, mahjong_pb2, rules_pb2, types_pb2
from laizi_service import status
from laizi_service.calls import Call
from laizi_service.client import Client, failure
from laizi_service.handlers.doudizhu import DoudizhuHandlers
from laizi_service.handlers.rules import RulesHandlers
from laizi_service.metrics import Metrics
from laizi_service.rule_sets import RuleSets
from laizi_service.server import Server
from laizi_service.settings import Settings
from tests.service.callers import Leaving
from tests.service.requests import card, selector

SERVICES = [
    file.DESCRIPTOR.services_by_name[name]
    for file, name in (
        (doudizhu_pb2, "DoudizhuService"),
        (mahjong_pb2, "MahjongService"),
        (rules_pb2, "RulesService"),
    )
]
METHODS = [method for service in SERVICES for method in service.methods]
UNARY = [method for method in METHODS if not method.client_streaming]


def path(method) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


def test_each_reason_has_the_number_of_its_enum_value():
    values = errors_pb2.ErrorReason.DESCRIPTOR.values_by_name
    assert {f"ERROR_REASON_{reason}": reason.number for reason in ErrorReason} == {
        name: value.number for name, value in values.items() if value.number
    }


@pytest.mark.parametrize("reason", ErrorReason)
def test_each_reason_comes_through_a_status(reason):
    error = LaiziError(reason, "what is wrong", path="hand", position=3, limit=4)
    sent = status.of_error(error, "hand.text")
    assert sent.code == status.code_of(reason).value[0]
    assert sent.message == "hand.text: what is wrong"
    assert [detail.type_url.rsplit(".", 1)[1] for detail in sent.details] == ["ErrorInfo", "BadRequest"]


@pytest.mark.parametrize("method", METHODS, ids=path)
def test_bytes_that_are_no_message_never_break_a_method(raw, method):
    call = raw.stream_stream(path(method)) if method.client_streaming else raw.unary_unary(path(method))
    junk = b"\xff\xff\xff\xff"
    with pytest.raises(grpc.RpcError) as caught:
        list(call(iter([junk]))) if method.client_streaming else call(junk)
    failed = failure(caught.value)
    assert (failed.code, failed.reason) in {
        (StatusCode.INVALID_ARGUMENT, ErrorReason.MALFORMED_MESSAGE),
        (StatusCode.UNIMPLEMENTED, ErrorReason.NOT_IMPLEMENTED),
    }


@pytest.mark.parametrize("method", UNARY, ids=path)
def test_random_bytes_never_break_a_method(raw, rng: random.Random, samples, method):
    call = raw.unary_unary(path(method))
    for _ in range(samples(20)):
        data = rng.randbytes(rng.randrange(1, 60))
        try:
            call(data)
        except grpc.RpcError as error:
            failed = failure(error)
            assert failed.reason is not None, (data, failed)
            assert failed.code not in (StatusCode.UNKNOWN, StatusCode.INTERNAL), (data, failed)


def test_a_message_beyond_the_limit_gets_the_refusal_of_grpc_itself(client):
    request = rules_pb2.ValidateRuleSetRequest(toml="#" * (17 * 1024 * 1024))
    with pytest.raises(grpc.RpcError) as caught:
        client.rules.ValidateRuleSet(request)
    failed = failure(caught.value)
    assert failed.code is StatusCode.RESOURCE_EXHAUSTED
    assert failed.reason is None
    assert "16777216" in failed.message


def test_a_method_that_does_not_exist_is_unimplemented(raw):
    with pytest.raises(grpc.RpcError) as caught:
        raw.unary_unary("/laizi.v1.RulesService/NoSuchThing")(b"")
    assert failure(caught.value).code is StatusCode.UNIMPLEMENTED


def test_a_fault_tells_the_caller_an_id_and_nothing_else(monkeypatch, caplog):
    def broken(self: RulesHandlers, request: object, call: Call) -> None:
        raise RuntimeError("a secret of the server")

    monkeypatch.setattr(RulesHandlers, "ListRuleSets", broken)
    with (
        Server(Settings(port=0, metrics_port=0)) as server,
        Client(f"127.0.0.1:{server.port}") as client,
        pytest.raises(grpc.RpcError) as caught,
    ):
        client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest())
    failed = failure(caught.value)
    assert (failed.code, failed.reason) == (StatusCode.INTERNAL, ErrorReason.INTERNAL_FAULT)
    fault = dict(failed.metadata)["id"]
    assert fault in failed.message
    assert "secret" not in failed.message
    logged = next(record for record in caplog.records if fault in record.getMessage())
    assert "a secret of the server" in str(logged.exc_info)


def call(channel: grpc.Channel, method: str, timeout: float) -> bytes:
    answer: bytes = channel.unary_unary(method)(b"", timeout=timeout)  # type: ignore[arg-type]  # bytes need no serializer
    return answer


def test_calls_beyond_the_limit_are_sent_away_to_retry_and_probes_are_not(monkeypatch):
    """One thread, one call that waits: the third is refused at once while health still answers."""
    started, release = futures.Future[None](), futures.Future[None]()

    def slow(self: RulesHandlers, request: object, call: Call) -> rules_pb2.ListRuleSetsResponse:
        if not started.done():
            started.set_result(None)
        release.result(timeout=20)
        return rules_pb2.ListRuleSetsResponse()

    monkeypatch.setattr(RulesHandlers, "ListRuleSets", slow)
    settings = Settings(port=0, metrics_port=0, threads=1, max_waiting_calls=1, retry_seconds=0.5)
    with Server(settings) as server, grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        client = Client(channel)
        request = rules_pb2.ListRuleSetsRequest()
        running = client.rules.ListRuleSets.future(request)
        started.result(timeout=20)
        waiting = client.rules.ListRuleSets.future(request)
        # The second is on its way; a refusal proves that it has arrived.
        while True:
            try:
                call(channel, "/laizi.v1.RulesService/GetClause", 0.2)
            except grpc.RpcError as error:
                failed = failure(error)
                if failed.code is StatusCode.UNAVAILABLE:
                    break
        assert failed.reason is ErrorReason.OVERLOADED
        assert failed.retry_seconds == 0.5
        assert dict(failed.metadata) == {"limit": "1"}
        assert "max_waiting_calls" in failed.message
        assert call(channel, "/grpc.health.v1.Health/Check", 5) == b"\x08\x01"
        release.set_result(None)
        assert running.result(timeout=20) == waiting.result(timeout=20) == rules_pb2.ListRuleSetsResponse()


def test_long_work_stops_when_the_caller_has_gone():
    class Gone:
        def is_active(self) -> bool:
            return False

        def time_remaining(self) -> float:
            return 5.0

    class Late(Gone):
        def is_active(self) -> bool:
            return True

        def time_remaining(self) -> float:
            return 0.0

    for context in (Gone(), Late()):
        with pytest.raises(RequestError) as caught:
            Call(context, "", Metrics()).proceed()  # type: ignore[arg-type]  # all that it asks of a context
        assert caught.value.reason is ErrorReason.DEADLINE_EXCEEDED


def test_a_long_list_of_plays_ends_when_the_caller_goes():
    caller = Leaving()
    handlers = DoudizhuHandlers(RuleSets(4), Settings())
    request = doudizhu_pb2.ListPlaysRequest(
        rules=selector("tiandi"),
        wilds=types_pb2.Wilds(ranks="78"),
        hand=card("7778889TJQKA"),
        grouping=doudizhu_pb2.PLAY_GROUPING_EXPANDED,
    )
    with pytest.raises(RequestError) as caught:
        handlers.ListPlays(request, Call(caller, "", Metrics()))  # type: ignore[arg-type]  # all that it asks of it
    assert (caught.value.reason, caller.looks) == (ErrorReason.DEADLINE_EXCEEDED, 3)
