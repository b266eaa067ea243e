"""Errors on the wire: the one place that turns a `LaiziError` into a gRPC status with google.rpc details."""

from __future__ import annotations

from typing import Final

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from laizi.errors import ErrorReason, LaiziError, RequestError

__all__ = [
    "CODES",
    "DOMAIN",
    "InternalFaultError",
    "OverloadedError",
    "ShuttingDownError",
    "code_label",
    "code_of",
    "of_error",
]

DOMAIN: Final = "laizi.v1"
"""The domain of every ErrorInfo: reasons are names of the ErrorReason enum of this package."""

CODES: Final = {
    ErrorReason.TOO_MANY_ITEMS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.RULE_SET_DIGEST_MISMATCH: grpc.StatusCode.FAILED_PRECONDITION,
    ErrorReason.NOT_IMPLEMENTED: grpc.StatusCode.UNIMPLEMENTED,
    ErrorReason.OVERLOADED: grpc.StatusCode.UNAVAILABLE,
    ErrorReason.SHUTTING_DOWN: grpc.StatusCode.UNAVAILABLE,
    ErrorReason.DEADLINE_EXCEEDED: grpc.StatusCode.DEADLINE_EXCEEDED,
    ErrorReason.INTERNAL_FAULT: grpc.StatusCode.INTERNAL,
    ErrorReason.UNAUTHENTICATED: grpc.StatusCode.UNAUTHENTICATED,
}
"""The status of each reason that is not about what the caller wrote; all others are INVALID_ARGUMENT."""


def code_of(reason: ErrorReason) -> grpc.StatusCode:
    """Return the gRPC status of a reason."""
    return CODES.get(reason, grpc.StatusCode.INVALID_ARGUMENT)


def code_label(code: grpc.StatusCode) -> str:
    """Return a status as metrics spell it: ``OK``, ``InvalidArgument``, ``Canceled``."""
    if code is grpc.StatusCode.OK:
        return "OK"
    if code is grpc.StatusCode.CANCELLED:
        return "Canceled"
    return code.name.title().replace("_", "")


class OverloadedError(RequestError):
    """The server has as much as it may; the caller should come back, better to another replica."""

    def __init__(self, what: str, limit: int, retry_seconds: float) -> None:
        super().__init__(ErrorReason.OVERLOADED, f"{what}; try again, better at another replica", limit=limit)
        self.retry_seconds = retry_seconds


class ShuttingDownError(RequestError):
    """The server drains; the caller should go on at another replica."""

    def __init__(self, retry_seconds: float) -> None:
        super().__init__(ErrorReason.SHUTTING_DOWN, "the server is going away; go on at another replica")
        self.retry_seconds = retry_seconds


class InternalFaultError(RequestError):
    """The server failed; what happened stands in its log under the id."""

    def __init__(self, fault: str) -> None:
        super().__init__(ErrorReason.INTERNAL_FAULT, f"internal fault, in the server's log under {fault}")
        self.id = fault


def of_error(error: LaiziError, path: str) -> status_pb2.Status:
    """Return the whole status of an error that lies at a path of the request."""
    fault = error.id if isinstance(error, InternalFaultError) else None
    metadata = {"position": error.position, "limit": error.limit, "id": fault}
    details: list[Message] = [
        error_details_pb2.ErrorInfo(
            reason=error.reason,
            domain=DOMAIN,
            metadata={key: str(value) for key, value in metadata.items() if value is not None},
        )
    ]
    code = code_of(error.reason)
    if path:
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=path, description=error.message, reason=error.reason
        )
        details.append(error_details_pb2.BadRequest(field_violations=[violation]))
    if isinstance(error, OverloadedError | ShuttingDownError):
        details.append(error_details_pb2.RetryInfo(retry_delay=_duration(error.retry_seconds)))
    status = status_pb2.Status(code=code.value[0], message=f"{path}: {error.message}" if path else error.message)
    for detail in details:
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)
    return status


def _duration(seconds: float) -> duration_pb2.Duration:
    duration = duration_pb2.Duration()
    duration.FromMicroseconds(round(seconds * 1e6))
    return duration
