"""How sure an answer or a difference is, as plain text: the interval, what makes it, and what is not in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log10
from typing import TYPE_CHECKING, Final

from app.lines import head, wrapped
from model.provenance import Constant
from model.results import Contribution, Interval, RunResult, Uncertainty

if TYPE_CHECKING:
    from scenarios.uncertainty import Difference

MOST_SHOWN: Final = 5
LEAST_SHOWN: Final = 0.01
"""Share of the variance below which a constant is not worth a line."""
LITTLE: Final = 0.2
"""Share of the variance below which no constant is to be blamed alone."""
MOST_NUMBERS: Final = 3
TITLE: Final = "Uncertainty"
NOT_IN_IT: Final = (
    "The model's own error is not in it: blocktime validate shows that on numbers it was not fitted to."
)


def interval_sentence(result: RunResult) -> str:
    """Within what the elapsed time lies, in one sentence; empty without an uncertainty."""
    found = result.uncertainty
    if found is None:
        return ""
    takes = "A transaction takes" if result.transactions else "It takes"
    confidence = f"with {100 * found.elapsed.confidence:.0f} % confidence"
    if not found.uncertain_constants and found.chance_s is None:
        return f"{takes} that long to a point: none of its constants has an interval."
    range_of_it = _around(found.elapsed, result.time.elapsed_s)
    if not found.uncertain_constants:
        return f"{takes} {range_of_it} {confidence} by chance alone: none of its constants has an interval."
    chance = "" if found.chance_s is None else " and chance"
    return f"{takes} {range_of_it} {confidence}, as far as {_constants(found)} go{chance}."


def uncertainty_lines(result: RunResult, width: int = 80) -> Iterator[str]:
    """The interval, the constants that make it, and what it leaves out; nothing without an uncertainty."""
    found = result.uncertainty
    if found is None:
        return
    yield head(TITLE)
    yield from wrapped(interval_sentence(result), width)
    yield from share_lines(found.contributions, width)
    for sentence in (
        largest_sentence(found.contributions),
        _how_it_was_found(result, found),
        *left_out([result]),
    ):
        yield from wrapped(sentence, width)


def difference_sentence(found: Difference, letter: str = "B", base: str = "A") -> str:
    """Within what the difference lies, and whether its sign is sure."""
    confidence = f"with {100 * found.confidence:.0f} % confidence"
    if found.sign == "none":
        return f"Sure: {letter} takes as long as {base}, whatever the constants are."
    if not found.draws and found.low_s == found.high_s:
        return f"The difference is a point: no constant of {letter} or {base} has an interval."
    if found.sign == "either":
        both = (
            f"{percents(found.low_fraction, found.high_fraction)} ({seconds(found.low_s, found.high_s, '+')})"
        )
        return f"Not sure: {letter} may take less time than {base} or more, {both} {confidence}."
    low_s, high_s = sorted((abs(found.low_s), abs(found.high_s)))
    low, high = sorted((abs(found.low_fraction), abs(found.high_fraction)))
    by = f"{percents(low, high, '')} ({seconds(low_s, high_s)})"
    return f"Sure: {letter} takes {found.sign} time than {base}, by {by} {confidence}."


def difference_lines(
    results: Sequence[RunResult], differences: Sequence[Difference], letters: Sequence[str], width: int = 80
) -> Iterator[str]:
    """How sure the differences from the first answer are, what makes them unsure, and each answer's interval."""
    yield head(TITLE)
    for letter, found in zip(letters[1:], differences, strict=True):
        yield from wrapped(difference_sentence(found, letter, letters[0]), width)
        yield from share_lines(found.contributions, width)
        yield from wrapped(largest_sentence(found.contributions), width)
    for letter, result in zip(letters, results, strict=True):
        yield from wrapped(interval_sentence(result), width, first=f"{letter}  ")
    for sentence in left_out(results):
        yield from wrapped(sentence, width)


