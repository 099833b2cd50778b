"""Reads sar -d as text, sadf -d and sadf -j: one series a device, one for all processors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from blocktime.validation.instruments.figures import EVERY_LINE, OTHER_FORM, FilePart, NotReadable, Reading, plural
from blocktime.validation.instruments.opening import OpenedFile, Progress
from blocktime.validation.instruments.sysstat import (
    BANNER,
    PROCESSORS,
    SeriesRows,
    TimeStamps,
    absurd_in,
    ends_whole,
    first_line,
    hosts_of,
    refuse_commas,
    rows_of,
    take_banner,
    take_span,
)

NAME: Final = "sar"
HOW: Final = "sar -d -p > sar.txt with LC_ALL=C in front, or sadf -j -- -d -u > sar.json"
STAMP: Final = re.compile(
    r"([0-9]{1,2}:[0-9]{2}:[0-9]{2}(?: [AP]M)?"
    r"|[^\d\s]{0,4} ?[0-9]{1,2}[^\d\s]{1,2} ?[0-9]{2}[^\d\s]{1,2} ?[0-9]{2}[^\d\s]{0,2}"
    r"|[^\d\s:：]+ ?[:：])\s+(.*)"
)
"""A time, also as other languages write it, or the word for the average: a word and a colon. Columns are not
translated.
"""
DIGITS: Final = re.compile("[0-9]+")
NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
KEYS: Final = ("DEV", "CPU")
DATABASE: Final = "# hostname;interval;timestamp;"
"""How the heading of sadf -d begins; host, interval and time stand in front of each row."""
ALL_CPUS: Final = ("all", "-1")


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* is sar's or sadf's."""
    if head.lstrip().startswith("{"):
        return '"sysstat"' in head and '"timestamp"' in head and "{" in head.partition('"timestamp"')[2][:4]
    if re.search(f"^{DATABASE}", head, re.MULTILINE):
        return True
    return any((match := STAMP.match(line)) and set(KEYS) & set(match[2].split()) for line in head.splitlines())


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """Every report of *source*."""
    if source.head.lstrip().startswith("{"):
        return list(_from_json(source))
    readings = [_Text(source)]
    number = 0
    for number, line in source.lines(progress):
        if BANNER.match(line):
            if readings[-1].reading.series:
                readings.append(_Text(source))
            take_banner(line, number, readings[-1].reading, source.keep)
        else:
            readings[-1].take(number, line)
    return [text.close(number) for text in readings]


class _Text:
    """One report under way: its header says what the lines below hold, and comes again with each page."""

    def __init__(self, source: OpenedFile) -> None:
        self.reading = source.reading(NAME)
        self._source = source
        self._rows = SeriesRows(self.reading)
        self._names: tuple[str, ...] = ()
        self._key, self._place = "", 0
        self._times: dict[tuple[str, ...], TimeStamps] = {}

    def take(self, number: int, line: str) -> None:
        """Read one line; what is not understood is counted."""
        if not line.strip() or "LINUX RESTART" in line or "LINUX-RESTART" in line:
            return
        if ";" in line:
            self._database_row(number, line)
            return
        match = STAMP.match(line)
        if match is None:
            self.reading.skip(number, "a line without a time")
            return
        parts = match[2].split()
        if not any(part[0].isdigit() for part in parts):
            self._heading(number, parts)
        elif not DIGITS.search(match[1]):
            return  # means of what was read
        elif not self._names:
            self.reading.skip(number, "lines of other sections")
        else:
            stamp = match[1] if match[1].isascii() else ":".join(DIGITS.findall(match[1]))
            self._row(number, stamp, parts)

    def _database_row(self, number: int, line: str) -> None:
        """Read one line of sadf -d."""
        host, *cells = line.strip().split(";")
        if line.startswith(DATABASE):
            self._heading(number, cells[2:])
        elif len(cells) > 2 and self._names:
            if self._source.keep.names:
                self.reading.name("report", "host", host, number)
            self._row(number, cells[1].removesuffix(" UTC"), cells[2:])
        else:
            self.reading.skip(number, OTHER_FORM)

    def _heading(self, number: int, parts: list[str]) -> None:
        self._names, self._key = (), next((key for key in KEYS if parts.count(key) == 1), "")
        if self._key:
            self._place = parts.index(self._key)
            self._names = tuple(name for name in parts if name != self._key)
        else:
            self.reading.skip(number, f"a section with {' '.join(parts[:3])}")

    def _row(self, number: int, stamp: str, parts: list[str]) -> None:
        of = parts.pop(self._place) if self._place < len(parts) else ""
        if len(parts) != len(self._names):
            self.reading.skip(number, OTHER_FORM)
        elif self._key == "CPU" and of not in ALL_CPUS:
            self.reading.skip(number, "single processors")
        elif not all(map(NUMBER.fullmatch, parts)):
            refuse_commas(self._source.name, number, parts, HOW)
            self.reading.skip(number, OTHER_FORM)
        elif reason := absurd_in(parts):
            self.reading.doubt(number, f"{of}: {reason}: this sample is left out")
        else:
            times = self._times.setdefault(self._names, TimeStamps())
            if times.last != stamp:
                times.add(stamp)
            of = PROCESSORS if self._key == "CPU" else of
            series = self._rows.series(of, self._names, parts, number)
            series.add(map(float, parts), number, times.count - 1)
            if ends_whole(parts) and self._place == 0:
                self.reading.whole_line = number

    def close(self, last_line: int) -> Reading:
        """What was read, with its span."""
        reading = self.reading
        if not reading.series:
            raise reading.refusal(f"sar's lines of devices are missing; run {HOW}")
        _finish(reading, last_line, max(self._times.values(), key=lambda times: times.count))
        return reading


def _finish(reading: Reading, last_line: int, times: TimeStamps) -> None:
    devices = {series.of for series in reading.series} - {PROCESSORS}
    reading.title = f"sar: {plural(len(devices), 'device')}, {plural(times.count, 'sample')}"
    first = min(min(series.lines) for series in reading.series)
    reading.sections.append(FilePart("devices and processors", first, last_line, reading.count()))
    take_span(reading, times)
    if not devices:
        reading.missing.append(f"no devices: run {HOW}")


def _from_json(source: OpenedFile) -> Iterator[Reading]:
    for reading, samples in hosts_of(source, HOW):
        rows, times = SeriesRows(reading), TimeStamps()
        reading.whole_line = EVERY_LINE
        for place, sample in enumerate(samples):
            stamp = sample.pop("timestamp", None)
            if isinstance(stamp, dict):
                times.add(f"{stamp.get('date', '')} {stamp.get('time', '')}".strip())
            for name, part in sample.items():
                if name not in {"disk", "cpu-load", "cpu-load-all"}:
                    reading.skip(first_line(part), f"section {name}")
                    continue
                for row in (row for row in rows_of(part) if isinstance(row, dict)):
                    device, cpu = row.get("disk-device"), row.get("cpu")
                    if isinstance(device, str):
                        rows.take_json(row, device, place)
                    elif cpu == "all":
                        rows.take_json(row, PROCESSORS, place)
                    elif isinstance(cpu, str):
                        reading.skip(first_line(row), "single processors")
        if not reading.series:
            raise NotReadable(f"{source.name}: there is neither a disk nor a processor section; run {HOW}")
        reading.format = NAME
        _finish(reading, max(max(series.lines) for series in reading.series), times)
        yield reading
