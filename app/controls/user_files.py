"""Scenarios that are not of the library: a file that somebody opened, as a name that holds all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from blocktime.app.base.output import one_line
from blocktime.app.base.text_packing import LARGEST_BYTES, pack, unpack
from blocktime.app.controls.control_fields import as_text
from blocktime.model.errors import SpecError, UnknownName, quote
from blocktime.scenarios import Scenario, library
from blocktime.scenarios.load import (
    Source,
    change_in,
    library_data,
    source_in,
    source_of,
    toml_in,
    value_of,
    with_settings,
)
from blocktime.scenarios.spec import CHANGE

MARK: Final = "~"
"""What the name of a user's file begins with; no scenario of the library's does."""
FILE: Final = "file"
"""The heading of a packed scenario that its file's name stands under."""
LONGEST_TITLE: Final = 120


class FileSides(NamedTuple):
    """The two sides of a file: the name of a scenario, what is set with the change, and what without it."""

    name: str
    changed: dict[str, str]
    system: dict[str, str]


def is_user_file(name: str) -> bool:
    """Whether *name* stands for a user's file."""
    return name.startswith(MARK)


def packed_of(name: str) -> str:
    """What an address holds of the user's file *name*."""
    return name.removeprefix(MARK)


def load(name: str, settings: Sequence[str] = ()) -> Scenario:
    """The scenario called *name*, of the library or a user's file, with ``key=value`` settings laid over it.

    Never looks for a file of that name; raises :class:`SpecError` with one sentence for what is wrong.
    """
    return with_settings(source(name), settings).scenario()


def source(name: str) -> Source:
    """The scenario called *name* as it was written."""
    if is_user_file(name):
        return _source_of_user_file(packed_of(name))
    if name not in library():
        raise UnknownName("scenario", name, library())
    return source_of(name)


def label(name: str) -> str:
    """A short name: the library's, or that of the file."""
    return source(name).where if is_user_file(name) else name


def title(name: str) -> str:
    """What a list of scenarios calls it."""
    if not is_user_file(name):
        return library()[name].title
    file_source = source(name)
    file_title = file_source.data.get("title")
    return f"{file_title} ({file_source.where})" if file_title else file_source.where


def opened(content: bytes, file: str) -> FileSides:
    """What an uploaded scenario *file* with that *content* is; raises :class:`SpecError` with one sentence.

    A file that only sets fields of a library scenario is that scenario with these fields: the system, where the file
    has a ``[change]``, or else the change. Any other file is a scenario of its own.
    """
    where = _file_name(file)
    if len(content) > LARGEST_BYTES:
        raise SpecError(f"{where}: has {len(content):,} bytes; a scenario has at most {LARGEST_BYTES:,}")
    data = _tidy(toml_in(content, where))
    question = _opened(data, where)
    _pack(data, where)  # it has to fit in a link
    return question


def opened_link(packed: str) -> FileSides:
    """What the packed scenario of a link is; raises :class:`SpecError` with one sentence."""
    data, where = _unpacked(packed)
    return _opened(data, where, MARK + packed)


def _opened(data: Mapping[str, Any], where: str, name: str = "") -> FileSides:
    """The sides of a file that says *data*; a file of its own without a change is called *name*."""
    stem = where.removesuffix(".toml")
    source_in(data, stem, where).scenario()
    system = {key: value for key, value in data.items() if key != CHANGE}
    fields = _as_changes(system, source_in(system, stem, where).scenario())
    if CHANGE not in data:
        return (
            FileSides(data["base"], fields, {})
            if fields is not None
            else FileSides(name or name_of(data, where), {}, {})
        )
    try:
        change = {path: _text(path, value) for path, value in change_in(data, where).items()}
    except ValueError as error:
        raise SpecError(f"{where}: {CHANGE}: {error}") from None
    base = name_of(system, where) if fields is None else data["base"]
    return FileSides(base, {**(fields or {}), **change}, fields or {})


def name_of(data: Mapping[str, Any], file: str) -> str:
    """The name that stands for a *file* that says *data*; raises :class:`SpecError` where no link has room for it."""
    return MARK + _pack({FILE: file, **data}, file)


def packed_question(name: str, system: Sequence[str], change: Sequence[str]) -> str:
    """A library scenario with ``key=value`` settings that would make too long an address, packed."""
    data = {"base": name, **with_settings(source(name), system or change).scenario().differences}
    return _pack({**data, **({CHANGE: change_table(change)} if system else {})}, name)


