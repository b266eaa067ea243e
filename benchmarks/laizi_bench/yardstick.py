"""The same questions answered by plain C programs of a given folder, on the same inputs, in the same run.

The folder holds ``ddz_limit.c`` and ``ddz_hands.py``, ``mahjong_limit.c`` and ``mahjong_hands.c``; each is built for
this processor. What a machine cannot build (the first needs AVX-512) is left out with a line that says so.
"""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from laizi import doudizhu, rules
from laizi.cards import RANKS
from laizi_bench import core
from laizi_bench.deals import Hands, Plays, PlayWorkload, row_of
from laizi_bench.measure import Case, Measurement, interleave

__all__ = ["YardstickError", "measure_doudizhu", "measure_mahjong"]

_LINE = re.compile(
    r"^\s*(\S.*?)\s+(?:median )?([\d.]+) M(?: ting)?/s\s+\((?:(?:min )?([\d.]+),? max ([\d.]+)|all waits.*)\)"
)


class YardstickError(Exception):
    """A yardstick cannot be built or run here; the message says why."""


def measure_mahjong(folder: Path, work: Path, rounds: int) -> list[Measurement]:
    """Measure ours, the yardstick, and ours again on the yardstick's hands, as one list."""
    maker = _build(folder / "mahjong_hands.c", work, "-O2")
    limit = _build(folder / "mahjong_limit.c", work, "-O3", "-march=native")
    _run([maker, "40000", "4", "hands.bin"], work)
    data = (work / "hands.bin").read_bytes()
    records = [data[at : at + 34] for at in range(0, len(data), 36)]
    hands = Hands(b"".join(records), b"".join(map(_without_last, records)))
    names = {
        "mj hu, batch": "hu scalar from 34 counts",
        "mj hu, pair of 2 5 8": "hu 258-pair scalar",
        "mj hu, four copies at most": "hu <=4 copies scalar (u16)",
        "mj waits, batch": "ting (13 tiles)",
        "mj shanten, batch": "",
    }
    cases = [case for case in core.kernel_cases(hands) if case.name in names]
    return _beside(cases, names, lambda: _figures(_run([limit, "bench", "hands.bin"], work)), rounds)


def measure_doudizhu(folder: Path, work: Path, rounds: int) -> list[Measurement]:
    """Measure ours, the yardstick, and ours again on the yardstick's selections and hands, as one list."""
    limit = _build(folder / "ddz_limit.c", work, "-O3", "-march=native")
    _run([sys.executable, str(folder / "ddz_hands.py"), "in", "1", "0.25"], work)
    plays, pairs, can = (_lines(work / "in" / name) for name in ("mix.txt", "beats.txt", "can20.txt"))
    leads = {wilds: _lines(work / "in" / f"lead20_w{wilds}.txt") for wilds in (0, 4)}

    def total(rows: PlayWorkload) -> int:
        return sum(map(len, rows))

    cases = [
        Case("ddz read, batch", total(plays), core.each(plays, lambda one: one.evaluator.read_rows(one.rows))),
        Case(
            "ddz compare, batch",
            total(pairs),
            core.each(pairs, lambda one: one.evaluator.compare_rows(one.previous, one.rows)),
        ),
        Case(
            "ddz can beat, batch",
            total(can),
            core.each(can, lambda one: one.evaluator.beatable_rows(one.previous, one.rows)),
        ),
        *(core.leads_case(f"ddz list grouped, {wilds} wilds", rows) for wilds, rows in leads.items()),
        core.expanded_case(leads[0]),
    ]
    names = {
        "ddz read, batch": "mix: read, all readings, one by one",
        "ddz compare, batch": "beats: beats, one by one",
        "ddz can beat, batch": "can20: can beat",
        "ddz list grouped, 0 wilds": "lead20_w0: groups as a list: hands",
        "ddz list grouped, 4 wilds": "lead20_w4: groups as a list: hands",
        "ddz list expanded, 0 wilds": "lead20_w0: every play expanded: hands",
    }
    files = [f"in/{name}.txt" for name in ("mix", "beats", "can20", "lead20_w0", "lead20_w4")]
    return _beside(cases, names, lambda: _figures(_run([limit, "bench", *files], work)), rounds)


def _beside(
    cases: list[Case], names: dict[str, str], yardstick: Callable[[], list[Measurement]], rounds: int
) -> list[Measurement]:
    before = interleave(cases, (rounds + 1) // 2)
    figures = yardstick()
    after = interleave(cases, (rounds + 1) // 2)
    ours = []
    for first, second in zip(before, after, strict=True):
        beside = f"yardstick {names[first.name]}" if names[first.name] else ""
        ours.append(Measurement(first.name, first.items, beside, first.rates + second.rates))
    wanted = {one.beside for one in ours}
    return [*ours, *(figure for figure in figures if figure.name in wanted)]


def _figures(output: str) -> list[Measurement]:
    out, prefix = [], ""
    for line in output.splitlines():
        if line.endswith(" inputs"):
            prefix = line.split(".txt:")[0] + ": "
        elif match := _LINE.match(line):
            name, median, low, high = match.groups()
            rates = [float(rate) * 1e6 for rate in (low or median, median, high or median)]
            out.append(Measurement(f"yardstick {prefix}{name}", 0, "", rates))
    return out


def _build(source: Path, work: Path, *flags: str) -> str:
    target = work / source.stem
    _run(["cc", *flags, "-w", "-o", str(target), str(source)], work)
    return str(target)


def _run(command: list[str], work: Path) -> str:
    try:
        return subprocess.run(command, cwd=work, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError as error:
        raise YardstickError(f"{command[0]}: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        reason = (error.stderr.strip() or f"exit code {error.returncode}").splitlines()
        told = next((line for line in reason if "error" in line), reason[-1])
        raise YardstickError(f"{Path(command[0]).name} {Path(command[-1]).name}: {told}") from None


def _without_last(counts: bytes) -> bytes:
    last = max(tile for tile in range(33) if counts[tile])
    return counts[:last] + bytes([counts[last] - 1]) + counts[last + 1 :]


def _lines(file: Path) -> PlayWorkload:
    """Return the rows of a file: plays (R), pairs (B), hands against a reading (C) or hands that lead (L)."""
    rows, previous = defaultdict(list), defaultdict(list)
    for kind, *fields in map(str.split, file.read_text(encoding="ascii").splitlines()):
        if kind in "BC":
            table, cards, wild = fields[:3]
            previous[wild].append(_code(table))
        else:
            cards, wild = fields[:2]
            previous[wild].append(0)
        rows[wild].append(row_of([RANKS.index(rank) for rank in cards], None if wild == "-" else RANKS.index(wild)))
    return [
        Plays(
            doudizhu.Evaluator(rules.load("huanle"), "" if wild == "-" else wild),
            b"".join(rows[wild]),
            struct.pack(f"<{len(previous[wild])}H", *previous[wild]),
        )
        for wild in sorted(rows)
    ]


def _code(reading: str) -> int:
    kind, *rest = reading.split(":")
    # The yardstick counts the units of a bomb, we count its cards.
    text = f"bomb:{rest[0]}:4:{rest[2]}" if kind == "bomb" else reading.split(":1:")[0] if kind == "rocket" else reading
    return doudizhu.Reading.parse(text).code
