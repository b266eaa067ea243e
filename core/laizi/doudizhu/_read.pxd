from libc.stdint cimport uint8_t, uint16_t, uint64_t

from laizi.doudizhu._rules cimport CODES, Compiled, Rules

cdef int read_play(const Rules *rules, uint64_t naturals, uint64_t wilds, uint16_t *out) noexcept nogil
cdef int read_counted(
    const Rules *rules, uint64_t naturals, uint64_t wilds, int size, int free, uint16_t *out
) noexcept nogil

cdef class Reader(Compiled):
    cdef uint8_t judged[CODES]          # whether a play may have this reading: 0 not asked yet, 1 yes, 2 no
    cdef const Rules *rules_for(self, bint last) noexcept nogil
    cdef bint plausible(self, int code) noexcept nogil
