"""A segment's extents one by one: the literal form that the law of :mod:`model.laws.extents` is tested equal to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from model.laws.extents import blocks_per_l1, first_extent_block, l1_shape, system_extents


@dataclass(frozen=True, slots=True)
class Extent:
    """Adjacent blocks of one datafile, those at its front that hold no rows, and the data blocks in use."""

    first: int
    blocks: int
    lead: int
    data: int


def extent_sizes(
    block_size_bytes: int, assm: bool, uniform_extent_bytes: int | None
) -> Iterator[tuple[int, int]]:
    """Size of each extent of a segment in the order of allocation, and its rank among extents of that size."""
    if uniform_extent_bytes is not None:
        for rank in count():
            yield uniform_extent_bytes, rank
    for size, most in system_extents(block_size_bytes, assm):
        for rank in range(most):
            yield size, rank


def lay_out(
    data_blocks: int,
    *,
    block_size_bytes: int,
    assm: bool,
    uniform_extent_bytes: int | None,
    release_11_2: bool,
) -> list[Extent]:
    """Allocate extents in a fresh datafile until they hold *data_blocks* blocks below the high-water mark."""
    position = int(first_extent_block(block_size_bytes, release_11_2))
    extents: list[Extent] = []
    left = data_blocks
    for size, rank in extent_sizes(block_size_bytes, assm, uniform_extent_bytes):
        blocks = size // block_size_bytes
        lead = 0
        if assm:
            l1, group = l1_shape(blocks, blocks_per_l1(size))
            lead = int(l1) if rank % group == 0 else 0
        if not extents:
            lead += 2 if assm else 1
        data = min(left, blocks - lead)
        extents.append(Extent(position, blocks, lead, data))
        left -= data
        position += blocks
        if left <= 0:
            return extents
    raise AssertionError("system allocation never ends")


def reads_of(extents: list[Extent], *, mbrc: int, window_blocks: int | None) -> Iterator[tuple[int, int]]:
    """First block and size of each read of a scan: within an extent, at most MBRC, never across an aligned window."""
    for extent in extents:
        block = extent.first + extent.lead
        end = block + extent.data
        while block < end:
            stop = end if window_blocks is None else min(end, (block // window_blocks + 1) * window_blocks)
            while block < stop:
                size = min(mbrc, stop - block)
                yield block, size
                block += size


def uncached_reads_of(
    extents: list[Extent], *, mbrc: int, cached_of: Callable[[int], Sequence[bool]]
) -> Iterator[tuple[int, int]]:
    """Reads of a buffered scan that ends a read at every block already cached.

    *cached_of* tells for the data blocks of one extent, in order, which are cached.
    """
    for extent in extents:
        begin = extent.first + extent.lead
        size = 0
        for offset, cached in enumerate(cached_of(extent.data)):
            if cached or size == mbrc:
                if size:
                    yield begin + offset - size, size
                size = 0
            if not cached:
                size += 1
        if size:
            yield begin + extent.data - size, size
