"""What simulating a statement costs, and from when on it is played in part."""

from __future__ import annotations

from math import ceil
from typing import Final, cast

from blocktime.model.budget import is_too_long
from blocktime.model.demand import Demand, demand_of
from blocktime.model.demand.row_changes import are_rows_many, steps_and_turns
from blocktime.model.demand.segment import row_shape, segment_of
from blocktime.model.demand.session_turns import stretch_blocks, stretch_s
from blocktime.model.demand.work import FetchPlan, cpu_of_rows
from blocktime.model.laws.turns import stretches_of
from blocktime.model.spec import Dml, Statement, System, Workload
from blocktime.model.workloads.costs import ROWS_MEET, AnswerCost
from blocktime.model.workloads.statements.read_positions import is_by_single_blocks
from blocktime.model.workloads.statements.shared_segment import CHANGE_NS, shares

MOST_STEPS: Final = 2_000_000
MOST_BLOCKS_DRAWN: Final = 50_000_000
STEP_S: Final = 12e-6
"""Of a read, or a stretch of blocks, of a statement's sessions."""
TURN_S: Final = 3e-6
"""Of a stretch without a read."""
LEAST_BATCHES: Final = 60
"""Batches of reads of each session that a part has at least."""
WRITE_S: Final = 2.2e-6
"""Of a block that DBWR writes."""
MOST_WRITES: Final = 50_000
"""Blocks that DBWR writes behind a load from which on it is played in part."""
WRITES_OF_PART: Final = 50_000
"""Blocks of a long load that DBWR writes while its part is played."""
ASK_S: Final = 14e-6
"""Of asking the buffer cache for the blocks of a read that sessions share."""
DRAWN_BLOCK_S: Final = 0.2e-6
PART_S: Final = 0.3
"""Of the first part that is played of a long statement."""
MOST_READS: Final = 400_000
"""Reads of all sessions that a part has at most."""
IN_STAGES: Final = "the stages of a join or a sort are played whole"
LEAST_READS: Final = 200
"""Reads of each session that a part has at least."""


def cost(system: System, work: Statement) -> AnswerCost:
    """Of the sessions of a statement, or of the part of a long one that is played."""
    demand = None if work.plays_rows else demand_of(system, work)
    whole = whole_cost(system, work, demand)
    if not is_long(system, work, demand):
        return whole
    if reason := why_whole(system, work, demand):
        return whole._replace(whole_because=reason)
    if demand is not None and is_load(demand):
        pieces = work.sessions * stretches_of_part(system, work, demand)
        return AnswerCost(PART_S + TURN_S * pieces, 0.0, pieces, whole.what)
    reads = work.sessions * (LEAST_READS if demand is None else reads_of_part(work, demand))
    each_s = STEP_S if demand is None else _read_s(demand)
    return AnswerCost(PART_S + each_s * reads, 0.0, reads, whole.what)


def reads_of_part(work: Statement, demand: Demand) -> int:
    """Reads of each session that are played first of a long statement: once its dirty blocks have no room."""
    least = max(LEAST_READS, LEAST_BATCHES * float(demand.plan.at_once))
    reads = max(least, PART_S / (work.sessions * _read_s(demand)))
    if demand.writing is not None and demand.reads:
        reads += float(demand.reads * demand.writing.most_blocks / demand.writing.blocks)
    return int(min(float(demand.reads), reads))


def is_load(demand: Demand) -> bool:
    """Whether a statement works on blocks that it does not read first."""
    return not float(demand.reads)


def stretches_of_part(system: System, work: Statement, demand: Demand) -> int:
    """Stretches of each session that are played first of a long load: until its blocks have no room, and then some."""
    writing, whole = demand.writing, stretches_of_load(system, work, demand)
    if writing is None:
        return whole
    blocks = float(writing.most_blocks) + WRITES_OF_PART * float(writing.call_blocks)
    return min(whole, max(LEAST_READS, ceil(whole * blocks / float(writing.blocks))))


def stretches_of_load(system: System, work: Statement, demand: Demand) -> int:
    """Stretches that the work of each session of a load falls into."""
    return max(1, round(float(demand.blocks_wanted) / float(stretch_blocks(system, demand, work.sessions))))


def _writes(system: System, demand: Demand | None) -> float:
    writing = None if demand is None else demand.writing
    return 0.0 if writing is None or not writing.meets_sessions(system) else float(writing.calls)


