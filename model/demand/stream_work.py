"""What one call of a stream asks of a processor and of the device, on average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from model.demand.calls import UNBUFFERED
from model.laws import block_layer, disk_means, page_cache
from model.laws.numeric import Number, ceil_div, larger, smaller, some, where

WRITE = "write_stream"


@dataclass(slots=True)
class CallDemand:
    """One call: means, while nobody else uses the device."""

    cpu_s: Number
    device_s: Number
    """Time that it waits for the device."""
    held_s: Number
    """Time that it takes of the device's capacity, over all requests that the device serves at once."""
    scv: Number
    """Squared coefficient of variation of the device's time."""
    requests: Number
    """Requests at the device."""
    device_bytes: Number
    merged: Number
    """Bios that join a waiting request."""
    exact: bool
    """Whether a lone program's time follows exactly from it."""
    hidden: bool = False
    """Whether the device works ahead of the reader, or behind the writer."""


def call_demand(system: Any, calls: Any) -> CallDemand:
    """Demand of one call of *calls*, whose device answers at once when nobody queues."""
    host, path = system.host, calls.path or system.host.io_path
    write = calls.kind == WRITE
    if path in UNBUFFERED:
        cpu_s = host.write_call_s if write else host.read_call_s
        return _unbuffered(system, calls, cpu_s, write)
    if write:
        return _written(system, calls, path)
    return _read_ahead(system, calls)


def service_moments(system: Any, calls: Any, size_bytes: Number, gap_s: Number) -> tuple[Number, Number]:
    """Mean and squared coefficient of variation of the device's time for requests of *size_bytes* of a lone stream."""
    disk, write = system.disk, calls.kind == WRITE
    if disk.service_cv:
        return disk.overhead_s + size_bytes / disk.bandwidth_bytes_per_s, disk.service_cv**2
    span, disk = _span_bytes(system, calls), _at_place(disk, calls)
    if span is not None:
        _, scv = disk_means.random_moments(disk, size_bytes, span, write)
        return disk_means.random_service_s(disk, size_bytes, span, write, gap_s), scv
    stride = calls.stride_bytes if calls.pattern == "strided" else size_bytes
    return disk_means.strided_service_s(disk, size_bytes, stride, gap_s, write), 0.0


def capacity_per_s(system: Any, calls: Any, size_bytes: Number) -> Number:
    """Requests of *size_bytes* a second that the device sustains, in the pattern of *calls*."""
    disk, write = system.disk, calls.kind == WRITE
    if disk.service_cv:
        return disk.parallel_requests / (disk.overhead_s + size_bytes / disk.bandwidth_bytes_per_s)
    span, disk = _span_bytes(system, calls), _at_place(disk, calls)
    if span is not None:
        return disk_means.random_requests_per_s(disk, size_bytes, span, write)
    return disk_means.sequential_bytes_per_s(disk, write, size_bytes) / size_bytes


def _at_place(disk: Any, calls: Any) -> Any:
    """The disk with the rate of the zone that the first file begins in, for calls that go in order."""
    start = calls.start_byte
    if calls.pattern == "random" or not start or not disk.rotation_s or disk.raid_level != "none":
        return disk
    ratio = disk_means.zone_ratio_at(disk, start)
    return Changed(disk, bandwidth_bytes_per_s=disk.bandwidth_bytes_per_s * ratio, zones=1)


def _span_bytes(system: Any, calls: Any) -> Number | None:
    """Bytes among which places are as if by chance; None for one program that goes in order.

    Programs that go in order, each in a file of its own, take turns: their places change as by chance.
    """
    if calls.pattern == "random":
        capacity = system.disk.capacity_bytes * disk_means.data_members(system.disk)
        return smaller(capacity, capacity if calls.span_bytes is None else calls.users * calls.span_bytes)
    if not some(calls.users > 1):
        return None
    step = calls.stride_bytes if calls.pattern == "strided" else calls.block_size_bytes
    return calls.users * (calls.span_bytes if calls.span_bytes is not None else calls.count * step)


def _largest(system: Any) -> Number:
    return block_layer.largest_request_bytes(system.host.max_request_bytes, system.host.max_segments)


def _unbuffered(system: Any, calls: Any, cpu_s: Number, write: bool) -> CallDemand:
    size = calls.block_size_bytes
    largest = _largest(system)
    pieces = block_layer.pieces_of_call(size, largest)
    device_s, scv = service_moments(system, calls, size, cpu_s + calls.think_s)
    each = smaller(size, largest)
    return CallDemand(
        cpu_s=cpu_s,
        device_s=device_s,
        held_s=pieces / capacity_per_s(system, calls, each),
        scv=scv,
        requests=pieces,
        device_bytes=size,
        merged=0.0,
        exact=not some(pieces != 1) and _remembers_nothing(system.disk, write),
    )


