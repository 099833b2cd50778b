"""Writes readings as a TOML file: a scenario where they identify a system, and every figure under ``[measured]``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blocktime.validation.instruments.figures import Reading, Series


def measured_lines(readings: Sequence[Reading], system: Mapping[str, Any] | None = None) -> Iterator[str]:
    """The file, line by line. A series is told by its mean and its range.

    The scenario of a *system* holds the figures that it stands on, and not all the others.
    """
    if system is None:
        named = ", ".join(dict.fromkeys(reading.file for reading in readings))
        yield f"title = {_text(f'Measured: {named}')}"
        yield ""
        yield "[measured]"
    else:
        import tomlkit

        yield tomlkit.dumps(system)
    for place, reading in enumerate(readings):
        host = reading.host
        yield from _table(
            "file",
            {
                "name": reading.file, "digest": reading.digest, "format": reading.format, "title": reading.title,
                "begins": reading.begins, "ends": reading.ends, "interval_s": reading.interval_s,
                "system": host.system, "cpus": host.cpus,
            },
        )  # fmt: skip
        if system is not None:
            continue
        for setting in reading.settings:
            yield from _table(
                "setting", {"file": place, "name": setting.name, "value": setting.value, "line": setting.line}
            )
        for name in reading.names:
            yield from _table(
                "name", {"file": place, "of": name.of, "what": name.what, "text": name.text, "line": name.line}
            )
        for series in reading.series:
            yield from _series(place, series, reading.first_sample)
        for figure in reading.figures:
            yield from _table(
                "figure",
                {
                    "file": place, "of": figure.of, "name": figure.name, "value": figure.value, "unit": figure.unit,
                    "low": figure.low, "high": figure.high, "line": figure.line,
                },
            )  # fmt: skip


def _series(place: int, series: Series, first_sample: int) -> Iterator[str]:
    means = (value for _, value in series.means(first_sample))
    for (column, values), mean in zip(series.by_column(first_sample), means, strict=True):
        yield from _table(
            "series",
            {
                "file": place, "of": series.of, "name": column.name, "unit": column.unit, "samples": len(values),
                "mean": mean, "lowest": min(values), "highest": max(values),
                "first_line": series.lines[series.first_row(first_sample)], "last_line": series.lines[-1],
            },
        )  # fmt: skip


def _table(name: str, row: Mapping[str, object]) -> Iterator[str]:
    yield f"[[measured.{name}]]"
    for key, value in row.items():
        if value is not None:
            yield f"{key} = {_text(value) if isinstance(value, str) else repr(value)}"


def _text(value: str) -> str:
    """A basic string of TOML, which escapes as JSON does."""
    return json.dumps(value, ensure_ascii=True)
