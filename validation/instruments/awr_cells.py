"""Cells of AWR's and Statspack's tables: numbers with their units, from suffix, heading and name of the row."""

from __future__ import annotations

import re
from typing import Final

from blocktime.validation.instruments.figures import Reading, SeriesColumn

CELL: Final = re.compile(
    r"([-+]?(?=\.?[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)\.?[0-9]*(?:[eE][-+][0-9]{1,3})?)\s*(%|ns|us|ms|s|[KMGTP])?"
)
"""A number with its unit; a unit that is cut off, as of ``1230.91m``, makes it none."""
COMMA: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})*,(?:[0-9]{1,2}|[0-9]{4,})(?:\s?[a-z%]{1,2})?", re.IGNORECASE)
"""A number with a decimal comma: no digits, or other than three, follow the comma of thousands."""
SECONDS: Final = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "cs": 1e-2, "sec": 1.0}
THOUSANDS: Final = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
BINARY: Final = {"K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40, "P": 2.0**50}
PER_SECOND: Final = re.compile(r"per ?sec|/sec|/s$|second$")
PER_TRANSACTION: Final = re.compile(r"per ?trans|/txn|/tx")


def add_cell(reading: Reading, column: str, of: str, cell: str, subject: str, line: int) -> bool:
    """Add one cell in the unit that its column, its row or its own suffix says; False where it is no number."""
    match = CELL.fullmatch(cell)
    if match is None:
        return not cell.startswith("#") and not any(letter.isdigit() for letter in cell)
    suffix = match[2] or ""
    unit, scale = unit_of(column, subject, suffix)
    if unit == "count" and suffix.upper() in BINARY and column.lower() in SIZES:
        unit = "bytes"
    if suffix.lower() in SECONDS and suffix.islower():
        unit, scale = "s", SECONDS[suffix.lower()]
    elif suffix.upper() in THOUSANDS:
        if unit == "fraction":
            return False
        scale *= (BINARY if unit.startswith("bytes") else THOUSANDS)[suffix.upper()]
    shaped = SeriesColumn(column, unit, scale, behind=cell[len(match[1]) :])
    return add(reading, column or "value", of, match[1], shaped, line) is not None


SIZES: Final = ("begin", "end", "")
"""Headings of sizes that are printed with K, M, G."""
UNITS: Final = (
    (r"\(ms\)", "s", 1e-3),
    (r"(?<!lms)\((?:s|sec)\)", "s", 1.0),
    (r"\(mins?\)", "s", 60.0),
    (r"\(us\)", "s", 1e-6),
    (r"\(cs\)|_time$", "s", 1e-2),
    (r"\(k\)", "count", 1e3),
    (r"\(mb?\)|\bmb\b", "bytes", BINARY["M"]),
    (r"redo size|bytes\b|_bytes$", "bytes", 1.0),
    (r"thousands", "count", 1e3),
    (
        r"(?:cpu used (?:by this session|when call started)|\bdb time|parse time (?:cpu|elapsed)|recursive cpu usage|"
        r"redo (?:write|synch|log space wait) time|(?:user i/o|concurrency|application|cluster|non-idle) wait time)$",
        "s",
        1e-2,
    ),
)
"""Words in the heading of a column or in the name of its row -> unit and scale; the first that fits counts."""


def unit_of(column: str, subject: str, suffix: str) -> tuple[str, float]:
    """Unit and scale of a cell, from the words in its heading and in its row's name."""
    name, both = column.lower(), f"{column} {subject}".lower()
    if "%" in name or "pct" in name or "%" in {subject[:1], subject[-1:]}:
        return "fraction", 0.01
    per = "/s" if PER_SECOND.search(name) else "/transaction" if PER_TRANSACTION.search(name) else ""
    unit, scale = next(((unit, scale) for words, unit, scale in UNITS if re.search(words, both)), ("count", 1.0))
    if unit == "count" and re.search(r"\bdata\b", name):
        unit = "bytes"
    if unit == "count" and "avg" in name and "time" in name:
        return "s", 1.0 if suffix else 1e-3
    if unit == "count" and per:
        return f"1{per}", scale
    return f"{unit}{per}", scale


def add(reading: Reading, name: str, of: str, cell: str, column: SeriesColumn, line: int) -> float | None:
    """Add the figure that *cell* is, with or without K, M, G behind it: its value; None where it is no number."""
    printed = f"{cell}{column.behind}"
    if cell and not cell.strip("#"):
        reading.doubt(line, f"{of}, {name}: {cell} is cut off")
        return None
    suffix = cell[-1:].upper()
    scale = column.scale
    if suffix in BINARY:
        cell, scale = cell[:-1], scale * (BINARY if column.unit == "bytes" else THOUSANDS)[suffix]
    return reading.add(name, of, cell, SeriesColumn(name, column.unit, scale), line, printed)
