"""Every bound on what one call may ask for: over it the status is RESOURCE_EXHAUSTED and names the limit."""

import contextlib
from collections.abc import Iterator
from typing import Any, Final

import grpc
import pytest

from laizi import tiles
from laizi.errors import ErrorReason, RequestError
from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2
from laizi_service.calls import Call
from laizi_service.client import Client
from laizi_service.handlers.mahjong import MahjongHandlers
from laizi_service.metrics import Metrics
from laizi_service.rule_sets import RuleSets
from laizi_service.server import Server
from laizi_service.settings import Settings
from tests.service.callers import Leaving
from tests.service.requests import card, selector, tile

LIMITS: Final[dict[str, Any]] = {
    "max_batch_items": 3,
    "max_rows": 4,
    "max_plays": 5,
    "max_decompositions": 6,
    "max_wild_kinds": 2,
}
HUANLE: Final = selector("huanle")
GUI: Final = selector("guangdong_gui")
HONGZHONG: Final = selector("hongzhong")
TWO: Final = types_pb2.WildTiles(wilds=tile("9m 9p"))


@pytest.fixture(scope="module")
def narrow() -> Iterator[Client]:
    with Server(Settings(port=0, metrics_port=0, **LIMITS)) as server, Client(f"127.0.0.1:{server.port}") as client:
        yield client


def items(name: str) -> Any:
    games = {"ReadPlays": doudizhu_pb2, "ComparePlays": doudizhu_pb2, "SettleGames": doudizhu_pb2}
    request: Any = getattr(games.get(name, mahjong_pb2), f"Batch{name}Request")

    def build(number: int) -> Any:
        made = request()
        for _ in range(number):
            made.items.add()
        return made

    return build


def cards_(message: Any, field: str) -> Any:
    return lambda number: message(rules=HUANLE, **{field: bytes(16 * number)})


def hands(message: Any) -> Any:
    return lambda number: message(rules=HONGZHONG, hands=mahjong_pb2.HandColumns(concealed=bytes(34 * number)))


def compare(number: int) -> doudizhu_pb2.CompareColumnsRequest:
    return doudizhu_pb2.CompareColumnsRequest(rules=HUANLE, previous=bytes(2 * number), plays=bytes(16 * number))


def plays(number: int) -> doudizhu_pb2.ListPlaysRequest:
    return doudizhu_pb2.ListPlaysRequest(rules=HUANLE, hand=card("3456789"), limit=number)


def decompositions(number: int) -> mahjong_pb2.CheckHuRequest:
    return mahjong_pb2.CheckHuRequest(
        rules=GUI,
        wilds=TWO,
        concealed=tile("9999m 9999p 111s 5m5m5m"),
        circumstances=mahjong_pb2.WinCircumstances(mode=mahjong_pb2.WIN_MODE_ZIMO),
        decomposition_limit=number,
    )


def wild_kinds(message: Any, field: str, value: Any) -> Any:
    def build(number: int) -> Any:
        wilds = types_pb2.WildTiles(wilds=tile(" ".join(f"{rank}s" for rank in range(1, number + 1))))
        return message(rules=GUI, wilds=wilds, **{field: value})

    return build


