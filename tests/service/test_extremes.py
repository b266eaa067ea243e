"""Rules and requests that are allowed and extreme: an error that says what is too large, never an internal fault."""

from fractions import Fraction
from typing import Any

import grpc
import pytest

from laizi.errors import ErrorReason
from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2
from tests.service.requests import card, selector

INVALID = grpc.StatusCode.INVALID_ARGUMENT
HUGE = {"score.hard": 10**9, "score.small.zimo": 10**9, "score.small.base": 10**9}


def tiles(text: str) -> types_pb2.Tiles:
    return types_pb2.Tiles(text=text)


def settle(**fields: Any) -> doudizhu_pb2.SettleGameRequest:
    seats = [doudizhu_pb2.SeatRecord(plays=1, out=seat == 0) for seat in range(3)]
    return doudizhu_pb2.SettleGameRequest(rules=selector("huanle"), seats=seats, **fields)


def test_points_beyond_64_bits_are_refused_by_name(client, refused):
    request = mahjong_pb2.CheckHuRequest(
        rules=selector("guangdong_gui", HUGE),
        wilds=types_pb2.WildTiles(wilds=tiles("9p")),
        concealed=tiles("123m456p789s55m"),
        circumstances=mahjong_pb2.WinCircumstances(mode=mahjong_pb2.WIN_MODE_ZIMO),
    )
    refused(client.mahjong.CheckHu, request, INVALID, ErrorReason.VALUE_OUT_OF_RANGE, "rules")


def test_a_scale_beyond_31_bits_is_refused_by_name(client, refused):
    overrides = {
        "score.hard": "1/997",
        "score.small.zimo": "1/991",
        "score.small.base": "1/983",
        "score.big.zimo": "1/977",
    }
    request = mahjong_pb2.CheckHuColumnsRequest(
        rules=selector("guangdong_gui", overrides), hands=mahjong_pb2.HandColumns(concealed=bytes(34))
    )
    refused(client.mahjong.CheckHuColumns, request, INVALID, ErrorReason.VALUE_OUT_OF_RANGE, "rules")


def test_a_long_option_name_gets_its_reason_and_not_the_transport_s(client, refused):
    request = doudizhu_pb2.ReadPlayRequest(rules=selector("huanle", {"w" * 300_000: 1}), cards=card("3"))
    failed = refused(
        client.doudizhu.ReadPlay, request, INVALID, ErrorReason.UNKNOWN_OPTION, f"rules.overrides.{'w' * 64}…"
    )
    assert len(failed.message) < 400


def test_chosen_wilds_are_those_that_players_may_choose(client, refused):
    for chosen in ("X", "7c7s", "7h"):
        request = doudizhu_pb2.ReadPlayRequest(
            rules=selector("chosen_wilds"), wilds=types_pb2.Wilds(cards=card(chosen)), cards=card("3")
        )
        refused(client.doudizhu.ReadPlay, request, INVALID, ErrorReason.WRONG_WILD_COUNT, "wilds.cards.text")
    for chosen in ("7h7d", "XY"):
        request = doudizhu_pb2.ReadPlayRequest(
            rules=selector("chosen_wilds"), wilds=types_pb2.Wilds(cards=card(chosen)), cards=card("3")
        )
        assert client.doudizhu.ReadPlay(request).legal


@pytest.mark.parametrize("value", [Fraction(10**12), Fraction(1, 10**12)])
def test_a_settlement_beyond_64_bits_is_refused(client, value):
    factor = types_pb2.Fraction(numerator=value.numerator, denominator=value.denominator)
    extras = [types_pb2.ExtraFactor(name=name, value=factor) for name in ("taxi", "bus")]
    with pytest.raises(grpc.RpcError) as caught:
        client.doudizhu.SettleGame(settle(extra_factors=extras))
    assert caught.value.code() is INVALID
