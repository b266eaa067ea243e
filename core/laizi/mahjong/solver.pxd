from laizi.mahjong.readings cimport Forms, Hand
from laizi.mahjong.writing cimport Written


cdef class Solver:
    cdef Forms forms


cdef Hand read_hand(given)
cdef object written_tuples(const Written* written)
