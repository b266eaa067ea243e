"""The door of the mahjong engine: concealed tiles and melds, checked once and turned into what the solver reads."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from laizi import tiles
from laizi.errors import CardsError, ErrorReason, LaiziError, RequestError
from laizi.mahjong.answers import Meld, MeldKind
from laizi.rules.mahjong import MahjongRules
from laizi.tiles import COPIES, KINDS, NAMES, Tiles

__all__ = ["MOST_MELDS", "GivenHand", "Hand", "OpenMelds", "TileUse", "Written"]

MOST_MELDS = 5
"""Melds of a hand, concealed and open ones together: five at tables of 17 tiles."""
_SIZE = {
    MeldKind.CHI: 3,
    MeldKind.PENG: 3,
    MeldKind.ZHI_GANG: 4,
    MeldKind.BU_GANG: 4,
    MeldKind.AN_GANG: 4,
}
_KONG_NAMES = {MeldKind.ZHI_GANG: "zhi", MeldKind.BU_GANG: "bu", MeldKind.AN_GANG: "an"}


GivenHand = tuple[bytes, bytes, int, int, bool, int, int]
"""34 counts of concealed tiles, then what the melds add: 34 counts of their faces; suits as bits m, p, s, honours;
content, 0 only 2-5-8 triplets, 1 triplets, 2 a run among them; whether some face is none of 2, 5, 8; how many melds.
Last the one concealed tile before the win, -1 where there is not one."""
Written = tuple[
    tuple[tuple[int, ...], ...],
    tuple[int, ...],
    tuple[int, ...],
    tuple[tuple[int, int], ...],
    tuple[tuple[int, int], ...],
]
"""One reading of the concealed tiles by faces: melds, pairs, singles; then each wild with its face, each stand-in."""


@dataclass(frozen=True, slots=True)
class OpenMelds:
    """One way to see the melds on the table: the faces that their tiles have."""

    melds: tuple[tuple[int, ...], ...]
    wilds: tuple[tuple[int, int], ...]
    """Each wild tile in them with the face that it stands for."""
    stand_ins: tuple[tuple[int, int], ...]

    @property
    def soft(self) -> bool:
        """A wild in them stands for another tile."""
        return any(tile != face for tile, face in self.wilds)

    def for_solver(self) -> tuple[bytes, int, int, bool, int]:
        """Counts by face, suits, content, a face other than 2, 5, 8, number: see the struct Hand of the solver."""
        faces = list(itertools.chain.from_iterable(self.melds))
        counts = bytearray(KINDS)
        for face in faces:
            counts[face] += 1
        suits = 0
        for face in faces:
            suits |= 1 << (face // 9 if face < 27 else 3)
        others = any(face >= 27 or face % 3 != 1 for face in faces)
        content = 2 if any(meld[0] != meld[1] for meld in self.melds) else 1 if others else 0
        return bytes(counts), suits, content, others, len(self.melds)


@dataclass(frozen=True, slots=True)
class Hand:
    """Checked tiles of one player."""

    concealed: Tiles
    melds: tuple[Meld, ...]
    open_ways: tuple[OpenMelds, ...]
    physical: bytes
    """Copies of each tile, melds included."""


class TileUse:
    """What each tile may be under a rule set with given wilds."""

    def __init__(self, rules: MahjongRules, wilds: Iterable[int], indicator: int | None) -> None:
        suited = [index for index in range(27) if "mps"[index // 9] in rules.tiles.suits]
        honours = [NAMES.index(name) for name in rules.tiles.honours]
        self.rules = rules
        self.tiles = frozenset(suited + honours)
        self.wilds = frozenset(wilds)
        self.fill = self.tiles if rules.wild.stands_for == "any" else frozenset(suited)
        self.stand_ins = (
            frozenset(NAMES.index(name) for name in rules.wild.stand_in) & self.tiles - self.wilds
            if self.wilds
            else frozenset()
        )
        named = frozenset(NAMES.index(name) for name in rules.down.tiles if name != "indicator")
        turned = frozenset() if indicator is None or "indicator" not in rules.down.tiles else frozenset({indicator})
        self.put_down = named | turned
        self.runs = self._runs()
        # The same melds are looked at again and again while a hand is played.
        self._ways_of = functools.lru_cache(maxsize=1024)(lambda kind, group: tuple(self._find_ways(kind, group)))

    def _runs(self) -> tuple[tuple[int, int, int], ...]:
        runs = [(low, low + 1, low + 2) for low in range(25) if low % 9 <= 6]
        if "winds" in self.rules.hu.honour_runs:
            runs += itertools.combinations(range(27, 31), 3)
        if "dragons" in self.rules.hu.honour_runs:
            runs.append((31, 32, 33))
        return tuple(run for run in runs if self.tiles.issuperset(run))

    def may_be(self, tile: int) -> frozenset[int]:
        """The faces that a tile may have."""
        if tile in self.wilds:
            return self.fill | {tile}
        if tile in self.stand_ins:
            return self.wilds | {tile}
        return frozenset({tile})

    def read(self, source: Tiles | str | bytes, path: str, empty: ErrorReason | None = None) -> Tiles:
        """Tiles of the set. Raises NotationError, CardsError (TOO_MANY_COPIES, TILE_OUTSIDE_SET, ``empty``)."""
        read = tiles.read(source, path=path, empty=empty)
        for index, count in enumerate(read.counts):
            if count and index not in self.tiles:
                raise CardsError(
                    ErrorReason.TILE_OUTSIDE_SET, f"{NAMES[index]} is not in the tile set of the rules", path=path
                )
        return read

    def hand(self, concealed: Tiles | str | bytes, melds: Sequence[Meld], remainder: tuple[int, ...]) -> Hand:
        """A checked hand whose concealed tiles number 3n + one of ``remainder``.

        Raises CardsError: EMPTY_HAND, WRONG_TILE_COUNT, TOO_MANY_COPIES, TILE_OUTSIDE_SET, MALFORMED_MELD,
        MELD_NOT_ALLOWED, WILD_IN_MELD.
        """
        held = self.read(concealed, "concealed", ErrorReason.EMPTY_HAND)
        wanted = " or ".join(f"3n+{more}" for more in remainder)
        if len(held) % 3 not in remainder:
            raise CardsError(
                ErrorReason.WRONG_TILE_COUNT,
                f"{len(held)} concealed tiles; a hand has {wanted}",
                path="concealed",
            )
        if len(melds) + len(held) // 3 > MOST_MELDS:
            raise CardsError(
                ErrorReason.WRONG_TILE_COUNT,
                f"{len(held)} concealed tiles and {len(melds)} melds are more than {MOST_MELDS} melds and a pair",
                path="concealed",
                limit=3 * (MOST_MELDS - len(melds)) + max(remainder),
            )
        ways = [self.meld_ways(meld, f"melds[{index}]") for index, meld in enumerate(melds)]
        physical = bytearray(held.counts)
        for index, meld in enumerate(melds):
            for tile in meld.tiles:
                physical[tile] += 1
                if physical[tile] > COPIES:
                    raise CardsError(
                        ErrorReason.TOO_MANY_COPIES,
                        f"{NAMES[tile]} is held and melded more than {COPIES} times",
                        path=f"melds[{index}].tiles",
                        limit=COPIES,
                    )
        return Hand(held, tuple(melds), tuple(self._combine(ways)), bytes(physical))

    def check_laid(self, physical: Sequence[int], put_downs: Mapping[str, int], wild_kongs: Mapping[str, int]) -> None:
        """Check that the tiles held and those laid down, numbers by their paths, exist together.

        Raises CardsError (TOO_MANY_COPIES) at the first number that is too much.
        """
        for kinds, laid, what in ((self.put_down, put_downs, "tiles to put down"), (self.wilds, wild_kongs, "wilds")):
            total, limit = sum(physical[tile] for tile in kinds), COPIES * len(kinds)
            for path, number in laid.items():
                total += number
                if number and total > limit:
                    message = f"{total} {what} are held or laid down, there are {limit}"
                    raise CardsError(ErrorReason.TOO_MANY_COPIES, message, path=path, limit=limit)

    def _combine(self, ways: list[tuple[OpenMelds, ...]]) -> Iterator[OpenMelds]:
        for choice in itertools.product(*ways):
            yield OpenMelds(
                tuple(meld for way in choice for meld in way.melds),
                tuple(pair for way in choice for pair in way.wilds),
                tuple(pair for way in choice for pair in way.stand_ins),
            )

    def meld_ways(self, meld: Meld, path: str) -> tuple[OpenMelds, ...]:
        """Every way to see one meld; the tiles of most can be seen in one way only."""
        if not isinstance(meld, Meld):
            raise RequestError(ErrorReason.MALFORMED_MELD, f"expected a Meld, got {meld!r}", path=path)
        try:
            return self._ways_of(meld.kind, meld.tiles)
        except LaiziError as error:
            raise error.under(path) from None

    def _find_ways(self, kind: MeldKind, group: Tiles) -> Iterator[OpenMelds]:
        self._check_kind(kind)
        held = tuple(self.read(group, "tiles"))
        for tile in held:
            if tile in self.wilds and not self.rules.wild.claims:
                raise CardsError(ErrorReason.WILD_IN_MELD, f"the wild {NAMES[tile]} is not used in melds", path="tiles")
            if tile in self.put_down:
                raise CardsError(ErrorReason.MELD_NOT_ALLOWED, f"{NAMES[tile]} is only put down", path="tiles")
        size = _SIZE[kind]
        groups = self.runs if kind is MeldKind.CHI else tuple((face,) * size for face in sorted(self.tiles))
        if held in groups:
            # Tiles that make the meld by their own faces are taken so.
            yield OpenMelds(
                (held,),
                tuple((tile, tile) for tile in held if tile in self.wilds),
                tuple((tile, tile) for tile in held if tile in self.stand_ins),
            )
            return
        found = False
        for faces in groups if len(held) == size else ():
            ways = set()
            for order in itertools.permutations(held):
                if all(face in self.may_be(tile) for tile, face in zip(order, faces, strict=True)):
                    pairs = sorted(zip(order, faces, strict=True))
                    ways.add(
                        (
                            tuple(pair for pair in pairs if pair[0] in self.wilds),
                            tuple(pair for pair in pairs if pair[0] in self.stand_ins),
                        )
                    )
            for wilds, stand_ins in sorted(ways):
                found = True
                yield OpenMelds((faces,), wilds, stand_ins)
        if not found:
            raise CardsError(ErrorReason.MALFORMED_MELD, f"{group.text() or 'nothing'} is no {kind}", path="tiles")

    def _check_kind(self, kind: MeldKind) -> None:
        claim = self.rules.claim
        off = kind is MeldKind.CHI and claim.chi == "none"
        off = off or (kind in _KONG_NAMES and _KONG_NAMES[kind] not in claim.kong)
        if off:
            raise CardsError(ErrorReason.MELD_NOT_ALLOWED, f"the rules know no {kind}", path="kind")
