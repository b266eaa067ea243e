"""The monitoring port: /metrics for Prometheus, /ready for load balancers that ask over HTTP/1."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

__all__ = ["Monitor"]


class _QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: a scrape every few seconds is no news."""


class Monitor:
    """An HTTP server in a thread of its own."""

    def __init__(self, host: str, port: int, registry: CollectorRegistry, ready: Callable[[], bool]) -> None:
        """Bind the port. Raises OSError when it is taken."""
        metrics = make_wsgi_app(registry)

        def app(environment: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            path = environment["PATH_INFO"]
            if path == "/metrics":
                answer: Iterable[bytes] = metrics(environment, start_response)
                return answer
            if path == "/ready":
                status, text = ("200 OK", b"ready\n") if ready() else ("503 Service Unavailable", b"not ready\n")
            else:
                status, text = "404 Not Found", b"there are /metrics and /ready\n"
            start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
            return [text]

        self._server = make_server(host, port, app, ThreadingWSGIServer, handler_class=_QuietHandler)
        self.port: int = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="monitor", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving and free the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
