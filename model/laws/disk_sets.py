"""Sets of disks and write caches in closed form: the work of a call for each member, and the writes a cache absorbs.

The members of a set rotate in step, so the parts of one call take as long as one of them [patterson-raid]. A write
cache answers from memory until it is full; then writes wait for its sorted sweeps. Sizes and times may be arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import Any

from blocktime.model.laws import disk_means, disk_rounds
from blocktime.model.laws.disk_geometry import geometry_of
from blocktime.model.laws.numeric import Number, ceil_div, is_array, larger, nearest, smaller, some, where
from blocktime.model.laws.queueing import balanced_per_s

EULER = 0.5772156649
"""Difference of 1 + 1/2 + ... + 1/n and ln n."""


def parts_of_call(disk: Any, size_bytes: Number) -> Number:
    """Members that one call of *size_bytes* uses, each for an equal part; 1 for a single device [patterson-raid]."""
    if disk.raid_level == "none":
        return 1
    places = disk.raid_disks if disk.raid_level == "5" else disk_means.data_members(disk)
    return smaller(places, larger(1, ceil_div(size_bytes, disk.stripe_unit_bytes)))


def passed_bytes(disk: Any, size_bytes: Number) -> Number:
    """Bytes that the members of a set skip for one call of whole units: as many units as rows it touches.

    On RAID 5 this includes the parity, as it moves from row to row [patterson-raid].
    """
    unit, data = disk.stripe_unit_bytes, disk_means.data_members(disk)
    if disk.raid_level in ("none", "1"):
        return size_bytes
    return where(size_bytes <= unit, size_bytes, ceil_div(nearest(size_bytes / unit), data) * unit)


def equal_stations(disk: Any, size_bytes: Number, write: bool) -> Number:
    """Equal queues of one server, of which a call of *size_bytes* takes one: members over the parts of a call.

    A write takes both members of a mirror, and on RAID 5 also the member with the parity.
    """
    parts = parts_of_call(disk, size_bytes)
    if write and disk.raid_level == "5":
        parts = smaller(disk.raid_disks, parts + 1)
    elif write:
        parts = disk_means.copies_of(disk) * parts
    return disk.raid_disks / parts


def random_moments(disk: Any, size_bytes: Number, span_bytes: Number, write: bool) -> tuple[Number, Number]:
    """Mean and squared coefficient of variation of a single call at random places in the first *span_bytes* of a set.

    On RAID 5 a write of less than whole rows reads first and returns after whole rotations [patterson-raid].
    """
    part = passed_bytes(disk, size_bytes)
    own_span = span_bytes / disk_means.data_members(disk)
    mean, scv = disk_means.random_moments(disk, part, own_span, write)
    if write and disk.raid_level == "5":
        read_s = disk_means.random_moments(disk, part, own_span, False)[0]
        again = where(
            reads_first(disk, size_bytes), disk_means.again_s(disk, part) if disk.rotation_s else read_s, 0.0
        )
        scv = scv * (mean / (mean + again)) ** 2
        mean = mean + again
    return mean, scv


def reads_first(disk: Any, size_bytes: Number) -> Number:
    """Whether a write of *size_bytes* reads first: on RAID 5, unless it fills whole rows [patterson-raid]."""
    return (disk.raid_level == "5") & (
        size_bytes % (disk.stripe_unit_bytes * disk_means.data_members(disk)) != 0
    )


def taken_of_flash_s(disk: Any, size_bytes: Number, write: bool, run_requests: Number = 1) -> Number:
    """Time of the capacity of a set of flash drives that a call uses with all its parts [patterson-raid].

    A write goes to both members of a mirror; on RAID 5 the set first reads an incomplete row and its parity.
    """
    parts = parts_of_call(disk, size_bytes)
    part = size_bytes / parts
    reads, writes = (0.0, parts) if write else (parts, 0.0)
    if write and disk_means.copies_of(disk) > 1:
        writes = disk_means.copies_of(disk) * parts
    elif write and disk.raid_level == "5":
        touched = smaller(disk.raid_disks, parts + 1)
        reads = where(reads_first(disk, size_bytes), touched, 0.0)
        writes = where(reads_first(disk, size_bytes), touched, disk.raid_disks)
    in_slots: Number = 0.0
    channel: Number = 0.0
    busy: Number = 0.0
    for requests, writing in ((reads, False), (writes, True)):
        in_slots = in_slots + requests * disk_means.overhead_s(disk, writing) / disk.parallel_requests
        channel = channel + requests * part / disk_means.rate_bytes_per_s(disk, writing)
        busy = busy + requests * disk_means.busy_s(disk, part, writing, run_requests)
    alone = channel + in_slots if disk.parallel_requests == 1 else larger(channel, in_slots)
    return larger(alone, busy) / disk.raid_disks


def caught_fraction(disk: Any, span_bytes: Number, nearer: Number, idle_s: Number, reads: Number) -> Number:
    """Share of random reads of a set that its members have read ahead, each idle for a time between its reads.

    A copy that is near takes the share *nearer* of a span. A member continues to read behind its last read until its
    buffer is full, and waits up to a rotation for a later place. If it has any idle time, its buffer soon holds all
    that it can; copies need time for all of it. Places before the last miss are the exception: of n *reads* of a
    member, those before all earlier ones miss, 1 + 1/2 + ... + 1/n.
    """
    if not (disk.rotation_s and disk.track_buffer_bytes):
        return 0.0
    passed = idle_s * disk.bandwidth_bytes_per_s
    ahead = smaller(disk.track_buffer_bytes, passed) + disk.rotation_s * disk.bandwidth_bytes_per_s
    own = span_bytes / disk_means.data_members(disk)
    fits = (own <= disk.track_buffer_bytes) & (idle_s > 0)
    near = own * nearer
    fits = fits | ((near <= disk.track_buffer_bytes) & (near <= passed))
    counted_reads = larger(1.0, reads)
    lowest = smaller(1.0, (log1p(counted_reads - 1) + EULER) / counted_reads)
    return where(fits, 1 - lowest, smaller(1.0, ahead / near))


def in_order_s(disk: Any, size_bytes: Number, stride_bytes: Number, gap_s: Number, write: bool) -> Number:
    """Mean service of a single sequential stream, whose next call comes *gap_s* after the end of the last one.

    The members of a set read ahead side by side, each from its own part.
    """
    if write and disk.rotation_s and not disk.write_cache_bytes:
        return _written_in_order_s(disk, size_bytes, stride_bytes, gap_s)
    if disk.raid_level != "none" and not disk.rotation_s:
        part, seek_s = size_bytes / parts_of_call(disk, size_bytes), disk.average_seek_s
        took = disk_means.strided_service_s(
            disk, part, stride_bytes / disk_means.data_members(disk), gap_s, write
        )
        if write and disk.raid_level == "5" and not disk.write_cache_bytes:
            first_s = disk_means.random_moments(disk, part, part, False)[0] - seek_s
            took = took + where(reads_first(disk, size_bytes), first_s, 0.0)
        return took
    if (
        disk.raid_level != "none" and not is_array(stride_bytes) and stride_bytes < 0
    ):  # nothing read ahead helps
        step = stride_bytes / (1 if parts_of_call(disk, size_bytes) == 1 else disk_means.data_members(disk))
        return disk_means.on_platter_s(disk, size_bytes / parts_of_call(disk, size_bytes), step, gap_s, write)
    hop_s = _hop_s(disk, size_bytes, stride_bytes, gap_s, write)
    if disk.raid_level == "none" or write or not (disk.rotation_s and disk.track_buffer_bytes):
        return disk_means.strided_service_s(disk, size_bytes, stride_bytes, gap_s, write, hop_s)
    part = size_bytes / parts_of_call(disk, size_bytes)
    answered = disk_means.answered_s(disk, part, False)
    own_stride = stride_bytes / disk_means.data_members(disk)
    passed = own_stride / disk.bandwidth_bytes_per_s
    g = geometry_of(disk)
    moved = disk_means.seek_at_s(g, larger(1.0, own_stride / (g.heads * g.track_bytes)))
    sent_s = passed_bytes(disk, size_bytes) / disk.bandwidth_bytes_per_s
    far = disk_means.overhead_s(disk, False) + moved + g.rotation_s / 2 + sent_s
    if hop_s is not None:
        far = hop_s - gap_s + sent_s
    return where(is_near(disk, size_bytes, stride_bytes, gap_s), larger(answered, passed - gap_s), far)


def _hop_s(disk: Any, size_bytes: Number, stride_bytes: Number, gap_s: Number, write: bool) -> Number | None:
    """Way of the heads from one call to the next a stride on, where each asks all members; None for another mean."""
    parts, data = parts_of_call(disk, size_bytes), disk_means.data_members(disk)
    if not disk.rotation_s or is_array(parts):
        return None
    if disk.raid_level == "none" and not some(
        stride_bytes != size_bytes
    ):  # no way: the next call begins there
        return None
    late_s = gap_s + disk_means.overhead_s(disk, write)
    if parts < data:
        # NOTE: members turn alike, so that the place on the next one comes by as it would on the last
        if write or is_array(stride_bytes) or is_array(size_bytes):
            return None
        unit = int(disk.stripe_unit_bytes)
        starts = [int(place * stride_bytes) for place in range(disk_rounds.PLACES + 1)]
        own = [start // (unit * data) * unit + start % unit for start in starts]
        return disk_rounds.mean_hop_s(geometry_of(disk), own, passed_bytes(disk, size_bytes), late_s)
    return disk_rounds.strided_hop_s(
        geometry_of(disk), passed_bytes(disk, size_bytes), stride_bytes / data, late_s
    )


def _written_in_order_s(disk: Any, size_bytes: Number, stride_bytes: Number, gap_s: Number) -> Number:
    """A write to the platters: near where the last was, or on another member of a set, which is at any angle.

    On RAID 5 what fills no row is read first, and written after whole turns [patterson-raid].
    """
    if disk.raid_level == "none":
        hop_s = _hop_s(disk, size_bytes, stride_bytes, gap_s, True)
        return disk_means.on_platter_s(disk, size_bytes, stride_bytes, gap_s, True, hop_s)
    g, data = geometry_of(disk), disk_means.data_members(disk)
    parts = parts_of_call(disk, size_bytes)
    part, own_stride = size_bytes / parts, stride_bytes / data
    sent_s = disk_means.overhead_s(disk, True) + part / disk.bandwidth_bytes_per_s
    moved = disk_means.seek_at_s(g, larger(1.0, own_stride / (g.heads * g.track_bytes)))
    far = sent_s + where(own_stride > part, moved, 0.0) + g.rotation_s / 2
    same = where(parts >= data, 1.0, larger(0.0, 1 - abs(stride_bytes) / disk.stripe_unit_bytes))
    step = where(parts >= data, larger(part, own_stride), stride_bytes)
    near = disk_means.on_platter_s(disk, part, step, gap_s, True)
    took = same * near + (1 - same) * far
    return took + where(reads_first(disk, size_bytes), disk_means.again_s(disk, part), 0.0)


def is_near(disk: Any, size_bytes: Number, stride_bytes: Number, gap_s: Number = 0.0) -> Number:
    """Whether the members of a set read over the gaps between calls instead of seeking past them.

    They do so if the program continues *gap_s* later.
    """
    hole = (stride_bytes - size_bytes) / disk_means.data_members(disk)
    late_s = gap_s + disk_means.overhead_s(disk, False) + disk.rotation_s
    return (
        (stride_bytes >= 0)
        & (hole <= disk.track_buffer_bytes)
        & (hole / disk.bandwidth_bytes_per_s <= late_s)
    )


def queued_per_s(disk: Any, service_s: Number, stations: Number, pieces: Number) -> Number:
    """Most calls per second of a set with a full queue: the calls in the device's queue share the *stations*.

    A member is idle while the queue holds only calls for other members.
    """
    depth = larger(1, max(disk.queue_depth, disk.parallel_requests) / pieces)
    return balanced_per_s(depth, service_s, stations)


def members_asked(disk: Any, starts: Sequence[int]) -> int:
    """Members, or pairs of a mirror, that hold the bytes at these places of a set [patterson-raid]."""
    unit, data = int(disk.stripe_unit_bytes), disk_means.data_members(disk)
    if disk.raid_level != "5":
        return len({start // unit % data for start in starts})
    # NOTE: the parity moves by a member from row to row, and the data begin behind it
    return len({(start // unit % data - start // (unit * data)) % int(disk.raid_disks) for start in starts})


def destaged_s(disk: Any, size_bytes: Number, span_bytes: Number | None, stride_bytes: Number = 0) -> Number:
    """Time between two requests of *size_bytes* that leave a full write cache, in order or in sorted sweeps of a span.

    A sweep makes as many short seeks as the cache has requests; each member of the set has one in progress.
    """
    if span_bytes is None:
        if stride_bytes > size_bytes and disk.rotation_s:
            stations = disk.raid_disks / parts_of_call(disk, size_bytes)
            copies = 2 if disk.raid_level in ("1", "10", "5") else 1
            return _written_in_order_s(disk, size_bytes, stride_bytes, 0.0) * copies / stations
        return size_bytes / disk_means.sequential_bytes_per_s(disk, True, size_bytes)
    if not disk.rotation_s:
        return 1 / disk_means.random_requests_per_s(disk, size_bytes, span_bytes, True)
    part = size_bytes / parts_of_call(disk, size_bytes)
    each = disk_means.swept_s(disk, size_bytes, span_bytes, part)
    if disk.raid_level == "none":
        return each
    each = each + disk_means.overhead_s(disk, True)
    if disk.raid_level == "5" and not some(reads_first(disk, size_bytes)):  # whole rows, of all members alike
        return each * size_bytes / (disk.stripe_unit_bytes * disk_means.data_members(disk))
    visits, stations = 1, disk_means.data_members(disk)
    if disk.raid_level == "5":
        each = each + disk_means.again_s(disk, part)
        visits, stations = 2, disk.raid_disks
    visits = visits * parts_of_call(disk, size_bytes)
    return visits / balanced_per_s(disk.raid_disks * visits, each, stations)
