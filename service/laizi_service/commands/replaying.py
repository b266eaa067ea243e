"""``laizi replay``: answers to whole logs."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

import click

from laizi.v1 import errors_pb2, rules_pb2
from laizi_service.answering import Answerer, UnansweredError, method
from laizi_service.commands.asking import WrongTextError, connected, selector, unanswered
from laizi_service.replay.chunks import replay as replay_log
from laizi_service.replay.journal import Journal, JournalError, Progress, fingerprint
from laizi_service.replay.rows import Defaults, LogError, open_log

__all__ = ["replay"]

_SHOWN: Final = 10
"""Wrong rows that are shown; all of them are in the results."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("-r", "--rules", "rules_name", metavar="NAME|FILE.toml", help="The rules of rows that name none.")
@click.option("-w", "--wild", default="", metavar="RANKS|TILES", help="The wilds of rows that name none.")
@click.option("--as", "kind", metavar="KIND", help="What the rows of a table ask: read_play, check_hu and so on.")
@click.option("--full", is_flag=True, help="Whole answers, as a call gives them, also to rows that fit a column.")
@click.option("--restart", is_flag=True, help="Throw away what an interrupted replay has done.")
@click.option("--target", metavar="HOST:PORT", help="Ask a running service instead of the library.")
@click.option("--timeout", default=60.0, show_default=True, help="Seconds to wait for a service's answer.")
def replay(
    files: tuple[Path, ...],
    rules_name: str | None,
    wild: str,
    kind: str | None,
    full: bool,
    restart: bool,
    target: str | None,
    timeout: float,
) -> None:
    """Answer every row of FILES, and write the results beside each, in FILE.results.jsonl.

    A row is a line of JSON, {"read_play": {...}}, in the form of the requests on a stream; or a row of a table (.csv,
    .parquet), whose columns are named by the fields of the request: cards, hand, previous.reading, melds[0].tiles.
    Results have the form of the answers on a stream, one a row, in the order of the rows; correlationId is the row's
    own, or its number.

    Questions about one play or hand go through the columns, which are fast and answer in brief; --full asks for whole
    answers. Auctions, settlements and whatever else has no column are answered in full.

    A wrong row gets an error and stops nothing; the exit code is then 1. After an interruption the same command goes on
    where it stopped.

    \b
    laizi replay plays.jsonl -r huanle -w 7
    laizi replay plays.csv --as read_play -r huanle -w 7
    laizi replay plays.jsonl -r huanle --target 127.0.0.1:50051
    """
    answerer = connected(target, timeout)
    try:
        wrong = sum([_replay(file, rules_name, wild, kind, full, restart, answerer, target or "") for file in files])
    finally:
        answerer.close()
    if wrong:
        sys.exit(1)


def _replay(
    file: Path,
    rules_name: str | None,
    wild: str,
    kind: str | None,
    full: bool,
    restart: bool,
    answerer: Answerer,
    target: str,
) -> int:
    """Replay one log. Returns how many of its rows are wrong."""
    rules = selector(rules_name)[0] if rules_name else None
    asked = b"" if rules is None else rules.SerializeToString(deterministic=True)
    try:
        source = open_log(file, kind, Defaults(rules, wild))
        whom = ("service" if target else "library", _versions(answerer, target))
        with (
            Journal(file, fingerprint(file, asked, wild, kind or "", str(full), *whom), restart=restart) as journal,
            _progress(file.name, source.total) as shown,
        ):
            if journal.progress.rows:
                shown.say(f"{file}: going on after {journal.progress.rows} rows")
            seen = 0

            def told(progress: Progress, wrong: list[tuple[int, errors_pb2.ItemError]]) -> None:
                nonlocal seen
                for number, error in wrong[: max(0, _SHOWN - seen)]:
                    shown.say(f"{file}:{number}: {f'{error.field}: ' if error.field else ''}{error.message}")
                seen += len(wrong)
                shown.update(progress)

            replay_log(source, answerer, journal, told, full=full)
            done = journal.progress
    except (LogError, JournalError) as error:
        raise WrongTextError(f"{file}: {error}") from None
    except OSError as error:
        raise click.ClickException(f"{error.filename or file}: {error.strerror}") from None
    except UnansweredError as error:
        why = unanswered(error, target).message
        kept = f"; what is done of {file} is kept, the same command goes on" if journal.progress.rows else ""
        raise click.ClickException(why + kept) from None
    more = f", {done.wrong} wrong" if done.wrong else ""
    click.echo(f"{journal.results}: {done.rows} rows{more}", err=True)
    return done.wrong


def _versions(answerer: Answerer, target: str) -> bytes:
    """Return what the answers depend on beside the questions: the engine's version, and the digest of each rule set.

    Of each, because rows may name any of them.
    """
    try:
        listed = answerer.ask(method("RulesService.ListRuleSets"), rules_pb2.ListRuleSetsRequest())
    except UnansweredError as error:
        raise unanswered(error, target) from None
    return "\n".join([listed.engine_version, *(f"{one.name} {one.digest}" for one in listed.rule_sets)]).encode()


class _Shown(Protocol):
    """How a replay shows what it does, on the error output."""

    def say(self, text: str) -> None:
        """Print a line."""

    def update(self, progress: Progress) -> None:
        """Show how far it is."""


class _Lines:
    """Without a terminal or rich: a line now and then."""

    _SECONDS: Final = 10.0

    def __init__(self, name: str, total: int) -> None:
        self._name = name
        self._total = total
        self._began = self._last = time.monotonic()
        self._first: Progress | None = None

    def say(self, text: str) -> None:
        """Print a line."""
        click.echo(text, err=True)

    def update(self, progress: Progress) -> None:
        """Print how far it is, at most every ten seconds."""
        now = time.monotonic()
        if self._first is None:
            self._first = progress
        elif now - self._last >= self._SECONDS and progress.place > self._first.place:
            self._last = now
            seconds = now - self._began
            rate = (progress.rows - self._first.rows) / seconds
            left = seconds * (self._total - progress.place) / (progress.place - self._first.place)
            share = progress.place / self._total
            self.say(f"{self._name}: {share:.0%}, {progress.rows} rows, {rate:.0f} rows a second, {left:.0f} s left")


@contextlib.contextmanager
def _progress(name: str, total: int) -> Iterator[_Shown]:
    if not sys.stderr.isatty():
        yield _Lines(name, total)
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar
    except ImportError:
        yield _Lines(name, total)
        return
    columns = ("{task.description}", BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rate]}"))
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=total, rate="")
        began = time.monotonic()
        first: Progress | None = None

        class Shown:
            def say(self, text: str) -> None:
                bar.console.print(text, markup=False, highlight=False)

            def update(self, progress: Progress) -> None:
                nonlocal first
                first = first or progress
                rate = (progress.rows - first.rows) / max(time.monotonic() - began, 1e-3)
                bar.update(task, completed=progress.place, rate=f"{progress.rows} rows, {rate:.0f}/s")

        yield Shown()
