"""What the specification says of a field, as a control needs it, and its value as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, Literal

from blocktime.app.base.markdown import plain
from blocktime.app.base.memo import by_object
from blocktime.model.catalog import KINDS, entries
from blocktime.model.demand.segment import growth_of, row_shape
from blocktime.model.spec import WORKLOADS, Transaction
from blocktime.model.spec.fields import parse_number
from blocktime.model.units import GIB, KIB, MIB, parse_bytes, parse_seconds, show_bytes, show_number, ungrouped, unit_of
from blocktime.scenarios import Scenario
from blocktime.scenarios.declared import declaration, declared_field, has_one_value
from blocktime.scenarios.faults import NEXT_TO_NOTHING
from blocktime.scenarios.profiles import entries_of

Kind = Literal["ladder", "choice", "flag", "whole", "share", "real", "size", "duration", "text"]


@dataclass(frozen=True)
class Facts:
    """What the specification says of a field, as a control needs it."""

    path: str
    kind: Kind
    unit: str
    says: str
    source: str
    default: Any
    options: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None
    open_below: bool = False
    """The lower limit itself is not allowed, or is next to nothing and shown as nothing."""
    of_text: bool = False
    """The field is text of any form, even where it looks like a number."""
    optional: bool = False
    """The scenario may say nothing; then the value is None."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Option -> what a DBA calls it, where the option is only a name."""

    @property
    def is_entry(self) -> bool:
        """Whether it names an entry of the catalog."""
        return self.path.endswith(".use")

    def help(self) -> str:
        """Description, limits, default and source in one text."""
        parts = [plain(self.says), *filter(None, [self.limits])]
        if self.default is not None:
            parts.append(f"default {self.show(self.default)} ({self.source})")
        return " — ".join([*parts, f"`{self.path}`"])

    @property
    def limits(self) -> str:
        """What is allowed, in words; empty where there are no two limits."""
        if self.low is None or self.high is None:
            return ""
        return f"{'above ' if self.open_below else ''}{self.show(self.low)} to {self.show(self.high)}"

    def why_refused(self, value: Any, reason: str) -> str:
        """Why what a control holds is not allowed: its limits where it is outside of them, else *reason*."""
        try:
            number = read(self, value) if isinstance(value, str) else value
            within = self.low is None or self.high is None or self.low <= number <= self.high
        except (ValueError, TypeError):
            return reason
        return reason if within else f"{value} is not allowed; allowed: {self.limits}"

    def show(self, value: Any) -> str:
        """A value as the page shows it, with its unit."""
        if value is None:
            return NOT_GIVEN
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, str):
            return self.titles.get(value, value)
        if self.unit == "bytes" and self.kind != "real":
            return show_bytes(value)
        if self.unit == "bytes/s":
            return _rate_text(value)
        if self.kind == "duration":
            return duration_text(float(f"{value:.3g}"))
        if not self.unit and self.kind in ("share", "real"):
            return f"{show_number(100 * value, 4)} %"
        return f"{show_number(value)} {self.unit}".strip()


def with_file_entries(field: Facts, scenario: Scenario) -> Facts:
    """*field*, with the entries that the scenario's file defines among those that it may name."""
    if not field.is_entry:
        return field
    return replace(field, options=tuple(entries_of(scenario, kind_at(field.path.rpartition(".")[0]))))


@lru_cache(maxsize=2048)
def facts(path: str, kind: str = "full_scan") -> Facts | None:
    """What the field *path* allows; None where a workload of *kind* has no such field, or it has several values."""
    section, _, name = path.rpartition(".")
    if name == "use" and section in KINDS.values():
        return _named(path, section)
    declared = declared_field(path, kind)
    if declared is None or not has_one_value(declared):
        return None
    field_declaration = declaration(path, kind)
    unit = field_declaration.unit or unit_of(name)
    low = declared.get("minimum", declared.get("exclusiveMinimum"))
    open_below = "exclusiveMinimum" in declared or (low is not None and 0 < low < NEXT_TO_NOTHING)
    high = declared.get("maximum")
    options = tuple(declared.get("enum", ()))
    return Facts(
        path=path,
        kind=_kind(declared, options, unit, open_below),
        unit=unit,
        says=declared.get("description", ""),
        source=declared.get("source", ""),
        default=declared.get("default"),
        options=options,
        low=0 if low is not None and low < NEXT_TO_NOTHING else low,
        high=high,
        open_below=open_below,
        of_text=declared.get("type") == "string" and not options,
        optional=declared.get("optional", False),
        titles=field_declaration.options,
    )


