"""What can be named, and one named thing by itself: a catalog entry's constants, a scenario, a measured case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blocktime.app.base.lines import head, with_unit, wrapped
from blocktime.app.controls.control_fields import as_text
from blocktime.model.catalog import Entry
from blocktime.model.errors import SpecError, UnknownName
from blocktime.model.measures import MEASURES
from blocktime.model.provenance import Constant
from blocktime.model.units import unit_of
from blocktime.scenarios import library
from blocktime.scenarios.load import library_data
from blocktime.scenarios.profiles import known_entries
from blocktime.scenarios.spec import SECTIONS
from blocktime.scenarios.sweeps.sweep_source import library_of_sweeps, sweep_data
from blocktime.scenarios.synonyms import meant_by
from blocktime.validation import case_names, load_case

CATALOG = {"disks": "disk", "hosts": "host", "clients": "client", "statistics": "statistics", "prices": "prices"}

LISTS = ("scenarios", "sweeps", "disks", "hosts", "clients", "statistics", "prices", "cases", "measures")
"""What can be named, in the order of its list."""

Named = tuple[str, str, str]
"""Name, title and source."""


def names_of(kind: str) -> list[Named]:
    """Everything of one kind."""
    if kind == "scenarios":
        return [(name, entry.title, entry.source) for name, entry in library().items()]
    if kind == "sweeps":
        return [(name, entry.title, entry.source) for name, entry in library_of_sweeps().items()]
    if kind == "measures":
        return [(name, measure.says, "") for name, measure in MEASURES.items()]
    if kind == "cases":
        cases = {name: load_case(name).source for name in case_names()}
        return [(name, source.title, f"{source.author}: {source.key}") for name, source in cases.items()]
    return [(name, entry.title, entry.source) for name, entry in known_entries(CATALOG[kind]).items()]


def kinds_with(name: str, kind: str | None = None) -> list[str]:
    """The kinds that have something of this name, *kind* alone where it is given; raises UnknownName for none."""
    kinds = LISTS if kind is None else (kind,)
    known = {text: [known for known, _, _ in names_of(text)] for text in kinds}
    texts = [text for text, names in known.items() if name in names]
    if not texts and kind is None and (meant := meant_by(name)):
        raise SpecError(f"{name!r} is in none of the lists; {meant.hint()}")
    if not texts:
        what = (
            "scenario, sweep, disk, host, client, statistics, prices, case or measure" if kind is None else _one(kind)
        )
        near = [name for names in known.values() for name in names]
        raise UnknownName(what, name, [*near, *(() if kind else LISTS)])
    return texts


def _one(kind: str) -> str:
    return kind if kind in ("statistics", "prices") else kind.removesuffix("s")


def as_data(kind: str, name: str) -> dict[str, Any]:
    """One named thing as data."""
    title, source = next((title, source) for text, title, source in names_of(kind) if text == name)
    heading = {"kind": kind, "name": name, "title": title, "source": source}
    if kind in CATALOG:
        entry = known_entries(CATALOG[kind])[name]
        constants = {
            field: {"unit": unit_of(field), **constant.model_dump(exclude_defaults=True)}
            for field, constant in entry.constants.items()
        }
        return {**heading, **entry.texts, "constants": constants}
    if kind == "scenarios":
        data = library_data(name)
        return {**heading, "base": data.get("base"), "differences": _sections(data)}
    if kind == "sweeps":
        data = sweep_data(name)
        return {**heading, "base": data.get("base"), "differences": _sections(data), "sweep": data["sweep"]}
    return heading


def lines_of(kind: str, name: str, width: int = 80) -> Iterator[str]:
    """One named thing: title and source, then its constants, or what it sets."""
    _, title, source = next(entry for entry in names_of(kind) if entry[0] == name)
    yield head(f"{name} ({_one(kind)})")
    yield from wrapped(f"{title}{f' [{source}]' if source else ''}", width)
    if kind in CATALOG:
        yield from _constants(known_entries(CATALOG[kind])[name], width)
    elif kind == "scenarios":
        yield from _differences(library_data(name), width)
    elif kind == "sweeps":
        yield from _differences(sweep_data(name), width)
        yield "varies"
        yield from _axes(sweep_data(name)["sweep"], width)
    elif kind == "measures":
        yield from wrapped(f"--measure {name} of blocktime sweep summarises it", width)
    else:
        yield from wrapped(f"blocktime validate {name} compares its numbers with the model", width)


def _constants(entry: Entry, width: int) -> Iterator[str]:
    rows = [(field, _value(entry, field), constant) for field, constant in entry.constants.items()]
    names, values = max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)
    for field, text in entry.texts.items():
        yield f"{field} {text}"
    yield f"{'constant':<{names}}  {'value':>{values}}  how it was found, source"
    for field, value, constant in rows:
        yield from wrapped(_origin(constant), width, first=f"{field:<{names}}  {value:>{values}}  ")


def _value(entry: Entry, field: str) -> str:
    value = entry.values()[field]
    return value if isinstance(value, str) else with_unit(value, unit_of(field))


def _origin(constant: Constant) -> str:
    origin = constant.how if constant.how == constant.source else f"{constant.how}, {constant.source}"
    return f"{origin}: {constant.note}" if constant.note else origin


def _differences(data: Mapping[str, Any], width: int) -> Iterator[str]:
    if "base" in data and not _sections(data):
        yield f"is the same as {data['base']}"
    elif "base" in data:
        yield from wrapped(f"based on {data['base']}; differs in", width)
    else:
        yield "differs from the defaults in"
    for section, fields in _sections(data).items():
        for field, value in _flat(fields, section):
            yield from wrapped(as_text(value), width, first=f"  {field} = ")


def _axes(sweep: Mapping[str, Any], width: int) -> Iterator[str]:
    """What a sweep varies, one line each, and its conditions."""
    for axis in sweep["axis"]:
        taken = ", ".join(as_text(value) for value in axis.get("values", ()))
        taken = taken or f"{as_text(axis.get('low'))} to {as_text(axis.get('high'))}"
        yield from wrapped(taken, width, first=f"  {axis['key']}: ")
    for condition in sweep.get("where", ()):
        yield from wrapped(condition, width, first="  where ")


def _sections(data: Mapping[str, Any]) -> dict[str, Any]:
    return {section: data[section] for section in SECTIONS if section in data}


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every field with its dotted path; of a list of described things one line each, by name or number."""
    if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        for place, item in enumerate(value):
            text = ", ".join(f"{field} {as_text(inner)}" for field, inner in item.items() if field != "name")
            yield f"{path}.{item.get('name', place)}", text
        return
    if not isinstance(value, Mapping):
        yield path, value
        return
    for name, inner in value.items():
        yield from _flat(inner, f"{path}.{name}")
