"""One axis as a search walks along it: its values in order, or a range, and what lies beside a value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

from blocktime.model.units import unit_of
from blocktime.scenarios.sweeps.design import whole_ends
from blocktime.scenarios.sweeps.sweep_spec import Axis

DIGITS: Final = 6
"""To which reals are rounded, so that a value can be written down and asked for again."""
NEAR: Final = 1e-3
"""Of a range of reals, the distance of a neighbour."""
STEPS: Final = 64
"""Sizes of a range change by a power of two that is at most such a part of the least."""
MOST_HALVINGS: Final = 60


class AnswerAt(Protocol):
    """What a scenario answers at one value of the axis."""

    @property
    def value(self) -> Any:
        """The value of the axis."""


A = TypeVar("A", bound=AnswerAt)


class Along:
    """The values of an axis, and shares from 0 to 1 of its range; the first declared is the lowest of words."""

    def __init__(self, axis: Axis, is_whole: bool) -> None:
        self.key = axis.key
        self.is_log = axis.scale == "log"
        self.is_ordered = True
        self.values: Sequence[Any] | None = None
        """All that it can take; None for a range of reals."""
        if axis.values is not None:
            self.is_ordered = not any(isinstance(value, bool | str) for value in axis.values)
            values = list(dict.fromkeys(axis.values))
            self.values = sorted(values) if self.is_ordered else values
        elif is_whole:
            least, most = whole_ends(axis)
            step = _step(axis.key, least, most)
            self.values = range(least, most + 1, step)
        else:
            self._low, self._high = (float(end) for end in axis.ends)

    @property
    def count(self) -> float:
        """How many values there are; infinite for a range of reals."""
        return math.inf if self.values is None else len(self.values)

    @property
    def is_counted(self) -> bool:
        """Whether a search goes by the number of a value, instead of by its share of the range."""
        return self.values is not None and not self.is_log

    @property
    def ends(self) -> tuple[Any, Any]:
        """The lowest and the highest value."""
        return (self.values[0], self.values[-1]) if self.values is not None else (self._low, self._high)

    @property
    def span(self) -> tuple[float, float]:
        """Between which numbers a search moves."""
        return (0.0, self.count - 1) if self.is_counted else (0.0, 1.0)

    def at(self, place: float) -> Any:
        """The value at a place of the span."""
        if self.values is None:
            return min(max(_rounded(self._between(place)), self._low), self._high)
        if not self.is_log:
            return self.values[round(place)]
        low, high = self.ends
        wanted = math.exp(math.log(low) + place * (math.log(high) - math.log(low)))
        return self.values[min(max(round((wanted - low) * (self.count - 1) / (high - low)), 0), len(self.values) - 1)]

    def place(self, value: Any) -> float | None:
        """Where in the span a value stands; None for one that is not on the axis."""
        if self.is_counted:
            return float(self.values.index(value)) if self.values and value in self.values else None
        low, high = self.ends
        if isinstance(value, bool | str) or value is None or not low <= value <= high:
            return None
        if self.is_log:
            return (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
        return float((value - low) / (high - low))

    def beside(self, value: Any) -> list[Any]:
        """The neighbours of a value: the next on both sides, or all others of words."""
        if not self.is_ordered:
            return [other for other in self.values or () if other != value]
        if self.values is not None:
            at = self.values.index(value)
            return [self.values[place] for place in (at - 1, at + 1) if 0 <= place < len(self.values)]
        place = self.place(value) or 0.0
        near = (self.at(min(max(place + step, 0.0), 1.0)) for step in (-NEAR, NEAR))
        return [other for other in near if other != value]

    def scan(self, count: int) -> list[Any]:
        """About so many values in order, both ends among them; by equal ratios where the range is wide."""
        low, high = self.ends
        if self.values is not None and len(self.values) <= count:
            return list(self.values)
        by_ratio = low > 0 and high / low >= STEPS
        shares = [step / (count - 1) for step in range(count)]
        wanted = [low * (high / low) ** share if by_ratio else low + share * (high - low) for share in shares]
        if self.values is None:
            return [low, *(_rounded(value) for value in wanted[1:-1]), high]
        last = len(self.values) - 1
        if isinstance(self.values, range):
            places = [round((value - low) / self.values.step) for value in wanted]
        else:
            places = [round(share * last) for share in shares]
        return [self.values[min(place, last)] for place in dict.fromkeys(places)]

    def halved(
        self, first: A, other: A, ask: Callable[[Any], A], is_like_first: Callable[[A], bool | None]
    ) -> tuple[A, A]:
        """The stretch between two answers that differ, as short as it can be.

        None of *is_like_first* says that an answer is like neither: the halving ends there.
        """
        for _ in range(MOST_HALVINGS):
            middle = self.between(*sorted((first.value, other.value)))
            if middle is None:
                break
            answer = ask(middle)
            is_like = is_like_first(answer)
            if is_like is None:
                break
            first, other = (answer, other) if is_like else (first, answer)
        return first, other

    def between(self, low_value: Any, other: Any) -> Any | None:
        """A value halfway between two; None where there is none."""
        if self.values is not None:
            first, last = self.values.index(low_value), self.values.index(other)
            return self.values[(first + last) // 2] if last - first > 1 else None
        by_ratio = low_value > 0 and other / low_value > 2
        middle = _rounded(math.sqrt(low_value * other) if by_ratio else (low_value + other) / 2)
        return middle if low_value < middle < other else None

    def _between(self, share: float) -> float:
        if self.is_log:
            return math.exp(math.log(self._low) + share * (math.log(self._high) - math.log(self._low)))
        return self._low + share * (self._high - self._low)


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _step(key: str, least: int, most: int) -> int:
    """By how much neighbours of a whole range differ: 1, but for sizes a power of two that divides both ends."""
    if unit_of(key) != "bytes" or least <= 0:
        return 1
    step = 1
    while 2 * step * STEPS <= least and least % (2 * step) == 0 and (most - least) % (2 * step) == 0:
        step *= 2
    return step
