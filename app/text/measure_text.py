"""What `measure` prints: what was read, from which lines, what it says, what is missing and what was left alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log10
from typing import Final

from blocktime.app.base.lines import head, table, with_unit, wrapped
from blocktime.app.base.output import one_line
from blocktime.app.text.measure_first import show_figure, table_lines, tables_of
from blocktime.model.units import show_bytes, show_seconds
from blocktime.validation.instruments.figures import Figure, Reading, Series, mean, plural

MOST_DEVICES: Final = 12
MOST_UNREAD: Final = 8
MOST_SECTIONS: Final = 12
MOST_FIGURES: Final = 60
MOST_JOBS: Final = 4
PAGES: Final = {"10046": "trace", "parameters": "plan", "views": "plan", "calibration": "plan"}
"""Format -> its page of the documentation, where that has another name."""
READS: Final = ("r/s", "w/s", "tps")
BYTES: Final = ("rkB/s", "rMB/s", "rsec/s", "rkB", "wkB/s", "wMB/s", "wsec/s", "wkB")
TIMES: Final = ("r_await", "w_await", "await")
QUEUES: Final = ("aqu-sz", "avgqu-sz")
"""The newer name first; sadf of a sysstat between the two prints both."""
FIO_TIMES: Final = ("lat", "clat")
"""Times of fio that may have percentiles: lat from submission on, where lat_percentiles asks for it; clat is without
the submission (slat). Mean and p99 are shown of one of them."""
UNITS: Final = ("_ns", "")
UTILISED: Final = ("%util", "util", "util-percent")


def title_line(reading: Reading) -> str:
    """One line for one report."""
    doubts = f", {plural(len(reading.doubts), 'doubt')}" if reading.doubts else ""
    return one_line(f"{reading.file}: {reading.title}, {reading.count():,} figures{doubts}")


def quiet_line(reading: Reading) -> str:
    """One line for one report, with what fio's jobs reached."""
    rows = sorted(_fio_rows(reading))[:MOST_JOBS] if reading.format == "fio" else []
    return title_line(reading) + "".join(
        f"; {direction} {show_bytes(block) if block else '-'}, depth {f'{depth:g}' if depth else '-'}: "
        f"{iops} IOPS, {time} mean {mean}, p99 {p99}"
        for direction, block, depth, _, _, (iops, _, time, mean, p99) in rows
    )


def next_line(readings: Sequence[Reading], all_figures: bool) -> str:
    """What a reader can do next."""
    pages = {PAGES.get(reading.format, reading.format) for reading in readings}
    page = pages.pop() if len(pages) == 1 else "index"
    every = "" if all_figures else "--figures prints every figure, "
    return (
        f"Next: {every}--json gives values in seconds and bytes, --out my.toml keeps them; "
        f"docs/measure/{page}.md says more."
    )


def report_lines(readings: Sequence[Reading], width: int, most_figures: int | None) -> Iterator[str]:
    """Every report; several of fio, unless every figure is wanted, are one table."""
    of_fio = [reading for reading in readings if reading.format == "fio"]
    as_table = len(of_fio) > 1 and most_figures is not None
    for reading in readings:
        if as_table and reading.format == "fio":
            yield head(title_line(reading))
        else:
            yield from (*reading_lines(reading, width, most_figures), "")
    if of_fio:
        yield from ("",) * as_table
        yield from (*series_of_fio(of_fio, most_figures), "")


def reading_lines(reading: Reading, width: int, most_figures: int | None = None) -> Iterator[str]:
    """One report, in lines of at most *width*."""
    yield head(title_line(reading))
    host = [reading.host.system, plural(reading.host.cpus, "CPU") if reading.host.cpus else None]
    facts = ", ".join(filter(None, host))
    if facts:
        yield f"system    {facts}"
    if reading.begins or reading.ends:
        span = " to ".join(filter(None, [reading.begins, reading.ends]))
        yield f"time      {span}{_lasts(reading)}"
    for missing in reading.missing:
        yield from wrapped(missing, width, first="missing   ")
    for doubt in reading.doubts[:MOST_UNREAD]:
        yield from wrapped(one_line(doubt), width, first="doubt     ")
    if len(reading.doubts) > MOST_UNREAD:
        yield f"          and {len(reading.doubts) - MOST_UNREAD:,} more doubts (--json lists them)"
    for follows in reading.follows:
        yield from wrapped(follows, width, first="note      ")
    if reading.series:
        yield ""
        yield from _series_lines(reading)
    yield from _what_it_says(reading, most_figures)
    yield ""
    yield from _section_lines(reading, width)
    if reading.settings:
        yield ""
        yield head("parameters")
        for setting in reading.settings:
            yield f"  {setting.name:<40}{one_line(setting.value):<24} line {setting.line:,}"
    if reading.names:
        yield ""
        yield from _name_lines(reading, width, most_figures)


def _lasts(reading: Reading) -> str:
    """The interval, as the report prints it where it does."""
    if not reading.interval_s:
        return ""
    if reading.series:
        return f", every {show_seconds(reading.interval_s)}"
    elapsed = next((figure for figure in reading.figures if (figure.of, figure.name) == ("report", "Elapsed")), None)
    return f", for {show_figure(elapsed) if elapsed else f'{reading.interval_s:,.6f} s'}"


