"""Random tables under random rules: the oracle allows the same actions in the same order. And malformed tables."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from laizi import rules
from laizi.claims import Claim, ClaimKind, Claims, ClaimSeat, Question, Situation, Trigger, list_claims
from laizi.errors import CardsError, ClaimRefusal, ErrorReason, HuRefusal, LaiziError
from laizi.mahjong import Evaluator, Meld
from laizi.settlement.mahjong import SeatFactors, Table
from laizi.tiles import NAMES, Tiles
from tests.oracle import claims as oracle

OPTIONS: dict[str, list[Any]] = {
    "tiles.honours": [[], ["z5"], [f"z{digit}" for digit in range(1, 8)]],
    "wild.claims": [False, False, True],
    "wild.discard": ["free", "scores", "ban_hu", "forbidden"],
    "wild.kong": [4],
    "wild.stands_for": ["any", "suited"],
    "wild.stand_in": [[], [], ["z7"], ["1m"]],
    "wild.cycle": [{"honours": ["z1", "z2", "z3", "z4", "z6"], "exceptions": {}}],
    "down.tiles": [[], ["z5"], ["indicator"], ["indicator", "z5"]],
    "down.discard": ["scores", "forbidden"],
    "down.tail_forced": [True, False],
    "claim.chi": ["none", "upper", "upper"],
    "claim.kong": [[], ["zhi"], ["zhi", "bu", "an"], ["zhi", "bu", "an"]],
    "claim.rob": ["none", "bu", "bu"],
    "claim.multi": ["dealer_order", "turn_order", "multi"],
    "claim.missed_hu": ["none", "until_draw"],
    "hu.must_open": [False],
    "hu.pair": ["any"],
    "hu.haidi": [{"reserve": 0, "last": 4}],
    "hu.honour_runs": [[], ["winds"], ["winds", "dragons"]],
    "bao": [[]],
}
KINDS = {"peng": 3, "chi": 3, "zhi_gang": 4, "bu_gang": 4, "an_gang": 4}


def random_evaluator(rng: random.Random) -> Evaluator:
    preset = rng.choice(rules.presets("mahjong"))
    overrides = {} if rng.random() < 0.3 else {name: rng.choice(values) for name, values in OPTIONS.items()}
    if overrides:
        overrides["wild.source"], overrides["wild.fixed"] = "indicator_next", []
        overrides["wild.kong"] = "none" if overrides["wild.discard"] != "scores" and rng.random() < 0.3 else 4
    rule_set = rules.load(preset, overrides)
    if rule_set.options()["wild.source"] == "fixed":
        return Evaluator(rule_set)
    indicator = rng.choice("123456789") + rng.choice("mps")
    wild = f"{int(indicator[0]) % 9 + 1}{indicator[1]}"
    if wild in rule_set.options()["down.tiles"]:
        return random_evaluator(rng)
    return Evaluator(rule_set, wild, indicator)


class Dealt:
    """A table at a random moment, from a wall of few kinds so that much can be claimed."""

    def __init__(self, rng: random.Random, evaluator: Evaluator) -> None:
        use, self.rules = evaluator.tiles, evaluator.rules
        kinds = sorted(use.tiles)
        special = sorted((use.wilds | use.put_down | use.stand_ins) & use.tiles)
        window = rng.randrange(len(kinds))
        chosen = {*special, *(kinds[(window + step) % len(kinds)] for step in range(rng.choice((8, 8, 20))))}
        self.wall = [tile for tile in chosen for _ in range(4)]
        rng.shuffle(self.wall)
        self.evaluator = evaluator
        self.trigger = rng.choice(("discard", "discard", "draw", "draw", "claimed", "added_kong"))
        self.seat, self.dealer = rng.randrange(4), rng.randrange(4)
        self.melds: list[list[Meld]] = [[] for _ in range(4)]
        self.hands: list[list[int]] = [[] for _ in range(4)]
        self.tile = self._fill(rng)
        self.missed = [rng.random() < 0.2 for _ in range(4)]
        self.put_downs = [self._put(rng, use.put_down, 3) for _ in range(4)]
        self.wild_kongs = [self._put(rng, use.wilds, 4) if self.rules.wild.kong else 0 for _ in range(4)]
        self.left = rng.choice((None, None, None, 0, 1, 3, 4, 30))
        self.after_kong = rng.random() < 0.4

    def _put(self, rng: random.Random, kinds: frozenset[int], odds: int) -> int:
        """Now and then a seat has put down one of these tiles, if the wall still has one."""
        left = [tile for tile in self.wall if tile in kinds]
        if not left or rng.randrange(odds):
            return 0
        self.wall.remove(left[0])
        return 1

    def _fill(self, rng: random.Random) -> int:
        tile = self._robbed() if self.trigger == "added_kong" else -1
        if tile < 0 and self.trigger == "added_kong":
            self.trigger = "discard"
        for seat in range(4):
            own = self.trigger in ("draw", "claimed") and seat == self.seat
            later = 5 * (3 - seat) + 1
            for _ in range(rng.choice((0, 0, 1, 1, 2)) - len(self.melds[seat])):
                if len(self.wall) > later + 10:
                    self._lay(rng, seat)
            size = rng.choice((4, 7, 7, 10, 13))
            while size > 4 and (size + 3 * len(self.melds[seat]) > 13 or size >= len(self.wall) - later):
                size -= 3
            self.hands[seat] = [self.wall.pop() for _ in range(size + own)]
        if self.trigger == "draw":
            return rng.choice(self.hands[self.seat])
        if self.trigger == "discard":
            return self.wall.pop()
        return tile

    def _robbed(self) -> int:
        """A triplet of the seat, and the tile that it adds."""
        use = self.evaluator.tiles
        for tile in set(self.wall) - use.put_down - use.wilds:
            self._take(self.seat, "peng", [tile] * 3)
            self.wall.remove(tile)
            return tile
        return -1

    def _take(self, seat: int, kind: str, group: list[int]) -> None:
        for tile in group:
            self.wall.remove(tile)
        self.melds[seat].append(Meld(kind, " ".join(NAMES[tile] for tile in group)))

    def _lay(self, rng: random.Random, seat: int) -> None:
        """Some meld that the rules have, if the wall has its tiles."""
        use = self.evaluator.tiles
        kind = rng.choice(("peng", "peng", "chi", *(f"{kong}_gang" for kong in sorted(self.rules.claim.kong))))
        if kind == "chi" and self.rules.claim.chi == "none":
            return
        barred = use.put_down | use.wilds
        groups = use.runs if kind == "chi" else [(tile,) * KINDS[kind] for tile in sorted(use.tiles)]
        stock = Counter(self.wall)
        possible = [group for group in groups if not barred & set(group) and not Counter(group) - stock]
        if possible:
            self._take(seat, kind, list(rng.choice(possible)))

    def situation(self, questions: list[Question]) -> Situation:
        seats = [
            ClaimSeat(
                seat,
                Tiles.from_indices(self.hands[seat]),
                self.melds[seat],
                self.put_downs[seat],
                self.wild_kongs[seat],
                missed_hu=self.missed[seat],
            )
            for seat in range(4)
        ]
        return Situation(
            self.trigger.upper(),
            self.seat,
            "" if self.tile < 0 else NAMES[self.tile],
            seats,
            4,
            self.dealer,
            self.left,
            self.after_kong,
            questions,
        )

    def scene(self) -> oracle.Scene:
        use = self.evaluator.tiles
        skins = use.put_down - {NAMES.index(tile) for tile in self.rules.down.tiles if tile != "indicator"}
        named = [tile for tile in self.rules.down.tiles if tile != "indicator"]
        skin = next((NAMES[tile] for tile in sorted(skins)), None)
        if "indicator" in self.rules.down.tiles and skin is None:
            skin = named[0]
        return oracle.Scene(
            self.trigger,
            self.seat,
            "" if self.tile < 0 else NAMES[self.tile],
            [[NAMES[tile] for tile in hand] for hand in self.hands],
            [[(str(meld.kind), tuple(NAMES[tile] for tile in meld.tiles)) for meld in melds] for melds in self.melds],
            self.put_downs,
            self.wild_kongs,
            self.missed,
            self.dealer,
            {NAMES[tile] for tile in use.wilds},
            skin,
            self.left,
            self.after_kong,
            [NAMES[tile] for tile in sorted(use.tiles)],
        )

    def wins(self, seat: int) -> bool:
        """Whether the tile of the trigger wins, circumstances of the claim apart."""
        drawn = self.trigger == "draw"
        last = self.left is not None and self.left < self.rules.hu.haidi.last
        hand = self.hands[seat] + ([] if drawn else [self.tile])
        return self.evaluator.check_hu(
            Tiles.from_indices(hand),
            self.melds[seat],
            winning_tile=NAMES[self.tile],
            mode={"draw": "zimo", "discard": "discard", "added_kong": "rob_kong"}[self.trigger],
            gang_flower=drawn and self.after_kong,
            haidi=drawn and last,
            downs=self.put_downs[seat] + self.wild_kongs[seat],
        ).hu


def plain(claim: Claim) -> oracle.Action:
    """A claim in the oracle's words."""
    joining = tuple(sorted(NAMES[tile] for tile in claim.with_tiles))
    if claim.kind is ClaimKind.AN_GANG:
        assert claim.tile is not None
        return "AN_GANG", "", tuple(sorted((*joining, NAMES[claim.tile])))
    tile = "" if claim.tile is None or claim.kind is ClaimKind.PASS else NAMES[claim.tile]
    return str(claim.kind), tile, joining


