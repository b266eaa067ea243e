"""What a game of Dou Dizhu pays, told from the rules in one sum a seat. Slow and plain on purpose.

It knows options by name and plain words for the game, and nothing of factors, payments or clauses.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any


def doudizhu(options: dict[str, Any], game: dict[str, Any]) -> list[Fraction]:
    """The three seats' results.

    ``game``: landlord, bid, robs, rate, bombs [(tier, cards)], extras [number], doubled [bool ×3],
    shows [None or (moment, cards dealt) ×3], plays [int ×3] or None, carried [int ×3] or None, and the end: one of
    out (seat), fled (seat), stuck (True).
    """
    landlord = game["landlord"]
    farmers = [seat for seat in (0, 1, 2) if seat != landlord]
    if game.get("fled") is not None:
        landlord_wins = game["fled"] != landlord
    elif game.get("stuck"):
        landlord_wins = False
    else:
        landlord_wins = game["out"] == landlord

    points = Fraction(game["bid"] if options["score.base"] == "bid" else 1)
    for _ in range(game["robs"]):
        points *= 2

    largest = Fraction(1)
    first = True
    for show in game["shows"]:
        if show is None:
            continue
        moment, dealt = show
        if moment == "during_deal":
            name = "deal_early" if dealt <= options["show.deal_threshold"] else "deal_late"
        else:
            name = {"before_deal": "start", "after_bottom": "after_bottom"}[moment]
        factor = Fraction(options[f"show.{name}"])
        largest = factor if first else max(largest, factor)
        first = False
    points *= largest

    bombs = Fraction(1)
    for tier, cards in game["bombs"]:
        by_size = options["score.bomb.by_size"]
        if tier in ("rocket", "chain"):
            factor = options[f"score.bomb.{tier}"]
        elif f"{cards}.{tier}" in by_size:
            factor = by_size[f"{cards}.{tier}"]
        elif str(cards) in by_size:
            factor = by_size[str(cards)]
        elif tier == "mixed" and options["score.bomb.mixed"] == "none":
            factor = options["score.bomb.pure"]
        else:
            factor = options[f"score.bomb.{tier}"]
        bombs *= Fraction(factor)
    if options["score.bomb.cap"] != "none" and bombs > options["score.bomb.cap"]:
        bombs = Fraction(options["score.bomb.cap"])
    points *= bombs

    plays = game.get("plays")
    if plays is not None and game.get("out") is not None:
        if landlord_wins and plays[farmers[0]] == 0 and plays[farmers[1]] == 0:
            points *= Fraction(options["score.spring.landlord"])
        if not landlord_wins and plays[landlord] == 1:
            points *= Fraction(options["score.spring.farmers"])
    for extra in game["extras"]:
        points *= extra

    owed = {}
    for farmer in farmers:
        owed[farmer] = points * game["rate"]
        for seat in (landlord, farmer):
            if game["doubled"][seat]:
                owed[farmer] *= 2

    limited = False
    if options["settle.win_limit"] == "carried":
        if landlord_wins:
            limit, gain = game["carried"][landlord], owed[farmers[0]] + owed[farmers[1]]
            if gain > limit:
                owed = {farmer: amount * limit / gain for farmer, amount in owed.items()}
                limited = True
        else:
            owed = {farmer: min(amount, Fraction(game["carried"][farmer])) for farmer, amount in owed.items()}
    for farmer in farmers:
        if options["score.rounding"] == "floor" or (options["score.rounding"] == "nearest" and limited):
            owed[farmer] = Fraction(owed[farmer].numerator // owed[farmer].denominator)
        elif options["score.rounding"] == "nearest":
            twice = owed[farmer] * 2 + 1
            owed[farmer] = Fraction(twice.numerator // twice.denominator // 2)

    result = [Fraction(0)] * 3
    sign = 1 if landlord_wins else -1
    for farmer in farmers:
        result[landlord] += sign * owed[farmer]
        loser = farmer if landlord_wins else landlord
        payer = loser if game.get("fled") is None else game["fled"]
        if not landlord_wins:
            result[farmer] += owed[farmer]
        elif payer == farmer or payer not in farmers:
            result[farmer] -= owed[farmer]
        else:
            result[payer] -= owed[farmer]
    return result
