"""Within what a result lies: an interval of the elapsed time, and what causes it.

Three origins of error are drawn together. The constants, from their joint distribution: each draw is one set of
constants that may be the true one, and every scenario is answered with every draw. Constants that are used outside the
range that they were fitted in: they may change there as a power of the quantity, whose exponent is drawn. The model
itself, by mechanism, as far off as it is on published numbers that it was not fitted to, and an instant estimate as
far off as such estimates are of the simulation.

What two scenarios share is the same in both, so their difference may be surer than each of them. Where the first is a
system as it was measured, its time is known: the difference from it holds what that leaves open. The answers' spread
is laid around the results themselves, as a share of them; so what the closed form of a statement that changes rows
rounds off does not count as uncertainty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING, NamedTuple

from blocktime.model.catalog import correlations
from blocktime.model.results import Interval, RunResult, Uncertainty
from blocktime.scenarios.interval import CONFIDENCE
from blocktime.scenarios.measured import as_modelled
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.uncertainty.answers import Answerer, Progress, answerer_of
from blocktime.scenarios.uncertainty.constants import Knowledge, Uncertain, drawn_values, knowledge_of
from blocktime.scenarios.uncertainty.difference import Difference
from blocktime.scenarios.uncertainty.draws import Draws, check_inputs, correlated, drawn
from blocktime.scenarios.uncertainty.model_error import (
    ESTIMATE,
    MEASURED,
    model_error,
    sd_of_estimate,
    seconds_by_mechanism,
)
from blocktime.scenarios.uncertainty.shares import Origin, contributions

if TYPE_CHECKING:
    from blocktime.scenarios.uncertainty.draws import Reals

__all__ = ["Difference", "Propagated", "propagate"]


class _Asked(NamedTuple):
    """One scenario with its answer, and what will answer the draws of its constants."""

    scenario: Scenario
    result: RunResult
    knowledge: Knowledge
    answerer: Answerer
    seconds: dict[str, float]
    """Of the elapsed time, by mechanism."""

    def sd_of(self, mechanism: str) -> float:
        """Standard deviation of the logarithm of its time of *mechanism*."""
        return sd_of_estimate(self.result) if mechanism == ESTIMATE else model_error().sd_of(mechanism)

    @property
    def draws(self) -> int:
        """How many draws it is answered with."""
        return self.answerer.draws(self.scenario)

    def times(self, draws: Draws, errors: dict[str, Reals], progress: Progress | None) -> Reals:
        """Elapsed seconds with each draw of constants and *errors*; those of the result where nothing is off."""
        import numpy as np  # noqa: PLC0415

        elapsed = self.result.time.elapsed_s
        elapsed_times: Reals = np.full(self.draws, elapsed)
        if self.knowledge.uncertain:
            own, *others = self.answerer.elapsed_s(
                self.scenario, self._columns(draws), self.result.seed, progress
            )
            elapsed_times = np.array(others) * (elapsed / own if own else 1.0)
        off: Reals = np.zeros(self.draws)
        for mechanism, scores in errors.items():
            off += self.seconds[mechanism] * np.expm1(self.sd_of(mechanism) * scores[: self.draws])
        return elapsed_times * (1 + off / elapsed) if elapsed else elapsed_times

    def _columns(self, draws: Draws) -> dict[str, Reals]:
        """Values of each uncertain field: the constant's own one first, then one for each draw."""
        import numpy as np  # noqa: PLC0415

        sd = model_error().exponent_sd
        columns = {}
        for uncertain in self.knowledge.uncertain:
            scores = np.append(0.0, draws.scores[uncertain.name][: self.draws])
            exponents = {
                quantity: sd * np.append(0.0, draws.scores[_exponent(uncertain, quantity)][: self.draws])
                for quantity in uncertain.beyond
            }
            for path in uncertain.fields:
                columns[path] = drawn_values(uncertain, scores, path, self.scenario.workload.kind, exponents)
        return columns

    def uncertainty(self, draws: Draws, times: Reals, origins: Sequence[Origin]) -> Uncertainty:
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
            engine=self.answerer.engine,
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
        import numpy as np  # noqa: PLC0415

        before, after = self.results[base], self.results[index]
        draws = min(len(self._times[base]), len(self._times[index]))
        first, second = self._times[base][:draws], self._times[index][:draws]
        base_s = before.time.elapsed_s
        change_s = after.time.elapsed_s - base_s
        chance_s = sum((_of_chance_s(result) or 0.0) ** 2 for result in (before, after)) ** 0.5
        origins = _together([*self._origins[base], *self._origins[index]])
        if (first == second).all():
            chance_s = 0.0  # nothing that differs between them plays a part, so chance was the same too
        elif self._measured is not None and base == 0:
            second = _open(first, second, (base_s, after.time.elapsed_s), self._measured)
            first = np.full(draws, base_s)
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
            draws=draws if origins else 0,
            seed=seeds[0],
        )


