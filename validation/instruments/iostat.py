"""Reads iostat -x of sysstat 9 to 12: text in its old and new columns, also --pretty and --human, and -o JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from validation.instruments.figures import (
    LARGEST,
    MULTIPLES,
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
from validation.instruments.sysstat import BANNER, COLUMNS, CPU, SYSTEMS, TIME, seconds_between, take_banner

NAME: Final = "iostat"
HOW: Final = "iostat -xtk 5 > iostat.txt, with LC_ALL=C in front"
PLAIN: Final = re.compile(r"[0-9.\s]+")
SUFFIXED: Final = re.compile(r"(-?[0-9]{1,18}(?:\.[0-9]+)?)([kKMGTP%]?)")


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* is iostat's."""
    if head.lstrip().startswith("{"):
        return '"sysstat"' in head and ('"avg-cpu"' in head or '"disk_device"' in head)
    return any(_is_header(line.split()) for line in head.splitlines()) or "avg-cpu:" in head


def read(source: Source, progress: Progress | None = None) -> list[Reading]:
    """Every report of *source*: a series a device, one for the processors."""
    if source.head.lstrip().startswith("{"):
        return list(_from_json(source))
    readings: list[Reading] = []
    text = _Text(source)
    for number, line in enumerate(source.lines(progress), 1):
        if line.startswith(SYSTEMS) and BANNER.match(line):
            if text.reading.series:
                readings.append(text.close(number - 1))
                text = _Text(source)
            take_banner(line, text.reading)
        else:
            text.take(number, line)
    readings.append(text.close(number))
    return readings


