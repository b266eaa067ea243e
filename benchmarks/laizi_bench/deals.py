"""Seeded workloads: hands from real packs and walls, with the plays and near misses that they hold.

Everything comes from one seed, so that two runs measure the same hands; the tests use the same deals.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from laizi import doudizhu, rules
from laizi.cards import RANKS

__all__ = ["Hands", "PlayWorkload", "Plays", "deal_cards", "hands_of_tiles", "leads", "play_workload", "row_of"]

PACK = [rank for rank in range(13) for _ in range(4)] + [13, 14]
WILD_RANKS = ("", *RANKS[:13])
"""What is wild in the workloads: nothing, or one rank."""
WALL = [tile for tile in range(33) for _ in range(4)]
"""The natural tiles: all but z7, which is the wild of the workloads."""


def row_of(cards: list[int], wild: int | None) -> bytes:
    """Return ranks as a row of natural and wild cards; ``wild`` is the wild rank."""
    naturals = sum(1 << 4 * rank for rank in cards if rank != wild)
    wilds = sum(1 << 4 * rank for rank in cards if rank == wild)
    return struct.pack("<QQ", naturals, wilds)


def deal_cards(rng: random.Random) -> list[int]:
    """Return the 20 ranks of a landlord's hand, 0 for 3 to 14 for the red joker."""
    return rng.sample(PACK, 20)


@dataclass(frozen=True)
class Plays:
    """Rows of one wild rank: plays as `laizi.doudizhu.Evaluator.read_rows` takes them, and what lies on the table."""

    evaluator: doudizhu.Evaluator
    rows: bytes
    previous: bytes
    """One code a row: a reading that some play of the deal has."""

    def __len__(self) -> int:
        return len(self.rows) // 16


PlayWorkload = list[Plays]


def play_workload(
    seed: int, count: int, preset: str = "huanle", wild_ranks: Sequence[str] = WILD_RANKS
) -> PlayWorkload:
    """Return about ``count`` plays from dealt hands: of six, three legal, two near misses, one any cards."""
    rng = random.Random(seed)
    out = []
    for wild_rank in wild_ranks:
        evaluator = doudizhu.Evaluator(rules.load(preset), wild_rank)
        wild = RANKS.index(wild_rank) if wild_rank else None
        rows: list[bytes] = []
        previous: list[int] = []
        while len(rows) * len(wild_ranks) < count:
            hand = deal_cards(rng)
            played, codes = _plays(evaluator, row_of(hand, wild), rng)
            for legal in played:
                near = _mutate(legal, hand, wild, rng)
                other = row_of(rng.sample(hand, rng.randint(1, 8)), wild)
                for row in (legal, legal, legal, near, near, other):
                    rows.append(row)
                    previous.append(rng.choice(codes))
        out.append(Plays(evaluator, b"".join(rows), struct.pack(f"<{len(previous)}H", *previous)))
    return out


def leads(seed: int, count: int, wilds: int, preset: str = "huanle") -> PlayWorkload:
    """Return ``count`` hands of 20 cards that hold exactly ``wilds`` wild cards, of any wild rank."""
    rng = random.Random(seed)
    out = []
    for wild_rank in WILD_RANKS[1:] if wilds else WILD_RANKS[:1]:
        evaluator = doudizhu.Evaluator(rules.load(preset), wild_rank)
        wild = RANKS.index(wild_rank) if wild_rank else None
        others = [rank for rank in PACK if rank != wild]
        size = count // (13 if wilds else 1)
        hands = [[*([wild] * wilds), *rng.sample(others, 20 - wilds)] for _ in range(size)]
        rows = b"".join(row_of([rank for rank in hand if rank is not None], wild) for hand in hands)
        out.append(Plays(evaluator, rows, bytes(2 * size)))
    return out


def _plays(evaluator: doudizhu.Evaluator, hand: bytes, rng: random.Random) -> tuple[list[bytes], list[int]]:
    """Return five plays of a hand and the codes of its readings, to be beaten."""
    _, cards, codes, _ = evaluator.play_rows(hand, None, 2000)
    rows = [cards[at : at + 16] for at in range(0, len(cards), 16)]
    return rng.sample(rows, min(5, len(rows))), list(struct.unpack(f"<{len(codes) // 2}H", codes))


def _mutate(row: bytes, hand: list[int], wild: int | None, rng: random.Random) -> bytes:
    """Return a play with one of its cards exchanged for another of the hand, as a slip of a finger would."""
    naturals, wilds = struct.unpack("<QQ", row)
    cards = [rank for word in (naturals, wilds) for rank in range(15) for _ in range(word >> 4 * rank & 15)]
    left = list(hand)
    for rank in cards:
        left.remove(rank)
    if left:
        cards[rng.randrange(len(cards))] = rng.choice(left)
    return row_of(cards, wild)


@dataclass(frozen=True)
class Hands:
    """Rows of 34 counts; z7 is wild."""

    rows: bytes
    """3n+2 tiles a row."""
    waiting: bytes
    """The same hands without one of their natural tiles: 3n+1."""

    def __len__(self) -> int:
        return len(self.rows) // 34


def hands_of_tiles(seed: int, count: int, most_wilds: int = 4) -> Hands:
    """Return hands of 14 tiles with 0 to ``most_wilds`` wilds: a third random, a third winning, a third one off."""
    rng = random.Random(seed)
    rows, waiting = [], []
    for index in range(count):
        wilds = index % (most_wilds + 1)
        counts = _random_hand(rng, index // 3 % 3, 14 - wilds) if index % 3 == 0 else _winning_hand(rng, index // 3 % 3)
        if index % 3:
            for tile in _some(rng, counts, wilds):
                counts[tile] -= 1
        if index % 3 == 2:
            (gone,) = _some(rng, counts, 1)
            counts[gone] -= 1
            counts[rng.choice([tile for tile in range(33) if counts[tile] < 4 and tile != gone])] += 1
        counts[33] = wilds
        rows.append(bytes(counts))
        counts[next(tile for tile in range(32, -1, -1) if counts[tile])] -= 1
        waiting.append(bytes(counts))
    return Hands(b"".join(rows), b"".join(waiting))


def _some(rng: random.Random, counts: list[int], size: int) -> Iterator[int]:
    held = [tile for tile in range(33) for _ in range(counts[tile])]
    return iter(rng.sample(held, size))


def _random_hand(rng: random.Random, suits: int, size: int) -> list[int]:
    """Return tiles of the whole wall, of two suits or of one: the fewer suits, the more ways to take a hand apart."""
    wall = [tile for tile in WALL if suits == 0 or (tile < 27 and tile // 9 <= 2 - suits)]
    counts = [0] * 34
    for tile in rng.sample(wall, size):
        counts[tile] += 1
    return counts


def _winning_hand(rng: random.Random, suits: int) -> list[int]:
    while True:
        counts = [0] * 34
        for size in (3, 3, 3, 3, 2):
            suit = rng.randrange(4 if suits == 0 else 3 - suits)
            if size == 3 and suit < 3 and rng.random() < 0.6:
                first = 9 * suit + rng.randrange(7)
                for tile in range(first, first + 3):
                    counts[tile] += 1
            else:
                counts[27 + rng.randrange(6) if suit == 3 else 9 * suit + rng.randrange(9)] += size
        if max(counts) <= 4:
            return counts
