"""What the mahjong engine takes and gives: melds, hu types, decompositions, answers.

Tiles stand in answers by their index 0..33 (see `laizi.tiles`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Protocol

from laizi import tiles
from laizi.errors import ErrorReason, HuRefusal, RequestError
from laizi.tiles import NAMES, Tiles

__all__ = [
    "Decomposition",
    "Discard",
    "HuAnswer",
    "HuType",
    "Improvement",
    "Meld",
    "MeldKind",
    "Payoff",
    "Shanten",
    "Shape",
    "Wait",
    "Waits",
    "WinMode",
]


class HuType(StrEnum):
    """What makes a win big. The order is that of the bits in a column of types, lowest first."""

    PENGPENGHU = "pengpenghu"  # 碰碰胡, all triplets
    QINGYISE = "qingyise"  # 清一色, one suit
    FENGYISE = "fengyise"  # 风一色, honours only
    JIANGYISE = "jiangyise"  # 将一色, 乱将: all 2, 5, 8
    QUANQIUREN = "quanqiuren"  # 全求人, four claims and a single tile left
    MENQING = "menqing"  # 门清, melds and a pair with nothing claimed
    QIDUI = "qidui"  # 七对, seven pairs
    LONGQI = "longqi"  # 龙七对, seven pairs with a four; counts instead of QIDUI
    DANDIAO = "dandiao"  # 单吊, one concealed tile left before the win
    GANG_FLOWER = "gang_flower"  # 杠上花, self-draw on a replacement tile
    HAIDI = "haidi"  # 海底捞, self-draw among the last tiles
    ROB_KONG = "rob_kong"  # 抢杠, win on another player's added kong


class MeldKind(StrEnum):
    """How a meld came to lie on the table."""

    CHI = "chi"  # 吃, a run with a discard
    PENG = "peng"  # 碰, a triplet with a discard
    ZHI_GANG = "zhi_gang"  # 直杠, a kong from a discard
    BU_GANG = "bu_gang"  # 补杠, a tile added to an own peng
    AN_GANG = "an_gang"  # 暗杠, a concealed kong


class WinMode(StrEnum):
    """Where the winning tile comes from."""

    ZIMO = "zimo"  # 自摸, drawn
    DISCARD = "discard"  # 点炮, another player's discard
    ROB_KONG = "rob_kong"  # 抢杠, the fourth tile of another player's added kong


class Shape(StrEnum):
    """What wins: see the option ``hu.shapes``."""

    STANDARD = "standard"
    SEVEN_PAIRS = "seven_pairs"
    DRAGON_SEVEN = "dragon_seven"
    FREE_WIND = "free_wind"
    FREE_JIANG = "free_jiang"


@dataclass(frozen=True, slots=True)
class Meld:
    """A meld on the table. ``seat`` is the seat that gave the claimed tile, None for a concealed kong or unknown.

    >>> Meld("peng", "z1 z1 z1", 3)
    Meld(kind=<MeldKind.PENG: 'peng'>, tiles=Tiles('z1z1z1'), seat=3)
    """

    kind: MeldKind
    tiles: Tiles
    seat: int | None = None

    def __init__(self, kind: MeldKind | str, tiles_: Tiles | str | bytes, seat: int | None = None) -> None:
        try:
            made = MeldKind(kind)
        except ValueError:
            raise RequestError(
                ErrorReason.UNKNOWN_ENUM_VALUE, f"{kind!r} is no kind of meld: {', '.join(MeldKind)}", path="kind"
            ) from None
        object.__setattr__(self, "kind", made)
        object.__setattr__(self, "tiles", tiles.read(tiles_, path="tiles"))
        object.__setattr__(self, "seat", seat)


@dataclass(frozen=True, slots=True)
class Decomposition:
    """One way to see a winning hand; every tile is given by the face that it has there."""

    shape: Shape
    melds: tuple[tuple[int, ...], ...]
    """The concealed melds: three faces each."""
    pairs: tuple[int, ...]
    """The face of the pair, or those of the seven pairs."""
    singles: tuple[int, ...]
    """The faces of a hand without a shape (乱风, 乱将)."""
    open_melds: tuple[tuple[int, ...], ...]
    """The melds on the table, in the order given, as they lie."""
    wilds: tuple[tuple[int, int], ...]
    """Each wild tile of the concealed hand and of the melds with the face that it stands for, itself included."""
    stand_ins: tuple[tuple[int, int], ...]
    """Likewise each stand-in tile."""
    types: tuple[HuType, ...]
    """The hu types that hold when the hand is seen so."""
    points: Fraction
    """What it is then worth: see `HuAnswer.points`."""

    @property
    def pair(self) -> int | None:
        """The face of the pair; None where there is not exactly one."""
        return self.pairs[0] if len(self.pairs) == 1 else None

    def faces(self) -> Iterator[int]:
        """The faces of the concealed tiles, group by group."""
        for meld in self.melds:
            yield from meld
        for face in self.pairs:
            yield face
            yield face
        yield from self.singles

    def text(self) -> str:
        """The groups in words: ``123m 456p 789s 5m5m | z1z1z1, wild 9p as 5m``."""
        groups = [Tiles.from_indices(meld).text() for meld in self.melds]
        groups += [NAMES[face] * 2 for face in self.pairs]
        groups += [" ".join(NAMES[face] for face in self.singles)] if self.singles else []
        text = " ".join(groups)
        if self.open_melds:
            text += " | " + " ".join("".join(NAMES[face] for face in meld) for meld in self.open_melds)
        stands = [f"{NAMES[tile]} as {NAMES[face]}" for tile, face in (*self.wilds, *self.stand_ins) if tile != face]
        return text + (", " + ", ".join(stands) if stands else "")


@dataclass(frozen=True, slots=True)
class HuAnswer:
    """Whether a hand wins, and as what. Without a win the fields from ``types`` to ``points`` are empty."""

    hu: bool
    refusals: tuple[HuRefusal, ...]
    """Why it is no win, in the order of precedence; empty exactly for a win."""
    types: tuple[HuType, ...]
    """All hu types of the reading that is paid; none for a small win."""
    small: bool
    """A small win (屁胡): no hu type holds."""
    hard: bool
    """硬: see the option ``hu.hard_basis``."""
    factors: tuple[HuType, ...]
    """The situations that hold and multiply instead of being a type: see ``hu.situational``."""
    base: Fraction | None
    """Base points: those of the types or of a small win, before all factors."""
    points: Fraction | None
    """Base × self-draw × hard × situations that count as factors: what a loser pays before his and the winner's
    openings, kongs, put-downs, the feeder's and the dealer's factors and caps."""
    decomposition: Decomposition | None
    """The reading that is paid. Where the tiles form a shape and no reading wins, the one that would be, among those
    with the fewest refusals; None where they form none."""
    decompositions: tuple[Decomposition, ...]
    """Every reading that wins, on request, the one that is paid first; two that differ only in which kind of wild takes
    which other face are one."""
    wilds_held: int
    """Wild tiles in the concealed hand."""
    wilds_standing: int | None
    """Those of them that stand for another tile in the reading that is paid."""
    clauses: tuple[str, ...]
    """The rulebook's clauses that decided the answer, as far as the rule set names them."""


