"""MahjongService over a real channel: what the engine's own tests cannot see."""

import pytest
from google.protobuf import json_format
from grpc import StatusCode

from laizi import tiles
from laizi.errors import ErrorReason
from laizi.v1 import errors_pb2, rules_pb2, types_pb2
from laizi.v1 import mahjong_pb2 as pb
from tests.service.requests import as_text, card_codes, selector, tile, tile_codes

NINE_PIN = types_pb2.WildTiles(wilds=tile("9p"))
INVALID = StatusCode.INVALID_ARGUMENT


def check(concealed: types_pb2.Tiles, preset: str = "honghu", wilds=NINE_PIN, **more) -> pb.CheckHuRequest:
    return pb.CheckHuRequest(rules=selector(preset), wilds=wilds, concealed=concealed, **more)


def reasons(refusals) -> list[str]:
    return [errors_pb2.HuRefusal.Name(item.reason).removeprefix("HU_REFUSAL_") for item in refusals]


def meld(kind: str, text: str, seat: int | None = None) -> pb.Meld:
    return pb.Meld(kind=pb.MeldKind.Value(f"MELD_KIND_{kind}"), tiles=tile(text), from_seat=seat)


def test_a_win_comes_with_types_points_and_decomposition(client):
    request = check(
        tile("111222m 99m 5m 9p 9p"),
        melds=[meld("PENG", "8m8m8m", 3)],
        winning_tile=tile("5m"),
        circumstances=pb.WinCircumstances(mode=pb.WIN_MODE_DISCARD, from_seat=2),
        table=pb.TableFactors(dealer=1),
    )
    answer = client.mahjong.CheckHu(request)
    assert answer.value.hu
    assert answer.value.big
    assert not answer.value.hard
    assert [(kind.name, kind.name_zh, kind.value.numerator) for kind in answer.value.types] == [
        ("pengpenghu", "碰碰胡", 10),
        ("qingyise", "清一色", 10),
    ]
    assert answer.value.points == types_pb2.Fraction(numerator=20, denominator=1)
    assert [(group.tiles.text, group.laid) for group in answer.best.groups] == [
        ("888m", True),
        ("111m", False),
        ("222m", False),
        ("99m9p", False),
        ("5m9p", False),
    ]
    assert [(item.wild.text, item.stands_for.text) for item in answer.best.groups[3].stand_ins] == [("9p", "9m")]
    assert answer.best.groups[4].kind == pb.GROUP_KIND_PAIR
    assert [payment.amount.numerator for payment in answer.settlement.payments] == [40, 60, 40]
    assert sum(seat.delta.numerator for seat in answer.settlement.seats) == 0


def test_no_win_tells_every_reason_with_its_clause(client):
    answer = client.mahjong.CheckHu(check(tile("123m456p789s 55m z5z5z5")))
    assert reasons(answer.value.refusals) == ["HOLDS_PUT_DOWN_TILE", "NOT_OPENED"]
    assert "M1-03" in answer.value.refusals[0].clauses
    assert not answer.HasField("settlement")


def test_two_wilds_at_gold_depend_on_the_settlement(client):
    wilds = types_pb2.WildTiles(wilds=tile("2m"), indicators=tile("1m"))
    request = check(
        tile("113355p 4477s 69m 22m"), preset="enshi", wilds=wilds, state=pb.SeatState(put_downs=2, wild_kongs=1)
    )
    assert reasons(client.mahjong.CheckHu(request).value.refusals) == ["NEEDS_SETTLEMENT"]
    request.table.SetInParent()
    answer = client.mahjong.CheckHu(request)
    assert answer.value.hu
    assert answer.settlement.gold
    assert [seat.delta.numerator for seat in answer.settlement.seats] == [360, -120, -120, -120]


def test_all_decompositions_up_to_a_limit(client):
    request = check(tile("111222333m 99p 55s 9p"), preset="guangdong_gui", decomposition_limit=2)
    answer = client.mahjong.CheckHu(request)
    assert answer.decomposition_total > 2
    assert len(answer.decompositions) == 2
    request.decomposition_limit = 0
    answer = client.mahjong.CheckHu(request)
    assert (answer.decomposition_total, len(answer.decompositions)) == (0, 0)


