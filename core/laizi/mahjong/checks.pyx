"""One row judged in full: whether it wins, as what, or why not.

Where the suit tables tell which readings exist, only the best of them are looked at; else `readings` finds all.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from laizi.mahjong.kernel cimport (
    BYTES_258, MOST_ROW_TILES, ONES, KernelRules, Row, Words,
    completes, has_shape, hu_sum, natural_words, read_row, sum_of_bytes, words_of,
)
from laizi.mahjong.readings cimport (
    KINDS, MAX_MELDS, SHAPE_DRAGON, SHAPE_JIANG, SHAPE_PAIRS, SHAPE_STANDARD, SHAPE_WIND, Features, Hand, feature,
    find_features, pairs_fit,
)
from laizi.mahjong.tables cimport PAIR_258_SHIFT, PAIR_ANY_SHIFT

from laizi import errors

cdef enum:
    MOST_FLAGS = 63

cdef int number(str name) except -1:
    return errors.ErrorReason[name].number

cdef uint16_t bit(str name) except? 0:
    return 1 << (errors.HuRefusal[name].number - 1)

cdef int TOO_MANY_COPIES = number("TOO_MANY_COPIES"), WRONG_TILE_COUNT = number("WRONG_TILE_COUNT")
cdef int EMPTY_HAND = number("EMPTY_HAND"), NOT_IN_HAND = number("WINNING_TILE_NOT_IN_HAND")
cdef int CONTRADICTORY = number("CONTRADICTORY_CIRCUMSTANCES"), UNKNOWN_TILE_CODE = number("UNKNOWN_TILE_CODE")
cdef int OUT_OF_RANGE = number("VALUE_OUT_OF_RANGE")

cdef uint16_t HOLDS_PUT_DOWN_TILE = bit("HOLDS_PUT_DOWN_TILE"), NOT_OPENED = bit("NOT_OPENED")
cdef uint16_t NO_SHAPE = bit("NO_SHAPE"), NOT_CLAIMABLE = bit("WINNING_TILE_NOT_CLAIMABLE")
cdef uint16_t KONG_NOT_ROBBABLE = bit("KONG_NOT_ROBBABLE"), WILD_BAN = bit("WILD_DISCARDED_BAN")
cdef uint16_t MISSED_HU_LOCK = bit("MISSED_HU_LOCK")
cdef uint16_t[5] FAILURE = [
    bit("PAIR_NOT_258"), bit("SOFT_SMALL_NEEDS_SELF_DRAW"), bit("LONE_WILD_WAIT"), bit("TOO_MANY_WILDS"),
    bit("NEEDS_SETTLEMENT"),
]


cdef void consider(Judging* at, uint8_t code, int standing, bint lone, bint hard) noexcept nogil:
    cdef const Entry* entry = &at.context.entries[hard][code]
    cdef int fails = failures(at.demands, entry, at.held, standing, lone)
    if fails:
        at.failed |= 1u << fails
    elif at.best == NULL or entry.rank > at.best.rank:
        at.best = entry
        at.best_hard = hard


cdef bint is_least(uint32_t failed, int fails) noexcept nogil:
    """Whether a set of demands is failed, and no smaller one is."""
    cdef int fewer
    if not failed >> fails & 1:
        return False
    for fewer in range(fails):
        if failed >> fewer & 1 and fewer & ~fails == 0:
            return False
    return True


cdef uint16_t refusals_of_readings(uint32_t failed) noexcept nogil:
    """The refusals of the sets of failed demands that hold no smaller one."""
    cdef int fails, index
    cdef uint16_t refusals = 0
    for fails in range(1, FAIL_SETS):
        if is_least(failed, fails):
            for index in range(5):
                if fails >> index & 1:
                    refusals |= FAILURE[index]
    return refusals


cdef void consider_solved(const KernelRules* rules, const Hand* hand, Judging* at) noexcept nogil:
    """Look at every kind of reading, whatever the options."""
    cdef Features* found = <Features*>malloc(sizeof(Features))
    cdef Judging trial
    cdef int index
    cdef bint hard = at.demands.hard_basis == HARD_HELD and at.held == 0
    find_features(&rules.forms, hand, found)
    if at.demands.hard_basis == HARD_NEED:
        trial = at[0]
        for index in range(found.count):
            if found.fills[index] == 0:
                consider(&trial, found.code[index], 0, found.lone[index], True)
        hard = trial.best != NULL
    for index in range(found.count):
        consider(at, found.code[index], found.fills[index], found.lone[index],
                 found.fills[index] == 0 if at.demands.hard_basis == HARD_FACE else hard)
    free(found)


# ------------------------------------------------------------------------------------------- readings from the tables

cdef inline uint64_t bytes_equal(uint64_t word, int count) noexcept nogil:
    """1 in each byte that is so, for counts of at most 4."""
    if count == 1:
        return word & ~(word >> 1) & ONES
    if count == 2:
        return word >> 1 & ~word & ONES
    return word >> 2 & ONES


cdef void consider_triplets(const Words* words, const Hand* hand, Judging* at, int wilds, int suits, bint all_258,
                            bint hard) noexcept nogil:
    # One tile of a kind wants two more for a triplet, two want one, four want two. The pair takes one of these kinds
    # and saves one, or is made of two wilds.
    cdef uint64_t wanted = 0, kinds = 0, kinds_258 = 0, one, two, four
    cdef int index, fewest
    cdef bint pair_258
    for index in range(5):
        one, two = bytes_equal(words.at[index], 1), bytes_equal(words.at[index], 2)
        four = bytes_equal(words.at[index], 4)
        wanted += 2 * (one + four) + two
        kinds |= one | two | four
        if index < 3:
            kinds_258 |= (one | two | four) & BYTES_258
    fewest = sum_of_bytes(wanted)
    if fewest + (-1 if kinds else 2) > wilds:
        return
    pair_258 = fewest + (-1 if kinds_258 else 2) <= wilds
    if suits == 8:
        # Honours alone have no pair of 2, 5, 8: that one is of other tiles.
        consider(at, feature(SHAPE_STANDARD, 8, False, True, False), wilds, False, hard)
        if pair_258:
            consider(at, feature(SHAPE_STANDARD, 0, False, True, True), wilds, False, hard)
    else:
        consider(at, feature(SHAPE_STANDARD, suits, all_258 and pair_258, True, pair_258), wilds, False, hard)


cdef void consider_tables(const KernelRules* rules, const Words* words, const Row* row, const Hand* hand, Judging* at,
                          int wilds, bint hard) noexcept nogil:
    """Look at the best readings of counts without wilds, and so many wilds beside them."""
    cdef uint64_t sum, odd = 0, many = 0
    cdef int index, suits = hand.open_suits, single
    cdef bint all_258, four
    for index in range(3):
        if words.at[index] or words.at[4] >> 8 * index & 255:
            suits |= 1 << index
    if words.at[3]:
        suits |= 8
    all_258 = (not hand.open_others
               and ((words.at[0] | words.at[1] | words.at[2]) & ~BYTES_258 | words.at[3] | words.at[4]) == 0)
    if rules.shapes >> SHAPE_STANDARD & 1:
        sum = hu_sum(rules.tables, row)
        if completes(sum, wilds, PAIR_ANY_SHIFT):
            if hand.open_content < 2:
                consider_triplets(words, hand, at, wilds, suits, all_258, hard)
            consider(at, feature(SHAPE_STANDARD, suits, False, False, False), wilds, False, hard)
            if completes(sum, wilds, PAIR_258_SHIFT):
                consider(at, feature(SHAPE_STANDARD, suits if suits != 8 else 0, False, False, True), wilds, False,
                         hard)
    if pairs_fit(&rules.forms, hand, row.total):
        for index in range(5):
            odd += words.at[index] & ONES
            many |= words.at[index] & (words.at[index] >> 1) | words.at[index] >> 2
        single = sum_of_bytes(odd)
        if single <= wilds:
            # Three of a kind get their fourth anyway; two wilds too many join any pair.
            four = (many & ONES) != 0 or wilds - single >= 2
            consider(at, feature(SHAPE_DRAGON if four else SHAPE_PAIRS, suits, all_258, False, False), wilds, False,
                     hard)
    if suits & 7 == 0 and rules.shapes >> SHAPE_WIND & 1:
        consider(at, feature(SHAPE_WIND, 8, False, False, False), wilds, False, hard)
    if all_258 and rules.shapes >> SHAPE_JIANG & 1:
        consider(at, feature(SHAPE_JIANG, suits, True, False, False), wilds, False, hard)


cdef inline bint tables_tell(const KernelRules* rules, const Words* words, const Hand* hand, const Judging* at,
                             int tiles) noexcept nogil:
    return (
        rules.plain and at.context.rising and not rules.forms.four_copies and not at.demands.counts_standing
        and rules.forms.dragon_by_wild and (tiles > 2 or at.demands.lone_wait)
        and (hand.open_suits or words.at[0] | words.at[1] | words.at[2] | words.at[3] | words.at[4])
    )


cdef bint best_by_tables(const KernelRules* rules, const Demands* demands, const Context* context, const Hand* hand,
                         const Row* row, Judging* at) noexcept nogil:
    """Judge a hand by the best of its readings; False where the tables do not tell them."""
    cdef Words words = natural_words(rules, hand.counts)
    cdef Words all_words
    cdef Row natural
    cdef Judging trial
    cdef int index
    cdef bint hard = demands.hard_basis == HARD_HELD and row.wilds == 0
    memset(at, 0, sizeof(Judging))
    at.demands, at.context, at.held = demands, context, row.wilds
    if not tables_tell(rules, &words, hand, at, row.total):
        return False
    # First the readings in which every wild is itself, then those in which wilds may be any tile.
    all_words, natural = words, row[0]
    if row.wilds:
        all_words = words_of(hand.counts)
        natural.wilds = 0
        for index in range(rules.wild_kinds):
            natural.key[rules.wild_suit[index]] += hand.counts[rules.wild[index]] * rules.wild_power[index]
    if demands.hard_basis == HARD_NEED:
        trial = at[0]
        consider_tables(rules, &all_words, &natural, hand, &trial, 0, True)
        hard = trial.best != NULL
    elif demands.hard_basis == HARD_FACE:
        consider_tables(rules, &all_words, &natural, hand, at, 0, True)
        if row.wilds == 0:
            return True
    consider_tables(rules, &words, row, hand, at, row.wilds, hard)
    return True


cdef void consider_row(const KernelRules* rules, const Demands* demands, const Context* context, const Hand* hand,
                       const Row* row, Judging* at) noexcept nogil:
    # Melds on the table only bar readings, so that tiles without a shape of their own have none.
    if rules.plain and not has_shape(rules, hand.counts, row):
        memset(at, 0, sizeof(Judging))
    elif not best_by_tables(rules, demands, context, hand, row, at):
        consider_solved(rules, hand, at)


# ------------------------------------------------------------------------------------------------------------ one row

cdef bint too_many_laid(const KernelRules* rules, const Demands* demands, const Given* given,
                        const uint8_t* melded) noexcept nogil:
    """Tell whether fewer tiles exist than are held and put down, or held and laid as wild kongs."""
    cdef int tile, index, downs = given.downs & 15, kongs = given.downs >> 4, limit = 0, total = downs
    if downs:
        for tile in range(KINDS):
            if demands.laid[tile]:
                total += given.counts[tile] + melded[tile]
                limit += 4
        if total > limit:
            return True
    if kongs == 0:
        return False
    total = kongs
    for index in range(rules.wild_kinds):
        tile = rules.wild[index]
        total += given.counts[tile] + melded[tile]
    return total > 4 * rules.wild_kinds


cdef int read_given(const KernelRules* rules, const Demands* demands, const Meld* melds, const Given* given,
                    int remainder, Standing* at) noexcept nogil:
    """Check one row; return 0 or the number of an ErrorReason."""
    cdef Hand* hand = &at.hand
    cdef const Meld* meld
    cdef int error, index, face, place, claimed = 0
    cdef bint put_down = given.downs != 0, menqing = True
    memset(at, 0, sizeof(Standing))
    error = read_row(rules, given.counts, &at.row)
    if error:
        return error
    if at.row.total == 0:
        return EMPTY_HAND
    if at.row.total % 3 != remainder or at.row.total > MOST_ROW_TILES:
        return WRONG_TILE_COUNT
    memcpy(hand.counts, given.counts, KINDS)
    hand.lone = -1
    if given.melds != NULL:
        for index in range(MELD_BYTES):
            if given.melds[index] == 0:
                continue
            meld = &melds[given.melds[index]]
            if meld.error:
                return meld.error
            for place in range(meld.size):
                hand.open_faces[meld.faces[place]] += 1
                if hand.open_faces[meld.faces[place]] + given.counts[meld.faces[place]] > 4:
                    return TOO_MANY_COPIES
            hand.open_melds += 1
            hand.open_suits |= meld.suits
            hand.open_content = max(hand.open_content, meld.content)
            hand.open_others |= meld.others
            at.opened |= meld.opens
            menqing &= not meld.ends_menqing
            claimed += meld.claimed
            put_down |= meld.kong
        if hand.open_melds + at.row.total // 3 > MAX_MELDS:
            return WRONG_TILE_COUNT
    if given.downs and too_many_laid(rules, demands, given, hand.open_faces):
        return TOO_MANY_COPIES
    if given.flags > MOST_FLAGS:
        return OUT_OF_RANGE
    if given.flags & DISCARD and given.flags & ROB_KONG:
        return CONTRADICTORY
    if given.flags & (DISCARD | ROB_KONG) and given.flags & (GANG_FLOWER | HAIDI):
        return CONTRADICTORY
    if given.winning_tile != UNKNOWN_TILE:
        if given.winning_tile >= KINDS:
            return UNKNOWN_TILE_CODE
        if given.counts[given.winning_tile] == 0:
            return NOT_IN_HAND
        if at.row.total == 2:
            for face in range(KINDS):
                if given.counts[face] - (face == given.winning_tile) > 0:
                    hand.lone = face
    at.holds_put_down = holds_any(demands, given.counts)
    at.context = given.flags & 15
    at.context |= (at.row.total <= 2 and claimed >= 4 and claimed == hand.open_melds) << 4
    at.context |= (at.row.total <= 2) << 5 | menqing << 6 | put_down << 7
    return 0


cdef uint16_t refusals_of_hand(const KernelRules* rules, const Demands* demands, const Given* given,
                               const Standing* at) noexcept nogil:
    cdef uint16_t refusals = 0
    cdef bint drawn = not given.flags & (DISCARD | ROB_KONG)
    if at.holds_put_down:
        refusals |= HOLDS_PUT_DOWN_TILE
    if demands.must_open and not at.opened:
        refusals |= NOT_OPENED
    if given.winning_tile != UNKNOWN_TILE and not drawn and not demands.claims_wild:
        if rules.forms.is_wild[given.winning_tile]:
            refusals |= NOT_CLAIMABLE
    if given.flags & ROB_KONG and not demands.robs:
        refusals |= KONG_NOT_ROBBABLE
    if given.flags & WILD_DISCARDED and demands.bans_discarded:
        refusals |= WILD_BAN
    if given.flags & MISSED_HU and demands.locks_missed and not drawn:
        refusals |= MISSED_HU_LOCK
    return refusals


cdef uint16_t judge_row(const KernelRules* rules, const Demands* demands, const Context* context, const Given* given,
                        const Standing* at, Judging* judging) noexcept nogil:
    """Return the refusals of one row; judging.best is what it wins as where there are none."""
    cdef uint16_t refusals = refusals_of_hand(rules, demands, given, at)
    consider_row(rules, demands, context, &at.hand, &at.row, judging)
    if judging.best == NULL:
        refusals |= refusals_of_readings(judging.failed) if judging.failed else NO_SHAPE
    return refusals
