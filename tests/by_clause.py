"""Tests that carry the clauses they show in their name."""

from collections.abc import Callable
from typing import Any

import pytest

Check = Callable[[], object]


class Checks:
    """Functions by the clauses that they show: ``@shows("D6-45")`` keeps one, `params` makes tests of all.

    A test whose own name told the clauses would not do: a clause id is no Python name.
    """

    def __init__(self) -> None:
        self._checks: list[tuple[str, Check]] = []

    def __call__(self, *clauses: str) -> Callable[[Check], Check]:
        def keep(check: Check) -> Check:
            self._checks.append((",".join(clauses), check))
            return check

        return keep

    def params(self) -> list[Any]:
        """pytest parameters, each with its clauses as the id."""
        return [pytest.param(check, id=clauses) for clauses, check in self._checks]
