"""The index tables of docs/notation.md are those of the code."""

import re
from pathlib import Path

from laizi import cards, tiles

DOCUMENT = (Path(__file__).parents[2] / "docs/notation.md").read_text(encoding="utf-8")
INDEXED_ROWS = re.findall(r"^\| (\d+) \| `(\w+)` \| (.+) \|$", DOCUMENT, re.MULTILINE)


def test_card_table():
    rows = INDEXED_ROWS[: len(cards.RANKS)]
    for index, (number, text, rest) in enumerate(rows):
        _, copies, codes, bit = rest.split(" | ")
        assert (int(number), text) == (index, cards.RANKS[index])
        assert int(copies) == cards.COPIES[index]
        assert [int(code, 16) for code in codes.split()] == [cards.code_of(index, suit) for suit in range(int(copies))]
        assert 1 << int(bit) == cards.read(text).word()


def test_tile_table():
    rows = INDEXED_ROWS[len(cards.RANKS) :]
    assert len(rows) == tiles.KINDS
    for index, (number, text, rest) in enumerate(rows):
        name, code = rest.split(" | ")
        assert (int(number), text, name, int(code, 16)) == (
            index,
            tiles.NAMES[index],
            tiles.name(index),
            tiles.CODES[index],
        )
