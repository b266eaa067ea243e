"""Settlement of Dou Dizhu: the handed vectors, the rules one by one, and random games against an independent sum."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from laizi import errors, rules
from laizi.auction import Action, Event, resolve
from laizi.settlement.doudizhu import MAX_NUMBER, Bomb, Extra, Game, Seat, Settlement, settle, show_factor
from laizi.settlement.factors import Operation, Steps, apply, replay, totals
from tests import doudizhu_vectors as vectors
from tests.oracle import settlement as oracle

WEALTH = 10**9


def seats_of(given: dict[str, Any]) -> list[Seat]:
    landlord = given["landlord"]
    stuck = given.get("reason") == "landlord_all_wild"
    winner = landlord if given["winner"] == "landlord" else (landlord + 1) % 3
    plays = given.get("hands_played", [None] * 3)
    carried = given.get("carried", [WEALTH] * 3)
    doubles = given.get("doubles", {})
    return [
        Seat(
            out=seat == winner and not stuck,
            plays=plays[seat],
            doubled=doubles.get(str(seat), False),
            carried=carried[seat],
        )
        for seat in range(3)
    ]


def game_of(given: dict[str, Any]) -> Game:
    bombs: Any = given.get("bombs", [])
    tiers: list[Any] = ["hard"] * bombs if isinstance(bombs, int) else bombs
    extras = [given.get("extra_factor", 1), given.get("multiplier", 1), given.get("multiplier_before", 1)]
    return Game(
        landlord=given["landlord"],
        seats=seats_of(given),
        bid=given.get("base", 0),
        robs=given.get("robs", 0),
        bombs=[Bomb(tier) for tier in tiers],
        landlord_stuck=given.get("reason") == "landlord_all_wild",
        rate=given.get("rate", 1),
        extras=[Extra("given", factor) for factor in extras if factor != 1],
    )


@pytest.mark.parametrize("vector", vectors.params("settle"))
def test_vector(vector: vectors.Vector) -> None:
    given, expect = vector["input"], vector["expect"]
    rule_set = vectors.ruleset(vector)
    if "show" in given:
        assert isinstance(rule_set.rules, rules.DoudizhuRules)
        assert show_factor(rule_set.rules, "during_deal", given["cards_dealt"])[0] == expect["factor"]
        return
    settlement = settle(rule_set, game_of(given))
    assert list(settlement.deltas) == expect["delta"]
    assert settlement.bomb_multiplier == expect.get("bomb_multiplier", settlement.bomb_multiplier)
    assert settlement.multiplier == expect.get("multiplier", settlement.multiplier)
    assert settlement.spring == expect.get("spring", settlement.spring)
    assert settlement.anti_spring == expect.get("anti_spring", settlement.anti_spring)
    if "capped" in expect:
        assert ("bomb.cap" in names(settlement)) == expect["capped"]


def names(settlement: Settlement) -> list[str]:
    return [factor.name for factor in settlement.payments[0].factors]


def won(landlord_wins: bool = True, **changes: Any) -> Game:
    seats = (Seat(out=landlord_wins, carried=WEALTH), Seat(out=not landlord_wins, carried=WEALTH), Seat(carried=WEALTH))
    return Game(**{"landlord": 0, "seats": seats, **changes})


FLED = (Seat(), Seat(fled=True), Seat())
ONE_PLAY = (Seat(plays=1), Seat(out=True, plays=4), Seat(plays=0))

CLAUSES: dict[str, tuple[str, Game, list[int]]] = {
    "D1-19": ("points_rob", won(bid=1, bombs=[Bomb("rocket")]), [4, -2, -2]),
    "D2-28": ("four_wilds", won(bid=3), [6, -3, -3]),
    "D2-30": ("four_wilds", won(False, bid=3), [-6, 3, 3]),
    "D2-33": ("four_wilds", Game(0, ONE_PLAY, bid=2), [-8, 4, 4]),
    "D2-34": ("four_wilds", Game(0, FLED, bid=2), [4, -4, 0]),
    "D2-35": ("four_wilds", Game(0, FLED, bid=2, bombs=[Bomb("hard"), Bomb("soft")]), [16, -16, 0]),
    "D2-36": (
        "four_wilds",
        Game(1, FLED, bid=3, bombs=[Bomb("hard")]),
        [6, -12, 6],
    ),
    "D4-15": ("wuhan", won(bid=1, bombs=[Bomb("rocket")]), [4, -2, -2]),
    "D5-02": ("tiandi", won(bombs=[Bomb("pure", 8), Bomb("mixed", 5)]), [8, -4, -4]),
    "D6-17": (
        "huanle",
        Game(0, (Seat(out=True, show="before_deal"), Seat(), Seat())),
        [10, -5, -5],
    ),
    "D6-19": (
        "huanle",
        Game(0, (Seat(out=True, show="after_bottom"), Seat(), Seat())),
        [4, -2, -2],
    ),
    "D6-20": (
        "huanle",
        Game(0, (Seat(out=True, show="during_deal", show_cards_dealt=10), Seat(show="before_deal"), Seat())),
        [10, -5, -5],
    ),
}


@pytest.mark.parametrize("clause", CLAUSES)
def test_clause(clause: str) -> None:
    preset, game, deltas = CLAUSES[clause]
    assert list(settle(rules.load(preset), game).deltas) == deltas


def test_each_step_says_which_clause_it_applies() -> None:
    settlement = settle(rules.load("wuhan"), won(bid=2, bombs=[Bomb("hard"), Bomb("soft"), Bomb("rocket")]))
    factors = settlement.payments[0].factors
    assert [(factor.name, str(factor.operand), str(factor.result), factor.clauses) for factor in factors] == [
        ("bid", "2", "2", ("D4-28",)),
        ("bomb.hard", "4", "8", ("D4-14",)),
        ("bomb.soft", "2", "16", ("D4-13",)),
        ("rocket", "2", "32", ("D4-15",)),
    ]
    assert settlement.clauses == ("D4-07",)


def test_the_cap_on_bombs_is_a_step_that_replays() -> None:
    settlement = settle(rules.load("wuhan"), won(bid=3, bombs=[Bomb("hard")] * 4, extras=[Extra("的士", 2)]))
    assert names(settlement) == ["bid", *["bomb.hard"] * 4, "bomb.cap", "的士"]
    assert settlement.bomb_multiplier == 64
    assert list(settlement.deltas) == [768, -384, -384]


def test_who_flees_pays_in_his_partner_s_place() -> None:
    settlement = settle(rules.load("four_wilds"), Game(0, FLED, bid=1))
    assert [(payment.from_seat, payment.to_seat, payment.on_behalf_of) for payment in settlement.payments] == [
        (1, 0, None),
        (1, 0, 2),
    ]


def test_farmers_are_limited_by_what_each_of_them_carries() -> None:
    seats = (Seat(), Seat(out=True, carried=5), Seat(carried=100))
    settlement = settle(rules.load("wuhan"), Game(0, seats, bid=3, bombs=[Bomb("hard")]))
    assert list(settlement.deltas) == [-17, 5, 12]


@pytest.mark.parametrize(("rounding", "deltas"), [("none", ["101", "-101/2"]), ("floor", ["100", "-50"])])
def test_a_limited_win_is_shared_in_proportion(rounding: str, deltas: list[str]) -> None:
    seats = (Seat(out=True, carried=101), Seat(), Seat())
    rule_set = rules.load("wuhan", {"score.rounding": rounding})
    assert [
        str(delta) for delta in settle(rule_set, Game(0, seats, bid=3, bombs=[Bomb("hard")] * 3)).deltas[:2]
    ] == deltas


def test_rounding_to_the_nearest_never_exceeds_the_limit() -> None:
    seats = (Seat(out=True, carried=101), Seat(), Seat())
    rule_set = rules.load("wuhan", {"score.rounding": "nearest"})
    assert settle(rule_set, Game(0, seats, bid=3, bombs=[Bomb("hard")] * 3)).deltas[0] == 100


SEATS = (Seat(out=True, carried=9), Seat(carried=9), Seat(carried=9))


@pytest.mark.parametrize(
    ("preset", "changes", "reason", "path"),
    [
        ("huanle", {"landlord": 3}, "SEAT_OUT_OF_RANGE", "landlord"),
        ("huanle", {"landlord": -1}, "SEAT_OUT_OF_RANGE", "landlord"),
        ("huanle", {"seats": SEATS[:2]}, "VALUE_OUT_OF_RANGE", "seats"),
        ("huanle", {"seats": (Seat(), Seat(), Seat())}, "NO_WINNER", "seats"),
        ("huanle", {"seats": (Seat(out=True), Seat(), Seat(out=True))}, "TWO_WINNERS", "seats[2].out"),
        ("huanle", {"seats": FLED}, "CONTRADICTORY_FACTORS", "seats[1].fled"),
        ("four_wilds", {"seats": (Seat(fled=True), Seat(fled=True), Seat())}, "CONTRADICTORY_FACTORS", "seats[1].fled"),
        ("four_wilds", {"seats": (Seat(out=True), Seat(fled=True), Seat())}, "CONTRADICTORY_FACTORS", "seats[1].fled"),
        ("huanle", {"landlord_stuck": True}, "CONTRADICTORY_FACTORS", "landlord_stuck"),
        ("wuhan", {"bid": 1, "landlord_stuck": True}, "CONTRADICTORY_FACTORS", "landlord_stuck"),
        ("huanle", {"seats": (Seat(out=True, plays=3), Seat(), Seat())}, "CONTRADICTORY_FACTORS", "seats[1].plays"),
        (
            "huanle",
            {"seats": tuple(Seat(out=seat == 0, plays=0) for seat in range(3))},
            "CONTRADICTORY_FACTORS",
            "seats[0].plays",
        ),
        (
            "huanle",
            {"landlord": 1, "seats": (Seat(out=True, plays=3), Seat(plays=0), Seat(plays=1))},
            "CONTRADICTORY_FACTORS",
            "seats[1].plays",
        ),
        (
            "huanle",
            {"seats": (Seat(out=True, plays=21), Seat(plays=0), Seat(plays=1))},
            "VALUE_OUT_OF_RANGE",
            "seats[0].plays",
        ),
        (
            "tiandi",
            {"seats": (Seat(out=True, doubled=True), Seat(), Seat())},
            "CONTRADICTORY_FACTORS",
            "seats[0].doubled",
        ),
        (
            "tiandi",
            {"seats": (Seat(out=True, show="before_deal"), Seat(), Seat())},
            "CONTRADICTORY_FACTORS",
            "seats[0].show",
        ),
        (
            "huanle",
            {"seats": (Seat(out=True), Seat(show="after_bottom"), Seat())},
            "CONTRADICTORY_FACTORS",
            "seats[1].show",
        ),
        ("huanle", {"seats": (Seat(out=True), Seat(show="later"), Seat())}, "UNKNOWN_ENUM_VALUE", "seats[1].show"),  # type: ignore[arg-type]
        (
            "huanle",
            {"seats": (Seat(out=True), Seat(show_cards_dealt=3), Seat())},
            "CONTRADICTORY_FACTORS",
            "seats[1].show_cards_dealt",
        ),
        (
            "huanle",
            {"seats": (Seat(out=True), Seat(show_cards_dealt=18), Seat())},
            "VALUE_OUT_OF_RANGE",
            "seats[1].show_cards_dealt",
        ),
        ("huanle", {"seats": (Seat(out=True, carried=-1), Seat(), Seat())}, "VALUE_OUT_OF_RANGE", "seats[0].carried"),
        ("wuhan", {"bid": 1, "seats": (Seat(out=True), Seat(), Seat())}, "MISSING_FIELD", "seats[0].carried"),
        (
            "wuhan",
            {"bid": 1, "landlord": 2, "seats": (Seat(out=True, carried=1), Seat(), Seat())},
            "MISSING_FIELD",
            "seats[1].carried",
        ),
        ("wuhan", {}, "MISSING_FIELD", "bid"),
        ("wuhan", {"bid": 4}, "VALUE_OUT_OF_RANGE", "bid"),
        ("huanle", {"bid": 2}, "VALUE_OUT_OF_RANGE", "bid"),
        ("huanle", {"robs": 4}, "VALUE_OUT_OF_RANGE", "robs"),
        ("four_wilds", {"bid": 1, "robs": 1}, "CONTRADICTORY_FACTORS", "robs"),
        ("huanle", {"rate": 0}, "VALUE_OUT_OF_RANGE", "rate"),
        ("huanle", {"bombs": [Bomb("hard")] * 14}, "TOO_MANY_ITEMS", "bombs"),
        ("huanle", {"bombs": [Bomb("soft"), Bomb("huge")]}, "UNKNOWN_ENUM_VALUE", "bombs[1].tier"),  # type: ignore[arg-type]
        ("wuhan", {"bid": 1, "bombs": [Bomb("pure")]}, "CONTRADICTORY_FACTORS", "bombs[0].tier"),
        ("classic", {"bombs": [Bomb("soft")]}, "CONTRADICTORY_FACTORS", "bombs[0].tier"),
        ("huanle", {"bombs": [Bomb("chain", 8)]}, "CONTRADICTORY_FACTORS", "bombs[0].tier"),
        ("huanle", {"bombs": [Bomb("rocket"), Bomb("rocket")]}, "CONTRADICTORY_FACTORS", "bombs[1]"),
        ("huanle", {"bombs": [Bomb("soft", 5)]}, "CONTRADICTORY_FACTORS", "bombs[0].cards"),
        ("tiandi", {"bombs": [Bomb("hard", 5)]}, "CONTRADICTORY_FACTORS", "bombs[0].cards"),
        ("tiandi", {"bombs": [Bomb("soft", 8)] * 7}, "CONTRADICTORY_FACTORS", "bombs"),
        ("huanle", {"bombs": [Bomb("soft", seat=3)]}, "SEAT_OUT_OF_RANGE", "bombs[0].seat"),
        ("huanle", {"extras": [Extra("", 2)]}, "VALUE_OUT_OF_RANGE", "extras[0].name"),
        ("huanle", {"extras": [Extra("a\0\n", 2)]}, "VALUE_OUT_OF_RANGE", "extras[0].name"),
        ("huanle", {"extras": [Extra("x", 2), Extra("bomb.hard", 2)]}, "VALUE_OUT_OF_RANGE", "extras[1].name"),
        ("huanle", {"extras": [Extra("x", 0)]}, "VALUE_OUT_OF_RANGE", "extras[0].value"),
        ("huanle", {"extras": [Extra("x", Fraction(1, MAX_NUMBER + 1))]}, "VALUE_OUT_OF_RANGE", "extras[0].value"),
        ("huanle", {"extras": [Extra("x", 2)] * 17}, "TOO_MANY_ITEMS", "extras"),
        ("honghu", {}, "WRONG_GAME", "rules"),
    ],
)
def test_bad_input(preset: str, changes: dict[str, Any], reason: str, path: str) -> None:
    with pytest.raises(errors.RequestError) as caught:
        settle(rules.load(preset), Game(**{"landlord": 0, "seats": SEATS, **changes}))
    assert (caught.value.reason, caught.value.path) == (reason, path)


RULE_SETS = [
    *(rules.load(name) for name in rules.presets("doudizhu")),
    rules.load("huanle", {"score.rounding": "nearest", "score.spring.farmers": "3/2"}),
    rules.load("wuhan", {"score.rounding": "floor", "show": {"start": "7/2"}, "double": {"gate": "none"}}),
    rules.load("wuhan", {"score.rounding": "nearest", "score.bomb.cap": 5}),
    rules.load("tiandi", {"score.bomb.by_size": {"6": 3, "6.soft": "5/2", "8": 8}, "score.bomb.mixed": 5}),
    rules.load("huanle", {"bomb.chain": 2, "bomb.order": [["chain"], ["rocket"], ["hard", "soft", "pure"]]}),
    rules.load("four_wilds", {"score.base": "one", "double": {}, "settle.stuck_wild": "landlord_loses"}),
]


def random_game(rule_set: rules.RuleSet, rng: Any) -> dict[str, Any]:
    options = rule_set.options()
    landlord = rng.randrange(3)
    tiers = [tier for tiers in options["bomb.order"] for tier in tiers if tier != "rocket"]
    if options["wild.mixed_bomb"]:
        tiers.append("mixed")
    if options["wild.source"] == "none":
        tiers = ["hard"]
    bombs = []
    for _ in range(rng.randrange(5)):
        tier = rng.choice(tiers)
        cards = rng.randrange(4, options["bomb.size.max"] + 1) if tier in ("soft", "pure", "mixed") else 4
        bombs.append((tier, 8 if tier == "chain" else cards))
    if rng.random() < 0.3:
        bombs.append(("rocket", 2))
    ends = [("out", rng.randrange(3))]
    if options["settle.flee"] != "off":
        ends.append(("fled", rng.randrange(3)))
    if options["settle.stuck_wild"] != "off":
        ends.append(("stuck", True))
    end = rng.choice(ends)
    moments = [None, ("before_deal", 0), ("during_deal", rng.randrange(18))]
    shows = [rng.choice(moments) if options["show"] == "on" else None for _ in range(3)]
    if options["show"] == "on" and rng.random() < 0.2:
        shows[landlord] = ("after_bottom", 0)
    plays = [rng.randrange(3) for _ in range(3)]
    plays[landlord] += 1
    if end[0] == "out":
        plays[end[1]] += 1
    return {
        "landlord": landlord,
        "bid": rng.randrange(1, 4) if options["score.base"] == "bid" else 0,
        "robs": rng.randrange(4) if options["auction.mode"] != "points" else 0,
        "rate": rng.choice([1, 1, 100]),
        "bombs": bombs,
        "extras": rng.choice([[], [2], [Fraction(3, 2), 3]]),
        "doubled": [options["double"] == "on" and rng.random() < 0.4 for _ in range(3)],
        "shows": shows,
        "plays": plays if rng.random() < 0.7 else None,
        "carried": [rng.choice([0, 7, 100, 10**6]) for _ in range(3)],
        end[0]: end[1],
    }


def record(game: dict[str, Any]) -> Game:
    seats = [
        Seat(
            out=game.get("out") == seat,
            plays=game["plays"][seat] if game["plays"] else None,
            doubled=game["doubled"][seat],
            show=game["shows"][seat][0] if game["shows"][seat] else None,
            show_cards_dealt=game["shows"][seat][1] if game["shows"][seat] else 0,
            carried=game["carried"][seat],
            fled=game.get("fled") == seat,
        )
        for seat in range(3)
    ]
    return Game(
        game["landlord"],
        seats,
        game["bid"],
        game["robs"],
        [Bomb(tier, cards) for tier, cards in game["bombs"]],
        game.get("stuck", False),
        game["rate"],
        [Extra("extra", value) for value in game["extras"]],
    )


@pytest.mark.parametrize("rule_set", RULE_SETS, ids=lambda rule_set: f"{rule_set.name}-{rule_set.digest}")
def test_random_games_pay_what_the_rules_tell(rule_set: rules.RuleSet, rng: Any, samples: Any) -> None:
    for _ in range(samples(200)):
        game = random_game(rule_set, rng)
        settlement = settle(rule_set, record(game))
        assert list(settlement.deltas) == oracle.doudizhu(rule_set.options(), game), game
        assert sum(settlement.deltas) == 0
        assert settlement.deltas == totals(settlement.payments, 3)
        for payment in settlement.payments:
            assert replay(payment.factors) == payment.amount >= 0
            amount = Fraction(0)
            for factor in payment.factors:
                amount = apply(amount, factor.operation, factor.operand)
                assert factor.result == amount


@pytest.mark.parametrize(
    ("amount", "floor", "nearest"),
    [("5/2", 2, 3), ("-5/2", -2, -3), ("7/3", 2, 2), ("-7/3", -2, -2), ("3", 3, 3), ("0", 0, 0), ("1/2", 0, 1)],
)
def test_rounding(amount: str, floor: int, nearest: int) -> None:
    assert apply(Fraction(amount), Operation.FLOOR, None) == floor
    assert apply(Fraction(amount), Operation.ROUND, None) == nearest


def test_steps_that_decide_nothing_are_left_out() -> None:
    steps = Steps()
    steps.set("base", 5, text="", text_zh="")
    steps.multiply("one", 1, text="", text_zh="")
    steps.cap("cap", 5, text="", text_zh="")
    steps.round("nearest")
    assert [factor.name for factor in steps.factors] == ["base"]
    steps.add("more", Fraction(1, 2), text="", text_zh="")
    steps.cap("cap", 5, text="", text_zh="")
    assert [factor.name for factor in steps.factors] == ["base", "more", "cap"]
    assert steps.amount == replay(steps.factors) == 5


def test_any_record_is_settled_to_zero_or_refused_with_a_path(rng: Any, samples: Any) -> None:
    settled = 0
    numbers = [-(10**30), -1, 0, 1, 2, 3, 4, 17, 21, 10**30, None]
    for _ in range(samples(3000)):
        rule_set = rng.choice(RULE_SETS)
        game = record(random_game(rule_set, rng))
        for _ in range(rng.randrange(3)):
            if rng.random() < 0.5:
                seats = list(game.seats)
                index = rng.randrange(3)
                change = rng.choice(
                    [
                        {"out": rng.random() < 0.5},
                        {"fled": rng.random() < 0.5},
                        {"doubled": True},
                        {"show": rng.choice(["before_deal", "during_deal", "after_bottom", "never"])},
                        {"plays": rng.choice(numbers)},
                        {"carried": rng.choice(numbers)},
                        {"show_cards_dealt": rng.choice(numbers[:-1])},
                    ]
                )
                seats[index] = replace(seats[index], **change)
                game = replace(game, seats=seats)
            else:
                field = rng.choice(["landlord", "bid", "robs", "rate"])
                game = replace(game, **{field: rng.choice(numbers[:-1])})
        try:
            settlement = settle(rule_set, game)
        except errors.RequestError as error:
            refused = error
        else:
            settled += 1
            assert sum(settlement.deltas) == 0
            continue
        assert refused.path
        assert refused.message
    assert settled


def test_the_auction_and_the_settlement_count_robs_and_shows_alike(rng: Any, samples: Any) -> None:
    huanle = rules.load("huanle", {"double": "off", "show.start": "7/2"})
    actions = {"before_deal": Action.SHOW_BEFORE_DEAL, "during_deal": Action.SHOW_DURING_DEAL}
    for _ in range(samples(100)):
        shows: list[Any] = [
            rng.choice([None, ("before_deal", 0), ("during_deal", rng.randrange(18))]) for _ in range(3)
        ]
        events = [
            Event(seat, actions[show[0]], cards_dealt=show[1])
            for moment in actions
            for seat, show in enumerate(shows)
            if show and show[0] == moment
        ]
        auction = resolve(huanle, events, first_seat=0)
        while auction.actors and any(actor.must_act for actor in auction.actors):
            actor = next(actor for actor in auction.actors if actor.must_act)
            choices = [choice for choice in actor.choices if "SHOW" not in choice.action]
            events.append(Event(actor.seat, rng.choice(choices).action))
            auction = resolve(huanle, events, first_seat=0)
        if auction.landlord is None:
            continue
        seats = [
            Seat(out=seat == 0, show=show[0] if show else None, show_cards_dealt=show[1] if show else 0)
            for seat, show in enumerate(shows)
        ]
        settlement = settle(huanle, Game(auction.landlord, seats, robs=auction.robs))
        assert settlement.multiplier == auction.multiplier
