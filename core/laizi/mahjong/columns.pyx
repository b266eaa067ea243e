"""Columns of wins, waits and shanten: many hands with their melds and circumstances, a few bytes an answer."""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from laizi.mahjong.checks cimport (
    CONTEXTS, FAILS_PAIR, FAILS_SOFT_SMALL, MELD_BYTES, MELD_CODES, UNKNOWN_TILE,
    Context, Demands, Entry, Given, Judging, Meld, Standing, holds_any, judge_row, read_given,
)
from laizi.mahjong.kernel cimport Kernel, KernelRules, Row, read_row, shape_waits
from laizi.mahjong.readings cimport KINDS
from laizi.mahjong.shanten cimport NO_SHANTEN, improving, shanten_of
from laizi.mahjong.tables cimport SuitTables

from laizi import errors

cdef extern from *:
    void __builtin_prefetch(const void* address) noexcept nogil

cdef enum:
    AHEAD = 8               # rows that are read before they are judged
    HU = 1
    HARD = 2
    BIG = 4

cdef int WRONG_TILE_COUNT = errors.ErrorReason.WRONG_TILE_COUNT.number


cdef inline void prefetch(const SuitTables* tables, const Row* row) noexcept nogil:
    __builtin_prefetch(&tables.suit.number[row.key[0]])
    __builtin_prefetch(&tables.suit.number[row.key[1]])
    __builtin_prefetch(&tables.suit.number[row.key[2]])
    __builtin_prefetch(&tables.honours.number[row.key[3]])


