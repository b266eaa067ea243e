"""Judges single actions: why one is not allowed, or what follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from laizi.claims.answers import Claim, ClaimKind, Refusal, Trigger
from laizi.claims.situation import Scene, Seat
from laizi.errors import ClaimRefusal, HuRefusal
from laizi.mahjong import HuAnswer, MeldKind, WinMode
from laizi.mahjong.evaluator import DECISIONS_OF_REFUSAL
from laizi.mahjong.verdicts import claims_of
from laizi.settlement.mahjong import Circumstances, Hand, settler
from laizi.tiles import KINDS, NAMES, Tiles

OWN_TURN: Final = frozenset(
    {ClaimKind.BU_GANG, ClaimKind.AN_GANG, ClaimKind.PUT_DOWN, ClaimKind.WILD_KONG, ClaimKind.DISCARD}
)
"""What a seat does on its own turn only."""
JOINING: Final = {ClaimKind.CHI: 2, ClaimKind.PENG: 2, ClaimKind.ZHI_GANG: 3, ClaimKind.AN_GANG: 3}
"""How many tiles of the hand join the tile; none for other actions."""
_KONGS: Final = {ClaimKind.ZHI_GANG: "zhi", ClaimKind.BU_GANG: "bu", ClaimKind.AN_GANG: "an"}
_SOURCES: Final[dict[ClaimKind, tuple[str, ...]]] = {
    ClaimKind.CHI: ("claim.chi",),
    ClaimKind.PENG: ("meld.peng",),
    ClaimKind.ZHI_GANG: ("claim.kong", "meld.zhi", "score.kong.zhi"),
    ClaimKind.BU_GANG: ("claim.kong", "meld.bu", "score.kong.bu"),
    ClaimKind.AN_GANG: ("claim.kong", "meld.an", "score.kong.an"),
    ClaimKind.PUT_DOWN: ("claim.down", "down.factor"),
    ClaimKind.WILD_KONG: ("claim.wild_kong", "wild.kong"),
}
"""The options and decisions that allow an action or say what follows from it."""
_REFUSAL_SOURCES: Final[dict[ClaimRefusal, tuple[str, ...]]] = {
    ClaimRefusal.NOT_UPPER_SEAT: ("claim.chi",),
    ClaimRefusal.WILD_BARRED: ("wild.claims",),
    ClaimRefusal.PUT_DOWN_TILE_BARRED: ("claim.down_barred", "down.tiles"),
    ClaimRefusal.MUST_PUT_DOWN: ("down.tail_forced",),
    ClaimRefusal.PUT_DOWN_TILE_DISCARD_FORBIDDEN: ("down.discard",),
    ClaimRefusal.WILD_DISCARD_FORBIDDEN: ("wild.discard",),
    ClaimRefusal.LAST_TILES: ("hu.haidi.last", "hu.haidi.reserve"),
    ClaimRefusal.KONG_NOT_ROBBABLE: ("claim.rob",),
    ClaimRefusal.OUTRANKED: ("claim.multi",),
}
_ORDER: Final = {refusal: place for place, refusal in enumerate(ClaimRefusal)}
_HU_ORDER: Final = {refusal: place for place, refusal in enumerate(HuRefusal)}
_MODES: Final = {
    Trigger.DRAW: WinMode.ZIMO,
    Trigger.DISCARD: WinMode.DISCARD,
    Trigger.ADDED_KONG: WinMode.ROB_KONG,
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """An action, and why it is refused; no refusals allow it."""

    claim: Claim
    refusals: tuple[ClaimRefusal, ...]
    """In their order of precedence."""
    hu_refusals: tuple[HuRefusal, ...] = ()


class Referee:
    """Judges the actions of the seats in one situation."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._rules = scene.rules
        self._use = scene.use
        self._cite = scene.evaluator.ruleset.cite
        self._wins: dict[int, Judgement] = {}

    def choices(self, one: Seat) -> Iterator[Claim]:
        """All that a seat may do: wins, kongs, peng, chi, put-downs, discards, pass."""
        for kind, tile, joining in self._candidates(one):
            judgement = self.judge(one, kind, tile, joining)
            if not judgement.refusals:
                yield judgement.claim

    def judge(self, one: Seat, kind: ClaimKind, tile: int, joining: tuple[int, ...]) -> Judgement:
        """Judges one action; tile and joining tiles form what the kind says."""
        if kind is ClaimKind.HU:
            seat = one.given.seat
            if seat not in self._wins:
                self._wins[seat] = self._judge_hu(one)
            return self._wins[seat]
        if kind is ClaimKind.PASS:
            refusals = self._judge_pass(one)
            passes_win = not (refusals or self._cannot_win(one) or self.judge(one, ClaimKind.HU, tile, ()).refusals)
            claim = Claim(kind, clauses=self._cite("claim.missed_hu") if passes_win else ())
        elif kind is ClaimKind.DISCARD:
            refusals = self._judge_own(one, kind, tile) | self._judge_discard(one, tile)
            claim = self._discard(tile)
        else:
            judges = self._judge_own if kind in OWN_TURN else self._judge_claim
            refusals = judges(one, kind, tile, joining)
            claim = self._claim(kind, tile, joining)
        return Judgement(claim, tuple(sorted(refusals, key=_ORDER.__getitem__)))

    def explain(self, reason: ClaimRefusal, claim: Claim) -> Refusal:
        """A reason why an action is refused, with its clauses."""
        if reason is ClaimRefusal.NOT_HU:
            return Refusal(reason, claim.clauses)
        if reason is ClaimRefusal.CLAIM_OFF:
            return Refusal(reason, self._cite(*_SOURCES.get(claim.kind, ())))
        return Refusal(reason, self._cite(*_REFUSAL_SOURCES.get(reason, ())))

    def _candidates(self, one: Seat) -> Iterator[tuple[ClaimKind, int, tuple[int, ...]]]:
        """What could be allowed at all."""
        scene, counts = self._scene, one.counts
        if one.given.seat == scene.actor:
            if not self._cannot_win(one):
                yield ClaimKind.HU, scene.tile, ()
            for tile, joining in scene.melds.concealed_kongs(counts):
                yield ClaimKind.AN_GANG, tile, joining
            held = [tile for tile in range(KINDS) if counts[tile]]
            if any(meld.kind is MeldKind.PENG for meld in one.hand.melds):
                yield from ((ClaimKind.BU_GANG, tile, ()) for tile in held)
            yield from ((ClaimKind.PUT_DOWN, tile, ()) for tile in held if tile in self._use.put_down)
            yield from ((ClaimKind.WILD_KONG, tile, ()) for tile in held if tile in self._use.wilds)
            yield from ((ClaimKind.DISCARD, tile, ()) for tile in held)
            yield ClaimKind.PASS, -1, ()
        elif scene.actor is None and one.given.seat != scene.given.trigger_seat:
            if not self._cannot_win(one):
                yield ClaimKind.HU, scene.tile, ()
            if scene.trigger is Trigger.DISCARD:
                for kind in (ClaimKind.ZHI_GANG, ClaimKind.PENG):
                    for joining in scene.melds.equals(counts, scene.tile, JOINING[kind]):
                        yield kind, scene.tile, joining
                if one.given.seat == scene.next_seat:
                    for joining in scene.melds.runs(counts, scene.tile):
                        yield ClaimKind.CHI, scene.tile, joining
            yield ClaimKind.PASS, -1, ()

    def _cannot_win(self, one: Seat) -> bool:
        """Whether a win is out of question whatever the tiles are: most hands need not be evaluated."""
        rules = self._rules
        if rules.hu.must_open and not any(claims_of(meld.kind) & rules.hu.open_by for meld in one.hand.melds):
            return True
        if one.given.wild_discarded and rules.wild.discard == "ban_hu":
            return True
        return rules.down.block_hu and any(one.counts[tile] for tile in self._use.put_down)

    def _judge_pass(self, one: Seat) -> set[ClaimRefusal]:
        scene, seat = self._scene, one.given.seat
        if seat == scene.actor:
            ends = scene.trigger is Trigger.DRAW and scene.last_tiles
            return set() if ends else {ClaimRefusal.CLAIM_OFF}
        wrong = scene.actor is not None or seat == scene.given.trigger_seat
        return {ClaimRefusal.NOT_YOUR_TURN} if wrong else set()

    def _judge_claim(self, one: Seat, kind: ClaimKind, tile: int, joining: tuple[int, ...]) -> set[ClaimRefusal]:
        """A chi, peng or kong of another seat's discard."""
        scene = self._scene
        refusals: set[ClaimRefusal] = set()
        if scene.trigger is not Trigger.DISCARD:
            refusals.add(ClaimRefusal.NOT_YOUR_TURN)
        elif one.given.seat == scene.given.trigger_seat:
            refusals.add(ClaimRefusal.OWN_DISCARD)
        elif kind is ClaimKind.CHI and self._rules.claim.chi == "none":
            refusals.add(ClaimRefusal.CLAIM_OFF)
        elif kind is ClaimKind.CHI and one.given.seat != scene.next_seat:
            refusals.add(ClaimRefusal.NOT_UPPER_SEAT)
        if scene.last_tiles:
            refusals.add(ClaimRefusal.LAST_TILES)
        refusals |= self._judge_meld(one, kind, tile, joining)
        if kind is not ClaimKind.ZHI_GANG and not refusals:
            refusals |= self._judge_rest(one, joining)
        return refusals

    def _judge_rest(self, one: Seat, joining: tuple[int, ...]) -> set[ClaimRefusal]:
        """A claim leaves something to discard or to put down."""
        left = bytearray(one.counts)
        for used in joining:
            left[used] -= 1
        held = [tile for tile in range(KINDS) if left[tile]]
        if any(self._barred(tile) is None or self._can_be_put_down(tile) for tile in held):
            return set()
        return {ClaimRefusal.WILD_DISCARD_FORBIDDEN}

    def _can_be_put_down(self, tile: int) -> bool:
        return tile in self._use.put_down or (tile in self._use.wilds and self._rules.wild.kong is not None)

    def _judge_meld(self, one: Seat, kind: ClaimKind, tile: int, joining: tuple[int, ...]) -> set[ClaimRefusal]:
        """What bars the tiles of a meld, and kongs in general."""
        refusals: set[ClaimRefusal] = set()
        if kind in _KONGS:
            if _KONGS[kind] not in self._rules.claim.kong:
                refusals.add(ClaimRefusal.CLAIM_OFF)
            if self._scene.given.wall_left == 0:
                refusals.add(ClaimRefusal.LAST_TILES)
        group = (tile, *joining)
        needed = Counter(group if kind in OWN_TURN else joining)
        if any(one.counts[used] < count for used, count in needed.items()):
            refusals.add(ClaimRefusal.TILES_NOT_HELD)
        if not self._rules.wild.claims and any(used in self._use.wilds for used in group):
            refusals.add(ClaimRefusal.WILD_BARRED)
        if any(used in self._use.put_down for used in group):
            refusals.add(ClaimRefusal.PUT_DOWN_TILE_BARRED)
        return refusals

    def _judge_own(self, one: Seat, kind: ClaimKind, tile: int, joining: tuple[int, ...] = ()) -> set[ClaimRefusal]:
        """A kong, put-down or discard on the seat's own turn."""
        scene = self._scene
        refusals: set[ClaimRefusal] = set()
        if one.given.seat != scene.actor:
            refusals.add(ClaimRefusal.NOT_YOUR_TURN)
        if scene.forced is not None and (kind, tile) != (ClaimKind.PUT_DOWN, scene.forced):
            refusals.add(ClaimRefusal.MUST_PUT_DOWN)
        if scene.trigger is Trigger.DRAW and scene.last_tiles:
            refusals.add(ClaimRefusal.LAST_TILES)
        if kind in _KONGS:
            refusals |= self._judge_meld(one, kind, tile, joining)
            if kind is ClaimKind.BU_GANG and scene.melds.triplet(one.hand.melds, tile) is None:
                refusals.add(ClaimRefusal.TILES_NOT_HELD)
            return refusals
        if not one.counts[tile]:
            refusals.add(ClaimRefusal.TILES_NOT_HELD)
        if kind is not ClaimKind.DISCARD:
            fits = tile in (self._use.put_down if kind is ClaimKind.PUT_DOWN else self._use.wilds)
            if not fits or not self._can_be_put_down(tile):
                refusals.add(ClaimRefusal.CLAIM_OFF)
            if scene.given.wall_left == 0 and scene.forced is None:
                refusals.add(ClaimRefusal.LAST_TILES)
        return refusals

    def _judge_discard(self, one: Seat, tile: int) -> set[ClaimRefusal]:
        barred = self._barred(tile)
        # Whoever holds nothing else may discard even that: a turn always ends.
        if barred is None or all(self._barred(held) for held in range(KINDS) if one.counts[held]):
            return set()
        return {barred}

    def _barred(self, tile: int) -> ClaimRefusal | None:
        """Why a tile may not be discarded."""
        if tile in self._use.wilds and self._rules.wild.discard == "forbidden":
            return ClaimRefusal.WILD_DISCARD_FORBIDDEN
        if tile in self._use.put_down and self._rules.down.discard == "forbidden":
            return ClaimRefusal.PUT_DOWN_TILE_DISCARD_FORBIDDEN
        return None

    def _judge_hu(self, one: Seat) -> Judgement:
        scene, seat = self._scene, one.given.seat
        claim = Claim(ClaimKind.HU, None if scene.tile < 0 else scene.tile)
        if seat == scene.given.trigger_seat:
            if scene.trigger is Trigger.CLAIMED:
                return Judgement(claim, (ClaimRefusal.CLAIM_OFF,))
            if scene.actor is None:
                return Judgement(claim, (ClaimRefusal.OWN_DISCARD,))
        elif scene.actor is not None:
            return Judgement(claim, (ClaimRefusal.NOT_YOUR_TURN,))
        answer = self._check_hu(one)
        refusals, why = self._judge_other_tile(one) if scene.actor is None else (set(), set())
        why |= set(answer.refusals)
        if scene.forced is not None:
            refusals.add(ClaimRefusal.MUST_PUT_DOWN)
        if why:
            refusals.add(ClaimRefusal.NOT_HU)
        hu_refusals = tuple(sorted(why, key=_HU_ORDER.__getitem__))
        sources = [source for reason in why.difference(answer.refusals) for source in DECISIONS_OF_REFUSAL[reason]]
        clauses = dict.fromkeys((*answer.clauses, *self._cite(*sources)))
        claim = replace(claim, hu=answer, clauses=tuple(clauses))
        return Judgement(claim, tuple(sorted(refusals, key=_ORDER.__getitem__)), hu_refusals)

    def _judge_other_tile(self, one: Seat) -> tuple[set[ClaimRefusal], set[HuRefusal]]:
        """A win on another seat's tile."""
        scene = self._scene
        refusals: set[ClaimRefusal] = set()
        why: set[HuRefusal] = set()
        if scene.last_tiles:
            why.add(HuRefusal.SELF_DRAW_ONLY)
        if scene.tile in self._use.wilds and not self._rules.wild.claims:
            refusals.add(ClaimRefusal.WILD_BARRED)
        if scene.tile in self._use.put_down:
            refusals.add(ClaimRefusal.PUT_DOWN_TILE_BARRED)
            why.add(HuRefusal.WINNING_TILE_NOT_CLAIMABLE)
        if scene.trigger is Trigger.ADDED_KONG and self._rules.claim.rob == "none":
            refusals.add(ClaimRefusal.KONG_NOT_ROBBABLE)
        return refusals, why

    def _check_hu(self, one: Seat) -> HuAnswer:
        """The win with the tile of the trigger."""
        scene, given = self._scene, one.given
        mode = _MODES[scene.trigger]
        drawn = mode is WinMode.ZIMO
        concealed = bytearray(one.counts)
        concealed[scene.tile] += not drawn
        at = Circumstances(
            mode,
            None if drawn else scene.given.trigger_seat,
            gang_flower=drawn and scene.given.after_kong,
            haidi=drawn and scene.last_tiles,
        )
        settle = None
        if scene.table is not None:
            settle = settler(scene.evaluator.ruleset, Hand([given.seat], at, table=scene.table))
        return scene.evaluator.check_hu(
            Tiles(bytes(concealed)),
            given.melds,
            winning_tile=NAMES[scene.tile],
            mode=mode,
            gang_flower=at.gang_flower,
            haidi=at.haidi,
            downs=given.put_downs + given.wild_kongs,
            wild_discarded=given.wild_discarded,
            missed_hu=given.missed_hu,
            settle=settle,
        )

    def _claim(self, kind: ClaimKind, tile: int, joining: tuple[int, ...]) -> Claim:
        factor = None
        if kind in _KONGS:
            factor = getattr(self._rules.score.kong, _KONGS[kind])
        elif kind is ClaimKind.PUT_DOWN:
            factor = self._rules.down.factor
        elif kind is ClaimKind.WILD_KONG:
            factor = self._rules.wild.kong
        draws = kind not in (ClaimKind.CHI, ClaimKind.PENG)
        forced = self._scene.forced is not None and kind is ClaimKind.PUT_DOWN
        return Claim(
            kind,
            tile,
            joining,
            factor=factor,
            replacement_draw=draws and self._scene.given.wall_left != 0,
            forced=forced,
            clauses=self._cite(*_SOURCES[kind], *(["down.tail_forced"] if forced else [])),
        )

    def _discard(self, tile: int) -> Claim:
        if tile in self._use.wilds:
            scores = self._rules.wild.discard == "scores"
            return Claim(
                ClaimKind.DISCARD,
                tile,
                factor=self._rules.wild.kong if scores else None,
                bans_hu=self._rules.wild.discard == "ban_hu",
                clauses=self._cite("wild.discard", *(["wild.kong"] if scores else [])),
            )
        if tile in self._use.put_down:
            factor = self._rules.down.factor if self._rules.down.discard == "scores" else None
            clauses = self._cite("down.discard", *(["down.factor"] if factor else []))
            return Claim(ClaimKind.DISCARD, tile, factor=factor, clauses=clauses)
        return Claim(ClaimKind.DISCARD, tile)
