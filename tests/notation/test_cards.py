"""Dou Dizhu cards as text, byte codes and counts."""

import pickle
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laizi import cards
from laizi.cards import Cards
from laizi.errors import CardsError, ErrorReason, LaiziError, NotationError

PACK = [(rank, suit) for rank in range(13) for suit in range(4)] + [(13, -1), (14, -1)]
CODE_OF_NAME = {
    "3d": 0x03,
    "Kd": 0x0D,
    "Ad": 0x01,
    "2d": 0x02,
    "Tc": 0x1A,
    "Qh": 0x2C,
    "As": 0x31,
    "X": 0x4E,
    "Y": 0x4F,
}
# Every letter that the notation knows, and some that it does not.
LETTERS = "3456789TJQKA2XYtjqkaxy10dchsDCHS♦♣♥♠♢♧♡♤方块片梅花草红心桃黑小大王🃏🂿 ,;、，；　３ＡＴ\ufe0f\tBRZW-0ſK\0"

some_cards = st.lists(st.sampled_from(PACK), unique=True).map(tuple)


def spelled(rank: int, suit: int) -> list[str]:
    """Every way to write a card that the documentation promises, each a word of its own."""
    if rank >= 13:
        return [["X", "x", "小王", "🃏", "Ｘ"], ["Y", "y", "大王", "🂿", "ｙ"]][rank - 13]
    ranks = {7: ["T", "t", "10", "１０"], 8: ["J", "j"], 11: ["A", "a", "Ａ"]}.get(rank, [cards.RANKS[rank]])
    if suit < 0:
        return ranks
    before = [
        ["♦", "♢", "♦\ufe0f", "方块", "方片"],
        ["♣", "梅花", "草花"],
        ["♥", "♡", "红桃", "红心"],
        ["♠", "♤", "黑桃"],
    ][suit]
    after = [["d", "D", "♦"], ["c", "C", "♣"], ["h", "H", "♥\ufe0f"], ["s", "S", "♠"]][suit]
    return [glyph + name for glyph in before for name in ranks] + [name + letter for letter in after for name in ranks]


@pytest.mark.parametrize(("name", "code"), CODE_OF_NAME.items())
def test_byte_codes_are_those_of_game_servers(name, code):
    assert cards.read(bytes([code])).text() == name
    assert cards.read(name).codes() == bytes([code])


def test_all_54_codes_name_the_pack_and_no_other_byte_names_a_card():
    assert len(cards.CODES) == 54
    pack = cards.read(bytes(cards.CODES))
    assert pack.counts == cards.COPIES
    assert len(pack) == cards.PACK
    for code in set(range(256)) - cards.CODES:
        with pytest.raises(NotationError) as caught:
            cards.read(bytes([0x03, code]), path="hand")
        assert (caught.value.reason, caught.value.path, caught.value.position) == ("UNKNOWN_CARD_CODE", "hand", 1)


@pytest.mark.parametrize("card", [*PACK, *((rank, -1) for rank in range(13))])
def test_every_spelling_of_a_card_reads_alike(card):
    for text in spelled(*card):
        assert list(cards.read(text)) == [card], text


@given(some_cards, st.randoms(use_true_random=False), st.sampled_from([" ", ",", ", ", "、", "，", "　"]))
def test_mixed_spellings_in_any_order_read_as_the_same_cards(pack, random, separator):
    chosen = [(rank, suit if random.random() < 0.7 else -1) for rank, suit in pack]
    text = separator.join(random.choice(spelled(rank, suit)) for rank, suit in chosen)
    assert Counter(cards.read(text)) == Counter(chosen)


@given(some_cards, st.randoms(use_true_random=False), st.booleans())
def test_cards_need_nothing_between_them_in_one_style(pack, random, glyph_first):
    names = [cards.RANKS[rank].replace("T", "10") for rank, _ in pack]
    glyphs = [random.choice(["♦♢", "♣♧", "♥♡", "♠♤"][suit]) if suit >= 0 else "" for _, suit in pack]
    words = [glyph + name if glyph_first else name + glyph for name, glyph in zip(names, glyphs, strict=True)]
    # In the first style the word has to begin with a glyph: the jokers come last.
    words.sort(key=lambda word: word in ("X", "Y"))
    assert Counter(cards.read("".join(words))) == Counter(pack)


