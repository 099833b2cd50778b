"""Why streams of reads and writes take another time: the path, calls, requests, what is merged, the device."""

from __future__ import annotations

from collections.abc import Iterator

from model.demand.calls import COMMIT, DEVICE, FSYNC, HELD, PROCESSOR, ROOM, THINKING
from model.results import DeviceStats, RunResult, StreamStats
from model.stream_books import AT_ONCE
from model.units import MIB, show_bytes, show_seconds
from scenarios.why_device import awaited, busy, devices
from scenarios.why_words import NOTHING_S, Change, count, differs, effect, from_to, takes

CPU = "CPU of the calls"
MECHANISMS = (CPU, DEVICE, ROOM, HELD, COMMIT, FSYNC, PROCESSOR, THINKING, AT_ONCE)
TOLD = (CPU, DEVICE)
"""The mechanisms that are told here; the others by their names."""

LEAST_MERGED = 0.05
"""Share by which the requests of a call differ before merging is told as the reason."""
DOES = {"write_stream": "write", "read_stream": "read"}


def both(base: RunResult, other: RunResult) -> tuple[StreamStats, StreamStats] | None:
    """The first stream of either answer; None where one of them is no stream."""
    if not base.streams or not other.streams:
        return None
    return base.streams[0], other.streams[0]


def mechanism(component: str) -> str:
    """The mechanism that moves a component of a stream's time."""
    if component.startswith("CPU: "):
        return CPU
    return component.removeprefix("unaccounted: ")


def sentence(name: str, change: Change, base: RunResult, other: RunResult) -> str:
    """What moved one of the mechanisms of this module, and why where the two results show it."""
    found = both(base, other)
    if found is None:
        return ""
    if name == CPU:
        many = from_to(found[0].calls, found[1].calls)
        fewer = f" while calls {many}" if differs(found[0].calls, found[1].calls) else ""
        return f"{CPU} {takes(change)}{fewer}, which {effect(change.change_s)}"
    parts = [*_opened(*found), *_calls(*found), *_requests(base, other)]
    waited = awaited(base, other, queue=True)
    if waited:
        parts.append(waited)
    if change.before_s or change.after_s:
        parts.append(_waits(change, base, other) + ("" if waited else busy(base, other)))
    return "; ".join(parts)


def counts_changed(name: str, base: RunResult, other: RunResult) -> bool:
    """Whether the device gets other requests, even where the stream hardly waits for it."""
    found = devices(base, other)
    if name != DEVICE or found is None:
        return False
    return differs(*map(requests, found)) or differs(*map(_merged, found))


def rates(base: RunResult, other: RunResult) -> Iterator[str]:
    """What comes out of it: calls and bytes a second."""
    found = both(base, other)
    if found is None or not differs(found[0].calls_per_s, found[1].calls_per_s):
        return
    before, after = found
    calls = from_to(
        before.calls_per_s, after.calls_per_s, lambda rate: f"{rate:,.4g}" if rate < 1000 else f"{rate:,.0f}"
    )
    yield f"calls/s {calls}, {before.bytes_per_s / MIB:,.3g} to {after.bytes_per_s / MIB:,.3g} MB/s"


def _opened(before: StreamStats, after: StreamStats) -> Iterator[str]:
    if before.path != after.path:
        yield f"the file is opened {after.path} instead of {before.path}"
    if after.in_flight_most != before.in_flight_most:
        many = from_to(before.in_flight_most, after.in_flight_most)
        yield f"calls in flight {many}"


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
    found, streams = devices(base, other), both(base, other)
    if found is None or streams is None or not all(one.request_bytes for one in found):
        return
    many = requests(found[0]), requests(found[1])
    if not differs(*many):
        return
    each = _each(many[0], streams[0]), _each(many[1], streams[1])
    because = _because(*found, fewer=each[1] < each[0]) if differs(*each, LEAST_MERGED) else ""
    yield f"requests {from_to(*many)}{because}"


def _because(before: DeviceStats, after: DeviceStats, *, fewer: bool) -> str:
    """Why a call makes more or fewer requests, as far as both results show it."""
    largest = show_bytes(max(before.request_bytes)), show_bytes(max(after.request_bytes))
    merged = _merged(before), _merged(after)
    if fewer and merged[1] > merged[0]:
        return f" because {count(merged[1])} bios were merged, up to {largest[1]}"
    if not fewer and merged[0] > merged[1]:
        still = f"only {count(merged[1])} bios are merged" if merged[1] else "nothing is merged"
        return f" because {still} instead of {count(merged[0])} bios, up to {largest[0]}"
    means = before.average_request_bytes, after.average_request_bytes
    if differs(*means) and fewer == (means[1] > means[0]):
        grew = "grew" if fewer else "shrank"
        return f" because the mean request {grew} from {show_bytes(round(means[0]))} to {show_bytes(round(means[1]))}"
    return ""


def _waits(change: Change, base: RunResult, other: RunResult) -> str:
    """What a call waits for the device, and what that comes to."""
    told = effect(change.change_s)
    call = _call(other)
    if abs(change.change_s) < NOTHING_S:
        return f"{DEVICE} takes as long as before"
    if not change.after_s:
        return f"no {call} waits for the device any more, which {told}"
    each = _wait_s(base), _wait_s(other)
    if each[1] is None or (change.before_s and each[0] is None):
        return f"{DEVICE} {takes(change)}, which {told}"
    if each[0] is None:
        return f"each {call} waits {show_seconds(each[1])} for the device, which {told}"
    if not differs(each[0], each[1]):
        return f"each {call} waits {show_seconds(each[1])} for the device as before, which {told}"
    less = "less" if each[1] < each[0] else "more"
    return (
        f"each {call} waits {show_seconds(abs(each[1] - each[0]))} {less} for the device "
        f"({show_seconds(each[1])} instead of {show_seconds(each[0])}), which {told}"
    )


def _call(result: RunResult) -> str:
    return DOES.get(result.streams[0].kind, "call") if result.streams else "call"


def _wait_s(result: RunResult) -> float | None:
    """The mean wait of a call; None where calls do not wait once each."""
    waited = result.time.wait.get(DEVICE)
    if waited is None or not waited.waits or not result.streams:
        return None
    often = result.streams[0].calls / waited.waits
    once = not differs(often, round(often)) and often >= 1  # waits are those of one user, calls those of all
    return waited.total_s / waited.waits if once else None


def requests(device: DeviceStats) -> float:
    """Requests that the device got."""
    return sum(device.request_bytes.values())


def _merged(device: DeviceStats) -> float:
    return device.merged_reads + device.merged_writes


def _each(whole: float, stream: StreamStats) -> float:
    return whole / stream.calls if stream.calls else 0.0
