"""What one call of a stream asks of a processor and of the device, on average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from model.demand.calls import UNBUFFERED
from model.demand.device_visit import (
    BATCH,
    SORTING,
    WRITE,
    Changed,
    Visit,
    is_write,
    largest_bytes,
    span_of,
    start_s,
    visit_of,
)
from model.laws import block_layer, disk_means, disk_rounds, disk_sets, page_cache
from model.laws.numeric import Number, ceil_div, larger, smaller, some, where

WINDOWS = 2
"""Windows of a reader under way: who reaches the begin of one sets the next off, and then waits [linux-readahead]."""


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
    """Whether the device works behind the writer."""
    servers: int = 1
    """Requests that the device serves at once, where each of its servers takes any."""
    alike: Number = 1
    """Equal queues of one server, of which a call takes one."""
    together: Number = 1
    """Calls that wait together: those that merge, or are written by one fsync."""
    ahead: int = 0
    """Requests of each reader that are under way while it goes on; 0 where nothing works ahead."""
    visits: int = 1
    """Times that a call, with those that go together, waits for the device."""
    start_s: Number = 0.0
    """What the first calls take longer, once for each program."""
    drained_s: Number = 0.0
    """Time between two calls that leave a full write cache."""
    absorbed_calls: Number = 0.0
    """Calls of all programs that a write cache answers until it is full, if nothing left it."""
    drained_share: Number = 1.0
    """Of later calls, those that need room in the write cache."""


def call_demand(system: Any, calls: Any) -> CallDemand:
    """Demand of one call of *calls*, whose device answers at once when nobody queues."""
    host, path = system.host, calls.path or system.host.io_path
    write = calls.kind == WRITE
    if path in UNBUFFERED:
        return _unbuffered(system, calls, host.write_call_s if write else host.read_call_s, write)
    if not write:
        return _read_ahead(system, calls)
    if path == "buffered" and not calls.fsync_every:
        return _written_behind(system, calls)
    return _written_through(system, calls, path)


def _unbuffered(system: Any, calls: Any, cpu_s: Number, write: bool) -> CallDemand:
    size = calls.block_size_bytes
    largest = largest_bytes(system)
    pieces = block_layer.pieces_of_call(size, largest)
    together = _merged_calls(system, calls, largest)
    gap_s = cpu_s + calls.think_s
    visit = visit_of(system, calls, size * together, gap_s)
    demand = CallDemand(
        cpu_s=cpu_s,
        device_s=visit.alone_s / together,
        held_s=visit.held_s / together,
        scv=visit.scv,
        requests=larger(pieces / together, 1 / together),
        device_bytes=size,
        merged=1 - 1 / together,
        exact=not some(pieces != 1) and _remembers_nothing(system.disk, write),
        servers=visit.servers,
        alike=visit.alike,
        together=together,
        start_s=start_s(system, calls, visit, size, gap_s),
    )
    return _absorbed(system, calls, demand)


def _merged_calls(system: Any, calls: Any, largest: Number) -> Number:
    """Calls in order that merge while they wait: those beyond the device's own queue, by program."""
    most = larger(1, largest / calls.block_size_bytes)
    if calls.pattern != "sequential":
        return 1
    if calls.rate_per_s is not None:
        rate = calls.users * calls.rate_per_s
        alone = visit_of(system, calls, calls.block_size_bytes, 0.0)
        behind = most * (BATCH if system.host.scheduler in SORTING else 1)
        return where(rate * alone.held_s < 1, 1, behind)
    depth = max(system.disk.queue_depth, system.disk.parallel_requests)
    waiting = calls.users * calls.in_flight / (depth + calls.users)
    return larger(1, smaller(waiting, most))


def _absorbed(system: Any, calls: Any, demand: CallDemand) -> CallDemand:
    """The demand with what a write cache takes in, and how fast it is emptied afterwards."""
    disk = system.disk
    if not (is_write(calls) and disk.write_cache_bytes) or disk.service_cv:
        return demand
    size = calls.block_size_bytes
    span = None
    if calls.pattern == "random":
        capacity = disk.capacity_bytes * disk_means.data_members(disk)
        span = smaller(capacity, capacity if calls.span_bytes is None else calls.users * calls.span_bytes)
    absorbed, demand.drained_share = disk_sets.absorbed_bytes(disk, span)
    demand.absorbed_calls = absorbed / size
    demand.drained_s = disk_sets.destaged_s(disk, size, span)
    return demand