@given(some_cards)
def test_cards_with_suits_survive_text_and_codes(pack):
    made = cards.read(bytes(cards.code_of(rank, max(suit, 0)) for rank, suit in pack))
    assert sorted(made) == sorted(pack)
    assert cards.read(made.text()) == made
    assert cards.read(made.human()) == made
    assert cards.read(made.codes()) == made
    assert hash(cards.read(made.text())) == hash(made)
    assert pickle.loads(pickle.dumps(made)) == made


@given(some_cards)
def test_cards_without_suits_survive_text_counts_and_words(pack):
    made = cards.read("".join(cards.RANKS[rank] for rank, _ in pack))
    assert cards.read(made.text()) == made
    assert cards.read(made.human()) == made
    assert Cards.from_counts(made.counts) == made
    assert Cards.from_word(made.word()) == made
    assert made.word().bit_length() <= 60


@given(some_cards, st.sets(st.integers(0, 14), max_size=3), st.sets(st.sampled_from(sorted(cards.CODES)), max_size=4))
def test_split_puts_each_card_where_it_belongs(pack, wild_ranks, wild_codes):
    hand = cards.read(bytes(cards.code_of(rank, max(suit, 0)) for rank, suit in pack))
    natural, wild = hand.split(wild_ranks, wild_codes)
    assert set(natural.codes()) | set(wild.codes()) == set(hand.codes())
    assert len(natural) + len(wild) == len(hand)
    for code in hand.codes():
        is_wild = code in wild_codes or cards.rank_of_code(code) in wild_ranks
        assert code in (wild if is_wild else natural).codes()


def test_split_needs_the_suit_only_where_a_rank_is_partly_wild():
    red_sevens = cards.read("7h 7d").codes()
    assert cards.read("7h 7s 88").split((), red_sevens) == (cards.read("7s 88"), cards.read("7h"))
    assert cards.read("88").split((), red_sevens) == (cards.read("88"), cards.read(""))
    with pytest.raises(CardsError, match="suits") as caught:
        cards.read("7h 7").split((), red_sevens)
    assert caught.value.reason is ErrorReason.SUIT_MISSING


@given(some_cards, st.data())
def test_a_part_taken_away_and_put_back_gives_the_hand(pack, data):
    hand = cards.read(bytes(cards.code_of(rank, max(suit, 0)) for rank, suit in pack))
    counts = bytes(data.draw(st.integers(0, count)) for count in hand.counts)
    part = hand.take(counts)
    rest = hand.without(part)
    assert part.counts == counts
    assert hand.covers(part)
    assert hand.covers(rest)
    assert cards.read(part.codes() + rest.codes()) == hand


@pytest.mark.parametrize(
    ("hand", "part", "covered"),
    [
        ("7h 7d", "7", True),
        ("7 7h", "7h 7d", True),  # the card without a suit may be the ♦7
        ("7 7h", "7c 7d", False),
        ("7h 7d", "7c", False),
        ("33", "333", False),
        ("X", "Y", False),
        ("3", "", True),
    ],
)
def test_a_hand_covers_what_it_can_hold(hand, part, covered):
    assert cards.read(hand).covers(cards.read(part)) is covered


def test_in_order_keeps_the_order_of_the_bottom_cards():
    assert cards.in_order("K 9 5") == (10, 6, 2) == cards.in_order(cards.read("Kd").codes() + b"\x09\x05")


@pytest.mark.parametrize(
    ("source", "reason", "position"),
    [
        ("3334B", "UNKNOWN_RANK", 4),
        ("33 1", "UNKNOWN_RANK", 3),
        ("110", "UNKNOWN_RANK", 0),
        ("0", "UNKNOWN_RANK", 0),
        ("BJ", "UNKNOWN_RANK", 0),
        ("h7", "UNKNOWN_SUIT", 0),
        ("7 h", "UNKNOWN_SUIT", 2),
        ("♥7♠", "UNKNOWN_SUIT", 2),
        ("♥7h", "UNKNOWN_SUIT", 2),
        ("7hh", "UNKNOWN_SUIT", 2),
        ("红7", "UNKNOWN_SUIT", 0),
        ("ſ", "UNKNOWN_RANK", 0),
        ("7777 7", "TOO_MANY_COPIES", 5),
        ("77777", "TOO_MANY_COPIES", 4),
        ("7h 777 7", "TOO_MANY_COPIES", 7),
        ("XYX", "TOO_MANY_COPIES", 2),
        ("大王大王", "TOO_MANY_COPIES", 2),
        ("7h 7d 7♥", "DUPLICATE_CARD", 6),
        (b"\x03\x13\x03", "DUPLICATE_CARD", 2),
        (b"\x4e\x4e", "TOO_MANY_COPIES", 1),
        (b"\x00", "UNKNOWN_CARD_CODE", 0),
        (b"\x03\x0e", "UNKNOWN_CARD_CODE", 1),
    ],
)
def test_a_wrong_character_is_named_with_its_place(source, reason, position):
    with pytest.raises(LaiziError) as caught:
        cards.read(source, path="items[3].cards")
    error = caught.value
    assert (error.reason, error.position, error.path) == (reason, position, "items[3].cards")
    assert str(error).startswith("items[3].cards: ")


