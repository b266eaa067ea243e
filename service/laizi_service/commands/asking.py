"""What commands that ask have in common: whom, under which rules, and what happens when there is no answer."""

from __future__ import annotations

import functools
import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import click
import grpc
from click.shell_completion import CompletionItem
from google.protobuf.message import Message

from laizi import rules
from laizi.rules import Game
from laizi.v1 import types_pb2
from laizi_service.answering import Answerer, Library, Service, UnansweredError, method
from laizi_service.codec import value_at
from laizi_service.commands.access import access_arguments
from laizi_service.commands.output import Output
from laizi_service.display import width
from laizi_service.settings import Settings, SettingsError

__all__ = ["Asking", "WrongTextError", "answers", "connected", "rules_options", "selector", "unanswered"]

_TIMEOUT: Final = 30.0
_DEFAULTS: Final[Mapping[Game, str]] = {"doudizhu": "huanle", "mahjong": "hongzhong"}


class WrongTextError(click.ClickException):
    """What was typed cannot be understood: one line, and the text with a caret under the wrong place."""

    exit_code = 2

    def __init__(self, message: str, text: str = "", position: int | None = None) -> None:
        super().__init__(message + (f"\n{caret(text, position)}" if position is not None else ""))


def caret(text: str, position: int) -> str:
    """Return a text with a caret under one of its characters, also where Chinese ones fill two columns."""
    return f"  {text}\n  {' ' * width(text[:position])}^"


class Asking:
    """One command that asks: what it sends requests to, and where it shows the answers."""

    def __init__(self, answerer: Answerer, output: Output, target: str) -> None:
        self.output = output
        self._answerer = answerer
        self._target = target

    def ask(self, name: str, request: Message) -> Any:
        """Return the response of a method such as ``DoudizhuService.ReadPlay``; without one the command ends."""
        try:
            return self._answerer.ask(method(name), request)
        except UnansweredError as error:
            raise unanswered(error, self._target) from None

    def show(self, name: str, request: Message, draw: Callable[[Output, Any], None]) -> None:
        """Ask and print the answer: as JSON, or drawn with the rule set that gave it."""
        response = self.ask(name, request)
        if self.output.as_json:
            self.output.message(response)
            return
        draw(self.output, response)
        self.output.say(f"{response.provenance.rule_set} {response.provenance.rule_set_digest}")


def unanswered(error: UnansweredError, target: str) -> click.ClickException:
    """Return what ends a command whose request got no answer."""
    failed = error.failure
    if failed.reason is None:
        said = {
            grpc.StatusCode.UNAVAILABLE: f"{target} does not answer: no laizi service can be reached there",
            grpc.StatusCode.DEADLINE_EXCEEDED: f"{target} did not answer in time",
            grpc.StatusCode.UNIMPLEMENTED: f"{target} is no laizi service, or an older one: {failed.message}",
        }
        return click.ClickException(said.get(failed.code, f"{target}: {failed.code.name}: {failed.message}"))
    if not error.blames_request:
        return click.ClickException(failed.message)
    given = value_at(error.request, failed.field) if failed.field else None
    position = dict(failed.metadata).get("position")
    shown = failed.message.replace(".text: ", ": ", 1) if failed.field.endswith(".text") else failed.message
    if isinstance(given, str) and position is not None:
        return WrongTextError(shown, given, int(position))
    return WrongTextError(shown)


def connected(target: str | None, timeout: float) -> Answerer:
    """Return the service at ``host:port``, or the library where there is no target."""
    if target is not None:
        try:
            return Service(target, timeout, **access_arguments())
        except UnicodeEncodeError:
            raise  # told for all arguments alike
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    try:
        return Library(Settings.load(os.environ))
    except SettingsError as error:
        raise click.UsageError(str(error)) from None
    except rules.RuleFilesError as error:
        raise click.ClickException(str(error)) from None


def answers(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of whom to ask and how to print; it gets an `Asking` first."""

    @functools.wraps(function)
    def command(*, target: str | None, timeout: float, as_json: bool, **arguments: Any) -> None:
        answerer = connected(target, timeout)
        try:
            function(Asking(answerer, Output(as_json), target or ""), **arguments)
        finally:
            answerer.close()

    options = (
        click.option("--target", metavar="HOST:PORT[,…]", help="Ask a running service instead of the library."),
        click.option("--timeout", default=_TIMEOUT, show_default=True, help="Seconds to wait for a service's answer."),
        click.option("--json", "as_json", is_flag=True, help="Print the answer in the API's JSON form, on one line."),
    )
    return _with(command, options)


def rules_options(game: Game) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of the rules; it gets ``rules``, a selector."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def command(*arguments: Any, rules_name: str, changes: tuple[str, ...], **named: Any) -> None:
            function(*arguments, rules=selector(rules_name, changes)[0], **named)

        options = (
            click.option(
                "-r",
                "--rules",
                "rules_name",
                default=_DEFAULTS[game],
                show_default=True,
                metavar="NAME|FILE.toml",
                shell_complete=functools.partial(_complete_rules, game),
                help="A rule set by name, or a file of yours.",
            ),
            click.option(
                "-o",
                "--option",
                "changes",
                multiple=True,
                metavar="NAME=VALUE",
                shell_complete=functools.partial(_complete_options, game),
                help="Change an option, e.g. wild.alone=forbidden. Can be repeated.",
            ),
        )
        return _with(command, options)

    return decorate


def selector(name: str, changes: tuple[str, ...] = ()) -> tuple[types_pb2.RuleSetSelector, Game | None]:
    """Return the rules of a name or a file, with changes such as ``wild.alone=forbidden``, and a file's game."""
    chosen, game = types_pb2.RuleSetSelector(), None
    if name.endswith(".toml"):
        read = _file(name)
        game = read.game
        chosen.custom.update(read.options())
    else:
        chosen.preset = name
    if changes:
        chosen.overrides.update(dict(map(_change, changes)))
    return chosen, game


def _file(name: str) -> rules.RuleSet:
    try:
        return rules.parse(Path(name).read_text(encoding="utf-8"), name)
    except rules.RuleFilesError as error:
        raise WrongTextError(str(error)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise WrongTextError(f"{name}: {getattr(error, 'strerror', None) or error}") from None


def _change(text: str) -> tuple[str, Any]:
    """An option and its value: a number, true, false or a list as in TOML; everything else is a word."""
    name, equals, value = text.partition("=")
    if not equals:
        raise WrongTextError("an option is changed by NAME=VALUE, such as wild.alone=forbidden", text, len(text))
    try:
        read = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value
    return name, read if isinstance(read, bool | int | float | str | list) else value


def _complete_rules(
    game: Game, context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    names = [CompletionItem(name) for name in rules.presets(game) if name.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


def _complete_options(
    game: Game, context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    return [
        CompletionItem(f"{option.name}=", help=option.doc)
        for option in rules.options(game)
        if option.name.startswith(incomplete)
    ]


def _with(function: Callable[..., None], options: tuple[Callable[..., Any], ...]) -> Callable[..., None]:
    for option in reversed(options):
        function = option(function)
    return function
