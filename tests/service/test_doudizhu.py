"""DoudizhuService over a real channel: what the engine's own tests cannot see."""

from concurrent import futures

import pytest
from google.protobuf import json_format
from grpc import StatusCode

import laizi
from laizi import rules
from laizi.doudizhu import ComparisonReason
from laizi.errors import ErrorReason, PlayRefusal
from laizi.v1 import doudizhu_pb2 as pb
from laizi.v1 import errors_pb2, types_pb2
from tests.service.requests import as_text, card, card_codes, selector

SEVENS = types_pb2.Wilds(ranks="7")


def read(cards: types_pb2.Cards, preset: str = "huanle", wilds: types_pb2.Wilds = SEVENS, **more) -> pb.ReadPlayRequest:
    return pb.ReadPlayRequest(rules=selector(preset), wilds=wilds, cards=cards, **more)


def reasons(refusals) -> list[str]:
    return [errors_pb2.PlayRefusal.Name(item.reason).removeprefix("PLAY_REFUSAL_") for item in refusals]


def test_every_reading_comes_with_cards_stand_ins_and_clauses(client):
    answer = client.doudizhu.ReadPlay(read(card("3s 3h 3d 7h")))
    assert answer.legal
    assert answer.taken == "bomb:3:4:soft"
    bomb, triple = answer.readings
    assert (bomb.code, bomb.type, bomb.main_rank, bomb.length, bomb.tier, bomb.size) == (
        *("bomb:3:4:soft", pb.PLAY_TYPE_BOMB, "3", 4, pb.BOMB_TIER_SOFT, 4),
    )
    assert bomb.body.text == "3d 3h 3s 7h"
    assert [(item.wild.text, item.rank) for item in bomb.stand_ins] == [("7h", "3")]
    assert (triple.code, triple.body.text, triple.kickers.text) == ("triple_1:3:1", "3d 3h 3s", "7h")
    assert "D6-40" in bomb.clauses
    assert "D6-32" in triple.clauses
    assert answer.provenance == types_pb2.Provenance(
        rule_set="huanle", rule_set_digest=rules.load("huanle").digest, engine_version=laizi.__version__
    )


def test_a_declaration_chooses_the_reading(client):
    answer = client.doudizhu.ReadPlay(read(card("3337"), declared_reading="triple_1:3:1"))
    assert (answer.taken, answer.readings[0].code) == ("triple_1:3:1", "triple_1:3:1")
    answer = client.doudizhu.ReadPlay(read(card("3337"), declared_cards=card("3333")))
    assert answer.taken == "bomb:3:4:soft"
    answer = client.doudizhu.ReadPlay(read(card("3337"), declared_reading="pair:3:1"))
    assert not answer.legal
    assert reasons(answer.refusals) == ["DECLARED_NOT_A_READING"]
    assert len(answer.readings) == 2


def test_possession_and_the_table_are_checked_together(client):
    answer = client.doudizhu.ReadPlay(read(card("99"), hand=card("89TJ"), previous=pb.Play(reading="pair:T:1")))
    assert not answer.legal
    assert reasons(answer.refusals) == ["NOT_IN_HAND", "DOES_NOT_BEAT"]
    assert answer.taken == ""


def test_a_reading_says_whether_it_beats_the_table(client):
    answer = client.doudizhu.ReadPlay(read(card("3337"), previous=pb.Play(cards=card("99"))))
    assert [(reading.code, reading.beats_previous) for reading in answer.readings] == [
        ("bomb:3:4:soft", True),
        ("triple_1:3:1", False),
    ]


def test_a_refusal_names_the_clause_that_decided(client):
    answer = client.doudizhu.ReadPlay(read(card("77"), preset="wuhan"))
    (refusal,) = answer.refusals
    assert refusal.reason == errors_pb2.PLAY_REFUSAL_WILDS_ALONE_FORBIDDEN
    assert refusal.text == PlayRefusal.WILDS_ALONE_FORBIDDEN.meaning
    assert "D4-17" in refusal.clauses


def test_red_sevens_can_be_wild_alone(client):
    wilds = types_pb2.Wilds(cards=card("7h 7d"))
    answer = client.doudizhu.ReadPlay(read(card("3d 7h"), preset="chosen_wilds", wilds=wilds))
    assert answer.taken == "pair:3:1"
    answer = client.doudizhu.ReadPlay(read(card("3d 7s"), preset="chosen_wilds", wilds=wilds))
    assert not answer.legal


