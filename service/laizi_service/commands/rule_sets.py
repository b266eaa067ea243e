"""``laizi rules``: rule sets as data."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

import click
from google.protobuf import json_format, struct_pb2

from laizi import rules as library
from laizi.v1 import rules_pb2
from laizi_service.commands.asking import Asking, WrongTextError, answers, selector

__all__ = ["rules"]

_GAMES: Final = {"doudizhu": rules_pb2.GAME_DOUDIZHU, "mahjong": rules_pb2.GAME_MAHJONG}
_NAMES: Final = {number: name for name, number in _GAMES.items()}


@click.group()
def rules() -> None:
    """List the rule sets, show one, tell two apart, or check one that you wrote."""


@rules.command("list")
@click.option("--game", type=click.Choice(list(_GAMES)), help="Only those of one game.")
@answers
def list_rules(asking: Asking, game: str | None) -> None:
    """List the rule sets with game, digest and title.

    \b
    laizi rules list
    laizi rules list --game mahjong
    """
    request = rules_pb2.ListRuleSetsRequest(game=_GAMES[game] if game else rules_pb2.GAME_UNSPECIFIED)
    response: rules_pb2.ListRuleSetsResponse = asking.ask("RulesService.ListRuleSets", request)
    asking.output.message(response)
    asking.output.table(
        (item.name, _NAMES[item.game], item.digest, item.title_zh, item.title) for item in response.rule_sets
    )


@rules.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
def check(files: tuple[Path, ...]) -> None:
    """Check rule set files (TOML), which may extend presets and each other: prints every problem with its place.

    Files are checked here, without a service, because they may need each other. The exit code is 1 when there is a
    problem.

    \b
    laizi rules check mine.toml
    """
    texts = {}
    for file in files:
        try:
            texts[str(file)] = file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise click.ClickException(f"{file}: not UTF-8: {error}") from None
    problems = library.check_files(texts)
    for problem in problems:
        click.echo(problem, err=True)
    if problems:
        sys.exit(1)
    click.echo(f"{len(texts)} checked, no problem")


@rules.command()
@click.argument("name", metavar="NAME|FILE.toml")
@answers
def show(asking: Asking, name: str) -> None:
    """Show every option of a rule set: its value, its default where that differs, its clauses and what it means.

    \b
    laizi rules show huanle
    laizi rules show mine.toml
    """
    answer = asking.ask("RulesService.GetRuleSet", _request(name))
    asking.output.message(answer)
    summary = answer.rule_set
    asking.output.say(f"{summary.name} {summary.digest}  {summary.title_zh}  {summary.title}")
    asking.output.table(
        (
            option.name,
            _written(option.value) if option.HasField("value") else "—",
            "" if option.value == option.default_value else f"default {_written(option.default_value)}",
            " ".join(option.clauses),
            option.meaning,
        )
        for option in answer.options
    )


@rules.command()
@click.argument("first", metavar="NAME|FILE.toml")
@click.argument("second", metavar="NAME|FILE.toml")
@answers
def diff(asking: Asking, first: str, second: str) -> None:
    """Show the options in which two rule sets of one game differ, with what they mean.

    \b
    laizi rules diff honghu honghu_koukou
    laizi rules diff huanle mine.toml
    """
    names = (first, second)
    one, other = (asking.ask("RulesService.GetRuleSet", _request(name)) for name in names)
    if one.rule_set.game != other.rule_set.game:
        raise WrongTextError(f"{first} is of {_NAMES[one.rule_set.game]}, {second} of {_NAMES[other.rule_set.game]}")
    asking.output.message(one)
    asking.output.message(other)
    differing = [(mine, its) for mine, its in zip(one.options, other.options, strict=True) if mine.value != its.value]
    asking.output.say(f"{len(differing)} of {len(one.options)} options differ")
    asking.output.table(
        (
            mine.name,
            _written(mine.value),
            _written(its.value),
            " ".join(dict.fromkeys((*mine.clauses, *its.clauses))),
            mine.meaning,
        )
        for mine, its in differing
    )


def _request(name: str) -> rules_pb2.GetRuleSetRequest:
    chosen, game = selector(name)
    return rules_pb2.GetRuleSetRequest(rules=chosen, game=_GAMES[game] if game else rules_pb2.GAME_UNSPECIFIED)


def _written(value: struct_pb2.Value) -> str:
    plain = json_format.MessageToDict(value)
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)  # a Struct has no whole numbers
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
