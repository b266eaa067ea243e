# Words of fifteen four-bit counts, one for each rank of cards, the weakest rank in the lowest bits. A *mask* is such a
# word in which each count is 0 or 1.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #define LAIZI_ONES UINT64_C(0x0111111111111111)
    #define LAIZI_EIGHTS UINT64_C(0x0888888888888888)
    #define LAIZI_JOKERS UINT64_C(0x0110000000000000)
    static inline int laizi_lowest(uint64_t x) { return __builtin_ctzll(x); }
    static inline int laizi_highest(uint64_t x) { return 63 - __builtin_clzll(x); }
    """
    uint64_t ONES "LAIZI_ONES"
    uint64_t EIGHTS "LAIZI_EIGHTS"
    uint64_t JOKERS "LAIZI_JOKERS"
    # Index of the lowest and the highest bit that is set; x is not 0.
    int lowest "laizi_lowest"(uint64_t x) noexcept nogil
    int highest "laizi_highest"(uint64_t x) noexcept nogil


cdef inline int total(uint64_t counts) noexcept nogil:
    # Pairs of counts fit into a byte (at most 30), and the multiplication adds the eight bytes up.
    cdef uint64_t low = counts & <uint64_t>0x0F0F0F0F0F0F0F0F
    cdef uint64_t high = counts >> 4 & <uint64_t>0x0F0F0F0F0F0F0F0F
    return <int>((low + high) * <uint64_t>0x0101010101010101 >> 56)


cdef inline int small_total(uint64_t counts) noexcept nogil:
    # As total, where the sum is known to be at most 15: then no count overflows.
    return <int>(counts * <uint64_t>0x1111111111111111 >> 60)


cdef inline int count_at(uint64_t counts, int rank) noexcept nogil:
    return <int>(counts >> 4 * rank & 15)


cdef inline bint within(uint64_t counts, uint64_t caps) noexcept nogil:
    # Every count is at most its cap, caps being at most 7: 8 + cap - count keeps its top bit exactly then. A count of 8
    # or more would borrow, and is excluded first.
    return (counts & ~(ONES * 7)) == 0 and ((caps | EIGHTS) - counts & EIGHTS) == EIGHTS


cdef inline uint64_t window(int length) noexcept nogil:
    # A multiplier that turns counts into sums over `length` ranks: that of the window which ends at rank r stands at r.
    return ONES & ((<uint64_t>1 << 4 * length) - 1) if length < 15 else ONES


cdef inline uint64_t at_most(uint64_t sums, int limit) noexcept nogil:
    # The mask of the sums (0 to 15) that are at most limit (0 to 7).
    return ~(((sums & ONES * 7) + ONES * (7 - limit)) | sums) >> 3 & ONES
