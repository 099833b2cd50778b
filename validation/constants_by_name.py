"""Constants by name: a field of the catalog (``host/rahn-2008: logical_io_s``) or of a library scenario
(``scenario/magni-imp-32k: table.rows``), read, bounded, and for a while replaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from blocktime.model import catalog
from blocktime.model.errors import SpecError
from blocktime.model.provenance import Constant
from blocktime.model.spec import WORKLOADS, System
from blocktime.scenarios.load import library_data

REACH: Final = 150.0
"""A fitted constant may move by so much as a factor, within what its field allows."""


def parts_of(name: str) -> tuple[str, str, str]:
    """``host/rahn-2008: logical_io_s`` -> kind, entry, field."""
    place, _, field_name = name.partition(": ")
    kind, _, entry = place.partition("/")
    return kind, entry, field_name


def constant_of(name: str) -> Constant | None:
    """The catalog's constant; None for a field of a scenario.

    Raises SpecError for one that the catalog does not hold.
    """
    kind, entry, field_name = parts_of(name)
    if kind == "scenario":
        return None
    constants = catalog.entry(kind, entry).constants
    if field_name not in constants:
        raise SpecError(f"{kind}/{entry}: {field_name}: a case fits it, but the catalog does not hold it")
    return constants[field_name]


def value_of(name: str) -> float:
    """Present value of a catalog constant or of a field of a library scenario."""
    constant = constant_of(name)
    if constant is not None:
        return constant.value
    _, entry, field_name = parts_of(name)
    section, _, key = field_name.partition(".")
    return float(library_data(entry)[section][key])


def is_whole(name: str) -> bool:
    """Whether the constant counts something small, such as users: nothing lies between two of its values."""
    kind, _, field_name = parts_of(name)
    return kind == "scenario" and field_name.endswith("users")


def bounds_of(name: str) -> tuple[float, float]:
    """Smallest and largest value that a fit may give it."""
    value = value_of(name)
    low, high = value / REACH, value * REACH
    for limit in _field(name).metadata:
        low = max(low, getattr(limit, "ge", None) or low)
        high = min(high, getattr(limit, "le", None) or high)
    return low, high


def _field(name: str) -> Any:
    """The declaration of the field that a constant fills."""
    kind, entry, field_name = parts_of(name)
    path = field_name if kind == "scenario" else f"{catalog.KINDS[kind]}.{field_name}"
    *sections, key = path.split(".")
    model: Any = System
    if sections == ["workload"]:
        model, sections = WORKLOADS[_kind_of_work(entry)], []
    for part in sections:
        model = model.model_fields[part].annotation
    return model.model_fields[key]


def _kind_of_work(entry: str) -> str:
    """The kind of work of a library scenario, as it or what it stands on says."""
    data = library_data(entry)
    while "kind" not in data.get("workload", {}) and "base" in data:
        data = library_data(data["base"])
    return str(data.get("workload", {}).get("kind", "full_scan"))


@contextmanager
def substituted(values: Mapping[str, float]) -> Iterator[None]:
    """Let the catalog and the library hold *values* for a while, and what repeats them with them."""
    undo_entries: dict[tuple[str, str], catalog.Entry] = {}
    undo_fields: list[tuple[dict[str, Any], str, Any]] = []
    for name, value in values.items():
        kind, entry, field_name = parts_of(name)
        if kind == "scenario":
            section, _, key = field_name.partition(".")
            holder = library_data(entry)[section]
            undo_fields.append((holder, key, holder[key]))
            holder[key] = like(holder[key], value)
            continue
        for place_kind, place, place_field in places_of(name):
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
        for holder, key, before in reversed(undo_fields):
            holder[key] = before


def like(before: Any, value: float) -> int | float:
    """*value* as a field takes it: a whole number where it was one."""
    return value if isinstance(before, float) else round(value)


def places_of(name: str) -> list[tuple[str, str, str]]:
    """Kind, entry and field of the constant itself and of all that repeat it."""
    places = [parts_of(name)]
    for kind in catalog.KINDS:
        for entry in catalog.entries(kind).values():
            places += [(kind, entry.name, key) for key, constant in entry.constants.items() if constant.same_as == name]
    return places
