"""The presets say what the rulebook's preset tables say, cell by cell, and every option of theirs has its clauses."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from laizi import rules

ALL_SHAPES_OF_FOUR = [["rocket"], ["pure"], ["hard"], ["soft"]]

# Each row is an option, each column a preset.
DOUDIZHU_COLUMNS = ["points_rob", "chosen_wilds", "four_wilds", "huanle_intro", "wuhan", "tiandi", "huanle"]
DOUDIZHU: dict[str, Any] = {
    "wild.source": "random_rank chosen_cards random_rank random_rank indicator_next two_random_ranks random_rank",
    "wild.choices": [[["7d", "7h"], ["X", "Y"]]] * 7,
    "wild.alone": "natural natural natural natural forbidden natural natural",
    "wild.body": "any any any any forbidden any any",
    "wild.mixed_bomb": [False] * 5 + [True, False],
    "wild.as_joker": [False] * 7,
    "kick.triple": [["pair", "single"]] * 7,
    "kick.plane": [["pair", "single"]] * 7,
    "kick.quad": [["two_cards", "two_pairs"]] * 4 + [["two_cards"]] + [["two_cards", "two_pairs"]] * 2,
    "kick.soft_quad": [True] * 4 + [False] + [True] * 2,
    "kick.strict": [["no_equal_pairs"]] * 7,
    "kick.plane_equal": [3] * 7,
    "kick.quad_equal": [2] * 7,
    "kick.body_rank": [[]] * 7,
    "seq.single": [5] * 7,
    "seq.pair": [3] * 7,
    "seq.triple": [2] * 7,
    "seq.top": ["A"] * 7,
    "bomb.order": [
        ALL_SHAPES_OF_FOUR,
        [["rocket"], ["hard", "pure", "soft"]],
        ALL_SHAPES_OF_FOUR,
        ALL_SHAPES_OF_FOUR,
        [["rocket"], ["hard"], ["soft"]],
        ALL_SHAPES_OF_FOUR,
        ALL_SHAPES_OF_FOUR,
    ],
    "bomb.size.max": [4, 4, 4, 4, 4, 8, 4],
    "bomb.size.size_first": [False] * 5 + [True, False],
    "bomb.size.rocket": ["none"] * 7,
    "bomb.chain": ["none"] * 7,
    "read.lead_default": ["all"] * 7,
    "play.soft_bomb_if_hard_held": [True] * 7,
    "play.bare_triple": ["any"] * 7,
    "auction.mode": "points_rob points points external points external call_rob",
    "auction.must_rise": [True] * 7,
    "auction.caller_may_rob": [True] * 7,
    "auction.first": "random external external external face_up_holder external first_shower",
    "auction.all_pass": "redeal force_first_min force_first_min redeal redeal redeal first_shower_else_redeal",
    "auction.passed_may_rob": [True] * 6 + [False],
    "auction.rocket_must_max": [False] * 4 + [True] + [False] * 2,
    "show": ["off"] * 6 + ["on"],
    "show.start": [None] * 6 + [5],
    "show.deal_early": [None] * 6 + [4],
    "show.deal_late": [None] * 6 + [3],
    "show.after_bottom": [None] * 6 + [2],
    "show.deal_threshold": [None] * 6 + [9],
    "double": ["off"] * 6 + ["on"],
    "double.gate": [None] * 6 + ["beans_over"],
    "score.base": "bid bid bid one bid one one",
    "score.bomb.rocket": [2] * 7,
    "score.bomb.pure": [2] * 7,
    "score.bomb.hard": [2, 2, 2, 2, 4, 2, 2],
    "score.bomb.soft": [2] * 7,
    "score.bomb.mixed": ["none"] * 7,
    "score.bomb.chain": [2] * 7,
    "score.bomb.by_size": [{}] * 7,
    "score.bomb.cap": ["none"] * 4 + [64] + ["none"] * 2,
    "score.spring.landlord": [2, 2, 2, 2, 1, 1, 2],
    "score.spring.farmers": [2, 2, 2, 2, 1, 1, 2],
    "score.rounding": ["none"] * 7,
    "settle.flee": "off fleer_pays_all fleer_pays_all off off off off",
    "settle.stuck_wild": "off off off off landlord_loses off off",
    "settle.win_limit": "off off off off carried off off",
    "wild.indicator.index": [1] * 7,
    "wild.indicator.cycle": ["3456789TJQKA2"] * 7,
    "wild.indicator.joker_to": ["3"] * 7,
}

WINDS_AND_DRAGONS = ["z1", "z2", "z3", "z4", "z5", "z6", "z7"]
MAHJONG_COLUMNS = ["honghu", "honghu_koukou", "honghu_formula", "enshi", "enshi_simple"]


def _both(honghu: Any, enshi: Any) -> list[Any]:
    return [honghu] * 3 + [enshi] * 2


MAHJONG: dict[str, Any] = {
    "tiles.suits": [["m", "p", "s"]] * 5,
    "tiles.honours": _both(WINDS_AND_DRAGONS, []),
    "wild.source": ["indicator_next"] * 5,
    "wild.cycle.honours": _both(["z1", "z2", "z3", "z4", "z6", "z7"], []),
    "wild.cycle.exceptions": _both({"z5": "z6"}, {}),
    "wild.fixed": [[]] * 5,
    "wild.stands_for": ["any"] * 5,
    "wild.stand_in": [[]] * 5,
    "wild.limit.small": [1] * 5,
    "wild.limit.big": _both("none", 1),
    "wild.limit.gold": _both("none", 2),
    "wild.limit_basis": ["held"] * 5,
    "wild.fifth_copy": [True] * 5,
    "wild.lone_wait": [True] * 5,
    "wild.pair": ["any"] * 5,
    "wild.meld": ["any"] * 5,
    "wild.claims": [False] * 5,
    "wild.discard": _both("scores", "ban_hu"),
    "wild.kong": [4, 4, 2, 4, 4],
    "down.tiles": _both(["z5"], ["indicator"]),
    "down.discard": _both("scores", "forbidden"),
    "down.factor": [2] * 5,
    "down.block_hu": [True] * 5,
    "down.tail_forced": _both(False, True),
    "claim.chi": ["upper"] * 5,
    "claim.kong": [["an", "bu", "zhi"]] * 5,
    "claim.rob": _both("bu", "none"),
    "claim.multi": _both("dealer_order", "turn_order"),
    "claim.missed_hu": ["none"] * 5,
    "hu.must_open": _both(True, False),
    "hu.open_by": [["chi", "peng", "zhi"]] * 5,
    "hu.menqing_broken_by": [["chi", "peng", "zhi"]] * 5,
    "hu.shapes": _both(
        ["free_jiang", "free_wind", "standard"], ["dragon_seven", "free_jiang", "seven_pairs", "standard"]
    ),
    "hu.honour_runs": [[]] * 5,
    "hu.dragon_by_wild": [True] * 5,
    "hu.pair": _both("258", "any"),
    "hu.situational_pair": _both("258", "any"),
    "hu.hard_basis": ["face"] * 5,
    "hu.types.pengpenghu": _both("on", "off"),
    "hu.types.qingyise": ["on"] * 5,
    "hu.types.fengyise": _both("on", "off"),
    "hu.types.jiangyise": ["on"] * 5,
    "hu.types.quanqiuren": _both("on", "off"),
    "hu.types.menqing": _both("off", "on"),
    "hu.types.qidui": _both("off", "on"),
    "hu.types.longqi": _both("off", "on"),
    "hu.types.dandiao": _both("off", "on"),
    "hu.types.pengpenghu.base": _both(0, None),
    "hu.types.qingyise.base": _both(0, 5),
    "hu.types.fengyise.base": _both(0, None),
    "hu.types.jiangyise.base": _both(0, 5),
    "hu.types.quanqiuren.base": _both(0, None),
    "hu.types.menqing.base": _both(None, 5),
    "hu.types.qidui.base": _both(None, 5),
    "hu.types.longqi.base": _both(None, 10),
    "hu.types.dandiao.base": _both(None, 10),
    "hu.types.pengpenghu.any_pair": _both(True, None),
    "hu.types.qingyise.any_pair": _both(True, True),
    "hu.types.fengyise.any_pair": _both(True, None),
    "hu.types.jiangyise.any_pair": _both(True, True),
    "hu.types.quanqiuren.any_pair": _both(False, None),
    "hu.types.menqing.any_pair": _both(None, True),
    "hu.types.qidui.any_pair": _both(None, True),
    "hu.types.longqi.any_pair": _both(None, True),
    "hu.types.dandiao.any_pair": _both(None, True),
    "hu.types.pengpenghu.needs_discard": _both(False, None),
    "hu.types.qingyise.needs_discard": _both(False, False),
    "hu.types.fengyise.needs_discard": _both(False, None),
    "hu.types.jiangyise.needs_discard": _both(False, False),
    "hu.types.quanqiuren.needs_discard": _both(True, None),
    "hu.types.menqing.needs_discard": _both(None, False),
    "hu.types.qidui.needs_discard": _both(None, False),
    "hu.types.longqi.needs_discard": _both(None, False),
    "hu.types.dandiao.needs_discard": _both(None, False),
    "hu.situational.gang_flower": ["on"] * 5,
    "hu.situational.gang_flower.counts_as": _both("type", "factor"),
    "hu.situational.gang_flower.factor": [2] * 5,
    "hu.situational.haidi": _both("on", "off"),
    "hu.situational.haidi.counts_as": _both("type", None),
    "hu.situational.haidi.factor": _both(2, None),
    "hu.situational.rob_kong": _both("on", "off"),
    "hu.situational.rob_kong.counts_as": _both("type", None),
    "hu.situational.rob_kong.factor": _both(2, None),
    "hu.soft_small_discard": _both("allow", "need_down"),
    "hu.haidi.reserve": _both(10, 0),
    "hu.haidi.last": _both(4, 0),
    "score.small.base": [1] * 5,
    "score.small.zimo": [2] * 5,
    "score.small.feeder": [2] * 5,
    "score.small.zimo_base": ["none", "none", "none", 3, "none"],
    "score.big.base": _both(10, 1),
    "score.big.zimo": _both("3/2", 2),
    "score.big.feeder": _both("3/2", 2),
    "score.combine": _both("sum", "max"),
    "score.hard": [2] * 5,
    "score.open": ["once", "each", "once", "none", "none"],
    "score.kong.zhi": [2, 2, 4, 2, 2],
    "score.kong.bu": [2, 2, 4, 2, 2],
    "score.kong.an": [4, 4, 2, 4, 4],
    "score.payers": ["all"] * 5,
    "score.loser_factors": [True] * 5,
    "score.dealer.small": _both(2, 1),
    "score.dealer.big": [1] * 5,
    "score.zimo_on_situational": [True] * 5,
    "score.rob_kong_feeder": [False] * 5,
    "score.rounding": ["none"] * 5,
    "cap": ["on"] * 5,
    "cap.each": _both(300, 100),
    "cap.gold": ["on"] * 5,
    "cap.gold.trigger": _both(300, 120),
    "cap.gold.pay": [400, 500, 400, 120, 120],
    "cap.gold.strict": _both(True, False),
    "cap.gold.mode": ["exact"] * 5,
    "bao": _both(["rob_kong", "qqr_not_ready", "third_open_qingyise"], []),
    "dealer.next": ["winner_keeps_else_next"] * 5,
    "waits.list_wild": [True] * 5,
}

# The two presets of other regions: only what they set.
REGIONAL: dict[str, dict[str, Any]] = {
    "hongzhong": {
        "tiles.suits": ["m", "p", "s"],
        "tiles.honours": ["z5"],
        "wild.source": "fixed",
        "wild.fixed": ["z5"],
        "wild.limit.small": "none",
        "claim.chi": "none",
        "hu.pair": "any",
        "hu.shapes": ["seven_pairs", "standard"],
        "hu.must_open": False,
        "score.hard": 2,
    },
    "guangdong_gui": {
        "tiles.suits": ["m", "p", "s"],
        "tiles.honours": WINDS_AND_DRAGONS,
        "wild.source": "indicator_next",
        "wild.limit.small": "none",
        "claim.chi": "none",
        "hu.shapes": ["seven_pairs", "standard"],
        "hu.types.qingyise": "on",
        "hu.types.pengpenghu": "on",
        "hu.types.fengyise": "off",
        "score.hard": 2,
    },
}


def _cells() -> Iterator[tuple[str, str, Any]]:
    for columns, table in ((DOUDIZHU_COLUMNS, DOUDIZHU), (MAHJONG_COLUMNS, MAHJONG)):
        for option, row in table.items():
            values = row.split() if isinstance(row, str) else row
            for preset, value in zip(columns, values, strict=True):
                yield preset, option, value
    for preset, values in REGIONAL.items():
        for option, value in values.items():
            yield preset, option, value


@pytest.mark.parametrize(("preset", "option", "value"), list(_cells()), ids=lambda part: str(part)[:40])
def test_cell(preset: Any, option: Any, value: Any) -> None:
    # An option of a group that is off has no value.
    assert rules.load(preset).options().get(option) == value


@pytest.mark.parametrize(("game", "table"), [("doudizhu", DOUDIZHU), ("mahjong", MAHJONG)])
def test_the_tables_have_a_row_for_every_option(game: Any, table: Any) -> None:
    assert {option.name for option in rules.options(game)} == set(table)


def test_classic_is_huanle_without_wilds() -> None:
    classic, huanle = rules.load("classic").options(), rules.load("huanle").options()
    assert {name for name in huanle if classic[name] != huanle[name]} == {"wild.source"}
    assert classic["wild.source"] == "none"


def test_the_presets_are_the_columns_and_three_more() -> None:
    assert set(rules.presets("doudizhu")) == {*DOUDIZHU_COLUMNS, "classic"}
    assert set(rules.presets("mahjong")) == {*MAHJONG_COLUMNS, *REGIONAL}


@pytest.mark.parametrize("name", rules.presets())
def test_an_option_that_differs_from_its_default_has_a_clause(name: Any) -> None:
    rule_set = rules.load(name)
    default = rules.custom(rule_set.game, {}).options()
    for option, value in rule_set.options().items():
        if value != default.get(option) and value != "on":
            inside = [other for other in rule_set.sources if other.startswith(option + ".")]
            assert option in rule_set.sources or option.rpartition(".")[0] in rule_set.sources or inside, option


SHARED = "type.single type.pair type.triple type.triple_1 type.triple_2 type.straight type.pair_straight type.plane"
SHARED += " type.plane_1 type.plane_2 type.four_2 type.bomb type.rocket type.wild type.bomb.soft type.bomb.hard"
SHARED += " compare.rocket compare.bomb compare.same_type compare.rank compare.run compare.body compare.wild"
SHARED += (
    " wild.source wild.stands_for wild.alone wild.body bomb.order score.base score.bomb.rocket score.spring.landlord"
)


@pytest.mark.parametrize("name", rules.presets("doudizhu"))
def test_every_type_and_comparison_has_a_clause(name: Any) -> None:
    sources = rules.load(name).sources
    assert not [decision for decision in SHARED.split() if not sources.get(decision)]


@pytest.mark.parametrize("name", MAHJONG_COLUMNS)
def test_every_hu_type_and_factor_has_a_clause(name: Any) -> None:
    rule_set = rules.load(name)
    on = [option for option, value in rule_set.options().items() if option.startswith("hu.types.") and value == "on"]
    wanted = [
        *on,
        "hu.small",
        "hu.soft",
        "hu.hard",
        "hu.pair",
        "score.hard",
        "score.kong.an",
        "down.factor",
        "cap.each",
    ]
    assert on
    assert not [decision for decision in wanted if not rule_set.sources.get(decision)]


def test_a_clause_cited_by_a_rule_set_is_cited_once_and_in_order() -> None:
    huanle = rules.load("huanle")
    assert huanle.cite("bomb.order", "type.rocket", "bomb.order", "unknown") == ("D6-45", "D6-27")


def test_numbers_are_exact() -> None:
    honghu = rules.load("honghu").rules
    assert isinstance(honghu, rules.MahjongRules)
    assert honghu.score.big.zimo == Fraction(3, 2)
