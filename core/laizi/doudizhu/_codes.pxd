from libc.stdint cimport uint16_t, uint64_t

# Writes up to eight codes beyond those that it returns.
cdef int write_codes(const uint64_t *rows, uint16_t *out) noexcept nogil