def test_decompositions_tell_their_types_and_points_best_first(client):
    request = check(tile("111222333m 99m"), melds=[meld("PENG", "8m8m8m", 3)], decomposition_limit=1_000)
    answer = client.mahjong.CheckHu(request)
    assert answer.best == answer.decompositions[0]
    assert list(answer.best.types) == list(answer.value.types)
    assert answer.best.points == answer.value.points
    names = {tuple(kind.name for kind in item.types) for item in answer.decompositions}
    assert names == {("pengpenghu", "qingyise"), ("qingyise",)}
    assert answer.decomposition_total == len(answer.decompositions)


def test_a_refused_win_shows_what_it_would_have_been(client):
    answer = client.mahjong.CheckHu(check(tile("123m456p789s 55m z1z1z1"), decomposition_limit=5))
    assert reasons(answer.value.refusals) == ["NOT_OPENED"]
    assert [group.tiles.text for group in answer.best.groups][-1] == "55m"
    assert answer.best.points.numerator > 0
    assert (list(answer.decompositions), answer.decomposition_total) == ([], 0)
    assert not client.mahjong.CheckHu(check(tile("159m159p159s 5m4m z1z2z3"))).HasField("best")


def test_wilds_follow_from_the_turned_tile_where_it_is_given(client):
    named, turned = types_pb2.WildTiles(wilds=tile("9p")), types_pb2.WildTiles(indicators=tile("8p"))
    hand = tile("123m456p789s 55m 78p 9p")
    asked = [check(hand, preset="guangdong_gui", wilds=wilds) for wilds in (named, turned)]
    answers = [client.mahjong.CheckHu(request) for request in asked]
    assert answers[0] == answers[1]
    assert answers[0].value.hu


@pytest.mark.parametrize(("lock", "told"), [("none", []), ("until_draw", ["MISSED_HU_LOCK"])])
def test_a_missed_win_locks_what_others_discard(client, lock, told):
    rules = selector("honghu", {"claim.missed_hu": lock})
    state = pb.SeatState(missed_hu=True)
    melds = [meld("PENG", "z1z1z1", 3)]
    hand = pb.CheckHuRequest(rules=rules, wilds=NINE_PIN, concealed=tile("123m456p789s 55m"), melds=melds, state=state)
    assert client.mahjong.CheckHu(hand).value.hu
    hand.circumstances.mode = pb.WIN_MODE_DISCARD
    value = client.mahjong.CheckHu(hand).value
    assert (value.hu, reasons(value.refusals)) == (not told, told)
    waiting = pb.ListWaitsRequest(
        rules=rules, wilds=NINE_PIN, concealed=tile("123m456p789s 5m"), melds=melds, state=state
    )
    waits = client.mahjong.ListWaits(waiting).waits.waits
    assert waits
    assert all(wait.zimo.hu and "MISSED_HU_LOCK" not in reasons(wait.zimo.refusals) for wait in waits)
    assert all(("MISSED_HU_LOCK" in reasons(wait.discard.refusals)) is bool(told) for wait in waits)


def test_waits_cite_what_bars_every_win(client):
    request = pb.ListWaitsRequest(rules=selector("honghu"), wilds=NINE_PIN, concealed=tile("123m456p789s z1z1z1 5m"))
    answer = client.mahjong.ListWaits(request)
    assert not answer.waits.waits
    assert list(answer.clauses) == ["M1-27", "M1-29"]
    request.concealed.text += " 6m"
    assert set(answer.clauses) < set(client.mahjong.ListWaits(request).clauses)


def test_a_situation_that_multiplies_is_a_factor(client):
    rules = selector(
        "honghu", {"hu.situational.gang_flower.counts_as": "factor", "hu.situational.gang_flower.factor": 2}
    )
    request = pb.CheckHuRequest(
        rules=rules,
        wilds=NINE_PIN,
        concealed=tile("123m456p789s 55m"),
        melds=[meld("PENG", "z1z1z1", 3)],
        circumstances=pb.WinCircumstances(gang_flower=True),
    )
    answer = client.mahjong.CheckHu(request)
    assert not answer.value.big
    (flower,) = answer.value.types
    assert (flower.name, flower.value.numerator, flower.is_factor, flower.situational) == ("gang_flower", 2, True, True)
    assert list(answer.best.types) == [flower]


