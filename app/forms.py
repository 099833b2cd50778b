"""A field of the specification becomes a control: label, unit, limits and help come from the field alone."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal

import streamlit as st
from pydantic import TypeAdapter

from model.catalog import KINDS, entries
from model.errors import SpecError
from model.spec import System, Workload
from model.units import parse_bytes, show_bytes, unit_of
from scenarios import Scenario, load

Kind = Literal["ladder", "choice", "flag", "whole", "share", "real", "size", "text"]


@dataclass(frozen=True)
class Control:
    """One control: the dotted path of its field, the DBA's word for it, and values worth offering."""

    path: str
    label: str
    offers: tuple[str, ...] = ()


GROUPS: Final[dict[str, tuple[Control, ...]]] = {
    "Segment": (
        Control("tablespace.block_size_bytes", "Block size"),
        Control("table.rows", "Rows"),
        Control("table.pctfree_percent", "PCTFREE"),
        Control("tablespace.space_management", "Segment space management"),
    ),
    "Instance": (
        Control("instance.release", "Release", ("9.2.0.8", "10.2.0.4", "11.1.0.6", "11.2.0.4", "12.1.0.2", "19.3.0.0")),
        Control("instance.db_file_multiblock_read_count", "Multiblock read count", ("auto", "0", "8", "16", "128")),
        Control("instance.buffer_cache_bytes", "Buffer cache"),
        Control("instance.serial_direct_read", "Direct path reads"),
        Control("instance.disk_asynch_io", "Asynchronous I/O"),
    ),
    "Host and storage": (
        Control("host.io_path", "I/O path"),
        Control("disk.use", "Disk"),
        Control("host.use", "Machine"),
        Control("host.cpus", "Processors"),
        Control("host.page_cache_hit_fraction", "Found in the page cache"),
    ),
    "Workload": (
        Control("workload.select", "Query returns"),
        Control("workload.selectivity_fraction", "Share of rows in the key range"),
        Control("workload.arraysize_rows", "Array size"),
        Control("workload.users", "Users"),
        Control("client.use", "Client"),
    ),
}  # fmt: skip


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
    """The lower limit itself is not allowed."""
    of_text: bool = False
    """The field is text of any form, even where it looks like a number."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Option -> what it says, where the option is only a name."""

    def help(self) -> str:
        """Description, limits, default and source in one text."""
        parts = [plain(self.says)]
        if self.low is not None and self.high is not None:
            parts.append(
                f"{'above ' if self.open_below else ''}{self.show(self.low)} to {self.show(self.high)}"
            )
        if self.default is not None:
            parts.append(f"default {self.show(self.default)} ({self.source})")
        return " — ".join([*parts, f"`{self.path}`"])

    def show(self, value: Any) -> str:
        """A value as the page shows it, with its unit."""
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, str):
            return self.titles.get(value, value)
        if self.unit == "bytes":
            return show_bytes(value)
        if self.kind == "share" and not self.unit:
            return f"{value:.0%}"
        number = f"{value:,.15g}"
        return number + ("%" if self.unit == "%" else f" {self.unit}" if self.unit else "")


@lru_cache(maxsize=1)
def _schemas() -> tuple[dict[str, Any], dict[str, Any]]:
    return System.model_json_schema(), TypeAdapter[Any](Workload).json_schema()


def _declared(path: str, kind: str) -> dict[str, Any] | None:
    """The JSON Schema of the field *path*; None where a workload of *kind* has no such field."""
    system, workload = _schemas()
    *sections, name = path.split(".")
    if sections == ["workload"]:
        target = workload["$defs"][workload["discriminator"]["mapping"][kind].rsplit("/", 1)[-1]]
    else:
        target = system
        for section in sections:
            field = target["properties"].get(section, {})
            target = system["$defs"][field.get("$ref", "#/x/?").rsplit("/", 1)[-1]] if "$ref" in field else {}
            if not target:
                return None
    found: dict[str, Any] | None = target["properties"].get(name)
    return found


