from laizi.doudizhu._exact cimport Held
from laizi.doudizhu._rules cimport Rules

cdef bint makes(const Rules *rules, int row, int main, const Held *hand) noexcept nogil
