"""Transactions of many users through buffer cache, processors and devices in one compiled loop.

What it does is what ``model.sim.users`` does by events, in the order in which SimPy would have them. Random numbers are
handed in; the loop comes back when it needs more of them, or room for what it found.
"""

from __future__ import annotations

import math

from model.kernels.events import KINDS, pop, push
from model.kernels.linked import Linked
from model.kernels.members import NOBODY
from model.kernels.session import go_on
from model.kernels.shop import (
    AT_S,
    CLOSED,
    EVENT_COUNT,
    FACTORS,
    FIRST_DIRTY,
    FIRST_SINCE,
    FIRST_WAITING,
    FOLLOWING,
    FREE_SESSION,
    IDLE,
    LAST_POOL,
    LOOK_S,
    LOOK_TURN,
    MOST_PIECES,
    NEXT_FACTOR,
    NEXT_ONE,
    NEXT_PAUSE,
    NOTED,
    NOTED_FIELDS,
    NOTES,
    NOW,
    PHASE,
    READS_ON,
    RESPONSES,
    RESPONSES_S,
    SESSIONS,
    STARTED,
    TURNS,
    VARIES,
    WHATS,
    WHOLE,
    Drawn,
    Shop,
    of_pool,
    real_part,
    sessions_of,
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
    device_of,
    log_step,
    note_dirty,
    pool_of,
    pool_step,
)

DONE_WITH_IT, OUT_OF_SUPPLIES, TOO_MANY = range(3)
"""Why the loop comes back."""


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
            go_on(shop, drawn, about, now_s)
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
