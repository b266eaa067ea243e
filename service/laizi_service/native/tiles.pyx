"""Tiles of requests and answers, as bytes of the message Tiles."""

from libc.string cimport memset

from laizi_service.native.wire cimport (
    FIELDS, Table, close_message, number_of, open_message, put, scan, table_of, tag_of,
)

from laizi import tiles
from laizi.v1 import types_pb2

cdef Table TILES = table_of(types_pb2.Tiles.DESCRIPTOR)
cdef int TEXT_NUMBER = number_of(types_pb2.Tiles.DESCRIPTOR, "text")
cdef int CODES_NUMBER = number_of(types_pb2.Tiles.DESCRIPTOR, "codes")
cdef uint8_t TEXT_TAG = tag_of(types_pb2.Tiles.DESCRIPTOR, "text")
cdef uint8_t CODES_TAG = tag_of(types_pb2.Tiles.DESCRIPTOR, "codes")

cdef enum:
    NO_TILE = 255
    HONOURS = 27
    COPIES = 4
    MOST_TILES = 20         # more than any hand

cdef uint8_t[256] INDEX     # of a code
memset(INDEX, NO_TILE, 256)
cdef uint8_t[KINDS] CODE
for _index, _code in enumerate(tiles.CODES):
    INDEX[_code], CODE[_index] = _index, _code


cdef bint read_codes(const uint8_t *at, Py_ssize_t size, uint8_t *counts) noexcept nogil:
    cdef Py_ssize_t place
    cdef uint8_t tile
    for place in range(size):
        tile = INDEX[at[place]]
        if tile == NO_TILE:
            return False
        counts[tile] += 1
    return True


cdef int suit_start(uint8_t letter) noexcept nogil:
    letter |= 32
    return 0 if letter == c"m" else 9 if letter == c"p" else 18 if letter == c"s" else HONOURS if letter == c"z" else -1


cdef bint read_text(const uint8_t *at, Py_ssize_t size, uint8_t *counts) noexcept nogil:
    """Runs of digits before their suit, and z1 to z7."""
    cdef const uint8_t *end = at + size
    cdef const uint8_t *suit
    cdef int start
    while at < end:
        if at[0] == c" " or at[0] == c",":
            at += 1
            continue
        if at[0] | 32 == c"z":
            if at + 1 == end or not c"1" <= at[1] <= c"7":
                return False
            counts[HONOURS + at[1] - c"1"] += 1
            at += 2
            continue
        suit = at
        while suit < end and c"1" <= suit[0] <= c"9":
            suit += 1
        if suit == at or suit == end:
            return False
        start = suit_start(suit[0])
        if start < 0:
            return False
        while at < suit:
            if start == HONOURS and at[0] > c"7":
                return False
            counts[start + at[0] - c"1"] += 1
            at += 1
        at += 1
    return True


cdef int read_tiles(const Field *message, uint8_t *counts) noexcept nogil:
    cdef Field fields[FIELDS]
    cdef int form, tile, total = 0
    memset(counts, 0, KINDS)
    # Counts of so few bytes do not overflow.
    if message.size > 255 or not scan(&TILES, message.start, message.size, fields):
        return 0
    if fields[TEXT_NUMBER].count and read_text(fields[TEXT_NUMBER].start, fields[TEXT_NUMBER].size, counts):
        form = TEXT
    elif fields[CODES_NUMBER].count and read_codes(fields[CODES_NUMBER].start, fields[CODES_NUMBER].size, counts):
        form = CODES
    else:
        return 0
    for tile in range(KINDS):
        if counts[tile] > COPIES:
            return 0
        total += counts[tile]
    return form if 0 < total <= MOST_TILES else 0


cdef int read_tile(const Field *message) noexcept nogil:
    cdef uint8_t counts[KINDS]
    cdef int tile, found = -1
    if not read_tiles(message, counts):
        return -1
    for tile in range(KINDS):
        if counts[tile]:
            if found >= 0 or counts[tile] > 1:
                return -1
            found = tile
    return found


# -------------------------------------------------------------------------------------------------------------- answers

cdef inline uint8_t suit_of(int tile) noexcept nogil:
    return c"m" if tile < 9 else c"p" if tile < 18 else c"s"


cdef void put_text(Out *out, const uint8_t *sorted_tiles, int count) noexcept nogil:
    """Tiles in rising order: ``123m456p z5z5``."""
    cdef int place, tile
    for place in range(count):
        tile = sorted_tiles[place]
        if tile >= HONOURS:
            if place and sorted_tiles[place - 1] < HONOURS:
                put(out, c" ")
            put(out, c"z")
            put(out, <uint8_t>(c"1" + tile - HONOURS))
        else:
            put(out, <uint8_t>(c"1" + tile % 9))
            if place + 1 == count or sorted_tiles[place + 1] // 9 != tile // 9:
                put(out, suit_of(tile))


cdef void put_sorted(Out *out, uint8_t tag, int form, const uint8_t *sorted_tiles, int count) noexcept nogil:
    cdef int index
    cdef Py_ssize_t message = open_message(out, tag)
    cdef Py_ssize_t content = open_message(out, TEXT_TAG if form == TEXT else CODES_TAG)
    if form == TEXT:
        put_text(out, sorted_tiles, count)
    else:
        for index in range(count):
            put(out, CODE[sorted_tiles[index]])
    close_message(out, content)
    close_message(out, message)


cdef void put_tiles(Out *out, uint8_t tag, int form, const uint8_t *given, int count) noexcept nogil:
    cdef uint8_t sorted_tiles[MOST_TILES]
    cdef int index, place
    for index in range(count):
        place = index
        while place and sorted_tiles[place - 1] > given[index]:
            sorted_tiles[place] = sorted_tiles[place - 1]
            place -= 1
        sorted_tiles[place] = given[index]
    put_sorted(out, tag, form, sorted_tiles, count)


cdef void put_tile(Out *out, uint8_t tag, int form, int tile) noexcept nogil:
    cdef uint8_t one = <uint8_t>tile
    put_sorted(out, tag, form, &one, 1)
