"""What a shell offers for the name of a scenario and for a field with its value."""

from __future__ import annotations

from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem

from blocktime.model.catalog import KINDS
from blocktime.model.spec import WORKLOADS
from blocktime.scenarios.declared import declared_field, declared_fields
from blocktime.scenarios.load import library_names
from blocktime.scenarios.profiles import known_entries


def scenario_words(_: click.Context, __: click.Parameter, begin: str) -> list[CompletionItem]:
    """Scenarios of the library that start with *begin*, and files; behind a comma, fields."""
    name, comma, setting = begin.rpartition(",")
    if comma:
        return [CompletionItem(f"{name},{word}") for word in _settings(setting)]
    items = [CompletionItem(each) for each in library_names() if each.startswith(begin)]
    return items or [CompletionItem(begin, type="file")]


def setting_words(_: click.Context, __: click.Parameter, begin: str) -> list[CompletionItem]:
    """Fields that start with *begin*, or behind ``KEY=`` the values that the field may have."""
    return [CompletionItem(word) for word in _settings(begin)]


def _settings(begin: str) -> Iterator[str]:
    key, equals, value = begin.partition("=")
    if not equals:
        fields = dict.fromkeys(path for kind in WORKLOADS for path in declared_fields(kind))
        uses = [f"{section}.use" for section in KINDS.values()]
        yield from (f"{path}=" for path in [*uses, *fields, "workload.kind"] if path.startswith(key))
        return
    typed, comma, last = value.rpartition(",")  # --vary takes several
    yield from (f"{key}={typed}{comma}{word}" for word in _values(key) if word.startswith(last))


def _values(key: str) -> list[str]:
    """The words that a field takes: entries of the catalog, its choices, or true and false."""
    for kind, section in KINDS.items():
        if key == f"{section}.use":
            return list(known_entries(kind))
    if key == "workload.kind":
        return list(WORKLOADS)
    fields = [field for kind in WORKLOADS if (field := declared_field(key, kind))]
    forms = [form for field in fields for form in (field, *field.get("anyOf", ()))]
    words = [str(word) for form in forms for word in form.get("enum", ())]
    flags = ["true", "false"] if any(form.get("type") == "boolean" for form in forms) else []
    return list(dict.fromkeys([*words, *flags]))
