"""Results that survive a crash: each chunk is written whole before it counts, and what does not count is cut off."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

__all__ = ["Journal", "JournalError", "Progress", "fingerprint"]

_END: Final = 1024 * 1024


class JournalError(RuntimeError):
    """Results cannot be gone on with, or another process writes them."""


@dataclass(frozen=True)
class Progress:
    """What is done."""

    rows: int = 0
    """Rows with a result."""
    wrong: int = 0
    """Those of them whose result is an error."""
    place: int = 0
    """Where in the log reading goes on, as `rows.Row.end` says."""
    number: int = 0
    """The number of the last row."""
    written: int = 0
    """Bytes of results."""


def fingerprint(path: Path, *asked: bytes | str) -> str:
    """Return what tells a log and what is asked about it from others: 16 hex digits.

    A log is told by its size, the time of its last change, and the first and last MiB of it.
    """
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        digest = hashlib.sha256(f"{status.st_size} {status.st_mtime_ns}".encode())
        digest.update(file.read(_END))
        file.seek(max(0, status.st_size - _END))
        digest.update(file.read(_END))
    for part in asked:
        digest.update(hashlib.sha256(part.encode() if isinstance(part, str) else part).digest())
    return digest.hexdigest()[:16]


class Journal:
    """The results of one log, ``LOG.results.jsonl``, while they are made.

    Until `finish` they stand in ``….partial``, with what is done of them in ``….state``. A chunk counts once both
    are on the disk; opening the same log again goes on behind the last chunk that counts.
    """

    def __init__(self, log: Path, key: str, *, restart: bool = False) -> None:
        """Open the results of a log, begun or new; ``key`` is its fingerprint.

        Raises JournalError when another process writes them, or they were begun with another key. ``restart`` throws
        away what there is.
        """
        self.results = log.with_name(log.name + ".results.jsonl")
        self._partial = self.results.with_name(self.results.name + ".partial")
        self._state = self.results.with_name(self.results.name + ".state")
        self._key = key
        self._finished = False
        self._file = os.open(self._partial, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            self._lock()
            self.progress = Progress() if restart else self._begun()
            self._trim()
        except BaseException:
            os.close(self._file)
            raise

    def add(self, lines: Iterable[str], progress: Progress) -> None:
        """Write the results of a chunk; ``progress`` is what is done with them, but for ``written``."""
        with open(self._file, "wb", closefd=False) as out:  # a descriptor, not a path
            written = sum(out.write(f"{line}\n".encode()) for line in lines)
        os.fsync(self._file)
        self.progress = Progress(**asdict(progress) | {"written": self.progress.written + written})
        self._save()

    def finish(self) -> None:
        """Give the results, which are complete, their name."""
        self._partial.replace(self.results)
        self._finished = True
        self._state.unlink(missing_ok=True)
        _sync_folder(self.results.parent)

    def close(self) -> None:
        """Close the file, finished or not. Nothing is left of results that have no row."""
        if not self._finished and not self.progress.rows:
            self._partial.unlink(missing_ok=True)
            self._state.unlink(missing_ok=True)
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalError(f"another replay is writing {self._partial}") from None
        # It may have been finished, and so renamed, between opening and locking.
        if not self._partial.exists() or not os.path.samestat(os.fstat(self._file), self._partial.stat()):
            raise JournalError(f"another replay has just finished {self.results}")

    def _begun(self) -> Progress:
        try:
            read: dict[str, Any] = json.loads(self._state.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Progress()
        except ValueError:
            raise JournalError(f"{self._state} is damaged; --restart begins anew") from None
        if read.pop("key", None) != self._key:
            raise JournalError(
                f"{self._partial} was begun from another file, with other options, rules or version; "
                "--restart begins anew"
            )
        return Progress(**read)

    def _trim(self) -> None:
        if os.fstat(self._file).st_size < self.progress.written:
            raise JournalError(f"{self._partial} has lost results; --restart begins anew")
        os.ftruncate(self._file, self.progress.written)
        os.lseek(self._file, 0, os.SEEK_END)
        self._save()

    def _save(self) -> None:
        fresh = self._state.with_name(self._state.name + ".new")
        with fresh.open("w", encoding="utf-8") as file:
            json.dump({"key": self._key, **asdict(self.progress)}, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._state)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
