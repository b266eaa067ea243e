"""A service in a process of its own on free ports of this machine, for demonstrations and measurements."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import threading
from collections import deque
from types import TracebackType
from typing import Final, Self

from laizi_service import signals

__all__ = ["LaunchError", "Launched"]

_LINE: Final = re.compile(r"serves gRPC on (\S+) and metrics on ([^\s\"]+)")


class LaunchError(RuntimeError):
    """The service did not start, or did not end well; the text holds the end of its log."""


class Launched:
    """A running service, of one process or of several workers. Leaving the context ends it."""

    def __init__(self, *flags: str) -> None:
        """Start it with flags of ``laizi serve``, and wait until it serves. Raises `LaunchError`."""
        command = [sys.executable, "-m", "laizi_service", "serve", "--port=0", "--metrics-port=0", *flags]
        self._tail: deque[str] = deque(maxlen=20)
        with contextlib.ExitStack() as undo:
            with signals.interrupts_held():
                # In a process group of its own, so that Ctrl-C reaches its owner alone, who then ends it.
                self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, process_group=0)
                undo.callback(self._process.wait)
                undo.callback(self._process.terminate)
            self._wait_until_it_serves()
            undo.pop_all()
        # Its log must be read on, or the service would wait for a reader.
        self._reader = threading.Thread(target=self._tail.extend, args=(self._process.stderr,), daemon=True)
        self._reader.start()

    @property
    def target(self) -> str:
        """What takes calls, for the client: one address, or those of all workers."""
        return ",".join(self.targets)

    @property
    def pid(self) -> int:
        """The process that was started; of several workers, their supervisor."""
        return self._process.pid

    def close(self) -> None:
        """Ask it to end and wait. Raises `LaunchError` when it does not end well."""
        self._process.terminate()
        self.wait()

    def wait(self) -> None:
        """Wait for its end. Raises `LaunchError` when it does not end well."""
        code = self._process.wait(60)
        self._reader.join()
        if self._process.stderr is not None:
            self._process.stderr.close()
        if code:
            raise LaunchError(f"the service ended with code {code}:\n{''.join(self._tail)}")

    def _wait_until_it_serves(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._tail.append(line)
            found = _LINE.search(line)
            if found:
                targets, self.metrics_url = found.groups()
                self.targets = tuple(targets.split(","))
                return
        self._process.wait()
        raise LaunchError(f"the service did not start:\n{''.join(self._tail)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
