"""The server: gRPC with health and reflection, the monitoring port, and the way down without a lost call."""

from __future__ import annotations

import logging
import signal
import threading
import time
from types import TracebackType
from typing import Final, Self

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

import laizi
from laizi.errors import RulesError
from laizi.v1 import doudizhu_pb2, mahjong_pb2, rules_pb2
from laizi_service.calls import Gate, Handlers
from laizi_service.handlers.doudizhu import DoudizhuHandlers
from laizi_service.handlers.mahjong import MahjongHandlers
from laizi_service.handlers.rules import RulesHandlers
from laizi_service.methods import generic_handler
from laizi_service.metrics import Metrics
from laizi_service.monitor import Monitor
from laizi_service.pool import Pool, Pools
from laizi_service.rule_sets import RuleSets
from laizi_service.settings import Settings
from laizi_service.streams import Streams

__all__ = ["AddressInUseError", "Server", "serve"]

_log: Final = logging.getLogger(__name__)

_CONTROL_THREADS: Final = 4
_NICE: Final = 10
_SETTLE_SECONDS: Final = 0.2
_PING_MS: Final = 10_000
_SERVING: Final = health_pb2.HealthCheckResponse.SERVING


class AddressInUseError(OSError):
    """A port that the settings name cannot be listened on."""


