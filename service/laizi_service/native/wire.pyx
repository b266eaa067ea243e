"""The bytes of protobuf messages, read and written by the tables of the generated descriptors: see the stub."""

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memmove, memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE

from google.protobuf.descriptor import FieldDescriptor

# Of the kinds of fields that the contract has: of signed varints and of numbers of fixed width it has none.
cdef dict WIRE_TYPES = {
    FieldDescriptor.CPPTYPE_STRING: LENGTH_DELIMITED,
    FieldDescriptor.CPPTYPE_MESSAGE: LENGTH_DELIMITED,
    FieldDescriptor.CPPTYPE_BOOL: VARINT,
    FieldDescriptor.CPPTYPE_ENUM: VARINT,
    FieldDescriptor.CPPTYPE_INT32: VARINT,
    FieldDescriptor.CPPTYPE_INT64: VARINT,
    FieldDescriptor.CPPTYPE_UINT32: VARINT,
    FieldDescriptor.CPPTYPE_UINT64: VARINT,
}


cdef Table table_of(descriptor) except *:
    """The fields of a message type. Those with numbers above 15 count as unknown."""
    cdef Table table
    memset(&table, 0, sizeof(Table))
    for field in descriptor.fields:
        if field.number < FIELDS:
            table.tag[field.number] = tag_of(descriptor, field.name)
            table.repeated[field.number] = field.is_repeated and not field.is_packed
            if field.containing_oneof is not None:
                table.oneof[field.number] = field.containing_oneof.index + 1
    return table


cdef uint8_t tag_of(descriptor, str name) except 0:
    """The byte that goes before a field."""
    field = descriptor.fields_by_name[name]
    wire_type = LENGTH_DELIMITED if field.is_packed else WIRE_TYPES[field.cpp_type]
    return number_of(descriptor, name) << 3 | wire_type


cdef int number_of(descriptor, str name) except 0:
    """The number of a field, which has to fit one byte on the wire."""
    number = descriptor.fields_by_name[name].number
    assert number < FIELDS, f"{descriptor.full_name}.{name} has the number {number}"
    return number


cdef const uint8_t *_varint(const uint8_t *at, const uint8_t *end, uint64_t *value) noexcept nogil:
    """Read a varint and return where it ends; NULL where it is cut off or has more bytes than it needs."""
    cdef int shift = 0
    cdef uint64_t read = 0
    while at < end and shift < 64:
        read |= <uint64_t>(at[0] & 127) << shift
        if at[0] < 128:
            if (at[0] == 0 and shift) or (shift == 63 and at[0] > 1):
                return NULL
            value[0] = read
            return at + 1
        at += 1
        shift += 7
    return NULL


cdef const uint8_t *_length(const uint8_t *at, const uint8_t *end, Py_ssize_t *size) noexcept nogil:
    """Read a length and return where what it measures begins; NULL where that does not fit."""
    cdef uint64_t length = 0
    at = _varint(at, end, &length)
    if at == NULL or length > <uint64_t>(end - at):
        return NULL
    size[0] = <Py_ssize_t>length
    return at


cdef bint scan(const Table *table, const uint8_t *start, Py_ssize_t size, Field *fields) noexcept nogil:
    cdef const uint8_t *at = start
    cdef const uint8_t *end = start + size
    cdef const uint8_t *tag
    cdef unsigned int oneofs = 0, bit
    cdef int number, last = 0
    cdef Field *field
    cdef Py_ssize_t length = 0
    memset(fields, 0, FIELDS * sizeof(Field))
    while at < end:
        tag = at
        number = at[0] >> 3
        if number >= FIELDS or number == 0 or table.tag[number] != at[0]:
            return False
        field = &fields[number]
        at += 1
        if field.count and not (table.repeated[number] and number == last):
            return False
        last = number
        if table.oneof[number]:
            bit = 1u << table.oneof[number]
            if oneofs & bit:
                return False
            oneofs |= bit
        if tag[0] & 7 == VARINT:
            at = _varint(at, end, &field.value)
            if at == NULL or table.repeated[number]:
                return False
        else:
            at = _length(at, end, &length)
            if at == NULL:
                return False
            if not table.repeated[number]:
                field.start, field.size = at, length
            elif field.count == 0:
                field.start = tag
            at += length
            if table.repeated[number]:
                field.size = at - field.start
        field.count += 1
    return True


