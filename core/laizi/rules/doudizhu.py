"""The options of Dou Dizhu (斗地主 with 癞子): what a rule set may say, with the meaning and default of each option.

Ranks are written 3 4 5 6 7 8 9 T J Q K A 2, X the black joker, Y the red joker. A *play* is a set of cards laid at
once; a *reading* is one way to take it: type, main rank (the highest of its body), length (body units) and, for a bomb,
its tier. The *body* is the part of a play that decides comparison (the triples of a plane), *kickers* are the cards
that it carries.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from laizi.rules.schema import Pairs, group, option, require

Kickers = frozenset[Literal["single", "pair"]]
Tier = Literal["rocket", "pure", "hard", "soft", "mixed", "chain"]
RANKS = "3456789TJQKA2"
SUITS = "dchs"


@dataclass(frozen=True, slots=True)
class Indicator:
    index: int = option(1, "which bottom card is the indicator, counted from 0", low=0, high=2)
    cycle: str = option(RANKS, "the ranks in the order in which the next one becomes wild", of="ranks")
    joker_to: str = option("3", "the wild rank when the indicator is a joker", of="rank")


@dataclass(frozen=True, slots=True)
class Wild:
    source: Literal["none", "random_rank", "indicator_next", "chosen_cards", "two_random_ranks"] = option(
        "random_rank", "how the wilds of a game are found; an evaluation is always told which they are"
    )
    indicator: Indicator = group(Indicator)
    choices: tuple[frozenset[str], ...] = option(
        (frozenset({"7h", "7d"}), frozenset({"X", "Y"})),
        "the sets of cards of which the players make one wild, where the source is chosen_cards",
        of="card",
    )
    alone: Literal["natural", "forbidden", "natural_if_last"] = option(
        "natural",
        "a play made only of wilds: it keeps its own ranks; it is not allowed; it keeps them, as the last play only",
    )
    body: Literal["any", "natural", "forbidden"] = option(
        "any",
        "a body made only of wilds, carrying at least one natural kicker: any rank; its own rank only; not allowed",
    )
    mixed_bomb: bool = option(
        False,
        "four or more wilds of several ranks, alone, are a pure bomb without a rank, written *, below every ranked "
        "one; wild.alone does not bar it",
    )
    as_joker: bool = option(False, "a wild may also stand for a joker, as a single, a kicker or half of the rocket")


@dataclass(frozen=True, slots=True)
class Kick:
    triple: Kickers = option(frozenset({"single", "pair"}), "what a triple may carry")
    plane: Kickers = option(
        frozenset({"single", "pair"}), "what a plane may carry, one for each triple, all of one kind"
    )
    quad: frozenset[Literal["two_cards", "two_pairs"]] = option(
        frozenset({"two_cards", "two_pairs"}), "what four equal cards may carry; empty = four-with-two does not exist"
    )
    soft_quad: bool = option(True, "four equal cards made with a wild may carry kickers")
    strict: frozenset[Literal["no_rocket", "no_equal_pairs", "no_body_run"]] = option(
        frozenset({"no_equal_pairs"}),
        "bans on kickers: X and Y together among single kickers; two pairs of one rank as pair kickers; "
        "three equal single kickers whose rank would lengthen the body of a plane",
    )
    plane_equal: int = option(
        3,
        "the most equal cards among the single kickers of a plane: 1 = all different, 2 = a pair counts as two singles",
        low=1,
        high=4,
    )
    quad_equal: int = option(
        2,
        "the most equal cards among the two single kickers of a four: 1 = different, 2 = a pair counts as two singles",
        low=1,
        high=2,
    )
    body_rank: frozenset[Literal["plane", "quad"]] = option(
        frozenset(), "types whose kickers may repeat a rank of the body (a triple counts as a plane of one)"
    )


@dataclass(frozen=True, slots=True)
class Seq:
    single: int = option(5, "fewest cards of a straight", low=3, high=12)
    pair: int = option(3, "fewest pairs of a pair straight", low=2, high=10)
    triple: int = option(2, "fewest triples of a plane", low=2, high=6)
    top: Literal["K", "A", "2"] = option("A", "highest rank that a run may contain; runs begin at 3 or above")


@dataclass(frozen=True, slots=True)
class BombSize:
    max: int = option(4, "most cards of a bomb; above four only with wilds", low=4, high=12)
    size_first: bool = option(
        False,
        "a bomb of more cards beats one of fewer, whatever their tiers, a chain counting all its cards; "
        "else the number of cards plays no part",
    )
    rocket: int | None = option(
        None,
        "with size_first: the rocket ranks above bombs of this many cards and below longer ones; "
        "none = as bomb.order says",
        low=4,
        high=12,
    )


@dataclass(frozen=True, slots=True)
class Bomb:
    order: tuple[frozenset[Tier], ...] = option(
        (frozenset({"rocket"}), frozenset({"pure"}), frozenset({"hard"}), frozenset({"soft"})),
        "the tiers, strongest first; tiers of one set are equal and then compare by rank. hard = no wild card, pure = "
        "only wild cards, soft = the rest, mixed = pure of several wild ranks (where it is not listed: in pure, below "
        "every rank), chain = consecutive fours",
    )
    size: BombSize = group(BombSize)
    chain: int | None = option(
        None,
        "fewest consecutive fours of a chain bomb (连炸), the longer the stronger, then by rank; none = no chains",
        low=2,
        high=5,
    )


@dataclass(frozen=True, slots=True)
class Read:
    lead_default: Literal["all", "prefer_non_bomb", "non_bomb_only"] = option(
        "all",
        "the default reading when leading: the strongest; the strongest that is no bomb, where there is one; "
        "the same, and a bomb is refused where a non-bomb reading exists. When following it is the weakest that beats",
    )


@dataclass(frozen=True, slots=True)
class Play:
    soft_bomb_if_hard_held: bool = option(True, "a player who holds a hard bomb may play a soft one")
    bare_triple: Literal["any", "last", "forbidden"] = option(
        "any", "three equal cards that carry nothing: always; only as the last play; never"
    )


@dataclass(frozen=True, slots=True)
class Auction:
    mode: Literal["points", "points_rob", "call_rob", "external"] = option(
        "points",
        "how the landlord is found: calls of 1–3; calls, then robbing; one call, then robbing; told by the caller",
    )
    must_rise: bool = option(True, "a call of points must exceed the previous one")
    caller_may_rob: bool = option(True, "the provisional landlord answers last, if somebody robbed")
    first: Literal["random", "face_up_holder", "first_shower", "external"] = option(
        "random",
        "who speaks first: drawn; who got the face-up card; who showed first, else drawn; told. "
        "Requests carry the seat",
    )
    all_pass: Literal["redeal", "force_first_min", "first_shower_else_redeal"] = option(
        "redeal",
        "nobody calls: new deal; the first player is landlord at 1; who showed first is landlord, else new deal",
    )
    passed_may_rob: bool = option(True, "a player who declined to call may still rob")
    rocket_must_max: bool = option(False, "whoever holds both jokers must call the maximum")


@dataclass(frozen=True, slots=True)
class Show:
    start: Fraction = option(Fraction(5), "factor of showing before the deal")
    deal_early: Fraction = option(Fraction(4), "factor of showing during the deal, up to deal_threshold cards")
    deal_late: Fraction = option(Fraction(3), "factor of showing during the deal, later")
    after_bottom: Fraction = option(Fraction(2), "factor of showing after taking the bottom; the landlord only")
    deal_threshold: int = option(9, "cards dealt to the player up to which showing counts as early", low=1, high=17)


@dataclass(frozen=True, slots=True)
class Double:
    gate: Literal["none", "beans_over"] = option(
        "beans_over", "who may double: everybody; who has more beans than the room's value, as do his opponents"
    )


@dataclass(frozen=True, slots=True)
class BombScore:
    rocket: Fraction = option(Fraction(2), "factor of a rocket")
    pure: Fraction = option(Fraction(2), "factor of a bomb of wilds only")
    hard: Fraction = option(Fraction(2), "factor of a bomb without wilds")
    soft: Fraction = option(Fraction(2), "factor of a bomb of naturals and wilds")
    mixed: Fraction | None = option(None, "factor of a pure bomb of several wild ranks; none = that of a pure one")
    chain: Fraction = option(Fraction(2), "factor of a chain bomb")
    by_size: Pairs = option(
        Pairs(),
        'factors of longer bombs by size or by size and tier ("6" or "6.hard"), instead of the tier\'s',
        of="table of size or size.tier → factor",
    )
    cap: int | None = option(None, "limit of the product of all bomb and rocket factors", low=1, high=1_000_000)


@dataclass(frozen=True, slots=True)
class Spring:
    landlord: Fraction = option(Fraction(2), "factor when the landlord is out and both others played nothing")
    farmers: Fraction = option(Fraction(2), "factor when a farmer is out and the landlord played only once")


@dataclass(frozen=True, slots=True)
class Score:
    base: Literal["bid", "one"] = option("bid", "base score: the winning call; one")
    bomb: BombScore = group(BombScore)
    spring: Spring = group(Spring)
    rounding: Literal["none", "floor", "nearest"] = option(
        "none",
        "what becomes of a fraction of a point in a result: kept exact; cut towards zero; "
        "rounded, halves away from zero",
    )


@dataclass(frozen=True, slots=True)
class Settle:
    flee: Literal["off", "fleer_pays_all"] = option(
        "off", "a player who leaves: not settled here; pays all winners' gains"
    )
    stuck_wild: Literal["off", "landlord_loses"] = option(
        "off", "a landlord left with wilds only: plays on; loses at once"
    )
    win_limit: Literal["off", "carried"] = option("off", "a gain is limited to the coins that the winner carries")


@dataclass(frozen=True, slots=True)
class DoudizhuRules:
    """Every option of Dou Dizhu; ``rules.wild.alone`` is the option ``wild.alone``."""

    wild: Wild = group(Wild)
    kick: Kick = group(Kick)
    seq: Seq = group(Seq)
    bomb: Bomb = group(Bomb)
    read: Read = group(Read)
    play: Play = group(Play)
    auction: Auction = group(Auction)
    show: Show | None = group(None, "playing with an open hand (明牌); of several factors the largest counts")
    double: Double | None = group(None, "doubling (加倍) after the auction, between landlord and farmer")
    score: Score = group(Score)
    settle: Settle = group(Settle)

    def __post_init__(self) -> None:
        indicator = self.wild.indicator
        require(
            bool(indicator.cycle)
            and set(indicator.cycle) <= set(RANKS)
            and len(set(indicator.cycle)) == len(indicator.cycle),
            "wild.indicator.cycle",
            f"a cycle names ranks of {RANKS}, each once; got {indicator.cycle!r}",
        )
        require(
            len(indicator.joker_to) == 1 and indicator.joker_to in RANKS,
            "wild.indicator.joker_to",
            f"one rank of {RANKS}; got {indicator.joker_to!r}",
        )
        for cards in self.wild.choices:
            require(bool(cards), "wild.choices", "a set without cards")
            for card in cards:
                known = card in ("X", "Y") or (len(card) == 2 and card[0] in RANKS and card[1] in SUITS)
                require(known, "wild.choices", f"{card[:20]!r} is no card such as 7h, X or Y")
        listed = [tier for tiers in self.bomb.order for tier in tiers]
        require(len(set(listed)) == len(listed), "bomb.order", "a tier stands twice")
        require(all(self.bomb.order), "bomb.order", "an empty set of tiers")
        require(
            (self.bomb.chain is not None) == ("chain" in listed),
            "bomb.order",
            'the tier "chain" is listed exactly where bomb.chain is a number',
        )
        require(
            self.bomb.size.rocket is None or self.bomb.size.size_first,
            "bomb.size.rocket",
            "the rocket has a place among sizes only with bomb.size.size_first",
        )
        require(
            not self.bomb.size.size_first
            or self.bomb.size.rocket is not None
            or "rocket" not in listed
            or "rocket" in self.bomb.order[0] | self.bomb.order[-1],
            "bomb.order",
            "with bomb.size.size_first the rocket stands first or last, or bomb.size.rocket tells its place: "
            "between two tiers it would beat bombs that beat bombs that beat it",
        )
        for tier in ("rocket", "chain"):
            require(
                not any(tier in tiers and len(tiers) > 1 for tiers in self.bomb.order),
                "bomb.order",
                f'the tier "{tier}" stands alone',
            )
        for key, _ in self.score.bomb.by_size.items():
            size, _, tier = key.partition(".")
            require(
                size.isdecimal() and 5 <= int(size) <= 12 and tier in ("", "pure", "hard", "soft", "mixed"),
                "score.bomb.by_size",
                f'a key is a size from 5 to 12, or size.tier such as "6.soft"; got "{key}"',
            )
