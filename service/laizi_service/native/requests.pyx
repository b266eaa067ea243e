"""Requests of one kind, alone or in a batch: see the stub."""

from libc.stdint cimport uint8_t
from libc.string cimport memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE

from laizi_service.native.wire cimport (
    FIELDS, Field, Out, Table, bytes_equal, close_message, forget, keep, next_element, number_of,
    open_message, put_bytes, put_field, put_fragment, release, scan, table_of, tag_of, taken,
)

from time import perf_counter

from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from laizi.errors import LaiziError

from laizi_service import rule_sets

cdef enum:
    UNPLANNED = UNKNOWN + 1  # there is no plan at hand
    SLICE = 2048            # of work between two looks at whether the caller still waits: items answered from bytes
    GENERAL = 16            # an item answered in general is as much work as so many
    MOST_KNOWN = 64         # plans of one batch that are at hand without the interpreter

cdef Py_ssize_t MOST_NAMED = rule_sets.MOST_NAMED


cdef class Plan:
    def __init__(self, bytes provenance):
        keep(&self.provenance, provenance)

    def __dealloc__(self):
        forget(&self.provenance)

    cdef int write(self, const Field *asked, Out *out) noexcept nogil:
        return UNUSUAL

    cdef int learn(self, request, response) except -1:
        return 0


cdef int _answer(Plan plan, const Field *asked, bint told, Out *out) noexcept nogil:
    """Write a response, with its provenance if that is told; nothing unless it is ANSWERED."""
    cdef Py_ssize_t start = out.size
    cdef int outcome = plan.write(asked, out)
    if outcome != ANSWERED:
        out.size = start
    elif told:
        put_fragment(out, &plan.provenance)
    return outcome


# A plan is an object, and a loop without the interpreter cannot take one out of a table. It can hand on its address.
ctypedef int (*Answer)(void *plan, const Field *asked, bint told, Out *out) noexcept nogil
cdef Answer _answer_at = <Answer>_answer


# The plans of one batch by the bytes of their rules and wilds.
cdef struct Known:
    const uint8_t *rules
    const uint8_t *wilds
    Py_ssize_t rules_size
    Py_ssize_t wilds_size
    void *plan              # NULL where rules or wilds are wrong


cdef struct Batch:
    Known known[MOST_KNOWN]
    int got                 # how many have been got
    int last                # which was used last
    Field rules             # of the batch
    Out out


cdef inline bint _is(const Known *known, const Field *rules, const Field *wilds) noexcept nogil:
    return (
        known.rules_size == rules.size and known.wilds_size == wilds.size
        and bytes_equal(known.rules, rules.start, rules.size) and bytes_equal(known.wilds, wilds.start, wilds.size)
    )


cdef Known *_find(Batch *batch, const Field *rules, const Field *wilds) noexcept nogil:
    cdef int i
    if batch.got and _is(&batch.known[batch.last], rules, wilds):
        return &batch.known[batch.last]
    for i in range(min(batch.got, MOST_KNOWN)):
        if _is(&batch.known[i], rules, wilds):
            batch.last = i
            return &batch.known[i]
    return NULL


cdef inline bytes _bytes(const Field *field):
    return PyBytes_FromStringAndSize(<char *>field.start, field.size)


