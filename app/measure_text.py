"""What `measure` prints: what was read, from which lines, what it says, what is missing and what was left alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from app.lines import head, wrapped
from app.output import one_line
from model.units import show_bytes, show_seconds
from validation.instruments.figures import Figure, Reading, Series, mean, plural

MOST_DEVICES: Final = 12
MOST_UNREAD: Final = 8
MOST_SECTIONS: Final = 12
MOST_FIGURES: Final = 60
READS: Final = ("r/s", "w/s", "tps")
BYTES: Final = ("rkB/s", "rMB/s", "rsec/s", "rkB", "wkB/s", "wMB/s", "wsec/s", "wkB")
TIMES: Final = ("r_await", "w_await", "await")
QUEUES: Final = ("avgqu-sz", "aqu-sz")
UTILISED: Final = ("%util", "util", "util-percent")


def title_line(reading: Reading) -> str:
    """One line for one report."""
    return one_line(f"{reading.file}: {reading.title}, {reading.count():,} figures")


def reading_lines(reading: Reading, width: int, most_figures: int | None = None) -> Iterator[str]:
    """One report, in lines of at most *width*."""
    yield head(title_line(reading))
    host = [reading.host.system, plural(reading.host.cpus, "CPU") if reading.host.cpus else None]
    told = ", ".join(filter(None, host))
    if told:
        yield f"system    {told}"
    if reading.begins or reading.ends:
        span = " to ".join(filter(None, [reading.begins, reading.ends]))
        word = "every" if reading.series else "for"
        every = f", {word} {show_seconds(reading.interval_s)}" if reading.interval_s else ""
        yield f"time      {span}{every}"
    yield from _section_lines(reading, width)
    for missing in reading.missing:
        yield from wrapped(missing, width, first="missing   ")
    for follows in reading.follows:
        yield from wrapped(follows, width, first="note      ")
    if reading.series:
        yield ""
        yield from _series_lines(reading.series)
    if reading.settings:
        yield ""
        yield head("parameters")
        for setting in reading.settings:
            yield f"  {setting.name:<40}{one_line(setting.value):<24} line {setting.line:,}"
    if reading.names:
        yield ""
        yield head("names")
        for name in reading.names[:most_figures]:
            text = f"{name.of}, {name.what}, line {name.line:,}: {name.text}"
            yield from wrapped(one_line(text), width, first="  ")
        if most_figures is not None and len(reading.names) > most_figures:
            yield f"and {len(reading.names) - most_figures:,} more names: --figures prints them all"
    if reading.figures:
        yield ""
        yield from _figure_lines(reading.figures[:most_figures])
        rest = len(reading.figures) - len(reading.figures[:most_figures])
        if rest:
            yield f"and {rest:,} more figures: --figures prints them all"


def series_of_fio(readings: Sequence[Reading], most: int | None = None) -> Iterator[str]:
    """One table of what fio's jobs reached, by direction, block size and depth; nothing of a single job."""
    rows = sorted(row for reading in readings if reading.format == "fio" for row in _fio_rows(reading))
    if len(rows) < 2:
        return
    yield head(f"fio: {len(rows)} jobs by direction, block size and depth")
    wide = max(len("job"), *(len(job) for *_, job, _ in rows))
    heads = ("block", "depth", "jobs", "IOPS", "bytes/s", "mean", "p99")
    yield f"{'job':{wide}}  {'':5}" + "".join(f"{name:>11}" for name in heads)
    for direction, block, depth, jobs, job, cells in rows[:most]:
        first = (
            show_bytes(block) if block else "-",
            *(f"{count:g}" if count else "-" for count in (depth, jobs)),
        )
        yield f"{job:{wide}}  {direction:5}" + "".join(f"{cell:>11}" for cell in (*first, *cells))
    if most is not None and len(rows) > most:
        yield f"and {len(rows) - most:,} more jobs: --figures prints them all"


