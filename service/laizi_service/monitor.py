"""The monitoring port: /metrics for Prometheus, /ready for load balancers that ask over HTTP/1."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

from laizi_service.settings import address

__all__ = ["AddressInUseError", "Monitor", "Page", "json_page"]

Page = Callable[[], tuple[str, str, bytes]]
"""Gives the status, the content type and the content of a page."""

_TEXT: Final = "text/plain; charset=utf-8"


class AddressInUseError(OSError):
    """A port that the settings name cannot be listened on."""


class _QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: a scrape every few seconds is no news."""


class Monitor:
    """An HTTP server in a thread of its own."""

    def __init__(
        self,
        host: str,
        port: int,
        ready: Callable[[], bool],
        registry: CollectorRegistry | None = None,
        pages: Mapping[str, Page] = MappingProxyType({}),
    ) -> None:
        """Bind the port. Without a registry there is no /metrics. Raises `AddressInUseError`."""
        shown = {"/ready": lambda: _ready(ready()), **pages}
        metrics = make_wsgi_app(registry) if registry is not None else None
        names = " and ".join(sorted([*shown, *(["/metrics"] if metrics is not None else [])]))

        def app(environment: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            path = environment["PATH_INFO"]
            if path == "/metrics" and metrics is not None:
                answer: Iterable[bytes] = metrics(environment, start_response)
                return answer
            missing = "404 Not Found", _TEXT, f"there are {names}\n".encode()
            status, kind, content = shown[path]() if path in shown else missing
            start_response(status, [("Content-Type", kind)])
            return [content]

        try:
            self._server = make_server(host, port, app, ThreadingWSGIServer, handler_class=_QuietHandler)
        except OSError as error:
            raise AddressInUseError(f"cannot listen on {address(host, port)} for metrics: {error.strerror}") from None
        self.port: int = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="monitor", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving and free the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def json_page(content: Callable[[], object]) -> Page:
    """Return a page that shows what a function gives, as JSON."""
    return lambda: ("200 OK", "application/json", json.dumps(content()).encode() + b"\n")


def _ready(ready: bool) -> tuple[str, str, bytes]:
    return ("200 OK", _TEXT, b"ready\n") if ready else ("503 Service Unavailable", _TEXT, b"not ready\n")
