from libc.stdint cimport int64_t

from laizi.doudizhu._exact cimport Held
from laizi.doudizhu._expand cimport WildChoices
from laizi.doudizhu._rules cimport Rules

cdef int64_t count_plays(const Rules *rules, int code, const Held *hand, const WildChoices *choices) noexcept nogil
