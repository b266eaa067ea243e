"""Who pays whom after a win in mahjong, factor by factor.

Each loser's amount is made of the win (base or hu types, self-draw, hard, situations), what the winner opened, konged
and put down, the dealer, the feeder, and what the loser himself opened, konged and put down. Then come gold or cap,
and rounding. A guarantor (包) pays what the others would have paid.

>>> from laizi import rules
>>> seats = (SeatFactors(0, openings=1), SeatFactors(2, openings=2, zhi_gangs=1))
>>> hand = Hand([2], Circumstances("discard", 3), ["qingyise"], table=Table(dealer=1, seats=seats))
>>> settlement = settle(rules.load("honghu"), hand)
>>> [str(delta) for delta in settlement.deltas]
['-80', '-40', '180', '-60']
>>> for factor in settlement.payments[0].factors:
...     print(factor.result, factor.text, *factor.clauses)
10 one suit 10 M1-43
20 opened ×2 M1-54
40 konged a discard ×2 M1-16 M1-53
80 the loser opened ×2 M1-54
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, get_args

from laizi.errors import ErrorReason, RequestError
from laizi.mahjong.answers import HuAnswer, Meld, MeldKind, WinMode
from laizi.mahjong.verdicts import claims_of
from laizi.rules import MahjongRules, RuleSet
from laizi.rules.mahjong import HuType as TypeOptions
from laizi.rules.mahjong import Situation
from laizi.settlement.factors import Factor, Payment, Steps, totals
from laizi.tiles import COPIES, NAMES, name

MAX_SEATS = 4
MAX_MELDS = 5

GuaranteeKind = Literal["rob_kong", "qqr_not_ready", "third_open_qingyise"]
GUARANTEES = get_args(GuaranteeKind)

TYPE_NAMES = {
    "pengpenghu": ("all triplets", "碰碰胡"),
    "qingyise": ("one suit", "清一色"),
    "fengyise": ("honours only", "风一色"),
    "jiangyise": ("all 2, 5, 8", "将一色"),
    "quanqiuren": ("all claimed", "全求人"),
    "menqing": ("nothing claimed", "门清"),
    "qidui": ("seven pairs", "七对"),
    "longqi": ("seven pairs with a four", "龙七对"),
    "dandiao": ("single tile left", "单吊"),
}
"""The hu types that the tiles make, in the order of ``hu.types``: their names in English and in Chinese."""
SITUATION_NAMES = {
    "gang_flower": ("won on the tile after a kong", "杠上花"),
    "haidi": ("won on the last tiles", "海底捞"),
    "rob_kong": ("robbed a kong", "抢杠"),
}
"""The situations that may count as types or factors, in the order of ``hu.situational``."""

_APART = (
    {"qingyise", "fengyise"},
    {"fengyise", "jiangyise"},
    *({pairs, other} for pairs in ("qidui", "longqi") for other in ("pengpenghu", "quanqiuren", "menqing", "dandiao")),
    {"qidui", "longqi"},
)
"""Types of which one hand has only one."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How a win came about."""

    mode: WinMode | str = WinMode.ZIMO
    from_seat: int | None = None
    """The seat that discarded or was robbed; None exactly for a self-draw."""
    gang_flower: bool = False
    """The tile drawn replaced a kong, a wild kong or a put-down (杠上花)."""
    haidi: bool = False
    """The tile drawn was one of the last of the wall, by the option ``hu.haidi`` (海底捞)."""