def test_a_laid_wild_keeps_its_place_in_its_meld(client):
    request = pb.CheckHuRequest(
        rules=selector("guangdong_gui", {"wild.claims": True}),
        wilds=NINE_PIN,
        concealed=tile("123456m 77s 789s"),
        melds=[meld("PENG", "5s 5s 9p")],
    )
    answer = client.mahjong.CheckHu(request)
    assert answer.value.hu
    laid = answer.best.groups[0]
    assert (laid.laid, laid.tiles.text) == (True, "9p55s")
    assert [(item.wild.text, item.stands_for.text) for item in laid.stand_ins] == [("9p", "5s")]


HANDS = ("123m456p789s11z555m", "111222333m44p66s9p", "19m19p19s1234567z1m", "22m33m44p55p66s77s99p")


@pytest.mark.parametrize("text", HANDS)
def test_text_and_codes_get_the_same_answer_each_in_its_form(client, text):
    by_text = client.mahjong.CheckHu(check(tile(text), preset="guangdong_gui", decomposition_limit=50))
    by_codes = client.mahjong.CheckHu(check(tile_codes(text), preset="guangdong_gui", decomposition_limit=50))
    as_text(by_codes)
    assert by_codes == by_text
    waits = [
        client.mahjong.ListWaits(
            pb.ListWaitsRequest(rules=selector("guangdong_gui"), wilds=NINE_PIN, concealed=write(text))
        )
        for write in (tile, tile_codes)
    ]
    as_text(waits[1])
    assert waits[0] == waits[1]


def test_waits_tell_copies_and_worth_by_mode(client):
    request = pb.ListWaitsRequest(
        rules=selector("guangdong_gui"), wilds=NINE_PIN, concealed=tile("123m456p789s 55m66s"), visible=tile("5m 9p")
    )
    waits = client.mahjong.ListWaits(request).waits
    assert [(wait.tile.text, wait.copies_left) for wait in waits.waits] == [("5m", 1), ("9p", 3), ("6s", 2)]
    assert waits.copies_left == 6
    assert not waits.everything
    five, wild, _ = waits.waits
    assert five.zimo.hu
    assert five.discard.hu
    assert reasons(wild.discard.refusals) == ["WINNING_TILE_NOT_CLAIMABLE"]
    request.mode = pb.WIN_MODE_DISCARD
    waits = client.mahjong.ListWaits(request).waits
    assert [wait.tile.text for wait in waits.waits] == ["5m", "6s"]
    assert not waits.waits[0].HasField("zimo")


@pytest.mark.parametrize("text", ["123m456p789s 55m66s", "123m456p789s 5m66s9p", "2244668s 22446p 9p"])
def test_each_wait_is_a_win_of_its_own(client, text):
    """What ListWaits says of a tile is what CheckHu says of the hand with it."""
    request = pb.ListWaitsRequest(rules=selector("guangdong_gui"), wilds=NINE_PIN, concealed=tile(text))
    waits = client.mahjong.ListWaits(request).waits.waits
    assert waits
    for wait in waits:
        hand = check(tile(f"{text} {wait.tile.text}"), preset="guangdong_gui", winning_tile=wait.tile)
        assert client.mahjong.CheckHu(hand).value == wait.zimo
        hand.circumstances.mode = pb.WIN_MODE_DISCARD
        assert client.mahjong.CheckHu(hand).value == wait.discard


def test_discards_come_with_most_copies_first(client):
    request = pb.ListWaitsRequest(
        rules=selector("guangdong_gui"), wilds=NINE_PIN, concealed=tile("123m456p789s 55m668s")
    )
    discards = client.mahjong.ListWaits(request).discards
    copies = [discard.waits.copies_left for discard in discards]
    assert copies == sorted(copies, reverse=True)
    assert {discard.discard.text for discard in discards} >= {"8s", "6s"}
    assert not client.mahjong.ListWaits(request).HasField("waits")


