"""What playing a workload through a heap segment leaves: its counts, and what the blocks hold."""

from __future__ import annotations

from dataclasses import dataclass

from model.machine.segment.heap_rules import HeapCounts, HeapRules

UNIT = 1000
"""Lengths are means, so the segment counts them in thousandths of a byte: whole numbers, whose sums stay exact."""


@dataclass(frozen=True, slots=True)
class BlockFill:
    """What one block holds: bytes and counts."""

    itl_entries: int
    rows: int
    stubs: int
    moved_in: int
    free_bytes: float
    moved_bytes: float


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The segment at one moment."""

    blocks: int
    fills: dict[int, BlockFill]
    classes: dict[str, int]
    cells: str


@dataclass(frozen=True, slots=True)
class HeapOutcome:
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
