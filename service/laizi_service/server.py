"""The server: gRPC with health and reflection, the monitoring port, and the way down without a lost call."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from types import TracebackType
from typing import Final, NoReturn, Self

import grpc
from grpc_health.v1 import health_pb2_grpc
from grpc_health.v1.health import SERVICE_NAME as HEALTH_NAME
from prometheus_client import CollectorRegistry

import laizi
from laizi.errors import RulesError
from laizi.v1 import doudizhu_pb2, mahjong_pb2, rules_pb2
from laizi_service import reflection, signals
from laizi_service.call_log import CallLog
from laizi_service.calls import Gate, Handlers
from laizi_service.handlers.doudizhu import DoudizhuHandlers
from laizi_service.handlers.mahjong import MahjongHandlers
from laizi_service.handlers.rules import RulesHandlers
from laizi_service.health import Health
from laizi_service.methods import generic_handler
from laizi_service.metrics import Metrics
from laizi_service.monitor import AddressInUseError, Monitor
from laizi_service.pool import Pool, Pools
from laizi_service.rule_sets import RuleSets
from laizi_service.security import Certificates, Tokens
from laizi_service.settings import Settings, address
from laizi_service.streams import Streams
from laizi_service.tracing import Tracing

__all__ = ["AddressInUseError", "Server", "serve"]

_log: Final = logging.getLogger(__name__)

_CONTROL_THREADS: Final = 4
_REFUSAL_THREADS: Final = 1
_SPARE_THREADS: Final = 24
"""How many calls of a pool may be late with their message before they hold up others."""
_NICE: Final = 10
_PING_MS: Final = 10_000
_PENDING: Final = 10_000
_WATCH_SECONDS: Final = 0.1
"""How often, and so how long a call whose message is late holds up others: up to twice this time."""


class Server:
    """One service on its two ports. It serves from `start` to `stop`; as a context manager it does both.

    `stop` first lets callers turn away (health NOT_SERVING, /ready 503, still answering), then ends the streams,
    refuses new calls and waits for those that run. Balancers that look away within ``drain_seconds`` lose nothing.
    """

    def __init__(self, settings: Settings, *, of_several: bool = False) -> None:
        """Bind both ports. One worker of several leaves the metrics of all to its supervisor.

        Raises `AddressInUseError`; RulesError for rule set files that are not sound.
        """
        self._settings = settings
        self._metrics = Metrics(of_several=of_several)
        self._ready = False
        self._pools = Pools(
            small=Pool(
                settings.threads, "call", ("max_waiting_calls", settings.max_waiting_calls), spare=_SPARE_THREADS
            ),
            batch=Pool(
                settings.batch_threads,
                "batch",
                ("max_waiting_batches", settings.max_waiting_batches),
                nice=_NICE,
                spare=_SPARE_THREADS,
            ),
            streams=Pool(2 * settings.max_streams, "stream"),
            refusals=Pool(_REFUSAL_THREADS, "refusal"),
            control=Pool(_CONTROL_THREADS, "control"),
            reflection=Pool(_CONTROL_THREADS, "reflection"),
        )
        self._tokens = Tokens(settings.tokens_file) if settings.tokens_file else None
        self._certificates = Certificates(settings) if settings.tls_certificate else None
        self._tracing = Tracing.of(settings)
        self._closing = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="watch", daemon=True)
        self._rule_sets = RuleSets(settings.rule_sets, settings.rules_folder)
        self._streams = Streams(settings.max_streams, settings.max_stream_batches, settings.retry_seconds)
        self._metrics.watch(
            serving=lambda: self._ready,
            in_flight=lambda: self._pools.running,
            waiting=lambda: self._pools.waiting,
            streams=lambda: len(self._streams),
        )
        self._server = grpc.server(
            self._pools.small,
            interceptors=[
                Gate(
                    self._metrics,
                    self._pools,
                    CallLog(settings.log_calls, settings.slow_seconds),
                    retry_seconds=settings.retry_seconds,
                    tokens=self._tokens,
                    tracing=self._tracing,
                )
            ],
            options=[
                # Without it a second server on a used port would start and take half of its connections.
                ("grpc.so_reuseport", int(of_several and settings.shared_port == "on")),
                ("grpc.max_receive_message_length", settings.max_message_bytes),
                # Clients ping a quiet connection, ours every 30 seconds; by default gRPC would hang up on them.
                ("grpc.http2.min_ping_interval_without_data_ms", _PING_MS),
                ("grpc.keepalive_permit_without_calls", 1),
                # Calls that the serving thread has not come to. gRPC cancels those beyond, without a reason: by default
                # from 1,000 on, which a burst reaches.
                ("grpc.server.max_pending_requests", _PENDING),
                ("grpc.server.max_pending_requests_hard_limit", 2 * _PENDING),
            ],
        )
        self._add_services()
        self.port = self._bind_grpc()
        self._monitor = self._bind_monitor(None if of_several else self._metrics.registry)
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
        names = [descriptor.full_name for descriptor in descriptors.values()]
        self._health = Health(names, self._pools.control)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable([*names, HEALTH_NAME, reflection.SERVICE_NAME], self._server)

    def _bind_grpc(self) -> int:
        where = address(self._settings.host, self._settings.port)
        try:
            if self._certificates is not None:
                return self._server.add_secure_port(where, self._certificates.credentials())
            return self._server.add_insecure_port(where)
        except RuntimeError:
            raise AddressInUseError(f"cannot listen on {where} for gRPC: is the port taken?") from None

    def _bind_monitor(self, registry: CollectorRegistry | None) -> Monitor:
        try:
            return Monitor(self._settings.metrics_host, self._settings.metrics_port, lambda: self._ready, registry)
        except AddressInUseError:
            self._server.stop(None)
            raise

    def start(self) -> None:
        """Take calls."""
        self._server.start()
        self._watcher.start()
        self._health.set_serving(True)
        self._ready = True

    def reload(self) -> bool:
        """Read the tokens and the rule set files anew, each all or nothing, and return whether all were sound.

        Calls that run keep their rules. Files with problems change nothing; the log names each problem with its line.
        """
        admitted = self._tokens is None or self._tokens.reload()
        return self._reload_rules() and admitted

    def _reload_rules(self) -> bool:
        folder = self._settings.rules_folder
        if not folder:
            if self._tokens is None:
                _log.warning("neither rules_folder nor tokens_file is set: there is nothing to read anew")
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

    def _watch(self) -> None:
        seconds = self._settings.message_seconds
        while not self._closing.wait(min(seconds / 4, _WATCH_SECONDS)):
            self._metrics.sample()
            self._pools.give_way(_WATCH_SECONDS)
            ended = self._pools.end_silent(seconds)
            if ended:
                self._metrics.silent.inc(ended)
                _log.warning("ended %d calls whose message did not come within %g s", ended, seconds)

    def stop(self, drain_seconds: float | None = None) -> None:
        """Turn callers away, wait for running calls, and close. Returns when all is closed."""
        drain = self._settings.drain_seconds if drain_seconds is None else drain_seconds
        self._ready = False
        self._health.set_serving(False)
        if drain:
            grace = self._settings.grace_seconds
            _log.info("draining: NOT_SERVING for %g s, then up to %g s for running calls", drain, grace)
            time.sleep(drain)
        # What would last as long as its caller likes ends now; all else gets the grace, until its answer has been read.
        self._streams.finish()
        self._health.finish()
        self._pools.reflection.end_silent(0)
        self._server.stop(self._settings.grace_seconds).wait()
        self._closing.set()
        self._pools.shutdown()
        if self._tracing is not None:
            self._tracing.close()
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

    A second SIGTERM or SIGINT ends the process at once, with code 1. Raises `AddressInUseError`; RulesError for rule
    set files that are not sound.
    """
    with signals.kept():
        server = Server(settings)
        server.start()
        _log.info(
            "laizi %s serves gRPC on %s and metrics on http://%s/metrics",
            laizi.__version__,
            address(settings.host, server.port),
            address(settings.metrics_host, server.metrics_port),
        )
        while signal.sigwait(signals.AWAITED) == signal.SIGHUP:
            server.reload()
        threading.Thread(target=_end_at_second_signal, daemon=True).start()
        server.stop()


def _end_at_second_signal() -> NoReturn:
    signal.sigwait(signals.ENDING)
    _log.error("a second signal cut the drain short")
    # Python's own end would wait for the threads that work on calls.
    os._exit(1)
