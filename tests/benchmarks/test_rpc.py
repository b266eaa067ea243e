"""``laizi bench rpc``, ``scale`` and ``overload``: figures that belong together, and what they say of each other."""

import contextlib
import itertools
import json
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner, Result

from laizi_bench import compare, h2load, plot, rpc, scale, workload
from laizi_bench.cli import bench
from laizi_bench.load import Clients, Load, Taken
from laizi_bench.rpc import Bench, Plan
from laizi_bench.served import Served, UnreachableError
from tests.service.command_line import TARGET, examples

SMALL = Plan(in_flight=(2,), batches=(5,), columns=(100,), rate=50, seconds=0.1, rounds=2, seed=1)
FLAGS = "--seconds 0.1 --rounds 1 --in-flight 2 --batch 5 --rows 100 --rate 50"


def invoke(line: str) -> Result:
    return CliRunner().invoke(bench, line.split(), catch_exceptions=False)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with Served() as running:
        yield running


@pytest.fixture(scope="module")
def clients() -> Iterator[Clients]:
    with Clients(1) as started:
        yield started


@pytest.fixture(scope="module")
def measured(served: Served, clients: Clients) -> Bench:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(h2load, "available", lambda: False)  # it measures whole seconds
        run = Bench(served, clients, SMALL, lambda _: None)
        run.run()
    return run


def test_every_case_is_measured_in_every_round(measured):
    assert list(measured.results) == [
        *("echo, 2 in flight", "read, 2 in flight", "hu, 2 in flight", "read stream", "hu stream"),
        *("read batch of 5", "hu batch of 5", "read columns of 100", "hu columns of 100"),
        *("echo, open loop", "read, open loop", "hu, open loop"),
        *("read, open loop, alone", "read, open loop, beside columns of 50,000"),
    ]
    for one in measured.results.values():
        metrics = {name: values for name, values in one.metrics.items() if name != "server_cpu_us"}
        assert {len(values) for values in metrics.values()} == {SMALL.rounds}, one.case.name
        for shares in zip(*(metrics[f"{share}_ms"] for share in ("p50", "p90", "p99", "p99.9")), strict=True):
            assert 0 < shares[0] <= shares[1] <= shares[2] <= shares[3]
        for calls, hands in zip(metrics["calls_per_second"], metrics["hands_per_second"], strict=True):
            assert hands == pytest.approx(calls * one.case.load.hands)
        # What the service worked for the columns is not the small calls'.
        assert ("server_cpu_us" in one.metrics) == ("beside" not in one.case.name)
        assert not one.refused
        assert one.histogram.total() > 0
    assert len(measured.kernel) == SMALL.rounds


def test_the_table_and_its_notes_tell_the_ratios(measured):
    lines = rpc.table(measured.results.values()).splitlines()
    assert lines[0].split()[:3] == ["calls/s", "±", "hands/s"]
    echo = next(line for line in lines if line.startswith("echo, 2 in flight"))
    # The system counts processor time by hundredths of a second: few calls may take none.
    assert echo.endswith("  1.00") or not measured.results["echo, 2 in flight"].median("server_cpu_us")
    notes = "\n".join(rpc.footnotes(measured, measured.memory()))
    assert "million hands/s over the wire" in notes
    assert "the server's processor time a hand is" in notes
    assert "p99 of small calls" in notes
    assert "× its size" in notes
    assert "not answered" not in notes


def test_the_server_counts_the_calls_that_the_clients_made(served, clients):
    for kind in ("echo", "read", "hu stream", "read batch", "hu columns"):
        counted = workload.KINDS[kind].counted
        before = served.handled(*counted)
        taken = clients.run(served.target, Load(kind, 3, 2), 0.2)
        after = served.handled(*counted)
        assert not taken.refused
        assert set(after) == {"OK"}
        # Those of the warm-up are the server's alone.
        assert after["OK"] - before.get("OK", 0) > len(taken.latencies) > 0


