"""The latency of an unloaded device and the limit that binds, from waits of sessions and from iostat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import log
from typing import Final

from blocktime.model.causes import LOG_FILE_SYNC, PARALLEL, SCATTERED, SEQUENTIAL
from blocktime.model.laws.commit import log_write_bytes
from blocktime.model.laws.opened_files import WITHOUT_FILESYSTEM
from blocktime.model.laws.parallel_reads import slowest_service
from blocktime.model.units import show_bytes, show_number, show_seconds, show_share
from blocktime.validation.identify.report import Report, reads_at_once
from blocktime.validation.instruments import Reading

LOG_BUFFER: Final = "log buffer space"
LOG_WRITE: Final = "log file parallel write"
LGWR_WRITES: Final = f"Wait Events: background: {LOG_WRITE}"
LGWR_MEAN: Final = f"{LOG_WRITE}, or log file sync: mean"
FASTEST: Final = 0.1
"""Share of the reads that count as the fastest: they met no queue."""
MOST: Final = 0.5
"""Share of the reads in one bucket from which on their mean is known better than where in it the fastest lie."""
QUEUES: Final = 2.0
"""A mean so many times the fastest reads tells of a queue."""
LEAST_UNDER_WAY: Final = 4.0
"""Reads under way on average without which no limit can bind."""
DBWR_REQUESTS: Final = 64
"""Requests that DBWR has under way at most, as ``instance.db_writer_requests`` has it where nothing is said."""
LEAST_WAITS: Final = 100
"""Waits for several reads below which their mean tells little: by chance it is a tenth off."""
LEAST_BUCKETS: Final = 2
MOST_VARIES: Final = 3.0
HALVINGS: Final = 20
EXAMPLE_PER_S: Final = 16_000
"""IOPS of a volume, of which a sentence tells the database's part."""
SAME: Final = 0.1
"""Two devices' reads a second differ by less where they are the same reads."""
UNIT_S: Final = {"us": 1e-6, "u": 1e-6, "": 1e-6, "ms": 1e-3, "m": 1e-3, "s": 1.0}
BELOW: Final = re.compile(r"% of waits <(?:=)?(?:1/)?([0-9]+)(us|u|ms|m|s|)$")


@dataclass(slots=True)
class DeviceLimit:
    """What a device takes for a lone read, and the requests a second at which it ends for the database."""

    read_s: float
    read_source: str
    """Empty where nothing was read and *read_s* is assumed."""
    write_s: float | None = None
    """Mean write of LGWR, or the longest that DBWR can have waited for one."""
    write_source: str = ""
    write_bytes: float = 0.0
    """Of such a write, whose transfer is part of its time."""
    per_s: float | None = None
    source: str = ""
    share: float = 1.0
    """Of the device's requests, those of the database."""
    redo_bytes_per_s: float | None = None
    """Redo that LGWR writes a second at most."""
    redo_source: str = ""
    log_varies: float | None = None
    """Coefficient of variation of LGWR's writes; None where nothing tells."""
    says: list[str] = field(default_factory=list)
    varies: float = 0.0
    """Coefficient of variation of a read that meets no queue."""
    varies_source: str = ""
    """Empty where nothing tells."""


def limit_of(report: Report, readings: Sequence[Reading]) -> DeviceLimit:
    """The data device of *report*: fastest reads, how they vary, and its limit where reads wait in a queue."""
    limit = _limit_of(report, readings)
    limit.varies, limit.varies_source = varies_of(report, queues=limit.per_s is not None)
    if limit.write_source == LGWR_MEAN:
        limit.write_bytes = log_write_bytes_of(report)
    if limit.write_source == LGWR_MEAN and limit.redo_bytes_per_s is None:
        limit.log_varies = variation(histogram(report, LOG_WRITE)) or None
    return limit


