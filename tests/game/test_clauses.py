"""Clauses that no handed vector shows, each by a test of its name; the vectors of mahjong's wilds, deal and tables."""

from fractions import Fraction
from typing import Any

import pytest

from laizi import cards, errors, game, rules, tiles, wilds
from laizi.doudizhu import Evaluator
from laizi.settlement import doudizhu, mahjong
from tests import mahjong_vectors
from tests.by_clause import Check, Checks

shows = Checks()


def default(preset: str, played: str, **wild: Any) -> str:
    return str(Evaluator(rules.load(preset), **wild).read_play(played).default)


def beats(preset: str, table: str, played: str, **wild: Any) -> bool:
    evaluator = Evaluator(rules.load(preset), **wild)
    return bool(evaluator.compare(default(preset, table, **wild), played).beats)


@shows("D1-05", "D1-06", "D2-01", "D4-02")
def _pack() -> None:
    assert cards.PACK == sum(cards.COPIES) == 54 == 3 * game.HAND + game.BOTTOM
    assert wilds.determine_cards(rules.load("wuhan"), bottom="5").count == 4


@shows("D2-05")
def _bottom_first() -> None:
    phases = game.phases(rules.load("four_wilds"))
    assert phases.index("bid") < phases.index("bottom") < phases.index("play")


@shows("D2-07", "D4-07")
def _first_out_wins() -> None:
    assert game.winner(0, [3, 0, 5]) == "farmers"
    assert game.winner(1, [3, 0, 5]) == "landlord"
    assert game.winner(1, [3, 1, 5]) is None


@shows("D2-20", "D6-44")
def _bombs() -> None:
    for preset in ("four_wilds", "huanle"):
        assert beats(preset, "2 2", "3333", wild_ranks="9")
        assert beats(preset, "A K Q J T", "3333", wild_ranks="9")
        assert beats(preset, "3333", "4444", wild_ranks="9")
        assert not beats(preset, "4444", "3333", wild_ranks="9")
        assert not beats(preset, "X Y", "4444", wild_ranks="9")


@shows("D2-21")
def _same_type_and_size() -> None:
    assert not beats("four_wilds", "3334", "55566", wild_ranks="9")
    assert not beats("four_wilds", "34567", "45678T", wild_ranks="9")
    assert beats("four_wilds", "3334", "5556", wild_ranks="9")


@shows("D4-18")
def _two_wilds_alone() -> None:
    refusals = Evaluator(rules.load("wuhan"), wild_ranks="6").read_play("66").refusals
    assert refusals == (errors.PlayRefusal.WILDS_ALONE_FORBIDDEN,)


@shows("D6-03")
def _never_a_joker() -> None:
    assert errors.PlayRefusal.WILD_AS_JOKER in Evaluator(rules.load("huanle"), wild_ranks="5").read_play("Y5").refusals


@shows("D6-04")
def _alone_itself() -> None:
    assert default("huanle", "7", wild_ranks="7") == "single:7:1"
    assert default("huanle", "77", wild_ranks="7") == "pair:7:1"


@shows("D6-43")
def _rocket() -> None:
    for table in ("3", "2222", "34567", "5555"):
        assert beats("huanle", table, "XY", wild_ranks="5")


def win(
    preset: str, types: list[str], mode: str = "zimo", feeder: int | None = None, **given: Any
) -> mahjong.Settlement:
    """Seat 0 wins; ``given`` are the hand's own fields and, as ``seats``, what the seats laid down."""
    seats = given.pop("seats", ())
    table = mahjong.Table(dealer=given.pop("dealer", 3), seats=seats, guarantees=given.pop("guarantees", ()))
    situation = mahjong.Circumstances(mode, feeder, given.pop("gang_flower", False), given.pop("haidi", False))
    return mahjong.settle(rules.load(preset), mahjong.Hand([0], situation, types, table=table, **given))


def amounts(settlement: mahjong.Settlement) -> list[Fraction]:
    return [-delta for delta in settlement.deltas[1:]]


@shows("M1-21")
def _dealer() -> None:
    assert win("honghu", [], dealer=0).next_dealer == 0
    assert win("honghu", [], dealer=3).next_dealer == 0
    assert win("honghu", [], dealer=1).next_dealer == 2


@shows("M1-22")
def _no_seven_pairs() -> None:
    with pytest.raises(errors.RequestError) as caught:
        win("honghu", ["qidui"])
    assert caught.value.reason == "BAD_OPTION_VALUE"
    assert rules.load("honghu").options()["hu.types.menqing"] == "off"


@shows("M1-30")
def _eight_big_types() -> None:
    options = rules.load("honghu").options()
    big = [name for name, value in options.items() if name.startswith("hu.types.") and value == "on"]
    big += [name for name, value in options.items() if name.endswith(".counts_as") and value == "type"]
    assert len(big) == 8


@shows("M1-40")
def _dealer_doubles() -> None:
    assert amounts(win("honghu", [], dealer=0)) == [4, 4, 4]
    assert amounts(win("honghu", [], dealer=2)) == [2, 4, 2]


@shows("M1-41")
def _losers_may_pay_the_same() -> None:
    assert len(set(amounts(win("honghu", [], dealer=0)))) == 1


@shows("M1-42", "M1-44", "M1-54", "M1-55")
def _openings() -> None:
    seats = [mahjong.SeatFactors(0, openings=3)]
    for types, once in (([], 2), (["qingyise"], 15)):
        before = amounts(win("honghu", types, dealer=1))[1]
        assert before == once
        assert amounts(win("honghu", types, dealer=1, seats=seats))[1] == 2 * before
        assert amounts(win("honghu_koukou", types, dealer=1, seats=seats))[1] == 8 * before


