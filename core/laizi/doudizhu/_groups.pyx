"""All readings that a hand can make at once, for the rules of kickers and bodies that the presets have.

Ranks are the sixteen four-bit parts of a word, so one step treats all main ranks of a type. The cards that a window of
ranks lacks are kept as sums which stop counting at 8: more than seven wilds have no fast path.
"""

from libc.stdint cimport uint16_t, uint64_t
from libc.string cimport memset

from laizi.bits cimport EIGHTS, JOKERS, ONES, at_most, highest, lowest, small_total, total, window
from laizi.doudizhu._expand cimport WildChoices, choose_wilds
from laizi.doudizhu._rules cimport (
    BODY_FORBIDDEN, FIRST_BOMB, HARD, KEEPS_RANK, MIXED, MOST_READINGS, PAIRS, PURE, ROCKET, ROWS_USED, RUN, SAME,
    SHAPES, SINGLES, SOFT, Rules, Shape, strength,
)
from laizi.doudizhu._read cimport read_play

cdef enum:
    FAST_CARDS = 20
    FAST_WILDS = 7

cdef uint64_t PLAIN = ONES & ((<uint64_t>1 << 52) - 1)      # the ranks 3 to 2

# The row of a type with a body of r ranks is FIRST_ROW + r.
cdef int RUN_ROW[5]
cdef int SINGLES_ROW
cdef int PAIRS_ROW
cdef int SAME_ROW[4]
cdef int SOFT_ROW, HARD_ROW, PURE_ROW, MIXED_ROW, ROCKET_ROW, TRIPLE_1_ROW, TRIPLE_2_ROW, FOUR_2_ROW, FOUR_22_ROW


cdef int _find_rows():
    global SINGLES_ROW, PAIRS_ROW, SOFT_ROW, HARD_ROW, PURE_ROW, MIXED_ROW, ROCKET_ROW
    global TRIPLE_1_ROW, TRIPLE_2_ROW, FOUR_2_ROW, FOUR_22_ROW
    cdef int row
    cdef Shape shape
    for row in range(1, ROWS_USED):
        shape = SHAPES[row]
        if shape.form == RUN:
            RUN_ROW[shape.unit] = row - shape.ranks
        elif shape.form == SINGLES or shape.form == PAIRS:
            if shape.ranks > 1 and shape.form == SINGLES:
                SINGLES_ROW = row - shape.ranks
            elif shape.ranks > 1:
                PAIRS_ROW = row - shape.ranks
            elif shape.form == SINGLES:
                TRIPLE_1_ROW, FOUR_2_ROW = (row, FOUR_2_ROW) if shape.unit == 3 else (TRIPLE_1_ROW, row)
            else:
                TRIPLE_2_ROW, FOUR_22_ROW = (row, FOUR_22_ROW) if shape.unit == 3 else (TRIPLE_2_ROW, row)
        elif shape.form == MIXED:
            MIXED_ROW = row - shape.size
        elif shape.form == ROCKET:
            ROCKET_ROW = row
        elif shape.tier == SOFT:
            SOFT_ROW = row - shape.size
        elif shape.tier == HARD:
            HARD_ROW = row
        elif shape.tier == PURE:
            PURE_ROW = row
        else:
            SAME_ROW[shape.unit] = row
    return 0


_find_rows()


cdef inline uint64_t _at_least(const uint64_t *held, int number) noexcept nogil:
    """The ranks 3 to 2 with so many natural cards, 0 to 4."""
    return held[number] if number <= 4 else 0


