"""What wilds stand for where the player says it."""

from laizi import rules
from laizi.doudizhu import Evaluator


def test_a_bomb_of_wilds_of_several_ranks_stands_for_what_it_shows():
    tiandi = Evaluator(rules.load("tiandi"), wild_ranks="J2")
    answer = tiandi.read_play("Jd 2d 2c 2h", target="J222")
    assert str(answer.default) == "bomb:*:4:pure"
    layout = answer.layout()
    assert layout.body.text() == "Jd 2d 2c 2h"
    assert [(one.wild.text(), one.rank) for one in layout.stand_ins] == [
        ("Jd", "J"),
        ("2d", "2"),
        ("2c", "2"),
        ("2h", "2"),
    ]
