"""Random Dou Dizhu rules, wilds, plays and hands, leaning towards the seams: run edges, four copies, many wilds, plays
that are legal but for one card."""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from laizi import rules
from laizi.errors import RulesError
from tests.oracle.doudizhu import RANKS, TYPES, Play, play

PACK = (*(rank + suit for rank in RANKS[:13] for suit in "dchs"), "X", "Y")
PRESETS = rules.presets("doudizhu")


@dataclass(frozen=True)
class Table:
    """A rule set and what is wild under it."""

    ruleset: rules.RuleSet
    wild_ranks: str
    wild_cards: tuple[str, ...]

    def __str__(self) -> str:
        return self.description

    @functools.cached_property
    def description(self) -> str:
        """All that is needed to see a failure again."""
        base = rules.load(self.ruleset.name).options()
        changed = {name: value for name, value in self.ruleset.options().items() if base.get(name) != value}
        return f"{self.ruleset.name} {changed} wild_ranks={self.wild_ranks!r} wild_cards={' '.join(self.wild_cards)!r}"

    def is_wild(self, card: str) -> bool:
        return card[0] in self.wild_ranks or card in self.wild_cards

    def play(self, cards: Sequence[str]) -> Play:
        return play("".join(cards), self.wild_ranks, self.wild_cards)


def random_table(rng: random.Random, change: float | None = None) -> Table:
    """A preset as it is, or with a few or many of its options changed: each with this probability."""
    ruleset = rules.load(rng.choice(PRESETS))
    change = rng.choice((0, 0.15, 0.5)) if change is None else change
    while change:
        try:
            ruleset = ruleset.with_overrides(_overrides(rng, change))
            break
        except RulesError:  # the options drawn contradict each other: draw again
            continue
    source = ruleset.rules.wild.source
    wild_ranks = ""
    wild_cards: tuple[str, ...] = ()
    if source in ("random_rank", "indicator_next"):
        wild_ranks = rng.choice(RANKS[:13])
    elif source == "two_random_ranks":
        first = rng.randrange(13)
        second = (first + rng.choice((1, rng.randrange(1, 13)))) % 13
        wild_ranks = "".join(RANKS[rank] for rank in sorted((first, second)))
    elif source == "chosen_cards":
        wild_cards = rng.choice(
            (("7d", "7h"), ("X", "Y"), ("7h", rng.choice("XY")), tuple(rng.sample(PACK, rng.randint(1, 8))))
        )
    return Table(ruleset, wild_ranks, wild_cards)


def _overrides(rng: random.Random, change: float) -> dict[str, Any]:
    def some(*names: str) -> list[str]:
        return [name for name in names if rng.random() < 0.5]

    chain = rng.choice((None, None, 2, 3, 4, 5))
    tiers = ["pure", "hard", "soft", *some("mixed"), *(["chain"] if chain else [])]
    rng.shuffle(tiers)
    if rng.random() < 0.2:
        tiers.pop()
    if chain and "chain" not in tiers:
        tiers.append("chain")
    order = [[tier] for tier in tiers]
    for place in range(len(order) - 1, 0, -1):
        if rng.random() < 0.25 and "chain" not in order[place] + order[place - 1]:
            order[place - 1] += order.pop(place)
    order.insert(rng.choice((0, 0, len(order), rng.randint(0, len(order)))), ["rocket"])
    if rng.random() < 0.05:
        order.remove(["rocket"])
    longest = rng.choice((4, 5, 6, 8, 12))
    size_first = rng.random() < 0.5
    groups: list[dict[str, Any]] = [
        {"wild.source": rng.choice(("none", "random_rank", "two_random_ranks", "two_random_ranks", "chosen_cards"))},
        {"wild.alone": rng.choice(("natural", "forbidden", "natural_if_last"))},
        {"wild.body": rng.choice(("any", "natural", "forbidden"))},
        {"wild.mixed_bomb": rng.random() < 0.5},
        {"wild.as_joker": rng.random() < 0.5},
        {"kick.triple": some("single", "pair")},
        {"kick.plane": some("single", "pair")},
        {"kick.quad": some("two_cards", "two_pairs")},
        {"kick.soft_quad": rng.random() < 0.5},
        {"kick.strict": some("no_rocket", "no_equal_pairs", "no_body_run")},
        {"kick.plane_equal": rng.randint(1, 4)},
        {"kick.quad_equal": rng.randint(1, 2)},
        {"kick.body_rank": some("plane", "quad")},
        {"seq.single": rng.randint(3, 12)},
        {"seq.pair": rng.randint(2, 10)},
        {"seq.triple": rng.randint(2, 6)},
        {"seq.top": rng.choice("KA2")},
        {
            "bomb.chain": chain,
            "bomb.order": order,
            "bomb.size.max": longest,
            "bomb.size.size_first": size_first,
            "bomb.size.rocket": rng.choice((None, rng.randint(4, longest))) if size_first else None,
        },
        {"read.lead_default": rng.choice(("all", "prefer_non_bomb", "non_bomb_only"))},
        {"play.soft_bomb_if_hard_held": rng.random() < 0.5},
        {"play.bare_triple": rng.choice(("any", "last", "forbidden"))},
    ]
    return {name: value for group in groups if rng.random() < change for name, value in group.items()}


