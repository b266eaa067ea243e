from libc.stdint cimport uint8_t, uint16_t

from laizi.mahjong.checks cimport Context, Demands, Entry
from laizi.mahjong.columns cimport Checker
from laizi.mahjong.kernel cimport KernelRules, Row
from laizi.mahjong.readings cimport BlockMasks, Hand, Split
from laizi.mahjong.writing cimport Written


# One way to see the melds on the table, with the concealed tiles.
cdef struct Way:
    Hand hand
    bint soft               # a wild in the melds stands for another tile


# The reading of a hand that is paid, or the one that would be.
cdef struct Choice:
    const Entry* entry      # NULL: the tiles form no shape
    uint16_t refusals       # why no reading wins, 0 where one does
    int way
    uint8_t code
    bint hard
    int standing            # wilds that stand for another tile
    int place               # among the readings, in their fixed order
    Split split
    BlockMasks blocks


# A checker that also tells which reading pays.
cdef class Chooser(Checker):
    pass


cdef void choose(const KernelRules* rules, const Demands* demands, const Context* context, const Way* ways, int count,
                 const Row* row, Choice* choice) noexcept nogil
cdef void write_choice(const KernelRules* rules, const Way* ways, const Choice* choice, Written* out) noexcept nogil
