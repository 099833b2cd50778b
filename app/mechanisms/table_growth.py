"""Document 002's table and its update, as the pages about migration and about the search for space set it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from blocktime.app.answer.segment_view import Curves, curves_of
from blocktime.app.mechanisms import printed_points
from blocktime.app.mechanisms.lesson import Values, lesson_of
from blocktime.app.mechanisms.lesson_scenarios import answered, changed, over, settings_of
from blocktime.model.results import RunResult, SegmentSpace

SCENARIO: Final = "rahn-pctfree-8k-10"
BLOCK, PCTFREE, UPDATED, ROWS, RELEASE, SPACE = (
    "tablespace.block_size_bytes", "table.pctfree_percent", "workload.rows_fraction", "table.rows", "instance.release",
    "tablespace.space_management",
)  # fmt: skip
GROWTH: Final = "growth"
MIGRATION, SEARCH = lesson_of("migration"), lesson_of("space_search")


def changes_of(values: Values) -> dict[str, str]:
    """What the controls change in the scenario."""
    grown, usual = values.get(GROWTH), MIGRATION.start[GROWTH]
    sets = {} if grown in (None, usual) else {"workload.sets": f'[{{name = "N2", bytes = {grown:g}}}]'}
    return {**SEARCH.settings(values), **MIGRATION.settings(values), **sets}


def played(values: Values) -> RunResult:
    """The whole table's update, played row by row as What if has it."""
    return answered(SCENARIO, changes_of(values))


def segment(values: Values, most_rows: float = inf) -> SegmentSpace:
    """The segment after it; of a table of so many rows at most."""
    space = played({**values, ROWS: min(most_rows, values.get(ROWS, SEARCH.start[ROWS]))}).segment
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


def printed(column: str) -> tuple[printed_points.Printed, ...]:
    """A column of document 002's table."""
    return printed_points.printed("rahn_pctfree", "updates", column)
