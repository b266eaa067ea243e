"""Auctions: the handed vectors, the rules one by one, and random auctions against an independent telling."""

from fractions import Fraction
from typing import Any

import pytest

from laizi import errors, rules
from laizi.auction import (
    MAX_EVENTS,
    Action,
    Auction,
    Event,
    Phase,
    Status,
    may_double,
    resolve,
)
from laizi.settlement.factors import replay
from tests import doudizhu_vectors as vectors
from tests.oracle import auction as oracle

RICH = (1000, 1000, 1000)
WORDS = {
    "pass": Action.PASS,
    "rob": Action.ROB,
    "norob": Action.DECLINE_ROB,
    "call": Action.CALL,
    "timeout": Action.TIMEOUT,
}
SHOWS = {
    "start": (Action.SHOW_BEFORE_DEAL, 0),
    "deal_early": (Action.SHOW_DURING_DEAL, 5),
    "deal_late": (Action.SHOW_DURING_DEAL, 14),
    "after_bottom": (Action.SHOW_AFTER_BOTTOM, 0),
}


def happy(events: list[Event], **inputs: Any) -> Auction:
    return resolve(rules.load("huanle"), events, **{"first_seat": 0, "beans": RICH, **inputs})


def events_of(vector: vectors.Vector) -> list[Event]:
    shows = [
        Event(seat, *SHOWS[when][:1], cards_dealt=SHOWS[when][1]) for seat, when in vector["input"].get("show", [])
    ]
    calls = [
        Event(seat, Action.BID, points=int(word)) if word.isdigit() else Event(seat, WORDS[word])
        for seat, word in vector["input"]["events"]
    ]
    late = [show for show in shows if show.action is Action.SHOW_AFTER_BOTTOM]
    return [*(show for show in shows if show not in late), *calls, *late]


@pytest.mark.parametrize("vector", vectors.params("auction"))
def test_vector(vector: vectors.Vector) -> None:
    given, expect = vector["input"], vector["expect"]
    rocket = given.get("holds_rocket", [None])[0]
    rule_set = vectors.ruleset(vector)
    auction = resolve(rule_set, events_of(vector), first_seat=given["start"], rocket_seat=rocket, beans=RICH)
    if expect["status"] == "illegal":
        assert auction.status is Status.ILLEGAL
        assert auction.illegal
        assert auction.illegal.reason.lower() == expect["reason"]
        assert auction.illegal.index == len(given["events"]) - 1
        return
    if expect["status"] == "done":
        # The vector's auction ends with the landlord; doubling, where the rules have it, comes after.
        assert auction.phase in (Phase.DOUBLE, Phase.OVER)
        assert auction.status is (Status.OPEN if auction.phase is Phase.DOUBLE else Status.DONE)
    else:
        assert auction.status.lower() == expect["status"]
    assert auction.forced == expect.get("forced", auction.forced)
    assert auction.landlord == expect.get("landlord", auction.landlord)
    assert auction.base == expect.get("base", auction.base)
    assert auction.multiplier == expect.get("multiplier", auction.multiplier)
    if "phase" in expect:
        assert auction.phase.lower() == expect["phase"]
        assert auction.provisional == expect["provisional"]
        assert [actor.seat for actor in auction.actors if actor.must_act] == [expect["actor"]]


CLAUSES: dict[str, Any] = {
    # (preset, events, inputs) → what it shows
    "D1-10": ("points_rob", [(0, "3")], {}, lambda a: (a.landlord, a.provisional) == (None, 0)),
    "D1-12": ("points_rob", [(0, "timeout"), (1, "1")], {}, lambda a: a.actors[0].seat == 2 and a.base == 1),
    "D1-13": ("points_rob", [(0, "3")], {}, lambda a: a.actors[0].seat == 1 and a.phase is Phase.ROB),
    "D1-15": ("points_rob", [(0, "3"), (1, "norob"), (2, "norob")], {}, lambda a: a.landlord == 0),
    "D6-08": ("huanle", [(0, "pass"), (1, "pass"), (2, "pass")], {}, lambda a: a.status is Status.REDEAL),
    "D6-09": ("huanle", [], {"first_seat": 2}, lambda a: a.actors[0].seat == 2),
    "D6-10": (
        "huanle",
        [(1, "start"), (2, "deal_early")],
        {},
        lambda a: a.actors[0].seat == 1 and a.actors[0].must_act,
    ),
    "D6-16": ("huanle", [(1, "start")], {}, lambda a: a.multiplier == 5),
    "D6-21": ("huanle", [(0, "call"), (1, "norob"), (2, "norob")], {}, lambda a: a.phase is Phase.DOUBLE),
    "D6-22": (
        "huanle",
        [(0, "call"), (1, "norob"), (2, "norob"), (0, "timeout"), (2, "timeout"), (1, "timeout")],
        {},
        lambda a: a.status is Status.DONE and a.doubled == (False, False, False),
    ),
}


