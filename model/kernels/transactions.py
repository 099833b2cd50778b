"""Transactions of many users through buffer cache, processors and devices in one compiled loop.

What it does is what ``model.sim.users`` does by events, in the order in which SimPy would have them. Random numbers are
handed in; the loop comes back when it needs more of them, or room for what it found.
"""

from __future__ import annotations

import math

from model.kernels.buffers import FIELDS, forget, place_of, worked
from model.kernels.events import KINDS, pop, push, replace_least
from model.kernels.linked import Linked
from model.kernels.shop import (
    ASKED_HEAD,
    ASKED_TAIL,
    ASLEEP,
    AT,
    AT_S,
    AWAITS_BUFFER,
    AWAITS_LOG,
    AWAITS_OTHER,
    BATCH,
    BEGIN_S,
    BLOCK,
    BLOCK_BYTES,
    BLOCKS,
    BUSY,
    CHANGED,
    CHANGES,
    CLOSED,
    COLLISION,
    COLUMNS,
    COMMITS,
    CONTENTION,
    COST_FILL_S,
    COST_READ_S,
    COST_UNDO_S,
    COUNT,
    CPU,
    CPU_S,
    DONE,
    DRAWN_GETS,
    EVENT_COUNT,
    EVENTS,
    FACTORS,
    FIRST_DIRTY,
    FIRST_SINCE,
    FIRST_WAITING,
    FOLLOWING,
    FREE,
    FREE_LONGEST_S,
    FREE_NODE,
    FREE_S,
    FREE_SESSION,
    FREE_WAITS,
    FRESH_NODE,
    GETS,
    HOTTEST_CHANGED,
    HOTTEST_CHANGES,
    HOTTEST_COLLISION,
    HOTTEST_GETS,
    IDLE,
    INSPECTED,
    KIND,
    KIND_CPU_S,
    KIND_FIELDS,
    KIND_NUMBERS,
    KINDS_ENDED,
    LAST_CPU,
    LAST_POOL,
    LAST_WAITING,
    LATCH_SPIN_S,
    LATCH_WAIT_S,
    LATCH_WAITS,
    LATCHED,
    LEVEL,
    LEVEL_FIELDS,
    LOG_REDO,
    LONGEST,
    LOOK_S,
    LOOK_TURN,
    MARKED,
    MARKS,
    MISSED,
    MISSES,
    MOST_PIECES,
    NEXT_FACTOR,
    NEXT_ONE,
    NEXT_PAUSE,
    NODE,
    NODE_FOLLOWING,
    NODE_OTHER,
    NODE_VALUE,
    NOTED,
    NOTED_FIELDS,
    NOTES,
    NOW,
    ON_CPU,
    OTHER,
    OTHER_LONGEST_S,
    OTHER_S,
    OTHER_WAITS,
    OTHERS,
    PHASE,
    PIN_WAIT_S,
    PIN_WAITS,
    PROCESSORS,
    QUEUE,
    QUEUE_S,
    READ,
    READ_LONGEST_S,
    READ_S,
    READER_BLOCKS,
    READERS,
    READING,
    READS,
    READS_ON,
    REAL,
    REDO_BYTES,
    REQUESTS,
    RESPONSES,
    RESPONSES_S,
    REST,
    RUNNING,
    SERIAL,
    SESSIONS,
    SHIFT,
    SINCE_S,
    SMT,
    SPEED,
    SPIN,
    SPLIT,
    STARTED,
    STRETCH_S,
    SYNC,
    THINKS,
    THREADS,
    TOUCH_TIME_S,
    TRIPS_S,
    TURNS,
    UNDER_WAY,
    UNDO,
    UNDO_GETS,
    VARIES,
    WAITS,
    WANTED,
    WHATS,
    WHOLE,
    Drawn,
    Row,
    Shop,
    nodes_of,
    of_pool,
    real_part,
    sessions_of,
    times_of,
    whole_part,
)
from model.kernels.writing import (
    ARRIVAL,
    LOG_BEGINS,
    LOG_WRITTEN,
    LOOKS,
    POOL_WRITTEN,
    RELEASED,
    SESSION,
    STOP,
    ask,
    byte_of,
    device_of,
    log_step,
    log_waits,
    note_dirty,
    pool_of,
    pool_step,
    pool_waits,
    rows_of,
    submitted,
    wake,
)
from model.laws.changed_blocks import undo_gets
from model.laws.commit import LARGE_DIRTY_QUEUE

