"""Rule sets: presets, overrides and whole custom rule sets, as data.

    >>> from laizi import rules
    >>> huanle = rules.load("huanle")
    >>> huanle.rules.wild.alone, huanle.sources["wild.alone"]
    ('natural', ('D6-04',))
    >>> rules.load("huanle", {"wild.alone": "forbidden"}).digest == huanle.digest
    False

A rule set file is TOML: ``name``, ``game``, ``title``, an optional ``extends`` (a rule set that it starts from),
``[options]`` and ``[sources]``. A source names the clauses of the rulebook behind an option (``wild.alone``) or
behind a decision that is no option (``type.single``, ``compare.bomb``).
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Any, Literal

from laizi.errors import ErrorReason, RulesError
from laizi.rules import schema
from laizi.rules.doudizhu import DoudizhuRules
from laizi.rules.mahjong import MahjongRules
from laizi.rules.schema import Option

__all__ = [
    "DoudizhuRules",
    "Game",
    "MahjongRules",
    "Option",
    "RuleSet",
    "custom",
    "load",
    "options",
    "parse",
    "presets",
]

Game = Literal["doudizhu", "mahjong"]
_CLASSES: Mapping[Game, type[DoudizhuRules] | type[MahjongRules]] = {"doudizhu": DoudizhuRules, "mahjong": MahjongRules}


@dataclass(frozen=True)
class RuleSet:
    """Checked rules of one game with their name and sources. Equal digests mean equal options."""

    name: str
    """The preset's or file's name; overrides leave it unchanged and change the digest."""
    game: Game
    title: Mapping[str, str]
    """What people call it, by language: ``en`` and ``zh``."""
    rules: DoudizhuRules | MahjongRules
    sources: Mapping[str, tuple[str, ...]]
    """Option or decision → ids of the rulebook's clauses."""

    @functools.cached_property
    def digest(self) -> str:
        """16 hex digits over the game and every option's value: pins a rule set across services and versions."""
        text = json.dumps(
            [self.game, schema.dump(self.rules)], sort_keys=True, ensure_ascii=True, separators=(",", ":")
        )
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def options(self) -> dict[str, Any]:
        """Every option's value in plain form by its dotted name; feeding it to `custom` gives an equal rule set."""
        return schema.dump(self.rules)

    def with_overrides(self, overrides: Mapping[str, Any]) -> RuleSet:
        """The same rule set with some options changed; an overridden option keeps no source.

        Raises `RulesError` naming the option: UNKNOWN_OPTION, WRONG_OPTION_TYPE, BAD_OPTION_VALUE or
        CONTRADICTORY_OPTIONS.
        """
        if not overrides:
            return self
        flat = schema.flatten(overrides, type(self.rules))
        rules = schema.build(type(self.rules), self.options() | flat)
        kept = {name: ids for name, ids in self.sources.items() if name not in flat}
        return RuleSet(self.name, self.game, self.title, rules, MappingProxyType(kept))


def presets(game: Game | None = None) -> tuple[str, ...]:
    """The names of the presets, all or those of one game, sorted."""
    return tuple(sorted(name for name, (of, _) in _preset_texts().items() if game in (None, of)))


def options(game: Game) -> tuple[Option, ...]:
    """Every option of a game with its meaning, values and default, in the order of the schema."""
    return schema.options(_CLASSES[game])


def load(name: str, overrides: Mapping[str, Any] = MappingProxyType({})) -> RuleSet:
    """A preset, with some options changed. Options are dotted names or nested tables.

    Raises `RulesError`: UNKNOWN_RULE_SET, or what `RuleSet.with_overrides` raises.
    """
    return _preset(name).with_overrides(overrides)


