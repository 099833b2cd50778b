"""Reads iostat -x of sysstat 9 to 12: text in its old and new columns, also --pretty and --human, and -o JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from blocktime.validation.instruments.figures import (
    EVERY_LINE,
    LARGEST,
    MULTIPLES,
    OTHER_FORM,
    FilePart,
    NotReadable,
    Reading,
    SeriesColumn,
    grain_of,
    plural,
)
from blocktime.validation.instruments.opening import OpenedFile, Progress
from blocktime.validation.instruments.sysstat import (
    BANNER,
    COLUMNS,
    PROCESSORS,
    SYSTEMS,
    TIME,
    SeriesRows,
    TimeStamps,
    absurd_in,
    ends_whole,
    hosts_of,
    refuse_commas,
    rows_of,
    take_banner,
    take_span,
)

if TYPE_CHECKING:
    import numpy

NAME: Final = "iostat"
HOW: Final = "iostat -xtk 5 > iostat.txt, with LC_ALL=C in front"
PLAIN: Final = re.compile(r"[0-9.\s]+")
SUFFIXED: Final = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)([kKMGTP%]?)")
SINCE_BOOT: Final = "samples since the start of the machine"
REQUESTS: Final = ("r/s", "w/s", "d/s", "rrqm/s", "wrqm/s", "tps")
LATE: Final = 0.01
"""Share by which an interval may be longer than asked for, as iostat wakes up late."""
FARTHEST: Final = 0.15
"""Distance from a whole number of requests that still tells; farther ones say nothing."""
LEAST_WHOLE: Final = 4
"""Different rates whose numbers of requests are whole: of other rates less than 1 % have as many."""
HUNDREDTHS: Final = r"^(\S++)((?: ++[0-9]{1,13}+\.[0-9][0-9]){%d})$"
"""A device and its numbers with two digits behind the point; without the point they are whole, and exact."""


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* is iostat's."""
    if head.lstrip().startswith("{"):
        return '"sysstat"' in head and ('"avg-cpu"' in head or '"disk_device"' in head)
    return any(_is_header(line.split()) for line in head.splitlines()) or "avg-cpu:" in head


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """Every report of *source*: a series a device, one for the processors."""
    if source.head.lstrip().startswith("{"):
        return list(_from_json(source))
    readings: list[Reading] = []
    text, number = _Text(source), 0
    for first, lines in source.batches(progress):
        place = 0
        while place < len(lines):
            number = first + place
            if text.rows_next and (taken := text.devices(number, lines, place)):
                place += taken
                continue
            line = lines[place]
            place += 1
            if line.startswith(SYSTEMS) and BANNER.match(line):
                if text.reading.series:
                    readings.append(text.close(number - 1))
                    text = _Text(source)
                take_banner(line, number, text.reading, source.keep)
            else:
                text.take(number, line)
        number = first + len(lines) - 1
    readings.append(text.close(number))
    return readings


@dataclass
class JoinedRow:
    """A device's row of one sample, joined of the tables that --pretty splits it into."""

    line: int
    names: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    grains: list[float] = field(default_factory=list)

    def add(self, names: Sequence[str], cells: Sequence[str], values: Sequence[float], grains: Sequence[float]) -> None:
        """The columns of one table."""
        self.names += names
        self.cells += cells
        self.values += values
        self.grains += grains


