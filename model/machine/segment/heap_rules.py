"""What holds in a heap segment, and what is counted in it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import add, sub
from typing import NamedTuple

from blocktime.model.laws.growth import slot_bytes


class HeapRules(NamedTuple):
    """Sizes and switches of a segment; all lengths are whole numbers of one unit, such as thousandths of a byte."""

    block: int
    data: int
    """What the fixed headers leave of a block, before ITL entries."""
    reserve: int
    """PCTFREE."""
    used_low: int
    """PCTUSED, for manual space management."""
    itl_entry: int
    itl_initial: int
    itl_limit: int
    directory: int
    header: int
    rowid: int
    assm: bool
    itl_full_demotes: bool
    """The mending of bug 6918210: a block rejected for its full ITL list is marked full."""

    @property
    def stub(self) -> int:
        """What stays of a row that moved; no row takes less."""
        return self.header + self.rowid

    @property
    def largest_piece(self) -> int:
        """Longest row piece that an empty block holds."""
        return self.empty - self.directory

    @property
    def empty(self) -> int:
        """Free space of an empty block."""
        return self.data - self.itl_initial * self.itl_entry

    def rows_per_block(self, length: int) -> int:
        """Rows of one length that inserts or a direct load put into a block; one at least, whatever PCTFREE says."""
        return max(1, (self.empty - self.reserve) // self.slot(length))

    def piece(self, length: int) -> int:
        """Bytes a piece takes beside its directory entry."""
        return max(self.stub, length)

    def slot(self, length: int) -> int:
        """Bytes a piece takes, directory entry included."""
        return slot_bytes(length, self.stub, self.directory)

    def counted(self, counts: HeapCounts) -> HeapCounts:
        """The counts as they stand, however they are kept."""
        return HeapCounts(*(getattr(counts, f.name) for f in fields(HeapCounts)))

    def since(self, counts: HeapCounts, before: HeapCounts) -> HeapCounts:
        """What was added after *before*."""
        return HeapCounts(*map(sub, vars(counts).values(), vars(before).values()))

    def plus(self, counts: HeapCounts, more: HeapCounts) -> HeapCounts:
        """The counts with *more*."""
        return HeapCounts(*map(add, vars(counts).values(), vars(more).values()))


@dataclass
class HeapCounts:
    """What has been done in a segment."""

    in_place: int = 0
    migrated: int = 0
    moved_again: int = 0
    """Migrations of rows that had migrated before."""
    chained: int = 0
    chain_pieces: int = 0
    inserted: int = 0
    deleted: int = 0
    searches: int = 0
    """Times that the bitmap, or a free list, was asked for a block."""
    accepted: int = 0
    """Probes that found room."""
    rejected_itl: int = 0
    rejected_space: int = 0
    rejected_held: int = 0
    """Probes of blocks whose free space another session has not committed."""

    @property
    def rejected(self) -> int:
        """Rejected probes of all causes."""
        return self.rejected_itl + self.rejected_space + self.rejected_held


UNIT = 1000
"""Lengths are means, so the segment counts them in thousandths of a byte: whole numbers, whose sums stay exact."""


class BlockFill(NamedTuple):
    """What one block holds: bytes and counts."""

    itl_entries: int
    rows: int
    stubs: int
    moved_in: int
    free_bytes: float
    moved_bytes: float


class Snapshot(NamedTuple):
    """The segment at one moment."""

    blocks: int
    fills: dict[int, BlockFill]
    classes: dict[str, int]
    cells: str


class HeapOutcome(NamedTuple):
    """A workload's counts, and the segment before and after."""

    counts: HeapCounts
    rows: int
    commits: int
    rows_per_block: int
    itl_full_blocks: int
    before: Snapshot
    after: Snapshot
    rules: HeapRules
    without_entry: int = 0
    """How often a session has changed a block that had no ITL entry for it, for which it would wait."""
