"""What the seats of a mahjong table may do, by the letter of the rules: a slow second opinion for tests.

Tiles are texts such as ``5m``. Every set of tiles of a hand is tried. Whether tiles win is asked of the caller.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Action = tuple[str, str, tuple[str, ...]]
"""Kind, tile, tiles of the hand that join it."""


@dataclass
class Scene:
    """What lies on the table."""

    trigger: str
    """discard, draw, claimed, added_kong."""
    seat: int
    tile: str
    hands: list[list[str]]
    melds: list[list[tuple[str, tuple[str, ...]]]]
    put_downs: list[int]
    wild_kongs: list[int]
    missed: list[bool]
    dealer: int
    wilds: set[str]
    skin: str | None
    left: int | None = None
    after_kong: bool = False
    tiles: list[str] = field(default_factory=list)
    """The tile set."""


def actions(rules: Any, scene: Scene, wins: Callable[[int], bool]) -> list[set[Action]]:
    """All that each seat may do."""
    own = scene.trigger in ("draw", "claimed")
    return [
        set(_own_turn(rules, scene, wins) if seat == scene.seat else ())
        if own
        else set(_answers(rules, scene, seat, wins) if seat != scene.seat else ())
        for seat in range(len(scene.hands))
    ]


def _last(rules: Any, scene: Scene) -> bool:
    return scene.left is not None and scene.left < rules.hu.haidi.last


def _skins(rules: Any, scene: Scene) -> set[str]:
    return {str(scene.skin) if tile == "indicator" else tile for tile in rules.down.tiles}


def _own_turn(rules: Any, scene: Scene, wins: Callable[[int], bool]) -> Iterator[Action]:
    hand, skins = scene.hands[scene.seat], _skins(rules, scene)
    drawn = scene.trigger == "draw"
    if drawn and _last(rules, scene):
        yield "PASS", "", ()
        if wins(scene.seat):
            yield "HU", scene.tile, ()
        return
    if drawn and _must_go_down(rules, scene):
        yield "PUT_DOWN", scene.tile, ()
        return
    if drawn and wins(scene.seat):
        yield "HU", scene.tile, ()
    wall_is_empty = scene.left == 0
    for tile in set(hand) if not wall_is_empty else ():
        if tile in skins:
            yield "PUT_DOWN", tile, ()
        if tile in scene.wilds and rules.wild.kong is not None:
            yield "WILD_KONG", tile, ()
        if "bu" in rules.claim.kong and _usable(rules, scene, tile):
            for kind, meld in scene.melds[scene.seat]:
                if kind == "peng" and _equal(rules, scene, (tile, *meld)):
                    yield "BU_GANG", tile, ()
    if "an" in rules.claim.kong and not wall_is_empty:
        for four in set(itertools.combinations(sorted(hand), 4)):
            if all(_usable(rules, scene, tile) for tile in four) and _equal(rules, scene, four):
                yield "AN_GANG", "", four
    free = {tile for tile in hand if _may_go(rules, scene, tile)}
    for tile in free or set(hand):
        yield "DISCARD", tile, ()


def _must_go_down(rules: Any, scene: Scene) -> bool:
    if not (rules.down.tail_forced and scene.after_kong and scene.tile in _skins(rules, scene)):
        return False
    laid = [put + kong for put, kong in zip(scene.put_downs, scene.wild_kongs, strict=True)]
    laid += [sum(1 for kind, _ in melds if kind.endswith("gang")) for melds in scene.melds]
    return sum(laid) <= 1


def _may_go(rules: Any, scene: Scene, tile: str) -> bool:
    if tile in scene.wilds:
        return bool(rules.wild.discard != "forbidden")
    return tile not in _skins(rules, scene) or rules.down.discard != "forbidden"


def _answers(rules: Any, scene: Scene, seat: int, wins: Callable[[int], bool]) -> Iterator[Action]:
    """Another seat discarded a tile or adds it to its triplet."""
    yield "PASS", "", ()
    hand, last = scene.hands[seat], _last(rules, scene)
    locked = scene.missed[seat] and rules.claim.missed_hu == "until_draw"
    robbed = scene.trigger == "added_kong"
    takeable = _usable(rules, scene, scene.tile)
    if takeable and not last and not locked and not (robbed and rules.claim.rob == "none") and wins(seat):
        yield "HU", scene.tile, ()
    if robbed or last or not takeable:
        return
    usable = sorted(tile for tile in hand if _usable(rules, scene, tile))
    for pair in set(itertools.combinations(usable, 2)):
        if not _leaves_something(rules, scene, hand, pair):
            continue
        if _equal(rules, scene, (scene.tile, *pair)):
            yield "PENG", scene.tile, pair
        upper = (scene.seat + 1) % len(scene.hands) == seat
        if upper and rules.claim.chi == "upper" and _run(rules, scene, (scene.tile, *pair)):
            yield "CHI", scene.tile, pair
    for three in set(itertools.combinations(usable, 3)):
        if "zhi" in rules.claim.kong and scene.left != 0 and _equal(rules, scene, (scene.tile, *three)):
            yield "ZHI_GANG", scene.tile, three


def _leaves_something(rules: Any, scene: Scene, hand: list[str], used: tuple[str, ...]) -> bool:
    rest = list(hand)
    for tile in used:
        rest.remove(tile)
    down = _skins(rules, scene) | (scene.wilds if rules.wild.kong is not None else set())
    return any(_may_go(rules, scene, tile) or tile in down for tile in rest)


def _usable(rules: Any, scene: Scene, tile: str) -> bool:
    """May a tile lie in a meld or be taken from another seat?"""
    return tile not in _skins(rules, scene) and (tile not in scene.wilds or rules.wild.claims)


def _faces(rules: Any, scene: Scene, tile: str) -> set[str]:
    if tile in scene.wilds:
        return {tile} | {face for face in scene.tiles if rules.wild.stands_for == "any" or face[0] != "z"}
    if tile in rules.wild.stand_in:
        return {tile} | scene.wilds
    return {tile}


def _equal(rules: Any, scene: Scene, group: tuple[str, ...]) -> bool:
    return bool(set.intersection(*(_faces(rules, scene, tile) for tile in group)))


def _run(rules: Any, scene: Scene, group: tuple[str, ...]) -> bool:
    return any(_is_run(rules, faces) for faces in itertools.product(*(_faces(rules, scene, tile) for tile in group)))


def _is_run(rules: Any, faces: tuple[str, ...]) -> bool:
    if all(face[0] == "z" for face in faces):
        numbers = {int(face[1]) for face in faces}
        winds = "winds" in rules.hu.honour_runs and len(numbers) == 3 and numbers <= {1, 2, 3, 4}
        return winds or ("dragons" in rules.hu.honour_runs and numbers == {5, 6, 7})
    suits = {face[1] for face in faces}
    first, *rest = sorted(face[0] for face in faces)
    return (
        len(suits) == 1
        and "z" not in {face[0] for face in faces}
        and rest == [str(int(first) + 1), str(int(first) + 2)]
    )


def order(rules: Any, scene: Scene, allowed: list[set[Action]]) -> list[set[tuple[int, str]]]:
    """Who comes first: groups of seats with their kind of claim, each group of equal rank."""
    count = len(allowed)
    after_giver = [(scene.seat + step) % count for step in range(1, count)]
    kinds = [{action[0] for action in those} for those in allowed]
    winners = [seat for seat in after_giver if "HU" in kinds[seat]]
    if rules.claim.multi == "dealer_order":
        winners = [seat % count for seat in range(scene.dealer, scene.dealer + count) if seat % count in winners]
    groups: list[set[tuple[int, str]]] = [{(seat, "HU")} for seat in winners]
    if rules.claim.multi == "multi" and winners:
        groups = [{(seat, "HU") for seat in winners}]
    for names in ({"PENG", "ZHI_GANG"}, {"CHI"}):
        groups += [{(seat, name) for name in names & kinds[seat]} for seat in after_giver if names & kinds[seat]]
    return groups
