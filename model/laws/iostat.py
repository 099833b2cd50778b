"""iostat's arithmetic over a span of time, as its manual says [sysstat-iostat]; numbers or arrays."""

from __future__ import annotations

from typing import NamedTuple

from model.laws.numeric import Number, over, smaller


class DeviceSums(NamedTuple):
    """What a device did within a span; pairs are of reads and of writes."""

    requests: tuple[Number, Number]
    merges: tuple[Number, Number]
    moved_bytes: tuple[Number, Number]
    ticks_s: Number
    """Time of the requests that ended, from queue to end."""
    busy_s: Number
    """Time with a request under way."""


def quantities(sums: DeviceSums, span_s: Number) -> dict[str, Number]:
    """iostat's columns: counts and bytes over the span, bytes and times over the requests [sysstat-iostat].

    ``avgqu-sz`` is the time of the requests over the span, ``await`` that time over their number, ``%util`` the time
    with a request under way over the span, ``svctm`` that time over the requests.
    """
    reads, writes = sums.requests
    merged_reads, merged_writes = sums.merges
    read_bytes, written_bytes = sums.moved_bytes
    requests, busy_s = reads + writes, smaller(span_s, sums.busy_s)
    return {
        "merged_reads_per_s": over(merged_reads, span_s),
        "merged_writes_per_s": over(merged_writes, span_s),
        "reads_per_s": over(reads, span_s),
        "writes_per_s": over(writes, span_s),
        "read_bytes_per_s": over(read_bytes, span_s),
        "written_bytes_per_s": over(written_bytes, span_s),
        "average_request_bytes": over(read_bytes + written_bytes, requests),
        "average_queue": over(sums.ticks_s, span_s),
        "await_s": over(sums.ticks_s, requests),
        "service_s": over(busy_s, requests),
        "utilisation_fraction": over(busy_s, span_s),
    }
