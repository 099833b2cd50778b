"""What an instrument printed, in one plain form: figures with unit, grain and line. Nothing of the model is in it."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from blocktime.model.errors import BlocktimeError

NUMBER: Final = re.compile(r"[-+]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
LARGEST_TENS: Final = 300
LARGEST: Final = 1e18
"""No report prints a larger number; any unit's multiple of it is a number still."""
MOST_LETTERS: Final = 4_000
"""Letters of one name or SQL text that are kept."""
MOST_NAMES: Final = 10_000
MOST_FIGURES: Final = 200_000
"""Figures of one file; the largest AWR has some 10,000, a listing of 20,000 tables 100,000."""
MOST_SETTINGS: Final = 10_000
MOST_KINDS: Final = 1_000
"""Kinds of lines that are told apart where a reader leaves them alone."""
MOST_DOUBTS: Final = 100
MOST_DIGITS: Final = 18
"""Digits before the point; no counter of a report has more."""
NO_LIMIT: Final = "9223372036854775807"
"""The largest signed number of 64 bits, as which operating systems print the lack of a limit."""
LEVEL: Final = re.compile(r"\b(?:current|memory|allocation)\b", re.IGNORECASE)
"""Statistics that count up and down: over an interval they may fall."""
MULTIPLES: Final = {"": 1.0, "K": 1024.0, "M": 1024.0**2, "G": 1024.0**3, "T": 1024.0**4, "P": 1024.0**5}


OTHER_FORM: Final = "lines of another form"
CUT_LINES: Final = "lines that are cut off"
MALFORMED: Final = (OTHER_FORM, CUT_LINES)
"""What rows are called whose cells do not fit."""
EVERY_LINE: Final = -1
CUT_OFF: Final = "the file ends within this line: its figures are not used"


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