def _what_it_says(reading: Reading, most: int | None) -> Iterator[str]:
    """What is wanted first, as tables, or the first figures; every figure where *most* is none."""
    tables = [] if most is None else tables_of(reading)
    for title, rows in tables:
        yield ""
        yield from table_lines(title, rows)
    figures = [] if tables else reading.figures[:most]
    if figures:
        yield ""
        yield from _figure_lines(figures)
    if tables:
        yield ""
        yield f"{reading.count():,} figures in all: --figures prints them"
    elif rest := len(reading.figures) - len(figures):
        yield f"and {rest:,} more figures: --figures prints them all"


def _name_lines(reading: Reading, width: int, most: int | None) -> Iterator[str]:
    yield head("names")
    for name in reading.names[:most]:
        text = f"{name.of}, {name.what}, line {name.line:,}: {name.text}"
        yield from wrapped(one_line(text), width, first="  ")
    if most is not None and len(reading.names) > most:
        yield f"and {len(reading.names) - most:,} more names: --figures prints them all"


def series_of_fio(readings: Sequence[Reading], most: int | None = None) -> Iterator[str]:
    """One table of what fio's jobs reached, by direction, block size and depth."""
    rows = sorted(row for reading in readings if reading.format == "fio" for row in _fio_rows(reading))
    if not rows:
        return
    yield head(f"fio: {plural(len(rows), 'job')} by direction, block size and depth")
    cells_of: list[tuple[str, ...]] = [("job", "", "block", "depth", "jobs", "IOPS", "bytes/s", "time", "mean", "p99")]
    for direction, block, depth, jobs, job, cells in rows[:most]:
        counts = (f"{count:g}" if count else "-" for count in (depth, jobs))
        cells_of.append((job, direction, show_bytes(block) if block else "-", *counts, *cells))
    yield from table(cells_of, indent="")
    if most is not None and len(rows) > most:
        yield f"and {len(rows) - most:,} more jobs: --figures prints them all"


def _fio_rows(reading: Reading) -> Iterator[tuple[str, float, float, float, str, tuple[str, ...]]]:
    """Each job and direction: direction, block size, depth, number of jobs, name, and what it reached."""
    figure_of = {(figure.of, figure.name): figure for figure in reading.figures}
    options = {key: figure.value for key, figure in figure_of.items()}
    for of, name in figure_of:
        if name != "iops":
            continue
        job, _, direction = of.rpartition(" ")
        time = next(
            (time for time in FIO_TIMES if any((of, f"{time}{unit} p99") in figure_of for unit in UNITS)), "lat"
        )
        means, shares = ([f"{time}{unit} {what}" for unit in UNITS] for what in ("mean", "p99"))
        iops, rate, mean, p99 = (
            next((_value(figure_of[of, text]) for text in either if (of, text) in figure_of), "-")
            for either in (("iops",), ("bw_bytes", "bw"), means, shares)
        )
        cells = (iops, rate, time, mean, p99)
        yield (
            direction,
            options.get((job, "bs"), 0.0),
            options.get((job, "iodepth"), 0.0),
            options.get((job, "numjobs"), 0.0),
            one_line(f"{reading.file} {job}"),
            cells,
        )


def _section_lines(reading: Reading, width: int) -> Iterator[str]:
    """What was read and what was left alone, each with its lines."""
    for place, section in enumerate(reading.sections[:MOST_SECTIONS]):
        lines = f"lines {section.first_line:,} to {section.last_line:,}"
        yield from wrapped(
            f"{section.title}: {plural(section.figures, 'figure')}, {lines}",
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


def _series_lines(reading: Reading) -> Iterator[str]:
    """Means over the samples in the units of the headings, the busiest devices first."""
    first = reading.first_sample
    devices = [series for series in reading.series if series.of != "cpu"]
    names = {column.name for device in devices for column in device.columns}
    queue = [name for name in QUEUES if name in names][:1]
    means = [name for name in (*READS, *BYTES, *TIMES, *queue, *UTILISED) if name in names]
    busiest = sorted(devices, key=lambda series: -_busy(series, first))[:MOST_DEVICES]
    rest = f", {MOST_DEVICES} busiest of {len(devices)} devices" if len(devices) > MOST_DEVICES else ""
    alone = all(len(device.lines) == 1 for device in devices)
    over = "the one sample" if alone else f"means over all samples{' but the first' if first else ''}"
    yield head(f"{over}{rest}")
    of_device = [(series.of, _means(series, first)) for series in busiest]
    rows = [[of, *(cells.get(name, "-") for name in means)] for of, cells in of_device]
    yield from table([["device", *means], *rows], indent="")
    for processors in (series for series in reading.series if series.of == "cpu"):
        yield "processors: " + "  ".join(f"{name} {cell}" for name, cell in _means(processors, first).items())


def _means(series: Series, first_sample: int) -> dict[str, str]:
    """Mean of each column in its printed unit, with as many decimals as were printed."""
    return {
        column.name: f"{value / column.scale:,.{max(0, -round(log10(column.grain)))}f}"
        for column, value in series.means(first_sample)
    }


def _busy(series: Series, first_sample: int) -> float:
    """Requests a second, as a share of time says nothing of devices that serve several at once."""
    return sum(mean(values) for column, values in series.by_column(first_sample) if column.name in READS)


def _figure_lines(figures: Sequence[Figure]) -> Iterator[str]:
    of = None
    for figure in figures:
        if figure.of != of:
            of = figure.of
            yield head(of or "the whole report")
        yield f"  {figure.name:<28}{show_figure(figure):>14}   line {figure.line:,}"


def _value(figure: Figure) -> str:
    """What a figure comes to in seconds, bytes and counts."""
    return with_unit(figure.value, figure.unit if figure.unit in ("s", "bytes/s") else "")
