"""How a scan reads its segment: which reads of which sizes, under which event, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from blocktime.model.causes import DIRECT, SCATTERED, SEQUENTIAL
from blocktime.model.demand.segment import Segment
from blocktime.model.laws import scan_reads
from blocktime.model.laws.numeric import Number, ceiling, some, where
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.spec import Instance, System, release_tuple
from blocktime.model.units import show_share


@dataclass(slots=True)
class ReadPlan:
    """Reads of one execution: the pieces, which event they post, and whether they are asynchronous."""

    event: str
    why: str
    pieces: list[scan_reads.Piece] = field(default_factory=list)
    direct: bool = False
    asynchronous: bool = False
    through_page_cache: bool = False
    single_reads: Number = 0
    """Reads of the segment header and its map; of sessions that share the segment, of the mean one."""
    positioned_fraction: Number = 1
    """Share of the reads that do not continue the one before on the device."""
    mbrc: Number = 1
    uneven: Any = False
    """Whether chance decides which blocks are read, so that a closed form is right only on average."""
    window_blocks: Number | None = None
    cached_fraction: Number = 0.0
    """Of the segment's blocks those that a scan finds in the buffer cache."""
    runs: int = 0
    """Sorted runs of the temporary tablespace that are read in turns, where there are some."""
    at_once: Number = 1
    """Reads of a batch that is waited for together."""
    batched_reads: Number = 0
    """Of the reads those that go in batches."""

    @property
    def reads(self) -> Number:
        """Reads of the scan, without the single ones."""
        return sum(piece.count for piece in self.pieces)

    @property
    def read_blocks(self) -> Number:
        """Blocks that these read."""
        return sum(piece.blocks * piece.count for piece in self.pieces)

    @property
    def batches(self) -> Number:
        """Batches, the last of which may be smaller."""
        return ceiling(self.batched_reads / self.at_once)

    def handed_over(self, reads: int) -> Iterator[int]:
        """Of *reads* reads those handed over together, one number after another: batches among single reads."""
        batches, left = int(self.batches), int(self.batched_reads)
        alone = reads - left
        for rank in range(batches):
            yield from repeat(1, alone * (rank + 1) // batches - alone * rank // batches)
            yield min(int(self.at_once), left)
            left -= int(self.at_once)
        yield from repeat(1)


def mbrc_of(instance: Instance, block_size_bytes: Number) -> Number:
    """Blocks of a multiblock read, by DB_FILE_MULTIBLOCK_READ_COUNT or automatic since 10.2."""
    parameter = instance.db_file_multiblock_read_count
    if isinstance(parameter, str):
        if release_tuple(instance.release) >= (10, 2):
            return scan_reads.automatic_mbrc(
                instance.max_io_bytes, block_size_bytes, instance.buffer_cache_bytes, instance.sessions
            )
        parameter = scan_reads.UNSET_MBRC_BEFORE_10_2
    return scan_reads.explicit_mbrc(parameter, instance.max_io_bytes, block_size_bytes, instance.db_block_size_bytes)


def scan_plan(system: System, segment: Segment, change_rows: bool = False, *, parallel: bool = False) -> ReadPlan:
    """How a full scan reads the segment; one that changes rows reads into the buffer cache, parallel servers never."""
    instance, table = system.instance, system.table
    bs = system.tablespace.block_size_bytes
    release = release_tuple(instance.release)
    mbrc = mbrc_of(instance, bs)
    window = instance.max_io_bytes // bs
    parameter = instance.db_file_multiblock_read_count
    bug = not isinstance(parameter, str) and one_for_all(parameter == 0)
    threshold = scan_reads.direct_path_threshold_bytes(instance.buffer_cache_bytes, release)
    table_bytes = segment.blocks * bs
    buffered = bug or change_rows
    direct = parallel or (not buffered and _reads_directly(system, table_bytes, threshold))
    why = _why(system, direct, bug, table_bytes, threshold)
    if parallel:
        why = "direct path reads: parallel servers bypass the buffer cache"
    elif change_rows and not bug:
        why = "buffered reads: DML reads blocks through the buffer cache"
    single = not getattr(mbrc, "ndim", 0) and mbrc == 1
    pieces = _pieces(segment, window if direct else None, mbrc, table.cached_fraction)
    return ReadPlan(
        event=DIRECT if direct else SEQUENTIAL if single else SCATTERED,
        direct=direct,
        asynchronous=direct and system.database_asynch_io,
        through_page_cache=system.database_path not in UNBUFFERED,
        single_reads=where(table.cached_fraction < 1, 1 + segment.shape.map_blocks, 0),
        pieces=pieces if direct or not some(table.cached_fraction) else scan_reads.whole_reads(pieces, mbrc),
        positioned_fraction=0 if direct else scan_reads.long_gaps_fraction(table.cached_fraction, bs),
        uneven=False if direct else (table.cached_fraction > 0) & (table.cached_fraction < 1),
        why=why,
        mbrc=mbrc,
        window_blocks=window if direct else None,
        cached_fraction=0.0 if direct else table.cached_fraction,
    )


def _pieces(segment: Segment, window: int | None, mbrc: Any, cached_fraction: Number) -> list[scan_reads.Piece]:
    """The reads of a scan by size: direct ones within *window* blocks, else those into the buffer cache."""
    pieces: list[scan_reads.Piece] = []
    for run in segment.shape.runs:
        if window is not None:
            cut = scan_reads.aligned_pieces(run.first, run.blocks, window, mbrc)
        else:
            cut = scan_reads.buffered_pieces(run.blocks, mbrc, cached_fraction)
        pieces += [scan_reads.Piece(piece.blocks, piece.count * run.count) for piece in cut]
    return pieces


def _reads_directly(system: System, table_bytes: Number, threshold: Number) -> bool:
    """Whether a serial scan that may do so reads past the buffer cache."""
    if system.instance.serial_direct_read != "auto":
        return system.instance.serial_direct_read == "always"
    table = system.table
    return one_for_all(scan_reads.reads_directly(table_bytes, threshold, table.cached_fraction, table.dirty_fraction))


class MixedRegimes(Exception):
    """An array of scenarios falls on both sides of a choice that is made once; *mask* says which side each is on."""

    def __init__(self, mask: Any) -> None:
        super().__init__("the scenarios of an array take different paths")
        self.mask = mask


class OneByOne(Exception):
    """The scenarios of an array are answered one by one, as each is followed read by read."""


def one_for_all(choice: Any) -> bool:
    """A choice that all scenarios of an array must share; raises :class:`MixedRegimes` otherwise."""
    if getattr(choice, "ndim", 0):
        if (choice != choice[0]).any():
            raise MixedRegimes(choice)
        return bool(choice[0])
    return bool(choice)


def _why(system: System, direct: bool, bug: bool, table_bytes: Number, threshold: Number) -> str:
    instance, table = system.instance, system.table
    if (
        getattr(table_bytes, "ndim", 0)
        or getattr(threshold, "ndim", 0)
        or getattr(table.cached_fraction, "ndim", 0)
        or getattr(table.dirty_fraction, "ndim", 0)
    ):
        return ""  # one sentence cannot tell it for an array of scenarios
    if bug:
        return "buffered reads of one block: db_file_multiblock_read_count = 0 is bug 5768025"
    if instance.serial_direct_read != "auto":
        return f"{'direct path' if direct else 'buffered'} reads: _serial_direct_read is {instance.serial_direct_read}"
    if threshold == float("inf"):
        return f"buffered reads: serial scans make no direct path reads in release {instance.release}"
    size = f"the table ({table_bytes / 2**20:,.0f} MB)"
    limit = f"the direct read threshold ({threshold / 2**20:,.0f} MB)"
    if direct:
        return f"direct path reads: {size} is larger than {limit}"
    if table_bytes <= threshold:
        return f"buffered reads: {size} is not larger than {limit}"
    if table.cached_fraction >= 0.5:
        return f"buffered reads: {show_share(table.cached_fraction)} of the table is in the buffer cache"
    return f"buffered reads: {show_share(table.dirty_fraction)} of the table is dirty in the buffer cache"


def reaps_are_waits(system: System) -> bool:
    """Whether each reap of a direct read posts a wait: before 11.2 it did; since then only one that blocks does.

    [rahn-mbrc] shows some thousand waits of 35 µs in 11.1 where no read can have been outstanding, and
    [shallahamer-direct] none at all in a later release.
    """
    return release_tuple(system.instance.release) < (11, 2)
