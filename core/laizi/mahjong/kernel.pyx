"""Wins, waits and shanten of many hands: rows of 34 counts, answered from the suit tables wherever they are exact."""

from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from laizi.mahjong.readings cimport (
    KINDS, SHAPE_JIANG, SHAPE_PAIRS, SHAPE_STANDARD, SHAPE_WIND, Features, Hand, concealed_tiles,
    find_features, is_258,
)
from laizi.mahjong.scarce cimport scarce_counts
from laizi.mahjong.shanten cimport improving, shanten_of, shanten_rows
from laizi.mahjong.solver cimport Solver, read_hand
from laizi.mahjong.tables cimport Table, four_copies, unlimited

from laizi import errors, tiles

cdef int[10] POWER = [1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125]

cdef int TOO_MANY_COPIES = errors.ErrorReason.TOO_MANY_COPIES.number
cdef int TILE_OUTSIDE_SET = errors.ErrorReason.TILE_OUTSIDE_SET.number
cdef int WRONG_TILE_COUNT = errors.ErrorReason.WRONG_TILE_COUNT.number


cdef inline bint outside_set(const KernelRules* rules, const uint8_t* counts) noexcept nogil:
    cdef Words words = words_of(counts)
    cdef uint64_t outside = 0
    cdef int index
    for index in range(WORDS):
        outside |= words.at[index] & ~rules.allowed.at[index]
    return outside != 0


cdef inline int scan_row(const KernelRules* rules, const uint8_t* counts, Row* row) noexcept nogil:
    """Check the counts; the number of tiles is left to the caller. Return 0 or the number of an ErrorReason."""
    cdef uint64_t first = word_at(counts), second = word_at(counts + 8), third = word_at(counts + 16)
    cdef uint64_t fourth = word_at(counts + 24), last = counts[32] | <uint64_t>counts[33] << 8
    cdef int index, held
    memset(row, 0, sizeof(Row))
    # A count of 5 or more, or the same plus 3, has one of the five high bits.
    if ((first | first + 3 * ONES | second | second + 3 * ONES | third | third + 3 * ONES | fourth | fourth + 3 * ONES
            | last | last + 3 * ONES) & 31 * 8 * ONES):
        return TOO_MANY_COPIES
    if not rules.whole_set and outside_set(rules, counts):
        return TILE_OUTSIDE_SET
    row.total = sum_of_bytes(first + second + third + fourth + last)
    row.key[0] = base_5(first) + 390625u * counts[8]
    row.key[1] = base_5(word_at(counts + 9)) + 390625u * counts[17]
    row.key[2] = base_5(word_at(counts + 18)) + 390625u * counts[26]
    row.key[3] = base_5(word_at(counts + 26) >> 8)
    for index in range(rules.wild_kinds):
        held = counts[rules.wild[index]]
        row.wilds += held
        row.key[rules.wild_suit[index]] -= held * rules.wild_power[index]
    return 0


cdef int read_row(const KernelRules* rules, const uint8_t* counts, Row* row) noexcept nogil:
    return scan_row(rules, counts, row)


cdef inline bint only_honours(const Words* words) noexcept nogil:
    return (words.at[0] | words.at[1] | words.at[2] | words.at[4]) == 0


cdef inline bint only_258(const Words* words) noexcept nogil:
    return ((words.at[0] | words.at[1] | words.at[2]) & ~BYTES_258 | words.at[3] | words.at[4]) == 0


cdef bint solved(const KernelRules* rules, const uint8_t* counts, bint pair_258) noexcept nogil:
    """As hu_row, whatever the options, by the readings themselves."""
    cdef Features* found = <Features*>malloc(sizeof(Features))
    cdef Hand hand
    cdef int index
    cdef bint hu = False
    memset(&hand, 0, sizeof(hand))
    memcpy(hand.counts, counts, KINDS)
    hand.lone = -1
    find_features(&rules.forms, &hand, found)
    for index in range(found.count):
        if not pair_258 or found.code[index] & 7 != SHAPE_STANDARD or found.code[index] & 128:
            hu = True
    free(found)
    return hu


