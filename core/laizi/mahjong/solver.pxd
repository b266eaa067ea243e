from laizi.mahjong.readings cimport Forms, Hand


cdef class Solver:
    cdef Forms forms


cdef Hand read_hand(given)
