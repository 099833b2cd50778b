"""A session of the compiled loop: from one event of its own to what it waits for next."""

from __future__ import annotations

from model.kernels.ended import ended, waited
from model.kernels.events import KINDS, push, replace_least
from model.kernels.gets import awaits_other, get_blocks, has_read, read_next
from model.kernels.shop import (
    ASLEEP,
    AT,
    AWAITS_BUFFER,
    AWAITS_LOG,
    AWAITS_OTHER,
    BEGIN_S,
    BLOCK,
    CHANGES,
    COLLISION,
    COMMITS,
    COST_FILL_S,
    COST_READ_S,
    COST_UNDO_S,
    COUNT,
    CPU_S,
    DRAWN_GETS,
    FREE_LONGEST_S,
    FREE_S,
    FREE_WAITS,
    HOTTEST_CHANGED,
    HOTTEST_CHANGES,
    HOTTEST_COLLISION,
    HOTTEST_GETS,
    KIND,
    KIND_CPU_S,
    LAST_CPU,
    LATCH_SPIN_S,
    LATCH_WAIT_S,
    LEVEL,
    LOG_REDO,
    MISSED,
    NEXT_ONE,
    ON_CPU,
    OTHER_LONGEST_S,
    OTHER_S,
    OTHER_WAITS,
    PHASE,
    PIN_WAIT_S,
    PROCESSORS,
    QUEUE_S,
    READ_LONGEST_S,
    READ_S,
    READS,
    READS_ON,
    REAL,
    REDO_BYTES,
    RUNNING,
    SINCE_S,
    SMT,
    SPEED,
    SPLIT,
    STRETCH_S,
    SYNC,
    THINKS,
    THREADS,
    TRIPS_S,
    UNDER_WAY,
    UNDO_GETS,
    WHOLE,
    Drawn,
    Shop,
    kind_of,
    level_of,
    real_part,
    sessions_of,
    times_of,
)
from model.kernels.writing import (
    SESSION,
    log_waits,
)
from model.laws.changed_blocks import undo_gets


def go_on(shop: Shop, drawn: Drawn, session: int, now_s: float) -> None:
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
        if not get_blocks(shop, drawn, session, now_s):
            return
        asleep_s = _plan(shop, session)
        if asleep_s > 0:
            whole[session * WHOLE + PHASE] = ASLEEP
            push(shop, now_s + asleep_s, SESSION + KINDS * session)
            return
    elif phase == ON_CPU:
        own[RUNNING] -= 1
        read_next(shop, session, now_s)
        return
    elif phase == READS_ON:
        took_s = now_s - since_s
        real[session * REAL + READ_S] += took_s
        real[session * REAL + READ_LONGEST_S] = max(real[session * REAL + READ_LONGEST_S], took_s)
        has_read(shop, session)
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
        ended(shop, drawn, session, now_s)
        return
    elif phase == AWAITS_LOG:
        waited(shop, SYNC, 1.0, now_s - since_s, now_s - since_s)
        ended(shop, drawn, session, now_s)
        return
    if awaits_other(shop, session, now_s):
        return
    whole[session * WHOLE + PHASE] = ON_CPU if whole[session * WHOLE + READS] >= 0 else LAST_CPU
    _compute(shop, session, now_s)


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
