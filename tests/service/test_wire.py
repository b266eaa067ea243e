"""The envelope of a stream, taken apart and put together without the generated classes and with them."""

import random

import pytest
from google.protobuf.message import DecodeError

from laizi.v1 import doudizhu_pb2 as pb
from laizi.v1 import types_pb2
from laizi_service.native.wire import Envelope

REQUEST, RESPONSE = pb.DoudizhuServiceStreamRequest, pb.DoudizhuServiceStreamResponse
ENVELOPE = Envelope(REQUEST.DESCRIPTOR, RESPONSE.DESCRIPTOR, "correlation_id")
READ_PLAY = REQUEST.DESCRIPTOR.fields_by_name["read_play"].number
PLAY = pb.ReadPlayRequest(cards=types_pb2.Cards(text="3337"))
INNER = PLAY.SerializeToString()


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**32, 2**63, 2**64 - 1])
@pytest.mark.parametrize("size", [0, 1, 127, 128, 16_383, 16_384, 100_000])
def test_split_and_wrap_are_what_the_generated_classes_read_and_write(number: int, size: int):
    request = REQUEST(correlation_id=number, read_play=pb.ReadPlayRequest(cards=types_pb2.Cards(codes=bytes(size))))
    inner = request.read_play.SerializeToString()
    assert ENVELOPE.split(request.SerializeToString()) == (number, READ_PLAY, inner)
    response = RESPONSE(correlation_id=number, read_play=pb.ReadPlayResponse(taken="x" * size))
    assert ENVELOPE.wrap(number, READ_PLAY, response.read_play.SerializeToString()) == response.SerializeToString()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\x08\x05", id="no request"),
        pytest.param(b"\x08\x05" + b"\x12\x02\x08\x01" * 2, id="the same request twice"),
        pytest.param(b"\x08\x05\x12\x00\x1a\x00", id="two requests"),
        pytest.param(b"\x08\x05\x08\x06\x12\x00", id="two ids"),
        pytest.param(b"\x88\x00\x05\x12\x00", id="a tag of two bytes"),
        pytest.param(b"\x08\x85\x00\x12\x00", id="an id of a byte too many"),
        pytest.param(b"\x08\x05\x12\x80\x00", id="a length of a byte too many"),
        pytest.param(b"\x08" + b"\xff" * 9 + b"\x02\x12\x00", id="an id beyond 64 bits"),
        pytest.param(b"\x08\x05\x12\x01", id="cut off"),
        pytest.param(b"\x08", id="a tag alone"),
        pytest.param(b"\x08\x05\x12\x00\x7a\x00", id="an unknown field"),
        pytest.param(b"\x0a\x05\x12\x00\x00\x00\x00", id="an id of the wrong wire type"),
        pytest.param(b"\x08\x05\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f", id="a length beyond all"),
        pytest.param(b"\x08\x05\x13\x14", id="a group"),
        pytest.param(b"\x00\x05\x12\x00", id="field 0"),
    ],
)
def test_an_envelope_of_another_shape_is_left_to_the_generated_classes(data: bytes):
    assert ENVELOPE.split(data) is None


def test_mutated_envelopes_are_split_as_the_generated_classes_read_them_or_not_at_all():
    seed = random.randrange(2**32)
    rng = random.Random(seed)
    split = 0
    for _ in range(20_000):
        data = bytearray(REQUEST(correlation_id=rng.choice((0, 5, 300, 2**60)), read_play=PLAY).SerializeToString())
        for _ in range(rng.randrange(3)):
            place = rng.randrange(len(data) + 1)
            data[place : place + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        found = ENVELOPE.split(bytes(data))
        if found is None:
            continue
        try:
            request = REQUEST.FromString(bytes(data))
        except DecodeError:
            continue  # it is the inner bytes that are no message
        split += 1
        number, field, inner = found
        kind = REQUEST.DESCRIPTOR.fields_by_number[field].name
        assert request.correlation_id == number, f"seed {seed}: {data.hex()}"
        assert request.WhichOneof("request") == kind, f"seed {seed}: {data.hex()}"
        assert getattr(request, kind) == type(getattr(request, kind)).FromString(inner), f"seed {seed}: {data.hex()}"
    assert split > 5_000, f"seed {seed}"
