"""A segment of a statement in the machine's buffer cache: the blocks that its sessions get, change and make."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import simpy
from numpy.typing import NDArray

from blocktime.model.causes import FREE_BUFFERS, SCATTERED
from blocktime.model.kernels.buffer_kernel import BUFFER_BYTES, PLACE_BYTES
from blocktime.model.sim.pool import BufferPool, references
from blocktime.model.sim.references import ROUND_BLOCKS
from blocktime.model.workloads.statements.read_positions import Read
from blocktime.model.workloads.statements.session_counts import StatementLedger

Step = Generator[simpy.Event, Any, None]
Changes = NDArray[np.bool_]
ASK_NS: Final = 10_000
"""Work of asking the cache for a stretch of blocks; each 300 blocks in it take as long again."""


@dataclass(slots=True)
class CachedSegment:
    """A segment in the machine's buffer cache."""

    pool: BufferPool
    first_block: int
    """Number of the datafile's first block among all blocks of the cache."""
    changed_share: float
    """Of the blocks that are got, those that are changed."""
    fresh: int
    """The next block that sessions fill."""
    undo_place: tuple[int, float]
    """Number of the next undo block among all blocks of the cache, and undo blocks for each block worked on."""
    changed: float = 0.0
    """Of a block that is still to be changed."""
    undo: float = 0.0
    """Of an undo block that is still to be begun."""

    def get(self, ledger: StatementLedger, read: Read, event: str, wait: Callable[[Read, str], Step]) -> Step:
        """Get the blocks of a read in the buffer cache, and *wait* for reads of those that are not there.

        Blocks of a multiblock read enter at the cold end.
        """
        first, blocks = read
        aside = np.ones(blocks, bool) if event == SCATTERED else None
        missed = yield from self._got(ledger, first, self._changes(blocks), aside)
        begin = 0
        while begin < len(missed):
            end = begin + 1
            while end < len(missed) and missed[end] == missed[end - 1] + 1:
                end += 1
            yield from wait(((missed[begin] - self.first_block) % ROUND_BLOCKS, end - begin), event)
            begin = end

    def _changes(self, blocks: int) -> Changes:
        """Which of so many blocks the session changes: its share of them, evenly."""
        upto = self.changed + self.changed_share * np.arange(blocks + 1)
        self.changed = float(upto[-1] % 1.0)
        changed: Changes = np.diff(np.floor(upto + 1e-9)) > 0
        return changed

    def fill(self, ledger: StatementLedger, blocks: float) -> Step:
        """New blocks are made in the buffer cache, where DBWR will write them."""
        begin, count = self.fresh, max(1, round(blocks))
        self.fresh += count
        yield from self._got(ledger, begin, np.ones(count, bool), None)

    def fill_undo(self, ledger: StatementLedger, worked: float) -> Step:
        """The undo of *worked* blocks fills new blocks of an undo segment."""
        place, each = self.undo_place
        self.undo += worked * each
        if count := int(self.undo):
            self.undo -= count
            self.undo_place = place + count, each
            yield from self._got(ledger, place - self.first_block, np.ones(count, bool), None)

    def _got(
        self, ledger: StatementLedger, first: int, changes: Changes, aside: Changes | None
    ) -> Generator[simpy.Event, Any, list[int]]:
        """Get a stretch of blocks from *first* on; those that have to be read."""
        env, blocks, late_s = self.pool.env, len(changes), list[float]()
        env.watch.at(env.now, ASK_NS + ASK_NS * blocks // 300)
        numbers = np.arange(self.first_block + first, self.first_block + first + blocks)
        touched = self.pool.buffers.touched
        before = touched.inside
        missed: list[int] = yield from self.pool.get(*references(numbers, changes, aside), late_s)
        env.watch.hold((BUFFER_BYTES - PLACE_BYTES) * (touched.inside - before))
        for waited_s in late_s:
            ledger.wait(FREE_BUFFERS, waited_s)
        return missed


class FreshBlocks:
    """Blocks from *first* to before *end* that nobody has read yet of those who are not to come to a block twice.

    When all are read, the others that are read are those of an index, or have left the cache since: they lie there,
    too, and have numbers of their own.
    """

    def __init__(self, first: int, end: int) -> None:
        self._first, self._end = first, end
        self._number = 0
        self._behind: dict[int, int] = {}
        """For each block that was read one behind it, to be looked at next."""

    def of(self, reads: Iterator[Read]) -> Iterator[Read]:
        """Reads of single blocks, each at the next one that was not read yet."""
        behind = self._behind
        for place, blocks in reads:
            if len(behind) == self._end - self._first:
                behind.clear()
                self._number += ROUND_BLOCKS
            met, block = [], place
            while block in behind:
                met.append(block)
                block = behind[block]
            following = block + 1 if block + 1 < self._end else self._first
            behind.update(dict.fromkeys((*met, block), following))
            yield self._number + block, blocks
