"""Several worker processes: their ports, their metrics added up, and what happens when one ends."""

import json
import os
import re
import signal
import subprocess
import sys
from concurrent import futures
from pathlib import Path

import grpc
import pytest

from laizi.v1 import doudizhu_pb2, types_pb2
from laizi_service.client import health
from laizi_service.launch import LaunchError
from laizi_service.settings import Settings, SettingsError
from tests.deploy.processes import fetch, samples, until
from tests.service.processes import READ_PLAY, Load, Service, code_of, port_of, stubs

SERVE = [sys.executable, "-m", "laizi_service", "serve", "--port=0", "--metrics-port=0"]
READ = 'grpc_method="ReadPlay",grpc_service="laizi.v1.DoudizhuService",grpc_type="unary"'
THREE_ROWS = b"".join((1 << 4 * rank).to_bytes(16, "little") for rank in range(3))
NAMES = {
    "started": f"grpc_server_started_total{{{READ}}}",
    "ok": f'grpc_server_handled_total{{grpc_code="OK",{READ}}}',
    "wrong": f'grpc_server_handled_total{{grpc_code="InvalidArgument",{READ}}}',
    "timed": f"grpc_server_handling_seconds_count{{{READ}}}",
    "in the last bucket": f'grpc_server_handling_seconds_bucket{{{READ},le="+Inf"}}',
    "hands": 'laizi_hands_total{game="doudizhu",operation="read"}',
    "engine": 'laizi_engine_seconds_count{game="doudizhu",operation="read"}',
    "reason": 'laizi_errors_total{reason="UNKNOWN_RULE_SET"}',
    "batches": 'laizi_batch_items_count{grpc_method="BatchReadPlays",grpc_service="laizi.v1.DoudizhuService"}',
    "items": 'laizi_batch_items_sum{grpc_method="BatchReadPlays",grpc_service="laizi.v1.DoudizhuService"}',
    "rows": 'laizi_batch_items_sum{grpc_method="ReadPlayColumns",grpc_service="laizi.v1.DoudizhuService"}',
}


@pytest.fixture(scope="module")
def two():
    with Service("--workers=2", "--drain-seconds=0.2") as service:
        yield service


def picked(samples: dict[str, float]) -> dict[str, float]:
    return {short: samples.get(name, 0) for short, name in NAMES.items()}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_scrape_counts_exactly_the_calls_made_to_all_workers(workers):
    with Service(f"--workers={workers}", "--drain-seconds=0") as service, stubs(service) as each:
        assert len(each) == workers
        batch = doudizhu_pb2.BatchReadPlaysRequest(items=[READ_PLAY] * 5)
        columns = doudizhu_pb2.ReadPlayColumnsRequest(rules=READ_PLAY.rules, plays=THREE_ROWS)
        for number, stub in enumerate(each):
            for _ in range(7 + number):
                assert code_of(stub) == "OK"
            with pytest.raises(grpc.RpcError):
                stub.ReadPlay(doudizhu_pb2.ReadPlayRequest(rules=types_pb2.RuleSetSelector(preset="none")))
            stub.BatchReadPlays(batch)
            stub.ReadPlayColumns(columns)
        samples = service.scrape()
        good = 7 if workers == 1 else 15
        assert picked(samples) == {
            "started": good + workers,
            "ok": good,
            "wrong": workers,
            "timed": good + workers,
            "in the last bucket": good + workers,
            "hands": good + workers * (5 + 3),
            "engine": good + workers * 2,
            "reason": workers,
            "batches": workers,
            "items": 5 * workers,
            "rows": 3 * workers,
        }
        assert (samples["laizi_serving"], samples["laizi_workers"]) == (workers, workers)
        assert samples["laizi_worker_restarts_total"] == 0
        assert len([name for name in samples if name.startswith("laizi_build_info{")]) == 1


def test_the_counters_of_a_worker_that_was_killed_go_on(two):
    with stubs(two) as (first, second):
        before = picked(two.scrape())
        for _ in range(9):
            assert code_of(first) == code_of(second) == "OK"
        process = two.kill_worker(0)
        two.await_successor(0, process)
        until(lambda: health(two.targets[0]) == "SERVING", "it serves on the same port")
        assert picked(two.scrape())["ok"] == before["ok"] + 18
    with stubs(two) as (first, _):
        for _ in range(4):
            assert code_of(first) == "OK"
    after = picked(two.scrape())
    assert after["ok"] - before["ok"] == after["timed"] - before["timed"] == 22


