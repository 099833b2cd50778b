"""Reads sar -d as text and sadf -j: one series a device, one for all processors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from validation.instruments.figures import (
    Column,
    NotReadable,
    Reading,
    Section,
    Series,
    Skipped,
    grain_of,
    plural,
)
from validation.instruments.json_text import Printed, parsed
from validation.instruments.opening import Progress, Source
from validation.instruments.sysstat import BANNER, COLUMNS, CPU, take_banner

NAME: Final = "sar"
HOW: Final = "sar -d -p > sar.txt with LC_ALL=C in front, or sadf -j -- -d -u > sar.json"
STAMP: Final = re.compile(r"([0-9]{1,2}:[0-9]{2}:[0-9]{2}(?: [AP]M)?|Average:)\s+(.*)")
NUMBER: Final = re.compile(r"[0-9]{1,18}(?:\.[0-9]+)?")
DISKS: Final = ("DEV",)


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* is sar's or sadf's."""
    if head.lstrip().startswith("{"):
        return '"sysstat"' in head and '"timestamp"' in head and "{" in head.partition('"timestamp"')[2][:4]
    return any(
        (match := STAMP.match(line)) and ({"DEV", "CPU"} & set(match[2].split()) or "tps" in match[2].split())
        for line in head.splitlines()
    )


def read(source: Source, progress: Progress | None = None) -> list[Reading]:
    """Every report of *source*."""
    if source.head.lstrip().startswith("{"):
        return list(_from_json(source))
    readings = [_Text(source)]
    number = 0
    for number, line in enumerate(source.lines(progress), 1):
        if BANNER.match(line):
            if readings[-1].reading.series:
                readings.append(_Text(source))
            take_banner(line, readings[-1].reading)
        else:
            readings[-1].take(number, line)
    return [text.close(number) for text in readings]


class _Text:
    """One report under way: its header says what the lines below hold, and comes again with each page."""

    def __init__(self, source: Source) -> None:
        self.reading = Reading(NAME, "", source.name, "")
        self._source = source
        self._header: list[str] = []
        self._key = ""
        self._skipped = Skipped()
        self._stamps: dict[str, int] = {}
        self._series: dict[tuple[str, tuple[str, ...]], Series] = {}

    def take(self, number: int, line: str) -> None:
        """Read one line; what is not understood is counted."""
        if not line.strip() or "LINUX RESTART" in line:
            return
        match = STAMP.match(line)
        parts = match[2].split() if match else []
        if match is None:
            self._skipped.add(number, "a line without a time")
        elif {"DEV", "CPU"} & set(parts):
            self._header, self._key = parts, "DEV" if "DEV" in parts else "CPU"
        elif any(NUMBER.fullmatch(part) is None and part[:1].isalpha() and "/" in part for part in parts):
            self._header = []
            self._skipped.add(number, f"a section with {' '.join(parts[:3])}")
        elif match[1] == "Average:":
            return  # means of what was read
        elif not self._header:
            self._skipped.add(number, "lines of other sections")
        else:
            self._row(number, match[1], parts)

    def _row(self, number: int, stamp: str, parts: list[str]) -> None:
        if len(parts) != len(self._header):
            self._skipped.add(number, "a line of another form")
            return
        row = dict(zip(self._header, parts, strict=True))
        of = row.pop(self._key)
        if sum(bool(re.fullmatch(r"[0-9]+,[0-9]+", value)) for value in row.values()) >= 3:
            raise NotReadable(
                f"{self._source.name}, line {number}: the numbers have a decimal comma; run {HOW}"
            )
        if not all(map(NUMBER.fullmatch, row.values())) or (self._key == "CPU" and of != "all"):
            self._skipped.add(number, "single processors" if self._key == "CPU" else "a line of another form")
            return
        if self._key == "CPU":
            of = "cpu"
        series = self._series.get((of, tuple(row)))
        if series is None:
            known = CPU if of == "cpu" else COLUMNS
            columns = (known.get(name, Column(name, "")) for name in row)
            grains = map(grain_of, row.values())
            series = self._series[of, tuple(row)] = Series(
                of, tuple(Column(c.name, c.unit, c.scale, g) for c, g in zip(columns, grains, strict=True))
            )
            self.reading.series.append(series)
        series.values.extend(map(float, row.values()))
        series.lines.append(number)
        series.samples.append(self._stamps.setdefault(stamp, len(self._stamps)))

    def close(self, last_line: int) -> Reading:
        """What was read, with its span."""
        reading = self.reading
        if not reading.series:
            raise NotReadable(f"{self._source.name}: sar's lines of devices are missing; run {HOW}")
        stamps = list(self._stamps)
        reading.begins, reading.ends = stamps[0], stamps[-1]
        _finish(reading, last_line, len(stamps), self._skipped)
        return reading


