"""What one call of a stream through the page cache asks: written behind, written through, read ahead."""

from __future__ import annotations

from math import inf
from typing import Any

from blocktime.model.demand.calls import call_cpu_s
from blocktime.model.demand.device_calls import (
    IDLING,
    changed,
    goes_on_near,
    idles,
    largest_bytes,
    merged_bytes,
    span_of,
    visiting,
)
from blocktime.model.demand.device_visit import Visit, slower_pieces_s, visit_of
from blocktime.model.demand.reading import one_for_all
from blocktime.model.demand.stream_demand import LEAST_S, CallDemand, absorbed
from blocktime.model.laws import block_layer, disk_means, disk_rounds, disk_sets, limits, page_cache
from blocktime.model.laws.numeric import Number, ceil_div, larger, smaller, some, where
from blocktime.model.laws.opened_files import UNBUFFERED, WITHOUT_FILESYSTEM
from blocktime.model.machine.device.elevator import IDLE_S, IN_BATCHES
from blocktime.model.machine.host.read_ahead import read_ahead_of
from blocktime.model.spec import System

MOST_PAGES = 4096
"""Pages of a reader whose windows are followed one by one."""
MOST_COMMITS = 128
"""Commits whose records go down together, at most: those that the queue holds."""
WAITS_OF_COMMIT = 2
"""Times that a commit waits: for its blocks, then for the commit block."""
MIXED = 1.5
"""Commits for each way to the journal where requests are served as they come: of data, blocks and commit blocks in any
order, two of three lie in the journal, and of each kind two of three follow one of the other."""


