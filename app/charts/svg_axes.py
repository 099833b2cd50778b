"""Axes of a figure that is drawn as SVG: where a value lies, in percent of its panel, and the ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

PAD: Final = 0.04
"""Room beside the data, of their range."""
MOST_TICKS: Final = 6
FEW_DECADES: Final = 2.0
SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass
class PanelAxis:
    """One axis: its range in its own numbers (powers of ten where it is logarithmic), or its categories."""

    spec: dict[str, Any]
    values: list[Any] = field(default_factory=list)
    """What is drawn along it; texts make it an axis of categories."""
    from_zero: bool = False
    """Whether bars stand on it."""
    wide: float = 0.0
    """Room on both sides of a value, in its own numbers, as cells of a heat map take."""

    def __post_init__(self) -> None:
        texts = list(dict.fromkeys(value for value in self.values if isinstance(value, str)))
        order = self.spec.get("categoryarray")
        self.categories: list[str] = list(order) if order else texts
        self.is_log = self.spec.get("type") == "log"
        self.low, self.high = self._ends()

    def _ends(self) -> tuple[float, float]:
        if "range" in self.spec:
            low, high = self.spec["range"]
            return float(low), float(high)
        low, high = (-0.5, len(self.categories) - 0.5) if self.categories else self._ends_of_numbers()
        return (high, low) if self.spec.get("autorange") == "reversed" else (low, high)

    def _ends_of_numbers(self) -> tuple[float, float]:
        numbers = [self.number(value) for value in self.values if value is not None]
        good = [number for number in numbers if math.isfinite(number)]
        if not good:
            return 0.0, 1.0
        low, high = min(good) - self.wide, max(good) + self.wide
        pad = 0.0 if self.wide else PAD * (high - low) or abs(high) * PAD or 1.0
        if not self.is_log and (self.from_zero or self.spec.get("rangemode") == "tozero"):
            return min(low - pad * (low < 0), 0.0), max(high + pad * (high > 0), 0.0)
        return low - pad, high + pad

    def number(self, value: Any) -> float:
        """*value* in the axis's own numbers."""
        if isinstance(value, str):
            return float(self.categories.index(value))
        if self.is_log:
            return math.log10(value) if value > 0 else -math.inf
        return float(value)

    def place(self, value: Any) -> float:
        """Where *value* lies, in percent from the begin of the axis."""
        return self.percent(self.number(value))

    def percent(self, number: float) -> float:
        """Where one of the axis's own numbers lies; what lies before the axis, at its begin."""
        if not math.isfinite(number):
            return 0.0
        return 100 * (number - self.low) / ((self.high - self.low) or 1.0)

    def ticks(self) -> list[tuple[float, str]]:
        """Place in percent and text of each tick that lies on the axis."""
        if self.spec.get("showticklabels") is False:
            return []
        if "tickvals" in self.spec:
            values: Iterable[Any] = self.spec["tickvals"]
            texts = self.spec.get("ticktext") or [f"{value:,.10g}" for value in values]
            pairs = [
                (self.place(value), str(text))
                for value, text in zip(values, texts, strict=True)
                if not isinstance(value, str) or value in self.categories
            ]
        elif self.categories:
            pairs = [(self.place(name), name) for name in self.categories]
        else:
            pairs = [(self.place(value), self._text(value)) for value in self._round_values()]
        return [(place, text) for place, text in pairs if -0.5 <= place <= 100.5]

    def _round_values(self) -> Sequence[float]:
        low, high = sorted((self.low, self.high))
        if self.is_log:
            apart = max(1, int(self.spec.get("dtick", 1)), math.ceil((high - low) / 8))
            factors = (1, 2, 5) if high - low < FEW_DECADES and "dtick" not in self.spec else (1,)
            powers = range(math.floor(low), math.ceil(high) + 1, apart)
            return [factor * 10.0**power for power in powers for factor in factors]
        step = round_step((high - low) / MOST_TICKS)
        return [step * place for place in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]

    def _text(self, value: float) -> str:
        power = math.log10(value) if self.is_log else 0.0
        if self.spec.get("exponentformat") == "power" and power == round(power):
            return "10" + str(round(power)).translate(SUPERSCRIPTS)
        return f"{float(f'{value:.10g}'):,.10g}"


def round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is at least so much."""
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))
