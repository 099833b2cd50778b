"""Row sources of a query as text: as DBMS_XPLAN prints them, and as TKPROF does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blocktime.app.text.section import NOTHING, CellTable, Fact, Section
from blocktime.model.results import RowSource, RunResult
from blocktime.model.units import show_bytes, show_data

MICROSECONDS = 1e6
COLUMNS = ("starts", "A-rows", "buffers", "reads", "cost")
WORK_AREA = ("writes", "OMem", "1Mem", "Used-Mem")
"""Columns of plans with work areas, as DBMS_XPLAN has them with ALLSTATS; Used-Mem with the passes."""


def depth_of(row_source: RowSource, rank: int) -> int:
    """Levels that a row source, the *rank*-th of its plan, lies below the topmost."""
    return rank if row_source.depth is None else row_source.depth


def _work_area(row_source: RowSource) -> tuple[str, ...]:
    area, written = row_source.work_area, row_source.written_blocks
    cells = ["" if written is None else f"{written:,.0f}"]
    if area is not None:
        cells += [show_bytes(area.optimal_bytes), show_bytes(area.one_pass_bytes)]
        cells.append(f"{show_bytes(area.used_bytes)} ({area.passes})")
    return (*cells, *[""] * (len(WORK_AREA) - len(cells)))


def work_area_text(row_source: RowSource) -> str:
    """What a work area does in temp, and with how much memory it would do less."""
    area = row_source.work_area
    assert area is not None
    optimal, one_pass = show_bytes(area.optimal_bytes), show_bytes(area.one_pass_bytes)
    if not area.passes:
        return f"{row_source.operation}: optimal, all {optimal} in memory"
    parts = f"{area.runs:,} partitions" if row_source.operation.startswith("HASH") else f"{area.runs:,} runs"
    at_once = "" if area.merge_width == area.runs else f", {area.merge_width} merged at once"
    passes = "one pass" if area.passes == 1 else "multipass"
    written = show_data(area.temp_bytes)
    return (
        f"{row_source.operation}: {passes}, {parts}{at_once}, {written} written to temp; optimal with {optimal} of "
        f"memory, one pass from {one_pass}"
    )


def spills(result: RunResult) -> Iterator[str]:
    """A sentence for each work area that is too small for its rows."""
    for source in result.row_sources or ():
        if source.work_area is not None and source.work_area.passes:
            yield f"{work_area_text(source)}."


def plan_section(result: RunResult) -> Section:
    """Row sources, each with what lies below it, and the index that was used."""
    sources = result.row_sources
    if not sources:
        return NOTHING
    columns = COLUMNS if any(source.cost is not None for source in sources) else COLUMNS[:-1]
    rows: list[Sequence[str]] = [("operation", *columns)]
    areas: list[Sequence[str]] = [("work area", *WORK_AREA)]
    for rank, source in enumerate(sources):
        counts = (source.starts, source.rows, source.buffers, source.read_blocks, source.cost)[: len(columns)]
        counted = ("" if count is None else f"{count:,.0f}" for count in counts)
        rows.append((" " * depth_of(source, rank) + source.operation, *counted))
        if source.work_area is not None:
            areas.append((source.operation, *_work_area(source)))
    facts = [
        Fact("index", f"{index.leaf_blocks:,.0f} leaves of {index.blocks:,.0f} blocks, height {index.height:.0f}, "
             f"clustering factor {index.clustering_factor:,.0f}")
        for index in (result.index,) if index is not None
    ]  # fmt: skip
    facts += [Fact("work area", work_area_text(source)) for source in sources if source.work_area is not None]
    tables = [CellTable(rows), *([CellTable(areas)] if len(areas) > 1 else [])]
    return Section("Row sources (each includes those below it)", [*tables, *facts])


def row_source_lines(result: RunResult) -> Iterator[str]:
    """Row sources in TKPROF's own form."""
    if not result.row_sources:
        return
    yield "Rows (1st) Rows (avg) Rows (max)  Row Source Operation"
    yield "---------- ---------- ----------  ---------------------------------------------------"
    for rank, row_source in enumerate(result.row_sources):
        rows = f"{row_source.rows:>10.0f} " * 3
        cost = "" if row_source.cost is None else f" cost={row_source.cost:.0f}"
        yield (
            f"{rows} {' ' * depth_of(row_source, rank)}{row_source.operation} (cr={row_source.buffers:.0f} "
            f"pr={row_source.read_blocks:.0f} pw={row_source.written_blocks or 0:.0f} "
            f"time={MICROSECONDS * row_source.time_s:.0f} us starts={row_source.starts:.0f}{cost})"
        )
