"""All readings of a play, and comparison: one call or a whole batch."""

from libc.stdint cimport uint8_t
from libc.string cimport memcpy, memset

from cpython.bytes cimport PyBytes_FromStringAndSize

from laizi.bits cimport EIGHTS, JOKERS, ONES, at_most, highest, lowest, small_total, total
from laizi.doudizhu._exact cimport Held, fits, read_exact, unpack
from laizi.doudizhu._hand cimport makes
from laizi.doudizhu._rules cimport (
    ANY_TIER, BODY_ANY, BODY_FORBIDDEN, CODES, EMPTY, FIRST_BOMB, FORBIDDEN, HARD, MOST_READINGS, PURE, SHAPES, SOFT,
    TOO_LARGE, Carrier, Plan, Rules, Run, beats, fault_of, strength,
)

from laizi.errors import CardsError, ErrorReason, RequestError


# The fast path is exact up to these bounds: sums over a window then fit into four bits.
cdef enum:
    FAST_CARDS = 20
    FAST_WILDS = 7


cdef inline uint64_t _spanning(uint64_t mask, int shift) noexcept nogil:
    """The ends of windows that hold the whole mask: from its highest rank to where a window from its lowest ends.

    Of an empty mask, all: then there is no lowest rank, and 0 - 1 has every bit.
    """
    return (((mask & (~mask + 1)) << shift << 1) - 1) & ~<uint64_t>0 << highest(mask | 1)


cdef inline uint64_t _if(bint holds) noexcept nogil:
    """Every bit, or none: conditions that plays meet at random cost less as masks than as jumps."""
    return ~<uint64_t>0 if holds else 0


cdef inline uint64_t _touching(uint64_t mask, uint64_t window) noexcept nogil:
    """The ends of windows that hold any rank of the mask."""
    return (mask * window + ONES * 7 & EIGHTS) >> 3


cdef int read_play(const Rules *rules, uint64_t naturals, uint64_t wilds, uint16_t *out) noexcept nogil:
    """Write the codes of all readings in reading order, and return their number."""
    cdef int free = small_total(wilds)
    return read_counted(rules, naturals, wilds, total(naturals) + free, free, out)


