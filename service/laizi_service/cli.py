"""The command line ``laizi``."""

from __future__ import annotations

import dataclasses
import importlib
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path

import click

import laizi
from laizi import rules
from laizi.errors import RulesError
from laizi.rules import Game
from laizi_service.settings import Settings, SettingsError

__all__ = ["main"]

_LAZY = {"bench": "laizi_bench.cli:bench"}
"""Commands whose module is imported only when one of them is asked for."""


class _Commands(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:
        return sorted([*super().list_commands(context), *_LAZY])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _LAZY:
            return super().get_command(context, name)
        module, attribute = _LAZY[name].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(laizi.__version__, prog_name="laizi")
def main() -> None:
    """Hand evaluation for Chinese wildcard card and mahjong games."""


def _settings_options(function: Callable[..., None]) -> Callable[..., None]:
    for setting in reversed(Settings.describe()):
        function = click.option(
            setting.flag,
            setting.name,
            metavar="|".join(setting.choices) or setting.type.__name__.upper(),
            help=f"{setting.doc[0].upper()}{setting.doc[1:]}.  [{setting.variable}; {setting.default}]",
        )(function)
    return function


@main.command(no_args_is_help=False)
@_settings_options
@click.option("--print-config", is_flag=True, help="Print the settings that would be in force, and exit.")
def serve(print_config: bool, **flags: str | None) -> None:
    """Run the service until SIGTERM or Ctrl-C, then drain.

    Each option can also be set by the environment variable in brackets; an option given here goes first.
    """
    try:
        settings = Settings.load(os.environ, flags)
    except SettingsError as error:
        raise click.UsageError(str(error)) from None
    if print_config:
        for name, value in dataclasses.asdict(settings).items():
            click.echo(f"{name} = {value}")
        return
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stderr
    )
    from laizi_service.server import AddressInUseError, serve

    try:
        serve(settings)
    except (AddressInUseError, RulesError) as error:
        raise click.ClickException(str(error)) from None


@main.command()
@click.argument("target", default="127.0.0.1:50051")
@click.option("--service", default="", help="Ask about one service, e.g. laizi.v1.DoudizhuService.")
@click.option("--timeout", default=2.0, show_default=True, help="Seconds to wait for the answer.")
def probe(target: str, service: str, timeout: float) -> None:
    """Ask a running service whether it serves: exit code 0 if so, 1 if not. For container health checks."""
    from laizi_service.client import health

    answer = health(target, service, timeout)
    click.echo(answer)
    sys.exit(answer != "SERVING")


@main.group("rules")
def rules_group() -> None:
    """List the rule sets, or check one that you wrote."""


@rules_group.command("list")
@click.option("--game", type=click.Choice(["doudizhu", "mahjong"]), help="Only those of one game.")
def list_rules(game: Game | None) -> None:
    """List the presets with game, digest and title."""
    for name in rules.presets(game):
        preset = rules.load(name)
        click.echo(f"{name:16} {preset.game:9} {preset.digest}  {preset.title['zh']}  {preset.title['en']}")


@rules_group.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
def check(files: tuple[Path, ...]) -> None:
    """Check rule set files (TOML), which may extend presets and each other: prints every problem with its place."""
    texts = {}
    for file in files:
        try:
            texts[str(file)] = file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise click.ClickException(f"{file}: not UTF-8: {error}") from None
    problems = rules.check_files(texts)
    for problem in problems:
        click.echo(problem, err=True)
    if problems:
        sys.exit(1)
    click.echo(f"{len(texts)} checked, no problem")


if __name__ == "__main__":
    main()