cdef class Checker(Kernel):
    def __init__(self, *arguments, context_rows, packed_meld, put_down, laid, must_open, claims_wild, robs,
                 bans_discarded, locks_missed, lone_wait, counts_standing, gold, hard_basis):
        super().__init__(*arguments)
        self.context_rows = context_rows
        self.packed_meld = packed_meld
        for tile in put_down:
            self.demands.put_down[tile] = self.demands.bars = True
        for tile in laid:
            self.demands.laid[tile] = 1
        self.demands.must_open = must_open
        self.demands.claims_wild = claims_wild
        self.demands.robs = robs
        self.demands.bans_discarded = bans_discarded
        self.demands.locks_missed = locks_missed
        self.demands.lone_wait = lone_wait
        self.demands.counts_standing = counts_standing
        self.demands.gold = -1 if gold is None else gold
        self.demands.hard_basis = ("face", "need", "held").index(hard_basis)

    def __dealloc__(self):
        cdef int index
        for index in range(CONTEXTS):
            free(self.contexts[index])

    cdef int make_context(self, int index) except -1:
        cdef Context* made
        cdef Entry* entry
        if self.contexts[index] == NULL:
            made = <Context*>calloc(1, sizeof(Context))
            if made == NULL:
                raise MemoryError("verdicts")
            rows, made.rising = self.context_rows(index)
            for code, hard, rank, points, types, pair, soft_small, limit in rows:
                entry = &made.entries[hard][code]
                entry.rank, entry.points, entry.types = rank, points, types
                entry.refusals = pair * FAILS_PAIR | soft_small * FAILS_SOFT_SMALL
                entry.limit = 99 if limit is None else limit
            self.contexts[index] = made
        return 0

    cdef int make_melds(self) except -1:
        cdef Meld* meld
        if not self.melds_made:
            for code in range(1, MELD_CODES):
                meld = &self.melds[code]
                made = self.packed_meld(code)
                if isinstance(made, int):
                    meld.error = made
                    continue
                (faces, meld.suits, meld.content, meld.others, meld.opens, meld.ends_menqing, meld.claimed,
                 meld.kong) = made
                meld.size = len(faces)
                for place, face in enumerate(faces):
                    meld.faces[place] = face
            self.melds_made = True
        return 0

    def check_columns(self, const uint8_t[::1] concealed, *, const uint8_t[::1] melds=None,
                      const uint8_t[::1] downs=None, const uint8_t[::1] winning_tiles=None,
                      const uint8_t[::1] circumstances=None):
        cdef _Rows rows = _Rows(concealed, melds, downs, winning_tiles, circumstances)
        cdef bytearray verdicts = bytearray(rows.count), refusals = bytearray(2 * rows.count)
        cdef bytearray types = bytearray(2 * rows.count), points = bytearray(4 * rows.count)
        cdef bytearray wrong = bytearray(rows.count)
        cdef uint8_t* verdict_at = verdicts
        cdef uint8_t* wrong_at = wrong
        cdef uint8_t* refusals_at = refusals
        cdef uint8_t* types_at = types
        cdef uint8_t* points_at = points
        cdef Py_ssize_t index, ahead = 0
        cdef Given given[AHEAD]
        cdef Standing standing[AHEAD]
        cdef Standing* at
        cdef Judging judging
        cdef uint16_t refused
        cdef int place
        self.make_melds()
        with nogil:
            for index in range(rows.count):
                # The suit tables do not fit into the processor's near caches: what a row will look up is fetched
                # while those before it are judged.
                while ahead < rows.count and ahead < index + AHEAD:
                    place = ahead % AHEAD
                    given[place] = rows.given(ahead)
                    wrong_at[ahead] = read_given(&self.rules, &self.demands, self.melds, &given[place], 2,
                                                 &standing[place])
                    prefetch(self.rules.tables, &standing[place].row)
                    ahead += 1
                if wrong_at[index]:
                    continue
                place = index % AHEAD
                at = &standing[place]
                if self.contexts[at.context] == NULL:
                    with gil:
                        self.make_context(at.context)
                refused = judge_row(&self.rules, &self.demands, self.contexts[at.context], &given[place], at, &judging)
                if refused:
                    memcpy(refusals_at + 2 * index, &refused, 2)
                else:
                    verdict_at[index] = HU | judging.best_hard * HARD | (judging.best.types != 0) * BIG
                    memcpy(types_at + 2 * index, &judging.best.types, 2)
                    memcpy(points_at + 4 * index, &judging.best.points, 4)
        return bytes(verdicts), bytes(refusals), bytes(types), bytes(points), bytes(wrong)

    def wait_columns(self, const uint8_t[::1] concealed, *, const uint8_t[::1] melds=None,
                     const uint8_t[::1] downs=None, const uint8_t[::1] circumstances=None):
        cdef _Rows rows = _Rows(concealed, melds, downs, None, circumstances)
        cdef bytearray waits = bytearray(8 * rows.count), wrong = bytearray(rows.count)
        cdef uint8_t* waits_at = waits
        cdef uint8_t* wrong_at = wrong
        cdef Py_ssize_t index
        cdef Given given
        cdef Standing at
        cdef uint64_t mask
        self.make_melds()
        with nogil:
            for index in range(rows.count):
                given = rows.given(index)
                wrong_at[index] = read_given(&self.rules, &self.demands, self.melds, &given, 1, &at)
                if wrong_at[index]:
                    continue
                if self.contexts[at.context] == NULL:
                    with gil:
                        self.make_context(at.context)
                mask = winning_tiles(&self.rules, &self.demands, self.contexts[at.context], given, at)
                memcpy(waits_at + 8 * index, &mask, 8)
        return bytes(waits), bytes(wrong)

    def shanten_columns(self, const uint8_t[::1] concealed, *, const uint8_t[::1] melds=None, bint pair_258=False,
                        bint with_improving=True):
        cdef _Rows rows = _Rows(concealed, melds, None, None, None)
        cdef bytearray shantens = bytearray(rows.count), improve = bytearray(8 * rows.count if with_improving else 0)
        cdef bytearray wrong = bytearray(rows.count)
        cdef uint8_t* shanten_at = shantens
        cdef uint8_t* improve_at = improve
        cdef uint8_t* wrong_at = wrong
        cdef Py_ssize_t index
        cdef Given given
        cdef Standing at
        cdef uint64_t mask
        cdef int shanten, size
        self.make_melds()
        with nogil:
            for index in range(rows.count):
                given = rows.given(index)
                shanten_at[index] = NO_SHANTEN
                wrong_at[index] = read_given(&self.rules, &self.demands, self.melds, &given, 1, &at)
                if wrong_at[index] == WRONG_TILE_COUNT:
                    wrong_at[index] = read_given(&self.rules, &self.demands, self.melds, &given, 2, &at)
                if wrong_at[index]:
                    continue
                size = at.row.total // 3
                shanten = shanten_of(&self.rules, &at.hand, at.hand.open_faces, &at.row, size, pair_258)
                shanten_at[index] = <uint8_t>shanten
                if with_improving:
                    mask = improving(&self.rules, &at.hand, at.hand.open_faces, size, pair_258, shanten)
                    memcpy(improve_at + 8 * index, &mask, 8)
        return bytes(shantens), bytes(improve), bytes(wrong)


