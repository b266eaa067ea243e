"""Pictures of a run: how long calls take, and how many there are, by how many are under way at once."""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

__all__ = ["PlotError", "check", "draw"]

_STEPS: Final = 20
"""Steps of a histogram in a decade, as `laizi_bench.rpc.Result.histogram` has them."""
_KINDS: Final = ("echo", "read", "hu")
_COLOURS: Final = ("#7f7f7f", "#1f77b4", "#d62728")


class PlotError(ValueError):
    """A picture cannot be drawn here."""


def check(path: Path) -> None:
    """Raise PlotError where a picture could not be drawn: it is asked before an hour of measuring, not after."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise PlotError("--plot needs matplotlib: pip install 'laizi[cli]'") from None
    if path.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise PlotError(f"{path}: a picture is .svg, .png or .pdf")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise PlotError(f"{path}: its folder cannot be written to")


def draw(results: Sequence[Mapping[str, Any]], title: str, path: Path) -> None:
    """Draw the results of ``laizi bench rpc``, whole or not at all."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 5), layout="constrained")
    figure.suptitle(title, fontsize=10)
    latency, throughput = figure.subplots(1, 2)
    _latencies(latency, [one for one in results if one["kind"] in _KINDS])
    _throughput(throughput, [one for one in results if one["kind"] in _KINDS and not one["rate"]])
    # Into place only when it is whole.
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=path.suffix, delete=False) as made:
        whole = Path(made.name)
    try:
        figure.savefig(whole)
        whole.chmod(0o644)
        whole.replace(path)
    except BaseException:
        whole.unlink(missing_ok=True)
        raise


def _latencies(axes: Any, results: Sequence[Mapping[str, Any]]) -> None:
    """The share of calls by their time, on a logarithmic axis: open loops, each with its p99."""
    opened = [one for one in results if one["rate"]] or results
    styles = ("-", "--", ":")
    seen: dict[str, int] = defaultdict(int)
    for one in opened:
        counts = {int(key): count for key, count in one["histogram"].items()}
        if not counts:
            continue
        steps = range(min(counts) - 1, max(counts) + 2)
        total = sum(counts.values())
        colour, style = _COLOURS[_KINDS.index(one["kind"])], styles[min(seen[one["kind"]], 2)]
        seen[one["kind"]] += 1
        rate = f", {one['rate']:,.0f}/s" if one["rate"] else ""
        axes.stairs(
            [100 * counts.get(step, 0) / total for step in steps],
            [10 ** (step / _STEPS) / 1e3 for step in (*steps, steps[-1] + 1)],
            label=f"{one['name']}{rate}",
            color=colour,
            linestyle=style,
        )
        slow = sorted(one["metrics"]["p99_ms"])
        axes.axvline(slow[len(slow) // 2], color=colour, linestyle=style, linewidth=0.8, alpha=0.6)
    axes.set(xscale="log", xlabel="latency in ms (vertical lines: p99)", ylabel="% of the calls", title="Latency")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def _throughput(axes: Any, results: Sequence[Mapping[str, Any]]) -> None:
    """Calls a second by calls in flight: the median with the span of the rounds."""
    for kind, colour in zip(_KINDS, _COLOURS, strict=True):
        points = sorted(
            (one["in_flight"], sorted(one["metrics"]["calls_per_second"])) for one in results if one["kind"] == kind
        )
        if not points:
            continue
        calls = [values[len(values) // 2] for _, values in points]
        span = [[value - values[0] for value, (_, values) in zip(calls, points, strict=True)]]
        span.append([values[-1] - value for value, (_, values) in zip(calls, points, strict=True)])
        axes.errorbar([number for number, _ in points], calls, span, label=kind, color=colour, marker="o", capsize=3)
    numbers = sorted({one["in_flight"] for one in results})
    axes.set(xlabel="calls in flight", ylabel="calls a second", title="Throughput", xscale="log")
    axes.set_xticks(numbers, [str(number) for number in numbers])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
