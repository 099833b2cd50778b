"""A program that reads or writes in calls: where its calls go, how many are under way, how long each takes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import simpy

from model.demand.calls import COMMIT, CPU, DEVICE, FSYNC, HELD, PROCESSOR, ROOM, THINKING, UNBUFFERED, File
from model.laws import block_layer, page_cache
from model.results import Stage
from model.sim.device import BlockDevice
from model.sim.write_back import PageCache
from model.spec import Calls, Host
from model.state.block_queue import Request
from model.state.read_ahead import ReadAhead, Window
from model.state.servers import Servers

Step = Generator[simpy.Event, Any, None]
HIT_ROUNDING = 1e-12


@dataclass(slots=True)
class Record:
    """What one program's calls took."""

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


@dataclass(slots=True)
class Machine:
    """What all programs share."""

    env: simpy.Environment
    host: Host
    device: BlockDevice
    cache: PageCache
    processors: Servers


@dataclass(slots=True)
class Draws:
    """What chance decides of one program."""

    places: Iterator[int]
    gaps_s: Iterator[float] | None = None
    """Between arrivals, where calls come whether or not earlier ones are done."""
    thinks_s: Iterator[float] | None = None


class Caller:
    """One program: its file, its calls in order."""

    def __init__(self, machine: Machine, file: File, owner: int, draws: Draws) -> None:
        self.env = machine.env
        self.host = machine.host
        self.device = machine.device
        self.cache = machine.cache
        self.processors = machine.processors
        self.calls: Calls = file.calls
        self.write = file.write
        self.owner = owner
        self.draws = draws
        self.first_byte = file.first_byte
        self.record = Record()
        self.path: str = file.path
        self.sample = file.calls.count // 2
        """The call whose way is shown."""
        self._ext3 = self.host.filesystem == "ext3"
        self._under_way = 0
        self.ahead = ReadAhead(max(1, self.host.read_ahead_bytes // block_layer.PAGE_BYTES))
        self.ahead.end_page = -(-file.span_bytes // block_layer.PAGE_BYTES)
        self._hit_debt = 0.0
        first = file.first_byte // block_layer.PAGE_BYTES
        self._own_pages = range(self._place(first), self._place(first + self.ahead.end_page) + 1)

    def run(self) -> Step:
        """All calls of the program."""
        self.record.begin_s = self.env.now
        if self.draws.gaps_s is not None:
            yield from self._open()
        elif self.calls.in_flight > 1 and self.path in UNBUFFERED:
            yield from self._asynchronous()
        else:
            yield from self._one_by_one()
        self.record.end_s = self.env.now

    def _one_by_one(self) -> Step:
        for number, place in enumerate(self.draws.places):
            begin_s = self.env.now
            yield from self._call(number, place)
            self.record.responses_s.append(self.env.now - begin_s)
            yield from self._think()

    def _think(self) -> Step:
        if self.draws.thinks_s is not None:
            think_s = next(self.draws.thinks_s)
            yield self.env.timeout(think_s)
            self.record.add(THINKING, think_s)

    def _open(self) -> Step:
        """Calls arrive whether or not earlier ones are done; each is a task of its own."""
        gaps_s = self.draws.gaps_s or iter(())
        done = self.env.event()

        def one(number: int, place: int) -> Step:
            begin_s = self.env.now
            self._count(1)
            yield from self._call(number, place)
            self.record.responses_s.append(self.env.now - begin_s)
            self._count(-1)
            if len(self.record.responses_s) == self.calls.count:
                done.succeed()

        for number, (place, gap_s) in enumerate(zip(self.draws.places, gaps_s, strict=False)):
            yield self.env.timeout(gap_s)
            self.env.process(one(number, place))
        yield done

    def _asynchronous(self) -> Step:
        """io_submit of one call after the other while there are fewer than in_flight, io_getevents for the oldest."""
        most = self.calls.in_flight
        free = self.env.event()

        def ended(number: int, begin_s: float) -> None:
            nonlocal free
            if number == self.sample:
                self._whole(begin_s)
            self.record.responses_s.append(self.env.now - begin_s)
            self._count(-1)
            if not free.triggered:
                free.succeed()

        for number, place in enumerate(self.draws.places):
            while self._under_way >= most:
                begin_s = self.env.now
                free = self.env.event()
                yield free
                self.record.add(DEVICE, self.env.now - begin_s)
            begin_s = self.env.now
            self._count(1)
            yield from self._compute(self._call_cpu_s())
            yield from self._transfer(number, place, partial(ended, number, begin_s))
            self.device.unplug()
        while self._under_way:
            begin_s = self.env.now
            free = self.env.event()
            yield free
            self.record.add(DEVICE, self.env.now - begin_s)

    def _count(self, step: int) -> None:
        self._under_way += step
        self.record.in_flight_most = max(self.record.in_flight_most, self._under_way)

    def _call_cpu_s(self) -> float:
        return self.host.write_call_s if self.write else self.host.read_call_s

    def _call(self, number: int, place: int) -> Step:
        """One call from begin to end."""
        begin_s = self.env.now
        if self.path in UNBUFFERED:
            yield from self._compute(self._call_cpu_s())
            done = self.env.event()
            yield from self._transfer(number, place, done.succeed)
            yield from self._wait(done)
        elif self.write:
            yield from self._buffered_write(number, place)
        else:
            yield from self._buffered_read(number, place)
        if number == self.sample:
            self._whole(begin_s)

    def _whole(self, begin_s: float) -> None:
        self.record.stages.append(Stage(name="the call", begin_s=begin_s, end_s=self.env.now))

    def _wait(self, done: simpy.Event) -> Step:
        self.device.unplug()
        begin_s = self.env.now
        if not done.processed:
            yield done
        self.record.add(DEVICE, self.env.now - begin_s)

    def _compute(self, cpu_s: float) -> Step:
        if cpu_s <= 0:
            return
        now = self.env.now
        begin, end = self.processors.serve(now, cpu_s)
        yield self.env.timeout(end - now)
        self.record.add(PROCESSOR, begin - now)
        self.record.add(CPU, cpu_s)

    def _transfer(self, number: int, place: int, ended: Callable[[], Any]) -> Step:
        """Hand one unbuffered call down, cut at the largest request; *ended* is called after its last piece."""
        size, largest = self.calls.block_size_bytes, self.device.queue.largest_bytes
        left = block_layer.pieces_of_call(size, largest)

        def piece(request: Request) -> None:
            nonlocal left
            left -= 1
            if number == self.sample:
                self._stages(request)
            if not left:
                ended()

        for begin in range(place, place + size, largest):
            yield from self._bio(begin, min(largest, place + size - begin), piece)

    def _bio(self, start_byte: int, size_bytes: int, call: Callable[[Request], None]) -> Step:
        while True:
            request = self.device.bio(self.write, start_byte, size_bytes, self.owner, sync=True)
            if request is not None:
                request.waiting.append(call)
                return
            begin_s = self.env.now
            yield self.device.room(self.write)
            self.record.add(ROOM, self.env.now - begin_s)

    def _stages(self, request: Request) -> None:
        """The way of the sampled call's request, once it is done."""
        self.record.stages += [
            Stage(name="waits in the queue", begin_s=request.queued_s, end_s=request.begin_s),
            Stage(name="at the device", begin_s=request.begin_s, end_s=self.env.now),
        ]

    def _written(self, dirty_s: float, request: Request) -> None:
        """As :meth:`_stages`, for a page that was dirty before."""
        if request.queued_s > dirty_s:
            self.record.stages.append(
                Stage(name="dirty in the page cache", begin_s=dirty_s, end_s=request.queued_s)
            )
        self._stages(request)

    # Through the page cache

    def _place(self, page: int) -> int:
        """Page of the file -> page of the device; ext3 puts its blocks of addresses between."""
        first = self.first_byte // block_layer.PAGE_BYTES
        return first + (page_cache.place_of_page(page - first) if self._ext3 else page - first)

    def _buffered_write(self, number: int, place: int) -> Step:
        size, cache = self.calls.block_size_bytes, self.cache
        pages = page_cache.pages_of(place, size, block_layer.PAGE_BYTES)
        yield from self._held_back()
        yield from self._compute(self.host.write_call_s + len(pages) * self.host.page_write_s)
        cache.dirty(pages, self._place)
        self.record.cached_bytes += size
        if number == self.sample:
            cache.watched[self._place(pages.start)] = partial(self._written, self.env.now)
        every = self.calls.fsync_every
        if self.path == "buffered":
            if every and (number + 1) % every == 0:
                begin_s = self.env.now
                yield from cache.sync_pages(cache.pages_of_fsync(self._own_pages), self.owner)
                yield from cache.commit_record(self.owner)
                self.record.add(FSYNC, self.env.now - begin_s)
            return
        begin_s = self.env.now
        yield from cache.sync_pages([self._place(page) for page in pages], self.owner)
        self.record.add(DEVICE, self.env.now - begin_s)
        commits = self.calls.extends or block_layer.commits_each_call(cache.release, self.path)
        if commits and self.host.filesystem != "none":
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
        size, first = self.calls.block_size_bytes, self.first_byte // block_layer.PAGE_BYTES
        pages = page_cache.pages_of(place - self.first_byte, size, block_layer.PAGE_BYTES)
        yield from self._compute(self.host.read_call_s)
        has = pages.start  # pages below it are there, or on their way to another call
        for page in pages:
            holding, fresh = self.ahead.wanted(page, pages, page < has)
            for window in fresh:
                window.arrived = self.env.event()
            for window in fresh:
                yield from self._read_window(window, first, number == self.sample)
            if holding is not None:
                has = max(has, holding.pages.stop)
                if not holding.arrived.processed:
                    yield from self._wait(holding.arrived)
        self.ahead.passed((place - self.first_byte + size) // block_layer.PAGE_BYTES)
        yield from self._compute(size / self.host.copy_bytes_per_s)
        self.record.cached_bytes += size

    def _read_window(self, window: Window, first: int, sampled: bool) -> Step:
        """Hand a window of pages down, in pieces that lie together; its share of hits is in the cache already."""
        self._hit_debt += self.host.page_cache_hit_fraction
        if self._hit_debt >= 1 - HIT_ROUNDING:
            self._hit_debt -= 1
            window.arrived.succeed()
            return
        most = self.device.queue.largest_bytes // block_layer.PAGE_BYTES
        runs: list[list[int]] = []
        for page in window.pages:
            place = self._place(first + page)
            if runs and sum(runs[-1]) == place and runs[-1][1] < most:
                runs[-1][1] += 1
            else:
                runs.append([place, 1])
        left = len(runs)

        def piece(request: Request) -> None:
            nonlocal left
            left -= 1
            if sampled:
                self._stages(request)
            if not left:
                window.arrived.succeed()

        for place, count in runs:
            yield from self._bio(place * block_layer.PAGE_BYTES, count * block_layer.PAGE_BYTES, piece)
        self.device.unplug()
