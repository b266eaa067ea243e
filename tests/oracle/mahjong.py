"""The slow truth of mahjong with wilds, written from the meaning of the options and never from the engine.

A *reading* gives every wild of the hand the face that it stands for and arranges the faces in one of the shapes. Two
forms find the readings, and a test proves them equal:

* `plain_readings` puts every allowed face in the place of every wild and takes the tiles apart by recursion: the
  definition itself, for few wilds;
* `readings` walks the faces of one suit after the other, lets wilds fill the missing places, and joins the suits.

Both keep of a reading only what decides its types and its refusals (`Reading`). `judge` turns that into types,
hardness, base and refusals, and `check` picks the reading that is paid.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from laizi.errors import HuRefusal
from laizi.rules import MahjongRules

HONOUR = 27
COPIES = 4
SUITS = (range(9), range(9, 18), range(18, 27), range(27, 34))
JIANG = frozenset(suit[digit] for suit in SUITS[:3] for digit in (1, 4, 7))
CLAIMED = {"chi": {"chi"}, "peng": {"peng"}, "zhi": {"zhi"}, "bu": {"peng", "bu"}, "an": set()}
"""What each meld counts as: an added kong is a claimed triplet with the fourth tile laid to it."""
TYPE_ORDER = (
    *("pengpenghu", "qingyise", "fengyise", "jiangyise", "quanqiuren", "menqing", "qidui", "longqi", "dandiao"),
    *("gang_flower", "haidi", "rob_kong"),
)


class Meld(NamedTuple):
    """An open meld or a kong: ``kind`` chi, peng, zhi, bu or an, and the tiles as they lie."""

    kind: str
    tiles: tuple[int, ...]


@dataclass(frozen=True)
class Hand:
    """A hand with its circumstances; the concealed tiles are 34 counts, wild tiles by their own face."""

    rules: MahjongRules
    concealed: tuple[int, ...]
    wilds: frozenset[int] = frozenset()
    down: frozenset[int] = frozenset()
    melds: tuple[Meld, ...] = ()
    mode: str = "zimo"
    winning: int | None = None
    gang_flower: bool = False
    haidi: bool = False
    put_down: bool = False
    """The player has put down a put-down tile or a wild kong."""
    wild_discarded: bool = False
    gold: Fraction | None = None
    """The points from which the settlement reaches gold for every loser; None where nothing is known of it."""

    @property
    def size(self) -> int:
        return sum(self.concealed)

    @property
    def needed_melds(self) -> int:
        return (self.size - 2) // 3

    @property
    def wild_count(self) -> int:
        return sum(self.concealed[tile] for tile in self.wilds)


class Reading(NamedTuple):
    """What decides about a reading."""

    shape: str
    """standard, seven_pairs, free_wind or free_jiang."""
    pair: str
    """258 or other; empty where the shape has no pair of its own."""
    triplets: bool
    """Every meld, open ones too, is a triplet or a kong."""
    colour: str
    """suit or honour where all tiles, open ones too, are of one suit or honours; else empty."""
    jiang: bool
    """All tiles are 2, 5 or 8."""
    others: int
    """Concealed wilds that stand for another tile."""
    meld_others: int
    """Wilds in open melds that stand for another tile."""
    four: bool
    """Seven pairs with four equal faces."""
    real_four: bool
    """Seven pairs with four tiles of their own face, all four equal."""
    lone: bool
    """The last concealed tile before the win is a wild and stands for another tile."""


# ---------------------------------------------------------------------------------------------------------------------
# What a tile may stand for.


def tile_set(rules: MahjongRules) -> frozenset[int]:
    """The tiles of the set, by index."""
    suited = {tile for suit, tiles in zip("mps", SUITS[:3], strict=True) if suit in rules.tiles.suits for tile in tiles}
    return frozenset(suited | {HONOUR + int(tile[1]) - 1 for tile in rules.tiles.honours})


def stand_ins(rules: MahjongRules, wilds: frozenset[int]) -> frozenset[int]:
    """Tiles that may play a wild's face, where there is one; one that is itself wild is a wild."""
    if not wilds:
        return frozenset()
    return frozenset(index_of(tile) for tile in rules.wild.stand_in) - wilds


def index_of(tile: str) -> int:
    """``5m`` or ``z5`` as an index."""
    if tile[0] == "z":
        return HONOUR + int(tile[1]) - 1
    return 9 * "mps".index(tile[1]) + int(tile[0]) - 1


def wild_faces(rules: MahjongRules) -> frozenset[int]:
    """What any wild may stand for, beside itself."""
    faces = tile_set(rules)
    return frozenset(tile for tile in faces if tile < HONOUR) if rules.wild.stands_for == "suited" else faces


