"""Who holds which server until when: first come, first served, without a clock of its own."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from functools import cache
from heapq import heappop, heappush, heapreplace

from model.laws.device import continues
from model.laws.processors import Cores, thread_speed


class Servers:
    """*count* equal servers; jobs begin in the order they are handed in."""

    __slots__ = ("_free_at", "busy_s")
    slowed_s = 0.0
    """Time that work took because others were at work: none."""

    def __init__(self, count: int) -> None:
        self._free_at = [0.0] * count
        self.busy_s = 0.0

    def serve(self, now_s: float, work_s: float) -> tuple[float, float]:
        """Begin and end of *work_s* seconds of work handed in at *now_s*, which never goes back."""
        begin = self._free_at[0]
        begin = max(begin, now_s)
        end = begin + work_s
        heapreplace(self._free_at, end)
        self.busy_s += work_s
        return begin, end


class Threads:
    """Hardware threads of cores: a job runs at the speed that busy cores leave it when it begins.

    NOTE: jobs are short beside the time in which the load changes, so their speed does not change under way.
    """

    __slots__ = ("_ends", "_speeds", "_threads", "busy_s", "slowed_s")

    def __init__(self, host: Cores) -> None:
        self._threads = int(host.threads)
        self._ends: list[float] = []
        """When the threads that run are done."""
        self._speeds = cache(lambda busy: float(thread_speed(busy, host)))
        self.busy_s = self.slowed_s = 0.0

    def serve(self, now_s: float, work_s: float) -> tuple[float, float]:
        """Begin and end of work that takes a thread alone on the machine *work_s* seconds."""
        ends, begin = self._ends, now_s
        if len(ends) == self._threads:
            begin = max(ends[0], now_s)
        while ends and ends[0] <= begin:
            heappop(ends)
        took_s = work_s / self._speeds(1 + len(ends))
        heappush(ends, begin + took_s)
        self.busy_s += took_s
        self.slowed_s += took_s - work_s
        return begin, begin + took_s


class DrawnServers:
    """A device without positions whose service times vary: *count* equal servers, a factor drawn for each request."""

    __slots__ = ("_bandwidth_bytes_per_s", "_factors", "_overhead_s", "_servers")

    def __init__(
        self, count: int, overhead_s: float, bandwidth_bytes_per_s: float, factors: Iterator[float]
    ) -> None:
        self._servers = Servers(count)
        self._overhead_s = overhead_s
        self._bandwidth_bytes_per_s = bandwidth_bytes_per_s
        self._factors = factors

    def submit(self, now_s: float, write: bool, start_byte: int, size_bytes: int) -> float:
        """When the request handed over at *now_s* is done; direction and place do not matter."""
        mean_s = self._overhead_s + size_bytes / self._bandwidth_bytes_per_s
        return self._servers.serve(now_s, next(self._factors) * mean_s)[1]

    def flush(self, now_s: float) -> float:
        """It has no cache to empty."""
        return now_s


class Gaps:
    """What does one thing at a time, for things that come for a time ahead: who comes late holds up nobody before."""

    __slots__ = ("_taken",)

    def __init__(self) -> None:
        self._taken: list[tuple[float, float]] = []

    def end_s(self, now_s: float, ready_s: float, length_s: float) -> float:
        """The end of something that is ready then and takes so long, in the first gap that holds it."""
        taken = [one for one in self._taken if one[1] > now_s]
        for begin, end in taken:
            if ready_s + length_s <= begin:
                break
            ready_s = max(ready_s, end)
        insort(taken, (ready_s, ready_s + length_s))
        self._taken = taken
        return ready_s + length_s


class DeviceQueue:
    """A device: slots for requests on their way to the channel, the channel, and the place of the head."""

    __slots__ = (
        "_channel_free_at",
        "_channel_taken",
        "_in_flight_until",
        "_last_end_byte",
        "_slots",
        "_uneven",
        "busy_s",
        "bytes",
        "held_s",
        "requests",
        "since_s",
    )

    def __init__(self, parallel_requests: int, *, uneven: bool = False) -> None:
        """*uneven* latencies let a later command reach the channel before an earlier one."""
        self._slots = [0.0] * parallel_requests
        self._uneven = uneven and parallel_requests > 1
        self._channel_free_at = 0.0
        self._channel_taken = Gaps()
        self.since_s: float | None = None
        """The time now, where commands are handed in for a time ahead."""
        self._last_end_byte: float | None = None
        self._in_flight_until = 0.0
        self.busy_s = 0.0
        """Time with at least one request waiting or in service, as %util counts it."""
        self.held_s = 0.0
        """Sum over reads of the time from submission to completion."""
        self.requests = 0
        self.bytes = 0.0

    def positions(self, start_byte: float | None) -> bool:
        """Whether a read at *start_byte* would have to position; None is a place unlike any before."""
        return (
            start_byte is None
            or self._last_end_byte is None
            or not continues(start_byte, self._last_end_byte)
        )

    def first_free(self) -> int:
        """The slot that is free first."""
        return self._slots.index(min(self._slots))

    def submit(
        self,
        now_s: float,
        latency_s: float,
        transfer_s: float,
        *,
        end_byte: float | None,
        size_bytes: float,
        slot: int | None = None,
    ) -> float:
        """When the read handed in at *now_s* is done.

        Its latency holds a slot, its transfer the channel; a device with a single slot does one thing at a time.
        It waits for that *slot*, or for the first that is free.
        """
        begin = max(self._slots[slot or 0], now_s)
        ready = begin + latency_s
        if slot is None and not self._uneven:
            end = max(ready, self._channel_free_at) + transfer_s
            self._channel_free_at = end
        else:
            end = self._channel_taken.end_s(
                now_s if self.since_s is None else self.since_s, ready, transfer_s
            )
        held_until = ready if len(self._slots) > 1 else end
        if slot is None:
            heapreplace(self._slots, held_until)
        else:
            self._slots[slot] = held_until
        self._last_end_byte = end_byte
        if end > self._in_flight_until:
            self.busy_s += end - max(now_s, self._in_flight_until)
            self._in_flight_until = end
        self.held_s += end - now_s
        self.requests += 1
        self.bytes += size_bytes
        return end
