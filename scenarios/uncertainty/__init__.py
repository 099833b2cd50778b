"""Within what a result lies: an interval of the elapsed time, and what causes it.

Three origins of error are drawn together. The constants, from their joint distribution: each draw is one set of
constants that may be the true one, and every scenario is answered with every draw. Constants that are used outside the
range that they were fitted in: they may change there as a power of the quantity, whose exponent is drawn. The model
itself, by mechanism, as far off as it is on published numbers that it was not fitted to.

What two scenarios share is the same in both, so their difference may be surer than each of them. Where the first is a
system as it was measured, its time is known: the difference from it holds what that leaves open. The draws are
answered as the result was: by exact sums where nothing queues, else by the response of a few simulations with the same
random numbers. Their spread is laid around the results themselves, as a share of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING, NamedTuple

from blocktime.model.budget import USUAL, Budget
from blocktime.model.catalog import correlations
from blocktime.model.results import Interval, RunResult, Uncertainty
from blocktime.scenarios.interval import CONFIDENCE
from blocktime.scenarios.measured import as_modelled
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.uncertainty.constant_runs import (
    DRAWS,
    Context,
    Executors,
    Factors,
    Progress,
    chance_of,
    factors_of,
)
from blocktime.scenarios.uncertainty.constants import Knowledge, exponent_name, knowledge_of
from blocktime.scenarios.uncertainty.difference import Difference
from blocktime.scenarios.uncertainty.draws import Draws, check_inputs, correlated, drawn
from blocktime.scenarios.uncertainty.model_error import MEASURED, model_error, seconds_by_mechanism
from blocktime.scenarios.uncertainty.shares import Origin, contributions
from blocktime.scenarios.why import are_paired

if TYPE_CHECKING:
    from blocktime.scenarios.uncertainty.draws import Reals

__all__ = ["Difference", "Propagated", "propagate"]


class _UncertainCase(NamedTuple):
    """One scenario with its answer, and what of it is uncertain."""

    scenario: Scenario
    result: RunResult
    knowledge: Knowledge
    seconds: dict[str, float]
    """Of the elapsed time, by mechanism."""

    def factors(self, draws: Draws, context: Context) -> Factors:
        """The elapsed time with each draw of constants, over that of the result."""
        import numpy as np

        if not self.knowledge.uncertain:
            return Factors(np.ones(DRAWS), 0)
        return factors_of(self.scenario, self.result, self.knowledge, draws, context)

    def times(self, factors: Reals, errors: dict[str, Reals]) -> Reals:
        """Elapsed seconds with each draw of constants and *errors*; those of the result where nothing is off."""
        import numpy as np

        elapsed = self.result.time.elapsed_s
        off: Reals = np.zeros(DRAWS)
        for mechanism, scores in errors.items():
            off += self.seconds[mechanism] * np.expm1(model_error().sd_of(mechanism) * scores)
        times: Reals = elapsed * factors * (1 + off / (elapsed or 1.0))
        return times

    def uncertainty(self, draws: Draws, times: Reals, origins: Sequence[Origin], runs: int) -> Uncertainty:
        """What *times*, one for each draw, say of the result."""
        uncertain, chance_s = self.knowledge.uncertain, _of_chance_s(self.result)
        low_s, high_s = _ends(times, self.result.time.elapsed_s, chance_s or 0.0)
        return Uncertainty(
            elapsed=Interval(low_s=low_s, high_s=high_s, confidence=CONFIDENCE),
            contributions=contributions(origins, times),
            uncertain_constants=[constant.name for constant in uncertain],
            extrapolated_constants=[constant.name for constant in uncertain if constant.beyond],
            known_constants=list(self.knowledge.known),
            chance_s=chance_s,
            draws=len(times) if origins else 0,
            seed=draws.seed,
            runs=runs,
        )


@dataclass(frozen=True, slots=True)
class Propagated:
    """Results with their uncertainty, and how sure the differences between them are."""

    results: tuple[RunResult, ...]
    _origins: tuple[tuple[Origin, ...], ...]
    _times: tuple[Reals, ...]
    """Elapsed seconds of each result with each draw, as many as it has."""
    _measured: Origin | None = None
    """How far the model is off the figures of the first system, as logarithms; None where it was not measured."""

    def difference(self, index: int, base: int = 0) -> Difference:
        """How sure the result at *index* is to take longer, or less long, than that at *base*.

        Both are answered with the same draws. Where *base* is a system as it was measured, its time is known.
        """
        import numpy as np

        before, after = self.results[base], self.results[index]
        first, second = self._times[base], self._times[index]
        base_s = before.time.elapsed_s
        change_s = after.time.elapsed_s - base_s
        chance_s = sum((_of_chance_s(result) or 0.0) ** 2 for result in (before, after)) ** 0.5
        origins = _together([*self._origins[base], *self._origins[index]])
        is_same = bool((first == second).all())
        if is_same or are_paired(before, after):
            chance_s = 0.0  # the same in both, also where nothing that differs between them plays a part
        if self._measured is not None and base == 0 and not is_same:
            second = _open(first, second, (base_s, after.time.elapsed_s), self._measured)
            first = np.full(DRAWS, base_s)
            origins.append(self._measured)
        low_s, high_s = _ends(second - first, change_s, chance_s)
        fractions = (0.0, 0.0)
        if base_s > 0:
            fractions = _ends(second / first - 1, change_s / base_s, chance_s / base_s)
        seeds = [result.uncertainty.seed for result in (before, after) if result.uncertainty]
        return Difference(
            change_s=change_s,
            low_s=low_s,
            high_s=high_s,
            low_fraction=fractions[0],
            high_fraction=fractions[1],
            confidence=CONFIDENCE,
            contributions=contributions(origins, second - first),
            extrapolated_constants=[
                origin.constant.name for origin in origins if origin.constant and origin.extrapolated
            ],
            draws=DRAWS if origins else 0,
            seed=seeds[0],
        )


def propagate(
    scenarios: Sequence[Scenario],
    results: Sequence[RunResult],
    seed: int | None = None,
    progress: Progress | None = None,
    budget: Budget = USUAL,
    executors: Executors | None = None,
) -> Propagated:
    """*results*, the answers to *scenarios*, within what they lie by constants, the model's own error and chance.

    *progress* is called with (done, all) of each scenario's simulations; *budget* is for those of each scenario. The
    numbers are the same whoever plays them. Raises :class:`SpecError` with one sentence where some values
    that the constants may have allow no answer, :class:`OverBudget` where the simulations take more than *budget*.
    """
    known = correlations()
    check_inputs(known)
    known = {
        **known,
        **{frozenset((text, other)): value for each in scenarios for text, other, value in each.correlations},
    }
    cases = [
        _UncertainCase(
            scenario, result, knowledge_of(scenario, result.extrapolated), seconds_by_mechanism(scenario, result)
        )
        for scenario, result in zip(scenarios, results, strict=True)
    ]
    names = sorted({name for each in cases for name in each.knowledge.names})
    mechanisms = sorted({name for each in cases for name in each.seconds})
    errors = [_error(name, place) for name in mechanisms for place in range(len(cases))]
    first_seed = scenarios[0].seed if seed is None else seed
    errors += [MEASURED] if scenarios[0].as_measured else []
    draws = drawn([*names, *errors], known, DRAWS, first_seed)
    offs = _errors(cases, mechanisms, draws)
    context = Context(model_error().exponent_sd, budget, executors, progress)
    factors = [each.factors(draws, context) for each in cases]
    times = tuple(each.times(by.values, off) for each, by, off in zip(cases, factors, offs, strict=True))
    origins = tuple(_origins(each.knowledge, draws, off) for each, off in zip(cases, offs, strict=True))
    run_results = tuple(
        each.result.model_copy(update={"uncertainty": each.uncertainty(draws, off, made, by.runs)})
        for each, by, off, made in zip(cases, factors, times, origins, strict=True)
    )
    return Propagated(run_results, origins, times, _off_measured(scenarios[0], results[0], draws))


def _off_measured(scenario: Scenario, result: RunResult, draws: Draws) -> Origin | None:
    """How far *result* is off what was measured of the system at most, as a standard deviation of the logarithm."""
    if not scenario.as_measured:
        return None
    farthest = max((abs(row.off_fraction) for row in as_modelled(scenario.as_measured, result)), default=0.0)
    return Origin((log1p(farthest) * draws.scores[MEASURED],), mechanism=MEASURED)


def _open(first: Reals, second: Reals, modelled: tuple[float, float], measured: Origin) -> Reals:
    """What of *second*, a time for each draw, stays open where that of *first* is known as it was measured.

    By linear regression of the logarithms. How far the model is off the *measured* figures is as like in both as its
    own errors of the times *modelled* are.
    """
    import numpy as np

    logs = np.log(first / modelled[0])
    around = logs - logs.mean()
    slope = around @ np.log(second) / (around @ around or 1.0)
    alike = model_error().correlations(modelled)[0, 1]
    (off,) = measured.scores
    left: Reals = second * np.exp((1 - alike**2) ** 0.5 * off[: len(second)] - slope * logs)
    return left


def _error(mechanism: str, place: int) -> str:
    return f"model: {mechanism} {place}"


def _errors(cases: Sequence[_UncertainCase], mechanisms: Sequence[str], draws: Draws) -> list[dict[str, Reals]]:
    """Scores of the model's own error by mechanism, for each scenario: the nearer two times, the more alike."""
    import numpy as np

    errors: list[dict[str, Reals]] = [{} for _ in cases]
    for name in mechanisms:
        places = [
            place for place, each in enumerate(cases) if each.seconds.get(name, 0.0) > 0 and model_error().sd_of(name)
        ]
        if not places:
            continue
        independent = np.stack([draws.scores[_error(name, place)] for place in places])
        matrix = model_error().correlations([cases[place].seconds[name] for place in places])
        for place, scores in zip(places, correlated(matrix, independent), strict=True):
            errors[place][name] = scores
    return errors


