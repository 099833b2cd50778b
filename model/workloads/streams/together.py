"""Streams beside each other on one device, in closed form: they share it until the first has ended, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from blocktime.model.demand.device_calls import IDLING, changed, idles, span_of, takes_turns
from blocktime.model.demand.network import FIRST_WINDOWS, StreamTime, ahead_wait_s, alone, among_programs
from blocktime.model.demand.stream_cached import WINDOWS
from blocktime.model.demand.stream_demand import CallDemand
from blocktime.model.demand.stream_work import call_demand
from blocktime.model.laws import block_layer, page_cache
from blocktime.model.laws.numeric import Number, larger, over, smaller, some, where
from blocktime.model.laws.write_back_throttle import is_throttled, target_s
from blocktime.model.machine.device.elevator import (
    IN_BATCHES,
    QUANTUM,
    READ_EXPIRE_S,
    SYNC_SLICE_S,
    WRITE_EXPIRE_S,
)
from blocktime.model.spec import Calls, System

METHOD = (
    "mean value analysis with several classes: streams share the device, in phases from one end to the next"
)
ROUNDS = 60
LEAST = 1e-9
FULLEST = 0.98  # of what arriving calls may take of a device that others wait for


@dataclass(slots=True)
class StreamShare:
    """One stream at the device: its calls under way, and what each takes, alone and after a call of another stream."""

    time: StreamTime
    station: bool
    """Whether it is answered by the write cache, which the others do not wait for."""
    write: bool
    arrives_per_s: Number
    """Calls a second of those that wait for none; 0 where calls wait for earlier ones."""
    under_way: Number
    rest_s: Number
    alone_s: tuple[Number, Number]
    """Time at the device, for a call that follows one of its own stream, and one of another."""
    held_s: tuple[Number, Number]
    """Of the capacity, for a call that follows one of its own stream, and one of another."""
    left: Number
    """Calls that are still to come."""
    programs: Number
    """Calls that wait for each other."""
    visits: Number
    """Times that a call waits for the device."""
    waiting_share: Number
    """Of its calls, those that wait for the device."""
    sweeps: bool
    """Whether a scheduler that sweeps upwards stays with it, as a request always waits where the last one ended."""
    turn_s: Number
    """What a program takes of the device until the scheduler turns to the next."""
    turn_calls: Number
    """Calls of such a turn."""
    per_s: Number = 0.0
    waiting: Number = 0.0
    wait_s: Number = 0.0
    waited_s: Number = 0.0
    """Of all its calls."""
    ended_s: Number = 0.0
    fed_by: StreamShare | None = None
    """Whose writes a write cache sends to the medium as this."""
    fresh: Number = 1.0
    """Of those writes, what the cache does not hold already."""
    slow_read: bool = False
    """Whether it reads, and so slowly that the kernel holds write-back up."""
    throttled_s: Number = 0.0
    """Time of a write that the kernel then lets go one at a time; 0 where it holds none up."""
    backlog: Number = 0.0
    """Of such writes, those that the cache holds."""

    @property
    def requests_per_s(self) -> Number:
        """Requests a second at the device."""
        return self.per_s * self.time.demand.requests


def compose(system: System, work: Calls) -> list[StreamTime]:
    """Every stream by itself, then slowed together while they share the device."""
    every = (work, *work.beside)
    systems = among_programs(system, every)
    stream_times = [alone(system, calls) for system, calls in zip(systems, every, strict=True)]
    span = sum(span_of(system, calls) for calls in every)
    shares = [
        _share(system, calls, time, span)
        for system, calls, time in zip(systems, every, stream_times, strict=True)
        if not time.demand.hidden
    ]
    if len(shares) < 2:
        return stream_times
    made = list(shares)
    if not all(share.station for share in made):
        writers = dict(zip(map(id, stream_times), every, strict=True))
        shares += [
            _destaged(system, writers[id(share.time)], share)
            for share in made
            if share.station and some(share.time.demand.drained_s > 0)
        ]
    now_s: Number = 0.0
    for _ in shares:
        for share in shares:
            if share.fed_by is not None:
                coming = share.fresh * share.fed_by.left
                share.left = where((coming > 0) | (share.backlog > LEAST), share.backlog + coming, 0.0)
        _balance(shares, fair=system.host.scheduler in IDLING, most=int(system.host.nr_requests))
        step_s: Number = float("inf")
        for share in shares:
            if share.fed_by is None:
                ends_s = where(share.left > 0, over(share.left, share.per_s), float("inf"))
            else:
                rest = (share.fed_by.left <= 0) & (share.backlog > LEAST)
                ends_s = where(rest, over(share.backlog, share.per_s), float("inf"))
            step_s = smaller(step_s, ends_s)
        step_s = where(step_s < float("inf"), step_s, 0.0)
        now_s = now_s + step_s
        for share in shares:
            if share.fed_by is not None:
                fed = smaller(share.fed_by.left, share.fed_by.per_s * step_s)
                share.backlog = larger(0.0, share.backlog + share.fresh * fed - share.per_s * step_s)
        for share in made:
            share.waited_s = share.waited_s + smaller(share.left, share.per_s * step_s) * share.wait_s
            ends = (share.left > 0) & (share.left <= share.per_s * step_s * (1 + 1e-9))
            share.ended_s = where(ends, now_s, share.ended_s)
            share.left = where(ends, 0.0, larger(0.0, share.left - share.per_s * step_s))
    for share in made:
        _settle(share)
    return stream_times


def _share(system: System, calls: Any, time: StreamTime, span: Number) -> StreamShare:
    demand, disk = time.demand, system.disk
    cached = calls.writes and disk.write_cache_bytes > 0
    other = demand
    if (disk.rotation_s or disk.average_seek_s) and not cached:
        other = call_demand(system, changed(calls, among_bytes=span))
    unbuffered = calls.passes_page_cache(system)
    programs = calls.users * (calls.in_flight if unbuffered else 1)
    under_way = programs * max(1, demand.ahead) * (1 if unbuffered else demand.together)
    rest_s = demand.cpu_s + calls.think_s
    host = system.host
    throttled = is_throttled(block_layer.release_of(host.kernel), host.scheduler)
    # NOTE: pages of a window merge; a write through the cache has none behind it
    waiting = under_way if unbuffered else programs * WINDOWS * (0 if calls.writes else 1)
    turn_calls, turn_s = _turn(system, calls, demand, other, programs)
    return StreamShare(
        time=time,
        station=cached,
        write=calls.writes,
        arrives_per_s=0.0 if calls.rate_per_s is None else over(time.calls, time.elapsed_s),
        under_way=larger(1.0, under_way),
        rest_s=rest_s,
        alone_s=(demand.device_s, larger(demand.device_s, other.device_s)),
        held_s=(demand.held_s, larger(demand.held_s, other.held_s)),
        left=time.calls,
        programs=programs,
        visits=demand.visits,
        waiting_share=larger(LEAST, demand.waiting_share)
        if calls.rate_per_s is not None or demand.together == 1
        else 1.0,
        sweeps=_sweeps(system, calls, waiting),
        turn_s=turn_s,
        turn_calls=turn_calls,
        slow_read=throttled and not calls.writes and some(demand.device_s > target_s(bool(disk.rotation_s))),
        throttled_s=demand.device_s / demand.visits if throttled and calls.writes and not unbuffered else 0.0,
    )


def _sweeps(system: System, calls: Any, waiting: Number) -> bool:
    """Whether a scheduler that sorts has calls of the program waiting, each behind the one before."""
    goes_on = calls.pattern == "sequential" and calls.rate_per_s is None and not some(calls.think_s)
    depth = max(system.disk.queue_depth, system.disk.parallel_requests)
    return goes_on and system.host.scheduler in IN_BATCHES and some(waiting > depth)


def _turn(
    system: System, calls: Any, demand: CallDemand, other: CallDemand, programs: int
) -> tuple[Number, Number]:
    """Calls and seconds of one turn that a fair scheduler gives a program; *other* is the call among others."""
    rest_s, arrives = demand.cpu_s + calls.think_s, calls.rate_per_s is not None
    near = takes_turns(system, calls, rest_s)
    turn_calls = larger(1.0, SYNC_SLICE_S / (demand.device_s + rest_s)) if near else 1.0
    if idles(system):
        return turn_calls, SYNC_SLICE_S if near or arrives else larger(demand.held_s, other.held_s)
    # a turn then ends after some requests
    each_s = demand.held_s / larger(LEAST, demand.requests)
    first_s = larger(
        each_s, other.held_s / larger(LEAST, other.requests)
    )  # the one before was another program's
    requests = QUANTUM if arrives else demand.requests * (programs / calls.users)
    return turn_calls, first_s + (smaller(QUANTUM, larger(1.0, requests)) - 1) * each_s


def _destaged(system: System, calls: Any, writer: StreamShare) -> StreamShare:
    """What a write cache sends to the medium of a stream's writes: as many commands at a time as the set has disks."""
    demand, disk = writer.time.demand, system.disk
    each_s = demand.drained_s
    depth = disk.raid_disks * disk.parallel_requests
    fresh: Number = 1.0
    if calls.pattern == "random":
        size = writer.left * calls.block_size_bytes
        fresh = page_cache.dirty_bytes(size, span_of(system, calls)) / size
    return StreamShare(
        time=writer.time,
        station=False,
        write=True,
        arrives_per_s=0.0,
        under_way=depth,
        rest_s=0.0,
        alone_s=(each_s * depth, each_s * depth),
        held_s=(each_s, each_s),
        left=writer.left,
        programs=depth,
        visits=1,
        waiting_share=1.0,
        sweeps=False,
        turn_s=each_s,
        turn_calls=1.0,
        fed_by=writer,
        fresh=fresh,
    )


