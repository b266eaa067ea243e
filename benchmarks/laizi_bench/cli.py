"""``laizi bench``: how fast the engine is on this machine."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import click

from laizi_bench import core, peers, yardstick
from laizi_bench.measure import Case, Measurement, interleave, machine, table
from laizi_bench.rpc import rpc_command

__all__ = ["bench"]


@click.group()
def bench() -> None:
    """Measure the engine on this machine: seeded workloads, interleaved rounds, medians and ratios."""


bench.add_command(rpc_command)


def _print(measured: list[Measurement], as_json: bool, seed: int) -> None:
    if as_json:
        click.echo(json.dumps({"machine": machine(), "seed": seed, "results": [one.plain() for one in measured]}))
    else:
        click.echo(table(measured))


@bench.command("core")
@click.option("--seed", default=1, show_default=True, help="What the hands are drawn from.")
@click.option(
    "--size", default=100_000, show_default=True, type=click.IntRange(1000, 10_000_000), help="Plays and hands a round."
)
@click.option(
    "--rounds", default=7, show_default=True, type=click.IntRange(1, 1000), help="Timed rounds after one of warm-up."
)
@click.option("--game", type=click.Choice(["doudizhu", "mahjong"]), help="Only the kernels of one game.")
@click.option(
    "--yardstick",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False, resolve_path=True),
    help="A folder with C programs that answer the same questions: measured beside them, on their inputs.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def core_command(seed: int, size: int, rounds: int, game: str | None, folder: Path | None, as_json: bool) -> None:
    """Measure each kernel of the core: batches and single calls, one thread.

    \b
    laizi bench core
    laizi bench core --game mahjong --json
    """
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
    _print(measured, as_json, seed)


@bench.command("peers")
@click.option("--seed", default=1, show_default=True, help="What the hands are drawn from.")
@click.option("--size", default=2000, show_default=True, type=click.IntRange(100, 1_000_000), help="Hands a round.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 1000), help="Timed rounds.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
def peers_command(seed: int, size: int, rounds: int, as_json: bool) -> None:
    """Measure other packages beside laizi, on the same hands in the same run, and count where they disagree.

    Takes the packages of the extra "peers" that are installed (pip install 'laizi[peers]').
    """
    found = peers.measure(seed, size, rounds)
    if not found:
        raise click.ClickException("no peer is installed: pip install 'laizi[peers]'")
    if as_json:
        click.echo(json.dumps({"machine": machine(), "seed": seed, "peers": [one.plain() for one in found]}))
        return
    for one in found:
        click.echo(one.text() + "\n")


@bench.command("processes")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 100), help="How often each is measured.")
def processes_command(rounds: int) -> None:
    """Measure the start of the service, and what its metrics cost: a call counted, a scrape.

    \b
    laizi bench processes
    """
    from laizi_bench import processes

    click.echo(processes.text(processes.measure(rounds)))
