"""Whether a hand wins, as what, and what it waits for."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from laizi import tiles
from laizi.errors import CardsError, ErrorReason, HuRefusal, RequestError, RulesError
from laizi.mahjong.answers import (
    Decomposition,
    Discard,
    HuAnswer,
    HuType,
    Improvement,
    Meld,
    MeldKind,
    Payoff,
    Shanten,
    Shape,
    Wait,
    Waits,
    WinMode,
)
from laizi.mahjong.choice import Chooser
from laizi.mahjong.contexts import circumstances_of, context_of, context_rows, packed_meld, points_scale
from laizi.mahjong.hands import GivenHand, Hand, OpenMelds, TileUse, Written
from laizi.mahjong.solver import Solver
from laizi.mahjong.verdicts import CODE_SHAPES, Circumstances, Verdict, claims_of, judge, option_of
from laizi.rules import MahjongRules, RuleSet
from laizi.rules.mahjong import HONOURS
from laizi.tiles import COPIES, KINDS, NAMES, Tiles
from laizi.wilds import determine_tiles

__all__ = ["DECISIONS", "DECISIONS_OF_REFUSAL", "Evaluator"]

DECISIONS: Final = (
    *(option_of(hu_type) for hu_type in HuType),
    "hu.small",
    "hu.hard",
    "hu.soft",
    "hu.shapes",
    "hu.must_open",
    "hu.pair",
    "hu.situational_pair",
    "hu.soft_small_discard",
    "down.block_hu",
    "wild.limit.small",
    "wild.limit.big",
    "wild.limit.gold",
    "wild.lone_wait",
    "wild.claims",
    "wild.discard",
    "claim.rob",
    "claim.missed_hu",
    "hu.haidi.last",
    "score.combine",
    "score.small.zimo_base",
)
"""The decisions whose clauses an answer carries, as the rule set's ``sources`` name them."""

DECISIONS_OF_REFUSAL: Final = {
    HuRefusal.HOLDS_PUT_DOWN_TILE: ("down.block_hu",),
    HuRefusal.NOT_OPENED: ("hu.must_open",),
    HuRefusal.NO_SHAPE: ("hu.shapes",),
    HuRefusal.PAIR_NOT_258: ("hu.pair", "hu.situational_pair"),
    HuRefusal.TOO_MANY_WILDS: ("wild.limit.small", "wild.limit.big", "wild.limit.gold"),
    HuRefusal.WILDS_NEED_GOLD: ("wild.limit.gold",),
    HuRefusal.NEEDS_SETTLEMENT: ("wild.limit.gold",),
    HuRefusal.SOFT_SMALL_NEEDS_SELF_DRAW: ("hu.soft_small_discard",),
    HuRefusal.LONE_WILD_WAIT: ("wild.lone_wait",),
    HuRefusal.WINNING_TILE_NOT_CLAIMABLE: ("wild.claims",),
    HuRefusal.KONG_NOT_ROBBABLE: ("claim.rob",),
    HuRefusal.WILD_DISCARDED_BAN: ("wild.discard",),
    HuRefusal.SELF_DRAW_ONLY: ("hu.haidi.last",),
    HuRefusal.MISSED_HU_LOCK: ("claim.missed_hu",),
}
"""The options and decisions behind a refusal, as the rule set's ``sources`` name them."""
NO_SHANTEN: Final = 127
"""What the columns and `Kernel.shanten_of` give for a hand that no exchange of tiles makes a win."""
_ORDER: Final = {refusal: place for place, refusal in enumerate(HuRefusal)}


class _Features(NamedTuple):
    code: int
    standing: int
    """Wilds that stand for another tile."""
    lone_stands: bool
    """The lone tile before the win is one of them."""
    split: int


@dataclass(frozen=True, slots=True)
class _Reading:
    """All readings with the same features."""

    open_melds: OpenMelds
    features: _Features
    lone: int
    """The concealed tile before the win, where it is the only one and known; else -1."""
    verdict: Verdict
    refusals: frozenset[HuRefusal]
    gain: Fraction | None = None
    """What the winner receives, where the settlement is known."""


