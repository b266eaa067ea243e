from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t

from laizi.mahjong.kernel cimport KernelRules, Row
from laizi.mahjong.readings cimport FEATURE_SIZE, KINDS, Hand

cdef enum:
    CONTEXTS = 256
    MELD_CODES = 256
    MELD_BYTES = 5

    DISCARD = 1
    ROB_KONG = 2
    GANG_FLOWER = 4
    HAIDI = 8
    WILD_DISCARDED = 16
    MISSED_HU = 32
    UNKNOWN_TILE = 255

    HARD_FACE = 0
    HARD_NEED = 1
    HARD_HELD = 2

    FAILS_PAIR = 1
    FAILS_SOFT_SMALL = 2
    FAILS_LONE_WAIT = 4
    FAILS_LIMIT = 8
    FAILS_GOLD = 16
    FAIL_SETS = 32


# The worth of the readings with one code, hard or soft, in one context (see verdicts.py).
cdef struct Entry:
    int32_t rank            # the greatest is paid
    int32_t points
    uint16_t types
    uint8_t refusals        # FAILS_PAIR, FAILS_SOFT_SMALL
    int16_t limit           # most wilds


cdef struct Context:
    Entry entries[2][FEATURE_SIZE]  # soft, hard
    # A hard reading is worth as much as a soft one and refused no sooner; so are triplets, one suit, all 2-5-8, a pair
    # of 2-5-8 and a four, compared with the same without. Then only the best must be looked at.
    bint rising


# What one byte of a packed meld says.
cdef struct Meld:
    uint8_t error           # number of an ErrorReason, or 0
    uint8_t size
    uint8_t faces[4]
    uint8_t suits
    uint8_t content
    bint others
    bint opens
    bint ends_menqing
    bint claimed
    bint kong


cdef struct Demands:
    bint bars               # some tiles bar a win,
    uint8_t put_down[34]    # these
    uint8_t laid[34]        # tiles that can be put down
    bint must_open
    bint claims_wild
    bint robs
    bint bans_discarded
    bint locks_missed
    bint lone_wait
    bint counts_standing    # limits count wilds that stand for another tile
    int gold                # most wilds at gold, or -1
    uint8_t hard_basis      # HARD_...


cdef struct Given:
    const uint8_t* counts
    const uint8_t* melds    # MELD_BYTES, or NULL
    int downs
    int winning_tile        # or UNKNOWN_TILE
    int flags


cdef struct Standing:
    Hand hand
    Row row
    int context             # index: the flags, all claimed, two tiles, 门清, put down, from the lowest bit
    bint opened
    bint holds_put_down


# What is known of one row while its readings are looked at.
cdef struct Judging:
    const Demands* demands
    const Context* context
    int held
    const Entry* best
    bint best_hard
    uint32_t failed         # bit n: some reading fails the set n of demands


cdef inline bint holds_any(const Demands* demands, const uint8_t* counts) noexcept nogil:
    cdef int tile
    if not demands.bars:
        return False
    for tile in range(KINDS):
        if demands.put_down[tile] and counts[tile]:
            return True
    return False


# The set of demands that a reading fails.
cdef inline int failures(const Demands* demands, const Entry* entry, int held, int standing, bint lone) noexcept nogil:
    cdef int fails = entry.refusals
    cdef int counted = standing if demands.counts_standing else held
    if lone and not demands.lone_wait:
        fails |= FAILS_LONE_WAIT
    if counted > entry.limit:
        fails |= FAILS_GOLD if counted <= demands.gold else FAILS_LIMIT
    return fails


cdef uint16_t NO_SHAPE

cdef bint is_least(uint32_t failed, int fails) noexcept nogil
cdef uint16_t refusals_of_readings(uint32_t failed) noexcept nogil
cdef uint16_t refusals_of_hand(const KernelRules* rules, const Demands* demands, const Given* given,
                               const Standing* at) noexcept nogil
cdef bint best_by_tables(const KernelRules* rules, const Demands* demands, const Context* context, const Hand* hand,
                         const Row* row, Judging* at) noexcept nogil
cdef int read_given(const KernelRules* rules, const Demands* demands, const Meld* melds, const Given* given,
                    int remainder, Standing* at) noexcept nogil
cdef uint16_t judge_row(const KernelRules* rules, const Demands* demands, const Context* context, const Given* given,
                        const Standing* at, Judging* judging) noexcept nogil
