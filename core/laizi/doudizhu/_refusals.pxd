from libc.stdint cimport uint32_t, uint64_t

from laizi.doudizhu._rules cimport SIZES, Rules

cdef enum:
    MOST_LIFTS = 32

# One reason: the rules without the rule that it names.
cdef struct Lift:
    const Rules *rules[2]       # of an ordinary play, of the last
    uint32_t reason
    bint alone                  # asked only of wilds alone

cdef class Refuser:
    cdef Lift whole
    cdef Lift every[2]
    cdef Lift lifts[MOST_LIFTS]
    cdef int count
    cdef bint forbids_alone, alone_if_last
    cdef bint played[2][SIZES]
    cdef object kept, needed
    cdef uint32_t explain(self, uint64_t naturals, uint64_t wilds, bint last) noexcept nogil