cdef int read_counted(
    const Rules *rules, uint64_t naturals, uint64_t wilds, int size, int free, uint16_t *out
) noexcept nogil:
    """As read_play, the cards and the wilds among them being counted.

    Bit tricks over masks of ranks; the exact module says what each step means. The two agree on every play.
    """
    cdef uint64_t one, two, three, four, low, up, found, missing, alone, singles, pairs, jokers
    cdef int tier = SOFT if free else HARD
    cdef int count = 0, bit, left
    cdef const Plan *plan
    if size > FAST_CARDS or free > FAST_WILDS or not rules.plain:
        return read_exact(rules, naturals, wilds, out)
    if naturals == 0:
        if rules.mixed[size] and wilds & ~(<uint64_t>15 << (lowest(wilds) & ~3)):
            out[0] = rules.mixed[size]
            count = 1
        if rules.alone == FORBIDDEN:
            return count
        tier = PURE
        naturals, wilds, free = wilds, 0, 0

    plan = &rules.plan[size]
    four = naturals >> 2 & ONES
    two = (naturals >> 1 & ONES) | four
    three = (naturals >> 1 & naturals & ONES) | four
    one = (naturals & ONES) | two
    low = one & (~one + 1)

    # Equal cards and the rocket.
    if one == low:
        if plan.same[tier] and (low < <uint64_t>1 << 52 or size == 1):
            out[count] = plan.same[tier] | lowest(low) >> 2
            count += 1
    jokers = naturals & JOKERS
    if size == 2 and jokers == one and rules.rocket:
        if jokers == JOKERS or rules.as_joker or wilds & JOKERS:
            out[count] = rules.rocket
            count += 1

    # Runs: all naturals lie in the window, none exceeds the unit, and the wilds then fit by count. A flag at bit 2, 1
    # or 0 of a rank's four bits: a straight, a pair straight, a plane ends there.
    up = ~<uint64_t>0 << highest(one)
    found = (
        ((low << plan.run[1].shift << 1) - 1 & up & plan.run[1].ends & _if(two == 0)) << 2
        | ((low << plan.run[2].shift << 1) - 1 & up & plan.run[2].ends & _if(three == 0)) << 1
        | ((low << plan.run[3].shift << 1) - 1 & up & plan.run[3].ends & _if(four == 0))
    )
    if plan.run[4].code:
        count = _chains(rules, &plan.run[4], (low << plan.run[4].shift << 1) - 1 & up & plan.run[4].ends, out, count)
    while found:
        bit = highest(found)
        out[count] = plan.run[3 - (bit & 3)].code | bit >> 2
        count += 1
        found ^= <uint64_t>1 << bit

    # Bodies that carry. The cards missing in a window are one multiplication.
    missing = 3 * ONES - one - two - three
    singles = plan.singles.ends & at_most((missing + (ONES - four & plan.singles.if_four)) * plan.singles.window, free)
    # Pairs: a rank with one card costs a wild outside the body, and one less than is missing inside it; a limit of -1
    # lets no window pass.
    alone = one & ~two
    left = max(free - small_total(alone), -1)
    pairs = plan.pairs.ends & _spanning(three, plan.pairs.shift) & _if(jokers == 0) & at_most(
        (missing - alone + (ONES - four & plan.pairs.if_four)) * plan.pairs.window, left
    )
    if singles | pairs:
        # What these rules ask beyond this is asked of few plays.
        if four or rules.kicker_bans:
            singles = _singles(rules, &plan.singles, singles, one, two, three, four)
            if four and not plan.pairs.four:
                pairs = _pairs_with_fours(rules, &plan.pairs, pairs, one, two, three, four, left)
        if rules.body_bans:
            singles = _allowed_bodies(rules, &plan.singles, singles, one, four, wilds, tier)
            pairs = _allowed_bodies(rules, &plan.pairs, pairs, one, four, wilds, tier)
        found = singles << 1 | pairs
        while found:
            bit = highest(found)
            out[count] = (plan.singles.code if bit & 1 else plan.pairs.code) | bit >> 2
            count += 1
            found ^= <uint64_t>1 << bit
    return count


cdef uint64_t _singles(const Rules *rules, const Carrier *carrier, uint64_t ends, uint64_t one, uint64_t two,
                       uint64_t three, uint64_t four) noexcept nogil:
    """Those of the ends whose single kickers the rules allow."""
    cdef int equal = rules.equal[carrier.four]
    if carrier.shift or carrier.four:
        if rules.no_rocket and one & JOKERS == JOKERS:
            return 0
        # Ranks with more cards than may be equal among kickers lie in the body.
        ends &= _spanning(two if equal == 1 else three if equal == 2 else four if equal == 3 else 0, carrier.shift)
    if carrier.four:
        return ends
    if four and not rules.body_rank[0]:
        ends &= ~_touching(four, carrier.window)
    if rules.no_body_run and carrier.shift:
        ends &= ~(three >> 4 & ((<uint64_t>1 << 4 * rules.top) - 1) | three << carrier.shift + 4)
    return ends


cdef uint64_t _pairs_with_fours(const Rules *rules, const Carrier *carrier, uint64_t ends, uint64_t one, uint64_t two,
                                uint64_t three, uint64_t four, int left) noexcept nogil:
    """Four cards of a rank of triples: the fourth is half a pair of the body's rank, where that is allowed."""
    cdef uint64_t missing = 3 * ONES - one - two - three - (one & ~two) + four
    if not rules.body_rank[0]:
        return ends & ~_touching(four, carrier.window)
    return ends & at_most(missing * carrier.window, left)


cdef uint64_t _allowed_bodies(const Rules *rules, const Carrier *carrier, uint64_t ends, uint64_t one, uint64_t four,
                              uint64_t wilds, int tier) noexcept nogil:
    """Those of the ends whose bodies the rules allow for all their wilds."""
    if carrier.four and not rules.soft_quad:
        ends &= four if tier != PURE else 0
    if rules.body != BODY_ANY and tier == SOFT:
        ends &= _touching(one, carrier.window) | (0 if rules.body == BODY_FORBIDDEN else _own(wilds, carrier))
    return ends


