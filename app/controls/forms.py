"""The controls of the what-if page: for which field, what a DBA calls it, in which group, for which workloads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from blocktime.app.controls.fields import Facts, facts, value_at
from blocktime.scenarios import Scenario
from blocktime.scenarios.idle import why_idle

QUERIES: Final = ("full_scan", "index_range_scan")
READERS: Final = (*QUERIES, "export", "update", "delete")
"""Kinds of workload that read blocks; an insert and an import format their own."""
MULTIBLOCK: Final = ("full_scan", "export", "update", "delete")
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
            return len(scenario.workload.mixed) == 1
        return self.path not in PRICES or scenario.system.prices.currency is not None

    def idle(self, scenario: Scenario) -> str:
        """Why the field decides nothing in *scenario*, in a few words; empty where it does."""
        return why_idle(self.path, scenario)


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
WAKES: Final = {"the disk is not a RAID set": "two or more make a RAID 0"}
"""Why a field plays no part as yet -> what a value of it changes about that."""


def companion(path: str, text: str, before: Scenario) -> tuple[str, str]:
    """The other field that this value of a field may need, with a value that suits it; two empty texts where none.

    *before* is the scenario without it.
    """
    if path == RAID_DISKS and text != "1" and before.system.disk.raid_level == "none":
        return "disk.raid_level", "0"
    return COMPANIONS.get((path, text), ("", ""))


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
        Control("index.clustering", "Clustering of rows", only_for=("index_range_scan",)),
        Control("index.key_bytes", "Key length", only_for=("index_range_scan",)),
        Control("index.unique", "Unique index", only_for=("index_range_scan",)),
        Control("index.distinct_keys", "Distinct keys", only_for=("index_range_scan",)),
        Control("index.prefix_distinct_keys", "Distinct leading values", only_for=("index_range_scan",)),
        Control("index.bitmap", "Bitmap index", only_for=("index_range_scan",)),
        Control("workload.rowid_order", "Rowids are sorted first", only_for=("index_range_scan",)),
        Control(
            "workload.parallel_reads", "Table blocks read at once",
            ("auto", "1", "8", "32", "127"), ("index_range_scan",),
        ),
        Control("index.table_cached_blocks", "TABLE_CACHED_BLOCKS", only_for=("index_range_scan",)),
    ),
    "Rows changed": (
        Control("workload.growth_bytes", "Each row grows by"),
        Control("workload.rows_fraction", "Share of rows updated", only_for=("update",)),
        Control("workload.rows_fraction", "Share of rows deleted", only_for=("delete",)),
        Control("workload.order", "Rows found by"),
        Control("workload.repeats", "Times the update runs"),
        Control("workload.rows", "Rows inserted"),
        Control("workload.method", "Rows arrive"),
        Control("workload.uncommitted_delete_fraction", "Rows deleted elsewhere, not committed"),
        Control("workload.commit_every_rows", "Commit every n rows; 0 = at the end"),
        Control("workload.caller", "Run from"),
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
        Control("instance.filesystemio_options", "filesystemio_options", only_for=(*READERS, "import")),
        Control("instance.redo_disk", "Redo log", only_for=("import",)),
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
        Control("workload.mix.0.parallel_reads", "Reads submitted together"),
        Control("workload.mix.0.parallel_reads_percent", "Share of reads submitted together"),
        Control("workload.mix.0.calls", "Calls"),
        Control("workload.mix.0.cpu_s", "CPU outside gets and calls"),
        Control("workload.mix.0.stated_wait_s", "Other waits, as stated"),
    ),
    "Buffer cache": (
        Control("instance.buffer_cache_bytes", "Buffer cache", only_for=TRANSACTIONS),
        Control("workload.data_bytes", "Data", only_for=TRANSACTIONS),
        Control("workload.hot_data_percent", "Hot share of the data", only_for=TRANSACTIONS),
        Control("workload.hot_gets_percent", "Share of gets", only_for=TRANSACTIONS),
        Control("workload.zipf_exponent", "Zipf exponent"),
        Control("workload.hot_pool", "Hot data in the pool", only_for=TRANSACTIONS),
        Control("instance.db_keep_cache_bytes", "KEEP pool", only_for=TRANSACTIONS),
        Control("workload.cold_pool", "Other data in the pool", only_for=TRANSACTIONS),
        Control("instance.db_recycle_cache_bytes", "RECYCLE pool", only_for=TRANSACTIONS),
    ),
    REPLACEMENT: (
        Control("instance.replacement.percent_hot", "Hot region (_db_percent_hot_default)", only_for=TRANSACTIONS),
        Control("instance.replacement.touch_time_s", "Touch time", only_for=TRANSACTIONS),
        Control("instance.replacement.hot_criteria", "Touch count of a hot buffer", only_for=TRANSACTIONS),
        Control("instance.replacement.stay_count", "Touch count at the hot end", only_for=TRANSACTIONS),
        Control("instance.replacement.cool_count", "Touch count at the midpoint", only_for=TRANSACTIONS),
        Control("workload.hottest_blocks", "Hottest blocks", only_for=TRANSACTIONS),
        Control("workload.hottest_gets_percent", "Share of gets, hottest blocks", only_for=TRANSACTIONS),
        Control("workload.hottest_changes_percent", "Share of changes, hottest blocks", only_for=TRANSACTIONS),
    ),
    "Processors, log and disk": (
        Control("host.use", "Machine", only_for=TRANSACTIONS),
        Control("host.cpus", "Processors (cores)", only_for=TRANSACTIONS),
        Control("host.threads_per_core", "Threads of a core", only_for=TRANSACTIONS),
        Control("host.smt_gain_percent", "Gain by a second thread", only_for=TRANSACTIONS),
        Control("host.busy_loss_percent", "Slowdown with all cores busy", only_for=TRANSACTIONS),
        Control("host.io_path", "I/O path", only_for=TRANSACTIONS),
        Control("instance.filesystemio_options", "filesystemio_options", only_for=TRANSACTIONS),
        Control("instance.disk_asynch_io", "Asynchronous I/O", only_for=TRANSACTIONS),
        Control("host.page_cache_hit_fraction", "Reads found in the page cache", only_for=TRANSACTIONS),
        Control("disk.use", "Disk", only_for=TRANSACTIONS),
        Control("host.iops_limit", "IOPS limit of the host", only_for=TRANSACTIONS),
        Control("host.bandwidth_limit_bytes_per_s", "Throughput limit of the host", only_for=TRANSACTIONS),
        Control("instance.redo_disk", "Redo log", only_for=TRANSACTIONS),
        Control("instance.redo_limit_bytes_per_s", "Throughput limit of the log's disk", only_for=TRANSACTIONS),
        Control("instance.redo_service_cv", "Variation of log writes", only_for=TRANSACTIONS),
        Control("instance.log_buffer_bytes", "Log buffer", only_for=TRANSACTIONS),
        Control("instance.checkpoint_s", "Checkpoint age", only_for=TRANSACTIONS),
        Control("instance.checkpoint_redo_bytes", "Checkpoint lag in redo", only_for=TRANSACTIONS),
        Control("client.use", "Client", only_for=TRANSACTIONS),
    ),
    "Stream": (
        Control("workload.block_size_bytes", "Call size"),
        Control("workload.count", "Calls of each user"),
        Control("workload.runtime_s", "Maximum run time", only_for=STREAMS),
        Control("workload.pattern", "Access pattern"),
        Control("workload.stride_bytes", "Stride"),
        Control("workload.span_bytes", "Bytes of each file"),
        Control("workload.path", "File opened as"),
        Control("workload.in_flight", "Calls in flight"),
        Control("workload.submission", "Submitted by"),
        Control("workload.batch", "Calls in one submission"),
        Control("workload.think_s", "Pause between calls", only_for=STREAMS),
        Control("workload.rate_per_s", "Arrival rate", only_for=STREAMS),
        Control("workload.arrivals", "Arrivals"),
        Control("workload.fadvise", "posix_fadvise", only_for=("read_stream",)),
        Control("workload.synced", "O_DIRECT with", only_for=("write_stream",)),
        Control("workload.fsync_every", "fsync after (calls); 0 = never", only_for=("write_stream",)),
        Control("workload.extends", "The file grows", only_for=("write_stream",)),
    ),
    "Host and storage": (
        Control("host.io_path", "I/O path", only_for=(*READERS, "import", *STREAMS)),
        Control("disk.use", "Disk", only_for=(*READERS, "import", *STREAMS)),
        Control("disk.queue_depth", "Queue depth of the disk", only_for=STREAMS),
        Control("disk.interface", "Interface of the disk", only_for=STREAMS),
        Control("disk.reorder_age_s", "Oldest command in reordering", only_for=STREAMS),
        Control("disk.controller_reads_per_s", "Controller limit, reads/s", only_for=("read_stream",)),
        Control("disk.report_interval_s", "Interrupt coalescing", only_for=STREAMS),
        Control("disk.controller_writes_per_s", "Controller limit, writes/s", only_for=("write_stream",)),
        Control("disk.spare_fraction", "Spare flash", only_for=("write_stream",)),
        Control("disk.used_fraction", "Share of the flash in use", only_for=("write_stream",)),
        Control("disk.fua", "Forced unit access (FUA)", only_for=("write_stream",)),
        Control("disk.fresh", "Erased beforehand", only_for=("write_stream",)),
        Control("disk.write_cache_bytes", "Write cache of the disk", only_for=("write_stream",)),
        Control("disk.write_cache_flushed", "fsync and O_SYNC flush the cache", only_for=("write_stream",)),
        Control("disk.raid_level", "RAID level", only_for=STREAMS),
        Control("disk.raid_disks", "Members of the RAID set", only_for=STREAMS),
        Control("disk.iops_limit", "IOPS limit of the volume", only_for=(*READERS, *STREAMS)),
        Control("disk.throughput_limit_bytes_per_s", "Throughput limit of the volume", only_for=(*READERS, *STREAMS)),
        Control("disk.limit_io_bytes", "Size that counts as one request", only_for=STREAMS),
        Control("disk.limit_slice_s", "Throttling slice (io.max)", only_for=STREAMS),
        Control("disk.burst_iops", "Burst", only_for=STREAMS),
        Control("disk.burst_credits", "Burst credits", only_for=STREAMS),
        Control("host.iops_limit", "IOPS limit of the host", only_for=(*READERS, *STREAMS)),
        Control("host.bandwidth_limit_bytes_per_s", "Throughput limit of the host", only_for=(*READERS, *STREAMS)),
        Control("host.burst_iops", "Burst of the host", only_for=STREAMS),
        Control("host.burst_bandwidth_bytes_per_s", "Throughput burst of the host", only_for=STREAMS),
        Control("host.burst_s", "Burst duration of the host", only_for=STREAMS),
        Control("host.use", "Machine", only_for=(*STATEMENTS, *STREAMS)),
        Control("host.cpus", "Processors", only_for=(*STATEMENTS, *STREAMS)),
        Control("host.threads_per_core", "Threads of a core", only_for=(*STATEMENTS, *STREAMS)),
        Control("host.smt_gain_percent", "Gain by a second thread", only_for=(*STATEMENTS, *STREAMS)),
        Control("host.busy_loss_percent", "Slowdown with all cores busy", only_for=(*STATEMENTS, *STREAMS)),
        Control("host.page_cache_hit_fraction", "Reads found in the page cache", only_for=(*READERS, "read_stream")),
    ),
    "Block layer": (
        Control("host.kernel", "Kernel", ("2.6.5", "2.6.18", "2.6.32", "3.10", "4.18", "5.15", "6.1", "6.17"), STREAMS),
        Control("host.scheduler", "I/O scheduler", only_for=STREAMS),
        Control("host.nr_requests", "nr_requests", only_for=STREAMS),
        Control("host.nomerges", "nomerges", only_for=STREAMS),
        Control("host.max_request_bytes", "Largest request", only_for=STREAMS),
        Control("host.max_segments", "Segments of a request", only_for=STREAMS),
        Control("host.folios", "Files in folios", only_for=STREAMS),
        Control("host.read_ahead_bytes", "Read-ahead", only_for=("read_stream",)),
    ),
    "Page cache": (
        Control("host.filesystem", "File system", only_for=STREAMS),
        Control("host.journal", "Journal", only_for=("write_stream",)),
        Control("host.memory_bytes", "Memory", only_for=STREAMS),
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
        Control("workload.access", "Index access"),
        Control("workload.index_only", "Index has all columns"),
        Control("workload.predicate", "Predicate"),
        Control("workload.selectivity_fraction", "Share of rows in the key range"),
        Control("workload.filter_fraction", "Share of rows that pass the WHERE clause"),
        Control("workload.degree", "Degree of parallelism"),
        Control("workload.columns", "Columns selected"),
        Control("workload.arraysize_rows", "Array size"),
        Control("client.first_fetch_rows", "First fetch call", only_for=QUERIES),
        Control("instance.block_end_saves_get", "Array ends at block end: no re-get", only_for=(*QUERIES, "export")),
        Control("client.call_trips", "Round trips besides fetches", only_for=QUERIES),
        Control("workload.other_gets", "Header and map gets"),
        Control("workload.buffer_bytes", "BUFFER"),
        Control("workload.largest_row_bytes", "Longest row"),
        Control("workload.commit", "COMMIT=y"),
        Control("workload.direct", "DIRECT=y"),
        Control("workload.users", "Users", only_for=(*STATEMENTS, *STREAMS)),
        Control("client.use", "Client", only_for=STATEMENTS),
    ),
    "Prices": (
        Control("prices.use", "Price list"),
        Control("prices.currency", "Currency", ("EUR", "USD", "GBP", "CHF", "JPY")),
        Control("prices.licence_per_processor", "Licence"),
        Control("prices.licence_years", "Licence spread over"),
        Control("prices.support_percent", "Support a year"),
        Control("prices.core_factor", "Core factor"),
        Control("prices.core_per_hour", "Core without licence"),
        Control("prices.storage_per_gb_month", "Storage"),
        Control("prices.storage_per_iops_month", "Storage by IOPS"),
        Control("disk.volume_per_month", "Flat price of the volume"),
    ),
}  # fmt: skip


EVERY: Final = tuple(control for controls in GROUPS.values() for control in controls)


def controls_of(paths: Sequence[str], kind: str) -> list[Control]:
    """The controls of these fields in a workload of *kind*, in that order."""
    known = [control for control in EVERY if control.facts(kind)]
    return [next(control for control in known if control.path == path) for path in paths]


def label_of(path: str) -> str:
    """The DBA's word for a field; empty where no control has it."""
    return next((control.label.partition(";")[0] for control in EVERY if control.path == path), "")


