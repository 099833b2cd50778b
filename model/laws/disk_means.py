"""Mean times of a device in closed form for one stream that waits for each request, and its maximum rates.

A sequential stream loses whole rotations; a random place is a seek and half a rotation away [ruemmler-wilkes-disk]. The
service is the time from a command's submission to its end. Sizes, spans and times may be arrays; zones, heads and the
RAID level are numbers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from blocktime.model.laws.disk_fields import DiskFields
from blocktime.model.laws.disk_geometry import Geometry, geometry_of
from blocktime.model.laws.garbage_collection import collected_s
from blocktime.model.laws.numeric import Number, ceiling, floor_div, in_rows, is_array, larger, smaller, some, where
from blocktime.model.laws.rotating_disk import TURN_TOLERANCE, on_curve_s, zone_ratio, zone_start_bytes
from blocktime.model.laws.volume_limits import limited_per_s, requests_of_members
from blocktime.model.units import KIB

LEAST = 1e-9
LARGE_BYTES = 256 * KIB
"""Default size of a sequential request, and the largest gap that a device without platters reads over."""


def data_members(disk: DiskFields) -> int:
    """Members of a set whose bytes are not redundant; 1 for a single device [patterson-raid]."""
    members = int(disk.raid_disks)
    return {"none": 1, "0": members, "1": members // 2, "10": members // 2, "5": members - 1}[disk.raid_level]


def copies_of(disk: DiskFields) -> int:
    """Members that hold the same bytes: two of a mirror."""
    return 2 if disk.raid_level in ("1", "10") else 1


def answered_s(disk: DiskFields, size_bytes: Number, write: bool) -> Number:
    """Time of a command that a memory answers, because it has the bytes or room for them: command and interface."""
    return overhead_s(disk, write) + size_bytes / disk.bus_bytes_per_s


def again_s(disk: DiskFields, size_bytes: Number) -> Number:
    """Whole rotations until the place of a read returns, so that it can be written."""
    late_s = overhead_s(disk, True) + size_bytes / disk.bandwidth_bytes_per_s
    return ceiling(late_s / disk.rotation_s) * disk.rotation_s


def swept_s(disk: DiskFields, size_bytes: Number, span_bytes: Number, part_bytes: Number) -> Number:
    """Time at the platter for a part of a request from a full write cache: a sweep seeks from one to the next."""
    g = geometry_of(disk)
    cached_requests = larger(1.0, floor_div(disk.write_cache_bytes, size_bytes))
    distance = larger(1.0, span_bytes / (g.heads * g.track_bytes) / cached_requests)
    return seek_at_s(g, distance) + g.rotation_s / 2 + part_bytes / disk.bandwidth_bytes_per_s


def overhead_s(disk: DiskFields, write: bool) -> Number:
    """Command overhead of a read, or of a write if it differs."""
    return disk.write_overhead_s if write and disk.write_overhead_s is not None else disk.overhead_s


def rate_bytes_per_s(disk: DiskFields, write: bool) -> Number:
    """Rate of queued reads, or of queued writes if it is lower."""
    sustained = disk.write_bandwidth_bytes_per_s
    return sustained if write and sustained is not None else disk.bandwidth_bytes_per_s


def command_s(disk: DiskFields, write: bool) -> Number:
    """Time that a read, or a write, uses the controller: 1 over its limit of commands per second; 0 without one."""
    ceiling = disk.controller_writes_per_s if write else disk.controller_reads_per_s
    return 0.0 if ceiling is None else 1 / ceiling


def busy_s(disk: DiskFields, size_bytes: Number, write: bool, run_requests: Number) -> Number:
    """Time that a command delays the next one: its controller, or the cells that a random write fills.

    *run_requests* is the length of its sequential run: the longer the run, the less garbage collection.
    """
    command = command_s(disk, write)
    if not write or disk.spare_fraction is None:
        return command
    return larger(command, collected_s(disk, size_bytes, run_requests, rate_bytes_per_s(disk, True)))


def sequential_service_s(disk: DiskFields, size_bytes: Number, gap_s: Number, write: bool) -> Number:
    """Mean service of a single sequential stream in the outermost zone: :func:`strided_service_s` without a gap."""
    return strided_service_s(disk, size_bytes, size_bytes, gap_s, write)


def strided_service_s(
    disk: DiskFields, size_bytes: Number, stride_bytes: Number, gap_s: Number, write: bool, hop_s: Number | None = None
) -> Number:
    """Mean service of a single stream with *stride_bytes* between starts, in the outermost zone.

    Without a buffer, the sector has passed when the next command arrives: the period is the stride's own time plus
    whole rotations until the command arrives. A buffer hides this: the period is that of the host or of the medium,
    whichever is longer. Exact for a sequential stream if the buffer holds at least two tracks; a smaller one can lose a
    rotation while it is full. Beyond a cylinder, the movement takes *hop_s*; by default the angle is random.
    """
    late = gap_s + overhead_s(disk, write)
    hole_bytes = stride_bytes - size_bytes
    answered = answered_s(disk, size_bytes, write)
    if not disk.rotation_s:
        seek = where((hole_bytes >= 0) & (hole_bytes <= LARGE_BYTES), 0.0, disk.average_seek_s)
        moved = seek + size_bytes / rate_bytes_per_s(disk, write)
        return larger(answered, moved - gap_s) if write and disk.write_cache_bytes else overhead_s(disk, write) + moved
    g = geometry_of(disk)
    if write and disk.write_cache_bytes:
        moved = seek_at_s(g, larger(1.0, stride_bytes / (g.heads * g.track_bytes)))
        there = moved + g.rotation_s / 2 + size_bytes / disk.bandwidth_bytes_per_s
        behind = where(hole_bytes == 0, size_bytes / rate_bytes_per_s(disk, True), there)
        return larger(answered, behind - gap_s)
    medium = on_platter_s(disk, size_bytes, stride_bytes, gap_s, write, hop_s)
    if write or not disk.track_buffer_bytes:
        return medium
    passed = stride_bytes / disk.bandwidth_bytes_per_s
    buffer_s = disk.track_buffer_bytes / disk.bandwidth_bytes_per_s
    missed = larger(0.0, ceiling((late - buffer_s) / g.rotation_s - TURN_TOLERANCE))
    lost = where(stride_bytes > disk.track_buffer_bytes, missed * g.rotation_s, 0.0)
    buffered = larger(answered, passed + lost - gap_s)
    # NOTE: a byte that reading ahead reaches only after more than a turn is sought instead
    soon = (hole_bytes <= disk.track_buffer_bytes) & (hole_bytes / disk.bandwidth_bytes_per_s <= late + g.rotation_s)
    return where((hole_bytes >= 0) & soon, buffered, medium)


def on_platter_s(
    disk: DiskFields, size_bytes: Number, stride_bytes: Number, gap_s: Number, write: bool, hop_s: Number | None = None
) -> Number:
    """Mean service of a single stream with a stride that neither a buffer nor a write cache hides."""
    g, hole_bytes = geometry_of(disk), stride_bytes - size_bytes
    late, sent = gap_s + overhead_s(disk, write), size_bytes / disk.bandwidth_bytes_per_s
    near = _near_service_s(g, hole_bytes, late, disk.bandwidth_bytes_per_s) - gap_s + sent
    cylinder_bytes = g.heads * g.track_bytes
    moved = seek_at_s(g, larger(1.0, stride_bytes / cylinder_bytes))
    far = overhead_s(disk, write) + moved + g.rotation_s / 2 + sent if hop_s is None else hop_s - gap_s + sent
    back = (stride_bytes < 0) & (-hole_bytes < cylinder_bytes)  # a little less than a turn, and no seek
    return where(((hole_bytes >= 0) & (hole_bytes < cylinder_bytes)) | back, near, far)


def _near_service_s(g: Geometry, hole_bytes: Number, late_s: Number, rate: Number) -> Number:
    """From the end of a request to the begin of the next beyond a hole, mean over places on the track."""
    crossed = floor_div(hole_bytes, g.track_bytes)
    share = hole_bytes / g.track_bytes - crossed
    switch = g.track_bytes / rate - g.rotation_s
    media_s = hole_bytes / g.track_bytes * g.rotation_s
    none = where(crossed > 0, g.head_switch_s, 0.0)

    def waited(switches: Number, move_s: Number) -> Number:
        hole_s = media_s + switches * switch
        turns = ceiling((late_s + move_s - hole_s) / g.rotation_s - TURN_TOLERANCE)
        return hole_s + turns * g.rotation_s

    return (1 - share) * waited(crossed, none) + share * waited(crossed + 1, g.head_switch_s)


def random_moments(disk: DiskFields, size_bytes: Number, span_bytes: Number, write: bool) -> tuple[Number, Number]:
    """Mean and squared coefficient of variation of a medium's service at random places in its first *span_bytes*.

    Seek over the distance of two random places, half a rotation, transfer; the rotational wait is uniform. The span
    exceeds the track buffer by far.
    """
    if not disk.rotation_s:
        return overhead_s(disk, write) + disk.average_seek_s + size_bytes / rate_bytes_per_s(disk, write), 0.0
    g = geometry_of(disk)
    seek, varies, slowness, slowness2 = _known_seek_moments(g, span_bytes)
    transfer = size_bytes / disk.bandwidth_bytes_per_s
    mean = overhead_s(disk, write) + seek + g.rotation_s / 2 + transfer * slowness
    variance = varies + g.rotation_s**2 / 12 + transfer**2 * larger(0.0, slowness2 - slowness**2)
    return mean, variance / mean**2


def _seek_moments(g: Geometry, span_bytes: Number) -> tuple[Number, Number, Number, Number]:
    """Mean and variance of the seek between two random places; mean and mean square of their zones' slowness."""
    edges, jumps, slowness, slowness2, same = _spread(g, span_bytes)
    curve = seek_curve(g)
    steps = [rank for rank, jump in enumerate(jumps) if some(jump)]  # beyond the span the density stays at 0
    pairs = [(rank, other) for rank in steps for other in steps if other < rank]
    apart = [edges[rank] - edges[other] for rank, other in pairs]
    if any(map(is_array, apart)):
        once_each, twice_each = _double_integrals(g, curve, in_rows(apart))
    else:
        once_each, twice_each = zip(*(_double_integrals(g, curve, distance) for distance in apart), strict=True)
    seek: Number = 0.0
    square: Number = 0.0
    for (rank, other), once, twice in zip(pairs, once_each, twice_each, strict=True):
        seek = seek - 2 * jumps[rank] * jumps[other] * once
        square = square - 2 * jumps[rank] * jumps[other] * twice
    # NOTE: two places on one cylinder need no seek, but mostly another head
    at_home = smaller(1.0, same) * (g.head_switch_s * (1 - 1 / g.heads) - g.track_seek_s)
    seek = larger(0.0, seek + at_home)
    return seek, larger(0.0, square - seek**2), slowness, slowness2


