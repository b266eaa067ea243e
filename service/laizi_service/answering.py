"""Where answers come from: the library in this process, or a running service. Both take the same requests."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol, cast

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from laizi.errors import ErrorReason, RequestError
from laizi.v1 import doudizhu_pb2, mahjong_pb2, rules_pb2
from laizi_service import status
from laizi_service.calls import Call, Handlers, Method
from laizi_service.client import Failure, channel, failure, unpacked
from laizi_service.codec import wire_path
from laizi_service.metrics import Metrics
from laizi_service.rule_sets import RuleSets
from laizi_service.settings import Settings

__all__ = ["Answerer", "Library", "Service", "UnansweredError", "method"]

_FILES: Final = {"DoudizhuService": doudizhu_pb2, "MahjongService": mahjong_pb2, "RulesService": rules_pb2}
_AT_ONCE: Final = 32
"""Calls on their way to a service at one time."""


class UnansweredError(Exception):
    """A request got no answer; ``failure`` says why, in the words of the service."""

    def __init__(self, failure: Failure, request: Message) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.request = request

    @property
    def blames_request(self) -> bool:
        """Whether the request is at fault, so that sending it again would be refused again."""
        reason = self.failure.reason
        return reason is not None and status.code_of(reason) not in (
            grpc.StatusCode.UNAVAILABLE,
            grpc.StatusCode.DEADLINE_EXCEEDED,
            grpc.StatusCode.INTERNAL,
            grpc.StatusCode.UNIMPLEMENTED,
            grpc.StatusCode.UNAUTHENTICATED,
        )


class Answerer(Protocol):
    """What answers requests of the contract."""

    def ask(self, method: MethodDescriptor, request: Message) -> Any:
        """Return the response of a unary method. Raises UnansweredError."""

    def ask_each(self, asked: Iterable[tuple[MethodDescriptor, Message]]) -> Sequence[Any]:
        """Return a response or an UnansweredError for each of some requests, in their order."""

    def close(self) -> None:
        """Let go of whatever it holds."""


def method(name: str) -> MethodDescriptor:
    """Return a method of the contract by its name, such as ``DoudizhuService.ReadPlay``."""
    service, _, own = name.partition(".")
    found: MethodDescriptor = _FILES[service].DESCRIPTOR.services_by_name[service].methods_by_name[own]
    return found


class Library:
    """Answers in this process, exactly as a service with the same settings would."""

    def __init__(self, settings: Settings) -> None:
        """Read the rule set files of ``settings.rules_folder``. Raises RuleFilesError."""
        self._settings = settings
        self._metrics = Metrics()
        self._rule_sets = RuleSets(settings.rule_sets, settings.rules_folder)
        self._handlers: dict[str, Handlers] = {}

    def ask(self, method: MethodDescriptor, request: Message) -> Any:
        """Return the response of a unary method. Raises UnansweredError."""
        handlers = self._serving(method.containing_service.name)
        handler = handlers.find(method)
        call = self._call(method)
        try:
            if handler is None:
                raise RequestError(ErrorReason.NOT_IMPLEMENTED, f"{method.full_name} is not built yet")
            return handler(request, call)
        except Exception as error:
            told = call.failed(error)
            wrong = status.of_error(told, wire_path(request, told.path, handlers.paths))
            raise UnansweredError(unpacked(status.code_of(told.reason), wrong), request) from None

    def answering(self, method: MethodDescriptor) -> Callable[[bytes], bytes]:
        """Return what answers a method from the bytes of its requests, as the service does. Raises LaiziError."""
        handlers = self._serving(method.containing_service.name)
        handler = handlers.find(method)
        assert handler is not None
        made = Method(method, handler, handlers, self._metrics)
        return lambda data: made.answer(data, self._call(method))

    def ask_each(self, asked: Iterable[tuple[MethodDescriptor, Message]]) -> Sequence[Any]:
        """Return a response or an UnansweredError for each of some requests, in their order."""
        return [_caught(self.ask, method, request) for method, request in asked]

    def close(self) -> None:
        """Nothing is held."""

    def _call(self, method: MethodDescriptor) -> Call:
        return Call(cast("grpc.ServicerContext", _Patient()), method.full_name, self._metrics)

    def _serving(self, service: str) -> Handlers:
        if service not in self._handlers:
            self._handlers[service] = _handlers_class(service)(self._rule_sets, self._settings)
        return self._handlers[service]


class Service:
    """Answers of a running service."""

    def __init__(self, target: str, timeout: float, **access: Any) -> None:
        """Connect to a target of `laizi_service.client` at the first request; each answer may take ``timeout`` seconds.

        ``access`` is what `laizi_service.access.Access.arguments` returns.
        Raises ValueError for a target that cannot be one.
        """
        self._channel = channel(target, deadlines=False, **access)
        self._timeout = timeout
        self._calls: dict[str, grpc.UnaryUnaryMultiCallable[Any, Any]] = {}

    def ask(self, method: MethodDescriptor, request: Message) -> Any:
        """Return the response of a unary method. Raises UnansweredError."""
        try:
            return self._call(method)(request, timeout=self._timeout)
        except grpc.RpcError as error:
            raise UnansweredError(failure(error), request) from None

    def ask_each(self, asked: Iterable[tuple[MethodDescriptor, Message]]) -> Sequence[Any]:
        """Return a response or an UnansweredError for each of some requests, in their order; many are on their way."""
        answers: list[Any] = []
        sent: list[tuple[Message, Any]] = []
        for method, request in asked:
            sent.append((request, self._call(method).future(request, timeout=self._timeout)))
            if len(sent) - len(answers) >= _AT_ONCE:
                answers.append(_caught(_result, *sent[len(answers)]))
        answers.extend(_caught(_result, *pair) for pair in sent[len(answers) :])
        return answers

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()

    def _call(self, method: MethodDescriptor) -> grpc.UnaryUnaryMultiCallable[Any, Any]:
        path = f"/{method.containing_service.full_name}/{method.name}"
        if path not in self._calls:
            self._calls[path] = self._channel.unary_unary(
                path,
                request_serializer=GetMessageClass(method.input_type).SerializeToString,
                response_deserializer=GetMessageClass(method.output_type).FromString,
            )
        return self._calls[path]


class _Patient:
    """The part of a call's context that handlers look at, of a caller who waits as long as it takes."""

    def is_active(self) -> bool:
        return True

    def time_remaining(self) -> float:
        return math.inf

    def invocation_metadata(self) -> tuple[()]:
        return ()

    def trailing_metadata(self) -> tuple[()]:
        return ()


def _result(request: Message, sent: Any) -> Any:
    try:
        return sent.result()
    except grpc.RpcError as error:
        raise UnansweredError(failure(error), request) from None


def _caught(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except UnansweredError as error:
        return error


def _handlers_class(service: str) -> Callable[[RuleSets, Settings], Handlers]:
    # Imported on demand: each brings the engine of its game.
    if service == "DoudizhuService":
        from laizi_service.handlers.doudizhu import DoudizhuHandlers

        return DoudizhuHandlers
    if service == "MahjongService":
        from laizi_service.handlers.mahjong import MahjongHandlers

        return MahjongHandlers
    from laizi_service.handlers.rules import RulesHandlers

    return RulesHandlers
