from libc.stdint cimport int8_t, uint8_t, uint64_t

from laizi.mahjong.kernel cimport KernelRules, Row
from laizi.mahjong.readings cimport Hand

cdef enum:
    NO_SHANTEN = 127        # no exchange of tiles makes the hand a win


# The shanten of a hand of so many melds, `row` being its counts; `shown` (or NULL) counts the tiles of its own melds.
cdef int shanten_of(const KernelRules* rules, const Hand* hand, const uint8_t* shown, const Row* row, int melds,
                    bint pair_258) noexcept nogil
# The tiles whose draw brings the shanten below `than`.
cdef uint64_t improving(const KernelRules* rules, Hand* hand, const uint8_t* shown, int melds, bint pair_258,
                        int than) noexcept nogil
cdef void shanten_rows(const KernelRules* rules, const uint8_t* rows, Py_ssize_t count, bint pair_258, int8_t* out,
                       uint8_t* wrong) noexcept nogil