PLAYS = ("3d 3h 3s 7h", "5c 6c 7c 8d 9s", "X Y", "7c 7d", "3c 4c", "8d 8c 8s 8h 3d 7s")


@pytest.mark.parametrize("text", PLAYS)
def test_text_and_codes_get_the_same_answer_each_in_its_form(client, text):
    by_text = client.doudizhu.ReadPlay(read(card(text)))
    by_codes = client.doudizhu.ReadPlay(read(card_codes(text)))
    if by_codes.readings:
        assert {reading.body.WhichOneof("form") for reading in by_codes.readings} == {"codes"}
        assert by_codes != by_text
    as_text(by_codes)
    assert by_codes == by_text


def test_comparison_tells_each_reading_and_why(client):
    request = pb.ComparePlaysRequest(
        rules=selector("huanle"),
        wilds=SEVENS,
        challenger=pb.Play(cards=card("3337")),
        previous=pb.Play(cards=card_codes("9d 9c")),
    )
    answer = client.doudizhu.ComparePlays(request)
    assert answer.beats
    assert [(item.reading.code, item.reading.beats_previous, item.reason) for item in answer.comparisons] == [
        ("bomb:3:4:soft", True, pb.COMPARISON_REASON_BOMB_OVER_OTHER),
        ("triple_1:3:1", False, pb.COMPARISON_REASON_DIFFERENT_TYPE),
    ]
    assert answer.comparisons[0].text == ComparisonReason.BOMB_OVER_OTHER.meaning
    assert answer.comparisons[0].clauses == ["D6-44"]
    assert answer.previous.code == "pair:9:1"
    assert answer.previous.body.codes == bytes([0x09, 0x19])


def test_a_challenger_that_is_no_play_is_an_answer(client):
    request = pb.ComparePlaysRequest(
        rules=selector("huanle"), challenger=pb.Play(cards=card("34")), previous=pb.Play(reading="single:3:1")
    )
    answer = client.doudizhu.ComparePlays(request)
    assert not answer.beats
    assert not answer.comparisons
    assert reasons(answer.refusals) == ["CARDS_FIT_NO_TYPE"]
    assert answer.previous.code == "single:3:1"
    assert not answer.previous.HasField("body")


