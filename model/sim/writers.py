"""The log writer, which takes all that waits along, and the database writer, which cleans what is dirty for long."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import simpy

from blocktime.model.kernels.buffers import Buffers
from blocktime.model.laws.commit import (
    LARGE_DIRTY_QUEUE,
    LARGEST_LOG_WRITE_BYTES,
    LOG_BLOCK_BYTES,
    LOG_FILES_BYTES,
    LOOKS_EVERY_S,
    gathered_bytes,
)
from blocktime.model.loops.buffers import TouchCounts
from blocktime.model.loops.calendar import Waiter
from blocktime.model.loops.places import Places
from blocktime.model.loops.rows import Reals, Wholes, longer, more_wholes, reals, wholes
from blocktime.model.sim.clock import Clock
from blocktime.model.sim.data_files import BlockRequests
from blocktime.model.sim.references import BlockLayout, ByPlace

ROOM = 1024
NONE_OUTSIDE = 2**62
"""A block number that does not exist."""


@dataclass
class LogWrite(Waiter):
    """A redo write in progress."""

    writer: LogWriter
    size: int

    def happens(self) -> None:
        """The write has completed."""
        self.writer.written(self.size)


class LogWriter(Waiter):
    """LGWR: one write at a time, of all redo that has come by then; those who commit wait for it.

    It also writes once so much has gathered as it does not wait longer for; redo that finds no room waits in turn. What
    is more than one request holds goes down at once, and is written when the last is [oracle-reference].
    """

    env: Clock
    files: BlockRequests
    writes: int
    noted: int
    """Bytes of redo that have come."""
    first_byte: int
    buffer_bytes: int
    _place: int
    _gathers: int
    _redo_bytes: int
    _under_way: int
    _wanted: list[tuple[simpy.Event, int]]
    """Redo that has no room yet, the longest waiting first."""
    _idle: bool
    _waiting: simpy.Event | None
    """Waiters for redo that came after the last write began."""
    _writing: simpy.Event
    """Waiters whose redo is being written."""

    def __init__(self, env: Clock, files: BlockRequests, first_byte: int, buffer_bytes: int) -> None:
        self.env = env
        self.files = files
        self.first_byte, self.buffer_bytes = first_byte, buffer_bytes
        self.writes = self.noted = self._place = self._redo_bytes = self._under_way = 0
        self._gathers = int(gathered_bytes(buffer_bytes))
        self._wanted = []
        self._idle = True
        self._waiting = None
        self._writing = env.event()

    def note(self, redo_bytes: int) -> simpy.Event | None:
        """Redo that goes with the next write; where the buffer has no room for it, an event once it has found some."""
        self.noted += redo_bytes
        left = redo_bytes if self._wanted else self._put(redo_bytes)
        if left <= 0:
            return None
        event = self.env.event()
        self._wanted.append((event, left))
        return event

    def _put(self, redo_bytes: int) -> int:
        """Put redo into the buffer as far as there is room; return the rest."""
        room = self.buffer_bytes - self._redo_bytes - self._under_way
        put = max(0, min(redo_bytes, room))
        self._redo_bytes += put
        if self._idle and self._redo_bytes >= self._gathers:
            self._start()
        return redo_bytes - put

    def _start(self) -> None:
        self._idle = False
        self.env.soon(self)

    def lags(self) -> bool:
        """Whether more redo is left than LGWR writes while as much gathers again."""
        return len(self._wanted) > 0 or self._under_way + self._redo_bytes > 2 * self._gathers

    def commit(self) -> simpy.Event:
        """An event once all redo noted so far is on disk."""
        if self._waiting is None:
            self._waiting = self.env.event()
        if self._idle:
            self._start()
        return self._waiting

    def happens(self) -> None:
        """Write all redo there is."""
        waiting = self._waiting
        self._writing = self.env.event() if waiting is None else waiting
        self._waiting = None
        left = -(-max(self._redo_bytes, 1) // LOG_BLOCK_BYTES) * LOG_BLOCK_BYTES
        self._redo_bytes = 0
        self._under_way = left
        while left > 0:
            size = min(left, LARGEST_LOG_WRITE_BYTES)
            left -= size
            self._write(size)

    def _write(self, size: int) -> None:
        if self._place + size > LOG_FILES_BYTES:
            self._place = 0
        self.files.request(True, self.first_byte + self._place, size, LogWrite(self, size))
        self._place += size

    def written(self, size: int) -> None:
        """A write is on disk: notify its waiters and begin the next write."""
        self.writes += 1
        self._under_way -= size
        if self._wanted:
            self._let_in()
        if self._under_way > 0:
            return
        self._writing.succeed()
        if self._waiting is None and self._redo_bytes < self._gathers:
            self._idle = True
        else:
            self.happens()

    def _let_in(self) -> None:
        """Give the freed room to the waiting redo, in order."""
        while self._wanted:
            event, left = self._wanted[0]
            left = self._put(left)
            if left > 0:
                self._wanted[0] = (event, left)
                return
            self._wanted.pop(0)
            event.succeed()


@dataclass
class BlockWrite(Waiter):
    """A batch of blocks that DBWR is writing."""

    writer: DatabaseWriter
    blocks: list[int]

    def happens(self) -> None:
        """The batch has completed."""
        self.writer.cleans(self.blocks)


@dataclass
class Pause(Waiter):
    """DBWR's wait until its next check."""

    writer: DatabaseWriter
    look: int

    def happens(self) -> None:
        """Check for work, unless DBWR was woken before."""
        self.writer.look_again(self.look)