def shanten(concealed: types_pb2.Tiles, preset: str = "guangdong_gui", **more) -> pb.ShantenRequest:
    return pb.ShantenRequest(rules=selector(preset), wilds=NINE_PIN, concealed=concealed, **more)


def test_shanten_tells_each_shape_and_what_improves_it(client):
    answer = client.mahjong.Shanten(shanten(tile("123m456p789s 55m 1p 4s"), visible=tile("2p")))
    assert answer.shanten == 1
    assert {item.shape: item.shanten for item in answer.shapes} == {
        pb.HU_SHAPE_STANDARD: 1,
        pb.HU_SHAPE_SEVEN_PAIRS: 5,
    }
    left = {item.tile.text: item.copies_left for item in answer.improving}
    assert left["9p"] == 4
    assert left["2p"] == 3
    assert answer.copies_left == sum(left.values())
    assert not answer.discards


def test_an_open_meld_rules_seven_pairs_out(client):
    answer = client.mahjong.Shanten(shanten(tile("123m456p789s 5m"), melds=[meld("PENG", "z1z1z1")]))
    assert [(item.shape, item.shanten) for item in answer.shapes] == [(pb.HU_SHAPE_STANDARD, 0)]
    rules = selector("guangdong_gui", {"hu.shapes": ["seven_pairs"]})
    for text in ("123m456p789s 5m", "123m456p789s 56m"):
        alone = pb.ShantenRequest(rules=rules, concealed=tile(text), melds=[meld("PENG", "z1z1z1")])
        answer = client.mahjong.Shanten(alone)
        assert not answer.HasField("shanten")
        assert [*answer.shapes, *answer.improving, *answer.discards] == []


def test_the_discards_that_keep_the_shanten_come_with_most_copies_first(client):
    """Each is what Shanten says of the hand without it, the discard seen."""
    text = "123m456p789s 5m6m1s4s z1"
    answer = client.mahjong.Shanten(shanten(tile(text)))
    copies = [item.copies_left for item in answer.discards]
    assert copies == sorted(copies, reverse=True)
    assert answer.discards[0].discard.text in {"1s", "4s", "z1"}
    for item in answer.discards:
        kinds = tiles.read(text).counts
        index = next(iter(tiles.read(item.discard.text)))
        left = tiles.Tiles(bytes(count - (kind == index) for kind, count in enumerate(kinds)))
        without = client.mahjong.Shanten(shanten(tile(left.text()), visible=item.discard))
        assert (without.shanten, list(without.improving)) == (item.shanten, list(item.improving))


def test_shanten_of_waiting_and_of_won_hands(client):
    assert client.mahjong.Shanten(shanten(tile("123m456p789s 55m66s"))).shanten == 0
    assert client.mahjong.Shanten(shanten(tile("123m456p789s 55m666s"))).shanten == -1


@pytest.mark.parametrize(
    ("request_", "reason", "field"),
    [
        (shanten(tile("")), ErrorReason.EMPTY_HAND, "concealed.text"),
        (shanten(tile("123m")), ErrorReason.WRONG_TILE_COUNT, "concealed.text"),
        (shanten(tile("1m"), visible=tile("1111m")), ErrorReason.TOO_MANY_COPIES, "visible.text"),
        (shanten(tile("1m"), visible=tile("x")), ErrorReason.UNKNOWN_TILE, "visible.text"),
    ],
)
def test_what_is_wrong_with_shanten_is_named(client, refused, request_, reason, field):
    refused(client.mahjong.Shanten, request_, INVALID, reason, field)


