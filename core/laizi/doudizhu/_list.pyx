"""What a hand can play: whether anything beats, the readings that it makes, and every play."""

from libc.stdint cimport int64_t
from libc.string cimport memset

from laizi.doudizhu._choose cimport Choice, choose, price
from laizi.doudizhu._codes cimport write_codes
from laizi.doudizhu._count cimport count_plays
from laizi.doudizhu._exact cimport Held, unpack
from laizi.doudizhu._expand cimport Plays, WildChoices, append, choose_wilds, expand, release
from laizi.doudizhu._groups cimport beats_fast, group_masks, keep_beating
from laizi.doudizhu._hand cimport makes
from laizi.doudizhu._read cimport Reader, read_play
from laizi.doudizhu._rules cimport (
    CODES, FIRST_BOMB, MOST_READINGS, ROW_COUNT, SHAPES, SOFT, Rules, beats, is_bomb,
)

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX


cdef bint _holds_hard(const Held *hand) noexcept nogil:
    cdef int rank
    for rank in range(13):
        if hand.natural[rank] == 4:
            return True
    return False


cdef bint _is_only_a_bomb(const Rules *rules, uint64_t naturals, uint64_t wilds) noexcept nogil:
    """Whether cards have no reading but bombs."""
    cdef uint16_t codes[MOST_READINGS]
    cdef int i
    for i in range(read_play(rules, naturals, wilds, codes)):
        if not is_bomb(codes[i]):
            return False
    return True


