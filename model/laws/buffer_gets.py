"""Number of buffer gets, and CPU of one get.

Counts: the scan law gives the four ``query`` counts that [rahn-mbrc] prints, without a fit. CPU: [savvinov-lio] prints
eighteen times for nine tables on two machines; one law fits both.
"""

from __future__ import annotations

from blocktime.model.laws.numeric import (
    Number,
    ceil_div,
    ceiling,
    floor_div,
    greatest_divisor,
    inverse_modulo,
    larger,
    largest,
    log,
    nearest,
    smaller,
    where,
)

CACHE_LINE_BYTES = 64
BATCHED_SINCE = (12, 1)
"""First release whose plans have TABLE ACCESS BY INDEX ROWID BATCHED [akhmadeev-batched]."""
PINNED_SINCE = (11, 1)
"""First release whose nested loops keep the root of the inner index pinned, and batch reads of the inner table."""
MOST_AT_ONCE = 127
"""Blocks of one ``db file parallel read`` at most: general knowledge, of traces of 12.1 and later."""


def fetch_calls(rows: Number, arraysize_rows: Number, first_rows: Number | None = None) -> Number:
    """Fetch calls for *rows* rows: one per array, and one more that finds the end of the data.

    A client that fetches *first_rows* rows first sends a call for them; its last call finds the end of the data unless
    it is full.
    """
    if first_rows is None:
        return ceiling(rows / arraysize_rows) + 1
    return 1 + where(rows >= first_rows, floor_div(rows - first_rows, arraysize_rows) + 1, 0)


def fetch_stops(rows: Number, arraysize_rows: Number, first_rows: Number | None = None) -> Number:
    """Fetch calls of *rows* rows that stop before the last row: at a, 2·a, …, or at f, f + a, … with *first_rows* f."""
    first = arraysize_rows if first_rows is None else first_rows
    return larger(0, ceiling((rows - first) / arraysize_rows))


