"""Every field of a scenario as the items of a list: label, help, limits, default with source, and who reads it."""

from __future__ import annotations

from typing import Final

from blocktime.app.controls.control_fields import facts
from blocktime.model.spec import WORKLOADS
from blocktime.scenarios.declared import declaration, declared_fields
from blocktime.scenarios.unread import is_unread
from tools.markdown_tables import code, item

PLACES_OF_LISTS: Final = {"workload.mix.0": "workload.mix"}


def field_list(section: str) -> str:
    """The fields of a *section*, such as ``disk``; of ``workload`` each with the kinds that have it."""
    kinds_of: dict[tuple[str, int], list[str]] = {}
    for kind in WORKLOADS:
        for path in declared_fields(kind):
            if path.rpartition(".")[0] == section:
                kinds_of.setdefault((path, id(declaration(path, kind))), []).append(kind)
    return "\n".join(item(_field_text(path, kinds)) for (path, _), kinds in kinds_of.items())


def _field_text(path: str, kinds: list[str]) -> str:
    field = facts(path, kinds[0])
    assert field is not None
    declared = declaration(path, kinds[0])
    section, _, name = path.rpartition(".")
    head = code(f"{PLACES_OF_LISTS.get(section, section)}.{name}")
    head += f" ({', '.join(kinds)})" if len(kinds) < len(WORKLOADS) and section == "workload" else ""
    label = f" **{declared.places[0].label}.**" if declared.places else ""
    options = [] if field.default is None and not field.options else [", ".join(map(field.show, field.options))]
    default = f"default {'not set' if field.default is None else field.show(field.default)} ({declared.source})"
    limits = ", ".join(filter(None, [*options, field.limits, default]))
    words = f" Words: {', '.join(declared.words)}." if declared.words else ""
    return f"{head}{label} {field.says}. {limits[0].upper()}{limits[1:]}.{words}{_readers(path, kinds)}"


def _readers(path: str, kinds: list[str]) -> str:
    """Which kinds of workload read a field, if not all do."""
    reading = [kind for kind in kinds if not is_unread(kind, path)]
    others = [kind for kind in kinds if kind not in reading]
    if not others:
        return ""
    if not reading:
        return " No figure of an answer depends on it."
    if len(reading) <= len(others):
        return f" Read by {', '.join(reading)}."
    return f" Not read by {', '.join(others)}."