def _finish(reading: Reading, last_line: int, samples: int, skipped: Skipped) -> None:
    devices = {series.of for series in reading.series} - {"cpu"}
    reading.title = f"sar: {plural(len(devices), 'device')}, {plural(samples, 'sample')}"
    first = min(min(series.lines) for series in reading.series)
    reading.sections.append(Section("devices and processors", first, last_line, reading.count()))
    reading.unread = skipped.unread()
    if not devices:
        reading.missing.append(f"no devices: run {HOW}")


def _from_json(source: Source) -> Iterator[Reading]:
    """Every host of sadf -j."""
    data = parsed(source.text(), source.name)
    hosts = (
        data["sysstat"].get("hosts")
        if isinstance(data, dict) and isinstance(data.get("sysstat"), dict)
        else None
    )
    if not isinstance(hosts, list) or not hosts:
        raise NotReadable(f"{source.name}: sysstat.hosts is missing; run {HOW}")
    for host in (host for host in hosts if isinstance(host, dict)):
        reading, skipped = Reading(NAME, "", source.name, ""), Skipped()
        series: dict[tuple[str, tuple[str, ...]], Series] = {}
        statistics = host.get("statistics")
        samples = [s for s in (statistics if isinstance(statistics, list) else []) if isinstance(s, dict)]
        stamps = []
        for place, sample in enumerate(samples):
            stamp = sample.get("timestamp")
            if isinstance(stamp, dict):
                stamps.append(f"{stamp.get('date', '')} {stamp.get('time', '')}".strip())
                if isinstance(stamp.get("interval"), Printed):
                    reading.interval_s = float(stamp["interval"])
            for name, rows in sample.items():
                if name not in {"timestamp", "disk", "cpu-load", "cpu-load-all"}:
                    first = _first_line(rows)
                    skipped.add(first, f"section {name}")
                    continue
                for row in rows if isinstance(rows, list) else []:
                    _take_row(reading, series, row, place, skipped)
        if not reading.series:
            raise NotReadable(f"{source.name}: there is neither a disk nor a processor section; run {HOW}")
        cpus, release = host.get("number-of-cpus"), host.get("release")
        reading.host.cpus = int(cpus) if isinstance(cpus, Printed) else None
        reading.host.system = f"Linux {release}" if isinstance(release, str) else None
        reading.begins, reading.ends = (stamps[0], stamps[-1]) if stamps else (None, None)
        _finish(reading, max(max(one.lines) for one in reading.series), len(samples), skipped)
        yield reading


def _first_line(value: Any) -> int:
    """Line of the first number in a part of the JSON; 0 where it has none."""
    if isinstance(value, Printed):
        return value.line
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((line for line in map(_first_line, parts) if line), 0)


def _take_row(
    reading: Reading,
    series: dict[tuple[str, tuple[str, ...]], Series],
    row: Any,
    sample: int,
    skipped: Skipped,
) -> None:
    """Add one device's, or all processors', row to its series."""
    if not isinstance(row, dict):
        return
    device, cpu = row.get("disk-device"), row.get("cpu")
    numbers = {name: value for name, value in row.items() if isinstance(value, Printed)}
    if not numbers or not (isinstance(device, str) or isinstance(cpu, str)):
        return
    if isinstance(cpu, str) and cpu != "all":
        skipped.add(next(iter(numbers.values())).line, "single processors")
        return
    of, known = (device, COLUMNS) if isinstance(device, str) else ("cpu", CPU)
    key = of, tuple(numbers)
    if key not in series:
        columns = []
        for name, value in numbers.items():
            column = known.get(name, Column(name, ""))
            columns.append(value.column(name, column.unit, column.scale))
        series[key] = Series(of, tuple(columns))
        reading.series.append(series[key])
    series[key].values.extend(map(float, numbers.values()))
    series[key].lines.append(next(iter(numbers.values())).line)
    series[key].samples.append(sample)
