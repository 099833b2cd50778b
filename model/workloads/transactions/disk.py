"""The data disk as transactions meet it: what one request takes of it, alone, in its queue and in bursts."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf
from typing import NamedTuple

from blocktime.model.demand.calls import writes_at_once
from blocktime.model.demand.device_calls import changed
from blocktime.model.laws import block_layer, disk_means, volume_limits
from blocktime.model.laws.disk_geometry import geometry_of
from blocktime.model.laws.disk_queue import Positionings, gained
from blocktime.model.laws.disk_strides import strided_hop_s
from blocktime.model.laws.rotating_disk import on_curve_s
from blocktime.model.loops import fastest
from blocktime.model.machine.device.elevator import FIFO_BATCH, IN_BATCHES, IN_ORDER, WRITES_STARVED
from blocktime.model.spec import Disk, System

LEAST = 1e-12
MOST_COMMANDS = 2**40
"""Of a queue that keeps nobody out."""
SMALL = 1e-2
"""Cylinders from one request to the next, below which all are on one."""
NEARER_COPY = 5 / 8
"""Of two heads at random places the nearer is 5/24 of the span away on average, a single one a third."""


@dataclass
class Arm:
    """How the heads of a disk that turns get over the data."""

    data_cylinders: float
    head_switch_s: float
    third: float
    """Of the seek curve, as :func:`model.laws.disk_means.seek_curve` has it."""
    base: float
    root: float
    slope: float
    cylinders: float

    def seek_s(self, distance_cylinders: float) -> float:
        """A seek over a distance."""
        takes_s: float = on_curve_s(distance_cylinders, self.third, self.base, self.root, self.slope, self.cylinders)
        return takes_s


@dataclass
class DataDisk:
    """The disk of the data: what a request takes alone, and of its capacity."""

    arm: Arm | None
    """None where nothing turns."""
    rotation_s: float
    overhead_s: float
    write_overhead_s: float
    bytes_per_s: float
    track_buffer_bytes: float
    cache_blocks: float
    """Blocks that its write cache holds."""
    read_hit_fraction: float
    random_write_s: float
    """A block at a random place, as the medium writes it."""
    queue_depth: int
    size_bytes: int
    """Of a block."""
    span_bytes: float
    """Over which the data lie on each member."""
    nr_requests: int
    servers: int
    """Requests that the data disk serves at once."""
    members: int
    """Of them those that are served one by one: the disks of a set."""
    depth: float
    """Requests that the disk has at once before reads pass writes, and the scheduler sorts what waits."""
    sorts: bool
    """Whether the scheduler makes seeks shorter where many wait."""
    unreached: list[float]
    """Chances that no place is reached yet, step by step, where the drives take the shortest of what they hold."""
    step_s: float
    """One of those steps."""
    reads_first: bool
    """Whether reads pass DBWR's writes: by the scheduler, or as a write cache keeps these for later."""
    passing: float
    """Writes that the scheduler lets pass for each read, however many reads wait."""
    read_s: float
    """A single-block read alone."""
    read_busy_s: float
    """Of the disk's capacity, for one read."""
    scan_read_s: float
    scan_busy_s: float
    scan_near_s: float
    """What a multiblock read takes less that goes on where the one before ended, nobody's between."""
    write_busy_s: float
    """Of the disk's capacity, for one block that DBWR writes."""
    writes_at_once: int
    """Of DBWR."""
    writer_per_s: float
    """Blocks that DBWR writes a second with what it may have under way."""
    room: float
    """Requests of either direction that the queue lets in (``nr_requests``)."""
    holds: float
    """Requests beyond which a scheduler of deadlines keeps some waiting, on a disk without places; else no number."""

    def reads_beside(self, there: float) -> float:
        """Reads that are served while DBWR's requests are served once, with so many reads there at all times.

        In order of arrival those that are there. What a scheduler of deadlines keeps waiting goes down in batches of 16
        writes after two of reads each, as far as reads come back so soon, behind what the drive holds. DBWR's requests
        begin in the middle of a batch of reads and end the sweep of writes once between [linux-deadline].
        """
        reads, writes = min(there, self.room), min(float(self.writes_at_once), self.room)
        waiting = min(writes, reads + writes - self.holds)
        served = min(reads, self.holds)
        if waiting > 0:
            come_back = reads / (self.holds - reads) if reads < self.holds else inf
            in_batch = max(0.0, min(float(FIFO_BATCH), waiting, reads - self.holds))
            served += min(float(WRITES_STARVED), come_back) * waiting + (WRITES_STARVED + 0.5) * in_batch
        return served * self.writes_at_once / writes

    def batch_s(self, reads: float) -> float:
        """So many single-block reads that come together and find nobody take at least as long."""
        return max(self.read_s, reads * self.read_busy_s)

    def sorted_s(self, there: float, reads_fraction: float) -> float:
        """How much quicker a request is where so many are there and the scheduler sorts those that it holds.

        With n random places a sweep moves by 1/n of the span from one to the next; in order of arrival by a third.
        Where that is less than a cylinder, the arm often stays and another head is switched to. A read so near to the
        one before that the drive reads ahead as far within a turn comes out of its buffer [ruemmler-wilkes-disk].
        """
        if self.unreached:
            left = min(there, self.queue_depth - 1.0)  # by one that ends, at one of the members
            commands = max(1.0, (left + self.members - 1) / self.members)
            shorter: float = gained(self.unreached, commands)
            return shorter * self.step_s
        arm: Arm | None = self.arm
        if not self.sorts or there <= self.depth or arm is None:
            return 0.0
        cylinders = arm.data_cylinders
        waiting = max(0.0, min(there, self.nr_requests) - self.depth)
        near = max(SMALL, cylinders / (3 + waiting))
        stays = 1 - near * (1 - exp(-1 / near))
        near_s = arm.seek_s(max(1.0, near / (1 - stays))) * (1 - stays)
        near_s += stays * arm.head_switch_s
        far_s = arm.seek_s(max(1.0, cylinders / 3))
        # NOTE: sweeps of deadlines hold either reads or writes; where they are mixed, a write before a read ends it
        follows = reads_fraction if self.passing else reads_fraction**2
        ahead_s = self._read_ahead_s(self.span_bytes / (3 + waiting), near_s) if follows else 0.0
        return far_s - near_s + follows * ahead_s

    def _read_ahead_s(self, mean_bytes: float, seek_s: float) -> float:
        """What a read gains on average that begins, by chance, *mean_bytes* behind the end of the one before.

        The medium passes the gap x in x/rate, the command comes after its overhead; up to the bytes of a turn (or of
        the buffer) that is all, instead of overhead, seek and half a turn. Gaps are exponential.
        """
        rate, overhead_s = self.bytes_per_s, self.overhead_s
        most = min(self.track_buffer_bytes, rate * (overhead_s + self.rotation_s))
        least = min(most, rate * overhead_s)
        beyond_least, beyond_most = exp(-least / mean_bytes), exp(-most / mean_bytes)
        passed_s = overhead_s * (1 - beyond_least)
        passed_s += ((mean_bytes + least) * beyond_least - (mean_bytes + most) * beyond_most) / rate
        return (1 - beyond_most) * (overhead_s + seek_s + self.rotation_s / 2) - passed_s

    def swept_s(self, reads: float, written: float, blocks: float) -> float:
        """What a write holds a disk whose cache writes so many blocks in sorted sweeps, where no read comes between."""
        arm: Arm | None = self.arm
        if not self.cache_blocks or arm is None or not written:
            return self.write_busy_s
        near = max(1.0, arm.data_cylinders / max(1.0, blocks))
        swept_s = arm.seek_s(near) + self.rotation_s / 2 + self.size_bytes / self.bytes_per_s
        among_writes = written / (reads + written)
        return self.write_busy_s * (1 - among_writes * max(0.0, 1 - swept_s / self.random_write_s))


