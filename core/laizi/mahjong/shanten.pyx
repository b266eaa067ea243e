"""Shanten: from the suit tables where they are exact, else by `distance`."""

from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from laizi.mahjong.distance cimport NEVER_MISSING, missing_tiles
from laizi.mahjong.kernel cimport (
    BYTES_258, MOST_ROW_TILES, ONES, WORDS, KernelRules, Row, Words,
    base_5, natural_words, odd_kinds, read_row, sum_of_bytes,
)
from laizi.mahjong.readings cimport KINDS, SHAPE_JIANG, SHAPE_PAIRS, SHAPE_STANDARD, SHAPE_WIND, Hand
from laizi.mahjong.scarce cimport scarce_kept
from laizi.mahjong.tables cimport UNKNOWN, SuitTables

from laizi import errors

cdef extern from *:
    int __builtin_popcountll(unsigned long long word) noexcept nogil

cdef int WRONG_TILE_COUNT = errors.ErrorReason.WRONG_TILE_COUNT.number


cdef inline int kept_by(uint64_t gains, int melds) noexcept nogil:
    """The most tiles that so many melds keep: each gains 3, 2, 1 or no tiles, the greatest gains first."""
    return (min(melds, <int>(gains & 255)) + min(melds, <int>(gains >> 8 & 255)) + min(melds, <int>(gains >> 16 & 255)))


cdef int shared_kept(const uint8_t** kept, int melds) noexcept nogil:
    """The most tiles in so many melds and a pair, over all shares of them among the suits."""
    cdef uint8_t alone[6]
    cdef uint8_t paired[6]
    cdef int suit, total, part, best, with_pair
    memset(alone, 0, sizeof(alone))
    memset(paired, 0, sizeof(paired))
    for suit in range(4):
        for total in range(melds, -1, -1):
            best, with_pair = 0, 0
            for part in range(total + 1):
                best = max(best, alone[total - part] + kept[suit][1 + part])
                with_pair = max(with_pair, paired[total - part] + kept[suit][1 + part])
                with_pair = max(with_pair, alone[total - part] + kept[suit][9 + part])
            alone[total], paired[total] = best, with_pair
    return paired[melds]


cdef int irregular_kept(const KernelRules* rules, const Row* row, uint32_t honours, int melds) noexcept nogil:
    cdef const SuitTables* tables = rules.distances
    cdef const uint8_t* kept[4]
    cdef int suit
    for suit in range(3):
        kept[suit] = scarce_kept(rules.scarce, row.key[suit]) if rules.scarce != NULL else NULL
        if kept[suit] == NULL:
            kept[suit] = tables.suit.kept[tables.suit.number[row.key[suit]]]
    kept[3] = tables.honours.kept[tables.honours.number[honours]]
    return shared_kept(kept, melds)


cdef inline bint any_scarce(const KernelRules* rules, const Row* row, const Words* natural) noexcept nogil:
    cdef int suit
    for suit in range(3):
        if ((natural.at[suit] | natural.at[4] >> 8 * suit & 255) & 4 * ONES
                and scarce_kept(rules.scarce, row.key[suit]) != NULL):
            return True
    return False


cdef inline int standard_kept(const KernelRules* rules, const Words* natural, const Row* row,
                              int melds) noexcept nogil:
    """The most tiles, none of them wild, in so many melds and a pair, or -1 where the tables cannot tell."""
    cdef const SuitTables* tables = rules.distances
    cdef uint64_t part[4]
    cdef uint64_t sum, others
    cdef uint32_t honours = row.key[3]
    cdef int suit, kept = 0
    cdef bint scarce = False
    if rules.scarce != NULL:
        scarce = any_scarce(rules, row, natural)
        # Without a fifth copy the fourth of an honour helps nothing: a triplet and a pair would need five.
        if natural.at[3] & 4 * ONES:
            honours = base_5(natural.at[3] - (natural.at[3] >> 2 & ONES))
    for suit in range(3):
        part[suit] = tables.suit.distance[tables.suit.number[row.key[suit]]]
    part[3] = tables.honours.distance[tables.honours.number[honours]]
    sum = part[0] + part[1] + part[2] + part[3]
    if scarce or sum >> 56:
        return irregular_kept(rules, row, honours, melds) if sum >> 56 < UNKNOWN else -1
    for suit in range(4):
        others = (sum & 0xFFFFFF) - (part[suit] & 0xFFFFFF) + (part[suit] >> 24 & 0xFFFFFF)
        kept = max(kept, kept_by(others, melds) + <int>(part[suit] >> 48 & 255))
    return kept


