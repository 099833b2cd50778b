"""The kernel's block layer: the size of requests, the time of their dispatch, and the time of their counts.

Releases are tuples such as (2, 6, 5). The facts of the 2.6 kernels come from ``drivers/block/ll_rw_blk.c``
[linux-2.6-block]; later ones from ``block/blk-mq.c`` [linux-blk-mq].
"""

from __future__ import annotations

import re

from blocktime.model.laws.numeric import Number, ceil_div, floor_div, larger, smaller, where
from blocktime.model.units import KIB

PAGE_BYTES = 4 * KIB
RELEASE = re.compile(r"[1-9][0-9]?(\.[0-9]{1,3}){1,3}(?![0-9])")

QUEUE_PLUG_REQUESTS = 4
"""Requests at which a plugged queue of 2.6 is unplugged [linux-2.6-block]."""
QUEUE_PLUG_S = 3e-3
"""Time after which it is unplugged in any case [linux-2.6-block]."""
BATCH_REQUESTS = 32
"""Requests that a task may queue beyond a full queue, once it has waited for room [linux-2.6-block]."""

TASKS_PLUG = (2, 6, 39)
"""Since then a task plugs its requests and submits them when it waits; before, the queue was plugged."""
SECTORS_AT_COMPLETION = (2, 6, 13)
IDLES = (2, 6, 18)
BARRIERS = (2, 6, 30)
MULTIQUEUE = (4, 11)
TRUE_SYNC = (2, 6, 33)
EXT3_BARRIERS = (3, 1)
NEVER = (10**6,)
FOLIOS = {"xfs": (5, 18), "ext4": (6, 16)}
WRITE_FOLIOS = {"xfs": (6, 6), "ext4": (6, 16)}
FUA_WRITES = {"none": (4, 10), "xfs": (4, 18), "ext4": (5, 5)}
READ_FOLIO_BYTES = 4 * PAGE_BYTES
"""Folios of a first window of read-ahead; later windows have larger ones (``page_cache_ra_order``) [linux-folios]."""
MAX_SEGMENT_BYTES = 64 * KIB
"""Default bytes of a segment (``BLK_MAX_SEGMENT_SIZE``) [linux-blk-mq]."""
READS_WHOLE_CALLS = (4, 10)
TICK_S = 4e-3
"""Tick of the kernel's coarse clock at 250 Hz: a further change within a tick keeps the time in the inode [linux-open].
"""
CALL_S = 5e-6
"""Default CPU of a call through the page cache or of an Oracle process [general knowledge]."""
PROGRAM_CALL_S = 12e-6
"""Default CPU of a program's call past the page cache: submission, interrupt, completion, wake-up; 10 to 17 µs in runs
of fio [general knowledge], 1.6 µs at best, in batches on a tuned kernel [axboe-2019].
"""
SHARE_OF_CALL = {"io_uring": 0.75, "polled": 0.36}
"""CPU of a call by io_uring relative to io_submit: 0.51 in batches on a tuned kernel, 0.36 with polling [axboe-2019];
without polling and batches up to 0.95, so the middle stands here [general knowledge]."""
SUBMITS_BY = {"io_uring": (5, 1), "polled": (5, 1)}
"""First release with each way of submitting calls that is not in all [linux-io-uring]."""
TAGS = (5, 0)
"""Since then requests are tags of the device, and nr_requests is a hard limit [linux-blk-mq]."""


def has_folios(release: tuple[int, ...], filesystem: str) -> bool:
    """Whether the page cache of a file system reads ahead into folios, runs of pages contiguous in memory.

    xfs since 5.18, ext4 since 6.16 (``mapping_set_large_folios``, ``page_cache_ra_order``) [linux-folios].
    """
    return release >= FOLIOS.get(filesystem, NEVER)


def writes_folios(release: tuple[int, ...], filesystem: str) -> bool:
    """Whether a buffered write makes a folio of its call (``fgf_set_order``): xfs since 6.6, ext4 since 6.16.

    [linux-folios]
    """
    return release >= WRITE_FOLIOS.get(filesystem, NEVER)


def written_folio_bytes(call_bytes: Number) -> Number:
    """Bytes of the folios that a write call makes: the power of two below its size, from a page to one segment.

    [linux-folios]
    """
    folio: Number = PAGE_BYTES
    wider = 2 * PAGE_BYTES
    while wider <= MAX_SEGMENT_BYTES:
        folio = where(call_bytes >= wider, wider, folio)
        wider *= 2
    return folio


