"""The log writer, which takes all that waits along, and the database writer, which cleans what is dirty for long."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import simpy

from blocktime.model.kernels.buffer_kernel import Buffers
from blocktime.model.laws.commit import (
    LARGE_DIRTY_QUEUE,
    LARGEST_LOG_WRITE_BYTES,
    LOG_BLOCK_BYTES,
    LOG_FILES_BYTES,
    LOOKS_EVERY_S,
    POLL_S,
    SWITCH_WRITES,
    gathered_bytes,
    posts_s,
    wake_up_s,
)
from blocktime.model.loops.arrays import Reals, Wholes, longer, more_wholes, reals, wholes
from blocktime.model.loops.buffers import TouchCounts
from blocktime.model.loops.calendar import Waiter
from blocktime.model.loops.places import Places
from blocktime.model.sim.clock import Clock
from blocktime.model.sim.data_files import BlockRequests
from blocktime.model.sim.references import BlockLayout, ByPlace

ROOM = 1024
NONE_OUTSIDE = 2**62
"""A block number that does not exist."""
CHECKPOINT, ARCHIVER = 1, 2
"""What the next log waits for."""


@dataclass
class LogWrite(Waiter):
    """A redo write in progress."""

    writer: LogWriter
    size: int

    def happens(self) -> None:
        """The write has completed."""
        self.writer.written(self.size)


@dataclass
class StandbyAnswer(Waiter):
    """The moment at which the standby has the redo, too."""

    writer: LogWriter

    def happens(self) -> None:
        """The write is over."""
        self.writer.finish()


@dataclass
class Awakening(Waiter):
    """The moment at which sessions whose commits are on disk run again."""

    commits: simpy.Event

    def happens(self) -> None:
        """They go on."""
        self.commits.succeed()


@dataclass
class HeaderWrite(Waiter):
    """One of the short writes of a log switch."""

    writer: LogWriter
    left: int

    def happens(self) -> None:
        """The write has completed."""
        self.writer.write_header(self.left)


class RedoLogs:
    """The redo logs, written in turn: each anew once its blocks are on disk and, where asked, it is copied."""

    log_bytes: float
    filled_bytes: float
    """Of the log that is being written."""
    switches: int
    ended_s: list[float]
    """When the logs before the one that is written ended, without the next one; the longest ago first."""
    writers: list[DatabaseWriter]
    archiver: Archiver | None

    def __init__(self, log_bytes: float, groups: int) -> None:
        self.log_bytes, self.filled_bytes, self.switches = log_bytes, 0.0, 0
        self.ended_s = [-inf] * (groups - 1)
        self.writers, self.archiver = [], None

    def begin(self, before_per_s: float) -> None:
        """Before the run redo came at that rate, and the last log has just ended."""
        if before_per_s > 0:
            count = len(self.ended_s)
            self.ended_s = [(place + 1 - count) * self.log_bytes / before_per_s for place in range(count)]

    def has_room(self, size: int) -> bool:
        """Whether a write fits into the log; the first one of a log always does."""
        return self.filled_bytes + size <= self.log_bytes or self.filled_bytes == 0

    def awaits(self) -> int:
        """What the next log waits for: CHECKPOINT, ARCHIVER, or 0."""
        for writer in self.writers:
            if writer.oldest_s() < self.ended_s[0]:
                return CHECKPOINT
        archiver = self.archiver
        return ARCHIVER if archiver is not None and archiver.waiting >= len(self.ended_s) else 0

    def switch(self, now_s: float) -> None:
        """The log is full, and the next one begins."""
        self.switches += 1
        self.ended_s.append(now_s)
        self.ended_s.pop(0)
        self.filled_bytes = 0.0
        if self.archiver is not None:
            self.archiver.take()


class Archiver(Waiter):
    """The archiver: reads each full log, a megabyte at a time, and writes it where archived logs lie."""

    log: LogWriter
    files: BlockRequests | None
    """Where archived logs lie; None for a place that nobody else works on."""
    waiting: int
    """Full logs that are not copied yet."""
    _first_byte: int
    _left_bytes: float
    """Of the log that it copies."""
    _place: int
    _reads: bool

    def __init__(self, log: LogWriter, files: BlockRequests | None, first_byte: int) -> None:
        self.log, self.files, self._first_byte = log, files, first_byte
        self.waiting = self._place = 0
        self._left_bytes, self._reads = 0.0, False

    def take(self) -> None:
        """One log more is full."""
        self.waiting += 1
        if self.waiting == 1:
            self._begin()

    def _begin(self) -> None:
        logs = self.log.logs
        self._left_bytes = 0.0 if logs is None else logs.log_bytes
        self._read()

    def _read(self) -> None:
        self._reads = True
        log = self.log
        log.files.request(False, log.first_byte + self._place, LARGEST_LOG_WRITE_BYTES, self)

    def happens(self) -> None:
        """A megabyte is read, or written."""
        if self._reads and self.files is not None:
            self._reads = False
            self.files.request(True, self._first_byte + self._place, LARGEST_LOG_WRITE_BYTES, self)
            return
        self._place = (self._place + LARGEST_LOG_WRITE_BYTES) % LOG_FILES_BYTES
        self._left_bytes -= LARGEST_LOG_WRITE_BYTES
        if self._left_bytes > 0:
            self._read()
            return
        self.waiting -= 1
        if self.waiting:
            self._begin()
        self.log.look_again()


class LogWriter(Waiter):
    """LGWR: one write at a time, of all redo that has come by then; those who commit wait for it.

    It needs some time before each write, and for each session that it posts behind it; sessions that poll need none of
    its time.

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
    call_s: float
    """Time before a write."""
    overhead_s: float
    """Time from the end of a write until a session that it posts runs again."""
    standby_s: float
    """Time from the begin of a write until the standby has it, too; 0 without one."""
    may_post: bool
    may_poll: bool
    logs: RedoLogs | None
    """The redo logs, where their size plays a part."""
    awaited: int
    """What the next log waits for, and with it all whose redo comes: CHECKPOINT, ARCHIVER, or 0."""
    awaited_last: int
    """What it waited for last."""
    _commits: int
    """Those that wait for the next write, and for the one under way."""
    _carried: int
    _free_s: float
    """When it has posted the last session."""
    _begun_s: float
    """When it handed over the write under way."""
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
        self.call_s = self.overhead_s = self.standby_s = self._free_s = self._begun_s = 0.0
        self.may_post, self.may_poll = True, False
        self.logs, self.awaited, self.awaited_last = None, 0, 0
        self._commits = self._carried = 0
        self.writes = self.noted = self._place = self._redo_bytes = self._under_way = 0
        self._gathers = int(gathered_bytes(buffer_bytes))
        self._wanted = []
        self._idle = True
        self._waiting = None
        self._writing = env.event()

    def note(self, redo_bytes: int) -> simpy.Event | None:
        """Redo that goes with the next write; where the buffer has no room for it, an event once it has found some."""
        self.noted += redo_bytes
        left = redo_bytes if self._wanted or self.awaited else self._put(redo_bytes)
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
        """Wake up, once the last session is posted, and gather redo."""
        self._idle = False
        self.env.after(max(0.0, self._free_s - self.env.now) + self.call_s, self)

    def lags(self) -> bool:
        """Whether more redo is left than LGWR writes while as much gathers again."""
        return len(self._wanted) > 0 or self._under_way + self._redo_bytes > 2 * self._gathers

    def commit(self) -> simpy.Event:
        """An event once all redo noted so far is on disk."""
        if self._waiting is None:
            self._waiting = self.env.event()
        self._commits += 1
        if self._idle:
            self._start()
        return self._waiting

    def happens(self) -> None:
        """Write all redo there is, or switch to the next log first."""
        if self.logs is not None and self._switches(self.logs):
            return
        waiting = self._waiting
        self._writing = self.env.event() if waiting is None else waiting
        self._waiting = None
        self._carried, self._commits = self._commits, 0
        left = -(-max(self._redo_bytes, 1) // LOG_BLOCK_BYTES) * LOG_BLOCK_BYTES
        self._redo_bytes = 0
        self._under_way, self._begun_s = left, self.env.now
        while left > 0:
            size = min(left, LARGEST_LOG_WRITE_BYTES)
            left -= size
            self._write(size)

    def _switches(self, logs: RedoLogs) -> bool:
        """Switch logs where the redo does not fit into this one, or wait for the next; False where it fits."""
        size = -(-max(self._redo_bytes, 1) // LOG_BLOCK_BYTES) * LOG_BLOCK_BYTES
        if logs.has_room(size):
            logs.filled_bytes += size
            return False
        self.awaited = logs.awaits()
        self.awaited_last = self.awaited or self.awaited_last
        if self.awaited == CHECKPOINT:
            for writer in logs.writers:
                writer.hurry(logs.ended_s[0])
        elif not self.awaited:
            logs.switch(self.env.now)
            self.write_header(SWITCH_WRITES)
        return True

    def write_header(self, left: int) -> None:
        """Do the rest of the short writes of a switch, then go on."""
        if left:
            self.files.request(True, self.first_byte + self._place, LOG_BLOCK_BYTES, HeaderWrite(self, left - 1))
            return
        if self._wanted:
            self._let_in()
        self.happens()

    def look_again(self) -> None:
        """Something that the next log may wait for is done."""
        if self.awaited:
            self.happens()

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
        rest_s: float = self._begun_s + self.standby_s - self.env.now
        if rest_s > 0:
            self.env.after(rest_s, StandbyAnswer(self))
        else:
            self.finish()

    def finish(self) -> None:
        """All redo of a write is safe: wake those who wait for it, and go on."""
        if self._carried:
            self._wake_sessions()
        if self._waiting is None and self._redo_bytes < self._gathers:
            self._idle = True
        else:
            self._start()

    def _wake_sessions(self) -> None:
        """Post those whose commits are on disk, or let them poll where LGWR does and posts would take it longer."""
        posts: float = posts_s(self.overhead_s, self._carried)
        polls = self.may_poll and (posts > POLL_S or not self.may_post)
        wakes_s: float = wake_up_s(self.overhead_s, self._carried, polls)
        self._free_s = self.env.now + (0.0 if polls else posts)
        self.env.after(wakes_s, Awakening(self._writing))

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
    since_s: float
    """Since when the longest dirty of them was, where a log's reuse may wait for it."""

    def happens(self) -> None:
        """The batch has completed."""
        self.writer.lands(self.since_s)
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
    _queue: list[int]
    _queue_first: int
    """Where those begin that it has not taken yet."""
    _idle: bool
    _looks: int
    _under_way: int
    _cleaned: simpy.Event
    _log: LogWriter | None
    """The log whose redo the checkpoint may lag behind by so many bytes, if this is limited."""
    _lag_bytes: float
    _hurry_s: float
    """What is dirty since before is due, as a log's reuse waits for it."""
    _flying_s: list[float]
    """Since when what it writes was dirty, batch by batch, where a log's reuse may wait for it."""
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
        self._dirty, self._queue, self._queue_first = Places(), [], 0
        self._blocks, self._since_s = wholes(ROOM, 0), reals(ROOM, 0.0)
        self._first = self._behind = 0
        self._idle = False
        self._cleaned = env.event()
        self._log, self._lag_bytes, self._come = None, 0.0, []
        self._hurry_s, self._flying_s = -inf, []

    def follow(self, log: LogWriter, lag_bytes: float, before_per_s: float) -> None:
        """Write blocks before the redo of *log* has come so much further; before the run it came at that rate."""
        self._log, self._lag_bytes, self._come = log, lag_bytes, [(0.0, 0.0)]
        if before_per_s:
            self._come.insert(0, (-lag_bytes / before_per_s, -lag_bytes))

    def oldest_s(self) -> float:
        """Since when the longest dirty block is, those that it writes among them; ∞ without any."""
        self._skip_clean()
        oldest_s: float = self._since_s[self._first] if self._first < self._behind else inf
        for since_s in self._flying_s:
            oldest_s = min(oldest_s, since_s)
        return oldest_s

    def _skip_clean(self) -> None:
        """Let the rows begin with the longest dirty block."""
        while self._first < self._behind and self._dirty.at(self._blocks[self._first]) != self._first:
            self._first += 1

    def hurry(self, before_s: float) -> None:
        """Write what has been dirty since before a moment now."""
        self._hurry_s = before_s
        self._wake()

    def lands(self, since_s: float) -> None:
        """A batch is on disk whose blocks were dirty since a moment."""
        if since_s in self._flying_s:
            self._flying_s.remove(since_s)

    def dirtied(self, block: int, since_s: float) -> None:
        """A block has become dirty; times are in order."""
        if self._behind == len(self._blocks):
            self._make_room()
        self._blocks[self._behind], self._since_s[self._behind] = block, since_s
        self._dirty.put(block, self._behind)
        self._behind += 1

    def _make_room(self) -> None:
        """The rows begin with the longest dirty block, and have none that is not."""
        count = 0
        for place in range(self._first, self._behind):
            block = self._blocks[place]
            if self._dirty.at(block) == place:
                self._blocks[count], self._since_s[count] = block, self._since_s[place]
                self._dirty.put(block, count)
                count += 1
        self._first, self._behind = 0, count
        if 2 * count > len(self._blocks):
            self._blocks, self._since_s = more_wholes(self._blocks), longer(self._since_s)

    def changed(self, blocks: list[int], now_s: float) -> None:
        """Blocks have changed that may be dirty already, since an earlier moment."""
        for block in blocks:
            if self._dirty.at(block) < 0:
                self.dirtied(block, now_s)

    def request_writes(self, blocks: list[int]) -> None:
        """Blocks are on the write list: they come first, once there are enough of them or DBWR looks."""
        self._queue += blocks
        if len(self._queue) - self._queue_first >= LARGE_DIRTY_QUEUE:
            self._wake()

    def _wake(self) -> None:
        if self._idle:
            self._idle = False
            self.env.soon(self)

    def cleaned(self) -> simpy.Event:
        """An event when some buffers have been cleaned (``free buffer waits``)."""
        if len(self._queue) == self._queue_first:  # nothing is on its way: let it write the oldest
            self._skip_clean()
            for place in range(self._first, self._behind):
                if len(self._queue) - self._queue_first >= self.most:
                    break
                block = self._blocks[place]
                if self._dirty.at(block) != place:
                    continue
                if block < self.outside or self._touched.slot_of(block):  # else its write frees no buffer
                    self._queue.append(block)
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
        since_s = self._taken(blocks)
        self._under_way += len(blocks)
        bytes_of = [self.layout.byte_of(block) for block in blocks]
        if self.one_by_one:
            for block, start_byte in zip(blocks, bytes_of, strict=True):
                self.files.request(True, start_byte, self.layout.block_bytes, BlockWrite(self, [block], since_s))
        else:
            self.files.requests(True, bytes_of, self.layout.block_bytes, BlockWrite(self, blocks, since_s))

    def _taken(self, blocks: list[int]) -> float:
        """Take *blocks* from the dirty ones; since when the longest dirty is, where a log's reuse may wait for it."""
        log, since_s = self._log, inf
        waits = log is not None and log.logs is not None
        for block in blocks:
            if waits:
                since_s = min(since_s, float(self._since_s[self._dirty.at(block)]))
            self._dirty.drop(block)
        if waits:
            for _ in range(len(blocks) if self.one_by_one else 1):
                self._flying_s.append(since_s)
        return since_s

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
        if self._log is not None:
            self._log.look_again()
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
        first = self._queue_first
        if first < len(self._queue):
            end = min(first + most, len(self._queue))
            due = [block for block in dict.fromkeys(self._queue[first:end]) if self._dirty.at(block) >= 0]
            self._queue_first = end
            if 2 * end > len(self._queue):
                self._queue, self._queue_first = self._queue[end:], 0
        old_s = max(self.env.now - self.age_s, self._lagging_s(), self._hurry_s)
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
