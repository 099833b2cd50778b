"""The write side of statements: undo blocks, redo on its way to the log, one log for all programs of a machine."""

from __future__ import annotations

from math import ceil
from typing import Any

import pytest

from blocktime.model.causes import LOG_FILE_SYNC, LOG_SPACE
from blocktime.model.engine import simulate
from blocktime.model.errors import OutsideLaw, SpecError
from blocktime.model.results import RunResult
from blocktime.model.sim.shared_machine import Machine
from blocktime.scenarios import from_mapping, load, run

TABLE = {"rows": 60_000, "row_bytes": 200, "cached_fraction": 1.0}


def asked(disk: dict[str, Any], *, instance: dict[str, Any] | None = None, **work: Any) -> Any:
    return from_mapping(
        {"disk": disk, "table": TABLE, "instance": instance or {}, "workload": {"kind": "update", **work}}
    )


def played(disk: dict[str, Any], **more: Any) -> RunResult:
    scenario = asked(disk, **more)
    return simulate(scenario.system, scenario.workload)


def waited_s(result: RunResult, event: str) -> float:
    return result.time.wait[event].total_s if event in result.time.wait else 0.0


def test_undo_fills_blocks_of_the_instance_whatever_those_of_the_table() -> None:
    result = run(load("rahn-pctfree-16k-10"))
    assert result.changes.dirty_blocks == 781
    assert result.changes.undo_blocks == ceil(result.changes.undo_bytes / (8192 - 92))
    assert result.changes.undo_blocks == pytest.approx(6700, rel=0.05)


def test_undo_takes_room_from_dirty_blocks_and_is_written_when_there_is_none() -> None:
    """A cache of 16 MB has room for 819 dirty blocks."""
    result = played({"use": "nvme"}, instance={"buffer_cache_bytes": "16M"})
    changed = result.changes
    assert result.physical_io.write_requests == pytest.approx(changed.dirty_blocks + changed.undo_blocks - 819, abs=2)


def test_redo_holds_a_statement_up_where_its_disk_is_slower_than_it() -> None:
    """100 kB a second: the sessions wait for room in the log buffer, and at the end for the rest."""
    slow = {"use": "nvme", "throughput_limit_bytes_per_s": 1e6}
    for place in ("own", "data"):
        result = played(slow, instance={"redo_disk": place, "log_buffer_bytes": "1M"})
        assert waited_s(result, LOG_SPACE) > 0
        assert result.time.elapsed_s == pytest.approx(result.changes.redo_bytes / 1e6, rel=0.1)
    quick = played({"use": "nvme"})
    assert waited_s(quick, LOG_SPACE) == 0
    assert quick.changes.redo_bytes == result.changes.redo_bytes


def test_a_slower_log_never_makes_commits_faster() -> None:
    waits = [
        waited_s(played({"use": disk}, commit_every_rows=100, instance={"redo_disk": "data"}), LOG_FILE_SYNC)
        for disk in ("nvme", "ebs-gp3", "sata-7k2")
    ]
    assert waits == sorted(waits)
    assert waits[0] > 600 * 50e-6


def test_programs_on_one_machine_write_their_redo_to_one_log(monkeypatch: pytest.MonkeyPatch) -> None:
    machines: list[Machine] = []
    made = Machine.redo_log

    def watched(machine: Machine, *inputs: Any) -> Any:
        machines.append(machine)
        return made(machine, *inputs)

    monkeypatch.setattr(Machine, "redo_log", watched)
    users = {"kind": "transactions", "transactions": 200, "users": 4, "think_s": 0.01, "data_bytes": "200M"}
    given = asked({"use": "nvme"}, commit_every_rows=1000, beside=[users])
    result = simulate(given.system, given.workload)
    (log,) = {id(machine.log): machine.log for machine in machines}.values()
    others = result.programs[1]
    transactions = others.per_s * result.time.elapsed_s
    of_users = log.noted - result.changes.redo_bytes
    each = given.workload.programs[1].mix[0].redo_bytes if given.workload.programs[1].mix else None
    assert of_users > 0
    assert result.time.wait[LOG_FILE_SYNC].waits == 60
    if each is not None:
        assert of_users == pytest.approx(transactions * each, rel=0.2)


SYNC = {"redo_transport": "sync", "redo_transport_round_trip_s": 2e-3, "redo_transport_write_s": 1e-3}


def test_a_commit_waits_for_the_standby_where_that_takes_longer_than_the_log() -> None:
    near = {**SYNC, "redo_transport_round_trip_s": 1e-9, "redo_transport_write_s": 1e-9}
    often = {"commit_every_rows": 1000}
    none, beside, far = (
        waited_s(played({"use": "nvme"}, instance=instance, **often), LOG_FILE_SYNC) / 60
        for instance in ({}, near, SYNC)
    )
    assert beside == pytest.approx(none)
    assert far == pytest.approx(none - 20e-6 + 3e-3, rel=0.1)


def test_users_wait_for_the_standby_as_the_law_says() -> None:
    given = from_mapping(
        {
            "disk": {"use": "nvme"},
            "instance": SYNC,
            "workload": {"kind": "transactions", "users": 1, "transactions": 400, "think_s": 0.1, "data_bytes": "100M"},
        }
    )
    result = simulate(given.system, given.workload)
    host = given.system.host
    each = result.time.wait[LOG_FILE_SYNC]
    alone_s = host.log_write_call_s + 3e-3 + host.commit_overhead_s
    assert each.total_s / each.waits == pytest.approx(alone_s, rel=0.05)


def test_a_block_of_plsql_waits_for_each_commit_beside_a_standby_alone() -> None:
    every = {"caller": "plsql", "commit_every_rows": 1000}
    results = [played({"use": "nvme"}, instance=instance, **every) for instance in ({}, SYNC)]
    waits = [result.time.wait[LOG_FILE_SYNC].waits for result in results]
    assert waits == [1, 60]


def test_a_standby_needs_its_round_trip() -> None:
    with pytest.raises(SpecError, match="redo_transport sync goes without redo_transport_round_trip_s"):
        asked({"use": "nvme"}, instance={"redo_transport": "sync"})
    idle = asked({"use": "nvme"}, instance={"redo_transport": "async", "redo_transport_round_trip_s": 1e-3})
    assert any("redo_transport_round_trip_s has no effect here: no commit waits" in note for note in run(idle).warnings)


def test_undo_that_does_not_fit_is_refused_and_commits_free_it() -> None:
    """60,000 rows leave 6 MB or more of undo, or as much in each of ten transactions."""
    with pytest.raises(OutsideLaw, match=r"instance\.undo_bytes 2M is less than the undo of one transaction"):
        played({"use": "nvme"}, instance={"undo_bytes": "2M"})
    assert played({"use": "nvme"}, instance={"undo_bytes": "2M"}, commit_every_rows=6000)
    assert played({"use": "nvme"}, instance={"undo_bytes": "1G"}) == played({"use": "nvme"})


def test_new_rows_are_written_behind_the_old_ones() -> None:
    """However many old rows there are: DBWR writes one block behind the other, and misses no turn of the disk."""
    took_s = []
    for rows in (1_000, 100_000):
        scenario = from_mapping(
            {
                "disk": {"use": "sata-7k2"},
                "instance": {"buffer_cache_bytes": "16M"},
                "table": {"rows": rows, "row_bytes": 300},
                "workload": {"kind": "insert", "method": "array", "rows": 100_000},
            }
        )
        took_s.append(simulate(scenario.system, scenario.workload).time.elapsed_s)
    assert took_s[1] == pytest.approx(took_s[0], rel=0.1)
