"""``laizi bench``: how fast the engine and the service are on this machine."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import click

from laizi_bench.measure import Case, Measurement, interleave, machine, table

__all__ = ["bench"]

# What only one command needs is imported when it runs: gRPC, the engines, matplotlib.

_SEED = click.option("--seed", default=1, show_default=True, help="What the hands are drawn from.")
_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
_COMPARE = click.option(
    "--compare",
    "old",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="OLD.json",
    help="Also print the change against what --json printed before, and which changes exceed the noise.",
)
_QUICK = click.option("--quick", is_flag=True, help="A look in seconds: one short round of few cases.")


def _rounds(default: int) -> Callable[[Any], Any]:
    return click.option(
        "--rounds",
        default=default,
        show_default=True,
        type=click.IntRange(1, 1000),
        help="How often each case is measured.",
    )


def _seconds(default: float) -> Callable[[Any], Any]:
    return click.option(
        "--seconds", default=default, show_default=True, type=click.FloatRange(0.1, 600), help="Length of each round."
    )


_CLIENTS = click.option("--clients", default=1, show_default=True, type=click.IntRange(1, 64), help="Client processes.")
_SHARE = click.option(
    "--share",
    is_flag=True,
    help="Let the service and its clients share all processors; else the service has one, and they have the others.",
)


@click.group()
def bench() -> None:
    """Measure the engine and the service on this machine: seeded workloads, interleaved rounds, medians and ratios.

    \b
    laizi bench core
    laizi bench rpc --quick
    """


class _Told:
    """What is measured now, on the error output of a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def __call__(self, text: str) -> None:
        if self._shown:
            click.echo(f"\r\x1b[K{text}", nl=False, err=True)

    def done(self) -> None:
        """Wipe it."""
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True)


def _old(path: Path | None, command: str) -> dict[str, Any] | None:
    from laizi_bench.compare import ComparisonError, read_old
    from laizi_service.commands.asking import WrongTextError

    try:
        return None if path is None else read_old(path, command)
    except ComparisonError as error:
        raise WrongTextError(f"--compare: {error}") from None


def _print(run: dict[str, Any], text: str, as_json: bool, old: dict[str, Any] | None) -> None:
    """Print a run as JSON or as text, then its comparison with an older one; beside JSON, on the error output."""
    from laizi_bench.compare import compare

    click.echo(json.dumps(run, ensure_ascii=False) if as_json else text)
    if old is not None:
        click.echo("", err=as_json)
        for line in compare(old, run):
            click.echo(line, err=as_json)


def _run(command: str, seed: int, results: Sequence[Any], **more: Any) -> dict[str, Any]:
    return {
        "command": command,
        "machine": machine(),
        "seed": seed,
        **more,
        "results": [one.plain() for one in results],
    }


@bench.command("core", short_help="Each kernel of the engine, one thread.")
@_SEED
@click.option(
    "--size", default=100_000, show_default=True, type=click.IntRange(1000, 10_000_000), help="Plays and hands a round."
)
@_rounds(7)
@_QUICK
@click.option("--game", type=click.Choice(["doudizhu", "mahjong"]), help="Only the kernels of one game.")
@click.option(
    "--yardstick",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False, resolve_path=True),
    help="A folder with C programs that answer the same questions: measured beside them, on their inputs.",
)
@_JSON
@_COMPARE
def core_command(
    seed: int,
    size: int,
    rounds: int,
    quick: bool,
    game: str | None,
    folder: Path | None,
    as_json: bool,
    old: Path | None,
) -> None:
    """Measure each kernel of the core: batches and single calls, one thread.

    \b
    laizi bench core --quick
    laizi bench core --game mahjong --size 1000 --rounds 2 --json
    """
    from laizi_bench import core, yardstick

    before = _old(old, "core")
    if quick:
        size, rounds = min(size, 10_000), min(rounds, 3)
    measured: list[Measurement] = []
    if folder is None:
        cases: list[Case] = []
        if game in (None, "doudizhu"):
            cases += core.doudizhu_cases(seed, size)
        if game in (None, "mahjong"):
            cases += core.mahjong_cases(seed, size)
        measured = interleave(cases, rounds)
    else:
        with tempfile.TemporaryDirectory() as work:
            for one, measure in (("doudizhu", yardstick.measure_doudizhu), ("mahjong", yardstick.measure_mahjong)):
                if game not in (None, one):
                    continue
                try:
                    measured += measure(folder, Path(work), rounds)
                except yardstick.YardstickError as error:
                    click.echo(f"{one}: no yardstick here: {error}", err=True)
        if not measured:
            raise click.ClickException("no yardstick could be run")
    _print(_run("core", seed, measured), table(measured), as_json, before)