class Server:
    """One service on its two ports. It serves from `start` to `stop`; as a context manager it does both.

    `stop` first lets callers turn away (health NOT_SERVING, /ready 503, still answering), then ends the streams,
    refuses new calls and waits for those that run. Balancers that look away within ``drain_seconds`` lose nothing.
    """

    def __init__(self, settings: Settings) -> None:
        """Bind both ports.

        Raises `AddressInUseError`; RulesError for rule set files that are not sound.
        """
        self._settings = settings
        self._metrics = Metrics()
        self._ready = False
        self._pools = Pools(
            small=Pool(settings.threads, "call", ("max_waiting_calls", settings.max_waiting_calls)),
            batch=Pool(
                settings.batch_threads, "batch", ("max_waiting_batches", settings.max_waiting_batches), nice=_NICE
            ),
            streams=Pool(2 * settings.max_streams, "stream"),
            control=Pool(_CONTROL_THREADS, "control"),
            reflection=Pool(_CONTROL_THREADS, "reflection"),
        )
        self._closing = threading.Event()
        self._watch = threading.Thread(target=self._end_silent_calls, name="watch", daemon=True)
        self._rule_sets = RuleSets(settings.rule_sets, settings.rules_folder)
        self._streams = Streams(settings.max_streams, settings.max_stream_batches, settings.retry_seconds)
        self._metrics.in_flight.set_function(lambda: self._pools.running)
        self._metrics.waiting.set_function(lambda: self._pools.waiting)
        self._metrics.streams.set_function(lambda: len(self._streams))
        self._metrics.serving.set_function(lambda: self._ready)
        self._server = grpc.server(
            self._pools.small,
            interceptors=[Gate(self._metrics, self._pools, retry_seconds=settings.retry_seconds)],
            options=[
                # Without it a second server on a used port would start and take half of its connections.
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", settings.max_message_bytes),
                # Clients ping a quiet connection, ours every 30 seconds; by default gRPC would hang up on them.
                ("grpc.http2.min_ping_interval_without_data_ms", _PING_MS),
                ("grpc.keepalive_permit_without_calls", 1),
            ],
        )
        self._health = health.HealthServicer()
        self._add_services()
        self.port = self._bind_grpc()
        self._monitor = self._bind_monitor()
        self.metrics_port = self._monitor.port

    def _add_services(self) -> None:
        settings = self._settings
        rule_sets = self._rule_sets
        served: dict[str, Handlers] = {
            "doudizhu": DoudizhuHandlers(rule_sets, settings),
            "mahjong": MahjongHandlers(rule_sets, settings),
            "rules": RulesHandlers(rule_sets, settings),
        }
        descriptors = {
            "doudizhu": doudizhu_pb2.DESCRIPTOR.services_by_name["DoudizhuService"],
            "mahjong": mahjong_pb2.DESCRIPTOR.services_by_name["MahjongService"],
            "rules": rules_pb2.DESCRIPTOR.services_by_name["RulesService"],
        }
        for name, handlers in served.items():
            handler = generic_handler(descriptors[name], handlers, self._metrics, self._pools, self._streams)
            self._server.add_generic_rpc_handlers((handler,))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        self._names = [descriptor.full_name for descriptor in descriptors.values()]
        reflection.enable_server_reflection([*self._names, health.SERVICE_NAME, reflection.SERVICE_NAME], self._server)
        self._health.set("", health_pb2.HealthCheckResponse.NOT_SERVING)

    def _bind_grpc(self) -> int:
        address = _address(self._settings.host, self._settings.port)
        try:
            return self._server.add_insecure_port(address)
        except RuntimeError:
            raise AddressInUseError(f"cannot listen on {address} for gRPC: is the port taken?") from None

    def _bind_monitor(self) -> Monitor:
        host, port = self._settings.metrics_host, self._settings.metrics_port
        try:
            return Monitor(host, port, self._metrics.registry, lambda: self._ready)
        except OSError as error:
            self._server.stop(None)
            raise AddressInUseError(f"cannot listen on {_address(host, port)} for metrics: {error.strerror}") from None

    def start(self) -> None:
        """Take calls."""
        self._server.start()
        self._watch.start()
        for name in ("", *self._names):
            self._health.set(name, _SERVING)
        self._ready = True
        _log.info(
            "laizi %s serves gRPC on %s and metrics on http://%s/metrics",
            laizi.__version__,
            _address(self._settings.host, self.port),
            _address(self._settings.metrics_host, self.metrics_port),
        )

    def reload(self) -> bool:
        """Read the rule set files anew, all or nothing, and return whether they were sound.

        Calls that run keep their rules. Files with problems change nothing; the log names each problem with its line.
        """
        folder = self._settings.rules_folder
        if not folder:
            _log.warning("no rules_folder is set: there are no rule set files to read anew")
            return True
        try:
            names = self._rule_sets.reload()
        except RulesError as error:
            self._metrics.reload_failed.inc()
            for problem in str(error).splitlines():
                _log.error("%s", problem)
            _log.error("the rule sets of %s stay as they were", folder)
            return False
        self._metrics.reloaded.inc()
        _log.info("read the rule sets of %s anew: %s", folder, ", ".join(names) or "none")
        return True

    def _end_silent_calls(self) -> None:
        seconds = self._settings.message_seconds
        while not self._closing.wait(min(seconds / 4, 1)):
            ended = self._pools.end_silent(seconds)
            if ended:
                self._metrics.silent.inc(ended)
                _log.warning("ended %d calls whose message did not come within %g s", ended, seconds)

    def stop(self, drain_seconds: float | None = None) -> None:
        """Turn callers away, wait for running calls, and close. Returns when all is closed."""
        drain = self._settings.drain_seconds if drain_seconds is None else drain_seconds
        self._ready = False
        self._health.enter_graceful_shutdown()
        if drain:
            grace = self._settings.grace_seconds
            _log.info("draining: NOT_SERVING for %g s, then up to %g s for running calls", drain, grace)
            time.sleep(drain)
        self._streams.finish()
        stopped = self._server.stop(self._settings.grace_seconds)
        idle = False
        while not stopped.wait(_SETTLE_SECONDS):
            was_idle, idle = idle, self._pools.idle and not len(self._streams)
            if idle and was_idle:
                # The last answers are out; what is left are streams that nobody works on, such as Health/Watch.
                stopped = self._server.stop(None)
        self._closing.set()
        self._pools.shutdown()
        self._monitor.close()
        _log.info("stopped")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop(drain_seconds=0)


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT, then drain; on SIGHUP read the rule set files anew.

    Raises `AddressInUseError`; RulesError for rule set files that are not sound.
    """
    awaited = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    # Blocked before any thread starts, so that none of them takes a signal: it waits for `sigwait`.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    try:
        server = Server(settings)
        server.start()
        while signal.sigwait(awaited) == signal.SIGHUP:
            server.reload()
        server.stop()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
