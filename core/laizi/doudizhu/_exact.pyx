"""Does a play have this reading? Asked of one reading at a time, in plain loops, for every option and number of cards.

The fast path answers the same question for all readings at once where a play has at most 20 cards. Here is what it
leaves out, and what is asked rarely.

A body takes as many natural cards of its ranks as it can: a wild that it saves can stand for whatever that natural
card would have been as a kicker, so no rule is easier to satisfy with fewer. What a natural card must be is then
settled, and only the kickers that wilds stand for are free.
"""

from laizi.doudizhu._rules cimport (
    ANY_TIER, BODY_ANY, BODY_FORBIDDEN, FORBIDDEN, HARD, KEEPS_RANK, MIXED, PAIRS, PURE, ROCKET, ROWS_OF, RUN, SAME,
    SHAPES, SINGLES, SOFT, Rules, Shape, is_bomb, strength,
)

cdef enum:
    TWO = 12
    BLACK = 13
    RED = 14


cdef void unpack(Held *held, uint64_t naturals, uint64_t wilds) noexcept nogil:
    cdef int rank
    held.naturals = held.wilds = 0
    for rank in range(16):
        held.natural[rank] = naturals >> 4 * rank & 15
        held.wild[rank] = wilds >> 4 * rank & 15
        held.naturals += held.natural[rank]
        held.wilds += held.wild[rank]


cdef bint fits(const Rules *rules, int row, int main, const Held *held, int tier) noexcept nogil:
    """Whether the cards, as many as the row has, can be read as this row with this main rank.

    ``tier`` says what the play is made of; ANY_TIER does not ask for the tier of a bomb. Wilds are free here: the
    caller has turned the wilds of a play without naturals into naturals where they keep their ranks.
    """
    cdef Shape shape = SHAPES[row]
    if shape.form == SAME:
        return (shape.tier == ANY_TIER or tier == ANY_TIER or shape.tier == tier) and _same(shape.unit, main, held)
    if shape.form == RUN:
        return _run(rules, shape.unit, shape.ranks, main, held)
    if shape.form == SINGLES:
        return _body(rules, shape, main, held, tier) and _singles(rules, shape, main, held)
    if shape.form == PAIRS:
        return _body(rules, shape, main, held, tier) and _pairs(rules, shape, main, held)
    if shape.form == ROCKET:
        return _rocket(rules, held)
    return False


cdef bint _same(int unit, int main, const Held *held) noexcept nogil:
    # A single joker is a joker; a wild never becomes one without another card.
    if held.natural[main] != held.naturals:
        return False
    return main <= TWO or (unit == 1 and held.naturals == 1)


cdef bint _run(const Rules *rules, int unit, int ranks, int main, const Held *held) noexcept nogil:
    cdef int rank
    if main > rules.top or main < ranks - 1:
        return False
    for rank in range(15):
        if held.natural[rank] > (unit if main - ranks < rank <= main else 0):
            return False
    return True


cdef bint _body(const Rules *rules, Shape shape, int main, const Held *held, int tier) noexcept nogil:
    """Whether the wilds complete the body, and the rules allow that body."""
    cdef int rank, missing = 0, natural = 0
    if main > (TWO if shape.ranks == 1 else rules.top) or main < shape.ranks - 1:
        return False
    for rank in range(main - shape.ranks + 1, main + 1):
        missing += max(shape.unit - held.natural[rank], 0)
        natural += held.natural[rank]
    if missing > held.wilds:
        return False
    if shape.unit == 4 and not rules.soft_quad and (missing > 0 or tier == PURE):
        return False
    if natural == 0 and held.naturals > 0 and rules.body != BODY_ANY:
        if rules.body == BODY_FORBIDDEN:
            return False
        for rank in range(main - shape.ranks + 1, main + 1):
            if held.wild[rank] < shape.unit:
                return False
    return True


