"""What a command prints: text and tables for people, coloured where the terminal can, or the contract's JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

import click
from google.protobuf import json_format
from google.protobuf.message import Message

from laizi_service.display import columns, width

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Output", "json_line"]

# What stands out on a screen: the plain text is the same, so colour never carries a meaning of its own.
_STYLES: Final = [
    r"(?P<red>[♦♥](?:10|[2-9JQKA])|大王|红桃|[一二三四五六七八九]+万|中(?=\s|$))",
    r"(?P<bold>[♣♠](?:10|[2-9JQKA])|小王)",
    r"(?P<cyan>[一二三四五六七八九]+筒)",
    r"(?P<green>[一二三四五六七八九]+条|(?<!\S)发(?=\s|$))",
    r"(?P<magenta>\[[^\]\s]+\]|→ (?:10|[2-9JQKAXY]|[^\s\w]))",
    r"(?P<dim>\b[A-Z]\d?-\d+\b|\b[0-9a-f]{16}\b)",
    r"(?P<yellow>^(?:not legal|does not beat|no win|illegal)\b|^\s*no:)",
]


_INDENT: Final = "  "
_GAP: Final = "   "
_LEAST: Final = 30
"""The least width to which a last column is folded; in a narrower terminal lines run over its edge."""


def json_line(message: Message) -> str:
    """Return a message in the JSON form of protocol buffers, on one line."""
    return json_format.MessageToJson(message, indent=None, ensure_ascii=False)


class Output:
    """Where one command prints. ``as_json`` turns everything but messages off."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self._console = None if as_json else _console()

    def message(self, message: Message) -> None:
        """Print a response as JSON, where that is asked for."""
        if self.as_json:
            click.echo(json_line(message))

    def say(self, text: str) -> None:
        """Print a line for people."""
        if self._console is not None:
            self._console.print(text, markup=False, soft_wrap=True)
        elif not self.as_json:
            click.echo(text)

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """Print rows of equally many cells for people; a column without any text is left out."""
        table = [list(row) for row in rows]
        used = [index for index, column in enumerate(zip(*table, strict=True)) if any(column)]
        table = [[row[index] for index in used] for row in table]
        if not table or self.as_json:
            return
        *before, last = (max(map(width, column)) for column in zip(*table, strict=True))
        taken = len(_INDENT) + sum(before) + len(_GAP) * len(before)
        if self._console is None or not taken + min(last, _LEAST) < self._console.width <= taken + last:
            for line in columns(table, _INDENT, _GAP).splitlines():
                self.say(line)
            return
        # It is wider than the terminal, and its last column can be folded there.
        from rich.padding import Padding
        from rich.table import Table

        grid = Table.grid(padding=(0, len(_GAP), 0, 0))
        for _ in before:
            grid.add_column(no_wrap=True)
        grid.add_column()
        for row in table:
            grid.add_row(*(self._console.render_str(cell, markup=False, emoji=False, highlight=True) for cell in row))
        self._console.print(Padding(grid, (0, 0, 0, len(_INDENT)), expand=False))


def _console() -> Console | None:
    """A console with colours, where rich is installed and the terminal can show them."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return None
    try:
        from rich.console import Console
        from rich.highlighter import RegexHighlighter
    except ImportError:
        return None

    class Answers(RegexHighlighter):
        highlights: ClassVar = _STYLES

    return Console(highlighter=Answers(), emoji=False)
