"""The reads of a session that is alone at device and processors, one after another: nobody takes turns with it."""

from __future__ import annotations

from model.loops.rows import GivenReals, GivenWholes, Reals, reals
from model.machine.device.drive import BoundedDrive
from model.machine.host.read_slots import ReadSlots

ELAPSED, SINGLE, READ, QUEUE, DEVICE, REQUESTS, BYTES, FIRST, LAST, BUSY = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
"""Columns of the sums, which are the fields of :class:`model.workloads.statements.followed.Followed`."""
SUMS = 10
NUMBERS = 8
"""That a session is given, see :meth:`LoneSessions.follow`."""


class LoneSession:
    """What :class:`model.workloads.statements.followed._Session` does where there is no other, without a scheduler."""

    server: BoundedDrive
    block_bytes: int
    largest_bytes: int
    wanted_blocks: float
    each_blocks: float
    """Wanted blocks for each that is read."""
    block_s: float
    """Work on a wanted block."""
    most_reads: int
    """Reads that are followed; at the half of them the sums are kept as they stand then."""
    half_reads: int
    reads: int
    """Of those that are handed in."""
    last_blocks: int
    """Of the last one."""
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
        server: BoundedDrive,
        block_bytes: int,
        largest_bytes: int,
        wanted_blocks: float,
        each_blocks: float,
        block_s: float,
        most_reads: int,
        sums: Reals,
    ) -> None:
        self.server = server
        self.block_bytes, self.largest_bytes = block_bytes, largest_bytes
        self.wanted_blocks, self.each_blocks, self.block_s = wanted_blocks, each_blocks, block_s
        self.most_reads, self.half_reads = most_reads, most_reads // 2
        self.sums, self.half = sums, reals(SUMS, 0.0)
        self.half_blocks = self.number = self.blocks = self.reads = self.last_blocks = 0
        self.now_s = self.done_blocks = self.busy_s = self.busy_until_s = 0.0

    def singles(self, blocks: GivenWholes) -> None:
        """Read blocks one by one before the scan."""
        for rank in range(len(blocks)):
            waited_s = self.now_s
            self.now_s = self._requested(blocks[rank], 1)
            self.sums[SINGLE] += self.now_s - waited_s

    def one_by_one(self, firsts: GivenWholes, sizes: GivenWholes, blocks: int) -> None:
        """Wait for a read, work on its blocks; with the last of *blocks* goes what is left to work on."""
        self._cut(sizes, blocks)
        reads = min(self.reads, self.most_reads)
        for rank in range(reads):
            size = self._size(sizes, rank)
            waited_s = self.now_s
            self.now_s = self._requested(firsts[rank], size)
            self._counted(self.now_s - waited_s, size)
            self._worked(size, self.blocks == blocks)
            self._halved()
        if self.done_blocks == 0.0:
            self._worked(0, True)
        self.sums[ELAPSED] = self.now_s

    def asynchronously(  # noqa: PLR0913, PLR0917  (what a session is given)
        self,
        firsts: GivenWholes,
        sizes: GivenWholes,
        blocks: int,
        count: int,
        limit: int,
        every_s: float,
        reap_s: float,
    ) -> None:
        """Keep as many reads of *blocks* under way as there are slots, and wait for the oldest.

        From the half on, which stands for all reads, it looks *every_s* whether it needs more than *count* slots.
        """
        self._cut(sizes, blocks)
        reads, handed = self.reads, 0
        done_s: Reals = reals(reads, 0.0)
        grows = False
        slots: ReadSlots = ReadSlots(count, limit, 0.0, every_s)
        while self.number < self.most_reads:
            while handed < reads and handed - self.number < slots.count:
                done_s[handed] = self._requested(firsts[handed], self._size(sizes, handed))
                handed += 1
            rank = self.number
            if handed == rank:
                break
            size = self._size(sizes, rank)
            waited_s = max(0.0, done_s[rank] - self.now_s)
            self.now_s = max(self.now_s, done_s[rank])
            self._counted(waited_s, size)
            if grows:
                slots.reaped(self.now_s, waited_s)
            elif self.number >= self.half_reads:
                grows, slots = True, ReadSlots(count, limit, self.now_s, every_s)
            self._worked(size, False)
            self.now_s += reap_s
            self._halved()
        if handed == self.number:
            self._worked(0, True)
        self.sums[ELAPSED] = self.now_s

    def whole(self, read_blocks: float) -> None:
        """Let the sums be those of all *read_blocks*: what was not followed takes as long as the later half."""
        played_s, left = self.sums[ELAPSED], 0.0
        if self.number >= self.most_reads:
            left = max(0.0, read_blocks - self.blocks)
        times = left / max(1, self.blocks - self.half_blocks)
        for column in range(FIRST):
            self.sums[column] += times * (self.sums[column] - self.half[column])
        last_s = self.sums[ELAPSED]
        self.sums[LAST] = last_s
        self.sums[BUSY] = min(last_s, self.busy_s * last_s / max(played_s, 1e-300))

    def _cut(self, sizes: GivenWholes, blocks: int) -> None:
        """How many of the reads, and how much of the last of them, are of the first *blocks* blocks."""
        left = blocks
        while self.reads < len(sizes) and left > 0:
            self.last_blocks = min(sizes[self.reads], left)
            left -= self.last_blocks
            self.reads += 1

    def _size(self, sizes: GivenWholes, rank: int) -> int:
        return sizes[rank] if rank < self.reads - 1 else self.last_blocks

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


class LoneSessions:
    """Sessions that are followed one after another, each alone at its drive."""

    block_bytes: int
    largest_bytes: int
    most_reads: int
    slots: int
    """Of asynchronous reads; 0 where a session waits for each read."""
    limit: int

    def __init__(self, block_bytes: int, largest_bytes: int, most_reads: int, slots: int, limit: int) -> None:
        self.block_bytes, self.largest_bytes, self.most_reads = block_bytes, largest_bytes, most_reads
        self.slots, self.limit = slots, limit

    def follow(
        self,
        drives: list[BoundedDrive],
        singles: list[GivenWholes],
        firsts: list[GivenWholes],
        sizes: list[GivenWholes],
        numbers: GivenReals,
        sums: Reals,
    ) -> None:
        """Make all reads of each session, whose sums come into a row of *sums*.

        Its row of *numbers*: blocks that it reads one after another, wanted blocks, those for each that is read,
        blocks read, seconds for a wanted block, between two looks at its slots, for a reap, and of overhead for a read.
        All may share one disk.
        """
        for rank in range(len(singles)):
            drive: BoundedDrive = drives[min(rank, len(drives) - 1)]
            blocks_before: GivenWholes = singles[rank]
            its_firsts: GivenWholes = firsts[rank]
            its_sizes: GivenWholes = sizes[rank]
            at = rank * NUMBERS
            drive.at_rest(numbers[at + 7])
            blocks = int(numbers[at])
            session: LoneSession = LoneSession(
                drive, self.block_bytes, self.largest_bytes, numbers[at + 1], numbers[at + 2], numbers[at + 4],
                self.most_reads, sums[rank * SUMS : (rank + 1) * SUMS],
            )  # fmt: skip
            session.singles(blocks_before)
            if self.slots > 0:
                session.asynchronously(
                    its_firsts, its_sizes, blocks, self.slots, self.limit, numbers[at + 5], numbers[at + 6]
                )
            else:
                session.one_by_one(its_firsts, its_sizes, blocks)
            session.whole(numbers[at + 3])
