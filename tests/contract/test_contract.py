"""What the linter of the contract does not see: calls that may be retried, whole streams, options that exist."""

import re
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2

from laizi import rules
from laizi.v1 import doudizhu_pb2, errors_pb2, mahjong_pb2, rules_pb2, types_pb2

FILES = [doudizhu_pb2, errors_pb2, mahjong_pb2, rules_pb2, types_pb2]
SERVICES = [service for file in FILES for service in file.DESCRIPTOR.services_by_name.values()]
METHODS = [method for service in SERVICES for method in service.methods]
PROTO = Path(__file__).parents[2] / "proto/laizi/v1"


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.DESCRIPTOR.name)
def test_a_file_says_where_go_and_java_put_it(file):
    options = file.DESCRIPTOR.GetOptions()
    assert options.go_package.endswith(";laiziv1")
    assert options.java_package == "laizi.v1"
    assert options.java_multiple_files


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.full_name)
def test_a_call_may_be_retried(method):
    assert method.GetOptions().idempotency_level == descriptor_pb2.MethodOptions.NO_SIDE_EFFECTS


@pytest.mark.parametrize(
    "service", [one for one in SERVICES if "Stream" in one.methods_by_name], ids=lambda one: one.name
)
def test_a_stream_takes_every_unary_request_and_answers_in_kind(service):
    unary = {snake(method.name): method for method in service.methods if not method.client_streaming}
    stream = service.methods_by_name["Stream"]
    assert stream.client_streaming
    assert stream.server_streaming
    requests = {field.name: field.message_type for field in stream.input_type.oneofs_by_name["request"].fields}
    responses = {field.name: field.message_type for field in stream.output_type.oneofs_by_name["response"].fields}
    assert requests == {name: method.input_type for name, method in unary.items()}
    assert responses == {name: method.output_type for name, method in unary.items()} | {
        "error": errors_pb2.ItemError.DESCRIPTOR
    }
    for name in requests:
        assert stream.input_type.fields_by_name[name].number == stream.output_type.fields_by_name[name].number


@pytest.mark.parametrize("method", [one for one in METHODS if one.name.startswith("Batch")], ids=lambda one: one.name)
def test_a_batch_item_is_a_request_and_its_result_an_answer_or_an_error(method):
    item = method.input_type.fields_by_name["items"].message_type
    result = method.output_type.fields_by_name["results"].message_type
    call = next(one for one in method.containing_service.methods if one.input_type == item)
    assert [field.message_type for field in result.oneofs_by_name["result"].fields] == [
        call.output_type,
        errors_pb2.ItemError.DESCRIPTOR,
    ]
    # An item may leave out what the batch says for all.
    for message in (item, method.input_type):
        assert message.fields_by_name["rules"].message_type == types_pb2.RuleSetSelector.DESCRIPTOR


@pytest.mark.parametrize("method", [one for one in METHODS if one.name != "Stream"], ids=lambda one: one.full_name)
def test_an_answer_tells_its_engine(method):
    assert {"engine_version", "provenance"} & set(method.output_type.fields_by_name.keys())


def test_options_that_the_contract_names_exist():
    known = {option.name for game in ("doudizhu", "mahjong") for option in rules.options(game)}
    known |= {name[: dot.start()] for name in known for dot in re.finditer(r"\.", name)}
    named = {
        name for file in PROTO.glob("*.proto") for name in re.findall(r"`([a-z_]+\.[a-z_.]+)`", file.read_text("utf-8"))
    }
    assert len(named) > 10
    assert not named - known


def test_reasons_that_the_contract_names_exist():
    known = {name.removeprefix("ERROR_REASON_") for name in errors_pb2.ErrorReason.keys()}  # noqa: SIM118
    for file in PROTO.glob("*.proto"):
        for list_of_reasons in re.findall(r"// Errors: ((?:[^\n]|\n *// (?! *$))+)", file.read_text("utf-8")):
            reasons = set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", list_of_reasons))
            others = {value for enum in file_enums() for value in enum}
            assert reasons - others <= known, file.name


def file_enums() -> list[list[str]]:
    """The values of every enum of the contract but ErrorReason, with and without their prefix."""
    return [
        [value.name for value in enum.values]
        + [value.name.removeprefix(snake(enum.name).upper() + "_") for value in enum.values]
        for file in FILES
        for enum in file.DESCRIPTOR.enum_types_by_name.values()
        if enum.name != "ErrorReason"
    ]
