"""What happens in an auction, and what is answered about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from laizi.errors import AuctionRefusal
from laizi.settlement.factors import Factor


class Action(StrEnum):
    """What a seat does."""

    BID = "BID"
    """Bids points (叫分)."""
    CALL = "CALL"
    """Calls (叫地主)."""
    PASS = "PASS"
    """Declines to bid or call (不叫)."""
    ROB = "ROB"
    """Robs (抢地主)."""
    DECLINE_ROB = "DECLINE_ROB"
    """Declines to rob (不抢)."""
    SHOW_BEFORE_DEAL = "SHOW_BEFORE_DEAL"
    """Shows the hand (明牌) before the deal."""
    SHOW_DURING_DEAL = "SHOW_DURING_DEAL"
    """Shows it during the deal."""
    SHOW_AFTER_BOTTOM = "SHOW_AFTER_BOTTOM"
    """Shows it after taking the bottom."""
    DOUBLE = "DOUBLE"
    """Doubles (加倍)."""
    DECLINE_DOUBLE = "DECLINE_DOUBLE"
    """Declines to double (不加倍)."""
    TIMEOUT = "TIMEOUT"
    """Let the clock run out: the declining action of the phase, or the only bid that a seat may make."""


class Status(StrEnum):
    """How far an auction has come."""

    OPEN = "OPEN"
    """Somebody has to act."""
    DONE = "DONE"
    """The landlord is known and nobody has to act."""
    REDEAL = "REDEAL"
    """Nobody called: deal anew."""
    ILLEGAL = "ILLEGAL"
    """An event was illegal; everything before it stands."""


class Phase(StrEnum):
    """What an auction waits for."""

    CALL = "CALL"
    """Bids or calls."""
    ROB = "ROB"
    DOUBLE = "DOUBLE"
    """Doublings; the landlord has the bottom and may show."""
    OVER = "OVER"
    """Play."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened."""

    seat: int
    action: Action
    points: int = 0
    """The points bid; only with BID."""
    cards_dealt: int = 0
    """Cards dealt to the seat so far, 0 to 17; only with SHOW_DURING_DEAL."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a seat may do now."""

    action: Action
    points: tuple[int, ...] = ()
    """The points that may be bid; only with BID."""
    factor: Fraction | None = None
    """What it multiplies; None where it does not."""
    clauses: tuple[str, ...] = ()
    """Ids of the clauses that allow it."""


@dataclass(frozen=True, slots=True)
class Actor:
    """A seat that acts now."""

    seat: int
    must_act: bool
    """The auction waits for it; else it only may act, such as a landlord who may show."""
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Illegal:
    """The first illegal event."""

    index: int
    """Its index among the events, from 0."""
    reason: AuctionRefusal
    text: str
    clauses: tuple[str, ...]
    """Ids of the clauses that forbid it."""


@dataclass(frozen=True, slots=True)
class Auction:
    """The state after the events."""

    status: Status
    phase: Phase
    """What it waits for; for an illegal event, the phase in which it came."""
    actors: tuple[Actor, ...]
    """Who acts now, the next in turn first; all at once when doubling."""
    landlord: int | None
    """Known once nobody can take the role from him."""
    provisional: int | None
    """The seat that called, while others may rob."""
    base: int
    """The highest bid so far, or 1."""
    multiplier: Fraction
    """The product of the factors of robs and shows; doubling counts pair by pair and is not in it."""
    factors: tuple[Factor, ...]
    robs: int
    """How often the role was robbed."""
    doubled: tuple[bool, bool, bool]
    forced: bool
    """Whether the landlord did not call but had to take the role."""
    illegal: Illegal | None
    clauses: tuple[str, ...]
    """Ids of the clauses that decided status, landlord and order."""
