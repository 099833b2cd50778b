"""What the reads of one execution ask of the device: the demands of a stream of such reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from blocktime.model.demand.device_calls import changed
from blocktime.model.demand.reading import OneByOne, ReadPlan
from blocktime.model.demand.stream_work import call_demand
from blocktime.model.demand.work import Demand
from blocktime.model.laws import disk_means, limits, scan_reads
from blocktime.model.laws.block_layer import stated_call_s
from blocktime.model.laws.numeric import (
    Number,
    in_rows,
    is_array,
    larger,
    nearest,
    of_all,
    over,
    smaller,
    some,
    total,
    where,
)
from blocktime.model.laws.parallel_reads import slowest_service
from blocktime.model.laws.read_slots import mean_slots
from blocktime.model.spec import ReadStream, System

FIRST = 1


@dataclass(slots=True)
class DeviceDemand:
    """What the reads of one execution ask of the device and of the page cache."""

    requests: Number
    bytes: Number
    latency_s: Number
    """Time at the device of all the scan's reads, one after another, but for their transfers."""
    transfer_s: Number
    held_s: Number
    """Time that they take of the device's capacity, over all requests that it serves at once."""
    far_held_s: Number
    """The same, if none of them went on where the one before has ended."""
    at_device_s: Number
    """Time that the device has one of them, one after another."""
    first_s: Number
    """Uncontended time of the scan's first read."""
    last_blocks: Number
    single_s: Number
    """Uncontended time of one single-block read."""
    single_held_s: Number
    """Of the device's capacity."""
    continued_s: Number
    """Positioning that its reads would pay besides, if none of them went on where the one before has ended."""
    exact: bool
    """Whether a lone session's waits follow exactly from it."""
    batched_fraction: Number = 0.0
    """Of the time of the scan's reads that of batches."""

    def keeps_s(self, demand: Demand) -> Number:
        """Time that all reads of a session, single ones too, take of the device's capacity."""
        return self.held_s + demand.plan.single_reads * self.single_held_s

    @property
    def service_s(self) -> Number:
        """Time of all the scan's reads one after another, nobody queueing."""
        return self.latency_s + self.transfer_s


def parallel_of(disk: Any) -> Number:
    """Requests that the device, or all members of a set, serve at once."""
    return disk.raid_disks * disk.parallel_requests


def reads_as_calls(system: System, demand: Demand, own_s: Number, **fields: Any) -> Any:
    """The reads of one execution as the calls of a stream, between which its session works *own_s* in all."""
    reads = larger(1, _whole(demand.reads))
    size = demand.block_size_bytes
    given = {
        "block_size_bytes": _whole(larger(1, demand.read_blocks / reads) * size),
        "count": reads,
        "span_bytes": _whole(larger(1, demand.segment.blocks) * size),
        "path": system.database_path,
        "think_s": larger(0.0, own_s / reads - stated_call_s(system.host.read_call_s)),
    }
    return changed(READS, **{**given, **fields})


def _whole(number: Number) -> Number:
    """A number of calls or bytes, which some laws count with."""
    return nearest(number) if getattr(number, "ndim", 0) else round(number)


READS = ReadStream()


def _bursting(system: System, demand: Demand, users: Number) -> Any:
    """The system with a volume that has burst credits at its mean rate over all reads of the statement's sessions."""
    disk = system.disk
    if disk.iops_limit is None or disk.burst_iops is None or not some(disk.burst_credits):
        return system
    size = demand.block_size_bytes * demand.read_blocks / larger(1, demand.reads)
    counted = demand.reads * limits.counted_requests(disk, size) + demand.plan.single_reads
    return changed(
        system,
        disk=changed(disk, iops_limit=limits.mean_iops(disk, larger(1, users * counted)), burst_iops=None),
    )


