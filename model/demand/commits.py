"""What statements leave to LGWR and DBWR: undo and redo of their changes, commits, and what is written behind them."""

from __future__ import annotations

from typing import Any

from blocktime.model.causes import COMMITTING, LOG_FILE_SYNC
from blocktime.model.demand.row_changes import Change
from blocktime.model.demand.work import Demand
from blocktime.model.demand.writing import WriteBehind, checkpoint_lag_bytes, room_of
from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import block, change, commit, disk_means
from blocktime.model.laws.numeric import Number, ceiling, floor_div, larger, largest, smaller, some, where
from blocktime.model.spec import Statement, System, release_tuple
from blocktime.model.units import show_bytes

ROUNDS = 4
"""In which the rate of commits and their wait follow from each other."""
KEEPS_UP = 0.8
"""Share of the sessions' own time that LGWR may write without ever lagging behind them."""


def note_undo_and_redo(demand: Demand, system: System, work: Statement, changed: Change) -> None:
    """Note in *demand* the undo and the redo of all that its sessions change, their commits included."""
    row, grows, moves = demand.row.bytes, changed.growth_bytes / work.passes, changed.moves
    old, new = (row, 0.0) if work.deletes else (block.ROW_HEADER_BYTES, grows)
    changes = change.changes_of_rows(changed.rows, moves)
    undo = change.undo_bytes(changes, old) + moves * row
    redo = change.redo_bytes(changes, undo, new) + moves * (row + grows)
    if some(demand.block_changes):  # rows come in: one change for each block that an array reaches into
        undo = change.undo_bytes(demand.block_changes, 0.0)
        redo = change.redo_of_new_rows_bytes(demand.block_changes, undo, changed.rows * row)
    if work.by_direct_path:
        undo, redo = 0.0, demand.redo_bytes
    for index_changes in demand.upkeep:
        undo, redo = undo + index_changes.undo_bytes, redo + index_changes.redo_bytes
    demand.undo_bytes, demand.redo_bytes = undo, redo + changed.commits * change.COMMIT_REDO_BYTES
    most, of_one = system.instance.undo_bytes, undo / larger(1, ceiling(changed.commits))
    if most is not None and some(of_one > most):
        raise OutsideLaw(
            f"instance.undo_bytes {show_bytes(most)} is less than the undo of one transaction, "
            f"{show_bytes(largest(of_one))} (ORA-30036): give a larger undo tablespace, or commit more often"
        )
    demand.undo_blocks = change.undo_blocks(undo, system.instance.db_block_size_bytes)


def log_device(system: System) -> tuple[Number, Number]:
    """Seconds that each write of the log takes on its own disk whatever its size, and bytes a second beyond that.

    A write cache answers it; else its place is half a turn away on average.
    """
    disk = system.disk
    cached = disk.write_cache_bytes > 0
    fixed_s = disk_means.overhead_s(disk, True) + where(cached, 0.0, disk.rotation_s / 2)
    return fixed_s, where(cached, disk.bus_bytes_per_s, disk_means.rate_bytes_per_s(disk, True))


def log_write_s(system: System, redo_bytes: Number) -> Number:
    """Mean seconds of a log write of so much redo, nobody queueing, or until the standby has answered."""
    fixed_s, bytes_per_s = log_device(system)
    size = commit.log_write_bytes(redo_bytes)
    took_s = fixed_s + size / bytes_per_s
    disk_limit, host_limit = system.disk.throughput_limit_bytes_per_s, system.host.bandwidth_limit_bytes_per_s
    if disk_limit is not None:
        disk_limit = disk_limit * disk_means.data_members(system.disk)
    for limit in (system.instance.redo_limit_bytes_per_s, disk_limit, host_limit):
        if limit is not None:
            took_s = larger(took_s, size / limit)
    return larger(took_s, system.instance.standby_s)