def fsyncs(calls: Any) -> int:
    """Times that each program calls fsync."""
    return int(calls.count // calls.fsync_every) if calls.fsync_every else 0


def _pages(calls: Any) -> tuple[Number, Number]:
    """Pages that a call touches, and those that no call before it has; fewer where calls share a page."""
    pages = page_cache.pages_per_call(calls.block_size_bytes, block_layer.PAGE_BYTES)
    if calls.pattern == "random":
        return pages, pages
    step = calls.step_bytes
    return pages, smaller(pages, abs(step) / block_layer.PAGE_BYTES)


def _contiguous(calls: Any) -> Any:
    """The calls as the device sees them from behind a page cache: in order where no page is left out."""
    pages, fresh = _pages(calls)
    if calls.pattern == "strided" and calls.stride_bytes <= pages * block_layer.PAGE_BYTES:
        return changed(calls, pattern="sequential", block_size_bytes=int(fresh * block_layer.PAGE_BYTES))
    return calls


def written_behind(system: System, calls: Any) -> CallDemand:
    """A write into the page cache, which nobody waits for: without its time at the device."""
    host, largest = system.host, merged_bytes(system, calls)
    pages, fresh = _pages(calls)
    size = fresh * block_layer.PAGE_BYTES
    in_order = _contiguous(calls).pattern == "sequential"
    return CallDemand(
        cpu_s=call_cpu_s(host, calls) + pages * host.page_write_s,
        device_s=0.0,
        held_s=0.0,
        requests=size / largest if in_order else block_layer.requests_of_run(fresh, largest),
        device_bytes=size,
        exact=False,
        hidden=True,
    )


def written_through(system: System, calls: Any, path: str) -> CallDemand:
    """Writes that O_SYNC, O_DSYNC or fsync waits for: data, then the journal's commit where there is one."""
    host, disk, largest = system.host, system.disk, merged_bytes(system, calls)
    direct = path in UNBUFFERED
    filesystem = host.filesystem if path not in WITHOUT_FILESYSTEM else "none"
    opened, path = path, calls.synced if direct else path
    cpu_s = call_cpu_s(host, calls) + (0 if direct else _pages(calls)[0] * host.page_write_s)
    waited = path == "buffered"
    together = calls.fsync_every if waited else 1
    release = block_layer.release_of(host.kernel)
    seen = _contiguous(calls) if together > 1 else calls
    run_pages, runs, holes = _runs_and_holes(system, calls, seen, together, direct)
    size = run_pages * block_layer.PAGE_BYTES
    pieces = block_layer.requests_of_run(run_pages, largest) + holes
    requests = runs * pieces
    records: Number = _journal_requests(host, calls, path) if filesystem != "none" else 0
    flushes, answered_s = 0, 0.0
    if disk.write_cache_flushed and block_layer.empties_write_cache(release, host.filesystem):
        by_fua = bool(disk.fua) and block_layer.writes_by_fua(release, opened, filesystem)
        flushes, answered_s = _flushed(disk, size, direct and by_fua and not records)
        disk = changed(disk, write_cache_bytes=0)
        system = changed(system, disk=disk)
    gap_s = together * (cpu_s + calls.think_s)
    medium, late_s = system, gap_s
    if some(answered_s) and disk.rotation_s:
        medium, late_s = _behind_its_cache(system, seen), gap_s + answered_s
    visit = visit_of(medium, visiting(seen, 1 / together), size, late_s, sorted_runs=runs, pieces=pieces)
    visit.alone_s = visit.alone_s + answered_s
    hole_s = _on_the_platter(system, calls, seen, visit, (size, runs, pieces, holes))
    data_s, held_s = runs * visit.held_s + visit.alone_s - visit.held_s, runs * visit.held_s
    if records:
        longer_s = hole_s + slower_pieces_s(disk, size, pieces)
        committed = _committed_s(system, calls, visit, size, runs, longer_s)
        data_s, held_s, share = _sharing_commits(calls, path, (data_s, held_s), committed, gap_s)
        records = records * share
    device_s = data_s if direct else larger(data_s, runs * run_pages * host.page_submit_s)
    # NOTE: what is written after the last fsync is left to write-back
    each = calls.count / fsyncs(calls) if waited else 1
    demand = CallDemand(
        cpu_s=cpu_s,
        device_s=device_s / each,
        held_s=held_s / each,
        requests=(requests + flushes + records) / each,
        device_bytes=runs * run_pages * block_layer.PAGE_BYTES / each,
        exact=False,
    )
    return absorbed(system, calls, demand)


def _runs_and_holes(
    system: System, calls: Any, seen: Any, together: Number, direct: bool
) -> tuple[Number, Number, Number]:
    """Pages of a run of adjoining ones, the runs that one wait is for, and the holes in a run."""
    run_pages, runs = _runs_of(system, seen, together)
    if direct:
        return calls.block_size_bytes / block_layer.PAGE_BYTES, runs, 0.0
    apart = runs > 1 and calls.pattern == "random"
    return run_pages, runs, 0.0 if apart else _holes(system, calls, run_pages)


def _flushed(disk: Any, size_bytes: Number, by_fua: bool) -> tuple[Number, Number]:
    """Cache flushes of a call, and the time of the cache's answer before them.

    What a call writes is on the medium before it ends, which takes it from its cache then.
    """
    flushes = where(disk.write_cache_bytes > 0, 0 if by_fua else 1, 0)
    return flushes, disk_means.answered_s(disk, size_bytes, True) if disk.write_cache_bytes else 0.0


def _behind_its_cache(system: System, calls: Any) -> System:
    """The platter of a drive whose cache each call empties: it knows no commands, and gets the calls as they come.

    The cache takes every call at once, so that none waits where a scheduler would sort it.
    """
    disk = changed(system.disk, write_overhead_s=0.0)
    if disk.raid_level != "none":  # the members have commands of their own
        disk = system.disk
    host = system.host if goes_on_near(system, calls) else changed(system.host, scheduler="none")
    return changed(system, disk=disk, host=host)


def _on_the_platter(
    system: System, calls: Any, seen: Any, visit: Visit, shape: tuple[Number, Number, Number, Number]
) -> Number:
    """Put what a platter takes longer for holes, strides and arrivals into *visit*; returns what the holes take."""
    (size, runs, pieces, holes), hole_s = shape, 0.0 * shape[2]
    if not system.disk.rotation_s or system.disk.write_cache_bytes:
        return hole_s
    if some(holes):  # the place behind a hole has gone by
        page = block_layer.PAGE_BYTES
        hole_s = holes * disk_means.strided_service_s(system.disk, page, 2 * page, 0.0, True)
        visit.alone_s, visit.held_s = visit.alone_s + hole_s, visit.held_s + hole_s
    if seen.pattern == "strided" and runs > 1:
        lone = changed(seen, users=1, rate_per_s=None)
        stations = disk_sets.equal_stations(system.disk, size, True)
        visit.held_s = visit_of(system, lone, size, 0.0, pieces=pieces).alone_s / stations
    if visit.in_order and calls.rate_per_s is not None:
        visit.held_s = larger(visit.held_s, visit.alone_s)  # nothing merges that is waited for page by page
    return hole_s


def _sharing_commits(
    calls: Any,
    path: str,
    plain: tuple[Number, Number],
    committed: tuple[Number, Number, Number],
    gap_s: Number,
) -> tuple[Number, Number, Number]:
    """What a call takes of time and device, and the share that commits: with O_SYNC some do."""
    if path != "sync" or calls.extends:
        return committed[0], committed[1], 1.0
    (data_s, held_s), (longer_s, longer_held_s, _) = plain, committed
    alone = _committing(calls, data_s + gap_s, longer_s - data_s)
    # users who wait for the device take turns: a call lasts as long as the calls of all
    queued = _committing(calls, calls.users * held_s, calls.users * (longer_held_s - held_s))
    share = larger(alone, queued)
    data_s, held_s = data_s + share * (longer_s - data_s), held_s + share * (longer_held_s - held_s)
    return data_s, held_s, share


def _runs_of(system: System, calls: Any, together: int) -> tuple[Number, Number]:
    """Pages of a run, and runs, of so many calls whose pages go down together."""
    pages, fresh = _pages(calls)
    if calls.pattern == "random" and together > 1:
        span = span_of(system, calls) / calls.users
        dirty = page_cache.dirty_bytes(together * pages * block_layer.PAGE_BYTES, span)
        # NOTE: what adjoins is one run
        runs = larger(1.0, dirty / (pages * block_layer.PAGE_BYTES) * (1 - dirty / span))
        return dirty / block_layer.PAGE_BYTES / runs, runs
    if calls.pattern == "strided" or together == 1:
        return pages, 1.0 * together
    return larger(1.0, together * fresh), 1.0


def _holes(system: System, calls: Any, pages: Number) -> Number:
    """Blocks of addresses that lie within so many pages of a file of ext3, on average over calls [linux-ext3]."""
    if system.host.filesystem != "ext3":
        return 0.0
    every = page_cache.INDIRECT_PAGES
    if calls.pattern != "strided":
        return (pages - 1) / every
    step = abs(calls.stride_bytes) / block_layer.PAGE_BYTES
    sampled_calls = int(smaller(calls.count, MOST_PAGES))
    address_blocks = 0
    for number in range(sampled_calls):
        first = int(number * step) - page_cache.DIRECT_PAGES
        address_blocks += max(0, (first + int(pages) - 1) // every + 1) - max(0, first // every + 1)
    return address_blocks / sampled_calls


def _committed_s(
    system: System, calls: Any, data: Visit, size_bytes: Number, runs: Number, hole_s: Number
) -> tuple[Number, Number, Number]:
    """Time of data and commit for a lone program, what they take of the device's capacity, and commits at a time.

    The journal lies apart from the data. On a platter that is a long seek there and back, and a turn between the two
    writes of a commit; several programs that commit at a time share the seeks, as their records adjoin.
    """
    disk = system.disk
    records = [pages * block_layer.PAGE_BYTES for pages in _records(system.host)]
    if disk.write_cache_bytes or not disk.rotation_s:
        return _committed_in_place_s(system, calls, data, records, (size_bytes, runs))
    capacity = int(disk.capacity_bytes) * disk_means.data_members(disk)
    far_s = disk_means.overhead_s(disk, True) + disk.rotation_s / 2
    far_s = far_s + disk_rounds.seek_between_s(disk, calls.start_byte or 0, page_cache.journal_byte(capacity))
    again_s = 0.0
    if disk.raid_level == "5":  # what fills no row is read first, and written a turn later
        again_s = disk.rotation_s
        far_s = far_s + again_s
    sent_s, records_s = (size / disk.bandwidth_bytes_per_s for size in (size_bytes, sum(records)))

    def each_s(programs: float, stations: Number = 1) -> Number:
        alone_in_order = programs == 1 and len(records) > 1
        turn_s = disk_means.sequential_service_s(disk, records[-1], 0.0, True) if alone_in_order else 0.0
        # NOTE: blocks that do not merge stream where they wait at the drive together
        turns = WAITS_OF_COMMIT if disk.queue_depth > 1 else len(records)
        turn_s = turn_s * (turns - 1) + again_s / programs
        near_s = (runs - 1 / programs) * data.held_s
        near_s = near_s + hole_s / programs
        return near_s + ((2 * far_s + sent_s) / programs + records_s + turn_s) / stations

    if calls.rate_per_s is None:
        took_s = each_s(calls.users)
        if calls.users > 1 and idles(system):  # each commit block has a turn of its own, as each process has
            took_s = (runs - 1) * data.held_s + hole_s + 2 * far_s + sent_s + records_s
        return took_s, took_s, 1.0
    rate = calls.users * calls.rate_per_s / (calls.fsync_every or 1)
    # NOTE: while a member of a set is at the journal, the others go on
    stations = disk_sets.equal_stations(disk, records[-1], True)
    alone_s, held_s, mixed_s = each_s(1), each_s(1, stations), each_s(MIXED, stations)
    # NOTE: with nobody waiting a call's next request follows at once, else in a mix with those of others
    took_s = larger(mixed_s, held_s / (1 + rate * (held_s - mixed_s)))
    sorts = system.host.scheduler in (*IN_BATCHES, *IDLING) and system.host.nr_requests > disk.queue_depth
    if (not sorts and disk.reorder_age_s is None) or not some(rate * took_s > 1):
        return alone_s, took_s, 1.0
    most = int(larger(system.host.nr_requests, disk.queue_depth))
    shared_s = held_s - each_s(most, stations)
    at_a_time = smaller(most, _commits_at_a_time(disk, calls, held_s - shared_s, shared_s))
    sorted_s = held_s - shared_s + shared_s / at_a_time
    behind = rate * took_s > 1
    took_s = where(behind, smaller(took_s, sorted_s), took_s)
    return alone_s, took_s, where(behind, at_a_time, 1.0)


def _committed_in_place_s(
    system: System, calls: Any, data: Visit, records: list[int], written: tuple[Number, Number]
) -> tuple[Number, Number, Number]:
    """The same for a write cache, or a drive that does not turn; *written* are the bytes of a run, and runs."""
    disk, (size_bytes, runs) = system.disk, written
    seek_s = 0.0 if disk.write_cache_bytes else disk.average_seek_s
    rate = disk.bus_bytes_per_s if disk.write_cache_bytes else disk_means.rate_bytes_per_s(disk, True)
    took = [disk_means.answered_s(disk, size, True) for size in records]
    if not disk.write_cache_bytes:
        took = [disk_means.overhead_s(disk, True) + size / rate for size in records]
    held = [
        size / disk.bus_bytes_per_s
        if disk.write_cache_bytes
        else disk_means.occupied_s(disk, each_s, size, True, run_requests=inf)
        for each_s, size in zip(took, records, strict=True)
    ]
    limit = [
        1 / limits.limited_per_s(disk, 1 / each_s, size) for each_s, size in zip(held, records, strict=True)
    ]
    # NOTE: a volume lets the next request through after this one's share of a second
    apart = [1 / limits.limited_per_s(disk, inf, size) for size in (larger(1, size_bytes), *records)]
    waited_s = seek_s + sum(map(larger, took[:-1], limit[:-1])) + took[-1]
    if len(records) > WAITS_OF_COMMIT and (disk.write_cache_bytes or disk.parallel_requests > 1):
        # NOTE: those of the blocks, which do not merge, go down together
        apart_s = (len(records) - 2) * larger(limit[0], records[0] / rate)
        waited_s = seek_s + larger(took[0], apart[1]) + apart_s + took[-1]
    # NOTE: data in order do not go on where they ended, as the journal lies between
    back_s = seek_s if data.in_order else 0.0
    data_s = runs * data.held_s + back_s / disk.parallel_requests
    records_s = sum(limit)
    at_a_time = _commits_at_a_time(disk, calls, data_s, records_s)
    # NOTE: blocks of a commit wait until the cells have taken the data
    data_alone_s = larger(data.alone_s + (runs - 1) * data.held_s, 0.0 if disk.write_cache_bytes else data_s)
    alone_s = larger(data_alone_s, apart[0]) + back_s + waited_s
    idle_s = 0.0
    if calls.users > 1 and calls.rate_per_s is None and idles(system) and system.host.nomerges != "2":
        # NOTE: the scheduler waits for a commit block that has merged into the records of another process
        idle_s = IDLE_S * (1 - 0.5 ** (calls.users - 1))
    return alone_s + idle_s, data_s + records_s / at_a_time + idle_s, at_a_time


def _commits_at_a_time(disk: Any, calls: Any, own_s: Number, shared_s: Number) -> Number:
    """Commits whose records merge, as they adjoin and wait together: of programs beyond the device's own queue.

    Of calls that arrive faster than one by one could be done, n = λ(n·a + b) come while n of them take n·a + b.
    """
    if calls.rate_per_s is None:
        return larger(1, calls.users / (max(disk.queue_depth, disk.parallel_requests) + 1))
    rate = calls.users * calls.rate_per_s / (calls.fsync_every or 1)
    left = 1 - rate * own_s
    return larger(1, smaller(MOST_COMMITS, rate * shared_s / larger(LEAST_S, left)))


def _committing(calls: Any, own_s: Number, commit_s: Number) -> Number:
    """Share of the overwrites of an O_SYNC program that commit."""
    if calls.rate_per_s is not None:
        return block_layer.committing_fraction(1 / calls.rate_per_s, 0.0)
    return block_layer.committing_fraction(own_s, commit_s)


def _journal_requests(host: Any, calls: Any, path: str) -> int:
    """Requests of the commit that a synchronous write or an fsync waits for: blocks, then the commit block."""
    if host.filesystem == "none" or (host.journal and host.journal_elsewhere):
        return 0
    release = block_layer.release_of(host.kernel)
    commits = path == "buffered" or calls.extends or block_layer.commits_in_place(release, path)
    return len(_records(host)) if commits else 0


def _records(host: Any) -> tuple[int, ...]:
    """Pages of the requests of a commit: its blocks go down one by one, and merge where they may."""
    pages = page_cache.commit_pages(host.journal)
    return pages if host.nomerges != "2" else (1,) * sum(pages)


def read_ahead(system: System, calls: Any) -> CallDemand:
    """A read through the page cache, without its time at the device, which a simulation knows."""
    host = system.host
    ahead_bytes = page_cache.advised_bytes(host.read_ahead_bytes, calls.fadvise)
    system = changed(system, host=changed(host, read_ahead_bytes=ahead_bytes))
    missed = 1 - host.page_cache_hit_fraction
    share, window, ahead = _windows(system, calls)
    pieces = 1 if ahead else block_layer.pieces_of_call(window, largest_bytes(system, calls))
    return CallDemand(
        cpu_s=call_cpu_s(host, calls) + calls.block_size_bytes / host.copy_bytes_per_s,
        device_s=0.0,
        held_s=0.0,
        requests=missed * share * pieces,
        device_bytes=missed * share * window,
        exact=False,
    )


def _windows(system: System, calls: Any) -> tuple[Number, Number, bool]:
    """Windows that a call of a lone reader reads, their bytes, and whether they are read before they are wanted.

    Those of calls with holes between them follow from the reader's state, over some of the calls [linux-readahead].
    """
    host, size, largest = system.host, calls.block_size_bytes, largest_bytes(system, calls)
    whole = ceil_div(size, block_layer.PAGE_BYTES) * block_layer.PAGE_BYTES
    if one_for_all(host.read_ahead_bytes < block_layer.PAGE_BYTES):
        return _pages(calls)[1], block_layer.PAGE_BYTES, False
    if calls.pattern == "random" or calls.fadvise == "random":
        pages, fresh = _pages(calls)
        return fresh / pages, pages * block_layer.PAGE_BYTES, False
    release = block_layer.release_of(host.kernel)
    window = smaller(host.read_ahead_bytes, largest)
    if release >= block_layer.TASKS_PLUG:  # the last piece of a window is gone when the next one comes
        window = host.read_ahead_bytes / block_layer.pieces_of_call(host.read_ahead_bytes, largest)
    optimal = block_layer.optimal_pages(release, host.max_request_bytes)
    beyond = (whole > host.read_ahead_bytes) & (optimal * block_layer.PAGE_BYTES > host.read_ahead_bytes)
    if calls.pattern == "sequential" and not one_for_all(beyond):
        return size / window, window, True
    step = size if calls.pattern == "sequential" else calls.stride_bytes
    reader = read_ahead_of(host)
    played = int(larger(1, smaller(calls.count, MOST_PAGES * block_layer.PAGE_BYTES // whole)))
    windows, asked, pages_read, wanted = 0, 0, 0, 0
    for number in range(played):
        read = reader.call(int(number * step), int(size))
        while (fresh := read.asked()) is not None:
            windows += sum(block_layer.requests_of_run(len(window.pages), largest) for window in fresh)
            asked += len(fresh)
            pages_read += sum(len(window.pages) for window in fresh)
            wanted += read.window in fresh
    mean = pages_read / windows * block_layer.PAGE_BYTES
    if calls.pattern == "sequential":
        return size / mean, mean, True
    return windows / played, mean, wanted < asked / 2