cdef class Lister(Reader):
    def __cinit__(self, *, bint bars_soft, bint leads_no_bombs, **_):
        self.bars_soft, self.leads_no_bombs = bars_soft, leads_no_bombs

    cdef int groups(self, uint64_t naturals, uint64_t wilds, int previous, uint16_t *out) noexcept nogil:
        """Write the codes of what the hand makes that beats the previous reading, 0 for none, each once; return their
        number."""
        cdef int row, main, code, found = 0, i
        cdef bint no_soft
        cdef Held hand
        cdef uint16_t whole[MOST_READINGS]
        cdef uint64_t rows[ROW_COUNT]
        if not self.bars_soft and not self.last_differs and group_masks(&self.rules, naturals, wilds, rows):
            if previous:
                keep_beating(&self.rules, rows, previous)
            found = write_codes(rows, out)
            return self._may_lead(naturals, wilds, out, found) if previous == 0 and self.leads_no_bombs else found
        unpack(&hand, naturals, wilds)
        no_soft = self.bars_soft and _holds_hard(&hand)
        for row in range(1, ROW_COUNT):
            if not self.rules.on[row] or (no_soft and row >= FIRST_BOMB >> 4 and SHAPES[row].tier == SOFT):
                continue
            for main in range(16):
                code = row << 4 | main
                if (previous == 0 or beats(&self.rules, code, previous)) and makes(&self.rules, row, main, &hand):
                    out[found] = code
                    found += 1
        if self.last_differs:
            for i in range(read_play(&self.last, naturals, wilds, whole)):
                code = whole[i]
                if not (
                    (no_soft and code >= FIRST_BOMB and SHAPES[code >> 4].tier == SOFT)
                    or (previous and not beats(&self.rules, code, previous))
                    or (self.rules.on[code >> 4] and makes(&self.rules, code >> 4, code & 15, &hand))
                ):
                    out[found] = code
                    found += 1
        return self._may_lead(naturals, wilds, out, found) if previous == 0 and self.leads_no_bombs else found

    cdef int _may_lead(self, uint64_t naturals, uint64_t wilds, uint16_t *codes, int count) noexcept nogil:
        """Leave the bombs that some cards make which are nothing else."""
        cdef WildChoices choices
        cdef Plays plays
        cdef Held hand
        cdef int i, kept = 0
        unpack(&hand, naturals, wilds)
        choose_wilds(&choices, wilds)
        memset(&plays, 0, sizeof(plays))
        for i in range(count):
            plays.count = 0
            if is_bomb(codes[i]):
                self.plays(&plays, codes[i], &hand, naturals, wilds, &choices, True, 1)
            if plays.count or not is_bomb(codes[i]):
                codes[kept] = codes[i]
                kept += 1
        release(&plays)
        return kept

    cdef void plays(
        self, Plays *plays, int code, const Held *hand, uint64_t naturals, uint64_t wilds, const WildChoices *choices,
        bint leading, Py_ssize_t limit,
    ) noexcept nogil:
        """Add all plays of the hand with one reading, until there are `limit`."""
        cdef bint bars = leading and self.leads_no_bombs and is_bomb(code)
        cdef Py_ssize_t start = plays.count, i, kept
        cdef const Rules *rules
        if self.rules.on[code >> 4]:
            expand(plays, &self.rules, code, hand, choices, PY_SSIZE_T_MAX if bars else limit)
        if plays.count < limit and self._only_as_last(code, naturals, wilds):
            append(plays, naturals, wilds, code)
        if bars:
            kept = start
            for i in range(start, plays.count):
                rules = self.rules_for(plays.cards[2 * i] == naturals and plays.cards[2 * i + 1] == wilds)
                if _is_only_a_bomb(rules, plays.cards[2 * i], plays.cards[2 * i + 1]):
                    plays.cards[2 * kept] = plays.cards[2 * i]
                    plays.cards[2 * kept + 1] = plays.cards[2 * i + 1]
                    kept += 1
            plays.count = min(kept, max(limit, start))

    cdef bint _only_as_last(self, int code, uint64_t naturals, uint64_t wilds) noexcept nogil:
        """Whether the whole hand has a reading because it is the last play."""
        return (
            self.last_differs
            and self._reads(&self.last, code, naturals, wilds)
            and not self._reads(&self.rules, code, naturals, wilds)
        )

    cdef bint _reads(self, const Rules *rules, int code, uint64_t naturals, uint64_t wilds) noexcept nogil:
        cdef uint16_t codes[MOST_READINGS]
        cdef int i
        for i in range(read_play(rules, naturals, wilds, codes)):
            if codes[i] == code:
                return True
        return False

    cdef bint _choose(
        self, Choice *choice, int code, const Held *hand, uint64_t naturals, uint64_t wilds, const WildChoices *choices,
        bint leading,
    ) noexcept nogil:
        """The best cards for a reading that the hand makes; False if it may not lead with any."""
        cdef Plays plays
        if self.rules.on[code >> 4] and choose(choice, &self.rules, code, hand):
            if not (leading and self.leads_no_bombs and is_bomb(code)):
                return True
        memset(&plays, 0, sizeof(plays))
        self.plays(&plays, code, hand, naturals, wilds, choices, leading, PY_SSIZE_T_MAX)
        choice.code = code
        if plays.count:
            choice.naturals, choice.wilds = plays.cards[0], plays.cards[1]
            price(choice, hand)
        release(&plays)
        return plays.count > 0

    def groups_exactly(self, uint64_t naturals, uint64_t wilds, int previous=0):
        cdef Held hand
        cdef int code
        unpack(&hand, naturals, wilds)
        return [
            code for code in range(16, CODES)
            if self.rules.on[code >> 4] and (previous == 0 or beats(&self.rules, code, previous))
            and makes(&self.rules, code >> 4, code & 15, &hand)
        ]

    def choices(self, uint64_t naturals, uint64_t wilds, int previous=0):
        cdef Held hand
        cdef WildChoices choices
        cdef Choice choice
        cdef uint16_t codes[CODES]
        cdef int i
        unpack(&hand, naturals, wilds)
        choose_wilds(&choices, wilds)
        return [
            (choice.code, choice.naturals, choice.wilds, choice.broken, choice.wild_count, choice.split)
            for i in range(self.groups(naturals, wilds, previous, codes))
            if self._choose(&choice, codes[i], &hand, naturals, wilds, &choices, previous == 0)
        ]

    def expanded(self, int code, uint64_t naturals, uint64_t wilds, bint leading, Py_ssize_t limit):
        cdef Held hand
        cdef WildChoices choices
        cdef Plays plays
        cdef Py_ssize_t i
        unpack(&hand, naturals, wilds)
        choose_wilds(&choices, wilds)
        memset(&plays, 0, sizeof(plays))
        try:
            with nogil:
                self.plays(&plays, code, &hand, naturals, wilds, &choices, leading, limit)
            if plays.failed:
                raise MemoryError
            return [(plays.cards[2 * i], plays.cards[2 * i + 1]) for i in range(plays.count)]
        finally:
            release(&plays)

    def count(self, int code, uint64_t naturals, uint64_t wilds, bint leading):
        cdef Held hand
        cdef WildChoices choices
        cdef int64_t found = 0
        if leading and self.leads_no_bombs and is_bomb(code):
            return len(self.expanded(code, naturals, wilds, leading, PY_SSIZE_T_MAX))
        unpack(&hand, naturals, wilds)
        choose_wilds(&choices, wilds)
        if self.rules.on[code >> 4]:
            found = count_plays(&self.rules, code, &hand, &choices)
        return found + self._only_as_last(code, naturals, wilds)

    cdef bint can_beat_row(self, uint64_t naturals, uint64_t wilds, int previous) noexcept nogil:
        cdef uint16_t codes[CODES]
        cdef int found
        if not self.bars_soft and not self.last_differs:
            found = beats_fast(&self.rules, naturals, wilds, previous)
            if found >= 0:
                return found
        return self.groups(naturals, wilds, previous, codes) > 0

    def beatable(self, uint64_t naturals, uint64_t wilds, int previous):
        return self.can_beat_row(naturals, wilds, previous)
