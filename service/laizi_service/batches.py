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

__all__ = ["BatchHandler"]

_SLICE: Final = 128
"""Items between two looks at whether the caller still waits."""


class BatchHandler:
    """Answers the batches of an RPC in general.

    Items that name no rules are judged under the batch's own, and leave the provenance to it.
    """

    def __init__(
        self,
        method: MethodDescriptor,
        single: Handler,
        select: Callable[[types_pb2.RuleSetSelector], RuleSet],
        paths: Paths,
        limit: int,
    ) -> None:
        """Take the batch's RPC, the handler of its items, and how many it may have at most."""
        self.limit = limit
        self._single = single
        self._select = select
        self._paths = paths
        response: Any = method.output_type
        self._response_class = GetMessageClass(response)
        self._result_class = GetMessageClass(response.fields_by_name["results"].message_type)

    def __call__(self, request: Any, call: Call) -> Any:
        """Answer a batch. Raises RequestError (TOO_MANY_ITEMS, DEADLINE_EXCEEDED), and what selecting rules raises."""
        if len(request.items) > self.limit:
            message = f"{len(request.items)} items given, max_batch_items is {self.limit}"
            raise RequestError(ErrorReason.TOO_MANY_ITEMS, message, path="items", limit=self.limit)
        call.items = len(request.items)
        response: Any = self._response_class()
        rules = request.rules if request.HasField("rules") else None
        if rules is not None:
            response.MergeFromString(self.ending(rules))
        for index, item in enumerate(request.items):
            if index % _SLICE == _SLICE - 1:
                call.proceed()
            response.results.append(self.result(item, rules, call))
        return response

    def ending(self, rules: types_pb2.RuleSetSelector) -> bytes:
        """Return the end of the response to a batch that has these rules. Raises what selecting them raises."""
        response: Any = self._response_class(provenance=provenance(self._select(rules)))
        ending: bytes = response.SerializeToString()
        return ending

    def result(self, item: Any, rules: types_pb2.RuleSetSelector | None, call: Call) -> Any:
        """Return the answer to one item of a batch that has these rules, or what is wrong with it."""
        result: Any = self._result_class()
        borrows = rules is not None and not item.HasField("rules")
        if borrows:
            item.rules.CopyFrom(rules)
        try:
            result.response.CopyFrom(self._single(item, call))
        except Exception as error:
            told = call.failed(error)
            result.error.CopyFrom(item_error(told, wire_path(item, told.path, self._paths)))
        else:
            if borrows:
                result.response.ClearField("provenance")
        return result
