from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    KINDS = 34
    MAX_HELD = 17       # concealed tiles
    MAX_MELDS = 5
    BLOCKS = 5          # m, p, s, winds, dragons
    FILL_STATES = 18    # 0..17 tiles filled by wilds
    FEATURE_SIZE = 256
    PENDING = 36        # runs under way at a face, by how many hold a real tile

    SHAPE_STANDARD = 0
    SHAPE_PAIRS = 1     # seven pairs without a four that counts
    SHAPE_DRAGON = 2    # seven pairs with one
    SHAPE_WIND = 3
    SHAPE_JIANG = 4

    SUIT_MIXED = 0
    SUIT_ONE = 1
    SUIT_HONOURS = 2


# What the shapes and the wilds may be, compiled from a rule set.
cdef struct Forms:
    uint64_t tiles          # the tile set, a bit a face
    uint64_t fill           # the faces that a wild may take besides its own
    uint8_t is_wild[KINDS]
    uint8_t is_stand_in[KINDS]
    uint8_t shapes          # bit SHAPE_...; SHAPE_DRAGON alone: only with a four
    bint four_copies        # no face more than four times, melds included
    uint8_t pair_reals      # tiles of the pair that no wild stands in for, at least: 0, 1, 2
    bint barred_pure_meld   # no meld only of wilds that stand for another tile
    bint wind_runs
    bint dragon_runs
    bint dragon_by_wild


# The concealed tiles, and what the melds on the table add to a reading.
cdef struct Hand:
    uint8_t counts[KINDS]
    uint8_t open_faces[KINDS]
    uint8_t open_suits      # bits m, p, s, honours
    uint8_t open_content    # 0 only 2-5-8 triplets (or nothing), 1 triplets, 2 a run
    bint open_others        # a face other than 2, 5, 8
    int open_melds
    int lone                # the concealed tile before the win, where it is the only one; else -1


# One way to say which wilds and stand-ins play which part: the tiles that count as real by their faces, and the number
# of wilds that stand for another tile, with the room that they find at each face.
cdef struct Split:
    uint8_t real[KINDS]
    uint8_t proper[KINDS]   # real tiles of that very kind
    uint8_t room[KINDS]
    int fills
    uint8_t itself[KINDS]   # wilds of each kind that are themselves
    bint lone_stands        # the lone tile is a wild that stands for another tile


# Every kind of reading that exists, by its features and the number of wilds that stand for another tile, with the index
# of the first split that has it.
cdef struct Features:
    uint32_t seen[2][FEATURE_SIZE]  # bit n: it exists with n fills; [1] with the lone tile among them
    uint16_t count
    int32_t split[512]
    uint8_t code[512]
    uint8_t fills[512]
    uint8_t lone[512]


cdef struct BlockMasks:
    uint32_t mask[BLOCKS][9]  # [block][content * 3 + pair]: bit n = it can be completed with n fills
    uint8_t reals[BLOCKS]


# The first face of a block; block 5 is the end.
cdef inline int block_start(int block) noexcept nogil:
    return 9 * block if block < 4 else (31 if block == 4 else 34)


cdef inline bint is_258(int face) noexcept nogil:
    return face < 27 and face % 3 == 1


cdef inline int suit_of(int face) noexcept nogil:
    return face // 9 if face < 27 else 3


cdef inline uint8_t feature(int shape, int suits, bint jiang, bint triplets, bint pair_258) noexcept nogil:
    cdef int one = SUIT_HONOURS if suits == 8 else SUIT_ONE if suits in (1, 2, 4) else SUIT_MIXED
    return <uint8_t>(shape | one << 3 | jiang << 5 | triplets << 6 | pair_258 << 7)


cdef inline bint pairs_fit(const Forms* forms, const Hand* hand, int concealed) noexcept nogil:
    return forms.shapes & (1 << SHAPE_PAIRS | 1 << SHAPE_DRAGON) and not hand.open_melds and concealed == 14