def test_requests_are_seeded_and_sound():
    for kind, ask in workload.KINDS.items():
        assert ask.make(1, 3) == ask.make(1, 3)
        assert kind == "echo" or ask.make(1, 3) != ask.make(2, 3)


@contextlib.contextmanager
def health_of(answer: Callable[[bytes, grpc.ServicerContext], bytes]) -> Iterator[str]:
    """A server whose Health/Check answers so, one call at a time."""
    server = grpc.server(futures.ThreadPoolExecutor(1))
    handlers: Any = {"Check": grpc.unary_unary_rpc_method_handler(answer)}
    server.add_registered_method_handlers("grpc.health.v1.Health", handlers)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(0)


def test_an_open_loop_is_measured_from_when_a_call_was_due(clients):
    """A service that stalls once makes every call late that was due meanwhile, not only the one that it had."""
    numbers = itertools.count()

    def slow(_: bytes, context: grpc.ServicerContext) -> bytes:
        # The warm-up has a dozen calls.
        if next(numbers) == 30:
            time.sleep(0.5)
        return b""

    with health_of(slow) as target:
        taken = clients.run(target, Load("echo", 1, 0, 40.0), 1.5)
    assert len(taken.latencies) == 60
    # Twenty were due while it slept for half a second; a closed loop would have one slow call.
    assert sum(one > 0.1 for one in taken.latencies) >= 10


def test_the_histogram_of_prometheus_agrees_with_the_clients_percentiles(served, clients):
    """A batch whose work is the server's: what the wire and the client add is small beside it.

    It takes about 30 ms, between bounds at 20 and 50: the server also counts the client's warm-up, and near a bound
    those calls would decide on which side a percentile lies.
    """
    path = "/laizi.v1.MahjongService/BatchCheckHu"
    counted = "grpc_server_handling_seconds_bucket"
    wanted = {("grpc_service", "laizi.v1.MahjongService"), ("grpc_method", "BatchCheckHu")}

    def buckets() -> Counter[float]:
        samples = served.metrics()[counted]
        return Counter({float(dict(one)["le"]): int(value) for one, value in samples.items() if wanted <= one})

    clients.run(served.target, Load("hu batch", 8_000, 1), 0.2)
    assert workload.KINDS["hu batch"].path == path
    before = buckets()
    taken = clients.run(served.target, Load("hu batch", 8_000, 1), 2.0)
    after = buckets()
    bounds = sorted(after)
    told = {bound: after[bound] - before[bound] for bound in bounds}
    assert told[bounds[-1]] >= len(taken.latencies) > 0
    ordered = sorted(taken.latencies)
    for share in (0.5, 0.9):
        client = ordered[int(len(ordered) * share)]
        of_client = next(index for index, bound in enumerate(bounds) if client <= bound)
        of_server = next(index for index, bound in enumerate(bounds) if told[bound] >= share * told[bounds[-1]])
        assert 0 <= of_client - of_server <= 1, (share, client, bounds[of_server])


def test_json_is_one_object_and_is_compared_with_an_earlier_one(served, measured, tmp_path):
    old = tmp_path / "old.json"
    results = [one.plain() for one in measured.results.values()]
    old.write_text(json.dumps({"command": "rpc", "seed": 2, "results": results}), encoding="utf-8")
    run = invoke(f"rpc {FLAGS} --target {served.target} --json --compare {old}")
    assert run.exit_code == 0, run.output
    told = json.loads(run.stdout)
    assert told["command"] == "rpc"
    assert {"machine", "seed", "kernel_per_second", "memory"} <= set(told)
    # A service elsewhere does not tell its processor time or memory.
    assert told["memory"] is None
    assert all("server_cpu_us" not in one["metrics"] for one in told["results"])
    assert "the seed differs: 2 → 1" in run.stderr
    assert "calls_per_second" in run.stderr
    assert "one round tells no noise" in run.stderr


