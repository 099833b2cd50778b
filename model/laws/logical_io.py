"""How many buffers are got, and what one get costs in CPU.

Counts: [rahn-mbrc] prints the four ``query`` counts that the scan law meets with nothing fitted.
CPU: [savvinov-lio] prints eighteen times for nine tables on two machines; one law serves both.
"""

from __future__ import annotations

from model.laws.numeric import Number, ceiling, floor_div, greatest_divisor, larger, smaller, where

CACHE_LINE_BYTES = 64


def fetch_calls(rows: Number, arraysize_rows: Number) -> Number:
    """Fetch calls that return *rows* rows: one per array, and one more that finds the end of the data."""
    return ceiling(rows / arraysize_rows) + 1


def aligned_stops_fraction(rows_per_block: Number, arraysize_rows: Number, equal_rows: Number) -> Number:
    """Share of the calls that stop on a block's last row: gcd(p, a)/p if all blocks hold p rows, else 1/p."""
    whole = larger(1, floor_div(rows_per_block, 1))
    exact = greatest_divisor(whole, arraysize_rows) / whole
    return where(equal_rows, exact, 1 / larger(1, rows_per_block))


def consistent_gets_of_scan(blocks: Number, stops: Number, aligned_fraction: Number) -> Number:
    """Buffers got by a full scan of *blocks* blocks whose fetch calls stop *stops* times: B + F·(1 - aligned).

    Buffers stay pinned within a call, not across calls: the next call gets the block that the last one stopped in once
    more, unless it stopped on that block's last row. Of the stops the aligned one
    is the last of its period, so their number is rounded down.
    """
    return blocks + stops - floor_div(stops * aligned_fraction + 1e-9, 1)


def consistent_gets_of_range_scan(
    index_levels: Number, leaf_gets: Number, table_gets: Number, fetches: Number, regets: Number
) -> Number:
    """Buffers got by an index range scan: the levels, the leaves, the table blocks, and *regets* per further call."""
    return index_levels + leaf_gets + table_gets + larger(0, fetches - 1) * regets


def table_gets_of_range_scan(rows: Number, clustering_factor: Number, table_rows: Number) -> Number:
    """Table buffers got for *rows* rows in index order: one each time the next row is not in the pinned block.

    The clustering factor counts just that over the whole index, so the share of rows selected is the share of it.
    """
    return smaller(rows, larger(1, ceiling(clustering_factor * rows / table_rows)))


def random_clustering_factor(blocks: Number, table_rows: Number) -> Number:
    """Clustering factor of rows that lie at random: the next row is in another block but for one time in B."""
    return 1 + (table_rows - 1) * (1 - 1 / larger(1, blocks))


def scattered_fraction(
    clustering_factor: Number, blocks: Number, table_rows: Number, unknown: Number
) -> Number:
    """How scattered rows lie in index order: 0 at a clustering factor of the blocks, 1 at that of rows at random.

    With about a row in a block the two are one, and *unknown* is the answer.
    """
    span = random_clustering_factor(blocks, table_rows) - blocks
    share = larger(0, smaller(1, (clustering_factor - blocks) / larger(1, span)))
    return where(span >= 1, share, unknown)


def distinct_blocks(blocks: Number, table_gets: Number) -> Number:
    """Different blocks among *table_gets* gets that fall on *blocks* blocks at random: B·(1 - (1 - 1/B)^n)."""
    return blocks * (1 - (1 - 1 / larger(1, blocks)) ** table_gets)


def row_walk_s(
    slot_bytes: Number,
    columns: Number,
    *,
    line_miss_s: Number,
    line_stream_s: Number,
    row_step_s: Number,
    column_step_ratio: Number,
) -> Number:
    """CPU seconds to step onto one more row of a block, for rows *slot_bytes* apart with *columns* columns.

    A row starts in the cache line of the row before (free), in the adjoining line (streamed by the prefetcher) or
    farther (a missed line); rows at pitch p over lines of c bytes do so with the geometric shares
    max(0, 1 - p/c), min(p/c, max(0, 2 - p/c)) and the rest. The instructions are row_step·(1 + ratio·columns).
    Fitted for slots of 31 to 2,530 bytes and 1 to 25 columns of 8K blocks [savvinov-lio].
    """
    lines = slot_bytes / CACHE_LINE_BYTES
    same = larger(0, 1 - lines)
    adjoining = smaller(lines, larger(0, 2 - lines))
    farther = 1 - same - adjoining
    return farther * line_miss_s + adjoining * line_stream_s + row_step_s * (1 + column_step_ratio * columns)


def logical_io_s(get_s: Number, rows_per_block: Number, row_walk_each_s: Number) -> Number:
    """CPU seconds of one logical I/O that counts the rows of its block: the get, and each row walked."""
    return get_s + rows_per_block * row_walk_each_s
