"""The threads that work on calls."""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from laizi_service.status import OverloadedError

__all__ = ["Pool", "Pools"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Pool(futures.ThreadPoolExecutor):
    """A thread pool that knows how many calls it works on and how many wait, and lets no silent call keep a thread.

    gRPC gives a thread to a call before the call's message is there. A caller that sends none would keep the thread for
    as long as it likes, and a few such callers all threads.
    """

    def __init__(self, threads: int, name: str, limit: tuple[str, int] | None = None, nice: int = 0) -> None:
        """Start threads as they are needed. ``limit`` is the setting that bounds the calls that wait, and its value;
        ``nice`` lowers the threads' priority where the system knows priorities of threads."""
        super().__init__(threads, thread_name_prefix=name, initializer=functools.partial(_lower, nice))
        self._size = threads
        self._limit = limit
        self.unfinished = 0
        """How many calls it has, running and waiting."""
        self._count_lock = threading.Lock()
        self._silent_lock = threading.Lock()
        self._silent: dict[int, tuple[float, Any]] = {}
        """Thread → since when it waits for a message, and of which call."""

    def submit(self, fn: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> futures.Future[_R]:
        """Queue one call."""
        with self._count_lock:
            self.unfinished += 1
        try:
            return super().submit(self._work, fn, args, kwargs)
        except RuntimeError:  # shut down
            self._finish()
            raise

    @property
    def running(self) -> int:
        """How many calls a thread has."""
        return min(self.unfinished, self._size)

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread."""
        return max(self.unfinished - self._size, 0)

    def message_came(self) -> None:
        """Note that the call of this thread has its message."""
        with self._silent_lock:
            self._silent.pop(threading.get_ident(), None)

    def end_silent(self, seconds: float) -> int:
        """End the calls whose threads have waited for their message longer than that, and return how many."""
        latest = time.monotonic() - seconds
        with self._silent_lock:
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
        return self._limit is not None and self.waiting >= self._limit[1]

    def overloaded(self, retry_seconds: float) -> OverloadedError:
        """Return the error of a call that is sent away because the pool is full."""
        assert self._limit is not None
        name, most = self._limit
        return OverloadedError(f"{most} calls wait already ({name})", most, retry_seconds)

    def _work(self, fn: Callable[_P, _R], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _R:
        try:
            for argument in args:
                # Among the arguments is the event that opened the call: gRPC has no other way to end it from outside.
                if type(argument).__name__ == "RequestCallEvent":
                    with self._silent_lock:
                        self._silent[threading.get_ident()] = time.monotonic(), argument.call
                    break
            return fn(*args, **kwargs)
        finally:
            self.message_came()
            self._finish()

    def _finish(self) -> None:
        with self._count_lock:
            self.unfinished -= 1


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
