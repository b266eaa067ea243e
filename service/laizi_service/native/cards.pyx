"""Cards of Dou Dizhu in messages, read and written without the interpreter: see the stub."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from laizi.bits cimport JOKERS, lowest, within
from laizi_service.native.wire cimport FIELDS, Field, Out, Table, put, put_field, scan, table_of, tag_of

from laizi import cards as notation
from laizi.v1 import types_pb2

cdef enum:
    RANKS = 15
    NONE = 255

cdef Table CARDS = table_of(types_pb2.Cards.DESCRIPTOR)
cdef uint8_t TEXT = tag_of(types_pb2.Cards.DESCRIPTOR, "text"), CODES = tag_of(types_pb2.Cards.DESCRIPTOR, "codes")

# Of a letter and of a code: the lowest bit of the rank, or NONE; of a letter and a code: the suit.
cdef uint8_t RANK_OF_LETTER[256]
cdef uint8_t SUIT_OF_LETTER[256]
cdef uint8_t RANK_OF_CODE[256]
cdef uint8_t LETTERS[RANKS]
cdef uint8_t SUITS[4]
cdef uint8_t CODE_OF[RANKS][4]
cdef uint64_t CAPS = 0


cdef int _fill() except -1:
    global CAPS
    memset(RANK_OF_LETTER, NONE, sizeof(RANK_OF_LETTER))
    memset(SUIT_OF_LETTER, NONE, sizeof(SUIT_OF_LETTER))
    memset(RANK_OF_CODE, NONE, sizeof(RANK_OF_CODE))
    for rank, letter in enumerate(notation.RANKS):
        RANK_OF_LETTER[ord(letter)] = RANK_OF_LETTER[ord(letter.lower())] = 4 * rank
        LETTERS[rank] = ord(letter)
        CAPS |= <uint64_t>notation.COPIES[rank] << 4 * rank
        for suit in range(4):
            CODE_OF[rank][suit] = notation.code_of(rank, suit)
    for suit, letter in enumerate(notation.SUITS):
        SUIT_OF_LETTER[ord(letter)] = suit
        SUITS[suit] = ord(letter)
    for code in notation.CODES:
        RANK_OF_CODE[code] = 4 * notation.rank_of_code(code)
    return 0


_fill()


cdef bint read_cards(const Field *field, Cards *cards) noexcept nogil:
    """Read a field that holds 1 to 20 cards; False where it holds none, too many, or is written in another way."""
    cdef Field forms[FIELDS]
    cdef const Field *text = &forms[TEXT >> 3]
    cdef const Field *codes = &forms[CODES >> 3]
    if field.count == 0 or not scan(&CARDS, field.start, field.size, forms):
        return False
    cards.codes = codes.count > 0
    return _read_codes(codes, cards) if cards.codes else _read_text(text, cards)


cdef bint _read_codes(const Field *codes, Cards *cards) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint64_t bit
    cdef int code, place
    if not 0 < codes.size <= MOST_CARDS:
        return False
    cards.suits = 0
    for i in range(codes.size):
        code = codes.start[i]
        place = RANK_OF_CODE[code]
        if place == NONE:
            return False
        bit = <uint64_t>1 << place
        if not bit & JOKERS:
            bit <<= code >> 4
        if cards.suits & bit:
            return False
        cards.suits |= bit
    cards.counts = counts_of(cards.suits)
    cards.suited = (cards.suits & ~JOKERS) != 0
    return True


cdef bint _read_text(const Field *text, Cards *cards) noexcept nogil:
    cdef const uint8_t *at = text.start
    cdef const uint8_t *end = at + text.size
    cdef uint64_t bit
    cdef int size = 0, with_suits = 0, jokers = 0, suit
    cards.counts = cards.suits = 0
    while at < end:
        if at[0] == b' ' or at[0] == b',':
            at += 1
            continue
        if RANK_OF_LETTER[at[0]] == NONE or size == MOST_CARDS:
            return False
        bit = <uint64_t>1 << RANK_OF_LETTER[at[0]]
        at += 1
        size += 1
        if cards.counts & bit << 2:  # a fifth card of a rank; a second joker is found below
            return False
        cards.counts += bit
        if bit & JOKERS:
            jokers += 1
        elif at < end and SUIT_OF_LETTER[at[0]] != NONE:
            suit = SUIT_OF_LETTER[at[0]]
            at += 1
            with_suits += 1
            bit <<= suit
            if cards.suits & bit:
                return False
        cards.suits |= bit
    cards.suited = with_suits > 0
    if not cards.suited:
        cards.suits = 0
    return size > 0 and within(cards.counts, CAPS) and (with_suits == 0 or with_suits + jokers == size)


cdef void put_cards(Out *out, uint8_t tag, const Cards *cards) noexcept nogil:
    """Write a field of cards, weakest first, in the form in which they were given."""
    cdef uint8_t text[3 * MOST_CARDS]
    cdef uint64_t left = cards.suits if cards.suited or cards.codes else cards.counts
    cdef int size = 0, bit, rank
    cdef bint spaced = cards.suited and (left & ~JOKERS) != 0
    while left:
        bit = lowest(left)
        rank = bit >> 2
        if cards.codes:
            text[size] = CODE_OF[rank][bit & 3]
            left &= left - 1
        elif spaced:
            if size:
                text[size] = b' '
                size += 1
            text[size] = LETTERS[rank]
            if rank < 13:
                size += 1
                text[size] = SUITS[bit & 3]
            left &= left - 1
        else:
            text[size] = LETTERS[rank]
            left -= <uint64_t>1 << 4 * rank
        size += 1
    put(out, tag)
    put(out, size + 2)
    put_field(out, CODES if cards.codes else TEXT, text, size)


cdef void put_rank(Out *out, uint8_t tag, int rank) noexcept nogil:
    """Write a text field of one rank."""
    put_field(out, tag, &LETTERS[rank], 1)


cdef uint64_t counts_of(uint64_t suits) noexcept nogil:
    """How many cards of each rank have these suits."""
    suits = (suits & <uint64_t>0x5555555555555555) + (suits >> 1 & <uint64_t>0x5555555555555555)
    return (suits & <uint64_t>0x3333333333333333) + (suits >> 2 & <uint64_t>0x3333333333333333)


cdef uint64_t lowest_suits(uint64_t suits, uint64_t counts) noexcept nogil:
    """Of cards with these suits the first so many of each rank."""
    cdef uint64_t chosen = 0, bit
    while counts:
        bit = <uint64_t>1 << (lowest(counts) & ~3)
        counts -= bit
        bit = (suits & 15 * bit) & (~(suits & 15 * bit) + 1)
        chosen |= bit
        suits ^= bit
    return chosen
