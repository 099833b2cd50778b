"""The answer to transactions that are too many to be simulated: bounds of throughput and response."""

from __future__ import annotations

from typing import Final

from blocktime.model.causes import FREE_BUFFERS, LOG_FILE_SYNC, PARALLEL, SCATTERED, SEQUENTIAL
from blocktime.model.closing import close
from blocktime.model.demand.transaction_demand import CPUS, DBWR, REDO
from blocktime.model.loops import fastest
from blocktime.model.results import BOUND, EventTime, RunResult
from blocktime.model.spec import System, Transactions
from blocktime.model.workloads.transactions.books import Mean, Rates, figures_of, reads_by_size
from blocktime.model.workloads.transactions.parts import Parts, parts_of
from blocktime.model.workloads.transactions.stations import at_pace, bounds_of, log_write_s
from blocktime.model.workloads.transactions.write_rates import due_at

WAITED_AS: Final = {CPUS: "", REDO: LOG_FILE_SYNC, DBWR: FREE_BUFFERS}
"""Event in which sessions queue for a bottleneck, if it is no disk of the data."""


def bound_answer(system: System, work: Transactions, *, name: str) -> RunResult:
    """Most transactions a second and the least mean response, in seconds; demands are those of a mean transaction.

    Raises :class:`OutsideLaw` for data that do not fit [lazowska-1984].
    """
    pace = at_pace(system, work).system
    parts, bounds = parts_of(pace, work), bounds_of(pace, work)
    load = work.rate_per_s or work.users
    per_s, response_s, wanted = bounds.most_per_s(load), bounds.least_response_s(load), parts.device_reads
    queue_s = response_s - bounds.least_s
    mean = Mean(
        how=BOUND,
        method="bounds of throughput and response from the demands of a transaction",
        response_s=response_s,
        cpu=parts.cpu,
        waits=_waits(parts, WAITED_AS.get(bounds.bottleneck, SEQUENTIAL), queue_s),
        run_queue_s=queue_s if bounds.bottleneck == CPUS else 0.0,
        gets=parts.mean("gets") + parts.mean("scan_blocks"),
        current_gets=parts.mean("changed_blocks"),
        misses=wanted.blocks,
        read_requests=reads_by_size(wanted.reads, wanted.scan_reads, wanted.scan_blocks),
        read_bytes=wanted.blocks * parts.data.block_size_bytes,
        written_blocks=sum(fastest(due_at)(device, per_s).wanted for device in parts.devices),
        per_s=per_s,
        device={},
        kinds=[],
    )
    rates = Rates(
        utilisation={resource: min(1.0, per_s * demand_s) for resource, demand_s in bounds.demands.items()},
        bottleneck=bounds.bottleneck,
        saturation_per_s=bounds.ceiling_per_s,
        saturation_users=bounds.saturation_users,
        log_writes_per_s=per_s * parts.commits,
    )
    result = close(name, system, work, figures_of(system, work, mean, rates))
    return result.model_copy(update={"sources": sorted({*result.sources, "lazowska-1984"})})


def _waits(parts: Parts, queued_as: str, queue_s: float) -> dict[str, EventTime]:
    """Waits of a transaction by event; so long it queues for the bottleneck, in the event *queued_as*."""
    devices, waits = parts.devices, {}
    for event, count, total_s in (
        (SEQUENTIAL, parts.single_waits, sum(at.single_waits * at.disk.read_s for at in devices)),
        (PARALLEL, parts.parallel_waits, parts.parallel_waits * parts.batch_s),
        (SCATTERED, parts.scan_reads, sum(at.scan_reads * at.disk.scan_read_s for at in devices)),
        (LOG_FILE_SYNC, parts.commits, parts.commits * log_write_s(parts)),
        (FREE_BUFFERS, 1.0, 0.0),
    ):
        waited_s = total_s + (queue_s if event == queued_as else 0.0)
        if count and waited_s:
            waits[event] = EventTime(waits=count, max_s=waited_s / count, total_s=waited_s)
    return waits
