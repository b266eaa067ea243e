"""The signals that end the service or make it read its rule sets anew, and those that end who started it."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Final

__all__ = ["AWAITED", "ENDING", "interrupts_held", "kept"]

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


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Start processes that Ctrl-C, which reaches all of a terminal, does not end: whoever started them does.

    They inherit what is blocked, so that it holds already while they import. Their starter is interrupted afterwards:
    another of its threads may take the signal, and half a start would leave a process that nobody ends.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    held: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda number, _: held.append(number)) if main else None
    try:
        yield
    finally:
        if main:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if held:
            signal.raise_signal(signal.SIGINT)
