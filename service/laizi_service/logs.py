"""The log of the service, on standard error."""

from __future__ import annotations

import logging
import sys

from laizi_service.settings import Settings

__all__ = ["configure"]


def configure(settings: Settings, worker: int | None = None) -> None:
    """Write log messages as the settings say; those of one worker of several name it."""
    source = "" if worker is None else f" worker {worker}"
    logging.basicConfig(
        level=settings.log_level.upper(),
        format=f"%(asctime)s %(levelname)s{source} %(name)s: %(message)s",
        stream=sys.stderr,
    )