cdef bint _singles(const Rules *rules, Shape shape, int main, const Held *held) noexcept nogil:
    cdef bint four = shape.unit == 4
    cdef int carried = 2 if four else shape.ranks
    cdef int equal = rules.equal[four] if carried > 1 else 1
    cdef int rank, kicked, most, room = 0, left = carried
    cdef bint lengthens
    if carried > 1 and rules.no_rocket and held.natural[BLACK] and held.natural[RED]:
        return False
    for rank in range(TWO + 1):
        most = equal
        kicked = held.natural[rank]
        if main - shape.ranks < rank <= main:
            kicked = max(kicked - shape.unit, 0)
            most = equal if rules.body_rank[four] else 0
        elif rules.no_body_run and not four and shape.ranks > 1:
            lengthens = rank == main - shape.ranks or (rank == main + 1 and rank <= rules.top)
            most = min(most, 2) if lengthens else most
        if kicked > most:
            return False
        left -= kicked
        room += most - kicked
    # Natural jokers are kickers; a wild may stand for one where the rules say so.
    kicked = held.natural[BLACK] + held.natural[RED]
    left -= kicked
    most = 2 if rules.as_joker else kicked
    if rules.no_rocket and carried > 1:
        most = min(most, 1)
    return left <= room + most - kicked


cdef bint _pairs(const Rules *rules, Shape shape, int main, const Held *held) noexcept nogil:
    cdef bint four = shape.unit == 4
    cdef int carried = 2 if four else shape.ranks
    cdef int rank, kicked, odd = 0, missing = 0, room = 0, pairs = carried
    if held.natural[BLACK] or held.natural[RED]:
        return False
    for rank in range(TWO + 1):
        kicked = held.natural[rank]
        if main - shape.ranks < rank <= main:
            missing += max(shape.unit - kicked, 0)
            kicked = max(kicked - shape.unit, 0)
            if not rules.body_rank[four]:
                if kicked:
                    return False
                continue
        if rules.no_equal_pairs and kicked > 2:
            return False
        odd += kicked & 1
        pairs -= kicked + 1 >> 1
        room += kicked == 0 or not rules.no_equal_pairs
    # Each odd rank takes a wild; the rest of the wilds are pairs of their own, of ranks that have none yet.
    return missing + odd <= held.wilds and pairs <= (room if rules.no_equal_pairs or room == 0 else carried)


cdef bint _rocket(const Rules *rules, const Held *held) noexcept nogil:
    cdef int jokers = held.natural[BLACK] + held.natural[RED]
    if jokers != held.naturals or jokers == 0:
        return False
    if jokers == 2:
        return True
    # The other half is a wild, which may be a joker by itself.
    return rules.as_joker or held.wild[BLACK if held.natural[RED] else RED] > 0


cdef int read_exact(const Rules *rules, uint64_t naturals, uint64_t wilds, uint16_t *out) noexcept nogil:
    """Write the codes of all readings in reading order, and return their number."""
    cdef Held held
    cdef int rank, row, main, size, tier, kinds = 0, count = 0
    cdef const uint8_t *rows
    unpack(&held, naturals, wilds)
    size = held.naturals + held.wilds
    tier = SOFT if held.wilds else HARD
    if held.naturals == 0:
        for rank in range(15):
            kinds += held.wild[rank] > 0
        if kinds > 1 and rules.mixed[size]:
            out[0] = rules.mixed[size]
            count = 1
        if rules.alone == FORBIDDEN:
            return count
        tier = PURE
        if rules.alone == KEEPS_RANK:
            unpack(&held, wilds, 0)
    rows = ROWS_OF[size]
    while rows[0]:
        row = rows[0]
        rows += 1
        if not rules.on[row] or SHAPES[row].form == MIXED:
            continue
        if SHAPES[row].form == ROCKET:
            if fits(rules, row, RED, &held, tier):
                out[count] = row << 4 | RED
                count += 1
            continue
        for main in range(15):
            if fits(rules, row, main, &held, tier):
                out[count] = row << 4 | main
                count += 1
    _sort(rules, out, count)
    return count


cdef int _order(const Rules *rules, int code) noexcept nogil:
    """Reading order: bombs, strongest first; equal cards; runs, highest first; plays that carry, highest first."""
    cdef int row = code >> 4
    if is_bomb(code):
        return 1 << 20 | strength(rules, code)
    return (2 * (SHAPES[row].form == SAME) + (SHAPES[row].form == RUN)) << 11 | (code & 15) << 7 | 127 - row


cdef void _sort(const Rules *rules, uint16_t *codes, int count) noexcept nogil:
    cdef int i, j
    cdef uint16_t code
    for i in range(1, count):
        code = codes[i]
        j = i
        while j > 0 and _order(rules, codes[j - 1]) < _order(rules, code):
            codes[j] = codes[j - 1]
            j -= 1
        codes[j] = code
