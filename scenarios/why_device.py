"""What the device says of a difference: await, the queue, and how busy it is."""

from __future__ import annotations

from typing import Any, NamedTuple

from blocktime.model.catalog import KINDS
from blocktime.model.demand.host_limits import host_limits_used
from blocktime.model.laws.iostat_columns import columns_of
from blocktime.model.laws.volume_limits import counted_requests
from blocktime.model.results import DeviceStats, RunResult
from blocktime.model.spec import Disk
from blocktime.model.units import show_bytes, show_data, show_number, show_seconds, show_share, unit_of
from blocktime.scenarios.profiles import entries_of
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.why_words import differs, from_to, listed, plural


class ScenarioPair(NamedTuple):
    """The scenarios of two answers, where they are at hand."""

    base: Scenario
    other: Scenario
    by: str = ""
    """The cause of the part that is told, in words, where several fields changed; it is told before the part."""
    alone: RunResult | None = None
    """The answer where that cause alone is changed."""


BUSY_CHANGE = 0.1
BINDING = 0.9
"""Share of a limit from which on it binds."""
LEAST_AWAIT_CHANGE = 0.05
MOST_FIELDS = 3
"""Differences of two disks that are named one by one; with more it is another disk."""


def devices(base: RunResult, other: RunResult) -> tuple[DeviceStats, DeviceStats] | None:
    """The device of either answer; None where one of them has none, or several."""
    if len(base.device) != 1 or len(other.device) != 1:
        return None
    (before,), (after,) = base.device.values(), other.device.values()
    return before, after


def requests(device: DeviceStats) -> float:
    """Requests that the device got for data; a cache flush has none."""
    return sum(count for size, count in device.request_bytes.items() if size)


def flushes(device: DeviceStats) -> float:
    """Cache flushes that the device got: requests without data."""
    return device.request_bytes.get(0, 0.0)


def mean_request_bytes(device: DeviceStats) -> float:
    """The mean size of the requests for data."""
    count = requests(device)
    return sum(size * often for size, often in device.request_bytes.items()) / count if count else 0.0


def another_disk(pair: ScenarioPair | None) -> str:
    """What was set otherwise of the disk; empty where nothing was, or nobody says."""
    if pair is None or pair.by:
        return ""
    disks = pair.base.system.disk, pair.other.system.disk
    moved = [name for name in Disk.model_fields if getattr(disks[0], name) != getattr(disks[1], name)]
    if not moved:
        return ""
    names = entry_of(pair.base, "disk"), entry_of(pair.other, "disk")
    if all(names):
        return f"the disk is {names[1]} instead of {names[0]}"
    now, then = (described(scenario, "disk") for scenario in (pair.base, pair.other))
    if len(moved) > MOST_FIELDS and now != then:
        return f"the disk is {then} instead of {now}"
    named = [_set_otherwise(name, *disks) for name in moved[:MOST_FIELDS]]
    others = [f"{plural(len(moved) - MOST_FIELDS, 'other field')} of the disk"] if len(moved) > MOST_FIELDS else []
    return f"with {listed([*named, *others])}"


def entry_of(scenario: Scenario, kind: str) -> str:
    """The catalog's or the file's entry that the section of *kind* equals; empty where it equals none."""
    name, fields = _nearest_entry(scenario, kind)
    return "" if fields else name


def described(scenario: Scenario, kind: str) -> str:
    """The section of *kind* as the nearest entry, with what is set otherwise where that is little."""
    name, fields = _nearest_entry(scenario, kind)
    if len(fields) > MOST_FIELDS:
        return "the scenario's own"
    return f"{name} ({', '.join(fields)})" if fields else name


def _nearest_entry(scenario: Scenario, kind: str) -> tuple[str, list[str]]:
    """The entry that the section of *kind* differs from in the fewest fields, and these fields with their values.

    What the entry of a disk leaves out has its default; a host's leaves out what a scenario says of the machine.
    """
    section: Any = scenario.system
    for part in KINDS[kind].split("."):
        section = getattr(section, part)
    usual = {name: field.default for name, field in Disk.model_fields.items()} if kind == "disk" else {}
    candidates = []
    for name, entry in entries_of(scenario, kind).items():
        values = usual | entry.values()
        moved = [field for field, value in values.items() if getattr(section, field) != value]
        candidates.append((len(moved), -len(values), name, moved))
    _, _, name, moved = min(candidates)
    return name, [f"{field} {value_in_words(field, getattr(section, field))}" for field in moved]


