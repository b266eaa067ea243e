"""CheckHu and BatchCheckHu, answered from the bytes of their requests: see the stub."""

from libc.stdint cimport uint8_t, uint16_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset

from laizi.mahjong.checks cimport (
    CONTEXTS, DISCARD, GANG_FLOWER, HAIDI, MELD_BYTES, MISSED_HU, ROB_KONG, UNKNOWN_TILE, WILD_DISCARDED,
    Given, Meld, Standing, read_given, refusals_of_hand,
)
from laizi.mahjong.choice cimport Choice, Chooser, Way, choose, write_choice
from laizi.mahjong.readings cimport FEATURE_SIZE, KINDS
from laizi.mahjong.writing cimport Written
from laizi_service.native.groups cimport put_groups
from laizi_service.native.tiles cimport read_tile, read_tiles
from laizi_service.native.requests cimport ANSWERED, UNUSUAL, Plan
from laizi_service.native.wire cimport (
    FIELDS, Field, Fragment, Out, Table, close_message, forget, is_kept, keep, next_element, number_of, open_message,
    put_fragment, scan, table_of, tag_of,
)

from laizi.errors import HuRefusal
from laizi.v1 import mahjong_pb2

cdef enum:
    SEATS = 4
    MOST_DOWNS = 15         # of each kind, as in a row of columns
    REFUSAL_SETS = 1 << 16

if max(refusal.number for refusal in HuRefusal) > 16:
    raise SystemError("a set of refusals has more than 16 bits")

cdef Table MELD = table_of(mahjong_pb2.Meld.DESCRIPTOR)
cdef Table CIRCUMSTANCES = table_of(mahjong_pb2.WinCircumstances.DESCRIPTOR)
cdef Table STATE = table_of(mahjong_pb2.SeatState.DESCRIPTOR)


cdef int of_request(str name) except 0:
    return number_of(mahjong_pb2.CheckHuRequest.DESCRIPTOR, name)

cdef int CONCEALED = of_request("concealed"), WINNING_TILE = of_request("winning_tile"), MELDS = of_request("melds")
cdef int SEAT = of_request("seat")
cdef int CIRCUMSTANCES_FIELD = of_request("circumstances"), STATE_FIELD = of_request("state")
cdef int TABLE_FIELD = of_request("table"), LIMIT = of_request("decomposition_limit")


cdef int of_meld(str name) except 0:
    return number_of(mahjong_pb2.Meld.DESCRIPTOR, name)

cdef int KIND = of_meld("kind"), MELD_TILES = of_meld("tiles"), MELD_FROM = of_meld("from_seat")
cdef int AN_GANG = mahjong_pb2.MELD_KIND_AN_GANG


cdef int of_circumstances(str name) except 0:
    return number_of(mahjong_pb2.WinCircumstances.DESCRIPTOR, name)

cdef int MODE = of_circumstances("mode"), FROM_SEAT = of_circumstances("from_seat")
cdef int GANG_FLOWER_FIELD = of_circumstances("gang_flower"), HAIDI_FIELD = of_circumstances("haidi")
cdef int ZIMO_MODE = mahjong_pb2.WIN_MODE_ZIMO, DISCARD_MODE = mahjong_pb2.WIN_MODE_DISCARD
cdef int ROB_KONG_MODE = mahjong_pb2.WIN_MODE_ROB_KONG


cdef int of_state(str name) except 0:
    return number_of(mahjong_pb2.SeatState.DESCRIPTOR, name)

cdef int PUT_DOWNS = of_state("put_downs"), WILD_KONGS = of_state("wild_kongs")
cdef int WILD_DISCARDED_FIELD = of_state("wild_discarded"), MISSED_HU_FIELD = of_state("missed_hu")

cdef uint8_t BEST = tag_of(mahjong_pb2.CheckHuResponse.DESCRIPTOR, "best")


# What a request says besides rules and wilds.
cdef struct Asked:
    uint8_t counts[KINDS]
    uint8_t melds[MELD_BYTES]
    Given given
    int form                # in which the answer writes tiles


# ------------------------------------------------------------------------------------------------------------- requests

