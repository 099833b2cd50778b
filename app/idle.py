"""Why a field decides nothing in a scenario, in a few words that stand beside the name of its control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from model.spec import Disk, Export, FullScan, Import, IndexRangeScan, Insert, Stream, Transactions
from scenarios import Scenario
from scenarios.unread import is_unread

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


def why_idle(path: str, scenario: Scenario) -> str:
    """Why the field at *path* decides nothing in *scenario*, in a few words; empty where it does."""
    if is_unread(scenario.workload.kind, path):
        return "no effect on this kind of workload"
    matters = MATTERS_FOR.get(path)
    if matters and io_path(scenario) not in matters:
        return f"for files opened {' or '.join(matters)}"
    if path == "index.clustering" and scenario.system.index.clustering_factor is not None:
        return "CLUSTERING_FACTOR is given"
    work = scenario.workload
    if isinstance(work, Stream):
        return _idle_in_a_stream(path, work, scenario) or _idle_on_the_disk(path, scenario.system.disk)
    if isinstance(work, Transactions):
        return _idle_in_transactions(path, scenario, work)
    return _idle_in_a_statement(path, scenario)


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
