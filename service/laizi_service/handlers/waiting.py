"""What a hand of mahjong waits for, and how far it is from waiting: what takes several questions to the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from laizi import tiles
from laizi.mahjong import Evaluator, HuAnswer, Improvement, Meld, Shape, Waits, WinMode
from laizi.rules import RuleSet
from laizi.tiles import Tiles
from laizi.v1 import mahjong_pb2 as pb
from laizi_service.codec import Form
from laizi_service.codec.mahjong import write_tile, write_value

__all__ = ["Waiting", "changed", "only_shape", "write_improvements"]


def changed(held: Tiles, tile: int, by: int) -> Tiles:
    """Return tiles with one more or one less of a kind."""
    counts = bytearray(held.counts)
    counts[tile] += by
    return Tiles(bytes(counts))


@dataclass(frozen=True)
class Waiting:
    """A hand of 3n+1 tiles."""

    evaluator: Evaluator
    concealed: Tiles
    melds: Sequence[Meld]
    state: Mapping[str, Any]
    """What the seat did besides its melds, as arguments of the evaluator."""

    def write(self, found: Mapping[WinMode, Waits], modes: Iterable[WinMode], used: Form) -> pb.Waits:
        """Return the tiles that win in one of the modes, each with its answer in every mode that is looked at."""
        wins = {(mode, wait.tile): wait for mode, waits in found.items() for wait in waits.waits}
        left = {tile: wait.left for (_, tile), wait in wins.items()}
        written = pb.Waits(copies_left=sum(left.values()), everything=any(waits.everything for waits in found.values()))
        for tile in sorted(left):
            wait = written.waits.add(tile=write_tile(tile, used), copies_left=left[tile])
            for mode in modes:
                answer = wins[mode, tile].answer if (mode, tile) in wins else self._check(tile, mode)
                getattr(wait, mode).CopyFrom(write_value(answer, self.evaluator.ruleset))
        return written

    def _check(self, tile: int, mode: WinMode) -> HuAnswer:
        hand = changed(self.concealed, tile, 1)
        return self.evaluator.check_hu(hand, self.melds, winning_tile=tiles.NAMES[tile], mode=mode, **self.state)


def only_shape(rule_set: RuleSet, shape: Shape) -> RuleSet:
    """Return the rules with one shape alone; the hu types that need another go with it."""
    return rule_set.with_overrides({"hu.shapes": [shape.value], "hu.types.qidui": "off", "hu.types.longqi": "off"})


def write_improvements(improvements: Iterable[Improvement], used: Form) -> list[pb.ImprovingTile]:
    """Return the tiles that bring a hand nearer."""
    return [
        pb.ImprovingTile(tile=write_tile(improvement.tile, used), copies_left=improvement.left)
        for improvement in improvements
    ]
