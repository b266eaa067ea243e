"""Wrong mahjong input names its reason and its place; nothing else comes out of any input."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laizi import mahjong, rules
from laizi.errors import ErrorReason, LaiziError
from laizi.mahjong import Meld
from laizi.tiles import Tiles

HONGHU = mahjong.Evaluator(rules.load("honghu"), wilds="9p")
ENSHI = mahjong.Evaluator(rules.load("enshi"), wilds="2m", indicator="1m")
OPEN = mahjong.Evaluator(
    rules.custom("mahjong", {"wild.source": "fixed", "wild.fixed": ["9p"], "wild.claims": True, "claim.kong": ["zhi"]})
)
HAND = "123m456p789s 5m5m"
PENG = [Meld("peng", "z1z1z1")]


@pytest.mark.parametrize(
    ("evaluator", "given_", "reason", "path"),
    [
        (HONGHU, {"concealed": "123s"}, "WRONG_TILE_COUNT", "concealed"),
        (HONGHU, {"concealed": ""}, "EMPTY_HAND", "concealed"),
        (HONGHU, {"concealed": HAND + "123m123s456s"}, "WRONG_TILE_COUNT", "concealed"),
        (HONGHU, {"concealed": HAND, "melds": PENG * 3}, "WRONG_TILE_COUNT", "concealed"),
        (HONGHU, {"concealed": "11111m 234p 567p 88s 9s"}, "TOO_MANY_COPIES", "concealed"),
        (HONGHU, {"concealed": "z1z1" + HAND[:-4], "melds": PENG}, "TOO_MANY_COPIES", "melds[0].tiles"),
        (HONGHU, {"concealed": "1x"}, "UNKNOWN_TILE", "concealed"),
        (HONGHU, {"concealed": b"\x01\x0a"}, "UNKNOWN_TILE_CODE", "concealed"),
        (ENSHI, {"concealed": HAND[:-4] + "z1z1"}, "TILE_OUTSIDE_SET", "concealed"),
        (ENSHI, {"concealed": HAND, "melds": PENG}, "TILE_OUTSIDE_SET", "melds[0].tiles"),
        (ENSHI, {"concealed": HAND, "melds": [Meld("peng", "111m")]}, "MELD_NOT_ALLOWED", "melds[0].tiles"),
        (OPEN, {"concealed": HAND, "melds": [Meld("an_gang", "1111s")]}, "MELD_NOT_ALLOWED", "melds[0].kind"),
        (HONGHU, {"concealed": HAND, "melds": [*PENG, Meld("chi", "124m")][1:]}, "MALFORMED_MELD", "melds[0].tiles"),
        (HONGHU, {"concealed": "11m", "melds": [*PENG, Meld("peng", "22m3m")]}, "MALFORMED_MELD", "melds[1].tiles"),
        (HONGHU, {"concealed": "11m", "melds": [Meld("zhi_gang", "222m")]}, "MALFORMED_MELD", "melds[0].tiles"),
        (HONGHU, {"concealed": "11m", "melds": [Meld("peng", "")]}, "MALFORMED_MELD", "melds[0].tiles"),
        (HONGHU, {"concealed": "11m", "melds": [Meld("chi", "z1z2z3")]}, "MALFORMED_MELD", "melds[0].tiles"),
        (HONGHU, {"concealed": HAND, "melds": [Meld("chi", "789p")]}, "WILD_IN_MELD", "melds[0].tiles"),
        (HONGHU, {"concealed": HAND, "winning_tile": "9s9s"}, "WRONG_TILE_COUNT", "winning_tile"),
        (HONGHU, {"concealed": HAND, "winning_tile": "1s"}, "WINNING_TILE_NOT_IN_HAND", "winning_tile"),
        (HONGHU, {"concealed": HAND, "mode": "tsumo"}, "UNKNOWN_ENUM_VALUE", "mode"),
        (
            HONGHU,
            {"concealed": HAND, "mode": "discard", "gang_flower": True},
            "CONTRADICTORY_CIRCUMSTANCES",
            "gang_flower",
        ),
        (HONGHU, {"concealed": HAND, "mode": "rob_kong", "haidi": True}, "CONTRADICTORY_CIRCUMSTANCES", "haidi"),
        (HONGHU, {"concealed": HAND, "downs": -1}, "VALUE_OUT_OF_RANGE", "downs"),
    ],
)
def test_a_wrong_hand_says_what_is_wrong(
    evaluator: mahjong.Evaluator, given_: dict[str, Any], reason: str, path: str
) -> None:
    with pytest.raises(LaiziError) as caught:
        evaluator.check_hu(**given_)
    assert (caught.value.reason, caught.value.path) == (reason, path)
    assert caught.value.message


@pytest.mark.parametrize(
    ("preset", "given_", "reason", "path"),
    [
        ("huanle", {}, "WRONG_GAME", "rules"),
        ("enshi", {"wilds": "2m"}, "MISSING_FIELD", "indicator"),
        ("enshi", {"wilds": "z1", "indicator": "1m"}, "TILE_OUTSIDE_SET", "wilds"),
        ("enshi", {"wilds": "3m", "indicator": "1m"}, "CONTRADICTORY_FIELDS", "wilds"),
        ("guangdong_gui", {"wilds": "2m 3m", "indicator": "1m"}, "CONTRADICTORY_FIELDS", "wilds"),
        ("guangdong_gui", {"wilds": "2m", "indicator": "1m 2m"}, "WRONG_TILE_COUNT", "indicator"),
        ("honghu", {"wilds": "9p9p"}, "TOO_MANY_COPIES", "wilds"),
        ("honghu", {"wilds": "q"}, "UNKNOWN_TILE", "wilds"),
    ],
)
def test_a_wrong_evaluator_says_what_is_wrong(preset: str, given_: dict[str, str], reason: str, path: str) -> None:
    with pytest.raises(LaiziError) as caught:
        mahjong.Evaluator(rules.load(preset), **given_)
    assert (caught.value.reason, caught.value.path) == (reason, path)


@pytest.mark.parametrize(("field", "value", "path"), [("kind", "pong", "kind"), ("tiles", "1y", "tiles")])
def test_a_wrong_meld_says_what_is_wrong(field: str, value: str, path: str) -> None:
    arguments = {"kind": "peng", "tiles": "111m"} | {field: value}
    with pytest.raises(LaiziError) as caught:
        Meld(arguments["kind"], arguments["tiles"])
    assert caught.value.path == path


@pytest.mark.parametrize("size", [0, 33, 35, 68])
def test_counts_of_another_length_are_refused(size: int) -> None:
    with pytest.raises(LaiziError) as caught:
        HONGHU.is_hu(bytes(size))
    assert caught.value.reason == ErrorReason.COUNT_OUT_OF_RANGE


JUNK = st.one_of(st.text(max_size=30), st.text("123456789mpsz东中万 ,", max_size=40), st.binary(max_size=20))
WORDS = st.one_of(st.sampled_from(["zimo", "discard", "rob_kong", "chi", "peng", "bu_gang"]), st.text(max_size=8))


@given(
    concealed=JUNK,
    melds=st.lists(st.tuples(WORDS, JUNK), max_size=6),
    winning=st.none() | JUNK,
    mode=WORDS,
    flags=st.tuples(st.booleans(), st.booleans(), st.integers(-3, 300)),
    seen=JUNK,
)
def test_junk_gives_an_answer_or_an_error_of_ours(
    concealed: str | bytes,
    melds: list[tuple[str, str | bytes]],
    winning: str | bytes | None,
    mode: str,
    flags: tuple[bool, bool, int],
    seen: str | bytes,
) -> None:
    gang_flower, haidi, downs = flags
    drawn: dict[str, Any] = {"winning_tile": winning, "gang_flower": gang_flower, "haidi": haidi, "downs": downs}
    for evaluator in (HONGHU, ENSHI, OPEN):
        for verb, more in (
            ("check_hu", {"mode": mode, **drawn}),
            ("waits", {"mode": mode, "downs": downs, "seen": seen}),
            ("discards", {"mode": mode, "haidi": haidi, "seen": seen}),
            ("shanten", {"seen": seen}),
        ):
            with contextlib.suppress(LaiziError):
                getattr(evaluator, verb)(concealed, [Meld(kind, tiles) for kind, tiles in melds], **more)


@given(rows=st.lists(st.binary(min_size=34, max_size=34), max_size=8), rest=st.binary(max_size=33))
def test_a_batch_answers_each_row_or_says_why_not(rows: list[bytes], rest: bytes) -> None:
    for verb, width in (("hu_rows", 1), ("waits_rows", 8), ("shanten_rows", 1)):
        ask = getattr(HONGHU, verb)
        column, errors = ask(b"".join(rows))
        assert (len(column), len(errors)) == (width * len(rows), len(rows))
        for row, error in zip(rows, errors, strict=True):
            assert (error != 0) or max(row) <= 4
        if rest:
            with pytest.raises(LaiziError) as caught:
                ask(b"".join(rows) + rest)
            assert caught.value.reason == ErrorReason.BAD_ROW_LENGTH


@given(st.lists(st.integers(0, 4), min_size=34, max_size=34))
def test_only_well_formed_counts_are_answered(counts: list[int]) -> None:
    if sum(counts) % 3 == 2 and sum(counts) <= 17:
        assert HONGHU.is_hu(bytes(counts)) in (True, False)
        assert Tiles.from_counts(bytes(counts))
    else:
        with pytest.raises(LaiziError) as caught:
            HONGHU.is_hu(bytes(counts))
        assert caught.value.reason == ErrorReason.WRONG_TILE_COUNT