cdef uint64_t winning_tiles(const KernelRules* rules, const Demands* demands, const Context* context, Given given,
                            Standing at) noexcept nogil:
    """The tiles that 3n+1 tiles win with; of each tile four exist."""
    cdef uint64_t likely = shape_waits(rules, given.counts, &at.row, rules.forms.tiles, False), mask = 0
    cdef Judging judging
    cdef int tile, only = -1
    if at.row.total == 1:
        for tile in range(KINDS):
            if at.hand.counts[tile]:
                only = tile
    for tile in range(KINDS):
        if not likely & rules.listed & 1ULL << tile or at.hand.counts[tile] + at.hand.open_faces[tile] >= 4:
            continue
        at.hand.counts[tile] += 1
        at.hand.lone = only
        at.holds_put_down = holds_any(demands, at.hand.counts)
        given.winning_tile = tile
        given.counts = at.hand.counts
        read_row(rules, given.counts, &at.row)
        if not judge_row(rules, demands, context, &given, &at, &judging):
            mask |= 1ULL << tile
        at.hand.counts[tile] -= 1
    return mask


cdef class _Rows:
    """The columns of a batch; those after the first may be empty."""

    cdef const uint8_t[::1] concealed, melds, downs, winning_tiles, circumstances
    cdef Py_ssize_t count

    def __init__(self, concealed, melds, downs, winning_tiles, circumstances):
        self.concealed = concealed
        self.count = len(concealed) // KINDS
        if len(concealed) % KINDS:
            raise errors.RequestError(
                errors.ErrorReason.BAD_ROW_LENGTH, f"{len(concealed)} bytes are no rows of {KINDS}", path="concealed",
                limit=KINDS,
            )
        self.melds = column(melds, self.count, MELD_BYTES, "melds")
        self.downs = column(downs, self.count, 1, "downs")
        self.winning_tiles = column(winning_tiles, self.count, 1, "winning_tiles")
        self.circumstances = column(circumstances, self.count, 1, "circumstances")

    cdef inline Given given(self, Py_ssize_t row) noexcept nogil:
        cdef Given given
        given.counts = &self.concealed[row * KINDS]
        given.melds = &self.melds[row * MELD_BYTES] if self.melds.shape[0] else NULL
        given.downs = self.downs[row] if self.downs.shape[0] else 0
        given.winning_tile = self.winning_tiles[row] if self.winning_tiles.shape[0] else UNKNOWN_TILE
        given.flags = self.circumstances[row] if self.circumstances.shape[0] else 0
        return given


cdef object column(given, Py_ssize_t rows, int width, str path):
    if given is None or len(given) == 0:
        return b""
    if len(given) != rows * width:
        raise errors.RequestError(
            errors.ErrorReason.COLUMN_LENGTH_MISMATCH, f"{len(given)} bytes for {rows} rows of {width}", path=path,
            limit=rows * width,
        )
    return given
