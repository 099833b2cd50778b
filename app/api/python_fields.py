"""What a caller in Python asks of a scenario: its name, file or value, with fields as dictionaries laid over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from blocktime.app.api.notebook_values import MeasuredSystem
from blocktime.model.errors import SpecError, quote
from blocktime.scenarios.load import Side, Source, put, source_in, to_mapping
from blocktime.scenarios.nested import leaves
from blocktime.scenarios.spec import SECTIONS, Scenario
from blocktime.scenarios.sweeps.sweep_source import source_of_sweep
from blocktime.scenarios.sweeps.sweep_spec import Axis, axis_of, listed_axis

Question = str | Path | Scenario | MeasuredSystem | Mapping[str, Any]
"""The name of a scenario of the library or of a sweep, a TOML file, what it holds as dictionaries, or a value."""
Fields = Mapping[str, Any] | None
"""Fields and their values: ``{"disk.use": "nvme"}``, or section by section ``{"disk": {"use": "nvme"}}``."""
Along = Mapping[str, Any] | Sequence[str]
"""What varies: field -> list of values or (low, high, points), or texts as on the command line."""
WITH_CATALOG = ("disk", "host", "client")
"""Sections where a text names an entry of the catalog."""


def request(
    question: Question, change: Fields, sections: Mapping[str, Any], called: str, side: Side = "change"
) -> Source:
    """The scenario *question*, with *change* and *sections* laid over it; *called* begins the sentence of a fault.

    Of a file with both sides it is *side*. Raises :class:`SpecError` with one sentence.
    """
    if not isinstance(change or {}, Mapping):
        raise SpecError(f"{called}: got {quote(change)}; a change is a dictionary of fields")
    if not isinstance(question, str | Path | Scenario | MeasuredSystem | Mapping):
        raise SpecError(f"{called}: got {quote(question)}; a scenario is a name, a file or a dictionary of fields")
    if side not in get_args(Side):
        raise SpecError(f"{called}: side: got {quote(side)}; allowed are {' and '.join(get_args(Side))}")
    if isinstance(question, MeasuredSystem):
        question = question.file
    if isinstance(question, Scenario):
        source = source_in(to_mapping(question), question.name, question.origin or question.name)
    elif isinstance(question, Mapping):
        source = source_in(question, str(question.get("base", "scenario")), called, side)
    else:
        source = source_of_sweep(question, side=side)
    return source.with_layer(called, nested_fields({**(change or {}), **sections}, called))


def nested_fields(fields: Mapping[str, Any], called: str) -> dict[str, Any]:
    """*fields* by section; raises :class:`SpecError` for a section that is none, or has a value of its own."""
    nested: dict[str, Any] = {}
    for key, value in fields.items():
        if isinstance(value, str) and key in WITH_CATALOG:
            put(nested, f"{key}.use", value, called)
        elif key in SECTIONS and not isinstance(value, Mapping):
            example = ' or the name of an entry, such as disk="nvme"' if key in WITH_CATALOG else ""
            raise SpecError(f"{called}: {key}: got {quote(value)}; it takes a dictionary of its fields{example}")
        else:
            for path, inner in leaves({key: value}):
                put(nested, path, _plain(inner), called)
    return nested


def axes(vary: Along, called: str) -> list[Axis]:
    """The axes that *vary* names; a tuple is a range (low, high, points, perhaps "log"), any other sequence its values.

    Raises :class:`SpecError` with one sentence.
    """
    if not vary:
        raise SpecError(f'{called}: nothing varies; give fields and values, such as {{"workload.users": [1, 10, 100]}}')
    if not isinstance(vary, Mapping | Sequence):
        raise SpecError(f"{called}: got {quote(vary)}; what varies is a dictionary of fields and values")
    if not isinstance(vary, Mapping):
        return [axis_of(text) for text in ([vary] if isinstance(vary, str) else vary)]
    made = []
    for key, given in vary.items():
        values = _plain(given)
        if isinstance(values, str) or not isinstance(values, Sequence):
            raise SpecError(
                f"{called}: {key}: got {quote(values)}; give a list of values, or a tuple (low, high, points)"
            )
        written = f"{key}={':'.join(map(str, values))}"
        made.append(axis_of(written) if isinstance(values, tuple) else listed_axis(key, list(map(_plain, values))))
    return made


def _plain(value: Any) -> Any:
    """*value* as Python's own: a number or an array of numpy is none that a file could have."""
    return value.tolist() if hasattr(value, "tolist") else value
