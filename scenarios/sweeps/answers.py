"""The answers to some points of a sweep, as a worker gives them: rows of numbers, or a sentence why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from model.engine import answered, answered_many, calculate, goes_by_arrays, simulate_measures
from model.errors import BlocktimeError, BooksDoNotBalance
from model.measures import MEASURES, measures_of
from scenarios.forecast import USUAL, Budget, expected_within
from scenarios.sweeps.points import Points, Values

Row = NDArray[np.float64]
"""One number for each of MEASURES, NaN where the answer has none."""
PLACES: Final = {name: place for place, name in enumerate(MEASURES)}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of every point."""

    points: Points
    engine: str
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
    """A row and the engine that gave it; or why there is none."""

    row: Row
    engine: str
    error: str = ""


def answers(asked: Asked, items: Sequence[Item]) -> list[Answer]:
    """One answer for each of *items*: the same whatever stands beside it, and wherever it is worked out."""
    answers_by_place: dict[int, Answer] = {}
    for group in _alike(asked.points, items):
        answers_by_place |= _by_arrays(asked, group)
    return [answers_by_place.get(place) or _alone(asked, item) for place, item in enumerate(items)]


def _alike(points: Points, items: Sequence[Item]) -> list[dict[int, Values]]:
    """The items that differ in plain fields alone: place -> values."""
    groups: dict[str, dict[int, Values]] = {}
    for place, item in enumerate(items):
        if item.values is not None:
            groups.setdefault(points.group(item.values), {})[place] = item.values
    return list(groups.values())


def _by_arrays(asked: Asked, group: Mapping[int, Values]) -> dict[int, Answer]:
    """Answers by place to those points that the closed form answers as it is wanted."""
    keys = asked.points.plain_keys
    first = asked.points.point(next(iter(group.values())))
    if not keys or not goes_by_arrays(asked.engine, first.workload.kind):
        return {}
    axes = {key: [asked.points.understood(key, values) for values in group.values()] for key in keys}
    try:
        columns, wanted = answered_many(asked.engine, first.system, first.workload, axes)
    except (BlocktimeError, KeyError):  # the points one by one say which of them it was, and why
        return {}
    rows = np.stack([columns[name] for name in MEASURES], axis=1)
    return {place: Answer(rows[rank], "calculate") for rank, place in enumerate(group) if wanted[rank]}


def _alone(asked: Asked, item: Item) -> Answer:
    engine, seed = asked.engine, asked.seed + item.replication
    try:
        point = asked.points.base if item.values is None else asked.points.point(item.values)
        system, work = point.system, point.workload
        expected_within(asked.budget, system, work, engine)
        answer = answered(
            engine,
            system,
            work,
            {
                "calculate": lambda: measures_of(calculate(system, work)),
                "simulate": lambda: simulate_measures(system, work, seed=seed),
            },
        )
        return Answer(_row(answer.answer), answer.engine)
    except BlocktimeError as error:
        fault = "a fault of blocktime: " if isinstance(error, BooksDoNotBalance) else ""
        return Answer(NOTHING, "", f"{fault}{error}")
    except Exception as error:  # one point must not end the sweep
        return Answer(NOTHING, "", f"a fault of blocktime: {type(error).__name__}: {error}")


def _row(measures: Mapping[str, float]) -> Row:
    row = NOTHING.copy()
    for name, value in measures.items():
        row[PLACES[name]] = value
    return row


NOTHING: Final[Row] = np.full(len(MEASURES), np.nan)
