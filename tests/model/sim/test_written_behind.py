"""What a statement dirties is written by DBWR, and its redo by LGWR, on the disk that its sessions read from."""

from typing import Any

import pytest

from blocktime.model import calculate, simulate
from blocktime.model.causes import FREE_BUFFERS, LOG_SPACE
from blocktime.model.results import RunResult
from blocktime.model.workloads.statements import cost
from blocktime.scenarios import from_mapping, load

PLACELESS = {"overhead_s": 0.001, "average_seek_s": 0.0, "rotation_s": 0.0, "bandwidth_bytes_per_s": 1e9}


def played(work: dict[str, Any], cache: str, *, disk: dict[str, Any] | None = None, **sections: Any) -> RunResult:
    given = from_mapping(
        {
            "table": {"rows": 300_000, "row_bytes": 100},
            "instance": {"buffer_cache_bytes": cache, "disk_asynch_io": False},
            "host": {"io_path": "direct", "cpus": 4},
            "disk": PLACELESS if disk is None else disk,
            "workload": work,
            **sections,
        }
    )
    return simulate(given.system, given.workload)


def waited_s(result: RunResult, event: str) -> float:
    waited = result.time.wait.get(event)
    return waited.total_s if waited else 0.0


def test_dbwr_writes_block_by_block_what_has_no_room() -> None:
    """One process waits for each write of a millisecond and 8.192 µs; a cache of 4 MB has room for 204 blocks."""
    found = played({"kind": "import"}, "4M")
    device, asked = found.device["disk"], found.physical_io
    assert asked.write_requests == found.changes.dirty_blocks + found.changes.undo_blocks - 204
    assert device.writes_per_s * found.time.elapsed_s == pytest.approx(asked.write_requests, abs=200)
    assert found.time.elapsed_s > 0.95 * asked.write_requests * 0.001008192


def test_dbwr_and_a_sessions_reads_wait_for_each_other() -> None:
    """A write takes 1.008 ms; it waits where the scan of the update has the device."""
    small, large = (played({"kind": "update", "growth_bytes": 0}, cache) for cache in ("4M", "1G"))
    assert not large.device["disk"].writes_per_s
    assert small.device["disk"].write_await_s > 1.15 * 0.001008192


def test_what_dbwr_keeps_up_with_takes_as_long_as_the_sum() -> None:
    given = load("magni-imp-500mb-32k")
    alone, found = (answer(given.system, given.workload) for answer in (calculate, simulate))
    assert found.physical_io.write_requests > 9_000
    assert found.time.elapsed_s == pytest.approx(alone.time.elapsed_s, rel=2e-4)  # the last undo


def test_redo_on_the_disk_of_the_data_holds_blocks_up() -> None:
    own, data = (
        simulate(given.system, given.workload)
        for given in (load("magni-imp-500mb-4k", [f"instance.redo_disk={disk}"]) for disk in ("own", "data"))
    )
    assert own.time.elapsed_s < data.time.elapsed_s
    assert waited_s(own, FREE_BUFFERS) < waited_s(data, FREE_BUFFERS)
    assert waited_s(own, LOG_SPACE) == 0


@pytest.mark.parametrize("disk", ["magni-sdb", "nvme", "sas-15k"])
def test_the_part_of_a_load_holds_the_whole(disk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = load("magni-imp-4k", ["table.rows=12000000", "instance.buffer_cache_bytes=20M", f"disk.use={disk}"])
    part = simulate(given.system, given.workload)
    monkeypatch.setattr(cost, "MOST_WRITES", 10**9)
    whole = simulate(given.system, given.workload)
    assert "played" in part.method
    assert "played" not in whole.method
    assert part.time.interval is not None
    assert part.time.interval.low_s <= whole.time.elapsed_s <= part.time.interval.high_s
    assert part.physical_io == whole.physical_io
    assert part.changes == whole.changes


@pytest.mark.parametrize("rows", [10**9, 10**11])
def test_a_load_of_any_number_of_rows_takes_no_longer_than_others(rows: int) -> None:
    given = load("magni-imp-4k", [f"table.rows={rows}"])
    found = simulate(given.system, given.workload)
    assert found.events is not None
    assert found.events < 400_000
    assert "written blocks" in found.method


def test_a_part_counts_what_goes_to_the_logs_own_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ["table.rows=8000000", "instance.buffer_cache_bytes=20M", "instance.redo_disk=own"]
    given = load("magni-imp-4k", [*settings, "host.iops_limit=200"])
    part = simulate(given.system, given.workload)
    monkeypatch.setattr(cost, "MOST_WRITES", 10**9)
    whole = simulate(given.system, given.workload)
    assert "played" in part.method
    for name, device in whole.device.items():
        assert part.device[name].written_bytes_per_s == pytest.approx(device.written_bytes_per_s, rel=0.01)
