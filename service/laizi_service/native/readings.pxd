# The texts of readings, read and written without the interpreter.

from libc.stdint cimport uint8_t

from laizi_service.native.wire cimport Field, Out

cdef int code_of(const Field *field) noexcept nogil
cdef void put_code(Out *out, uint8_t tag, int code) noexcept nogil
