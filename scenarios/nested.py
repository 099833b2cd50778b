"""Nested sections of a scenario by dotted paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def leaves(section: Mapping[str, Any], above: str = "", numbered: str = "") -> Iterator[tuple[str, Any]]:
    """Each value of nested sections with its dotted path; entries of a list called *numbered* by their number."""
    for name, value in section.items():
        inner = {str(place): entry for place, entry in enumerate(value)} if name == numbered else value
        if isinstance(inner, Mapping):
            yield from leaves(inner, f"{above}{name}.", numbered)
        else:
            yield f"{above}{name}", value


def value_within(sections: Mapping[str, Any], path: str, missing: Any = None) -> Any:
    """What stands at the dotted *path* of nested sections, or *missing*."""
    node: Any = sections
    for name in path.split("."):
        if not isinstance(node, Mapping) or name not in node:
            return missing
        node = node[name]
    return node
