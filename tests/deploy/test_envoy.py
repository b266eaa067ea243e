"""The shipped Envoy configuration, run by Envoy, before two replicas of the service."""

import http.client
import json
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from google.protobuf import json_format

from tests.deploy.load import request
from tests.deploy.processes import DEPLOY, checked, fetch, free_ports, program
from tests.deploy.replicas import Replicas, lose_one, moved, roll

pytestmark = pytest.mark.registry

ENVOY = Path(sys.executable).with_name("envoy")
CONFIGURATION = DEPLOY / "envoy" / "envoy.yaml"
ROOT = DEPLOY.parent
READ = "/laizi.v1.DoudizhuService/ReadPlay"


class Site(NamedTuple):
    """Two replicas, and the port of Envoy before them."""

    replicas: Replicas
    port: int

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.port}"

    def post(self, path: str, body: object) -> tuple[int, Any]:
        """Ask as a caller without gRPC does; the status and the answer, as JSON where it is JSON."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
            return answer.status, json.loads(text) if text.startswith("{") else text


@pytest.fixture(scope="module")
def descriptor() -> str:
    checked("make", "descriptor", cwd=ROOT)
    return str(ROOT / "build" / "laizi.binpb")


@pytest.fixture(scope="module")
def site(descriptor: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("envoy")
    port, admin, *ports = free_ports(6)
    configuration = moved(
        CONFIGURATION, dict(zip((50050, 9901, 50051, 50052), (port, admin, *ports[::2]), strict=True)), folder
    )
    configuration.write_text(
        configuration.read_text(encoding="utf-8").replace(
            "proto_descriptor: laizi.binpb", f"proto_descriptor: {descriptor}"
        ),
        encoding="utf-8",
    )

    def seen(name: str) -> bool | None:
        lines = fetch(admin, "/clusters")[1].splitlines()
        flags = [line.rsplit("::", 1)[1] for line in lines if f":{replicas.ports[name][0]}::health_flags::" in line]
        return flags == ["healthy"] if flags else None

    replicas = Replicas(ports, seen)
    # The id lets several Envoys run on one machine.
    envoy: list[str | Path] = [
        ENVOY,
        "-c",
        configuration,
        "--use-dynamic-base-id",
        "--concurrency",
        "1",
        "--log-level",
        "warning",
    ]
    with program(envoy, folder / "envoy.log"), replicas.running():
        yield Site(replicas, port)


def test_envoy_finds_no_fault(descriptor, tmp_path):
    configuration = moved(CONFIGURATION, {}, tmp_path)
    (tmp_path / "laizi.binpb").write_bytes(Path(descriptor).read_bytes())
    command = (ENVOY, "--mode", "validate", "-c", configuration, "--use-dynamic-base-id")
    assert "OK" in checked(*command, cwd=tmp_path)


def test_a_caller_without_grpc_asks_in_json(site):
    status, answer = site.post(READ, json_format.MessageToDict(request("3337")))
    assert status == 200
    assert answer["legal"] is True
    assert answer["taken"] == "bomb:3:4:soft"
    status, answer = site.post("/laizi.v1.RulesService/ListRuleSets", {})
    assert status == 200
    assert {"huanle", "hongzhong"} <= {rules["name"] for rules in answer["ruleSets"]}


def test_an_error_is_json_with_its_reason_and_its_field(site):
    status, answer = site.post(READ, json_format.MessageToDict(request("333?")))
    assert status == 400
    details = {detail["@type"].rpartition(".")[2]: detail for detail in answer["details"]}
    assert details["ErrorInfo"]["reason"] == "UNKNOWN_RANK"
    assert details["BadRequest"]["fieldViolations"][0]["field"] == "cards.text"


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        pytest.param(READ, {"cardz": {}}, 400, id="a field that does not exist"),
        pytest.param("/laizi.v1.DoudizhuService/Invented", {}, 404, id="a method that does not exist"),
        pytest.param("/elsewhere", {}, 404, id="another path"),
    ],
)
def test_what_does_not_exist_is_refused(site, path, body, expected):
    assert site.post(path, body)[0] == expected


def test_one_connection_uses_both_replicas_and_a_rolling_restart_loses_no_call(site):
    roll(site.replicas, site.target)


def test_a_killed_replica_takes_at_most_its_running_calls_along(site):
    lose_one(site.replicas, site.target)
