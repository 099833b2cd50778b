"""Requests that wait for a device: merged at their ends, let go by a scheduler, limited in number. Knows no time."""

from __future__ import annotations

from blocktime.model.loops.places import Places
from blocktime.model.machine.device.elevator import Elevator
from blocktime.model.machine.device.request import Request


class BlockQueue:
    """Waiting requests of one device, and how many of each direction there are until they are done."""

    elevator: Elevator
    largest_bytes: int
    count: list[int]
    """Requests of reads and of writes, waiting or at the device."""
    waiting: int
    """Requests of both that the scheduler still has."""
    merged: list[int]
    _nr_requests: int
    _merges: str
    _aside: Request | None
    """The only one that waits, where nobody has been told of it yet."""
    _last: Request | None
    """The request that was made or grew last, with ``nomerges`` 1 (``elv_merge``)."""
    _numbered: list[Request | None]
    """Those that wait, by their numbers."""
    _free: list[int]
    """Numbers that none of them has."""
    _by_end: tuple[Places, Places]
    _by_start: tuple[Places, Places]
    """Their numbers."""

    def __init__(self, elevator: Elevator, largest_bytes: int, nr_requests: int, nomerges: str = "0") -> None:
        self.elevator = elevator
        self.largest_bytes = largest_bytes
        self._nr_requests = nr_requests
        self._merges = nomerges
        self._last = self._aside = None
        self._numbered, self._free = [], []
        self._by_end, self._by_start = (Places(), Places()), (Places(), Places())
        self.count, self.merged = [0, 0], [0, 0]
        self.waiting = 0

    def __len__(self) -> int:
        return self.waiting

    def merge(
        self, write: bool, start_byte: int, size_bytes: int, largest_bytes: int | None = None
    ) -> Request | None:
        """The waiting request that takes the bio in, at its back or its front; None where there is none with room.

        *largest_bytes* is what the bio's segments allow, where these are not single pages.
        """
        if self._merges == "2" or not self.waiting:
            return None
        if self._aside is not None:
            aside: Request = self._aside
            if aside.end_byte != start_byte and aside.start_byte != start_byte + size_bytes:
                return None
            self._enter_aside()
        room_bytes = (self.largest_bytes if largest_bytes is None else largest_bytes) - size_bytes
        by_end: Places = self._by_end[write]
        by_start: Places = self._by_start[write]
        request = self._candidate(by_end, start_byte)
        if request is not None and request.end_byte - request.start_byte <= room_bytes:
            by_end.drop(start_byte)
            request.end_byte += size_bytes
            by_end.put(request.end_byte, request.number)
            self.merged[write] += 1
            return request
        request = self._candidate(by_start, start_byte + size_bytes)
        if request is not None and request.end_byte - request.start_byte <= room_bytes:
            by_start.drop(request.start_byte)
            self.elevator.moves(request, start_byte)
            by_start.put(start_byte, request.number)
            self.merged[write] += 1
            return request
        return None

    def _candidate(self, border: Places, at_byte: int) -> Request | None:
        """The waiting request with that begin or end; with ``nomerges`` 1 only where it came last [linux-block]."""
        number = border.at(at_byte)
        if number < 0:
            return None
        request: Request | None = self._numbered[number]
        return request if self._merges == "0" or request is self._last else None

    def full(self, write: bool) -> bool:
        """Whether nr_requests of the direction are there."""
        return self.count[write] >= self._nr_requests

    def insert(self, request: Request) -> None:
        """Queue a request of its own."""
        self.count[request.write] += 1
        self.waiting += 1
        self._last = request
        if self.waiting == 1 and not self.elevator.knows_all:
            self._aside = request
            return
        if self._aside is not None:
            self._enter_aside()
        self._enter(request)

    def _enter_aside(self) -> None:
        aside: Request | None = self._aside
        self._aside = None
        assert aside is not None
        self._enter(aside)

    def _enter(self, request: Request) -> None:
        by_end: Places = self._by_end[request.write]
        by_start: Places = self._by_start[request.write]
        if self._free:
            request.number = self._free.pop()
            self._numbered[request.number] = request
        else:
            request.number = len(self._numbered)
            self._numbered.append(request)
        by_end.put(request.end_byte, request.number)
        by_start.put(request.start_byte, request.number)
        self.elevator.insert(request)

    def take(self, now_s: float) -> Request | None:
        """The request that goes to the device next; None where none waits, or the scheduler waits for a better one."""
        if self._aside is not None:
            aside: Request = self._aside
            self._aside, self.waiting = None, 0
            self.elevator.passes(aside)
            return aside
        request: Request | None = self.elevator.take(now_s)
        if request is not None:
            self.waiting -= 1
            by_end: Places = self._by_end[request.write]
            by_start: Places = self._by_start[request.write]
            if by_end.at(request.end_byte) == request.number:
                by_end.drop(request.end_byte)
            if by_start.at(request.start_byte) == request.number:
                by_start.drop(request.start_byte)
            self._numbered[request.number] = None
            self._free.append(request.number)
        return request

    def done(self, request: Request) -> None:
        """A request has left the device."""
        self.count[request.write] -= 1