def varies_of(report: Report, *, queues: bool) -> tuple[float, str]:
    """Coefficient of variation of a read that meets no queue, and what tells.

    Where reads do not queue, who waits for the last of N waits longer than who waits for one: the ratio of the two
    events tells, as reads of one wait may be slow together. Without such waits the histogram does. Where reads queue
    only the bucket of the fastest ones tells, and a lower bound.
    """
    waits = {event.name: event for event in report.events()}
    single, several, at_once = waits.get(SEQUENTIAL), waits.get(PARALLEL), reads_at_once(report)
    shares = histogram(report, SEQUENTIAL)
    if not queues and single and several and at_once and single.each_s and several.waits >= LEAST_WAITS:
        ratio = several.each_s / single.each_s
        varies = variation_of_slowest(round(at_once), ratio)
        last = f"the last of {show_number(at_once, 3)} reads"
        return varies, f"{PARALLEL} takes {show_number(ratio, 3)} times {SEQUENTIAL}, {last}"
    if queues:
        first = next((number for number, (_, share) in enumerate(shares) if share >= FASTEST), None)
        if first is None or shares[first][1] - (shares[first - 1][1] if first else 0.0) < MOST:
            return 0.0, ""
        below_s = shares[first - 1][0] if first else shares[first][0] / 2
        shares = [(below_s, 0.0), (shares[first][0], 1.0)]
        fastest = f"the bucket of the fastest {show_share(FASTEST)} of {SEQUENTIAL}"
        return variation(shares), f"wait event histogram: {fastest}"
    return variation(shares), f"wait event histogram of {SEQUENTIAL}" if variation(shares) else ""


def variation(shares: Sequence[tuple[float, float]]) -> float:
    """Coefficient of variation of waits, even in logarithm within a bucket: mean (b - a)/l, square (b² - a²)/2l.

    l = ln(b/a). 0 where fewer than two buckets hold any: nothing tells where in one they lie.
    """
    if len(shares) < LEAST_BUCKETS:
        return 0.0
    whole = mean = square = below = 0.0
    for below_s, bound_s, share in _buckets(shares):
        inside = max(0.0, share - below)
        span = log(bound_s / below_s)
        whole += inside
        mean += inside * (bound_s - below_s) / span
        square += inside * (bound_s**2 - below_s**2) / (2 * span)
        below = max(below, share)
    return max(0.0, whole * square / mean**2 - 1) ** 0.5 if mean else 0.0


def variation_of_slowest(reads: int, ratio: float) -> float:
    """Variation of services of which the last of so many takes *ratio* times one; 0 where it takes no longer."""
    low, high = 0.0, MOST_VARIES
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if slowest_service(reads, middle) < ratio:
            low = middle
        else:
            high = middle
    return low if ratio > 1 else 0.0


def _limit_of(report: Report, readings: Sequence[Reading]) -> DeviceLimit:
    event = report.event(SEQUENTIAL)
    if event is None or not event.waits:
        return DeviceLimit(1e-4, "", says=["nothing was read: the disk is an assumption"])
    mean_s = event.each_s
    fastest_s = quantile(histogram(report, SEQUENTIAL), FASTEST)
    fastest_s = min(mean_s, fastest_s or mean_s)
    at_once = reads_at_once(report)
    parallel = report.event(PARALLEL) if at_once else None
    under_way = (event.total.value + (at_once * parallel.total.value if parallel else 0.0)) / report.span_s
    writes_s, writes_source = write_s_of(report)
    pace = log_pace(report)
    if pace is not None:
        return _limit_of_log(pace, mean_s, writes_s, writes_source)
    if mean_s < QUEUES * fastest_s or under_way < LEAST_UNDER_WAY:
        return DeviceLimit(
            mean_s,
            f"{SEQUENTIAL}: mean of {show_seconds(mean_s)} with {show_number(under_way, 3)} under way",
            writes_s,
            writes_source,
            says=[_unknown(under_way, latency_known=bool(histogram(report, SEQUENTIAL)))],
        )
    place = f"wait event histogram: the fastest {show_share(FASTEST)} of {SEQUENTIAL} take less"
    alone_s = undelayed_s(histogram(report, SEQUENTIAL), mean_s)
    if alone_s is not None:
        place = f"wait event histogram: mean of the {SEQUENTIAL} in the bucket of the fastest {show_share(FASTEST)}"
    limit = DeviceLimit(alone_s or fastest_s, place, writes_s, writes_source)
    reads_per_s = sum(event.waits for event in report.events() if event.name in (SEQUENTIAL, SCATTERED)) / report.span_s
    reads_per_s += at_once * parallel.waits / report.span_s if parallel else 0.0
    _set_rate(limit, report, readings, reads_per_s, mean_s / fastest_s)
    return limit


