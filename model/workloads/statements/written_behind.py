"""What a statement dirties, on its way to the disk: the machine's DBWR writes its blocks, and LGWR its redo."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from math import inf
from typing import Any

import simpy

from blocktime.model.causes import FREE_BUFFERS, LOG_FILE_SYNC, LOG_SPACE
from blocktime.model.demand import Demand
from blocktime.model.demand.transactions import touch_rules
from blocktime.model.demand.turns import STRETCH_BLOCKS
from blocktime.model.kernels.buffers import Buffers
from blocktime.model.laws.commit import LOG_FILES_BYTES
from blocktime.model.loops import fastest
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.machine.device.iostat import Counters
from blocktime.model.sim.data_files import Files, largest_request_bytes
from blocktime.model.sim.machine import Machine, counters_of, device_of
from blocktime.model.sim.streams import stream
from blocktime.model.sim.writers import LogWriter
from blocktime.model.spec import System
from blocktime.model.workloads.statements.ledger import StatementLedger

Step = Generator[simpy.Event, Any, None]


class WrittenBehind:
    """Room for dirty blocks in the cache; what has none is written one stretch behind the sessions, as is redo.

    Blocks of the table lie in its segment in the order in which they are dirtied, those apart anywhere in it.
    """

    def __init__(
        self, machine: Machine, asked: tuple[System, Demand, int], place: tuple[int, int], seed: int
    ) -> None:
        """*asked* ends with the users, *place* is the first block of the segment on the disk and its blocks."""
        system, demand, users = asked
        behind, size = demand.writing, int(system.tablespace.block_size_bytes)
        assert behind is not None
        self.env = machine.env
        self.dirtied = float(behind.blocks / (users * demand.blocks_wanted))
        """Blocks that are dirtied for each that a session works on."""
        self.redo_counters: Counters | None = None
        """Of a disk of the log's own, where the host limits what its volumes do together."""
        self._blocks, self._room, self._apart = (
            float(number) for number in (behind.blocks, behind.room_blocks, behind.apart_fraction)
        )
        self._first, self._span = place
        self._end = capacity_of(system.disk) // size
        self._filled = 0.0
        self._asked, self._goes_on = 0, (0, 0)
        """Blocks that DBWR has been asked to write, and from which of them on they lie where."""
        self._on_way: deque[int] = deque()
        self._turns: deque[simpy.Event] = deque()
        """Turns of the sessions that wait, the longest waiting first: who filled first goes on first."""
        self._draws = stream(seed, "dirty blocks")
        self._writer = machine.database_writer(system, Buffers(1, touch_rules(system)), 0, inf)
        self._writer.outside = 0
        self._log = self._log_of(machine, system, seed)
        self._redo_bytes = float(behind.redo_bytes / behind.blocks) if self._log else 0.0
        self._noted = 0
        self._no_room: simpy.Event | None = None

    def _log_of(self, machine: Machine, system: System, seed: int) -> LogWriter | None:
        """LGWR among the blocks, or behind the limits of the host; None where its redo meets neither."""
        instance, host = system.instance, system.host
        disk = machine.disk
        if instance.redo_disk != "data":
            if not host.limits_volumes:
                return None
            self.redo_counters = counters_of(system)
            disk = device_of(self.env, system, self.redo_counters, seed + 1, machine.limits)
        files = fastest(Files)(self.env, disk, largest_request_bytes(host))
        size = int(system.tablespace.block_size_bytes)
        wanted = (self._first + self._span) * size if instance.redo_byte is None else int(instance.redo_byte)
        first_byte = max(0, min(capacity_of(system.disk) - LOG_FILES_BYTES, wanted)) // size * size
        return fastest(LogWriter)(self.env, files, first_byte, int(instance.log_buffer_bytes))

    @property
    def written(self) -> int:
        """Blocks that DBWR has written."""
        return int(self._writer.written)

    def go_to(self, block: int) -> None:
        """What is written next lies from a block of the segment on: a part goes on at another place of the work."""
        self._goes_on = self._asked, block

    def fill(self, ledger: StatementLedger, worked: float) -> Step:
        """A session has worked on *worked* blocks: it waits until what was dirtied before them has found its room.

        Their own writes go on beside its next stretch.
        """
        blocks = worked * self.dirtied
        if blocks <= 0:
            return
        begin_s: float = self.env.now
        if self._no_room is not None and not self._no_room.processed:
            yield self._no_room
            ledger.wait(LOG_SPACE, self.env.now - begin_s, times=blocks)
        # NOTE: short stretches wait for what lies a long one behind, as LGWR's writes come in bursts
        behind = self._filled - self._room - max(0.0, min(STRETCH_BLOCKS, self._room) - blocks)
        before, begin_s = int(behind), self.env.now
        if self._writer.written < before:
            turn = self.env.event()
            self._turns.append(turn)
            if self._turns[0] is not turn:
                yield turn
            while self._writer.written < before:
                yield self._writer.cleaned()
            self._turns.popleft()
            if self._turns:
                self._turns[0].succeed()
        if self.env.now > begin_s:
            ledger.wait(FREE_BUFFERS, self.env.now - begin_s, times=blocks)
        self._filled += blocks
        if fresh := max(0, int(self._filled - self._room) - self._asked):
            self._hand_over(fresh)
        if self._log is not None:
            redo = int(self._filled * self._redo_bytes) - self._noted
            self._noted += redo
            self._no_room = self._log.note(redo)

    def commit(self, ledger: StatementLedger) -> Step:
        """A session has ended: where LGWR lags behind it, its commit waits for all its redo."""
        begin_s: float = self.env.now
        if self._log is not None and self._log.lags():
            yield self._log.commit()
            ledger.wait(LOG_FILE_SYNC, self.env.now - begin_s)

    def _hand_over(self, count: int) -> None:
        """Let DBWR write the next blocks, dirty for the longest: no buffer is free, so it begins now."""
        blocks, writer, now_s = self._next(count), self._writer, self.env.now
        for block in blocks:
            writer.dirtied(block, now_s)
        self._asked += count
        writer.asked(blocks)
        writer.cleaned()

    def _next(self, count: int) -> list[int]:
        """The places of so many blocks more, none of which is on its way already."""
        first, span, end, each = self._first, self._span, self._end, self._span / self._blocks
        ranks, (since, place) = range(self._asked, self._asked + count), self._goes_on
        first += place
        if not self._apart:
            return [(first + int((rank - since) * each)) % end for rank in ranks]
        while len(self._on_way) > self._asked - self._writer.written:
            self._on_way.popleft()
        pending, blocks = set(self._on_way), []
        for rank, share in zip(ranks, self._draws.random(count).tolist(), strict=True):
            is_apart = int((rank + 1) * self._apart) > int(rank * self._apart)
            block = (
                self._first + int(share * span) if is_apart else first + int((rank - since) * each)
            ) % end
            while block in pending:
                block = (block + 1) % end
            pending.add(block)
            blocks.append(block)
        self._on_way.extend(blocks)
        return blocks