cdef inline int pairs_kept(const Words* words) noexcept nogil:
    # Two of four equal tiles and two of two make pairs; singles stand for a pair each, seven in all.
    cdef uint64_t halves = 0
    cdef int index, pairs
    for index in range(WORDS):
        halves += (words.at[index] >> 1 & ONES) + 2 * (words.at[index] >> 2 & ONES)
    pairs = min(sum_of_bytes(halves), 7)
    return 2 * pairs + min(odd_kinds(words), 7 - pairs)


cdef inline bint enough_exist(const KernelRules* rules, const Hand* hand, const uint8_t* shown, uint64_t serving,
                              int wanted) noexcept nogil:
    """Whether a shape of any tiles of some kinds has tiles enough: a set of one suit has few of 2, 5, 8."""
    cdef int left = 4 * __builtin_popcountll(serving), tile
    if hand.open_melds and left - 4 * hand.open_melds < wanted:
        for tile in range(KINDS):
            if serving >> tile & 1:
                left -= shown[tile]
    return left >= wanted


cdef int shanten_of(const KernelRules* rules, const Hand* hand, const uint8_t* shown, const Row* row, int melds,
                    bint pair_258) noexcept nogil:
    cdef int kept = -1, index, wanted = 3 * melds + 2, missing
    cdef Words natural
    cdef uint64_t sum
    # The tables know nothing of copies on the table. While a wild can be drawn instead of one, none is missed.
    cdef bint exact = rules.plain and rules.distances != NULL and not pair_258 and (
        rules.scarce == NULL or hand.open_melds == 0)
    if rules.scarce != NULL or rules.shapes != 1 << SHAPE_STANDARD:
        natural = natural_words(rules, hand.counts)
    if exact and rules.shapes >> SHAPE_STANDARD & 1:
        kept = standard_kept(rules, &natural, row, melds)
        exact = kept >= 0
    if not exact:
        missing = missing_tiles(&rules.forms, hand, shown, melds, pair_258)
        return missing - 1 if missing < NEVER_MISSING else NO_SHANTEN
    if rules.shapes >> SHAPE_PAIRS & 1 and melds == 4 and not hand.open_melds:
        kept = max(kept, pairs_kept(&natural))
    if (rules.shapes >> SHAPE_WIND & 1 and hand.open_suits & 7 == 0
            and enough_exist(rules, hand, shown, rules.winds, wanted)):
        kept = max(kept, min(sum_of_bytes(natural.at[3]), wanted))
    if (rules.shapes >> SHAPE_JIANG & 1 and not hand.open_others
            and enough_exist(rules, hand, shown, rules.jiangs, wanted)):
        sum = 0
        for index in range(3):
            sum += natural.at[index] & BYTES_258
        kept = max(kept, min(sum_of_bytes(sum), wanted))
    return max(wanted - kept - row.wilds, 0) - 1 if kept >= 0 else NO_SHANTEN


cdef uint64_t improving(const KernelRules* rules, Hand* hand, const uint8_t* shown, int melds, bint pair_258,
                        int than) noexcept nogil:
    """The tiles whose draw lowers the shanten."""
    cdef Row row
    cdef uint64_t mask = 0
    cdef int tile
    for tile in range(KINDS):
        if rules.forms.tiles >> tile & 1 and hand.counts[tile] + shown[tile] < 4:
            hand.counts[tile] += 1
            read_row(rules, hand.counts, &row)
            if shanten_of(rules, hand, shown, &row, melds, pair_258) < than:
                mask |= 1ULL << tile
            hand.counts[tile] -= 1
    return mask


cdef void shanten_rows(const KernelRules* rules, const uint8_t* rows, Py_ssize_t count, bint pair_258, int8_t* out,
                       uint8_t* wrong) noexcept nogil:
    cdef Py_ssize_t index
    cdef Row row
    cdef Hand hand
    cdef int error
    memset(&hand, 0, sizeof(hand))
    hand.lone = -1
    for index in range(count):
        error = read_row(rules, rows + index * KINDS, &row)
        if not error and (row.total > MOST_ROW_TILES or row.total % 3 == 0):
            error = WRONG_TILE_COUNT
        out[index] = NO_SHANTEN
        if not error:
            memcpy(hand.counts, rows + index * KINDS, KINDS)
            out[index] = <int8_t>shanten_of(rules, &hand, NULL, &row, row.total // 3, pair_258)
        wrong[index] = <uint8_t>error
