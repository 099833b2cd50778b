"""Fit the constants that the cases are marked for, and write them to the catalog with what made them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from model import catalog
from model.errors import SpecError
from model.results import RunResult
from model.spec import System, Transactions
from scenarios import load
from scenarios.load import library_data
from validation.case import case_names, load_case
from validation.compare import Runs, allowed_error
from validation.numbers import MeasuredNumber, numbers_of
from validation.ranges import conditions_behind, range_of


@dataclass(slots=True)
class Estimate:
    """One fitted constant; one that the numbers do not determine keeps its value and is not written."""

    name: str
    value: float
    before: float
    spread: float | None
    fitted_to: list[str]
    range: dict[str, tuple[float, float]]
    determined: bool = True


@dataclass(slots=True)
class Fit:
    """The constants of one case, the residuals of the numbers that made them, and what those cannot tell apart."""

    case: str
    estimates: list[Estimate]
    residuals: dict[str, float]
    unidentified: list[str] = field(default_factory=list)


def calibrate(cases: Sequence[str] | None = None) -> list[Fit]:
    """Fit each case's constants by bounded least squares on their logarithms, errors over tolerances.

    A case that takes constants over from another (``same_as``) is fitted after it.
    """
    names = sorted(
        cases or case_names(), key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name)
    )
    fits = []
    values: dict[str, float] = {}
    for name in names:
        numbers = [number for number in numbers_of(load_case(name)) if number.mark == "fits"]
        if numbers:
            fit = fit_to(name, numbers, values)
            values.update({estimate.name: estimate.value for estimate in fit.estimates})
            fits.append(fit)
    return fits


STEP: Final = 1e-4
WHOLE: Final = frozenset({"write_bandwidth_bytes_per_s"})
"""Constants that are fitted to requests of an interval: whole ones, on which nothing can be differentiated."""
MOST_TRIALS: Final = 12
GRID: Final = 1 / 300
REACH: Final = 10

ORDER: Final = ("savvinov_logical_io",)


def fit_to(case: str, numbers: Sequence[MeasuredNumber], given: Mapping[str, float]) -> Fit:
    """Fit the constants that *numbers* name to them, with those of *given* as they are there."""
    import numpy as np  # noqa: PLC0415
    from scipy.optimize import least_squares  # noqa: PLC0415

    every = sorted({constant for number in numbers for constant in number.fits})
    whole = [name for name in every if _parts(name)[2] in WHOLE]
    drawn = sorted({name for number in numbers if _is_drawn(number) for name in number.fits})
    names = [name for name in every if name not in (*whole, *drawn)]
    smooth = [number for number in numbers if not set(number.fits) & {*whole, *drawn}]
    start = np.log([value_of(name) for name in names])
    known: dict[str, RunResult] = {}

    def residuals(logarithms: Any) -> Any:
        trial = dict(zip(names, np.exp(logarithms).tolist(), strict=True))
        with substituted({**given, **trial}):
            runs = Runs(known=known)
            return np.array([(runs.predict(n) - n.printed) / allowed_error(n) for n in smooth])

    if not names:
        return _drawn_alone(case, drawn, numbers, given)
    found = least_squares(
        residuals,
        start,
        bounds=_bounds(names, start),
        x_scale=0.1,
        diff_step=[STEP],
        xtol=1e-8,
        ftol=1e-9,
        gtol=1e-12,
    )
    loose = _unidentified(found.jac, names)
    free = {name for group in loose for name in group}
    values = {
        name: value_of(name) if name in free else float(value)
        for name, value in zip(names, np.exp(found.x), strict=True)
    }
    for name in whole:
        counted = [number for number in numbers if name in number.fits]
        values[name] = _nearest(name, counted, {**given, **values})
    with substituted({**given, **values}):
        ranges = {number.id: conditions_behind(number) for number in numbers}
        runs = Runs(known=known)
        errors = {number.id: runs.predict(number) / number.printed - 1 for number in numbers}
    spreads = _spreads(found.jac, found.fun, len(names))
    spread = {} if spreads is None else dict(zip(names, spreads, strict=True))
    estimates = [
        Estimate(
            name=name,
            value=float(f"{values[name]:.6g}"),
            before=value_of(name),
            spread=float(f"{spread[name] * values[name]:.2g}") if name in spread.keys() - free else None,
            fitted_to=[number.id for number in numbers if name in number.fits],
            range=range_of(name, [ranges[number.id] for number in numbers if name in number.fits]),
            determined=name not in free,
        )
        for name in every
    ]
    return Fit(case, estimates, errors, [_undetermined(group) for group in loose])


def _is_drawn(number: MeasuredNumber) -> bool:
    """Whether chance has a part in what the model says: its constant is fitted to it alone then, to its tolerance."""
    return isinstance(load(*number.pick).workload, Transactions)


def _drawn_alone(
    case: str, names: Sequence[str], numbers: Sequence[MeasuredNumber], given: Mapping[str, float]
) -> Fit:
    """The fit of a case whose numbers all come from simulations."""
    values = {name: value_of(name) for name in names}
    for name in names:
        (number,) = [one for one in numbers if name in one.fits]
        values[name] = _within(name, number, {**given, **values})
    with substituted({**given, **values}):
        runs = Runs()
        errors = {number.id: runs.predict(number) / number.printed - 1 for number in numbers}
    estimates = [
        Estimate(
            name=name,
            value=float(f"{values[name]:.6g}"),
            before=value_of(name),
            spread=None,
            fitted_to=[number.id for number in numbers if name in number.fits],
            range={},
        )
        for name in names
    ]
    return Fit(case, estimates, errors)


def _within(name: str, number: MeasuredNumber, given: Mapping[str, float]) -> float:
    """The present value if its number is within the tolerance, which chance alone is as wide as; else by chords."""

    def miss(value: float) -> float:
        with substituted({**given, name: value}):
            return (Runs().predict(number) - number.printed) / allowed_error(number)

    last, value = 0.0, value_of(name)
    before, found = 0.0, miss(value)
    for trial in range(MOST_TRIALS):
        if abs(found) <= 1:
            return value
        step = (
            max(0.02 * value, float(value >= 1))
            if not trial or found == before
            else -found * (value - last) / (found - before)
        )
        last, before = value, found
        value += min(max(step, -0.2 * value), 0.2 * value)
        found = miss(value)
    raise SpecError(f"{name}: no value brings {number.id} within its tolerance")


def _nearest(name: str, numbers: Sequence[MeasuredNumber], given: Mapping[str, float]) -> float:
    """The middle of the values at which the model's counts keep to their tolerance, or else come nearest to it.

    Values stand a third of a percent apart, the same ones wherever the search begins.
    """
    at = round(math.log(value_of(name)) / GRID)
    misses: dict[int, float] = {}

    def miss(point: int) -> float:
        with substituted({**given, name: math.exp(point * GRID)}):
            runs = Runs()
            errors = ((runs.predict(number) - number.printed) / allowed_error(number) for number in numbers)
            return round(sum(max(0.0, abs(error) - 1.0) for error in errors), 9)

    while True:
        around = range(at - REACH, at + REACH + 1)
        misses.update((point, miss(point)) for point in around if point not in misses)
        least = min(misses.values())
        best = sorted(point for point, found in misses.items() if found == least)
        if best[0] - REACH in misses and best[-1] + REACH in misses:
            return math.exp(best[len(best) // 2] * GRID)
        at = best[0] if best[0] - REACH not in misses else best[-1]


def _bounds(names: Sequence[str], start: Any) -> tuple[Any, Any]:
    """Logarithms a constant may take: a factor of 150 either way, within what its field allows."""
    import numpy as np  # noqa: PLC0415

    lower, upper = start - 5, start + 5
    for index, name in enumerate(names):
        kind, _, field_name = _parts(name)
        section, _, key = field_name.rpartition(".")
        model: Any = System
        for part in (section or catalog.KINDS[kind]).split("."):
            model = model.model_fields[part].annotation
        for limit in model.model_fields[key].metadata:
            if getattr(limit, "ge", None):
                lower[index] = max(lower[index], np.log(limit.ge))
            if getattr(limit, "le", None):
                upper[index] = min(upper[index], np.log(limit.le) + 1e-9)
    return lower, upper


def _spreads(jacobian: Any, residuals: Any, parameters: int) -> list[float] | None:
    """Relative standard errors; None where as many constants as numbers leave nothing to judge them by."""
    import numpy as np  # noqa: PLC0415

    freedom = len(residuals) - parameters
    if freedom < 1:
        return None
    covariance = np.linalg.pinv(jacobian.T @ jacobian) * float(residuals @ residuals) / freedom
    return [float(v) for v in np.sqrt(np.diag(covariance))]


def _unidentified(jacobian: Any, names: list[str]) -> list[list[str]]:
    """The constants that the numbers do not determine, each with those that they cannot tell it apart from."""
    import numpy as np  # noqa: PLC0415

    _, sizes, directions = np.linalg.svd(jacobian, full_matrices=True)
    found = []
    for index, direction in enumerate(directions):
        size = sizes[index] if index < len(sizes) else 0.0
        if size < 1e-6 * sizes[0]:
            found.append([names[i] for i in np.argsort(-np.abs(direction)) if abs(direction[i]) > 0.3])
    return found


def _undetermined(group: list[str]) -> str:
    if len(group) == 1:
        return f"the numbers do not determine {group[0]}"
    return f"the numbers do not tell apart {' and '.join(group)}"


def _parts(name: str) -> tuple[str, str, str]:
    """``host/rahn-2008: logical_io_s`` -> kind, entry, field."""
    place, _, field_name = name.partition(": ")
    kind, _, entry = place.partition("/")
    return kind, entry, field_name


def value_of(name: str) -> float:
    """Present value of a catalog constant or of a field of a library scenario."""
    kind, entry, field_name = _parts(name)
    if kind == "scenario":
        section, _, key = field_name.partition(".")
        return float(library_data(entry)[section][key])
    constants = catalog.entry(kind, entry).constants
    if field_name not in constants:
        raise SpecError(f"{kind}/{entry}: {field_name}: a case fits it, but the catalog does not hold it")
    return constants[field_name].value


@contextmanager
def substituted(values: Mapping[str, float]) -> Iterator[None]:
    """Let the catalog and the library hold *values* for a while, and what repeats them with them."""
    undo_entries: dict[tuple[str, str], catalog.Entry] = {}
    undo_fields: list[tuple[dict[str, Any], str, Any]] = []
    for name, value in values.items():
        kind, entry, field_name = _parts(name)
        if kind == "scenario":
            section, _, key = field_name.partition(".")
            holder = library_data(entry)[section]
            undo_fields.append((holder, key, holder[key]))
            holder[key] = _like(holder[key], value)
            continue
        for place_kind, place, place_field in _places(name):
            known = catalog.entries(place_kind)
            old = known[place]
            undo_entries.setdefault((place_kind, place), old)
            constant = old.constants[place_field].model_copy(update={"value": value})
            known[place] = old.model_copy(update={"constants": {**old.constants, place_field: constant}})
    try:
        yield
    finally:
        for (kind, place), old in undo_entries.items():
            catalog.entries(kind)[place] = old
        for holder, key, before in undo_fields:
            holder[key] = before


def _like(before: Any, value: float) -> int | float:
    """*value* as a field takes it: a whole number where it was one."""
    return value if isinstance(before, float) else round(value)


def _places(name: str) -> list[tuple[str, str, str]]:
    """The constant itself and all that repeat it."""
    found = [_parts(name)]
    for kind in catalog.KINDS:
        for entry in catalog.entries(kind).values():
            found += [
                (kind, entry.name, key)
                for key, constant in entry.constants.items()
                if constant.same_as == name
            ]
    return found


def write(fits: Sequence[Fit], root: Path | None = None) -> list[Path]:
    """Put the estimates into the catalog's and the library's files; returns the files changed.

    Files are written beside and renamed.
    """
    base = Path(catalog.__file__).parents[2] if root is None else root
    changed: dict[Path, Any] = {}
    for estimate in (one for fit in fits for one in fit.estimates if one.determined):
        kind, entry, field_name = _parts(estimate.name)
        if kind == "scenario":
            document = _document(base / "scenarios" / "library" / f"{entry}.toml", changed)
            section, _, key = field_name.partition(".")
            document[section][key] = _like(document[section][key], estimate.value)
            continue
        for place_kind, place, key in _places(estimate.name):
            document = _document(base / "model" / "catalog" / place_kind / f"{place}.toml", changed)
            table = document[key]
            table["value"] = estimate.value
            if (place_kind, place) == (kind, entry) or table["how"] == "fitted":
                table["how"] = "fitted"
                _describe(table, estimate)
    for path, document in changed.items():
        beside = path.with_suffix(".toml.new")
        beside.write_text(_tomlkit().dumps(document), "utf-8")
        beside.replace(path)
    return sorted(changed)


def _tomlkit() -> Any:
    import tomlkit  # noqa: PLC0415

    return tomlkit


def _document(path: Path, opened: dict[Path, Any]) -> Any:
    if path not in opened:
        opened[path] = _tomlkit().parse(path.read_text("utf-8"))
    return opened[path]


def _describe(table: Any, estimate: Estimate) -> None:
    for key in ("interval", "range", "fitted_to"):
        if key in table:
            del table[key]
    if estimate.spread is not None:
        off = math.exp(1.96 * estimate.spread / estimate.value)
        table["interval"] = [float(f"{end:.4g}") for end in (estimate.value / off, estimate.value * off)]
    if estimate.range:
        bounds = _tomlkit().inline_table()
        bounds.update({quantity: list(limits) for quantity, limits in estimate.range.items()})
        table["range"] = bounds
    table["fitted_to"] = estimate.fitted_to