def _read_s(demand: Demand) -> float:
    """Of a read, of drawing which blocks between it and the next are cached, and of writing those it dirties."""
    drawn = float(demand.segment.blocks) / max(1.0, float(demand.reads)) if demand.plan.cached_fraction else 0.0
    dirtied = 0.0 if demand.writing is None else float(demand.writing.blocks) / max(1.0, float(demand.reads))
    return STEP_S + DRAWN_BLOCK_S * drawn + WRITE_S * dirtied


def whole_cost(system: System, work: Statement, demand: Demand | None) -> AnswerCost:
    """Of all reads of a statement; without its *demand* as far as it can be told before its rows are played."""
    if demand is None:  # a read for each block
        steps = blocks = float(segment_of(system, row_shape(system.table)).blocks)
        if work.at_random:  # and for each row whose block the cache has given away
            cached_blocks = system.instance.buffer_cache_bytes // system.tablespace.block_size_bytes
            steps += work.changes_of_rows(system.table.rows) * max(0.0, 1 - cached_blocks / blocks)
    else:
        steps, blocks = steps_of(work, demand, float(stretch_blocks(system, demand, work.sessions)))
    cached = work.sessions > 1 and demand is not None and not demand.plan.direct
    turns = _turns(system, work) if work.plays_rows else 0.0
    seconds = (STEP_S + ASK_S * cached) * steps + STEP_S * work.sessions + TURN_S * turns + DRAWN_BLOCK_S * blocks
    seconds += WRITE_S * _writes(system, demand)
    if shares(work) and work.users > 1:
        _, changes = steps_and_turns(system, work)
        seconds += CHANGE_NS / 1e9 * changes
        turns += changes
    steps += turns
    return AnswerCost(seconds, blocks, steps, "reads and stretches of blocks")


def is_long(system: System, work: Statement, demand: Demand | None) -> bool:
    """Whether a statement takes more to simulate than is allowed."""
    if is_too_long(whole_cost(system, work, demand).seconds) or (
        work.plays_rows and are_rows_many(system, cast("Dml", work))
    ):
        return True
    if demand is None:
        return False
    if is_load(demand) and work.sessions * _writes(system, demand) > MOST_WRITES:
        return True
    steps, blocks = steps_of(work, demand, float(stretch_blocks(system, demand, work.sessions)))
    return steps > MOST_STEPS or (blocks > MOST_BLOCKS_DRAWN and not demand.plan.direct)


def why_whole(system: System, work: Statement, demand: Demand | None) -> str:
    """Why a long statement is not played in part: what makes its reads unlike each other; empty where it is."""
    if demand is not None and demand.stages:
        return IN_STAGES
    if demand is not None and is_load(demand):
        return _why_whole_load(system, work, demand)
    if demand is not None and is_too_long(reads_of_part(work, demand) * work.sessions * _read_s(demand)):
        return "the blocks that are read lie far apart among cached ones"
    if work.sessions == 1:
        return ""
    if shares(work):
        return ROWS_MEET
    if system.disk.rotation_s and demand is not None and not is_by_single_blocks(demand):
        return "sessions that scan beside each other on a drive with heads take long to find their order"
    return ""


def _why_whole_load(system: System, work: Statement, demand: Demand) -> str:
    if shares(work) and work.users > 1:
        return ROWS_MEET
    if _writes(system, demand) == 0:
        return "DBWR writes none of its blocks"
    return ""


def steps_of(work: Statement, demand: Demand, stretch: float) -> tuple[float, float]:
    """Steps of a simulation, and blocks of which it is drawn whether they are cached."""
    steps = work.sessions * (float(demand.reads) + stretches_of(float(demand.blocks_wanted), stretch))
    scans = 1 if demand.shared else work.sessions
    return steps, scans * float(demand.segment.blocks)


def _turns(system: System, work: Workload) -> float:
    """Stretches of work without a read, in which sessions that change rows share the processors."""
    host, table = system.host, system.table
    walk_s, _ = cpu_of_rows(system, row_shape(table), FetchPlan("count", 1))
    each_s = host.logical_io_s + (host.insert_row_s if work.inserts else host.change_block_s)
    walked = 0 if work.added_rows else table.rows * work.passes
    cpu_s = float(walked * walk_s + work.changes_of_rows(table.rows) * each_s)
    return cpu_s / float(stretch_s(system, cpu_s / work.users, work.users))