class _Text:
    """One report under way."""

    def __init__(self, source: Source) -> None:
        self.reading = Reading(NAME, "", source.name, "")
        self._source = source
        self._series: dict[str, Series] = {}
        self._begun: dict[tuple[str, tuple[Column, ...]], Series] = {}
        self._header: list[str] = []
        self._columns: tuple[Column, ...] = ()
        self._device_last = False
        self._cpu_next = False
        self._cpu_columns: tuple[Column, ...] = ()
        self._sample = -1
        self._times: list[str] = []
        self._first_line = 0
        self._skipped = Skipped()
        self._alone = ""

    def take(self, number: int, line: str) -> None:
        """Read one line; what is not understood is counted."""
        parts = line.split()
        if not parts:
            self._alone = ""
            return
        if len(parts) == len(self._header) and not self._cpu_next and self._known(number, line, parts):
            return
        if (
            self._columns
            and not self._cpu_next
            and len(parts) == len(self._header)
            and self._row(number, line, parts)
        ):
            return
        if parts[0] == "avg-cpu:":
            self._cpu_columns = tuple(CPU.get(name, Column(name, "fraction", 0.01)) for name in parts[1:])
            self._cpu_next = True
        elif self._cpu_next:
            self._cpu_next = False
            self._cpu(number, parts)
        elif _is_header(parts):
            self._new_sample(number, parts)
        elif TIME.fullmatch(line.strip()):
            self._times.append(line.strip().removeprefix("Time: "))
        elif self._device_alone(number, parts):
            return
        else:
            _refuse_commas(self._source.name, number, parts)
            self._skipped.add(
                number, "a line of another form" if len(parts) != len(self._header) else "no numbers"
            )

    def _new_sample(self, number: int, parts: list[str]) -> None:
        self._first_line = self._first_line or number
        self._sample += 1
        header = [part.rstrip(":") for part in parts]
        if header == self._header:
            return
        if not ({"await", "r_await", "w_await"} & set(header)):
            raise NotReadable(
                f"{self._source.name}, line {number}: iostat ran without -x, so nothing says how long requests took; "
                f"run {HOW}"
            )
        unknown = [name for name in header if name not in COLUMNS and name != "Device"]
        if unknown:
            self._skipped.add(number, f"columns {', '.join(unknown[:5])}")
        self._header, self._device_last = header, header[-1] == "Device"
        self._columns = tuple(COLUMNS.get(name, Column(name, "")) for name in header if name != "Device")
        self._series = {}

    def _known(self, number: int, line: str, parts: list[str]) -> bool:
        """Read the line of a device that was there before, in plain numbers: nearly every line of a long file."""
        series = self._series.get(parts[0])
        if series is None or not PLAIN.fullmatch(line, len(parts[0])):
            return False
        try:
            values = [float(part) for part in parts[1:]]
        except ValueError:  # dots and digits that are no number
            return False
        if max(values) > LARGEST:
            return False
        series.values.extend(values)
        series.lines.append(number)
        series.samples.append(self._sample)
        return True

    def _row(self, number: int, line: str, parts: list[str]) -> bool:
        """Read a device's line; False where it is none."""
        device = parts.pop() if self._device_last else parts.pop(0)
        if PLAIN.fullmatch(line, len(line) - len(line.lstrip()) + len(device)) and not self._device_last:
            try:
                values = list(map(float, parts))
            except ValueError:
                return self._odd(parts, device)
            if max(values) > LARGEST:
                return self._odd(parts, device)
        else:
            read = [SUFFIXED.fullmatch(part) for part in parts]
            if not all(read):
                return self._odd(parts, device)
            values = []
            for match, column in zip(read, self._columns, strict=True):
                assert match is not None
                multiple = match[2].upper()
                if multiple in {"", "%"}:
                    values.append(float(match[1]))
                else:  # --human prints kilobytes as 1.2M; the column stays in its own unit
                    values.append(float(match[1]) * MULTIPLES[multiple] / _printed_multiple(column))
        series = self._series.get(device)
        if series is None:
            series = self._begin(device, parts)
        series.values.extend(values)
        series.lines.append(number)
        series.samples.append(max(self._sample, 0))
        return True

    def _odd(self, parts: list[str], device: str) -> bool:
        if self._device_last:
            parts.append(device)
        else:
            parts.insert(0, device)
        return False

    def _begin(self, device: str, printed: list[str]) -> Series:
        columns = tuple(
            Column(column.name, column.unit, column.scale, grain_of(text.rstrip("kKMGTP%")))
            for column, text in zip(self._columns, printed, strict=True)
        )
        series = self._begun.get((device, columns))
        if series is None:
            series = self._begun[device, columns] = Series(device, columns)
            self.reading.series.append(series)
        self._series[device] = series
        return series

    def _device_alone(self, number: int, parts: list[str]) -> bool:
        """-h of older releases: a device's name on a line of its own, its numbers on the next."""
        if len(parts) == 1 and self._columns and not SUFFIXED.fullmatch(parts[0]):
            self._alone = parts[0]
            return True
        if self._alone and len(parts) == len(self._columns):
            device, self._alone = self._alone, ""
            row = [*parts, device] if self._device_last else [device, *parts]
            return self._row(number, " ".join(row), row)
        return False

    def _cpu(self, number: int, parts: list[str]) -> None:
        _refuse_commas(self._source.name, number, parts)
        read = [SUFFIXED.fullmatch(part) for part in parts]
        if len(parts) != len(self._cpu_columns) or not all(read):
            self._skipped.add(number, "a line of another form")
            return
        series = self._series.get("")
        if series is None:
            series = next((s for s in self.reading.series if s.of == "cpu"), None)
            if series is None or len(series.columns) != len(parts):
                grain = grain_of(parts[0].rstrip("%"))
                series = Series(
                    "cpu", tuple(Column(c.name, c.unit, c.scale, grain) for c in self._cpu_columns)
                )
                self.reading.series.append(series)
        series.values.extend(float(match[1]) for match in read if match)
        series.lines.append(number)
        series.samples.append(self._sample + 1)

    def close(self, last_line: int) -> Reading:
        """What was read, with its span."""
        reading = self.reading
        devices = [series for series in reading.series if series.of != "cpu"]
        if not devices:
            raise NotReadable(f"{self._source.name}: iostat's lines of devices are missing; run {HOW}")
        samples = self._sample + 1
        what = f"{plural(len({series.of for series in devices}), 'device')}, {plural(samples, 'sample')}"
        reading.title = f"iostat -x: {what}"
        reading.sections.append(Section(f"devices ({what})", self._first_line, last_line, reading.count()))
        reading.unread = self._skipped.unread()
        _span(reading, self._times, samples)
        return reading


def _is_header(parts: list[str]) -> bool:
    if len(parts) < 3 or "Device" not in {parts[0].rstrip(":"), parts[-1]}:
        return False
    return sum(part.rstrip(":") == "Device" for part in parts) == 1


