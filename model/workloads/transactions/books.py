"""The books of transactions: from times and counts of the mean transaction to the figures of an answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from blocktime.model.causes import NO_CAUSE, RUN_QUEUE
from blocktime.model.closing import Figures, time_of
from blocktime.model.laws.numeric import over
from blocktime.model.results import (
    CacheUse,
    DeviceStats,
    EventTime,
    Interval,
    LogicalIO,
    PhysicalIO,
    TransactionKind,
    TransactionStats,
)
from blocktime.model.spec import System, Transactions


@dataclass(slots=True)
class Rates:
    """What the resources do."""

    utilisation: dict[str, float]
    bottleneck: str
    saturation_per_s: float
    saturation_users: float | None
    log_writes_per_s: float


@dataclass(slots=True)
class Mean:
    """One transaction of the mean: seconds and counts, and how many come a second."""

    how: str
    method: str
    response_s: float
    cpu: dict[str, float]
    waits: dict[str, EventTime]
    run_queue_s: float
    gets: float
    """Consistent gets, those for undo and of scans included."""
    current_gets: float
    misses: float
    read_requests: dict[int, float]
    """Blocks of a read -> how many."""
    read_bytes: float
    written_blocks: float
    per_s: float
    device: dict[str, DeviceStats]
    kinds: list[TransactionKind]
    percentiles: dict[str, float] = field(default_factory=dict)
    response_interval: Interval | None = None
    per_s_interval: tuple[float, float] | None = None
    measured: int | None = None
    warm_up: int | None = None
    unwritten_blocks: int | None = None
    seed: int = 0
    events: int | None = None
    warnings: list[str] = field(default_factory=list)


def reads_by_size(single: float, multiblock: float, blocks: float) -> dict[int, float]:
    """Blocks of a read -> reads: *single* ones, and *multiblock* of scans for *blocks*, in two whole sizes."""
    reads = {1: single} if single else {}
    if multiblock > 0:
        mean = max(1.0, blocks / multiblock)
        size = int(mean)
        for each, share in ((size, size + 1 - mean), (size + 1, mean - size)):
            if share * multiblock > 0:
                reads[each] = reads.get(each, 0.0) + share * multiblock
    return reads


def figures_of(system: System, work: Transactions, mean: Mean, rates: Rates) -> Figures:
    """Figures whose ``time``, ``logical_io`` and ``physical_io`` are per transaction, as AWR has them too."""
    gets = mean.gets + mean.current_gets
    size = system.tablespace.block_size_bytes
    weights = [transaction.weight for transaction in work.mix]
    commits = sum(transaction.weight for transaction in work.mix if transaction.commits) / sum(weights)
    return Figures(
        how=mean.how,
        seed=mean.seed,
        law_sources=work.law_sources,
        warnings=mean.warnings,
        time=time_of(
            mean.response_s,
            mean.cpu,
            mean.waits,
            {RUN_QUEUE: mean.run_queue_s} if mean.run_queue_s > 0 else {},
            rest=NO_CAUSE,
            interval=mean.response_interval,
        ),
        logical_io=LogicalIO(
            consistent_gets=mean.gets,
            current_gets=mean.current_gets,
            cpu_per_get_s=system.host.logical_io_s,
            row_walk_fraction=0.0,
        ),
        physical_io=PhysicalIO(
            read_requests=sum(mean.read_requests.values()),
            read_blocks=mean.misses,
            read_bytes=mean.read_bytes,
            write_requests=mean.written_blocks,
            write_bytes=mean.written_blocks * size,
            request_blocks=dict(sorted(mean.read_requests.items(), reverse=True)),
        ),
        cache=CacheUse(
            hits=gets - mean.misses, misses=mean.misses, hit_fraction=1 - mean.misses / gets if gets else 0.0
        ),
        device=mean.device,
        transactions=_stats_of(mean, rates, commits),
        played_by=mean.method,
        access="gets from the buffer cache, and a single-block read for each block that is not in it",
        events=mean.events,
    )


def _stats_of(mean: Mean, rates: Rates, commits: float) -> TransactionStats:
    """Throughput, response and use of the run, of whose transactions a share *commits*."""
    low, high = mean.per_s_interval or (None, None)
    return TransactionStats(
        per_s=mean.per_s,
        response_s=mean.response_s,
        response_percentiles=mean.percentiles,
        response_interval=mean.response_interval,
        per_s_low=low,
        per_s_high=high,
        under_way=mean.per_s * mean.response_s,
        measured=mean.measured,
        warm_up=mean.warm_up,
        unwritten_blocks=mean.unwritten_blocks,
        utilisation=rates.utilisation,
        bottleneck=rates.bottleneck,
        saturation_per_s=rates.saturation_per_s,
        saturation_users=rates.saturation_users,
        log_writes_per_s=rates.log_writes_per_s,
        commits_per_log_write=over(mean.per_s * commits, rates.log_writes_per_s),
        written_blocks_per_s=mean.per_s * mean.written_blocks,
        kinds=mean.kinds,
    )
