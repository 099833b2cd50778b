"""Schedulers, to the degree that they change order and size of requests.

- noop, none, kyber: in order of arrival. (kyber's latency targets bind only on devices with many queues.)
- deadline, mq-deadline: sweeps upwards by position in batches of 16; reads before writes, which may be passed over
  twice; the oldest request begins the next batch where it has waited 0.5 s (read) or 5 s (write), and where none lies
  further up [linux-deadline].
- cfq, bfq: one queue for each process that waits for its requests, one for all that nobody waits for; they take turns,
  each swept by position; a turn ends after its requests or its time; on a rotating disk the turn of a process that goes
  on near where it was waits up to 8 ms for its next request (cfq since 2.6.18) [linux-cfq, linux-bfq].

Weights, priorities and the finer heuristics of these schedulers are left out.
"""

from __future__ import annotations

from collections import deque

from blocktime.model.loops import fastest
from blocktime.model.loops.arrays import Wholes, more_wholes, wholes
from blocktime.model.machine.device.request import Request

IN_ORDER = ("noop", "none", "kyber")
"""Schedulers that leave requests as they come."""
IN_BATCHES = ("deadline", "mq-deadline")
FIFO_BATCH = 16
WRITES_STARVED = 2
READ_EXPIRE_S = 0.5
WRITE_EXPIRE_S = 5.0
QUANTUM = 8
SYNC_SLICE_S = 0.1
ASYNC_SLICE_S = 0.04
IDLE_S = 0.008
NEAR_BYTES = 800 * 512  # farther than this a process seeks (CFQQ_SEEK_THR)


class Elevator:
    """Order in which waiting requests go to the device."""

    wake_s: float | None
    """While it waits for a better request: until when."""
    knows_all: bool
    """Whether it has to be told of a request that comes alone before it goes to the device."""

    def insert(self, request: Request) -> None:
        """Take a request in."""
        raise NotImplementedError

    def moves(self, request: Request, start_byte: int) -> None:
        """A request begins earlier now, after a front merge."""
        request.start_byte = start_byte

    def take(self, now_s: float) -> Request | None:
        """The next request; None for none, or not yet."""
        raise NotImplementedError

    def passes(self, request: Request) -> None:
        """A request that was not inserted goes to the device; it is the only one."""

    def ended(self, request: Request, now_s: float) -> None:
        """A request has left the device."""

    def left(self, owner: int) -> None:
        """A process has ended."""


class ArrivalOrder:
    """Requests in order of arrival; some may have been taken meanwhile."""

    _first: Request | None
    _last: Request | None

    def __init__(self) -> None:
        self._first = self._last = None

    def append(self, request: Request) -> None:
        """A request has come."""
        last: Request | None = self._last
        if last is None:
            self._first = request
        else:
            last.newer = request
        self._last = request

    def oldest(self) -> Request | None:
        """The first that came of those that have not been taken; None for none."""
        while self._first is not None and self._first.taken:
            self.remove_oldest()
        return self._first

    def remove_oldest(self) -> None:
        """Forget the first that came."""
        first: Request | None = self._first
        assert first is not None
        self._first, first.newer = first.newer, None
        if self._first is None:
            self._last = None


class Fifo(Elevator):
    """First come, first served."""

    _waiting: ArrivalOrder
    _count: int

    def __init__(self) -> None:
        self._waiting, self._count = ArrivalOrder(), 0
        self.wake_s, self.knows_all = None, False

    def __len__(self) -> int:
        return self._count

    def insert(self, request: Request) -> None:
        """Take a request in."""
        self._waiting.append(request)
        self._count += 1

    def take(self, now_s: float) -> Request | None:
        """The oldest request."""
        request = self._waiting.oldest()
        if request is not None:
            self._waiting.remove_oldest()
            self._count -= 1
        return request