DONE_WITH_IT, OUT_OF_SUPPLIES, TOO_MANY = range(3)
"""Why the loop comes back."""
NOBODY = -1

use = worked.py_func


@Linked
def played(shop: Shop, drawn: Drawn) -> int:  # noqa: PLR0912  (one branch for each kind of event)
    """Play on until as many transactions have ended as wanted; why it comes back."""
    own, real, whole = shop.whole, shop.real, sessions_of(shop)
    times_s, turns, whats = real_part(shop, AT_S), whole_part(shop, TURNS), whole_part(shop, WHATS)
    if not own[STARTED]:
        own[STARTED] = 1
        _begin(shop, drawn)
    while True:
        if _lacks(shop, drawn):
            return OUT_OF_SUPPLIES
        kind, about, now_s = SESSION, 0, math.inf
        if own[EVENT_COUNT] > 0:
            kind, about, now_s = whats[0] % KINDS, whats[0] // KINDS, times_s[0]
        looks = NOBODY
        for number in range(own[LAST_POOL] + 1):
            look_s = real[LOOK_S + number]
            sooner = look_s < now_s or (look_s == now_s and pool_of(shop, number)[LOOK_TURN] < turns[0])
            if sooner and (looks < 0 or look_s < real[LOOK_S]):
                looks = number
        if looks >= 0:
            kind, about, now_s = LOOKS, looks, real[LOOK_S + looks]
            real[LOOK_S + looks] = math.inf
        else:
            pop(shop)
        real[NOW] = now_s
        if kind == STOP:
            return DONE_WITH_IT
        if kind in (LOG_BEGINS, LOG_WRITTEN):
            log_step(shop, now_s, kind == LOG_WRITTEN)
            continue
        if kind in (LOOKS, POOL_WRITTEN):
            pool_of(shop, about)[IDLE] = 0
            pool_step(shop, about, now_s, kind == POOL_WRITTEN)
            continue
        if kind == ARRIVAL:
            push(shop, now_s + drawn.pauses_s[own[NEXT_PAUSE]], ARRIVAL)
            own[NEXT_PAUSE] += 1
            about = own[FREE_SESSION]
            if about < 0:
                return TOO_MANY
            own[FREE_SESSION] = whole[about * WHOLE + FOLLOWING]
        if kind == RELEASED:
            following = whole[about * WHOLE + FOLLOWING]
        else:
            following = NOBODY
            if whole[about * WHOLE + PHASE] == READS_ON:
                following = whole[about * WHOLE + FIRST_WAITING]
                whole[about * WHOLE + FIRST_WAITING] = NOBODY
        while True:
            _go_on(shop, drawn, about, now_s)
            if following < 0:
                break
            about = following
            following = whole[about * WHOLE + FOLLOWING]


def _begin(shop: Shop, drawn: Drawn) -> None:
    """What is dirty, the first look of each DBWR, and when users begin."""
    own = shop.whole
    for number in range(own[LAST_POOL] + 1):
        blocks, since_s = (
            whole_part(shop, of_pool(number, FIRST_DIRTY)),
            real_part(shop, FIRST_SINCE + number),
        )
        for k in range(len(blocks)):
            note_dirty(shop, number, blocks[k], since_s[k])
    for number in range(own[LAST_POOL] + 1):
        pool_step(shop, number, 0.0, False)
    for user in range(own[SESSIONS] if own[CLOSED] else 1):
        push(shop, drawn.pauses_s[user], SESSION + KINDS * user if own[CLOSED] else ARRIVAL)
        own[NEXT_PAUSE] += 1


def _lacks(shop: Shop, drawn: Drawn) -> bool:
    """Whether an event might need more than there is."""
    own, sessions = shop.whole, shop.whole[SESSIONS]
    if own[NEXT_ONE] >= len(drawn.kind) or own[NEXT_PAUSE] + sessions > len(drawn.pauses_s):
        return True
    if own[RESPONSES] + sessions > len(real_part(shop, RESPONSES_S)):
        return True
    for number in range(2):
        device, most = device_of(shop, number), own[MOST_PIECES]
        if (device[NOTED] + most) * NOTED_FIELDS > len(real_part(shop, NOTES + number)):
            return True
        if device[VARIES] and device[NEXT_FACTOR] + most > len(real_part(shop, FACTORS + number)):
            return True
    return False


