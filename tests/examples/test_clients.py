"""The clients in Go, Java and TypeScript, built and run as their READMEs say."""

import json
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conformance.run import CASES_FILE, read_cases
from tests.examples.common import EXAMPLES, GOLDEN, handled

pytestmark = pytest.mark.registry

TOOLS = {"go": ("go", "buf"), "java": ("javac", "mvn"), "node": ("node", "npm")}
ADDRESSES = "127.0.0.1:50051,127.0.0.1:50052"


@dataclass(frozen=True)
class Client:
    """A client that is built."""

    folder: Path
    example: list[str]
    conformance: list[str]

    def run(self, command: list[str], *addresses: str) -> subprocess.CompletedProcess[str]:
        actual = [",".join(addresses) if argument == ADDRESSES else argument for argument in command]
        return subprocess.run(
            actual, cwd=self.folder, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False
        )


@pytest.fixture(scope="session", params=TOOLS)
def client(request, need) -> Client:
    language = request.param
    need(f"the client in examples/{language}", TOOLS[language])
    folder = EXAMPLES / language
    shown = re.findall(r"^\$ (.+)$", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    *build, example, conformance = map(shlex.split, shown)
    for command in build:
        done = subprocess.run(
            command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=900,
            check=False,
        )
        assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}"
    return Client(folder, example, conformance)


def test_it_prints_the_golden_file_and_asks_both_services(services, client):
    before = [handled(service) for service in services]
    done = client.run(client.example, *(service.target for service in services))
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == GOLDEN
    assert all(handled(service) > count for service, count in zip(services, before, strict=True))


def test_an_address_where_nobody_listens_changes_nothing(services, closed_port, client):
    done = client.run(client.example, f"127.0.0.1:{closed_port}", *(service.target for service in services))
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == GOLDEN


def test_without_a_service_it_fails(closed_port, client):
    done = client.run(client.example, f"127.0.0.1:{closed_port}")
    assert done.returncode == 1
    assert done.stderr.startswith("example: ")


def test_it_passes_every_conformance_case(services, client):
    done = client.run(client.conformance, *(service.target for service in services))
    assert (done.stdout, done.stderr, done.returncode) == (f"{len(read_cases(CASES_FILE))} cases, 0 failed\n", "", 0)


def test_conformance_finds_what_differs_and_nothing_else(services, client, tmp_path):
    cases = read_cases(CASES_FILE)
    answered = next(case for case in cases if case.get("response", {}).get("readings"))
    settled = next(case for case in cases if case.get("response", {}).get("payments"))
    wrong = next(case for case in cases if case.get("error", {}).get("metadata"))
    streamed = next(case for case in cases if len(case.get("responses", ())) > 1)
    size = answered["response"]["readings"][0]["size"]
    altered = {
        "nested": {**answered, "response": changed(answered["response"], "readings", 0, "size", to=size + 1)},
        "absent": {**answered, "response": {}},
        "answer": {**wrong, "error": None, "response": {}},
        "error": {**answered, "response": None, "error": wrong["error"]},
        "fewer": {**streamed, "responses": streamed["responses"][:-1]},
        **{
            f"error.{key}": {**wrong, "error": {**wrong["error"], key: value}}
            for key, value in (("code", "INTERNAL"), ("reason", "OTHER"), ("field", "other"), ("metadata", {"x": "y"}))
        },
        "ignored": {**settled, "response": changed(settled["response"], "payments", 0, "factors", 0, "text", to="x")},
    }
    lines = (
        json.dumps({key: value for key, value in case.items() if value is not None} | {"id": name})
        for name, case in altered.items()
    )
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [str(file) if argument.endswith("cases.jsonl") else argument for argument in client.conformance]

    done = client.run(command, services[0].target)
    found = re.findall(r"^FAIL (\S+) (\S+)", done.stdout, re.MULTILINE)
    expected = [(name, case["rpc"]) for name, case in altered.items() if name != "ignored"]
    assert (found, done.stderr, done.returncode) == (expected, "", 1)
    assert done.stdout.endswith(f"\n{len(altered)} cases, {len(expected)} failed\n")


@pytest.mark.parametrize("text", ["", "{", '{"id": "x", "rpc": "laizi.v1.DoudizhuService/Missing", "request": {}}\n'])
def test_conformance_refuses_a_file_that_holds_no_cases(services, client, tmp_path, text):
    file = tmp_path / "cases.jsonl"
    file.write_text(text, encoding="utf-8")
    command = [str(file) if argument.endswith("cases.jsonl") else argument for argument in client.conformance]
    done = client.run(command, services[0].target)
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.startswith("conformance: ")


def test_conformance_without_a_service_compares_nothing(closed_port, client):
    done = client.run(client.conformance, f"127.0.0.1:{closed_port}")
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.startswith("conformance: ")


def changed(value: Any, *path: str | int, to: object) -> Any:
    """A copy of a JSON value with something else at a path."""
    if not path:
        return to
    first, *rest = path
    copy = value.copy()
    copy[first] = changed(value.get(first) if isinstance(value, dict) else value[first], *rest, to=to)
    return copy
