"""The options of mahjong with wilds (癞子麻将): what a rule set may say, with the meaning and default of each option.

Tiles are written 1m–9m (万), 1p–9p (筒), 1s–9s (条), z1–z7 (东南西北中发白). A *wild* (癞子) is a tile that may
stand for others. A *meld* is a run, a triplet or a kong; open melds are taken as they lie. Situations: a win on a drawn
tile (自摸), on a discard, or on the fourth tile of another player's added kong (抢杠). A *big* win holds at least one
hu type of ``hu.types`` or one situational type; every other win is *small* (屁胡).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from laizi.rules.schema import Pairs, group, option, require

Claim = Literal["chi", "peng", "zhi", "bu"]
TileSet = tuple[str, ...]
HONOURS = ("z1", "z2", "z3", "z4", "z5", "z6", "z7")
_TILE = re.compile(r"[1-9][mps]|z[1-7]")


@dataclass(frozen=True, slots=True)
class Tiles:
    suits: tuple[Literal["m", "p", "s"], ...] = option(("m", "p", "s"), "the suits in the set, four of each tile")
    honours: TileSet = option(HONOURS, "the honours in the set, four of each", of="tile")

    def kinds(self) -> TileSet:
        """Every tile of the set, once."""
        return (*(f"{digit}{suit}" for suit in self.suits for digit in range(1, 10)), *self.honours)


@dataclass(frozen=True, slots=True)
class Cycle:
    honours: TileSet = option(
        ("z1", "z2", "z3", "z4", "z6", "z7"), "the honours in the order in which the next one becomes wild", of="tile"
    )
    exceptions: Pairs = option(
        Pairs((("z5", "z6"),)), "indicators with a wild of their own", of="table of indicator tile → wild tile"
    )


@dataclass(frozen=True, slots=True)
class WildLimit:
    small: int | None = option(1, "most wilds at a small win", low=0, high=17)
    big: int | None = option(None, "most wilds at a big win", low=0, high=17)
    gold: int | None = option(
        None,
        "most wilds at a win whose settlement reaches gold for every loser, instead of the other two; "
        "none = no exception",
        low=0,
        high=17,
    )


@dataclass(frozen=True, slots=True)
class Wild:
    source: Literal["none", "indicator_next", "indicator_same", "fixed"] = option(
        "indicator_next",
        "how the wilds are found: none; the tile after the turned one; the turned tile itself; wild.fixed",
    )
    cycle: Cycle = group(Cycle)
    fixed: TileSet = option((), "the wild tiles where the source is fixed", of="tile")
    stands_for: Literal["any", "suited"] = option(
        "any", "what a wild may stand for: any tile of the set; suited tiles only"
    )
    stand_in: TileSet = option(
        (),
        "tiles that may play the face of a wild tile, or themselves, and nothing else (白板 in many rooms)",
        of="tile",
    )
    limit: WildLimit = group(WildLimit)
    limit_basis: Literal["held", "as_wild"] = option(
        "held", "what wild.limit counts: wild tiles in the concealed hand; only those that stand for another tile"
    )
    fifth_copy: bool = option(
        True,
        "a wild may stand for a tile of which four are already used; "
        "false = no tile more than four times, melds included",
    )
    lone_wait: bool = option(True, "a hand whose last concealed tile is a wild may wait on every tile (单吊)")
    pair: Literal["any", "no_pure", "none"] = option(
        "any", "wilds in the pair: any; not two wilds standing for another tile; no wild standing for another tile"
    )
    meld: Literal["any", "no_pure"] = option("any", "a meld made only of wilds standing for another tile: allowed; not")
    claims: bool = option(False, "a wild may be used in claims, and a discarded wild may be claimed or won on")
    discard: Literal["free", "scores", "ban_hu", "forbidden"] = option(
        "forbidden",
        "discarding a wild: without consequence; scores as wild.kong does, without a replacement draw; "
        "bars the player from winning this hand; not allowed",
    )
    kong: Fraction | None = option(None, "factor of a single wild put down as a kong; none = it cannot be")


@dataclass(frozen=True, slots=True)
class Down:
    tiles: TileSet = option(
        (), 'tiles that are only put down (红中, 痞子): tiles, or "indicator"', of="tile or indicator"
    )
    discard: Literal["scores", "forbidden"] = option(
        "forbidden", "a put-down tile may be discarded and still scores; or not"
    )
    factor: Fraction = option(Fraction(2), "factor of each tile put down")
    block_hu: bool = option(True, "a hand that holds such a tile cannot win")
    tail_forced: bool = option(
        False, "the turned tile is the first replacement tile; who draws it must put it down at once"
    )


@dataclass(frozen=True, slots=True)
class ClaimRules:
    chi: Literal["none", "upper"] = option("upper", "who may take a discard for a run: nobody; the next player")
    kong: frozenset[Literal["zhi", "bu", "an"]] = option(
        frozenset({"zhi", "bu", "an"}), "kongs: from a discard (直杠), added to a triplet (补杠), concealed (暗杠)"
    )
    rob: Literal["none", "bu"] = option("bu", "kongs that may be robbed: none; added ones")
    multi: Literal["dealer_order", "turn_order", "multi"] = option(
        "turn_order", "several winners on one tile: the first from the dealer; the first after the discarder; all win"
    )
    missed_hu: Literal["none", "until_draw"] = option(
        "none", "passing a win: no consequence; no win by discard until the next draw"
    )


@dataclass(frozen=True, slots=True)
class HuType:
    base: Fraction = option(Fraction(0), "base points of the type; 0 = score.big.base")
    any_pair: bool = option(True, "the type lifts the demand of hu.pair")
    needs_discard: bool = option(False, "the type is won only on another player's tile")


@dataclass(frozen=True, slots=True)
class HuTypes:
    pengpenghu: HuType | None = group(None, "all triplets (碰碰胡)")
    qingyise: HuType | None = group(None, "one suit (清一色)")
    fengyise: HuType | None = group(None, "honours only (风一色)")
    jiangyise: HuType | None = group(None, "all 2, 5, 8 (将一色, 乱将)")
    quanqiuren: HuType | None = group(None, "four claims, the single tile left won on another player's tile (全求人)")
    menqing: HuType | None = group(None, "melds and a pair, nothing claimed (门清), see hu.menqing_broken_by")
    qidui: HuType | None = group(None, "seven pairs (七对)")
    longqi: HuType | None = group(None, "seven pairs with four equal tiles (龙七对); counts instead of qidui")
    dandiao: HuType | None = group(None, "one concealed tile left before the win (单吊)")


@dataclass(frozen=True, slots=True)
class Situation:
    counts_as: Literal["type", "factor"] = option("type", "a hu type of score.big.base; a factor")
    factor: Fraction = option(Fraction(2), "the factor, where it counts as one")


@dataclass(frozen=True, slots=True)
class Situational:
    gang_flower: Situation | None = group(None, "self-draw on the replacement tile after a kong (杠上花)")
    haidi: Situation | None = group(None, "self-draw among the last tiles (海底捞), see hu.haidi")
    rob_kong: Situation | None = group(None, "win on a robbed kong (抢杠)")


@dataclass(frozen=True, slots=True)
class Haidi:
    reserve: int = option(0, "tiles that stay in the wall", low=0, high=60)
    last: int = option(0, "the last so many draws before them are win or nothing: no discard, no kong", low=0, high=60)


@dataclass(frozen=True, slots=True)
class Hu:
    must_open: bool = option(False, "a hand must be opened (开口) to win; the winning tile does not open")
    open_by: frozenset[Claim] = option(
        frozenset({"chi", "peng", "zhi"}), "melds that open a hand (hu.must_open, score.open)"
    )
    menqing_broken_by: frozenset[Claim] = option(frozenset({"chi", "peng", "zhi"}), "melds that end 门清")
    shapes: frozenset[Literal["standard", "seven_pairs", "dragon_seven", "free_wind", "free_jiang"]] = option(
        frozenset({"standard"}),
        "what wins: melds and a pair; seven pairs; seven pairs only with a four in them; "
        "honours without a shape (乱风); 2, 5, 8 without a shape (乱将)",
    )
    honour_runs: frozenset[Literal["winds", "dragons"]] = option(
        frozenset(), "runs of honours: any three different winds; 中发白"
    )
    dragon_by_wild: bool = option(True, "a wild may complete the four of 龙七对; false = four real tiles")
    pair: Literal["any", "258"] = option("any", "the pair of a small win")
    situational_pair: Literal["any", "258"] = option("any", "the pair of a win that is big by its situation only")
    hard_basis: Literal["face", "need", "held"] = option(
        "face",
        "what makes a win hard (硬): in the reading that is paid every wild is itself; "
        "some winning reading exists in which every wild is itself; no wild is held",
    )
    types: HuTypes = group(HuTypes)
    situational: Situational = group(Situational)
    soft_small_discard: Literal["allow", "need_down", "deny"] = option(
        "allow", "a soft small win on a discard: allowed; only after an own put-down, wild kong or kong; never"
    )
    haidi: Haidi = group(Haidi)


@dataclass(frozen=True, slots=True)
class SmallScore:
    base: Fraction = option(Fraction(1), "base points of a small win")
    zimo: Fraction = option(Fraction(2), "factor of a self-drawn small win")
    feeder: Fraction = option(Fraction(2), "factor of the player who fed a small win")
    zimo_base: Fraction | None = option(
        None, "points of a self-drawn small win instead of base × zimo (小斜); none = base × zimo"
    )


@dataclass(frozen=True, slots=True)
class BigScore:
    base: Fraction = option(Fraction(1), "base points of a hu type whose own base is 0")
    zimo: Fraction = option(Fraction(2), "factor of a self-drawn big win")
    feeder: Fraction = option(Fraction(2), "factor of the player who fed a big win")


@dataclass(frozen=True, slots=True)
class KongScore:
    zhi: Fraction = option(Fraction(2), "factor of a kong from a discard")
    bu: Fraction = option(Fraction(2), "factor of an added kong")
    an: Fraction = option(Fraction(4), "factor of a concealed kong")


@dataclass(frozen=True, slots=True)
class DealerScore:
    small: Fraction = option(Fraction(1), "factor between the dealer and another player at a small win")
    big: Fraction = option(Fraction(1), "factor between the dealer and another player at a big win")


@dataclass(frozen=True, slots=True)
class Score:
    small: SmallScore = group(SmallScore)
    big: BigScore = group(BigScore)
    combine: Literal["sum", "max"] = option("max", "several hu types: their bases add; the largest counts")
    hard: Fraction = option(Fraction(2), "factor of a hard win")
    open: Literal["none", "once", "each"] = option(
        "none", "openings ×2: not at all; once for a player who opened; for each"
    )
    kong: KongScore = group(KongScore)
    payers: Literal["all", "feeder"] = option(
        "all", "who pays for a win on another seat's tile: all losers; the seat that gave it"
    )
    loser_factors: bool = option(True, "a loser's own openings, kongs and put-downs multiply what he pays")
    dealer: DealerScore = group(DealerScore)
    zimo_on_situational: bool = option(True, "the self-draw factor counts beside 海底捞 and 杠上花 too")
    rob_kong_feeder: bool = option(False, "the robbed player also pays the feeder's factor")
    rounding: Literal["none", "floor", "nearest"] = option(
        "none", "what becomes of a fraction of a point: kept exact; cut towards zero; rounded, halves away from zero"
    )


@dataclass(frozen=True, slots=True)
class Gold:
    trigger: Fraction = option(Fraction(100), "the amount that every loser must reach before caps (金顶)")
    pay: Fraction = option(Fraction(100), "what each then pays")
    strict: bool = option(False, "the trigger must be exceeded, not only reached")
    mode: Literal["exact", "min"] = option("exact", "each pays exactly that; or his own amount up to it")


@dataclass(frozen=True, slots=True)
class Cap:
    each: Fraction = option(Fraction(100), "the most that one loser pays")
    gold: Gold | None = group(None, "a higher cap where every loser reaches it (金顶)")


@dataclass(frozen=True, slots=True)
class Waits:
    list_wild: bool = option(True, "the list of winning tiles names the wild tile itself where it wins")


@dataclass(frozen=True, slots=True)
class Dealer:
    next: Literal["winner_keeps_else_next", "winner_becomes"] = option(
        "winner_keeps_else_next", "the next dealer: stays after his own win or a draw, else the next seat; the winner"
    )


@dataclass(frozen=True, slots=True)
class MahjongRules:
    """Every option of mahjong; ``rules.wild.limit.small`` is the option ``wild.limit.small``."""

    tiles: Tiles = group(Tiles)
    wild: Wild = group(Wild)
    down: Down = group(Down)
    claim: ClaimRules = group(ClaimRules)
    hu: Hu = group(Hu)
    score: Score = group(Score)
    cap: Cap | None = group(None, "limits of what a loser pays (封顶)")
    bao: tuple[Literal["rob_kong", "qqr_not_ready", "third_open_qingyise"], ...] = option(
        (),
        "who pays for all (承包), the first that applies: the robbed player; who fed 全求人 while not ready; "
        "who gave the third claim of 清一色",
    )
    dealer: Dealer = group(Dealer)
    waits: Waits = group(Waits)

    def __post_init__(self) -> None:
        _tiles("tiles.honours", self.tiles.honours, extra=())
        require(all(tile[0] == "z" for tile in self.tiles.honours), "tiles.honours", "honours are z1 to z7")
        _tiles("wild.cycle.honours", self.wild.cycle.honours, extra=())
        for indicator, wild in self.wild.cycle.exceptions.items():
            _tiles("wild.cycle.exceptions", (indicator, wild), extra=())
        _tiles("wild.fixed", self.wild.fixed, extra=())
        _tiles("wild.stand_in", self.wild.stand_in, extra=())
        _tiles("down.tiles", self.down.tiles, extra=("indicator",))
        require(
            (self.wild.source == "fixed") == bool(self.wild.fixed),
            "wild.fixed",
            "wild tiles are listed exactly where wild.source is fixed",
        )
        require(
            not set(self.wild.fixed) & set(self.down.tiles), "down.tiles", "a tile is wild and only put down at once"
        )
        require(
            not self._may_be_turned_wild() & set(self.down.tiles),
            "down.tiles",
            "a tile that is only put down may be turned wild: leave it out of wild.cycle",
        )
        require(
            "indicator" not in self.down.tiles or self.wild.source == "indicator_next",
            "down.tiles",
            "the turned tile is put down only where the tile after it is wild",
        )
        require(
            self.wild.discard != "scores" or self.wild.kong is not None,
            "wild.discard",
            "a discarded wild scores as wild.kong does, which has no factor",
        )
        for guarantee, holds, needed in (
            ("rob_kong", self.claim.rob == "bu", "claim.rob = bu"),
            ("qqr_not_ready", self.hu.types.quanqiuren is not None, "hu.types.quanqiuren"),
            ("third_open_qingyise", self.hu.types.qingyise is not None, "hu.types.qingyise"),
        ):
            require(guarantee not in self.bao or holds, "bao", f"{guarantee} needs {needed}")
        require(
            self.hu.situational.haidi is None or self.hu.haidi.last > 0,
            "hu.haidi.last",
            "海底捞 needs the number of last draws",
        )
        limit = self.wild.limit
        require(
            limit.gold is None or (self.cap is not None and self.cap.gold is not None),
            "wild.limit.gold",
            "an exception at gold needs cap.gold",
        )
        require(
            self.hu.types.longqi is None or bool(self.hu.shapes & {"seven_pairs", "dragon_seven"}),
            "hu.types.longqi",
            "needs the shape seven_pairs or dragon_seven",
        )
        require(
            self.hu.types.qidui is None or "seven_pairs" in self.hu.shapes,
            "hu.types.qidui",
            "needs the shape seven_pairs",
        )
        require(bool(self.hu.shapes), "hu.shapes", "at least one shape")
        require(bool(self.tiles.suits or self.tiles.honours), "tiles.suits", "a tile set without tiles")

    def _may_be_turned_wild(self) -> set[str]:
        """The tiles of the set that a turned tile can make wild."""
        if self.wild.source not in ("indicator_next", "indicator_same"):
            return set()
        suited = {f"{digit}{suit}" for suit in self.tiles.suits for digit in range(1, 10)}
        honours = set(self.tiles.honours)
        if self.wild.source == "indicator_next":
            exceptions = {wild for _, wild in self.wild.cycle.exceptions.items()}
            honours &= set(self.wild.cycle.honours) | exceptions
        return suited | honours


def _tiles(name: str, tiles: TileSet, extra: TileSet) -> None:
    for tile in tiles:
        require(bool(_TILE.fullmatch(tile)) or tile in extra, name, f"{tile!r} is no tile such as 5m or z5")
