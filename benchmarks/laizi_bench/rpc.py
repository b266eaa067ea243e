"""``laizi bench rpc``: what the service adds to the engine, from client processes of their own.

Each case runs for some seconds in a closed loop (every client asks again when it is answered); with ``--rate`` small
calls come at that rate whatever the answers do, first alone and then beside batches of 50,000 rows that never stop.
The server's processor time is that of its process; the empty echo is Health/Check of the same server in the same run.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import random
import struct
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent import futures
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import click
import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from laizi.v1 import doudizhu_pb2, doudizhu_pb2_grpc, mahjong_pb2, mahjong_pb2_grpc, types_pb2
from laizi_service.launch import Launched

__all__ = ["rpc_command"]

_WARM_UP: Final = 0.5
_BESIDE_ROWS: Final = 50_000
_MIB: Final = 1024 * 1024
_TEXTS: Final = ("3337", "33344457", "34567", "JJQQKK", "XY", "7778")
_HUANLE: Final = types_pb2.RuleSetSelector(preset="huanle")
_HONGZHONG: Final = types_pb2.RuleSetSelector(preset="hongzhong")
_SEVENS: Final = types_pb2.Wilds(ranks="7")

Call = Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Case:
    """What is asked: the kind of request, hands in each, calls in flight, and how they come."""

    name: str
    hands: int
    in_flight: int
    rate: float = 0.0
    """Calls a second in an open loop; 0 is a closed one."""


@dataclass(frozen=True)
class Result:
    """What one case gave. Times are in seconds."""

    name: str
    hands: int
    in_flight: int
    calls_per_second: float
    hands_per_second: float
    p50: float
    p90: float
    p99: float
    p999: float
    server_cpu_per_call: float | None
    """None where the server's process is not on this machine."""
    echo_ratio: float | None
    """That time beside the echo's."""


