"""The way of every call: bytes in, a handler in the middle, bytes or a status out, everything counted."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
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

__all__ = ["Call", "Gate", "Handlers", "generic_handler"]

_log: Final = logging.getLogger(__name__)
_P = ParamSpec("_P")
_R = TypeVar("_R")


class Handlers(Protocol):
    """The methods of one service: attributes with the names of the RPCs, each taking (request, call) and answering.

    An RPC without such an attribute answers UNIMPLEMENTED.
    """

    @property
    def game(self) -> str:
        """The label ``game`` of the metrics."""

    @property
    def paths(self) -> Mapping[str, Sequence[str]]:
        """Argument of the core → the fields of requests that it may come from, where they are named differently."""

    @property
    def operations(self) -> Mapping[str, str]:
        """RPC → the label ``operation`` of the metrics, for the RPCs that evaluate hands."""


class Call:
    """One request being worked on: what its handler may ask, and what it reports."""

    __slots__ = ("_context", "engine_seconds", "hands")

    def __init__(self, context: grpc.ServicerContext) -> None:
        self._context = context
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

    def proceed(self) -> None:
        """Return while the caller waits; long work asks between its slices.

        Raises RequestError (DEADLINE_EXCEEDED) once the deadline has passed or the caller has gone.
        """
        if not self._context.is_active() or self._context.time_remaining() <= 0:
            raise RequestError(ErrorReason.DEADLINE_EXCEEDED, "the caller's deadline passed before the answer")


def generic_handler(
    service: ServiceDescriptor, handlers: Handlers, metrics: Metrics, *, retry_seconds: float
) -> grpc.GenericRpcHandler:
    """Return what a gRPC server needs to serve every RPC of a service."""
    methods = {}
    for method in service.methods:
        handler = getattr(handlers, method.name, None)
        if handler is None or method.client_streaming or method.server_streaming:
            methods[method.name] = _unbuilt(method, metrics)
        else:
            operation = handlers.operations.get(method.name)
            count = metrics.operation(handlers.game, operation) if operation else None
            methods[method.name] = _unary(method, handler, metrics, count, handlers.paths, retry_seconds)
    return grpc.method_handlers_generic_handler(service.full_name, methods)


def _unary(
    method: MethodDescriptor,
    handler: Callable[[Any, Call], Message],
    metrics: Metrics,
    count: tuple[Counter, Histogram] | None,
    paths: Mapping[str, Sequence[str]],
    retry_seconds: float,
) -> grpc.RpcMethodHandler[bytes, bytes]:
    # The request arrives as bytes, so that bytes that are no message get a reason like every other wrong input.
    parse = GetMessageClass(method.input_type).FromString

    def behaviour(data: bytes, context: grpc.ServicerContext) -> bytes:
        call = Call(context)
        try:
            request = parse(data)
        except DecodeError:
            wrong = f"the bytes of the request are no {method.input_type.full_name}"
            _abort(context, metrics, RequestError(ErrorReason.MALFORMED_MESSAGE, wrong))
        try:
            return handler(request, call).SerializeToString()
        except LaiziError as error:
            retry = retry_seconds if status.code_of(error.reason) is grpc.StatusCode.UNAVAILABLE else None
            _abort(context, metrics, error, path=wire_path(request, error.path, paths), retry_seconds=retry)
        except Exception:
            fault = secrets.token_hex(8)
            _log.exception("internal fault %s in %s", fault, method.full_name)
            _abort(
                context,
                metrics,
                RequestError(ErrorReason.INTERNAL_FAULT, f"internal fault, in the server's log under {fault}"),
                fault=fault,
            )
        finally:
            if call.hands and count is not None:
                hands, engine_seconds = count
                hands.inc(call.hands)
                engine_seconds.observe(call.engine_seconds)

    return grpc.unary_unary_rpc_method_handler(behaviour)


def _unbuilt(method: MethodDescriptor, metrics: Metrics) -> grpc.RpcMethodHandler[bytes, bytes]:
    error = RequestError(ErrorReason.NOT_IMPLEMENTED, f"{method.full_name} is not built yet")

    def behaviour(_: object, context: grpc.ServicerContext) -> NoReturn:
        _abort(context, metrics, error)

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


def _abort(
    context: grpc.ServicerContext, metrics: Metrics, error: LaiziError, *, path: str = "", **details: Any
) -> NoReturn:
    metrics.error(error.reason)
    context.abort_with_status(rpc_status.to_status(status.of_error(error, path, **details)))


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
        error = RequestError(
            ErrorReason.OVERLOADED,
            f"{self._max_waiting} calls wait already (max_waiting_calls); try again, better at another replica",
            limit=self._max_waiting,
        )

        def refuse(_: object, context: grpc.ServicerContext) -> NoReturn:
            _abort(context, self._metrics, error, retry_seconds=self._retry_seconds)

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