cdef bint group_masks(const Rules *rules, uint64_t naturals, uint64_t wilds, uint64_t *rows) noexcept nogil:
    """Fill in the main ranks of every row; False where only the slow way answers."""
    cdef int free = small_total(wilds), cards = total(naturals), size
    cdef uint64_t held[5]
    cdef uint64_t own[5]
    cdef uint64_t missing[5]
    cdef uint64_t alive
    cdef const uint64_t *mains = &rules.mains[0]
    cdef bint several
    if not rules.simple or free > FAST_WILDS or naturals & ~JOKERS == 0 or cards + free > FAST_CARDS:
        return False
    # A size that the compiler does not know calls the library, which is faster here than what it would write itself.
    memset(rows, 0, (ROWS_USED + 1) * sizeof(uint64_t))
    _levels(held, naturals)
    missing[1] = ONES - held[1]
    missing[2] = missing[1] + ONES - held[2]
    missing[3] = missing[2] + ONES - held[3]
    missing[4] = missing[3] + ONES - held[4]

    _runs(rows + RUN_ROW[1], mains + RUN_ROW[1], missing[1], held[1], free, 1, 3, rules.top + 1)
    _runs(rows + RUN_ROW[2], mains + RUN_ROW[2], missing[2], held[1], free, 2, 2, min(rules.top + 1, FAST_CARDS // 2))
    _triples(rules, rows, held, missing[3], cards, free)

    # Fours that carry.
    alive = held[4 - free if free < 4 else (1 if rules.body == BODY_FORBIDDEN else 0)] if rules.soft_quad else held[4]
    if cards + free >= 6:
        rows[FOUR_2_ROW] = alive & mains[FOUR_2_ROW]
    alive &= mains[FOUR_22_ROW]
    if alive:
        rows[FOUR_22_ROW] = _with_pairs(held, missing[4], alive, 1, 2, free)

    # Equal cards. Wilds alone keep their ranks.
    memset(own, 0, sizeof(own))
    several = wilds != 0 and wilds & ~(<uint64_t>15 << (lowest(wilds) & ~3)) != 0
    if free and rules.alone == KEEPS_RANK:
        _levels(own, wilds)
        if several and free > 2:
            _wilds_alone(rules, wilds, rows)
    rows[SAME_ROW[1]] |= mains[SAME_ROW[1]] & (held[1] | own[1])
    rows[SAME_ROW[2]] |= mains[SAME_ROW[2]] & (held[max(2 - free, 1)] | own[2])
    rows[SAME_ROW[3]] |= mains[SAME_ROW[3]] & (held[max(3 - free, 1)] | own[3])

    # Bombs.
    rows[HARD_ROW] |= held[4] & mains[HARD_ROW]
    rows[PURE_ROW] |= own[4] & mains[PURE_ROW]
    if free:
        for size in range(4, min(free + 4, rules.longest_bomb) + 1):
            rows[SOFT_ROW + size] |= held[max(size - free, 1)] & mains[SOFT_ROW + size]
    if several:
        for size in range(4, free + 1):
            rows[MIXED_ROW + size] |= mains[MIXED_ROW + size]
    if (naturals | wilds) & JOKERS == JOKERS and (wilds & JOKERS != JOKERS or rules.alone == KEEPS_RANK):
        rows[ROCKET_ROW] |= mains[ROCKET_ROW]
    return True


cdef inline void _runs(
    uint64_t *rows, const uint64_t *mains, uint64_t missing, uint64_t held, int free, int unit, int fewest, int longest
) noexcept nogil:
    """Enter the runs of one unit; rows[r] and mains[r] are those of r ranks, and there are none below the fewest."""
    cdef uint64_t sums = missing + ONES * (FAST_WILDS - free), touched = held, dead
    cdef int ranks
    for ranks in range(2, longest + 1):
        # A sum above the wilds counts no further than 8.
        dead = sums & EIGHTS
        sums = ((sums & ~(dead - (dead >> 3))) << 4) + missing
        # Wilds alone are no run of other ranks.
        touched = touched << 4 | held
        if ranks >= fewest:
            rows[ranks] = ~sums >> 3 & touched & mains[ranks]


cdef inline void _triples(
    const Rules *rules, uint64_t *rows, const uint64_t *held, uint64_t missing, int cards, int free
) noexcept nogil:
    """Enter the planes and all triples that carry."""
    cdef const uint64_t *mains = &rules.mains[0]
    cdef uint64_t cost = missing, alive = at_most(missing, free) & PLAIN, touched = held[1], bodies
    cdef int ranks = 1, row, carrying = (cards + free - small_total(held[4])) // 4
    while alive:
        bodies = alive & touched if rules.body == BODY_FORBIDDEN else alive
        if ranks <= carrying:
            row = SINGLES_ROW + ranks if ranks > 1 else TRIPLE_1_ROW
            rows[row] = bodies & mains[row]
        if ranks < 5:
            row = PAIRS_ROW + ranks if ranks > 1 else TRIPLE_2_ROW
            bodies &= mains[row]
            if bodies:
                rows[row] = _with_pairs(held, cost, bodies, ranks, ranks, free)
        ranks += 1
        if ranks > FAST_CARDS // 3:
            break
        # Windows that take too many wilds stop counting.
        cost = ((cost & alive * 15) << 4) + missing
        alive = at_most(cost, free) & alive << 4
        touched = touched << 4 | held[1]
        rows[RUN_ROW[3] + ranks] = alive & touched & mains[RUN_ROW[3] + ranks]


cdef inline void _levels(uint64_t *held, uint64_t counts) noexcept nogil:
    """held[k]: the ranks with at least k cards; held[0] and what is above 1 of the ranks 3 to 2 only."""
    cdef uint64_t four = counts >> 2 & ONES, two = (counts >> 1 & ONES) | four
    held[0] = PLAIN
    held[1] = (counts & ONES) | two
    held[2] = two
    held[3] = (counts >> 1 & counts & ONES) | four
    held[4] = four


cdef inline uint64_t _with_pairs(
    const uint64_t *held, uint64_t cost, uint64_t ends, int ranks, int pairs, int free
) noexcept nogil:
    """Those of the ends of windows which leave so many pairs beside the body, the wilds completing both.

    A pair takes a wild for its first card where too few ranks outside the window have a card, and one for its second
    where too few have two. ``cost`` says how many the body takes, which are enough at each of the ends: so all sums
    fit into four bits.
    """
    cdef uint64_t across = window(ranks)
    cdef uint64_t one = held[1] & PLAIN, two = held[2] & PLAIN
    cdef int ones = small_total(one), twos = small_total(two)
    if twos >= pairs + ranks:
        return ends
    return ends & at_most(
        (cost & ends * 15) + _short(two * across, pairs - twos) + _short(one * across, pairs - ones), free
    )


cdef inline uint64_t _short(uint64_t inside, int needed) noexcept nogil:
    """How many ranks are too few outside each window, of which so many lie inside; at least 0."""
    cdef uint64_t sums = inside & ONES * 15, positive
    if needed >= 0:
        return sums + ONES * needed
    if needed < -4:
        return 0
    sums = (sums | EIGHTS) - ONES * -needed
    positive = (sums & EIGHTS) >> 3
    return sums & positive * 7


cdef void _wilds_alone(const Rules *rules, uint64_t wilds, uint64_t *rows) noexcept nogil:
    """Enter every reading of wilds of several ranks which keep them."""
    cdef WildChoices choices
    cdef uint16_t codes[MOST_READINGS]
    cdef int size, i, j
    choose_wilds(&choices, wilds)
    for size in range(3, 9):
        for i in range(choices.counts[size]):
            for j in range(read_play(rules, 0, choices.words[size][i], codes)):
                rows[codes[j] >> 4] |= <uint64_t>1 << 4 * (codes[j] & 15)


cdef void keep_beating(const Rules *rules, uint64_t *rows, int previous) noexcept nogil:
    """Leave what beats the previous reading."""
    cdef int row, main, threshold = strength(rules, previous), last = previous >> 4
    cdef uint64_t above = ~<uint64_t>0 << 4 * (previous & 15) << 4
    for row in range(1, FIRST_BOMB >> 4):
        rows[row] &= above if row == last and previous < FIRST_BOMB else 0
    for row in range(FIRST_BOMB >> 4, ROWS_USED):
        # Main ranks from threshold - power on; 0 stands for no rank.
        main = threshold - rules.power[row]
        if main >= 0:
            above = ~<uint64_t>0 << 4 * main & ONES if main < 15 else 0
            rows[row] &= above


cdef inline int _top(const Rules *rules, int row, uint64_t mains) noexcept nogil:
    """The strength of the highest of some mains of a bomb, 0 for none."""
    mains &= rules.mains[row]
    return rules.power[row] + (highest(mains) >> 2) + 1 if mains else 0


cdef int beats_fast(const Rules *rules, uint64_t naturals, uint64_t wilds, int previous) noexcept nogil:
    """Whether a hand beats a reading: 1 or 0; -1 where only the slow way answers."""
    cdef int free = small_total(wilds), size, best, cards = total(naturals), row = previous >> 4, found
    cdef uint64_t held[5]
    cdef uint64_t own[5]
    cdef uint64_t mains, missing, alive
    cdef Shape shape
    if not rules.simple or free > FAST_WILDS or naturals & ~JOKERS == 0 or cards + free > FAST_CARDS:
        return -1
    _levels(held, naturals)
    # Bombs.
    best = _top(rules, HARD_ROW, held[4])
    if (naturals | wilds) & JOKERS == JOKERS and (wilds & JOKERS != JOKERS or rules.alone == KEEPS_RANK):
        best = max(best, _top(rules, ROCKET_ROW, <uint64_t>1 << 56))
    if free:
        for size in range(4, min(free + 4, rules.longest_bomb) + 1):
            best = max(best, _top(rules, SOFT_ROW + size, _at_least(held, max(size - free, 1))))
        if free > 2 and wilds & ~(<uint64_t>15 << (lowest(wilds) & ~3)):
            return -1
        if free == 4 and rules.alone == KEEPS_RANK:
            best = max(best, _top(rules, PURE_ROW, wilds >> 2))
    found = strength(rules, previous)
    if best > found or found:
        return best > found
    # The same type, higher.
    shape = SHAPES[row]
    mains = rules.mains[row] & ~<uint64_t>0 << 4 * (previous & 15) << 4
    if shape.form == SAME:
        alive = held[1] if shape.unit == 1 else held[max(shape.unit - free, 1)]
        if free and rules.alone == KEEPS_RANK:
            _levels(own, wilds)
            alive |= own[shape.unit]
        return (alive & mains) != 0
    if shape.unit * shape.ranks > 15:
        return -1
    missing = shape.unit * ONES - held[1]
    if shape.unit > 1:
        missing -= held[2]
    if shape.unit > 2:
        missing -= held[3]
    if shape.unit > 3:
        missing -= held[4]
    missing *= window(shape.ranks)
    mains &= at_most(missing, free)
    if mains == 0:
        return 0
    if shape.form == RUN or rules.body == BODY_FORBIDDEN:
        mains &= _touching(held[1], shape.ranks)
    if shape.form == SINGLES:
        if shape.unit == 4:
            mains &= ~<uint64_t>0 if rules.soft_quad else held[4]
        elif cards - small_total(held[4]) + free < shape.size:
            return 0
        return mains != 0 and cards + free >= shape.size
    if shape.form == PAIRS:
        if shape.unit == 4 and not rules.soft_quad:
            mains &= held[4]
        mains = _with_pairs(held, missing, mains, shape.ranks, 2 if shape.unit == 4 else shape.ranks, free)
    return mains != 0


cdef inline uint64_t _touching(uint64_t mask, int ranks) noexcept nogil:
    """The ends of windows in which any rank of the mask lies."""
    cdef uint64_t found = mask
    cdef int i
    for i in range(1, ranks):
        found |= mask << 4 * i
    return found & ONES
