from libc.stdint cimport uint16_t, uint64_t

from laizi.doudizhu._exact cimport Held
from laizi.doudizhu._rules cimport Rules, Shape

# Plays of a hand: two words of cards each, and what they are read as.
cdef struct Plays:
    uint64_t *cards
    uint16_t *codes
    Py_ssize_t count
    Py_ssize_t room
    bint failed                 # out of memory

# Every choice among the wild cards of a hand, by their number.
cdef struct WildChoices:
    uint64_t words[9][70]       # eight cards of eight ranks allow at most 70 choices of one size
    int counts[9]

# One reading that a hand might make, laid out for choosing its natural cards rank by rank, those of the body first.
cdef struct Group:
    Shape shape
    int code
    int main
    bint pure                   # the "naturals" are wilds that keep their ranks
    bint pairs                  # carries pairs
    int carried                 # cards carried
    int order[15]               # the body's ranks, those with natural kickers, the others
    int places                  # how many of them natural cards can come from
    int most[15]                # of the rank at this place: most natural cards that may be chosen
    int supply[16]              # of the ranks from this place on: most natural kickers
    bint one_joker              # at most one joker may be carried
    int fewest_jokers           # natural jokers needed, lest wild kickers have too few ranks to stand for
    bint needs_own              # a body of wilds alone keeps its rank
    bint needs_natural          # a body of wilds alone is forbidden

cdef void choose_wilds(WildChoices *choices, uint64_t wilds) noexcept nogil
cdef bint arrange(Group *group, const Rules *rules, int code, const Held *hand, bint pure) noexcept nogil
cdef void own_ranks(Held *alone, const Held *hand) noexcept nogil
cdef void expand(
    Plays *plays, const Rules *rules, int code, const Held *hand, const WildChoices *choices, Py_ssize_t limit
) noexcept nogil
cdef bint may_use(const Rules *rules, const Group *group, int wilds, int missing) noexcept nogil
cdef void append(Plays *plays, uint64_t naturals, uint64_t wilds, int code) noexcept nogil
cdef void release(Plays *plays) noexcept nogil
cdef bint keeps_own(const Group *group, uint64_t wilds) noexcept nogil
