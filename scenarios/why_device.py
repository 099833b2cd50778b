"""What the device says of a difference: await, the queue, and how busy it is."""

from __future__ import annotations

from model.results import DeviceStats, RunResult
from model.units import show_seconds
from scenarios.why_words import differs, from_to

BUSY_CHANGE = 0.1
LEAST_AWAIT_CHANGE = 0.05


def devices(base: RunResult, other: RunResult) -> tuple[DeviceStats, DeviceStats] | None:
    """The device of either answer; None where one of them has none, or several."""
    if len(base.device) != 1 or len(other.device) != 1:
        return None
    (before,), (after,) = base.device.values(), other.device.values()
    return before, after


def awaited(base: RunResult, other: RunResult, *, queue: bool = False) -> str:
    """The time of a request, where that changed, with the queue if *queue*; empty where it did not."""
    found = devices(base, other)
    if found is None or not differs(found[0].await_s, found[1].await_s, LEAST_AWAIT_CHANGE):
        return ""
    told = from_to(found[0].await_s, found[1].await_s, show_seconds)
    lengths = found[0].average_queue, found[1].average_queue
    parts = (
        [f"avgqu-sz from {lengths[0]:.3g} to {lengths[1]:.3g}"] if queue and differs(*lengths, 0.5) else []
    )
    return f"await of a request {told}{_bracketed([*parts, *_used(*found)])}"


def busy(base: RunResult, other: RunResult) -> str:
    """How busy the device is on either side, where that moved."""
    found = devices(base, other)
    return _bracketed(_used(*found)) if found else ""


def _used(before: DeviceStats, after: DeviceStats) -> list[str]:
    used = before.utilisation_fraction, after.utilisation_fraction
    moved = abs(used[1] - used[0]) >= BUSY_CHANGE
    return [f"%util from {100 * used[0]:.0f} to {100 * used[1]:.0f} %"] if moved else []


def _bracketed(parts: list[str]) -> str:
    return f" ({', '.join(parts)})" if parts else ""
