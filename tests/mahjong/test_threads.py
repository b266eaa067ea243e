"""One evaluator, many threads: every answer is that of its own hand."""

from concurrent import futures

from laizi import rules
from laizi.mahjong import Evaluator

HANDS = (
    "123m456p789s11z555m",
    "111222333m44p666s",
    "123456789m13p55s2p",
    "19m19p19s1234567z1m",
    "22m33m44p55p66s77s88s",
)


def test_threads_may_share_an_evaluator():
    evaluator = Evaluator(rules.load("guangdong_gui"), wilds="5p")
    alone = [evaluator.check_hu(hand, all_decompositions=True) for hand in HANDS]
    with futures.ThreadPoolExecutor(8) as pool:
        shared = list(pool.map(lambda hand: evaluator.check_hu(hand, all_decompositions=True), HANDS * 200))
    assert shared == alone * 200
