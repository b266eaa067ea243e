"""Does a hand hold a play with this reading? Asked of one reading at a time, in plain loops, for every option.

As in reading, the body takes as many naturals of its ranks as it can: each saves a wild, and a wild can be any kicker.
So it is enough to count the fewest wilds that the reading needs. A play of wilds alone keeps its own ranks: there the
wilds are asked as if they were the naturals of another hand.
"""

from laizi.doudizhu._exact cimport Held
from laizi.doudizhu._rules cimport (
    BODY_ANY, BODY_FORBIDDEN, HARD, KEEPS_RANK, MIXED, PURE, ROCKET, RUN, SAME, SHAPES, SINGLES, SOFT,
    Rules, Shape,
)

cdef enum:
    TWO = 12
    BLACK = 13
    RED = 14


cdef bint makes(const Rules *rules, int row, int main, const Held *hand) noexcept nogil:
    """Whether some cards of the hand can be read as this row, which the rules play, with this main rank."""
    cdef Shape shape = SHAPES[row]
    cdef Held wilds_alone
    cdef int rank, kinds = 0
    if hand.naturals + hand.wilds < shape.size:
        return False
    if shape.form == MIXED:
        for rank in range(15):
            kinds += hand.wild[rank] > 0
        return main == 15 and kinds > 1 and hand.wilds >= shape.size
    if _makes(rules, shape, main, hand, False):
        return True
    if rules.alone != KEEPS_RANK or hand.wilds < shape.size:
        return False
    for rank in range(16):
        wilds_alone.natural[rank] = hand.wild[rank]
        wilds_alone.wild[rank] = 0
    wilds_alone.naturals, wilds_alone.wilds = hand.wilds, 0
    return _makes(rules, shape, main, &wilds_alone, True)


cdef bint _makes(const Rules *rules, Shape shape, int main, const Held *hand, bint pure) noexcept nogil:
    """The same for plays with a natural card; ``pure`` says that the naturals are wilds which keep their ranks."""
    cdef int rank, missing = 0, natural = 0
    if shape.form == ROCKET:
        return main == RED and _rocket(rules, hand)
    if shape.form == SAME:
        return _same(shape, main, hand, pure)
    if main > (TWO if shape.ranks == 1 else rules.top) or main < shape.ranks - 1:
        return False
    for rank in range(main - shape.ranks + 1, main + 1):
        missing += max(shape.unit - hand.natural[rank], 0)
        natural += min(hand.natural[rank], shape.unit)
    if missing > hand.wilds:
        return False
    if shape.form == RUN:
        return natural > 0
    if shape.unit == 4 and not rules.soft_quad and (missing > 0 or pure):
        return False
    if natural == 0 and rules.body != BODY_ANY:
        if rules.body == BODY_FORBIDDEN:
            return False
        for rank in range(main - shape.ranks + 1, main + 1):
            if hand.wild[rank] < shape.unit:
                return False
    if shape.form == SINGLES:
        return _singles(rules, shape, main, hand, hand.wilds - missing, natural)
    return _pairs(rules, shape, main, hand, hand.wilds - missing, natural)


cdef bint _same(Shape shape, int main, const Held *hand, bint pure) noexcept nogil:
    cdef int natural = hand.natural[main] if main < 15 else 0
    if natural == 0 or (main > TWO and shape.unit > 1):
        return False
    if shape.tier == HARD or shape.tier == PURE:
        return natural >= shape.unit and pure == (shape.tier == PURE)
    if shape.tier == SOFT:
        return not pure and shape.unit - min(natural, shape.unit - 1) <= hand.wilds
    return shape.unit - natural <= hand.wilds


cdef bint _rocket(const Rules *rules, const Held *hand) noexcept nogil:
    cdef bint black = hand.natural[BLACK] > 0, red = hand.natural[RED] > 0
    if black and red:
        return True
    return (black or red) and hand.wilds > 0 and (rules.as_joker or hand.wild[RED if black else BLACK] > 0)


cdef bint _singles(const Rules *rules, Shape shape, int main, const Held *hand, int free, int natural) noexcept nogil:
    cdef bint four = shape.unit == 4
    cdef int carried = 2 if four else shape.ranks
    cdef int equal = rules.equal[four] if carried > 1 else 1
    cdef int rank, held, most, kickers = 0, room = 0, jokers
    for rank in range(TWO + 1):
        most, held = equal, hand.natural[rank]
        if main - shape.ranks < rank <= main:
            most = equal if rules.body_rank[four] else 0
            held = max(held - shape.unit, 0)
        elif rules.no_body_run and not four and shape.ranks > 1:
            if rank == main - shape.ranks or (rank == main + 1 and rank <= rules.top):
                most = min(most, 2)
        kickers += min(held, most)
        room += most - min(held, most)
    held = hand.natural[BLACK] + hand.natural[RED]
    jokers = 2 if rules.as_joker else held
    if rules.no_rocket and carried > 1:
        held, jokers = min(held, 1), min(jokers, 1)
    kickers += held
    room += jokers - held
    if natural == 0 and kickers == 0:
        return False
    return carried - kickers <= min(free, room)


cdef bint _pairs(const Rules *rules, Shape shape, int main, const Held *hand, int free, int natural) noexcept nogil:
    cdef bint four = shape.unit == 4
    cdef int carried = 2 if four else shape.ranks
    cdef int rank, held, whole = 0, halves = 0, room = 0
    for rank in range(TWO + 1):
        held = hand.natural[rank]
        if main - shape.ranks < rank <= main:
            if not rules.body_rank[four]:
                continue
            held = max(held - shape.unit, 0)
        room += 1
        if rules.no_equal_pairs:
            whole += held >= 2
            halves += held == 1
        else:
            whole += held >> 1
            halves += held & 1
    if (carried > room if rules.no_equal_pairs else room == 0) or (natural == 0 and whole + halves == 0):
        return False
    whole = min(whole, carried)
    halves = min(halves, carried - whole)
    return halves + 2 * (carried - whole - halves) <= free
