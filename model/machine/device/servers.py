"""Who holds which server until when: first come, first served, without a clock of its own."""

from __future__ import annotations

from blocktime.model.laws.device_time import continues
from blocktime.model.laws.processors import Cores, thread_speed
from blocktime.model.loops.arrays import Reals, free_servers, longer, reals, replace_first


class Processors:
    """What does work in the order in which it is handed in, at moments that never go back."""

    busy_s: float
    slowed_s: float
    """Time that work took because others were at work."""
    end_s: float
    """Of the work handed in last."""

    def begins_s(self, now_s: float, work_s: float) -> float:
        """When *work_s* seconds of work begin that are handed in at *now_s*; their end is left in *end_s*."""
        raise NotImplementedError

    def serve(self, now_s: float, work_s: float) -> tuple[float, float]:
        """Their begin and their end."""
        begin = self.begins_s(now_s, work_s)
        return begin, self.end_s


class Servers(Processors):
    """*count* equal servers, at work at their own speed whatever the others do."""

    _free_at: Reals

    def __init__(self, count: int) -> None:
        self._free_at = free_servers(count)
        self.busy_s = self.slowed_s = self.end_s = 0.0

    def begins_s(self, now_s: float, work_s: float) -> float:
        """When the first server is free that is."""
        begin: float = max(float(self._free_at[0]), now_s)
        self.end_s = begin + work_s
        replace_first(self._free_at, self.end_s)
        self.busy_s += work_s
        return begin


class Threads(Processors):
    """Hardware threads of cores: a job runs at the speed that busy cores leave it when it begins.

    NOTE: jobs are short beside the time in which the load changes, so their speed does not change under way.
    """

    _ends: Reals
    """When the threads that run are done, in order, and where in the row the first is, and the first room behind."""
    _low: int
    _high: int
    _speeds: Reals
    """By the number of threads that run."""

    def __init__(self, host: Cores) -> None:
        threads = int(host.threads)
        self._ends = reals(2 * threads, 0.0)
        self._low = self._high = 0
        self._speeds = reals(threads + 1, 1.0)
        for busy in range(1, threads + 1):
            self._speeds[busy] = float(thread_speed(busy, host))
        self.busy_s = self.slowed_s = self.end_s = 0.0

    def begins_s(self, now_s: float, work_s: float) -> float:
        """When work begins that takes a thread alone on the machine *work_s* seconds."""
        low, high = self._low, self._high
        begin: float = now_s
        while low < high and self._ends[low] <= now_s:
            low += 1
        running = low
        if high - low == len(self._speeds) - 1:  # the others that end with the first stay busy until then
            begin = self._ends[low]
            low += 1
            running = low
            while running < high and self._ends[running] <= begin:
                running += 1
        took_s: float = work_s / self._speeds[1 + high - running]
        if high == len(self._ends):
            for place in range(low, high):
                self._ends[place - low] = self._ends[place]
            high -= low
            low = 0
        self.end_s = begin + took_s
        place = high
        while place > low and self._ends[place - 1] > self.end_s:
            self._ends[place] = self._ends[place - 1]
            place -= 1
        self._ends[place] = self.end_s
        self._low, self._high = low, high + 1
        self.busy_s += took_s
        self.slowed_s += took_s - work_s
        return begin


class Gaps:
    """What does one thing at a time, for things that come for a time ahead: who comes late holds up nobody before."""

    _from_s: Reals
    _until_s: Reals
    """Times that are taken, in order. Those that touch stay apart: what is over is free for what was ready before."""
    _low: int
    _high: int
    """Where the first is, and the first room behind."""

    def __init__(self) -> None:
        self._from_s, self._until_s = reals(16, 0.0), reals(16, 0.0)
        self._low = self._high = 0

    def end_s(self, now_s: float, ready_s: float, length_s: float) -> float:
        """The end of something that is ready then and takes so long, in the first gap that holds it."""
        low, high = self._low, self._high
        while low < high and self._until_s[low] <= now_s:
            low += 1
        at, above = low, high
        while at < above:
            middle = (at + above) >> 1
            if self._until_s[middle] <= ready_s:
                at = middle + 1
            else:
                above = middle
        while at < high and ready_s + length_s > self._from_s[at]:
            ready_s = max(ready_s, float(self._until_s[at]))
            at += 1
        end_s: float = ready_s + length_s
        for k in range(high, at, -1):
            self._from_s[k], self._until_s[k] = self._from_s[k - 1], self._until_s[k - 1]
        self._from_s[at], self._until_s[at] = ready_s, end_s
        high += 1
        self._low, self._high = low, high
        if high == len(self._from_s):
            self._make_room()
        return end_s

    def _make_room(self) -> None:
        low, count = self._low, self._high - self._low
        if 2 * count > self._high:
            self._from_s, self._until_s = longer(self._from_s), longer(self._until_s)
        for k in range(count):
            self._from_s[k], self._until_s[k] = self._from_s[low + k], self._until_s[low + k]
        self._low, self._high = 0, count


NOBODY = -1
"""In the place of a slot or a byte: none, or any."""


class DeviceQueue:
    """A device: slots for requests on their way to the channel, the channel, and the place of the head."""

    busy_s: float
    """Time with at least one request waiting or in service, as %util counts it."""
    requests: int
    bytes: float
    since_s: float
    """The time now, where commands are handed in for a time ahead; below 0 where they are not."""
    _slots: Reals
    _count: int
    _uneven: bool
    _channel_free_at: float
    _channel: Gaps
    _last_end_byte: int
    _in_flight_until: float

    def __init__(self, parallel_requests: int, uneven: bool = False) -> None:
        """*uneven* latencies let a later command reach the channel before an earlier one."""
        self._slots = free_servers(parallel_requests)
        self._count = parallel_requests
        self._uneven = uneven and parallel_requests > 1
        self._channel = Gaps()
        self.since_s = -1.0
        self._channel_free_at = self._in_flight_until = 0.0
        self._last_end_byte = NOBODY
        self.requests = 0
        self.busy_s = self.bytes = 0.0

    def positions(self, start_byte: int) -> bool:
        """Whether a read at *start_byte* would have to position; NOBODY is a place unlike any before."""
        if start_byte == NOBODY or self._last_end_byte == NOBODY:  # noqa: PLR1714  (numbers in C)
            return True
        return not continues(start_byte, self._last_end_byte)

    def first_free(self) -> int:
        """The slot that is free first."""
        first = 0
        for slot in range(1, self._count):
            if self._slots[slot] < self._slots[first]:
                first = slot
        return first

    def submit(
        self, now_s: float, latency_s: float, transfer_s: float, end_byte: int, size_bytes: float, slot: int = NOBODY
    ) -> float:
        """When the read handed in at *now_s* is done.

        Its latency holds a slot, its transfer the channel; a device with a single slot does one thing at a time.
        It waits for that *slot*, or for the first that is free.
        """
        begin: float = max(float(self._slots[max(slot, 0)]), now_s)
        ready = begin + latency_s
        if slot == NOBODY and not self._uneven:
            end = max(ready, self._channel_free_at) + transfer_s
            self._channel_free_at = end
        else:
            end = self._channel.end_s(now_s if self.since_s < 0 else self.since_s, ready, transfer_s)
        free_at = ready if self._count > 1 else end
        if slot == NOBODY:
            replace_first(self._slots, free_at)
        else:
            self._slots[slot] = free_at
        self._last_end_byte = end_byte
        if end > self._in_flight_until:
            self.busy_s += end - max(now_s, self._in_flight_until)
            self._in_flight_until = end
        self.requests += 1
        self.bytes += size_bytes
        return end
