"""How far the model itself is off: its errors on times that it was not fitted to, by mechanism, for the intervals.

`python3 dev.py docs` writes them into the file that ``scenarios.uncertainty`` reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, log, sqrt
from statistics import fmean
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

import tomlkit
from scipy.optimize import minimize_scalar
from scipy.stats import chi2

from blocktime.validation.compare import Comparison, Runs
from blocktime.validation.leave_out import block_size_of
from blocktime.validation.verdict_tally import case_of, groups, kind_of, mechanism_of

if TYPE_CHECKING:
    from blocktime.validation.numbers import MeasuredNumber

MATTERS: Final = 0.01
"""A wait that makes less of its run's time tells nothing of how far that time may be off."""
WIDTH: Final = 110
EXTREMES: Final = ("max_s", "response_percentiles")
"""Parts of paths to the longest of many times; the intervals are of means."""
SHORTEST, LONGEST = 1e-3, 10.0
"""Lengths of correlation that are tried."""
CONFIDENCE: Final = 0.95
WITHIN: Final = 1.96
"""Standard deviations that hold as much of a normal distribution."""
SOURCE: Final = (
    "Errors out of sample of the times that the documents print: numbers that test, and numbers that fit with their "
    "row left out; known gaps among them. Logarithms of predicted over printed, less the variance of the measurement "
    "where the source tells it. Left out: longest times, bounds, and waits below 1 % of their run."
)
RULES: Final = {
    "sd": (
        "root of the mean square error of the mechanism, each document counting once, averaged with that of all "
        "mechanisms as if it were one more document; times widening, the factor with which 95 % of all errors are "
        "within 1.96 sd, as their tails are longer than those of a normal distribution."
    ),
    "correlation_length": (
        "variogram: halved squares of the differences of two errors, over the mechanism's sd squared, against "
        "1 - exp(-|ln(t/u)| / length), by least squares over all pairs of numbers in one column of a document; t and "
        "u are their predictions."
    ),
    "exponent_sd": (
        "errors of numbers at the smallest or largest block size of their document, fitted without that size, over "
        "the logarithm of the factor to the next size: upper 95 % bound of their standard deviation, each size of a "
        "document counting once. The documents vary no other quantity often enough for that."
    ),
}


@dataclass(frozen=True, slots=True)
class Residual:
    """One printed time that nothing was fitted to, with the logarithm of predicted over printed."""

    comparison: Comparison
    error: float

    @property
    def variance(self) -> float:
        """Square of the error, less that of the measurement where it is known."""
        return self.error**2 - (self.comparison.number.spread or 0.0) ** 2

    @property
    def predicted(self) -> float:
        """Out of sample, in the printed unit."""
        return self.comparison.number.printed * (1 + (self.comparison.out_of_sample_error or 0.0))


def residuals_of(numbers: Iterable[Comparison]) -> list[Residual]:
    """The times among *numbers* that tell how far a mean time may be off."""
    runs = Runs()
    residuals = []
    for comparison in numbers:
        error = comparison.out_of_sample_error
        is_time = comparison.compared and kind_of(comparison.number) == "time" and error is not None and error > -1
        if is_time and error is not None and _tells(comparison.number, runs):
            residuals.append(Residual(comparison, log(1 + error)))
    return residuals


def _tells(number: MeasuredNumber, runs: Runs) -> bool:
    if number.mechanism is None or number.bound or any(part in number.path for part in EXTREMES):
        return False
    if not number.path.startswith("time.wait"):
        return True
    return runs.predict(number) >= MATTERS * runs.result(number.pick).time.elapsed_s


def model_error_data(numbers: Sequence[Comparison]) -> dict[str, Any]:
    """The content of the file."""
    residuals = residuals_of(numbers)
    mechanisms = [
        (name, [residual for residual in residuals if mechanism_of(residual.comparison) == name])
        for name in sorted({mechanism_of(residual.comparison) for residual in residuals})
    ]
    squares = {name: max(0.0, fmean(residual.variance for residual in those)) for name, those in mechanisms}
    pooled = fmean(squares.values())
    exponent_sd, exponents = _exponent_sd(numbers)
    sds = {name: sqrt(_with_one_more(squares[name], pooled, len(_documents(those)))) for name, those in mechanisms}
    widened = max(1.0, _widening(residuals, sds))
    sds = {name: widened * sd for name, sd in sds.items()}
    pairs = list(_pairs(residuals, sds))
    return {
        "source": SOURCE,
        "pooled_sd": _rounded(widened * sqrt(pooled)),
        "widening": _rounded(widened),
        "correlation_length": _rounded(_correlation_length(pairs)),
        "correlation_pairs": len(pairs),
        "exponent_sd": _rounded(exponent_sd),
        "exponent_numbers": exponents,
        "mechanism": [
            {"name": name, "numbers": len(those), "documents": len(_documents(those)), "sd": _rounded(sds[name])}
            for name, those in mechanisms
        ],
    }