@dataclass(frozen=True, slots=True)
class SeatFactors:
    """What multiplies the payments of one seat."""

    seat: int
    openings: int = 0
    """Melds that opened the hand, by the option ``hu.open_by``."""
    zhi_gangs: int = 0
    """Kongs from a discard (直杠)."""
    bu_gangs: int = 0
    """Added kongs (补杠)."""
    an_gangs: int = 0
    """Concealed kongs (暗杠)."""
    put_downs: int = 0
    """Tiles put down that the rules bar from the hand (红中, 痞子), discarded ones included where that scores."""
    wild_kongs: int = 0
    """Wilds put down as kongs, or discarded where that scores (癞子杠)."""


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What may make a seat pay for all, where ``bao`` lists it. It counts only at a win of the type that it speaks of:
    a room may tell who gave the third claim whatever the hand becomes."""

    kind: GuaranteeKind
    """``rob_kong`` follows from the circumstances and need not be named."""
    seat: int


@dataclass(frozen=True, slots=True)
class Table:
    """What a settlement needs to know of the seats."""

    seat_count: int = 4
    """2 to 4."""
    dealer: int | None = None
    """Needed where the rules give the dealer a factor."""
    seats: Sequence[SeatFactors] = ()
    """In any order; a seat that is left out has no factors."""
    guarantees: Sequence[Guarantee] = ()


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand that somebody won."""

    winner_seats: Sequence[int]
    """The winner, exactly one. Where all winners of a tile win, each is settled by itself."""
    circumstances: Circumstances = field(default_factory=Circumstances)
    types: Sequence[str] = ()
    """The hu types that the tiles make, by their names in the options. Those of the circumstances are added, and may
    be named too. None at all: a small win."""
    hard: bool = False
    """Whether no wild stands for another tile, by the option ``hu.hard_basis``."""
    table: Table = field(default_factory=Table)


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a win pays."""

    payments: tuple[Payment, ...]
    """One for each seat that loses, in the order of the seats; a guarantor pays in the losers' place."""
    deltas: tuple[Fraction, ...]
    """What each seat wins or loses; they add up to 0."""
    uncapped: tuple[Fraction, ...]
    """What each seat would pay before gold, cap, rounding and guarantor; 0 for the winner and for a seat that the
    rules let off."""
    gold: bool
    """Whether every loser reached gold (金顶)."""
    guarantor: int | None
    """The seat that pays for all."""
    next_dealer: int | None
    """The dealer of the next hand; None where this hand's is not known."""
    winner: int
    clauses: tuple[str, ...]
    """Ids of the clauses that decided payers, gold, cap and guarantor."""

    @property
    def gain(self) -> Fraction:
        """What the winner receives in all."""
        return self.deltas[self.winner]


def settle(rule_set: RuleSet, hand: Hand) -> Settlement:
    """Settles a win.

    Raises `RequestError` with the path of the field: NO_WINNER, TWO_WINNERS, SEAT_OUT_OF_RANGE, DUPLICATE_SEAT,
    MISSING_FIELD, VALUE_OUT_OF_RANGE, UNKNOWN_ENUM_VALUE, BAD_OPTION_VALUE for a type that the rules do not have,
    CONTRADICTORY_CIRCUMSTANCES, CONTRADICTORY_FACTORS, GUARANTOR_WON; WRONG_GAME for rules of Dou Dizhu.
    """
    rules = _rules(rule_set)
    _check(rules, hand)
    if hand.circumstances.mode == "rob_kong" and rules.claim.rob == "none":
        raise _circumstance("the rules let no kong be robbed", "mode")
    return _Settler(rule_set, rules, hand).settle()


def settler(rule_set: RuleSet, hand: Hand) -> Callable[[HuAnswer], Settlement]:
    """What each way to read a hand would pay, as `laizi.mahjong.Evaluator.check_hu` asks for it.

    The types and the hardness of the answer take the place of the hand's. Raises what `settle` raises, except that a
    kong which the rules do not let be robbed is left to `check_hu`.

    >>> from laizi import mahjong, rules
    >>> enshi = rules.load("enshi")
    >>> pays = settler(enshi, Hand([0], table=Table(seats=[SeatFactors(0, put_downs=2, wild_kongs=1)])))
    >>> evaluator = mahjong.Evaluator(enshi, wilds="2m", indicator="1m")
    >>> evaluator.check_hu("113355p 4477s 69m 22m", downs=3).refusals
    (<HuRefusal.NEEDS_SETTLEMENT: 'NEEDS_SETTLEMENT'>,)
    >>> answer = evaluator.check_hu("113355p 4477s 69m 22m", downs=3, settle=pays)
    >>> answer.hu, pays(answer).gain
    (True, Fraction(360, 1))
    """

    rules = _rules(rule_set)
    _check(rules, replace(hand, types=()))

    @functools.cache
    def pays(types: tuple[str, ...], hard: bool) -> Settlement:
        return _Settler(rule_set, rules, replace(hand, types=types, hard=hard)).settle()

    return lambda answer: pays(answer.types, answer.hard)


def check_table(rule_set: RuleSet, table: Table) -> None:
    """Checks what does not depend on who wins. Raises `RequestError` with a path under ``table``, as `settle` does."""
    _check_table(_rules(rule_set), table)


