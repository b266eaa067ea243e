"""Batches of messages: many requests of one kind in one call, each answered or refused by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from laizi.errors import ErrorReason, RequestError
from laizi.rules import RuleSet
from laizi.v1 import types_pb2
from laizi_service.calls import Call, Handler, Paths
from laizi_service.codec import item_error, provenance, wire_path

__all__ = ["batch_handler"]

_SLICE: Final = 128
"""Items between two looks at whether the caller still waits."""


def batch_handler(
    method: MethodDescriptor,
    single: Handler,
    select: Callable[[types_pb2.RuleSetSelector], RuleSet],
    paths: Paths,
    limit: int,
) -> Handler:
    """Return the handler of a batch whose items are requests of ``single``, at most ``limit`` of them.

    Items that name no rules are judged under the batch's own, and leave the provenance to it.
    """
    response_class = GetMessageClass(method.output_type)

    def handle(request: Any, call: Call) -> Any:
        if len(request.items) > limit:
            message = f"{len(request.items)} items given, max_batch_items is {limit}"
            raise RequestError(ErrorReason.TOO_MANY_ITEMS, message, path="items", limit=limit)
        call.items = len(request.items)
        response: Any = response_class()
        shared = request.HasField("rules")
        if shared:
            response.provenance.CopyFrom(provenance(select(request.rules)))
        for index, item in enumerate(request.items):
            if index % _SLICE == _SLICE - 1:
                call.proceed()
            result = response.results.add()
            borrows = shared and not item.HasField("rules")
            if borrows:
                item.rules.CopyFrom(request.rules)
            try:
                result.response.CopyFrom(single(item, call))
            except Exception as error:
                told = call.failed(error)
                result.error.CopyFrom(item_error(told, wire_path(item, told.path, paths)))
            else:
                if borrows:
                    result.response.ClearField("provenance")
        return response

    return handle
