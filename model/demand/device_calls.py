"""Calls as a device sees them: how they lie, how far apart they come, and who goes on where it was."""

from __future__ import annotations

from math import e, log1p
from typing import Any, TypeVar, cast

from blocktime.model.demand.calls import largest_bytes_of
from blocktime.model.demand.of_many import Overlay
from blocktime.model.demand.reading import one_value
from blocktime.model.laws import block_layer, disk_means
from blocktime.model.laws.garbage_collection import HOLE_BYTES
from blocktime.model.laws.numeric import Number, larger, largest, smaller, some, where
from blocktime.model.machine.device.elevator import IDLE_S, NEAR_BYTES
from blocktime.model.spec import System

Part = TypeVar("Part")

WRITE = "write_stream"
IDLING = ("cfq", "bfq")
"""Schedulers that serve one process after the other."""
LEAST_S = 1e-12
GAPS = 8
"""Gaps that stand for those of calls that come by chance."""


def changed(base: Part, **fields: Any) -> Part:
    """A part of the inputs as it is, but for some fields, which may be arrays."""
    return cast(Part, Overlay(base, fields))


def forwards(calls: Any) -> Any:
    """Calls from the end of a file to its begin as a stride back, which nothing reads ahead [linux-readahead]."""
    if calls.pattern != "backward":
        return calls
    return changed(calls, pattern="strided", stride_bytes=-calls.block_size_bytes, fadvise="random")


def visiting(calls: Any, share: Number) -> Any:
    """The calls as those of them that go to the device: where they arrive, so many fewer a second."""
    return calls if calls.rate_per_s is None else changed(calls, rate_per_s=calls.rate_per_s * share)


def takes_turns(system: System, calls: Any, gap_s: Number) -> bool:
    """Whether the scheduler keeps the device for each program in turn, as it goes on before the scheduler gives up."""
    return calls.rate_per_s is None and largest(gap_s) < IDLE_S and goes_on_near(system, calls)


def goes_on_near(system: System, calls: Any) -> bool:
    """Whether the scheduler waits for the next call of a program, as it lies near the last one [linux-cfq]."""
    hole_bytes = calls.stride_bytes - calls.block_size_bytes if calls.pattern == "strided" else 0
    return calls.pattern != "random" and abs(hole_bytes) <= NEAR_BYTES and idles(system)


def comes_in_time(calls: Any, gap_s: Number) -> Number:
    """Share of the calls for which the scheduler does not wait in vain, *gap_s* after the last one on average."""
    if calls.think_cv:
        return 1 - e ** (-IDLE_S / larger(LEAST_S, gap_s))
    return where(gap_s < IDLE_S, 1.0, 0.0)


def waits_in_vain_s(calls: Any, gap_s: Number) -> Number:
    """How long the scheduler keeps the device for the next call of a program, on average."""
    return gap_s * comes_in_time(calls, gap_s) if calls.think_cv else smaller(gap_s, IDLE_S)


def idles(system: System) -> bool:
    """Whether the scheduler serves a process at a time, and waits for one that goes on near [linux-cfq, linux-bfq]."""
    host = system.host
    release = block_layer.release_of(host.kernel)
    return bool(system.disk.rotation_s and host.scheduler in IDLING and release >= block_layer.IDLES)


def gaps_s(disk: Any, calls: Any, gap_s: Number) -> list[Number]:
    """Times between the end of a call and the next one of its program, equally likely: *gap_s*, spread as it varies.

    Calls that arrive find the platter at any angle, however regular they are.
    """
    if calls.rate_per_s is not None:
        apart_s = 1 / (calls.users * calls.rate_per_s)
        if calls.arrivals == "poisson":
            return [factor * apart_s for factor in _spread(1.0)]
        return [larger(0.0, apart_s + (place / GAPS - 1) * disk.rotation_s) for place in range(1, GAPS + 1)]
    if not some(calls.think_s) or not calls.think_cv:
        return [gap_s]
    return [gap_s + calls.think_s * (factor - 1) for factor in _spread(calls.think_cv)]


def _spread(cv: float) -> list[float]:
    """Values with a mean of 1 and nearly that coefficient of variation, equally likely."""
    values = [-log1p(-(place + 0.5) / GAPS) for place in range(GAPS)]
    mean = sum(values) / GAPS
    return [max(0.0, 1 + cv * (value / mean - 1)) for value in values]


def largest_bytes(system: System, calls: Any) -> Number:
    """The largest request that the host's block layer makes of *calls*."""
    size = calls.block_size_bytes
    return largest_bytes_of(system.host, calls.opened_as(system), writes=calls.writes, call_bytes=size)


def run_requests(system: System, calls: Any, size: Number) -> Number:
    """Requests of *size* of the run in order that a call belongs to, as flash sees it: all of a file, or of a call."""
    own = block_layer.pieces_of_call(calls.block_size_bytes, largest_bytes(system, calls))
    if calls.pattern == "random":
        return own
    every = larger(own, calls.count * calls.block_size_bytes / size)
    if calls.pattern == "sequential":
        return every
    hole_bytes = calls.stride_bytes - calls.block_size_bytes
    return where((hole_bytes >= 0) & (hole_bytes <= HOLE_BYTES), every, own)


def merged_bytes(system: System, calls: Any) -> Number:
    """Bytes to which write-back's pages merge: pages handed down one by one stay so with ``nomerges`` 2."""
    host = system.host
    release = block_layer.release_of(host.kernel)
    if host.nomerges == "2" and block_layer.page_by_page(release, host.filesystem):
        return block_layer.PAGE_BYTES
    return largest_bytes(system, calls)


def under_way(system: System, calls: Any) -> int:
    """Calls of one program that it has under way at a time; io_submit to a page cache waits."""
    return int(one_value(calls.in_flight)) if calls.passes_page_cache(system) else 1


def copies_of(disk: Any, calls: Any) -> int:
    """Programs in order that do not disturb each other: a read goes to the copy whose heads are near."""
    return 1 if calls.writes else disk_means.copies_of(disk)


def at_place(disk: Any, calls: Any) -> Any:
    """The disk with the rate of the zone that the first file begins in, for calls that go in order."""
    start = calls.start_byte
    if calls.pattern == "random" or not start or not disk.rotation_s or disk.raid_level != "none":
        return disk
    ratio = disk_means.zone_ratio_at(disk, start)
    return changed(disk, bandwidth_bytes_per_s=disk.bandwidth_bytes_per_s * ratio, zones=1)


def span_of(system: System, calls: Any) -> Number:
    """Bytes among which places are as if by chance; of programs in order those of all their files."""
    if calls.pattern == "random":
        capacity = system.disk.capacity_bytes * disk_means.data_members(system.disk)
        return smaller(capacity, capacity if calls.span_bytes is None else calls.users * calls.span_bytes)
    step = calls.step_bytes
    return calls.users * (calls.span_bytes if calls.span_bytes is not None else calls.count * abs(step))
