"""The Python door to `readings`: the features of a hand, and its decompositions written out."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from laizi.mahjong.readings cimport (
    BLOCKS, KINDS, SHAPE_DRAGON, SHAPE_PAIRS, SHAPE_STANDARD, BlockMasks, Features, Forms, Hand, Split,
    block_start, concealed_tiles, each_split, feature, fill_blocks, fills_at,
    find_features, grown, joined, loose_after, loose_code, loose_fits, shape_fits, winds_all_touched,
)


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
                (found.code[index], found.fills[index], bool(found.lone[index]),
                 found.split[found.lone[index]][found.code[index]][found.fills[index]])
                for index in range(found.count)
            ]
        finally:
            free(found)

    def decompose(self, given, uint8_t code, int fills, bint lone, int32_t only, Py_ssize_t limit):
        return _Writer(self, given, code, limit).write(fills, lone, only)


cdef Hand read_hand(given):
    cdef Hand hand
    cdef bytes counts, open_faces
    counts, open_faces, hand.open_suits, hand.open_content, hand.open_others, hand.open_melds, hand.lone = given
    memcpy(hand.counts, <const uint8_t*>counts, KINDS)
    memcpy(hand.open_faces, <const uint8_t*>open_faces, KINDS)
    return hand


cdef class _Writer:
    """Writes out the readings with one code, of one hand."""

    cdef Forms forms
    cdef Hand hand
    cdef Split split
    cdef int shape
    cdef uint8_t code
    cdef BlockMasks blocks
    cdef uint32_t good[BLOCKS + 1][16][9]
    cdef uint32_t loose_good[KINDS + 1][64]
    cdef int runs[KINDS]
    cdef int triplets[KINDS]
    cdef int fill[KINDS]
    cdef int without[4]
    cdef int touching[4]
    cdef int pair_face
    cdef Py_ssize_t limit
    cdef list found

    def __init__(self, Solver solver, given, uint8_t code, Py_ssize_t limit):
        self.forms = solver.forms
        self.hand = read_hand(given)
        self.code = code
        self.shape = code & 7
        self.limit = limit
        self.found = []

    cdef list write(self, int fills, bint lone, int32_t only):
        cdef Splits kept
        cdef int index
        memset(&kept, 0, sizeof(kept))
        kept.only = only
        try:
            each_split(&self.forms, &self.hand, keep_split, &kept)
            for index in range(kept.count):
                self.split = kept.items[index]
                if self.split.fills != fills or bool(self.split.lone_stands) != lone:
                    continue
                memset(self.fill, 0, sizeof(self.fill))
                if self.shape == SHAPE_STANDARD:
                    self.write_standard()
                else:
                    self.write_loose()
                if len(self.found) >= self.limit:
                    break
            return self.found
        finally:
            free(kept.items)

    # ----------------------------------------------------------------------------------------------- melds and a pair

    cdef void write_standard(self):
        # good[b][suits][group]: from these, with n tiles filled so far, the blocks from b on can still end at the code.
        cdef int block, suits, group, part, fills, after, bit
        cdef uint32_t mask
        fill_blocks(&self.forms, &self.hand, &self.split, &self.blocks)
        memset(self.good, 0, sizeof(self.good))
        memset(self.runs, 0, sizeof(self.runs))
        memset(self.triplets, 0, sizeof(self.triplets))
        memset(self.without, 0, sizeof(self.without))
        for suits in range(16):
            for group in range(9):
                if group % 3 and self.code == feature(SHAPE_STANDARD, suits, group == 1, group < 6, group % 3 == 1):
                    self.good[BLOCKS][suits][group] = 1u << self.split.fills
        for block in range(BLOCKS - 1, -1, -1):
            bit = 1 << min(block, 3)
            for suits in range(16):
                for group in range(9):
                    mask = 0
                    for part in range(9):
                        if group % 3 and part % 3:
                            continue
                        for fills in range(self.split.fills + 1):
                            if self.blocks.mask[block][part] >> fills & 1:
                                after = suits | (bit if fills or self.blocks.reals[block] else 0)
                                mask |= self.good[block + 1][after][joined(group, part)] >> fills
                    self.good[block][suits][group] = mask
        self.walk(0, self.hand.open_suits, self.hand.open_content * 3, 0)

    cdef void walk(self, int block, int suits, int group, int fills):
        cdef int part, more, after
        if len(self.found) >= self.limit or not self.good[block][suits][group] >> fills & 1:
            return
        if block == BLOCKS:
            self.emit_standard()
            return
        for part in range(9):
            if group % 3 and part % 3:
                continue
            for more in range(self.split.fills - fills + 1):
                if not self.blocks.mask[block][part] >> more & 1:
                    continue
                after = suits | ((1 << min(block, 3)) if more or self.blocks.reals[block] else 0)
                if not self.good[block + 1][after][joined(group, part)] >> (fills + more) & 1:
                    continue
                if block == 3 and self.forms.wind_runs:
                    self.walk_winds(part, more, after, joined(group, part), fills + more)
                else:
                    self.walk_face(block, block_start(block), 0, 0, 0, 0, part, more, after, joined(group, part),
                                   fills + more)

    cdef void walk_face(self, int block, int face, int middle, int old, int group, int used, int part, int more,
                        int suits_after, int group_after, int fills_after):
        cdef int melds = (concealed_tiles(&self.hand) - 2) // 3
        cdef int max_runs, runs, triplets, pair, fill, ended = 0, begun = 0, next_group
        if face == block_start(block + 1):
            if group == part and used == more:
                self.walk(block + 1, suits_after, group_after, fills_after)
            return
        max_runs = melds - middle // 6 - middle % 6
        if face + 2 >= block_start(block + 1) or block == 3 or (block == 4 and not self.forms.dragon_runs):
            max_runs = 0
        for triplets in range(melds, -1, -1):
            for pair in range((0 if group % 3 or not part % 3 else 1), -1, -1):
                for runs in range(max_runs + 1):
                    fill = fills_at(&self.forms, self.split.real[face], middle, old, runs, triplets, pair,
                                    &ended, &begun)
                    if fill < 0 or fill > self.split.room[face] or used + fill > more:
                        continue
                    next_group = grown(group, face, triplets, runs, pair)
                    if next_group // 3 > part // 3 or (pair and next_group % 3 != part % 3):
                        continue
                    self.runs[face], self.triplets[face], self.fill[face] = runs, triplets, fill
                    if pair:
                        self.pair_face = face
                    self.walk_face(block, face + 1, begun, ended, next_group, used + fill, part, more, suits_after,
                                   group_after, fills_after)
                    if len(self.found) >= self.limit:
                        return
        self.runs[face] = self.triplets[face] = self.fill[face] = 0

    cdef void walk_winds(self, int part, int more, int suits_after, int group_after, int fills_after):
        cdef int melds = (concealed_tiles(&self.hand) - 2) // 3
        cdef int a, b, c, d
        for a in range(melds + 1):
            for b in range(melds - a + 1):
                for c in range(melds - a - b + 1):
                    for d in range(melds - a - b - c + 1):
                        self.without[0], self.without[1], self.without[2], self.without[3] = a, b, c, d
                        self.walk_wind(a + b + c + d, 0, 0, 0, part, more, suits_after, group_after, fills_after)
        memset(self.without, 0, sizeof(self.without))

    cdef void walk_wind(self, int runs, int wind, int group, int used, int part, int more, int suits_after,
                        int group_after, int fills_after):
        cdef int face = 27 + wind, real, triplets, pair, fill, spare
        if wind == 4:
            if group == part and used == more and (
                    not self.forms.barred_pure_meld or winds_all_touched(self.without, self.touching, runs)):
                self.walk(4, suits_after, group_after, fills_after)
            return
        real = self.split.real[face]
        for triplets in range(runs + 6):
            for pair in range(1 if group % 3 or not part % 3 else 2):
                fill = runs - self.without[wind] + 3 * triplets + 2 * pair - real
                spare = real - triplets - pair * self.forms.pair_reals
                if fill < 0 or fill > self.split.room[face] or used + fill > more:
                    continue
                if (self.forms.barred_pure_meld and spare < 0) or (pair and real < self.forms.pair_reals):
                    continue
                self.touching[wind] = min(runs - self.without[wind], spare)
                self.triplets[face], self.fill[face] = triplets, fill
                if pair:
                    self.pair_face = face
                self.walk_wind(runs, wind + 1, grown(group, face, triplets, runs, pair), used + fill, part, more,
                               suits_after, group_after, fills_after)
        self.triplets[face] = self.fill[face] = 0

    cdef void emit_standard(self):
        cdef int face, wind
        melds = []
        for face in range(KINDS):
            melds += [(face, face, face)] * self.triplets[face]
            melds += [(face, face + 1, face + 2)] * self.runs[face]
        for wind in range(4):
            melds += [tuple([face for face in range(27, 31) if face != 27 + wind])] * self.without[wind]
        self.emit(tuple(sorted(melds)), (self.pair_face,), ())

    # ---------------------------------------------------------------------------- seven pairs, hands without a shape

    cdef void write_loose(self):
        cdef int shape = SHAPE_PAIRS if self.shape == SHAPE_DRAGON else self.shape
        cdef int face, state, fill, after, start
        cdef uint32_t mask
        if not shape_fits(&self.forms, &self.hand, shape):
            return
        memset(self.loose_good, 0, sizeof(self.loose_good))
        for state in range(64):
            if loose_code(&self.forms, shape, state) == self.code:
                self.loose_good[KINDS][state] = 1u << self.split.fills
        for face in range(KINDS - 1, -1, -1):
            for state in range(64):
                mask = 0
                for fill in range(self.split.room[face] + 1):
                    if loose_fits(shape, face, self.split.real[face] + fill):
                        after = loose_after(&self.forms, &self.split, shape, state, face, self.split.real[face] + fill)
                        mask |= self.loose_good[face + 1][after] >> fill
                self.loose_good[face][state] = mask
        start = self.hand.open_suits | self.hand.open_others << 4
        self.walk_loose(shape, 0, start, 0)

    cdef void walk_loose(self, int shape, int face, int state, int used):
        cdef int fill, after
        if len(self.found) >= self.limit or not self.loose_good[face][state] >> used & 1:
            return
        if face == KINDS:
            faces = []
            for face in range(KINDS):
                faces += [face] * (self.split.real[face] + self.fill[face])
            if shape == SHAPE_PAIRS:
                self.emit((), tuple(faces[::2]), ())
            else:
                self.emit((), (), tuple(faces))
            return
        for fill in range(self.split.room[face] + 1):
            if loose_fits(shape, face, self.split.real[face] + fill):
                self.fill[face] = fill
                after = loose_after(&self.forms, &self.split, shape, state, face, self.split.real[face] + fill)
                self.walk_loose(shape, face + 1, after, used + fill)
        self.fill[face] = 0

    cdef void emit(self, tuple melds, tuple pairs, tuple singles):
        cdef int face
        self.found.append((
            melds, pairs, singles,
            tuple([self.split.real[face] for face in range(KINDS)]),
            tuple([self.split.proper[face] for face in range(KINDS)]),
            tuple([self.split.itself[face] for face in range(KINDS)]),
            tuple([self.fill[face] for face in range(KINDS)]),
        ))