cdef bint read_meld(const Field* element, const Meld* known, Chooser evaluator, int seat,
                    uint8_t* packed) noexcept nogil:
    """A meld as columns pack it; False for one that the general way has to look at."""
    cdef Field fields[FIELDS]
    cdef uint8_t counts[KINDS]
    cdef uint8_t faces[KINDS]
    cdef const Meld* meld
    cdef int lowest = 0, place, face, kind
    if not scan(&MELD, element.start, element.size, fields):
        return False
    kind = <int>fields[KIND].value if fields[KIND].value <= <uint8_t>AN_GANG else 0
    if kind == 0 or not read_tiles(&fields[MELD_TILES], counts):
        return False
    if fields[MELD_FROM].count and (
            kind == AN_GANG or fields[MELD_FROM].value >= SEATS or <int>fields[MELD_FROM].value == seat):
        return False
    while counts[lowest] == 0:
        lowest += 1
    packed[0] = <uint8_t>(1 + KINDS * (kind - 1) + lowest)
    meld = &known[packed[0]]
    if meld.error:
        return False
    memset(faces, 0, KINDS)
    for place in range(meld.size):
        face = meld.faces[place]
        faces[face] += 1
        # What such tiles stand for in a meld may be a question.
        if evaluator.rules.forms.is_wild[face] or evaluator.rules.forms.is_stand_in[face]:
            return False
    return memcmp(faces, counts, KINDS) == 0


cdef bint read_circumstances(const Field* message, int seat, Given* given) noexcept nogil:
    cdef Field fields[FIELDS]
    cdef bint drawn
    if not scan(&CIRCUMSTANCES, message.start, message.size, fields):
        return False
    if fields[MODE].value == <uint8_t>DISCARD_MODE:
        given.flags |= DISCARD
    elif fields[MODE].value == <uint8_t>ROB_KONG_MODE:
        given.flags |= ROB_KONG
    elif fields[MODE].value > <uint8_t>ZIMO_MODE:
        return False
    drawn = not given.flags & (DISCARD | ROB_KONG)
    if fields[FROM_SEAT].count and (
            drawn or fields[FROM_SEAT].value >= SEATS or <int>fields[FROM_SEAT].value == seat):
        return False
    if fields[GANG_FLOWER_FIELD].value:
        given.flags |= GANG_FLOWER
    if fields[HAIDI_FIELD].value:
        given.flags |= HAIDI
    return True


cdef bint read_state(const Field* message, Given* given) noexcept nogil:
    cdef Field fields[FIELDS]
    if not scan(&STATE, message.start, message.size, fields):
        return False
    if fields[PUT_DOWNS].value > MOST_DOWNS or fields[WILD_KONGS].value > MOST_DOWNS:
        return False
    given.downs = <int>(fields[PUT_DOWNS].value | fields[WILD_KONGS].value << 4)
    if fields[WILD_DISCARDED_FIELD].value:
        given.flags |= WILD_DISCARDED
    if fields[MISSED_HU_FIELD].value:
        given.flags |= MISSED_HU
    return True


cdef bint read_asked(const Field* fields, const Meld* known, Chooser evaluator, Asked* asked) noexcept nogil:
    """Read what is asked; False for what the general way has to look at. Not all that is wrong is found here."""
    cdef Field run = fields[MELDS], element
    cdef int seat, melds = 0, tile
    if fields[TABLE_FIELD].count or fields[LIMIT].value or fields[SEAT].value >= SEATS:
        return False
    seat = <int>fields[SEAT].value
    memset(asked, 0, sizeof(Asked))
    asked.given.counts = asked.counts
    asked.given.winning_tile = UNKNOWN_TILE
    asked.form = read_tiles(&fields[CONCEALED], asked.counts)
    if not asked.form:
        return False
    if fields[WINNING_TILE].count:
        tile = read_tile(&fields[WINNING_TILE])
        if tile < 0:
            return False
        asked.given.winning_tile = tile
    if run.count > MELD_BYTES:
        return False
    while next_element(&run, &element):
        if not read_meld(&element, known, evaluator, seat, &asked.melds[melds]):
            return False
        melds += 1
    if melds:
        asked.given.melds = asked.melds
    if fields[CIRCUMSTANCES_FIELD].count and not read_circumstances(&fields[CIRCUMSTANCES_FIELD], seat, &asked.given):
        return False
    return not fields[STATE_FIELD].count or read_state(&fields[STATE_FIELD], &asked.given)


# -------------------------------------------------------------------------------------------------------------- answers

