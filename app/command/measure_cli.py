"""The command `measure`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import click

from blocktime.app.base.lines import wrapped
from blocktime.app.base.output import (
    one_line,
    print_answer,
    print_json,
    print_lines,
    progress_to_terminal,
    width_of_terminal,
)
from blocktime.app.command.files import check_place, write_beside
from blocktime.app.command.options import FORCE, quietly
from blocktime.app.reports.measuring import document_of, read_file
from blocktime.app.text.measure_text import MOST_FIGURES, next_line, quiet_line, report_lines
from blocktime.app.text.measured_text import against_lines, against_sentence, change_lines, change_sentence, hour_lines
from blocktime.model.errors import SpecError, UnknownName
from blocktime.scenarios import load, to_mapping
from blocktime.scenarios.load import STANDARD_INPUT, split_name
from blocktime.validation.identify.against import against
from blocktime.validation.identify.report import Report
from blocktime.validation.identify.two_reports import change_of, changes_of
from blocktime.validation.instruments import Keep, NotReadable, Reading

WRONG_INPUT = 2
MOST_FILES = 500
"""Files of a folder that are read at once; a folder with more is none of reports alone."""
MOST_INPUT_BYTES = 4 * 1024**3
"""What is copied of standard input or a pipe, as it is read twice."""


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--device", "devices", multiple=True, metavar="NAME", help="Read only this device of iostat and sar.")
@click.option(
    "--out", "out", type=click.Path(path_type=Path), metavar="FILE",
    help="Also write a scenario file of the system, with its figures under [measured].",
)  # fmt: skip
@click.option(
    "--statement",
    metavar="ID",
    help="With --out: describe this statement of a SQL trace or TKPROF report, by SQL ID or number.",
)
@click.option(
    "--rpm", type=click.FloatRange(100, 100_000), metavar="TURNS",
    help="With --out: rotation speed of the hard disk that fio read, in rpm.",
)  # fmt: skip
@click.option(
    "--against", "against_file", metavar="FILE",
    help="Say by cause what changed from the report to this one of the same system.",
)  # fmt: skip
@FORCE
@click.option("--figures", "all_figures", is_flag=True, help="Print all figures of each report, not only the first.")
@click.option("--keep-sql", is_flag=True, help="Keep the text of SQL statements.")
@click.option("--keep-names", is_flag=True, help="Keep names of hosts, databases, users and objects.")
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
@quietly("Print one line for each report.")
def measure(files: tuple[str, ...], devices: tuple[str, ...], quiet: bool, **how: Any) -> int | None:
    """Read reports: AWR, Statspack, TKPROF, SQL trace, iostat, sar and fio, recognised by their content.

    A folder stands for its files, - for standard input. Nothing is changed or sent anywhere. SQL text and names of
    hosts, users and objects are dropped unless --keep-sql or --keep-names is given.
    """
    out: Path | None = how["out"]
    for name, what in (("statement", "its scenario"), ("rpm", "the disk's scenario")):
        if how[name] is not None and out is None:
            raise SpecError(f"--{name} goes with --out, which names the file for {what}")
    if how["against_file"] is not None:
        return _print_change(files, how["against_file"], how["as_json"], quiet)
    if out is not None:
        check_place("--out", out, how["force"])
    readings, refused = _read(list(_paths(files)), quiet, Keep(sql=how["keep_sql"], names=how["keep_names"]))
    if devices:
        _keep_devices(readings, devices)
    identified: list[str] = []
    if out is not None and readings:
        identified = _write(out, readings, how["statement"], how["rpm"])
    if how["as_json"]:
        changes = {"changes": list(map(asdict, each))} if (each := list(changes_of(readings))) else {}
        print_json({"readings": list(map(_as_data, readings)), "refused": list(map(str, refused)), **changes})
    elif readings:
        _print(readings, quiet, how["all_figures"])
        if identified:
            print_lines(line for text in identified for line in wrapped(text, width_of_terminal()))
    for refusal in refused:
        print_lines([f"blocktime: {one_line(str(refusal))}"], err=True)
    return WRONG_INPUT if refused else None


def _print_change(files: Sequence[str], other: str, as_json: bool, quiet: bool) -> int:
    """Print what a transaction of *other* takes more than one of the one report among *files*, by cause."""
    if len(files) != 1:
        raise SpecError(f"measure --against: got {len(files)} files; name one report before it and one behind it")
    readings, refused = _read(list(_paths([*files, other])), quiet, Keep())
    if refused:
        raise refused[0]
    reports = [Report(reading) for reading in readings if reading.format == "awr"]
    if len(reports) != 2:
        raise SpecError(f"measure --against: got {len(reports)} AWR or Statspack reports; wanted are two")
    change = change_of(*reports)
    print_answer(
        as_json,
        quiet,
        lambda: {"change": asdict(change)},
        lambda: [change_sentence(change)],
        lambda: change_lines(change, width_of_terminal()),
    )
    return 0


def _print(readings: Sequence[Reading], quiet: bool, all_figures: bool) -> None:
    """Print what was read: a line a report, or its figures and what to do next."""
    if quiet:
        print_lines([*map(quiet_line, readings), *map(change_sentence, changes_of(readings))])
        return
    width = width_of_terminal()
    print_lines(report_lines(readings, width, None if all_figures else MOST_FIGURES))
    for change in changes_of(readings):
        print_lines(["", *change_lines(change, width)])
    print_lines(wrapped(next_line(readings, all_figures), width))


def print_against(
    cases: Sequence[str], settings: Sequence[str], reports: Sequence[str], *, as_json: bool, quiet: bool
) -> int:
    """Print what the file of a system predicts for the interval of other *reports*; raises what is wrong with them."""
    if len(cases) != 1:
        raise SpecError(f"validate --against: got {len(cases)} files; name the one file of a system")
    name, more_settings = split_name(cases[0])
    system = load(name)
    if name in STANDARD_INPUT and "-" in reports:
        raise SpecError("validate --against: standard input holds the scenario or the report, not both")
    if not system.compared:
        raise SpecError(f"{name}: has no measured figures; blocktime measure --out writes such a file")
    readings, refused = _read(list(_paths(reports)), quiet, Keep())
    if refused:
        raise refused[0]
    with progress_to_terminal(quiet, f"predicting {reports[0]}", ""):
        comparison = against(system, to_mapping(load(name, [*settings, *more_settings])), readings)
    print_answer(
        as_json,
        quiet,
        comparison.to_json,
        lambda: [against_sentence(comparison)],
        lambda: against_lines(comparison, width_of_terminal()),
    )
    return 0


def _write(out: Path, readings: list[Reading], statement: str | None, rpm: float | None) -> list[str]:
    """Write a scenario of the system or of *statement*, as far as *readings* identify it; sentences about it.

    Raises NotIdentified, and writes nothing, where they do not determine the statement.
    """
    document = document_of(readings, statement, rpm)
    write_beside(out, document.text)
    identified = document.identified
    if identified is None:
        calls = any(reading.format in ("10046", "tkprof") for reading in readings)
        hint = "; --statement makes a scenario of one statement" if calls else ""
        return ["", f"{out.name} contains the figures but no scenario: {document.reason}{hint}."]
    assumed = sum(known.assumed for known in identified.known)
    known, what = len(identified.known) - assumed, "system" if statement is None else "statement"
    return [
        "",
        f"{out.name} is a scenario of the {what}: the figures determine {known} fields, each named there with its "
        f"lines, and {assumed} are assumed. blocktime run {out.name} prints {len(identified.compared)} figures as "
        "measured "
        "and as modelled.",
        *(f"{text[0].upper()}{text[1:]}." for text in identified.says),
        *hour_lines(identified.hours),
    ]


def _paths(files: Sequence[str]) -> Iterator[tuple[Path, str]]:
    """Each file with the name to call it by; raises SpecError for one that is not there."""
    for file in files:
        if not file:
            raise SpecError("measure: the name of a file is empty; name a file, a folder, a pipe or -")
        path = Path(file)
        if file == "-":
            given = None if sys.stdin is None else sys.stdin.buffer
            yield _copy_of(given, "standard input"), "standard input"
        elif path.is_dir():
            inside = _inside(path)
            if not inside:
                raise SpecError(f"measure: there is no file in the folder {file}")
            yield from ((inner, str(inner.relative_to(path))) for inner in inside)
        elif path.is_file():
            yield path, path.name
        elif path.is_fifo():  # such as <(zcat report.gz) of a shell
            try:
                with path.open("rb") as pipe:
                    yield _copy_of(pipe, file), path.name
            except OSError as fault:
                raise SpecError(f"measure: {file} cannot be read: {fault.strerror or fault}") from None
        elif path.exists():
            raise SpecError(f"measure: {file} is not a file; name a file, a folder, a pipe or -")
        else:
            raise SpecError(f"measure: there is no file {file}")


def _inside(folder: Path) -> list[Path]:
    """The files in *folder*, by name; raises SpecError for more than are read at once."""
    inside = list(islice((inner for inner in folder.rglob("*") if inner.is_file()), MOST_FILES + 1))
    if len(inside) > MOST_FILES:
        raise SpecError(
            f"measure: the folder {folder} has more than {MOST_FILES} files; at most {MOST_FILES} are read: name a "
            "folder with the reports of one system, or the files"
        )
    return sorted(inside)


def _copy_of(given: BinaryIO | None, name: str) -> Path:
    """What comes through a pipe as a file, as it is read twice: for its digest, and for its figures."""
    import atexit
    import tempfile

    if given is None:
        raise SpecError(f"measure: {name} is closed; name a file, or give a report to read")
    with tempfile.NamedTemporaryFile(prefix="blocktime-", delete=False) as copy:
        atexit.register(Path(copy.name).unlink, missing_ok=True)
        while chunk := given.read(1 << 20):
            if copy.tell() + len(chunk) > MOST_INPUT_BYTES:
                limit = MOST_INPUT_BYTES // 1024**3
                raise SpecError(f"measure: {name} has more than {limit} GB; write it to a file and name that")
            try:
                copy.write(chunk)
            except OSError as fault:
                raise SpecError(f"measure: {name} cannot be copied: {fault.strerror or fault}") from None
    return Path(copy.name)


def _read(paths: Sequence[tuple[Path, str]], quiet: bool, keep: Keep) -> tuple[list[Reading], list[NotReadable]]:
    """What each file says, and what could not be read."""
    readings: list[Reading] = []
    refused: list[NotReadable] = []
    for path, name in paths:
        with progress_to_terminal(quiet, f"reading {name}", "bytes") as progress:
            try:
                readings += read_file(path, name, keep, progress)
            except NotReadable as refusal:
                refused.append(refusal)
    return readings, refused


def _keep_devices(readings: Sequence[Reading], devices: Sequence[str]) -> None:
    """Leave the series of *devices* alone; raises UnknownName for one that no report has."""
    there = sorted({series.of for reading in readings for series in reading.series})
    for device in devices:
        if there and device not in there:
            raise UnknownName("device", device, there)
    for reading in readings:
        reading.series = [series for series in reading.series if series.of in devices]


def _as_data(reading: Reading) -> dict[str, Any]:
    """The reading as plain data: figures as they are, series as columns with printed rows scaled to their units."""
    data = asdict(replace(reading, series=[], fetches={}))
    for inner in ("fetches", "figure_count", "is_full", "whole_line", "last_skipped"):
        del data[inner]
    data["series"] = [
        {
            "of": series.of, "lines": list(series.lines), "samples": list(series.samples),
            **({"grains": list(series.grains)} if series.grains else {}),
            "columns": [
                {"name": column.name, "unit": column.unit, "half_grain": column.grain * column.scale / 2,
                 "values": values}
                for column, values in series.by_column()
            ],
        }
        for series in reading.series
    ]  # fmt: skip
    return data