cdef bint loose_hu(const KernelRules* rules, const uint8_t* counts, const Row* row) noexcept nogil:
    cdef Words natural = natural_words(rules, counts)
    return (
        (rules.shapes >> SHAPE_PAIRS & 1 and row.total == 14 and odd_kinds(&natural) <= row.wilds)
        or (rules.shapes >> SHAPE_WIND & 1 and only_honours(&natural))
        or (rules.shapes >> SHAPE_JIANG & 1 and only_258(&natural))
    )


cdef inline bint hu_row(const KernelRules* rules, const uint8_t* counts, const Row* row, bint pair_258) noexcept nogil:
    if not rules.plain:
        return solved(rules, counts, pair_258)
    if rules.shapes >> SHAPE_STANDARD & 1 and completes(
            hu_sum(rules.tables, row), row.wilds, PAIR_258_SHIFT if pair_258 else PAIR_ANY_SHIFT):
        return True
    return rules.shapes != 1 << SHAPE_STANDARD and loose_hu(rules, counts, row)


cdef bint has_shape(const KernelRules* rules, const uint8_t* counts, const Row* row) noexcept nogil:
    return hu_row(rules, counts, row, False)


cdef inline int wrong_total(int total, int remainder) noexcept nogil:
    return WRONG_TILE_COUNT if total > MOST_ROW_TILES or total % 3 != remainder else 0


cdef void hu_rows_of(const KernelRules* rules, const uint8_t* rows, Py_ssize_t count, bint pair_258, uint8_t* out,
                     uint8_t* wrong) noexcept nogil:
    cdef Py_ssize_t index
    cdef Row row
    cdef int error
    for index in range(count):
        error = scan_row(rules, rows + index * KINDS, &row)
        if not error:
            error = wrong_total(row.total, 2)
        out[index] = not error and hu_row(rules, rows + index * KINDS, &row, pair_258)
        wrong[index] = <uint8_t>error


# ---------------------------------------------------------------------------------------------------------------- waits

cdef uint64_t solved_waits(const KernelRules* rules, const uint8_t* counts, uint64_t listed,
                           bint pair_258) noexcept nogil:
    cdef uint8_t changed[KINDS]
    cdef uint64_t mask = 0
    cdef int tile
    memcpy(changed, counts, KINDS)
    for tile in range(KINDS):
        if listed >> tile & 1 and counts[tile] < 4:
            changed[tile] += 1
            if solved(rules, changed, pair_258):
                mask |= 1ULL << tile
            changed[tile] -= 1
    return mask


cdef inline uint64_t kinds_held(const uint8_t* counts, int held) noexcept nogil:
    """The tiles held at least so often."""
    cdef uint64_t mask = 0
    cdef int tile
    for tile in range(KINDS):
        mask |= <uint64_t>(counts[tile] >= held) << tile
    return mask


cdef uint64_t standard_waits(const KernelRules* rules, const uint8_t* counts, const Row* row, int shift) noexcept nogil:
    cdef const Table* table
    cdef uint64_t sum = hu_sum(rules.tables, row), others, mask = 0
    cdef int suit, tile, first, size
    cdef uint32_t key
    if not completes(sum, row.wilds + 1, shift):
        return 0
    # The fills wanted differ from the wilds by 1 modulo 3: fewer than wilds + 1 means wilds - 2, and any tile fits in.
    if completes(sum, row.wilds - 2, shift) and not rules.forms.four_copies:
        return ~0ULL
    for suit in range(4):
        first, size = 9 * suit, 9 if suit < 3 else 7
        table = &rules.tables.suit if suit < 3 else &rules.tables.honours
        key = row.key[suit]
        others = sum - table.hu[table.number[key]]
        for tile in range(size):
            if counts[first + tile] < 4:
                mask |= <uint64_t>completes(others + table.hu[table.number[key + POWER[tile]]], row.wilds,
                                            shift) << (first + tile)
    for tile in range(rules.wild_kinds):
        mask |= 1ULL << rules.wild[tile]
    return mask