def _remembers_nothing(disk: Any, write: bool) -> bool:
    """Whether a device's time for a call does not depend on how many came before: no cache fills, no credits go."""
    caching = write and disk.write_cache_bytes > 0
    return (
        not caching
        and disk.raid_level == "none"
        and disk.iops_limit is None
        and disk.throughput_limit_bytes_per_s is None
    )


def _written_behind(system: Any, calls: Any) -> CallDemand:
    """A write into the page cache, which nobody waits for."""
    host, largest = system.host, largest_bytes(system)
    pages = page_cache.pages_per_call(calls.block_size_bytes, block_layer.PAGE_BYTES)
    in_order = calls.pattern == "sequential"
    size = calls.block_size_bytes if in_order else pages * block_layer.PAGE_BYTES
    requests = size / largest if in_order else block_layer.requests_of_run(pages, largest)
    each = largest if in_order else smaller(size, largest)
    # NOTE: write-back goes through one file after the other, in order of place
    lone = Changed(calls, users=1) if in_order else calls
    held_s = requests * visit_of(system, lone, each, 0.0, streams=True).held_s
    return CallDemand(
        cpu_s=host.write_call_s + pages * host.page_write_s,
        device_s=0.0,
        held_s=held_s,
        scv=0.0,
        requests=requests,
        device_bytes=size,
        merged=larger(0.0, pages - requests),
        exact=False,
        hidden=True,
    )


def _written_through(system: Any, calls: Any, path: str) -> CallDemand:
    """Writes through the page cache that O_SYNC, O_DSYNC or fsync waits for: data, then the journal's commit."""
    host, disk, largest = system.host, system.disk, largest_bytes(system)
    pages = page_cache.pages_per_call(calls.block_size_bytes, block_layer.PAGE_BYTES)
    cpu_s = host.write_call_s + pages * host.page_write_s
    together = calls.fsync_every if path == "buffered" else 1
    release = block_layer.release_of(host.kernel)
    run_pages, runs = together * pages, 1.0
    if calls.pattern == "random" and together > 1:
        span = span_of(system, calls) / calls.users
        dirty = page_cache.dirty_bytes(together * pages * block_layer.PAGE_BYTES, span)
        # NOTE: what adjoins is one run
        runs = larger(1.0, dirty / (pages * block_layer.PAGE_BYTES) * (1 - dirty / span))
        run_pages = dirty / block_layer.PAGE_BYTES / runs
    size = run_pages * block_layer.PAGE_BYTES
    requests = runs * block_layer.requests_of_run(run_pages, largest)
    merged = runs * run_pages - requests if block_layer.page_by_page(release, host.filesystem) else 0.0
    records = _journal_requests(host, calls, path)
    if disk.write_cache_flushed and block_layer.empties_write_cache(release, host.filesystem):
        requests = requests + where(disk.write_cache_bytes > 0, 1, 0)
        # what a call writes is on the medium before it ends
        disk = Changed(disk, write_cache_bytes=0)
        system = Changed(system, disk=disk)
    visit = visit_of(system, calls, size, together * (cpu_s + calls.think_s), sorted_runs=runs)
    data_s, held_s = runs * visit.held_s + visit.alone_s - visit.held_s, runs * visit.held_s
    if records:
        data_s, held_s = _committed_s(system, calls, visit, size, runs)
    device_s = larger(data_s, together * pages * host.page_submit_s)
    demand = CallDemand(
        cpu_s=cpu_s,
        device_s=device_s / together,
        held_s=held_s / together,
        scv=visit.scv,
        requests=(requests + records) / together,
        device_bytes=pages * block_layer.PAGE_BYTES,
        merged=merged / together,
        exact=False,
        servers=visit.servers,
        alike=visit.alike,
        together=together,
        visits=1 + records,
    )
    return _absorbed(system, calls, demand)