def _balance(shares: list[StreamShare], *, fair: bool, most: int) -> None:
    """Calls a second of each stream that has calls left: arrival theorem for several classes [lazowska-1984].

    A call that arrives finds what others, and the other calls of its stream, have waiting.
    """
    for share in shares:
        share.per_s = where(share.left > 0, _fastest(share), 0.0)
        share.waiting = 0.0
    slow_reads: Number = 0.0
    for share in shares:
        slow_reads = larger(slow_reads, where(share.left > 0, 1.0 if share.slow_read else 0.0, 0.0))
    for _ in range(ROUNDS):
        total = sum(share.requests_per_s for share in shares)
        held = [
            share.held_s[0] + (1 - over(share.requests_per_s, total)) * (share.held_s[1] - share.held_s[0])
            for share in shares
        ]
        arriving = sum(
            where(share.left > 0, share.arrives_per_s * each, 0.0)
            for share, each in zip(shares, held, strict=True)
        )
        free = 1 - smaller(FULLEST, arriving)
        # NOTE: what is left of the service that has begun, of calls that arrive: Pollaczek and Khinchine
        begun = sum(
            where(share.left > 0, share.arrives_per_s * each**2 * (1 + share.time.demand.scv) / 2, 0.0)
            * (share.time.demand.alike * share.time.demand.together / share.visits)
            for share, each in zip(shares, held, strict=True)
        )
        for share, each in zip(shares, held, strict=True):
            ahead: Number = 0.0
            apart = 1 - over(share.requests_per_s, total)
            alone_s = share.alone_s[0] + apart * (share.alone_s[1] - share.alone_s[0])
            away_s = share.rest_s + larger(0.0, alone_s - each)
            for other, theirs in zip(shares, held, strict=True):
                if other.station == share.station:
                    ahead = ahead + _met_s(share, other, theirs, away_s)
            # NOTE: no call waits for more than all that is still to come
            visits = where(share.arrives_per_s > 0, share.visits, 1)
            queued_s = smaller((ahead + begun * visits) / free, visits * _left_s(shares, held, share, most))
            at_queue = each + queued_s * share.waiting_share
            if fair and not share.station:
                at_queue = where(share.left > 0, _in_turns_s(shares, share, each, queued_s), at_queue)
            if not share.sweeps and any(other.sweeps and other.station == share.station for other in shares):
                at_queue = larger(at_queue, _starved_s(shares, share))
            share.wait_s = at_queue + larger(0.0, alone_s - each)
            closed = smaller(_fastest(share), share.under_way / (share.rest_s + share.wait_s))
            per_s = where(share.arrives_per_s > 0, share.arrives_per_s, closed)
            # NOTE: wbt lets one write of the page cache go at a time while reads are slow
            if some(share.throttled_s):
                per_s = where(slow_reads > 0, smaller(per_s, 1 / share.throttled_s), per_s)
            share.per_s = where(share.left > 0, (share.per_s + per_s) / 2, 0.0)
            queued = where(share.arrives_per_s > 0, 0.0, closed * at_queue)
            share.waiting = where(share.left > 0, (share.waiting + queued) / 2, 0.0)


