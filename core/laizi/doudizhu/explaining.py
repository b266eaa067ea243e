"""Why cards are no legal play: which rules, were they lifted, would make them one.

Each reason stands for a rule that can be lifted. The cards are read again with one rule lifted at a time; the reasons
whose rule alone stands in the way are the answer. Where none does alone, all are lifted and put back one by one, and
those that have to stay lifted are the answer. Cards that are no play even then fit no type.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from laizi.doudizhu.readings import PlayType
from laizi.errors import PlayRefusal
from laizi.rules.doudizhu import DoudizhuRules

__all__ = ["DECIDED_BY", "LIFTS", "explain", "lifted"]

_Lift = Callable[[DoudizhuRules], DoudizhuRules]


def _kick(rules: DoudizhuRules, **values: object) -> DoudizhuRules:
    return dataclasses.replace(rules, kick=dataclasses.replace(rules.kick, **values))  # type: ignore[arg-type]


def _wild(rules: DoudizhuRules, **values: object) -> DoudizhuRules:
    return dataclasses.replace(rules, wild=dataclasses.replace(rules.wild, **values))  # type: ignore[arg-type]


def _seq(rules: DoudizhuRules, **values: object) -> DoudizhuRules:
    return dataclasses.replace(rules, seq=dataclasses.replace(rules.seq, **values))  # type: ignore[arg-type]


def _play(rules: DoudizhuRules, **values: object) -> DoudizhuRules:
    return dataclasses.replace(rules, play=dataclasses.replace(rules.play, **values))  # type: ignore[arg-type]


def _not_strict(ban: str) -> _Lift:
    return lambda rules: _kick(rules, strict=rules.kick.strict - {ban})


def _every_tier(rules: DoudizhuRules, *tiers: str) -> DoudizhuRules:
    if frozenset(tiers) <= frozenset().union(*rules.bomb.order):
        return rules
    # The order is of no matter here; with the rocket first no other option contradicts it.
    listed = frozenset(tiers).union(*rules.bomb.order)
    order = tuple(frozenset({tier}) for tier in ("rocket", *sorted(listed - {"rocket"})) if tier in listed)
    return dataclasses.replace(rules, bomb=dataclasses.replace(rules.bomb, order=order))  # type: ignore[arg-type]


def _every_type(rules: DoudizhuRules) -> DoudizhuRules:
    rules = _every_tier(rules, "rocket")
    if not rules.kick.quad:
        rules = _kick(rules, quad=frozenset({"two_cards", "two_pairs"}))
    return _play(rules, bare_triple="any") if rules.play.bare_triple == "forbidden" else rules


def _every_kind(rules: DoudizhuRules) -> DoudizhuRules:
    both = frozenset({"single", "pair"})
    rules = _kick(rules, triple=both, plane=both)
    return _kick(rules, quad=frozenset({"two_cards", "two_pairs"})) if rules.kick.quad else rules


def _largest_bombs(rules: DoudizhuRules) -> DoudizhuRules:
    size = dataclasses.replace(rules.bomb.size, max=12)
    return dataclasses.replace(rules, bomb=dataclasses.replace(rules.bomb, size=size))


def _short_runs(rules: DoudizhuRules) -> DoudizhuRules:
    rules = _seq(rules, single=3, pair=2, triple=2)
    if rules.bomb.chain is None:
        return rules
    return dataclasses.replace(rules, bomb=dataclasses.replace(rules.bomb, chain=2))


def _triple_as_last(rules: DoudizhuRules) -> DoudizhuRules:
    return _play(rules, bare_triple="any") if rules.play.bare_triple == "last" else rules


def _wilds_alone(rules: DoudizhuRules) -> DoudizhuRules:
    return rules  # No option lets wilds alone stand for anything: whoever reads lifts it.


LIFTS: Final[Mapping[PlayRefusal, _Lift]] = MappingProxyType(
    {
        PlayRefusal.WILD_AS_JOKER: lambda rules: _wild(rules, as_joker=True),
        PlayRefusal.RUN_THROUGH_TWO: lambda rules: _seq(rules, top="2"),
        PlayRefusal.RUN_TOO_SHORT: _short_runs,
        PlayRefusal.WILDS_ALONE_KEEP_RANK: _wilds_alone,
        PlayRefusal.BODY_ALL_WILD_FORBIDDEN: lambda rules: (
            _wild(rules, body="any") if rules.wild.body == "forbidden" else rules
        ),
        PlayRefusal.BODY_ALL_WILD_KEEPS_RANK: lambda rules: (
            _wild(rules, body="any") if rules.wild.body == "natural" else rules
        ),
        PlayRefusal.TYPE_NOT_PLAYED: _every_type,
        PlayRefusal.TRIPLE_ONLY_AS_LAST_PLAY: _triple_as_last,
        PlayRefusal.KICKER_KIND_NOT_CARRIED: _every_kind,
        PlayRefusal.KICKER_REPEATS_RANK: lambda rules: _kick(rules, plane_equal=4, quad_equal=2),
        PlayRefusal.KICKER_IS_ROCKET: _not_strict("no_rocket"),
        PlayRefusal.KICKER_EQUAL_PAIRS: _not_strict("no_equal_pairs"),
        PlayRefusal.KICKER_OF_BODY_RANK: lambda rules: _kick(rules, body_rank=frozenset({"plane", "quad"})),
        PlayRefusal.KICKER_EXTENDS_BODY: _not_strict("no_body_run"),
        PlayRefusal.SOFT_FOUR_CARRIES_NOTHING: lambda rules: _kick(rules, soft_quad=True),
        PlayRefusal.BOMB_TOO_LARGE: _largest_bombs,
        PlayRefusal.BOMB_TIER_NOT_PLAYED: lambda rules: _every_tier(rules, "pure", "hard", "soft"),
    }
)
"""For each reason, in their order, the rules without the rule that it names; unchanged where they do not have it."""

_EVERY_TYPE: Final = tuple(f"type.{play_type}" for play_type in PlayType if play_type is not PlayType.CHAIN)

DECIDED_BY: Final[Mapping[PlayRefusal, tuple[str, ...]]] = MappingProxyType(
    {
        PlayRefusal.COUNT_FITS_NO_TYPE: _EVERY_TYPE,
        PlayRefusal.CARDS_FIT_NO_TYPE: _EVERY_TYPE,
        PlayRefusal.WILD_AS_JOKER: ("wild.as_joker", "wild.stands_for"),
        PlayRefusal.RUN_THROUGH_TWO: ("seq.top",),
        PlayRefusal.RUN_TOO_SHORT: ("seq.single", "seq.pair", "seq.triple"),
        PlayRefusal.WILDS_ALONE_FORBIDDEN: ("wild.alone",),
        PlayRefusal.WILDS_ALONE_KEEP_RANK: ("wild.alone",),
        PlayRefusal.WILDS_ALONE_ONLY_AS_LAST_PLAY: ("wild.alone",),
        PlayRefusal.BODY_ALL_WILD_FORBIDDEN: ("wild.body",),
        PlayRefusal.BODY_ALL_WILD_KEEPS_RANK: ("wild.body",),
        PlayRefusal.TYPE_NOT_PLAYED: ("kick.quad", "play.bare_triple", "bomb.order"),
        PlayRefusal.TRIPLE_ONLY_AS_LAST_PLAY: ("play.bare_triple",),
        PlayRefusal.KICKER_KIND_NOT_CARRIED: ("kick.triple", "kick.plane", "kick.quad"),
        PlayRefusal.KICKER_REPEATS_RANK: ("kick.plane_equal", "kick.quad_equal"),
        PlayRefusal.KICKER_IS_ROCKET: ("kick.strict",),
        PlayRefusal.KICKER_EQUAL_PAIRS: ("kick.strict",),
        PlayRefusal.KICKER_OF_BODY_RANK: ("kick.body_rank",),
        PlayRefusal.KICKER_EXTENDS_BODY: ("kick.strict",),
        PlayRefusal.SOFT_FOUR_CARRIES_NOTHING: ("kick.soft_quad",),
        PlayRefusal.BOMB_TOO_LARGE: ("bomb.size.max",),
        PlayRefusal.BOMB_TIER_NOT_PLAYED: ("bomb.order",),
        PlayRefusal.NON_BOMB_READING_EXISTS: ("read.lead_default",),
        PlayRefusal.SOFT_BOMB_WHILE_HOLDING_HARD: ("play.soft_bomb_if_hard_held",),
        PlayRefusal.DOES_NOT_BEAT: ("play.beat",),
    }
)
"""The options and decisions behind a reason: what a rule set's sources are asked for."""


def lifted(rules: DoudizhuRules, reasons: Iterable[PlayRefusal]) -> DoudizhuRules:
    """The rules without those that the reasons name."""
    for reason in reasons:
        rules = LIFTS[reason](rules)
    return rules


def explain(reasons: Iterable[PlayRefusal], reads: Callable[[frozenset[PlayRefusal]], bool]) -> tuple[PlayRefusal, ...]:
    """Those of the reasons, which are in their order, that keep cards from having a reading; none if none helps.

    ``reads`` answers whether the cards have a reading under the rules without those that some reasons name.
    """
    reasons = tuple(reasons)
    each = tuple(reason for reason in reasons if reads(frozenset({reason})))
    needed = frozenset(reasons)
    if each or not reads(needed):
        return each
    for reason in reasons:
        if reads(needed - {reason}):
            needed -= {reason}
    return tuple(reason for reason in reasons if reason in needed)
