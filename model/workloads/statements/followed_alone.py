"""The reads of a session that is alone, followed: of one scenario, or of each of many where chance has no part."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from functools import cache, partial
from itertools import accumulate, islice, repeat
from typing import Any

from model.demand.calls import largest_bytes_of
from model.demand.of_many import Overlay, each_of
from model.demand.turns import pace_of, stretch_blocks
from model.demand.work import RANGE_SCAN, Demand
from model.laws.block_layer import PAGE_BYTES
from model.laws.numeric import Number, is_array, larger, largest, some, where
from model.laws.read_slots import LOOK_EVERY_S
from model.loops import fastest
from model.loops.rows import reals, row
from model.machine.device.drive import BoundedDrive, drive_of
from model.machine.host.read_ahead import ReadAhead, read_ahead_of
from model.machine.segment.extent_map import Extent, reads_of
from model.spec import Statement, System
from model.workloads.statements.lone_session import NUMBERS, SUMS, LoneSessions
from model.workloads.statements.placed_reads import (
    Draws,
    extents_of,
    header_and_map,
    reads_by_session,
    single_reads,
)

MOST_READS = 320
"""Reads that are followed, of all sessions; each has its share of them."""
LEAST_ASYNCHRONOUS = 448
"""Of a session with asynchronous reads, whose slots grow within them."""
MOST_BLOCKS = 1 << 20
"""Blocks of a segment that are laid out extent by extent; those of a larger one behind them count as one extent."""

Rows = tuple[Any, Any]
"""First blocks of reads, and their sizes."""


def is_alone(work: Statement, demand: Demand) -> bool:
    """Whether nobody takes turns with the session, and its reads go to the device one by one."""
    plan, shared = demand.plan, some(work.sessions != 1) or some(demand.servers > 1)
    return not (shared or some(plan.batched_reads) or some(demand.leaf_reads))


def reads_follow(demand: Demand) -> bool:
    """Whether no chance has a part in where the reads of a session that is alone lie."""
    plan = demand.plan
    drawn = some(plan.uneven) or some(plan.positioned_fraction > 0) or some(plan.cached_fraction > 0)
    return bool(plan.pieces) and not drawn and demand.access_path != RANGE_SCAN


class Alone:
    """What a session that is alone does; numbers, or arrays of them."""

    def __init__(self, system: System, demand: Demand) -> None:
        pace, plan, instance, host = pace_of(system, demand), demand.plan, system.instance, system.host
        self.system, self.demand = system, demand
        hidden = plan.asynchronous and not plan.through_page_cache
        self.most = max(MOST_READS, LEAST_ASYNCHRONOUS) if hidden else MOST_READS
        self.slots = instance.direct_read_slots if hidden else 0
        self.limit = instance.direct_read_slots_limit
        self.ahead = self.most + 1 + (self.limit if hidden else 0)
        """Reads that are looked at, so that one knows whether those that are followed are all."""
        self.largest_bytes = largest_bytes_of(system.host, system.database_path)
        every_s = LOOK_EVERY_S * (self.most - self.most // 2) / larger(self.most, demand.reads)
        each_blocks = larger(1.0, demand.blocks_wanted / larger(1.0, demand.read_blocks))
        blocks = demand.blocks_wanted, each_blocks, demand.read_blocks
        self.numbers: tuple[Number, ...] = (
            *blocks, pace.cpu_s + pace.other_s, every_s, host.reap_call_s, system.disk.overhead_s,
            pace.cpu_s, pace.other_s, host.copy_bytes_per_s, host.page_cache_hit_fraction,
            stretch_blocks(system, demand, 1),
        )  # fmt: skip
        """Those of :meth:`LoneSessions.follow` but the first."""

    def drawn(self, work: Statement, draws: Draws) -> Any:
        """The sums of a scenario whose reads lie where *draws* say."""
        system, demand = self.system, self.demand
        extents = extents_of(system, demand.segment.blocks, MOST_BLOCKS)
        singles = row(array("q", single_reads(work, demand, extents)[0]))
        reads = list(islice(reads_by_session(system, work, demand, extents, draws)(0), self.ahead))
        blocks = sum(size for _, size in reads)
        numbers = array("d", (blocks, *self.numbers))
        aheads = [self._read_ahead(extents)] if demand.plan.through_page_cache else []
        return self._followed([drive_of(system.disk)], aheads, [singles], [_rows(reads)], numbers)

    def of_each(self) -> list[Number] | None:
        """The sums by column, of each scenario of arrays by itself; None where what is laid out is an array too."""
        system, demand, plan = self.system, self.demand, self.demand.plan
        fixed = (
            demand.block_size_bytes, self.largest_bytes, self.slots, self.limit, system.host.read_ahead_bytes
        )  # fmt: skip
        if any(map(is_array, fixed)):
            return None
        laid = (demand.segment.blocks, plan.single_reads, plan.mbrc, plan.window_blocks)
        read = where(demand.reads > 0, demand.segment.blocks, 0)
        drives = _drives(system.disk)
        given = (*laid, read, *self.numbers)
        lengths = {len(column) for column in given if is_array(column)} | ({len(drives)} - {0, 1})
        (length,) = lengths or {1}
        scan = _Scan(extents_of(system, largest(demand.segment.blocks), MOST_BLOCKS), self.ahead)
        columns: list[Any] = list(laid)
        columns = [column.tolist() if is_array(column) else repeat(column, length) for column in columns]
        laid_out = cache(partial(extents_of, system, most_blocks=MOST_BLOCKS))
        singles, reads, aheads = [], [], []
        for blocks, count, mbrc, window in zip(*columns, strict=True):
            singles.append(scan.singles(int(blocks), round(count)))
            reads.append(scan.reads(int(mbrc), None if window is None else int(window)))
            if plan.through_page_cache:
                aheads.append(self._read_ahead(laid_out(blocks)))
        drives = drives or [drive_of(system.disk) for _ in range(length)]
        if not lengths:
            return list(self._followed(drives, aheads, singles, reads, array("d", (read, *self.numbers))))
        import numpy as np  # noqa: PLC0415  (who asks one scenario waits for no numpy)

        numbers = np.empty((length, NUMBERS))
        for place, column in enumerate((read, *self.numbers)):
            numbers[:, place] = column
        sums = self._followed(drives, aheads, singles, reads, numbers.reshape(-1))
        return list(np.array(sums).reshape(length, SUMS).T)

    def _read_ahead(self, extents: list[Extent]) -> ReadAhead:
        """What the host reads ahead in a segment of those extents."""
        ahead = read_ahead_of(self.system.host)
        end_byte = (extents[-1].first + extents[-1].blocks) * int(self.demand.block_size_bytes)
        ahead.end_page = -(-end_byte // PAGE_BYTES)
        return ahead

    def _followed(
        self,
        drives: list[BoundedDrive],
        aheads: list[ReadAhead],
        singles: list[Any],
        reads: list[Rows],
        numbers: Any,
    ) -> Any:
        """The sums of sessions, one after another."""
        sums = reals(len(singles) * SUMS, 0.0)
        sizes = int(self.demand.block_size_bytes), int(self.largest_bytes)
        by_ext3 = self.system.host.filesystem == "ext3"
        sessions = fastest(LoneSessions)(
            *sizes, self.most, self.slots, self.limit, by_ext3, self.demand.plan.asynchronous
        )
        firsts, blocks = ([rows[part] for rows in reads] for part in (0, 1))
        sessions.follow(drives, aheads, singles, firsts, blocks, row(numbers), sums)
        return sums


def _drives(disk: Any) -> list[BoundedDrive]:
    """One disk for all scenarios where they differ in its overhead alone, which they tell it; else one for each.

    None where each needs one that is described alike.
    """
    resting = Overlay(disk, {"overhead_s": 0.0})
    if each_of(resting) is None:
        drive = drive_of(resting)
        if drive.at_rest(0.0):
            return [drive]
    disks = each_of(disk)  # one after another: so many at once keep the garbage collector busy
    return [] if disks is None else [drive_of(disk) for disk in disks]


class _Scan:
    """Reads of scans of segments in one tablespace: each begins as that of the largest of them does."""

    def __init__(self, extents: list[Extent], most: int) -> None:
        self._extents, self._most = extents, most
        self._hold = list(accumulate(extent.data for extent in extents))
        self._by_sizes: dict[tuple[int, int | None], Rows] = {}
        self._by_extents: dict[tuple[int, int], Any] = {}

    def reads(self, mbrc: int, window_blocks: int | None) -> Rows:
        """The first reads of the largest scan."""
        rows = self._by_sizes.get((mbrc, window_blocks))
        if rows is None:
            reads = reads_of(self._extents, mbrc=mbrc, window_blocks=window_blocks)
            rows = self._by_sizes[mbrc, window_blocks] = _rows(list(islice(reads, self._most)))
        return rows

    def singles(self, blocks: int, count: int) -> Any:
        """Blocks that are read before the scan of a segment of *blocks* blocks."""
        used = bisect_left(self._hold, blocks, 0, len(self._hold) - 1) + 1
        singles = self._by_extents.get((used, count))
        if singles is None:
            singles = row(array("q", header_and_map(self._extents, used, count)))
            self._by_extents[used, count] = singles
        return singles


def _rows(reads: Iterable[tuple[int, int]]) -> Rows:
    return tuple(row(array("q", [read[part] for read in reads])) for part in (0, 1))
