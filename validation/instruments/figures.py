"""What an instrument printed, in one plain form: figures with unit, grain and line. Nothing of the model is in it."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from model.errors import BlocktimeError

NUMBER: Final = re.compile(r"[-+]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
LARGEST_TENS: Final = 300
LARGEST: Final = 1e200
"""No report prints a larger number; any unit's multiple of it is a number still."""
MOST_LETTERS: Final = 4_000
"""Letters of one name or SQL text that are kept."""
MOST_NAMES: Final = 10_000
MULTIPLES: Final = {"": 1.0, "K": 1024.0, "M": 1024.0**2, "G": 1024.0**3, "T": 1024.0**4, "P": 1024.0**5}


class NotReadable(BlocktimeError):
    """A file that no reader can answer for: one sentence says why, and what would help."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One printed number in seconds, bytes and counts, with the interval that its printed digits leave."""

    name: str
    """The instrument's own name for it: ``r_await``, ``DB time``."""
    of: str
    """What it is of: a device, a wait event, a statement; empty for the whole file."""
    value: float
    unit: str
    low: float
    high: float
    line: int
    printed: str = ""
    """Digits and unit as the file prints them; a sum of a trace is in the unit of its parts."""


@dataclass(frozen=True, slots=True)
class SeriesColumn:
    """One column of a series: its printed name, the unit of its values, and how printed values become that unit."""

    name: str
    unit: str
    scale: float = 1.0
    grain: float = 0.01
    """Distance of two printed values that differ in the last digit, as printed."""
    behind: str = ""
    """What stands behind the digits, or would where a heading says it: ``ms``, `` min``."""


