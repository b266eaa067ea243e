"""What is answered from the bytes of requests is, byte for byte, what the generated classes answer."""

import random
import threading
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from google.protobuf.message import DecodeError

from laizi import cards, rules
from laizi.doudizhu import Evaluator
from laizi.errors import ErrorReason, LaiziError, RequestError
from laizi.v1 import doudizhu_pb2 as pb
from laizi.v1 import types_pb2
from laizi_service.calls import Call, Method, RawHandler
from laizi_service.handlers.doudizhu import DoudizhuHandlers
from laizi_service.metrics import Metrics
from laizi_service.rule_sets import RuleSets
from laizi_service.settings import Settings
from tests.doudizhu.hands import Table, random_hand, random_play, random_table
from tests.service.requests import card, card_codes, selector
from tests.service.test_reload import write

METHODS = pb.DESCRIPTOR.services_by_name["DoudizhuService"].methods_by_name
SETTINGS = Settings(max_batch_items=300)
METRICS = Metrics()
SEVENS = types_pb2.Wilds(ranks="7")


class Context:
    """A caller who waits, or has gone."""

    def __init__(self) -> None:
        self.gone = False

    def is_active(self) -> bool:
        return not self.gone

    def time_remaining(self) -> float:
        return 60.0


class General(DoudizhuHandlers):
    """The service without anything native."""

    def raw(self, method: str) -> RawHandler | None:
        return None


class Both:
    """The service and the general path alone, asked the same."""

    def __init__(self, folder: Path | str = "") -> None:
        self.rule_sets = RuleSets(64, str(folder))
        self._native = DoudizhuHandlers(self.rule_sets, SETTINGS)
        self._general = General(RuleSets(64, str(folder)), SETTINGS)
        self.native = 0
        """How many requests were answered without the general path as a whole."""

    def raw(self, name: str, data: bytes, call: Call | None = None) -> bytes | None:
        handler = self._native.raw(name)
        assert handler is not None
        return handler(data, call or new_call())

    def ask(self, name: str, data: bytes) -> Any:
        """The answer to a request, on which the two must agree: bytes, or what is wrong."""
        told: list[bytes | tuple[Any, ...]] = []
        for handlers in (self._native, self._general):
            handler = handlers.find(METHODS[name])
            assert handler is not None
            method = Method(METHODS[name], handler, handlers, METRICS)
            try:
                told.append(method.answer(data, new_call()))
            except LaiziError as error:
                told.append((error.reason, error.message, method.path(error, data), error.position, error.limit))
        assert told[0] == told[1], f"{name}: {data.hex()}"
        return told[0]


def new_call(context: Context | None = None) -> Call:
    return Call(cast("grpc.ServicerContext", context or Context()), METHODS["ReadPlay"].full_name, METRICS)


@pytest.fixture(scope="module")
def both() -> Both:
    return Both()


def rules_of(table: Table) -> types_pb2.RuleSetSelector:
    base = rules.load(table.ruleset.name).options()
    changed = {name: value for name, value in table.ruleset.options().items() if base.get(name) != value}
    return selector(table.ruleset.name, {name: "none" if value is None else value for name, value in changed.items()})


def wilds_of(table: Table) -> types_pb2.Wilds:
    if table.wild_cards:
        return types_pb2.Wilds(cards=card(" ".join(table.wild_cards)))
    return types_pb2.Wilds(ranks=table.wild_ranks)


def written(rng: random.Random, some: list[str]) -> types_pb2.Cards:
    """Cards in one of the ways to write them, most of them ordinary."""
    way = rng.choice(("codes", "ranks", "ranks", "suits", "joined", "lower", "ten", "some suits"))
    if way == "codes":
        return card_codes(" ".join(some))
    if way == "some suits":
        some = [one if rng.random() < 0.7 else one[0] for one in some]
    elif way not in ("suits", "joined"):
        some = [one[0] for one in some]
    text = ("" if way in ("ranks", "joined", "lower") else rng.choice((" ", ",", " , "))).join(some)
    return card(text.lower() if way == "lower" else text.replace("T", "10") if way == "ten" else text)


def random_request(rng: random.Random, table: Table) -> pb.ReadPlayRequest:
    played = random_play(rng, table)
    request = pb.ReadPlayRequest(rules=rules_of(table), wilds=wilds_of(table), cards=written(rng, played))
    if rng.random() < 0.3:
        rest = [one for one in random_hand(rng, table, 20) if one not in played]
        request.hand.CopyFrom(written(rng, (played + rest[: rng.randrange(9)])[rng.random() < 0.1 :][:20]))
    if rng.random() < 0.3:
        request.last_play = rng.random() < 0.5
    if rng.random() < 0.4:
        before = random_play(rng, table)
        found = Evaluator(table.ruleset, table.wild_ranks, " ".join(table.wild_cards)).read_play(" ".join(before))
        if found.readings and rng.random() < 0.6:
            request.previous.reading = str(rng.choice(found.readings))
        if not request.previous.reading or rng.random() < 0.2:
            request.previous.cards.CopyFrom(written(rng, before))
    if rng.random() < 0.05:
        request.declared_reading = "pair:3:1"
    elif rng.random() < 0.05:
        request.declared_cards.text = "".join(one[0] for one in played)
    return request


