"""Why one reading beats another, or does not."""

from __future__ import annotations

from laizi.doudizhu._read import Reader
from laizi.doudizhu.answers import ComparisonReason
from laizi.doudizhu.readings import ROWS, Form, PlayType, Reading
from laizi.rules import DoudizhuRules

__all__ = ["compare_readings"]


def compare_readings(
    reader: Reader, rules: DoudizhuRules, reading: Reading, previous: Reading
) -> tuple[bool, ComparisonReason, tuple[str, ...]]:
    """Whether a reading beats the previous one, why, and the options and decisions behind that."""
    beats = reader.beats(reading.code, previous.code)
    if not reading.is_bomb and not previous.is_bomb:
        return beats, *_plain(reading, previous)
    if not previous.is_bomb:
        if reading.type is PlayType.ROCKET:
            return beats, ComparisonReason.ROCKET, ("compare.rocket",)
        return beats, ComparisonReason.BOMB_OVER_OTHER, ("compare.bomb",)
    if reader.strength(previous.code) == reader.greatest_strength():
        used = "compare.rocket" if previous.type is PlayType.ROCKET else "bomb.order"
        return beats, ComparisonReason.NOTHING_BEATS_IT, (used,)
    if not reading.is_bomb:
        used = "compare.rocket" if previous.type is PlayType.ROCKET else "compare.bomb"
        return beats, ComparisonReason.BOMB_NEEDED, (used,)
    return beats, *_bombs(reader, rules, reading, previous, beats)


def _plain(reading: Reading, previous: Reading) -> tuple[ComparisonReason, tuple[str, ...]]:
    if reading.type is not previous.type:
        return ComparisonReason.DIFFERENT_TYPE, ("compare.same_type",)
    if reading.length != previous.length:
        return ComparisonReason.DIFFERENT_LENGTH, ("compare.same_type",)
    form = ROWS[reading.code >> 4].form
    by = {Form.SAME: "compare.rank", Form.RUN: "compare.run"}.get(form, "compare.body")
    used = ("compare.same_type", by)
    if reading.code == previous.code:
        return ComparisonReason.EQUAL, (*used, "compare.wild")
    return ComparisonReason.HIGHER_RANK if reading.code > previous.code else ComparisonReason.LOWER_RANK, used


def _bombs(
    reader: Reader, rules: DoudizhuRules, reading: Reading, previous: Reading, beats: bool
) -> tuple[ComparisonReason, tuple[str, ...]]:
    ours, theirs = reader.strength(reading.code), reader.strength(previous.code)
    if ours == theirs:
        return ComparisonReason.EQUAL, ("bomb.order", "compare.bomb")
    if ours // 16 == theirs // 16:
        return ComparisonReason.HIGHER_RANK if beats else ComparisonReason.LOWER_RANK, ("compare.bomb",)
    if reading.type is PlayType.ROCKET and beats:
        return ComparisonReason.ROCKET, ("compare.rocket", "bomb.order")
    sized = reading.type is previous.type is PlayType.BOMB and rules.bomb.size.size_first
    same_tier = _tiers(rules, reading) == _tiers(rules, previous)
    if reading.size != previous.size and (sized or same_tier):
        used = ("bomb.chain",) if reading.type is PlayType.CHAIN else ("bomb.size.size_first",)
        return ComparisonReason.MORE_CARDS if beats else ComparisonReason.FEWER_CARDS, used
    return ComparisonReason.HIGHER_TIER if beats else ComparisonReason.LOWER_TIER, ("bomb.order",)


def _tiers(rules: DoudizhuRules, reading: Reading) -> int | None:
    return next(
        (index for index, tiers in enumerate(rules.bomb.order) if (reading.tier or reading.type) in tiers), None
    )
