"""What a sweep will do before it does anything: every point resolved and checked, counted, and named for the store."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from blocktime.model.budget import USUAL, Budget
from blocktime.model.engine import goes_by_arrays
from blocktime.model.errors import BlocktimeError, SpecError
from blocktime.model.spec import WORKLOADS
from blocktime.scenarios.declared import declared_field, takes_whole_numbers
from blocktime.scenarios.load import Source
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.sweeps.columns import Column, Columns, Places, column_of, joined, points_of, taken
from blocktime.scenarios.sweeps.conditions import Condition
from blocktime.scenarios.sweeps.design import Design
from blocktime.scenarios.sweeps.points import ALL_BITS, DIGEST_BYTES, Points, Values, run_mark, value_in
from blocktime.scenarios.sweeps.sweep_spec import Axis, Sweep

USUAL_LIMIT: Final = 100_000
"""Answers that a sweep may take without being told that it may take more."""
BLOCK: Final = 5_000
MOST_FAULTS: Final = 20

Progress = Callable[[int, int], None]


class Faults(BlocktimeError):
    """Points that are no scenarios: each fault once, with the number of points that have it."""

    def __init__(self, name: str, faults: Counter[str], points: int, bad: int) -> None:
        count = f"{len(faults)} faults" if len(faults) > 1 else "one fault"
        text = f"{name}: nothing was run, {bad:,} of {points:,} points cannot be: {count}"
        listed = faults.most_common(MOST_FAULTS)
        self.lines = [text, *(f"{fault} ({times:,} point{'s' * (times > 1)})" for fault, times in listed)]
        if len(faults) > len(listed):
            self.lines.append(f"and {len(faults) - len(listed):,} more")
        super().__init__("; ".join(self.lines))


class Layout(Protocol):
    """Points in an order, made when they are wanted."""

    @property
    def keys(self) -> tuple[str, ...]:
        """What varies."""

    def count(self) -> int:
        """How many points there are."""

    def columns(self, begin: int, end: int) -> Columns:
        """The values of some of them."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How every point is answered."""

    seed: int = 1
    replications: int = 1
    budget: Budget = USUAL
    """Of each answer."""


