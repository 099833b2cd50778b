"""The reads of a session that is alone at device and processors, one after another: nobody takes turns with it."""

from __future__ import annotations

from model.laws import block_layer
from model.laws.page_cache import pages_of, place_of_page
from model.laws.turns import stretches_of
from model.loops.rows import GivenReals, GivenWholes, Reals, reals
from model.machine.device.drive import BoundedDrive
from model.machine.host.read_ahead import ReadAhead, Window
from model.machine.host.read_slots import ReadSlots

ELAPSED, SINGLE, READ, QUEUE, DEVICE, REQUESTS, BYTES, FIRST, LAST, BUSY = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
"""Columns of the sums, which are the fields of :class:`model.workloads.statements.followed.Followed`."""
SUMS = 10
NUMBERS = 13
"""That a session is given, see :meth:`LoneSessions.follow`."""


HIT_ROUNDING = 1e-12
MOST_TURNS = 64
"""Turns at a processor for blocks that need no read."""


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
    ahead: ReadAhead | None
    """What the host reads ahead of it; None where reads go past the page cache."""
    by_ext3: bool
    """Whether address blocks lie between the pages of the file."""
    reap_s: float
    """Of an asynchronous read, which blocks until its pages are there and is copied when it is reaped."""
    reaps: bool
    paces_s: GivenReals
    """CPU time for a wanted block, other time, copied bytes a second, hits of the page cache, blocks of a stretch."""
    hits: float

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
        self.ahead, self.by_ext3, self.reaps, self.reap_s, self.hits = None, False, False, 0.0, 0.0

    def read_through(
        self, ahead: ReadAhead, by_ext3: bool, reaps: bool, reap_s: float, paces_s: GivenReals
    ) -> None:
        """Read through the page cache."""
        self.ahead, self.by_ext3, self.reaps = ahead, by_ext3, reaps
        self.reap_s, self.paces_s = reap_s, paces_s

    def singles(self, blocks: GivenWholes) -> None:
        """Read blocks one by one before the scan."""
        for rank in range(len(blocks)):
            waited_s = self.now_s
            self.now_s = self._read(blocks[rank], 1, True)
            self.sums[SINGLE] += self.now_s - waited_s

    def one_by_one(self, firsts: GivenWholes, sizes: GivenWholes, blocks: int) -> None:
        """Wait for a read, work on its blocks; with the last of *blocks* goes what is left to work on."""
        self._cut(sizes, blocks)
        reads = min(self.reads, self.most_reads)
        for rank in range(reads):
            size = self._size(sizes, rank)
            waited_s = self.now_s
            self.now_s = self._read(firsts[rank], size, not self.reaps)
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
                done_s[handed] = self._read(firsts[handed], self._size(sizes, handed), False)
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
        if self.ahead is None:
            self.now_s += blocks * self.block_s
            return
        turns = 1
        if blocks > self.paces_s[4]:
            turns = min(MOST_TURNS, stretches_of(blocks, self.paces_s[4]))
        extra_s = self.reap_s + self._copy_s(read_blocks) if self.reaps and read_blocks > 0 else 0.0
        for _ in range(turns):
            self.now_s += (blocks * self.paces_s[0] + extra_s) / turns
            self.now_s += blocks * self.paces_s[1] / turns

    def _copy_s(self, blocks: int) -> float:
        copied_per_s: float = self.paces_s[2]
        return blocks * self.block_bytes / copied_per_s

    def _read(self, first: int, blocks: int, copies: bool) -> float:
        """When blocks are read; *copies*: and copied out of the page cache."""
        begin, end = first * self.block_bytes, (first + blocks) * self.block_bytes
        if self.ahead is None:
            return self._requested(self.now_s, begin, end)
        done_s = self._pages(self.ahead, begin, end)
        return done_s + self._copy_s(blocks) if copies else done_s

    def _pages(self, ahead: ReadAhead, begin: int, end: int) -> float:
        """When pages are there, after those that are read ahead before them."""
        now_s = self.now_s
        pages = pages_of(begin, end - begin, block_layer.PAGE_BYTES)
        page = has = int(pages.start)
        stop = int(pages.stop)
        while page < stop:
            holding, fresh = ahead.wanted(page, pages, page < has)
            for listed in fresh:
                window: Window = listed
                window.arrived = self._arrives_s(now_s, int(window.pages.start), int(window.pages.stop))
            if holding is None:
                page += 1
                continue
            held: Window = holding
            held_stop = int(held.pages.stop)
            has = max(has, held_stop)
            now_s = max(now_s, float(held.arrived))
            mark = held_stop if held.mark is None else int(held.mark)
            page = mark if page < mark < held_stop else held_stop
        ahead.passed(end // block_layer.PAGE_BYTES)
        return now_s

    def _arrives_s(self, now_s: float, start: int, stop: int) -> float:
        """When a window of pages is there; its share of hits is in the page cache already."""
        self.hits += self.paces_s[3]
        if self.hits >= 1 - HIT_ROUNDING:
            self.hits -= 1
            return now_s
        if not self.by_ext3:
            return self._requested(now_s, start * block_layer.PAGE_BYTES, stop * block_layer.PAGE_BYTES)
        done_s, begin, end = now_s, 0, 0
        for page in range(start, stop):
            at = place_of_page(page) * block_layer.PAGE_BYTES
            if at != end and end > begin:
                done_s = max(done_s, self._requested(now_s, begin, end))
            if at != end or page == start:
                begin = at
            end = at + block_layer.PAGE_BYTES
        return max(done_s, self._requested(now_s, begin, end))

    def _requested(self, now_s: float, begin: int, end: int) -> float:
        """When bytes are read, which the block layer cuts."""
        done_s = now_s
        self.sums[BYTES] += end - begin
        while begin < end:
            size = min(self.largest_bytes, end - begin)
            part_s = self.server.submit(now_s, False, begin, size)
            if part_s > self.busy_until_s:
                self.busy_s += part_s - max(now_s, self.busy_until_s)
                self.busy_until_s = part_s
            done_s = max(done_s, part_s)
            self.sums[REQUESTS] += 1
            begin += size
        self.sums[DEVICE] += done_s - now_s
        return done_s


class LoneSessions:
    """Sessions that are followed one after another, each alone at its drive."""

    block_bytes: int
    largest_bytes: int
    most_reads: int
    slots: int
    """Of asynchronous reads; 0 where a session waits for each read."""
    limit: int
    by_ext3: bool
    reaps: bool

    def __init__(  # noqa: PLR0913, PLR0917  (what sessions share)
        self,
        block_bytes: int,
        largest_bytes: int,
        most_reads: int,
        slots: int,
        limit: int,
        by_ext3: bool,
        reaps: bool,
    ) -> None:
        self.block_bytes, self.largest_bytes, self.most_reads = block_bytes, largest_bytes, most_reads
        self.slots, self.limit, self.by_ext3, self.reaps = slots, limit, by_ext3, reaps

    def follow(  # noqa: PLR0913, PLR0917  (what each session is given)
        self,
        drives: list[BoundedDrive],
        aheads: list[ReadAhead],
        singles: list[GivenWholes],
        firsts: list[GivenWholes],
        sizes: list[GivenWholes],
        numbers: GivenReals,
        sums: Reals,
    ) -> None:
        """Make all reads of each session, whose sums come into a row of *sums*.

        Its row of *numbers*: blocks that it reads one after another, wanted blocks, those for each that is read,
        blocks read, seconds for a wanted block, between two looks at its slots, for a reap, and of overhead for a read,
        and its paces. All may share one disk. *aheads* are those of the page cache, none where reads go past it.
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
            if len(aheads) > 0:
                ahead: ReadAhead = aheads[rank]
                session.read_through(
                    ahead, self.by_ext3, self.reaps, numbers[at + 6], numbers[at + 8 : at + NUMBERS]
                )
            session.singles(blocks_before)
            if self.slots > 0:
                session.asynchronously(
                    its_firsts, its_sizes, blocks, self.slots, self.limit, numbers[at + 5], numbers[at + 6]
                )
            else:
                session.one_by_one(its_firsts, its_sizes, blocks)
            session.whole(numbers[at + 3])
