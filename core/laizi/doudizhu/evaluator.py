"""The evaluator: what a Dou Dizhu play is, what it beats, and what a hand can play, under one rule set."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeAlias

from laizi import cards as notation
from laizi.cards import BLACK_JOKER, COPIES, HAND_LIMIT, PACK, RANKS, Cards
from laizi.doudizhu import packed
from laizi.doudizhu._columns import Columns
from laizi.doudizhu._read import Reader
from laizi.doudizhu._refusals import Refuser
from laizi.doudizhu.answers import Comparison, PlayAnswer, PlayComparison, decisions_of
from laizi.doudizhu.comparing import compare_readings
from laizi.doudizhu.compiling import compiled
from laizi.doudizhu.explaining import DECIDED_BY, LIFTS, explain, lifted
from laizi.doudizhu.listing import PlayList, list_plays
from laizi.doudizhu.readings import ROWS, Reading, Tier
from laizi.errors import CardsError, ErrorReason, LaiziError, PlayRefusal, RequestError, RulesError
from laizi.rules import DoudizhuRules, RuleSet

__all__ = ["MOST_WILDS", "CardsLike", "Evaluator", "Wilds"]

CardsLike: TypeAlias = Cards | str | bytes
"""Cards as text, as byte codes or already read."""

MOST_WILDS: Final = 8
"""Most cards that may be wild in a game: all of two ranks."""

_MOST_RANKS: Final = {"random_rank": 1, "indicator_next": 1, "two_random_ranks": 2}


@dataclass(frozen=True, slots=True)
class Wilds:
    """What is wild: whole ranks, or single cards."""

    ranks: tuple[int, ...] = ()
    cards: Cards = field(default_factory=lambda: Cards(bytes(len(RANKS))))

    def __bool__(self) -> bool:
        return bool(self.ranks) or len(self.cards) > 0

    def caps(self) -> bytes:
        """How many wild cards of each rank the pack holds."""
        return bytes(COPIES[rank] if rank in self.ranks else count for rank, count in enumerate(self.cards.counts))


class Evaluator(Columns):
    """Evaluates plays and hands under one rule set and one choice of wilds.

    ``wild_ranks`` names the wild ranks (``"7"``, ``"79"``), ``wild_cards`` single wild cards (``"7h 7d"``, ``"XY"``);
    both empty means that the rules have no wilds or that they are not determined yet. ``max_cards`` bounds plays and
    hands: 20, what a landlord can hold, unless a tool asks for up to 54.

    Raises RulesError (WRONG_GAME), CardsError (WILD_NOT_ALLOWED, WRONG_WILD_COUNT, WILD_IS_JOKER, SUIT_MISSING, and
    what naming cards raises) or RequestError (VALUE_OUT_OF_RANGE), with the path ``ruleset``, ``wild_ranks``,
    ``wild_cards`` or ``max_cards``.

    An evaluator never changes and may be shared by threads.
    """

    ruleset: RuleSet
    wilds: Wilds
    _rules: DoudizhuRules
    _without: Callable[[frozenset[PlayRefusal]], Reader]

    def __new__(
        cls, ruleset: RuleSet, wild_ranks: str = "", wild_cards: CardsLike = "", *, max_cards: int = HAND_LIMIT
    ) -> Self:
        rules = ruleset.rules
        if not isinstance(rules, DoudizhuRules):
            raise RulesError(
                ErrorReason.WRONG_GAME, f'"{ruleset.name}" is a rule set of {ruleset.game}', path="ruleset"
            )
        if not 1 <= max_cards <= PACK:
            raise RequestError(
                ErrorReason.VALUE_OUT_OF_RANGE, f"{max_cards} is outside 1 to {PACK}", path="max_cards", limit=PACK
            )
        wilds = _check_wilds(rules, wild_ranks, wild_cards)
        self = super().__new__(cls, **_engine(rules, wilds, max_cards))
        self.ruleset, self.wilds, self._rules = ruleset, wilds, rules
        self._without = functools.lru_cache(maxsize=128)(self._compile_without)
        return self

    def read_play(
        self,
        cards: CardsLike,
        *,
        hand: CardsLike | None = None,
        declared: Reading | str | None = None,
        target: CardsLike | None = None,
        previous: Reading | str | None = None,
        last: bool | None = None,
    ) -> PlayAnswer:
        """Whether cards are a legal play, with every reading, or why not.

        ``hand`` is what the player holds, the cards included: possession is checked, the last play is recognised, and
        rules that ask for the rest of the hand apply. ``declared`` is the reading that the player wants; ``target`` are
        the cards that his play stands for instead (``"33"`` for a 3 and a wild). ``previous`` is the reading on the
        table; without it the play leads. ``last`` says that the play empties the hand; where neither it nor a hand is
        given, it does not.

        Raises LaiziError with the path of the argument: what reading cards raises; EMPTY_PLAY, EMPTY_HAND,
        HAND_TOO_LARGE, SUIT_MISSING; MALFORMED_READING; PREVIOUS_PLAY_ILLEGAL for a previous reading that no play has
        under the rules; DECLARED_SIZE_MISMATCH for a target of another size; CONTRADICTORY_FIELDS for ``last`` against
        ``hand``, and for ``declared`` beside ``target``.
        """
        held = None if hand is None else self._cards(hand, "hand", ErrorReason.EMPTY_HAND)
        played = self._cards(cards, "cards", ErrorReason.EMPTY_PLAY)
        before = None if previous is None else self.previous(previous)
        naturals, wilds = self._split(played, "cards")
        is_last = _is_last(played, held, last)
        refusals: set[PlayRefusal] = set()
        if held is not None and not held.covers(played):
            refusals.add(PlayRefusal.NOT_IN_HAND)

        found = [Reading.from_code(code) for code in self.codes(naturals.word(), wilds.word(), is_last)]
        barred = self._barred(found, held, before)
        readings = [reading for reading in found if reading not in barred]
        if not readings:
            refusals.update(barred.values() or self._explain(naturals, wilds, is_last))

        wanted, ranks = readings, None
        if declared is not None or target is not None:
            wanted, ranks, why = self._declared(declared, target, played, naturals, wilds, readings, barred)
            refusals.update(why)
        beating = [] if before is None else [r for r in reversed(readings) if self.beats(r.code, before.code)]
        if before is None:
            default = self._leading(wanted)
        else:
            default = next((reading for reading in beating if reading in wanted), None)
            if wanted and default is None:
                refusals.add(PlayRefusal.DOES_NOT_BEAT)

        used = [] if default is None else list(decisions_of(default, len(naturals), len(wilds)))
        if default is not None and len(readings) > 1 and declared is None and target is None:
            used.append("play.beat" if before else "read.lead_default")
        used += [name for refusal in sorted(refusals, key=_number) for name in DECIDED_BY.get(refusal, ())]
        return PlayAnswer(
            cards=played,
            naturals=naturals,
            wilds=wilds,
            legal=not refusals,
            readings=tuple(sorted(readings, key=lambda reading: reading is not default)),
            default=default,
            beating=tuple(beating),
            refusals=tuple(sorted(refusals, key=_number)),
            decisions=tuple(dict.fromkeys(used)),
            clauses=self.ruleset.cite(*used),
            _reader=self,
            _ranks=ranks,
        )

    def compare(
        self,
        previous: Reading | str,
        cards: CardsLike,
        *,
        hand: CardsLike | None = None,
        declared: Reading | str | None = None,
        target: CardsLike | None = None,
        last: bool | None = None,
    ) -> PlayComparison:
        """Whether cards beat the previous reading, with which of their readings, and why each does or does not.

        The arguments and errors are those of `read_play`.
        """
        before = self.previous(previous)
        play = self.read_play(cards, hand=hand, declared=declared, target=target, previous=before, last=last)
        others = sorted(set(play.readings) - set(play.beating), key=play.readings.index)
        compared = [self.compare_readings(before, reading) for reading in (*play.beating, *others)]
        return PlayComparison(play.legal, before, tuple(compared), play)

    def compare_readings(self, previous: Reading, reading: Reading) -> Comparison:
        """Whether one reading beats another under the rules, and why."""
        beats, reason, used = compare_readings(self, self._rules, reading, previous)
        return Comparison(reading, beats, reason, used, self.ruleset.cite(*used))

    def previous(self, reading: Reading | str, *, path: str = "previous") -> Reading:
        """The reading on the table, checked: some play can have it under the rules and wilds.

        Raises NotationError (MALFORMED_READING) or RequestError (PREVIOUS_PLAY_ILLEGAL).
        """
        before = _reading(reading, path)
        if not self.is_plausible(before.code):
            raise RequestError(
                ErrorReason.PREVIOUS_PLAY_ILLEGAL,
                f'no play can be {before} under the rules "{self.ruleset.name}" with these wilds',
                path=path,
            )
        return before

    def list_plays(
        self,
        hand: CardsLike,
        previous: Reading | str | None = None,
        *,
        expand: bool = False,
        limit: int | None = None,
    ) -> PlayList:
        """The legal plays of a hand, leading or against the previous reading, in hint order.

        There is one play for each reading that the hand can make, with the cards that it would best give; with
        ``expand`` there is one for each choice of cards, equal cards of one rank not told apart. ``limit`` bounds the
        list and leaves the total as it is.

        Raises LaiziError with the path of the argument: what reading cards raises; EMPTY_HAND, HAND_TOO_LARGE,
        SUIT_MISSING; MALFORMED_READING, PREVIOUS_PLAY_ILLEGAL; VALUE_OUT_OF_RANGE for a negative limit.
        """
        if limit is not None and limit < 0:
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, f"{limit} is below 0", path="limit", limit=0)
        before = None if previous is None else self.previous(previous)
        held = self._split(self._cards(hand, "hand", ErrorReason.EMPTY_HAND), "hand")
        return list_plays(self, held, before, expand, limit)

    def can_beat(self, previous: Reading | str, hand: CardsLike) -> bool:
        """Whether anything in a hand beats the previous reading; if not, the player can be passed at once.

        Raises what `list_plays` raises.
        """
        before = self.previous(previous)
        naturals, wilds = self._split(self._cards(hand, "hand", ErrorReason.EMPTY_HAND), "hand")
        return self.beatable(naturals.word(), wilds.word(), before.code)

    def _cards(self, cards: CardsLike, path: str, empty: ErrorReason) -> Cards:
        return notation.read(cards, path=path, limit=self.max_cards, empty=empty)

    def _split(self, cards: Cards, path: str) -> tuple[Cards, Cards]:
        if not self.wilds:
            return cards, Cards(bytes(len(RANKS)))
        try:
            return cards.split(self.wilds.ranks, self.wilds.cards.codes())
        except CardsError as error:
            raise error.under(path) from None

    def _barred(
        self, found: Sequence[Reading], held: Cards | None, before: Reading | None
    ) -> dict[Reading, PlayRefusal]:
        """Readings that the cards have and that may not be played now."""
        barred = {}
        if before is None and self.leads_no_bombs and not all(reading.is_bomb for reading in found):
            barred = {r: PlayRefusal.NON_BOMB_READING_EXISTS for r in found if r.is_bomb}
        if held is not None and self.bars_soft_bombs(held):
            barred |= {r: PlayRefusal.SOFT_BOMB_WHILE_HOLDING_HARD for r in found if r.tier is Tier.SOFT}
        return barred

    def bars_soft_bombs(self, held: Cards) -> bool:
        """Whether soft bombs may not be played out of this hand, because it holds a hard one."""
        return self.bars_soft and 4 in self._split(held, "hand")[0].counts

    def _leading(self, readings: Sequence[Reading]) -> Reading | None:
        if self._rules.read.lead_default != "all":
            readings = [*(r for r in readings if not r.is_bomb), *readings]
        return readings[0] if readings else None

    def _declared(
        self,
        declared: Reading | str | None,
        target: CardsLike | None,
        played: Cards,
        naturals: Cards,
        wilds: Cards,
        readings: Sequence[Reading],
        barred: dict[Reading, PlayRefusal],
    ) -> tuple[list[Reading], tuple[int, ...] | None, set[PlayRefusal]]:
        """The readings that a declaration admits, the ranks that it gives the wilds, and why it admits none."""
        if target is None:
            assert declared is not None
            chosen = _reading(declared, "declared")
            if chosen in readings:
                return [chosen], None, set()
            return [], None, {PlayRefusal.DECLARED_NOT_A_READING, *(barred[r] for r in barred if r == chosen)}
        if declared is not None:
            raise RequestError(
                ErrorReason.CONTRADICTORY_FIELDS, "a reading and target cards are two declarations", path="target"
            )
        aim = notation.stood_for(target, path="target", limit=self.max_cards, empty=ErrorReason.EMPTY_PLAY)
        if len(aim) != len(played):
            raise RequestError(
                ErrorReason.DECLARED_SIZE_MISMATCH, f"{len(aim)} cards are to stand for {len(played)}", path="target"
            )
        refusals = {PlayRefusal.DECLARED_NOT_A_READING}
        stand_ins = [a - n for a, n in zip(aim.counts, naturals.counts, strict=True)]
        if not len(naturals) and aim.counts != wilds.counts:
            return [], None, refusals | {PlayRefusal.WILDS_ALONE_KEEP_RANK}
        if any(
            count > (len(wilds) if self._rules.wild.as_joker else wilds.counts[BLACK_JOKER + index])
            for index, count in enumerate(stand_ins[BLACK_JOKER:])
        ):
            return [], None, refusals | {PlayRefusal.WILD_AS_JOKER}
        if min(stand_ins) < 0:
            return [], None, refusals
        admitted = [r for r in readings if r.tier is Tier.MIXED or self.stands_as(aim.word(), r.code)]
        ranks = tuple(rank for rank, count in enumerate(stand_ins) for _ in range(count))
        return (
            admitted,
            ranks,
            set() if admitted else refusals | {barred[r] for r in barred if self.stands_as(aim.word(), r.code)},
        )

    def _explain(self, naturals: Cards, wilds: Cards, last: bool) -> Iterable[PlayRefusal]:
        """Why cards have no reading."""
        rules, words = self._rules, (naturals.word(), wilds.word())
        alone = not len(naturals)
        if alone and rules.wild.alone == "forbidden":
            return [PlayRefusal.WILDS_ALONE_FORBIDDEN]
        if alone and rules.wild.alone == "natural_if_last" and not last and self.codes(*words, True):
            return [PlayRefusal.WILDS_ALONE_ONLY_AS_LAST_PLAY]
        reasons = explain(self._lifts(alone), lambda without: bool(self._without(without).codes(*words, last)))
        if reasons:
            return reasons
        fits = len(naturals) + len(wilds) in self._sizes_played[last]
        return [PlayRefusal.CARDS_FIT_NO_TYPE if fits else PlayRefusal.COUNT_FITS_NO_TYPE]

    def pack_leading(self, counts: bytearray, codes: bytearray) -> bytearray:
        """Pack the readings that `read_rows` gives for plays that lead, each play's default first: see
        `laizi.doudizhu.packed`. Where the rules refuse a bomb for another reading, it is left out of ``counts``, too.
        """
        lead = self._rules.read.lead_default
        return packed.pack_leading(counts, codes, prefer_others=lead != "all", bar_bombs=lead == "non_bomb_only")

    def refusal_rows(
        self, rows: bytes | bytearray | memoryview, counts: bytearray, errors: bytearray, last: bool = False
    ) -> bytearray:
        """Why each play of a column is no legal play: four bytes a row, little-endian, bit n - 1 for the `PlayRefusal`
        of number n; 0 where it has readings or an error. ``counts`` and ``errors`` are those of `read_rows`."""
        return self.refuser.rows(rows, counts, errors, last)

    @functools.cached_property
    def refuser(self) -> Refuser:
        """What finds the reasons of `refusal_rows`."""

        def needed(naturals: int, wilds: int, last: bool) -> int:
            reasons = explain(
                self._lifts(not naturals), lambda without: bool(self._without(without).codes(naturals, wilds, last))
            )
            return sum(1 << reason.number - 1 for reason in reasons)

        return Refuser(
            self,
            [
                (reason.number, self._without(frozenset({reason})), reason not in self._liftable)
                for reason in self._lifts(True)
            ],
            [self._without(frozenset(self._lifts(alone))) for alone in (False, True)],
            self._sizes_played,
            self._rules.wild.alone,
            needed,
        )

    def _lifts(self, alone: bool) -> list[PlayRefusal]:
        """The reasons that can keep cards, or wilds alone, from being a play."""
        keeps = PlayRefusal.WILDS_ALONE_KEEP_RANK
        return [reason for reason in LIFTS if reason in self._liftable or (alone and reason is keeps)]

    @functools.cached_property
    def _liftable(self) -> frozenset[PlayRefusal]:
        """The reasons whose rule these rules have."""
        return frozenset(reason for reason, lift in LIFTS.items() if lift(self._rules) != self._rules)

    @functools.cached_property
    def _sizes_played(self) -> tuple[frozenset[int], frozenset[int]]:
        """The numbers of cards that an ordinary play and the last play can have."""
        ordinary, last = (
            frozenset(row.size for row, may in zip(ROWS, compiled(self._rules, last=last)["on"], strict=True) if may)
            for last in (False, True)
        )
        return ordinary, last

    def _compile_without(self, reasons: frozenset[PlayRefusal]) -> Reader:
        rules = lifted(self._rules, reasons)
        alone = "free" if PlayRefusal.WILDS_ALONE_KEEP_RANK in reasons else ""
        return Reader(**_engine(rules, self.wilds, self.max_cards, alone))


def _engine(rules: DoudizhuRules, wilds: Wilds, max_cards: int, alone: str = "") -> dict[str, Any]:
    wild = Cards(wilds.caps())
    return {
        "rules": compiled(rules, last=False, alone=alone),
        "last": compiled(rules, last=True, alone=alone),
        "natural_caps": Cards(bytes(a - b for a, b in zip(COPIES, wild.counts, strict=True))).word(),
        "wild_caps": wild.word(),
        "max_cards": max_cards,
        "bars_soft": not rules.play.soft_bomb_if_hard_held and any("hard" in tiers for tiers in rules.bomb.order),
        "leads_no_bombs": rules.read.lead_default == "non_bomb_only",
        "undetermined": rules.wild.source != "none" and not wilds,
    }


def _number(reason: PlayRefusal) -> int:
    return reason.number


def _reading(reading: Reading | str, path: str) -> Reading:
    if isinstance(reading, Reading):
        return reading
    try:
        return Reading.parse(reading)
    except LaiziError as error:
        raise error.under(path) from None


def _is_last(played: Cards, held: Cards | None, last: bool | None) -> bool:
    if held is None:
        return bool(last)
    empties = len(played) >= len(held)
    if last is not None and last != empties:
        raise RequestError(
            ErrorReason.CONTRADICTORY_FIELDS,
            f"{len(played)} of {len(held)} cards are {'' if empties else 'not '}the whole hand",
            path="last",
        )
    return empties


def _check_wilds(rules: DoudizhuRules, wild_ranks: str, wild_cards: CardsLike) -> Wilds:
    ranks = notation.ranks_of(wild_ranks, path="wild_ranks")
    single = notation.read(wild_cards, path="wild_cards")
    source = rules.wild.source
    most = _MOST_RANKS.get(source, 0)
    if ranks and not most:
        raise CardsError(ErrorReason.WILD_NOT_ALLOWED, f"the rules ({source}) have no wild ranks", path="wild_ranks")
    if len(single) and source != "chosen_cards":
        raise CardsError(
            ErrorReason.WILD_NOT_ALLOWED, f"the rules ({source}) have no single wild cards", path="wild_cards"
        )
    if ranks and ranks[-1] >= BLACK_JOKER:
        raise CardsError(ErrorReason.WILD_IS_JOKER, "a joker is no wild rank", path="wild_ranks")
    if len(ranks) > most:
        raise CardsError(
            ErrorReason.WRONG_WILD_COUNT,
            f"{len(ranks)} wild ranks, the rules have {most}",
            path="wild_ranks",
            limit=most,
        )
    if len(single) > MOST_WILDS:
        raise CardsError(
            ErrorReason.WRONG_WILD_COUNT,
            f"{len(single)} wild cards, at most {MOST_WILDS} are supported",
            path="wild_cards",
            limit=MOST_WILDS,
        )
    try:
        single.codes()
    except CardsError as error:
        raise error.under("wild_cards") from None
    return Wilds(ranks, single)
