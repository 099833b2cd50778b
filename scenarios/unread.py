"""Which fields a kind of workload does not read: the one list, behind the notes of an answer.

A test sets every field off its value, one by one, and holds this list to what then moves in the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

# What plays no part in any statement: its device answers in order, by its means, and what it changes is written later.
STATEMENT: Final = (
    "table.pctused_percent", "instance.db_nk_cache_bytes", "instance.db_keep_cache_bytes",
    "instance.db_recycle_cache_bytes",
    "instance.replacement.*", "instance.checkpoint_s", "instance.db_writer_requests", "instance.redo_byte",
    "host.kernel", "host.scheduler", "host.max_segments", "host.nr_requests", "host.filesystem", "host.journal_*",
    "host.memory_bytes", "host.dirty_*", "host.write_call_s", "host.page_write_s", "host.page_submit_s",
    "host.threads_per_core", "host.smt_gain_percent", "host.latch_*", "disk.track_seek_s",
    "disk.full_seek_s", "disk.head_switch_s", "disk.heads", "disk.zones", "disk.inner_bandwidth_ratio",
    "disk.capacity_bytes", "disk.write_*", "disk.queue_depth", "disk.service_cv", "disk.track_buffer_bytes",
    "disk.read_hit_fraction", "disk.bus_bytes_per_s", "disk.burst_credits", "iostat.*",
)  # fmt: skip
NO_INDEX: Final = ("index.*",)
NO_REDO: Final = ("instance.redo_disk",)
NO_ROW_CHANGES: Final = (
    "host.log_file_sync_s", "host.update_row_s", "host.migrate_row_s", "host.itl_entry_s", "host.insert_row_s",
    "host.insert_column_s",
    "host.delete_row_s", "host.change_block_s", "host.commit_s",
)  # fmt: skip
NO_DIRECT_READS: Final = (
    "instance.serial_direct_read", "instance.disk_asynch_io", "instance.direct_read_slots*", "host.reap_call_s",
    "table.dirty_fraction",
)  # fmt: skip
NO_MULTIBLOCK_READS: Final = (
    *NO_DIRECT_READS, "instance.release", "instance.buffer_cache_bytes", "instance.db_file_multiblock_read_count",
    "instance.sessions", "instance.max_io_bytes", "instance.statistics.mreadtim_s",
    "instance.statistics.mbrc", "host.line_stream_s", "host.column_step_ratio", "host.read_ahead_bytes",
    "host.max_request_bytes",
)  # fmt: skip
NO_ROWS_SENT: Final = (
    "host.fetch_*", "client.column_s", "client.file_bytes_per_s", "client.sdu_bytes",
    "client.more_data_send_s",
)  # fmt: skip
NO_READS: Final = (
    *NO_MULTIBLOCK_READS, "table.cached_fraction", "instance.statistics.*", "host.io_path",
    "host.page_cache_hit_fraction", "host.copy_bytes_per_s", "host.line_miss_s",
    "host.row_step_s", "host.read_call_s", "host.buffer_block_s", "disk.*",
)  # fmt: skip
ORACLE_ALONE: Final = (
    "tablespace.*", "table.*", "index.*", "instance.*", "client.*", "host.threads_per_core", "host.smt_gain_percent",
    "host.latch_*", "host.logical_io_s", "host.line_*", "host.row_step_s", "host.column_step_ratio", "host.fetch_*",
    "host.call_s", "host.reap_call_s", "host.buffer_block_s", "host.between_calls_s", *NO_ROW_CHANGES,
)  # fmt: skip
TRANSACTIONS: Final = (
    "index.*", "tablespace.space_management", "tablespace.extent_management", "tablespace.uniform_extent_bytes",
    "table.rows", "table.row_bytes", "table.row_bytes_sd", "table.pctfree_percent", "table.pctused_percent",
    "table.initrans", "table.migrated_fraction", "table.cached_fraction",
    "instance.serial_direct_read", "instance.disk_asynch_io", "instance.direct_read_slots*",
    "instance.statistics.*", "host.io_path", "host.page_cache_hit_fraction", "host.read_ahead_bytes",
    "host.filesystem", "host.journal_*", "host.dirty_*", "host.write_call_s", "host.page_write_s",
    "host.page_submit_s", "host.memory_bytes", "host.copy_bytes_per_s", "host.fetch_*", "host.reap_call_s",
    "host.update_row_s",
    "host.migrate_row_s", "host.itl_entry_s", "host.insert_*", "host.delete_row_s", "host.log_file_sync_s",
    "host.between_calls_s", "client.row_s", "client.column_s", "client.file_bytes_per_s", "client.sdu_bytes",
    "client.message_send_s", "client.more_data_send_s", "client.send_cpu_fraction", "table.created_by", "table.blocks",
    "table.column_count", "host.line_stream_s", "host.column_step_ratio", "disk.write_cache_flushed",
)  # fmt: skip
SIZES_OF_SCANS: Final = (
    "instance.db_file_multiblock_read_count", "instance.release", "instance.sessions", "instance.max_io_bytes",
)  # fmt: skip
"""What decides the multiblock reads of transactions, of which only those that scan have any."""
UNREAD: Final[dict[str, tuple[str, ...]]] = {
    "full_scan": (*STATEMENT, *NO_INDEX, *NO_REDO, *NO_ROW_CHANGES, "client.file_bytes_per_s"),
    "index_range_scan": (
        *STATEMENT, *NO_REDO, *NO_ROW_CHANGES, *NO_MULTIBLOCK_READS, "client.file_bytes_per_s",
    ),
    "export": (*STATEMENT, *NO_INDEX, *NO_REDO, *NO_ROW_CHANGES),
    "update": (
        *STATEMENT, *NO_INDEX, *NO_REDO, *NO_DIRECT_READS, *NO_ROWS_SENT, "client.row_s", "table.migrated_fraction",
        "host.insert_*", "host.delete_row_s", "host.change_block_s", "host.commit_s",
    ),
    "delete": (
        *STATEMENT, *NO_INDEX, *NO_REDO, *NO_DIRECT_READS, *NO_ROWS_SENT, "client.row_s", "table.migrated_fraction",
        "host.update_row_s", "host.migrate_row_s", "host.itl_entry_s", "host.insert_*", "host.change_block_s",
        "host.commit_s",
    ),
    "insert": (
        *STATEMENT, *NO_INDEX, *NO_REDO, *NO_READS, *NO_ROWS_SENT, "table.migrated_fraction", "table.column_count",
        "instance.db_block_size_bytes", "host.update_row_s", "host.migrate_row_s", "host.itl_entry_s",
        "host.delete_row_s", "host.commit_s",
    ),
    "import": (
        *NO_INDEX, "instance.serial_direct_read", "instance.direct_read_slots*", "host.reap_call_s",
        "table.dirty_fraction", "table.pctused_percent", "table.column_count", "table.cached_fraction",
        "instance.release", "instance.db_keep_cache_bytes", "instance.db_recycle_cache_bytes",
        "instance.replacement.*", "instance.sessions", "instance.db_file_multiblock_read_count",
        "instance.statistics.*", "host.page_cache_hit_fraction", "host.copy_bytes_per_s", "host.line_miss_s",
        "host.line_stream_s", "host.row_step_s", "host.column_step_ratio", "host.fetch_*", "host.read_call_s",
        "host.read_ahead_bytes", "host.buffer_block_s", "host.update_row_s", "host.migrate_row_s",
        "host.itl_entry_s", "host.delete_row_s", "host.threads_per_core", "host.smt_gain_percent", "host.latch_*",
        "host.journal_*", "host.dirty_*", "host.memory_bytes", "disk.read_hit_fraction", "instance.checkpoint_s",
        "instance.redo_byte", "instance.max_io_bytes", "host.kernel",
        "host.scheduler", "host.max_segments", "host.nr_requests", "host.filesystem", "host.write_call_s",
        "host.page_write_s", "host.page_submit_s", "host.commit_s", "client.sdu_bytes",
        "client.more_data_send_s", "iostat.*", "disk.average_seek_s", "disk.track_seek_s", "disk.full_seek_s",
        "disk.head_switch_s", "disk.heads", "disk.zones", "disk.inner_bandwidth_ratio", "disk.capacity_bytes",
        "disk.queue_depth", "disk.track_buffer_bytes", "disk.bus_bytes_per_s", "disk.burst_*",
        "disk.stripe_unit_bytes", "disk.write_cache_flushed",
    ),
    "read_stream": ORACLE_ALONE,
    "write_stream": ORACLE_ALONE,
    "transactions": TRANSACTIONS,
}  # fmt: skip
"""Kind of workload -> patterns of the dotted fields that decide nothing of it, in either engine."""
ONLY_SIMULATED: Final[dict[str, tuple[str, ...]]] = {
    "transactions": (
        "host.kernel", "host.max_request_bytes", "host.max_segments", "disk.track_buffer_bytes", "disk.burst_iops",
        "disk.burst_credits", "iostat.*", "workload.begins", "workload.transactions", "workload.precision_percent",
    ),
}  # fmt: skip
"""Kind of workload -> patterns of what the simulation reads and the closed form does not."""


def is_unread(kind: str, path: str) -> bool:
    """Whether a workload of *kind* does not read the field at a dotted path."""
    return any(fnmatchcase(path, pattern) for pattern in UNREAD[kind])


def set_in(differences: Mapping[str, Any], patterns: Sequence[str]) -> list[str]:
    """The fields among *patterns* that a question sets, given as nested sections."""
    return [path for path in _paths(differences) if any(fnmatchcase(path, pattern) for pattern in patterns)]


def _paths(section: Mapping[str, Any], where: str = "") -> Iterator[str]:
    for name, value in section.items():
        if isinstance(value, Mapping):
            yield from _paths(value, f"{where}{name}.")
        else:
            yield f"{where}{name}"
