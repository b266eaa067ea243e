"""Which readings a hand has, for every option of shapes and wilds, exactly.

A reading gives each wild and each stand-in a face and cuts the tiles into a shape. What it is worth depends on a few
features only, so the readings are not listed: for every split of the wilds into those that are themselves and those
that stand for another tile, a pass over the faces keeps the sets of reachable features, with the number of filled
tiles as the bits of one mask.
"""

from libc.string cimport memset

from laizi.bits cimport lowest
from laizi.mahjong.blocks cimport fill_blocks


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

cdef inline uint32_t sums_of(uint32_t numbers, uint32_t others) noexcept nogil:
    """The sums of a number of one set and one of another."""
    cdef uint32_t sums = 0
    while others:
        sums |= numbers << lowest(others)
        others &= others - 1
    return sums


cdef void standard_features(const Forms* forms, const Hand* hand, const Split* split, int32_t index,
                            feature_taker take, void* context) noexcept nogil:
    """Tell the kinds of readings that are melds and a pair."""
    cdef BlockMasks blocks
    cdef uint32_t reach[2][16][9]
    cdef int block, suits, group, part, now, bit
    cdef uint32_t mask, part_mask, none, some, reached, reached_after, all_fills = (1u << (split.fills + 1)) - 1
    fill_blocks(forms, hand, split, &blocks)
    memset(reach, 0, sizeof(reach))
    now = 0
    reach[0][hand.open_suits][hand.open_content * 3] = 1
    reached = 1 << hand.open_suits
    for block in range(BLOCKS):
        bit = 1 << min(block, 3)
        memset(reach[1 - now], 0, sizeof(reach[0]))
        reached_after = 0
        for suits in range(16):
            if not reached >> suits & 1:
                continue
            for group in range(9):
                mask = reach[now][suits][group]
                if not mask:
                    continue
                for part in range(9):
                    part_mask = blocks.mask[block][part]
                    if not part_mask or (group % 3 and part % 3):
                        continue
                    # Tiles that are filled show the suit as real ones do.
                    none, some = part_mask & 1, part_mask & ~<uint32_t>1
                    if blocks.reals[block]:
                        none, some = 0, part_mask
                    if none:
                        reach[1 - now][suits][joined(group, part)] |= mask
                        reached_after |= 1 << suits
                    some = sums_of(mask, some) & all_fills
                    if some:
                        reach[1 - now][suits | bit][joined(group, part)] |= some
                        reached_after |= 1 << (suits | bit)
        now, reached = 1 - now, reached_after
    for suits in range(16):
        for group in range(9):
            if group % 3 and reach[now][suits][group] >> split.fills & 1:
                take(feature(SHAPE_STANDARD, suits, group == 1, group < 6, group % 3 == 1), split, &blocks, index,
                     context)


# ----------------------------------------------------------------------------------- seven pairs, hands without a shape

cdef inline bint loose_possible(const Split* split, int shape) noexcept nogil:
    """The real tiles alone do not rule it out."""
    cdef int face, single = 0
    for face in range(KINDS):
        if shape == SHAPE_PAIRS:
            single += split.real[face] & 1
        elif split.real[face] and not loose_fits(shape, face, 1):
            return False
    return single <= split.fills


cdef void loose_features(const Forms* forms, const Hand* hand, const Split* split, int32_t index, int shape,
                         feature_taker take, void* context) noexcept nogil:
    cdef uint32_t reach[2][64]
    cdef int now = 0, face, state, after, real, fill, code
    cdef uint64_t states, left      # that are reached, a bit each
    if not shape_fits(forms, hand, shape) or not loose_possible(split, shape):
        return
    state = hand.open_suits | hand.open_others << 4
    reach[0][state] = 1
    states = 1ULL << state
    for face in range(KINDS):
        real = split.real[face]
        if real == 0 and split.room[face] == 0:
            continue
        left, states = states, 0
        while left:
            state = lowest(left)
            left &= left - 1
            for fill in range(split.room[face] + 1):
                if loose_fits(shape, face, real + fill):
                    after = loose_after(forms, split, shape, state, face, real + fill)
                    if not states >> after & 1:
                        states |= 1ULL << after
                        reach[1 - now][after] = 0
                    reach[1 - now][after] |= reach[now][state] << fill
        now = 1 - now
    while states:
        state = lowest(states)
        states &= states - 1
        if reach[now][state] >> split.fills & 1:
            code = loose_code(forms, shape, state)
            if code >= 0:
                take(<uint8_t>code, split, NULL, index, context)


cdef bint shape_fits(const Forms* forms, const Hand* hand, int shape) noexcept nogil:
    if shape == SHAPE_PAIRS:
        return pairs_fit(forms, hand, concealed_tiles(hand))
    if not forms.shapes >> shape & 1:
        return False
    if shape == SHAPE_WIND:
        return hand.open_suits & 7 == 0
    return shape != SHAPE_JIANG or not hand.open_others


cdef void loose_shape_features(const Forms* forms, const Hand* hand, const Split* split, int32_t index,
                               feature_taker take, void* context) noexcept nogil:
    """Tell the kinds of readings that are seven pairs or have no shape."""
    loose_features(forms, hand, split, index, SHAPE_PAIRS, take, context)
    loose_features(forms, hand, split, index, SHAPE_WIND, take, context)
    loose_features(forms, hand, split, index, SHAPE_JIANG, take, context)


cdef void add_feature(uint8_t code, const Split* split, const BlockMasks* blocks, int32_t index,
                      void* context) noexcept nogil:
    cdef Features* found = <Features*>context
    cdef uint32_t* seen = &found.seen[split.lone_stands][code]
    if seen[0] >> split.fills & 1 or found.count == 512:
        return
    seen[0] |= 1u << split.fills
    found.split[found.count] = index
    found.code[found.count] = code
    found.fills[found.count] = split.fills
    found.lone[found.count] = split.lone_stands
    found.count += 1


cdef void add_features(const Forms* forms, const Hand* hand, const Split* split, int32_t index,
                       void* context) noexcept nogil:
    if shape_fits(forms, hand, SHAPE_STANDARD):
        standard_features(forms, hand, split, index, add_feature, context)
    loose_shape_features(forms, hand, split, index, add_feature, context)


cdef void find_features(const Forms* forms, const Hand* hand, Features* found) noexcept nogil:
    """Every feature code that some reading has, with the number of wilds that stand for another tile."""
    memset(found, 0, sizeof(Features))
    each_split(forms, hand, add_features, found)