def faces_of(hand: Hand, tile: int) -> frozenset[int]:
    """What a tile of the hand may be."""
    if tile in hand.wilds:
        return wild_faces(hand.rules) | {tile}
    if tile in stand_ins(hand.rules, hand.wilds):
        return hand.wilds | {tile}
    return frozenset({tile})


def run_faces(rules: MahjongRules) -> tuple[tuple[int, int, int], ...]:
    """Every run of the rules, as faces."""
    runs = [tuple(suit[start : start + 3]) for suit in SUITS[:3] for start in range(7)]
    if "winds" in rules.hu.honour_runs:
        runs += itertools.combinations(SUITS[3][:4], 3)
    if "dragons" in rules.hu.honour_runs:
        runs.append(tuple(SUITS[3][4:]))
    return tuple(runs)  # type: ignore[arg-type]


def meld_faces(hand: Hand) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """Every way to understand the open melds: their faces, and how many of their wilds stand for another tile.

    A meld that is one by the faces on its tiles is just that; the wilds of the others fill its gaps.
    """
    runs = {tuple(sorted(run)) for run in run_faces(hand.rules)}

    def ways(meld: Meld) -> Iterator[tuple[tuple[int, ...], int]]:
        def is_meld(faces: tuple[int, ...]) -> bool:
            return tuple(sorted(faces)) in runs if meld.kind == "chi" else len(set(faces)) == 1

        if is_meld(meld.tiles):
            yield meld.tiles, 0
            return
        choices = [sorted(faces_of(hand, tile)) for tile in meld.tiles]
        found: dict[tuple[tuple[int, ...], int], None] = {}
        for faces in itertools.product(*choices):
            if is_meld(faces):
                swapped = sum(face != tile for face, tile in zip(faces, meld.tiles, strict=True) if tile in hand.wilds)
                found[tuple(sorted(faces)), swapped] = None
        yield from found

    for choice in itertools.product(*(list(ways(meld)) for meld in hand.melds)):
        yield tuple(faces for faces, _ in choice), sum(swapped for _, swapped in choice)


def _counts(tiles: Iterable[int]) -> tuple[int, ...]:
    counter = Counter(tiles)
    return tuple(counter[tile] for tile in range(34))


