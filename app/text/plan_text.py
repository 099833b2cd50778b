"""Row sources of a query as text: as DBMS_XPLAN prints them, and as TKPROF does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blocktime.app.text.section import NOTHING, CellTable, Fact, Section
from blocktime.model.results import RunResult

MICROSECONDS = 1e6
COLUMNS = ("starts", "A-rows", "buffers", "reads", "cost")


def plan_section(result: RunResult) -> Section:
    """Row sources, each with what lies below it, and the index that was used."""
    sources = result.row_sources
    if not sources:
        return NOTHING
    rows: list[Sequence[str]] = [("operation", *COLUMNS)]
    for depth, source in enumerate(sources):
        counts = (source.starts, source.rows, source.buffers, source.read_blocks, source.cost)
        counted = ("" if count is None else f"{count:,.0f}" for count in counts)
        rows.append((" " * depth + source.operation, *counted))
    facts = [
        Fact("index", f"{index.leaf_blocks:,.0f} leaves of {index.blocks:,.0f} blocks, height {index.height:.0f}, "
             f"clustering factor {index.clustering_factor:,.0f}")
        for index in (result.index,) if index is not None
    ]  # fmt: skip
    return Section("Row sources (each includes those below it)", [CellTable(rows), *facts])


def row_source_lines(result: RunResult) -> Iterator[str]:
    """Row sources in TKPROF's own form."""
    if not result.row_sources:
        return
    yield "Rows (1st) Rows (avg) Rows (max)  Row Source Operation"
    yield "---------- ---------- ----------  ---------------------------------------------------"
    for depth, row_source in enumerate(result.row_sources):
        rows = f"{row_source.rows:>10.0f} " * 3
        cost = "" if row_source.cost is None else f" cost={row_source.cost:.0f}"
        yield (
            f"{rows} {' ' * depth}{row_source.operation} (cr={row_source.buffers:.0f} "
            f"pr={row_source.read_blocks:.0f} pw=0 "
            f"time={MICROSECONDS * row_source.time_s:.0f} us starts={row_source.starts:.0f}{cost})"
        )
