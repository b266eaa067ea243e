"""Two runs beside each other: what changed by more than the rounds of either run differ among themselves."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

__all__ = ["ComparisonError", "compare", "read_old"]

_BETTER_HIGHER: Final = "per_second"
"""How the names of metrics end of which more is better; of all others less is."""


class ComparisonError(ValueError):
    """A file holds no run to compare with."""


def read_old(path: Path, command: str) -> dict[str, Any]:
    """Return a run that ``laizi bench COMMAND --json`` printed. Raises ComparisonError."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ComparisonError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise ComparisonError(f"{path}: no JSON") from None
    results = read.get("results") if isinstance(read, dict) else None
    known = isinstance(results, list) and all(
        isinstance(one, dict) and "name" in one and isinstance(one.get("metrics"), dict) for one in results
    )
    if not known or read.get("command") != command:
        raise ComparisonError(f"{path}: not what laizi bench {command} --json prints")
    return dict(read)


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines: what was measured otherwise, then each metric of each case that both runs have."""
    for key in ("machine", "seed"):
        if old.get(key) != new.get(key):
            yield f"the {key} differs: {_flat(old.get(key))} → {_flat(new.get(key))}"
    before = {one["name"]: one for one in old["results"]}
    width = max((len(one["name"]) for one in new["results"]), default=0)
    for one in new["results"]:
        other = before.pop(one["name"], None)
        if other is None:
            yield f"{one['name']:{width}}  was not measured before"
            continue
        if one.get("rate") != other.get("rate"):
            yield f"{one['name']:{width}}  at another rate, {other['rate']:g}/s → {one['rate']:g}/s: not compared"
            continue
        for metric, values in one["metrics"].items():
            if other["metrics"].get(metric) and values:
                yield f"{one['name']:{width}}  {_change(metric, other['metrics'][metric], values)}"
    for name in before:
        yield f"{name:{width}}  is no longer measured"


def _change(metric: str, old: Sequence[float], new: Sequence[float]) -> str:
    was, now = statistics.median(old), statistics.median(new)
    change = now / was - 1 if was else 0.0
    noise = max((max(values) - min(values)) / (2 * statistics.median(values) or 1) for values in (old, new))
    if min(len(old), len(new)) < 2:
        verdict = "one round tells no noise"
    elif min(new) <= max(old) and min(old) <= max(new):
        verdict = "within the rounds"
    else:
        verdict = "BETTER" if (now > was) == metric.endswith(_BETTER_HIGHER) else "WORSE"
    return f"{metric:18}  {was:>12,.5g} → {now:>12,.5g}  {change:+7.1%}  noise ±{noise:.1%}  {verdict}"


def _flat(value: Any) -> str:
    return ", ".join(str(part) for part in value.values()) if isinstance(value, dict) else str(value)
