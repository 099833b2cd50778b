"""What iostat, sar and sadf have in common: the banner, time stamps, columns, series, and their JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from blocktime.validation.instruments.figures import (
    QUOTED_LETTERS,
    Keep,
    NotReadable,
    Reading,
    Series,
    SeriesColumn,
    absurd,
    grain_of,
)
from blocktime.validation.instruments.json_text import JsonNumber, parsed
from blocktime.validation.instruments.opening import OpenedFile

KB: Final = 1024.0
SECTOR_BYTES: Final = 512.0
SYSTEMS: Final = ("Linux ", "AIX ", "SunOS ")
BANNER: Final = re.compile(
    r"(Linux|AIX|SunOS) (\S+) \(([^)]*)\)\s+(\S+)(?:\s+_?(\S+?)_?\s+\(([0-9]{1,6}) CPUs?\))?\s*$"
)
CLOCK: Final = r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?: ?[AP]M)?"
DAY: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[0-9]{2}:){2}[0-9]{2}(?:[-+][0-9]{4}|Z)?"
TIME: Final = re.compile(rf"(?:Time: )?(?:[0-9./-]+ )?{CLOCK}|{DAY}")
FORMS: Final = (
    *(f"{day} {clock}" for clock in ("%I:%M:%S %p", "%H:%M:%S") for day in ("%m/%d/%Y", "%m/%d/%y")),
    "%d.%m.%Y %H:%M:%S",
    "%d/%m/%Y %H:%M:%S",
    "%I:%M:%S %p",
    "%H:%M:%S",
)
MOST_GAPS: Final = 1000
"""Time stamps that the interval is taken from."""
COMMA: Final = re.compile(r"[0-9]+,[0-9]+")
MOST_SERIES: Final = 20_000
"""Devices of a report."""
PROCESSORS: Final = "cpu"
"""What the series of all processors is of."""


def _columns(unit: str, scale: float, *names: str) -> dict[str, SeriesColumn]:
    return {name: SeriesColumn(name, unit, scale) for name in names}


COLUMNS: Final = {
    **_columns("1/s", 1.0, "r/s", "w/s", "d/s", "f/s", "tps", "rqm/s", "rrqm/s", "wrqm/s", "drqm/s"),
    **_columns("bytes/s", KB, "rkB/s", "wkB/s", "dkB/s", "kB/s", "rkB", "wkB", "dkB"),
    **_columns("bytes/s", KB**2, "rMB/s", "wMB/s", "dMB/s", "MB/s"),
    **_columns("bytes/s", SECTOR_BYTES, "rsec/s", "wsec/s", "dsec/s", "rd_sec/s", "wr_sec/s", "dc_sec/s"),
    **_columns("bytes/s", SECTOR_BYTES, "rd_sec", "wr_sec", "dc_sec"),
    **_columns("bytes", SECTOR_BYTES, "avgrq-sz"),
    **_columns("bytes", KB, "rareq-sz", "wareq-sz", "dareq-sz", "areq-sz"),
    **_columns("requests", 1.0, "avgqu-sz", "aqu-sz"),
    **_columns("s", 1e-3, "await", "r_await", "w_await", "d_await", "f_await", "svctm"),
    **_columns("fraction", 0.01, "%util", "%rrqm", "%wrqm", "%drqm", "util-percent"),
}
"""Printed name of a column -> its unit; K, M are powers of 1024 and a sector has 512 bytes [iostat(1), sar(1)]."""
CPU: Final = _columns(
    "fraction", 0.01,
    "%user", "%nice", "%system", "%iowait", "%steal", "%idle", "%usr", "%sys", "%irq", "%soft", "%guest", "%gnice",
    "user", "nice", "system", "iowait", "steal", "idle", "usr", "sys", "irq", "soft", "guest", "gnice",
)  # fmt: skip


def take_banner(line: str, number: int, reading: Reading, keep: Keep) -> None:
    """Kernel, date and processors from the first line; the name of the host where it may be kept."""
    match = BANNER.match(line)
    if match is not None:
        if keep.names:
            reading.name("report", "host", match[3], number)
        reading.host.system = f"{match[1]} {match[2]}"
        reading.host.cpus = int(match[6]) if match[6] else None


class SeriesRows:
    """The series of one report: a row of numbers belongs to what it is of, and to the columns that it has."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._series: dict[tuple[str, tuple[str, ...]], Series] = {}
        self._columns: dict[tuple[bool, tuple[str, ...], tuple[float, ...]], tuple[SeriesColumn, ...]] = {}

    def series(self, of: str, names: tuple[str, ...], printed: Sequence[str] = (), line: int = 0) -> Series:
        """The series of *of* with the columns *names*; a new one has the grain of the row *printed* in *line*.

        One beyond MOST_SERIES belongs to no report.
        """
        series = self._series.get((of, names))
        if series is None:
            grains = tuple(grain_of(cell.rstrip("kKMGTP%")) for cell in printed)
            key = of == PROCESSORS, names, grains
            if key not in self._columns:
                known = CPU if of == PROCESSORS else COLUMNS
                columns = (known.get(name) or known.get(f"%{name}") or SeriesColumn(name, "") for name in names)
                self._columns[key] = tuple(
                    SeriesColumn(name, column.unit, column.scale, grain)
                    for name, column, grain in zip(names, columns, grains, strict=True)
                )
            series = Series(of, self._columns[key])
            if len(self._series) >= MOST_SERIES:
                self._reading.skip(line, f"devices beyond {MOST_SERIES:,}")
                return series
            self._series[of, names] = series
            self._reading.series.append(series)
        return series

    def take_json(self, row: Any, of: str, sample: int) -> None:
        """Add the numbers of one row of JSON."""
        numbers = {name: value for name, value in row.items() if isinstance(value, JsonNumber)}
        if numbers:
            printed = [value.text for value in numbers.values()]
            line = next(iter(numbers.values())).line
            if reason := absurd_in(printed):
                self._reading.doubt(line, f"{of}: {reason}: this sample is left out")
                return
            self.series(of, tuple(numbers), printed, line).add(map(float, numbers.values()), line, sample)