def _arm(disk: Disk, span_bytes: float) -> Arm | None:
    """That of a disk that turns, whose data take such a span."""
    if not disk.rotation_s:
        return None
    g = geometry_of(disk)
    cylinders = span_bytes / (g.heads * g.track_bytes)
    return fastest(Arm)(cylinders, g.head_switch_s, *disk_means.seek_curve(g), g.cylinders)


def _write_slot_s(disk: Disk, size_bytes: int, span_bytes: float) -> float:
    """What a write takes of one of several slots, before the bytes go over the one bus."""
    if disk.service_cv:
        return float(disk_means.random_moments(disk, size_bytes, span_bytes, True)[0])
    return float(disk_means.overhead_s(disk, True) + disk.average_seek_s)


def _pieces(size_bytes: float, block_bytes: int, largest_bytes: float) -> float:
    """Requests of a read: as many for each of its blocks, or the mean of reads of several sizes."""
    if largest_bytes <= block_bytes:
        return size_bytes / block_bytes * float(block_layer.pieces_of_call(block_bytes, largest_bytes))
    return max(1.0, size_bytes / largest_bytes)


def _later_s(disk: Disk, size_bytes: float, pieces: float) -> float:
    """What the pieces of a read take longer than its bytes, where each is handed over after the one before."""
    if pieces == 1 or max(disk.queue_depth, disk.parallel_requests) > 1:
        return 0.0
    part = size_bytes / pieces
    following_s = float(disk_means.sequential_service_s(disk, part, 0.0, False))
    return float((pieces - 1) * max(0.0, following_s - part / disk.bandwidth_bytes_per_s))


