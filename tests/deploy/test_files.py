"""The files in deploy/ use only what the service has."""

import re
from pathlib import Path

import pytest
import yaml
from prometheus_client import generate_latest

from laizi.errors import ErrorReason
from laizi_service.metrics import Metrics
from laizi_service.settings import Settings

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


@pytest.mark.parametrize("rule", RULE_LIST, ids=[rule.get("alert", rule.get("record")) for rule in RULE_LIST])
def test_rules_use_metrics_that_exist(rule, exposed):
    expression = re.sub(r'"[^"]*"', '""', rule["expr"])
    recorded = {other["record"] for other in RULE_LIST if "record" in other}
    for record in recorded:
        expression = expression.replace(record, "")
    assert set(OWN_NAMES.findall(expression)) <= exposed


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