def colour(tiles: Iterable[int]) -> str:
    """``suit`` or ``honour`` where all tiles are of one suit or honours, else nothing."""
    suits = {min(tile // 9, 3) for tile in tiles}
    if len(suits) != 1:
        return ""
    return "honour" if suits == {3} else "suit"


# ---------------------------------------------------------------------------------------------------------------------
# The plain form: every face for every wild, then recursion.


Group = tuple[int, ...]
"""The faces of a meld (three) or of the pair (two)."""


def substitutions(hand: Hand) -> Iterator[dict[int, Counter[int]]]:
    """Every way to give the concealed tiles faces: physical tile → how many of them have which face."""
    held = [tile for tile in range(34) if hand.concealed[tile]]
    choices = [
        [Counter(faces) for faces in itertools.combinations_with_replacement(sorted(faces_of(hand, tile)), count)]
        for tile in held
        for count in [hand.concealed[tile]]
    ]
    for choice in itertools.product(*choices):
        yield dict(zip(held, choice, strict=True))


def arrangements(faces: tuple[int, ...], runs: tuple[Group, ...]) -> Iterator[tuple[Group, ...]]:
    """Every split of 3n+2 faces into n melds and a pair, the pair first. Each set of groups comes once."""
    for pair in range(34):
        if faces[pair] >= 2:
            rest = list(faces)
            rest[pair] -= 2
            for melds in _melds(tuple(rest), runs):
                yield (pair, pair), *melds


def _melds(faces: tuple[int, ...], runs: tuple[Group, ...]) -> Iterator[tuple[Group, ...]]:
    first = next((tile for tile in range(34) if faces[tile]), None)
    if first is None:
        yield ()
        return
    # The lowest tile is in some meld; which ones it may be in, without saying a set of melds twice: all copies of
    # the lowest tile are taken away at once, as triplets and as runs that begin with it.
    starting = [run for run in runs if run[0] == first]
    count = faces[first]
    for triplets in range(count // 3 + 1):
        for begun in itertools.combinations_with_replacement(starting, count - 3 * triplets):
            rest = list(faces)
            rest[first] = 0
            for run in begun:
                rest[run[1]] -= 1
                rest[run[2]] -= 1
            if min(rest) >= 0:
                taken = ((first,) * 3,) * triplets + begun
                for melds in _melds(tuple(rest), runs):
                    yield taken + melds


Slots = tuple[tuple[int, int], ...]
"""A group with its tiles: (physical tile, face) of each place, sorted."""


def placements(groups: tuple[Group, ...], faces: dict[int, Counter[int]]) -> Iterator[tuple[Slots, ...]]:
    """Every way to lay the physical tiles on the groups' places; each distinct way once, melds sorted."""
    supply = Counter({(tile, face): n for tile, of in faces.items() for face, n in of.items()})
    tiles_by_face: dict[int, list[int]] = {}
    for tile, face in supply:
        tiles_by_face.setdefault(face, []).append(tile)

    def lay(index: int) -> Iterator[tuple[Slots, ...]]:
        if index == len(groups):
            yield ()
            return
        options = {
            tuple(sorted(zip(tiles, groups[index], strict=True)))
            for tiles in itertools.product(*(tiles_by_face.get(face, ()) for face in groups[index]))
        }
        for slots in sorted(options):
            need = Counter(slots)
            if all(supply[slot] >= n for slot, n in need.items()):
                supply.subtract(need)
                for rest in lay(index + 1):
                    yield slots, *rest
                supply.update(need)

    seen = set()
    for pair, *melds in lay(0):
        key = (pair, *sorted(melds))
        if key not in seen:
            seen.add(key)
            yield key


def _swapped(hand: Hand, slots: Slots) -> int:
    """Wilds of a group that stand for another tile."""
    return sum(tile in hand.wilds and tile != face for tile, face in slots)


def _allowed(hand: Hand, groups: tuple[Slots, ...]) -> bool:
    """The bans on wilds in the pair and on melds made of nothing else."""
    wild = hand.rules.wild
    in_pair = _swapped(hand, groups[0])
    if in_pair and wild.pair == "none":
        return False
    if in_pair == 2 and wild.pair == "no_pure":
        return False
    return wild.meld == "any" or all(_swapped(hand, slots) < 3 for slots in groups[1:])


def _fits(hand: Hand, concealed: tuple[int, ...], open_faces: tuple[int, ...]) -> bool:
    """No tile more than four times, where the rules say so."""
    if hand.rules.wild.fifth_copy:
        return True
    return all(mine + theirs <= COPIES for mine, theirs in zip(concealed, open_faces, strict=True))


def plain_readings(hand: Hand) -> set[Reading]:
    """The readings by the definition."""
    return {reading for reading, _ in plain_decompositions(hand)}


def plain_decompositions(hand: Hand) -> Iterator[tuple[Reading, tuple[Slots, ...]]]:
    """Every reading with the concealed tiles laid out in it.

    The standard shape gives the pair and then the melds; seven pairs and the free shapes one group of all tiles,
    because nothing depends on who is paired with whom.
    """
    rules = hand.rules
    runs = run_faces(rules)
    shapes = rules.hu.shapes
    for open_melds, meld_others in meld_faces(hand):
        open_tiles = [tile for meld in open_melds for tile in meld]
        open_counts = _counts(open_tiles)
        open_triplets = all(len(set(meld)) == 1 for meld in open_melds)
        for given in substitutions(hand):
            faces = _counts(face for of in given.values() for face in of.elements())
            if not _fits(hand, faces, open_counts):
                continue
            tiles = [tile for tile in range(34) if faces[tile] or open_counts[tile]]
            swapped = sum(
                n for tile, of in given.items() if tile in hand.wilds for face, n in of.items() if face != tile
            )
            everything = (tuple(sorted((tile, face) for tile, of in given.items() for face in of.elements())),)
            for lone in _lone(hand, given):
                loose = Reading(
                    shape="",
                    pair="",
                    triplets=False,
                    colour=colour(tiles),
                    jiang=JIANG.issuperset(tiles),
                    others=swapped,
                    meld_others=meld_others,
                    four=False,
                    real_four=False,
                    lone=lone,
                )
                if "free_wind" in shapes and loose.colour == "honour":
                    yield loose._replace(shape="free_wind"), everything
                if "free_jiang" in shapes and loose.jiang:
                    yield loose._replace(shape="free_jiang"), everything
                if hand.size == 14 and not hand.melds and all(n % 2 == 0 for n in faces):
                    real = any(given.get(tile, Counter())[tile] >= 4 for tile in range(34))
                    yield loose._replace(shape="seven_pairs", four=max(faces) >= 4, real_four=real), everything
                if "standard" in shapes:
                    for groups in arrangements(faces, runs):
                        reading = loose._replace(
                            shape="standard",
                            pair="258" if groups[0][0] in JIANG else "other",
                            triplets=open_triplets and all(len(set(meld)) == 1 for meld in groups[1:]),
                        )
                        for placed in placements(groups, given):
                            if _allowed(hand, placed):
                                yield reading, placed


def _lone(hand: Hand, given: dict[int, Counter[int]]) -> set[bool]:
    """Whether the tile that was kept while waiting is a wild that stands for another tile."""
    if hand.size != 2 or hand.winning is None:
        return {False}
    kept = next(tile for tile in range(34) if hand.concealed[tile] - (tile == hand.winning) > 0)
    if kept not in hand.wilds:
        return {False}
    return {face != kept for face in given[kept]}


# ---------------------------------------------------------------------------------------------------------------------
# The quick form: face after face, wilds fill what is missing.


class Suit(NamedTuple):
    """One suit of a hand, as `_profiles` needs it. Places are 0..8, or 0..6 for honours."""

    mode: str
    """standard, pairs or free."""
    faces: frozenset[int]
    """Places that a wild may stand for beside its own."""
    closed: frozenset[int]
    """Places that may not be used at all."""
    jiang: frozenset[int]
    natural: tuple[int, ...]
    opened: tuple[int, ...] | None
    """Copies of each face in open melds, where a fifth copy is barred; else None."""
    own: tuple[tuple[int, int], ...]
    """Wild kinds of this suit: (place, held)."""
    wilds: int
    """Held wilds of all suits."""
    stands: tuple[tuple[int, int], ...]
    """Stand-ins held: (own place or -1, how many)."""
    wild_places: frozenset[int]
    """Places that are faces of wild tiles."""
    runs: tuple[Group, ...]
    melds: int
    """Most melds."""
    pair_ban: str
    meld_ban: str


class Profile(NamedTuple):
    """What a suit can be, and what that takes."""

    groups: int
    """Melds, or pairs in seven pairs."""
    pair: str
    triplets: bool
    jiang: bool
    used: bool
    """Any tile at all lies in the suit."""
    swapped: int
    """Wilds used here that stand for another tile."""
    selves: int
    """Wilds used here as themselves."""
    most: int
    """The most, over the wild kinds of this suit, of: swapped wilds of the kind, wherever they are, and other wilds
    that took its face. See `_join`."""
    stands: tuple[int, ...]
    """Stand-ins used here, by kind."""
    four: bool
    real_four: bool


@lru_cache(maxsize=200_000)
def _profiles(suit: Suit) -> tuple[Profile, ...]:
    """Everything that one suit can be."""
    nothing = (0,) * len(suit.own)
    start = (0, "", True, True, False, 0, nothing, nothing, (0,) * len(suit.stands), False, False, ())
    states = {start}
    room = sum(suit.natural) + suit.wilds + sum(held for _, held in suit.stands)
    for place in range(len(suit.natural)):
        states = {after for state in states for after in _place(suit, place, room, state)}
    return tuple(
        {
            Profile(
                *(groups, pair, triplets, jiang, used, swapped, sum(selves)),
                max((held - n + t for (_, held), n, t in zip(suit.own, selves, taken, strict=True)), default=0),
                *(stands, four, real_four),
            )
            for groups, pair, triplets, jiang, used, swapped, selves, taken, stands, four, real_four, begun in states
            if not begun
        }
    )


def _place(suit: Suit, place: int, room: int, state: Any) -> Iterator[Any]:
    """All states after the tiles of one face are settled; the suit has ``room`` tiles at most.

    The last of a state are the runs that were begun and wait for more places: (places to come, has a tile that is no
    swapped wild).
    """
    groups, pair, triplets, jiang, used, swapped, selves, taken, stands, four, real_four, open_runs = state
    most = suit.natural[place] + suit.wilds - swapped - sum(selves) + sum(held for _, held in suit.stands) - sum(stands)
    for new_triplets, new_pair, begun, size in _arranged(suit, place, groups, pair, most, room, open_runs):
        missing = size - suit.natural[place]
        if missing < 0 or (size and place in suit.closed):
            continue
        if suit.opened is not None and size + suit.opened[place] > COPIES:
            continue
        for new_swapped, new_selves, new_stands in _fillings(suit, place, missing, swapped, stands):
            for runs_after in _settle_runs(suit, place, open_runs, begun, new_triplets, new_pair, size - new_swapped):
                new_four = suit.mode == "pairs" and size >= 4
                yield (
                    groups + new_triplets + len(begun) + (size // 2 if suit.mode == "pairs" else 0),
                    ("258" if place in suit.jiang else "other") if new_pair else pair,
                    triplets and not begun,
                    jiang and (not size or place in suit.jiang),
                    used or size > 0,
                    swapped + new_swapped,
                    tuple(new_selves if at == place else n for (at, _), n in zip(suit.own, selves, strict=True)),
                    tuple(new_swapped if at == place else n for (at, _), n in zip(suit.own, taken, strict=True)),
                    tuple(a + b for a, b in zip(stands, new_stands, strict=True)) if suit.stands else stands,
                    four or new_four,
                    real_four or (new_four and size - new_swapped - _faked(suit, place, new_stands) >= 4),
                    runs_after,
                )


def _faked(suit: Suit, place: int, used: Any) -> int:
    """Stand-ins among the ``used`` that play the face of a wild."""
    return sum(n for (at, _), n in zip(suit.stands, used, strict=True) if at != place)


def _arranged(suit: Suit, place: int, groups: int, pair: str, most: int, room: int, open_runs: Any) -> Iterator[Any]:
    """(triplets, pair, runs begun, tiles) that one face may hold: at ``most`` so many tiles, and groups for which the
    suit has ``room``."""
    if suit.mode == "pairs":
        for size in range(0, most + 1, 2):
            yield 0, False, (), size
        return
    if suit.mode == "free":
        for size in range(most + 1):
            yield 0, False, (), size
        return
    waiting = sum(run[0][0] == place for run in open_runs)
    starting = [run for run in suit.runs if run[0] == place]
    for new_pair in (False, True) if not pair else (False,):
        more = min(suit.melds, (room - 2 * (new_pair or bool(pair))) // 3) - groups
        for new_triplets in range(more + 1):
            for new_runs in range(more - new_triplets + 1 if starting else 1):
                size = waiting + 3 * new_triplets + 2 * new_pair + new_runs
                if size <= most:
                    for begun in itertools.combinations_with_replacement(starting, new_runs):
                        yield new_triplets, new_pair, begun, size


def _fillings(suit: Suit, place: int, missing: int, swapped: int, stands: Any) -> Iterator[Any]:
    """(swapped wilds, wilds as themselves, stand-ins by kind): every way to fill ``missing`` places of one face."""
    swappable = suit.wilds - swapped if place in suit.faces else 0
    held = next((held for at, held in suit.own if at == place), 0)
    if not suit.stands:
        for selves in range(max(0, missing - swappable), min(held, missing) + 1):
            yield missing - selves, selves, ()
        return
    stands_left = [
        min(held - mine, missing) if place == at or place in suit.wild_places else 0
        for (at, held), mine in zip(suit.stands, stands, strict=True)
    ]
    for theirs in itertools.product(*(range(most + 1) for most in stands_left)):
        rest = missing - sum(theirs)
        for selves in range(min(held, rest) + 1):
            if 0 <= rest - selves <= swappable:
                yield rest - selves, selves, theirs


def _settle_runs(
    suit: Suit, place: int, open_runs: Any, begun: Any, new_triplets: int, new_pair: bool, real: int
) -> Iterator[Any]:
    """The runs still open after this face, with ``real`` of its tiles being no swapped wild.

    The bans demand such tiles in the pair and in every meld; which group gets them is a choice.
    """
    pair_need = {"any": 0, "no_pure": 1, "none": 2}[suit.pair_ban] if new_pair else 0
    if suit.meld_ban == "any":
        if real >= pair_need:
            here = [run for run in open_runs if run[0][0] != place]
            here += [(run[0][1:], True) for run in open_runs if run[0][0] == place and len(run[0]) > 1]
            here += [(run[1:], True) for run in begun]
            yield tuple(sorted(here))
        return
    passing = [run for run in open_runs if run[0][0] != place]
    here = [run for run in open_runs if run[0][0] == place] + [(run, False) for run in begun]
    # A meld that ends here without such a tile needs one now; what is left goes to runs that go on.
    last_chance = sum(not has and len(rest) == 1 for rest, has in here)
    spare = real - pair_need - new_triplets - last_chance
    if spare < 0:
        return
    wanting = sorted((rest[1:], False) for rest, has in here if not has and len(rest) > 1)
    settled = [(rest[1:], True) for rest, has in here if has and len(rest) > 1]
    gets = min(spare, len(wanting))
    for chosen in set(itertools.combinations(range(len(wanting)), gets)):
        after = [(rest, index in chosen) for index, (rest, _) in enumerate(wanting)]
        yield tuple(sorted(passing + settled + after))


def _suits(hand: Hand, mode: str, places: frozenset[int], open_counts: tuple[int, ...]) -> list[Suit]:
    """The four suits of a hand; ``places`` are the faces that it may consist of."""
    rules = hand.rules
    stands = sorted(tile for tile in stand_ins(rules, hand.wilds) if hand.concealed[tile])
    faces = wild_faces(rules)
    out = []
    for tiles in SUITS:
        offset = tiles[0]

        def here(given: Iterable[int], tiles: range = tiles) -> frozenset[int]:
            return frozenset(tile - tiles[0] for tile in given if tile in tiles)

        own = tuple(
            (tile - offset, hand.concealed[tile]) for tile in tiles if tile in hand.wilds and hand.concealed[tile]
        )
        out.append(
            Suit(
                mode,
                here(faces & places),
                here(set(range(34)) - places),
                here(JIANG),
                tuple(0 if tile in hand.wilds or tile in stands else hand.concealed[tile] for tile in tiles),
                None if rules.wild.fifth_copy else tuple(open_counts[tile] for tile in tiles),
                own,
                hand.wild_count,
                tuple((tile - offset if tile in tiles else -1, hand.concealed[tile]) for tile in stands),
                here(hand.wilds),
                tuple(tuple(tile - offset for tile in run) for run in run_faces(rules) if run[0] in tiles)
                if mode == "standard"
                else (),
                hand.needed_melds if mode == "standard" else 0,
                rules.wild.pair,
                rules.wild.meld,
            )
        )
    return out


def _join(hand: Hand, mode: str, places: frozenset[int], open_melds: Any, open_counts: Any) -> set[Any]:
    """(pair, triplets, jiang, suits used, swapped, four, real four) of every way to read the whole hand."""
    open_suits = frozenset(min(tile // 9, 3) for tile in range(34) if open_counts[tile])
    want = {"standard": hand.needed_melds, "pairs": 7, "free": 0}[mode]
    stands = tuple(hand.concealed[tile] for tile in sorted(stand_ins(hand.rules, hand.wilds)) if hand.concealed[tile])
    states = {(0, "", True, True, open_suits, 0, 0, 0, (0,) * len(stands), False, False)}
    for index, suit in enumerate(_suits(hand, mode, places, open_counts)):
        after = set()
        for profile in _profiles(suit):
            for groups, pair, triplets, jiang, suits, swapped, selves, most, used, four, real_four in states:
                if groups + profile.groups <= want and not (pair and profile.pair):
                    after.add(
                        (
                            groups + profile.groups,
                            pair or profile.pair,
                            triplets and profile.triplets,
                            jiang and profile.jiang,
                            suits | {index} if profile.used else suits,
                            swapped + profile.swapped,
                            selves + profile.selves,
                            max(most, profile.most),
                            tuple(a + b for a, b in zip(used, profile.stands, strict=True)),
                            four or profile.four,
                            real_four or profile.real_four,
                        )
                    )
        states = after
    found = set()
    for groups, pair, triplets, jiang, suits, swapped, selves, most, used, four, real_four in states:
        # All tiles are used, and the swapped wilds can be dealt to the places that they fill: no wild of a kind to a
        # place of its own face. That can be done exactly if, for each kind, its swapped wilds and the places that
        # only other wilds may fill are together no more than all of them (Hall's condition with one ban each).
        if groups != want or used != stands or swapped + selves != hand.wild_count or most > swapped:
            continue
        if mode == "standard" and not pair:
            continue
        found.add((pair, triplets, jiang, suits, swapped, four, real_four))
    return found


def readings(hand: Hand) -> set[Reading]:
    """The readings of a hand; equal to `plain_readings`, for any number of wilds."""
    if hand.size == 2:
        return plain_readings(hand)
    shapes = hand.rules.hu.shapes
    everywhere = frozenset(range(34))
    out = set()
    for open_melds, meld_others in meld_faces(hand):
        open_tiles = [tile for meld in open_melds for tile in meld]
        open_counts = _counts(open_tiles)
        open_triplets = all(len(set(meld)) == 1 for meld in open_melds)
        open_jiang = JIANG.issuperset(open_tiles)
        wanted = []
        if "standard" in shapes:
            wanted.append(("standard", "standard", everywhere))
        if hand.size == 14 and not hand.melds:
            wanted.append(("seven_pairs", "pairs", everywhere))
        if "free_wind" in shapes and min(open_tiles, default=HONOUR) >= HONOUR:
            wanted.append(("free_wind", "free", frozenset(SUITS[3])))
        if "free_jiang" in shapes and open_jiang:
            wanted.append(("free_jiang", "free", JIANG))
        for shape, mode, places in wanted:
            for pair, triplets, jiang, suits, swapped, four, real_four in _join(
                hand, mode, places, open_melds, open_counts
            ):
                colour = "" if len(suits) != 1 else "honour" if suits == {3} else "suit"
                out.add(
                    Reading(
                        shape,
                        pair,
                        shape == "standard" and triplets and open_triplets,
                        colour,
                        jiang and open_jiang,
                        swapped,
                        meld_others,
                        four,
                        real_four,
                        False,
                    )
                )
    return out


# ---------------------------------------------------------------------------------------------------------------------
# What a reading is worth, and what stands against it.


class Verdict(NamedTuple):
    """A reading judged."""

    types: tuple[str, ...]
    hard: bool
    base: Fraction
    points: Fraction
    refusals: frozenset[HuRefusal]


@dataclass(frozen=True)
class Answer:
    """What `check` finds: a win with what is paid, or the reasons against it."""

    hu: bool
    types: tuple[str, ...] = ()
    hard: bool = False
    base: Fraction = Fraction(0)
    points: Fraction = Fraction(0)
    refusals: tuple[HuRefusal, ...] = ()
    paid: frozenset[Reading] = field(default_factory=frozenset)
    """The readings that are paid so."""


def is_dragon(rules: MahjongRules, reading: Reading) -> bool:
    """Seven pairs with a four that counts."""
    return reading.four if rules.hu.dragon_by_wild else reading.real_four


def stands(hand: Hand, reading: Reading) -> bool:
    """The shape of a reading is one of the rules'."""
    shapes = hand.rules.hu.shapes
    if reading.shape != "seven_pairs":
        return reading.shape in shapes
    return "seven_pairs" in shapes or ("dragon_seven" in shapes and is_dragon(hand.rules, reading))


def has_shape(hand: Hand, pair_258: bool = False) -> bool:
    """Some reading has a shape of the rules, its pair one of 2, 5, 8 on request."""
    return any(stands(hand, reading) and not (pair_258 and reading.pair == "other") for reading in readings(hand))


def types_of(hand: Hand, reading: Reading) -> tuple[str, ...]:
    """The hu types and situational types that a reading holds, in the order of their declaration."""
    hu = hand.rules.hu
    claims = [CLAIMED[meld.kind] for meld in hand.melds]

    def counts(name: str) -> bool:
        option = getattr(hu.types, name)
        return option is not None and (hand.mode != "zimo" or not option.needs_discard)

    # Seven pairs with a four are 龙七对 instead of 七对 where that type counts, else 七对 like any others.
    pairs = reading.shape == "seven_pairs"
    dragon = pairs and is_dragon(hand.rules, reading) and counts("longqi")
    holds = {
        "pengpenghu": reading.triplets,
        "qingyise": reading.colour == "suit",
        "fengyise": reading.colour == "honour",
        "jiangyise": reading.jiang,
        "quanqiuren": len(claims) >= 4 and all(claims) and hand.size == 2,
        "menqing": reading.shape == "standard" and not any(claim & hu.menqing_broken_by for claim in claims),
        "qidui": pairs and not dragon,
        "longqi": dragon,
        "dandiao": hand.size == 2,
    }
    found = [name for name, held in holds.items() if held and counts(name)]
    situations = {
        "gang_flower": hand.gang_flower,
        "haidi": hand.haidi,
        "rob_kong": hand.mode == "rob_kong",
    }
    for name, happens in situations.items():
        option = getattr(hu.situational, name)
        if happens and option is not None and option.counts_as == "type":
            found.append(name)
    return tuple(found)


def judge(hand: Hand, reading: Reading, hard: bool) -> Verdict:
    """Types, base, points and refusals of one reading, taken as hard or soft."""
    rules = hand.rules
    types = types_of(hand, reading)
    own_types = [name for name in types if hasattr(rules.hu.types, name)]
    base, points = worth(hand, types, hard)
    refusals = set()

    if reading.shape == "standard":
        if any(getattr(rules.hu.types, name).any_pair for name in own_types):
            demand = "any"
        elif own_types or not types:
            demand = rules.hu.pair
        else:
            demand = rules.hu.situational_pair
        if demand == "258" and reading.pair != "258":
            refusals.add(HuRefusal.PAIR_NOT_258)

    limits = rules.wild.limit
    limit = limits.big if types else limits.small
    counted = hand.wild_count if rules.wild.limit_basis == "held" else reading.others
    if limit is not None and counted > limit:
        if limits.gold is None or counted > limits.gold:
            refusals.add(HuRefusal.TOO_MANY_WILDS)
        elif hand.gold is None:
            refusals.add(HuRefusal.NEEDS_SETTLEMENT)
        elif points < hand.gold:
            refusals.add(HuRefusal.WILDS_NEED_GOLD)

    if not types and not hard and hand.mode != "zimo":
        kong = hand.put_down or any(meld.kind in ("zhi", "bu", "an") for meld in hand.melds)
        rule = rules.hu.soft_small_discard
        if rule == "deny" or (rule == "need_down" and not kong):
            refusals.add(HuRefusal.SOFT_SMALL_NEEDS_SELF_DRAW)

    if reading.lone and not rules.wild.lone_wait:
        refusals.add(HuRefusal.LONE_WILD_WAIT)

    return Verdict(types, hard, base, points, frozenset(refusals))


def worth(hand: Hand, types: tuple[str, ...], hard: bool) -> tuple[Fraction, Fraction]:
    """Base, and base times the factors of the win itself (hard, self-draw, situations)."""
    score, hu = hand.rules.score, hand.rules.hu
    own = [getattr(hu.types, name).base if hasattr(hu.types, name) else Fraction(0) for name in types]
    bases = [base or score.big.base for base in own]
    base = (sum(bases, Fraction(0)) if score.combine == "sum" else max(bases)) if bases else score.small.base
    points = base
    # A situation that the rules do not know is an ordinary self-draw.
    last_tile = (hand.gang_flower and hu.situational.gang_flower) or (hand.haidi and hu.situational.haidi)
    if hand.mode == "zimo" and (score.zimo_on_situational or not last_tile):
        if types:
            points *= score.big.zimo
        elif score.small.zimo_base is not None:
            # 小斜: a base of its own, which has the self-draw in it.
            base = points = score.small.zimo_base
        else:
            points *= score.small.zimo
    happens = {"gang_flower": hand.gang_flower, "haidi": hand.haidi, "rob_kong": hand.mode == "rob_kong"}
    for name, now in happens.items():
        option = getattr(hu.situational, name)
        if now and option is not None and option.counts_as == "factor":
            points *= option.factor
    return base, points * score.hard if hard else points


def hand_refusals(hand: Hand) -> set[HuRefusal]:
    """What bars the hand however it is read."""
    rules = hand.rules
    out = set()
    if rules.down.block_hu and any(hand.concealed[tile] for tile in hand.down):
        out.add(HuRefusal.HOLDS_PUT_DOWN_TILE)
    if rules.hu.must_open and not any(CLAIMED[meld.kind] & rules.hu.open_by for meld in hand.melds):
        out.add(HuRefusal.NOT_OPENED)
    if hand.mode != "zimo" and hand.winning in hand.wilds and not rules.wild.claims:
        out.add(HuRefusal.WINNING_TILE_NOT_CLAIMABLE)
    if hand.mode == "rob_kong" and rules.claim.rob == "none":
        out.add(HuRefusal.KONG_NOT_ROBBABLE)
    if hand.wild_discarded and rules.wild.discard == "ban_hu":
        out.add(HuRefusal.WILD_DISCARDED_BAN)
    return out


def verdicts(hand: Hand, found: Iterable[Reading]) -> dict[Reading, Verdict]:
    """The readings of the rules' shapes with what is to be said of each; ``found`` are all that the tiles have."""
    found = [reading for reading in found if stands(hand, reading)]
    as_itself = {reading: not reading.others and not reading.meld_others for reading in found}
    basis = hand.rules.hu.hard_basis
    if basis == "face":
        hard = as_itself
    elif basis == "held":
        hard = dict.fromkeys(found, hand.wild_count == 0)
    else:
        need = any(not judge(hand, reading, True).refusals for reading in found if as_itself[reading])
        hard = dict.fromkeys(found, need)
    return {reading: judge(hand, reading, hard[reading]) for reading in found}


def winning_readings(hand: Hand, found: Iterable[Reading]) -> set[Reading]:
    """Those of the readings that win."""
    if hand_refusals(hand):
        return set()
    return {reading for reading, verdict in verdicts(hand, found).items() if not verdict.refusals}


def check(hand: Hand) -> Answer:
    """Whether a hand wins, and as what."""
    judged = verdicts(hand, readings(hand))
    barred = hand_refusals(hand)
    wins = {reading: verdict for reading, verdict in judged.items() if not verdict.refusals}
    if barred or not wins:
        if not judged:
            barred.add(HuRefusal.NO_SHAPE)
        elif not wins:
            sets = {verdict.refusals for verdict in judged.values()}
            for refusals in sets:
                if not any(other < refusals for other in sets):
                    barred |= refusals
        return Answer(False, refusals=tuple(sorted(barred, key=lambda reason: reason.number)))

    def rank(verdict: Verdict) -> Any:
        return verdict.points, verdict.hard, len(verdict.types), [-TYPE_ORDER.index(name) for name in verdict.types]

    best = max(wins.values(), key=rank)
    paid = frozenset(reading for reading, verdict in wins.items() if verdict == best)
    return Answer(True, best.types, best.hard, best.base, best.points, (), paid)
