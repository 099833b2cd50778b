"""The columns of a sweep's table on the page: each in the unit that suits its numbers, with digits that tell them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from blocktime.app.charts.sweep_charts import unit_for
from blocktime.app.text.sweep_text import are_numbers, show_value
from blocktime.model.units import unit_of

DIGITS: Final = 3
"""Of the smallest number of a column, and of the way from it to the largest."""
MOST_DECIMALS: Final = 6
LONGEST: Final = 1_000
"""Times the unit: where the largest number is more, the small ones take decimals instead."""


@dataclass(frozen=True)
class ShownColumn:
    """A column as the page shows it: numbers stay numbers, so that a click on the heading sorts them."""

    heading: str
    values: list[Any]
    format: str = ""
    """Of a number with decimals, as ``printf`` writes it."""


def table_column(name: str, heading: str, values: Sequence[Any]) -> ShownColumn:
    """The values of the field or measure *name*; missing are None or NaN."""
    known = [value for value in values if value is not None and not (isinstance(value, float) and math.isnan(value))]
    if unit_of(name) == "bytes" or not known or not are_numbers(known):
        return ShownColumn(heading, [_sized(name, value) for value in values])
    sizes = sorted(abs(value) for value in known if value and math.isfinite(value))
    least, most = (sizes[0], sizes[-1]) if sizes else (1.0, 1.0)
    scale, word = unit_for(name, max(least, most / LONGEST))
    unit = word.strip() or unit_of(name)
    scaled = [_scaled(value, scale) for value in values]
    whole = all(value is None or float(value).is_integer() for value in scaled)
    finest = min(least, most - least) if most > least else least
    return ShownColumn(
        f"{heading} ({unit})" if unit else heading, scaled, "" if whole else f"%.{_decimals(finest / scale)}f"
    )


def _sized(name: str, value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    return show_value(name, value) if unit_of(name) == "bytes" and value is not None else value


def _scaled(value: Any, scale: float) -> Any:
    return None if value is None or math.isnan(value) else value if scale == 1.0 else value / scale


def _decimals(least: float) -> int:
    """Decimals that show *least* with three digits, and two at least."""
    return min(MOST_DECIMALS, max(2, DIGITS - 1 - math.floor(math.log10(least))))
