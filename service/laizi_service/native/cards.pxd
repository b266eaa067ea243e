# Cards of Dou Dizhu in messages, read and written without the interpreter. What it cannot read is not wrong: the
# general path reads every notation, and says what is wrong.

from libc.stdint cimport uint8_t, uint64_t

from laizi_service.native.wire cimport Field, Out

cdef enum:
    MOST_CARDS = 20

# Some cards, by rank in four bits each.
cdef struct Cards:
    uint64_t counts
    uint64_t suits          # which suits, and bit 0 of a joker; only where all cards but jokers have theirs
    bint suited             # whether they have; jokers alone have none
    bint codes              # whether they were given as codes

cdef bint read_cards(const Field *field, Cards *cards) noexcept nogil
cdef void put_cards(Out *out, uint8_t tag, const Cards *cards) noexcept nogil
cdef void put_rank(Out *out, uint8_t tag, int rank) noexcept nogil
cdef uint64_t counts_of(uint64_t suits) noexcept nogil
cdef uint64_t lowest_suits(uint64_t suits, uint64_t counts) noexcept nogil