@bench.command("peers", short_help="Other Python packages beside this one.")
@_SEED
@click.option("--size", default=2000, show_default=True, type=click.IntRange(100, 1_000_000), help="Hands a round.")
@_rounds(5)
@_JSON
def peers_command(seed: int, size: int, rounds: int, as_json: bool) -> None:
    """Measure other packages beside laizi, on the same hands in the same run, and count where they disagree.

    \b
    laizi bench peers --size 100 --rounds 1

    Takes the packages of the extra "peers" that are installed (pip install 'laizi[peers]').
    """
    from laizi_bench import peers

    found = peers.measure(seed, size, rounds)
    if not found:
        raise click.ClickException("no peer is installed: pip install 'laizi[peers]'")
    if as_json:
        click.echo(json.dumps({"machine": machine(), "seed": seed, "peers": [one.plain() for one in found]}))
        return
    for one in found:
        click.echo(one.text() + "\n")


@bench.command("rpc", short_help="The service beside its empty echo.")
@click.option("--target", metavar="HOST:PORT", help="A running service; without it one is started on loopback.")
@_SHARE
@_SEED
@_rounds(3)
@_seconds(1.0)
@_QUICK
@_CLIENTS
@click.option(
    "--in-flight",
    "in_flight",
    multiple=True,
    default=(1, 16, 64),
    show_default=True,
    type=click.IntRange(1, 1024),
    help="Small calls under way at once, of all clients; may be given several times.",
)
@click.option(
    "--batch",
    "batches",
    multiple=True,
    default=(100, 1_000),
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="Items of a batch; may be given several times.",
)
@click.option(
    "--rows",
    "columns",
    multiple=True,
    default=(1_000, 50_000),
    show_default=True,
    type=click.IntRange(1, 200_000),
    help="Rows of columns; may be given several times.",
)
@click.option(
    "--rate",
    default=0.0,
    type=click.FloatRange(0, 1_000_000),
    help="Calls a second of the open loops.  [30% of what the closed loop reaches]",
)
@_JSON
@_COMPARE
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.svg",
    help="Also draw latency and throughput.",
)
def rpc_command(
    target: str | None,
    share: bool,
    seed: int,
    rounds: int,
    seconds: float,
    quick: bool,
    clients: int,
    in_flight: tuple[int, ...],
    batches: tuple[int, ...],
    columns: tuple[int, ...],
    rate: float,
    as_json: bool,
    old: Path | None,
    plot: Path | None,
) -> None:
    """Measure the service: latency, throughput and processor time a call, beside the empty echo.

    Closed loops by calls in flight, streams, batches and columns; then small calls that arrive at a fixed rate, alone
    and beside columns that saturate their threads. Unary calls come from h2load where it is installed and the service
    is our own, all others from Python.

    \b
    laizi bench rpc --quick
    laizi bench rpc --quick --target 127.0.0.1:50051 --clients 2

    How it gets in is said before the command: laizi --ca ca.pem bench rpc --target HOST:PORT; see laizi --help.
    """
    from laizi_bench import plot as pictures
    from laizi_bench.load import Clients
    from laizi_bench.rpc import Bench, Plan, footnotes
    from laizi_bench.rpc import table as rpc_table
    from laizi_service.commands.access import access
    from laizi_service.commands.asking import WrongTextError

    before = _old(old, "rpc")
    if plot is not None:
        try:
            pictures.check(plot)
        except pictures.PlotError as error:
            raise WrongTextError(str(error)) from None
    if quick:
        rounds, seconds = 1, min(seconds, 0.3)
        in_flight, batches, columns = (tuple(sorted({each[0], each[-1]})) for each in (in_flight, batches[:1], columns))
    plan = Plan(in_flight, batches, columns, rate, seconds, rounds, seed)
    told = _Told()
    with ExitStack() as stack:
        served, where = _served(stack, target, share=share)
        run = Bench(served, stack.enter_context(Clients(clients, access())), plan, told)
        stack.callback(told.done)
        run.run()
        memory = run.memory()
    results = [*run.results.values()]
    made = _run(
        "rpc", seed, results, kernel_per_second=[round(one) for one in run.kernel], memory=memory, processors=where
    )
    notes = [note for note in (where, *footnotes(run, memory)) if note]
    _print(made, "\n".join([rpc_table(results), "", *notes]), as_json, before)
    if plot is not None:
        about = machine()
        pictures.draw(
            made["results"], f"laizi {about['laizi']} rpc, {about['processor']}, Python {about['python']}", plot
        )
        click.echo(f"{plot}: drawn", err=True)


def _served(stack: ExitStack, target: str | None, *, share: bool) -> tuple[Any, str]:
    """Start a service, or find a target, and return it with a note on its processors.

    What begins afterwards, until the stack ends, has other processors.
    """
    from laizi_bench import processors
    from laizi_bench.served import Served, UnreachableError
    from laizi_service.commands.access import access
    from laizi_service.commands.asking import WrongTextError
    from laizi_service.launch import LaunchError

    apart = None if target or share else processors.apart()
    try:
        with processors.on(apart[0]) if apart else nullcontext():
            served = stack.enter_context(Served(target, access=access()))
    except (UnreachableError, LaunchError) as error:
        raise click.ClickException(str(error)) from None
    except ValueError as error:
        raise WrongTextError(f"--target: {error}") from None
    if apart:
        stack.enter_context(processors.on(apart[1]))
        return served, f"the service had one processor to itself, its clients {len(apart[1])}"
    return served, "" if target else "the service and its clients shared all processors"


