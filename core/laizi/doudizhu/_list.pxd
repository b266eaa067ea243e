from libc.stdint cimport uint16_t, uint64_t

from laizi.doudizhu._choose cimport Choice
from laizi.doudizhu._exact cimport Held
from laizi.doudizhu._expand cimport Plays, WildChoices
from laizi.doudizhu._read cimport Reader
from laizi.doudizhu._rules cimport Rules

cdef class Lister(Reader):
    cdef readonly bint bars_soft            # a holder of a hard bomb may not play a soft one
    cdef readonly bint leads_no_bombs       # cards with another reading may not lead as a bomb
    cdef int groups(self, uint64_t naturals, uint64_t wilds, int previous, uint16_t *out) noexcept nogil
    cdef int _may_lead(self, uint64_t naturals, uint64_t wilds, uint16_t *codes, int count) noexcept nogil
    cdef void plays(
        self, Plays *plays, int code, const Held *hand, uint64_t naturals, uint64_t wilds, const WildChoices *choices,
        bint leading, Py_ssize_t limit,
    ) noexcept nogil
    cdef bint _only_as_last(self, int code, uint64_t naturals, uint64_t wilds) noexcept nogil
    cdef bint _reads(self, const Rules *rules, int code, uint64_t naturals, uint64_t wilds) noexcept nogil
    cdef bint _choose(
        self, Choice *choice, int code, const Held *hand, uint64_t naturals, uint64_t wilds, const WildChoices *choices,
        bint leading,
    ) noexcept nogil
    cdef bint can_beat_row(self, uint64_t naturals, uint64_t wilds, int previous) noexcept nogil
