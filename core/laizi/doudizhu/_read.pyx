"""All readings of a play, and comparison: one call or a whole batch."""

from libc.stdint cimport uint8_t
from libc.string cimport memcpy, memset

from cpython.bytes cimport PyBytes_FromStringAndSize

from laizi.bits cimport EIGHTS, JOKERS, ONES, at_most, highest, lowest, small_total, total, within
from laizi.doudizhu._exact cimport Held, fits, read_exact, unpack
from laizi.doudizhu._hand cimport makes
from laizi.doudizhu._rules cimport (
    ANY_TIER, BODY_ANY, BODY_FORBIDDEN, FIRST_BOMB, FORBIDDEN, HARD, MOST_READINGS, PURE, SHAPES, SOFT, Carrier,
    Compiled, Plan, Rules, Run, beats, strength,
)

from laizi.errors import CardsError, ErrorReason, RequestError


# What is wrong with a row, as the number of the ErrorReason.
cdef uint8_t EMPTY = ErrorReason.EMPTY_PLAY.number
cdef uint8_t TOO_LARGE = ErrorReason.HAND_TOO_LARGE.number
cdef uint8_t TOO_MANY = ErrorReason.TOO_MANY_COPIES.number
cdef uint8_t ILLEGAL = ErrorReason.PREVIOUS_PLAY_ILLEGAL.number

# The fast path is exact up to these bounds: sums over a window then fit into four bits.
cdef enum:
    FAST_CARDS = 20
    FAST_WILDS = 7


cdef inline uint64_t _spanning(uint64_t mask, int shift) noexcept nogil:
    """The ends of windows that hold the whole mask: from its highest rank to where a window from its lowest ends."""
    if mask == 0:
        return ONES
    return (((mask & (~mask + 1)) << shift << 1) - 1) & ~<uint64_t>0 << highest(mask)


cdef inline uint64_t _touching(uint64_t mask, uint64_t window) noexcept nogil:
    """The ends of windows that hold any rank of the mask."""
    return (mask * window + ONES * 7 & EIGHTS) >> 3


cdef int read_play(const Rules *rules, uint64_t naturals, uint64_t wilds, uint16_t *out) noexcept nogil:
    """Write the codes of all readings in reading order, and return their number.

    Bit tricks over masks of ranks; the exact module says what each step means. The two agree on every play.
    """
    cdef uint64_t one, two, three, four, low, up, found, missing, ends, jokers
    cdef int free = small_total(wilds)
    cdef int size = total(naturals) + free
    cdef int tier = SOFT if free else HARD
    cdef int count = 0, bit
    cdef const Plan *plan
    cdef const Run *run
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
    jokers = naturals & JOKERS

    # Equal cards and the rocket.
    low = one & (~one + 1)
    if one == low:
        if plan.same[tier] and (low < <uint64_t>1 << 52 or size == 1):
            out[count] = plan.same[tier] | lowest(low) >> 2
            count += 1
    if size == 2 and jokers == one and rules.rocket:
        if jokers == JOKERS or rules.as_joker or wilds & JOKERS:
            out[count] = rules.rocket
            count += 1

    # Runs: all naturals lie in the window, none exceeds the unit, and the wilds then fit by count. A flag at bit 2, 1
    # or 0 of a rank's four bits: a straight, a pair straight, a plane ends there.
    up = ~<uint64_t>0 << highest(one)
    found = 0
    run = &plan.run[1]
    if two == 0:
        found = ((low << run.shift << 1) - 1 & up & run.ends) << 2
    run = &plan.run[2]
    if three == 0:
        found |= ((low << run.shift << 1) - 1 & up & run.ends) << 1
    run = &plan.run[3]
    if four == 0:
        found |= (low << run.shift << 1) - 1 & up & run.ends
    run = &plan.run[4]
    if run.code:
        count = _chains(rules, run, (low << run.shift << 1) - 1 & up & run.ends, out, count)
    while found:
        bit = highest(found)
        out[count] = plan.run[3 - (bit & 3)].code | bit >> 2
        count += 1
        found ^= <uint64_t>1 << bit

    # Bodies that carry. A flag at bit 1 of a rank's four bits: singles; at bit 0: pairs.
    if (plan.singles.code | plan.pairs.code) == 0:
        return count
    missing = 3 * ONES - one - two - three
    if plan.singles.code:
        ends = at_most((missing + (ONES - four if plan.singles.four else 0)) * plan.singles.window, free)
        ends &= plan.singles.ends
        if ends:
            found = _singles(rules, &plan.singles, ends, one, two, three, four) << 1
    if plan.pairs.code and jokers == 0:
        # A rank with one card costs a wild outside the body, and one less than is missing inside it.
        low = one & ~two
        free -= small_total(low)
        if free >= 0:
            ends = at_most((missing - low + (ONES - four if plan.pairs.four else 0)) * plan.pairs.window, free)
            ends &= plan.pairs.ends & _spanning(three, plan.pairs.shift)
            if four and not plan.pairs.four:
                ends = _pairs_with_fours(rules, &plan.pairs, ends, one, two, three, four, free)
            found |= ends
    if found:
        found = _allowed_bodies(rules, plan, found, one, four, wilds, tier)
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
    if rules.no_body_run and three and carrier.shift:
        ends &= ~(three >> 4 & ((<uint64_t>1 << 4 * rules.top) - 1) | three << carrier.shift + 4)
    return ends


