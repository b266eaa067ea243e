"""How many tiles a hand lacks for a win, for every option of shapes and wilds, exactly.

As in `readings`, a pass over the faces, for every split of the wilds. Tiles may be left out here, and drawn: at each
face some held tiles are used, some drawn while copies are left, and the rest filled by wilds, held or drawn. A value
holds, for each number of fills, the fewest real tiles drawn.
"""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from laizi.mahjong.readings cimport (
    BLOCKS, KINDS, PENDING, SHAPE_DRAGON, SHAPE_JIANG, SHAPE_PAIRS, SHAPE_STANDARD, SHAPE_WIND,
    Forms, Hand, Split, block_start, each_split, fills_at, is_258, loose_fits, winds_all_touched,
)

cdef enum:
    FILLS = 18
    FAR = 99
    GROUPS = 12             # melds * 2 + pair
    DRAWN_WILDS = 4         # a drawn wild serves only where the copies of a face have run out


cdef struct Value:
    uint8_t drawn[FILLS]


cdef struct Cell:
    uint8_t middle
    uint8_t old
    uint8_t group
    Value value

cdef struct Layer:
    int count
    Cell cells[4096]
    uint32_t stamp
    uint32_t stamps[PENDING * PENDING * GROUPS]
    int16_t where[PENDING * PENDING * GROUPS]

cdef struct Search:
    const Forms* forms
    const Hand* hand
    const Split* split
    uint8_t left[KINDS]     # copies that can be drawn to be that face
    uint8_t wild_left[KINDS]  # those of them that are wild
    int melds
    bint pair_258
    int most_fills
    int wilds_left
    int best
    Layer* layers


cdef inline bint any_split_serves(const Forms* forms) noexcept nogil:
    """A wild may fill its own face too, so that a wild that is itself adds nothing."""
    return forms.pair_reals == 0 and not forms.barred_pure_meld and forms.fill == forms.tiles and forms.dragon_by_wild


cdef inline int room_at(const Search* at, int face) noexcept nogil:
    if at.forms.four_copies:
        return 4 - at.hand.open_faces[face]
    return FAR


cdef void put(Layer* layer, int middle, int old, int group, const Value* value, int fill, int drawn,
              int most) noexcept nogil:
    cdef int key = (middle * PENDING + old) * GROUPS + group, fills, more
    cdef Cell* cell
    if layer.stamps[key] != layer.stamp:
        layer.stamps[key] = layer.stamp
        layer.where[key] = layer.count
        cell = &layer.cells[layer.count]
        cell.middle, cell.old, cell.group = middle, old, group
        memset(&cell.value, FAR, sizeof(Value))
        layer.count += 1
    cell = &layer.cells[layer.where[key]]
    for fills in range(most - fill + 1):
        more = value.drawn[fills] + drawn
        if more < cell.value.drawn[fills + fill]:
            cell.value.drawn[fills + fill] = <uint8_t>more


cdef void advance(const Search* at, int face, int max_runs, const Layer* before, Layer* after) noexcept nogil:
    cdef int held = at.split.real[face], most = held + at.left[face], room = room_at(at, face)
    cdef bint fillable = at.forms.fill >> face & 1
    cdef int index, runs, triplets, pair, need, used, fill, going, melds, ended = 0, begun = 0
    cdef const Cell* cell
    after.count = 0
    after.stamp += 1
    for index in range(before.count):
        cell = &before.cells[index]
        melds = cell.group // 2
        going = cell.middle // 6 + cell.middle % 6 + cell.old // 6 + cell.old % 6
        for pair in range(1 if cell.group & 1 or (at.pair_258 and not is_258(face)) else 2):
            for runs in range(min(max_runs, at.melds - melds) + 1):
                for triplets in range(at.melds - melds - runs + 1):
                    need = going + runs + 3 * triplets + 2 * pair
                    if need > room:
                        break
                    for used in range(min(need, held), min(need, most) + 1):
                        if used < need and not fillable:
                            continue
                        fill = fills_at(at.forms, used, cell.middle, cell.old, runs, triplets, pair, &ended, &begun)
                        if 0 <= fill <= at.most_fills:
                            put(after, begun, ended, cell.group + 2 * (runs + triplets) + pair, &cell.value, fill,
                                max(used - held, 0), at.most_fills)