cdef bint next_element(Field *run, Field *element) noexcept nogil:
    # scan has been over all of this.
    cdef const uint8_t *end = run.start + run.size
    if run.count == 0:
        return False
    element.start = _length(run.start + 1, end, &element.size)
    element.count = 1
    run.start = element.start + element.size
    run.size = end - run.start
    run.count -= 1
    return True


cdef bint grow(Out *out, Py_ssize_t more) noexcept nogil:
    cdef Py_ssize_t room = max(2 * out.room, out.size + more, 512)
    cdef uint8_t *bytes = NULL if out.failed else <uint8_t *>realloc(out.bytes, room)
    if bytes == NULL:
        out.failed = True
        return False
    out.bytes, out.room = bytes, room
    return True


cdef bytes taken(Out *out, Py_ssize_t start):
    """What was put from a place on. Raises MemoryError where it is not all there."""
    if out.failed:
        raise MemoryError
    return PyBytes_FromStringAndSize(<char *>out.bytes + start, out.size - start)


cdef void release(Out *out) noexcept nogil:
    free(out.bytes)
    memset(out, 0, sizeof(Out))


cdef void close_message(Out *out, Py_ssize_t start) noexcept nogil:
    cdef Py_ssize_t size = out.size - start, left = size >> 7
    cdef int more = 0
    if out.failed:
        return
    while left:
        more += 1
        left >>= 7
    if more:
        if not make_room(out, more):
            return
        memmove(out.bytes + start + more, out.bytes + start, size)
    # Over the byte that was left for it.
    out.size = start - 1
    put_varint(out, size)
    out.size += size


cdef int keep(Fragment *fragment, bytes contents) except -1:
    """Keep bytes, unless there are some already."""
    cdef Py_ssize_t size = PyBytes_GET_SIZE(contents)
    cdef uint8_t *copy
    if is_kept(fragment):
        return 0
    copy = <uint8_t *>malloc(size + 1)
    if copy == NULL:
        raise MemoryError
    memcpy(copy, PyBytes_AS_STRING(contents), size)
    fragment.size = size
    store(&fragment.bytes, copy)  # last: what has bytes is whole
    return 0


cdef void forget(Fragment *fragment) noexcept nogil:
    free(fragment.bytes)
    fragment.bytes = NULL


def varint(uint64_t number):
    cdef Out out
    memset(&out, 0, sizeof(Out))
    try:
        put_varint(&out, number)
        return taken(&out, 0)
    finally:
        release(&out)


cdef class Envelope:
    """The messages of a stream: an id, and exactly one of several messages."""

    cdef Table table
    cdef int id_number
    cdef uint8_t id_tag

    def __init__(self, request, response, str id_field):
        self.table = table_of(request)
        self.id_number = number_of(request, id_field)
        self.id_tag = tag_of(response, id_field)

    def split(self, bytes data):
        cdef Field fields[FIELDS]
        cdef int number
        if not scan(&self.table, <const uint8_t *>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), fields):
            return None
        for number in range(1, FIELDS):
            if number != self.id_number and fields[number].count:
                inner = PyBytes_FromStringAndSize(<char *>fields[number].start, fields[number].size)
                return fields[self.id_number].value, number, inner
        return None

    def wrap(self, uint64_t id, int number, bytes inner):
        cdef Out out
        memset(&out, 0, sizeof(Out))
        try:
            make_room(&out, PyBytes_GET_SIZE(inner) + 24)
            if id:
                put_number(&out, self.id_tag, id)
            put_field(
                &out, number << 3 | LENGTH_DELIMITED, <const uint8_t *>PyBytes_AS_STRING(inner), PyBytes_GET_SIZE(inner)
            )
            return taken(&out, 0)
        finally:
            release(&out)
