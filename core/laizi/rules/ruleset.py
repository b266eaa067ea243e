"""A rule set: checked options of one game, with a name, a digest and the clauses behind them."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from laizi.errors import ErrorReason, RulesError
from laizi.rules import decisions, schema
from laizi.rules.doudizhu import DoudizhuRules
from laizi.rules.mahjong import MahjongRules

Game = Literal["doudizhu", "mahjong"]
CLASSES: Mapping[Game, type[DoudizhuRules] | type[MahjongRules]] = {"doudizhu": DoudizhuRules, "mahjong": MahjongRules}
DECISIONS: Mapping[Game, Mapping[str, str]] = {"doudizhu": decisions.DOUDIZHU, "mahjong": decisions.MAHJONG}


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
    """Option or decision → ids of the clauses behind it."""
    clauses: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Clauses of its own, which the rulebook does not have: id → statement."""

    @functools.cached_property
    def digest(self) -> str:
        """16 hex digits over the game and every option's value: pins a rule set across services and versions."""
        text = json.dumps(
            [self.game, schema.dump(self.rules)], sort_keys=True, ensure_ascii=True, separators=(",", ":")
        )
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @functools.cached_property
    def edition(self) -> str:
        """16 hex digits over name, digest and sources: equal where answers say the same about the rules too."""
        sources = sorted((name, list(ids)) for name, ids in self.sources.items())
        text = json.dumps([self.name, self.digest, sources], ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def options(self) -> dict[str, Any]:
        """Every option's value in plain form by its dotted name; feeding it to `custom` gives an equal rule set."""
        return schema.dump(self.rules)

    def cite(self, *names: str) -> tuple[str, ...]:
        """The ids of the clauses behind options or decisions, each once, in the order of the names.

        >>> from laizi import rules
        >>> rules.load("huanle").cite("wild.alone", "type.bomb.soft", "wild.alone")
        ('D6-04', 'D6-39', 'D6-40')
        """
        return tuple(dict.fromkeys(clause for name in names for clause in self.sources.get(name, ())))

    def with_overrides(self, overrides: Mapping[str, Any]) -> RuleSet:
        """The same rule set with some options changed; an option whose value changes keeps no source.

        Raises `RulesError` naming the option: UNKNOWN_OPTION, WRONG_OPTION_TYPE, BAD_OPTION_VALUE or
        CONTRADICTORY_OPTIONS.
        """
        if not overrides and isinstance(overrides, Mapping):
            return self
        cls, before = type(self.rules), self.options()
        rules = schema.build(cls, before | schema.flatten(overrides, cls))
        after = schema.dump(rules)
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        kept = {name: ids for name, ids in self.sources.items() if name not in changed}
        return RuleSet(self.name, self.game, self.title, rules, MappingProxyType(kept), self.clauses)


def custom(game: Game, values: Mapping[str, Any], name: str = "custom") -> RuleSet:
    """A rule set from options alone; what they leave out has the schema's default. Raises `RulesError`."""
    if not isinstance(game, str) or game not in CLASSES:
        raise unknown_game(game)
    cls = CLASSES[game]
    rules = schema.build(cls, schema.flatten(values, cls))
    return RuleSet(name, game, MappingProxyType({"en": name, "zh": name}), rules, MappingProxyType({}))


def unknown_game(game: object) -> RulesError:
    """The error of a game that is none."""
    message = f"unknown game {schema.short(game)}; there are {', '.join(CLASSES)}"
    return RulesError(ErrorReason.UNKNOWN_RULE_SET, message, path="game")


def unknown_rule_set(name: object, known: Mapping[str, RuleSet], path: str) -> RulesError:
    """The error of a rule set that is not known, with the nearest name."""
    hint = schema.nearest(name, known) or f"; there are {', '.join(sorted(known))}"
    return RulesError(ErrorReason.UNKNOWN_RULE_SET, f"unknown rule set {schema.short(name)}{hint}", path=path)
