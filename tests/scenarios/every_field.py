"""Every field of the specification, with values off its own, and whether an answer moves with it."""

import json
import sys
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any

from blocktime.model.errors import BlocktimeError
from blocktime.scenarios import Scenario, from_mapping, run
from blocktime.scenarios.declared import declaration
from blocktime.scenarios.schema import schema_of
from blocktime.scenarios.spec import PRECISION, SECTIONS
from blocktime.scenarios.unread import LIST, unread

SCHEMA = schema_of("scenario")
OTHER_WORDS = {
    "client.window_bytes": (512,),
    "host.kernel": ("2.6.9", "2.4.21", "6.1"),
    "instance.release": ("8.1.7", "10.2.0.4", "11.2.0.4"),
    "instance.db_file_multiblock_read_count": (8, 1),
    "tablespace.uniform_extent_bytes": ("160K", "64M"),
    "table.columns": ([{"type": "number", "bytes": 9}, {"type": "varchar2", "bytes": 40}],),
    "table.indexes": ([{"key_bytes": 12, "updated": True}],),
    "index.clustering_factor": (2500, 2900),
    "workload.sets": ([{"type": "varchar2", "bytes": 80}],),
    "workload.popularity": ([{"blocks_percent": 30, "gets_percent": 60}, {"blocks_percent": 70, "gets_percent": 40}],),
    "workload.miss_curve": ([{"cache_bytes": "1M", "miss_percent": 60}, {"cache_bytes": "2M", "miss_percent": 30}],),
    "workload.tablespaces": (
        [{"name": "a", "blocks_percent": 50, "device": "a"}, {"name": "b", "blocks_percent": 50, "device": "b"}],
    ),
    "workload.beside": ([{"kind": "read_stream", "count": 50, "pattern": "random"}],),
}
"""Values of fields whose form the schema does not say."""
NAMED = ("currency", "use", "kind")
"""Fields that choose an entry, a kind or prices by name."""


