"""Devices, log writer and database writers for the compiled loop of transactions, as ``model.sim`` has them by events.

What they do is what ``model.sim.writers`` and ``model.sim.data_files.InOrder`` do, in their order.
"""

from __future__ import annotations

import math

from model.kernels.buffers import BLOCK as OF_BLOCK
from model.kernels.buffers import FIELDS, SHIFT, cleaned, place_of
from model.kernels.events import KINDS, push, replace_least, turn_of
from model.kernels.shop import (
    AGE_S,
    ASKED,
    ASKED_HEAD,
    ASKED_TAIL,
    BEING_WRITTEN,
    BLOCK_BYTES,
    BUFFERS,
    CACHE,
    CHANNEL_S,
    DEVICE_TIMES,
    DEVICES,
    DIRTY,
    DUE,
    END_BYTE,
    EXTENT,
    EXTENTS,
    FACTORS,
    FIRST_CLEANED,
    FOLLOWING,
    FOUND,
    HEAD,
    IDLE,
    LARGEST_BYTES,
    LAST_CLEANED,
    LOG_DEVICE,
    LOG_FIRST,
    LOG_HEAD,
    LOG_IDLE,
    LOG_LEFT,
    LOG_PLACE,
    LOG_REDO,
    LOG_TAIL,
    LOG_WRITES,
    LOG_WRITING,
    LOOK_S,
    LOOK_TURN,
    MARK,
    NEXT_FACTOR,
    NOTED,
    NOTED_FIELDS,
    NOTES,
    NOW,
    NUMBERS_OF_DEVICE,
    NUMBERS_OF_POOL,
    POOLS,
    READ_OVERHEAD_S,
    READ_RATE,
    SEEK_S,
    SINCE,
    SLOTS,
    STATE,
    STEP,
    TABLE,
    TAIL,
    TIMES_OF_DEVICE,
    TO_WRITE,
    TOUCHED,
    VARIES,
    WHOLE,
    WRITTEN,
    Row,
    Shop,
    of_pool,
    real_part,
    sessions_of,
    whole_part,
)
from model.laws.commit import LARGEST_LOG_WRITE_BYTES, LOG_BLOCK_BYTES, LOG_FILES_BYTES, LOOKS_EVERY_S
from model.laws.device import continues, transfer_s

SESSION, ARRIVAL, LOG_BEGINS, LOG_WRITTEN, RELEASED, LOOKS, POOL_WRITTEN, STOP = range(8)
"""Kinds of events."""

written_to_disk = cleaned.py_func


def device_of(shop: Shop, number: int) -> Row:
    """Whole numbers of a device."""
    first = DEVICES + number * NUMBERS_OF_DEVICE
    return shop.whole[first : first + NUMBERS_OF_DEVICE]


def pool_of(shop: Shop, number: int) -> Row:
    """Whole numbers of a pool's DBWR."""
    first = POOLS + number * NUMBERS_OF_POOL
    return shop.whole[first : first + NUMBERS_OF_POOL]


def rows_of(shop: Shop, number: int) -> tuple[Row, ...]:
    """A pool's buffers, for the loops of :class:`model.kernels.buffers.Buffers`."""
    return (
        whole_part(shop, of_pool(number, CACHE)),
        whole_part(shop, of_pool(number, TABLE)),
        whole_part(shop, of_pool(number, BUFFERS)),
        real_part(shop, TOUCHED + number),
        whole_part(shop, of_pool(number, STATE)),
        whole_part(shop, of_pool(number, TO_WRITE)),
        whole_part(shop, of_pool(number, FOUND)),
    )


def byte_of(layout: Row, block: int) -> int:
    """First byte of a block."""
    extent, inside = block // layout[EXTENT], block % layout[EXTENT]
    if extent < layout[EXTENTS]:
        extent = extent * layout[STEP] % layout[EXTENTS]
    return int((extent * layout[EXTENT] + inside) * layout[BLOCK_BYTES])


def submitted(shop: Shop, number: int, write: int, start_byte: int, size_bytes: int) -> float:
    """When a request handed over now is done, the last of its pieces."""
    own, notes = device_of(shop, number), real_part(shop, NOTES + number)
    now_s: float = shop.real[NOW]
    last_s = now_s
    while size_bytes > 0:
        size = min(size_bytes, own[LARGEST_BYTES])
        done_s = _served(shop, number, write, start_byte, size)
        at = own[NOTED] * NOTED_FIELDS
        notes[at] = now_s
        notes[at + 1] = done_s
        notes[at + 2] = write
        notes[at + 3] = size
        own[NOTED] += 1
        last_s = max(last_s, done_s)
        start_byte += size
        size_bytes -= size
    return last_s