class _ByContent:
    """A number or an array that is found again by what it holds."""

    __slots__ = ("_key", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._key = (value.shape, value.dtype.str, value.tobytes()) if is_array(value) else value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByContent) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=1024)
def _of_numbers(g: Geometry, span_bytes: Number) -> tuple[Number, Number, Number, Number]:
    return _seek_moments(g, span_bytes)


@lru_cache(maxsize=8)
def _of_arrays(*places: _ByContent) -> tuple[Number, Number, Number, Number]:
    *g, span_bytes = (place.value for place in places)
    return _seek_moments(Geometry(*g), span_bytes)


def _known_seek_moments(g: Geometry, span_bytes: Number) -> tuple[Number, Number, Number, Number]:
    """The same, worked out once for requests of many sizes that go to the same places."""
    if is_array(span_bytes) or any(map(is_array, g)):
        return _of_arrays(*map(_ByContent, (*g, span_bytes)))
    return _of_numbers(g, span_bytes)


def random_service_s(
    disk: DiskFields, size_bytes: Number, span_bytes: Number, write: bool, gap_s: Number = 0.0
) -> Number:
    """Mean service of a single stream at random places in the first *span_bytes*.

    In the long run, writes into a cache wait for its sorted sweeps: as many short seeks as the cache has requests.
    """
    mean = random_moments(disk, size_bytes, span_bytes, write)[0]
    if not (write and disk.write_cache_bytes):
        return mean
    behind = mean - overhead_s(disk, True)
    if disk.rotation_s:
        behind = swept_s(disk, size_bytes, span_bytes, size_bytes)
    return larger(answered_s(disk, size_bytes, True), behind - gap_s)


