"""Which tiles of a hand make a run, triplet or kong with another tile, wilds and stand-ins among them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from laizi.mahjong import Meld, MeldKind
from laizi.mahjong.hands import TileUse


class MeldFinder:
    """What may be claimed with which tiles under the rules and wilds of an evaluator."""

    def __init__(self, use: TileUse) -> None:
        self._use = use
        self._wilds_claim = use.rules.wild.claims

    def runs(self, counts: bytes, tile: int) -> list[tuple[int, int]]:
        """The pairs of tiles of a hand (34 counts) that make a run with the tile."""
        faces = self._faces(tile)
        found: set[tuple[int, int]] = set()
        for run in self._use.runs if faces else ():
            for place in range(3):
                if run[place] in faces:
                    first, second = run[:place] + run[place + 1 :]
                    for a, b in itertools.product(self._players(first), self._players(second)):
                        if counts[a] and counts[b] >= 1 + (a == b):
                            found.add((min(a, b), max(a, b)))
        return sorted(found)

    def equals(self, counts: bytes, tile: int, size: int) -> list[tuple[int, ...]]:
        """The sets of ``size`` tiles of a hand (34 counts) that are equal to the tile."""
        found: set[tuple[int, ...]] = set()
        for face in self._faces(tile):
            pool = [kind for kind in sorted(self._players(face)) for _ in range(counts[kind])]
            found.update(itertools.combinations(pool, size))
        return sorted(found)

    def concealed_kongs(self, counts: bytes) -> list[tuple[int, tuple[int, ...]]]:
        """The kongs in a hand, each as `kong` gives it."""
        found: set[tuple[int, tuple[int, ...]]] = set()
        for tile in range(len(counts)):
            if counts[tile] == 4 or (counts[tile] and (self._wilds_claim or tile in self._use.stand_ins)):
                rest = bytearray(counts)
                rest[tile] -= 1
                found.update(self.kong(tile, joining) for joining in self.equals(bytes(rest), tile, 3))
        return sorted(found)

    def kong(self, tile: int, joining: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """The same tiles as one, natural where there is one, and the three that join it."""
        first, *rest = sorted((tile, *joining), key=lambda one: (one in self._use.wilds, one))
        return first, tuple(sorted(rest))

    def triplet(self, melds: Sequence[Meld], tile: int) -> Meld | None:
        """The open triplet to which a tile can be added."""
        for meld in melds:
            if meld.kind is MeldKind.PENG and self.equal((tile, *meld.tiles)):
                return meld
        return None

    def equal(self, group: Sequence[int]) -> bool:
        """Whether tiles, whatever claims bar, can all be equal."""
        return bool(frozenset.intersection(*map(self._use.may_be, set(group))))

    def run(self, group: Sequence[int]) -> bool:
        """Whether three tiles, whatever claims bar, can be a run."""
        return any(
            all(face in self._use.may_be(tile) for tile, face in zip(order, run, strict=True))
            for order in set(itertools.permutations(group))
            for run in self._use.runs
        )

    def _players(self, face: int) -> Iterator[int]:
        """The tiles that may play a face in a claim."""
        if face not in self._use.put_down and (self._wilds_claim or face not in self._use.wilds):
            yield face
        if face in self._use.wilds:
            yield from self._use.stand_ins - {face} - self._use.put_down
        if self._wilds_claim and face in self._use.fill:
            yield from self._use.wilds - {face}

    def _faces(self, tile: int) -> frozenset[int]:
        """The faces that the tile claimed may have."""
        return self._use.may_be(tile) if tile not in self._use.wilds or self._wilds_claim else frozenset()
