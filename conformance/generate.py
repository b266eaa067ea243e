"""Writes ``cases.jsonl``: asks the service every question of this folder, and keeps an answer only when it is right.

``make conformance`` runs it. What is right is said by the acceptance vectors in ``tests/vectors``, not by the service:
a case is written after its answer has passed the check that was made from its vectors, and nothing is written when
one has not. A test fails when the file is stale, or when an RPC or an error that a request can provoke has no case.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf.message import Message

from conformance import doudizhu, mahjong, malformed, rule_sets, variants
from conformance.cases import Case, Json, canonical, line
from conformance.run import Service, sent_error
from laizi.errors import ErrorReason
from laizi_service.launch import Launched

FILE: Final = Path(__file__).with_name("cases.jsonl")
STREAMS: Final = {"DoudizhuService": doudizhu, "MahjongService": mahjong}


class WrongAnswerError(Exception):
    """The service does not answer what the source of a case says."""


def main() -> int:
    """Write the file. Returns the exit code: 1 when an answer is not what its vectors say."""
    try:
        with Launched() as launched, Service(launched.target) as service:
            lines = list(generated(service))
    except WrongAnswerError as error:
        print(f"nothing is written: {error}", file=sys.stderr)
        return 1
    FILE.write_text("".join(lines), encoding="utf-8")
    print(f"{FILE.name}: {len(lines)} cases")
    return 0


def generated(service: Service) -> Iterator[str]:
    """The lines of the file. Raises `WrongAnswerError`."""
    asked: dict[str, list[tuple[Json, Message]]] = {name: [] for name in STREAMS}
    for case in unary():
        answers = right_answers(service, case)
        yield line(case, answers)
        name = case.rpc.partition("/")[0]
        if name in asked and not isinstance(answers, dict):
            asked[name].append((dict(case.requests[0], rpc=case.rpc), answers[0]))
    for name, pairs in asked.items():
        case = stream(name, pairs)
        yield line(case, right_answers(service, case))


def unary() -> Iterator[Case]:
    """Every case but the streams, which repeat some of these."""
    made = [*doudizhu.cases(), *mahjong.cases(), *rule_sets.cases()]
    yield from made
    yield from variants.cases(made)
    yield from malformed.cases()


def stream(name: str, pairs: Iterable[tuple[Json, Message]]) -> Case:
    """One request of each kind on a stream, answered as the calls were, and a malformed one."""
    kinds: dict[str, tuple[Json, Message]] = {}
    for request, answer in pairs:
        kinds.setdefault(request["rpc"].partition("/")[2], (request, answer))
    requests: list[Json] = []
    expected: list[Json] = []
    for number, (kind, (request, answer)) in enumerate(kinds.items(), 1):
        field = kind[0].lower() + kind[1:]
        inner = {key: value for key, value in request.items() if key != "rpc"}
        requests.append({"correlationId": str(number), field: inner})
        expected.append({"correlationId": str(number), field: canonical(answer)})
    requests.append({"correlationId": str(len(requests) + 1)})

    def check(answers: Sequence[Any]) -> None:
        *told, last = map(canonical, answers)
        assert told == expected
        assert last["error"]["reason"] == f"ERROR_REASON_{ErrorReason.MISSING_FIELD}"

    return Case(f"Stream/{name}", f"{name}/Stream", requests, check)


def right_answers(service: Service, case: Case) -> Sequence[Message] | Json:
    """The responses of a case, or its error. Raises `WrongAnswerError`."""
    try:
        answers = service.ask(case.method, case.messages())
    except grpc.RpcError as error:
        told = sent_error(error)
        if case.reason is None or (told.get("reason"), told.get("field", "")) != (case.reason, case.field):
            raise WrongAnswerError(f"{case.id}: {told}") from None
        return told
    if case.check is None:
        raise WrongAnswerError(f"{case.id}: answered, although it is malformed")
    try:
        case.check(answers if case.method.client_streaming else answers[0])
    except (AssertionError, KeyError, IndexError) as error:
        raise WrongAnswerError(f"{case.id}: not what its source says ({error!r}): {answers}") from error
    return answers


if __name__ == "__main__":
    sys.exit(main())
