"""A program that reads or writes in calls: where its calls go, how many are under way, how long each takes.

Programs and their calls past the page cache are waiters of the calendar. Through the page cache, a call is a row of
steps.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any

import simpy

from blocktime.model import causes
from blocktime.model.demand.calls import File, call_cpu_s, call_to_trace
from blocktime.model.laws import block_layer
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.laws.page_cache import pages_of
from blocktime.model.loops import fastest
from blocktime.model.loops.arrays import Reals, Wholes, longer, reals, wholes
from blocktime.model.loops.calendar import Steps, Waiter
from blocktime.model.machine.device.request import Request
from blocktime.model.machine.device.servers import Processors
from blocktime.model.results import Stage
from blocktime.model.sim.clock import Clock
from blocktime.model.sim.device import BlockDevice, RequestWaiter, Submitter
from blocktime.model.sim.open_file import OpenFile
from blocktime.model.sim.shared_machine import Machine
from blocktime.model.sim.write_back import PageCache
from blocktime.model.spec import Calls, Host

Step = Generator[simpy.Event, Any, None]
UNDER_WAY_BYTES = 3200
"""Of a call that is under way beside others of its program."""
RESPONSE_BYTES = 10
"""Of a call that is done."""
CPU, RUN_QUEUE, DEVICE, ROOM, THINKING, WRITE_LIMIT, COMMIT, FSYNC = 0, 1, 2, 3, 4, 5, 6, 7
NAMES = (
    causes.CPU,
    causes.RUN_QUEUE,
    causes.DEVICE,
    causes.ROOM,
    causes.THINKING,
    causes.WRITE_LIMIT,
    causes.COMMIT,
    causes.FSYNC,
)
"""Causes of a program's time by their numbers."""
CAUSES = 8
NO_PLACE = -1
COMPUTING, QUEUING, SERVED = 0, 1, 2
"""Waits of a call: for a processor, for room in the queue, for its requests."""
ARRIVING, PAUSING, REAPING, ENDING = 0, 1, 2, 3
"""Waits of a program: for its next call, for its user, for one of its calls, for the last one that arrived."""


@dataclass(slots=True)
class Record:
    """Times of one program's calls."""

    responses_s: Any = ()
    """Of each call that is done, in the order in which the program learnt of it."""
    causes_s: dict[str, float] = field(default_factory=dict)
    """Seconds by cause, over all calls."""
    counts: dict[str, int] = field(default_factory=dict)
    longest_s: dict[str, float] = field(default_factory=dict)
    begin_s: float = 0.0
    end_s: float = 0.0
    in_flight_most: int = 0
    cached_bytes: int = 0
    stages: list[Stage] = field(default_factory=list)


@dataclass(slots=True)
class ProgramDraws:
    """The random values of one program, in rows."""

    places: Iterator[Any]
    gaps_s: Iterator[Any] | None = None
    """Times between arrivals, if calls arrive whether or not earlier calls are done."""
    thinks_s: Iterator[Any] | None = None