def _fio_rows(reading: Reading) -> Iterator[tuple[str, float, float, float, str, tuple[str, ...]]]:
    """Each job and direction: direction, block size, depth, number of jobs, name, and what it reached."""
    found = {(one.of, one.name): one for one in reading.figures}
    asked = {key: one.value for key, one in found.items()}
    for of, name in found:
        if name != "iops":
            continue
        job, _, direction = of.rpartition(" ")
        names = (("iops",), ("bw_bytes", "bw"), ("lat_ns mean", "lat mean"), ("clat_ns p99", "clat p99"))
        figures = (next((found[of, one] for one in either if (of, one) in found), None) for either in names)
        cells = tuple(_shown(figure.value, figure.unit) if figure else "-" for figure in figures)
        yield (
            direction,
            asked.get((job, "bs"), 0.0),
            asked.get((job, "iodepth"), 0.0),
            asked.get((job, "numjobs"), 0.0),
            one_line(f"{reading.file} {job}"),
            (cells[0].removesuffix(" 1/s"), *cells[1:]),
        )


def _section_lines(reading: Reading, width: int) -> Iterator[str]:
    """What was read and what was left alone, each with its lines."""
    for place, section in enumerate(reading.sections[:MOST_SECTIONS]):
        lines = f"lines {section.first_line:,} to {section.last_line:,}"
        yield from wrapped(
            f"{section.title}: {section.figures:,} figures, {lines}",
            width,
            first="read      " if not place else " " * 10,
        )
    if len(reading.sections) > MOST_SECTIONS:
        yield f"          and {len(reading.sections) - MOST_SECTIONS:,} more sections"
    for place, unread in enumerate(reading.unread[:MOST_UNREAD]):
        what = f"{unread.lines:,} × {unread.what}, from line {unread.first_line:,} on"
        yield from wrapped(what, width, first="not read  " if not place else " " * 10)
    if len(reading.unread) > MOST_UNREAD:
        rest = reading.unread[MOST_UNREAD:]
        left = sum(unread.lines for unread in rest)
        yield f"          and {left:,} lines of {len(rest)} other kinds (--json lists them)"


def _series_lines(series: Sequence[Series]) -> Iterator[str]:
    """Means over the samples, the busiest devices first."""
    devices = [one for one in series if one.of != "cpu"]
    names = {column.name for one in devices for column in one.columns}
    shown = [name for name in (*READS, *BYTES, *TIMES, *QUEUES, *UTILISED) if name in names]
    busiest = sorted(devices, key=lambda one: -_busy(one))[:MOST_DEVICES]
    wide = max([len("device"), *(len(one.of) for one in busiest)])
    rest = f", {MOST_DEVICES} busiest of {len(devices)} devices" if len(devices) > MOST_DEVICES else ""
    heading = f"means over all samples{rest}"
    yield head(heading)
    yield f"{'device':{wide}}" + "".join(f"{name:>13}" for name in shown)
    for one in busiest:
        there = {column.name for column in one.columns}
        cells = (
            _shown(mean(one.column(name)), next(c.unit for c in one.columns if c.name == name))
            if name in there
            else "-"
            for name in shown
        )
        yield f"{one.of:{wide}}" + "".join(f"{cell:>13}" for cell in cells)
    for one in (one for one in series if one.of == "cpu"):
        busy = "  ".join(f"{column.name} {mean(one.column(column.name)):.1%}" for column in one.columns)
        yield f"processors: {busy}"


def _busy(series: Series) -> float:
    """Requests a second, as a share of time says nothing of devices that serve several at once."""
    return sum(mean(series.column(column.name)) for column in series.columns if column.name in READS)


def _figure_lines(figures: Sequence[Figure]) -> Iterator[str]:
    """Figures by what they are of."""
    of = None
    for figure in figures:
        if figure.of != of:
            of = figure.of
            yield head(of or "the whole report")
        yield f"  {figure.name:<28}{_shown(figure.value, figure.unit):>14}   line {figure.line:,}"


def _shown(value: float, unit: str) -> str:
    """A value as a reader wants it."""
    if unit == "s":
        return show_seconds(value)
    if unit == "bytes":
        return show_bytes(value)
    if unit == "bytes/s":
        return f"{show_bytes(value)}/s"
    if unit == "fraction":
        return f"{value:.1%}"
    if unit not in {"count", "", "requests"}:
        return f"{value:,.6g} {unit}"
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:,.2f}"
