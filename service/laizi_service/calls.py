"""The way of every call: bytes in, a handler in the middle, bytes or a status out, everything counted."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, Final, NoReturn, ParamSpec, Protocol, TypeVar

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from grpc_status import rpc_status
from prometheus_client import Counter, Histogram

from laizi.errors import ErrorReason, LaiziError, RequestError
from laizi_service import status
from laizi_service.call_log import REQUEST_ID, CallLog, origin
from laizi_service.codec import wire_path
from laizi_service.metrics import CallMetrics, Metrics
from laizi_service.pool import Pool, Pools
from laizi_service.security import Tokens
from laizi_service.tracing import Tracing

__all__ = ["Call", "Gate", "Handler", "Handlers", "Method", "Paths", "RawHandler"]

_log: Final = logging.getLogger(__name__)
_UNAUTHENTICATED: Final = RequestError(
    ErrorReason.UNAUTHENTICATED, "the call shows no token that is known here (authorization: Bearer …)"
)
_P = ParamSpec("_P")
_R = TypeVar("_R")


Handler = Callable[[Any, "Call"], Message]
"""What answers the requests of one RPC."""

RawHandler = Callable[[bytes, "Call"], bytes | None]
"""What answers the ordinary requests of one RPC, bytes in and bytes out; None where it leaves one to the `Handler`."""

Paths = Mapping[str, Sequence[str]]
"""Argument of the core → the fields of requests that it may come from, where they are named differently."""


class Handlers(Protocol):
    """The methods of one service."""

    def find(self, method: MethodDescriptor) -> Handler | None:
        """Return what answers a request of a method; one without answers UNIMPLEMENTED."""

    def raw(self, method: str) -> RawHandler | None:
        """Return what answers the ordinary requests of a method without the generated classes, None for most methods.

        It answers exactly as the handler does, byte for byte. It may raise a LaiziError as the handler does, too.
        """

    @property
    def game(self) -> str:
        """The label ``game`` of the metrics."""

    def is_heavy(self, method: str) -> bool:
        """Whether a method takes many hands at once: such calls have threads of their own."""

    @property
    def paths(self) -> Paths:
        """Which fields the arguments of the core come from."""

    @property
    def operations(self) -> Mapping[str, str]:
        """RPC → the label ``operation`` of the metrics, for the RPCs that evaluate hands."""


class Call:
    """One request being worked on: what its handler may ask, and what it reports."""

    __slots__ = ("_context", "_method", "_metrics", "engine_seconds", "hands", "items")

    def __init__(self, context: grpc.ServicerContext, method: str, metrics: Metrics) -> None:
        self._context = context
        self._method = method
        self._metrics = metrics
        self.engine_seconds = 0.0
        self.hands = 0
        self.items = 0
        """Items of a batch, rows of columns; 0 for other requests."""

    def engine(self, function: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Call a function of the core: its time is measured, and one hand is counted."""
        start = perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            self.engine_seconds += perf_counter() - start
            self.hands += 1

    def engine_rows(self, rows: int, function: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Call a function of the core on many rows: each counts as one hand."""
        self.hands += rows - 1
        return self.engine(function, *args, **kwargs)

    def proceed(self) -> None:
        """Return while the caller waits; long work asks between its slices.

        Raises RequestError (DEADLINE_EXCEEDED) once the deadline has passed or the caller has gone.
        """
        if not self._context.is_active() or self._context.time_remaining() <= 0:
            raise RequestError(ErrorReason.DEADLINE_EXCEEDED, "the caller's deadline passed before the answer")

    def counted(self, count: tuple[Counter, Histogram]) -> None:
        """Add what was evaluated to the metrics of an operation."""
        if self.items:
            self._metrics.batch(self._method, self.items)
        if self.hands:
            hands, engine_seconds = count
            hands.inc(self.hands)
            engine_seconds.observe(self.engine_seconds)

    def failed(self, error: Exception) -> LaiziError:
        """Count an error and return what the caller may know of it: a fault of the server goes into the log alone."""
        if not isinstance(error, LaiziError):
            fault = secrets.token_hex(8)
            fields = origin(self._context)
            _log.error("internal fault %s in %s", fault, self._method, exc_info=error, extra={"fields": fields})
            error = status.InternalFaultError(fault)
        self._metrics.error(error.reason)
        return error

    def abort(self, error: Exception) -> NoReturn:
        """Count an error and end the call with its status."""
        told = self.failed(error)
        self.end(told, told.path)

    def end(self, told: LaiziError, path: str) -> NoReturn:
        """End the call with the status of an error that lies at a path of the request."""
        _end(self._context, rpc_status.to_status(status.of_error(told, path)))


def _end(context: grpc.ServicerContext, told: Any) -> NoReturn:
    """End a call with a status and the id under which the log speaks of it."""
    context.abort_with_status(_Ended(told, origin(context)["request_id"]))


class _Ended(grpc.Status):
    """A status that also tells the caller under which id the log speaks of his call."""

    def __init__(self, told: Any, request_id: str) -> None:
        self.code = told.code
        self.details = told.details
        self.trailing_metadata = (*told.trailing_metadata, (REQUEST_ID, request_id))


class Method:
    """What answers the requests of one RPC, from their bytes to those of the response."""

    def __init__(self, method: MethodDescriptor, handler: Handler, handlers: Handlers, metrics: Metrics) -> None:
        self.name: str = method.full_name
        self.heavy = handlers.is_heavy(method.name)
        """Whether it takes many hands at once."""
        operation = handlers.operations.get(method.name)
        self._count = metrics.operation(handlers.game, operation) if operation else None
        self._handler = handler
        self._raw = handlers.raw(method.name)
        self._paths = handlers.paths
        self._request_class = GetMessageClass(method.input_type)

    def answer(self, data: bytes, call: Call) -> bytes:
        """Return the bytes of the response to a request, and count what was evaluated. Raises whatever goes wrong."""
        try:
            answer = None if self._raw is None else self._raw(data, call)
            return self._handler(self._parse(data), call).SerializeToString() if answer is None else answer
        finally:
            if self._count is not None:
                call.counted(self._count)

    def path(self, error: LaiziError, data: bytes) -> str:
        """Return where in a request an error lies."""
        return wire_path(self._parse(data), error.path, self._paths) if error.path else ""

    def _parse(self, data: bytes) -> Message:
        # Requests arrive as bytes, so that bytes that are no message get a reason like every other wrong input.
        try:
            return self._request_class.FromString(data)
        except DecodeError:
            wrong = f"the bytes of the request are no {self._request_class.DESCRIPTOR.full_name}"
            raise RequestError(ErrorReason.MALFORMED_MESSAGE, wrong) from None


class Gate(grpc.ServerInterceptor):
    """Counts every call with its status and time, and sends calls away that show no token, or when too many wait.

    gRPC asks it on the serving thread, before the call is queued: that is the last moment at which a refusal is cheap.
    Health and reflection (services named ``grpc.…``) have pools of their own and are never too many; health needs no
    token.
    """

    def __init__(
        self,
        metrics: Metrics,
        pools: Pools,
        calls: CallLog,
        *,
        retry_seconds: float,
        tokens: Tokens | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        self._metrics = metrics
        self._pools = pools
        self._calls = calls
        self._tracing = tracing
        self._retry_seconds = retry_seconds
        self._tokens = tokens
        self._unknown: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}
        self._counted: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}
        self._refusing: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}
        self._pool_of: dict[str, Pool] = {}

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], grpc.RpcMethodHandler[Any, Any] | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """Return the handler of one call."""
        method: str = handler_call_details.method
        if method not in self._counted:
            handler = continuation(handler_call_details)
            if handler is None:
                return None  # Unknown names are not counted: a caller could invent labels without end.
            self._add(method, handler)
        pool = self._pool_of[method]
        admitted = (
            self._tokens is None
            or pool is self._pools.control
            or self._tokens.admit(handler_call_details.invocation_metadata)
        )
        if not admitted:
            return self._unknown[method]
        if pool.full:
            # The threads that answer come first to the interpreter's lock, or a flood would leave only refusals.
            time.sleep(0)
            return self._refusing[method]
        return self._counted[method]

    def _add(self, method: str, handler: grpc.RpcMethodHandler[Any, Any]) -> None:
        service, name = method.strip("/").split("/")
        metrics = self._metrics.method(_kind(handler), service, name)
        if service.startswith("grpc."):
            pool = self._pools.reflection if service.startswith("grpc.reflection.") else self._pools.control
        else:
            pool = getattr(_function(handler), "experimental_thread_pool", self._pools.small)
        self._unknown[method] = self._refusal(method, metrics, _UNAUTHENTICATED)
        if pool.limited:
            self._refusing[method] = self._refusal(method, metrics, pool.overloaded(self._retry_seconds))
        self._pool_of[method] = pool
        if self._tracing is not None and handler.unary_unary is not None and not service.startswith("grpc."):
            handler = _like(handler, self._tracing.traced(handler.unary_unary, service, name))
        self._counted[method] = self._counting(
            handler, method, metrics, pool, lasting=pool is not self._pools.reflection
        )

    def _refusal(self, method: str, metrics: CallMetrics, error: LaiziError) -> grpc.RpcMethodHandler[Any, Any]:
        # Made once: to refuse a call must cost less than to answer it.
        refused = rpc_status.to_status(status.of_error(error, error.path))

        def refuse(_: object, context: grpc.ServicerContext) -> NoReturn:
            self._metrics.error(error.reason)
            _end(context, refused)

        # As if the request were a stream: so its message is not waited for.
        refusing: Any = grpc.stream_unary_rpc_method_handler(refuse)
        return self._counting(refusing, method, metrics, self._pools.refusals, lasting=True)

    def _counting(
        self,
        handler: grpc.RpcMethodHandler[Any, Any],
        method: str,
        metrics: CallMetrics,
        pool: Pool,
        *,
        lasting: bool,
    ) -> grpc.RpcMethodHandler[Any, Any]:
        """Return a handler that counts its calls. Those that do not last end with the time for their first message."""
        function = _function(handler)
        calls = self._calls

        # The context's type lacks the method code().
        def unary(request: Any, context: Any) -> Any:
            pool.message_came()
            metrics.started.inc()
            start = perf_counter()
            code = grpc.StatusCode.UNKNOWN
            try:
                response = function(request, context)
                code = grpc.StatusCode.OK
                return response
            finally:
                code, seconds = context.code() or code, perf_counter() - start
                metrics.handled(code, seconds)
                calls.ended(method, context, code, seconds)

        def stream(request: Any, context: Any, *send: Any) -> Any:
            if lasting:
                pool.message_came()
            metrics.started.inc()
            start = perf_counter()

            # A stream ends with the call, not with the function that begins it.
            def ended() -> None:
                code, seconds = context.code() or grpc.StatusCode.OK, perf_counter() - start
                metrics.handled(code, seconds)
                calls.ended(method, context, code, seconds, lasting=True)

            context.add_callback(ended)
            return function(request, context, *send)

        counted: Any = stream if handler.response_streaming else unary
        # gRPC's own names: where the function runs, and whether it sends its answers itself.
        counted.experimental_non_blocking = getattr(function, "experimental_non_blocking", False)
        counted.experimental_thread_pool = pool
        return _like(handler, counted)


def _kind(handler: grpc.RpcMethodHandler[Any, Any]) -> str:
    if handler.request_streaming:
        return "bidi_stream" if handler.response_streaming else "client_stream"
    return "server_stream" if handler.response_streaming else "unary"


def _function(handler: grpc.RpcMethodHandler[Any, Any]) -> Callable[..., Any]:
    return next(
        function
        for function in (handler.unary_unary, handler.unary_stream, handler.stream_unary, handler.stream_stream)
        if function is not None
    )


def _like(handler: grpc.RpcMethodHandler[Any, Any], function: Any) -> grpc.RpcMethodHandler[Any, Any]:
    make: Any = {
        "unary": grpc.unary_unary_rpc_method_handler,
        "server_stream": grpc.unary_stream_rpc_method_handler,
        "client_stream": grpc.stream_unary_rpc_method_handler,
        "bidi_stream": grpc.stream_stream_rpc_method_handler,
    }[_kind(handler)]
    made: grpc.RpcMethodHandler[Any, Any] = make(function, handler.request_deserializer, handler.response_serializer)
    return made
