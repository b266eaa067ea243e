"""The threads that work on calls."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent import futures
from typing import ParamSpec, TypeVar

__all__ = ["Pool"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Pool(futures.ThreadPoolExecutor):
    """A thread pool that knows how many calls it works on and how many wait."""

    def __init__(self, threads: int, name: str) -> None:
        super().__init__(threads, thread_name_prefix=name)
        self._size = threads
        self.unfinished = 0
        """How many calls it has, running and waiting."""
        self._count_lock = threading.Lock()

    def submit(self, fn: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> futures.Future[_R]:
        """Queue one call."""
        with self._count_lock:
            self.unfinished += 1
        try:
            future = super().submit(fn, *args, **kwargs)
        except RuntimeError:  # shut down
            self._finish(None)
            raise
        future.add_done_callback(self._finish)
        return future

    @property
    def running(self) -> int:
        """How many calls a thread has."""
        return min(self.unfinished, self._size)

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread."""
        return max(self.unfinished - self._size, 0)

    def _finish(self, _: object) -> None:
        with self._count_lock:
            self.unfinished -= 1
