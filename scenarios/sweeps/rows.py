"""The table of a sweep: its columns, and its rows in declared order, read back from the store block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from blocktime.model.errors import SpecError
from blocktime.model.measures import MEASURES
from blocktime.model.units import show_share, unit_of
from blocktime.model.version import blocktime_version
from blocktime.scenarios.interval import CONFIDENCE, half_width
from blocktime.scenarios.load import to_mapping
from blocktime.scenarios.sweeps.answers import PLACES
from blocktime.scenarios.sweeps.columns import Column, listed
from blocktime.scenarios.sweeps.ledger import Ledger
from blocktime.scenarios.sweeps.points import version_of_model
from blocktime.scenarios.sweeps.sweep_plan import BLOCK, Plan
from blocktime.scenarios.sweeps.sweep_run import Outcome
from blocktime.scenarios.sweeps.table import TableColumn

Block = Mapping[str, Any]
"""Name of a column -> its values, of equal length."""

ELAPSED: Final = PLACES["elapsed_s"]
CHANGES: Final = (
    TableColumn("elapsed_change_s", "real", "s", "elapsed_s less that of the base scenario"),
    TableColumn("elapsed_change_fraction", "real", "", "the same over the base scenario's elapsed_s"),
)
INTERVALS: Final = (
    TableColumn(
        "elapsed_low_s",
        "real",
        "s",
        f"lower end of the {show_share(CONFIDENCE)} interval of the mean over replications",
    ),
    TableColumn("elapsed_high_s", "real", "s", "its upper end"),
    TableColumn("elapsed_change_low_s", "real", "s", "lower end of the interval of the change, seeds paired"),
    TableColumn("elapsed_change_high_s", "real", "s", "its upper end"),
)


class Rows:
    """Every point of a plan with its answer; a point without one has its error."""

    def __init__(self, plan: Plan, ledger: Ledger, outcome: Outcome) -> None:
        self.plan, self.ledger, self.outcome = plan, ledger, outcome
        self._each = plan.how.replications
        self._reference = self._answers([None])[0][0]
        self.columns: tuple[TableColumn, ...] = tuple(self._columns())

    @property
    def reference(self) -> dict[str, float]:
        """The base scenario's answer by name, a mean over the replications; empty where it has none."""
        means = self._reference.mean(axis=0)
        return {name: float(means[place]) for name, place in PLACES.items() if not np.isnan(means[place])}

    def about(self) -> dict[str, Any]:
        """What made the table: the scenario, what varies, seeds, version, sources."""
        plan = self.plan
        system = plan.base.system
        return {
            "program": "blocktime",
            "version": blocktime_version(),
            "model": version_of_model(),
            "scenario": {"name": plan.base.name, **to_mapping(plan.base)},
            "resolved": {
                "system": system.model_dump(mode="json", exclude={"constants"}),
                "workload": plan.base.workload.model_dump(mode="json"),
            },
            "constants": {path: constant.model_dump(mode="json") for path, constant in system.constants.items()},
            "sources": sorted(
                {constant.source.split(":")[0] for constant in system.constants.values()} | {plan.base.source}
            ),
            "sweep": plan.sweep.model_dump(mode="json", exclude_none=True),
            "seeds": list(range(plan.how.seed, plan.how.seed + plan.how.replications)),
            "reference": self.reference,
            "points": len(plan),
        }

    def blocks(self) -> Iterator[Block]:
        """All rows in declared order."""
        size, count = max(1, BLOCK // self._each), len(self.plan)
        for begin in range(0, count, size):
            yield self._block(range(begin, min(begin + size, count)))

    def _columns(self) -> Iterator[TableColumn]:
        yield TableColumn("point", "whole", "", "number of the point in the design, from 0")
        for key in self.plan.design.keys:
            yield TableColumn(key, self._kind(key), unit_of(key), f"the scenario's {key}")
        yield TableColumn("method", "text", "", "how it was answered: exact sum or simulation")
        for name, measure in MEASURES.items():
            if self.outcome.has[PLACES[name]]:
                yield TableColumn(name, "real", measure.unit, measure.says)
        yield from CHANGES
        if self._each > 1:
            yield from INTERVALS
        yield TableColumn("error", "text", "", "why there is no answer")

    def _kind(self, key: str) -> Any:
        """The type of a column of values, by what the axis gives."""
        axis = next(axis for axis in self.plan.sweep.axis if axis.key == key)
        values: Sequence[Any] = axis.values or (axis.low, axis.high)
        if all(isinstance(value, bool) for value in values):
            return "flag"
        if any(isinstance(value, bool | str) for value in values):
            return "text"
        return "whole" if key in self.plan.whole_keys else "real"

    def _answers(self, places: Sequence[int | None]) -> tuple[NDArray[np.float64], list[str]]:
        """Rows of measures by point and replication, and how each point was answered."""
        rows = [0 if place is None else place + 1 for place in places]
        keys: list[Any] = self.plan.keys[rows].reshape(-1).tolist()
        values, methods = self.ledger.get(keys)
        self._check_none_is_lost(places, methods)
        return values.reshape(len(places), self._each, -1).copy(), methods[:: self._each]

    def _check_none_is_lost(self, places: Sequence[int | None], methods: Sequence[str]) -> None:
        """A store may be damaged while its rows are read; a row without answer and reason must not come of it."""
        for rank in [rank for rank, method in enumerate(methods) if not method]:
            place = places[rank // self._each]
            if place is not None and place not in self.outcome.failed:
                raise SpecError(
                    f"{self.plan.source.name}: the store was damaged while the answers were read; the same command "
                    "answers again what is missing"
                )

    def _block(self, places: range) -> Block:
        given = self.plan.columns(slice(places.start, places.stop))
        answers, methods = self._answers(places)
        failed = [self.outcome.failed.get(place, "") for place in places]
        answers[[bool(error) for error in failed]] = np.nan
        means = answers.mean(axis=1)
        elapsed = answers[:, :, ELAPSED]
        change = elapsed - self._reference[:, ELAPSED]
        block: dict[str, Any] = {
            "point": np.array(self.plan.numbers[places.start : places.stop]),
            **{column.name: _as_text(column, given[column.name]) for column in self.columns if "." in column.name},
            "method": [None if error else method for method, error in zip(methods, failed, strict=True)],
            **{name: means[:, place] for name, place in PLACES.items() if self.outcome.has[place]},
            "elapsed_change_s": change.mean(axis=1),
            "elapsed_change_fraction": change.mean(axis=1) / self._reference[:, ELAPSED].mean(),
            "error": [error or None for error in failed],
        }
        if self._each > 1:
            for name, what in (("elapsed", elapsed), ("elapsed_change", change)):
                middle, half = what.mean(axis=1), half_width(what)
                block[f"{name}_low_s"], block[f"{name}_high_s"] = middle - half, middle + half
        return {column.name: block[column.name] for column in self.columns}


def _as_text(column: TableColumn, given: Column) -> Column:
    if column.kind == "text":
        return [str(value).lower() if isinstance(value, bool) else str(value) for value in listed(given)]
    return given
