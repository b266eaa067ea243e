"""Whole games of Dou Dizhu under every preset, from the deal to the bill, by random legal choices.

At each step what is listed is accepted, and cards that are not listed are refused.
"""

import functools
from collections import Counter
from typing import Any

import pytest

from laizi import game, rules, wilds
from laizi.auction import Event, Status, resolve
from laizi.cards import CODES, Cards
from laizi.doudizhu import Evaluator, PlayType, Reading
from laizi.settlement.doudizhu import Bomb, Game, Seat, settle
from laizi.settlement.factors import replay
from tests.oracle import settlement as oracle

GAMES = 130
"""Games of each of the eight presets: more than a thousand in all."""


@functools.cache
def evaluator(preset: str, ranks: str, cards: str) -> Evaluator:
    return Evaluator(rules.load(preset), ranks, cards)


def auction(rule_set: rules.RuleSet, first: int, rocket: int | None, rng: Any) -> Any:
    """Random legal choices until nobody has to act."""
    events: list[Event] = []
    external = rule_set.options()["auction.mode"] == "external"
    inputs: dict[str, Any] = {
        "first_seat": first,
        "rocket_seat": rocket,
        "beans": [rng.choice([1, 3]) for _ in range(3)],
        "room_value": 2,
        "external_landlord": rng.randrange(3) if external else None,
    }
    while True:
        state = resolve(rule_set, events, **inputs)
        assert state.illegal is None
        if state.status is not Status.OPEN:
            return state, events
        options = [(actor.seat, choice) for actor in state.actors for choice in actor.choices]
        seat, choice = rng.choice(options)
        dealt = rng.randrange(1, 18) if choice.action == "SHOW_DURING_DEAL" else 0
        events.append(Event(seat, choice.action, rng.choice(choice.points or (0,)), dealt))


def determine(rule_set: rules.RuleSet, bottom: bytes, rng: Any) -> wilds.WildCards:
    match rule_set.options()["wild.source"]:
        case "none":
            return wilds.determine_cards(rule_set)
        case "random_rank":
            return wilds.determine_cards(rule_set, drawn_ranks=[rng.randrange(13)])
        case "two_random_ranks":
            return wilds.determine_cards(rule_set, drawn_ranks=rng.sample(range(13), 2))
        case "indicator_next":
            return wilds.determine_cards(rule_set, bottom=bottom)
        case _:
            return wilds.determine_cards(rule_set, chosen=rng.choice(["7h 7d", "X Y"]))


def check_refusals(judge: Evaluator, hand: Cards, previous: Reading | None, listed: Any, rng: Any) -> None:
    """Random cards of the hand are legal exactly when a listed play has their reading."""
    codes = list(hand.codes())
    played = Cards.from_codes(bytes(rng.sample(codes, rng.randrange(1, min(len(codes), 6) + 1))))
    answer = judge.read_play(played, hand=hand, previous=previous)
    readings = {play.reading for play in listed.plays}
    if previous is None:
        assert set(answer.readings) <= readings
    else:
        assert set(answer.beating) <= readings
    assert answer.legal == bool(answer.readings if previous is None else answer.beating)


