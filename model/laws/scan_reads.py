"""Reads of a segment by a scan: MBRC, direct path or buffered, boundaries, cached blocks.

Sources: [rahn-mbrc] for the sizes, the automatic MBRC, bug 5768025 and the aligned reads of its raw trace;
[shallahamer-direct] for reads that start after the bitmap blocks of an extent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from blocktime.model.laws.device_time import NEAR_BYTES
from blocktime.model.laws.extents import Run
from blocktime.model.laws.numeric import Number, ceil_div, floor_div, larger, nearest, over, smaller, some, where
from blocktime.model.units import KIB

UNSET_MBRC_BEFORE_10_2 = 8


class Piece(NamedTuple):
    """*count* reads of *blocks* blocks each."""

    blocks: Number
    count: Number


SMALL_TABLE_SHARE = 0.02  # _small_table_threshold as a share of the buffer cache


def automatic_mbrc(
    max_io_bytes: Number, block_size_bytes: Number, buffer_cache_bytes: Number, sessions: Number
) -> Number:
    """Blocks per multiblock read when the parameter is not set: min(largest I/O, buffers per session), at least 1."""
    buffers = buffer_cache_bytes // block_size_bytes
    return larger(1, smaller(max_io_bytes // block_size_bytes, buffers // sessions))


def explicit_mbrc(
    mbrc: Number, max_io_bytes: Number, block_size_bytes: Number, default_block_size_bytes: Number
) -> Number:
    """Blocks per read for a set parameter, which counts blocks of the default size and means bytes.

    A tablespace of another block size reads the same bytes, at most the largest I/O. 0 triggers bug 5768025: 1.
    """
    scaled = mbrc * default_block_size_bytes // block_size_bytes
    return where(mbrc < 1, 1, larger(1, smaller(max_io_bytes // block_size_bytes, scaled)))


def direct_path_threshold_bytes(buffer_cache_bytes: Number, release: tuple[int, ...]) -> Number:
    """Segment size above which a serial scan reads directly: 5 × (11.1) or 1 × (11.2 on) 2 % of the cache.

    Before 11.1 a serial scan never reads directly: infinity.
    """
    if release < (11, 1):
        return 0 * buffer_cache_bytes + float("inf")
    times = 5 if release < (11, 2) else 1
    return times * SMALL_TABLE_SHARE * buffer_cache_bytes


def reads_directly(
    segment_bytes: Number, threshold_bytes: Number, cached_fraction: Number, dirty_fraction: Number
) -> Number:
    """Whether a serial scan takes the direct path: above the threshold, under half cached, under a quarter dirty."""
    return (segment_bytes > threshold_bytes) & (cached_fraction < 0.5) & (dirty_fraction < 0.25)  # noqa: PLR2004  (as in its source)


def aligned_pieces(first_block: Number, blocks: Number, window_blocks: Number, mbrc: Number) -> list[Piece]:
    """Reads of *blocks* adjacent blocks from *first_block* when no read crosses a multiple of *window_blocks*."""
    before = first_block - floor_div(first_block, window_blocks) * window_blocks
    head_room = window_blocks - before
    head = smaller(blocks, head_room)
    pieces = pieces_of_run(head, mbrc, 1)
    rest = blocks - head
    if some(rest):  # NOTE: most runs lie in one window; for arrays of scenarios this is half of the work
        windows = floor_div(rest, window_blocks)
        if some(windows):
            pieces += pieces_of_run(window_blocks, mbrc, windows)
        pieces += pieces_of_run(rest - windows * window_blocks, mbrc, 1)
    return pieces


def pieces_of_run(blocks: Number, mbrc: Number, count: Number) -> list[Piece]:
    """Reads of *count* runs of *blocks* blocks, MBRC blocks at a time; the remainder is one more read."""
    whole = floor_div(blocks, mbrc)
    left = blocks - whole * mbrc
    pieces = []
    if some(whole):
        pieces.append(Piece(mbrc, whole * count))
    if some(left):
        pieces.append(Piece(left, (left > 0) * count))
    return pieces


def buffered_reads_of_run(blocks: Number, mbrc: Number, cached_fraction: Number) -> Number:
    """Mean reads of *blocks* adjacent blocks if a read ends at a cached block, at the end of the run or at MBRC.

    Each block is cached with probability f, independently. A read starts at every k·MBRC-th uncached block after the
    run's start or after a cached block: Σₖ (1-f)^(k·m+1) · (1 + f·(L-1-k·m)), k < ⌈L/m⌉; with f = 0 this is ⌈L/m⌉.
    """
    uncached = 1 - cached_fraction
    ratio = uncached**mbrc
    terms = ceil_div(blocks, mbrc)
    none_cached = ratio >= 1 - 1e-12
    safe = where(none_cached, 0.5, ratio)
    before_last = safe ** (terms - 1)
    last = safe * before_last
    geometric = (1 - last) / (1 - safe)
    weighted = safe * (1 - terms * before_last + (terms - 1) * last) / (1 - safe) ** 2
    reads = uncached * ((1 + cached_fraction * (blocks - 1)) * geometric - cached_fraction * mbrc * weighted)
    return where(none_cached, terms, reads)


def long_gaps_fraction(cached_fraction: Number, block_size_bytes: Number) -> Number:
    """Share of a buffered scan's reads that start too far from the last one, after a long row of cached blocks."""
    return cached_fraction ** (NEAR_BYTES / block_size_bytes)


