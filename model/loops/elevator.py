"""The queue of one device: requests by number, merged at their ends, let go by a scheduler, limited in number.

Steps and their order are those of :class:`model.machine.device.block_queue.BlockQueue` over those schedulers of
:mod:`model.machine.device.elevator` that neither idle nor take turns.
"""

from __future__ import annotations

import math

from model.loops.rows import Reals, Wholes, wholes

ENDS = 2
NOBODY = -1


class ElevatorLoop:
    """A queue that merges, and a scheduler that lets go; of what each request is, its rows tell.

    A request that comes to an empty queue is set aside, and entered only where another comes before it goes.
    """

    in_order: bool
    """First come, first served; else sweeps in batches, reads first."""
    largest_bytes: int
    nr_requests: int
    """Requests of each direction, waiting or at the device."""
    longest_batch: int
    writes_starved: int
    """How often reads may overtake writes."""
    read_expire_s: float
    """Age from which on a read begins the next batch."""
    write_expire_s: float
    of_write: Wholes
    """For each request: 1 if it is a write."""
    begins: Wholes
    ends: Wholes
    queued_s: Reals
    begin_s: Reals
    """When it was sent to the device."""
    made: int
    """How many there are."""
    in_queue: int
    """Those that wait."""
    places: Wholes
    """First bytes of each direction's requests, sorted; equal bytes in order of arrival."""
    placed: Wholes
    """Their requests."""
    waiting: Wholes
    """How many there are of each direction."""
    keys: Wholes
    """A hash table of the begins and ends of requests, by byte, direction and begin or end."""
    holders: Wholes
    """The requests with these begins and ends."""
    count: Wholes
    waits: Wholes
    sweep_byte: Wholes
    oldest: Wholes
    aside: int
    """The only request, which is in no table."""
    taken: int
    """Requests of the batch."""
    direction: int
    passed_over: int

    def __init__(  # noqa: PLR0913, PLR0917  (rules and rows, one by one)
        self,
        in_order: bool,
        largest_bytes: int,
        nr_requests: int,
        longest_batch: int,
        writes_starved: int,
        read_expire_s: float,
        write_expire_s: float,
        of_write: Wholes,
        begins: Wholes,
        ends: Wholes,
        queued_s: Reals,
        begin_s: Reals,
    ) -> None:
        self.in_order = in_order
        self.largest_bytes = largest_bytes
        self.nr_requests = nr_requests
        self.longest_batch = longest_batch
        self.writes_starved = writes_starved
        self.read_expire_s = read_expire_s
        self.write_expire_s = write_expire_s
        self.of_write, self.begins, self.ends = of_write, begins, ends
        self.queued_s, self.begin_s = queued_s, begin_s
        room = min(len(of_write), nr_requests)
        self.places, self.placed = wholes(2 * room, 0), wholes(2 * room, 0)
        self.waiting, self.count, self.waits = wholes(2, 0), wholes(2, 0), wholes(2, 0)
        self.sweep_byte, self.oldest = wholes(2, 0), wholes(2, 0)
        entries = 16
        while entries < 32 * room:
            entries *= 2
        self.keys, self.holders = wholes(entries, NOBODY), wholes(entries, NOBODY)
        self.made = self.in_queue = self.taken = self.direction = self.passed_over = 0
        self.aside = NOBODY

    def full(self, write: int) -> bool:
        """Whether nr_requests of the direction are in the queue."""
        return bool(self.count[write] >= self.nr_requests)

    def entered(self, write: int, begin: int, end: int, now: float) -> int:
        """Create a new request; return its number."""
        number = self.made
        self.made = number + 1
        self.of_write[number], self.queued_s[number], self.begin_s[number] = write, now, math.inf
        self.begins[number], self.ends[number] = begin, end
        self.waits[write] += 1
        self.count[write] += 1
        self.in_queue += 1
        if self.in_queue == 1:
            self.aside = number
        else:
            if self.aside >= 0:
                self._enter(self.aside)
                self.aside = NOBODY
            self._enter(number)
        return number

    def _enter(self, number: int) -> None:
        direction, begin = self.of_write[number], self.begins[number]
        self._hold(4 * begin + direction, number)
        self._hold(4 * self.ends[number] + ENDS + direction, number)
        if not self.in_order:
            self._put(direction, begin, number)

    def let_go(self, now: float) -> int:
        """The request that goes to the device next; -1 if none waits."""
        if not self.in_queue:
            return NOBODY
        number, straight = self.aside, self.aside >= 0
        if self.in_order:
            if not straight:
                number = self.oldest[0]
            self.oldest[0] = number + 1
        else:
            number = self._chosen(straight, now)
            self.sweep_byte[self.direction] = self.ends[number]
            self.taken += 1
        direction = self.of_write[number]
        self.waits[direction] -= 1
        self.in_queue -= 1
        self.aside = NOBODY
        if not straight:
            self._leave(4 * self.begins[number] + direction, number)
            self._leave(4 * self.ends[number] + ENDS + direction, number)
        self.begin_s[number] = now
        return number

    def done(self, number: int) -> None:
        """Handle the completion of a request at the device."""
        self.count[self.of_write[number]] -= 1

    def joined(self, write: int, begin: int, end: int) -> int:
        """The waiting request that the bytes merge into, at its back or front; -1 if none has room."""
        if not self.in_queue:
            return NOBODY
        number = self.aside
        if number >= 0:
            if self.of_write[number] != write or self.ends[number] - self.begins[number] + end - begin > (
                self.largest_bytes
            ):
                return NOBODY
            if self.ends[number] == begin:
                self.ends[number] = end
                return number
            if self.begins[number] == end:
                self.begins[number] = begin
                return number
            return NOBODY
        number = self._holder(4 * begin + ENDS + write)
        if number >= 0 and end - self.begins[number] <= self.largest_bytes:
            self._leave(4 * begin + ENDS + write, number)
            self.ends[number] = end
            self._hold(4 * end + ENDS + write, number)
            return number
        number = self._holder(4 * end + write)
        if number >= 0 and self.ends[number] - begin <= self.largest_bytes:
            self._leave(4 * end + write, number)
            self.begins[number] = begin
            self._hold(4 * begin + write, number)
            if not self.in_order:
                self._remove(write, end, number)
                self._put(write, begin, number)
            return number
        return NOBODY

    def _chosen(self, straight: bool, now: float) -> int:
        """The request that a scheduler with sweeps dispatches; if *straight*, the only request."""
        number = self.aside
        goes_on = 0 < self.taken < self.longest_batch
        if straight:
            along = (
                self.of_write[number] == self.direction
                and self.begins[number] >= self.sweep_byte[self.direction]
            )
            goes_on = goes_on and along
        elif goes_on:
            number = self._upwards()
            goes_on = number >= 0
        if not goes_on:
            self._begin_batch()
        if straight:
            return number
        if not goes_on:
            direction = self.direction
            oldest: int = self.oldest[direction]
            while self.of_write[oldest] != direction or self.begin_s[oldest] < math.inf:
                oldest += 1
            self.oldest[direction] = oldest
            number = self._upwards()
            expire_s = self.write_expire_s if direction else self.read_expire_s
            if number < 0 or now - self.queued_s[oldest] >= expire_s:
                number = oldest
        self._remove(self.direction, self.begins[number], number)
        return number

    def _begin_batch(self) -> None:
        """Begin a batch: of reads, unless they have overtaken writes as often as allowed."""
        reads, writes = self.waits[0], self.waits[1]
        self.taken = 0
        if reads > 0 and not (writes > 0 and self.passed_over >= self.writes_starved):
            self.direction = 0
            self.passed_over += 1 if writes > 0 else 0
        else:
            self.direction = 1
            self.passed_over = 0

    def _upwards(self) -> int:
        """The next request at or above a byte; -1 if there is none."""
        at, end = self._left(self.direction, self.sweep_byte[self.direction]), self._end(self.direction)
        return int(self.placed[at]) if at < end else NOBODY

    def _end(self, direction: int) -> int:
        """The end of a direction's places."""
        return direction * (len(self.places) // 2) + int(self.waiting[direction])

    def _left(self, direction: int, byte: int) -> int:
        """The first place at or above a byte."""
        low, among = direction * (len(self.places) // 2), int(self.waiting[direction])
        while among > 0:  # NOTE: a sum is quicker than a branch that is mispredicted
            half = (among + 1) >> 1
            low += half * int(self.places[low + half - 1] < byte)
            among -= half
        return low

    def _put(self, direction: int, byte: int, request: int) -> None:
        """Insert a request at its place, after those of the same byte."""
        at, place = self._left(direction, byte + 1), self._end(direction)
        while place > at:
            self.places[place], self.placed[place] = self.places[place - 1], self.placed[place - 1]
            place -= 1
        self.places[at], self.placed[at] = byte, request
        self.waiting[direction] += 1

    def _remove(self, direction: int, byte: int, request: int) -> None:
        """Remove a request from its place."""
        at = self._left(direction, byte)
        while self.placed[at] != request:
            at += 1
        self.waiting[direction] -= 1
        for place in range(at, self._end(direction)):
            self.places[place], self.placed[place] = self.places[place + 1], self.placed[place + 1]

    def _home(self, key: int) -> int:
        """The table entry that a key hashes to: most keys are multiples of a power of two."""
        return (key ^ (key >> 9) ^ (key >> 15)) & (len(self.keys) - 1)

    def _entry(self, key: int) -> int:
        """The table entry of a key, or the first free entry after the one that it hashes to."""
        at = self._home(key)
        while self.keys[at] != key and self.holders[at] != NOBODY:
            at = (at + 1) & (len(self.keys) - 1)
        return at

    def _holder(self, key: int) -> int:
        """The latest request with a begin or end at this byte; -1 if there is none or it has left."""
        return int(self.holders[self._entry(key)])

    def _hold(self, key: int, request: int) -> None:
        """Note that a request begins or ends at this byte."""
        at = self._entry(key)
        self.keys[at], self.holders[at] = key, request

    def _leave(self, key: int, request: int) -> None:
        """Note that a request no longer begins or ends at this byte; displaced entries move up."""
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
