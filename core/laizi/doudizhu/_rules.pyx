"""The compiled form of Dou Dizhu rules."""

from libc.string cimport memset

from laizi.bits cimport window

from laizi.errors import ErrorReason

EMPTY = ErrorReason.EMPTY_PLAY.number
TOO_LARGE = ErrorReason.HAND_TOO_LARGE.number
TOO_MANY = ErrorReason.TOO_MANY_COPIES.number
ILLEGAL = ErrorReason.PREVIOUS_PLAY_ILLEGAL.number


cdef int _fill_shapes() except -1:
    from laizi.doudizhu.readings import FIRST_BOMB_ROW, ROWS
    assert FIRST_BOMB_ROW << 4 == FIRST_BOMB
    assert len(ROWS) < ROW_COUNT
    cdef int row
    cdef int filled[SIZES]
    memset(filled, 0, sizeof(filled))
    tiers = {"soft": SOFT, "hard": HARD, "pure": PURE}
    for row, shape in enumerate(ROWS):
        SHAPES[row] = Shape(shape.form, shape.unit, shape.ranks, shape.size, tiers.get(shape.tier, ANY_TIER))
        if shape.size:
            ROWS_OF[shape.size][filled[shape.size]] = row
            filled[shape.size] += 1
    return len(ROWS)


ROWS_USED = _fill_shapes()


cdef uint64_t _ends(int first, int last):
    cdef uint64_t mask = 0
    cdef int rank
    for rank in range(first, last + 1):
        mask |= <uint64_t>1 << 4 * rank
    return mask


cdef void _plan(Rules *rules, int row):
    """Enter a row that may be played into the plan of its size."""
    cdef Shape shape = SHAPES[row]
    cdef Plan *plan = &rules.plan[shape.size]
    cdef int code = row << 4
    cdef uint64_t mains = _ends(max(shape.ranks - 1, 0), 12 if shape.ranks == 1 else rules.top)
    cdef Carrier *carrier
    cdef Run *run
    if shape.form == SAME:
        if shape.size == 1:
            mains = _ends(0, 14)
        if shape.tier == ANY_TIER:
            plan.same[SOFT] = plan.same[HARD] = plan.same[PURE] = code
        else:
            plan.same[shape.tier] = code
            rules.longest_bomb = max(rules.longest_bomb, <int>shape.size)
    elif shape.form == RUN:
        run = &plan.run[shape.unit]
        run.ends, run.code, run.shift = mains, code, 4 * (shape.ranks - 1)
    elif shape.form == SINGLES or shape.form == PAIRS:
        carrier = &plan.singles if shape.form == SINGLES else &plan.pairs
        carrier.ends, carrier.code, carrier.shift = mains, code, 4 * (shape.ranks - 1)
        carrier.window, carrier.four = window(shape.ranks), shape.unit == 4
        carrier.if_four = ~<uint64_t>0 if carrier.four else 0
    elif shape.form == ROCKET:
        mains = _ends(14, 14)
        rules.rocket = code | 14
    else:
        mains = <uint64_t>1 << 60
        rules.mixed[shape.size] = code | 15
    rules.mains[row] = mains
    if shape.unit == 4 and shape.form == RUN:
        rules.simple = False


cdef void _fill(Rules *rules, dict values) except *:
    cdef int row
    memset(rules, 0, sizeof(Rules))
    rules.alone, rules.body = values["alone"], values["body"]
    rules.as_joker, rules.soft_quad = values["as_joker"], values["soft_quad"]
    rules.no_rocket, rules.no_equal_pairs = values["no_rocket"], values["no_equal_pairs"]
    rules.no_body_run, rules.top = values["no_body_run"], values["top"]
    rules.equal, rules.body_rank = values["equal"], values["body_rank"]
    rules.plain = rules.alone != FREE and rules.no_equal_pairs
    rules.kicker_bans = rules.no_rocket or rules.no_body_run or rules.equal[0] < 3 or rules.equal[1] < 2
    rules.body_bans = rules.body != BODY_ANY or not rules.soft_quad
    rules.simple = (
        rules.plain and not rules.kicker_bans and not rules.as_joker and rules.body != BODY_KEEPS_RANK
        and rules.equal[0] == 3 and not rules.body_rank[0] and not rules.body_rank[1]
    )
    for row in range(1, ROWS_USED):
        rules.power[row] = values["power"][row]
        rules.on[row] = values["on"][row]
        if rules.on[row]:
            _plan(rules, row)


cdef class Compiled:
    def __cinit__(self, *, dict rules, dict last, uint64_t natural_caps, uint64_t wild_caps, int max_cards,
                  bint undetermined, **_):
        _fill(&self.rules, rules)
        _fill(&self.last, last)
        self.last_differs = rules != last
        self.natural_caps, self.wild_caps = natural_caps, wild_caps
        self.max_cards, self.undetermined = max_cards, undetermined