def _limit_of_log(pace: RedoPace, mean_s: float, writes_s: float | None, writes_source: str) -> DeviceLimit:
    """What is known of the disks where sessions wait for room in the log buffer."""
    return DeviceLimit(
        mean_s, f"{SEQUENTIAL}: mean of {show_seconds(mean_s)} while sessions wait for the log",
        writes_s, writes_source,
        redo_bytes_per_s=pace.bytes_per_s,
        redo_source=f"redo size a second, while {show_share(pace.share)} of DB time waits for {LOG_BUFFER}",
        says=[
            f"LGWR writes {show_share(pace.busy)} of the time, and {show_share(pace.share)} of DB time waits for "
            f"{LOG_BUFFER}: redo ends at the {show_bytes(pace.bytes_per_s)} a second that it got; no limit of the data "
            "disk shows beside it"
        ],
    )  # fmt: skip


def _set_rate(
    limit: DeviceLimit, report: Report, readings: Sequence[Reading], reads_per_s: float, slower: float
) -> None:
    """What the disk served at its limit, where a read takes so many times the fastest; and the database's share."""
    reads = report.per_second("Read IO requests", "Physical read")
    writes, blocks = report.per_second("Write IO requests"), report.per_second("Physical write")
    requests = writes.value if writes else blocks.value if blocks else 0.0
    used_per_s = reads_per_s + requests
    limit.per_s = reads_per_s + max(requests, blocks.value if blocks else 0.0)
    limit.source = f"reads and written blocks a second, while a read takes {slower:.1f} times the fastest"
    busiest = _same_device(readings, reads.value if reads else 0.0)
    if busiest is not None:
        name, file, all_per_s = busiest
        limit.share = min(1.0, used_per_s / all_per_s)
        limit.says.append(
            f"in {file} {name} did {all_per_s:,.0f} IOPS, {all_per_s - used_per_s:,.0f} of them for others: another "
            f"volume by name (disk.use) gives this database {limit.share:.2f} of its limits, as {EXAMPLE_PER_S:,} → "
            f"{limit.share * EXAMPLE_PER_S:,.0f}"
        )


def _unknown(under_way: float, *, latency_known: bool) -> str:
    """Why no limit shows: reads do not queue, or nothing has *latency_known* what a lone one takes."""
    if latency_known or under_way < LEAST_UNDER_WAY:
        why = "reads hardly queue, so no limit of the disk shows: its limit"
    else:
        why = (
            f"{show_number(under_way, 3)} reads are under way on average, and without a wait event histogram nothing "
            "tells what a lone read takes; the report of a quieter hour beside this one would: whether they queue, "
            "and where the disk ends,"
        )
    return f"{why} is not known, and the model takes the disk as unlimited under more load"


@dataclass(frozen=True, slots=True)
class RedoPace:
    """What LGWR does where sessions wait for room in the log buffer."""

    busy: float
    """Share of the time in which it writes."""
    bytes_per_s: float
    """Of redo."""
    share: float
    """Of DB time that waits for it."""


def log_pace(report: Report) -> RedoPace | None:
    """LGWR's pace, where more than a tenth of DB time waits for room in the log buffer; None elsewhere.

    The buffer is full because redo comes faster than LGWR writes: what it wrote is all that it can, with the switches
    of log files in between.
    """
    db_time = report.time("DB time")
    full_s = sum(event.total.value for event in report.events() if event.name == LOG_BUFFER)
    redo = report.per_second("Redo size")
    total = report.named(LGWR_WRITES, "Total Wait Time (s)")
    if not (db_time and redo and total) or full_s <= FASTEST * db_time.value or not total.value:
        return None
    return RedoPace(min(1.0, total.value / report.span_s), redo.value, full_s / db_time.value)


def dbwr_requests(report: Report) -> int:
    """Writes that DBWR has under way at most: one of each process where it waits for each [oracle-reference]."""
    lie_on = report.reading.host.files
    if lie_on is None or lie_on in WITHOUT_FILESYSTEM:
        return DBWR_REQUESTS
    options = (report.setting("filesystemio_options") or "").lower()
    return DBWR_REQUESTS if options == "setall" else report.writer_processes() or DBWR_REQUESTS


def write_s_of(report: Report) -> tuple[float | None, str]:
    """Mean time of LGWR's writes, or where a report has none the longer one of commits, and where it is from.

    DBWR wrote its blocks a second with so many requests under way at most: by Little's law a write took no longer than
    these over the blocks. Where LGWR's take longer, they are of another disk, and DBWR had as much to do as leaves it
    half of its time. None without commits.
    """
    waits, total = report.named(LGWR_WRITES, "Waits"), report.named(LGWR_WRITES, "Total Wait Time (s)")
    commits = report.event(LOG_FILE_SYNC)
    write_s = (commits.each_s if commits else None) or None
    source = LGWR_MEAN
    if waits and total and waits.value and total.value:
        write_s = total.value / waits.value
    written = report.per_second("Physical write")
    if write_s is None or not written or not written.value:
        return write_s, source
    requests = dbwr_requests(report)
    most_s = requests / written.value / 2
    if write_s <= 2 * most_s:
        return write_s, source
    return most_s, (
        f"DBWR, half of the time with {requests} requests under way, writes {written.value:,.0f} blocks a second; "
        f"LGWR's writes take {show_seconds(write_s)} on a disk of their own"
    )


