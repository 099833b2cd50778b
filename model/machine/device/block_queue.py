"""Requests that wait for a device: merged at their ends, let go by a scheduler, limited in number. Knows no time."""

from __future__ import annotations

from blocktime.model.loops.arrays import Wholes, more_wholes, wholes
from blocktime.model.loops.places import Places
from blocktime.model.machine.device.elevator import Elevator
from blocktime.model.machine.device.request import Request


class BlockQueue:
    """Waiting requests of one device, and how many of each direction there are until they are done."""

    elevator: Elevator
    largest_bytes: int
    waiting: int
    """Requests of both that the scheduler still has."""
    merged: list[int]
    _count: Wholes
    """Requests of reads and of writes, waiting or at the device."""
    _nr_requests: int
    _merges: bool
    _merges_last: bool
    """Whether only the request that came last takes bios in (``nomerges`` 1)."""
    _aside: Request | None
    """The only one that waits, where nobody has been told of it yet."""
    _last: Request | None
    """The request that was made or grew last, with ``nomerges`` 1 (``elv_merge``)."""
    _numbered: list[Request]
    """Those that wait, by their numbers; others at free numbers."""
    _free: Wholes
    """Numbers that none of them has; so many of them are free."""
    _free_numbers: int
    _read_ends: Places
    _read_starts: Places
    _write_ends: Places
    _write_starts: Places
    """Their numbers, by their last and their first bytes."""

    def __init__(self, elevator: Elevator, largest_bytes: int, nr_requests: int, nomerges: str = "0") -> None:
        self.elevator = elevator
        self.largest_bytes = largest_bytes
        self._nr_requests = nr_requests
        self._merges, self._merges_last = nomerges != "2", nomerges == "1"
        self._last = self._aside = None
        self._numbered, self._free, self._free_numbers = [], wholes(16, 0), 0
        self._read_ends, self._read_starts = Places(), Places()
        self._write_ends, self._write_starts = Places(), Places()
        self._count, self.merged = wholes(2, 0), [0, 0]
        self.waiting = 0

    def __len__(self) -> int:
        return self.waiting

    def merge(self, write: bool, start_byte: int, size_bytes: int, largest_bytes: int = 0) -> Request | None:
        """The waiting request that takes the bio in, at its back or its front; None where there is none with room.

        *largest_bytes* is what the bio's segments allow, if not 0; otherwise it is that of single pages.
        """
        if not self.waiting or not self._merges:
            return None
        if self._aside is not None:
            aside: Request = self._aside
            if aside.end_byte != start_byte and aside.start_byte != start_byte + size_bytes:
                return None
            self._enter_aside()
        room_bytes = (largest_bytes if largest_bytes else self.largest_bytes) - size_bytes
        by_end = self._ends(write)
        by_start = self._starts(write)
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

    def _ends(self, write: bool) -> Places:
        return self._write_ends if write else self._read_ends

    def _starts(self, write: bool) -> Places:
        return self._write_starts if write else self._read_starts

    def _candidate(self, border: Places, at_byte: int) -> Request | None:
        """The waiting request with that begin or end; with ``nomerges`` 1 only where it came last [linux-block]."""
        number = border.at(at_byte)
        if number < 0:
            return None
        request: Request = self._numbered[number]
        return request if not self._merges_last or request is self._last else None

    def requests(self, write: bool) -> int:
        """How many of a direction wait or are at the device."""
        return int(self._count[write])

    def full(self, write: bool, reserved: int = 0) -> bool:
        """Whether nr_requests of the direction are there, so many more of which are *reserved* for those who waited."""
        return bool(self._count[write] + reserved >= self._nr_requests)

    def insert(self, request: Request) -> None:
        """Queue a request of its own."""
        self._count[request.write] += 1
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
        if self._free_numbers:
            self._free_numbers -= 1
            request.number = self._free[self._free_numbers]
            self._numbered[request.number] = request
        else:
            request.number = len(self._numbered)
            self._numbered.append(request)
        self._ends(request.write).put(request.end_byte, request.number)
        self._starts(request.write).put(request.start_byte, request.number)
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
            self._ends(request.write).drop_if(request.end_byte, request.number)
            self._starts(request.write).drop_if(request.start_byte, request.number)
            if self._free_numbers == len(self._free):
                self._free = more_wholes(self._free)
            self._free[self._free_numbers] = request.number
            self._free_numbers += 1
        return request

    def done(self, request: Request) -> None:
        """A request has left the device."""
        self._count[request.write] -= 1