def laid_down(
    rule_set: RuleSet, seat: int, melds: Sequence[Meld], put_downs: int = 0, wild_kongs: int = 0
) -> SeatFactors:
    """The factors of a seat with these melds that put down these many tiles."""
    open_by = _rules(rule_set).hu.open_by
    kinds = [meld.kind for meld in melds]
    return SeatFactors(
        seat,
        openings=sum(1 for kind in kinds if claims_of(kind) & open_by),
        zhi_gangs=kinds.count(MeldKind.ZHI_GANG),
        bu_gangs=kinds.count(MeldKind.BU_GANG),
        an_gangs=kinds.count(MeldKind.AN_GANG),
        put_downs=put_downs,
        wild_kongs=wild_kongs,
    )


def next_dealer(rule_set: RuleSet, dealer: int, winner: int | None, seat_count: int = 4) -> int:
    """The dealer of the next hand; ``winner`` is None for a hand that nobody won, after which the dealer stays."""
    if winner is None or winner == dealer:
        return dealer
    return winner if _rules(rule_set).dealer.next == "winner_becomes" else (dealer + 1) % seat_count


class _Settler:
    def __init__(self, rule_set: RuleSet, rules: MahjongRules, hand: Hand) -> None:
        self._rule_set = rule_set
        self._cite = rule_set.cite
        self._rules = rules
        self._hand = hand
        self._at = hand.circumstances
        self._table = hand.table
        self._winner = hand.winner_seats[0]
        self._losers = [seat for seat in range(hand.table.seat_count) if seat != self._winner]
        self._factors = {factors.seat: factors for factors in hand.table.seats}
        self._situations = dict(_situations(rules, hand.circumstances))
        self._types = [kind for kind in TYPE_NAMES if kind in hand.types]
        self._situational = [kind for kind, situation in self._situations.items() if situation.counts_as == "type"]
        self._big = bool(self._types or self._situational)
        self._class: Literal["big", "small"] = "big" if self._big else "small"

    def settle(self) -> Settlement:
        common = Steps()
        self._win(common)
        self._own(common, self._winner)
        amounts = {loser: self._loser(common, loser) for loser in self._losers if self._pays(loser)}
        uncapped = tuple(
            amounts[seat].amount if seat in amounts else Fraction(0) for seat in range(self._table.seat_count)
        )
        gold = self._reaches_gold(uncapped)
        guarantor, guarantee = self._guarantor()
        payments = []
        for loser, steps in amounts.items():
            self._limit(steps, gold)
            payments.append(self._payment(loser, steps.factors, guarantor, guarantee))
        dealer = self._table.dealer
        return Settlement(
            payments=tuple(payments),
            deltas=totals(payments, self._table.seat_count),
            uncapped=uncapped,
            gold=gold,
            guarantor=guarantor,
            next_dealer=None
            if dealer is None
            else next_dealer(self._rule_set, dealer, self._winner, self._table.seat_count),
            winner=self._winner,
            clauses=self._why(gold, guarantee),
        )

    def _win(self, steps: Steps) -> None:
        """What the win itself is worth."""
        zimo = self._at.mode == "zimo"
        if zimo and not self._rules.score.zimo_on_situational:
            zimo = not self._situations.keys() & {"gang_flower", "haidi"}
        small = self._rules.score.small
        if not self._big and zimo and small.zimo_base is not None:
            base, zimo = small.zimo_base, False
            text, text_zh = f"self-drawn small win {base}", f"小胡自摸{base}"
            steps.set("base", base, text=text, text_zh=text_zh, clauses=self._cite("score.small.zimo_base"))
        elif self._big:
            self._bases(steps)
        else:
            text, text_zh = f"small win {small.base}", f"小胡{small.base}"
            steps.set("base", small.base, text=text, text_zh=text_zh, clauses=self._cite("score.small.base"))
        if zimo:
            factor = self._rules.score.big.zimo if self._big else small.zimo
            self._multiply(steps, "self_draw", factor, "self-draw", "自摸", f"score.{self._class}.zimo")
        if self._hand.hard:
            self._multiply(steps, "hard", self._rules.score.hard, "hard", "硬胡", "score.hard")
        for kind, situation in self._situations.items():
            if situation.counts_as == "factor":
                options = (f"hu.situational.{kind}.factor", f"hu.situational.{kind}")
                self._multiply(steps, kind, situation.factor, *SITUATION_NAMES[kind], *options)

    def _bases(self, steps: Steps) -> None:
        """The base points of the hu types: their sum, or the largest alone."""
        bases = []
        for kind in self._types:
            own = _type_options(self._rules, kind).base
            bases.append((kind, own or self._rules.score.big.base, f"hu.types.{kind}.base" if own else ""))
        bases += [(kind, self._rules.score.big.base, "") for kind in self._situational]
        if self._rules.score.combine == "max":
            bases = [max(bases, key=lambda entry: entry[1])]
        for index, (kind, base, option) in enumerate(bases):
            text, text_zh = (f"{words} {base}" for words in (TYPE_NAMES | SITUATION_NAMES)[kind])
            clauses = self._cite(option or "score.big.base", *(["score.combine"] if index else []))
            place = steps.add if index else steps.set
            place(f"type.{kind}", base, text=text, text_zh=text_zh, clauses=clauses)

    def _own(self, steps: Steps, seat: int) -> None:
        """What a seat opened, konged and put down."""
        loser = seat != self._winner
        options = ("score.loser_factors",) if loser else ()
        factors = self._factors.get(seat, SeatFactors(seat))
        for key, count, factor, words, words_zh, option in self._holdings(factors):
            for _ in range(count):
                name_en, name_zh = (f"the loser {words}", f"输家{words_zh}") if loser else (words, words_zh)
                self._multiply(steps, key, factor, name_en, name_zh, option, *options, seat=seat)

    def _holdings(self, factors: SeatFactors) -> Iterator[tuple[str, int, Fraction, str, str, str]]:
        """Name, how many, factor, words in both languages, option."""
        score = self._rules.score
        if score.open != "none":
            times = factors.openings if score.open == "each" else min(factors.openings, 1)
            yield "opening", times, Fraction(2), "opened", "开口", "score.open"
        yield "kong.zhi", factors.zhi_gangs, score.kong.zhi, "konged a discard", "直杠", "score.kong.zhi"
        yield "kong.bu", factors.bu_gangs, score.kong.bu, "added a kong", "补杠", "score.kong.bu"
        yield "kong.an", factors.an_gangs, score.kong.an, "konged concealed", "暗杠", "score.kong.an"
        tiles = self._rules.down.tiles
        skin = "痞子" if "indicator" in tiles else "".join(name(NAMES.index(tile)) for tile in tiles)
        yield "put_down", factors.put_downs, self._rules.down.factor, "put a tile down", f"{skin}杠", "down.factor"
        wild = self._rules.wild.kong or Fraction(1)
        yield "wild_kong", factors.wild_kongs, wild, "put a wild down", "癞子杠", "wild.kong"

    def _loser(self, common: Steps, loser: int) -> Steps:
        """What one loser's amount is before gold, cap and rounding."""
        score = self._rules.score
        steps = Steps(common.factors)
        if self._table.dealer in (self._winner, loser):
            factor = score.dealer.big if self._big else score.dealer.small
            option = f"score.dealer.{self._class}"
            self._multiply(steps, "dealer", factor, "dealer", "庄家", option, seat=self._table.dealer)
        if loser == self._at.from_seat and (self._at.mode == "discard" or score.rob_kong_feeder):
            factor = score.big.feeder if self._big else score.small.feeder
            options = [f"score.{self._class}.feeder"]
            if self._at.mode == "rob_kong":
                options.append("score.rob_kong_feeder")
            self._multiply(steps, "feeder", factor, "feeder", "放炮", *options, seat=loser)
        if score.loser_factors:
            self._own(steps, loser)
        return steps

    def _multiply(
        self,
        steps: Steps,
        key: str,
        factor: Fraction,
        words: str,
        words_zh: str,
        *options: str,
        seat: int | None = None,
    ) -> None:
        text, text_zh = f"{words} ×{factor}", f"{words_zh}×{factor}"
        steps.multiply(key, factor, text=text, text_zh=text_zh, seat=seat, clauses=self._cite(*options))

    def _pays(self, loser: int) -> bool:
        return self._rules.score.payers == "all" or self._at.mode == "zimo" or loser == self._at.from_seat

    def _reaches_gold(self, uncapped: Sequence[Fraction]) -> bool:
        gold = self._rules.cap.gold if self._rules.cap else None
        if gold is None:
            return False
        amounts = [uncapped[loser] for loser in self._losers]
        return all(amount > gold.trigger or (amount == gold.trigger and not gold.strict) for amount in amounts)

    def _limit(self, steps: Steps, gold: bool) -> None:
        cap, rounding = self._rules.cap, self._rules.score.rounding
        if cap is not None:
            most = cap.each
            if gold and cap.gold is not None:
                most = cap.gold.pay
                clauses = self._cite("cap.gold", "cap.gold.trigger", "cap.gold.pay")
                place = steps.set if cap.gold.mode == "exact" else steps.cap
                place("gold", most, text=f"gold {most}", text_zh=f"金顶{most}", clauses=clauses)
            else:
                steps.cap("cap", most, text=f"cap {most}", text_zh=f"封顶{most}", clauses=self._cite("cap.each"))
            if steps.amount + Fraction(1, 2) >= math.floor(most) + 1:
                # Rounded up, it would exceed the limit.
                rounding = "floor" if rounding == "nearest" else rounding
        steps.round(rounding, self._cite("score.rounding"))

    def _guarantor(self) -> tuple[int | None, str]:
        """Who pays for all, and by which rule of ``bao``: the first that applies."""
        named = {guarantee.kind: guarantee.seat for guarantee in self._table.guarantees}
        applies: dict[str, int | None] = {
            "rob_kong": self._at.from_seat if self._at.mode == "rob_kong" else None,
            "qqr_not_ready": named.get("qqr_not_ready") if "quanqiuren" in self._types else None,
            "third_open_qingyise": named.get("third_open_qingyise") if "qingyise" in self._types else None,
        }
        for rule in self._rules.bao:
            if applies[rule] is not None:
                return applies[rule], f"bao.{rule}"
        return None, ""

    def _payment(self, loser: int, factors: tuple[Factor, ...], guarantor: int | None, guarantee: str) -> Payment:
        if guarantor is None:
            return Payment(loser, self._winner, factors, clauses=self._cite("score.payers"))
        clauses = self._cite("bao", guarantee, "bao.sum") if guarantor != loser else self._cite("score.payers")
        on_behalf_of = loser if guarantor != loser else None
        return Payment(guarantor, self._winner, factors, on_behalf_of, clauses)

    def _why(self, gold: bool, guarantee: str) -> tuple[str, ...]:
        options = ["score.payers"]
        if self._rules.cap is not None:
            options += ["cap.gold", "cap.gold.trigger", "cap.gold.pay"] if gold else ["cap", "cap.each"]
        if guarantee:
            options += [guarantee, "bao.sum"]
        return self._cite(*options)


