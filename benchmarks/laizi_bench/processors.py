"""Which processors a part of a measurement runs on."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator

__all__ = ["apart", "on"]


def apart() -> tuple[set[int], set[int]] | None:
    """Return the processor of a service under measurement and those of its clients; None where there is only one."""
    all_ = sorted(os.sched_getaffinity(0))
    return ({all_[-1]}, set(all_[:-1])) if len(all_) > 1 else None


@contextlib.contextmanager
def on(processors: Collection[int]) -> Iterator[None]:
    """Run this thread, and the processes that it starts meanwhile, on some processors alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
