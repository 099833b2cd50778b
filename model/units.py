"""Names carry units: the suffixes in use, what they mean, and the few conversions at the edge."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Final

KIB: Final = 1024
MIB: Final = 1024**2
GIB: Final = 1024**3

# Suffix of a field name -> the unit shown beside its value.
SUFFIXES: Final[dict[str, str]] = {
    "_per_processor": "currency/processor",
    "_per_hour": "currency/hour",
    "_per_gb_month": "currency/(GB month)",
    "_per_iops_month": "currency/(IOPS month)",
    "_per_mb_s_month": "currency/(MB/s month)",
    "volume_per_month": "currency/month",
    "_core_hours": "core hours",
    "_cores": "cores",
    "_licences": "licences",
    "_years": "years",
    "_bytes_per_s": "bytes/s",
    "_per_s": "1/s",
    "_hz": "Hz",
    "_bytes": "bytes",
    "_byte": "bytes",
    "_blocks": "blocks",
    "_rows": "rows",
    "_percent": "%",
    "_fraction": "",
    "_ratio": "",
    "_cv": "",
    "_cycles": "cycles",
    "_s": "s",
}

_BYTES = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kKmMgGtT]?)(?:i?[bB](?:ytes?)?)?(?:/s)?\s*")
_BYTE_SCALE = {"": 1, "k": KIB, "m": MIB, "g": GIB, "t": KIB**4}
_SECONDS = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*(ns|us|µs|ms|s|min|h|d)?\s*")
_SECOND_SCALE = {
    "ns": (1, 10**9), "us": (1, 10**6), "µs": (1, 10**6), "ms": (1, 10**3), "s": (1, 1), "min": (60, 1), "h": (3600, 1),
    "d": (86_400, 1),
}  # fmt: skip
"""Seconds of a unit, as a fraction; in decimal digits, as 841.2 µs are 0.0008412 s to the last one."""


_GROUPED = re.compile(r"(?<![0-9.])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")
_IN_TWO_UNITS = re.compile(r"\s*([0-9.,]+\s*(?:d|h|min))\s*([0-9]+\s*(?:h|min|s))\s*")


def ungrouped(text: str) -> str:
    """*text* without the commas that group the digits of a number: ``13600`` of ``13,600``."""
    return _GROUPED.sub(lambda match: match[0].replace(",", ""), text)


def parse_bytes(text: str) -> float:
    """Bytes of a size such as ``"8K"``, ``"1.5GB"`` or ``"8192"``; K, M, G, T are powers of 1024.

    A rate is read as well: ``"125 MB/s"``.
    """
    match = _BYTES.fullmatch(ungrouped(text))
    if match is None:
        raise ValueError(f"{text[:60]!r} is not a size; write bytes or a size like 8K, 1M, 1.5G")
    return float(match[1]) * _BYTE_SCALE[match[2].lower()]


def parse_seconds(text: str) -> float:
    """Seconds of a duration such as ``"5ms"``, ``"1.3us"``, ``"2"`` or ``"5 min 14 s"``."""
    if in_two := _IN_TWO_UNITS.fullmatch(text):
        return parse_seconds(in_two[1]) + parse_seconds(in_two[2])
    match = _SECONDS.fullmatch(ungrouped(text))
    if match is None:
        raise ValueError(f"{text[:60]!r} is not a duration; write seconds or a time like 5ms, 250us, 2s")
    times, parts = _SECOND_SCALE[match[2] or "s"]
    number = float(match[1])
    return float(Decimal(match[1]) * times / parts) if 0 < number < math.inf else number


def unit_of(field: str) -> str:
    """Unit shown beside the field *field*, from the suffix of its name; empty for counts and shares."""
    for suffix, unit in SUFFIXES.items():
        if field.endswith(suffix):
            return unit
    return ""


def show_amount(amount: float) -> str:
    """An amount of money: cents where they matter, else three digits and never a power of ten."""
    size = abs(amount)
    if size >= 99_999.5:
        return f"{amount:,.0f}"
    if size >= 0.9995:
        return f"{amount:,.2f}"
    return f"{Decimal(f'{amount:.3g}'):f}" if size else "0"


def show_share(fraction: float, decimals: int = 0) -> str:
    """A share of one in percent: ``95 %``."""
    return f"{100 * fraction:.{decimals}f} %"


TIMES: Final = 10
"""From so many times the earlier value on a change is told as a multiple."""


def show_change(before: float, after: float) -> str:
    """A relative change as every text has it: ``-15.2 %``, ``+0.04 %``, ``×12``; empty where there was nothing before.

    Less than 0.005 % is ``0 %``. What is left of a value is never rounded to nothing: ``-99.98 %``, not ``-100 %``.
    """
    if not before:
        return ""
    if abs(after) >= TIMES * abs(before):
        return f"×{show_number(after / before, 3)}"
    percent = 100 * (after - before) / before
    if -100 < percent < -99:
        return f"{max(percent, -99.99):+.2f} %"
    size = abs(percent)
    if size < 0.005:
        return "0 %"
    return f"{percent:+.{0 if size >= 99.95 else 1 if size >= 0.095 else 2}f} %"


def show_bytes(size_bytes: float) -> str:
    """A size as a DBA writes it: ``8K``, ``1M``, ``1.5G``."""
    scale = 1.0
    for letter in ("", "K", "M", "G"):
        number = size_bytes / scale
        if abs(number) < KIB and number == int(number):
            return f"{number:.0f}{letter}"
        if abs(number) < 999.5:
            return f"{number:.3g}{letter}"
        scale *= KIB
    terabytes = size_bytes / scale
    return f"{terabytes:.0f}T" if abs(terabytes) >= 999.5 else f"{terabytes:.3g}T"


def show_data(size_bytes: float) -> str:
    """An amount of data, which nobody sets, in three digits: ``885 MB``, ``1.5 GB``; powers of 1024."""
    number = size_bytes
    for unit in ("bytes", "KB", "MB", "GB"):
        if abs(number) < 999.5:
            return f"{number:.3g} {unit}"
        number /= KIB
    return f"{number:,.3g} TB"


_QUANTITIES: Final = {
    "block_size_bytes": ("blocks of ", "", ""),
    "request_bytes": ("requests of ", "", ""),
    "call_bytes": ("calls of ", "", ""),
    "read_bytes": ("reads of ", "", ""),
    "message_bytes": ("messages of ", "", ""),
    "row_bytes": ("rows of ", "", ""),
    "growth_bytes": ("rows that grow by ", "", ""),
    "written_bytes": ("", " written", " written"),
    "arraysize_rows": ("array size ", "", ""),
    "columns": ("", " column", " columns"),
    "sent_columns": ("", " column sent", " columns sent"),
    "itl_entries": ("", " ITL entry", " ITL entries"),
    "in_flight": ("", " in flight", " in flight"),
    "rows_per_change": ("", " row per change", " rows per change"),
}
"""What constants are fitted over -> the words before a value, behind one, and behind several."""


def show_number(value: float, digits: int = 6) -> str:
    """A number in so many digits, those before the point always in full; never a power of ten."""
    if not math.isfinite(value):
        return f"{value}"
    if value == int(value) or abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    return f"{Decimal(f'{value:.{digits}g}').normalize():,f}"


def show_quantity(name: str, *values: float) -> str:
    """What a constant is fitted over, in words with its value, or its lowest and highest: ``blocks of 2K to 8K``."""
    before, text, unit = _QUANTITIES.get(name, (f"{name.replace('_', ' ')} ", "", ""))
    exact = [show_number(value) for value in values]
    if unit_of(name) == "bytes":
        rounded = [show_bytes(value) for value in values]
        if min(values) >= KIB and len(set(rounded)) == len(set(values)):
            exact = rounded
        else:
            unit = " bytes" + unit
    return f"{before}{' to '.join(dict.fromkeys(exact))}{text if set(values) == {1} else unit}"


LONGEST_IN_SECONDS: Final = 300
_LONG: Final = ((172_800, 86_400, "d", 3600, "h"), (7200, 3600, "h", 60, "min"), (0, 60, "min", 1, "s"))
"""From so many seconds on: a unit and its seconds, and the smaller unit beside it with its own."""
_SHORT: Final = ((0.9995e-3, 1e3, "ms"), (0.9995e-7, 1e6, "µs"), (0.0, 1e9, "ns"))


def show_seconds(duration_s: float, longest_s: float = 0.0) -> str:
    """A duration in the unit a reader would pick: ``35 min 28 s``, ``12.30 s``, ``6.25 ms``, ``8.4 µs``, ``15 ns``.

    *longest_s* is the longest of the durations beside it: where that is told in minutes, this is from a minute on.
    """
    size = abs(duration_s)
    if size == 0 or not math.isfinite(size):
        return f"{duration_s:.0f} s"
    if max(size, abs(longest_s)) >= LONGEST_IN_SECONDS - 0.005 and size >= 60:
        return _long(duration_s)
    if size >= 0.9995:
        return f"{duration_s:,.2f} s"
    per, unit = next((per, unit) for least, per, unit in _SHORT if size >= least)
    return f"{Decimal(f'{duration_s * per:.3g}'):f} {unit}"


def _long(duration_s: float) -> str:
    """Minutes with seconds, hours with minutes, days with hours."""
    _, whole_s, whole, part_s, part = next(unit for unit in _LONG if abs(duration_s) >= unit[0] - unit[3] / 2)
    parts = round(abs(duration_s) / part_s)
    most, rest = divmod(parts, whole_s // part_s)
    sign = "-" if duration_s < 0 else ""
    return f"{sign}{most:,} {whole}" + (f" {rest} {part}" if rest else "")


def show_alike(*durations_s: float) -> list[str]:
    """Durations that stand beside each other, in one form."""
    longest_s = max((abs(each) for each in durations_s if math.isfinite(each)), default=0.0)
    return [show_seconds(each, longest_s) for each in durations_s]


def show_range(low_s: float, high_s: float) -> str:
    """Two durations, or one where both are written alike: ``3.84 s to 3.91 s``."""
    return " to ".join(dict.fromkeys(show_alike(low_s, high_s)))
