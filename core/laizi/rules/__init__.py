"""Rule sets: presets, overrides and whole custom rule sets, as data.

    >>> from laizi import rules
    >>> huanle = rules.load("huanle")
    >>> huanle.rules.wild.alone, huanle.sources["wild.alone"]
    ('natural', ('D6-04', 'D6-39'))
    >>> rules.load("huanle", {"wild.alone": "forbidden"}).digest == huanle.digest
    False

A rule set file is TOML; `laizi.rules.files` says what stands in it. The presets are such files.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from laizi.rules import schema
from laizi.rules.doudizhu import DoudizhuRules
from laizi.rules.files import Problem, RuleFilesError, read_directory, read_files
from laizi.rules.mahjong import MahjongRules
from laizi.rules.ruleset import CLASSES, DECISIONS, Game, RuleSet, custom, unknown_rule_set
from laizi.rules.schema import Option

__all__ = [
    "DoudizhuRules",
    "Game",
    "MahjongRules",
    "Option",
    "Problem",
    "Registry",
    "RuleFilesError",
    "RuleSet",
    "check",
    "check_files",
    "citing",
    "custom",
    "decisions",
    "load",
    "load_directory",
    "options",
    "parse",
    "presets",
]


def presets(game: Game | None = None) -> tuple[str, ...]:
    """The names of the presets, all or those of one game, sorted."""
    return tuple(sorted(name for name, preset in _presets().items() if game in (None, preset.game)))


def options(game: Game) -> tuple[Option, ...]:
    """Every option of a game with its meaning, values and default, in the order of the schema."""
    return schema.options(CLASSES[game])


def decisions(game: Game) -> Mapping[str, str]:
    """What a game decides beside its options, each with its meaning: what else ``[sources]`` may name."""
    return DECISIONS[game]


def citing(clause_id: str) -> dict[str, tuple[str, ...]]:
    """The presets that name a clause as a source, each with the options and decisions that it stands behind.

    >>> citing("D6-45")["huanle"]
    ('bomb.order',)
    """
    found = {
        name: tuple(option for option, ids in sorted(preset.sources.items()) if clause_id in ids)
        for name, preset in sorted(_presets().items())
    }
    return {name: names for name, names in found.items() if names}


def load(name: str, overrides: Mapping[str, Any] = MappingProxyType({})) -> RuleSet:
    """A preset, with some options changed. Options are dotted names or nested tables.

    Raises `RulesError`: UNKNOWN_RULE_SET, or what `RuleSet.with_overrides` raises.
    """
    return _find(name, _presets()).with_overrides(overrides)


def parse(text: str, filename: str = "rules") -> RuleSet:
    """The rule set of one file's text, which may extend a preset. Raises `RuleFilesError`."""
    made, problems = read_files({filename: text}, _presets())
    if problems:
        raise RuleFilesError(tuple(problems))
    return next(iter(made.values()))


def check(text: str, filename: str = "rules") -> list[Problem]:
    """Every problem of one rule set file, in no file it extends but a preset; an empty list means a good file.

    >>> print(*check('name = "mine"\\nextends = "huanle"\\n[options]\\nwild.alnoe = "natural"', "mine.toml"))
    mine.toml:4:1: wild.alnoe: unknown option; did you mean "wild.alone"?
    """
    return check_files({filename: text})


def check_files(texts: Mapping[str, str]) -> list[Problem]:
    """Every problem of rule set files (file name → text) that may extend each other and the presets."""
    return read_files(texts, _presets())[1]


def load_directory(path: str | Path) -> dict[str, RuleSet]:
    """The house rule sets of all ``*.toml`` files of a directory, which may extend presets and each other.

    All or nothing: one problem in one file raises `RuleFilesError`, which lists every problem of every file.
    """
    return read_directory(path, _presets())


class Registry:
    """The rule sets that a server knows by name: the presets and its house rule sets.

    Any thread may read it while another replaces the house rule sets: a reader sees all the old ones or all the new.
    """

    def __init__(self, house: Mapping[str, RuleSet] = MappingProxyType({})) -> None:
        self.replace(house)

    def replace(self, house: Mapping[str, RuleSet]) -> None:
        """Puts new house rule sets in the place of the old ones, in one step."""
        self._sets: Mapping[str, RuleSet] = MappingProxyType({**house, **_presets()})

    def names(self, game: Game | None = None) -> tuple[str, ...]:
        """The names of all rule sets or those of one game, sorted."""
        return tuple(sorted(name for name, rule_set in self._sets.items() if game in (None, rule_set.game)))

    def rule_sets(self, game: Game | None = None) -> tuple[RuleSet, ...]:
        """All rule sets or those of one game, sorted by name, as they are at one moment."""
        return tuple(rule_set for _, rule_set in sorted(self._sets.items()) if game in (None, rule_set.game))

    def load(self, name: str, overrides: Mapping[str, Any] = MappingProxyType({})) -> RuleSet:
        """A rule set, with some options changed. Raises what the module's `load` raises."""
        return _find(name, self._sets).with_overrides(overrides)


def _find(name: str, known: Mapping[str, RuleSet]) -> RuleSet:
    if not isinstance(name, str) or name not in known:
        raise unknown_rule_set(name, known, "preset")
    return known[name]


@functools.cache
def _presets() -> Mapping[str, RuleSet]:
    folder = resources.files(__package__) / "presets"
    texts = {
        entry.name: entry.read_text(encoding="utf-8") for entry in folder.iterdir() if entry.name.endswith(".toml")
    }
    made, problems = read_files(texts)
    if problems:
        raise RuleFilesError(tuple(problems))
    return MappingProxyType(made)