def run_of(values: list[float], metric: str = "per_second", **more: Any) -> dict[str, Any]:
    machine = {"processor": "one"}
    return {
        "command": "core",
        "machine": machine,
        "seed": 1,
        "results": [{"name": "a", "metrics": {metric: values}}],
    } | more


@pytest.mark.parametrize(
    ("old", "new", "metric", "verdict"),
    [
        ([100, 102, 98], [103, 99, 101], "per_second", "within the rounds"),
        ([100, 102, 98], [120, 121, 119], "per_second", "BETTER"),
        ([100, 102, 98], [80, 81, 79], "per_second", "WORSE"),
        ([10, 10.2, 9.8], [12, 12.1, 11.9], "p99_ms", "WORSE"),
        ([10, 10.2, 9.8], [8, 8.1, 7.9], "server_cpu_us", "BETTER"),
        ([100], [150], "per_second", "one round tells no noise"),
    ],
)
def test_a_change_is_told_with_its_noise(old, new, metric, verdict):
    (line,) = compare.compare(run_of(old, metric), run_of(new, metric))
    assert line.endswith(verdict)
    assert f"{sorted(new)[len(new) // 2] / sorted(old)[len(old) // 2] - 1:+.1%}" in line
    assert "noise ±" in line


def test_what_two_runs_do_not_share_is_told():
    old, new = run_of([1, 1]), run_of([1, 1], seed=2, machine={"processor": "two"})
    new["results"] = [{"name": "b", "metrics": {"per_second": [1, 1]}}]
    assert list(compare.compare(old, new)) == [
        "the machine differs: one → two",
        "the seed differs: 1 → 2",
        "b  was not measured before",
        "a  is no longer measured",
    ]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"command": "core"}', '{"command": "rpc", "results": [1]}', "{}"])
def test_a_file_that_is_no_run_is_refused_before_anything_is_measured(text, tmp_path):
    old = tmp_path / "old.json"
    old.write_text(text, encoding="utf-8")
    result = invoke(f"core --compare {old}")
    assert result.exit_code == 2
    assert result.output.startswith(f"Error: --compare: {old}: ")
    assert len(result.output.splitlines()) == 1


def test_core_is_compared_too(tmp_path):
    old = tmp_path / "old.json"
    old.write_text(invoke("core --game mahjong --size 1000 --rounds 2 --json").stdout, encoding="utf-8")
    result = invoke(f"core --game mahjong --size 1000 --rounds 2 --compare {old}")
    assert result.exit_code == 0
    assert sum("noise ±" in line for line in result.output.splitlines()) == 7


def test_a_target_that_does_not_answer_is_told_in_a_line():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{bound.getsockname()[1]}"
        result = invoke(f"rpc --target {address}")
        with pytest.raises(UnreachableError):
            Served(address)
    assert (result.exit_code, result.output) == (
        1,
        f"Error: {address} does not answer: no laizi service can be reached there\n",
    )


