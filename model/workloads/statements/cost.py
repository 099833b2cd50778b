"""What simulating a statement costs."""

from __future__ import annotations

from typing import Final

from blocktime.model.demand import demand_of
from blocktime.model.demand.change import steps_and_turns
from blocktime.model.demand.segment import row_shape, segment_of
from blocktime.model.demand.turns import stretch_blocks, stretch_s
from blocktime.model.demand.work import FetchPlan, cpu_of_rows
from blocktime.model.spec import Statement, System, Workload
from blocktime.model.workloads.costs import AnswerCost
from blocktime.model.workloads.statements.processes import steps_of
from blocktime.model.workloads.statements.shared_segment import CHANGE_NS, shares

STEP_S: Final = 12e-6
"""Of a read, or a stretch of blocks, of a statement's sessions."""
TURN_S: Final = 3e-6
"""Of a stretch without a read."""
DRAWN_BLOCK_S: Final = 0.2e-6


def cost(system: System, work: Statement) -> AnswerCost:
    """Of the sessions of a statement."""
    if work.plays_rows:  # its demand is known once its rows are played: a read for each block
        steps = blocks = float(segment_of(system, row_shape(system.table)).blocks)
        if work.at_random:  # and for each row whose block the cache has given away
            held = system.instance.buffer_cache_bytes // system.tablespace.block_size_bytes
            steps += work.changes_of_rows(system.table.rows) * max(0.0, 1 - held / blocks)
    else:
        demand = demand_of(system, work)
        steps, blocks = steps_of(work, demand, stretch_blocks(system, demand, work.sessions))
    turns = _turns(system, work) if work.plays_rows else 0.0
    seconds = STEP_S * (steps + work.sessions) + TURN_S * turns + DRAWN_BLOCK_S * blocks
    if shares(work) and work.users > 1:
        _, changes = steps_and_turns(system, work)
        seconds += CHANGE_NS / 1e9 * changes
        turns += changes
    steps += turns
    return AnswerCost(seconds, blocks, steps, "reads and stretches of blocks")


def _turns(system: System, work: Workload) -> float:
    """Stretches of work without a read, in which sessions that change rows share the processors."""
    host, table = system.host, system.table
    walk_s, _ = cpu_of_rows(system, row_shape(table), FetchPlan("count", 1))
    each_s = host.logical_io_s + getattr(host, f"{work.kind}_row_s")
    walked = 0 if work.added_rows else table.rows * work.passes
    cpu_s = float(walked * walk_s + work.changes_of_rows(table.rows) * each_s)
    return cpu_s / float(stretch_s(system, cpu_s / work.users, work.users))