ALL_REQUESTS: Final = ("r/s", "w/s", "d/s", "tps")
REQUESTS_OF: Final = {
    **{f"{letter}{what}": (f"{letter[0]}/s",) for letter in "rwdf" for what in ("_await", "areq-sz")},
    **dict.fromkeys(("await", "svctm", "areq-sz", "avgrq-sz"), ALL_REQUESTS),
}
"""Column of what a request takes or has -> the columns that count such requests."""


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

    def take_back(self, line: int) -> None:
        """Drop the last row where it is of *line*."""
        if self.lines and self.lines[-1] == line:
            wide = len(self.columns)
            del self.lines[-1], self.samples[-1], self.values[-wide:], self.grains[-wide:]

    def column(self, name: str) -> list[float]:
        """Values of one column, sample by sample, in its unit."""
        place = [column.name for column in self.columns].index(name)
        return self._values(place)

    def by_column(self, first_sample: int = 0) -> Iterator[tuple[SeriesColumn, list[float]]]:
        """Every column with its values from *first_sample* on, in its unit; all of them where none is so late."""
        first = self.first_row(first_sample)
        for place, column in enumerate(self.columns):
            yield column, self._values(place)[first:]

    def means(self, first_sample: int = 0) -> Iterator[tuple[SeriesColumn, float]]:
        """Every column with its mean from *first_sample* on, in its unit; of what a request takes, over requests."""
        rows = list(self.by_column(first_sample))
        values = {column.name: of for column, of in rows}
        for column, of in rows:
            counts = [values[name] for name in REQUESTS_OF.get(column.name, ()) if name in values]
            weights = [sum(requests) for requests in zip(*counts, strict=True)]
            weighted = sum(weight * value for weight, value in zip(weights, of, strict=False))
            yield column, weighted / sum(weights) if sum(weights) > 0 else mean(of)

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
class FilePart:
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
    instance: str = ""
    """What tells one database and instance from another: a digest of their numbers."""


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
    sections: list[FilePart] = field(default_factory=list)
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
    figure_count: list[int] = field(default_factory=lambda: [0])
    """How many figures are kept of all reports of the file; the one number is shared by them."""
    is_full: bool = False
    """Whether it had more figures than are kept."""
    whole_line: int = 0
    """The last line whose numbers are known to have all their digits; EVERY_LINE of a report that tells its end."""
    last_skipped: tuple[int, str] = (0, "")
    """The last line that was left alone, and what it looks like."""
    left_alone: dict[str, tuple[int, int]] = field(default_factory=dict)
    """What lines that were not read look like -> how many there are, and the first of them."""
    doubts: list[str] = field(default_factory=list)
    """Figures that cannot be right, or are cut off: each with its line, and none of them is used."""

    @property
    def unread(self) -> list[Unread]:
        """The lines that the reader left alone, in order of their first line."""
        unreads = (Unread(lines, first, what) for what, (lines, first) in self.left_alone.items())
        return sorted(unreads, key=lambda unread: unread.first_line)

    def skip(self, line: int, what: str) -> None:
        """Count *line* as left alone."""
        if len(self.left_alone) >= MOST_KINDS and what not in self.left_alone:
            what = "lines of other kinds"
        self.last_skipped = line, what
        lines, first = self.left_alone.get(what, (0, line))
        self.left_alone[what] = lines + 1, first

    def doubt(self, line: int, text: str) -> None:
        """Note what in *line* cannot be right, or is cut off."""
        if len(self.doubts) < MOST_DOUBTS:
            self.doubts.append(f"line {line:,}: {text}")
        elif len(self.doubts) == MOST_DOUBTS:
            self.doubts.append(f"line {line:,} and later ones: more of the kind")

    def refusal(self, text: str) -> NotReadable:
        """Why there is no reading: *text*, and the first figure that cannot be right."""
        return NotReadable(f"{self.file}: {text}{f' ({self.doubts[0]})' if self.doubts else ''}")

    def no_number(self, line: int, of: str, cell: str, what: str) -> None:
        """Count *line* as left alone for a *cell* without a number; one that is cut off or absurd is doubted."""
        if reason := absurd(cell) or ("is cut off" if CUT.fullmatch(cell) else ""):
            self.doubt(line, f"{of}: {cell[:QUOTED_LETTERS]} {reason}")
        else:
            self.skip(line, what)

    def add(self, name: str, of: str, cell: str, column: SeriesColumn, line: int, printed: str = "") -> float | None:
        """Add the figure that *cell* is in the unit of *column*: its value; 0 of an absurd one, None of no number."""
        if not is_number(cell):
            return None
        reason = absurd(cell)
        if reason == NEGATIVE and (column.unit == "fraction" or LEVEL.search(of)):
            reason = ""
        if reason:
            self.doubt(line, f"{of}, {name}: {cell.strip()[:QUOTED_LETTERS]} {reason}")
            return 0.0
        column = SeriesColumn(name, column.unit, column.scale, grain_of(cell))
        made = figure(name, of, number_of(cell), column, line, printed)
        self.keep(made)
        return made.value

    def add_exact(self, name: str, of: str, value: float, unit: str, line: int, printed: str = "") -> None:
        """Add a figure whose digits leave no interval, such as a count."""
        self.keep(Figure(name, of, value, unit, value, value, line, printed))

    def keep(self, figure: Figure) -> None:
        """Keep a figure; of a file with too many no further one is."""
        if self.figure_count[0] < MOST_FIGURES:
            self.figures.append(figure)
            self.figure_count[0] += 1
        elif not self.is_full:
            self.is_full = True
            self.doubt(figure.line, f"more than {MOST_FIGURES:,} figures: the others are left out")

    def set(self, name: str, value: str, line: int) -> None:
        """Keep a parameter; those beyond MOST_SETTINGS are left alone."""
        if len(self.settings) < MOST_SETTINGS:
            self.settings.append(Setting(name, value, line))
        else:
            self.skip(line, f"parameters beyond {MOST_SETTINGS:,}")

    def leave_open(self, line: int) -> None:
        """Take back what the last *line* gave, as no line break ends it and its last number may be cut off."""
        before, skipped = self.count(), self.last_skipped
        self.figures = [figure for figure in self.figures if figure.line != line]
        self.settings = [setting for setting in self.settings if setting.line != line]
        for series in self.series:
            series.take_back(line)
        self.series = [series for series in self.series if series.lines]
        if self.count() < before or (skipped[0] == line and skipped[1] in MALFORMED):
            self.doubt(line, CUT_OFF)

    def add_section(self, title: str, since: int, first_line: int = 0, last_line: int = 0) -> None:
        """Note the part with the figures from number *since* on, which reaches to their own lines if not said."""
        if figures := self.figures[since:]:
            first, last = first_line or figures[0].line, last_line or figures[-1].line
            self.sections.append(FilePart(title, first, last, len(figures)))

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
        name, of, printed * column.scale, column.unit, max(low, 0.0) if printed >= 0 else low, high, line, text
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


def is_number(printed: str) -> bool:
    """Whether *printed* is a number, with or without thousands separators."""
    text = printed.strip()
    return NUMBER.fullmatch(text) is not None and any(digit.isdigit() for digit in text)


def number_of(printed: str) -> float:
    """The number that *printed* is, with thousands separators; infinite where it has too many digits."""
    return float(printed.strip().replace(",", ""))


NEGATIVE: Final = "is negative"
CUT: Final = re.compile(r"[0-9][0-9,]*\.[0-9]*[mun]|#+")
"""A number whose unit lost its second letter, or one that was too wide for its column."""
QUOTED_LETTERS: Final = 24
"""Letters of an absurd number that a sentence shows."""


def absurd(printed: str) -> str:
    """Why no count and no time of a report can be *printed*; empty where one can, and for what is no number."""
    text = printed.strip().replace(",", "")
    if not is_number(text):
        return ""
    digits = text.lower().lstrip("+-").partition("e")[0].partition(".")[0]
    if digits == NO_LIMIT:
        return ""
    if len(digits.lstrip("0")) > MOST_DIGITS:
        return f"has {len(digits)} digits"
    if abs(value := float(text)) > LARGEST:
        return "is larger than any number of a report"
    return NEGATIVE if value < 0 else ""


def mean(values: Sequence[float]) -> float:
    """Their arithmetic mean; 0 of none."""
    return sum(values) / len(values) if values else 0.0


def plural(count: int, word: str) -> str:
    """A count with its noun: "1 sample", "216 samples"."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
