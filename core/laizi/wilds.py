"""What is wild in a game: from the turned card or tile, the ranks drawn, or the cards chosen.

Nothing is drawn here: the caller tells what was drawn, and equal inputs have equal answers.

>>> from laizi import rules
>>> determine_cards(rules.load("wuhan"), bottom="5 9 K").ranks
'T'
>>> wild = determine_tiles(rules.load("enshi"), "9m")
>>> wild.wilds, wild.put_down
(('1m',), ('9m',))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from laizi import cards, tiles
from laizi.cards import Cards
from laizi.errors import CardsError, ErrorReason, RequestError
from laizi.rules import DoudizhuRules, MahjongRules, RuleSet

RANKS = cards.RANKS[:13]
"""The ranks that may become wild by a draw, by their indices 0 to 12. A joker is never drawn."""


@dataclass(frozen=True, slots=True)
class WildCards:
    """What is wild in a game of Dou Dizhu."""

    ranks: str
    """Ranks whose four cards are all wild, in rising order: ``7``, ``79``."""
    cards: str
    """Single wild cards: ``7d 7h`` or ``X Y``."""
    count: int
    """How many cards of the pack are wild."""
    indicator: str
    """The card that decided (赖子皮); empty where none did."""
    explanation: str
    clauses: tuple[str, ...]
    """Ids of the clauses that decided it."""


@dataclass(frozen=True, slots=True)
class WildTiles:
    """What is wild in a hand of mahjong."""

    wilds: tuple[str, ...]
    """The wild tiles (癞子)."""
    put_down: tuple[str, ...]
    """The turned tile where it is only put down (痞子)."""
    explanation: str
    clauses: tuple[str, ...]
    """Ids of the clauses that decided it."""


def candidates(rule_set: RuleSet) -> str:
    """The ranks, or space-separated tiles or sets of cards, of which one may become wild; empty where none may."""
    rules = rule_set.rules
    if isinstance(rules, MahjongRules):
        if rules.wild.source in ("none", "fixed"):
            return " ".join(rules.wild.fixed)
        after = {_wild_of(rules, indicator)[0] for indicator in rules.tiles.kinds()}
        return " ".join(tile for tile in tiles.NAMES if tile in after)
    match rules.wild.source:
        case "random_rank" | "two_random_ranks":
            return RANKS
        case "indicator_next":
            return "".join(rank for rank in RANKS if rank in rules.wild.indicator.cycle + rules.wild.indicator.joker_to)
        case "chosen_cards":
            return " ".join("".join(sorted(choice)) for choice in rules.wild.choices)
        case _:
            return ""


def determine_cards(
    rule_set: RuleSet, *, drawn_ranks: Sequence[int] = (), bottom: str | bytes = "", chosen: str | bytes = ""
) -> WildCards:
    """What is wild, by the rules' ``wild.source``; the fields of another source must be left out.

    ``drawn_ranks``: the ranks drawn, as indices 0 to 12, one for ``random_rank``, two distinct ones in the order 天, 地
    for ``two_random_ranks``. ``bottom``: for ``indicator_next`` the bottom cards in the order in which they were
    turned, or the indicator alone; its order counts, so it is text or byte codes. ``chosen``: for ``chosen_cards``.

    Raises `RequestError`: MISSING_FIELD, CONTRADICTORY_FIELDS, VALUE_OUT_OF_RANGE, WRONG_WILD_COUNT, BAD_INDICATOR,
    WRONG_GAME; and what reading cards raises.
    """
    rules = rule_set.rules
    if not isinstance(rules, DoudizhuRules):
        _wrong_game(rule_set)
    source = rules.wild.source
    wanted = {
        "none": "",
        "random_rank": "drawn_ranks",
        "two_random_ranks": "drawn_ranks",
        "indicator_next": "bottom",
        "chosen_cards": "chosen",
    }[source]
    for path, value in (("drawn_ranks", drawn_ranks), ("bottom", bottom), ("chosen", chosen)):
        if bool(len(value)) != (path == wanted):
            if value:
                reason, message = ErrorReason.CONTRADICTORY_FIELDS, f"the wilds come from {source}"
            else:
                reason, message = ErrorReason.MISSING_FIELD, f"the wilds come from {source}, which needs it"
            raise RequestError(reason, message, path=path)
    if source == "indicator_next":
        return _after_indicator(rule_set, rules, bottom)
    if source == "chosen_cards":
        return _chosen(rule_set, rules, chosen)
    if source == "none":
        return WildCards("", "", 0, "", "no wilds", rule_set.cite("wild.source"))
    return _drawn(rule_set, drawn_ranks, 2 if source == "two_random_ranks" else 1)


def determine_tiles(rule_set: RuleSet, indicator: str | bytes = "") -> WildTiles:
    """What is wild, by the rules' ``wild.source``, after ``indicator`` was turned; none where nothing is turned.

    Raises `RequestError`: MISSING_FIELD, CONTRADICTORY_FIELDS, BAD_INDICATOR, WRONG_GAME; `CardsError`
    (TILE_OUTSIDE_SET); and what reading a tile raises.
    """
    rules = rule_set.rules
    if not isinstance(rules, MahjongRules):
        _wrong_game(rule_set)
    turns = rules.wild.source in ("indicator_next", "indicator_same")
    if not turns:
        if indicator:
            message = f"the wilds come from {rules.wild.source}: no tile is turned"
            raise RequestError(ErrorReason.CONTRADICTORY_FIELDS, message, path="indicator")
        text = f"{' '.join(rules.wild.fixed)} always wild" if rules.wild.fixed else "no wilds"
        return WildTiles(rules.wild.fixed, (), text, rule_set.cite("wild.source", "wild.fixed"))
    if not indicator:
        message = f"the wilds come from {rules.wild.source}, which needs the turned tile"
        raise RequestError(ErrorReason.MISSING_FIELD, message, path="indicator")
    turned = tiles.NAMES[tiles.read_one(indicator, path="indicator")]
    if turned not in rules.tiles.kinds():
        raise CardsError(ErrorReason.TILE_OUTSIDE_SET, f"{turned} is not in the tile set", path="indicator")
    wild, options = _wild_of(rules, turned)
    if not wild:
        message = f"{turned} has no next tile: it is in no cycle"
        raise RequestError(ErrorReason.BAD_INDICATOR, message, path="indicator")
    put_down = (turned,) if "indicator" in rules.down.tiles else ()
    text = f"{turned} was turned, {'it is' if wild == turned else f'the next tile {wild} is'} wild"
    if put_down:
        text += f"; {turned} can only be put down"
        options = (*options, "down.tiles")
    return WildTiles((wild,), put_down, text, rule_set.cite("wild.source", *options))


def _drawn(rule_set: RuleSet, drawn: Sequence[int], wanted: int) -> WildCards:
    if len(drawn) != wanted:
        message = f"{wanted} drawn, {len(drawn)} given"
        raise RequestError(ErrorReason.WRONG_WILD_COUNT, message, path="drawn_ranks", limit=wanted)
    for index, rank in enumerate(drawn):
        if not 0 <= rank < len(RANKS):
            message = f"a rank drawn is an index from 0 to 12, not {rank}"
            raise RequestError(ErrorReason.VALUE_OUT_OF_RANGE, message, path=f"drawn_ranks[{index}]", limit=12)
    if len(set(drawn)) != wanted:
        message = f"rank {RANKS[drawn[0]]} is drawn twice"
        raise RequestError(ErrorReason.WRONG_WILD_COUNT, message, path="drawn_ranks", limit=wanted)
    ranks = "".join(RANKS[rank] for rank in sorted(drawn))
    names = " and ".join(RANKS[rank] for rank in drawn)
    text = f"{names} drawn, all cards of {'these ranks' if wanted > 1 else 'this rank'} wild"
    return WildCards(ranks, "", 4 * wanted, "", text, rule_set.cite("wild.source"))


def _after_indicator(rule_set: RuleSet, rules: DoudizhuRules, bottom: str | bytes) -> WildCards:
    turned = cards.in_order(bottom, path="bottom")
    option = rules.wild.indicator
    if len(turned) not in (1, 3):
        message = f"the three bottom cards or the indicator alone, not {len(turned)} cards"
        raise RequestError(ErrorReason.BAD_INDICATOR, message, path="bottom", limit=3)
    skin = cards.RANKS[turned[option.index] if len(turned) == 3 else turned[0]]
    names = ["wild.source", "wild.indicator.cycle"]
    if len(turned) == 3:
        names.append("wild.indicator.index")
    if skin in "XY":
        rank = option.joker_to
        names.append("wild.indicator.joker_to")
    elif skin in option.cycle:
        rank = option.cycle[(option.cycle.index(skin) + 1) % len(option.cycle)]
    else:
        raise RequestError(ErrorReason.BAD_INDICATOR, f"{skin} is not in the cycle {option.cycle}", path="bottom")
    return WildCards(rank, "", 4, skin, f"{skin} was turned, {rank} is wild", rule_set.cite(*names))


def choosable(rules: DoudizhuRules) -> set[Cards]:
    """Return the sets of cards that the players may choose as wilds (``wild.choices``)."""
    return {cards.read("".join(names)) for names in rules.wild.choices}


def _chosen(rule_set: RuleSet, rules: DoudizhuRules, chosen: str | bytes) -> WildCards:
    choice = cards.read(chosen, path="chosen")
    choices = choosable(rules)
    if choice not in choices:
        known = " or ".join(sorted(known.text() for known in choices))
        message = f"the players choose {known}, not {choice.text()}"
        raise RequestError(ErrorReason.WRONG_WILD_COUNT, message, path="chosen")
    text = f"{choice.text()} chosen, these cards are wild"
    return WildCards("", choice.text(), len(choice), "", text, rule_set.cite("wild.source", "wild.choices"))


def _wild_of(rules: MahjongRules, turned: str) -> tuple[str, tuple[str, ...]]:
    """The tile that a turned tile makes wild, empty where it makes none, and the options that say so."""
    if rules.wild.source == "indicator_same":
        return turned, ()
    exception = rules.wild.cycle.exceptions.get(turned)
    if exception is not None:
        return exception, ("wild.cycle.exceptions",)
    if turned[1] in "mps":
        return f"{int(turned[0]) % 9 + 1}{turned[1]}", ()
    cycle = rules.wild.cycle.honours
    if turned not in cycle:
        return "", ()
    return cycle[(cycle.index(turned) + 1) % len(cycle)], ("wild.cycle.honours",)


def _wrong_game(rule_set: RuleSet) -> NoReturn:
    raise RequestError(ErrorReason.WRONG_GAME, f'"{rule_set.name}" is a rule set of {rule_set.game}', path="rules")
