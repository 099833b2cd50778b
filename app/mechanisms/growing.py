"""Document 002's table and its update, as the pages about migration and about the search for space set it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Final, cast

from blocktime.app.answer.segment_view import Curves, curves_of
from blocktime.app.controls.fields import value_at
from blocktime.app.mechanisms import measured
from blocktime.app.mechanisms.changed import answered, changed, over, settings_of
from blocktime.app.mechanisms.lesson import Values
from blocktime.model.results import RunResult, SegmentSpace
from blocktime.model.spec import Update
from blocktime.scenarios import load

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


def played(values: Values) -> RunResult:
    """The whole table's update, played row by row as What if has it."""
    return answered(SCENARIO, changes_of(values))


def segment(values: Values, most_rows: float = inf) -> SegmentSpace:
    """The segment after it; of a table of so many rows at most."""
    space = played({**values, ROWS: min(most_rows, values.get(ROWS, START[ROWS]))}).segment
    assert space is not None
    return space


def over_block_size(values: Values) -> Sequence[float]:
    """Elapsed seconds of the whole update over SIZES, in closed form."""
    fixed = {name: value for name, value in values.items() if name not in {BLOCK, UPDATED}}
    elapsed_s: Sequence[float] = over(SCENARIO, settings_of(changes_of(fixed)), BLOCK, SIZES)["elapsed_s"]
    return elapsed_s


def over_pctfree(values: Values) -> Curves:
    """The update over PCTFREE, for each block size, by the closed form."""
    fixed = {path: value for path, value in values.items() if path not in {BLOCK, PCTFREE}}
    return curves_of(changed(SCENARIO, changes_of(fixed)))


SIZES: Final = (2048, 4096, 8192, 16384, 32768)


def printed(column: str) -> tuple[measured.Printed, ...]:
    """A column of document 002's table."""
    return measured.printed("rahn_pctfree", "updates", column)