@pytest.mark.parametrize("clause", CLAUSES)
def test_clause(clause: str) -> None:
    preset, words, inputs, holds = CLAUSES[clause]
    events = []
    for seat, word in words:
        action, dealt = SHOWS.get(word, (WORDS.get(word, Action.BID), 0))
        events.append(Event(seat, action, points=int(word) if word.isdigit() else 0, cards_dealt=dealt))
    assert holds(resolve(rules.load(preset), events, **{"first_seat": 0, "beans": RICH, **inputs}))


def test_an_illegal_event_leaves_what_came_before_it_and_names_the_clause() -> None:
    auction = resolve(
        rules.load("points_rob"),
        [Event(0, Action.BID, 2), Event(1, Action.BID, 1), Event(2, Action.PASS)],
        first_seat=0,
    )
    assert auction.status is Status.ILLEGAL
    assert (auction.base, auction.phase, auction.actors) == (2, Phase.CALL, ())
    assert auction.illegal
    assert (auction.illegal.index, auction.illegal.clauses) == (1, ("D1-07",))


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([Event(1, Action.CALL)], "NOT_ACTOR"),
        ([Event(0, Action.ROB)], "BAD_ACTION"),
        ([Event(0, Action.BID, 1)], "BAD_ACTION"),
        ([Event(0, Action.DOUBLE)], "DOUBLE_NOT_OFFERED"),
        ([Event(0, Action.CALL), Event(1, Action.SHOW_BEFORE_DEAL)], "SHOW_NOT_OFFERED"),
        ([Event(1, Action.SHOW_DURING_DEAL), Event(2, Action.SHOW_BEFORE_DEAL)], "SHOW_NOT_OFFERED"),
        ([Event(1, Action.SHOW_DURING_DEAL), Event(1, Action.SHOW_DURING_DEAL)], "SHOW_NOT_OFFERED"),
        ([Event(1, Action.SHOW_AFTER_BOTTOM)], "SHOW_NOT_OFFERED"),
        ([*[Event(seat, Action.PASS) for seat in range(3)], Event(0, Action.PASS)], "AUCTION_OVER"),
        ([*[Event(seat, Action.PASS) for seat in range(3)], Event(0, Action.SHOW_BEFORE_DEAL)], "SHOW_NOT_OFFERED"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(event.action for event in value),
)
def test_refusals(events: list[Event], reason: str) -> None:
    auction = happy(events)
    assert auction.illegal
    assert auction.illegal.reason == reason
    assert auction.illegal.index == len(events) - 1


CALLED = [Event(0, Action.CALL), Event(1, Action.DECLINE_ROB), Event(2, Action.DECLINE_ROB)]


@pytest.mark.parametrize(
    ("beans", "event", "reason"),
    [
        (RICH, Event(1, Action.SHOW_AFTER_BOTTOM), "SHOW_LANDLORD_ONLY"),
        (RICH, Event(1, Action.ROB), "AUCTION_OVER"),
        ((500, 1000, 1000), Event(1, Action.DOUBLE), "DOUBLE_BELOW_GATE"),
        ((1000, 1000, 500), Event(0, Action.DOUBLE), "DOUBLE_BELOW_GATE"),
        ((1000, 1000, 500), Event(2, Action.DOUBLE), "DOUBLE_BELOW_GATE"),
        ((1000, 1000, 500), Event(1, Action.DOUBLE), None),
        ((501, 501, 501), Event(0, Action.DOUBLE), None),
    ],
)
def test_refusals_after_the_calls(beans: tuple[int, int, int], event: Event, reason: str | None) -> None:
    auction = happy([*CALLED, event], beans=beans, room_value=500)
    assert (auction.illegal.reason if auction.illegal else None) == reason


def test_a_seat_answers_once_whether_it_doubles() -> None:
    auction = happy([*CALLED, Event(1, Action.DOUBLE), Event(1, Action.DECLINE_DOUBLE)])
    assert auction.illegal
    assert auction.illegal.reason == "DOUBLE_ALREADY_ANSWERED"
    assert auction.doubled == (False, True, False)


