"""Which transaction comes next, and which blocks it gets and changes: drawn in chunks, one stream for each chance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocktime.model.demand.transaction_demand import Data, KindDemand
from blocktime.model.laws import parallel_reads
from blocktime.model.loops import fastest
from blocktime.model.loops.arrays import GivenBytes, GivenWholes, row
from blocktime.model.sim.streams import stream, uniform
from blocktime.model.units import MIB

CHUNK = 512
EXTENT_BYTES = MIB  # hot blocks lie in whole extents, and those anywhere among the others
SPREAD = 2654435761
"""Odd, and so prime to a power of two; extents are spread over the disk by its multiples."""


DEVICE_BYTES = 2**52
"""From the first byte of a device to that of the next, more than any holds of the data."""
TURNS = 1000


@dataclass
class Chunk:
    """Transactions that are drawn together, in the order in which they begin."""

    kinds: GivenWholes
    begins: GivenWholes
    """Where the blocks of each begin, and end those of the one before."""
    firsts: GivenWholes
    """Of each, blocks of the first pool; they come first."""
    scan_from: GivenWholes
    """First block of its scan."""
    scan_blocks: GivenWholes
    """Number of blocks of the scan."""
    blocks: GivenWholes
    changes: GivenBytes


@dataclass
class HottestBlocks:
    """Blocks that transactions change most, which have the numbers behind all others."""

    changes: list[float]
    """Of a mean transaction of each kind."""
    first: int
    count: int
    draws: Iterator[float]

    def changed(self, kind: int) -> list[int]:
        """Which of them a transaction changes."""
        mean: float = self.changes[kind]
        if not mean:
            return []
        place: float = next(self.draws)
        changes: int = int(mean + place)
        blocks: list[int] = []
        for _ in range(changes):
            place = next(self.draws)
            blocks.append(self.first + int(place * self.count))
        return blocks


class References:
    """Transactions in the order in which they begin."""

    def __init__(self, kinds: list[KindDemand], data: Data, seed: int, hottest_blocks: int = 0) -> None:
        self._share = np.array([kind.share for kind in kinds], dtype=float)
        self._gets = np.array([kind.drawn_gets for kind in kinds], dtype=float)
        self._changes = np.array([kind.drawn_changes for kind in kinds], dtype=float)
        self._scans = np.array([kind.scan_blocks for kind in kinds], dtype=float)
        self.hottest = fastest(HottestBlocks)(
            [float(kind.hottest_changes) for kind in kinds],
            int(sum(data.blocks)),
            hottest_blocks,
            uniform(stream(seed, "hottest blocks")),
        )
        self._in_batches = [kind.parallel_fraction for kind in kinds]
        self._at_once = [kind.parallel_reads for kind in kinds]
        self._of_batches = stream(seed, "batches of reads")
        self._of_page_cache = stream(seed, "page cache")
        self._blocks = np.array(data.blocks, dtype=float)
        self._first = np.concatenate([[0.0], np.cumsum(self._blocks)])
        self._hot, self._every = int(data.blocks[0]), int(sum(data.blocks))
        self._below = np.cumsum(np.array(data.shares, dtype=float))[:-1]
        self._of_mix = stream(seed, "mix")
        self._of_counts = stream(seed, "gets")
        self.draws = self._of_places = stream(seed, "blocks")
        self._two_pools = len(data.pools) > 1

    def handed_over(self, kind: int, reads: int) -> list[int]:
        """How many of so many reads a transaction hands over at once, each time, in order by chance."""
        fraction = self._in_batches[kind]
        if not fraction or reads < parallel_reads.LEAST_AT_ONCE:
            return [1] * reads
        size_chance, last_chance = self._of_batches.random(2).tolist()
        sizes = parallel_reads.whole_sizes(self._at_once[kind])
        size = sizes[-1][0] if size_chance >= sizes[0][1] else sizes[0][0]
        full, last, chance = parallel_reads.batches_of(reads, fraction, size)
        batches = [size] * full + [last] * (last_chance < chance)
        batches += [1] * (reads - sum(batches))
        return [batches[place] for place in self._of_batches.permutation(len(batches)).tolist()]

    def not_found(self, blocks: list[int], found_fraction: float) -> list[int]:
        """Blocks of reads that the page cache does not answer, by chance."""
        if not found_fraction:
            return blocks
        chances = self._of_page_cache.random(len(blocks)).tolist()
        return [block for block, chance in zip(blocks, chances, strict=True) if chance >= found_fraction]

    def chunk(self) -> Chunk:
        """The next value."""
        kinds = self._deck()
        changes = _whole(self._changes[kinds], self._of_counts)
        gets = np.maximum(_whole(self._gets[kinds], self._of_counts), changes)
        begin = np.concatenate([[0], np.cumsum(gets)])
        blocks = self.blocks(int(begin[-1]))
        changed = np.arange(blocks.size) - np.repeat(begin[:-1], gets) < np.repeat(changes, gets)
        scanned = scans = np.zeros(CHUNK, dtype=np.int64)
        if self._scans.any():
            every = self._every
            scanned = np.minimum(_whole(self._scans[kinds], self._of_counts), every)
            scans = (self._of_places.random(CHUNK) * (every - scanned + 1)).astype(np.int64)
        first = gets
        if self._two_pools:
            whose, others = np.repeat(np.arange(CHUNK), gets), blocks >= self._hot
            order = np.lexsort((others, whose))
            blocks, changed = blocks[order], changed[order]
            first = gets - np.bincount(whose[others], minlength=CHUNK)
        rows = [row(np.ascontiguousarray(whole, np.int64)) for whole in (kinds, begin, first, scans, scanned, blocks)]
        rows.append(row(changed.view(np.uint8)))
        return fastest(Chunk)(*rows)

    def _deck(self) -> NDArray[np.int64]:
        """The kinds of a chunk: as many of each as its share wants, in any order, as from a deck of cards [tpc-c]."""
        at = (self._of_mix.random() + np.arange(CHUNK)) / CHUNK
        kinds = np.searchsorted(np.cumsum(self._share)[:-1], at, side="right")
        return self._of_mix.permutation(kinds)

    def blocks(self, count: int) -> NDArray[np.int64]:
        """*count* blocks that gets go to."""
        place = self._of_places.random(count)
        if self._hot == self._every:
            return (place * self._hot).astype(np.int64)
        chance, chosen = self._of_places.random(count), place * self._blocks[0]
        for group, below in enumerate(self._below, 1):
            chosen = np.where(chance >= below, self._first[group] + place * self._blocks[group], chosen)
        numbers: NDArray[np.int64] = chosen.astype(np.int64)
        return numbers


def _whole(mean: NDArray[np.float64], draws: np.random.Generator) -> NDArray[np.int64]:
    """Whole numbers next to means, the upper one as often as the mean is above the lower."""
    return np.floor(mean + draws.random(mean.size)).astype(np.int64)


class BlockLayout:
    """Where blocks lie: hot ones in whole extents, and those anywhere among the others.

    Extents go to the devices of the data by turns, as many of a thousand as the share of each says. The hottest blocks,
    whose numbers are behind all others', lie together, where the middle of the others is.
    """

    first_byte: int
    block_bytes: int
    _blocks: int
    _extent: int
    _extents: int
    _turns: int
    _device_of: list[int]
    _rank: list[int]
    _per_round: list[int]
    _on_device: list[int]
    _steps: list[int]

    def __init__(self, data: Data, first_byte: int = 0, shares: list[float] | None = None) -> None:
        self.first_byte = first_byte
        self.block_bytes = data.block_size_bytes
        self._extent = max(1, EXTENT_BYTES // self.block_bytes)
        self._blocks = int(sum(data.blocks))
        self._extents = max(1, self._blocks // self._extent)
        self._device_of = turns_of(shares or [1.0])
        self._turns = len(self._device_of)
        self._per_round = [self._device_of.count(device) for device in range(len(shares or [1.0]))]
        self._rank = [self._device_of[:turn].count(device) for turn, device in enumerate(self._device_of)]
        rounds, more = divmod(self._extents, self._turns)
        self._on_device = [
            max(1, rounds * each + self._device_of[:more].count(device)) for device, each in enumerate(self._per_round)
        ]
        self._steps = [step_of(extents) for extents in self._on_device]

    def byte_of(self, block: int) -> int:
        """First byte of a block; behind those of each device begin those of the next."""
        if block >= self._blocks:
            middle = self._blocks // 2
            block = middle + (block - self._blocks) % max(1, middle)
        extent: int = block // self._extent
        inside: int = block % self._extent
        turn: int = extent % self._turns
        device: int = self._device_of[turn]
        each: int = self._per_round[device]
        there: int = self._rank[turn]
        place: int = extent // self._turns * each + there
        if extent < self._extents:
            step: int = self._steps[device]
            extents: int = self._on_device[device]
            place = place * step % extents
        return device * DEVICE_BYTES + self.first_byte + (place * self._extent + inside) * self.block_bytes

    def runs(self, blocks: list[int], most: int) -> list[tuple[int, int]]:
        """First block and length of the reads of blocks in order, each of at most *most* in one extent."""
        runs: list[tuple[int, int]] = []
        first = length = 0
        for block in blocks:
            if length and block == first + length and length < most and block % self._extent:
                length += 1
                continue
            if length:
                runs.append((first, length))
            first, length = block, 1
        if length:
            runs.append((first, length))
        return runs


def turns_of(shares: list[float]) -> list[int]:
    """Which device the extents go to by turns: each as often of a thousand as its share, as evenly as can be."""
    if max(shares) >= 1:
        return [shares.index(max(shares))]
    due = [0.0] * len(shares)
    turns = []
    for _ in range(TURNS):
        due = [waiting + share for waiting, share in zip(due, shares, strict=True)]
        device = due.index(max(due))
        turns.append(device)
        due[device] -= 1
    return turns


def step_of(extents: int) -> int:
    """The step by which the extents of a device are spread over it: prime to their number."""
    step = SPREAD % extents
    while gcd(step, extents) != 1:
        step += 1
    return step


ROUND_BLOCKS = 2**40
"""More than any disk has: blocks that lie at one place have numbers so far apart."""


class ByPlace:
    """Blocks that are numbered by their places on the disk."""

    def __init__(self, block_bytes: int) -> None:
        self.block_bytes = block_bytes

    def byte_of(self, block: int) -> int:
        """First byte of a block."""
        return block % ROUND_BLOCKS * self.block_bytes


def place_limits(data: Any) -> int:
    """Bytes that the data take on the disk."""
    return int(sum(data.blocks)) * int(data.block_size_bytes)
