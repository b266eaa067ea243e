"""Streams: every request by its id, batches overtaken, bounds, wrong requests, and ways to end."""

import contextlib
import queue
import resource
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from grpc import StatusCode

from laizi.errors import ErrorReason
from laizi.v1 import doudizhu_pb2, errors_pb2, mahjong_pb2, types_pb2
from laizi_service.client import Client, failure
from laizi_service.handlers.doudizhu import DoudizhuHandlers
from laizi_service.rows import card_rows, tile_rows
from laizi_service.server import Server
from laizi_service.settings import Settings
from tests.service.requests import card, selector, tile

SEVENS = types_pb2.Wilds(ranks="7")
FREE = Settings(port=0, metrics_port=0)
PATIENCE = 30.0


class Talk:
    """One stream of DoudizhuService as a test speaks on it."""

    def __init__(self, client: Client) -> None:
        self._requests: queue.Queue[Any] = queue.Queue()
        self.call: Any = client.doudizhu.Stream(iter(self._requests.get, None), timeout=PATIENCE)

    def ask(self, number: int, **request: Any) -> None:
        self._requests.put(doudizhu_pb2.DoudizhuServiceStreamRequest(correlation_id=number, **request))

    def hear(self) -> doudizhu_pb2.DoudizhuServiceStreamResponse:
        answer: doudizhu_pb2.DoudizhuServiceStreamResponse = next(self.call)
        return answer

    def close(self) -> None:
        """Ask no more."""
        self._requests.put(None)

    def code(self) -> StatusCode:
        """How it ended; it must have no more answers."""
        with contextlib.suppress(grpc.RpcError):
            assert [*self.call] == []
        code: StatusCode = self.call.code()
        return code


def play(text: str, preset: str = "huanle") -> doudizhu_pb2.ReadPlayRequest:
    return doudizhu_pb2.ReadPlayRequest(rules=selector(preset), wilds=SEVENS, cards=card(text))


def columns(text: str, rows: int = 1) -> doudizhu_pb2.ReadPlayColumnsRequest:
    return doudizhu_pb2.ReadPlayColumnsRequest(
        rules=selector("huanle"), wilds=SEVENS, plays=card_rows([text], "7") * rows
    )


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Columns of Dou Dizhu wait until this is called, at the latest at the end of the test."""
    gate = threading.Event()
    whole = DoudizhuHandlers.ReadPlayColumns

    def waiting(self: DoudizhuHandlers, request: Any, call: Any) -> Any:
        assert gate.wait(PATIENCE)
        return whole(self, request, call)

    monkeypatch.setattr(DoudizhuHandlers, "ReadPlayColumns", waiting)
    yield gate.set
    gate.set()


@pytest.fixture
def own() -> Iterator[tuple[Server, Client]]:
    """A server of the test's own, so that it sees replaced handlers, and a client of it."""
    settings = Settings(port=0, metrics_port=0, max_stream_batches=2, max_streams=3)
    with Server(settings) as server, Client(f"127.0.0.1:{server.port}") as client:
        yield server, client


def test_every_kind_of_request_is_answered_as_its_unary_call(client):
    hand: dict[str, Any] = {"rules": selector("huanle"), "wilds": SEVENS}
    previous = doudizhu_pb2.Play(reading="single:3:1")
    requests: dict[str, tuple[Callable[[Any], Any], Any]] = {
        "read_play": (client.doudizhu.ReadPlay, play("3337")),
        "compare_plays": (
            client.doudizhu.ComparePlays,
            doudizhu_pb2.ComparePlaysRequest(challenger=doudizhu_pb2.Play(cards=card("7")), previous=previous, **hand),
        ),
        "list_plays": (client.doudizhu.ListPlays, doudizhu_pb2.ListPlaysRequest(hand=card("345"), **hand)),
        "can_beat": (
            client.doudizhu.CanBeat,
            doudizhu_pb2.CanBeatRequest(hand=card("4"), previous=previous, **hand),
        ),
        "resolve_auction": (
            client.doudizhu.ResolveAuction,
            doudizhu_pb2.ResolveAuctionRequest(rules=selector("huanle")),
        ),
        "batch_read_plays": (
            client.doudizhu.BatchReadPlays,
            doudizhu_pb2.BatchReadPlaysRequest(rules=selector("huanle"), items=[play("3"), play("34")]),
        ),
        "read_play_columns": (client.doudizhu.ReadPlayColumns, columns("3337", 3)),
    }
    talk = Talk(client)
    for number, (field, (_, request)) in enumerate(requests.items()):
        talk.ask(number, **{field: request})
    answers = {answer.correlation_id: answer for answer in (talk.hear() for _ in requests)}
    for number, (field, (method, request)) in enumerate(requests.items()):
        assert answers[number].WhichOneof("response") == field
        assert getattr(answers[number], field) == method(request), field
    talk.close()
    assert talk.code() is StatusCode.OK