class DatabaseWriter(Waiter):
    """DBWR of one pool: writes what the search for buffers met, and what has been dirty for long, oldest first."""

    env: Clock
    files: BlockRequests
    buffers: Buffers
    layout: BlockLayout | ByPlace
    most: int
    age_s: float
    written: int
    one_by_one: bool
    """Whether each of its processes waits for its own write only; else DBWR waits for all that it handed over."""
    outside: int
    """Blocks from this number on are in no buffer, as they never leave memory, or are another program's in its buffers;
    DBWR writes them all the same."""
    _touched: TouchCounts
    _dirty: Places
    """Dirty blocks, with their places in the rows."""
    _blocks: Wholes
    """Blocks in the order in which they became dirty; some are not, or again, and have other places then."""
    _since_s: Reals
    """When they became dirty."""
    _first: int
    _behind: int
    """Where the longest dirty is in the rows, and the first room behind the last."""
    _asked: list[int]
    _asked_first: int
    """Where those begin that it has not taken yet."""
    _idle: bool
    _looks: int
    _under_way: int
    _cleaned: simpy.Event
    _log: LogWriter | None
    """The log whose redo the checkpoint may lag behind by so many bytes, if this is limited."""
    _lag_bytes: float
    _come: list[tuple[float, float]]
    """When so much redo had come, the longest ago first; negative for what came before the run."""

    def __init__(
        self,
        env: Clock,
        files: BlockRequests,
        buffers: Buffers,
        layout: BlockLayout | ByPlace,
        limits: tuple[int, float],
    ) -> None:
        self.env = env
        self.files = files
        self.buffers = buffers
        self._touched = buffers.touched
        self.layout = layout
        self.most, self.age_s = limits
        self.written = self._looks = self._under_way = 0
        self.one_by_one = False
        self.outside = NONE_OUTSIDE
        self._dirty, self._asked, self._asked_first = Places(), [], 0
        self._blocks, self._since_s = wholes(ROOM, 0), reals(ROOM, 0.0)
        self._first = self._behind = 0
        self._idle = False
        self._cleaned = env.event()
        self._log, self._lag_bytes, self._come = None, 0.0, []

    def follow(self, log: LogWriter, lag_bytes: float, before_per_s: float) -> None:
        """Write blocks before the redo of *log* has come so much further; before the run it came at that rate."""
        self._log, self._lag_bytes, self._come = log, lag_bytes, [(0.0, 0.0)]
        if before_per_s:
            self._come.insert(0, (-lag_bytes / before_per_s, -lag_bytes))

    def dirtied(self, block: int, since_s: float) -> None:
        """A block has become dirty; times are in order."""
        if self._behind == len(self._blocks):
            self._make_room()
        self._blocks[self._behind], self._since_s[self._behind] = block, since_s
        self._dirty.put(block, self._behind)
        self._behind += 1

    def _make_room(self) -> None:
        """The rows begin with the longest dirty block, and have none that is not."""
        kept = 0
        for place in range(self._first, self._behind):
            block = self._blocks[place]
            if self._dirty.at(block) == place:
                self._blocks[kept], self._since_s[kept] = block, self._since_s[place]
                self._dirty.put(block, kept)
                kept += 1
        self._first, self._behind = 0, kept
        if 2 * kept > len(self._blocks):
            self._blocks, self._since_s = more_wholes(self._blocks), longer(self._since_s)

    def changed(self, blocks: list[int], now_s: float) -> None:
        """Blocks have changed that may be dirty already, since an earlier moment."""
        for block in blocks:
            if self._dirty.at(block) < 0:
                self.dirtied(block, now_s)

    def asked(self, blocks: list[int]) -> None:
        """Blocks are on the write list: they come first, once there are enough of them or DBWR looks."""
        self._asked += blocks
        if len(self._asked) - self._asked_first >= LARGE_DIRTY_QUEUE:
            self._wake()

    def _wake(self) -> None:
        if self._idle:
            self._idle = False
            self.env.soon(self)

    def cleaned(self) -> simpy.Event:
        """An event when some buffers have been cleaned (``free buffer waits``)."""
        if len(self._asked) == self._asked_first:  # nothing is on its way: let it write the oldest
            while self._first < self._behind and self._dirty.at(self._blocks[self._first]) != self._first:
                self._first += 1
            for place in range(self._first, self._behind):
                if len(self._asked) - self._asked_first >= self.most:
                    break
                block = self._blocks[place]
                if self._dirty.at(block) != place:
                    continue
                if block < self.outside or self._touched.slot_of(block):  # else its write frees no buffer
                    self._asked.append(block)
        self._wake()
        return self._cleaned

    def look(self) -> None:
        """Write due blocks, or wait until a request or the next check."""
        blocks = self._due(self.most - self._under_way)
        self._looks += 1
        self._idle = not blocks
        if not blocks:
            self.env.after(LOOKS_EVERY_S, Pause(self, self._looks))
            return
        for block in blocks:
            self._dirty.drop(block)
        self._under_way += len(blocks)
        bytes_of = [self.layout.byte_of(block) for block in blocks]
        if self.one_by_one:
            for block, start_byte in zip(blocks, bytes_of, strict=True):
                self.files.request(True, start_byte, self.layout.block_bytes, BlockWrite(self, [block]))
        else:
            self.files.requests(True, bytes_of, self.layout.block_bytes, BlockWrite(self, blocks))

    def happens(self) -> None:
        """DBWR has been woken."""
        self.look()

    def look_again(self, look: int) -> None:
        """Check for work, unless DBWR has checked since then."""
        if self._idle and look == self._looks:
            self._idle = False
            self.look()

    def cleans(self, blocks: list[int]) -> None:
        """Blocks are on disk: their buffers are clean."""
        for k in range(len(blocks)):
            block: int = blocks[k]
            if not self._touched.clean(block) and block < self.outside:
                raise KeyError(block)
        self.written += len(blocks)
        self._under_way -= len(blocks)
        if self._cleaned.callbacks:
            cleaned, self._cleaned = self._cleaned, self.env.event()
            cleaned.succeed()
        self.look()

    def _lagging_s(self) -> float:
        """Since when the checkpoint may lag at most: what is dirty for longer is due; -∞ where redo sets no limit."""
        if self._log is None:
            return -inf
        come, now = float(self._log.noted), self.env.now
        last_s, last = self._come[len(self._come) - 1]
        if now >= last_s + LOOKS_EVERY_S and come > last:
            self._come.append((now, come))
        first = come - self._lag_bytes
        while len(self._come) > 1 and self._come[1][1] <= first:
            self._come.pop(0)
        since_s, begin = self._come[0]
        if begin > first or len(self._come) == 1:
            return since_s if begin <= first else -inf
        until_s, end = self._come[1]
        return since_s + (first - begin) / (end - begin) * (until_s - since_s)

    def _due(self, most: int) -> list[int]:
        """The next *most* blocks to write."""
        due: list[int] = []
        first = self._asked_first
        if first < len(self._asked):
            end = min(first + most, len(self._asked))
            due = [block for block in dict.fromkeys(self._asked[first:end]) if self._dirty.at(block) >= 0]
            self._asked_first = end
            if 2 * end > len(self._asked):
                self._asked, self._asked_first = self._asked[end:], 0
        old_s = max(self.env.now - self.age_s, self._lagging_s())
        chosen = set(due)
        going = True  # from the longest dirty on, none that is dirty has been met
        for place in range(self._first, self._behind):
            if len(due) >= most or self._since_s[place] > old_s:
                break
            block = self._blocks[place]
            if self._dirty.at(block) != place:
                if going:
                    self._first = place + 1
                continue
            going = False
            if block not in chosen:
                due.append(block)
        return due
