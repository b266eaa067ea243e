from laizi.mahjong.checks cimport CONTEXTS, MELD_CODES, Context, Demands, Meld
from laizi.mahjong.kernel cimport Kernel


cdef class Checker(Kernel):
    cdef Demands demands
    cdef Meld melds[MELD_CODES]
    cdef bint melds_made
    cdef Context* contexts[CONTEXTS]
    cdef object context_rows, packed_meld

    cdef int make_context(self, int index) except -1
    cdef int make_melds(self) except -1
