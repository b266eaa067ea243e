"""ReadPlay and BatchReadPlays, answered from the bytes of their requests: see the stub."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from laizi.bits cimport JOKERS, lowest, small_total, total, within
from laizi.doudizhu._layout cimport Arranged, arrange_play
from laizi.doudizhu._list cimport Lister
from laizi.doudizhu._read cimport read_counted
from laizi.doudizhu._refusals cimport Refuser
from laizi.doudizhu._rules cimport CODES, MOST_READINGS, ROW_COUNT, beats, is_bomb
from laizi_service.native.cards cimport MOST_CARDS, Cards, counts_of, lowest_suits, put_cards, put_rank, read_cards
from laizi_service.native.readings cimport code_of, put_code
from laizi_service.native.requests cimport ANSWERED, UNKNOWN, UNUSUAL, Plan
from laizi_service.native.wire cimport (
    FIELDS, Field, Fragment, Out, Table, close_message, forget, is_kept, keep, number_of, open_message, put_fragment,
    put_number, scan, table_of, tag_of,
)

from laizi import cards as notation
from laizi.doudizhu import Reading
from laizi.errors import PlayRefusal
from laizi.v1 import doudizhu_pb2 as pb
from laizi_service.codec import provenance

cdef Table PLAY = table_of(pb.Play.DESCRIPTOR)

cdef object _request = pb.ReadPlayRequest.DESCRIPTOR
cdef int CARDS = number_of(_request, "cards"), HAND = number_of(_request, "hand")
cdef int PREVIOUS = number_of(_request, "previous"), LAST = number_of(_request, "last_play")
cdef int DECLARED = number_of(_request, "declared_reading"), TARGET = number_of(_request, "declared_cards")
cdef int TABLE_CARDS = number_of(pb.Play.DESCRIPTOR, "cards"), TABLE_READING = number_of(pb.Play.DESCRIPTOR, "reading")

cdef uint8_t LEGAL = tag_of(pb.ReadPlayResponse.DESCRIPTOR, "legal")
cdef uint8_t READINGS = tag_of(pb.ReadPlayResponse.DESCRIPTOR, "readings")
cdef uint8_t COUNTS_AS = tag_of(pb.ReadPlayResponse.DESCRIPTOR, "taken")
cdef uint8_t BODY = tag_of(pb.Reading.DESCRIPTOR, "body"), KICKERS = tag_of(pb.Reading.DESCRIPTOR, "kickers")
cdef uint8_t STAND_INS = tag_of(pb.Reading.DESCRIPTOR, "stand_ins")
cdef uint8_t BEATS = tag_of(pb.Reading.DESCRIPTOR, "beats_previous")
cdef uint8_t WILD = tag_of(pb.StandIn.DESCRIPTOR, "wild"), RANK = tag_of(pb.StandIn.DESCRIPTOR, "rank")

cdef uint32_t NOT_IN_HAND = 1u << PlayRefusal.NOT_IN_HAND.number - 1
cdef uint32_t DOES_NOT_BEAT = 1u << PlayRefusal.DOES_NOT_BEAT.number - 1

cdef enum:                  # of what a play is made: this decides which clauses make it a reading
    NATURALS = 0
    BOTH
    WILDS_ALONE
    KINDS

cdef enum:                  # how the reading that a play counts as was chosen
    ONLY = 0
    LEADING
    BEATING
    CHOICES

cdef enum:
    MOST_REFUSED = 64       # sets of reasons that a plan keeps


# The part of a reading that is the same under all rules, from its code to its size.
cdef Fragment HEADS[CODES]
memset(HEADS, 0, sizeof(HEADS))


# Why cards are no play, and with which words: the refusals and the clauses of an answer.
cdef struct Refused:
    uint32_t reasons
    Fragment words


# A play: all its cards, which of them are wild, and these one by one in rising order.
cdef struct Dealt:
    Cards cards
    Cards naturals
    Cards wilds
    uint8_t places[MOST_CARDS]      # of each wild: where its rank or, if suits are known, its suit stands in a word
    int kind


cdef class ReadPlan(Plan):
    """An evaluator, and the parts of answers that the general path has given under its rules."""

    cdef object evaluator
    cdef Lister engine
    cdef Refuser refuser
    cdef bint explains                      # whether the refuser is there
    cdef uint64_t wild_ranks                # four bits of each rank that is wild, a wild joker's included
    cdef uint64_t wild_suits                # of other ranks, the suits that are wild
    cdef uint64_t partly_wild               # four bits of each rank that has such
    cdef bint prefers_others                # to lead as a bomb is the second choice
    cdef Fragment reading_clauses[ROW_COUNT][KINDS]
    cdef Fragment play_clauses[ROW_COUNT][KINDS][CHOICES]
    cdef Refused refused[MOST_REFUSED]

    def __init__(self, evaluator):
        Plan.__init__(self, pb.ReadPlayResponse(provenance=provenance(evaluator.ruleset)).SerializeToString())
        self.evaluator, self.engine = evaluator, evaluator
        wilds = evaluator.wilds
        for rank in wilds.ranks:
            self.wild_ranks |= <uint64_t>15 << 4 * rank
        for code in wilds.cards.codes():
            rank = notation.rank_of_code(code)
            if rank >= notation.BLACK_JOKER:
                self.wild_ranks |= <uint64_t>15 << 4 * rank
            else:
                self.wild_suits |= <uint64_t>1 << 4 * rank + (code >> 4)
                self.partly_wild |= <uint64_t>15 << 4 * rank
        self.prefers_others = evaluator.ruleset.rules.read.lead_default != "all"

    def __dealloc__(self):
        cdef int row, kind, choice
        for row in range(ROW_COUNT):
            for kind in range(KINDS):
                forget(&self.reading_clauses[row][kind])
                for choice in range(CHOICES):
                    forget(&self.play_clauses[row][kind][choice])
        for row in range(MOST_REFUSED):
            forget(&self.refused[row].words)

    cdef int write(self, const Field *asked, Out *out) noexcept nogil:
        cdef Dealt play
        cdef uint16_t codes[MOST_READINGS]
        cdef uint32_t refusals = 0, reasons
        cdef int count, previous = 0, chosen, i
        cdef bint last = asked[LAST].value != 0
        cdef const Fragment *clauses
        if asked[DECLARED].count or asked[TARGET].count or not self._deal(&asked[CARDS], &play):
            return UNUSUAL
        if asked[HAND].count and not self._hold(asked, &play.cards, &last, &refusals):
            return UNUSUAL
        if asked[PREVIOUS].count:
            previous = self._table(&asked[PREVIOUS])
            if previous == 0:
                return UNUSUAL
        count = self._read(&play, last, previous, codes)
        if count == 0:
            if not self.explains:
                return UNKNOWN
            reasons = self.refuser.explain(play.naturals.counts, play.wilds.counts, last)
            return self._refuse(reasons | refusals, out) if reasons else UNUSUAL
        chosen = self._choose(codes, count, previous)
        if chosen < 0:
            refusals |= DOES_NOT_BEAT
        elif refusals:
            return UNUSUAL  # the clauses are those of both
        else:
            put_number(out, LEGAL, 1)
            if not self._put_reading(&play, codes[chosen], previous, out):
                return UNKNOWN
        for i in range(count):
            if i != chosen and not self._put_reading(&play, codes[i], previous, out):
                return UNKNOWN
        if chosen < 0:
            return self._refuse(refusals, out)
        i = ONLY if count == 1 else BEATING if previous else LEADING
        clauses = &self.play_clauses[codes[chosen] >> 4][play.kind][i]
        if not is_kept(clauses):
            return UNKNOWN
        put_code(out, COUNTS_AS, codes[chosen])
        put_fragment(out, clauses)
        return ANSWERED

    cdef bint _deal(self, const Field *field, Dealt *play) noexcept nogil:
        """Read cards and tell the wild ones; False where that is not for here."""
        cdef uint64_t left
        cdef int count = 0
        if not read_cards(field, &play.cards):
            return False
        play.naturals = play.wilds = play.cards
        if play.cards.suited or play.cards.codes:
            play.wilds.suits &= self.wild_ranks | self.wild_suits
            play.naturals.suits ^= play.wilds.suits
            play.wilds.counts, play.naturals.counts = counts_of(play.wilds.suits), counts_of(play.naturals.suits)
        else:
            if play.cards.counts & self.partly_wild:
                return False
            play.wilds.counts &= self.wild_ranks
            play.naturals.counts ^= play.wilds.counts
        left = play.wilds.suits if play.cards.suited or play.cards.codes else play.wilds.counts
        while left:
            play.places[count] = lowest(left)
            if play.cards.suited or play.cards.codes:
                left &= left - 1
            else:
                play.places[count] &= ~3
                left -= <uint64_t>1 << play.places[count]
            count += 1
        play.kind = NATURALS if count == 0 else BOTH if play.naturals.counts else WILDS_ALONE
        return True

    cdef bint _hold(self, const Field *asked, const Cards *played, bint *last, uint32_t *refusals) noexcept nogil:
        """Look at the hand: whether it has the cards, and whether they are its last."""
        cdef Cards hand
        cdef bint empties
        if self.engine.bars_soft or not read_cards(&asked[HAND], &hand):
            return False
        empties = total(played.counts) >= total(hand.counts)
        if asked[LAST].count and last[0] != empties:
            return False
        last[0] = empties
        if not within(played.counts, hand.counts) or (
            played.suited and hand.suited and played.suits & ~hand.suits & ~JOKERS
        ):
            refusals[0] = NOT_IN_HAND
        return True

    cdef int _table(self, const Field *field) noexcept nogil:
        """The code of the reading on the table, 0 where it is not for here."""
        cdef Field fields[FIELDS]
        cdef uint16_t codes[MOST_READINGS]
        cdef Dealt play
        cdef int code
        if not scan(&PLAY, field.start, field.size, fields):
            return 0
        if fields[TABLE_CARDS].count == 0:
            code = code_of(&fields[TABLE_READING])
            return code if code and self.engine.plausible(code) else 0
        if fields[TABLE_READING].count or not self._deal(&fields[TABLE_CARDS], &play):
            return 0
        code = self._read(&play, False, 0, codes)
        return codes[self._choose(codes, code, 0)] if code else 0

    cdef int _read(self, const Dealt *play, bint last, int previous, uint16_t *codes) noexcept nogil:
        """The readings in which cards may be played now, in reading order."""
        cdef uint64_t naturals = play.naturals.counts, wilds = play.wilds.counts
        cdef int free = small_total(wilds), bombs = 0, i
        cdef int count = read_counted(
            self.engine.rules_for(last), naturals, wilds, total(naturals) + free, free, codes
        )
        if previous == 0 and self.engine.leads_no_bombs:
            while bombs < count and is_bomb(codes[bombs]):
                bombs += 1
            if bombs < count:
                count -= bombs
                for i in range(count):
                    codes[i] = codes[i + bombs]
        return count

    cdef int _choose(self, const uint16_t *codes, int count, int previous) noexcept nogil:
        """Which of the readings a play counts as: the weakest that beats; leading, the first, or the first that is no
        bomb. -1 for none."""
        cdef int i
        if previous:
            for i in range(count - 1, -1, -1):
                if beats(&self.engine.rules, codes[i], previous):
                    return i
            return -1
        for i in range(count):
            if not (self.prefers_others and is_bomb(codes[i])):
                return i
        return 0

    cdef bint _put_reading(self, const Dealt *play, int code, int previous, Out *out) noexcept nogil:
        """Write a reading; False where its clauses are not known yet."""
        cdef const Fragment *clauses = &self.reading_clauses[code >> 4][play.kind]
        cdef Arranged arranged
        cdef Cards body = play.naturals, kickers = play.naturals, wild = play.naturals
        cdef Py_ssize_t start, inner
        cdef uint64_t bit
        cdef int i
        if not is_kept(&HEADS[code]) or not is_kept(clauses):
            return False
        arrange_play(&self.engine.rules, code, play.naturals.counts, play.wilds.counts, &arranged)
        body.counts = arranged.body
        kickers.counts -= body.counts
        body.suits = lowest_suits(play.naturals.suits, body.counts)
        kickers.suits ^= body.suits
        for i in range(arranged.count):
            bit = <uint64_t>1 << play.places[arranged.card[i]]
            if i < arranged.in_body:
                body.suits, body.counts = body.suits | bit, body.counts + _one(bit)
            else:
                kickers.suits, kickers.counts = kickers.suits | bit, kickers.counts + _one(bit)
        start = open_message(out, READINGS)
        put_fragment(out, &HEADS[code])
        put_cards(out, BODY, &body)
        if kickers.counts:
            put_cards(out, KICKERS, &kickers)
        for i in range(arranged.count):
            wild.suits = <uint64_t>1 << play.places[arranged.card[i]]
            wild.counts = _one(wild.suits)
            inner = open_message(out, STAND_INS)
            put_cards(out, WILD, &wild)
            put_rank(out, RANK, arranged.rank[i])
            close_message(out, inner)
        if previous and beats(&self.engine.rules, code, previous):
            put_number(out, BEATS, 1)
        put_fragment(out, clauses)
        close_message(out, start)
        return True

    cdef int _refuse(self, uint32_t reasons, Out *out) noexcept nogil:
        cdef int i
        for i in range(MOST_REFUSED):
            if not is_kept(&self.refused[i].words):
                return UNKNOWN
            if self.refused[i].reasons == reasons:
                put_fragment(out, &self.refused[i].words)
                return ANSWERED
        return UNUSUAL

    cdef int learn(self, request, answer) except -1:
        """Keep the parts of an answer that the general path gave to what was unknown."""
        cdef int code, kind, i
        for reading in answer.readings:
            code, kind = Reading.parse(reading.code).code, _kind(reading)
            keep(&self.reading_clauses[code >> 4][kind], pb.Reading(clauses=reading.clauses).SerializeToString())
            head = pb.Reading(
                code=reading.code,
                type=reading.type,
                main_rank=reading.main_rank,
                length=reading.length,
                tier=reading.tier,
                size=reading.size,
            )
            keep(&HEADS[code], head.SerializeToString())
        if answer.legal:
            first = answer.readings[0]
            choice = ONLY if len(answer.readings) == 1 else BEATING if request.HasField("previous") else LEADING
            code = Reading.parse(first.code).code
            clauses = pb.ReadPlayResponse(clauses=answer.clauses)
            keep(&self.play_clauses[code >> 4][_kind(first)][choice], clauses.SerializeToString())
            return 0
        if not self.explains:
            self.refuser = self.evaluator.refuser
            self.explains = True
        words = pb.ReadPlayResponse(refusals=answer.refusals, clauses=answer.clauses)
        reasons = sum(1 << detail.reason - 1 for detail in answer.refusals)
        for i in range(MOST_REFUSED):
            if not is_kept(&self.refused[i].words):
                self.refused[i].reasons = reasons
                keep(&self.refused[i].words, words.SerializeToString())
            if self.refused[i].reasons == reasons:
                break
        return 0


cdef inline uint64_t _one(uint64_t suit) noexcept nogil:
    """One card, counted, of the rank of a suit's bit."""
    return <uint64_t>1 << (lowest(suit) & ~3)


cdef int _kind(reading):
    wilds = len(reading.stand_ins)
    return NATURALS if wilds == 0 else WILDS_ALONE if wilds == reading.size else BOTH