def random_play(rng: random.Random, table: Table, most: int = 20) -> list[str]:
    """Cards that are a play, or nearly: a random shape, some of its cards replaced by wilds, perhaps one card off."""
    wanted = _shape(rng, most)
    left = list(PACK)
    rng.shuffle(left)
    naturals = [card for card in left if not table.is_wild(card)]
    wilds = [card for card in left if table.is_wild(card)]
    turned = rng.choice((0, 0.1, 0.3, 0.7))
    cards: list[str] = []
    for rank in wanted:
        fitting = [card for card in naturals if card[0] == RANKS[rank] and card not in cards]
        jokers = [card for card in wilds if card not in cards]
        if jokers and (not fitting or rng.random() < turned):
            cards.append(jokers[0])
        elif fitting:
            cards.append(fitting[0])
    if rng.random() < 0.1:
        cards = [card for card in cards if card in wilds] or cards  # what remains without the naturals
    rest = [card for card in left if card not in cards]
    action = rng.choice(("none", "none", "swap", "add", "drop"))
    if action in ("swap", "drop") and len(cards) > 1:
        cards.pop(rng.randrange(len(cards)))
    if action in ("swap", "add"):
        near = [card for card in rest if any(abs(RANKS.index(card[0]) - RANKS.index(other[0])) <= 1 for other in cards)]
        cards.append(rng.choice(near or rest))
    rng.shuffle(cards)
    return cards[:most]


def _shape(rng: random.Random, most: int) -> list[int]:
    """The ranks of a random play of any type and length, kickers at random; the pack may not hold it."""
    kind = rng.choice((*TYPES, "bomb", "bomb", "rocket", "noise"))
    if kind == "rocket":
        return [13, 14]
    if kind == "noise":
        return [rng.randrange(15) for _ in range(rng.randint(1, most))]
    if kind == "bomb":
        return [rng.randrange(13)] * rng.choice((4, 4, 4, 5, 6, 7, 8, 9, 10, 12))
    each, kicker, number = TYPES[kind]
    units = 1
    if kind in ("straight", "pair_straight", "plane", "plane_1", "plane_2", "chain"):
        longest = min(13, most // (each + {"": 0, "single": 1, "pair": 2}[kicker]))
        units = rng.randint(2, max(2, longest))
    low = rng.choice((0, 13 - units, max(0, 12 - units), rng.randint(0, 13 - units)))
    body = [rank for rank in range(low, low + units) for _ in range(each)]
    near = [rank for rank in (low - 1, low, low + units - 1, low + units) if rank >= 0]
    if kicker == "single" and rng.random() < 0.2:
        return body + [rng.choice(near)] * (number or units)  # equal kickers that may lengthen the body
    kickers: list[int] = []
    for _ in range(number or units if kicker else 0):
        rank = rng.choice((rng.randrange(15), rng.choice(near), rng.choice(kickers or [14])))
        kickers += [rank] * (2 if kicker == "pair" else 1)
    return body + kickers


def random_hand(rng: random.Random, table: Table, size: int) -> list[str]:
    """A hand of so many cards: half the time dealt, half the time made of a few plays, so that it has much to play."""
    cards: list[str] = []
    if rng.random() < 0.5:
        wilds = [card for card in PACK if table.is_wild(card)]
        cards = rng.sample(wilds, rng.randint(0, min(size, len(wilds))))
        while len(cards) < size and rng.random() < 0.8:
            cards += [card for card in random_play(rng, table) if card not in cards]
    rest = [card for card in PACK if card not in cards]
    return (cards + rng.sample(rest, min(size, len(rest))))[:size]