class SortedRequests:
    """Requests in order of their begin; those that begin alike in order of arrival."""

    waiting: list[Request]
    at_byte: int
    """Where the last one ended; the sweep goes on from there, and from the lowest again at the end."""
    _starts: Wholes
    """Their first bytes."""

    def __init__(self) -> None:
        self.waiting = []
        self.at_byte = 0
        self._starts = wholes(16, 0)

    def _first_from(self, start_byte: int) -> int:
        """The place of the first that begins there or further up."""
        low, high = 0, len(self.waiting)
        while low < high:
            middle = (low + high) >> 1
            if self._starts[middle] < start_byte:
                low = middle + 1
            else:
                high = middle
        return low

    def insert(self, request: Request) -> None:
        """Take a request in."""
        count, at = len(self.waiting), self._first_from(request.start_byte + 1)
        if count == len(self._starts):
            self._starts = more_wholes(self._starts)
        for place in range(count, at, -1):
            self._starts[place] = self._starts[place - 1]
        self._starts[at] = request.start_byte
        self.waiting.insert(at, request)

    def take_at(self, at: int) -> Request:
        """The request at a place, which leaves; the sweep goes on behind it."""
        request: Request = self.waiting.pop(at)
        for place in range(at, len(self.waiting)):
            self._starts[place] = self._starts[place + 1]
        self.at_byte = request.end_byte
        return request

    def place_of(self, request: Request) -> int:
        """The place of a request."""
        at = self._first_from(request.start_byte)
        while self.waiting[at] is not request:
            at += 1
        return at

    def moves(self, request: Request, start_byte: int) -> None:
        """A request begins earlier now."""
        at_byte = self.at_byte
        self.take_at(self.place_of(request))
        self.at_byte = at_byte
        request.start_byte = start_byte
        self.insert(request)

    def upwards(self) -> int:
        """The place of the next request upwards; below 0 where none lies there."""
        at = self._first_from(self.at_byte)
        return at if at < len(self.waiting) else -1

    def take(self) -> Request:
        """The next request upwards, or the lowest."""
        return self.take_at(max(0, self.upwards()))


class Deadline(Elevator):
    """Sweeps in batches, reads first, nobody forgotten.

    NOTE: of requests for the same place the second waits for the next sweep; the kernel takes it at once.
    """

    _reads: SortedRequests
    _writes: SortedRequests
    _read_order: ArrivalOrder
    _write_order: ArrivalOrder
    _batch: int
    _direction: int
    _passed_over: int

    def __init__(self) -> None:
        self._reads, self._writes = SortedRequests(), SortedRequests()
        self._read_order, self._write_order = ArrivalOrder(), ArrivalOrder()
        self._batch = self._direction = self._passed_over = 0
        self.wake_s, self.knows_all = None, False

    def __len__(self) -> int:
        return len(self._reads.waiting) + len(self._writes.waiting)

    def _sweep(self, write: int) -> SortedRequests:
        return self._writes if write else self._reads

    def insert(self, request: Request) -> None:
        """Take a request in."""
        self._sweep(request.write).insert(request)
        (self._write_order if request.write else self._read_order).append(request)

    def moves(self, request: Request, start_byte: int) -> None:
        """A request begins earlier now."""
        self._sweep(request.write).moves(request, start_byte)

    def take(self, now_s: float) -> Request | None:
        """Go on with the batch, or begin another."""
        if not self._reads.waiting and not self._writes.waiting:
            return None
        at = self._sweep(self._direction).upwards() if 0 < self._batch < FIFO_BATCH else -1
        if at < 0:
            at = self._first_of_batch(now_s)
        request = self._sweep(self._direction).take_at(at)
        request.taken = True
        self._batch += 1
        return request

    def passes(self, request: Request) -> None:
        """It goes on with the batch, or begins another, as if it had been inserted and taken."""
        sweep = self._sweep(request.write)
        goes_on = request.write == self._direction and request.start_byte >= sweep.at_byte
        if not goes_on or not 0 < self._batch < FIFO_BATCH:
            self._batch, self._direction = 0, int(request.write)
            if request.write:
                self._passed_over = 0
        sweep.at_byte = request.end_byte
        self._batch += 1

    def _first_of_batch(self, now_s: float) -> int:
        """The direction of the next batch, and the place of its first request."""
        reads, writes = len(self._reads.waiting), len(self._writes.waiting)
        if reads and not (writes and self._passed_over >= WRITES_STARVED):
            self._passed_over += 1 if writes else 0
            self._direction = 0
        else:
            self._passed_over = 0
            self._direction = 1
        oldest = (self._write_order if self._direction else self._read_order).oldest()
        assert oldest is not None
        expires_s = WRITE_EXPIRE_S if self._direction else READ_EXPIRE_S
        self._batch = 0
        sweep = self._sweep(self._direction)
        at = -1 if now_s - oldest.queued_s >= expires_s else sweep.upwards()
        return sweep.place_of(oldest) if at < 0 else at