def test_the_field_bounds_the_number_of_cards():
    hand = "3456789TJQKA2" * 2
    assert len(cards.read(hand)) == 26
    with pytest.raises(CardsError, match="26 cards given, at most 20 allowed") as caught:
        cards.read(hand, limit=cards.HAND_LIMIT)
    assert (caught.value.reason, caught.value.limit) == (ErrorReason.HAND_TOO_LARGE, 20)
    assert len(cards.read("")) == 0
    for reason in (ErrorReason.EMPTY_PLAY, ErrorReason.EMPTY_HAND):
        with pytest.raises(CardsError) as caught:
            cards.read(" , ", empty=reason)
        assert caught.value.reason is reason


def test_cards_without_suits_have_no_codes():
    assert cards.read("7h X").codes() == b"\x27\x4e"
    with pytest.raises(CardsError) as caught:
        cards.read("7h 8").codes()
    assert caught.value.reason is ErrorReason.SUIT_MISSING


@pytest.mark.parametrize(
    ("counts", "reason"),
    [(bytes(14), "COUNT_OUT_OF_RANGE"), (bytes(16), "COUNT_OUT_OF_RANGE"), (b"\5" + bytes(14), "TOO_MANY_COPIES"),
     (bytes(14) + b"\2", "TOO_MANY_COPIES")],
)  # fmt: skip
def test_counts_are_those_of_a_pack(counts, reason):
    with pytest.raises(CardsError) as caught:
        Cards.from_counts(counts)
    assert caught.value.reason == reason


def test_a_word_uses_the_lowest_60_bits():
    with pytest.raises(CardsError):
        Cards.from_word(5)
    for word in (1 << 60, 1 << 64, -1):
        with pytest.raises(CardsError) as caught:
            Cards.from_word(word)
        assert caught.value.reason is ErrorReason.COUNT_OUT_OF_RANGE


@pytest.mark.parametrize(
    ("text", "ranks"), [("7", (4,)), ("97", (4, 6)), ("", ()), ("XY", (13, 14)), ("10,大王", (7, 14))]
)
def test_wild_ranks_are_read_in_rising_order(text, ranks):
    assert cards.ranks_of(text) == ranks


@pytest.mark.parametrize(
    ("text", "reason", "position"), [("7h", "UNKNOWN_SUIT", 0), ("77", "TOO_MANY_COPIES", 1), ("z", "UNKNOWN_RANK", 0)]
)
def test_wild_ranks_are_ranks_named_once(text, reason, position):
    with pytest.raises(LaiziError) as caught:
        cards.ranks_of(text, path="wilds.ranks")
    assert (caught.value.reason, caught.value.position, caught.value.path) == (reason, position, "wilds.ranks")


def refusal(source: str | bytes) -> LaiziError | None:
    try:
        cards.read(source)
    except LaiziError as error:
        return error
    return None


@given(st.text(alphabet=LETTERS, max_size=24))
def test_any_text_is_read_or_refused_at_a_place_inside_it(text):
    error = refusal(text)
    if error:
        assert error.position in range(len(text))
        assert error.reason in {"UNKNOWN_RANK", "UNKNOWN_SUIT", "TOO_MANY_COPIES", "DUPLICATE_CARD"}
    else:
        made = cards.read(text)
        assert cards.read(made.text()) == made
        assert Counter(cards.in_order(text)) == Counter(rank for rank, _ in made)


@given(st.binary(max_size=24))
def test_any_bytes_are_read_or_refused_at_a_place_inside_them(codes):
    error = refusal(codes)
    if error:
        assert error.position in range(len(codes))
        assert error.reason in {"UNKNOWN_CARD_CODE", "TOO_MANY_COPIES", "DUPLICATE_CARD"}
    else:
        assert sorted(cards.read(codes).codes()) == sorted(codes)


@pytest.mark.parametrize("source", [["3"], [0x13], 3, None])
def test_what_is_neither_text_nor_bytes_is_a_type_error(source):
    with pytest.raises(TypeError, match="cards are text or bytes, not"):
        cards.read(source)
