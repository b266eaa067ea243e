"""Rule set files: TOML texts that are read together, with every problem in them and where it stands.

A file has ``name``, ``game`` or ``extends`` (a preset, or another file's rule set, that it starts from), ``title``,
``[options]``, ``[sources]`` (option, group of options or decision → clause ids) and ``[clauses]`` (clauses of its own,
id → statement). Every option that a file changes needs a source.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from laizi.clauses import rulebook
from laizi.errors import ErrorReason, RulesError
from laizi.rules import schema
from laizi.rules.locate import locate
from laizi.rules.ruleset import CLASSES, DECISIONS, Game, RuleSet, unknown_game, unknown_rule_set
from laizi.rules.schema import MAX_PROBLEMS

MAX_FILES = 1000
MAX_BYTES = 256 * 1024

_PARTS = ("name", "game", "extends", "title", "options", "sources", "clauses")
# A key of so many parts is no option, and the time to read it grows with the square of their number.
_DEEP_KEY = re.compile(r"""(?<![\w"'.-])(?:[\w"'-]++\s*+\.\s*+){32}""")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_CLAUSE_ID = re.compile(r"[A-Z][A-Z0-9]{0,15}-[0-9]{2,4}")
_AT = re.compile(r" \(at line (\d+), column (\d+)\)$| \(at end of document\)$")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a rule set file."""

    file: str
    line: int
    """From 1."""
    column: int
    """From 1, in characters."""
    option: str
    """Where in the file's tables: an option such as ``wild.alone``, ``sources.wild.alone``, ``extends``."""
    reason: ErrorReason
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}"
        return f"{where}: {self.option}: {self.message}" if self.option else f"{where}: {self.message}"


class RuleFilesError(RulesError):
    """Rule set files have problems. ``problems`` lists them all; reason and path are those of the first."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(first.reason, f"{first}{more}", path=first.option)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))

    def __reduce__(self) -> tuple[object, ...]:
        return RuleFilesError, (self.problems,)


def read_files(
    texts: Mapping[str, str], known: Mapping[str, RuleSet] = MappingProxyType({})
) -> tuple[dict[str, RuleSet], list[Problem]]:
    """The rule sets of files, which may extend each other and the ``known`` ones, and every problem in them.

    ``texts`` maps file names to contents. A rule set with a problem is left out, as are those that extend it.
    """
    documents = [_Document(file, text, known) for file, text in texts.items()]
    by_name: dict[str, _Document] = {}
    for document in documents:
        other = by_name.setdefault(document.name, document) if document.name else document
        if other is not document:
            document.report(ErrorReason.CONTRADICTORY_OPTIONS, f"{other.file} has the same name", "name")
    made: dict[str, RuleSet] = {}
    waiting = list(by_name.values())
    while waiting:
        ready = [document for document in waiting if document.extends not in by_name or document.extends in made]
        for document in ready:
            rule_set = document.build({**known, **made})
            if rule_set:
                made[document.name] = rule_set
        waiting = [document for document in waiting if document not in ready]
        if not ready:
            for document in waiting:
                if _in_circle(document, by_name):
                    document.report(ErrorReason.CONTRADICTORY_OPTIONS, "the file extends itself", "extends")
            break
    return made, [problem for document in documents for problem in document.problems]


def read_directory(path: str | Path, known: Mapping[str, RuleSet]) -> dict[str, RuleSet]:
    """The rule sets of all ``*.toml`` files of a directory: all of them, or `RuleFilesError` with every problem."""
    directory = Path(path)
    if not directory.is_dir():
        raise RulesError(ErrorReason.MALFORMED_RULES, f"{directory} is no directory", path="")
    files = sorted(directory.glob("*.toml"))
    if len(files) > MAX_FILES:
        message = f"{directory} has {len(files)} rule set files, at most {MAX_FILES} are read"
        raise RulesError(ErrorReason.TOO_MANY_ITEMS, message, limit=MAX_FILES)
    texts: dict[str, str] = {}
    unreadable: list[Problem] = []
    for file in files:
        try:
            data = file.read_bytes()
            texts[str(file)] = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            column = error.start - data.rfind(b"\n", 0, error.start)
            unreadable.append(Problem(str(file), line, column, "", ErrorReason.MALFORMED_RULES, "not UTF-8"))
        except OSError as error:
            reason = error.strerror or "cannot be read"
            unreadable.append(Problem(str(file), 1, 1, "", ErrorReason.MALFORMED_RULES, reason))
    made, problems = read_files(texts, known)
    if unreadable or problems:
        raise RuleFilesError((*unreadable, *problems))
    return made


def _in_circle(document: _Document, by_name: Mapping[str, _Document]) -> bool:
    at = by_name.get(document.extends)
    for _ in by_name:
        if at is None or at is document:
            break
        at = by_name.get(at.extends)
    return at is document


class _Document:
    """One file: what it says, and what is wrong with it."""

    def __init__(self, file: str, text: str, known: Mapping[str, RuleSet]) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.name = self.extends = ""
        self._text = text
        self._tables: dict[str, Any] = {}
        self._places: dict[str, tuple[int, int]] | None = None
        if len(text.encode(errors="replace")) > MAX_BYTES:
            self.report(ErrorReason.MALFORMED_RULES, f"a rule set file has at most {MAX_BYTES} bytes", "")
            return
        deep = _DEEP_KEY.search(text)
        if deep:
            line, column = text.count("\n", 0, deep.start()) + 1, deep.start() - text.rfind("\n", 0, deep.start())
            message = "a key has at most 32 parts"
            self.problems.append(Problem(file, line, column, "", ErrorReason.MALFORMED_RULES, message))
            return
        try:
            self._tables = tomllib.loads(text)
        except RecursionError:
            self.report(ErrorReason.MALFORMED_RULES, "not TOML: nested too deeply", "")
        except ValueError as error:  # also what is no TOMLDecodeError: a number of thousands of digits
            self._syntax(str(error))
        else:
            self._heading(known)

    def report(self, reason: ErrorReason, message: str, option: str, key: str | None = None) -> None:
        """Adds a problem at the place of ``key`` (by default ``option``), or of the table nearest to it."""
        if len(self.problems) >= MAX_PROBLEMS:
            if len(self.problems) == MAX_PROBLEMS:
                more = f"more problems than the {MAX_PROBLEMS} that are listed"
                self.problems.append(Problem(self.file, 1, 1, "", ErrorReason.TOO_MANY_ITEMS, more))
            return
        if self._places is None:
            try:
                self._places = locate(self._text) if self._tables else {}
            except RecursionError:
                self._places = {}
        at = key if key is not None else option
        while at and at not in self._places:
            at = at.rpartition(".")[0]
        line, column = self._places.get(at, (1, 1))
        self.problems.append(Problem(self.file, line, column, option, reason, message))

    def _syntax(self, message: str) -> None:
        place = _AT.search(message)
        if place is None:
            line, column = 1, 1
        elif place[1]:
            line, column = int(place[1]), int(place[2])
        else:  # the reader stopped at the end of the text
            line, column = self._text.count("\n") + 1, len(self._text) - self._text.rfind("\n")
        message = f"not TOML: {_AT.sub('', message)}"
        self.problems.append(Problem(self.file, line, column, "", ErrorReason.MALFORMED_RULES, message))

    def _heading(self, known: Mapping[str, RuleSet]) -> None:
        for key in sorted(self._tables.keys() - set(_PARTS))[: MAX_PROBLEMS + 1]:
            message = f'"{key}" is no part of a rule set{schema.nearest(key, _PARTS)}'
            self.report(ErrorReason.UNKNOWN_OPTION, message, key)
        name = self._tables.get("name")
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            message = "expected a name of letters, digits and _, at most 64 long"
            self.report(ErrorReason.WRONG_OPTION_TYPE, message, "name")
        elif name in known:
            self.report(ErrorReason.CONTRADICTORY_OPTIONS, f'"{name}" is the name of another rule set', "name")
        else:
            self.name = name
        extends = self._tables.get("extends", "")
        if not isinstance(extends, str) or ("extends" in self._tables and not extends):
            self.report(ErrorReason.WRONG_OPTION_TYPE, "expected the name of a rule set", "extends")
        else:
            self.extends = extends
        for key in ("title", "options", "sources", "clauses"):
            if not isinstance(self._tables.get(key, {}), dict):
                self.report(ErrorReason.WRONG_OPTION_TYPE, "expected a table", key)
        if not all(isinstance(line, str) for line in self._table("title").values()):
            self.report(ErrorReason.WRONG_OPTION_TYPE, "expected language = text", "title")

    def _table(self, key: str) -> dict[str, Any]:
        table = self._tables.get(key, {})
        return table if isinstance(table, dict) else {}

    def build(self, known: Mapping[str, RuleSet]) -> RuleSet | None:
        """The rule set of the file, or None with a problem reported."""
        base = known.get(self.extends)
        if self.extends and base is None:
            error = unknown_rule_set(self.extends, known, "extends")
            self.report(error.reason, error.message, "extends")
            return None
        game = self._game(base)
        if game is None:
            return None
        clauses = {**(base.clauses if base else {}), **self._clauses()}
        sources = self._sources(game, clauses)
        rules = self._rules(game, base, sources)
        if rules is None or self.problems:
            return None
        title = {"en": self.name, "zh": self.name, **self._table("title")}
        kept = base.with_overrides(self._table("options")).sources if base else {}
        merged = MappingProxyType({**kept, **sources})
        return RuleSet(self.name, game, MappingProxyType(title), rules, merged, MappingProxyType(clauses))

    def _game(self, base: RuleSet | None) -> Game | None:
        game = self._tables.get("game", base.game if base else None)
        for known in CLASSES:
            if game == known and base is not None and base.game != game:
                message = f'"{base.name}" is a rule set of {base.game}'
                self.report(ErrorReason.CONTRADICTORY_OPTIONS, message, "game")
                return None
            if game == known:
                return known
        error = unknown_game(game)
        self.report(error.reason, error.message, "game")
        return None

    def _clauses(self) -> dict[str, str]:
        out: dict[str, str] = {}
        for clause, statement in self._table("clauses").items():
            key = f"clauses.{clause}"
            if not _CLAUSE_ID.fullmatch(clause):
                message = "a clause id is capital letters and digits, a hyphen, a number: H-01"
                self.report(ErrorReason.UNKNOWN_CLAUSE, message, key)
            elif clause in rulebook():
                self.report(ErrorReason.CONTRADICTORY_OPTIONS, "the rulebook has a clause of this id", key)
            elif not isinstance(statement, str) or not statement.strip():
                self.report(ErrorReason.WRONG_OPTION_TYPE, "expected the clause's statement", key)
            else:
                out[clause] = statement
        return out

    def _sources(self, game: Game, clauses: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """What the file's sources say of each option and decision; a group's source is that of its options."""
        options = schema.names(CLASSES[game])
        own: dict[str, tuple[str, ...]] = {}
        of_groups: dict[str, tuple[str, ...]] = {}
        for name, ids in _flat(self._table("sources")):
            if len(self.problems) > MAX_PROBLEMS:
                break
            key = f"sources.{name}"
            inside = [option for option in sorted(options) if option.startswith(name + ".")]
            if name not in options and name not in DECISIONS[game] and not inside:
                hint = schema.nearest(name, [*options, *DECISIONS[game]])
                self.report(ErrorReason.UNKNOWN_OPTION, f"no option and no decision{hint}", key)
            elif not isinstance(ids, list) or not ids or not all(isinstance(clause, str) for clause in ids):
                self.report(ErrorReason.WRONG_OPTION_TYPE, "expected a list of clause ids", key)
            else:
                for clause in ids:
                    if clause not in clauses and clause not in rulebook():
                        hint = schema.nearest(clause, [*clauses, *rulebook()])
                        message = f"unknown clause {schema.short(clause)}{hint}"
                        self.report(ErrorReason.UNKNOWN_CLAUSE, message, key)
                own[name] = tuple(ids)
                of_groups |= dict.fromkeys(inside, tuple(ids))
        return {**of_groups, **{name: ids for name, ids in own.items() if name in options | DECISIONS[game].keys()}}

    def _rules(self, game: Game, base: RuleSet | None, sources: Mapping[str, tuple[str, ...]]) -> Any:
        cls = CLASSES[game]
        errors: list[RulesError] = []
        flat = schema.flatten(self._table("options"), cls, errors)
        schema.parse(flat, cls, errors)
        before = base.options() if base else schema.dump(cls())
        rules = None
        if not errors:
            try:
                rules = schema.build(cls, before | flat)
            except RulesError as error:
                errors.append(error)
        for wrong in errors:
            self.report(wrong.reason, wrong.message, wrong.path, f"options.{wrong.path}")
        if rules is not None:
            after = schema.dump(rules)
            for name in flat:
                inside = any(other.startswith(name + ".") for other in sources)
                if after.get(name) != before.get(name) and name not in sources and not inside:
                    message = "the option has no source: name the clause behind it in [sources]"
                    self.report(ErrorReason.MISSING_SOURCE, message, name, f"options.{name}")
        return rules


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
