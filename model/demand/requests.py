"""What one call of a stream asks of a processor, and the requests that the kernel makes of it: counts, no times."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from blocktime.model.demand.calls import call_cpu_s
from blocktime.model.demand.device_calls import changed, forwards, largest_bytes, merged_bytes, span_of
from blocktime.model.demand.reading import one_for_all
from blocktime.model.laws import block_layer, disk_means, page_cache
from blocktime.model.laws.numeric import Number, ceil_div, larger, smaller, where
from blocktime.model.laws.opened_files import UNBUFFERED, WITHOUT_FILESYSTEM
from blocktime.model.machine.host.read_ahead import read_ahead_of
from blocktime.model.spec import Disk, Host, Stream, System

MOST_PAGES: Final = 4096
"""Pages of a reader whose windows are followed one by one."""
LEAST_S: Final = 1e-9


class CallRequests(NamedTuple):
    """One call of a stream, on average."""

    cpu_s: Number
    requests: Number
    """At the device."""
    device_bytes: Number
    hidden: bool = False
    """Whether the device works behind the writer."""


def call_requests(system: System, calls: Any) -> CallRequests:
    """CPU, requests and bytes of one call of *calls*."""
    calls = forwards(calls)
    host, path = system.host, calls.opened_as(system)
    cpu_s = call_cpu_s(host, calls)
    if path in UNBUFFERED and not (calls.writes and calls.synced != "none"):
        return CallRequests(cpu_s, _unbuffered_requests(system, calls), calls.block_size_bytes)
    if not calls.writes:
        copied_s = calls.block_size_bytes / host.copy_bytes_per_s
        return CallRequests(cpu_s + copied_s, *_read_ahead(system, calls))
    if path not in UNBUFFERED:
        cpu_s = cpu_s + _pages(calls)[0] * host.page_write_s
    if path == "buffered" and not _fsyncs(calls):
        return CallRequests(cpu_s, *_written_behind(system, calls), hidden=True)
    return CallRequests(cpu_s, *_written_through(system, calls, path, cpu_s))


def _unbuffered_requests(system: System, calls: Stream) -> Number:
    largest = largest_bytes(system, calls)
    pieces, together = block_layer.pieces_of_call(calls.block_size_bytes, largest), _merged(system, calls)
    return larger(pieces / together, 1 / together)


def _merged(system: System, calls: Stream) -> Number:
    """Calls in order that merge while they wait: those beyond the device's own queue, by program."""
    host, disk = system.host, system.disk
    most = larger(1, largest_bytes(system, calls) / calls.block_size_bytes)
    if calls.pattern != "sequential" or host.nomerges == "2":
        return 1
    if host.nomerges == "1" and calls.users > 1:
        # NOTE: what came last is another program's; only a batch comes together
        return larger(1, smaller(calls.batch, most))
    depth = max(disk.queue_depth, disk.parallel_requests)
    if depth >= host.nr_requests:  # a full queue is all at the device, and none waits to grow
        return larger(1, smaller(calls.batch, most))
    if calls.rate_per_s is not None:
        return _merged_arrivals(system, calls, most)
    waiting = calls.users * calls.in_flight / (depth + calls.users)
    return larger(1, smaller(larger(waiting, calls.batch), most))


def _merged_arrivals(system: System, calls: Any, most: Number) -> Number:
    """Calls in order that merge as they arrive faster than the device serves them one by one.

    While a request of each program is served, those come that merge into the next ones: k = λ·s(k) with s(k) = a + b·k,
    of the command's overhead and the bytes.
    """
    disk, size = system.disk, calls.block_size_bytes
    rate, servers = calls.users * calls.rate_per_s, disk.raid_disks * disk.parallel_requests
    each_s = size / disk_means.rate_bytes_per_s(disk, calls.writes)
    first_s = disk_means.overhead_s(disk, calls.writes) / servers
    merged = where(rate * each_s < 1, rate * first_s / larger(LEAST_S, 1 - rate * each_s), most)
    return larger(1, smaller(merged, most))


