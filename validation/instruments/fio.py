"""Reads fio's JSON of releases 2 and 3, json+ too: what each job and direction reached, and how it was asked."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, Final

from blocktime.validation.instruments import fio_text
from blocktime.validation.instruments.figures import (
    EVERY_LINE,
    MULTIPLES,
    QUOTED_LETTERS,
    NotReadable,
    Reading,
    Setting,
    absurd,
)
from blocktime.validation.instruments.json_text import JsonNumber, parsed
from blocktime.validation.instruments.opening import OpenedFile, Progress

NAME: Final = "fio"
HOW: Final = "fio JOBFILE --output-format=json+ --output=fio.json"
SIZE: Final = re.compile(r"(-?[0-9]+)([kKmMgG]?)[bB]?")
"""A block size; K, M and G are powers of 1024 unless the job says otherwise [fio(1), kb_base]."""
COUNT: Final = re.compile(r"(-?[0-9]+)()")
TIME: Final = re.compile(r"(-?[0-9]+)(s|m|h|)")
DIRECTIONS: Final = ("read", "write", "trim")
TEXT: Final = re.compile(r"^fio-[0-9]|: \(g=[0-9]+\): rw=|: \(groupid=[0-9]+, jobs=[0-9]+\)", re.MULTILINE)
PLAIN: Final[dict[str, tuple[str, float]]] = {
    "io_bytes": ("bytes", 1.0),
    "bw_bytes": ("bytes/s", 1.0),
    "iops": ("1/s", 1.0),
    "runtime": ("s", 1e-3),
    "total_ios": ("count", 1.0),
}
OF_JOB: Final = {"usr_cpu": ("fraction", 0.01), "sys_cpu": ("fraction", 0.01), "ctx": ("count", 1.0)}
TIMES: Final = {"slat": 1e-6, "clat": 1e-6, "lat": 1e-6, "slat_ns": 1e-9, "clat_ns": 1e-9, "lat_ns": 1e-9}
SECONDS: Final = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
OPTIONS: Final = {"iodepth": "count", "numjobs": "count", "bs": "bytes", "runtime": "s", "rwmixread": "percent"}

DRIVER: Final = re.compile(r"(sd|nvme|vd|xvd)[a-z]*[0-9]*(n[0-9]+)?(p?[0-9]+)?")
"""Names that the kernel gives drives: those of SCSI and SATA, of NVMe, of virtual machines."""
WORDS: Final = ("rw", "readwrite", "direct", "ioengine")
"""Options whose values are words, or switches."""
OPTION: Final = re.compile(rf'"({"|".join((*OPTIONS, *WORDS))})"\s*:\s*"([^"]*)"')
Stated = dict[tuple[str, str], list[int]]
"""Name and value of an option -> the lines that state it, in rising order."""


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* is fio's."""
    return '"fio version"' in head or bool(TEXT.search(head))


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """Every output in *source*, with its jobs; lines around them are counted."""
    text = source.text()
    braces = [match.start() for match in re.finditer(r"^\{", text, re.MULTILINE)]
    if not braces:
        return fio_text.read(source, progress)
    ends = [match.end() for match in re.finditer(r"^\}", text, re.MULTILINE)]
    readings, behind = [], 0
    for begin in braces:
        if begin < behind:  # a damaged output, which holds this line
            continue
        end = next((end for end in ends if end > begin), len(text))
        readings.append(_output(source, text, begin, end))
        _skip_around(readings[-1], text, behind, begin)
        behind = end
    _skip_around(readings[-1], text, behind, len(text))
    return readings


def _skip_around(reading: Reading, text: str, begin: int, end: int) -> None:
    """Count the lines of *text* from *begin* to *end*, which are none of an output."""
    first = text.count("\n", 0, begin) + 1
    for line, content in enumerate(text[begin:end].split("\n"), first):
        if content.strip():
            reading.skip(line, "text around the JSON")


def _output(source: OpenedFile, text: str, begin: int, end: int) -> Reading:
    """What the output of fio between *begin* and *end* of *text* says."""
    reading = source.reading(NAME)
    reading.whole_line = EVERY_LINE
    before = text.count("\n", 0, begin)
    padded = "\n" * before + text[begin:end]
    data = parsed(padded, source.name)
    jobs = data.get("jobs") if isinstance(data, dict) else None
    if not isinstance(jobs, list) or not jobs:
        raise NotReadable(f"{source.name}: fio's jobs are missing; run {HOW}")
    version, when = data.get("fio version"), data.get("time")
    reading.ends = when if isinstance(when, str) else None
    if source.keep.names and isinstance(data.get("hostname"), str):
        reading.name("report", "host", data["hostname"], before + 1)
    stated = _stated(padded)
    for place, job in enumerate((job for job in jobs if isinstance(job, dict)), 1):
        _take_job(reading, data, job, f"job {place}", stated)
        if source.keep.names and reading.sections:
            _take_names(reading, job, f"job {place}", reading.sections[-1].first_line)
    if not reading.figures:
        raise reading.refusal(f"no job did any I/O; run {HOW}")
    _take_driver(reading, data.get("disk_util"))
    reading.title = f"{version if isinstance(version, str) else 'fio'}: {len(jobs)} job{'s' * (len(jobs) > 1)}"
    return reading


