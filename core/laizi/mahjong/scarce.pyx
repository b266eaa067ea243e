"""Where a fifth copy would help: the counts of a suit that keep fewer tiles in so many melds without one.

For every number of melds, with and without a pair, the complete counts of at most four copies miss nothing. Each tile
taken away misses one more, each tile added is left over: the fewest missing are a shortest way, axis by axis. Compared
with the table for copies without limit, the differences are few.
"""

import threading

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from laizi.mahjong.tables cimport ONE_SUIT_TILES, SUIT_KEYS, SuitTables, unlimited

cdef enum:
    LANES = 16              # of each key: 0..5 melds alone in lanes 1-6, beside a pair in lanes 9-14
    NEAR_AXES = 5           # whose steps stay in the cache
    MELDS = 16              # nine triplets, seven runs
    ALONE = 1
    PAIRED = 9
    FAR = 60

cdef Scarce _scarce
cdef bint _made = False
_lock = threading.Lock()

cdef int[9] POWER = [1, 5, 25, 125, 625, 3125, 15625, 78125, 390625]


cdef const Scarce* scarce_counts() except NULL:
    global _made
    if not _made:
        with _lock:
            if not _made:
                make()
                _made = True
    return &_scarce


cdef int make() except -1:
    cdef const SuitTables* tables = unlimited()
    cdef uint8_t* missing = <uint8_t*>malloc(SUIT_KEYS * LANES)
    cdef uint8_t counts[9]
    cdef bint fits
    if missing == NULL:
        raise MemoryError("scarce counts")
    with nogil:
        memset(missing, FAR, SUIT_KEYS * LANES)
        memset(counts, 0, sizeof(counts))
        mark_complete(missing, counts, 0, 0, 0)
        relax(missing)
        fits = collect(tables, missing)
    free(missing)
    if not fits:
        raise SystemError("scarce counts: the hash table is too small")
    return 0


cdef void mark_complete(uint8_t* missing, uint8_t* counts, int key, int melds, int first) noexcept nogil:
    """Mark all complete counts that add melds numbered `first` or higher to these."""
    cdef int face, meld, size, step
    missing[key * LANES + ALONE + melds] = 0
    for face in range(9):
        if counts[face] <= 2:
            missing[(key + 2 * POWER[face]) * LANES + PAIRED + melds] = 0
    if melds == 5:
        return
    for meld in range(first, MELDS):
        face = meld if meld < 9 else meld - 9
        size, step = (3, 0) if meld < 9 else (1, 1)
        if counts[face] + size > 4 or (step and (counts[face + 1] == 4 or counts[face + 2] == 4)):
            continue
        counts[face] += size
        counts[face + step] += step
        counts[face + 2 * step] += step
        mark_complete(missing, counts, key + size * POWER[face] + step * (POWER[face + step] + POWER[face + 2 * step]),
                      melds + 1, meld)
        counts[face] -= size
        counts[face + step] -= step
        counts[face + 2 * step] -= step


cdef void relax(uint8_t* missing) noexcept nogil:
    cdef int axis, part
    for part in range(SUIT_KEYS // POWER[NEAR_AXES]):
        for axis in range(NEAR_AXES):
            relax_axis(missing + part * POWER[NEAR_AXES] * LANES, POWER[NEAR_AXES], POWER[axis])
    for axis in range(NEAR_AXES, 9):
        relax_axis(missing, SUIT_KEYS, POWER[axis])


cdef void relax_axis(uint8_t* missing, int keys, int stride) noexcept nogil:
    cdef int block, offset, digit
    cdef uint8_t* here
    for block in range(keys // (5 * stride)):
        for offset in range(stride):
            here = missing + (5 * block * stride + offset) * LANES
            for digit in range(3, -1, -1):
                lower(here + digit * stride * LANES, here + (digit + 1) * stride * LANES, 1)
            for digit in range(1, 5):
                lower(here + digit * stride * LANES, here + (digit - 1) * stride * LANES, 0)


cdef inline void lower(uint8_t* missing, const uint8_t* beside, uint8_t more) noexcept nogil:
    cdef uint8_t here[LANES]
    cdef uint8_t there[LANES]
    cdef int lane
    memcpy(here, missing, LANES)
    memcpy(there, beside, LANES)
    for lane in range(LANES):
        there[lane] += more
        here[lane] = there[lane] if there[lane] < here[lane] else here[lane]
    memcpy(missing, here, LANES)


cdef bint collect(const SuitTables* tables, const uint8_t* missing) noexcept nogil:
    cdef uint8_t counts[9]
    cdef uint8_t kept[16]
    cdef int key, total = 0, fours = 0, digit, melds, vectors = 0, entries = 0, vector
    cdef uint32_t slot
    memset(counts, 0, sizeof(counts))
    for key in range(1, SUIT_KEYS):
        digit = 0
        while counts[digit] == 4:
            counts[digit] = 0
            total -= 4
            fours -= 1
            digit += 1
        counts[digit] += 1
        total += 1
        fours += counts[digit] == 4
        if fours == 0 or total > ONE_SUIT_TILES:
            continue
        memset(kept, 0, sizeof(kept))
        for melds in range(6):
            kept[ALONE + melds] = 3 * melds - missing[key * LANES + ALONE + melds]
            kept[PAIRED + melds] = 3 * melds + 2 - missing[key * LANES + PAIRED + melds]
        if same(kept, tables.suit.kept[tables.suit.number[key]]):
            continue
        vector = 0
        while vector < vectors and memcmp(_scarce.kept[vector], kept, 16):
            vector += 1
        if vector == SCARCE_VECTORS or entries == SCARCE_SLOTS - 1:
            return False
        if vector == vectors:
            memcpy(_scarce.kept[vector], kept, 16)
            vectors += 1
        slot = scarce_slot(key)
        while _scarce.key[slot]:
            slot = (slot + 1) & (SCARCE_SLOTS - 1)
        _scarce.key[slot] = key + 1
        _scarce.vector[slot] = <uint8_t>vector
        entries += 1
    return True


cdef inline bint same(const uint8_t* kept, const uint8_t* other) noexcept nogil:
    return memcmp(kept + ALONE, other + ALONE, 6) == 0 and memcmp(kept + PAIRED, other + PAIRED, 6) == 0
