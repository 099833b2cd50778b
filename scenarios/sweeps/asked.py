"""What sweep is asked for: a name or a file, what is laid over it, and axes from there or from the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from blocktime.model.errors import SpecError, cut, shown
from blocktime.scenarios.load import LibraryEntry, Source, source_in, source_of, split_name, with_settings
from blocktime.scenarios.sweeps.spec import Axis, Sweep, axis_of, sweep_of


@lru_cache(maxsize=1)
def library_of_sweeps() -> dict[str, LibraryEntry]:
    """The library's sweeps by name."""
    sweeps = {}
    for file in sorted(
        files("scenarios").joinpath("sweeps", "library").iterdir(), key=lambda item: item.name
    ):
        if file.name.endswith(".toml"):
            name = file.name[:-5]
            data = sweep_data(name)
            sweeps[name] = LibraryEntry(name=name, title=data["title"], source=data.get("source", ""))
    return sweeps


@lru_cache(maxsize=64)
def sweep_data(name: str) -> dict[str, Any]:
    """A sweep of the library as it stands; shared, not to be changed."""
    return tomllib.loads(files("scenarios").joinpath("sweeps", "library", f"{name}.toml").read_text("utf-8"))


def source_of_sweep(name_or_path: str | Path, settings: Sequence[str] = ()) -> Source:
    """A sweep of the library, a library scenario or a file, with ``key=value`` settings laid over it."""
    text, own = split_name(name_or_path)
    if text in library_of_sweeps():
        return with_settings(source_in(sweep_data(text), text, text), [*settings, *own])
    return source_of(name_or_path, settings, also=library_of_sweeps())


def sweep_asked(
    source: Source,
    vary: Sequence[str | Axis] = (),
    options: Mapping[str, Any] | None = None,
    zipped: bool = False,
) -> Sweep:
    """The sweep that a source declares, with axes in the place of its own or beside them, and other *options*.

    *options* are fields of the [sweep] table. Raises :class:`SpecError` with one sentence.
    """
    declared = source.data.get("sweep", {})
    if not isinstance(declared, Mapping):
        raise SpecError(f"{source.where}: sweep: got {shown(declared)}; it is a table with axes")
    axes = [axis if isinstance(axis, Axis) else axis_of(axis) for axis in vary]
    if zipped:
        axes = [axis.model_copy(update={"zip": "all"}) for axis in axes]
    given = declared.get("axis", [])
    if not isinstance(given, list):
        raise SpecError(f"{source.where}: sweep.axis: got {shown(given)}; write each as [[sweep.axis]]")
    replaced = {axis.key for axis in axes}
    kept = [axis for axis in given if not (isinstance(axis, Mapping) and axis.get("key") in replaced)]
    if not kept and not axes:
        raise SpecError(
            f"{cut(source.where)}: nothing varies; give --vary KEY=A,B,C or --vary KEY=LOW:HIGH:POINTS, or a "
            "[[sweep.axis]] in the file"
        )
    return sweep_of({**declared, **(options or {}), "axis": [*kept, *axes]}, source.where)
