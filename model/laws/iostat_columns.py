"""iostat's arithmetic over a span of time and its columns by release [sysstat-iostat, sysstat-changes]."""

from __future__ import annotations

from typing import Final, NamedTuple

from blocktime.model.laws.block_layer import release_of
from blocktime.model.laws.numeric import Number, larger, over, smaller

DISCARDS: Final = "d/s dkB/s drqm/s %drqm d_await dareq-sz"
OF_READS: Final = "r/s rkB/s rrqm/s %rrqm r_await rareq-sz"
OF_WRITES: Final = "w/s wkB/s wrqm/s %wrqm w_await wareq-sz"
REPORTS: Final[tuple[tuple[tuple[int, ...], str], ...]] = (
    ((0,), "rrqm/s wrqm/s r/s w/s rsec/s wsec/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util"),
    ((2, 6, 17), "rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util"),
    ((2, 6, 34), "rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util"),
    ((2, 6, 35), "rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await r_await w_await svctm %util"),
    ((4, 13), "r/s w/s rkB/s wkB/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz svctm %util"),
    ((4, 20), f"{OF_READS} {OF_WRITES} {DISCARDS} aqu-sz %util"),
    ((5, 5), f"{OF_READS} {OF_WRITES} {DISCARDS} f/s f_await aqu-sz %util"),
)
"""First kernel release -> columns of ``iostat -x``: see :func:`columns_of`."""


class DeviceSums(NamedTuple):
    """What a device did within a span; pairs are of reads and of writes."""

    requests: tuple[Number, Number]
    merges: tuple[Number, Number]
    moved_bytes: tuple[Number, Number]
    ticks_s: tuple[Number, Number]
    """Time of the requests that ended, from queue to end; NaN where it is not known."""
    busy_s: Number
    """Time with a request under way."""
    flushes: tuple[Number, Number] = (0.0, 0.0)
    """Cache flushes, which are among the writes, and their time; NaN where that is not known."""


def columns_of(kernel: str | None) -> list[str]:
    """Columns of ``iostat -x`` by kernel: those of the newest sysstat before it [sysstat-changes].

    sysstat 6.1.2 (April 2006, before 2.6.17) prints sectors without kB beside them, 9.1.1 (February 2010, before
    2.6.34) kB alone. 9.1.2 (May 2010, before 2.6.35) adds ``r_await`` and ``w_await``. 11.5.7 (July 2017, before 4.13)
    separates reads and writes in sizes, now in kB, and in merges. 12.1.2 (December 2018, before 4.20) drops ``svctm``
    and adds discards. 12.3.1 (December 2019) adds cache flushes, which kernels count since 5.5. None is the oldest
    kernel.
    """
    release = release_of(kernel) if kernel else (0,)
    return next(names for since, names in reversed(REPORTS) if since <= release).split()


def quantities(sums: DeviceSums, span_s: Number) -> dict[str, Number]:
    """iostat's columns: counts and bytes over the span, bytes and times over the requests [sysstat-iostat].

    ``aqu-sz``, once ``avgqu-sz``, is the time of the requests over the span, ``await`` that time over their number,
    ``r_await`` and ``w_await`` those of reads and of writes, ``%util`` the time with a request in progress over the
    span, ``svctm`` that time over the requests, ``%rrqm`` and ``%wrqm`` the share of the bios that joined a waiting
    request.
    """
    reads, writes = sums.requests
    merged_reads, merged_writes = (larger(0, merged) for merged in sums.merges)
    read_bytes, written_bytes = sums.moved_bytes
    reads_s, writes_s = sums.ticks_s
    flushes, flushes_s = sums.flushes
    requests, busy_s = reads + writes, smaller(span_s, sums.busy_s)
    return {
        "merged_reads_per_s": over(merged_reads, span_s),
        "merged_writes_per_s": over(merged_writes, span_s),
        "reads_per_s": over(reads, span_s),
        "writes_per_s": over(writes, span_s),
        "read_bytes_per_s": over(read_bytes, span_s),
        "written_bytes_per_s": over(written_bytes, span_s),
        "average_request_bytes": over(read_bytes + written_bytes, requests),
        "average_queue": over(reads_s + writes_s, span_s),
        "await_s": over(reads_s + writes_s, requests),
        "service_s": over(busy_s, requests),
        "utilisation_fraction": over(busy_s, span_s),
        "read_await_s": over(reads_s, reads),
        "write_await_s": over(writes_s, writes),
        "average_read_bytes": over(read_bytes, reads),
        "average_write_bytes": over(written_bytes, writes),
        "reads_merged_fraction": over(merged_reads, merged_reads + reads),
        "writes_merged_fraction": over(merged_writes, merged_writes + writes),
        "flushes_per_s": over(flushes, span_s),
        "flush_await_s": over(flushes_s, flushes),
    }
