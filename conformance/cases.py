"""What a case of the conformance file is: a question, and how to know that an answer to it is right."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from conformance.run import IGNORED_FILE, METHODS, read_ignored, without
from laizi.errors import ErrorReason

Json = dict[str, Any]
IGNORED: Final = read_ignored(IGNORED_FILE)

Check = Callable[[Any], None]
"""Raises AssertionError for a response that is not what the source of a case says."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its expectation: a check of the response, or an error's reason and field."""

    id: str
    rpc: str
    """The short name of the method, such as ``DoudizhuService/ReadPlay``."""
    requests: Sequence[Json]
    """One; on a stream one or more."""
    check: Check | None = None
    reason: ErrorReason | None = None
    field: str = ""
    clauses: Sequence[str] = ()
    """Ids of the rulebook's clauses that it shows."""
    vectors: Sequence[str] = ()
    """Ids of the acceptance vectors from which it is made."""

    @property
    def method(self) -> MethodDescriptor:
        found: MethodDescriptor = METHODS[f"laizi.v1.{self.rpc}"]
        return found

    def messages(self) -> list[Message]:
        """The requests. Raises ParseError where they are none."""
        return [json_format.ParseDict(request, GetMessageClass(self.method.input_type)()) for request in self.requests]


def line(case: Case, answers: Sequence[Message] | Json) -> str:
    """The line of a case with its error, or with what of its responses is compared."""
    made: Json = {"id": case.id, "rpc": f"laizi.v1.{case.rpc}", "clauses": list(case.clauses)}
    made["vectors"] = list(case.vectors)
    requests = list(map(canonical, case.messages()))
    if case.method.client_streaming:
        assert not isinstance(answers, dict)
        made |= {"requests": requests, "responses": list(map(compared, answers))}
    else:
        made["request"] = requests[0]
        made |= {"error": answers} if isinstance(answers, dict) else {"response": compared(answers[0])}
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n"


def compared(message: Message) -> Json:
    """The canonical JSON form of a message without the fields that no runner compares."""
    return canonical(without(message, IGNORED))


def canonical(message: Message) -> Json:
    """The canonical JSON form of a message, maps in the order of their keys."""
    made: Json = json.loads(json.dumps(json_format.MessageToDict(message), sort_keys=True))
    return made
