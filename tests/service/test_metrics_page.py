"""The table of metrics in docs/operations.md is that of the registry."""

import itertools
import re
from pathlib import Path

from laizi_service.metrics import Metrics

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"


def test_the_page_lists_every_metric_with_its_type_labels_and_meaning():
    section = PAGE.read_text(encoding="utf-8").partition("\n## Metrics\n")[2].partition("\n## ")[0]
    listed = {
        name: (kind, re.findall(r"`(\w+)`", labels), meaning)
        for name, kind, labels, meaning in re.findall(
            r"^\| `(\w+)` \| (\w+) \| (.*?) \| (.*?) \|$", section, re.MULTILINE
        )
    }
    # Metrics without samples tell their labels nowhere else.
    metrics = {
        metric._name + ("_total" if metric._type == "counter" else ""): metric  # type: ignore[attr-defined]
        for metric in Metrics().registry._collector_to_names
    }
    assert listed == {
        name: (metric._type, list(metric._labelnames), metric._documentation)  # type: ignore[attr-defined]
        for name, metric in metrics.items()
    }
    assert len(listed) == len(re.findall(r"^\| `", section, re.MULTILINE))


def test_buckets_resolve_what_the_page_says():
    families = {family.name: family for family in Metrics().registry.collect()}
    assert families["grpc_server_handling_seconds"].type == "histogram"
    metrics = Metrics()
    method = metrics.method("unary", "a.B", "C")
    method.seconds.observe(60e-6)
    metrics.batch("a.B.D", 3)
    bounds = {
        family.name: [float(sample.labels["le"]) for sample in family.samples if "le" in sample.labels]
        for family in metrics.registry.collect()
    }
    seconds, items = bounds["grpc_server_handling_seconds"], bounds["laizi_batch_items"]
    assert (seconds[0], seconds[-2], items[0], items[-2]) == (50e-6, 10, 1, 10e6)
    assert all(next_one <= 2.5 * one for one, next_one in itertools.pairwise(seconds[:-1]))
