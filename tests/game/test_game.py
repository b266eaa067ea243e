"""The frame of a game of Dou Dizhu: the handed vectors of deal and legality that concern no single play."""

import pytest

from laizi import cards, errors, game, rules
from laizi.auction import may_double
from laizi.settlement.doudizhu import show_factor
from tests import doudizhu_vectors as vectors


@pytest.mark.parametrize("vector", vectors.params("deal"))
def test_deal(vector: vectors.Vector) -> None:
    given, expect = vector["input"], vector["expect"]
    deck = list(range(54))
    hands, bottom = game.deal(deck, first_seat=1)
    assert [len(hand) for hand in hands] == expect["hands"]
    assert len(bottom) == expect["bottom"]
    assert sorted([*bottom, *(card for hand in hands for card in hand)]) == deck
    if "face_up_position" in given:
        for first in range(3):
            hands, _ = game.deal(deck, first)
            holder = game.holder_of(given["face_up_position"], first)
            assert holder is not None
            assert given["face_up_position"] in hands[holder]
    if not expect.get("bottom_visible_before_landlord", True):
        phases = game.phases(vectors.ruleset(vector))
        assert phases.index("bottom") > phases.index("rob") > phases.index("call") > phases.index("deal")


LEGALITY = [vector for vector in vectors.params("legality") if "cards" not in vector.values[0]["input"]]


@pytest.mark.parametrize("vector", LEGALITY)
def test_legality(vector: vectors.Vector) -> None:
    given, expect = vector["input"], vector["expect"]
    rule_set = vectors.ruleset(vector)
    assert isinstance(rule_set.rules, rules.DoudizhuRules)
    if given.get("game") == "phases":
        found = game.phases(rule_set)
        assert [phase for phase in found if phase in expect["order"]] == expect["order"]
        assert set(found) - set(expect["order"]) <= {"reveal_wild"}
    elif "first_to_play" in expect:
        assert game.order_of_play(given["landlord"]) == tuple(expect["order"])
    elif given.get("action") == "double":
        beans, room = given["beans"], given["threshold"]
        allowed = may_double(rule_set.rules, beans, room, given["landlord"], given["seat"])
        assert allowed == expect["allowed"]
    elif "cards_left" in given:
        assert game.winner(given["landlord"], given["cards_left"]) == expect["winner"]
        assert expect["over"]
    elif given.get("play") == "pass":
        assert game.may_pass(leads=given["prior"] is None) == expect["allowed"]
    elif given.get("query") == "show kinds":
        early, late = (show_factor(rule_set.rules, "during_deal", dealt)[0] for dealt in (1, 17))
        start, after = (show_factor(rule_set.rules, when)[0] for when in ("before_deal", "after_bottom"))
        assert [start, [early, late], after] == expect["factors"]
    elif "hand" in given and "wild" in given:
        hand = cards.read(given["hand"])
        is_landlord = given["seat"] == "landlord"
        verdict = game.stuck(rule_set, hand, cards.ranks_of(given["wild"]), is_landlord=is_landlord)
        assert verdict == expect.get("result")
        assert (verdict is None) == expect["playable"]
    else:
        pytest.fail(f"nothing runs this vector: {vector}")


def test_nobody_is_stuck_where_wilds_may_be_played() -> None:
    hand = cards.read("66")
    assert game.stuck(rules.load("huanle"), hand, cards.ranks_of("6"), is_landlord=True) is None
    plays_on = rules.load("wuhan", {"settle.stuck_wild": "off"})
    assert game.stuck(plays_on, hand, cards.ranks_of("6"), is_landlord=True) == "must_pass"


def test_a_card_that_stays_in_the_bottom_has_no_holder() -> None:
    assert [game.holder_of(position) for position in (0, 1, 2, 3, 50, 51, 53)] == [0, 1, 2, 0, 2, None, None]


def test_phases_follow_the_options() -> None:
    assert game.phases(rules.load("chosen_wilds")) == ("choose_wild", "deal", "bid", "bottom", "play")
    assert game.phases(rules.load("classic")) == ("show_start", "deal", "call", "rob", "bottom", "double", "play")
    tiandi = game.phases(rules.load("tiandi"))
    assert tiandi == ("deal", "reveal_first_wild", "auction", "bottom", "reveal_wild", "play")


def test_bad_input() -> None:
    for call, reason, path in (
        (lambda: game.deal([1, 2]), "VALUE_OUT_OF_RANGE", "deck"),
        (lambda: game.holder_of(54), "VALUE_OUT_OF_RANGE", "position"),
        (lambda: game.order_of_play(3), "SEAT_OUT_OF_RANGE", "landlord"),
        (lambda: game.winner(3, [1, 1, 1]), "SEAT_OUT_OF_RANGE", "landlord"),
        (lambda: game.winner(0, [0, 0, 1]), "TWO_WINNERS", "cards_left"),
        (lambda: game.winner(0, [0, 1]), "VALUE_OUT_OF_RANGE", "cards_left"),
        (lambda: game.winner(0, [0, 1, -1]), "VALUE_OUT_OF_RANGE", "cards_left"),
        (lambda: game.phases(rules.load("honghu")), "WRONG_GAME", "rules"),
    ):
        with pytest.raises(errors.RequestError) as caught:
            call()
        assert (caught.value.reason, caught.value.path) == (reason, path)
    assert game.winner(1, [5, 4, 3]) is None
    assert game.winner(1, [0, 4, 3]) == "farmers"