cdef class Requests:
    cdef object plan_of, handler, batch_handler, request_class, rules_class
    cdef Table request_table, batch_table
    cdef int rules, wilds, batch_rules, items, limit
    cdef uint8_t results_tag, response_tag

    def __init__(self, single, batch, plan_of, handler, batch_handler):
        self.plan_of, self.handler, self.batch_handler = plan_of, handler, batch_handler
        self.request_class, self.limit = GetMessageClass(single.input_type), batch_handler.limit
        self.request_table, self.batch_table = table_of(single.input_type), table_of(batch.input_type)
        self.rules, self.wilds = number_of(single.input_type, "rules"), number_of(single.input_type, "wilds")
        self.batch_rules, self.items = number_of(batch.input_type, "rules"), number_of(batch.input_type, "items")
        self.rules_class = GetMessageClass(single.input_type.fields_by_name["rules"].message_type)
        results = batch.output_type.fields_by_name["results"].message_type
        self.results_tag, self.response_tag = tag_of(batch.output_type, "results"), tag_of(results, "response")

    cdef object _plan(self, const Field *rules, const Field *wilds):
        """The plan for rules and wilds, None where these are wrong, or longer than is kept."""
        return self.plan_of(_bytes(rules), _bytes(wilds)) if rules.size + wilds.size <= MOST_NAMED else None

    def one(self, bytes data, call):
        cdef Field asked[FIELDS]
        cdef Out out
        cdef Plan plan
        cdef int outcome
        start = perf_counter()
        if not scan(&self.request_table, <const uint8_t *>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), asked):
            return None
        plan = self._plan(&asked[self.rules], &asked[self.wilds])
        if plan is None:
            return None
        memset(&out, 0, sizeof(Out))
        try:
            if plan.takes_long:
                with nogil:
                    outcome = _answer_at(<void *>plan, asked, True, &out)
            else:
                outcome = _answer(plan, asked, True, &out)
            if outcome == UNUSUAL:
                return None
            if outcome == ANSWERED:
                answer = taken(&out, 0)
                call.engine_seconds += perf_counter() - start
                call.hands += 1
                return answer
        finally:
            release(&out)
        request = self.request_class.FromString(data)
        response = self.handler(request, call)
        plan.learn(request, response)
        return response.SerializeToString()

    def many(self, bytes data, call):
        cdef Field fields[FIELDS]
        cdef Field asked[FIELDS]
        cdef Field item
        cdef Field *run = &fields[self.items]
        cdef Batch batch
        cdef bytes ending
        cdef int outcome = ANSWERED, done, work = 0
        cdef bint pending = False   # whether the item is not answered yet
        if not scan(&self.batch_table, <const uint8_t *>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), fields):
            return None
        if run.count > self.limit:
            return None
        call.items = run.count
        memset(&batch, 0, sizeof(Batch))
        batch.rules = fields[self.batch_rules]
        ending = b""
        if batch.rules.count:
            try:
                ending = self.batch_handler.ending(self.rules_class.FromString(_bytes(&batch.rules)))
            except (LaiziError, DecodeError):
                return None
        plans = [None] * MOST_KNOWN     # keeps those that the batch has the addresses of
        try:
            while pending or run.count:
                done, start = 0, perf_counter()
                with nogil:
                    while work < SLICE and (pending or next_element(run, &item)):
                        outcome = self._answer_item(&item, asked, &batch)
                        pending = outcome != ANSWERED
                        if pending:
                            break
                        done += 1
                        work += 1
                call.engine_seconds += perf_counter() - start
                call.hands += done
                if pending and outcome == UNPLANNED:
                    self._plan_for(asked, &batch, plans)
                elif pending:
                    try:
                        self._answer_in_general(&item, outcome, &batch, call)
                    except DecodeError:
                        return None
                    pending = False
                    work += GENERAL
                if work >= SLICE and (pending or run.count):
                    call.proceed()
                    work = 0
            put_bytes(&batch.out, <const uint8_t *>PyBytes_AS_STRING(ending), PyBytes_GET_SIZE(ending))
            return taken(&batch.out, 0)
        finally:
            release(&batch.out)

    cdef int _answer_item(self, const Field *item, Field *asked, Batch *batch) noexcept nogil:
        cdef const Known *known
        cdef Py_ssize_t start = batch.out.size, result, response
        cdef bint own
        cdef int outcome
        if not scan(&self.request_table, item.start, item.size, asked):
            return UNUSUAL
        own = asked[self.rules].count > 0
        known = _find(batch, &asked[self.rules] if own else &batch.rules, &asked[self.wilds])
        if known == NULL:
            return UNPLANNED
        if known.plan == NULL:
            return UNUSUAL
        result = open_message(&batch.out, self.results_tag)
        response = open_message(&batch.out, self.response_tag)
        outcome = _answer_at(known.plan, asked, own or not batch.rules.count, &batch.out)
        if outcome == ANSWERED:
            close_message(&batch.out, response)
            close_message(&batch.out, result)
        else:
            batch.out.size = start
        return outcome

    cdef int _plan_for(self, const Field *asked, Batch *batch, list plans) except -1:
        """Get the plan for the rules and wilds of an item, in the place of the one that was got longest ago."""
        cdef const Field *rules = &asked[self.rules] if asked[self.rules].count else &batch.rules
        cdef const Field *wilds = &asked[self.wilds]
        cdef Known *known = &batch.known[batch.got % MOST_KNOWN]
        plan = self._plan(rules, wilds)
        plans[batch.got % MOST_KNOWN] = plan
        known.plan = NULL if plan is None else <void *>plan
        known.rules, known.rules_size, known.wilds, known.wilds_size = rules.start, rules.size, wilds.start, wilds.size
        batch.got += 1
        return 0

    cdef int _answer_in_general(self, const Field *item, int outcome, Batch *batch, call) except -1:
        rules = self.rules_class.FromString(_bytes(&batch.rules)) if batch.rules.count else None
        request = self.request_class.FromString(_bytes(item))
        result = self.batch_handler.result(request, rules, call)
        if outcome == UNKNOWN and result.HasField("response"):
            (<Plan>batch.known[batch.last].plan).learn(request, result.response)
        written = result.SerializeToString()
        put_field(
            &batch.out, self.results_tag, <const uint8_t *>PyBytes_AS_STRING(written), PyBytes_GET_SIZE(written)
        )
        return 0
