# Compiled rules: everything that reading, comparing and listing ask, as plain numbers.

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from laizi.bits cimport within

cdef enum:
    ROW_COUNT = 128
    CODES = 2048            # of readings: 16 main ranks a row
    SIZES = 56              # a play has 1 to 54 cards
    MOST_READINGS = 128     # more than any play can have

cdef enum:                  # as laizi.doudizhu.readings.Form
    SAME = 1
    RUN
    SINGLES
    PAIRS
    ROCKET
    MIXED

cdef enum:                  # of what a play is made
    ANY_TIER = 0
    SOFT
    HARD
    PURE

cdef enum:                  # a play of wilds alone
    FORBIDDEN = 0
    KEEPS_RANK
    FREE                    # no rule set has it; it explains what a wild's own rank prevents

cdef enum:                  # a body of wilds that carries naturals
    BODY_ANY = 0
    BODY_KEEPS_RANK
    BODY_FORBIDDEN

# A row of laizi.doudizhu.readings.ROWS.
cdef struct Shape:
    uint8_t form
    uint8_t unit
    uint8_t ranks
    uint8_t size
    uint8_t tier

# What a play of a certain number of cards can be. A reading without its main rank is `code`, 0 where there is none; the
# masks hold the main ranks that it may have.
cdef struct Run:
    uint64_t ends
    uint16_t code
    uint8_t shift           # 4 * (ranks - 1)

cdef struct Carrier:
    uint64_t ends
    uint64_t window
    uint16_t code
    uint8_t shift
    uint64_t if_four        # every bit if the body is four equal cards, 0 if it is triples
    bint four

cdef struct Plan:
    uint16_t same[4]        # equal cards, by tier
    Run run[5]              # by unit; [0] is unused
    Carrier singles
    Carrier pairs

cdef struct Rules:
    uint8_t on[ROW_COUNT]           # may be played under the rules
    uint16_t power[ROW_COUNT]       # of a bomb: that of its lowest possible main rank, less one; else 0
    Plan plan[SIZES]
    uint8_t alone
    uint8_t body
    bint as_joker
    bint soft_quad
    bint no_rocket
    bint no_equal_pairs
    bint no_body_run
    int top                         # highest rank of a run
    int equal[2]                    # most equal single kickers: of triples, of a four
    bint body_rank[2]               # kickers may repeat a body rank: of triples, of a four
    uint16_t rocket                 # the codes of these readings, or 0
    uint16_t mixed[SIZES]
    uint64_t mains[ROW_COUNT]       # the main ranks that a row may have, where it may be played
    int longest_bomb
    bint simple                     # the fast path of listing knows these rules
    bint plain                      # the fast path knows these rules
    bint kicker_bans                # kickers are bound by more than what the presets ask
    bint body_bans                  # bodies are

cdef Shape SHAPES[ROW_COUNT]
cdef int ROWS_USED
cdef uint8_t ROWS_OF[SIZES][16]     # the rows of each size, ended by 0

cdef inline bint is_bomb(int code) noexcept nogil:
    return code >= FIRST_BOMB

cdef extern from *:
    """
    #define LAIZI_FIRST_BOMB 1024
    """
    enum: FIRST_BOMB "LAIZI_FIRST_BOMB"

cdef inline int strength(const Rules *rules, int code) noexcept nogil:
    # Of a bomb, above 0; of anything else 0. A bomb without a rank (main 15) is below all ranks.
    return rules.power[code >> 4] + (code + 1 & 15) if code >= FIRST_BOMB else 0

cdef inline bint beats(const Rules *rules, int code, int previous) noexcept nogil:
    if (code | previous) < FIRST_BOMB:
        return code > previous and (code ^ previous) < 16
    return strength(rules, code) > strength(rules, previous)


cdef class Compiled:
    cdef Rules rules                # of an ordinary play
    cdef Rules last                 # of a play that empties the hand
    cdef readonly bint last_differs
    cdef uint64_t natural_caps      # cards of each rank that are not wild
    cdef uint64_t wild_caps         # cards of each rank that are wild
    cdef readonly int max_cards
    cdef readonly bint undetermined     # the rules have wilds, and none is named yet


# What is wrong with a row, as the number of its ErrorReason.
cdef uint8_t EMPTY, TOO_LARGE, TOO_MANY, ILLEGAL

cdef inline uint8_t fault_of(Compiled compiled, uint64_t naturals, uint64_t wilds, int size) noexcept nogil:
    if not (within(naturals, compiled.natural_caps) and within(wilds, compiled.wild_caps)):
        return TOO_MANY
    if size == 0:
        return EMPTY
    return TOO_LARGE if size > compiled.max_cards else 0
