"""The example programs in Python print what the golden file holds, and use every address that they are given."""

import os
import subprocess
import sys

import pytest

from tests.examples.common import EXAMPLES, GOLDEN, handled

PROGRAMS = ("blocking.py", "asynchronous.py")


def run(program: str, *addresses: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / "python" / program), ",".join(addresses)]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=120, env=environment, check=False
    )


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_prints_the_golden_file_and_asks_both_services(services, program):
    before = [handled(service) for service in services]
    done = run(program, *(service.target for service in services))
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == GOLDEN
    assert all(handled(service) > count for service, count in zip(services, before, strict=True))


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_address_where_nobody_listens_changes_nothing(services, closed_port, program):
    done = run(program, f"127.0.0.1:{closed_port}", *(service.target for service in services))
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == GOLDEN


def test_without_a_service_it_fails(closed_port):
    done = run("blocking.py", f"127.0.0.1:{closed_port}")
    assert done.returncode == 1
    assert "UNAVAILABLE" in done.stderr
