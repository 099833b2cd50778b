"""What simulating transactions costs."""

from __future__ import annotations

from typing import Final

from blocktime.model.demand.transaction_demand import run_transactions
from blocktime.model.kernels.buffer_kernel import BUFFER_BYTES
from blocktime.model.loops import fastest
from blocktime.model.spec import System, Transactions
from blocktime.model.workloads.costs import AnswerCost
from blocktime.model.workloads.transactions.at_begin import FILLED_NS
from blocktime.model.workloads.transactions.parts import parts_of
from blocktime.model.workloads.transactions.processes import MOST_TRANSACTIONS
from blocktime.model.workloads.transactions.stations import at_pace, saturation_of
from blocktime.model.workloads.transactions.users import GET_NS
from blocktime.model.workloads.transactions.write_rates import due_at

BEGIN_S: Final = 0.02
FILLED_S: Final = FILLED_NS / 1e9
"""Of a buffer that holds a block when a run of transactions begins."""
FILLED: Final = "buffers, which a run fills before it begins"
TRANSACTION_S: Final = 5e-6
"""Of a transaction's events, its commit among them."""
READ_S: Final = 1e-6
"""Of a transaction's read."""
WRITE_S: Final = 1.8e-6
"""Of a block that DBWR writes."""
GET_S: Final = GET_NS / 1e9
BUSY: Final = 0.5
LONGER_WHERE_BUSY: Final = 4
VARIANCE_AT_REST: Final = 0.3
VARIANCE_OF_QUEUES: Final = 16.0
"""Variance of the mean of a run, times its transactions, over the square of the mean: of a system at rest, and what it
rises by with the square of the busiest resource's use. Within a factor of two of the mean of two runs of TPC-B and
TPC-C with 10 to 80 users on a disk and on flash."""


def cost(system: System, work: Transactions) -> AnswerCost:
    """Of as many transactions as it takes, at the throughput that their bounds allow."""
    pace = at_pace(system, work).system
    mean, bounds = parts_of(pace, work), saturation_of(pace, work)
    per_s = bounds.most_per_s(work.rate_per_s or work.users)
    busy = per_s / bounds.ceiling_per_s
    count = transactions_of(work, busy)
    written = sum(fastest(due_at)(device, per_s).wanted for device in mean.devices)
    size = system.tablespace.block_size_bytes
    buffers = system.instance.buffer_cache_bytes / size
    filled = min(buffers, work.data_bytes / size)
    writes = count * written
    if busy > BUSY:
        writes += min(filled, count * written)
    gets = mean.mean("gets") + mean.mean("scan_blocks")
    each_s = TRANSACTION_S + READ_S * mean.device_reads.requests + GET_S * gets
    plays_s = WRITE_S * writes + count * each_s
    steps, what = (count, "transactions") if plays_s > FILLED_S * filled else (filled, FILLED)
    return AnswerCost(BEGIN_S + FILLED_S * filled + plays_s, BUFFER_BYTES * buffers, steps, what)


def transactions_of(work: Transactions, busy: float) -> float:
    """About how many a run takes until the mean response is as precise as wanted and DBWR keeps up.

    Where the bottleneck is *busy* for more than half of the time, DBWR takes a while to catch up.
    """
    first = run_transactions(work)
    if work.transactions is not None:
        return first
    wanted = (VARIANCE_AT_REST + VARIANCE_OF_QUEUES * busy**2) * (1.96 / (work.precision_percent / 100)) ** 2
    if busy > BUSY:
        wanted = max(wanted, LONGER_WHERE_BUSY * first)
    return max(first, min(wanted, MOST_TRANSACTIONS))
