"""A number, its error and what was declared of it, in words: the same in the terminal and on the pages."""

from __future__ import annotations

from typing import Final

from blocktime.model.units import GIB, KIB, MIB, show_number
from blocktime.validation.compare import Comparison, Verdict
from blocktime.validation.fitted_constants import FittedConstant

NOTHING: Final = "–"
FIT_ALONE: Final = "fit alone"
WORDS: Final[dict[Verdict, str]] = {
    "within": "within",
    "fails": "fails",
    "known_gap": "known gap",
    "gap_closed": "gap closed",
    "descriptive": "descriptive",
}


def number_text(value: float | None) -> str:
    """A measured or predicted number: counts whole, times to five figures."""
    if value is None:
        return NOTHING
    if abs(value - round(value)) < 1e-9 * max(1.0, abs(value)):
        return f"{round(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1e5 else show_number(value, 5)


def percent_text(share: float | None) -> str:
    """A relative error in percent without its sign for percent, with as many digits as it takes to see it."""
    if share is None:
        return NOTHING
    percent = 100 * share
    if abs(percent) < 0.0005:
        return "0"
    digits = 0 if abs(percent) >= 100 else 1 if abs(percent) >= 1 else 2 if abs(percent) >= 0.1 else 3
    return f"{percent:+,.{digits}f}"


def share_text(share: float | None) -> str:
    """A relative error in percent."""
    text = percent_text(share)
    return text if text in ("0", NOTHING) else f"{text} %"


def size_text(share: float | None) -> str:
    """The size of a relative error in percent."""
    return share_text(share).lstrip("+")


def out_of_sample_text(comparison: Comparison) -> str:
    """Error in percent of what was predicted without a fit to it; a fit that nothing else determines is called one."""
    return FIT_ALONE if comparison.fit_alone else percent_text(comparison.out_of_sample_error)


def tolerance_text(comparison: Comparison) -> str:
    """The tolerance as it was declared: relative, or absolute in the printed unit."""
    number = comparison.number
    if number.tolerance_absolute is not None:
        return f"± {number.tolerance_absolute:g}"
    return "exact" if not number.tolerance else f"{100 * number.tolerance:g} %"


def spread_text(comparison: Comparison) -> str:
    """How far single measurements lie apart, where the source tells it."""
    return NOTHING if comparison.number.spread is None else f"{show_number(100 * comparison.number.spread, 2)} %"


def bound_text(comparison: Comparison) -> str:
    """The sign of a number that is printed as a bound."""
    return {"at_least": "≥ ", "at_most": "≤ ", None: ""}[comparison.number.bound]


def measured_text(comparison: Comparison) -> str:
    """The printed number, with the sign of a printed bound."""
    return bound_text(comparison) + number_text(comparison.number.printed)


def quantity_text(comparison: Comparison) -> str:
    """Column and, unless the column's name says it, unit."""
    number = comparison.number
    named = not number.unit or number.column.endswith(f"_{number.unit}") or number.column == number.unit.lower()
    return number.column if named else f"{number.column} [{number.unit}]"


def miss_text(comparison: Comparison) -> str:
    """One number that fails, in a line."""
    where = f"{comparison.number.case}: {comparison.number.where}, {quantity_text(comparison)}"
    if comparison.verdict == "gap_closed":
        return f"{where}: within its tolerance now ({tolerance_text(comparison)}), so remove its [[known_gap]]"
    return (
        f"{where}: measured {measured_text(comparison)}, predicted {number_text(comparison.predicted)} "
        f"({share_text(comparison.relative_error)}, tolerance {tolerance_text(comparison)})"
    )


def value_text(constant: FittedConstant) -> str:
    """The value in a unit that is easily read."""
    per, word = unit_for(constant.value, constant.unit)
    return f"{_plainly(per * constant.value)} {word}".rstrip()


def interval_text(constant: FittedConstant) -> str:
    """The interval in the unit of the value."""
    if constant.interval is None:
        return "not known"
    per, word = unit_for(constant.value, constant.unit)
    low, high = (_plainly(per * end, 4) for end in constant.interval)
    return f"{low} to {high} {word}".rstrip()


def _plainly(value: float, digits: int = 5) -> str:
    """*value* to so many figures, and never as a power of ten where it is large."""
    return f"{value:,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"


def unit_for(value: float, unit: str) -> tuple[float, str]:
    """What *value* is multiplied by to be read easily, and the unit then; K, M and G are powers of 1024."""
    if unit == "s":
        steps = ((1.0, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns"))
        return next((step for step in steps if abs(value) * step[0] >= 1), steps[-1 if value else 0])
    if unit.startswith("bytes"):
        sizes = ((1 / GIB, "GB"), (1 / MIB, "MB"), (1 / KIB, "KB"))
        scale, word = next((size for size in sizes if abs(value) * size[0] >= 1), (1.0, "bytes"))
        return scale, unit.replace("bytes", word)
    if unit == "Hz" and value >= 1e6:
        return 1e-6, "MHz"
    return 1.0, unit


JUDGES: Final = (
    "The verdict compares the error of the present model with the declared tolerance. For a number that a constant "
    "was fitted to, that is the error in sample, marked (fit); its error out of sample is shown, but not judged."
)


def verdict_text(comparison: Comparison) -> str:
    """The verdict, marked where it judges a fit and no prediction."""
    return (
        f"{WORDS[comparison.verdict]} (fit)"
        if comparison.compared and comparison.in_sample
        else WORDS[comparison.verdict]
    )
