"""Work areas of sorts and hash joins: the memory of one, and what it writes to the temporary tablespace and reads back.

A sort fills its memory again and again and writes each filling as a sorted run; then it merges as many runs at once as
it has read buffers for. Sums are in bytes.
"""

from __future__ import annotations

from math import ceil, floor, log2, sqrt
from typing import Final, NamedTuple

from blocktime.model.units import GIB, KIB, MIB

LARGER_SINCE: Final = (10, 2)
LARGEST_SINCE: Final = (11, 1)
MOST_IO_BYTES: Final = 248 * KIB
"""Largest read and write of temp, 31 blocks of 8K [ric-temp-writes]: _smm_auto_max_io_size."""
LEAST_IO_BYTES: Final = 56 * KIB
"""Smallest one, to which read buffers shrink before a merge takes a further pass: general knowledge of
_smm_auto_min_io_size."""
ROW_OVERHEAD_BYTES: Final = 12
"""Of a row in a work area, beside its columns: its length, its place and the sort key's: general knowledge."""
LEAST_PARTITIONS: Final = 8
"""Partitions of a hash join that spills, at least, and a power of 2: general knowledge."""
LEAST_BLOCKS_BY_HAND: Final = 2
"""Blocks of the smallest read buffer of a work area that is set by hand: SORT_MULTIBLOCK_READ_COUNT
[oracle-reference]."""
LEAST_BUFFERS: Final = 3
"""Buffers of a work area at least: two runs that are read, and one that is written."""


def work_area_bytes(pga_bytes: float, release: tuple[int, ...], areas: float) -> float:
    """Most memory of one serial work area under PGA_AGGREGATE_TARGET, which *areas* active ones share.

    Before 10.2 5 % of the target, at most 100 MB [stoyanov-pga]. Since 10.2 20 % up to a target of 500 MB, 100 MB up to
    1,000 MB and 10 % beyond [decker-pga, hatem-pga], at most 240 MB [debes-pga]; since 11.1 at most 1 GB (general
    knowledge).
    """
    if release < LARGER_SINCE:
        limit = min(0.05 * pga_bytes, 100 * MIB)
    else:
        limit = 0.2 * pga_bytes if pga_bytes <= 500 * MIB else max(100 * MIB, 0.1 * pga_bytes)
        limit = min(limit, GIB if release >= LARGEST_SINCE else 240 * MIB)
    return min(limit, pga_bytes / areas)


class Spill(NamedTuple):
    """What a work area does beyond its memory."""

    memory_bytes: float
    """That it uses."""
    written_bytes: float = 0.0
    read_bytes: float = 0.0
    runs: int = 1
    """Sorted runs, or partitions of a hash join."""
    width: int = 1
    """Runs that are merged at once."""
    io_bytes: float = MOST_IO_BYTES
    passes: int = 0
    """As V$SQL_WORKAREA counts them: 0 is optimal, 1 one pass, more multipass."""
    optimal_bytes: float = 0.0
    """Memory of an optimal execution, and of one pass."""
    one_pass_bytes: float = 0.0

    @property
    def moved_bytes(self) -> float:
        """To temp and back."""
        return self.written_bytes + self.read_bytes


class AreaMemory(NamedTuple):
    """The memory of a work area, in blocks of so many bytes, and the smallest buffer that it reads temp with."""

    memory_bytes: float
    block_bytes: int
    least_io_bytes: float = LEAST_IO_BYTES

    def io_bytes(self, buffers: int) -> int:
        """Bytes of each of so many buffers, whole blocks: as large as the memory allows, within what Oracle takes."""
        memory, block = self.memory_bytes, self.block_bytes
        limits = MOST_IO_BYTES, min(self.least_io_bytes, memory / LEAST_BUFFERS), memory / buffers
        most, least, each = (max(1, int(limit) // block) * block for limit in limits)
        return max(least, min(most, each))


def times_written(runs: int, width: int) -> float:
    """How often each byte of *runs* equal runs is written, where *width* of them are merged at once: 0 of one run.

    Each run is written once, and those that the last merge cannot take are merged first, the fewest possible (the
    optimal merge pattern): the mean depth of a tree of *runs* leaves and *width* branches. With w^L ≤ n that is
    L + (n - w^L + ⌈(n - w^L)/(w - 1)⌉)/n.
    """
    if runs <= 1:
        return 0.0
    levels, whole = 0, 1
    while whole * width <= runs:
        levels, whole = levels + 1, whole * width
    beyond = runs - whole
    return levels + (beyond + ceil(beyond / (width - 1))) / runs


def merge_width(memory_bytes: float, io_bytes: float) -> int:
    """Runs that one merge takes: a read buffer each, and one to write."""
    return max(2, floor(memory_bytes / io_bytes) - 1)


def one_pass_bytes(volume_bytes: float) -> float:
    """Least memory of one pass: ⌈V/M⌉ runs, each with a smallest buffer."""
    return min(volume_bytes, max(LEAST_BUFFERS * LEAST_IO_BYTES, sqrt(volume_bytes * LEAST_IO_BYTES)))


def sort_spill(volume_bytes: float, area: AreaMemory) -> Spill:
    """What a sort of *volume_bytes* writes and reads: all that it writes is read once."""
    needs = volume_bytes, one_pass_bytes(volume_bytes)
    runs, memory_bytes = ceil(volume_bytes / area.memory_bytes), area.memory_bytes
    if runs <= 1:
        return Spill(volume_bytes, optimal_bytes=needs[0], one_pass_bytes=needs[1])
    io = area.io_bytes(runs + 1)
    width = merge_width(memory_bytes, io)
    written = volume_bytes * times_written(runs, width)
    return Spill(memory_bytes, written, written, runs, width, io, ceil(times_written(runs, width) - 1e-9), *needs)


def hash_spill(build_bytes: float, probe_bytes: float, area: AreaMemory) -> Spill:
    """What a hash join writes and reads: the partitions of both sides that have no room in memory.

    The build side is cut into partitions, each of which should fit; as many as have room stay in memory. The others are
    written with their rows of the probe side, and joined one after another; where a partition has no room itself, it is
    taken in ⌈partition/M⌉ parts, and the probe side's is read for each.
    """
    needs, memory_bytes = (build_bytes, one_pass_bytes(build_bytes)), area.memory_bytes
    if build_bytes <= memory_bytes:
        return Spill(build_bytes, optimal_bytes=needs[0], one_pass_bytes=needs[1])
    wanted = 2 ** ceil(log2(build_bytes / memory_bytes))
    most = 2 ** floor(log2(max(2.0, memory_bytes / area.least_io_bytes)))
    partitions = min(most, max(LEAST_PARTITIONS, 2 * wanted))
    io = area.io_bytes(2 * partitions)
    each = build_bytes / partitions
    resident = max(0, floor((memory_bytes - partitions * io) / each))
    spilled, rounds = 1 - resident / partitions, ceil(each / memory_bytes)
    return Spill(
        memory_bytes,
        spilled * (build_bytes + probe_bytes),
        spilled * (build_bytes + rounds * probe_bytes),
        partitions,
        partitions,
        io,
        rounds,
        *needs,
    )
