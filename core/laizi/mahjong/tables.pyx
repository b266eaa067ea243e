"""Suit tables: for the counts of one suit, how many wilds complete them, and how many tiles so many melds keep.

Both tables are made when first asked for: `unlimited`, where wilds may stand for a fifth copy, `four_copies`, where
they may not. docs/mahjong.md proves that their entries add up over the suits.
"""

import threading

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

cdef enum:
    MOST_TILES = 17
    NEVER = 63              # more fills than any hand has wilds
    # Sixteen lanes: the most tiles that 0..5 melds keep in lanes 1..6, the same beside one pair in lanes 9..14.
    LANES = 16
    ALONE = 1
    PAIRED = 9
    FALLS_NOT = 255

cdef SuitTables _unlimited, _four
cdef bint _unlimited_made = False, _four_made = False
_lock = threading.Lock()

cdef int[10] POWER = [1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125]


cdef SuitTables* unlimited() except NULL:
    global _unlimited_made
    if not _unlimited_made:
        with _lock:
            if not _unlimited_made:
                make(&_unlimited, False)
                _unlimited_made = True
    return &_unlimited


cdef SuitTables* four_copies() except NULL:
    global _four_made
    if not _four_made:
        with _lock:
            if not _four_made:
                make(&_four, True)
                _four_made = True
    return &_four


cdef int make(SuitTables* tables, bint four) except -1:
    cdef Classes* classes = <Classes*>calloc(1, sizeof(Classes))
    cdef Scratch scratch
    cdef bint fits
    tables.suit.number = <uint8_t*>malloc(SUIT_KEYS)
    tables.honours.number = <uint8_t*>malloc(HONOUR_KEYS)
    scratch.kept = <uint8_t*>malloc((SUIT_KEYS + 1) * LANES)
    scratch.alone = <uint8_t*>malloc(SUIT_KEYS)
    scratch.paired = <uint8_t*>malloc(SUIT_KEYS)
    scratch.paired_258 = <uint8_t*>malloc(SUIT_KEYS)
    try:
        if (classes == NULL or tables.suit.number == NULL or tables.honours.number == NULL or scratch.kept == NULL
                or scratch.alone == NULL or scratch.paired == NULL or scratch.paired_258 == NULL):
            raise MemoryError("suit tables")
        with nogil:
            fits = (fill_table(&tables.suit, 9, four, &scratch, classes)
                    and fill_table(&tables.honours, 7, four, &scratch, classes))
        if not fits:
            raise SystemError("suit tables: more classes than one byte numbers")
    finally:
        free(classes)
        free(scratch.kept)
        free(scratch.alone)
        free(scratch.paired)
        free(scratch.paired_258)
    return 0


cdef struct Scratch:
    uint8_t* kept           # LANES a key, after one unused entry
    uint8_t* alone          # fewest wilds that make the tiles melds
    uint8_t* paired         # ... melds and a pair
    uint8_t* paired_258


cdef struct Classes:
    int count
    uint64_t hu[1024]       # a hash table of the classes met so far
    uint64_t distance[1024]
    uint8_t number[1024]
    uint8_t taken[1024]


cdef bint fill_table(Table* table, int kinds, bint four, Scratch* scratch, Classes* classes) noexcept nogil:
    cdef uint8_t counts[9]
    cdef int key, total = 0
    cdef uint64_t hu, distance = 0
    if four:
        count_four_copies(kinds, scratch)
    else:
        count_unlimited(kinds, scratch)
    memset(classes, 0, sizeof(Classes))
    memset(counts, 0, sizeof(counts))
    for key in range(POWER[kinds]):
        if key:
            total += step(counts)
        table.number[key] = 0
        if total > MOST_TILES:
            continue
        hu = pack_hu(within(scratch.alone[key], total), within(scratch.paired[key], total),
                     within(scratch.paired_258[key], total))
        if not four:
            distance = pack_distance(scratch.kept + (key + 1) * LANES, total)
        if not number_of(classes, hu, distance, table, &table.number[key]):
            return False
        if not four:
            memcpy(table.kept[table.number[key]], scratch.kept + (key + 1) * LANES, LANES)
    return True


cdef inline int within(int wilds, int total) noexcept nogil:
    return wilds if wilds + total <= MOST_TILES else NEVER


cdef inline int step(uint8_t* counts) noexcept nogil:
    """Count one further in base 5; return the change of the sum of digits."""
    cdef int kind = 0, change = 1
    while counts[kind] == 4:
        counts[kind] = 0
        change -= 4
        kind += 1
    counts[kind] += 1
    return change


