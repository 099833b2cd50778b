"""A buffer pool with its database writer, in simulated time: programs get blocks, DBWR writes what they changed."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from model.kernels.buffers import Buffers, Work
from model.sim.writers import DatabaseWriter

References = tuple[Any, Any, Any]
"""Blocks, which of them change, and which enter at the cold end (None: none)."""


class BufferPool:
    """Buffers that programs share, and the DBWR that cleans them."""

    def __init__(self, env: simpy.Environment, buffers: Buffers, writer: DatabaseWriter) -> None:
        self.env = env
        self.buffers = buffers
        self.writer = writer

    def get(self, references: References, late_s: list[float]) -> Generator[simpy.Event, Any, list[int]]:
        """Get blocks; those that have to be read.

        Where no buffer is clean, the session waits for DBWR and goes on; its waits are added to *late_s*.
        """
        blocks, changes, cold_end = references
        reads: list[int] = []
        while True:
            now = self.env.now
            work: Work = self.buffers.work(blocks, changes, cold_end, now)
            if len(work.misses):
                reads += blocks[work.misses].tolist()
            if len(work.newly_dirty):
                self.writer.dirtied(work.newly_dirty.tolist(), now)
            if len(work.to_write):
                self.writer.asked(work.to_write.tolist())
            if work.done == len(blocks):
                return reads
            yield self.writer.cleaned()
            late_s.append(self.env.now - now)
            blocks, changes = blocks[work.done :], changes[work.done :]
            cold_end = None if cold_end is None else cold_end[work.done :]
