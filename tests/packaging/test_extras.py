"""Without an extra the command line ends with one line that names it, never with a traceback."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(",")))
sys.argv[0] = "laizi"
from laizi_service.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("hidden", "arguments", "extra"),
    [
        ("click", ["--version"], "service"),
        ("click,grpc,google.protobuf", ["read", "33"], "service"),
        ("grpc", ["read", "33"], "service"),
        ("google.protobuf", ["rules", "list"], "service"),
        ("prometheus_client", ["serve"], "service"),
        ("grpc_health", ["probe"], "service"),
    ],
)
def test_a_missing_extra_is_named_in_one_line(hidden, arguments, extra):
    command = [sys.executable, "-c", PROGRAM, hidden, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("laizi: the Python module ")
    assert line.endswith(f" is not installed; it comes with: pip install 'laizi[{extra}]'")
    assert any(name in line for name in hidden.split(","))


def test_a_module_of_its_own_that_is_missing_is_a_fault():
    command = [sys.executable, "-c", PROGRAM, "laizi_service.cli", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr


def test_with_its_extras_the_module_runs_the_command_line():
    command = [sys.executable, "-m", "laizi_service", "rules", "list"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "huanle" in done.stdout