cdef bint number_of(Classes* classes, uint64_t hu, uint64_t distance, Table* table,
                    uint8_t* number) noexcept nogil:
    cdef uint64_t mixed = (hu ^ distance * 0x9E3779B97F4A7C15ULL) * 0xD6E8FEB86659FD93ULL
    cdef uint32_t slot = <uint32_t>(mixed >> 54)
    while classes.taken[slot]:
        if classes.hu[slot] == hu and classes.distance[slot] == distance:
            number[0] = classes.number[slot]
            return True
        slot = (slot + 1) & 1023
    if classes.count == MOST_CLASSES:
        return False
    classes.taken[slot] = 1
    classes.hu[slot] = table.hu[classes.count] = hu
    classes.distance[slot] = table.distance[classes.count] = distance
    number[0] = classes.number[slot] = <uint8_t>classes.count
    classes.count += 1
    return True


cdef uint64_t pack_hu(int alone, int paired, int paired_258) noexcept nogil:
    cdef uint64_t packed
    cdef int lane
    # A pair of wilds always costs two, a pair where melds alone are out of reach keeps a base that cannot add up.
    if alone >= NEVER:
        alone = NEVER if min(paired, paired_258) >= NEVER else min(min(paired, paired_258) + 4, NEVER)
    paired = min(paired, alone + 2)
    paired_258 = min(paired_258, alone + 2)
    packed = alone
    for lane in range(8):
        if paired - alone - LOWEST_GAIN <= lane:
            packed |= 1ULL << (PAIR_ANY_SHIFT + 3 * lane)
        if paired_258 - alone - LOWEST_GAIN <= lane:
            packed |= 1ULL << (PAIR_258_SHIFT + 3 * lane)
    return packed


cdef uint64_t pack_distance(const uint8_t* kept, int total) noexcept nogil:
    cdef uint64_t alone = gains(kept + ALONE), paired = gains(kept + PAIRED)
    if total > ONE_SUIT_TILES:
        return <uint64_t>UNKNOWN << 56
    if alone == FALLS_NOT or paired == FALLS_NOT:
        return <uint64_t>IRREGULAR << 56 | kept_number(kept)
    return alone | paired << 24 | <uint64_t>kept[PAIRED] << 48


cdef uint64_t gains(const uint8_t* kept) noexcept nogil:
    """How many melds gain at least 3, 2, 1 tiles, in bytes 0-2, where no meld gains more than the one before."""
    cdef uint64_t packed = 0
    cdef int melds, size, gain, before = 3
    for melds in range(5):
        gain = kept[melds + 1] - kept[melds]
        if gain > before:
            return FALLS_NOT
        for size in range(gain):
            packed += 1ULL << 8 * (2 - size)
        before = gain
    return packed


cdef uint64_t kept_number(const uint8_t* kept) noexcept nogil:
    """Tells irregular counts apart by what they keep; of each kind of melds at most 17 tiles."""
    cdef uint64_t mixed = 0
    cdef int lane
    for lane in range(1, 6):
        mixed = mixed * 18 + kept[ALONE + lane]
    for lane in range(6):
        mixed = mixed * 18 + kept[PAIRED + lane]
    return mixed


# ------------------------------------------------------------------------------------------------- copies without limit

cdef void count_unlimited(int kinds, Scratch* scratch) noexcept nogil:
    # The highest tile is dropped, or belongs to a triplet, a run or the pair; what they leave is a smaller key.
    cdef uint8_t counts[9]
    cdef uint8_t best[LANES]  # of this key, until it is complete
    cdef uint8_t* here
    cdef int key, top, low, used, wanted, taken, total = 0, face, removed
    memset(counts, 0, sizeof(counts))
    memset(scratch.kept, 0, 2 * LANES)
    scratch.alone[0], scratch.paired[0], scratch.paired_258[0] = 0, 2, 2
    for key in range(1, POWER[kinds]):
        total += step(counts)
        if total > MOST_TILES:
            continue
        top = kinds - 1
        while counts[top] == 0:
            top -= 1
        here = scratch.kept + (key + 1) * LANES
        memcpy(best, here - POWER[top] * LANES, LANES)
        scratch.paired_258[key] = NEVER
        for used in range(1, min(counts[top], 3) + 1):
            with_meld(scratch, best, key, used * POWER[top], used)
        if kinds == 9:
            for low in range(max(top - 2, 0), min(top, 6) + 1):
                # Of the tiles below the top, those that are there may be used or left; of those above there are none.
                wanted = (1 << (top - low)) - 1
                for taken in range(wanted + 1):
                    removed, used = POWER[top], 1
                    for face in range(low, top):
                        if taken >> (face - low) & 1:
                            if counts[face] == 0:
                                break
                            removed += POWER[face]
                            used += 1
                    else:
                        with_meld(scratch, best, key, removed, used)
        for used in range(1, min(counts[top], 2) + 1):
            with_pair(best, here - used * POWER[top] * LANES, used)
            if kinds == 9 and top % 3 == 1:
                scratch.paired_258[key] = min(scratch.paired_258[key],
                                              scratch.alone[key - used * POWER[top]] + 2 - used)
        with_pair(best, best, 0)
        memcpy(here, best, LANES)
        scratch.alone[key] = fills(best + ALONE, total, 0)
        scratch.paired[key] = min(fills(best + PAIRED, total, 2), scratch.alone[key] + 2)
        scratch.paired_258[key] = min(scratch.paired_258[key], scratch.alone[key] + 2)


