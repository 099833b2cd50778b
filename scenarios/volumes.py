"""Volumes of a cloud: their limits by size, and another volume by name for a measured system.

Such a system keeps its measured times and its share of the limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from blocktime.model.errors import SpecError, quote
from blocktime.model.units import GIB, MIB, parse_bytes, show_data, show_share

LIMITS: Final[Mapping[str, Callable[[float], str]]] = {
    "iops_limit": lambda per_s: f"{per_s:,.0f}/s",
    "throughput_limit_bytes_per_s": lambda per_s: f"{show_data(per_s)}/s",
}
"""Limit of a volume -> how it is printed."""
MEASURED: Final = (
    "overhead_s",
    "write_overhead_s",
    "service_cv",
    "bandwidth_bytes_per_s",
    "write_bandwidth_bytes_per_s",
    "parallel_requests",
    "queue_depth",
)
"""Fields of the disk that a volume of the same kind keeps: they say how a request fares that no limit holds back."""


def share_of(data: Mapping[str, Any], place: str) -> float:
    """Part of the disk's requests that are the measured database's; 1 where the file does not say."""
    measured = data.get("measured", {})
    share = measured.get("share", 1.0) if isinstance(measured, Mapping) else 1.0
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        raise SpecError(f"{place}: measured.share: got {quote(share)}; allowed is a number above 0 and up to 1")
    return float(share)


def measured_fields(
    data: Mapping[str, Any], place: str, overrides: Sequence[Mapping[str, Any]], disk: Mapping[str, Any]
) -> tuple[dict[str, float], list[str]]:
    """Fields of *disk*, a volume that *overrides* name for a measured system, which keep what was measured; a sentence.

    Its limits are for all programs: the database has its share of them, as measured. A limit that is set stays as set.
    """
    file_disk, changes = data.get("disk", {}), [change.get("disk", {}) for change in overrides]
    named = [rank for rank, change in enumerate(changes) if isinstance(change, Mapping) and "use" in change]
    if not named or not isinstance(file_disk, Mapping) or disk.get("limit_io_bytes") is None:
        return {}, []
    later = {field for change in changes[named[-1] :] if isinstance(change, Mapping) for field in change}
    fields = {field: file_disk[field] for field in MEASURED if field in file_disk and field not in later}
    share, texts = share_of(data, place), []
    for field, show in LIMITS.items():
        if share < 1 and field not in later and disk.get(field) is not None:
            fields[field] = share * float(disk[field])
            texts.append(f"{show(float(disk[field]))} → {show(fields[field])}")
    text = f"{changes[named[-1]]['use']}: a request that does not wait takes as long as measured"
    if texts:
        text += f", and {show_share(share)} of the volume's limits are this database's: {', '.join(texts)}"
    return fields, [text] if fields else []


GP2: Final = "ebs-gp2"
PER_GIB: Final = 3.0
"""Requests a second for each GiB of a gp2 volume, from LEAST_PER_S to MOST_PER_S [aws-ebs]."""
LEAST_PER_S: Final = 100.0
MOST_PER_S: Final = 16_000.0
BURST_PER_S: Final = 3000.0
"""Up to as many while credits last, where the size gives fewer [aws-ebs]."""
SMALL_BYTES: Final = 170 * GIB
"""Up to this size 128 MiB/s, above it 250 MiB/s: between 170 and 334 GiB only while credits last [aws-ebs]."""
SMALL_BYTES_PER_S: Final = 128.0 * MIB
LARGE_BYTES_PER_S: Final = 250.0 * MIB


def gp2_limits(size_bytes: float) -> dict[str, float | None]:
    """Limits of a gp2 volume: requests and bytes a second, and its burst where it has one [aws-ebs]."""
    per_s = min(MOST_PER_S, max(LEAST_PER_S, PER_GIB * size_bytes / GIB))
    limits: dict[str, float | None] = {
        "iops_limit": per_s,
        "throughput_limit_bytes_per_s": SMALL_BYTES_PER_S if size_bytes <= SMALL_BYTES else LARGE_BYTES_PER_S,
    }
    return limits if per_s < BURST_PER_S else limits | {"burst_iops": None, "burst_credits": 0.0}


def limits_by_size(layers: Sequence[Mapping[str, Any]], disk: Mapping[str, Any]) -> dict[str, float | None]:
    """Limits of *disk* by its size where *layers* name a gp2 volume and another size; one that is set stays as set."""
    changes = [layer["disk"] for layer in layers if isinstance(layer.get("disk"), Mapping)]
    last = next((rank for rank in reversed(range(len(changes))) if "use" in changes[rank]), None)
    if last is None or changes[last]["use"] != GP2:
        return {}
    later = {field for change in changes[last:] for field in change}
    size = disk.get("capacity_bytes")
    if "capacity_bytes" not in later or not isinstance(size, str | int | float):
        return {}
    try:
        limits = gp2_limits(parse_bytes(size) if isinstance(size, str) else size)
    except ValueError:  # the field itself says what is wrong
        return {}
    return {field: value for field, value in limits.items() if field not in later}