cdef uint64_t shape_waits(const KernelRules* rules, const uint8_t* counts, const Row* row, uint64_t listed,
                          bint pair_258) noexcept nogil:
    cdef uint64_t mask = 0, odd
    cdef int single, tile
    cdef Words natural
    if not rules.plain:
        return solved_waits(rules, counts, listed, pair_258)
    if rules.shapes >> SHAPE_STANDARD & 1:
        mask |= standard_waits(rules, counts, row, PAIR_258_SHIFT if pair_258 else PAIR_ANY_SHIFT)
    if rules.shapes != 1 << SHAPE_STANDARD:
        natural = natural_words(rules, counts)
    if rules.shapes >> SHAPE_PAIRS & 1 and row.total == 13:
        single = odd_kinds(&natural)
        if single + 1 <= row.wilds:
            mask = ~0ULL
        elif single - 1 <= row.wilds:
            odd = 0
            for tile in range(KINDS):
                odd |= <uint64_t>(counts[tile] & 1) << tile
            for tile in range(rules.wild_kinds):
                odd |= 1ULL << rules.wild[tile]
            mask |= odd
    if rules.shapes >> SHAPE_WIND & 1 and only_honours(&natural):
        mask |= 0x3F8000000ULL
        for tile in range(rules.wild_kinds):
            mask |= 1ULL << rules.wild[tile]
    if rules.shapes >> SHAPE_JIANG & 1 and only_258(&natural):
        mask |= rules.bits_258
        for tile in range(rules.wild_kinds):
            mask |= 1ULL << rules.wild[tile]
    if not mask:
        return 0
    return mask & listed & ~kinds_held(counts, 4)


cdef void waits_rows_of(const KernelRules* rules, const uint8_t* rows, Py_ssize_t count, bint pair_258, uint8_t* out,
                        uint8_t* wrong) noexcept nogil:
    cdef Py_ssize_t index
    cdef Row row
    cdef uint64_t mask
    cdef int error
    for index in range(count):
        error = scan_row(rules, rows + index * KINDS, &row)
        if not error:
            error = wrong_total(row.total, 1)
        mask = 0
        if not error:
            mask = shape_waits(rules, rows + index * KINDS, &row, rules.listed, pair_258)
        memcpy(out + 8 * index, &mask, 8)
        wrong[index] = <uint8_t>error


# ------------------------------------------------------------------------------------------------------------- the door

cdef object no_row(int error):
    reason = list(errors.ErrorReason)[error - 1]
    if error == TOO_MANY_COPIES:
        return errors.CardsError(reason, f"at most {tiles.COPIES} of a tile exist", path="counts", limit=tiles.COPIES)
    if error == TILE_OUTSIDE_SET:
        return errors.CardsError(reason, "a tile that is not in the tile set of the rules", path="counts")
    return errors.CardsError(reason, "3n+2 tiles wanted, at most 17", path="counts", limit=MOST_ROW_TILES)


cdef object no_counts(Py_ssize_t size):
    return errors.CardsError(
        errors.ErrorReason.COUNT_OUT_OF_RANGE, f"{size} counts given, {KINDS} tiles exist", path="counts", limit=KINDS
    )


cdef bint check_one(Kernel kernel, bytes counts, bint pair_258) except -1:
    cdef Row row
    cdef const uint8_t* at = counts
    cdef int error
    if len(counts) != KINDS:
        raise no_counts(len(counts))
    error = scan_row(&kernel.rules, at, &row)
    if not error:
        error = wrong_total(row.total, 2)
    if error:
        raise no_row(error)
    return hu_row(&kernel.rules, at, &row, pair_258)


cdef Py_ssize_t rows_in(const uint8_t[::1] rows) except -1:
    if rows.shape[0] % KINDS:
        raise errors.RequestError(
            errors.ErrorReason.BAD_ROW_LENGTH, f"{rows.shape[0]} bytes are no rows of {KINDS}", path="rows", limit=KINDS
        )
    return rows.shape[0] // KINDS