def _rules(rule_set: RuleSet) -> MahjongRules:
    if not isinstance(rule_set.rules, MahjongRules):
        message = f'"{rule_set.name}" is a rule set of {rule_set.game}'
        raise RequestError(ErrorReason.WRONG_GAME, message, path="rules")
    return rule_set.rules


def _situations(rules: MahjongRules, at: Circumstances) -> Iterator[tuple[str, Situation]]:
    """The situations of a win that count under the rules."""
    present = {"gang_flower": at.gang_flower, "haidi": at.haidi, "rob_kong": at.mode == "rob_kong"}
    for kind, holds in present.items():
        situation: Situation | None = getattr(rules.hu.situational, kind)
        if holds and situation is not None:
            yield kind, situation


def _type_options(rules: MahjongRules, kind: str) -> TypeOptions:
    options: TypeOptions = getattr(rules.hu.types, kind)
    return options


def _check(rules: MahjongRules, hand: Hand) -> None:
    _check_table(rules, hand.table)
    count = hand.table.seat_count
    if not hand.winner_seats:
        raise RequestError(ErrorReason.NO_WINNER, "a settlement needs the winner", path="winner_seats")
    for index, seat in enumerate(hand.winner_seats):
        _seat(seat, count, f"winner_seats[{index}]")
    if len(hand.winner_seats) > 1:
        message = f"seats {' and '.join(map(str, hand.winner_seats))} are named; settle each win by itself"
        raise RequestError(ErrorReason.TWO_WINNERS, message, path="winner_seats[1]", limit=1)
    winner = hand.winner_seats[0]
    _check_circumstances(hand.circumstances, winner, count)
    _check_types(rules, hand)
    for index, factors in enumerate(hand.table.seats):
        if factors.seat == winner:
            _check_winner(rules, set(hand.types), factors, f"table.seats[{index}]")
    _check_guarantees(hand, winner)