cdef inline uint64_t _own(uint64_t wilds, const Carrier *carrier) noexcept nogil:
    """The ends of windows of which every rank has a whole unit of wilds of that rank."""
    cdef uint64_t whole = wilds >> 2 & ONES
    if not carrier.four:
        whole |= wilds >> 1 & wilds & ONES
    return ONES & ~_touching(ONES & ~whole, carrier.window)


cdef int _chains(const Rules *rules, const Run *run, uint64_t ends, uint16_t *out, int count) noexcept nogil:
    """Chain bombs among what is already written, strongest first."""
    cdef int bit, i
    cdef uint16_t code
    while ends:
        bit = highest(ends)
        code = run.code | bit >> 2
        i = count
        while i > 0 and strength(rules, out[i - 1]) < strength(rules, code):
            out[i] = out[i - 1]
            i -= 1
        out[i] = code
        count += 1
        ends ^= <uint64_t>1 << bit
    return count


def _error(uint8_t fault, int max_cards):
    if fault == EMPTY:
        return CardsError(ErrorReason.EMPTY_PLAY, "no cards given")
    if fault == TOO_LARGE:
        return CardsError(ErrorReason.HAND_TOO_LARGE, f"more than {max_cards} cards given", limit=max_cards)
    return CardsError(
        ErrorReason.TOO_MANY_COPIES, "more cards of a rank than the pack holds, or in the wrong one of the two words"
    )


cdef class Reader(Compiled):
    cdef bint plausible(self, int code) noexcept nogil:
        cdef Held pack
        cdef int row = code >> 4
        cdef bint found
        if code < 0 or code >= CODES:
            return False
        if self.judged[code] == 0:
            unpack(&pack, self.natural_caps, self.wild_caps)
            if self.undetermined:
                # Any rank may yet prove wild.
                memset(pack.wild, 4, 13)
                pack.wilds = 8
            found = SHAPES[row].form and (
                (self.rules.on[row] and makes(&self.rules, row, code & 15, &pack))
                or (self.last.on[row] and makes(&self.last, row, code & 15, &pack))
            )
            # One write: threads that ask at once write the same.
            self.judged[code] = 1 if found else 2
        return self.judged[code] == 1

    def is_plausible(self, int code):
        return self.plausible(code)

    cdef const Rules *rules_for(self, bint last) noexcept nogil:
        return &self.last if last else &self.rules

    def read_row(self, bytes row, bint last=False):
        cdef uint16_t codes[MOST_READINGS]
        cdef uint64_t cards[2]
        cdef uint8_t fault
        cdef int count
        if len(row) != 16:
            raise RequestError(ErrorReason.BAD_ROW_LENGTH, f"{len(row)} bytes given, a row has 16", limit=16)
        memcpy(cards, <const uint8_t *>row, 16)
        fault = fault_of(self, cards[0], cards[1], total(cards[0]) + total(cards[1]))
        if fault:
            raise _error(fault, self.max_cards)
        count = read_play(self.rules_for(last), cards[0], cards[1], codes)
        return PyBytes_FromStringAndSize(<char *>codes, 2 * count)

    def codes(self, uint64_t naturals, uint64_t wilds, bint last=False):
        cdef uint16_t codes[MOST_READINGS]
        cdef int i
        return [codes[i] for i in range(read_play(self.rules_for(last), naturals, wilds, codes))]

    def codes_exactly(self, uint64_t naturals, uint64_t wilds, bint last=False):
        cdef uint16_t codes[MOST_READINGS]
        cdef int i
        return [codes[i] for i in range(read_exact(self.rules_for(last), naturals, wilds, codes))]

    def stands_as(self, uint64_t cards, int code):
        cdef Held held
        unpack(&held, cards, 0)
        return fits(&self.last, code >> 4, code & 15, &held, ANY_TIER)

    def greatest_strength(self):
        cdef int code, found = 0
        for code in range(FIRST_BOMB, CODES):
            if self.plausible(code):
                found = max(found, strength(&self.rules, code))
        return found

    def beats(self, int code, int previous):
        return beats(&self.rules, code, previous)

    def strength(self, int code):
        return strength(&self.rules, code)