def _committed_s(
    system: Any, calls: Any, data: Visit, size_bytes: Number, runs: Number
) -> tuple[Number, Number]:
    """Time of data and commit for a lone program, and what they take of the device's capacity.

    The journal lies apart from the data. On a platter that is a long seek there and back, and a turn between the two
    writes of a commit; several programs that commit at a time share the seeks, as their records adjoin.
    """
    disk = system.disk
    records = [pages * block_layer.PAGE_BYTES for pages in page_cache.JOURNAL_PAGES]
    if disk.write_cache_bytes or not disk.rotation_s:
        seek_s = 0.0 if disk.write_cache_bytes else disk.average_seek_s
        took = [disk_sets.answered_s(disk, size) for size in records]
        if not disk.write_cache_bytes:
            rate = disk_means.rate_bytes_per_s(disk, True)
            took = [disk_means.overhead_s(disk, True) + size / rate for size in records]
        took[0] = took[0] + seek_s
        held = [
            size / disk.bus_bytes_per_s
            if disk.write_cache_bytes
            else disk_means.occupied_s(disk, one, size, True)
            for one, size in zip(took, records, strict=True)
        ]
        limit = [
            1 / disk_means.limited_per_s(disk, 1 / one, size) for one, size in zip(held, records, strict=True)
        ]
        # NOTE: data in order do not go on where they ended, as the journal lies between
        back_s = seek_s if data.in_order else 0.0
        return data.alone_s + (runs - 1) * data.held_s + back_s + sum(
            took
        ), runs * data.held_s + back_s / disk.parallel_requests + sum(limit)
    capacity = int(disk.capacity_bytes) * disk_means.data_members(disk)
    far_s = disk_means.overhead_s(disk, True) + disk.rotation_s / 2
    far_s = far_s + disk_rounds.seek_between_s(disk, calls.start_byte or 0, page_cache.journal_byte(capacity))
    sent_s, records_s = (size / disk.bandwidth_bytes_per_s for size in (size_bytes, sum(records)))

    def each_s(programs: int) -> Number:
        turn_s = disk_means.sequential_service_s(disk, records[1], 0.0, True) if programs == 1 else 0.0
        near_s = (runs - 1 / programs) * data.held_s
        return near_s + (2 * far_s + sent_s) / programs + records_s + turn_s

    if calls.rate_per_s is None:
        return each_s(calls.users), each_s(calls.users)
    # NOTE: those that fall behind commit at a time
    alone_s = each_s(1)
    behind = calls.users * calls.rate_per_s * alone_s >= 1
    took_s = where(behind, each_s(disk.queue_depth), alone_s)
    return took_s, took_s


def _journal_requests(host: Any, calls: Any, path: str) -> int:
    """Requests of the commit that a synchronous write or an fsync waits for: blocks, then the commit block."""
    if host.filesystem == "none" or host.journal_elsewhere:
        return 0
    release = block_layer.release_of(host.kernel)
    commits = path == "buffered" or calls.extends or block_layer.commits_each_call(release, path)
    return len(page_cache.JOURNAL_PAGES) if commits else 0


def _read_ahead(system: Any, calls: Any) -> CallDemand:
    """A read through the page cache: in order the next window is on its way while this one is copied."""
    host, largest = system.host, largest_bytes(system)
    in_order = calls.pattern == "sequential"
    whole = ceil_div(calls.block_size_bytes, block_layer.PAGE_BYTES) * block_layer.PAGE_BYTES
    size = calls.block_size_bytes if in_order else whole
    copy_s = calls.block_size_bytes / host.copy_bytes_per_s
    missed = 1 - host.page_cache_hit_fraction
    if in_order:
        window = smaller(host.read_ahead_bytes, largest)
        share = missed * size / window
        visit = visit_of(system, calls, window, host.read_call_s)
        if system.disk.rotation_s and calls.users > 1:  # those of one reader adjoin, unless it takes its time
            own_s = (host.read_call_s + copy_s + calls.think_s) * window / size
            pair = visit_of(system, calls, WINDOWS * window, host.read_call_s)
            visit.alone_s = where(own_s < visit.alone_s, pair.alone_s / WINDOWS, visit.alone_s)
            visit.held_s = where(own_s < visit.held_s, pair.held_s / WINDOWS, visit.held_s)
        return CallDemand(
            cpu_s=host.read_call_s + copy_s,
            device_s=share * visit.alone_s,
            held_s=share * visit.held_s,
            scv=visit.scv,
            requests=share,
            device_bytes=missed * size,
            merged=0.0,
            exact=False,
            servers=visit.servers,
            alike=visit.alike,
            together=1 / larger(share, 1e-9),
            ahead=WINDOWS,
            start_s=missed * start_s(system, calls, visit, window, host.read_call_s, windows=WINDOWS),
        )
    visit = visit_of(system, calls, size, host.read_call_s + copy_s + calls.think_s)
    return CallDemand(
        cpu_s=host.read_call_s + copy_s,
        device_s=missed * visit.alone_s,
        held_s=missed * visit.held_s,
        scv=visit.scv,
        requests=missed * block_layer.pieces_of_call(size, largest),
        device_bytes=missed * size,
        merged=0.0,
        exact=False,
        servers=visit.servers,
        alike=visit.alike,
    )
