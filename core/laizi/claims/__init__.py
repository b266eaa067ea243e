"""What each seat may do with a tile in mahjong: chi, peng, kongs, put-downs, wins and discards, with what follows.

The caller keeps no state: it tells what happened and what the seats hold, and learns every choice of every seat, who
comes first, and whether actions that it names are allowed.

>>> from laizi import rules
>>> from laizi.mahjong import Evaluator
>>> honghu = Evaluator(rules.load("honghu"), wilds="9s")
>>> table = Situation(Trigger.DISCARD, 0, "3p", dealer=0, seats=[
...     ClaimSeat(1, "45p 123m 789m 22s 67s z1"), ClaimSeat(2, "33p 123m 789m 22s 67s z1")])
>>> for seat in list_claims(honghu, table).seats:
...     print(seat.seat, *(f"{claim.kind} {claim.priority}" for claim in seat.claims))
2 PENG 1 PASS 0
1 CHI 2 PASS 0
"""

from laizi.claims.answers import (
    Claim,
    ClaimKind,
    Claims,
    ClaimSeat,
    Question,
    Refusal,
    SeatClaims,
    Situation,
    Trigger,
    Verdict,
)
from laizi.claims.listing import list_claims

__all__ = [
    "Claim",
    "ClaimKind",
    "ClaimSeat",
    "Claims",
    "Question",
    "Refusal",
    "SeatClaims",
    "Situation",
    "Trigger",
    "Verdict",
    "list_claims",
]
