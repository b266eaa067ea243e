"""What is asked about claims, and what is answered. Tiles stand in answers by their index 0..33."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from laizi.errors import ClaimRefusal, HuRefusal
from laizi.mahjong import HuAnswer, Meld
from laizi.settlement.mahjong import Table
from laizi.tiles import Tiles


class Trigger(StrEnum):
    """What happened."""

    DISCARD = "DISCARD"
    """A seat discarded the tile: the others may take it."""
    DRAW = "DRAW"
    """A seat drew the tile, which is among its concealed tiles."""
    CLAIMED = "CLAIMED"
    """A seat claimed a tile and has to discard. It may put tiles down and kong before, but not win."""
    ADDED_KONG = "ADDED_KONG"
    """A seat adds the tile to its open triplet: the others may rob it. Its melds still show the triplet."""


class ClaimKind(StrEnum):
    """What a seat may do."""

    PASS = "PASS"
    """Does nothing: with another seat's tile, or with one of the last tiles that wins nothing."""
    CHI = "CHI"
    PENG = "PENG"
    ZHI_GANG = "ZHI_GANG"
    BU_GANG = "BU_GANG"
    AN_GANG = "AN_GANG"
    PUT_DOWN = "PUT_DOWN"
    """Puts down a tile that the rules bar from the hand (红中杠, 下痞子)."""
    WILD_KONG = "WILD_KONG"
    """Puts down a wild as a kong (癞子杠)."""
    HU = "HU"
    """Wins: on a draw, a discard or a robbed kong."""
    DISCARD = "DISCARD"


@dataclass(frozen=True, slots=True)
class ClaimSeat:
    """A seat as the claims see it."""

    seat: int
    concealed: Tiles | str | bytes
    """3n+2 tiles for the seat that drew or has to discard, else 3n+1."""
    melds: Sequence[Meld] = ()
    put_downs: int = 0
    """Tiles put down that the rules bar from the hand, discarded ones included where that scores."""
    wild_kongs: int = 0
    """Wild tiles put down as kongs, or discarded where that scores."""
    wild_discarded: bool = False
    """It discarded a wild, where that bars a win."""
    missed_hu: bool = False
    """It passed a win since its last draw, where that bars a win on another seat's tile."""


@dataclass(frozen=True, slots=True)
class Question:
    """An action to be judged."""

    seat: int
    kind: ClaimKind | str
    tile: str | bytes = ""
    """As `Claim.tile`; may be left out for what is done with the tile of the trigger."""
    with_tiles: Tiles | str | bytes = ""
    """As `Claim.with_tiles`; may be left out for triplets and kongs."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What happened, and what the seats hold."""

    trigger: Trigger | str
    trigger_seat: int
    """The seat to which it happened."""
    tile: str | bytes = ""
    """The tile discarded, drawn or added; none with CLAIMED."""
    seats: Sequence[ClaimSeat] = ()
    """The seats whose choices are asked for. One that is left out claims nothing and has laid nothing down."""
    seat_count: int = 4
    dealer: int | None = None
    """Needed where winners are ordered from the dealer."""
    wall_left: int | None = None
    """Tiles that can still be drawn, reserved ones not counted, after the current draw; None: the end is far."""
    after_kong: bool = False
    """The tile drawn, or the one discarded after it, replaced a kong or a put-down."""
    questions: Sequence[Question] = ()
    table: Table | None = None
    """Needed where a win may depend on its settlement. What ``seats`` describes is taken from there."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a seat may do."""

    kind: ClaimKind
    tile: int | None = None
    """The index of the tile claimed, put down, konged, won on or discarded; None for a pass."""
    with_tiles: tuple[int, ...] = ()
    """The tiles of the hand that join it: two for chi and peng, three for kongs from a discard and concealed ones."""
    priority: int = 0
    """Who comes first when several seats claim: 1 is first, and equal numbers of several seats all get their claim.
    0 on the seat's own turn and for a pass."""
    factor: Fraction | None = None
    """What it multiplies; None where it scores nothing."""
    replacement_draw: bool = False
    """A replacement tile is drawn afterwards."""
    forced: bool = False
    """The seat has no other choice."""
    bans_hu: bool = False
    """The seat may not win this hand afterwards."""
    hu: HuAnswer | None = None
    """What the win is worth; only with HU."""
    clauses: tuple[str, ...] = ()
    """Ids of the clauses that allow it or say what follows."""


@dataclass(frozen=True, slots=True)
class SeatClaims:
    """All that one seat may do: wins, kongs, peng, chi, put-downs, discards, pass."""

    seat: int
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason why an action is not allowed."""

    reason: ClaimRefusal
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an action is allowed. Either ``claim`` or ``refusals`` says more."""

    allowed: bool
    claim: Claim | None
    """The action as it would be listed."""
    refusals: tuple[Refusal, ...]
    """All reasons, in the order of `laizi.errors.ClaimRefusal`."""
    hu_refusals: tuple[HuRefusal, ...] = ()
    """Why the tiles are no win, where that is a reason."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What the seats may do, and the verdicts on the questions."""

    seats: tuple[SeatClaims, ...]
    """In the order of priority; a seat that may only pass is left out."""
    verdicts: tuple[Verdict, ...]
    """One a question. Each is judged by itself; then, where several seats ask for the same tile, those that another
    allowed one goes before are refused as outranked."""
    clauses: tuple[str, ...]
    """Ids of the clauses that decided order and restrictions."""