def seek_at_s(g: Geometry, distance_cylinders: Number) -> Number:
    """The seek curve of :func:`model.laws.rotating_disk.seek_s`, for arrays as well."""
    return on_curve_s(distance_cylinders, *seek_curve(g), g.cylinders)


def servers_of(disk: DiskFields) -> int:
    """Requests that a device or a set serves at once."""
    return int(disk.raid_disks) * int(1 if disk.rotation_s else disk.parallel_requests)


def random_requests_per_s(disk: DiskFields, size_bytes: Number, span_bytes: Number, write: bool) -> Number:
    """Most random requests per second that a device, a set or a volume sustains, each within a stripe unit.

    A write costs two on a mirror; on RAID 5 two reads and, after a rotation, two writes [patterson-raid]. A member of a
    set is idle while the device's queue holds only requests for other members. Write cache and burst credits do not
    count.
    """
    member_span = span_bytes / data_members(disk)
    each = occupied_s(disk, size_bytes, member_span, write)
    if write and copies_of(disk) > 1:
        each = copies_of(disk) * each
    elif write and disk.raid_level == "5":
        again = again_s(disk, size_bytes) if disk.rotation_s else each
        each = 2 * (occupied_s(disk, size_bytes, member_span, False) + again)
    rate = disk.raid_disks / each
    if disk.rotation_s and disk.raid_disks > 1:
        at_once = 1 if not write else 2 if disk.raid_level == "5" else copies_of(disk)
        rate = balanced_per_s(disk.queue_depth, each / at_once, disk.raid_disks / at_once)
    if not write and disk.read_hit_fraction:
        rate = _with_hits_per_s(disk, rate, size_bytes, random_moments(disk, size_bytes, member_span, False)[0])
    return limited_per_s(disk, rate, size_bytes, requests_of_members(disk, write))


