"""How far an instant estimate may be off: the regime of a scenario, and what random scenarios of it showed."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from model.results import Accuracy, RunResult
from model.spec import Stream, System, Transactions, Workload

TABLE = Path(__file__).with_name("accuracy.toml")
"""Residuals by kind and regime; ``python -m validation.residuals`` writes it."""
ALL = "all"
"""The regime that stands for a whole kind, where its own was sampled too seldom."""
FEWEST = 59
"""Scenarios from which on the largest distance of a regime bounds 95 % of it with a confidence of 95 % [wilks-1941]."""
ESTIMATE_FACTOR = 1.25
"""An answer that may be off by more counts as an estimate, and says so in a warning."""


@dataclass(frozen=True, slots=True)
class Case:
    """A scenario with its instant estimate."""

    system: System
    work: Any
    result: RunResult
    exact: bool


@dataclass(frozen=True, slots=True)
class Regime:
    """Scenarios that the closed form answers about equally well: a noun phrase, why, and which they are."""

    name: str
    why: str
    holds: Callable[[Case], bool]


@dataclass(frozen=True, slots=True)
class Residual:
    """What random scenarios of one kind and regime showed: simulated time over estimated time, and bounds from it."""

    n: int
    within_fraction: float
    factor: float
    longest: float
    """The largest ratio of the simulated to the estimated time."""
    shortest: float


REGIMES: tuple[Regime, ...] = (
    Regime("nothing queues", "One session, and nothing queues.", lambda case: case.exact),
    Regime(
        "transactions",
        "The closed form knows means; writes and commits come in bursts.",
        lambda case: isinstance(case.work, Transactions),
    ),
    Regime(
        "calls that queue",
        "The closed form knows means; calls meet at the device by chance.",
        lambda case: isinstance(case.work, Stream),
    ),
    Regime(
        "several sessions",
        "The sessions share device and processors, and the closed form knows only means.",
        lambda case: case.work.users > 1,
    ),
    Regime(
        "one session with asynchronous reads",
        "The session waits for some of its asynchronous reads.",
        lambda case: True,
    ),
)
"""In order: a scenario belongs to the first that holds."""


def regime_of(case: Case) -> Regime:
    """The regime that a scenario belongs to."""
    return next(regime for regime in REGIMES if regime.holds(case))


@cache
def table() -> dict[tuple[str, str], Residual]:
    """Kind and regime -> what random scenarios showed."""
    found = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {
        (kind, regime): Residual(**{name: row[name] for name in Residual.__slots__})
        for kind, rows in found["kind"].items()
        for regime, row in rows.items()
    }


def with_accuracy(system: System, work: Workload, result: RunResult, *, exact: bool) -> RunResult:
    """*result*, an instant estimate, with how far it may be off; an estimate warns of it first."""
    regime = regime_of(Case(system, work, result, exact))
    residual = table().get((work.kind, regime.name))
    if residual is None or (residual.n < FEWEST and not exact):
        residual = table()[work.kind, ALL]
    accuracy = Accuracy(
        within_fraction=residual.within_fraction,
        factor=residual.factor,
        regime=regime.name,
        why=regime.why,
    )
    warnings = result.warnings
    if accuracy.factor > ESTIMATE_FACTOR:
        warnings = [f"{_consequence(residual)} {regime.why} Simulate to be sure.", *warnings]
    return result.model_copy(update={"accuracy": accuracy, "warnings": warnings})


def _consequence(residual: Residual) -> str:
    """How much longer or shorter the simulated time may be."""
    times = "twice" if residual.factor == 2 else f"{residual.factor:g} times"
    longer, shorter = residual.longest > ESTIMATE_FACTOR, 1 / residual.shortest > ESTIMATE_FACTOR
    if longer and not shorter:
        return f"The simulated time may be up to {times} as long."
    if shorter and not longer:
        return f"This time may be up to {times} as long as the simulated one."
    return f"The simulated time may be up to {times} as long, or this one {times} too long."
