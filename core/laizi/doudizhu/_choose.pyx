"""The cards with which a hand best makes one reading, as a player would pick them and auto-play does.

The body takes its natural cards. Kickers never come out of a bomb of four or the rocket while anything else will do;
then the fewest wilds go, then the fewest pairs and triples are split, then the lowest cards go.
"""

from laizi.bits cimport count_at, small_total
from laizi.doudizhu._expand cimport Group, arrange, own_ranks
from laizi.doudizhu._rules cimport (
    HARD, KEEPS_RANK, MIXED, PAIRS, PURE, ROCKET, SAME, SHAPES, SINGLES, SOFT, Shape,
)

cdef enum:
    TWO = 12
    BLACK = 13
    RED = 14
    # Prices of kickers: each is above any sum of those that follow.
    BREAK = 1 << 24
    WILD = 1 << 18
    SPLIT = 1 << 12
    NEVER = 1 << 30
    KICKERS = 27


cdef void price(Choice *choice, const Held *hand) noexcept nogil:
    """Fill in what the chosen cards cost the hand."""
    cdef Shape shape = SHAPES[choice.code >> 4]
    cdef int rank, taken, jokers = 0, main = choice.code & 15
    cdef bint carries = shape.form == SINGLES or shape.form == PAIRS
    choice.broken = choice.split = 0
    choice.wild_count = small_total(choice.wilds)
    for rank in range(TWO + 1):
        taken = count_at(choice.naturals, rank)
        if 0 < taken < hand.natural[rank]:
            choice.broken += hand.natural[rank] == 4
            choice.split += hand.natural[rank] < 4
        elif taken == 4 and carries and not main - shape.ranks < rank <= main:
            choice.broken += 1
    if hand.natural[BLACK] and hand.natural[RED]:
        jokers = count_at(choice.naturals, BLACK) + count_at(choice.naturals, RED)
        # Both as kickers are no rocket any more.
        choice.broken += jokers == 1 or (jokers == 2 and shape.form != ROCKET)


cdef bint choose(Choice *choice, const Rules *rules, int code, const Held *hand) noexcept nogil:
    """Choose the cards for a reading that the hand makes; False if it does not make it after all."""
    cdef Shape shape = SHAPES[code >> 4]
    cdef Held alone
    choice.code = code
    choice.naturals = choice.wilds = 0
    if shape.form == ROCKET:
        if not _rocket(choice, rules, hand):
            return False
    elif shape.form == MIXED:
        if not _mixed(choice, shape.size, hand):
            return False
    elif not _choose(choice, rules, code, hand, False):
        if rules.alone != KEEPS_RANK:
            return False
        own_ranks(&alone, hand)
        choice.naturals = choice.wilds = 0
        if not _choose(choice, rules, code, &alone, True):
            return False
        choice.wilds, choice.naturals = choice.naturals, 0
    price(choice, hand)
    return True


cdef bint _choose(Choice *choice, const Rules *rules, int code, const Held *hand, bint pure) noexcept nogil:
    cdef Group group
    cdef int place, rank, taken, missing = 0, natural = 0, wild_kickers = 0
    if not arrange(&group, rules, code, hand, pure):
        return False
    for place in range(group.shape.ranks):
        rank = group.order[place]
        taken = min(<int>hand.natural[rank], group.shape.unit)
        if group.shape.tier == SOFT:
            taken = min(taken, group.shape.unit - 1)
        missing += group.shape.unit - taken
        natural += taken
        choice.naturals += <uint64_t>taken << 4 * rank
    if missing > hand.wilds:
        return False
    if group.shape.tier and group.shape.form == SAME:
        if (group.shape.tier == PURE) != pure or (group.shape.tier == HARD and missing):
            return False
    if missing and group.carried and group.shape.unit == 4 and not rules.soft_quad:
        return False
    if group.carried:
        wild_kickers = _kickers(choice, &group, hand, hand.wilds - missing, natural == 0)
        if wild_kickers < 0:
            return False
    if choice.naturals == 0 or (natural == 0 and group.needs_natural):
        return False
    return _take_wilds(choice, &group, hand, missing, wild_kickers, natural == 0)


cdef bint _take_wilds(
    Choice *choice, const Group *group, const Held *hand, int missing, int kickers, bint body_of_wilds
) noexcept nogil:
    """Take wild cards, those of the body's ranks first, for the body and for kickers."""
    cdef int place, rank, taken, left = missing + kickers
    for place in range(15):
        rank = group.order[place]
        taken = hand.wild[rank]
        if body_of_wilds and group.needs_own and place < group.shape.ranks and taken < group.shape.unit:
            return False
        if place < group.shape.ranks:
            taken = min(taken, group.shape.unit)
        taken = min(taken, left)
        left -= taken
        choice.wilds += <uint64_t>taken << 4 * rank
    for place in range(group.shape.ranks):
        rank = group.order[place]
        taken = min(<int>hand.wild[rank] - count_at(choice.wilds, rank), left)
        left -= taken
        choice.wilds += <uint64_t>taken << 4 * rank
    return left == 0


