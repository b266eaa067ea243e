# The bytes of protobuf messages: a reader for messages of ordinary shape, and a buffer to write into.

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

cdef enum:
    FIELDS = 16             # a field number has one byte on the wire: 1 to 15

cdef enum:                  # wire types
    VARINT = 0
    LENGTH_DELIMITED = 2

# The fields of a message type, by number.
cdef struct Table:
    uint8_t tag[FIELDS]         # as it stands on the wire, 0 where there is no such field
    uint8_t repeated[FIELDS]    # repeated and not packed
    uint8_t oneof[FIELDS]       # which oneof it belongs to, from 1 on; 0 for none

# What a message holds of one field.
cdef struct Field:
    const uint8_t *start    # the bytes of a length-delimited field; of a repeated one, its whole run, tags included
    Py_ssize_t size         # how many
    uint64_t value          # of a varint
    int count               # 0 where the field is absent; else 1, or the elements of a run

cdef Table table_of(descriptor) except *
cdef uint8_t tag_of(descriptor, str name) except 0
cdef int number_of(descriptor, str name) except 0

# Whether a message has the ordinary shape; its fields are then in `fields`, which has FIELDS elements. The ordinary
# shape is: known fields alone, each once, in any order; the elements of a repeated field next to each other; numbers in
# as few bytes as they need. Strings are not checked to be UTF-8.
cdef bint scan(const Table *table, const uint8_t *start, Py_ssize_t size, Field *fields) noexcept nogil

# The next element of a run that scan found, cut off from the run; False at its end.
cdef bint next_element(Field *run, Field *element) noexcept nogil

cdef inline bint same(const Field *field, const uint8_t *start, Py_ssize_t size) noexcept nogil:
    return field.size == size and bytes_equal(field.start, start, size)

cdef extern from *:
    """
    #include <string.h>
    static inline int laizi_bytes_equal(const void *a, const void *b, Py_ssize_t size) {
        return size == 0 || memcmp(a, b, (size_t)size) == 0;
    }
    """
    bint bytes_equal "laizi_bytes_equal"(const void *a, const void *b, Py_ssize_t size) noexcept nogil


# A buffer that grows. Once memory runs out it takes nothing more; whoever takes the bytes gets a MemoryError.
cdef struct Out:
    uint8_t *bytes
    Py_ssize_t size
    Py_ssize_t room
    bint failed

cdef bint grow(Out *out, Py_ssize_t more) noexcept nogil
cdef bytes taken(Out *out, Py_ssize_t start)
cdef void release(Out *out) noexcept nogil

cdef inline bint make_room(Out *out, Py_ssize_t more) noexcept nogil:
    return out.room - out.size >= more or grow(out, more)

cdef inline void put(Out *out, uint8_t byte) noexcept nogil:
    if make_room(out, 1):
        out.bytes[out.size] = byte
        out.size += 1

cdef inline void put_bytes(Out *out, const uint8_t *start, Py_ssize_t size) noexcept nogil:
    if size and make_room(out, size):
        memcpy(out.bytes + out.size, start, size)
        out.size += size

cdef inline void put_varint(Out *out, uint64_t value) noexcept nogil:
    while value > 127:
        put(out, <uint8_t>(value | 128))
        value >>= 7
    put(out, <uint8_t>value)

# A field that is a varint, bytes or a text. An absent scalar of proto3 is not written: the caller leaves it out.
cdef inline void put_number(Out *out, uint8_t tag, uint64_t value) noexcept nogil:
    put(out, tag)
    put_varint(out, value)

cdef inline void put_field(Out *out, uint8_t tag, const uint8_t *start, Py_ssize_t size) noexcept nogil:
    put(out, tag)
    put_varint(out, size)
    put_bytes(out, start, size)

# A message inside a message: what is put between the two calls is its contents, however long.
cdef inline Py_ssize_t open_message(Out *out, uint8_t tag) noexcept nogil:
    put(out, tag)
    put(out, 0)
    return out.size

cdef void close_message(Out *out, Py_ssize_t start) noexcept nogil


# Bytes that are part of many answers. They are made once, by whoever holds the interpreter, while others may read.
cdef struct Fragment:
    uint8_t *bytes
    Py_ssize_t size

cdef extern from *:
    """
    #define laizi_load(place) __atomic_load_n(place, __ATOMIC_ACQUIRE)
    #define laizi_store(place, value) __atomic_store_n(place, value, __ATOMIC_RELEASE)
    """
    uint8_t *load "laizi_load"(uint8_t *const *place) noexcept nogil
    void store "laizi_store"(uint8_t **place, uint8_t *value) noexcept nogil

cdef int keep(Fragment *fragment, bytes contents) except -1
cdef void forget(Fragment *fragment) noexcept nogil

cdef inline bint is_kept(const Fragment *fragment) noexcept nogil:
    return load(&fragment.bytes) != NULL

cdef inline void put_fragment(Out *out, const Fragment *fragment) noexcept nogil:
    put_bytes(out, fragment.bytes, fragment.size)
