"""What the answers look like on paper: every line of the example programs, the same in each language."""

import struct
from collections.abc import Iterable
from typing import Any, Protocol

import questions
from laizi.v1 import doudizhu_pb2, errors_pb2, mahjong_pb2, types_pb2
from laizi_service.client import Failure


class Enum(Protocol):
    """An enum of the wire code."""

    def Name(self, number: Any) -> str: ...  # noqa: N802 - the name that protobuf gives it


def name(enum: Enum, number: int, prefix: str) -> str:
    """The name of an enum value without the prefix that all values of its enum share."""
    return enum.Name(number).removeprefix(prefix)


def words(items: Iterable[str]) -> str:
    """A list on one line; nothing is a dash."""
    return ",".join(items) or "-"


def truth(value: bool) -> str:
    return "yes" if value else "no"


def fraction(value: types_pb2.Fraction) -> str:
    return f"{value.numerator}" if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def codes(tiles: types_pb2.Tiles) -> str:
    return tiles.codes.hex() or "-"


def read_play(answer: doudizhu_pb2.ReadPlayResponse) -> None:
    print(f"legal {truth(answer.legal)}, taken as {answer.taken or '-'}")
    for reading in answer.readings:
        kind = name(doudizhu_pb2.PlayType, reading.type, "PLAY_TYPE_")
        tier = name(doudizhu_pb2.BombTier, reading.tier, "BOMB_TIER_")
        print(f"  {reading.code}: {kind} {reading.main_rank} {reading.length} {tier}, {reading.size} cards")
        print(f"    body [{reading.body.text}] kickers [{reading.kickers.text}]")
        print(f"    wilds {words(f'{wild.wild.text}={wild.rank}' for wild in reading.stand_ins)}")
        print(f"    clauses {words(reading.clauses)}")
    for refusal in answer.refusals:
        reason = name(errors_pb2.PlayRefusal, refusal.reason, "PLAY_REFUSAL_")
        print(f"  refused {reason}: {refusal.text} {words(refusal.clauses)}")


def compare_plays(answer: doudizhu_pb2.ComparePlaysResponse) -> None:
    print(f"beats {truth(answer.beats)} {answer.previous.code}")
    for item in answer.comparisons:
        reason = name(doudizhu_pb2.ComparisonReason, item.reason, "COMPARISON_REASON_")
        print(f"  {item.reading.code}: {truth(item.reading.beats_previous)} {reason} {words(item.clauses)}")


def list_plays(answer: doudizhu_pb2.ListPlaysResponse) -> None:
    print(f"{len(answer.plays)} of {answer.total}, may pass {truth(answer.may_pass)}")
    for play in answer.plays:
        print(f"  [{play.cards.text}] {play.reading.code}")


def check_hu(answer: mahjong_pb2.CheckHuResponse) -> None:
    value = answer.value
    print(f"hu {truth(value.hu)}, big {truth(value.big)}, hard {truth(value.hard)}")
    for refusal in value.refusals:
        reason = name(errors_pb2.HuRefusal, refusal.reason, "HU_REFUSAL_")
        print(f"  refused {reason}: {refusal.text} {words(refusal.clauses)}")
    if not value.hu:
        return
    print(f"  base {fraction(value.base)}, points {fraction(value.points)}")
    for hu in value.types:
        print(f"  {hu.name} {hu.name_zh} {fraction(hu.value)} {words(hu.clauses)}")
    for group in answer.best.groups:
        kind = name(mahjong_pb2.GroupKind, group.kind, "GROUP_KIND_")
        wilds = words(f"{codes(wild.wild)}={codes(wild.stands_for)}" for wild in group.stand_ins)
        print(f"  {kind} {codes(group.tiles)} laid {truth(group.laid)} wilds {wilds}")


def payments(items: Iterable[types_pb2.Payment], seats: Iterable[types_pb2.SeatResult]) -> None:
    for payment in items:
        print(f"  seat {payment.from_seat} pays seat {payment.to_seat} {fraction(payment.amount)}")
        for factor in payment.factors:
            operation = name(types_pb2.FactorOperation, factor.operation, "FACTOR_OPERATION_")
            print(f"    {factor.name} {operation} {fraction(factor.operand)} -> {fraction(factor.result)}")
    print(f"  deltas {words(f'{seat.seat}={fraction(seat.delta)}' for seat in seats)}")


def settle_game(answer: doudizhu_pb2.SettleGameResponse) -> None:
    print(f"landlord won {truth(answer.landlord_won)}, multiplier {fraction(answer.multiplier)}")
    payments(answer.payments, answer.seats)


def settle_hand(answer: mahjong_pb2.SettleHandResponse) -> None:
    settlement = answer.settlement
    guarantor = settlement.guarantor if settlement.HasField("guarantor") else "-"
    print(f"gold {truth(settlement.gold)}, guarantor {guarantor}, next dealer {settlement.next_dealer}")
    payments(settlement.payments, settlement.seats)


def batch(answer: doudizhu_pb2.BatchReadPlaysResponse) -> None:
    for index, result in enumerate(answer.results):
        if result.WhichOneof("result") == "error":
            reason = name(errors_pb2.ErrorReason, result.error.reason, "ERROR_REASON_")
            print(f"  {index}: error {reason} in {result.error.field} at {result.error.position}")
        else:
            print(f"  {index}: {words(reading.code for reading in result.response.readings)}")


def packed(reading: int) -> str:
    """A packed reading: type, main rank, length and tier in 16 bits."""
    kind = name(doudizhu_pb2.PlayType, reading & 15, "PLAY_TYPE_")
    main = reading >> 4 & 15
    tier = name(doudizhu_pb2.BombTier, reading >> 12 & 7, "BOMB_TIER_")
    return f"{kind}:{questions.RANKS[main] if main < 15 else '*'}:{reading >> 8 & 15}:{tier}"


def card_columns(answer: doudizhu_pb2.ReadPlayColumnsResponse) -> None:
    first = 0
    for row, (count, error) in enumerate(zip(answer.reading_counts, answer.errors, strict=True)):
        if error:
            print(f"  row {row}: error {name(errors_pb2.ErrorReason, error, 'ERROR_REASON_')}")
            continue
        readings = struct.unpack_from(f"<{count}H", answer.readings, 2 * first)
        print(f"  row {row}: {words(map(packed, readings))}")
        first += count


def tile_columns(answer: mahjong_pb2.CheckHuColumnsResponse) -> None:
    for row, (verdict, error) in enumerate(zip(answer.verdicts, answer.errors, strict=True)):
        if error:
            print(f"  row {row}: error {name(errors_pb2.ErrorReason, error, 'ERROR_REASON_')}")
            continue
        (types,) = struct.unpack_from("<H", answer.types, 2 * row)
        (refusals,) = struct.unpack_from("<H", answer.refusals, 2 * row)
        (points,) = struct.unpack_from("<i", answer.points, 4 * row)
        held = words(kind for bit, kind in enumerate(answer.type_names) if types >> bit & 1)
        why = words(name(errors_pb2.HuRefusal, bit + 1, "HU_REFUSAL_") for bit in range(16) if refusals >> bit & 1)
        print(
            f"  row {row}: hu {truth(verdict & 1 > 0)}, hard {truth(verdict & 2 > 0)}, big {truth(verdict & 4 > 0)}, "
            f"points {points}/{answer.points_scale}, types {held}, refused {why}"
        )


def failed(failure: Failure) -> None:
    metadata = dict(failure.metadata)
    print(
        f"  {failure.code.name}, {failure.reason or '-'}, in {failure.field or '-'}, at {metadata.get('position', '-')}"
    )