def largest_request_bytes(
    max_request_bytes: Number, max_segments: Number, segment_bytes: Number = PAGE_BYTES
) -> Number:
    """Bytes to which pages merge: max_sectors_kb and max_segments in whole pages, at least one. [linux-2.6-block]

    A segment is a run of *segment_bytes* contiguous in memory: a page, or a folio [linux-folios]. 255 sectors hold 31
    pages; 32 segments hold 32 pages that are not contiguous.
    """
    pages = smaller(floor_div(max_request_bytes, PAGE_BYTES), max_segments * segment_bytes // PAGE_BYTES)
    return where(pages < 1, 1, pages) * PAGE_BYTES


def optimal_pages(release: tuple[int, ...], max_request_bytes: Number) -> Number:
    """Pages of the device's largest request, the read size of a call larger than read_ahead_kb; 0 before 4.10.

    ``bdi->io_pages`` of ``ondemand_readahead`` [linux-readahead].
    """
    return max_request_bytes // PAGE_BYTES if release >= READS_WHOLE_CALLS else 0


def stated_call_s(stated_s: Number | None) -> Number:
    """CPU seconds of a call through the page cache, or of an Oracle process; 5 µs by default."""
    return CALL_S if stated_s is None else stated_s


def program_call_s(stated_s: Number | None, submission: str | None) -> Number:
    """CPU seconds of a program's call past the page cache: submission, interrupt, completion and wake-up.

    12 µs by pread or io_submit by default; io_uring takes less, and polling needs no interrupt and no wake-up
    [axboe-2019].
    """
    return SHARE_OF_CALL.get(submission or "", 1.0) * (PROGRAM_CALL_S if stated_s is None else stated_s)


def pieces_of_call(size_bytes: Number, largest_bytes: Number) -> Number:
    """Requests of one unbuffered call: the kernel splits it at the largest request."""
    return ceil_div(size_bytes, largest_bytes)


def requests_of_run(pages: Number, largest_bytes: Number) -> Number:
    """Requests of a run of contiguous pages that wait together: back merges up to the largest request."""
    return ceil_div(pages * PAGE_BYTES, largest_bytes)


def counts_sectors_at_submission(release: tuple[int, ...]) -> bool:
    """Whether the kernel counts sectors when a bio is queued, and not when its request ends.

    ``drive_stat_acct`` did so up to 2.6.12 [linux-2.6-block]; all releases count requests and their time at the end, so
    sectors over requests is not a request size while a queue fills.
    """
    return release < SECTORS_AT_COMPLETION


def page_by_page(release: tuple[int, ...], filesystem: str) -> bool:
    """Whether write-back submits pages one by one, and the block layer merges them.

    ext3 in all releases, and a block device without a file system [linux-ext3]; ext4 and xfs submit long extents.
    """
    return filesystem in ("ext3", "none") or release < TASKS_PLUG


def is_in_kernel(scheduler: str, release: tuple[int, ...]) -> bool:
    """Whether a kernel has the scheduler: 5.0 removed those for one queue; the others came in 4.11 and 4.12."""
    if scheduler in ("noop", "deadline", "cfq"):
        return release < TAGS
    return release >= MULTIQUEUE


def empties_write_cache(release: tuple[int, ...], filesystem: str) -> bool:
    """Whether fsync, O_SYNC and O_DSYNC send a cache flush by default: ext3 since 3.1, the others before.

    [general knowledge]; iostat counts it as a write of 0 sectors.
    """
    return release >= (EXT3_BARRIERS if filesystem == "ext3" else BARRIERS)


def commits_in_place(release: tuple[int, ...], path: str) -> bool:
    """Whether a synchronous overwrite waits for the journal after a tick of the kernel's clock.

    O_SYNC does, since 2.6.33, for the modification time in the inode; earlier, O_SYNC was the same as O_DSYNC
    [linux-open]. The time follows the kernel's coarse clock (``inode_set_ctime_current``), which ticks every
    :data:`TICK_S`.
    """
    return path == "sync" and release >= TRUE_SYNC


def writes_by_fua(release: tuple[int, ...], path: str, filesystem: str) -> bool:
    """Whether a write with O_DIRECT and O_SYNC or O_DSYNC that changes no inode uses FUA instead of a flush.

    On a device without a file system since 4.10 (``dio_bio_write_op``), on xfs since 4.18 and on ext4 since 5.5, which
    then write by ``iomap_dio_rw`` [linux-direct-sync].
    """
    return release >= (FUA_WRITES["none"] if path != "direct" else FUA_WRITES.get(filesystem, FUA_WRITES["ext4"]))


def committing_fraction(call_s: Number, commit_s: Number) -> Number:
    """Share of O_SYNC overwrites that commit: calls of *call_s*, plus *commit_s* with a commit, one by one.

    A call takes T = own + f * commit, and commits if a tick lies between two calls: f = min(1, T / tick), so that f =
    own / (tick - commit) [linux-open].
    """
    return smaller(1.0, call_s / larger(1e-12, TICK_S - commit_s))


def batch_requests(release: tuple[int, ...]) -> int:
    """Requests beyond nr_requests that a task may queue after it has waited, or if it fills the queue."""
    return BATCH_REQUESTS if release < TAGS else 0


def release_of(kernel: str) -> tuple[int, ...]:
    """A kernel release as comparable numbers: ``"2.6.5-7.97-smp"`` -> (2, 6, 5); raises ValueError for no release."""
    release = RELEASE.match(kernel)
    if release is None:
        raise ValueError(f"{kernel!r} is not a kernel release; write it like 2.6.5 or 5.15")
    return tuple(int(part) for part in release[0].split("."))