def _listed(claims: Claims) -> list[set[oracle.Action]]:
    listed: list[set[oracle.Action]] = [set() for _ in range(4)]
    for one in claims.seats:
        assert len({plain(claim) for claim in one.claims}) == len(one.claims)
        listed[one.seat] = {plain(claim) for claim in one.claims}
    return listed


def _order(claims: Claims) -> list[set[tuple[int, str]]]:
    groups: dict[int, set[tuple[int, str]]] = {}
    for one in claims.seats:
        for claim in one.claims:
            if claim.priority:
                groups.setdefault(claim.priority, set()).add((one.seat, str(claim.kind)))
    assert sorted(groups) == list(range(1, len(groups) + 1))
    return [groups[place] for place in sorted(groups)]


def _question(rng: random.Random, table: Dealt) -> Question:
    """Any action of any seat."""
    seat = rng.randrange(4)
    kind = rng.choice(list(ClaimKind))
    tile = rng.choice([*table.hands[seat], *table.hands[seat], *sorted(table.evaluator.tiles.tiles)])
    if kind in (ClaimKind.HU, ClaimKind.PASS, ClaimKind.PENG, ClaimKind.ZHI_GANG):
        return Question(seat, kind)
    if kind is ClaimKind.CHI:
        pair = rng.sample(table.hands[seat], 2)
        return Question(seat, kind, "", " ".join(NAMES[one] for one in pair))
    return Question(seat, kind, NAMES[tile])