def _go_on(shop: Shop, drawn: Drawn, session: int, now_s: float) -> None:
    """A session goes on where it stands, as far as it can."""
    own, whole, real = shop.whole, sessions_of(shop), times_of(shop)
    phase = whole[session * WHOLE + PHASE]
    since_s = real[session * REAL + SINCE_S]
    if phase in (THINKS, AWAITS_BUFFER):
        if phase == THINKS:
            _start(shop, drawn, session, now_s)
        else:
            late_s = now_s - since_s
            whole[session * WHOLE + FREE_WAITS] += 1
            real[session * REAL + FREE_S] += late_s
            real[session * REAL + FREE_LONGEST_S] = max(real[session * REAL + FREE_LONGEST_S], late_s)
        if not _gets(shop, drawn, session, now_s):
            return
        asleep_s = _plan(shop, session)
        if asleep_s > 0:
            whole[session * WHOLE + PHASE] = ASLEEP
            push(shop, now_s + asleep_s, SESSION + KINDS * session)
            return
    elif phase == ON_CPU:
        own[RUNNING] -= 1
        _read(shop, session, now_s)
        return
    elif phase == READS_ON:
        took_s = now_s - since_s
        real[session * REAL + READ_S] += took_s
        real[session * REAL + READ_LONGEST_S] = max(real[session * REAL + READ_LONGEST_S], took_s)
        _has_read(shop, session)
    elif phase == AWAITS_OTHER:
        waited_s = now_s - since_s
        whole[session * WHOLE + OTHER_WAITS] += 1
        real[session * REAL + OTHER_S] += waited_s
        real[session * REAL + OTHER_LONGEST_S] = max(real[session * REAL + OTHER_LONGEST_S], waited_s)
    elif phase == LAST_CPU:
        own[RUNNING] -= 1
        kind = kind_of(shop, whole[session * WHOLE + KIND])
        own[LOG_REDO] += int(kind[REDO_BYTES])
        if kind[COMMITS] > 0:
            whole[session * WHOLE + PHASE] = AWAITS_LOG
            real[session * REAL + SINCE_S] = now_s
            log_waits(shop, session, now_s)
            return
        _end(shop, drawn, session, now_s)
        return
    elif phase == AWAITS_LOG:
        _waited(shop, SYNC, 1.0, now_s - since_s, now_s - since_s)
        _end(shop, drawn, session, now_s)
        return
    if _awaits_other(shop, session, now_s):
        return
    whole[session * WHOLE + PHASE] = ON_CPU if whole[session * WHOLE + READS] >= 0 else LAST_CPU
    _compute(shop, session, now_s)


def kind_of(shop: Shop, kind: int) -> Row:
    """What a kind of transactions asks for."""
    return real_part(shop, KIND_NUMBERS)[kind * KIND_FIELDS : (kind + 1) * KIND_FIELDS]


def level_of(shop: Shop, level: int) -> Row:
    """What a contended latch or buffer costs where so many run."""
    return real_part(shop, CONTENTION)[level * LEVEL_FIELDS : (level + 1) * LEVEL_FIELDS]


def _start(shop: Shop, drawn: Drawn, session: int, now_s: float) -> None:
    """A transaction begins: which it is, and what others have under way."""
    own, whole, real = shop.whole, sessions_of(shop), times_of(shop)
    one = own[NEXT_ONE]
    own[NEXT_ONE] = one + 1
    kind = drawn.kind[one]
    for field in range(REAL):
        real[session * REAL + field] = 0.0
    real[session * REAL + BEGIN_S] = now_s
    whole[session * WHOLE + KIND] = kind
    whole[session * WHOLE + AT] = 0
    whole[session * WHOLE + SPLIT] = drawn.first[one]
    whole[session * WHOLE + COUNT] = drawn.begin[one + 1] - drawn.begin[one]
    whole[session * WHOLE + BLOCK] = drawn.begin[one]
    whole[session * WHOLE + MISSED] = 0
    whole[session * WHOLE + OTHER_WAITS] = 0
    whole[session * WHOLE + FREE_WAITS] = 0
    costs, gets, others = shop.real, kind_of(shop, kind), own[UNDER_WAY]
    found = 0.0
    if others > 0:
        found = undo_gets(gets[DRAWN_GETS], others, costs[CHANGES], costs[COLLISION])
        if costs[HOTTEST_CHANGED]:
            found += undo_gets(gets[HOTTEST_GETS], others, costs[HOTTEST_CHANGED], costs[HOTTEST_COLLISION])
    real[session * REAL + UNDO_GETS] = found
    own[UNDER_WAY] += 1
    whole[session * WHOLE + LEVEL] = min(own[RUNNING] + 1, own[THREADS])


