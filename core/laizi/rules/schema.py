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
import re
import reprlib
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from laizi.errors import ErrorReason, RulesError

NOTHING = "none"
"""How a text writes an option without a value."""
OFF = "off"
"""How a text writes a group of options that does not apply."""
ON = "on"
"""How a text writes one that does, its options beside it."""

_Rules = TypeVar("_Rules")
MAX_PROBLEMS = 100
"""Problems listed of one rule set; one more says that there are others."""
_LARGEST = 10**9
_FINEST = 1000
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
# What a text may write for an exact number. Exponents and long numbers are no way to write a factor.
_EXACT = re.compile(r"[0-9]{1,12}(/[0-9]{1,12}|\.[0-9]{1,12})?")


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


def short(value: Any) -> str:
    """A value of unknown size as a message quotes it."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # Python refuses to write out a whole number of thousands of digits
        return "a very large number"


def nearest(word: Any, words: Iterable[str]) -> str:
    """The end of a message about an unknown word: the known one that it is most like, if any."""
    near = difflib.get_close_matches(str(word)[:64], list(words), n=1, cutoff=0.5)
    return f'; did you mean "{near[0]}"?' if near else ""


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
class _Gate:
    name: str
    doc: str


@dataclasses.dataclass(frozen=True, slots=True)
class _Leaf:
    name: str
    hint: Any
    field: dataclasses.Field[Any]
    gates: tuple[_Gate, ...]
    """The groups above the leaf that may be off, outermost first."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Entry:
    """A field of a group: an option, or a group inside the group."""

    field: dataclasses.Field[Any]
    hint: Any
    group: type | None
    may_be_off: bool


@functools.cache
def _entries(cls: type) -> tuple[_Entry, ...]:
    hints = get_type_hints(cls)
    return tuple(_entry(field, hints[field.name]) for field in dataclasses.fields(cls))


def _entry(field: dataclasses.Field[Any], hint: Any) -> _Entry:
    union = get_origin(hint) in (Union, types.UnionType)
    for arm in get_args(hint) if union else (hint,):
        if isinstance(arm, type) and dataclasses.is_dataclass(arm):
            return _Entry(field, hint, arm, may_be_off=union)
    return _Entry(field, hint, None, may_be_off=False)


def _leaves(cls: type, prefix: str = "", gates: tuple[_Gate, ...] = ()) -> Iterator[_Leaf]:
    for entry in _entries(cls):
        name = prefix + entry.field.name
        if entry.group is None:
            yield _Leaf(name, entry.hint, entry.field, gates)
        else:
            gate = (_Gate(name, entry.field.metadata["doc"]),) if entry.may_be_off else ()
            yield from _leaves(entry.group, name + ".", (*gates, *gate))


@functools.cache
def _index(cls: type) -> Mapping[str, _Leaf]:
    return {leaf.name: leaf for leaf in _leaves(cls)}


@functools.cache
def _gates(cls: type) -> frozenset[str]:
    return frozenset(gate.name for leaf in _leaves(cls) for gate in leaf.gates)


def options(cls: type) -> tuple[Option, ...]:
    """All options of a game in the order of their declaration, groups that may be off among them."""
    out: dict[str, Option] = {}
    for leaf in _leaves(cls):
        for gate in leaf.gates:
            out.setdefault(gate.name, Option(gate.name, gate.doc, f"{OFF} | table", OFF))
        values = _describe(leaf.hint, leaf.field)
        out[leaf.name] = Option(leaf.name, leaf.field.metadata["doc"], values, plain(leaf.field.default))
    return tuple(out.values())


def names(cls: type) -> frozenset[str]:
    """The names that may be given a value: every option, and every group that may be off."""
    return frozenset(_index(cls)) | _gates(cls)


def flatten(tree: Mapping[str, Any], cls: type, problems: list[RulesError] | None = None) -> dict[str, Any]:
    """Nested tables (TOML, JSON) or dotted names, or a mix of both, as dotted option names with their raw values.

    A group that may be off is switched on by any option inside it. Raises `RulesError`: UNKNOWN_OPTION with the nearest
    name for a name that is no option, CONTRADICTORY_OPTIONS for an option given twice or inside a group that is
    switched off. Where ``problems`` is given, it collects these errors instead.
    """
    index, gates = _index(cls), _gates(cls)
    out: dict[str, Any] = {}

    def report(reason: ErrorReason, message: str, name: str) -> None:
        error = RulesError(reason, message, path=name)
        if problems is None:
            raise error
        problems.append(error)

    def walk(node: Mapping[str, Any], prefix: str) -> None:
        for key, value in node.items():
            if problems is not None and len(problems) > MAX_PROBLEMS:
                return
            name = f"{prefix}{key}"
            if not isinstance(key, str):
                report(ErrorReason.UNKNOWN_OPTION, f"an option name is text, not {short(key)}", prefix.rstrip("."))
            elif name in out and not (name in gates and isinstance(value, Mapping)):
                report(ErrorReason.CONTRADICTORY_OPTIONS, "given twice", name)
            elif name in index or (name in gates and not isinstance(value, Mapping)):
                out[name] = value
            elif isinstance(value, Mapping) and any(other.startswith(name + ".") for other in index):
                if name in gates and out.setdefault(name, ON) == OFF:
                    report(ErrorReason.CONTRADICTORY_OPTIONS, f"both a table and {OFF}", name)
                walk(value, name + ".")
            else:
                # A path travels in the trailers of a call, which are small; no option has so long a name.
                path = name if len(name) <= 64 else f"{name[:64]}…"
                report(ErrorReason.UNKNOWN_OPTION, f"unknown option{nearest(name, names(cls))}", path)

    if not isinstance(tree, Mapping):
        report(ErrorReason.WRONG_OPTION_TYPE, f"expected a table of options, got {short(tree)}", "")
        return {}
    walk(tree, "")
    for name in [name for name in out if name in index]:
        for gate in index[name].gates:
            if out.setdefault(gate.name, ON) == OFF:
                report(ErrorReason.CONTRADICTORY_OPTIONS, f'"{gate.name}" is {OFF} and cannot have this option', name)
    return out


