"""A program that reads or writes in calls: where its calls go, how many are under way, how long each takes."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import inf
from typing import Any

import simpy

from blocktime.model.causes import COMMIT, CPU, DEVICE, FSYNC, HELD, RUN_QUEUE, THINKING
from blocktime.model.demand.calls import File, call_cpu_s, shown_call
from blocktime.model.laws import block_layer
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.laws.page_cache import pages_of
from blocktime.model.loops import fastest
from blocktime.model.machine.device.request import Request
from blocktime.model.machine.device.servers import Processors
from blocktime.model.results import Stage
from blocktime.model.sim.clock import Clock
from blocktime.model.sim.device import BlockDevice
from blocktime.model.sim.machine import Machine
from blocktime.model.sim.open_file import OpenFile
from blocktime.model.sim.write_back import PageCache
from blocktime.model.spec import Calls, Host

Step = Generator[simpy.Event, Any, None]
UNDER_WAY_BYTES = 3200
"""Of a call that is under way beside others of its program."""


@dataclass(slots=True)
class Record:
    """Times of one program's calls."""

    responses_s: array[float] = field(default_factory=lambda: array("d"))
    causes_s: dict[str, float] = field(default_factory=dict)
    """Seconds by cause, over all calls."""
    counts: dict[str, int] = field(default_factory=dict)
    longest_s: dict[str, float] = field(default_factory=dict)
    begin_s: float = 0.0
    end_s: float = 0.0
    in_flight_most: int = 0
    cached_bytes: int = 0
    stages: list[Stage] = field(default_factory=list)

    def add(self, cause: str, seconds: float) -> None:
        """Note time spent for a cause."""
        if seconds > 0:
            self.causes_s[cause] = self.causes_s.get(cause, 0.0) + seconds
            self.counts[cause] = self.counts.get(cause, 0) + 1
            self.longest_s[cause] = max(self.longest_s.get(cause, 0.0), seconds)

    def show(self, name: str, begin_s: float, end_s: float) -> None:
        """Note a stage of the call whose timeline is shown."""
        self.stages.append(Stage(name=name, begin_s=begin_s, end_s=end_s))


@dataclass(slots=True)
class ProgramDraws:
    """The random values of one program."""

    places: Iterator[int]
    gaps_s: Iterator[float] | None = None
    """Times between arrivals, if calls arrive whether or not earlier calls are done."""
    thinks_s: Iterator[float] | None = None


