"""What matters of the constants: the time with each at both ends of its interval."""

from __future__ import annotations

from functools import partial
from typing import Final

from blocktime.model.budget import USUAL, Budget
from blocktime.model.catalog import correlations
from blocktime.model.errors import SpecError
from blocktime.scenarios.run import run
from blocktime.scenarios.search.sensitivity import Sensitivity, TornadoBar
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.uncertainty.constant_runs import WITHIN, Context, Executors, Progress, factors_at
from blocktime.scenarios.uncertainty.constants import Uncertain, knowledge_of
from blocktime.scenarios.uncertainty.draws import correlation_matrix
from blocktime.scenarios.uncertainty.model_error import model_error

MEASURE: Final = "elapsed_s"


def tornado_of_constants(
    scenario: Scenario,
    seed: int | None = None,
    progress: Progress | None = None,
    budget: Budget = USUAL,
    executors: Executors | None = None,
) -> Sensitivity:
    """The uncertain constants of *scenario* by how far each moves the elapsed time within its interval.

    Constants that hang together with it are where they most likely are then. Raises :class:`SpecError` where no
    constant is uncertain, and what :func:`~scenarios.uncertainty.propagate` raises.
    """
    import numpy as np

    result = run(scenario, seed=seed, budget=budget)
    knowledge = knowledge_of(scenario, result.extrapolated)
    if not knowledge.uncertain:
        raise SpecError(
            f"{scenario.name}: no constant is uncertain, so nothing varies; give --vary KEY=LOW:HIGH or a list"
        )
    known = correlations() | {frozenset((text, other)): value for text, other, value in scenario.correlations}
    matrix = correlation_matrix(knowledge.names, known)
    count = len(knowledge.uncertain)
    ends = WITHIN * np.concatenate([-matrix[:, :count], matrix[:, :count]], axis=1)
    context = Context(model_error().exponent_sd, budget, executors, progress)
    scores = dict(zip(knowledge.names, ends, strict=True))
    factors = factors_at(scenario, result, knowledge, scores, context)
    elapsed_s = result.time.elapsed_s
    seconds = (elapsed_s * factors.values).tolist()
    bars = map(partial(_bar, elapsed_s), knowledge.uncertain, seconds[:count], seconds[count:])
    widest_first = tuple(sorted(bars, key=lambda bar: -bar.span))
    points = factors.runs or 2 * count + 1
    return Sensitivity(scenario.name, MEASURE, elapsed_s, points, widest_first, are_alone=False)


def _bar(base_s: float, uncertain: Uncertain, low_s: float, high_s: float) -> TornadoBar:
    """The bar of a constant with its time at the low and at the high end of its interval."""
    outcomes = {uncertain.low: low_s, uncertain.high: high_s}
    least, most = min(outcomes, key=outcomes.__getitem__), max(outcomes, key=outcomes.__getitem__)
    value = uncertain.constant.value
    return TornadoBar(
        uncertain.fields[0], min(base_s, outcomes[least]), max(base_s, outcomes[most]), least, most, value
    )