def test_a_worker_killed_under_load_costs_its_own_calls_alone(two):
    """The others answer on, another process takes its place on its port, and the figures stay right."""
    restarts = two.scrape()["laizi_worker_restarts_total"]
    counted = [0.0]

    def figures_grow() -> None:
        counted.append(picked(two.scrape())["ok"])
        assert counted[-2] <= counted[-1]

    with (
        Load(two.targets[0], 2, retry=False) as struck,
        Load(two.targets[1], 2, retry=False) as spared,
        Load(two.target, 2) as balanced,
    ):
        for load in (struck, spared, balanced):
            load.goes_on(100)
        until(lambda: two.scrape()["laizi_calls_in_flight"] > 0, "calls are in flight")
        process = two.kill_worker(0)
        spared.goes_on(100)
        figures_grow()
        two.await_successor(0, process)
        figures_grow()
        for load in (struck, spared, balanced):
            load.goes_on(100)
            figures_grow()
    assert spared.failed == 0
    assert balanced.failed == 0
    assert set(struck.codes) == {"OK", "UNAVAILABLE"}
    after = two.scrape()
    assert after["laizi_worker_restarts_total"] == restarts + 1
    assert after["laizi_serving"] == 2
    # What the process that was killed had in flight is gone with it.
    until(lambda: two.scrape()["laizi_calls_in_flight"] == 0, "none are in flight")


def test_a_worker_that_is_asked_to_end_drains_and_is_replaced(two):
    """So that workers can be renewed one after another, and nobody notices."""
    with Load(two.target, 2) as load:
        load.goes_on(100)
        process = two.kill_worker(0, signal.SIGTERM)
        two.await_successor(0, process)
        load.goes_on(100)
    assert load.failed == 0


def test_ready_is_told_for_all_and_for_each(two):
    assert two.page("/ready") == (200, "ready\n")
    assert two.page("/elsewhere") == (404, "there are /metrics and /ready and /workers\n")
    for worker, target in zip(two.workers(), two.targets, strict=True):
        assert (worker["target"], worker["state"]) == (target, "serving")
        assert fetch(port_of(worker["ready"]), "/ready") == (200, "ready\n")
        assert fetch(port_of(worker["ready"]), "/metrics")[0] == 404


@pytest.mark.skipif(sys.platform != "linux", reason="cores can be chosen on Linux alone")
def test_each_worker_has_a_core_where_there_are_enough(two):
    known = os.sched_getaffinity(0)
    cores = [os.sched_getaffinity(worker["process"]) for worker in two.workers()]
    assert sorted(cores, key=min) == ([{core} for core in sorted(known)[:2]] if len(known) >= 2 else [known, known])


@pytest.mark.skipif(sys.platform != "linux", reason="cores can be chosen on Linux alone")
def test_workers_may_run_on_any_core():
    with Service("--workers=2", "--pin-workers=off", "--drain-seconds=0") as service:
        cores = [os.sched_getaffinity(worker["process"]) for worker in service.workers()]
    assert cores == [os.sched_getaffinity(0)] * 2


def test_workers_may_share_a_port():
    with Service("--workers=2", "--shared-port=on", "--drain-seconds=0") as service:
        assert len(service.targets) == 1
        assert {worker["target"] for worker in service.workers()} == set(service.targets)
        port = service.target.rpartition(":")[2]
        refused = subprocess.run(
            [*SERVE, "--workers=2", "--shared-port=on", f"--port={port}"], capture_output=True, text=True, check=False
        )
        assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
        assert f"cannot listen on {service.target} for gRPC" in refused.stderr
        # Connections are spread by chance: among thirty both workers have some.
        with futures.ThreadPoolExecutor(4) as pool:
            assert set(pool.map(lambda _: health(service.target), range(30))) == {"SERVING"}


@pytest.mark.parametrize("kind", ["rule set", "certificate"])
def test_workers_that_cannot_start_say_so_in_one_line(kind, tmp_path):
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('name = "wrong"\nextends = "huanle"\nbad = 1\n')
    flags = [f"--rules-folder={tmp_path}"]
    if kind == "certificate":
        flags = [f"--tls-certificate={wrong}", f"--tls-key={wrong}"]
    refused = subprocess.run([*SERVE, "--workers=3", *flags], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert refused.stderr.startswith("Error: ")
    assert "wrong.toml" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_service_alone_keeps_its_figures_to_itself(tmp_path, monkeypatch):
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path / "missing"))
    # The addresses are found in a log for machines, too.
    with Service("--drain-seconds=0", "--log-format=json") as service:
        assert service.scrape()["laizi_serving"] == 1