cdef uint64_t _pairs_with_fours(const Rules *rules, const Carrier *carrier, uint64_t ends, uint64_t one, uint64_t two,
                                uint64_t three, uint64_t four, int free) noexcept nogil:
    """Four cards of a rank of triples: the fourth is half a pair of the body's rank, where that is allowed."""
    cdef uint64_t missing = 3 * ONES - one - two - three - (one & ~two) + four
    if not rules.body_rank[0]:
        return ends & ~_touching(four, carrier.window)
    return ends & at_most(missing * carrier.window, free)


cdef inline uint64_t _allowed_bodies(const Rules *rules, const Plan *plan, uint64_t found, uint64_t one, uint64_t four,
                                     uint64_t wilds, int tier) noexcept nogil:
    """The flags (bit 1 singles, bit 0 pairs) without bodies of wilds that the rules forbid."""
    cdef uint64_t singles, pairs, own
    if rules.soft_quad and (rules.body == BODY_ANY or tier != SOFT):
        return found
    singles, pairs = found >> 1 & ONES, found & ONES
    if not rules.soft_quad:
        if plan.singles.four:
            singles &= four if tier != PURE else 0
        if plan.pairs.four:
            pairs &= four if tier != PURE else 0
    if rules.body != BODY_ANY and tier == SOFT:
        # Bodies of four have one rank: what lies in the window is then asked of four cards, else of three.
        own = 0 if rules.body == BODY_FORBIDDEN else ~<uint64_t>0
        singles &= _touching(one, plan.singles.window) | own & _own(wilds, &plan.singles)
        pairs &= _touching(one, plan.pairs.window) | own & _own(wilds, &plan.pairs)
    return singles << 1 | pairs


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


cdef inline uint8_t _fault(Compiled compiled, uint64_t naturals, uint64_t wilds) noexcept nogil:
    if not (within(naturals, compiled.natural_caps) and within(wilds, compiled.wild_caps)):
        return TOO_MANY
    if naturals == 0 and wilds == 0:
        return EMPTY
    if total(naturals) + small_total(wilds) > compiled.max_cards:
        return TOO_LARGE
    return 0


cdef int _weakest(const Rules *rules, int previous, const uint16_t *codes, int count) noexcept nogil:
    """The weakest of the readings that beat the previous one, 0 if none does. Bombs come first, so it is the last."""
    cdef int i
    for i in range(count - 1, -1, -1):
        if beats(rules, codes[i], previous):
            return codes[i]
    return 0


def _error(uint8_t fault, int max_cards):
    if fault == EMPTY:
        return CardsError(ErrorReason.EMPTY_PLAY, "no cards given")
    if fault == TOO_LARGE:
        return CardsError(ErrorReason.HAND_TOO_LARGE, f"more than {max_cards} cards given", limit=max_cards)
    return CardsError(
        ErrorReason.TOO_MANY_COPIES, "more cards of a rank than the pack holds, or in the wrong one of the two words"
    )


