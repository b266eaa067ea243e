"""Random wins under every preset and under random options: the oracle pays the same, and a bill can be replayed."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

from laizi import rules
from laizi.errors import ErrorReason, LaiziError
from laizi.settlement.factors import Operation, replay
from laizi.settlement.mahjong import (
    TYPE_NAMES,
    Circumstances,
    Guarantee,
    Hand,
    SeatFactors,
    Settlement,
    Table,
    settle,
)
from tests.oracle import settlement_mahjong as oracle

APART = (("qingyise", "fengyise"), ("fengyise", "jiangyise"), ("qidui", "longqi"))
PAIRS, MELDS = {"qidui", "longqi"}, {"pengpenghu", "quanqiuren", "menqing", "dandiao"}

OPTIONS: dict[str, list[Any]] = {
    "score.combine": ["sum", "max"],
    "score.hard": [1, 2, "3/2"],
    "score.open": ["none", "once", "each"],
    "score.kong": [{"zhi": 2, "bu": 3, "an": 4}, {"zhi": 1, "bu": 1, "an": "5/2"}],
    "score.payers": ["all", "feeder"],
    "score.loser_factors": [True, False],
    "score.dealer": [{"small": 1, "big": 1}, {"small": 2, "big": "3/2"}],
    "score.zimo_on_situational": [True, False],
    "score.rob_kong_feeder": [True, False],
    "score.rounding": ["none", "floor", "nearest"],
    "score.small": [
        {"base": 1, "zimo": 2, "feeder": 2, "zimo_base": 3},
        {"base": "1/2", "zimo": 1, "zimo_base": "none"},
    ],
    "score.big": [{"base": 10, "zimo": 1.5, "feeder": 1.5}, {"base": 7, "zimo": "4/3", "feeder": 2}],
    "hu.situational.gang_flower": ["off", {"counts_as": "type"}, {"counts_as": "factor", "factor": 3}],
    "hu.situational.haidi": ["off", {"counts_as": "type"}, {"counts_as": "factor", "factor": "3/2"}],
    "hu.haidi": [{"reserve": 0, "last": 4}],
    "hu.situational.rob_kong": ["off", {"counts_as": "type"}, {"counts_as": "factor", "factor": 2}],
    "hu.types.pengpenghu": ["off", {"base": 0}, {"base": 6}],
    "hu.types.qingyise": [{"base": 0}, {"base": "25/2"}],
    "hu.types.quanqiuren": [{"needs_discard": True}, {"needs_discard": False, "base": 4}],
    "claim.rob": ["bu"],
    "wild.kong": [4, "3/2"],
    "wild.limit.gold": ["none"],
    "cap": [
        "off",
        {"each": 50},
        {"each": "33/2", "gold": {"trigger": 20, "pay": 30, "strict": False, "mode": "min"}},
        {"each": 100, "gold": {"trigger": 100, "pay": 120, "strict": True, "mode": "exact"}},
    ],
    "bao": [
        [],
        ["rob_kong", "qqr_not_ready", "third_open_qingyise"],
        ["third_open_qingyise", "qqr_not_ready"],
    ],
    "dealer.next": ["winner_becomes", "winner_keeps_else_next"],
}


def random_rules(rng: random.Random) -> rules.RuleSet:
    preset = rng.choice(rules.presets("mahjong"))
    if rng.random() < 0.3:
        return rules.load(preset)
    return rules.load(preset, {name: rng.choice(values) for name, values in OPTIONS.items()})


def random_hand(rng: random.Random, rule_set: rules.RuleSet) -> Hand:
    """Any win that can have happened."""
    options: Any = rule_set.rules
    count = rng.choice((2, 3, 4, 4, 4, 4))
    winner = rng.randrange(count)
    other = rng.choice([seat for seat in range(count) if seat != winner])
    modes = ("zimo", "discard", "discard", "rob_kong")
    mode = rng.choice(modes[: 4 if options.claim.rob == "bu" else 3])
    if mode == "zimo":
        at = Circumstances(gang_flower=rng.random() < 0.3, haidi=rng.random() < 0.3)
    else:
        at = Circumstances(mode, other)
    types = _random_types(rng, options, mode)
    seats = [_random_seat(rng, options, seat, types if seat == winner else set()) for seat in range(count)]
    rng.shuffle(seats)
    guarantees = []
    if mode != "zimo" and rng.random() < 0.5:
        guarantees.append(Guarantee("qqr_not_ready", other))
    if rng.random() < 0.5:
        guarantees.append(
            Guarantee("third_open_qingyise", rng.choice([seat for seat in range(count) if seat != winner]))
        )
    if mode == "rob_kong" and rng.random() < 0.5:
        guarantees.append(Guarantee("rob_kong", other))
    table = Table(count, rng.randrange(count), seats, guarantees)
    return Hand([winner], at, sorted(types), rng.random() < 0.5, table)


def _random_types(rng: random.Random, options: Any, mode: str) -> set[str]:
    known = [kind for kind in TYPE_NAMES if getattr(options.hu.types, kind) is not None]
    types = {kind for kind in known if rng.random() < 0.25}
    types -= {kind for kind in types if mode == "zimo" and getattr(options.hu.types, kind).needs_discard}
    if types & PAIRS:
        types -= MELDS
    for one, other in APART:
        if {one, other} <= types:
            types.discard(other)
    return types


def _random_seat(rng: random.Random, options: Any, seat: int, types: set[str]) -> SeatFactors:
    kongs = {kong: rng.choice((0, 0, 0, 1, 2)) if kong in options.claim.kong else 0 for kong in ("zhi", "bu", "an")}
    if types & PAIRS or "menqing" in types:
        kongs = dict.fromkeys(kongs, 0)
    if "quanqiuren" in types:
        kongs["an"] = 0
    exposed = kongs["zhi"] + kongs["bu"]
    kongs["an"] = min(kongs["an"], 5 - exposed)
    openings = rng.randint(exposed, 5 - kongs["an"])
    return SeatFactors(
        seat,
        0 if "menqing" in types else openings,
        kongs["zhi"],
        kongs["bu"],
        kongs["an"],
        put_downs=rng.randrange(2) if options.down.tiles else 0,
        wild_kongs=rng.randrange(2) if options.wild.kong is not None and options.wild.source != "none" else 0,
    )


def _plain(hand: Hand) -> oracle.Win:
    laid: list[dict[str, int]] = [{} for _ in range(hand.table.seat_count)]
    for factors in hand.table.seats:
        laid[factors.seat] = {
            "openings": factors.openings,
            "zhi": factors.zhi_gangs,
            "bu": factors.bu_gangs,
            "an": factors.an_gangs,
            "down": factors.put_downs,
            "wild": factors.wild_kongs,
        }
    named = {guarantee.kind: guarantee.seat for guarantee in hand.table.guarantees}
    at = hand.circumstances
    return oracle.Win(
        hand.winner_seats[0],
        at.mode,
        at.from_seat,
        at.gang_flower,
        at.haidi,
        set(hand.types),
        hand.hard,
        hand.table.dealer,
        laid,
        named.get("third_open_qingyise"),
        "qqr_not_ready" in named,
    )


def _check_properties(rule_set: rules.RuleSet, hand: Hand, settlement: Settlement) -> None:
    options: Any = rule_set.rules
    winner = hand.winner_seats[0]
    assert sum(settlement.deltas) == 0
    assert settlement.gain == sum(payment.amount for payment in settlement.payments)
    for payment in settlement.payments:
        assert payment.to_seat == winner != payment.from_seat
        assert replay(payment.factors) == payment.amount >= 0
        assert [factor.result for factor in payment.factors] == [
            replay(payment.factors[: index + 1]) for index in range(len(payment.factors))
        ]
        assert payment.factors[0].operation is Operation.SET
        if options.cap is not None:
            assert payment.amount <= (options.cap.gold.pay if settlement.gold else options.cap.each)
        if options.score.rounding != "none":
            assert payment.amount.denominator == 1
        assert (payment.on_behalf_of is None) == (settlement.guarantor in (None, _loser(payment)))


def _loser(payment: Any) -> int:
    return int(payment.from_seat if payment.on_behalf_of is None else payment.on_behalf_of)


def test_random_wins_pay_what_the_oracle_says(rng, samples):
    for _ in range(samples(2000)):
        rule_set = random_rules(rng)
        hand = random_hand(rng, rule_set)
        settlement = settle(rule_set, hand)
        expected = oracle.bill(rule_set.rules, _plain(hand))
        paid = [sum(p.amount for p in settlement.payments if p.from_seat == seat) for seat in range(len(expected.pays))]
        assert (list(settlement.uncapped), paid) == (expected.raw, expected.pays), (rule_set.options(), hand)
        assert (settlement.gold, settlement.guarantor) == (expected.gold, expected.guarantor)
        _check_properties(rule_set, hand, settlement)


def test_every_factor_of_a_preset_names_its_clauses(rng, samples):
    """A preset has a source for whatever it lets happen, so each step of a bill can be looked up."""
    for _ in range(samples(300)):
        rule_set = rules.load(rng.choice(("honghu", "honghu_koukou", "honghu_formula", "enshi", "enshi_simple")))
        settlement = settle(rule_set, random_hand(rng, rule_set))
        for payment in settlement.payments:
            assert payment.clauses
            for factor in payment.factors:
                assert factor.clauses, (rule_set.name, factor)


def test_the_next_dealer():
    """M1-21: the dealer stays after his own win; the option lets every winner become dealer."""
    for override, winner, expected in (("winner_keeps_else_next", 1, 1), ("winner_keeps_else_next", 3, 2)):
        honghu = rules.load("honghu", {"dealer.next": override})
        assert settle(honghu, Hand([winner], table=Table(dealer=1))).next_dealer == expected
    becomes = rules.load("honghu", {"dealer.next": "winner_becomes"})
    assert settle(becomes, Hand([3], table=Table(dealer=1))).next_dealer == 3
    assert settle(rules.load("enshi"), Hand([3])).next_dealer is None


def test_situational_types_may_be_named_or_not():
    """M1-12: a flower counts once, whoever names it."""
    honghu, at = rules.load("honghu"), Circumstances(gang_flower=True)
    silent, named = (settle(honghu, Hand([0], at, types, table=Table(dealer=0))) for types in ([], ["gang_flower"]))
    assert silent == named
    assert silent.payments[0].factors[0].name == "type.gang_flower"


def test_a_guarantor_pays_each_loser_s_own_amount_after_caps():
    """M1-51: caps first, then the sum."""
    seats = [SeatFactors(0, 3, an_gangs=1), SeatFactors(2, 1), SeatFactors(3, 1)]
    hand = Hand([0], Circumstances(), ["qingyise"], True, Table(4, 0, seats, [Guarantee("third_open_qingyise", 3)]))
    settlement = settle(rules.load("honghu"), hand)
    paid = [(payment.from_seat, payment.on_behalf_of, int(payment.amount)) for payment in settlement.payments]
    assert paid == [(3, 1, 240), (3, 2, 300), (3, None, 300)]
    assert [int(delta) for delta in settlement.deltas] == [840, 0, 0, -840]
    assert [int(amount) for amount in settlement.uncapped] == [0, 240, 480, 480]


def _hand(**changes: Any) -> Hand:
    return dataclasses.replace(Hand([0], table=Table(dealer=0)), **changes)


def _laid(**laid: int) -> Hand:
    return _hand(table=Table(dealer=0, seats=[SeatFactors(1, **laid)]))


FED = Circumstances("discard", 1)

BAD = [
    ("NO_WINNER", "winner_seats", _hand(winner_seats=[])),
    ("TWO_WINNERS", "winner_seats[1]", _hand(winner_seats=[0, 2])),
    ("SEAT_OUT_OF_RANGE", "winner_seats[0]", _hand(winner_seats=[4])),
    ("SEAT_OUT_OF_RANGE", "winner_seats[0]", _hand(winner_seats=[-1])),
    ("SEAT_OUT_OF_RANGE", "winner_seats[0]", _hand(winner_seats=[2], table=Table(2, 0))),
    ("VALUE_OUT_OF_RANGE", "table.seat_count", _hand(table=Table(5, 0))),
    ("VALUE_OUT_OF_RANGE", "table.seat_count", _hand(table=Table(1, 0))),
    ("UNKNOWN_ENUM_VALUE", "circumstances.mode", _hand(circumstances=Circumstances("drawn"))),
    ("CONTRADICTORY_CIRCUMSTANCES", "circumstances.from_seat", _hand(circumstances=Circumstances("zimo", 1))),
    ("MISSING_FIELD", "circumstances.from_seat", _hand(circumstances=Circumstances("discard"))),
    ("SEAT_OUT_OF_RANGE", "circumstances.from_seat", _hand(circumstances=Circumstances("discard", 7))),
    ("CONTRADICTORY_CIRCUMSTANCES", "circumstances.from_seat", _hand(circumstances=Circumstances("rob_kong", 0))),
    (
        "CONTRADICTORY_CIRCUMSTANCES",
        "circumstances.gang_flower",
        _hand(circumstances=Circumstances("discard", 1, gang_flower=True)),
    ),
    (
        "CONTRADICTORY_CIRCUMSTANCES",
        "circumstances.haidi",
        _hand(circumstances=Circumstances("discard", 1, haidi=True)),
    ),
    ("BAD_OPTION_VALUE", "types[1]", _hand(types=["qingyise", "menqing"])),
    ("BAD_OPTION_VALUE", "types[0]", _hand(types=["__class__"])),
    ("CONTRADICTORY_FACTORS", "types[1]", _hand(types=["qingyise", "qingyise"])),
    ("CONTRADICTORY_FACTORS", "types[1]", _hand(types=["qingyise", "fengyise"])),
    ("CONTRADICTORY_CIRCUMSTANCES", "types[0]", _hand(types=["gang_flower"])),
    ("CONTRADICTORY_CIRCUMSTANCES", "types[0]", _hand(types=["quanqiuren"])),
    ("MISSING_FIELD", "table.dealer", _hand(table=Table())),
    ("SEAT_OUT_OF_RANGE", "table.dealer", _hand(table=Table(dealer=4))),
    ("SEAT_OUT_OF_RANGE", "table.seats[0].seat", _hand(table=Table(dealer=0, seats=[SeatFactors(9)]))),
    ("DUPLICATE_SEAT", "table.seats[1].seat", _hand(table=Table(dealer=0, seats=[SeatFactors(1), SeatFactors(1)]))),
    ("VALUE_OUT_OF_RANGE", "table.seats[0].openings", _laid(openings=-1)),
    ("VALUE_OUT_OF_RANGE", "table.seats[0].an_gangs", _laid(an_gangs=6)),
    ("CONTRADICTORY_FACTORS", "table.seats[0].an_gangs", _laid(openings=3, an_gangs=3)),
    ("CONTRADICTORY_FACTORS", "table.seats[0].openings", _laid(zhi_gangs=1)),
    ("CONTRADICTORY_FACTORS", "table.seats[0].put_downs", _laid(put_downs=5)),
    ("CONTRADICTORY_FACTORS", "table.seats[0].wild_kongs", _laid(wild_kongs=5)),
    (
        "CONTRADICTORY_FACTORS",
        "table.seats[1].put_downs",
        _hand(table=Table(dealer=0, seats=[SeatFactors(1, put_downs=3), SeatFactors(2, put_downs=2)])),
    ),
    (
        "CONTRADICTORY_FACTORS",
        "table.seats[0].an_gangs",
        _hand(
            types=["quanqiuren"],
            circumstances=FED,
            table=Table(dealer=0, seats=[SeatFactors(0, openings=3, an_gangs=1)]),
        ),
    ),
    (
        "GUARANTOR_WON",
        "table.guarantees[0].seat",
        _hand(table=Table(dealer=0, guarantees=[Guarantee("third_open_qingyise", 0)])),
    ),
    (
        "SEAT_OUT_OF_RANGE",
        "table.guarantees[0].seat",
        _hand(table=Table(dealer=0, guarantees=[Guarantee("third_open_qingyise", 4)])),
    ),
    (
        "UNKNOWN_ENUM_VALUE",
        "table.guarantees[0].kind",
        _hand(table=Table(dealer=0, guarantees=[Guarantee("bao", 1)])),  # type: ignore[arg-type]
    ),
    (
        "CONTRADICTORY_FACTORS",
        "table.guarantees[1].kind",
        _hand(table=Table(dealer=0, guarantees=[Guarantee("third_open_qingyise", seat) for seat in (1, 2)])),
    ),
    (
        "CONTRADICTORY_FACTORS",
        "table.guarantees[0].kind",
        _hand(table=Table(dealer=0, guarantees=[Guarantee("rob_kong", 1)])),
    ),
    (
        "CONTRADICTORY_FACTORS",
        "table.guarantees[0].kind",
        _hand(table=Table(dealer=0, guarantees=[Guarantee("qqr_not_ready", 1)])),
    ),
    (
        "CONTRADICTORY_FACTORS",
        "table.guarantees[0].seat",
        _hand(circumstances=FED, table=Table(dealer=0, guarantees=[Guarantee("qqr_not_ready", 2)])),
    ),
]


@pytest.mark.parametrize(("reason", "path", "hand"), BAD, ids=[f"{reason}-{path}" for reason, path, _ in BAD])
def test_bad_input_is_named(reason, path, hand):
    with pytest.raises(LaiziError) as caught:
        settle(rules.load("honghu"), hand)
    assert (caught.value.reason, caught.value.path) == (ErrorReason[reason], path)


BAD_ENSHI = [
    ("types[1]", Hand([0], types=["qidui", "longqi"])),
    ("types[1]", Hand([0], types=["menqing", "qidui"])),
    ("table.seats[0].an_gangs", Hand([0], types=["qidui"], table=Table(seats=[SeatFactors(0, an_gangs=1)]))),
    ("table.seats[0].zhi_gangs", Hand([0], types=["menqing"], table=Table(seats=[SeatFactors(0, 1, zhi_gangs=1)]))),
    ("table.seats[0].openings", Hand([0], types=["menqing"], table=Table(seats=[SeatFactors(0, 1)]))),
]


@pytest.mark.parametrize(("path", "hand"), BAD_ENSHI)
def test_melds_that_contradict_the_hu_types(path, hand):
    with pytest.raises(LaiziError) as caught:
        settle(rules.load("enshi"), hand)
    assert (caught.value.reason, caught.value.path) == (ErrorReason.CONTRADICTORY_FACTORS, path)


def test_rules_without_a_part_refuse_its_factors():
    hongzhong = rules.load("hongzhong")
    for laid in ({"put_downs": 1}, {"wild_kongs": 1}):
        with pytest.raises(LaiziError) as caught:
            settle(hongzhong, Hand([0], table=Table(seats=[SeatFactors(1, **laid)])))
        assert caught.value.reason is ErrorReason.CONTRADICTORY_FACTORS
    with pytest.raises(LaiziError) as caught:
        settle(rules.load("enshi"), Hand([0], Circumstances("rob_kong", 1)))
    assert caught.value.path == "circumstances.mode"
    with pytest.raises(LaiziError) as caught:
        settle(rules.load("huanle"), Hand([0]))
    assert caught.value.reason is ErrorReason.WRONG_GAME


def test_any_numbers_settle_or_name_what_is_wrong(rng, samples):
    numbers = (-1, 0, 0, 0, 1, 1, 2, 3, 4, 5, 7, 2**40)
    settled, paths = 0, set()
    for _ in range(samples(2000)):
        pick = rng.choice
        seats = [
            SeatFactors(pick((0, 1, 2, 3, 4)), *(pick(numbers) for _ in range(pick((0, 1, 6)))))
            for _ in range(pick((0, 1, 2)))
        ]
        guarantees = [Guarantee(pick(("rob_kong", "qqr_not_ready", "third_open_qingyise", "")), pick((0, 1, 4)))]
        hand = Hand(
            [pick((0, 1, 3, 4, -1)) for _ in range(pick((1, 1, 1, 0, 2)))],
            Circumstances(
                pick(("zimo", "discard", "rob_kong", "x")),
                pick((None, 0, 1, 9)),
                rng.random() < 0.2,
                rng.random() < 0.2,
            ),
            [pick((*TYPE_NAMES, "gang_flower", "")) for _ in range(pick((0, 0, 1, 2)))],
            rng.random() < 0.5,
            Table(pick((4, 4, 4, 2, 0, 99)), pick((None, 0, 1, 4)), seats, guarantees[: pick((0, 0, 1))]),
        )
        try:
            settlement = settle(rules.load(pick(rules.presets("mahjong"))), hand)
        except LaiziError as error:
            paths.add(error.path.split(".")[0])
        else:
            settled += 1
            assert sum(settlement.deltas) == 0
    assert settled
    assert "" not in paths
