"""A buffer pool with its database writer, in simulated time: programs get blocks, DBWR writes what they changed."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import simpy
from numpy.typing import ArrayLike

from blocktime.model.kernels.buffer_kernel import Buffers
from blocktime.model.loops.arrays import GivenBytes, GivenWholes, Wholes, row, wholes
from blocktime.model.loops.buffers import TouchCounts
from blocktime.model.sim.clock import Clock
from blocktime.model.sim.writers import DatabaseWriter


class BufferPool:
    """Buffers that programs share, and the DBWR that cleans them."""

    env: Clock
    buffers: Buffers
    writer: DatabaseWriter
    _touched: TouchCounts
    _touch_time_s: float
    _to_write: Wholes
    _missed_at: Wholes

    def __init__(self, env: Clock, buffers: Buffers, writer: DatabaseWriter) -> None:
        self.env = env
        self.buffers = buffers
        self.writer = writer
        self._touched, self._to_write = buffers.touched, buffers.to_write
        self._touch_time_s = buffers.rules.touch_time_s
        self._missed_at = wholes(1024, 0)

    def get(
        self, blocks: GivenWholes, changes: GivenBytes, cold_end: GivenBytes, late_s: list[float]
    ) -> Generator[simpy.Event, Any, list[int]]:
        """Get blocks; those that have to be read. See :meth:`model.kernels.buffer_kernel.Buffers.work`.

        Where no buffer is clean, the session waits for DBWR and goes on; its waits are added to *late_s*.
        """
        reads: list[int] = []
        now: float
        while True:
            now = self.env.now
            done = self.got(blocks, changes, cold_end, reads)
            if done == len(blocks):
                return reads
            yield self.writer.cleaned()
            late_s.append(self.env.now - now)
            blocks, changes = blocks[done:], changes[done:]
            cold_end = cold_end[min(done, len(cold_end)) :]

    def got(self, blocks: GivenWholes, changes: GivenBytes, cold_end: GivenBytes, reads: list[int]) -> int:
        """Get blocks now, as many as there are buffers for; those that have to be read are added to *reads*."""
        now, count = self.env.now, len(blocks)
        if 2 * count > len(self._missed_at):
            self._missed_at = wholes(4 * count, 0)
        touched = self._touched
        done: int = touched.worked(blocks, changes, cold_end, now, self._touch_time_s, self._missed_at)
        for k in range(touched.missed):
            reads.append(blocks[self._missed_at[k]])
        for k in range(touched.dirtied):
            self.writer.dirtied(self._missed_at[count + k], now)
        if touched.writing:
            self.writer.request_writes([self._to_write[k] for k in range(touched.writing)])
        return done


def references(blocks: ArrayLike, changes: ArrayLike, cold_end: ArrayLike | None) -> tuple[Any, Any, Any]:
    """Arrays as :meth:`BufferPool.get` takes them; nothing enters at the cold end where that is None."""
    rows = [changes, () if cold_end is None else cold_end]
    changing, aside = (row(np.ascontiguousarray(each, np.bool_).view(np.uint8)) for each in rows)
    return row(np.ascontiguousarray(blocks, np.int64)), changing, aside
