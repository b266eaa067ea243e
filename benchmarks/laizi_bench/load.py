"""Clients that load a service, in processes of their own: closed loops, and arrivals at a rate whatever the answers do.

Requests are bytes made beforehand and answers stay bytes, so that a client costs little beside the server. Times of an
open loop run from when a call was due, not from when it went out: a server that stalls is not spared the calls of that
time, and a client that lags is told by `Taken.late`.
"""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent import futures
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from types import TracebackType
from typing import Any, Final, Self

import grpc

from laizi_bench.workload import KINDS
from laizi_service import signals
from laizi_service.access import Access
from laizi_service.client import aio_channel
from laizi_service.native.wire import varint

__all__ = ["Clients", "Load", "Taken", "numbered"]

_WARM_UP: Final = 0.3
_OPEN: Final = Access()
_VARINT_ID: Final = 1 << 3
"""The tag of correlation_id, the first field of a request on a stream."""


@dataclass(frozen=True)
class Load:
    """What one client asks and how."""

    kind: str
    hands: int = 1
    """Hands in each request."""
    in_flight: int = 1
    """Calls under way at once in a closed loop."""
    rate: float = 0.0
    """Calls a second in an open loop; 0 is a closed one."""
    seed: int = 1


@dataclass
class Taken:
    """What came of it. Times are in seconds."""

    latencies: list[float] = field(default_factory=list)
    """Of the calls that were answered with OK."""
    refused: Counter[str] = field(default_factory=Counter)
    """Other answers by status."""
    seconds: float = 0.0
    """How long it took."""
    busy: float = 0.0
    """Processor time of the client as a share of that."""
    late: float = 0.0
    """The longest that a call of an open loop went out after it was due."""

    @classmethod
    def together(cls, parts: Sequence[Taken]) -> Self:
        """Return what several clients at the same time took."""
        whole = cls(seconds=max(part.seconds for part in parts), busy=max(part.busy for part in parts))
        whole.late = max(part.late for part in parts)
        for part in parts:
            whole.latencies += part.latencies
            whole.refused += part.refused
        return whole

    @property
    def calls(self) -> int:
        """Calls that were answered, refusals too."""
        return len(self.latencies) + self.refused.total()


class Clients:
    """Client processes, started once: gRPC does not survive a fork, and imports take longer than many a round."""

    def __init__(self, processes: int, access: Access = _OPEN) -> None:
        """Start so many of them; ``access`` is how they get in."""
        self._processes, self._access = processes, access
        context = multiprocessing.get_context("spawn")
        self._pool = futures.ProcessPoolExecutor(processes + 1, mp_context=context)
        # One more than load together: a load beside them must not wait for one to end.
        resource_tracker.ensure_running()  # Otherwise the first of them starts it, which unblocks interrupts.
        with signals.interrupts_held():
            ready = [self._pool.submit(_stand_ready) for _ in range(processes + 1)]
        futures.wait(ready)

    def run(self, target: str, load: Load, seconds: float) -> Taken:
        """Load a target for some seconds, after a short warm-up, each process with its share of the load."""
        return Taken.together([one.result() for one in self._start(target, load, seconds)])

    def beside(self, target: str, load: Load, seconds: float, run: Callable[[], Any]) -> tuple[Any, Taken]:
        """Call ``run`` while one more process loads the target for at least as long. Returns what both gave."""
        begun = self._pool.submit(_client, target, self._access, load, seconds)
        time.sleep(2 * _WARM_UP)
        made = run()
        return made, begun.result()

    def _start(self, target: str, load: Load, seconds: float) -> Iterator[futures.Future[Taken]]:
        for index in range(self._processes):
            share = load.in_flight // self._processes + (index < load.in_flight % self._processes)
            if share or load.rate:
                yield self._pool.submit(
                    _client,
                    target,
                    self._access,
                    Load(load.kind, load.hands, share, load.rate / self._processes, load.seed),
                    seconds,
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)