def hosts_of(source: OpenedFile, how: str) -> Iterator[tuple[Reading, list[dict[str, Any]]]]:
    """A reading for each host of sysstat's JSON, and the host's samples; raises :class:`NotReadable`."""
    data = parsed(source.text(), source.name)
    sysstat = data.get("sysstat") if isinstance(data, dict) else None
    hosts = sysstat.get("hosts") if isinstance(sysstat, dict) else None
    if not isinstance(hosts, list) or not hosts:
        raise NotReadable(f"{source.name}: sysstat.hosts is missing; run {how}")
    for host in (host for host in hosts if isinstance(host, dict)):
        reading = source.reading("")
        cpus, release = host.get("number-of-cpus"), host.get("release")
        reading.host.cpus = int(cpus) if isinstance(cpus, JsonNumber) else None
        reading.host.system = f"Linux {release}" if isinstance(release, str) else None
        if source.keep.names and isinstance(host.get("nodename"), str):
            reading.name("report", "host", host["nodename"], first_line(host))
        statistics = host.get("statistics")
        yield reading, [row for row in rows_of(statistics) if isinstance(row, dict)]


def rows_of(value: Any) -> list[Any]:
    """*value* where it is a list, else nothing."""
    return value if isinstance(value, list) else []


def first_line(value: Any) -> int:
    """Line of the first number in a part of the JSON; 0 where it has none."""
    parts = [value]
    while parts:
        part = parts.pop()
        if isinstance(part, JsonNumber):
            return part.line
        parts.extend(reversed(part.values() if isinstance(part, dict) else rows_of(part)))
    return 0


def refuse_commas(file: str, number: int, parts: Sequence[str], how: str) -> None:
    """Raise :class:`NotReadable` for a row whose numbers have a decimal comma."""
    if sum(bool(COMMA.fullmatch(part)) for part in parts) >= 3:
        raise NotReadable(
            f"{file}, line {number}: the numbers have a decimal comma, which cannot be told from a separator; run {how}"
        )


def absurd_in(cells: Sequence[str]) -> str:
    """Which of *cells* no report can print, and why; empty where all are in order."""
    return next((f"{cell[:QUOTED_LETTERS]} {reason}" for cell in cells if (reason := absurd(cell))), "")


def ends_whole(cells: Sequence[str]) -> bool:
    """Whether the last of *cells* has all its digits: as many behind the point as the one before it."""
    last, before = (cell.rstrip("kKMGTP%").partition(".")[2] for cell in (cells[-1], cells[-2:][0]))
    return len(cells) > 1 and bool(last) and len(last) == len(before)


class TimeStamps:
    """The time stamps of a report's samples: the first ones, the last, and how many."""

    def __init__(self) -> None:
        self.first: list[str] = []
        self.last = ""
        self.count = 0

    def add(self, stamp: str) -> None:
        """The next one."""
        self.last = stamp
        self.count += 1
        if len(self.first) <= MOST_GAPS:
            self.first.append(stamp)


def take_span(reading: Reading, times: TimeStamps) -> None:
    """The time span, and the interval from one sample to the next, of a report with these time stamps."""
    if times.count:
        reading.begins, reading.ends = times.first[0], times.last
        gaps = sorted(filter(None, map(seconds_between, times.first, times.first[1:])))
        if gaps:
            reading.interval_s = gaps[len(gaps) // 2]


def seconds_between(earlier: str, later: str) -> float | None:
    """Seconds from one time stamp to the next, over midnight too; nothing where their form is unknown."""
    for parse in (datetime.fromisoformat, *(lambda text, form=form: datetime.strptime(text, form) for form in FORMS)):
        try:
            difference = (parse(later) - parse(earlier)).total_seconds()
        except (ValueError, TypeError):  # another form, or one of the two has a time zone
            continue
        return difference + 86400 if -86400 <= difference < 0 else difference
    return None