def claims(write=tile, **more) -> pb.ListClaimsRequest:
    fields = {
        "rules": selector("honghu"),
        "wilds": types_pb2.WildTiles(wilds=write("9s")),
        "trigger": pb.CLAIM_TRIGGER_DISCARD,
        "trigger_seat": 0,
        "tile": write("3p"),
        "dealer": 0,
        "seats": [
            pb.ClaimSeat(seat=1, concealed=write("45p 123m 789m 22s 67s z1")),
            pb.ClaimSeat(seat=2, concealed=write("33p 123m 789m 22s 67s z1")),
        ],
        "questions": [
            pb.ClaimQuestion(seat=1, kind=pb.CLAIM_KIND_CHI, **{"with": write("45p")}),
            pb.ClaimQuestion(seat=2, kind=pb.CLAIM_KIND_PENG),
            pb.ClaimQuestion(seat=2, kind=pb.CLAIM_KIND_HU),
        ],
    }
    return pb.ListClaimsRequest(**(fields | more))


def test_claims_come_by_priority_and_questions_are_judged(client):
    answer = client.mahjong.ListClaims(claims())
    assert [(seat.seat, [claim.kind for claim in seat.claims]) for seat in answer.seats] == [
        (2, [pb.CLAIM_KIND_PENG, pb.CLAIM_KIND_PASS]),
        (1, [pb.CLAIM_KIND_CHI, pb.CLAIM_KIND_PASS]),
    ]
    peng = answer.seats[0].claims[0]
    assert (peng.tile.text, getattr(peng, "with").text, peng.priority) == ("3p", "33p", 1)
    chi, peng_verdict, hu = answer.verdicts
    assert [refusal.reason for refusal in chi.refusals] == [errors_pb2.CLAIM_REFUSAL_OUTRANKED]
    assert peng_verdict.allowed
    assert peng_verdict.claim == peng
    assert not hu.allowed
    assert reasons(hu.hu_refusals) == ["NOT_OPENED", "NO_SHAPE"]


def test_claims_of_text_and_codes_are_the_same(client):
    by_text, by_codes = client.mahjong.ListClaims(claims()), client.mahjong.ListClaims(claims(tile_codes))
    as_text(by_codes)
    assert by_codes == by_text


@pytest.mark.parametrize(
    ("change", "reason", "field"),
    [
        ({"trigger": pb.CLAIM_TRIGGER_UNSPECIFIED}, ErrorReason.UNKNOWN_ENUM_VALUE, "trigger"),
        ({"tile": tile("")}, ErrorReason.MISSING_FIELD, "tile.text"),
        ({"seats": [pb.ClaimSeat(seat=9)]}, ErrorReason.SEAT_OUT_OF_RANGE, "seats[0].seat"),
        (
            {"seats": [pb.ClaimSeat(seat=1, concealed=tile("1m"), state=pb.SeatState(put_downs=-1))]},
            ErrorReason.VALUE_OUT_OF_RANGE,
            "seats[0].state.put_downs",
        ),
        (
            {"questions": [pb.ClaimQuestion(seat=1, kind=pb.CLAIM_KIND_CHI, **{"with": tile("zz")})]},
            ErrorReason.UNKNOWN_TILE,
            "questions[0].with.text",
        ),
        ({"questions": [pb.ClaimQuestion(seat=1)]}, ErrorReason.UNKNOWN_ENUM_VALUE, "questions[0].kind"),
    ],
)
def test_what_is_wrong_with_claims_is_named(client, refused, change, reason, field):
    refused(client.mahjong.ListClaims, claims(**change), INVALID, reason, field)


def test_a_hand_is_settled(client):
    request = pb.SettleHandRequest(
        rules=selector("honghu"),
        winner_seats=[2],
        circumstances=pb.WinCircumstances(mode=pb.WIN_MODE_DISCARD, from_seat=3),
        types=["qingyise"],
        table=pb.TableFactors(
            dealer=1, seats=[pb.SeatFactors(seat=0, openings=1), pb.SeatFactors(seat=2, openings=2, zhi_gangs=1)]
        ),
    )
    settlement = client.mahjong.SettleHand(request).settlement
    assert [seat.delta.numerator for seat in settlement.seats] == [-80, -40, 180, -60]
    assert settlement.payments[0].factors[-1].result == settlement.payments[0].amount
    assert settlement.next_dealer == 2


