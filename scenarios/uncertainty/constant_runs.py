"""Elapsed times of one scenario with other values of its constants: exact sums by arrays, or the response of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from blocktime.model.budget import Budget, show_duration, watched
from blocktime.model.demand.transaction_demand import run_transactions
from blocktime.model.engine import calculate_many, is_played, simulate
from blocktime.model.errors import BlocktimeError, OverBudget, SpecError
from blocktime.model.measures import measures_of
from blocktime.model.results import BOUND, RunResult
from blocktime.model.units import show_number
from blocktime.scenarios.interval import CONFIDENCE
from blocktime.scenarios.load import source_in, to_mapping
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.sweeps.points import Points
from blocktime.scenarios.uncertainty.constants import Knowledge, drawn_values, exponent_name
from blocktime.scenarios.uncertainty.response import design, fitted

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
PAIRS, FEWEST_PAIRS = 4, 2
"""Pairs of runs that move everything at once: fewer where all runs take more than QUICK_S seconds."""
QUICK_S: Final = 4.0
COARSE_PERCENT: Final = 5.0
"""Precision of the mean response of each run: the same random numbers cancel most of what it leaves open."""
MOST_LENGTHS: Final = 4
"""Times the least run of users that a run has at most; the rest of chance is told beside the interval."""
MOST_KNOWN: Final = 10_000
_KNOWN: Final[dict[tuple[bytes, int], tuple[float, int]]] = {}
"""Runs of this process by scenario and seed: none is played again after a moved control or an interrupt."""
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


def factors_of(scenario: Scenario, result: RunResult, knowledge: Knowledge, draws: Draws, context: Context) -> Factors:
    """How much longer *scenario*, whose answer is *result*, takes with each of the *draws*.

    Exact sums where nothing queues with any of them; else the response of simulations that have one seed. Raises
    :class:`SpecError` where some values that the constants may have allow no answer, :class:`OverBudget` where the
    simulations take more than the budget.
    """
    import numpy as np

    scores = {name: draws.scores[name] for name in knowledge.names}
    exact = _exact(scenario, knowledge, scores, context)
    if exact is not None:
        return Factors(exact, 0)
    if result.how == BOUND:
        raise OverBudget(f"{scenario.name}: the answer is a bound, not a simulation, so it has no interval", "time")
    runs = _begin(scenario, result, knowledge, context)
    directions = draws.directions(knowledge.names)
    size = directions.shape[1]
    pairs = PAIRS if 2 * (size + PAIRS) * runs.each_ns / 1e9 <= QUICK_S else FEWEST_PAIRS
    independent = design(size, pairs, WITHIN, result.seed)
    logs = np.log(runs.factors(dict(zip(knowledge.names, directions @ independent, strict=True))))
    response = fitted(independent, logs, WITHIN, runs.chance / WITHIN)
    weights = np.linalg.pinv(directions) @ np.stack(list(scores.values()))
    return Factors(response.factors(weights, draws.seed), 1 + len(logs))


def factors_at(
    scenario: Scenario, result: RunResult, knowledge: Knowledge, scores: Mapping[str, Reals], context: Context
) -> Factors:
    """As :func:`factors_of` with a few sets of constants at *scores*, each of them answered."""
    exact = _exact(scenario, knowledge, scores, context)
    if exact is not None:
        return Factors(exact, 0)
    factors = _begin(scenario, result, knowledge, context).factors(scores)
    return Factors(factors, 1 + len(factors))


def columns_of(
    scenario: Scenario, knowledge: Knowledge, scores: Mapping[str, Reals], exponent_sd: float
) -> dict[str, Reals]:
    """Values of each uncertain field: the constant's own one first, then one for each score."""
    import numpy as np

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


def _exact(scenario: Scenario, knowledge: Knowledge, scores: Mapping[str, Reals], context: Context) -> Reals | None:
    """The factors by arrays; None where something queues with some of the values."""
    if is_played(scenario.system, scenario.workload):
        return None
    columns = columns_of(scenario, knowledge, scores, context.exponent_sd)
    table = calculate_many(scenario.system, scenario.workload, columns)
    for place, why in enumerate(table["refused"]):
        if why:
            raise SpecError(_refusal(scenario.name, _sets(columns)[place], why))
    if not table["exact"].all():
        return None
    first, *_ = seconds = table["elapsed_s"]
    factors: Reals = seconds[1:] / (first or 1.0)
    return factors


class _Runs(NamedTuple):
    """Simulations of one scenario with other constants, and that with its own."""

    scenario: Scenario
    knowledge: Knowledge
    run: _Run
    base_s: float
    each_ns: int
    """Work of one run, about."""
    chance: float
    """Half of the interval of one run, over its time."""
    context: Context

    def factors(self, scores: Mapping[str, Reals]) -> Reals:
        """Elapsed times with constants at *scores* over that with their own values."""
        columns = columns_of(self.scenario, self.knowledge, scores, self.context.exponent_sd)
        factors: Reals = _simulated(self.run, _sets(columns)[1:], self.each_ns, self.context) / self.base_s
        return factors


