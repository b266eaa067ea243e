"""Packed readings and rows of cards: see the stub."""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize

from laizi.doudizhu._rules cimport CODES, FIRST_BOMB

from laizi.doudizhu import readings
from laizi.errors import ErrorReason, NotationError, RequestError

cdef enum:
    RANKS = 15

cdef uint16_t PACKED[CODES]
cdef uint16_t UNPACKED[65536]
cdef uint8_t MALFORMED = ErrorReason.MALFORMED_READING.number
cdef uint8_t ILLEGAL = ErrorReason.PREVIOUS_PLAY_ILLEGAL.number


cdef _fill():
    for code in range(CODES):
        try:
            PACKED[code] = readings.Reading.from_code(code).packed
        except NotationError:  # most codes are of no reading
            continue
        UNPACKED[PACKED[code]] = code


memset(PACKED, 0, sizeof(PACKED))
memset(UNPACKED, 0, sizeof(UNPACKED))
_fill()


cdef inline uint16_t _at(const uint8_t[::1] column, Py_ssize_t index) noexcept nogil:
    cdef uint16_t word
    memcpy(&word, &column[2 * index], 2)
    return word


def pack(codes):
    cdef const uint8_t[::1] given = memoryview(codes).cast("B")
    cdef Py_ssize_t number = given.shape[0] // 2, i
    packed = bytearray(2 * number)
    cdef uint16_t *out = <uint16_t *>PyByteArray_AS_STRING(packed)
    with nogil:
        for i in range(number):
            out[i] = PACKED[_at(given, i) % CODES]
    return packed


def unpack(packed):
    cdef const uint8_t[::1] given = memoryview(packed).cast("B")
    cdef Py_ssize_t number = given.shape[0] // 2, i
    if given.shape[0] % 2:
        raise RequestError(ErrorReason.BAD_ROW_LENGTH, f"{given.shape[0]} bytes are no whole rows of 2", limit=2)
    codes = bytearray(2 * number)
    cdef uint16_t *out = <uint16_t *>PyByteArray_AS_STRING(codes)
    with nogil:
        for i in range(number):
            out[i] = UNPACKED[_at(given, i)]
    return codes


def mark_malformed(bytearray errors, previous):
    cdef const uint8_t[::1] given = memoryview(previous).cast("B")
    cdef uint8_t *faults = <uint8_t *>PyByteArray_AS_STRING(errors)
    cdef Py_ssize_t i
    with nogil:
        for i in range(given.shape[0] // 2):
            if faults[i] == ILLEGAL and _at(given, i) == 0:
                faults[i] = MALFORMED


def pack_leading(bytearray counts, codes, *, bint prefer_others, bint bar_bombs):
    cdef const uint8_t[::1] given = memoryview(codes).cast("B")
    cdef Py_ssize_t number = len(counts), i, start = 0, used = 0
    packed = bytearray(given.shape[0])
    cdef uint16_t *out = <uint16_t *>PyByteArray_AS_STRING(packed)
    cdef uint8_t *counted = <uint8_t *>PyByteArray_AS_STRING(counts)
    cdef int first, count, j
    with nogil:
        for i in range(number):
            count, first = counted[i], 0
            if count > 1 and (prefer_others or bar_bombs):
                # Bombs come first, so what is no bomb is a tail.
                while first < count and _at(given, start + first) >= FIRST_BOMB:
                    first += 1
                if first == count:
                    first = 0
            if first:
                out[used] = PACKED[_at(given, start + first)]
                used += 1
                if bar_bombs:
                    counted[i] = count - first
                else:
                    for j in range(first):
                        out[used + j] = PACKED[_at(given, start + j)]
                    used += first
                first += 1
            for j in range(first, count):
                out[used] = PACKED[_at(given, start + j)]
                used += 1
            start += count
    PyByteArray_Resize(packed, 2 * used)
    return packed


def card_rows(naturals, wilds):
    cdef const uint8_t[::1] natural = memoryview(naturals).cast("B"), wild = memoryview(wilds).cast("B")
    cdef Py_ssize_t number = natural.shape[0] // RANKS, i
    if natural.shape[0] % RANKS:
        raise RequestError(
            ErrorReason.BAD_ROW_LENGTH, f"{natural.shape[0]} bytes are no whole rows of 15", path="naturals", limit=15
        )
    if natural.shape[0] != wild.shape[0]:
        raise RequestError(
            ErrorReason.COLUMN_LENGTH_MISMATCH, f"{wild.shape[0]} bytes for {number} rows of 15", path="wilds"
        )
    rows = bytearray(16 * number)
    cdef uint64_t *out = <uint64_t *>PyByteArray_AS_STRING(rows)
    cdef uint8_t most = 0
    cdef int rank
    with nogil:
        for i in range(number):
            for rank in range(RANKS):
                most |= natural[RANKS * i + rank] | wild[RANKS * i + rank]
                out[2 * i] |= <uint64_t>natural[RANKS * i + rank] << 4 * rank
                out[2 * i + 1] |= <uint64_t>wild[RANKS * i + rank] << 4 * rank
    if most > 15:
        raise RequestError(ErrorReason.COUNT_OUT_OF_RANGE, "a count is above 15", limit=15)
    return rows
