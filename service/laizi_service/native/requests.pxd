# Requests of one kind, alone or in a batch: whatever a plan answers is answered from its bytes, the rest in general.

from laizi_service.native.wire cimport Field, Fragment, Out

cdef enum:                  # what an answer comes to
    ANSWERED = 0
    UNUSUAL                 # the general path answers it
    UNKNOWN                 # the general path answers it, and parts of its answer are wanted for others like it

cdef class Plan:
    cdef Fragment provenance
    cdef bint takes_long        # a request may: then the interpreter is released even for one
    # Write the response to a request that was scanned, without its provenance.
    cdef int write(self, const Field *asked, Out *out) noexcept nogil
    # Keep parts of what the general path answered to a request that was UNKNOWN.
    cdef int learn(self, request, response) except -1
