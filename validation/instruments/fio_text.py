"""Reads fio's text output of releases 2 and 3, as people paste it: what each job and direction reached."""

from __future__ import annotations

import re
from typing import Final

from blocktime.validation.instruments.figures import MULTIPLES, Reading, SeriesColumn, Setting, plural
from blocktime.validation.instruments.opening import OpenedFile, Progress

NAME: Final = "fio"
NUMBER: Final = r"([0-9]+(?:\.[0-9]+)?)"
AMOUNT: Final = rf"{NUMBER}([KMGTP]?)i?B"
HEADING: Final = re.compile(
    r"(.*): \(g=[0-9]+\): rw=(\w+), bs=\D*([0-9]+)([kKmMgG]?)\S*.*, ioengine=(\w+), iodepth=([0-9]{1,9})\s*"
)
VERSION: Final = re.compile(r"fio-[0-9]\S*\s*")
JOB: Final = re.compile(r"(.*): \(groupid=[0-9]+, jobs=([0-9]{1,9})\): err= *[0-9]+.*")
REACHED: Final = (
    re.compile(
        rf"\s+(?P<way>read|write|trim)\s*: io={AMOUNT}, bw={AMOUNT}/s, iops={NUMBER}([kM]?), runt= *([0-9]+)msec\s*"
    ),
    re.compile(
        rf"\s+(?P<way>read|write|trim)\s*: IOPS={NUMBER}([kM]?), BW={AMOUNT}/s \(.*\)\({AMOUNT}/([0-9]+)msec\).*"
    ),
)
"""Of release 2: bytes, bytes a second, requests a second, run time; of release 3 in another order."""
ORDERS: Final = ((0, 2, 4, 6), (4, 2, 0, 6))
"""Where in these lines stand bytes, bytes a second, requests a second and run time."""
TIMES: Final = re.compile(
    rf"\s+([sc]?lat) \(([num]?sec)\): min= *{NUMBER}(k?), max= *{NUMBER}(k?), avg= *{NUMBER}, stdev= *{NUMBER}\s*"
)
PERCENTILES: Final = re.compile(r"\s+(?:clat|lat) percentiles \(([num]?sec)\):\s*")
PERCENTILE: Final = re.compile(r"([0-9]+\.[0-9]+)th=\[ *([0-9]+)\]")
CPU: Final = re.compile(r"\s+cpu\s*: usr=([0-9.]+)%, sys=([0-9.]+)%, ctx=([0-9]+).*")
ISSUED: Final = re.compile(r"\s+issued(?: rwts?)?\s*: total=(?:r=)?([0-9]+)[,/](?:w=)?([0-9]+)[,/].*")
SECONDS: Final = {"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0}
DECIMAL: Final = {"": 1.0, "k": 1e3, "M": 1e6}
OF_JOB: Final = (("usr_cpu", "fraction", 0.01), ("sys_cpu", "fraction", 0.01), ("ctx", "count", 1.0))
MOMENTS: Final = ("min", "max", "mean", "stddev")


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """Every output in *source*; lines that say nothing of a job are counted."""
    outputs = [_Output(source)]
    for number, line in source.lines(progress):
        if HEADING.fullmatch(line) and outputs[-1].reading.figures:
            outputs.append(_Output(source))
        outputs[-1].take(number, line)
    return [output.close() for output in outputs]


class _Output:
    """One output under way."""

    def __init__(self, source: OpenedFile) -> None:
        self.reading, self._keep = source.reading(NAME), source.keep
        self._version, self._jobs, self._of, self._way = "fio", 0, "", ""
        self._percent_s = 0.0
        self._options: dict[str, tuple[int, re.Match[str]]] = {}

    def take(self, number: int, line: str) -> None:
        """Read one line."""
        reading = self.reading
        if option := HEADING.fullmatch(line):
            self._options[option[1]] = number, option
        elif VERSION.fullmatch(line):
            self._version = line.strip()
        elif job := JOB.fullmatch(line):
            self._begin(number, job)
        elif self._of and (
            self._reaches(number, line) or self._takes_times(number, line) or self._counts(number, line)
        ):
            return
        elif line.strip():
            reading.skip(number, "lines of fio's text that say nothing of a job")

    def _takes_times(self, number: int, line: str) -> bool:
        """Take the times of the requests of one direction."""
        if times := TIMES.fullmatch(line):
            self._percent_s, scale = 0.0, SECONDS[times[2]]
            cells = ((times[3], times[4]), (times[5], times[6]), (times[7], ""), (times[8], ""))
            for moment, (cell, thousands) in zip(MOMENTS, cells, strict=True):
                self._add(number, f"{times[1]} {moment}", cell, "s", scale * DECIMAL[thousands])
        elif percentiles := PERCENTILES.fullmatch(line):
            self._percent_s = SECONDS[percentiles[1]]
        elif self._percent_s and (percents := PERCENTILE.findall(line)):
            for share, cell in percents:
                self._add(number, f"clat p{share.rstrip('0').rstrip('.')}", cell, "s", self._percent_s)
        else:
            return False
        return True

    def _counts(self, number: int, line: str) -> bool:
        """Take a job's CPU, and how many requests it issued."""
        if cpu := CPU.fullmatch(line):
            for (name, unit, scale), cell in zip(OF_JOB, cpu.groups(), strict=True):
                self.reading.add(name, self._of, cell, SeriesColumn(name, unit, scale), number)
        elif issued := ISSUED.fullmatch(line):
            for way, cell in zip(("read", "write"), issued.groups(), strict=True):
                if int(cell):
                    column = SeriesColumn("total_ios", "count")
                    self.reading.add("total_ios", f"{self._of} {way}", cell, column, number)
        else:
            return False
        return True

    def _reaches(self, number: int, line: str) -> bool:
        """Take what a job reached in one direction."""
        for pattern, order in zip(REACHED, ORDERS, strict=True):
            if not (reached := pattern.fullmatch(line)):
                continue
            self._way, cells = reached["way"], reached.groups()[1:]
            for name, unit, place in zip(
                ("io_bytes", "bw_bytes", "iops"), ("bytes", "bytes/s", "1/s"), order, strict=False
            ):
                scale = (DECIMAL if unit == "1/s" else MULTIPLES)[cells[place + 1]]
                self._add(number, name, cells[place], unit, scale)
            self._add(number, "runtime", cells[order[3]], "s", 1e-3)
            return True
        return False

    def _add(self, number: int, name: str, cell: str, unit: str, scale: float) -> None:
        self.reading.add(name, f"{self._of} {self._way}", cell, SeriesColumn(name, unit, scale), number)

    def _begin(self, number: int, job: re.Match[str]) -> None:
        """Begin a job, with what it was asked."""
        self._jobs += 1
        self._of = f"job {self._jobs}"
        self.reading.add_exact("numjobs", self._of, float(job[2]), "count", number, job[2])
        if self._keep.names:
            self.reading.name(self._of, "job", job[1], number)
        if job[1] in self._options:
            line, option = self._options[job[1]]
            size = float(option[3]) * MULTIPLES[option[4].upper()]
            self.reading.add_exact("bs", self._of, size, "bytes", line, f"{option[3]}{option[4]}")
            self.reading.add_exact("iodepth", self._of, float(option[6]), "count", line, option[6])
            self.reading.settings += [Setting(f"{self._of} {name}", value, line) for name, value in
                                      (("rw", option[2]), ("ioengine", option[5]))]  # fmt: skip

    def close(self) -> Reading:
        """What was read."""
        if not any(figure.name == "iops" for figure in self.reading.figures):
            raise self.reading.refusal("fio's lines of read and write are missing; give its whole output")
        self.reading.title = f"{self._version}: {plural(self._jobs, 'job')}"
        self.reading.add_section("jobs", 0)
        return self.reading
