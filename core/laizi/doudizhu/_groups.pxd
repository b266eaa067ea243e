from libc.stdint cimport uint64_t

from laizi.doudizhu._rules cimport ROW_COUNT, Rules

# For each row of the table of readings the main ranks that a hand can make, as a mask.
cdef bint group_masks(const Rules *rules, uint64_t naturals, uint64_t wilds, uint64_t *rows) noexcept nogil
cdef void keep_beating(const Rules *rules, uint64_t *rows, int previous) noexcept nogil
cdef int beats_fast(const Rules *rules, uint64_t naturals, uint64_t wilds, int previous) noexcept nogil
