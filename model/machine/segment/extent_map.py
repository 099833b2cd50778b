"""A segment's extents one by one: the literal form that the law of :mod:`model.laws.extents` is tested equal to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple

from blocktime.model.laws.extents import HIGH_WATER_STEP_BYTES, allocation, first_extent_block, l1_shape

STORED_EXTENTS: Final = 4096
"""Of each kind of tablespace; those behind them are laid out anew for each segment."""


class Extent(NamedTuple):
    """Adjacent blocks of one datafile, those at its front that are not scanned, and those that are."""

    first: int
    blocks: int
    lead: int
    data: int


def extent_sizes(block_size_bytes: int, assm: bool, uniform_extent_bytes: int | None) -> Iterator[tuple[int, int, int]]:
    """Each extent in the order of allocation: its size, its rank among its like, and the blocks an L1 covers in it."""
    for size, most, covered in allocation(block_size_bytes, assm, uniform_extent_bytes):
        for rank in range(int(most)):
            yield int(size), rank, int(covered)


def _allocated_extents(
    block_size_bytes: int, assm: bool, uniform_extent_bytes: int | None, release_11_2: bool
) -> Iterator[Extent]:
    """The extents that a fresh datafile allocates to a segment that fills each of them."""
    position = int(first_extent_block(block_size_bytes, release_11_2))
    lead = 2 if assm else 1
    for size, rank, covered in extent_sizes(block_size_bytes, assm, uniform_extent_bytes):
        blocks = size // block_size_bytes
        if assm:
            l1, group = l1_shape(blocks, covered)
            lead += int(l1) if rank % group == 0 else 0
        yield Extent(position, blocks, lead, blocks - lead)
        position += blocks
        lead = 0


@lru_cache(maxsize=32)
class _Tablespace:
    """The first extents of any segment in such a tablespace, laid out as far as one has asked."""

    def __init__(self, *where: Any) -> None:
        self._where = where
        self._every = _allocated_extents(*where)
        self.extents: list[Extent] = []
        self.hold: list[int] = []
        """Data blocks of each extent and of those before it."""

    def grow(self, data_blocks: int) -> None:
        """Lay out extents until they hold so many blocks, or are as many as are kept."""
        blocks = self.hold[-1] if self.hold else 0
        while blocks < data_blocks and len(self.extents) < STORED_EXTENTS:
            extent = next(self._every)
            blocks += extent.data
            self.extents.append(extent)
            self.hold.append(blocks)

    def behind(self) -> Iterator[Extent]:
        """The extents behind those that are kept."""
        return islice(_allocated_extents(*self._where), len(self.extents), None)


def lay_out(
    data_blocks: int, *, block_size_bytes: int, assm: bool, uniform_extent_bytes: int | None, release_11_2: bool
) -> list[Extent]:
    """Allocate extents in a fresh datafile until they hold *data_blocks* blocks below the high-water mark."""
    wanted = max(1, data_blocks)
    tablespace = _Tablespace(block_size_bytes, assm, uniform_extent_bytes, release_11_2)
    tablespace.grow(wanted)
    extents = tablespace.extents[: bisect_left(tablespace.hold, wanted) + 1]
    left = data_blocks - sum(extent.data for extent in extents[:-1])
    if left > extents[-1].data:
        for extent in tablespace.behind():
            left -= extents[-1].data
            extents.append(extent)
            if left <= extent.data:
                break
    extents[-1] = extents[-1]._replace(data=left)
    return extents


def part_of(extents: Sequence[Extent], begin: int, end: int) -> Iterator[Extent]:
    """The extents that hold a segment's data blocks number *begin* up to, not including, *end*, as far as they do."""
    before = 0
    for extent in extents:
        low, high = max(begin - before, 0), min(end - before, extent.data)
        if low < high:
            yield Extent(extent.first, extent.blocks, extent.lead + low, high - low)
        before += extent.data
        if before >= end:
            return


MANUAL_STEP_BLOCKS = 5


def high_water_steps(
    block_size_bytes: int, assm: bool, uniform_extent_bytes: int | None
) -> Iterator[list[tuple[int, int]]]:
    """What each move of the high-water mark adds: data blocks by the number of the L1 bitmap block they belong to.

    Under ASSM it moves by an extent, or by a megabyte of a larger one; under manual space management by five blocks,
    all under number 0.
    """
    l1_block = -1
    for index, (size, rank, covered) in enumerate(extent_sizes(block_size_bytes, assm, uniform_extent_bytes)):
        blocks = size // block_size_bytes
        if not assm:
            data = blocks - (index == 0)
            yield from ([(0, min(MANUAL_STEP_BLOCKS, data - done))] for done in range(0, data, MANUAL_STEP_BLOCKS))
            continue
        l1, group = (int(number) for number in l1_shape(blocks, covered))
        lead = (l1 if rank % group == 0 else 0) + (2 if index == 0 else 0)
        step = min(blocks, max(1, HIGH_WATER_STEP_BYTES // block_size_bytes))
        begin = l1_block + 1 if rank % group == 0 else l1_block
        l1_block = begin + (blocks - 1) // covered - lead // covered if l1 > 1 else begin
        for low in range(0, blocks, step):
            first, end, parts = max(low, lead), min(low + step, blocks), []
            while first < end:
                owner, behind = begin, end
                if l1 > 1:
                    owner += first // covered - lead // covered
                    behind = min(end, (first // covered + 1) * covered)
                parts.append((owner, behind - first))
                first = behind
            yield parts


def reads_of(extents: Iterable[Extent], *, mbrc: int, window_blocks: int | None) -> Iterator[tuple[int, int]]:
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
    extents: Iterable[Extent], *, mbrc: int, cached_of: Callable[[int], Sequence[bool]]
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