def play(judge: Evaluator, rule_set: rules.RuleSet, landlord: int, hands: list[Cards], rng: Any) -> dict[str, Any]:
    """Random play to the end: how it ended, how often each seat played, and the bombs."""
    seat, leader = landlord, landlord
    previous: Reading | None = None
    plays = [0, 0, 0]
    bombs: list[tuple[str, int]] = []
    wild_ranks = judge.wilds.ranks
    for _ in range(500):
        if previous is not None and seat == leader:
            previous = None
        verdict = game.stuck(rule_set, hands[seat], wild_ranks, is_landlord=seat == landlord)
        if verdict == "landlord_loses":
            return {"stuck": True, "plays": plays, "bombs": bombs}
        listed = judge.list_plays(hands[seat], previous)
        assert listed.total == len(listed.plays)
        assert (verdict == "must_pass") <= (listed.total == 0)
        if previous is not None:
            assert judge.can_beat(previous, hands[seat]) == bool(listed.plays)
        if rng.random() < 0.3:
            check_refusals(judge, hands[seat], previous, listed, rng)
        if not listed.plays and previous is None:
            # Only who holds nothing that may be played passes on the lead.
            assert verdict == "must_pass"
            leader = (seat + 1) % 3
        elif listed.plays and (game.may_pass(leads=previous is None) is False or rng.random() < 0.7):
            chosen = rng.choice(listed.plays)
            answer = judge.read_play(chosen.cards, hand=hands[seat], previous=previous, declared=chosen.reading)
            assert answer.legal, (chosen, answer.refusals)
            assert answer.default == chosen.reading
            if chosen.reading.type in (PlayType.BOMB, PlayType.ROCKET):
                tier = chosen.reading.tier or "rocket"
                bombs.append((str(tier), 2 if tier == "rocket" else chosen.reading.size))
            plays[seat] += 1
            previous, leader = chosen.reading, seat
            hands[seat] = hands[seat].without(chosen.cards)
            if game.winner(landlord, [len(hand) for hand in hands]):
                return {"out": seat, "plays": plays, "bombs": bombs}
        seat = (seat + 1) % 3
    pytest.fail("the game does not end")


@pytest.mark.parametrize("preset", rules.presets("doudizhu"))
def test_games_from_deal_to_bill(preset: str, rng: Any, samples: Any) -> None:
    rule_set = rules.load(preset)
    ends: Counter[str] = Counter()
    for _ in range(samples(GAMES)):
        deck = sorted(CODES)
        rng.shuffle(deck)
        first = rng.randrange(3)
        dealt, bottom = game.deal(deck, first)
        rocket = next((seat for seat, hand in enumerate(dealt) if {0x4E, 0x4F} <= set(hand)), None)
        state, events = auction(rule_set, first, rocket, rng)
        if state.status is Status.REDEAL:
            ends["redeal"] += 1
            continue
        landlord = state.landlord
        wild = determine(rule_set, bytes(bottom), rng)
        hands = [
            Cards.from_codes(bytes((*hand, *bottom) if seat == landlord else hand)) for seat, hand in enumerate(dealt)
        ]
        ended = play(evaluator(preset, wild.ranks, wild.cards), rule_set, landlord, hands, rng)
        moments: dict[str, Any] = {
            "SHOW_BEFORE_DEAL": "before_deal",
            "SHOW_DURING_DEAL": "during_deal",
            "SHOW_AFTER_BOTTOM": "after_bottom",
        }
        shows = {event.seat: (moments[event.action], event.cards_dealt) for event in events if event.action in moments}
        bid = state.base if rule_set.options()["score.base"] == "bid" else 0
        carried = [rng.randrange(1000) for _ in range(3)]
        seats = [
            Seat(
                out=ended.get("out") == seat,
                plays=ended["plays"][seat],
                doubled=state.doubled[seat],
                show=shows[seat][0] if seat in shows else None,
                show_cards_dealt=shows[seat][1] if seat in shows else 0,
                carried=carried[seat],
            )
            for seat in range(3)
        ]
        bombs = [Bomb(tier, cards) for tier, cards in ended["bombs"]]
        stuck = ended.get("stuck", False)
        settlement = settle(rule_set, Game(landlord, seats, bid, state.robs, bombs, stuck))
        told = {
            **ended,
            "landlord": landlord,
            "bid": bid,
            "robs": state.robs,
            "rate": 1,
            "extras": [],
            "doubled": list(state.doubled),
            "shows": [shows.get(seat) for seat in range(3)],
            "carried": carried,
        }
        assert list(settlement.deltas) == oracle.doudizhu(rule_set.options(), told)
        assert sum(settlement.deltas) == 0
        assert settlement.landlord_won == (ended.get("out") == landlord)
        assert all(replay(payment.factors) == payment.amount for payment in settlement.payments)
        ends["landlord" if settlement.landlord_won else "farmers"] += 1
    assert ends["landlord"]
    assert ends["farmers"]