class Payoff(Protocol):
    """What a win pays, as far as it decides whether and how a hand wins."""

    @property
    def gold(self) -> bool:
        """Every loser reaches gold (金顶)."""

    @property
    def gain(self) -> Fraction:
        """What the winner receives in all."""


@dataclass(frozen=True, slots=True)
class Wait:
    """One tile that a hand wins with."""

    tile: int
    left: int
    """Copies that nobody has shown: four less those in the hand, the melds and the visible tiles."""
    answer: HuAnswer


@dataclass(frozen=True, slots=True)
class Waits:
    """What a hand waits for (听)."""

    waits: tuple[Wait, ...]
    everything: bool
    """It wins with every tile of the set that it can draw (见字胡)."""
    left: int
    """The copies left of all waits."""
    clauses: tuple[str, ...]
    """The clauses that decided: those of the waits, or, where there are none, those that bar every tile."""

    @property
    def tiles(self) -> tuple[int, ...]:
        """The winning tiles by index."""
        return tuple(wait.tile for wait in self.waits)


@dataclass(frozen=True, slots=True)
class Discard:
    """One tile to discard, and what the hand then waits for (听牌提示)."""

    tile: int
    waits: Waits


@dataclass(frozen=True, slots=True)
class Improvement:
    """One tile that brings a hand nearer to a win."""

    tile: int
    left: int


@dataclass(frozen=True, slots=True)
class Shanten:
    """How far a hand is from waiting (向听): -1 a win, 0 waiting (听), n: n exchanges from waiting."""

    shanten: int | None
    """None where no shape can be reached: the melds rule out all that the rules know, or too few tiles are left."""
    improvements: tuple[Improvement, ...]
    """The tiles whose draw lowers it, with the copies left."""
