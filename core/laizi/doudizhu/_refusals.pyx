"""Why the plays of a column are no legal plays: see the stub, and laizi.doudizhu.explaining for the reasoning."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from cpython.bytearray cimport PyByteArray_AS_STRING

from laizi.bits cimport small_total, total
from laizi.doudizhu._read cimport Reader, read_play
from laizi.doudizhu._rules cimport MOST_READINGS, Rules

from laizi.errors import PlayRefusal

cdef uint32_t bit(str name) except 0:
    return 1u << PlayRefusal[name].number - 1

cdef uint32_t COUNT_FITS_NO_TYPE = bit("COUNT_FITS_NO_TYPE"), CARDS_FIT_NO_TYPE = bit("CARDS_FIT_NO_TYPE")
cdef uint32_t ALONE_FORBIDDEN = bit("WILDS_ALONE_FORBIDDEN"), ONLY_LAST = bit("WILDS_ALONE_ONLY_AS_LAST_PLAY")


cdef inline bint reads(const Rules *rules, uint64_t naturals, uint64_t wilds) noexcept nogil:
    cdef uint16_t codes[MOST_READINGS]
    return read_play(rules, naturals, wilds, codes) > 0


cdef class Refuser:
    def __init__(self, Reader whole, lifts, every, sizes, str alone, needed):
        lifts = list(lifts)
        # The rules lie in the readers.
        self.kept, self.needed = (whole, *(reader for _, reader, _ in lifts), *every), needed
        self.whole, self.count = _lift(whole, 0, False), len(lifts)
        for index, (reason, reader, only_alone) in enumerate(lifts):
            self.lifts[index] = _lift(reader, 1u << reason - 1, only_alone)
        for index in range(2):
            self.every[index] = _lift(every[index], 0, False)
            for size in sizes[index]:
                self.played[index][size] = True
        self.forbids_alone, self.alone_if_last = alone == "forbidden", alone == "natural_if_last"

    def rows(self, rows, counts, errors, bint last=False):
        cdef const uint8_t[::1] given = memoryview(rows).cast("B"), counted = counts, faults = errors
        cdef Py_ssize_t number = counted.shape[0], i
        refusals = bytearray(4 * number)
        cdef uint32_t *out = <uint32_t *>PyByteArray_AS_STRING(refusals)
        cdef uint64_t cards[2]
        with nogil:
            for i in range(number):
                if counted[i] == 0 and faults[i] == 0:
                    memcpy(cards, &given[16 * i], 16)
                    out[i] = self.explain(cards[0], cards[1], last)
                    if out[i] == 0:
                        with gil:
                            out[i] = self.needed(cards[0], cards[1], last)
        return refusals

    cdef uint32_t explain(self, uint64_t naturals, uint64_t wilds, bint last) noexcept nogil:
        """The reasons, or 0 where several have to be lifted together."""
        cdef bint alone = naturals == 0
        cdef uint32_t reasons = 0
        cdef int index
        if alone and self.forbids_alone:
            return ALONE_FORBIDDEN
        if alone and self.alone_if_last and not last and reads(self.whole.rules[1], naturals, wilds):
            return ONLY_LAST
        for index in range(self.count):
            if (alone or not self.lifts[index].alone) and reads(self.lifts[index].rules[last], naturals, wilds):
                reasons |= self.lifts[index].reason
        if reasons or reads(self.every[alone].rules[last], naturals, wilds):
            return reasons
        return CARDS_FIT_NO_TYPE if self.played[last][total(naturals) + small_total(wilds)] else COUNT_FITS_NO_TYPE


cdef Lift _lift(Reader reader, uint32_t reason, bint alone):
    cdef Lift lift
    lift.rules[0], lift.rules[1] = reader.rules_for(False), reader.rules_for(True)
    lift.reason, lift.alone = reason, alone
    return lift