def _asked(table: Dealt, question: Question, allowed: list[set[oracle.Action]]) -> bool:
    """Whether the oracle allows what a question asks; tiles that are left out may be any."""
    tile = question.tile if isinstance(question.tile, str) else ""
    joining = tuple(sorted(NAMES[one] for one in Tiles.from_text(str(question.with_tiles))))
    return any(
        kind == question.kind
        and (not joining or joining == names)
        and (not tile or tile == name or (kind == "AN_GANG" and tile in names))
        for kind, name, names in allowed[question.seat]
    )


def test_random_tables_allow_what_the_oracle_allows(rng, samples):
    seen: Counter[str] = Counter()
    for _ in range(samples(400)):
        table = Dealt(rng, random_evaluator(rng))
        allowed = oracle.actions(table.rules, table.scene(), table.wins)
        claims = list_claims(table.evaluator, table.situation([]))
        only_pass = [
            those if those != {("PASS", "", ())} or seat == table.seat else set() for seat, those in enumerate(allowed)
        ]
        assert _listed(claims) == only_pass, (table.evaluator.ruleset.options(), table.situation([]))
        if table.trigger in ("discard", "added_kong"):
            assert _order(claims) == oracle.order(table.rules, table.scene(), allowed)
        for one in claims.seats:
            seen.update(str(claim.kind) for claim in one.claims)
        question = _question(rng, table)
        try:
            (verdict,) = list_claims(table.evaluator, table.situation([question])).verdicts
        except CardsError as error:
            verdict, reason = None, error.reason
        if verdict is None:
            assert (reason, _asked(table, question, allowed)) == (ErrorReason.MALFORMED_MELD, False)
        else:
            assert verdict.allowed == _asked(table, question, allowed), (question, verdict, table.situation([]))
            assert verdict.allowed == (not verdict.refusals) == (verdict.claim is not None)
    assert seen.keys() == set(ClaimKind)


HONGHU = Evaluator(rules.load("honghu"), wilds="9s")
ENSHI = Evaluator(rules.load("enshi"), wilds="9s", indicator="8s")
REST = "147m147p147s"


def _draw(evaluator: Evaluator, hand: str, tile: str, **more: Any) -> Claims:
    seat = ClaimSeat(0, hand, more.pop("melds", ()), **more.pop("state", {}))
    return list_claims(evaluator, Situation(Trigger.DRAW, 0, tile, [seat], **more))