def _gets(shop: Shop, drawn: Drawn, session: int, now_s: float) -> bool:
    """Get blocks; whether all are there or to be read, or the session waits for a buffer."""
    own, whole, nodes = shop.whole, sessions_of(shop), nodes_of(shop)
    count = whole[session * WHOLE + COUNT]
    blocks, changes = whole_part(shop, BLOCKS)[:count], whole_part(shop, CHANGED)[:count]
    if whole[session * WHOLE + PHASE] == THINKS:
        first = whole[session * WHOLE + BLOCK]
        for k in range(count):
            blocks[k], changes[k] = drawn.blocks[first + k], drawn.changes[first + k]
    else:
        node = whole[session * WHOLE + REST]
        for k in range(count):
            blocks[k], changes[k] = nodes[node * NODE + NODE_VALUE], nodes[node * NODE + NODE_OTHER]
            node = nodes[node * NODE + NODE_FOLLOWING]
    while whole[session * WHOLE + AT] < count:
        number, begin, end = own[LAST_POOL], whole[session * WHOLE + AT], count
        if begin < whole[session * WHOLE + SPLIT]:
            number, end = 0, whole[session * WHOLE + SPLIT]
        begin += _worked(shop, session, number, blocks[begin:end], changes[begin:end], now_s)
        whole[session * WHOLE + AT] = begin
        if begin < end:
            if whole[session * WHOLE + PHASE] == THINKS:
                for k in range(count):
                    _append(shop, session, REST, blocks[k], int(changes[k]))
            whole[session * WHOLE + PHASE] = AWAITS_BUFFER
            times_of(shop)[session * REAL + SINCE_S] = now_s
            pool_waits(shop, number, session, now_s)
            return False
    while whole[session * WHOLE + REST] >= 0:
        _drop(shop, session, REST)
    if own[READING] > 0:
        _find_others(shop, session, blocks)
    return True


def _worked(shop: Shop, session: int, number: int, blocks: Row, changes: Row, now_s: float) -> int:
    """Use blocks in a pool, and note those to read; how many were used before it had no clean buffer."""
    rows = rows_of(shop, number)
    found, to_write = rows[6], rows[5]
    done, missed, writing, dirtied, inspected = use(
        blocks, changes, changes[:0], now_s, shop.real[TOUCH_TIME_S], rows
    )
    for k in range(missed):
        _append(shop, session, READS, blocks[found[k]], 0)
    sessions_of(shop)[session * WHOLE + MISSED] += missed
    shop.real[INSPECTED] += inspected
    for k in range(dirtied):
        note_dirty(shop, number, found[len(blocks) + k], now_s)
    for k in range(writing):
        ask(shop, number, to_write[k])
    own = pool_of(shop, number)
    if writing > 0 and own[ASKED_TAIL] - own[ASKED_HEAD] >= LARGE_DIRTY_QUEUE:
        wake(shop, number, now_s)
    return done


def _append(shop: Shop, session: int, first: int, value: int, other: int) -> None:
    """A new last member of one of a session's lists; its end is noted beside its begin."""
    own, nodes, whole = shop.whole, nodes_of(shop), sessions_of(shop)
    node = own[FREE_NODE]
    if node < 0:
        node = own[FRESH_NODE]
        own[FRESH_NODE] = node + 1
    else:
        own[FREE_NODE] = nodes[node * NODE + NODE_FOLLOWING]
    nodes[node * NODE + NODE_VALUE] = value
    nodes[node * NODE + NODE_OTHER] = other
    nodes[node * NODE + NODE_FOLLOWING] = NOBODY
    if whole[session * WHOLE + first] < 0:
        whole[session * WHOLE + first] = node
    else:
        nodes[whole[session * WHOLE + first + 1] * NODE + NODE_FOLLOWING] = node
    whole[session * WHOLE + first + 1] = node


def _drop(shop: Shop, session: int, first: int) -> int:
    """Take away the first member of a list; which it was."""
    own, nodes, whole = shop.whole, nodes_of(shop), sessions_of(shop)
    node = whole[session * WHOLE + first]
    whole[session * WHOLE + first] = nodes[node * NODE + NODE_FOLLOWING]
    nodes[node * NODE + NODE_FOLLOWING] = own[FREE_NODE]
    own[FREE_NODE] = node
    return int(node)


