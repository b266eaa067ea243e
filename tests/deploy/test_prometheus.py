"""The shipped scrape configuration and rules, in the hands of promtool and of a running Prometheus."""

import json
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import yaml

from laizi.v1 import mahjong_pb2, rules_pb2, types_pb2
from laizi_service.client import Client
from laizi_service.launch import Launched
from tests.deploy.dashboard import EXPRESSIONS
from tests.deploy.load import request
from tests.deploy.processes import DEPLOY, checked, fetch, free_ports, program, until

pytestmark = pytest.mark.registry

FOLDER = DEPLOY / "prometheus"
RULE_TESTS = Path(__file__).with_name("laizi.rules.test.yml")
RULES = [
    rule
    for group in yaml.safe_load((FOLDER / "laizi.rules.yml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
]
READS, REFUSED, ROWS = 40, 3, 1000
CALLS = 'grpc_server_handled_total{grpc_service="laizi.v1.DoudizhuService",grpc_method="ReadPlay",grpc_code="%s"}'


def test_promtool_finds_no_fault():
    # It follows rule_files, too.
    assert "rules found" in checked("promtool", "check", "config", FOLDER / "prometheus.yml")


def test_every_alert_fires_when_it_should():
    checked("promtool", "test", "rules", RULE_TESTS)
    tests = yaml.safe_load(RULE_TESTS.read_text(encoding="utf-8"))["tests"]
    firing = {case["alertname"] for test in tests for case in test.get("alert_rule_test", ()) if case.get("exp_alerts")}
    assert firing == {rule["alert"] for rule in RULES if "alert" in rule}
    values = {case["expr"] for test in tests for case in test.get("promql_expr_test", ()) if case.get("exp_samples")}
    assert values == {rule["record"] for rule in RULES if "record" in rule}


class Site:
    """A service that answered known calls, and a Prometheus that scrapes it every second."""

    def __init__(self, service: Launched, metrics_port: int, port: int) -> None:
        self.service = service
        self.metrics_port = metrics_port
        self._port = port

    def api(self, path: str, **arguments: str) -> Any:
        """Return what Prometheus' HTTP API says; None before it is ready."""
        status, text = fetch(self._port, f"/api/v1/{path}?{urllib.parse.urlencode(arguments)}")
        if status in (0, 503):
            return None
        answer = json.loads(text)
        assert answer["status"] == "success", text
        return answer["data"]

    def value(self, expression: str) -> float | None:
        """Return the value of an expression that is one number; None before there is one."""
        found = self.api("query", query=expression)
        if not found or not found["result"]:
            return None
        (sample,) = found["result"]
        return float(sample["value"][1])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("prometheus")
    port, metrics_port, listen = free_ports(3)
    configuration = yaml.safe_load((FOLDER / "prometheus.yml").read_text(encoding="utf-8"))
    configuration["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    (job,) = [job for job in configuration["scrape_configs"] if job["job_name"] == "laizi"]
    job["static_configs"] = [{"targets": [f"127.0.0.1:{metrics_port}"]}]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
    (folder / "laizi.rules.yml").write_bytes((FOLDER / "laizi.rules.yml").read_bytes())
    prometheus = [
        "prometheus",
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{listen}",
    ]
    with Launched(f"--port={port}", f"--metrics-port={metrics_port}", "--drain-seconds=0") as service:
        with Client(service.target) as client:
            for _ in range(READS):
                client.doudizhu.ReadPlay(request("3337"))
            for _ in range(REFUSED):
                with pytest.raises(grpc.RpcError):
                    client.doudizhu.ReadPlay(request("?"))
            client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest())
            hand = bytes([2] * 7) + bytes(27)
            client.mahjong.ShantenColumns(
                mahjong_pb2.ShantenColumnsRequest(
                    rules=types_pb2.RuleSetSelector(preset="hongzhong"),
                    hands=mahjong_pb2.HandColumns(concealed=hand * ROWS),
                )
            )
        with program(prometheus, folder / "prometheus.log"):
            yield Site(service, metrics_port, listen)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (CALLS % "OK", READS),
        (CALLS % "InvalidArgument", REFUSED),
        ("sum by (grpc_method) (grpc_server_started_total{grpc_method='ReadPlay'})", READS + REFUSED),
        ("grpc_server_handling_seconds_count{grpc_method='ReadPlay'}", READS + REFUSED),
        ("grpc_server_handling_seconds_bucket{grpc_method='ReadPlay',le='+Inf'}", READS + REFUSED),
        ("sum(laizi_errors_total)", REFUSED),
        ("laizi_errors_total{reason='UNKNOWN_RANK'}", REFUSED),
        ("laizi_hands_total{operation='shanten'}", ROWS),
        ("laizi_engine_seconds_count{operation='shanten'}", 1),
        ("laizi_serving", 1),
        ("laizi_calls_in_flight", 0),
        ("up{job='laizi'}", 1),
    ],
)
def test_prometheus_has_the_figures_of_the_known_calls(site, expression, expected):
    until(lambda: site.value(expression) == expected, f"{expression} is {expected}")


def test_prometheus_evaluates_every_rule(site):
    def evaluated() -> dict[str, str]:
        data = site.api("rules")
        rules = [rule for group in data["groups"] for rule in group["rules"]] if data else []
        return {rule["name"]: rule["health"] for rule in rules if rule["health"] != "unknown"}

    names = {rule.get("alert", rule.get("record")) for rule in RULES}
    assert until(lambda: len(evaluated()) == len(names) and evaluated(), "every rule is evaluated") == dict.fromkeys(
        names, "ok"
    )


# Without a stream, an overload or a fault there is nothing to show in these.
SILENT = {"Errors by reason A", "Latency of requests on streams A"}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_prometheus_answers_every_query_of_the_dashboard(site, name):
    """Those about the known calls with figures: a label that does not exist would give none."""
    found = until(lambda: site.api("query", query=EXPRESSIONS[name]), "Prometheus is ready")
    if name not in SILENT:
        until(lambda: site.api("query", query=EXPRESSIONS[name])["result"], f"there are figures for {name}")
    assert found["resultType"] == "vector"


def test_promtool_finds_no_fault_in_what_the_service_exposes(site, tmp_path):
    page = tmp_path / "metrics"
    page.write_text(fetch(site.metrics_port, "/metrics")[1], encoding="utf-8")
    assert "laizi_hands_total" in page.read_text(encoding="utf-8")
    checked("sh", "-c", 'promtool check metrics < "$0"', page)