def facts_of_any_kind(path: str) -> Facts | None:
    """What the field *path* allows in the first kind of workload that has it; None where none has."""
    return next(filter(None, (facts(path, kind) for kind in WORKLOADS)), None)


AS_STATED: Final = "own"


def kind_at(section: str) -> str:
    """The kind of the entries that the ``use`` of a *section* names."""
    return next(kind for kind, place in KINDS.items() if place == section)


def _named(path: str, section: str) -> Facts:
    """A section whose constants come from the catalog by name."""
    known = entries(kind_at(section))
    return Facts(
        path=path,
        kind="choice",
        unit="",
        says="Constants of the catalog by name; each has its source under Assumptions",
        source="",
        default=None,
        options=tuple(known),
        titles={AS_STATED: "as in the scenario", **{name: entry.title for name, entry in known.items()}},
    )


def _default_elsewhere(name: str) -> Any:
    """The default of a workload's field that this kind of workload does not have."""
    return next(kind.model_fields[name].default for kind in WORKLOADS.values() if name in kind.model_fields)


GROWTH: Final = "workload.growth_bytes"


def value_at(scenario: Scenario, path: str) -> Any:
    """The value of a field; for a section's ``use``, the entry that the section equals, of the catalog or its own.

    Where an update sets columns, the growth of a row is what follows from them.
    """
    *sections, name = path.split(".")
    target: Any = scenario.workload if sections[0] == "workload" else scenario.system
    if sections == ["workload", "mix", "0"]:  # controls are for the first kind alone: several would be too many
        target = (target.mixed or (Transaction(),))[0]
    if path == GROWTH and target.plays_rows and target.sets:
        return float(growth_of(scenario.system.table, target, row_shape(scenario.system.table))[0])
    if sections[:2] == ["workload", "beside"]:
        return _value_beside(scenario, [*sections[2:], name])
    for section in sections if sections[0] != "workload" else []:
        target = getattr(target, section)
    if name != "use":
        return getattr(target, name) if name in type(target).model_fields else _default_elsewhere(name)
    return _entry_of(scenario, kind_at(".".join(sections)))


@by_object(512)
def _entry_of(scenario: Scenario, kind: str) -> str:
    """Name of the entry that the section of *kind* equals; :data:`AS_STATED` where it equals none."""
    section: Any = scenario.system
    for part in KINDS[kind].split("."):
        section = getattr(section, part)
    equal = {AS_STATED: 0}
    named = scenario.differences.get(KINDS[kind], {}).get("use") if scenario.compared and kind == "disk" else None
    for entry in entries_of(scenario, kind).values():
        values = entry.values()
        if entry.name == named and "limit_io_bytes" in values:  # a volume by name keeps what was measured
            return entry.name
        if all(getattr(section, key) == value for key, value in values.items()):
            equal[entry.name] = len(values)
    return max(equal, key=lambda name: equal[name])  # one that builds on another has all of its values, too


def _value_beside(scenario: Scenario, parts: list[str]) -> Any:
    """The value of a field of a program beside the first one; None where there is none."""
    target: Any = scenario.workload.beside
    for part in parts:
        if isinstance(target, tuple):
            target = target[int(part)] if part.isdigit() and int(part) < len(target) else None
        else:
            target = getattr(target, part, None)
    return target


def _kind(declared: dict[str, Any], options: tuple[Any, ...], unit: str, open_below: bool) -> Kind:
    if options:
        return "choice" if isinstance(options[0], str) else "ladder"
    by_type: dict[str, Kind] = {"boolean": "flag", "string": "text"}
    name = declared.get("type", "string")
    if name in by_type:
        return by_type[name]
    if name == "integer":
        return "size" if unit == "bytes" else "whole"
    if unit == "bytes":
        return "real"
    if unit == "s":
        return "duration"
    # A slider cannot be left empty, and has no fine steps near a lower limit.
    from_nothing = not declared.get("minimum") and not open_below
    bounded = declared.get("maximum", 1000) <= 100 and from_nothing and not declared.get("optional", False)
    return "share" if bounded else "real"