def _kinds(claims: Claims) -> set[str]:
    return {str(claim.kind) for one in claims.seats for claim in one.claims}


def test_the_turned_skin_must_go_down_at_once():
    """M2-09: who draws the turned tile as the first replacement puts it down and does nothing else."""
    hand = f"{REST} 2258s 8s"
    first = _draw(ENSHI, hand, "8s", after_kong=True, state={"put_downs": 1})
    (claim,) = first.seats[0].claims
    assert (claim.kind, claim.factor) == (ClaimKind.PUT_DOWN, Fraction(2))
    assert claim.forced
    assert claim.replacement_draw
    assert "M2-09" in claim.clauses
    assert "M2-09" in first.clauses
    later = _draw(ENSHI, hand, "8s", after_kong=True, state={"put_downs": 2})
    assert _kinds(later) == {"PUT_DOWN", "DISCARD"}
    elsewhere = Table(dealer=0, seats=[SeatFactors(2, put_downs=1)])
    assert _kinds(_draw(ENSHI, hand, "8s", after_kong=True, state={"put_downs": 1}, table=elsewhere)) != {"PUT_DOWN"}
    assert _kinds(_draw(ENSHI, hand, "8s")) == {"PUT_DOWN", "DISCARD"}


def test_the_last_four_tiles_are_won_or_nothing():
    """M1-11, M1-37: on the last draws nobody discards, kongs or puts down."""
    ready = {"melds": [Meld("peng", "333s", 2)]}
    last = _draw(HONGHU, "123m456m789m55p", "5p", wall_left=3, **ready)
    assert _kinds(last) == {"HU", "PASS"}
    hu = next(claim.hu for claim in last.seats[0].claims if claim.hu is not None)
    assert [str(kind) for kind in hu.types] == ["haidi"]
    assert _kinds(_draw(HONGHU, "123m456m789m55p", "5p", wall_left=4, **ready)) == {"HU", "DISCARD"}
    assert _kinds(_draw(HONGHU, "1111m456m789mz5", "z5", wall_left=0, **ready)) == {"PASS"}


def test_a_missed_win_locks_until_the_next_draw():
    """M1-26: honghu has no lock; where the option sets one, the refusal names it, and a self-draw still wins."""
    for lock, expected in (("none", ()), ("until_draw", (HuRefusal.MISSED_HU_LOCK,))):
        evaluator = Evaluator(rules.load("honghu", {"claim.missed_hu": lock}), wilds="9s")
        seat = ClaimSeat(1, "123m456m789m5p", [Meld("peng", "333s", 2)], missed_hu=True)
        question = [Question(1, ClaimKind.HU)]
        situation = Situation(Trigger.DISCARD, 0, "5p", [seat], dealer=0, questions=question)
        assert list_claims(evaluator, situation).verdicts[0].hu_refusals == expected
    drawn = ClaimSeat(1, "123m456m789m55p", [Meld("peng", "333s", 2)], missed_hu=True)
    assert "HU" in _kinds(list_claims(evaluator, Situation(Trigger.DRAW, 1, "5p", [drawn])))


def test_an_added_kong_is_robbed_as_a_big_win():
    """M1-13, M1-17, M1-20."""
    seats = [
        ClaimSeat(1, "123m456m46p22s", [Meld("peng", "333s", 2)]),
        ClaimSeat(0, "147m147p258s1s", [Meld("peng", "555p", 3)]),
    ]
    claims = list_claims(HONGHU, Situation(Trigger.ADDED_KONG, 0, "5p", seats, dealer=0))
    (one,) = claims.seats
    assert one.seat == 1
    assert [str(kind) for claim in one.claims if claim.hu for kind in claim.hu.types] == ["rob_kong"]


def test_two_wilds_win_where_the_table_reaches_gold():
    """M2-13: the claim asks the settlement; without the table it is refused as undecided."""
    question = [Question(1, ClaimKind.HU)]
    for table, expected in (
        (None, (HuRefusal.NEEDS_SETTLEMENT,)),
        (Table(), (HuRefusal.WILDS_NEED_GOLD,)),
        (Table(seats=[SeatFactors(seat, an_gangs=1) for seat in (0, 2, 3)]), ()),
    ):
        drawn = ClaimSeat(1, "113355p4477s69m9s9s", put_downs=2)
        situation = Situation(Trigger.DRAW, 1, "9s", [drawn], questions=question, table=table)
        verdict = list_claims(ENSHI, situation).verdicts[0]
        assert verdict.hu_refusals == expected
        assert verdict.allowed == (expected == ())


