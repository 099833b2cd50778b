"""Scenarios that are not of the library: a file that somebody opened, as a name that holds all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from blocktime.app.base.output import one_line
from blocktime.app.base.packed import LARGEST_BYTES, pack, unpack
from blocktime.app.controls.fields import as_text
from blocktime.model.errors import SpecError, UnknownName, shown
from blocktime.scenarios import Scenario, library
from blocktime.scenarios.load import (
    Source,
    library_data,
    source_in,
    source_of,
    toml_in,
    value_of,
    with_settings,
)

MARK: Final = "~"
"""What the name of an own file begins with; no scenario of the library's does."""
FILE: Final = "file"
"""The heading of a packed scenario that its file's name stands under."""
LONGEST_TITLE: Final = 120
Opened = tuple[str, dict[str, str]]
"""The name of a scenario, and what is changed in it."""


def is_own(name: str) -> bool:
    """Whether *name* stands for an own file."""
    return name.startswith(MARK)


def packed_of(name: str) -> str:
    """What an address holds of the own file *name*."""
    return name.removeprefix(MARK)


def load(name: str, settings: Sequence[str] = ()) -> Scenario:
    """The scenario called *name*, of the library or an own file, with ``key=value`` settings laid over it.

    Never looks for a file of that name; raises :class:`SpecError` with one sentence for what is wrong.
    """
    return with_settings(source(name), settings).scenario()


def source(name: str) -> Source:
    """The scenario called *name* as it was written."""
    if is_own(name):
        return _own(packed_of(name))
    if name not in library():
        raise UnknownName("scenario", name, library())
    return source_of(name)


def label(name: str) -> str:
    """A short name: the library's, or that of the file."""
    return source(name).where if is_own(name) else name


def title(name: str) -> str:
    """What a list of scenarios calls it."""
    if not is_own(name):
        return library()[name].title
    file_source = source(name)
    own_title = file_source.data.get("title")
    return f"{own_title} ({file_source.where})" if own_title else file_source.where


def opened(content: bytes, file: str) -> Opened:
    """What an uploaded scenario *file* with that *content* is; raises :class:`SpecError` with one sentence.

    A file that only sets fields of a library scenario is that scenario, changed; any other is one of its own.
    """
    where = _file_name(file)
    if len(content) > LARGEST_BYTES:
        raise SpecError(f"{where}: has {len(content):,} bytes; a scenario has at most {LARGEST_BYTES:,}")
    data = _tidy(toml_in(content, where))
    scenario = source_in(data, where.removesuffix(".toml"), where).scenario()
    changes = _as_changes(data, scenario)
    if changes is None:
        changes = name_of(data, where), {}
    else:
        _pack(dict(data), where)  # its changes can be as long as the file, and have to fit in a link
    return changes


def opened_link(packed: str) -> Opened:
    """What the packed scenario of a link is; raises :class:`SpecError` with one sentence."""
    source = _own(packed)
    scenario = source.scenario()
    return _as_changes(source.data, scenario) or (MARK + packed, {})


def name_of(data: Mapping[str, Any], file: str) -> str:
    """The name that stands for a *file* that says *data*; raises :class:`SpecError` where no link has room for it."""
    return MARK + _pack({FILE: file, **data}, file)


def packed_changes(name: str, settings: Sequence[str]) -> str:
    """A library scenario with ``key=value`` settings that would make too long an address, packed."""
    return _pack({"base": name, **with_settings(source(name), settings).scenario().differences}, name)


@lru_cache(maxsize=64)
def _own(packed: str) -> Source:
    text = unpack(packed)
    data = toml_in(text.encode(), "the link's scenario")
    where = _file_name(str(data.pop(FILE, "link.toml")))
    return source_in(_tidy(data), where.removesuffix(".toml"), where)


def _pack(data: dict[str, Any], where: str) -> str:
    import tomlkit

    try:
        return pack(tomlkit.dumps(data))
    except SpecError as error:
        raise SpecError(f"{where}: {error}") from None


def _tidy(data: Mapping[str, Any]) -> dict[str, Any]:
    """*data* without what varies in a sweep, its title and source in one line each."""
    kept = {key: value for key, value in data.items() if key != "sweep"}
    for heading in ("title", "source"):
        if isinstance(kept.get(heading), str):
            kept[heading] = one_line(kept[heading])[:LONGEST_TITLE]
    return kept


def _file_name(file: str) -> str:
    """*file* without folders and without letters that mean something to a shell, a file system or a page."""
    stem = re.split(r"[/\\]", file)[-1].removesuffix(".toml")
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-.")[:60]
    return f"{safe or 'scenario'}.toml"


def _as_changes(data: Mapping[str, Any], scenario: Scenario) -> Opened | None:
    """The library scenario and the changes that *data* amounts to; None where it says more than that."""
    base = data.get("base")
    if not isinstance(base, str):
        return None
    usual = library_data(base)
    own = {key: value for key, value in data.items() if key != "base" and not isinstance(value, Mapping)}
    if str(own.get("title")).startswith((f"{usual['title']} with ", f"{usual['title']}, with ")):
        del own["title"]  # it names the changes
    if any(value != usual.get(key, USUAL.get(key)) for key, value in own.items()):
        return None
    if any(key not in own and usual.get(key, given) != given for key, given in USUAL.items()):
        return None
    try:
        changes = dict(flat({key: value for key, value in data.items() if isinstance(value, Mapping)}))
        again = load(base, [f"{path}={text}" for path, text in changes.items()])
    except (SpecError, ValueError):
        return None
    return (base, changes) if _numbers(again) == _numbers(scenario) else None


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
    raise ValueError(f"{path}: no text can express {shown(value)}")


def _toml(value: Any) -> str:
    """*value* as TOML writes it in one line."""
    import tomlkit

    if isinstance(value, Mapping):
        items = ", ".join(f"{tomlkit.key(key).as_string()} = {_toml(item)}" for key, item in value.items())
        return f"{{{items}}}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return str(tomlkit.item(value).as_string())
