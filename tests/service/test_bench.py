"""The benchmark of the service runs: every case answered, figures that belong together."""

import json

from click.testing import CliRunner

from laizi_bench.rpc import rpc_command


def test_every_case_is_measured(target: str) -> None:
    flags = [
        "--target",
        target,
        "--seconds",
        "0.2",
        "--in-flight",
        "2",
        "--batch",
        "5",
        "--rows",
        "100",
        "--rate",
        "50",
    ]
    result = CliRunner().invoke(rpc_command, [*flags, "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    cases = {case["name"]: case for case in json.loads(result.output)}
    assert [*cases] == [
        *("echo", "read", "hu", "read stream", "read batch", "hu batch", "read columns", "hu columns"),
        *("read alone", "read beside columns"),
    ]
    for case in cases.values():
        assert case["calls_per_second"] > 0
        assert 0 < case["p50"] <= case["p90"] <= case["p99"] <= case["p999"]
        assert case["server_cpu_per_call"] is None
    assert cases["hu columns"]["hands"] == 100


def test_a_table_tells_the_server_of_its_own() -> None:
    flags = ["--seconds", "0.2", "--in-flight", "1", "--batch", "1", "--rows", "1"]
    result = CliRunner().invoke(rpc_command, flags, catch_exceptions=False)
    assert result.exit_code == 0
    head, echo, *rest = result.output.splitlines()
    assert head.split()[:2] == ["case", "hands"]
    assert echo.startswith("echo")
    assert echo.rstrip().endswith("1.00")
    assert len(rest) == 7
