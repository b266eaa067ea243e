"""The signals that end the service or make it read its rule sets anew."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Final

__all__ = ["AWAITED", "ENDING", "kept"]

ENDING: Final = frozenset({signal.SIGTERM, signal.SIGINT})
AWAITED: Final = ENDING | {signal.SIGHUP}


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Keep these signals for whoever calls `signal.sigwait`. Comes before any thread, so that none takes one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