def parse(flat: Mapping[str, Any], cls: type, problems: list[RulesError] | None = None) -> dict[str, Any]:
    """The values that raw values of options stand for; that of a group is whether it is on.

    Raises `RulesError` (WRONG_OPTION_TYPE, BAD_OPTION_VALUE) naming the option; where ``problems`` is given, it
    collects these errors instead and the options at fault are left out. ``flat`` is what `flatten` gives.
    """
    index = _index(cls)
    out: dict[str, Any] = {}
    for name, value in flat.items():
        try:
            if name in index:
                out[name] = _parse(value, index[name])
            elif value in (OFF, ON):
                out[name] = value == ON
            else:
                raise RulesError(
                    ErrorReason.WRONG_OPTION_TYPE, f'expected "{OFF}" or a table, got {short(value)}', path=name
                )
        except RulesError as error:
            if problems is None:
                raise
            problems.append(error)
    return out


def build(cls: type[_Rules], flat: Mapping[str, Any]) -> _Rules:
    """The rules that the options say, the others at their defaults.

    Raises what `parse` raises, and `RulesError` (CONTRADICTORY_OPTIONS) where the options do not go together.
    """
    parsed = parse(flat, cls)

    def make(node: type, prefix: str) -> Any:
        values = {}
        for entry in _entries(node):
            name = prefix + entry.field.name
            if entry.group is None:
                if name in parsed:
                    values[entry.field.name] = parsed[name]
            elif entry.may_be_off and not parsed.get(name, False):
                values[entry.field.name] = None
            else:
                values[entry.field.name] = make(entry.group, name + ".")
        return node(**values)

    rules: _Rules = make(cls, "")
    return rules


def dump(rules: object) -> dict[str, Any]:
    """Every option of the rules by its dotted name, in plain form; a group that is off is one entry "off".

    Feeding the result to `build` gives equal rules.
    """
    out: dict[str, Any] = {}

    def walk(node: object, prefix: str) -> None:
        for entry in _entries(type(node)):  # type: ignore[arg-type]  # mypy does not see that a class is hashable
            value, name = getattr(node, entry.field.name), prefix + entry.field.name
            if entry.may_be_off:
                out[name] = OFF if value is None else ON
            if entry.group is None:
                out[name] = plain(value)
            elif value is not None:
                walk(value, name + ".")

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
        return RulesError(ErrorReason.WRONG_OPTION_TYPE, f"expected {expected}, got {short(value)}", path=leaf.name)

    def one(item: Any, hint: Any) -> Any:
        origin, args = get_origin(hint), get_args(hint)
        if origin in (Union, types.UnionType):
            if item is None or item == NOTHING:
                return None
            return one(item, next(arm for arm in args if arm is not type(None)))
        if origin is Literal:
            if not isinstance(item, str) or item not in args:
                raise RulesError(
                    ErrorReason.BAD_OPTION_VALUE if isinstance(item, str) else ErrorReason.WRONG_OPTION_TYPE,
                    f"expected {' | '.join(args)}, got {short(item)}{nearest(item, args)}",
                    path=leaf.name,
                )
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


def _number(item: Any, hint: Any, leaf: _Leaf, wrong: Callable[[str], RulesError]) -> int | Fraction:
    low, high = leaf.field.metadata["low"], leaf.field.metadata["high"]
    if hint is Fraction:
        low, high = (0 if low is None else low), (_LARGEST if high is None else high)
    if isinstance(item, bool) or not isinstance(item, int | float | str | Fraction):
        raise wrong(_describe(hint, leaf.field))
    if isinstance(item, str) and not _EXACT.fullmatch(item):
        raise wrong(_describe(hint, leaf.field))
    try:
        # A float is taken as the decimal that was written: 1.5 is 3/2, 0.1 is 1/10.
        number = Fraction(repr(item) if isinstance(item, float) else item)
    except (ValueError, ZeroDivisionError):
        raise wrong(_describe(hint, leaf.field)) from None
    if hint is int and number.denominator != 1:
        raise wrong("a whole number")
    if (low is not None and number < low) or (high is not None and number > high):
        raise RulesError(ErrorReason.BAD_OPTION_VALUE, f"{short(item)} is outside {low} to {high}", path=leaf.name)
    if number.denominator > _FINEST:
        raise RulesError(ErrorReason.BAD_OPTION_VALUE, f"{short(item)} is finer than 1/{_FINEST}", path=leaf.name)
    return int(number) if hint is int else number
