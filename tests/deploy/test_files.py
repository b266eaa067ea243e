"""The files in deploy/ use only what the service has."""

import re
from pathlib import Path

import pytest
import yaml
from prometheus_client import generate_latest

from laizi.errors import ErrorReason
from laizi_service.metrics import Metrics
from laizi_service.settings import Settings
from tests.deploy.dashboard import EXPRESSIONS

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = yaml.safe_load((DEPLOY / "prometheus" / "laizi.rules.yml").read_text(encoding="utf-8"))
RULE_LIST = [rule for group in RULES["groups"] for rule in group["rules"]]
OWN_NAMES = re.compile(r"\b((?:laizi|grpc_server)_[a-z_]+)")


@pytest.fixture(scope="module")
def exposed():
    """The metric families that a fresh server exposes, with the suffixes of their samples."""
    families = re.findall(r"^# TYPE (\S+) (\S+)$", generate_latest(Metrics().registry).decode(), re.MULTILINE)
    return {
        name + suffix
        for name, kind in families
        for suffix in (("_bucket", "_sum", "_count") if kind == "histogram" else ("",))
    }


def used(expression: str) -> set[str]:
    """Return the metrics in an expression, without those that a rule records."""
    bare = re.sub(r'"[^"]*"', '""', expression)
    for record in (rule["record"] for rule in RULE_LIST if "record" in rule):
        bare = bare.replace(record, "")
    return set(OWN_NAMES.findall(bare))


@pytest.mark.parametrize("rule", RULE_LIST, ids=[rule.get("alert", rule.get("record")) for rule in RULE_LIST])
def test_rules_use_metrics_that_exist(rule, exposed):
    assert used(rule["expr"]) <= exposed


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_the_dashboard_uses_metrics_that_exist(name, exposed):
    expression = EXPRESSIONS[name]
    assert used(expression) <= exposed
    assert used(expression) or "up{" in expression or "laizi:" in expression


def test_rules_name_reasons_that_exist():
    named = {reason for rule in RULE_LIST for reason in re.findall(r'reason="([A-Z_]+)"', rule["expr"])}
    assert named
    assert named <= set(ErrorReason)


def test_ports_are_the_defaults_of_the_settings():
    scraped = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text(encoding="utf-8"))
    (target,) = scraped["scrape_configs"][0]["static_configs"][0]["targets"]
    assert target == f"{Settings().host}:{Settings().metrics_port}"
    balancer = (DEPLOY / "haproxy" / "haproxy.cfg").read_text(encoding="utf-8")
    assert f"server laizi-1 {Settings().host}:{Settings().port} check port {Settings().metrics_port}" in balancer


def test_the_page_names_every_file_and_settings_that_exist():
    page = (DEPLOY / "README.md").read_text(encoding="utf-8")
    files = {path.relative_to(DEPLOY).as_posix() for path in DEPLOY.rglob("*") if path.is_file()} - {"README.md"}
    assert set(re.findall(r"\]\(([^)]+)\)", page)) == files
    assert set(re.findall(r"`(\w+_seconds)`", page)) <= set(Settings.__dataclass_fields__)


def test_balancers_have_turned_away_before_a_replica_stops():
    balancer = (DEPLOY / "haproxy" / "haproxy.cfg").read_text(encoding="utf-8")
    ((interval, failures),) = re.findall(r"check inter (\d+)ms fall (\d+)", balancer)
    assert int(interval) / 1000 * int(failures) < Settings().drain_seconds / 2
    (cluster,) = yaml.safe_load((DEPLOY / "envoy" / "envoy.yaml").read_text(encoding="utf-8"))["static_resources"][
        "clusters"
    ]
    (check,) = cluster["health_checks"]
    assert float(check["interval"].removesuffix("s")) * check["unhealthy_threshold"] < Settings().drain_seconds / 2


def test_operators_read_what_to_do_about_every_alert():
    page = (DEPLOY.parent / "docs" / "operations.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(Laizi\w+)`", page)) == {rule["alert"] for rule in RULE_LIST if "alert" in rule}
