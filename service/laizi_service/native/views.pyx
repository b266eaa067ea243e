"""Messages whose columns are views into the bytes of a request: see the stub."""

from libc.stdint cimport uint8_t

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE

from laizi_service.native.wire cimport FIELDS, Field, Table, number_of, scan, table_of

from types import SimpleNamespace

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

cdef enum:                  # what a field is read as
    UNKNOWN
    VIEW                    # a column
    INNER                   # a message with columns
    MESSAGE                 # any other message, of the generated class
    FLAG
    NUMBER

cdef enum:
    MOST_NUMBER = 0x7FFFFFFF


cdef int kind_of(field) except -1:
    if field.type == FieldDescriptor.TYPE_BYTES:
        return VIEW
    if field.type == FieldDescriptor.TYPE_BOOL:
        return FLAG
    if field.type == FieldDescriptor.TYPE_ENUM:
        return NUMBER
    if field.message_type is None or field.is_repeated:
        raise TypeError(f"{field.full_name} is no column, and nothing that goes with columns")
    columns = any(inner.type == FieldDescriptor.TYPE_BYTES for inner in field.message_type.fields)
    return INNER if columns else MESSAGE


cdef class Views:
    cdef Table table
    cdef int kinds[FIELDS]
    cdef list names, readers

    def __init__(self, descriptor):
        cdef int number, kind
        self.table = table_of(descriptor)
        self.names, self.readers = [None] * FIELDS, [None] * FIELDS
        for number in range(FIELDS):
            self.kinds[number] = UNKNOWN
        for field in descriptor.fields:
            number, kind = number_of(descriptor, field.name), kind_of(field)
            self.names[number], self.kinds[number] = field.name, kind
            if kind == INNER:
                self.readers[number] = Views(field.message_type)
            elif kind == MESSAGE:
                self.readers[number] = GetMessageClass(field.message_type).FromString

    def read(self, bytes data):
        return self.read_part(memoryview(data), <const uint8_t *>PyBytes_AS_STRING(data), 0, PyBytes_GET_SIZE(data))

    cdef object read_part(self, whole, const uint8_t *base, Py_ssize_t start, Py_ssize_t size):
        """The message in a part of a request; `whole` and `base` are all its bytes."""
        cdef Field fields[FIELDS]
        cdef Field *field
        cdef int number
        cdef Py_ssize_t at
        if not scan(&self.table, base + start, size, fields):
            return None
        message = SimpleNamespace()
        for number in range(FIELDS):
            field = &fields[number]
            at = field.start - base if field.count else start
            if self.kinds[number] == UNKNOWN:
                continue
            if self.kinds[number] == VIEW:
                value = whole[at : at + field.size]
            elif self.kinds[number] == INNER:
                value = (<Views>self.readers[number]).read_part(whole, base, at, field.size)
                if value is None:
                    return None
            elif self.kinds[number] == MESSAGE:
                try:
                    value = self.readers[number](bytes(whole[at : at + field.size]))
                except DecodeError:
                    return None
            elif self.kinds[number] == FLAG:
                value = field.value != 0
            elif field.value <= MOST_NUMBER:
                value = field.value
            else:
                return None
            setattr(message, self.names[number], value)
        return message
