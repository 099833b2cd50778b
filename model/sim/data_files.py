"""Data files and redo log on their devices: requests in order of arrival, or through the kernel's scheduler."""

from __future__ import annotations

from array import array
from typing import Any, Protocol

import numpy as np
import simpy

from model.laws import block_layer
from model.sim.device import BlockDevice
from model.sim.device import Server as Drive
from model.state.iostat import Counters
from model.state.iostat_at_once import Bios, Requests, count_merged

IN_ORDER = ("noop", "none", "kyber")
"""Schedulers that leave requests as they come."""


class Files(Protocol):
    """What takes requests for blocks."""

    def request(self, write: bool, start_byte: int, size_bytes: int) -> simpy.Event:
        """An event at the end of a request that is handed over now."""

    def finish(self) -> Counters:
        """Counters of all requests that are done."""


class InOrder:
    """A device that serves requests as they come: their end is known at once. Nothing merges at random places."""

    def __init__(self, env: simpy.Environment, drive: Drive, counters: Counters, largest_bytes: int) -> None:
        self.env = env
        self.drive = drive
        self.counters = counters
        self._largest = largest_bytes
        self._queued, self._ended = array("d"), array("d")
        self._write, self._size = array("b"), array("q")

    def request(self, write: bool, start_byte: int, size_bytes: int) -> simpy.Event:
        """An event at the end of a request that is handed over now."""
        now = self.env.now
        done = now
        for begin in range(0, size_bytes, self._largest):
            size = min(self._largest, size_bytes - begin)
            done = self.drive.submit(now, write, start_byte + begin, size)
            self._queued.append(now)
            self._ended.append(done)
            self._write.append(write)
            self._size.append(size)
        return self.env.timeout(done - now)

    def finish(self) -> Counters:
        """Counters of all requests, as iostat has them; those still under way are left out."""
        ended = np.asarray(self._ended)
        done = ended <= self.env.now
        queued, write = np.asarray(self._queued)[done], np.asarray(self._write, dtype=np.int64)[done]
        size = np.asarray(self._size)[done]
        count_merged(
            self.counters,
            Bios(queued, write, size, np.zeros(len(queued), bool)),
            Requests(queued, write, size, ended[done]),
        )
        return self.counters


class Scheduled:
    """A device behind the kernel's queue, whose scheduler may choose among the requests that wait."""

    def __init__(self, env: simpy.Environment, device: BlockDevice, largest_bytes: int) -> None:
        self.env = env
        self.device = device
        self._largest = largest_bytes

    def request(self, write: bool, start_byte: int, size_bytes: int) -> simpy.Event:
        """An event at the end of a request that is handed over now."""
        done = self.env.event()
        pieces = range(0, size_bytes, self._largest)
        left = len(pieces)

        def ended(_: Any) -> None:
            nonlocal left
            left -= 1
            if not left:
                done.succeed()

        for begin in pieces:
            size = min(self._largest, size_bytes - begin)
            if not self._handed_over(write, start_byte + begin, size, ended):
                self.env.process(self._when_there_is_room(write, start_byte + begin, size, ended))
        self.device.unplug()
        return done

    def _handed_over(self, write: bool, start_byte: int, size_bytes: int, ended: Any) -> bool:
        request = self.device.bio(write, start_byte, size_bytes, 0, sync=True)
        if request is not None:
            request.waiting.append(ended)
        return request is not None

    def _when_there_is_room(self, write: bool, start_byte: int, size_bytes: int, ended: Any) -> Any:
        while not self._handed_over(write, start_byte, size_bytes, ended):
            yield self.device.room(write)
        self.device.unplug()

    def finish(self) -> Counters:
        """Counters of all requests, as iostat has them."""
        self.device.counters.finish(self.env.now)
        return self.device.counters


def is_in_order(system: Any, largest_bytes: int, block_bytes: int) -> bool:
    """Whether requests are served as they come: nothing sorts them, or their order does not matter to the device."""
    placeless = not system.disk.rotation_s and not system.disk.average_seek_s
    return (placeless or system.host.scheduler in IN_ORDER) and largest_bytes >= block_bytes


def largest_request_bytes(host: Any) -> int:
    """Largest request of the device."""
    return int(block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments))