def _origins(knowledge: Knowledge, draws: Draws, errors: dict[str, Reals]) -> tuple[Origin, ...]:
    constants = [
        Origin(
            (
                draws.scores[uncertain.name],
                *(draws.scores[exponent_name(uncertain, quantity)] for quantity in uncertain.beyond),
            ),
            uncertain.constant, uncertain.fields, extrapolated=bool(uncertain.beyond),
        )
        for uncertain in knowledge.uncertain
    ]  # fmt: skip
    return (*constants, *(Origin((scores,), mechanism=name) for name, scores in errors.items()))


def _together(origins: Sequence[Origin]) -> list[Origin]:
    """One for each constant and mechanism, with the scores of both results."""
    origin_of: dict[str, Origin] = {}
    for origin in origins:
        name = origin.mechanism if origin.constant is None else origin.constant.name
        before = origin_of.get(name, origin)
        known = {id(scores): scores for scores in (*before.scores, *origin.scores)}
        origin_of[name] = before._replace(
            scores=tuple(known.values()), extrapolated=before.extrapolated or origin.extrapolated
        )
    return [origin_of[name] for name in sorted(origin_of)]


def _of_chance_s(result: RunResult) -> float | None:
    """Half of the interval of the mean over replications, or over the batches of one run of transactions, if any."""
    has_interval = result.time.interval or (result.transactions and result.transactions.response_interval)
    return chance_of(result) * result.time.elapsed_s if has_interval else None


def _ends(values: Reals, centre: float, chance: float) -> tuple[float, float]:
    """The interval that holds CONFIDENCE of *values*, and *centre*, widened by *chance*, half of an interval.

    Chance is independent of all else, so that the squares of their halves add.
    """
    import numpy as np

    tail = (1 - CONFIDENCE) / 2
    low, high = (float(end) for end in np.quantile(values, [tail, 1 - tail], method="hazen"))
    below, above = max(0.0, centre - low), max(0.0, high - centre)
    return centre - (below**2 + chance**2) ** 0.5, centre + (above**2 + chance**2) ** 0.5
