"""Queues with the times of every request, first come, first served; see :mod:`model.kernels.queue`."""

from __future__ import annotations

from math import inf

from model.loops.rows import Bytes, GivenReals, Reals, Wholes, replace_first


def one_server(arrival_s: GivenReals, service_s: GivenReals, begin_s: Reals, end_s: Reals) -> bool:
    """Begins and ends at one server; whether arrivals never go back, no service is negative, and all is finite.

    NOTE: who looks while it serves need not walk along the rows before.
    """
    free_at, before, in_order = 0.0, 0.0, 1
    for k in range(len(arrival_s)):
        arrival, service = arrival_s[k], service_s[k]
        in_order &= int(arrival >= before) & int(service >= 0)
        before = arrival
        begin = max(free_at, arrival)
        free_at = begin + service
        begin_s[k] = begin
        end_s[k] = free_at
    return in_order != 0 and free_at < inf


def several_servers(
    arrival_s: GivenReals, service_s: GivenReals, begin_s: Reals, end_s: Reals, free_at: Reals
) -> bool:
    """The same at servers whose times of getting free lie in a heap; what lies below it never gets free.

    NOTE: The sooner child is added up, not branched to: no processor foresees which one it is.
    """
    before, in_order = 0.0, 1
    for k in range(len(arrival_s)):
        arrival, service = arrival_s[k], service_s[k]
        begin = max(free_at[0], arrival)
        end = begin + service
        in_order &= int(arrival >= before) & int(service >= 0) & int(end < inf)
        before = arrival
        begin_s[k] = begin
        end_s[k] = end
        replace_first(free_at, end)
    return in_order != 0


def at_threads(
    arrival_s: GivenReals,
    work_s: GivenReals,
    speeds: GivenReals,
    running: Reals,
    begin_s: Reals,
    end_s: Reals,
) -> None:
    """Begins and ends at hardware threads; *speeds* are those of a thread by how many run, from 0 to all of them.

    The ends of those that run lie in their order in *running*, which has room for twice as many.
    """
    threads = len(speeds) - 1
    low = high = 0
    for k in range(len(arrival_s)):
        begin = arrival_s[k]
        if high - low == threads:
            begin = max(running[low], begin)
        while low < high and running[low] <= begin:
            low += 1
        if high == len(running):
            for place in range(low, high):
                running[place - low] = running[place]
            high -= low
            low = 0
        end = begin + work_s[k] / speeds[high - low + 1]
        place = high
        while place > low and running[place - 1] > end:
            running[place] = running[place - 1]
            place -= 1
        running[place] = end
        high += 1
        begin_s[k] = begin
        end_s[k] = end


def on_their_way(  # noqa: PLR0913, PLR0917  (rows and numbers, one by one)
    call_s: float,
    servers: int,
    room: int,
    arrival_s: GivenReals,
    reached_s: GivenReals,
    service_s: GivenReals,
    ring: Reals,
    free_at: Reals,
    came_up_s: Reals,
    response_s: Reals,
) -> tuple[float, float, float]:
    """Responses; the last end, time held and time busy.

    When calls reached the servers is given, or, where no time is, follows from their work at processors: that of one
    length frees these in the order in which it took them, so they stand in a ring. Servers stand
    in a heap as in :func:`several_servers`. What comes up there are the ends in their order, after a 0 for each server:
    by the time call k takes the earliest server, all ends that its place in the queue may have waited for came up.
    """
    turn = 0
    last_s = held_s = busy_s = 0.0
    for k in range(len(arrival_s)):
        arrival = queued = arrival_s[k]
        if len(reached_s):
            queued = reached_s[k]
        elif call_s > 0:
            queued = max(ring[turn], arrival) + call_s
            ring[turn] = queued
            turn = turn + 1 if turn + 1 < len(ring) else 0
        came_up_s[k] = free_at[0]
        end = max(free_at[0], queued) + service_s[k]
        replace_first(free_at, end)
        if k >= room:
            queued = max(queued, came_up_s[k - room + servers])
        held_s += end - queued
        if end > last_s:
            busy_s += end - max(queued, last_s)
            last_s = end
        response_s[k] = end - arrival
    return last_s, held_s, busy_s


def piled(values: GivenReals, lowest: float, per_pile: float, piles: Wholes) -> None:
    """How many values are in each pile; pile 0 is left out."""
    for k in range(len(values)):
        piles[int((values[k] - lowest) * per_pile) + 1] += 1


def picked(values: GivenReals, lowest: float, per_pile: float, wanted: Bytes, few: Reals) -> int:
    """The values of the piles wanted; how many.

    Others are written too, and overwritten: no branch to foresee.
    """
    count = 0
    for k in range(len(values)):
        few[count] = values[k]
        count += int(wanted[int((values[k] - lowest) * per_pile)])
    return count
