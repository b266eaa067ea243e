"""CheckHu from bytes to bytes: see the stub."""

from libc.stdint cimport uint8_t, uint16_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE

from laizi.mahjong.checks cimport (
    CONTEXTS, DISCARD, GANG_FLOWER, HAIDI, MELD_BYTES, MISSED_HU, ROB_KONG, UNKNOWN_TILE, WILD_DISCARDED,
    Given, Meld, Standing, read_given, refusals_of_hand,
)
from laizi.mahjong.choice cimport Choice, Chooser, Way, choose, write_choice
from laizi.mahjong.readings cimport FEATURE_SIZE, KINDS
from laizi.mahjong.writing cimport Written
from laizi_service.native.groups cimport put_groups
from laizi_service.native.tiles cimport read_tile, read_tiles
from laizi_service.native.wire cimport (
    FIELDS, Field, Fragment, Out, Table, close_message, forget, keep, next_element, number_of, open_message,
    put_fragment, release, scan, table_of, tag_of, taken,
)

from laizi.errors import HuRefusal
from laizi.v1 import mahjong_pb2

cdef enum:
    SEATS = 4
    MOST_DOWNS = 15         # of each kind, as in a row of columns
    REFUSAL_SETS = 1 << 16

if max(refusal.number for refusal in HuRefusal) > 16:
    raise SystemError("a set of refusals has more than 16 bits")

cdef Table REQUEST = table_of(mahjong_pb2.CheckHuRequest.DESCRIPTOR)
cdef Table MELD = table_of(mahjong_pb2.Meld.DESCRIPTOR)
cdef Table CIRCUMSTANCES = table_of(mahjong_pb2.WinCircumstances.DESCRIPTOR)
cdef Table STATE = table_of(mahjong_pb2.SeatState.DESCRIPTOR)


cdef int of_request(str name) except 0:
    return number_of(mahjong_pb2.CheckHuRequest.DESCRIPTOR, name)

cdef int RULES = of_request("rules"), WILDS = of_request("wilds"), CONCEALED = of_request("concealed")
cdef int WINNING_TILE = of_request("winning_tile"), MELDS = of_request("melds"), SEAT = of_request("seat")
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


cdef bint read_asked(Field* fields, const Meld* known, Chooser evaluator, Asked* asked) noexcept nogil:
    """Read what is asked; False for what the general way has to look at. Not all that is wrong is found here."""
    cdef Field element
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
    if fields[MELDS].count > MELD_BYTES:
        return False
    while next_element(&fields[MELDS], &element):
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