def _fsyncs(calls: Stream) -> int:
    """Times that each program calls fsync."""
    return int(calls.count // calls.fsync_every) if calls.fsync_every else 0


def _pages(calls: Stream) -> tuple[Number, Number]:
    """Pages that a call touches, and those that no call before it has; fewer where calls share a page."""
    pages = page_cache.pages_per_call(calls.block_size_bytes, block_layer.PAGE_BYTES)
    if calls.pattern == "random":
        return pages, pages
    step = calls.step_bytes
    return pages, smaller(pages, abs(step) / block_layer.PAGE_BYTES)


def _contiguous(calls: Stream) -> Any:
    """The calls as the device sees them from behind a page cache: in order where no page is left out."""
    pages, fresh = _pages(calls)
    if calls.pattern == "strided" and calls.stride_bytes <= pages * block_layer.PAGE_BYTES:
        return changed(calls, pattern="sequential", block_size_bytes=int(fresh * block_layer.PAGE_BYTES))
    return calls


def _written_behind(system: System, calls: Stream) -> tuple[Number, Number]:
    """Requests and bytes of a write into the page cache."""
    largest, fresh = merged_bytes(system, calls), _pages(calls)[1]
    size = fresh * block_layer.PAGE_BYTES
    in_order = _contiguous(calls).pattern == "sequential"
    return size / largest if in_order else block_layer.requests_of_run(fresh, largest), size


def _written_through(system: System, calls: Any, path: str, cpu_s: Number) -> tuple[Number, Number]:
    """Requests and bytes of a write that waits: data, then the journal's commit, and an empty cache, where it must."""
    host, disk = system.host, system.disk
    direct = path in UNBUFFERED
    filesystem = host.filesystem if path not in WITHOUT_FILESYSTEM else "none"
    opened, path = path, calls.synced if direct else path
    together = calls.fsync_every if path == "buffered" else 1
    release = block_layer.release_of(host.kernel)
    run_pages, runs, holes = _runs_and_holes(system, calls, together, direct)
    size = run_pages * block_layer.PAGE_BYTES
    requests = runs * (block_layer.requests_of_run(run_pages, merged_bytes(system, calls)) + holes)
    records: Number = _journal_requests(host, calls, path) if filesystem != "none" else 0
    if disk.write_cache_flushed and block_layer.empties_write_cache(release, host.filesystem):
        by_fua = bool(disk.fua) and block_layer.writes_by_fua(release, opened, filesystem)
        requests = requests + where(disk.write_cache_bytes > 0, 0 if direct and by_fua and not records else 1, 0)
    if records:
        records = records * _committing(system, calls, path, size, cpu_s)
    # NOTE: what is written after the last fsync is left to write-back
    each = calls.count / _fsyncs(calls) if path == "buffered" else 1
    return (requests + records) / each, runs * size / each


def _committing(system: System, calls: Stream, path: str, size_bytes: Number, cpu_s: Number) -> Number:
    """Share of the calls that commit: with O_SYNC those overwrites that are a tick apart."""
    if path != "sync" or calls.extends:
        return 1.0
    if calls.rate_per_s is not None:
        return block_layer.committing_fraction(1 / calls.rate_per_s, 0.0)
    record_bytes = [pages * block_layer.PAGE_BYTES for pages in _records(system.host)]
    data_s, *records_s = (_alone_s(system.disk, each) for each in (size_bytes, *record_bytes))
    return block_layer.committing_fraction(calls.users * (data_s + cpu_s + calls.think_s), sum(records_s))


def _alone_s(disk: Disk, size_bytes: Number) -> Number:
    """A write alone at the device."""
    if disk.write_cache_bytes:
        return disk_means.answered_s(disk, size_bytes, True)
    return disk_means.sequential_service_s(disk, size_bytes, 0.0, True)


def _runs_and_holes(system: System, calls: Stream, together: int, direct: bool) -> tuple[Number, Number, Number]:
    """Pages of a run of adjoining ones, the runs that one wait is for, and the holes in a run."""
    seen = _contiguous(calls) if together > 1 else calls
    run_pages, runs = _runs_of(system, seen, together)
    if direct:
        return calls.block_size_bytes / block_layer.PAGE_BYTES, runs, 0.0
    apart = runs > 1 and calls.pattern == "random"
    return run_pages, runs, 0.0 if apart else _holes(system, calls, run_pages)


def _runs_of(system: System, calls: Stream, together: int) -> tuple[Number, Number]:
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


def _journal_requests(host: Host, calls: Stream, path: str) -> int:
    """Requests of the commit that a synchronous write or an fsync waits for: blocks, then the commit block."""
    if host.filesystem == "none" or (host.journal and host.journal_elsewhere):
        return 0
    release = block_layer.release_of(host.kernel)
    commits = path == "buffered" or calls.extends or block_layer.commits_in_place(release, path)
    return len(_records(host)) if commits else 0


def _records(host: Host) -> tuple[int, ...]:
    """Pages of the requests of a commit: its blocks go down one by one, and merge where they may."""
    pages = page_cache.commit_pages(host.journal)
    return pages if host.nomerges != "2" else (1,) * sum(pages)


def _read_ahead(system: System, calls: Any) -> tuple[Number, Number]:
    """Requests and bytes of a read through the page cache."""
    host = system.host
    ahead_bytes = page_cache.advised_bytes(host.read_ahead_bytes, calls.fadvise)
    system = changed(system, host=changed(host, read_ahead_bytes=ahead_bytes))
    missed = 1 - host.page_cache_hit_fraction
    share, window, ahead = _windows(system, calls)
    pieces = 1 if ahead else block_layer.pieces_of_call(window, largest_bytes(system, calls))
    return missed * share * pieces, missed * share * window


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
    windows, all_windows, pages_read, wanted = 0, 0, 0, 0
    for number in range(played):
        read = reader.call(int(number * step), int(size))
        while (fresh := read.next_windows()) is not None:
            windows += sum(block_layer.requests_of_run(len(window.pages), largest) for window in fresh)
            all_windows += len(fresh)
            pages_read += sum(len(window.pages) for window in fresh)
            wanted += read.window in fresh
    mean = pages_read / windows * block_layer.PAGE_BYTES
    if calls.pattern == "sequential":
        return size / mean, mean, True
    return windows / played, mean, wanted < all_windows / 2
