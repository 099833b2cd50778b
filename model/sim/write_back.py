"""Dirty pages on their way to the device: write-back above the limits or by age, and ext3's commits."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Any

import simpy

from blocktime.model.demand.calls import largest_bytes_of
from blocktime.model.laws import block_layer, page_cache
from blocktime.model.loops import fastest
from blocktime.model.machine.device.request import Request
from blocktime.model.machine.host.dirty_pages import DirtyPages
from blocktime.model.sim.clock import Clock
from blocktime.model.sim.device import Batch, BlockDevice
from blocktime.model.spec import Host
from blocktime.model.units import MIB

Step = Generator[simpy.Event, Any, None]

KERNEL = -1
"""Owner of writes of the kernel that belong to no program."""
JOURNAL_BYTES = 32 * MIB
DIRTY_BYTES = 190
"""Of a dirty page."""
SORTED_BYTES = 45
"""Of a dirty page while pages are written in order."""
PIECE_BYTES = 120
"""Of what is handed down in one piece."""
DIRTIED_NS = 120
"""Work of a page that becomes dirty, and is written, on a processor of the 2020s."""


class PageCache:
    """The host's page cache above one device."""

    def __init__(self, env: Clock, host: Host, device: BlockDevice, journal_byte: int) -> None:
        self.env = env
        self.host = host
        self.device = device
        self.pages = DirtyPages(block_layer.PAGE_BYTES)
        self.release = block_layer.release_of(host.kernel)
        self.background_bytes: float
        self.background_bytes, limit = page_cache.dirty_limits_bytes(
            host.memory_bytes, host.dirty_background_ratio_percent, host.dirty_ratio_percent
        )
        self.limit_bytes: float = page_cache.writer_limit_bytes(self.background_bytes, limit, self.release)
        self.commits: simpy.Event | None = None
        """While ext3 writes the data of a transaction: its end, which writers wait for."""
        self.watched: dict[int, Callable[[Request], None]] = {}
        """Page -> the waiters for its write."""
        self._waiting: list[simpy.Event] = []
        self._most_pages = 0
        self._kick = env.event()
        self._dirtied = env.event()
        self._opened = env.event()
        self._journals = host.journal and host.filesystem in ("ext3", "ext4")
        aged = self._journals and host.journal_age_s > 0
        self._transaction_s: float | None = -host.journal_age_s if aged else None
        self._ordered = self._journals and host.filesystem == "ext3" and host.journal_data == "ordered"
        self._by_page = block_layer.page_by_page(self.release, host.filesystem)
        self._largest_bytes = int(
            largest_bytes_of(host, "buffered", writes=True, call_bytes=block_layer.MAX_SEGMENT_BYTES)
        )
        self._batch = block_layer.batch_requests(self.release)
        self._journal_first_byte = self._journal_byte = journal_byte
        self._kernel_batch = fastest(Batch)(device, self._batch)

    # Callers

    def written_in(self, call_bytes: int) -> None:
        """A program writes in calls of a size: where files have folios, the smallest ones decide requests."""
        largest = largest_bytes_of(self.host, "buffered", writes=True, call_bytes=call_bytes)
        self._largest_bytes = min(self._largest_bytes, int(largest))

    def dirty(self, pages: range, place: Callable[[int], int]) -> None:
        """Pages of a file are written into the cache."""
        now = self.env.now
        for page in pages:
            self.pages.write(place(page), now)
        self.env.watch.at(now, DIRTIED_NS * len(pages))
        if len(self.pages) > self._most_pages:
            self.env.watch.hold(DIRTY_BYTES * (len(self.pages) - self._most_pages))
            self._most_pages = len(self.pages)
        if self._journals and self._transaction_s is None:
            self._transaction_s = now
            if not self._opened.triggered:
                self._opened.succeed()
        if not self._dirtied.triggered:
            self._dirtied.succeed()
        if self._above_background() and not self._kick.triggered:
            self._kick.succeed()

    def over_limit(self) -> bool:
        """Whether writers are throttled."""
        return self.pages.bytes > self.limit_bytes

    def below_limit(self) -> simpy.Event:
        """An event for a throttled writer."""
        event = self.env.event()
        self._waiting.append(event)
        self._hurry(True)
        return event

    def _hurry(self, writer_waits: bool) -> None:
        """Tell wbt whether writers are throttled."""
        if self.device.throttle is not None:
            self.device.throttle.hold(self.env.now, writer_waits)

    def pages_of_fsync(self, file: range) -> list[int]:
        """Dirty pages that fsync of a file writes: its own, or all where a commit writes what is new in any file.

        ext3 in ordered mode does so; a block device is one file. [linux-ext3]
        """
        pages = self.pages.in_order()
        if self._ordered or self.host.filesystem == "none":
            return pages
        return [page for page in pages if page in file]

    def sync_pages(self, pages: list[int], owner: int) -> Step:
        """Write those of *pages* that are dirty and wait for them, as fsync and O_SYNC do."""
        yield from self._write(pages, owner, sync=True)
        yield from self.device.flush()

    def commit_record(self, owner: int) -> Step:
        """Write what a transaction adds to the journal, and wait for it: first the blocks, then the commit block.

        Each block goes down by itself, and merges with the one before [linux-ext3].
        Without a journal it is the inode's block, the same one each time.
        """
        host = self.host
        self._transaction_s = None
        if (host.journal and host.journal_elsewhere) or host.filesystem == "none":
            return
        for pages in page_cache.commit_pages(host.journal):
            blocks = []
            for _ in range(pages):
                blocks.append(self.env.event())
                yield from self._request(self._journal_byte, self.pages.page_bytes, owner, blocks[-1])
                self._journal_byte += self.pages.page_bytes
            self.device.unplug()
            yield self.env.all_of(blocks)
        if not host.journal or self._journal_byte > self._journal_first_byte + JOURNAL_BYTES:
            self._journal_byte = self._journal_first_byte
        yield from self.device.flush()

    def _request(self, start_byte: int, size_bytes: int, owner: int, done: simpy.Event) -> Step:
        while True:
            request = self.device.bio(True, start_byte, size_bytes, self.device.submitter(owner))
            if request is not None:
                request.carry(lambda _: done.succeed())
                return
            yield self.device.room(True)

    # The kernel's own tasks

    def flusher(self) -> Step:
        """Write back what is above the background limit, and what is old whenever it looks."""
        while True:
            while not len(self.pages):
                self._dirtied = self.env.event()
                yield self._dirtied
            if not self._above_background():
                self._kick = self.env.event()
                yield self._kick | self.env.timeout(self._until_old_s())
            if not len(self.pages):
                continue
            old = self.pages.older_than(self.env.now - self.host.dirty_expire_s)
            waiting = self.pages.in_order()
            for first in range(0, len(waiting), page_cache.WRITE_BACK_PAGES):
                if not old and not self._above_background():
                    break
                yield from self._write(waiting[first : first + page_cache.WRITE_BACK_PAGES], KERNEL, sync=False)

    def _until_old_s(self) -> float:
        """Time until the first look that finds an old page: looks come at a steady interval."""
        every_s = self.host.dirty_writeback_s
        age_s = self.env.now - self.pages.oldest_s()
        return max(1, math.ceil((self.host.dirty_expire_s - age_s) / every_s)) * every_s

    def _above_background(self) -> bool:
        return len(self.pages) * self.pages.page_bytes > self.background_bytes

    def journal(self) -> Step:
        """Commit the running transaction when it is old enough."""
        while True:
            while self._transaction_s is None:
                self._opened = self.env.event()
                yield self._opened
            due_s = self._transaction_s + self.host.journal_commit_s
            if due_s > self.env.now:  # a foreground commit may close it before
                yield self.env.timeout(due_s - self.env.now)
            else:
                yield from self._commit()

    def _commit(self) -> Step:
        if self._ordered and len(self.pages):
            self._transaction_s = None
            self.commits = self.env.event()
            yield from self._write(self.pages.in_order(), KERNEL, sync=False, wait=True)
            yield from self.commit_record(KERNEL)
            self.commits.succeed()
            self.commits = None
        else:
            yield from self.commit_record(KERNEL)

    def _write(self, pages: list[int], owner: int, *, sync: bool, wait: bool = False) -> Step:
        """Submit dirty pages in order; with *sync* or *wait* until they are on the device."""
        batch = self._kernel_batch if owner == KERNEL else fastest(Batch)(self.device, self._batch)
        of = self.device.submitter(owner, sync, self._largest_bytes, throttled=True)
        under_way = 0
        all_done = self.env.event()
        handed_down = False
        page_bytes = self.pages.page_bytes

        def arrived(count: int) -> Callable[[Request], None]:
            def call(_: Request) -> None:
                nonlocal under_way
                self.pages.written(count)
                under_way -= count
                if self._waiting and not self.over_limit():
                    waiting, self._waiting = self._waiting, []
                    self._hurry(False)
                    for event in waiting:
                        event.succeed()
                if handed_down and not under_way:
                    all_done.succeed()

            return call

        cpu_s = 0.0
        runs = self._runs(pages)
        size_bytes = SORTED_BYTES * len(pages) + PIECE_BYTES * len(runs)
        self.env.watch.hold(size_bytes)
        for start, count in runs:
            run = range(start, start + count)
            taken = self.pages.take(run)
            if not taken:
                continue
            under_way += taken
            cpu_s += count * self.host.page_submit_s
            before = self.device.queue.requests(True)
            while (request := batch.bio(True, start * page_bytes, count * page_bytes, of)) is None:
                yield self.device.room(True)
                batch.begin()
            request.carry(arrived(taken))
            if self.watched:
                for page in [page for page in self.watched if page in run]:
                    request.carry(self.watched.pop(page))
            if not sync and self.device.queue.requests(True) != before:  # time passes request by request
                yield self.env.timeout(cpu_s)
                cpu_s = 0.0
        self.env.watch.hold(-size_bytes)
        self.device.unplug()
        if cpu_s:
            yield self.env.timeout(cpu_s)
        handed_down = True
        if (sync or wait) and under_way:
            yield all_done

    def _runs(self, pages: list[int]) -> list[tuple[int, int]]:
        """Pages as the pieces that are handed down: one by one, or contiguous ones up to the largest request."""
        if self._by_page:
            return [(page, 1) for page in pages]
        most = self._largest_bytes // self.pages.page_bytes
        runs: list[tuple[int, int]] = []
        for page in pages:
            if runs and runs[-1][0] + runs[-1][1] == page and runs[-1][1] < most:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1)
            else:
                runs.append((page, 1))
        return runs
