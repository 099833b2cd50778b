"""What a simulation costs: seconds of a processor and memory, and the steps that they go into."""

from __future__ import annotations

from typing import Final, NamedTuple, cast

from model.accuracy import busiest_fraction
from model.demand import demand_of
from model.demand.calls import files_of
from model.demand.change import steps_of_playing
from model.demand.segment import row_shape, segment_of
from model.demand.transactions import run_transactions
from model.demand.turns import stretch_blocks, stretch_s
from model.demand.work import Fetching, cpu_of_rows
from model.machine.device.drive import capacity_of
from model.results import RunResult
from model.spec import Dml, Statement, Stream, System, Transactions, Workload

ROW_STEP_S: Final = 1.3e-6
"""Of a row that is played through its block, on a processor of the 2020s; so are the other times."""
STEP_S: Final = 12e-6
"""Of a read, or a stretch of blocks, of a statement's sessions."""
TURN_S: Final = 3e-6
"""Of a stretch without a read."""
DRAWN_BLOCK_S: Final = 0.2e-6
CALL_S: Final = 4.5e-6
"""Of a stream's request in a loop without events."""
EVENT_CALL_S: Final = 28e-6
BEGIN_S: Final = 0.1
FILLED_S: Final = 2e-6
"""Of a buffer that holds a block when a run of transactions begins."""
TRANSACTION_S: Final = {True: 30e-6, False: 150e-6}
"""Of a transaction's events, its commit among them; by whether the device serves requests in order of arrival."""
READ_S: Final = {True: 10e-6, False: 30e-6}
"""Of a transaction's read."""
WRITE_S: Final = {True: 3e-6, False: 12e-6}
"""Of a block that DBWR writes."""
GET_S: Final = 0.6e-6
CALL_BYTES: Final = 220
ROW_BYTES: Final = 25
BUFFER_BYTES: Final = 60
MOST_TRANSACTIONS: Final = 256_000
BUSY: Final = 0.5
DOUBLED_WHERE_BUSY: Final = 4
WITHIN_A_KIND: Final = 0.3
"""Variance of the response within a kind of transaction, over the square of its mean."""


class Cost(NamedTuple):
    """Of one answer, beside what every answer takes."""

    seconds: float
    """Of one processor."""
    bytes: float
    steps: float
    """Of what takes longest: *what* says what they are."""
    what: str


AN_ANSWER: Final = Cost(0.0, 0.0, 1, "answer")
"""A calculated one of what is not played row by row."""


def rows_cost(system: System, work: Workload) -> Cost:
    """Of playing the rows that a statement changes through their blocks, which either engine does first."""
    steps = steps_of_playing(system, cast("Dml", work))
    rows = system.table.rows + work.added_rows
    return Cost(ROW_STEP_S * steps, ROW_BYTES * rows, steps, "steps of rows")


def statement_cost(system: System, work: Statement) -> Cost:
    """Of the sessions of a statement."""
    from model.workloads.statements.processes import steps_of  # noqa: PLC0415

    if work.plays_rows:  # its demand is known once its rows are played: a read for each block or row at most
        steps = blocks = float(segment_of(system, row_shape(system.table)).blocks)
        if work.at_random:
            steps = float(work.changes_of_rows(system.table.rows))
    else:
        demand = demand_of(system, work)
        steps, blocks = steps_of(work, demand, stretch_blocks(system, demand, work.sessions))
    turns = _turns(system, work) if work.plays_rows else 0.0
    seconds = STEP_S * (steps + work.sessions) + TURN_S * turns + DRAWN_BLOCK_S * blocks
    steps += turns
    return Cost(seconds, blocks, steps, "reads and stretches of blocks")


def _turns(system: System, work: Workload) -> float:
    """Stretches of work without a read, in which sessions that change rows share the processors."""
    host, table = system.host, system.table
    walk_s, _ = cpu_of_rows(system, row_shape(table), Fetching("count", 1))
    each_s = host.logical_io_s + getattr(host, f"{work.kind}_row_s")
    walked = 0 if work.added_rows else table.rows * work.passes
    cpu_s = float(walked * walk_s + work.changes_of_rows(table.rows) * each_s)
    return cpu_s / float(stretch_s(system, cpu_s / work.users, work.users))


def streams_cost(system: System, work: Stream) -> Cost:
    """Of the requests of streams."""
    from model.workloads.streams.processes import steps_of  # noqa: PLC0415
    from model.workloads.streams.run_time import in_time  # noqa: PLC0415

    expected = in_time(system, work)
    steps, without_events = steps_of(system, expected, files_of(system, work, capacity_of(system.disk)))
    calls = sum(stream.users * stream.count for stream in (expected, *expected.beside))
    each_s = CALL_S if without_events else EVENT_CALL_S
    return Cost(each_s * steps, CALL_BYTES * calls, steps, "requests and pages")


def transactions_cost(system: System, work: Transactions) -> Cost:
    """Of as many transactions as it takes."""
    from model.sim.data_files import is_in_order, largest_request_bytes  # noqa: PLC0415
    from model.workloads.transactions.closed_form import calculate  # noqa: PLC0415

    by_law, _ = calculate(system, work, name="")
    count = transactions_of(work, by_law)
    gets = by_law.logical_io.consistent_gets if by_law.logical_io else 0.0
    io = by_law.physical_io
    size = system.tablespace.block_size_bytes
    buffers = system.instance.buffer_cache_bytes / size
    filled = min(buffers, work.data_bytes / size)
    writes = count * io.write_requests
    if io.write_requests and _is_busy(by_law):  # DBWR is behind from the begin on
        writes += filled
    in_order = is_in_order(system, largest_request_bytes(system.host), size)
    each_s = TRANSACTION_S[in_order] + READ_S[in_order] * io.read_requests + GET_S * gets
    seconds = BEGIN_S + FILLED_S * filled + WRITE_S[in_order] * writes + count * each_s
    return Cost(seconds, BUFFER_BYTES * buffers, count, "transactions")


def _is_busy(by_law: RunResult) -> bool:
    return busiest_fraction(by_law) > BUSY


def transactions_of(work: Transactions, by_law: RunResult) -> float:
    """About how many a run takes until the mean response is as precise as wanted and DBWR keeps up.

    A run begins with the first ones and is doubled. Where the device is busy, DBWR takes some doublings to catch up.
    """
    first = run_transactions(work)
    if work.transactions is not None:
        return first
    stats = by_law.transactions
    if stats is None or not stats.per_s or not stats.response_s:
        return first
    square = sum(kind.per_s * kind.response_s**2 for kind in stats.kinds) / stats.per_s
    variance = WITHIN_A_KIND + max(0.0, square / stats.response_s**2 - 1)
    wanted = max(first, variance * (1.96 / (work.precision_percent / 100)) ** 2)
    if _is_busy(by_law):
        wanted = max(wanted, DOUBLED_WHERE_BUSY * first)
    count = float(first)
    while count < wanted and 2 * count <= MOST_TRANSACTIONS:
        count *= 2
    return count