BOUNDS = [
    *(
        ("doudizhu", f"Batch{name}", items(name), "items", "max_batch_items")
        for name in ("ReadPlays", "ComparePlays", "SettleGames")
    ),
    *(
        ("mahjong", f"Batch{name}", items(name), "items", "max_batch_items")
        for name in ("CheckHu", "ListWaits", "SettleHands")
    ),
    ("doudizhu", "ReadPlayColumns", cards_(doudizhu_pb2.ReadPlayColumnsRequest, "plays"), "plays", "max_rows"),
    ("doudizhu", "CanBeatColumns", cards_(doudizhu_pb2.CanBeatColumnsRequest, "hands"), "hands", "max_rows"),
    ("doudizhu", "CompareColumns", compare, "plays", "max_rows"),
    ("mahjong", "CheckHuColumns", hands(mahjong_pb2.CheckHuColumnsRequest), "hands.concealed", "max_rows"),
    ("mahjong", "WaitColumns", hands(mahjong_pb2.WaitColumnsRequest), "hands.concealed", "max_rows"),
    ("mahjong", "ShantenColumns", hands(mahjong_pb2.ShantenColumnsRequest), "hands.concealed", "max_rows"),
    ("doudizhu", "ListPlays", plays, "limit", "max_plays"),
    ("mahjong", "CheckHu", decompositions, "decomposition_limit", "max_decompositions"),
    *(
        ("mahjong", name, wild_kinds(message, "concealed", tile(hand)), "wilds.wilds.text", "max_wild_kinds")
        for name, message, hand in (
            ("CheckHu", mahjong_pb2.CheckHuRequest, "11m"),
            ("ListWaits", mahjong_pb2.ListWaitsRequest, "1m"),
            ("Shanten", mahjong_pb2.ShantenRequest, "1m"),
        )
    ),
    (
        "mahjong",
        "CheckHuColumns",
        wild_kinds(mahjong_pb2.CheckHuColumnsRequest, "hands", None),
        "wilds.wilds.text",
        "max_wild_kinds",
    ),
]


@pytest.mark.parametrize(
    ("service", "name", "build", "path", "limit"), BOUNDS, ids=[f"{case[1]}-{case[4]}" for case in BOUNDS]
)
def test_over_a_bound_a_call_is_refused_by_its_name(narrow, refused, service, name, build, path, limit):
    method = getattr(getattr(narrow, service), name)
    most = LIMITS[limit]
    # What is asked about may be wrong; that there is too much of it is not.
    assert method.future(build(most)).code() in {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT}
    failed = refused(method, build(most + 1), grpc.StatusCode.RESOURCE_EXHAUSTED, ErrorReason.TOO_MANY_ITEMS, path)
    assert limit in failed.message
    assert dict(failed.metadata) == {"limit": str(most)}


def test_decompositions_are_counted_up_to_the_limit(narrow):
    answer = narrow.mahjong.CheckHu(decompositions(1))
    assert (answer.decomposition_total, len(answer.decompositions)) == (LIMITS["max_decompositions"], 1)


def test_wilds_that_the_rules_fix_are_bounded_too(narrow, refused):
    rules = selector("hongzhong", {"wild.fixed": ["z5", "1m", "2m"]})
    request = mahjong_pb2.CheckHuRequest(rules=rules, concealed=tile("11m"))
    failed = refused(
        narrow.mahjong.CheckHu, request, grpc.StatusCode.RESOURCE_EXHAUSTED, ErrorReason.TOO_MANY_ITEMS, "rules"
    )
    assert "max_wild_kinds" in failed.message


def test_the_more_kinds_are_wild_the_sooner_a_caller_who_went_is_noticed():
    """Sixty hands are one slice, but for four kinds of wilds, of which each hand may take long."""
    handlers = MahjongHandlers(RuleSets(4), Settings())
    for wilds, looks in (("9p", 0), ("9p 9m", 0), ("9p 9m 9s 8s", 3)):
        caller = Leaving()
        request = mahjong_pb2.CheckHuColumnsRequest(
            rules=GUI,
            wilds=types_pb2.WildTiles(wilds=tile(wilds)),
            hands=mahjong_pb2.HandColumns(concealed=tiles.read("123m456p789s55m 9p9p9p").counts * 60),
        )
        with contextlib.suppress(RequestError):
            handlers.CheckHuColumns(request, Call(caller, "", Metrics()))  # type: ignore[arg-type]  # all it asks of it
        assert caller.looks == looks


def test_every_limit_of_a_call_is_tried():
    """A new setting ``max_…`` belongs into the table above, or among those of the transport and the pools."""
    elsewhere = {"max_message_bytes", "max_waiting_calls", "max_waiting_batches", "max_streams", "max_stream_batches"}
    named = {setting.name for setting in Settings.describe() if setting.name.startswith("max_")}
    assert named == elsewhere | set(LIMITS)
    assert {case[4] for case in BOUNDS} == set(LIMITS)
