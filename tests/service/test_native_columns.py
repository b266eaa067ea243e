"""Columns from bytes to bytes: what the generated classes answer, byte for byte, in little more memory."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from laizi.errors import LaiziError
from laizi.tiles import Tiles
from laizi.v1 import mahjong_pb2
from laizi_service.calls import Call
from laizi_service.client import Client, channel
from laizi_service.handlers.base import GameHandlers
from laizi_service.handlers.doudizhu import DoudizhuHandlers
from laizi_service.handlers.mahjong import MahjongHandlers
from laizi_service.rule_sets import RuleSets
from laizi_service.settings import Settings
from tests.service.processes import Service
from tests.service.requests import selector, tile

RULE_SETS = RuleSets(64)
SETTINGS = Settings(max_rows=500)
HANDLERS: list[GameHandlers] = [DoudizhuHandlers(RULE_SETS, SETTINGS), MahjongHandlers(RULE_SETS, SETTINGS)]
METHODS = [
    (handlers, method)
    for handlers in HANDLERS
    for method in handlers.service.methods
    if method.name.endswith("Columns")
]
WIN = Tiles.from_text("123456789m 11122p").counts
HU, HARD = 1, 2
WIDTHS = {"plays": 16, "previous": 2, "hands": 16, "concealed": 34, "melds": 5}


def column(rng: random.Random, name: str, rows: int) -> bytes:
    """Bytes that are mostly small, as counts are."""
    size = WIDTHS.get(name, 1) * rows + (rng.random() < 0.05)
    return bytes(rng.choice((0, 0, 0, 0, 0, 1, 1, 2, 3, rng.randrange(256))) for _ in range(size))


def fill(rng: random.Random, message: Any, rows: int, game: str) -> None:
    for field in message.DESCRIPTOR.fields:
        if field.type == FieldDescriptor.TYPE_BYTES:
            if rng.random() < 0.8 or field.number == 1:
                setattr(message, field.name, column(rng, field.name, rows))
        elif field.message_type is not None and field.message_type.name == "RuleSetSelector":
            names = {"mahjong": ("hongzhong", "guangdong_gui", "nothing"), "doudizhu": ("huanle", "classic", "honghu")}
            message.rules.CopyFrom(selector(rng.choice(names[game])))
        elif field.message_type is not None and field.message_type.name == "WildTiles":
            if rng.random() < 0.5:
                message.wilds.wilds.CopyFrom(tile(rng.choice(("z7", "5m", ""))))
        elif field.message_type is not None and field.message_type.name == "Wilds":
            message.wilds.ranks = rng.choice(("7", "", "X"))
        elif field.message_type is not None:
            fill(rng, getattr(message, field.name), rows, game)
        elif rng.random() < 0.3:
            setattr(message, field.name, rng.choice((0, 1)))


def outcome(answer: Callable[[bytes], bytes | None], data: bytes) -> object:
    try:
        return answer(data)
    except LaiziError as error:
        return error.reason, error.path, error.message, error.limit
    except DecodeError:
        return None


@pytest.mark.parametrize(("handlers", "method"), METHODS, ids=lambda value: getattr(value, "name", ""))
def test_an_answer_from_bytes_is_that_of_the_generated_classes(
    rng: random.Random,
    samples: Callable[[int], int],
    call: Call,
    handlers: GameHandlers,
    method: MethodDescriptor,
) -> None:
    native, general = handlers.raw(method.name), handlers.find(method)
    assert native is not None
    assert general is not None
    request_class, answered = GetMessageClass(method.input_type), 0

    def from_bytes(data: bytes) -> bytes | None:
        return native(data, call)

    def in_general(data: bytes) -> bytes:
        return general(request_class.FromString(data), call).SerializeToString()

    total = samples(150)
    for _ in range(total):
        request: Message = request_class()
        fill(rng, request, rng.choice((0, 1, 2, 30, 501)), handlers.game)
        data = request.SerializeToString()
        if rng.random() < 0.2:
            at = rng.randrange(len(data))
            data = data[:at] + rng.randbytes(rng.randint(0, 2)) + data[at + rng.randint(0, 2) :]
        given = outcome(from_bytes, data)
        if given is not None:
            right = outcome(in_general, data)
            assert given == right, request
            answered += isinstance(given, bytes)
    assert answered > total * 0.02


def status(service: Service, name: str) -> int:
    """A size that the kernel tells of a process, in bytes."""
    lines = Path(f"/proc/{service.pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1]) * 1024


def hands(rows: int) -> mahjong_pb2.CheckHuColumnsRequest:
    concealed = mahjong_pb2.HandColumns(concealed=WIN * rows, melds=bytes(5 * rows), downs=bytes(rows))
    return mahjong_pb2.CheckHuColumnsRequest(
        rules=selector("hongzhong"), hands=concealed, winning_tiles=b"\xff" * rows, circumstances=bytes(rows)
    )


def test_the_largest_permitted_batch_takes_at_most_four_times_its_size_in_memory() -> None:
    with Service() as service, Client(channel(service.target, retry=False)) as client:
        client.mahjong.CheckHuColumns(hands(100), timeout=60)
        largest = hands(Settings().max_rows)
        Path(f"/proc/{service.pid}/clear_refs").write_text(
            "5"
        )  # The highest number of pages so far is the present one.
        before = status(service, "VmRSS")
        answer = client.mahjong.CheckHuColumns(largest, timeout=120)
        assert set(answer.verdicts) == {HU | HARD}
        assert status(service, "VmHWM") - before <= 4 * largest.ByteSize()
