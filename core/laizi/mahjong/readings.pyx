"""Which readings a hand has, for every option of shapes and wilds, exactly.

A reading gives each wild and each stand-in a face and cuts the tiles into a shape. What it is worth depends on a few
features only, so the readings are not listed: for every split of the wilds into those that are themselves and those
that stand for another tile, a pass over the faces keeps the sets of reachable features, with the number of filled
tiles as the bits of one mask.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memset


cdef int block_start(int block) noexcept nogil:
    # m, p, s, winds, dragons; block 5 is the end.
    return 9 * block if block < 4 else (31 if block == 4 else 34)


cdef int concealed_tiles(const Hand* hand) noexcept nogil:
    cdef int face, total = 0
    for face in range(KINDS):
        total += hand.counts[face]
    return total


# ------------------------------------------------------------------------------------------------------------- splits

cdef struct Splitting:
    const Forms* forms
    const Hand* hand
    split_visitor visit
    void* context
    Split split
    int32_t index


cdef void finish_split(Splitting* at) noexcept nogil:
    cdef Split* split = &at.split
    cdef const Hand* hand = at.hand
    cdef const Forms* forms = at.forms
    cdef int face, room, used
    at.index += 1
    for face in range(KINDS):
        room = split.fills if forms.fill >> face & 1 else 0
        # A wild that stood at its own face would be itself. Fills go round as long as those at the face of one kind
        # leave room elsewhere for all wilds of that kind (Hall: two faces together bar no kind).
        if room and forms.is_wild[face]:
            room -= hand.counts[face] - split.itself[face]
        if forms.four_copies:
            used = split.real[face] + hand.open_faces[face]
            if used > 4:
                return
            room = min(room, 4 - used)
        split.room[face] = <uint8_t>room
    split.lone_stands = hand.lone >= 0 and forms.is_wild[hand.lone] and split.itself[hand.lone] == 0
    at.visit(forms, hand, split, at.index, at.context)


cdef void stand_in_at(Splitting* at, int tile, int left, int wild) noexcept nogil:
    # `left` stand-ins of one kind among the faces of the wilds from `wild` on; the rest of them are themselves.
    cdef int count
    while wild < KINDS and not at.forms.is_wild[wild]:
        wild += 1
    if wild == KINDS:
        at.split.real[tile] += left
        at.split.proper[tile] += left
        split_from(at, tile + 1)
        at.split.real[tile] -= left
        at.split.proper[tile] -= left
        return
    for count in range(left + 1):
        at.split.real[wild] += count
        stand_in_at(at, tile, left - count, wild + 1)
        at.split.real[wild] -= count


cdef void split_from(Splitting* at, int tile) noexcept nogil:
    cdef int held, itself
    cdef Split* split = &at.split
    if tile == KINDS:
        finish_split(at)
        return
    held = at.hand.counts[tile]
    if held and at.forms.is_wild[tile]:
        for itself in range(held, -1, -1):
            split.real[tile] += itself
            split.proper[tile] += itself
            split.itself[tile] = itself
            split.fills += held - itself
            split_from(at, tile + 1)
            split.real[tile] -= itself
            split.proper[tile] -= itself
            split.fills -= held - itself
        split.itself[tile] = 0
    elif held and at.forms.is_stand_in[tile]:
        stand_in_at(at, tile, held, 0)
    else:
        split.real[tile] += held
        split.proper[tile] += held
        split_from(at, tile + 1)
        split.real[tile] -= held
        split.proper[tile] -= held


cdef void each_split(const Forms* forms, const Hand* hand, split_visitor visit, void* context) noexcept nogil:
    cdef Splitting at
    memset(&at, 0, sizeof(at))
    at.forms, at.hand, at.visit, at.context = forms, hand, visit, context
    split_from(&at, 0)


# --------------------------------------------------------------------------------------------------- melds and a pair

# The runs under way before a face: those one face old and two faces old, each x that hold a real tile and y that do
# not yet, as 6x + y. Without a bar on pure melds every run counts as holding one.
cdef struct Cell:
    uint8_t middle
    uint8_t old
    uint8_t group           # content * 3 + pair
    uint32_t mask

cdef struct Layer:
    int count
    Cell cells[2048]
    uint32_t stamp
    uint32_t stamps[PENDING * PENDING * 9]
    int16_t where[PENDING * PENDING * 9]


cdef void put(Layer* layer, int middle, int old, int group, uint32_t mask) noexcept nogil:
    cdef int key = (middle * PENDING + old) * 9 + group
    if layer.stamps[key] == layer.stamp:
        layer.cells[layer.where[key]].mask |= mask
        return
    layer.stamps[key] = layer.stamp
    layer.where[key] = layer.count
    layer.cells[layer.count] = Cell(middle, old, group, mask)
    layer.count += 1


cdef void advance(const Forms* forms, const Split* split, int face, int max_runs, int melds,
                  const Layer* before, Layer* after) noexcept nogil:
    cdef int real = split.real[face]
    cdef int index, runs, triplets, pair, fill, ended, begun
    cdef uint32_t mask, all_fills = (1u << (split.fills + 1)) - 1
    cdef const Cell* cell
    after.count = 0
    after.stamp += 1
    for index in range(before.count):
        cell = &before.cells[index]
        for pair in range(1 if cell.group % 3 else 2):
            for runs in range(min(max_runs, melds - cell.middle // 6 - cell.middle % 6) + 1):
                for triplets in range(melds + 1):
                    fill = fills_at(forms, real, cell.middle, cell.old, runs, triplets, pair, &ended, &begun)
                    if fill > split.room[face]:
                        break
                    if fill < 0:
                        continue
                    mask = cell.mask << fill & all_fills
                    if mask:
                        put(after, begun, ended, grown(cell.group, face, triplets, runs, pair), mask)


cdef void wind_runs_from(const Forms* forms, const Split* split, const int* without, int runs, int wind, int group,
                         int fills, int* touching, uint32_t* out) noexcept nogil:
    # Runs of any three winds: without[w] of them leave out wind w.
    cdef int triplets, pair, fill, real
    if wind == 4:
        if forms.barred_pure_meld and not winds_all_touched(without, touching, runs):
            return
        out[group] |= 1u << fills
        return
    real = split.real[27 + wind]
    for pair in range(1 if group % 3 else 2):
        if pair and real < forms.pair_reals:
            continue
        for triplets in range(MAX_MELDS + 1):
            fill = runs - without[wind] + 3 * triplets + 2 * pair - real
            if fill > split.room[27 + wind] or fills + fill > split.fills:
                break
            if fill < 0:
                continue
            touching[wind] = min(runs - without[wind], real - triplets - pair * forms.pair_reals)
            if forms.barred_pure_meld and real < triplets + pair * forms.pair_reals:
                continue
            wind_runs_from(forms, split, without, runs, wind + 1, grown(group, 27 + wind, triplets, runs, pair),
                           fills + fill, touching, out)


cdef void wind_block(const Forms* forms, const Split* split, int melds, uint32_t* out) noexcept nogil:
    cdef int without[4]
    cdef int touching[4]
    for without[0] in range(melds + 1):
        for without[1] in range(melds - without[0] + 1):
            for without[2] in range(melds - without[0] - without[1] + 1):
                for without[3] in range(melds - without[0] - without[1] - without[2] + 1):
                    wind_runs_from(forms, split, without, without[0] + without[1] + without[2] + without[3],
                                   0, 0, 0, touching, out)


cdef void fill_blocks(const Forms* forms, const Hand* hand, const Split* split, BlockMasks* out) noexcept nogil:
    cdef int melds = (concealed_tiles(hand) - 2) // 3
    cdef int block, face, index, reals, runs
    cdef Layer* layers = <Layer*>malloc(2 * sizeof(Layer))
    cdef Layer* here
    memset(layers, 0, 2 * sizeof(Layer))
    memset(out, 0, sizeof(BlockMasks))
    for block in range(BLOCKS):
        reals = 0
        for face in range(block_start(block), block_start(block + 1)):
            reals += split.real[face]
        out.reals[block] = reals
        if block == 3 and forms.wind_runs:
            wind_block(forms, split, melds, &out.mask[block][0])
            continue
        here = &layers[0]
        here.count = 0
        here.stamp += 1
        put(here, 0, 0, 0, 1)
        for face in range(block_start(block), block_start(block + 1)):
            runs = melds
            if face + 2 >= block_start(block + 1) or block == 3 or (block == 4 and not forms.dragon_runs):
                runs = 0
            advance(forms, split, face, runs, melds, here, &layers[1] if here == &layers[0] else &layers[0])
            here = &layers[1] if here == &layers[0] else &layers[0]
        for index in range(here.count):
            out.mask[block][here.cells[index].group] |= here.cells[index].mask
    free(layers)


cdef void add_feature(Features* found, uint8_t code, int fills, bint lone, int32_t index) noexcept nogil:
    if found.split[lone][code][fills] or found.count == 512:
        return
    found.split[lone][code][fills] = index
    found.code[found.count] = code
    found.fills[found.count] = fills
    found.lone[found.count] = lone
    found.count += 1


cdef void standard_features(const Forms* forms, const Hand* hand, const Split* split, int32_t index,
                            Features* found) noexcept nogil:
    cdef BlockMasks blocks
    cdef uint32_t reach[2][16][9]
    cdef int block, suits, group, part, now, after, fills, bit
    cdef uint32_t mask, part_mask
    fill_blocks(forms, hand, split, &blocks)
    memset(reach, 0, sizeof(reach))
    now = 0
    reach[0][hand.open_suits][hand.open_content * 3] = 1
    for block in range(BLOCKS):
        bit = 1 << min(block, 3)
        memset(reach[1 - now], 0, sizeof(reach[0]))
        for suits in range(16):
            for group in range(9):
                mask = reach[now][suits][group]
                if not mask:
                    continue
                for part in range(9):
                    part_mask = blocks.mask[block][part]
                    if not part_mask or (group % 3 and part % 3):
                        continue
                    for fills in range(split.fills + 1):
                        if part_mask >> fills & 1:
                            after = suits | (bit if fills or blocks.reals[block] else 0)
                            reach[1 - now][after][joined(group, part)] |= mask << fills
        now = 1 - now
    for suits in range(16):
        for group in range(9):
            if group % 3 and reach[now][suits][group] >> split.fills & 1:
                add_feature(found, feature(SHAPE_STANDARD, suits, group == 1, group < 6, group % 3 == 1),
                            split.fills, split.lone_stands, index)


# ----------------------------------------------------------------------------------- seven pairs, hands without a shape

cdef void loose_features(const Forms* forms, const Hand* hand, const Split* split, int32_t index, int shape,
                         Features* found) noexcept nogil:
    cdef uint32_t reach[2][64]
    cdef int now = 0, face, state, after, real, fill, code
    cdef uint32_t mask
    memset(reach, 0, sizeof(reach))
    reach[0][hand.open_suits | hand.open_others << 4] = 1
    for face in range(KINDS):
        real = split.real[face]
        if real == 0 and split.room[face] == 0:
            continue
        memset(reach[1 - now], 0, sizeof(reach[0]))
        for state in range(64):
            mask = reach[now][state]
            if not mask:
                continue
            for fill in range(split.room[face] + 1):
                if loose_fits(shape, face, real + fill):
                    after = loose_after(forms, split, shape, state, face, real + fill)
                    reach[1 - now][after] |= mask << fill
        now = 1 - now
    for state in range(64):
        if reach[now][state] >> split.fills & 1:
            code = loose_code(forms, shape, state)
            if code >= 0:
                add_feature(found, <uint8_t>code, split.fills, split.lone_stands, index)


cdef bint shape_fits(const Forms* forms, const Hand* hand, int shape) noexcept nogil:
    if shape == SHAPE_PAIRS:
        return (forms.shapes & (1 << SHAPE_PAIRS | 1 << SHAPE_DRAGON) and not hand.open_melds
                and concealed_tiles(hand) == 14)
    if not forms.shapes >> shape & 1:
        return False
    if shape == SHAPE_WIND:
        return hand.open_suits & 7 == 0
    return shape != SHAPE_JIANG or not hand.open_others


cdef void features_of_split(const Forms* forms, const Hand* hand, const Split* split, int32_t index,
                            void* context) noexcept nogil:
    cdef Features* found = <Features*>context
    if shape_fits(forms, hand, SHAPE_STANDARD):
        standard_features(forms, hand, split, index, found)
    if shape_fits(forms, hand, SHAPE_PAIRS):
        loose_features(forms, hand, split, index, SHAPE_PAIRS, found)
    if shape_fits(forms, hand, SHAPE_WIND):
        loose_features(forms, hand, split, index, SHAPE_WIND, found)
    if shape_fits(forms, hand, SHAPE_JIANG):
        loose_features(forms, hand, split, index, SHAPE_JIANG, found)


cdef void find_features(const Forms* forms, const Hand* hand, Features* found) noexcept nogil:
    """Every feature code that some reading has, with the number of wilds that stand for another tile."""
    memset(found, 0, sizeof(Features))
    each_split(forms, hand, features_of_split, found)
