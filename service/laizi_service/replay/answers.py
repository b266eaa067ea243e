"""Answers to rows, each a line in the JSON form of a stream: through columns where rows fit them, else in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import grpc
from google.protobuf import json_format
from google.protobuf.message_factory import GetMessageClass

from laizi.errors import ErrorReason
from laizi.v1 import errors_pb2
from laizi.v1.doudizhu_pb2 import DoudizhuServiceStreamResponse
from laizi_service.answering import Answerer, UnansweredError
from laizi_service.codec import item_error, pb_reason
from laizi_service.replay.columns import COLUMNS, Fit, Key, fit
from laizi_service.replay.rows import Kind, Row

__all__ = ["Answer", "answer_rows"]


class Answer(NamedTuple):
    """The result of one row."""

    line: str
    """A JSON object without a line break."""
    error: errors_pb2.ItemError | None = None
    """The error that it holds."""


def answer_rows(answerer: Answerer, rows: Sequence[Row], *, full: bool = False) -> list[Answer]:
    """Return the answer to each row. ``full`` asks no column, so that each answer is all that a call would tell.

    Raises UnansweredError when it is not a row's fault that there is no answer.
    """
    answers: dict[int, Answer] = {}
    left = rows if full else _through_columns(answerer, rows, answers)
    by_kind: dict[str, list[Row]] = {}
    for row in left:
        if row.error is not None or row.kind is None:
            assert row.error is not None
            answers[row.number] = _refused(row, item_error(row.error, row.error.path))
        else:
            by_kind.setdefault(row.kind.name, []).append(row)
    for alike in by_kind.values():
        kind = alike[0].kind
        assert kind is not None
        if kind.batch is None:
            _answer_singly(answerer, kind, alike, answers)
        else:
            _answer_together(answerer, kind, alike, answers)
    return [answers[row.number] for row in rows]


# ------------------------------------------------------------------------------------------------------------- columns


def _through_columns(answerer: Answerer, rows: Sequence[Row], answers: dict[int, Answer]) -> list[Row]:
    """Answer the rows that fit columns. Returns the others, and those that a column says are wrong, in their order."""
    groups: dict[Key, list[tuple[Row, Fit]]] = {}
    for row in rows:
        found = None if row.error is not None or row.kind is None else fit(row.kind.name, row.request)
        if found is not None:
            groups.setdefault(found.key, []).append((row, found))
    for group in groups.values():
        _answer_group(answerer, group, answers)
    return [row for row in rows if row.number not in answers]


def _answer_group(answerer: Answerer, group: Sequence[tuple[Row, Fit]], answers: dict[int, Answer]) -> None:
    first = group[0][0]
    assert first.kind is not None
    column = COLUMNS[first.kind.name]
    columns = [b"".join(cells) for cells in zip(*(found.cell for _, found in group), strict=True)]
    try:
        responses = [answerer.ask(method, request) for method, request in column.calls(first.request, columns)]
    except UnansweredError as error:
        if error.failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED:
            _in_halves(group, lambda half: _answer_group(answerer, half, answers))
        elif not error.blames_request:
            raise
        # Otherwise rules or wilds are wrong for all of them, and a message tells each row why.
        return
    name = first.kind.stream_response.DESCRIPTOR.fields_by_name[first.kind.name].json_name
    provenance = f'"provenance": {json_format.MessageToJson(responses[0].provenance, indent=None, ensure_ascii=False)}'
    for (row, _), members in zip(group, column.answers(first.request, responses), strict=True):
        if members is not None:
            body = f"{members}, {provenance}" if members else provenance
            answers[row.number] = Answer(f'{{"correlationId": "{row.correlation_id}", "{name}": {{{body}}}}}')


def _in_halves(items: Sequence[Any], ask: Callable[[Sequence[Any]], None]) -> None:
    """Ask about more items or bytes than a service takes at once: half of them, until they fit, one stays unasked."""
    if len(items) > 1:
        half = len(items) // 2
        ask(items[:half])
        ask(items[half:])


# ------------------------------------------------------------------------------------------------------------ messages


def _answer_together(answerer: Answerer, kind: Kind, rows: Sequence[Row], answers: dict[int, Answer]) -> None:
    assert kind.batch is not None
    batch: Any = GetMessageClass(kind.batch.input_type)()
    batch.items.extend(row.request for row in rows)
    try:
        response = answerer.ask(kind.batch, batch)
    except UnansweredError as error:
        if error.failure.code is not grpc.StatusCode.RESOURCE_EXHAUSTED:
            raise
        if len(rows) == 1:
            answers[rows[0].number] = _refused(rows[0], _too_large(error))
        _in_halves(rows, lambda half: _answer_together(answerer, kind, half, answers))
        return
    for row, result in zip(rows, response.results, strict=True):
        refused = result.HasField("error")
        answers[row.number] = _refused(row, result.error) if refused else _answered(row, kind, result.response)


def _answer_singly(answerer: Answerer, kind: Kind, rows: Sequence[Row], answers: dict[int, Answer]) -> None:
    responses = answerer.ask_each((kind.method, row.request) for row in rows)
    for row, response in zip(rows, responses, strict=True):
        if not isinstance(response, UnansweredError):
            answers[row.number] = _answered(row, kind, response)
        elif response.failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED:
            answers[row.number] = _refused(row, _too_large(response))
        elif response.blames_request:
            answers[row.number] = _refused(row, _item_error(response))
        else:
            raise response


def _answered(row: Row, kind: Kind, response: Any) -> Answer:
    made: Any = kind.stream_response(correlation_id=row.correlation_id)
    getattr(made, kind.name).CopyFrom(response)
    return Answer(_json(made))


def _refused(row: Row, error: errors_pb2.ItemError) -> Answer:
    # Both games write an error alike, so a row of neither may take either.
    response = DoudizhuServiceStreamResponse if row.kind is None else row.kind.stream_response
    made: Any = response(correlation_id=row.correlation_id)
    made.error.CopyFrom(error)
    return Answer(_json(made), error)


def _json(message: Any) -> str:
    return json_format.MessageToJson(message, indent=None, ensure_ascii=False)


def _too_large(error: UnansweredError) -> errors_pb2.ItemError:
    return errors_pb2.ItemError(reason=pb_reason(ErrorReason.TOO_MANY_ITEMS), message=error.failure.message)


def _item_error(error: UnansweredError) -> errors_pb2.ItemError:
    failed = error.failure
    assert failed.reason is not None
    metadata = dict(failed.metadata)
    return errors_pb2.ItemError(
        reason=pb_reason(failed.reason),
        field=failed.field,
        message=failed.message.removeprefix(f"{failed.field}: "),
        position=int(metadata["position"]) if "position" in metadata else None,
        limit=int(metadata["limit"]) if "limit" in metadata else None,
    )
