"""What an option is, and the way between options and rule dataclasses.

A rule set is a tree of frozen dataclasses whose leaves are the options of one game. The leaf ``rules.wild.alone`` is
the option ``wild.alone``: the tree is the schema, and everything that a person is told about an option (its meaning,
its values, its default) stands where the leaf is declared, by `option`.

A whole group may be absent (``show``, ``hu.types.menqing``): such a leaf has the type ``Group | None`` and is written
"off". A leaf that may be empty is written "none", because TOML has no null.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import types
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from laizi.errors import ErrorReason, RulesError

NOTHING = "none"
"""How a text writes an option without a value."""
OFF = "off"
"""How a text writes a group of options that does not apply."""

_Rules = TypeVar("_Rules")


def option(default: Any, doc: str, *, low: int | None = None, high: int | None = None, of: str = "") -> Any:
    """Declares an option: its default, what it means in one sentence, and the range of a number.

    ``of`` names what a free text stands for: "tile", "rank" or "ranks" are checked by the game's own validation.
    """
    return dataclasses.field(default=default, metadata={"doc": doc, "low": low, "high": high, "of": of})


def group(default: Any, doc: str = "") -> Any:
    """Declares a group of options; ``default`` is the group's class, or None for one that is off."""
    if default is None:
        return dataclasses.field(default=None, metadata={"doc": doc})
    return dataclasses.field(default_factory=default, metadata={"doc": doc})


def require(holds: bool, name: str, message: str) -> None:
    """Raises `RulesError` (CONTRADICTORY_OPTIONS) at the option ``name`` unless ``holds``."""
    if not holds:
        raise RulesError(ErrorReason.CONTRADICTORY_OPTIONS, message, path=name)


