"""Random hands of mahjong, from the turned tile to the payments, played by legal choices through the public library.

At each step what the claims offer is accepted, and what they do not offer is refused.
"""

from __future__ import annotations

import functools
import random
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

from laizi import rules
from laizi.claims import Claim, ClaimKind, ClaimSeat, Question, Situation, Trigger, Verdict, list_claims
from laizi.errors import CardsError, ClaimRefusal, ErrorReason
from laizi.mahjong import Evaluator, HuAnswer, Meld, MeldKind
from laizi.settlement.factors import replay
from laizi.settlement.mahjong import Circumstances, Guarantee, Hand, Table, laid_down, next_dealer, settle
from laizi.tiles import COPIES, NAMES, Tiles
from laizi.wilds import determine_tiles

SEATS = 4
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((preset, {}) for preset in rules.presets("mahjong")),
    ("honghu", {"hu.must_open": False, "hu.pair": "any", "claim.multi": "multi", "claim.missed_hu": "until_draw"}),
    ("enshi", {"claim.rob": "bu", "wild.discard": "forbidden", "score.payers": "feeder", "score.rounding": "floor"}),
    ("hongzhong", {"wild.claims": True, "claim.chi": "upper", "hu.haidi": {"reserve": 4, "last": 2}}),
    (
        "guangdong_gui",
        {
            "wild.cycle": {"honours": ["z1", "z2", "z3", "z4", "z5", "z6"], "exceptions": {"z7": "z1"}},
            "wild.discard": "free",
            "wild.kong": 2,
            "down.tiles": ["z7"],
            "down.discard": "scores",
        },
    ),
]
KONGS = {ClaimKind.ZHI_GANG: MeldKind.ZHI_GANG, ClaimKind.AN_GANG: MeldKind.AN_GANG}
TAKEN = {ClaimKind.CHI: MeldKind.CHI, ClaimKind.PENG: MeldKind.PENG, ClaimKind.ZHI_GANG: MeldKind.ZHI_GANG}


@functools.cache
def _rule_set(variant: int) -> rules.RuleSet:
    return rules.load(*VARIANTS[variant])


@functools.cache
def _evaluator(variant: int, indicator: str) -> Evaluator:
    found = determine_tiles(_rule_set(variant), indicator)
    return Evaluator(_rule_set(variant), "".join(found.wilds), "".join(found.put_down))