@lru_cache(maxsize=256)
def facts(path: str, kind: str = "full_scan") -> Facts | None:
    """What the field *path* allows; None where a workload of *kind* has no such field."""
    section, _, name = path.rpartition(".")
    if name == "use":
        return _named(path, section)
    declared = _declared(path, kind)
    if declared is None:
        return None
    unit = unit_of(path.rsplit(".", 1)[-1])
    low = declared.get("minimum", declared.get("exclusiveMinimum"))
    high = declared.get("maximum")
    options = tuple(declared.get("enum", ()))
    return Facts(
        path=path,
        kind=_kind(declared, options, unit, "exclusiveMinimum" in declared),
        unit=unit,
        says=declared.get("description", ""),
        source=declared.get("source", ""),
        default=declared.get("default"),
        options=options,
        low=low,
        high=high,
        open_below="exclusiveMinimum" in declared,
        of_text=declared.get("type") == "string" and not options,
    )


OWN: Final = "own"


def _named(path: str, section: str) -> Facts:
    """A section whose constants come from the catalog by name."""
    known = entries(next(kind for kind, place in KINDS.items() if place == section))
    return Facts(
        path=path,
        kind="choice",
        unit="",
        says="Constants of the catalog by name; each has its source under Assumptions",
        source="",
        default=None,
        options=tuple(known),
        titles={OWN: "as in the scenario", **{name: entry.title for name, entry in known.items()}},
    )


def value_at(scenario: Scenario, path: str) -> Any:
    """The value of a field; for a section's ``use``, the catalog entry that the section equals."""
    *sections, name = path.split(".")
    target: Any = scenario.workload if sections == ["workload"] else scenario.system
    for section in sections if sections != ["workload"] else []:
        target = getattr(target, section)
    if name != "use":
        return getattr(target, name)
    for entry in entries(next(kind for kind, place in KINDS.items() if place == ".".join(sections))).values():
        if all(getattr(target, key) == value for key, value in entry.values().items()):
            return entry.name
    return OWN


def _kind(declared: dict[str, Any], options: tuple[Any, ...], unit: str, open_below: bool) -> Kind:
    if options:
        return "choice" if isinstance(options[0], str) else "ladder"
    by_type: dict[str, Kind] = {"boolean": "flag", "string": "text"}
    name = declared.get("type", "string")
    if name in by_type:
        return by_type[name]
    if unit == "bytes":
        return "size"
    if name == "integer":
        return "whole"
    bounded = declared.get("maximum", 1000) <= 100 and not open_below
    return "share" if bounded else "real"


def plain(text: str) -> str:
    """*text* without the signs that Markdown would take for its own."""
    return re.sub(r"([\\$_*~`\[\]])", r"\\\1", text)


def as_text(value: Any) -> str:
    """A value as ``--set`` and the address write it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def size_text(size_bytes: float) -> str:
    """A size in the shortest form that is exact: ``2G``, or the bytes."""
    text = show_bytes(size_bytes)
    return text if parse_bytes(text) == size_bytes else str(int(size_bytes))


def step_of(value: float) -> int:
    """A step for a whole number: a tenth of its magnitude, 1 at least."""
    return int(max(1, 10 ** (len(str(int(abs(value)))) - 2)))


def held_value(field: Facts, value: Any) -> Any:
    """The value a widget holds for the field's *value*."""
    if field.kind == "size":
        return size_text(value)
    if field.kind == "text":
        return as_text(value)
    if field.kind == "share":
        return round(value) if field.unit == "%" and value == int(value) else float(value)
    return value


SHOWN: Final = {"rows": "rows", "count": "count(*)", "assm": "ASSM", "manual": "manual"}


