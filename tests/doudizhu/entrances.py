"""Every way into the reader of plays, asked the same question at once."""

from __future__ import annotations

import contextlib
import random
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence

from laizi.cards import Cards
from laizi.doudizhu import CardsLike, Evaluator, ListedPlay, Reading
from laizi.errors import NotationError
from tests.doudizhu.hands import Table
from tests.oracle.doudizhu import Play


def _all_readings() -> Iterator[Reading]:
    for code in range(1 << 12):
        with contextlib.suppress(NotationError):
            yield Reading.from_code(code)


ALL_READINGS = tuple(_all_readings())
"""Every reading that some rules have."""


def evaluator(table: Table, max_cards: int = 20) -> Evaluator:
    return Evaluator(table.ruleset, table.wild_ranks, " ".join(table.wild_cards), max_cards=max_cards)


def word(counts: Iterable[int]) -> int:
    """The engine's word: four bits a rank, the weakest lowest."""
    return sum(count << 4 * rank for rank, count in enumerate(counts))


def row(cards: Play) -> bytes:
    """One row of a batch: naturals and wilds as little-endian words."""
    return struct.pack("<QQ", word(cards.naturals), word(cards.wilds))


def codes(column: bytes | bytearray) -> list[str]:
    """A column of reading codes as readings."""
    return [str(Reading.from_code(code)) for code in memoryview(column).cast("H")]


def rows(engine: Evaluator, cards: Play, *, last: bool) -> list[str]:
    """The readings of an answer, on which a row and a batch have agreed."""
    single = row(cards)
    found = codes(engine.read_row(single, last))
    counts, column, errors = engine.read_rows(single * 2, last)
    assert codes(column) == found * 2
    assert list(counts) == [len(found)] * 2
    assert not any(errors)
    return found


def forms(cards: Sequence[str], rng: random.Random) -> tuple[CardsLike, ...]:
    """The same cards as text, as a table shows them, as byte codes and as `Cards`, each in an order of its own."""

    def text() -> str:
        return rng.choice(("", " ", ", ")).join(rng.sample(cards, len(cards)))

    codes = bytearray(Cards.from_text(text()).codes())
    rng.shuffle(codes)
    return text(), text().replace("T", "10"), Cards.from_text(text()).human(), bytes(codes), Cards.from_text(text())


def listed(plays: Iterable[ListedPlay]) -> list[tuple[Play, str]]:
    """Listed plays as the oracle lists them."""
    return [(Play(_counts(one.naturals), _counts(one.wilds)), str(one.reading)) for one in plays]


def code(one: object) -> bytes:
    """A reading as it stands in a column; None leads."""
    return Reading.parse(str(one)).code.to_bytes(2, "little") if one else bytes(2)


def groups(engine: Evaluator, hand: Play, previous: object) -> list[str]:
    """The readings that a hand can play, on which the columns have agreed with what can be beaten at all."""
    counts, column, errors = engine.group_rows(row(hand) * 2, code(previous) * 2)
    assert not any(errors)
    found = codes(column)
    half = len(found) // 2
    assert found == found[:half] * 2
    assert list(memoryview(counts).cast("H")) == [half] * 2
    if previous:
        beatable, errors = engine.beatable_rows(code(previous), row(hand))
        assert not any(errors)
        assert list(beatable) == [half > 0]
    return found[:half]


def plays(engine: Evaluator, hand: Play, previous: object, limit: int = sys.maxsize) -> list[tuple[Play, str]]:
    """Every play of a hand, from columns; a batch of two has the same twice."""
    counts, cards, column, errors = engine.play_rows(row(hand), code(previous), limit)
    assert not any(errors)
    assert engine.play_rows(row(hand) * 2, code(previous) * 2, limit) == (counts * 2, cards * 2, column * 2, errors * 2)
    words = list(struct.iter_unpack("<QQ", cards))
    assert list(memoryview(counts).cast("I")) == [len(words)]
    played = [Play(_counts(naturals), _counts(wilds)) for naturals, wilds in words]
    return list(zip(played, codes(column), strict=True))


def _counts(word: int) -> tuple[int, ...]:
    return tuple(word >> 4 * rank & 15 for rank in range(15))