def fields_of(kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each field of a scenario with a workload of *kind*, by dotted path, with its schema."""
    for section in SECTIONS:
        schema = SCHEMA["properties"][section]
        if section == "workload":
            kinds = (_resolved(choice) for choice in schema["anyOf"])
            schema = next(one for one in kinds if one["properties"]["kind"]["const"] == kind)
        for path, field in _fields_in(_resolved(schema), section):
            decides_runs = path == PRECISION and kind != "transactions"
            if not decides_runs and not declaration(path, kind).names:
                yield path, field


def _fields_in(schema: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, field in schema["properties"].items():
        below = _resolved(field)
        if "properties" in below:
            yield from _fields_in(below, f"{path}.{name}")
        elif name == "mix":
            yield from _fields_in(_resolved(below["items"]), f"{path}.{name}.0")
        elif name not in NAMED or below.get("enum"):
            yield f"{path}.{name}", below


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    return dict(SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]) if "$ref" in schema else schema


def others(schema: dict[str, Any], path: str, now: Any) -> list[Any]:
    """Some values that the schema allows beside *now*: near ones first, then its ends."""
    if path in OTHER_WORDS:
        return list(OTHER_WORDS[path])
    forms = [form for form in schema.get("anyOf", [schema]) if form.get("type") != "null"]
    form = next((form for form in forms if form.get("type") in ("integer", "number")), forms[0])
    if "enum" in form:
        return [value for value in form["enum"] if value != now]
    if form.get("type") == "boolean":
        return [value for value in (True, False) if value is not now]
    if form.get("type") not in ("integer", "number"):
        return []
    low, high = form.get("minimum", form.get("exclusiveMinimum", 0)), form.get("maximum", 10**6)
    high = 0.999 * form["exclusiveMaximum"] if "exclusiveMaximum" in form else high
    if now in (None, "auto"):
        tried = [3, 0.02, 0.5, 1 << 20, 1 << 33]
    else:
        tried = [2 * now, now / 2, now + 1, 10 * now or high / 100, now / 10]
    whole = form["type"] == "integer"
    found = [round(value) if whole else value for value in tried]
    return list(dict.fromkeys(value for value in found if low <= value <= high and value != now))


FEW = {
    "workload.transactions": 100, "workload.users": 4, "workload.think_s": 0.1, "workload.data_bytes": "32M",
    "workload.hottest_blocks": 2, "workload.hottest_gets_percent": 2, "workload.hottest_changes_percent": 5,
    "workload.hot_pool": "keep", "instance.db_keep_cache_bytes": "4M", "workload.cold_pool": "recycle",
    "instance.db_recycle_cache_bytes": "2M", "host.threads_per_core": 2, "host.cpus": 1,
}  # fmt: skip
DEFAULT_POOL = {
    "workload.hot_pool": None, "workload.cold_pool": None, "instance.db_keep_cache_bytes": None,
    "instance.db_recycle_cache_bytes": None, "instance.replacement.hot_criteria": 4,
}  # fmt: skip
TURNED_OVER = {
    "workload.mix": [{"gets": 200}], "workload.think_s": 0.001, "workload.data_bytes": "16M",
    "workload.transactions": 400, "instance.replacement.touch_time_s": 0.0001,
    "instance.replacement.percent_hot": 100, "instance.replacement.hot_criteria": None,
}  # fmt: skip
MONEY = {
    "currency": "EUR", "licence_per_processor": 1000, "core_per_hour": 0.1, "storage_per_gb_month": 1,
    "storage_per_iops_month": 0.1, "storage_iops": 1000, "storage_per_mb_s_month": 0.1, "memory_per_gb_month": 1.0,
}  # fmt: skip
SMALL: dict[str, Any] = {
    "table": {"rows": 3000, "row_bytes": 300},
    "instance": {"buffer_cache_bytes": "8M"},
    "host": {"memory_bytes": "256M"},
    "prices": MONEY,
}
DIRECT = {"instance.serial_direct_read": "always", "disk.parallel_requests": 40, "instance.direct_read_slots_limit": 3}
BY_CACHE = {
    "instance.serial_direct_read": "never", "table.cached_fraction": 0.4, "index.cached_fraction": 0.4,
    "table.dirty_fraction": 0.1,
}  # fmt: skip
DECIDES = {"table.cached_fraction": 0.45, "table.dirty_fraction": 0.2, "instance.buffer_cache_bytes": "1M"}
BUFFERED = {"host.io_path": "buffered", "host.page_cache_hit_fraction": 0.3, "workload.users": 3}
GATHERED = {"table.migrated_fraction": 0.1, "instance.statistics.kind": "workload"}
MANUAL = {"tablespace.space_management": "manual"}
UNIFORM = {"tablespace.extent_management": "uniform", "tablespace.uniform_extent_bytes": "1M", "instance.sessions": 1}
COLUMNS = {"table.row_bytes": None, "table.columns": [{"type": "number", "bytes": 4}, {"type": "char", "bytes": 90}]}
VOLUME = {
    "disk.rotation_s": 0, "disk.average_seek_s": 0, "disk.iops_limit": 300, "disk.burst_iops": 900,
    "disk.burst_credits": 500, "instance.serial_direct_read": "never", "disk.throughput_limit_bytes_per_s": "1G",
}  # fmt: skip
THROTTLED = {
    "disk.rotation_s": 0, "disk.average_seek_s": 0, "disk.iops_limit": 300, "disk.limit_slice_s": 0.05,
    "disk.limit_io_bytes": "4K",
}  # fmt: skip
HOSTED = {
    "disk.rotation_s": 0, "disk.average_seek_s": 0, "instance.serial_direct_read": "never", "host.iops_limit": 20,
    "host.burst_iops": 60, "host.burst_s": 0.05,
}  # fmt: skip
NARROW = {
    "disk.rotation_s": 0, "disk.average_seek_s": 0, "instance.serial_direct_read": "never", "host.burst_s": 0.01,
    "host.bandwidth_limit_bytes_per_s": 200_000, "host.burst_bandwidth_bytes_per_s": 600_000,
}  # fmt: skip
RAID = {"disk.raid_level": "10", "disk.raid_disks": 4, "disk.average_seek_s": 0.005, "disk.track_seek_s": 0.001}
FLASH = {"disk.rotation_s": 0, "disk.average_seek_s": 0}
SLC = FLASH | {"disk.slc_cache_bytes": "1M", "disk.slc_full_bytes_per_s": 1_000_000}
FOLIOS = BUFFERED | {
    "host.filesystem": "xfs", "host.kernel": "6.6", "host.page_cache_hit_fraction": 0, "host.max_segments": 4,
    "host.read_ahead_bytes": "1M",
}  # fmt: skip
COLLECTING = FLASH | {
    "disk.spare_fraction": 0.05, "disk.used_fraction": 0.9, "disk.write_overhead_s": 1e-5,
    "disk.bandwidth_bytes_per_s": 1_000_000, "disk.parallel_requests": 4,
}  # fmt: skip
COLLIDING = FLASH | {
    "disk.overhead_s": 1e-3, "disk.bandwidth_bytes_per_s": "1G", "disk.parallel_requests": 8, "disk.queue_depth": 40,
    "disk.controller_reads_per_s": 1_001, "disk.controller_writes_per_s": 1_001, "workload.users": 3,
}  # fmt: skip
LONG = FLASH | {
    "instance.serial_direct_read": "always", "instance.db_file_multiblock_read_count": 1, "disk.overhead_s": 0.3,
    "disk.parallel_requests": 40, "disk.queue_depth": 40, "instance.direct_read_slots_limit": 3,
}  # fmt: skip
GROWS = {
    "workload.users": 2, "workload.growth_bytes": 60, "table.pctfree_percent": 0, "workload.repeats": 2,
    "table.row_bytes": 12, "tablespace.block_size_bytes": 16384,
}  # fmt: skip
PROBES = {
    "table.row_bytes": None, "table.columns": [{"type": "number"}, {"type": "number", "null_fraction": 1}],
    "workload.sets": [{"type": "number", "bytes": 5}], "tablespace.block_size_bytes": 32768,
}  # fmt: skip
COMMITS = {"workload.commit_every_rows": 100}
STANDBY = {"instance.redo_transport": "sync", "instance.redo_transport_round_trip_s": 0.1}
REDO = COMMITS | {"instance.redo_disk": "data", "instance.log_buffer_bytes": "64K"}
SLOW_LOG = {"instance.redo_limit_bytes_per_s": 20_000, "instance.log_buffer_bytes": "64K"}
LOGS = {
    "disk.rotation_s": 0, "disk.average_seek_s": 0, "disk.bandwidth_bytes_per_s": 1_000_000,
    "instance.redo_log_bytes": "4M", "instance.redo_log_groups": 2, "instance.redo_disk": "data",
    "instance.buffer_cache_bytes": "1G",
}  # fmt: skip
LARGE_ROWS = LOGS | {
    "table.rows": 30_000,
    "table.row_bytes": 1900,
    "instance.redo_disk": "own",
    "table.cached_fraction": 1,
}
DELETED = {"workload.uncommitted_delete_fraction": 0.5}
GEOMETRY = {
    "disk.heads": 4, "disk.zones": 5, "disk.capacity_bytes": "40G", "disk.track_seek_s": 0.0005,
    "disk.average_seek_s": 0.004, "disk.full_seek_s": 0.009, "disk.rotation_s": 0.006, "disk.head_switch_s": 0.001,
}  # fmt: skip
REORDERS = {"disk.reorder_age_s": 0.2, "disk.queue_depth": 16, "workload.users": 12, "disk.rotation_s": 0.006}
SMALL_DRIVE = GEOMETRY | {"disk.capacity_bytes": "4M", "disk.bandwidth_bytes_per_s": 2_000_000}
ROTATING = GEOMETRY | {"workload.pattern": "random", "workload.span_bytes": "8G"}
CROWDED = {
    "workload.users": 8, "host.cpus": 2, "host.threads_per_core": 2, "table.cached_fraction": 0.9,
    "disk.rotation_s": 0, "disk.average_seek_s": 0, "instance.serial_direct_read": "never",
}  # fmt: skip
TRACED = {"instance.sql_trace": True, "host.between_calls_s": 1e-4}
ALL = (
    {},
    TRACED,
    BUFFERED,
    CROWDED,
    UNIFORM,
    COLUMNS,
    VOLUME,
    THROTTLED,
    HOSTED,
    NARROW,
    REORDERS,
    RAID,
    SLC,
    FOLIOS,
    COLLIDING,
)
CHANGES = (
    *ALL, MANUAL, COMMITS, GATHERED, BY_CACHE, COMMITS | STANDBY, REDO, REDO | GEOMETRY, SLOW_LOG,
    SLOW_LOG | FLASH | {"disk.service_cv": 0.5}, CROWDED | {"host.cpus": 4, "host.change_block_s": 1e-4},
)  # fmt: skip
STREAM = {"workload.count": 200}
STREAMS = (
    {},
    {"workload.users": 8, "host.cpus": 3, "host.threads_per_core": 2},
    BUFFERED,
    FOLIOS,
    ROTATING,
    VOLUME,
    THROTTLED,
    HOSTED,
    NARROW,
    ROTATING | REORDERS | {"workload.span_bytes": "1G"},
    RAID,
    FLASH | {"workload.rate_per_s": 500},
    {"workload.pattern": "strided", "workload.stride_bytes": "1M", "workload.think_s": 0.01, "workload.think_cv": 0.5},
    {"disk.write_cache_bytes": "64K", "workload.in_flight": 200, "workload.pattern": "random", "host.nr_requests": 4},
    GEOMETRY | {"disk.track_buffer_bytes": "1M"},
)
RANDOM = {"pattern": "random", "path": "direct", "in_flight": 8}
JOURNALED = {
    "host.io_path": "buffered", "host.filesystem": "ext3", "workload.extends": True, "host.journal_commit_s": 0.02,
    "workload.think_s": 0.001, "disk.write_cache_bytes": "64K",
}  # fmt: skip

SWEPT = {
    "host.io_path": "buffered", "host.memory_bytes": "16M", "host.dirty_writeback_s": 0.05,
    "host.dirty_expire_s": 0.1, "workload.think_s": 0.005,
}  # fmt: skip
BEHIND = {"table.rows": 30_000, "instance.buffer_cache_bytes": "1M", "disk.bandwidth_bytes_per_s": 1_000_000}
LOADED = {"workload.rows": 30_000, "workload.method": "direct"}
WRITTEN_TO: tuple[dict[str, Any], ...] = (
    {},
    RAID,
    VOLUME,
    THROTTLED,
    HOSTED,
    NARROW,
    {"disk.write_cache_bytes": "64K"},
    GEOMETRY,
    FLASH | {"disk.parallel_requests": 4},
    FLASH | {"disk.slc_cache_bytes": "256K", "disk.slc_full_bytes_per_s": 500_000},
    COLLECTING,
    COLLIDING,
    FLASH
    | {
        "instance.db_writer_requests": 2,
        "disk.parallel_requests": 16,
        "disk.overhead_s": 0.05,
        "table.cached_fraction": 1,
    },
    {"host.io_path": "buffered"},
    {"tablespace.block_size_bytes": 16384, "instance.db_nk_cache_bytes": "1M"},
)
FULL = {"instance.buffer_cache_bytes": "1M", "disk.bandwidth_bytes_per_s": 1_000_000}
FULL_OF = tuple(FULL | device for device in WRITTEN_TO)
SORTED = {"workload.sort": "order_by", "instance.work_area_bytes": "64K"}
BY_TARGET = {"workload.sort": "order_by", "table.rows": 30_000, "instance.pga_bytes": "10M"}
GROUPED = {"workload.sort": "group_by", "instance.work_area_bytes": "64K", "workload.groups": 1500}
LOOPS = {"workload.join": "nested_loops", "workload.inner_rows": 20_000, "index.distinct_keys": 10_000}
HASHED = {"workload.join": "hash", "workload.inner_rows": 3000, "instance.work_area_bytes": "64K"}
JOINED = (
    LOOPS,
    LOOPS | {"index.clustering": "interleaved", "instance.buffer_cache_bytes": "1M"},
    LOOPS | {"index.compress_columns": 1, "index.distinct_keys": 300},
    LOOPS | {"index.unique": True, "index.distinct_keys": None},
    HASHED,
    HASHED | {"index.distinct_keys": 300},
    HASHED | SORTED | {"index.unique": True},
)
BASES: dict[str, tuple[dict[str, Any], ...]] = {
    "full_scan": (
        *ALL,
        SMALL_DRIVE,
        DIRECT,
        LONG,
        BY_CACHE,
        DECIDES,
        GATHERED,
        {"workload.filter_fraction": 0.5},
        *(SORTED | device for device in WRITTEN_TO),
        BY_TARGET,
        GROUPED,
        *JOINED,
    ),
    "index_range_scan": (
        *ALL,
        BY_CACHE,
        GATHERED,
        {"workload.selectivity_fraction": 0.5},
        THROTTLED | {"workload.selectivity_fraction": 1.0, "index.clustering": "scattered", "disk.iops_limit": 60},
        SMALL_DRIVE | {"workload.selectivity_fraction": 1.0, "index.clustering": "scattered"},
        {"index.unique": True},
        {"index.distinct_keys": 300, "workload.predicate": "equality"},
        {"index.clustering": "interleaved"},
        {"index.distinct_keys": 300, "index.compress_columns": 1},
        {"workload.access": "fast_full", "workload.index_only": True},
        {"workload.access": "full", "workload.users": 8},
        FOLIOS | {"workload.access": "fast_full", "workload.index_only": True, "table.rows": 30_000},
        {"workload.access": "skip", "index.key_columns": 2, "index.prefix_distinct_keys": 20},
        {"table.rows": 60_000, "instance.buffer_cache_bytes": "2M", "workload.zipf_exponent": 0.9},
        *(
            CROWDED | {"host.cpus": cpus, "index.cached_fraction": 1, "workload.selectivity_fraction": 0.5}
            for cpus in (1, 4)
        ),
        SMALL_DRIVE,
    ),
    "export": (*ALL, DIRECT, LONG, LONG | {"workload.users": 3}, BY_CACHE, DECIDES, GATHERED, SMALL_DRIVE),
    "update": (
        *CHANGES,
        LOGS | {"table.rows": 60_000},
        LARGE_ROWS,
        *FULL_OF,
        GROWS,
        PROBES,
        SMALL_DRIVE,
        {"table.rows": 60_000, "instance.buffer_cache_bytes": "2M", "workload.order": "random"},
        SMALL_DRIVE
        | {"disk.capacity_bytes": "40M", "table.rows": 60_000, "instance.buffer_cache_bytes": "2M"}
        | {"workload.order": "random"},
        {
            "table.rows": 60_000,
            "instance.buffer_cache_bytes": "2M",
            "workload.order": "random",
            "workload.rows_fraction": 0.1,
            "workload.zipf_exponent": 0.9,
        },
    ),
    "delete": (*CHANGES, *FULL_OF, SMALL_DRIVE, LARGE_ROWS),
    "insert": (
        *({"workload.rows": 2000} | more for more in (*CHANGES, DELETED, DELETED | MANUAL)),
        *({"workload.rows": 30_000} | BEHIND | device for device in WRITTEN_TO),
        LOGS | {"workload.rows": 60_000},
        {
            "table.rows": 400_000,
            "workload.rows": 40_000,
            "workload.method": "array",
            "instance.redo_log_bytes": "4M",
            "instance.buffer_cache_bytes": "1G",
        }
        | {"table.indexes": [{"grown_by": "random", "clustering": "scattered", "cached_fraction": 1}]},
        *(LOADED | more for more in ({}, {"workload.nologging": True}, {"instance.redo_disk": "data"})),
    ),
    "import": (
        *ALL,
        MANUAL,
        {"workload.commit": True, "instance.redo_disk": "data"},
        {"workload.commit": True} | STANDBY,
        SLOW_LOG | FLASH | {"disk.service_cv": 0.5},
        *(BEHIND | device for device in WRITTEN_TO),
        LOGS | {"table.rows": 60_000, "table.pctfree_percent": 90, "instance.redo_disk": "own"},
        DECIDES,
    ),
    "read_stream": (
        *(STREAM | more for more in STREAMS),
        STREAM | COLUMNS | DECIDES,
        STREAM | SLC,
        STREAM | COLLIDING | {"workload.pattern": "random", "workload.in_flight": 8, "host.io_path": "direct"},
        STREAM | {"workload.beside": [{"kind": "write_stream", "count": 5000, "path": "buffered"}]},
        STREAM | SWEPT | {"workload.beside": [{"kind": "write_stream", "count": 200, "think_s": 0.005}]},
        STREAM
        | COLLECTING
        | {"workload.beside": [RANDOM | {"kind": "write_stream", "count": 2000}], "workload.count": 2000},
        STREAM
        | {"workload.beside": [{"kind": "write_stream", "count": 100, "path": "buffered", "fsync_every": 9}]}
        | {"host.filesystem": "ext3", "host.journal_commit_s": 0.02, "disk.write_cache_bytes": "64K"},
    ),
    "write_stream": (
        *(STREAM | more for more in STREAMS),
        STREAM | COLUMNS | DECIDES,
        STREAM
        | GEOMETRY
        | {"workload.beside": [{"kind": "read_stream", "count": 100, "path": "direct"}], "workload.think_s": 0.1},
        STREAM | {"workload.beside": [{"kind": "read_stream", "count": 100, "path": "buffered"}]},
        STREAM
        | COLLIDING
        | {
            "workload.path": "direct",
            "workload.in_flight": 8,
            "workload.beside": [RANDOM | {"kind": "read_stream", "count": 200}],
        },
        STREAM | JOURNALED,
        STREAM | JOURNALED | {"workload.fsync_every": 20},
        STREAM | SWEPT,
        STREAM | SWEPT | {"host.dirty_background_ratio_percent": 4, "workload.think_s": 0},
        STREAM | {"host.io_path": "dsync", "disk.write_cache_bytes": "64K"},
        STREAM | FLASH | {"disk.slc_cache_bytes": "1M", "disk.slc_full_bytes_per_s": 1_000_000},
        STREAM
        | FLASH
        | {
            "host.io_path": "direct",
            "workload.synced": "dsync",
            "disk.write_cache_bytes": "64K",
            "disk.write_cache_flushed": True,
        },
        STREAM
        | COLLECTING
        | {"workload.pattern": "random", "host.io_path": "direct", "disk.fresh": True, "disk.capacity_bytes": "1M"},
        STREAM | COLLIDING | {"workload.pattern": "random", "workload.in_flight": 8, "host.io_path": "direct"},
    ),
    "transactions": tuple(
        FEW | more
        for more in (
            {},
            {"table.cached_fraction": 0.45, "table.dirty_fraction": 0.2},
            {"workload.rate_per_s": 2, "workload.users": None, "workload.think_s": None},
            DEFAULT_POOL,
            DEFAULT_POOL | {"tablespace.block_size_bytes": 16384, "instance.db_nk_cache_bytes": "3M"},
            GEOMETRY | {"instance.redo_disk": "data", "instance.redo_byte": "20G", "disk.write_cache_bytes": "64K"},
            RAID
            | {
                "workload.mix": [{"name": "scan", "scan_blocks": 400}, {"gets": 90}],
                "host.nr_requests": 2,
                "workload.users": 30,
                "instance.sessions": 1,
            },
            THROTTLED | {"workload.think_s": 0.01},
            HOSTED | {"workload.think_s": 0.01},
            NARROW | {"workload.think_s": 0.01},
            REORDERS | {"workload.think_s": 0.01},
            FLASH | {"disk.parallel_requests": 4, "disk.service_cv": 0.5},
            COLLIDING | {"workload.users": 12, "workload.think_s": 0.001},
            FLASH | {"disk.slc_cache_bytes": "1M", "disk.slc_full_bytes_per_s": 100_000},
            COLLECTING,
            STANDBY,
            DEFAULT_POOL | TURNED_OVER,
            {"workload.mix": [{"gets": 40, "parallel_reads": 8}], "host.cpus": 2, "workload.think_s": 0.001},
            BUFFERED,
            {"workload.mix": [{"gets": 4, "cpu_s": 0.01}], "host.cpus": 4, "workload.users": 12},
            {"workload.mix": [{"gets": 4, "redo_bytes": "10M", "commits": False}], "workload.think_s": 0.001},
            LOGS
            | {
                "workload.mix": [{"gets": 40, "changed_blocks": 20, "redo_bytes": "50K"}],
                "workload.think_s": 0.001,
                "instance.buffer_cache_bytes": "8M",
            },
            # The longest runs come last: a field that moves an answer before needs none of them.
            VOLUME | {"workload.transactions": None, "workload.precision_percent": 20},
            VOLUME
            | {"workload.rate_per_s": 4, "workload.users": None, "workload.think_s": None}
            | {"workload.mix": [{"gets": 4}], "workload.transactions": None, "workload.precision_percent": 4},
        )
    ),
}
"""Small scenarios of each kind: among them there is one in which each field that the kind reads plays its part."""


def with_values(data: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """A scenario file with other values of some fields; None takes a field away."""
    found = deepcopy(data)
    for path, value in values.items():
        target: Any = found
        *names, last = path.split(".")
        for name in names:
            if isinstance(target, list):
                target.extend({} for _ in range(len(target), int(name) + 1))
                target = target[int(name)]
            elif name == "mix":
                target = target.setdefault(name, [{}])
            else:
                target = target.setdefault(name, {})
        target.pop(last, None)
        if value is not None:
            target[last] = value
    return found


def bases_of(kind: str) -> list[dict[str, Any]]:
    """The scenario files to begin from."""
    return [with_values(SMALL, {"workload.kind": kind, **values}) for values in BASES[kind]]


def value_of(scenario: Scenario, path: str) -> Any:
    """The value of a field."""
    target: Any = scenario.workload if path.startswith("workload.") else scenario.system
    for name in path.removeprefix("workload.").split("."):
        target = target[int(name)] if name.isdigit() else getattr(target, name)
    return target


def answer(data: dict[str, Any]) -> str | None:
    """All figures of an answer as text; None where there is no answer."""
    try:
        result = run(from_mapping(data), replications=1)
    except BlocktimeError:
        return None
    return result.model_dump_json(exclude={"warnings", "sources", "extrapolated", "version", "scenario", "kernel"})


def moves(data: dict[str, Any], path: str, schema: dict[str, Any], most: int | None = None) -> bool | None:
    """Whether another value of a field, of *most*, moves a figure of an answer; None where every one is refused."""
    before, answered = _before(json.dumps(data)), False
    for value in others(schema, path, value_of(from_mapping(data), path))[:most]:
        after = answer(with_values(data, {path: value}))
        if after not in (None, before):
            return True
        answered = answered or after is not None
    return False if answered else None


@lru_cache(maxsize=256)
def _before(data: str) -> str:
    found = answer(json.loads(data))
    assert found is not None, data
    return found


def all_changed(data: dict[str, Any], fields: list[tuple[str, dict[str, Any]]]) -> tuple[dict[str, Any], list[str]]:
    """*data* with all of some fields off their values, as far as they go together; and those that went.

    All at once, or else the two halves of them one after the other.
    """
    if not fields:
        return data, []
    (path, schema), *more = fields
    if not more:
        for value in others(schema, path, value_of(from_mapping(data), path)):
            tried = with_values(data, {path: value})
            if answer(tried) is not None:
                return tried, [path]
        return data, []
    scenario = from_mapping(data)
    first = {path: next(iter(others(schema, path, value_of(scenario, path))), None) for path, schema in fields}
    if None not in first.values():
        tried = with_values(data, first)
        if answer(tried) is not None:
            return tried, list(first)
    middle = len(fields) // 2
    data, changed = all_changed(data, fields[:middle])
    data, further = all_changed(data, fields[middle:])
    return data, changed + further


def unread_of(kind: str) -> list[str]:
    """Fields that may be set for a kind and move no figure of any of its answers, in order."""
    return sorted(path for path, schema in fields_of(kind) if is_still(kind, path, schema))


REFUSING = ("instance.undo_bytes",)
"""Fields that move no figure, as all they do is to refuse what does not fit."""


def is_still(kind: str, path: str, schema: dict[str, Any]) -> bool:
    """Whether a field moves nothing in any of the small scenarios, or none of them allows another value."""
    if path in REFUSING:
        return False
    # NOTE: nearly every field moves something with its first other value in one of them
    return not any(moves(data, path, schema, most) for most in (1, None) for data in bases_of(kind))


HEAD = """\
# What each kind of workload does not read: no value of these fields moved a figure of an answer.
# Written by asking: `python -m tests.scenarios.every_field [KIND...]` sets each field off its value, one by one.
"""


def write(kinds: Sequence[str]) -> None:
    """Ask again for some kinds, and write the list."""
    listed = dict(unread()) | {kind: frozenset(unread_of(kind)) for kind in kinds}
    lines = [f"{kind} = [\n" + "".join(f'    "{path}",\n' for path in sorted(listed[kind])) + "]\n" for kind in BASES]
    LIST.write_text(HEAD + "\n" + "\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:] or list(BASES))
