"""What simulating streams costs, and from when on one is played in part."""

from __future__ import annotations

from typing import Final

from blocktime.model.budget import is_too_long
from blocktime.model.demand.calls import File, files_of
from blocktime.model.laws import block_layer
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.machine.device.drive import capacity_of
from blocktime.model.sim.caller import RESPONSE_BYTES
from blocktime.model.spec import Stream, System
from blocktime.model.workloads.costs import AnswerCost
from blocktime.model.workloads.streams.in_part import why_whole
from blocktime.model.workloads.streams.run_time import in_time

MOST_REQUESTS: Final = 5_000_000
MOST_STEPS: Final = 1_000_000
PAGES_A_STEP: Final = 4
CALL_NS: Final = 4_500
"""Work of a call past the page cache, on a processor of the 2020s."""
CALL_BYTES: Final = RESPONSE_BYTES
EVENT_CALL_S: Final = 28e-6
PART_STEPS: Final = 15_000
"""Steps of the first part that is played of a long stream."""
LEAST_CALLS: Final = 100
LEAST_TURNS: Final = 60
"""Calls of each program that a part has at least, and those for each one in flight."""
MOST_PART_STEPS: Final = 300_000


def cost(system: System, work: Stream) -> AnswerCost:
    """Of the requests of streams, or of the part of a long one that is played."""
    files, expected = files_of(system, work, capacity_of(system.disk)), in_time(system, work)
    whole = whole_cost(system, expected, files)
    if not is_long(system, expected, files):
        return whole
    if reason := why_whole(system, work):
        return whole._replace(whole_because=reason)
    steps = float(work.users * steps_of_calls(system, work, calls_of_part(system, work)))
    return AnswerCost(EVENT_CALL_S * steps, CALL_BYTES * steps, steps, whole.what)


def whole_cost(system: System, expected: Stream, files: list[File]) -> AnswerCost:
    """Of all requests of *expected* streams."""
    steps, quick = steps_of(system, expected, files)
    calls = sum(stream.users * stream.count for stream in (expected, *expected.beside))
    each_s = CALL_NS / 1e9 if quick else EVENT_CALL_S
    return AnswerCost(each_s * steps, CALL_BYTES * calls, steps, "requests and pages")


def is_long(system: System, expected: Stream, files: list[File]) -> bool:
    """Whether streams take more to simulate than is allowed."""
    whole = whole_cost(system, expected, files)
    return is_too_long(whole.seconds, whole.bytes) or whole.steps > limit_of(system, files)[0]


def limit_of(system: System, files: list[File]) -> tuple[int, str]:
    """Steps that are played at most, and what they are."""
    if are_quick(system, files):
        return MOST_REQUESTS, "requests"
    return MOST_STEPS, "requests and pages"


def are_quick(system: System, files: list[File]) -> bool:
    """Whether calls take no steps through the page cache, and no drive weighs its commands one by one."""
    return system.disk.reorder_age_s is None and all(file.path in UNBUFFERED for file in files)


def calls_of_part(system: System, work: Stream) -> int:
    """Calls of each program that are played first of a long stream."""
    least = max(LEAST_CALLS, LEAST_TURNS * work.in_flight, LEAST_TURNS * work.batch)
    return max(least, PART_STEPS // (work.users * steps_of_calls(system, work, 1)))


def steps_of(system: System, expected: Stream, files: list[File]) -> tuple[int, bool]:
    """Requests and pages of a simulation, and whether they are quick.

    *expected* are the streams of the *files* with as many calls as they make within their run time.
    """
    streams = (expected, *expected.beside)
    steps = sum(calls.users * steps_of_calls(system, calls, calls.count) for calls in streams)
    return steps, are_quick(system, files)


def steps_of_calls(system: System, calls: Stream, count: int) -> int:
    """What playing *count* calls takes: requests, those of a set's members among them, and pages of the page cache."""
    disk, host = system.disk, system.host
    largest = block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments)
    each = -(-calls.block_size_bytes // min(largest, calls.block_size_bytes))
    if disk.raid_level != "none":
        each += calls.block_size_bytes // disk.stripe_unit_bytes
    if disk.write_cache_bytes and calls.writes:
        each += calls.block_size_bytes // disk.write_cache_bytes
    if calls.opened_as(system) not in UNBUFFERED:
        each += calls.block_size_bytes // block_layer.PAGE_BYTES // PAGES_A_STEP
    return int(count * each)