class Caller:
    """One program: its file, its calls in order."""

    env: Clock
    host: Host
    device: BlockDevice
    cache: PageCache
    processors: Processors
    calls: Calls
    write: bool
    owner: int
    draws: ProgramDraws
    record: Record
    path: str
    sample: int
    """The call whose timeline is shown."""
    file: OpenFile
    _synced: str
    _call_cpu_s: float
    _at_device: str
    """What a wait for the device is: a processor that polls is busy."""
    _until_s: float
    """End of the run time: no call begins later."""
    _under_way: int
    _tick: int
    """The kernel's clock at the last write, which is the change time in the inode."""

    def __init__(  # noqa: PLR0913, PLR0917  (what is not compiled is handed in)
        self,
        machine: Machine,
        file: File,
        owner: int,
        draws: ProgramDraws,
        record: Record,
        call_cpu_s: float,
        sample: int,
    ) -> None:
        self.env = machine.env
        self.host = machine.host
        self.device = machine.disk
        self.cache = machine.page_cache
        self.processors = machine.processors
        self.calls = file.calls
        self.write = file.write
        self._synced = file.calls.synced if file.write else "none"
        self.owner = owner
        self.draws = draws
        self.record = record
        self.path = file.path
        self._call_cpu_s = call_cpu_s
        self._at_device = CPU if file.calls.submission == "polled" else DEVICE
        if self.write and self.path not in UNBUFFERED:
            self.cache.written_in(file.calls.block_size_bytes)
        self.sample = sample
        self._until_s = inf
        self._under_way = 0
        self._tick = -1
        self.file = OpenFile(machine, owner, file.path, file.first_byte, file.span_bytes, note=self._note)
        if not self.write:
            self.file.advise(machine, file.calls.fadvise)

    def run(self, begin_s: float = 0.0) -> Step:
        """All calls of the program, from *begin_s* on."""
        if begin_s:
            yield self.env.timeout(begin_s)
        self.record.begin_s = self.env.now
        if self.calls.runtime_s is not None:
            self._until_s = self.env.now + self.calls.runtime_s
        if self.draws.gaps_s is not None:
            yield from self._open()
        elif self.calls.in_flight > 1 and self.path in UNBUFFERED:
            yield from self._asynchronous()
        else:
            yield from self._one_by_one()
        self.record.end_s = self.env.now
        self.device.left(self.owner)

    def _one_by_one(self) -> Step:
        for number, place in enumerate(self.draws.places):
            begin_s = self.env.now
            if begin_s >= self._until_s:
                return
            yield from self._call(number, place)
            self.record.responses_s.append(self.env.now - begin_s)
            yield from self._think()

    def _think(self) -> Step:
        if self.draws.thinks_s is not None:
            think_s = max(0.0, min(next(self.draws.thinks_s), self._until_s - self.env.now))
            yield self.env.timeout(think_s)
            self.record.add(THINKING, think_s)

    def _open(self) -> Step:
        """Calls arrive whether or not earlier calls are done; each is a separate task."""
        gaps_s = self.draws.gaps_s or iter(())
        done = self.env.event()
        arrived: float = inf

        def one(number: int, place: int) -> Step:
            begin_s = self.env.now
            self._count(1)
            yield from self._call(number, place)
            self.record.responses_s.append(self.env.now - begin_s)
            self._count(-1)
            if len(self.record.responses_s) == arrived:
                done.succeed()

        begun = 0
        for place, gap_s in zip(self.draws.places, gaps_s, strict=False):
            if begun and self.env.now + gap_s >= self._until_s:
                break
            yield self.env.timeout(gap_s)
            self.env.process(one(begun, place))
            begun += 1
        arrived = begun
        if len(self.record.responses_s) < arrived:
            yield done

    def _asynchronous(self) -> Step:
        """io_submit of one batch after the other while fewer than in_flight are there, io_getevents for the oldest.

        A call lasts until the program asks for it: of those that are done, for one before each new one.
        """
        most = self.calls.in_flight
        free = self.env.event()
        done: deque[tuple[int, float]] = deque()

        def ended(number: int, begin_s: float) -> None:
            done.append((number, begin_s))
            if not free.triggered:
                free.succeed()

        def reap() -> Step:
            nonlocal free
            if not done:
                begin_s = self.env.now
                free = self.env.event()
                yield free
                self.record.add(self._at_device, self.env.now - begin_s)
            number, begin_s = done.popleft()
            if number == self.sample:
                self._whole(begin_s)
            self.record.responses_s.append(self.env.now - begin_s)
            self._count(-1)

        places, number = self.draws.places, 0
        while together := list(islice(places, self.calls.batch)):
            while self._under_way > most - len(together):
                yield from reap()
            begin_s = self.env.now
            if begin_s >= self._until_s:
                break
            self._count(len(together))
            yield from self._compute(len(together) * self._call_cpu_s)
            for place in together:
                yield from self._transfer(number, place, partial(ended, number, begin_s))
                number += 1
            self.device.unplug()
        while self._under_way:
            yield from reap()

    def _note(self, cause: str, seconds: float) -> None:
        self.record.add(self._at_device if cause == DEVICE else cause, seconds)

    def _count(self, step: int) -> None:
        self._under_way += step
        if self._under_way > self.record.in_flight_most:
            self.env.watch.hold(UNDER_WAY_BYTES * (self._under_way - self.record.in_flight_most))
            self.record.in_flight_most = self._under_way

    def _call(self, number: int, place: int) -> Step:
        """One call from begin to end."""
        begin_s = self.env.now
        if self.path in UNBUFFERED:
            yield from self._compute(self._call_cpu_s)
            done = self.env.event()
            yield from self._transfer(number, place, done.succeed)
            yield from self.file.wait(done)
        elif self.write:
            yield from self._buffered_write(number, place)
        else:
            yield from self._buffered_read(number, place)
        if number == self.sample:
            self._whole(begin_s)

    def _whole(self, begin_s: float) -> None:
        self.record.show("the call", begin_s, self.env.now)

    def _compute(self, cpu_s: float) -> Step:
        if cpu_s <= 0:
            return
        now = self.env.now
        slowed_s = self.processors.slowed_s
        begin, end = self.processors.serve(now, cpu_s)
        cpu_s += self.processors.slowed_s - slowed_s
        yield self.env.timeout(end - now)
        self.record.add(RUN_QUEUE, begin - now)
        self.record.add(CPU, cpu_s)

    def _transfer(self, number: int, place: int, ended: Callable[[], Any]) -> Step:
        """Submit one unbuffered call; *ended* is called after its last piece, and after what O_SYNC adds."""
        if self._synced != "none":
            ended = partial(self.env.process, self._durable(ended))
        return self.file.transfer(self.write, place, self.calls.block_size_bytes, ended, self._passed(number))

    def _durable(self, ended: Callable[[], Any]) -> Step:
        """After a write with O_DIRECT and O_SYNC or O_DSYNC: a commit, or FUA or a flush that reaches the medium."""
        cache, host = self.cache, self.host
        tick = int(self.env.now / block_layer.TICK_S)
        ticked = block_layer.commits_in_place(cache.release, self._synced) and tick != self._tick
        self._tick = tick
        if (self.calls.extends or ticked) and self.path == "direct" and host.filesystem != "none":
            yield from self.device.flush()
            yield from cache.commit_record(self.owner)
        else:
            fua = self.device.fua and block_layer.writes_by_fua(cache.release, self.path, host.filesystem)
            yield from self.device.flush(fua=fua)
        ended()

    def _passed(self, number: int) -> Callable[[Request], None] | None:
        """The observer of a call's requests: the timeline of the sampled call is shown."""
        return self._stages if number == self.sample else None

    def _stages(self, request: Request) -> None:
        """The timeline of the sampled call's request, after it is done."""
        self.record.show("waits in the queue", request.queued_s, request.begin_s)
        self.record.show("at the device", request.begin_s, self.env.now)

    def _written(self, dirty_s: float, request: Request) -> None:
        """As :meth:`_stages`, for a page that was dirty before."""
        if request.queued_s > dirty_s:
            self.record.show("dirty in the page cache", dirty_s, request.queued_s)
        self._stages(request)

    # Through the page cache

    def _buffered_write(self, number: int, place: int) -> Step:
        size, cache = self.calls.block_size_bytes, self.cache
        pages = pages_of(place, size, block_layer.PAGE_BYTES)
        yield from self._held_back()
        yield from self._compute(self._call_cpu_s + len(pages) * self.host.page_write_s)
        cache.dirty(pages, self.file.place_of)
        tick = int(self.env.now / block_layer.TICK_S)
        self.record.cached_bytes += size
        if number == self.sample:
            cache.watched[self.file.place_of(pages.start)] = partial(self._written, self.env.now)
        every = self.calls.fsync_every
        if self.path == "buffered":
            if every and (number + 1) % every == 0:
                begin_s = self.env.now
                yield from cache.sync_pages(cache.pages_of_fsync(self.file.pages), self.owner)
                yield from cache.commit_record(self.owner)
                self.record.add(FSYNC, self.env.now - begin_s)
            return
        begin_s = self.env.now
        yield from cache.sync_pages([self.file.place_of(page) for page in pages], self.owner)
        self.record.add(DEVICE, self.env.now - begin_s)
        ticked = block_layer.commits_in_place(cache.release, self.path) and tick != self._tick
        self._tick = tick
        if (self.calls.extends or ticked) and self.host.filesystem != "none":
            begin_s = self.env.now
            yield from cache.commit_record(self.owner)
            self.record.add(COMMIT, self.env.now - begin_s)

    def _held_back(self) -> Step:
        cache = self.cache
        while cache.commits is not None:
            begin_s = self.env.now
            yield cache.commits
            self.record.add(COMMIT, self.env.now - begin_s)
        while cache.over_limit():
            begin_s = self.env.now
            yield cache.below_limit()
            self.record.add(HELD, self.env.now - begin_s)

    def _buffered_read(self, number: int, place: int) -> Step:
        """Wait for the pages, those read ahead among them, and copy them."""
        size = self.calls.block_size_bytes
        yield from self._compute(self._call_cpu_s)
        yield from self.file.read_pages(place, size, self._passed(number))
        yield from self._compute(size / self.host.copy_bytes_per_s)
        self.record.cached_bytes += size


def caller_of(machine: Machine, file: File, owner: int, draws: ProgramDraws) -> Caller:
    """The program that calls for a file; *owner* numbers it."""
    cpu_s = float(call_cpu_s(machine.host, file.calls))
    return fastest(Caller)(machine, file, owner, draws, Record(), cpu_s, shown_call(file.calls))
