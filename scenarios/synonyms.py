"""What a DBA calls a field by another name, as the fields declare it: for errors, lists and the page's search."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

from blocktime.model.catalog import KINDS, entries
from blocktime.model.errors import UnknownName, cut
from blocktime.model.spec import WORKLOADS
from blocktime.model.unmodelled import unmodelled
from blocktime.scenarios.declared import declarations, declared_fields

MOST_MEANT: Final = 3
"""Fields that an error offers."""

USED: Final = ("host", "client", "disk", "prices")
"""Sections that an entry of the catalog sets as a whole."""


@cache
def fields_of_words() -> dict[str, tuple[str, ...]]:
    """A DBA's word -> the fields that hold it; those that it names come before those related to it."""
    every = {path: declared for kind in WORKLOADS for path, declared in declarations(kind).items()}
    fields: dict[str, list[str]] = {}
    named = [(word, path) for path, declared in every.items() for word in declared.words]
    related = [(word, path) for path, declared in every.items() for word in declared.related]
    for word, path in (*named, *related):
        fields.setdefault(word, []).append(path)
    return {word: tuple(paths) for word, paths in fields.items()}


_SINCE: Final = (
    "workload.beside.0.changes_fraction: of the changes of transactions those to a statement's table, for which it "
    "reads undo; instance.undo_bytes limits what is kept"
)
_REPORT: Final = "that is a report: blocktime measure FILE reads it"
NOTES: Final[dict[str, str]] = {
    "awr": _REPORT, "statspack": _REPORT, "tkprof": _REPORT,
    "consistent_read": _SINCE, "read_consistency": _SINCE, "snapshot_too_old": _SINCE, "ora_01555": _SINCE,
    "setall": "instance.filesystemio_options=setall: O_DIRECT and asynchronous I/O",
    "compress": "index.compress_columns compresses the prefix of an index; table compression is not modelled, and the "
    "nearest is a smaller table.row_bytes",
}  # fmt: skip
"""A DBA's word -> what is to be said of it, where the fields alone do not say it."""


class Meaning(NamedTuple):
    """What a word of a DBA stands for."""

    fields: tuple[str, ...]
    note: str

    def hint(self) -> str:
        """A clause for an error."""
        return self.note or f"it is {' or '.join(self.fields)} here"


def meant_by(word: str) -> Meaning | None:
    """What *word* stands for, with or without a section before it and a unit behind it; None for an unknown one.

    A word for what is not modelled has no fields, and a note that says so.
    """
    name = "_".join(cut(word).lower().partition("=")[0].rpartition(".")[2].replace("-", " ").split())
    for unit in ("", "_bytes", "_s", "_rows", "_percent"):
        bare = name.removesuffix(unit) if unit else name
        if bare in fields_of_words() or bare in NOTES:
            return Meaning(fields_of_words().get(bare, ()), NOTES.get(bare, ""))
    subject = unmodelled(name)
    return Meaning((), subject.sentence()) if subject else None


def no_such_field(key: str, form: str) -> str:
    """A sentence about a *key* without its section: the fields that it may mean, or else what *form* a key has."""
    if meant := meant_by(key):
        hint = meant.hint()
    else:
        every = (path for kind in WORKLOADS for path in declared_fields(kind) if path.endswith(f".{key}"))
        known = [f"{key}.use"] if key in USED else list(dict.fromkeys(every))[:MOST_MEANT]
        hint = f"did you mean {' or '.join(known)}?" if known else f"write {form}"
    return f"{cut(key)!r} names no field; {hint}"


def no_such_section(key: str, sections: Iterable[str]) -> str:
    """A sentence about a *key* that begins with none of *sections*: the fields that the rest of it means, or those."""
    section, _, field = key.partition(".")
    meant = meant_by(field)
    if meant is None or not meant.fields:
        return str(UnknownName("section", section, sections))
    return f"no section named {cut(section)!r}; {cut(field)} is {' or '.join(meant.fields)} here"


class SearchResult(NamedTuple):
    """What a search comes to."""

    fields: list[str]
    """The best first."""
    note: str
    """What is to be said of the words, such as what the model leaves out; mostly empty."""


def found(text: str, labels: Iterable[tuple[str, str]]) -> SearchResult:
    """What somebody looks for by *text*: *labels* are pairs of a field and the words for it.

    Whole words match, the last of them from its beginning on; a word of a DBA comes before what merely has its letters,
    and one for what is not modelled finds nothing beside it.
    """
    bare = " ".join(text.partition("=")[0].lower().split())
    if not bare:
        return SearchResult([], "")
    meant = meant_by(bare)
    uses = _uses(bare)
    ranked = [(1, field) for field in (*(meant.fields if meant else ()), *uses)]
    is_outside = meant is not None and not meant.fields
    for field, label in labels:
        if bare in (label.lower(), field):
            ranked.append((0, field))
        elif not is_outside and (rank := _rank(_words(bare), _words(label), _words(field))):
            ranked.append((rank, field))
    fields = list(dict.fromkeys(field for _, field in sorted(ranked, key=lambda pair: pair[0])))
    notes = [meant.note] if meant and meant.note else [f"{names}: choose it by {use}" for use, names in uses.items()]
    return SearchResult(fields, "; ".join(notes))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _rank(wanted: list[str], label: list[str], field: list[str]) -> int:
    """2 where the label begins with the *wanted* words, 3 where it or the field has all of them, else 0."""
    if not wanted:
        return 0
    *whole, last = wanted
    for rank, words in ((2, label[: len(wanted)]), (3, [*label, *field])):
        singular = {form for word in words for form in (word, word.removesuffix("s"))}
        if all(word.removesuffix("s") in singular for word in whole) and any(
            word.startswith(last) or word == last.removesuffix("s") for word in words
        ):
            return rank
    return 0


def _uses(text: str) -> dict[str, str]:
    """The sections whose entries of the catalog have the word *text* in their names, with those names."""
    word = _words(text)
    named = {
        f"{place}.use": [name for name in entries(kind) if word and word == _words(name)[-len(word) :]]
        for kind, place in KINDS.items()
    }
    return {use: " or ".join(names[:MOST_MEANT]) for use, names in named.items() if names}
