from laizi.mahjong.readings cimport BlockMasks, Forms, Hand, Split


cdef void fill_blocks(const Forms* forms, const Hand* hand, const Split* split, BlockMasks* out) noexcept nogil
