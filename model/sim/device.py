"""One device behind its queue: requests are merged, plugged, scheduled, served and counted."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Protocol

import simpy

from blocktime.model.laws.block_layer import QUEUE_PLUG_REQUESTS, QUEUE_PLUG_S
from blocktime.model.loops.calendar import Waiter
from blocktime.model.machine.device.block_queue import BlockQueue
from blocktime.model.machine.device.diskstats import Counters
from blocktime.model.machine.device.drive import BoundedDrive
from blocktime.model.machine.device.request import Request, RequestServer
from blocktime.model.machine.device.tagged import Member, MemberPart, Tagged
from blocktime.model.machine.device.throttle import WriteBackThrottle
from blocktime.model.sim.clock import Clock

Step = Generator[simpy.Event, Any, None]

PROGRAM = 1_000_000
"""Sessions of each program are numbered from a multiple of it on."""


class Submitter:
    """The submitter of bios, and how it submits them."""

    owner: int
    sync: bool
    """Whether a task waits for them."""
    largest_bytes: int
    """Bytes to which they merge, where their pages lie in folios; 0 where those are the queue's."""
    throttled: bool
    """Whether they write dirty pages back, which wbt holds up."""

    def __init__(self, owner: int, sync: bool = True, largest_bytes: int = 0, *, throttled: bool = False) -> None:
        self.owner, self.sync, self.largest_bytes, self.throttled = owner, sync, largest_bytes, throttled


class RequestWaiter(Waiter):
    """A party that learns of the end of its requests at once."""

    def request_done(self, request: Request) -> None:
        """The device has served a request of its."""


class Pieces(RequestWaiter):
    """A submission of several requests: each one is reported, and a callback follows the last."""

    _left: int
    _ended: Callable[[], Any]
    _passed: Callable[[Request], None] | None

    def __init__(self, count: int, ended: Callable[[], Any], passed: Callable[[Request], None] | None = None) -> None:
        self._left, self._ended, self._passed = count, ended, passed

    def request_done(self, request: Request) -> None:
        """The device has served one of them."""
        self._left -= 1
        if self._passed is not None:
            self._passed(request)
        if not self._left:
            self._ended()


@dataclass
class CommandPart(Waiter):
    """A step of one command at a drive that reorders its queue."""

    device: BlockDevice
    member: Member
    part: MemberPart

    def happens(self) -> None:
        """The drive has completed the step."""
        self.device.part_ended(self.member, self.part)