cdef void wind_from(const Search* at, const int* without, int runs, int wind, int group, int fills, int drawn,
                    int* touching, Value* out) noexcept nogil:
    cdef int face = 27 + wind, held, pair, triplets, need, used, spare
    if wind == 4:
        if not at.forms.barred_pure_meld or winds_all_touched(without, touching, runs):
            if drawn < out[group].drawn[fills]:
                out[group].drawn[fills] = <uint8_t>drawn
        return
    held = at.split.real[face]
    for pair in range(1 if group & 1 or at.pair_258 else 2):
        for triplets in range(at.melds - group // 2 + 1):
            need = runs - without[wind] + 3 * triplets + 2 * pair
            if need > room_at(at, face):
                break
            for used in range(min(need, held), min(need, held + at.left[face]) + 1):
                spare = used - triplets - pair * at.forms.pair_reals
                if fills + need - used > at.most_fills or (used < need and not at.forms.fill >> face & 1):
                    continue
                if (at.forms.barred_pure_meld and spare < 0) or (pair and used < at.forms.pair_reals):
                    continue
                touching[wind] = min(runs - without[wind], spare)
                wind_from(at, without, runs, wind + 1, group + 2 * triplets + pair, fills + need - used,
                          drawn + max(used - held, 0), touching, out)


cdef void wind_block(const Search* at, Value* out) noexcept nogil:
    cdef int without[4]
    cdef int touching[4]
    cdef int runs
    for without[0] in range(at.melds + 1):
        for without[1] in range(at.melds - without[0] + 1):
            for without[2] in range(at.melds - without[0] - without[1] + 1):
                for without[3] in range(at.melds - without[0] - without[1] - without[2] + 1):
                    runs = without[0] + without[1] + without[2] + without[3]
                    wind_from(at, without, runs, 0, 2 * runs, 0, 0, touching, out)


cdef void block_values(Search* at, int block, Value* out) noexcept nogil:
    cdef int face, runs, index
    cdef Layer* here = &at.layers[0]
    cdef Layer* after = &at.layers[1]
    cdef Value none
    memset(out, FAR, GROUPS * sizeof(Value))
    if block == 3 and at.forms.wind_runs:
        wind_block(at, out)
        return
    memset(&none, FAR, sizeof(none))
    none.drawn[0] = 0
    here.count = 0
    here.stamp += 1
    put(here, 0, 0, 0, &none, 0, 0, 0)
    for face in range(block_start(block), block_start(block + 1)):
        runs = at.melds
        if face + 2 >= block_start(block + 1) or block == 3 or (block == 4 and not at.forms.dragon_runs):
            runs = 0
        advance(at, face, runs, here, after)
        here, after = after, here
    for index in range(here.count):
        out[here.cells[index].group] = here.cells[index].value


cdef void settle(Search* at, const Value* value) noexcept nogil:
    cdef int fills, wilds
    for fills in range(at.most_fills + 1):
        wilds = max(fills - at.split.fills, 0)
        if wilds <= at.wilds_left and value.drawn[fills] + wilds < at.best:
            at.best = value.drawn[fills] + wilds


cdef void standard_missing(Search* at) noexcept nogil:
    cdef Value total[GROUPS]
    cdef Value joined[GROUPS]
    cdef Value part[GROUPS]
    cdef int block, group, more, fills, extra, drawn, index
    memset(total, FAR, sizeof(total))
    total[0].drawn[0] = 0
    for block in range(BLOCKS):
        block_values(at, block, part)
        memset(joined, FAR, sizeof(joined))
        for group in range(GROUPS):
            for more in range(2 * at.melds + 2 - group):
                if group & more & 1:
                    continue
                for fills in range(at.most_fills + 1):
                    if total[group].drawn[fills] >= FAR:
                        continue
                    for extra in range(at.most_fills - fills + 1):
                        drawn = total[group].drawn[fills] + part[more].drawn[extra]
                        if drawn < joined[group + more].drawn[fills + extra]:
                            joined[group + more].drawn[fills + extra] = <uint8_t>drawn
        for index in range(GROUPS):
            total[index] = joined[index]
    settle(at, &total[2 * at.melds + 1])


cdef void loose_missing(Search* at, int shape) noexcept nogil:
    # States: tiles so far * 2 + whether a face stands there four times, where seven pairs ask for it.
    cdef Value states[36]
    cdef Value after[36]
    cdef int wanted = 3 * at.melds + 2, face, state, count, used, fill, held, left, next_state, fills, drawn, index
    cdef bint serves = any_split_serves(at.forms), four
    memset(states, FAR, sizeof(states))
    states[0].drawn[0] = 0
    for face in range(KINDS):
        held = at.split.real[face]
        # A drawn wild counts once: where it may fill any face, its own too, it is one of the fills.
        left = at.left[face] - at.wild_left[face] if serves else at.left[face]
        memset(after, FAR, sizeof(after))
        for state in range(2 * wanted + 2):
            for count in range(min(wanted - state // 2, room_at(at, face)) + 1):
                if not loose_fits(shape, face, count):
                    continue
                for used in range(min(count, held), min(count, held + left) + 1):
                    fill = count - used
                    if fill and not at.forms.fill >> face & 1:
                        continue
                    four = count >= 4 if at.forms.dragon_by_wild else \
                        min(used, at.split.proper[face]) + max(used - held, 0) >= 4
                    next_state = state + 2 * count | four
                    for fills in range(at.most_fills - fill + 1):
                        drawn = states[state].drawn[fills] + max(used - held, 0)
                        if drawn < after[next_state].drawn[fills + fill]:
                            after[next_state].drawn[fills + fill] = <uint8_t>drawn
        for index in range(36):
            states[index] = after[index]
    settle(at, &states[2 * wanted + 1])
    if shape != SHAPE_PAIRS or at.forms.shapes >> SHAPE_PAIRS & 1:
        settle(at, &states[2 * wanted])


cdef void search_split(const Forms* forms, const Hand* hand, const Split* split, int32_t index,
                       void* context) noexcept nogil:
    cdef Search* at = <Search*>context
    cdef int face
    if any_split_serves(forms):
        for face in range(KINDS):
            if split.itself[face]:
                return
    at.split = split
    at.most_fills = min(split.fills + min(at.wilds_left, DRAWN_WILDS), FILLS - 1)
    if forms.shapes >> SHAPE_STANDARD & 1:
        standard_missing(at)
    # Of the tiles of a loose shape fewer may exist than it wants.
    at.most_fills = min(split.fills + at.wilds_left, FILLS - 1)
    if forms.shapes & (1 << SHAPE_PAIRS | 1 << SHAPE_DRAGON) and at.melds == 4 and not hand.open_melds:
        loose_missing(at, SHAPE_PAIRS)
    if forms.shapes >> SHAPE_WIND & 1 and hand.open_suits & 7 == 0:
        loose_missing(at, SHAPE_WIND)
    if forms.shapes >> SHAPE_JIANG & 1 and not hand.open_others:
        loose_missing(at, SHAPE_JIANG)


cdef int missing_tiles(const Forms* forms, const Hand* hand, const uint8_t* shown, int melds,
                       bint pair_258) noexcept nogil:
    cdef Search at
    cdef int tile, wild, left
    memset(&at, 0, sizeof(at))
    at.forms, at.hand, at.melds, at.pair_258, at.best = forms, hand, melds, pair_258, FAR
    for tile in range(KINDS):
        left = 4 - hand.counts[tile] - (shown[tile] if shown != NULL else 0)
        if not forms.tiles >> tile & 1 or left <= 0:
            continue
        at.left[tile] += left
        if forms.is_wild[tile]:
            at.wilds_left += left
            at.wild_left[tile] = left
        elif forms.is_stand_in[tile]:
            for wild in range(KINDS):
                if forms.is_wild[wild]:
                    at.left[wild] += left
    at.layers = <Layer*>malloc(2 * sizeof(Layer))
    memset(at.layers, 0, 2 * sizeof(Layer))
    each_split(forms, hand, search_split, &at)
    free(at.layers)
    return at.best if at.best < FAR else NEVER_MISSING