def _begin(scenario: Scenario, result: RunResult, knowledge: Knowledge, context: Context) -> _Runs:
    """The run with the constants' own values, and what others need; all have the seed of *result*."""
    import numpy as np

    nothing = {name: np.empty(0) for name in knowledge.names}
    columns = columns_of(scenario, knowledge, nothing, context.exponent_sd)
    fixed, chance = _length(scenario, result)
    source = source_in(to_mapping(scenario), scenario.name, scenario.origin)
    points = Points(source, [*columns, *fixed], "uncertainty")
    run = _Run(scenario.name, points, fixed, result.seed, context.budget)
    (constants,) = _sets(columns)
    base_s, work = run.answer(constants)
    return _Runs(scenario, knowledge, run, base_s, work, chance, context)


def _sets(columns: Mapping[str, Reals]) -> list[dict[str, Any]]:
    count = len(next(iter(columns.values())))
    return [{path: column[place].item() for path, column in columns.items()} for place in range(count)]


def chance_of(result: RunResult) -> float:
    """How far the interval that chance alone makes reaches from the elapsed time, over it; 0 where nothing tells it."""
    interval = result.time.interval
    if interval is None and result.transactions is not None:
        interval = result.transactions.response_interval
    elapsed_s = result.time.elapsed_s
    if interval is None or not elapsed_s:
        return 0.0
    if interval.runs:  # the mean of several, from which the one that is shown may be off
        return max(interval.high_s - elapsed_s, elapsed_s - interval.low_s) / elapsed_s
    return (interval.high_s - interval.low_s) / 2 / elapsed_s


def _length(scenario: Scenario, result: RunResult) -> tuple[dict[str, int], float]:
    """The number of transactions of all runs, so that the same random numbers go to the same of them; and their chance.

    As many as a coarse answer needs; none, and the chance of *result*, where their number is no question. A statement
    draws the same random numbers in all runs.
    """
    work, stats, chance = cast("Transactions", scenario.workload), result.transactions, chance_of(result)
    if stats is None or not work.mixed or work.transactions is not None:
        return {}, chance if stats else 0.0
    shortest = run_transactions(work)
    whole = (stats.measured or 0) + (stats.warm_up or 0) or shortest
    needed = ceil(whole * (100 * chance / COARSE_PERCENT) ** 2)
    count = min(whole, max(needed, shortest // 2), MOST_LENGTHS * shortest)
    return {"workload.transactions": count}, chance * (whole / count) ** 0.5


@dataclass(frozen=True, slots=True)
class _Run:
    """What is asked of every set of constants."""

    name: str
    points: Points
    fixed: Mapping[str, Any]
    """Fields that are the same in all."""
    seed: int
    budget: Budget

    def __call__(self, sets: Sequence[Mapping[str, Any]]) -> list[tuple[float, int]]:
        """The answers to *sets*."""
        return list(map(self.answer, sets))

    def answer(self, values: Mapping[str, Any]) -> tuple[float, int]:
        """Elapsed seconds with *values*, and their work in nanoseconds."""
        try:
            point = self.points.point({**values, **self.fixed})
            if (known := _KNOWN.get((point.digest, self.seed))) is not None:
                return known
            with watched(self.budget) as watch:
                numbers = measures_of(simulate(point.system, point.workload, seed=self.seed))
                answer = numbers["elapsed_s"], watch.work
        except OverBudget:
            raise
        except BlocktimeError as error:
            raise SpecError(_refusal(self.name, values, str(error))) from None
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[point.digest, self.seed] = answer
        return answer


def _simulated(run: _Run, sets: Sequence[Mapping[str, Any]], each_ns: int, context: Context) -> Reals:
    """Elapsed seconds with each of *sets*, the same whoever plays them, where one takes about *each_ns* of work."""
    import numpy as np

    seconds, whole, work = np.empty(len(sets)), len(sets) + 1, each_ns
    _tell(context, 1, whole)
    _check(run.name, each_ns * whole, whole, context.budget)
    answers = _answers(run, sets, context.executors, each_ns * whole / 1e9)
    for done, (place, answer) in enumerate(answers, start=2):
        if not isinstance(answer, tuple):
            raise SpecError(_refusal(run.name, sets[place], answer.sentence))
        seconds[place], took = answer
        work += took
        _tell(context, done, whole)
        _check(run.name, work, whole, context.budget)
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


def _check(name: str, work_ns: int, runs: int, budget: Budget) -> None:
    """Raise :class:`OverBudget` where the runs take more than *budget*."""
    if budget.seconds is not None and work_ns / 1e9 > budget.seconds:
        raise OverBudget(
            f"{name}: the uncertainty takes about {show_duration(work_ns / 1e9)} for {runs} simulations; the "
            f"limit is {show_duration(budget.seconds)}: ask without the uncertainty",
            "time",
        )


def _refusal(name: str, values: Mapping[str, Any], why: str) -> str:
    at = ", ".join(f"{path}={show_number(value, 4)}" for path, value in list(values.items())[:3])
    return f"{name}: uncertainty: its constants may have values without an answer, such as {at}: {why}"