def aligned_stops(
    stops: Number, rows_per_block: Number, arraysize_rows: Number, first_rows: Number | None, equal_rows: Number
) -> Number:
    """Number of the *stops* fetch calls that stop on the last row of a block, rounded down.

    If all blocks hold p rows: the solutions k below *stops* of f + k·a ≡ 0 (mod p), one in each p/gcd(p, a) calls if
    gcd(p, a) divides f. Else one in p.
    """
    rows = larger(1, floor_div(rows_per_block, 1))
    first = arraysize_rows if first_rows is None else first_rows
    divisor = greatest_divisor(rows, arraysize_rows)
    period = rows // divisor
    begins = (-(first // divisor) * inverse_modulo(arraysize_rows // divisor, period)) % period
    solutions = where(first % divisor == 0, larger(0, ceil_div(stops - begins, period)), 0)
    return where(equal_rows, solutions, floor_div(stops / larger(1, rows_per_block) + 1e-9, 1))


def consistent_gets_of_scan(blocks: Number, stops: Number, aligned: Number) -> Number:
    """Gets of a full scan of *blocks* blocks whose fetch calls stop *stops* times: blocks + stops - aligned.

    Buffers stay pinned within a call, not across calls: the next call gets the block of the last stop again, unless
    this is one of the *aligned* stops on a block's last row.
    """
    return blocks + stops - aligned


def index_gets(index_levels: Number, leaf_gets: Number, fetches: Number) -> Number:
    """Index gets of a scan: the levels, the leaves, and the leaf again by each further call."""
    return index_levels + leaf_gets + larger(0, fetches - 1)


def probe_gets(probes: Number, blevel: Number, leaves_each: Number, release: tuple[int, ...]) -> Number:
    """Index gets of nested loops that look *probes* outer rows up, each in *leaves_each* leaves.

    Before 11.1 each descends from the root: p·(BLEVEL + leaves). Since 11.1 the root stays pinned from one outer row to
    the next, so that only its first get counts: 1 + p·(BLEVEL - 1 + leaves); of an index that is one leaf, the root
    itself, 1. Each row of the inner table is a get more by its rowid, in either [geist-nested-loops, park-tuning].
    """
    each = blevel + leaves_each
    if release < PINNED_SINCE:
        return probes * each
    return nearest(1 + where(blevel > 0, probes * (each - 1), 0))


def probed_leaves(leaf_blocks: Number, leaves_in_range: Number, probes: Number) -> Number:
    """Leaves visited by *probes* searches that share a range: p·max(1, ⌈leaves/p⌉), never more than the index has.

    A range scan is one search; a skip scan makes one below each value of the leading columns [lewis-skip].
    """
    each = larger(1, ceil_div(leaves_in_range, probes))
    return smaller(larger(1, leaf_blocks), probes * each)


def branch_gets(blevel: Number, leaf_blocks: Number, fan_out: Number, probes: Number) -> Number:
    """Branch gets of *probes* searches in key order: min(p, ⌈leaves/f^i⌉) of each level, 1 of the root.

    The path from the root to the leaf stays pinned during a scan [maclean-skip], so the scan gets a branch once.
    """
    branches, of_level = 0 * leaf_blocks, leaf_blocks
    for level in range(1, int(largest(blevel)) + 1):
        of_level = ceil_div(of_level, fan_out)
        got = where(level < blevel, smaller(probes, of_level), 1)
        branches = branches + where(level <= blevel, got, 0)
    return branches


def table_gets_of_range_scan(rows: Number, clustering_factor: Number, table_rows: Number) -> Number:
    """Table gets for *rows* rows in index order: one each time the next row is not in the pinned block.

    The clustering factor counts these changes over the whole index; the gets are its share for the selected rows.
    """
    return smaller(rows, larger(1, ceiling(clustering_factor * rows / table_rows)))


def random_clustering_factor(blocks: Number, table_rows: Number, distinct_keys: Number | None = None) -> Number:
    """Clustering factor of rows in random order: the next row is in the same block one time in B.

    The n/D rows of one of *distinct_keys* D keys lie in rowid order, so each of their blocks counts once: 1 + (D -
    1)·(1 - 1/B) + D·(d - 1), with d = B·(1 - (1 - 1/B)^(n/D)) blocks.
    """
    keys = table_rows if distinct_keys is None else distinct_keys
    within = keys * (distinct_blocks(blocks, table_rows / keys) - 1)
    return 1 + (keys - 1) * (1 - 1 / larger(1, blocks)) + where(keys < table_rows, within, 0)


def gathered_clustering_factor(
    factor: Number, blocks: Number, table_rows: Number, keys: Number, among: Number, remembered: Number
) -> Number:
    """CLUSTERING_FACTOR by statistics that remember the *remembered* blocks visited last; *factor* is that for one.

    A row in one of these blocks is no change of block [lewis-cached-blocks]. Blocks are random among *among*; the
    blocks of one key appear once each, in rowid order. So a block returns after d, the blocks of a key, with
    probability d/A, otherwise after A·(1 - (1 - d/A)^j), the blocks of j keys.
    """
    of_key = smaller(among, where(keys < table_rows, distinct_blocks(blocks, table_rows / keys), 1))

    def found(last: Number) -> Number:
        each, all_of = (larger(1e-12, 1 - part / among) for part in (of_key, last))
        return 1 - each ** floor_div(log(all_of) / log(each) + 1e-9, 1)

    beyond = (1 - found(remembered)) / larger(1e-12, 1 - found(1))
    return where(remembered >= among, blocks, blocks + larger(0, factor - blocks) * beyond)


def interleaved_clustering_factor(blocks: Number, table_rows: Number, among: Number) -> Number:
    """Clustering factor of rows spread at random over *among* blocks: the next row is in the same one in 1/among."""
    return blocks + larger(0, table_rows - blocks) * (1 - 1 / larger(1, smaller(among, blocks)))


def scattered_fraction(
    clustering_factor: Number, blocks: Number, table_rows: Number, unknown: Number, distinct_keys: Number | None = None
) -> Number:
    """Scatter of rows in index order: 0 if the clustering factor is the blocks, 1 if it is that of random rows.

    With about one row per block, or about one key, the two are equal, and the result is *unknown*.
    """
    span = random_clustering_factor(blocks, table_rows, distinct_keys) - blocks
    share = larger(0, smaller(1, (clustering_factor - blocks) / larger(1, span)))
    return where(span >= 1, share, unknown)


def distinct_blocks(blocks: Number, table_gets: Number) -> Number:
    """Distinct blocks among *table_gets* random gets of *blocks* blocks: B·(1 - (1 - 1/B)^n)."""
    return blocks * (1 - (1 - 1 / larger(1, blocks)) ** table_gets)


def batched_blocks(rows: Number, blocks: Number, batch_rows: Number, release: tuple[int, ...]) -> Number:
    """Blocks that batched table access reads at once: *blocks* are those of *rows* rows that lie apart and are read.

    min(127, batch·blocks/rows), rounded down and 1 at least: rows that lie together share a block, and no batch reads
    beyond the rows of its fetch call. 1 before 12.1 [akhmadeev-batched].
    """
    if release < BATCHED_SINCE:
        return 0 * rows + 1
    each = smaller(rows, batch_rows) * blocks / larger(1, rows)
    return larger(1, floor_div(smaller(MOST_AT_ONCE, each) + 1e-9, 1))


def row_walk_s(
    slot_bytes: Number,
    columns: Number,
    *,
    line_miss_s: Number,
    line_stream_s: Number,
    row_step_s: Number,
    column_step_ratio: Number,
) -> Number:
    """CPU seconds of a step to the next row of a block, for rows *slot_bytes* apart with *columns* columns.

    A row starts in the cache line of the row before (free), in the adjoining line (streamed by the prefetcher) or
    farther (a missed line); rows of pitch p over lines of c bytes have the geometric shares max(0, 1 - p/c), min(p/c,
    max(0, 2 - p/c)) and the rest. The instructions are row_step·(1 + ratio·columns). Fitted for slots of 31 to 2,530
    bytes and 1 to 25 columns of 8K blocks [savvinov-lio].
    """
    lines = slot_bytes / CACHE_LINE_BYTES
    same = larger(0, 1 - lines)
    adjoining = smaller(lines, larger(0, 2 - lines))
    farther = 1 - same - adjoining
    return farther * line_miss_s + adjoining * line_stream_s + row_step_s * (1 + column_step_ratio * columns)