def propagate(
    scenarios: Sequence[Scenario],
    results: Sequence[RunResult],
    seed: int | None = None,
    engine: str = "calculate",
    progress: Progress | None = None,
) -> Propagated:
    """*results*, the answers to *scenarios*, within what they lie by constants, the model's own error and chance.

    The closed form answers the draws, whichever engine gave a result, so that the interval of an answer is one wherever
    it is asked for; with *engine* ``simulate`` the simulation does. *progress* is called with (done, all) of each
    simulated scenario. Raises :class:`SpecError` with one sentence where some values that the constants may have allow
    no answer.
    """
    known = correlations()
    check_inputs(known)
    known = {
        **known,
        **{frozenset((text, other)): value for each in scenarios for text, other, value in each.correlations},
    }
    asked = [
        _Asked(
            scenario, result, knowledge_of(scenario, result.extrapolated), answerer_of(scenario, engine),
            seconds_by_mechanism(scenario, result) | {ESTIMATE: result.time.elapsed_s},
        )
        for scenario, result in zip(scenarios, results, strict=True)
    ]  # fmt: skip
    uncertain = [uncertain for each in asked for uncertain in each.knowledge.uncertain]
    constants = sorted({constant.name for constant in uncertain})
    exponents = sorted(
        {_exponent(constant, quantity) for constant in uncertain for quantity in constant.beyond}
    )
    mechanisms = sorted({name for each in asked for name in each.seconds})
    errors = [_error(name, place) for name in mechanisms for place in range(len(asked))]
    first_seed = scenarios[0].seed if seed is None else seed
    errors += [MEASURED] if scenarios[0].as_measured else []
    draws = drawn([*constants, *exponents, *errors], known, max(each.draws for each in asked), first_seed)
    off = _errors(asked, mechanisms, draws)
    times = tuple(each.times(draws, own, progress) for each, own in zip(asked, off, strict=True))
    origins = tuple(_origins(each.knowledge, draws, own) for each, own in zip(asked, off, strict=True))
    run_results = tuple(
        each.result.model_copy(update={"uncertainty": each.uncertainty(draws, own, made)})
        for each, own, made in zip(asked, times, origins, strict=True)
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
    import numpy as np  # noqa: PLC0415

    logs = np.log(first / modelled[0])
    around = logs - logs.mean()
    slope = around @ np.log(second) / (around @ around or 1.0)
    alike = model_error().correlations(modelled)[0, 1]
    (off,) = measured.scores
    left: Reals = second * np.exp((1 - alike**2) ** 0.5 * off[: len(second)] - slope * logs)
    return left


def _exponent(constant: Uncertain, quantity: str) -> str:
    """Name of the draws of how a constant changes with a quantity outside its range."""
    return f"{constant.name} by {quantity}"


def _error(mechanism: str, place: int) -> str:
    return f"model: {mechanism} {place}"


def _errors(asked: Sequence[_Asked], mechanisms: Sequence[str], draws: Draws) -> list[dict[str, Reals]]:
    """Scores of the model's own error by mechanism, for each scenario: the nearer two times, the more alike."""
    import numpy as np  # noqa: PLC0415

    errors: list[dict[str, Reals]] = [{} for _ in asked]
    for name in mechanisms:
        places = [
            place for place, each in enumerate(asked) if each.seconds.get(name, 0.0) > 0 and each.sd_of(name)
        ]
        if not places:
            continue
        independent = np.stack([draws.scores[_error(name, place)] for place in places])
        matrix = model_error().correlations([asked[place].seconds[name] for place in places])
        for place, scores in zip(places, correlated(matrix, independent), strict=True):
            errors[place][name] = scores
    return errors


def _origins(knowledge: Knowledge, draws: Draws, errors: dict[str, Reals]) -> tuple[Origin, ...]:
    constants = [
        Origin(
            (
                draws.scores[uncertain.name],
                *(draws.scores[_exponent(uncertain, quantity)] for quantity in uncertain.beyond),
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
    interval = result.time.interval
    if interval is None and result.transactions is not None:
        interval = result.transactions.response_interval
    return None if interval is None else (interval.high_s - interval.low_s) / 2


def _ends(values: Reals, centre: float, chance: float) -> tuple[float, float]:
    """The interval that holds CONFIDENCE of *values*, and *centre*, widened by *chance*, half of an interval.

    Chance is independent of all else, so that the squares of their halves add.
    """
    import numpy as np  # noqa: PLC0415

    tail = (1 - CONFIDENCE) / 2
    low, high = (float(end) for end in np.quantile(values, [tail, 1 - tail], method="hazen"))
    below, above = max(0.0, centre - low), max(0.0, high - centre)
    return centre - (below**2 + chance**2) ** 0.5, centre + (above**2 + chance**2) ** 0.5