def _find_others(shop: Shop, session: int, blocks: Row) -> None:
    """Reads under way of other sessions that this transaction has to wait for."""
    whole, nodes, shift = sessions_of(shop), nodes_of(shop), shop.whole[SHIFT]
    readers, reader_blocks = whole_part(shop, READERS), whole_part(shop, READER_BLOCKS)
    for k in range(len(blocks)):
        reader = readers[place_of(blocks[k], readers, reader_blocks, shift)] - 1
        if reader >= 0:
            node = whole[session * WHOLE + READS]
            while node >= 0 and nodes[node * NODE + NODE_VALUE] != blocks[k]:
                node = nodes[node * NODE + NODE_FOLLOWING]
            if node < 0:
                _append(shop, session, OTHERS, reader, whole[reader * WHOLE + SERIAL])


def _plan(shop: Shop, session: int) -> float:
    """CPU time between reads; the time asleep before, and with the client."""
    whole, real, costs = sessions_of(shop), times_of(shop), shop.real
    kind, level = kind_of(shop, whole[session * WHOLE + KIND]), level_of(shop, whole[session * WHOLE + LEVEL])
    reads = whole[session * WHOLE + MISSED]
    spin_s = kind[HOTTEST_GETS] * level[LATCH_SPIN_S]
    own_s = (
        kind[KIND_CPU_S]
        + reads * costs[COST_READ_S]
        + reads * costs[COST_FILL_S]
        + real[session * REAL + UNDO_GETS] * costs[COST_UNDO_S]
        + spin_s
    )
    real[session * REAL + STRETCH_S] = own_s / (reads + 1)
    asleep_s = kind[HOTTEST_GETS] * level[LATCH_WAIT_S] + kind[HOTTEST_CHANGES] * level[PIN_WAIT_S]
    return float(kind[TRIPS_S] + asleep_s)


def _compute(shop: Shop, session: int, now_s: float) -> None:
    """A processor works for the session, as soon as there is one."""
    own, real, free_at = shop.whole, times_of(shop), real_part(shop, PROCESSORS)
    begin_s, took_s = max(free_at[0], now_s), real[session * REAL + STRETCH_S]
    if own[SMT]:
        busy = 1
        for k in range(len(free_at)):
            busy += free_at[k] > begin_s
        took_s = took_s / real_part(shop, SPEED)[busy]
    end_s = begin_s + took_s
    replace_least(free_at, end_s)
    real[session * REAL + QUEUE_S] += begin_s - now_s
    real[session * REAL + CPU_S] += end_s - begin_s
    own[RUNNING] += 1
    push(shop, now_s + (end_s - now_s), SESSION + KINDS * session)


def _read(shop: Shop, session: int, now_s: float) -> None:
    """The session reads its next block."""
    own, whole = shop.whole, sessions_of(shop)
    readers, reader_blocks = whole_part(shop, READERS), whole_part(shop, READER_BLOCKS)
    block = nodes_of(shop)[_drop(shop, session, READS) * NODE + NODE_VALUE]
    done_s = submitted(shop, 0, 0, byte_of(own, block), own[BLOCK_BYTES])
    place = place_of(block, readers, reader_blocks, own[SHIFT])
    own[READING] += readers[place] == 0
    readers[place] = session + 1
    reader_blocks[(session + 1) * FIELDS] = block
    whole[session * WHOLE + BLOCK] = block
    whole[session * WHOLE + SERIAL] += 1
    whole[session * WHOLE + PHASE] = READS_ON
    times_of(shop)[session * REAL + SINCE_S] = now_s
    push(shop, now_s + (done_s - now_s), SESSION + KINDS * session)


def _has_read(shop: Shop, session: int) -> None:
    """The session's block is no longer being read, unless another one reads it by now."""
    own, whole = shop.whole, sessions_of(shop)
    readers, reader_blocks = whole_part(shop, READERS), whole_part(shop, READER_BLOCKS)
    block = whole[session * WHOLE + BLOCK]
    whole[session * WHOLE + PHASE] = ON_CPU
    if readers[place_of(block, readers, reader_blocks, own[SHIFT])] == session + 1:
        forget(block, readers, reader_blocks, own[SHIFT])
        own[READING] -= 1


