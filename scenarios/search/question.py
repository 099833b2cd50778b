"""Points that are written down one by one, and asked for list after list with one store and one executor."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from blocktime.model.budget import USUAL
from blocktime.model.errors import SpecError, UnknownName, cut
from blocktime.model.measures import MEASURES
from blocktime.scenarios.declared import takes_whole_numbers
from blocktime.scenarios.load import Source
from blocktime.scenarios.sweeps.answers import Item, SweepTask, answers
from blocktime.scenarios.sweeps.design import values_in_range
from blocktime.scenarios.sweeps.executors import Executor
from blocktime.scenarios.sweeps.points import Values
from blocktime.scenarios.sweeps.rows import Rows
from blocktime.scenarios.sweeps.sweep import Listener, SweepBackend, executor_at, notes_of, store_at
from blocktime.scenarios.sweeps.sweep_plan import USUAL_LIMIT, Plan, RunOptions, kind_of
from blocktime.scenarios.sweeps.sweep_run import Outcome, Running
from blocktime.scenarios.sweeps.sweep_source import source_of_sweep
from blocktime.scenarios.sweeps.sweep_spec import Axis, Sweep, axis_of, sweep_of

Signature = tuple[Any, ...]
"""What tells two points apart: the values, and whether 1 is a number or a flag."""

USUALLY: Final = SweepBackend()
"""This machine, and the usual store."""
FEWEST: Final = 2
"""Values of an axis that varies."""


@dataclass(frozen=True)
class Question:
    """A scenario, and what may vary about it."""

    source: Source
    axes: tuple[Axis, ...]
    """Each with its values, or with a range that any value may come from."""
    whole: frozenset[str]
    """Keys of fields that take whole numbers."""
    how: RunOptions
    where: tuple[str, ...] = ()
    """Conditions that the file declares."""
    limit: int | None = USUAL_LIMIT

    @property
    def keys(self) -> tuple[str, ...]:
        """What varies."""
        return tuple(axis.key for axis in self.axes)

    def axis(self, key: str) -> Axis:
        """The axis of a key."""
        return next(axis for axis in self.axes if axis.key == key)


def question_of(
    name: Source | str | Path,
    vary: Sequence[str | Axis] = (),
    settings: Sequence[str] = (),
    limit: int | None = USUAL_LIMIT,
    **how: Any,
) -> Question:
    """What is asked of a scenario, by *vary* and by the axes that its file declares.

    *how* may hold seed and replications; None is as good as absent. Raises :class:`SpecError`.
    """
    source = name if isinstance(name, Source) else source_of_sweep(name, settings)
    declared = sweep_of(source.data["sweep"], source.where) if "sweep" in source.data else None
    axes = _axes(source, declared, vary)
    base = source.scenario()
    kind = kind_of(axes, base)
    whole = {axis.key for axis in axes if takes_whole_numbers(axis.key, kind)}
    varied = [_listed(axis, axis.key in whole) for axis in axes]
    seed, replications = (how.get(name) for name in ("seed", "replications"))
    run_options = RunOptions(
        base.seed if seed is None else seed,
        replications or (declared and declared.replications) or base.replications,
        how.get("budget", USUAL),
    )
    where = declared.where if declared else ()
    sweep_of({"design": "latin_hypercube", "samples": 1, "axis": varied}, source.where)  # no key comes twice
    return Question(source, tuple(varied), frozenset(whole), run_options, where, limit)


def _axes(source: Source, declared: Sweep | None, vary: Sequence[str | Axis]) -> list[Axis]:
    """The declared axes and those of *vary*, which take the place of one of the same key."""
    given = [axis_given if isinstance(axis_given, Axis) else axis_of(axis_given) for axis_given in vary]
    replaced = {axis.key for axis in given}
    axes = [*(axis for axis in declared.axis if axis.key not in replaced), *given] if declared else given
    if not axes:
        raise SpecError(
            f"{cut(source.where)}: nothing varies; give --vary KEY=LOW:HIGH, --vary KEY=LOW:HIGH:log or "
            "--vary KEY=A,B,C, or a [[sweep.axis]] in the file"
        )
    if tied := next((axis for axis in axes if axis.zip), None):
        raise SpecError(f"{tied.key}: moves together with other axes (zip); here each axis moves on its own")
    return axes


def _listed(axis: Axis, is_whole: bool) -> Axis:
    """An axis whose points are told, as those values; refused where it has but one."""
    if axis.points is not None:
        values = tuple(dict.fromkeys(values_in_range(axis, is_whole)))
        axis = Axis(key=axis.key, values=values)
    count = len(dict.fromkeys(axis.values)) if axis.values else FEWEST - (axis.low == axis.high)
    if count < FEWEST:
        lone_value = axis.values[0] if axis.values else axis.low
        raise SpecError(f"{axis.key}: got {lone_value} alone; an axis takes two values or more, or LOW:HIGH")
    return axis


class ListedPoints:
    """The layout of points that are given as they are."""

    def __init__(self, keys: Sequence[str], points: Sequence[Values]) -> None:
        self.keys, self._points = tuple(keys), points

    def count(self) -> int:
        """How many points there are."""
        return len(self._points)

    def columns(self, begin: int, end: int) -> dict[str, list[Any]]:
        """The values of some of them."""
        points = self._points[begin:end]
        return {key: [point[key] for point in points] for key in self.keys}


def signature(point: Values) -> Signature:
    """What tells *point* from others of the same keys."""
    return tuple((type(value), value) for value in point.values())


def distinct(points: Iterable[Values]) -> list[Values]:
    """The different points in the order of their first coming."""
    return list({signature(point): point for point in points}.values())


class Asker:
    """Asks for the answers to lists of points; the store and the executor stay open from one list to the next."""

    def __init__(self, question: Question, at: SweepBackend = USUALLY, listener: Listener | None = None) -> None:
        self.question = question
        self._at, self._heard = at, listener or Listener()
        self._stack = ExitStack()
        self._executor: Executor | None = None
        self._outcome = Outcome(0)
        self._each_s = 0.0
        self._spent_s = 0.0

    def __enter__(self) -> Self:
        self._ledger = self._stack.enter_context(store_at(self._at))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def plan(self, points: Sequence[Values], keys: Sequence[str] | None = None) -> Plan:
        """The checked plan of *points*; those of *keys* alone leave the others as the base scenario has them."""
        question = self.question
        keys = question.keys if keys is None else keys
        count = self._outcome.wanted + len(points) * question.how.replications
        if question.limit is not None and count > question.limit:
            raise SpecError(
                f"{question.source.name}: {count:,} answers are more than the {question.limit:,} that are allowed; "
                f"--limit {count} allows them"
            )
        # The sweep says what varies; the points come from the list.
        axes = [question.axis(key) for key in keys]
        sweep = sweep_of({"design": "latin_hypercube", "samples": 1, "axis": axes}, question.source.where)
        return Plan(question.source, sweep, question.how, None, self._heard.checked, design=ListedPoints(keys, points))

    def answer(self, plan: Plan, aloud: bool = True) -> Rows:
        """The answers to *plan*, to be read as long as this is open; not *aloud* they are neither told nor counted."""
        began = time.perf_counter()
        running = Running(plan, self._ledger)
        before = self._outcome
        self._outcome = _sum(before, running.outcome)
        if aloud:
            self._heard.planned(running, notes_of(self._ledger, self._at))
        if self._each_s:
            running.each_s = self._each_s
        elif running.unknown:
            running.pilot()
            self._each_s = running.each_s
        left = running.unknown  # the pilot may have left nothing
        if left:
            expected_s = self._each_s * left
            executor = self._worker(self._spent_s + expected_s)
            if aloud:
                self._heard.expects(running, expected_s / executor.workers, executor.workers)
            running.run(executor, lambda outcome: self._heard.report_progress(_sum(before, outcome)))
        self._outcome = _sum(before, running.outcome) if aloud else before
        self._spent_s += time.perf_counter() - began
        return Rows(plan, self._ledger, running.outcome)

    def _worker(self, expected_s: float) -> Executor:
        """The executor so far, or processes once there is enough to do for them."""
        if self._executor is None or (self._executor.workers == 1 and self._at.cluster is None):
            self._executor = self._stack.enter_context(executor_at(self._at, expected_s))
        return self._executor

    def why_no_base(self) -> str:
        """Why the base scenario has no answer."""
        how = self.question.how
        axis = self.question.axes[0]
        plan = self.plan([{axis.key: axis.values[0] if axis.values else axis.ends[0]}], [axis.key])
        (answer,) = answers(SweepTask(plan.points, how.seed, how.budget), [Item(0, 0, None)])
        return answer.error


def _sum(before: Outcome, outcome: Outcome) -> Outcome:
    return Outcome(before.wanted + outcome.wanted, before.reused + outcome.reused, before.answered + outcome.answered)


def check_measure(measure: str, where: str = "") -> None:
    """Raise :class:`UnknownName` for what is no measure at all."""
    if measure not in MEASURES:
        raise UnknownName("measure", measure, MEASURES, where, "see blocktime list measures")


def check_has(measure: str, has: Iterable[str], question: Question) -> None:
    """Raise :class:`SpecError` for a measure that answers to the question do not have."""
    known = sorted(has)
    if known and measure not in known:
        raise SpecError(f"{question.source.name}: answers have no {measure}; they have {', '.join(known)}")


def measures_in(rows: Rows) -> set[str]:
    """The measures that the base scenario or any point has."""
    return {column.name for column in rows.columns if column.name in MEASURES} | set(rows.reference)