def _check_circumstances(at: Circumstances, winner: int, count: int) -> None:
    if at.mode not in tuple(WinMode):
        message = f"{at.mode!r:.60} is none of {', '.join(WinMode)}"
        raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, message, path="circumstances.mode")
    if at.mode == "zimo":
        if at.from_seat is not None:
            raise _circumstance("a self-draw comes from no other seat", "from_seat")
    else:
        for flag in ("gang_flower", "haidi"):
            if getattr(at, flag):
                raise _circumstance("only a self-draw", flag)
        if at.from_seat is None:
            message = "who discarded the winning tile or was robbed of it"
            raise RequestError(ErrorReason.MISSING_FIELD, message, path="circumstances.from_seat")
        _seat(at.from_seat, count, "circumstances.from_seat")
        if at.from_seat == winner:
            raise _circumstance("nobody wins on his own tile", "from_seat")


def _check_types(rules: MahjongRules, hand: Hand) -> None:
    situations = dict(_situations(rules, hand.circumstances))
    seen: list[str] = []
    for index, kind in enumerate(hand.types):
        path = f"types[{index}]"
        known = TYPE_NAMES if kind in TYPE_NAMES else SITUATION_NAMES
        group = rules.hu.types if kind in TYPE_NAMES else rules.hu.situational
        if kind not in known or getattr(group, kind) is None:
            raise RequestError(ErrorReason.BAD_OPTION_VALUE, f"the rules have no hu type {kind!r:.60}", path=path)
        if kind in seen:
            raise _contradiction(f"{kind} is named twice", path)
        for other in seen:
            if {kind, other} in _APART:
                raise _contradiction(f"no hand is both {other} and {kind}", path)
        if kind in SITUATION_NAMES:
            if kind not in situations:
                raise RequestError(
                    ErrorReason.CONTRADICTORY_CIRCUMSTANCES, f"the circumstances tell no {kind}", path=path
                )
        elif _type_options(rules, kind).needs_discard and hand.circumstances.mode == "zimo":
            message = f"the rules know {kind} on another seat's tile only"
            raise RequestError(ErrorReason.CONTRADICTORY_CIRCUMSTANCES, message, path=path)
        seen.append(kind)


