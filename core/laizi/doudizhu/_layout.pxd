from libc.stdint cimport uint8_t, uint64_t

from laizi.doudizhu._rules cimport Rules

cdef enum:
    MOST_STAND_INS = 16         # a game has at most eight wild cards

# A play arranged as one of its readings.
cdef struct Arranged:
    uint64_t body                       # natural cards of the body
    int count                           # wild cards
    int in_body                         # how many of them are in the body; these come first
    uint8_t card[MOST_STAND_INS]        # which of the wild cards, in rising order of rank and suit
    uint8_t rank[MOST_STAND_INS]        # the rank that it stands for

cdef void arrange_play(
    const Rules *rules, int code, uint64_t naturals, uint64_t wilds, Arranged *play
) noexcept nogil