cdef inline int fills(const uint8_t* kept, int total, int pair) noexcept nogil:
    cdef int melds
    for melds in range(6):
        if kept[melds] == total:
            return 3 * melds + pair - total
    return NEVER


cdef uint8_t[LANES] MELD_LANES = [0, 0, 255, 255, 255, 255, 255, 0, 0, 0, 255, 255, 255, 255, 255, 0]


cdef inline void with_meld(Scratch* scratch, uint8_t* best, int key, int removed, int used) noexcept nogil:
    cdef uint8_t rest[LANES]
    cdef int lane
    memcpy(rest, scratch.kept + (key - removed + 1) * LANES - 1, LANES)
    for lane in range(LANES):
        rest[lane] = <uint8_t>(rest[lane] + used) & MELD_LANES[lane]
        best[lane] = rest[lane] if rest[lane] > best[lane] else best[lane]
    scratch.paired_258[key] = min(scratch.paired_258[key], scratch.paired_258[key - removed] + 3 - used)


cdef inline void with_pair(uint8_t* best, const uint8_t* rest, int used) noexcept nogil:
    cdef int lane
    for lane in range(ALONE, ALONE + 6):
        best[lane + 8] = max(best[lane + 8], <uint8_t>(rest[lane] + used))


# -------------------------------------------------------------------------------------------------- at most four copies

cdef void count_four_copies(int kinds, Scratch* scratch) noexcept nogil:
    # The complete counts need no wild. Each tile taken away needs one more: the fewest is a shortest way, axis by axis.
    cdef uint8_t counts[9]
    cdef int key, top, kind
    memset(counts, 0, sizeof(counts))
    scratch.alone[0], scratch.paired[0], scratch.paired_258[0] = 0, NEVER, NEVER
    for key in range(1, POWER[kinds]):
        step(counts)
        top = kinds - 1
        while counts[top] == 0:
            top -= 1
        scratch.alone[key] = scratch.paired[key] = scratch.paired_258[key] = NEVER
        if counts[top] >= 3:
            complete_with_meld(scratch, key, key - 3 * POWER[top])
        if kinds == 9 and top >= 2 and counts[top - 1] and counts[top - 2]:
            complete_with_meld(scratch, key, key - POWER[top] - POWER[top - 1] - POWER[top - 2])
        if counts[top] >= 2 and scratch.alone[key - 2 * POWER[top]] == 0:
            scratch.paired[key] = 0
            if kinds == 9 and top % 3 == 1:
                scratch.paired_258[key] = 0
    for kind in range(kinds):
        relax(scratch.alone, POWER[kinds], POWER[kind])
        relax(scratch.paired, POWER[kinds], POWER[kind])
        relax(scratch.paired_258, POWER[kinds], POWER[kind])


cdef inline void complete_with_meld(Scratch* scratch, int key, int rest) noexcept nogil:
    scratch.alone[key] = min(scratch.alone[key], scratch.alone[rest])
    scratch.paired[key] = min(scratch.paired[key], scratch.paired[rest])
    scratch.paired_258[key] = min(scratch.paired_258[key], scratch.paired_258[rest])


cdef void relax(uint8_t* fewest, int keys, int stride) noexcept nogil:
    cdef int block, digit, offset
    cdef uint8_t* here
    cdef uint8_t more
    for block in range(keys // (5 * stride)):
        for digit in range(3, -1, -1):
            here = fewest + (5 * block + digit) * stride
            for offset in range(stride):
                more = here[offset + stride] + 1
                here[offset] = more if more < here[offset] else here[offset]