def _check_table(rules: MahjongRules, table: Table) -> None:
    _range(table.seat_count, 2, MAX_SEATS, "table.seat_count")
    if table.dealer is not None:
        _seat(table.dealer, table.seat_count, "table.dealer")
    elif rules.score.dealer.small != 1 or rules.score.dealer.big != 1:
        raise RequestError(ErrorReason.MISSING_FIELD, "the rules give the dealer a factor", path="table.dealer")
    seen: set[int] = set()
    for index, factors in enumerate(table.seats):
        path = f"table.seats[{index}]"
        _seat(factors.seat, table.seat_count, f"{path}.seat")
        if factors.seat in seen:
            message = f"seat {factors.seat} is described twice"
            raise RequestError(ErrorReason.DUPLICATE_SEAT, message, path=f"{path}.seat")
        seen.add(factors.seat)
        try:
            _check_factors(rules, factors)
        except RequestError as error:
            raise error.under(path) from None
    # The turned tile is one of the four: it lies last in the wall and is drawn like the others.
    _check_total(table, "put_downs", COPIES * len(rules.down.tiles), "tiles to put down")
    wilds = len(rules.wild.fixed) or (0 if rules.wild.source == "none" else 1)
    _check_total(table, "wild_kongs", COPIES * wilds, "wilds")

    kinds: set[str] = set()
    for index, guarantee in enumerate(table.guarantees):
        path = f"table.guarantees[{index}]"
        if guarantee.kind not in GUARANTEES:
            message = f"{guarantee.kind!r:.60} is none of {', '.join(GUARANTEES)}"
            raise RequestError(ErrorReason.UNKNOWN_ENUM_VALUE, message, path=f"{path}.kind")
        if guarantee.kind in kinds:
            raise _contradiction(f"{guarantee.kind} is named twice", f"{path}.kind")
        kinds.add(guarantee.kind)
        _seat(guarantee.seat, table.seat_count, f"{path}.seat")


def _check_total(table: Table, field_name: str, limit: int, what: str) -> None:
    total = 0
    for index, factors in enumerate(table.seats):
        total += getattr(factors, field_name)
        if total > limit:
            path = f"table.seats[{index}].{field_name}"
            raise _contradiction(f"{total} {what} lie on the table, there are {limit}", path, limit=limit)


