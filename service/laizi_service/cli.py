"""The command line ``laizi``: which commands there are. Their modules are imported only when they are needed."""

from __future__ import annotations

import importlib
from typing import Any, Final, NamedTuple

import click

import laizi
from laizi_service.commands.access import access_options

__all__ = ["main"]


class _Lazy(NamedTuple):
    """A command by where it lives, with its line in the list, which must not import it."""

    module: str
    attribute: str
    line: str


_COMMANDS: Final = {
    "auction": _Lazy("laizi_service.commands.doudizhu", "auction", "斗地主: replay an auction."),
    "bench": _Lazy("laizi_bench.cli", "bench", "Measure the engine and the service on this machine."),
    "claims": _Lazy("laizi_service.commands.mahjong", "claims", "麻将: list what each seat may do."),
    "compare": _Lazy("laizi_service.commands.doudizhu", "compare", "斗地主: tell whether a play beats another."),
    "explain": _Lazy("laizi_service.commands.explaining", "explain", "Show a clause of the rulebook."),
    "hu": _Lazy("laizi_service.commands.mahjong", "hu", "麻将: tell whether tiles are a win, and its worth."),
    "plays": _Lazy("laizi_service.commands.doudizhu", "plays", "斗地主: list the legal plays of a hand."),
    "probe": _Lazy("laizi_service.commands.running", "probe", "Ask a running service whether it serves."),
    "read": _Lazy("laizi_service.commands.doudizhu", "read", "斗地主: tell whether cards are a play, and as what."),
    "replay": _Lazy("laizi_service.commands.replaying", "replay", "Answer every row of a log, however long."),
    "rules": _Lazy("laizi_service.commands.rule_sets", "rules", "List, show, compare and check rule sets."),
    "serve": _Lazy("laizi_service.commands.running", "serve", "Run the service."),
    "settle": _Lazy("laizi_service.commands.payments", "settle", "Tell who pays whom, in both games."),
    "shanten": _Lazy("laizi_service.commands.mahjong", "shanten", "麻将: tell how far tiles are from waiting."),
    "waits": _Lazy("laizi_service.commands.mahjong", "waits", "麻将: list what tiles wait for."),
}


class _Commands(click.Group):
    def invoke(self, context: click.Context) -> Any:
        """Run the command. Bytes of the command line that are no UTF-8 are fine in the name of a file, nowhere else."""
        try:
            return super().invoke(context)
        except UnicodeEncodeError as error:
            if not "\udc80" <= error.object[error.start] <= "\udcff":
                raise
            byte = ord(error.object[error.start]) - 0xDC00
            raise click.UsageError(f"what was typed is not UTF-8: byte 0x{byte:02x}") from None

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        lazy = _COMMANDS[name]
        command: click.Command = getattr(importlib.import_module(lazy.module), lazy.attribute)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.line) for name, lazy in sorted(_COMMANDS.items())])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(laizi.__version__, prog_name="laizi")
@access_options
@click.pass_context
def main(context: click.Context, /, **access: Any) -> None:
    """Hand evaluation for Chinese wildcard card and mahjong games.

    Answers come from the library, or from a running service with --target HOST:PORT. Every command has examples in its
    own --help.
    """
    context.obj = access