class _RandomRequests(NamedTuple):
    """Requests of a disk at random places in a span, in pieces that the host allows."""

    disk: Disk
    size_bytes: int
    """Of a block."""
    largest_bytes: float
    span_bytes: float
    member_span: float

    @property
    def positions(self) -> bool:
        """Whether a request has to find its place."""
        return bool(self.disk.rotation_s or self.disk.average_seek_s)

    def pieces(self, size: float) -> float:
        """Requests of a read of that size."""
        return _pieces(size, self.size_bytes, self.largest_bytes)

    def alone_s(self, size: float) -> float:
        """A read alone, whose pieces are handed down together."""
        count = self.pieces(size)
        if self.positions:
            spaced_s = (count - 1) / float(volume_limits.limited_per_s(self.disk, inf, size / count))
            return max(self._one_alone_s(size) + _later_s(self.disk, size, count), spaced_s)
        return self._one_alone_s(size / count) + (count - 1) * self.busy_s(size / count, False)

    def _one_alone_s(self, size: float) -> float:
        """A request alone, some of which the controller's cache answers."""
        disk, cached = self.disk, self.disk.read_hit_fraction
        near = self.member_span * (NEARER_COPY if disk_means.copies_of(disk) > 1 else 1)
        medium_s = disk_means.random_moments(disk, size, near, False)[0]
        answered_s = disk_means.overhead_s(disk, False) + size / disk.bus_bytes_per_s
        return float((1 - cached) * medium_s + cached * answered_s)

    def busy_s(self, size: float, write: bool) -> float:
        """Of the disk's capacity, for all pieces of a read or a write."""
        count, disk = self.pieces(size), self.disk
        if count == 1 or not self.positions:
            return count * float(1 / disk_means.random_requests_per_s(disk, size / count, self.span_bytes, write))
        request_s = float(1 / disk_means.random_requests_per_s(disk, size, self.span_bytes, write))
        paced_s = count / float(volume_limits.limited_per_s(disk, inf, size / count))
        return max(request_s + _later_s(disk, size, count), paced_s)

    def near_s(self, size: float, stride_bytes: float, gap_s: float) -> float:
        """What a read saves that follows another one; *stride_bytes* from begin to begin, *gap_s* between them."""
        disk = self.disk
        if not self.positions or disk.raid_level != "none" or disk.service_cv:
            return 0.0  # a set reads ahead on each member, which a few reads do not see
        stride, hop_s = max(size, stride_bytes), None
        if disk.rotation_s and stride != size:
            hop_s = strided_hop_s(geometry_of(disk), size, stride, gap_s + disk_means.overhead_s(disk, False))
        there_s = float(disk_means.strided_service_s(disk, size, stride, gap_s, False, hop_s))
        whole_s = float(disk_means.random_moments(disk, size, self.member_span, False)[0])
        return max(0.0, float((1 - disk.read_hit_fraction) * (whole_s - there_s)))


