"""How far a result may be off because its constants are: an interval of the elapsed time, and what makes it.

The constants of all scenarios that are asked about are drawn together, each draw one set of constants that may be the
true one, and every scenario is answered with every draw. What two scenarios share is the same in both, so their
difference is surer than each of them. The answers' spread is laid around the results themselves, as a share of them;
so what the closed form of a statement that changes rows rounds off does not count as uncertainty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from model.catalog import correlations
from model.results import Interval, RunResult, Uncertainty
from scenarios.interval import CONFIDENCE
from scenarios.spec import Scenario
from scenarios.uncertainty.answers import Progress, elapsed_s, engine_for, many_for
from scenarios.uncertainty.constants import Knowledge, drawn_values, knowledge_of
from scenarios.uncertainty.difference import Difference
from scenarios.uncertainty.draws import Draws, check_inputs, drawn
from scenarios.uncertainty.shares import contributions

if TYPE_CHECKING:
    from scenarios.uncertainty.draws import Reals

__all__ = ["Difference", "Propagated", "propagate"]


@dataclass(frozen=True, slots=True)
class _Asked:
    """One scenario with its answer, and what will answer the draws of its constants."""

    scenario: Scenario
    result: RunResult
    knowledge: Knowledge
    engine: str

    @property
    def many(self) -> int:
        """How many draws it is answered with."""
        return many_for(self.scenario, self.engine)

    def times(self, draws: Draws, progress: Progress | None) -> Reals:
        """Elapsed seconds with each draw, such that the constants' own values have those of the result."""
        import numpy as np  # noqa: PLC0415

        elapsed = self.result.time.elapsed_s
        if not self.knowledge.uncertain:
            return np.full(self.many, elapsed)
        kind = self.scenario.workload.kind
        columns = {
            path: drawn_values(one, np.append(0.0, draws.scores[one.name][: self.many]), path, kind)
            for one in self.knowledge.uncertain
            for path in one.fields
        }
        own, *others = elapsed_s(self.scenario, columns, self.engine, self.result.seed, progress)
        return np.array(others) * (elapsed / own if own else 1.0)

    def uncertainty(self, draws: Draws, times: Reals) -> Uncertainty:
        """What *times*, one for each draw, say of the result."""
        uncertain, chance_s = self.knowledge.uncertain, _of_chance_s(self.result)
        low_s, high_s = _ends(times, self.result.time.elapsed_s, chance_s or 0.0)
        return Uncertainty(
            elapsed=Interval(low_s=low_s, high_s=high_s, confidence=CONFIDENCE),
            contributions=contributions(uncertain, draws, times),
            uncertain_constants=[one.name for one in uncertain],
            known_constants=list(self.knowledge.known),
            chance_s=chance_s,
            draws=len(times) if uncertain else 0,
            seed=draws.seed,
            engine=self.engine,
        )


@dataclass(frozen=True, slots=True)
class Propagated:
    """Results with their uncertainty, and how sure the differences between them are."""

    results: tuple[RunResult, ...]
    _knowledge: tuple[Knowledge, ...]
    _draws: Draws
    _times: tuple[Reals, ...]
    """Elapsed seconds of each result with each draw, as many as it has."""

    def difference(self, index: int, base: int = 0) -> Difference:
        """How sure the result at *index* is to take longer, or less long, than that at *base*."""
        before, after = self.results[base], self.results[index]
        many = min(len(self._times[base]), len(self._times[index]))
        first, second = self._times[base][:many], self._times[index][:many]
        base_s = before.time.elapsed_s
        change_s = after.time.elapsed_s - base_s
        chance_s = sum((_of_chance_s(one) or 0.0) ** 2 for one in (before, after)) ** 0.5
        if (first == second).all():
            chance_s = 0.0  # nothing that differs between them plays a part, so chance was the same too
        low_s, high_s = _ends(second - first, change_s, chance_s)
        fractions = (0.0, 0.0)
        if base_s > 0:
            fractions = _ends(second / first - 1, change_s / base_s, chance_s / base_s)
        uncertain = {one.name: one for each in (base, index) for one in self._knowledge[each].uncertain}
        return Difference(
            change_s=change_s,
            low_s=low_s,
            high_s=high_s,
            low_fraction=fractions[0],
            high_fraction=fractions[1],
            confidence=CONFIDENCE,
            contributions=contributions(uncertain.values(), self._draws, second - first),
            draws=many if uncertain else 0,
            seed=self._draws.seed,
        )


def propagate(
    scenarios: Sequence[Scenario],
    results: Sequence[RunResult],
    seed: int | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
) -> Propagated:
    """*results*, the answers to *scenarios*, with how far their constants' joint uncertainty and chance move them.

    The draws are answered by the engine that gave the result, or by the closed form where that is exact, or where
    *engine* is ``calculate``. *progress* is called with (done, all) of each simulated scenario. Raises
    :class:`SpecError` with one sentence where some values that the constants may have allow no answer.
    """
    known = correlations()
    check_inputs(known)
    asked = [
        _Asked(scenario, result, knowledge_of(scenario), engine_for(scenario, result, engine))
        for scenario, result in zip(scenarios, results, strict=True)
    ]
    names = sorted({one.name for each in asked for one in each.knowledge.uncertain})
    first_seed = scenarios[0].seed if seed is None else seed
    draws = drawn(names, known, max(each.many for each in asked), first_seed)
    times = tuple(each.times(draws, progress) for each in asked)
    found = tuple(
        each.result.model_copy(update={"uncertainty": each.uncertainty(draws, own)})
        for each, own in zip(asked, times, strict=True)
    )
    return Propagated(found, tuple(each.knowledge for each in asked), draws, times)


def _of_chance_s(result: RunResult) -> float | None:
    """Half of the interval of the mean over replications, or over the batches of one run of transactions, if any."""
    interval = result.time.interval
    if interval is None and result.transactions is not None:
        interval = result.transactions.response_interval
    return None if interval is None else (interval.high_s - interval.low_s) / 2


def _ends(values: Reals, centre: float, chance: float) -> tuple[float, float]:
    """The interval that holds CONFIDENCE of *values*, and *centre*, widened by *chance*, half of an interval.

    Constants and chance are independent of each other, so that the squares of their halves add.
    """
    import numpy as np  # noqa: PLC0415

    tail = (1 - CONFIDENCE) / 2
    low, high = (float(end) for end in np.quantile(values, [tail, 1 - tail], method="hazen"))
    below, above = max(0.0, centre - low), max(0.0, high - centre)
    return centre - (below**2 + chance**2) ** 0.5, centre + (above**2 + chance**2) ** 0.5
