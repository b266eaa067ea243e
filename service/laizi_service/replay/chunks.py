"""A log from its first row to its last, in chunks of bounded size: each is answered and written, then the next read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from laizi.v1 import errors_pb2
from laizi_service.answering import Answerer
from laizi_service.replay.answers import answer_rows
from laizi_service.replay.journal import Journal, Progress
from laizi_service.replay.rows import Row, Source

__all__ = ["replay"]

_MOST_ROWS: Final = 8_192
_MOST_BYTES: Final = 1024 * 1024

Told = Callable[[Progress, list[tuple[int, errors_pb2.ItemError]]], None]


def replay(source: Source, answerer: Answerer, journal: Journal, told: Told, *, full: bool = False) -> None:
    """Answer every row that the journal has no result for, through the columns unless ``full`` answers are wanted.

    After each chunk ``told`` gets what is done and the errors of its rows by their numbers. Raises UnansweredError when
    the answers stop; what was written until then stands.
    """
    progress = journal.progress
    told(progress, [])
    for chunk in _chunks(source.rows(progress.place, progress.number)):
        answers = answer_rows(answerer, chunk, full=full)
        wrong = [
            (row.number, answer.error) for row, answer in zip(chunk, answers, strict=True) if answer.error is not None
        ]
        journal.add(
            (answer.line for answer in answers),
            replace(
                journal.progress,
                rows=journal.progress.rows + len(chunk),
                wrong=journal.progress.wrong + len(wrong),
                place=chunk[-1].end,
                number=chunk[-1].number,
            ),
        )
        told(journal.progress, wrong)
    journal.finish()


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    chunk: list[Row] = []
    size = 0
    for row in rows:
        chunk.append(row)
        size += row.size
        if len(chunk) >= _MOST_ROWS or size >= _MOST_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
