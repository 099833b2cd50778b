"""Where the reads of a statement lie in its datafile, session by session; chance draws some of their places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import inf
from typing import TYPE_CHECKING

from blocktime.model.demand.work import RANGE_SCAN, Demand
from blocktime.model.laws.scan_reads import granules_of
from blocktime.model.machine.segment.extent_map import Extent, lay_out, part_of, reads_of, uncached_reads_of
from blocktime.model.spec import Statement, System, release_tuple

if TYPE_CHECKING:  # who draws nothing imports no numpy
    import numpy as np

    from blocktime.model.workloads.statements.class_positions import PlacedClasses

Read = tuple[int, int]
"""First block of a read in its datafile, and its blocks."""
Draws = Callable[[str], "np.random.Generator"]
"""Random numbers for each use by its name."""
MOST_AT_ONCE = 4096
"""Places that are drawn together."""


def extents_of(system: System, segment_blocks: float, most_blocks: float = inf) -> list[Extent]:
    """A segment in its datafile; what lies behind its first *most_blocks* blocks is one extent."""
    space, blocks = system.tablespace, max(1, int(segment_blocks))
    extents = lay_out(
        int(min(blocks, most_blocks)),
        block_size_bytes=space.block_size_bytes,
        assm=space.space_management == "assm",
        uniform_extent_bytes=space.uniform_extent_bytes if space.extent_management == "uniform" else None,
        release_11_2=release_tuple(system.instance.release) >= (11, 2),
    )
    if blocks > most_blocks:
        last, left = extents[-1], int(blocks - most_blocks)
        extents.append(Extent(last.first + last.blocks, left, 0, left))
    return extents


class Leaves:
    """Leaves of indexes, which a session reads one by one among its work on blocks of the table; they lie anywhere."""

    __slots__ = ("_each", "_left", "_read", "_worked")

    def __init__(self, demand: Demand, extents: list[Extent], rank: int, draws: Draws) -> None:
        each = float(demand.leaf_reads)
        count, end = round((rank + 1) * each) - round(rank * each), extents[-1].first + extents[-1].blocks
        self._left = draws(f"leaves {rank}").integers(0, end, count).tolist() if count else []
        self._each = count / float(demand.blocks_wanted)
        self._worked, self._read = 0.0, 0

    def wanted(self, blocks: float) -> list[int]:
        """The next leaves, which the rows of as many blocks of the table need."""
        if not self._left:
            return self._left
        self._worked += blocks
        read, self._read = self._read, round(self._worked * self._each)
        return self._left[read : self._read]


def single_reads(work: Statement, demand: Demand, extents: list[Extent]) -> list[list[int]]:
    """Blocks that each session reads one by one before its scan; the first does for all that share the segment."""
    parts = _parts_of(work, demand)
    count = round(float(demand.plan.single_reads - demand.leaf_reads) * parts)
    blocks = header_and_map(extents, len(extents), count)
    return [blocks if rank % parts == 0 else [] for rank in range(work.sessions)]


def header_and_map(extents: Sequence[Extent], used: int, count: int) -> list[int]:
    """*count* blocks that are read before the scan of a segment that uses the first *used* of *extents*.

    The header is the last block before the first extent's data; blocks of the map lie at the begins of later extents.
    """
    if not count:
        return []
    header = extents[0].first + extents[0].lead - 1
    return [header, *(extents[used * rank // count].first for rank in range(1, count))]


def _parts_of(work: Statement, demand: Demand) -> int:
    """In how many sessions one scan of the segment is shared."""
    return int(demand.servers) if demand.change is None else work.sessions


def reads_by_session(
    system: System,
    work: Statement,
    demand: Demand,
    extents: list[Extent],
    draws: Draws,
    popular: PlacedClasses | None = None,
) -> Callable[[int, int], Iterator[Read]]:
    """The reads of each session in order, by its rank; those that share a scan have each their part of it.

    A scan has those from a block of the session's part on. Where blocks are *popular*, single ones are read by that.
    """
    plan, each = demand.plan, float(demand.reads)
    parts = _parts_of(work, demand)
    if is_by_single_blocks(demand):
        return lambda rank, _: _single_block_reads(
            round((rank + 1) * each) - round(rank * each),
            float(plan.positioned_fraction),
            extents,
            draws(f"places {rank}"),
            popular,
        )
    if not each:
        return lambda *_: iter(())
    blocks = int(demand.segment.blocks)
    if plan.runs:
        return lambda rank, _: _reads_of_runs(rank * blocks, blocks, int(plan.mbrc), plan.runs)
    mbrc, window = int(plan.mbrc), None if plan.window_blocks is None else int(plan.window_blocks)
    share = float(plan.cached_fraction)

    def of_session(rank: int, start_block: int) -> Iterator[Read]:
        if demand.servers > 1:
            granules = _granules(demand, rank % parts)
            return chain.from_iterable(
                reads_of(part_of(extents, *granule), mbrc=mbrc, window_blocks=window)
                for granule in granules
                if granule[0] >= start_block * parts
            )
        begin, end = blocks * (rank % parts) // parts, blocks * (rank % parts + 1) // parts
        begin += start_block
        session_extents = part_of(extents, begin, end)
        if not share:
            return reads_of(session_extents, mbrc=mbrc, window_blocks=window)
        chances = draws("cached blocks")  # the same blocks for all sessions
        chances.bit_generator.advance(begin)  # type: ignore[attr-defined]
        return uncached_reads_of(
            session_extents, mbrc=mbrc, cached_of=lambda count: list(chances.random(count) < share)
        )

    return of_session


def read_sizes(work: Statement, demand: Demand, extents: list[Extent]) -> dict[int, float]:
    """Reads of the mean session by size in blocks, as :func:`reads_by_session` makes them, without making them.

    Where chance decides which blocks are cached, the mean numbers.
    """
    plan, sizes = demand.plan, Counter[int]()
    parts = _parts_of(work, demand)
    if is_by_single_blocks(demand):
        reads = round(work.sessions * float(demand.reads)) / work.sessions
        return {1: reads} if reads else {}
    if parts == 1 or plan.cached_fraction:
        for piece in plan.pieces:
            sizes[int(piece.blocks)] += float(piece.count)  # type: ignore[assignment]
        return {size: count for size, count in sizes.items() if size and count}
    window = None if plan.window_blocks is None else int(plan.window_blocks)
    blocks = int(demand.segment.blocks)
    runs: Counter[tuple[int, int]] = Counter()
    for rank in range(parts):
        ranges = (
            _granules(demand, rank) if demand.servers > 1 else [(blocks * rank // parts, blocks * (rank + 1) // parts)]
        )
        for extent in chain.from_iterable(part_of(extents, *each) for each in ranges):
            first = extent.first + extent.lead
            runs[first % window if window else 0, extent.data] += 1
    for (first, data), count in runs.items():
        for _, size in reads_of([Extent(first, data, 0, data)], mbrc=int(plan.mbrc), window_blocks=window):
            sizes[size] += count
    return {size: count / parts for size, count in sizes.items()}


def is_by_single_blocks(demand: Demand) -> bool:
    """Whether the reads are single blocks, at places that chance or an index decides."""
    return demand.access_path == RANGE_SCAN or (
        demand.change is not None and bool(demand.plan.positioned_fraction == 1)
    )


def _granules(demand: Demand, server: int) -> Iterator[tuple[int, int]]:
    """First block and end of the granules that one of the alike servers takes, which go round."""
    blocks, servers = int(demand.segment.blocks), int(demand.servers)
    count = int(granules_of(blocks, demand.block_size_bytes, servers))
    for rank in range(server, count, servers):
        yield blocks * rank // count, blocks * (rank + 1) // count


def _reads_of_runs(first: int, blocks: int, size: int, runs: int) -> Iterator[Read]:
    """Reads of so many *blocks* of temp, which are sorted runs of one length that are read in turns."""
    whole, rest = divmod(blocks, size)
    each = -(-blocks // runs)
    for rank in range(whole):
        yield first + (rank % runs * each + rank // runs * size) % max(1, blocks - size + 1), size
    if rest:
        yield first + blocks - rest, rest


def _single_block_reads(
    count: int,
    positioned_fraction: float,
    extents: list[Extent],
    draws: np.random.Generator,
    popular: PlacedClasses | None,
) -> Iterator[Read]:
    """*count* reads of the segment; of those after the first the stated share go anywhere, evenly among the others."""
    first, end = extents[0].first, extents[-1].first + extents[-1].blocks
    anywhere = _places(first, end, draws, max(1, min(count, MOST_AT_ONCE)), popular)
    place, jumps = next(anywhere), 0
    for rank in range(count):
        if int(rank * positioned_fraction + 1e-9) > jumps:
            jumps += 1
            place = next(anywhere)
        yield place, 1
        place += 1
        if place >= end:
            place = first


def _places(
    first: int, end: int, draws: np.random.Generator, at_once: int, popular: PlacedClasses | None
) -> Iterator[int]:
    """Blocks anywhere from *first* to before *end*, by popularity where blocks are popular."""
    while popular is not None:
        yield popular.drawn(first, end, draws)
    while True:
        yield from (first + (draws.random(at_once) * (end - first)).astype(int)).tolist()
