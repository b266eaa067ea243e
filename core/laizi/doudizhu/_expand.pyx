"""All plays of a hand with one reading, every choice of kickers and wilds; each once.

A play is chosen as so many natural cards of each rank, and then as so many wild cards of each rank. The body takes what
it can of its ranks (see the exact module), so the numbers of a rank tell what of it is body and what is carried, and no
play comes twice.
"""

from libc.stdlib cimport free, realloc
from libc.string cimport memset

from laizi.bits cimport count_at
from laizi.doudizhu._rules cimport (
    BODY_ANY, BODY_FORBIDDEN, KEEPS_RANK, MIXED, PAIRS, PURE, ROCKET, RUN, SAME, SHAPES, SINGLES, SOFT, Shape,
)

cdef enum:
    TWO = 12
    BLACK = 13
    RED = 14
    MOST_WILDS = 8


cdef void append(Plays *plays, uint64_t naturals, uint64_t wilds, int code) noexcept nogil:
    cdef Py_ssize_t room
    cdef void *grown
    if plays.count == plays.room:
        room = 2 * plays.room + 256
        grown = realloc(plays.cards, room * 2 * sizeof(uint64_t))
        if grown != NULL:
            plays.cards = <uint64_t *>grown
            grown = realloc(plays.codes, room * sizeof(uint16_t))
        if grown == NULL:
            plays.failed = True
            return
        plays.codes = <uint16_t *>grown
        plays.room = room
    plays.cards[2 * plays.count] = naturals
    plays.cards[2 * plays.count + 1] = wilds
    plays.codes[plays.count] = code
    plays.count += 1


cdef void release(Plays *plays) noexcept nogil:
    free(plays.cards)
    free(plays.codes)


cdef void choose_wilds(WildChoices *choices, uint64_t wilds) noexcept nogil:
    """Enter every choice among these wild cards, at most eight."""
    memset(choices.counts, 0, sizeof(choices.counts))
    choices.words[0][0] = 0
    choices.counts[0] = 1
    cdef int rank, size, added, held, i, before
    if wilds == 0:
        return
    for rank in range(15):
        held = count_at(wilds, rank)
        # From the largest choices down, so that each choice so far is extended once.
        for size in range(MOST_WILDS, 0, -1):
            for added in range(1, min(held, size) + 1):
                before = choices.counts[size - added]
                for i in range(before):
                    choices.words[size][choices.counts[size]] = (
                        choices.words[size - added][i] + (<uint64_t>added << 4 * rank)
                    )
                    choices.counts[size] += 1


cdef void own_ranks(Held *alone, const Held *hand) noexcept nogil:
    """The wilds of a hand as the naturals of another."""
    cdef int rank
    for rank in range(16):
        alone.natural[rank] = hand.wild[rank]
        alone.wild[rank] = 0
    alone.naturals, alone.wilds = hand.wilds, 0


cdef bint arrange(Group *group, const Rules *rules, int code, const Held *hand, bint pure) noexcept nogil:
    """Lay out a reading of SAME, RUN, SINGLES or PAIRS form; False if no cards of any hand like this can have it."""
    cdef Shape shape = SHAPES[code >> 4]
    cdef int main = code & 15, rank, most, place = 0, idle = 15, variety = 0, kickers = 0
    cdef bint four = shape.unit == 4, carries = shape.form == SINGLES or shape.form == PAIRS
    cdef int equal = 0, body_kickers = 0
    group.shape, group.code, group.main, group.pure = shape, code, main, pure
    group.pairs = shape.form == PAIRS
    group.carried = shape.size - shape.unit * shape.ranks if carries else 0
    group.one_joker, group.fewest_jokers = False, 0
    group.needs_own = carries and not pure and rules.body != BODY_ANY
    group.needs_natural = carries and not pure and rules.body == BODY_FORBIDDEN
    if shape.form == PAIRS:
        equal = 2 if rules.no_equal_pairs else 4
    elif shape.form == SINGLES:
        equal = rules.equal[four] if group.carried > 1 else 1
        group.one_joker = rules.no_rocket and group.carried > 1
    if carries and rules.body_rank[four]:
        body_kickers = equal
    if pure and four and carries and not rules.soft_quad:
        return False
    for rank in range(main - shape.ranks + 1, main + 1):
        group.order[place] = rank
        group.most[place] = min(<int>hand.natural[rank], shape.unit + body_kickers)
        variety += body_kickers
        place += 1
    for rank in range(15):
        if main - shape.ranks < rank <= main:
            continue
        most = equal
        if rank > TWO:
            most = 1 if shape.form == SINGLES else 0
        elif rules.no_body_run and shape.form == SINGLES and not four and shape.ranks > 1:
            if rank == main - shape.ranks or (rank == main + 1 and rank <= rules.top):
                most = min(most, 2)
        variety += most if rank <= TWO else 0
        most = min(<int>hand.natural[rank], most)
        if most:
            group.order[place] = rank
            group.most[place] = most
            place += 1
        else:
            idle -= 1
            group.order[idle] = rank
            group.most[idle] = 0
    group.places = place
    group.supply[place] = 0
    for place in range(place - 1, -1, -1):
        kickers = group.most[place] - (shape.unit if place < shape.ranks else 0)
        group.supply[place] = group.supply[place + 1] + max(kickers, 0)
    # Wild kickers need ranks to stand for. (Of one rank any number of pairs, where equal pairs are allowed.)
    if shape.form == SINGLES:
        if rules.as_joker:
            return group.carried <= variety + (1 if group.one_joker else 2)
        group.fewest_jokers = max(group.carried - variety, 0)
    elif shape.form == PAIRS:
        return group.carried <= variety if rules.no_equal_pairs else variety > 0
    return True