class _Text:
    """One report under way."""

    def __init__(self, source: OpenedFile) -> None:
        self.reading = source.reading(NAME)
        self.rows_next = False
        self._source = source
        self._rows = SeriesRows(self.reading)
        self._header: list[str] = []
        self._names: tuple[str, ...] = ()
        self._columns: tuple[SeriesColumn, ...] = ()
        self._stack: list[tuple[int, int, numpy.ndarray]] = []
        self._stacked: tuple[str, ...] = ()
        self._odd_until = 0
        self._cpu_next = False
        self._cpu_names: tuple[str, ...] = ()
        self._sample = -1
        self._times = TimeStamps()
        self._first_line = 0
        self._alone = ""
        self._block_begins = self._is_since_boot = self._has_blocks = False
        self._parts: dict[str, JoinedRow] = {}

    def devices(self, number: int, lines: Sequence[str], place: int) -> int:
        """Read the rows from *place* to the next empty line, where each is a device's in plain numbers; their number.

        Nearly all of a long file is read here: a pattern checks every row, and one call reads the numbers of them all.
        """
        self.rows_next = False
        if number < self._odd_until or self._is_since_boot:
            return 0
        try:
            end = lines.index("", place)
        except ValueError:
            end = len(lines)
        rows = re.findall(HUNDREDTHS % len(self._names), "\n".join(lines[place:end]), re.MULTILINE)
        if not rows or len(rows) != end - place:
            self._odd_until = number + end - place
            return 0
        import numpy

        devices, numbers = zip(*rows, strict=True)
        hundredths = numpy.fromstring("".join(numbers).replace(".", ""), dtype=numpy.int64, sep=" ")
        if devices != self._stacked:
            self._unstack()
            self._stacked = devices
        self._stack.append((number, self._sample, hundredths.reshape(len(devices), -1)))
        self.reading.whole_line = number + len(devices) - 1
        return len(devices)

    def _unstack(self) -> None:
        """Hand the samples that were read together to the series of their devices."""
        stack, self._stack = self._stack, []
        if not stack:
            return
        import numpy

        values = numpy.stack([hundredths for _, _, hundredths in stack], axis=1) / 100.0
        lines = numpy.array([number for number, _, _ in stack], dtype=numpy.int64)
        samples = numpy.array([sample for _, sample, _ in stack], dtype=numpy.int64).tobytes()
        printed = ("0.00",) * len(self._names)
        for place, device in enumerate(self._stacked):
            self._rows.series(device, self._names, printed, stack[0][0]).add_bytes(
                values[place].tobytes(), (lines + place).tobytes(), samples
            )

    def take(self, number: int, line: str) -> None:
        """Read one line; what is not understood is counted."""
        parts = line.split()
        if not parts:
            self._alone = ""
        elif parts[0] == "zzz":  # OSWatcher starts iostat anew, whose first sample is the mean since the boot
            self._block_begins = self._has_blocks = True
            self._times.add(line.strip().removeprefix("zzz").strip(" *"))
        elif parts[0] == "avg-cpu:":
            self._cpu_names, self._cpu_next = tuple(parts[1:]), True
        elif self._cpu_next:
            self._cpu_next = False
            self._cpu(number, parts)
        elif _is_header(parts):
            self._new_sample(number, parts)
        elif len(parts) == len(self._header) and self._row(number, line, parts):
            return
        elif TIME.fullmatch(line.strip()):
            self._times.add(line.strip().removeprefix("Time: "))
        elif not self._device_alone(number, parts):
            refuse_commas(self._source.name, number, parts, HOW)
            self.reading.skip(number, OTHER_FORM if len(parts) != len(self._header) else "no numbers")

    def _new_sample(self, number: int, parts: list[str]) -> None:
        """A table begins: that of a new sample, or the next part of one that --pretty splits into several."""
        header = [part.rstrip(":") for part in parts]
        taken = {name for device in self._parts.values() for name in device.names}
        further = bool(taken) and header[-1] == "Device" and not taken & set(header[:-1])
        self._first_line = self._first_line or number
        self.rows_next = True
        if not further:
            self._join()
            self._is_since_boot, self._block_begins = self._block_begins, False
            self._sample += not self._is_since_boot
        if header == self._header:
            return
        if not further and not ({"await", "r_await", "w_await"} & set(header)):
            raise NotReadable(
                f"{self._source.name}, line {number}: iostat ran without -x, so nothing says how long requests took; "
                f"run {HOW}"
            )
        unknown = [name for name in header if name not in COLUMNS and name != "Device"]
        if unknown:
            self.reading.skip(number, f"columns {', '.join(unknown[:5])}")
        self._unstack()
        self._header = header
        self._names = tuple(name for name in header if name != "Device")
        self._columns = tuple(COLUMNS.get(name, SeriesColumn(name, "")) for name in self._names)

    def _row(self, number: int, line: str, parts: list[str]) -> bool:
        """Read a device's line; False where it is none."""
        last = self._header[-1] == "Device"
        device, cells = (parts[-1], parts[:-1]) if last else (parts[0], parts[1:])
        grains: list[float] = []
        if not last and PLAIN.fullmatch(line, len(line) - len(line.lstrip()) + len(device)):
            try:
                values = list(map(float, cells))
            except ValueError:  # dots and digits that are no number
                return False
            is_odd = max(values) >= LARGEST
        else:
            read = [SUFFIXED.fullmatch(cell) for cell in cells]
            if not all(read):
                return False
            multiples = [
                _multiple(match[2].upper(), column) for match, column in zip(read, self._columns, strict=True) if match
            ]
            printed = [match[1] for match in read if match]
            values = [float(cell) * multiple for cell, multiple in zip(printed, multiples, strict=True)]
            grains = [grain_of(cell) * multiple for cell, multiple in zip(printed, multiples, strict=True)]
            is_odd = min(values) < 0 or max(values) >= LARGEST
        if self._is_since_boot:
            self.reading.skip(number, SINCE_BOOT)
            return True
        if is_odd and (reason := absurd_in([cell.rstrip("kKMGTP%") for cell in cells])):
            self.reading.doubt(number, f"{device}: {reason}: this sample is left out")
            return True
        self._unstack()
        if not last and ends_whole(cells):
            self.reading.whole_line = number
        if last:
            self._parts.setdefault(device, JoinedRow(number)).add(self._names, cells, values, grains)
        else:
            self._rows.series(device, self._names, cells, number).add(values, number, max(self._sample, 0), grains)
        return True

    def _join(self) -> None:
        """Hand the sample whose tables have the device last to the series of its devices."""
        for device, row in self._parts.items():
            series = self._rows.series(device, tuple(row.names), row.cells, row.line)
            series.add(row.values, row.line, max(self._sample, 0), row.grains)
        self._parts = {}

    def _device_alone(self, number: int, parts: list[str]) -> bool:
        """-h of older releases: a device's name on a line of its own, its numbers on the next."""
        if len(parts) == 1 and self._names and not SUFFIXED.fullmatch(parts[0]):
            self._alone = parts[0]
            return True
        if self._alone and len(parts) == len(self._names):
            device, self._alone = self._alone, ""
            row = [*parts, device] if self._header[-1] == "Device" else [device, *parts]
            return self._row(number, " ".join(row), row)
        return False

    def _cpu(self, number: int, parts: list[str]) -> None:
        read = [SUFFIXED.fullmatch(part) for part in parts]
        if len(parts) != len(self._cpu_names) or not all(read):
            refuse_commas(self._source.name, number, parts, HOW)
            self.reading.skip(number, OTHER_FORM)
            return
        if self._block_begins:
            self.reading.skip(number, SINCE_BOOT)
            return
        if reason := absurd_in(parts):
            self.reading.doubt(number, f"{PROCESSORS}: {reason}: this sample is left out")
            return
        values = [float(match[1]) for match in read if match]
        self._rows.series(PROCESSORS, self._cpu_names, parts, number).add(values, number, self._sample + 1)
        if ends_whole(parts):
            self.reading.whole_line = number

    def close(self, last_line: int) -> Reading:
        """What was read, with its span."""
        self._unstack()
        self._join()
        reading = self.reading
        self._doubt_last_sample(last_line)
        if not any(series.of != PROCESSORS for series in reading.series):
            raise reading.refusal(f"iostat's lines of devices are missing; run {HOW}")
        _finish(reading, "iostat -x", (self._first_line, last_line), self._times, self._sample + 1)
        if self._has_blocks:
            reading.first_sample, reading.interval_s = 0, None
            reading.follows = ["OSWatcher: the first sample of each block is the mean since the boot, and left out"]
        return reading

    def _doubt_last_sample(self, last_line: int) -> None:
        """Doubt a report that ends behind a device's row of the last sample, which has fewer of them than before."""
        rows = [series for series in self.reading.series if series.of != PROCESSORS and series.lines]
        there, before = (sum(self._sample - ago in series.samples[-2:] for series in rows) for ago in (0, 1))
        if there < before and any(series.lines[-1] == last_line for series in rows):
            text = f"the file ends within a sample: it has {there} of {plural(before, 'device')}"
            self.reading.doubt(last_line, text)


