"""The log writer, which takes all that waits along, and the database writer, which cleans what is dirty for long."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from model.kernels.buffers import Buffers
from model.laws.commit import LOG_BLOCK_BYTES
from model.sim.data_files import Files
from model.sim.references import Layout
from model.units import MIB

Step = Generator[simpy.Event, Any, None]
LOG_FILES_BYTES = 256 * MIB
LARGEST_LOG_WRITE_BYTES = MIB
LOOKS_EVERY_S = 1.0
"""Time between two looks of DBWR for blocks that have been dirty for long [general knowledge]."""


LARGE_DIRTY_QUEUE = 25
"""Blocks on the write list for which DBWR is woken [general knowledge]."""


class LogWriter:
    """LGWR: one write at a time, of all redo that has come by then; those who commit wait for it."""

    def __init__(self, env: simpy.Environment, files: Files, first_byte: int) -> None:
        self.env = env
        self.files = files
        self.writes = 0
        self._first_byte = first_byte
        self._place = 0
        self._redo_bytes = 0
        self._waiting: list[simpy.Event] = []
        self._idle: simpy.Event | None = None

    def note(self, redo_bytes: int) -> None:
        """Redo that goes with the next write."""
        self._redo_bytes += redo_bytes

    def commit(self) -> simpy.Event:
        """An event once all redo noted so far is on disk."""
        done = self.env.event()
        self._waiting.append(done)
        if self._idle is not None:
            self._idle.succeed()
            self._idle = None
        return done

    def run(self) -> Step:
        """Write as long as there are commits."""
        while True:
            if not self._waiting:
                self._idle = self.env.event()
                yield self._idle
            waiting, self._waiting = self._waiting, []
            left = -(-max(self._redo_bytes, 1) // LOG_BLOCK_BYTES) * LOG_BLOCK_BYTES
            self._redo_bytes = 0
            while left > 0:
                size = min(left, LARGEST_LOG_WRITE_BYTES)
                if self._place + size > LOG_FILES_BYTES:
                    self._place = 0
                yield self.files.request(True, self._first_byte + self._place, size)
                self._place += size
                left -= size
                self.writes += 1
            for done in waiting:
                done.succeed()


class DatabaseWriter:
    """DBWR of one pool: writes what the search for buffers met, and what has been dirty for long, oldest first."""

    def __init__(
        self,
        env: simpy.Environment,
        files: Files,
        buffers: Buffers,
        layout: Layout,
        limits: tuple[int, float],
    ) -> None:
        self.env = env
        self.files = files
        self.buffers = buffers
        self.layout = layout
        self.most, self.age_s = limits
        self.written = 0
        self._since_s: dict[int, float] = {}
        """Dirty blocks, the longest dirty first."""
        self._asked: list[int] = []
        self._kick: simpy.Event | None = None
        self._cleaned = env.event()

    def dirtied(self, blocks: list[int], now_s: float) -> None:
        """Blocks have become dirty."""
        since_s = self._since_s
        for block in blocks:
            since_s[block] = now_s

    def since(self, dirty: dict[int, float]) -> None:
        """Blocks that have been dirty since times in order, at the begin."""
        self._since_s.update(dirty)

    def asked(self, blocks: list[int]) -> None:
        """Blocks are on the write list: they come first, once there are enough of them or DBWR looks."""
        self._asked += blocks
        if len(self._asked) >= LARGE_DIRTY_QUEUE:
            self._wake()

    def _wake(self) -> None:
        if self._kick is not None:
            self._kick.succeed()
            self._kick = None

    def cleaned(self) -> simpy.Event:
        """An event when some buffers have been cleaned (``free buffer waits``)."""
        if not self._asked:  # nothing is on its way: let it write the oldest
            self._asked += list(self._since_s)[: self.most]
        self._wake()
        return self._cleaned

    def run(self) -> Step:
        """Write what is due, then wait."""
        while True:
            blocks = self._due()
            if not blocks:
                self._kick = self.env.event()
                yield self._kick | self.env.timeout(LOOKS_EVERY_S)
                self._kick = None
                continue
            size = self.layout.block_bytes
            for block in blocks:
                self._since_s.pop(block, None)
            requests = [self.files.request(True, self.layout.byte_of(block), size) for block in blocks]
            yield self.env.all_of(requests)
            self.buffers.written(blocks)
            self.written += len(blocks)
            cleaned, self._cleaned = self._cleaned, self.env.event()
            cleaned.succeed()

    def _due(self) -> list[int]:
        """The next blocks to write: no more than may be under way at once."""
        due = [block for block in dict.fromkeys(self._asked[: self.most]) if block in self._since_s]
        self._asked = self._asked[self.most :]
        old_s = self.env.now - self.age_s
        chosen = set(due)
        for block, since_s in self._since_s.items():
            if len(due) >= self.most or since_s > old_s:
                break
            if block not in chosen:
                due.append(block)
        return due
