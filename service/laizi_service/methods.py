"""The RPCs of a service as gRPC serves them, made from the handlers of their requests."""

from __future__ import annotations

from typing import Any, NoReturn

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass
from prometheus_client import Counter, Histogram

from laizi.errors import ErrorReason, RequestError
from laizi_service.calls import Call, Handler, Handlers, Paths
from laizi_service.metrics import Metrics
from laizi_service.pool import Pool, Pools
from laizi_service.streams import Answerer, Streams, stream_handler

__all__ = ["generic_handler"]


def generic_handler(
    service: ServiceDescriptor, handlers: Handlers, metrics: Metrics, pools: Pools, streams: Streams
) -> grpc.GenericRpcHandler:
    """Return what a gRPC server needs to serve every RPC of a service."""
    methods = {}
    answerers: dict[Any, Answerer] = {}
    bidirectional = []
    for method in service.methods:
        handler = handlers.find(method)
        if method.client_streaming and method.server_streaming:
            bidirectional.append(method)
        elif handler is None:
            methods[method.name] = _unbuilt(method, metrics)
        else:
            operation = handlers.operations.get(method.name)
            count = metrics.operation(handlers.game, operation) if operation else None
            heavy = handlers.is_heavy(method.name)
            methods[method.name] = _unary(
                method, handler, metrics, count, handlers.paths, pools.batch if heavy else None
            )
            inner = metrics.stream_request(service.full_name, method.name)
            answerers[method.input_type] = Answerer(method.full_name, handler, heavy, inner, count)
    for method in bidirectional:
        fields = method.input_type.oneofs_by_name["request"].fields
        by_field = {field.name: answerers[field.message_type] for field in fields}
        methods[method.name] = stream_handler(method, by_field, handlers.paths, metrics, pools, streams)
    return grpc.method_handlers_generic_handler(service.full_name, methods)


def _unary(
    method: MethodDescriptor,
    handler: Handler,
    metrics: Metrics,
    count: tuple[Counter, Histogram] | None,
    paths: Paths,
    pool: Pool | None,
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
            if count is not None:
                call.counted(count)

    if pool is not None:
        behaviour.experimental_thread_pool = pool  # type: ignore[attr-defined]  # gRPC's own name
    return grpc.unary_unary_rpc_method_handler(behaviour)


def _unbuilt(method: MethodDescriptor, metrics: Metrics) -> grpc.RpcMethodHandler[bytes, bytes]:
    error = RequestError(ErrorReason.NOT_IMPLEMENTED, f"{method.full_name} is not built yet")

    def behaviour(_: object, context: grpc.ServicerContext) -> NoReturn:
        Call(context, method.full_name, metrics).abort(error)

    return grpc.unary_unary_rpc_method_handler(behaviour)