@dataclasses.dataclass(frozen=True, slots=True)
class Option:
    """One option of a game as a person meets it."""

    name: str
    """Dotted name, e.g. ``wild.alone``."""
    doc: str
    """One sentence: what the option decides."""
    values: str
    """The values that it takes, in words."""
    default: Any
    """Its default in plain form (see `plain`)."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Leaf:
    name: str
    hint: Any
    field: dataclasses.Field[Any]
    gates: tuple[tuple[str, type], ...]
    """The optional groups above the leaf, outermost first: (name, class)."""


def _optional_group(hint: Any) -> type | None:
    """The class C if hint is ``C | None`` with a dataclass C."""
    if get_origin(hint) in (Union, types.UnionType):
        for arm in get_args(hint):
            if dataclasses.is_dataclass(arm):
                return arm  # type: ignore[return-value]  # the check proves a class, the stubs also allow an instance
    return None


@functools.cache
def _fields(cls: type) -> tuple[tuple[dataclasses.Field[Any], Any], ...]:
    hints = get_type_hints(cls)
    return tuple((field, hints[field.name]) for field in dataclasses.fields(cls))


def _leaves(cls: type, prefix: str = "", gates: tuple[tuple[str, type], ...] = ()) -> Iterator[_Leaf]:
    for field, hint in _fields(cls):
        name = prefix + field.name
        inner = _optional_group(hint)
        if inner is not None:
            yield from _leaves(inner, name + ".", (*gates, (name, inner)))
        elif dataclasses.is_dataclass(hint):
            yield from _leaves(hint, name + ".", gates)  # type: ignore[arg-type]  # as in _optional_group
        else:
            yield _Leaf(name, hint, field, gates)


@functools.cache
def _index(cls: type) -> Mapping[str, _Leaf]:
    return {leaf.name: leaf for leaf in _leaves(cls)}


@functools.cache
def _gates(cls: type) -> frozenset[str]:
    return frozenset(name for leaf in _index(cls).values() for name, _ in leaf.gates)


def options(cls: type) -> tuple[Option, ...]:
    """All options of a game in the order of their declaration."""
    return tuple(
        Option(leaf.name, leaf.field.metadata["doc"], _describe(leaf.hint, leaf.field), plain(leaf.field.default))
        for leaf in _leaves(cls)
    )


def names(cls: type) -> frozenset[str]:
    """The names that may be given a value: every option, and every group that may be off."""
    return frozenset(_index(cls)) | _gates(cls)


def flatten(tree: Mapping[str, Any], cls: type) -> dict[str, Any]:
    """Nested tables (TOML, JSON) or dotted names, or a mix of both, as dotted option names with their raw values.

    Raises `RulesError` (UNKNOWN_OPTION) with the nearest name for a name that is no option.
    """
    index, gates, out = _index(cls), _gates(cls), {}

    def walk(node: Mapping[str, Any], prefix: str) -> None:
        for key, value in node.items():
            if not isinstance(key, str):
                raise RulesError(
                    ErrorReason.UNKNOWN_OPTION, f"an option name is text, not {key!r}", path=prefix.rstrip(".")
                )
            name = prefix + key
            if name in index or (name in gates and not isinstance(value, Mapping)):
                out[name] = value
            elif isinstance(value, Mapping) and any(other.startswith(name + ".") for other in index):
                if name in gates:
                    out.setdefault(name, "on")
                walk(value, name + ".")
            else:
                near = difflib.get_close_matches(name, [*index, *gates], n=1, cutoff=0.5)
                hint = f'; did you mean "{near[0]}"?' if near else ""
                raise RulesError(ErrorReason.UNKNOWN_OPTION, f'unknown option "{name}"{hint}', path=name)

    walk(tree, "")
    return out


def build(cls: type[_Rules], flat: Mapping[str, Any]) -> _Rules:
    """The rules that the options say, the others at their defaults.

    Raises `RulesError` (WRONG_OPTION_TYPE, BAD_OPTION_VALUE) naming the option. ``flat`` is what `flatten` gives.
    """
    index = _index(cls)  # type: ignore[arg-type]  # mypy does not see that a class is hashable
    parsed = {name: _parse(value, index[name]) for name, value in flat.items() if name in index}
    switches = {}
    for name in _gates(cls) & flat.keys():  # type: ignore[arg-type]  # as above
        if flat[name] not in (OFF, "on"):
            raise RulesError(ErrorReason.WRONG_OPTION_TYPE, f'expected "off" or a table, got {flat[name]!r}', path=name)
        switches[name] = flat[name] == "on"

    def make(node: type, prefix: str) -> Any:
        values = {}
        for field, hint in _fields(node):
            name = prefix + field.name
            inner = _optional_group(hint)
            if inner is not None:
                touched = any(other.startswith(name + ".") for other in parsed)
                if switches.get(name, touched or field.default is not None):
                    values[field.name] = make(inner, name + ".")
                else:
                    values[field.name] = None
            elif dataclasses.is_dataclass(hint):
                values[field.name] = make(hint, name + ".")  # type: ignore[arg-type]  # as in _optional_group
            elif name in parsed:
                values[field.name] = parsed[name]
        return node(**values)

    rules: _Rules = make(cls, "")
    return rules


def dump(rules: object) -> dict[str, Any]:
    """Every option of the rules by its dotted name, in plain form; a group that is off is one entry "off".

    Feeding the result to `build` gives equal rules.
    """
    out: dict[str, Any] = {}

    def walk(node: object, prefix: str) -> None:
        for field, hint in _fields(type(node)):  # type: ignore[arg-type]  # as in build
            value, name = getattr(node, field.name), prefix + field.name
            if _optional_group(hint) is not None:
                out[name] = OFF if value is None else "on"
                if value is not None:
                    walk(value, name + ".")
            elif dataclasses.is_dataclass(value):
                walk(value, name + ".")
            else:
                out[name] = plain(value)

    walk(rules, "")
    return out


def plain(value: Any) -> Any:
    """A value in the form in which TOML and JSON write it: fractions as "3/2", sets sorted, pairs as tables."""
    if value is None:
        return NOTHING
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
    if isinstance(value, frozenset):
        return sorted(plain(item) for item in value)
    if isinstance(value, Pairs):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


class Pairs(tuple[tuple[Any, Any], ...]):
    """A small immutable, hashable table: pairs sorted by key."""

    __slots__ = ()

    def items(self) -> Iterator[tuple[Any, Any]]:
        return iter(self)

    def get(self, key: Any, default: Any = None) -> Any:
        return next((value for name, value in self if name == key), default)


def _describe(hint: Any, field: dataclasses.Field[Any]) -> str:
    low, high, of = field.metadata["low"], field.metadata["high"], field.metadata["of"]
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        rest = next(arm for arm in args if arm is not type(None))
        return f"{_describe(rest, field)}, or {NOTHING}"
    if origin is Literal:
        return " | ".join(str(arm) for arm in args)
    if origin is frozenset:
        return f"set of {_describe(args[0], field)}"
    if hint is Pairs:
        return of or "table"
    if origin is tuple:
        return f"list of {_describe(args[0], field)}"
    if hint is bool:
        return "true | false"
    if hint is Fraction:
        return 'exact number: 2, 1.5 or "3/2"'
    if hint is int:
        return "whole number" + (f" {low}–{high}" if low is not None and high is not None else "")
    return of or "text"


def _parse(value: Any, leaf: _Leaf) -> Any:
    def wrong(expected: str) -> RulesError:
        return RulesError(ErrorReason.WRONG_OPTION_TYPE, f"expected {expected}, got {value!r}", path=leaf.name)

    def one(item: Any, hint: Any) -> Any:
        origin, args = get_origin(hint), get_args(hint)
        if origin in (Union, types.UnionType):
            if item is None or item == NOTHING:
                return None
            return one(item, next(arm for arm in args if arm is not type(None)))
        if origin is Literal:
            if not isinstance(item, str) or item not in args:
                near = difflib.get_close_matches(str(item), [str(arm) for arm in args], n=1)
                raise wrong(" | ".join(map(str, args)) + (f' (did you mean "{near[0]}"?)' if near else ""))
            return item
        if origin is frozenset or (origin is tuple and hint is not Pairs):
            if item == NOTHING:
                item = []
            if not isinstance(item, list | tuple | set | frozenset):
                raise wrong(_describe(hint, leaf.field))
            made = [one(entry, args[0]) for entry in item]
            if len(set(made)) != len(made):
                raise wrong("no entry twice")
            return origin(made)
        if hint is Pairs:
            if item == NOTHING:
                item = {}
            if not isinstance(item, Mapping):
                raise wrong(_describe(hint, leaf.field))
            values = leaf.field.metadata["of"].endswith("factor")
            return Pairs(sorted((str(key), one(entry, Fraction if values else str)) for key, entry in item.items()))
        if hint is bool:
            if not isinstance(item, bool):
                raise wrong("true or false")
            return item
        if hint is int or hint is Fraction:
            return _number(item, hint, leaf, wrong)
        if not isinstance(item, str):
            raise wrong(_describe(hint, leaf.field))
        return item

    return one(value, leaf.hint)


def _number(item: Any, hint: Any, leaf: _Leaf, wrong: Any) -> int | Fraction:
    if isinstance(item, bool) or not isinstance(item, int | float | str | Fraction):
        raise wrong(_describe(hint, leaf.field))
    try:
        # A float is taken as the decimal that was written: 1.5 is 3/2, 0.1 is 1/10.
        number = Fraction(repr(item) if isinstance(item, float) else item)
    except (ValueError, ZeroDivisionError):
        raise wrong(_describe(hint, leaf.field)) from None
    if hint is int and number.denominator != 1:
        raise wrong("a whole number")
    low, high = leaf.field.metadata["low"], leaf.field.metadata["high"]
    if hint is Fraction:
        low, high = (0 if low is None else low), (10**9 if high is None else high)
    if (low is not None and number < low) or (high is not None and number > high):
        raise RulesError(ErrorReason.BAD_OPTION_VALUE, f"{plain(number)} is outside {low} to {high}", path=leaf.name)
    return int(number) if hint is int else number