def balanced_per_s(users: Number, service_s: Number, stations: Number) -> Number:
    """Services per second of users that go from one of several equal stations to any other: N/(N + M - 1) · M/S.

    The closed network with balanced demands [lazowska-1984].
    """
    return users / (users + stations - 1) * stations / service_s


def _with_hits_per_s(disk: DiskFields, medium_per_s: Number, size_bytes: Number, service_s: Number) -> Number:
    """Most reads a second of a controller whose cache answers some: of the medium, its interface, and its queue.

    The medium serves *medium_per_s* that miss, each *service_s* long; an answer holds a place of the queue, too.
    """
    hits = disk.read_hit_fraction
    missed = larger(LEAST, 1 - hits)
    rate = smaller(medium_per_s / missed, disk.bus_bytes_per_s / (hits * size_bytes))
    in_queue_s = hits * answered_s(disk, size_bytes, False) + (1 - hits) * service_s
    return smaller(rate, larger(disk.queue_depth, disk.parallel_requests) / in_queue_s)


def sequential_bytes_per_s(disk: DiskFields, write: bool, size_bytes: Number = LARGE_BYTES) -> Number:
    """Most sequential bytes per second that a device, a set or a volume sustains, in requests of *size_bytes*."""
    each_s = larger(size_bytes / rate_bytes_per_s(disk, write), command_s(disk, write))
    each = disk.raid_disks / data_members(disk) if write else 1
    return limited_per_s(disk, data_members(disk) / each_s, size_bytes, each) * size_bytes


