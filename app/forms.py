"""A field of the specification becomes a control: label, unit, limits and help come from the field alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from app.fields import OWN, Facts, as_text, facts, held_value, value_at
from app.markdown import plain
from model.spec import Disk, Export, FullScan, Import, IndexRangeScan, Insert, Stream, Transactions
from scenarios import Scenario

QUERIES: Final = ("full_scan", "index_range_scan")
READERS: Final = (*QUERIES, "export", "update", "delete")
"""Kinds of workload that read blocks; an insert and an import format their own."""
MULTIBLOCK: Final = tuple(kind for kind in READERS if kind != "index_range_scan")
"""Those that scan whole segments, in reads of many blocks."""
STATEMENTS: Final = (*READERS, "insert", "import")
LOADS: Final = ("import", "export")
STREAMS: Final = ("write_stream", "read_stream")
TRANSACTIONS: Final = ("transactions",)


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

    def named(self, field: Facts, value: Any) -> str:
        """A value of the control as a DBA calls it."""
        return SHOWN.get(self.path, {}).get(value) or field.show(value)

    def offered(self, scenario: Scenario) -> bool:
        """Whether it is worth showing: prices are once there is a currency, a kind of transaction where it is alone."""
        if self.path == ROW_BYTES:
            return not scenario.system.table.columns
        if self.path in OF_A_KIND:
            return isinstance(scenario.workload, Transactions) and len(scenario.workload.mix) == 1
        return self.path not in PRICES or scenario.system.prices.currency is not None

    def idle(self, scenario: Scenario) -> str:
        """Why the field decides nothing in *scenario*, in a few words; empty where it does."""
        matters = MATTERS_FOR.get(self.path)
        if matters and io_path(scenario) not in matters:
            return f"for files opened {' or '.join(matters)}"
        if self.path == "index.clustering" and scenario.system.index.clustering_factor is not None:
            return "CLUSTERING_FACTOR is given"
        work = scenario.workload
        if isinstance(work, Stream):
            return _idle_in_a_stream(self.path, work, scenario) or _idle_on_the_disk(
                self.path, scenario.system.disk
            )
        if isinstance(work, Transactions):
            return _idle_in_transactions(self.path, scenario, work)
        return _idle_in_a_statement(self.path, scenario)


def io_path(scenario: Scenario) -> str:
    """How the files are opened."""
    work = scenario.workload
    own = work.path if isinstance(work, Stream) else None
    return own or scenario.system.host.io_path


def _first_that_holds(path: str, idle: Mapping[str, tuple[bool, str]]) -> str:
    """The reason that *idle* has for *path*, where it holds."""
    decides_nothing, reason = idle.get(path, (False, ""))
    return reason if decides_nothing else ""


def _idle_in_a_statement(path: str, scenario: Scenario) -> str:
    """Why a field decides nothing for this statement; empty where it does."""
    system, work = scenario.system, scenario.workload
    counts = isinstance(work, FullScan | IndexRangeScan) and work.select == "count"
    direct = system.instance.serial_direct_read
    cached = (
        system.table.cached_fraction >= 1 and direct != "always" and not isinstance(work, Insert | Import)
    )
    no_read = cached, "every block is in the buffer cache"
    if path == "workload.arraysize_rows" and isinstance(work, Insert):
        return "" if work.method == "array" else "rows do not come in arrays"
    one = work.users == 1 and system.prices.currency is None and not isinstance(work, Import | Export)
    return _first_that_holds(
        path,
        {
            "host.cpus": (one, "one session keeps one busy"),
            "host.io_path": no_read,
            "host.page_cache_hit_fraction": no_read,
            "disk.use": no_read,
            "instance.disk_asynch_io": _without_asynchronous_io(scenario) or no_read,
            "workload.columns": (counts, "count(*) returns no column"),
            "workload.arraysize_rows": (counts, "count(*) returns one row"),
        },
    )


def _without_asynchronous_io(scenario: Scenario) -> tuple[bool, str] | None:
    """Why no I/O of this statement can be asynchronous; None where it can."""
    if isinstance(scenario.workload, Import):
        through_cache = io_path(scenario) in THROUGH_CACHE
        return (True, "files are opened through the page cache") if through_cache else None
    never = scenario.system.instance.serial_direct_read == "never"
    return (True, "no read goes past the buffer cache") if never else None


NOT_WITHOUT_READS: Final = (
    "disk.", "host.kernel", "host.scheduler", "host.nr_requests", "host.max_", "host.read_ahead", "host.filesystem",
)  # fmt: skip
"""What begins so plays no part for reads that the page cache answers."""


def _idle_in_a_stream(path: str, work: Stream, scenario: Scenario) -> str:
    """Why a field decides nothing for this stream; empty where it does."""
    host = scenario.system.host
    arrive = work.rate_per_s is not None, "calls arrive at a rate"
    found = io_path(scenario) in THROUGH_CACHE and host.page_cache_hit_fraction >= 1
    if work.kind == "read_stream" and found and path.startswith(NOT_WITHOUT_READS) and not work.beside:
        return "the page cache has every block"
    return _first_that_holds(
        path,
        {
            "host.io_path": (work.path is not None, "the workload opens its file itself"),
            "host.memory_bytes": (work.kind == "read_stream" and not work.beside, "nothing is written"),
            "workload.stride_bytes": (work.pattern != "strided", "calls are not a stride apart"),
            "workload.arrivals": (not arrive[0], "the next call waits for the last"),
            "workload.think_s": arrive,
            "workload.in_flight": arrive,
            "workload.rate_per_s": (
                not arrive[0] and (bool(work.think_s) or work.in_flight != 1),
                "not with a pause or calls in flight",
            ),
        },
    )


def _idle_in_transactions(path: str, scenario: Scenario, work: Transactions) -> str:
    """Why a field decides nothing for these transactions; empty where it does."""
    arrive = work.rate_per_s is not None, "transactions arrive at a rate"
    return _first_that_holds(
        path,
        {
            "workload.users": arrive,
            "workload.think_s": arrive,
            "instance.db_keep_cache_bytes": (work.hot_pool != "keep", "no block goes to it"),
            "instance.db_recycle_cache_bytes": (work.cold_pool != "recycle", "no block goes to it"),
            "host.smt_gain_percent": (scenario.system.host.threads_per_core == 1, "cores have one thread"),
        },
    )


def _idle_on_the_disk(path: str, disk: Disk) -> str:
    """Why a field of the disk decides nothing beside its others; empty where it does."""
    return _first_that_holds(
        path,
        {
            "disk.write_cache_flushed": (not disk.write_cache_bytes, "the disk has no write cache"),
            "disk.raid_disks": (disk.raid_level == "none", "the disk is no RAID set"),
            "disk.burst_iops": (disk.iops_limit is None, "the volume has no limit"),
            "disk.burst_credits": (disk.burst_iops is None, "the volume has no burst"),
        },
    )


RAID_DISKS: Final = "disk.raid_disks"
ROW_BYTES: Final = "table.row_bytes"
"""Offered where the row is not described column by column."""
COMPANIONS: Final[dict[tuple[str, str], tuple[str, str]]] = {
    ("disk.raid_level", "none"): (RAID_DISKS, "1"),
    ("disk.raid_level", "0"): (RAID_DISKS, "2"),
    ("disk.raid_level", "1"): (RAID_DISKS, "2"),
    ("disk.raid_level", "5"): (RAID_DISKS, "4"),
    ("disk.raid_level", "10"): (RAID_DISKS, "4"),
    ("workload.pattern", "strided"): ("workload.stride_bytes", "1M"),
    ("workload.hot_pool", "keep"): ("instance.db_keep_cache_bytes", "16M"),
    ("workload.cold_pool", "recycle"): ("instance.db_recycle_cache_bytes", "16M"),
}
"""A field and its value -> the other field that this value needs, where that one has a value that does not suit it."""


THROUGH_CACHE: Final = ("buffered", "sync", "dsync")
WRITTEN_BACK: Final = ("buffered",)
# Fields that play a part on some I/O paths only.
MATTERS_FOR: Final[dict[str, tuple[str, ...]]] = {
    "host.page_cache_hit_fraction": THROUGH_CACHE,
    "host.filesystem": THROUGH_CACHE,
    "host.read_ahead_bytes": THROUGH_CACHE,
    "host.memory_bytes": WRITTEN_BACK,
    "host.dirty_background_ratio_percent": WRITTEN_BACK,
    "host.dirty_ratio_percent": WRITTEN_BACK,
    "host.dirty_writeback_s": WRITTEN_BACK,
    "host.dirty_expire_s": WRITTEN_BACK,
    "workload.fsync_every": WRITTEN_BACK,
}

REPLACEMENT: Final = "Replacement and hottest blocks"
FOLDED: Final = (REPLACEMENT, "Block layer", "Page cache", "iostat")
"""Groups that few readers need; they are drawn once they are open, or have a change."""
GROUPS: Final[dict[str, tuple[Control, ...]]] = {
    "Segment": (
        Control("tablespace.block_size_bytes", "Block size", only_for=STATEMENTS),
        Control("table.rows", "Rows", only_for=STATEMENTS),
        Control(ROW_BYTES, "Row length", only_for=STATEMENTS),
        Control("table.pctfree_percent", "PCTFREE", only_for=STATEMENTS),
        Control("tablespace.space_management", "Segment space management", only_for=STATEMENTS),
        Control("table.column_count", "Columns", only_for=LOADS),
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
        Control(
            "instance.release", "Release",
            ("9.2.0.8", "10.2.0.4", "11.1.0.6", "11.2.0.4", "12.1.0.2", "19.3.0.0"), MULTIBLOCK,
        ),
        Control(
            "instance.db_file_multiblock_read_count", "Multiblock read count (blocks)",
            ("auto", "0", "8", "16", "128"), MULTIBLOCK,
        ),
        Control("instance.buffer_cache_bytes", "Buffer cache", only_for=(*MULTIBLOCK, "import")),
        Control("instance.serial_direct_read", "Direct path reads", only_for=("full_scan", "export")),
        Control("instance.disk_asynch_io", "Asynchronous I/O", only_for=("full_scan", *LOADS)),
        Control("instance.redo_disk", "Redo log lies on", only_for=("import",)),
    ),
    "Users": (
        Control("workload.users", "Users", only_for=TRANSACTIONS),
        Control("workload.think_s", "Think time", only_for=TRANSACTIONS),
        Control("workload.rate_per_s", "Arrivals, instead of users", only_for=TRANSACTIONS),
    ),
    "The transaction": (
        Control("workload.mix.0.gets", "Gets"),
        Control("workload.mix.0.changed_blocks", "Blocks changed"),
        Control("workload.mix.0.redo_bytes", "Redo"),
        Control("workload.mix.0.calls", "Calls"),
    ),
    "Buffer cache": (
        Control("instance.buffer_cache_bytes", "Buffer cache", only_for=TRANSACTIONS),
        Control("workload.data_bytes", "Data", only_for=TRANSACTIONS),
        Control("workload.hot_data_percent", "Hot share of the data", only_for=TRANSACTIONS),
        Control("workload.hot_gets_percent", "Share of gets", only_for=TRANSACTIONS),
        Control("workload.hot_pool", "Hot blocks in the pool", only_for=TRANSACTIONS),
        Control("instance.db_keep_cache_bytes", "KEEP pool", only_for=TRANSACTIONS),
        Control("workload.cold_pool", "Other blocks in the pool", only_for=TRANSACTIONS),
        Control("instance.db_recycle_cache_bytes", "RECYCLE pool", only_for=TRANSACTIONS),
    ),
    REPLACEMENT: (
        Control("instance.replacement.percent_hot", "Hot region, at most", only_for=TRANSACTIONS),
        Control("instance.replacement.touch_time_s", "Touches count once within", only_for=TRANSACTIONS),
        Control("instance.replacement.hot_criteria", "Touches that make hot", only_for=TRANSACTIONS),
        Control("instance.replacement.stay_count", "Count at the hot end", only_for=TRANSACTIONS),
        Control("instance.replacement.cool_count", "Count over the midpoint", only_for=TRANSACTIONS),
        Control("workload.hottest_blocks", "Hottest blocks", only_for=TRANSACTIONS),
        Control("workload.hottest_gets_percent", "Share of gets, hottest blocks", only_for=TRANSACTIONS),
        Control("workload.hottest_changes_percent", "Changes that go to those", only_for=TRANSACTIONS),
    ),
    "Processors, log and disk": (
        Control("host.use", "Machine", only_for=TRANSACTIONS),
        Control("host.cpus", "Processors (cores)", only_for=TRANSACTIONS),
        Control("host.threads_per_core", "Threads of a core", only_for=TRANSACTIONS),
        Control("host.smt_gain_percent", "A second thread adds", only_for=TRANSACTIONS),
        Control("disk.use", "Disk", only_for=TRANSACTIONS),
        Control("instance.redo_disk", "Redo log lies on", only_for=TRANSACTIONS),
        Control("instance.checkpoint_s", "DBWR writes blocks dirty for", only_for=TRANSACTIONS),
        Control("client.use", "Client", only_for=TRANSACTIONS),
    ),
    "Stream": (
        Control("workload.block_size_bytes", "Bytes of a call"),
        Control("workload.count", "Calls of each user"),
        Control("workload.pattern", "The next call goes on"),
        Control("workload.stride_bytes", "Stride"),
        Control("workload.span_bytes", "Bytes of each file"),
        Control("workload.path", "File opened as"),
        Control("workload.in_flight", "Calls in flight"),
        Control("workload.think_s", "Pause between calls", only_for=STREAMS),
        Control("workload.rate_per_s", "Calls that arrive", only_for=STREAMS),
        Control("workload.arrivals", "They arrive"),
        Control("workload.fsync_every", "fsync after (calls); 0 = never", only_for=("write_stream",)),
        Control("workload.extends", "The file grows", only_for=("write_stream",)),
    ),
    "Host and storage": (
        Control("host.io_path", "I/O path", only_for=(*READERS, "import", *STREAMS)),
        Control("disk.use", "Disk", only_for=(*READERS, "import", *STREAMS)),
        Control("disk.queue_depth", "Commands the disk holds", only_for=STREAMS),
        Control("disk.write_cache_bytes", "Write cache of the disk", only_for=("write_stream",)),
        Control("disk.write_cache_flushed", "fsync and O_SYNC flush it", only_for=("write_stream",)),
        Control("disk.raid_level", "RAID level", only_for=STREAMS),
        Control("disk.raid_disks", "Members of the RAID set", only_for=STREAMS),
        Control("disk.iops_limit", "IOPS limit of the volume", only_for=(*READERS, *STREAMS)),
        Control("disk.throughput_limit_bytes_per_s", "Throughput limit of the volume", only_for=(*READERS, *STREAMS)),
        Control("disk.burst_iops", "Burst", only_for=STREAMS),
        Control("disk.burst_credits", "Burst credits", only_for=STREAMS),
        Control("host.use", "Machine", only_for=(*STATEMENTS, *STREAMS)),
        Control("host.cpus", "Processors", only_for=(*STATEMENTS, *STREAMS)),
        Control("host.page_cache_hit_fraction", "Reads found in the page cache", only_for=(*READERS, "read_stream")),
    ),
    "Block layer": (
        Control("host.kernel", "Kernel", ("2.6.5", "2.6.18", "2.6.32", "3.10", "4.18", "5.15", "6.1"), STREAMS),
        Control("host.scheduler", "I/O scheduler", only_for=STREAMS),
        Control("host.nr_requests", "nr_requests", only_for=STREAMS),
        Control("host.max_request_bytes", "Largest request", only_for=STREAMS),
        Control("host.max_segments", "Pages of a request", only_for=STREAMS),
        Control("host.read_ahead_bytes", "Read-ahead", only_for=("read_stream",)),
    ),
    "Page cache": (
        Control("host.filesystem", "File system", only_for=STREAMS),
        Control("host.memory_bytes", "Memory for it", only_for=STREAMS),
        Control("host.dirty_background_ratio_percent", "dirty_background_ratio", only_for=("write_stream",)),
        Control("host.dirty_ratio_percent", "dirty_ratio", only_for=("write_stream",)),
        Control("host.dirty_writeback_s", "dirty_writeback", only_for=("write_stream",)),
        Control("host.dirty_expire_s", "dirty_expire", only_for=("write_stream",)),
    ),
    "iostat": (
        Control("iostat.interval_s", "Interval", only_for=STREAMS),
        Control("iostat.first_s", "First interval begins after", only_for=STREAMS),
    ),
    "Workload": (
        Control("workload.select", "Query returns"),
        Control("workload.selectivity_fraction", "Share of rows in the key range"),
        Control("workload.columns", "Columns selected"),
        Control("workload.arraysize_rows", "Array size"),
        Control("workload.buffer_bytes", "BUFFER"),
        Control("workload.largest_row_bytes", "Longest row"),
        Control("workload.commit", "COMMIT=y"),
        Control("workload.direct", "DIRECT=y"),
        Control("workload.users", "Users", only_for=(*STATEMENTS, *STREAMS)),
        Control("client.use", "Client", only_for=STATEMENTS),
    ),
    "Prices": (
        Control("prices.use", "Price book"),
        Control("prices.currency", "Currency", ("EUR", "USD", "GBP", "CHF", "JPY")),
        Control("prices.licence_per_processor", "Licence"),
        Control("prices.licence_years", "Spread over"),
        Control("prices.support_percent", "Support a year"),
        Control("prices.core_factor", "Core factor"),
        Control("prices.core_per_hour", "Core without licence"),
        Control("prices.storage_per_gb_month", "Storage"),
        Control("prices.storage_per_iops_month", "Storage by IOPS"),
    ),
}  # fmt: skip


def controls_of(paths: Sequence[str], kind: str) -> list[Control]:
    """The controls of these fields in a workload of *kind*, in that order."""
    every = [control for controls in GROUPS.values() for control in controls if control.facts(kind)]
    return [next(one for one in every if one.path == path) for path in paths]


def label_of(path: str) -> str:
    """The DBA's word for a field; empty where no control has it."""
    every = (control for controls in GROUPS.values() for control in controls)
    return next((one.label.partition(";")[0] for one in every if one.path == path), "")


