"""What a session does in turn: a stretch on a processor, a read, the next stretch."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from model.machine.device.servers import Servers, Threads
from model.sim.data_files import BlockRequests
from model.sim.references import BlockLayout


class Stretches:
    """The processors and the data files that sessions share, and what they have under way there."""

    running: int
    """Sessions on a processor, or waiting for one."""
    reading: dict[int, simpy.Event]
    """Blocks that are being read, with the end of the last read of each."""
    _env: simpy.Environment
    _processors: Servers | Threads
    _files: BlockRequests
    _layout: BlockLayout

    def __init__(
        self, env: simpy.Environment, processors: Servers | Threads, files: BlockRequests, layout: BlockLayout
    ) -> None:
        self._env, self._processors, self._files, self._layout = env, processors, files, layout
        self.running = 0
        self.reading = {}

    def play(
        self, reads: list[Any], stretch_s: float, read_s: list[float]
    ) -> Generator[simpy.Event, Any, tuple[float, float]]:
        """A stretch before each read and one behind the last: seconds waited for a processor and on one.

        A read is that of its blocks, each the first of a number of blocks; what it takes is added to *read_s*.
        """
        env: simpy.Environment = self._env
        reading: dict[int, simpy.Event] = self.reading
        now: float
        begin: float
        end: float
        queue_s = cpu_s = 0.0
        left = len(reads)
        for _, blocks, length in (*reads, (None, (), 0)):
            now = env.now
            begin, end = self._processors.serve(now, stretch_s)
            queue_s += begin - now
            cpu_s += end - begin
            self.running += 1
            yield env.timeout(end - now)
            self.running -= 1
            if not left:
                break
            left -= 1
            now = env.now
            places = [self._layout.byte_of(block) for block in blocks]
            event = self._files.requests(False, places, length * self._layout.block_bytes)
            if length == 1:
                for block in blocks:
                    reading[block] = event
            yield event
            read_s.append(env.now - now)
            for block in blocks:
                if reading.get(block) is event:
                    del reading[block]
        return queue_s, cpu_s
