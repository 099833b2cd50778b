"""The gets of a transaction: blocks that it uses, has to read, or waits for while others read them."""

from __future__ import annotations

from model.kernels.buffers import FIELDS, forget, place_of, worked
from model.kernels.events import KINDS, push
from model.kernels.members import NOBODY, append, drop
from model.kernels.shop import (
    ASKED_HEAD,
    ASKED_TAIL,
    AT,
    AWAITS_BUFFER,
    AWAITS_OTHER,
    BLOCK,
    BLOCK_BYTES,
    BLOCKS,
    CHANGED,
    COUNT,
    FIRST_WAITING,
    FOLLOWING,
    INSPECTED,
    LAST_POOL,
    LAST_WAITING,
    MISSED,
    NODE,
    NODE_FOLLOWING,
    NODE_OTHER,
    NODE_VALUE,
    ON_CPU,
    OTHERS,
    PHASE,
    READER_BLOCKS,
    READERS,
    READING,
    READS,
    READS_ON,
    REAL,
    REST,
    SERIAL,
    SHIFT,
    SINCE_S,
    SPLIT,
    THINKS,
    TOUCH_TIME_S,
    WHOLE,
    Drawn,
    Row,
    Shop,
    nodes_of,
    sessions_of,
    times_of,
    whole_part,
)
from model.kernels.writing import (
    SESSION,
    ask,
    byte_of,
    note_dirty,
    pool_of,
    pool_waits,
    rows_of,
    submitted,
    wake,
)
from model.laws.commit import LARGE_DIRTY_QUEUE

use = worked.py_func


def get_blocks(shop: Shop, drawn: Drawn, session: int, now_s: float) -> bool:
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
                    append(shop, session, REST, blocks[k], int(changes[k]))
            whole[session * WHOLE + PHASE] = AWAITS_BUFFER
            times_of(shop)[session * REAL + SINCE_S] = now_s
            pool_waits(shop, number, session, now_s)
            return False
    while whole[session * WHOLE + REST] >= 0:
        drop(shop, session, REST)
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
        append(shop, session, READS, blocks[found[k]], 0)
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
                append(shop, session, OTHERS, reader, whole[reader * WHOLE + SERIAL])


def read_next(shop: Shop, session: int, now_s: float) -> None:
    """The session reads its next block."""
    own, whole = shop.whole, sessions_of(shop)
    readers, reader_blocks = whole_part(shop, READERS), whole_part(shop, READER_BLOCKS)
    block = nodes_of(shop)[drop(shop, session, READS) * NODE + NODE_VALUE]
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


def has_read(shop: Shop, session: int) -> None:
    """The session's block is no longer being read, unless another one reads it by now."""
    own, whole = shop.whole, sessions_of(shop)
    readers, reader_blocks = whole_part(shop, READERS), whole_part(shop, READER_BLOCKS)
    block = whole[session * WHOLE + BLOCK]
    whole[session * WHOLE + PHASE] = ON_CPU
    if readers[place_of(block, readers, reader_blocks, own[SHIFT])] == session + 1:
        forget(block, readers, reader_blocks, own[SHIFT])
        own[READING] -= 1


def awaits_other(shop: Shop, session: int, now_s: float) -> bool:
    """Whether the session waits for a read of another one that is still under way."""
    whole, nodes = sessions_of(shop), nodes_of(shop)
    while whole[session * WHOLE + OTHERS] >= 0:
        node = drop(shop, session, OTHERS)
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