def custom(game: Game, values: Mapping[str, Any], name: str = "custom") -> RuleSet:
    """A rule set from options alone; what they leave out has the schema's default."""
    if not isinstance(game, str) or game not in _CLASSES:
        raise RulesError(
            ErrorReason.UNKNOWN_RULE_SET, f"unknown game {game!r}; there are {', '.join(_CLASSES)}", path="game"
        )
    cls = _CLASSES[game]
    rules = schema.build(cls, schema.flatten(values, cls))
    return RuleSet(name, game, MappingProxyType({"en": name, "zh": name}), rules, MappingProxyType({}))


def parse(text: str) -> RuleSet:
    """A rule set from the text of a TOML file. Raises `RulesError`."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesError(ErrorReason.MALFORMED_RULES, f"not TOML: {error}", path="") from None
    unknown = sorted(document.keys() - {"name", "game", "title", "extends", "options", "sources"})
    if unknown:
        raise RulesError(ErrorReason.UNKNOWN_OPTION, f'"{unknown[0]}" is no part of a rule set', path=unknown[0])
    name = document.get("name")
    if not isinstance(name, str) or not name.isidentifier() or len(name) > 64:
        raise RulesError(ErrorReason.WRONG_OPTION_TYPE, "a word of letters, digits and _, at most 64 long", path="name")
    values, sources, title = (document.get(key, {}) for key in ("options", "sources", "title"))
    for key, table in (("options", values), ("sources", sources), ("title", title)):
        if not isinstance(table, dict):
            raise RulesError(ErrorReason.WRONG_OPTION_TYPE, "expected a table", path=key)
    if not all(isinstance(line, str) for line in title.values()):
        raise RulesError(ErrorReason.WRONG_OPTION_TYPE, "expected language = text", path="title")
    if "extends" in document:
        base = _preset(document["extends"])
        if document.get("game", base.game) != base.game:
            raise RulesError(
                ErrorReason.CONTRADICTORY_OPTIONS, f'"{base.name}" is a rule set of {base.game}', path="game"
            )
        made = base.with_overrides(values)
    elif "game" in document:
        made = custom(document["game"], values, name)
    else:
        raise RulesError(ErrorReason.WRONG_OPTION_TYPE, "expected doudizhu or mahjong", path="game")
    titles = {"en": name, "zh": name, **title}
    return RuleSet(
        name, made.game, MappingProxyType(titles), made.rules, MappingProxyType({**made.sources, **_sources(sources)})
    )


def _sources(table: Mapping[str, Any], prefix: str = "") -> dict[str, tuple[str, ...]]:
    out: dict[str, tuple[str, ...]] = {}
    for key, value in table.items():
        name = prefix + key
        if isinstance(value, dict):
            out |= _sources(value, name + ".")
        elif isinstance(value, list) and value and all(isinstance(clause, str) for clause in value):
            out[name] = tuple(value)
        else:
            raise RulesError(ErrorReason.WRONG_OPTION_TYPE, "expected a list of clause ids", path=f"sources.{name}")
    return out


@functools.cache
def _preset_texts() -> Mapping[str, tuple[Game, str]]:
    """Preset name → its game and text. The game stands in the file or in the one that it extends."""
    texts = {
        entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8")
        for entry in (resources.files(__package__) / "presets").iterdir()
        if entry.name.endswith(".toml")
    }
    documents = {name: tomllib.loads(text) for name, text in texts.items()}

    def game(name: str) -> Game:
        document = documents[name]
        found: Game = document["game"] if "game" in document else game(document["extends"])
        return found

    return {name: (game(name), text) for name, text in texts.items()}


@functools.cache
def _preset(name: str) -> RuleSet:
    texts = _preset_texts()
    if not isinstance(name, str) or name not in texts:
        near = difflib.get_close_matches(str(name), texts, n=1)
        hint = f'; did you mean "{near[0]}"?' if near else f"; there are {', '.join(sorted(texts))}"
        raise RulesError(ErrorReason.UNKNOWN_RULE_SET, f'unknown rule set "{name}"{hint}', path="preset")
    return parse(texts[name][1])
