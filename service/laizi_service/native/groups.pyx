"""The groups of a decomposition, as bytes: what each is, its tiles, and what its wilds stand for."""

from libc.string cimport memcpy, memset

from laizi.mahjong.checks cimport MELD_BYTES
from laizi.mahjong.readings cimport MAX_HELD
from laizi.mahjong.writing cimport Stand
from laizi_service.native.tiles cimport put_tile, put_tiles
from laizi_service.native.wire cimport close_message, open_message, put_number, tag_of

from laizi.mahjong import Shape, verdicts
from laizi.v1 import mahjong_pb2
from laizi_service.codec.mahjong import SHAPES

cdef uint8_t SHAPE = tag_of(mahjong_pb2.Decomposition.DESCRIPTOR, "shape")
cdef uint8_t GROUPS = tag_of(mahjong_pb2.Decomposition.DESCRIPTOR, "groups")
cdef uint8_t HARD = tag_of(mahjong_pb2.Decomposition.DESCRIPTOR, "hard")
cdef uint8_t KIND = tag_of(mahjong_pb2.HuGroup.DESCRIPTOR, "kind")
cdef uint8_t TILES = tag_of(mahjong_pb2.HuGroup.DESCRIPTOR, "tiles")
cdef uint8_t STAND_INS = tag_of(mahjong_pb2.HuGroup.DESCRIPTOR, "stand_ins")
cdef uint8_t LAID = tag_of(mahjong_pb2.HuGroup.DESCRIPTOR, "laid")
cdef uint8_t WILD = tag_of(mahjong_pb2.TileStandIn.DESCRIPTOR, "wild")
cdef uint8_t STANDS_FOR = tag_of(mahjong_pb2.TileStandIn.DESCRIPTOR, "stands_for")

cdef int RUN = mahjong_pb2.GROUP_KIND_RUN, TRIPLET = mahjong_pb2.GROUP_KIND_TRIPLET
cdef int KONG = mahjong_pb2.GROUP_KIND_KONG, PAIR = mahjong_pb2.GROUP_KIND_PAIR
cdef int LOOSE = mahjong_pb2.GROUP_KIND_LOOSE

cdef uint8_t[8] SHAPE_NUMBER   # by the low bits of a code
for _code, _shape in enumerate(verdicts.CODE_SHAPES):
    SHAPE_NUMBER[_code] = SHAPES.write(Shape(_shape))


# The wilds, and the tiles that play wilds, which no group has taken yet.
cdef struct Standing:
    const Written *written
    uint8_t wild_taken[MAX_HELD]
    uint8_t stand_in_taken[MAX_HELD]


cdef const Stand *take(const Stand *stands, int count, uint8_t *taken, int face) noexcept nogil:
    """The first tile with a face that is not taken yet; NULL where there is none."""
    cdef int index
    for index in range(count):
        if stands[index].face == face and not taken[index]:
            taken[index] = 1
            return &stands[index]
    return NULL


cdef int kind_of(const uint8_t *faces, int count) noexcept nogil:
    if count == 2:
        return PAIR
    if count > 3:
        return LOOSE if count > 4 else KONG
    return TRIPLET if faces[0] == faces[1] == faces[2] else RUN


cdef void put_group(Out *out, int form, const uint8_t *faces, int count, Standing *standing) noexcept nogil:
    """Put a group; `standing` is NULL for one that lies on the table."""
    cdef uint8_t tiles[MAX_HELD]
    cdef const Stand *stands[MAX_HELD]
    cdef const Stand *stand = NULL
    cdef const Written *written
    cdef int index, found = 0
    cdef Py_ssize_t group = open_message(out, GROUPS), stand_in
    memcpy(tiles, faces, count)
    if standing != NULL:
        written = standing.written
        for index in range(count):
            stand = take(written.wild, written.wilds, standing.wild_taken, faces[index])
            if stand == NULL:
                stand = take(written.stand_in, written.stand_ins, standing.stand_in_taken, faces[index])
            if stand != NULL:
                tiles[index] = stand.tile
                stands[found] = stand
                found += 1
    put_number(out, KIND, kind_of(faces, count))
    put_tiles(out, TILES, form, tiles, count)
    for index in range(found):
        stand_in = open_message(out, STAND_INS)
        put_tile(out, WILD, form, stands[index].tile)
        put_tile(out, STANDS_FOR, form, stands[index].face)
        close_message(out, stand_in)
    if standing == NULL:
        put_number(out, LAID, 1)
    close_message(out, group)


cdef bint all_themselves(const Stand *stands, int count) noexcept nogil:
    cdef int index
    for index in range(count):
        if stands[index].tile != stands[index].face:
            return False
    return True


cdef void put_groups(Out *out, int form, int shape, const Meld *known, const uint8_t *packed,
                     const Written *written) noexcept nogil:
    cdef Standing standing
    cdef uint8_t pair[2]
    cdef int index
    put_number(out, SHAPE, SHAPE_NUMBER[shape])
    for index in range(MELD_BYTES):
        if packed[index]:
            put_group(out, form, known[packed[index]].faces, known[packed[index]].size, NULL)
    memset(&standing, 0, sizeof(Standing))
    standing.written = written
    for index in range(written.melds):
        put_group(out, form, written.meld[index], 3, &standing)
    for index in range(written.pairs):
        pair[0] = pair[1] = written.pair[index]
        put_group(out, form, pair, 2, &standing)
    if written.singles:
        put_group(out, form, written.single, written.singles, &standing)
    if all_themselves(written.wild, written.wilds) and all_themselves(written.stand_in, written.stand_ins):
        put_number(out, HARD, 1)
