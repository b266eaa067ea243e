"""How many different plays of at most 20 cards the whole pack holds under each setting of the kickers, and which.

No card is wild. Equal cards of a rank are not told apart, and cards with two readings are two plays.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import pytest

from laizi import rules
from laizi.cards import COPIES, Cards
from laizi.doudizhu import Evaluator
from tests.doudizhu.entrances import ALL_READINGS
from tests.oracle.doudizhu import Oracle

HAND = 20
EVERYTHING = 1 << 40
BARE = {"single": 15, "pair": 13, "triple": 13, "straight": 36, "pair_straight": 52, "plane": 45}
BARE |= {"bomb": 13, "rocket": 1}
CARRYING = "triple_1", "triple_2", "plane_1", "plane_2", "four_2", "four_22"


class Setting(NamedTuple):
    """Options of the kickers, how many plays of the types in CARRYING they allow, and the digest of all plays."""

    options: dict[str, object]
    carrying: tuple[int, ...]
    digest: str


SETTINGS = {
    # The kickers of RLCard and DouZero, whose 27,471 plays are public by type.
    "as RLCard": Setting(
        {"kick.strict": ["no_rocket", "no_equal_pairs", "no_body_run"]},
        (182, 156, 21_822, 2_939, 1_326, 858),
        "9b7f6db4b710cad8",
    ),
    "default": Setting({}, (182, 156, 24_064, 2_939, 1_339, 858), "ce17df6b9e3df967"),
    "equal pairs": Setting({"kick.strict": []}, (182, 156, 24_064, 6_552, 1_339, 1_014), "3d1543155bd1381e"),
    "all different": Setting(
        {"kick.plane_equal": 1, "kick.quad_equal": 1}, (182, 156, 8_044, 2_939, 1_183, 858), "9ae5ceb584a571fc"
    ),
    "two equal": Setting({"kick.plane_equal": 2}, (182, 156, 20_402, 2_939, 1_339, 858), "91acdbee7b92abc7"),
    "four equal": Setting({"kick.plane_equal": 4}, (182, 156, 24_721, 2_939, 1_339, 858), "6db6aab906852bb2"),
    "of a body rank": Setting({"kick.body_rank": ["plane"]}, (195, 156, 84_944, 2_939, 1_339, 858), "95a876675cfd5372"),
    "pairs only": Setting({"kick.plane": ["pair"], "kick.quad": []}, (182, 156, 0, 2_939, 0, 0), "f73442887e48a5d7"),
}


def _digest(plays: Iterable[tuple[str, str]]) -> str:
    return hashlib.sha256("\n".join(sorted(map(" ".join, plays))).encode()).hexdigest()[:16]


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_plays_of_the_pack(setting):
    evaluator = Evaluator(rules.load("classic", setting.options), max_cards=54)
    pack = Cards(COPIES).word()
    plays = [
        (Cards.from_word(cards).text(), str(one))
        for one in ALL_READINGS
        if one.size <= HAND and evaluator.is_plausible(one.code)
        for cards, _ in evaluator.expanded(one.code, pack, 0, True, EVERYTHING)
    ]
    expected = {**BARE, **dict(zip(CARRYING, setting.carrying, strict=True))}
    assert Counter(one.split(":")[0] for _, one in plays) == Counter(expected)
    assert len(set(plays)) == len(plays)
    assert _digest(plays) == setting.digest


def test_the_oracle_counts_the_same():
    setting = SETTINGS["as RLCard"]
    oracle = Oracle(rules.load("classic", setting.options))
    plays = [(str(cards), str(one)) for cards, one in oracle.plays_of_pack(HAND)]
    assert len(plays) == 27_471 == sum(BARE.values()) + sum(setting.carrying)
    assert _digest(plays) == setting.digest
