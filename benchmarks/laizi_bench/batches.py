"""``laizi bench batches``: batches of messages from bytes to bytes, in this process and on one thread.

Beside each stands what the generated classes allow when nothing is evaluated: the request is parsed, the answer, known
beforehand, is built message by message, and its bytes are made.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from google.protobuf.message_factory import GetMessageClass

from laizi.v1 import doudizhu_pb2, mahjong_pb2, types_pb2
from laizi_bench.measure import Case
from laizi_bench.workload import KINDS
from laizi_service.answering import Library, method
from laizi_service.settings import Settings

__all__ = ["cases"]

_GAME: Final = doudizhu_pb2.SettleGameRequest(
    landlord=1,
    seats=[
        doudizhu_pb2.SeatRecord(plays=3),
        doudizhu_pb2.SeatRecord(plays=8, out=True, doubled=True),
        doudizhu_pb2.SeatRecord(plays=2),
    ],
    robs=1,
    bombs=[
        doudizhu_pb2.PlayedBomb(type=doudizhu_pb2.PLAY_TYPE_BOMB, tier=doudizhu_pb2.BOMB_TIER_SOFT, cards=4, seat=1)
    ],
)
_HAND: Final = mahjong_pb2.SettleHandRequest(
    winner_seats=[0],
    circumstances=mahjong_pb2.WinCircumstances(mode=mahjong_pb2.WIN_MODE_ZIMO),
    table=mahjong_pb2.TableFactors(dealer=1),
)
_HUANLE: Final = types_pb2.RuleSetSelector(preset="huanle")
_GUANGDONG: Final = types_pb2.RuleSetSelector(preset="guangdong_gui")


def cases(seed: int, size: int) -> Iterator[Case]:
    """Yield two cases for each RPC that takes batches, of ``size`` items each."""
    library = Library(Settings())
    for name, items in _questions(seed, size).items():
        batch = method(name)
        rules = _HUANLE if name.startswith("Doudizhu") else _GUANGDONG
        request_class: Any = GetMessageClass(batch.input_type)
        data: bytes = request_class(rules=rules, items=items).SerializeToString()
        answer = functools.partial(library.answering(batch), data)
        known = _Known(GetMessageClass(batch.output_type).FromString(answer()))
        generated = f"{batch.name}, generated classes"
        yield Case(generated, size, _building(request_class, data, known))
        yield Case(batch.name, size, answer, generated)


def _building(request_class: Any, data: bytes, known: _Known) -> Callable[[], object]:
    def build() -> bytes:
        for _ in request_class.FromString(data).items:
            pass
        written: bytes = known.build().SerializeToString()
        return written

    return build


class _Known:
    """A message that is known beforehand, to be built again from its values."""

    def __init__(self, message: Any) -> None:
        self._class = type(message)
        self._values: dict[str, Any] = {}
        self._messages: dict[str, _Known] = {}
        self._repeated: dict[str, list[_Known]] = {}
        for field, value in message.ListFields():
            if field.message_type is None:
                self._values[field.name] = list(value) if field.is_repeated else value
            elif field.is_repeated:
                self._repeated[field.name] = [_Known(one) for one in value]
            else:
                self._messages[field.name] = _Known(value)

    def build(self) -> Any:
        """Return the message anew."""
        made = self._class(**self._values, **{name: one.build() for name, one in self._messages.items()})
        for name, several in self._repeated.items():
            getattr(made, name).extend([one.build() for one in several])
        return made


def _questions(seed: int, size: int) -> Mapping[str, list[Any]]:
    """The items of each RPC: those of the other measurements, and a game and a hand to settle."""
    reads = doudizhu_pb2.BatchReadPlaysRequest.FromString(KINDS["read batch"].make(seed, size)[0]).items
    hus = mahjong_pb2.BatchCheckHuRequest.FromString(KINDS["hu batch"].make(seed, size)[0]).items
    for one in (*reads, *hus):
        one.ClearField("rules")
    compared = [
        doudizhu_pb2.ComparePlaysRequest(
            wilds=one.wilds,
            challenger=doudizhu_pb2.Play(cards=one.cards),
            previous=doudizhu_pb2.Play(reading="pair:5:1" if index % 2 else "triplet:4:1"),
        )
        for index, one in enumerate(reads)
    ]
    waiting = [
        mahjong_pb2.ListWaitsRequest(
            wilds=one.wilds, concealed=types_pb2.Tiles(text=" ".join(one.concealed.text.split()[:-1]))
        )
        for one in hus
    ]
    return {
        "DoudizhuService.BatchReadPlays": list(reads),
        "DoudizhuService.BatchComparePlays": compared,
        "DoudizhuService.BatchSettleGames": [_GAME] * size,
        "MahjongService.BatchCheckHu": list(hus),
        "MahjongService.BatchListWaits": waiting,
        "MahjongService.BatchSettleHands": [_HAND] * size,
    }
