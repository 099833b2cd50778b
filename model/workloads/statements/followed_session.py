"""Sessions whose reads are followed: they take turns at a drive and at processors, without a queue."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from math import inf
from typing import Any

from blocktime.model.laws.block_layer import PAGE_BYTES
from blocktime.model.laws.device import copy_time_s
from blocktime.model.laws.page_cache import next_address_block, place_of_page
from blocktime.model.laws.turns import stretches_of
from blocktime.model.loops.rows import GivenReals, GivenWholes, Reals, Wholes, longer, reals, wholes
from blocktime.model.machine.device.drive import BoundedDrive
from blocktime.model.machine.device.elevator import IDLE_S, NEAR_BYTES, SYNC_SLICE_S
from blocktime.model.machine.device.servers import Servers
from blocktime.model.machine.host.read_ahead import PagedRead, ReadAhead, Window
from blocktime.model.machine.host.read_slots import ReadSlots

ELAPSED, SINGLE, READ, QUEUE, DEVICE, REQUESTS, BYTES, FIRST, LAST, BUSY = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
"""Columns of the sums, which are the fields of :class:`model.workloads.statements.followed.SessionMeans`."""
MEANS = 10
BLOCKS, SLICES = 10, 11
"""Blocks that a session has read, and how often the scheduler has given it the drive after another one."""
SUMS = 12
WANTED, EACH, SCANNED, CPU, OTHER, STRETCH, LOOKS, REAP, POST = 0, 1, 2, 3, 4, 5, 6, 7, 8
COPIES, HITS, GIVEN, OVERHEAD = 9, 10, 11, 12
"""Numbers of a session: wanted blocks, those for each block that is read, and blocks of all reads; CPU and other time
of a wanted block; blocks of a stretch; time between two looks at its slots; time of a reap, as CPU and as a wait;
bytes a second that it copies out of the page cache, and windows that are there; blocks of the reads that it is given,
of which the last may be a part; overhead of a read.
"""
NUMBERS = 13
ROOM = 64
HIT_ROUNDING = 1e-12
MOST_BEYOND = 3
"""Times its share that a session reads at most while others are behind."""
MOST_TURNS = 64
"""Turns at a processor for blocks that need no read."""
ONE_BY_ONE, SCANNING, COUNTING, WORKING, HALVING, ENDING = 0, 1, 2, 3, 4, 5
"""What a session does next."""


class FollowedMachine:
    """What sessions share: a drive, which its scheduler may keep for one of them, and processors."""

    block_bytes: int
    largest_bytes: int
    most_reads: int
    """Of each session; at the half of them its sums are kept as they stand then."""
    slots: int
    """Reads that it has under way."""
    slots_limit: int
    overlaps: bool
    """Whether it works meanwhile."""
    through_page_cache: bool
    copies_later: bool
    """Whether it copies pages when it works, and not while it waits for them."""
    ext3: bool
    idles: bool
    """Whether the scheduler keeps the drive for a session that goes on near where it was [linux-cfq]."""
    alone: bool
    """Whether it has one session, which works on its blocks in one go and reads past the page cache."""
    processors: Servers
    users: int
    behind: int
    """Sessions that have not made their share of the reads yet."""
    _drive: BoundedDrive
    _busy_s: float
    _busy_until_s: float
    _whose: int
    """The session that had the drive last."""
    _until_s: float
    _slice_ends_s: float
    _near: bool

    def __init__(
        self,
        block_bytes: int,
        largest_bytes: int,
        most_reads: int,
        slots: int,
        slots_limit: int,
        overlaps: bool,
    ) -> None:
        self.block_bytes, self.largest_bytes, self.most_reads = block_bytes, largest_bytes, most_reads
        self.slots, self.slots_limit, self.overlaps = slots, slots_limit, overlaps
        self.through_page_cache = self.copies_later = self.ext3 = self.idles = self.alone = False

    def begin(self, drive: BoundedDrive, processors: Servers, users: int) -> None:
        """Be at rest, with such parts and so many sessions to come."""
        self._drive, self.processors, self.users, self.behind = drive, processors, users, users
        self._busy_s = self._busy_until_s = self._until_s = self._slice_ends_s = 0.0
        self._whose, self._near = -1, False

    def play_each(  # noqa: PLR0913, PLR0917  (what each session is given)
        self,
        drives: list[BoundedDrive],
        aheads: list[ReadAhead],
        singles: list[list[int]],
        firsts: list[GivenWholes],
        sizes: list[GivenWholes],
        numbers: GivenReals,
        means: Reals,
    ) -> None:
        """Let sessions go on each alone, one after another; each has a row of *numbers* and of *means*.

        All may share one disk. *aheads* are those of the page cache, none where reads go past it.
        """
        session: FollowedSession = FollowedSession(self, 0)
        processors: Servers = Servers(1)
        for rank in range(len(singles)):
            drive: BoundedDrive = drives[min(rank, len(drives) - 1)]
            its_firsts: GivenWholes = firsts[rank]
            its_sizes: GivenWholes = sizes[rank]
            at = rank * NUMBERS
            drive.at_rest(numbers[at + OVERHEAD])
            self.begin(drive, processors, 1)
            session.ahead = aheads[rank] if len(aheads) > 0 else None
            session.begin(0.0, numbers[at : at + NUMBERS], singles[rank], its_firsts, its_sizes)
            session.goes_on()
            self.sum_up([session], means[rank * MEANS : (rank + 1) * MEANS])

    def play(self, sessions: list[FollowedSession], means: Reals) -> None:
        """Let the session that is ready first go on, until all are done; the means of all."""
        waiting = [(each.begin_s, each.begin_s, rank, each) for rank, each in enumerate(sessions)]
        heapify(waiting)
        session: FollowedSession
        while waiting:
            now_s, _, rank, session = heappop(waiting)
            if session.goes_on():
                heappush(waiting, (session.now_s, now_s, rank, session))
        self.sum_up(sessions, means)

    def sum_up(self, sessions: list[FollowedSession], means: Reals) -> None:
        """The means of all sessions, when they are done."""
        first_s: float = inf
        played_s = last_s = 0.0
        session: FollowedSession
        for session in sessions:
            first_s = min(first_s, session.begin_s)
            played_s = max(played_s, session.sums[ELAPSED] + session.begin_s)
            session.sum_up()
            last_s = max(last_s, session.sums[ELAPSED] + session.begin_s)
            for column in range(LAST):
                means[column] += session.sums[column]
        for column in range(LAST):
            means[column] /= len(sessions)
        means[LAST] = last_s - first_s
        means[BUSY] = min(means[LAST], self._busy_s * means[LAST] / max(played_s - first_s, 1e-300))

    def free_s(self, rank: int, now_s: float) -> float:
        """From when on a session may have the drive."""
        if not self._near or (rank == self._whose and now_s < self._slice_ends_s):
            return now_s
        return max(now_s, min(self._until_s, self._slice_ends_s))

    def has_taken(self, rank: int, now_s: float, done_s: float, near: bool) -> bool:
        """A session has had a request served; whether another one had the drive before."""
        after_another = rank != self._whose
        if after_another or now_s >= self._slice_ends_s:
            self._whose, self._slice_ends_s = rank, now_s + SYNC_SLICE_S
        self._near, self._until_s = near, done_s + IDLE_S
        return after_another

    def submit(self, now_s: float, place: int, size: int) -> float:
        """When a request is done."""
        done_s = self._drive.submit(now_s, False, place, size)
        if done_s > self._busy_until_s:
            self._busy_s += done_s - max(now_s, self._busy_until_s)
            self._busy_until_s = done_s
        return done_s


class FollowedSession:
    """One session, as :class:`model.workloads.statements.session.Session` has it, without a queue."""

    begin_s: float
    now_s: float
    """When it goes on."""
    sums: Reals
    """Behind them they stand once more, as they were at the half of the reads."""
    together: Any
    """How many reads it waits for at once, one number after another; None: for each."""
    leaves: Any
    ahead: ReadAhead | None
    _machine: FollowedMachine
    _rank: int
    _numbers: GivenReals
    _firsts: GivenWholes
    """First blocks of its reads, or of so many that are followed, and their sizes."""
    _sizes: GivenWholes
    _reads: int
    """Of those that it is given, and blocks of the last."""
    _last_blocks: int
    _handed: int
    """Reads that it has asked for, and those that it has waited for."""
    _number: int
    _done_blocks: float
    _asked_reads: int
    """Reads that it waits for, and their blocks."""
    _asked_blocks: int
    _next: int
    """What it does next, and behind the blocks that it reads one by one."""
    _then: int
    _singles: list[int]
    _single: int
    _waits: bool
    _waited_s: float
    """When the wait began."""
    _looks: bool
    """Whether it has waited for the moment and looks once more for its reads."""
    _paged: PagedRead | None
    """What it waits for, if that goes through the page cache."""
    _group: int
    """Of requests, for which it asks or waits."""
    _groups: int
    _groups_of: Wholes
    """Of reads under way."""
    _done_s: Reals
    """When groups are read; below 0 where one waits until the scheduler gives the session the drive."""
    _pending: list[tuple[int, int, int]]
    """What does so: group, place and bytes."""
    _slots: ReadSlots
    _hits: float
    _after_work: int
    """What it does next behind so many turns of work."""
    _turns: int
    _turn_blocks: float
    _turn_cpu_s: float
    _turn_other_s: float
    _last_end: int

    def __init__(self, machine: FollowedMachine, rank: int) -> None:
        self._machine, self._rank = machine, rank
        self.sums, self._groups_of = reals(2 * SUMS, 0.0), wholes(machine.slots_limit, 0)
        self._done_s = reals(ROOM + machine.most_reads + machine.slots_limit, 0.0)
        self._slots = ReadSlots(machine.slots, machine.slots_limit, 0.0, inf)
        self.together = self.leaves = self.ahead = None

    def begin(
        self,
        begin_s: float,
        numbers: GivenReals,
        singles: list[int],
        firsts: GivenWholes,
        sizes: GivenWholes,
    ) -> None:
        """Have made no read yet."""
        self._numbers, self._singles, self._firsts, self._sizes = numbers, singles, firsts, sizes
        self.begin_s = self.now_s = self._waited_s = begin_s
        for column in range(2 * SUMS):
            self.sums[column] = 0.0
        self._next, self._then, self._after_work, self._paged = ONE_BY_ONE, SCANNING, ENDING, None
        self._waits, self._looks, self._last_end, self._asked_reads = False, False, -1, 1
        self._handed = self._number = self._asked_blocks = self._turns = 0
        self._single = self._group = self._groups = self._reads = self._last_blocks = 0
        self._done_blocks = self._hits = self._turn_blocks = self._turn_cpu_s = self._turn_other_s = 0.0
        self._pending, machine = [], self._machine
        if machine.overlaps:
            self._slots = ReadSlots(machine.slots, machine.slots_limit, begin_s, inf)
        left = int(numbers[GIVEN])
        while self._reads < len(sizes) and left > 0:
            self._last_blocks = min(sizes[self._reads], left)
            left -= self._last_blocks
            self._reads += 1

    def goes_on(self) -> bool:
        """Go on to a moment, *now_s*, before which others may come; False once it is done."""
        while self._next != ENDING:
            if self._next == ONE_BY_ONE:
                others_may_come = self._read_single()
            elif self._next == SCANNING:
                others_may_come = self._scan()
            elif self._next == COUNTING:
                others_may_come = self._work_on_reads()
            elif self._next == WORKING:
                others_may_come = self._work()
            else:
                others_may_come = self._halve()
            if others_may_come and self._machine.users > 1:
                return True
        self.sums[ELAPSED] = self.now_s - self.begin_s
        self._machine.behind -= int(self._number < self._machine.most_reads)
        return False

    def sum_up(self) -> None:
        """Let the sums be those of all its reads: what was not followed takes as long as the later half."""
        played_s, times = self.sums[ELAPSED], 0.0
        if self._number >= self._machine.most_reads:
            left = max(0.0, self._numbers[SCANNED] - self.sums[BLOCKS])
            times = left / max(1.0, self.sums[BLOCKS] - self.sums[SUMS + BLOCKS])
        for column in range(FIRST):
            self.sums[column] += times * (self.sums[column] - self.sums[SUMS + column])
        # all of these in one slice of time
        if self._machine.idles and self.sums[SLICES] == self.sums[SUMS + SLICES]:
            others_s = (self._machine.users - 1) * (self.sums[ELAPSED] - played_s)
            self.sums[ELAPSED] += others_s
            self.sums[READ] += others_s

    def _read_single(self) -> bool:
        """Read the next of the blocks that are read one by one."""
        if not self._waits:
            if self._single == len(self._singles):
                self._next = self._then
                return False
            self._ask_for(self._singles[self._single], 1)
            self._begin_wait()
            self._single += 1
        if self._has_arrived():
            self.now_s += self._copy_s(1)
            self.sums[SINGLE] += self.now_s - self._waited_s
        return True

    def _scan(self) -> bool:
        """Have as many reads under way as there are slots, and wait for the oldest."""
        machine = self._machine
        if machine.alone:
            self._scan_alone()
        if not self._waits:
            is_followed = self._is_followed()
            while is_followed and self._has_room():
                self._ask_for_next()
            if self._handed == self._number and (machine.overlaps or self._done_blocks == 0):
                self._begin_work(self._numbers[WANTED] - self._done_blocks, 0.0, ENDING)
                return False
            if self._handed == self._number or not is_followed:
                self._next = ENDING
                return False
            if machine.overlaps:
                self._group = self._groups_of[self._number % len(self._groups_of)]
                self._asked_blocks = self._size_of(self._number)
            self._begin_wait()
        if not self._has_arrived():
            return True
        if not machine.copies_later:
            self.now_s += self._copy_s(self._asked_blocks)
        if machine.overlaps or machine.users == 1:
            return self._work_on_reads()
        self._next = COUNTING
        return True

    def _scan_alone(self) -> None:
        """Make the reads where nobody comes between, and all go to the drive at once: as above, in one go."""
        machine, other_s, done_s = self._machine, self._numbers[OTHER], self._done_s
        while self._number < machine.most_reads:
            while self._has_room():
                self._asked_blocks = self._size_of(self._handed)
                place = self._firsts[self._handed] * machine.block_bytes
                done_s[self._handed] = self._read_s(place, self._asked_blocks * machine.block_bytes)
                self._handed += 1
            if self._handed == self._number:
                break
            self._asked_blocks = self._size_of(self._number)
            self._waited_s = self.now_s
            self.now_s = max(self.now_s, float(done_s[self._number]))
            blocks = self._count()
            self._done_blocks += blocks
            self.now_s += blocks * other_s
            self._halve()

    def _work_on_reads(self) -> bool:
        blocks = self._count()
        copied_s = self._copy_s(self._asked_blocks) if self._machine.copies_later else 0.0
        self._begin_work(blocks, self._numbers[REAP] + copied_s, HALVING)
        return False

    def _count(self) -> float:
        """The reads are there; the blocks to work on, behind the last all that are left."""
        machine, before = self._machine, self._number
        waited_s = self.now_s - self._waited_s
        self._number += self._asked_reads
        self.sums[BLOCKS] += self._asked_blocks
        machine.behind -= int(before < machine.most_reads <= self._number)
        self.sums[READ] += waited_s
        if before == 0:
            self.sums[FIRST] = waited_s
        # the later half stands for all reads
        if machine.overlaps and self._number == machine.most_reads // 2:
            self._slots = ReadSlots(machine.slots, machine.slots_limit, self.now_s, self._numbers[LOOKS])
        elif machine.overlaps:
            self._slots.reaped(self.now_s, waited_s)
        blocks: float = self._numbers[WANTED] - self._done_blocks
        if machine.overlaps or self._number < self._reads:
            blocks = min(self._asked_blocks * self._numbers[EACH], blocks)
        return blocks

    def _is_followed(self) -> bool:
        """Whether its next read is followed: others should not go on without it, except in slices of time."""
        machine = self._machine
        if self._number < machine.most_reads:
            return True
        return not machine.idles and machine.behind > 0 and self._number < MOST_BEYOND * machine.most_reads

    def _has_room(self) -> bool:
        """Whether it may ask for one more of its reads."""
        return self._handed < self._reads and self._handed - self._number < self._slots.count

    def _size_of(self, number: int) -> int:
        return self._last_blocks if number == self._reads - 1 else self._sizes[number]

    def _copy_s(self, blocks: int) -> float:
        """Copies of blocks out of the page cache."""
        copied_s: float = 0.0
        if self._machine.through_page_cache:
            copied_s = copy_time_s(blocks * self._machine.block_bytes, self._numbers[COPIES])
        return copied_s

    def _begin_work(self, blocks: float, extra_s: float, then: int) -> None:
        """Work on blocks, in turns where they are many."""
        self._done_blocks += blocks
        self._turns, self._after_work, self._turn_blocks = 1, then, blocks
        self._turn_cpu_s = blocks * self._numbers[CPU] + extra_s
        self._turn_other_s = blocks * self._numbers[OTHER]
        if blocks > self._numbers[STRETCH]:
            self._turns = min(MOST_TURNS, int(stretches_of(blocks, self._numbers[STRETCH])))
            self._turn_blocks /= self._turns
            self._turn_cpu_s /= self._turns
            self._turn_other_s /= self._turns
        self._begin_turn()

    def _begin_turn(self) -> None:
        self._next = WORKING
        if self.leaves is not None:
            self._singles, self._single = self.leaves.wanted(self._turn_blocks), 0
            self._next, self._then = ONE_BY_ONE, WORKING

    def _work(self) -> bool:
        """A processor for the CPU, then the client's turn."""
        begin_s = self.now_s
        if self._machine.users > 1:
            begin_s = self._machine.processors.begins_s(self.now_s, self._turn_cpu_s)
        self.sums[QUEUE] += begin_s - self.now_s
        self.now_s = begin_s + self._turn_cpu_s + self._turn_other_s
        self._turns -= 1
        if self._turns:
            self._begin_turn()
        else:
            self._next = self._after_work
        return True

    def _halve(self) -> bool:
        """Keep the sums as they stand at the half of the reads."""
        self.now_s += self._numbers[POST]
        if self.sums[SUMS + BLOCKS] == 0 and self._number >= self._machine.most_reads // 2:
            self.sums[ELAPSED] = self.now_s - self.begin_s
            for column in range(SUMS):
                self.sums[SUMS + column] = self.sums[column]
        self._next = SCANNING
        return False

    def _ask_for_next(self) -> None:
        """Ask for the next read of the scan, or for several, which the scheduler sorts."""
        number: int = self._handed
        count: int = 1
        if self.together is not None:
            count = min(int(next(self.together)), self._reads - number)
        self._handed += count
        self._asked_reads, self._asked_blocks = count, self._size_of(number)
        if count == 1:
            self._ask_for(self._firsts[number], self._asked_blocks)
        else:
            reads = sorted([(self._firsts[k], self._size_of(k)) for k in range(number, self._handed)])
            self._paged, self._group = None, self._new_group()
            for first, blocks in reads:
                self._ask(first * self._machine.block_bytes, blocks * self._machine.block_bytes)
            self._asked_blocks = sum([blocks for _, blocks in reads])
        if self._machine.overlaps:
            self._groups_of[number % len(self._groups_of)] = self._group

    def _ask_for(self, first: int, blocks: int) -> None:
        """Ask for blocks that lie together."""
        place, size = first * self._machine.block_bytes, blocks * self._machine.block_bytes
        if self._machine.through_page_cache:
            assert self.ahead is not None
            self._paged = self.ahead.call(place, size)
        else:
            self._paged, self._group = None, self._new_group()
            self._ask(place, size)

    def _new_group(self) -> int:
        self._groups += 1
        if self._groups == len(self._done_s):
            if self._machine.through_page_cache:
                self._done_s = longer(self._done_s)
            else:  # where what is under way has fewer
                self._groups = 0
        self._done_s[self._groups] = 0.0
        return self._groups

    def _begin_wait(self) -> None:
        self._waits, self._waited_s = True, self.now_s

    def _has_arrived(self) -> bool:
        """Whether the reads that it waits for are there; where not, *now_s* is when to look again."""
        self._waits = not (self._is_there() if self._paged is None else self._has_pages())
        return not self._waits

    def _is_there(self) -> bool:
        """Whether the requests of the group are done."""
        if self._looks:
            self._send()
        done_s = self._done_s[self._group]
        self._looks = done_s < 0 or done_s > self.now_s
        if done_s < 0:
            self.now_s = self._machine.free_s(self._rank, self.now_s)
        elif self._looks:
            self.now_s, self._looks = done_s, self._machine.users > 1
        else:
            self._send()
        return not self._looks

    def _has_pages(self) -> bool:
        """Whether all pages of the read are there, which set off what is read ahead; a share of windows was there."""
        paged = self._paged
        assert paged is not None
        while paged.window is None or self._is_there():
            fresh = paged.asked()
            if fresh is None:
                return True
            for window in fresh:
                self._ask_for_window(window)
            if paged.window is not None:
                self._group = paged.window.arrived
        return False

    def _ask_for_window(self, window: Window) -> None:
        self._group = window.arrived = self._new_group()
        self._hits += self._numbers[HITS]
        if self._hits >= 1 - HIT_ROUNDING:
            self._hits -= 1
            return
        page, stop = window.pages.start, window.pages.stop
        while page < stop:
            end, place = stop, page
            if self._machine.ext3:
                end, place = min(stop, next_address_block(page)), place_of_page(page)
            self._ask(place * PAGE_BYTES, (end - page) * PAGE_BYTES)
            page = end

    def _ask(self, place: int, size: int) -> None:
        """Bytes go to the drive, or wait behind those before them until the scheduler gives it to the session."""
        if self._machine.idles:
            self._send()
            if self._pending or self._machine.free_s(self._rank, self.now_s) > self.now_s:
                self._pending.append((self._group, place, size))
                self._done_s[self._group] = -1.0
                return
        self._request(self._group, place, size)

    def _send(self) -> None:
        while self._pending and self._machine.free_s(self._rank, self.now_s) <= self.now_s:
            group, place, size = self._pending.pop(0)
            self._request(group, place, size)

    def _request(self, group: int, place: int, size: int) -> None:
        self._done_s[group] = max(float(self._done_s[group]), self._read_s(place, size))

    def _read_s(self, place: int, size: int) -> float:
        """When bytes are read, which the block layer cuts."""
        machine, begin, end, done_s = self._machine, place, place + size, self.now_s
        while begin < end:
            part = min(machine.largest_bytes, end - begin)
            done_s = max(done_s, machine.submit(self.now_s, begin, part))
            self.sums[REQUESTS] += 1
            begin += part
        self.sums[BYTES] += size
        self.sums[DEVICE] += done_s - self.now_s
        if machine.idles:
            near = self._last_end < 0 or abs(place - self._last_end) <= NEAR_BYTES
            self.sums[SLICES] += int(machine.has_taken(self._rank, self.now_s, done_s, near))
        self._last_end = end
        return done_s
