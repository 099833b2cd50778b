"""The host's page cache: when written pages go to the device, and how far reads run ahead.

Write-back [linux-vm]: above the background limit, or when pages are old, or when ext3 commits its journal in ordered
mode [linux-ext3]. Read-ahead [linux-readahead]: windows that grow while reads go on where the last one ended.
"""

from __future__ import annotations

from math import exp

from model.laws.numeric import Number, ceil_div, floor_div, larger, smaller
from model.units import MIB

LEAST_CACHED = 1e-6
WRITE_BACK_PAGES = 1024
"""Pages that write-back hands down before it looks at the limit again (MAX_WRITEBACK_PAGES) [linux-vm]."""
PACED_WRITERS = (3, 2)
"""Since then writers are slowed between the two limits; before, they were stopped at the upper one [linux-vm]."""

JOURNAL_PAGES = (4, 1)
"""What a commit writes: descriptor and metadata of a small transaction (inode, bitmap, group), then the commit block
[linux-ext3]."""


INODE_PAGES = (1,)
"""What a commit writes where there is no journal: the block of the inode, where it lies [linux-ext3]."""


def commit_pages(journal: bool) -> tuple[int, ...]:
    """Pages of the requests that a commit writes, one after the other: of the journal, or of the inode alone."""
    return JOURNAL_PAGES if journal else INODE_PAGES


def journal_byte(capacity_bytes: int) -> int:
    """First byte of the journal: in the middle of the device, where mkfs lays it [general knowledge]."""
    return capacity_bytes // 2 // MIB * MIB


def dirty_limits_bytes(
    memory_bytes: Number, background_percent: Number, limit_percent: Number
) -> tuple[Number, Number]:
    """Dirty bytes at which write-back begins, and at which writers are held back. [linux-vm]

    A background share that is not below the other counts as half of it.
    """
    limit = memory_bytes * limit_percent / 100
    share = background_percent if background_percent < limit_percent else limit_percent / 2
    return memory_bytes * share / 100, limit


def dirty_bytes(written_bytes: Number, span_bytes: Number) -> Number:
    """Different bytes among those written at random places of a span: S (1 - e^(-W/S)) [general knowledge]."""
    return span_bytes * (1 - exp(-written_bytes / span_bytes))


def held_back_bytes(background_bytes: Number, limit_bytes: Number, release: tuple[int, ...]) -> Number:
    """Dirty bytes at which a writer goes no faster than the device. [linux-vm]"""
    return limit_bytes if release < PACED_WRITERS else (background_bytes + limit_bytes) / 2


def pages_of(start_byte: int, size_bytes: int, page_bytes: int) -> range:
    """Pages that a call touches."""
    return range(start_byte // page_bytes, -(-(start_byte + size_bytes) // page_bytes))


def pages_per_call(size_bytes: Number, page_bytes: Number) -> Number:
    """Pages of a call that begins with a page."""
    return ceil_div(size_bytes, page_bytes)


def advised_bytes(read_ahead_bytes: Number, fadvise: str) -> Number:
    """Bytes of read-ahead of a file: twice read_ahead_kb after POSIX_FADV_SEQUENTIAL [linux-fadvise].

    After POSIX_FADV_RANDOM each call reads its own pages, in one piece, wherever it lies (``force_page_cache_ra``).
    """
    return 2 * read_ahead_bytes if fadvise == "sequential" else read_ahead_bytes


def first_window_pages(request_pages: int, most_pages: int) -> int:
    """Pages read for the first call of a run: the request as a power of two, four or two times that, at most all.

    [linux-readahead]
    """
    window = 1 << max(0, request_pages - 1).bit_length()
    if window <= most_pages // 32:
        return window * 4
    return window * 2 if window <= most_pages // 4 else most_pages


def most_window_pages(request_pages: int, read_ahead_pages: int, optimal_pages: int) -> int:
    """Pages of a window at most, where *request_pages* of a call are left: read_ahead_kb, or a longer call's own size.

    max(read_ahead, min(call, io_pages)) (``ractl_max_pages``) [linux-readahead].
    """
    return max(read_ahead_pages, min(request_pages, optimal_pages))


def next_window_pages(window_pages: int, most_pages: int) -> int:
    """Pages of the window after one of *window_pages*: four times as many while small, then twice. [linux-readahead]"""
    if window_pages < most_pages // 16:
        return window_pages * 4
    return min(window_pages * 2, most_pages)


def waits_per_window(missed: Number) -> Number:
    """Waits of a lone reader for each window, where *missed* of the windows, evenly spread, are not in the cache.

    Who reaches a window sets the next off before it waits: of windows one after the other it waits for every other,
    and for the first behind one that was cached. Runs are as long as q = m/(1 - m), rounded down and up.
    [linux-readahead]
    """
    cached = larger(LEAST_CACHED, 1 - missed)
    run = larger(1.0, missed / cached)
    whole = floor_div(run, 1)
    waited = floor_div(whole + 1, 2)
    longer = floor_div(whole + 2, 2) - waited
    return smaller(missed, cached * (waited + (run - whole) * longer))


INDIRECT_PAGES = 1024
DIRECT_PAGES = 12


def place_of_page(page_of_file: int) -> int:
    """Place of a page among the blocks of its ext3 file with 4 KB blocks, those of addresses included. [linux-ext3]

    Twelve blocks have their addresses in the inode; each block of addresses holds 1,024 more and lies before them.
    """
    if page_of_file < DIRECT_PAGES:
        return page_of_file
    return page_of_file + 1 + (page_of_file - DIRECT_PAGES) // INDIRECT_PAGES


def next_address_block(page_of_file: int) -> int:
    """The first page behind one of an ext3 file that a block of addresses lies before. [linux-ext3]"""
    if page_of_file < DIRECT_PAGES:
        return DIRECT_PAGES
    return page_of_file + INDIRECT_PAGES - (page_of_file - DIRECT_PAGES) % INDIRECT_PAGES
