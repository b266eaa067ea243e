from libc.stdint cimport uint8_t

from laizi.mahjong.readings cimport Forms, Hand


# The fewest tiles that must be drawn, for others, so that the concealed tiles are so many melds and a pair or another
# shape of the rules. Of each tile four exist; `shown` (or NULL) counts those that the own melds hold.
# NEVER_MISSING = no draws make it one.
cdef enum:
    NEVER_MISSING = 127

cdef int missing_tiles(const Forms* forms, const Hand* hand, const uint8_t* shown, int melds,
                       bint pair_258) noexcept nogil