cdef inline int _price(const Held *hand, int rank, int number, bint both_jokers) noexcept nogil:
    """What it costs a hand to part with so many cards of a rank."""
    if rank > TWO:
        return rank + (BREAK if both_jokers else 0)
    if hand.natural[rank] == 4:
        return number * rank + BREAK
    return number * rank + (SPLIT if number < hand.natural[rank] else 0)


cdef int _kickers(Choice *choice, const Group *group, const Held *hand, int wilds, bint needs_one) noexcept nogil:
    """Add the cheapest natural kickers; return how many wilds complete them, -1 if these wilds cannot."""
    cdef int best[16][KICKERS][14]      # price of so many kickers, so many pairs, from the first places
    cdef int picked[16][KICKERS][14]
    cdef int most_pairs = group.carried >> 1 if group.pairs else 0
    cdef int place, kickers, pairs, number, held, rank, cost, ranked
    cdef int least = NEVER, natural = -1, of_pairs = 0
    cdef bint both = hand.natural[BLACK] > 0 and hand.natural[RED] > 0
    for place in range(group.places + 1):
        for kickers in range(group.carried + 1):
            for pairs in range(most_pairs + 1):
                best[place][kickers][pairs] = NEVER
    best[0][0][0] = 0
    for place in range(group.places):
        rank = group.order[place]
        held = group.most[place] - (group.shape.unit if place < group.shape.ranks else 0)
        if rank == RED and both and group.one_joker:
            held = 0
        for number in range(max(held, 0) + 1):
            # Nothing is left of a body rank's four: no further price for its kicker.
            cost = 0 if number == 0 or place < group.shape.ranks else _price(hand, rank, number, both)
            if number and rank > TWO and group.fewest_jokers:
                cost = 0
            ranked = number + 1 >> 1 if group.pairs else 0
            for kickers in range(group.carried - number + 1):
                for pairs in range(most_pairs - ranked + 1):
                    if best[place][kickers][pairs] + cost < best[place + 1][kickers + number][pairs + ranked]:
                        best[place + 1][kickers + number][pairs + ranked] = best[place][kickers][pairs] + cost
                        picked[place + 1][kickers + number][pairs + ranked] = number
    for kickers in range(1 if needs_one else 0, group.carried + 1):
        if group.carried - kickers > wilds:
            continue
        for pairs in range(most_pairs + 1):
            cost = best[group.places][kickers][pairs] + (group.carried - kickers) * WILD
            if cost < least:
                least, natural, of_pairs = cost, kickers, pairs
    if natural < 0:
        return -1
    kickers, pairs = natural, of_pairs
    for place in range(group.places, 0, -1):
        number = picked[place][kickers][pairs]
        choice.naturals += <uint64_t>number << 4 * group.order[place - 1]
        kickers -= number
        pairs -= number + 1 >> 1 if group.pairs else 0
    return group.carried - natural


cdef bint _rocket(Choice *choice, const Rules *rules, const Held *hand) noexcept nogil:
    cdef uint64_t black = <uint64_t>1 << 4 * BLACK, red = <uint64_t>1 << 4 * RED
    cdef int rank, other
    if hand.natural[BLACK] and hand.natural[RED]:
        choice.naturals = black + red
        return True
    if hand.natural[BLACK] or hand.natural[RED]:
        choice.naturals = black if hand.natural[BLACK] else red
        other = RED if hand.natural[BLACK] else BLACK
        for rank in range(14, -1, -1):
            if hand.wild[rank] and (rank == other or rules.as_joker):
                choice.wilds = <uint64_t>1 << 4 * rank
        return choice.wilds != 0
    choice.wilds = black + red
    return hand.wild[BLACK] and hand.wild[RED] and rules.alone == KEEPS_RANK


cdef bint _mixed(Choice *choice, int size, const Held *hand) noexcept nogil:
    # All of the first rank but for one card of another.
    cdef int rank, taken, kinds = 0, left = size
    for rank in range(15):
        taken = min(<int>hand.wild[rank], left if kinds else left - 1)
        kinds += taken > 0
        left -= taken
        choice.wilds += <uint64_t>taken << 4 * rank
    return left == 0 and kinds > 1