def _check_factors(rules: MahjongRules, factors: SeatFactors) -> None:
    for kind in ("openings", "zhi_gangs", "bu_gangs", "an_gangs"):
        _range(getattr(factors, kind), 0, MAX_MELDS, kind)
    for kind in ("put_downs", "wild_kongs"):
        _range(getattr(factors, kind), 0, COPIES * len(NAMES), kind)
    for kong in ("zhi", "bu", "an"):
        if getattr(factors, f"{kong}_gangs") and kong not in rules.claim.kong:
            raise _contradiction("the rules do not have this kong", f"{kong}_gangs")
    exposed = factors.zhi_gangs + factors.bu_gangs
    if max(factors.openings, exposed) + factors.an_gangs > MAX_MELDS:
        path = "an_gangs" if factors.an_gangs else "bu_gangs"
        raise _contradiction(f"more melds than the {MAX_MELDS} of the largest hand", path, limit=MAX_MELDS)
    if rules.score.open != "none":
        opened = factors.zhi_gangs if "zhi" in rules.hu.open_by else 0
        opened += factors.bu_gangs if rules.hu.open_by & {"peng", "bu"} else 0
        if opened > factors.openings:
            raise _contradiction(f"{opened} kongs opened the hand, not only {factors.openings}", "openings")
    if factors.wild_kongs and rules.wild.kong is None:
        raise _contradiction("the rules give wild kongs no factor", "wild_kongs")


def _check_winner(rules: MahjongRules, types: set[str], factors: SeatFactors, path: str) -> None:
    """The winner's melds go with his hu types."""
    kongs = {kong: getattr(factors, f"{kong}_gangs") for kong in ("zhi", "bu", "an")}
    broken_by = rules.hu.menqing_broken_by
    for kong, count in kongs.items():
        exposed = {"zhi": {"zhi"}, "bu": {"peng", "bu"}, "an": set()}[kong]
        if count and types & {"qidui", "longqi"}:
            raise _contradiction("seven pairs hold no kong", f"{path}.{kong}_gangs")
        if count and "menqing" in types and exposed & broken_by:
            raise _contradiction("this kong ends 门清", f"{path}.{kong}_gangs")
    if kongs["an"] and "quanqiuren" in types:
        raise _contradiction("all melds of 全求人 are claimed", f"{path}.an_gangs")
    if factors.openings and "menqing" in types and rules.hu.open_by <= broken_by:
        raise _contradiction("an opened hand is no 门清", f"{path}.openings")


def _check_guarantees(hand: Hand, winner: int) -> None:
    """What makes a seat a guarantor goes with how the win came about."""
    at = hand.circumstances
    for index, guarantee in enumerate(hand.table.guarantees):
        path = f"table.guarantees[{index}]"
        if guarantee.seat == winner:
            message = f"seat {winner} won and pays nobody"
            raise RequestError(ErrorReason.GUARANTOR_WON, message, path=f"{path}.seat")
        if guarantee.kind == "rob_kong" and at.mode != "rob_kong":
            raise _contradiction("no kong was robbed", f"{path}.kind")
        if guarantee.kind == "qqr_not_ready" and at.mode == "zimo":
            raise _contradiction("a self-draw is fed by nobody", f"{path}.kind")
        if guarantee.kind != "third_open_qingyise" and guarantee.seat != at.from_seat:
            raise _contradiction(f"the tile came from seat {at.from_seat}", f"{path}.seat")


def _seat(seat: int, count: int, path: str) -> None:
    if not 0 <= seat < count:
        message = f"seats are 0 to {count - 1}, not {seat}"
        raise RequestError(ErrorReason.SEAT_OUT_OF_RANGE, message, path=path, limit=count - 1)


def _range(value: int, low: int, high: int, path: str) -> None:
    if not low <= value <= high:
        message = f"a number from {low} to {high}, not {value}"
        raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path=path, limit=high)


def _circumstance(message: str, field_name: str) -> RequestError:
    path = f"circumstances.{field_name}"
    return RequestError(ErrorReason.CONTRADICTORY_CIRCUMSTANCES, message, path=path)


def _contradiction(message: str, path: str, limit: int | None = None) -> RequestError:
    return RequestError(ErrorReason.CONTRADICTORY_FACTORS, message, path=path, limit=limit)
