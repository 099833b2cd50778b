"""Why a field decides nothing in a scenario, in a few words that stand beside the name of its control."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from blocktime.model.demand.calls import goes_on
from blocktime.model.demand.popular_blocks import popularity_field
from blocktime.model.laws.opened_files import UNBUFFERED as PAST_CACHE
from blocktime.model.laws.opened_files import WITHOUT_FILESYSTEM
from blocktime.model.laws.processors import FULL_SPEED
from blocktime.model.spec import FullScan, Host, IndexRangeScan, Insert, Query, Stream, System, Workload
from blocktime.model.spec.popularity import WAYS
from blocktime.scenarios.spec import PRECISION, Scenario
from blocktime.scenarios.unread import is_unread

THROUGH_CACHE: Final = ("buffered", "sync", "dsync")
WRITTEN_BACK: Final = ("buffered",)
# Fields that play a part on some I/O paths only.
MATTERS_FOR: Final[dict[str, tuple[str, ...]]] = {
    "host.page_cache_hit_fraction": THROUGH_CACHE,
    "host.filesystem": THROUGH_CACHE,
    "host.read_ahead_bytes": THROUGH_CACHE,
    "host.folios": THROUGH_CACHE,
    "host.journal": THROUGH_CACHE,
    "host.memory_bytes": WRITTEN_BACK,
    "host.dirty_background_ratio_percent": WRITTEN_BACK,
    "host.dirty_ratio_percent": WRITTEN_BACK,
    "host.dirty_writeback_s": WRITTEN_BACK,
    "host.dirty_expire_s": WRITTEN_BACK,
    "workload.fsync_every": WRITTEN_BACK,
    "workload.fadvise": THROUGH_CACHE,
    "workload.submission": PAST_CACHE,
    "workload.batch": PAST_CACHE,
}


def why_idle(path: str, scenario: Scenario) -> str:
    """Why the field at *path* decides nothing in *scenario*, in a few words; empty where it does."""
    work: Any = scenario.workload
    section, _, name = path.partition(".")
    if section == "workload" and name.partition(".")[0] not in type(work).model_fields:
        return ""
    if is_unread(work.kind, path):
        return "no effect on this kind of workload"
    matters = MATTERS_FOR.get(path)
    programs = work.programs if section == "host" else (work,)
    if matters and not any(program.opened_as(scenario.system) in matters for program in programs):
        return f"used only for files opened {' or '.join(matters)}"
    if (
        work.asks_the_kernel
        and _needs_no_disk(work, scenario)
        and path.startswith(NOT_WITHOUT_READS)
        and path != "disk.volume_per_month"
    ):
        return "the page cache has every block"
    if hasattr(work, "join") and (reason := _without_row_sources(path, scenario.system, work)):
        return reason
    rule = RULES.get(path) if section != "index" or not hasattr(work, "join") else None
    decides_nothing, reason = rule(scenario.system, work) if rule else (False, "")
    return reason if decides_nothing else ""


INNER: Final = ("workload.inner_",)
OF_A_JOIN: Final = (
    "index.unique",
    "index.distinct_keys",
    "index.null_fraction",
    "index.key_bytes",
    "index.key_columns",
)
"""Fields of the index that a hash join reads, too: how many rows match, and the columns that are compared."""
OF_A_WORK_AREA: Final = ("instance.pga_bytes", "instance.work_area_bytes", "instance.temp_disk")
OF_WRITES: Final = (
    "disk.write_", "disk.slc_", "disk.spare_fraction", "disk.used_fraction", "disk.fresh", "disk.controller_writes",
    "host.write_call_s",
)  # fmt: skip


def _without_row_sources(path: str, system: System, work: FullScan) -> str:
    """Why a field of joins, sorts, work areas or writes decides nothing in a full scan that has none of them."""
    has_area = work.join == "hash" or work.sort != "none"
    if path.startswith(("index.", *INNER)) and work.join == "none":
        return "nothing is joined"
    if path.startswith("index.") and path not in OF_A_JOIN and work.join == "hash":
        return "a hash join reads no index"
    if path == "workload.groups" and work.sort != "group_by":
        return "nothing is grouped"
    if path in OF_A_WORK_AREA and not has_area:
        return "no row source has a work area"
    if path == "instance.pga_bytes" and system.instance.work_area_bytes is not None:
        return "instance.work_area_bytes sets the work area"
    if path.startswith("instance.statistics.") and work.in_stages:
        return "the cost of joins and sorts is not in the model"
    return "nothing is written" if path.startswith(OF_WRITES) and not has_area and not work.beside else ""


def io_path(scenario: Scenario) -> str:
    """How the files are opened."""
    return scenario.workload.opened_as(scenario.system)


NOT_WITHOUT_READS: Final = (
    "disk.", "host.kernel", "host.scheduler", "host.nr_requests", "host.max_", "host.read_ahead", "host.filesystem",
)  # fmt: skip
"""What begins so plays no part for reads that the page cache answers."""


def _needs_no_disk(work: Stream, scenario: Scenario) -> bool:
    """Whether the page cache answers all calls of a stream that runs alone."""
    from_cache = io_path(scenario) in THROUGH_CACHE and scenario.system.host.page_cache_hit_fraction >= 1
    return from_cache and not work.writes and not work.beside


Reason = tuple[bool, str]
"""Whether a field decides nothing, and why."""


def _is_in_stages(work: Workload) -> bool:
    """Whether a full scan has a join or a sort above it, which read another table or temp."""
    return getattr(work, "in_stages", False)


def _pool(system: System, empty: bool) -> tuple[bool, str]:
    """A pool that no block uses takes memory all the same, which may have a price."""
    return empty and system.prices.memory_per_gb_month is None, "no block uses this pool"


def _no_read(system: System, work: Workload) -> Reason:
    """A query that finds all its blocks in the buffer cache; calls go past it, and DBWR writes behind changes."""
    direct = system.instance.serial_direct_read == "always"
    goes_past = work.asks_the_kernel or work.mixed or work.inserts or work.plays_rows or _is_in_stages(work)
    cached = not goes_past and system.table.cached_fraction >= 1
    return cached and not direct, "every block is in the buffer cache"


def _arrivals(what: str) -> Callable[[System, Any], Reason]:
    return lambda system, work: (
        bool((work.mixed or (work.asks_the_kernel and what == "both")) and work.rate_per_s is not None),
        f"{'transactions' if work.mixed else 'calls'} arrive at a rate",
    )


def _io_path(system: System, work: Workload) -> Reason:
    if work.asks_the_kernel:
        return cast("Stream", work).path is not None, "workload.path says how the file is opened"
    return _no_read(system, work)


def _asynchronous(system: System, work: Workload) -> Reason:
    options = system.instance.filesystemio_options
    if system.instance.disk_asynch_io and not system.database_asynch_io:
        return True, f"filesystemio_options is {options or 'not set, which is none in a file system'}"
    if work.inserts or work.mixed:
        return work.opened_as(system) in THROUGH_CACHE, "files are opened through the page cache"
    if system.instance.serial_direct_read == "never" and not _is_in_stages(work):
        return True, "no read bypasses the buffer cache"
    return _no_read(system, work)


ONE_BY_ONE: Final = "without asynchronous I/O, blocks are read one at a time"


def _arraysize(system: System, work: Workload) -> Reason:
    if work.inserts:
        return cast("Insert", work).method != "array", "rows are not inserted in arrays"
    if _finds_one_row(work):
        return True, "a unique scan finds one row"
    return cast("Query", work).select == "count", "count(*) returns one row"


def _finds_one_row(work: Workload) -> bool:
    """Whether an index unique scan finds the row."""
    return getattr(work, "access", "") == "unique"


def _hot_blocks(work: Workload) -> Reason:
    given = (getattr(work, name, None) for name in WAYS)
    return any(given), "another field says which blocks are popular"


def _clustering(system: System, work: Workload) -> Reason:
    if getattr(work, "index_only", False):
        return True, "the table is not visited"
    if _finds_one_row(work):
        return True, "a unique scan finds one row"
    return system.index.clustering_factor is not None, "CLUSTERING_FACTOR is given"


def _selectivity(system: System, work: IndexRangeScan) -> Reason:
    if _finds_one_row(work):
        return True, "a unique scan finds one row"
    return work.predicate == "equality", "the predicate asks for one key"


def _distinct_keys(system: System, work: IndexRangeScan) -> Reason:
    if _finds_one_row(work):
        return True, "a unique scan finds one row"
    lie = work.index_only or system.index.clustering_factor is not None or system.index.clustering == "clustered"
    counted = work.predicate == "equality" or system.index.compress_columns
    return not counted and lie, "the predicate asks for a range of keys"


def _controller(system: System, work: Workload) -> Reason:
    return system.disk.rotation_s > 0, "the disk rotates"


def _collection(system: System, work: Workload) -> Reason:
    return system.disk.spare_fraction is None, "without spare_fraction, the model has no garbage collection"


def _processors(system: System, work: Workload) -> Reason:
    alone = work.sessions == 1 and not work.beside and system.prices.currency is None
    one_by_one = not work.mixed and getattr(work, "rate_per_s", None) is None
    who = "program" if work.asks_the_kernel else "session"
    return alone and one_by_one, f"a single {who} uses one processor"


def _among_cores(without: Callable[[Host], bool], why: str) -> Callable[[System, Any], Reason]:
    """The rule of processors, and that a host *without* what the field describes, which is *why*, ignores it."""
    return lambda system, work: (
        _processors(system, work) if _processors(system, work)[0] else (without(system.host), why)
    )


def _old_costing(system: System, _: object) -> Reason:
    return system.instance.statistics.kind == "none", "I/O costing does not use system statistics"


STATISTICS: Final = (
    "ioseektim_s",
    "iotfrspeed_bytes_per_s",
    "cpuspeed_hz",
    "sreadtim_s",
    "mreadtim_s",
    "mbrc",
    "block_cycles",
    "row_cycles",
    "column_cycles",
)

RULES: Final[dict[str, Callable[[System, Any], Reason]]] = {
    **{f"instance.statistics.{name}": _old_costing for name in STATISTICS},
    "host.cpuspeed_hz": lambda system, work: (
        (system.instance.statistics.cpuspeed_hz is not None, "the system statistics contain CPUSPEED")
        if system.instance.statistics.kind != "none"
        else _old_costing(system, work)
    ),
    **{
        f"instance.redo_transport_{name}": lambda system, work: (
            system.instance.redo_transport != "sync",
            "no commit waits for a standby",
        )
        for name in ("round_trip_s", "write_s")
    },
    "index.clustering": _clustering,
    "workload.selectivity_fraction": _selectivity,
    "workload.predicate": lambda system, work: (_finds_one_row(work), "a unique scan finds one row"),
    "index.distinct_keys": _distinct_keys,
    "index.interleaved_blocks": lambda system, work: (
        system.index.clustering != "interleaved" or system.index.clustering_factor is not None,
        "index.clustering is not interleaved",
    ),
    "index.table_cached_blocks": lambda system, work: (
        system.index.clustering_factor is not None or system.index.clustering == "clustered",
        "CLUSTERING_FACTOR is given"
        if system.index.clustering_factor is not None
        else "rows are stored in index order",
    ),
    "workload.parallel_reads": lambda system, work: (
        work.index_only or not goes_on(system),
        "the table is not visited" if work.index_only else "without asynchronous I/O, blocks are read one at a time",
    ),
    "workload.rowid_order": lambda system, work: (
        bool(system.index.bitmap or work.index_only),
        "a bitmap index returns sorted rowids" if system.index.bitmap else "the table is not visited",
    ),
    "index.prefix_distinct_keys": lambda system, work: (
        work.access != "skip" and not system.index.compress_columns,
        "there is no skip scan and no compressed column",
    ),
    "index.prefix_bytes": lambda system, work: (not system.index.compress_columns, "no column is compressed"),
    "table.cached_fraction": lambda system, work: (
        bool(popularity_field(work)),
        "the popularity of blocks determines it",
    ),
    PRECISION: lambda system, work: (
        getattr(work, "transactions", None) is not None,
        "workload.transactions sets the length of the run",
    ),
    "index.key_bytes": lambda system, work: (system.index.leaf_blocks is not None, "LEAF_BLOCKS is given"),
    "index.unique": lambda system, work: (system.index.leaf_blocks is not None, "LEAF_BLOCKS is given"),
    "index.grown_by": lambda system, work: (system.index.leaf_blocks is not None, "LEAF_BLOCKS is given"),
    "host.cpus": _processors,
    "host.io_path": _io_path,
    "host.page_cache_hit_fraction": _no_read,
    "host.memory_bytes": lambda system, work: (
        work.asks_the_kernel and not work.writes and not work.beside,
        "nothing is written",
    ),
    "host.threads_per_core": _processors,
    "host.busy_loss_percent": _among_cores(lambda host: host.cpus <= FULL_SPEED, "with two cores, none slows down"),
    "host.smt_gain_percent": _among_cores(lambda host: host.threads_per_core == 1, "cores have one thread"),
    "instance.disk_asynch_io": _asynchronous,
    "instance.filesystemio_options": lambda system, work: (
        (True, "ASM and raw devices ignore it") if system.host.io_path in WITHOUT_FILESYSTEM else _no_read(system, work)
    ),
    "instance.db_keep_cache_bytes": lambda system, work: _pool(system, work.hot_pool != "keep"),
    "instance.db_recycle_cache_bytes": lambda system, work: _pool(system, work.cold_pool != "recycle"),
    "disk.use": _no_read,
    "disk.volume_per_month": lambda system, work: (system.prices.currency is None, "prices.currency is not set"),
    "disk.controller_reads_per_s": _controller,
    "disk.report_interval_s": _controller,
    "disk.controller_writes_per_s": _controller,
    "disk.spare_fraction": _controller,
    "disk.used_fraction": _collection,
    "disk.fresh": _collection,
    "disk.fua": lambda system, work: (
        not (system.disk.write_cache_bytes and system.disk.write_cache_flushed),
        "the disk has no write cache that a flush empties",
    ),
    "disk.write_cache_flushed": lambda system, work: (not system.disk.write_cache_bytes, "the disk has no write cache"),
    "disk.raid_disks": lambda system, work: (system.disk.raid_level == "none", "the disk is not a RAID set"),
    "workload.hot_data_percent": lambda system, work: _hot_blocks(work),
    "workload.hot_gets_percent": lambda system, work: _hot_blocks(work),
    "disk.reorder_age_s": lambda system, work: (system.disk.rotation_s == 0, "the disk does not rotate"),
    "disk.limit_io_bytes": lambda system, work: (
        system.disk.iops_limit is None and system.host.iops_limit is None,
        "the volume has no IOPS limit",
    ),
    "disk.limit_slice_s": lambda system, work: (
        not any(
            (system.disk.iops_limit, system.disk.throughput_limit_bytes_per_s, system.instance.redo_limit_bytes_per_s)
        ),
        "the volume has no limit",
    ),
    "host.burst_iops": lambda system, work: (system.host.iops_limit is None, "the host has no IOPS limit"),
    "host.burst_bandwidth_bytes_per_s": lambda system, work: (
        system.host.bandwidth_limit_bytes_per_s is None,
        "the host has no throughput limit",
    ),
    "host.burst_s": lambda system, work: (
        system.host.burst_iops is None and system.host.burst_bandwidth_bytes_per_s is None,
        "the host has no burst limit",
    ),
    "disk.burst_iops": lambda system, work: (system.disk.iops_limit is None, "the volume has no limit"),
    "disk.burst_credits": lambda system, work: (system.disk.burst_iops is None, "the volume has no burst limit"),
    "workload.caller": lambda system, work: (
        not work.commit_every_rows and work.passes == 1 and (not work.inserts or work.by_direct_path),
        "one statement is one call",
    ),
    "workload.commit_every_rows": lambda system, work: (
        bool(work.inserts and work.by_direct_path),
        "a direct-path insert commits once, at its end",
    ),
    "workload.columns": lambda system, work: (work.select == "count", "count(*) returns no column"),
    "workload.arraysize_rows": _arraysize,
    "client.first_fetch_rows": _arraysize,
    "instance.block_end_saves_get": lambda system, work: (
        _arraysize(system, work) if hasattr(work, "select") else (False, "")
    ),
    "workload.mix.0.parallel_reads": lambda system, work: (not goes_on(system), ONE_BY_ONE),
    "workload.mix.0.parallel_reads_percent": lambda system, work: (
        not work.mix[0].parallel_reads or not goes_on(system),
        "reads are submitted one at a time" if goes_on(system) else ONE_BY_ONE,
    ),
    "workload.users": _arrivals("transactions"),
    "workload.think_s": _arrivals("both"),
    "workload.in_flight": _arrivals("both"),
    "workload.batch": lambda system, work: (work.in_flight == 1, "one call is in flight"),
    "workload.arrivals": lambda system, work: (work.rate_per_s is None, "each call waits for the previous one"),
    "workload.stride_bytes": lambda system, work: (work.pattern != "strided", "the access pattern is not strided"),
    "workload.rate_per_s": lambda system, work: (
        bool(work.asks_the_kernel and work.rate_per_s is None and (work.think_s or work.in_flight != 1)),
        "think time or several calls in flight are set",
    ),
}
"""Field -> why it decides nothing, of a kind of workload that reads it."""