def test_mahjong_has_a_stream_too(client):
    hu = mahjong_pb2.CheckHuRequest(rules=selector("hongzhong"), concealed=tile("123456789m111p22p"))
    rows = mahjong_pb2.ShantenColumnsRequest(
        rules=selector("hongzhong"), hands=mahjong_pb2.HandColumns(concealed=tile_rows(["123456789m111p22p"]))
    )
    asked = [
        mahjong_pb2.MahjongServiceStreamRequest(correlation_id=2**64 - 1, check_hu=hu),
        mahjong_pb2.MahjongServiceStreamRequest(correlation_id=0, shanten_columns=rows),
    ]
    answers = {answer.correlation_id: answer for answer in client.mahjong.Stream(iter(asked), timeout=PATIENCE)}
    assert answers[2**64 - 1].check_hu == client.mahjong.CheckHu(hu)
    assert answers[0].shanten_columns == client.mahjong.ShantenColumns(rows)


def test_small_requests_overtake_batches(held, own):
    talk = Talk(own[1])
    talk.ask(1, read_play_columns=columns("3"))
    for number in range(2, 50):
        talk.ask(number, read_play=play("3"))
    assert [talk.hear().correlation_id for _ in range(2, 50)] == [*range(2, 50)]
    held()
    answer = talk.hear()
    assert (answer.correlation_id, answer.WhichOneof("response")) == (1, "read_play_columns")
    talk.close()
    assert talk.code() is StatusCode.OK


def test_wrong_requests_are_told_and_the_stream_goes_on(held, own):
    talk = Talk(own[1])
    talk.ask(1, read_play=play("33333"))
    talk.ask(2)
    talk.ask(3, read_play=play("3", "nothing"))
    talk.ask(4, read_play_columns=columns("3"))
    talk.ask(4, read_play=play("3"))
    talk.ask(5, read_play=play("3"))
    told = [talk.hear() for _ in range(5)]
    assert [(answer.correlation_id, answer.error.reason, answer.error.field) for answer in told] == [
        (1, errors_pb2.ERROR_REASON_TOO_MANY_COPIES, "cards.text"),
        (2, errors_pb2.ERROR_REASON_MISSING_FIELD, "request"),
        (3, errors_pb2.ERROR_REASON_UNKNOWN_RULE_SET, "rules.preset"),
        (4, errors_pb2.ERROR_REASON_DUPLICATE_CORRELATION_ID, "correlation_id"),
        (5, 0, ""),
    ]
    held()
    assert talk.hear().read_play_columns.reading_counts == b"\1"
    talk.ask(4, read_play=play("3"))
    assert talk.hear().read_play.legal
    talk.close()
    assert talk.code() is StatusCode.OK


def test_a_stream_is_not_read_on_beyond_its_bound(held, own):
    talk = Talk(own[1])
    talk.ask(1, read_play_columns=columns("3"))
    talk.ask(2, read_play_columns=columns("3"))
    talk.ask(3, read_play=play("3"))
    heard: queue.Queue[int] = queue.Queue()

    def listen() -> None:
        for _ in range(3):
            heard.put(talk.hear().correlation_id)

    threading.Thread(target=listen, daemon=True).start()
    with pytest.raises(queue.Empty):
        heard.get(timeout=0.5)
    held()
    assert {heard.get(timeout=PATIENCE) for _ in range(3)} == {1, 2, 3}
    talk.close()
    assert talk.code() is StatusCode.OK


def test_bytes_that_are_no_request_end_the_stream(raw):
    stream = raw.stream_stream("/laizi.v1.DoudizhuService/Stream")
    call = stream(iter([b"\xff"]), timeout=PATIENCE)
    with pytest.raises(grpc.RpcError) as caught:
        next(call)
    failed = failure(caught.value)
    assert (failed.code, failed.reason) == (StatusCode.INVALID_ARGUMENT, ErrorReason.MALFORMED_MESSAGE)


def test_too_many_streams_are_refused(own):
    talks = [Talk(own[1]) for _ in range(3)]
    for talk in talks:
        talk.ask(1, read_play=play("3"))
        assert talk.hear().read_play.legal
    with pytest.raises(grpc.RpcError) as caught:
        Talk(own[1]).hear()
    failed = failure(caught.value)
    assert (failed.code, failed.reason) == (StatusCode.UNAVAILABLE, ErrorReason.OVERLOADED)
    assert "max_streams" in failed.message
    talks[0].close()
    assert talks[0].code() is StatusCode.OK
    wait_until(lambda: len(own[0]._streams) == 2)
    again = Talk(own[1])
    again.ask(1, read_play=play("3"))
    assert again.hear().read_play.legal


