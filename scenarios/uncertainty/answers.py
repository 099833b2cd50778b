"""Elapsed times of one scenario with other values of its constants: exact sums by arrays, or the response of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from blocktime.model.budget import Budget, show_duration, watched
from blocktime.model.engine import calculate_many, is_simulated, simulate, simulate_measures
from blocktime.model.errors import BlocktimeError, OverBudget, SpecError
from blocktime.model.results import RunResult
from blocktime.model.units import show_number
from blocktime.scenarios.interval import CONFIDENCE
from blocktime.scenarios.load import source_in, to_mapping
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.sweeps.points import Points
from blocktime.scenarios.uncertainty.constants import Knowledge, drawn_values, exponent_name
from blocktime.scenarios.uncertainty.response import Response, directions, fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from blocktime.model.spec import Transactions
    from blocktime.scenarios.sweeps.executors import Executor, NoAnswer
    from blocktime.scenarios.uncertainty.draws import Draws

    Reals = NDArray[Any]

Progress = Callable[[int, int], None]
Executors = Callable[[float], "AbstractContextManager[Executor]"]
"""Who works for so many seconds of one processor."""

DRAWS: Final = 4096
"""Sets of constants that an interval is made of: a power of four."""
COARSE_PERCENT: Final = 5.0
"""Precision of the transactions of each run: the same random numbers cancel most of what it leaves open."""
LEAST_TRANSACTIONS: Final = 100
"""Fewer are no answer."""
WITHIN: Final = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
"""Standard deviations in half of an interval."""


class Context(NamedTuple):
    """How the answers of an interval are made."""

    exponent_sd: float
    budget: Budget
    """Of all runs of one scenario together."""
    executors: Executors | None
    """Who plays the runs; None for this process."""
    progress: Progress | None
    """Called with (done, all) of the runs of a scenario."""


class Factors(NamedTuple):
    """The elapsed time with each draw over that with the constants' own values."""

    values: Reals
    runs: int
    """Simulations that they come from; 0 where each draw is an exact sum."""


def factors_of(
    scenario: Scenario, result: RunResult, knowledge: Knowledge, draws: Draws, context: Context
) -> Factors:
    """How much longer *scenario*, whose answer is *result*, takes with each of the *draws*.

    Exact sums where nothing queues with any of them; else the response of simulations that have one seed. Raises
    :class:`SpecError` where some values that the constants may have allow no answer, :class:`OverBudget` where the
    simulations take more than the budget.
    """
    if not is_simulated(scenario.system, scenario.workload):
        own = {name: draws.scores[name] for name in knowledge.names}
        exact = _exact(scenario, columns_of(scenario, knowledge, own, context.exponent_sd))
        if exact is not None:
            return Factors(exact, 0)
    return _by_runs(scenario, result, knowledge, draws, context)


def columns_of(
    scenario: Scenario, knowledge: Knowledge, scores: Mapping[str, Reals], exponent_sd: float
) -> dict[str, Reals]:
    """Values of each uncertain field: the constant's own one first, then one for each score."""
    import numpy as np  # noqa: PLC0415

    columns = {}
    for uncertain in knowledge.uncertain:
        exponents = {
            quantity: exponent_sd * np.append(0.0, scores[exponent_name(uncertain, quantity)])
            for quantity in uncertain.beyond
        }
        constant_scores = np.append(0.0, scores[uncertain.name])
        for path in uncertain.fields:
            columns[path] = drawn_values(uncertain, constant_scores, path, scenario.workload.kind, exponents)
    return columns


def _exact(scenario: Scenario, columns: Mapping[str, Reals]) -> Reals | None:
    """The factors by arrays; None where something queues with some of the values."""
    table = calculate_many(scenario.system, scenario.workload, columns)
    for place, why in enumerate(table["refused"]):
        if why:
            raise SpecError(_no_answer(scenario, columns, place, why))
    if not table["exact"].all():
        return None
    first, *_ = seconds = table["elapsed_s"]
    factors: Reals = seconds[1:] / (first or 1.0)
    return factors


def _by_runs(
    scenario: Scenario, result: RunResult, knowledge: Knowledge, draws: Draws, context: Context
) -> Factors:
    """The factors from simulations of a few sets of constants, in opposite pairs, all with the seed of *result*."""
    import numpy as np  # noqa: PLC0415

    with watched(context.budget):
        played = _coarse(scenario, result)
    root = draws.root(knowledge.names)
    design = directions(len(root), result.seed)
    scores = dict(zip(knowledge.names, root @ design, strict=True))
    columns = columns_of(scenario, knowledge, scores, context.exponent_sd)
    columns |= _length(scenario, played, len(design[0]) + 1)
    seconds = _simulated(scenario, columns, result.seed, context)
    logs = np.log(seconds[1:] / seconds[0])
    own = np.stack([draws.scores[name] for name in knowledge.names])
    response: Response = fitted(design, logs, chance_of(played) / WITHIN)
    return Factors(response.factors(np.linalg.pinv(root, rcond=1e-6) @ own, draws.seed), len(seconds))


