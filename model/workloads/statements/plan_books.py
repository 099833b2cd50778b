"""The row sources of a query as DBMS_XPLAN prints them: each holds what lies below it."""

from __future__ import annotations

from model.books import Figures
from model.causes import COPIED, DIRECT, PARALLEL, SCATTERED, SEQUENTIAL
from model.demand import Demand
from model.demand.row_sources import COUNTING
from model.laws.numeric import nearest, over
from model.results import RowSource

READING = ("read calls", "filling the buffer cache", COPIED)
WALKING = ("walking rows", "filtering rows")


def row_sources(demand: Demand, figures: Figures) -> list[RowSource] | None:
    """Row sources of the plan with their sums; none of a statement that changes rows."""
    if not demand.sources:
        return None
    time, servers, opinion = figures.time, demand.servers, figures.optimizer
    waits = sum(
        time.wait[event].total_s for event in (DIRECT, PARALLEL, SCATTERED, SEQUENTIAL) if event in time.wait
    )
    reading_s = servers * (waits + sum(time.cpu.get(cause, 0.0) for cause in READING))
    getting_s = servers * time.cpu["buffer gets"]
    gets, reads = (
        sum(of) for of in zip(*((source.gets, source.read_blocks) for source in demand.sources), strict=True)
    )
    walking_s = servers * sum(time.cpu.get(cause, 0.0) for cause in WALKING)
    walked_in = next(source for source in demand.sources if source.gets)
    sources: list[RowSource] = []
    buffers = blocks = seconds = 0.0
    for own in reversed(demand.sources):
        buffers += servers * own.gets
        blocks += over(figures.physical_io.read_blocks * own.read_blocks, reads)
        seconds += getting_s * over(own.gets, gets) + reading_s * over(own.read_blocks, reads)
        seconds += walking_s if own is walked_in else 0.0
        cost = None
        if opinion is not None and own.operation != COUNTING:
            below = own is demand.sources[-1] and opinion.index_cost is not None
            cost = opinion.index_cost if below else opinion.cost
        sources.append(
            RowSource(
                operation=own.operation,
                starts=nearest(servers * own.starts),
                rows=nearest(servers * own.rows),
                buffers=buffers,
                read_blocks=blocks,
                time_s=seconds,
                cost=cost,
            )
        )
    return sources[::-1]