def test_whoever_holds_nothing_else_discards_a_wild():
    """Red dragons may not be discarded, but a turn ends somehow; a claim may not lead there."""
    evaluator = Evaluator(rules.load("hongzhong", {"wild.limit.small": 0}))
    melds = [Meld("peng", f"{digit}{digit}{digit}m") for digit in (1, 2, 3)]
    pair = ClaimSeat(0, "z5z5", [*melds, Meld("peng", "444m")])
    assert _kinds(list_claims(evaluator, Situation(Trigger.DRAW, 0, "z5", [pair]))) == {"DISCARD"}
    stuck = ClaimSeat(1, "44mz5z5", melds)
    question = [Question(1, ClaimKind.PENG)]
    verdict = list_claims(evaluator, Situation(Trigger.DISCARD, 0, "4m", [stuck], questions=question)).verdicts[0]
    assert [refusal.reason for refusal in verdict.refusals] == [ClaimRefusal.WILD_DISCARD_FORBIDDEN]


SEAT = ClaimSeat(1, "45p123m789m22s67s1z")


def _discard(**changes: Any) -> Situation:
    return Situation(
        **{"trigger": Trigger.DISCARD, "trigger_seat": 0, "tile": "3p", "seats": [SEAT], "dealer": 0, **changes}
    )


def _ask(*questions: Question) -> Situation:
    return _discard(questions=questions)


BAD = [
    ("UNKNOWN_ENUM_VALUE", "trigger", _discard(trigger="drawn")),
    ("SEAT_OUT_OF_RANGE", "trigger_seat", _discard(trigger_seat=4)),
    ("SEAT_OUT_OF_RANGE", "dealer", _discard(dealer=-1)),
    ("MISSING_FIELD", "dealer", _discard(dealer=None)),
    ("VALUE_OUT_OF_RANGE", "seat_count", _discard(seat_count=5)),
    ("VALUE_OUT_OF_RANGE", "wall_left", _discard(wall_left=-1)),
    ("VALUE_OUT_OF_RANGE", "wall_left", _discard(wall_left=137)),
    ("MISSING_FIELD", "tile", _discard(tile="")),
    ("UNKNOWN_TILE", "tile", _discard(tile="0p")),
    ("WRONG_TILE_COUNT", "tile", _discard(tile="33p")),
    ("CONTRADICTORY_FIELDS", "tile", _discard(trigger=Trigger.CLAIMED)),
    ("MISSING_FIELD", "seats", _discard(trigger=Trigger.DRAW)),
    ("WRONG_TILE_COUNT", "seats[0].concealed", _discard(trigger=Trigger.DRAW, trigger_seat=1)),
    (
        "CONTRADICTORY_FIELDS",
        "seats[0].concealed",
        _discard(trigger=Trigger.DRAW, trigger_seat=1, seats=[ClaimSeat(1, "45p123m789m22s67s11z")]),
    ),
    ("CONTRADICTORY_FIELDS", "seats[0].melds", _discard(trigger=Trigger.ADDED_KONG, trigger_seat=1)),
    ("SEAT_OUT_OF_RANGE", "seats[0].seat", _discard(seats=[ClaimSeat(7, SEAT.concealed)])),
    ("DUPLICATE_SEAT", "seats[1].seat", _discard(seats=[SEAT, SEAT])),
    ("UNKNOWN_TILE", "seats[0].concealed", _discard(seats=[ClaimSeat(1, "abc")])),
    ("VALUE_OUT_OF_RANGE", "seats[0].put_downs", _discard(seats=[ClaimSeat(1, SEAT.concealed, put_downs=-1)])),
    ("VALUE_OUT_OF_RANGE", "seats[0].wild_kongs", _discard(seats=[ClaimSeat(1, SEAT.concealed, wild_kongs=999)])),
    (
        "WILD_IN_MELD",
        "seats[0].melds[0].tiles",
        _discard(seats=[ClaimSeat(1, "45p123m789m22s", [Meld("chi", "789s")])]),
    ),
    ("TOO_MANY_COPIES", "seats[1].concealed", _discard(seats=[SEAT, ClaimSeat(2, "1225456m12p222s1z")], tile="2s")),
    ("TOO_MANY_COPIES", "seats[0].put_downs", _discard(seats=[ClaimSeat(1, SEAT.concealed, put_downs=9)])),
    (
        "TOO_MANY_COPIES",
        "table.seats[0].wild_kongs",
        _discard(
            seats=[ClaimSeat(1, "45p123m789m22s79s1z")],
            table=Table(dealer=0, seats=[SeatFactors(2, wild_kongs=4)]),
        ),
    ),
    ("SEAT_OUT_OF_RANGE", "questions[0].seat", _ask(Question(4, "PENG"))),
    ("MISSING_FIELD", "questions[0].seat", _ask(Question(2, "PENG"))),
    ("UNKNOWN_ENUM_VALUE", "questions[0].kind", _ask(Question(1, "peng!"))),
    ("CONTRADICTORY_FIELDS", "questions[0].tile", _ask(Question(1, "PENG", "4p"))),
    ("MISSING_FIELD", "questions[0].tile", _ask(Question(1, "DISCARD"))),
    ("MISSING_FIELD", "questions[0].with_tiles", _ask(Question(1, "CHI"))),
    ("CONTRADICTORY_FIELDS", "questions[0].with_tiles", _ask(Question(1, "CHI", "3p", "4p"))),
    ("CONTRADICTORY_FIELDS", "questions[0].with_tiles", _ask(Question(1, "HU", "3p", "4p"))),
    ("MALFORMED_MELD", "questions[0].with_tiles", _ask(Question(1, "CHI", "3p", "22s"))),
    ("MALFORMED_MELD", "questions[0].with_tiles", _ask(Question(1, "PENG", "3p", "45p"))),
    ("TOO_MANY_ITEMS", "questions", _ask(*[Question(1, "PASS")] * 65)),
    ("CONTRADICTORY_FIELDS", "table.seat_count", _discard(table=Table(3, 0))),
    ("CONTRADICTORY_FIELDS", "table.dealer", _discard(table=Table(dealer=1))),
    ("DUPLICATE_SEAT", "table.seats[1].seat", _discard(table=Table(seats=[SeatFactors(2), SeatFactors(2)]))),
    ("CONTRADICTORY_FACTORS", "table.seats[0].put_downs", _discard(table=Table(seats=[SeatFactors(2, put_downs=5)]))),
    (
        "CONTRADICTORY_FACTORS",
        "seats[0].put_downs",
        _discard(seats=[ClaimSeat(1, SEAT.concealed, put_downs=5)], table=Table(dealer=0)),
    ),
]


