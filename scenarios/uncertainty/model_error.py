"""How far the model itself may be off, by mechanism: its errors on published numbers that it was not fitted to.

The file beside this module holds them; `python3 dev.py docs` writes it from the measured cases.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from blocktime.model.causes import MIGRATING, SEARCHING, SEQUENTIAL, UPDATING
from blocktime.model.results import RunResult
from blocktime.model.workloads.families import KINDS
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.why import BETWEEN, CALLS, CLIENT, FETCH, GETS, MECHANISM, READS, SENDS, WALK, components

if TYPE_CHECKING:
    from blocktime.scenarios.uncertainty.draws import Reals

FILE: Final = "model_error.toml"
OTHER_WORK: Final = "other work"
"""What no published time is about: it has the error of all mechanisms together."""
WITHIN: Final = 1.96
"""Standard deviations on either side that hold 95 % of a normal distribution."""
MEASURED: Final = "measured system"
"""What the model is off the figures that were read of the system."""
SAME: Final = 1e-9
"""Relative difference of two times that are the same work."""

_OF_STATEMENTS: Final = {
    **dict.fromkeys((GETS, WALK, FETCH, CALLS), "logical I/O"),
    **dict.fromkeys((CLIENT, SENDS, BETWEEN), "client"),
    READS: "multiblock reads",
    SEQUENTIAL: "disk latency",
    UPDATING: "row migration",
    MIGRATING: "row migration",
    SEARCHING: "ASSM search",
}
"""What moves a component -> the mechanism that the published numbers are about."""


class ModelError(NamedTuple):
    """Standard deviations of the logarithm of measured over predicted times, and how they hang together."""

    source: str
    sd: Mapping[str, float]
    """By mechanism."""
    pooled_sd: float
    """Of a mechanism without a published time."""
    correlation_length: float
    """Two predictions of a mechanism whose times differ by a factor exp(this) have errors correlated by exp(-1)."""
    exponent_sd: float
    """A constant used outside its range may change as a power of the quantity: standard deviation of the exponent."""

    def sd_of(self, mechanism: str) -> float:
        """Standard deviation of the logarithm of a time of *mechanism*."""
        return self.sd.get(mechanism, self.pooled_sd)

    def correlations(self, seconds: Sequence[float]) -> Reals:
        """Correlations of the errors of times of one mechanism, in *seconds*, as a matrix.

        Formula: exp(-|ln(t/u)| / length), the covariance of a model's discrepancy that falls with the distance between
        two predictions [kennedy-ohagan-2001]. The same time in both has the same error.
        """
        import numpy as np

        logs = np.log(np.asarray(seconds, dtype=float))
        distances = np.abs(logs[:, None] - logs[None, :])
        correlations: Reals = np.exp(-np.where(distances <= SAME, 0.0, distances) / self.correlation_length)
        return correlations


@cache
def model_error() -> ModelError:
    """What the file says."""
    data = tomllib.loads(path_of_model_error().read_text("utf-8"))
    return ModelError(
        source=data["source"],
        sd={entry["name"]: entry["sd"] for entry in data["mechanism"]},
        pooled_sd=data["pooled_sd"],
        correlation_length=data["correlation_length"],
        exponent_sd=data["exponent_sd"],
    )


def path_of_model_error() -> Path:
    """The file that holds them."""
    return Path(__file__).with_name(FILE)


def seconds_by_mechanism(scenario: Scenario, result: RunResult) -> dict[str, float]:
    """Seconds of the elapsed time by the mechanism whose published numbers tell how far they may be off."""
    seconds_of: dict[str, float] = {}
    for component, seconds in components(result).items():
        name = _mechanism_of(component, scenario)
        seconds_of[name] = seconds_of.get(name, 0.0) + seconds
    return {name: seconds for name, seconds in seconds_of.items() if seconds > 0}


def _mechanism_of(component: str, scenario: Scenario) -> str:
    work = scenario.workload
    usual = _OF_STATEMENTS.get(component) or _OF_STATEMENTS.get(MECHANISM.get(component, ""), OTHER_WORK)
    return KINDS[work.kind].mechanism(work.opened_as(scenario.system), usual)