def _is_header(parts: list[str]) -> bool:
    if len(parts) < 3 or "Device" not in {parts[0].rstrip(":"), parts[-1]}:
        return False
    return sum(part.rstrip(":") == "Device" for part in parts) == 1


def _multiple(letter: str, column: SeriesColumn) -> float:
    """Printed units of *column* in one with *letter*: --human prints kilobytes as 1.2M; % is no multiple."""
    if letter in {"", "%"}:
        return 1.0
    return MULTIPLES[letter] / (column.scale if column.unit in {"bytes", "bytes/s"} else 1.0)


def _finish(reading: Reading, what: str, lines: tuple[int, int], times: TimeStamps, samples: int) -> None:
    """Title, section and time span; what the first sample is."""
    devices = {series.of for series in reading.series} - {PROCESSORS}
    of = f"{plural(len(devices), 'device')}, {plural(samples, 'sample')}"
    reading.format, reading.title = NAME, f"{what}: {of}"
    reading.sections.append(FilePart(f"devices ({of})", *lines, reading.count()))
    take_span(reading, times)
    if not times.count:
        reading.missing.append("time stamps: run iostat with -t, and with LC_ALL=C in front")
    if samples == 1:
        reading.follows.append("one sample only: without -y it is the mean since the start of the machine")
    elif _is_of_an_interval(reading):
        reading.follows.append("the first sample covers one interval, as with -y: the means have all samples")
    else:
        reading.first_sample = 1
        reading.follows.append(
            "the means leave out the first sample: without -y it is the mean since the start of the machine"
        )


