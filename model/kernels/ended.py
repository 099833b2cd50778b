"""What a transaction took, added up as it ends."""

from __future__ import annotations

from model.kernels.events import KINDS, push
from model.kernels.shop import (
    BATCH,
    BEGIN_S,
    BUSY,
    CLOSED,
    COLUMNS,
    COUNT,
    CPU,
    CPU_S,
    DONE,
    EVENTS,
    FOLLOWING,
    FREE,
    FREE_LONGEST_S,
    FREE_S,
    FREE_SESSION,
    FREE_WAITS,
    GETS,
    HOTTEST_CHANGES,
    HOTTEST_GETS,
    KIND,
    KINDS_ENDED,
    LATCH_SPIN_S,
    LATCH_WAIT_S,
    LATCH_WAITS,
    LATCHED,
    LEVEL,
    LONGEST,
    MARKED,
    MARKS,
    MISSED,
    MISSES,
    NEXT_PAUSE,
    OTHER,
    OTHER_LONGEST_S,
    OTHER_S,
    OTHER_WAITS,
    PHASE,
    PIN_WAIT_S,
    PIN_WAITS,
    QUEUE,
    QUEUE_S,
    READ,
    READ_LONGEST_S,
    READ_S,
    REAL,
    REQUESTS,
    RESPONSES,
    RESPONSES_S,
    SPIN,
    THINKS,
    UNDER_WAY,
    UNDO,
    UNDO_GETS,
    WAITS,
    WANTED,
    WHOLE,
    Drawn,
    Shop,
    kind_of,
    level_of,
    real_part,
    sessions_of,
    times_of,
    whole_part,
)
from model.kernels.writing import (
    SESSION,
    STOP,
)


def ended(shop: Shop, drawn: Drawn, session: int, now_s: float) -> None:
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
    waited(
        shop,
        READ,
        whole[session * WHOLE + MISSED],
        real[session * REAL + READ_S],
        real[session * REAL + READ_LONGEST_S],
    )
    waited(
        shop,
        OTHER,
        whole[session * WHOLE + OTHER_WAITS],
        real[session * REAL + OTHER_S],
        real[session * REAL + OTHER_LONGEST_S],
    )
    waited(
        shop,
        FREE,
        whole[session * WHOLE + FREE_WAITS],
        real[session * REAL + FREE_S],
        real[session * REAL + FREE_LONGEST_S],
    )
    latched_s, busy_s = kind[HOTTEST_GETS] * level[LATCH_WAIT_S], kind[HOTTEST_CHANGES] * level[PIN_WAIT_S]
    if latched_s + busy_s:
        waited(shop, LATCHED, kind[HOTTEST_GETS] * level[LATCH_WAITS], latched_s, latched_s)
        waited(shop, BUSY, kind[HOTTEST_CHANGES] * level[PIN_WAITS], busy_s, busy_s)
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


def waited(shop: Shop, event: int, times: float, seconds: float, longest_s: float) -> None:
    """Note waits."""
    sums = shop.real
    sums[WAITS + event] += times
    sums[WAITS + EVENTS + event] += seconds
    sums[LONGEST + event] = max(sums[LONGEST + event], longest_s)
