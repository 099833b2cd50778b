"""Limits that an optimum has to keep, such as ``response_p95_s <= 50 ms``: whether, by how much, and of what."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import inf, isnan
from typing import Final

from blocktime.model.errors import SpecError, cut
from blocktime.scenarios.sweeps.conditions import Condition, ConditionMismatch, Reader, Values, number_of, parses_of

_DIRECTION: Final = {"<": 1, "<=": 1, ">": -1, ">=": -1}
LEAST: Final = -1e-12
"""The slack of ``x < 1`` where x is 1."""
BROKEN: Final = -1.0
"""The slack of a limit that does not hold, where nobody can say by how much."""


class Limit(Condition):
    """One comparison of measures and fields.

    Raises :class:`SpecError` with one sentence for a text that is none, or that asks for a measure nobody knows.
    """

    def __init__(self, text: str, measures: Collection[str], where: str = "such that") -> None:
        super().__init__(text, measures, where)
        self.names = frozenset(name for name in self.keys if "." not in name)
        """Measures that it asks for."""

    def slack(self, values: Values) -> float:
        """How far from its limit it holds, as a share of the larger side; less than 0 where it does not hold."""
        holds, only = self.holds(values), self.comparisons[0]
        if only.sign not in _DIRECTION:
            return inf if holds else BROKEN
        left, right = number_of(only.left(values)), number_of(only.right(values))
        room = _DIRECTION[only.sign] * (right - left) / (max(abs(left), abs(right)) or 1.0)
        if isnan(room):  # of a measure that the point has not
            return BROKEN
        return room if holds else min(room, LEAST)


def limits_of(texts: Sequence[str], measures: Collection[str], where: str = "such that") -> list[Limit]:
    """The limits that *texts* say, each comparison one; *where* begins the sentence of a fault."""
    every = (Limit(text, measures, where) for text in texts)
    return [Limit(comparison.text, measures, where) for whole in every for comparison in whole.comparisons]


def number_said(text: str, what: str, measure: str) -> Callable[[Values], float]:
    """The number that a product such as ``2 * base`` stands for as a value of *measure*, given *base*."""
    side = Reader(text, what, ("base",)).side(parses_of([measure]))

    def number(values: Values) -> float:
        try:
            return float(number_of(side(values)))
        except ConditionMismatch as error:
            raise SpecError(f"{what} {cut(text)!r}: {error}") from None

    return number
