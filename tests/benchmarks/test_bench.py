"""`laizi bench`: it measures what it says, on the same hands every time, and says what it cannot do."""

import functools
import json
import random
import struct
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from laizi import doudizhu, mahjong, rules
from laizi.v1 import doudizhu_pb2, mahjong_pb2
from laizi_bench import batches, core, deals, measure, peers
from laizi_bench.cli import bench

KERNELS = {
    "ddz read, batch",
    "ddz read, one call each",
    "ddz compare, batch",
    "ddz can beat, batch",
    "ddz list grouped, 0 wilds",
    "ddz list grouped, 2 wilds",
    "ddz list grouped, 4 wilds",
    "ddz list expanded, 0 wilds",
    "mj hu, batch",
    "mj hu, one call each",
    "mj hu, pair of 2 5 8",
    "mj hu, four copies at most",
    "mj waits, batch",
    "mj shanten, batch",
    "mj check hu with types, batch",
}


def test_core_measures_each_kernel_and_prints_one_json_object():
    result = CliRunner().invoke(bench, ["core", "--size", "1000", "--rounds", "2", "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.output)
    assert {one["name"] for one in told["results"]} == KERNELS
    for one in told["results"]:
        assert one["items"] > 0
        assert len(one["metrics"]["per_second"]) == 2
        assert 0 < one["min"] <= one["median"] <= one["max"]
    assert set(told["machine"]) == {"laizi", "python", "processor", "system"}


def test_core_prints_a_table_with_ratios():
    result = CliRunner().invoke(bench, ["core", "--game", "mahjong", "--size", "1000", "--rounds", "1"])
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert "million a second" in lines[0]
    assert any(line.startswith("mj waits, batch") and "× mj hu, batch" in line for line in lines)
    assert not any(line.startswith("ddz") for line in lines)


def test_replay_measures_columns_beside_full_answers():
    result = CliRunner().invoke(bench, ["replay", "--size", "100", "--rounds", "1", "--json"])
    assert result.exit_code == 0, result.output
    told = {one["name"]: one for one in json.loads(result.output)["results"]}
    for kind in ("read_play", "check_hu"):
        assert told[f"replay {kind}, columns"]["median"] > 0
        assert told[f"replay {kind}, columns"]["beside"] == f"replay {kind}, full"


def test_every_batch_stands_beside_the_generated_classes_with_the_same_answer():
    result = CliRunner().invoke(bench, ["batches", "--size", "20", "--rounds", "1", "--json"])
    assert result.exit_code == 0, result.output
    told = {one["name"]: one for one in json.loads(result.output)["results"]}
    services = (doudizhu_pb2.DESCRIPTOR, mahjong_pb2.DESCRIPTOR)
    names = [name for file in services for one in file.services_by_name.values() for name in one.methods_by_name]
    for name in (name for name in names if name.startswith("Batch")):
        assert told[name]["beside"] == f"{name}, generated classes"
    made = list(batches.cases(1, 20))
    for generated, ours in zip(made[::2], made[1::2], strict=True):
        answer: Any = ours.run()
        assert generated.run() == answer
        assert b"error" not in answer


def test_plays_are_real_seeded_and_mixed():
    first, second = deals.play_workload(7, 1000), deals.play_workload(7, 1000)
    assert [one.rows for one in first] == [one.rows for one in second]
    assert [one.rows for one in first] != [one.rows for one in deals.play_workload(8, 1000)]
    legal = 0
    for one in first:
        counts, _, errors = one.evaluator.read_rows(one.rows)
        assert not any(errors)
        assert not any(one.evaluator.compare_rows(one.previous, one.rows)[1])
        legal += sum(count > 0 for count in counts)
    total = sum(map(len, first))
    assert 0.5 * total <= legal < total


@pytest.mark.parametrize("wilds", [0, 2, 4])
def test_leads_hold_twenty_cards_with_so_many_wilds(wilds):
    for hands in deals.leads(3, 130, wilds):
        for naturals, wild in struct.iter_unpack("<QQ", hands.rows):
            counts = [word >> 4 * rank & 15 for word in (naturals, wild) for rank in range(15)]
            assert sum(counts) == 20
            assert sum(counts[15:]) == wilds
        assert not any(hands.evaluator.group_rows(hands.rows)[2])


def test_a_third_of_the_mahjong_hands_was_made_to_win():
    hands = deals.hands_of_tiles(5, 900)
    evaluator = core.mahjong_evaluators()["plain"]
    hu, errors = evaluator.hu_rows(hands.rows)
    assert not any(errors)
    assert all(hu[index] for index in range(1, 900, 3))
    assert not all(hu)
    assert not any(evaluator.waits_rows(hands.waiting)[1])
    assert all(sum(hands.rows[at : at + 34]) == 14 for at in range(0, len(hands.rows), 34))


def test_rounds_are_interleaved_after_a_warm_up():
    seen: list[str] = []
    cases = [measure.Case(name, 1, functools.partial(seen.append, name)) for name in "ab"]
    measured = measure.interleave(cases, 2)
    assert seen == ["a", "b", "a", "b", "a", "b"]
    assert [len(one.rates) for one in measured] == [2, 2]


def test_a_yardstick_that_does_not_build_is_told_by_name(tmp_path):
    for name in ("ddz_limit.c", "ddz_hands.py", "mahjong_limit.c", "mahjong_hands.c"):
        (tmp_path / name).write_text("#error no such processor\n", encoding="ascii")
    result = CliRunner().invoke(bench, ["core", "--yardstick", str(tmp_path)])
    assert result.exit_code == 1
    assert "mahjong: no yardstick here: cc mahjong_hands.c: " in result.output
    assert "no such processor" in result.output
    assert "no yardstick could be run" in result.output


def test_a_yardstick_is_measured_on_its_own_hands(tmp_path):
    """A stand-in for the C programs: it prints what they print, and its hands are those that are read."""
    hand = bytes([3, 3, 3, 3, 2, *[0] * 29])
    (tmp_path / "mahjong_hands.c").write_text(
        '#include <stdio.h>\nint main(void){FILE*f=fopen("hands.bin","wb");unsigned char c[36]={3,3,3,3,2};'
        "for(int i=0;i<100;i++)fwrite(c,1,36,f);return fclose(f);}\n",
        encoding="ascii",
    )
    line = "%-34s median 50.0 M/s (min 40.0 max 60.0) hu=100"
    (tmp_path / "mahjong_limit.c").write_text(
        f'#include <stdio.h>\nint main(void){{printf("{line}\\n","hu scalar from 34 counts");return 0;}}\n',
        encoding="ascii",
    )
    result = CliRunner().invoke(
        bench, ["core", "--game", "mahjong", "--yardstick", str(tmp_path), "--rounds", "1", "--json"]
    )
    assert result.exit_code == 0, result.output
    told = {one["name"]: one for one in json.loads(result.output)["results"]}
    assert told["yardstick hu scalar from 34 counts"]["median"] == 50_000_000
    assert told["mj hu, batch"]["beside"] == "yardstick hu scalar from 34 counts"
    assert told["mj hu, batch"]["items"] == 100
    assert core.mahjong_evaluators()["plain"].is_hu(hand)


def test_peers_that_are_not_installed_are_named(monkeypatch):
    for module in ("rlcard", "douzero", "pyspiel", "mahjong", "riichienv", "cmajiang"):
        monkeypatch.setitem(sys.modules, module, None)
    result = CliRunner().invoke(bench, ["peers"])
    assert result.exit_code == 1
    assert "pip install 'laizi[peers]'" in result.output


def test_a_peer_is_asked_the_same_hands_and_its_differences_are_counted(monkeypatch):
    """A peer that says no to every hand differs from laizi exactly on the wins."""
    agari, shanten = types.ModuleType("mahjong.agari"), types.ModuleType("mahjong.shanten")
    standard = mahjong.Evaluator(rules.load("guangdong_gui", {**core.PLAIN, "wild.source": "none"}))

    class Agari:
        @staticmethod
        def is_agari(hand):
            return False

    class Shanten:
        @staticmethod
        def calculate_shanten_for_regular_hand(hand):
            (value,) = struct.unpack("b", standard.shanten_rows(bytes(hand))[0])
            return value

    vars(agari)["Agari"], vars(shanten)["Shanten"] = Agari, Shanten
    monkeypatch.setitem(sys.modules, "mahjong", types.ModuleType("mahjong"))
    monkeypatch.setitem(sys.modules, "mahjong.agari", agari)
    monkeypatch.setitem(sys.modules, "mahjong.shanten", shanten)
    for module in ("rlcard", "douzero", "pyspiel", "riichienv", "cmajiang"):
        monkeypatch.setitem(sys.modules, module, None)
    wins, distance = peers.measure(1, 150, 1)
    assert (wins.asked, distance.differ) == (150, 0)
    assert 50 <= wins.differ < 150
    assert "laizi True, mahjong False" in wins.text()
    assert Path(peers.__file__).is_file()


def test_our_count_of_leads_is_that_of_list_plays():
    rng = random.Random(2)
    hands = [sorted(deals.deal_cards(rng)) for _ in range(5)]
    question = peers._leads("none", hands, list)
    evaluator = doudizhu.Evaluator(rules.load("classic", peers.SHARED_KICKERS))
    listed = [{play.cards.text() for play in evaluator.list_plays(hand, expand=True).plays} for hand in question.asked]
    assert question.ours() == [len(selections) for selections in listed]
