"""From the values of a point to its resolved scenario, many times and quickly; and what names its answer in a store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from struct import pack, unpack
from typing import Any, Final, NamedTuple, cast

from pydantic import BaseModel, ValidationError

from blocktime import model
from blocktime.model.errors import SpecError, cut, quote
from blocktime.model.spec import WORKLOADS, System, Workload
from blocktime.model.version import blocktime_version
from blocktime.scenarios.load import Source, put
from blocktime.scenarios.spec import Scenario

Values = Mapping[str, Any]
"""Dotted key of a field -> its value at one point, as a user writes it."""

STORED_SECTIONS: Final = 4096
DIGEST_BYTES: Final = 16
MOST_EXACT: Final = 2**53
"""Up to which a whole number is one as a float of 64 bits too."""
ALL_BITS: Final = 2**64 - 1
MIXES: Final = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


@lru_cache(maxsize=1)
def version_of_model() -> str:
    """Version of the program with a digest of its laws, simulation and catalog: what answers depend on."""

    folder = Path(model.__file__).parent
    digest = blake2b(digest_size=6)
    for file in sorted(folder.rglob("*")):
        if file.suffix in (".py", ".toml"):
            digest.update(file.relative_to(folder).as_posix().encode())
            digest.update(file.read_bytes())
    return f"{blocktime_version()}+{digest.hexdigest()}"


class Point(NamedTuple):
    """One resolved scenario of a sweep."""

    system: System
    workload: Workload
    digest: bytes
    """Of everything that its answer depends on but seed and version."""


@dataclass(slots=True)
class Template:
    """A scenario whose plain fields may be replaced by other values of the same fields."""

    scenario: Scenario
    marks: dict[str, int]
    """Mark of the value of each plain key."""
    digest: int
    """Sum of the marks of all fields: a point's differs by those of the fields that do."""
    sections: dict[tuple[Any, ...], tuple[BaseModel, int]] = field(default_factory=dict)
    """Sections met before and what they add, by their values: neighbours in a design share most of theirs."""


