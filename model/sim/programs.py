"""Programs that call one device past the page cache, played without a process each: one loop over what happens.

What happens comes in SimPy's order: by time, and at one moment by when it was planned. Programs, queue, device and
counters do what those of :mod:`model.sim.caller` and :mod:`model.sim.device` do, to the last bit.
"""

from __future__ import annotations

from math import inf

from blocktime.model.laws.block_layer import QUEUE_PLUG_REQUESTS
from blocktime.model.loops.calendar import Moments
from blocktime.model.loops.elevator import ElevatorLoop
from blocktime.model.loops.rows import (
    GivenReals,
    GivenWholes,
    Halves,
    Reals,
    Wholes,
    more_wholes,
    wholes,
)
from blocktime.model.machine.device.drive import BoundedDrive
from blocktime.model.machine.device.iostat import Counters
from blocktime.model.machine.device.servers import Processors

NOBODY = -1
DONE = 2
"""The first of the rows of calls that are done and that their programs have not asked for yet; before it, the rows of
callers that wait for room to read and to write.
"""
CPU, RUN_QUEUE, DEVICE, ROOM, THINKING = 0, 1, 2, 3, 4
CAUSES = 5
"""Components of a program's time, side by side."""
ROOM_PLANNED = 256


class Programs:
    """The programs, what is planned, and the device.

    Calls are numbered through all programs. A node is a call, or behind them a program, or behind those a request.
    """

    queue: ElevatorLoop
    server: BoundedDrive
    counters: Counters
    processors: Processors
    depth: int
    plugs: bool
    """Whether the queue is plugged when it was empty, as up to 2.6.38."""
    now: float
    stages: list[tuple[int, float, float, float]]
    """Of the sampled calls: the call, when its request was queued, went to the device, and was done."""
    _plugged: bool
    _programs: int
    _calls: int
    _first: GivenWholes
    _write: GivenWholes
    _size: GivenWholes
    _in_flight: GivenWholes
    _batch: GivenWholes
    _sample: GivenWholes
    _waits_for: GivenWholes
    _thinks: GivenWholes
    _call_s: GivenReals
    _until_s: GivenReals
    _whose: Halves
    _place: GivenWholes
    _pause_s: GivenReals
    _request: Halves
    _begun_s: Reals
    _response_s: Reals
    _answered: Wholes
    _most: Wholes
    _end_s: Reals
    _seconds: Reals
    _times: Wholes
    _longest_s: Reals
    _done_s: Reals
    _since_s: Reals
    """Of each call, and behind them of each program: since when it waits, or how long it stood in the run queue."""
    _ran_s: Reals
    """Of each: CPU of what it computes now, or its think time."""
    _next: Wholes
    """The next call of each program."""
    _handing: Wholes
    """The call of its batch that goes down next."""
    _under_way: Wholes
    _asleep: Wholes
    """Whether the program waits for one of its calls."""
    _behind: Halves
    _firsts: Wholes
    _lasts: Wholes
    _carried: Halves
    """The first call that a request carries."""
    _carried_last: Halves
    _soon_node: Wholes
    """What happens at the present time, in its order, and when each was planned."""
    _soon_order: Wholes
    _soon_first: int
    _soon_end: int
    _planned: Moments
    _node: Wholes
    """Planned events, by their place."""
    _number: int
    """Number of events planned so far."""
    _ring: Wholes
    """Requests at the device, where they end one after the other, and when each was planned."""
    _ring_order: Wholes
    _ring_first: int
    _ring_count: int
    _ring_last_s: float
    _outstanding: int

    def __init__(
        self,
        queue: ElevatorLoop,
        server: BoundedDrive,
        counters: Counters,
        processors: Processors,
        depth: int,
        plugs: bool,
    ) -> None:
        self.queue = queue
        self.server = server
        self.counters = counters
        self.processors = processors
        self.depth = depth
        self.plugs = plugs
        self.now = self._ring_last_s = 0.0
        self.stages = []
        self._plugged = False
        self._planned, self._node = Moments(), wholes(ROOM_PLANNED, 0)
        self._soon_node, self._soon_order = wholes(ROOM_PLANNED, 0), wholes(ROOM_PLANNED, 0)
        self._soon_first = self._soon_end = 0
        self._ring, self._ring_order = wholes(depth, 0), wholes(depth, 0)
        self._number = self._ring_first = self._ring_count = self._outstanding = 0

    def play(  # noqa: PLR0913, PLR0917  (rows of programs, of calls, and of what became of both)
        self,
        first: GivenWholes,
        write: GivenWholes,
        size: GivenWholes,
        in_flight: GivenWholes,
        batch: GivenWholes,
        sample: GivenWholes,
        waits_for: GivenWholes,
        thinks: GivenWholes,
        call_s: GivenReals,
        until_s: GivenReals,
        whose: Halves,
        place: GivenWholes,
        pause_s: GivenReals,
        response_s: Reals,
        since_s: Reals,
        ran_s: Reals,
        request: Halves,
        begun_s: Reals,
        behind: Halves,
        done_s: Reals,
        carried: Halves,
        carried_last: Halves,
        answered: Wholes,
        most: Wholes,
        end_s: Reals,
        seconds: Reals,
        times: Wholes,
        longest_s: Reals,
        next_calls: Wholes,
    ) -> None:
        """All calls of all programs. *in_flight* is 0 where calls arrive, *waits_for* a cause.

        It fills the rows from *response_s* on, up to *behind* each with room for all calls and programs. Responses are
        in the order in which the programs heard of them.
        """
        self._first, self._write, self._size, self._in_flight = first, write, size, in_flight
        self._batch, self._sample, self._waits_for, self._thinks = batch, sample, waits_for, thinks
        self._call_s, self._until_s, self._whose, self._place = call_s, until_s, whose, place
        self._pause_s, self._request, self._begun_s, self._response_s = pause_s, request, begun_s, response_s
        self._answered, self._most, self._end_s, self._done_s = answered, most, end_s, done_s
        self._seconds, self._times, self._longest_s = seconds, times, longest_s
        self._since_s, self._ran_s = since_s, ran_s
        self._behind, self._carried, self._carried_last = behind, carried, carried_last
        programs = len(write)
        self._calls, self._programs = first[programs], programs
        self._firsts, self._lasts = wholes(DONE + programs, NOBODY), wholes(DONE + programs, NOBODY)
        self._next, self._handing = next_calls, wholes(programs, 0)
        self._under_way, self._asleep = wholes(programs, 0), wholes(programs, 0)
        for program in range(programs):
            self._next[program] = self._handing[program] = first[program]
            if in_flight[program] == 0:
                self._plan_arrival(program)
            else:
                self._go_on(program)
        while self._happens():
            pass

    def _happens(self) -> bool:
        """Handle the next event; false if there is none."""
        comes_s, comes = inf, 0
        if self._planned.count:
            comes_s, comes = self._planned.first_s(), self._planned.first_order()
        ends_s, ends, ending = inf, 0, NOBODY
        if self._ring_count:
            ending, ends = self._ring[self._ring_first], self._ring_order[self._ring_first]
            ends_s = self._done_s[ending]
        soon = self._soon_first
        if soon < self._soon_end:
            order = self._soon_order[soon]
            if (comes_s > self.now or comes > order) and (ends_s > self.now or ends > order):
                self._soon_first = soon + 1
                self._wakes(self._soon_node[soon])
                return True
        if ends_s < comes_s or (ends_s == comes_s and ending >= 0 and ends < comes):
            self.now = ends_s
            self._ring_first += 1
            if self._ring_first == self.depth:
                self._ring_first = 0
            self._ring_count -= 1
            self._ended(ending)
            return True
        if not self._planned.count:
            return False
        self.now = comes_s
        node = self._node[self._planned.next()]
        if node >= self._calls + self._programs:
            self._ended(node - self._calls - self._programs)
        elif node < self._calls:
            self._computed(node)
        else:
            self._continues(node - self._calls)
        return True

    # Programs

    def _wakes(self, node: int) -> None:
        """What somebody waited for has happened: a call is done, or there is room for it; or for a program one of its
        calls is done.
        """
        if node >= self._calls:
            program = node - self._calls
            self._add(program, self._waits_for[program], self.now - self._since_s[node])
            self._reap(program)
            self._go_on(program)
            return
        program = self._whose[node]
        if self._request[node] < 0:
            self._add(program, ROOM, self.now - self._since_s[node])
            if self._in_flight[program] > 1:
                self._hand_down(program)
            else:
                self._hand_over(program, node)
            return
        self._add(program, self._waits_for[program], self.now - self._since_s[node])
        self._answer(program, node)
        if self._in_flight[program] == 0:
            self._under_way[program] -= 1
            self._end_s[program] = self.now
        elif self._thinks[program]:
            think_s = max(0.0, min(self._pause_s[node], self._until_s[program] - self.now))
            self._ran_s[self._calls + program] = think_s
            self._plan(self.now + think_s, self._calls + program)
        else:
            self._go_on(program)

    def _continues(self, program: int) -> None:
        """A call arrives, or the program has thought, or made a batch of calls ready."""
        node = self._calls + program
        if self._in_flight[program] == 0:
            call = self._next[program]
            self._next[program] = call + 1
            self._plan_arrival(program)
            self._count(program, 1)
            self._begin(program, call)
        elif self._in_flight[program] == 1:
            self._add(program, THINKING, self._ran_s[node])
            self._go_on(program)
        else:
            self._add(program, RUN_QUEUE, self._since_s[node])
            self._add(program, CPU, self._ran_s[node])
            self._hand_down(program)

    def _computed(self, call: int) -> None:
        """A processor has made a call ready."""
        program = self._whose[call]
        self._add(program, RUN_QUEUE, self._since_s[call])
        self._add(program, CPU, self._ran_s[call])
        self._hand_over(program, call)

    def _plan_arrival(self, program: int) -> None:
        """The next call of those that arrive, if there is one."""
        call = self._next[program]
        if call < self._first[program + 1]:
            at_s = self.now + self._pause_s[call]
            if call == self._first[program] or at_s < self._until_s[program]:
                self._plan(at_s, self._calls + program)

    def _go_on(self, program: int) -> None:
        """The next call of a program that makes one after the other, or its next batch."""
        if self._in_flight[program] > 1:
            self._next_batch(program)
            return
        call = self._next[program]
        if call == self._first[program + 1] or self.now >= self._until_s[program]:
            self._end_s[program] = self.now
            return
        self._next[program] = call + 1
        self._begin(program, call)

    def _begin(self, program: int, call: int) -> None:
        """A call begins."""
        self._begun_s[call] = self.now
        if not self._computes(self._call_s[program], call):
            self._hand_over(program, call)

    def _next_batch(self, program: int) -> None:
        """Ask for calls that are done until a batch may go; none goes after the run time."""
        while True:
            first = self._next[program]
            together = 0
            if self.now < self._until_s[program]:
                together = min(self._batch[program], self._first[program + 1] - first)
            allowed = self._in_flight[program] - together if together else 0
            if self._under_way[program] <= allowed:
                if together:
                    break
                self._end_s[program] = self.now
                return
            if self._firsts[DONE + program] >= 0:
                self._reap(program)
            else:
                self._since_s[self._calls + program] = self.now
                self._asleep[program] = 1
                return
        self._count(program, together)
        for call in range(first, first + together):
            self._begun_s[call] = self.now
        self._next[program], self._handing[program] = first + together, first
        if not self._computes(together * self._call_s[program], self._calls + program):
            self._hand_down(program)

    def _reap(self, program: int) -> None:
        """The oldest of the calls that are done."""
        call = self._firsts[DONE + program]
        self._firsts[DONE + program] = self._behind[call]
        self._answer(program, call)
        self._under_way[program] -= 1

    def _answer(self, program: int, call: int) -> None:
        """A program hears of a call that is done."""
        if call - self._first[program] == self._sample[program]:
            self.stages.append((call, inf, self._begun_s[call], self.now))
        answered = self._answered[program]
        self._response_s[self._first[program] + answered] = self.now - self._begun_s[call]
        self._answered[program] = answered + 1

    def _count(self, program: int, calls: int) -> None:
        self._under_way[program] += calls
        self._most[program] = max(self._most[program], self._under_way[program])

    def _computes(self, work_s: float, node: int) -> bool:
        """Whether there is work for a processor, which is planned then."""
        if work_s <= 0:
            return False
        processors = self.processors
        slowed_s = processors.slowed_s
        begin_s = processors.begins_s(self.now, work_s)
        end_s, ran_s = processors.end_s, work_s + (processors.slowed_s - slowed_s)
        self._since_s[node], self._ran_s[node] = begin_s - self.now, ran_s
        self._plan(self.now + (end_s - self.now), node)
        return True

    def _add(self, program: int, cause: int, seconds: float) -> None:
        """Add time to a cause."""
        if seconds > 0:
            place = program * CAUSES + cause
            self._seconds[place] += seconds
            self._times[place] += 1
            self._longest_s[place] = max(self._longest_s[place], seconds)

    # Queue and device

    def _hand_over(self, program: int, call: int) -> None:
        """A call that its program waits for goes to the queue."""
        if self._goes_down(program, call):
            self._unplug()
            self._since_s[call] = self.now

    def _hand_down(self, program: int) -> None:
        """The rest of a batch goes to the queue."""
        while self._handing[program] < self._next[program]:
            if not self._goes_down(program, self._handing[program]):
                return
            self._handing[program] += 1
        self._unplug()
        self._next_batch(program)

    def _goes_down(self, program: int, call: int) -> bool:
        """Whether a call merges into or gets a request; otherwise it waits for room."""
        queue, write, size = self.queue, self._write[program], self._size[program]
        begin = self._place[call]
        number = queue.joined(write, begin, begin + size)
        merged = number >= 0
        if not merged:
            if queue.full(write):
                self._unplug()
                self._since_s[call] = self.now
                self._stand(write, call)
                return False
            if self.plugs and not queue.in_queue:
                self._plugged = True
            number = queue.entered(write, begin, begin + size, self.now)
        self.counters.submitted(self.now, write == 1, size, merged)
        self._request[call] = number
        self._behind[call] = NOBODY
        if merged:
            self._behind[self._carried_last[number]] = call
        else:
            self._carried[number] = call
            if self._plugged and queue.in_queue >= QUEUE_PLUG_REQUESTS:
                self._unplug()
        self._carried_last[number] = call
        return True

    def _unplug(self) -> None:
        """Let requests go to the device."""
        self._plugged = False
        queue = self.queue
        while self._outstanding < self.depth:
            number = queue.let_go(self.now)
            if number < 0:
                return
            begin = queue.begins[number]
            self._outstanding += 1
            done_s = self.server.submit(
                self.now, queue.of_write[number] == 1, begin, queue.ends[number] - begin
            )
            done_s = self.now + (done_s - self.now)
            self._done_s[number] = done_s
            if not self._ring_count or done_s >= self._ring_last_s:
                at = self._ring_first + self._ring_count
                at -= self.depth if at >= self.depth else 0
                self._ring[at], self._ring_order[at] = number, self._number
                self._ring_count += 1
                self._ring_last_s = done_s
                self._number += 1
            else:
                self._plan(done_s, self._calls + self._programs + number)

    def _ended(self, number: int) -> None:
        """Handle the completion of a request at the device."""
        queue, now = self.queue, self.now
        write, queued_s, begin_s = queue.of_write[number], queue.queued_s[number], queue.begin_s[number]
        self._outstanding -= 1
        queue.done(number)
        self.counters.completed(now, write == 1, queue.ends[number] - queue.begins[number], queued_s)
        call = self._carried[number]
        while call >= 0:
            following, program = self._behind[call], self._whose[call]
            if call - self._first[program] == self._sample[program]:
                self.stages.append((call, queued_s, begin_s, now))
            if self._in_flight[program] > 1:
                self._stand(DONE + program, call)
                if self._asleep[program]:
                    self._asleep[program] = 0
                    self._soon(self._calls + program)
            else:
                self._soon(call)
            call = following
        call = self._firsts[write]
        if call >= 0 and not queue.full(write):
            self._firsts[write] = self._behind[call]
            self._soon(call)
        if queue.in_queue:
            self._unplug()

    # Planned events

    def _soon(self, node: int) -> None:
        """Wake a caller at the present time, after everything planned before."""
        if self._soon_first == self._soon_end:
            self._soon_first = self._soon_end = 0
        end = self._soon_end
        if end == len(self._soon_node):
            self._soon_node, self._soon_order = more_wholes(self._soon_node), more_wholes(self._soon_order)
        self._soon_node[end], self._soon_order[end] = node, self._number
        self._number += 1
        self._soon_end = end + 1

    def _stand(self, row: int, node: int) -> None:
        """To the end of a row."""
        self._behind[node] = NOBODY
        if self._firsts[row] < 0:
            self._firsts[row] = node
        else:
            self._behind[self._lasts[row]] = node
        self._lasts[row] = node

    def _plan(self, at_s: float, node: int) -> None:
        """Plan a node for a time."""
        place = self._planned.plan(at_s, self._number)
        self._number += 1
        if place == len(self._node):
            self._node = more_wholes(self._node)
        self._node[place] = node
