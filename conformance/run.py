"""Asks a service every case of the conformance file, and prints what differs.

    python conformance/run.py --target 127.0.0.1:50051

Exit code 0 when every answer is as the file says, 1 when one is not, 2 when the file cannot be read or the service
cannot be asked. It needs the generated messages (``pip install 'laizi[service]'``) and nothing of the engine.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from laizi.v1 import doudizhu_pb2, mahjong_pb2, rules_pb2
from laizi_service.client import channel, failure

CASES_FILE: Final = Path(__file__).with_name("cases.jsonl")
IGNORED_FILE: Final = Path(__file__).with_name("ignored.txt")
METHODS: Final = {
    f"{service.full_name}/{method.name}": method
    for file in (doudizhu_pb2, mahjong_pb2, rules_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}

Json = dict[str, Any]


class UnusableError(Exception):
    """The file or the service cannot be used at all."""


class Service:
    """A service that is asked by method, not through a stub for each."""

    def __init__(self, target: str, timeout: float = 30) -> None:
        self._channel = channel(target, deadlines=False)
        self._timeout = timeout

    def ask(self, method: MethodDescriptor, requests: Sequence[Message]) -> Sequence[Any]:
        """The response, or the responses of a stream in the order of their correlation ids. Raises RpcError."""
        path = f"/{method.containing_service.full_name}/{method.name}"
        coding = (GetMessageClass(method.input_type).SerializeToString, GetMessageClass(method.output_type).FromString)
        if method.client_streaming:
            answers = self._channel.stream_stream(path, *coding)(iter(requests), timeout=self._timeout)
            return sorted(answers, key=lambda answer: answer.correlation_id)
        return [self._channel.unary_unary(path, *coding)(requests[0], timeout=self._timeout)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._channel.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="127.0.0.1:50051", help="host:port, or several addresses with commas")
    parser.add_argument("--cases", type=Path, default=CASES_FILE, help="another file of cases")
    parser.add_argument("--ignored", type=Path, default=IGNORED_FILE, help="another list of fields not compared")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the cases with this text in their id")
    given = parser.parse_args(arguments)
    try:
        cases = read_cases(given.cases)
        ignored = read_ignored(given.ignored)
        with Service(given.target) as service:
            return run(service, [case for case in cases if given.only in case["id"]], ignored)
    except (UnusableError, ValueError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2


def read_cases(file: Path) -> list[Json]:
    """The cases of a file. Raises `UnusableError`."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    cases = []
    for number, text in enumerate(lines, 1):
        try:
            case = json.loads(text)
            unknown = case["rpc"] not in METHODS
        except (ValueError, KeyError, TypeError) as error:
            raise UnusableError(f"{file}:{number}: no case: {error!r}") from None
        if unknown:
            raise UnusableError(f"{file}:{number}: the contract has no {case['rpc']}")
        cases.append(case)
    return cases


def read_ignored(file: Path) -> set[str]:
    """The full names of the fields that are not compared. Raises `UnusableError`."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    return {line for line in lines if line and not line.startswith("#")}


def run(service: Service, cases: Sequence[Json], ignored: set[str]) -> int:
    """Ask every case and print what differs. Returns the exit code. Raises `UnusableError`."""
    failed = 0
    for case in cases:
        difference = list(differences(service, case, ignored))
        if difference:
            failed += 1
            print(f"FAIL {case['id']} {case['rpc']}", *difference, sep="\n")
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed else 0


def differences(service: Service, case: Json, ignored: set[str]) -> Iterator[str]:
    """The lines in which an answer and its expectation differ; none where they agree. Raises `UnusableError`."""
    method = METHODS[case["rpc"]]
    try:
        sent = [_parsed(request, method.input_type) for request in case.get("requests") or [case["request"]]]
        wanted = [
            _json(_parsed(response, method.output_type), ignored)
            for response in (case.get("responses") or [case["response"]] if "error" not in case else [])
        ]
    except (json_format.ParseError, KeyError) as error:
        raise UnusableError(f"{case['id']}: {error}") from None
    told: Json | list[Json]
    try:
        told = [_json(answer, ignored) for answer in service.ask(method, sent)]
    except grpc.RpcError as error:
        told = sent_error(error)
        if told["code"] == grpc.StatusCode.UNAVAILABLE.name:
            raise UnusableError(f"{case['id']}: the service does not answer: {failure(error).message}") from None
    expected: Json | list[Json] = case.get("error") or wanted
    if told != expected:
        yield from difflib.unified_diff(_lines(expected), _lines(told), "expected", "answered", lineterm="", n=2)


def sent_error(error: grpc.RpcError) -> Json:
    """What of a failed call is compared: the code and what the service's details say, never the text."""
    told = failure(error)
    made: Json = {"code": told.code.name}
    if told.reason:
        made["reason"] = str(told.reason)
    if told.field:
        made["field"] = told.field
    if told.metadata:
        made["metadata"] = dict(told.metadata)
    return made


def _parsed(value: Json, descriptor: Any) -> Message:
    return json_format.ParseDict(value, GetMessageClass(descriptor)())


def _json(message: Message, ignored: set[str]) -> Json:
    return json_format.MessageToDict(without(message, ignored))


def without(message: Message, ignored: set[str]) -> Message:
    """A copy of a message without some fields, wherever in it they occur."""
    made = type(message)()
    made.CopyFrom(message)
    _clear(made, ignored)
    return made


def _clear(message: Message, ignored: set[str]) -> None:
    for field, value in message.ListFields():
        if field.full_name in ignored:
            message.ClearField(field.name)
        elif field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for one in value if field.is_repeated else [value]:
                _clear(one, ignored)


def _lines(value: Json | list[Json]) -> list[str]:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).splitlines()


if __name__ == "__main__":
    sys.exit(main())
