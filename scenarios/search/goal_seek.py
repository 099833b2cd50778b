"""Where along one axis a measure reaches a goal: a coarse scan, then halving between two neighbours of it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Final, Literal

from blocktime.model.engine import is_played
from blocktime.model.errors import SpecError, cut
from blocktime.scenarios.declared import limits_of
from blocktime.scenarios.load import Source
from blocktime.scenarios.search.limits import number_said
from blocktime.scenarios.search.question import USUALLY, Asker, check_has, check_measure, measures_in, question_of
from blocktime.scenarios.search.search_axis import Along
from blocktime.scenarios.sweeps.points import Values, value_in
from blocktime.scenarios.sweeps.sweep import Listener, SweepBackend, whole_table, write
from blocktime.scenarios.sweeps.sweep_spec import Axis
from blocktime.scenarios.sweeps.table import check_place

SCANNED: Final = 9
STILL: Final = 0.005
"""A step of a measure by less of its value is none: three digits are shown, and the answers are no surer than that."""

_GOAL = re.compile(r"\s*([A-Za-z_]\w*)\s*(<=|>=|==?)\s*(.*\S)\s*", re.DOTALL)


@dataclass(frozen=True)
class Goal:
    """A measure, how it is compared, and with what."""

    text: str
    measure: str
    test: str
    """=, <= or >=."""
    number: Callable[[Callable[[str], Any]], float]
    """The number, given what names and fields stand for."""

    def holds(self, value: float, number: float) -> bool:
        """Whether a value keeps the goal; for = whether it is below it or meets it."""
        return value >= number if self.test == ">=" else value <= number


def goal_of(text: str) -> Goal:
    """The goal that a text such as ``response_p95_s = 100ms`` or ``response_s <= 2 * base`` says."""
    where = f"seek {cut(text)!r}"
    match = _GOAL.fullmatch(text)
    if match is None:
        raise SpecError(f"{where}: write it as MEASURE = NUMBER, with = or <= or >=, such as response_s = 0.1")
    measure, test, right = match.groups()
    check_measure(measure, where)
    number = number_said(right, where, measure)
    return Goal(text, measure, test.replace("==", "="), number)


@dataclass(frozen=True, slots=True)
class MeasureAt:
    """A value of the axis and the measure there; NaN where there is no answer."""

    value: Any
    outcome: float
    error: str = ""

    @property
    def is_answered(self) -> bool:
        """Whether there is an answer."""
        return not math.isnan(self.outcome)


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where a goal is reached, or that it is not."""

    name: str
    key: str
    measure: str
    test: str
    goal: float
    base: float
    """The measure of the base scenario; NaN where it has none."""
    scan: tuple[MeasureAt, ...]
    """The coarse scan, from low to high."""
    below: MeasureAt | None
    """The last value before the first crossing, from the low end; None where the goal is not crossed."""
    above: MeasureAt | None
    """The first value behind it."""
    is_whole: bool
    """Whether below and above are neighbours, with no value between them."""
    is_monotone: bool
    """Whether the outcomes that were asked only rise, or only fall, but for steps that are rounding or chance."""
    can_go: tuple[bool, bool]
    """Whether the field may have values below the scanned range, and above it."""
    points: int

    @property
    def beyond(self) -> Literal["", "below", "above"]:
        """At which end of the scanned range the measure still moves towards a goal that it does not reach there."""
        outcomes = [reached.outcome for reached in self.scan if reached.is_answered]
        if self.below is not None or not self.is_monotone or not is_step(outcomes[0], outcomes[-1]):
            return ""
        is_rising = outcomes[-1] > outcomes[0]
        is_at_top = (self.goal > max(outcomes)) == is_rising
        if not self.can_go[is_at_top] or not (self.scan[-1] if is_at_top else self.scan[0]).is_answered:
            return ""
        return "above" if is_at_top else "below"

    @property
    def best(self) -> MeasureAt | None:
        """The value asked for: of the two at the crossing the one that holds, or for = the nearer one."""
        if self.below is None or self.above is None:
            return None
        sides = [side for side in (self.below, self.above) if side.is_answered]
        if self.test == "=":
            if not self.above.is_answered:
                return None
            return min(sides, key=lambda side: abs(side.outcome - self.goal))
        holding = [side for side in sides if _holds(self.test, side.outcome, self.goal)]
        return holding[0] if holding else None


def is_step(before: float, other: float, least: float = STILL) -> bool:
    """Whether a measure differs by more than *least*, as a share of the larger of the two."""
    return abs(other - before) > least * max(abs(before), abs(other))


def is_monotone(outcomes: Sequence[float], least: float) -> bool:
    """Whether outcomes only rise, or only fall, but for steps of at most *least* of their value."""
    steps = [other - before for before, other in combinations(outcomes, 2) if is_step(before, other, least)]
    return not (any(step > 0 for step in steps) and any(step < 0 for step in steps))


def _holds(test: str, outcome: float, goal: float) -> bool:
    return outcome >= goal if test == ">=" else outcome <= goal


