"""All printed numbers of some cases against the model, and whether the whole stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from blocktime.model.errors import SpecError
from blocktime.validation.case import Case
from blocktime.validation.cases import case_names, load_case
from blocktime.validation.compare import Comparison, Runs, compare
from blocktime.validation.fitted_constants import FittedConstant, fitted_constants
from blocktime.validation.numbers import numbers_of
from blocktime.validation.verdict_tally import by_case, by_mechanism, in_sample_median, kind_of, out_of_sample_median


@dataclass(frozen=True)
class Validation:
    """Every printed number of some cases against the model."""

    cases: list[Case]
    numbers: list[Comparison] = field(default_factory=list)

    @cached_property
    def failures(self) -> list[Comparison]:
        """Numbers outside their declared tolerance, and gaps that have closed."""
        return [comparison for comparison in self.numbers if comparison.failed]

    @cached_property
    def known_gaps(self) -> list[Comparison]:
        """Numbers the model is known to miss."""
        return [comparison for comparison in self.numbers if comparison.verdict == "known_gap"]

    @property
    def failed(self) -> bool:
        """Whether any number fails, or a known gap has closed."""
        return bool(self.failures)

    @cached_property
    def fitted_constants(self) -> list[str]:
        """Names of the constants that the numbers marked ``fits`` determine."""
        return sorted({constant for comparison in self.numbers for constant in comparison.number.fits})

    @cached_property
    def constants(self) -> list[FittedConstant]:
        """The constants that the numbers marked ``fits`` determine, with value, interval and what made them."""
        return fitted_constants(self.numbers)

    def summary(self) -> dict[str, Any]:
        """The ``summary`` of ``validate --json``; a median that is held out never has a fitted number in it.

        Most counts are exact, so the times alone have medians of their own.
        """
        compared = [comparison for comparison in self.numbers if comparison.compared]
        fits = [comparison for comparison in compared if comparison.in_sample]
        times = [comparison for comparison in compared if kind_of(comparison.number) == "time"]
        counts = [comparison for comparison in compared if kind_of(comparison.number) == "count"]
        return {
            "printed_numbers": len(self.numbers),
            "compared": len(compared),
            "descriptive": len(self.numbers) - len(compared),
            "fitted_constants": len(self.fitted_constants),
            "in_sample_median_error": in_sample_median(compared),
            "held_out_median_error": out_of_sample_median(compared),
            "failed": len(self.failures),
            "known_gaps": len(self.known_gaps),
            "counts_median_error": out_of_sample_median(counts),
            "times_in_sample_median_error": in_sample_median(times),
            "times_out_of_sample_median_error": out_of_sample_median(times),
            "tests_per_fit": (len(compared) - len(fits)) / len(fits) if fits else None,
        }

    def to_json(self) -> dict[str, Any]:
        """The result of ``validate --json``."""
        return {
            "summary": self.summary(),
            "numbers": [comparison.to_json() for comparison in self.numbers],
            "by_case": [tally.to_json() for tally in by_case(self.numbers)],
            "by_mechanism": [tally.to_json() for tally in by_mechanism(self.numbers)],
            "constants": [constant.to_json() for constant in self.constants],
        }


def validate(
    cases: Sequence[str] | None = None, progress: Callable[[int, int], None] | None = None, settings: Sequence[str] = ()
) -> Validation:
    """Compare every printed number of *cases* (names or files; all by default) with the model.

    *settings*, such as a precision, are laid over every scenario. *progress* is called with (done, all).
    Raises SpecError or MeasurementError for a case that is wrong in itself.
    """
    case_of: dict[str, Case] = {}
    for name in cases or case_names():
        case = load_case(name)
        if case_of.setdefault(case.name, case) != case:
            raise SpecError(f"{name}: got a second case called {case.name}; name the file otherwise")
    runs = Runs(settings)
    printed = [number for case in case_of.values() for number in numbers_of(case)]
    numbers = []
    for done, number in enumerate(printed, 1):
        numbers.append(compare(number, runs))
        if progress is not None:
            progress(done, len(printed))
    return Validation([*case_of.values()], numbers)