class Plan:
    """A sweep whose points are known to be scenarios, in declared order."""

    def __init__(
        self,
        source: Source,
        sweep: Sweep,
        how: RunOptions | None = None,
        limit: int | None = USUAL_LIMIT,
        progress: Progress | None = None,
        design: Layout | None = None,
    ) -> None:
        """Check every point; raises :class:`Faults`, or :class:`SpecError` for more answers than *limit*.

        *design* lays out the points otherwise than the sweep says.
        """
        self.source = source
        self.base: Scenario = source.scenario()
        kind = kind_of(sweep.axis, self.base)
        self.sweep = sweep
        self.how = how or RunOptions(self.base.seed, sweep.replications or 1)
        whole = [axis.key for axis in sweep.axis if takes_whole_numbers(axis.key, kind)]
        self.design: Layout = design or Design(self.sweep, whole)
        self.whole_keys = frozenset(whole)
        self.points = Points(source, self.design.keys)
        self._way = way_of(self.points, kind)
        declared = self.design.count()
        wanted = declared * self.how.replications
        if limit is not None and wanted > limit:
            raise SpecError(
                f"{source.name}: {_said(declared, self.how.replications)} are more than the {limit:,} that are "
                f"allowed; --limit {wanted} allows them"
            )
        self.numbers = array("q")
        """Of the design's points, those that the conditions let through."""
        self._digests = bytearray()
        self._parts: dict[str, list[Column]] = {key: [] for key in self.design.keys}
        self._check(declared, progress)
        self._columns = {key: joined(parts) for key, parts in self._parts.items()}
        self._parts.clear()

    def _check(self, declared: int, progress: Progress | None) -> None:
        conditions = [Condition(text) for text in self.sweep.where]
        faults: Counter[str] = Counter()
        for axis in self.sweep.axis:
            if not _is_declared(axis.key):
                faults[self._refused(axis)] += declared
        if faults:  # each point would tell the first of them alone
            raise Faults(self.source.name, faults, declared, declared)
        bad = 0
        for begin in range(0, declared, BLOCK):
            end = min(begin + BLOCK, declared)
            columns = {key: column_of(values) for key, values in self.design.columns(begin, end).items()}
            bad += self._check_block(begin, columns, conditions, faults)
            if progress is not None:
                progress(end, declared)
        if faults:
            raise Faults(self.source.name, faults, declared, bad)
        if not self.numbers:
            raise SpecError(
                f"{self.source.name}: none of {declared:,} points fulfils where {' and '.join(self.sweep.where)}"
            )

    def _check_block(self, begin: int, columns: Columns, conditions: Sequence[Condition], faults: Counter[str]) -> int:
        """Check the points of a block, and count those that are no scenarios, by what is wrong with them."""
        bad, right, digests = 0, [], []
        for place, values in enumerate(points_of(columns)):
            try:
                if conditions and not self._fulfils(conditions, values):
                    continue
                point = self.points.point(values)
            except SpecError as error:
                faults[str(error)] += 1
                bad += 1
                continue
            right.append(place)
            digests.append(point.digest)
        right_columns = {key: taken(column, right) for key, column in columns.items()}
        self._take([begin + place for place in right], right_columns, b"".join(digests))
        return bad

    def _take(self, numbers: Sequence[int], columns: Columns, digests: bytes) -> None:
        self.numbers.extend(numbers)
        self._digests += digests
        for key, parts in self._parts.items():
            parts.append(columns[key])

    def _refused(self, axis: Axis) -> str:
        value = axis.values[0] if axis.values else axis.low
        try:
            Points(self.source, [axis.key]).point({axis.key: value})
        except SpecError as error:
            return str(error)
        raise AssertionError(f"{axis.key} is declared nowhere, and taken")

    def _fulfils(self, conditions: Sequence[Condition], values: Values) -> bool:
        """Whether a point is wanted; asked before it is resolved, since conditions may be there to avoid faults."""

        return all(condition.holds(partial(value_beside, self.points, self.base, values)) for condition in conditions)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def answers(self) -> int:
        """Points times replications."""
        return len(self) * self.how.replications

    @cached_property
    def keys(self) -> NDArray[np.void]:
        """What answers are kept under: a row for the base scenario and each point, a column for each replication."""
        seeds = range(self.how.seed, self.how.seed + self.how.replications)
        base = self.points.base.digest
        columns = [
            np.concatenate([keys_of(base, run_mark(seed)), keys_of(bytes(self._digests), run_mark(seed, self._way))])
            for seed in seeds
        ]
        return np.stack(columns, axis=1)

    def doubles(self) -> dict[int, int]:
        """Place of a point -> that of the first one that is the same scenario."""
        halves = np.frombuffer(bytes(self._digests), dtype=np.uint64).reshape(len(self), -1)
        _, first, which = np.unique(halves, axis=0, return_index=True, return_inverse=True)
        same = first[which.reshape(-1)]
        later = np.flatnonzero(same != np.arange(len(same)))
        return dict(zip(later.tolist(), same[later].tolist(), strict=True))

    def columns(self, places: Places) -> Columns:
        """The values of the points at *places*, by column."""
        return {key: taken(column, places) for key, column in self._columns.items()}

    def values(self, begin: int, end: int) -> list[Values]:
        """The values of the points at places *begin* to *end* - 1."""
        return points_of(self.columns(slice(begin, end)))

    def said(self) -> str:
        """How much there is to do, in words."""
        left_out = self.design.count() - len(self)
        return _said(len(self), self.how.replications) + (
            f" ({left_out:,} more {'is' if left_out == 1 else 'are'} left out by where)" if left_out else ""
        )


def _is_declared(key: str) -> bool:
    """Whether any scenario has such a field."""
    kinds = WORKLOADS if key.startswith("workload.") else ("full_scan",)
    last = key.rpartition(".")[2]
    return last == "use" or key == "workload.kind" or any(declared_field(key, kind) for kind in kinds)


def _said(points: int, replications: int) -> str:
    count = f"{points:,} point{'s' if points != 1 else ''}"
    return f"{count} × {replications:,} replications" if replications > 1 else count


def kind_of(axes: Sequence[Axis], base: Scenario) -> str:
    """The kind of workload that the axes' keys are about."""
    for axis in axes:
        if axis.key == "workload.kind":
            return next((str(kind) for kind in axis.values or () if kind in WORKLOADS), base.workload.kind)
    return base.workload.kind


def way_of(points: Points, kind: str) -> str:
    """What names the arrays that points go through, empty where they go alone.

    An answer by arrays may differ in its last digit from one by other arrays, and is not kept as the same.
    """
    keys = points.plain_keys
    varies = "workload.kind" in points.keys
    return f" over {','.join(sorted(keys))}" if keys and (varies or goes_by_arrays(kind)) else ""


def value_beside(points: Points, base: Scenario, values: Values, key: str) -> Any:
    """The field *key* at a point before it is resolved: that of an axis, or what the base or its entries bring."""
    if key in values:
        return values[key]
    return value_in(points.around(values) if values and points.structural_keys else base, key)


def keys_of(digests: bytes, mark: int) -> NDArray[np.void]:
    """What the answers to points with *digests* are kept under: those and the *mark* of the question, as sums."""
    totals = np.frombuffer(digests, ">u8").astype(np.uint64).reshape(-1, 2)
    upper, lower = (np.uint64(mark >> shift & ALL_BITS) for shift in (64, 0))
    lowest = totals[:, 1] + lower
    highest = totals[:, 0] + upper + (lowest < lower)
    return np.stack([highest, lowest], axis=1).astype(">u8").view(f"V{DIGEST_BYTES}").reshape(-1)