class Play:
    """One hand: the wall, what the seats hold, and what they laid down."""

    def __init__(self, rng: random.Random, variant: int) -> None:
        self.rng = rng
        self.rule_set = _rule_set(variant)
        options: Any = self.rule_set.rules
        self.rules = options
        self.turned: list[int] = []
        suited = [f"{digit}{suit}" for suit in options.tiles.suits for digit in range(1, 10)]
        self.tiles = sorted(NAMES.index(tile) for tile in (*suited, *options.tiles.honours))
        wall = [tile for tile in self.tiles for _ in range(COPIES)]
        rng.shuffle(wall)
        self.wall = deque(wall)
        self.dealer = rng.randrange(SEATS)
        self.hands = [[self.wall.popleft() for _ in range(13)] for _ in range(SEATS)]
        self.evaluator = _evaluator(variant, self._turn())
        self.melds: list[list[Meld]] = [[] for _ in range(SEATS)]
        self.put_downs, self.wild_kongs = [0] * SEATS, [0] * SEATS
        self.banned, self.missed = [False] * SEATS, [False] * SEATS
        self.discards: list[int] = []
        self.after_kong = False
        self.seen: Counter[str] = Counter()

    def _turn(self) -> str:
        """Turns a tile, where the rules do. One that is only put down stays at the end of the wall."""
        if self.rules.wild.source in ("none", "fixed"):
            return ""
        if "indicator" in self.rules.down.tiles:
            return NAMES[self.wall[-1]]
        self.turned = [self.wall.popleft()]
        return NAMES[self.turned[0]]

    @property
    def left(self) -> int:
        return len(self.wall) - int(self.rules.hu.haidi.reserve)

    # ---------------------------------------------------------------------------------------------------- the course

    def run(self) -> str:
        """Plays the hand; how it ended."""
        seat = self.dealer
        while self.left > 0:
            self._draw(seat, replacement=False)
            end, seat = self._turn_of(seat, Trigger.DRAW)
            if end:
                return end
        assert next_dealer(self.rule_set, self.dealer, None) == self.dealer
        return "drawn"

    def _draw(self, seat: int, *, replacement: bool) -> None:
        self.tile = self.wall.pop() if replacement else self.wall.popleft()
        self.hands[seat].append(self.tile)
        self.after_kong = replacement
        self.missed[seat] = False

    def _turn_of(self, seat: int, trigger: Trigger) -> tuple[str, int]:
        """One turn after a draw or a claim: how the hand ended, if it did, and who draws next."""
        while True:
            claim = self._choose(self._ask(trigger, seat, [seat])[seat])
            self.seen[str(claim.kind)] += 1
            if claim.kind is ClaimKind.HU:
                at = Circumstances(gang_flower=self.after_kong, haidi=self._last())
                return self._settle([(seat, claim)], at), seat
            if claim.kind is ClaimKind.PASS:
                return "", (seat + 1) % SEATS
            if claim.kind is ClaimKind.DISCARD:
                return self._discard(seat, claim)
            if claim.kind is ClaimKind.BU_GANG:
                robbers = self._others(Trigger.ADDED_KONG, seat, claim.tile)
                if robbers:
                    return self._settle(robbers, Circumstances("rob_kong", seat)), seat
            self._lay(seat, claim)
            assert claim.replacement_draw == (self.left > 0)
            if not claim.replacement_draw:
                return "drawn", seat
            self._draw(seat, replacement=True)
            trigger = Trigger.DRAW

    def _discard(self, seat: int, claim: Claim) -> tuple[str, int]:
        tile = self._drop(seat, claim.tile)
        self.discards.append(tile)
        self.banned[seat] |= claim.bans_hu
        if claim.factor is not None:
            (self.wild_kongs if tile in self.evaluator.tiles.wilds else self.put_downs)[seat] += 1
        takers = self._others(Trigger.DISCARD, seat, tile)
        if not takers:
            return "", (seat + 1) % SEATS
        taker, taken = takers[0]
        if taken.kind is ClaimKind.HU:
            return self._settle(takers, Circumstances("discard", seat)), seat
        self.discards.pop()
        group = (tile, *(self._drop(taker, one) for one in taken.with_tiles))
        self.melds[taker].append(Meld(TAKEN[taken.kind], Tiles.from_indices(group), seat))
        if taken.kind is ClaimKind.ZHI_GANG:
            self._draw(taker, replacement=True)
        return self._turn_of(taker, Trigger.DRAW if taken.kind is ClaimKind.ZHI_GANG else Trigger.CLAIMED)

    def _drop(self, seat: int, tile: int | None) -> int:
        assert tile is not None
        self.hands[seat].remove(tile)
        return tile

    def _lay(self, seat: int, claim: Claim) -> None:
        """A kong or a put-down of the seat's own."""
        tile = self._drop(seat, claim.tile)
        if claim.kind is ClaimKind.PUT_DOWN:
            self.put_downs[seat] += 1
        elif claim.kind is ClaimKind.WILD_KONG:
            self.wild_kongs[seat] += 1
        elif claim.kind is ClaimKind.AN_GANG:
            group = (tile, *(self._drop(seat, one) for one in claim.with_tiles))
            self.melds[seat].append(Meld(MeldKind.AN_GANG, Tiles.from_indices(group)))
            return
        else:
            triplet = next(meld for meld in self.melds[seat] if self._extends(meld, tile))
            place = self.melds[seat].index(triplet)
            self.melds[seat][place] = Meld(MeldKind.BU_GANG, Tiles.from_indices((tile, *triplet.tiles)), triplet.seat)
            return
        self.discards.append(tile)

    def _extends(self, meld: Meld, tile: int) -> bool:
        may_be = self.evaluator.tiles.may_be
        common = frozenset.intersection(*(may_be(one) for one in (tile, *meld.tiles)))
        return meld.kind is MeldKind.PENG and bool(common)

    def _last(self) -> bool:
        return self.left < int(self.rules.hu.haidi.last)

    # ------------------------------------------------------------------------------------------------------- choices

    def _choose(self, claims: tuple[Claim, ...]) -> Claim:
        """Mostly wins, often puts down and kongs, and discards what goes with least."""
        by_kind: dict[ClaimKind, list[Claim]] = {}
        for claim in claims:
            by_kind.setdefault(claim.kind, []).append(claim)
        for kind, eagerness in (
            (ClaimKind.HU, 0.9),
            (ClaimKind.PUT_DOWN, 0.8),
            (ClaimKind.WILD_KONG, 0.1),
            (ClaimKind.AN_GANG, 0.5),
            (ClaimKind.BU_GANG, 0.7),
            (ClaimKind.ZHI_GANG, 0.7),
            (ClaimKind.PENG, 0.6),
            (ClaimKind.CHI, 0.4),
        ):
            if kind in by_kind and (len(by_kind) == 1 or self.rng.random() < eagerness):
                return self.rng.choice(by_kind[kind])
        rest = by_kind.get(ClaimKind.PASS) or by_kind.get(ClaimKind.DISCARD) or list(claims)
        return self.rng.choice(rest) if self.rng.random() < 0.1 else min(rest, key=self._worth)

    def _worth(self, claim: Claim) -> float:
        """How well a tile goes with the others of its hand."""
        tile, hand = claim.tile, self.hand
        if tile is None:
            return 0
        if tile in self.evaluator.tiles.wilds:
            return 9
        near = {tile - 1: 0.6, tile + 1: 0.6, tile - 2: 0.3, tile + 2: 0.3} if tile < 27 else {}
        worth = 1.0 * hand.count(tile)
        worth += sum(weight for other, weight in near.items() if other // 9 == tile // 9 and other in hand)
        return worth + 0.01 * self.rng.random()

    def _others(self, trigger: Trigger, seat: int, tile: int | None) -> list[tuple[int, Claim]]:
        """Who takes another seat's tile: nobody, one seat, or all winners where the rules let all win."""
        assert tile is not None
        self.tile = tile
        seats = [(seat + step) % SEATS for step in range(1, SEATS)]
        listed = self._ask(trigger, seat, seats)
        choices = {other: self._choose(claims) for other, claims in listed.items()}
        chosen = {other: claim for other, claim in choices.items() if claim.kind is not ClaimKind.PASS}
        takers = self._first(trigger, seat, seats, chosen) if chosen else []
        for other, claim in choices.items():
            offered = listed[other][0].kind is ClaimKind.HU
            self.missed[other] |= offered and claim.kind is not ClaimKind.HU
        self.seen.update(str(claim.kind) for _, claim in takers)
        return takers

    def _first(
        self, trigger: Trigger, seat: int, seats: list[int], chosen: dict[int, Claim]
    ) -> list[tuple[int, Claim]]:
        """Of the seats that claim, those that come first."""
        # Asked together, exactly the first are allowed, and the others are outranked by them.
        first = min(claim.priority for claim in chosen.values())
        verdicts = self._verdicts(trigger, seat, seats, [_question(*entry) for entry in chosen.items()])
        for (_, claim), verdict in zip(chosen.items(), verdicts, strict=True):
            if claim.priority == first:
                assert verdict.claim == claim
            else:
                assert [refusal.reason for refusal in verdict.refusals] == [ClaimRefusal.OUTRANKED]
        takers = [(other, claim) for other, claim in chosen.items() if claim.priority == first]
        assert len(takers) == 1 or self.rules.claim.multi == "multi"
        return takers

    # --------------------------------------------------------------------------------------------- asking the library

    def _ask(self, trigger: Trigger, seat: int, asked: list[int]) -> dict[int, tuple[Claim, ...]]:
        """What the seats may do; on the way, actions at random are accepted exactly where they are offered."""
        questions = [self._any_question(self.rng.choice(asked))] if self.rng.random() < 0.4 else []
        situation = self._situation(trigger, seat, asked, questions)
        self.hand = self.hands[seat]
        malformed = None
        try:
            claims = list_claims(self.evaluator, situation)
        except CardsError as error:
            malformed = error.reason, error.path
            claims = list_claims(self.evaluator, self._situation(trigger, seat, asked, questions := []))
        assert malformed in (None, (ErrorReason.MALFORMED_MELD, "questions[0].with_tiles"))
        listed = {one.seat: one.claims for one in claims.seats}
        for question, verdict in zip(questions, claims.verdicts, strict=True):
            offered = [claim for claim in listed.get(question.seat, ()) if _is_asked(claim, question)]
            if question.kind is not ClaimKind.PASS or question.seat in listed:
                assert verdict.allowed == bool(offered), (question, verdict, situation)
            assert not offered or verdict.claim in offered
        for one, choices in listed.items():
            assert sum(claim.forced for claim in choices) in (0, len(choices))
            if self.rng.random() < 0.1:
                claim = self.rng.choice(choices)
                (verdict,) = self._verdicts(trigger, seat, asked, [_question(one, claim)])
                assert verdict.claim == claim
        return listed

    def _verdicts(
        self, trigger: Trigger, seat: int, asked: list[int], questions: list[Question]
    ) -> tuple[Verdict, ...]:
        return list_claims(self.evaluator, self._situation(trigger, seat, asked, questions)).verdicts

    def _any_question(self, seat: int) -> Question:
        hand = self.hands[seat]
        kind = self.rng.choice(list(ClaimKind))
        if kind is ClaimKind.CHI:
            pair = self.rng.sample(hand, 2) if len(hand) > 1 else [hand[0], hand[0]]
            return Question(seat, kind, "", " ".join(NAMES[tile] for tile in pair))
        if kind in (ClaimKind.HU, ClaimKind.PASS, ClaimKind.PENG, ClaimKind.ZHI_GANG):
            return Question(seat, kind)
        return Question(seat, kind, NAMES[self.rng.choice((self.rng.choice(hand), self.rng.choice(self.tiles)))])

    def _situation(self, trigger: Trigger, seat: int, asked: list[int], questions: list[Question]) -> Situation:
        seats = [
            ClaimSeat(
                one,
                Tiles.from_indices(self.hands[one]),
                self.melds[one],
                self.put_downs[one],
                self.wild_kongs[one],
                self.banned[one],
                self.missed[one],
            )
            for one in asked
        ]
        return Situation(
            trigger,
            seat,
            "" if trigger is Trigger.CLAIMED else NAMES[self.tile],
            seats,
            SEATS,
            self.dealer,
            self.left,
            self.after_kong,
            questions,
            self._table() if self.rules.wild.limit.gold is not None else None,
        )

    def _table(self, guarantees: tuple[Guarantee, ...] = ()) -> Table:
        laid = [
            laid_down(self.rule_set, seat, self.melds[seat], self.put_downs[seat], self.wild_kongs[seat])
            for seat in range(SEATS)
        ]
        return Table(SEATS, self.dealer, laid, guarantees)

    # ---------------------------------------------------------------------------------------------------- the payment

    def _settle(self, winners: list[tuple[int, Claim]], at: Circumstances) -> str:
        for winner, claim in winners:
            answer = claim.hu
            assert answer is not None
            assert answer.hu
            guarantees = tuple(self._guarantees(winner, at))
            hand = Hand([winner], at, [str(kind) for kind in answer.types], answer.hard, self._table(guarantees))
            settlement = settle(self.rule_set, hand)
            assert sum(settlement.deltas) == 0
            assert settlement.gain > 0
            assert all(replay(payment.factors) == payment.amount for payment in settlement.payments)
            self._check_points(answer, settlement.payments[0].factors)
            self.seen.update(["gold"] if settlement.gold else [])
            self.seen.update(["guarantor"] if settlement.guarantor is not None else [])
        return str(at.mode)

    def _check_points(self, answer: HuAnswer, factors: Any) -> None:
        """The points of the answer are the first steps of the bill: the win itself, before anybody's factors."""
        assert answer.points in {factor.result for factor in factors}

    def _guarantees(self, winner: int, at: Circumstances) -> Iterator[Guarantee]:
        claims = [meld.seat for meld in self.melds[winner] if meld.kind is not MeldKind.AN_GANG]
        if len(claims) >= 3 and claims[2] is not None:
            yield Guarantee("third_open_qingyise", claims[2])
        if at.from_seat is not None and self.rng.random() < 0.5:
            yield Guarantee("qqr_not_ready", at.from_seat)

    def check_tiles(self) -> None:
        """No tile was lost or made."""
        held = [tile for hand in self.hands for tile in hand]
        laid = [tile for melds in self.melds for meld in melds for tile in meld.tiles]
        assert Counter([*held, *laid, *self.discards, *self.wall, *self.turned]) == Counter(self.tiles * COPIES)


def _question(seat: int, claim: Claim) -> Question:
    tile = "" if claim.tile is None else NAMES[claim.tile]
    return Question(seat, claim.kind, tile, Tiles.from_indices(claim.with_tiles))


def _is_asked(claim: Claim, question: Question) -> bool:
    """Whether a claim is what a question asks for; tiles that it leaves out may be any."""
    if claim.kind is question.kind is ClaimKind.AN_GANG:
        return question.tile in {NAMES[one] for one in (claim.tile or 0, *claim.with_tiles)}
    tile = "" if claim.tile is None else NAMES[claim.tile]
    joining = Tiles.from_text(str(question.with_tiles)) if question.with_tiles else None
    return (
        claim.kind is question.kind
        and (not question.tile or question.tile == tile)
        and (joining is None or tuple(joining) == tuple(sorted(claim.with_tiles)))
    )


def test_random_hands(rng, samples):
    ends: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for number in range(samples(970)):
        play = Play(rng, number % len(VARIANTS))
        end = play.run()
        play.check_tiles()
        ends[end] += 1
        seen += play.seen
    assert set(ends) == {"zimo", "discard", "rob_kong", "drawn"}
    assert set(seen) >= set(ClaimKind) - {ClaimKind.PASS}