def test_seats_below_the_gate_are_not_waited_for() -> None:
    assert happy(CALLED, beans=(0, 9, 9)).status is Status.DONE
    auction = happy(CALLED, beans=(9, 0, 9))
    assert [actor.seat for actor in auction.actors if actor.must_act] == [2]


def test_a_landlord_may_show_until_he_leads() -> None:
    auction = happy([*CALLED, *[Event(seat, Action.DECLINE_DOUBLE) for seat in (1, 2, 0)]])
    assert auction.status is Status.DONE
    assert [(actor.seat, actor.must_act, [choice.action for choice in actor.choices]) for actor in auction.actors] == [
        (0, False, [Action.SHOW_AFTER_BOTTOM])
    ]


def test_a_holder_of_the_rocket_who_runs_out_of_time_bids_the_maximum() -> None:
    wuhan = rules.load("wuhan")
    open_auction = resolve(wuhan, [Event(1, Action.PASS)], first_seat=1, rocket_seat=2)
    assert [(choice.action, choice.points) for choice in open_auction.actors[0].choices] == [(Action.BID, (3,))]
    auction = resolve(wuhan, [Event(1, Action.PASS), Event(2, Action.TIMEOUT)], first_seat=1, rocket_seat=2)
    assert (auction.status, auction.landlord, auction.base) == (Status.DONE, 2, 3)


def test_a_landlord_told_by_the_caller() -> None:
    auction = resolve(rules.load("tiandi"), [], first_seat=0, external_landlord=2, external_base=3)
    assert (auction.status, auction.landlord, auction.base) == (Status.DONE, 2, 3)
    illegal = resolve(rules.load("tiandi"), [Event(0, Action.CALL)], first_seat=0, external_landlord=2)
    assert illegal.illegal
    assert illegal.illegal.reason == "AUCTION_OVER"


@pytest.mark.parametrize(
    ("preset", "events", "inputs", "reason", "path"),
    [
        ("huanle", [], {"first_seat": 3}, "SEAT_OUT_OF_RANGE", "first_seat"),
        ("huanle", [], {"rocket_seat": -1}, "SEAT_OUT_OF_RANGE", "rocket_seat"),
        ("huanle", [Event(7, Action.CALL)], {}, "SEAT_OUT_OF_RANGE", "events[0].seat"),
        ("huanle", [Event(0, "CALLING")], {}, "UNKNOWN_ENUM_VALUE", "events[0].action"),  # type: ignore[arg-type]
        ("huanle", [Event(0, Action.CALL, points=2)], {}, "CONTRADICTORY_FIELDS", "events[0].points"),
        ("huanle", [Event(0, Action.CALL, cards_dealt=2)], {}, "CONTRADICTORY_FIELDS", "events[0].cards_dealt"),
        (
            "huanle",
            [Event(0, Action.SHOW_DURING_DEAL, cards_dealt=18)],
            {},
            "VALUE_OUT_OF_RANGE",
            "events[0].cards_dealt",
        ),
        ("huanle", [Event(0, Action.PASS)] * (MAX_EVENTS + 1), {}, "TOO_MANY_ITEMS", "events"),
        ("huanle", CALLED, {"beans": ()}, "MISSING_FIELD", "beans"),
        ("huanle", [], {"beans": (1, 2)}, "VALUE_OUT_OF_RANGE", "beans"),
        ("huanle", [], {"beans": (1, 2, -1)}, "VALUE_OUT_OF_RANGE", "beans[2]"),
        ("huanle", [], {"room_value": -1}, "VALUE_OUT_OF_RANGE", "room_value"),
        ("huanle", [], {"external_landlord": 1}, "CONTRADICTORY_FIELDS", "external_landlord"),
        ("huanle", [], {"external_base": 1}, "CONTRADICTORY_FIELDS", "external_base"),
        ("tiandi", [], {}, "MISSING_FIELD", "external_landlord"),
        ("tiandi", [], {"external_landlord": 3}, "SEAT_OUT_OF_RANGE", "external_landlord"),
        ("tiandi", [], {"external_landlord": 1, "external_base": 0}, "VALUE_OUT_OF_RANGE", "external_base"),
        ("honghu", [], {}, "WRONG_GAME", "rules"),
    ],
)
def test_bad_input(preset: str, events: list[Event], inputs: dict[str, Any], reason: str, path: str) -> None:
    with pytest.raises(errors.RequestError) as caught:
        resolve(rules.load(preset), events, **{"first_seat": 0, "beans": RICH, **inputs})
    assert (caught.value.reason, caught.value.path) == (reason, path)


