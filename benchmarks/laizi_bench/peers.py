"""Other packages beside laizi: the same hands in the same run, and where the answers differ.

Each peer is asked only what it also answers: no wilds, and its own rules of kickers where laizi has options for them.
Peers are imported when they are measured; those that are not installed are left out.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from laizi import doudizhu, mahjong, rules
from laizi.cards import RANKS
from laizi_bench import deals
from laizi_bench.core import PLAIN
from laizi_bench.measure import Case, Measurement, interleave

__all__ = ["SHARED_KICKERS", "PeerResult", "measure"]

SHARED_KICKERS = {"kick.strict": ["no_rocket", "no_equal_pairs", "no_body_run"], "kick.plane_equal": 3}
"""Kickers as RLCard and DouZero have them: 27,471 plays of the full pack."""


@dataclass(frozen=True)
class PeerResult:
    """One question put to a peer and to laizi."""

    peer: str
    question: str
    ours: Measurement
    theirs: Measurement
    asked: int
    differ: int
    example: str
    """The first hand on which the answers differ, with both answers; empty where none does."""

    @property
    def ratio(self) -> float:
        """How many times as fast laizi is, by medians of this run."""
        return self.ours.median / self.theirs.median

    def text(self) -> str:
        """Return the result as two lines for a person, three where answers differ."""
        rates = f"laizi {self.ours.median:13,.0f}/s   {self.peer} {self.theirs.median:11,.0f}/s   {self.ratio:9,.1f} ×"
        lines = [
            f"{self.peer}: {self.question}",
            f"  {rates}   answers differ on {self.differ} of {self.asked}",
        ]
        return "\n".join([*lines, f"  e.g. {self.example}"] if self.example else lines)

    def plain(self) -> dict[str, Any]:
        """Return the result as JSON holds it."""
        return {
            "peer": self.peer,
            "question": self.question,
            "ours": self.ours.plain(),
            "theirs": self.theirs.plain(),
            "ratio": round(self.ratio, 2),
            "asked": self.asked,
            "differ": self.differ,
            "example": self.example,
        }


@dataclass(frozen=True)
class _Question:
    peer: str
    question: str
    asked: Sequence[str]
    """The hands as a person reads them."""
    ours: Callable[[], list[Any]]
    theirs: Callable[[], list[Any]]
    timed: Callable[[], object] | None = None
    """What of ours is timed, where making the answers comparable takes longer than answering."""


def measure(seed: int, size: int, rounds: int) -> list[PeerResult]:
    """Ask every installed peer, on ``size`` hands of its question."""
    found = []
    for module, questions in _PEERS:
        try:
            importlib.import_module(module)
        except ImportError:
            continue
        found += [_ask(question, rounds) for question in questions(random.Random(seed), size)]
    return found


def _ask(question: _Question, rounds: int) -> PeerResult:
    size = len(question.asked)
    ours, theirs = interleave(
        [Case("laizi", size, question.timed or question.ours), Case(question.peer, size, question.theirs)], rounds
    )
    answers = list(zip(question.asked, question.ours(), question.theirs(), strict=True))
    differ = [(hand, mine, other) for hand, mine, other in answers if mine != other]
    example = f"{differ[0][0]}: laizi {differ[0][1]}, {question.peer} {differ[0][2]}" if differ else ""
    return PeerResult(question.peer, question.question, ours, theirs, size, len(differ), example)


def _leads(peer: str, hands: Sequence[Sequence[int]], theirs: Callable[[], list[Any]]) -> _Question:
    """Ask how many distinct plays lead from each hand; the listing of all of them is timed."""
    rows = b"".join(deals.row_of(list(hand), None) for hand in hands)
    evaluator = doudizhu.Evaluator(rules.load("classic", SHARED_KICKERS))
    return _Question(
        peer,
        "the plays that lead from 20 cards, no wilds",
        [_text(hand) for hand in hands],
        lambda: [len(plays) for plays in _selections(evaluator, rows)],
        theirs,
        lambda: [evaluator.play_rows(rows[at : at + 16]) for at in range(0, len(rows), 16)],
    )


def _deals(rng: random.Random, size: int) -> list[list[int]]:
    return [sorted(deals.deal_cards(rng)) for _ in range(size)]


def _selections(evaluator: doudizhu.Evaluator, rows: bytes) -> Iterator[set[bytes]]:
    """Yield for each hand the distinct selections of cards among its plays."""
    counts, cards, _, _ = evaluator.play_rows(rows)
    at = 0
    for index in range(0, len(counts), 4):
        number = int.from_bytes(counts[index : index + 4], "little")
        yield {cards[16 * play : 16 * play + 16] for play in range(at, at + number)}
        at += number


def _text(hand: Sequence[int]) -> str:
    return "".join(RANKS[rank] for rank in hand)


def _rlcard(rng: random.Random, size: int) -> Iterator[_Question]:
    from rlcard.games.doudizhu.judger import DoudizhuJudger

    hands = _deals(rng, size)
    names = [_text(hand).replace("X", "B").replace("Y", "R") for hand in hands]
    yield _leads("rlcard", hands, lambda: [len(DoudizhuJudger.playable_cards_from_hand(name)) for name in names])


def _douzero(rng: random.Random, size: int) -> Iterator[_Question]:
    from douzero.env.move_generator import MovesGener

    hands = _deals(rng, size)
    values = [[*range(3, 15), 17, 20, 30][rank] for rank in range(15)]
    cards = [[values[rank] for rank in hand] for hand in hands]
    yield _leads(
        "douzero",
        hands,
        lambda: [len({tuple(sorted(move)) for move in MovesGener(list(hand)).gen_moves()}) for hand in cards],
    )


def _open_spiel(rng: random.Random, size: int) -> Iterator[_Question]:
    import pyspiel

    game = pyspiel.load_game("dou_dizhu")
    states, hands = [], []
    for _ in range(size):
        state = game.new_initial_state()
        while state.is_chance_node() or max(state.legal_actions()) <= 3:
            if state.is_chance_node():
                state.apply_action(rng.choice([action for action, _ in state.chance_outcomes()]))
            else:
                state.apply_action(max(state.legal_actions()))
        states.append(state)
        # The first thirteen distinct single cards, pairs, triples and fours tell the whole hand.
        plays = [state.action_to_string(action) for action in state.legal_actions()]
        held = {rank: max((len(play) for play in plays if set(play) == {rank}), default=0) for rank in RANKS[:13]}
        hand = [RANKS.index(rank) for rank, count in held.items() for _ in range(count)]
        hand += [13] * any("(BWJ)" in play for play in plays) + [14] * any("(CJ)" in play for play in plays)
        hands.append(sorted(hand))
    yield _leads("open_spiel", hands, lambda: [len(state.legal_actions()) for state in states])


def _hands(rng: random.Random, size: int) -> list[bytes]:
    rows = deals.hands_of_tiles(rng.randrange(2**32), size, most_wilds=0).rows
    return [rows[at : at + 34] for at in range(0, len(rows), 34)]


def _tiles(counts: bytes) -> str:
    return "".join(f"{tile % 9 + 1}{'mpsz'[tile // 9]}" for tile in range(34) for _ in range(counts[tile]))


def _evaluator(shapes: list[str]) -> mahjong.Evaluator:
    return mahjong.Evaluator(rules.load("guangdong_gui", {**PLAIN, "hu.shapes": shapes, "wild.source": "none"}))


def _signed(column: bytes) -> list[int]:
    return [value - 256 if value > 127 else value for value in column]


def _mahjong(rng: random.Random, size: int) -> Iterator[_Question]:
    from mahjong.agari import Agari
    from mahjong.shanten import Shanten

    hands = _hands(rng, size)
    rows, lists, names = b"".join(hands), [list(hand) for hand in hands], [_tiles(hand) for hand in hands]
    both, standard = _evaluator(["standard", "seven_pairs"]), _evaluator(["standard"])
    yield _Question(
        "mahjong",
        "is it a win (melds and a pair, or seven pairs), no wilds",
        names,
        lambda: [bool(hu) for hu in both.hu_rows(rows)[0]],
        lambda: [bool(Agari.is_agari(hand)) for hand in lists],
    )
    yield _Question(
        "mahjong",
        "shanten of melds and a pair, no wilds",
        names,
        lambda: _signed(standard.shanten_rows(rows)[0]),
        lambda: [Shanten.calculate_shanten_for_regular_hand(hand) for hand in lists],
    )


def _riichienv(rng: random.Random, size: int) -> Iterator[_Question]:
    import riichienv

    hands = _hands(rng, size)
    rows, names = b"".join(hands), [_tiles(hand) for hand in hands]
    ids = [[4 * tile + copy for tile in range(34) for copy in range(hand[tile])] for hand in hands]
    both = _evaluator(["standard", "seven_pairs"])
    yield _Question(
        "riichienv",
        "shanten (it also counts thirteen orphans), no wilds",
        names,
        lambda: _signed(both.shanten_rows(rows)[0]),
        lambda: [riichienv.calculate_shanten(hand) for hand in ids],
    )


def _cmajiang(rng: random.Random, size: int) -> Iterator[_Question]:
    import cmajiang

    hands = _hands(rng, size)
    rows, names = b"".join(hands), [_tiles(hand) for hand in hands]
    given = [
        cmajiang.Shoupai(
            "".join(
                suit + "".join(str(tile - first + 1) * hand[tile] for tile in range(first, min(first + 9, 34)))
                for suit, first in (("m", 0), ("p", 9), ("s", 18), ("z", 27))
            )
        )
        for hand in hands
    ]
    both = _evaluator(["standard", "seven_pairs"])
    yield _Question(
        "cmajiang",
        "shanten (it also counts thirteen orphans), no wilds",
        names,
        lambda: _signed(both.shanten_rows(rows)[0]),
        lambda: [cmajiang.xiangting(hand) for hand in given],
    )


_PEERS: Sequence[tuple[str, Callable[[random.Random, int], Iterator[_Question]]]] = (
    ("rlcard", _rlcard),
    ("douzero", _douzero),
    ("pyspiel", _open_spiel),
    ("mahjong", _mahjong),
    ("riichienv", _riichienv),
    ("cmajiang", _cmajiang),
)