class Points:
    """Resolves the points of one sweep: a source with values laid over it, each exactly as :func:`load` would.

    Most keys are *plain*: they replace one number, flag or word, and which constants and defaults stand around them
    does not depend on the value. So the scenario is resolved once for all of them, and for a point only the sections
    that change are checked again. Keys that decide what stands around them (a catalog entry, the kind of the workload,
    lists) are resolved in full, once for each combination of their values.
    """

    def __init__(self, source: Source, keys: Sequence[str], where: str = "axis") -> None:
        self.source, self.keys, self.where = source, tuple(keys), where
        self._plain = tuple(key for key in keys if _is_plain(key))
        self._structural = tuple(key for key in keys if key not in self._plain)
        self._by_section = _by_section(self._plain)
        self._templates: dict[str, Template] = {}
        self._words: dict[tuple[str, Any], Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Travels to a worker without what it has resolved so far."""
        return Points, (self.source, self.keys, self.where)

    @cached_property
    def base(self) -> Point:
        """The scenario that the points differ from, as it stands."""
        return Points(self.source, ()).point({})

    def scenario(self, values: Values) -> Scenario:
        """The point as a scenario of its own, such as ``load`` makes it from a file."""
        nested: dict[str, Any] = {}
        for key in self.keys:
            put(nested, key, values[key], self.where)
        return self.source.with_layer(self.where, nested).scenario()

    def point(self, values: Values) -> Point:
        """The point with these values; raises :class:`SpecError` with one sentence for what is wrong with it."""
        if any(isinstance(values[key], dict | list | tuple) for key in self._plain):
            raise SpecError(_not_plain(self.where, self._plain, values))
        template = self.template(values)
        with suppress(ValidationError):
            return self.changed(template, values)
        self.scenario(values)  # says in one sentence what is wrong
        raise AssertionError("a point that is refused in parts and taken as a whole")

    @property
    def plain_keys(self) -> tuple[str, ...]:
        """The keys that replace one value and nothing around it."""
        return self._plain

    @property
    def structural_keys(self) -> tuple[str, ...]:
        """The keys that decide what stands around them."""
        return self._structural

    def around(self, values: Values) -> Scenario:
        """What stands around the plain keys at a point; those themselves are as at some point."""
        return self.template(values).scenario

    def group(self, values: Values) -> str:
        """Names the points that differ from this one in plain keys alone."""
        return repr([values[key] for key in self._structural])

    def understood(self, key: str, values: Values) -> Any:
        """The value of a plain field at a point, as the scenario has it: a word may stand for a number."""
        value = values[key]
        if type(value) in (int, float):
            return value
        known = (key, value)
        if known not in self._words:
            self._words[known] = value_in(self.scenario(values), key)
        return self._words[known]

    def template(self, values: Values) -> Template:
        """The scenario around the plain keys at a point, resolved once for all that share it."""
        called = self.group(values)
        template = self._templates.get(called)
        if template is None:
            scenario = self.scenario(values)
            constants = scenario.system.constants
            ranges = sorted(
                (path, constant.how, sorted(constant.range.items())) for path, constant in constants.items()
            )
            marks = _marks_of(scenario.system) | _marks_of(scenario.workload, "workload.")
            plain = {key: marks[key] for key in self._plain if key in marks}
            template = self._templates[called] = Template(
                scenario, plain, sum(marks.values()) + mark_of("constants", ranges)
            )
        return template

    def changed(self, template: Template, values: Values) -> Point:
        """The point from what stands around it; raises ValidationError."""
        system, work = template.scenario.system, template.scenario.workload
        update: dict[str, Any] = {}
        digest = template.digest
        for section, keys in self._by_section.items():
            known = (section, *((type(values[key]), values[key]) for key, _ in keys))
            section_changed = template.sections.get(known)
            if section_changed is None:
                old = work if section == "workload" else getattr(system, section)
                new = _with_values(old, [(path, values[key]) for key, path in keys])
                if len(template.sections) >= STORED_SECTIONS:
                    template.sections.clear()
                more = sum(mark_of(key, _at(new, path)) - template.marks[key] for key, path in keys)
                section_changed = template.sections[known] = new, more
            if section == "workload":
                work = cast(Workload, section_changed[0])
            else:
                update[section] = section_changed[0]
            digest += section_changed[1]
        if update:  # NOTE: constants keep the template's values beside their origins; no law reads those
            system = System.model_validate({**vars(system), **update})
        return Point(system, work, (digest % (1 << 8 * DIGEST_BYTES)).to_bytes(DIGEST_BYTES, "big"))


def value_in(scenario: Scenario, key: str) -> Any:
    """The field *key* of a scenario; raises :class:`SpecError` where it has none."""
    section, *parts = key.split(".")
    target: Any = scenario.workload if section == "workload" else getattr(scenario.system, section, None)
    for part in parts:
        if isinstance(target, tuple) and part.isdigit() and int(part) < len(target):
            target = target[int(part)]
            continue
        if not isinstance(target, BaseModel) or part not in type(target).model_fields:
            raise SpecError(f"{scenario.name}: {cut(key)} is not a field of this scenario")
        target = getattr(target, part)
    return target


def _is_plain(key: str) -> bool:
    """Whether the field holds one number, flag or word that decides nothing of what stands around it."""
    parts = key.split(".")
    if parts[-1] in ("use", "kind") or len(parts) < 2:
        return False
    kinds: Iterable[type[BaseModel]] = WORKLOADS.values() if parts[0] == "workload" else (System,)
    names = parts[1:] if parts[0] == "workload" else parts
    return any(_holds_one_value(kind, names) for kind in kinds)


def _holds_one_value(section: type[BaseModel], names: Sequence[str]) -> bool:
    name, *rest = names
    declared = section.model_fields.get(name)
    if declared is None:
        return False
    inner = declared.annotation
    if rest:
        return isinstance(inner, type) and issubclass(inner, BaseModel) and _holds_one_value(inner, rest)
    forms = repr(inner)
    return not (isinstance(inner, type) and issubclass(inner, BaseModel)) and not any(
        form in forms for form in ("tuple[", "dict[", "list[")
    )


def _by_section(keys: Sequence[str]) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """Top section -> the keys below it, each with its path inside."""
    sections: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for key in keys:
        section, *path = key.split(".")
        sections.setdefault(section, []).append((key, tuple(path)))
    return sections


def _with_values(section: BaseModel, changes: Sequence[tuple[tuple[str, ...], Any]]) -> BaseModel:
    """*section* with other values, checked; sections inside it first."""
    given = vars(section)
    fields = {name: given[name] for name in section.model_fields_set}  # a default is less than the same value given
    inner: dict[str, list[tuple[tuple[str, ...], Any]]] = {}
    for (name, *rest), value in changes:
        if rest:
            inner.setdefault(name, []).append((tuple(rest), value))
        else:
            fields[name] = value
    for name, below in inner.items():
        fields[name] = _with_values(given[name], below)
    return type(section).model_validate(fields)


def _at(section: Any, path: Iterable[str]) -> Any:
    for name in path:
        section = getattr(section, name)
    return section


def _marks_of(section: BaseModel, where: str = "") -> dict[str, int]:
    """A mark for each field of *section* and of the sections in it, by dotted key; constants have none."""
    marks: dict[str, int] = {}
    for name, value in vars(section).items():
        if isinstance(value, BaseModel):
            marks |= _marks_of(value, f"{where}{name}.")
        elif name != "constants":
            marks[f"{where}{name}"] = mark_of(f"{where}{name}", value)
    return marks


def mark_of(key: str, value: Any) -> int:
    """What one value adds to a digest; the sum of such marks is as good as a digest of all, whatever their order."""
    if type(value) in (int, float) and -MOST_EXACT <= value <= MOST_EXACT:
        (bits,) = unpack("<Q", pack("<d", value))
        first, second = seeds_of(key)
        return int(mixed(bits ^ first) << 64 | mixed(bits ^ second))
    return int.from_bytes(blake2b(f"{key}={value!r}".encode(), digest_size=DIGEST_BYTES).digest(), "big")


@lru_cache(maxsize=1024)
def seeds_of(key: str) -> tuple[int, int]:
    """What tells the numbers of one field from those of others."""
    digest = blake2b(key.encode(), digest_size=DIGEST_BYTES).digest()
    return int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:], "big")


def mixed(bits: Any) -> Any:
    """Other 64 bits for each 64 bits, as SplittableRandom has them (Steele, Lea and Flood 2014); or arrays."""
    bits = (bits ^ (bits >> 30)) * MIXES[0] & ALL_BITS
    bits = (bits ^ (bits >> 27)) * MIXES[1] & ALL_BITS
    return bits ^ (bits >> 31)


def run_mark(seed: int, way: str = "") -> int:
    """What the *way* that numbers go, seed and version add to the digest of a point."""
    return mark_of("asked", f"{way}|{seed}|{version_of_model()}")


def _not_plain(where: str, keys: Sequence[str], values: Values) -> str:
    key = next(key for key in keys if isinstance(values[key], dict | list | tuple))
    return f"{where} {key}: got {quote(values[key])}; it is one value at each point"
