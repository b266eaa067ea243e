"""What the handlers of the services have in common."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from laizi.errors import ErrorReason, RequestError
from laizi.rules import Game, RuleSet
from laizi.v1 import types_pb2
from laizi_service.batches import BatchHandler
from laizi_service.calls import Handler, Paths, RawHandler
from laizi_service.columns import columns_from_bytes, columns_in_general
from laizi_service.native.requests import Plan, Requests
from laizi_service.rule_sets import RuleSets
from laizi_service.settings import Settings

__all__ = ["GameHandlers", "ServiceHandlers", "check_wanted"]

_COLUMNS: Final = "Columns"
"""How the names of the RPCs end that take columns."""


class ServiceHandlers:
    """The methods of one service, named like its RPCs, each taking (request, call)."""

    game: ClassVar[str]
    paths: ClassVar[Paths] = MappingProxyType({})
    operations: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def __init__(self, rule_sets: RuleSets, settings: Settings) -> None:
        self._rule_sets = rule_sets
        self._settings = settings

    def find(self, method: MethodDescriptor) -> Handler | None:
        """Return the handler of a method, None where it is not built."""
        handler: Handler | None = getattr(self, method.name, None)
        return handler

    def raw(self, method: str) -> RawHandler | None:
        """Return what answers the ordinary requests of a method from their bytes, None where nothing does."""
        return None

    def is_heavy(self, method: str) -> bool:
        """Whether a method takes many hands at once."""
        return method.startswith("Batch") or method.endswith(_COLUMNS)


class GameHandlers(ServiceHandlers):
    """The methods of the service of a game."""

    game: ClassVar[Game]
    service: ClassVar[ServiceDescriptor]
    batches: ClassVar[Mapping[str, str]]
    """RPC that takes many requests of another RPC → that RPC."""
    native: ClassVar[str]
    """The RPC whose ordinary requests, alone and in its batch, are answered from their bytes."""

    def find(self, method: MethodDescriptor) -> Handler | None:
        """Return the handler of a method, None where it is not built."""
        if method.name in self.batches:
            return self.batch_handler(method)
        if method.name.endswith(_COLUMNS):
            return columns_in_general(getattr(self, method.name))
        return super().find(method)

    def raw(self, method: str) -> RawHandler | None:
        """Return what answers the ordinary requests of a method from their bytes, None where nothing does."""
        if method.endswith(_COLUMNS):
            return columns_from_bytes(self.service.methods_by_name[method], getattr(self, method))
        if method == self.native:
            return self._requests.one
        if self.batches.get(method) == self.native:
            return self._requests.many
        return None

    def make_plan(self, selector: types_pb2.RuleSetSelector, wilds: bytes) -> Plan:
        """Return what is ready for rules, and wilds as a request writes them. Raises whatever is wrong with them."""
        raise NotImplementedError

    @functools.cached_property
    def _requests(self) -> Requests:
        methods = self.service.methods_by_name
        batch = next(methods[name] for name, single in self.batches.items() if single == self.native)
        handler: Handler = getattr(self, self.native)
        return Requests(methods[self.native], batch, self._plan, handler, self.batch_handler(batch))

    def _plan(self, rules: bytes, wilds: bytes) -> Plan | None:
        """The plan for rules and wilds as a request writes them, None where they are wrong."""

        def make() -> Plan:
            return self.make_plan(types_pb2.RuleSetSelector.FromString(rules), wilds)

        try:
            return self._rule_sets.planned((self.game, rules, wilds), make)
        except Exception:  # The general path meets it, too, and tells it.
            return None

    def batch_handler(self, method: MethodDescriptor) -> BatchHandler:
        """Return the handler of a method that takes many requests of another."""
        single: Handler = getattr(self, self.batches[method.name])
        return BatchHandler(method, single, self.rule_set, self.paths, self._settings.max_batch_items)

    def rule_set(self, selector: types_pb2.RuleSetSelector) -> RuleSet:
        """Return the rule set of this game that a request selects."""
        return self._rule_sets.select(selector, self.game)


def check_wanted(number: int, most: int, path: str, setting: str) -> None:
    """Check how many answers a request asks for. Raises RequestError (VALUE_OUT_OF_RANGE, TOO_MANY_ITEMS)."""
    if number < 0:
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, f"{number} is below 0", path=path, limit=0)
    if number > most:
        raise RequestError(ErrorReason.TOO_MANY_ITEMS, f"{number} wanted, {setting} is {most}", path=path, limit=most)