def _remembers_nothing(disk: Any, write: bool) -> bool:
    """Whether a device's time for a call does not depend on how many came before: no cache fills, no credits go."""
    caching = write and disk.write_cache_bytes > 0
    return (
        not caching
        and disk.raid_level == "none"
        and disk.iops_limit is None
        and disk.throughput_limit_bytes_per_s is None
    )


class Changed:
    """A part of the inputs as it is, but for some fields."""

    def __init__(self, base: Any, **fields: Any) -> None:
        self._base = base
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)


def _written(system: Any, calls: Any, path: str) -> CallDemand:
    """A write through the page cache, which O_SYNC, O_DSYNC and fsync wait for."""
    host = system.host
    pages = page_cache.pages_per_call(calls.block_size_bytes, block_layer.PAGE_BYTES)
    cpu_s = host.write_call_s + pages * host.page_write_s
    size, largest = pages * block_layer.PAGE_BYTES, _largest(system)
    if path == "buffered" and not calls.fsync_every:
        in_order = calls.pattern == "sequential"
        size = calls.block_size_bytes if in_order else size
        requests = size / largest if in_order else block_layer.requests_of_run(pages, largest)
        held_s = requests / capacity_per_s(system, calls, largest if in_order else smaller(size, largest))
        merged = larger(0.0, pages - requests)
        return CallDemand(cpu_s, 0.0, held_s, 0.0, requests, size, merged, exact=False, hidden=True)
    together = calls.fsync_every if path == "buffered" else 1
    release = block_layer.release_of(host.kernel)
    requests = block_layer.requests_of_run(together * pages, largest)
    merged = together * pages - requests if block_layer.page_by_page(release, host.filesystem) else 0.0
    records = _journal_requests(host, calls, path)
    if system.disk.write_cache_flushed and block_layer.empties_write_cache(release, host.filesystem):
        requests = requests + where(system.disk.write_cache_bytes > 0, 1, 0)
        # what a call writes is on the medium before it ends
        system = Changed(system, disk=Changed(system.disk, write_cache_bytes=0))
    device_s, scv = service_moments(system, calls, together * size, together * (cpu_s + calls.think_s))
    device_s = larger(device_s, together * pages * host.page_submit_s)
    held_s = requests / capacity_per_s(system, calls, smaller(together * size, largest))
    record_s = records * disk_means.sequential_service_s(system.disk, block_layer.PAGE_BYTES, 0.0, True)
    return CallDemand(
        cpu_s=cpu_s,
        device_s=(device_s + record_s) / together,
        held_s=(held_s + record_s) / together,
        scv=scv,
        requests=(requests + records) / together,
        device_bytes=size,
        merged=merged / together,
        exact=False,
    )


def _journal_requests(host: Any, calls: Any, path: str) -> int:
    """Requests of the commit that a synchronous write or an fsync waits for: blocks, then the commit block."""
    if host.filesystem == "none" or host.journal_elsewhere:
        return 0
    release = block_layer.release_of(host.kernel)
    return 2 if path == "buffered" or calls.extends or block_layer.commits_each_call(release, path) else 0


def _read_ahead(system: Any, calls: Any) -> CallDemand:
    """A read through the page cache: in order the next window is on its way while this one is copied."""
    host = system.host
    in_order = calls.pattern == "sequential"
    whole = ceil_div(calls.block_size_bytes, block_layer.PAGE_BYTES) * block_layer.PAGE_BYTES
    size = calls.block_size_bytes if in_order else whole
    cpu_s = host.read_call_s + calls.block_size_bytes / host.copy_bytes_per_s
    missed = 1 - host.page_cache_hit_fraction
    if in_order:
        window = smaller(host.read_ahead_bytes, _largest(system))
        held_s = missed * size / (capacity_per_s(system, calls, window) * window)
        return CallDemand(
            cpu_s, held_s, held_s, 0.0, missed * size / window, missed * size, 0.0, exact=False, hidden=True
        )
    device_s, scv = service_moments(system, calls, size, cpu_s + calls.think_s)
    requests = missed * block_layer.pieces_of_call(size, _largest(system))
    held_s = requests / capacity_per_s(system, calls, smaller(size, _largest(system)))
    return CallDemand(cpu_s, missed * device_s, held_s, scv, requests, missed * size, 0.0, exact=False)