def occupied_s(disk: DiskFields, size_bytes: Number, span_bytes: Number, write: bool) -> Number:
    """Time of one member's capacity that a random request uses: latencies overlap in its slots.

    Transfers share the channel, and commands the controller: the largest of these counts [drive-data-sheets].
    """
    service_s, slots = random_moments(disk, size_bytes, span_bytes, write)[0], disk.parallel_requests
    if disk.rotation_s:
        return service_s
    if disk.service_cv:  # all of it is in the slot
        return service_s / slots
    busy = busy_s(disk, size_bytes, write, 1)
    if slots == 1:
        return larger(service_s, busy) if disk.spare_fraction is not None else service_s
    transfer = size_bytes / rate_bytes_per_s(disk, write)
    return larger((service_s - transfer) / slots, larger(transfer, busy))


def seek_curve(g: Geometry) -> tuple[Number, Number, Number, Number]:
    """End of the short seeks; ``a``, ``b`` and the slope beyond it."""
    third = larger(1.0, g.cylinders / 3)
    root = where(third > 1, (g.average_seek_s - g.track_seek_s) / larger(1e-9, third**0.5 - 1), 0.0)
    base = where(third > 1, g.track_seek_s, g.average_seek_s) - root
    slope = where(third > 1, (g.full_seek_s - g.average_seek_s) / larger(1e-9, g.cylinders - third), 0.0)
    return third, base, root, slope


def _double_integrals(
    g: Geometry, curve: tuple[Number, Number, Number, Number], distance: Number
) -> tuple[Number, Number]:
    """Second antiderivatives of the seek curve and of its square, from 0 to *distance*."""
    third, base, root, slope = curve
    near, far = smaller(distance, third), larger(0.0, distance - third)
    knee = g.average_seek_s
    once = base * near**2 / 2 + root * 4 / 15 * near**2.5
    reached = base * near + root * 2 / 3 * near**1.5
    once = once + far * reached + knee * far**2 / 2 + slope * far**3 / 6
    twice = base**2 * near**2 / 2 + 2 * base * root * 4 / 15 * near**2.5 + root**2 * near**3 / 6
    reached = base**2 * near + 2 * base * root * 2 / 3 * near**1.5 + root**2 * near**2 / 2
    twice = twice + far * reached + knee**2 * far**2 / 2 + knee * slope * far**3 / 3 + slope**2 * far**4 / 12
    return once, twice


def _spread(g: Geometry, span_bytes: Number) -> tuple[list[Number], list[Number], Number, Number, Number]:
    """Where bytes at random lie: borders of zones in cylinders, and the steps of the density there.

    Then the mean and the mean square of the slowness of their zones, and the chance that two share a cylinder.
    """
    edges: list[Number] = [0.0]
    jumps: list[Number] = []
    slowness: Number = 0.0
    slowness2: Number = 0.0
    same: Number = 0.0
    before: Number = 0.0
    for zone in range(g.zones):
        ratio = zone_ratio(zone, g.zones, g.inner_ratio)
        first = zone_start_bytes(zone, g.outer_zone_bytes, g.zones, g.inner_ratio)
        inside = smaller(larger(0.0, span_bytes - first), g.outer_zone_bytes * ratio)
        share = inside / span_bytes
        cylinder_share = g.heads * g.track_bytes * ratio / span_bytes
        density = where(share > 0, cylinder_share, 0.0)
        jumps.append(density - before)
        edges.append(edges[-1] + share / cylinder_share)
        before = density
        slowness = slowness + share / ratio
        slowness2 = slowness2 + share / ratio**2
        same = same + share * cylinder_share
    return edges, [*jumps, -before], slowness, slowness2, same
