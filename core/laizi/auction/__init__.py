"""Who becomes landlord: bids, calls, robbing, open hands and doubling, replayed event by event.

The caller keeps no state: it sends all events so far and learns who acts next, with what, and what stands.

>>> from laizi import rules
>>> events = [Event(0, Action.CALL), Event(1, Action.ROB), Event(2, Action.DECLINE_ROB)]
>>> auction = resolve(rules.load("huanle"), events, first_seat=0)
>>> auction.status, auction.phase, auction.actors[0].seat, [choice.action for choice in auction.actors[0].choices]
(<Status.OPEN: 'OPEN'>, <Phase.ROB: 'ROB'>, 0, [<Action.ROB: 'ROB'>, <Action.DECLINE_ROB: 'DECLINE_ROB'>])
"""

from laizi.auction.answers import Action, Actor, Auction, Choice, Event, Illegal, Phase, Status
from laizi.auction.resolving import MAX_EVENTS, resolve
from laizi.auction.table import MAX_BID, may_double

__all__ = [
    "MAX_BID",
    "MAX_EVENTS",
    "Action",
    "Actor",
    "Auction",
    "Choice",
    "Event",
    "Illegal",
    "Phase",
    "Status",
    "may_double",
    "resolve",
]