@shows("M1-49", "M1-50", "M1-52")
def _cap_and_gold() -> None:
    rich = [mahjong.SeatFactors(0, openings=1, an_gangs=2)]
    assert amounts(win("honghu", ["qingyise"], seats=rich, hard=True)) == [400, 400, 400]
    assert amounts(win("honghu_koukou", ["qingyise"], seats=rich, hard=True)) == [500, 500, 500]
    some = [mahjong.SeatFactors(0, openings=1, an_gangs=1), mahjong.SeatFactors(1, an_gangs=1)]
    assert amounts(win("honghu", ["qingyise"], seats=some)) == [300, 120, 120]


@shows("M2-03")
def _three_suits() -> None:
    assert sum(4 for _ in mahjong_rules("enshi").tiles.kinds()) == 108


@shows("M2-14")
def _limits_are_options() -> None:
    limit = mahjong_rules("enshi").wild.limit
    assert (limit.small, limit.big, limit.gold) == (1, 1, 2)
    free = rules.load("enshi", {"wild.limit": {"small": "none", "big": "none"}})
    assert free.options()["wild.limit.small"] == "none"


@shows("M2-16", "M2-17")
def _one_win_and_no_penalty() -> None:
    settlement = win("enshi", ["qidui"], "discard", 1)
    assert {payment.to_seat for payment in settlement.payments} == {0}
    assert amounts(settlement) == [10, 5, 5]


@shows("M2-31")
def _hard_small_win() -> None:
    assert amounts(win("enshi", [], "discard", 1, hard=True)) == [4, 2, 2]


def mahjong_rules(preset: str) -> rules.MahjongRules:
    found = rules.load(preset).rules
    assert isinstance(found, rules.MahjongRules)
    return found


@pytest.mark.parametrize("check", shows.params())
def test_clause(check: Check) -> None:
    check()


@pytest.mark.parametrize("vector", mahjong_vectors.params("wild"))
def test_wild_vector(vector: mahjong_vectors.Vector) -> None:
    found = wilds.determine_tiles(mahjong_vectors.ruleset(vector), vector["input"]["indicator"])
    expect = vector["expect"]
    assert found.wilds == (expect["wild"],)
    assert found.put_down == ((expect["pizi"],) if "pizi" in expect else ())
    assert found.clauses


@pytest.mark.parametrize("vector", mahjong_vectors.params("deal"))
def test_deal_vector(vector: mahjong_vectors.Vector) -> None:
    found, expect = mahjong_vectors.ruleset(vector).rules, vector["expect"]
    assert isinstance(found, rules.MahjongRules)
    wall = [kind for kind in found.tiles.kinds() for _ in range(tiles.COPIES)]
    assert len(wall) == expect["total"]
    for dealer in range(4):
        hands, rest = game.deal_tiles(wall, dealer)
        assert sorted([*rest, *(tile for hand in hands for tile in hand)]) == sorted(wall)
        sizes = [len(hand) for hand in hands]
        assert sizes[dealer:] + sizes[:dealer] == expect.get("hands", [14, 13, 13, 13])


@pytest.mark.parametrize("vector", mahjong_vectors.params("table"))
def test_table_vector(vector: mahjong_vectors.Vector) -> None:
    expect, found = vector["expect"], mahjong_vectors.ruleset(vector)
    assert isinstance(found.rules, rules.MahjongRules)
    score = found.rules.score
    if "fan" in expect:
        factors = [found.rules.down.factor, found.rules.wild.kong, score.kong.zhi, score.kong.an, score.hard]
        assert factors == expect["factor"] == [2**fan for fan in expect["fan"]]
        assert score.kong.bu == score.kong.zhi
    elif expect.get("always_integer"):
        for types in (["qingyise"], ["qingyise", "pengpenghu"], ["fengyise", "jiangyise", "pengpenghu"][1:]):
            for mode, feeder in (("zimo", None), ("discard", 2)):
                for hard in (False, True):
                    settlement = win("honghu", types, mode, feeder, hard=hard)
                    assert all(amount.denominator == 1 for amount in settlement.deltas)
    elif "situations" in vector["input"]:
        options = found.options()
        assert options["hu.situational.haidi"] == options["hu.situational.rob_kong"] == "off"
        assert options["hu.haidi.last"] == 0
        # A kong's replacement counts for a self-draw only, and no option counts four equal tiles in the hand.
        with pytest.raises(errors.RequestError):
            win("enshi", ["qidui"], "discard", 1, gang_flower=True)
        assert {name for name in options if "gen" in name.split(".")} == set()
        assert expect["factors"] == [1, 1, 1, 1]
    elif "not_ready_players" in vector["input"]:
        settlement = win("enshi", ["qidui"])
        assert amounts(settlement) == [10, 10, 10], "who is not ready pays what the others pay"
        assert expect["penalty"] == 0
    else:
        pytest.fail(f"nothing runs this vector: {vector}")


def test_a_wall_that_is_too_short() -> None:
    for wall, dealer, path in ((50, 0, "wall"), (99, 4, "dealer")):
        with pytest.raises(errors.RequestError) as caught:
            game.deal_tiles([1] * wall, dealer)
        assert caught.value.path == path


def test_the_settlement_of_each_game_refuses_the_rules_of_the_other() -> None:
    with pytest.raises(errors.RequestError):
        doudizhu.settle(rules.load("honghu"), doudizhu.Game(0, ()))
    with pytest.raises(errors.RequestError):
        mahjong.settle(rules.load("huanle"), mahjong.Hand([0]))
