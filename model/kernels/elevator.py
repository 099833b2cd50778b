"""The exact queue of one device for calls that arrive: merged at their ends, let go by a scheduler, limited in number.

Steps and their order are those of ``model.sim.device.BlockDevice`` over
:class:`model.machine.device.block_queue.BlockQueue` and those schedulers of :mod:`model.machine.device.elevator` that
neither idle nor take turns; what comes at the same moment comes in the order in which it became known. The plug of
kernels before 2.6.39 changes nothing here: who makes a call waits for it, and unplugs at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.kernels.drive import AT_REST, UNUSED, Command, Medium, through_channel, under_heads
from model.kernels.linked import Linked

Times = NDArray[np.float64]
Whole = NDArray[np.int64]
Places = list[tuple[int, int]]
"""Byte and request, in order of the bytes; of one byte in the order in which the requests came to it."""

ENDS = 2
NOBODY = -1


class Rules(NamedTuple):
    """What the queue goes by."""

    in_order: bool
    """First come, first served; else sweeps in batches, reads first."""
    largest_bytes: int
    nr_requests: int
    """Requests of each direction, waiting or at the device."""
    depth: int
    batch: int
    """Requests of a sweep."""
    writes_starved: int
    """How often reads may pass over writes."""
    expire_s: tuple[float, float]
    """Age of a read and of a write with which the next batch begins."""


class Arrivals(NamedTuple):
    """Calls in the order in which they reach the block layer, none larger than the largest request."""

    arrival_s: Times
    known_s: Times
    """Since when it is sure that the call comes then."""
    after: Whole
    """The call with whose coming that was sure, where that is one of these; else -1."""
    write: Whole
    """1 for a write."""
    start_byte: Whole
    size_bytes: Whole


class Carried(NamedTuple):
    """What became of the calls, each an entry, and of the requests that carried them, in the order of their making."""

    request: Whole
    """The request that carried the call."""
    taken_s: Times
    """When the call joined or became a request."""
    made_by: Whole
    """The call that became the request."""
    write: Whole
    span: Whole
    """First byte of the request, and the first one behind it."""
    queued_s: Times
    begin_s: Times
    """When the request was handed to the device."""
    end_s: Times


class Bio(NamedTuple):
    """What a call asks of the device."""

    write: int
    start_byte: int
    size_bytes: int


class Batch(NamedTuple):
    """How far a batch is, of which direction it is, and how often writes were passed over."""

    taken: int
    direction: int
    passed_over: int


FIRST = Batch(0, 0, 0)
DEARER = 5
"""Times that a call costs what a request of the other plain loops does."""


def queued(calls: Arrivals, rules: Rules, medium: Medium) -> Carried:
    """All calls, carried out."""
    many = calls.arrival_s.size
    found = Carried(
        request=np.empty(many, np.int64),
        taken_s=np.empty(many),
        made_by=np.empty(many, np.int64),
        write=np.empty(many, np.int64),
        span=np.empty((many, 2), np.int64),
        queued_s=np.empty(many),
        begin_s=np.empty(many),
        end_s=np.empty(many),
    )
    made = carried.for_requests(DEARER * many)(calls, rules, medium, found)
    return found._replace(
        made_by=found.made_by[:made],
        write=found.write[:made],
        span=found.span[:made],
        queued_s=found.queued_s[:made],
        begin_s=found.begin_s[:made],
        end_s=found.end_s[:made],
    )


@Linked
def carried(  # noqa: PLR0912, PLR0915  (what is handed to functions of its own costs the compiled loop its speed)
    calls: Arrivals, rules: Rules, medium: Medium, found: Carried
) -> int:
    """The loop: the next call, request done or caller who waited for room; then the device takes what it can.

    It fills *found* and returns how many requests were made. Callers who wait for room stand in rows: those who read,
    those who write, and those who have just been woken. A request that finds nobody waiting and the device ready goes
    straight on, and is entered nowhere.
    """
    arrival_s, known_s, after, write, start_byte, size_bytes = calls
    request, taken_s, made_by, of_write, span, queued_s, begin_s, end_s = found
    many = arrival_s.size
    handed = np.empty((rules.depth, 2), np.int64)  # a ring: the request, and how many calls had come
    starts, borders = (_no_places(), _no_places()), _empty_table(32 * min(many, rules.nr_requests))
    rows, behind = np.full((3, 2), -1), np.empty(many, np.int64)
    count, waits = np.zeros(2, np.int64), np.zeros(2, np.int64)
    sweep_byte, oldest = np.zeros(2, np.int64), np.zeros(2, np.int64)
    slots = [0.0] * medium.slots
    heads, channel, batch = AT_REST, UNUSED, FIRST
    come = made = begun = done = 0
    now = 0.0
    while come < many or done < made or rows[2, 0] >= 0:
        comes_s = arrival_s[come] if come < many else np.inf
        ending, had_come = handed[done % rules.depth, 0], handed[done % rules.depth, 1]
        ends_s = end_s[ending] if done < begun else np.inf
        call, straight = NOBODY, False
        if rows[2, 0] >= 0 and now < comes_s and now < ends_s:
            call = _first_of(rows, 2, behind)
        elif comes_s < ends_s or (
            comes_s == ends_s and (known_s[come], after[come]) < (begin_s[ending], had_come)
        ):
            call, now = come, comes_s
            come += 1
        else:
            now, direction = ends_s, of_write[ending]
            done += 1
            count[direction] -= 1
            if rows[direction, 0] >= 0 and count[direction] < rules.nr_requests:
                _stand(rows, 2, behind, _first_of(rows, direction, behind))
        if call >= 0:
            bio = Bio(write[call], start_byte[call], size_bytes[call])
            one = _merged(borders, starts, span, bio, rules) if made > begun else NOBODY
            if one < 0 and count[bio.write] < rules.nr_requests:
                one, made_by[made] = made, call
                of_write[one], queued_s[one], begin_s[one] = bio.write, now, np.inf
                span[one, 0], span[one, 1] = bio.start_byte, bio.start_byte + bio.size_bytes
                straight = made == begun and begun - done < rules.depth
                if not straight:
                    _hold(borders, bio.write, bio.start_byte, one)
                    _hold(borders, ENDS + bio.write, span[one, 1], one)
                    if not rules.in_order:
                        _put(starts[bio.write], bio.start_byte, one)
                waits[bio.write] += 1
                count[bio.write] += 1
                made += 1
            if one >= 0:
                request[call], taken_s[call] = one, now
            else:
                _stand(rows, bio.write, behind, call)
        while begun < made and begun - done < rules.depth:
            one = begun
            if not rules.in_order:
                direction = batch.direction
                goes_on = 0 < batch.taken < rules.batch
                if straight:
                    goes_on &= of_write[one] == direction and span[one, 0] >= sweep_byte[direction]
                elif goes_on:
                    one = _upwards(starts[direction], sweep_byte[direction])
                    goes_on = one >= 0
                if not goes_on:
                    batch = _next_batch(batch, waits[0], waits[1], rules.writes_starved)
                    direction = batch.direction
                if not straight and not goes_on:
                    oldest[direction] = _next_waiting(oldest[direction], direction, of_write, begin_s)
                    one = _upwards(starts[direction], sweep_byte[direction])
                    if one < 0 or now - queued_s[oldest[direction]] >= rules.expire_s[direction]:
                        one = oldest[direction]
                if not straight:
                    _remove(starts[direction], span[one, 0], one)
                sweep_byte[direction] = span[one, 1]
                batch = Batch(batch.taken + 1, batch.direction, batch.passed_over)
            direction = of_write[one]
            waits[direction] -= 1
            if not straight:
                _leave(borders, direction, span[one, 0], one)
                _leave(borders, ENDS + direction, span[one, 1], one)
            command = Command(now, direction, span[one, 0], span[one, 1])
            if medium.turns:
                heads = under_heads(medium, heads, command)
            else:
                channel = through_channel(medium, channel, slots, command)
            done_s = heads.free_s if medium.turns else channel.free_s
            begin_s[one], end_s[one] = now, now + (done_s - now)
            handed[begun % rules.depth, 0], handed[begun % rules.depth, 1] = one, come
            begun += 1
    return made


def _no_places() -> Places:
    """A list of places without any."""
    places = [(0, 0)]  # NOTE: numba wants to see what a list holds
    places.clear()
    return places


def _empty_table(least: int) -> Whole:
    """A table of keys and who holds them, with a power of two of entries."""
    many = 16
    while many < least:
        many *= 2
    return np.full((many, 2), NOBODY)


def _merged(borders: Whole, starts: tuple[Places, Places], span: Whole, bio: Bio, rules: Rules) -> int:
    """The waiting request that takes a bio in, at its back or its front; -1 where there is none with room."""
    begin, end = bio.start_byte, bio.start_byte + bio.size_bytes
    one = _holder(borders, ENDS + bio.write, begin)
    if one >= 0 and end - span[one, 0] <= rules.largest_bytes:
        _leave(borders, ENDS + bio.write, begin, one)
        span[one, 1] = end
        _hold(borders, ENDS + bio.write, end, one)
        return one
    one = _holder(borders, bio.write, end)
    if one >= 0 and span[one, 1] - begin <= rules.largest_bytes:
        _leave(borders, bio.write, end, one)
        span[one, 0] = begin
        _hold(borders, bio.write, begin, one)
        if not rules.in_order:
            _remove(starts[bio.write], end, one)
            _put(starts[bio.write], begin, one)
        return one
    return NOBODY


def _next_batch(batch: Batch, reads: int, writes: int, starved: int) -> Batch:
    """The batch that begins: of reads, unless they have passed over writes as often as they may."""
    if reads > 0 and not (writes > 0 and batch.passed_over >= starved):
        return Batch(0, 0, batch.passed_over + (1 if writes > 0 else 0))
    return Batch(0, 1, 0)


def _next_waiting(request: int, direction: int, write: Whole, begin_s: Times) -> int:
    """The oldest request of a direction that waits, that one or a later one."""
    while write[request] != direction or begin_s[request] < np.inf:
        request += 1
    return request


def _first_of(rows: Whole, row: int, behind: Whole) -> int:
    """The first caller of a row leaves it."""
    call: int = rows[row, 0]
    rows[row, 0] = behind[call]
    return call


def _stand(rows: Whole, row: int, behind: Whole, call: int) -> None:
    """A caller goes to the end of a row."""
    behind[call] = -1
    if rows[row, 0] < 0:
        rows[row, 0] = call
    else:
        behind[rows[row, 1]] = call
    rows[row, 1] = call


def _upwards(places: Places, from_byte: int) -> int:
    """The next request upwards; -1 where none lies there."""
    at = _left(places, from_byte)
    return places[at][1] if at < len(places) else NOBODY


def _left(places: Places, byte: int) -> int:
    """Where the places from that byte on begin."""
    low, high = 0, len(places)
    while low < high:
        middle = (low + high) // 2
        if places[middle][0] < byte:
            low = middle + 1
        else:
            high = middle
    return low


def _put(places: Places, byte: int, request: int) -> None:
    """A request comes to a place, behind those that are there."""
    places.insert(_left(places, byte + 1), (byte, request))


def _remove(places: Places, byte: int, request: int) -> None:
    """A request leaves its place."""
    at = _left(places, byte)
    while places[at][1] != request:
        at += 1
    places.pop(at)


def _home(borders: Whole, key: int) -> int:
    """Where a key belongs in the table: most are multiples of a power of two, more or less apart."""
    return (key ^ (key >> 9) ^ (key >> 15)) & (len(borders) - 1)


def _entry(borders: Whole, key: int) -> int:
    """Where the key is in the table, or would be: from where it belongs on, the first entry of it or of nobody."""
    at = _home(borders, key)
    while borders[at, 0] != key and borders[at, 1] != NOBODY:
        at = (at + 1) & (len(borders) - 1)
    return at


def _holder(borders: Whole, side: int, byte: int) -> int:
    """The request that came last to have its begin or end there; -1 for none, and where that one has gone."""
    holder: int = borders[_entry(borders, 4 * byte + side), 1]
    return holder


def _hold(borders: Whole, side: int, byte: int, request: int) -> None:
    """A request comes to have its begin or end there."""
    key = 4 * byte + side
    at = _entry(borders, key)
    borders[at, 0], borders[at, 1] = key, request


def _leave(borders: Whole, side: int, byte: int, request: int) -> None:
    """A request has its begin or end there no longer; entries that were put off move up."""
    gap = _entry(borders, 4 * byte + side)
    if borders[gap, 1] != request:
        return
    last = len(borders) - 1
    at = (gap + 1) & last
    while borders[at, 1] != NOBODY:
        if (at - _home(borders, borders[at, 0])) & last >= (at - gap) & last:
            borders[gap, 0], borders[gap, 1] = borders[at, 0], borders[at, 1]
            gap = at
        at = (at + 1) & last
    borders[gap, 0], borders[gap, 1] = NOBODY, NOBODY
