"""The conformance file is fresh and complete, and its runner finds what differs."""

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance import generate, malformed
from conformance.run import CASES_FILE, IGNORED_FILE, METHODS, Service, main, read_cases, read_ignored
from laizi import clauses
from laizi.errors import ErrorReason
from laizi_service.launch import Launched

CASES = read_cases(CASES_FILE)


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with Launched() as service:
        yield service.target


def case_of(name: str) -> dict[str, Any]:
    """A copy of a case, to be changed."""
    return copy.deepcopy(next(case for case in CASES if case["id"] == name))


def run(folder: Path, target: str, cases: list[dict[str, Any]]) -> int:
    file = folder / "cases.jsonl"
    file.write_text("".join(f"{json.dumps(case)}\n" for case in cases), encoding="utf-8")
    return main(["--target", target, "--cases", str(file)])


def test_the_file_is_what_its_generator_writes(target):
    with Service(target) as service:
        written = CASES_FILE.read_text(encoding="utf-8").splitlines(keepends=True)
        made = list(generate.generated(service))
    different = [json.loads(line)["id"] for line in made if line not in written]
    assert made == written, f"stale, run make conformance: {different[:5]}"


def test_every_method_has_a_case_and_each_case_a_name_of_its_own():
    assert {case["rpc"] for case in CASES} == METHODS.keys()
    names = [case["id"] for case in CASES]
    assert len(set(names)) == len(names)


def test_every_error_that_a_request_can_provoke_has_a_case():
    shown = {ErrorReason[case["error"]["reason"]] for case in CASES if "error" in case}
    assert shown | malformed.UNREACHABLE.keys() == set(ErrorReason)
    assert not shown & malformed.UNREACHABLE.keys()


def test_a_reason_that_only_a_validation_names_has_a_case():
    named = {
        fault["reason"].removeprefix("ERROR_REASON_")
        for case in CASES
        if case["rpc"].endswith("/ValidateRuleSet")
        for fault in case["response"].get("faults", ())
    }
    assert {reason for reason, why in malformed.UNREACHABLE.items() if "ValidateRuleSet" in why} <= named


def test_clauses_are_those_of_the_rulebook_and_nothing_ignored_is_expected():
    assert {clause for case in CASES for clause in case["clauses"]} <= clauses.rulebook().keys()
    known = {
        f"laizi.v1.{message.name}.{field.name}"
        for method in METHODS.values()
        for message in method.containing_service.file.message_types_by_name.values()
        for field in message.fields
    }
    known |= {
        f"laizi.v1.{message.name}.{field.name}"
        for method in METHODS.values()
        for file in method.containing_service.file.dependencies
        for message in file.message_types_by_name.values()
        for field in message.fields
    }
    assert read_ignored(IGNORED_FILE) <= known
    assert "engineVersion" not in CASES_FILE.read_text(encoding="utf-8")


def test_the_script_finds_that_this_service_conforms(target):
    script = Path(generate.__file__).with_name("run.py")
    command = [sys.executable, str(script), "--target", target]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{len(CASES)} cases, 0 failed\n"


def test_what_differs_is_shown_and_the_exit_code_is_one(tmp_path, target, capsys):
    read, error = case_of("ReadPlay/D1-V004"), case_of("error/TOO_MANY_COPIES-1")
    read["response"]["taken"] = "single:3:1"
    error["error"]["field"] = "elsewhere"
    assert run(tmp_path, target, [read, case_of("CanBeat/D1-V022"), error]) == 1
    lines = [line.rstrip(",") for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "FAIL ReadPlay/D1-V004 laizi.v1.DoudizhuService/ReadPlay"
    assert '-  "taken": "single:3:1"' in lines
    assert '+  "taken": "single:7:1"' in lines
    assert "FAIL error/TOO_MANY_COPIES-1 laizi.v1.DoudizhuService/ReadPlay" in lines
    assert lines[-1] == "3 cases, 2 failed"


def test_an_answer_is_no_error_and_an_error_no_answer(tmp_path, target, capsys):
    read, error = case_of("ReadPlay/D1-V004"), case_of("error/TOO_MANY_COPIES-1")
    read["error"], error["response"] = error.pop("error"), read.pop("response")
    assert run(tmp_path, target, [read, error]) == 1
    assert capsys.readouterr().out.endswith("2 cases, 2 failed\n")


def test_version_and_prose_are_not_compared(tmp_path, target, capsys):
    refused = copy.deepcopy(next(case for case in CASES if case.get("response", {}).get("refusals")))
    refused["response"]["refusals"][0]["text"] = "told otherwise"
    refused["response"]["provenance"]["engineVersion"] = "99.0.0"
    assert run(tmp_path, target, [refused]) == 0
    assert capsys.readouterr().out == "1 cases, 0 failed\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "cases.jsonl:1: no case"),
        ('{"id": "x"}', "cases.jsonl:1: no case"),
        ('{"id": "x", "rpc": "laizi.v1.PokerService/Bluff"}', "the contract has no laizi.v1.PokerService/Bluff"),
        ('{"id": "x", "rpc": "laizi.v1.RulesService/GetClause", "request": {"ID": "D6-45"}, "response": {}}', "x: "),
        ('{"id": "x", "rpc": "laizi.v1.RulesService/GetClause", "response": {}}', "x: "),
    ],
)
def test_a_file_of_no_cases_ends_the_run(tmp_path, target, capsys, text, told):
    file = tmp_path / "cases.jsonl"
    file.write_text(text, encoding="utf-8")
    assert main(["--target", target, "--cases", str(file)]) == 2
    assert told in capsys.readouterr().err


def test_a_file_or_a_service_that_is_not_there_ends_the_run(tmp_path, capsys):
    assert main(["--cases", str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl" in capsys.readouterr().err
    assert main(["--target", "a:1,b:2"]) == 2
    assert "several parts" in capsys.readouterr().err
    assert main(["--target", "127.0.0.1:1"]) == 2
    assert "the service does not answer" in capsys.readouterr().err
