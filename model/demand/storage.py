"""What the reads of one execution take of the device where nobody else asks it: sums of the times of single reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.work import Demand
from blocktime.model.laws import disk_means, scan_reads
from blocktime.model.laws.numeric import Number, larger, nearest, over, smaller, some, where
from blocktime.model.laws.read_slots import mean_slots
from blocktime.model.spec import Disk, ReadStream, System

FIRST = 1
READS = ReadStream()


@dataclass(slots=True)
class ReadTimes:
    """Seconds of one session's reads."""

    scan_s: Number
    """All reads of the scan, one after another."""
    busy_s: Number
    """Of the device's capacity, for all reads."""
    first_s: Number
    """The scan's first read."""
    last_blocks: Number
    single_s: Number
    """One single-block read."""
    batched_fraction: Number = 0.0
    """Of the time of the scan's reads that of batches."""


def parallel_of(disk: Disk) -> Number:
    """Requests that the device, or all members of a set, serve at once."""
    return disk.raid_disks * disk.parallel_requests


def reads_as_calls(system: System, demand: Demand) -> Any:
    """The reads of one execution as the calls of a stream."""
    reads, size = larger(1, _whole(demand.reads)), demand.block_size_bytes
    size_bytes = _whole(larger(1, demand.read_blocks / reads) * size)
    span_bytes = _whole(larger(1, demand.segment.blocks) * size)
    path = system.database_path
    return changed(READS, block_size_bytes=size_bytes, count=reads, span_bytes=span_bytes, path=path)


def _whole(number: Number) -> Number:
    """A number of calls or bytes, which some laws count with."""
    return nearest(number) if getattr(number, "ndim", 0) else round(number)


def read_times(system: System, demand: Demand, work_s: Number, users: Number) -> ReadTimes:
    """Times of reads past the page cache, between which a session works *work_s* seconds in all.

    Reads in order go on where the last one ended; others lie anywhere in the segment. Of a batch each read but the
    first takes its share of the device's capacity.
    """
    disk, plan, size = system.disk, demand.plan, demand.block_size_bytes
    if disk.burst_iops is not None:
        disk = changed(disk, iops_limit=disk.burst_iops, burst_iops=None)
    gap_s, span_bytes = work_s / larger(1, demand.reads), larger(1, demand.segment.blocks) * size
    hits = disk.read_hit_fraction

    def near_s(blocks: Number) -> Number:
        medium_s = disk_means.sequential_service_s(disk, blocks * size, gap_s, False)
        return (1 - hits) * medium_s + hits * disk_means.answered_s(disk, blocks * size, False)

    def far_s(blocks: Number) -> Number:
        medium_s = disk_means.random_moments(disk, blocks * size, span_bytes, False)[0]
        return (1 - hits) * medium_s + hits * disk_means.answered_s(disk, blocks * size, False)

    def far_busy_s(blocks: Number) -> Number:
        busy_s = 1 / disk_means.random_requests_per_s(disk, blocks * size, span_bytes, False)
        if disk.reorder_age_s is None:
            return busy_s
        # NOTE: where a drive takes the nearest of those that wait, nothing but the bytes is certain
        passed_s = blocks * size / disk_means.sequential_bytes_per_s(disk, False, blocks * size)
        return where(users > 1, smaller(busy_s, passed_s), busy_s)

    scan_s = busy_s = 0.0 * work_s
    for piece in plan.pieces:
        blocks = larger(FIRST, piece.blocks)
        count = where(piece.blocks > 0, piece.count, 0)
        rate = disk_means.sequential_bytes_per_s(disk, False, blocks * size)
        scan_s = scan_s + count * near_s(blocks)
        busy_s = busy_s + count * blocks * size / rate
    mean_blocks, apart = larger(FIRST, demand.read_blocks / larger(1, demand.reads)), plan.positioned_fraction
    scan_s = (1 - apart) * scan_s + apart * demand.reads * far_s(mean_blocks)
    busy_s = (1 - apart) * busy_s + apart * demand.reads * far_busy_s(mean_blocks)
    batched, batched_s = plan.batched_reads / larger(1, demand.reads), 0.0 * scan_s
    if some(batched > 0):
        batched_s = plan.batches * far_s(FIRST) + (plan.batched_reads - plan.batches) * far_busy_s(FIRST)
        scan_s = scan_s * (1 - batched) + batched_s
    first_blocks = _first_present(plan.pieces)
    return ReadTimes(
        scan_s=scan_s,
        busy_s=busy_s + plan.single_reads * far_busy_s(FIRST),
        first_s=where(first_blocks > 0, far_s(larger(FIRST, first_blocks)), 0.0),
        last_blocks=_first_present(plan.pieces[::-1]),
        single_s=far_s(FIRST),
        batched_fraction=over(batched_s, scan_s),
    )


def slots_of(system: System, demand: Demand, users: Number) -> Number:
    """Asynchronous reads of each session in flight on average, where the channel alone decides how long they take."""
    instance, size = system.instance, demand.block_size_bytes
    channel_s = users * demand.read_blocks * size / disk_means.sequential_bytes_per_s(system.disk, False)
    elapsed_s = larger(demand.cpu_s, channel_s)
    return mean_slots(elapsed_s, demand.cpu_s, instance.direct_read_slots, instance.direct_read_slots_limit)


def _first_present(pieces: list[scan_reads.Piece]) -> Number:
    """Blocks of the first read there is; 0 without any."""
    blocks: Number = 0
    for piece in pieces:
        missing = blocks == 0
        if not some(missing):
            break
        blocks = where(missing, (piece.count > 0) * piece.blocks, blocks)
    return blocks
