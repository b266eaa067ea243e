"""The fast paths answer what the plain loops answer, on more plays and hands than the oracle has time for."""

import random
import struct
from collections.abc import Sequence

import pytest

from laizi import rules
from laizi.cards import COPIES
from laizi.doudizhu import Evaluator, Reading
from tests.doudizhu import entrances
from tests.doudizhu.entrances import ALL_READINGS
from tests.doudizhu.hands import random_table

CARDS_OF_A_TABLE = 200


def _random_words(rng: random.Random, evaluator: Evaluator) -> tuple[int, int]:
    """Natural and wild cards of few neighbouring ranks, at most 20."""
    caps = evaluator.wilds.caps()
    first, span = rng.randrange(13), rng.randint(1, 7)
    ranks = [*range(first, min(first + span, 13)), *rng.sample(range(15), 2)]
    pack = [(rank, copy < caps[rank]) for rank in set(ranks) for copy in range(COPIES[rank])]
    pack += [(rank, True) for rank in range(15) if rank not in ranks for _ in range(caps[rank])]
    words = [0, 0]
    for rank, wild in rng.sample(pack, min(len(pack), rng.randint(1, 20))):
        words[wild] += 1 << 4 * rank
    return words[0], words[1]


def test_readings(rng, samples):
    for _ in range(samples(100)):
        table = random_table(rng)
        evaluator = entrances.evaluator(table)
        for _ in range(CARDS_OF_A_TABLE):
            words, last = _random_words(rng, evaluator), rng.random() < 0.3
            assert evaluator.codes(*words, last) == evaluator.codes_exactly(*words, last), f"{words} {table}"


def test_hands(rng, samples):
    for _ in range(samples(40)):
        table = random_table(rng)
        evaluator = entrances.evaluator(table)
        if evaluator.bars_soft or evaluator.last_differs or evaluator.leads_no_bombs:
            continue  # `groups_exactly` does not ask for these.
        plausible = [one.code for one in ALL_READINGS if evaluator.is_plausible(one.code)]
        for _ in range(10):
            words = _random_words(rng, evaluator)
            told = f"{words} {table}"
            row = struct.pack("<QQ", *words)
            for previous in (0, *rng.sample(plausible, 3)):
                exact = evaluator.groups_exactly(*words, previous)
                counts, codes, errors = evaluator.group_rows(row, struct.pack("<H", previous))
                assert not any(errors)
                assert sorted(struct.unpack(f"<{len(exact)}H", codes)) == exact, told
                assert struct.unpack("<H", counts) == (len(exact),), told
                if previous:
                    found, _ = evaluator.beatable_rows(struct.pack("<H", previous), row)
                    assert list(found) == [bool(exact)], f"{Reading.from_code(previous)} {told}"
            counts, cards, read, _ = evaluator.play_rows(row)
            (number,) = struct.unpack("<I", counts)
            assert number == sum(evaluator.count(code, *words, True) for code in evaluator.groups_exactly(*words)), told
            assert len({(cards[16 * i : 16 * i + 16], read[2 * i : 2 * i + 2]) for i in range(number)}) == number, told


@pytest.mark.parametrize("wilds", [0, 4])
def test_a_batch_is_its_rows(rng, wilds):
    evaluator = Evaluator(rules.load("huanle"), "5" if wilds else "")
    pack = [rank for rank in range(15) if rank != 2 for _ in range(COPIES[rank])]
    drawn = [rng.sample(pack, 20 - wilds) for _ in range(120)]
    hands = [struct.pack("<QQ", sum(1 << 4 * rank for rank in ranks), wilds << 8) for ranks in drawn]
    hands[7] = bytes(16)
    plausible = [one.code for one in ALL_READINGS if evaluator.is_plausible(one.code)]
    _, cards, _, _ = evaluator.play_rows(hands[0], None, 40)
    plays = [cards[at : at + 16] for at in range(0, len(cards), 16)] + hands[:10]
    tables = [struct.pack("<H", rng.choice(plausible)) for _ in range(max(len(hands), len(plays)))]
    _same([evaluator.read_rows(row) for row in plays], evaluator.read_rows(b"".join(plays)))
    _same([evaluator.group_rows(row) for row in hands], evaluator.group_rows(b"".join(hands)))
    few = hands[:10]
    _same([evaluator.play_rows(row) for row in few], evaluator.play_rows(b"".join(few)))
    for answer, rows in (
        (evaluator.compare_rows, plays),
        (evaluator.beatable_rows, hands),
        (lambda table, row: evaluator.group_rows(row, table), hands),
        (lambda table, row: evaluator.play_rows(row, table), few),
    ):
        before = tables[: len(rows)]
        alone = [answer(table, row) for table, row in zip(before, rows, strict=True)]
        _same(alone, answer(b"".join(before), b"".join(rows)))


def _same(alone: Sequence[Sequence[bytes | bytearray]], batch: Sequence[bytes | bytearray]) -> None:
    """Each column of a batch is those of its rows, one after the other."""
    assert list(batch) == [b"".join(columns) for columns in zip(*alone, strict=True)]