def change_table(settings: Sequence[str]) -> dict[str, Any]:
    """``key=value`` settings as the ``[change]`` of a file has them."""
    return {path: value_of(path, text) for path, _, text in (each.partition("=") for each in settings)}


@lru_cache(maxsize=64)
def _source_of_user_file(packed: str) -> Source:
    data, where = _unpacked(packed)
    return source_in(data, where.removesuffix(".toml"), where)


def _unpacked(packed: str) -> tuple[dict[str, Any], str]:
    """What the file of a link says, and its name."""
    data = toml_in(unpack(packed).encode(), "the link's scenario")
    where = _file_name(str(data.pop(FILE, "link.toml")))
    return _tidy(data), where


def _pack(data: dict[str, Any], where: str) -> str:
    import tomlkit

    try:
        return pack(tomlkit.dumps(data))
    except SpecError as error:
        raise SpecError(f"{where}: {error}") from None


def _tidy(data: Mapping[str, Any]) -> dict[str, Any]:
    """*data* without what varies in a sweep, its title and source in one line each."""
    fields = {key: value for key, value in data.items() if key != "sweep"}
    for heading in ("title", "source"):
        if isinstance(fields.get(heading), str):
            fields[heading] = one_line(fields[heading])[:LONGEST_TITLE]
    return fields


def _file_name(file: str) -> str:
    """*file* without folders and without letters that mean something to a shell, a file system or a page."""
    stem = re.split(r"[/\\]", file)[-1].removesuffix(".toml")
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-.")[:60]
    return f"{safe or 'scenario'}.toml"


def _as_changes(data: Mapping[str, Any], scenario: Scenario) -> dict[str, str] | None:
    """The fields of a library scenario that *data* amounts to; None where it says more than that."""
    base = data.get("base")
    if not isinstance(base, str):
        return None
    usual = library_data(base)
    top_level = {key: value for key, value in data.items() if key != "base" and not isinstance(value, Mapping)}
    if str(top_level.get("title")).startswith((f"{usual['title']} with ", f"{usual['title']}, with ")):
        del top_level["title"]  # it names the changes
    if any(value != usual.get(key, USUAL.get(key)) for key, value in top_level.items()):
        return None
    if any(key not in top_level and usual.get(key, given) != given for key, given in USUAL.items()):
        return None
    try:
        changes = dict(flat({key: value for key, value in data.items() if isinstance(value, Mapping)}))
        again = load(base, [f"{path}={text}" for path, text in changes.items()])
    except (SpecError, ValueError):
        return None
    return changes if _numbers(again) == _numbers(scenario) else None


USUAL: Final = {"seed": 1, "replications": 1}


def _numbers(scenario: Scenario) -> tuple[object, ...]:
    """Everything that an answer depends on, and where it comes from but for the file's name."""
    constants = {
        path: constant.model_copy(update={"source": ""} if constant.how == "set by the scenario" else {})
        for path, constant in scenario.system.constants.items()
    }
    system = scenario.system.model_copy(update={"constants": constants})
    return system, scenario.workload, scenario.seed, scenario.replications


def flat(sections: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Each field with its value as ``--set`` writes it; raises :class:`SpecError` for one that no text can express."""
    for key, value in sections.items():
        path = f"{above}.{key}" if above else key
        if isinstance(value, Mapping) and all(re.fullmatch(r"[A-Za-z0-9_]+", name) for name in value):
            yield from flat(value, path)
        else:
            yield path, _text(path, value)


def _text(path: str, value: Any) -> str:
    """*value* as ``--set`` and the address write it; raises :class:`ValueError` where they cannot."""
    text = as_text(value) if isinstance(value, str | int | float) else _toml(value)
    for candidate in (text, _toml(value)):
        if value_of(path, candidate) == value and type(value_of(path, candidate)) is type(value):
            return candidate
    raise ValueError(f"{path}: no text can express {quote(value)}")


def _toml(value: Any) -> str:
    """*value* as TOML writes it in one line."""
    import tomlkit

    if isinstance(value, Mapping):
        items = ", ".join(f"{tomlkit.key(key).as_string()} = {_toml(item)}" for key, item in value.items())
        return f"{{{items}}}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return str(tomlkit.item(value).as_string())
