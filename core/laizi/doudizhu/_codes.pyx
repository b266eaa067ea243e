"""Masks of main ranks, written as codes.

Four rows are laid over each other, so that a byte holds two main ranks of each; few bytes of a hand are not 0. These
are found first, for all rows at once, and each is then turned into up to eight codes by tables. So nearly no jump
depends on the hand.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from laizi.doudizhu._rules cimport ROW_COUNT, ROWS_USED

cdef extern from *:
    """
    #include <string.h>

    typedef uint64_t laizi_pair __attribute__((vector_size(16)));
    typedef uint16_t laizi_codes __attribute__((vector_size(16)));

    /* A part has eight rows, four in each of its two words. Groups 0 and 1 are the first and the second words of the
       parts 0 to 7, groups 2 and 3 those of the parts 8 to 11. */
    enum { LAIZI_PARTS = 12, LAIZI_GROUPS = 4 };

    /* found[group] has bit 8b + 7 - part % 8 where byte b of the group's word of that part is not 0. */
    static inline void laizi_overlay(const uint64_t *rows, uint8_t *bytes, uint64_t *found) {
        const laizi_pair low = (laizi_pair){0} + UINT64_C(0x7F7F7F7F7F7F7F7F);
        laizi_pair marks[2] = {{0}};
        for (int part = 0; part < LAIZI_PARTS; part++, rows += 8, bytes += 16) {
            laizi_pair over = (laizi_pair){rows[0], rows[4]} | (laizi_pair){rows[1], rows[5]} << 1
                | (laizi_pair){rows[2], rows[6]} << 2 | (laizi_pair){rows[3], rows[7]} << 3;
            memcpy(bytes, &over, 16);
            marks[part >> 3] |= (((over & low) + low | over) & ~low) >> (part & 7);
        }
        memcpy(found, marks, 32);
    }

    /* Eight codes are written for each byte, those beyond its own to be overwritten. */
    static inline int laizi_unpack(
        const uint64_t *rows, uint16_t *out, const uint8_t *places, uint16_t (*firsts)[64][8],
        uint16_t (*unpacked)[8], const uint8_t *counts
    ) {
        uint8_t bytes[LAIZI_PARTS * 16];
        uint64_t found[LAIZI_GROUPS];
        uint16_t *end = out;
        laizi_overlay(rows, bytes, found);
        for (int group = 0; group < LAIZI_GROUPS; group++) {
            const uint8_t *from = bytes + 128 * (group >> 1) + 8 * (group & 1);
            for (uint64_t left = found[group]; left; left &= left - 1) {
                int bit = __builtin_ctzll(left);
                uint8_t byte = from[places[bit]];
                laizi_codes codes, first;
                memcpy(&codes, unpacked[byte], 16);
                memcpy(&first, firsts[group][bit], 16);
                codes += first;
                memcpy(end, &codes, 16);
                end += counts[byte];
            }
        }
        return (int)(end - out);
    }
    """
    enum: GROUPS "LAIZI_GROUPS"
    enum: PARTS "LAIZI_PARTS"
    int unpack "laizi_unpack"(
        const uint64_t *rows, uint16_t *out, const uint8_t *places, uint16_t (*firsts)[64][8],
        uint16_t (*unpacked)[8], const uint8_t *counts
    ) noexcept nogil

# What a byte stands for: up to eight codes, less that of its first row and rank, and how many.
cdef uint16_t UNPACKED[256][8]
cdef uint8_t COUNTS[256]
# Of each bit that says which byte is not 0: where that byte stands, and its first code, eight times.
cdef uint8_t PLACES[64]
cdef uint16_t FIRSTS[GROUPS][64][8]


cdef int _fill():
    cdef int byte, bit, group, part, code, i
    for byte in range(256):
        for bit in range(8):
            if byte >> bit & 1:
                UNPACKED[byte][COUNTS[byte]] = (bit & 3) << 4 | bit >> 2
                COUNTS[byte] += 1
    for bit in range(64):
        part, byte = 7 - (bit & 7), bit >> 3
        PLACES[bit] = 16 * part + byte
        for group in range(GROUPS):
            code = 1 + 8 * (8 * (group >> 1) + part) + 4 * (group & 1) << 4 | 2 * byte
            for i in range(8):
                FIRSTS[group][bit][i] = code
    return 0


_fill()
assert ROWS_USED == 8 * PARTS + 1 <= ROW_COUNT


cdef int write_codes(const uint64_t *rows, uint16_t *out) noexcept nogil:
    """Write the codes of all rows, in no order, and return their number."""
    return unpack(rows + 1, out, PLACES, FIRSTS, UNPACKED, COUNTS)
