"""What the service is asked: seeded requests as the bytes that go over the wire, each kind with its method."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from grpc_health.v1 import health_pb2

from laizi.cards import RANKS
from laizi.tiles import NAMES
from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2
from laizi_bench import deals

__all__ = ["KINDS", "LARGEST_ROW", "Ask", "hands_column", "largest_column"]

_DIFFERENT: Final = 2_000
"""Hands and plays that differ; a larger request holds them again."""
_WILD: Final = "7"
_HUANLE: Final = types_pb2.RuleSetSelector(preset="huanle")
_GUANGDONG: Final = types_pb2.RuleSetSelector(preset="guangdong_gui")
_SEVENS: Final = types_pb2.Wilds(ranks=_WILD)
_RED_DRAGON: Final = types_pb2.WildTiles(wilds=types_pb2.Tiles(text="z7"))
LARGEST_ROW: Final = 42
"""Bytes of a row of CheckHuColumns with every optional column."""


@dataclass(frozen=True)
class Ask:
    """A kind of request."""

    path: str
    """The method as HTTP/2 names it."""
    make: Callable[[int, int], tuple[bytes, ...]]
    """Requests of so many hands each, from a seed: several that differ where each has one hand."""
    stream: str = ""
    """On a stream that stays open, each after its correlation id: the method that answers it there."""

    @property
    def counted(self) -> tuple[str, str, str]:
        """The counter that counts the answers, and its labels: service and method."""
        service, method = self.path.strip("/").split("/")
        if self.stream:
            return "laizi_stream_requests_handled_total", service, self.stream
        return "grpc_server_handled_total", service, method


def _cached(make: Callable[[int, int], Iterable[Any]]) -> Callable[[int, int], tuple[bytes, ...]]:
    @functools.lru_cache(maxsize=8)
    def bodies(seed: int, hands: int) -> tuple[bytes, ...]:
        return tuple(message.SerializeToString() for message in make(seed, hands))

    return bodies


@functools.lru_cache(maxsize=2)
def _rows(seed: int) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """Plays with sevens wild, and hands of 14 tiles with red dragons wild."""
    plays = deals.play_workload(seed, _DIFFERENT, wild_ranks=[_WILD])[0].rows
    hands = deals.hands_of_tiles(seed, _DIFFERENT).rows
    return (
        tuple(plays[at : at + 16] for at in range(0, len(plays), 16)),
        tuple(hands[at : at + 34] for at in range(0, len(hands), 34)),
    )


def _cards(row: bytes) -> types_pb2.Cards:
    words = int.from_bytes(row[:8], "little"), int.from_bytes(row[8:], "little")
    text = "".join(letter * (word >> 4 * rank & 15) for word in words for rank, letter in enumerate(RANKS))
    return types_pb2.Cards(text=text)


def _tiles(row: bytes) -> types_pb2.Tiles:
    return types_pb2.Tiles(text=" ".join(name for name, count in zip(NAMES, row, strict=True) for _ in range(count)))


def _many(rows: tuple[bytes, ...], hands: int) -> list[bytes]:
    return [*(rows * (hands // len(rows) + 1))[:hands]]


def hands_column(seed: int, hands: int) -> bytes:
    """Return rows of 34 counts, the hands of every kind that asks about mahjong."""
    return b"".join(_many(_rows(seed)[1], hands))


def largest_column(seed: int, rows: int) -> bytes:
    """Return a request with every optional column, 42 bytes a row."""
    request = mahjong_pb2.CheckHuColumnsRequest(
        rules=_GUANGDONG,
        wilds=_RED_DRAGON,
        hands=mahjong_pb2.HandColumns(concealed=hands_column(seed, rows), melds=bytes(5 * rows), downs=bytes(rows)),
        winning_tiles=b"\xff" * rows,
        circumstances=bytes(rows),
    )
    return request.SerializeToString()


def _reads(seed: int, hands: int) -> Iterable[doudizhu_pb2.ReadPlayRequest]:
    for row in _many(_rows(seed)[0], hands):
        yield doudizhu_pb2.ReadPlayRequest(rules=_HUANLE, wilds=_SEVENS, cards=_cards(row))


def _hus(seed: int, hands: int) -> Iterable[mahjong_pb2.CheckHuRequest]:
    for row in _many(_rows(seed)[1], hands):
        yield mahjong_pb2.CheckHuRequest(rules=_GUANGDONG, wilds=_RED_DRAGON, concealed=_tiles(row))


KINDS: Final = {
    "echo": Ask("/grpc.health.v1.Health/Check", _cached(lambda _, __: [health_pb2.HealthCheckRequest()])),
    "read": Ask("/laizi.v1.DoudizhuService/ReadPlay", _cached(lambda seed, _: _reads(seed, _DIFFERENT))),
    "hu": Ask("/laizi.v1.MahjongService/CheckHu", _cached(lambda seed, _: _hus(seed, _DIFFERENT))),
    "read stream": Ask(
        "/laizi.v1.DoudizhuService/Stream",
        _cached(
            lambda seed, _: (
                doudizhu_pb2.DoudizhuServiceStreamRequest(read_play=one) for one in _reads(seed, _DIFFERENT)
            )
        ),
        stream="ReadPlay",
    ),
    "hu stream": Ask(
        "/laizi.v1.MahjongService/Stream",
        _cached(
            lambda seed, _: (mahjong_pb2.MahjongServiceStreamRequest(check_hu=one) for one in _hus(seed, _DIFFERENT))
        ),
        stream="CheckHu",
    ),
    "read batch": Ask(
        "/laizi.v1.DoudizhuService/BatchReadPlays",
        _cached(lambda seed, hands: [doudizhu_pb2.BatchReadPlaysRequest(rules=_HUANLE, items=_reads(seed, hands))]),
    ),
    "hu batch": Ask(
        "/laizi.v1.MahjongService/BatchCheckHu",
        _cached(lambda seed, hands: [mahjong_pb2.BatchCheckHuRequest(rules=_GUANGDONG, items=_hus(seed, hands))]),
    ),
    "read columns": Ask(
        "/laizi.v1.DoudizhuService/ReadPlayColumns",
        _cached(
            lambda seed, hands: [
                doudizhu_pb2.ReadPlayColumnsRequest(
                    rules=_HUANLE, wilds=_SEVENS, plays=b"".join(_many(_rows(seed)[0], hands))
                )
            ]
        ),
    ),
    "hu columns": Ask(
        "/laizi.v1.MahjongService/CheckHuColumns",
        _cached(
            lambda seed, hands: [
                mahjong_pb2.CheckHuColumnsRequest(
                    rules=_GUANGDONG,
                    wilds=_RED_DRAGON,
                    hands=mahjong_pb2.HandColumns(concealed=hands_column(seed, hands)),
                )
            ]
        ),
    ),
}
"""The kinds of requests, by the names of the cases."""
