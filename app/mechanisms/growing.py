"""Document 002's table and its update, as the pages about migration and about the search for space set it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np

from app.answer.segment_view import curves_of
from app.charts.segment_charts import PctfreeLine
from app.controls.fields import value_at
from app.mechanisms import measured
from app.mechanisms.changed import loaded, settings_of
from app.mechanisms.lesson import Values
from model.engine import calculate, calculate_many
from model.results import RunResult, SegmentSpace
from model.spec import Update
from scenarios import load

SCENARIO: Final = "rahn-pctfree-8k-10"
BLOCK, PCTFREE, UPDATED, ROWS, RELEASE, SPACE = (
    "tablespace.block_size_bytes", "table.pctfree_percent", "workload.rows_fraction", "table.rows", "instance.release",
    "tablespace.space_management",
)  # fmt: skip
GROWTH: Final = "growth"
_AS_PRINTED: Final = load(SCENARIO)
N2_BYTES: Final = cast(Update, _AS_PRINTED.workload).sets[0].bytes
"""Mean data bytes of document 002's numbers."""
START: Final[Mapping[str, Any]] = {
    **{path: value_at(_AS_PRINTED, path) for path in (BLOCK, PCTFREE, ROWS, RELEASE, SPACE)},
    UPDATED: round(100 * value_at(_AS_PRINTED, UPDATED)), GROWTH: N2_BYTES,
}  # fmt: skip


def changes_of(values: Values) -> dict[str, str]:
    """What the controls change in the scenario."""
    changes = {}
    for path, start in START.items():
        value = values.get(path, start)
        if value == start:
            continue
        if path == GROWTH:
            changes["workload.sets"] = f'[{{name = "N2", bytes = {value:g}}}]'
        else:
            changes[path] = f"{value / 100:g}" if path == UPDATED else f"{value}"
    return changes


@dataclass(frozen=True)
class UpdateOutcome:
    """What the whole table's update comes to."""

    blocks_before: float
    blocks_after: float
    migrated: float
    probes: float
    """Rejected ones."""
    elapsed_s: float


def outcome(values: Values) -> UpdateOutcome:
    """The update played row by row, as What if has it."""
    result = _played(_fixed(values))
    segment = result.segment
    assert segment is not None
    return UpdateOutcome(
        segment.blocks_before, segment.blocks_after, segment.migrated_rows, segment.rejected_probes or 0.0,
        result.time.elapsed_s,
    )  # fmt: skip


def over_block_size(values: Values) -> list[float]:
    """Elapsed seconds of the whole update over SIZES, in closed form."""
    return _over_block_size(
        _fixed({name: value for name, value in values.items() if name not in {BLOCK, UPDATED}})
    )


@lru_cache(maxsize=64)
def _over_block_size(settings: tuple[str, ...]) -> list[float]:
    base = loaded(SCENARIO, settings)
    curves = calculate_many(base.system, base.workload, {BLOCK: np.array(SIZES)})
    return [float(elapsed_s) for elapsed_s in curves["elapsed_s"]]


def _fixed(values: Values) -> tuple[str, ...]:
    return settings_of(changes_of(values))


def played(values: Values, most_rows: int) -> SegmentSpace:
    """The segment of a table of so many rows at most, played row by row."""
    fewer = {**values, ROWS: min(most_rows, values.get(ROWS, START[ROWS]))}
    segment = _played(_fixed(fewer)).segment
    assert segment is not None
    return segment


@lru_cache(maxsize=64)
def _played(settings: tuple[str, ...]) -> RunResult:
    scenario = loaded(SCENARIO, settings)
    return calculate(scenario.system, scenario.workload)


def over_pctfree(values: Values) -> tuple[list[int], list[PctfreeLine]]:
    """Blocks after the update over PCTFREE, for each block size, by the closed form."""
    fixed = {path: value for path, value in values.items() if path not in {BLOCK, PCTFREE}}
    return _over_pctfree(_fixed(fixed))


@lru_cache(maxsize=64)
def _over_pctfree(settings: tuple[str, ...]) -> tuple[list[int], list[PctfreeLine]]:
    curves = curves_of(loaded(SCENARIO, settings))
    return curves.percents, curves.blocks


SIZES: Final = (2048, 4096, 8192, 16384, 32768)


def printed(column: str) -> tuple[measured.Printed, ...]:
    """A column of document 002's table."""
    return measured.printed("rahn_pctfree", "updates", column)
