"""Which calls stand in the log, and whose they are: the caller's request id and W3C trace context."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Mapping
from typing import Any, Final

import grpc

from laizi_service.settings import LogCalls

__all__ = ["REQUEST_ID", "CallLog", "origin"]

REQUEST_ID: Final = "x-request-id"
"""Metadata that names a call: the caller's, or one that is made up for a call that fails and has none."""

_log: Final = logging.getLogger(__name__)
_ID: Final = re.compile(r"[\w.:/+=@-]{1,128}", re.ASCII)
_TRACE: Final = re.compile(r"(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-.*)?")


def origin(context: Any) -> dict[str, str]:
    """Return ``request_id`` of a call, made up where the caller gave none, and ``trace_id`` and ``span_id`` of the
    caller's span, where he told them (``traceparent``)."""
    shown = dict(context.invocation_metadata() or ())
    sent = dict(context.trailing_metadata() or ())
    request_id = sent.get(REQUEST_ID) or shown.get(REQUEST_ID) or ""
    fields = {"request_id": request_id if _ID.fullmatch(request_id) else secrets.token_hex(8)}
    trace = _TRACE.fullmatch(shown.get("traceparent", ""))
    return fields | ({"trace_id": trace[1], "span_id": trace[2]} if trace else {})


class CallLog:
    """Writes a line for each call that the settings want in the log."""

    def __init__(self, log_calls: LogCalls, slow_seconds: float) -> None:
        # Decided here once: a call that is not logged costs one comparison.
        self._all = log_calls == "all"
        self._errors = log_calls in ("all", "errors")
        self._slow_seconds = float("inf") if log_calls == "none" else slow_seconds

    def ended(self, method: str, context: Any, code: grpc.StatusCode, seconds: float, *, lasting: bool = False) -> None:
        """Note the end of a call. One that lasts, a stream, is never slow."""
        slow = seconds >= self._slow_seconds and not lasting
        failed = code is not grpc.StatusCode.OK
        if not (slow or self._all or (failed and self._errors)):
            return
        fields: Mapping[str, Any] = {
            "method": method,
            "code": code.name,
            "seconds": round(seconds, 6),
            **origin(context),
            "peer": context.peer(),
        }
        level = logging.WARNING if slow else logging.INFO
        _log.log(level, "slow call" if slow else "call failed" if failed else "call", extra={"fields": fields})
