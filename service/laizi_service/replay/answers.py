"""Answers to rows: those of one kind go together in a batch, and each comes back in the JSON form of a stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import grpc
from google.protobuf.message_factory import GetMessageClass

from laizi.errors import ErrorReason
from laizi.v1 import errors_pb2
from laizi.v1.doudizhu_pb2 import DoudizhuServiceStreamResponse
from laizi_service.answering import Answerer, UnansweredError
from laizi_service.codec import item_error, pb_reason
from laizi_service.replay.rows import Kind, Row

__all__ = ["answer_rows", "error_of"]


def answer_rows(answerer: Answerer, rows: Sequence[Row]) -> list[Any]:
    """Return the answer to each row: a message of its game's stream, which may hold an error.

    Raises UnansweredError when it is not a row's fault that there is no answer.
    """
    answers: dict[int, Any] = {}
    by_kind: dict[str, list[Row]] = {}
    for row in rows:
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


def error_of(answer: Any) -> errors_pb2.ItemError | None:
    """Return the error that an answer holds, None where it holds none."""
    return answer.error if answer.HasField("error") else None


def _answer_together(answerer: Answerer, kind: Kind, rows: Sequence[Row], answers: dict[int, Any]) -> None:
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
            return
        # More items or bytes than this service takes at once: half of them, until they fit.
        half = len(rows) // 2
        _answer_together(answerer, kind, rows[:half], answers)
        _answer_together(answerer, kind, rows[half:], answers)
        return
    for row, result in zip(rows, response.results, strict=True):
        refused = result.HasField("error")
        answers[row.number] = _refused(row, result.error) if refused else _answered(row, kind, result.response)


def _answer_singly(answerer: Answerer, kind: Kind, rows: Sequence[Row], answers: dict[int, Any]) -> None:
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


def _answered(row: Row, kind: Kind, response: Any) -> Any:
    made: Any = kind.stream_response(correlation_id=row.correlation_id)
    getattr(made, kind.name).CopyFrom(response)
    return made


def _refused(row: Row, error: errors_pb2.ItemError) -> Any:
    # Both games write an error alike, so a row of neither may take either.
    response = DoudizhuServiceStreamResponse if row.kind is None else row.kind.stream_response
    made: Any = response(correlation_id=row.correlation_id)
    made.error.CopyFrom(error)
    return made


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