def buffered_pieces(blocks: Number, mbrc: Number, cached_fraction: Number) -> list[Piece]:
    """Reads of one run of *blocks* blocks into the cache; with cached blocks, mean counts of two sizes."""
    if not getattr(cached_fraction, "ndim", 0) and cached_fraction == 0:
        return pieces_of_run(blocks, mbrc, 1)
    wanted = larger(1, blocks)
    present = blocks > 0
    reads = buffered_reads_of_run(wanted, mbrc, cached_fraction) * present
    mean = wanted * (1 - cached_fraction) / larger(reads, 1e-300) * present
    small = floor_div(mean, 1)
    return [Piece(small, reads * (1 - (mean - small))), Piece(small + 1, reads * (mean - small))]


def whole_reads(pieces: Sequence[Piece], mbrc: Number) -> list[Piece]:
    """Mean counts of buffered reads as whole numbers: reads and blocks of all runs so far are nearest to their means.

    *pieces* are the two sizes of each run in turn, as in :func:`buffered_pieces`, and so is the result.
    """
    wanted: Number = 0.0
    wanted_blocks: Number = 0.0
    done: Number = 0
    done_blocks: Number = 0
    whole: list[Piece] = []
    # NOTE: from the last run on, as the first ones are the most alike and take what is left over
    for small, large in zip(pieces[-2::-2], pieces[-1::-2], strict=True):
        wanted = wanted + small.count + large.count
        wanted_blocks = wanted_blocks + small.blocks * small.count + large.blocks * large.count
        reads = nearest(wanted) - done
        blocks = larger(reads, smaller(nearest(wanted_blocks) - done_blocks, reads * mbrc))
        each = floor_div(blocks, larger(1, reads))
        more = blocks - each * reads
        whole += [Piece(each + 1, more), Piece(each, reads - more)]
        done, done_blocks = done + reads, done_blocks + blocks
    return whole[::-1]


def reads_added_by_cuts(runs: Sequence[Run], parts: Number, mbrc: Number) -> Number:
    """Additional mean reads of a segment that is divided into *parts* equal parts: 0 to parts - 1.

    Reads are buffered, and no block of *runs* is cached. A part of w blocks at a random place overlaps a run of L
    blocks in j blocks at 2 places for each j < min(w, L), and in min(w, L) at |L - w| + 1 places; it reads them in
    ⌈j/MBRC⌉. A ring of B blocks has *parts* cuts at B places; the segment has one cut less, at one place less.
    """
    blocks = larger(1, sum(run.blocks * run.count for run in runs))
    whole = sum(ceil_div(run.blocks, mbrc) * run.count for run in runs)
    short = floor_div(blocks, parts)
    longer = blocks / parts - short  # parts are of two sizes, one block apart
    met = sum(
        run.count
        * (
            (1 - longer) * _reads_wherever_met(run.blocks, short, mbrc)
            + longer * _reads_wherever_met(run.blocks, short + 1, mbrc)
        )
        for run in runs
    )
    of_ring = smaller(1.0, (parts - 1) / parts * (blocks / larger(1, blocks - 1)))
    return of_ring * larger(0.0, met / blocks * parts - whole)


