"""Readings written out: which groups a hand is cut into, and which wild and stand-in has which face there.

The order is fixed, so that the first of several readings of equal worth is always the same.
"""

from libc.string cimport memcpy, memset

from laizi.mahjong.readings cimport (
    SHAPE_DRAGON, SHAPE_PAIRS, SHAPE_STANDARD, block_start, concealed_tiles, feature, fills_at, grown, joined,
    loose_after, loose_code, loose_fits, shape_fits, winds_all_touched,
)


cdef void write_split(const Forms* forms, const Hand* hand, const Split* split, const BlockMasks* blocks,
                      uint8_t code, written_taker take, void* context) noexcept nogil:
    """Give every reading of a split with one code; `blocks` are its masks where it is melds and a pair."""
    cdef Walk at
    at.forms, at.hand, at.split, at.blocks = forms, hand, split, blocks
    at.code, at.take, at.context = code, take, context
    at.done = False
    at.most_melds = (concealed_tiles(hand) - 2) // 3
    memset(at.fill, 0, sizeof(at.fill))
    if code & 7 == SHAPE_STANDARD:
        write_standard(&at)
    else:
        write_loose(&at)


cdef bint keep_first(const Written* written, void* context) noexcept nogil:
    (<Written*>context)[0] = written[0]
    return True


cdef void write_first(const Forms* forms, const Hand* hand, const Split* split, const BlockMasks* blocks,
                      uint8_t code, Written* out) noexcept nogil:
    write_split(forms, hand, split, blocks, code, keep_first, out)


# ----------------------------------------------------------------------------------------------------- melds and a pair

cdef inline int suits_after(const BlockMasks* blocks, int block, int suits, int fills) noexcept nogil:
    return suits | 1 << min(block, 3) if fills or blocks.reals[block] else suits


cdef void write_standard(Walk* at) noexcept nogil:
    cdef int suits, group
    memset(at.good, 0, sizeof(at.good))
    memset(at.tried, 0, sizeof(at.tried))
    memset(at.runs, 0, sizeof(at.runs))
    memset(at.triplets, 0, sizeof(at.triplets))
    memset(at.without, 0, sizeof(at.without))
    for suits in range(16):
        for group in range(9):
            if group % 3 and at.code == feature(SHAPE_STANDARD, suits, group == 1, group < 6, group % 3 == 1):
                at.good[BLOCKS][suits][group] = 1u << at.split.fills
    walk(at, 0, at.hand.open_suits, at.hand.open_content * 3, 0)


cdef bint leads_on(Walk* at, int block, int suits, int group, int fills) noexcept nogil:
    """With so many tiles filled so far, the blocks from this one on can still end at the code."""
    cdef int part, more
    if block == BLOCKS:
        return at.good[BLOCKS][suits][group] >> fills & 1
    if at.tried[block][suits][group] >> fills & 1:
        return at.good[block][suits][group] >> fills & 1
    at.tried[block][suits][group] |= 1u << fills
    for part in range(9):
        if not at.blocks.mask[block][part] or (group % 3 and part % 3):
            continue
        for more in range(at.split.fills - fills + 1):
            if at.blocks.mask[block][part] >> more & 1 and leads_on(
                    at, block + 1, suits_after(at.blocks, block, suits, more), joined(group, part), fills + more):
                at.good[block][suits][group] |= 1u << fills
                return True
    return False


cdef void walk(Walk* at, int block, int suits, int group, int fills) noexcept nogil:
    cdef int part, more, after
    if at.done or not leads_on(at, block, suits, group, fills):
        return
    if block == BLOCKS:
        emit_standard(at)
        return
    for part in range(9):
        if not at.blocks.mask[block][part] or (group % 3 and part % 3):
            continue
        for more in range(at.split.fills - fills + 1):
            if not at.blocks.mask[block][part] >> more & 1:
                continue
            after = suits_after(at.blocks, block, suits, more)
            if not leads_on(at, block + 1, after, joined(group, part), fills + more):
                continue
            if more == 0 and at.blocks.reals[block] == 0:
                walk(at, block + 1, after, joined(group, part), fills)
            elif block == 3 and at.forms.wind_runs:
                walk_winds(at, part, more, after, joined(group, part), fills + more)
            else:
                walk_face(at, block, block_start(block), 0, 0, 0, 0, part, more, after, joined(group, part),
                          fills + more)


