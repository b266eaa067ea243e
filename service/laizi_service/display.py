"""Answers as people read them: cards with suits, tiles by name, columns that stay straight beside Chinese text."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from laizi import cards, tiles
from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2
from laizi_service.codec import source

__all__ = [
    "PLAY_TYPES",
    "columns",
    "draw_cards",
    "draw_group",
    "draw_reading",
    "draw_tiles",
    "fraction",
    "pad",
    "width",
]

PLAY_TYPES: Final = {
    doudizhu_pb2.PLAY_TYPE_SINGLE: "单张",
    doudizhu_pb2.PLAY_TYPE_PAIR: "对子",
    doudizhu_pb2.PLAY_TYPE_TRIPLE: "三张",
    doudizhu_pb2.PLAY_TYPE_TRIPLE_1: "三带一",
    doudizhu_pb2.PLAY_TYPE_TRIPLE_2: "三带二",
    doudizhu_pb2.PLAY_TYPE_STRAIGHT: "顺子",
    doudizhu_pb2.PLAY_TYPE_PAIR_STRAIGHT: "连对",
    doudizhu_pb2.PLAY_TYPE_PLANE: "飞机",
    doudizhu_pb2.PLAY_TYPE_PLANE_1: "飞机带单",
    doudizhu_pb2.PLAY_TYPE_PLANE_2: "飞机带对",
    doudizhu_pb2.PLAY_TYPE_FOUR_2: "四带二",
    doudizhu_pb2.PLAY_TYPE_FOUR_22: "四带两对",
    doudizhu_pb2.PLAY_TYPE_BOMB: "炸弹",
    doudizhu_pb2.PLAY_TYPE_ROCKET: "火箭",
}
_TIERS: Final = {
    doudizhu_pb2.BOMB_TIER_SOFT: "软炸",
    doudizhu_pb2.BOMB_TIER_HARD: "硬炸",
    doudizhu_pb2.BOMB_TIER_PURE: "纯癞子炸",
    doudizhu_pb2.BOMB_TIER_MIXED: "混炸",
    doudizhu_pb2.BOMB_TIER_CHAIN: "连炸",
}


def width(text: str) -> int:
    """Return how many columns of a terminal a text fills: a Chinese character fills two."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def pad(text: str, columns: int) -> str:
    """Return a text filled up with spaces to a number of columns."""
    return text + " " * (columns - width(text))


def columns(rows: Iterable[Sequence[str]], indent: str = "  ", gap: str = "   ") -> str:
    """Return rows of equally many cells with each column as wide as its widest cell."""
    table = [list(row) for row in rows]
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        (indent + gap.join(pad(cell, size) for cell, size in zip(row, widths, strict=True))).rstrip() for row in table
    )


def draw_cards(message: types_pb2.Cards) -> str:
    """Return cards as at a table: ``♠3 ♥3 10 小王``."""
    return cards.read(source(message)).human()


def draw_tiles(message: types_pb2.Tiles) -> str:
    """Return tiles by their names, those of one suit together: ``一二三万 五筒 中中``."""
    return _names((index, tiles.name(index)[0]) for index in tiles.read(source(message)))


def fraction(value: types_pb2.Fraction) -> str:
    """Return an exact number: ``40`` or ``3/2``."""
    return str(value.numerator) if value.denominator in (0, 1) else f"{value.numerator}/{value.denominator}"


def draw_reading(reading: doudizhu_pb2.Reading) -> tuple[str, str, str, str]:
    """Return a reading in four cells: its Chinese name, its code, its cards, what the wilds stand for."""
    name = _TIERS.get(reading.tier, PLAY_TYPES[reading.type])
    body, kickers = draw_cards(reading.body), draw_cards(reading.kickers)
    stands = ", ".join(f"{draw_cards(item.wild)} → {item.rank.replace('T', '10')}" for item in reading.stand_ins)
    return name, reading.code, f"{body} + {kickers}" if kickers else body, stands


def draw_group(group: mahjong_pb2.HuGroup) -> str:
    """Return one group of a win by the tiles that it stands for, wilds in brackets: ``三四[五]万``."""
    physical = list(tiles.read(source(group.tiles)))
    faces = []
    for stand_in in group.stand_ins:
        physical.remove(next(iter(tiles.read(source(stand_in.wild)))))
        (face,) = tiles.read(source(stand_in.stands_for))
        faces.append((face, f"[{tiles.name(face)[0]}]"))
    return _names(sorted([*((tile, tiles.name(tile)[0]) for tile in physical), *faces]))


def _names(named: Iterable[tuple[int, str]]) -> str:
    """Tiles in rising order, each with its numeral or its name, and the suit behind the last numeral of it."""
    parts = []
    for suit, group in itertools.groupby(named, key=lambda tile: tile[0] // 9):
        parts.append("".join(name for _, name in group) + ("万筒条"[suit] if suit < 3 else ""))
    return " ".join(parts)