def _stated(text: str) -> Stated:
    """The lines of each option in *text*."""
    stated: Stated = {}
    for number, line in enumerate(text.split("\n"), 1):
        for name, value in OPTION.findall(line):
            stated.setdefault((name, value), []).append(number)
    return stated


def _take_job(reading: Reading, data: dict[str, Any], job: dict[str, Any], of: str, stated: Stated) -> None:
    """Add what one job reached and how it was asked."""
    already = len(reading.figures)
    for direction in DIRECTIONS:
        part = job.get(direction)
        total = part.get("total_ios") if isinstance(part, dict) else None
        if isinstance(part, dict) and not (isinstance(total, JsonNumber) and not total):
            _take_direction(reading, part, f"{of} {direction}")
    _take_numbers(reading, job, of, OF_JOB)
    figures = reading.figures[already:]
    if not figures:
        return
    first, last = min(figure.line for figure in figures), max(figure.line for figure in figures)
    for options in (data.get("global options"), job.get("job options")):
        for name, value in (options if isinstance(options, dict) else {}).items():
            _take_option(reading, of, name, value, stated, first)
    reading.add_section(of, already, first, last)
    for name, value in job.items():
        if isinstance(value, dict) and name not in {*DIRECTIONS, "job options"}:
            numbers = [number.line for number in value.values() if isinstance(number, JsonNumber)]
            if numbers:
                reading.skip(numbers[0], f"part {name}")


def _take_driver(reading: Reading, drives: object) -> None:
    """Add which driver serves the drives that fio watched, where it is one; their names are left out."""
    places: dict[str, int] = {}
    for drive in drives if isinstance(drives, list) else []:
        name, reads = (drive.get("name"), drive.get("read_ios")) if isinstance(drive, dict) else (None, None)
        match = DRIVER.fullmatch(name) if isinstance(name, str) else None
        if match is None or not isinstance(reads, JsonNumber):
            return
        places.setdefault(match[1], reads.line)
    if len(places) == 1:
        ((driver, line),) = places.items()
        reading.settings.append(Setting("report driver", driver, line))


def _take_names(reading: Reading, job: dict[str, Any], of: str, line: int) -> None:
    """Add what the job was called, and the files and hosts that it used."""
    options = job.get("job options")
    named = {"job": job.get("jobname"), **(options if isinstance(options, dict) else {})}
    for what in ("job", "filename", "directory", "hostname"):
        if isinstance(named.get(what), str):
            reading.name(of, what, named[what], line)


def _take_numbers(
    reading: Reading, part: dict[str, Any], of: str, units: Mapping[str, tuple[str, float]], begin: str = ""
) -> None:
    """Add those of *units* that *part* has; their names begin with *begin*."""
    for name, (unit, scale) in units.items():
        if isinstance(part.get(name), JsonNumber):
            part[name].add_to(reading, f"{begin}{name}", of, unit, scale)


def _take_direction(reading: Reading, part: dict[str, Any], of: str) -> None:
    _take_numbers(reading, part, of, PLAIN)
    if "bw_bytes" not in part:
        _take_numbers(reading, part, of, {"bw": ("bytes/s", 1024.0)})
    for name, scale in TIMES.items():
        times = part.get(name)
        if not isinstance(times, dict):
            continue
        moments = dict.fromkeys(("min", "max", "mean", "stddev"), ("s", scale))
        _take_numbers(reading, times, of, moments, f"{name} ")
        percentiles = times.get("percentile")
        for share, value in (percentiles if isinstance(percentiles, dict) else {}).items():
            if isinstance(value, JsonNumber) and not share.strip("0."):
                reading.skip(value.line, "empty places for percentiles")
            elif isinstance(value, JsonNumber) and not share.strip("#"):
                reading.doubt(value.line, f"{of}: a percentile is cut off: {share}")
            elif isinstance(value, JsonNumber):
                percentile = share.rstrip("0").rstrip(".") if "." in share else share
                value.add_to(reading, f"{name} p{percentile}", of, "s", scale)


def _take_option(reading: Reading, of: str, name: str, value: object, stated: Stated, near: int) -> None:
    """Add a setting of the job; numbers too stand in the JSON as text, so the line is looked for."""
    if name in WORDS and isinstance(value, str) and (here := stated.get((name, value), [])):
        line = here[max(bisect_right(here, near) - 1, 0)]
        reading.settings.append(Setting(f"{of} {'rw' if name == 'readwrite' else name}", value, line))
    if name not in OPTIONS or not isinstance(value, str):
        return
    unit = OPTIONS[name]
    match = {"bytes": SIZE, "s": TIME}.get(unit, COUNT).fullmatch(value)
    if match is None and value and not value.strip("#"):
        reading.doubt(near, f"{of}, {name}: {value} is cut off")
    if match is None:
        return
    here = stated.get((name, match[0]), [])
    if not here:
        return
    line = here[max(bisect_right(here, near) - 1, 0)]
    if reason := absurd(match[1]):
        reading.doubt(line, f"{of}, {name}: {value[:QUOTED_LETTERS]} {reason}")
        return
    multiple = SECONDS[match[2]] if unit == "s" else MULTIPLES[match[2].upper()]
    number = float(match[1]) * multiple
    reading.add_exact(name, of, number, unit, line, match[0])
