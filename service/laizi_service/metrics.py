"""What Prometheus sees: the ecosystem's names for calls, and what this service adds about hands and the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import grpc
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

from laizi.errors import ErrorReason
from laizi_service.instance import InstanceMetrics
from laizi_service.status import code_label

__all__ = ["CallMetrics", "Metrics"]

# From an answer out of the cache to the longest batch; three steps a decade.
_BUCKETS: Final = (
    *(50e-6, 100e-6, 200e-6, 500e-6),
    *(1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3),
    *(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
)
# From one item to the largest batch that any setting permits.
_SIZES: Final = (*(step * 10.0**power for power in range(7) for step in (1, 2, 5)), 1e7)
_CALL: Final = ("grpc_type", "grpc_service", "grpc_method")


class Metrics:
    """Every metric of one server, in a registry of its own.

    One worker of several leaves those of the whole service to its supervisor, and writes its gauges when it is told to
    (`sample`), because nothing can ask it for them.
    """

    def __init__(self, *, of_several: bool = False) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series of each counter that nobody reads
        self.registry = CollectorRegistry()
        self.instance = None if of_several else InstanceMetrics(self.registry, 1)
        self._sampled: list[tuple[Gauge, Callable[[], float]]] = []
        self._started = Counter("grpc_server_started_total", "Calls whose work began.", _CALL, registry=self.registry)
        self._handled = Counter(
            "grpc_server_handled_total", "Calls answered, by status.", (*_CALL, "grpc_code"), registry=self.registry
        )
        self._seconds = Histogram(
            "grpc_server_handling_seconds",
            "Time from the start of a call's work to its answer.",
            _CALL,
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._hands = Counter(
            "laizi_hands_total", "Hands and plays evaluated.", ("game", "operation"), registry=self.registry
        )
        self._engine = Histogram(
            "laizi_engine_seconds",
            "Time that one call spent inside the engine; on the native path with reading and writing its bytes.",
            ("game", "operation"),
            buckets=(1e-6, 2e-6, 5e-6, 10e-6, 20e-6, *_BUCKETS),
            registry=self.registry,
        )
        self._items = Histogram(
            "laizi_batch_items",
            "Items of one batch, rows of one call with columns.",
            _CALL[1:],
            buckets=_SIZES,
            registry=self.registry,
        )
        self._errors = Counter(
            "laizi_errors_total", "Calls and batch items that failed, by reason.", ("reason",), registry=self.registry
        )
        self._inner = (
            Counter(
                "laizi_stream_requests_started_total",
                "Requests on streams whose work began.",
                _CALL[1:],
                registry=self.registry,
            ),
            Counter(
                "laizi_stream_requests_handled_total",
                "Requests on streams answered, by status.",
                (*_CALL[1:], "grpc_code"),
                registry=self.registry,
            ),
            Histogram(
                "laizi_stream_request_seconds",
                "Time from the start of the work on a request of a stream to its answer.",
                _CALL[1:],
                buckets=_BUCKETS,
                registry=self.registry,
            ),
        )
        self.silent = Counter(
            "laizi_silent_calls_total", "Calls ended because their message did not come.", registry=self.registry
        )
        reloads = Counter(
            "laizi_rule_set_reloads_total",
            "Readings anew of the rule set files, by whether the files were sound.",
            ("outcome",),
            registry=self.registry,
        )
        self.reloaded, self.reload_failed = reloads.labels("ok"), reloads.labels("failed")
        self._in_flight = self._gauge("laizi_calls_in_flight", "Calls that a thread works on.")
        self._waiting = self._gauge("laizi_calls_waiting", "Calls that wait for a thread.")
        self._streams = self._gauge("laizi_streams_open", "Streams that are open.")
        # All from the start: of a counter that begins with its first failure, no rate ever shows that one.
        self._reasons = {reason: self._errors.labels(reason) for reason in ErrorReason}
        self._sizes_of: dict[str, Histogram] = {}

    def _gauge(self, name: str, doc: str) -> Gauge:
        # Of several workers those that live are added up.
        return Gauge(name, doc, registry=self.registry, multiprocess_mode="livesum")

    def watch(
        self,
        *,
        serving: Callable[[], bool],
        in_flight: Callable[[], int],
        waiting: Callable[[], int],
        streams: Callable[[], int],
    ) -> None:
        """Take the values of the gauges from these functions."""
        watched: list[tuple[Gauge, Callable[[], float]]] = [
            (self._in_flight, in_flight),
            (self._waiting, waiting),
            (self._streams, streams),
        ]
        if self.instance is None:
            self._sampled = watched
            self.sample()
            return
        for gauge, function in [*watched, (self.instance.serving, serving)]:
            gauge.set_function(function)

    def sample(self) -> None:
        """Write the gauges of one worker of several as they are now."""
        for gauge, function in self._sampled:
            gauge.set(function())

    def method(self, kind: str, service: str, method: str) -> CallMetrics:
        """Return the metrics of one method; ``kind`` is ``unary`` or ``bidi_stream`` and the like."""
        return CallMetrics(self._started, self._handled, self._seconds, (kind, service, method))

    def stream_request(self, service: str, method: str) -> CallMetrics:
        """Return the metrics of one method as it is asked on streams."""
        return CallMetrics(*self._inner, (service, method))

    def operation(self, game: str, operation: str) -> tuple[Counter, Histogram]:
        """Return the counter of hands and the histogram of engine time of one operation."""
        return self._hands.labels(game, operation), self._engine.labels(game, operation)

    def batch(self, method: str, items: int) -> None:
        """Note how much one call held. ``method`` is the full name of an RPC, with its service."""
        histogram = self._sizes_of.get(method)
        if histogram is None:
            histogram = self._sizes_of[method] = self._items.labels(*method.rsplit(".", 1))
        histogram.observe(items)

    def error(self, reason: ErrorReason) -> None:
        """Count a failure."""
        self._reasons[reason].inc()


class CallMetrics:
    """The metrics of one method. Looking labels up for each call would cost more than the counting."""

    __slots__ = ("_codes", "_handled", "_labels", "seconds", "started")

    def __init__(self, started: Counter, handled: Counter, seconds: Histogram, labels: tuple[str, ...]) -> None:
        self.started = started.labels(*labels)
        self.seconds = seconds.labels(*labels)
        self._handled = handled
        self._labels = labels
        self._codes: dict[grpc.StatusCode, Counter] = {}

    def handled(self, code: grpc.StatusCode, seconds: float) -> None:
        """Count one answered call with its status and its duration."""
        counter = self._codes.get(code)
        if counter is None:
            counter = self._codes[code] = self._handled.labels(*self._labels, code_label(code))
        counter.inc()
        self.seconds.observe(seconds)
