"""Cost of a scan by the cost-based optimizer, in single-block reads.

I/O costing with NOWORKLOAD and WORKLOAD system statistics [oracle-tuning], old I/O costing [lewis-cbo]; for another
block size than the default, the printed costs of [rahn-mbrc] show that the optimizer keeps the read size in bytes,
while both read times use the default block size.
"""

from __future__ import annotations

from blocktime.model.laws.numeric import Number, ceiling, larger, where

DEFAULT_COSTING_MBRC = 8  # of 8K blocks, while the parameter is not set


def costing_mbrc(mbrc: Number, block_size_bytes: Number, default_block_size_bytes: Number) -> Number:
    """Blocks of this size in a multiblock read as costed: *mbrc* blocks of the default size, in bytes."""
    return larger(1, mbrc * default_block_size_bytes / block_size_bytes)


def noworkload_read_s(
    blocks: Number, default_block_size_bytes: Number, ioseektim_s: Number, iotfrspeed_bytes_per_s: Number
) -> Number:
    """Time of a read of *blocks* blocks under NOWORKLOAD statistics: IOSEEKTIM + blocks·bs/IOTFRSPEED."""
    return ioseektim_s + blocks * default_block_size_bytes / iotfrspeed_bytes_per_s


def scan_io_cost(blocks: Number, mbrc: Number, mreadtim_s: Number, sreadtim_s: Number) -> Number:
    """I/O cost of a full scan: B/m · MREADTIM/SREADTIM."""
    return blocks / mbrc * mreadtim_s / sreadtim_s


def adjusted_mbrc(mbrc: Number) -> Number:
    """Adjusted MBRC of the old I/O costing: 1.67647·m^0.658197 (6.59 for 8)."""
    return 1.67647 * mbrc**0.658197


def old_scan_cost(blocks: Number, mbrc: Number) -> Number:
    """Cost of a full scan without system statistics: B over the adjusted MBRC."""
    return ceiling(blocks / adjusted_mbrc(mbrc))


def scan_plus_one(release: tuple[int, ...]) -> int:
    """Additional cost of a full scan (_table_scan_cost_plus_one): 1 from 9.2 on, 0 before [lewis-cbo]."""
    return int(release >= (9, 2))


def scan_cpu_cycles(blocks: Number, rows: Number, cycles_per_block: Number, cycles_per_row: Number) -> Number:
    """CPU cycles that the optimizer expects for a full scan."""
    return blocks * cycles_per_block + rows * cycles_per_row


def cpu_cost(cycles: Number, cpuspeed_hz: Number, sreadtim_s: Number) -> Number:
    """CPU cycles in units of a single-block read: cycles / (CPUSPEED · SREADTIM)."""
    return cycles / (cpuspeed_hz * sreadtim_s)


def unique_scan_io_cost(blevel: Number, table_visited: Number) -> Number:
    """I/O cost of an index unique scan: blevel, plus 1 for the table block unless the index has all columns."""
    return blevel + table_visited


def range_scan_io_cost(blevel: Number, leaves: Number, table_blocks: Number) -> Number:
    """I/O cost of an index range, full or skip scan: blevel + ⌈leaves⌉ + ⌈changes of the table's block⌉.

    Leaves and clustering factor count times the selectivity. A full scan includes all leaves, a skip scan those of each
    search, with the root pinned, and at most all [lewis-skip].
    """
    return blevel + ceiling(leaves) + ceiling(table_blocks)


def bitmap_table_blocks(rows: Number, rows_per_block: Number) -> Number:
    """Table blocks in the cost of a plan with a bitmap: 80 % of its rows lie together, 20 % apart [lewis-cbo]."""
    return 0.8 * rows / larger(1, rows_per_block) + 0.2 * rows


def parallel_share(degree: Number) -> Number:
    """Parallel servers that the optimizer divides costs by: 0.9·degree, 1 for a serial plan [hooper-parallel]."""
    return where(degree > 1, 0.9 * degree, 1)