cdef void walk_face(Walk* at, int block, int face, int middle, int old, int group, int used, int part, int more,
                    int suits, int group_after, int fills_after) noexcept nogil:
    cdef int max_runs, runs, triplets, pair, fill, ended = 0, begun = 0, next_group
    if face == block_start(block + 1):
        if group == part and used == more:
            walk(at, block + 1, suits, group_after, fills_after)
        return
    max_runs = at.most_melds - middle // 6 - middle % 6
    if face + 2 >= block_start(block + 1) or block == 3 or (block == 4 and not at.forms.dragon_runs):
        max_runs = 0
    for triplets in range(min(at.most_melds, (at.split.real[face] + at.split.room[face]) // 3), -1, -1):
        for pair in range((0 if group % 3 or not part % 3 else 1), -1, -1):
            for runs in range(max_runs + 1):
                fill = fills_at(at.forms, at.split.real[face], middle, old, runs, triplets, pair, &ended, &begun)
                if fill > at.split.room[face] or used + fill > more:
                    break
                if fill < 0:
                    continue
                next_group = grown(group, face, triplets, runs, pair)
                if next_group // 3 > part // 3 or (pair and next_group % 3 != part % 3):
                    continue
                at.runs[face], at.triplets[face], at.fill[face] = <uint8_t>runs, <uint8_t>triplets, <uint8_t>fill
                if pair:
                    at.pair_face = face
                walk_face(at, block, face + 1, begun, ended, next_group, used + fill, part, more, suits, group_after,
                          fills_after)
                if at.done:
                    return
    at.runs[face] = at.triplets[face] = at.fill[face] = 0


cdef void walk_winds(Walk* at, int part, int more, int suits, int group_after, int fills_after) noexcept nogil:
    cdef int a, b, c, d
    for a in range(at.most_melds + 1):
        for b in range(at.most_melds - a + 1):
            for c in range(at.most_melds - a - b + 1):
                for d in range(at.most_melds - a - b - c + 1):
                    at.without[0], at.without[1], at.without[2], at.without[3] = a, b, c, d
                    walk_wind(at, a + b + c + d, 0, 0, 0, part, more, suits, group_after, fills_after)
    memset(at.without, 0, sizeof(at.without))


cdef void walk_wind(Walk* at, int runs, int wind, int group, int used, int part, int more, int suits,
                    int group_after, int fills_after) noexcept nogil:
    cdef int face = 27 + wind, real, triplets, pair, fill, spare
    if wind == 4:
        if group == part and used == more and (
                not at.forms.barred_pure_meld or winds_all_touched(at.without, at.touching, runs)):
            walk(at, 4, suits, group_after, fills_after)
        return
    real = at.split.real[face]
    for triplets in range(runs + 6):
        for pair in range(1 if group % 3 or not part % 3 else 2):
            fill = runs - at.without[wind] + 3 * triplets + 2 * pair - real
            spare = real - triplets - pair * at.forms.pair_reals
            if fill < 0 or fill > at.split.room[face] or used + fill > more:
                continue
            if (at.forms.barred_pure_meld and spare < 0) or (pair and real < at.forms.pair_reals):
                continue
            at.touching[wind] = min(runs - at.without[wind], spare)
            at.triplets[face], at.fill[face] = <uint8_t>triplets, <uint8_t>fill
            if pair:
                at.pair_face = face
            walk_wind(at, runs, wind + 1, grown(group, face, triplets, runs, pair), used + fill, part, more, suits,
                      group_after, fills_after)
            if at.done:
                return
    at.triplets[face] = at.fill[face] = 0


cdef void add_meld(Written* written, int first, int second, int third) noexcept nogil:
    """Put a meld among the others, which stand in rising order."""
    cdef int place = written.melds
    cdef uint8_t* other
    while place:
        other = written.meld[place - 1]
        if (other[0] << 16 | other[1] << 8 | other[2]) <= (first << 16 | second << 8 | third):
            break
        memcpy(written.meld[place], other, 3)
        place -= 1
    other = written.meld[place]
    other[0], other[1], other[2] = <uint8_t>first, <uint8_t>second, <uint8_t>third
    written.melds += 1


cdef void emit_standard(Walk* at) noexcept nogil:
    cdef Written written
    cdef int face, wind, _index
    written.melds = written.singles = 0
    for face in range(KINDS):
        for _index in range(at.triplets[face]):
            add_meld(&written, face, face, face)
        for _index in range(at.runs[face]):
            add_meld(&written, face, face + 1, face + 2)
    for wind in range(4):
        for _index in range(at.without[wind]):
            add_meld(&written, 27 + (wind == 0), 28 + (wind <= 1), 29 + (wind <= 2))
    written.pairs = 1
    written.pair[0] = <uint8_t>at.pair_face
    emit(at, &written)


# ----------------------------------------------------------------------------------- seven pairs, hands without a shape

cdef void write_loose(Walk* at) noexcept nogil:
    cdef int shape = SHAPE_PAIRS if at.code & 7 == SHAPE_DRAGON else at.code & 7
    cdef int face, state, fill, count, start = at.hand.open_suits | at.hand.open_others << 4
    cdef uint32_t mask
    cdef uint64_t reached[KINDS + 1]    # bit: state
    if not shape_fits(at.forms, at.hand, shape):
        return
    memset(reached, 0, sizeof(reached))
    reached[0] = 1ULL << start
    for face in range(KINDS):
        for state in range(64):
            if reached[face] >> state & 1:
                for count in range(at.split.real[face], at.split.real[face] + at.split.room[face] + 1):
                    if loose_fits(shape, face, count):
                        reached[face + 1] |= 1ULL << loose_after(at.forms, at.split, shape, state, face, count)
    for state in range(64):
        at.loose_good[KINDS][state] = 1u << at.split.fills if loose_code(at.forms, shape, state) == at.code else 0
    for face in range(KINDS - 1, -1, -1):
        for state in range(64):
            if not reached[face] >> state & 1:
                continue
            mask = 0
            for fill in range(at.split.room[face] + 1):
                count = at.split.real[face] + fill
                if loose_fits(shape, face, count):
                    mask |= at.loose_good[face + 1][loose_after(at.forms, at.split, shape, state, face, count)] >> fill
            at.loose_good[face][state] = mask
    walk_loose(at, shape, 0, start, 0)


cdef void walk_loose(Walk* at, int shape, int face, int state, int used) noexcept nogil:
    cdef int fill, after
    if at.done or not at.loose_good[face][state] >> used & 1:
        return
    if face == KINDS:
        emit_loose(at, shape)
        return
    for fill in range(at.split.room[face] + 1):
        if loose_fits(shape, face, at.split.real[face] + fill):
            at.fill[face] = <uint8_t>fill
            after = loose_after(at.forms, at.split, shape, state, face, at.split.real[face] + fill)
            walk_loose(at, shape, face + 1, after, used + fill)
            if at.done:
                return
    at.fill[face] = 0


cdef void emit_loose(Walk* at, int shape) noexcept nogil:
    cdef Written written
    cdef int face, _index, count
    written.melds = written.pairs = written.singles = 0
    for face in range(KINDS):
        count = at.split.real[face] + at.fill[face]
        if shape == SHAPE_PAIRS:
            for _index in range(count // 2):
                written.pair[written.pairs] = <uint8_t>face
                written.pairs += 1
        else:
            for _index in range(count):
                written.single[written.singles] = <uint8_t>face
                written.singles += 1
    emit(at, &written)


# ------------------------------------------------------------------------------------------------ wilds and their faces

cdef void add_stand(Stand* stands, uint8_t* count, int tile, int face) noexcept nogil:
    """Put a pair among the others, which stand in rising order."""
    cdef int place = count[0]
    while place and (stands[place - 1].tile << 8 | stands[place - 1].face) > (tile << 8 | face):
        stands[place] = stands[place - 1]
        place -= 1
    stands[place] = Stand(<uint8_t>tile, <uint8_t>face)
    count[0] += 1


cdef bint assign(const uint8_t* standing, int count, uint8_t* faces, uint8_t* taken) noexcept nogil:
    """Take a face for each wild, none its own, the lowest possible first; `faces` counts those that are left."""
    cdef int face
    if count == 0:
        return True
    for face in range(KINDS):
        if faces[face] and face != standing[0]:
            faces[face] -= 1
            taken[0] = <uint8_t>face
            if assign(standing + 1, count - 1, faces, taken + 1):
                return True
            faces[face] += 1
    return False


cdef void emit(Walk* at, Written* written) noexcept nogil:
    """Tell which wild and which stand-in has which face. Faces go round: the split leaves room for it."""
    cdef uint8_t standing[MAX_HELD]
    cdef uint8_t faces[KINDS]
    cdef uint8_t taken[MAX_HELD]
    cdef int tile, index, _index, count = 0, face = 0, left = 0
    written.wilds = written.stand_ins = 0
    for tile in range(KINDS):
        faces[tile] = at.fill[tile]
        if at.forms.is_wild[tile]:
            for _index in range(at.split.itself[tile]):
                add_stand(written.wild, &written.wilds, tile, tile)
            for _index in range(at.hand.counts[tile] - at.split.itself[tile]):
                standing[count] = <uint8_t>tile
                count += 1
        elif at.forms.is_stand_in[tile]:
            for index in range(at.hand.counts[tile]):
                if index < at.split.proper[tile]:
                    add_stand(written.stand_in, &written.stand_ins, tile, tile)
                    continue
                # Those that play a wild take its faces in rising order.
                while left == 0:
                    left = at.split.real[face] - at.split.proper[face]
                    face += 1
                add_stand(written.stand_in, &written.stand_ins, tile, face - 1)
                left -= 1
    assign(standing, count, faces, taken)
    for index in range(count):
        add_stand(written.wild, &written.wilds, standing[index], taken[index])
    at.done = at.take(written, at.context)