def mutated(rng: random.Random, data: bytes) -> bytes:
    """Bytes that are still nearly a message: fields twice, unknown, cut off, lengths too long, letters replaced."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.randrange(len(changed) + 1)
        match rng.randrange(6):
            case 0:
                changed += rng.choice((data, b"\x1a\x03\x0a\x013", b"\x78\x01", b"\xfa\x01\x01x", b"\x40\x81\x00"))
            case 1:
                changed[:0] = rng.choice((b"\x1a\x03\x0a\x013", b"\x7b\x7c", b"\x88\x80\x00\x01", b"\x40\x02"))
            case 2:
                del changed[place : place + rng.randrange(1, 4)]
            case 3:
                changed[place:place] = rng.randbytes(rng.randrange(1, 3))
            case 4:
                changed[place : place + 1] = rng.choice((b"\x80\x00", b"\xff", b"\x00", b"\xc3\xa4", b"7", b"X"))
            case _:
                del changed[rng.randrange(len(changed) + 1) :]
    return bytes(changed)


def test_random_requests(both, rng, samples):
    for _ in range(samples(40)):
        table = random_table(rng)
        for _ in range(10):
            both.ask("ReadPlay", random_request(rng, table).SerializeToString())


def test_random_requests_of_presets_again_and_again(both, rng, samples):
    """With parts of answers that earlier answers left."""
    tables = [random_table(rng, change=0) for _ in range(20)]
    answered = 0
    for _ in range(samples(800)):
        data = random_request(rng, rng.choice(tables)).SerializeToString()
        both.ask("ReadPlay", data)
        answered += both.raw("ReadPlay", data) is not None
    assert answered > 200


def test_mutated_requests(both, rng, samples):
    tables = [random_table(rng, change=0) for _ in range(3)]
    known = [random_request(rng, rng.choice(tables)).SerializeToString() for _ in range(40)]
    for _ in range(samples(2_000)):
        both.ask("ReadPlay", mutated(rng, rng.choice(known)))


def random_batch(rng: random.Random, tables: list[Table], most: int = 60) -> pb.BatchReadPlaysRequest:
    batch = pb.BatchReadPlaysRequest()
    for _ in range(rng.randrange(most)):
        batch.items.append(random_request(rng, rng.choice(tables)))
    if rng.random() < 0.7:
        batch.rules.CopyFrom(rules_of(tables[0]))
        for item in batch.items:
            if rng.random() < 0.8:
                item.ClearField("rules")
    return batch


def test_random_batches(both, rng, samples):
    tables = [random_table(rng, change=0) for _ in range(4)]
    for _ in range(samples(25)):
        both.ask("BatchReadPlays", random_batch(rng, tables).SerializeToString())


def test_mutated_batches(both, rng, samples):
    tables = [random_table(rng, change=0) for _ in range(2)]
    known = [random_batch(rng, tables, 8).SerializeToString() for _ in range(20)]
    for _ in range(samples(400)):
        both.ask("BatchReadPlays", mutated(rng, rng.choice(known)))


def test_a_batch_with_more_wilds_than_are_kept_at_hand(both):
    """Each item has wilds of its own, written in ever other ways, and each is met twice."""
    wilds = [types_pb2.Wilds(ranks=rank + " " * blanks) for rank in cards.RANKS[:13] for blanks in range(8)]
    items = [pb.ReadPlayRequest(wilds=one, cards=card("3337")) for one in wilds * 2]
    batch = pb.BatchReadPlaysRequest(rules=selector("huanle"), items=items)
    answer = pb.BatchReadPlaysResponse.FromString(both.ask("BatchReadPlays", batch.SerializeToString()))
    assert all(result.WhichOneof("result") == "response" for result in answer.results)


PLAY = pb.ReadPlayRequest(rules=selector("huanle"), wilds=SEVENS, cards=card("3337"))


def play(**changed: Any) -> pb.ReadPlayRequest:
    made = pb.ReadPlayRequest()
    made.CopyFrom(PLAY)
    made.MergeFrom(pb.ReadPlayRequest(**changed))
    return made


ORDINARY = {
    "ranks": play(),
    "suits": play(cards=card("3d 3c 3h 7s")),
    "codes": play(cards=card_codes("3d 3c 3h 7s")),
    "refused": play(cards=card("3467")),
    "hand": play(hand=card("33377KK2")),
    "not in hand and no play": play(cards=card("3467"), hand=card("33")),
    "previous reading": play(previous=pb.Play(reading="triple_1:K:1")),
    "previous cards": play(previous=pb.Play(cards=card("KKK4"))),
    "does not beat": play(cards=card("3335"), previous=pb.Play(reading="rocket")),
    "single wild cards": pb.ReadPlayRequest(
        rules=selector("chosen_wilds"), wilds=types_pb2.Wilds(cards=card("7h 7d")), cards=card("3d 3c 3h 7h")
    ),
}


@pytest.mark.parametrize("request_", [pytest.param(one, id=name) for name, one in ORDINARY.items()])
def test_ordinary_requests_are_answered_from_their_bytes(both, request_: pb.ReadPlayRequest):
    data = request_.SerializeToString()
    first = both.ask("ReadPlay", data)
    call = new_call()
    assert both.raw("ReadPlay", data, call) == first
    assert call.hands == 1
    assert 0 < call.engine_seconds < 10


OTHER = {
    "nothing": b"",
    "no rules": pb.ReadPlayRequest(cards=card("3")).SerializeToString(),
    "a name in Chinese": play(cards=card("大王")).SerializeToString(),
    "too many cards": play(cards=card("33333")).SerializeToString(),
    "a declared reading": play(declared_reading="triple_1:3:1").SerializeToString(),
    "wilds that the rules have not": play(rules=selector("classic")).SerializeToString(),
    "an unknown field": play().SerializeToString() + b"\x78\x01",
    "a field twice": play().SerializeToString() + b"\x1a\x04\x0a\x0233",
    "a number of more bytes than it needs": play().SerializeToString() + b"\x40\x81\x00",
    "a text that is no UTF-8": play().SerializeToString().replace(b"3337", b"333\xff"),
    "wilds written at great length": play(wilds=types_pb2.Wilds(ranks=" " * 10_000)).SerializeToString(),
    "a previous reading that is none": play(previous=pb.Play(reading="pair:3")).SerializeToString(),
}


@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in OTHER.items()])
def test_other_requests_are_left_to_the_general_path(both, data: bytes):
    both.ask("ReadPlay", data)
    assert both.raw("ReadPlay", data) is None


def test_rules_in_the_middle_of_a_batch(both):
    """The run of items is split by another field: an ordinary parser takes it, and so it is answered."""
    item = b"\x12" + bytes([PLAY.ByteSize()]) + PLAY.SerializeToString()
    shared = selector("classic").SerializeToString()
    batch = item + b"\x0a" + bytes([len(shared)]) + shared + item
    assert len(pb.BatchReadPlaysRequest.FromString(batch).items) == 2
    assert both.raw("BatchReadPlays", batch) is None
    both.ask("BatchReadPlays", batch)


def test_a_batch_over_the_limit_is_refused(both):
    batch = pb.BatchReadPlaysRequest(items=[pb.ReadPlayRequest()] * (SETTINGS.max_batch_items + 1))
    refused = both.ask("BatchReadPlays", batch.SerializeToString())
    assert refused[0] is ErrorReason.TOO_MANY_ITEMS


def test_one_item_whose_bytes_are_no_message_makes_the_batch_none(both):
    batch = pb.BatchReadPlaysRequest(items=[PLAY, PLAY]).SerializeToString() + b"\x12\x02\x1a\x09"
    with pytest.raises(DecodeError):
        pb.BatchReadPlaysRequest.FromString(batch)
    assert both.ask("BatchReadPlays", batch)[0] is ErrorReason.MALFORMED_MESSAGE


@pytest.mark.parametrize("text", ["3337", "大王"], ids=["answered from their bytes", "answered in general"])
def test_a_batch_ends_when_the_caller_has_gone(text: str):
    handlers = DoudizhuHandlers(RuleSets(4), Settings(max_batch_items=10_000))
    items = [play(cards=card(text))] * 5_000
    context = Context()
    context.gone = True
    many = handlers.raw("BatchReadPlays")
    assert many is not None
    call = new_call(context)
    with pytest.raises(RequestError) as caught:
        many(pb.BatchReadPlaysRequest(items=items).SerializeToString(), call)
    assert caught.value.reason is ErrorReason.DEADLINE_EXCEEDED
    assert 0 < call.hands < 4_000


def test_rule_sets_that_are_read_anew_are_in_force_at_once(tmp_path: Path):
    write(tmp_path, "natural")
    both = Both(tmp_path)
    data = pb.ReadPlayRequest(rules=selector("house"), wilds=SEVENS, cards=card("77")).SerializeToString()
    assert pb.ReadPlayResponse.FromString(both.ask("ReadPlay", data)).legal
    write(tmp_path, "forbidden")
    both.rule_sets.reload()
    answer = both.raw("ReadPlay", data)
    assert answer is not None
    assert not pb.ReadPlayResponse.FromString(answer).legal


def test_threads_share_what_they_learn(rng, samples):
    tables = [random_table(rng, change=0) for _ in range(3)]
    batches = [random_batch(rng, tables).SerializeToString() for _ in range(samples(6))]
    expected = [Both().ask("BatchReadPlays", batch) for batch in batches]
    shared = Both()
    answers: list[list[bytes | None]] = [[] for _ in range(4)]

    def work(own: list[bytes | None]) -> None:
        own.extend(shared.raw("BatchReadPlays", batch) for batch in batches)

    threads = [threading.Thread(target=work, args=(own,)) for own in answers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(own == expected for own in answers)
