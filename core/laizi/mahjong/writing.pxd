from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from laizi.mahjong.readings cimport BLOCKS, KINDS, MAX_HELD, MAX_MELDS, BlockMasks, Forms, Hand, Split


# A tile and the face that it has.
cdef struct Stand:
    uint8_t tile
    uint8_t face


# One reading of the concealed tiles, written out. Only so many entries of each array count.
cdef struct Written:
    uint8_t melds
    uint8_t pairs
    uint8_t singles
    uint8_t wilds
    uint8_t stand_ins
    uint8_t meld[MAX_MELDS][3]
    uint8_t pair[MAX_HELD]
    uint8_t single[MAX_HELD]
    Stand wild[MAX_HELD]        # in rising order
    Stand stand_in[MAX_HELD]


# Takes one reading; True ends the walk.
ctypedef bint (*written_taker)(const Written*, void*) noexcept nogil


# The readings of one split with one code, walked through in a fixed order.
cdef struct Walk:
    const Forms* forms
    const Hand* hand
    const Split* split
    const BlockMasks* blocks
    uint8_t code
    written_taker take
    void* context
    bint done
    int most_melds
    # Bit n: with n tiles filled, suits and group can still end at the code; `tried` tells where that is known.
    uint32_t good[BLOCKS + 1][16][9]
    uint32_t tried[BLOCKS][16][9]
    uint32_t loose_good[KINDS + 1][64]
    uint8_t runs[KINDS]
    uint8_t triplets[KINDS]
    uint8_t fill[KINDS]
    int without[4]
    int touching[4]
    int pair_face


cdef void write_split(const Forms* forms, const Hand* hand, const Split* split, const BlockMasks* blocks,
                      uint8_t code, written_taker take, void* context) noexcept nogil
cdef void write_first(const Forms* forms, const Hand* hand, const Split* split, const BlockMasks* blocks,
                      uint8_t code, Written* out) noexcept nogil
