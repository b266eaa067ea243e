"""Decompositions from what the solver writes out: which physical wild stands for which face."""

from __future__ import annotations

from collections.abc import Iterator

from laizi.mahjong.answers import Decomposition, Shape
from laizi.mahjong.hands import OpenMelds, TileUse
from laizi.mahjong.verdicts import CODE_SHAPES, Verdict
from laizi.tiles import KINDS

__all__ = ["Written", "assemble"]

Numbers = tuple[int, ...]
Written = tuple[tuple[Numbers, ...], Numbers, Numbers, Numbers, Numbers, Numbers, Numbers]
"""What `Solver.decompose` gives: melds, pairs, singles, then 34 numbers each: real, proper, itself, fill."""


def assemble(
    use: TileUse, counts: bytes, code: int, open_melds: OpenMelds, written: Written, verdict: Verdict
) -> Decomposition:
    """The decomposition of concealed tiles, given as 34 counts, that the solver wrote out, and what it is worth."""
    melds, pairs, singles, real, proper, itself, fill = written
    wilds = [(tile, tile) for tile in sorted(use.wilds) for _ in range(itself[tile])]
    standing = [tile for tile in sorted(use.wilds) for _ in range(counts[tile] - itself[tile])]
    wilds += zip(standing, _assign(standing, _expand(fill)), strict=True)
    stand_ins = [(tile, tile) for tile in sorted(use.stand_ins) for _ in range(proper[tile])]
    playing = [tile for tile in sorted(use.stand_ins) for _ in range(counts[tile] - proper[tile])]
    stand_ins += zip(playing, _expand(tuple(real[face] - proper[face] for face in range(KINDS))), strict=True)
    return Decomposition(
        shape=Shape(CODE_SHAPES[code & 7]),
        melds=melds,
        pairs=pairs,
        singles=singles,
        open_melds=open_melds.melds,
        wilds=(*sorted(wilds), *open_melds.wilds),
        stand_ins=(*sorted(stand_ins), *open_melds.stand_ins),
        types=verdict.types,
        points=verdict.points,
    )


def _expand(counts: Numbers) -> list[int]:
    return [face for face, count in enumerate(counts) for _ in range(count)]


def _assign(standing: list[int], faces: list[int]) -> list[int]:
    """A face for each wild, none its own. One exists: the solver leaves room for it."""

    def search(place: int, left: list[int]) -> Iterator[list[int]]:
        if place == len(standing):
            yield []
            return
        for face in dict.fromkeys(left):
            if face != standing[place]:
                rest = left.copy()
                rest.remove(face)
                for others in search(place + 1, rest):
                    yield [face, *others]

    return next(search(0, faces))
