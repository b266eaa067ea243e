"""The health service, ``grpc.health.v1.Health``.

That of the package grpcio-health-checking (1.85) sends to watchers while it holds the lock that the end of a watch
needs, too: a watcher that leaves at the moment of a drain stops the whole server for good, and so does one that reads
nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent import futures
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

__all__ = ["Health"]

_Status = health_pb2.HealthCheckResponse
_Send = Callable[[_Status | None], None]
"""Sends an answer, and with None the status."""


class Health(health_pb2_grpc.HealthServicer):
    """Tells of a server and of each of its services whether they serve: all do, or none."""

    def __init__(self, services: Iterable[str], pool: futures.Executor) -> None:
        """Begin as not serving. ``pool`` tells watchers of changes."""
        self._names = frozenset({"", *services})
        self._pool = pool
        self._status: int = _Status.NOT_SERVING
        self._watchers: set[_Watcher] = set()
        self._finished = False
        # Never held while something is sent.
        self._lock = threading.Lock()

    def set_serving(self, serving: bool) -> None:
        """Change the answer, and tell those who watch."""
        with self._lock:
            self._status = _Status.SERVING if serving else _Status.NOT_SERVING
            watchers = list(self._watchers)
        for watcher in watchers:
            self._pool.submit(watcher.tell)

    def finish(self) -> None:
        """End every watch, those that are yet to come as well."""
        with self._lock:
            self._finished = True
            watchers = list(self._watchers)
        for watcher in watchers:
            self._pool.submit(watcher.end)

    def Check(self, request: health_pb2.HealthCheckRequest, context: grpc.ServicerContext) -> _Status:
        """Answer once; NOT_FOUND for a service that is not known."""
        if request.service not in self._names:
            context.abort(grpc.StatusCode.NOT_FOUND, "unknown service")
        return _Status(status=self._status)

    def List(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Answer for every service."""
        answer: Any = health_pb2  # its types lack the method's messages
        return answer.HealthListResponse(statuses={name: _Status(status=self._status) for name in self._names})

    def Watch(  # type: ignore[override]  # gRPC gives ``send`` to functions that are not blocking
        self, request: health_pb2.HealthCheckRequest, context: grpc.ServicerContext, send: _Send
    ) -> None:
        """Answer now and after every change, until the caller leaves."""
        # A service that is not known never comes to be, and the stream stays open, as the protocol wants it.
        known = request.service in self._names
        watcher = _Watcher(context, send, lambda: self._status if known else _Status.SERVICE_UNKNOWN)
        with self._lock:
            self._watchers.add(watcher)
            finished = self._finished
        # No callback is taken of a call that has ended already.
        if not context.add_callback(lambda: self._forget(watcher)):
            self._forget(watcher)
        watcher.tell()
        if finished:
            watcher.end()

    # gRPC's own name: the function sends its answers itself, and keeps no thread meanwhile.
    Watch.experimental_non_blocking = True  # type: ignore[attr-defined]

    def _forget(self, watcher: _Watcher) -> None:
        with self._lock:
            self._watchers.discard(watcher)


class _Watcher:
    """One caller who watches."""

    def __init__(self, context: grpc.ServicerContext, send: _Send, current: Callable[[], int]) -> None:
        self._context = context
        self._send = send
        self._current = current
        self._told: int | None = None
        # gRPC takes one message at a time.
        self._lock = threading.Lock()

    def tell(self) -> None:
        """Send the answer if it is another than the last."""
        with self._lock:
            status = self._current()
            if status != self._told:
                self._told = status
                self._send(_Status(status=status))

    def end(self) -> None:
        """End the call; callers go on watching elsewhere."""
        with self._lock:
            self._context.set_code(grpc.StatusCode.UNAVAILABLE)
            self._context.set_details("the server is going away")
            self._send(None)
