"""Devices as ``iostat -x`` prints them: one line an interval and one for the whole run, and the sizes of requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan, nan
from typing import Final, NamedTuple

from click import style

from blocktime.app.base.lines import wrapped
from blocktime.app.text.iostat_pick import spans
from blocktime.app.text.section import Bar, CellTable, Section
from blocktime.model.laws import iostat_columns
from blocktime.model.results import DeviceLine, DeviceStats, RunResult
from blocktime.model.units import show_bytes
from blocktime.scenarios.why_device import flushes
from blocktime.scenarios.why_words import listed, plural

SECTOR_BYTES: Final = 512
KB: Final = 1024
LABEL: Final = 10
MOST_LINES: Final = 16
MOST_ON_A_PAGE: Final = 300
ALL_OF_THEM: Final = "--json or a longer iostat.interval_s shows all"
MOST_SIZES: Final = 16
FLUSH: Final = "cache flush"
"""A request without data: the device is to empty its write cache."""

Measured = DeviceStats | DeviceLine

# iostat's column -> the room it takes with its blank, and what it prints: sectors, kB, ms and percent.
COLUMNS: Final[dict[str, tuple[int, Callable[[Measured], float]]]] = {
    "rrqm/s": (7, lambda d: d.merged_reads_per_s),
    "wrqm/s": (7, lambda d: d.merged_writes_per_s),
    "r/s": (6, lambda d: d.reads_per_s),
    "w/s": (6, lambda d: d.writes_per_s),
    "rsec/s": (8, lambda d: d.read_bytes_per_s / SECTOR_BYTES),
    "wsec/s": (8, lambda d: d.written_bytes_per_s / SECTOR_BYTES),
    "rkB/s": (9, lambda d: d.read_bytes_per_s / KB),
    "wkB/s": (9, lambda d: d.written_bytes_per_s / KB),
    "avgrq-sz": (9, lambda d: d.average_request_bytes / SECTOR_BYTES),
    "avgqu-sz": (9, lambda d: nan if d.average_queue is None else d.average_queue),
    "aqu-sz": (8, lambda d: nan if d.average_queue is None else d.average_queue),
    "await": (8, lambda d: _milliseconds(d.await_s)),
    "r_await": (8, lambda d: _milliseconds(d.read_await_s)),
    "w_await": (8, lambda d: _milliseconds(d.write_await_s)),
    "rareq-sz": (9, lambda d: d.average_read_bytes / KB),
    "wareq-sz": (9, lambda d: d.average_write_bytes / KB),
    "%rrqm": (7, lambda d: 100 * d.reads_merged_fraction),
    "%wrqm": (7, lambda d: 100 * d.writes_merged_fraction),
    "f/s": (8, lambda d: d.flushes_per_s),
    "f_await": (8, lambda d: _milliseconds(d.flush_await_s)),
    "svctm": (7, lambda d: 1000 * d.service_s),
    "%util": (7, lambda d: 100 * d.utilisation_fraction),
    **{name: (len(name) + 1, lambda _: 0.0) for name in iostat_columns.DISCARDS.split()},
}
ALWAYS: Final = frozenset({"avgrq-sz", "avgqu-sz", "aqu-sz", "await", "svctm", "%util"})
"""Columns that stand in a narrow terminal, too, where every line has zeros."""
GIVE_WAY: Final = (
    "rsec/s", "wsec/s", "svctm", "%rrqm", "%wrqm", "rrqm/s", "wrqm/s", "avgrq-sz", "f_await", "f/s", "rareq-sz",
    "wareq-sz", "rkB/s", "wkB/s",
)  # fmt: skip
"""Columns that a narrow terminal has no room for, the first to go first."""


class IostatLine(NamedTuple):
    """One line of the table: the device, the seconds it covers, and what was measured; None for lines left out."""

    device: str
    seconds: str
    measured: Measured | None


def device_section(result: RunResult, width: int = 80, most: int = MOST_LINES) -> Section:
    """Each device in the columns of ``iostat -x``; some give way in a narrow terminal, and lines beyond *most*."""
    return Section("Device", [*_device_lines(result, width, most)])


def _device_lines(result: RunResult, width: int, most: int) -> Iterator[str]:
    rows = [line for name, stats in result.device.items() for line in lines_of(name, stats, most)]
    if not rows:
        return
    timed = any(stats.lines for stats in result.device.values())
    label = max(LABEL, *(len(row.device) + 1 for row in rows))
    known = [row for row in rows if row.measured is not None]
    spans = max(9, *(len(row.seconds) + 1 for row in known)) if timed else 0
    printed = columns_of(result)
    columns, absent = _columns(printed, [row.measured for row in known if row.measured], width - label - spans)
    names = "".join(f"{name:>{room}}" for name, room in columns.items())
    yield f"{device_head(printed):<{label}}{names}" + (f"{'seconds':>{spans}}" if timed else "")
    for row in rows:
        if row.measured is None:
            yield style(f"{'':<{label}}{row.seconds}", dim=True)
            continue
        values = {name: value_of(name, row.measured) for name in columns}
        cells = {name: "-" if isnan(value) else f"{value:.2f}" for name, value in values.items()}
        numbers = "".join(f"{cells[name]:>{room}}" for name, room in columns.items())
        yield f"{row.device:<{label}}{numbers}" + (f"{row.seconds:>{spans}}" if timed else "")
    if absent:
        yield from wrapped(f"a wider terminal shows {listed(absent)}", width, first=" " * label)


def value_of(name: str, measured: Measured) -> float:
    """The number that iostat prints in the column *name*."""
    return COLUMNS[name][1](measured)


def _milliseconds(seconds: float | None) -> float:
    return nan if seconds is None else 1000 * seconds


def device_head(printed: Sequence[str]) -> str:
    """The head of the first column: with a colon before sysstat 11.5.7."""
    return "Device:" if "avgqu-sz" in printed else "Device"


def lines_of(name: str, stats: DeviceStats, most: int = MOST_LINES) -> list[IostatLine]:
    """The lines of one device, of a long run those that say most; then the whole run."""
    rows: list[IostatLine] = []
    hint = f"; {ALL_OF_THEM}"
    for first, end, is_listed in spans(stats.lines, most):
        device_line = stats.lines[first]
        if is_listed and end == first + 1:
            rows.append(IostatLine(name, span_of(device_line), device_line))
        elif is_listed:
            last = stats.lines[end - 1]
            until = last.begin_s + last.interval_s
            rows.append(
                IostatLine("", f"… {end - first:,} idle intervals, {device_line.begin_s:.10g}-{until:.10g}", None)
            )
        else:
            rows.append(IostatLine("", f"… {plural(end - first, 'line')} left out{hint}", None))
            hint = ""
    return [*rows, IostatLine(name, "all", stats)]


def span_of(line: DeviceLine) -> str:
    """The seconds that a line covers, from the begin of the workload."""
    return f"{line.begin_s:.10g}-{line.begin_s + line.interval_s:.10g}"


def columns_of(result: RunResult) -> list[str]:
    """The columns that iostat prints under the kernel of an answer; where it is not known, the oldest."""
    return iostat_columns.columns_of(result.kernel)


def _columns(printed: Sequence[str], measured: Sequence[Measured], room: int) -> tuple[dict[str, int], list[str]]:
    """The *printed* columns with their widths, and those that say something but found no room."""
    widths = {
        name: max(COLUMNS[name][0], 1 + max(len(f"{value_of(name, line):.2f}") for line in measured))
        for name in printed
    }
    if sum(widths.values()) > room:
        idle = {name for name in printed if not any(value_of(name, line) for line in measured)}
        widths = {name: room for name, room in widths.items() if name in ALWAYS or name not in idle}
    absent: list[str] = []
    for name in GIVE_WAY:
        if name in widths and sum(widths.values()) > room:
            del widths[name]
            absent.append(name)
    return widths, absent


def size_sections(result: RunResult) -> Iterator[Section]:
    """Requests at each device by their size, and how many bios joined a waiting one."""
    for name, stats in result.device.items():
        if stats.request_bytes:
            requests, size = sum(stats.request_bytes.values()), _bytes(stats.request_bytes)
            rows, bars = [("size", "requests", "%", "% of bytes")], []
            for band, count, size_sum in by_size(stats.request_bytes):
                share = f"{100 * size_sum / size if size else 0:.1f}"
                rows.append((band, f"{count:,.0f}", f"{100 * count / requests:.1f}", share))
                bars.append(Bar(count / requests))
            table = CellTable(rows, (14, 12, 7, 12), bars=bars)
            yield Section(f"Requests of {name}", [table], lead=[said_of_requests(stats)])


def said_of_requests(stats: DeviceStats) -> str:
    """How many requests, of what sizes, and what was merged into them."""
    sizes = {size: count for size, count in stats.request_bytes.items() if size}
    emptied = flushes(stats)
    first = f"{emptied:,.0f} cache flush{'' if emptied == 1 else 'es'}" if emptied else ""
    late = stats.late_requests
    after = f"; {late:,.0f} of them after the programs ended, which no average counts" if late else ""
    if not sizes:
        return first + after
    least, most = show_bytes(min(sizes)), show_bytes(max(sizes))
    of = (
        f"of {most}"
        if least == most
        else f"of {least} to {most}, {show_bytes(round(_bytes(sizes) / sum(sizes.values())))} on average"
    )
    merged = stats.merged_reads + stats.merged_writes
    joined = "none was merged"
    if merged:
        joined = f"{plural(merged, 'bio')} {'was' if merged == 1 else 'were'} merged into waiting requests"
    return f"{f'{first}, and ' if first else ''}{plural(sum(sizes.values()), 'request')} {of}; {joined}{after}"


def _bytes(sizes: Mapping[int, float]) -> float:
    return sum(size * count for size, count in sizes.items())


def by_size(sizes: Mapping[int, float], most: int = MOST_SIZES) -> list[tuple[str, float, float]]:
    """Name, requests and bytes of each size; of each power of two where there are more than *most* sizes."""
    if len(sizes) <= most:
        return [(show_bytes(size) if size else FLUSH, count, size * count) for size, count in sorted(sizes.items())]
    bands: dict[int, list[float]] = {}
    emptied = sizes.get(0, 0.0)
    for size, count in sorted(sizes.items()):
        if not size:
            continue
        band = bands.setdefault((max(1, size) - 1).bit_length(), [0.0, 0.0])
        band[0] += count
        band[1] += size * count
    return [
        *([(FLUSH, emptied, 0.0)] if emptied else []),
        *(
            (f"{show_bytes(2 ** (power - 1)) if power else '0'}–{show_bytes(2**power)}", count, size_sum)
            for power, (count, size_sum) in bands.items()
        ),
    ]
