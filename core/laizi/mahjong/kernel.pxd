from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from laizi.mahjong.readings cimport KINDS, Forms, Hand
from laizi.mahjong.scarce cimport Scarce
from laizi.mahjong.tables cimport F_MASK, LOWEST_GAIN, PAIR_258_SHIFT, PAIR_ANY_SHIFT, SuitTables

cdef extern from *:
    """
    #define LAIZI_ONES 0x0101010101010101ULL
    #define LAIZI_BYTES_258 0xFF0000FF0000FF00ULL
    """
    const uint64_t ONES "LAIZI_ONES"            # 1 in each byte
    const uint64_t BYTES_258 "LAIZI_BYTES_258"  # 0xFF at 2, 5 and 8 of the first eight tiles of a suit

cdef enum:
    WORDS = 5
    MOST_ROW_TILES = 17


# The 34 counts of a row as words of one byte a tile: tiles 1-8 of m, p and s, the honours, and the three nines.
cdef struct Words:
    uint64_t at[WORDS]


# A checked row: the suit keys of the tiles that are not wild, and the number of wilds.
cdef struct Row:
    uint32_t key[4]
    int wilds
    int total


cdef struct KernelRules:
    Forms forms
    SuitTables* tables
    const SuitTables* distances  # of copies without limit, or NULL where no table tells
    const Scarce* scarce    # NULL where a drawn wild serves instead of a fifth copy
    # Wilds stand for every tile of the set, nothing stands in for them, no pair or meld is barred, honours make no
    # runs: then the suit tables answer.
    bint plain
    bint whole_set          # all 34 tiles are in the set
    uint8_t shapes
    int wild_kinds
    uint8_t wild[KINDS]
    uint8_t wild_suit[KINDS]
    uint32_t wild_power[KINDS]
    Words allowed           # 0xFF at each tile of the set
    Words natural           # 0xFF at each tile that is not wild
    uint64_t listed         # the tiles that waits may name, a bit each
    uint64_t bits_258
    uint64_t winds          # the tiles of the set that serve where any honours win, wilds included
    uint64_t jiangs         # the same where any tiles of 2, 5, 8 win


cdef inline uint64_t word_at(const uint8_t* counts) noexcept nogil:
    # The machine is little-endian (x86-64, arm64): byte i of a word is tile i.
    cdef uint64_t word
    memcpy(&word, counts, 8)
    return word


cdef inline Words words_of(const uint8_t* counts) noexcept nogil:
    cdef Words words
    words.at[0] = word_at(counts)
    words.at[1] = word_at(counts + 9)
    words.at[2] = word_at(counts + 18)
    words.at[3] = word_at(counts + 26) >> 8
    words.at[4] = counts[8] | <uint64_t>counts[17] << 8 | <uint64_t>counts[26] << 16
    return words


cdef inline Words natural_words(const KernelRules* rules, const uint8_t* counts) noexcept nogil:
    """The counts of the tiles that are not wild."""
    cdef Words words = words_of(counts)
    cdef int index
    for index in range(WORDS):
        words.at[index] &= rules.natural.at[index]
    return words


cdef inline uint32_t base_5(uint64_t word) noexcept nogil:
    """Eight digits of at most 4, one a byte, as a number of base 5: neighbours joined, three times."""
    word = word * (5 | 1 << 8) >> 8 & 0x00FF00FF00FF00FFULL
    word = word * (25 | 1 << 16) >> 16 & 0x0000FFFF0000FFFFULL
    return <uint32_t>(word * (625ULL | 1ULL << 32) >> 32)


cdef inline int sum_of_bytes(uint64_t word) noexcept nogil:
    return <int>(word * 0x0101010101010101ULL >> 56)


cdef inline int odd_kinds(const Words* words) noexcept nogil:
    return sum_of_bytes((words.at[0] & ONES) + (words.at[1] & ONES) + (words.at[2] & ONES) + (words.at[3] & ONES)
                        + (words.at[4] & ONES))


cdef inline bint completes(uint64_t sum, int wilds, int shift) noexcept nogil:
    """Whether so many wilds complete four added classes (see SuitTables.hu) to melds and a pair."""
    cdef int lane = min(max(wilds - <int>(sum & F_MASK) - LOWEST_GAIN, 0), 7)
    return (sum >> (shift + 3 * lane) & 7) != 0


cdef inline uint64_t hu_sum(const SuitTables* tables, const Row* row) noexcept nogil:
    return (tables.suit.hu[tables.suit.number[row.key[0]]] + tables.suit.hu[tables.suit.number[row.key[1]]]
            + tables.suit.hu[tables.suit.number[row.key[2]]] + tables.honours.hu[tables.honours.number[row.key[3]]])


cdef int read_row(const KernelRules* rules, const uint8_t* counts, Row* row) noexcept nogil
cdef bint has_shape(const KernelRules* rules, const uint8_t* counts, const Row* row) noexcept nogil
cdef uint64_t shape_waits(const KernelRules* rules, const uint8_t* counts, const Row* row, uint64_t listed,
                          bint pair_258) noexcept nogil


cdef class Kernel:
    cdef KernelRules rules
