"""The Python door to `readings` and `writing`: the features of a hand, and its decompositions."""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from laizi.mahjong.blocks cimport fill_blocks
from laizi.mahjong.readings cimport (
    KINDS, SHAPE_STANDARD, BlockMasks, Features, Forms, Hand, Split, each_split, find_features,
)
from laizi.mahjong.writing cimport Stand, Written, write_split


cdef struct Splits:
    Split* items
    int count
    int room
    int32_t only            # the index of the one split wanted, or 0 for all


cdef void keep_split(const Forms* forms, const Hand* hand, const Split* split, int32_t index,
                     void* context) noexcept nogil:
    cdef Splits* kept = <Splits*>context
    cdef Split* grown_items
    cdef const Split* other
    cdef int place
    if kept.only and kept.only != index:
        return
    # Stand-ins of two kinds that swap the wilds whose faces they play make the same decompositions.
    for place in range(kept.count):
        other = &kept.items[place]
        if (memcmp(other.real, split.real, KINDS) == 0 and memcmp(other.proper, split.proper, KINDS) == 0
                and memcmp(other.itself, split.itself, KINDS) == 0):
            return
    if kept.count == kept.room:
        grown_items = <Split*>realloc(kept.items, (2 * kept.room + 8) * sizeof(Split))
        if grown_items == NULL:
            return
        kept.items = grown_items
        kept.room = 2 * kept.room + 8
    kept.items[kept.count] = split[0]
    kept.count += 1


cdef class Solver:
    def __init__(self, tiles, fill, wilds, stand_ins, shapes, *, four_copies, pair_reals, barred_pure_meld, wind_runs,
                 dragon_runs, dragon_by_wild):
        memset(&self.forms, 0, sizeof(Forms))
        for face in tiles:
            self.forms.tiles |= 1ULL << face
        for face in fill:
            self.forms.fill |= 1ULL << face
        for tile in wilds:
            self.forms.is_wild[tile] = 1
        for tile in stand_ins:
            self.forms.is_stand_in[tile] = 1
        self.forms.shapes = shapes
        self.forms.four_copies = four_copies
        self.forms.pair_reals = pair_reals
        self.forms.barred_pure_meld = barred_pure_meld
        self.forms.wind_runs = wind_runs
        self.forms.dragon_runs = dragon_runs
        self.forms.dragon_by_wild = dragon_by_wild

    def features(self, given):
        cdef Hand hand = read_hand(given)
        cdef Features* found = <Features*>malloc(sizeof(Features))
        cdef int index
        try:
            with nogil:
                find_features(&self.forms, &hand, found)
            return [
                (found.code[index], found.fills[index], bool(found.lone[index]), found.split[index])
                for index in range(found.count)
            ]
        finally:
            free(found)

    def decompose(self, given, uint8_t code, int fills, bint lone, int32_t only, Py_ssize_t limit):
        cdef Hand hand = read_hand(given)
        cdef BlockMasks blocks
        cdef Splits kept
        cdef Split* split
        cdef int index
        cdef Writings writings
        memset(&kept, 0, sizeof(kept))
        memset(&writings, 0, sizeof(writings))
        kept.only, writings.limit = only, limit
        try:
            with nogil:
                each_split(&self.forms, &hand, keep_split, &kept)
                for index in range(kept.count):
                    split = &kept.items[index]
                    if split.fills != fills or split.lone_stands != lone or writings.count == writings.limit:
                        continue
                    if code & 7 == SHAPE_STANDARD:
                        fill_blocks(&self.forms, &hand, split, &blocks)
                    write_split(&self.forms, &hand, split, &blocks, code, keep_written, &writings)
            return [written_tuples(&writings.items[index]) for index in range(writings.count)]
        finally:
            free(kept.items)
            free(writings.items)


cdef Hand read_hand(given):
    cdef Hand hand
    cdef bytes counts, open_faces
    counts, open_faces, hand.open_suits, hand.open_content, hand.open_others, hand.open_melds, hand.lone = given
    memcpy(hand.counts, <const uint8_t*>counts, KINDS)
    memcpy(hand.open_faces, <const uint8_t*>open_faces, KINDS)
    return hand


# ----------------------------------------------------------------------------------------------------- what is written

cdef struct Writings:
    Written* items
    Py_ssize_t count
    Py_ssize_t room
    Py_ssize_t limit


cdef bint keep_written(const Written* written, void* context) noexcept nogil:
    cdef Writings* kept = <Writings*>context
    cdef Written* grown_items
    if kept.count == kept.room:
        grown_items = <Written*>realloc(kept.items, (2 * kept.room + 8) * sizeof(Written))
        if grown_items == NULL:
            return True
        kept.items = grown_items
        kept.room = 2 * kept.room + 8
    kept.items[kept.count] = written[0]
    kept.count += 1
    return kept.count == kept.limit


cdef object written_tuples(const Written* written):
    """Melds, pairs, singles, wilds with their faces, stand-ins with theirs."""
    return (
        tuple([(written.meld[index][0], written.meld[index][1], written.meld[index][2])
               for index in range(written.melds)]),
        tuple([written.pair[index] for index in range(written.pairs)]),
        tuple([written.single[index] for index in range(written.singles)]),
        stand_tuples(written.wild, written.wilds),
        stand_tuples(written.stand_in, written.stand_ins),
    )


cdef object stand_tuples(const Stand* stands, int count):
    return tuple([(stands[index].tile, stands[index].face) for index in range(count)])
