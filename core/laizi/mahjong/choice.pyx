"""The reading that is paid: of those that win the one worth most, of several the one with the fewest wilds standing.

Where none wins it is the best of those with the fewest reasons against them. Settlements can decide otherwise; then
`laizi.mahjong.Evaluator` looks at every reading by itself.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc

from laizi.mahjong.checks cimport FAIL_SETS, HARD_FACE, HARD_HELD, HARD_NEED, NO_SHAPE, Context, Demands, Entry, Judging
from laizi.mahjong.checks cimport best_by_tables, failures, is_least, refusals_of_readings
from laizi.mahjong.columns cimport Checker
from laizi.mahjong.kernel cimport PAIR_ANY_SHIFT, KernelRules, Row, completes, has_shape, hu_sum, read_row
from laizi.mahjong.readings cimport (
    SHAPE_STANDARD, BlockMasks, Forms, Hand, Split, each_split, loose_shape_features, shape_fits,
    standard_features,
)
from laizi.mahjong.solver cimport read_hand, written_tuples
from laizi.mahjong.writing cimport Written, write_first


# What is known while the readings of a hand are looked at.
cdef struct Choosing:
    const KernelRules* rules
    const Demands* demands
    const Context* context
    const Row* row
    int way
    bint soft
    bint all_hard           # see the option hu.hard_basis, unless it is "face"
    bint hard_alone         # only whether a reading wins in which every wild is itself
    int wanted              # the rank that is known to be the best one, -1 where none is
    bint done
    int place
    uint32_t failed         # bit n: some reading fails the set n of demands
    Choice best[FAIL_SETS]  # the best reading that fails each set


cdef void choose_reading(uint8_t code, const Split* split, const BlockMasks* blocks, int32_t index,
                         void* context) noexcept nogil:
    cdef Choosing* at = <Choosing*>context
    cdef bint hard = at.all_hard
    cdef const Entry* entry
    cdef Choice* best
    cdef int fails
    if at.done:
        return
    if at.demands.hard_basis == HARD_FACE:
        hard = split.fills == 0 and not at.soft
    entry = &at.context.entries[hard][code]
    fails = failures(at.demands, entry, at.row.wilds, split.fills, split.lone_stands)
    if at.hard_alone:
        at.done = fails == 0
        return
    at.place += 1
    best = &at.best[fails]
    if at.failed >> fails & 1 and (entry.rank < best.entry.rank
                                   or (entry.rank == best.entry.rank and split.fills >= best.standing)):
        return
    at.failed |= 1u << fails
    best.entry, best.way, best.code, best.hard, best.standing = entry, at.way, code, hard, split.fills
    best.place = at.place
    best.split = split[0]
    if blocks != NULL:
        best.blocks = blocks[0]
    at.done = fails == 0 and entry.rank == at.wanted


cdef inline bint has_standard(const Choosing* at, const Split* split) noexcept nogil:
    """Whether the suit tables, where they serve, leave a split melds and a pair."""
    cdef const KernelRules* rules = at.rules
    cdef Row row
    cdef int index
    if not rules.plain:
        return True
    row = at.row[0]
    for index in range(rules.wild_kinds):
        row.key[rules.wild_suit[index]] += split.itself[rules.wild[index]] * rules.wild_power[index]
    return completes(hu_sum(rules.tables, &row), split.fills, PAIR_ANY_SHIFT)


cdef void choose_in_split(const Forms* forms, const Hand* hand, const Split* split, int32_t index,
                          void* context) noexcept nogil:
    cdef Choosing* at = <Choosing*>context
    if at.done or (at.hard_alone and split.fills):
        return
    if shape_fits(forms, hand, SHAPE_STANDARD) and has_standard(at, split):
        standard_features(forms, hand, split, index, choose_reading, at)
    loose_shape_features(forms, hand, split, index, choose_reading, at)


cdef int wild_kinds_held(const KernelRules* rules, const Hand* hand) noexcept nogil:
    cdef int index, held = 0
    for index in range(rules.wild_kinds):
        held += hand.counts[rules.wild[index]] != 0
    return held


cdef inline bint better(const Choice* one, const Choice* other) noexcept nogil:
    if one.entry.rank != other.entry.rank:
        return one.entry.rank > other.entry.rank
    return one.standing < other.standing or (one.standing == other.standing and one.place < other.place)


cdef void choose(const KernelRules* rules, const Demands* demands, const Context* context, const Way* ways, int count,
                 const Row* row, Choice* choice) noexcept nogil:
    """Choose among the readings of all ways to see the melds; the concealed tiles are the same in all."""
    cdef Choosing at
    cdef Judging judging
    cdef Choice* best
    cdef int way, fails
    choice.entry = NULL
    choice.refusals = NO_SHAPE
    # Melds on the table only bar readings, so that tiles without a shape of their own have none.
    if rules.plain and not has_shape(rules, ways[0].hand.counts, row):
        return
    at.rules, at.demands, at.context, at.row = rules, demands, context, row
    at.wanted, at.place, at.failed = -1, 0, 0
    at.hard_alone = at.done = False
    # With one kind of wild the splits come with fewer wilds standing first: nothing after the first reading of the best
    # rank is better.
    if (count == 1 and wild_kinds_held(rules, &ways[0].hand) <= 1
            and best_by_tables(rules, demands, context, &ways[0].hand, row, &judging) and judging.best != NULL):
        at.wanted = judging.best.rank
    at.all_hard = demands.hard_basis == HARD_HELD and row.wilds == 0
    if demands.hard_basis == HARD_NEED:
        at.hard_alone = at.all_hard = True
        for way in range(count):
            if not ways[way].soft:
                each_split(&rules.forms, &ways[way].hand, choose_in_split, &at)
        at.all_hard = at.done
        at.hard_alone = at.done = False
    for way in range(count):
        at.way, at.soft = way, ways[way].soft
        each_split(&rules.forms, &ways[way].hand, choose_in_split, &at)
    if not at.failed:
        return
    choice.refusals = refusals_of_readings(at.failed)
    for fails in range(FAIL_SETS):
        if not is_least(at.failed, fails):
            continue
        best = &at.best[fails]
        if choice.entry == NULL or better(best, choice):
            best.refusals = choice.refusals
            choice[0] = best[0]


cdef void write_choice(const KernelRules* rules, const Way* ways, const Choice* choice, Written* out) noexcept nogil:
    """Write out the first reading of the kind that was chosen."""
    write_first(&rules.forms, &ways[choice.way].hand, &choice.split, &choice.blocks, choice.code, out)


cdef class Chooser(Checker):
    def choose(self, list given, int context):
        cdef Way* ways = <Way*>malloc(len(given) * sizeof(Way))
        cdef int count = len(given), index
        cdef Choice choice
        cdef Written written
        cdef Row row
        if ways == NULL:
            raise MemoryError("ways to see the melds")
        try:
            for index in range(count):
                hand, ways[index].soft = given[index]
                ways[index].hand = read_hand(hand)
            self.make_context(context)
            with nogil:
                read_row(&self.rules, ways[0].hand.counts, &row)
                choose(&self.rules, &self.demands, self.contexts[context], ways, count, &row, &choice)
                if choice.entry != NULL:
                    write_choice(&self.rules, ways, &choice, &written)
            if choice.entry == NULL:
                return choice.refusals, None
            return choice.refusals, (choice.way, choice.code, choice.hard, choice.standing, written_tuples(&written))
        finally:
            free(ways)