def _set_otherwise(name: str, before: Disk, after: Disk) -> str:
    values = [value_in_words(name, getattr(disk, name)) for disk in (after, before)]
    return f"disk.{name} {values[0]} instead of {values[1]}"


def value_in_words(path: str, value: object) -> str:
    """The value of the field at *path*, with its unit."""
    unit = unit_of(path)
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return value
    if not isinstance(value, int | float):
        return "another"
    if unit == "s":
        return show_seconds(value)
    return show_bytes(value) + unit.removeprefix("bytes") if unit.startswith("bytes") else show_number(value)


def limit(pair: ScenarioPair | None, other: RunResult) -> str:
    """The limit of a volume that holds its requests back, and how far the other one is used; empty where none does."""
    device, disk = other.device.get("disk"), pair[1].system.disk if pair else None
    if device is None or disk is None:
        return ""
    requests_per_s = device.reads_per_s + device.writes_per_s
    used = {}
    if disk.throughput_limit_bytes_per_s is not None:
        moved = device.read_bytes_per_s + device.written_bytes_per_s
        most_bytes_per_s = disk.raid_disks * disk.throughput_limit_bytes_per_s
        used[f"the limit of {show_data(most_bytes_per_s)}/s"] = moved / most_bytes_per_s
    if disk.iops_limit is not None:
        counted = requests_per_s * counted_requests(disk, device.average_request_bytes)
        most_per_s = disk.raid_disks * disk.iops_limit
        used[f"the limit of {most_per_s:,.0f} IOPS"] = counted / most_per_s
    if pair is not None:
        used |= host_limits_used(pair[1].system, other)
    most = max(used, key=lambda name: used[name], default="")
    if not most or used[most] < BINDING:
        return ""
    rest = [
        f"{name.removeprefix('the ')} is {show_share(share, 0 if share >= 0.1 else 1)} used"
        for name, share in used.items()
        if name != most
    ]
    return f"{most} binds{f' while the {rest[0]}' if rest else ''}"


def queue_column(result: RunResult) -> str:
    """What iostat calls the queue under the kernel of *result*."""
    return "aqu-sz" if "aqu-sz" in columns_of(result.kernel) else "avgqu-sz"


def awaited(base: RunResult, other: RunResult, scenarios: ScenarioPair | None = None, *, queue: bool = False) -> str:
    """The time of a request, where that changed, with the queue if *queue*; empty where it did not."""
    pair = devices(base, other)
    if pair is None:
        return ""
    before_s, after_s = pair[0].await_s, pair[1].await_s
    if before_s is None or after_s is None or not differs(before_s, after_s, LEAST_AWAIT_CHANGE):
        return ""
    change = from_to(before_s, after_s, show_seconds)
    lengths = pair[0].average_queue or 0.0, pair[1].average_queue or 0.0
    parts = (
        [f"{queue_column(other)} from {show_number(lengths[0], 3)} to {show_number(lengths[1], 3)}"]
        if queue and differs(*lengths, 0.5)
        else []
    )
    binds = limit(scenarios, other) if after_s > before_s else ""
    return f"await of a request {change}{_bracketed([*parts, *_used(*pair)])}{f': {binds}' if binds else ''}"


def busy(base: RunResult, other: RunResult) -> str:
    """How busy the device is on either side, where that moved."""
    pair = devices(base, other)
    return _bracketed(_used(*pair)) if pair else ""


def _used(before: DeviceStats, after: DeviceStats) -> list[str]:
    used = before.utilisation_fraction, after.utilisation_fraction
    moved = abs(used[1] - used[0]) >= BUSY_CHANGE
    return [f"%util from {100 * used[0]:.0f} to {100 * used[1]:.0f} %"] if moved else []


def _bracketed(parts: list[str]) -> str:
    return f" ({', '.join(parts)})" if parts else ""
