from libc.stdint cimport uint8_t

from laizi.mahjong.checks cimport Meld
from laizi.mahjong.writing cimport Written
from laizi_service.native.wire cimport Out

# Puts the fields of a Decomposition before its types: shape, groups, hard. `packed` are the melds on the table, as
# columns pack them, and `known` says what each one is.
cdef void put_groups(Out *out, int form, int shape, const Meld *known, const uint8_t *packed,
                     const Written *written) noexcept nogil