def _met_s(share: StreamShare, other: StreamShare, held_s: Number, away_s: Number) -> Number:
    """What a call of *share* finds of the calls of *other* before it, each of which holds the device for *held_s*.

    It has been *away_s* from the queue.
    """
    waiting = other.waiting * (1 - 1 / share.under_way) if other is share else other.waiting
    # NOTE: of the call that is being served, what is left of it: on average, or since one ended
    served = smaller(waiting, smaller(1.0, other.per_s * held_s))
    passed = (1 - smaller(1.0, other.time.demand.scv)) / 2
    since = away_s / larger(LEAST, held_s / other.waiting_share)
    waiting = waiting - served * where(share.arrives_per_s > 0, passed, smaller(passed, since))
    met_s = waiting * held_s / other.waiting_share * share.visits / other.visits
    if other is share:
        return met_s
    # NOTE: a call that has waited for another does not meet it again
    once_s = other.per_s * held_s * share.under_way / larger(LEAST, share.per_s)
    return where(share.arrives_per_s > 0, met_s, smaller(met_s, once_s / share.waiting_share))


def _fastest(share: StreamShare) -> Number:
    """Calls a second of a stream that nobody disturbs; of a write cache all that it holds."""
    if share.fed_by is None:
        return over(share.time.calls, share.time.elapsed_s)
    return where(share.backlog > LEAST, 1 / share.held_s[0], share.fed_by.per_s)


