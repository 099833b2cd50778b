"""Read a scenario: find it, lay its differences over its base, take constants from entries, check every field."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import permutations, product
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TextIO

from pydantic import TypeAdapter, ValidationError

from blocktime.model.catalog import KINDS
from blocktime.model.demand.segment import growth_of, row_shape
from blocktime.model.errors import SpecError, UnknownName, cut, quote
from blocktime.model.provenance import Constant, Frozen
from blocktime.model.spec import WORKLOADS, System, Table, Update, Workload
from blocktime.model.spec.popularity import WAYS
from blocktime.model.units import show_number
from blocktime.scenarios.declared import declared_field
from blocktime.scenarios.faults import one_sentence
from blocktime.scenarios.inferred import inferred_in, without_dropped, without_set
from blocktime.scenarios.measured import compared_in, correlated_in, known_in, written_in
from blocktime.scenarios.old_fields import with_new_fields
from blocktime.scenarios.profiles import Profiles
from blocktime.scenarios.spec import CHANGE, DIFFERING, HEADINGS, PRECISION, PROMISE, SECTIONS, Scenario
from blocktime.scenarios.synonyms import meant_by, no_such_field, no_such_section
from blocktime.scenarios.unread import set_in
from blocktime.scenarios.volumes import MEASURED, limits_by_size, measured_fields

LARGEST_FILE_BYTES: Final = 1_000_000
DEEP_KEY: Final = re.compile(r"""(?<![\w"'-])(?:(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*\.[ \t]*){32}""")
"""A dotted key of more than 32 names: no field has one, and reading it takes a time that grows with their square."""
LONGEST_PATH: Final = 57
STANDARD_INPUT: Final = ("-", "/dev/stdin")
"""Names of the scenario that standard input holds."""
DEEPEST_BASE: Final = 8
Side = Literal["change", "system"]
"""Of a file with a change: the system with the change, or without it."""


Layer = tuple[str, Mapping[str, Any]]
"""A name for messages, and what it says."""


class LibraryEntry(Frozen):
    """One scenario of the library."""

    name: str
    title: str
    source: str


@lru_cache(maxsize=1)
def library_names() -> tuple[str, ...]:
    """Names of the library's scenarios, which are those of its files."""
    names = sorted(file.name for file in files("blocktime.scenarios").joinpath("library").iterdir())
    return tuple(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


@lru_cache(maxsize=1)
def library() -> dict[str, LibraryEntry]:
    """The library's scenarios by name."""
    read = {name: library_data(name) for name in library_names()}
    return {
        name: LibraryEntry(name=name, title=data["title"], source=data.get("source", "")) for name, data in read.items()
    }


@lru_cache(maxsize=64)
def library_data(name: str) -> dict[str, Any]:
    """A library file as it stands; shared, not to be changed."""
    return tomllib.loads(files("blocktime.scenarios").joinpath("library", f"{name}.toml").read_text("utf-8"))


class Source(NamedTuple):
    """A scenario as it was written: its layers, and what is laid over them before it is resolved."""

    name: str
    where: str
    data: Mapping[str, Any]
    """What the file says, or the library's entry."""
    base: str | None
    differences: Mapping[str, Any]
    """What the file says differs from its base; of the library's entry itself, nothing."""
    layers: tuple[Layer, ...]
    overrides: tuple[Mapping[str, Any], ...] = ()
    """The last of them: what is laid over what the file says."""
    settings: tuple[str, ...] = ()
    """The ``key=value`` settings among them, as they were written."""
    notes: tuple[str, ...] = ()
    """What is to be said of fields of earlier releases."""

    @property
    def title(self) -> Any:
        """What the file calls the scenario, with the settings that change it."""
        title = self.data.get("title", "")
        changes = [setting for setting in self.settings if setting.partition("=")[0].strip() != PRECISION]
        return f"{title} with {', '.join(changes)}".lstrip() if changes and isinstance(title, str) else title

    def with_layer(self, name: str, changes: Mapping[str, Any]) -> Source:
        """The same with nested *changes* laid over it, called *name* in messages."""
        if not changes:
            return self
        changes, notes = with_new_fields(changes)
        return self._replace(
            layers=(*self.layers, (name, changes)), overrides=(*self.overrides, changes), notes=(*self.notes, *notes)
        )

    def scenario(self) -> Scenario:
        """The scenario that it describes; raises :class:`SpecError` with one sentence for what is wrong."""
        return _resolve(self)


def split_name(name_or_path: str | Path) -> tuple[str, list[str]]:
    """The name of a scenario, and the settings behind it: ``FILE,KEY=VALUE,...``.

    A comma within brackets or quotes separates no settings; the name of a file may have commas.
    """
    text = str(name_or_path)
    ends = [len(text), *(place for place in range(len(text) - 1, -1, -1) if text[place] == ",")]
    end = next((end for end in ends if os.path.isfile(text[:end])), ends[-1])
    return text[:end], _at_commas(text[end + 1 :]) if end < len(text) else []


def _at_commas(text: str) -> list[str]:
    """The parts of *text* between its commas, but for those within brackets or quotes."""
    parts, depth, quote = [""], 0, ""
    for mark in text:
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'":
            quote = mark
        else:
            depth += (mark in "[{") - (mark in "]}")
        if mark == "," and depth <= 0 and not quote:
            parts.append("")
        else:
            parts[-1] += mark
    return parts


def source_of(
    name_or_path: str | Path, settings: Sequence[str] = (), also: Iterable[str] = (), side: Side = CHANGE
) -> Source:
    """A library scenario or a TOML file as it is written, with ``key=value`` settings laid over it.

    Settings behind the name are laid over the others; see :func:`split_name`. ``-`` is standard input. *also* are
    names to offer where there is neither scenario nor file. Of a file with a change it is that *side*.
    """
    text, more_settings = split_name(name_or_path)
    if text in library_names():
        data = library_data(text)
        source = Source(text, text, data, text, {}, tuple(_chain(data, text)))
    elif not text:
        raise SpecError("the name of a scenario is empty; name one of blocktime list, or a TOML file")
    elif text in STANDARD_INPUT:
        content = _standard_input(sys.stdin)
        source = source_in(toml_in(content, "standard input"), "stdin", "standard input", side)
    else:
        source = _source_in_file(Path(text), also, side)
    changed = with_settings(source, settings).with_layer(
        cut(str(name_or_path)), _settings(more_settings, f"{cut(text)},")
    )
    return changed._replace(settings=(*changed.settings, *more_settings))


def _source_in_file(path: Path, also: Iterable[str], side: Side) -> Source:
    """A TOML file as it is written; a fault says which file it is in."""
    try:
        data = read_toml(path, also)
        _sections_of(data, path.name)
        return source_in(data, path.stem, path.name, side)
    except SpecError as fault:
        fault.file = str(path)
        raise


@lru_cache(maxsize=1)
def _standard_input(stream: TextIO | None) -> bytes:
    """What comes through standard input, which can be read once and may be named twice."""
    content = b"" if stream is None else stream.buffer.read(LARGEST_FILE_BYTES + 1)
    if len(content) > LARGEST_FILE_BYTES:
        raise SpecError(f"standard input: a scenario has at most {LARGEST_FILE_BYTES:,} bytes; this has more")
    return content


def with_settings(source: Source, settings: Sequence[str]) -> Source:
    """*source* with ``key=value`` settings laid over it."""
    changed = source.with_layer("--set", _settings(settings))
    return changed._replace(settings=(*changed.settings, *settings))


def source_in(data: Mapping[str, Any], name: str, where: str, side: Side = CHANGE) -> Source:
    """A scenario given as nested mappings in the form of a scenario file; of two sides it is *side*."""
    data, notes = with_new_fields(data)
    base = data.get("base")
    differences = {section: data[section] for section in DIFFERING if section in data}
    if "measured" in data and base is None and not differences:
        raise SpecError(f"{where}: contains measured figures but no scenario; blocktime measure says what is missing")
    system = Source(
        name, where, data, base if isinstance(base, str) else None, differences, tuple(_chain(data, where)), notes=notes
    )
    change = change_in(data, where)
    if not change or side == "system":
        return system
    nested: dict[str, Any] = {}
    for key, value in change.items():
        put(nested, key, value, f"{where}: {CHANGE}")
    texts = tuple(f"{key}={value}" for key, value in change.items())
    return system.with_layer(where, nested)._replace(settings=texts)


def change_in(data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The fields that the file's ``[change]`` sets, by dotted path; raises :class:`SpecError` where it is no table."""
    change = data.get(CHANGE, {})
    if not isinstance(change, Mapping):
        raise SpecError(f"{where}: {CHANGE}: got {quote(change)}; it is a table of fields with their new values")
    fields: dict[str, Any] = {}
    for key, value in change.items():
        if not isinstance(value, Mapping):
            fields[key] = value
            continue
        fields |= {f"{key}.{path}": inner for path, inner in change_in({CHANGE: value}, where).items()}
    return fields


def promises_in(data: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """The comparison in each ``[[promise]]`` of a file; raises :class:`SpecError` for one of another form."""
    promises = data.get(PROMISE, [])
    for promise in promises if isinstance(promises, list) else [promises]:
        if not (
            isinstance(promises, list)
            and isinstance(promise, Mapping)
            and list(promise) == ["keep"]
            and isinstance(promise["keep"], str)
        ):
            raise SpecError(
                f'{where}: {PROMISE}: got {quote(promise)}; each [[promise]] is keep = "response_p95_s <= 20 ms"'
            )
    return tuple(promise["keep"] for promise in promises)


def load(name_or_path: str | Path, settings: Sequence[str] = (), side: Side = CHANGE) -> Scenario:
    """Resolve a library scenario or a TOML file, with ``key=value`` settings laid over it.

    A file with a ``[change]`` has two sides: ``"change"`` is the system with the change, ``"system"`` without it.
    Raises :class:`SpecError` with one sentence: where, which key, what was got, what is allowed.
    """
    return source_of(name_or_path, settings, side=side).scenario()


def from_mapping(data: Mapping[str, Any], name: str = "scenario", where: str = "scenario") -> Scenario:
    """Resolve a scenario given as nested mappings in the form of a scenario file."""
    return source_in(dict(data), name, where).scenario()


def to_mapping(scenario: Scenario) -> dict[str, Any]:
    """The scenario in the form of a file: its base and what differs."""
    head: dict[str, Any] = {}
    if scenario.base is not None:
        head["base"] = scenario.base
    if scenario.title:
        head["title"] = scenario.title
    if scenario.source:
        head["source"] = scenario.source
    for name, default in (("seed", 1), ("replications", 1)):
        if getattr(scenario, name) != default:
            head[name] = getattr(scenario, name)
    return {
        **head,
        **{section: scenario.differences[section] for section in DIFFERING if section in scenario.differences},
    }


def to_toml(scenario: Scenario) -> str:
    """The scenario as the text of a file that :func:`load` reads back."""
    import tomlkit

    return tomlkit.dumps(to_mapping(scenario))


def read_toml(path: Path, also: Iterable[str] = ()) -> dict[str, Any]:
    """What a scenario file says; raises :class:`SpecError` for one that is no TOML, is empty, or cannot be read."""
    place = str(path) if len(str(path)) <= LONGEST_PATH else f"...{str(path)[-LONGEST_PATH:]}"  # where its name is
    try:
        if not path.exists():
            key, equals, _ = place.partition("=")
            meant = None if set(key) & set("/\\") else meant_by(key)
            field = f"; as a field, {meant.hint()}" if meant and meant.fields else ""
            if equals and "/" not in key:
                raise SpecError(f"{cut(place)}: write a change behind a name, as in NAME,KEY=VALUE{field}")
            listing = f"see blocktime list{field}"
            raise UnknownName("scenario or file", place, [*library_names(), *also], listing=listing)
        if not path.is_file():
            raise SpecError(f"{place}: is not a file; a scenario is a TOML file")
        size = path.stat().st_size
        if size > LARGEST_FILE_BYTES:
            raise SpecError(f"{place}: has {size:,} bytes; a scenario has at most {LARGEST_FILE_BYTES:,}")
        content = path.read_bytes()
    except (OSError, ValueError, RuntimeError) as error:  # no such name can be, no right to read, links in a circle
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError(f"{place}: cannot be read: {reason}") from None
    return toml_in(content, place)


def toml_in(content: bytes, place: str) -> dict[str, Any]:
    """What the *content* of a scenario file says; raises :class:`SpecError` where it is no TOML or empty.

    *place* begins the sentence.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError(f"{place}: is not text (byte {error.start} is not UTF-8); a scenario is a TOML file") from None
    if not text.strip():
        raise SpecError(f"{place}: is empty; a scenario has at least a base or one section")
    try:
        return _loads(text)
    except RecursionError:
        raise SpecError(f"{place}: is not TOML that can be read: it is nested too deeply") from None
    except ValueError as error:  # TOML's own faults, and numbers without end
        raise SpecError(f"{place}: is not TOML: {error}") from None


def _loads(text: str) -> dict[str, Any]:
    """TOML as data; raises ValueError where it is none, and RecursionError where it is nested too deeply."""
    if DEEP_KEY.search(text):
        raise RecursionError
    return tomllib.loads(text)


def _chain(data: Mapping[str, Any], where: str) -> list[Layer]:
    layers: list[Layer] = [(where, data)]
    while True:
        base = layers[0][1].get("base")
        if base is None:
            return layers
        if not isinstance(base, str):
            raise SpecError(f"{layers[0][0]}: base: got {quote(base)}; it is the name of a library scenario")
        if base not in library_names():
            raise UnknownName(
                "base scenario",
                base,
                library_names(),
                where=layers[0][0],
                listing="those of the library: blocktime list scenarios",
            )
        layers.insert(0, (base, library_data(base)))
        if len(layers) > DEEPEST_BASE:
            raise SpecError(f"{where}: base: scenarios are based on each other in a circle, or too deeply")


def _settings(settings: Sequence[str], where: str = "--set ") -> dict[str, Any]:
    """``["disk.use=nvme"]`` -> nested mapping; values are read as TOML, else taken as text. *where* begins a fault."""
    nested: dict[str, Any] = {}
    for setting in settings:
        key, equals, raw = setting.partition("=")
        if not equals or not all(part.strip() for part in key.split(".")):
            raise SpecError(f"{where}{cut(setting)}: write it as KEY=VALUE, such as tablespace.block_size_bytes=16K")
        put(nested, key, value_of(key, raw), f"{where}{cut(setting)}")
    return nested


def put(nested: dict[str, Any], key: str, value: Any, where: str) -> None:
    """Put *value* into *nested* sections under its dotted key; *where* it was said begins a fault's sentence."""
    parts = [part.strip() for part in key.split(".")]
    if len(parts) < 2 or not all(parts):
        raise SpecError(f"{where}: {no_such_field(key, 'SECTION.FIELD=VALUE')}")
    if parts[0] not in SECTIONS:
        raise SpecError(f"{where}: {no_such_section('.'.join(parts), SECTIONS)}")
    node = nested
    for part in parts[:-1]:
        node = node.setdefault(part, {})
        if not isinstance(node, dict):
            raise SpecError(f"{where}: {part} was set to a value before")
    node[parts[-1]] = value


def value_of(key: str, raw: str) -> Any:
    """A value as it is written for the field *key*: TOML, or else text."""
    raw, key = raw.strip(), key.strip()
    if key in RELEASES:
        return raw.strip("\"'")
    value = _value(raw)
    return _choice(key, value) if isinstance(value, str) else value


def _choice(key: str, text: str) -> str:
    """*text* as the field *key* has it, where only the capitals differ: ``SETALL``."""
    kinds = WORKLOADS if key.startswith("workload.") else ("full_scan",)
    declared = [declared_field(key, kind) or {} for kind in kinds]
    allowed = [word for field in declared for word in (*field.get("enum", ()), field.get("const"))]
    words = {word.lower(): word for word in allowed if isinstance(word, str)}
    return words.get(text.lower(), text)


RELEASES: Final = {"host.kernel", "instance.release"}  # 5.10 is text, not a number


def _value(raw: str) -> Any:
    try:
        read = _loads(f"v = {raw}")
    except (ValueError, RecursionError):  # not TOML, or digits without end: then it is text
        return raw
    return read["v"] if len(read) == 1 else raw


INSTEAD: Final = (
    ("sets", "growth_bytes"), ("growth_bytes", "sets"), ("rate_per_s", "think_s"), ("think_s", "rate_per_s"),
    *permutations(WAYS, 2), *product(("hot_data_percent", "hot_gets_percent"), WAYS),
)  # fmt: skip
"""Fields of a workload that a layer gives instead of another one below it."""
ROW_BY_TOTAL = ("row_bytes", "column_count")


def _overlay(below: Mapping[str, Any], above: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """*above* laid over *below*, section by section, without mixing two descriptions of one thing.

    *within* is where they are, which a fault's sentence tells.
    """
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(value, Mapping) and isinstance(old, Mapping):
            old = dict(old)
            if key == "table" and "columns" in value:
                old = {field: v for field, v in old.items() if field not in (*ROW_BY_TOTAL, "row_bytes_sd")}
            elif key == "table" and any(field in value for field in ROW_BY_TOTAL):
                old.pop("columns", None)
            over = _work_overlaid if key == "workload" else _overlay
            merged[key] = over(old, value, f"{within}{key}.")
        elif isinstance(value, Mapping) and isinstance(old, list | tuple):
            merged[key] = _overlaid_one_by_one(old, value, f"{within}{key}")
        else:
            merged[key] = dict(value) if isinstance(value, Mapping) else value
    return merged


def _work_overlaid(below: Mapping[str, Any], above: Mapping[str, Any], within: str) -> dict[str, Any]:
    """A workload's fields laid over another one's; of another kind only those stay that the new one has."""
    old = dict(below)
    if above.get("kind", old.get("kind")) != old.get("kind"):
        fields = _fields_of_kind(above.get("kind"))
        old = {field: value for field, value in old.items() if field in fields}
    for text, other in INSTEAD:
        if text in above:
            old.pop(other, None)
    return _overlay(old, above, within)


NAMED: Final = {"workload.mix": ("name", "kind of transaction"), "workload.beside": ("kind", "program")}
"""Lists whose entries have names besides their numbers -> the field that names an entry, and what it is."""


def _overlaid_one_by_one(below: Sequence[Any], above: Mapping[str, Any], key: str) -> list[Any]:
    """Entries of a list changed one by one, each called by its number or its name."""
    naming, what = NAMED.get(key, ("", "entry"))
    over = _work_overlaid if key == "workload.beside" else _overlay
    items = [dict(item) if isinstance(item, Mapping) else item for item in below]
    places: dict[str, int] = {}
    for place, item in enumerate(items):
        if naming and isinstance(item, Mapping):
            places.setdefault(str(item.get(naming)), place)
    places |= {str(place): place for place in range(len(items))}
    for called, fields in above.items():
        if called not in places and not naming:
            most = len(items) - 1
            raise SpecError(
                f"{cut(f'{key}.{called}')}: {key} has {most + 1} entries; "
                + (f"allowed are 0 to {most}" if items else "give it as a whole")
            )
        if called not in places:
            raise UnknownName(f"{what} in {key}", called, list(places))
        place = places[called]
        item = items[place]
        inner = isinstance(fields, Mapping) and isinstance(item, Mapping)
        items[place] = over(item, fields, f"{key}.{called}.") if inner else fields
    return items


def _fields_of_kind(kind: object) -> frozenset[str]:
    model = WORKLOADS.get(str(kind))
    return frozenset(model.model_fields) if model else frozenset()


def _growth_for_sets(before: Mapping[str, Any], merged: dict[str, Any]) -> dict[str, Any]:
    """Where the columns give way to row_bytes, an update that set some of them still grows rows by as much."""
    work, columns = merged.get("workload", {}), before.get("table", {}).get("columns")
    if not columns or merged["table"].get("columns") or not work.get("sets"):
        return merged
    try:
        table, update = Table(columns=columns), Update(sets=work["sets"])
        grows, _ = growth_of(table, update, row_shape(table))
    except (ValidationError, UnknownName):
        return merged  # its own fault is told where it belongs
    others = {field: value for field, value in work.items() if field != "sets"}
    return {**merged, "workload": {**others, "growth_bytes": grows}}


def _sections_of(layer: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The sections with fields of a layer, which has no others."""
    sections = {}
    for key, value in layer.items():
        if key in SECTIONS:
            if not isinstance(value, Mapping):
                raise SpecError(f"{place}: {key}: got {quote(value)}; it is a section with fields")
            sections[key] = value
        elif key == "sweep" and not isinstance(value, Mapping):
            raise SpecError(f"{place}: sweep: got {quote(value)}; it is a section with axes, [[sweep.axis]]")
        elif key not in HEADINGS:
            raise UnknownName("section", str(key), (*SECTIONS, *HEADINGS), where=place)
    return sections


def _merged(source: Source) -> tuple[dict[str, Any], dict[str, Constant], dict[str, Any]]:
    """The sections that all layers make, their constants, and what differs from the base."""
    layers = source.layers
    merged: dict[str, Any] = {}
    constants: dict[str, Constant] = {}
    words: set[str] = set()
    profiles = Profiles(layers)
    differences: dict[str, Any] = dict(source.differences)
    for rank, (place, layer) in enumerate(layers, len(source.overrides) - len(layers)):
        sections = _sections_of(layer, place)
        constants = without_set(constants, sections)
        brought = {*constants, *words}
        before, below = _without_replaced(merged, sections, brought), merged
        resolved = _with_entries(sections, place, profiles, constants, words)
        if rank >= 0:  # what is laid over the file
            replaced = {*brought, *set_in(resolved, ["*"])}
            differences = _overlay(_without_replaced(differences, sections, replaced), sections)
        merged = _growth_for_sets(before, _overlay(before, resolved))
        constants = without_dropped(constants, below, merged)
        constants.update(inferred_in(layer, place))
    table = merged.get("table")
    if isinstance(table, dict) and isinstance(table.get("columns"), list):
        merged["table"] = {**table, "columns": tuple(table["columns"])}
    return merged, constants, differences


def _resolve(source: Source) -> Scenario:
    layers, data = source.layers, source.data
    merged, constants, differences = _merged(source)
    work_fields = merged.pop("workload", {})
    if isinstance(work_fields.get("mix"), Mapping):  # single fields of a mix that no layer gives as a whole
        work_fields = {**work_fields, "mix": _overlaid_one_by_one([{}], work_fields["mix"], "workload.mix")}
    beside = work_fields.get("beside")
    for rank, program in enumerate(beside if isinstance(beside, list | tuple) else ()):
        if isinstance(program, Mapping) and "kind" not in program:
            raise SpecError(
                f"{cut(_blamed(layers, 'workload.beside'))}: workload.beside.{rank}.kind: none is given; "
                f"allowed are {', '.join(WORKLOADS)}"
            )
    notes = _take_volumes(source, merged, constants, differences)
    known = known_in(data, source.name, {**merged, "workload": work_fields})
    constants |= {path: constant for path, constant in known.items() if not getattr(constants.get(path), "name", "")}
    section = ""
    try:
        system = System.model_validate({**merged, "constants": constants})
        section = "workload"
        work: Workload = _WORKLOAD.validate_python({"kind": "full_scan", **work_fields})
        section = ""
        return Scenario(
            name=source.name,
            title=source.title,
            source=data.get("source", ""),
            base=source.base,
            differences=differences,
            origin=source.where,
            compared=compared_in(data, source.where),
            promises=promises_in(data, source.where),
            written=tuple(
                path
                for path in written_in(data, source.name)
                if not any(set_in(changes, [path]) for changes in source.overrides)
            ),
            changed=any(path != PRECISION for changes in source.overrides for path in set_in(changes, ["*"])),
            correlations=correlated_in(data, source.name),
            notes=notes,
            seed=data.get("seed", 1),
            replications=data.get("replications", 1),
            system=_with_true_values(system, work),
            workload=work,
        )
    except ValidationError as error:
        fault, text = one_sentence(error, section)
        raise SpecError(f"{cut(_blamed(layers, fault))}: {text}") from None


def _take_volumes(
    source: Source, merged: dict[str, Any], constants: dict[str, Constant], differences: dict[str, Any]
) -> tuple[str, ...]:
    """Give a volume its limits by size, and one that replaces a measured disk its times and share: what to say of it.

    Raises :class:`SpecError` where the measured limit would bind the other disk.
    """
    layers, data, notes = source.layers, source.data, source.notes
    fields: dict[str, float | None] = limits_by_size([layer for _, layer in layers], merged.get("disk", {}))
    if compared_in(data, source.where):
        disk = {**merged.get("disk", {}), **fields}
        measured, sentences = measured_fields(data, source.where, source.overrides, disk)
        if measured:
            differences["disk"] = {**differences["disk"], **measured}
        fields, notes = {**fields, **measured}, notes + tuple(sentences)
    if fields:
        merged["disk"] = {**merged["disk"], **fields}
    for path in [path for path in constants if path.startswith("disk.")]:
        name = path.removeprefix("disk.")
        if name in fields and (name in MEASURED or fields[name] is None):
            del constants[path]
    if compared_in(data, source.where):
        _check_target(layers, merged.get("disk", {}), constants)
        _keep_times_by_parts(layers[-1], merged)
    return notes


def _check_target(layers: Sequence[Layer], disk: Mapping[str, Any], constants: Container[str]) -> None:
    """Refuse another disk for a measured system where the measured one's limit would stay and bind it."""
    if disk.get("iops_limit") is None or "disk.iops_limit" in constants:
        return
    for place, layer in reversed(layers):
        change = layer.get("disk", {})
        if not isinstance(change, Mapping) or "iops_limit" in change:
            return
        if "use" in change:
            raise SpecError(
                f"{cut(place)}: disk.use: got {quote(change['use'])}, which has no limit of requests a second; that of "
                f"the measured disk, {show_number(disk['iops_limit'], 4)}, would bind it: give disk.iops_limit, too"
            )


TIMES_BY_PARTS: Final = (
    "rotation_s", "average_seek_s", "write_cache_bytes", "read_hit_fraction", "reads_collide", "spare_fraction",
    "controller_reads_per_s", "controller_writes_per_s", "report_interval_s", "slc_cache_bytes",
)  # fmt: skip
"""Fields of a disk beside which ``service_cv`` is refused."""


def _keep_times_by_parts(last: Layer, merged: dict[str, Any]) -> None:
    """Let a drive whose times follow from its parts keep them, and not vary as the measured disk that it replaces."""
    change, disk = last[1].get("disk", {}), merged.get("disk", {})
    if not isinstance(change, Mapping) or "use" not in change or "service_cv" in change:
        return
    if any(disk.get(name) for name in TIMES_BY_PARTS) or disk.get("raid_level", "none") != "none":
        disk.pop("service_cv", None)
        instance = merged.get("instance", {})
        merged["instance"] = {name: value for name, value in instance.items() if name != "redo_service_cv"}


def _blamed(layers: Sequence[Layer], place: str) -> str:
    """The topmost layer that says anything at *place*."""
    section = place.split(".", maxsplit=1)[0]
    for name, layer in reversed(layers):
        node: Any = layer
        for part in place.split("."):
            node = node.get(part) if isinstance(node, Mapping) else None
        if node is not None:
            return name
    for name, layer in reversed(layers):
        if section in layer:
            return name
    return layers[-1][0]


def _with_true_values(system: System, work: Workload) -> System:
    """*system* with the value of each constant as it was understood: ``"3ms"`` is 0.003."""
    constants = {}
    for path, constant in system.constants.items():
        section, _, rest = path.partition(".")
        value: Any = work if section == "workload" else getattr(system, section, None)
        for part in rest.split("."):
            value = value[int(part)] if isinstance(value, tuple | list) else getattr(value, part, None)
        try:
            constants[path] = constant.model_copy(update={"value": float(value)})
        except (TypeError, ValueError):
            if not constant.name:  # a word that the scenario sets over an entry's number
                continue
            raise SpecError(f"{constant.source}: inferred: field: got {path!r}; it is the path of a number") from None
    return system.model_copy(update={"constants": constants})


_WORKLOAD: TypeAdapter[Workload] = TypeAdapter(Workload)


def _without_replaced(
    merged: dict[str, Any], sections: Mapping[str, Mapping[str, Any]], brought: Container[str]
) -> dict[str, Any]:
    """*merged* without the fields that an earlier entry *brought*, where the new layer names another one."""
    out = dict(merged)
    for path in KINDS.values():
        parent, _, child = path.rpartition(".")
        above: Any = sections.get(parent, {}) if parent else sections
        section = above.get(child) if isinstance(above, Mapping) else None
        holder = out.get(parent, {}) if parent else out
        if not (isinstance(section, Mapping) and "use" in section and isinstance(holder.get(child), Mapping)):
            continue
        others = {field: value for field, value in holder[child].items() if f"{path}.{field}" not in brought}
        if parent:
            out[parent] = {**holder, child: others}
        else:
            out[child] = others
    return out


def _with_entries(
    sections: Mapping[str, Mapping[str, Any]],
    place: str,
    profiles: Profiles,
    constants: dict[str, Constant],
    words: set[str],
) -> dict[str, Any]:
    """Replace every ``use = NAME`` by the entry's values; note in *constants* where each value comes from.

    *words* are the fields that entries fill with text, which have no constant.
    """
    out: dict[str, Any] = dict(sections)
    for kind, path in KINDS.items():
        parent, _, child = path.rpartition(".")
        holder = out.get(parent, {}) if parent else out
        section = holder.get(child)
        if section is None:
            continue
        if not isinstance(section, Mapping):
            raise SpecError(f"{place}: {path}: got {quote(section)}; it is a section with fields")
        fields = _expanded(kind, section, place, profiles, constants, words)
        if parent:
            out[parent] = {**holder, child: fields}
        else:
            out[child] = fields
    return out


def _expanded(
    kind: str,
    section: Mapping[str, Any],
    place: str,
    profiles: Profiles,
    constants: dict[str, Constant],
    words: set[str],
) -> dict[str, Any]:
    path = KINDS[kind]
    fields = dict(section)
    used = fields.pop("use", None)
    values: dict[str, Any] = {}
    if used is not None:
        entry = profiles.entry(kind, used, f"{place}: {path}.use")
        values = dict(entry.values())
        words -= {word for word in words if word.startswith(f"{path}.")}
        words |= {f"{path}.{field}" for field in entry.texts}
        for key in [key for key in constants if key.startswith(f"{path}.")]:
            del constants[key]
        constants.update({f"{path}.{field}": constant for field, constant in entry.constants.items()})
    for field, value in fields.items():
        if f"{path}.{field}" in constants and not isinstance(value, Mapping):
            constants[f"{path}.{field}"] = Constant(value=0, how="set by the scenario", source=place)
    return {**values, **fields}