# The parts of answers in one context, by hardness and code.
cdef struct Parts:
    Fragment value[2][FEATURE_SIZE]     # of wins
    Fragment worth[2][2][FEATURE_SIZE]  # the end of a decomposition: of wins, of refused readings


cdef class HuPlan(Plan):
    cdef Chooser evaluator
    cdef object parts_of
    cdef Fragment* refused              # by set of refusals
    cdef Parts* parts[CONTEXTS]

    def __init__(self, Chooser evaluator, parts_of):
        Plan.__init__(self, parts_of.provenance())
        self.evaluator, self.parts_of = evaluator, parts_of
        self.takes_long = not evaluator.rules.plain
        # Most of it is never touched, and then costs no memory.
        self.refused = <Fragment*>calloc(REFUSAL_SETS, sizeof(Fragment))
        if self.refused == NULL:
            raise MemoryError
        evaluator.make_melds()

    def __dealloc__(self):
        cdef int context
        if self.refused != NULL:
            forget_all(self.refused, REFUSAL_SETS)
        for context in range(CONTEXTS):
            if self.parts[context] != NULL:
                forget_all(<Fragment*>self.parts[context], sizeof(Parts) // sizeof(Fragment))

    cdef int write(self, const Field* asked, Out* out) noexcept nogil:
        cdef Asked hand
        cdef Standing at
        cdef Way way
        cdef Choice choice
        cdef uint16_t refusals
        if not read_asked(asked, self.evaluator.melds, self.evaluator, &hand):
            return UNUSUAL
        if read_given(&self.evaluator.rules, &self.evaluator.demands, self.evaluator.melds, &hand.given, 2, &at):
            return UNUSUAL
        if self.parts[at.context] == NULL and not self.has_context(at.context):
            return UNUSUAL
        way.hand, way.soft = at.hand, False
        choose(&self.evaluator.rules, &self.evaluator.demands, self.evaluator.contexts[at.context], &way, 1, &at.row,
               &choice)
        refusals = choice.refusals | refusals_of_hand(&self.evaluator.rules, &self.evaluator.demands, &hand.given, &at)
        if not self.has_parts(at.context, &choice, refusals):
            return UNUSUAL
        self.put_answer(&hand, at.context, &way, &choice, refusals, out)
        return ANSWERED

    cdef void put_answer(self, const Asked* hand, int context, const Way* way, const Choice* choice,
                         uint16_t refusals, Out* out) noexcept nogil:
        cdef Parts* parts = self.parts[context]
        cdef Written written
        cdef Py_ssize_t best
        put_fragment(out, &self.refused[refusals] if refusals else &parts.value[choice.hard][choice.code])
        if choice.entry != NULL:
            write_choice(&self.evaluator.rules, way, choice, &written)
            best = open_message(out, BEST)
            put_groups(out, hand.form, choice.code & 7, self.evaluator.melds, hand.melds, &written)
            put_fragment(out, &parts.worth[refusals != 0][choice.hard][choice.code])
            close_message(out, best)

    # What these cannot make, the general path cannot either; it tells why.

    cdef bint has_context(self, int context) noexcept nogil:
        with gil:
            try:
                self.evaluator.make_context(context)
                if self.parts[context] == NULL:
                    self.parts[context] = <Parts*>calloc(1, sizeof(Parts))
            except Exception:
                return False
        return self.parts[context] != NULL

    cdef bint has_parts(self, int context, const Choice* choice, uint16_t refusals) noexcept nogil:
        """Whether the parts of an answer are there, made if need be."""
        cdef Parts* parts = self.parts[context]
        cdef Fragment* value = &self.refused[refusals] if refusals else &parts.value[choice.hard][choice.code]
        cdef Fragment* worth = &parts.worth[refusals != 0][choice.hard][choice.code]
        if is_kept(value) and (choice.entry == NULL or is_kept(worth)):
            return True
        with gil:
            try:
                if refusals:
                    keep(value, self.parts_of.refused(refusals))
                else:
                    keep(value, self.parts_of.value(context, choice.code, choice.hard))
                if choice.entry != NULL:
                    keep(worth, self.parts_of.worth(context, choice.code, choice.hard, refusals != 0))
            except Exception:
                return False
        return True


cdef void forget_all(Fragment* fragments, Py_ssize_t count) noexcept:
    cdef Py_ssize_t index
    for index in range(count):
        forget(&fragments[index])
    free(fragments)
