"""The first reads of a statement, followed one by one on the drive's own state: what its sessions wait for.

Where heads are, what members of a set have read ahead and which pages a reader has had decide how long a read takes, so
that no mean over places tells it. The sessions go on in order of the moments at which they are ready; the drive, the
processors and the windows of the page cache are the states that a simulation has. Left out is what a queue does to the
requests that wait in it: they do not merge, and no scheduler sorts them. Reads beyond those that are followed take as
long as the later half of these.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from heapq import heappop, heappush
from itertools import islice, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from zlib import crc32

from model.demand.calls import largest_bytes_of
from model.demand.device_calls import idles
from model.demand.of_many import each_of
from model.demand.reading import one_for_all, reaps_are_waits
from model.demand.turns import first_step_s, pace_of, stretch_blocks
from model.demand.work import Demand
from model.laws import block_layer, page_cache
from model.laws.device import copy_time_s
from model.laws.numeric import some, where
from model.laws.read_slots import LOOK_EVERY_S
from model.laws.turns import stretches_of
from model.machine.device.drive import drive_of
from model.machine.device.elevator import IDLE_S, NEAR_BYTES, SYNC_SLICE_S
from model.machine.device.servers import Servers
from model.machine.host.read_ahead import Window, read_ahead_of
from model.machine.host.read_slots import ReadSlots
from model.spec import Statement, System
from model.workloads.statements.followed_alone import (
    LEAST_ASYNCHRONOUS,
    MOST_BLOCKS,
    MOST_READS,
    Alone,
    is_alone,
    reads_follow,
)
from model.workloads.statements.placed_reads import (
    Draws,
    Leaves,
    Read,
    extents_of,
    reads_by_session,
    single_reads,
)

if TYPE_CHECKING:
    import numpy as np

MOST_REPLAYS = 16
"""Times that few reads are followed where chance decides where they lie."""
LEAST_OF_SESSION = 40
HIT_ROUNDING = 1e-12
ANYWHERE = 0.5
"""Share of reads that do not go on where the last one ended, above which reads lie here and there."""
MOST_BEYOND = 3
"""Times its share that a session reads at most while others are behind."""
MOST_SESSIONS = 100
"""Sessions that are followed; without pauses, so many keep the device or the processors busy."""
SELDOM = 0.02
"""Share of a segment that drives hold, below which a read elsewhere seldom finds its block there."""
MOST_TURNS = 64
"""Turns at a processor for blocks that need no read."""

Steps = Generator[float, None, float]
"""Moments at which a session goes on; returns the last one."""


@dataclass(slots=True)
class SessionMeans:
    """What a session waits for, in seconds, and what it asks of the device; means of all sessions."""

    elapsed_s: float = 0.0
    single_wait_s: float = 0.0
    read_wait_s: float = 0.0
    """Waits for the reads of the scan, with copies out of the page cache that are part of them."""
    run_queue_s: float = 0.0
    device_s: float = 0.0
    """Time from the begin of its requests to their ends, one after another."""
    requests: float = 0.0
    bytes: float = 0.0
    first_s: float = 0.0
    """Wait for the first read of the scan."""
    last_s: float = 0.0
    """From the begin of the first session to the end of the last."""
    busy_s: float = 0.0
    """Time in which the device has a request, of all sessions."""


FIELDS = [field.name for field in fields(SessionMeans)]


def is_followed(system: System, work: Statement, demand: Demand) -> bool:
    """Whether the device's state decides how long a read takes: where heads move, and behind a page cache.

    Where one session reads here and there in a segment much larger than what drives hold of it, means over places do.
    Raises :class:`MixedRegimes` where it is so for some scenarios of an array.
    """
    plan, disk, missed = demand.plan, system.disk, 1 - system.host.page_cache_hit_fraction
    if plan.through_page_cache and one_for_all((demand.reads > 0) & (missed > 0)):
        return True
    among = (plan.batched_reads > 0) | ((work.sessions > 1) & (plan.positioned_fraction > ANYWHERE))
    if disk.reorder_age_s is not None and some(among):
        return False  # the drive has an order of its own
    held_bytes = disk.track_buffer_bytes + disk.rotation_s * disk.bandwidth_bytes_per_s
    span_bytes = demand.segment.blocks * demand.block_size_bytes
    anywhere = (work.sessions == 1) & (plan.positioned_fraction > 0) & where(plan.uneven, False, True)
    anywhere = anywhere & (held_bytes * disk.raid_disks < SELDOM * span_bytes)
    places = (disk.rotation_s > 0) & where(anywhere, False, True)
    return one_for_all(where(demand.reads + plan.single_reads > 0, places, False))


def followed(system: System, work: Statement, demand: Demand) -> SessionMeans:
    """The mean session of a statement, whose reads are followed; a statement of few reads several times.

    Of many scenarios each is followed by itself.
    """
    if is_alone(work, demand) and reads_follow(demand):
        sums = Alone(system, demand).of_each()
        if sums is not None:
            return SessionMeans(*sums)
    shape = demand.segment.shape
    where_reads_lie = replace(  # in its extents, whatever sizes of reads and runs the laws count
        demand,
        plan=replace(demand.plan, pieces=demand.plan.pieces[:1]),
        segment=replace(demand.segment, shape=shape._replace(runs=shape.runs[:1])),
    )
    if (scenarios := each_of((system, work, where_reads_lie))) is not None:
        return _together([_followed(*scenario) for scenario in scenarios])
    return _followed(system, work, demand)


def _followed(system: System, work: Statement, demand: Demand) -> SessionMeans:
    users = max(2, MOST_SESSIONS * work.users // work.sessions)
    if work.users > users:
        return _of_many(system, work, demand, users)
    reads = max(1.0, float(demand.reads))
    by_chance = demand.plan.uneven or demand.plan.positioned_fraction > 0 or not demand.plan.pieces
    replays = MOST_REPLAYS if work.sessions > 1 or by_chance else 1
    replays = max(1, min(replays, round(MOST_READS / (work.sessions * reads))))
    if is_alone(work, demand):
        alone = Alone(system, demand)
        return _mean([SessionMeans(*alone.drawn(work, _draws(replay))) for replay in range(replays)])
    return _mean([_Replay(system, work, demand, replay).played() for replay in range(replays)])


def _of_many(system: System, work: Statement, demand: Demand, users: int) -> SessionMeans:
    """More users than the *users* that are followed: what is busy has as many times more to do [kleinrock-1975].

    Each session is done as many times later; it waits for that time where it waited before.
    """
    times = work.users / users
    mean_session = _followed(system, work.model_copy(update={"users": users}), demand)
    waited_s = mean_session.single_wait_s + mean_session.read_wait_s + mean_session.run_queue_s
    longer = 1 + (times - 1) * mean_session.elapsed_s / waited_s if waited_s else 1.0
    return replace(
        mean_session,
        elapsed_s=mean_session.elapsed_s * times,
        single_wait_s=mean_session.single_wait_s * longer,
        read_wait_s=mean_session.read_wait_s * longer,
        run_queue_s=mean_session.run_queue_s * longer,
        first_s=mean_session.first_s * longer,
        last_s=mean_session.last_s * times,
        busy_s=mean_session.busy_s * times,
    )


def _mean(each: Sequence[SessionMeans]) -> SessionMeans:
    return SessionMeans(*(sum(map(attrgetter(name), each)) / len(each) for name in FIELDS))


def _together(each: Sequence[SessionMeans]) -> SessionMeans:
    import numpy as np  # noqa: PLC0415  (who asks one scenario waits for no numpy)

    columns: list[Any] = [np.array([getattr(scenario, name) for scenario in each]) for name in FIELDS]
    return SessionMeans(*columns)


def _draws(replay: int) -> Draws:
    def generator(name: str) -> np.random.Generator:
        import numpy  # noqa: PLC0415  (who draws nothing waits for no numpy)

        return numpy.random.default_rng((replay, crc32(name.encode())))

    return generator


class _Replay:
    """All sessions of a statement on one device."""

    def __init__(self, system: System, work: Statement, demand: Demand, replay: int) -> None:
        disk, users, draws = system.disk, int(work.sessions), _draws(replay)
        self.system, self.demand = system, demand
        self.server = drive_of(disk)
        self.largest_bytes = int(largest_bytes_of(system.host, system.database_path))
        self.processors = Servers(int(system.host.cores.threads))
        self.keeper = _Keeper() if idles(system) else None
        self.busy_s = self._busy_until_s = 0.0
        self.behind = users
        """Sessions that have not made their share of the reads yet."""
        extents = extents_of(system, demand.segment.blocks, MOST_BLOCKS)
        self.blocks = extents[-1].first + extents[-1].blocks
        singles, reads_of = (
            single_reads(work, demand, extents),
            reads_by_session(system, work, demand, extents, draws),
        )
        begins = draws("session start").uniform(0, 1, users) * first_step_s(system, demand, work.sessions)
        most = max(LEAST_OF_SESSION, MOST_READS // users)
        if demand.plan.asynchronous and not demand.plan.through_page_cache:
            most = max(most, LEAST_ASYNCHRONOUS)
        self.stretch = float(stretch_blocks(system, demand, work.sessions))
        self.sessions = [
            _Session(
                self,
                (singles[rank], Leaves(demand, extents, rank, draws), reads_of(rank)),
                float(begins[rank]) if users > 1 else 0.0,
                most,
            )
            for rank in range(users)
        ]

    def played(self) -> SessionMeans:
        """The mean of all sessions, when they are done."""
        self._take_turns()
        of_sessions = [session.whole() for session in self.sessions]
        mean = _mean(of_sessions)
        first_s = min(session.begin_s for session in self.sessions)
        ends = [
            followed.elapsed_s + session.begin_s
            for followed, session in zip(of_sessions, self.sessions, strict=True)
        ]
        mean.last_s = max(ends) - first_s
        played_s = max(session.count.elapsed_s + session.begin_s for session in self.sessions) - first_s
        mean.busy_s = min(mean.last_s, self.busy_s * mean.last_s / max(played_s, 1e-300))
        return mean

    def _take_turns(self) -> None:
        """Let the session that is ready first go on, until all are done."""
        ready = [(session.begin_s, rank, session.steps()) for rank, session in enumerate(self.sessions)]
        waiting: list[tuple[float, float, int, Iterator[float]]] = []
        for begin_s, rank, steps in ready:
            heappush(waiting, (begin_s, begin_s, rank, steps))
        while waiting:
            now_s, _, rank, steps = heappop(waiting)
            following_s = next(steps, None)
            if following_s is not None:
                heappush(waiting, (following_s, now_s, rank, steps))

    def submit(self, now_s: float, place: int, size: int) -> float:
        """When a request is done."""
        done_s = self.server.submit(now_s, False, place, size)
        if done_s > self._busy_until_s:
            self.busy_s += done_s - max(now_s, self._busy_until_s)
            self._busy_until_s = done_s
        return done_s


class _Keeper:
    """A scheduler that keeps the device for a process that goes on near where it was [linux-cfq]."""

    def __init__(self) -> None:
        self._process: Any = None
        self._until_s = 0.0
        self._slice_ends_s = 0.0
        self._near = True

    def free_s(self, process: Any, now_s: float) -> float:
        """From when on the process may have the device."""
        if (
            self._process is None
            or (process is self._process and now_s < self._slice_ends_s)
            or not self._near
        ):
            return now_s
        return max(now_s, min(self._until_s, self._slice_ends_s))

    def took(self, process: Any, now_s: float, done_s: float, near: bool) -> None:
        """The process has had a request served."""
        if process is not self._process or now_s >= self._slice_ends_s:
            process.turns += process is not self._process
            self._process, self._slice_ends_s = process, now_s + SYNC_SLICE_S
        self._near = near
        self._until_s = done_s + IDLE_S


class _ReadGroup:
    """Parts of the disk that are read together, and when they are there."""

    __slots__ = ("done_s", "parts")

    def __init__(self, parts: list[tuple[int, int]]) -> None:
        self.parts = parts
        self.done_s: float | None = None


class _Session:
    """One session, as :class:`model.workloads.statements.session.Session` has it, without a queue."""

    def __init__(
        self, replay: _Replay, asks: tuple[list[int], Leaves, Iterator[Read]], begin_s: float, most: int
    ) -> None:
        demand, host = replay.demand, replay.system.host
        self.begin_s, self.most = begin_s, most
        self.count, self.half = SessionMeans(), SessionMeans()
        self.done = 0.0
        self._replay, self._demand, self._host, self._plan = replay, demand, host, demand.plan
        self._singles, self._leaves, self._reads = asks
        self._pace = pace_of(replay.system, demand)
        self._size = int(demand.block_size_bytes)
        self._number = self._blocks = self._half_blocks = 0
        self._each = max(1.0, float(demand.blocks_wanted) / max(1.0, float(demand.read_blocks)))
        self._ahead = read_ahead_of(host)
        self._ahead.end_page = -(-replay.blocks * self._size // block_layer.PAGE_BYTES)
        self._hits = 0.0
        self.turns = 0
        """Times that the scheduler has given it the device after another."""
        self._half_turns = 0
        self._half_number: int | None = None
        """Reads at the half of those that are followed."""
        self._pending: deque[_ReadGroup] = deque()
        self._last_end: int | None = None

    def whole(self) -> SessionMeans:
        """All of its reads: blocks of those that were not followed take as long as those of the later half."""
        left = max(0.0, float(self._demand.read_blocks) - self._blocks) if self._number >= self.most else 0.0
        times = left / max(1, self._blocks - self._half_blocks)
        values = ((getattr(self.count, name), getattr(self.half, name)) for name in FIELDS)
        followed = SessionMeans(*(value + times * (value - half) for value, half in values))
        followed.first_s = self.count.first_s
        if (
            self.turns == self._half_turns and self._replay.keeper is not None
        ):  # all of these in one slice of time
            others = len(self._replay.sessions) - 1
            others_s = others * (followed.elapsed_s - self.count.elapsed_s)
            followed.elapsed_s += others_s
            followed.read_wait_s += others_s
        return followed

    def steps(self) -> Iterator[float]:
        """Moments at which it goes on."""
        now_s = self.begin_s
        now_s = yield from self._one_block_each(now_s, self._singles)
        if self._plan.asynchronous and not self._plan.through_page_cache:
            now_s = yield from self._asynchronously(now_s)
        else:
            now_s = yield from self._one_by_one(now_s)
        self.count.elapsed_s = now_s - self.begin_s
        self._replay.behind -= self._number < self.most

    def _one_block_each(self, now_s: float, blocks: list[int]) -> Steps:
        for block in blocks:
            waited_s = now_s
            now_s = yield from self._read(now_s, (block, 1), copies=True)
            self.count.single_wait_s += now_s - waited_s
        return now_s

    def _one_by_one(self, now_s: float) -> Steps:
        wanted = float(self._demand.blocks_wanted)
        together, read = self._plan.handed_over(round(float(self._demand.reads))), next(self._reads, None)
        while read is not None and self._goes_on():
            waited_s, group = now_s, [read, *islice(self._reads, next(together) - 1)]
            if len(group) > 1:
                now_s = yield from self._read_together(now_s, group)
            else:
                now_s = yield from self._read(now_s, read, copies=not self._plan.asynchronous)
            size = sum(blocks for _, blocks in group)
            self._counted(now_s - waited_s, size, len(group))
            step = min(size * self._each, wanted - self.done)
            read = next(self._reads, None)
            if read is None:
                step = wanted - self.done
            copied_s = self._host.reap_call_s + self._copy_s(size) if self._plan.asynchronous else 0.0
            now_s = yield from self._work(now_s, step, copied_s)
            self._halved(now_s)
        if not self.done:
            now_s = yield from self._work(now_s, wanted)
        return now_s

    def _asynchronously(self, now_s: float) -> Steps:
        instance, reap_s = self._replay.system.instance, self._host.reap_call_s
        fixed = slots = ReadSlots(instance.direct_read_slots, instance.direct_read_slots_limit, now_s)
        wanted = float(self._demand.blocks_wanted)
        posted = reaps_are_waits(self._replay.system)
        in_flight: deque[tuple[_ReadGroup, int]] = deque()
        while self._goes_on():
            while len(in_flight) < slots.count and (read := next(self._reads, None)) is not None:
                in_flight.append((_ReadGroup([(read[0] * self._size, read[1] * self._size)]), read[1]))
                self._hand_down(now_s, in_flight[-1][0])
            if not in_flight:
                break
            asked, blocks = in_flight.popleft()
            waited_s = now_s
            now_s = yield from self._wait(now_s, asked)
            self._counted(now_s - waited_s, blocks)
            if self._number >= self.most // 2 and slots is fixed:  # the later half stands for all reads
                every_s = (
                    LOOK_EVERY_S * (self.most - self.most // 2) / max(self.most, float(self._demand.reads))
                )
                slots = ReadSlots(slots.count, instance.direct_read_slots_limit, now_s, every_s)
            elif slots is not fixed:
                slots.reaped(now_s, now_s - waited_s)
            step = min(blocks * self._each, wanted - self.done)
            now_s = yield from self._work(now_s, step, 0.0 if posted else reap_s)
            now_s += reap_s if posted else 0.0
            self._halved(now_s)
        if not in_flight:
            now_s = yield from self._work(now_s, wanted - self.done)
        return now_s

    def _goes_on(self) -> bool:
        """Whether its next read is followed: the others should not go on without it, except in slices of time."""
        if self._number < self.most:
            return True
        return (
            self._replay.keeper is None and self._replay.behind > 0 and self._number < MOST_BEYOND * self.most
        )

    def _counted(self, waited_s: float, blocks: int, reads: int = 1) -> None:
        self._replay.behind -= self._number < self.most <= self._number + reads
        self._number += reads
        self._blocks += blocks
        self.count.read_wait_s += waited_s
        if self._number == reads:
            self.count.first_s = waited_s

    def _halved(self, now_s: float) -> None:
        if self._half_number is None and self._number >= self.most // 2:
            self.count.elapsed_s = now_s - self.begin_s
            self.half, self._half_number = replace(self.count), self._number
            self._half_blocks = self._blocks
            self._half_turns = self.turns

    def _work(self, now_s: float, blocks: float, extra_s: float = 0.0) -> Steps:
        """Process blocks: leaves of indexes, a processor for the CPU, then the client's turn."""
        self.done += blocks
        turns = 1
        if blocks > self._replay.stretch:
            turns = min(MOST_TURNS, stretches_of(blocks, self._replay.stretch))
        for _ in repeat(None, turns):
            now_s = yield from self._one_block_each(now_s, self._leaves.wanted(blocks / turns))
            begin_s, end_s = self._replay.processors.serve(
                now_s, (blocks * self._pace.cpu_s + extra_s) / turns
            )
            self.count.run_queue_s += begin_s - now_s
            now_s = end_s + blocks * self._pace.other_s / turns
            yield now_s
        return now_s

    def _read(self, now_s: float, read: Read, *, copies: bool) -> Steps:
        """Wait for a read; *copies*: and for the copy of its pages, which is CPU time elsewhere."""
        place, size = read[0] * self._size, read[1] * self._size
        if self._plan.through_page_cache:
            now_s = yield from self._pages(now_s, place, size)
            now_s += self._copy_s(read[1]) if copies else 0.0
        else:
            asked = _ReadGroup([(place, size)])
            self._hand_down(now_s, asked)
            now_s = yield from self._wait(now_s, asked)
        yield now_s
        return now_s

    def _read_together(self, now_s: float, group: list[Read]) -> Steps:
        """Wait for several reads, which the scheduler has sorted."""
        asked = _ReadGroup(sorted((first * self._size, blocks * self._size) for first, blocks in group))
        self._hand_down(now_s, asked)
        now_s = yield from self._wait(now_s, asked)
        yield now_s
        return now_s

    def _copy_s(self, blocks: int) -> float:
        return float(copy_time_s(blocks * self._size, self._host.copy_bytes_per_s))

    def _hand_down(self, now_s: float, asked: _ReadGroup) -> None:
        """Requests go to the device, or wait with those before them until the scheduler gives it to the session."""
        self._pending.append(asked)
        self._send(now_s)

    def _send(self, now_s: float) -> None:
        keeper = self._replay.keeper
        while self._pending and (keeper is None or keeper.free_s(self, now_s) <= now_s):
            asked = self._pending.popleft()
            asked.done_s = max(self._request(now_s, place, size) for place, size in asked.parts)

    def _wait(self, now_s: float, asked: _ReadGroup) -> Steps:
        """Wait for what was handed down."""
        while asked.done_s is None:
            assert self._replay.keeper is not None
            now_s = self._replay.keeper.free_s(self, now_s)
            yield now_s
            self._send(now_s)
        if asked.done_s > now_s:
            now_s = asked.done_s
            yield now_s
        self._send(now_s)
        return now_s

    def _request(self, now_s: float, place: int, size: int) -> float:
        """When bytes are read, which the block layer cuts."""
        done_s, largest = now_s, self._replay.largest_bytes
        for begin in range(place, place + size, largest):
            done_s = max(done_s, self._replay.submit(now_s, begin, min(largest, place + size - begin)))
            self.count.requests += 1
        self.count.bytes += size
        self.count.device_s += done_s - now_s
        if self._replay.keeper is not None:
            near = self._last_end is None or abs(place - self._last_end) <= NEAR_BYTES
            self._replay.keeper.took(self, now_s, done_s, near)
        self._last_end = place + size
        return done_s

    def _pages(self, now_s: float, place: int, size: int) -> Steps:
        """Wait for pages, those read ahead among them."""
        pages = page_cache.pages_of(place, size, block_layer.PAGE_BYTES)
        page = has = pages.start
        while page < pages.stop:
            holding, fresh = self._ahead.wanted(page, pages, page < has)
            for window in fresh:
                window.arrived = _ReadGroup(self._runs(window))
                if window.arrived.parts:
                    self._hand_down(now_s, window.arrived)
                else:
                    window.arrived.done_s = now_s
            if holding is None:
                page += 1
                continue
            has = max(has, holding.pages.stop)
            now_s = yield from self._wait(now_s, holding.arrived)
            page = self._ahead.quiet_until(page, holding)
        self._ahead.passed((place + size) // block_layer.PAGE_BYTES)
        return now_s

    def _runs(self, window: Window) -> list[tuple[int, int]]:
        """Places and sizes of a window of pages; none where its share of hits is in the page cache already."""
        self._hits += self._host.page_cache_hit_fraction
        if self._hits >= 1 - HIT_ROUNDING:
            self._hits -= 1
            return []
        size, page, stop = block_layer.PAGE_BYTES, window.pages.start, window.pages.stop
        if self._host.filesystem != "ext3":
            return [(page * size, (stop - page) * size)]
        runs: list[tuple[int, int]] = []
        while page < stop:
            end = min(stop, page_cache.next_address_block(page))
            runs.append((page_cache.place_of_page(page) * size, (end - page) * size))
            page = end
        return runs