def _reads_wherever_met(run_blocks: Number, part_blocks: Number, mbrc: Number) -> Number:
    """Reads of a part in a run, summed over all places where the two meet."""
    most = smaller(run_blocks, part_blocks)
    fulls = floor_div(most - 1, mbrc)
    smaller_meetings = mbrc * fulls * (fulls + 1) / 2 + (most - 1 - fulls * mbrc) * (fulls + 1)
    apart = larger(run_blocks, part_blocks) - most
    return 2 * smaller_meetings + (apart + 1) * ceil_div(most, mbrc)


def uncached_runs(runs: Sequence[Run], cached_fraction: Number) -> list[Run]:
    """Runs of adjacent blocks that are not cached, in their mean length: (1-f)·(1 + f·(L-1)) in each run of L."""
    uncached = []
    for run in runs:
        ends = 1 + cached_fraction * larger(0, run.blocks - 1)
        count = run.count * (1 - cached_fraction) * ends * (run.blocks > 0)
        mean = run.blocks / ends
        small = floor_div(mean, 1)
        uncached += [
            Run(run.first, small, count * (1 - (mean - small))),
            Run(run.first, small + 1, count * (mean - small)),
        ]
    return uncached


GRANULE_BYTES = 1_000_000 * KIB
LEAST_GRANULES, MOST_GRANULES = 13, 100


def granules_of(blocks: Number, block_size_bytes: Number, servers: Number) -> Number:
    """Granules that parallel servers share: ranges of about 1 GB, 13 to 100 for each server [px-granules]."""
    by_size = ceil_div(blocks * block_size_bytes, GRANULE_BYTES)
    return larger(1, smaller(blocks, larger(LEAST_GRANULES * servers, smaller(MOST_GRANULES * servers, by_size))))


def pieces_of_part(
    pieces: Sequence[Piece], runs: Sequence[Run], parts: Number, mbrc: Number, cached_fraction: Number
) -> list[Piece]:
    """Reads of the mean of *parts* equal parts of a segment, whose buffered scan as a whole takes *pieces*.

    Exact in the mean if no block is cached, else within some percent. A cut leaves two reads of half the size on
    average, which appear here in two sizes.
    """
    if not some(parts > 1):
        return [Piece(piece.blocks, piece.count / parts) for piece in pieces]
    reads = sum(piece.count for piece in pieces)
    going_on = larger(0.0, sum(piece.blocks * piece.count for piece in pieces) - reads)
    open_runs = uncached_runs(runs, cached_fraction) if some(cached_fraction) else runs
    added = smaller(going_on, reads_added_by_cuts(open_runs, parts, mbrc))
    return _cut(pieces, added, parts)


def pieces_of_granules(pieces: Sequence[Piece], granules: Number) -> list[Piece]:
    """Reads of a segment divided into granules: a cut between two blocks of a read adds a read.

    Counts are whole: the cut reads have all sizes in proportion, and their parts have sizes a block apart.
    """
    reads = sum(piece.count for piece in pieces)
    blocks = sum(piece.blocks * piece.count for piece in pieces)
    going_on = larger(0.0, blocks - reads)
    added = nearest((granules - 1) * over(going_on, blocks - 1))
    share = smaller(1.0, over(added, smaller(reads, going_on)))
    whole, cut_reads, cut, of_cut = [], 0.0 * reads, 0.0 * reads, 0.0 * reads
    for piece in pieces:
        cut_reads = cut_reads + piece.count * share
        taken = smaller(piece.count, nearest(cut_reads) - cut)
        cut, of_cut = cut + taken, of_cut + taken * piece.blocks
        whole.append(Piece(piece.blocks, piece.count - taken))
    parts = smaller(of_cut, cut + added)
    small = floor_div(of_cut, larger(1, parts))
    longer = of_cut - small * parts
    return [*whole, Piece(small, parts - longer), Piece(small + 1, longer)]


def _cut(pieces: Sequence[Piece], added: Number, parts: Number) -> list[Piece]:
    """The mean part's reads where cuts have *added* some; one that is cut leaves two of half its size on average."""
    reads = sum(piece.count for piece in pieces)
    going_on = larger(0.0, sum(piece.blocks * piece.count for piece in pieces) - reads)
    cut = smaller(1.0, over(added, smaller(reads, going_on)))
    left = reads * cut + added
    mean = larger(1.0, over((reads + going_on) * cut, left))
    small = floor_div(mean, 1)
    return [
        *(Piece(piece.blocks, piece.count * (1.0 - cut) / parts) for piece in pieces),
        Piece(small, left * (1 - (mean - small)) / parts),
        Piece(small + 1, left * (mean - small) / parts),
    ]
