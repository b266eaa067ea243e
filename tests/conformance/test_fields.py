"""Every field of every request is set in a case that has an answer."""

from collections.abc import Iterator
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from conformance.run import CASES_FILE, METHODS, read_cases
from conformance.variants import FORMS, forms

CASES = read_cases(CASES_FILE)


def requests(case: dict[str, Any]) -> Iterator[Message]:
    made = GetMessageClass(METHODS[case["rpc"]].input_type)
    for request in case.get("requests") or [case["request"]]:
        yield json_format.ParseDict(request, made())


def messages(descriptor: Descriptor, found: set[Descriptor]) -> set[Descriptor]:
    """The messages of the contract that a message holds, itself among them; cards and tiles count by their field."""
    if descriptor.file.package == "laizi.v1" and descriptor.full_name not in FORMS and descriptor not in found:
        found.add(descriptor)
        for field in descriptor.fields:
            if field.message_type is not None:
                messages(field.message_type, found)
    return found


def declared() -> set[str]:
    """The fields of all requests by their full names; of one with cards or tiles both forms."""
    found: set[Descriptor] = set()
    for method in METHODS.values():
        messages(method.input_type, found)
    names = set()
    for field in (field for message in found for field in message.fields):
        if field.message_type is not None and field.message_type.full_name in FORMS:
            names |= {f"{field.full_name}.text", f"{field.full_name}.codes"}
        else:
            names.add(field.full_name)
    return names


def present(message: Message) -> Iterator[str]:
    """The fields that a message sets, named as those that are declared."""
    for name, form in forms(message):
        yield f"{name}.{form.WhichOneof('form')}"
    yield from plain(message)


def plain(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        if field.message_type is None or field.message_type.full_name not in FORMS:
            yield field.full_name
            if field.message_type is not None and field.message_type.file.package == "laizi.v1":
                for one in value if field.is_repeated else [value]:
                    yield from plain(one)


def test_every_field_of_a_request_is_set_in_a_case_with_an_answer():
    answered = [request for case in CASES if "error" not in case for request in requests(case)]
    assert declared() - {name for request in answered for name in present(request)} == set()


def test_byte_codes_are_answered_as_the_text_is():
    known = {case["id"]: case for case in CASES}
    coded = [name for name in known if name.endswith("-codes")]
    assert coded
    for name in coded:
        texts, codes = known[name.removesuffix("-codes")], known[name]
        assert without_forms(texts) == without_forms(codes), name


def test_a_limit_keeps_the_first_plays():
    known = {case["id"]: case for case in CASES}
    (name,) = (name for name in known if name.endswith("-limit"))
    whole, limited = known[name.removesuffix("-limit")]["response"], known[name]["response"]
    assert len(whole["plays"]) > 1
    assert limited == whole | {"plays": whole["plays"][:1]}


def without_forms(case: dict[str, Any]) -> Message:
    """The answer of a case without its cards and tiles, which are in the form of the request."""
    made = json_format.ParseDict(case["response"], GetMessageClass(METHODS[case["rpc"]].output_type)())
    for _, form in forms(made):
        form.Clear()
    return made