OF_A_KIND: Final = frozenset(control.path for control in GROUPS["The transaction"])
PRICES: Final = frozenset(control.path for control in GROUPS["Prices"][2:])
"""All but the price list and the currency."""


# Options of a field that a DBA would name otherwise.
SHOWN: Final[dict[str, dict[str, str]]] = {
    "workload.select": {"count": "count(*)"},
    "tablespace.space_management": {"assm": "ASSM"},
    "workload.order": {"table": "full scan", "random": "index"},
    "instance.redo_disk": {"own": "on a separate device", "data": "on the data device"},
    "workload.caller": {"client": "client calls", "plsql": "one PL/SQL block"},
    "workload.method": {"row": "one by one", "array": "in arrays"},
    "workload.pattern": {"sequential": "in order", "random": "anywhere", "backward": "backwards"},
    "workload.hot_pool": {"default": "DEFAULT", "keep": "KEEP"},
    "workload.cold_pool": {"default": "DEFAULT", "recycle": "RECYCLE"},
    "workload.arrivals": {"poisson": "by chance", "regular": "in step"},
}


@lru_cache(maxsize=512)
def control_of(path: str, kind: str) -> Control:
    """The control of a field in a workload of *kind*; one that it has in no group is named after the field."""
    its = (control for control in EVERY if control.path == path and control.facts(kind))
    return next(its, Control(path, words_of(path)))


