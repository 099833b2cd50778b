"""Queues with the times of every request, first come, first served; see :mod:`model.kernels.queue`."""

from __future__ import annotations

from blocktime.model.loops.rows import FEW, GivenReals, Reals, Wholes, replace_first


def on_their_way(  # noqa: PLR0913, PLR0917  (rows, one by one)
    gaps: GivenReals,
    gap_s: float,
    services: GivenReals,
    service_s: float,
    took_s: GivenReals,
    room: int,
    left_s: Reals,
    worked_s: Reals,
    free_at: Reals,
    came_up_s: Reals,
    arrival_s: Reals,
    response_s: Reals,
) -> tuple[float, float, float]:
    """Calls of one length at hardware threads, then at servers: responses; the last end, time held and time busy.

    What a call takes of a thread stands in *took_s* by how many run with it, from 0 to all threads; what it took stands
    in *worked_s*. Calls reach the servers as they leave the threads: by the time a thread is free for call k, the order
    of those before is known. Before the first that leaves there is a 0 in *left_s* for each thread.

    Servers stand in a heap by the times at which they get free. What comes up there are the ends in their order, after
    a 0 for each server: by the time a call takes the earliest server, all ends that its place in the queue may have
    waited for came up.

    NOTE: Those that run are counted without a branch: no processor foresees how many.
    """
    calls, threads, ahead = len(gaps), len(took_s) - 1, room - len(free_at) // 2
    counted = threads if took_s[threads] != took_s[1] else 0
    now = last_s = held_s = busy_s = 0.0
    for k in range(calls + threads):
        queued = left_s[k]
        if k < calls:
            now += gaps[k] * gap_s
            begin = max(queued, now)
            place, among = k, counted
            while among > FEW:
                half = (among + 1) >> 1
                place += half * int(left_s[place + half - 1] <= begin)
                among -= half
            ended = place - k
            for other in range(place, place + among):
                ended += int(left_s[other] <= begin)
            end = begin + took_s[counted - ended + 1]
            worked_s[k] = end - begin
            place = k + threads
            while left_s[place - 1] > end:
                left_s[place] = left_s[place - 1]
                arrival_s[place] = arrival_s[place - 1]
                place -= 1
            left_s[place] = end
            arrival_s[place] = now
        if k >= threads:
            number = k - threads
            came_up_s[number] = free_at[0]
            end = max(free_at[0], queued) + services[number] * service_s
            replace_first(free_at, end)
            if number >= room:
                queued = max(queued, came_up_s[number - ahead])
            held_s += end - queued
            later_s = max(end, last_s)
            busy_s += later_s - max(queued, last_s)
            last_s = later_s
            response_s[number] = end - arrival_s[k]
    return last_s, held_s, busy_s


def picked(
    values: GivenReals, lowest: float, per_pile: float, piles: Wholes, ranks: Wholes, few: Reals
) -> int:
    """The values of those piles that hold one of the ascending *ranks*, which become ranks among them; how many.

    Others are written too, and overwritten: no branch to foresee.
    """
    for k in range(len(values)):
        piles[int((values[k] - lowest) * per_pile)] += 1
    before = left_out = rank = 0
    for pile in range(len(piles)):
        before += piles[pile]
        first = rank
        while rank < len(ranks) and ranks[rank] < before:
            ranks[rank] -= left_out
            rank += 1
        if rank == first:
            left_out += piles[pile]
        piles[pile] = int(rank > first)
    count = 0
    for k in range(len(values)):
        few[count] = values[k]
        count += piles[int((values[k] - lowest) * per_pile)]
    return count
