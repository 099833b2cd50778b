"""What a fast way may meet: the fields of the specification that it reads, and every other one at its neutral value.

A fast way is a loop that answers without events what a simulation by events answers too. Each declares beside its code
which fields it READS. A field that is added later is in none of these sets, so that events play it until somebody
teaches the fast way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import attrgetter
from typing import Any

from pydantic import BaseModel

from blocktime.model.spec import System

NEUTRAL: dict[str, Any] = {"disk.average_seek_s": 0.0, "disk.rotation_s": 0.0}
"""Values without an effect, of fields whose default has one."""

OTHER_SECTIONS = ("tablespace", "table", "index", "instance", "client", "prices", "constants")
"""Parts of a system that decide nothing of a device and the programs that call it."""


def fields(section: str, *names: str) -> frozenset[str]:
    """Dotted names of fields of a section."""
    return frozenset(f"{section}.{name}" for name in names)


ORACLE_COSTS = fields(
    "host",
    "threads_per_core", "smt_gain_percent", "busy_loss_percent", "cpuspeed_hz", "logical_io_s",
    "line_miss_s", "line_stream_s", "row_step_s", "column_step_ratio", "fetch_row_s", "fetch_column_s", "filter_row_s",
    "call_s", "reap_call_s",
    "buffer_block_s", "update_row_s", "migrate_row_s", "itl_entry_s", "insert_row_s",
    "insert_column_s", "delete_row_s", "change_block_s", "commit_s", "latch_hold_s", "latch_spin_s",
    "log_file_sync_s", "between_calls_s",
)  # fmt: skip
"""Costs of Oracle's processes, which no call to a device has."""

PAGE_CACHE = fields("workload", "extends", "fadvise", "fsync_every") | fields(
    "host",
    "read_ahead_bytes", "filesystem", "folios", "journal", "journal_commit_s", "journal_data", "journal_elsewhere",
    "journal_age_s", "memory_bytes", "dirty_background_ratio_percent", "dirty_ratio_percent",
    "dirty_writeback_s", "dirty_expire_s", "page_cache_hit_fraction", "copy_bytes_per_s",
    "page_write_s", "page_submit_s",
)  # fmt: skip
"""What matters to calls through the page cache alone."""

CALLS = fields(
    "workload",
    "kind", "path", "users", "beside", "block_size_bytes", "count", "pattern", "stride_bytes",
    "start_byte", "span_bytes", "in_flight", "submission", "rate_per_s", "arrivals", "think_s", "think_cv",
)  # fmt: skip
HOST = fields(
    "host", "io_path", "kernel", "cpus", "read_call_s", "write_call_s",
    "max_request_bytes", "max_segments",
)  # fmt: skip
UNBUFFERED_CALLS = (
    ORACLE_COSTS
    | PAGE_CACHE
    | CALLS
    | HOST
    | fields("iostat", "interval_s", "first_s")
    | {"disk.capacity_bytes"}
)
"""What any loop over calls past the page cache reads: the files and their calls, the processors, and iostat."""


def reads_all(reads: frozenset[str], system: System, works: Iterable[BaseModel] = ()) -> bool:
    """Whether every field that is not among *reads* has its neutral value, in *system* and in each of *works*."""
    parts: list[tuple[str, BaseModel]] = [(name, getattr(system, name)) for name in _sections(type(system))]
    parts += [("workload", work) for work in works]
    for section, part in parts:
        values_of, neutral = _others(type(part), section, reads)
        if values_of(part) != neutral:
            return False
    return True


@lru_cache
def _sections(system: type[System]) -> tuple[str, ...]:
    return tuple(name for name in system.model_fields if name not in OTHER_SECTIONS)


@lru_cache
def _others(
    part: type[BaseModel], section: str, reads: frozenset[str]
) -> tuple[Callable[[BaseModel], Any], Any]:
    """What asks a part for its fields that are not read, and what it says where they are neutral."""
    neutral = {
        name: NEUTRAL.get(f"{section}.{name}", field.get_default(call_default_factory=True))
        for name, field in part.model_fields.items()
        if f"{section}.{name}" not in reads
    }
    if not neutral:
        return lambda _: None, None
    asked = attrgetter(*neutral)
    return asked, tuple(neutral.values()) if len(neutral) > 1 else next(iter(neutral.values()))
