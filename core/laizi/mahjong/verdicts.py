"""What a reading is worth: its hu types, points and the demands that it fails, from its features and the options.

A reading's features are one byte, the *code*: shape, suits, whether all faces are 2, 5, 8, whether all melds are
triplets, whether the pair is one of 2, 5, 8. Codes, circumstances and hardness have few values, so verdicts are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from laizi.errors import HuRefusal
from laizi.mahjong.answers import HuType, MeldKind, WinMode
from laizi.rules.mahjong import HuType as TypeOptions
from laizi.rules.mahjong import MahjongRules, Situation

__all__ = ["CODE_SHAPES", "Circumstances", "Verdict", "claims_of", "judge", "option_of"]

CODE_SHAPES = ("standard", "seven_pairs", "dragon_seven", "free_wind", "free_jiang")
"""The shape of a reading by the three low bits of its code."""
_SUITS = (None, HuType.QINGYISE, HuType.FENGYISE)


def claims_of(kind: MeldKind) -> frozenset[str]:
    """The claims that a meld stands for, as ``hu.open_by`` names them: an added kong was a peng before."""
    return _CLAIMS[kind]


_CLAIMS: dict[MeldKind, frozenset[str]] = {
    MeldKind.CHI: frozenset({"chi"}),
    MeldKind.PENG: frozenset({"peng"}),
    MeldKind.ZHI_GANG: frozenset({"zhi"}),
    MeldKind.BU_GANG: frozenset({"peng", "bu"}),
    MeldKind.AN_GANG: frozenset(),
}


def option_of(hu_type: HuType) -> str:
    """The group of options that makes a hu type count."""
    return f"hu.{'situational' if hu_type in _SITUATIONAL else 'types'}.{hu_type}"


_SITUATIONAL = (HuType.GANG_FLOWER, HuType.HAIDI, HuType.ROB_KONG)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """All that decides the worth of a reading besides its features."""

    mode: WinMode
    gang_flower: bool
    haidi: bool
    all_claimed: bool
    """Four melds or more, every one claimed, and two concealed tiles."""
    two_concealed: bool
    unclaimed: bool
    """No meld ends 门清."""
    put_down: bool
    """An own put-down tile, wild kong or kong: see ``hu.soft_small_discard``."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The worth of all readings with one code, one hardness and the same circumstances."""

    types: tuple[HuType, ...]
    factors: tuple[HuType, ...]
    """Situations that multiply the points."""
    hard: bool
    base: Fraction
    points: Fraction
    refusals: frozenset[HuRefusal]
    """Demands that these readings fail, those on the number of wilds and on a lone wild apart."""
    limit: int | None
    """Most wilds; None = no limit."""

    @property
    def small(self) -> bool:
        return not self.types

    def order(self) -> tuple[Fraction, bool, int, tuple[int, ...]]:
        """The greatest is paid: most points, then hard, then more types, then types declared earlier."""
        places = tuple(-_PLACE[hu_type] for hu_type in self.types)
        return self.points, self.hard, len(self.types), places


_PLACE = {hu_type: place for place, hu_type in enumerate(HuType)}


def judge(rules: MahjongRules, code: int, hard: bool, at: Circumstances) -> Verdict:
    """The worth of a reading with this code."""
    types = _types(rules, code, at)
    situations = _situations(rules, at)
    counted = [hu_type for hu_type, situation in situations if situation.counts_as == "type"]
    held = (*types, *counted)
    zimo = at.mode is WinMode.ZIMO
    if zimo and not rules.score.zimo_on_situational:
        zimo = not any(hu_type in (HuType.GANG_FLOWER, HuType.HAIDI) for hu_type, _ in situations)
    base, factor = _base(rules, types, len(counted), zimo)
    if hard:
        factor *= rules.score.hard
    multiplying = [(hu_type, situation) for hu_type, situation in situations if situation.counts_as == "factor"]
    for _, situation in multiplying:
        factor *= situation.factor
    refusals = set()
    if CODE_SHAPES[code & 7] == "standard" and not code & 128 and _pair_demand(rules, types, counted) == "258":
        refusals.add(HuRefusal.PAIR_NOT_258)
    if not held and not hard and at.mode is not WinMode.ZIMO:
        allowed = rules.hu.soft_small_discard
        if allowed == "deny" or (allowed == "need_down" and not at.put_down):
            refusals.add(HuRefusal.SOFT_SMALL_NEEDS_SELF_DRAW)
    limit = rules.wild.limit.big if held else rules.wild.limit.small
    factors = tuple(hu_type for hu_type, _ in multiplying)
    return Verdict(held, factors, hard, base, base * factor, frozenset(refusals), limit)


def _options(rules: MahjongRules, hu_type: HuType) -> TypeOptions | None:
    options: TypeOptions | None = getattr(rules.hu.types, hu_type.value)
    return options


def _types(rules: MahjongRules, code: int, at: Circumstances) -> tuple[HuType, ...]:
    shape = CODE_SHAPES[code & 7]
    standard, pairs, dragon = shape == "standard", shape in ("seven_pairs", "dragon_seven"), shape == "dragon_seven"
    suits = _SUITS[code >> 3 & 3]

    def counts(hu_type: HuType, holds: bool) -> bool:
        options = _options(rules, hu_type)
        return holds and options is not None and not (options.needs_discard and at.mode is WinMode.ZIMO)

    longqi = counts(HuType.LONGQI, dragon)
    features = {
        HuType.PENGPENGHU: standard and bool(code & 64),
        HuType.QINGYISE: suits is HuType.QINGYISE,
        HuType.FENGYISE: suits is HuType.FENGYISE,
        HuType.JIANGYISE: bool(code & 32),
        HuType.QUANQIUREN: at.all_claimed,
        HuType.MENQING: standard and at.unclaimed,
        HuType.QIDUI: pairs and not longqi,
        HuType.LONGQI: longqi,
        HuType.DANDIAO: at.two_concealed,
    }
    return tuple(hu_type for hu_type, holds in features.items() if counts(hu_type, holds))


def _situations(rules: MahjongRules, at: Circumstances) -> list[tuple[HuType, Situation]]:
    present = (
        (HuType.GANG_FLOWER, at.gang_flower, rules.hu.situational.gang_flower),
        (HuType.HAIDI, at.haidi, rules.hu.situational.haidi),
        (HuType.ROB_KONG, at.mode is WinMode.ROB_KONG, rules.hu.situational.rob_kong),
    )
    return [(hu_type, situation) for hu_type, holds, situation in present if holds and situation is not None]


def _pair_demand(rules: MahjongRules, types: tuple[HuType, ...], situational: list[HuType]) -> str:
    options = [_options(rules, hu_type) for hu_type in types]
    if any(option is not None and option.any_pair for option in options):
        return "any"
    return rules.hu.situational_pair if situational and not types else rules.hu.pair


def _base(rules: MahjongRules, types: tuple[HuType, ...], situational: int, zimo: bool) -> tuple[Fraction, Fraction]:
    """Base points, and the self-draw factor that goes with them."""
    one = Fraction(1)
    if not types and not situational:
        small = rules.score.small
        if zimo and small.zimo_base is not None:
            return small.zimo_base, one
        return small.base, small.zimo if zimo else one
    options = [_options(rules, hu_type) for hu_type in types]
    bases = [option.base or rules.score.big.base for option in options if option is not None]
    bases += [rules.score.big.base] * situational
    base = sum(bases, Fraction(0)) if rules.score.combine == "sum" else max(bases)
    return base, rules.score.big.zimo if zimo else one