def device_demand(system: System, demand: Demand, own_s: Number, users: Number) -> DeviceDemand:
    """Sum the demands of reads past the page cache on a device that nobody but *users* such sessions move.

    Between its reads a session works *own_s* seconds in all. Reads in order are those of a stream in order, others
    lie anywhere in the segment.
    """
    system = _bursting(system, demand, users)
    plan, size, disk = demand.plan, demand.block_size_bytes, system.disk
    asynchronous = plan.asynchronous and not plan.through_page_cache
    in_flight = larger(1, _whole(slots_of(system, demand, users))) if asynchronous else 1
    fraction = plan.positioned_fraction
    requests: Number = 0.0
    alone_s: Number = 0.0
    held_s: Number = 0.0
    streams = asynchronous or parallel_of(disk) > 1
    exact: Any = True

    calls_of = _calls_of(system, demand, own_s)

    def asked(blocks: Number, **fields: Any) -> Any:
        return call_demand(system, calls_of(blocks, **fields))

    for blocks, count in _by_size(plan.pieces):
        near = asked(blocks, in_flight=in_flight)
        requests = requests + total(count * near.requests)
        alone_s = alone_s + total(count * near.device_s)
        held_s = held_s + total(count * (near.held_s if streams else near.device_s))
        exact = exact & of_all(where(count > 0, near.exact, True))
    mean_blocks = larger(FIRST, demand.read_blocks / larger(1, demand.reads))
    far = asked(mean_blocks, pattern="random")
    far_s, far_held_s = demand.reads * far.device_s, demand.reads * far.held_s
    reorders = disk.reorder_age_s is not None
    if reorders and some(users > 1):
        far_held_s = demand.reads * asked(mean_blocks, pattern="random", in_flight=users).held_s
    start_s = where(demand.reads > 0, asked(mean_blocks, in_flight=in_flight).start_s, 0.0)
    alone_s = alone_s + start_s + fraction * (far_s - alone_s - start_s)
    held_s = held_s + fraction * (far_held_s - held_s)
    batched, batched_s = plan.batched_reads / larger(1, demand.reads), 0.0 * alone_s
    continued_s = larger(0.0, far_s - alone_s)
    if some(batched > 0):
        drained_s = _drained_s(
            plan, lambda waiting: asked(FIRST, pattern="random", in_flight=users * waiting).held_s
        )
        batched_s = plan.batches * far.device_s + (plan.batched_reads - plan.batches) * drained_s
        if disk.service_cv:
            batched_s = plan.batches * _slowest_s(disk, plan.at_once, far.device_s, drained_s)
        alone_s = alone_s * (1 - batched) + batched_s
        held_s, far_held_s = (
            each * (1 - batched) + plan.batched_reads * drained_s for each in (held_s, far_held_s)
        )
    first_blocks = _first_present(plan.pieces)
    first = asked(larger(FIRST, first_blocks), **({} if some(plan.single_reads) else {"pattern": "random"}))
    single = asked(FIRST, pattern="random")
    # NOTE: what was read ahead while the session worked comes faster than the medium passes it
    transfer_s = smaller(alone_s, _channel_s(disk, demand.read_blocks * size))
    return DeviceDemand(
        requests=requests + plan.single_reads * single.requests,
        bytes=(demand.read_blocks + plan.single_reads) * size,
        latency_s=alone_s - transfer_s,
        transfer_s=transfer_s,
        held_s=held_s,
        far_held_s=far_held_s if reorders else larger(held_s, far_held_s),
        at_device_s=alone_s,
        first_s=where(first_blocks > 0, first.device_s, 0.0),
        last_blocks=_first_present(plan.pieces[::-1]),
        single_s=single.device_s,
        single_held_s=single.held_s,
        continued_s=continued_s * (1 - batched),
        batched_fraction=over(batched_s, alone_s),
        exact=exact & where(disk.rotation_s > 0, False, True),
    )


def _calls_of(system: System, demand: Demand, own_s: Number) -> Callable[..., Any]:
    """From the blocks of a read, and what else it has of its own, to the calls of a stream of such reads."""

    def calls(blocks: Number, **fields: Any) -> Any:
        size = _whole(blocks * demand.block_size_bytes)
        return reads_as_calls(system, demand, own_s, block_size_bytes=size, path="raw", **fields)

    return calls


def _slowest_s(disk: Any, at_once: Number, each_s: Number, apart_s: Number) -> Number:
    """Until the last of a batch's reads is done, whose times vary.

    Raises :class:`OneByOne` for an array of scenarios.
    """
    if any(getattr(quantity, "ndim", 0) for quantity in (at_once, each_s, apart_s, disk.service_cv)):
        raise OneByOne
    return each_s * slowest_service(int(at_once), float(disk.service_cv), float(apart_s / each_s))


def _drained_s(plan: ReadPlan, held_s: Callable[[Number], Number]) -> Number:
    """Mean time that a read of a batch holds the device, which it does *held_s* while so many of them wait.

    Half of a batch is served while it shrinks to a half, with three quarters of it there on average, and so on.
    """
    waiting, share, drained_s = 0.75 * plan.at_once, 0.5, 0.0 * plan.at_once
    while some(waiting > 1):
        drained_s = drained_s + share * held_s(larger(1, _whole(waiting)))
        waiting, share = waiting / 2, share / 2
    return drained_s + 2 * share * held_s(1)


def slots_of(system: System, demand: Demand, users: Number) -> Number:
    """Asynchronous reads of each session in flight on average, where the channel alone decides how long they take."""
    instance, size = system.instance, demand.block_size_bytes
    channel_s = users * _channel_s(system.disk, demand.read_blocks * size)
    elapsed_s = larger(demand.cpu_s, channel_s)
    return mean_slots(elapsed_s, demand.cpu_s, instance.direct_read_slots, instance.direct_read_slots_limit)


def _channel_s(disk: Any, size_bytes: Number) -> Number:
    """Time on the channel of a device, as wide as all members that hold data."""
    return size_bytes / disk_means.sequential_bytes_per_s(disk, False)


def _by_size(pieces: list[scan_reads.Piece]) -> list[tuple[Number, Number]]:
    """Blocks of a read, and how many reads have them; those of one size together, where sizes are numbers."""
    if any(is_array(piece.blocks) for piece in pieces):
        blocks, counts = (in_rows([getattr(piece, part) for piece in pieces]) for part in ("blocks", "count"))
        return [(larger(FIRST, blocks), counts * (blocks > 0))]
    count_of: dict[float, Number] = {}
    for piece in pieces:
        if piece.blocks > 0:
            count_of[piece.blocks] = count_of.get(piece.blocks, 0.0) + piece.count
    return list(count_of.items())


def _first_present(pieces: list[scan_reads.Piece]) -> Number:
    """Blocks of the first read there is; 0 without any."""
    blocks: Number = 0
    for piece in pieces:
        missing = blocks == 0
        if not some(missing):
            break
        blocks = where(missing, (piece.count > 0) * piece.blocks, blocks)
    return blocks
