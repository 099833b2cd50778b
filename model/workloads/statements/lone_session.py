"""The reads of a session that is alone at device and processors, one after another: nobody takes turns with it."""

from __future__ import annotations

from model.loops.rows import GivenWholes, Reals, reals
from model.machine.device.drive import Bounded
from model.machine.host.read_slots import ReadSlots

ELAPSED, SINGLE, READ, QUEUE, DEVICE, REQUESTS, BYTES, FIRST = 0, 1, 2, 3, 4, 5, 6, 7
"""Columns of the sums."""
SUMS = 8


class LoneSession:
    """What :class:`model.workloads.statements.followed._Session` does where there is no other, without a scheduler."""

    server: Bounded
    block_bytes: int
    largest_bytes: int
    wanted_blocks: float
    each_blocks: float
    """Wanted blocks for each that is read."""
    block_s: float
    """Work on a wanted block."""
    half_reads: int
    """After so many the sums are kept as they stand then."""
    sums: Reals
    half: Reals
    half_blocks: int
    """Blocks read by then."""
    number: int
    blocks: int
    now_s: float
    done_blocks: float
    busy_s: float
    busy_until_s: float

    def __init__(  # noqa: PLR0913, PLR0917  (what a session is given)
        self,
        server: Bounded,
        block_bytes: int,
        largest_bytes: int,
        wanted_blocks: float,
        each_blocks: float,
        block_s: float,
        half_reads: int,
        sums: Reals,
        half: Reals,
    ) -> None:
        self.server = server
        self.block_bytes, self.largest_bytes = block_bytes, largest_bytes
        self.wanted_blocks, self.each_blocks, self.block_s = wanted_blocks, each_blocks, block_s
        self.half_reads, self.sums, self.half = half_reads, sums, half
        self.half_blocks = self.number = self.blocks = 0
        self.now_s = self.done_blocks = self.busy_s = self.busy_until_s = 0.0

    def singles(self, blocks: GivenWholes) -> None:
        """Read blocks one by one before the scan."""
        for rank in range(len(blocks)):
            waited_s = self.now_s
            self.now_s = self._requested(blocks[rank], 1)
            self.sums[SINGLE] += self.now_s - waited_s

    def one_by_one(self, firsts: GivenWholes, sizes: GivenWholes, all_of_them: bool) -> None:
        """Wait for a read, work on its blocks; *all_of_them*: with the last goes what is left to work on."""
        reads = len(firsts)
        for rank in range(reads):
            waited_s = self.now_s
            self.now_s = self._requested(firsts[rank], sizes[rank])
            self._counted(self.now_s - waited_s, sizes[rank])
            self._worked(sizes[rank], all_of_them and rank == reads - 1)
            self._halved()
        if self.done_blocks == 0.0:
            self._worked(0, True)
        self.sums[ELAPSED] = self.now_s

    def asynchronously(  # noqa: PLR0913, PLR0917  (what a session is given)
        self,
        firsts: GivenWholes,
        sizes: GivenWholes,
        most: int,
        count: int,
        limit: int,
        every_s: float,
        reap_s: float,
    ) -> None:
        """Keep as many reads under way as there are slots, and wait for the oldest; *most* of them.

        From the half on, which stands for all reads, it looks *every_s* whether it needs more than *count* slots.
        """
        reads, handed = len(firsts), 0
        done_s: Reals = reals(reads, 0.0)
        grows = False
        slots: ReadSlots = ReadSlots(count, limit, 0.0, every_s)
        while self.number < most:
            while handed < reads and handed - self.number < slots.count:
                done_s[handed] = self._requested(firsts[handed], sizes[handed])
                handed += 1
            rank = self.number
            if handed == rank:
                break
            waited_s = max(0.0, done_s[rank] - self.now_s)
            self.now_s = max(self.now_s, done_s[rank])
            self._counted(waited_s, sizes[rank])
            if grows:
                slots.reaped(self.now_s, waited_s)
            elif self.number >= self.half_reads:
                grows, slots = True, ReadSlots(count, limit, self.now_s, every_s)
            self._worked(sizes[rank], False)
            self.now_s += reap_s
            self._halved()
        if handed == self.number:
            self._worked(0, True)
        self.sums[ELAPSED] = self.now_s

    def _counted(self, waited_s: float, blocks: int) -> None:
        self.number += 1
        self.blocks += blocks
        self.sums[READ] += waited_s
        if self.number == 1:
            self.sums[FIRST] = waited_s

    def _halved(self) -> None:
        if self.half_blocks == 0 and self.number >= self.half_reads:
            self.sums[ELAPSED] = self.now_s
            for column in range(SUMS):
                self.half[column] = self.sums[column]
            self.half_blocks = self.blocks

    def _worked(self, read_blocks: int, last: bool) -> None:
        """Work on the wanted blocks of a read; the *last* brings all that are left."""
        left = self.wanted_blocks - self.done_blocks
        blocks = left if last else min(read_blocks * self.each_blocks, left)
        self.done_blocks += blocks
        self.now_s += blocks * self.block_s

    def _requested(self, first: int, blocks: int) -> float:
        """When blocks are read, which the block layer cuts."""
        begin, end = first * self.block_bytes, (first + blocks) * self.block_bytes
        done_s = self.now_s
        while begin < end:
            size = min(self.largest_bytes, end - begin)
            part_s = self.server.submit(self.now_s, False, begin, size)
            if part_s > self.busy_until_s:
                self.busy_s += part_s - max(self.now_s, self.busy_until_s)
                self.busy_until_s = part_s
            done_s = max(done_s, part_s)
            self.sums[REQUESTS] += 1
            begin += size
        self.sums[BYTES] += blocks * self.block_bytes
        self.sums[DEVICE] += done_s - self.now_s
        return done_s
