"""Mahjong hands of the oracle, made from text and asked of the library."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from laizi import mahjong, rules, tiles
from laizi.tiles import NAMES, Tiles
from tests.oracle.mahjong import Hand, Meld


def counts(text: str) -> tuple[int, ...]:
    return tuple(Tiles.from_text(text).counts)


def text(hand: Hand) -> str:
    """The concealed tiles in words."""
    return tiles_of(hand.concealed).text()


def tiles_of(counts_: Iterable[int]) -> Tiles:
    return Tiles(bytes(map(int, counts_)))


def kinds(text_: str) -> frozenset[int]:
    return frozenset(tiles.read_kinds(text_))


def options(ruleset: rules.RuleSet) -> rules.MahjongRules:
    """The options of a rule set of mahjong."""
    assert isinstance(ruleset.rules, rules.MahjongRules)
    return ruleset.rules


_EVALUATORS: dict[object, mahjong.Evaluator] = {}


def evaluator(ruleset: rules.RuleSet, wilds: frozenset[int], down: frozenset[int]) -> mahjong.Evaluator:
    """The evaluator of a hand: the turned tile stands for the put-down tiles where the rules say so."""
    key = ruleset.digest, wilds, down
    if key not in _EVALUATORS:
        indicator = NAMES[min(down)] if options(ruleset).down.tiles == ("indicator",) else ""
        wild = " ".join(NAMES[tile] for tile in sorted(wilds))
        _EVALUATORS[key] = mahjong.Evaluator(ruleset, wild, indicator)
    return _EVALUATORS[key]


def engine_melds(hand: Hand) -> list[mahjong.Meld]:
    """The melds in the library's terms."""
    return [
        mahjong.Meld(
            meld.kind if meld.kind in ("chi", "peng") else meld.kind + "_gang",
            " ".join(NAMES[tile] for tile in meld.tiles),
        )
        for meld in hand.melds
    ]


class Paid(NamedTuple):
    """A settlement that pays the points themselves."""

    gold: bool
    gain: Fraction


def circumstances(hand: Hand) -> dict[str, Any]:
    """What the library must know beside the tiles, as keywords of `check_hu`, `waits` and `discards`."""
    gold = hand.gold
    return {
        "mode": hand.mode,
        "gang_flower": hand.gang_flower,
        "haidi": hand.haidi,
        "downs": int(hand.put_down),
        "wild_discarded": hand.wild_discarded,
        "settle": None if gold is None else lambda answer: Paid(answer.points >= gold, answer.points),
    }


def check(ruleset: rules.RuleSet, hand: Hand, **more: Any) -> mahjong.HuAnswer:
    """Ask the library about an oracle's hand."""
    return evaluator(ruleset, hand.wilds, hand.down).check_hu(
        tiles_of(hand.concealed),
        engine_melds(hand),
        winning_tile=None if hand.winning is None else NAMES[hand.winning],
        **circumstances(hand),
        **more,
    )


def waits(ruleset: rules.RuleSet, hand: Hand, seen: bytes = bytes(34)) -> mahjong.Waits:
    """Ask the library what an oracle's hand of 3n+1 tiles waits for."""
    return evaluator(ruleset, hand.wilds, hand.down).waits(
        tiles_of(hand.concealed), engine_melds(hand), seen=Tiles(seen), **circumstances(hand)
    )


def discards(ruleset: rules.RuleSet, hand: Hand) -> tuple[mahjong.Discard, ...]:
    """Ask the library for the discards of an oracle's hand of 3n+2 tiles that leave it waiting."""
    return evaluator(ruleset, hand.wilds, hand.down).discards(
        tiles_of(hand.concealed), engine_melds(hand), **circumstances(hand)
    )


def meld(kind: str, text_: str) -> Meld:
    return Meld(kind.removesuffix("_gang"), tuple(Tiles.from_text(text_)))
