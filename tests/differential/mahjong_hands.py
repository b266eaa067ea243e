"""Random mahjong rule sets and hands: any tiles, wins, and hands that miss a win by little."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from laizi import rules
from laizi.errors import RulesError
from laizi.tiles import NAMES
from tests.mahjong_hands import options
from tests.oracle import mahjong as oracle
from tests.oracle.mahjong import COPIES, HONOUR, JIANG, SUITS, Hand, Meld, index_of

ALL_SHAPES = ("standard", "seven_pairs", "dragon_seven", "free_wind", "free_jiang")
Counts = list[int]


def hands_to_try(config: pytest.Config, daily: int) -> int:
    """How many hands a comparison takes: a million in a nightly run."""
    return 1_000_000 if config.option.nightly else daily


# ---------------------------------------------------------------------------------------------------------------------
# Rule sets.


def some(rng: random.Random, items: Any, least: int = 0) -> list[Any]:
    return rng.sample(list(items), rng.randint(least, len(items)))


def random_rules(rng: random.Random) -> rules.RuleSet:
    """A preset, or every option of hands at random."""
    if rng.random() < 0.4:
        return rules.load(rng.choice(rules.presets("mahjong")))
    return valid_rules(lambda: random_options(rng))


def valid_rules(options_: Callable[[], dict[str, Any]]) -> rules.RuleSet:
    """The first of the options made that do not contradict each other."""
    while True:
        try:
            return rules.custom("mahjong", options_())
        except RulesError:
            continue


def small_rules(rng: random.Random, **more: Any) -> rules.RuleSet:
    """Random options on a tile set so small that every small hand can be tried."""
    suit = rng.choice("mps")
    honours = rng.choice([[], ["z5"], ["z2", "z3", "z4"], ["z5", "z6", "z7"]])
    tiles = [f"{digit}{suit}" for digit in range(1, 10)] + honours
    wilds = rng.sample(tiles, rng.choice([0, 1, 1, 1, 2]))
    own = {
        "tiles": {"suits": [suit], "honours": honours},
        "wild.source": "fixed" if wilds else "none",
        "wild.fixed": wilds,
        "wild.stand_in": rng.choice([[], [], rng.sample(tiles, 1)]),
        "down.tiles": [],
    }
    return valid_rules(lambda: random_options(rng) | own | more)


PLAIN = {
    "wild.stand_in": [],
    "wild.stands_for": "any",
    "wild.pair": "any",
    "wild.meld": "any",
    "hu.dragon_by_wild": True,
    "down.tiles": [],
}
"""Options under which the oracle knows the distance of large hands."""


def random_options(rng: random.Random) -> dict[str, Any]:
    suits = rng.choice([["m", "p", "s"], ["m", "p", "s"], ["m", "p"], ["s"]])
    honours = rng.choice([[f"z{number}" for number in range(1, 8)]] * 2 + [["z5"], ["z1", "z2", "z3", "z4"], []])
    tiles = [f"{digit}{suit}" for suit in suits for digit in range(1, 10)] + honours
    fixed = rng.sample(tiles, rng.choice([0, 1, 1, 1, 2, 3]))
    shapes = rng.choice([["standard"], some(rng, ALL_SHAPES, 1), ["standard", *some(rng, ALL_SHAPES[1:])]])
    yes = rng.choice([0.3, 0.8])
    types = {
        name: {
            "base": rng.choice([0, 2, 5, "7/2"]),
            "any_pair": rng.random() < 0.5,
            "needs_discard": rng.random() < 0.2,
        }
        for name in oracle.TYPE_ORDER[:9]
        if rng.random() < yes
    }
    situational = {
        name: {"counts_as": rng.choice(["type", "factor"]), "factor": rng.choice([2, 3, "3/2"])}
        for name in oracle.TYPE_ORDER[9:]
        if rng.random() < yes
    }
    limit = rng.choice(["none", 0, 1, 2, 3])
    rarely_barred = rng.random() < 0.25
    return {
        "tiles": {"suits": suits, "honours": honours},
        "wild.source": "fixed" if fixed else "none",
        "wild.fixed": fixed,
        "wild.stands_for": rng.choice(["any", "any", "suited"]),
        "wild.stand_in": rng.choice([[], [], [rng.choice(tiles)], rng.sample(tiles, min(2, len(tiles)))]),
        "wild.limit": {
            "small": limit,
            "big": rng.choice(["none", "none", 1, 2, 3]),
            "gold": rng.choice(["none", 2, 4]),
        },
        "wild.limit_basis": rng.choice(["held", "as_wild"]),
        "wild.fifth_copy": rng.random() < 0.6,
        "wild.lone_wait": rng.random() < 0.7,
        "wild.pair": rng.choice(["any", "any", "no_pure", "none"]),
        "wild.meld": rng.choice(["any", "any", "no_pure"]),
        "wild.claims": rng.random() < 0.3,
        "wild.discard": rng.choice(["free", "ban_hu", "forbidden"]),
        "down.tiles": some(rng, [tile for tile in rng.sample(tiles, 2) if tile not in fixed]) if rarely_barred else [],
        "down.block_hu": rng.random() < 0.7,
        "down.discard": rng.choice(["scores", "forbidden"]),
        "claim.chi": rng.choice(["upper", "upper", "none"]),
        "claim.kong": some(rng, ["zhi", "bu", "an"]) if rarely_barred else ["zhi", "bu", "an"],
        "claim.rob": rng.choice(["bu", "bu", "none"]),
        "hu.must_open": rng.random() < 0.3,
        "hu.open_by": some(rng, ["chi", "peng", "zhi", "bu"]),
        "hu.menqing_broken_by": some(rng, ["chi", "peng", "zhi", "bu"]),
        "hu.shapes": shapes,
        "hu.honour_runs": some(rng, ["winds", "dragons"]) if rng.random() < 0.4 else [],
        "hu.dragon_by_wild": rng.random() < 0.5,
        "hu.pair": rng.choice(["any", "258"]),
        "hu.situational_pair": rng.choice(["any", "258"]),
        "hu.hard_basis": rng.choice(["face", "need", "held"]),
        "hu.types": types,
        "hu.situational": situational,
        "hu.soft_small_discard": rng.choice(["allow", "need_down", "deny"]),
        "hu.haidi": {"reserve": 10, "last": 4},
        "score.small": {"base": 1, "zimo": rng.choice([1, 2, 3]), "zimo_base": rng.choice(["none", "none", 3])},
        "score.big": {"base": rng.choice([1, 4, 10]), "zimo": rng.choice([1, 2, 1.5])},
        "score.combine": rng.choice(["sum", "max"]),
        "score.hard": rng.choice([1, 2, 4]),
        "score.zimo_on_situational": rng.random() < 0.6,
        "cap": {"each": 100, "gold": {"trigger": 100, "pay": 100}},
        "waits.list_wild": rng.random() < 0.7,
    }


def random_wilds(rng: random.Random, ruleset: rules.RuleSet) -> tuple[frozenset[int], frozenset[int]]:
    """The wild tiles of one hand of play, and the tiles that are only put down."""
    rule = options(ruleset)
    down = frozenset(index_of(tile) for tile in rule.down.tiles if tile != "indicator")
    if rule.wild.source in ("none", "fixed"):
        return frozenset(map(index_of, rule.wild.fixed)), down
    wild = rng.choice(sorted(oracle.tile_set(rule) - down))
    if "indicator" in rule.down.tiles:
        # The tile before the wild one in its suit; rules with such tiles have suits only.
        down |= {wild - 1 if wild % 9 else wild + 8}
    return frozenset({wild}), down


# ---------------------------------------------------------------------------------------------------------------------
# Hands.


def random_hand(rng: random.Random, ruleset: rules.RuleSet, wilds: frozenset[int], down: frozenset[int]) -> Hand:
    """A hand of 3n+2 concealed tiles with its melds, in random circumstances."""
    rule = options(ruleset)
    while True:
        made = _random(rng, rule) if rng.random() < 0.1 else _win(rng, rule, wilds, down)
        if made is None:
            continue
        concealed, melds = made
        if rng.random() < 0.35:
            _mutate(rng, rule, concealed)
        _put_wilds(rng, concealed, wilds, [tile for meld in melds for tile in meld.tiles])
        melds = tuple(_claim_with_wild(rng, rule, meld, wilds) for meld in melds)
        open_tiles = [tile for meld in melds for tile in meld.tiles]
        if all(count + open_tiles.count(tile) <= COPIES for tile, count in enumerate(concealed)):
            break
    mode = rng.choice(["zimo", "zimo", "discard", "rob_kong"])
    held = [tile for tile in range(34) if concealed[tile]]
    return Hand(
        rule,
        tuple(concealed),
        wilds=wilds,
        down=down,
        melds=melds,
        mode=mode,
        winning=rng.choice([None, *held]),
        gang_flower=mode == "zimo" and rng.random() < 0.2,
        haidi=mode == "zimo" and rng.random() < 0.2,
        put_down=rng.random() < 0.3,
        wild_discarded=rng.random() < 0.05,
        gold=rng.choice([None, Fraction(0), Fraction(10)]),
    )


def _random(rng: random.Random, rule: rules.MahjongRules) -> tuple[Counts, tuple[Meld, ...]] | None:
    """Any tiles, of few kinds as often as of many."""
    tiles = sorted(oracle.tile_set(rule))
    start = rng.randrange(len(tiles))
    near = tiles[start : start + rng.choice([4, 9, 34])]
    wall = [tile for tile in near for _ in range(COPIES)]
    size = rng.choice([2, 5, 8, 11, 14, 14, 14, 17])
    if size > len(wall):
        return None
    concealed = [0] * 34
    for tile in rng.sample(wall, size):
        concealed[tile] += 1
    return concealed, ()


def _win(
    rng: random.Random, rule: rules.MahjongRules, wilds: frozenset[int], down: frozenset[int]
) -> tuple[Counts, tuple[Meld, ...]] | None:
    """The faces of a win of some shape and colour, some melds of a standard one open."""
    tiles = oracle.tile_set(rule)
    suits = [suit for suit in SUITS if suit[0] in tiles or suit[-1] in tiles]
    places = tiles & rng.choice([tiles, tiles, tiles, frozenset(rng.choice(suits)), JIANG, frozenset(SUITS[3])])
    if not places:
        return None
    kinds = sorted(places)
    shape = rng.choice(["standard"] * 6 + ["seven_pairs", "free"])
    concealed = [0] * 34
    melds: list[Meld] = []
    if shape == "seven_pairs":
        for tile in rng.choices(kinds, k=7):
            concealed[tile] += 2
        return (concealed, ()) if max(concealed) <= 6 else None
    if shape == "free":
        free = [tile for tile in kinds if tile in JIANG] if rng.random() < 0.5 else [t for t in kinds if t >= HONOUR]
        for tile in rng.choices(free, k=rng.choice([5, 11, 14])) if free else ():
            concealed[tile] += 1
        return (concealed, ()) if free else None
    runs = [run for run in oracle.run_faces(rule) if places.issuperset(run)]
    triplets_only = rng.random() < 0.25 or not runs
    count = rng.choice([4, 4, 4, 4, 4, 4, 0, 1, 2, 3, 5, 5])
    opened = rng.choice([0, 0, 0, 1, 2, 3, count])
    for index in range(count):
        triplet = triplets_only or rng.random() < 0.35
        faces = (rng.choice(kinds),) * 3 if triplet else rng.choice(runs)
        barred = not rule.wild.claims and wilds.intersection(faces)
        if index < opened and not barred and not down.intersection(faces):
            meld = _open(rng, rule, faces)
            if meld:
                melds.append(meld)
                continue
        for face in faces:
            concealed[face] += 1
    concealed[rng.choice(kinds)] += 2
    return concealed, tuple(melds)


def _open(rng: random.Random, rule: rules.MahjongRules, faces: tuple[int, ...]) -> Meld | None:
    """A meld on the table as the rules allow it."""
    if len(set(faces)) > 1:
        return Meld("chi", faces) if rule.claim.chi != "none" else None
    kind = rng.choice(["peng", *sorted(rule.claim.kong)])
    return Meld(kind, faces if kind == "peng" else faces[:1] * 4)


def _mutate(rng: random.Random, rule: rules.MahjongRules, concealed: Counts) -> None:
    """Another tile, or two, in the place of some."""
    tiles = sorted(oracle.tile_set(rule))
    for _ in range(rng.choice([1, 1, 2])):
        old = rng.choice([tile for tile in range(34) if concealed[tile]])
        near = [tile for tile in tiles if abs(tile - old) <= 2]
        concealed[old] -= 1
        concealed[rng.choice(near if rng.random() < 0.6 and near else tiles)] += 1


def _put_wilds(rng: random.Random, concealed: Counts, wilds: frozenset[int], used: list[int]) -> None:
    """Wild tiles in the place of some others; tiles beyond four copies are replaced first."""
    room = [tile for tile in sorted(wilds) for _ in range(max(0, COPIES - concealed[tile] - used.count(tile)))]
    rng.shuffle(room)
    excess = [tile for tile in range(34) for _ in range(concealed[tile] + used.count(tile) - COPIES)]
    wanted = rng.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4]) if rng.random() < 0.98 else rng.randint(5, 8)
    for _ in range(min(len(room), max(wanted, len(excess)))):
        held = [tile for tile in range(34) for _ in range(concealed[tile]) if tile not in wilds]
        if not held:
            return
        old = excess.pop() if excess else rng.choice(held)
        if concealed[old]:
            concealed[old] -= 1
            concealed[room.pop()] += 1


def _claim_with_wild(rng: random.Random, rule: rules.MahjongRules, meld: Meld, wilds: frozenset[int]) -> Meld:
    """Now and then an open meld holds a wild."""
    if not rule.wild.claims or not wilds or rng.random() < 0.6:
        return meld
    tiles = list(meld.tiles)
    tiles[rng.randrange(len(tiles))] = rng.choice(sorted(wilds))
    made = Meld(meld.kind, tuple(sorted(tiles)))
    # A wild that stands for suited tiles only completes no meld of honours.
    return made if any(oracle.meld_faces(Hand(rule, (0,) * 34, wilds=wilds, melds=(made,)))) else meld


def less(hand: Hand, tile: int) -> Hand:
    """The hand after a discard."""
    return replace(hand, concealed=tuple(n - (index == tile) for index, n in enumerate(hand.concealed)))


def more(hand: Hand, tile: int) -> Hand:
    """The hand with a tile that it would win with."""
    concealed = tuple(n + (index == tile) for index, n in enumerate(hand.concealed))
    return replace(hand, concealed=concealed, winning=tile)


def describe(ruleset: rules.RuleSet, hand: Hand) -> str:
    """Everything that repeats a failure by hand."""
    tiles = " ".join(NAMES[tile] for tile in range(34) for _ in range(hand.concealed[tile]))
    melds = "; ".join(f"{meld.kind} {' '.join(NAMES[tile] for tile in meld.tiles)}" for meld in hand.melds)
    changed = {
        name: value
        for name, value in ruleset.options().items()
        if value != rules.custom("mahjong", {}).options().get(name)
    }
    return (
        f"\nconcealed {tiles}\nmelds {melds}\nwild {[NAMES[tile] for tile in sorted(hand.wilds)]}"
        f" down {[NAMES[tile] for tile in sorted(hand.down)]}"
        f"\nmode {hand.mode} winning {None if hand.winning is None else NAMES[hand.winning]}"
        f" gang_flower {hand.gang_flower} haidi {hand.haidi} put_down {hand.put_down}"
        f" wild_discarded {hand.wild_discarded} gold {hand.gold}\nrules {ruleset.name} {changed}"
    )
