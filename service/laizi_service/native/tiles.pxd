# Tiles of requests and answers, as bytes of the message Tiles.

from libc.stdint cimport uint8_t

from laizi.mahjong.readings cimport KINDS
from laizi_service.native.wire cimport Field, Out

# How an answer writes its tiles: as its request did.
cdef enum:
    TEXT = 1
    CODES = 2

# Counts the tiles of a message; returns their form, or 0 for what the general way has to read: tiles that are wrong or
# written unusually, or none.
cdef int read_tiles(const Field *message, uint8_t *counts) noexcept nogil

# The index of the one tile of a message, -1 for what the general way has to read.
cdef int read_tile(const Field *message) noexcept nogil

# Puts a field that holds tiles, given by their faces in any order.
cdef void put_tiles(Out *out, uint8_t tag, int form, const uint8_t *given, int count) noexcept nogil
cdef void put_tile(Out *out, uint8_t tag, int form, int tile) noexcept nogil
