"""Wrong, cancelled and slow calls leave nothing behind in a service: no call, no stream, no memory."""

import contextlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2
from laizi_service.client import Client, channel
from laizi_service.native.wire import varint
from tests.deploy.processes import until
from tests.service.processes import Service
from tests.service.requests import card, selector

HUANLE: Final = selector("huanle")
HONGZHONG: Final = selector("hongzhong")
ROWS: Final = 5_000
ROOM: Final = 48 << 20
"""What the allocator may keep more after the calls than before, in bytes."""
DOUDIZHU: Final = "/laizi.v1.DoudizhuService/"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service("--max-rows=5000", "--max-batch-items=2000") as running:
        yield running


def plays(client: Client, size: int, **more: Any) -> Any:
    request = doudizhu_pb2.ReadPlayColumnsRequest(rules=HUANLE, plays=bytes(size), **more)
    return client.doudizhu.ReadPlayColumns.future(request, timeout=60)


def hands(client: Client, **columns: bytes) -> Any:
    request = mahjong_pb2.CheckHuColumnsRequest(rules=HONGZHONG, hands=mahjong_pb2.HandColumns(**columns))
    return client.mahjong.CheckHuColumns.future(request, timeout=60)


def wrong_batch(client: Client) -> Any:
    items = [doudizhu_pb2.ReadPlayRequest(cards=card("3Z"))] * 500
    return client.doudizhu.BatchReadPlays.future(
        doudizhu_pb2.BatchReadPlaysRequest(rules=HUANLE, items=items), timeout=60
    )


def cancelled(client: Client) -> Any:
    call = plays(client, 16 * ROWS, with_refusals=True)
    call.cancel()
    return call


def unknown_rules(client: Client, rng: random.Random) -> Any:
    """A name that is new each time, so that nothing may be kept for it."""
    request = doudizhu_pb2.ReadPlayRequest(rules=selector(f"none{rng.random()}"), cards=card("3"))
    return client.doudizhu.ReadPlay.future(request, timeout=60)


KINDS: Final[dict[str, Callable[[Client, random.Random], Any]]] = {
    "no whole rows": lambda client, rng: plays(client, 16 * ROWS - rng.randrange(1, 16)),
    "columns of different lengths": lambda client, rng: hands(
        client, concealed=bytes(34 * ROWS), downs=bytes(rng.randrange(1, ROWS))
    ),
    "counts over four": lambda client, rng: hands(client, concealed=b"\5" * 34 * 500),
    "more rows than allowed": lambda client, rng: plays(client, 16 * (ROWS + 1)),
    "unknown rules": unknown_rules,
    "a batch of wrong items": lambda client, rng: wrong_batch(client),
    "cancelled": lambda client, rng: cancelled(client),
    "a deadline that has passed": lambda client, rng: client.doudizhu.ReadPlayColumns.future(
        doudizhu_pb2.ReadPlayColumnsRequest(rules=HUANLE, plays=bytes(16 * ROWS)), timeout=0.001
    ),
}


def wrong_calls(client: Client, rng: random.Random, count: int) -> None:
    for _ in range(count // 20):
        calls = [KINDS[rng.choice(list(KINDS))](client, rng) for _ in range(20)]
        for call in calls:
            code = grpc.StatusCode.CANCELLED if call.cancelled() else call.code()
            assert code not in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN), call.details()


def broken_off(service: Service, count: int) -> None:
    """Streams that are given up with requests under way, and streams of which no answer is read."""
    batch = doudizhu_pb2.ReadPlayColumnsRequest(rules=HUANLE, plays=bytes(16 * ROWS))
    for _ in range(count):
        with channel(service.target, retry=False) as opened, contextlib.ExitStack() as ends:
            client = Client(opened)
            for _ in range(4):
                requests = [
                    doudizhu_pb2.DoudizhuServiceStreamRequest(correlation_id=number, read_play_columns=batch)
                    for number in range(20)
                ]
                stream = client.doudizhu.Stream(iter(requests))
                ends.callback(stream.cancel)
                next(stream)


def resident(service: Service) -> int:
    line = next(line for line in Path(f"/proc/{service.pid}/status").read_text().splitlines() if "VmRSS" in line)
    return int(line.split()[1]) * 1024


def settled(service: Service) -> bool:
    samples = service.scrape()
    names = ("laizi_calls_in_flight", "laizi_calls_waiting", "laizi_streams_open")
    return not any(samples[name] for name in names)


def test_wrong_cancelled_and_slow_calls_leave_nothing_behind(service, rng, samples):
    """The long form, of ten thousand calls, is that of a nightly run."""
    with Client(channel(service.target, retry=False)) as client:
        wrong_calls(client, rng, 100)
        broken_off(service, 2)
        until(lambda: settled(service), "nothing is under way")
        before = resident(service)
        wrong_calls(client, rng, samples(500))
        broken_off(service, samples(4))
        until(lambda: settled(service), "nothing is under way")
        after = resident(service)
        assert after - before < ROOM, (before, after)
        # It is as well as before.
        answer = client.doudizhu.ReadPlay(doudizhu_pb2.ReadPlayRequest(rules=HUANLE, cards=card("33")), timeout=60)
        assert answer.legal


def test_rules_and_wilds_written_at_great_length_are_not_kept(service):
    """Each call writes the same in another way, with blanks or with bytes that no version knows."""
    with Client(channel(service.target, retry=False)) as client:

        def ask(index: int) -> None:
            long = 4_000_000 + index
            known = HUANLE.SerializeToString()
            # Field 15, length-delimited, which a selector does not have.
            unknown = b"\x7a" + varint(long) + bytes(long)
            for rules, ranks in ((known + unknown, "7"), (known, "7" + " " * long)):
                request = doudizhu_pb2.ReadPlayRequest(cards=card("33"), wilds=types_pb2.Wilds(ranks=ranks))
                request.rules.MergeFromString(rules)
                assert client.doudizhu.ReadPlay(request, timeout=60).legal

        # Until every thread that may answer has had its part of the memory.
        for index in range(30):
            ask(index)
        until(lambda: settled(service), "nothing is under way")
        before = resident(service)
        for index in range(30, 60):
            ask(index)
        until(lambda: settled(service), "nothing is under way")
        after = resident(service)
        assert after - before < ROOM, (before, after)
