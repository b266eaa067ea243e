"""Batches of messages: order kept, each item by itself, limits and the batch's own rules."""

import random

import pytest
from google.protobuf.message_factory import GetMessageClass
from grpc import StatusCode

from laizi import rules
from laizi.errors import ErrorReason
from laizi.v1 import doudizhu_pb2, errors_pb2, mahjong_pb2, types_pb2
from laizi_service.handlers.doudizhu import DoudizhuHandlers
from tests.service.requests import card, selector, tile

SEVENS = types_pb2.Wilds(ranks="7")
NINE_PIN = types_pb2.WildTiles(wilds=tile("9p"))
BATCHES = [
    ("doudizhu", doudizhu_pb2.DESCRIPTOR.services_by_name["DoudizhuService"].methods_by_name[name], single)
    for name, single in (
        ("BatchReadPlays", "ReadPlay"),
        ("BatchComparePlays", "ComparePlays"),
        ("BatchSettleGames", "SettleGame"),
    )
] + [
    ("mahjong", mahjong_pb2.DESCRIPTOR.services_by_name["MahjongService"].methods_by_name[name], single)
    for name, single in (
        ("BatchCheckHu", "CheckHu"),
        ("BatchListWaits", "ListWaits"),
        ("BatchSettleHands", "SettleHand"),
    )
]


def plays(rng: random.Random, count: int) -> list[doudizhu_pb2.ReadPlayRequest]:
    pack = [rank for rank in "3456789TJQKA2" for _ in range(4)] + ["X", "Y"]
    made = []
    for _ in range(count):
        text = "".join(rng.sample(pack, rng.randrange(1, 9)))
        wrong = rng.random() < 0.2
        made.append(doudizhu_pb2.ReadPlayRequest(wilds=SEVENS, cards=card("33333" if wrong else text)))
    return made


def test_each_item_is_answered_as_alone_and_in_order(client, rng, refused):
    items = plays(rng, 60)
    batch = doudizhu_pb2.BatchReadPlaysRequest(rules=selector("huanle"), items=items)
    answer = client.doudizhu.BatchReadPlays(batch)
    assert answer.provenance.rule_set_digest == rules.load("huanle").digest
    assert len(answer.results) == len(items)
    for item, result in zip(items, answer.results, strict=True):
        item.rules.CopyFrom(selector("huanle"))
        if result.WhichOneof("result") == "error":
            failed = refused(
                client.doudizhu.ReadPlay, item, StatusCode.INVALID_ARGUMENT, ErrorReason.TOO_MANY_COPIES, "cards.text"
            )
            assert result.error == errors_pb2.ItemError(
                reason=errors_pb2.ERROR_REASON_TOO_MANY_COPIES,
                field="cards.text",
                message=failed.message.removeprefix("cards.text: "),
                position=4,
                limit=4,
            )
        else:
            alone = client.doudizhu.ReadPlay(item)
            alone.ClearField("provenance")
            assert result.response == alone


def test_an_item_with_rules_of_its_own_tells_them_itself(client):
    own = doudizhu_pb2.ReadPlayRequest(rules=selector("wuhan"), wilds=SEVENS, cards=card("77"))
    borrowing = doudizhu_pb2.ReadPlayRequest(wilds=SEVENS, cards=card("77"))
    batch = doudizhu_pb2.BatchReadPlaysRequest(rules=selector("huanle"), items=[own, borrowing])
    first, second = client.doudizhu.BatchReadPlays(batch).results
    assert not first.response.legal
    assert first.response.provenance.rule_set == "wuhan"
    assert second.response.legal
    assert not second.response.HasField("provenance")


def test_items_without_any_rules_are_each_refused(client):
    batch = doudizhu_pb2.BatchReadPlaysRequest(items=[doudizhu_pb2.ReadPlayRequest(cards=card("3"))] * 2)
    answer = client.doudizhu.BatchReadPlays(batch)
    assert [(result.error.reason, result.error.field) for result in answer.results] == [
        (errors_pb2.ERROR_REASON_MISSING_FIELD, "rules")
    ] * 2
    assert not answer.HasField("provenance")