def _served(shop: Shop, number: int, write: int, start_byte: int, size_bytes: int) -> float:
    """When a request is done: of a varying time in a slot, or latency in a slot and transfer over the channel."""
    own, slots = device_of(shop, number), real_part(shop, SLOTS + number)
    first = DEVICE_TIMES + number * TIMES_OF_DEVICE
    times = shop.real[first : first + TIMES_OF_DEVICE]
    begin_s = max(slots[0], shop.real[NOW])
    transfer = transfer_s(size_bytes, times[READ_RATE + write])
    latency = times[READ_OVERHEAD_S + write]
    if own[VARIES]:
        end_s = begin_s + real_part(shop, FACTORS + number)[own[NEXT_FACTOR]] * (latency + transfer)
        own[NEXT_FACTOR] += 1
        replace_least(slots, end_s)
        return float(end_s)
    if own[END_BYTE] < 0 or not continues(start_byte, own[END_BYTE]):
        latency = latency + times[SEEK_S]
    ready_s = begin_s + latency
    end_s = max(ready_s, times[CHANNEL_S]) + transfer
    times[CHANNEL_S] = end_s
    own[END_BYTE] = start_byte + size_bytes
    replace_least(slots, ready_s if len(slots) > 1 else end_s)
    return float(end_s)


def log_write(shop: Shop, now_s: float) -> None:
    """LGWR writes the next part of what it has taken along."""
    log = shop.whole
    size = min(log[LOG_LEFT], LARGEST_LOG_WRITE_BYTES)
    if log[LOG_PLACE] + size > LOG_FILES_BYTES:
        log[LOG_PLACE] = 0
    start_byte = log[LOG_FIRST] + log[LOG_PLACE]
    done_s = submitted(shop, log[LOG_DEVICE], 1, start_byte, size)
    log[LOG_PLACE] += size
    log[LOG_LEFT] -= size
    push(shop, now_s + (done_s - now_s), LOG_WRITTEN)