def log_write_bytes_of(report: Report) -> float:
    """Mean bytes of LGWR's writes; of a commit where they are not counted, 0 where no redo is."""
    redo, waits = report.per_second("Redo size"), report.named(LGWR_WRITES, "Waits")
    commits = report.event(LOG_FILE_SYNC)
    count = waits.value if waits else commits.waits if commits else 0.0
    return float(log_write_bytes(redo.value * report.span_s / count)) if redo and count else 0.0


def _same_device(readings: Sequence[Reading], reads_per_s: float) -> tuple[str, str, float] | None:
    """The device of an iostat whose reads a second are those of the report: name, file, requests a second."""
    for reading in readings:
        if reading.format != "iostat":
            continue
        for series in reading.series:
            columns = {column.name: values for column, values in series.by_column(reading.first_sample)}
            if "r/s" not in columns or "w/s" not in columns:
                continue
            count = max(1, len(columns["r/s"]))
            reads, writes = sum(columns["r/s"]) / count, sum(columns["w/s"]) / count
            if reads_per_s and abs(reads / reads_per_s - 1) < SAME:
                return series.of, reading.file, reads + writes
    return None


def histogram(report: Report, event: str) -> list[tuple[float, float]]:
    """Share of the waits below each bound in seconds, from the event's main histogram."""
    part = f"Wait Event Histogram: {event}"
    figures = [figure for figure in report.reading.figures if figure.of == part and BELOW.match(figure.name)]
    if not figures:
        return []
    # A report has up to three parts, each of all waits: the next one splits the last bucket of the one before.
    by_line: dict[int, list[tuple[float, float]]] = {}
    for figure in figures:
        by_line.setdefault(figure.line, []).append((_bound_s(figure.name), figure.value))
    shares: list[tuple[float, float]] = []
    for line in sorted(by_line):
        bounds_s, inside = zip(*sorted(by_line[line]), strict=True)
        shares = [bucket for bucket in shares if bucket[0] < bounds_s[0]]
        shares += zip(bounds_s, accumulate(inside), strict=True)
    return shares


def _bound_s(name: str) -> float:
    number, unit = BELOW.match(name).groups()  # type: ignore[union-attr]
    return (1 / float(number) if "1/" in name else float(number)) * UNIT_S[unit]


def undelayed_s(shares: Sequence[tuple[float, float]], mean_s: float) -> float | None:
    """Mean of the reads in the bucket of the fastest ones, where most reads lie there; None elsewhere.

    What the overall mean leaves once slower reads are taken off, each at the mean of its bucket, even in logarithm:
    (b - a)/ln(b/a). Reads that a limit holds back take far longer than the others, which met nobody.
    """
    below, bucket_s, rest_s = 0.0, None, mean_s
    for below_s, bound_s, share in _buckets(shares):
        inside = share - below
        if bucket_s is None and share >= FASTEST:
            if inside < MOST or not below_s < bound_s:
                return None
            bucket_s = below_s, bound_s, share
        elif bucket_s is not None and inside > 0:
            rest_s -= inside * (bound_s - below_s) / log(bound_s / below_s)
        below = share
    if bucket_s is None:
        return None
    low_s, high_s, share = bucket_s
    return min(high_s, mean_s, max(low_s, rest_s / share))


def quantile(shares: Sequence[tuple[float, float]], wanted: float) -> float | None:
    """Seconds below which the share *wanted* of the waits lies, even in logarithm within a bucket; None without any."""
    below = 0.0
    for below_s, bound_s, share in _buckets(shares):
        if share >= wanted:
            inside = (wanted - below) / (share - below) if share > below else 1.0
            return float(below_s * (bound_s / below_s) ** inside)
        below = share
    return None


def _buckets(shares: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float, float]]:
    """Both ends of each bucket, the first of which reaches down to half of its bound, and the share below the upper."""
    for rank, (bound_s, share) in enumerate(shares):
        yield (shares[rank - 1][0] if rank else bound_s / 2), bound_s, share
