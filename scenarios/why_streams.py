"""Why streams of reads and writes take another time: the path, calls, requests, what is merged, the device."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from blocktime.model.causes import AT_ONCE, DEVICE, SLOWEST
from blocktime.model.results import DeviceStats, EventTime, RunResult, StreamStats
from blocktime.model.units import MIB, show_bytes, show_number, show_seconds
from blocktime.scenarios.why_device import (
    ScenarioPair,
    another_disk,
    awaited,
    busy,
    devices,
    flushes,
    mean_request_bytes,
    requests,
)
from blocktime.scenarios.why_words import NOTHING_S, ComponentChange, count, differs, effect, from_to, plural, takes

CPU = "CPU of the calls"
COMPONENTS = (CPU, DEVICE)
"""The mechanisms that are told here; the others by their names."""

WORKS_ALL_THE_TIME = 0.95
"""Of the elapsed time, from which on a program's CPU time decides how many calls it makes."""
LEAST_MERGED = 0.05
"""Share by which the requests of a call differ before merging is told as the reason."""


def both(base: RunResult, other: RunResult) -> tuple[StreamStats, StreamStats] | None:
    """The first stream of either answer; None where one of them is no stream."""
    if not base.streams or not other.streams:
        return None
    return base.streams[0], other.streams[0]


def overlapped(*results: RunResult) -> bool:
    """Whether calls of one of the answers are under way at once, so that their waits have no cause of their own."""
    return any(AT_ONCE in result.time.unaccounted for result in results)


def at_a_rate(pair: ScenarioPair | None) -> bool:
    """Whether calls arrive at a rate in both, which decides when the last of them comes."""
    return pair is not None and all(getattr(scenario.workload, "rate_per_s", None) is not None for scenario in pair[:2])


def mechanism(component: str) -> str:
    """The mechanism that moves a component of a stream's time."""
    if component.startswith("CPU: "):
        return CPU
    return component


def mechanism_of(base: RunResult, other: RunResult) -> Callable[[str], str]:
    """From a component to its mechanism; waits have one alone where those of either answer are booked together."""
    if not overlapped(base, other):
        return mechanism
    return lambda component: text if (text := mechanism(component)) in (CPU, SLOWEST) else DEVICE


def sentence(
    name: str, change: ComponentChange, base: RunResult, other: RunResult, scenarios: ScenarioPair | None = None
) -> str:
    """What moved one of the mechanisms of this module, and why where the two results show it."""
    pair = both(base, other)
    if pair is None:
        return ""
    if name == CPU:
        call_counts = from_to(pair[0].calls, pair[1].calls)
        fewer = f" while calls {call_counts}" if differs(pair[0].calls, pair[1].calls) else ""
        return f"{CPU} {takes(change)}{fewer}, which {effect(change)}"
    waited = awaited(base, other, scenarios, queue=True)
    disk = another_disk(scenarios)
    parts = [*([disk] if disk else []), *_opened(*pair), *_calls(*pair), *_requests(base, other)]
    if waited:
        parts.append(waited)
    if overlapped(base, other):
        parts.append(_response(*pair) + ("" if waited else busy(base, other)))
    elif change.before_s or change.after_s:
        parts.append(_waits(change, base, other) + ("" if waited else busy(base, other)))
    return "; ".join(parts)


def counts_changed(name: str, base: RunResult, other: RunResult) -> bool:
    """Whether the device gets other requests, even where the stream hardly waits for it."""
    pair, streams = devices(base, other), both(base, other)
    if name != DEVICE or streams is None:
        return False
    if overlapped(base, other) and differs(streams[0].response_s, streams[1].response_s):
        return True
    if pair is None:
        return False
    return differs(*map(flushes, pair)) or differs(*map(requests, pair)) or differs(*map(_merged, pair))


def rates(base: RunResult, other: RunResult) -> Iterator[str]:
    """What comes out of it: calls and bytes a second."""
    pair = both(base, other)
    if pair is None or not differs(pair[0].calls_per_s, pair[1].calls_per_s):
        return
    before, after = pair
    calls = from_to(before.calls_per_s, after.calls_per_s, lambda rate: show_number(rate, 4))
    bound = sets_the_rate(other) and not sets_the_rate(base)
    limit = ": the processor that makes the calls sets the rate" if bound else ""
    yield f"calls/s {calls}, {_megabytes(before)} to {_megabytes(after)} MB/s{limit}"


def sets_the_rate(result: RunResult) -> bool:
    """Whether a program that has calls under way at once works on them all the time."""
    return overlapped(result) and result.time.cpu_s >= WORKS_ALL_THE_TIME * result.time.elapsed_s


def _megabytes(stream: StreamStats) -> str:
    rate = stream.bytes_per_s / MIB
    return show_number(rate, 3)


def _response(before: StreamStats, after: StreamStats) -> str:
    """What a call takes from its begin to its end."""
    call = "write" if after.writes else "read"
    if not differs(before.response_s, after.response_s):
        return f"a {call} takes {show_seconds(after.response_s)} as before"
    change = f"a {call} takes {show_seconds(after.response_s)} instead of {show_seconds(before.response_s)}"
    tail = before.response_percentiles.get("p95"), after.response_percentiles.get("p95")
    if tail[0] is None or tail[1] is None:
        return change
    return f"{change} (p95 {show_seconds(tail[1])} instead of {show_seconds(tail[0])})"


