"""A real grpcurl against reflection: the documents' lines, and every request and answer in the canonical JSON form."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from conformance.run import CASES_FILE, IGNORED_FILE, METHODS, read_cases, read_ignored, without
from laizi_service import reflection
from tests.packaging.sources import ROOT, project_files

pytestmark = pytest.mark.registry

ADDRESS = "127.0.0.1:50051"
# The command, its continuation lines included, and what is shown below it.
LINE = re.compile(r"^\$ (grpcurl (?:.*\\\n)*.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)
LINES = [
    pytest.param(shlex.split(command), shown, id=f"{name}:{number}")
    for name in map(str, project_files())
    if name.endswith(".md")
    for number, (command, shown) in enumerate(LINE.findall((ROOT / name).read_text(encoding="utf-8")), 1)
]
CASES = {case["rpc"]: case for case in reversed(read_cases(CASES_FILE)) if "error" not in case}

EXTREMES = {
    FieldDescriptor.TYPE_BOOL: True,
    FieldDescriptor.TYPE_BYTES: b"\xfb\xff\xfe",  # "+//+": the characters in which the two alphabets of base64 differ
    FieldDescriptor.TYPE_INT32: -(2**31),
    FieldDescriptor.TYPE_INT64: -(2**63),
    FieldDescriptor.TYPE_STRING: '"癞子" \\ \n',
    FieldDescriptor.TYPE_UINT32: 2**32 - 1,
    FieldDescriptor.TYPE_UINT64: 2**64 - 1,
}
FREE_FORM = {
    "google.protobuf.Struct": {"wild.alone": "forbidden", "nested": {"数": [1.5, True, None, "x"]}},
    "google.protobuf.Value": [-0.25, False, {"": None}],
}


def run(*arguments: str, given: str = "") -> str:
    done = subprocess.run(
        ["grpcurl", "-plaintext", *arguments],
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


def call(target: str, rpc: str, requests: list[Message]) -> list[Any]:
    """Send requests through grpcurl and return its answers."""
    given = "\n".join(json.dumps(json_format.MessageToDict(request), ensure_ascii=False) for request in requests)
    printed = run("-d", "@", target, rpc, given=given).strip()
    answers: list[Message] = []
    while printed:
        answer, end = json.JSONDecoder().raw_decode(printed)
        printed = printed[end:].lstrip()
        message = parsed(answer, METHODS[rpc].output_type)
        # Parsing takes fields by either name; what grpcurl prints are their JSON names.
        assert answer == json_format.MessageToDict(message)
        answers.append(message)
    return answers


def parsed(value: Any, descriptor: Descriptor) -> Message:
    message = GetMessageClass(descriptor)()
    json_format.ParseDict(value, message)
    return message


def filled(descriptor: Descriptor, turn: int) -> Message:
    """A message with every field set to a value at the edge of its type; ``turn`` chooses the members of oneofs."""
    if descriptor.full_name in FREE_FORM:
        return parsed(FREE_FORM[descriptor.full_name], descriptor)
    message = GetMessageClass(descriptor)()
    value: Any
    for field in descriptor.fields:
        choices = [] if field.containing_oneof is None else field.containing_oneof.fields
        if choices and choices[turn % len(choices)] is not field:
            continue
        if field.message_type is not None:
            value = filled(field.message_type, turn)
        elif field.enum_type is not None:
            value = field.enum_type.values[-1].number
        else:
            value = EXTREMES[field.type]
        if field.is_repeated:
            getattr(message, field.name).extend([value, value])
        elif field.message_type is not None:
            getattr(message, field.name).CopyFrom(value)
        else:
            setattr(message, field.name, value)
    return message


def turns(descriptor: Descriptor) -> int:
    """How many messages it takes to see each member of each oneof."""
    seen: set[str] = set()

    def longest(descriptor: Descriptor) -> int:
        if descriptor.full_name in seen or descriptor.full_name in FREE_FORM:
            return 1
        seen.add(descriptor.full_name)
        below = (longest(field.message_type) for field in descriptor.fields if field.message_type is not None)
        return max([1, *(len(oneof.fields) for oneof in descriptor.oneofs), *below])

    return longest(descriptor)


class Recorder(grpc.GenericRpcHandler):
    """A service with laizi's methods that keeps what it is sent, and answers with what it is told to."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self.answers: Iterator[bytes] = iter(())

    def service(self, handler_call_details):
        method = METHODS.get(handler_call_details.method.removeprefix("/"))
        if method is None:
            return None
        if method.client_streaming:
            return grpc.stream_stream_rpc_method_handler(lambda sent, _: map(self._answer, sent))
        return grpc.unary_unary_rpc_method_handler(lambda sent, _: self._answer(sent))

    def _answer(self, request: bytes) -> bytes:
        self.received.append(request)
        return next(self.answers)


@pytest.fixture(scope="module", autouse=True)
def _grpcurl(need) -> None:
    need("grpcurl", ("grpcurl",))


@pytest.fixture(scope="module")
def recorder() -> Iterator[tuple[Recorder, str]]:
    handler = Recorder()
    server = grpc.server(ThreadPoolExecutor(2), handlers=[handler])
    reflection.enable([method.containing_service.full_name for method in METHODS.values()], server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield handler, f"127.0.0.1:{port}"
    server.stop(None).wait()


def shown_answer(text: str) -> object:
    answer = json.loads(text)
    del answer["provenance"]["ruleSetDigest"]  # changes with every option that the schema gains
    return answer


def test_both_editions_of_the_readme_show_a_line():
    assert {"README.md:1", "README.zh-CN.md:1"} <= {line.id for line in LINES}


@pytest.mark.parametrize(("command", "shown"), LINES)
def test_a_line_prints_what_the_document_shows(services, command, shown):
    assert command[:2] == ["grpcurl", "-plaintext"]
    assert ADDRESS in command
    printed = run(*(services[0].target if argument == ADDRESS else argument for argument in command[2:]))
    assert shown_answer(printed) == shown_answer(shown)


def test_reflection_lists_every_service(services):
    listed = set(run(services[0].target, "list").split())
    assert {method.containing_service.full_name for method in METHODS.values()} < listed


@pytest.mark.parametrize("rpc", METHODS)
def test_a_conformance_case_of_each_method_passes(services, rpc):
    case, method, ignored = CASES[rpc], METHODS[rpc], read_ignored(IGNORED_FILE)
    requests = [parsed(request, method.input_type) for request in case.get("requests") or [case["request"]]]
    expected = [parsed(response, method.output_type) for response in case.get("responses") or [case["response"]]]
    answers: list[Any] = [without(answer, ignored) for answer in call(services[0].target, rpc, requests)]
    if method.client_streaming:
        answers.sort(key=lambda answer: answer.correlation_id)
    assert answers == [without(answer, ignored) for answer in expected]


@pytest.mark.parametrize("rpc", METHODS)
def test_every_field_of_every_request_and_answer_comes_through(recorder, rpc):
    handler, target = recorder
    method: MethodDescriptor = METHODS[rpc]
    count = max(turns(method.input_type), turns(method.output_type))
    requests = [filled(method.input_type, turn) for turn in range(count)]
    answers = [filled(method.output_type, turn) for turn in range(count)]
    handler.received.clear()
    handler.answers = iter([answer.SerializeToString() for answer in answers])
    # A stream takes all of them in one call.
    calls = [requests] if method.client_streaming else [[request] for request in requests]
    printed = [answer for sent in calls for answer in call(target, rpc, sent)]
    assert [GetMessageClass(method.input_type).FromString(received) for received in handler.received] == requests
    assert printed == answers
