"""The log of the service, on standard error: lines for people, or JSON for what collects them.

A record may have ``fields``, which say whose call it is about: lines end with them, JSON has them as members.
"""

from __future__ import annotations

import datetime
import json
import logging
import sys
from collections.abc import Mapping
from typing import Any, Final

from laizi_service.settings import Settings

__all__ = ["JsonFormatter", "TextFormatter", "configure"]

_MEMBERS: Final = {"level": "levelname", "logger": "name"}


class TextFormatter(logging.Formatter):
    """One line a record, and the traceback of an exception below it."""

    def __init__(self, worker: int | None = None) -> None:
        source = "" if worker is None else f" worker {worker}"
        super().__init__(f"%(asctime)s %(levelname)s{source} %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        fields: Mapping[str, Any] = getattr(record, "fields", {})
        return " ".join([super().formatMessage(record), *(f"{name}={value}" for name, value in fields.items())])


class JsonFormatter(logging.Formatter):
    """One JSON object a record, on one line: ``time`` (RFC 3339, UTC), ``level``, ``logger``, ``message``, the fields,
    and ``exception`` with a traceback where there is one."""

    def __init__(self, worker: int | None = None) -> None:
        super().__init__()
        self._worker = {} if worker is None else {"worker": worker}

    def format(self, record: logging.LogRecord) -> str:
        """Return the object of a record."""
        time = datetime.datetime.fromtimestamp(record.created, datetime.UTC).isoformat(timespec="milliseconds")
        members: dict[str, Any] = {"time": time.replace("+00:00", "Z")}
        members |= {name: getattr(record, attribute) for name, attribute in _MEMBERS.items()}
        members |= {"message": record.getMessage(), **self._worker, **getattr(record, "fields", {})}
        if record.exc_info:
            members["exception"] = self.formatException(record.exc_info)
        return json.dumps(members, ensure_ascii=False, default=str)


def configure(settings: Settings, worker: int | None = None) -> None:
    """Write log messages as the settings say; those of one worker of several name it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter({"json": JsonFormatter, "text": TextFormatter}[settings.log_format](worker))
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler])