def as_text(value: Any) -> str:
    """A value as ``--set`` and the address write it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    if isinstance(value, float):
        short = f"{value:.12g}"
        return short if float(short) == value else repr(value)
    return str(value)


def number_text(value: float | Decimal) -> str:
    """A number with all of its digits, those of thousands grouped, and without a power of ten: ``13,600.5``."""
    exact = value if isinstance(value, Decimal | int) else Decimal(repr(float(value)))
    whole, point, part = f"{exact:,f}".partition(".")
    part = part.rstrip("0")
    return whole + (point + part if part else "")


def _rate_text(bytes_per_s: float) -> str:
    """Bytes a second in the largest unit that says them exactly: ``125 MB/s``, ``3.5 bytes/s``."""
    text = size_text(bytes_per_s) if bytes_per_s == int(bytes_per_s) else ""
    return f"{text[:-1]} {text[-1]}B/s" if text and text[-1] != "B" else f"{number_text(bytes_per_s)} bytes/s"


def read(field: Facts, text: str) -> float:
    """The number that a reader means by *text* in *field*; raises :class:`ValueError` where it means none.

    Bytes count K, M, G and T in powers of 1024, other numbers in powers of 1000; a share is told in percent.
    """
    bare = ungrouped(text.strip())
    if field.kind == "duration":
        return parse_seconds(bare)
    if field.unit.startswith("bytes"):
        return parse_bytes(bare)
    unit = field.unit or ("%" if field.kind in ("real", "share") else "")
    number = parse_number(bare.removesuffix(unit))
    return float(Decimal(repr(number)) / 100) if unit == "%" and not field.unit else number


def size_text(size_bytes: float) -> str:
    """A size in the largest unit that says it exactly: ``2G``, ``1.5K``, ``1953125K``, ``100B``."""
    for letter, scale in (("T", KIB**4), ("G", GIB), ("M", MIB), ("K", KIB)):
        text = f"{size_bytes / scale:.12g}{letter}"
        short = len(text.partition(".")[2]) <= 3  # two decimals and the letter
        if size_bytes >= scale and short and parse_bytes(text) == size_bytes:
            return text
    return f"{size_bytes:.0f}B"


def duration_text(duration_s: float) -> str:
    """A duration in the largest unit that says it exactly and has at least one: ``2 s``, ``1.6 ms``, ``250 µs``."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        text = f"{duration_s / scale:.12g} {unit}"
        if duration_s >= scale and parse_seconds(text) == duration_s:
            return text
    text = f"{duration_s:.12g} s"
    if parse_seconds(text) != duration_s:  # twelve digits are not exact: a readable text will do
        for unit, scale in (("ms", 1e-3), ("µs", 1e-6)):
            if scale <= duration_s < 1000 * scale:
                return f"{duration_s / scale:.12g} {unit}"
    return text


NOT_GIVEN: Final = "not given"


def says_nothing(value: Any) -> bool:
    """Whether a widget that holds this says nothing of its field."""
    return value in (None, "", NOT_GIVEN)


def control_value(field: Facts, value: Any) -> Any:
    """The value a widget holds for the field's *value*; see :func:`says_nothing` for an optional one without."""
    if value is None:
        return NOT_GIVEN if field.kind in ("choice", "text", "flag") else ""
    if field.kind == "size":
        return size_text(value)
    if field.kind == "duration":
        return duration_text(value)
    if field.kind == "text":
        return as_text(value)
    if field.kind == "share":
        return round(value) if field.unit == "%" and value == int(value) else float(value)
    if field.kind in ("whole", "real"):
        return _number_text(field, value)
    return value


def _number_text(field: Facts, value: float) -> str:
    """What a control says of a number; of a share its percent."""
    if field.unit == "bytes/s":
        return _rate_text(value)
    if field.unit or field.kind == "whole":
        return number_text(value)
    return number_text(Decimal(repr(float(value))) * 100)


def text_of(field: Facts, value: Any) -> str:
    """The value that a widget holds, as ``--set`` and the address write it; what means no number, as it was typed."""
    if field.kind not in ("whole", "real") or not isinstance(value, str):
        return as_text(value)
    try:
        return as_text(read(field, value))
    except ValueError:
        return value.strip()
