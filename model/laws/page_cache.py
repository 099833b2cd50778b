"""The host's page cache: the time of write-back, and the size of read-ahead.

Write-back [linux-vm] starts above the background limit, when pages are old, or when ext3 commits its journal in ordered
mode [linux-ext3]. Read-ahead [linux-readahead]: windows that grow while reads continue where the last one ended.
"""

from __future__ import annotations

from math import exp

from blocktime.model.laws.numeric import Number, ceil_div
from blocktime.model.units import MIB

WRITE_BACK_PAGES = 1024
"""Pages that write-back submits between two checks of the limit (MAX_WRITEBACK_PAGES) [linux-vm]."""
PACED_WRITERS = (3, 2)
"""Since then the kernel slows writers between the two limits; before, it stopped them at the upper limit [linux-vm]."""

JOURNAL_PAGES = (4, 1)
"""Pages of a commit: descriptor and metadata of a small transaction (inode, bitmap, group), then commit block
[linux-ext3].
"""


INODE_PAGES = (1,)
"""Writes of a commit without a journal: the block of the inode, in place [linux-ext3]."""


def commit_pages(journal: bool) -> tuple[int, ...]:
    """Pages of each request that a commit writes, in sequence: of the journal, or of the inode alone."""
    return JOURNAL_PAGES if journal else INODE_PAGES


def journal_byte(capacity_bytes: int) -> int:
    """First byte of the journal: in the middle of the device, where mkfs lays it [general knowledge]."""
    return capacity_bytes // 2 // MIB * MIB


def dirty_limits_bytes(
    memory_bytes: Number, background_percent: Number, limit_percent: Number
) -> tuple[Number, Number]:
    """Dirty bytes at which write-back starts, and at which the kernel throttles writers. [linux-vm]

    A background share that is not below the limit counts as half of the limit.
    """
    limit = memory_bytes * limit_percent / 100
    share = background_percent if background_percent < limit_percent else limit_percent / 2
    return memory_bytes * share / 100, limit


def dirty_bytes(written_bytes: Number, span_bytes: Number) -> Number:
    """Distinct bytes among writes at random places of a span: S (1 - e^(-W/S)) [general knowledge]."""
    return span_bytes * (1 - exp(-written_bytes / span_bytes))


def writer_limit_bytes(background_bytes: Number, limit_bytes: Number, release: tuple[int, ...]) -> Number:
    """Dirty bytes at which a writer is no faster than the device. [linux-vm]"""
    return limit_bytes if release < PACED_WRITERS else (background_bytes + limit_bytes) / 2


def pages_of(start_byte: int, size_bytes: int, page_bytes: int) -> range:
    """Pages that a call touches."""
    return range(start_byte // page_bytes, -(-(start_byte + size_bytes) // page_bytes))


def pages_per_call(size_bytes: Number, page_bytes: Number) -> Number:
    """Pages of a call that begins with a page."""
    return ceil_div(size_bytes, page_bytes)


def advised_bytes(read_ahead_bytes: Number, fadvise: str) -> Number:
    """Bytes of read-ahead of a file: twice read_ahead_kb after POSIX_FADV_SEQUENTIAL [linux-fadvise].

    After POSIX_FADV_RANDOM each call reads its own pages in one request, at any place (``force_page_cache_ra``).
    """
    return 2 * read_ahead_bytes if fadvise == "sequential" else read_ahead_bytes


def first_window_pages(request_pages: int, most_pages: int) -> int:
    """Pages read for the first call of a run: the call as a power of two, times four or two, at most the whole window.

    [linux-readahead]
    """
    window = 1 << max(0, request_pages - 1).bit_length()
    if window <= most_pages // 32:
        return window * 4
    return window * 2 if window <= most_pages // 4 else most_pages


def most_window_pages(request_pages: int, read_ahead_pages: int, optimal_pages: int) -> int:
    """Largest window in pages with *request_pages* of a call remaining: read_ahead_kb, or the size of a longer call.

    max(read_ahead, min(call, io_pages)) (``ractl_max_pages``) [linux-readahead].
    """
    return max(read_ahead_pages, min(request_pages, optimal_pages))


def next_window_pages(window_pages: int, most_pages: int) -> int:
    """Pages of the window after one of *window_pages*: four times as many while small, then twice. [linux-readahead]"""
    if window_pages < most_pages // 16:
        return window_pages * 4
    return min(window_pages * 2, most_pages)


INDIRECT_PAGES = 1024
DIRECT_PAGES = 12


def place_of_page(page_of_file: int) -> int:
    """Place of a page among the blocks of its ext3 file with 4 KB blocks, including indirect blocks. [linux-ext3]

    The inode has the addresses of twelve blocks; each indirect block has 1,024 more and precedes them.
    """
    if page_of_file < DIRECT_PAGES:
        return page_of_file
    return page_of_file + 1 + (page_of_file - DIRECT_PAGES) // INDIRECT_PAGES


def next_address_block(page_of_file: int) -> int:
    """The next page of an ext3 file with an indirect block before it. [linux-ext3]"""
    if page_of_file < DIRECT_PAGES:
        return DIRECT_PAGES
    return page_of_file + INDIRECT_PAGES - (page_of_file - DIRECT_PAGES) % INDIRECT_PAGES
