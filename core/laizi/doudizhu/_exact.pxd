from libc.stdint cimport uint8_t, uint16_t, uint64_t

from laizi.doudizhu._rules cimport Rules

# Cards by rank: naturals, and wilds by their own rank.
cdef struct Held:
    uint8_t natural[16]
    uint8_t wild[16]
    int naturals
    int wilds

cdef void unpack(Held *held, uint64_t naturals, uint64_t wilds) noexcept nogil
cdef bint fits(const Rules *rules, int row, int main, const Held *held, int tier) noexcept nogil
cdef int read_exact(const Rules *rules, uint64_t naturals, uint64_t wilds, uint16_t *out) noexcept nogil
