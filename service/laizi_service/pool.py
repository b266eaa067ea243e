"""The threads that work on calls."""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from laizi_service.status import OverloadedError

__all__ = ["Pool", "Pools"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Pool(futures.ThreadPoolExecutor):
    """A thread pool that knows how many calls it works on and how many wait, and lets no silent call hold up others.

    gRPC gives a thread to a call before the call's message is there. A caller that sends slowly, or nothing, would keep
    the thread, and a few such callers all threads. So a call whose message is late gives its place to the next that
    waits, and goes on with a spare thread: then, for a while, one more call than ``size`` is worked on.
    """

    def __init__(
        self, size: int, name: str, limit: tuple[str, int] | None = None, *, nice: int = 0, spare: int = 0
    ) -> None:
        """Work on ``size`` calls at once; so many more may be late (``spare``). Threads are started as they are needed.

        ``limit`` is the setting that bounds the calls that wait, and its value; ``nice`` lowers the threads' priority
        where the system knows priorities of threads.
        """
        super().__init__(size + spare, thread_name_prefix=name, initializer=functools.partial(_lower, nice))
        self._spare = spare
        self._limit = limit
        # All below is changed under this one.
        self._lock = threading.Lock()
        self._places = size
        """How many more calls may be worked on now."""
        self._waiting: deque[_Work] = deque()
        self._running = 0
        self._silent: dict[int, tuple[float, Any]] = {}
        """Thread → since when it waits for a message, and of which call."""
        self._late: set[int] = set()
        """The threads whose calls have given their places away."""

    def submit(self, fn: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> futures.Future[_R]:
        """Queue one call."""
        work = _Work(futures.Future(), functools.partial(fn, *args, **kwargs), _opened(args))
        with self._lock:
            if not self._places:
                self._waiting.append(work)
                return work.future
            self._begin(work)
        return work.future

    @property
    def unfinished(self) -> int:
        """How many calls it has, running and waiting."""
        return self._running + len(self._waiting)

    @property
    def running(self) -> int:
        """How many calls a thread has."""
        return self._running

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread."""
        return len(self._waiting)

    def message_came(self) -> None:
        """Note that the call of this thread has its message."""
        with self._lock:
            self._silent.pop(threading.get_ident(), None)

    def give_way(self, seconds: float) -> None:
        """Take their places from calls that have waited for their message longer than that, as far as threads last."""
        latest = time.monotonic() - seconds
        with self._lock:
            for thread, (since, _) in self._silent.items():
                if since < latest and thread not in self._late and len(self._late) < self._spare:
                    self._late.add(thread)
                    self._places += 1
                    if self._waiting:
                        self._begin(self._waiting.popleft())

    def end_silent(self, seconds: float) -> int:
        """End the calls whose threads have waited for their message longer than that, and return how many."""
        latest = time.monotonic() - seconds
        with self._lock:
            late = [thread for thread, (since, _) in self._silent.items() if since < latest]
            calls = [self._silent.pop(thread)[1] for thread in late]
        for call in calls:
            call.cancel()
        return len(calls)

    @property
    def limited(self) -> bool:
        """Whether calls are sent away when too many wait."""
        return self._limit is not None

    @property
    def full(self) -> bool:
        """Whether as many calls wait as may."""
        return self._limit is not None and len(self._waiting) >= self._limit[1]

    def overloaded(self, retry_seconds: float) -> OverloadedError:
        """Return the error of a call that is sent away because the pool is full."""
        assert self._limit is not None
        name, most = self._limit
        return OverloadedError(f"{most} calls wait already ({name})", most, retry_seconds)

    def _begin(self, work: _Work) -> None:
        """Let a thread begin in a place that is free. Raises RuntimeError after `shutdown`."""
        super().submit(self._work, work)
        self._places -= 1
        self._running += 1

    def _work(self, work: _Work | None) -> None:
        """Work on one call after the other, as long as some wait."""
        while work is not None:
            if work.opened is not None:
                with self._lock:
                    self._silent[threading.get_ident()] = time.monotonic(), work.opened
            work.run()
            work = self._next()

    def _next(self) -> _Work | None:
        thread = threading.get_ident()
        with self._lock:
            self._silent.pop(thread, None)
            if thread in self._late:
                self._late.discard(thread)
            elif self._waiting:
                return self._waiting.popleft()
            else:
                self._places += 1
            self._running -= 1
            return None


@dataclass(frozen=True, slots=True)
class _Work:
    """A call that a thread works on, or will."""

    future: futures.Future[Any]
    function: Callable[[], Any]
    opened: Any
    """The gRPC call whose message is still to come, if it is one."""

    def run(self) -> None:
        if self.future.set_running_or_notify_cancel():
            try:
                self.future.set_result(self.function())
            except BaseException as error:  # Whoever asked for it is told, whatever it is.
                self.future.set_exception(error)


def _opened(args: tuple[object, ...]) -> Any:
    # Among the arguments is the event that opened the call: gRPC has no other way to end it from outside.
    return next((event.call for event in args if type(event).__name__ == "RequestCallEvent"), None)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Pools:
    """The pools of a server. Calls of one kind never wait for those of another; see docs/operations.md."""

    small: Pool
    """Calls about one hand or game."""
    batch: Pool
    """Batches and columns, also of streams. Their threads have a lower priority, so that small calls stay fast."""
    streams: Pool
    """Readers and writers of streams: a stream has at most one of each."""
    refusals: Pool
    """Calls that are sent away."""
    control: Pool
    """Health, which is asked most when much is sent away."""
    reflection: Pool
    """Reflection, whose streams keep a thread each."""

    @property
    def running(self) -> int:
        """How many calls a thread has, streams and control apart."""
        return self.small.running + self.batch.running

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread."""
        return self.small.waiting + self.batch.waiting

    def give_way(self, seconds: float) -> None:
        """Let others overtake the calls that wait for their message longer than that."""
        for pool in self._each():
            pool.give_way(seconds)

    def end_silent(self, seconds: float) -> int:
        """End the calls that wait for their message longer than that, and return how many."""
        return sum(pool.end_silent(seconds) for pool in self._each())

    def shutdown(self) -> None:
        """Wait for all threads."""
        for pool in self._each():
            pool.shutdown()

    def _each(self) -> tuple[Pool, ...]:
        return self.small, self.batch, self.streams, self.refusals, self.control, self.reflection


def _lower(nice: int) -> None:
    # Elsewhere the priority would be that of the whole process.
    if nice and sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nice)
