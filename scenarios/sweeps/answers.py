"""The answers to some points of a sweep, as a worker gives them: rows of numbers, or a sentence why there is none."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from blocktime.model.budget import USUAL, Budget, watched
from blocktime.model.engine import answer_measures, goes_by_arrays, sum_many
from blocktime.model.errors import BlocktimeError, BooksDoNotBalance
from blocktime.model.measures import MEASURES
from blocktime.model.results import EXACT_SUM, SIMULATION
from blocktime.scenarios.forecast import expected_within
from blocktime.scenarios.sweeps.columns import Columns, column_of, listed, points_of, taken
from blocktime.scenarios.sweeps.points import MOST_EXACT, Points, Values

Wholes = NDArray[np.int64]
Row = NDArray[np.float64]
"""One number for each of MEASURES, NaN where the answer has none."""
PLACES: Final = {name: place for place, name in enumerate(MEASURES)}


@dataclass(frozen=True, slots=True)
class SweepTask:
    """What is asked of every point."""

    points: Points
    seed: int
    budget: Budget = USUAL
    """Of each."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to answer: a point by its number, and which replication of it."""

    number: int
    replication: int
    values: Values | None
    """None for the base scenario as it stands."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A row and how it was made; or why there is none."""

    row: Row
    method: str
    error: str = ""


class Answers(Sequence[Answer]):
    """Answers by column."""

    def __init__(self, count: int) -> None:
        self.rows = np.full((count, len(MEASURES)), np.nan)
        self.methods = np.full(count, "", object)
        self.errors: dict[int, str] = {}
        """By place, of those that have no row."""
        self.took_s = 0.0
        """Time of a processor."""

    def __len__(self) -> int:
        return len(self.methods)

    @overload
    def __getitem__(self, place: int) -> Answer: ...
    @overload
    def __getitem__(self, place: slice) -> list[Answer]: ...
    def __getitem__(self, place: int | slice) -> Answer | list[Answer]:
        if isinstance(place, slice):
            return [self[rank] for rank in range(len(self))[place]]
        rank = range(len(self))[place]
        return Answer(self.rows[rank], self.methods[rank], self.errors.get(rank, ""))

    def put(self, place: int, answer: Answer) -> None:
        """The answer at a place."""
        self.rows[place], self.methods[place] = answer.row, answer.method
        if answer.error:
            self.errors[place] = answer.error


class Items(Sequence[Item]):
    """Points to answer, by column."""

    def __init__(self, numbers: Wholes, replications: Wholes, columns: Columns) -> None:
        self.numbers, self.replications, self.columns = numbers, replications, columns

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Items: ...
    def __getitem__(self, place: int | slice) -> Item | Items:
        some = place if isinstance(place, slice) else slice(place, place + 1 or None)
        columns = {key: column[some] for key, column in self.columns.items()}
        if isinstance(place, slice):
            return Items(self.numbers[place], self.replications[place], columns)
        return Item(int(self.numbers[place]), int(self.replications[place]), points_of(columns)[0])


def answers(task: SweepTask, items: Sequence[Item]) -> Answers:
    """One answer for each of *items*: the same whatever stands beside it, and wherever it is worked out."""
    began_s = time.thread_time()
    together = Answers(len(items))
    if isinstance(items, Items):
        for places in _alike(task.points, items.columns, len(items)):
            _by_arrays(task, items, places, together)
    for place in np.flatnonzero(together.methods == "").tolist():
        together.put(place, _alone(task, items[place]))
    together.took_s = time.thread_time() - began_s
    return together


def _alike(points: Points, columns: Columns, count: int) -> list[Sequence[int]]:
    """The places of points that differ in plain keys alone."""
    keys = points.structural_keys
    if not keys:
        return [range(count)]
    groups: dict[str, list[int]] = {}
    for place, row in enumerate(zip(*(listed(columns[key]) for key in keys), strict=True)):
        groups.setdefault(repr(row), []).append(place)
    return list(groups.values())


def _by_arrays(task: SweepTask, items: Items, places: Sequence[int], together: Answers) -> None:
    keys = task.points.plain_keys
    if not keys or not places:
        return
    first = task.points.point(items[places[0]].values or {})
    if not goes_by_arrays(first.workload.kind) or first.workload.beside:
        return
    axes = {key: _column(task.points, key, items, places) for key in keys}
    ranks = np.asarray(places)
    try:
        columns, wanted = sum_many(first.system, first.workload, axes)
    except (BlocktimeError, KeyError):  # the points one by one say which of them it was, and why
        return
    ranks = ranks[wanted]
    for name, place in PLACES.items():
        together.rows[ranks, place] = columns[name][wanted]
    together.methods[ranks] = EXACT_SUM


def _column(points: Points, key: str, items: Items, places: Sequence[int]) -> Any:
    """The values of a plain field as a scenario has them: an array of numbers, or a list."""
    column = items.columns[key]
    given = column_of(taken(column, places) if len(places) < len(items) else column)
    if isinstance(given, np.ndarray):
        return given if given.min() > -MOST_EXACT and given.max() < MOST_EXACT else listed(given)
    return [
        value if type(value) in (int, float) else points.understood(key, items[place].values or {})
        for place, value in zip(places, given, strict=True)
    ]


def _alone(task: SweepTask, item: Item) -> Answer:
    seed = task.seed + item.replication
    try:
        point = task.points.base if item.values is None else task.points.point(item.values)
        system, work = point.system, point.workload
        expected_within(task.budget, system, work)
        with watched(task.budget):
            measures, played = answer_measures(system, work, seed=seed)
        return Answer(_row(measures), SIMULATION if played else EXACT_SUM)
    except BlocktimeError as error:
        fault = "an error in blocktime: " if isinstance(error, BooksDoNotBalance) else ""
        return Answer(NOTHING, "", f"{fault}{error}")
    except Exception as error:  # one point must not end the sweep
        return Answer(NOTHING, "", f"an error in blocktime: {type(error).__name__}: {error}")


def _row(measures: Mapping[str, float]) -> Row:
    row = NOTHING.copy()
    for name, value in measures.items():
        row[PLACES[name]] = value
    return row


NOTHING: Final[Row] = np.full(len(MEASURES), np.nan)