def _plays(rows: int) -> bytes:
    rng = random.Random(1)
    pack = [rank for rank in range(13) for _ in range(4)] + [13, 14]
    column = bytearray()
    for _ in range(min(rows, 5_000)):
        words = [0, 0]
        for rank in rng.sample(pack, rng.randrange(1, 9)):
            words[rank == 4] += 1 << 4 * rank
        column += struct.pack("<QQ", *words)
    return bytes(column * (rows // 5_000 + 1))[: 16 * rows]


def _hands(rows: int) -> bytes:
    rng = random.Random(1)
    column = bytearray()
    while len(column) < 34 * min(rows, 5_000):
        counts = bytearray(34)
        counts[rng.randrange(27)] += 2
        for _ in range(4):
            low = rng.randrange(3) * 9 + rng.randrange(7)
            for step in (0, 0, 0) if rng.random() < 0.3 else (0, 1, 2):
                counts[low + step] += 1
        if max(counts) <= 4:
            column += counts
    return bytes(column * (rows // 5_000 + 1))[: 34 * rows]


def _read_play(index: int) -> doudizhu_pb2.ReadPlayRequest:
    return doudizhu_pb2.ReadPlayRequest(
        rules=_HUANLE, wilds=_SEVENS, cards=types_pb2.Cards(text=_TEXTS[index % len(_TEXTS)])
    )


def _check_hu(index: int) -> mahjong_pb2.CheckHuRequest:
    hand = ("123456789m111p22p", "123m456p789s11m55z5z", "22m33m44p55p66s77s99p")[index % 3]
    return mahjong_pb2.CheckHuRequest(rules=_HONGZHONG, concealed=types_pb2.Tiles(text=hand))


def _unary(channel: Any, case: Case) -> Call:
    """What makes one call of a case."""
    doudizhu: Any = doudizhu_pb2_grpc.DoudizhuServiceStub(channel)
    mahjong: Any = mahjong_pb2_grpc.MahjongServiceStub(channel)
    health: Any = health_pb2_grpc.HealthStub(channel)  # its types lack the methods
    hands = case.hands
    kinds: dict[str, Callable[[], tuple[Any, Any]]] = {
        "echo": lambda: (health.Check, health_pb2.HealthCheckRequest()),
        "read": lambda: (doudizhu.ReadPlay, _read_play(0)),
        "hu": lambda: (mahjong.CheckHu, _check_hu(0)),
        "read batch": lambda: (
            doudizhu.BatchReadPlays,
            doudizhu_pb2.BatchReadPlaysRequest(rules=_HUANLE, items=map(_read_play, range(hands))),
        ),
        "hu batch": lambda: (
            mahjong.BatchCheckHu,
            mahjong_pb2.BatchCheckHuRequest(rules=_HONGZHONG, items=map(_check_hu, range(hands))),
        ),
        "read columns": lambda: (
            doudizhu.ReadPlayColumns,
            doudizhu_pb2.ReadPlayColumnsRequest(rules=_HUANLE, wilds=_SEVENS, plays=_plays(hands)),
        ),
        "hu columns": lambda: (
            mahjong.CheckHuColumns,
            mahjong_pb2.CheckHuColumnsRequest(rules=_HONGZHONG, hands=mahjong_pb2.HandColumns(concealed=_hands(hands))),
        ),
    }
    method, request = kinds[case.name]()
    return lambda: method(request)


async def _closed(call: Call, until: float) -> list[float]:
    taken = []
    while (start := time.perf_counter()) < until:
        await call()
        taken.append(time.perf_counter() - start)
    return taken


async def _open(call: Call, rate: float, until: float) -> list[float]:
    """Times from when each call was due: a server that stalls is not spared the calls of that time."""
    taken: list[float] = []

    async def one(due: float) -> None:
        await call()
        taken.append(time.perf_counter() - due)

    waiting = set()
    due = time.perf_counter()
    while due < until:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        task = asyncio.create_task(one(due))
        waiting.add(task)
        task.add_done_callback(waiting.discard)
        due += 1 / rate
    await asyncio.gather(*waiting)
    return taken


async def _streamed(channel: Any, in_flight: int, until: float) -> list[float]:
    stub: Any = doudizhu_pb2_grpc.DoudizhuServiceStub(channel)
    stream = stub.Stream()
    begun: dict[int, float] = {}
    taken, number = [], 0

    async def ask() -> None:
        nonlocal number
        number += 1
        begun[number] = time.perf_counter()
        await stream.write(
            doudizhu_pb2.DoudizhuServiceStreamRequest(correlation_id=number, read_play=_read_play(number))
        )

    for _ in range(in_flight):
        await ask()
    while begun:
        answer = await stream.read()
        taken.append(time.perf_counter() - begun.pop(answer.correlation_id))
        if time.perf_counter() < until:
            await ask()
    await stream.done_writing()
    return taken


async def _run(target: str, case: Case, seconds: float) -> list[float]:
    options = [("grpc.max_receive_message_length", 64 * _MIB), ("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(target, options=options) as channel:
        until = time.perf_counter() + seconds
        if case.name == "read stream":
            return await _streamed(channel, case.in_flight, until)
        call = _unary(channel, case)
        if case.rate:
            return await _open(call, case.rate, until)
        parts = await asyncio.gather(*(_closed(call, until) for _ in range(case.in_flight)))
    return [one for part in parts for one in part]


def _client(target: str, case: Case, seconds: float) -> list[float]:
    return asyncio.run(_run(target, case, seconds))


def _cpu(pid: int | None) -> float | None:
    """Processor time of a process so far."""
    stat = Path(f"/proc/{pid}/stat")
    if pid is None or not stat.exists():
        return None
    user, system = stat.read_text().rsplit(") ", 1)[1].split()[11:13]
    return (int(user) + int(system)) / 100


class _Bench:
    """Client processes and the server that they ask."""

    def __init__(self, pool: futures.ProcessPoolExecutor, target: str, pid: int | None, clients: int) -> None:
        self._pool, self._target, self._pid, self._clients = pool, target, pid, clients
        self._echo: float | None = None

    def measure(self, case: Case, seconds: float) -> Result:
        """Run one case. The first must be the echo."""
        self._ask(case, _WARM_UP)
        before, start = _cpu(self._pid), time.perf_counter()
        taken = sorted(self._ask(case, seconds))
        elapsed, after = time.perf_counter() - start, _cpu(self._pid)
        cpu = None if before is None or after is None else (after - before) / len(taken)
        if case.name == "echo":
            self._echo = cpu

        def at(share: float) -> float:
            return taken[min(int(len(taken) * share), len(taken) - 1)]

        return Result(
            case.name,
            case.hands,
            case.in_flight * self._clients,
            len(taken) / elapsed,
            len(taken) * case.hands / elapsed,
            p50=at(0.5),
            p90=at(0.9),
            p99=at(0.99),
            p999=at(0.999),
            server_cpu_per_call=cpu,
            echo_ratio=cpu / self._echo if cpu and self._echo else None,
        )

    def _ask(self, case: Case, seconds: float) -> list[float]:
        asked = [self._pool.submit(_client, self._target, case, seconds) for _ in range(self._clients)]
        return [taken for one in asked for taken in one.result()]

    def beside(self, rate: float, seconds: float) -> list[Result]:
        """Small calls at a rate, alone and beside columns that saturate the threads for batches."""
        case = Case("read", 1, 1, rate / self._clients)
        alone = self.measure(case, seconds)
        heavy = Case("hu columns", _BESIDE_ROWS, 4)
        saturating = self._pool.submit(_client, self._target, heavy, seconds + 2 * _WARM_UP + 2)
        busy = self.measure(case, seconds)
        saturating.result()
        # What the server worked for the columns is not the small calls'.
        return [
            replace(alone, name="read alone"),
            replace(busy, name="read beside columns", server_cpu_per_call=None, echo_ratio=None),
        ]


def _table(results: Sequence[Result]) -> str:
    head = (
        "case",
        "hands",
        "in flight",
        "calls/s",
        "hands/s",
        "p50 ms",
        "p90 ms",
        "p99 ms",
        "p99.9 ms",
        "CPU µs",
        "echo",
    )
    rows = [
        (
            one.name,
            f"{one.hands:,}",
            str(one.in_flight),
            f"{one.calls_per_second:,.0f}",
            f"{one.hands_per_second:,.0f}",
            *(f"{seconds * 1e3:.2f}" for seconds in (one.p50, one.p90, one.p99, one.p999)),
            "" if one.server_cpu_per_call is None else f"{one.server_cpu_per_call * 1e6:,.0f}",
            "" if one.echo_ratio is None else f"{one.echo_ratio:.2f}",
        )
        for one in results
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = []
    for row in (head, *rows):
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([row[0].ljust(widths[0]), *cells]))
    return "\n".join(lines)


@click.command("rpc")
@click.option("--target", help="A running server, host:port; without it one is started on loopback.")
@click.option("--seconds", default=3.0, show_default=True, type=click.FloatRange(0.2, 600), help="Length of each case.")
@click.option("--clients", default=1, show_default=True, type=click.IntRange(1, 64), help="Client processes.")
@click.option("--in-flight", default=16, show_default=True, type=click.IntRange(1, 1024), help="Small calls a client.")
@click.option(
    "--batch", "batches", multiple=True, type=click.IntRange(1, 10_000), help="Items of a batch.  [100, 1000]"
)
@click.option(
    "--rows", "columns", multiple=True, type=click.IntRange(1, 200_000), help="Rows of columns.  [1000, 50000]"
)
@click.option(
    "--rate", default=0.0, type=click.FloatRange(0, 100_000), help="Also small calls at this rate, an open loop."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def rpc_command(
    target: str | None,
    seconds: float,
    clients: int,
    in_flight: int,
    batches: tuple[int, ...],
    columns: tuple[int, ...],
    rate: float,
    as_json: bool,
) -> None:
    """Measure the service: latency, throughput and processor time a call, beside the empty echo.

    \b
    laizi bench rpc
    laizi bench rpc --rate 500 --json
    laizi bench rpc --target 10.0.0.7:50051 --clients 4
    """
    cases = [Case(name, 1, in_flight) for name in ("echo", "read", "hu", "read stream")]
    cases += [Case(f"{game} batch", size, 2) for size in batches or (100, 1_000) for game in ("read", "hu")]
    cases += [Case(f"{game} columns", size, 2) for size in columns or (1_000, 50_000) for game in ("read", "hu")]
    with ExitStack() as stack:
        pid = None
        if target is None:
            server = stack.enter_context(Launched("--drain-seconds=0"))
            target, pid = server.target, server.pid
        # Never forked: gRPC does not survive it.
        context = multiprocessing.get_context("spawn")
        pool = stack.enter_context(futures.ProcessPoolExecutor(clients + 1, mp_context=context))
        run = _Bench(pool, target, pid, clients)
        results = [run.measure(case, seconds) for case in cases]
        if rate:
            results += run.beside(rate, seconds)
    click.echo(json.dumps([asdict(one) for one in results]) if as_json else _table(results))


if __name__ == "__main__":
    rpc_command()
