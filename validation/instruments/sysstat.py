"""What iostat, sar and sadf have in common: the banner, time stamps, and what each column is."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from validation.instruments.figures import Column, Reading

KB: Final = 1024.0
SECTOR_BYTES: Final = 512.0
SYSTEMS: Final = ("Linux ", "AIX ", "SunOS ")
BANNER: Final = re.compile(
    r"(Linux|AIX|SunOS) (\S+) \(([^)]*)\)\s+(\S+)(?:\s+_?(\S+?)_?\s+\(([0-9]{1,6}) CPUs?\))?\s*$"
)
CLOCK: Final = r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?: ?[AP]M)?"
DAY: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[0-9]{2}:){2}[0-9]{2}(?:[-+][0-9]{4}|Z)?"
TIME: Final = re.compile(rf"(?:Time: )?(?:[0-9./-]+ )?{CLOCK}|{DAY}")
FORMS: Final = ("%m/%d/%Y %I:%M:%S %p", "%m/%d/%y %I:%M:%S %p", "%I:%M:%S %p", "%H:%M:%S")


def _columns(unit: str, scale: float, *names: str) -> dict[str, Column]:
    return {name: Column(name, unit, scale) for name in names}


COLUMNS: Final = {
    **_columns("1/s", 1.0, "r/s", "w/s", "d/s", "f/s", "tps", "rqm/s", "rrqm/s", "wrqm/s", "drqm/s"),
    **_columns("bytes/s", KB, "rkB/s", "wkB/s", "dkB/s", "kB/s", "rkB", "wkB", "dkB"),
    **_columns("bytes/s", KB**2, "rMB/s", "wMB/s", "dMB/s", "MB/s"),
    **_columns("bytes/s", SECTOR_BYTES, "rsec/s", "wsec/s", "dsec/s", "rd_sec/s", "wr_sec/s", "dc_sec/s"),
    **_columns("bytes/s", SECTOR_BYTES, "rd_sec", "wr_sec", "dc_sec"),
    **_columns("bytes", SECTOR_BYTES, "avgrq-sz"),
    **_columns("bytes", KB, "rareq-sz", "wareq-sz", "dareq-sz", "areq-sz"),
    **_columns("requests", 1.0, "avgqu-sz", "aqu-sz"),
    **_columns("s", 1e-3, "await", "r_await", "w_await", "d_await", "f_await", "svctm"),
    **_columns("fraction", 0.01, "%util", "%rrqm", "%wrqm", "%drqm", "util-percent"),
}
"""Printed name of a column -> its unit; K, M are powers of 1024 and a sector has 512 bytes [iostat(1), sar(1)]."""
CPU: Final = _columns(
    "fraction", 0.01,
    "%user", "%nice", "%system", "%iowait", "%steal", "%idle", "%usr", "%sys", "%irq", "%soft", "%guest", "%gnice",
    "user", "nice", "system", "iowait", "steal", "idle", "usr", "sys", "irq", "soft", "guest", "gnice",
)  # fmt: skip


def take_banner(line: str, reading: Reading) -> None:
    """Kernel, date and processors from the first line; the name of the host is left out."""
    match = BANNER.match(line)
    if match is not None:
        reading.host.system = f"{match[1]} {match[2]}"
        reading.host.cpus = int(match[6]) if match[6] else None


def seconds_between(earlier: str, later: str) -> float | None:
    """Seconds from one time stamp to the next, over midnight too; nothing where their form is unknown."""
    for parse in (
        datetime.fromisoformat,
        *(lambda text, form=form: datetime.strptime(text, form) for form in FORMS),
    ):
        try:
            difference = (parse(later) - parse(earlier)).total_seconds()
        except (ValueError, TypeError):  # another form, or one of the two has a time zone
            continue
        return difference + 86400 if -86400 <= difference < 0 else difference
    return None
