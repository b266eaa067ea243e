from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef enum:
    SUIT_KEYS = 1953125     # 5 ** 9
    HONOUR_KEYS = 78125     # 5 ** 7
    MOST_CLASSES = 256
    LOWEST_GAIN = -5        # below any gain of a pair, in fills
    ONE_SUIT_TILES = 14     # beyond these a table knows no distances
    IRREGULAR = 1
    UNKNOWN = 16


# A table over the counts of one suit (nine tiles, runs) or of the honours (seven, no runs), read as a number of base
# 5, the first tile lowest. Each entry is the number of a class of counts that answer every question alike.
cdef struct Table:
    uint8_t* number
    # By class. Bits 0-7 f: the fewest wilds that make the tiles melds. Then eight lanes of three bits, set to 1 from
    # the lane d + 5 on, where f + d wilds make them melds and one pair, d from -4 to 2: from bit 8 for any pair, from
    # bit 32 for one of 2, 5, 8. Four classes can be added: lanes count up to 4, the sum of the f stays below 256.
    uint64_t hu[MOST_CLASSES]
    # By class, eight bytes: how many melds, of at most five, gain at least 3, 2, 1 tiles (bytes 0-2); the same beside
    # a pair (bytes 3-5); the tiles that this pair keeps (byte 6). Byte 7 is IRREGULAR where some gain is greater
    # than the one before, so that these numbers do not add, and UNKNOWN for counts of too many tiles. Only for copies
    # without limit, as `kept`: the most tiles that 0..5 melds keep (bytes 1-6), and beside a pair (bytes 9-14).
    uint64_t distance[MOST_CLASSES]
    uint8_t kept[MOST_CLASSES][16]


cdef struct SuitTables:
    Table suit
    Table honours


cdef enum:
    PAIR_ANY_SHIFT = 8
    PAIR_258_SHIFT = 32
    F_MASK = 255


cdef SuitTables* unlimited() except NULL
cdef SuitTables* four_copies() except NULL
