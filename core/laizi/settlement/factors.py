"""The steps of a settlement: exact numbers, each step with the clauses that it applies, so that a bill can be replayed.

>>> steps = Steps()
>>> steps.set("base", 3, text="bid 3", text_zh="叫3分")
>>> steps.multiply("bomb.hard", 4, text="hard bomb ×4", text_zh="硬炸×4", clauses=("D4-14",))
>>> steps.amount, replay(steps.factors) == steps.amount
(Fraction(12, 1), True)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Literal

Number = int | Fraction


class Operation(StrEnum):
    """What a step does with the amount so far."""

    SET = "set"
    """The amount becomes the operand."""
    ADD = "add"
    """The operand is added."""
    MULTIPLY = "multiply"
    """The amount is multiplied by the operand."""
    CAP = "cap"
    """The amount becomes the operand if it is larger."""
    FLOOR = "floor"
    """The amount is cut to a whole number, towards zero."""
    ROUND = "round"
    """The amount is rounded to a whole number, halves away from zero."""


@dataclass(frozen=True, slots=True)
class Factor:
    """One step of a settlement."""

    name: str
    """A stable identifier: ``base``, ``bid``, ``rob``, ``bomb.hard``, ``spring``, ``kong.an``, ``cap`` …"""
    text: str
    """The same for people, in English."""
    text_zh: str
    """The same in Chinese."""
    operation: Operation
    operand: Fraction | None
    """None exactly where the operation is FLOOR or ROUND."""
    result: Fraction
    """The amount after this step."""
    seat: int | None = None
    """The seat whose action or holding it stems from, where there is one."""
    clauses: tuple[str, ...] = ()
    """Ids of the clauses that it applies."""


@dataclass(frozen=True, slots=True)
class Payment:
    """What one seat pays another."""

    from_seat: int
    to_seat: int
    factors: tuple[Factor, ...]
    """How the amount came about, step by step."""
    on_behalf_of: int | None = None
    """The loser in whose place ``from_seat`` pays; None when it pays for itself."""
    clauses: tuple[str, ...] = ()
    """Ids of the clauses that say who pays whom."""

    @property
    def amount(self) -> Fraction:
        """How much, in points; at least 0."""
        return self.factors[-1].result if self.factors else Fraction(0)


def apply(amount: Fraction, operation: Operation, operand: Fraction | None) -> Fraction:
    """The amount after a step."""
    if operation is Operation.FLOOR:
        return Fraction(int(amount))
    if operation is Operation.ROUND:
        whole = Fraction(int(abs(amount) + Fraction(1, 2)))
        return whole if amount >= 0 else -whole
    assert operand is not None
    match operation:
        case Operation.SET:
            return operand
        case Operation.ADD:
            return amount + operand
        case Operation.MULTIPLY:
            return amount * operand
        case Operation.CAP:
            return min(amount, operand)


def replay(factors: Iterable[Factor]) -> Fraction:
    """The amount to which steps lead, computed anew from their operations and operands."""
    amount = Fraction(0)
    for factor in factors:
        amount = apply(amount, factor.operation, factor.operand)
    return amount


def totals(payments: Iterable[Payment], seats: int) -> tuple[Fraction, ...]:
    """What each seat receives less what it pays. All seats together make 0."""
    deltas = [Fraction(0)] * seats
    for payment in payments:
        deltas[payment.from_seat] -= payment.amount
        deltas[payment.to_seat] += payment.amount
    return tuple(deltas)


class Steps:
    """An amount under way: it begins at 0, and each step is kept."""

    def __init__(self, factors: Sequence[Factor] = ()) -> None:
        """Goes on after ``factors``, from their last result."""
        self._factors = list(factors)

    @property
    def amount(self) -> Fraction:
        """The amount so far."""
        return self._factors[-1].result if self._factors else Fraction(0)

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The steps so far."""
        return tuple(self._factors)

    def set(
        self,
        name: str,
        operand: Number,
        *,
        text: str,
        text_zh: str,
        seat: int | None = None,
        clauses: tuple[str, ...] = (),
    ) -> None:
        """The amount becomes the operand."""
        self._add(Operation.SET, name, Fraction(operand), text, text_zh, seat, clauses)

    def add(
        self,
        name: str,
        operand: Number,
        *,
        text: str,
        text_zh: str,
        seat: int | None = None,
        clauses: tuple[str, ...] = (),
    ) -> None:
        """Adds the operand."""
        self._add(Operation.ADD, name, Fraction(operand), text, text_zh, seat, clauses)

    def multiply(
        self,
        name: str,
        operand: Number,
        *,
        text: str,
        text_zh: str,
        seat: int | None = None,
        clauses: tuple[str, ...] = (),
    ) -> None:
        """Multiplies by the operand. A factor of 1 decides nothing and is no step."""
        if operand != 1:
            self._add(Operation.MULTIPLY, name, Fraction(operand), text, text_zh, seat, clauses)

    def cap(self, name: str, operand: Number, *, text: str, text_zh: str, clauses: tuple[str, ...] = ()) -> None:
        """Limits the amount. A limit that is not exceeded is no step."""
        if self.amount > operand:
            self._add(Operation.CAP, name, Fraction(operand), text, text_zh, None, clauses)

    def round(self, mode: Literal["none", "floor", "nearest"], clauses: tuple[str, ...] = ()) -> None:
        """Does what the option ``score.rounding`` says with a fraction of a point. A whole amount needs no step."""
        if mode == "none" or self.amount.denominator == 1:
            return
        if mode == "floor":
            self._add(Operation.FLOOR, "rounding", None, "whole points, cut", "取整（舍去）", None, clauses)
        else:
            self._add(Operation.ROUND, "rounding", None, "whole points, rounded", "取整（四舍五入）", None, clauses)

    def _add(
        self,
        operation: Operation,
        name: str,
        operand: Fraction | None,
        text: str,
        text_zh: str,
        seat: int | None,
        clauses: tuple[str, ...],
    ) -> None:
        result = apply(self.amount, operation, operand)
        self._factors.append(Factor(name, text, text_zh, operation, operand, result, seat, clauses))
