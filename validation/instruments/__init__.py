"""Readers of what a system printed: bytes become figures with units and lines. Nothing of the model is in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import Final

from blocktime.validation.instruments.figures import EVERY_LINE, Figure, Keep, NotReadable, Reading, Setting
from blocktime.validation.instruments.opening import WHOLE_BYTES, OpenedFile, Progress, is_toml
from blocktime.validation.instruments.queue_check import contradictions

__all__ = [
    "FORMATS",
    "Figure",
    "Format",
    "Keep",
    "NotReadable",
    "OpenedFile",
    "Reading",
    "Setting",
    "format_of",
    "read",
]


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file: its name, what a DBA calls it, and the module that reads it."""

    name: str
    title: str
    module: str
    is_endless: bool = False
    """Whether a file may have any length."""

    @property
    def reader(self) -> ModuleType:
        """The module, with ``recognises(head)`` and ``read(source, progress)``; imported when it is wanted."""
        return import_module(f"blocktime.validation.instruments.{self.module}")


FORMATS: Final = (
    Format("awr", "AWR (HTML or text), Statspack", "awr"),
    Format("iostat", "iostat -x, as text or JSON", "iostat"),
    Format("sar", "sar -d as text, sadf -d, sadf -j", "sar"),
    Format("fio", "fio, as text, JSON or JSON+", "fio"),
    Format("tkprof", "TKPROF", "tkprof"),
    Format("10046", "raw SQL traces (event 10046)", "trace", is_endless=True),
    Format("plan", "plans of DBMS_XPLAN", "plan"),
    Format("calibration", "calibrations by ORION and CALIBRATE_IO", "calibration"),
    Format("parameters", "init.ora, show parameter", "parameters"),
    Format("views", "listings of DBA_TABLES, DBA_INDEXES, aux_stats$ and V$ views", "views"),
)
"""Every kind of file that can be read, in the order in which they are tried."""


INSTEAD: Final = "give an AWR report of the database"
NOT_READ: Final = (
    (r"\s*System configuration: lcpu=", f"iostat of AIX, which is not read; {INSTEAD}"),
    (
        r"[\s\S]{0,400}\bwsvc_t\b|\s*(?:extended device statistics|tty\s+\S+\s+cpu)\s",
        f"iostat of Solaris, which is not read; {INSTEAD}",
    ),
    (r"\s*device\s+bps\s+sps\s+msps\s", f"iostat of HP-UX, which is not read; {INSTEAD}"),
    (
        r"\s*AAA,|\s*(?:DISK|CPU_ALL|ZZZZ)\w*,",
        f"output of nmon, which is not read; {INSTEAD}, or run iostat -xtk 5 on Linux",
    ),
    (
        r"\s*SQL Monitoring Report|\s*<[\s\S]{0,4000}(?:SQL Monitoring Report|sqlmonitor|<sql_monitor)",
        "a SQL Monitor report of one statement; give its SQL trace (event 10046) or TKPROF's output of that",
    ),
)
"""Begin of files that no reader takes -> what they are, and what to give instead."""
SYSSTAT: Final = re.compile(r"\s*Linux \S+ \([^)]*\)\s")
"""The first line of sar and iostat."""


def format_of(source: OpenedFile) -> Format:
    """The kind of file that *source* is, by its content; raises :class:`NotReadable`."""
    if why := next((why for begin, why in NOT_READ if re.match(begin, source.head)), ""):
        raise NotReadable(f"{source.name}: this is {why}")
    for form in FORMATS:
        if form.reader.recognises(source.head):
            return form
    if is_toml(source.head):
        raise NotReadable(
            f"{source.name}: this is a scenario, not a report: open it with `blocktime run {source.name}`, or with "
            "Open a file on the What if page"
        )
    if SYSSTAT.match(source.head):
        raise NotReadable(
            f"{source.name}: this is output of sysstat in another language, or without devices; run sar -d or "
            "iostat -xtk 5 with LC_ALL=C in front"
        )
    kinds = ", ".join(form.title for form in FORMATS)
    raise NotReadable(f"{source.name}: this is none of the reports that can be read ({kinds})")


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """Every report in *source*; raises :class:`NotReadable` where there is none."""
    form = format_of(source)
    reader: Callable[[OpenedFile, Progress | None], list[Reading]] = form.reader.read
    if not form.is_endless:
        source.most_bytes = min(source.most_bytes, WHOLE_BYTES)
    digest = source.digest
    readings = reader(source, progress)
    if source.open_line and readings[-1].whole_line not in (source.open_line, EVERY_LINE):
        readings[-1].leave_open(source.open_line)
        if not readings[-1].count():
            raise NotReadable(f"{source.name}: the file ends within line {source.open_line:,}, its first with figures")
    for reading in readings:
        reading.follows += contradictions(reading)
    return [replace(reading, digest=digest) for reading in readings]