def _documents(residuals: Iterable[Residual]) -> set[str]:
    return {residual.comparison.number.document for residual in residuals}


def _with_one_more(square: float, pooled: float, documents: int) -> float:
    """Mean over the documents of a mechanism and one that is like all mechanisms together."""
    return (documents * square + pooled) / (documents + 1)


def _widening(residuals: Sequence[Residual], sds: Mapping[str, float]) -> float:
    """Factor on all deviations with which 95 % of the errors are within 1.96 of them and of the measurement's.

    The conformal quantile, the ceil((n + 1) x 95 %)-th smallest of the factors that single errors need.
    """
    needed = sorted(
        sqrt(max(0.0, (residual.error / WITHIN) ** 2 - (residual.comparison.number.spread or 0.0) ** 2))
        / sds[mechanism_of(residual.comparison)]
        for residual in residuals
    )
    return needed[min(len(needed), ceil((len(needed) + 1) * CONFIDENCE)) - 1]


def _pairs(residuals: Iterable[Residual], sds: Mapping[str, float]) -> Iterator[tuple[float, float]]:
    """Of each two numbers in one column of a document: the distance of their predictions, and half the square of the
    difference of their errors over the variance of the mechanism, less the variance of the measurement."""
    for _, column in groups_of(residuals):
        for residual, other in combinations(column, 2):
            if residual.predicted > 0 and other.predicted > 0:
                variance = sds[mechanism_of(residual.comparison)] ** 2
                noise = sum((each.comparison.number.spread or 0.0) ** 2 for each in (residual, other))
                square = ((residual.error - other.error) ** 2 - noise) / 2
                yield abs(log(residual.predicted / other.predicted)), square / variance


def groups_of(residuals: Iterable[Residual]) -> list[tuple[str, list[Residual]]]:
    """Residuals by column of a document."""
    together: dict[str, list[Residual]] = {}
    for residual in residuals:
        number = residual.comparison.number
        together.setdefault("\0".join((number.case, number.table, number.column, number.path)), []).append(residual)
    return sorted(together.items())


def _correlation_length(pairs: Sequence[tuple[float, float]]) -> float:
    """Length at which 1 - exp(-distance / length) is nearest to the halved squares, by least squares."""
    import numpy as np

    distances, squares = np.array(pairs).T
    minimum = minimize_scalar(
        lambda logarithm: float(((squares - 1 + np.exp(-distances / np.exp(logarithm))) ** 2).sum()),
        bounds=(log(SHORTEST), log(LONGEST)),
        method="bounded",
    )
    return float(np.exp(minimum.x))


def _exponent_sd(numbers: Iterable[Comparison]) -> tuple[float, int]:
    """Upper bound of the standard deviation of ln(error) over ln(distance), and how many numbers it is from."""
    squares: dict[tuple[str, int], list[float]] = {}
    for name, those in groups([number for number in numbers if number.compared], case_of):
        times = [number for number in those if number.without_its_block_size_error is not None]
        if not times:
            continue
        sizes = {number.number.id: block_size_of(number.number) for number in those}
        for time in times:
            size = sizes[time.number.id]
            rest = sorted(set(sizes.values()) - {size})
            nearest = rest[0] if size < rest[0] else rest[-1]
            if kind_of(time.number) != "time" or rest[0] < size < rest[-1] or not _tells(time.number, Runs()):
                continue
            error = log(1 + (time.without_its_block_size_error or 0.0))
            squares.setdefault((name, size), []).append(
                (error**2 - (time.number.spread or 0.0) ** 2) / log(size / nearest) ** 2
            )
    count = len(squares)
    mean = max(0.0, fmean(fmean(square) for square in squares.values()))
    return sqrt(mean * count / float(chi2.ppf(1 - CONFIDENCE, count))), sum(map(len, squares.values()))


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def text_of(numbers: Sequence[Comparison]) -> str:
    """The file."""
    document = tomlkit.document()
    document.add(tomlkit.comment("Written by `python3 dev.py docs`: how far the model itself may be off."))
    for name, rule in RULES.items():
        for line in wrap(f"{name}: {rule}", WIDTH):
            document.add(tomlkit.comment(line))
    for key, value in model_error_data(numbers).items():
        document.add(key, tomlkit.aot() if key == "mechanism" else value)
        if key == "mechanism":
            document[key].extend(value)
    return tomlkit.dumps(document)
