"""The RPCs of a service as gRPC serves them, made from the handlers of their requests."""

from __future__ import annotations

from typing import Any, NoReturn

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from laizi.errors import ErrorReason, RequestError
from laizi_service.calls import Call, Handlers, Method
from laizi_service.metrics import CallMetrics, Metrics
from laizi_service.pool import Pools
from laizi_service.streams import Streams, stream_handler

__all__ = ["generic_handler"]


def generic_handler(
    service: ServiceDescriptor, handlers: Handlers, metrics: Metrics, pools: Pools, streams: Streams
) -> grpc.GenericRpcHandler:
    """Return what a gRPC server needs to serve every RPC of a service."""
    methods = {}
    on_streams: dict[Any, tuple[Method, CallMetrics]] = {}
    bidirectional = []
    for method in service.methods:
        handler = handlers.find(method)
        if method.client_streaming and method.server_streaming:
            bidirectional.append(method)
        elif handler is None:
            methods[method.name] = _unbuilt(method, metrics)
        else:
            answering = Method(method, handler, handlers, metrics)
            methods[method.name] = _unary(answering, metrics, pools)
            on_streams[method.input_type] = answering, metrics.stream_request(service.full_name, method.name)
    for method in bidirectional:
        fields = method.input_type.oneofs_by_name["request"].fields
        by_field = {field.number: on_streams[field.message_type] for field in fields}
        methods[method.name] = stream_handler(method, by_field, metrics, pools, streams)
    return grpc.method_handlers_generic_handler(service.full_name, methods)


def _unary(method: Method, metrics: Metrics, pools: Pools) -> grpc.RpcMethodHandler[bytes, bytes]:
    def behaviour(data: bytes, context: grpc.ServicerContext) -> bytes:
        call = Call(context, method.name, metrics)
        try:
            return method.answer(data, call)
        except Exception as error:
            told = call.failed(error)
            call.end(told, method.path(told, data))

    if method.heavy:
        behaviour.experimental_thread_pool = pools.batch  # type: ignore[attr-defined]  # gRPC's own name
    return grpc.unary_unary_rpc_method_handler(behaviour)


def _unbuilt(method: MethodDescriptor, metrics: Metrics) -> grpc.RpcMethodHandler[bytes, bytes]:
    error = RequestError(ErrorReason.NOT_IMPLEMENTED, f"{method.full_name} is not built yet")

    def behaviour(_: object, context: grpc.ServicerContext) -> NoReturn:
        Call(context, method.full_name, metrics).abort(error)

    return grpc.unary_unary_rpc_method_handler(behaviour)