def test_a_stream_ends_with_its_answers_when_the_server_goes(held):
    server = Server(FREE)
    server.start()
    with Client(f"127.0.0.1:{server.port}") as client:
        idle, busy = Talk(client), Talk(client)
        idle.ask(1, read_play=play("3"))
        assert idle.hear().read_play.legal
        busy.ask(1, read_play_columns=columns("3"))
        busy.ask(2, read_play=play("3"))
        assert busy.hear().correlation_id == 2
        stopping = threading.Thread(target=server.stop, args=(0,))
        stopping.start()
        with pytest.raises(grpc.RpcError) as caught:
            idle.hear()
        failed = failure(caught.value)
        assert (failed.code, failed.reason) == (StatusCode.UNAVAILABLE, ErrorReason.SHUTTING_DOWN)
        assert failed.retry_seconds
        held()
        assert busy.hear().read_play_columns.reading_counts == b"\1"
        assert busy.code() is StatusCode.UNAVAILABLE
        stopping.join(PATIENCE)
        assert not stopping.is_alive()


def test_a_client_that_goes_in_the_middle_leaves_nothing(held, own):
    server, client = own
    talk = Talk(client)
    talk.ask(1, read_play_columns=columns("3"))
    talk.ask(2, read_play=play("3"))
    assert talk.hear().correlation_id == 2
    talk.call.cancel()
    held()
    wait_until(lambda: not (len(server._streams) or server._pools.running or server._pools.streams.unfinished))


def test_a_slow_reader_holds_up_nobody_else(own):
    client = own[1]
    slow = Talk(client)
    big = columns("3337", 20_000)
    for number in range(60):
        slow.ask(number, read_play_columns=big)
    time.sleep(0.3)
    other = Talk(client)
    other.ask(1, read_play_columns=columns("3"))
    assert other.hear().read_play_columns.reading_counts == b"\1"
    assert {slow.hear().correlation_id for _ in range(60)} == {*range(60)}
    slow.close()
    assert slow.code() is StatusCode.OK


def test_requests_are_counted_by_their_own_method(client, scrape):
    labels = 'grpc_method="ReadPlay",grpc_service="laizi.v1.DoudizhuService"'
    names = [
        f'laizi_stream_requests_handled_total{{grpc_code="OK",{labels}}}',
        f'laizi_stream_requests_handled_total{{grpc_code="InvalidArgument",{labels}}}',
        f"laizi_stream_request_seconds_count{{{labels}}}",
        'laizi_hands_total{game="doudizhu",operation="read"}',
        'laizi_errors_total{reason="TOO_MANY_COPIES"}',
    ]
    before = scrape()
    talk = Talk(client)
    for number, text in enumerate(("3", "4", "55555")):
        talk.ask(number, read_play=play(text))
        talk.hear()
    during = scrape()
    assert during["laizi_streams_open"] == before["laizi_streams_open"] + 1
    talk.close()
    assert talk.code() is StatusCode.OK
    after = scrape()
    assert [after[name] - before.get(name, 0) for name in names] == [2, 1, 3, 3, 1]


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_bad_calls_by_the_thousand_leave_nothing(samples):
    """Rows cut short, every row wrong, malformed bytes, and clients that go at once: unary and on streams."""
    with Server(FREE) as server, Client(f"127.0.0.1:{server.port}") as client:
        before = bad_calls(client, 400)
        grown = bad_calls(client, samples(600)) - before
        assert grown < 16 * 1024, f"{grown} KiB"
        wait_until(lambda: not (len(server._streams) or server._pools.running or server._pools.streams.unfinished))


def bad_calls(client: Client, calls: int) -> int:
    """Make calls that must fail; the highest memory of the process so far, in KiB."""
    wrong: list[tuple[Any, Any]] = [
        (client.doudizhu.ReadPlayColumns, doudizhu_pb2.ReadPlayColumnsRequest(plays=bytes(17))),
        (client.doudizhu.CompareColumns, doudizhu_pb2.CompareColumnsRequest(rules=selector("huanle"), plays=bytes(16))),
        (client.mahjong.CheckHuColumns, mahjong_pb2.CheckHuColumnsRequest(rules=selector("nothing"))),
        (
            client.mahjong.WaitColumns,
            mahjong_pb2.WaitColumnsRequest(
                rules=selector("hongzhong"), hands=mahjong_pb2.HandColumns(concealed=b"\5" * 34 * 50)
            ),
        ),
        (
            client.doudizhu.BatchReadPlays,
            doudizhu_pb2.BatchReadPlaysRequest(rules=selector("huanle"), items=[play("33333")] * 5),
        ),
    ]

    for index in range(calls):
        method, request = wrong[index % len(wrong)]
        future = method.future(request, timeout=PATIENCE)
        if index % 3 == 0:
            future.cancel()
        else:
            future.exception()
        if index % 20 == 0:
            talk = Talk(client)
            talk.ask(1, read_play_columns=columns("3337", 100))
            if index % 40:
                talk.hear()
            talk.call.cancel()
            talk.close()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