def seek(
    name: Source | str | Path, goal: str, vary: Sequence[str | Axis] = (), *, at: SweepBackend = USUALLY, **how: Any
) -> Crossing:
    """Where the one axis of *vary* brings a measure to its goal, such as ``response_s <= 2 * base``.

    The first crossing from the low end. *how* may hold settings, limit, seed and replications, a listener, and
    out with force for the table of all points that were asked. Raises :class:`SpecError` with one sentence.
    """
    wanted = goal_of(goal)
    check_measure(wanted.measure)
    listener: Listener | None = how.pop("listener", None)
    out, force = how.pop("out", None), how.pop("force", False)
    if out is not None:
        check_place(Path(out), force)
    question = question_of(name, vary, **how)
    if question.where:
        raise SpecError(f"{question.source.name}: its where leaves points out; a goal is sought along all of an axis")
    if len(question.axes) > 1:
        raise SpecError(f"seek takes one axis; got {len(question.axes)}: {cut(', '.join(question.keys), 200)}")
    along = Along(question.axes[0], question.axes[0].key in question.whole)
    if not along.is_ordered:
        raise SpecError(
            f"{along.key}: got words or flags; a goal is sought along numbers, such as {along.key}=LOW:HIGH"
        )
    with Asker(question, at, listener) as asker:
        search = _Search(asker, along, wanted)
        crossing = search.crossing()
        if out is not None:
            points: list[Values] = [{along.key: value} for value in search.known]
            write(asker.answer(asker.plan(points), aloud=False), Path(out), force)
        return crossing


class _Search:
    def __init__(self, asker: Asker, along: Along, goal: Goal) -> None:
        self._asker, self._along, self._goal = asker, along, goal
        self._base = float("nan")
        self.known: dict[Any, MeasureAt] = {}

    def crossing(self) -> Crossing:
        """Scan, find the first stretch that crosses the goal, and halve it."""
        source = self._asker.question.source
        scanned = self._ask(self._along.scan(SCANNED))
        answered = [reached for reached in scanned if reached.is_answered]
        if not answered:
            raise SpecError(f"{source.name}: no point along {self._along.key} has an answer: {scanned[0].error}")
        number = self._number()
        stretch = self._first_change(scanned, number)
        below, above = self._halved(*stretch, number) if stretch else (None, None)
        is_whole = below is not None and above is not None and self._along.values is not None
        return Crossing(
            source.name, self._along.key, self._goal.measure, self._goal.test, number, self._base, tuple(scanned),
            below, above, is_whole, self._is_monotone(), self._can_go(scanned), len(self.known),
        )  # fmt: skip

    def _ask(self, values: Sequence[Any]) -> list[MeasureAt]:
        key, measure = self._along.key, self._goal.measure
        rows = self._asker.answer(self._asker.plan([{key: value} for value in values]))
        if not self.known:
            check_has(measure, measures_in(rows), self._asker.question)
            self._base = rows.reference.get(measure, math.nan)
        table = whole_table(rows)
        outcomes = table[measure].tolist() if measure in table else [math.nan] * len(values)
        answers = [
            MeasureAt(value, outcome, error or "")
            for value, outcome, error in zip(values, outcomes, table["error"], strict=True)
        ]
        self.known.update((reached.value, reached) for reached in answers)
        return answers

    def _number(self) -> float:
        source = self._asker.question.source
        base = source.scenario()

        def value(name: str) -> Any:
            if name != "base":
                return value_in(base, name)
            if math.isnan(self._base):
                raise SpecError(
                    f"seek {cut(self._goal.text)!r}: the base scenario has no {self._goal.measure}: "
                    f"{self._asker.why_no_base()}"
                )
            return self._base

        return self._goal.number(value)

    def _side(self, reached: MeasureAt, number: float) -> bool | None:
        return self._goal.holds(reached.outcome, number) if reached.is_answered else None

    def _first_change(self, scanned: Sequence[MeasureAt], number: float) -> tuple[MeasureAt, MeasureAt] | None:
        """The first neighbours in the scan on different sides; what has no answer is on neither."""
        first = next(place for place, reached in enumerate(scanned) if reached.is_answered)
        for reached, other in pairwise(scanned[first:]):
            if self._side(reached, number) != self._side(other, number):
                return reached, other
        return None

    def _halved(self, below: MeasureAt, above: MeasureAt, number: float) -> tuple[MeasureAt, MeasureAt]:
        """The stretch between two values as short as it can be; what has no answer is behind the crossing."""
        side = self._side(below, number)
        first, other = self._along.halved(
            below, above, lambda value: self._ask([value])[0], lambda at: self._side(at, number) == side
        )
        return first, other

    def _is_monotone(self) -> bool:
        """Whether the outcomes that are known only rise, or only fall, along the axis."""
        known = (self.known[value] for value in sorted(self.known))
        return is_monotone([reached.outcome for reached in known if reached.is_answered], max(STILL, self._chance()))

    def _chance(self) -> float:
        """Share of its value by which chance alone may move a measure of simulated transactions."""
        question = self._asker.question
        base = question.source.scenario()
        return base.workload.chance_fraction if is_played(base.system, base.workload) else 0.0

    def _can_go(self, scanned: Sequence[MeasureAt]) -> tuple[bool, bool]:
        """Whether the field may have values beyond both ends of the range."""
        kind = self._asker.question.source.scenario().workload.kind
        low, high = limits_of(self._along.key, kind)
        return low < scanned[0].value, scanned[-1].value < high
