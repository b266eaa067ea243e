"""Which cards are the body of a play, and what each wild card stands for: see the stub."""

from libc.stdint cimport uint8_t, uint64_t

from laizi.bits cimport count_at
from laizi.doudizhu._read cimport Reader
from laizi.doudizhu._rules cimport MIXED, PAIRS, ROCKET, SHAPES, Rules, Shape

cdef enum:
    TWO = 12
    BLACK = 13
    RED = 14
    RANKS = 15


# The wild cards of a play in rising order, and the ranks that are asked of them.
cdef struct Wilds:
    int count
    uint8_t own[MOST_STAND_INS]
    bint used[MOST_STAND_INS]
    int asked


cdef void arrange_play(
    const Rules *rules, int code, uint64_t naturals, uint64_t wilds, Arranged *play
) noexcept nogil:
    """Arrange cards as a reading that they have."""
    cdef Wilds free
    _begin(code, naturals, wilds, &free, play)
    if naturals and free.asked < free.count:
        _ask_kickers(rules, code, naturals, &free, play)
    _finish(&free, play)


def arrange(Reader reader, int code, uint64_t naturals, uint64_t wilds, ranks=None):
    cdef Arranged play
    cdef Wilds free
    cdef int i
    if ranks is None:
        arrange_play(reader.rules_for(False), code, naturals, wilds, &play)
    else:
        _begin(code, naturals, wilds, &free, &play)
        carried = sorted(ranks)
        for i in range(free.asked):
            carried.remove(play.rank[i])
        for rank in carried:
            _ask(&free, rank, &play)
        _finish(&free, &play)
    return play.body, play.in_body, [(play.card[i], play.rank[i]) for i in range(play.count)]


cdef void _begin(int code, uint64_t naturals, uint64_t wilds, Wilds *free, Arranged *play) noexcept nogil:
    """Take the natural cards of the body, and ask for the others."""
    cdef Shape shape = SHAPES[code >> 4]
    cdef int first = (code & 15) - shape.ranks + 1, last = code & 15, unit = shape.unit, rank, own
    if shape.form == ROCKET:
        first, last = BLACK, RED
    elif shape.form == MIXED:
        first, last = 0, RED
    play.body, free.count, free.asked = 0, 0, 0
    if wilds:
        for rank in range(RANKS):
            for _ in range(min(count_at(wilds, rank), MOST_STAND_INS - free.count)):
                free.own[free.count], free.used[free.count] = rank, False
                free.count += 1
    for rank in range(max(first, 0), min(last, RED) + 1):
        if naturals:
            own = min(count_at(naturals, rank), unit)
            play.body |= <uint64_t>own << 4 * rank
            for _ in range(unit - own):
                _ask(free, rank, play)
        else:
            for _ in range(min(count_at(wilds, rank), unit)):
                _ask(free, rank, play)
    play.in_body = free.asked
    if naturals == 0:
        # Wilds alone keep their ranks: each card is what it shows.
        for rank in range(RANKS):
            own = count_at(wilds, rank)
            for _ in range(own - (min(own, unit) if first <= rank <= last else 0)):
                _ask(free, rank, play)


cdef inline void _ask(Wilds *free, int rank, Arranged *play) noexcept nogil:
    if free.asked < MOST_STAND_INS:
        play.rank[free.asked] = rank
        free.asked += 1


cdef void _ask_kickers(
    const Rules *rules, int code, uint64_t naturals, Wilds *free, Arranged *play
) noexcept nogil:
    """The ranks that the wilds among the kickers stand for: their own where they can, else the lowest that does."""
    cdef Shape shape = SHAPES[code >> 4]
    cdef bint pairs = shape.form == PAIRS
    cdef int most[RANKS]
    cdef int kicked[RANKS]
    cdef int step = 2 if pairs else 1, place, rank
    _kicker_room(rules, shape, code & 15, most)
    for rank in range(RANKS):
        kicked[rank] = count_at(naturals - play.body, rank)
        if pairs and rank <= TWO and kicked[rank] & 1:
            kicked[rank] += 1
            _ask(free, rank, play)
    place = 0
    while free.asked < free.count and place < free.count + RANKS:
        rank = free.own[place] if place < free.count else place - free.count
        if kicked[rank] + step > most[rank] or _second_joker(rules, rank, kicked):
            place += 1
            continue
        kicked[rank] += step
        _ask(free, rank, play)
        if pairs:
            _ask(free, rank, play)


cdef void _kicker_room(const Rules *rules, Shape shape, int main, int *most) noexcept nogil:
    """The most kickers of each rank that wilds may bring a body to."""
    cdef bint four = shape.unit == 4, pairs = shape.form == PAIRS
    cdef int equal, rank
    if pairs:
        equal = 2 if rules.no_equal_pairs else 2 * shape.size
    else:
        equal = rules.equal[four] if shape.size - shape.unit * shape.ranks > 1 else 1
    for rank in range(TWO + 1):
        most[rank] = equal
    most[BLACK] = most[RED] = not pairs and rules.as_joker
    if not pairs and rules.no_body_run and not four and shape.ranks > 1:
        if main >= shape.ranks:
            most[main - shape.ranks] = min(equal, 2)
        if main < rules.top:
            most[main + 1] = min(equal, 2)
    if not rules.body_rank[four]:
        for rank in range(main - shape.ranks + 1, main + 1):
            most[rank] = 0


cdef inline bint _second_joker(const Rules *rules, int rank, const int *kicked) noexcept nogil:
    return rank >= BLACK and rules.no_rocket and kicked[BLACK + RED - rank] > 0


cdef void _finish(Wilds *free, Arranged *play) noexcept nogil:
    """Choose the wild cards: those of the body first, each rank its own card where there is one."""
    play.count = min(free.asked, free.count)
    play.in_body = min(play.in_body, play.count)
    _choose(free, play, 0, play.in_body)
    _choose(free, play, play.in_body, play.count)


cdef void _choose(Wilds *free, Arranged *play, int start, int end) noexcept nogil:
    cdef int position, card
    cdef bint chosen[MOST_STAND_INS]
    for position in range(start, end):
        card = 0
        while card < free.count and (free.used[card] or free.own[card] != play.rank[position]):
            card += 1
        chosen[position] = card < free.count
        if chosen[position]:
            play.card[position], free.used[card] = card, True
    card = 0
    for position in range(start, end):
        if not chosen[position]:
            while free.used[card]:
                card += 1
            play.card[position], free.used[card] = card, True
