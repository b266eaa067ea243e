"""What the tests of all example programs share."""

import urllib.request
from pathlib import Path

from laizi_service.launch import Launched

EXAMPLES = Path(__file__).parents[2] / "examples"
GOLDEN = (EXAMPLES / "golden.txt").read_text(encoding="utf-8")


def handled(service: Launched) -> float:
    """How many calls a service has answered."""
    with urllib.request.urlopen(service.metrics_url, timeout=10) as page:
        lines = page.read().decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith("grpc_server_handled_total{"))