OF_A_KIND: Final = frozenset(control.path for control in GROUPS["The transaction"])
PRICES: Final = frozenset(control.path for control in GROUPS["Prices"][2:])
"""All but the price book and the currency."""


# Options of a field that a DBA would name otherwise.
SHOWN: Final[dict[str, dict[str, str]]] = {
    "workload.select": {"count": "count(*)"},
    "tablespace.space_management": {"assm": "ASSM"},
    "workload.order": {"table": "their blocks", "random": "an index"},
    "instance.redo_disk": {"own": "its own disk", "data": "the data's disk"},
    "workload.method": {"row": "one by one", "array": "in arrays"},
    "workload.pattern": {"sequential": "in order", "random": "anywhere"},
    "workload.hot_pool": {"default": "DEFAULT", "keep": "KEEP"},
    "workload.cold_pool": {"default": "DEFAULT", "recycle": "RECYCLE"},
    "workload.arrivals": {"poisson": "by chance", "regular": "in step"},
}


def draw(
    control: Control,
    field: Facts,
    asked: tuple[Scenario, Scenario],
    on_change: Callable[[str], None],
    changed: bool,
    refused: bool = False,
) -> None:
    """Draw the widget of a control; its value lives in the session state under the field's path.

    It is that of the second scenario *asked*, but for a *refused* one, which stays as it was typed.
    """
    base, other = asked
    was = value_at(base, control.path)
    unit = field.unit or ("%" if field.kind == "real" else "")
    unit = unit.replace("currency", plain(other.system.prices.currency or "currency"))
    label = control.label + (f" ({unit})" if unit and field.kind in ("whole", "real") else "")
    idle = control.idle(other)
    if changed:
        label = f"● {label} · was {plain(control.named(field, was))}"
    elif idle:
        label = f"{label} · {idle}"
    says = f"decides nothing here: {idle}" if idle else ""
    helps = field.help(value_at(other, control.path))
    common: dict[str, Any] = {
        "label": label, "key": control.path, "help": " — ".join(filter(None, [helps, says])),
        "on_change": on_change, "args": (control.path,), "disabled": bool(idle) and not changed,
    }  # fmt: skip
    held = held_value(field, value_at(other, control.path))
    if refused:
        held = st.session_state.get(control.path, held)
    # A browser that is late builds a control anew from its last drawing, so that has to say the value; where it is
    # set from here, Streamlit wants it said once.
    # One that may be left empty says none, as the browser can empty no other.
    same = st.session_state.get(control.path, held) == held
    says_value = same and not field.optional
    if not says_value and not (same and control.path in st.session_state):
        st.session_state[control.path] = held
    _widget(control, field, was, held, common, says_value)