@pytest.mark.parametrize(
    ("request_", "reason", "field"),
    [
        (check(tile("10m")), ErrorReason.UNKNOWN_TILE, "concealed.text"),
        (check(tile("11111m")), ErrorReason.TOO_MANY_COPIES, "concealed.text"),
        (check(tile("123m")), ErrorReason.WRONG_TILE_COUNT, "concealed.text"),
        (check(types_pb2.Tiles(codes=b"\x0a")), ErrorReason.UNKNOWN_TILE_CODE, "concealed.codes"),
        (check(tile("11m"), preset="enshy"), ErrorReason.UNKNOWN_RULE_SET, "rules.preset"),
        (check(tile("11m"), preset="huanle"), ErrorReason.WRONG_GAME, "rules.preset"),
        (check(tile("z1z1"), preset="enshi"), ErrorReason.MISSING_FIELD, "wilds.indicators"),
        (
            check(tile("11m"), preset="enshi", wilds=types_pb2.WildTiles(wilds=tile("6p"), indicators=tile("8p"))),
            ErrorReason.CONTRADICTORY_FIELDS,
            "wilds.wilds.text",
        ),
        (
            check(tile("11m"), wilds=types_pb2.WildTiles(wilds=tile("xx"))),
            ErrorReason.UNKNOWN_TILE,
            "wilds.wilds.text",
        ),
        (check(tile("11m"), melds=[pb.Meld(tiles=tile("111p"))]), ErrorReason.UNKNOWN_ENUM_VALUE, "melds[0].kind"),
        (check(tile("11m"), melds=[meld("PENG", "112p")]), ErrorReason.MALFORMED_MELD, "melds[0].tiles.text"),
        (
            check(tile("11m"), winning_tile=tile("2m")),
            ErrorReason.WINNING_TILE_NOT_IN_HAND,
            "winning_tile.text",
        ),
        (check(tile("11m"), decomposition_limit=-1), ErrorReason.VALUE_OUT_OF_RANGE, "decomposition_limit"),
        (check(tile("11m"), seat=4), ErrorReason.SEAT_OUT_OF_RANGE, "seat"),
        (
            check(tile("11m"), circumstances=pb.WinCircumstances(from_seat=1)),
            ErrorReason.CONTRADICTORY_CIRCUMSTANCES,
            "circumstances.from_seat",
        ),
        (
            check(tile("11m"), circumstances=pb.WinCircumstances(mode=pb.WIN_MODE_DISCARD, gang_flower=True)),
            ErrorReason.CONTRADICTORY_CIRCUMSTANCES,
            "circumstances.gang_flower",
        ),
        (
            check(tile("11m"), table=pb.TableFactors(dealer=0, seats=[pb.SeatFactors()])),
            ErrorReason.DUPLICATE_SEAT,
            "table.seats[0].seat",
        ),
        (check(tile("11m"), state=pb.SeatState(put_downs=-1)), ErrorReason.VALUE_OUT_OF_RANGE, "state.put_downs"),
        (check(tile("11m"), melds=[meld("PENG", "222p", 4)]), ErrorReason.SEAT_OUT_OF_RANGE, "melds[0].from_seat"),
        (check(tile("11m"), melds=[meld("PENG", "222p", -1)]), ErrorReason.SEAT_OUT_OF_RANGE, "melds[0].from_seat"),
        (
            check(tile("11m"), melds=[meld("AN_GANG", "2222p", 1)]),
            ErrorReason.CONTRADICTORY_FIELDS,
            "melds[0].from_seat",
        ),
        (
            check(tile("11m"), seat=2, melds=[meld("PENG", "222p", 2)]),
            ErrorReason.CONTRADICTORY_FIELDS,
            "melds[0].from_seat",
        ),
        (check(types_pb2.Tiles()), ErrorReason.EMPTY_HAND, "concealed"),
        (
            check(tile("11m"), state=pb.SeatState(put_downs=2**31 - 1)),
            ErrorReason.TOO_MANY_COPIES,
            "state.put_downs",
        ),
        (
            check(
                tile("11m"), preset="hongzhong", wilds=None, state=pb.SeatState(wild_kongs=1), table=pb.TableFactors()
            ),
            ErrorReason.CONTRADICTORY_FACTORS,
            "state.wild_kongs",
        ),
        (check(tile("9p9p"), state=pb.SeatState(wild_kongs=3)), ErrorReason.TOO_MANY_COPIES, "state.wild_kongs"),
        (
            check(tile("11m9p9p9p"), table=pb.TableFactors(dealer=0, seats=[pb.SeatFactors(seat=1, wild_kongs=2)])),
            ErrorReason.TOO_MANY_COPIES,
            "table.seats[0].wild_kongs",
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_what_is_wrong_with_a_request_is_named(client, refused, request_, reason, field):
    refused(client.mahjong.CheckHu, request_, INVALID, reason, field)


@pytest.mark.parametrize(
    ("change", "reason", "field"),
    [
        ({"mode": pb.WIN_MODE_ROB_KONG}, ErrorReason.CONTRADICTORY_CIRCUMSTANCES, "mode"),
        ({"state": pb.SeatState(wild_kongs=5)}, ErrorReason.TOO_MANY_COPIES, "state.wild_kongs"),
        ({"visible": tile("5555m")}, ErrorReason.TOO_MANY_COPIES, "visible.text"),
        ({"concealed": tile("")}, ErrorReason.EMPTY_HAND, "concealed.text"),
        ({"concealed": tile("123m")}, ErrorReason.WRONG_TILE_COUNT, "concealed.text"),
    ],
)
def test_what_is_wrong_with_waits_is_named(client, refused, change, reason, field):
    request = pb.ListWaitsRequest(
        rules=selector("guangdong_gui"), wilds=NINE_PIN, concealed=tile("123m456p789s 55m66s")
    )
    request.MergeFrom(pb.ListWaitsRequest(**{key: value for key, value in change.items() if key != "concealed"}))
    if "concealed" in change:
        request.concealed.CopyFrom(change["concealed"])
    refused(client.mahjong.ListWaits, request, INVALID, reason, field)


def test_answers_have_a_json_form(client):
    answer = client.mahjong.CheckHu(check(tile(HANDS[0]), preset="guangdong_gui"))
    assert json_format.Parse(json_format.MessageToJson(answer), pb.CheckHuResponse()) == answer


def test_the_turned_tile_makes_the_next_one_wild(client):
    for write in (tile, tile_codes):
        request = rules_pb2.DetermineWildRequest(
            rules=selector("enshi"), mahjong=rules_pb2.MahjongDraw(indicator=write("9m"))
        )
        answer = client.rules.DetermineWild(request)
        assert answer.mahjong == types_pb2.WildTiles(wilds=write("1m"), indicators=write("9m"))
        assert "M2-04" in answer.clauses


def test_the_second_bottom_card_makes_the_next_rank_wild(client):
    bottom = card_codes("5d 9c X")
    draw = rules_pb2.DoudizhuDraw(bottom=types_pb2.Cards(codes=bottom.codes))
    answer = client.rules.DetermineWild(rules_pb2.DetermineWildRequest(rules=selector("wuhan"), doudizhu=draw))
    assert answer.doudizhu == types_pb2.Wilds(ranks="T")
    assert answer.indicator_card.codes == b"\x19"


@pytest.mark.parametrize(
    ("draw", "reason", "field"),
    [
        ({}, ErrorReason.MISSING_FIELD, "draw"),
        ({"mahjong": rules_pb2.MahjongDraw()}, ErrorReason.MISSING_FIELD, "mahjong.indicator"),
        ({"mahjong": rules_pb2.MahjongDraw(indicator=tile("z9"))}, ErrorReason.UNKNOWN_TILE, "mahjong.indicator.text"),
        ({"doudizhu": rules_pb2.DoudizhuDraw(drawn_ranks=[1])}, ErrorReason.WRONG_GAME, "rules.preset"),
    ],
)
def test_what_is_wrong_with_a_draw_is_named(client, refused, draw, reason, field):
    request = rules_pb2.DetermineWildRequest(rules=selector("enshi"), **draw)
    refused(client.rules.DetermineWild, request, INVALID, reason, field)