def test_the_gate_of_doubling_is_strict() -> None:
    huanle = rules.load("huanle").rules
    assert isinstance(huanle, rules.DoudizhuRules)
    assert not may_double(huanle, (500, 501, 501), 500, landlord=0, seat=0)
    assert may_double(huanle, (501, 501, 501), 500, landlord=0, seat=0)
    open_gate = rules.load("huanle", {"double.gate": "none"}).rules
    assert isinstance(open_gate, rules.DoudizhuRules)
    assert may_double(open_gate, (), 0, landlord=0, seat=1)


MODES = [
    rules.load("points_rob"),
    rules.load("four_wilds"),
    rules.load("wuhan"),
    rules.load("huanle"),
    rules.load("huanle", {"double": "off"}),
    rules.load("huanle", {"auction.caller_may_rob": False, "auction.passed_may_rob": True}),
    rules.load("points_rob", {"auction.passed_may_rob": False, "auction.must_rise": False}),
]


@pytest.mark.parametrize("rule_set", MODES, ids=lambda rule_set: f"{rule_set.name}-{rule_set.digest}")
def test_random_intentions_end_as_the_rules_tell(rule_set: rules.RuleSet, rng: Any, samples: Any) -> None:
    for _ in range(samples(300)):
        intents = [oracle.Intent(rng.choice([0, 0, 1, 2, 3]), rng.random() < 0.5) for _ in range(3)]
        first = rng.randrange(3)
        shower = rng.randrange(3) if rule_set.options()["show"] == "on" and rng.random() < 0.5 else None
        story = oracle.tell(rule_set.options(), first, intents, shower)
        events = [Event(shower, Action.SHOW_BEFORE_DEAL)] if shower is not None else []
        events += [Event(seat, Action(action), points) for seat, action, points in story.events]
        auction = resolve(rule_set, events, first_seat=first, beans=RICH)
        assert auction.illegal is None, events
        assert auction.landlord == story.landlord, events
        assert (auction.status is Status.REDEAL) == (story.landlord is None)
        assert auction.robs == story.robs
        assert auction.multiplier == Fraction(2) ** story.robs * (5 if shower is not None else 1)
        if story.landlord is not None:
            assert (auction.base, auction.forced) == (story.base, story.forced)


@pytest.mark.parametrize("rule_set", MODES, ids=lambda rule_set: f"{rule_set.name}-{rule_set.digest}")
def test_exactly_what_is_offered_is_accepted(rule_set: rules.RuleSet, rng: Any, samples: Any) -> None:
    for _ in range(samples(20)):
        inputs = {
            "first_seat": rng.randrange(3),
            "rocket_seat": rng.choice([None, 0, 1, 2]),
            "beans": [rng.choice([1, 3]) for _ in range(3)],
            "room_value": 2,
        }
        events: list[Event] = []
        for _ in range(30):
            auction = resolve(rule_set, events, **inputs)
            assert replay(auction.factors) == auction.multiplier
            offered = {
                (actor.seat, choice.action, points)
                for actor in auction.actors
                for choice in actor.choices
                for points in choice.points or (0,)
            }
            assert bool(offered) or auction.status is not Status.OPEN
            for seat in range(3):
                for action in Action:
                    for points in range(5) if action is Action.BID else (0,):
                        after = resolve(rule_set, [*events, Event(seat, action, points)], **inputs)
                        if action is Action.TIMEOUT:
                            waited_for = any(actor.must_act and actor.seat == seat for actor in auction.actors)
                            assert (after.illegal is None) >= waited_for
                        elif action is not Action.DECLINE_DOUBLE:
                            # Who is below the gate may still say that he does not double.
                            assert (after.illegal is None) == ((seat, action, points) in offered)
            if not offered:
                break
            seat, action, points = rng.choice(sorted(offered))
            events.append(Event(seat, action, points))


@pytest.mark.parametrize("rule_set", MODES, ids=lambda rule_set: f"{rule_set.name}-{rule_set.digest}")
def test_any_list_of_events_has_an_answer(rule_set: rules.RuleSet, rng: Any, samples: Any) -> None:
    for _ in range(samples(200)):
        events = [
            Event(rng.randrange(3), action, rng.randrange(-1, 6) if action is Action.BID else 0)
            for action in rng.choices(list(Action), k=rng.randrange(8))
        ]
        auction = resolve(rule_set, events, first_seat=rng.randrange(3), beans=RICH)
        assert (auction.illegal is None) == (auction.status is not Status.ILLEGAL)
