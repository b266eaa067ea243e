"""Batches: one row a play or a hand, columns of answers. The loops release the interpreter."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize, PyByteArray_Resize
from cpython.bytes cimport PyBytes_FromStringAndSize

from laizi.bits cimport small_total, total
from laizi.doudizhu._exact cimport Held, unpack
from laizi.doudizhu._expand cimport Plays, WildChoices, choose_wilds, release
from laizi.doudizhu._list cimport Lister
from laizi.doudizhu._read cimport read_counted
from laizi.doudizhu._rules cimport CODES, ILLEGAL, MOST_READINGS, Rules, beats, fault_of

from laizi.errors import ErrorReason, RequestError

cdef enum:
    MOST_GROUPS = 1100          # codes of a hand, and what is written beyond them

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX


def _column(column, Py_ssize_t width, name):
    view = memoryview(column).cast("B")
    if len(view) % width:
        raise RequestError(
            ErrorReason.BAD_ROW_LENGTH, f"{len(view)} bytes are no whole rows of {width}", path=name, limit=width
        )
    return view


def _previous(column, Py_ssize_t rows):
    view = _column(column, 2, "previous")
    if len(view) != 2 * rows:
        raise RequestError(
            ErrorReason.COLUMN_LENGTH_MISMATCH, f"{len(view) // 2} previous readings for {rows} rows", path="previous"
        )
    return view


def _blank(Py_ssize_t size):
    """A column of which only the part that is written costs memory."""
    return PyByteArray_FromStringAndSize(NULL, size)


cdef int _weakest(const Rules *rules, int previous, const uint16_t *codes, int count) noexcept nogil:
    """The weakest of the readings that beat the previous one, 0 if none does. Bombs come first, so it is the last."""
    while count > 0:
        count -= 1
        if beats(rules, codes[count], previous):
            return codes[count]
    return 0


# One row, checked: its words, how many cards and how many of them wild.
cdef struct Row:
    uint64_t naturals
    uint64_t wilds
    int size
    int free
    uint8_t fault


cdef inline Row _row(Lister lister, const uint8_t *bytes_of_row) noexcept nogil:
    cdef Row row
    memcpy(&row.naturals, bytes_of_row, 8)
    memcpy(&row.wilds, bytes_of_row + 8, 8)
    # Words beyond what the pack holds may add up to anything; they are refused for that.
    row.free = small_total(row.wilds)
    row.size = total(row.naturals) + row.free
    row.fault = fault_of(lister, row.naturals, row.wilds, row.size)
    return row


cdef class Columns(Lister):
    cdef inline uint8_t _previous_fault(self, int code, bint may_lead) noexcept nogil:
        if code == 0 and may_lead:
            return 0
        if code < CODES and (self.judged[code] == 1 or self.plausible(code)):
            return 0
        return ILLEGAL

    def read_rows(self, rows, bint last=False):
        cdef const uint8_t[::1] given = _column(rows, 16, "rows")
        cdef Py_ssize_t number = given.shape[0] // 16, i = 0, used = 0
        cdef Py_ssize_t room = 8 * number + MOST_READINGS
        counts, errors, codes = bytearray(number), bytearray(number), _blank(2 * room)
        cdef uint8_t *counted = <uint8_t *>PyByteArray_AS_STRING(counts)
        cdef uint8_t *faults = <uint8_t *>PyByteArray_AS_STRING(errors)
        cdef uint16_t *out = <uint16_t *>PyByteArray_AS_STRING(codes)
        cdef const Rules *rules = self.rules_for(last)
        cdef Row row
        while i < number:
            if used + MOST_READINGS > room:
                # Few plays have more than eight readings; a batch that has gets more room.
                room *= 2
                PyByteArray_Resize(codes, 2 * room)
                out = <uint16_t *>PyByteArray_AS_STRING(codes)
            with nogil:
                while i < number and used + MOST_READINGS <= room:
                    row = _row(self, &given[16 * i])
                    faults[i] = row.fault
                    if row.fault == 0:
                        counted[i] = read_counted(rules, row.naturals, row.wilds, row.size, row.free, out + used)
                        used += counted[i]
                    i += 1
        PyByteArray_Resize(codes, 2 * used)
        return counts, codes, errors

    def compare_rows(self, previous, rows, bint last=False):
        cdef const uint8_t[::1] given = _column(rows, 16, "rows")
        cdef Py_ssize_t number = given.shape[0] // 16, i
        cdef const uint8_t[::1] prior = _previous(previous, number)
        taken, errors = bytearray(2 * number), bytearray(number)
        cdef uint16_t *found = <uint16_t *>PyByteArray_AS_STRING(taken)
        cdef uint8_t *faults = <uint8_t *>PyByteArray_AS_STRING(errors)
        cdef const Rules *rules = self.rules_for(last)
        cdef uint16_t codes[MOST_READINGS]
        cdef uint16_t code
        cdef Row row
        with nogil:
            for i in range(number):
                row = _row(self, &given[16 * i])
                memcpy(&code, &prior[2 * i], 2)
                faults[i] = row.fault or self._previous_fault(code, False)
                if faults[i] == 0:
                    found[i] = _weakest(
                        rules, code, codes, read_counted(rules, row.naturals, row.wilds, row.size, row.free, codes)
                    )
        return taken, errors

    def beatable_rows(self, previous, rows):
        cdef const uint8_t[::1] given = _column(rows, 16, "rows")
        cdef Py_ssize_t number = given.shape[0] // 16, i
        cdef const uint8_t[::1] prior = _previous(previous, number)
        answers, errors = bytearray(number), bytearray(number)
        cdef uint8_t *found = <uint8_t *>PyByteArray_AS_STRING(answers)
        cdef uint8_t *faults = <uint8_t *>PyByteArray_AS_STRING(errors)
        cdef uint16_t code
        cdef Row row
        with nogil:
            for i in range(number):
                row = _row(self, &given[16 * i])
                memcpy(&code, &prior[2 * i], 2)
                faults[i] = row.fault or self._previous_fault(code, False)
                if faults[i] == 0:
                    found[i] = self.can_beat_row(row.naturals, row.wilds, code)
        return answers, errors

    def group_rows(self, rows, previous=None):
        cdef const uint8_t[::1] given = _column(rows, 16, "rows")
        cdef Py_ssize_t number = given.shape[0] // 16, i = 0, used = 0
        cdef const uint8_t[::1] prior = _previous(bytes(2 * number) if previous is None else previous, number)
        cdef Py_ssize_t room = 64 * number + MOST_GROUPS
        counts, errors, codes = bytearray(2 * number), bytearray(number), _blank(2 * room)
        cdef uint16_t *counted = <uint16_t *>PyByteArray_AS_STRING(counts)
        cdef uint8_t *faults = <uint8_t *>PyByteArray_AS_STRING(errors)
        cdef uint16_t *out = <uint16_t *>PyByteArray_AS_STRING(codes)
        cdef uint16_t code
        cdef Row row
        while i < number:
            if used + MOST_GROUPS > room:
                # Doubled from few, the column ends more than half full and is not moved to where its memory is new to
                # the process, which would cost as much again as filling it.
                room *= 2
                PyByteArray_Resize(codes, 2 * room)
                out = <uint16_t *>PyByteArray_AS_STRING(codes)
            with nogil:
                while i < number and used + MOST_GROUPS <= room:
                    row = _row(self, &given[16 * i])
                    memcpy(&code, &prior[2 * i], 2)
                    faults[i] = row.fault or self._previous_fault(code, True)
                    if faults[i] == 0:
                        counted[i] = self.groups(row.naturals, row.wilds, code, out + used)
                        used += counted[i]
                    i += 1
        PyByteArray_Resize(codes, 2 * used)
        return counts, codes, errors

    def play_rows(self, rows, previous=None, Py_ssize_t limit=PY_SSIZE_T_MAX):
        cdef const uint8_t[::1] given = _column(rows, 16, "rows")
        cdef Py_ssize_t number = given.shape[0] // 16, i, start, end
        cdef const uint8_t[::1] prior = _previous(bytes(2 * number) if previous is None else previous, number)
        counts, errors = bytearray(4 * number), bytearray(number)
        cdef uint32_t *counted = <uint32_t *>PyByteArray_AS_STRING(counts)
        cdef uint8_t *faults = <uint8_t *>PyByteArray_AS_STRING(errors)
        cdef uint16_t codes[MOST_GROUPS]
        cdef uint16_t code
        cdef WildChoices choices
        cdef Plays plays
        cdef Held hand
        cdef Row row
        cdef int j
        if limit < 0:
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, f"{limit} is below 0", path="limit", limit=0)
        memset(&plays, 0, sizeof(plays))
        try:
            with nogil:
                for i in range(number):
                    row = _row(self, &given[16 * i])
                    memcpy(&code, &prior[2 * i], 2)
                    faults[i] = row.fault or self._previous_fault(code, True)
                    if faults[i]:
                        continue
                    start = plays.count
                    end = start + min(limit, PY_SSIZE_T_MAX - start)
                    unpack(&hand, row.naturals, row.wilds)
                    choose_wilds(&choices, row.wilds)
                    for j in range(self.groups(row.naturals, row.wilds, code, codes)):
                        if plays.count >= end:
                            break
                        self.plays(&plays, codes[j], &hand, row.naturals, row.wilds, &choices, code == 0, end)
                    counted[i] = plays.count - start
            if plays.failed:
                raise MemoryError
            return (
                counts,
                PyBytes_FromStringAndSize(<char *>plays.cards, 16 * plays.count),
                PyBytes_FromStringAndSize(<char *>plays.codes, 2 * plays.count),
                errors,
            )
        finally:
            release(&plays)