@pytest.mark.parametrize(("reason", "path", "situation"), BAD, ids=[f"{reason}-{path}" for reason, path, _ in BAD])
def test_bad_input_is_named(reason, path, situation):
    with pytest.raises(LaiziError) as caught:
        list_claims(HONGHU, situation)
    assert (caught.value.reason, caught.value.path) == (ErrorReason[reason], path)


def test_any_situation_is_answered_or_named(rng, samples):
    """Whatever stands in the fields: an answer, or an error that says where."""
    texts = ("", "3p", "z5", "9s", "333m", "12p", "45p123m789m22s67s1z", "45p123m789m22s", "0z", "一万", "x" * 200)
    melds = (Meld("peng", "333m"), Meld("chi", "123s"), Meld("an_gang", "1111p"), Meld("bu_gang", "789s"))
    numbers = (0, 0, 1, 1, 2, 3, 4, -1, 2**40)
    answered, paths = 0, set()
    for _ in range(samples(1500)):
        pick = rng.choice
        seats = [
            ClaimSeat(pick((0, 1, 2, 5)), pick(texts), [pick(melds) for _ in range(pick((0, 0, 1)))], pick(numbers))
            for _ in range(pick((0, 1, 1, 2)))
        ]
        questions = [
            Question(pick((0, 1, 4)), pick([*ClaimKind, "win"]), pick(texts), pick(texts))
            for _ in range(pick((0, 0, 1)))
        ]
        situation = Situation(
            pick([*Trigger, "drawn"]),
            pick((0, 0, 1, 4)),
            pick(texts),
            seats,
            pick((4, 4, 4, 3, 1)),
            pick((None, 0, 1, 4)),
            pick((None, 0, 3, 200)),
            rng.random() < 0.5,
            questions,
            pick((None, None, Table(dealer=0), Table(dealer=0, seats=[SeatFactors(pick((0, 3, 4)), pick(numbers))]))),
        )
        try:
            claims = list_claims(pick((HONGHU, ENSHI)), situation)
        except LaiziError as error:
            paths.add(error.path)
        else:
            answered += 1
            assert len(claims.verdicts) == len(questions)
    assert answered
    assert "" not in paths
