"""A request to a device, from the queue to its end."""

from __future__ import annotations

from typing import Any

from blocktime.model.loops.calendar import Waiter


class RequestServer:
    """What serves requests, and is called at the end of each."""

    depth: int
    """Requests that it holds at once."""

    def ended(self, request: Request) -> None:
        """It has served a request."""


class Request(Waiter):
    """One request: where it lies, whose it is, and who waits for it. The calendar calls it when it has been served."""

    server: RequestServer | None

    write: bool
    start_byte: int
    end_byte: int
    owner: int
    sync: bool
    throttled: bool
    """Whether it is write-back that wbt has counted in."""
    taken: bool
    """Whether the scheduler has let it go."""
    number: int
    """In its queue, of all that wait there."""
    queued_s: float
    begin_s: float
    """When it was handed to the device."""
    newer: Request | None
    """The next that came to the scheduler, where it has not forgotten this one."""
    first: Any
    """The first of the calls and pages that it carries, or who goes on soon after its end; None where nobody waits."""
    others: list[Any] | None
    """Those behind the first."""

    def __init__(self, write: bool, start_byte: int, end_byte: int, owner: int, sync: bool, queued_s: float) -> None:
        self.write = write
        self.start_byte = start_byte
        self.end_byte = end_byte
        self.owner = owner
        self.sync = sync
        self.throttled = self.taken = False
        self.number = -1
        self.queued_s = self.begin_s = queued_s
        self.first = self.others = self.server = self.newer = None

    def carry(self, waiter: Any) -> None:
        """Let someone else wait for its end."""
        if self.first is None:
            self.first = waiter
        elif self.others is None:
            self.others = [waiter]
        else:
            self.others.append(waiter)

    def happens(self) -> None:
        """It has been served."""
        if self.server is not None:
            self.server.ended(self)

    @property
    def size_bytes(self) -> int:
        """Bytes it carries."""
        return self.end_byte - self.start_byte