@dataclass(slots=True)
class Series:
    """What an instrument prints again and again of one thing: a row of numbers a sample."""

    of: str
    columns: tuple[SeriesColumn, ...]
    values: array[float] = field(default_factory=lambda: array("d"))
    """As printed, row after row."""
    lines: array[int] = field(default_factory=lambda: array("q"))
    """Line of each row."""
    samples: array[int] = field(default_factory=lambda: array("q"))
    """Number of the sample that each row belongs to, from 0."""
    grains: array[float] = field(default_factory=lambda: array("d"))
    """Grain of each value where it is not its column's, as of numbers that are printed with K, M, G; else empty."""

    def add(self, values: Iterable[float], line: int, sample: int, grains: Sequence[float] = ()) -> None:
        """Add a row, with *grains* where they are not those of its columns."""
        if grains or self.grains:
            usual = [column.grain for column in self.columns]
            if not self.grains:
                self.grains.extend(usual * len(self.lines))
            self.grains.extend(grains or usual)
        self.values.extend(values)
        self.lines.append(line)
        self.samples.append(sample)

    def add_bytes(self, values: bytes, lines: bytes, samples: bytes) -> None:
        """Add many rows as the machine's own numbers."""
        self.values.frombytes(values)
        self.lines.frombytes(lines)
        self.samples.frombytes(samples)
        if self.grains:
            usual = [column.grain for column in self.columns]
            self.grains.extend(usual * (len(self.lines) - len(self.grains) // len(usual)))

    def column(self, name: str) -> list[float]:
        """Values of one column, sample by sample, in its unit."""
        place = [column.name for column in self.columns].index(name)
        return self._values(place)

    def by_column(self, first_sample: int = 0) -> Iterator[tuple[SeriesColumn, list[float]]]:
        """Every column with its values from *first_sample* on, in its unit; all of them where none is so late."""
        first = self.first_row(first_sample)
        for place, column in enumerate(self.columns):
            yield column, self._values(place)[first:]

    def first_row(self, first_sample: int) -> int:
        """The first row of *first_sample* or a later one; the first of all where none is so late."""
        row = bisect_left(self.samples, first_sample)
        return 0 if row == len(self.samples) else row

    def _values(self, place: int) -> list[float]:
        scale = self.columns[place].scale
        return [value * scale for value in self.values[place :: len(self.columns)]]

    def figures(self) -> Iterator[Figure]:
        """Every printed number of it."""
        wide = len(self.columns)
        for place, value in enumerate(self.values):
            column = self.columns[place % wide]
            if self.grains:
                column = SeriesColumn(column.name, column.unit, column.scale, self.grains[place])
            yield figure(column.name, self.of, value, column, self.lines[place // wide])


@dataclass(frozen=True, slots=True)
class Setting:
    """A parameter that the file states, as it is written there."""

    name: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Keep:
    """What of a site's own words may be kept: the text of its SQL, and the names of its hosts, users and objects."""

    sql: bool = False
    names: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """What the site calls something that figures are of; kept only where it was asked for."""

    of: str
    what: str
    """What kind of name: ``SQL text``, ``host``, ``user``, ``object``."""
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Unread:
    """Lines that a reader left alone: how many, from which line on, and what they look like."""

    lines: int
    first_line: int
    what: str


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a file that was read."""

    title: str
    first_line: int
    last_line: int
    figures: int


@dataclass(slots=True)
class ReportedHost:
    """The class of machine that the file tells of; absent where it does not tell. Names of hosts are not kept."""

    system: str | None = None
    """Operating system and its release."""
    cpus: int | None = None
    memory_bytes: float | None = None
    standby: bool = False
    """Whether a database there is a standby."""
    files: str | None = None
    """What the database's files lie on: asm, raw or file system; their names are not kept."""


FETCHED: Final = (
    SeriesColumn("rows", "rows"), SeriesColumn("gets", "gets"), SeriesColumn("elapsed", "s"),
    SeriesColumn("waits in it", "s"), SeriesColumn("client", "s"),
)  # fmt: skip
EXECUTED: Final = (
    SeriesColumn("span", "s"),
    SeriesColumn("exec", "s"),
    SeriesColumn("trips before the first fetch", "count"),
)


@dataclass(slots=True)
class Fetches:
    """The fetch calls of one statement, and the time of each execution that has some."""

    of: str
    calls: Series = field(init=False)
    """A row a fetch call; the client's turn is NaN behind the last one of an execution."""
    spans: Series = field(init=False)
    """A row an execution: from the begin of its EXEC to the end of its last FETCH, EXEC itself, trips between."""

    def __post_init__(self) -> None:
        self.calls, self.spans = Series(self.of, FETCHED), Series(self.of, EXECUTED)

    def typical(self) -> list[tuple[float, ...]]:
        """The fetch calls of the first execution whose rows are nearest to the mean."""
        wide, executions = len(FETCHED), max(1, len(self.spans.lines))
        calls: list[list[tuple[float, ...]]] = [[] for _ in range(executions)]
        for row, sample in enumerate(self.calls.samples):
            if sample < executions:
                calls[sample].append(tuple(self.calls.values[row * wide : (row + 1) * wide]))
        rows = [sum(call[0] for call in fetches) for fetches in calls]
        average = sum(rows) / executions
        return min(zip(calls, rows, strict=True), key=lambda pair: abs(pair[1] - average))[0]


@dataclass(slots=True)
class Reading:
    """What one report in a file says."""

    format: str
    title: str
    """One line for a reader: which program's output, of what."""
    file: str
    digest: str
    figures: list[Figure] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """What the file could have told and does not, with how to get it."""
    follows: list[str] = field(default_factory=list)
    """What the figures say by arithmetic alone."""
    begins: str | None = None
    """Begin of the time span as the file prints it, ISO where its form is known."""
    ends: str | None = None
    interval_s: float | None = None
    """From one sample to the next; of a report without samples, the time that it covers."""
    fetches: dict[str, Fetches] = field(default_factory=dict)
    """Of a trace: the fetch calls of each statement one by one."""
    first_sample: int = 0
    """The first sample that means are taken from; one before it covers another time than the others."""
    host: ReportedHost = field(default_factory=ReportedHost)
    left_alone: dict[str, tuple[int, int]] = field(default_factory=dict)
    """What lines that were not read look like -> how many there are, and the first of them."""

    @property
    def unread(self) -> list[Unread]:
        """The lines that the reader left alone, in order of their first line."""
        unreads = (Unread(lines, first, what) for what, (lines, first) in self.left_alone.items())
        return sorted(unreads, key=lambda unread: unread.first_line)

    def skip(self, line: int, what: str) -> None:
        """Count *line* as left alone."""
        lines, first = self.left_alone.get(what, (0, line))
        self.left_alone[what] = lines + 1, first

    def add(
        self, name: str, of: str, cell: str, column: SeriesColumn, line: int, printed: str = ""
    ) -> float | None:
        """Add the figure that *cell* is in the unit of *column*: its value; None where it is no number."""
        try:
            value = number_of(cell)
        except ValueError:
            return None
        column = SeriesColumn(name, column.unit, column.scale, grain_of(cell))
        self.figures.append(figure(name, of, value, column, line, printed))
        return self.figures[-1].value

    def add_exact(self, name: str, of: str, value: float, unit: str, line: int, printed: str = "") -> None:
        """Add a figure whose digits leave no interval, such as a count."""
        self.figures.append(Figure(name, of, value, unit, value, value, line, printed))

    def add_section(self, title: str, since: int, first_line: int = 0, last_line: int = 0) -> None:
        """Note the part with the figures from number *since* on, which reaches to their own lines if not said."""
        if figures := self.figures[since:]:
            first, last = first_line or figures[0].line, last_line or figures[-1].line
            self.sections.append(Section(title, first, last, len(figures)))

    def name(self, of: str, what: str, text: str, line: int) -> None:
        """Keep a name; of a long text its begin."""
        text = text.strip()
        if len(text) > MOST_LETTERS:
            text = f"{text[:MOST_LETTERS]} ..."
        if text and len(self.names) < MOST_NAMES:
            self.names.append(Name(of, what, text, line))

    def count(self) -> int:
        """Number of figures and settings, those of the series included."""
        return len(self.figures) + len(self.settings) + sum(len(series.values) for series in self.series)


def figure(name: str, of: str, printed: float, column: SeriesColumn, line: int, text: str = "") -> Figure:
    """The figure that *printed* is in *column*, as *text*; the interval is half a printed digit to either side."""
    half = column.grain / 2
    low, high = sorted(((printed - half) * column.scale, (printed + half) * column.scale))
    return Figure(
        name,
        of,
        printed * column.scale,
        column.unit,
        max(low, 0.0) if printed >= 0 else low,
        high,
        line,
        text,
    )


PRINTED_UNITS: Final = {
    ("s", 1.0): " s", ("s", 1e-2): " cs", ("s", 1e-3): " ms", ("s", 1e-6): " µs", ("s", 1e-9): " ns",
    ("bytes", 1.0): " bytes", ("bytes/s", 1.0): " bytes/s", ("bytes/s", 1024.0): " KB/s", ("fraction", 0.01): " %",
    ("blocks", 1.0): " blocks", ("gets", 1.0): " gets", ("rows", 1.0): " rows",
}  # fmt: skip
"""Unit and scale of a printed number -> what a reader wants behind it where the file has no unit there."""


def with_unit(printed: str, unit: str, scale: float = 1.0) -> str:
    """A printed number with its unit; "1 block", "2 blocks"."""
    named = PRINTED_UNITS.get((unit, scale), "")
    return f"{printed}{named.removesuffix('s') if printed == '1' and unit in COUNTED else named}"


COUNTED: Final = ("blocks", "gets", "rows")


def grain_of(printed: str) -> float:
    """Distance of two numbers that differ in the last printed digit: 0.01 for "1.50", 1 for "12", 100 for "1.2E3"."""
    mantissa, _, exponent = printed.strip().lstrip("+-").lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    tens = (int(exponent[:9]) if exponent else 0) - decimals
    return 10.0 ** max(-LARGEST_TENS, min(LARGEST_TENS, tens))


def number_of(printed: str) -> float:
    """The number that *printed* is, with thousands separators; raises ValueError for anything else."""
    text = printed.strip()
    if not text or not NUMBER.fullmatch(text) or not any(digit.isdigit() for digit in text):
        raise ValueError(f"{printed!r} is not a number")
    value = float(text.replace(",", ""))
    if abs(value) > LARGEST:
        raise ValueError(f"{printed[:20]!r} is larger than any number of a report")
    return value


def mean(values: Sequence[float]) -> float:
    """Their arithmetic mean; 0 of none."""
    return sum(values) / len(values) if values else 0.0


def plural(count: int, word: str) -> str:
    """A count with its noun: "1 sample", "216 samples"."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
