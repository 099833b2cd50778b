"""What users and their transactions share in a compiled loop, in two flat arrays, and where in them it is.

NOTE: over two arrays numba takes some 15 s to compile the loop; with one for each thing it takes most of a minute.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Row = Any
"""A flat array."""

READ, SCAN, SYNC, LATCHED, BUSY, OTHER, FREE = range(7)
"""What sessions wait for."""
EVENTS = 7
NOW, WRITTEN, LOG_WRITES, CPU, QUEUE, SPIN, UNDO, GETS, MISSES, REQUESTS = range(10)
WAITS = 10
"""Columns of the sums over all transactions; then waits by event, and their seconds."""
COLUMNS = WAITS + 2 * EVENTS
LONGEST, INSPECTED = COLUMNS, COLUMNS + EVENTS
"""Behind those that are marked: the longest wait by event, and buffers looked at."""
SUMS = INSPECTED + 1

COSTS = SUMS
COST_READ_S, COST_FILL_S, COST_UNDO_S, CHANGES, COLLISION = range(COSTS, COSTS + 5)
HOTTEST_CHANGED, HOTTEST_COLLISION, TOUCH_TIME_S, AGE_S = range(COSTS + 5, COSTS + 9)
"""Costs, and what makes a get meet a change."""
LOOK_S = COSTS + 9
"""When the DBWR of each pool looks again, if it does."""
DEVICE_TIMES = LOOK_S + 2
CHANNEL_S, READ_OVERHEAD_S, WRITE_OVERHEAD_S, READ_RATE, WRITE_RATE, SEEK_S = range(6)
TIMES_OF_DEVICE = 6
REALS = DEVICE_TIMES + 2 * TIMES_OF_DEVICE
"""Real numbers before the first part."""

UNDER_WAY, RUNNING, DONE, WANTED, BATCH, RESPONSES, MARKS, STARTED, SMT = range(9)
NEXT_ONE, NEXT_PAUSE, CLOSED, READING, FREE_SESSION, FREE_NODE, FRESH_NODE = range(9, 16)
MOST_PIECES, LAST_POOL, EVENT_COUNT, EVENT_TURN, THREADS, SESSIONS = range(16, 22)
"""Where the shop stands, and how much one event may take."""
LOG_FIRST, LOG_PLACE, LOG_REDO, LOG_LEFT, LOG_IDLE, LOG_HEAD, LOG_TAIL = range(22, 29)
LOG_WRITING, LOG_DEVICE, SHIFT = range(29, 32)
EXTENT, EXTENTS, STEP, BLOCK_BYTES = range(32, 36)
"""Of the layout."""
DEVICES = 36
NOTED, NEXT_FACTOR, END_BYTE, LARGEST_BYTES, VARIES = range(5)
NUMBERS_OF_DEVICE = 5
POOLS = DEVICES + 2 * NUMBERS_OF_DEVICE
HEAD, TAIL, ASKED_HEAD, ASKED_TAIL, IDLE, DUE, FIRST_CLEANED, LAST_CLEANED, LOOK_TURN = range(9)
NUMBERS_OF_POOL = 9
PARTS = POOLS + 2 * NUMBERS_OF_POOL
"""Begin and end of each part."""

WHOLE_OF, TURNS, WHATS, NODES, READERS, READER_BLOCKS, KINDS_ENDED, BLOCKS, CHANGED = range(9)
"""Whole numbers of sessions; events; members of lists; who reads, by the hash of the block, and the block of each;
kinds of those that ended; and room for the gets of one transaction."""
OF_POOL = 9
CACHE, TABLE, BUFFERS, STATE, TO_WRITE, FOUND, MARK, DIRTY, ASKED, BEING_WRITTEN, FIRST_DIRTY = range(11)
"""Rows of :class:`model.kernels.buffers.Buffers`; of a dirty buffer that is not being written its place among the
dirty, from 1 on; a ring of these, the longest dirty first; a ring of the write list; blocks dirty at the begin."""
PARTS_OF_POOL = 11
REAL_OF, AT_S, PROCESSORS, KIND_NUMBERS, CONTENTION, SPEED, RESPONSES_S, MARKED = range(31, 39)
"""Times of sessions; of events; when processors get free; tables; what those that ended took; marks."""
SLOTS, FACTORS, NOTES = 39, 41, 43
"""Of each device: when its slots get free, factors drawn, requests noted."""
TOUCHED, SINCE, FIRST_SINCE = 45, 47, 49
"""Of each pool: when its buffers were touched, since when those of the ring are dirty, and at the begin."""
ALL_PARTS = 51
NUMBERS = PARTS + 2 * ALL_PARTS
"""Whole numbers before the first part."""

NODE, NODE_VALUE, NODE_OTHER, NODE_FOLLOWING = 3, 0, 1, 2
PHASE, KIND, LEVEL, AT, SPLIT, COUNT, MISSED, SERIAL, FOLLOWING = range(9)
READS, READS_END, OTHERS, OTHERS_END, REST, REST_END = range(9, 15)
FIRST_WAITING, LAST_WAITING, BLOCK, OTHER_WAITS, FREE_WAITS = range(15, 20)
WHOLE = 20
"""Whole numbers of a session."""
BEGIN_S, SINCE_S, STRETCH_S, UNDO_GETS, CPU_S, QUEUE_S, READ_S, READ_LONGEST_S = range(8)
OTHER_S, OTHER_LONGEST_S, FREE_S, FREE_LONGEST_S = range(8, 12)
REAL = 12
"""Times of a session."""
THINKS, AWAITS_BUFFER, ASLEEP, ON_CPU, READS_ON, AWAITS_OTHER, LAST_CPU, AWAITS_LOG = range(8)
"""Phases of a session."""
DRAWN_GETS, HOTTEST_GETS, HOTTEST_CHANGES, KIND_CPU_S, TRIPS_S, REDO_BYTES, COMMITS = range(7)
KIND_FIELDS = 7
"""Of a kind of transactions."""
LATCH_SPIN_S, LATCH_WAIT_S, LATCH_WAITS, PIN_WAIT_S, PIN_WAITS = range(5)
LEVEL_FIELDS = 5
"""Of a contended latch or buffer, by how many run."""
NOTED_FIELDS = 4
"""Of a request: handed over, done, whether it wrote, size."""


class Shop(NamedTuple):
    """Whole numbers, and times and other real ones."""

    whole: Row
    real: Row


class Drawn(NamedTuple):
    """Transactions that come next, and pauses."""

    kind: Row
    begin: Row
    """Where in the blocks its gets begin; there is one more."""
    first: Row
    """How many of them go to the first pool; they come first."""
    blocks: Row
    changes: Row
    pauses_s: Row
    """Before the next transaction, of a user or of all that arrive; before the first of each user at the begin."""


def whole_part(shop: Shop, part: int) -> Row:
    """A part of the whole numbers."""
    return shop.whole[shop.whole[PARTS + 2 * part] : shop.whole[PARTS + 2 * part + 1]]


def real_part(shop: Shop, part: int) -> Row:
    """A part of the real numbers."""
    return shop.real[shop.whole[PARTS + 2 * part] : shop.whole[PARTS + 2 * part + 1]]


def sessions_of(shop: Shop) -> Row:
    """Whole numbers of sessions, one behind the other."""
    return whole_part(shop, WHOLE_OF)


def times_of(shop: Shop) -> Row:
    """Times of sessions, one behind the other."""
    return real_part(shop, REAL_OF)


def nodes_of(shop: Shop) -> Row:
    """Members of lists, one behind the other."""
    return whole_part(shop, NODES)


def of_pool(number: int, part: int) -> int:
    """Which part of all that is, of a pool."""
    return OF_POOL + number * PARTS_OF_POOL + part


def kind_of(shop: Shop, kind: int) -> Row:
    """What a kind of transactions asks for."""
    return real_part(shop, KIND_NUMBERS)[kind * KIND_FIELDS : (kind + 1) * KIND_FIELDS]


def level_of(shop: Shop, level: int) -> Row:
    """What a contended latch or buffer costs where so many run."""
    return real_part(shop, CONTENTION)[level * LEVEL_FIELDS : (level + 1) * LEVEL_FIELDS]
