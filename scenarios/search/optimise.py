"""The best point of a space under limits: all of a small one, or else a search; and what keeps it from being better."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from blocktime.model.errors import BlocktimeError, SpecError
from blocktime.model.extras import check_installed
from blocktime.model.measures import MEASURES
from blocktime.scenarios.load import Source
from blocktime.scenarios.search.limits import Limit, limits_of
from blocktime.scenarios.search.question import (
    USUALLY,
    Asker,
    Question,
    Signature,
    check_has,
    check_measure,
    distinct,
    measures_in,
    question_of,
    signature,
)
from blocktime.scenarios.search.search_axis import Along
from blocktime.scenarios.sweeps.points import Points, Values, value_in
from blocktime.scenarios.sweeps.sweep import Listener, SweepBackend, whole_table, write
from blocktime.scenarios.sweeps.sweep_plan import value_beside
from blocktime.scenarios.sweeps.sweep_spec import Axis
from blocktime.scenarios.sweeps.table import check_place

MOST_COMBINATIONS: Final = 2_000
"""A space of no more points is answered as a whole."""
MOST_SEARCHED: Final = 5_000
"""Points after which a search ends, settled or not."""
POPULATION: Final = 15
"""Points of a generation for each axis."""
SETTLED: Final = 1e-4
"""A search ends where a generation differs by no more, as a share of its mean."""
FIRST_STEP, LAST_STEP = 0.05, 1e-4
"""Of an axis, in the local search."""
TIGHT: Final = 1e-6
"""A limit with no more slack is met with equality."""
ALIKE: Final = 1e-9
MOST_RANKED: Final = 10
NO_ANSWER: Final = 1e6
"""How far from all limits a point is that has no answer."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be found."""

    measure: str
    largest: bool
    limits: tuple[Limit, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A point with its answer."""

    values: Values
    measures: Mapping[str, float]
    slacks: tuple[float, ...]
    """Of each limit."""
    error: str = ""

    @property
    def violation(self) -> float:
        """How far it is from keeping all limits; 0 where it keeps them."""
        return NO_ANSWER if self.error else sum(-slack for slack in self.slacks if slack < 0)


@dataclass(frozen=True, slots=True)
class Binding:
    """What keeps the best point from being better."""

    what: str
    """The text of a limit, or the key of an axis."""
    why: str
    """equal, forbids a neighbour, low end or high end."""
    key: str = ""
    """Of the axis along which the neighbour lies."""
    at: Any = None
    """Its value there, or the end of the axis."""
    outcome: float = math.nan
    """What the neighbour would have."""


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best point, against the base scenario."""

    name: str
    measure: str
    largest: bool
    limits: tuple[str, ...]
    best: Candidate | None
    """None where no point keeps all limits."""
    nearest: Candidate | None
    """Then the point that violates them least."""
    reference: Mapping[str, float]
    """The base scenario's measures."""
    base_keeps: tuple[bool, ...]
    """Whether the base scenario keeps each limit."""
    base_values: Mapping[str, Any]
    binding: tuple[Binding, ...]
    idle: tuple[str, ...]
    """Axes that make no difference at the best point."""
    points: int
    """Different points that were asked."""
    combinations: float
    exact: bool
    """Whether all points were answered."""
    settled: bool
    failed: int = 0
    error: str = ""
    """Why the first of the failed points has no answer."""
    ranking: tuple[Candidate, ...] = ()
    """The best points that keep all limits, in their order, of those that differ in what is wanted."""


def optimise(
    name: Source | str | Path,
    vary: Sequence[str | Axis] = (),
    *,
    minimise: str | None = None,
    maximise: str | None = None,
    such_that: Sequence[str] = (),
    at: SweepBackend = USUALLY,
    **how: Any,
) -> Optimum:
    """The point with the smallest or the largest measure among those that keep all of *such_that*.

    *how* may hold settings, limit, seed and replications, a listener, and out with force for the table of all
    points that were asked. Raises :class:`SpecError` with one sentence.
    """
    if (minimise is None) == (maximise is None):
        raise SpecError("an optimum has one goal: minimise a measure, or maximise one")
    measure = minimise or maximise or ""
    check_measure(measure)
    listener: Listener | None = how.pop("listener", None)
    out, force = how.pop("out", None), how.pop("force", False)
    if out is not None:
        check_place(Path(out), force)
    question = question_of(name, vary, **how)
    wanted = Wanted(measure, maximise is not None, tuple(limits_of([*question.where, *such_that], MEASURES)))
    with Asker(question, at, listener) as asker:
        space = Space(asker, wanted)
        optimum = space.searched()
        if out is not None:
            rows = asker.answer(asker.plan(space.answered_points), aloud=False)
            write(rows, Path(out), force)
        return optimum


@dataclass(slots=True)
class _EvaluatedPoints:
    """All points that were asked, and how many of them have no answer."""

    spots: dict[Signature, Candidate] = field(default_factory=dict)
    failed: int = 0
    error: str = ""


class _Enough(Exception):
    """No more points may be asked."""


class Space:
    """The points that a search may ask, and those that it has."""

    def __init__(self, asker: Asker, wanted: Wanted) -> None:
        self._asker, self._wanted = asker, wanted
        self._question: Question = asker.question
        self.along = [Along(axis, axis.key in self._question.whole) for axis in self._question.axes]
        self._base = self._question.source.scenario()
        self._resolver = Points(self._question.source, self._question.keys)
        self._known = _EvaluatedPoints()
        self._reference: Mapping[str, float] = {}
        self._has: set[str] = set()
        self._most = MOST_SEARCHED
        if self._question.limit is not None:
            self._most = min(self._most, self._question.limit // self._question.how.replications)
        self._check_limits()

    @property
    def combinations(self) -> float:
        """How many points there are; infinite where an axis is a range of reals."""
        return math.prod(axis.count for axis in self.along)

    @property
    def answered_points(self) -> list[Values]:
        """All points that were answered."""
        return [spot.values for spot in self._known.spots.values() if spot.measures or spot.error]

    def _check_limits(self) -> None:
        """Fields that a limit asks for are fields of the scenario, or vary."""
        for limit in self._wanted.limits:
            for key in limit.keys - limit.names - set(self._question.keys):
                value_in(self._base, key)

    def searched(self) -> Optimum:
        """The optimum, by all points of a small space or by a search."""
        exact = self.combinations <= MOST_COMBINATIONS
        settled = True
        if exact:
            grid = product(*(axis.values or () for axis in self.along))
            keys = self._question.keys
            self.ask([dict(zip(keys, values, strict=True)) for values in grid])
        else:
            try:
                settled = self._evolved()
                self._polished()
            except _Enough:
                settled = False
        best = self._best()
        binding, idle = self._binding(best, exact) if best else ((), ())
        return self._optimum(best, binding, idle, exact, settled)

    def _optimum(
        self, best: Candidate | None, binding: tuple[Binding, ...], idle: tuple[str, ...], exact: bool, settled: bool
    ) -> Optimum:
        spots = list(self._known.spots.values())
        nearest = min(spots, key=lambda spot: spot.violation, default=None)
        base = {axis.key: self._base_value(axis.key) for axis in self.along}
        at_base = self._slacks({}, self._reference)
        wanted = self._wanted
        return Optimum(
            self._question.source.name, wanted.measure, wanted.largest, tuple(limit.text for limit in wanted.limits),
            best, None if best else nearest, self._reference, tuple(slack >= 0 for slack in at_base), base, binding,
            idle, len(self.answered_points), self.combinations, exact, settled, self._known.failed, self._known.error,
            self._ranking(),
        )  # fmt: skip

    def _ranking(self) -> tuple[Candidate, ...]:
        """The best points, of equals the first."""
        feasible = [spot for spot in self._known.spots.values() if spot.violation == 0 and spot.measures]
        by_cost = {self._cost(spot): spot for spot in reversed(feasible)}
        return tuple(by_cost[cost] for cost in sorted(by_cost)[:MOST_RANKED])

    def _base_value(self, key: str) -> Any:
        try:
            return value_in(self._base, key)
        except (SpecError, AttributeError):  # a catalog entry, or a field of another kind of work
            return None

    # Asking

    def ask(self, points: Sequence[Values]) -> list[Candidate]:
        """The spots of *points*, of which those that are known are not asked again.

        Points whose fields alone break a limit are never answered: limits may be there to avoid what cannot be.
        """
        unknown = []
        for point in distinct(points):
            if signature(point) in self._known.spots:
                continue
            if (slacks := self._slacks_of_fields(point)) and min(slacks) < 0:
                self._known.spots[signature(point)] = Candidate(point, {}, slacks)
            else:
                unknown.append(point)
        if unknown:
            self._answer(unknown)
        return [self._known.spots[signature(point)] for point in points]

    def _answer(self, points: Sequence[Values]) -> None:
        plan = self._asker.plan(points)
        if not self._has:  # before much is answered: is there such a measure at all?
            self._check_measures(self._asker.plan(points[:1]))
        rows = self._asker.answer(plan)
        table = whole_table(rows)
        names = [name for name in MEASURES if name in table]
        for place, point in enumerate(points):
            error = table["error"][place] or ""
            measures = {name: float(table[name][place]) for name in names if not math.isnan(table[name][place])}
            if not error and self._wanted.measure not in measures:
                error = f"it has no {self._wanted.measure}"
            slacks = () if error else self._slacks(point, measures)
            self._known.spots[signature(point)] = Candidate(point, measures, slacks, error)
            if error:
                self._known.failed += 1
                self._known.error = self._known.error or error

    def _check_measures(self, plan: Any) -> None:
        rows = self._asker.answer(plan, aloud=False)
        self._reference, self._has = rows.reference, measures_in(rows)
        for name in (self._wanted.measure, *(name for limit in self._wanted.limits for name in limit.names)):
            check_has(name, self._has, self._question)

    def _slacks(self, point: Values, measures: Mapping[str, float]) -> tuple[float, ...]:
        def value(name: str) -> Any:
            if "." not in name:
                return measures.get(name, math.nan)
            return value_beside(self._resolver, self._base, point, name)

        return tuple(limit.slack(value) for limit in self._wanted.limits)

    def _slacks_of_fields(self, point: Values) -> tuple[float, ...]:
        """Slacks of the limits that need no answer."""

        value = partial(value_beside, self._resolver, self._base, point)
        return tuple(0.0 if limit.names else limit.slack(value) for limit in self._wanted.limits)

    # Choosing

    def _cost(self, spot: Candidate) -> float:
        value = spot.measures.get(self._wanted.measure, math.nan)
        return -value if self._wanted.largest else value

    def _best(self) -> Candidate | None:
        """The best of all spots; of equals the one that changes least."""
        feasible = [spot for spot in self._known.spots.values() if spot.violation == 0]
        if not feasible:
            return None
        least = min(self._cost(spot) for spot in feasible)
        equals = [spot for spot in feasible if self._cost(spot) <= least + ALIKE * abs(least)]
        return min(equals, key=lambda spot: sum(self._base_value(k) != v for k, v in spot.values.items()))

    # Searching

    def _points(self, places: NDArray[np.float64]) -> list[Values]:
        """Points at columns of places, one row for each axis."""
        return [
            {axis.key: axis.at(place) for axis, place in zip(self.along, column, strict=True)}
            for column in places.T.tolist()
        ]

    def _ask_within_limit(self, points: Sequence[Values]) -> list[Candidate]:
        """As :meth:`ask`, as long as no more points are asked than may be."""
        new = sum(signature(point) not in self._known.spots for point in distinct(points))
        if new + len(self._known.spots) > self._most:
            raise _Enough
        return self.ask(points)

    def _evolved(self) -> bool:
        """Differential evolution, a generation at a time; whether it settled."""
        check_installed("scipy")
        from scipy.optimize import Bounds, NonlinearConstraint, differential_evolution

        def violations(places: NDArray[np.float64]) -> NDArray[np.float64]:
            if places.ndim == 1:  # scipy only wants to know how many constraints there are
                return np.zeros(1)
            return np.array([[spot.violation for spot in self._ask_within_limit(self._points(places))]])

        def costs(places: Any) -> Any:  # the stubs know no vectorized functions
            spots = self._ask_within_limit(self._points(places))
            return np.array([math.inf if spot.error else self._cost(spot) for spot in spots])

        start = [axis.place(self._base_value(axis.key)) for axis in self.along]
        known = np.array([place for place in start if place is not None])
        result = differential_evolution(
            costs,
            Bounds(*np.array([axis.span for axis in self.along]).T),
            integrality=[axis.is_counted for axis in self.along],
            constraints=NonlinearConstraint(violations, -np.inf, 0.0),
            x0=known if len(known) == len(start) else None,
            popsize=POPULATION, maxiter=1000, tol=SETTLED, polish=False, init="latinhypercube",
            vectorized=True, updating="deferred", rng=self._question.how.seed,
        )  # fmt: skip
        return bool(result.success)

    def _polished(self) -> None:
        """A pattern search from the best spot: all neighbours at a step, which is halved where none is better."""
        step = FIRST_STEP
        best = self._best()
        while best is not None and step >= LAST_STEP:
            spots = self._ask_within_limit([*self._around(best, step)])
            better = [spot for spot in spots if spot.violation == 0 and self._cost(spot) < self._cost(best)]
            if better:
                best = min(better, key=self._cost)
            else:
                step /= 2

    def _around(self, spot: Candidate, step: float) -> list[Values]:
        neighbours: list[Values] = []
        for axis in self.along:
            value = spot.values[axis.key]
            others = axis.beside(value)
            place = axis.place(value)
            if not axis.is_counted and place is not None:
                others += [axis.at(min(max(place + way, 0.0), 1.0)) for way in (-step, step)]
            neighbours += [{**spot.values, axis.key: other} for other in others]
        return neighbours

    # What holds it back

    def _binding(self, best: Candidate, exact: bool) -> tuple[tuple[Binding, ...], tuple[str, ...]]:
        """Limits that bind and axes that end at their own bounds; and axes that make no difference."""
        equal = [
            Binding(limit.text, "equal")
            for limit, slack in zip(self._wanted.limits, best.slacks, strict=True)
            if 0 <= slack <= TIGHT
        ]
        bindings = {binding.what: binding for binding in equal}
        idle = []
        for axis in self.along:
            beside = [{**best.values, axis.key: other} for other in axis.beside(best.values[axis.key])]
            spots = self._beside(beside, exact)
            for spot in spots:
                self._forbidden(best, axis.key, spot, bindings)
            costs = [self._cost(spot) for spot in spots if spot.violation == 0]
            if costs and all(abs(cost - self._cost(best)) <= ALIKE * abs(cost) for cost in costs):
                idle.append(axis.key)
            elif axis.is_ordered and axis.count > 1 and best.values[axis.key] in axis.ends:
                is_low = best.values[axis.key] == axis.ends[0]
                if any(self._cost(spot) > self._cost(best) for spot in spots if spot.measures):
                    why = "low end" if is_low else "high end"
                    bindings[axis.key] = Binding(axis.key, why, axis.key, best.values[axis.key])
        return tuple(bindings.values()), tuple(idle)

    def _beside(self, points: Sequence[Values], exact: bool) -> list[Candidate]:
        """Neighbours of the best point; what a limit on fields alone forbids is answered here where it can be."""
        try:
            spots = self.ask(points) if exact else self._ask_within_limit(points)
        except _Enough:
            return []
        for spot in spots:
            if not spot.measures and not spot.error:
                with suppress(BlocktimeError):  # such a limit may be there because it is no scenario
                    self._answer([spot.values])
        return [self._known.spots[signature(point)] for point in points]

    def _forbidden(self, best: Candidate, key: str, spot: Candidate, bindings: dict[str, Binding]) -> None:
        """Note the limits that forbid a neighbour which would be better."""
        if not spot.measures or spot.error or not self._cost(spot) < self._cost(best) - ALIKE * abs(self._cost(best)):
            return
        for limit, slack in zip(self._wanted.limits, spot.slacks, strict=True):
            if slack < 0:
                at, outcome = spot.values[key], spot.measures[self._wanted.measure]
                bindings[limit.text] = Binding(limit.text, "forbids a neighbour", key, at, outcome)