class ProgramCall(RequestWaiter):
    """A call of a program."""

    caller: Caller
    number: int
    place: int
    begin_s: float
    behind: ProgramCall | None
    """The call that was done after it, where the program has asked for neither, or the next one that is idle."""
    _wait: int
    _queued_s: float
    """How long it stood in the run queue."""
    _ran_s: float
    _submitted_bytes: int
    _under_way: int
    """Its requests that are not done."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.behind = None
        self.number = self.place = self._wait = self._submitted_bytes = self._under_way = 0
        self.begin_s = self._queued_s = self._ran_s = 0.0

    def begin(self, number: int, place: int) -> None:
        """Be the next call of the program."""
        self.number, self.place = number, place
        self._submitted_bytes, self._under_way = 0, self.caller.pieces

    def computes(self, work_s: float) -> bool:
        """Whether there is work for a processor, whose end it waits for then."""
        if work_s <= 0:
            return False
        env, processors = self.caller.env, self.caller.processors
        now: float = env.now
        slowed_s: float = processors.slowed_s
        self._queued_s = processors.begins_s(now, work_s) - now
        self._ran_s = work_s + (processors.slowed_s - slowed_s)
        self._wait = COMPUTING
        env.after(processors.end_s - now, self)
        return True

    def happens(self) -> None:
        """Its wait is over."""
        caller = self.caller
        if self._wait == COMPUTING:
            caller.add(RUN_QUEUE, self._queued_s)
            caller.add(CPU, self._ran_s)
            caller.submit(self)
        elif self._wait == QUEUING:
            caller.add(ROOM, caller.env.now - self.since_s)
            caller.submit(self)
        else:
            caller.add(caller.at_device, caller.env.now - self.since_s)
            caller.answer(self)

    def submits(self) -> bool:
        """Whether all of it is with the queue; otherwise it waits for room."""
        caller = self.caller
        device, size, largest = caller.device, caller.size_bytes, caller.largest_bytes
        while self._submitted_bytes < size:
            part = min(largest, size - self._submitted_bytes)
            request = device.bio(caller.write, self.place + self._submitted_bytes, part, caller.submitter)
            if request is None:
                self._wait, self.since_s = QUEUING, caller.env.now
                device.wait_for_room(caller.write, self)
                return False
            request.carry(self)
            self._submitted_bytes += part
        return True

    def await_device(self) -> None:
        """Wait for its requests."""
        self._wait, self.since_s = SERVED, self.caller.env.now

    def request_done(self, request: Request) -> None:
        """One of its requests is done."""
        caller = self.caller
        if self.number == caller.sample:
            caller.show_request(request)
        self._under_way -= 1
        if not self._under_way:
            if caller.synced == "none":
                caller.call_done(self)
            else:
                caller.env.process(caller.make_durable(self))


class Caller(Waiter):
    """One program: its file, its calls in order."""

    env: Clock
    host: Host
    device: BlockDevice
    cache: PageCache
    processors: Processors
    submitter: Submitter
    calls: Calls
    write: bool
    size_bytes: int
    largest_bytes: int
    """Of a request."""
    pieces: int
    """Requests of a call."""
    owner: int
    path: str
    sample: int
    """The call whose timeline is shown."""
    file: OpenFile
    ended: simpy.Event
    """Its end."""
    place_taken: Callable[[], None] | None
    """Called for each place that a call is about to have."""
    begin_s: float
    end_s: float
    in_flight_most: int
    cached_bytes: int
    stages: list[tuple[str, float, float]]
    """Of the timeline that is shown: name, begin and end."""
    synced: str
    at_device: int
    """What a wait for the device is: a processor that polls is busy."""
    _responses_s: Reals
    _answered: int
    _seconds: Reals
    """By cause."""
    _times: Wholes
    _longest_s: Reals
    _unbuffered: bool
    _arrives: bool
    """Whether its calls arrive whether or not earlier ones are done."""
    _in_window: bool
    """Whether it has several calls under way, in batches, and asks for those that are done."""
    _call_cpu_s: float
    _until_s: float
    """End of the run time: no call begins later."""
    _wait: int
    _think_s: float
    _under_way: int
    _tick: int
    """The kernel's clock at the last write, which is the change time in the inode."""
    _count: int
    _taken: int
    """Places that calls have had."""
    _places: Iterator[Any]
    _place_row: Wholes
    _place_at: int
    _pauses_s: Iterator[Any] | None
    _pause_row: Reals
    _pause_at: int
    _next_byte: int
    """Place of the call that arrives next."""
    _last_arrived: bool
    _idle: ProgramCall | None
    """The first of the calls that are over, which become new ones."""
    _in_flight: int
    _together: int
    """Calls of a batch."""
    _batch: list[ProgramCall]
    _batched: int
    """Calls of the batch that the program is about to make."""
    _submitted: int
    """Calls of the batch that are with the queue."""
    _asleep: bool
    _first_done: ProgramCall | None
    """The first of the calls that are done and not asked for."""
    _last_done: ProgramCall | None

    def __init__(
        self, machine: Machine, file: File, owner: int, draws: ProgramDraws, call_cpu_s: float, sample: int
    ) -> None:
        calls = file.calls
        self.env = machine.env
        self.host = machine.host
        self.device = machine.disk
        self.cache = machine.page_cache
        self.processors = machine.processors
        self.calls = calls
        self.write = file.write
        self.owner = owner
        self.path = file.path
        self.sample = sample
        self.size_bytes, self.largest_bytes = calls.block_size_bytes, machine.disk.queue.largest_bytes
        self.pieces = block_layer.pieces_of_call(self.size_bytes, self.largest_bytes)
        self.synced = calls.synced if file.write else "none"
        self.at_device = CPU if calls.submission == "polled" else DEVICE
        self._unbuffered = file.path in UNBUFFERED
        self._call_cpu_s = call_cpu_s
        if self.write and not self._unbuffered:
            self.cache.written_in(calls.block_size_bytes)
        self._until_s = inf
        self._arrives = draws.gaps_s is not None
        self._in_window = not self._arrives and calls.in_flight > 1 and self._unbuffered
        self._places = draws.places
        self._pauses_s = draws.gaps_s if self._arrives else draws.thinks_s
        self._place_row, self._pause_row = wholes(0, 0), reals(0, 0.0)
        self._count, self._in_flight, self._together = calls.count, calls.in_flight, calls.batch
        self._taken = self._place_at = self._pause_at = self._next_byte = 0
        self.begin_s = self.end_s = self._think_s = 0.0
        self.in_flight_most = self.cached_bytes = self._answered = self._under_way = self._batched = self._submitted = 0
        self._wait, self._tick = ARRIVING, -1
        self._last_arrived = self._asleep = False
        self._idle = self._first_done = self._last_done = self.place_taken = None
        self.stages, self._batch = [], []
        self._responses_s, self._seconds, self._longest_s = (reals(64, 0.0), reals(CAUSES, 0.0), reals(CAUSES, 0.0))
        self._times = wholes(CAUSES, 0)
        self.ended = self.env.event()
        self.file = OpenFile(machine, owner, file.path, file.first_byte, file.span_bytes, note=self._note)
        self.submitter = self.file.submitter
        if not self.write:
            self.file.advise(machine, calls.fadvise)

    # What it took

    def add(self, cause: int, seconds: float) -> None:
        """Note time spent for a cause."""
        if seconds > 0:
            self._seconds[cause] += seconds
            self._times[cause] += 1
            self._longest_s[cause] = max(float(self._longest_s[cause]), seconds)

    def _note(self, cause: str, seconds: float) -> None:
        self.add(ROOM if cause == causes.ROOM else self.at_device, seconds)

    @property
    def responses_s(self) -> Any:
        """Of each call that is done, in the order in which the program learnt of it."""
        return self._responses_s[: self._answered]

    def spent(self, cause: int) -> tuple[float, int, float]:
        """Seconds for a cause, how often there were any, and the most at once."""
        return self._seconds[cause], self._times[cause], self._longest_s[cause]

    def _show_call(self, begin_s: float) -> None:
        self.stages.append(("the call", begin_s, self.env.now))

    def show_request(self, request: Request) -> None:
        """The timeline of the sampled call's request, after it is done."""
        self.stages.append(("waits in the queue", request.queued_s, request.begin_s))
        self.stages.append(("at the device", request.begin_s, self.env.now))

    def _show_page(self, dirty_s: float, request: Request) -> None:
        """As :meth:`show_request`, for a page that was dirty before."""
        if request.queued_s > dirty_s:
            self.stages.append(("dirty in the page cache", dirty_s, request.queued_s))
        self.show_request(request)

    # One call after the other, or as they arrive, or in batches

    def run(self, begin_s: float = 0.0) -> Step:
        """Begin with the calls, at *begin_s*; *ended* happens after the last."""
        if begin_s:
            yield self.env.timeout(begin_s)
        self.begin_s = self.env.now
        if self.calls.runtime_s is not None:
            self._until_s = self.env.now + self.calls.runtime_s
        if self._arrives:
            self._plan_arrival()
        else:
            self._go_on()

    def happens(self) -> None:
        """Its wait is over."""
        if self._wait == ARRIVING:
            call, number = self._new_call(), self._taken - 1
            call.begin(number, self._next_byte)
            self._plan_arrival()
            self._add_under_way(1)
            if self._is_done_at_once(call):
                self.answer(call)
        elif self._wait == PAUSING:
            self.add(THINKING, self._think_s)
            self._go_on()
        elif self._wait == REAPING:
            self.add(self.at_device, self.env.now - self.since_s)
            self._reap()
            self._next_batch()
        else:
            self._end()

    def _plan_arrival(self) -> None:
        """Wait for the next call, if there is one."""
        first = not self._taken
        place = self._next_place()
        if place >= 0:
            gap_s = self._next_pause_s()
            if first or self.env.now + gap_s < self._until_s:
                self._next_byte = place
                self.env.after(gap_s, self)
                return
            self._taken -= 1
        self._last_arrived = True

    def _go_on(self) -> None:
        """Make the next call after the last one, or the next batch."""
        if self._in_window:
            self._next_batch()
            return
        done_at_once = True
        while done_at_once:
            place = self._next_place()
            if place < 0 or self.env.now >= self._until_s:
                self._end()
                return
            call = self._new_call()
            call.begin(self._taken - 1, place)
            done_at_once = self._is_done_at_once(call)
            if done_at_once:
                self._note_response(call)
                done_at_once = not self._pauses()

    def _end(self) -> None:
        self.end_s = self.env.now
        self.device.left(self.owner)
        self.ended.succeed()

    def _new_call(self) -> ProgramCall:
        call: ProgramCall | None = self._idle
        if call is None:
            return ProgramCall(self)
        self._idle = call.behind
        return call

    def _next_place(self) -> int:
        """The place of the next call; below 0 where all have been made."""
        if self._taken == self._count:
            return NO_PLACE
        if self._place_at == len(self._place_row):
            self._place_row, self._place_at = next(self._places), 0
        place: int = self._place_row[self._place_at]
        self._place_at += 1
        self._taken += 1
        if self.place_taken is not None:
            self.place_taken()
        return place

    def _next_pause_s(self) -> float:
        """The next gap between arrivals, or think time."""
        if self._pause_at == len(self._pause_row):
            assert self._pauses_s is not None
            self._pause_row, self._pause_at = next(self._pauses_s), 0
        pause_s: float = self._pause_row[self._pause_at]
        self._pause_at += 1
        return pause_s

    def _is_done_at_once(self, call: ProgramCall) -> bool:
        """Whether a call that begins now is over without a wait."""
        call.begin_s = self.env.now
        if not self._unbuffered:
            steps = self._buffered_write if self.write else self._buffered_read
            return Steps(steps(call.number, call.place), partial(self.answer, call)).are_over()
        if not call.computes(self._call_cpu_s):
            self.submit(call)
        return False

    def submit(self, call: ProgramCall) -> None:
        """Hand a call down to the queue, or the rest of its batch, as far as there is room."""
        if self._in_window:
            if self._submits_batch():
                self._next_batch()
        elif call.submits():
            self.device.unplug()
            call.await_device()

    def call_done(self, call: ProgramCall) -> None:
        """A call is done; its program goes on soon."""
        if not self._in_window:
            self.env.soon(call)
            return
        call.behind = None
        if self._first_done is None:
            self._first_done = call
        else:
            last: ProgramCall | None = self._last_done
            assert last is not None
            last.behind = call
        self._last_done = call
        if self._asleep:
            self._asleep, self._wait = False, REAPING
            self.env.soon(self)

    def answer(self, call: ProgramCall) -> None:
        """The program learns that a call is done, and goes on."""
        self._note_response(call)
        if self._arrives:
            self._under_way -= 1
            if self._last_arrived and self._answered == self._taken:
                self._wait = ENDING
                self.env.soon(self)
        elif not self._pauses():
            self._go_on()

    def _note_response(self, call: ProgramCall) -> None:
        if call.number == self.sample:
            self._show_call(call.begin_s)
        if self._answered == len(self._responses_s):
            self.env.watch.hold(RESPONSE_BYTES * self._answered)
            self._responses_s = longer(self._responses_s)
        self._responses_s[self._answered] = self.env.now - call.begin_s
        self._answered += 1
        call.behind, self._idle = self._idle, call

    def _pauses(self) -> bool:
        if self._pauses_s is None:
            return False
        self._think_s = max(0.0, min(self._next_pause_s(), self._until_s - self.env.now))
        self._wait = PAUSING
        self.env.after(self._think_s, self)
        return True

    def _add_under_way(self, calls: int) -> None:
        self._under_way += calls
        if self._under_way > self.in_flight_most:
            self.env.watch.hold(UNDER_WAY_BYTES * (self._under_way - self.in_flight_most))
            self.in_flight_most = self._under_way

    # Batches: io_submit of one after the other while fewer than in_flight are there, io_getevents for the oldest call

    def _next_batch(self) -> None:
        """Ask for calls that are done until a batch may go; none goes after the run time.

        A call lasts until the program asks for it: of those that are done, for one before each new one.
        """
        while True:
            if not self._batched:
                self._take_batch()
            together = self._batched
            if self._under_way > (self._in_flight - together if together else 0):
                if self._first_done is None:
                    self._asleep, self.since_s = True, self.env.now
                    return
                self._reap()
            elif not together:
                self._end()
                return
            elif self.env.now >= self._until_s:
                self._count = self._taken
                self._batched = 0
            elif not self._submits_new_batch(together):
                return

    def _take_batch(self) -> None:
        for _ in range(self._together):
            place = self._next_place()
            if place < 0:
                return
            call = self._new_call()
            call.begin(self._taken - 1, place)
            if self._batched == len(self._batch):
                self._batch.append(call)
            self._batch[self._batched] = call
            self._batched += 1

    def _submits_new_batch(self, together: int) -> bool:
        """Whether a batch is with the queue at once; otherwise it needs a processor, or room."""
        self._add_under_way(together)
        self._submitted = 0
        for k in range(together):
            call: ProgramCall = self._batch[k]
            call.begin_s = self.env.now
        first: ProgramCall = self._batch[0]
        return not first.computes(together * self._call_cpu_s) and self._submits_batch()

    def _submits_batch(self) -> bool:
        """Whether all of the batch is with the queue; otherwise one of its calls waits for room."""
        while self._submitted < self._batched:
            call: ProgramCall = self._batch[self._submitted]
            if not call.submits():
                return False
            self._submitted += 1
        self._batched = 0
        self.device.unplug()
        return True

    def _reap(self) -> None:
        """Ask for the oldest of the calls that are done."""
        call: ProgramCall | None = self._first_done
        assert call is not None
        self._first_done = call.behind
        self._note_response(call)
        self._under_way -= 1

    # Past the page cache with O_SYNC

    def make_durable(self, call: ProgramCall) -> Step:
        """After a write with O_DIRECT and O_SYNC or O_DSYNC: a commit, or FUA or a flush that reaches the medium."""
        cache, host = self.cache, self.host
        tick = int(self.env.now / block_layer.TICK_S)
        ticked = block_layer.commits_in_place(cache.release, self.synced) and tick != self._tick
        self._tick = tick
        if (self.calls.extends or ticked) and self.path == "direct" and host.filesystem != "none":
            yield from self.device.flush()
            yield from cache.commit_record(self.owner)
        else:
            fua = self.device.fua and block_layer.writes_by_fua(cache.release, self.path, host.filesystem)
            yield from self.device.flush(fua=fua)
        self.call_done(call)

    # Through the page cache

    def _compute(self, cpu_s: float) -> Step:
        if cpu_s <= 0:
            return
        now = self.env.now
        slowed_s = self.processors.slowed_s
        begin, end = self.processors.serve(now, cpu_s)
        cpu_s += self.processors.slowed_s - slowed_s
        yield self.env.timeout(end - now)
        self.add(RUN_QUEUE, begin - now)
        self.add(CPU, cpu_s)

    def _buffered_write(self, number: int, place: int) -> Step:
        size, cache = self.calls.block_size_bytes, self.cache
        pages = pages_of(place, size, block_layer.PAGE_BYTES)
        yield from self._wait_below_limit()
        yield from self._compute(self._call_cpu_s + len(pages) * self.host.page_write_s)
        cache.dirty(pages, self.file.place_of)
        tick = int(self.env.now / block_layer.TICK_S)
        self.cached_bytes += size
        if number == self.sample:
            cache.watched[self.file.place_of(pages.start)] = partial(self._show_page, self.env.now)
        every = self.calls.fsync_every
        if self.path == "buffered":
            if every and (number + 1) % every == 0:
                begin_s = self.env.now
                yield from cache.sync_pages(cache.pages_of_fsync(self.file.pages), self.owner)
                yield from cache.commit_record(self.owner)
                self.add(FSYNC, self.env.now - begin_s)
            return
        begin_s = self.env.now
        yield from cache.sync_pages([self.file.place_of(page) for page in pages], self.owner)
        self.add(DEVICE, self.env.now - begin_s)
        ticked = block_layer.commits_in_place(cache.release, self.path) and tick != self._tick
        self._tick = tick
        if (self.calls.extends or ticked) and self.host.filesystem != "none":
            begin_s = self.env.now
            yield from cache.commit_record(self.owner)
            self.add(COMMIT, self.env.now - begin_s)

    def _wait_below_limit(self) -> Step:
        cache = self.cache
        while cache.commits is not None:
            begin_s = self.env.now
            yield cache.commits
            self.add(COMMIT, self.env.now - begin_s)
        while cache.over_limit():
            begin_s = self.env.now
            yield cache.below_limit()
            self.add(WRITE_LIMIT, self.env.now - begin_s)

    def _buffered_read(self, number: int, place: int) -> Step:
        """Wait for the pages, those read ahead among them, and copy them."""
        size = self.calls.block_size_bytes
        yield from self._compute(self._call_cpu_s)
        yield from self.file.read_pages(place, size, self.show_request if number == self.sample else None)
        yield from self._compute(size / self.host.copy_bytes_per_s)
        self.cached_bytes += size


def caller_of(machine: Machine, file: File, owner: int, draws: ProgramDraws) -> Caller:
    """The program that calls for a file; *owner* numbers it."""
    cpu_s = float(call_cpu_s(machine.host, file.calls))
    return fastest(Caller)(machine, file, owner, draws, cpu_s, call_to_trace(file.calls))


def record_of(caller: Caller) -> Record:
    """What the calls of a program took so far."""
    record = Record(
        caller.responses_s,
        begin_s=caller.begin_s,
        end_s=caller.end_s,
        in_flight_most=caller.in_flight_most,
        cached_bytes=caller.cached_bytes,
        stages=[Stage(name=name, begin_s=begin_s, end_s=end_s) for name, begin_s, end_s in caller.stages],
    )
    for cause, name in enumerate(NAMES):
        seconds, times, longest_s = caller.spent(cause)
        if times:
            record.causes_s[name], record.counts[name], record.longest_s[name] = seconds, times, longest_s
    return record
