"""The answers to some points of a sweep, as a worker gives them: rows of numbers, or a sentence why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from model.calc import calculate, calculate_many
from model.errors import BlocktimeError, BooksDoNotBalance, OutsideLaw
from model.measures import MEASURES, measures_of
from model.spec import WORKLOADS, Dml, Stream, System, Transactions, Workload
from scenarios.engine import chosen_engine
from scenarios.forecast import USUAL, Budget, expected_within
from scenarios.sweeps.points import Points, Values

Row = NDArray[np.float64]
"""One number for each of MEASURES, NaN where the answer has none."""
PLACES: Final = {name: place for place, name in enumerate(MEASURES)}


DML: Final = frozenset(kind for kind, form in WORKLOADS.items() if issubclass(form, Dml))
PLAYED: Final = frozenset(kind for kind, form in WORKLOADS.items() if issubclass(form, Stream | Transactions))


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
    found: dict[int, Answer] = {}
    for group in _alike(asked.points, items):
        found |= _by_arrays(asked, group)
    return [found.get(place) or _alone(asked, item) for place, item in enumerate(items)]


def _alike(points: Points, items: Sequence[Item]) -> list[dict[int, Values]]:
    """The items that differ in plain fields alone: place -> values."""
    groups: dict[str, dict[int, Values]] = {}
    for place, item in enumerate(items):
        if item.values is not None:
            groups.setdefault(points.group(item.values), {})[place] = item.values
    return list(groups.values())


def goes_by_arrays(engine: str, kind: str) -> bool:
    """Whether arrays answer as ``calculate`` does: what a statement does to rows they have by a closed form only."""
    if kind in DML:
        return False
    return engine == "calculate" or (engine == "auto" and kind not in PLAYED)


def _by_arrays(asked: Asked, group: Mapping[int, Values]) -> dict[int, Answer]:
    """Answers by place to those points that the closed form answers as it is wanted."""
    keys = asked.points.plain_keys
    first = asked.points.point(next(iter(group.values())))
    if not keys or not goes_by_arrays(asked.engine, first.workload.kind):
        return {}
    axes = {key: [asked.points.understood(key, values) for values in group.values()] for key in keys}
    try:
        found = calculate_many(first.system, first.workload, axes)
    except (BlocktimeError, KeyError):  # the points one by one say which of them it was, and why
        return {}
    exact, refused = found.pop("exact"), found.pop("refused")
    rows = np.stack([found[name] for name in MEASURES], axis=1)
    wanted = (refused == "") & (exact | (asked.engine == "calculate"))
    return {place: Answer(rows[rank], "calculate") for rank, place in enumerate(group) if wanted[rank]}


def _alone(asked: Asked, item: Item) -> Answer:
    engine, seed = asked.engine, asked.seed + item.replication
    try:
        point = asked.points.base if item.values is None else asked.points.point(item.values)
        expected_within(asked.budget, point.system, point.workload, engine)
        chosen = chosen_engine(engine, point.system, point.workload)
        answer = _ENGINES[chosen]
        try:
            return Answer(_row(answer(point.system, point.workload, seed)), chosen)
        except OutsideLaw:
            if engine != "auto" or chosen == "calculate":
                raise
            return Answer(_row(_calculated(point.system, point.workload, seed)), "calculate")
    except BlocktimeError as error:
        fault = "a fault of blocktime: " if isinstance(error, BooksDoNotBalance) else ""
        return Answer(NOTHING, "", f"{fault}{error}")
    except Exception as error:  # one point must not end the sweep
        return Answer(NOTHING, "", f"a fault of blocktime: {type(error).__name__}: {error}")


def _calculated(system: System, work: Workload, seed: int) -> Mapping[str, float]:
    del seed  # there is no chance in it
    return measures_of(calculate(system, work))


def _simulated(system: System, work: Workload, seed: int) -> Mapping[str, float]:
    from model.sim import simulate_measures  # noqa: PLC0415  (the simulation engine is wanted only here)

    return simulate_measures(system, work, seed=seed)


_ENGINES: Final[Mapping[str, Callable[[System, Workload, int], Mapping[str, float]]]] = {
    "calculate": _calculated,
    "simulate": _simulated,
}


def _row(measures: Mapping[str, float]) -> Row:
    row = NOTHING.copy()
    for name, value in measures.items():
        row[PLACES[name]] = value
    return row


NOTHING: Final[Row] = np.full(len(MEASURES), np.nan)