cdef class Plan:
    cdef readonly Chooser evaluator
    cdef object parts_of
    cdef bint holds_lock
    cdef Fragment provenance
    cdef Fragment* refused              # by set of refusals
    cdef Parts* parts[CONTEXTS]

    def __init__(self, Chooser evaluator, parts_of):
        self.evaluator = evaluator
        self.parts_of = parts_of
        self.holds_lock = evaluator.rules.plain
        # Most of it is never touched, and then costs no memory.
        self.refused = <Fragment*>calloc(REFUSAL_SETS, sizeof(Fragment))
        if self.refused == NULL:
            raise MemoryError
        evaluator.make_melds()
        keep(&self.provenance, parts_of.provenance())

    def __dealloc__(self):
        cdef int context, hard, code
        cdef Parts* parts
        forget(&self.provenance)
        if self.refused != NULL:
            for code in range(REFUSAL_SETS):
                forget(&self.refused[code])
        free(self.refused)
        for context in range(CONTEXTS):
            parts = self.parts[context]
            if parts == NULL:
                continue
            for hard in range(2):
                for code in range(FEATURE_SIZE):
                    forget(&parts.value[hard][code])
                    forget(&parts.worth[0][hard][code])
                    forget(&parts.worth[1][hard][code])
            free(parts)

    cdef int make_context(self, int context) except -1:
        self.evaluator.make_context(context)
        if self.parts[context] == NULL:
            self.parts[context] = <Parts*>calloc(1, sizeof(Parts))
            if self.parts[context] == NULL:
                raise MemoryError
        return 0

    # Other threads may make the same part meanwhile: the first one stays.

    cdef int make_refused(self, int refusals) except -1:
        made = self.parts_of.refused(refusals)
        if self.refused[refusals].bytes == NULL:
            keep(&self.refused[refusals], made)
        return 0

    cdef int make_value(self, int context, bint hard, int code) except -1:
        made = self.parts_of.value(context, code, hard)
        if self.parts[context].value[hard][code].bytes == NULL:
            keep(&self.parts[context].value[hard][code], made)
        return 0

    cdef int make_worth(self, int context, bint refused, bint hard, int code) except -1:
        made = self.parts_of.worth(context, code, hard, refused)
        if self.parts[context].worth[refused][hard][code].bytes == NULL:
            keep(&self.parts[context].worth[refused][hard][code], made)
        return 0

    cdef int put_answer(self, Field* fields, bint with_provenance, Out* out) except -1 nogil:
        """Put the answer to a request; return 0 where the general way has to answer it."""
        cdef Asked asked
        cdef Standing at
        cdef Way way
        cdef Choice choice
        cdef Written written
        cdef uint16_t refusals
        cdef Fragment* value
        cdef Fragment* worth = NULL
        cdef Py_ssize_t best
        cdef int context
        cdef bint refused
        if not read_asked(fields, self.evaluator.melds, self.evaluator, &asked):
            return 0
        if read_given(&self.evaluator.rules, &self.evaluator.demands, self.evaluator.melds, &asked.given, 2, &at):
            return 0
        context = at.context
        if self.parts[context] == NULL:
            with gil:
                self.make_context(context)
        way.hand, way.soft = at.hand, False
        choose(&self.evaluator.rules, &self.evaluator.demands, self.evaluator.contexts[context], &way, 1, &at.row,
               &choice)
        refusals = choice.refusals | refusals_of_hand(
            &self.evaluator.rules, &self.evaluator.demands, &asked.given, &at)
        refused = refusals != 0
        value = &self.refused[refusals] if refused else &self.parts[context].value[choice.hard][choice.code]
        if value.bytes == NULL:
            with gil:
                if refused:
                    self.make_refused(refusals)
                else:
                    self.make_value(context, choice.hard, choice.code)
        put_fragment(out, value)
        if choice.entry != NULL:
            worth = &self.parts[context].worth[refused][choice.hard][choice.code]
            if worth.bytes == NULL:
                with gil:
                    self.make_worth(context, refused, choice.hard, choice.code)
            write_choice(&self.evaluator.rules, &way, &choice, &written)
            best = open_message(out, BEST)
            put_groups(out, asked.form, choice.code & 7, self.evaluator.melds, asked.melds, &written)
            put_fragment(out, worth)
            close_message(out, best)
        if with_provenance:
            put_fragment(out, &self.provenance)
        return 1


cdef bytes bytes_of(const Field* field):
    """The contents of a field; None where it is absent."""
    return PyBytes_FromStringAndSize(<char*>field.start, field.size) if field.count else None


def check_hu(bytes data, plan_of):
    cdef Field fields[FIELDS]
    cdef Out out
    cdef Plan plan
    cdef bint answered
    if not scan(&REQUEST, <const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), fields):
        return None
    plan = plan_of(bytes_of(&fields[RULES]), bytes_of(&fields[WILDS]))
    if plan is None:
        return None
    memset(&out, 0, sizeof(Out))
    try:
        if plan.holds_lock:
            # It takes less time than to give the interpreter's lock away and to get it again.
            answered = plan.put_answer(fields, True, &out)
        else:
            with nogil:
                answered = plan.put_answer(fields, True, &out)
        return taken(&out, 0) if answered else None
    finally:
        release(&out)
