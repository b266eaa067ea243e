"""The texts of readings, read and written without the interpreter: see the stub."""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcpy, memset

from cpython.bytes cimport PyBytes_AS_STRING

from laizi.doudizhu._rules cimport CODES
from laizi_service.native.wire cimport bytes_equal, put_field

from laizi.doudizhu import Reading
from laizi.errors import NotationError

cdef enum:
    MOST_LETTERS = 20
    BUCKETS = 4096          # several times as many as there are readings

cdef struct Text:
    int size
    uint8_t letters[MOST_LETTERS]

cdef Text TEXTS[CODES]
# The code of a reading stands in the bucket of its text, or in the next one that was free.
cdef uint16_t CODE_IN[BUCKETS]


cdef inline unsigned int _bucket(const uint8_t *letters, Py_ssize_t size) noexcept nogil:
    cdef unsigned int hashed = 0
    cdef Py_ssize_t i
    for i in range(size):
        hashed = (hashed ^ letters[i]) * 16777619u
    return (hashed ^ hashed >> 15) % BUCKETS


cdef int _fill() except -1:
    cdef unsigned int bucket
    memset(TEXTS, 0, sizeof(TEXTS))
    memset(CODE_IN, 0, sizeof(CODE_IN))
    for code in range(CODES):
        try:
            text = str(Reading.from_code(code)).encode()
        except NotationError:  # most codes are of no reading
            continue
        assert len(text) <= MOST_LETTERS
        TEXTS[code].size = len(text)
        memcpy(TEXTS[code].letters, PyBytes_AS_STRING(text), len(text))
        bucket = _bucket(TEXTS[code].letters, len(text))
        while CODE_IN[bucket]:
            bucket = (bucket + 1) % BUCKETS
        CODE_IN[bucket] = code
    return 0


_fill()


cdef int code_of(const Field *field) noexcept nogil:
    """The code of the reading that a text names, 0 for any other text."""
    cdef unsigned int bucket
    cdef int code
    if field.size > MOST_LETTERS:
        return 0
    bucket = _bucket(field.start, field.size)
    while CODE_IN[bucket]:
        code = CODE_IN[bucket]
        if TEXTS[code].size == field.size and bytes_equal(TEXTS[code].letters, field.start, field.size):
            return code
        bucket = (bucket + 1) % BUCKETS
    return 0


cdef void put_code(Out *out, uint8_t tag, int code) noexcept nogil:
    """Write a text field of a reading."""
    put_field(out, tag, TEXTS[code].letters, TEXTS[code].size)