def test_a_picture_without_matplotlib_is_told_before_anything_is_measured(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = invoke(f"rpc --plot {tmp_path}/a.svg")
    assert result.exit_code == 2
    assert result.output == "Error: --plot needs matplotlib: pip install 'laizi[cli]'\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "told"), [("a.txt", "is .svg, .png or .pdf"), ("no/a.svg", "cannot be written to")])
def test_a_picture_that_cannot_be_written_is_told(name, told, tmp_path):
    result = invoke(f"rpc --plot {tmp_path}/{name}")
    assert result.exit_code == 2
    assert told in result.output


def test_a_picture_has_both_parts_and_is_whole_or_not_there(measured, tmp_path, monkeypatch):
    results = [json.loads(json.dumps(one.plain())) for one in measured.results.values()]
    plot.draw(results, "a title", tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for text in ("a title", "Latency", "Throughput", "calls in flight", "latency in ms"):
        assert f"<!-- {text}" in drawn
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        plot.draw(results, "a title", tmp_path / "b.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


def test_scaling_efficiency_is_throughput_beside_so_many_times_that_of_one():
    steps = [scale.Step("workers", 1, "read", [100.0], [0.5]), scale.Step("workers", 2, "read", [150.0], [0.9])]
    lines = scale.table(steps).splitlines()
    assert lines[0] == "read, workers:"
    assert "efficiency 100%" in lines[1]
    assert "efficiency  75%" in lines[2]
    assert "0.90 processors" in lines[2]


def test_workers_are_measured(monkeypatch):
    monkeypatch.setattr(h2load, "available", lambda: False)
    monkeypatch.setattr(scale, "have_haproxy", lambda: False)
    result = invoke("scale --most 2 --rounds 1 --seconds 0.2 --json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert [one["name"] for one in told["results"]] == [
        *("read, 1 workers", "hu columns, 1 workers", "read, 2 workers", "hu columns, 2 workers"),
    ]
    assert all(min(one["metrics"]["hands_per_second"]) > 0 for one in told["results"])


def test_refusals_are_not_answers(clients):
    """A client counts a status that is not OK apart, and its time nowhere."""

    def refuse(_: bytes, context: grpc.ServicerContext) -> bytes:
        context.abort(grpc.StatusCode.UNAVAILABLE, "later")
        raise AssertionError

    with health_of(refuse) as target:
        taken = clients.run(target, Load("echo", 1, 2), 0.2)
    assert not taken.latencies
    assert taken.refused["UNAVAILABLE"] == taken.calls > 0


def test_what_several_clients_took_is_added_up():
    parts = [Taken([1.0], Counter(A=1), 2.0, 0.5, 0.1), Taken([2.0, 3.0], Counter(A=2), 3.0, 0.2, 0.3)]
    whole = Taken.together(parts)
    assert (whole.latencies, whole.refused, whole.calls) == ([1.0, 2.0, 3.0], Counter(A=3), 6)
    assert (whole.seconds, whole.busy, whole.late) == (3.0, 0.5, 0.3)


@pytest.mark.registry
def test_h2load_asks_what_python_clients_ask(served):
    """The tool is installed where these tests run; the server counts what it asked, and nothing failed."""
    counted = workload.KINDS["read"].counted
    before = served.handled(*counted)
    taken = h2load.run(served.targets, Load("read", 1, 4), 1)
    after = served.handled(*counted)
    assert set(after) == {"OK"}
    assert after["OK"] - before.get("OK", 0) >= len(taken.latencies) > 0


@pytest.mark.registry
def test_replicas_behind_haproxy_are_measured():
    assert scale.have_haproxy()
    with scale._balanced(2) as (pair, targets), Clients(1) as asking:
        taken = asking.run(",".join(targets), Load("read", 1, 4), 0.3)
        assert taken.latencies
        assert not taken.refused
        assert pair.handled(*workload.KINDS["read"].counted)["OK"] >= len(taken.latencies)


@pytest.mark.registry
def test_overload_is_measured(tmp_path: Path):
    result = invoke("overload --times 3 --rounds 1 --seconds 0.5 --json")
    assert result.exit_code == 0, result.output
    for one in json.loads(result.stdout)["results"]:
        assert one["metrics"]["peak_per_second"][0] > 0
        assert one["metrics"]["goodput_per_second"][0] > 0


@pytest.mark.parametrize("name", ["core", "peers", "rpc", "scale", "overload", "replay", "batches", "processes"])
def test_every_command_has_examples(name):
    assert examples(bench.commands[name])


@pytest.mark.registry
@pytest.mark.parametrize(
    "line", [line for name in ("core", "rpc", "scale", "replay", "batches") for line in examples(bench.commands[name])]
)
def test_the_examples_of_the_help_run(line, served):
    result = invoke(line.removeprefix("laizi bench ").replace(TARGET, served.target))
    assert result.exit_code == 0, result.output
