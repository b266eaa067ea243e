"""Messages that no client should send, by the thousand, at a service in a process of its own.

``python -m tests.service.barrage --messages 1000000`` runs it for long, and prints its seed, what was answered and how
much memory the service took. It ends with an error as soon as an answer is none of the documented ones.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import time
import urllib.request
from collections import Counter, deque
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from laizi.errors import ErrorReason
from laizi.v1 import doudizhu_pb2, mahjong_pb2, rules_pb2
from laizi_service.client import channel, failure, health
from laizi_service.launch import Launched
from laizi_service.native.wire import varint
from tests.service.fuzzer import SEEDS, Fuzzer
from tests.service.requests import selector

SERVICES: Final = [
    next(iter(file.DESCRIPTOR.services_by_name.values())) for file in (doudizhu_pb2, mahjong_pb2, rules_pb2)
]
AT_ONCE: Final = 64
"""Calls under way: below what the service queues, so that none is sent away."""
STREAMED: Final = 200
"""Requests on one stream."""
CORPUS: Final = 100
"""Requests of each method that bytes are taken from, and how many messages go by until they are made anew."""
RENEWED: Final = 10_000
SLOW_SECONDS: Final = 120.0
"""An answer that takes longer has hung."""
WIDTHS: Final = {"plays": 16, "hands": 16, "previous": 2, "concealed": 34, "melds": 5, "downs": 1}


@dataclasses.dataclass
class Told:
    """What a barrage saw."""

    messages: int = 0
    statuses: Counter[str] = dataclasses.field(default_factory=Counter)
    reasons: Counter[str] = dataclasses.field(default_factory=Counter)
    memory: list[int] = dataclasses.field(default_factory=list)
    """Bytes that the service held, about every hundredth of the way."""


class Barrage:
    """One seed's messages for a running service."""

    def __init__(self, service: Launched, seed: int) -> None:
        self.rng = random.Random(seed)
        self.told = Told()
        self._service = service
        self._fuzzers = {service.name: Fuzzer(self.rng, _game(service)) for service in SERVICES}
        self._unary = [method for service in SERVICES for method in service.methods if not method.client_streaming]
        self._streams = [method for service in SERVICES for method in service.methods if method.client_streaming]
        self._corpus: dict[str, list[bytes]] = {}

    def run(self, messages: int) -> Told:
        """Send so many, and see that the service answers each as documented, and lives."""
        told = self.told
        renewed, sampled = 0, 0
        with channel(self._service.target, retry=False, deadlines=False) as opened:
            while told.messages < messages:
                if told.messages >= renewed:
                    self._corpus = {method.full_name: self._requests(method) for method in self._unary}
                    renewed = told.messages + RENEWED
                if self.rng.random() < 0.5:
                    self._call(opened, min(STREAMED, messages - told.messages))
                else:
                    self._stream(opened, min(STREAMED, messages - told.messages))
                if told.messages >= sampled:
                    told.memory.append(_resident(self._service.pid))
                    sampled += max(messages // 100, STREAMED)
        assert health(self._service.target, timeout=SLOW_SECONDS) == "SERVING"
        with urllib.request.urlopen(self._service.metrics_url) as page:
            assert b'reason="INTERNAL_FAULT"} 0.0' in (text := page.read()) or b"INTERNAL_FAULT" not in text
        # What is kept for repeated questions is bounded; a leak of 100 bytes a message would show in a long run.
        assert told.memory[-1] < 2 * told.memory[len(told.memory) // 3] < 4 << 30, told.memory
        return told

    def _call(self, opened: grpc.Channel, messages: int) -> None:
        """Unary calls, many at once."""
        calls: deque[tuple[MethodDescriptor, bytes, Any]] = deque()
        for _ in range(messages):
            method = self.rng.choice(self._unary)
            data = self._message(method)
            send: Any = opened.unary_unary(f"/{method.containing_service.full_name}/{method.name}")
            calls.append((method, data, send.future(data, timeout=SLOW_SECONDS)))
            if len(calls) == AT_ONCE:
                self._judge(*calls.popleft())
        while calls:
            self._judge(*calls.popleft())
        self.told.messages += messages

    def _judge(self, method: MethodDescriptor, data: bytes, call: Any) -> None:
        try:
            answer = call.result()
        except grpc.RpcError as error:
            self._judge_error(error, method, data)
        else:
            self.told.statuses["OK"] += 1
            assert b"internal fault" not in answer, (method.full_name, data.hex())

    def _judge_error(
        self,
        error: grpc.RpcError,
        method: MethodDescriptor,
        data: bytes,
        documented: Container[ErrorReason] = frozenset(ErrorReason) - {ErrorReason.INTERNAL_FAULT},
    ) -> None:
        failed = failure(error)
        self.told.statuses[failed.code.name] += 1
        self.told.reasons[failed.reason or ""] += 1
        wrong = (method.full_name, failed, data[:2000].hex())
        # gRPC's own refusal of a message that is too large has no reason.
        assert failed.reason in documented or failed.code is grpc.StatusCode.RESOURCE_EXHAUSTED, wrong
        assert failed.code is not grpc.StatusCode.DEADLINE_EXCEEDED, wrong

    def _stream(self, opened: grpc.Channel, messages: int) -> None:
        """Requests on a stream, each in its field of the stream's message, or bytes that are no request at all."""
        method = self.rng.choice(self._streams)
        fields = method.input_type.oneofs_by_name["request"].fields
        by_type = {asked.input_type: asked for asked in method.containing_service.methods if not asked.client_streaming}
        sent: list[bytes] = []
        for number in range(messages):
            field = self.rng.choice(fields)
            inner = self._message(by_type[field.message_type], whole=True)
            outer = b"\x08" + varint(number + 1) + varint(field.number << 3 | 2) + varint(len(inner)) + inner
            sent.append(self.rng.randbytes(self.rng.randrange(40)) if self.rng.random() < 0.0005 else outer)
        send: Any = opened.stream_stream(f"/{method.containing_service.full_name}/{method.name}")
        answers = send(iter(sent), timeout=SLOW_SECONDS)
        came = 0
        try:
            for answer in answers:
                assert b"internal fault" not in answer, method.full_name
                came += 1
        except grpc.RpcError as error:
            # Bytes that are no request end the stream, and what came after them was not read; nothing else does.
            self._judge_error(error, method, b"", {ErrorReason.MALFORMED_MESSAGE})
        else:
            assert came == len(sent), (method.full_name, came)
        self.told.statuses["answered on streams"] += came
        self.told.messages += came

    def _message(self, method: MethodDescriptor, *, whole: bool = False) -> bytes:
        """Bytes for a method; ``whole`` ones are a message of its type."""
        chance = self.rng.random()
        if chance < 0.1 and not whole:
            return self.rng.randbytes(self.rng.randrange(80))
        if chance < 0.1002:
            return self._huge(method, 1_000_000 if whole else 17_000_000)
        data = self.rng.choice(self._corpus[method.full_name])
        if chance < 0.3:
            return data
        parse = GetMessageClass(method.input_type).FromString
        for _ in range(8):
            bent = self._bent(data)
            try:
                parse(bent)
            except DecodeError:
                if chance < 0.4 and not whole:
                    return bent
            else:
                return bent
        return data

    def _bent(self, data: bytes) -> bytes:
        """A message with some of its bytes changed, repeated, left out, or replaced by those of another."""
        bent = bytearray(data)
        for _ in range(self.rng.choice((1, 1, 1, 2, 4, 8))):
            at = self.rng.randrange(len(bent) + 1)
            to = min(len(bent), at + self.rng.randrange(1, 9))
            match self.rng.randrange(5):
                case 0 if bent:
                    bent[min(at, len(bent) - 1)] ^= 1 << self.rng.randrange(8)
                case 1:
                    bent[at:to] = b""
                case 2:
                    bent[at:at] = bent[at:to] * self.rng.choice((1, 2, 50))
                case 3:
                    bent[at:to] = varint(self.rng.choice((2**7, 2**31 - 1, 2**31, 2**32, 2**63, 2**64 - 1)))
                case _:
                    bent[at:to] = self.rng.randbytes(to - at)
        return bytes(bent)

    def _huge(self, method: MethodDescriptor, letters: int) -> bytes:
        """More items, rows or letters than the service takes, or as many as it takes."""
        request: Any = GetMessageClass(method.input_type)()
        names = [field.name for field in method.input_type.fields]
        if "rules" in names:
            request.rules.preset = self.rng.choice(self._fuzzers[method.containing_service.name].presets)
        if "items" in names:
            for _ in range(self.rng.choice((1_000, 10_001))):
                request.items.add()
        elif method.name.endswith("Columns"):
            rows = self.rng.choice((1_000, 200_001))
            for column, name in self._columns(request):
                setattr(column, name, bytes(WIDTHS.get(name, 1) * rows))
        elif "toml" in names:
            request.toml = "a." * self.rng.choice((1_000, 200_000))
        elif "rules" in names:
            request.rules.expect_digest = "x" * self.rng.choice((1_000, letters))
        data: bytes = request.SerializeToString()
        return data

    def _requests(self, method: MethodDescriptor) -> list[bytes]:
        return [self._request(method).SerializeToString() for _ in range(CORPUS)]

    def _request(self, method: MethodDescriptor) -> Any:
        fuzzer = self._fuzzers[method.containing_service.name]
        request: Any = GetMessageClass(method.input_type)()
        if method.name in SEEDS and self.rng.random() < 0.8:
            request.CopyFrom(SEEDS[method.name])
            for _ in range(self.rng.randrange(3)):
                fuzzer.mutate(request)
            return request
        fuzzer.fill(request)
        if method.name.endswith("Columns"):
            request.rules.CopyFrom(selector(self.rng.choice(fuzzer.presets)))
            rows = self.rng.randrange(1, 40)
            for column, name in self._columns(request):
                if name in ("plays", "hands", "concealed") or self.rng.random() < 0.5:
                    setattr(column, name, self._rows(WIDTHS.get(name, 1) * rows))
        elif method.name.startswith("Batch"):
            single = next(
                one for one in self._unary if one.input_type is method.input_type.fields_by_name["items"].message_type
            )
            for _ in range(self.rng.randrange(6)):
                request.items.add().CopyFrom(self._request(single))
        return request

    def _rows(self, size: int) -> bytes:
        """Rows that are mostly small counts."""
        return bytes(self.rng.choices((0, 1, 2, 3, 4, 5, 255), (60, 20, 8, 6, 4, 1, 1), k=size))

    def _columns(self, request: Any) -> Iterator[tuple[Any, str]]:
        for field in request.DESCRIPTOR.fields:
            if field.name == "hands" and field.message_type is not None:
                yield from self._columns(request.hands)
            elif field.type == field.TYPE_BYTES:
                yield request, field.name


def _game(service: Any) -> str:
    return {"DoudizhuService": "doudizhu", "MahjongService": "mahjong"}.get(service.name, "rules")


def _resident(pid: int) -> int:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def main() -> None:
    """Run a barrage and print what it saw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    start = time.monotonic()
    with Launched() as service:
        barrage = Barrage(service, given.seed)
        try:
            told = barrage.run(given.messages)
        finally:
            print(f"{barrage.told.messages} messages in {time.monotonic() - start:.0f} s", dict(barrage.told.statuses))
    print("reasons", dict(told.reasons.most_common()))
    print("memory, MiB", *(f"{size / 2**20:.0f}" for size in told.memory[:: max(1, len(told.memory) // 10)]))


if __name__ == "__main__":
    main()
