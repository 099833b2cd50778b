"""The queue of one device: requests by number, merged at their ends, let go by a scheduler, limited in number.

Steps and their order are those of :class:`model.machine.device.block_queue.BlockQueue` over those schedulers of
:mod:`model.machine.device.elevator` that neither idle nor take turns.
"""

from __future__ import annotations

from blocktime.model.loops.places import Places
from blocktime.model.loops.rows import Reals, Wholes, wholes

ENDS = 2
NOBODY = -1
FREE = 2
"""The line of the rows that no request has; before it, the lines of requests that wait to read and to write."""


def gap_opened(row: Wholes, at: int, end: int) -> None:
    """Make a gap in a row, whose values behind it move up."""
    for place in range(end, at, -1):
        row[place] = row[place - 1]


def gap_closed(row: Wholes, at: int, end: int) -> None:
    """Close a gap in a row."""
    for place in range(at, end):
        row[place] = row[place + 1]


class ElevatorLoop:
    """A queue that merges, and a scheduler that lets go; of what each request is, its rows tell.

    A request that comes to an empty queue is set aside, and entered only where another comes before it goes. Its number
    is its place in the rows; of the free ones, it takes that which has been so longest.
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
    """For each request: 1 if it is a write. Rows have room for one more than those of both directions, or for all."""
    begins: Wholes
    ends: Wholes
    queued_s: Reals
    begin_s: Reals
    """When it was sent to the device."""
    made: int
    """How many there have been."""
    in_queue: int
    """Those that wait."""
    places: Wholes
    """First bytes of each direction's requests, sorted; equal bytes in order of arrival."""
    placed: Wholes
    """Their requests."""
    waiting: Wholes
    """How many there are of each direction."""
    holders: Places
    """The latest requests with these begins and ends, by byte, direction and begin or end."""
    count: Wholes
    waits: Wholes
    sweep_byte: Wholes
    before: Wholes
    after: Wholes
    """The neighbours of each request in its line, which is a ring; the lines' own entries follow those of requests."""
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
        rows = len(of_write)
        room = min(rows, nr_requests)
        self.places, self.placed = wholes(2 * room, 0), wholes(2 * room, 0)
        self.waiting, self.count, self.waits = wholes(2, 0), wholes(2, 0), wholes(2, 0)
        self.sweep_byte = wholes(2, 0)
        self.before, self.after = wholes(rows + FREE + 1, 0), wholes(rows + FREE + 1, 0)
        for line in range(rows, rows + FREE + 1):
            self.before[line] = self.after[line] = line
        for number in range(rows):
            self._stand(FREE, number)
        self.holders = Places(32 * room)
        self.made = self.in_queue = self.taken = self.direction = self.passed_over = 0
        self.aside = NOBODY

    def full(self, write: int) -> bool:
        """Whether nr_requests of the direction are in the queue."""
        return bool(self.count[write] >= self.nr_requests)

    def entered(self, write: int, begin: int, end: int, now: float) -> int:
        """Create a new request; return its number."""
        number = self._first(FREE)
        self._step_out(number)
        self.made += 1
        self.of_write[number], self.queued_s[number] = write, now
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
        self.holders.put(4 * begin + direction, number)
        self.holders.put(4 * self.ends[number] + ENDS + direction, number)
        self._stand(0 if self.in_order else direction, number)
        if not self.in_order:
            self._put(direction, begin, number)

    def let_go(self, now: float) -> int:
        """The request that goes to the device next; -1 if none waits."""
        if not self.in_queue:
            return NOBODY
        number, straight = self.aside, self.aside >= 0
        if self.in_order:
            if not straight:
                number = self._first(0)
        else:
            number = self._chosen(straight, now)
            self.sweep_byte[self.direction] = self.ends[number]
            self.taken += 1
        direction = self.of_write[number]
        self.waits[direction] -= 1
        self.in_queue -= 1
        self.aside = NOBODY
        if not straight:
            self._step_out(number)
            self._leave(4 * self.begins[number] + direction, number)
            self._leave(4 * self.ends[number] + ENDS + direction, number)
        self.begin_s[number] = now
        return number

    def done(self, number: int) -> None:
        """Handle the completion of a request at the device."""
        self.count[self.of_write[number]] -= 1
        self._stand(FREE, number)

    def _first(self, line: int) -> int:
        """The first of a line."""
        return int(self.after[len(self.of_write) + line])

    def _stand(self, line: int, number: int) -> None:
        """To the end of a line."""
        line += len(self.of_write)
        last = self.before[line]
        self.before[number], self.after[number] = last, line
        self.after[last] = self.before[line] = number

    def _step_out(self, number: int) -> None:
        """Leave the line."""
        before, after = self.before[number], self.after[number]
        self.after[before], self.before[after] = after, before

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
        number = self.holders.at(4 * begin + ENDS + write)
        if number >= 0 and end - self.begins[number] <= self.largest_bytes:
            self._leave(4 * begin + ENDS + write, number)
            self.ends[number] = end
            self.holders.put(4 * end + ENDS + write, number)
            return number
        number = self.holders.at(4 * end + write)
        if number >= 0 and self.ends[number] - begin <= self.largest_bytes:
            self._leave(4 * end + write, number)
            self.begins[number] = begin
            self.holders.put(4 * begin + write, number)
            if not self.in_order:
                self._remove(write, self._place_of(write, end, number))
                self._put(write, begin, number)
            return number
        return NOBODY

    def _chosen(self, straight: bool, now: float) -> int:
        """The request that a scheduler with sweeps dispatches; if *straight*, the only request."""
        at, goes_on = NOBODY, 0 < self.taken < self.longest_batch
        if straight:
            along = (
                self.of_write[self.aside] == self.direction
                and self.begins[self.aside] >= self.sweep_byte[self.direction]
            )
            goes_on = goes_on and along
        elif goes_on:
            at = self._upwards()
            goes_on = at >= 0
        if not goes_on:
            self._begin_batch()
        if straight:
            return self.aside
        direction = self.direction
        if not goes_on:
            at, oldest = self._upwards(), self._first(direction)
            expire_s = self.write_expire_s if direction else self.read_expire_s
            if at < 0 or now - self.queued_s[oldest] >= expire_s:
                at = self._place_of(direction, self.begins[oldest], oldest)
        number: int = self.placed[at]
        self._remove(direction, at)
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
        """The place of the next request of the sweep; -1 if there is none."""
        at, end = self._left(self.direction, self.sweep_byte[self.direction]), self._end(self.direction)
        return at if at < end else NOBODY

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
        at, end = self._left(direction, byte + 1), self._end(direction)
        gap_opened(self.places, at, end)
        gap_opened(self.placed, at, end)
        self.places[at], self.placed[at] = byte, request
        self.waiting[direction] += 1

    def _place_of(self, direction: int, byte: int, request: int) -> int:
        """The place of a request."""
        at = self._left(direction, byte)
        while self.placed[at] != request:
            at += 1
        return at

    def _remove(self, direction: int, at: int) -> None:
        """Remove a request from its place."""
        self.waiting[direction] -= 1
        end = self._end(direction)
        gap_closed(self.places, at, end)
        gap_closed(self.placed, at, end)

    def _leave(self, key: int, request: int) -> None:
        """Note that a request no longer begins or ends at this byte, where no other one is noted there."""
        if self.holders.at(key) == request:
            self.holders.drop(key)
