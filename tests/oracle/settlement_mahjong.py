"""What a win in mahjong pays, by the letter of the rules: a slow second opinion for tests.

For each loser it writes down every multiplication that the texts ask for, as a plain list of numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


@dataclass
class Win:
    """A win told in plain words; seats index the lists."""

    winner: int
    mode: str
    giver: int | None
    flower: bool
    last_tiles: bool
    types: set[str]
    hard: bool
    dealer: int | None
    laid: list[dict[str, int]]
    """Of each seat: openings, zhi, bu, an, down, wild."""
    third_claim_from: int | None = None
    fed_unready: bool = False


@dataclass
class Bill:
    """What each seat would pay by itself, and what each seat pays in the end."""

    raw: list[Fraction]
    pays: list[Fraction]
    gold: bool
    guarantor: int | None
    bases: list[Fraction] = field(default_factory=list)


def situations(rules: Any, win: Win) -> dict[str, Any]:
    happened = {"gang_flower": win.flower, "haidi": win.last_tiles, "rob_kong": win.mode == "rob_kong"}
    options = rules.hu.situational
    return {kind: getattr(options, kind) for kind in happened if happened[kind] and getattr(options, kind)}


def bill(rules: Any, win: Win) -> Bill:
    around = situations(rules, win)
    bases = [getattr(rules.hu.types, kind).base or rules.score.big.base for kind in win.types]
    bases += [rules.score.big.base for options in around.values() if options.counts_as == "type"]
    raw = [Fraction(0)] * len(win.laid)
    for loser in range(len(win.laid)):
        gives = loser == win.giver
        if loser == win.winner or (rules.score.payers == "feeder" and win.mode != "zimo" and not gives):
            continue
        raw[loser] = math.prod(_multiplications(rules, win, loser, bases, around), start=Fraction(1))
    losers = [seat for seat in range(len(win.laid)) if seat != win.winner]
    gold = rules.cap is not None and rules.cap.gold is not None and all(_golden(rules, raw[seat]) for seat in losers)
    shares = [_share(rules, amount, gold) for amount in raw]
    guarantor = _guarantor(rules, win)
    pays = shares
    if guarantor is not None:
        pays = [sum(shares, Fraction(0)) if seat == guarantor else Fraction(0) for seat in range(len(win.laid))]
    return Bill(raw, pays, gold, guarantor, bases)


def _multiplications(rules: Any, win: Win, loser: int, bases: list[Fraction], around: dict[str, Any]) -> list[Fraction]:
    score = rules.score
    of_class = score.big if bases else score.small
    numbers = []
    counts_zimo = win.mode == "zimo" and (score.zimo_on_situational or not {"gang_flower", "haidi"} & set(around))
    if not bases and counts_zimo and score.small.zimo_base is not None:
        numbers.append(score.small.zimo_base)  # 小斜: three each, not one doubled
    else:
        numbers.append((sum(bases) if score.combine == "sum" else max(bases)) if bases else score.small.base)
        if counts_zimo:
            numbers.append(of_class.zimo)
    if win.hard:
        numbers.append(score.hard)
    numbers += [options.factor for options in around.values() if options.counts_as == "factor"]
    if win.mode == "discard" and loser == win.giver:
        numbers.append(of_class.feeder)
    if win.mode == "rob_kong" and loser == win.giver and score.rob_kong_feeder:
        numbers.append(of_class.feeder)
    if win.dealer is not None and (win.dealer == win.winner or win.dealer == loser):
        numbers.append(score.dealer.big if bases else score.dealer.small)
    for seat in (win.winner, loser) if score.loser_factors else (win.winner,):
        laid = win.laid[seat]
        openings = {"none": 0, "once": min(1, laid["openings"]), "each": laid["openings"]}[score.open]
        numbers.append(Fraction(2) ** openings)
        numbers += [getattr(score.kong, kong) ** laid[kong] for kong in ("zhi", "bu", "an")]
        numbers.append(rules.down.factor ** laid["down"])
        if laid["wild"]:
            numbers.append(rules.wild.kong ** laid["wild"])
    return numbers


def _golden(rules: Any, amount: Fraction) -> bool:
    gold = rules.cap.gold
    return bool(amount > gold.trigger) if gold.strict else bool(amount >= gold.trigger)


def _share(rules: Any, amount: Fraction, gold: bool) -> Fraction:
    """One loser's amount after gold or cap, in whole points where the rules want them."""
    if amount == 0:
        return amount
    limit = None
    if gold:
        limit = rules.cap.gold.pay
        amount = limit if rules.cap.gold.mode == "exact" else min(amount, limit)
    elif rules.cap is not None:
        limit = rules.cap.each
        amount = min(amount, limit)
    if rules.score.rounding == "none":
        return amount
    whole = Fraction(math.floor(amount))
    up = whole + 1 if rules.score.rounding == "nearest" and amount - whole >= Fraction(1, 2) else whole
    return up if limit is None or up <= limit else whole


def _guarantor(rules: Any, win: Win) -> int | None:
    for rule in rules.bao:
        if rule == "rob_kong" and win.mode == "rob_kong":
            return win.giver
        if rule == "qqr_not_ready" and win.fed_unready and "quanqiuren" in win.types:
            return win.giver
        if rule == "third_open_qingyise" and win.third_claim_from is not None and "qingyise" in win.types:
            return win.third_claim_from
    return None
