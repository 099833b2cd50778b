"""Predicted against printed: one verdict for every number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from blocktime.model.errors import SpecError
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, load, run
from blocktime.validation.numbers import MeasuredNumber, Pick
from blocktime.validation.out_of_sample import LeftOut, left_out_of
from blocktime.validation.quantity import UNITS, look_up

Verdict = Literal["within", "fails", "known_gap", "gap_closed", "descriptive"]
FAILURES: Final = ("fails", "gap_closed")
ROUNDING: Final = 1e-9
"""Relative difference of two floating point numbers that are meant to be the same."""


class Runs:
    """Runs each scenario once; *settings* are laid over every one of them, as a calibration needs.

    *known* holds results by all that they depend on, for many of these one after the other.
    """

    def __init__(self, settings: Sequence[str] = (), known: dict[str, RunResult] | None = None) -> None:
        self.settings = tuple(settings)
        self._results: dict[Pick, RunResult] = {}
        self._known = {} if known is None else known

    def result(self, pick: Pick) -> RunResult:
        """The result of a scenario with settings."""
        if pick not in self._results:
            name, settings = pick
            scenario = load(name, [*settings, *self.settings])
            question = scenario.model_dump_json(include={"system", "workload", "seed"})
            if question not in self._known:  # settings may repeat what stands there already
                self._known[question] = self.answer(scenario)
            self._results[pick] = self._known[question]
        return self._results[pick]

    def answer(self, scenario: Scenario) -> RunResult:
        """The answer to one scenario."""
        return run(scenario, replications=1)

    def predict(self, number: MeasuredNumber) -> float:
        """What the model says where *number* was printed, in the printed unit; LookupError where it says nothing."""
        others = [self.result(pick) for pick in number.against]
        return look_up(number.path, self.result(number.pick), others) / UNITS[number.unit]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One printed number with the model's, in the printed unit."""

    number: MeasuredNumber
    predicted: float | None
    verdict: Verdict
    note: str
    left_out: LeftOut = field(default_factory=LeftOut)

    @property
    def compared(self) -> bool:
        """Whether the model says anything about it."""
        return self.number.mark != "descriptive"

    @property
    def failed(self) -> bool:
        """Whether it is outside its declared tolerance, or a gap that has closed."""
        return self.verdict in FAILURES

    @property
    def in_sample(self) -> bool:
        """Whether a constant was fitted to it."""
        return self.number.mark == "fits"

    @property
    def relative_error(self) -> float | None:
        """Predicted over printed, less 1; 0 where a bound holds; None where nothing or 0 was printed."""
        if self.predicted is None or not self.number.printed:
            return None
        return error_of(self.number, self.predicted) / abs(self.number.printed)

    @property
    def in_sample_error(self) -> float | None:
        """The relative error of a number that constants were fitted to."""
        return self.relative_error if self.in_sample else None

    @property
    def out_of_sample_error(self) -> float | None:
        """The relative error of a number that no constant was fitted to; of one that fits, with its row left out.

        None where nothing else determines a constant that it fits: that is a fit and no prediction.
        """
        return self.relative_error if not self.in_sample else self._error(self.left_out.without_its_row)

    @property
    def fit_alone(self) -> bool:
        """Whether nothing but this number determines a constant that it fits: the agreement is no evidence."""
        return self.in_sample and self.out_of_sample_error is None and bool(self.left_out.why)

    @property
    def without_its_block_size_error(self) -> float | None:
        """The relative error with all numbers of its block size left out; None where that was not or cannot be done."""
        return self._error(self.left_out.without_its_block_size)

    def _error(self, predicted: float | None) -> float | None:
        if predicted is None or not self.number.printed:
            return None
        return error_of(self.number, predicted) / abs(self.number.printed)

    @property
    def tolerance(self) -> float | None:
        """Declared relative tolerance; an absolute one over the printed number; None for one around 0."""
        number = self.number
        if number.tolerance_absolute is None:
            return number.tolerance
        return number.tolerance_absolute / abs(number.printed) if number.printed else None

    def to_json(self) -> dict[str, Any]:
        """The object of ``validate --json``."""
        number = self.number
        return {
            "case": number.case,
            "where": number.where,
            "quantity": number.column,
            "unit": number.unit,
            "measured": number.printed,
            "predicted": self.predicted,
            "relative_error": self.relative_error,
            "tolerance": self.tolerance,
            "in_sample": self.in_sample,
            "in_sample_error": self.in_sample_error,
            "out_of_sample_error": self.out_of_sample_error,
            "without_its_row": self.left_out.without_its_row,
            "without_its_block_size": self.left_out.without_its_block_size,
            "why_not_left_out": self.left_out.why,
            "spread": number.spread,
            "spread_from": number.spread_from,
            "mechanism": number.mechanism,
            "fits": list(number.fits),
            "verdict": self.verdict,
            "note": self.note,
        }


def error_of(number: MeasuredNumber, predicted: float) -> float:
    """Predicted less printed, in the printed unit; 0 where *predicted* keeps to a printed bound."""
    error = predicted - number.printed
    if (number.bound == "at_least" and error >= 0) or (number.bound == "at_most" and error <= 0):
        return 0.0
    return error


def allowed_error(number: MeasuredNumber) -> float:
    """Largest error within the declared tolerance, in the printed unit."""
    if number.tolerance_absolute is not None:
        return number.tolerance_absolute
    return (number.tolerance or 0.0) * abs(number.printed)


def judge(number: MeasuredNumber, predicted: float | None) -> Verdict:
    """The verdict on one number; a known gap that the model now meets is ``gap_closed``, which fails too."""
    if number.mark == "descriptive":
        return "descriptive"
    within = predicted is not None and (
        abs(error_of(number, predicted)) <= allowed_error(number) + ROUNDING * abs(number.printed)
    )
    if number.known_gap:
        return "gap_closed" if within else "known_gap"
    return "within" if within else "fails"


def compare(number: MeasuredNumber, runs: Runs) -> Comparison:
    """Look one number up and judge it; raises SpecError where its scenario cannot be."""
    if number.mark == "descriptive":
        return Comparison(number, None, "descriptive", number.note)
    predicted: float | None
    notes = [number.known_gap, number.note]
    try:
        predicted = runs.predict(number)
    except LookupError as missing:
        predicted = None
        notes.insert(0, f"the result has no {missing.args[0]}")
    except SpecError as error:
        place = f"{number.case}.toml: table {number.table}, row {number.row}, column {number.column}"
        raise SpecError(f"{place}: {str(error).removeprefix('--set: ')}") from None
    verdict = judge(number, predicted)
    if verdict == "gap_closed":
        notes.insert(0, "within its tolerance now: remove the [[known_gap]]")
    return Comparison(number, predicted, verdict, "; ".join(note for note in notes if note), left_out_of(number.id))