def _awaits_other(shop: Shop, session: int, now_s: float) -> bool:
    """Whether the session waits for a read of another one that is still under way."""
    whole, nodes = sessions_of(shop), nodes_of(shop)
    while whole[session * WHOLE + OTHERS] >= 0:
        node = _drop(shop, session, OTHERS)
        reader, serial = nodes[node * NODE + NODE_VALUE], nodes[node * NODE + NODE_OTHER]
        if whole[reader * WHOLE + SERIAL] == serial and whole[reader * WHOLE + PHASE] == READS_ON:
            whole[session * WHOLE + PHASE] = AWAITS_OTHER
            times_of(shop)[session * REAL + SINCE_S] = now_s
            whole[session * WHOLE + FOLLOWING] = NOBODY
            if whole[reader * WHOLE + FIRST_WAITING] < 0:
                whole[reader * WHOLE + FIRST_WAITING] = session
            else:
                whole[whole[reader * WHOLE + LAST_WAITING] * WHOLE + FOLLOWING] = session
            whole[reader * WHOLE + LAST_WAITING] = session
            return True
    return False


def _end(shop: Shop, drawn: Drawn, session: int, now_s: float) -> None:
    """A transaction has ended; what it took is added up, and its user thinks."""
    own, sums, whole, real = shop.whole, shop.real, sessions_of(shop), times_of(shop)
    kind, level = kind_of(shop, whole[session * WHOLE + KIND]), level_of(shop, whole[session * WHOLE + LEVEL])
    own[UNDER_WAY] -= 1
    sums[CPU] += real[session * REAL + CPU_S]
    sums[QUEUE] += real[session * REAL + QUEUE_S]
    sums[SPIN] += kind[HOTTEST_GETS] * level[LATCH_SPIN_S]
    sums[UNDO] += real[session * REAL + UNDO_GETS]
    sums[GETS] += whole[session * WHOLE + COUNT]
    sums[MISSES] += whole[session * WHOLE + MISSED]
    sums[REQUESTS] += whole[session * WHOLE + MISSED]
    _waited(
        shop,
        READ,
        whole[session * WHOLE + MISSED],
        real[session * REAL + READ_S],
        real[session * REAL + READ_LONGEST_S],
    )
    _waited(
        shop,
        OTHER,
        whole[session * WHOLE + OTHER_WAITS],
        real[session * REAL + OTHER_S],
        real[session * REAL + OTHER_LONGEST_S],
    )
    _waited(
        shop,
        FREE,
        whole[session * WHOLE + FREE_WAITS],
        real[session * REAL + FREE_S],
        real[session * REAL + FREE_LONGEST_S],
    )
    latched_s, busy_s = kind[HOTTEST_GETS] * level[LATCH_WAIT_S], kind[HOTTEST_CHANGES] * level[PIN_WAIT_S]
    if latched_s + busy_s:
        _waited(shop, LATCHED, kind[HOTTEST_GETS] * level[LATCH_WAITS], latched_s, latched_s)
        _waited(shop, BUSY, kind[HOTTEST_CHANGES] * level[PIN_WAITS], busy_s, busy_s)
    real_part(shop, RESPONSES_S)[own[RESPONSES]] = now_s - real[session * REAL + BEGIN_S]
    whole_part(shop, KINDS_ENDED)[own[RESPONSES]] = whole[session * WHOLE + KIND]
    own[RESPONSES] += 1
    own[DONE] += 1
    if own[DONE] % own[BATCH] == 0:
        marked = real_part(shop, MARKED)
        for column in range(COLUMNS):
            marked[own[MARKS] * COLUMNS + column] = sums[column]
        own[MARKS] += 1
    if own[DONE] == own[WANTED]:
        push(shop, now_s, STOP)
    whole[session * WHOLE + PHASE] = THINKS
    if own[CLOSED]:
        push(shop, now_s + drawn.pauses_s[own[NEXT_PAUSE]], SESSION + KINDS * session)
        own[NEXT_PAUSE] += 1
    else:
        whole[session * WHOLE + FOLLOWING] = own[FREE_SESSION]
        own[FREE_SESSION] = session


def _waited(shop: Shop, event: int, times: float, seconds: float, longest_s: float) -> None:
    """Note waits."""
    sums = shop.real
    sums[WAITS + event] += times
    sums[WAITS + EVENTS + event] += seconds
    sums[LONGEST + event] = max(sums[LONGEST + event], longest_s)