def words_of(path: str) -> str:
    """The DBA's word for a field, or else its section and its name: ``Disk: bandwidth``."""
    section, _, name = path.rpartition(".")
    if not FIELD.fullmatch(path):
        return path
    words = ENDS_IN_A_UNIT.sub("", name).replace("_", " ")
    return label_of(path) or f"{section.rpartition('.')[2].capitalize()}: {words}"


FIELD: Final = re.compile(r"[a-z_]+(\.[a-z0-9_]+)+")
ENDS_IN_A_UNIT: Final = re.compile(r"(?<=.)(_bytes_per_s|_bytes|_percent|_fraction|_s|_hz)$")


def told(path: str, base: Scenario, other: Scenario) -> str:
    """A control and its values in both scenarios, in words; empty where *path* is no field of theirs."""
    control = control_of(path, other.workload.kind)
    field = control.facts(other.workload.kind)
    if field is None:
        return ""
    values = [value_at(scenario, path) for scenario in (other, base)]
    if path.endswith(".use"):  # entries of the catalog are told by the names that the reason calls them by
        now, was = (value if value in field.options else control.named(field, value) for value in values)
    else:
        now, was = (control.named(field, value) for value in values)
    label = control.label if control.label[:2].isupper() else control.label[0].lower() + control.label[1:]
    return f"{label} {now} instead of {was}"