def _printed_multiple(column: Column) -> float:
    """What one printed unit of a size is in bytes; --human writes sizes alone with K, M, G."""
    return column.scale if column.unit in {"bytes", "bytes/s"} else 1.0


def _refuse_commas(file: str, number: int, parts: list[str]) -> None:
    if sum(bool(re.fullmatch(r"[0-9]+,[0-9]+", part)) for part in parts) >= 3:
        raise NotReadable(
            f"{file}, line {number}: the numbers have a decimal comma, which cannot be told from a separator; run {HOW}"
        )


def _span(reading: Reading, times: list[str], samples: int) -> None:
    """Time span and interval; what the first sample is."""
    if times:
        reading.begins, reading.ends = times[0], times[-1]
        gaps = sorted(filter(None, map(seconds_between, times, times[1:])))
        if gaps:
            reading.interval_s = gaps[len(gaps) // 2]
    else:
        reading.missing.append("no time stamps: run iostat with -t")
    if samples == 1:
        reading.missing.append("one sample only: without -y it is the mean since the start of the machine")
    else:
        reading.follows.append("without -y the first sample is the mean since the start of the machine")


def _from_json(source: Source) -> Iterator[Reading]:
    """Every host of iostat -o JSON."""
    data = parsed(source.text(), source.name)
    hosts = (
        data["sysstat"].get("hosts")
        if isinstance(data, dict) and isinstance(data.get("sysstat"), dict)
        else None
    )
    if not isinstance(hosts, list) or not hosts:
        raise NotReadable(f"{source.name}: sysstat.hosts is missing; run iostat -x -o JSON 5")
    for host in hosts:
        reading = Reading(NAME, "", source.name, "")
        skipped, times = Skipped(), []
        by_device: dict[tuple[str, tuple[str, ...]], Series] = {}
        statistics = host.get("statistics") if isinstance(host, dict) else None
        samples = statistics if isinstance(statistics, list) else []
        for place, sample in enumerate(s for s in samples if isinstance(s, dict)):
            if isinstance(sample.get("timestamp"), str):
                times.append(sample["timestamp"])
            rows = [("cpu", sample.get("avg-cpu"))]
            disks = sample.get("disk")
            rows += [(_device(row), row) for row in (disks if isinstance(disks, list) else [])]
            for of, row in rows:
                if of and isinstance(row, dict):
                    _take_row(reading, by_device, of, row, place, skipped)
        devices = [series for series in reading.series if series.of != "cpu"]
        if not any({"await", "r_await"} & {c.name for c in series.columns} for series in devices):
            raise NotReadable(f"{source.name}: iostat ran without -x; run iostat -x -o JSON 5")
        cpus, release = host.get("number-of-cpus"), host.get("release")
        reading.host.cpus = int(cpus) if isinstance(cpus, Printed) else None
        reading.host.system = f"Linux {release}" if isinstance(release, str) else None
        reading.title = (
            f"iostat -x -o JSON: {plural(len(devices), 'device')}, {plural(len(samples), 'sample')}"
        )
        lines = [line for series in reading.series for line in series.lines]
        reading.sections.append(Section("devices", min(lines), max(lines), reading.count()))
        reading.unread = skipped.unread()
        _span(reading, times, len(samples))
        yield reading


def _device(row: Any) -> str:
    name = row.get("disk_device") if isinstance(row, dict) else None
    return name if isinstance(name, str) else ""


def _take_row(
    reading: Reading,
    by_device: dict[tuple[str, tuple[str, ...]], Series],
    of: str,
    row: dict[str, Any],
    sample: int,
    skipped: Skipped,
) -> None:
    """Add one row of JSON to the series of what it is of."""
    numbers = {name: value for name, value in row.items() if isinstance(value, Printed)}
    if not numbers:
        return
    key = of, tuple(numbers)
    if key not in by_device:
        known = CPU if of == "cpu" else COLUMNS
        columns = []
        for name, value in numbers.items():
            column = known.get(name) or known.get(f"%{name}") or Column(name, "")
            columns.append(value.column(name, column.unit, column.scale))
        by_device[key] = Series(of, tuple(columns))
        reading.series.append(by_device[key])
    series = by_device[key]
    series.values.extend(map(float, numbers.values()))
    series.lines.append(next(iter(numbers.values())).line)
    series.samples.append(sample)
