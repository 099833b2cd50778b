"""The queue of one device for calls that arrive; see :mod:`model.kernels.elevator`."""

from __future__ import annotations

import math

from model.loops.rotating import Drive
from model.loops.rows import GivenReals, GivenWholes, Reals, Wholes, wholes

ENDS = 2
NOBODY = -1
WOKEN = 2
"""The row of callers who have just been woken; the others are of those who read, and of those who write."""


class Elevator:
    """A queue that merges, a scheduler that lets go, and a drive that takes what it can."""

    in_order: bool
    """First come, first served; else sweeps in batches, reads first."""
    largest_bytes: int
    nr_requests: int
    """Requests of each direction, waiting or at the device."""
    depth: int
    longest_batch: int
    writes_starved: int
    """How often reads may pass over writes."""
    read_expire_s: float
    """Age of a read with which the next batch begins."""
    write_expire_s: float
    drive: Drive
    places: Wholes
    """Bytes of each direction's requests, in their order; of one byte in the order in which the requests came to it."""
    placed: Wholes
    """Their requests."""
    waiting: Wholes
    """How many there are of each direction."""
    keys: Wholes
    """A table of begins and ends by byte, direction and which of the two."""
    holders: Wholes
    """The requests that have them."""
    firsts: Wholes
    """Of each row of callers who wait for room."""
    lasts: Wholes
    behind: Wholes
    """The caller behind each."""
    count: Wholes
    waits: Wholes
    sweep_byte: Wholes
    oldest: Wholes
    handed: Wholes
    """A ring of the requests at the device."""
    had_come: Wholes
    """How many calls had come when they were handed in."""
    taken: int
    """Requests of the batch."""
    direction: int
    passed_over: int

    def __init__(  # noqa: PLR0913, PLR0917  (rules, one by one)
        self,
        in_order: bool,
        largest_bytes: int,
        nr_requests: int,
        depth: int,
        longest_batch: int,
        writes_starved: int,
        read_expire_s: float,
        write_expire_s: float,
        drive: Drive,
        calls: int,
    ) -> None:
        self.in_order = in_order
        self.largest_bytes = largest_bytes
        self.nr_requests = nr_requests
        self.depth = depth
        self.longest_batch = longest_batch
        self.writes_starved = writes_starved
        self.read_expire_s = read_expire_s
        self.write_expire_s = write_expire_s
        self.drive = drive
        room = min(calls, nr_requests)
        self.places, self.placed = wholes(2 * room, 0), wholes(2 * room, 0)
        self.waiting, self.count, self.waits = wholes(2, 0), wholes(2, 0), wholes(2, 0)
        self.sweep_byte, self.oldest = wholes(2, 0), wholes(2, 0)
        entries = 16
        while entries < 32 * room:
            entries *= 2
        self.keys, self.holders = wholes(entries, NOBODY), wholes(entries, NOBODY)
        self.firsts, self.lasts, self.behind = wholes(3, NOBODY), wholes(3, NOBODY), wholes(calls, 0)
        self.handed, self.had_come = wholes(depth, 0), wholes(depth, 0)
        self.taken = self.direction = self.passed_over = 0

    def carried(  # noqa: PLR0912, PLR0913, PLR0915, PLR0917  (one loop over rows)
        self,
        arrival_s: GivenReals,
        known_s: GivenReals,
        after: GivenWholes,
        write: GivenWholes,
        start_byte: GivenWholes,
        size_bytes: GivenWholes,
        request: Wholes,
        taken_s: Reals,
        made_by: Wholes,
        of_write: Wholes,
        begins: Wholes,
        ends: Wholes,
        queued_s: Reals,
        begin_s: Reals,
        end_s: Reals,
    ) -> int:
        """The next call, request done or caller who waited for room; then the device takes what it can.

        It fills the rows from *request* on and returns how many requests were made. A request that finds nobody waiting
        and the device ready goes straight on, and is entered nowhere.
        """
        calls, depth = len(arrival_s), self.depth
        come: int = 0
        made: int = 0
        begun: int = 0
        done: int = 0
        now = 0.0
        while come < calls or done < made or self.firsts[WOKEN] >= 0:
            comes_s = arrival_s[come] if come < calls else math.inf
            ending, call, straight = self.handed[done % depth], NOBODY, False
            ends_s = end_s[ending] if done < begun else math.inf
            if self.firsts[WOKEN] >= 0 and now < comes_s and now < ends_s:
                call = self._first_of(WOKEN)
            elif comes_s < ends_s or (
                comes_s == ends_s
                and (
                    known_s[come] < begin_s[ending]
                    or (known_s[come] == begin_s[ending] and after[come] < self.had_come[done % depth])
                )
            ):
                call, now = come, comes_s
                come += 1
            else:
                now, direction = ends_s, of_write[ending]
                done += 1
                self.count[direction] -= 1
                if self.firsts[direction] >= 0 and self.count[direction] < self.nr_requests:
                    self._stand(WOKEN, self._first_of(direction))
            if call >= 0:
                direction, begin, end = write[call], start_byte[call], start_byte[call] + size_bytes[call]
                number = self._merged(direction, begin, end, begins, ends) if made > begun else NOBODY
                if number < 0 and self.count[direction] < self.nr_requests:
                    number, made_by[made] = made, call
                    of_write[number], queued_s[number], begin_s[number] = direction, now, math.inf
                    begins[number], ends[number] = begin, end
                    straight = made == begun and begun - done < depth
                    if not straight:
                        self._hold(4 * begin + direction, number)
                        self._hold(4 * end + ENDS + direction, number)
                        if not self.in_order:
                            self._put(direction, begin, number)
                    self.waits[direction] += 1
                    self.count[direction] += 1
                    made += 1
                if number >= 0:
                    request[call], taken_s[call] = number, now
                else:
                    self._stand(direction, call)
            while begun < made and begun - done < depth:
                number = begun
                if not self.in_order:
                    number = self._let_go(begun, straight, now, of_write, begins, queued_s, begin_s)
                    self.sweep_byte[self.direction] = ends[number]
                    self.taken += 1
                direction = of_write[number]
                self.waits[direction] -= 1
                if not straight:
                    self._leave(4 * begins[number] + direction, number)
                    self._leave(4 * ends[number] + ENDS + direction, number)
                done_s = self.drive.submit(now, direction == 1, begins[number], ends[number] - begins[number])
                begin_s[number], end_s[number] = now, now + (done_s - now)
                self.handed[begun % depth], self.had_come[begun % depth] = number, come
                begun += 1
        return made

    def _let_go(  # noqa: PLR0913, PLR0917
        self,
        newest: int,
        straight: bool,
        now: float,
        of_write: Wholes,
        begins: Wholes,
        queued_s: Reals,
        begin_s: Reals,
    ) -> int:
        """The request that a scheduler with sweeps lets go: the newest, where it goes straight on."""
        number = newest
        goes_on = 0 < self.taken < self.longest_batch
        if straight:
            along = of_write[number] == self.direction and begins[number] >= self.sweep_byte[self.direction]
            goes_on = goes_on and along
        elif goes_on:
            number = self._upwards()
            goes_on = number >= 0
        if not goes_on:
            self._begin_batch()
        if straight:
            return newest
        if not goes_on:
            direction = self.direction
            oldest: int = self.oldest[direction]
            while of_write[oldest] != direction or begin_s[oldest] < math.inf:
                oldest += 1
            self.oldest[direction] = oldest
            number = self._upwards()
            expire_s = self.write_expire_s if direction else self.read_expire_s
            if number < 0 or now - queued_s[oldest] >= expire_s:
                number = oldest
        self._remove(self.direction, begins[number], number)
        return number

    def _begin_batch(self) -> None:
        """The batch that begins: of reads, unless they have passed over writes as often as they may."""
        reads, writes = self.waits[0], self.waits[1]
        self.taken = 0
        if reads > 0 and not (writes > 0 and self.passed_over >= self.writes_starved):
            self.direction = 0
            self.passed_over += 1 if writes > 0 else 0
        else:
            self.direction = 1
            self.passed_over = 0

    def _merged(self, write: int, begin: int, end: int, begins: Wholes, ends: Wholes) -> int:
        """The waiting request that takes a call in, at its back or its front; -1 where there is none with room."""
        number = self._holder(4 * begin + ENDS + write)
        if number >= 0 and end - begins[number] <= self.largest_bytes:
            self._leave(4 * begin + ENDS + write, number)
            ends[number] = end
            self._hold(4 * end + ENDS + write, number)
            return number
        number = self._holder(4 * end + write)
        if number >= 0 and ends[number] - begin <= self.largest_bytes:
            self._leave(4 * end + write, number)
            begins[number] = begin
            self._hold(4 * begin + write, number)
            if not self.in_order:
                self._remove(write, end, number)
                self._put(write, begin, number)
            return number
        return NOBODY

    def _first_of(self, row: int) -> int:
        """The first caller of a row leaves it."""
        call: int = self.firsts[row]
        self.firsts[row] = self.behind[call]
        return call

    def _stand(self, row: int, call: int) -> None:
        """A caller goes to the end of a row."""
        self.behind[call] = NOBODY
        if self.firsts[row] < 0:
            self.firsts[row] = call
        else:
            self.behind[self.lasts[row]] = call
        self.lasts[row] = call

    def _upwards(self) -> int:
        """The next request upwards; -1 where none lies there."""
        at, end = self._left(self.direction, self.sweep_byte[self.direction]), self._end(self.direction)
        return int(self.placed[at]) if at < end else NOBODY

    def _end(self, direction: int) -> int:
        """Where the places of a direction end."""
        return direction * (len(self.places) // 2) + int(self.waiting[direction])

    def _left(self, direction: int, byte: int) -> int:
        """Where the places from that byte on begin."""
        low, high = direction * (len(self.places) // 2), self._end(direction)
        while low < high:
            middle = (low + high) // 2
            if self.places[middle] < byte:
                low = middle + 1
            else:
                high = middle
        return low

    def _put(self, direction: int, byte: int, request: int) -> None:
        """A request comes to a place, behind those that are there."""
        at, place = self._left(direction, byte + 1), self._end(direction)
        while place > at:
            self.places[place], self.placed[place] = self.places[place - 1], self.placed[place - 1]
            place -= 1
        self.places[at], self.placed[at] = byte, request
        self.waiting[direction] += 1

    def _remove(self, direction: int, byte: int, request: int) -> None:
        """A request leaves its place."""
        at = self._left(direction, byte)
        while self.placed[at] != request:
            at += 1
        self.waiting[direction] -= 1
        for place in range(at, self._end(direction)):
            self.places[place], self.placed[place] = self.places[place + 1], self.placed[place + 1]

    def _home(self, key: int) -> int:
        """Where a key belongs in the table: most are multiples of a power of two, more or less apart."""
        return (key ^ (key >> 9) ^ (key >> 15)) & (len(self.keys) - 1)

    def _entry(self, key: int) -> int:
        """Where the key is, or would be: from where it belongs on, the first entry of it or of nobody."""
        at = self._home(key)
        while self.keys[at] != key and self.holders[at] != NOBODY:
            at = (at + 1) & (len(self.keys) - 1)
        return at

    def _holder(self, key: int) -> int:
        """The request that came last to have its begin or end there; -1 for none, and where that one has gone."""
        return int(self.holders[self._entry(key)])

    def _hold(self, key: int, request: int) -> None:
        """A request comes to have its begin or end there."""
        at = self._entry(key)
        self.keys[at], self.holders[at] = key, request

    def _leave(self, key: int, request: int) -> None:
        """A request has its begin or end there no longer; entries that were put off move up."""
        gap = self._entry(key)
        if self.holders[gap] != request:
            return
        last = len(self.keys) - 1
        at = (gap + 1) & last
        while self.holders[at] != NOBODY:
            if (at - self._home(self.keys[at])) & last >= (at - gap) & last:
                self.keys[gap], self.holders[gap] = self.keys[at], self.holders[at]
                gap = at
            at = (at + 1) & last
        self.keys[gap], self.holders[gap] = NOBODY, NOBODY
