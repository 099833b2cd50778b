"""What sweep is asked for: a name or a file, what is laid over it, and axes from there or from the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from blocktime.model.errors import SpecError, cut, quote
from blocktime.scenarios.load import (
    LibraryEntry,
    Side,
    Source,
    change_in,
    source_in,
    source_of,
    split_name,
    with_settings,
)
from blocktime.scenarios.nested import value_within
from blocktime.scenarios.sweeps.sweep_spec import Axis, Sweep, axis_of, sweep_of


@lru_cache(maxsize=1)
def library_of_sweeps() -> dict[str, LibraryEntry]:
    """The library's sweeps by name."""
    sweeps = {}
    for file in sorted(
        files("blocktime.scenarios").joinpath("sweeps", "library").iterdir(), key=lambda item: item.name
    ):
        if file.name.endswith(".toml"):
            name = file.name[:-5]
            data = sweep_data(name)
            sweeps[name] = LibraryEntry(name=name, title=data["title"], source=data.get("source", ""))
    return sweeps


@lru_cache(maxsize=64)
def sweep_data(name: str) -> dict[str, Any]:
    """A sweep of the library as it stands; shared, not to be changed."""
    return tomllib.loads(files("blocktime.scenarios").joinpath("sweeps", "library", f"{name}.toml").read_text("utf-8"))


def source_of_sweep(name_or_path: str | Path, settings: Sequence[str] = (), side: Side = "change") -> Source:
    """A sweep of the library, a library scenario or a file, with ``key=value`` settings laid over it."""
    text, more_settings = split_name(name_or_path)
    if text in library_of_sweeps():
        return with_settings(source_in(sweep_data(text), text, text), [*settings, *more_settings])
    return source_of(name_or_path, settings, library_of_sweeps(), side)


def axes_of_change(system: Source) -> list[Axis]:
    """Axes that make each point twice: of the *system* as its file describes it, and with the file's change.

    Raises :class:`SpecError` for a file without a change, and for a field that the system gives no single value.
    """
    change = change_in(system.data, system.where)
    if not change:
        raise SpecError(f"{system.where}: has no [change], so it has one side; leave --side both out")
    values = system.scenario().model_dump()
    axes = []
    for key, changed in change.items():
        above = values["system"] if not key.startswith("workload.") else values
        layers = [above] if not key.endswith(".use") else [layer for _, layer in reversed(system.layers)]
        value = next(filter(None, (value_within(layer, key) for layer in layers)), None)
        if not isinstance(value, bool | int | float | str):
            raise SpecError(
                f"{system.where}: {key}: the system has no single value of it, so --side both cannot vary it"
            )
        axes.append(Axis(key=key, values=(value, changed), zip="change"))
    return axes


def make_sweep(
    source: Source, vary: Sequence[str | Axis] = (), options: Mapping[str, Any] | None = None, zipped: bool = False
) -> Sweep:
    """The sweep that a source declares, with axes in the place of its own or beside them, and other *options*.

    *options* are fields of the [sweep] table. Raises :class:`SpecError` with one sentence.
    """
    declared = source.data.get("sweep", {})
    if not isinstance(declared, Mapping):
        raise SpecError(f"{source.where}: sweep: got {quote(declared)}; it is a table with axes")
    axes = [axis if isinstance(axis, Axis) else axis_of(axis) for axis in vary]
    if zipped:
        axes = [axis.model_copy(update={"zip": "all"}) for axis in axes]
    given = declared.get("axis", [])
    if not isinstance(given, list):
        raise SpecError(f"{source.where}: sweep.axis: got {quote(given)}; write each as [[sweep.axis]]")
    replaced = {axis.key for axis in axes}
    unreplaced = [axis for axis in given if not (isinstance(axis, Mapping) and axis.get("key") in replaced)]
    if not unreplaced and not axes:
        raise SpecError(
            f"{cut(source.where)}: nothing varies; give --vary KEY=A,B,C or --vary KEY=LOW:HIGH:POINTS, or a "
            "[[sweep.axis]] in the file"
        )
    return sweep_of({**declared, **(options or {}), "axis": [*unreplaced, *axes]}, source.where)
