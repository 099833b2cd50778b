"""Which fields a kind of workload does not read: behind the notes of an answer and the controls of the page.

``unread.toml`` is written by asking: each field is set off its value, one by one, in small scenarios of each kind, and
those that move no figure of an answer are listed. A test asks again.
"""

from __future__ import annotations

import tomllib
from collections.abc import Container, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Final

from blocktime.model.catalog import KINDS
from blocktime.model.spec import System

LIST: Final = Path(__file__).with_name("unread.toml")
SIZES_OF_SCANS: Final = (
    "instance.db_file_multiblock_read_count", "instance.release", "instance.sessions", "instance.max_io_bytes",
)  # fmt: skip
"""What decides the multiblock reads of transactions, of which only those that scan have any."""


@cache
def unread() -> dict[str, frozenset[str]]:
    """Kind of workload -> dotted fields that decide nothing of it."""
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))
    return {kind: frozenset(paths) for kind, paths in listed.items()}


@cache
def _wholly_unread(kind: str) -> frozenset[str]:
    """Sections of the catalog of which a kind reads no field."""
    listed = unread()[kind]
    return frozenset(path for path in KINDS.values() if all(f"{path}.{name}" in listed for name in _fields_at(path)))


def _fields_at(section: str) -> list[str]:
    """The fields of a section, those left out that are sections themselves."""
    owner: Any = System
    for part in section.split("."):
        owner = owner.model_fields[part].annotation
    return [name for name, field in owner.model_fields.items() if not hasattr(field.annotation, "model_fields")]


def is_unread(kind: str, path: str) -> bool:
    """Whether a workload of *kind* does not read the field at a dotted path; ``disk.use`` stands for all of a disk."""
    section, _, name = path.rpartition(".")
    return path in unread()[kind] or (name == "use" and section in _wholly_unread(kind))


def unread_in(differences: Mapping[str, Any], kind: str) -> list[str]:
    """The fields that a question sets, given as nested sections, and a workload of *kind* does not read."""
    return [path for path in _paths(differences) if is_unread(kind, path)]


def set_in(differences: Mapping[str, Any], patterns: Sequence[str]) -> list[str]:
    """The fields among *patterns* that a question sets, given as nested sections."""
    return [path for path in _paths(differences) if any(fnmatchcase(path, pattern) for pattern in patterns)]


def without(differences: Mapping[str, Any], paths: Container[str], where: str = "") -> dict[str, Any]:
    """*differences*, nested sections, without the fields at *paths*."""
    return {
        name: without(value, paths, f"{where}{name}.") if isinstance(value, Mapping) else value
        for name, value in differences.items()
        if f"{where}{name}" not in paths
    }


def _paths(section: Mapping[str, Any], where: str = "") -> Iterator[str]:
    for name, value in section.items():
        if isinstance(value, Mapping):
            yield from _paths(value, f"{where}{name}.")
        else:
            yield f"{where}{name}"