def test_a_port_of_a_worker_that_is_taken_is_named():
    with Service("--drain-seconds=0") as other:
        taken = int(other.target.rpartition(":")[2])
        refused = subprocess.run(
            [*SERVE, "--workers=2", f"--port={taken - 1}"], capture_output=True, text=True, check=False
        )
    # gRPC itself writes another.
    lines = [line for line in refused.stderr.splitlines() if "add_port.cc" not in line]
    assert refused.returncode == 1
    assert lines == [f"Error: cannot listen on 127.0.0.1:{taken} for gRPC: is the port taken?"]


def test_a_worker_that_fails_again_and_again_is_started_ever_later(tmp_path):
    """Meanwhile the others answer, and neither readiness nor gauges count those that are not there."""
    rules = tmp_path / "room.toml"
    rules.write_text('name = "room"\nextends = "huanle"\n')
    command = [*SERVE, "--workers=2", f"--rules-folder={tmp_path}", "--drain-seconds=0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            port = port_of(process.stderr.readline().partition("http://")[2])
            # Whoever starts from now on cannot; the worker that runs keeps what it has read.
            rules.write_text("name = 1\n")
            first, second = (worker["process"] for worker in json.loads(fetch(port, "/workers")[1]))
            os.kill(second, signal.SIGKILL)
            delays: list[str] = []
            while len(delays) < 3:
                delays += re.findall(r"worker 1 .* takes its place in (\S+) s", process.stderr.readline())
            assert delays == ["0.1", "0.2", "0.4"]
            assert fetch(port, "/ready") == (200, "ready\n")
            assert samples(port, "laizi_serving") == {frozenset(): 1}
            os.kill(first, signal.SIGKILL)
            while "worker 0 is gone" not in process.stderr.readline():
                pass
            assert fetch(port, "/ready") == (503, "not ready\n")
            assert samples(port, "laizi_serving") == {frozenset(): 0}
            assert not samples(port, "laizi_calls_in_flight")
            rules.write_text('name = "room"\nextends = "huanle"\n')
            while "serves again" not in process.stderr.readline():
                pass
            assert fetch(port, "/ready") == (200, "ready\n")
        finally:
            process.terminate()
            process.stderr.read()
        assert process.wait(60) == 0


def test_reading_rule_sets_anew_reaches_every_worker(tmp_path):
    with Service("--workers=2", f"--rules-folder={tmp_path}", "--drain-seconds=0") as service:
        (tmp_path / "room.toml").write_text('name = "room"\nextends = "huanle"\n')
        os.kill(service.pid, signal.SIGHUP)
        until(lambda: service.scrape().get('laizi_rule_set_reloads_total{outcome="ok"}') == 2, "both have read them")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_second_signal_ends_all_at_once(workers):
    service = Service(f"--workers={workers}", "--drain-seconds=600")
    os.kill(service.pid, signal.SIGTERM)
    until(lambda: service.page("/ready")[0] == 503, "it drains")
    with pytest.raises(LaunchError, match=r"code 1:(?s:.)*a second signal cut the drain short"):
        service.close()
    assert all(health(target, timeout=1) != "SERVING" for target in service.targets)


def test_workers_end_when_their_supervisor_is_gone():
    service = Service("--workers=2", "--drain-seconds=0")
    processes = [worker["process"] for worker in service.workers()]
    service.kill()
    until(lambda: not any(Path(f"/proc/{process}").exists() for process in processes), "they have ended")


def test_no_file_of_metrics_stays_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with Service("--workers=2", "--drain-seconds=0") as service:
        for index in range(2):
            process = service.kill_worker(index)
            service.await_successor(index, process)
        names = sorted(path.name for path in tmp_path.glob("laizi-metrics-*/*"))
        kinds = ["counter", "gauge_livesum", "histogram"]
        assert names == sorted(f"{kind}_{index}.db" for kind in kinds for index in range(2))
    assert list(tmp_path.iterdir()) == []


def test_the_ports_are_listed_before_the_service_starts():
    command = [sys.executable, "-m", "laizi_service", "serve", "--workers=3", "--port=6000", "--print-config"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "# gRPC is served on 127.0.0.1:6000, 127.0.0.1:6001, 127.0.0.1:6002\n" in printed


@pytest.mark.parametrize("flags", [{"port": 65535}, {"metrics_port": 65534}])
def test_ports_of_all_workers_must_exist(flags):
    with pytest.raises(SettingsError, match="workers"):
        Settings.load({}, {"workers": 2, **flags})
