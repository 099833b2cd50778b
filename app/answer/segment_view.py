"""The tab Segment of a statement that changes rows: its blocks, its bitmap, and what another PCTFREE would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import streamlit as st
from pydantic import ValidationError

from blocktime.app.answer.page_elements import chart
from blocktime.app.base.markdown import plain, sentence
from blocktime.app.base.memo import by_object
from blocktime.app.charts import segment_charts
from blocktime.app.charts.segment_charts import PctfreeLine
from blocktime.model.demand.segment import row_shape
from blocktime.model.engine import calculate_many
from blocktime.model.laws import block
from blocktime.model.results import RunResult, SegmentSpace
from blocktime.model.spec import System, Table
from blocktime.model.units import KIB, show_seconds
from blocktime.scenarios import Scenario

SIZES_BYTES: Final = tuple(size * KIB for size in (2, 4, 8, 16, 32))
MOST_PCTFREE_PERCENT: Final = 50
CLOSE: Final = 0.05


@dataclass(frozen=True)
class Curves:
    """Blocks and elapsed time over PCTFREE, a line for each block size."""

    percents: list[int]
    blocks: list[PctfreeLine]
    elapsed_s: list[PctfreeLine]


def draw(after: RunResult, segment: SegmentSpace, scenario: Scenario) -> None:
    """The segment before and after the statement, and the same statement at every PCTFREE."""
    st.markdown(" ".join(plain(sentence(finding)) for finding in segment_charts.findings(after)))
    with st.container(key="segment"):
        chart("segment_blocks", *segment_charts.blocks(segment))
        if segment.map_after is not None:
            _maps(segment)
        _lines(after, segment, scenario)


def _maps(segment: SegmentSpace) -> None:
    full = segment.itl_full_blocks or 0.0
    sides = (
        ("before", segment.map_before, segment.blocks_before, segment.freeness_before, 0.0),
        ("after", segment.map_after, segment.blocks_after, segment.freeness_after, full),
    )
    for column, (when, cells, count, counts, itl_full) in zip(st.columns(2), sides, strict=True):
        with column:
            st.caption(f"**Free space of {count:,.0f} blocks {when}**")
            figure, text = segment_charts.freeness_map(cells or "", count, counts or {}, itl_full)
            chart(f"segment_map_{when}", figure, f"{when}: {text}")
    if full:
        st.caption(
            "A block with a full ITL list is marked as such, whatever class its bitmap entry has. Probes fail there "
            "as long as the bitmap offers it."
        )


def _lines(after: RunResult, segment: SegmentSpace, scenario: Scenario) -> None:
    curves = curves_of(scenario)
    if not curves.percents or not curves.blocks:
        return
    size, percent = scenario.system.tablespace.block_size_bytes, scenario.system.table.pctfree_percent
    for column, key, quantity, lines, value in zip(
        st.columns(2), ("segment_by_pctfree", "elapsed_by_pctfree"), ("blocks after", "elapsed seconds"),
        (curves.blocks, curves.elapsed_s), (segment.blocks_after, after.time.elapsed_s), strict=True,
    ):  # fmt: skip
        with column:
            st.caption(f"**{quantity.capitalize()} at other settings**")
            chart(key, *segment_charts.over_pctfree(curves.percents, lines, (size, percent, value), quantity))
    st.caption(
        "The lines add up mean times of the statement alone, without queues, and treat all blocks as equal. The "
        "diamond is the answer above, played row by row. A line ends where a block has no room for a row. "
        + ("" if after.programs else off_the_line(curves, size, percent, after.time.elapsed_s))
    )


def off_the_line(curves: Curves, size_bytes: int, percent: float, elapsed_s: float) -> str:
    """A sentence on how far the law is from the answer, where one sees it."""
    curve = next((line for line in curves.elapsed_s if line.block_size_bytes == size_bytes), None)
    if curve is None or percent not in curves.percents:
        return ""
    law = curve.values[curves.percents.index(int(percent))]
    if law is None or abs(law - elapsed_s) <= CLOSE * elapsed_s:
        return ""
    return f"**The line is inaccurate here:** {show_seconds(law)} instead of the answer's {show_seconds(elapsed_s)}."


@by_object(200)
def curves_of(scenario: Scenario) -> Curves:
    """The statement alone at every block size and PCTFREE that the specification accepts, in closed form."""
    system, work = scenario.system, scenario.workload.model_copy(update={"beside": ()})
    space, table = system.tablespace.model_dump(), system.table.model_dump()
    sizes = [
        size
        for size in SIZES_BYTES
        if _accepted(System, {"tablespace": space | {"block_size_bytes": size}, "table": system.table})
    ]
    every = range(MOST_PCTFREE_PERCENT + 1)
    percents = [percent for percent in every if _accepted(Table, table | {"pctfree_percent": percent})]
    if not sizes or not percents:
        return Curves([], [], [])
    axis = np.array(percents, dtype=float)
    settings = {
        "table.pctfree_percent": np.tile(axis, len(sizes)),
        "tablespace.block_size_bytes": np.repeat(sizes, len(axis)),
    }
    curves = calculate_many(system, work, settings)
    fits = [_a_row_fits(system, size, axis) for size in sizes]
    blocks, seconds = (
        [_line(*row) for row in zip(sizes, curves[name].reshape(len(sizes), len(axis)), fits, strict=True)]
        for name in ("segment_after_blocks", "elapsed_s")
    )
    return Curves(percents, blocks, seconds)


def _a_row_fits(system: System, size_bytes: int, percents: Any) -> Any:
    space, table = system.tablespace, system.table
    entries = block.itl_entries(table.initrans, table.created_by == "ctas")
    room = block.usable_bytes(size_bytes, entries, space.space_management == "assm", percents)
    return block.slot_bytes(row_shape(table).piece_bytes) <= room


def _line(size_bytes: int, values: Any, fits: Any) -> PctfreeLine:
    spread = np.broadcast_to(values, fits.shape)
    return PctfreeLine(size_bytes, [float(v) if fit else None for v, fit in zip(spread, fits, strict=True)])


def _accepted(model: type[System | Table], values: dict[str, Any]) -> bool:
    try:
        model.model_validate(values)
    except ValidationError:
        return False
    return True
