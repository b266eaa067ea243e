"""MahjongService: wins, waits and shanten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from laizi_service.rule_sets import RuleSets
from laizi_service.settings import Settings

__all__ = ["MahjongHandlers"]


class MahjongHandlers:
    """The methods of MahjongService."""

    game: ClassVar = "mahjong"
    operations: ClassVar[Mapping[str, str]] = {}

    def __init__(self, rule_sets: RuleSets, settings: Settings) -> None:
        self._rule_sets = rule_sets
        self._settings = settings