class Server(Protocol):
    """A server of a device's requests."""

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When a request submitted at *now_s* is done."""

    def flush(self, now_s: float) -> float:
        """When all completed writes are on the medium."""


@dataclass
class IdleCheck(Waiter):
    """The moment from which on the scheduler no longer keeps the device idle."""

    device: BlockDevice

    def happens(self) -> None:
        """Dispatch what waits."""
        self.device.dispatch()


class BlockDevice(RequestServer):
    """A queue, a plug, a scheduler and a device; callers submit bios and are called back."""

    env: Clock
    server: Server
    _bounded: BoundedDrive | None
    """The server, where no host limits it, which the compiled loops call sooner."""
    queue: BlockQueue
    counters: Counters
    plugs: bool
    """Whether the queue is plugged when it was empty, as up to 2.6.38."""
    unplugged_at_once: bool
    """Whether callers unplug it before time goes on, so that a plug needs no end of its own."""
    flushes: bool
    """Whether fsync and its like empty the device's write cache."""
    fua: bool
    """Whether single writes go past the write cache."""
    tagged: Tagged | None
    """The queues of drives that choose among their commands, in place of the server."""
    throttle: WriteBackThrottle | None
    """The throttle of write-back (wbt), since 4.10."""
    plugged: bool
    events: int
    apart: dict[int, Counters]
    """Program -> counters of its own requests."""
    _last_submitter: Submitter | None
    """The submitter of the last whole submission."""
    _outstanding: int
    _plug_number: int
    _for_room: tuple[deque[simpy.Event], deque[simpy.Event]]
    """Who waits for room to read and to write, the longest waiting first."""
    _reserved: list[int]
    """Requests to read and to write that are free, and kept for those who have waited."""
    _wakes_at_s: float

    def __init__(self, env: Clock, server: Server, queue: BlockQueue, counters: Counters, depth: int) -> None:
        self.env = env
        self.server = server
        self._bounded = server if isinstance(server, BoundedDrive) else None
        self.queue = queue
        self.counters = counters
        self.plugs = self.unplugged_at_once = self.flushes = self.fua = self.plugged = False
        self.tagged = self.throttle = self._last_submitter = None
        self.apart = {}
        self.depth = depth
        self.events = self._outstanding = self._plug_number = 0
        self._for_room, self._reserved = (deque(), deque()), [0, 0]
        self._wakes_at_s = -1.0

    def submitter(self, owner: int, sync: bool = True, largest_bytes: int = 0, *, throttled: bool = False) -> Submitter:
        """A submitter of bios to this device."""
        return Submitter(owner, sync, largest_bytes, throttled=throttled)

    def bio(
        self, write: bool, start_byte: int, size_bytes: int, of: Submitter, *, batching: bool = False
    ) -> Request | None:
        """Merge or queue a bio; None where it needs a request and the queue is full, which *batching* may exceed."""
        now = self.env.now
        request = self.queue.merge(write, start_byte, size_bytes, of.largest_bytes)
        if request is not None:
            self._submitted(of.owner, write, size_bytes, merged=True)
            return request
        if not batching and self.queue.full(write, self._reserved[write]):
            return None
        throttle = self.throttle if of.throttled else None
        if throttle is not None and not throttle.admits(now, sync=of.sync):
            return None
        request = Request(write, start_byte, start_byte + size_bytes, of.owner, of.sync, now)
        request.server = self
        request.throttled = throttle is not None
        if self.plugs and not self.plugged and not self.queue.waiting:
            self.plugged = True
            if not self.unplugged_at_once:
                self._unplug_later()
        self.queue.insert(request)
        self._submitted(of.owner, write, size_bytes, merged=False)
        if self.plugged and self.queue.waiting >= QUEUE_PLUG_REQUESTS:
            self.unplug()
        return request

    def _submitted(self, owner: int, write: bool, size_bytes: int, *, merged: bool) -> None:
        self.counters.submitted(self.env.now, write, size_bytes, merged=merged)
        counters: Counters | None = self.apart.get(owner // PROGRAM) if self.apart else None
        if counters is not None:
            counters.submitted(self.env.now, write, size_bytes, merged=merged)

    def request(self, write: bool, start_byte: int, size_bytes: int, owner: int) -> simpy.Event:
        """Submit bytes, split at the largest request; return an event of the end of the last piece."""
        done, largest = self.env.event(), self.queue.largest_bytes
        self.events += 1
        if self._last_submitter is None or self._last_submitter.owner != owner:
            self._last_submitter = Submitter(owner)
        of: Submitter = self._last_submitter
        ended = Pieces(-(-size_bytes // largest), done.succeed)
        for begin in range(start_byte, start_byte + size_bytes, largest):
            size = min(largest, start_byte + size_bytes - begin)
            self.hand_over(write, begin, size, of, ended)
        self.unplug()
        return done

    def hand_over(self, write: bool, start_byte: int, size_bytes: int, of: Submitter, ended: Any) -> None:
        """Queue a bio now, or when there is room; its end is told to *ended*."""
        request = self.bio(write, start_byte, size_bytes, of)
        if request is None:
            self.events += 2  # a process starts and ends
            self.env.process(self._when_there_is_room(write, start_byte, size_bytes, of, ended))
        else:
            request.carry(ended)

    def _when_there_is_room(self, write: bool, start_byte: int, size_bytes: int, of: Submitter, ended: Any) -> Step:
        while (request := self.bio(write, start_byte, size_bytes, of)) is None:
            yield self.room(write)
        request.carry(ended)
        self.unplug()

    def flush(self, *, fua: bool = False) -> Step:
        """Flush the device's write cache and wait; iostat counts a write without data, except with FUA."""
        if not self.flushes:
            return
        begin_s = self.env.now
        if not fua:
            self.counters.submitted(begin_s, True, 0, merged=False)
        yield self.env.timeout(max(0.0, self.server.flush(begin_s) - begin_s))
        if not fua:
            self.counters.completed(self.env.now, True, 0, begin_s)

    def room(self, write: bool) -> simpy.Event:
        """An event for a task that found the queue full: there is room, and the task may queue a batch."""
        self.unplug()
        event = self.env.event()
        event.callbacks.append(lambda _: self.keeps_no_more(write))
        self._for_room[write].append(event)
        return event

    def wait_for_room(self, write: bool, waiter: RequestWaiter) -> None:
        """As :meth:`room`, for a waiter that is called then."""
        self.room(write).callbacks.append(lambda _: waiter.happens())

    def keeps_no_more(self, write: bool) -> None:
        """The next request is that of one who has waited for it."""
        self._reserved[write] -= 1

    def unplug(self) -> None:
        """Dispatch requests to the device."""
        self.plugged = False
        self.dispatch()

    def _unplug_later(self) -> None:
        self._plug_number += 1
        number = self._plug_number

        def expire(_: simpy.Event) -> None:
            if self.plugged and number == self._plug_number:
                self.unplug()

        self._after(QUEUE_PLUG_S, expire)

    def _after(self, delay_s: float, call: Callable[[simpy.Event], None]) -> None:
        self.events += 1
        event = self.env.timeout(delay_s)
        assert event.callbacks is not None
        event.callbacks.append(call)

    def dispatch(self) -> None:
        """Dispatch requests while the device accepts them."""
        if self.plugged:
            return
        now = self.env.now
        while self._outstanding < self.depth:
            if not self.queue.waiting and not self.queue.elevator.knows_all:
                return
            request = self.queue.take(now)
            if request is None:
                self._wait_for_better(now)
                return
            request.begin_s = now
            if self.throttle is not None:
                self.throttle.handed_over(now, request.write)
            self._outstanding += 1
            size = request.end_byte - request.start_byte
            if self.tagged is not None:
                answered_s: float = self.tagged.hit_s(now, request.write, size)
                if answered_s >= 0.0:
                    self.events += 1
                    self.env.after(answered_s - now, request)
                    continue
                for member in self.tagged.hand_in(now, request.write, request.start_byte, size, request):
                    self._begin_part(member)
                continue
            done_s: float = 0.0
            if self._bounded is not None:
                done_s = self._bounded.submit(now, request.write, request.start_byte, size)
            else:
                done_s = self.server.submit(now, request.write, request.start_byte, size)
            self.events += 1
            self.env.after(done_s - now, request)

    def _begin_part(self, member: Member) -> None:
        """A drive that chooses among its commands begins the next one."""
        part = member.begin(self.env.now)
        if part is not None:
            self.events += 1
            self.env.after(part.done_s - self.env.now, CommandPart(self, member, part))

    def part_ended(self, member: Member, part: MemberPart) -> None:
        """A drive that chooses among its commands has completed a part of one."""
        member.busy = False
        self._begin_part(member)  # the drive has chosen before the host hears of the last one
        if part.is_last():
            self.events += 1
            self.env.after(max(0.0, part.job_done_s() - self.env.now), part.job.host)

    def left(self, owner: int) -> None:
        """A process has ended: the scheduler no longer keeps the device idle for it."""
        self.queue.elevator.left(owner)
        if self.queue.waiting:
            self.dispatch()

    def _wait_for_better(self, now: float) -> None:
        """The scheduler keeps the device idle for a process that may continue: check again later."""
        wake_s = self.queue.elevator.wake_s
        if wake_s is not None and wake_s != self._wakes_at_s and wake_s > now:
            self._wakes_at_s = wake_s
            self.events += 1
            self.env.after(wake_s - now, IdleCheck(self))

    def ended(self, request: Request) -> None:
        """The device has served a request: notify its waiter and dispatch the next request."""
        now = self.env.now
        write, size = request.write, request.end_byte - request.start_byte
        self._outstanding -= 1
        if self.throttle is not None:
            self.throttle.done(now, request.begin_s, write, request.throttled)
        self.queue.done(request)
        self.queue.elevator.ended(request, now)
        self.counters.completed(now, write, size, request.queued_s)
        counters: Counters | None = self.apart.get(request.owner // PROGRAM) if self.apart else None
        if counters is not None:
            counters.completed(now, write, size, request.queued_s)
        if request.first is not None:
            self._tell(request.first, request)
        if request.others is not None:
            for waiter in request.others:
                self._tell(waiter, request)
        request.first = request.others = None  # those that it names may name it
        waiting = self._for_room[write]
        if waiting and not self.queue.full(write, self._reserved[write]):
            self._reserved[write] += 1
            waiting.popleft().succeed()
        if self.queue.waiting:
            self.dispatch()

    def _tell(self, waiter: Any, request: Request) -> None:
        """Tell one who waits for a request that it is done."""
        if isinstance(waiter, RequestWaiter):
            call: RequestWaiter = waiter
            call.request_done(request)
        elif isinstance(waiter, Waiter):
            self.env.soon(waiter)
        else:
            waiter(request)


class Batch:
    """A task that queues many requests: a batch beyond a full queue, then it waits for room."""

    _device: BlockDevice
    _most: int
    _left: int

    def __init__(self, device: BlockDevice, most: int) -> None:
        self._device = device
        self._most = self._left = most

    def bio(self, write: bool, start_byte: int, size_bytes: int, of: Submitter) -> Request | None:
        """As :meth:`BlockDevice.bio`, while the batch lasts."""
        queue = self._device.queue
        beyond = queue.full(write)
        count = queue.requests(write)
        request = self._device.bio(write, start_byte, size_bytes, of, batching=self._left > 0)
        if beyond and queue.requests(write) > count:
            self._left -= 1
        return request

    def begin(self) -> None:
        """The task has waited for room: it may queue a batch now."""
        self._left = self._most