def _widget(
    control: Control, field: Facts, was: Any, held: Any, common: dict[str, Any], says_value: bool
) -> None:
    """The widget that suits the field, with its value *held* where *says_value*."""
    names = SHOWN.get(control.path, {})
    none: Any = None if field.optional else "min"
    if field.kind == "ladder":
        st.select_slider(
            options=field.options, value=held if says_value else None, format_func=field.show, **common
        )
    elif field.kind == "choice" and len(field.options) <= 3 and not field.titles:
        st.segmented_control(
            options=field.options, default=held if says_value else None, required=True, width="stretch",
            format_func=lambda option: names.get(option, option), **common,
        )  # fmt: skip
    elif field.kind in ("choice", "text"):
        own = [OWN] if OWN in (was, held) and field.titles else []
        given = (
            [as_text(value) for value in (was, held) if value is not None] if field.kind == "text" else own
        )
        options = list(dict.fromkeys([*field.options, *control.offers, *given]))
        first = options.index(held) if says_value and held in options else None if field.optional else 0
        st.selectbox(
            options=options, index=first, accept_new_options=field.kind == "text", placeholder="not given",
            format_func=field.show if field.kind == "choice" else str, **common,
        )  # fmt: skip
    elif field.kind == "flag":
        st.toggle(value=says_value and held, **common)
    elif field.kind in ("size", "duration"):
        example = "bytes, or 8K, 512M, 1.5G" if field.kind == "size" else "seconds, or 5 ms, 250 µs"
        st.text_input(value=held or "" if says_value else "", placeholder=example, **common)
    elif field.kind == "share":
        _slider(field, held, common, says_value)
    elif field.kind == "whole":
        st.number_input(
            min_value=int(field.low or 0), max_value=_most(field), value=held if says_value else none,
            step=step_of(was or 0), placeholder="not given", **common,
        )  # fmt: skip
    else:
        # A lower limit that is not allowed itself is offered all the same: whoever goes there is told so, and no
        # value just above it is out of reach.
        scale, step = (1, 1.0) if field.unit else (100, 0.1)
        st.number_input(
            min_value=float(field.low or 0) * scale,
            max_value=float(_most(field)) * scale, value=held if says_value else none, step=step, format="%.6g",
            placeholder="not given", **common,
        )  # fmt: skip


def told(path: str, base: Scenario, other: Scenario) -> str:
    """A control and its values in both scenarios, in words; empty where *path* has none."""
    found = [one for controls in GROUPS.values() for one in controls if one.path == path]
    for control in found:
        field = control.facts(other.workload.kind)
        if field is not None:
            now, was = (control.named(field, value_at(one, path)) for one in (other, base))
            return f"{control.label} {now} instead of {was}"
    return ""


def step_of(value: float) -> int:
    """A step for a whole number: a tenth of its magnitude, 1 at least."""
    return int(max(1, 10 ** (len(str(int(abs(value)))) - 2)))


def _slider(field: Facts, held: Any, common: dict[str, Any], says_value: bool) -> None:
    low, high = field.low or 0, field.high or 1
    value = held if says_value else None
    if field.unit == "%" and isinstance(held, int):
        st.slider(min_value=int(low), max_value=int(high), value=value, step=1, format="%d%%", **common)
    else:
        step = (high - low) / 100
        st.slider(
            min_value=float(low), max_value=float(high), value=value, step=step, format="percent", **common
        )


def _most(field: Facts) -> int:
    """The upper limit, within what a browser counts exactly."""
    return int(min(field.high if field.high is not None else 2**53 - 1, 2**53 - 1))