@bench.command("scale", short_help="Workers, and replicas behind HAProxy.")
@click.option(
    "--most",
    default=min(len(os.sched_getaffinity(0)), 8),
    show_default="the processors of this machine",
    type=click.IntRange(1, 64),
    help="Workers and replicas to go up to.",
)
@_SEED
@_rounds(3)
@_seconds(2.0)
@_QUICK
@_CLIENTS
@_JSON
@_COMPARE
def scale_command(
    most: int, seed: int, rounds: int, seconds: float, quick: bool, clients: int, as_json: bool, old: Path | None
) -> None:
    """Measure 1 to N workers, and as many replicas behind HAProxy where it is installed: the scaling efficiency.

    \b
    laizi bench scale --quick --most 1
    """
    from laizi_bench import scale
    from laizi_bench.load import Clients

    before = _old(old, "scale")
    if quick:
        rounds, seconds = 1, min(seconds, 1.0)
    told = _Told()
    with Clients(clients) as asking:
        steps = scale.measure(most, rounds, seconds, asking, seed, told)
    told.done()
    text = [scale.table(steps), "", scale.footnote(most)]
    if not scale.have_haproxy():
        text.append("no HAProxy here, so no replicas behind one")
    _print(_run("scale", seed, steps), "\n".join(text), as_json, before)


@bench.command("overload", short_help="Many times as many calls as can be answered.")
@click.option(
    "--times", default=10.0, show_default=True, type=click.FloatRange(0.1, 100), help="Arrivals, in capacities."
)
@_SHARE
@_SEED
@_rounds(3)
@_seconds(3.0)
@_QUICK
@_CLIENTS
@_JSON
@_COMPARE
def overload_command(
    times: float,
    share: bool,
    seed: int,
    rounds: int,
    seconds: float,
    quick: bool,
    clients: int,
    as_json: bool,
    old: Path | None,
) -> None:
    """Measure what a service does when many times its capacity arrives: goodput, latency of what it takes, refusals.

    \b
    laizi bench overload --quick
    """
    from laizi_bench import overload
    from laizi_bench.load import Clients

    before = _old(old, "overload")
    if quick:
        rounds, seconds = 1, min(seconds, 1.0)
    told = _Told()
    made = []
    with ExitStack() as stack:
        served, where = _served(stack, None, share=share)
        asking = stack.enter_context(Clients(clients))
        stack.callback(told.done)
        for kind, hands in (("read", 1), ("hu batch", 100)):
            made.append(overload.measure(served, asking, kind, hands, times, rounds, seconds, seed, told))
    text = "\n\n".join([*map(overload.table, made), where])
    _print(_run("overload", seed, made, processors=where), text, as_json, before)


@bench.command("replay", short_help="Rows of a log, from the file to the results.")
@_SEED
@click.option("--size", default=20_000, show_default=True, type=click.IntRange(100, 10_000_000), help="Rows a round.")
@_rounds(5)
@_JSON
@_COMPARE
def replay_command(seed: int, size: int, rounds: int, as_json: bool, old: Path | None) -> None:
    """Measure laizi replay with the library: rows a second through the columns and in full, one thread.

    \b
    laizi bench replay --size 1000 --rounds 1
    """
    from laizi_bench import logs

    before = _old(old, "replay")
    measured = logs.measure(seed, size, rounds)
    _print(_run("replay", seed, measured), table(measured), as_json, before)


@bench.command("batches", short_help="Batches of messages beside the generated classes.")
@_SEED
@click.option("--size", default=1_000, show_default=True, type=click.IntRange(1, 10_000), help="Items of a batch.")
@_rounds(5)
@_JSON
@_COMPARE
def batches_command(seed: int, size: int, rounds: int, as_json: bool, old: Path | None) -> None:
    """Measure batches of messages from bytes to bytes, beside what the generated classes allow if nothing is evaluated.

    \b
    laizi bench batches --size 10 --rounds 1
    """
    from laizi_bench import batches

    before = _old(old, "batches")
    measured = interleave(list(batches.cases(seed, size)), rounds)
    _print(_run("batches", seed, measured), table(measured), as_json, before)


@bench.command("processes", short_help="The start of the service, and what its metrics cost.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 100), help="How often each is measured.")
def processes_command(rounds: int) -> None:
    """Measure the start of the service, and what its metrics cost: a call counted, a scrape.

    \b
    laizi bench processes
    """
    from laizi_bench import processes

    click.echo(processes.text(processes.measure(rounds)))