ASYNC = -1
"""Queue of the requests that nobody waits for."""


class Fair(Elevator):
    """Turns: one sweep for each process that waits for its requests, and one for the rest."""

    _queues: dict[int, SortedRequests]
    _turns: deque[int]
    _active: int | None
    _left: int
    _slice_ends_s: float
    _idle_s: float
    _waiting_since_s: float | None
    _at_device: dict[int, int]
    _count: int
    _last_end_byte: dict[int, int]
    _near: dict[int, bool]
    """Whether a process goes on near where it was: only then is it worth waiting for."""

    def __init__(self, idle_s: float) -> None:
        self._queues, self._at_device, self._last_end_byte, self._near = {}, {}, {}, {}
        self._turns = deque()
        self._active = self._waiting_since_s = self.wake_s = None
        self._left = self._count = 0
        self._slice_ends_s = 0.0
        self._idle_s, self.knows_all = idle_s, True

    def __len__(self) -> int:
        return self._count

    def insert(self, request: Request) -> None:
        """Take a request in."""
        key = request.owner if request.sync else ASYNC
        queue: SortedRequests | None = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = SortedRequests()
        if not queue.waiting and key != self._active and key not in self._turns:
            self._turns.append(key)
        queue.insert(request)
        self._count += 1
        if not self._idle_s:  # nobody will ask where a process was
            return
        last = self._last_end_byte.get(key)
        if last is not None:
            self._near[key] = abs(request.start_byte - last) <= NEAR_BYTES
        self._last_end_byte[key] = request.end_byte

    def moves(self, request: Request, start_byte: int) -> None:
        """A request begins earlier now."""
        queue: SortedRequests = self._queues[request.owner if request.sync else ASYNC]
        queue.moves(request, start_byte)

    def take(self, now_s: float) -> Request | None:
        """Go on with the turn, wait a little for its process, or give the turn to the next."""
        self.wake_s = None
        if self._active is not None and self._over(now_s):
            if self._queues[self._active].waiting:
                self._turns.append(self._active)
            self._active = None
        if self._active is None:
            if not self._turns:
                return None
            self._active = self._turns.popleft()
            self._left = QUANTUM
            length = ASYNC_SLICE_S if self._active == ASYNC else SYNC_SLICE_S
            self._slice_ends_s = now_s + length
        queue: SortedRequests = self._queues[self._active]
        if not queue.waiting:  # it waits for its process, whose last request may still be at the device
            waiting = self._at_device.get(self._active, 0) == 0
            self.wake_s = (self._waiting_since_s or now_s) + self._idle_s if waiting else self._slice_ends_s
            return None
        self._waiting_since_s = None
        self._left -= 1
        self._count -= 1
        self._at_device[self._active] = self._at_device.get(self._active, 0) + 1
        return queue.take()

    def _over(self, now_s: float) -> bool:
        assert self._active is not None
        if self._queues[self._active].waiting:
            by_time = self._idle_s > 0
            return bool(self._turns) and (now_s >= self._slice_ends_s if by_time else self._left <= 0)
        if self._active == ASYNC or not self._idle_s or now_s >= self._slice_ends_s:
            return True
        if not self._near.get(self._active, True):
            return True
        if self._at_device.get(self._active, 0):
            return False
        since = self._waiting_since_s
        return since is None or now_s >= since + self._idle_s

    def ended(self, request: Request, now_s: float) -> None:
        """Whose request it was may send the next one soon."""
        self._at_device[request.owner if request.sync else ASYNC] -= 1
        if request.sync and request.owner == self._active and not self._queues[request.owner].waiting:
            self._waiting_since_s = now_s

    def left(self, owner: int) -> None:
        """A process has ended, and nothing of it is waited for [linux-cfq]."""
        self._near[owner] = False


def elevator_of(scheduler: str, *, idles: bool) -> Elevator:
    """The scheduler of that name; *idles* for cfq and bfq on a rotating disk."""
    if scheduler in ("deadline", "mq-deadline"):
        return fastest(Deadline)()
    if scheduler in ("cfq", "bfq"):
        return fastest(Fair)(IDLE_S if idles else 0.0)
    return fastest(Fifo)()
