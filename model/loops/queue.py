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
    gap_s: GivenReals, took_s: GivenReals, arrival_s: Reals, left_s: Reals, worked_s: Reals
) -> None:
    """Calls of one length at hardware threads: when each arrived and left, in the order in which they leave.

    What a call takes stands in *took_s* by how many run with it, from 0 to all threads; what it took stands in
    *worked_s* in the order of arrival. Before the first that leaves there is a 0 in *left_s* for each thread.

    NOTE: Where it matters, those that run are counted by halves, without a branch: no processor foresees how many.
    """
    threads = len(took_s) - 1
    counted = threads if took_s[threads] != took_s[1] else 0
    now = 0.0
    for k in range(len(gap_s)):
        now += gap_s[k]
        begin = max(left_s[k], now)
        place, among = k, counted
        while among > 0:
            half = (among + 1) >> 1
            place += half * int(left_s[place + half - 1] <= begin)
            among -= half
        end = begin + took_s[k + counted - place + 1]
        worked_s[k] = end - begin
        place = k
        while left_s[place + threads - 1] > end:
            left_s[place + threads] = left_s[place + threads - 1]
            arrival_s[place] = arrival_s[place - 1]
            place -= 1
        left_s[place + threads] = end
        arrival_s[place] = now


def on_their_way(  # noqa: PLR0913, PLR0917  (rows, one by one)
    room: int,
    arrival_s: GivenReals,
    reached_s: GivenReals,
    service_s: GivenReals,
    free_at: Reals,
    came_up_s: Reals,
    response_s: Reals,
) -> tuple[float, float, float]:
    """Responses; the last end, time held and time busy.

    Servers stand in a heap as in :func:`several_servers`. What comes up there are the ends in their order, after a 0
    for each server: by the time call k takes the earliest server, all ends that its place in the queue may have waited
    for came up.
    """
    ahead = room - len(free_at) // 2
    last_s = held_s = busy_s = 0.0
    for k in range(len(arrival_s)):
        queued = reached_s[k]
        came_up_s[k] = free_at[0]
        end = max(free_at[0], queued) + service_s[k]
        replace_first(free_at, end)
        if k >= room:
            queued = max(queued, came_up_s[k - ahead])
        held_s += end - queued
        later_s = max(end, last_s)
        busy_s += later_s - max(queued, last_s)
        last_s = later_s
        response_s[k] = end - arrival_s[k]
    return last_s, held_s, busy_s


def piled(values: GivenReals, lowest: float, per_pile: float, piles: Wholes) -> None:
    """Number of values in each pile; pile 0 is left out."""
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
