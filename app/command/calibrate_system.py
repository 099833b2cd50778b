"""`calibrate my.toml`: the file of a system, fitted to its own figures."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from blocktime.app.base.lines import head, table, wrapped
from blocktime.app.base.output import print_json, print_lines, progress_to_terminal, width_of_terminal
from blocktime.app.command.files import write_beside
from blocktime.app.text.compare_table import value_said
from blocktime.model.errors import BlocktimeError
from blocktime.model.units import show_change, show_share
from blocktime.scenarios.load import read_toml
from blocktime.validation.identify.calibrated import SystemFit, fitted, write_into

SOURCE = "fitted to the figures in [[measured.compared]], with the catalog's intervals as priors"


def is_system_file(name: str) -> bool:
    """Whether *name* is a file with figures of a system, and no case."""
    try:
        measured: Any = read_toml(Path(name)).get("measured", {})
    except BlocktimeError:
        return False
    return isinstance(measured, dict) and "compared" in measured


def calibrate_system(name: str, *, as_json: bool, quiet: bool) -> None:
    """Fit the system in the file *name*, write values, intervals and correlations into it, and print them."""
    import tomlkit

    path = Path(name)
    text = path.read_text(encoding="utf-8-sig")
    with progress_to_terminal(quiet, "fitting", "answers") as progress:
        fit = fitted(tomllib.loads(text), name, progress)
    document = tomlkit.parse(text)
    write_into(document, fit, SOURCE)
    write_beside(path, tomlkit.dumps(document))
    if as_json:
        print_json(_as_data(fit))
    elif not quiet:
        print_lines(_lines(fit, path.name, width_of_terminal()))


def _as_data(fit: SystemFit) -> dict[str, Any]:
    return {
        "fields": [
            {
                "field": field.path, "before": field.before, "value": field.value, "low": field.low, "high": field.high,
                "told_fraction": field.learned_fraction,
            }
            for field in fit.fields
        ],
        "correlations": [{"fields": list(pair), "value": value} for pair, value in fit.correlations.items()],
        "figures": [{"name": name, "off_before": was, "off_after": now} for name, (was, now) in fit.off.items()],
        "says": fit.says,
    }  # fmt: skip


def _lines(fit: SystemFit, file: str, width: int) -> Iterator[str]:
    yield head("Fields, by the figures and the catalog")
    rows: list[tuple[str, ...]] = [("field", "before", "fitted", "95 % interval", "figures tell")]
    rows += [
        (field.path, *(value_said(field.path, value) for value in (field.before, field.value)),
         " to ".join(value_said(field.path, end) for end in (field.low, field.high)),
         show_share(max(0.0, field.learned_fraction)))
        for field in fit.fields
    ]  # fmt: skip
    yield from table(rows, width, "")
    yield ""
    off = [(name, *(show_change(1, 1 + share) for share in shares)) for name, shares in fit.off.items()]
    yield from table([("figure, off", "before", "after"), *off], width, "")
    yield ""
    for text in fit.says:
        yield from wrapped(f"{text[0].upper()}{text[1:]}.", width)
    yield f"Wrote values, intervals and correlations into {file}."