def chance_of(result: RunResult) -> float:
    """Half of the interval that chance alone makes, over the elapsed time; 0 where nothing tells it."""
    interval = result.time.interval
    if interval is None and result.transactions is not None:
        interval = result.transactions.response_interval
    elapsed_s = result.time.elapsed_s
    return (interval.high_s - interval.low_s) / 2 / elapsed_s if interval and elapsed_s else 0.0


def _coarse(scenario: Scenario, result: RunResult) -> RunResult:
    """The answer by as few transactions as a coarse one needs; *result* where their number is no question."""
    if not _is_as_long_as_needed(scenario):
        return result
    work = cast("Transactions", scenario.workload)
    percent = max(work.precision_percent, COARSE_PERCENT)
    coarse = work.model_copy(update={"precision_percent": percent})
    return simulate(scenario.system, coarse, seed=result.seed)


def _is_as_long_as_needed(scenario: Scenario) -> bool:
    """Whether a simulation goes on until the mean response of its transactions is precise."""
    work = scenario.workload
    return bool(work.mixed) and cast("Transactions", work).transactions is None


def _length(scenario: Scenario, coarse: RunResult, runs: int) -> dict[str, Reals]:
    """The number of transactions of all runs, so that the same random numbers go to the same of them."""
    import numpy as np  # noqa: PLC0415

    stats = coarse.transactions
    if not _is_as_long_as_needed(scenario) or stats is None:
        return {}
    count = (stats.measured or 0) + (stats.warm_up or 0)
    return {"workload.transactions": np.full(runs, max(count, LEAST_TRANSACTIONS))}


@dataclass(frozen=True, slots=True)
class _Run:
    """What is asked of every set of constants."""

    name: str
    points: Points
    seed: int
    budget: Budget

    def __call__(self, sets: Sequence[Mapping[str, Any]]) -> list[tuple[float, int]]:
        """The answers to *sets*."""
        return list(map(self.answer, sets))

    def answer(self, values: Mapping[str, Any]) -> tuple[float, int]:
        """Elapsed seconds with *values*, and their work in nanoseconds."""
        try:
            point = self.points.point(values)
            with watched(self.budget) as watch:
                before = watch.work
                numbers = simulate_measures(point.system, point.workload, seed=self.seed)
                return numbers["elapsed_s"], watch.work - before
        except OverBudget:
            raise
        except BlocktimeError as error:
            raise SpecError(_refusal(self.name, values, str(error))) from None


def _simulated(scenario: Scenario, columns: Mapping[str, Reals], seed: int, context: Context) -> Reals:
    """Elapsed seconds with each row of *columns*, the same whoever plays them."""
    import numpy as np  # noqa: PLC0415

    source = source_in(to_mapping(scenario), scenario.name, scenario.origin)
    run = _Run(scenario.name, Points(source, list(columns), "uncertainty"), seed, context.budget)
    count = len(next(iter(columns.values())))
    first, *others = [
        {path: column[place].item() for path, column in columns.items()} for place in range(count)
    ]
    seconds = np.empty(count)
    seconds[0], work = run.answer(first)
    _tell(context, 1, count)
    _check(scenario, work * count, count, context.budget)
    answers = _answers(run, others, context.executors, work * count / 1e9)
    for done, (place, answer) in enumerate(answers, start=2):
        if not isinstance(answer, tuple):
            raise SpecError(_no_answer(scenario, columns, 1 + place, answer.sentence))
        seconds[1 + place], took = answer
        work += took
        _tell(context, done, count)
        _check(scenario, work, count, context.budget)
    return seconds


def _answers(
    run: _Run, sets: Sequence[Mapping[str, Any]], executors: Executors | None, expected_s: float
) -> Iterator[tuple[int, tuple[float, int] | NoAnswer]]:
    """The answer to each of *sets* with its place, as they are done."""
    if executors is None:
        yield from enumerate(map(run.answer, sets))
        return
    with executors(expected_s) as executor:
        for place, (answer,) in executor.map(run, ([values] for values in sets)):
            yield place, answer


def _tell(context: Context, done: int, whole: int) -> None:
    if context.progress is not None:
        context.progress(done, whole)


def _check(scenario: Scenario, work_ns: int, runs: int, budget: Budget) -> None:
    """Raise :class:`OverBudget` where the runs take more than *budget*."""
    if budget.seconds is not None and work_ns / 1e9 > budget.seconds:
        raise OverBudget(
            f"{scenario.name}: the uncertainty takes about {show_duration(work_ns / 1e9)} for {runs} simulations; the "
            f"limit is {show_duration(budget.seconds)}: raise --max-est-exec-time, or ask without the uncertainty",
            "time",
        )


def _no_answer(scenario: Scenario, columns: Mapping[str, Reals], place: int, why: str) -> str:
    return _refusal(scenario.name, {path: column[place].item() for path, column in columns.items()}, why)


def _refusal(name: str, values: Mapping[str, Any], why: str) -> str:
    at = ", ".join(f"{path}={show_number(value, 4)}" for path, value in list(values.items())[:3])
    return f"{name}: uncertainty: its constants may have values without an answer, such as {at}: {why}"