cdef class Kernel:
    def __init__(self, Solver solver, tile_set, wilds, bint plain, listed):
        cdef uint8_t mark[KINDS]
        self.rules.forms = solver.forms
        self.rules.tables = four_copies() if solver.forms.four_copies else unlimited()
        scarce = solver.forms.four_copies or not wilds
        # In a set of one suit, melds without held tiles find no room where copies are scarce.
        suits = {tile // 9 for tile in tile_set if tile < 27}
        self.rules.distances = NULL if scarce and len(suits) < 2 else unlimited()
        self.rules.scarce = scarce_counts() if scarce else NULL
        self.rules.plain = plain
        self.rules.shapes = solver.forms.shapes
        self.rules.wild_kinds = len(wilds)
        for index, tile in enumerate(sorted(wilds)):
            self.rules.wild[index] = tile
            self.rules.wild_suit[index] = min(tile // 9, 3)
            self.rules.wild_power[index] = POWER[tile - 9 * min(tile // 9, 3)]
        self.rules.whole_set = len(tile_set) == KINDS
        for tile in range(KINDS):
            mark[tile] = 255 if tile in tile_set else 0
            if is_258(tile):
                self.rules.bits_258 |= 1ULL << tile
        self.rules.allowed = words_of(mark)
        for tile in range(KINDS):
            mark[tile] = 0 if tile in wilds else 255
        self.rules.natural = words_of(mark)
        for tile in listed:
            self.rules.listed |= 1ULL << tile
        for tile in range(KINDS):
            if tile in wilds or tile in tile_set:
                self.rules.winds |= <uint64_t>(tile in wilds or tile >= 27) << tile
                self.rules.jiangs |= <uint64_t>(tile in wilds or is_258(tile)) << tile

    def is_hu(self, bytes counts):
        return check_one(self, counts, False)

    def is_hu_258(self, bytes counts):
        return check_one(self, counts, True)

    def hu_rows(self, const uint8_t[::1] rows, *, bint pair_258=False):
        cdef Py_ssize_t count = rows_in(rows)
        cdef bytearray out = bytearray(count), wrong = bytearray(count)
        cdef uint8_t* to = out
        cdef uint8_t* wrong_at = wrong
        if count:
            with nogil:
                hu_rows_of(&self.rules, &rows[0], count, pair_258, to, wrong_at)
        return bytes(out), bytes(wrong)

    def waits_rows(self, const uint8_t[::1] rows, *, bint pair_258=False):
        cdef Py_ssize_t count = rows_in(rows)
        cdef bytearray out = bytearray(8 * count), wrong = bytearray(count)
        cdef uint8_t* to = out
        cdef uint8_t* wrong_at = wrong
        if count:
            with nogil:
                waits_rows_of(&self.rules, &rows[0], count, pair_258, to, wrong_at)
        return bytes(out), bytes(wrong)

    def shanten_rows(self, const uint8_t[::1] rows, *, bint pair_258=False):
        cdef Py_ssize_t count = rows_in(rows)
        cdef bytearray out = bytearray(count), wrong = bytearray(count)
        cdef uint8_t* to = out
        cdef uint8_t* wrong_at = wrong
        if count:
            with nogil:
                shanten_rows(&self.rules, &rows[0], count, pair_258, <int8_t*>to, wrong_at)
        return bytes(out), bytes(wrong)

    def shape_waits(self, bytes counts):
        cdef const uint8_t* at = counts
        cdef Row row
        cdef uint64_t mask
        with nogil:
            read_row(&self.rules, at, &row)
            mask = shape_waits(&self.rules, at, &row, self.rules.forms.tiles, False)
        return mask

    def shanten_of(self, given, bytes shown, bint pair_258):
        cdef Hand hand = read_hand(given)
        cdef const uint8_t* shown_at = shown
        cdef int melds = concealed_tiles(&hand) // 3, shanten
        cdef uint64_t mask
        cdef Row row
        with nogil:
            read_row(&self.rules, hand.counts, &row)
            shanten = shanten_of(&self.rules, &hand, shown_at, &row, melds, pair_258)
            mask = improving(&self.rules, &hand, shown_at, melds, pair_258, shanten)
        return shanten, mask
