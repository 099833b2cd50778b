"""A request to a device, from the queue to its end."""

from __future__ import annotations

from typing import Any


class Request:
    """One request: where it lies, whose it is, and who waits for it."""

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
    waiting: list[Any]
    """Calls and pages that it carries, and who goes on soon after its end."""

    def __init__(
        self, write: bool, start_byte: int, end_byte: int, owner: int, sync: bool, queued_s: float
    ) -> None:
        self.write = write
        self.start_byte = start_byte
        self.end_byte = end_byte
        self.owner = owner
        self.sync = sync
        self.throttled = self.taken = False
        self.number = -1
        self.queued_s = self.begin_s = queued_s
        self.waiting = []

    @property
    def size_bytes(self) -> int:
        """Bytes it carries."""
        return self.end_byte - self.start_byte
