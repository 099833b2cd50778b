"""What the optimizer thinks the workload's access costs."""

from __future__ import annotations

from typing import Any, cast

from blocktime.model.demand.index_access import in_range, in_rowid_order, leaves_visited
from blocktime.model.demand.index_statistics import index_statistics
from blocktime.model.demand.index_upkeep import entries_of
from blocktime.model.demand.reading import one_for_all
from blocktime.model.demand.work import NO_SCAN, RANGE_SCAN, Demand
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import optimizer
from blocktime.model.laws.numeric import Number, largest, nearest, some, where
from blocktime.model.results import OptimizerCost, part
from blocktime.model.spec import IndexRangeScan, Statement, System, release_tuple


def optimizer_of(system: System, work: Statement, demand: Demand) -> OptimizerCost:
    """What the optimizer thinks the workload's access costs."""
    instance, space = system.instance, system.tablespace
    stats = instance.statistics
    mbrc = optimizer.costing_mbrc(_default_blocks(system), space.block_size_bytes, instance.db_block_size_bytes)

    sreadtim = _read_s(system, stats.sreadtim_s, 1)
    mreadtim = _read_s(system, stats.mreadtim_s, mbrc)
    blocks = demand.segment.blocks
    if one_for_all(getattr(work, "access", "") == "fast_full"):
        blocks = index_statistics(system, demand.segment).leaf_blocks  # LEAF_BLOCKS stands for all blocks [lewis-cbo]
    of_index: tuple[Number, Number] | None = None
    row_cycles = stats.row_cycles + stats.column_cycles * (demand.row.columns - 1)
    if demand.access_path == RANGE_SCAN:
        query = cast("IndexRangeScan", work)
        io, cycles = _through_index(system, query, demand, 1 - query.index_only, row_cycles)
        of_index = _through_index(system, query, demand, 0, where(query.index_only, row_cycles, stats.row_cycles))
        mbrc = 1
    elif demand.access_path == NO_SCAN:
        io, cycles, mbrc = 0.0 * blocks, 0.0 * blocks, 1
    else:
        if stats.kind != "none" and some(mreadtim < sreadtim):
            raise OutsideLaw(_contradiction(stats, mreadtim, sreadtim))
        io = optimizer.scan_io_cost(blocks, mbrc, mreadtim, sreadtim)
        cycles = optimizer.scan_cpu_cycles(blocks, system.table.rows, stats.block_cycles, row_cycles)
        if stats.kind == "none":
            io = optimizer.old_scan_cost(blocks, mbrc)
        io = io + optimizer.scan_plus_one(release_tuple(instance.release))
    io = io / optimizer.parallel_share(demand.servers)
    cycles = cycles / optimizer.parallel_share(demand.servers)

    cpuspeed = system.host.cpuspeed_hz if stats.cpuspeed_hz is None else stats.cpuspeed_hz

    def cpu_cost(of: Number) -> Number:
        return 0 * of if stats.kind == "none" else optimizer.cpu_cost(of, cpuspeed, sreadtim)

    cpu = cpu_cost(cycles)
    index_cost = None if of_index is None else nearest(of_index[0] + cpu_cost(of_index[1]))
    costed = stats.kind != "none" and demand.access_path != NO_SCAN
    return part(
        OptimizerCost,
        io_cost=io,
        cpu_cost=cpu,
        cost=nearest(io + cpu),
        mbrc=mbrc,
        sreadtim_s=sreadtim if costed else None,
        mreadtim_s=mreadtim if costed and demand.access_path != RANGE_SCAN else None,
        cpuspeed_hz=cpuspeed if costed else None,
        index_cost=index_cost,
    )


def _default_blocks(system: System) -> Number:
    """Blocks of the default size that the optimizer takes a multiblock read to be."""
    stats, parameter = system.instance.statistics, system.instance.db_file_multiblock_read_count
    if stats.kind != "none" and stats.mbrc is not None:
        return stats.mbrc
    if isinstance(parameter, str):
        return optimizer.DEFAULT_COSTING_MBRC
    return where(parameter < 1, optimizer.DEFAULT_COSTING_MBRC, parameter)


def _read_s(system: System, gathered: Number | None, of_blocks: Number) -> Number:
    """Time of a read of so many blocks: as it was gathered, or of no workload."""
    if gathered is not None:
        return gathered
    stats = system.instance.statistics
    return optimizer.noworkload_read_s(
        of_blocks, system.instance.db_block_size_bytes, stats.ioseektim_s, stats.iotfrspeed_bytes_per_s
    )


def _contradiction(stats: Any, mreadtim: Number, sreadtim: Number) -> str:
    """That one of the two times is given and the other, which follows from IOSEEKTIM and IOTFRSPEED, denies it."""
    given, follows = ("sreadtim_s", "mreadtim_s") if stats.mreadtim_s is None else ("mreadtim_s", "sreadtim_s")
    seconds = {"sreadtim_s": largest(sreadtim), "mreadtim_s": -largest(-mreadtim)}
    return (
        f"instance.statistics.{given} is {seconds[given]:g}, but {follows} follows from ioseektim_s and "
        f"iotfrspeed_bytes_per_s as {seconds[follows]:g}; a read of several blocks takes no less than one of a single "
        "block: give both or none"
    )


def _through_index(
    system: System, work: IndexRangeScan, demand: Demand, visited: Number, row_cycles: Number
) -> tuple[Number, Number]:
    """I/O cost and CPU cycles of an access through the index, with the table's blocks where it is *visited*."""
    statistics = index_statistics(system, demand.segment)
    blevel, unique = statistics.blevel, work.access == "unique"
    leaves = leaves_visited(system, work, statistics.leaf_blocks)
    changes = visited * in_range(system, work, statistics.clustering_factor)
    if in_rowid_order(system, work):
        rows = in_range(system, work, entries_of(system.index, system.table.rows))
        changes = visited * optimizer.bitmap_table_blocks(rows, demand.segment.rows_per_block)
    io = where(
        unique, optimizer.unique_scan_io_cost(blevel, visited), optimizer.range_scan_io_cost(blevel, leaves, changes)
    )
    rows = where(unique, 1, in_range(system, work, entries_of(system.index, system.table.rows)))
    return io, optimizer.scan_cpu_cycles(io, rows, system.instance.statistics.block_cycles, row_cycles)
