"""The form of a scenario's file, a sweep's and a result, as JSON Schema."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from blocktime.model.catalog import KINDS
from blocktime.model.errors import UnknownName
from blocktime.model.results import RunResult
from blocktime.model.spec import System, Workload
from blocktime.scenarios.inferred import Inferred
from blocktime.scenarios.profiles import SAID, OwnValue, section_of
from blocktime.scenarios.spec import CHANGE, PROFILE, PROMISE, SECTIONS
from blocktime.scenarios.sweeps.sweep_spec import Sweep


def schema_of(kind: str) -> dict[str, Any]:
    """JSON Schema of a scenario file, or of a result, for editors; raises :class:`UnknownName` for other kinds."""
    if kind == "result":
        return RunResult.model_json_schema(mode="serialization")
    if kind == "scenario":
        return _scenario_schema()
    if kind == "sweep":
        return _sweep_schema()
    raise UnknownName("schema", kind, ("scenario", "sweep", "result", "case"))


def _sweep_schema() -> dict[str, Any]:
    """A scenario's file with the table that says what varies."""
    of_scenario, sweep = _scenario_schema(), Sweep.model_json_schema()
    definitions = sweep.pop("$defs")
    for schema in (sweep, *definitions.values()):
        _allow_units(schema)
    of_scenario["title"] = "Blocktime sweep"
    of_scenario["properties"]["sweep"] = sweep
    of_scenario["$defs"] |= definitions
    return of_scenario


def _scenario_schema() -> dict[str, Any]:
    system = System.model_json_schema()
    work = TypeAdapter(Workload).json_schema()
    inferred = Inferred.model_json_schema()
    definitions = {**system.pop("$defs", {}), **work.pop("$defs", {})}
    properties = {name: system["properties"][name] for name in SECTIONS if name in system["properties"]}
    for section in ("Host", "Client", "Disk", "SystemStatistics", "Prices"):
        definitions[section]["properties"]["use"] = {
            "type": "string",
            "description": "name of an entry, of the catalog or of [profile], that sets this section; single fields "
            "may differ",
        }
    for schema in definitions.values():
        _allow_units(schema)
    work["anyOf"] = work.pop("oneOf")  # a workload without a kind is a full scan
    work.pop("discriminator", None)
    profile = _profile_schema(definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Blocktime scenario",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "base": {"type": "string", "description": "library scenario this one differs from"},
            "title": {"type": "string"},
            "source": {"type": "string"},
            "seed": {"type": "integer", "minimum": 0},
            "replications": {"type": "integer", "minimum": 1, "maximum": 1000},
            "inferred": {"type": "array", "items": inferred},
            PROFILE: profile,
            CHANGE: {
                "type": "object",
                "description": "fields with their values on the side with the change; the rest of the file is the "
                "system. `compare FILE` plays both sides",
            },
            PROMISE: {
                "type": "array",
                "description": "what the answer has to keep; `run FILE --check` ends with 1 where it does not",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["keep"],
                    "properties": {
                        "keep": {"type": "string", "description": "a comparison such as response_p95_s <= 20 ms"}
                    },
                },
            },
            "measured": {
                "type": "object",
                "description": "Figures of `blocktime measure --out`; they change no answer. `run` prints those in "
                "[[measured.compared]] beside its own.",
            },
            **properties,
            "workload": work,
        },
        "$defs": definitions,
    }


def _profile_schema(definitions: dict[str, Any]) -> dict[str, Any]:
    """The file's own entries: the fields of a section, each alone or as a table, which goes into *definitions*."""
    definitions["OwnValue"] = OwnValue.model_json_schema()
    kinds = {}
    for kind in KINDS:
        section = definitions[section_of(kind).__name__]
        fields = {
            name: field if name == "use" else {"anyOf": [field, {"$ref": "#/$defs/OwnValue"}]}
            for name, field in section["properties"].items()
        }
        entry = {**section, "properties": {**fields, **{name: {"type": "string"} for name in SAID}}}
        kinds[kind] = {"type": "object", "additionalProperties": entry}
    return {
        "type": "object",
        "description": "entries that `use` names in this file, beside those of the catalog",
        "additionalProperties": False,
        "properties": kinds,
    }


def _allow_units(schema: dict[str, Any]) -> None:
    """Limits in the schema's own words; and fields for bytes or seconds also take a string with a unit."""
    for name, field in schema.get("properties", {}).items():
        for form in (field, *field.get("anyOf", ())):
            for limit, text in _LIMITS.items():
                if limit in form:
                    form[text] = form.pop(limit)
        if name.endswith(("bytes", "bytes_sd", "_byte", "_s")):
            forms = field.pop("anyOf", None)
            if forms is None:
                forms = [{key: field.pop(key) for key in list(field) if key in _NUMERIC}]
            field["anyOf"] = [*forms, {"type": "string", "pattern": r"^\s*[0-9]"}]


_LIMITS = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}
_NUMERIC = frozenset({"type", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