def _opened(before: StreamStats, after: StreamStats) -> Iterator[str]:
    if before.path != after.path:
        yield f"the I/O path is {after.path} instead of {before.path}"
    if after.in_flight_most != before.in_flight_most:
        depths = from_to(before.in_flight_most, after.in_flight_most)
        yield f"calls in flight {depths}"


def _calls(before: StreamStats, after: StreamStats) -> Iterator[str]:
    """How many calls, and of what size, where that moved."""
    sizes = _each(before.bytes, before), _each(after.bytes, after)
    if differs(*sizes):
        grew = "grew" if sizes[1] > sizes[0] else "shrank"
        yield f"a call {grew} from {show_bytes(sizes[0])} to {show_bytes(sizes[1])}"
    if differs(before.calls, after.calls):
        yield f"calls {from_to(before.calls, after.calls)}"


def _requests(base: RunResult, other: RunResult) -> Iterator[str]:
    """Requests at the device, with what was merged into them."""
    pair, streams = devices(base, other), both(base, other)
    if pair is None or streams is None or not all(device_stats.request_bytes for device_stats in pair):
        return
    emptied = flushes(pair[0]), flushes(pair[1])
    if differs(*emptied):
        yield f"cache flushes {from_to(*emptied)}"
    request_counts = requests(pair[0]), requests(pair[1])
    if not differs(*request_counts):
        return
    each = _each(request_counts[0], streams[0]), _each(request_counts[1], streams[1])
    because = _because(*pair, fewer=each[1] < each[0]) if differs(*each, LEAST_MERGED) else ""
    yield f"requests {from_to(*request_counts)}{because}"


def _because(before: DeviceStats, after: DeviceStats, *, fewer: bool) -> str:
    """Why a call makes more or fewer requests, as far as both results show it."""
    largest = show_bytes(max(before.request_bytes)), show_bytes(max(after.request_bytes))
    merged = _merged(before), _merged(after)
    if fewer and merged[1] > merged[0]:
        return f" because {plural(merged[1], 'bio')} {'was' if merged[1] == 1 else 'were'} merged, up to {largest[1]}"
    if not fewer and merged[0] > merged[1]:
        still = f"only {plural(merged[1], 'bio')} {'is' if merged[1] == 1 else 'are'} merged" if merged[1] else ""
        return f" because {still or 'nothing is merged'} instead of {plural(merged[0], 'bio')}, up to {largest[0]}"
    means = mean_request_bytes(before), mean_request_bytes(after)
    if differs(*means) and fewer == (means[1] > means[0]):
        grew = "grew" if fewer else "shrank"
        return f" because the mean request {grew} from {show_bytes(round(means[0]))} to {show_bytes(round(means[1]))}"
    return ""


def _waits(change: ComponentChange, base: RunResult, other: RunResult) -> str:
    """What a call waits for the device, and what that comes to."""
    effect_text = effect(change)
    call = _call(other)
    if abs(change.change_s) < NOTHING_S:
        return f"{DEVICE} takes as long as before"
    if not change.after_s:
        return f"no {call} waits for the device any more, which {effect_text}"
    before, after = _waited(base), _waited(other)
    if after is None or (change.before_s and before is None):
        return f"{DEVICE} {takes(change)}, which {effect_text}"
    each = before.total_s / before.waits if before else None, after.total_s / after.waits
    if before is not None and differs(before.waits, after.waits) and not _once_a_call(base, other):
        how_often = f"{count(after.waits)} times instead of {count(before.waits)}"
        each_text = f"{show_seconds(each[1])} each instead of {show_seconds(each[0] or 0.0)}"
        return f"{call}s wait for the device {how_often}, {each_text}, which {effect_text}"
    if each[0] is None:
        return f"each {call} waits {show_seconds(each[1])} for the device, which {effect_text}"
    if not differs(each[0], each[1]):
        return f"each {call} waits {show_seconds(each[1])} for the device as before, which {effect_text}"
    less = "less" if each[1] < each[0] else "more"
    return (
        f"each {call} waits {show_seconds(abs(each[1] - each[0]))} {less} for the device "
        f"({show_seconds(each[1])} instead of {show_seconds(each[0])}), which {effect_text}"
    )


def _call(result: RunResult) -> str:
    return "call" if not result.streams else "write" if result.streams[0].writes else "read"


def _waited(result: RunResult) -> EventTime | None:
    """Waits for the device; None where calls do not wait once each."""
    waited = result.time.wait.get(DEVICE)
    if waited is None or not waited.waits or not result.streams:
        return None
    often = result.streams[0].calls / waited.waits
    once = not differs(often, round(often)) and often >= 1  # waits are those of one user, calls those of all
    return waited if once else None


def _once_a_call(base: RunResult, other: RunResult) -> bool:
    """Whether as large a share of the calls waits in both, so that the number of waits moves with the calls alone."""
    pair = both(base, other)
    waits = [result.time.wait[DEVICE].waits for result in (base, other)]
    return pair is not None and not differs(pair[0].calls * waits[1], pair[1].calls * waits[0])


def _merged(device: DeviceStats) -> float:
    return device.merged_reads + device.merged_writes


def _each(whole: float, stream: StreamStats) -> float:
    return whole / stream.calls if stream.calls else 0.0
