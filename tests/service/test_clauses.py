"""Every answer that a rule decided says which: over all handed vectors, and over all messages of the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from laizi import auction, clauses, rules
from laizi.settlement import doudizhu as game
from laizi.settlement import mahjong as hand
from laizi.v1 import doudizhu_pb2, mahjong_pb2, rules_pb2, types_pb2
from laizi_service.answering import Library, method
from laizi_service.settings import Settings
from tests import doudizhu_vectors, mahjong_vectors
from tests.game import test_auction, test_mahjong_payments, test_settlement
from tests.service.requests import card, selector, tile

QUESTIONS = (
    {"deck", "deal", "wild", "type", "score"},  # a type of bombs is a matter of scores in some texts
    {"compare", "restrict", "type"},
    {"auction", "restrict", "score"},
    {"score", "settle"},
    {"hu", "type", "wild", "claim", "score", "settle"},
)
"""Kinds of clauses that answer one question, which texts cut differently."""

# They do not stem from rules but from the request, or only begin the count.
NOT_RULED = {"given", "rate", "multiplier"}


@pytest.fixture(scope="module")
def library() -> Library:
    return Library(Settings())


def cited_in(message: Any) -> Iterator[tuple[str, list[str]]]:
    """Every list of clauses in a message, those of its parts too, with the name of the message that has it."""
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.name == "clauses":
            yield message.DESCRIPTOR.name, list(value)
        elif field.message_type is not None and field.is_repeated:
            for part in value:
                yield from cited_in(part)
        elif field.message_type is not None and message.HasField(field.name):
            yield from cited_in(value)


def check(cited: Iterable[tuple[str, Iterable[str]]], rule_set: rules.RuleSet, vector: dict[str, Any]) -> None:
    """Nothing is decided without a clause, none is of other rules, and one is about what the vector shows."""
    listed = [(name, list(ids)) for name, ids in cited]
    assert listed
    if "options" not in vector:  # an option that a request sets has no clause
        assert [name for name, ids in listed if not ids] == []
    every = {clause for _, ids in listed for clause in ids}
    assert every
    assert every <= {clause for ids in rule_set.sources.values() for clause in ids}
    book = clauses.rulebook()
    shown = {book[clause].kind for clause in vector["clauses"]} - {"ui"}
    kinds = {book[clause].kind for clause in every if clause in book}
    allowed = shown.union(*(question for question in QUESTIONS if question & shown))
    assert every.intersection(vector["clauses"]) or kinds & allowed or not shown


def preset(vector: dict[str, Any]) -> types_pb2.RuleSetSelector:
    name = vector.get("preset", {**doudizhu_vectors.PRESETS, **mahjong_vectors.PRESETS}[vector["system"]])
    return selector(name, vector.get("options"))


def wild_cards(vector: dict[str, Any]) -> types_pb2.Wilds:
    given = vector["input"]
    if given.get("wild_cards"):
        return types_pb2.Wilds(cards=card(" ".join(given["wild_cards"])))
    return types_pb2.Wilds(ranks=given.get("wild") or "")


@pytest.mark.parametrize(
    "vector", [one for one in doudizhu_vectors.params("classify") if one.values[0]["input"]["cards"]]
)
def test_readings(library, vector):
    request = doudizhu_pb2.ReadPlayRequest(
        rules=preset(vector), wilds=wild_cards(vector), cards=card(vector["input"]["cards"])
    )
    answer = library.ask(method("DoudizhuService.ReadPlay"), request)
    check(cited_in(answer), doudizhu_vectors.ruleset(vector), vector)


@pytest.mark.parametrize("vector", doudizhu_vectors.params("beats"))
def test_comparisons(library, vector):
    previous = doudizhu_pb2.Play(reading=doudizhu_vectors.reading(vector["input"]["prior"]))
    challenger = doudizhu_pb2.Play(cards=card(vector["input"]["cards"]))
    request = doudizhu_pb2.ComparePlaysRequest(
        rules=preset(vector), wilds=wild_cards(vector), previous=previous, challenger=challenger
    )
    answer = library.ask(method("DoudizhuService.ComparePlays"), request)
    check(cited_in(answer), doudizhu_vectors.ruleset(vector), vector)


@pytest.mark.parametrize("vector", doudizhu_vectors.params("auction"))
def test_auctions(vector):
    given, rule_set = vector["input"], doudizhu_vectors.ruleset(vector)
    made = auction.resolve(
        rule_set,
        test_auction.events_of(vector),
        first_seat=given["start"],
        rocket_seat=given.get("holds_rocket", [None])[0],
        beans=test_auction.RICH,
    )
    if made.illegal:
        check([("illegal", made.illegal.clauses)], rule_set, vector)
        return
    factors = [(factor.name, factor.clauses) for factor in made.factors if factor.name not in NOT_RULED]
    check([("auction", made.clauses), *factors], rule_set, vector)


@pytest.mark.parametrize(
    "vector", [one for one in doudizhu_vectors.params("settle") if "show" not in one.values[0]["input"]]
)
def test_games(vector):
    rule_set = doudizhu_vectors.ruleset(vector)
    made = game.settle(rule_set, test_settlement.game_of(vector["input"]))
    factors = [
        (factor.name, factor.clauses)
        for payment in made.payments
        for factor in payment.factors
        if factor.name not in NOT_RULED
    ]
    check([("settlement", made.clauses), *factors], rule_set, vector)


@pytest.mark.parametrize("vector", [one for one in mahjong_vectors.params("score") if one.values[0]["system"] == "M1"])
def test_payments(vector):
    given, rule_set = vector["input"], mahjong_vectors.ruleset(vector)
    winner = given["winner"]["seat"]
    won = hand.Hand(
        [winner],
        test_mahjong_payments._circumstances(given),
        test_mahjong_payments._big_types(vector),
        given["hard"],
        test_mahjong_payments._table(given, winner),
    )
    made = hand.settle(rule_set, won)
    factors = [(factor.name, factor.clauses) for payment in made.payments for factor in payment.factors]
    check([("settlement", made.clauses), *factors], rule_set, vector)


@pytest.mark.parametrize("vector", mahjong_vectors.params("hu"))
def test_wins(library, vector):
    given = vector["input"]
    request = mahjong_pb2.CheckHuRequest(
        rules=preset(vector),
        wilds=types_pb2.WildTiles(wilds=tile(given["wild"]), indicators=tile(given.get("pizi", ""))),
        concealed=tile(given["hand"]),
        melds=[
            mahjong_pb2.Meld(
                kind=mahjong_pb2.MeldKind.Value(f"MELD_KIND_{one['kind'].upper()}"), tiles=tile(one["tiles"])
            )
            for one in given["melds"]
        ],
        circumstances=mahjong_pb2.WinCircumstances(
            mode=mahjong_pb2.WinMode.Value(f"WIN_MODE_{given['mode'].upper()}"),
            gang_flower=given.get("gang_flower", False),
            haidi=given.get("haidi", False),
        ),
        state=mahjong_pb2.SeatState(
            put_downs=given.get("winner", {}).get("pizi", 0), wild_kongs=given.get("winner", {}).get("laizi", 0)
        ),
        table=mahjong_pb2.TableFactors(dealer=0),
    )
    if given["mode"] != "zimo":
        request.circumstances.from_seat = 1
    answer = library.ask(method("MahjongService.CheckHu"), request)
    check(cited_in(answer), mahjong_vectors.ruleset(vector), vector)


@pytest.mark.parametrize("name", rules.presets("doudizhu"))
def test_every_answer_about_cards_cites_in_every_preset(library, name):
    """A hand with wilds: all its plays, what beats what, and the refusals of plays that are none."""
    chosen = selector(name)
    asked = [
        (
            "DoudizhuService.ListPlays",
            doudizhu_pb2.ListPlaysRequest(rules=chosen, hand=card("3334445566789TJQKA22XY"[:20]), limit=1000),
        ),
        (
            "DoudizhuService.ListPlays",
            doudizhu_pb2.ListPlaysRequest(
                rules=chosen, hand=card("33334445XY"), previous=doudizhu_pb2.Play(reading="pair:3:1")
            ),
        ),
        ("DoudizhuService.ReadPlay", doudizhu_pb2.ReadPlayRequest(rules=chosen, cards=card("34"))),
        ("DoudizhuService.ReadPlay", doudizhu_pb2.ReadPlayRequest(rules=chosen, cards=card("TJQKA2"))),
    ]
    for asking, request in asked:
        answer = library.ask(method(asking), request)
        for kind, ids in cited_in(answer):
            # ListPlays and CanBeat cite for themselves only what took plays away.
            assert ids or kind == "ListPlaysResponse", (asking, kind)


@pytest.mark.parametrize("name", rules.presets("mahjong"))
def test_every_answer_about_tiles_cites_in_every_preset(library, name):
    rule_set = rules.load(name)
    assert isinstance(rule_set.rules, rules.MahjongRules)
    wilds = types_pb2.WildTiles()
    if rule_set.rules.wild.source not in ("none", "fixed"):
        wilds = types_pb2.WildTiles(wilds=tile("9p"), indicators=tile("8p"))
    for text in ("123m456p789s 55m", "123m456p789s 4m9m", "123m456p789s 66s"):
        request = mahjong_pb2.CheckHuRequest(
            rules=selector(name),
            wilds=wilds,
            concealed=tile(text),
            melds=[mahjong_pb2.Meld(kind=mahjong_pb2.MELD_KIND_PENG, tiles=tile("1s1s1s"))],
            table=mahjong_pb2.TableFactors(dealer=0),
        )
        answer = library.ask(method("MahjongService.CheckHu"), request)
        assert [kind for kind, ids in cited_in(answer) if not ids] == [], text
        waits = mahjong_pb2.ListWaitsRequest(
            rules=request.rules, wilds=wilds, concealed=tile(text), melds=list(request.melds)
        )
        answer = library.ask(method("MahjongService.ListWaits"), waits)
        assert [kind for kind, ids in cited_in(answer) if not ids] == [], text


def test_every_wild_that_is_turned_cites():
    """DetermineWild says by which clause a tile or a rank is wild."""
    asked = Library(Settings())
    for name in rules.presets("mahjong"):
        rule_set = rules.load(name)
        assert isinstance(rule_set.rules, rules.MahjongRules)
        if rule_set.rules.wild.source == "indicator_next":
            request = rules_pb2.DetermineWildRequest(
                rules=selector(name), mahjong=rules_pb2.MahjongDraw(indicator=tile("4m"))
            )
            assert asked.ask(method("RulesService.DetermineWild"), request).clauses
