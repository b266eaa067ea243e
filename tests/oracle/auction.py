"""How an auction of Dou Dizhu goes, told from the rules: everybody's intentions in, the story and its end out.

Slow and plain on purpose. It asks nobody out of turn, because it walks through the table seat by seat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Intent:
    """What a seat would do if it were asked."""

    bid: int
    """0 for none; the oracle lowers a bid that may not be made to none."""
    robs: bool


@dataclass
class Story:
    """The events as (seat, what, points), and how the auction ended."""

    events: list[tuple[int, str, int]] = field(default_factory=list)
    landlord: int | None = None
    base: int = 1
    robs: int = 0
    forced: bool = False


def tell(options: dict[str, Any], first: int, intents: list[Intent], first_shower: int | None = None) -> Story:
    """The story under ``auction.*`` options, without doubling. A landlord of None means a new deal."""
    story = Story()
    if first_shower is not None and options["auction.first"] == "first_shower":
        first = first_shower
    seats = [first, (first + 1) % 3, (first + 2) % 3]
    mode = options["auction.mode"]
    bids: dict[int, int] = {}
    for seat in seats:
        highest = max(bids.values(), default=0)
        wish = intents[seat].bid
        if mode == "call_rob":
            bids[seat] = 1 if wish else 0
            story.events.append((seat, "CALL" if wish else "PASS", 0))
            if wish:
                break
            continue
        if wish <= highest and options["auction.must_rise"]:
            wish = 0
        bids[seat] = wish
        story.events.append((seat, "BID" if wish else "PASS", wish))
        if wish == 3:
            break
    best = max(bids.values())
    if best == 0:
        if options["auction.all_pass"] == "force_first_min":
            story.landlord, story.forced = seats[0], True
        elif options["auction.all_pass"] == "first_shower_else_redeal" and first_shower is not None:
            story.landlord, story.forced = first_shower, True
        return story
    caller = next(seat for seat, bid in bids.items() if bid == best)
    story.landlord = caller
    story.base = best if options["score.base"] == "bid" else 1
    if mode == "points":
        return story
    for seat in ((caller + 1) % 3, (caller + 2) % 3, caller):
        if seat == caller and (story.robs == 0 or not options["auction.caller_may_rob"]):
            continue
        if bids.get(seat) == 0 and not options["auction.passed_may_rob"]:
            continue
        story.events.append((seat, "ROB" if intents[seat].robs else "DECLINE_ROB", 0))
        if intents[seat].robs:
            story.robs += 1
            story.landlord = seat
    return story