def share_lines(contributions: Sequence[Contribution], width: int = 80) -> Iterator[str]:
    """Constants by what would go of the variance if they were known, largest first."""
    for one in contributions[:MOST_SHOWN]:
        if abs(one.variance_fraction) >= LEAST_SHOWN:
            known = f"{known_within(one.constant)}, {one.constant.how} [{one.constant.source}]"
            share = f"{100 * one.variance_fraction:>6.1f} %  "
            yield from wrapped(f"{one.constant.name}: {known}", width, first=share)


def known_within(constant: Constant) -> str:
    """Value and interval of a constant."""
    low, high = constant.interval or (constant.value, constant.value)
    return f"{constant.value:.4g}, {low:.4g} to {high:.4g}"


def largest_sentence(contributions: Sequence[Contribution]) -> str:
    """Which constant makes most of the variance, where its interval is from, and what would narrow it."""
    if not contributions:
        return ""
    first, share = contributions[0].constant, contributions[0].variance_fraction
    name = f"{first.name}: {100 * share:.0f} % of the variance would go if it were known"
    alone = ""
    if share < LITTLE:
        alone = (
            " No constant alone makes much: it is what they do together, or jumps where something sets in."
        )
    if not first.fitted_to:
        why = f": {first.note}" if first.note else ""
        return f"Most hangs on {name}; it is {first.how}{why}.{alone}"
    numbers = ", ".join(first.fitted_to[:MOST_NUMBERS])
    more = len(first.fitted_to) - MOST_NUMBERS
    numbers += f" and {more} more" if more > 0 else ""
    return f"Most hangs on {name}; it is fitted to {numbers}. More such numbers would narrow this.{alone}"


def left_out(results: Sequence[RunResult]) -> Iterator[str]:
    """What no interval of *results* holds."""
    known = {field for one in results if one.uncertainty for field in one.uncertainty.known_constants}
    if known:
        counts = (
            "constant has no interval and counts"
            if len(known) == 1
            else "constants have no interval and count"
        )
        yield f"{len(known)} {counts} as known. {NOT_IN_IT}"
    else:
        yield NOT_IN_IT


def seconds(low_s: float, high_s: float, sign: str = "") -> str:
    """A range of durations in the unit of its larger end, in as many digits as its width asks for."""
    largest = max(abs(low_s), abs(high_s))
    scale, unit = next(
        ((per, name) for least, per, name in _UNITS if largest >= least), (_UNITS[-1][1], _UNITS[-1][2])
    )
    return f"{_range(low_s * scale, high_s * scale, sign)} {unit}"


def percents(low: float, high: float, sign: str = "+") -> str:
    """A range of shares in percent."""
    return f"{_range(100 * low, 100 * high, sign)} %"


_UNITS: Final = ((0.9995, 1.0, "s"), (0.9995e-3, 1e3, "ms"), (0.0, 1e6, "µs"))
MOST_DECIMALS: Final = 6


def _range(low: float, high: float, sign: str) -> str:
    """Two numbers with two digits of what lies between them."""
    apart = high - low
    decimals = min(MOST_DECIMALS, max(0, 1 - floor(log10(apart)))) if apart > 0 else 2
    return " to ".join(f"{round(end, decimals) + 0.0:{sign},.{decimals}f}" for end in (low, high))


def _around(interval: Interval, centre_s: float) -> str:
    """An interval in seconds and in percent of what it is around."""
    found = seconds(interval.low_s, interval.high_s)
    if centre_s <= 0:
        return found
    return f"{found} ({percents(interval.low_s / centre_s - 1, interval.high_s / centre_s - 1)})"


def _constants(found: Uncertainty) -> str:
    many = len(found.uncertain_constants)
    return (
        "the one constant that has an interval"
        if many == 1
        else f"the {many} constants that have an interval"
    )


def _how_it_was_found(result: RunResult, found: Uncertainty) -> str:
    """How many sets of constants were drawn, and whether chance is in the interval."""
    said = ""
    if found.draws:
        how = "calculated" if found.engine == "calculate" else f"simulated, all with seed {result.seed}"
        said = f"{found.draws:,} sets of constants were drawn with seed {found.seed} and {how}."
    if result.engine == "simulate" and found.chance_s is None:
        said += " What chance does is not in it; --replications N adds it."
    return said.strip()