def _rows(column, Py_ssize_t width):
    view = memoryview(column).cast("B")
    if len(view) % width:
        raise RequestError(ErrorReason.BAD_ROW_LENGTH, f"{len(view)} bytes are no whole rows of {width}", limit=width)
    return view


cdef class Reader(Compiled):
    cdef bint plausible(self, int code) noexcept nogil:
        cdef Held pack
        cdef int row = code >> 4
        if code < 0 or code >= <int>sizeof(self.judged):
            return False
        if self.judged[code] == 0:
            unpack(&pack, self.natural_caps, self.wild_caps)
            if self.undetermined:
                # Any rank may yet prove wild.
                memset(pack.wild, 4, 13)
                pack.wilds = 8
            self.judged[code] = 2
            if SHAPES[row].form and (
                (self.rules.on[row] and makes(&self.rules, row, code & 15, &pack))
                or (self.last.on[row] and makes(&self.last, row, code & 15, &pack))
            ):
                self.judged[code] = 1
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
        fault = _fault(self, cards[0], cards[1])
        if fault:
            raise _error(fault, self.max_cards)
        count = read_play(self.rules_for(last), cards[0], cards[1], codes)
        return PyBytes_FromStringAndSize(<char *>codes, 2 * count)

    def read_rows(self, rows, bint last=False):
        cdef const uint8_t[::1] given = _rows(rows, 16)
        cdef Py_ssize_t size = given.shape[0] // 16, i, room = 4 * size + MOST_READINGS, used = 0
        counts, errors, codes = bytearray(size), bytearray(size), bytearray(2 * room)
        cdef uint8_t[::1] counted = counts, faults = errors, written = codes
        cdef const Rules *rules = self.rules_for(last)
        cdef uint64_t cards[2]
        cdef uint16_t *out = <uint16_t *>&written[0]
        cdef int count
        i = 0
        while True:
            with nogil:
                while i < size and used + MOST_READINGS <= room:
                    memcpy(cards, &given[16 * i], 16)
                    faults[i] = _fault(self, cards[0], cards[1])
                    if faults[i] == 0:
                        count = read_play(rules, cards[0], cards[1], out + used)
                        counted[i] = count
                        used += count
                    i += 1
            if i == size:
                break
            # Few plays have more than four readings; a batch that has gets more room.
            room = 2 * room
            written = None
            codes.extend(bytes(2 * room - len(codes)))
            written = codes
            out = <uint16_t *>&written[0]
        written = None
        del codes[2 * used:]
        return counts, codes, errors

    def compare_rows(self, previous, rows, bint last=False):
        cdef const uint8_t[::1] given = _rows(rows, 16), prior = _rows(previous, 2)
        cdef Py_ssize_t size = given.shape[0] // 16, i
        if prior.shape[0] != 2 * size:
            raise RequestError(
                ErrorReason.COLUMN_LENGTH_MISMATCH, f"{prior.shape[0] // 2} previous readings for {size} plays",
                path="previous",
            )
        found, errors = bytearray(2 * size), bytearray(size)
        if size == 0:
            return found, errors
        cdef uint8_t[::1] taken = found, faults = errors
        cdef const Rules *rules = self.rules_for(last)
        cdef uint64_t cards[2]
        cdef uint16_t codes[MOST_READINGS]
        cdef uint16_t code
        with nogil:
            for i in range(size):
                memcpy(cards, &given[16 * i], 16)
                memcpy(&code, &prior[2 * i], 2)
                faults[i] = _fault(self, cards[0], cards[1])
                if faults[i] == 0 and not self.plausible(code):
                    faults[i] = ILLEGAL
                if faults[i] == 0:
                    code = _weakest(rules, code, codes, read_play(rules, cards[0], cards[1], codes))
                    memcpy(&taken[2 * i], &code, 2)
        return found, errors

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
        for code in range(FIRST_BOMB, 1 << 11):
            if self.plausible(code):
                found = max(found, strength(&self.rules, code))
        return found

    def beats(self, int code, int previous):
        return beats(&self.rules, code, previous)

    def strength(self, int code):
        return strength(&self.rules, code)
