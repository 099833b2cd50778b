"""The constants that printed numbers were fitted to: value, interval, and which numbers made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from blocktime.model.errors import SpecError
from blocktime.model.provenance import Constant
from blocktime.model.units import unit_of
from blocktime.scenarios.inferred import inferred_in
from blocktime.scenarios.load import library_data
from blocktime.validation.compare import Comparison
from blocktime.validation.constants_by_name import constant_of, parts_of, value_of


@dataclass(frozen=True, slots=True)
class FittedConstant:
    """One constant of the catalog, or one input of a library scenario that no document prints, with what made it."""

    name: str
    """``host/rahn-2008: logical_io_s``, or ``scenario/magni-imp-32k: table.rows``."""
    value: float
    unit: str
    interval: tuple[float, float] | None
    """Where it lies with 95 % confidence; None where as many constants as numbers leave nothing to judge by."""
    fitted_to: tuple[str, ...]
    """Numbers as case:table:row:column."""
    only_a_fit: bool
    """Whether it explains one number and nothing else determines it: no evidence for it."""
    range: dict[str, tuple[float, float]]
    source: str
    note: str

    def to_json(self) -> dict[str, Any]:
        """As an object of ``validate --json``."""
        return asdict(self)


def fitted_constants(numbers: Sequence[Comparison]) -> list[FittedConstant]:
    """The constants that the numbers marked ``fits`` among *numbers* determine, in the order of their names."""
    made_by: dict[str, list[Comparison]] = {}
    for comparison in numbers:
        for name in comparison.number.fits:
            made_by.setdefault(name, []).append(comparison)
    return [_fitted(name, made_by[name]) for name in sorted(made_by)]


def _fitted(name: str, made_by: Sequence[Comparison]) -> FittedConstant:
    try:
        constant, value = constant_of(name) or _inferred(name), value_of(name)
    except (OSError, LookupError, TypeError, ValueError):
        place = f"{made_by[0].number.case}.toml: table {made_by[0].number.table}"
        raise SpecError(f"{place}: fits {name!r}; no scenario of the library sets that number") from None
    # One case alone may not have all the numbers that the catalog knows of.
    fitted_to = tuple(dict.fromkeys([*constant.fitted_to, *(comparison.number.id for comparison in made_by)]))
    return FittedConstant(
        name=name,
        value=value,
        unit=unit_of(parts_of(name)[2]),
        interval=constant.interval,
        fitted_to=fitted_to,
        only_a_fit=len(fitted_to) == 1 and made_by[0].fit_alone,
        range=constant.range,
        source=constant.source,
        note=constant.note,
    )


def _inferred(name: str) -> Constant:
    """An input that a library scenario has from a fit, in the form of a constant."""
    _, scenario, field = parts_of(name)
    data = library_data(scenario)
    inferred = inferred_in(data, scenario)
    if field in inferred:
        return inferred[field]
    return Constant(value=value_of(name), how="fitted", source=str(data.get("source", scenario)))
