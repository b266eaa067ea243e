from libc.stdint cimport uint16_t, uint64_t

from laizi.doudizhu._exact cimport Held
from laizi.doudizhu._rules cimport Rules

# One play of a hand, with what it costs the rest of the hand.
cdef struct Choice:
    uint16_t code
    uint64_t naturals
    uint64_t wilds
    int broken                  # bombs of four and the rocket that it takes cards from, not all
    int wild_count
    int split                   # pairs and triples that it takes cards from, not all

cdef bint choose(Choice *choice, const Rules *rules, int code, const Held *hand) noexcept nogil
cdef void price(Choice *choice, const Held *hand) noexcept nogil
