"""Put what calibrating found into the files of the catalog and of the library."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from blocktime.model import catalog
from blocktime.validation.calibrate import Calibration
from blocktime.validation.constants_by_name import like, parts_of, places_of
from blocktime.validation.fit import Estimate, Fit
from blocktime.validation.joint import Joint
from blocktime.validation.leave_out import text_of
from blocktime.validation.out_of_sample import LeftOut, every_known

LEAST_CORRELATION: Final = 0.1
"""Two constants whose estimates are correlated by less are written as independent."""
HEAD: Final = """\
# How the estimates of constants hang together: correlations of their logarithms, those of at least 0.1 either way.
# Written by `blocktime calibrate --write`.
"""


def write(
    calibration: Calibration,
    left_out: Mapping[str, LeftOut] | None = None,
    root: Path | None = None,
    *,
    whole: bool = True,
) -> list[Path]:
    """Write values, intervals, ranges and the numbers that made them, and what was left out; returns the files changed.

    Correlations are written where the *whole* of the cases was calibrated. All files are written beside, and then
    renamed without an interruption between them.
    """
    base = Path(catalog.__file__).parents[2] if root is None else root
    texts = {path: _tomlkit().dumps(document) for path, document in _documents(calibration.fits, base).items()}
    if whole:
        texts[base / "model" / "catalog" / "correlations.toml"] = correlations_text(calibration.joint)
    if left_out:
        known = {} if whole else every_known()
        texts[base / "validation" / "left_out.json"] = text_of({**known, **left_out})
    beside = {path: path.with_name(f"{path.name}.new") for path in texts}
    try:
        for path, text in texts.items():
            beside[path].write_text(text, "utf-8")
        with _uninterrupted():
            for path in texts:
                beside[path].replace(path)
    finally:
        for path in beside.values():
            path.unlink(missing_ok=True)
    return sorted(texts)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def correlations_text(joint: Joint) -> str:
    """The catalog's file of correlations."""
    lines = [HEAD]
    for text, other, correlation in sorted(joint.pairs(LEAST_CORRELATION)):
        lines += ["[[pair]]", f'of = ["{text}", "{other}"]', f"correlation = {correlation:.3f}", ""]
    return "\n".join(lines)


def _documents(fits: Sequence[Fit], base: Path) -> dict[Path, Any]:
    changed: dict[Path, Any] = {}
    for estimate in (estimate for fit in fits for estimate in fit.estimates):
        kind, entry, field_name = parts_of(estimate.name)
        if kind == "scenario":
            document = _document(base / "scenarios" / "library" / f"{entry}.toml", changed)
            section, _, key = field_name.partition(".")
            document[section][key] = like(document[section][key], estimate.value)
            _describe(_inferred(document, field_name), estimate)
            continue
        for place_kind, place, key in places_of(estimate.name):
            document = _document(base / "model" / "catalog" / place_kind / f"{place}.toml", changed)
            table = document[key]
            table["value"] = estimate.value
            if (place_kind, place, key) == (kind, entry, field_name):
                table["how"] = "fitted"
                _describe(table, estimate)
            else:  # where a constant was fitted holds wherever it is repeated
                _bound(table, estimate)
    return changed


def _tomlkit() -> Any:
    import tomlkit

    return tomlkit


def _document(path: Path, opened: dict[Path, Any]) -> Any:
    if path not in opened:
        opened[path] = _tomlkit().parse(path.read_text("utf-8"))
    return opened[path]


def _inferred(document: Any, field_name: str) -> Any:
    """The table that says how an input of a scenario was inferred, a new one where there is none."""
    listed = document.setdefault("inferred", _tomlkit().aot())
    for table in listed:
        if table["field"] == field_name:
            return table
    table = _tomlkit().table()
    table["field"] = field_name
    listed.append(table)
    return table


def _describe(table: Any, estimate: Estimate) -> None:
    for key in ("interval", "fitted_to"):
        if key in table:
            del table[key]
    if estimate.interval is not None:
        table["interval"] = list(estimate.interval)
    _bound(table, estimate)
    table["fitted_to"] = estimate.fitted_to


def _bound(table: Any, estimate: Estimate) -> None:
    if "range" in table:
        del table["range"]
    if estimate.range:
        bounds = _tomlkit().inline_table()
        bounds.update({quantity: list(limits) for quantity, limits in estimate.range.items()})
        table["range"] = bounds