def draw(
    control: Control,
    field: Facts,
    base: Scenario,
    other: Scenario,
    changed: bool,
    on_change: Callable[[str], None],
) -> None:
    """Draw the widget of a control; its value lives in the session state under the field's path."""
    was = value_at(base, control.path)
    label = control.label + (f" ({field.unit})" if field.unit and field.kind == "whole" else "")
    if changed:
        label = f":primary[**● {label}** · was {field.show(was)}]"
    common: dict[str, Any] = {
        "key": control.path, "help": field.help(), "on_change": on_change, "args": (control.path,),
        "disabled": control.path == "host.page_cache_hit_fraction" and other.system.host.io_path not in THROUGH_CACHE,
    }  # fmt: skip
    held = st.session_state[control.path]
    if field.kind == "ladder":
        st.select_slider(label, field.options, format_func=field.show, **common)
    elif field.kind == "choice" and len(field.options) <= 3 and not field.titles:
        st.segmented_control(
            label, field.options, required=True, format_func=lambda option: SHOWN.get(option, option), width="stretch",
            **common,
        )  # fmt: skip
    elif field.kind == "choice":
        options = [*field.options, *([OWN] if OWN in (was, held) and field.titles else [])]
        st.selectbox(label, options, format_func=field.show, **common)
    elif field.kind == "flag":
        st.toggle(label, **common)
    elif field.kind == "whole":
        st.number_input(label, int(field.low or 0), _most(field), step=step_of(was), **common)
    elif field.kind == "share":
        _slider(label, field, held, common)
    elif field.kind == "real":
        low = float(field.low or 0)
        st.number_input(
            label, low + 1e-6 * field.open_below, float(_most(field)), step=0.01, format="%.4f", **common
        )
    elif field.kind == "size":
        st.text_input(label, placeholder="bytes, or a size like 8K, 512M, 1.5G", **common)
    else:
        offers = list(dict.fromkeys([*control.offers, as_text(was), held]))
        st.selectbox(label, offers, accept_new_options=True, **common)


THROUGH_CACHE: Final = ("buffered", "sync")


def _slider(label: str, field: Facts, held: Any, common: dict[str, Any]) -> None:
    low, high = field.low or 0, field.high or 1
    if field.unit == "%" and isinstance(held, int):
        st.slider(label, int(low), int(high), step=1, format="%d%%", **common)
    else:
        st.slider(label, float(low), float(high), step=(high - low) / 100, format="percent", **common)


def _most(field: Facts) -> int:
    """The upper limit, within what a browser counts exactly."""
    return int(min(field.high if field.high is not None else 2**53 - 1, 2**53 - 1))


def settle(name: str, changes: Mapping[str, str]) -> tuple[Scenario, dict[str, str]]:
    """The scenario with the changes that it accepts, and a sentence for each that it refuses."""
    refused: dict[str, str] = {}
    kept: list[str] = []
    try:
        return load(name, [setting(path, text) for path, text in changes.items()]), refused
    except SpecError:
        scenario = load(name)
    for path, text in changes.items():
        try:
            scenario = load(name, [*kept, setting(path, text)])
            kept.append(setting(path, text))
        except SpecError as error:
            refused[path] = str(error).removeprefix("--set: ")
    return scenario, refused


def setting(path: str, text: str) -> str:
    """``--set``'s form of one change; text that looks like a number is quoted."""
    found = facts(path)
    if found is not None and found.of_text and text.replace(".", "").isdigit():
        text = f'"{text}"'
    return f"{path}={text}"


def command_line(name: str, changes: Mapping[str, str], scenario: Scenario) -> str:
    """The command that gives the same answer."""
    words = ["blocktime", "run", name]
    for path, text in changes.items():
        words += ["--set", setting(path, text)]
    if scenario.workload.users > 1:
        words += ["--engine", "calculate"]
    return shlex.join(words)


def sentence(text: str) -> str:
    """*text* with a capital and a full stop."""
    return text if not text else text[0].upper() + text[1:] + ("" if text.endswith((".", ":", "!")) else ".")