cdef struct Walk:
    const Group *group
    const WildChoices *choices
    Plays *plays
    Py_ssize_t limit
    int wilds                   # of each play


cdef void _walk(
    Walk *walk, int place, uint64_t word, int missing, int kickers, int pairs, bint in_body
) noexcept nogil:
    """Choose the cards of the body's ranks from this place on, then the kickers."""
    cdef const Group *group = walk.group
    cdef int unit = group.shape.unit, number, extra
    if place == group.shape.ranks:
        # All kickers are natural that are not of the wilds which the body leaves.
        extra = walk.wilds - missing
        if extra <= group.carried:
            _kick(walk, place, word, group.carried - extra - kickers, pairs, in_body)
        return
    for number in range(max(unit - (walk.wilds - missing), 0), group.most[place] + 1):
        extra = max(number - unit, 0)
        _walk(
            walk, place + 1, word + (<uint64_t>number << 4 * group.order[place]), missing + max(unit - number, 0),
            kickers + extra, pairs + (extra + 1 >> 1), in_body or number > 0,
        )


cdef void _kick(Walk *walk, int place, uint64_t word, int wanted, int pairs, bint in_body) noexcept nogil:
    """Choose so many more natural kickers of the ranks from this place on."""
    cdef const Group *group = walk.group
    cdef int number, rank
    if wanted == 0:
        _enter(walk, word, in_body)
    if wanted <= 0:
        return
    for place in range(place, group.places):
        if group.supply[place] < wanted:
            return
        rank = group.order[place]
        if rank == RED and group.one_joker and word >> 4 * BLACK & 1:
            return
        for number in range(1, min(group.most[place], wanted) + 1):
            if group.pairs and 2 * (pairs + (number + 1 >> 1)) > group.carried:
                break
            _kick(
                walk, place + 1, word + (<uint64_t>number << 4 * rank), wanted - number, pairs + (number + 1 >> 1),
                in_body,
            )


cdef void _enter(Walk *walk, uint64_t word, bint in_body) noexcept nogil:
    """Add the plays of these natural cards, one for each choice of wilds, if the rules allow them."""
    cdef const Group *group = walk.group
    cdef uint64_t wilds
    cdef int i
    if word == 0 or (not in_body and group.needs_natural):
        return
    if group.fewest_jokers and count_at(word, BLACK) + count_at(word, RED) < group.fewest_jokers:
        return
    for i in range(walk.choices.counts[walk.wilds]):
        if walk.plays.count >= walk.limit or walk.plays.failed:
            return
        wilds = walk.choices.words[walk.wilds][i]
        if in_body or not group.needs_own or keeps_own(group, wilds):
            if group.pure:
                append(walk.plays, 0, word, group.code)
            else:
                append(walk.plays, word, wilds, group.code)


cdef bint keeps_own(const Group *group, uint64_t wilds) noexcept nogil:
    """Whether these wilds fill the body with their own ranks."""
    cdef int place
    for place in range(group.shape.ranks):
        if count_at(wilds, group.order[place]) < group.shape.unit:
            return False
    return True