def _left_s(shares: list[StreamShare], held: list[Number], share: StreamShare, most: int) -> Number:
    """Time that the device needs for all calls still to come; half of it where they come side by side.

    Who waits for each call meets no more than the queue holds, of each direction.
    """
    left: Number = 0.0
    queued: Number = 0.0
    for other, each in zip(shares, held, strict=True):
        if other.station == share.station:
            left = left + other.left * each
            requests = larger(LEAST, other.time.demand.requests)
            queued = queued + smaller(other.left * each, most * each / requests)
    return where(
        share.arrives_per_s > 0, left / 2, smaller(left, queued * larger(1.0, share.time.demand.pieces))
    )


def _starved_s(shares: list[StreamShare], share: StreamShare) -> Number:
    """Wait of a call elsewhere while a scheduler goes on with a stream in order: until it expires [linux-deadline]."""
    sweeping: Number = 0.0
    for other in shares:
        if other.sweeps and other.station == share.station and other.write == share.write:
            sweeping = larger(sweeping, where(other.left > 0, 1.0, 0.0))
    expire_s = WRITE_EXPIRE_S if share.write else READ_EXPIRE_S
    return sweeping * expire_s / (2 if some(share.arrives_per_s) else 1)


def _in_turns_s(shares: list[StreamShare], share: StreamShare, held_s: Number, queued_s: Number) -> Number:
    """Time at a device whose scheduler serves one program after the other, each for a turn."""
    others = -share.turn_s
    longest: Number = 0.0
    for other in shares:
        if not other.station:
            others = others + where(other.left > 0, other.programs * other.turn_s, 0.0)
            if other is not share:
                longest = larger(longest, where((other.left > 0) & (other.turn_calls > 1), other.turn_s, 0.0))
    once_s = where(longest > 0, others, smaller(queued_s, others))
    return held_s + once_s * share.waiting_share / share.turn_calls


def _settle(share: StreamShare) -> None:
    """The time of a stream after it shared the device."""
    time = share.time
    arrives = share.arrives_per_s > 0
    longer = larger(0.0, share.ended_s - time.elapsed_s) * share.programs / time.calls
    wait_s = share.waited_s / time.calls
    if time.demand.ahead:
        first_s = time.demand.together * wait_s * share.programs / time.calls
        wait_s = ahead_wait_s(time.demand, wait_s, larger(share.arrives_per_s, 1e-9) / share.programs)
        wait_s = wait_s + FIRST_WINDOWS * first_s
    late_s = larger(0.0, share.ended_s - time.elapsed_s) / 2 if some(share.throttled_s) else 0.0
    waited = where(arrives, larger(time.wait_s, wait_s) + late_s, time.wait_s + longer)
    time.response_s = time.response_s + waited - time.wait_s
    time.wait_s = waited
    time.elapsed_s = where(arrives, time.elapsed_s + 2 * late_s, larger(time.elapsed_s, share.ended_s))
    time.method = METHOD
