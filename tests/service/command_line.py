"""What the tests of the command line share: running it in this process, and the examples that its help shows."""

import contextlib
import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner, Result

from laizi_service.cli import main

MINE = """\
name = "mine"
extends = "huanle"
title = { zh = "我家癞子", en = "My room" }

[options]
wild.alone = "forbidden"

[sources]
wild.alone = ["H-01"]

[clauses]
H-01 = "Wilds are never played alone in this room."
"""
PLAYS_JSONL = """\
{"read_play": {"cards": {"text": "3337"}}}
{"readPlay": {"cards": {"text": "77"}, "rules": {"preset": "wuhan"}}, "correlationId": "70"}
{"can_beat": {"hand": {"text": "44489"}, "previous": {"reading": "triple:3:1"}}}
"""
PLAYS_CSV = "cards,previous.reading\n3337,\n44,pair:3:1\n"
FILES = {"mine.toml": MINE, "plays.jsonl": PLAYS_JSONL, "plays.csv": PLAYS_CSV}
TARGET = "127.0.0.1:50051"
"""The address in examples; the tests put that of a server of their own in its place."""


def invoke(line: str, **environment: str | None) -> Result:
    """Run a line such as ``laizi read 33`` in this process."""
    program, *arguments = shlex.split(line)
    assert program == "laizi"
    return CliRunner(env={"LAIZI_HOST": None, **environment}).invoke(main, arguments, catch_exceptions=False)


def write_files(folder: Path) -> None:
    """Write the files that the examples name."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command of this distribution by its full name; those of the benchmarks have tests of their own."""

    def walk(name: str, command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command]]:
        if not isinstance(command, click.Group):
            yield name, command
            return
        for child in command.list_commands(context):
            found = command.get_command(context, child) if child != "bench" else None
            if found is not None:
                yield from walk(f"{name} {child}", found, click.Context(found, context, child))

    yield from walk("laizi", main, click.Context(main))


def examples(command: click.Command) -> list[str]:
    """The lines of a command's help that are commands themselves."""
    lines = (line.strip() for line in (command.help or "").splitlines())
    return [line for line in lines if line.startswith("laizi ")]


def on_terminal(*arguments: str, stream: str = "stdout", without_rich: bool = False, **environment: str) -> str:
    """What a command prints on a terminal of 200 columns, which shows one of its two outputs."""
    ours, its = pty.openpty()
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLORTERM")}
    program = "from laizi_service.cli import main; main()"
    if without_rich:
        program = f"import sys; sys.modules['rich'] = None; {program}"
    outputs: dict[str, int] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | {stream: its}
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=outputs["stdout"],
        stderr=outputs["stderr"],
        env=inherited | {"TERM": "xterm-256color", "COLUMNS": "200", "PYTHONUTF8": "1", **environment},
    )
    os.close(its)
    printed = b""
    # The end of a terminal is an error on Linux, once the other side is closed.
    with contextlib.suppress(OSError):
        while piece := os.read(ours, 65536):
            printed += piece
    os.close(ours)
    assert process.wait() == 0
    return printed.decode().replace("\r\n", "\n")