INVALID = StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("request_", "reason", "field"),
    [
        (read(card("3Z")), ErrorReason.UNKNOWN_RANK, "cards.text"),
        (read(card("33333")), ErrorReason.TOO_MANY_COPIES, "cards.text"),
        (read(card("XYX")), ErrorReason.TOO_MANY_COPIES, "cards.text"),
        (read(card("3d 3d")), ErrorReason.DUPLICATE_CARD, "cards.text"),
        (read(types_pb2.Cards(codes=b"\x00")), ErrorReason.UNKNOWN_CARD_CODE, "cards.codes"),
        (read(card("")), ErrorReason.EMPTY_PLAY, "cards.text"),
        (read(types_pb2.Cards()), ErrorReason.EMPTY_PLAY, "cards"),
        (read(card("3"), hand=card("3344556677889TJQKA222")), ErrorReason.HAND_TOO_LARGE, "hand.text"),
        (read(card("3"), preset="hunle"), ErrorReason.UNKNOWN_RULE_SET, "rules.preset"),
        (read(card("3"), preset="enshi"), ErrorReason.WRONG_GAME, "rules.preset"),
        (read(card("3"), preset="classic"), ErrorReason.WILD_NOT_ALLOWED, "wilds.ranks"),
        (read(card("3"), wilds=types_pb2.Wilds(ranks="X")), ErrorReason.WILD_IS_JOKER, "wilds.ranks"),
        (read(card("3"), wilds=types_pb2.Wilds(ranks="78")), ErrorReason.WRONG_WILD_COUNT, "wilds.ranks"),
        (read(card("3"), wilds=types_pb2.Wilds(cards=card("7h"))), ErrorReason.WILD_NOT_ALLOWED, "wilds.cards.text"),
        (read(card("3"), declared_reading="pair"), ErrorReason.MALFORMED_READING, "declared_reading"),
        (read(card("3"), declared_cards=card("33")), ErrorReason.DECLARED_SIZE_MISMATCH, "declared_cards.text"),
        (read(card("3"), hand=card("3"), last_play=False), ErrorReason.CONTRADICTORY_FIELDS, "last_play"),
        (read(card("3"), previous=pb.Play()), ErrorReason.MISSING_FIELD, "previous"),
        (read(card("3"), previous=pb.Play(reading="x")), ErrorReason.MALFORMED_READING, "previous.reading"),
        (read(card("3"), previous=pb.Play(cards=card("3Z"))), ErrorReason.UNKNOWN_RANK, "previous.cards.text"),
        (read(card("3"), previous=pb.Play(cards=card("34"))), ErrorReason.PREVIOUS_PLAY_ILLEGAL, "previous.cards.text"),
        (
            read(card("3"), previous=pb.Play(cards=card("33"), reading="pair:4:1")),
            ErrorReason.PREVIOUS_PLAY_ILLEGAL,
            "previous.reading",
        ),
        (pb.ReadPlayRequest(cards=card("3")), ErrorReason.MISSING_FIELD, "rules"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_what_is_wrong_with_a_request_is_named(client, refused, request_, reason, field):
    refused(client.doudizhu.ReadPlay, request_, INVALID, reason, field)


def test_an_error_points_at_the_character(client, refused):
    failed = refused(client.doudizhu.ReadPlay, read(card("345Z")), INVALID, ErrorReason.UNKNOWN_RANK, "cards.text")
    assert dict(failed.metadata) == {"position": "3"}
    assert failed.message.startswith("cards.text: 'Z' at character 3")


@pytest.mark.parametrize(
    ("challenger", "previous", "reason", "field"),
    [
        (pb.Play(), pb.Play(reading="single:3:1"), ErrorReason.EMPTY_PLAY, "challenger.cards"),
        (pb.Play(cards=card("Z")), pb.Play(reading="single:3:1"), ErrorReason.UNKNOWN_RANK, "challenger.cards.text"),
        (
            pb.Play(cards=card("4"), reading="x"),
            pb.Play(reading="single:3:1"),
            ErrorReason.MALFORMED_READING,
            "challenger.reading",
        ),
        (pb.Play(cards=card("4")), None, ErrorReason.MISSING_FIELD, "previous"),
    ],
)
def test_what_is_wrong_with_a_comparison_is_named(client, refused, challenger, previous, reason, field):
    request = pb.ComparePlaysRequest(rules=selector("huanle"), challenger=challenger, previous=previous)
    refused(client.doudizhu.ComparePlays, request, INVALID, reason, field)


def test_a_pinned_digest_must_match(client, refused):
    right = pb.ReadPlayRequest(rules=selector("huanle", digest=rules.load("huanle").digest), cards=card("3"))
    assert client.doudizhu.ReadPlay(right).legal
    wrong = pb.ReadPlayRequest(rules=selector("huanle", digest="0" * 16), cards=card("3"))
    refused(
        client.doudizhu.ReadPlay,
        wrong,
        StatusCode.FAILED_PRECONDITION,
        ErrorReason.RULE_SET_DIGEST_MISMATCH,
        "rules.expect_digest",
    )


def test_overrides_and_custom_options_rule_the_answer(client):
    request = read(card("77"))
    request.rules.overrides.update({"wild.alone": "forbidden"})
    assert reasons(client.doudizhu.ReadPlay(request).refusals) == ["WILDS_ALONE_FORBIDDEN"]
    custom = types_pb2.RuleSetSelector()
    custom.custom.update({"wild": {"alone": "forbidden"}})
    answer = client.doudizhu.ReadPlay(pb.ReadPlayRequest(rules=custom, wilds=SEVENS, cards=card("77")))
    assert reasons(answer.refusals) == ["WILDS_ALONE_FORBIDDEN"]
    assert answer.provenance.rule_set == "custom"


def test_many_callers_share_the_compiled_rules(client):
    """Sixteen rule sets by turns from sixteen threads: every answer has its own rules' digest."""

    def ask(number: int) -> tuple[str, str]:
        overrides = {"seq.single": 4 + number % 2, "seq.pair": 3 + number // 2 % 2, "seq.triple": 2 + number // 4 % 4}
        request = pb.ReadPlayRequest(rules=selector("huanle", overrides), wilds=SEVENS, cards=card("3337"))
        return client.doudizhu.ReadPlay(request).provenance.rule_set_digest, rules.load("huanle", overrides).digest

    with futures.ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ask, range(160)))
    assert all(got == expected for got, expected in answers)
    assert len(set(answers)) == 16


def plays(
    hand: types_pb2.Cards, preset: str = "huanle", wilds: types_pb2.Wilds = SEVENS, **more
) -> pb.ListPlaysRequest:
    return pb.ListPlaysRequest(rules=selector(preset), wilds=wilds, hand=hand, **more)


def test_hints_come_in_order_and_each_is_a_legal_play(client):
    hand, table = card("4 8 9 9 T J Q Q K 7 X Y"), pb.Play(reading="pair:8:1")
    answer = client.doudizhu.ListPlays(plays(hand, previous=table))
    assert [play.reading.code for play in answer.plays][:2] == ["pair:9:1", "pair:Q:1"]
    assert answer.plays[-1].reading.code == "rocket"
    assert answer.total == len(answer.plays)
    assert answer.may_pass
    for play in answer.plays:
        assert play.reading.beats_previous
        again = read(play.cards, hand=hand, previous=table, declared_reading=play.reading.code)
        checked = client.doudizhu.ReadPlay(again)
        assert checked.legal
        assert checked.taken == play.reading.code


def test_a_limit_cuts_the_list_and_not_the_total(client):
    everything = client.doudizhu.ListPlays(plays(card("3 4 5 6 7 8 9")))
    first = client.doudizhu.ListPlays(plays(card("3 4 5 6 7 8 9"), limit=1))
    assert (first.total, list(first.plays)) == (everything.total, list(everything.plays)[:1])
    assert not first.may_pass
    expanded = client.doudizhu.ListPlays(plays(card("333 4 5"), grouping=pb.PLAY_GROUPING_EXPANDED))
    grouped = client.doudizhu.ListPlays(plays(card("333 4 5")))
    assert expanded.total > grouped.total


def test_a_hand_that_cannot_lead_may_pass_and_is_told_why(client):
    answer = client.doudizhu.ListPlays(plays(card("77"), preset="wuhan"))
    assert (answer.total, answer.may_pass) == (0, True)
    assert "D4-17" in answer.clauses


@pytest.mark.parametrize(
    ("hand", "previous", "beats"), [("3 4 5", "pair:9:1", False), ("3 9 7", "pair:8:1", True), ("XY", "rocket", False)]
)
def test_can_beat_is_what_the_list_says(client, hand, previous, beats):
    request = pb.CanBeatRequest(
        rules=selector("huanle"), wilds=SEVENS, hand=card(hand), previous=pb.Play(reading=previous)
    )
    answer = client.doudizhu.CanBeat(request)
    assert (answer.can_beat, answer.previous.code) == (beats, previous)
    listed = client.doudizhu.ListPlays(plays(card(hand), previous=pb.Play(reading=previous)))
    assert bool(listed.total) == beats


@pytest.mark.parametrize("text", ["3d 4c 5h 6s 7d 8c", "3d 3c 3h 9s 7d"])
def test_lists_of_text_and_codes_are_the_same(client, text):
    by_text = client.doudizhu.ListPlays(plays(card(text), grouping=pb.PLAY_GROUPING_EXPANDED))
    by_codes = client.doudizhu.ListPlays(plays(card_codes(text), grouping=pb.PLAY_GROUPING_EXPANDED))
    as_text(by_codes)
    assert by_codes == by_text


@pytest.mark.parametrize(
    ("request_", "reason", "field"),
    [
        (plays(card("")), ErrorReason.EMPTY_HAND, "hand.text"),
        (plays(card("3Z")), ErrorReason.UNKNOWN_RANK, "hand.text"),
        (plays(card("3"), limit=-1), ErrorReason.VALUE_OUT_OF_RANGE, "limit"),
        (plays(card("3"), grouping=pb.PlayGrouping.ValueType(9)), ErrorReason.UNKNOWN_ENUM_VALUE, "grouping"),
        (plays(card("3"), previous=pb.Play(reading="x")), ErrorReason.MALFORMED_READING, "previous.reading"),
    ],
)
def test_what_is_wrong_with_a_list_is_named(client, refused, request_, reason, field):
    refused(client.doudizhu.ListPlays, request_, INVALID, reason, field)


def test_an_auction_is_replayed(client):
    request = pb.ResolveAuctionRequest(
        rules=selector("huanle"),
        events=[
            pb.AuctionEvent(seat=0, action=pb.AUCTION_ACTION_CALL),
            pb.AuctionEvent(seat=1, action=pb.AUCTION_ACTION_ROB),
        ],
    )
    answer = client.doudizhu.ResolveAuction(request)
    assert (answer.status, answer.phase) == (pb.AUCTION_STATUS_OPEN, pb.AUCTION_PHASE_ROB)
    assert [actor.seat for actor in answer.actors] == [2]
    assert [option.action for option in answer.actors[0].options] == [
        pb.AUCTION_ACTION_ROB,
        pb.AUCTION_ACTION_DECLINE_ROB,
    ]
    assert (answer.multiplier.numerator, answer.multiplier.denominator) == (2, 1)
    assert [factor.name for factor in answer.factors] == ["multiplier", "rob"]
    assert (answer.HasField("landlord"), answer.HasField("provisional_landlord")) == (False, True)


def test_an_event_against_the_rules_is_an_answer(client):
    request = pb.ResolveAuctionRequest(
        rules=selector("huanle"), events=[pb.AuctionEvent(seat=1, action=pb.AUCTION_ACTION_ROB)]
    )
    answer = client.doudizhu.ResolveAuction(request)
    assert answer.status == pb.AUCTION_STATUS_ILLEGAL
    assert answer.illegal_event.index == 0
    assert answer.illegal_event.text


def test_an_action_that_is_none_is_refused(client, refused):
    request = pb.ResolveAuctionRequest(rules=selector("huanle"), events=[pb.AuctionEvent(seat=0)])
    refused(client.doudizhu.ResolveAuction, request, INVALID, ErrorReason.UNKNOWN_ENUM_VALUE, "events[0].action")


def test_a_game_is_settled_factor_by_factor(client):
    request = pb.SettleGameRequest(
        rules=selector("wuhan"),
        bid=3,
        seats=[pb.SeatRecord(out=True, carried=1000), pb.SeatRecord(), pb.SeatRecord()],
        bombs=[pb.PlayedBomb(type=pb.PLAY_TYPE_BOMB, tier=pb.BOMB_TIER_HARD), pb.PlayedBomb(type=pb.PLAY_TYPE_ROCKET)],
    )
    answer = client.doudizhu.SettleGame(request)
    assert answer.landlord_won
    assert [seat.delta.numerator for seat in answer.seats] == [48, -24, -24]
    assert [factor.name for factor in answer.payments[0].factors] == ["bid", "bomb.hard", "rocket"]
    assert answer.payments[0].factors[-1].result == answer.payments[0].amount
    assert answer.bomb_multiplier == types_pb2.Fraction(numerator=8, denominator=1)


@pytest.mark.parametrize(
    ("change", "reason", "field"),
    [
        ({"seats": [pb.SeatRecord()] * 3}, ErrorReason.NO_WINNER, "seats"),
        ({"bid": 0}, ErrorReason.MISSING_FIELD, "bid"),
        ({"bombs": [pb.PlayedBomb(type=pb.PLAY_TYPE_BOMB)]}, ErrorReason.MISSING_FIELD, "bombs[0].tier"),
        ({"bombs": [pb.PlayedBomb()]}, ErrorReason.UNKNOWN_ENUM_VALUE, "bombs[0].type"),
        (
            {"extra_factors": [types_pb2.ExtraFactor(name="x", value=types_pb2.Fraction(numerator=-1))]},
            ErrorReason.VALUE_OUT_OF_RANGE,
            "extra_factors[0].value",
        ),
    ],
)
def test_what_is_wrong_with_a_game_is_named(client, refused, change, reason, field):
    game = {"bid": 3, "seats": [pb.SeatRecord(out=True), pb.SeatRecord(), pb.SeatRecord()]} | change
    refused(
        client.doudizhu.SettleGame,
        pb.SettleGameRequest(rules=selector("points_rob"), **game),
        INVALID,
        reason,
        field,
    )


def test_answers_have_a_json_form(client):
    answer = client.doudizhu.ReadPlay(read(card("3337")))
    assert json_format.Parse(json_format.MessageToJson(answer), pb.ReadPlayResponse()) == answer


def test_hands_and_engine_time_are_counted(client, scrape):
    hands = 'laizi_hands_total{game="doudizhu",operation="read"}'
    engine = 'laizi_engine_seconds_count{game="doudizhu",operation="read"}'
    before = scrape()
    for _ in range(5):
        client.doudizhu.ReadPlay(read(card("3337")))
    after = scrape()
    assert (after[hands] - before[hands], after[engine] - before[engine]) == (5, 5)