def data_disk(
    system: System, size_bytes: int, scan: tuple[float, float, float], span_bytes: float, share: float = 1.0
) -> DataDisk:
    """The data disk for blocks and multiblock reads, at random places in a span.

    A *scan* has reads of a size, so far from one begin to the next, and so long between them. Of DBWR's writes as many
    are under way there as its *share* of the blocks.
    """
    disk, host = system.disk, system.host
    scan_bytes, stride_bytes, gap_s = scan
    largest = float(block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments))
    member_span = span_bytes / disk_means.data_members(disk)
    sorts = bool(disk.rotation_s and host.scheduler not in IN_ORDER)
    slots = max(disk.queue_depth, disk.parallel_requests)
    depth = float(disk_means.servers_of(disk) if disk.write_cache_bytes else slots if sorts else inf)
    in_batches = bool(disk.rotation_s) and host.scheduler in IN_BATCHES
    single = disk.raid_level == "none" and not disk.write_cache_bytes
    beside = not disk.rotation_s and disk.parallel_requests > 1
    requests = _RandomRequests(disk, size_bytes, largest, span_bytes, member_span)
    write_slot_s = _write_slot_s(disk, size_bytes, member_span) if beside else 0.0
    write_busy_s = requests.busy_s(size_bytes, True)
    deep = changed(disk, queue_depth=MOST_COMMANDS)
    apart_s = disk.raid_disks / float(disk_means.random_requests_per_s(deep, size_bytes, span_bytes, True))
    under_way = max(1, round(writes_at_once(system) * share))
    positionings = None if disk.reorder_age_s is None else Positionings(disk, member_span)
    return fastest(DataDisk)(
        arm=_arm(disk, member_span),
        rotation_s=disk.rotation_s,
        overhead_s=disk_means.overhead_s(disk, False),
        write_overhead_s=disk_means.overhead_s(disk, True),
        bytes_per_s=disk.bandwidth_bytes_per_s,
        track_buffer_bytes=disk.track_buffer_bytes,
        cache_blocks=disk.write_cache_bytes / size_bytes,
        read_hit_fraction=disk.read_hit_fraction,
        random_write_s=disk_means.random_moments(disk, size_bytes, member_span, True)[0],
        queue_depth=disk.queue_depth,
        size_bytes=size_bytes,
        span_bytes=member_span,
        nr_requests=host.nr_requests,
        servers=disk_means.servers_of(disk),
        members=int(disk.raid_disks),
        depth=depth,
        sorts=sorts and single,
        unreached=[] if positionings is None else positionings.left,
        step_s=0.0 if positionings is None else positionings.each_s,
        reads_first=in_batches or bool(disk.write_cache_bytes),
        passing=min(FIFO_BATCH, under_way) / (WRITES_STARVED * FIFO_BATCH) if in_batches else 0.0,
        read_s=requests.alone_s(size_bytes),
        read_busy_s=requests.busy_s(size_bytes, False),
        scan_read_s=requests.alone_s(scan_bytes),
        scan_busy_s=requests.busy_s(scan_bytes, False),
        scan_near_s=requests.near_s(scan_bytes, stride_bytes, gap_s),
        write_busy_s=write_busy_s,
        writes_at_once=under_way,
        room=float(host.nr_requests),
        holds=inf if requests.positions or host.scheduler not in IN_BATCHES else float(slots),
        writer_per_s=inf
        if disk.write_cache_bytes
        else min(1 / write_busy_s, under_way / max(write_slot_s, apart_s, LEAST)),
    )
