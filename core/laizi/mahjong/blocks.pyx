"""What the tiles of one suit, of the winds or of the dragons can be completed to, for every number of fills at once."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from laizi.mahjong.readings cimport (
    BLOCKS, KINDS, MAX_MELDS, PENDING, BlockMasks, Forms, Hand, Split,
    block_start, concealed_tiles, fills_at, grown, winds_all_touched,
)

cdef extern from *:
    """
    /* The working memory of a thread: too much to clear for every hand. */
    #define LAIZI_LAYER_BYTES 90112
    #define LAIZI_KNOWN_BLOCKS 8192
    #define LAIZI_KNOWN_SHIFT 51
    #define LAIZI_KNOWN_BYTES (LAIZI_KNOWN_BLOCKS * 56)
    static _Thread_local unsigned long long laizi_layers[LAIZI_LAYER_BYTES / 8];
    static _Thread_local unsigned long long laizi_known[LAIZI_KNOWN_BYTES / 8];
    """
    const size_t LAYER_BYTES "LAIZI_LAYER_BYTES"
    const size_t KNOWN_BYTES "LAIZI_KNOWN_BYTES"
    const int KNOWN_BLOCKS "LAIZI_KNOWN_BLOCKS"
    const int KNOWN_SHIFT "LAIZI_KNOWN_SHIFT"
    unsigned long long* LAYERS "laizi_layers"
    unsigned long long* KNOWN "laizi_known"

cdef enum:
    ORDINARY_FILLS = 4
    MOST_FILLS = 17


# The runs under way before a face: those one face old and two faces old, each x that hold a real tile and y that do
# not yet, as 6x + y. Without a bar on pure melds every run counts as holding one.
cdef struct Cell:
    uint8_t middle
    uint8_t old
    uint8_t group           # content * 3 + pair
    uint16_t key
    uint32_t mask

# A set of cells: where[key] tells the place of a cell that is in it; other entries hold anything.
cdef struct Layer:
    int count
    Cell cells[1700]
    uint16_t where[PENDING * PENDING * 9]

if 2 * sizeof(Layer) > LAYER_BYTES:
    raise SystemError("the working memory of a thread is too small for the layers")


cdef void put(Layer* layer, int middle, int old, int group, uint32_t mask) noexcept nogil:
    cdef int key = (middle * PENDING + old) * 9 + group, place = layer.where[key]
    if place < layer.count and layer.cells[place].key == key:
        layer.cells[place].mask |= mask
        return
    layer.where[key] = layer.count
    layer.cells[layer.count] = Cell(middle, old, group, key, mask)
    layer.count += 1


cdef void advance(const Forms* forms, const Split* split, int face, int max_runs, int melds,
                  const Layer* before, Layer* after) noexcept nogil:
    cdef int real = split.real[face]
    cdef int index, runs, triplets, pair, fill, ended, begun
    cdef uint32_t mask, all_fills = (1u << (split.fills + 1)) - 1
    cdef const Cell* cell
    after.count = 0
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


cdef void fill_block(const Forms* forms, const Split* split, int block, int melds, uint32_t* out) noexcept nogil:
    cdef Layer* layers = <Layer*>LAYERS
    cdef Layer* here = &layers[0]
    cdef int face, index, runs
    if block == 3 and forms.wind_runs:
        wind_block(forms, split, melds, out)
        return
    here.count = 0
    put(here, 0, 0, 0, 1)
    for face in range(block_start(block), block_start(block + 1)):
        runs = melds
        if face + 2 >= block_start(block + 1) or block == 3 or (block == 4 and not forms.dragon_runs):
            runs = 0
        advance(forms, split, face, runs, melds, here, &layers[1] if here == &layers[0] else &layers[0])
        here = &layers[1] if here == &layers[0] else &layers[0]
    for index in range(here.count):
        out[here.cells[index].group] |= here.cells[index].mask


# ----------------------------------------------------------------------------------------- blocks that were seen before

# The same few tiles of a suit come back in hand after hand. A block is told by its real tiles and rooms, five bits a
# face, and by the rest that decides: kind, options, fills, melds.
cdef struct Known:
    uint64_t key[2]
    uint32_t mask[9]

if KNOWN_BLOCKS * sizeof(Known) > KNOWN_BYTES:
    raise SystemError("the working memory of a thread is too small for the blocks")


# Blocks are completed with more fills than asked for, that more hands find them; a room that is no limit counts as so.
cdef inline int fills_looked_at(int fills) noexcept nogil:
    return 0 if fills == 0 else ORDINARY_FILLS if fills <= ORDINARY_FILLS else MOST_FILLS


cdef inline void read_key(const Forms* forms, const Split* split, int block, int melds, int fills,
                          uint64_t* key) noexcept nogil:
    cdef uint64_t reals = 0, rooms = 0
    cdef int face
    for face in range(block_start(block), block_start(block + 1)):
        reals = reals << 5 | split.real[face]
        rooms = rooms << 5 | (split.room[face] if split.room[face] < split.fills else fills)
    key[0] = reals << 5 | fills
    key[1] = (rooms << 3 | melds) << 2 | max(block - 2, 0)
    key[1] = (key[1] << 2 | forms.pair_reals) << 3 | forms.barred_pure_meld << 2
    key[1] = key[1] | (block == 3 and forms.wind_runs) << 1 | (block == 4 and forms.dragon_runs)


cdef void fill_blocks(const Forms* forms, const Hand* hand, const Split* split, BlockMasks* out) noexcept nogil:
    cdef int melds = (concealed_tiles(hand) - 2) // 3
    cdef int block, face, reals
    cdef int looked_at = fills_looked_at(split.fills), part
    cdef uint32_t asked = (2u << split.fills) - 1
    cdef uint64_t key[2]
    cdef Known* known
    cdef Split wider
    cdef bint widened = False
    memset(out, 0, sizeof(BlockMasks))
    for block in range(BLOCKS):
        reals = 0
        for face in range(block_start(block), block_start(block + 1)):
            reals += split.real[face]
        out.reals[block] = reals
        if reals == 0 and split.fills == 0:
            out.mask[block][0] = 1
            continue
        read_key(forms, split, block, melds, looked_at, key)
        known = &(<Known*>KNOWN)[(key[0] * 0x9E3779B97F4A7C15ULL ^ key[1] * 0xD1B54A32D192ED03ULL) >> KNOWN_SHIFT]
        if known.key[0] != key[0] or known.key[1] != key[1]:
            if not widened:
                wider, widened = split[0], True
                wider.fills = looked_at
                for face in range(KINDS):
                    if split.room[face] >= split.fills:
                        wider.room[face] = looked_at
            memset(known.mask, 0, sizeof(known.mask))
            fill_block(forms, &wider, block, melds, known.mask)
            known.key[0], known.key[1] = key[0], key[1]
        for part in range(9):
            out.mask[block][part] = known.mask[part] & asked
