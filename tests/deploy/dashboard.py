"""The shipped Grafana dashboard, and its queries as Prometheus gets them."""

import json
from typing import Any

from tests.deploy.processes import DEPLOY

__all__ = ["DASHBOARD", "EXPRESSIONS", "PANELS"]

DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana" / "laizi.json").read_text(encoding="utf-8"))
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]


def _filled(expression: str) -> str:
    for name, value in (("$instance", ".*"), ("$method", ".*"), ("$__rate_interval", "1m")):
        expression = expression.replace(name, value)
    return expression


EXPRESSIONS = {
    f"{panel['title']} {target['refId']}": _filled(target["expr"])
    for panel in PANELS
    for target in panel.get("targets", ())
}
"""Panel and query → the expression, its variables filled in."""