def add_commits(demand: Demand, system: System, work: Statement, changed: Change) -> None:
    """Add to *demand* what its commits take of the processor and wait for.

    A client waits for each, and a PL/SQL block once, at its end, for the redo of all [kyte-commit]; beside a
    synchronous standby for each, too [oracle-dataguard].
    """
    users, commits = work.users, changed.commits / work.users
    demand.cpu[COMMITTING] = commits * system.host.commit_s
    waited_for = where(waits_once(system, work), smaller(commits, 1), commits)
    write_s = log_write_s(system, _left_bytes(system, demand, changed))
    busy_s = demand.cpu_s + sum(waits * each_s for waits, each_s in demand.waits.values())
    wait_s = _wait_s(system, 0.0, write_s)
    if some(users > 1):
        for _ in range(ROUNDS):
            per_s = users / (busy_s / larger(1, waited_for) + wait_s)
            wait_s = where(users > 1, _wait_s(system, per_s, write_s), wait_s)
    demand.waits[LOG_FILE_SYNC] = (waited_for, wait_s)


def waits_once(system: System, work: Statement) -> Any:
    """Whether the commits of a statement are waited for at its end alone: in PL/SQL, without a synchronous standby."""
    return (getattr(work, "caller", "") == "plsql") & (system.instance.redo_transport != "sync")


def _left_bytes(system: System, demand: Demand, changed: Change) -> Number:
    """Redo of a transaction that LGWR has not written yet when it commits: half of what LGWR gathers, or all."""
    gathered = commit.gathered_bytes(system.instance.log_buffer_bytes)
    each = demand.redo_bytes / larger(1, changed.commits)
    return where(each > gathered, gathered / 2, each)


def _wait_s(system: System, commits_per_s: Number, write_s: Number) -> Number:
    """Mean wait of a commit at a rate of all sessions' commits; LGWR posts those who wait, or lets them poll."""
    host, instance = system.host, system.instance
    given = commits_per_s, write_s, host.log_write_call_s, host.commit_overhead_s
    if instance.log_file_sync == "poll":
        return commit.commit_wait_s(*given, polls=True)
    posted = commit.commit_wait_s(*given)
    if instance.log_file_sync == "post" or release_tuple(instance.release) < commit.ADAPTIVE:
        return posted
    return where(
        commit.posts_s(host.commit_overhead_s, larger(1.0, commits_per_s * write_s)) > commit.POLL_S,
        commit.commit_wait_s(*given, polls=True),
        posted,
    )


def writing_of(system: System, demand: Demand, *, always: bool = False) -> WriteBehind | None:
    """The writes behind the sessions of *demand*; None where neither room for dirty blocks nor the log holds them up.

    Undo lies in blocks of the instance's size, here counted in those of the table's.
    """
    size, instance = system.tablespace.block_size_bytes, system.instance
    undo = demand.undo_blocks * instance.db_block_size_bytes / size
    blocks, most, by_log = larger(1, demand.dirty_blocks + undo), room_of(system), False
    lag = checkpoint_lag_bytes(system, demand.redo_bytes, blocks, blocks * size)
    lag_blocks = lag * blocks / larger(1, demand.redo_bytes)
    room = larger(1, smaller(most, lag_blocks))
    if instance.redo_log_bytes is not None:
        of_logs = (instance.redo_log_groups - 1) * instance.redo_log_bytes * blocks / larger(1, demand.redo_bytes)
        most, by_log = larger(1, smaller(most, of_logs)), of_logs < most
    behind = WriteBehind(
        blocks, room, larger(room, most), by_log, demand.apart_blocks / blocks, undo / blocks, demand.redo_bytes,
        log_lags=_log_lags(system, demand),
    )  # fmt: skip
    return behind if always or some(blocks > room) or some(behind.meets_sessions(system)) else None


def direct_writing_of(system: System, demand: Demand, blocks: Number) -> WriteBehind:
    """The writes of *blocks* that sessions format in their PGA, each as large as Oracle's largest, with their redo."""
    call_blocks = larger(1, floor_div(system.instance.max_io_bytes, system.tablespace.block_size_bytes))
    lags = _log_lags(system, demand)
    return WriteBehind(
        blocks, 0, 0, False, 0.0, 0.0, demand.redo_bytes, direct=True, call_blocks=call_blocks, log_lags=lags
    )


def _log_lags(system: System, demand: Demand) -> Any:
    """Whether a disk of the log's own takes longer for the redo than the sessions for their own work."""
    gathered = commit.gathered_bytes(system.instance.log_buffer_bytes)
    each_s = log_write_s(system, gathered) + system.host.log_write_call_s
    return demand.redo_bytes / gathered * each_s > KEEPS_UP * (demand.cpu_s + demand.waits_s)
