"""The way of every call: bytes in, a handler in the middle, bytes or a status out, everything counted."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
from types import MappingProxyType
from typing import Any, Final, NoReturn, ParamSpec, Protocol, TypeVar

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from grpc_status import rpc_status
from prometheus_client import Counter, Histogram

from laizi.errors import ErrorReason, LaiziError, RequestError
from laizi_service import status
from laizi_service.codec import wire_path
from laizi_service.metrics import CallMetrics, Metrics
from laizi_service.pool import Pool

__all__ = ["Call", "Gate", "Handler", "Handlers", "Paths", "generic_handler"]

_log: Final = logging.getLogger(__name__)
_P = ParamSpec("_P")
_R = TypeVar("_R")


Handler = Callable[[Any, "Call"], Message]
"""What answers the requests of one RPC."""

Paths = Mapping[str, Sequence[str]]
"""Argument of the core → the fields of requests that it may come from, where they are named differently."""


class Handlers(Protocol):
    """The methods of one service."""

    def find(self, method: MethodDescriptor) -> Handler | None:
        """Return what answers a request of a method; one without answers UNIMPLEMENTED."""

    @property
    def game(self) -> str:
        """The label ``game`` of the metrics."""

    @property
    def paths(self) -> Paths:
        """Which fields the arguments of the core come from."""

    @property
    def operations(self) -> Mapping[str, str]:
        """RPC → the label ``operation`` of the metrics, for the RPCs that evaluate hands."""


class Call:
    """One request being worked on: what its handler may ask, and what it reports."""

    __slots__ = ("_context", "_method", "_metrics", "engine_seconds", "hands")

    def __init__(self, context: grpc.ServicerContext, method: str, metrics: Metrics) -> None:
        self._context = context
        self._method = method
        self._metrics = metrics
        self.engine_seconds = 0.0
        self.hands = 0

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

    def failed(self, error: Exception) -> LaiziError:
        """Count an error and return what the caller may know of it: a fault of the server goes into the log alone."""
        if not isinstance(error, LaiziError):
            fault = secrets.token_hex(8)
            _log.error("internal fault %s in %s", fault, self._method, exc_info=error)
            error = status.InternalFaultError(fault)
        self._metrics.error(error.reason)
        return error

    def abort(self, error: Exception, request: Message | None = None, paths: Paths = MappingProxyType({})) -> NoReturn:
        """End the call with the status of an error."""
        told = self.failed(error)
        path = told.path if request is None else wire_path(request, told.path, paths)
        self._context.abort_with_status(rpc_status.to_status(status.of_error(told, path)))


def generic_handler(service: ServiceDescriptor, handlers: Handlers, metrics: Metrics) -> grpc.GenericRpcHandler:
    """Return what a gRPC server needs to serve every RPC of a service."""
    methods = {}
    for method in service.methods:
        handler = handlers.find(method)
        if handler is None or method.client_streaming or method.server_streaming:
            methods[method.name] = _unbuilt(method, metrics)
        else:
            operation = handlers.operations.get(method.name)
            count = metrics.operation(handlers.game, operation) if operation else None
            methods[method.name] = _unary(method, handler, metrics, count, handlers.paths)
    return grpc.method_handlers_generic_handler(service.full_name, methods)


def _unary(
    method: MethodDescriptor,
    handler: Handler,
    metrics: Metrics,
    count: tuple[Counter, Histogram] | None,
    paths: Paths,
) -> grpc.RpcMethodHandler[bytes, bytes]:
    # The request arrives as bytes, so that bytes that are no message get a reason like every other wrong input.
    parse = GetMessageClass(method.input_type).FromString

    def behaviour(data: bytes, context: grpc.ServicerContext) -> bytes:
        call = Call(context, method.full_name, metrics)
        try:
            request = parse(data)
        except DecodeError:
            wrong = f"the bytes of the request are no {method.input_type.full_name}"
            call.abort(RequestError(ErrorReason.MALFORMED_MESSAGE, wrong))
        try:
            return handler(request, call).SerializeToString()
        except Exception as error:
            call.abort(error, request, paths)
        finally:
            if call.hands and count is not None:
                hands, engine_seconds = count
                hands.inc(call.hands)
                engine_seconds.observe(call.engine_seconds)

    return grpc.unary_unary_rpc_method_handler(behaviour)


def _unbuilt(method: MethodDescriptor, metrics: Metrics) -> grpc.RpcMethodHandler[bytes, bytes]:
    error = RequestError(ErrorReason.NOT_IMPLEMENTED, f"{method.full_name} is not built yet")

    def behaviour(_: object, context: grpc.ServicerContext) -> NoReturn:
        Call(context, method.full_name, metrics).abort(error)

    def stream(_: object, context: grpc.ServicerContext) -> Iterator[bytes]:
        behaviour(_, context)
        yield b""

    if method.client_streaming and method.server_streaming:
        return grpc.stream_stream_rpc_method_handler(stream)
    if method.server_streaming:
        return grpc.unary_stream_rpc_method_handler(stream)
    if method.client_streaming:
        return grpc.stream_unary_rpc_method_handler(behaviour)
    return grpc.unary_unary_rpc_method_handler(behaviour)


class Gate(grpc.ServerInterceptor):
    """Counts every call with its status and time, and sends calls away when too many wait.

    gRPC asks it on the serving thread, before the call is queued: that is the last moment at which a refusal is cheap.
    Health and reflection (services named ``grpc.…``) have a pool of their own and are never refused.
    """

    def __init__(self, metrics: Metrics, pool: Pool, control: Pool, *, max_waiting: int, retry_seconds: float) -> None:
        self._metrics = metrics
        self._pool = pool
        self._control = control
        self._max_waiting = max_waiting
        self._retry_seconds = retry_seconds
        self._counted: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}
        self._refusing: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

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
        overloaded = self._pool.waiting >= self._max_waiting and method in self._refusing
        return (self._refusing if overloaded else self._counted)[method]

    def _add(self, method: str, handler: grpc.RpcMethodHandler[Any, Any]) -> None:
        service, name = method.strip("/").split("/")
        control = service.startswith("grpc.")
        metrics = self._metrics.method(_kind(handler), service, name)
        self._counted[method] = _counting(handler, metrics, self._control if control else None)
        if not control:
            self._refusing[method] = _counting(self._refusal(handler), metrics, self._control)

    def _refusal(self, handler: grpc.RpcMethodHandler[Any, Any]) -> grpc.RpcMethodHandler[Any, Any]:
        error = status.OverloadedError(self._max_waiting, self._retry_seconds)

        def refuse(_: object, context: grpc.ServicerContext) -> NoReturn:
            Call(context, "", self._metrics).abort(error)

        return _like(handler, refuse)


def _kind(handler: grpc.RpcMethodHandler[Any, Any]) -> str:
    if handler.request_streaming:
        return "bidi_stream" if handler.response_streaming else "client_stream"
    return "server_stream" if handler.response_streaming else "unary"


def _counting(
    handler: grpc.RpcMethodHandler[Any, Any], metrics: CallMetrics, pool: Pool | None
) -> grpc.RpcMethodHandler[Any, Any]:
    function = _function(handler)

    # The context's type lacks the method code().
    def unary(request: Any, context: Any) -> Any:
        metrics.started.inc()
        start = perf_counter()
        try:
            response = function(request, context)
        except Exception:
            metrics.handled(context.code() or grpc.StatusCode.UNKNOWN, perf_counter() - start)
            raise
        metrics.handled(context.code() or grpc.StatusCode.OK, perf_counter() - start)
        return response

    def stream(request: Any, context: Any, *send: Any) -> Any:
        metrics.started.inc()
        start = perf_counter()
        # A stream ends with the call, not with the function that begins it.
        context.add_callback(lambda: metrics.handled(context.code() or grpc.StatusCode.OK, perf_counter() - start))
        return function(request, context, *send)

    counted: Any = stream if handler.response_streaming else unary
    counted.experimental_non_blocking = getattr(function, "experimental_non_blocking", False)
    if pool is not None:
        counted.experimental_thread_pool = pool
    return _like(handler, counted)


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
