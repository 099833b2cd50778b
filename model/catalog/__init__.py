"""Named sets of constants as TOML, each number with its source: disks, hosts, clients, system statistics, prices."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, MutableMapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from pydantic import ValidationError

from blocktime.model.errors import SpecError, UnknownName, quote
from blocktime.model.provenance import Constant, Frozen

# Kind -> the section of a scenario whose ``use`` names an entry of it.
KINDS: Final = {
    "disk": "disk",
    "host": "host",
    "client": "client",
    "statistics": "instance.statistics",
    "prices": "prices",
}

CORRELATIONS: Final = "correlations.toml"
"""The file, beside the kinds, that says which constants' estimates hang together; calibrating writes it."""


class Entry(Frozen):
    """One named set of constants."""

    name: str
    title: str
    source: str
    constants: dict[str, Constant]
    texts: dict[str, str] = {}
    """Fields that are words, such as the currency of prices."""

    def values(self) -> dict[str, float | str]:
        """Field -> value; whole values as whole numbers, a level as its name."""
        return {field: _as_field(field, c.value) for field, c in self.constants.items()} | self.texts


_WHOLE = frozenset({"parallel_requests", "sdu_bytes", "cpus"})
_NAMED = frozenset({"raid_level"})


def _as_field(field: str, value: float) -> float | str:
    if field in _NAMED:
        return f"{value:g}"
    return int(value) if field in _WHOLE and value == int(value) else value


class Entries(MutableMapping[str, Entry]):
    """The entries of a kind by name, each read when it is first asked for."""

    def __init__(self, kind: str) -> None:
        """Raises :class:`UnknownName` for a kind that does not exist."""
        if kind not in KINDS:
            raise UnknownName("kind of catalog", kind, KINDS)
        self._kind = kind
        self._folder = files(__name__).joinpath(kind)
        self._read: dict[str, Entry | None] = {
            file.name[:-5]: None
            for file in sorted(self._folder.iterdir(), key=lambda item: item.name)
            if file.name.endswith(".toml")
        }

    def __getitem__(self, name: str) -> Entry:
        entry = self._read[name]
        if entry is None:
            file = f"{name}.toml"
            entry = self._read[name] = _read(self._kind, file, self._folder.joinpath(file).read_text("utf-8"))
        return entry

    def __setitem__(self, name: str, entry: Entry) -> None:
        """Let the catalog hold another entry, as fits do for a while."""
        self._read[name] = entry

    def __delitem__(self, name: str) -> None:
        del self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._read

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)


@cache
def entries(kind: str) -> Entries:
    """All entries of a kind by name; raises :class:`UnknownName` for a kind that does not exist."""
    return Entries(kind)


def entry(kind: str, name: str) -> Entry:
    """The entry *name* of a kind; raises :class:`UnknownName` with the nearest names."""
    known = entries(kind)
    if name not in known:
        raise UnknownName(kind, name, known)
    return known[name]


def constant_named(name: str) -> Constant:
    """The constant that the catalog calls *name*, such as ``host/savvinov-pc: line_miss_s``.

    Raises :class:`UnknownName` where there is none.
    """
    place, _, field = name.partition(": ")
    kind, _, called = place.partition("/")
    constants = entry(kind, called).constants
    if field not in constants:
        raise UnknownName("constant", name, [f"{place}: {known}" for known in constants])
    return constants[field]


@cache
def correlations() -> dict[frozenset[str], float]:
    """Two constants -> correlation of the logarithms of their estimates; pairs that are not listed have none.

    Raises :class:`SpecError` with one sentence for a pair that makes no sense, or that the catalog does not hold. A
    name that begins with ``scenario/`` is that of an input of a library scenario, which the catalog does not know.
    """
    file = files(__name__).joinpath(CORRELATIONS)
    return read_correlations(file.read_text("utf-8")) if file.is_file() else {}


def read_correlations(text: str) -> dict[frozenset[str], float]:
    """The pairs of a file of correlations, as :func:`correlations` gives them."""
    correlation_of: dict[frozenset[str], float] = {}
    try:
        pairs = tomllib.loads(text).get("pair", ())
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{CORRELATIONS}: not TOML: {error}") from None
    for number, pair in enumerate(pairs, 1):
        where = f"{CORRELATIONS}: pair {number}"
        names, correlation = pair.get("of"), pair.get("correlation")
        if not isinstance(names, list) or len(set(names)) != 2:
            raise SpecError(f"{where}: of: got {quote(names)}; it is a list of two different constants")
        if not isinstance(correlation, int | float) or not -1 <= correlation <= 1:
            raise SpecError(f"{where}: correlation: got {quote(correlation)}; it is a number from -1 to 1")
        try:
            for name in names:
                if not name.startswith("scenario/"):
                    constant_named(name)
        except UnknownName as error:
            raise SpecError(f"{where}: {error}") from None
        if frozenset(names) in correlation_of:
            raise SpecError(f"{where}: {names[0]} and {names[1]} were paired before")
        correlation_of[frozenset(names)] = float(correlation)
    return correlation_of


def _read(kind: str, file: str, text: str) -> Entry:
    data: dict[str, Any] = tomllib.loads(text)
    title, source = data.pop("title", ""), data.pop("source", "")
    texts = {field: data.pop(field) for field in list(data) if isinstance(data[field], str)}
    data = {
        field: {**value, "name": f"{kind}/{file[:-5]}: {field}"} if isinstance(value, dict) else value
        for field, value in data.items()
    }
    try:
        return Entry(name=file[:-5], title=title, source=source, constants=data, texts=texts)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise SpecError(f"{file}: {place}: {first['msg']}") from None