# How many fills a face needs, or -1, for so many runs that begin there, triplets and pairs; `ended` is the state of the
# runs one face old as the next face sees them, `begun` that of the new ones. States are 6x + y: x runs that hold a
# real tile, y that do not yet; without a bar on pure melds every run counts as holding one.
cdef inline int fills_at(const Forms* forms, int real, int middle, int old, int runs, int triplets, int pair,
                         int* ended, int* begun) noexcept nogil:
    cdef int going = middle // 6 + middle % 6
    cdef int late = middle % 6, fresh = 0, spare
    if forms.barred_pure_meld:
        # Real tiles go first where the last chance is: runs that end here, triplets, the pair; then to runs that end at
        # the next face, then to those that begin here.
        spare = real - old % 6 - triplets - pair * forms.pair_reals
        if spare < 0:
            return -1
        late = max(middle % 6 - spare, 0)
        spare -= middle % 6 - late
        fresh = max(runs - spare, 0)
    elif pair and real < forms.pair_reals:
        return -1
    ended[0] = (going - late) * 6 + late
    begun[0] = (runs - fresh) * 6 + fresh
    return max(going + old // 6 + old % 6 + runs + 3 * triplets + 2 * pair - real, -1)


# Runs of any three winds, without[w] of them without wind w; touching[w] real tiles of w may stand in different runs.
# Each run needs one of its own (Hall: two runs that leave out different winds can use all).
cdef inline bint winds_all_touched(const int* without, const int* touching, int runs) noexcept nogil:
    cdef int wind, total = touching[0] + touching[1] + touching[2] + touching[3]
    if total < runs:
        return False
    for wind in range(4):
        if without[wind] > total - touching[wind]:
            return False
    return True


# content * 3 + pair. Content: 0 only 2-5-8 triplets, 1 triplets, 2 a run; pair: 0 none yet, 1 of 2-5-8, 2 another one.
cdef inline int grown(int group, int face, int triplets, int runs, int pair) noexcept nogil:
    cdef int content = group // 3
    if runs:
        content = 2
    elif triplets and not is_258(face):
        content = max(content, 1)
    return content * 3 + (group % 3 if not pair else 1 if is_258(face) else 2)


cdef inline int joined(int group, int part) noexcept nogil:
    return max(group // 3, part // 3) * 3 + group % 3 + part % 3


# Hands without melds: may a face stand there so many times, and the state after it:
# suits | others << 4 | four << 5, where `others` is a face other than 2, 5, 8.
cdef inline bint loose_fits(int shape, int face, int count) noexcept nogil:
    if shape == SHAPE_PAIRS:
        return count % 2 == 0
    return count == 0 or (face >= 27 if shape == SHAPE_WIND else is_258(face))


cdef inline int loose_after(const Forms* forms, const Split* split, int shape, int state, int face,
                            int count) noexcept nogil:
    if count:
        state |= 1 << suit_of(face)
        if not is_258(face):
            state |= 16
        if shape == SHAPE_PAIRS and (count if forms.dragon_by_wild else split.proper[face]) >= 4:
            state |= 32
    return state


cdef inline int loose_code(const Forms* forms, int shape, int state) noexcept nogil:
    """The feature code, or -1 for a seven-pairs hand that the shapes do not allow."""
    if shape == SHAPE_PAIRS and state & 32:
        shape = SHAPE_DRAGON
    elif shape == SHAPE_PAIRS and not forms.shapes >> SHAPE_PAIRS & 1:
        return -1
    return feature(shape, state & 15, not state & 16, False, False)


ctypedef void (*split_visitor)(const Forms*, const Hand*, const Split*, int32_t, void*) noexcept nogil
# Is given the code of each kind of reading that a split has, and the block masks where it is melds and a pair.
ctypedef void (*feature_taker)(uint8_t, const Split*, const BlockMasks*, int32_t, void*) noexcept nogil

cdef void each_split(const Forms* forms, const Hand* hand, split_visitor visit, void* context) noexcept nogil
cdef void standard_features(const Forms* forms, const Hand* hand, const Split* split, int32_t index,
                            feature_taker take, void* context) noexcept nogil
cdef void loose_shape_features(const Forms* forms, const Hand* hand, const Split* split, int32_t index,
                               feature_taker take, void* context) noexcept nogil
cdef void find_features(const Forms* forms, const Hand* hand, Features* found) noexcept nogil
cdef int concealed_tiles(const Hand* hand) noexcept nogil
cdef bint shape_fits(const Forms* forms, const Hand* hand, int shape) noexcept nogil
