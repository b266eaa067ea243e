"""Mahjong tiles as text, byte codes and counts."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laizi import tiles
from laizi.errors import CardsError, ErrorReason, LaiziError, NotationError
from laizi.tiles import Tiles

CODE_OF_NAME = {
    "1m": 0x01,
    "9m": 0x09,
    "1s": 0x11,
    "9s": 0x19,
    "1p": 0x21,
    "9p": 0x29,
    "z1": 0x31,
    "z5": 0x35,
    "z7": 0x37,
}
LETTERS = (
    "0123456789mpszMPSZ ,;、，　５ｍ\ufe0f\tWx-\0🀀🀄🀆🀇🀏🀐🀘🀙🀡"
    "一二三四五六七八九十万萬筒饼餅条條索东東南西北中发發白红紅财財板风風"
)

some_tiles = st.lists(st.sampled_from(sorted(range(34)) * 4), max_size=20).filter(
    lambda indices: all(indices.count(index) <= 4 for index in indices)
)


def spelled(index: int) -> list[str]:
    """Every way to write a tile that the documentation promises."""
    digit = index % 9 + 1
    if index < 27:
        numeral = "一二三四五六七八九"[digit - 1]
        suits = ["mM万萬", "pP筒饼餅", "sS条條索"][index // 9]
        return [number + suit for number in (str(digit), numeral) for suit in suits] + [
            tiles.Tiles.from_indices([index]).glyphs()
        ]
    names = ["东 東 东风 東風", "南 南风", "西 西风", "北 北風", "中 红中 紅中", "发 發 发财", "白 白板"][
        index - 27
    ].split()
    return [*names, f"z{digit}", f"Z{digit}", f"{digit}z", tiles.Tiles.from_indices([index]).glyphs()]


@pytest.mark.parametrize(("name", "code"), CODE_OF_NAME.items())
def test_byte_codes_are_those_of_game_servers(name, code):
    assert tiles.read(bytes([code])).text() == name
    assert tiles.read(name).codes() == bytes([code])


def test_all_34_codes_name_the_set_and_no_other_byte_names_a_tile():
    assert tiles.read(tiles.CODES).counts == bytes([1] * 34)
    for code in set(range(256)) - set(tiles.CODES):
        with pytest.raises(NotationError) as caught:
            tiles.read(bytes([0x01, code]), path="concealed")
        assert (caught.value.reason, caught.value.path, caught.value.position) == ("UNKNOWN_TILE_CODE", "concealed", 1)


@pytest.mark.parametrize("index", range(34))
def test_every_spelling_of_a_tile_reads_alike(index):
    for text in spelled(index):
        assert list(tiles.read(text)) == [index], text
        assert tiles.read_one(text) == index


@given(some_tiles, st.randoms(use_true_random=False), st.sampled_from(["", " ", ",", "、", "　"]))
def test_mixed_spellings_in_any_order_read_as_the_same_tiles(indices, random, separator):
    text = separator.join(random.choice(spelled(index)) for index in indices)
    assert sorted(tiles.read(text)) == sorted(indices)


@given(some_tiles)
def test_tiles_survive_text_names_glyphs_codes_and_counts(indices):
    made = Tiles.from_indices(indices)
    assert list(made) == sorted(indices)
    assert len(made) == len(indices)
    for again in (made.text(), made.human(), made.glyphs(), made.codes()):
        assert tiles.read(again) == made
    assert Tiles.from_counts(made.counts) == made
    assert hash(tiles.read(made.text())) == hash(made)
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("123m456p z5", "123m456p z5"),
        ("5m 5m", "55m"),
        ("z1z1", "z1z1"),
        ("11z", "z1z1"),
        ("1z1z", "z1z1"),
        ("1zz1", "z1z1"),
        ("z12m", "2m z1"),
        ("一二三万", "123m"),
        ("9s1p1m", "1m1p9s"),
        ("", ""),
    ],
)
def test_texts_have_one_meaning(text, canonical):
    assert tiles.read(text).text() == canonical


@pytest.mark.parametrize(
    ("source", "reason", "position"),
    [
        ("0m", "UNKNOWN_TILE", 0),
        ("12", "UNKNOWN_TILE", 1),
        ("12 m", "UNKNOWN_TILE", 1),
        ("z8", "UNKNOWN_TILE", 0),
        ("z", "UNKNOWN_TILE", 0),
        ("198z", "UNKNOWN_TILE", 1),
        ("5z5", "UNKNOWN_TILE", 2),
        ("1m 2x", "UNKNOWN_TILE", 3),
        ("1m x", "UNKNOWN_TILE", 3),
        ("m1", "UNKNOWN_TILE", 0),
        ("红", "UNKNOWN_TILE", 0),
        ("W", "UNKNOWN_TILE", 0),
        ("十万", "UNKNOWN_TILE", 0),
        ("55555m", "TOO_MANY_COPIES", 4),
        ("1111z z1", "TOO_MANY_COPIES", 6),
        (b"\x01\x01\x01\x01\x02\x01", "TOO_MANY_COPIES", 5),
        (b"\x0a", "UNKNOWN_TILE_CODE", 0),
        (b"\x01\x38", "UNKNOWN_TILE_CODE", 1),
    ],
)
def test_a_wrong_character_is_named_with_its_place(source, reason, position):
    with pytest.raises(LaiziError) as caught:
        tiles.read(source, path="items[3].concealed")
    error = caught.value
    assert (error.reason, error.position, error.path) == (reason, position, "items[3].concealed")
    assert str(error).startswith("items[3].concealed: ")


def test_the_field_bounds_the_number_of_tiles():
    with pytest.raises(CardsError, match="18 tiles given, at most 14 allowed") as caught:
        tiles.read("123456789m123456789p", limit=14)
    assert (caught.value.reason, caught.value.limit) == (ErrorReason.HAND_TOO_LARGE, 14)
    with pytest.raises(CardsError) as caught:
        tiles.read("", empty=ErrorReason.EMPTY_HAND)
    assert caught.value.reason is ErrorReason.EMPTY_HAND


@pytest.mark.parametrize("counts", [bytes(33), bytes(35)])
def test_counts_are_34(counts):
    with pytest.raises(CardsError) as caught:
        Tiles.from_counts(counts)
    assert caught.value.reason is ErrorReason.COUNT_OUT_OF_RANGE


def test_counts_stop_at_four():
    with pytest.raises(CardsError) as caught:
        Tiles.from_counts(bytes(33) + b"\5")
    assert (caught.value.reason, caught.value.position) == (ErrorReason.TOO_MANY_COPIES, 33)


def test_kinds_are_named_once():
    assert tiles.read_kinds("z5 5p") == (13, 31)
    with pytest.raises(CardsError) as caught:
        tiles.read_kinds("55p", path="wilds.wilds")
    assert (caught.value.reason, caught.value.path) == (ErrorReason.TOO_MANY_COPIES, "wilds.wilds")


@pytest.mark.parametrize("text", ["", "12m", "1m z1"])
def test_one_tile_is_one_tile(text):
    with pytest.raises(CardsError) as caught:
        tiles.read_one(text, path="winning_tile")
    assert (caught.value.reason, caught.value.path) == (ErrorReason.WRONG_TILE_COUNT, "winning_tile")


def refusal(source: str | bytes) -> LaiziError | None:
    try:
        tiles.read(source)
    except LaiziError as error:
        return error
    return None


@given(st.text(alphabet=LETTERS, max_size=24))
def test_any_text_is_read_or_refused_at_a_place_inside_it(text):
    error = refusal(text)
    if error:
        assert error.position in range(len(text))
        assert error.reason in {"UNKNOWN_TILE", "TOO_MANY_COPIES"}
    else:
        assert tiles.read(tiles.read(text).text()) == tiles.read(text)


@given(st.binary(max_size=24))
def test_any_bytes_are_read_or_refused_at_a_place_inside_them(codes):
    error = refusal(codes)
    if error:
        assert error.position in range(len(codes))
        assert error.reason in {"UNKNOWN_TILE_CODE", "TOO_MANY_COPIES"}
    else:
        assert sorted(tiles.read(codes).codes()) == sorted(codes)


@pytest.mark.parametrize("source", [["3"], [0x13], 3, None])
def test_what_is_neither_text_nor_bytes_is_a_type_error(source):
    with pytest.raises(TypeError, match="tiles are text or bytes, not"):
        tiles.read(source)
