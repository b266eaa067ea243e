"""The compiled form of Dou Dizhu rules."""

from typing import Any, Self

class Compiled:
    """What `laizi.doudizhu.compiling` makes of the rules, in a C struct."""

    max_cards: int
    """Most cards of a play or a hand."""
    last_differs: bool
    """Whether the last play of a hand has rules of its own."""
    undetermined: bool
    """Whether the rules have wilds and none is named yet."""

    def __new__(
        cls,
        *,
        rules: dict[str, Any],
        last: dict[str, Any],
        natural_caps: int,
        wild_caps: int,
        max_cards: int,
        undetermined: bool,
    ) -> Self: ...
