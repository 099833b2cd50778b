"""All resources of a run of transactions laid out in two flat arrays, for the compiled loop."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from model.kernels import shop as s
from model.kernels.buffers import FIELDS, SPREAD_BITS, Buffers
from model.laws.commit import LARGEST_LOG_WRITE_BYTES
from model.laws.processors import thread_speed
from model.sim.at_begin import Begin
from model.sim.data_files import InOrder
from model.sim.warm import Dirty
from model.spec import System, Transactions
from model.transaction_parts import Parts

ENDED_AT_ONCE = 4096
NOTED_AT_ONCE = 65_536
SPARE = 64
"""Events and blocks beyond those that every session, or every buffer, may have."""
MOST_SESSIONS = 32_768
"""Of transactions that arrive; more under way at once are played by events."""

Contents = dict[int, NDArray[Any] | int]
"""Of each part; of one that is empty at the begin its size."""


def sessions_of(begin: Begin) -> int:
    """Users, or transactions under way at most."""
    return len(begin.begins_s) or MOST_SESSIONS


def nodes_of(begin: Begin) -> int:
    """Members of lists at most: of each session reads, others' reads, and gets that wait."""
    return 3 * begin.references.most * sessions_of(begin)


def shop_of(system: System, work: Transactions, parts: Parts, begin: Begin, batch: int) -> s.Shop:
    """The shop before its first event."""
    assert isinstance(begin.files, InOrder)
    host, sessions, most = system.host, sessions_of(begin), int(system.instance.db_writer_requests)
    pieces = max(most, -(-LARGEST_LOG_WRITE_BYTES // begin.files.largest_bytes))
    numbers, reals = np.zeros(s.NUMBERS, np.int64), np.zeros(s.REALS)
    bits = sessions.bit_length() + 2
    closed = len(begin.begins_s) > 0
    numbers[s.BATCH], numbers[s.MOST_PIECES], numbers[s.LAST_POOL] = batch, pieces, len(begin.pools) - 1
    numbers[s.SMT], numbers[s.THREADS] = host.threads_per_core > 1, parts.threads
    numbers[s.SESSIONS], numbers[s.CLOSED], numbers[s.SHIFT] = sessions, closed, SPREAD_BITS - bits
    numbers[s.LOG_FIRST], numbers[s.LOG_IDLE], numbers[s.LOG_HEAD] = begin.log_byte, 1, -1
    numbers[s.LOG_DEVICE] = begin.redo is not begin.files
    numbers[s.EXTENT : s.BLOCK_BYTES + 1] = begin.layout.numbers
    reals[s.COSTS : s.AGE_S + 1] = _costs(system, work, parts)
    reals[s.LOOK_S : s.LOOK_S + 2] = np.inf
    ended = sessions + ENDED_AT_ONCE
    whole: Contents = {
        s.WHOLE_OF: _sessions(sessions),
        s.TURNS: sessions + SPARE,
        s.WHATS: sessions + SPARE,
        s.READERS: 1 << bits,
        s.READER_BLOCKS: (sessions + 1) * FIELDS,
        s.KINDS_ENDED: ended,
        s.BLOCKS: begin.references.most,
        s.CHANGED: begin.references.most,
        s.NODES: nodes_of(begin) * s.NODE,
    }
    real: Contents = {
        s.REAL_OF: sessions * s.REAL,
        s.AT_S: sessions + SPARE,
        s.PROCESSORS: parts.threads,
        s.KIND_NUMBERS: _kinds(parts),
        s.CONTENTION: _contention(parts),
        s.SPEED: _speeds(system, parts.threads),
        s.RESPONSES_S: ended,
        s.MARKED: (ended // batch + 1) * s.COLUMNS,
    }
    for number in range(2):
        _lay_device(system, number, numbers, reals, real)
        numbers[s.DEVICES + number * s.NUMBERS_OF_DEVICE + s.LARGEST_BYTES] = begin.files.largest_bytes
        real[s.FACTORS + number] = factors = pieces + ENDED_AT_ONCE if system.disk.service_cv else 0
        numbers[s.DEVICES + number * s.NUMBERS_OF_DEVICE + s.NEXT_FACTOR] = factors
        numbers[s.POOLS + number * s.NUMBERS_OF_POOL + s.FIRST_CLEANED] = -1
    for number, (buffers, dirty) in enumerate(begin.pools):
        pool_whole, pool_real = _pool(number, buffers, dirty, most, begin.references.most)
        whole |= pool_whole
        real |= pool_real
    numbers[s.FREE_NODE] = -1
    laid = _laid(numbers, reals, real)
    return s.Shop(_laid(numbers, numbers, whole), laid)


def _laid(numbers: NDArray[np.int64], first: NDArray[Any], contents: Contents) -> NDArray[Any]:
    """All parts behind each other, and where each is."""
    at = first.size
    for part, content in contents.items():
        end = at + (content if isinstance(content, int) else content.size)
        numbers[s.PARTS + 2 * part], numbers[s.PARTS + 2 * part + 1] = at, end
        at = end
    found = np.zeros(at, first.dtype)
    for part, content in contents.items():
        if not isinstance(content, int):
            found[numbers[s.PARTS + 2 * part] : numbers[s.PARTS + 2 * part + 1]] = content.ravel()
    found[: first.size] = first
    return found


def _sessions(count: int) -> NDArray[np.int64]:
    """Users who think, or transactions that may arrive, the free ones in a list."""
    found = np.zeros((count, s.WHOLE), np.int64)
    found[:, [s.READS, s.OTHERS, s.REST, s.FIRST_WAITING]] = -1
    found[:, s.FOLLOWING] = np.arange(1, count + 1)
    found[-1, s.FOLLOWING] = -1
    return found


def _pool(
    number: int, buffers: Buffers, dirty: Dirty, most: int, most_gets: int
) -> tuple[Contents, Contents]:
    """Buffers and DBWR of a pool."""
    own, table, links, touched_s, state, to_write, found = buffers.rows(most_gets)
    room = 2 * buffers.size_blocks + 4 * most + SPARE
    whole: dict[int, Any] = {
        s.CACHE: own,
        s.TABLE: table,
        s.BUFFERS: links,
        s.STATE: state,
        s.TO_WRITE: to_write,
        s.FOUND: found,
        s.MARK: buffers.size_blocks + 1,
        s.DIRTY: room,
        s.ASKED: room,
        s.BEING_WRITTEN: most,
        s.FIRST_DIRTY: dirty.blocks,
    }
    real: Contents = {
        s.TOUCHED + number: touched_s,
        s.SINCE + number: room,
        s.FIRST_SINCE + number: dirty.since_s,
    }
    return {s.of_pool(number, part): content for part, content in whole.items()}, real


def _lay_device(
    system: System, number: int, numbers: NDArray[np.int64], reals: NDArray[np.float64], real: Contents
) -> None:
    """A device: its own numbers, its times, its slots, and room for what it serves."""
    disk = system.disk
    own = s.DEVICES + number * s.NUMBERS_OF_DEVICE
    numbers[own + s.END_BYTE], numbers[own + s.VARIES] = -1, disk.service_cv > 0
    write_s, rate = disk.write_overhead_s, disk.write_bandwidth_bytes_per_s
    first = s.DEVICE_TIMES + number * s.TIMES_OF_DEVICE
    reals[first : first + s.TIMES_OF_DEVICE] = (
        0.0,
        disk.overhead_s,
        disk.overhead_s if write_s is None else write_s,
        disk.bandwidth_bytes_per_s,
        disk.bandwidth_bytes_per_s if rate is None else rate,
        disk.average_seek_s,
    )
    real[s.SLOTS + number] = int(disk.parallel_requests)
    real[s.NOTES + number] = NOTED_AT_ONCE * s.NOTED_FIELDS


def _costs(system: System, work: Transactions, parts: Parts) -> list[float]:
    host, instance = system.host, system.instance
    return [
        *(
            host.read_call_s,
            host.buffer_block_s,
            host.logical_io_s,
            parts.changes,
            float(parts.data.collision),
        ),
        *(parts.hottest_changes, 1 / work.hottest_blocks),
        *(instance.replacement.touch_time_s, instance.checkpoint_s),
    ]


def _kinds(parts: Parts) -> NDArray[np.float64]:
    found = [
        (
            *(one.drawn_gets, one.hottest_gets, one.hottest_changes),
            *(one.cpu_s, one.trips_s, one.redo_bytes, one.commits),
        )
        for one in parts.kinds
    ]
    return np.array(found, dtype=float)


def _contention(parts: Parts) -> NDArray[np.float64]:
    found = [
        (latch.spin_s, latch.wait_s, latch.waits, pin.wait_s, pin.waits)
        for latch, pin in zip(parts.latch, parts.pin, strict=True)
    ]
    return np.array(found, dtype=float)


def _speeds(system: System, threads: int) -> NDArray[np.float64]:
    """Speed of a hardware thread, by how many are busy."""
    host = system.host
    gain = host.smt_gain_percent / 100
    speeds = [thread_speed(busy, host.cpus, host.threads_per_core, gain) for busy in range(threads + 1)]
    return np.array(speeds, dtype=float)
