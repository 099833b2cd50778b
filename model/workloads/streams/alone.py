"""One program with the device to itself: its calls follow from a loop over them, without events.

Two programs need none: one whose calls arrive at a first-come-first-served device where nothing can merge, whether or
not earlier ones are done; and one that makes a call when the last one is done.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import islice
from math import inf
from typing import Any

import numpy as np

from model.books import PERCENTILES
from model.causes import CPU, DEVICE, THINKING
from model.demand.calls import File, call_cpu_s, shown_call
from model.kernels.queue import (
    CallPath,
    Served,
    Times,
    open_queue,
    quantiles,
    speeds_of,
    summed_queue,
    threads_queue,
)
from model.laws import block_layer
from model.laws.opened_files import UNBUFFERED
from model.machine.device import drive
from model.machine.device.iostat import Counters
from model.machine.device.iostat_of_times import count_all
from model.results import Stage
from model.sim.caller import Draws, Record
from model.sim.fast import UNBUFFERED_CALLS, reads_all
from model.spec import Disk, System
from model.workloads.streams.books import Responses

CLOSED_READS = (
    UNBUFFERED_CALLS
    | drive.READS
    | {"host.scheduler", "host.nr_requests", "workload.runtime_s", "disk.reorder_age_s"}
)
"""One request at a time: the drive is that of the events, and the queue has nothing to choose from or to hold back."""
OPEN_READS = (
    UNBUFFERED_CALLS
    | drive.GEOMETRY - {"disk.average_seek_s", "disk.rotation_s", "disk.track_seek_s", "disk.full_seek_s"}
    | {
        "host.scheduler",
        "host.nr_requests",
        "disk.overhead_s",
        "disk.bandwidth_bytes_per_s",
        "disk.parallel_requests",
        "disk.queue_depth",
        "disk.interface",
        "disk.service_cv",
    }
)
"""Requests of one size on a device without positions, whose geometry has no effect."""


def is_alone(system: System, files: list[File]) -> bool:
    """Whether a loop over the calls is the same as the simulation of all parties."""
    if len(files) > 1 or files[0].path not in UNBUFFERED:
        return False
    calls, host, disk = files[0].calls, system.host, system.disk
    largest = block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments)
    if calls.block_size_bytes > largest:
        return False
    if calls.rate_per_s is None:
        return bool(calls.in_flight == 1) and reads_all(CLOSED_READS, system, [calls])
    in_order = host.scheduler in ("noop", "none", "kyber")
    none_kept_out = host.nr_requests >= disk.parallel_requests
    alike = bool(disk.service_cv) or disk.parallel_requests == 1
    never_merged = largest < 2 * calls.block_size_bytes
    return in_order and none_kept_out and alike and never_merged and reads_all(OPEN_READS, system, [calls])


def play_alone(system: System, file: File, draws: Draws, device: Any, counters: Counters) -> Record:
    """The record of the program's calls; *counters* are brought to their end.

    *device* is the server of the requests, or for calls that arrive the iterator of factors on its service time.
    """
    if draws.gaps_s is None:
        return _closed(system, file, draws, device, counters)
    return _open(system, file, draws, device, counters)


def _closed(system: System, file: File, draws: Draws, server: Any, counters: Counters) -> Record:
    """One call after the other."""
    size, write, call_s = file.calls.block_size_bytes, file.write, call_cpu_s(system.host, file.calls)
    now = device_s = thought_s = longest_s = longest_think_s = 0.0
    pauses = 0
    queued, ends, responses = array("d"), array("d"), array("d")
    until_s = inf if file.calls.runtime_s is None else file.calls.runtime_s
    for place in draws.places:
        begin = now
        if begin >= until_s:
            break
        now += call_s
        queued.append(now)
        done = server.submit(now, write, place, size)
        waited = done - now
        device_s += waited
        longest_s = max(longest_s, waited)
        now = done
        ends.append(now)
        responses.append(now - begin)
        if draws.thinks_s is not None:
            think_s = max(0.0, min(next(draws.thinks_s), until_s - now))
            thought_s += think_s
            pauses += think_s > 0
            longest_think_s = max(longest_think_s, think_s)
            now += think_s
    count = len(responses)
    record = Record(responses_s=responses, end_s=now, in_flight_most=1)
    if file.calls.submission == "polled":  # the processor looks for the end of the call
        device_s, longest_s, call_s = 0.0, 0.0, call_s + device_s / count
    for cause, seconds, times, longest in (
        (CPU, call_s * count, count, call_s),
        (DEVICE, device_s, count, longest_s),
        (THINKING, thought_s, pauses, longest_think_s),
    ):
        if seconds > 0:
            record.causes_s[cause], record.counts[cause], record.longest_s[cause] = seconds, times, longest
    at_device, done_s = np.asarray(queued), np.asarray(ends)
    count_all(counters, write, size, at_device, done_s, until_s=now)
    _show(record, file, done_s - np.asarray(responses), at_device, at_device, done_s)
    return record


def _open(system: System, file: File, draws: Draws, factors: Iterator[float], counters: Counters) -> Record:
    """Calls that arrive: first a processor for each, then the device, both first come, first served."""
    calls, host, disk = file.calls, system.host, system.disk
    assert draws.gaps_s is not None
    count = calls.count
    arrival_s = np.cumsum(np.fromiter(islice(draws.gaps_s, count), float, count))
    call_s = call_cpu_s(system.host, file.calls)
    worked = Served(arrival_s, arrival_s)
    if call_s > 0:
        worked = threads_queue(arrival_s, np.full(count, call_s), host.cores.threads, speeds_of(host.cores))
    # NOTE: of two calls, the one that begins later, at a faster thread, may reach the device first
    order = np.argsort(worked.end_s, kind="stable")
    at_device_s = worked.end_s[order]
    service_s = np.fromiter(islice(factors, count), float, count) * _mean_s(disk, calls.block_size_bytes)
    served = open_queue(at_device_s, service_s, disk.parallel_requests)
    end_s, ends = served.end_s, np.sort(served.end_s)
    queued_s = at_device_s.copy()
    late = max(0, count - host.nr_requests)  # a full queue takes a call in when an earlier one is done
    queued_s[count - late :] = np.maximum(queued_s[count - late :], ends[:late])
    count_all(counters, file.write, calls.block_size_bytes, queued_s, end_s)
    record = Record(end_s=float(ends[-1]))
    record.responses_s.frombytes((end_s - arrival_s[order]).tobytes())
    under_way = np.arange(1, count + 1) - np.searchsorted(ends, arrival_s)
    record.in_flight_most = int(under_way.max())
    if call_s > 0:
        cpu_s = worked.end_s - worked.begin_s
        record.causes_s[CPU], record.counts[CPU] = float(cpu_s.sum()), count
        record.longest_s[CPU] = float(cpu_s.max())
    depth = max(disk.queue_depth, disk.parallel_requests)
    late = max(0, count - depth)
    handed_s = queued_s.copy()
    handed_s[count - late :] = np.maximum(handed_s[count - late :], ends[:late])
    of_call = np.argsort(order)
    _show(record, file, arrival_s, queued_s[of_call], handed_s[of_call], end_s[of_call])
    return record


def sum_arriving(
    system: System, calls: Any, scenarios: int, draws: Iterable[tuple[Times, Times]]
) -> tuple[Record, Responses, Counters]:
    """As :func:`_open`, where nobody asks for lines of iostat, for stages, or for how many calls were under way.

    Of so many *scenarios*, each with factors of its gaps and of its services among the *draws*: arrays of their
    numbers. Rates and what a request takes of the device may be arrays.
    """
    host, disk, count, size = system.host, system.disk, calls.count, calls.block_size_bytes
    call_s, cores = call_cpu_s(host, calls), host.cores
    way = CallPath(call_s, cores.threads, speeds_of(cores), disk.parallel_requests, host.nr_requests)
    gap_s = np.broadcast_to(1 / calls.rate_per_s, scenarios)
    mean_s = np.broadcast_to(_mean_s(disk, size), scenarios)
    sums: Any = np.empty((4, scenarios))
    mean_response_s, percentiles_s = np.empty(scenarios), np.empty((scenarios, len(PERCENTILES)))
    for number, (gaps, services) in enumerate(draws):
        summed = summed_queue(gaps * gap_s[number], services * mean_s[number], way)
        sums[:, number] = summed.end_s, summed.held_s, summed.busy_s, summed.cpu_s
        mean_response_s[number] = summed.response_s.mean()
        percentiles_s[number] = quantiles(summed.response_s, PERCENTILES.values())
    end_s, held_s, busy_s, cpu_s = sums
    record = Record(end_s=end_s, causes_s={CPU: cpu_s} if call_s > 0 else {})
    write, counters = calls.writes, Counters(inf, inf, at_submission=False)
    counters.requests[write], counters.sizes[write, size] = count, count
    counters.bytes[write] = counters.moved_bytes[write] = count * size
    # NOTE: all have ended, so their times sum to the same
    counters.ticks_s[write] = counters.weighted_s = held_s
    counters.busy_s, counters.last_s = busy_s, end_s
    responses = Responses(count, mean_response_s, dict(zip(PERCENTILES, percentiles_s.T, strict=True)))
    return record, responses, counters


def _mean_s(disk: Disk, size_bytes: int) -> float:
    """Mean service time of a device without positions."""
    return disk.overhead_s + size_bytes / disk.bandwidth_bytes_per_s


def _show(record: Record, file: File, begin_s: Any, queued_s: Any, handed_s: Any, end_s: Any) -> None:
    """The stages of the call in the middle."""
    call = shown_call(file.calls)
    record.stages += [
        Stage(name="the call", begin_s=begin_s[call], end_s=end_s[call]),
        Stage(name="waits in the queue", begin_s=queued_s[call], end_s=handed_s[call]),
        Stage(name="at the device", begin_s=handed_s[call], end_s=end_s[call]),
    ]