def log_step(shop: Shop, now_s: float, written: bool) -> None:
    """LGWR begins with all redo there is, or has written a part: it goes on, or lets those go who waited for it."""
    log = shop.whole
    if written:
        shop.real[LOG_WRITES] += 1
        if log[LOG_LEFT] == 0:
            push(shop, now_s, RELEASED + KINDS * log[LOG_WRITING])
            if log[LOG_HEAD] < 0:
                log[LOG_IDLE] = 1
                return
            written = False
    if not written:
        log[LOG_WRITING], log[LOG_HEAD] = log[LOG_HEAD], -1
        log[LOG_LEFT] = -(-max(log[LOG_REDO], 1) // LOG_BLOCK_BYTES) * LOG_BLOCK_BYTES
        log[LOG_REDO] = 0
    log_write(shop, now_s)


def log_waits(shop: Shop, session: int, now_s: float) -> None:
    """A session waits for LGWR, which is woken if it is idle."""
    log, whole = shop.whole, sessions_of(shop)
    whole[session * WHOLE + FOLLOWING] = -1
    if log[LOG_HEAD] < 0:
        log[LOG_HEAD] = session
    else:
        whole[log[LOG_TAIL] * WHOLE + FOLLOWING] = session
    log[LOG_TAIL] = session
    if log[LOG_IDLE]:
        log[LOG_IDLE] = 0
        push(shop, now_s, LOG_BEGINS)


def slot_of(shop: Shop, number: int, block: int) -> int:
    """The buffer of a block, 0 for none."""
    table, buffers = whole_part(shop, of_pool(number, TABLE)), whole_part(shop, of_pool(number, BUFFERS))
    shift = whole_part(shop, of_pool(number, CACHE))[SHIFT]
    return int(table[place_of(block, table, buffers, shift)])


def note_dirty(shop: Shop, number: int, block: int, since_s: float) -> None:
    """A block has become dirty."""
    own, dirty = pool_of(shop, number), whole_part(shop, of_pool(number, DIRTY))
    if own[TAIL] - own[HEAD] == len(dirty):
        _close_up(shop, number)
    slot = slot_of(shop, number, block)
    dirty[own[TAIL] % len(dirty)] = slot
    real_part(shop, SINCE + number)[own[TAIL] % len(dirty)] = since_s
    own[TAIL] += 1
    whole_part(shop, of_pool(number, MARK))[slot] = own[TAIL]


def _close_up(shop: Shop, number: int) -> None:
    """Leave those out of the ring that have been written."""
    own, dirty = pool_of(shop, number), whole_part(shop, of_pool(number, DIRTY))
    mark, since_s = whole_part(shop, of_pool(number, MARK)), real_part(shop, SINCE + number)
    room, to = len(dirty), own[HEAD]
    for place in range(own[HEAD], own[TAIL]):
        slot = dirty[place % room]
        if mark[slot] == place + 1:
            dirty[to % room] = slot
            since_s[to % room] = since_s[place % room]
            to += 1
            mark[slot] = to
    own[TAIL] = to


def ask(shop: Shop, number: int, block: int) -> None:
    """A block comes on the write list."""
    own, asked = pool_of(shop, number), whole_part(shop, of_pool(number, ASKED))
    asked[own[ASKED_TAIL] % len(asked)] = block
    own[ASKED_TAIL] += 1


def wake(shop: Shop, number: int, now_s: float) -> None:
    """DBWR looks now, if it is idle."""
    own = pool_of(shop, number)
    if own[IDLE]:
        own[IDLE] = 0
        shop.real[LOOK_S + number] = math.inf
        push(shop, now_s, LOOKS + KINDS * number)


def pool_waits(shop: Shop, number: int, session: int, now_s: float) -> None:
    """A session waits for a clean buffer; where nothing is on its way, DBWR is to write the oldest."""
    own, whole = pool_of(shop, number), sessions_of(shop)
    dirty, mark = whole_part(shop, of_pool(number, DIRTY)), whole_part(shop, of_pool(number, MARK))
    buffers, room = whole_part(shop, of_pool(number, BUFFERS)), len(dirty)
    if own[ASKED_HEAD] == own[ASKED_TAIL]:
        wanted = len(whole_part(shop, of_pool(number, BEING_WRITTEN)))
        for place in range(own[HEAD], own[TAIL]):
            if wanted == 0:
                break
            slot = dirty[place % room]
            if mark[slot] == place + 1:
                ask(shop, number, buffers[slot * FIELDS + OF_BLOCK])
                wanted -= 1
    wake(shop, number, now_s)
    whole[session * WHOLE + FOLLOWING] = -1
    if own[FIRST_CLEANED] < 0:
        own[FIRST_CLEANED] = session
    else:
        whole[own[LAST_CLEANED] * WHOLE + FOLLOWING] = session
    own[LAST_CLEANED] = session


def pool_step(shop: Shop, number: int, now_s: float, written: bool) -> None:
    """DBWR has written its blocks, and those who wait go on; it writes what is due, or waits to look again."""
    own, due = pool_of(shop, number), whole_part(shop, of_pool(number, BEING_WRITTEN))
    if written:
        written_to_disk(due[: own[DUE]], rows_of(shop, number))
        shop.real[WRITTEN] += own[DUE]
        if own[FIRST_CLEANED] >= 0:
            push(shop, now_s, RELEASED + KINDS * own[FIRST_CLEANED])
            own[FIRST_CLEANED] = -1
    _take_due(shop, number, now_s - shop.real[AGE_S])
    if own[DUE] == 0:
        own[IDLE] = 1
        shop.real[LOOK_S + number] = now_s + LOOKS_EVERY_S
        own[LOOK_TURN] = turn_of(shop)
        return
    last_s = now_s
    for k in range(own[DUE]):
        done_s = submitted(shop, 0, 1, byte_of(shop.whole, due[k]), shop.whole[BLOCK_BYTES])
        last_s = max(last_s, done_s)
    push(shop, now_s + (last_s - now_s), POOL_WRITTEN + KINDS * number)


def _take_due(shop: Shop, number: int, old_s: float) -> None:
    """The next blocks to write: those of the write list, then the longest dirty; as many as may be under way."""
    own, written = pool_of(shop, number), whole_part(shop, of_pool(number, BEING_WRITTEN))
    dirty, mark = whole_part(shop, of_pool(number, DIRTY)), whole_part(shop, of_pool(number, MARK))
    asked, since_s = whole_part(shop, of_pool(number, ASKED)), real_part(shop, SINCE + number)
    buffers, most, room = whole_part(shop, of_pool(number, BUFFERS)), len(written), len(dirty)
    due = 0
    for _ in range(min(most, own[ASKED_TAIL] - own[ASKED_HEAD])):
        block = asked[own[ASKED_HEAD] % len(asked)]
        own[ASKED_HEAD] += 1
        slot = slot_of(shop, number, block)
        if slot and mark[slot]:
            mark[slot] = 0
            written[due] = block
            due += 1
    while due < most and own[HEAD] < own[TAIL]:
        place = own[HEAD]
        slot = dirty[place % room]
        if mark[slot] == place + 1:
            if since_s[place % room] > old_s:
                break
            mark[slot] = 0
            written[due] = buffers[slot * FIELDS + OF_BLOCK]
            due += 1
        own[HEAD] += 1
    own[DUE] = due
