"""A file that a program has open, and its reads through the page cache with read-ahead."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import simpy

from blocktime.model.causes import DEVICE, ROOM
from blocktime.model.laws import block_layer
from blocktime.model.laws.page_cache import next_address_block, place_of_page
from blocktime.model.machine.device.request import Request
from blocktime.model.machine.host.read_ahead import PagedRead, ReadAhead, Window
from blocktime.model.sim.device import BlockDevice, Pieces, Submitter

if TYPE_CHECKING:
    from blocktime.model.sim.shared_machine import Machine

Step = Generator[simpy.Event, Any, None]
Passed = Callable[[Request], None]
HIT_ROUNDING = 1e-12


class OpenFile:
    """What a program does with its file, *first_byte* of the disk on; *note* hears what it waits for, and how long."""

    env: simpy.Environment
    device: BlockDevice
    path: str
    first_byte: int
    owner: int
    pages: range
    """Pages of the disk that it takes."""
    _note: Callable[[str, float], None] | None
    _hit_fraction: float
    _ext3: bool
    _ahead: ReadAhead
    _hit_debt: float
    _largest_bytes: int
    submitter: Submitter

    def __init__(
        self,
        machine: Machine,
        owner: int,
        path: str,
        first_byte: int,
        span_bytes: int,
        note: Callable[[str, float], None] | None = None,
    ) -> None:
        self.env = machine.env
        self.device = machine.disk
        self.path = path
        self.first_byte = first_byte
        self.owner = owner
        self._note = note
        self._hit_fraction = machine.host.page_cache_hit_fraction
        self._ext3 = machine.host.filesystem == "ext3"
        self._ahead = machine.read_ahead()
        self._ahead.end_page = -(-span_bytes // block_layer.PAGE_BYTES)
        self._hit_debt = 0.0
        self._largest_bytes = machine.largest_bytes(path)
        self.submitter = self.device.submitter(owner, largest_bytes=self._largest_bytes)
        first = first_byte // block_layer.PAGE_BYTES
        self.pages = range(self.place_of(first), self.place_of(first + self._ahead.end_page) + 1)

    def advise(self, machine: Machine, fadvise: str) -> None:
        """Tell posix_fadvise how the file is read."""
        ahead = machine.read_ahead(fadvise)
        ahead.end_page, self._ahead = self._ahead.end_page, ahead

    def place_of(self, page: int) -> int:
        """Page of the file -> page of the device; ext3 puts its blocks of addresses between."""
        first = self.first_byte // block_layer.PAGE_BYTES
        return first + (place_of_page(page - first) if self._ext3 else page - first)

    def wait(self, done: simpy.Event) -> Step:
        """Unplug what was submitted, and wait for its end."""
        self.device.unplug()
        begin_s = self.env.now
        if not done.processed:
            yield done
        if self._note is not None:
            self._note(DEVICE, self.env.now - begin_s)

    def read_pages(self, place: int, size: int, passed: Passed | None = None) -> Step:
        """Wait for the pages of a call, those read ahead among them; the copy is left to the caller."""
        read: PagedRead = self._ahead.call(place - self.first_byte, size)
        while (fresh := read.next_windows()) is not None:
            for window in fresh:
                window.arrived = self.env.event()
            for window in fresh:
                yield from self._read_window(window, passed)
            if read.window is not None and not read.window.arrived.processed:
                yield from self.wait(read.window.arrived)

    def _bio(self, write: bool, start_byte: int, size_bytes: int, call: Pieces) -> Step:
        while True:
            request = self.device.bio(write, start_byte, size_bytes, self.submitter)
            if request is not None:
                request.carry(call)
                return
            begin_s: float = self.env.now
            yield self.device.room(write)
            if self._note is not None:
                self._note(ROOM, self.env.now - begin_s)

    def _read_window(self, window: Window, passed: Passed | None) -> Step:
        """Submit a window of pages in contiguous pieces; its share of hits is in the cache already."""
        self._hit_debt += self._hit_fraction
        if self._hit_debt >= 1 - HIT_ROUNDING:
            self._hit_debt -= 1
            window.arrived.succeed()
            return
        most = self._largest_bytes // block_layer.PAGE_BYTES
        first = self.first_byte // block_layer.PAGE_BYTES
        runs: list[tuple[int, int]] = []
        page, stop = window.pages.start, window.pages.stop
        while page < stop:
            jump = next_address_block(page) if self._ext3 else stop
            count = min(stop - page, jump - page, most)
            runs.append((self.place_of(first + page), count))
            page += count
        piece = Pieces(len(runs), window.arrived.succeed, passed)
        for begin, count in runs:
            yield from self._bio(False, begin * block_layer.PAGE_BYTES, count * block_layer.PAGE_BYTES, piece)
        self.device.unplug()