@pytest.mark.parametrize(("game", "method", "single"), BATCHES, ids=lambda value: getattr(value, "name", value))
def test_an_empty_batch_answers_empty_and_a_large_one_is_refused(client, refused, game, method, single):
    call = getattr(getattr(client, game), method.name)
    request = GetMessageClass(method.input_type)
    assert call(request()) == GetMessageClass(method.output_type)()
    item = GetMessageClass(method.input_type.fields_by_name["items"].message_type)()
    failed = refused(
        call, request(items=[item] * 101), StatusCode.RESOURCE_EXHAUSTED, ErrorReason.TOO_MANY_ITEMS, "items"
    )
    assert "max_batch_items is 100" in failed.message
    assert dict(failed.metadata)["limit"] == "100"


@pytest.mark.parametrize(("game", "method", "single"), BATCHES, ids=lambda value: getattr(value, "name", value))
def test_a_batch_whose_every_item_is_wrong_answers_every_error(client, game, method, single):
    item = GetMessageClass(method.input_type.fields_by_name["items"].message_type)()
    preset = "points_rob" if game == "doudizhu" else "guangdong_gui"
    request = GetMessageClass(method.input_type)(rules=selector(preset), items=[item] * 100)
    answer = getattr(getattr(client, game), method.name)(request)
    assert len(answer.results) == 100
    assert {result.WhichOneof("result") for result in answer.results} == {"error"}
    assert answer.provenance.rule_set == preset


def test_a_batch_under_rules_that_do_not_exist_is_refused(client, refused):
    batch = mahjong_pb2.BatchCheckHuRequest(rules=selector("enshy"), items=[mahjong_pb2.CheckHuRequest()])
    refused(
        client.mahjong.BatchCheckHu,
        batch,
        StatusCode.INVALID_ARGUMENT,
        ErrorReason.UNKNOWN_RULE_SET,
        "rules.preset",
    )


def test_mahjong_items_are_answered_as_alone(client):
    hands = ["123m456p789s11z555m", "19m19p19s1234567z1m", "22m33m44p55p66s77s99p", "11m"]
    items = [mahjong_pb2.CheckHuRequest(wilds=NINE_PIN, concealed=tile(hand)) for hand in hands]
    batch = mahjong_pb2.BatchCheckHuRequest(rules=selector("guangdong_gui"), items=items)
    for item, result in zip(items, client.mahjong.BatchCheckHu(batch).results, strict=True):
        item.rules.CopyFrom(selector("guangdong_gui"))
        alone = client.mahjong.CheckHu(item)
        alone.ClearField("provenance")
        assert result.response == alone


def test_hands_are_counted_one_by_one_and_errors_too(client, scrape):
    names = ('laizi_hands_total{game="doudizhu",operation="read"}', 'laizi_errors_total{reason="EMPTY_PLAY"}')
    before = scrape()
    items = [doudizhu_pb2.ReadPlayRequest(cards=card(text)) for text in ("3", "33", "")]
    client.doudizhu.BatchReadPlays(doudizhu_pb2.BatchReadPlaysRequest(rules=selector("huanle"), items=items))
    after = scrape()
    assert [after[name] - before.get(name, 0) for name in names] == [3, 1]


def test_a_fault_at_one_item_does_not_touch_the_others(client, monkeypatch, caplog):
    whole = DoudizhuHandlers._evaluator

    def breaking(self, selected, wilds):
        if wilds.ranks == "8":
            raise RuntimeError("a secret of the server")
        return whole(self, selected, wilds)

    monkeypatch.setattr(DoudizhuHandlers, "_evaluator", breaking)
    items = [
        doudizhu_pb2.ReadPlayRequest(wilds=types_pb2.Wilds(ranks=ranks), cards=card("3")) for ranks in ("7", "8", "9")
    ]
    batch = doudizhu_pb2.BatchReadPlaysRequest(rules=selector("huanle"), items=items)
    results = client.doudizhu.BatchReadPlays(batch).results
    assert [result.WhichOneof("result") for result in results] == ["response", "error", "response"]
    assert results[1].error.reason == errors_pb2.ERROR_REASON_INTERNAL_FAULT
    assert "secret" not in results[1].error.message
    assert "a secret of the server" in caplog.text
