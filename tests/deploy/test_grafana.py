"""The shipped Grafana dashboard: what Grafana knows, well laid out, and explained."""

import importlib
import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.deploy.dashboard import DASHBOARD, EXPRESSIONS, PANELS

CHARTS = [panel for panel in PANELS if panel["type"] != "row"]


def lost(given: object, known: object, path: str = "") -> Iterator[str]:
    """Name what of a JSON value is missing from another, or differs there."""
    if isinstance(given, dict) and isinstance(known, dict):
        for key, value in given.items():
            yield from lost(value, known[key], f"{path}.{key}") if key in known else [f"{path}.{key}"]
    elif isinstance(given, list) and isinstance(known, list) and len(given) == len(known):
        for number, pair in enumerate(zip(given, known, strict=True)):
            yield from lost(*pair, f"{path}[{number}]")
    elif given != known:
        yield f"{path}: {given!r} became {known!r}"


@pytest.mark.registry
def test_grafana_knows_every_field():
    """Read into the types of Grafana's own SDK and written again, nothing is lost."""
    sdk = "grafana_foundation_sdk"
    importlib.import_module(f"{sdk}.cog.plugins").register_default_plugins()
    read = importlib.import_module(f"{sdk}.models.dashboard").Dashboard.from_json(DASHBOARD)
    written = importlib.import_module(f"{sdk}.cog.encoder").JSONEncoder().encode(read)
    assert list(lost(DASHBOARD, json.loads(written))) == []


def test_every_panel_says_what_it_shows():
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
    assert len({panel["title"] for panel in PANELS}) == len(PANELS)
    for panel in CHARTS:
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert panel["targets"], panel["title"]


def test_panels_do_not_overlap_and_fill_the_width():
    def cells(panel: dict[str, Any]) -> set[tuple[int, int]]:
        place = panel["gridPos"]
        across, down = range(place["x"], place["x"] + place["w"]), range(place["y"], place["y"] + place["h"])
        return set(itertools.product(across, down))

    taken = [cells(panel) for panel in PANELS]
    together = set().union(*taken)
    assert len(together) == sum(map(len, taken))
    assert together == set(itertools.product(range(24), range(max(down for _, down in together) + 1)))


def test_every_query_asks_the_chosen_data_source_about_the_chosen_replicas():
    chosen = {"type": "prometheus", "uid": "${datasource}"}
    names = [variable["name"] for variable in DASHBOARD["templating"]["list"]]
    assert names == ["datasource", "instance", "method"]
    for panel in CHARTS:
        assert panel["datasource"] == chosen
        for target in panel["targets"]:
            assert target["datasource"] == chosen
            # What is recorded over all replicas cannot be split again.
            assert 'instance=~"$instance"' in target["expr"] or target["expr"] == "laizi:unanswered:ratio5m"


def test_no_variable_is_left_unfilled():
    assert [name for name, expression in EXPRESSIONS.items() if "$" in expression] == []