def _is_of_an_interval(reading: Reading) -> bool:
    """Whether the first sample counts the requests of one interval, as with -y: rates times its seconds are whole.

    Where too few rates are small enough to tell, it is taken for the mean since the start of the machine.
    """
    interval_s, whole_rates = reading.interval_s or 0.0, set()
    for series in reading.series:
        if series.of == PROCESSORS or not series.samples or series.samples[0]:
            continue
        for column, rate in zip(series.columns, series.values, strict=False):
            requests = rate * interval_s
            room = column.grain / 2 * interval_s + LATE * requests
            if column.name not in REQUESTS or not requests or room > FARTHEST:
                continue
            if abs(requests - round(requests)) > room:
                return False
            whole_rates.add(rate)
    return len(whole_rates) >= LEAST_WHOLE


def _from_json(source: OpenedFile) -> Iterator[Reading]:
    """Every host of iostat -o JSON."""
    for reading, samples in hosts_of(source, "iostat -x -o JSON 5"):
        rows, times = SeriesRows(reading), TimeStamps()
        reading.whole_line = EVERY_LINE
        for place, sample in enumerate(samples):
            if isinstance(sample.get("timestamp"), str):
                times.add(sample["timestamp"])
            if isinstance(sample.get("avg-cpu"), dict):
                rows.take_json(sample["avg-cpu"], PROCESSORS, place)
            for row in rows_of(sample.get("disk")):
                if isinstance(row, dict) and isinstance(row.get("disk_device"), str):
                    rows.take_json(row, row["disk_device"], place)
        if not any({"await", "r_await"} & {column.name for column in series.columns} for series in reading.series):
            raise NotReadable(f"{source.name}: iostat ran without -x; run iostat -x -o JSON 5")
        lines = [line for series in reading.series for line in series.lines]
        _finish(reading, "iostat -x -o JSON", (min(lines), max(lines)), times, len(samples))
        yield reading
