"""Reads what calibrations of a database's disks print: ORION's summary, and the numbers of CALIBRATE_IO."""

from __future__ import annotations

import re
from typing import Final

from blocktime.validation.instruments.figures import EVERY_LINE, OTHER_FORM, Reading, SeriesColumn
from blocktime.validation.instruments.opening import OpenedFile, Progress

NAME: Final = "calibration"
HOW: Final = "orion, or select * from dba_rsrc_io_calibrate"
OF: Final = "I/O calibration: 1"
"""As a listing of the view names its first row."""
MIB: Final = 1024.0**2
LINE: Final = re.compile(
    r"\s*(max(?:imum small )?[_ ]?iops|max(?:imum large )?[_ ]?mbps|(?:minimum small |actual_)?latency)\s*[=:]\s*"
    r"([0-9][0-9,]*(?:\.[0-9]+)?)\s*(usecs?|us|msecs?|ms)?(?:\s*@.*)?\s*",
    re.IGNORECASE,
)
UNITS: Final = {"iops": ("max_iops", "1/s", 1.0), "mbps": ("max_mbps", "bytes/s", MIB)}


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* has such numbers."""
    units = {match[1].lower()[-4:] for line in head.splitlines() if (match := LINE.fullmatch(line))}
    return bool(units & {"iops", "mbps"})


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """The calibration of *source*: requests and bytes a second at most, and the latency of one block."""
    reading = source.reading(NAME)
    first = last = 0
    for number, line in source.lines(progress):
        match = LINE.fullmatch(line)
        if match is None:
            if line.strip():
                reading.skip(number, OTHER_FORM)
            continue
        in_us = (match[3] or "").lower().startswith("us")
        lone = "lone_" * match[1].lower().startswith("min")
        name, unit, scale = UNITS.get(match[1].lower()[-4:], (f"{lone}latency", "s", 1e-6 if in_us else 1e-3))
        reading.add(name, OF, match[2], SeriesColumn(name, unit, scale), number, match[2])
        first, last = first or number, number
    reading.add_section("I/O calibration", 0, first, last)
    reading.whole_line = EVERY_LINE
    reading.title = f"calibration of disks: {len(reading.figures)} figures"
    return [reading]