class Evaluator(Chooser):
    """A rule set compiled for the wild tiles of one hand of play.

    ``wilds`` are the tiles that are wild, ``indicator`` is the turned tile, needed where it is only put down
    (``down.tiles``). ``wilds`` may be left out where the rules fix them (``wild.source``) or they follow from the
    turned tile; wilds that do not follow from it are refused. Threads may share one.

    Raises RulesError (WRONG_GAME), CardsError (TILE_OUTSIDE_SET, WILD_NOT_ALLOWED) and RequestError (MISSING_FIELD,
    CONTRADICTORY_FIELDS, BAD_INDICATOR).
    """

    def __init__(self, ruleset: RuleSet, wilds: str | bytes = "", indicator: str | bytes = "") -> None:
        if not isinstance(ruleset.rules, MahjongRules):
            raise RulesError(ErrorReason.WRONG_GAME, f"{ruleset.name} is a rule set of {ruleset.game}", path="rules")
        self.ruleset = ruleset
        self.rules = ruleset.rules
        turned = tiles.read_one(indicator, path="indicator") if indicator else None
        if turned is None and "indicator" in self.rules.down.tiles:
            raise RequestError(
                ErrorReason.MISSING_FIELD, "the rules need the turned tile: it is only put down", path="indicator"
            )
        kinds = self._wild_kinds(wilds)
        if turned is not None and self.rules.wild.source in ("indicator_next", "indicator_same"):
            kinds = self._following(kinds, turned)
        self.tiles = TileUse(self.rules, kinds, turned)
        self._check_kinds(turned)
        rules = self.rules
        shapes = sum(1 << place for place, name in enumerate(CODE_SHAPES) if name in rules.hu.shapes)
        self._solver = Solver(
            self.tiles.tiles,
            self.tiles.fill,
            self.tiles.wilds,
            self.tiles.stand_ins,
            shapes,
            # Without wilds there is no fifth copy to bar.
            four_copies=bool(self.tiles.wilds) and not rules.wild.fifth_copy,
            pair_reals={"any": 0, "no_pure": 1, "none": 2}[rules.wild.pair],
            barred_pure_meld=rules.wild.meld == "no_pure",
            wind_runs="winds" in rules.hu.honour_runs,
            dragon_runs="dragons" in rules.hu.honour_runs,
            dragon_by_wild=rules.hu.dragon_by_wild,
        )
        self._judge = functools.cache(functools.partial(judge, rules))
        self.points_scale = points_scale(rules)
        super().__init__(
            self._solver,
            self.tiles.tiles,
            self.tiles.wilds,
            self._suit_tables_serve(),
            self.tiles.tiles if rules.waits.list_wild else self.tiles.tiles - self.tiles.wilds,
            context_rows=functools.partial(context_rows, self._judge, self.points_scale),
            packed_meld=functools.partial(packed_meld, self.tiles),
            put_down=self.tiles.put_down if rules.down.block_hu else (),
            laid=self.tiles.put_down,
            must_open=rules.hu.must_open,
            claims_wild=rules.wild.claims,
            robs=rules.claim.rob != "none",
            bans_discarded=rules.wild.discard == "ban_hu",
            locks_missed=rules.claim.missed_hu == "until_draw",
            lone_wait=rules.wild.lone_wait,
            counts_standing=rules.wild.limit_basis == "as_wild",
            gold=rules.wild.limit.gold,
            hard_basis=rules.hu.hard_basis,
        )

    def _suit_tables_serve(self) -> bool:
        """The options leave wilds free, so that the suit tables answer: see the proof in docs/mahjong.md."""
        rules, use = self.rules, self.tiles
        shapes = rules.hu.shapes
        return (
            (use.fill == use.tiles or not use.wilds)
            and not use.stand_ins
            and (not use.wilds or (rules.wild.pair == "any" and rules.wild.meld == "any"))
            and not rules.hu.honour_runs
            and bool(rules.tiles.suits)
            and ("seven_pairs" in shapes or "dragon_seven" not in shapes)
            and ("free_wind" not in shapes or len(rules.tiles.honours) == len(HONOURS))
            # One suit holds twelve tiles 2, 5, 8: too few for some hands.
            and ("free_jiang" not in shapes or len(rules.tiles.suits) > 1)
        )

    def _wild_kinds(self, wilds: str | bytes) -> tuple[int, ...]:
        kinds = tiles.read_kinds(wilds, path="wilds")
        source = self.rules.wild.source
        if source == "none" and kinds:
            raise CardsError(ErrorReason.WILD_NOT_ALLOWED, "the rules have no wild tiles", path="wilds")
        if source == "fixed":
            fixed = tuple(sorted(NAMES.index(name) for name in self.rules.wild.fixed))
            if kinds and kinds != fixed:
                raise CardsError(
                    ErrorReason.WILD_NOT_ALLOWED,
                    f"the rules fix the wilds: {' '.join(self.rules.wild.fixed)}",
                    path="wilds",
                )
            return fixed
        return kinds

    def _following(self, kinds: tuple[int, ...], turned: int) -> tuple[int, ...]:
        self._check_in_set("wilds", kinds)
        follow = determine_tiles(self.ruleset, NAMES[turned]).wilds
        if kinds and [NAMES[tile] for tile in kinds] != list(follow):
            named = " ".join(NAMES[tile] for tile in kinds)
            message = f"{NAMES[turned]} was turned, which makes {' '.join(follow)} wild, not {named}"
            raise RequestError(ErrorReason.CONTRADICTORY_FIELDS, message, path="wilds")
        return tuple(NAMES.index(name) for name in follow)

    def _check_in_set(self, path: str, kinds: Iterable[int]) -> None:
        known = self.rules.tiles.kinds()
        for index in kinds:
            if NAMES[index] not in known:
                message = f"{NAMES[index]} is not in the tile set of the rules"
                raise CardsError(ErrorReason.TILE_OUTSIDE_SET, message, path=path)

    def _check_kinds(self, turned: int | None) -> None:
        self._check_in_set("wilds", sorted(self.tiles.wilds))
        self._check_in_set("indicator", () if turned is None else (turned,))
        both = self.tiles.wilds & self.tiles.put_down
        if both:
            raise CardsError(
                ErrorReason.WILD_NOT_ALLOWED, f"{NAMES[min(both)]} is only put down, it cannot be wild", path="wilds"
            )

    def check_hu(
        self,
        concealed: Tiles | str | bytes,
        melds: Sequence[Meld] = (),
        *,
        winning_tile: str | bytes | None = None,
        mode: WinMode | str = WinMode.ZIMO,
        gang_flower: bool = False,
        haidi: bool = False,
        downs: int = 0,
        wild_discarded: bool = False,
        missed_hu: bool = False,
        settle: Callable[[HuAnswer], Payoff] | None = None,
        all_decompositions: bool = False,
        limit: int = 1000,
    ) -> HuAnswer:
        """Tell whether 3n+2 concealed tiles, the winning one among them, win with these melds, and as what.

        ``winning_tile`` is needed only where the rules ask for it: a wild that cannot be claimed, a lone wild; without
        it these demands are not checked. ``gang_flower`` and ``haidi``: the tile was drawn after a kong, or among the
        last tiles. ``downs``: how many tiles the player has put down, wild kongs included (``hu.soft_small_discard``).
        ``wild_discarded``: he has discarded a wild (``wild.discard``). ``missed_hu``: he has passed a win since he last
        drew (``claim.missed_hu``). ``settle`` tells what a win pays: it gets the answer that would be given. With it
        the reading that pays most is given, and a win with so many wilds that it must reach gold (``wild.limit.gold``)
        is decided; `laizi.settlement.mahjong.settler` makes one.
        ``limit`` bounds ``decompositions``; those of the readings that pay most come first.

        Raises CardsError and RequestError, each with its path: EMPTY_HAND, WRONG_TILE_COUNT, TOO_MANY_COPIES,
        TILE_OUTSIDE_SET, MALFORMED_MELD, MELD_NOT_ALLOWED, WILD_IN_MELD, WINNING_TILE_NOT_IN_HAND,
        CONTRADICTORY_CIRCUMSTANCES, UNKNOWN_ENUM_VALUE, VALUE_OUT_OF_RANGE.
        """
        hand = self.tiles.hand(concealed, melds, (2,))
        won = None if winning_tile is None else self._winning_tile(winning_tile, hand)
        at = self._circumstances(hand, mode, gang_flower, haidi, downs)
        if limit < 0:
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, f"{limit} is below 0", path="limit", limit=0)
        barred = self._barred(at, wild_discarded, missed_hu)
        return self._answer(hand, won, at, barred, settle, limit if all_decompositions else 0)

    def waits(
        self,
        concealed: Tiles | str | bytes,
        melds: Sequence[Meld] = (),
        *,
        mode: WinMode | str = WinMode.ZIMO,
        gang_flower: bool = False,
        haidi: bool = False,
        downs: int = 0,
        wild_discarded: bool = False,
        missed_hu: bool = False,
        settle: Callable[[HuAnswer], Payoff] | None = None,
        seen: Tiles | str | bytes = "",
    ) -> Waits:
        """List the tiles that 3n+1 concealed tiles win with, each with the answer that `check_hu` gives.

        ``seen`` are the tiles visible elsewhere: discards, other players' melds, the turned tile; those of the hand and
        its own melds are known. Raises what `check_hu` raises, and CardsError (TOO_MANY_COPIES) at ``seen``.
        """
        hand = self.tiles.hand(concealed, melds, (1,))
        at = self._circumstances(hand, mode, gang_flower, haidi, downs)
        return self._waits(hand, at, self._barred(at, wild_discarded, missed_hu), settle, self._left(hand, seen))

    def discards(
        self,
        concealed: Tiles | str | bytes,
        melds: Sequence[Meld] = (),
        *,
        mode: WinMode | str = WinMode.ZIMO,
        gang_flower: bool = False,
        haidi: bool = False,
        downs: int = 0,
        wild_discarded: bool = False,
        missed_hu: bool = False,
        settle: Callable[[HuAnswer], Payoff] | None = None,
        seen: Tiles | str | bytes = "",
        every: bool = False,
    ) -> tuple[Discard, ...]:
        """List each tile whose discard from 3n+2 concealed tiles leaves a waiting hand, with its waits (听牌提示).

        ``every`` lists the discards that leave nothing to wait for too. A wild is among them only where
        ``wild.discard`` lets it go, a tile that is only put down where ``down.discard`` does.
        Raises what `waits` raises.
        """
        hand = self.tiles.hand(concealed, melds, (2,))
        at = self._circumstances(hand, mode, gang_flower, haidi, downs)
        left = self._left(hand, seen)
        found = []
        for tile in sorted(set(hand.concealed)):
            if self.may_discard(tile):
                barred = self._barred(at, wild_discarded or tile in self.tiles.wilds, missed_hu)
                waits = self._waits(self._without(hand, tile), at, barred, settle, left)
                if waits.waits or every:
                    found.append(Discard(tile, waits))
        return tuple(found)

    def shanten(
        self,
        concealed: Tiles | str | bytes,
        melds: Sequence[Meld] = (),
        *,
        pair_258: bool = False,
        seen: Tiles | str | bytes = "",
    ) -> Shanten:
        """Tell how many exchanges 3n+1 or 3n+2 concealed tiles are from waiting, and which tiles bring them nearer.

        A win is here a shape of ``hu.shapes`` under the options of ``wild`` that bear on shapes; its pair may be any
        or, on request, one of 2, 5, 8. Demands on opening, the number of wilds and put-down tiles are not counted.
        Four of each tile exist: what the hand and its melds hold cannot be drawn. ``seen`` lessens only the copies
        left.
        Raises what `waits` raises.
        """
        hand = self.tiles.hand(concealed, melds, (1, 2))
        left = self._left(hand, seen)
        shown = bytes(own - count for own, count in zip(hand.physical, hand.concealed.counts, strict=True))
        ways = [
            self.shanten_of((hand.concealed.counts, *way.for_solver(), -1), shown, pair_258) for way in hand.open_ways
        ]
        best = min(shanten for shanten, _ in ways)
        if best == NO_SHANTEN:
            return Shanten(None, ())
        mask = functools.reduce(operator.or_, (tiles for shanten, tiles in ways if shanten == best))
        return Shanten(best, tuple(Improvement(tile, left[tile]) for tile in range(KINDS) if mask >> tile & 1))

    # ------------------------------------------------------------------------------------------------- circumstances

    def _winning_tile(self, source: str | bytes, hand: Hand) -> int:
        won = tiles.read_one(source, path="winning_tile")
        if not hand.concealed.counts[won]:
            raise CardsError(
                ErrorReason.WINNING_TILE_NOT_IN_HAND,
                f"the winning tile {NAMES[won]} is not among the concealed tiles",
                path="winning_tile",
            )
        return won

    def _circumstances(
        self, hand: Hand, mode: WinMode | str, gang_flower: bool, haidi: bool, downs: int
    ) -> Circumstances:
        try:
            mode = WinMode(mode)
        except ValueError:
            raise RequestError(
                ErrorReason.UNKNOWN_ENUM_VALUE, f"{mode!r} is none of {', '.join(WinMode)}", path="mode"
            ) from None
        for path, drawn in (("gang_flower", gang_flower), ("haidi", haidi)):
            if drawn and mode is not WinMode.ZIMO:
                raise RequestError(
                    ErrorReason.CONTRADICTORY_CIRCUMSTANCES, f"{path} is a self-draw, the mode is {mode}", path=path
                )
        if downs < 0:
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, f"{downs} is below 0", path="downs", limit=0)
        kinds = [meld.kind for meld in hand.melds]
        broken = self.rules.hu.menqing_broken_by
        two = len(hand.concealed) in (1, 2)
        return Circumstances(
            mode=mode,
            gang_flower=bool(gang_flower),
            haidi=bool(haidi),
            all_claimed=two and len(kinds) >= 4 and MeldKind.AN_GANG not in kinds,
            two_concealed=two,
            unclaimed=not any(claims_of(kind) & broken for kind in kinds),
            put_down=downs > 0 or any(kind not in (MeldKind.CHI, MeldKind.PENG) for kind in kinds),
        )

    def _barred(self, at: Circumstances, wild_discarded: bool, missed_hu: bool) -> frozenset[HuRefusal]:
        """Why the player may not win, whatever his tiles are, for what he did in this hand."""
        rules, barred = self.rules, set()
        if wild_discarded and rules.wild.discard == "ban_hu":
            barred.add(HuRefusal.WILD_DISCARDED_BAN)
        if missed_hu and rules.claim.missed_hu == "until_draw" and at.mode is not WinMode.ZIMO:
            barred.add(HuRefusal.MISSED_HU_LOCK)
        return frozenset(barred)

    def may_discard(self, tile: int) -> bool:
        """Whether the rules let a tile go: a wild by ``wild.discard``, a put-down tile by ``down.discard``."""
        if tile in self.tiles.wilds:
            return self.rules.wild.discard != "forbidden"
        return tile not in self.tiles.put_down or self.rules.down.discard != "forbidden"

    # ------------------------------------------------------------------------------------------------------- the win

    def _answer(
        self,
        hand: Hand,
        won: int | None,
        at: Circumstances,
        barred: frozenset[HuRefusal],
        settle: Callable[[HuAnswer], Payoff] | None,
        limit: int,
    ) -> HuAnswer:
        held = sum(hand.concealed.counts[tile] for tile in self.tiles.wilds)
        if settle is None and limit == 0:
            return self._answer_alone(hand, won, at, barred, held)
        readings = list(self._readings(hand, won, at, held, settle))
        sets = {reading.refusals for reading in readings}
        # Those that win; where none does, those that no other is refused for less.
        fit = [reading for reading in readings if not any(other < reading.refusals for other in sets)]
        fit.sort(
            key=lambda reading: (reading.gain or 0, *reading.verdict.order(), -reading.features.standing), reverse=True
        )
        best = None
        if fit:
            (best,) = self._decompose(hand, fit[0], 1, split=fit[0].features.split)
        refusals = self._refusals_of_hand(hand, won, at).union(barred, *(reading.refusals for reading in fit))
        if not fit:
            refusals.add(HuRefusal.NO_SHAPE)
        if refusals:
            return self._refuse(refusals, held, best)
        every: list[Decomposition] = []
        for reading in fit:
            every += self._decompose(hand, reading, limit - len(every), split=0)
        features, verdict = fit[0].features, fit[0].verdict
        return self._win(verdict, features.standing, at, held, best, tuple(every))

    def _answer_alone(
        self, hand: Hand, won: int | None, at: Circumstances, barred: frozenset[HuRefusal], held: int
    ) -> HuAnswer:
        """As `_answer` without a settlement and a list: the reading is chosen without looking at each one here."""
        lone = self._lone(hand, won)
        given = [(self._given(hand, way, lone), way.soft) for way in hand.open_ways]
        failed, chosen = self.choose(given, context_of(at))
        refusals = self._refusals_of_hand(hand, won, at).union(barred, _refusals_in(failed))
        if chosen is None:
            return self._refuse(refusals, held, None)
        way, code, hard, standing, written = chosen
        verdict = self._judge(code, hard, at)
        best = _decomposition(code, hand.open_ways[way], written, verdict)
        if refusals:
            return self._refuse(refusals, held, best)
        return self._win(verdict, standing, at, held, best, ())

    def _readings(
        self,
        hand: Hand,
        won: int | None,
        at: Circumstances,
        held: int,
        settle: Callable[[HuAnswer], Payoff] | None,
    ) -> Iterator[_Reading]:
        lone = self._lone(hand, won)
        found = [(way, features) for way in hand.open_ways for features in self._features(hand, way, lone)]
        basis = self.rules.hu.hard_basis
        every_hard = basis == "held" and held == 0
        if basis == "need":
            every_hard = any(
                features.standing == 0
                and not way.soft
                and not self._reading(way, features, lone, True, at, held, settle).refusals
                for way, features in found
            )
        for way, features in found:
            hard = features.standing == 0 and not way.soft if basis == "face" else every_hard
            yield self._reading(way, features, lone, hard, at, held, settle)

    def _lone(self, hand: Hand, won: int | None) -> int:
        if len(hand.concealed) != 2 or won is None:
            return -1
        first, second = hand.concealed
        return second if first == won else first

    def _features(self, hand: Hand, way: OpenMelds, lone: int) -> list[_Features]:
        return [_Features(*one) for one in self._solver.features(self._given(hand, way, lone))]

    def _given(self, hand: Hand, way: OpenMelds, lone: int) -> GivenHand:
        return hand.concealed.counts, *way.for_solver(), lone

    def _reading(
        self,
        way: OpenMelds,
        features: _Features,
        lone: int,
        hard: bool,
        at: Circumstances,
        held: int,
        settle: Callable[[HuAnswer], Payoff] | None,
    ) -> _Reading:
        verdict = self._judge(features.code, hard, at)
        refusals = set(verdict.refusals)
        if features.lone_stands and not self.rules.wild.lone_wait:
            refusals.add(HuRefusal.LONE_WILD_WAIT)
        payoff = None
        if settle is not None:
            payoff = settle(self._win(verdict, features.standing, at, held, None, ()))
        counted = held if self.rules.wild.limit_basis == "held" else features.standing
        if verdict.limit is not None and counted > verdict.limit:
            gold = self.rules.wild.limit.gold
            if gold is None or counted > gold:
                refusals.add(HuRefusal.TOO_MANY_WILDS)
            elif payoff is None:
                refusals.add(HuRefusal.NEEDS_SETTLEMENT)
            elif not payoff.gold:
                refusals.add(HuRefusal.WILDS_NEED_GOLD)
        return _Reading(way, features, lone, verdict, frozenset(refusals), payoff.gain if payoff else None)

    def _refusals_of_hand(self, hand: Hand, won: int | None, at: Circumstances) -> set[HuRefusal]:
        rules, refusals = self.rules, set()
        if rules.down.block_hu and any(hand.concealed.counts[tile] for tile in self.tiles.put_down):
            refusals.add(HuRefusal.HOLDS_PUT_DOWN_TILE)
        if rules.hu.must_open and not any(claims_of(meld.kind) & rules.hu.open_by for meld in hand.melds):
            refusals.add(HuRefusal.NOT_OPENED)
        if at.mode is not WinMode.ZIMO and won in self.tiles.wilds and not rules.wild.claims:
            refusals.add(HuRefusal.WINNING_TILE_NOT_CLAIMABLE)
        if at.mode is WinMode.ROB_KONG and rules.claim.rob == "none":
            refusals.add(HuRefusal.KONG_NOT_ROBBABLE)
        return refusals

    def _refuse(self, refusals: Iterable[HuRefusal], held: int, best: Decomposition | None) -> HuAnswer:
        ordered = tuple(sorted(refusals, key=_ORDER.__getitem__))
        decisions = [decision for refusal in ordered for decision in DECISIONS_OF_REFUSAL[refusal]]
        return HuAnswer(
            hu=False,
            refusals=ordered,
            types=(),
            small=False,
            hard=False,
            factors=(),
            base=None,
            points=None,
            decomposition=best,
            decompositions=(),
            wilds_held=held,
            wilds_standing=None,
            clauses=self._clauses(decisions),
        )

    def _win(
        self,
        verdict: Verdict,
        standing: int,
        at: Circumstances,
        held: int,
        best: Decomposition | None,
        every: tuple[Decomposition, ...],
    ) -> HuAnswer:
        decisions = [option_of(hu_type) for hu_type in verdict.types] or ["hu.small"]
        decisions += [option_of(situation) for situation in verdict.factors]
        decisions.append("hu.hard" if verdict.hard else "hu.soft")
        if len(verdict.types) > 1:
            decisions.append("score.combine")
        if verdict.small and at.mode is WinMode.ZIMO and self.rules.score.small.zimo_base is not None:
            decisions.append("score.small.zimo_base")
        return HuAnswer(
            hu=True,
            refusals=(),
            types=verdict.types,
            small=verdict.small,
            hard=verdict.hard,
            factors=verdict.factors,
            base=verdict.base,
            points=verdict.points,
            decomposition=best,
            decompositions=every,
            wilds_held=held,
            wilds_standing=standing,
            clauses=self._clauses(decisions),
        )

    def _clauses(self, decisions: Iterable[str]) -> tuple[str, ...]:
        sources = self.ruleset.sources
        return tuple(dict.fromkeys(clause for decision in decisions for clause in sources.get(decision, ())))

    def _decompose(self, hand: Hand, reading: _Reading, limit: int, split: int) -> list[Decomposition]:
        if limit <= 0:
            return []
        way, features = reading.open_melds, reading.features
        given = self._given(hand, way, reading.lone)
        found = self._solver.decompose(given, features.code, features.standing, features.lone_stands, split, limit)
        return [_decomposition(features.code, way, written, reading.verdict) for written in found]

    # ------------------------------------------------------------------------------------------------ parts of answers

    def won(self, context: int, code: int, hard: bool) -> HuAnswer:
        """Tell what every win has in common whose reading has this code and hardness, in the context of that number.

        Its tiles are left out, decomposition and numbers of wilds among them.
        """
        at = circumstances_of(context)
        return self._win(self._judge(code, hard, at), 0, at, 0, None, ())

    def refused(self, refusals: int) -> HuAnswer:
        """Tell what all tiles have in common that are refused for the same reasons, bit n - 1 for that numbered n."""
        return self._refuse(_refusals_in(refusals), 0, None)

    # --------------------------------------------------------------------------------------------------------- waits

    def _left(self, hand: Hand, seen: Tiles | str | bytes) -> tuple[int, ...]:
        shown = self.tiles.read(seen, "seen")
        for index in range(KINDS):
            if shown.counts[index] + hand.physical[index] > COPIES:
                raise CardsError(
                    ErrorReason.TOO_MANY_COPIES,
                    f"{NAMES[index]} is held and seen more than {COPIES} times",
                    path="seen",
                    limit=COPIES,
                )
        return tuple(COPIES - own - shown.counts[index] for index, own in enumerate(hand.physical))

    def _changed(self, hand: Hand, tile: int, by: int) -> Hand:
        concealed, physical = bytearray(hand.concealed.counts), bytearray(hand.physical)
        concealed[tile] += by
        physical[tile] += by
        return Hand(Tiles(bytes(concealed)), hand.melds, hand.open_ways, bytes(physical))

    def _without(self, hand: Hand, tile: int) -> Hand:
        return self._changed(hand, tile, -1)

    def _waits(
        self,
        hand: Hand,
        at: Circumstances,
        barred: frozenset[HuRefusal],
        settle: Callable[[HuAnswer], Payoff] | None,
        left: tuple[int, ...],
    ) -> Waits:
        found, everything = [], True
        bars: set[HuRefusal] | None = None
        likely = self.shape_waits(hand.concealed.counts)
        for tile in sorted(self.tiles.tiles):
            if hand.physical[tile] == COPIES:
                continue
            if not likely >> tile & 1:
                everything = False
                continue
            answer = self._answer(self._changed(hand, tile, 1), tile, at, barred, settle, 0)
            everything = everything and answer.hu
            bars = set(answer.refusals) if bars is None else bars.intersection(answer.refusals)
            if answer.hu and (self.rules.waits.list_wild or tile not in self.tiles.wilds):
                found.append(Wait(tile, left[tile], answer))
        if found:
            clauses = tuple(dict.fromkeys(clause for wait in found for clause in wait.answer.clauses))
        else:
            # What bars each tile that would complete a shape.
            why = sorted({HuRefusal.NO_SHAPE} if bars is None else bars, key=_ORDER.__getitem__)
            clauses = self._clauses(decision for refusal in why for decision in DECISIONS_OF_REFUSAL[refusal])
        return Waits(tuple(found), everything and bool(found), sum(wait.left for wait in found), clauses)


def _refusals_in(bits: int) -> Iterator[HuRefusal]:
    return (refusal for refusal in HuRefusal if bits >> (refusal.number - 1) & 1)


def _decomposition(code: int, open_melds: OpenMelds, written: Written, verdict: Verdict) -> Decomposition:
    """The decomposition that the solver wrote out, with the melds on the table and what it is worth."""
    melds, pairs, singles, wilds, stand_ins = written
    return Decomposition(
        shape=Shape(CODE_SHAPES[code & 7]),
        melds=melds,
        pairs=pairs,
        singles=singles,
        open_melds=open_melds.melds,
        wilds=(*wilds, *open_melds.wilds),
        stand_ins=(*stand_ins, *open_melds.stand_ins),
        types=verdict.types,
        points=verdict.points,
    )