cdef bint may_use(const Rules *rules, const Group *group, int wilds, int missing) noexcept nogil:
    """Whether the tier, and the rule on fours that carry, allow so many wilds of which the body takes `missing`."""
    if group.shape.form == SAME and group.shape.tier:
        return wilds > 0 if group.shape.tier == SOFT else wilds == 0 and group.pure == (group.shape.tier == PURE)
    return missing == 0 or group.shape.unit != 4 or group.carried == 0 or rules.soft_quad


cdef void expand(
    Plays *plays, const Rules *rules, int code, const Held *hand, const WildChoices *choices, Py_ssize_t limit
) noexcept nogil:
    """Add all plays of the hand with this reading, fewest wilds first, until there are `limit` plays."""
    cdef Held alone
    cdef int form = SHAPES[code >> 4].form
    if form == MIXED:
        _mixed(plays, code, choices, limit)
        return
    if form == ROCKET:
        _rockets(plays, rules, code, hand, limit)
        return
    if hand.wilds == 0 and (form == SAME or form == RUN):
        _only_body(plays, code, hand, limit)
        return
    _expand(plays, rules, code, hand, choices, limit, False)
    if rules.alone == KEEPS_RANK and hand.wilds >= SHAPES[code >> 4].size:
        own_ranks(&alone, hand)
        _expand(plays, rules, code, &alone, choices, limit, True)


cdef void _expand(
    Plays *plays, const Rules *rules, int code, const Held *hand, const WildChoices *choices, Py_ssize_t limit,
    bint pure,
) noexcept nogil:
    cdef Group group
    cdef Walk walk
    cdef int place, least = 0
    if not arrange(&group, rules, code, hand, pure):
        return
    for place in range(group.shape.ranks):
        least += max(group.shape.unit - group.most[place], 0)
    walk.group, walk.choices, walk.plays, walk.limit = &group, choices, plays, limit
    for walk.wilds in range(least, hand.wilds + 1):
        if walk.wilds > group.shape.size:
            return
        if group.shape.unit == 4 and group.carried and not rules.soft_quad:
            # Fours that carry are natural; the walk is told so by asking for one with every card.
            if least > 0:
                return
            _walk_whole(&walk)
        elif may_use(rules, &group, walk.wilds, 0):
            _walk(&walk, 0, 0, 0, 0, 0, False)


cdef void _walk_whole(Walk *walk) noexcept nogil:
    """As _walk, the body being all natural."""
    cdef uint64_t word = 0
    cdef int place
    for place in range(walk.group.shape.ranks):
        word += <uint64_t>walk.group.shape.unit << 4 * walk.group.order[place]
    _walk(walk, walk.group.shape.ranks, word, 0, 0, 0, True)


cdef void _only_body(Plays *plays, int code, const Held *hand, Py_ssize_t limit) noexcept nogil:
    """Without wilds and kickers there is at most one choice."""
    cdef Shape shape = SHAPES[code >> 4]
    cdef int rank, main = code & 15
    cdef uint64_t word = 0
    for rank in range(main - shape.ranks + 1, main + 1):
        if hand.natural[rank] < shape.unit:
            return
        word += <uint64_t>shape.unit << 4 * rank
    if shape.tier != SOFT and shape.tier != PURE and plays.count < limit:
        append(plays, word, 0, code)


cdef void _mixed(Plays *plays, int code, const WildChoices *choices, Py_ssize_t limit) noexcept nogil:
    cdef int size = SHAPES[code >> 4].size, i, rank, kinds
    if size > MOST_WILDS:
        return
    for i in range(choices.counts[size]):
        kinds = 0
        for rank in range(15):
            kinds += count_at(choices.words[size][i], rank) > 0
        if kinds > 1 and plays.count < limit:
            append(plays, 0, choices.words[size][i], code)


cdef void _rockets(Plays *plays, const Rules *rules, int code, const Held *hand, Py_ssize_t limit) noexcept nogil:
    cdef int joker, rank
    cdef uint64_t one = 1
    if hand.natural[BLACK] and hand.natural[RED] and plays.count < limit:
        append(plays, (one << 4 * BLACK) + (one << 4 * RED), 0, code)
    for joker in range(BLACK, RED + 1):
        if hand.natural[joker]:
            for rank in range(15):
                if hand.wild[rank] and (rules.as_joker or rank == BLACK + RED - joker) and plays.count < limit:
                    append(plays, one << 4 * joker, one << 4 * rank, code)
    if hand.wild[BLACK] and hand.wild[RED] and rules.alone == KEEPS_RANK and plays.count < limit:
        append(plays, 0, (one << 4 * BLACK) + (one << 4 * RED), code)