def numbered(bodies: Sequence[bytes], count: int | None = None) -> Iterator[bytes]:
    """Yield so many requests of a stream, or without end: each body in turn after its correlation id."""
    numbers = itertools.count(1) if count is None else range(1, count + 1)
    for number, body in zip(numbers, itertools.cycle(bodies), strict=False):
        yield bytes([_VARINT_ID]) + varint(number) + body


# ---------------------------------------------------------------------------------------------- inside a client process


def _stand_ready() -> None:
    """Keep a process busy for a moment, so that every one is started, and imports this module."""
    time.sleep(0.2)


def _client(target: str, access: Access, load: Load, seconds: float) -> Taken:
    bodies = KINDS[load.kind].make(load.seed, load.hands)
    return asyncio.run(_run(target, access.arguments(), load, bodies, seconds))


async def _run(target: str, access: dict[str, Any], load: Load, bodies: Sequence[bytes], seconds: float) -> Taken:
    ask = KINDS[load.kind]
    # Each client has a connection of its own, and sends nothing a second time.
    access["options"] = (*access["options"], ("grpc.use_local_subchannel_pool", 1))
    async with aio_channel(target, retry=False, deadlines=False, **access) as channel:
        drive = _streamed if ask.stream else _open if load.rate else _closed
        await drive(channel, load, bodies, min(_WARM_UP, seconds), Taken())
        taken = Taken()
        start, busy = time.perf_counter(), time.process_time()
        await drive(channel, load, bodies, seconds, taken)
        taken.seconds = time.perf_counter() - start
        taken.busy = (time.process_time() - busy) / taken.seconds
    return taken


def _call(
    channel: grpc.aio.Channel, load: Load, bodies: Sequence[bytes], taken: Taken
) -> Callable[[float], Awaitable[None]]:
    method: Any = channel.unary_unary(KINDS[load.kind].path)
    following = itertools.cycle(bodies).__next__

    async def call(due: float) -> None:
        try:
            await method(following())
        except grpc.RpcError as error:
            status: Any = error
            taken.refused[status.code().name] += 1
        else:
            taken.latencies.append(time.perf_counter() - due)

    return call


async def _closed(channel: grpc.aio.Channel, load: Load, bodies: Sequence[bytes], seconds: float, taken: Taken) -> None:
    call = _call(channel, load, bodies, taken)
    until = time.perf_counter() + seconds

    async def again() -> None:
        while (start := time.perf_counter()) < until:
            await call(start)

    await asyncio.gather(*(again() for _ in range(load.in_flight)))


async def _open(channel: grpc.aio.Channel, load: Load, bodies: Sequence[bytes], seconds: float, taken: Taken) -> None:
    call = _call(channel, load, bodies, taken)
    waiting: set[asyncio.Task[None]] = set()
    start = time.perf_counter()
    for number in range(max(1, int(seconds * load.rate))):
        due = start + number / load.rate
        if (early := due - time.perf_counter()) > 0:
            await asyncio.sleep(early)
        elif number % 64 == 0:
            await asyncio.sleep(0)  # A client that lags must still read the answers.
        taken.late = max(taken.late, time.perf_counter() - due)
        task = asyncio.ensure_future(call(due))
        waiting.add(task)
        task.add_done_callback(waiting.discard)
    await asyncio.gather(*waiting)


async def _streamed(
    channel: grpc.aio.Channel, load: Load, bodies: Sequence[bytes], seconds: float, taken: Taken
) -> None:
    """A closed loop on one stream. Small requests are answered in their order, so the oldest is the next."""
    stream: Any = channel.stream_stream(KINDS[load.kind].path)()
    following = numbered(bodies).__next__
    until = time.perf_counter() + seconds
    begun: list[float] = []

    async def ask() -> None:
        body = following()
        begun.append(time.perf_counter())
        await stream.write(body)

    for _ in range(load.in_flight):
        await ask()
    answered = 0
    while answered < len(begun):
        if await stream.read() is grpc.aio.EOF:
            taken.refused[(await stream.code()).name] += 1
            return
        now = time.perf_counter()
        taken.latencies.append(now - begun[answered])
        answered += 1
        if now < until:
            await ask()
    await stream.done_writing()
