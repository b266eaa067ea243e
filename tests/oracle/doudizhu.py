"""Dou Dizhu by the letter of its rules, slow and plain: the truth that the fast engine is measured against.

A play is taken apart in every possible way: which cards form its body, which are its kickers, and what each wild
stands for. Nothing here is shared with the engine, and no step is clever; what a rule says stands in one place, in the
words in which `laizi.rules.doudizhu` documents it.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from operator import le
from typing import NamedTuple

from laizi.rules import DoudizhuRules, RuleSet

RANKS = "3456789TJQKA2XY"
X, Y = 13, 14
PLAIN = range(13)
"""The ranks that a body can have, 3 to 2, and that a wild may stand for."""
NO_RANK = -1
"""The rank of a bomb of several wild ranks, written ``*``: below every other."""

Counts = tuple[int, ...]
"""How many cards of each of the 15 ranks."""


class Play(NamedTuple):
    """Cards by rank: natural ones, and wilds by the rank that is printed on them."""

    naturals: Counts
    wilds: Counts

    def __len__(self) -> int:
        return sum(self.naturals) + sum(self.wilds)

    def __str__(self) -> str:
        """``33347*``: a star behind each wild."""
        return "".join(RANKS[rank] * self.naturals[rank] + (RANKS[rank] + "*") * self.wilds[rank] for rank in range(15))

    def without(self, part: Play) -> Play:
        return Play(
            tuple(a - b for a, b in zip(self.naturals, part.naturals, strict=True)),
            tuple(a - b for a, b in zip(self.wilds, part.wilds, strict=True)),
        )


def play(text: str, wild_ranks: str = "", wild_cards: Sequence[str] = ()) -> Play:
    """Read ``7s 7h 3`` or ``3337``; wild are all cards of some ranks, and single cards such as ``7h`` or ``X``."""
    naturals, wilds = [0] * 15, [0] * 15
    text = text.replace("10", "T").replace(" ", "")
    for position, letter in enumerate(text):
        if letter in RANKS:
            suit = text[position + 1 : position + 2]
            wild = letter in wild_ranks or letter in wild_cards or letter + suit in wild_cards
            (wilds if wild else naturals)[RANKS.index(letter)] += 1
    return Play(tuple(naturals), tuple(wilds))


class Reading(NamedTuple):
    """One way to take a play. ``units``: body units, for a bomb its cards. ``tier``: of bombs and the rocket."""

    kind: str
    main: int
    units: int
    tier: str = ""

    def __str__(self) -> str:
        if self.kind == "rocket":
            return "rocket"
        text = f"{self.kind}:{'*' if self.main == NO_RANK else RANKS[self.main]}:{self.units}"
        return f"{text}:{'pure' if self.tier == 'mixed' else self.tier}" if self.kind == "bomb" else text

    @property
    def is_bomb(self) -> bool:
        return self.kind in ("bomb", "chain", "rocket")

    @property
    def cards(self) -> int:
        """How many cards a play of this reading has."""
        if self.kind in ("bomb", "rocket"):
            return self.units
        each, kicker, number = TYPES[self.kind]
        return self.units * each + (number or self.units) * {"": 0, "single": 1, "pair": 2}[kicker]


ROCKET = Reading("rocket", Y, 2, "rocket")

TYPES = {
    # type: (equal cards in a body unit, kind of kicker, number of kickers or 0 = one for each body unit)
    "single": (1, "", 0),
    "pair": (2, "", 0),
    "triple": (3, "", 0),
    "triple_1": (3, "single", 0),
    "triple_2": (3, "pair", 0),
    "straight": (1, "", 0),
    "pair_straight": (2, "", 0),
    "plane": (3, "", 0),
    "plane_1": (3, "single", 0),
    "plane_2": (3, "pair", 0),
    "four_2": (4, "single", 2),
    "four_22": (4, "pair", 2),
    "chain": (4, "", 0),
}
RUNS = {"straight", "pair_straight", "plane", "plane_1", "plane_2", "chain"}


def reading(text: str) -> Reading:
    """Read ``straight:J:5``, ``bomb:7:4:soft``, ``bomb:*:5:pure`` or ``rocket``."""
    if text == "rocket":
        return ROCKET
    kind, rank, units, *tier = text.split(":")
    if rank == "*":
        return Reading(kind, NO_RANK, int(units), "mixed")
    return Reading(kind, RANKS.index(rank), int(units), "chain" if kind == "chain" else "".join(tier))


class Oracle:
    """Answers for one rule set."""

    def __init__(self, ruleset: RuleSet) -> None:
        assert isinstance(ruleset.rules, DoudizhuRules)
        self.rules = ruleset.rules
        self._shapes = functools.cache(self._list_shapes)

    # What a play can be taken as.

    def readings(self, cards: Play, *, last: bool = False) -> set[Reading]:
        """Every reading of an answer. ``last``: they are all that the player holds."""
        alone = not any(cards.naturals)
        if not alone:
            found = self._taken(cards)
        elif self.rules.wild.alone == "natural" or (self.rules.wild.alone == "natural_if_last" and last):
            found = self._all_wild(cards)
        else:
            found = set()
        if alone and self.rules.wild.mixed_bomb and sum(count > 0 for count in cards.wilds) > 1:
            found.add(Reading("bomb", NO_RANK, len(cards), "mixed"))
        return {one for one in found if self.played(one, last)}

    def leads(self, found: set[Reading]) -> set[Reading]:
        """Those of the readings of some cards in which they may be played when there is nothing to beat."""
        if self.rules.read.lead_default == "non_bomb_only" and not all(one.is_bomb for one in found):
            return {one for one in found if not one.is_bomb}
        return found

    def _all_wild(self, cards: Play) -> set[Reading]:
        """Wilds alone keep their own ranks, so they are read as if they were natural; they are still wild cards."""
        found = set()
        for one in self._taken(Play(cards.wilds, (0,) * 15)):
            if one.kind == "bomb":
                found.add(one._replace(tier="pure"))
            elif one.kind not in ("four_2", "four_22") or self.rules.kick.soft_quad:
                found.add(one)
        return found

    def played(self, one: Reading, last: bool) -> bool:
        """Do the rules have this type, this size, this tier?"""
        rules = self.rules
        if one.kind in ("triple_1", "triple_2"):
            return {"triple_1": "single", "triple_2": "pair"}[one.kind] in rules.kick.triple
        if one.kind in ("plane_1", "plane_2"):
            return {"plane_1": "single", "plane_2": "pair"}[one.kind] in rules.kick.plane
        if one.kind in ("four_2", "four_22"):
            return {"four_2": "two_cards", "four_22": "two_pairs"}[one.kind] in rules.kick.quad
        if one.kind == "triple":
            return rules.play.bare_triple == "any" or (rules.play.bare_triple == "last" and last)
        if one.kind == "bomb":
            return 4 <= one.units <= rules.bomb.size.max and self._place(one) is not None
        return not one.is_bomb or self._place(one) is not None

    def _taken(self, cards: Play) -> set[Reading]:
        """Readings of cards among which a wild may stand for any rank that the rules allow."""
        found = set()
        total, wilds = len(cards), sum(cards.wilds)
        if total == 2 and self._is_rocket(cards):
            found.add(ROCKET)
        if total == 1 and not wilds:
            found.add(Reading("single", cards.naturals.index(1), 1))
        for kind, main, units in self._shapes(total):
            body = range(main - units + 1, main + 1)
            if any(self._allowed(kind, body, split) for split in self._splits(cards, kind, body)):
                found.add(Reading(kind, main, units, "chain" if kind == "chain" else ""))
        if total >= 4:
            for rank in PLAIN:
                if cards.naturals[rank] + wilds == total:
                    found.add(Reading("bomb", rank, total, "soft" if wilds else "hard"))
        return found

    def shows(self, counts: Counts, one: Reading) -> bool:
        """Do cards of these ranks, none of them wild, make a play of this type, main rank and length?"""
        if one.main == NO_RANK:
            return sum(counts) == one.units
        shown = self._taken(Play(counts, (0,) * 15))
        return one[:3] in {other[:3] for other in shown}

    def _is_rocket(self, cards: Play) -> bool:
        """Both jokers. A wild joker may be itself; another wild may stand for one if the rules say so."""
        free = sum(cards.wilds[:X])
        missing = sum(not (cards.naturals[joker] or cards.wilds[joker]) for joker in (X, Y))
        return missing == 0 or (self.rules.wild.as_joker and missing == free == 1)

    def _list_shapes(self, total: int) -> tuple[tuple[str, int, int], ...]:
        """(type, main rank, units) of every type with a plain body that this many cards could be."""
        rules = self.rules
        least = {
            "straight": rules.seq.single,
            "pair_straight": rules.seq.pair,
            "plane": rules.seq.triple,
            "plane_1": rules.seq.triple,
            "plane_2": rules.seq.triple,
            "chain": rules.bomb.chain or 99,
        }
        top = RANKS.index(rules.seq.top)
        found: list[tuple[str, int, int]] = []
        for kind, units in itertools.product(TYPES, range(1, total + 1)):
            if kind == "single" or Reading(kind, 0, units).cards != total:
                continue
            if kind in RUNS:
                if units >= least[kind]:
                    found += ((kind, main, units) for main in range(units - 1, top + 1))
            elif units == 1:
                found += ((kind, main, 1) for main in PLAIN)
        return tuple(found)

    def _splits(self, cards: Play, kind: str, body: range) -> Iterator[Play]:
        """Every choice of natural cards for the body, wilds filling it up; yields the kickers of each.

        The wilds of a choice are not told apart here: those that a body takes are chosen by `_allowed`.
        """
        each, _, _ = TYPES[kind]
        wilds = sum(cards.wilds)
        if sum(max(0, each - cards.naturals[rank]) for rank in body) > wilds:
            return
        for taken in itertools.product(*(range(min(each, cards.naturals[rank]), -1, -1) for rank in body)):
            if len(body) * each - sum(taken) <= wilds:
                left = list(cards.naturals)
                for rank, number in zip(body, taken, strict=True):
                    left[rank] -= number
                yield Play(tuple(left), cards.wilds)

    def _allowed(self, kind: str, body: range, split: Play) -> bool:
        """May these natural cards and the wilds that the body does not need be its kickers, and this be the body?"""
        each, kicker, number = TYPES[kind]
        number = number or len(body)
        kickers = sum(split.naturals)
        wild_kickers = number * {"": 0, "single": 1, "pair": 2}[kicker] - kickers
        wilds_in_body = sum(split.wilds) - wild_kickers
        if wild_kickers < 0:
            return False
        if kind in ("four_2", "four_22") and wilds_in_body and not self.rules.kick.soft_quad:
            return False
        if wilds_in_body == each * len(body) and kickers:
            if self.rules.wild.body == "forbidden":
                return False
            if self.rules.wild.body == "natural" and any(split.wilds[rank] < each for rank in body):
                return False
        return not kicker or self._kickers(kind, body, split.naturals, wild_kickers)

    def _kickers(self, kind: str, body: range, naturals: Counts, wilds: int) -> bool:
        """Can the wilds be given ranks so that all of these are kickers that the type may carry?"""
        ranks = range(15) if self.rules.wild.as_joker else PLAIN
        _, kicker, _ = TYPES[kind]
        kick = self.rules.kick
        family = "quad" if kind in ("four_2", "four_22") else "plane"
        most = kick.quad_equal if family == "quad" else kick.plane_equal
        top = RANKS.index(self.rules.seq.top)

        def fits(rank: int, count: int) -> bool:
            if rank in body and family not in kick.body_rank:
                return False
            if kicker == "pair":
                if rank >= X:
                    return False
                return count == 2 or (count % 2 == 0 and "no_equal_pairs" not in kick.strict)
            if rank >= X and count > 1:
                return False
            if "no_body_run" in kick.strict and kind == "plane_1" and count >= 3:
                lengthens = rank in (body[0] - 1, body[-1] + 1) and rank <= top
                if lengthens:
                    return False
            return count <= most

        def assign(rank: int, free: int, jokers: int) -> bool:
            if rank == 15:
                return free == 0 and not (jokers == 2 and "no_rocket" in kick.strict)
            for count in range(naturals[rank], naturals[rank] + (free if rank in ranks else 0) + 1):
                if (count == 0 or fits(rank, count)) and assign(
                    rank + 1, free - count + naturals[rank], jokers + (count if rank >= X else 0)
                ):
                    return True
            return False

        return assign(0, wilds, 0)

    # Which reading is greater.

    def _place(self, one: Reading) -> int | None:
        """The place of a bomb's tier in the order, 0 the strongest; None if the rules have no such tier."""
        order = self.rules.bomb.order
        wanted = one.tier
        if wanted == "mixed" and not any("mixed" in tiers for tiers in order):
            wanted = "pure"
        return next((place for place, tiers in enumerate(order) if wanted in tiers), None)

    def beats(self, new: Reading, old: Reading) -> bool:
        """Does the reading ``new`` beat ``old`` on the table?"""
        if not new.is_bomb:
            return (new.kind, new.units) == (old.kind, old.units) and new.main > old.main
        if not old.is_bomb:
            return True
        size = self.rules.bomb.size
        if size.rocket is not None and "rocket" in (new.kind, old.kind):
            if new.kind == old.kind:
                return False
            return old.cards <= size.rocket if new.kind == "rocket" else new.cards > size.rocket
        if size.size_first and "rocket" not in (new.kind, old.kind) and new.cards != old.cards:
            return new.cards > old.cards
        mine, theirs = self._place(new), self._place(old)
        assert mine is not None
        assert theirs is not None
        if mine != theirs:
            return mine < theirs
        if new.kind == "chain":
            return (new.units, new.main) > (old.units, old.main)
        return new.main > old.main

    # What a hand can play.

    def answers(self, hand: Play, cards: Play, previous: Reading | None = None) -> set[Reading]:
        """The readings in which some cards of a hand may be played, leading or on a previous play."""
        holds_hard = max(hand.naturals[:X]) == 4 and self._place(Reading("bomb", 0, 4, "hard")) is not None
        no_soft = holds_hard and not self.rules.play.soft_bomb_if_hard_held
        found = self.readings(cards, last=cards == hand)
        found = self.leads(found) if previous is None else {one for one in found if self.beats(one, previous)}
        return {one for one in found if not (no_soft and one.tier == "soft")}

    def legal_plays(self, hand: Play, previous: Reading | None = None) -> set[tuple[Play, Reading]]:
        """Every set of cards of a hand, with every reading in which it may be played. For small hands only."""
        return {(cards, one) for cards in subsets(hand) for one in self.answers(hand, cards, previous)}

    def plays_of_pack(self, most: int = 20) -> Iterator[tuple[Play, Reading]]:
        """Every play of at most so many cards that the pack of 54 holds, with its reading; no card is wild."""
        pack = (4,) * 13 + (1, 1)
        none = (0,) * 15
        yield from ((Play(_counts([joker]), none), Reading("single", joker, 1)) for joker in (X, Y))
        rocket, bombs = [ROCKET], [Reading("bomb", rank, 4, "hard") for rank in PLAIN]
        yield from ((Play(_counts([X, Y]), none), one) for one in rocket if self.played(one, False))
        yield from ((Play(_counts([one.main] * 4), none), one) for one in bombs if self.played(one, False))
        yield from ((Play(_counts([rank]), none), Reading("single", rank, 1)) for rank in PLAIN)
        for size in range(2, most + 1):
            for kind, main, units in self._shapes(size):
                each, kicker, number = TYPES[kind]
                body = range(main - units + 1, main + 1)
                one = Reading(kind, main, units, "chain" if kind == "chain" else "")
                if not self.played(one, False):
                    continue
                for carried in itertools.combinations_with_replacement(range(15), (number or units) if kicker else 0):
                    kickers = _counts([*carried, *carried] if kicker == "pair" else carried)
                    cards = tuple(count + each * (rank in body) for rank, count in enumerate(kickers))
                    if all(map(le, cards, pack)) and (not kicker or self._kickers(kind, body, kickers, 0)):
                        yield Play(cards, none), one


def _counts(ranks: Sequence[int]) -> Counts:
    return tuple(map(ranks.count, range(15)))


def subsets(hand: Play) -> Iterator[Play]:
    """Every choice of at least one card, cards of equal rank and wildness not told apart."""
    for counts in itertools.product(*(range(n + 1) for n in hand.naturals + hand.wilds)):
        if any(counts):
            yield Play(counts[:15], counts[15:])
