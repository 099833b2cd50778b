"""A field of the specification becomes a control: label, unit, limits and help come from the field alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

import streamlit as st

from app.fields import OWN, Facts, as_text, facts, value_at
from model.spec import Insert, Update
from scenarios import Scenario

QUERIES: Final = ("full_scan", "index_range_scan")
READERS: Final = (*QUERIES, "update", "delete")
"""Kinds of workload that read blocks; an insert formats its own."""


@dataclass(frozen=True)
class Control:
    """One control: the dotted path of its field, the DBA's word for it, and values worth offering."""

    path: str
    label: str
    offers: tuple[str, ...] = ()
    only_for: tuple[str, ...] = ()
    """The kinds of workload that it plays a part in; every kind where none is named."""

    def facts(self, kind: str) -> Facts | None:
        """What its field allows; None where it plays no part in a workload of *kind*."""
        return facts(self.path, kind) if kind in (self.only_for or (kind,)) else None

    def idle(self, scenario: Scenario) -> str:
        """Why the field decides nothing in *scenario*; empty where it does."""
        if self.path == "host.page_cache_hit_fraction" and scenario.system.host.io_path not in THROUGH_CACHE:
            return "decides nothing here: this I/O path goes past the page cache"
        if self.path == "index.clustering" and scenario.system.index.clustering_factor is not None:
            return "decides nothing here: the scenario gives CLUSTERING_FACTOR itself"
        work = scenario.workload
        if self.path == "workload.growth_bytes" and isinstance(work, Update) and work.sets:
            return "decides nothing here: the growth follows from the columns that the update sets"
        if self.path == "workload.arraysize_rows" and isinstance(work, Insert) and work.method != "array":
            return "decides nothing here: the rows do not come in arrays"
        return ""


THROUGH_CACHE: Final = ("buffered", "sync")

GROUPS: Final[dict[str, tuple[Control, ...]]] = {
    "Segment": (
        Control("tablespace.block_size_bytes", "Block size"),
        Control("table.rows", "Rows"),
        Control("table.pctfree_percent", "PCTFREE"),
        Control("tablespace.space_management", "Segment space management"),
        Control("index.clustering", "Rows in index order lie", only_for=("index_range_scan",)),
    ),
    "Rows changed": (
        Control("workload.growth_bytes", "Each row grows by"),
        Control("workload.rows_fraction", "Share of rows updated", only_for=("update",)),
        Control("workload.rows_fraction", "Share of rows deleted", only_for=("delete",)),
        Control("workload.order", "Rows come in the order of"),
        Control("workload.repeats", "Times the update runs"),
        Control("workload.rows", "Rows inserted"),
        Control("workload.method", "Rows arrive"),
        Control("workload.uncommitted_delete_fraction", "Rows deleted elsewhere, not committed"),
        Control("workload.commit_every_rows", "Commit after; 0 = at the end"),
    ),
    "Instance": (
        Control("instance.release", "Release", ("9.2.0.8", "10.2.0.4", "11.1.0.6", "11.2.0.4", "12.1.0.2", "19.3.0.0")),
        Control(
            "instance.db_file_multiblock_read_count", "Multiblock read count (blocks)",
            ("auto", "0", "8", "16", "128"), READERS,
        ),
        Control("instance.buffer_cache_bytes", "Buffer cache", only_for=READERS),
        Control("instance.serial_direct_read", "Direct path reads", only_for=QUERIES),
        Control("instance.disk_asynch_io", "Asynchronous I/O", only_for=QUERIES),
    ),
    "Host and storage": (
        Control("host.io_path", "I/O path", only_for=READERS),
        Control("disk.use", "Disk", only_for=READERS),
        Control("host.use", "Machine"),
        Control("host.cpus", "Processors"),
        Control("host.page_cache_hit_fraction", "Reads found in the page cache", only_for=READERS),
    ),
    "Workload": (
        Control("workload.select", "Query returns"),
        Control("workload.selectivity_fraction", "Share of rows in the key range"),
        Control("workload.arraysize_rows", "Array size"),
        Control("workload.users", "Users"),
        Control("client.use", "Client"),
    ),
}  # fmt: skip


SHOWN: Final = {
    "count": "count(*)", "assm": "ASSM", "table": "their blocks", "random": "an index", "row": "one by one",
    "array": "in arrays",
}  # fmt: skip


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
    unit = field.unit or ("%" if field.kind == "real" else "")
    label = control.label + (f" ({unit})" if unit and field.kind in ("whole", "real") else "")
    if changed:
        label = f":primary[**● {label}** · was {field.show(was)}]"
    idle = control.idle(other)
    common: dict[str, Any] = {
        "key": control.path, "help": " — ".join(filter(None, [field.help(), idle])), "on_change": on_change,
        "args": (control.path,), "disabled": bool(idle),
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
        scale, step = (1, 1.0) if field.unit else (100, 0.1)
        low, high = float(field.low or 0) * scale + 1e-4 * field.open_below, float(_most(field)) * scale
        first: Literal["min"] | None = None if field.optional else "min"
        st.number_input(label, low, high, first, step=step, format="%.6g", placeholder="not given", **common)
    elif field.kind == "size":
        st.text_input(label, placeholder="bytes, or a size like 8K, 512M, 1.5G", **common)
    else:
        offers = list(dict.fromkeys([*control.offers, as_text(was), held]))
        st.selectbox(label, offers, accept_new_options=True, **common)


def step_of(value: float) -> int:
    """A step for a whole number: a tenth of its magnitude, 1 at least."""
    return int(max(1, 10 ** (len(str(int(abs(value)))) - 2)))


def _slider(label: str, field: Facts, held: Any, common: dict[str, Any]) -> None:
    low, high = field.low or 0, field.high or 1
    if field.unit == "%" and isinstance(held, int):
        st.slider(label, int(low), int(high), step=1, format="%d%%", **common)
    else:
        st.slider(label, float(low), float(high), step=(high - low) / 100, format="percent", **common)


def _most(field: Facts) -> int:
    """The upper limit, within what a browser counts exactly."""
    return int(min(field.high if field.high is not None else 2**53 - 1, 2**53 - 1))
