"""The kernels of the core, one thread: batches and single calls of both games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from laizi import mahjong, rules
from laizi_bench import deals
from laizi_bench.deals import Hands, Plays, PlayWorkload
from laizi_bench.measure import Case

__all__ = [
    "doudizhu_cases",
    "each",
    "expanded_case",
    "kernel_cases",
    "leads_case",
    "mahjong_cases",
    "mahjong_evaluators",
]

SINGLE = 20_000
"""How many rows the single calls take one by one."""
PLAIN = {"hu.shapes": ["standard"], "hu.types.qingyise": "off", "hu.types.pengpenghu": "off"}
"""Melds and a pair, any pair: the question of the tables."""


def doudizhu_cases(seed: int, size: int) -> Iterator[Case]:
    """Yield the cases of Dou Dizhu under the preset huanle on ``size`` plays and hands."""
    plays = deals.play_workload(seed, size)
    total = sum(map(len, plays))
    yield Case("ddz read, batch", total, each(plays, lambda one: one.evaluator.read_rows(one.rows)))
    yield from _single_reads(plays)
    yield Case("ddz compare, batch", total, each(plays, lambda one: one.evaluator.compare_rows(one.previous, one.rows)))
    hands = [
        replace(hand, previous=play.previous[: 2 * len(hand)])
        for play, hand in zip(plays[1:], deals.leads(seed, size // 4, 2), strict=True)
    ]
    beatable = each(hands, lambda one: one.evaluator.beatable_rows(one.previous, one.rows))
    yield Case("ddz can beat, batch", sum(map(len, hands)), beatable)
    for wilds in (0, 2, 4):
        yield leads_case(f"ddz list grouped, {wilds} wilds", deals.leads(seed, size // 8, wilds))
    expanded = deals.leads(seed, max(size // 100, 100), 0)
    yield expanded_case(expanded)


def each(plays: PlayWorkload, ask: Callable[[Plays], object]) -> Callable[[], None]:
    """Return a call that asks about the rows of each wild rank and drops each answer before the next."""

    def run() -> None:
        for one in plays:
            ask(one)

    return run


def expanded_case(hands: PlayWorkload) -> Case:
    """Return the case that lists every play of each hand, 64 hands a call: an answer has 1.4 KB a hand."""
    calls = [replace(one, rows=one.rows[at : at + 16 * 64]) for one in hands for at in range(0, len(one.rows), 16 * 64)]
    return Case(
        "ddz list expanded, 0 wilds", sum(map(len, calls)), each(calls, lambda one: one.evaluator.play_rows(one.rows))
    )


def leads_case(name: str, hands: PlayWorkload) -> Case:
    """Return the case that lists, for each hand, the readings that it can lead."""
    return Case(name, sum(map(len, hands)), each(hands, lambda one: one.evaluator.group_rows(one.rows)))


def _single_reads(plays: PlayWorkload) -> Iterator[Case]:
    calls = [
        (one.evaluator.read_row, [one.rows[at : at + 16] for at in range(0, len(one.rows), 16)][: SINGLE // len(plays)])
        for one in plays
    ]

    def run() -> None:
        for read, rows in calls:
            for row in rows:
                read(row)

    yield Case("ddz read, one call each", sum(len(rows) for _, rows in calls), run, "ddz read, batch")


def mahjong_evaluators() -> dict[str, mahjong.Evaluator]:
    """Return evaluators by question; z7 is wild in all of them."""
    return {
        "plain": mahjong.Evaluator(rules.load("guangdong_gui", PLAIN), "z7"),
        "four": mahjong.Evaluator(rules.load("guangdong_gui", {**PLAIN, "wild.fifth_copy": False}), "z7"),
        "typed": mahjong.Evaluator(rules.load("guangdong_gui"), "z7"),
    }


def mahjong_cases(seed: int, size: int) -> Iterator[Case]:
    """Yield the cases of mahjong on ``size`` hands of 14 tiles with 0 to 4 wilds."""
    yield from kernel_cases(deals.hands_of_tiles(seed, size))
    typed, hands = mahjong_evaluators()["typed"], deals.hands_of_tiles(seed, size)
    yield Case("mj check hu with types, batch", len(hands), lambda: typed.check_columns(hands.rows))


def kernel_cases(hands: Hands) -> Iterator[Case]:
    """Yield the questions that a yardstick also answers, on given hands."""
    by_question = mahjong_evaluators()
    plain, four = by_question["plain"], by_question["four"]
    yield Case("mj hu, batch", len(hands), lambda: plain.hu_rows(hands.rows))
    single = [hands.rows[at : at + 34] for at in range(0, len(hands.rows), 34)][:SINGLE]

    def run() -> None:
        is_hu = plain.is_hu
        for counts in single:
            is_hu(counts)

    yield Case("mj hu, one call each", len(single), run, "mj hu, batch")
    yield Case("mj hu, pair of 2 5 8", len(hands), lambda: plain.hu_rows(hands.rows, pair_258=True), "mj hu, batch")
    yield Case("mj hu, four copies at most", len(hands), lambda: four.hu_rows(hands.rows), "mj hu, batch")
    yield Case("mj waits, batch", len(hands), lambda: plain.waits_rows(hands.waiting), "mj hu, batch")
    yield Case("mj shanten, batch", len(hands), lambda: plain.shanten_rows(hands.rows), "mj hu, batch")
