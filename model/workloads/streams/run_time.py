"""How many calls streams may make within their run time, and what to say where that was not as asked."""

from __future__ import annotations

from typing import Final, cast

from blocktime.model.demand.calls import call_cpu_s
from blocktime.model.demand.device_calls import span_of
from blocktime.model.laws import disk_means
from blocktime.model.laws.numeric import Number, larger, smaller
from blocktime.model.results import StreamStats
from blocktime.model.spec import Disk, Stream, System
from blocktime.model.units import show_seconds

LEAST_S: Final = 1e-9


def in_time(system: System, work: Stream) -> Stream:
    """The streams with about as many calls as they may begin within ``runtime_s``; unchanged without one.

    It forecasts the work of a run, by what N programs at most do of a device at its mean times: X = min(1/D_device,
    N/(D_cpu + D_least + Z)) calls a second [lazowska-1984], and what a cache takes in besides. Of calls that arrive it
    is their rate. A run is longer where the device does more than that.
    """
    every = [work, *work.beside]
    if all(calls.runtime_s is None for calls in every):
        return work
    made = [calls.model_copy(update={"count": _most_calls(system, calls)}) for calls in every]
    return cast("Stream", made[0].model_copy(update={"beside": tuple(made[1:])}))


def _most_calls(system: System, calls: Stream) -> int:
    """Calls of each program of a stream that has the device to itself, at most ``count``."""
    if calls.runtime_s is None:
        return int(calls.count)
    rate = calls.rate_per_s
    if rate is not None:
        return max(1, min(int(calls.count), int(rate * calls.runtime_s + 0.5)))
    call_s = call_cpu_s(system.host, calls) + calls.think_s
    unbuffered = calls.passes_page_cache(system)
    programs = calls.users * (calls.in_flight if unbuffered else 1)
    if programs == 1 and unbuffered:
        per_s = 1 / (call_s + _service_s(system.disk, calls, call_s, span_of(system, calls)))
    else:
        per_s = _device_per_s(system.disk, calls, span_of(system, calls))
    least_s = call_s + unbuffered * disk_means.overhead_s(system.disk, calls.writes)
    made = smaller(
        calls.runtime_s * per_s + _taken_in(system, calls), calls.runtime_s * programs / larger(LEAST_S, least_s)
    )
    return max(1, int(smaller(calls.count, made / calls.users + 0.5)))


def _service_s(disk: Disk, calls: Stream, gap_s: Number, span_bytes: Number) -> Number:
    """Mean service of a lone call, *gap_s* after the last one."""
    size, write = calls.block_size_bytes, calls.writes
    if calls.pattern == "random":
        return disk_means.random_service_s(disk, size, span_bytes, write, gap_s)
    return disk_means.strided_service_s(disk, size, calls.step_bytes, gap_s, write)


def _device_per_s(disk: Disk, calls: Stream, span_bytes: Number) -> Number:
    """Most calls a second that the device sustains."""
    size, write = calls.block_size_bytes, calls.writes
    if calls.pattern == "random":
        return disk_means.random_requests_per_s(disk, size, span_bytes, write)
    return disk_means.sequential_bytes_per_s(disk, write) / size


def _taken_in(system: System, calls: Stream) -> Number:
    """Calls that a drive's write cache and the page cache take in until they are full."""
    if not calls.writes:
        return 0
    host, room_bytes = system.host, float(system.disk.write_cache_bytes)
    if calls.opened_as(system) == "buffered":
        room_bytes = room_bytes + host.memory_bytes * host.dirty_ratio_percent / 100
    return room_bytes / calls.block_size_bytes


def overload_sentence(load: float, queue: str) -> str:
    """What to say of calls that arrive at *load* times what the device can do; *queue* is how far it grew."""
    return (
        f"the calls arrive at {100 * load:.0f} % of what the device can do: the queue grows as long as they "
        f"arrive{queue}, and times depend on how many there are"
    )


def ended_by_count(work: Stream, streams: list[StreamStats] | None) -> list[str]:
    """What to say of *streams* that made all their calls before their run time had passed."""
    return [
        f"the {calls.kind} makes all calls of workload.count in {show_seconds(made.elapsed_s)}, before "
        f"workload.runtime_s {calls.runtime_s:g} has passed: set a larger count to fill the run time"
        for calls, made in zip((work, *work.beside), streams or (), strict=True)
        if calls.runtime_s is not None and made.calls >= calls.users * calls.count and made.elapsed_s < calls.runtime_s
    ]
