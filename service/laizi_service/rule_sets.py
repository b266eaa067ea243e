"""The rule sets that requests select, and the evaluators compiled from them, kept ready."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, Generic, TypeVar

from google.protobuf import struct_pb2

from laizi import rules
from laizi.errors import ErrorReason, LaiziError, RequestError, RulesError
from laizi.rules import Game, RuleSet
from laizi.v1 import types_pb2

__all__ = ["MOST_NAMED", "Cache", "RuleSets", "plain"]

MOST_NAMED: Final = 8192
"""Bytes of rules and wilds, as requests write them, up to which what they name is kept: all options of a game take half
of it. Beyond, a caller could fill the memory with ways to write the same."""

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class Cache(Generic[_K, _V]):
    """A bounded, thread-safe store; the least recently used entry goes first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[_K, _V] = OrderedDict()
        self._cleared = 0
        self._lock = threading.Lock()

    def get(self, key: _K, make: Callable[[], _V]) -> _V:
        """Return the entry of a key, made when there is none."""
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
                return found
            cleared = self._cleared
        # Outside the lock, so that a slow one does not hold up the others; at worst two threads make the same.
        made = make()
        with self._lock:
            if cleared == self._cleared:  # else it may be made of what is out of force by now
                self._entries[key] = made
                self._entries.move_to_end(key)
                if len(self._entries) > self._size:
                    self._entries.popitem(last=False)
        return made

    def clear(self) -> None:
        """Forget every entry, and those that are being made."""
        with self._lock:
            self._entries.clear()
            self._cleared += 1

    def __len__(self) -> int:
        return len(self._entries)


class RuleSets:
    """Rule sets by what a request says about them, and whatever is compiled from them."""

    def __init__(self, size: int, folder: str = "") -> None:
        """Keep up to ``size`` rule sets, and as many evaluators and plans; read the rule set files of a folder.

        Raises RuleFilesError with every problem of the files.
        """
        self._folder = folder
        self.registry = rules.Registry(self._read())
        self._selected: Cache[tuple[Game | None, bytes], RuleSet] = Cache(size)
        self._compiled: Cache[tuple[str, bytes], Any] = Cache(size)
        self._planned: Cache[Hashable, Any] = Cache(size)

    def reload(self) -> tuple[str, ...]:
        """Put the rule sets of the files, as they are now, in the place of those read before; return their names.

        Raises RulesError (RuleFilesError with every problem of the files), and then everything stays as it was. Calls
        that run keep the rule sets that they have.
        """
        house = self._read()
        self.registry.replace(house)
        self._selected.clear()
        self._compiled.clear()
        self._planned.clear()
        return tuple(sorted(house))

    def _read(self) -> Mapping[str, RuleSet]:
        return rules.load_directory(self._folder) if self._folder else {}

    def select(self, selector: types_pb2.RuleSetSelector, game: Game | None, path: str = "rules") -> RuleSet:
        """Return the rule set that a request selects; ``game`` may be left open for a named one.

        Raises RulesError or RequestError with a path under ``path``: MISSING_FIELD, UNKNOWN_RULE_SET, WRONG_GAME,
        RULE_SET_DIGEST_MISMATCH, and what `laizi.rules.custom` and `RuleSet.with_overrides` raise.
        """
        written = selector.SerializeToString(deterministic=True)
        if len(written) > MOST_NAMED:
            return self._select(selector, game, path)
        return self._selected.get((game, written), lambda: self._select(selector, game, path))

    def compiled(self, rule_set: RuleSet, wilds: bytes, make: Callable[[], _V]) -> _V:
        """Return what ``make`` compiles from a rule set and its wilds in bytes, or has compiled before."""
        if len(wilds) > MOST_NAMED:
            return make()
        made: _V = self._compiled.get((rule_set.edition, wilds), make)
        return made

    def planned(self, written: Hashable, make: Callable[[], _V]) -> _V:
        """Return what ``make`` makes, or has made before, of a rule set and wilds as requests write them in bytes."""
        made: _V = self._planned.get(written, make)
        return made

    def _select(self, selector: types_pb2.RuleSetSelector, game: Game | None, path: str) -> RuleSet:
        try:
            chosen = self._base(selector, game)
            if game not in (None, chosen.game):
                raise RulesError(
                    ErrorReason.WRONG_GAME, f'"{chosen.name}" is a rule set of {chosen.game}, not {game}', path="preset"
                )
            if selector.HasField("overrides"):
                chosen = _under("overrides", lambda: chosen.with_overrides(plain(selector.overrides)))
            if selector.expect_digest and selector.expect_digest != chosen.digest:
                raise RulesError(
                    ErrorReason.RULE_SET_DIGEST_MISMATCH,
                    f"the rule set has the digest {chosen.digest}, not {selector.expect_digest}",
                    path="expect_digest",
                )
        except LaiziError as error:
            raise error.under(path) from None
        return chosen

    def _base(self, selector: types_pb2.RuleSetSelector, game: Game | None) -> RuleSet:
        base = selector.WhichOneof("base")
        if base == "preset":
            return self.registry.load(selector.preset)
        if base == "custom":
            if game is None:
                raise RequestError(ErrorReason.MISSING_FIELD, "custom options need a game", path="custom")
            return _under("custom", lambda: rules.custom(game, plain(selector.custom)))
        raise RequestError(ErrorReason.MISSING_FIELD, "name a preset or give custom options")


def _under(path: str, make: Callable[[], RuleSet]) -> RuleSet:
    try:
        return make()
    except LaiziError as error:
        raise error.under(path) from None


def plain(struct: struct_pb2.Struct) -> Mapping[str, Any]:
    """Return a protobuf Struct as Python's own types.

    json_format does the same and fails on numbers that JSON lacks; here an option's check refuses them by name.
    """
    return {name: _plain(value) for name, value in struct.fields.items()}


def _plain(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return plain(value.struct_value)
    if kind == "list_value":
        return [_plain(item) for item in value.list_value.values]
    return None if kind in (None, "null_value") else getattr(value, kind)
