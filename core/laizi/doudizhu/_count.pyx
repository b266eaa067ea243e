"""How many plays of a hand have one reading: what expanding would list, without listing it.

The ranks are taken one after another, and so many ways lead to each state: cards that the body misses, kickers, pairs
of kickers.
"""

from libc.string cimport memset

from laizi.doudizhu._exact cimport Held
from laizi.doudizhu._expand cimport Group, Plays, WildChoices, arrange, expand, keeps_own, may_use, own_ranks, release
from laizi.doudizhu._rules cimport KEEPS_RANK, MIXED, ROCKET, SHAPES, Rules

cdef enum:
    BLACK = 13
    MISSING = 9                 # 0 to 8: no more wilds than that
    KICKERS = 27                # 54 cards hold at most 26 beside a body
    PAIRS_OF_KICKERS = 14

ctypedef int64_t[MISSING][KICKERS][PAIRS_OF_KICKERS] Ways


cdef int64_t count_plays(const Rules *rules, int code, const Held *hand, const WildChoices *choices) noexcept nogil:
    """The number of plays that `expand` adds."""
    cdef int form = SHAPES[code >> 4].form
    cdef int64_t found
    cdef Held alone
    cdef Plays plays
    if form == MIXED or form == ROCKET:
        memset(&plays, 0, sizeof(plays))
        expand(&plays, rules, code, hand, choices, 1 << 20)
        found = plays.count
        release(&plays)
        return found
    found = _count(rules, code, hand, choices, False)
    if rules.alone == KEEPS_RANK and hand.wilds >= SHAPES[code >> 4].size:
        own_ranks(&alone, hand)
        found += _count(rules, code, &alone, choices, True)
    return found


cdef int64_t _count(
    const Rules *rules, int code, const Held *hand, const WildChoices *choices, bint pure
) noexcept nogil:
    cdef Group group
    cdef Ways ways
    cdef int place, jokers
    cdef int each[3]
    cdef int64_t found = 0
    if not arrange(&group, rules, code, hand, pure):
        return 0
    memset(ways, 0, sizeof(ways))
    ways[0][0][0] = 1
    for place in range(15):
        if place < group.shape.ranks or group.order[place] < BLACK:
            _add_rank(ways, &group, place, hand.wilds)
    # The jokers that are carried come last: 0, 1 or 2 of them.
    each[0], each[1], each[2] = 1, 0, 0
    for place in range(group.shape.ranks, 15):
        if group.order[place] >= BLACK and group.most[place]:
            each[2] = each[1]
            each[1] += 1
    if group.one_joker:
        each[2] = 0
    for jokers in range(group.fewest_jokers, 3):
        if each[jokers]:
            found += each[jokers] * _finish(ways, rules, &group, jokers, hand.wilds, choices)
    return found


cdef void _add_rank(Ways ways, const Group *group, int place, int wilds) noexcept nogil:
    """Extend every state by the choices of one rank."""
    cdef Ways before
    cdef int missing, kickers, pairs, number, more_missing, more_kickers, more_pairs
    cdef int unit = group.shape.unit if place < group.shape.ranks else 0
    cdef int most_pairs = group.carried >> 1 if group.pairs else 0
    if group.most[place] == 0 and unit == 0:
        return
    before = ways
    memset(ways, 0, sizeof(Ways))
    for number in range(group.most[place] + 1):
        more_missing = max(unit - number, 0)
        more_kickers = max(number - unit, 0)
        more_pairs = more_kickers + 1 >> 1 if group.pairs else 0
        for missing in range(wilds - more_missing + 1):
            for kickers in range(group.carried - more_kickers + 1):
                for pairs in range(most_pairs - more_pairs + 1):
                    ways[missing + more_missing][kickers + more_kickers][pairs + more_pairs] += (
                        before[missing][kickers][pairs]
                    )


cdef int64_t _finish(
    Ways ways, const Rules *rules, const Group *group, int jokers, int wilds, const WildChoices *choices
) noexcept nogil:
    """The plays with so many natural jokers carried."""
    cdef int missing, kickers, pairs, used, whole = group.shape.unit * group.shape.ranks
    cdef int64_t found = 0, number
    for missing in range(min(wilds, whole) + 1):
        for kickers in range(group.carried - jokers + 1):
            used = missing + group.carried - kickers - jokers
            if used > wilds or not may_use(rules, group, used, missing):
                continue
            if missing == whole and (kickers + jokers == 0 or group.needs_natural):
                continue
            number = 0
            for pairs in range(PAIRS_OF_KICKERS):
                number += ways[missing][kickers][pairs]
            if number:
                found += number * _choices(group, missing == whole, used, choices)
    return found


cdef int64_t _choices(const Group *group, bint body_of_wilds, int used, const WildChoices *choices) noexcept nogil:
    cdef int i, found = 0
    if not (body_of_wilds and group.needs_own):
        return choices.counts[used]
    for i in range(choices.counts[used]):
        found += keeps_own(group, choices.words[used][i])
    return found
